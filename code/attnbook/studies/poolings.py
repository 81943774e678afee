"""What does a sentence lose on its way to one vector? Four poolings under the same small classifier, three tasks."""

import random
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import QueryPooling, sequence_mask
from attnbook.data import pad_rows
from attnbook.reproducible import seed_everything
from attnbook.training import TrainConfig, train

TOPIC_WORDS = {
    "sea": "shell wave sail storm",
    "food": "salt soup bread feast",
    "music": "hum tune song drum",
    "garden": "moss leaf rose hedge",
}
SMALL_WORDS = "the a of and we to in is"
LEXICON = [
    *" ".join(TOPIC_WORDS.values()).split(),
    *SMALL_WORDS.split(),
    "but",
    "<pad>",
]
POOLING_TASKS = ("most", "loudest", "after but")
POOLINGS = ("maximum", "mean", "learned query", "BiGRU ends")


def topic_sentence(task: str, rng: random.Random, extra: int = 0) -> tuple[list, int]:
    """A sentence and its topic.

    Args:
        task: "most": the topic with the most words, three against two and two. "loudest": that of the loudest word,
            among six quieter ones. "after but": that of the three words in the half after *but*.
        rng: where it comes from.
        extra: so many more small words.

    Returns:
        ids in `LEXICON` (4 · topic + loudness, small words from 16 on), and the topic.
    """
    topic, second, third = rng.sample(range(4), 3)
    small = [16 + rng.randrange(8) for _ in range(extra + rng.randint(1, 5))]
    if task == "most":
        of = [topic] * 3 + [second] * 2 + [third] * 2
        ids = [4 * t + rng.randrange(4) for t in of] + small
    elif task == "loudest":
        loudness = rng.randint(1, 3)
        ids = [4 * topic + loudness] + small
        for _ in range(6):
            ids.append(4 * rng.choice([second, third]) + rng.randrange(loudness))
    else:
        cut = rng.randint(0, len(small))
        before = [4 * second + rng.randrange(4) for _ in range(3)] + small[:cut]
        after = [4 * topic + rng.randrange(4) for _ in range(3)] + small[cut:]
        first, then = rng.sample(before, len(before)), rng.sample(after, len(after))
        return [*first, 24, *then], topic
    return rng.sample(ids, len(ids)), topic


def topic_data(
    task: str, size: int, seed: int, extra: int = 0
) -> tuple[Tensor, Tensor, Tensor]:
    """A data set of sentences.

    Args:
        task, extra: see `topic_sentence`.
        size: B.
        seed: for the sentences.

    Returns:
        ids (B, T) padded, lengths (B,), topics (B,).
    """
    rng = random.Random(seed)
    rows, topics = zip(
        *(topic_sentence(task, rng, extra) for _ in range(size)), strict=True
    )
    return *pad_rows(rows, LEXICON.index("<pad>")), torch.tensor(topics)


class TopicClassifier(nn.Module):
    """Word vectors, one of four poolings, a linear map to four topics; nothing else mixes words.

    Args:
        kind: one of `POOLINGS`.
    """

    def __init__(self, kind: str):
        super().__init__()
        size = 16  # D
        self.kind, self.words = kind, nn.Embedding(len(LEXICON), size)
        self.out = nn.Linear(size, len(TOPIC_WORDS))
        self.pool = QueryPooling(size)
        self.rnn = nn.GRU(size, size // 2, batch_first=True, bidirectional=True)

    def pooled(self, x: Tensor, lens: Tensor) -> Tensor:
        """From word vectors x (B, T, D) to one vector per sentence (B, D)."""
        real = sequence_mask(lens, x.shape[1])  # (B, T)
        if self.kind == "maximum":
            return x.masked_fill(~real[..., None], -torch.inf).amax(dim=1)
        if self.kind == "mean":
            return (x * real[..., None]).sum(dim=1) / lens[:, None]
        if self.kind == "BiGRU ends":
            packed = nn.utils.rnn.pack_padded_sequence(
                x, lens, batch_first=True, enforce_sorted=False
            )
            return torch.cat([*self.rnn(packed)[1]], dim=-1)  # the two last states
        return self.pool(x, lens)[0][:, 0]  # "learned query"

    def forward(self, ids: Tensor, lens: Tensor) -> Tensor:
        """Score the topics.

        Args:
            ids: (B, T), padded.
            lens: (B,), how many words are real.

        Returns:
            logits (B, 4).
        """
        return self.out(self.pooled(self.words(ids), lens))


def pooling_run(task: str, kind: str, seed: int, steps: int = 1000) -> list[float]:
    """Train one classifier on 2,000 sentences, and test it.

    Args:
        task: one of `POOLING_TASKS`.
        kind: one of `POOLINGS`.
        seed: for the weights, the sentences and their order.
        steps: updates, with 64 sentences each.

    Returns:
        The fractions of right topics on 1,000 new sentences and on 1,000 with sixty more small words.
    """
    seed_everything(seed)
    model = TopicClassifier(kind)
    train_set = topic_data(task, 2000, 3 * seed)

    def loss(model: TopicClassifier, batch: tuple[Tensor, ...]) -> Tensor:
        return F.cross_entropy(model(*batch[:2]), batch[2])

    def batches(epoch: int) -> Iterator[tuple[Tensor, ...]]:
        generator = torch.Generator().manual_seed(1000 * seed + epoch)
        for some in torch.randperm(2000, generator=generator).split(64):
            yield tuple(part[some] for part in train_set)

    config = TrainConfig(steps, lr=2e-2, seed=seed, schedule="warmup-cosine", warmup=10)
    train(model, loss, batches, config)
    tests = [topic_data(task, 1000, 3 * seed + 1 + n, extra=60 * n) for n in (0, 1)]
    with torch.no_grad():
        return [
            (model(ids, lens).argmax(-1) == topics).float().mean().item()
            for ids, lens, topics in tests
        ]
