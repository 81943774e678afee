"""Exercise bleu: the mistakes that the checker knows by name."""

from __future__ import annotations

import math
from collections import Counter

from ..legacy import Mistake, slip
from .bleu_steps import (
    between_two_lengths,
    far_one_first,
    long,
    nearest,
    ngrams,
    nothing_in_common,
    pipeline,
    precisions,
    said_twice,
    short,
    solution,
    three_lengths,
    too_short,
)


def _first_only(counters):
    return counters[0]


def _added(counters):
    return sum(counters, Counter())


def _smallest(counters):
    granted = counters[0]
    for counter in counters[1:]:
        granted &= counter
    return granted


def _unclipped(counts, granted):
    return Counter({gram: count for gram, count in counts.items() if gram in granted})


def _once(tokens, n):
    return Counter(set(ngrams(tokens, n)))


def _letters(hypothesis, references, max_n):
    return solution(
        " ".join(hypothesis), [" ".join(reference) for reference in references], max_n
    )


def _without_the_last(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n))


def _blocks(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(0, len(tokens) - n + 1, n))


def _recall(matched, counts, granted):
    return matched.total() / granted.total() if granted else 0.0


def _arithmetic(shares):
    return sum(shares) / len(shares)


def _d2l(shares):
    return math.prod(share ** (0.5**n) for n, share in enumerate(shares, 1))


def _zeros_skipped(shares):
    positive = [share for share in shares if share > 0]
    return math.prod(positive) ** (1 / len(positive)) if positive else 0.0


def _added_one(matched, counts, granted):
    return (matched.total() + 1) / (counts.total() + 1)


def _added_one_from_two(hypothesis, references, max_n):
    shares = [
        (granted + (n > 1)) / max(total + (n > 1), 1)
        for n, (granted, total) in enumerate(
            precisions(hypothesis, references, max_n), 1
        )
    ]
    c = len(hypothesis)
    r = nearest(c, [len(reference) for reference in references])
    return (1.0 if c >= r else math.exp(1 - r / c) if c else 0.0) * math.prod(
        shares
    ) ** (1 / max_n)


def _best_reference(hypothesis, references, max_n):
    return max(solution(hypothesis, [reference], max_n) for reference in references)


def _mean_over_references(hypothesis, references, max_n):
    return sum(
        solution(hypothesis, [reference], max_n) for reference in references
    ) / len(references)


def _log_of_zero(hypothesis, references, max_n):
    logs = [
        math.log(granted / total)
        for granted, total in precisions(hypothesis, references, max_n)
    ]
    c = len(hypothesis)
    r = nearest(c, [len(reference) for reference in references])
    return math.exp(min(0, 1 - r / c) + sum(logs) / max_n)


def _divided_by_none(hypothesis, references, max_n):
    product = math.prod(
        granted / total for granted, total in precisions(hypothesis, references, max_n)
    )
    c = len(hypothesis)
    r = nearest(c, [len(reference) for reference in references])
    return math.exp(min(0, 1 - r / c)) * product ** (1 / max_n)


CAT = (
    "*the cat the cat on the mat* has 7 words, of which the references grant 5 (*the* and *cat* once less than they "
    "stand there), and 6 bigrams, of which they grant 4. You return {got}; right is the root of 5/7 · 4/6, {expected}. "
)
SHORT = (
    "*the cat is on* has 4 words, all granted, and so are its 3 bigrams; the nearer reference has 6 words, and the "
    "penalty is e to the power of 1 − 6/4 = −0.5. You return {got}; right is {expected}. "
)
LONG = (
    "*the cat is on the mat now and then* has 9 words, of which 6 are granted, and 8 bigrams, of which 5 are; the "
    "reference has 6 words, and there is no penalty. You return {got}; right is {expected}. "
)

WRONG = (
    Mistake(
        "not-clipped",
        slip(pipeline, match=_unclipped),
        "the same word again and again",
        CAT
        + "Yours counts *the* three times and *cat* twice, since the references have these words. A sentence of "
        "nothing but *the* would have the precision 1.",
        "an n-gram counts as often as it stands in the hypothesis, if a reference has it at all",
        "How often does the reference that has *cat* most often have it?",
    ),
    Mistake(
        "distinct-only",
        slip(pipeline, count=_once),
        "every n-gram once",
        CAT
        + "Yours counts every n-gram once, however often it stands there: sets instead of counts.",
        "repeated n-grams are counted once",
        "How many words has the sentence, and how many different ones?",
    ),
    Mistake(
        "first-reference-only",
        slip(pipeline, grant=_first_only),
        "several references",
        "*calm and calm* has 3 words, with the references *he is calm* and *keep calm and go*. You return {got}; right "
        "is {expected}. You look at the first reference only, which has no *and*.",
        "n-grams are looked up in the first reference alone",
        "Which reference has *and*?",
        example=said_twice,
    ),
    Mistake(
        "references-added",
        slip(pipeline, grant=_added),
        "several references",
        "*calm and calm* has 3 words, with the references *he is calm* and *keep calm and go*. You return {got}; right "
        "is {expected}. *calm* stands once in each reference; you add these up and grant it twice. With ten references "
        "it could stand ten times.",
        "the counts of all references are added up",
        "How often does the *one* reference that has it most often have *calm*?",
        example=said_twice,
    ),
    Mistake(
        "in-all-references",
        slip(pipeline, grant=_smallest),
        "several references",
        "*calm and calm* has 3 words, with the references *he is calm* and *keep calm and go*. You return {got}; right "
        "is {expected}. You grant an n-gram only if *all* references have it, and as often as the one that has it "
        "least often.",
        "the smallest count among the references is taken",
        "Is it `|` or `&` that takes the larger of two counts?",
        example=said_twice,
    ),
    Mistake(
        "best-reference",
        _best_reference,
        "one reference at a time",
        "*calm and calm* has 3 words, with the references *he is calm* and *keep calm and go*. You return {got}; right "
        "is {expected}. You compute BLEU for each reference by itself and take the best. The references "
        "count together: "
        "each n-gram may find its own, and so does the length.",
        "the largest BLEU of all single references is taken",
        "May the first word be granted by one reference, and the second by another?",
        example=said_twice,
    ),
    Mistake(
        "mean-over-references",
        _mean_over_references,
        "one reference at a time",
        CAT
        + "You compute BLEU for each reference by itself and take the mean. A further good reference should never "
        "make a translation worse.",
        "the mean of BLEU over the references is taken",
        "May the first word be granted by one reference, and the second by another?",
    ),
    Mistake(
        "arithmetic-mean",
        slip(pipeline, average=_arithmetic),
        "which mean?",
        "*mat the on cat the* has all of its 5 words in common with *the cat is on the mat*, and none of its 4 "
        "bigrams. You return {got}; right is {expected}. (5/5 + 0/4)/2 is the arithmetic mean, which hardly "
        "minds that one "
        "of the precisions is 0; a product does.",
        "the precisions are added and divided by N",
        "In the formula, is there a sum or a product, and what does the exponent 1/N do?",
        example=nothing_in_common,
    ),
    Mistake(
        "no-root",
        slip(pipeline, average=math.prod),
        "the root",
        CAT
        + "5/7 · 4/6 is the product. It becomes smaller with every further n, whatever the translation.",
        "the root is not taken of the product",
        "What does the exponent 1/N in the formula do?",
    ),
    Mistake(
        "longest-only",
        slip(pipeline, orders=lambda max_n, c: [max_n]),
        "one n instead of all",
        CAT + "4/6 is the precision of the bigrams alone.",
        "only the n-grams with n = max_n are counted",
        "Which values does n run through?",
    ),
    Mistake(
        "one-order-too-few",
        slip(pipeline, orders=lambda max_n, c: range(1, max_n)),
        "off by one",
        CAT + "5/7 is the precision of the single words: n stops one too early.",
        "n runs up to max_n − 1",
        "Which numbers are in `range(1, 2)`?",
    ),
    Mistake(
        "d2l-weights",
        slip(pipeline, average=_d2l),
        "another formula",
        CAT
        + "You weigh p₁ with an exponent of 1/2, p₂ with 1/4, and so on, as d2l's `bleu` does. These exponents do "
        "not sum to 1, and so the number is larger; it cannot be compared with BLEU.",
        "p_n has the exponent 1/2ⁿ",
        "Which exponent has every p_n in the formula?",
    ),
    Mistake(
        "no-penalty",
        slip(pipeline, penalty=lambda c, r: 1.0),
        "short sentences",
        SHORT
        + "Without the penalty a single sure word would be the best translation of all.",
        "the brevity penalty is missing",
        "What keeps a model from leaving out everything that is difficult?",
        example=short,
    ),
    Mistake(
        "long-ones-punished",
        slip(pipeline, penalty=lambda c, r: 1.0 if c <= r else math.exp(1 - c / r)),
        "who is punished?",
        LONG
        + "You punish the long sentence. Its precision has done that already: every word too many is one that "
        "nobody grants.",
        "c and r have changed places in the penalty",
        "Which of c and r belongs to the hypothesis, and when should the exponent be negative?",
        example=long,
    ),
    Mistake(
        "penalty-above-one",
        slip(pipeline, penalty=lambda c, r: math.exp(1 - r / c) if c else 0.0),
        "a reward for length",
        LONG
        + "Your penalty is e to the power of 1 − 6/9, which is larger than 1: long sentences are rewarded.",
        "the penalty is not limited to 1",
        "What is the penalty if c is larger than r?",
        example=long,
    ),
    Mistake(
        "ratio-for-penalty",
        slip(pipeline, penalty=lambda c, r: min(1.0, c / r)),
        "another penalty",
        SHORT + "You multiply by 4/6, the ratio of the lengths itself.",
        "the penalty is c/r instead of an exponential",
        "What is e to the power of 1 − 6/4?",
        example=short,
    ),
    Mistake(
        "penalty-upside-down",
        slip(pipeline, penalty=lambda c, r: 1.0 if c >= r else math.exp(1 - c / r)),
        "upside down",
        SHORT
        + "You take e to the power of 1 − 4/6, which is larger than 1: the short sentence is rewarded.",
        "c/r stands where r/c should",
        "Should a short sentence's score become smaller or larger?",
        example=short,
    ),
    Mistake(
        "shortest-reference",
        slip(pipeline, length=lambda c, lengths: min(lengths)),
        "which reference's length?",
        "*she is at home now* has 5 words, with references of 3 and 6. You return {got}; right is {expected}. You "
        "compare it with the shortest; the nearest in length has 6 words, and there is a penalty.",
        "r is the length of the shortest reference",
        "Which of 3 and 6 is nearer to 5?",
        example=three_lengths,
    ),
    Mistake(
        "longest-reference",
        slip(pipeline, length=lambda c, lengths: max(lengths)),
        "which reference's length?",
        SHORT + "You compare it with the longest reference, which has 7 words.",
        "r is the length of the longest reference",
        "Which of 6 and 7 is nearer to 4?",
        example=short,
    ),
    Mistake(
        "mean-length",
        slip(pipeline, length=lambda c, lengths: sum(lengths) / len(lengths)),
        "which reference's length?",
        SHORT + "You compare it with the mean of the references' lengths, 6.5.",
        "r is the mean length of the references",
        "Which of 6 and 7 is nearer to 4?",
        example=short,
    ),
    Mistake(
        "first-references-length",
        slip(pipeline, length=lambda c, lengths: lengths[0]),
        "which reference's length?",
        "*she is at home now* has 5 words, with references of 8 and 6. You return {got}; right is {expected}. You "
        "compare it with the first; the nearest in length has 6 words.",
        "r is the length of the first reference",
        "Which of 8 and 6 is nearer to 5?",
        example=far_one_first,
    ),
    Mistake(
        "longer-of-two",
        slip(
            pipeline,
            length=lambda c, lengths: min(lengths, key=lambda r: (abs(r - c), -r)),
        ),
        "equally near",
        "*the cat is on it* has 5 words, with references of 4 and 6: equally near. You return {got}; right is "
        "{expected}. Agreed is the shorter of the two, and yours takes the longer. For all else you are right.",
        "of two references equally near in length the longer is taken",
        "Which is the second thing to compare by, if two lengths are equally near?",
        example=between_two_lengths,
    ),
    Mistake(
        "recall",
        slip(pipeline, divide=_recall),
        "what it is divided by",
        CAT
        + "You divide by the n-grams of the *references*. That is recall, what the hypothesis has found of them; "
        "precision is the share of *its own* that is granted.",
        "the matches are divided by the references' n-grams",
        "Which of the two sentences has 7 words, and whose words are judged?",
    ),
    Mistake(
        "add-one",
        slip(pipeline, divide=_added_one),
        "smoothed",
        CAT
        + "You add 1 to each count, above and below the fraction: (5 + 1)/(7 + 1) and (4 + 1)/(6 + 1).",
        "1 is added to matches and totals",
        "What should become of a sentence without a single bigram in common?",
    ),
    Mistake(
        "add-one-from-two",
        _added_one_from_two,
        "smoothed",
        CAT
        + "You add 1 above and below the fraction from n = 2 on, (4 + 1)/(6 + 1). That is known as smoothing for "
        "sentences; the task has none.",
        "1 is added to matches and totals for n > 1",
        "What should become of a sentence without a single bigram in common?",
    ),
    Mistake(
        "orders-without-match-skipped",
        slip(pipeline, average=_zeros_skipped),
        "a factor of 0",
        "*mat the on cat the* has only words in common with *the cat is on the mat*, and no bigram. You return {got}; "
        "right is {expected}. You leave the order without a match out of the mean.",
        "a p_n of 0 is left out",
        "What is a product with one factor 0?",
        example=nothing_in_common,
    ),
    Mistake(
        "short-orders-skipped",
        slip(pipeline, orders=lambda max_n, c: range(1, min(max_n, c) + 1)),
        "too short",
        "*the cat* has no trigram, and max_n is 3. You return {got}; right is {expected}. You leave out "
        "the n for which "
        "the hypothesis is too short; agreed is 0. For longer sentences you are right.",
        "n stops at the length of the hypothesis",
        "What has been agreed for a hypothesis that is too short to have an n-gram?",
        example=too_short,
    ),
    Mistake(
        "log-of-zero",
        _log_of_zero,
        "a logarithm of 0",
        "*mat the on cat the* has no bigram in common with *the cat is on the mat*. There {line} raises {error}.",
        "a logarithm is taken of a precision that is 0",
        "What should the whole result be if one p_n is 0, and where could your function say so before it takes the "
        "logarithm?",
        example=nothing_in_common,
        line=r"log",
    ),
    Mistake(
        "divided-by-none",
        _divided_by_none,
        "0 n-grams",
        "*the cat* has no trigram, and max_n is 3. There {line} raises {error}. For longer sentences you are right.",
        "one divides by the number of n-grams even if there are none",
        "What has been agreed for a hypothesis that is too short to have an n-gram?",
        example=too_short,
        line=r"/",
    ),
    Mistake(
        "letters",
        _letters,
        "words or letters?",
        CAT
        + "You count runs of *letters*: a string has been cut up where a list of tokens should.",
        "n-grams are made of the letters of a joined string",
        "What does a loop over a string give, and what one over a list of words?",
    ),
    Mistake(
        "last-ngram-missing",
        slip(pipeline, count=_without_the_last),
        "off by one",
        CAT
        + "The last n-gram of every sentence is missing in yours: *mat*, and *the mat*.",
        "`range(len - n)` stops one n-gram too early",
        "How many bigrams have seven words?",
    ),
    Mistake(
        "blocks",
        slip(pipeline, count=_blocks),
        "side by side, or overlapping?",
        LONG
        + "Your bigrams do not overlap: *the cat*, *is on*, *the mat*, *now and*. Every word but the last begins one.",
        "the n-grams are cut one behind the other",
        "How many bigrams have nine words?",
        example=long,
    ),
    Mistake(
        "percent",
        slip(pipeline, finish=lambda score: 100 * score),
        "percent",
        CAT
        + "Yours is 100 times that. Many programs print BLEU so; the task has a number from 0 to 1.",
        "the result is multiplied by 100",
        "What is the largest number that the formula can give?",
    ),
    Mistake(
        "returns-a-tuple",
        lambda hypothesis, references, max_n: (
            solution(hypothesis, references, max_n),
            max_n,
        ),
    ),
)
