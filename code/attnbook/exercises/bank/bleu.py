"""Exercise bleu: how many of its n-grams does a reference allow?"""

import math

import torch

from ..answers import Number
from ..arguments import Listed
from ..exercise import Exercise, Mistake


def my_bleu(hypothesis, references, max_n):
    """BLEU of one sentence against one or more references, not smoothed.

    hypothesis: list of tokens; references: list of such lists
    max_n: the longest n-grams that count
    → a number from 0 to 1
    """
    from collections import Counter

    def ngrams(tokens, n):
        starts = range(len(tokens) - n + 1)
        return Counter(tuple(tokens[i : i + n]) for i in starts)

    precisions = torch.zeros(max_n, dtype=torch.float64)
    for n in range(1, max_n + 1):
        counts, allowed = ngrams(hypothesis, n), Counter()
        if not counts:
            return 0.0  # too short to have an n-gram
        for reference in references:
            allowed |= ngrams(reference, n)  # the larger of two counts
        clipped = counts & allowed  # the smaller of two counts
        precisions[n - 1] = clipped.total() / counts.total()
    mean = precisions.prod() ** (1 / max_n)
    c, lengths = len(hypothesis), [len(reference) for reference in references]
    r = min(lengths, key=lambda r: (abs(r - c), r))
    penalty = 1.0 if c >= r else math.exp(1 - r / c)
    return float(penalty * mean)


def sentences(hypothesis: str, *references: str, max_n: int = 2):
    """What makes a call's arguments of text."""
    return lambda: (
        Listed(hypothesis.split(), lambda tokens: [*tokens[::-1], "indeed"]),
        Listed([one.split() for one in references], lambda others: [[*other[1:], "indeed"] for other in others]),
        max_n,
    )


CAT = "the cat is on the mat", "there is a cat on the mat"
# seven words, as many as the nearer reference has; 5 of 7 words and 4 of 6 bigrams are allowed
example = sentences("the cat the cat on the mat", *CAT)
short = sentences("the cat is on", *CAT)
long = sentences("the cat is on the mat now and then", CAT[0])
between = sentences("the cat is on it", "the cat is here", "the cat is on it all")
longer_first = sentences("the cat is on it", "the cat is on it all", "the cat is here")
three = sentences("she is at home now", "she is home", "now she is at home again")
far_first = sentences("she is at home now", "and now at last she is at home", "now she is at home again")
said_twice = sentences("calm and calm", "he is calm", "keep calm and go", max_n=1)
no_bigram = sentences("mat the on cat the", CAT[0])
too_short = sentences("the cat", "the cat", max_n=3)
glueable = sentences("it was a bout of it", "it was bout ab out a of it")  # a·bout and ab·out

# fmt: off
PROBES = (
    sentences("he is calm and he is here now", "he is very calm and he is here", "he is calm here", max_n=4),
    sentences("i am at home at home", "i am at home", "at home i am well at ease", "home at last", max_n=3),
    sentences("we lost the the game again", "once again we lost the game the other day", "we lost the game"),
    sentences("she does not see it", "she does not see that it is so late", max_n=3),
    sentences("a b a b a b c", "a b c a b", "b a b a c c c c c", max_n=4),
    sentences("the cat sat on a mat on a mat", "a cat sat on the mat", "on a mat sat the cat and that was it", max_n=1),
    sentences("go home now my good old friend", "go home now my friend"),
    between, three, no_bigram, short,
)
EDGES = (
    too_short, glueable, longer_first, sentences("", "the cat"), sentences("go", "go", "go on", max_n=1),
    sentences(CAT[0], *CAT, max_n=6), sentences("no word of it", "the cat", max_n=1),
)
# fmt: on


def letters(hypothesis, references, max_n):
    return my_bleu(" ".join(hypothesis), [" ".join(one) for one in references], max_n)


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    hypothesis = " ".join(pick.some("a", "b", "ab"))
    references = (" ".join(pick.some("a", "b", "ab", least=1)) for _ in range(pick.of(1, 2, 3)))
    return sentences(hypothesis, *references, max_n=pick.of(1, 2, 3))()


# edits that are used several times
CLIP, MEAN = "counts & allowed", "precisions.prod() ** (1 / max_n)"
GRAMS, PRECISION = "tuple(tokens[i : i + n]) for i in starts", "clipped.total() / counts.total()"
NEAREST = "min(lengths, key=lambda r: (abs(r - c), r))"
PENALTY = "1.0 if c >= r else math.exp(1 - r / c)"
NEARER = "Which of the references' lengths is nearest to that of the hypothesis?"

# fmt: off
MISTAKES = (
    Mistake("divided-by-the-length", (PRECISION, "clipped.total() / len(hypothesis)"),
        "every precision is divided by the number of words. A sentence of 7 words has 6 bigrams.",
        "How many n-grams does a sentence of c words have?"),
    Mistake("glued", ("tuple(tokens[i : i + n])", '"".join(tokens[i : i + n])'),
        "the tokens of an n-gram are glued together without anything between them: *a bout* and *ab out* then count "
        "as the same.", "What can hold several tokens, keep them apart, and still be counted?", glueable),
    Mistake("not-clipped", (CLIP, "Counter({gram: count for gram, count in counts.items() if gram in allowed})"),
        "an n-gram counts whenever a reference has it at all. The precisions should be {precisions}.",
        "How often does *the* occur in the reference that has it most often?"),
    Mistake("references-added", ("allowed |= ngrams", "allowed += ngrams"),
        "the counts of all references are added. The precisions should be {precisions}.",
        "*the* occurs twice in one reference and once in the other: how often may it count?"),
    Mistake("smoothed", (PRECISION, "(clipped.total() + 1) / (counts.total() + 1)"),
        "1 is added above and below each fraction, which smooths it. The precisions should be {precisions}.",
        "How many of the seven words does a reference allow?"),
    Mistake("distinct-only", (f"Counter({GRAMS})", "Counter({" + GRAMS + "})"),
        "repeated n-grams are counted once: sets instead of counts. The precisions should be {precisions}.",
        "How many words does the sentence have, and how many different ones?"),
    Mistake("best-reference-only", (CLIP, "max((counts & ngrams(one, n) for one in references), key=Counter.total)"),
        "for each n the best single reference counts. The precisions should be {precisions}: each n-gram by itself may "
        "look for the reference that has it most often.", "Must all n-grams be found in one and the same reference?"),
    Mistake("first-reference-only", ("for reference in references:", "for reference in references[:1]:"),
        "n-grams are looked up in the first reference alone",
        "Which words of the hypothesis does at least one of the references have?", said_twice),
    Mistake("arithmetic-mean", (MEAN, "precisions.mean()"),
        "the precisions are added and divided by N. They are {precisions}.",
        "In the formula, is there a sum or a product, and what does the exponent 1/N do?", no_bigram),
    Mistake("arithmetic-mean-or-zero", (MEAN, "precisions.mean() * precisions.all()"),
        "the precisions are added and divided by N, unless one of them is 0. They are {precisions}.",
        "In the formula, is there a sum or a product?", three),
    Mistake("no-root", (MEAN, "precisions.prod()"),
        "the root of the product is missing. The precisions are {precisions}.",
        "What does the exponent 1/N in the formula do?"),
    Mistake("d2l-weights", (MEAN, "(precisions ** 0.5 ** torch.arange(1, max_n + 1)).prod()"),
        "p_n has the exponent 1/2ⁿ: 1/2, 1/4, and so on, as in d2l's `bleu`. These exponents do not sum to 1.",
        "Which exponent does every p_n have in the formula?"),
    Mistake("no-penalty", (PENALTY, "1.0"),
        "the brevity penalty is missing", "What keeps a model from leaving out everything that is difficult?", short),
    Mistake("long-ones-punished", (PENALTY, "1.0 if c <= r else math.exp(1 - c / r)"),
        "c and r have changed places in the penalty: the long sentence is punished",
        "Which of c and r belongs to the hypothesis, and when should the exponent be negative?", long),
    Mistake("penalty-above-one", (PENALTY, "math.exp(1 - r / c)"),
        "the penalty is not limited to 1. With c = {c} and r = {r} it exceeds 1, and long sentences are rewarded.",
        "What is the penalty if c is larger than r?", long),
    Mistake("shortest-reference", (NEAREST, "min(lengths)"),
        "r is the length of the shortest reference. The nearest has r = {r}; c = {c}.", NEARER, three),
    Mistake("longest-reference", (NEAREST, "max(lengths)"),
        "r is the length of the longest reference. The nearest has r = {r}; c = {c}.", NEARER, short),
    Mistake("longer-of-two", (NEAREST, "min(lengths, key=lambda r: (abs(r - c), -r))"),
        "of two lengths equally near, the longer is taken. c is {c}, and the task wants r = {r}.",
        "Of two equally near lengths, which one does the task name?", between),
    Mistake("first-of-two", (NEAREST, "min(lengths, key=lambda r: abs(r - c))"),
        "of two lengths equally near, the one that comes first is taken. c is {c}, and the task wants r = {r}.",
        "Of two equally near lengths, which one does the task name, in whatever order they come?", longer_first),
    Mistake("first-references-length", (NEAREST, "lengths[0]"),
        "r is the length of the first reference. The nearest has r = {r}; c = {c}.", NEARER, far_first),
    Mistake("recall", (PRECISION, "clipped.total() / max(allowed.total(), 1)"),
        "the matches are divided by the references' n-grams. The precisions should be {precisions}.",
        "Whose words are judged, and how many are there?"),
    Mistake("orders-without-match-skipped",
        (MEAN, "precisions[precisions > 0].prod() ** (1 / (precisions > 0).sum().clamp(min=1))"),
        "a p_n of 0 is left out of the mean. The precisions are {precisions}.",
        "What is a product if one of its factors is 0?", no_bigram),
    Mistake("log-of-zero", (MEAN, "math.exp(sum(math.log(p) for p in precisions) / max_n)"),
        "a logarithm is taken of a precision that is 0",
        "What should the whole result be if one p_n is 0, and where could you say so before the logarithm?", no_bigram,
        line="log"),
    Mistake("letters", letters,
        "n-grams are made of *letters*: a string is cut up instead of a list of tokens",
        "What does a loop over a string yield, and what does one over a list of words?"),
    Mistake("percent", ("return float", "return 100 * float"),
        "the result is multiplied by 100", "What is the largest number that the formula can give?"),
)

EXERCISE = Exercise(
    name="bleu", title="BLEU of one sentence", chapter=11, solution=my_bleu,
    shapes={"hypothesis": "a list", "references": "a list", "max_n": "a number"},
    answer=Number("one number from 0 to 1"), example=example, probes=lambda: [make() for make in PROBES],
    edges=lambda: [make() for make in EDGES], mistakes=MISTAKES,
    steps={"precisions": "the precisions", "c": "c", "r": "r", "penalty": "the penalty"},
    space=space,
    hints=(
        "Do a single n first: how often does each n-gram occur in the hypothesis, and how often may it count at most?",
        "A `collections.Counter` of tuples counts n-grams. `a | b` takes the larger of two counts, `a & b` the "
        "smaller: one of them combines the references, the other clips the hypothesis.",
        "`Counter.total()` sums the counts; look at the case without any n-gram before you divide. For the nearest "
        "length, `min` takes a `key`, which may be a pair: first the distance, then the length.",
    ),
    why="Without clipping the number looks right for every sensible sentence; it takes a model that writes *the the "
        "the* to show what clipping is for, and early in training many do. And a score that skips the orders without "
        "a match looks better than an honest 0. But it is another metric, and needs another name.",
)
