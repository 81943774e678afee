"""BLEU against sacrebleu and by hand, d2l's variant against d2l, bands, and the alignment error rate."""

import math
import re
import sys
from types import SimpleNamespace

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from attnbook.interop import load_d2l
from attnbook.translation import (
    alignment_error_rate,
    bleu,
    bootstrap_band,
    brevity_penalty,
    chrf,
    closest_length,
    d2l_bleu,
    hard_alignment,
    matched_ngrams,
    metrics,
    named_bleu,
    ngram_precision,
    ngrams,
    sentence_bleu,
)
from tensors import says

SIX = "the cat is on the mat"
THERE = "there is a cat on the mat"

# few words, so that n-grams repeat and match by chance
sentences = st.lists(st.sampled_from(["a", "b", "c", "d", "A", "."]), max_size=9).map(" ".join)
# a sentence and a near copy of it: long matches, and scores above 0
corpora = st.lists(
    st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3), st.booleans()), min_size=1, max_size=4
).map(
    lambda rows: (
        [hypothesis for hypothesis, _, _ in rows],
        [[hypothesis + " a", *refs] if near else refs for hypothesis, refs, near in rows],
    )
)


def sacrebleu_of(hypotheses, references, max_n=4, tokenize="none"):
    most = max(map(len, references))
    streams = [[refs[i] if i < len(refs) else None for refs in references] for i in range(most)]
    judge = BLEU(tokenize=tokenize, smooth_method="none", force=True, max_ngram_order=max_n)
    return judge.corpus_score(hypotheses, streams)


# --- its tokens and their names -----------------------------------------------------------------------------

WRITTEN = {
    "13a": [
        ("it's 7:45 now , at 3.14 o'clock .", ["it's 7:45 now , or 3.15 o'clock .", "it's 7:45 or later now ."]),
        ("est-il là , l'homme aux 2-3 chats & aux chiens ?", ["est-il là , l'homme aux 2-3 chats & aux souris ?"]),
        ("das ist ein hund .", ["das ist kein hund ."]),
    ],
    "by characters": [
        ("我 们 有 3.5 本 dvd ， 他 说 ： “ 走 吧 ！ ”", ["我 们 有 3.5 本 dvd ， 他 说 ： “ 走 ！ ”", "走 吧 。"]),
        ("今 天 7:45 我 们 在 那 儿 看 书 。", ["今 天 7:45 我 们 在 这 儿 看 书 。"]),
    ],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_named_score_is_sacrebleus(name):
    hypotheses, references = zip(*WRITTEN[name], strict=True)
    score, found = named_bleu(hypotheses, references)
    assert found == name
    theirs = sacrebleu_of(hypotheses, references, tokenize={"by characters": "zh"}.get(name, name))
    assert score == pytest.approx(theirs.score, rel=1e-12) and 20 < score < 99
    assert score != pytest.approx(bleu(hypotheses, references), abs=0.1)  # 13a cuts 7:45


def test_japanese_is_scored_on_words_where_they_can_be_told(monkeypatch):
    hypotheses, references = ["私 は 本 が 好 き で す 。"] * 2, [["私 は 猫 が 好 き で す 。"]] * 2
    monkeypatch.setattr(metrics, "find_spec", lambda name: None)
    by_characters, name = named_bleu(hypotheses, references)
    assert name == "by characters" and by_characters == pytest.approx(bleu(hypotheses, references))
    monkeypatch.setattr(metrics, "find_spec", lambda name: name)
    tagger = SimpleNamespace(
        parse=lambda text: re.sub("(好き|です|は|が)", r" \1 ", text),
        dictionary_info=lambda: SimpleNamespace(size=392126, next=None),
        version=lambda: "a toy",
    )
    monkeypatch.setitem(sys.modules, "ipadic", SimpleNamespace(MECAB_ARGS=""))
    monkeypatch.setitem(sys.modules, "MeCab", SimpleNamespace(Tagger=lambda options: tagger))
    by_words, name = named_bleu(hypotheses, references)
    assert name == "ja-mecab"
    words = "私 は 本 が 好き です 。", "私 は 猫 が 好き です 。"
    assert by_words == pytest.approx(bleu(words[:1], [words[1:]])) and by_words < by_characters


def test_an_unknown_word_counts_as_one():
    with_unknown, one = ["das <unk> ist rot und groß ."], [["das auto ist rot und groß ."]]
    assert named_bleu(with_unknown, one)[0] == pytest.approx(bleu(with_unknown, one))


def test_a_chinese_text_with_an_english_word_is_still_chinese():
    assert named_bleu(["the cat sat down ."], [["我 们 走 吧 。"]])[1] == "by characters"
    assert named_bleu(["我 们 走 吧 。"], [["say 吧 to them ."]])[1] == "13a"


# --- n-grams ------------------------------------------------------------------------------------------------


def test_ngrams_by_hand():
    tokens = ["the", "cat", "the", "cat"]
    assert ngrams(tokens, 1) == {("the",): 2, ("cat",): 2}
    assert ngrams(tokens, 2) == {("the", "cat"): 2, ("cat", "the"): 1}
    assert ngrams(tokens, 4) == {tuple(tokens): 1}
    assert ngrams(tokens, 5) == {} and ngrams([], 1) == {}


def test_clipping_as_in_the_paper():
    """Papineni's example: seven times "the" earn two, once the references have it twice and once."""
    assert matched_ngrams("the the the the the the the", [SIX, THERE], 1) == (2, 7)
    assert matched_ngrams("the the the", [THERE], 1) == (1, 3)
    # the maximum over references, not their sum: "on the mat" stands once in each
    assert matched_ngrams("on the mat on the mat", [SIX, THERE], 3) == (1, 4)
    assert matched_ngrams("", [SIX], 1) == (0, 0)


def test_precision_sums_counts_before_dividing():
    # 1 of 1 and 0 of 3: 1/4, where a mean over sentences would be 1/2
    assert ngram_precision(["a", "x y z"], [["a"], ["a"]], 1) == 0.25
    assert ngram_precision(["a", "a b"], [["a"], ["a b"]], 2) == 1
    assert ngram_precision(["a"], [["a"]], 2) == 0


@pytest.mark.parametrize(
    ("c", "r", "expected"),
    [(5, 5, 1), (6, 5, 1), (4, 5, math.exp(-0.25)), (0, 5, 0), (0, 0, 1), (1, 11, math.exp(-10))],
)
def test_brevity_penalty(c, r, expected):
    assert brevity_penalty(c, r) == pytest.approx(expected)


def test_the_closest_reference_and_ties_to_the_shorter():
    assert closest_length(5, [3, 9, 6]) == 6
    assert closest_length(5, [7, 3]) == 3 and closest_length(5, [3, 7]) == 3
    # a tie decides the penalty: r = 1, so two tokens are not too few
    assert bleu(["a b"], [["a b c", "a"]], max_n=1) == pytest.approx(100)


# --- BLEU ---------------------------------------------------------------------------------------------------


def test_bleu_by_hand():
    hypothesis, reference = "the cat sat on the mat", "the cat is on the mat"
    # 5 of 6 words, 3 of 5 pairs, 1 of 4 triples; no run of four
    expected = 100 * (5 / 6 * 3 / 5 * 1 / 4) ** (1 / 3)
    assert bleu([hypothesis], [[reference]], max_n=3) == pytest.approx(expected)
    assert bleu([hypothesis], [[reference]]) == 0
    shorter = "the cat is on"
    assert bleu([shorter], [[reference]]) == pytest.approx(100 * math.exp(1 - 6 / 4))
    assert sentence_bleu(shorter, [reference]) == bleu([shorter], [[reference]])
    assert sentence_bleu(shorter, [reference, shorter], 2) == pytest.approx(100)


@settings(max_examples=500, deadline=None)
@given(corpora, st.integers(1, 4))
def test_bleu_and_its_parts_are_sacrebleus(corpus, max_n):
    theirs = sacrebleu_of(*corpus, max_n)
    assert bleu(*corpus, max_n=max_n) == pytest.approx(theirs.score, abs=1e-9)
    assert brevity_penalty(theirs.sys_len, theirs.ref_len) == theirs.bp
    if any(theirs.counts):  # without a single match sacrebleu leaves them 0
        assert [100 * ngram_precision(*corpus, n) for n in range(1, max_n + 1)] == pytest.approx(
            theirs.precisions, abs=1e-9
        )


def test_the_comparison_with_sacrebleu_reaches_every_kind_of_score():
    """What hypothesis could miss by bad luck: no match, no tokens, no long match, several references, a penalty."""
    long = "a b c d a b"
    cases = [
        (["x"], [[long]]),
        ([""], [[long]]),
        (["", long], [[long], [long]]),
        (["a b"], [["a b"]]),
        ([long, long], [[long + " a", "b " + long], ["c", long]]),
        (["a b c d"], [[long]]),
        (["a\u00a0b c d e"], [["a b c d e"]]),
    ]
    scores = [bleu(*case) for case in cases]
    assert scores == pytest.approx([sacrebleu_of(*case).score for case in cases])
    assert scores[:2] == [0, 0] and scores[3] == 0
    assert 0 < scores[2] < 100 and 0 < scores[5] < 100


@settings(max_examples=50, deadline=None)
@given(corpora)
def test_bleu_keeps_within_its_bounds_and_likes_copies(corpus):
    hypotheses, references = corpus
    assert 0 <= bleu(hypotheses, references) <= 100 + 1e-9
    assume(any(len(h.split()) >= 4 for h in hypotheses))
    copies = [[*refs, h] for h, refs in zip(hypotheses, references, strict=True)]
    assert bleu(hypotheses, copies) == pytest.approx(100)


# --- d2l's variant --------------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(sentences.filter(bool), sentences.filter(bool), st.integers(1, 5))
def test_d2ls_score_is_d2ls(prediction, label, k):
    expected = load_d2l().bleu(prediction, label, k)
    assert d2l_bleu(prediction, label, k) == pytest.approx(expected, abs=1e-12)


def test_d2ls_score_is_not_bleu():
    # p_1 = 3/4, p_2 = 1/3
    prediction, label = "a b x c", "a b c d"
    assert d2l_bleu(prediction, label) == pytest.approx((3 / 4) ** 0.5 * (1 / 3) ** 0.25)
    assert sentence_bleu(prediction, [label], 2) == pytest.approx(100 * (3 / 4 * 1 / 3) ** 0.5)
    # shorter than k: judged by its single word
    assert d2l_bleu("a", "a", k=2) == 1 and sentence_bleu("a", ["a"], 2) == 0
    assert d2l_bleu("", "a b") == 0


# --- chrF and the band ------------------------------------------------------------------------------------------


def test_chrf_is_sacrebleus_and_takes_references_by_sentence():
    hypotheses = ["il est calme .", "j'ai perdu ."]
    references = [["il est tranquille .", "il est calme !"], ["j'ai tout perdu ."]]
    streams = [[refs[0] for refs in references], ["il est calme !", references[1][0]]]
    expected = CHRF().corpus_score(hypotheses, streams).score
    assert chrf(hypotheses, references) == pytest.approx(expected)
    assert chrf(hypotheses, [[h] for h in hypotheses]) == pytest.approx(100)
    assert 0 < chrf(["calmes"], [["calme"]]) < 100 and bleu(["calmes"], [["calme"]]) == 0


def half_right(num=40):
    right = ["a b c d e"] * (num // 2)
    return right + ["a b c d x"] * (num // 2), [["a b c d e"]] * num


def test_the_band_holds_the_score_and_narrows_with_more_sentences():
    def width(num):
        low, high = bootstrap_band(*half_right(num))
        assert low < bleu(*half_right(num)) < high
        return high - low

    # four times the sentences: half the width, within what 200 draws tell
    assert 1.4 < width(40) / width(160) < 2.8


def test_the_band_is_seeded_and_takes_any_metric():
    corpus = half_right()
    assert bootstrap_band(*corpus) == bootstrap_band(*corpus, seed=0)
    assert bootstrap_band(*corpus) != bootstrap_band(*corpus, seed=1)

    def slow(hypotheses, references):
        return bleu(hypotheses, references)

    # the short cut for BLEU draws the same sentences and finds the same scores
    assert bootstrap_band(*corpus) == pytest.approx(bootstrap_band(*corpus, slow))
    low, high = bootstrap_band(*corpus, chrf, resamples=20)
    assert 0 < low < chrf(*corpus) < high < 100
    narrow, wide = (bootstrap_band(*corpus, level=p) for p in (0.5, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    assert bootstrap_band(["a b c d"], [["a b c d"]]) == pytest.approx((100, 100))


def test_the_band_covers_as_often_as_it_says():
    """95 % bands of the mean of coin flips hold the coin's 1/2 in about 95 of 100 cases (normal theory)."""

    def share(hypotheses, references):
        return sum(h == "1" for h in hypotheses) / len(hypotheses)

    generator = torch.Generator().manual_seed(0)
    held = 0
    for _ in range(100):
        flips = torch.randint(2, (60,), generator=generator).tolist()
        low, high = bootstrap_band([str(f) for f in flips], [["1"]] * 60, share)
        held += low <= 0.5 <= high
    assert 86 <= held <= 100


# --- alignments ---------------------------------------------------------------------------------------------------


def test_hard_alignment_takes_the_largest_weight_of_each_target():
    weights = torch.tensor([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])  # (T=2, S=3)
    assert hard_alignment(weights) == {(0, 0), (2, 1)}
    assert hard_alignment(weights, threshold=0.5) == {(0, 0)}
    assert hard_alignment(torch.full((1, 4), 0.25)) == {(0, 0)}
    assert hard_alignment(torch.zeros(0, 4)) == set()
    assert hard_alignment(weights.half().requires_grad_()) == {(0, 0), (2, 1)}


def test_alignment_error_rate_by_hand():
    sure, possible = {(0, 0), (1, 2)}, {(0, 0), (1, 2), (2, 2)}
    assert alignment_error_rate(sure, sure) == 0
    assert alignment_error_rate({(9, 9)}, sure) == 1
    # one right, one wrong: |A∩S| = |A∩P| = 1, |A| = |S| = 2
    assert alignment_error_rate({(0, 0), (5, 5)}, sure) == 0.5
    # a possible link costs nothing; a sure link missed does: 1 − (1 + 2) / (2 + 2)
    assert alignment_error_rate(possible, sure, possible) == 0
    assert alignment_error_rate({(0, 0), (2, 2)}, sure, possible) == 0.25
    # sure links are possible even if the caller did not repeat them
    assert alignment_error_rate(possible, sure, {(2, 2)}) == 0
    assert alignment_error_rate(set(), sure) == 1


links = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)


@given(links, links, links)
def test_alignment_error_rate_is_one_minus_f1_and_falls_with_more_possible(a, s, more):
    assume(a and s)
    precision, recall = len(a & s) / len(a), len(a & s) / len(s)
    f1 = 2 * precision * recall / (precision + recall) if a & s else 0
    rate = alignment_error_rate(a, s)
    assert rate == pytest.approx(1 - f1)
    assert 0 <= alignment_error_rate(a, s, s | more) <= rate


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ngrams("abc", 1), TypeError, ("got a string", "split it")),
        (lambda: ngrams(["a"], 0), ValueError, ("n must be at least 1",)),
        (lambda: matched_ngrams("a", "a", 1), TypeError, ("wrap a single one",)),
        (lambda: matched_ngrams("a", [], 1), ValueError, ("no reference",)),
        (lambda: closest_length(3, []), ValueError, ("no reference",)),
        (lambda: brevity_penalty(-1, 2), ValueError, ("hypothesis_length", "-1")),
        (lambda: brevity_penalty(1.5, 2), TypeError, ("must be an integer",)),
        (lambda: bleu("a b", [["a b"]]), TypeError, ("must be lists", "[sentence]")),
        (lambda: bleu(["a"], ["a"]), TypeError, ("sentence 0", "[reference]")),
        (lambda: bleu(["a", "b"], [["a", "b"]]), ValueError, ("2 hypotheses and 1",)),
        (lambda: bleu([], []), ValueError, ("no sentence to score",)),
        (lambda: bleu(["a", "b"], [["a"], []]), ValueError, ("sentence 1 has no",)),
        (lambda: bleu([["a"]], [["a"]]), TypeError, ("hypothesis 0", "list", "join")),
        (lambda: bleu(["a"], [["a"]], 0), ValueError, ("max_n must be at least 1",)),
        (lambda: ngram_precision(["a"], [["a"]], 0), ValueError, ("n must be",)),
        (lambda: d2l_bleu(["a"], "a"), TypeError, ("hypothesis 0", "list")),
        (lambda: d2l_bleu("a", " "), ValueError, ("label is empty",)),
        (lambda: d2l_bleu("a", "a", k=0), ValueError, ("k must be at least 1",)),
        (lambda: chrf([], []), ValueError, ("no sentence to score",)),
        (lambda: bootstrap_band(["a"], [["a"]], resamples=0), ValueError, ("resamples must be at least 1",)),
        (lambda: bootstrap_band(["a"], [["a"]], level=95), ValueError, ("level must be between 0 and 1", "95")),
        (lambda: hard_alignment([[1.0]]), TypeError, ("weights", "torch.Tensor")),
        (lambda: hard_alignment(torch.ones(2, 3, 4)), ValueError, ("2 axes",)),
        (lambda: hard_alignment(torch.ones(2, 0)), ValueError, ("no source token",)),
        (lambda: hard_alignment(torch.tensor([[torch.nan]])), ValueError, ("NaN",)),
        (lambda: alignment_error_rate([(0, 0)], set()), TypeError, ("set(predicted)",)),
        (lambda: alignment_error_rate(set(), set()), ValueError, ("0/0",)),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
