"""How good is a translation? BLEU step by step, its tokens and their names, and chrF."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
from sacrebleu.metrics import BLEU, CHRF

from attnbook.checks import check_count
from attnbook.text import SPECIALS, UNK, is_spaced, marked

KANA = re.compile("[\u3041-\u30ff]")
# what sacrebleu calls the tokens of our scores
SACREBLEU = {"13a": "13a", "by characters": "zh", "ja-mecab": "ja-mecab"}


def ngrams(tokens: Sequence[str], n: int) -> Counter:
    """Count the runs of n tokens.

    Args:
        tokens: a sentence, split.
        n: the length of a run, at least 1.

    Returns:
        A Counter from tuples of n tokens to how often each occurs in the sentence; empty if it is too short.

    Raises:
        TypeError: `tokens` is a string, or `n` is not an integer.
        ValueError: `n` is below 1.
    """
    if isinstance(tokens, str):
        raise TypeError(
            "tokens must be a list of tokens, got a string, which would be counted letter by letter; split it first"
        )
    check_count("n", n)
    tokens = tuple(tokens)
    return Counter(tokens[i : i + n] for i in range(len(tokens) - n + 1))


def matched_ngrams(
    hypothesis: str, references: Sequence[str], n: int
) -> tuple[int, int]:
    """Count a hypothesis's n-grams, and how many of them the references match.

    An n-gram matches at most as often as it occurs in the single reference that has it most often ("clipping"):
    writing *the* seven times earns no more than the two of the references.

    Args:
        hypothesis: the translation to judge, tokens separated by spaces.
        references: translations by people, at least one.
        n: the length of the runs of tokens.

    Returns:
        (matches, total): total is max(0, number of tokens − n + 1).

    Raises:
        TypeError: the hypothesis is not a string, or the references are not a list of strings.
        ValueError: no reference, or `n` below 1.

    Source:
        Papineni et al. (2002), section 2.1.1: Count_clip = min(Count, Max_Ref_Count).
    """
    check_corpus([hypothesis], [references])
    counts = ngrams(hypothesis.split(), n)
    granted: Counter = Counter()
    for reference in references:
        granted |= ngrams(reference.split(), n)  # the maximum of the two counts
    return (counts & granted).total(), counts.total()


def closest_length(length: int, reference_lengths: Sequence[int]) -> int:
    """The reference length closest to the hypothesis's; of two equally close ones, the shorter.

    Args:
        length: the hypothesis's number of tokens.
        reference_lengths: the references' numbers of tokens.

    Returns:
        One of `reference_lengths`.

    Raises:
        ValueError: no reference.

    Source:
        Papineni et al. (2002), section 2.2.2, "best match length"; the tie as in sacrebleu.
    """
    if not reference_lengths:
        raise ValueError("there is no reference; pass at least one for each hypothesis")
    return min(reference_lengths, key=lambda r: (abs(r - length), r))


def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    """The factor that penalises translations that are too short: 1 if c ≥ r, else exp(1 − r/c).

    Args:
        hypothesis_length: c, the tokens of all hypotheses together.
        reference_length: r, the tokens of the closest references together.

    Returns:
        A number in 0…1; 0 for nothing at all (c = 0 < r).

    Raises:
        TypeError: a length is not an integer.
        ValueError: a length is negative.

    Source:
        Papineni et al. (2002), section 2.3, BP with c and r.
    """
    check_count("hypothesis_length", hypothesis_length, at_least=0)
    check_count("reference_length", reference_length, at_least=0)
    if hypothesis_length >= reference_length:
        return 1.0
    if hypothesis_length == 0:
        return 0.0
    return math.exp(1 - reference_length / hypothesis_length)


def ngram_precision(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], n: int
) -> float:
    """The fraction of all hypotheses' n-grams that match their references, over a whole corpus.

    The counts are summed before they are divided, so a long sentence weighs more than a short one.

    Args:
        hypotheses: translations, tokens separated by spaces.
        references: for each hypothesis the list of its references.
        n: the length of the runs of tokens.

    Returns:
        p_n in 0…1; 0 where no hypothesis is n tokens long.

    Raises:
        TypeError: not lists of strings.
        ValueError: no sentence, a hypothesis without reference, lists of two lengths, or `n` below 1.

    Source:
        Papineni et al. (2002), section 2.1.1, p_n.
    """
    check_corpus(hypotheses, references)
    pairs = [
        matched_ngrams(hypothesis, refs, n)
        for hypothesis, refs in zip(hypotheses, references, strict=True)
    ]
    total = sum(total for _, total in pairs)
    return sum(matches for matches, _ in pairs) / total if total else 0.0


def bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], max_n: int = 4
) -> float:
    """Corpus BLEU: the geometric mean of the n-gram precisions times the brevity penalty, in 0–100.

    If there is no match for some n, the mean, and so the score, is 0: nothing is smoothed. Tokens are separated by
    spaces, and case counts; scores with other tokens are not comparable. It equals sacrebleu with
    `BLEU(tokenize="none", smooth_method="none")`.

    Args:
        hypotheses: translations, tokens separated by spaces.
        references: for each hypothesis the list of its references.
        max_n: the longest n-grams that count.

    Returns:
        BLEU, 0 to 100.

    Raises:
        TypeError: not lists of strings.
        ValueError: no sentence, a hypothesis without reference, lists of two lengths, or `max_n` below 1.

    Source:
        Papineni et al. (2002), section 2.3: BLEU = BP · exp(Σ_n w_n log p_n) with w_n = 1/N, N = max_n.
    """
    return bleu_of(bleu_counts(hypotheses, references, max_n).sum(axis=0))


def named_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[float, str]:
    """Corpus BLEU on tokens that others use as well, and the name of these tokens: no score means anything without it.

    Args:
        hypotheses: translations, normalised.
        references: for each hypothesis the list of its references, normalised.

    Returns:
        BLEU, 0 to 100, to the last digit sacrebleu's without smoothing, and "13a"; or, for a language that puts no
        spaces between words, "by characters", sacrebleu's "zh". For Japanese "ja-mecab" if that is installed
        (``pip install "sacrebleu[ja]"``): by characters its scores are some five points higher.

    Raises:
        TypeError, ValueError: as `bleu`.

    Source:
        Post (2018), arXiv:1804.08771.
    """
    check_corpus(hypotheses, references)
    name = tokens_for([ref for refs in references for ref in refs])
    cut = BLEU(tokenize=SACREBLEU[name]).tokenizer

    def tokens(text: str) -> str:
        found = cut(marked(text.split()) if name == "ja-mecab" else text)
        return found.replace("< unk >", SPECIALS[UNK])  # it stands for one word

    score = bleu(
        [tokens(text) for text in hypotheses],
        [[tokens(text) for text in refs] for refs in references],
    )
    return score, name


def tokens_for(texts: Sequence[str]) -> str:
    """The name of the tokens on which translations into the language of these texts are scored; see `named_bleu`."""
    tokens = [token for text in texts for token in text.split()]
    if 2 * sum(map(is_spaced, tokens)) >= len(tokens):
        return "13a"
    japanese = 2 * sum(bool(KANA.search(text)) for text in texts) > len(texts)
    installed = find_spec("MeCab") and find_spec("ipadic")
    return "ja-mecab" if japanese and installed else "by characters"


def sentence_bleu(hypothesis: str, references: Sequence[str], max_n: int = 4) -> float:
    """BLEU of a single sentence, in 0–100: 0 for every sentence without a matching 4-gram, so read it with care.

    Args:
        hypothesis: the translation, tokens separated by spaces.
        references: its references.
        max_n: the longest n-grams that count.

    Returns:
        BLEU, 0 to 100. The mean over sentences is not the corpus's BLEU.

    Raises:
        TypeError: not strings.
        ValueError: no reference, or `max_n` below 1.
    """
    return bleu([hypothesis], [references], max_n)


def d2l_bleu(prediction: str, label: str, k: int = 2) -> float:
    """The score that Dive into Deep Learning calls BLEU: of one sentence, against one reference, in 0–1.

    exp(min(0, 1 − r/c)) · Π p_n^(1/2^n), n = 1 … min(k, c). It differs from `bleu` in four ways. It knows a single
    reference. It is a score of a sentence, usually averaged, where BLEU adds up the counts of a corpus first. Its
    exponents 1/2, 1/4, … do not sum to 1, so they are not the weights of a mean: from p_1 = 3/4 and p_2 = 1/3 it makes
    0.658, where a geometric mean is 0.5. And a prediction shorter than k is judged by the n-grams that it has.

    Args:
        prediction: the translation, tokens separated by spaces.
        label: the reference.
        k: the longest n-grams that count.

    Returns:
        A number in 0…1; 0 for an empty prediction.

    Raises:
        TypeError: not strings, or `k` is not an integer.
        ValueError: an empty label, or `k` below 1.

    Source:
        Zhang et al. (2023), section 10.7.6, `bleu(pred_seq, label_seq, k)`, d2l 1.0.3.
    """
    check_corpus([prediction], [[label]])
    check_count("k", k)
    c, r = len(prediction.split()), len(label.split())
    if r == 0:
        raise ValueError("label is empty: there is nothing to compare with")
    score = brevity_penalty(c, r)
    for n in range(1, min(k, c) + 1):
        matches, total = matched_ngrams(prediction, [label], n)
        score *= (matches / total) ** (0.5**n)
    return score


def chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """chrF2: the F-score of character n-grams up to 6, recall counting twice, in 0–100; kind to near misses.

    Args:
        hypotheses: translations.
        references: for each hypothesis the list of its references; the best one counts.

    Returns:
        chrF2, 0 to 100.

    Raises:
        TypeError: not lists of strings.
        ValueError: no sentence, a hypothesis without reference, or lists of two lengths.

    Source:
        Popović (2015); computed by sacrebleu (Post 2018).
    """
    check_corpus(hypotheses, references)

    # sacrebleu wants streams: first references, second references …; a missing one repeats the first
    most = max(map(len, references))
    streams = [
        [refs[i] if i < len(refs) else refs[0] for refs in references]
        for i in range(most)
    ]
    return CHRF().corpus_score(list(hypotheses), streams).score


def check_corpus(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> None:
    """Require as many lists of references as hypotheses, all of them strings."""
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise TypeError(
            "hypotheses and references must be lists, got a string; wrap a single sentence: [sentence], [[reference]]"
        )
    if len(hypotheses) != len(references):
        raise ValueError(
            f"{len(hypotheses)} hypotheses and {len(references)} lists of references; "
            "each hypothesis needs one list, and the references are grouped by sentence"
        )
    if len(hypotheses) == 0:
        raise ValueError("there is no sentence to score")
    for number, (hypothesis, refs) in enumerate(
        zip(hypotheses, references, strict=True)
    ):
        if not isinstance(hypothesis, str):
            raise TypeError(
                f"hypothesis {number} must be a string, got {type(hypothesis).__name__}; join tokens with spaces"
            )
        if isinstance(refs, str) or not all(isinstance(ref, str) for ref in refs):
            raise TypeError(
                f"the references of sentence {number} must be a list of strings; wrap a single one: [reference]"
            )
        if len(refs) == 0:
            raise ValueError(
                f"sentence {number} has no reference; pass at least one, or leave the sentence out"
            )


def bleu_counts(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], max_n: int
) -> np.ndarray:
    """(sentences, 2 + 2 max_n): c, r, then the matches for n = 1 … max_n, then the totals."""
    check_corpus(hypotheses, references)
    check_count("max_n", max_n)
    rows = []
    for hypothesis, refs in zip(hypotheses, references, strict=True):
        length = len(hypothesis.split())
        closest = closest_length(length, [len(ref.split()) for ref in refs])
        pairs = [matched_ngrams(hypothesis, refs, n) for n in range(1, max_n + 1)]
        matches, totals = zip(*pairs, strict=True)
        rows.append([length, closest, *matches, *totals])
    return np.array(rows)


def bleu_of(counts: np.ndarray) -> float:
    """BLEU from the sums of `bleu_counts`."""
    c, r, *rest = counts.tolist()
    matches, totals = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    if not all(matches):
        return 0.0
    logs = [math.log(m / t) for m, t in zip(matches, totals, strict=True)]
    return 100 * brevity_penalty(c, r) * math.exp(sum(logs) / len(logs))
