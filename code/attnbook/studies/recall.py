"""Associative recall: pairs are read one after another, then some keys are asked for; memories of five kinds answer."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import parallel_memory
from attnbook.checks import check_choice, check_count
from attnbook.reproducible import device_of
from attnbook.training import TrainConfig, train

MEMORIES = ("softmax", "linear", "gated", "delta", "gated delta")
RECALL_TASKS = ("store", "update", "reset")
NUM_KEYS, NUM_VALUES = 128, 32


@dataclass(frozen=True)
class Recall:
    """A batch of the task: pairs to remember, keys to ask for, and the right answers.

    Attributes:
        keys, values: (B, N) symbols, written in this order.
        marks: (B, N), 1 where everything before stops counting, else 0.
        asked: (B, Q) keys.
        answers: (B, Q) values.
    """

    keys: Tensor
    values: Tensor
    marks: Tensor
    asked: Tensor
    answers: Tensor

    def to(self, device: torch.device | str) -> "Recall":
        """The same on another device."""
        return Recall(*(x.to(device) for x in vars(self).values()))


def recall_batch(
    task: str, size: int, pairs: int, generator: torch.Generator
) -> Recall:
    """Random pairs, and questions about them.

    Args:
        task: "store": all keys differ, and all are asked for, the oldest first. "update": each key is written twice,
            with two values; the answer is the later one. "reset": the first pair of the last quarter has a mark,
            and only keys of that quarter are asked for.
        size: B.
        pairs: N, how many are written, a multiple of 4, at most 128.
        generator: where the symbols come from.

    Returns:
        The batch.
    """
    check_choice("task", task, RECALL_TASKS)
    check_count("pairs", pairs, at_least=4)
    if pairs % 4 or pairs > NUM_KEYS:
        raise ValueError(
            f"pairs must be a multiple of 4 and at most {NUM_KEYS}, got {pairs}"
        )

    def shuffled(n: int) -> Tensor:  # (B, n): a permutation in each row
        return torch.rand(size, n, generator=generator).argsort(-1)

    values = torch.randint(NUM_VALUES, (size, pairs), generator=generator)
    marks = torch.zeros(size, pairs)
    keys = shuffled(NUM_KEYS)[:, :pairs]
    if task == "store":
        return Recall(keys, values, marks, keys, values)
    if task == "reset":
        start = pairs - pairs // 4
        marks[:, start] = 1
        return Recall(keys, values, marks, keys[:, start:], values[:, start:])
    asked = keys[:, : pairs // 2]  # each occurs twice, in any order
    which = shuffled(pairs) % (pairs // 2)
    keys = asked.gather(1, which)
    same = keys[:, None, :] == asked[:, :, None]  # (B, Q, N)
    last = (same * torch.arange(1, pairs + 1)).argmax(-1)
    return Recall(keys, values, marks, asked, values.gather(1, last))


class Rememberer(nn.Module):
    """One memory layer between embeddings and a linear head.

    Keys and values arrive as pairs: in a language model, the layer below would have to join them. Keys and queries
    have length 1, as the delta rule needs.

    Args:
        kind: one of `MEMORIES`. "softmax" keeps all pairs, and has a learned temperature and a decay (a penalty on
            the scores of old pairs); the others keep a matrix (d, d). Except in "linear" and "delta" there is a decay
            that depends on what is read, in "delta" and "gated delta" a step size that does.
        d: features of keys, queries and values.
        width: of the embeddings.
    """

    def __init__(self, kind: str, d: int, width: int = 64):
        super().__init__()
        check_choice("kind", kind, MEMORIES)
        self.kind = kind
        self.key_embedding = nn.Embedding(NUM_KEYS, width)
        self.value_embedding = nn.Embedding(NUM_VALUES, width)
        self.mark = nn.Parameter(torch.randn(width))
        self.W_q = nn.Linear(width, d, bias=False)
        self.W_k = nn.Linear(width, d, bias=False)
        self.W_v = nn.Linear(width, d, bias=False)
        self.decay = nn.Linear(width, 1) if kind not in ("linear", "delta") else None
        self.beta = nn.Linear(width, 1) if "delta" in kind else None
        self.sharpness = nn.Parameter(torch.tensor(10.0)) if kind == "softmax" else None
        self.head = nn.Linear(d, NUM_VALUES, bias=False)
        if self.decay is not None:  # at first almost nothing is forgotten
            nn.init.constant_(self.decay.bias, 4.0)

    def forward(self, batch: Recall) -> Tensor:
        """Answer all questions after the last pair.

        Args:
            batch: B rows of N pairs and Q questions.

        Returns:
            logits (B, Q, values).
        """
        k, v = self.key_embedding(batch.keys), self.value_embedding(batch.values)
        x = k + v + batch.marks[..., None] * self.mark  # (B, N, width): for the gates
        key = F.normalize(self.W_k(k), dim=-1)  # (B, N, d)
        query = F.normalize(self.W_q(self.key_embedding(batch.asked)), dim=-1)
        value = self.W_v(v)
        decay = None if self.decay is None else self.decay(x)[..., 0].sigmoid()
        if decay is not None and self.sharpness is not None:  # softmax
            since = decay.log().cumsum(-1)  # (B, N)
            age = since[:, -1:] - since  # ≤ 0, the more negative the older
            scores = self.sharpness * query @ key.mT + age[:, None]
            return self.head(scores.softmax(-1) @ value)
        beta = None if self.beta is None else self.beta(x)[..., 0].sigmoid()
        _, state = parallel_memory(key, key, value, decay=decay, beta=beta)
        return self.head(query @ state.mT)


def fit_memory(
    kind: str,
    task: str,
    d: int,
    pairs: tuple[int, ...] = (8, 16, 32, 64),
    seed: int = 0,
    steps: int = 300,
    lr: float = 1e-2,
) -> Rememberer:
    """Train one memory on a task.

    Args:
        kind, d: see `Rememberer`.
        task: see `recall_batch`.
        pairs: how many are written; the batches take turns.
        seed: for the weights and the data.
        steps: updates, with 64 rows each.
        lr: the largest learning rate.

    Returns:
        The trained model.
    """
    torch.manual_seed(seed)
    model = Rememberer(kind, d)
    generator = torch.Generator().manual_seed(1000 + seed)
    stream = (
        recall_batch(task, 64, pairs[i % len(pairs)], generator) for i in range(steps)
    )
    config = TrainConfig(
        steps, lr, seed=seed, schedule="warmup-cosine", warmup_fraction=0.1
    )
    train(
        model,
        lambda m, b: F.cross_entropy(m(b).flatten(0, 1), b.answers.flatten()),
        lambda epoch: stream,
        config,
    )
    return model.eval()


@torch.no_grad()
def recall_accuracy(
    model: Rememberer, task: str, pairs: int, seed: int = 12345
) -> float:
    """The accuracy on 200 fresh rows.

    Args:
        model: a trained memory.
        task: see `recall_batch`.
        pairs: N, how many are written.
        seed: for the rows.

    Returns:
        The fraction of right answers; guessing gives 1/32.
    """
    batch = recall_batch(task, 200, pairs, torch.Generator().manual_seed(seed))
    batch = batch.to(device_of(model))
    return (model(batch).argmax(-1) == batch.answers).float().mean().item()
