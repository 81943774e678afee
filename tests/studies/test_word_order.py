"""The study of word order: aligners on links that are known, and that the same seed finds the same."""

import pytest
import torch

from attnbook.data import AlignedPair, BilingualGrammar
from attnbook.studies import (
    best_ruler,
    counts_of,
    crossed,
    error_of,
    fit_word_order,
    in_english_order,
    looks_of,
    ruler,
    word_order_data,
    word_order_recipe,
)
from attnbook.translation import prepare


def pair(source: str, target: str, sure: str, possible: str = "") -> AlignedPair:
    """Links as pairs of digits: "00 12"."""
    links = [frozenset((int(a), int(b)) for a, b in some.split()) for some in (sure, possible)]
    return AlignedPair(tuple(source.split()), tuple(target.split()), links[0] | links[1], links[0])


CROSSED = pair("a b c d", "A C D B", "00 21 32 13", "03")


def test_tokens_are_sorted_by_the_words_that_they_come_from():
    sorted_ = in_english_order(CROSSED)
    assert sorted_ == pair("a b c d", "A B C D", "00 11 22 33", "01")
    # tokens of one word stay in order
    assert in_english_order(pair("a b", "X Y Z", "10 01 12")).target == ("Y", "X", "Z")


def test_how_much_the_order_changes():
    assert crossed([CROSSED]) == 2 / 6 and crossed([in_english_order(CROSSED)]) == 0
    assert crossed([pair("a b", "X Y Z", "10 01 12")]) == 1 / 2  # X and Z are one word


def test_the_error_counts_all_tokens_or_those_in_the_middle():
    claims = {(0, 0), (2, 1), (0, 2), (0, 3)}
    # sure: two of four; possible: three of four
    assert error_of(lambda _: claims, [CROSSED]) == pytest.approx(1 - 5 / 8)
    assert error_of(lambda _: claims, [CROSSED], middle=True) == pytest.approx(1 - 2 / 4)
    assert error_of(lambda aligned: aligned.sure, [CROSSED, in_english_order(CROSSED)]) == 0


def test_a_ruler_is_straight_and_ends_where_the_sentence_ends():
    long = pair("a b c d e", "A B C", "00 21 42")
    assert ruler()(long) == {(0, 0), (2, 1), (4, 2)}
    assert ruler(0.5, 1)(long) == {(1, 0), (2, 1), (3, 2)}
    assert ruler(1, 2)(long) == {(2, 0), (4, 1), (4, 2)}
    late = pair("a b c d e", "A B C", "10 31 42")
    assert error_of(best_ruler([late, late]), [late]) < error_of(ruler(), [late])


def test_counts_find_words_wherever_they_stand():
    texts = "a b|B A", "b c|C B", "a c|A C", "c d|D C", "d|D"
    sentences = [pair(*text.split("|"), "00") for text in texts]
    assert counts_of(sentences)(sentences[0]) == {(1, 0), (0, 1)}
    assert counts_of(sentences)(sentences[3]) == {(1, 0), (0, 1)}
    assert counts_of(sentences)(pair("a z", "A new", "00")) == {(0, 0), (0, 1)}


def test_no_tested_sentence_is_trained_on_and_the_english_is_that_of_all_targets():
    found = {target: word_order_data(target, 0, (4, 9), 300, 10) for target in ("french", "chinese", "reordered")}
    english = {target: [a.source for a in train] for target, (train, _) in found.items()}
    assert english["french"] == english["chinese"] == english["reordered"]
    train, tests = found["chinese"]
    assert {n: len(some) for n, some in tests.items()} == {4: 10, 9: 10}
    assert not {a.source for a in train} & {a.source for some in tests.values() for a in some}
    assert {len(a.source) for a in train} == {4, 5, 6, 7, 8, 9}
    reordered = found["reordered"][0]
    assert crossed(reordered) == 0 < crossed(train)
    assert [sorted(a.target) for a in reordered] == [sorted(a.target) for a in train]


def test_words_in_random_order_are_looked_at_where_they_are():
    sentences = BilingualGrammar(0).sample(5, 6, 8)
    translator, _ = prepare(word_order_recipe(), [a.pair for a in sentences], 0)
    for aligned in sentences:
        for aligner in (looks_of(translator), looks_of(translator, shuffled=1)):
            links = aligner(aligned)
            assert [j for _, j in sorted(links, key=lambda link: link[1])] == list(range(len(aligned.target)))
            assert {i for i, _ in links} <= set(range(len(aligned.source)))
    # a model that looks at one word whatever its place
    word = sentences[0].source[2]
    number = translator.source_vocab.encode(word)[0]

    class Reader:
        def align(self, source, target, **rest):
            at = source.split().index(word)
            weights = torch.zeros(len(target.split()) + 1, len(source.split()) + 1)
            weights[:, at] = 1
            return source.split(), target.split(), weights

    assert number >= 4
    links = looks_of(Reader(), shuffled=3)(sentences[0])
    assert {sentences[0].source[i] for i, _ in links} == {word}


def test_the_same_seed_finds_the_same():
    train, tests = word_order_data("chinese", 0, (5,), 200, 3)

    def found():
        recipe = word_order_recipe(embed_size=4, hidden_size=4)
        look = lambda translator: {"error": error_of(looks_of(translator), tests[5])}  # noqa: E731
        return fit_word_order(recipe, train, 0, (2, 4), look)[1]

    first = found()
    assert [moment["steps"] for moment in first] == [2, 4]
    assert first == found() and set(first[0]) == {"steps", "loss", "error"}
