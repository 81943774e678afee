"""Readers of nested names: one encoder, and on top a tagger or a table of pairs."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.checks import check_choice
from attnbook.pairs import (
    Biaffine,
    EfficientGlobalPointer,
    GlobalPointer,
    MultiHeadSelection,
    f1_score,
    pair_loss,
    pair_table,
    pairs_above,
    span_mask,
)
from attnbook.studies.nested import (
    GROUP,
    NESTED_VOCABULARY,
    PERSON,
    PLACE,
    RELATIONS,
    TYPES,
    NestedSentence,
    innermost,
    nested_ids,
    read_stacks,
    token_stacks,
)
from attnbook.training import Progress, TrainConfig, train
from attnbook.transformer import BertConfig, BertEncoder

SCORERS = {
    "biaffine": Biaffine,
    "multi-head selection": MultiHeadSelection,
    "GlobalPointer": GlobalPointer,
    "Efficient GlobalPointer": EfficientGlobalPointer,
}
TAGGERS = ("one tag", "a tag per type", "joint labels")
MAX_WORDS = 64


def small_encoder() -> BertEncoder:
    """A BERT of two layers for the nested sentences.

    Returns:
        The encoder.
    """
    return BertEncoder(
        BertConfig(
            vocab_size=len(NESTED_VOCABULARY),
            d_model=64,
            num_heads=4,
            d_ff=128,
            num_layers=2,
            max_positions=MAX_WORDS,
            dropout=0.0,
        )
    )


class SpanReader(nn.Module):
    """An encoder and a table of spans.

    Args:
        scorer: one of `SCORERS`.
        head_dim: its Dh.
        rotary: see `GlobalPointer`; None for scorers without.
        loss: `pair_loss` or `binary_loss`.
    """

    def __init__(
        self,
        scorer: str = "GlobalPointer",
        head_dim: int = 16,
        rotary: bool | None = None,
        loss: Callable[..., Tensor] = pair_loss,
    ):
        super().__init__()
        self.encoder = small_encoder()
        more = {} if rotary is None else {"rotary": rotary}
        self.scorer = SCORERS[scorer](64, len(TYPES), head_dim, **more)
        self.how = loss

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Score every span.

        Args:
            ids: (B, T) numbers of words.
            lengths: (B,), how many of them are real.

        Returns:
            scores (B, C, T, T): type, start, end.
        """
        return self.scorer(self.encoder(ids, lengths)[0])

    def batch(self, some: Sequence[NestedSentence]) -> tuple[Tensor, ...]:
        """Sentences as tensors: ids, lengths, and the right table."""
        ids, lengths = nested_ids(some)
        spans = [one.spans for one in some]
        return ids, lengths, pair_table(spans, len(TYPES), ids.shape[1])

    def loss(self, ids: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        """The loss on a batch, in nats."""
        return self.how(self(ids, lengths), target, span_mask(lengths, ids.shape[1]))

    @torch.no_grad()
    def read(self, some: Sequence[NestedSentence]) -> list[set]:
        """The spans that it finds in some sentences."""
        ids, lengths = nested_ids(some)
        mask = span_mask(lengths, ids.shape[1])
        return pairs_above(self(ids, lengths), mask)


class TagReader(nn.Module):
    """An encoder and a softmax over tags at every token.

    Args:
        kind: "one tag" (BIO with types), "a tag per type" (a BIO tagger for each), or "joint labels" (all entities
            around a token in one label, of those that were seen).
        seen: the sentences whose labels it may use.
        hidden: units of a layer between the encoder and the softmax, or None for a linear map.
    """

    def __init__(
        self, kind: str, seen: Sequence[NestedSentence], hidden: int | None = None
    ):
        super().__init__()
        check_choice("kind", kind, TAGGERS)
        self.kind = kind
        labels = [self.labels(one) for one in seen]
        self.names = [
            sorted({label for one in labels for label in one[row]})
            for row in range(len(labels[0]))
        ]
        self.encoder = small_encoder()
        self.hidden = (
            nn.Identity()
            if hidden is None
            else nn.Sequential(nn.Linear(64, hidden), nn.ReLU())
        )
        size = 64 if hidden is None else hidden
        self.heads = nn.ModuleList(nn.Linear(size, len(names)) for names in self.names)

    def teachable(self, one: NestedSentence) -> list[set]:
        """For each of its heads the spans that it is taught."""
        if self.kind == "joint labels":
            return [set(one.spans)]
        if self.kind == "one tag":
            return [innermost(one.spans)]
        kinds = range(len(TYPES))
        return [innermost(s for s in one.spans if s[0] == kind) for kind in kinds]

    def labels(self, one: NestedSentence) -> list[list[tuple[str, ...]]]:
        """For each of its heads one label per token."""
        return [token_stacks(spans, len(one.words)) for spans in self.teachable(one)]

    def forward(self, ids: Tensor, lengths: Tensor) -> list[Tensor]:
        """As `SpanReader.forward`, but for each head logits (B, T, labels)."""
        x = self.hidden(self.encoder(ids, lengths)[0])
        return [head(x) for head in self.heads]

    def batch(self, some: Sequence[NestedSentence]) -> tuple[Tensor, ...]:
        """Sentences as tensors: ids, lengths, and (heads, B, T) numbers of labels, −100 for padding."""
        ids, lengths = nested_ids(some)
        numbers = torch.full((len(self.names), *ids.shape), -100)
        for b, one in enumerate(some):
            for names, row, labels in zip(
                self.names, numbers[:, b], self.labels(one), strict=True
            ):
                right = torch.tensor([names.index(label) for label in labels])
                row[: len(labels)] = right
        return ids, lengths, numbers

    def loss(self, ids: Tensor, lengths: Tensor, numbers: Tensor) -> Tensor:
        """The cross-entropy on a batch, in nats per token, added up over the heads."""
        pairs = zip(self(ids, lengths), numbers, strict=True)
        losses = (F.cross_entropy(logits.mT, right) for logits, right in pairs)
        return sum(losses, torch.zeros(()))

    @torch.no_grad()
    def read(self, some: Sequence[NestedSentence]) -> list[set]:
        """The spans that its tags spell."""
        ids, lengths = nested_ids(some)
        spans: list[set] = [set() for _ in some]
        for names, logits in zip(self.names, self(ids, lengths), strict=True):
            best = logits.argmax(dim=-1)
            for one, row, length in zip(spans, best, lengths, strict=True):
                one |= read_stacks(names[n] for n in row[:length].tolist())
        return spans


class LinkReader(nn.Module):
    """Entities and relations from one encoder, read from tables as GPLinker does.

    Three tables of pairs: where entities start and end; for each relation, the first tokens of subject and object; for
    each relation, their last tokens.

    Args:
        head_dim: Dh of all tables.

    Source:
        Su (2022), kexue.fm/archives/8888 (GPLinker).
    """

    def __init__(self, head_dim: int = 16):
        super().__init__()
        self.encoder = small_encoder()
        self.spans = GlobalPointer(64, len(TYPES), head_dim)
        self.firsts = GlobalPointer(64, len(RELATIONS), head_dim)
        self.lasts = GlobalPointer(64, len(RELATIONS), head_dim)

    def forward(self, ids: Tensor, lengths: Tensor) -> list[Tensor]:
        """As `SpanReader.forward`, but three tables: (B, C, T, T) and twice (B, R, T, T)."""
        x = self.encoder(ids, lengths)[0]
        return [table(x) for table in (self.spans, self.firsts, self.lasts)]

    def batch(self, some: Sequence[NestedSentence]) -> tuple[Tensor, ...]:
        """Sentences as tensors: ids, lengths, and the three right tables."""
        ids, lengths = nested_ids(some)
        tables = zip(*map(gold_tables, some), strict=True)
        sizes = len(TYPES), len(RELATIONS), len(RELATIONS)
        right = (
            pair_table(pairs, size, ids.shape[1])
            for pairs, size in zip(tables, sizes, strict=True)
        )
        return ids, lengths, *right

    def loss(self, ids: Tensor, lengths: Tensor, *right: Tensor) -> Tensor:
        """The sum of the three tables' losses."""
        mask = span_mask(lengths, ids.shape[1])
        masks = mask, mask | mask.mT, mask | mask.mT
        tables = zip(self(ids, lengths), right, masks, strict=True)
        return sum((pair_loss(*table) for table in tables), torch.zeros(()))

    @torch.no_grad()
    def read(self, some: Sequence[NestedSentence]) -> list[tuple[set, set, set]]:
        """For each sentence its entities, and the pairs of first and of last tokens."""
        ids, lengths = nested_ids(some)
        spans, firsts, lasts = self(ids, lengths)
        mask = span_mask(lengths, ids.shape[1])
        real = mask | mask.mT  # padding has a row of False on both sides
        return list(
            zip(
                pairs_above(spans, mask),
                pairs_above(firsts, real),
                pairs_above(lasts, real),
                strict=True,
            )
        )


def gold_tables(one: NestedSentence) -> tuple[set, set, set]:
    """What the three tables of a `LinkReader` should say of a sentence.

    Args:
        one: the sentence.

    Returns:
        Entities (type, first, last); relations between first tokens; between last tokens.
    """
    firsts = {(r, subject[0], thing[0]) for r, subject, thing in one.relations}
    lasts = {(r, subject[1], thing[1]) for r, subject, thing in one.relations}
    return set(one.spans), firsts, lasts


# which types a relation joins: subject and object
SIGNATURES = (PERSON, GROUP), (PERSON, PLACE)


def link(spans: set, lasts: set, firsts: set | None = None) -> set:
    """Relations between entities, from relations between tokens.

    Args:
        spans: entities (type, first, last).
        lasts: (relation, subject's last token, object's last token).
        firsts: (relation, subject's first token, object's first token); without it, the last tokens decide alone.

    Returns:
        A set of (relation, subject (first, last), object (first, last)).
    """
    found = set()
    for r, (subject, thing) in enumerate(SIGNATURES):
        for _, i, j in (span for span in spans if span[0] == subject):
            for _, a, b in (span for span in spans if span[0] == thing):
                begins = firsts is None or (r, i, a) in firsts
                if begins and (r, j, b) in lasts:
                    found.add((r, (i, j), (a, b)))
    return found


def fit_pairs(
    model: SpanReader | TagReader | LinkReader,
    some: Sequence[NestedSentence],
    steps: int = 400,
    seed: int = 0,
    lr: float = 3e-3,
    batch: int = 32,
    watch: Callable[[int], None] | None = None,
) -> list[float]:
    """Train a reader on some sentences.

    Args:
        model: changed in place.
        some: what it may see.
        steps: updates.
        seed: for the order of the sentences.
        lr: the largest learning rate.
        batch: sentences per update.
        watch: called after each update with their number.

    Returns:
        The loss of each update.
    """
    generator = torch.Generator().manual_seed(1000 + seed)
    picks = torch.randint(len(some), (steps, batch), generator=generator).tolist()
    stream = [model.batch([some[i] for i in pick]) for pick in picks]
    config = TrainConfig(
        steps, lr, seed=seed, schedule="warmup-cosine", warmup_fraction=0.1
    )

    def after_step(progress: Progress) -> None:
        if watch is not None:
            watch(progress.step)

    losses = train(
        model,
        lambda m, b: m.loss(*b),
        lambda epoch: stream,
        config,
        after_step=after_step,
    )
    model.eval()
    return losses


def span_f1(model: SpanReader | TagReader, some: Sequence[NestedSentence]) -> float:
    """F1 of the spans that a reader finds, exact matches of type, start and end.

    Args:
        model: trained.
        some: sentences it has not seen.

    Returns:
        From 0 to 1.
    """
    return f1_score(model.read(some), [set(one.spans) for one in some])
