"""Nested names: what can a tag per token, and what can a table of pairs, find?

Question: do tables of pairs find nested spans that tags cannot express, and what do rotary positions add?
Varies: the reader (two ways to tag, two tables, relations by linked tokens); for the tables, an encoder that is told no
    positions.
Equal: 1,000 sentences, encoder, steps, batches; about 6,200 parameters on top of the encoder (links have three tables
    and more). A tagger has a hidden layer before its softmax, so that it is not the smaller one. Each reader has the
    best of four learning rates, by its F1 on development sentences with a seed of its own.
Control: the best F1 that is possible with each kind of tags (`ceilings`), for joint labels with those of the training
    sentences; sentences one level deeper than in training.
Seeds: 6, all stored, none of them the one that chose the rates. Readers are compared seed by seed: if all six
    differences have one sign, the sign test gives 1/32.
Turned round by: joint labels as good as a table on either test; taggers far below their ceilings, so that size or
    training and not form would be to blame.

About ten minutes on one core.
"""

import functools
import itertools
import time
from collections import Counter
from collections.abc import Iterator

import torch

from attnbook.pairs import f1_score
from attnbook.studies import (
    LinkReader,
    NestedSentence,
    SpanReader,
    TagReader,
    fit_pairs,
    gold_tables,
    heights,
    innermost,
    link,
    nested_sentences,
    span_f1,
    token_stacks,
)
from attnbook.transformer import count_parameters

OPTIONS = {"seeds": 6, "steps": 300, "sentences": 1000}
TAGS = {"one tag": 92, "joint labels": 70}  # hidden units, for about 6,200 parameters
TABLES = {"GlobalPointer": True, "GlobalPointer, not rotary": False}
RATES = (1e-3, 3e-3, 1e-2, 3e-2)
SEED_BY_SEED = True
TUNING = 100  # the seed that chooses
MEASURED = (
    "F1 of exact spans with their types, or of exact relations (links): on unseen sentences as deep "
    "as those of training, and one level deeper but no longer. last_only reads relations from last tokens alone. "
    "recall: the share found of the entities with 0, 1, 2, … levels of others inside. "
    "parameters are those on top of the encoder; "
    "blind: the encoder is told no positions"
)


@functools.cache
def draw(count: int) -> dict[str, list[NestedSentence]]:
    """What is trained on, and two tests: as deep as training, and one level deeper but no longer."""
    test = nested_sentences(300, seed=99)
    tested = {sentence.words for sentence in test}
    drawn = nested_sentences(count + len(test), seed=1)
    train = [sentence for sentence in drawn if sentence.words not in tested][:count]
    longest = max(len(sentence.words) for sentence in train)
    deeper = nested_sentences(600, seed=98, depth=4, exactly=True)
    deeper = [sentence for sentence in deeper if len(sentence.words) <= longest][:300]
    return {"train": train, "test": test, "deeper": deeper}


@functools.cache
def development(sentences: int) -> list[NestedSentence]:
    """Sentences that are neither tested on nor among so many for training, as deep as both."""
    drawn = draw(sentences)
    used = {sentence.words for name in ("train", "test") for sentence in drawn[name]}
    return [sentence for sentence in nested_sentences(400, seed=97) if sentence.words not in used][:150]


def readable(sentence: NestedSentence, known: set) -> set:
    """The most spans of a sentence that joint labels of a known set can spell: outer or inner ones are left out."""
    spans = sorted(sentence.spans)
    for left_out in range(len(spans) + 1):
        for subset in itertools.combinations(spans, len(spans) - left_out):
            if {*token_stacks(subset, len(sentence.words))} <= known:
                return set(subset)
    return set()


def ceilings(examples: list[NestedSentence], train: list[NestedSentence]) -> dict:
    """The best F1 that is possible with one tag per token, with one per type, with joint labels of the training
    sentences (spans left out, none invented), and with relations of last tokens."""
    gold = [set(sentence.spans) for sentence in examples]
    per_type = [set().union(*(innermost(s for s in spans if s[0] == kind) for kind in range(3))) for spans in gold]
    relations = [set(sentence.relations) for sentence in examples]
    last = [link(spans, lasts) for spans, _, lasts in map(gold_tables, examples)]
    known = {label for sentence in train for label in token_stacks(sentence.spans, len(sentence.words))}
    joint = [readable(sentence, known) for sentence in examples]
    return {
        "one tag": round(f1_score([innermost(spans) for spans in gold], gold), 4),
        "a tag per type": round(f1_score(per_type, gold), 4),
        "joint labels": round(f1_score(joint, gold), 4),
        "relations of last tokens": round(f1_score(last, relations), 4),
    }


def recall_by_height(read: list[set], examples: list[NestedSentence]) -> list[float]:
    """The share found of the entities with 0, 1, 2, … levels of others inside."""
    hits, sizes = Counter(), Counter()
    for spans, sentence in zip(read, examples, strict=True):
        for span, height in heights(sentence.spans).items():
            sizes[height] += 1
            hits[height] += span in spans
    return [round(hits[height] / sizes[height], 4) for height in sorted(sizes)]


def variants(options) -> Iterator[dict]:
    """What is trained, seeds aside: all readers; then, to see what rotary positions do, the tables without others."""
    for name in (*TAGS, *TABLES, "links"):
        yield {"name": name, "blind": False}
    for name in TABLES:
        yield {"name": name, "blind": True}


def trained(seed: int, name: str, sentences: int, blind: bool, steps: int, rate: float):
    """One reader, trained."""
    train = draw(sentences)["train"]
    torch.manual_seed(seed)
    if name == "links":
        model = LinkReader()
    elif name in TAGS:
        model = TagReader(name, train, TAGS[name])
    else:
        model = SpanReader("GlobalPointer", 16, TABLES[name])
    if blind:  # an encoder that is told no positions
        model.encoder.embeddings.position.weight.requires_grad_(False).zero_()
    fit_pairs(model, train, steps, seed, rate)
    return model


def found_by(model, examples: list[NestedSentence]) -> float:
    """F1 of the spans, or of the relations by first and last tokens."""
    if not isinstance(model, LinkReader):
        return span_f1(model, examples)
    relations = [link(spans, lasts, firsts) for spans, firsts, lasts in model.read(examples)]
    return f1_score(relations, [set(sentence.relations) for sentence in examples])


@functools.cache
def tuned(name: str, sentences: int, blind: bool, steps: int) -> dict[float, float]:
    """For each learning rate the F1 on development sentences."""
    plan = {"name": name, "sentences": sentences, "blind": blind, "steps": steps}
    models = {rate: trained(TUNING, **plan, rate=rate) for rate in RATES}
    return {rate: round(found_by(model, development(sentences)), 4) for rate, model in models.items()}


def run(seed: int, name: str, sentences: int, blind: bool, steps: int) -> dict:
    """Train one reader at its best rate, and mark it."""
    drawn, tuning = draw(sentences), tuned(name, sentences, blind, steps)
    rate = max(tuning, key=tuning.__getitem__)
    began = time.process_time()
    model = trained(seed, name, sentences, blind, steps, rate)
    row = {
        "name": name,
        "sentences": sentences,
        "blind": blind,
        "seed": seed,
        "rate": rate,
        "tuning": {str(each): f1 for each, f1 in tuning.items()},
        "parameters": count_parameters(model) - count_parameters(model.encoder),
        "cpu_seconds": round(time.process_time() - began, 1),
    }
    for where in ("test", "deeper"):
        examples = drawn[where]
        row[where] = round(found_by(model, examples), 4)
        if name != "links":
            row[f"{where}_recall"] = recall_by_height(model.read(examples), examples)
            continue
        gold, answers = [set(sentence.relations) for sentence in examples], model.read(examples)
        row[f"{where}_spans"] = round(f1_score([spans for spans, _, _ in answers], [set(s.spans) for s in examples]), 4)
        alone = [link(spans, lasts) for spans, _, lasts in answers]
        row[f"{where}_last_only"] = round(f1_score(alone, gold), 4)
    return row


def summary(results: list[dict], options) -> dict:
    """All rows, and what is possible."""
    drawn = draw(options.sentences)
    return {
        "drawn": {name: len(examples) for name, examples in drawn.items()},
        "longest": max(len(sentence.words) for sentence in drawn["train"]),
        "seeds": list(range(options.seeds)),
        "measured": MEASURED,
        "ceilings": {where: ceilings(drawn[where], drawn["train"]) for where in ("test", "deeper")},
        "rows": results,
    }
