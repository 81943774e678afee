"""Readers of topics: sentences with one loudest word, distances of distributions, and adversaries that obey."""

import json
import math
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from attnbook.studies import TopicReader, adversarial_weights, fit_topics, jensen_shannon, topic_rows, total_variation
from tensors import generator

STORED = Path(__file__).resolve().parents[2] / "chapters" / "results" / "explanations.json"


def test_the_loudest_word_has_the_topic():
    ids, topic, place = topic_rows(300, generator())
    assert ids.shape == (300, 12) and set(topic.tolist()) == {0, 1, 2, 3}
    for row, wanted, at in zip(ids.tolist(), topic.tolist(), place.tolist(), strict=True):  # fmt: skip
        words = [(word % 4, word // 4) for word in row if word < 16]  # loudness, topic
        assert len(words) == 7 and max(row) < 24
        assert (row[at] % 4, row[at] // 4) == max(words)
        loudest = [t for loud, t in words if loud == max(words)[0]]
        assert loudest == [wanted] and row[at] // 4 == wanted
    assert len(set(place.tolist())) == 12


@pytest.mark.parametrize("context", [False, True])
def test_an_answer_is_an_average_with_the_weights(context):
    torch.manual_seed(0)
    model = TopicReader(context)
    ids, *_ = topic_rows(5, generator())
    values, weights = model.read(ids)
    assert values.shape == (5, 12, 16) and weights.shape == (5, 12)
    terms = [weights[:, t, None] * values[:, t] for t in range(12)]
    pooled = torch.stack(terms).sum(0)
    assert_close(model(ids), model.out(pooled).log_softmax(-1))
    assert_close(weights.sum(-1), torch.ones(5))
    assert weights.std() > 1e-4
    even = TopicReader(context, uniform=True)
    assert_close(even.read(ids)[1], torch.full((5, 12), 1 / 12))
    alone = values[:, 0] - TopicReader.read(model, ids.roll(1, 1))[0][:, 1]
    assert (alone.abs().max() > 1e-4) == context  # a state has read its neighbours


def test_divergences_by_hand():
    p, q = torch.tensor([0.5, 0.5, 0]), torch.tensor([0, 0.5, 0.5])
    middle = torch.tensor([0.25, 0.5, 0.25])
    kl = (0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.5)) * 2
    assert jensen_shannon(p, q).item() == pytest.approx(kl / 2)
    assert jensen_shannon(p, p).item() == 0
    apart = torch.eye(3)
    assert jensen_shannon(apart[0], apart[1]).item() == pytest.approx(math.log(2))
    assert total_variation(p, q).item() == 0.5
    assert total_variation(p, middle).item() == 0.25


def test_an_adversary_keeps_the_answer():
    torch.manual_seed(0)
    values = torch.randn(7, 11, 3)
    weights = torch.randn(7, 11).softmax(-1)

    def answer(w):
        return (w[..., None] * values).sum(1).log_softmax(-1)

    found = adversarial_weights(answer, weights, steps=100)
    assert_close(found.sum(-1), torch.ones(7))
    moved = total_variation(answer(weights).exp(), answer(found).exp())
    assert moved.max() <= 0.01
    far = jensen_shannon(weights, found)
    assert far.median() > 0.2
    shorter = adversarial_weights(answer, weights, steps=20)
    assert (far >= jensen_shannon(weights, shorter) - 1e-6).all()


def test_an_adversary_that_finds_nothing_gives_the_weights_back():
    weights = torch.tensor([[0.5, 0.5]])
    found = adversarial_weights(lambda w: (1000 * w).log_softmax(-1), weights, steps=3)
    assert_close(found, weights)


def test_readers_learn():
    model = fit_topics(False, steps=150)
    ids, topic, _ = topic_rows(300, generator(5))
    assert (model(ids).argmax(-1) == topic).float().mean() > 0.75 and not model.training


def test_all_readers_are_stored():
    rows = json.loads(STORED.read_text("utf-8"))["rows"]
    found = [(row["context"], row["steps"], row["seed"]) for row in rows]
    plans = (False, 600), (True, 600), (False, 2400)
    assert found == [(*plan, seed) for plan in plans for seed in range(3)]
