"""Nested names: what can a tag per token, and what can a table of pairs, find?

Question: do tables of pairs find nested spans that tags cannot express, and what do rotary positions and the loss add?
Varies: the reader (three ways to tag, six tables, relations by linked tokens); for two of them, an encoder that is told
    no positions.
Equal: 1,000 sentences, encoder, steps, batches. The tables have about 6,200 parameters each on top of the encoder, the
    taggers some hundreds: they are limited by what tags can say (`ceilings`), not by their size.
Control: the best that is possible with tags (`ceilings`); sentences one level deeper than in training.
Seeds: 3, all stored.
Turned round by: taggers that stay below their ceilings, so that size and not form would be to blame.

About five minutes on one core.
"""

import functools
import time
from collections.abc import Iterator

import torch

from attnbook.pairs import binary_loss, f1_score, pair_loss
from attnbook.studies import (
    LinkReader,
    NestedSentence,
    SpanReader,
    TagReader,
    fit_pairs,
    gold_tables,
    innermost,
    link,
    nested_sentences,
    span_f1,
)
from attnbook.transformer import count_parameters

OPTIONS = {"seeds": 3, "steps": 300, "sentences": 1000}
TAGS = ("one tag", "a tag per type", "joint labels")
# name → (scorer, head_dim, rotary, loss); about 6,200 parameters each
TABLES = {
    "biaffine": ("biaffine", 28, None, pair_loss),
    "multi-head selection": ("multi-head selection", 47, None, pair_loss),
    "GlobalPointer": ("GlobalPointer", 16, True, pair_loss),
    "GlobalPointer, not rotary": ("GlobalPointer", 16, False, pair_loss),
    "GlobalPointer, binary loss": ("GlobalPointer", 16, True, binary_loss),
    "Efficient GlobalPointer": ("Efficient GlobalPointer", 44, True, pair_loss),
}


@functools.cache
def draw(count: int) -> dict[str, list[NestedSentence]]:
    """What is trained on, and two tests: as deep as training, and one level deeper but no longer."""
    test = nested_sentences(300, seed=99)
    tested = {one.words for one in test}
    drawn = nested_sentences(count + len(test), seed=1)
    train = [one for one in drawn if one.words not in tested][:count]
    longest = max(len(one.words) for one in train)
    deeper = nested_sentences(600, seed=98, depth=4, exactly=True)
    deeper = [one for one in deeper if len(one.words) <= longest][:300]
    return {"train": train, "test": test, "deeper": deeper}


def ceilings(some: list[NestedSentence]) -> dict:
    """The best F1 that is possible with one tag per token, with one per type, and with relations of last tokens."""
    gold = [set(one.spans) for one in some]
    per_type = [set().union(*(innermost(s for s in spans if s[0] == kind) for kind in range(3))) for spans in gold]
    relations = [set(one.relations) for one in some]
    last = [link(spans, lasts) for spans, _, lasts in map(gold_tables, some)]
    return {
        "one tag": round(f1_score([innermost(spans) for spans in gold], gold), 4),
        "a tag per type": round(f1_score(per_type, gold), 4),
        "relations of last tokens": round(f1_score(last, relations), 4),
    }


def plans(count: int) -> Iterator[dict]:
    """What is trained, seeds aside: all readers; then, to see what rotary positions do, two without others."""
    for name in (*TAGS, *TABLES, "links"):
        yield {"name": name, "sentences": count, "blind": False}
    for name in ("GlobalPointer", "GlobalPointer, not rotary"):
        yield {"name": name, "sentences": count, "blind": True}


def run(seed: int, name: str, sentences: int, blind: bool, steps: int) -> dict:
    """Train one reader, and mark it."""
    drawn = draw(sentences)
    torch.manual_seed(seed)
    if name == "links":
        model = LinkReader()
    elif name in TAGS:
        model = TagReader(name, drawn["train"])
    else:
        scorer, head_dim, rotary, loss = TABLES[name]
        model = SpanReader(scorer, head_dim, rotary, loss)
    if blind:  # an encoder that is told no positions
        model.encoder.embeddings.position.weight.requires_grad_(False).zero_()
    began = time.process_time()
    fit_pairs(model, drawn["train"], steps, seed)
    row = {
        "name": name,
        "sentences": sentences,
        "blind": blind,
        "seed": seed,
        "parameters": count_parameters(model) - count_parameters(model.encoder),
        "cpu_seconds": round(time.process_time() - began, 1),
    }
    for where in ("test", "deeper"):
        some = drawn[where]
        if name != "links":
            row[where] = round(span_f1(model, some), 4)
            continue
        gold, found = [set(one.relations) for one in some], model.read(some)
        row[f"{where}_spans"] = round(f1_score([spans for spans, _, _ in found], [set(s.spans) for s in some]), 4)
        both = [link(spans, lasts, firsts) for spans, firsts, lasts in found]
        alone = [link(spans, lasts) for spans, _, lasts in found]
        row[where] = round(f1_score(both, gold), 4)
        row[f"{where}_last_only"] = round(f1_score(alone, gold), 4)
    return row


def settings(options) -> Iterator[dict]:
    """Every reader with every seed."""
    for seed in range(options.seeds):
        for plan in plans(options.sentences):
            yield plan | {"seed": seed, "steps": options.steps}


def summary(results: list[dict], options) -> dict:
    """All rows, and what is possible."""
    drawn = draw(options.sentences)
    return {
        "drawn": {name: len(some) for name, some in drawn.items()},
        "longest": max(len(one.words) for one in drawn["train"]),
        "seeds": list(range(options.seeds)),
        "measured": "F1 of exact spans with their types, or of exact relations (links): on unseen sentences as deep "
        "as those of training, and one level deeper but no longer. last_only reads relations from last tokens alone. "
        "parameters are those on top of the encoder; "
        "blind: the encoder is told no positions",
        "ceilings": {where: ceilings(drawn[where]) for where in ("test", "deeper")},
        "rows": results,
    }
