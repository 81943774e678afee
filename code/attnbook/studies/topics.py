"""Is attention an explanation? Readers of short sentences, and what their answers do under other weights."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.training import TrainConfig, train

TOPICS, NUM_WORDS = 4, 24  # word 4 · topic + loudness, and eight small words from 16 on


def topic_rows(size: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Sentences of twelve words about the topic of their loudest word.

    Args:
        size: B.
        generator: where they come from.

    Returns:
        ids (B, 12): one word of the topic, which thus occurs once, six quieter ones of other topics, five small ones,
        shuffled; the topics (B,); and the positions of the loudest words (B,).
    """
    topic = torch.randint(TOPICS, (size, 1), generator=generator)
    loud = torch.randint(1, 4, (size, 1), generator=generator)
    others = topic + torch.randint(1, TOPICS, (size, 6), generator=generator)
    quiet = (torch.rand(size, 6, generator=generator) * loud).long()
    small = torch.randint(16, NUM_WORDS, (size, 5), generator=generator)
    ids = torch.cat([4 * topic + loud, 4 * (others % TOPICS) + quiet, small], dim=1)
    order = torch.rand(size, 12, generator=generator).argsort(1)
    return ids.gather(1, order), topic[:, 0], (order == 0).int().argmax(1)


class TopicReader(nn.Module):
    """A learned query pools word vectors, or the states of a GRU that has read them; a linear map tells the topic.

    Args:
        context: whether a bidirectional GRU reads the words first.
        uniform: keep all weights equal instead, in training too.
    """

    def __init__(self, context: bool, uniform: bool = False):
        super().__init__()
        size = 16  # D
        self.uniform = uniform
        self.words = nn.Embedding(NUM_WORDS, size)
        self.gru = (
            nn.GRU(size, size // 2, batch_first=True, bidirectional=True)
            if context
            else None
        )
        self.query = nn.Parameter(torch.randn(size) * size**-0.5)
        self.out = nn.Linear(size, TOPICS)

    def read(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """What is averaged, and how.

        Args:
            ids: (B, T).

        Returns:
            values (B, T, D) and weights (B, T).
        """
        values = self.words(ids)
        if self.gru is not None:
            values, _ = self.gru(values)
        scores = values @ self.query
        return values, (scores * 0 if self.uniform else scores).softmax(-1)

    def answer(self, values: Tensor, weights: Tensor) -> Tensor:
        """Log-probabilities of the topics (B, C) under given weights."""
        return self.out((weights[..., None] * values).sum(1)).log_softmax(-1)

    def forward(self, ids: Tensor) -> Tensor:
        """Tell the topics.

        Args:
            ids: (B, T).

        Returns:
            Log-probabilities (B, C).
        """
        return self.answer(*self.read(ids))


def fit_topics(
    context: bool, uniform: bool = False, seed: int = 0, steps: int = 600
) -> TopicReader:
    """Train a reader.

    Args:
        context, uniform: see `TopicReader`.
        seed: for the weights and the sentences.
        steps: updates, with 64 sentences each.

    Returns:
        The reader.
    """
    torch.manual_seed(seed)
    model = TopicReader(context, uniform)
    generator = torch.Generator().manual_seed(1000 + seed)
    stream = (topic_rows(64, generator) for _ in range(steps))
    config = TrainConfig(
        steps, lr=0.01, seed=seed, schedule="warmup-cosine", warmup_fraction=0.05
    )
    train(model, lambda m, b: F.nll_loss(m(b[0]), b[1]), lambda epoch: stream, config)
    return model.eval()


def jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """The Jensen–Shannon divergence of distributions along the last axis: 0 if equal, log 2 = 0.693 if apart.

    Args:
        p, q: (…, N), rows that sum to 1.

    Returns:
        (…,), in nats.
    """
    middle = (p + q) / 2
    apart = (torch.xlogy(p, p) + torch.xlogy(q, q)) / 2 - torch.xlogy(middle, middle)
    return apart.sum(-1)


def total_variation(p: Tensor, q: Tensor) -> Tensor:
    """Half of the summed absolute differences: the largest difference in the probability of any event.

    Args:
        p, q: (…, N).

    Returns:
        (…,), from 0 to 1.
    """
    return (p - q).abs().sum(-1) / 2


def adversarial_weights(
    answer: Callable[[Tensor], Tensor],
    weights: Tensor,
    tolerance: float = 0.01,
    steps: int = 200,
    seed: int = 0,
) -> Tensor:
    """Look for weights as far as possible from the model's, under which the model answers the same.

    Args:
        answer: weights (B, T) → log-probabilities (B, C).
        weights: (B, T), the model's own.
        tolerance: how far the answer may move, in total variation.
        steps: of Adam, on scores of weights that start at random.
        seed: for the start.

    Returns:
        (B, T): of all weights met that keep to the tolerance, those with the largest Jensen–Shannon divergence; the
        model's own where none do.

    Source:
        Jain & Wallace (2019), arXiv:1902.10186, §4.2.2.
    """
    weights = weights.detach()
    with torch.no_grad():
        own_answer = answer(weights).exp()
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(weights.shape, generator=generator).requires_grad_()
    optimizer = torch.optim.Adam([scores], lr=0.1)
    best, adversarial = torch.zeros(len(weights)), weights.clone()
    for _ in range(steps):
        other = scores.softmax(-1)
        far = jensen_shannon(weights, other)
        moved = total_variation(own_answer, answer(other).exp())
        better = (moved <= tolerance) & (far > best)
        best = torch.where(better, far, best).detach()
        adversarial[better] = other.detach()[better]
        loss = (50 * (moved - tolerance / 2).clamp(min=0) - far).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return adversarial
