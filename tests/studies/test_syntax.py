"""Sentences of known structure, and how heads and rules are asked about them."""

import math

import pytest
import torch

from attnbook.data import SYNTAX, ParsedSentence, parsed_sentences
from attnbook.studies import (
    Question,
    by_nearest,
    by_offset,
    holm,
    most_attended,
    sign_test,
    syntax_questions,
    untrained_bert,
)
from attnbook.transformer import BertConfig

SENTENCE = ParsedSentence(
    ("the", "old", "king", "who", "sleeps", "sold", "it", "."),
    "DANWVVN.",
    (
        ("adjective → noun", 1, 2),
        ("determiner → noun", 0, 2),
        ("object → verb", 6, 5),
        ("subject → verb", 2, 5),
        ("verb → noun", 4, 2),
        ("who → noun", 3, 2),
    ),
)
SMALL = BertConfig(vocab_size=50, d_model=24, num_heads=3, d_ff=7, num_layers=2, max_positions=20)


def test_sentences_are_distinct_and_come_by_seed():
    some = parsed_sentences(200, 6, 12, seed=3)
    assert some == parsed_sentences(200, 6, 12, seed=3) != parsed_sentences(200, 6, 12, seed=4)
    assert len({sentence.words for sentence in some}) == 200
    assert {len(sentence.words) for sentence in some} == set(range(6, 13))
    with pytest.raises(ValueError, match="at most 40"):
        parsed_sentences(1, 6, 41)


def test_links_join_words_of_the_right_kinds():
    ends = {
        "determiner → noun": "DN", "adjective → noun": "AN", "noun → preposition": "NP", "subject → verb": "NV",
        "object → verb": "NV", "who → noun": "WN", "verb → noun": "VN", "pronoun → subject": "NN",
    }  # fmt: skip
    seen = set()
    for sentence in parsed_sentences(1500, seed=5):
        assert len(sentence.kinds) == len(sentence.words) and sentence.words[-1] == "."
        for kind, dependent, head in sentence.links:
            assert sentence.kinds[dependent] + sentence.kinds[head] == ends[kind], sentence
            seen.add(kind)
            word = sentence.words[dependent]
            if kind == "who → noun":
                assert word in ("who", "that") and dependent > head
            if kind == "pronoun → subject":
                assert word in ("it", "they") and dependent > head
            if kind == "determiner → noun":
                assert dependent < head
        heads = [dependent for kind, dependent, _ in sentence.links if kind == "subject → verb"]
        assert len(heads) == len(set(heads)), "a word is the subject of one verb"
    assert seen == set(SYNTAX) == set(ends)


def test_questions_go_both_ways():
    asked = syntax_questions([SENTENCE, SENTENCE])
    assert asked["subject → verb", True] == [Question(n, 2, frozenset({5})) for n in (0, 1)]
    assert asked["subject → verb", False] == [Question(n, 5, frozenset({2})) for n in (0, 1)]
    assert asked["pronoun → subject", True] == []
    two = ParsedSentence(("big", "old", "dogs"), "AAN", (("adjective → noun", 0, 2), ("adjective → noun", 1, 2)))
    assert syntax_questions([two])["adjective → noun", False] == [Question(0, 2, frozenset({0, 1}))]


def test_rules_know_no_grammar():
    subject = Question(0, 2, frozenset({5}))
    assert by_offset(subject, 3) and not by_offset(subject, 2)
    assert not by_nearest(subject, SENTENCE.kinds, "V", 1), "the nearest verb is the relative clause's"
    assert by_nearest(Question(0, 6, frozenset({5})), SENTENCE.kinds, "V", -1)
    assert not by_nearest(Question(0, 6, frozenset({5})), SENTENCE.kinds, "V", 1), "there is none"


def test_a_head_answers_with_the_other_word_of_its_largest_weight():
    model = untrained_bert(SMALL, seed=1)
    with torch.no_grad():
        for part in model.parameters():
            part.mul_(5)  # so that weights differ
    ids = torch.randint(50, (5, 9), generator=torch.Generator().manual_seed(0))
    answers = most_attended(model, ids)
    weights = torch.stack(model(ids, need_weights=True)[1], 1)  # (B, L, H, T, T)
    assert answers.shape == (5, 6, 7)
    for b, head, at in ((0, 0, 0), (4, 5, 6), (2, 3, 1)):
        row = weights[b].flatten(0, 1)[head, at + 1, 1:-1].clone()
        row[at] = -1
        assert answers[b, head, at] == row.argmax()


def test_an_untrained_bert_comes_by_seed_and_attends_evenly():
    ids = torch.arange(10)[None]
    one, again, other = (untrained_bert(SMALL, seed)(ids, need_weights=True) for seed in (1, 1, 2))
    assert torch.equal(one[0], again[0]) and not torch.allclose(one[0], other[0])
    assert all((w - 0.1).abs().max() < 0.02 for w in one[1])


def test_the_sign_test_counts_tosses():
    assert sign_test(0, 0) == 1
    assert sign_test(3, 0) == pytest.approx(1 / 8)
    assert sign_test(2, 1) == pytest.approx(1 / 2)
    assert sign_test(60, 40) == pytest.approx(sum(math.comb(100, k) for k in range(60, 101)) / 2**100)


def test_holm_stops_at_the_first_that_fails():
    assert holm([0.01, 0.04, 0.03, 0.005]) == [True, False, False, True]
    assert holm([0.04]) == [True] and holm([]) == []
    assert holm([0.03, 0.03]) == [False, False], "one by one, both would pass"
