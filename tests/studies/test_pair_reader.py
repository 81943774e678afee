"""Readers: padding changes nothing, the labels they are taught are the ones they can spell, and they learn."""

import pytest
import torch

from attnbook.pairs import binary_loss, f1_score, span_mask
from attnbook.studies import (
    SCORERS,
    TAGGERS,
    LinkReader,
    SpanReader,
    TagReader,
    fit_pairs,
    link,
    nested_ids,
    nested_sentences,
    span_f1,
)
from tensors import close

SOME = nested_sentences(40, seed=3)


@pytest.mark.parametrize("scorer", SCORERS)
def test_padding_changes_no_score(scorer):
    torch.manual_seed(0)
    model = SpanReader(scorer).eval()
    ids, lengths = nested_ids(SOME[:5])
    together = model(ids, lengths)
    for row, one in zip(together, SOME, strict=False):
        alone = model(*nested_ids([one]))[0]
        n = len(one.words)
        close(row[:, :n, :n], alone, 1e-4)


@pytest.mark.parametrize("kind", TAGGERS)
def test_what_a_tagger_is_taught_it_can_spell(kind, monkeypatch):
    model = TagReader(kind, SOME)
    _, _, numbers = model.batch(SOME)

    def perfect(self, ids, lengths):
        sizes = [len(names) for names in self.names]
        return [
            torch.nn.functional.one_hot(row.clamp(min=0), size).float()
            for row, size in zip(numbers, sizes, strict=True)
        ]

    monkeypatch.setattr(TagReader, "forward", perfect)
    found, gold = model.read(SOME), [set(one.spans) for one in SOME]
    wanted = [set().union(*model.teachable(one)) for one in SOME]
    assert found == wanted
    assert (found == gold) == (kind == "joint labels")


@pytest.mark.parametrize(
    "make",
    [
        lambda: SpanReader(),
        lambda: SpanReader(rotary=False),
        lambda: TagReader("joint labels", SOME),
        lambda: TagReader("joint labels", SOME, hidden=70),
    ],
)
def test_readers_learn_a_few_sentences_by_heart(make):
    torch.manual_seed(0)
    model = make()
    before = span_f1(model, SOME[:8])
    steps = []
    losses = fit_pairs(model, SOME[:8], steps=60, batch=8, watch=steps.append)
    assert steps == list(range(1, 61))
    assert losses[-1] < losses[0] / 5 and span_f1(model, SOME[:8]) > max(before, 0.6)


def test_the_other_loss_is_used():
    torch.manual_seed(0)
    model = SpanReader(loss=binary_loss)
    ids, lengths, target = model.batch(SOME[:5])
    mask = span_mask(lengths, ids.shape[1])
    right = binary_loss(model(ids, lengths), target, mask)
    close(model.loss(ids, lengths, target), right)


def test_links_are_learned_and_read():
    torch.manual_seed(0)
    model = LinkReader()
    fit_pairs(model, SOME[:8], steps=80, batch=8)
    found = [link(spans, lasts, firsts) for spans, firsts, lasts in model.read(SOME[:8])]
    assert f1_score(found, [set(one.relations) for one in SOME[:8]]) > 0.5


def test_an_unknown_tagger_errors():
    with pytest.raises(ValueError, match="kind must be one of"):
        TagReader("two tags", SOME)
