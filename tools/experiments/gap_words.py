"""Can an encoder that has lost its head for filling gaps still fill them, if a linear map is fitted to its states?

Question: do the frozen states of all-MiniLM-L6-v2 at a covered word tell which word belongs there, so that a linear map
    guesses more words of new sentences than counts of both neighbours do?
Varies: what the guess is made from: the encoder's state at [MASK]; the two neighbours' vectors in its table of words,
    side by side; or counts of both neighbours.
Equal: the English sentences of the bundled corpus and their split (seed 0), and all their words as gaps, one at a time,
    but the last of each, as chapter 20 counts them; the words to choose from, which are those of the training
    sentences; softmax regression (AdamW with a rate of 0.003, batches of 128), of whose epochs the best on the
    development sentences is kept. Before that, the layer is chosen: the one whose states tell the most words of the
    development sentences by least squares.
Control: the counts; and the neighbours' vectors, which a model that has read nothing but two words could have. Words
    whose pair of neighbours occurs in the training sentences and words whose pair does not are measured apart.
Seeds: 1, for the order of batches; one split. The states are the same for every seed.
Turned round by: an encoder that guesses fewer words than the counts, or no more than the neighbours' vectors do.

About three minutes on one core.
"""

import functools
from collections import Counter, defaultdict

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import sequence_mask
from attnbook.data import bundled_pairs, split_pairs
from attnbook.interop import load_minilm
from attnbook.text import normalise, tokenise
from tools.experiments.stored import share

WAYS = ["counts", "neighbours", "encoder"]
OPTIONS = {"reads": WAYS, "epochs": 10}
CHOICES = {"reads": WAYS}
MEASURED = "shares of the test words that are guessed; examples are every 300th of them, with the first three guesses"
EVERY = 300


@functools.cache
def gaps() -> dict[str, list[tuple[list[str], int]]]:
    """For each part of the corpus its words: the sentence between <bos> and <eos>, and the place."""
    split, by_part = split_pairs(bundled_pairs(), seed=0), {}
    for part in ("train", "dev", "test"):
        texts = sorted({pair.source for pair in getattr(split, part)})
        rows = [["<bos>", *tokenise(normalise(text)), "<eos>"] for text in texts]
        by_part[part] = [(row, at) for row in rows for at in range(1, len(row) - 2)]
    return by_part


@functools.cache
def counted() -> tuple[dict, dict]:
    """How often each word of the training sentences follows another, and stands between two others."""
    after, between = defaultdict(Counter), defaultdict(Counter)
    for row in {id(row): row for row, _ in gaps()["train"]}.values():
        for left, word, right in zip(row, row[1:], row[2:], strict=False):
            after[left][word] += 1
            between[left, right][word] += 1
    return after, between


def with_gap(row: list[str], at: int, gap: str) -> str:
    """The sentence without a word."""
    return " ".join([*row[1:at], gap, *row[at + 1 : -1]])


@torch.no_grad()
def states(gapped: list[tuple[list[str], int]]) -> Tensor:
    """What stands at the gap, in the embeddings and after each layer: (N, L + 1, D)."""
    minilm = load_minilm()
    gap, vectors = minilm.tokenizer.token_to_id("[MASK]"), [torch.empty(0)] * len(gapped)
    order = sorted(range(len(gapped)), key=lambda n: len(gapped[n][0]))
    for batch in (order[at : at + 64] for at in range(0, len(order), 64)):
        ids, lens = minilm.read([with_gap(*gapped[n], "[MASK]") for n in batch])
        x, mask = minilm.model.embeddings(ids), sequence_mask(lens, ids.shape[1])[:, None, None]
        at_gap = [x[ids == gap]]
        for layer in minilm.model.layers:
            x, _ = layer(x, mask=mask)
            at_gap.append(x[ids == gap])
        for n, vector in zip(batch, torch.stack(at_gap, 1), strict=True):
            vectors[n] = vector
    return torch.stack(vectors)


def neighbours(gapped: list[tuple[list[str], int]]) -> Tensor:
    """The vectors of the words on both sides, of several pieces their mean: (N, 1, 2 D)."""
    minilm = load_minilm()
    table = minilm.model.embeddings.word.weight.detach()

    @functools.cache
    def vector(word: str) -> Tensor:
        word = "[CLS]" if word == "<bos>" else word
        return table[minilm.tokenizer.encode(word, add_special_tokens=False).ids].mean(0)

    return torch.stack([torch.cat([vector(row[at - 1]), vector(row[at + 1])]) for row, at in gapped])[:, None]


def by_least_squares(x: Tensor, y: Tensor, new: Tensor, words: int) -> Tensor:
    """The guesses for `new` of the linear map that comes nearest to one-hot vectors of `y`."""
    x, new = (F.pad(z, (0, 1), value=1.0).double() for z in (x, new))
    right = F.one_hot(y, words).double()
    return (new @ torch.linalg.solve(x.T @ x + torch.eye(x.shape[1]).double(), x.T @ right)).argmax(-1)


def by_regression(x: Tensor, y: Tensor, dev: tuple[Tensor, Tensor], words: int, epochs: int) -> tuple[nn.Linear, int]:
    """A linear map trained on the cross-entropy, as of its best epoch, and which that was."""
    head, dice = nn.Linear(x.shape[1], words), torch.Generator().manual_seed(0)
    nn.init.zeros_(head.weight)
    nn.init.zeros_(head.bias)
    optimizer, best, kept = torch.optim.AdamW(head.parameters(), lr=0.003), (-1.0, 0), {}
    for epoch in range(1, epochs + 1):
        for batch in torch.randperm(len(x), generator=dice).split(128):
            optimizer.zero_grad()
            F.cross_entropy(head(x[batch]), y[batch]).backward()
            optimizer.step()
        right = float((head(dev[0]).argmax(-1) == dev[1]).float().mean())
        if right > best[0]:
            best, kept = (right, epoch), {name: value.clone() for name, value in head.state_dict().items()}
    head.load_state_dict(kept)
    return head, best[1]


def guesses_of(reads: str, epochs: int) -> tuple[list[list[str]], dict]:
    """For each test word the first guesses, and how they were made."""
    parts, (after, between) = gaps(), counted()
    if reads == "counts":
        counts = [between[row[at - 1], row[at + 1]] or after[row[at - 1]] for row, at in parts["test"]]
        return [[word for word, _ in counter.most_common(3)] for counter in counts], {}
    read = {"neighbours": neighbours, "encoder": states}[reads]
    x = {part: read(gapped) for part, gapped in parts.items()}
    mean, scale = x["train"].mean(0), x["train"].std(0) + 1e-6
    x = {part: (inputs - mean) / scale for part, inputs in x.items()}
    vocabulary = sorted({row[at] for row, at in parts["train"]})
    number = {word: n for n, word in enumerate(vocabulary)}
    y = {part: torch.tensor([number.get(row[at], -1) for row, at in gapped]) for part, gapped in parts.items()}
    tried = [
        by_least_squares(x["train"][:, n], y["train"], x["dev"][:, n], len(vocabulary)) for n in range(mean.shape[0])
    ]
    layer = max(range(len(tried)), key=lambda n: int((tried[n] == y["dev"]).sum()))
    x = {part: inputs[:, layer] for part, inputs in x.items()}
    head, epoch = by_regression(x["train"], y["train"], (x["dev"], y["dev"]), len(vocabulary), epochs)
    likeliest = head(x["test"]).topk(3).indices.tolist()
    return [[vocabulary[n] for n in numbers] for numbers in likeliest], {"layer": layer, "epoch": epoch}


def run(reads: str, epochs: int) -> dict:
    """How many test words one way guesses, where the pair of neighbours is known and where it is new."""
    gapped, (_, between) = gaps()["test"], counted()
    guesses, how = guesses_of(reads, epochs)
    right = torch.tensor([row[at] in words[:1] for (row, at), words in zip(gapped, guesses, strict=True)])
    known = torch.tensor([bool(between.get((row[at - 1], row[at + 1]))) for row, at in gapped])
    examples = [
        [with_gap(row, at, "___"), row[at], words]
        for (row, at), words in list(zip(gapped, guesses, strict=True))[::EVERY]
    ]
    return {
        "reads": reads,
        **how,
        "right": share(right),
        "known": share(right[known]),
        "new": share(right[~known]),
        "words": [len(gapped), int(known.sum()), int((~known).sum())],
        "examples": examples,
    }


def settings(options) -> list[dict]:
    """Every way."""
    return [{"reads": reads, "epochs": options.epochs} for reads in options.reads]
