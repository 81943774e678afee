"""Exercise alignment-error: how wrong are the links that attention weights suggest?"""

from ..answers import Number
from ..arguments import Listed, draw, exact
from ..exercise import Exercise, Mistake


def my_aer(weights, sure, possible):
    """Alignment error rate of the links read off attention weights.

    weights: (T + 1, S + 1), the last row and the last column are <eos>'s;
    sure, possible: lists of links (i, j), source word first; the possible ones
    include the sure ones
    → a number from 0 to 1
    """
    words = weights[:-1, :-1]  # (T, S)
    best = words.argmax(dim=1).tolist()
    links = {(i, j) for j, i in enumerate(best)}
    in_sure = len(links & set(sure))
    in_possible = len(links & set(possible))
    size = len(links) + len(sure)
    return 1 - (in_sure + in_possible) / size


def gold(sure: list, also: list) -> tuple:
    """The sure links and the possible ones, as lists that can say what they are."""

    def other(links: list) -> list:
        return [(i + 40, j) for i, j in links]

    return Listed(sure, other), Listed(sure + also, other)


def example() -> tuple:
    """Three source words, two target words; the second target word looks at <eos> most."""
    weights = exact([0.1, 0.6, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.1, 0.1, 0.2, 0.6])
    return weights, *gold([(1, 0), (0, 1)], [(2, 1)])


def one_possible() -> tuple:
    """One link sure, one only possible, one wrong."""
    weights = exact([0.6, 0.2, 0.1, 0.1], [0.2, 0.2, 0.5, 0.1], [0.1, 0.7, 0.1, 0.1], [0, 0, 0.1, 0.9])
    return weights, *gold([(0, 0), (1, 1), (2, 2)], [(2, 1)])


def _drawn(t: int, s: int, seed: int) -> tuple:
    weights = (2 * draw(t + 1, s + 1, seed=seed)).softmax(1)
    best = weights[:-1, :-1].argmax(1).tolist()
    sure = [(i if (j + seed) % 3 else (i + 1) % s, j) for j, i in enumerate(best) if j % 4 != 3]
    also = [(i, j) for j, i in enumerate(best) if j % 3 == 1] + [((i + 2) % s, j) for j, i in enumerate(best) if j % 2]
    return weights, *gold(sure, [link for link in dict.fromkeys(also) if link not in sure])


def probes() -> list[tuple]:
    sizes = (5, 7), (7, 5), (3, 11), (11, 6), (6, 4)
    return [_drawn(*size, 1230 + i) for i, size in enumerate(sizes)]


def edges() -> list[tuple]:
    return [_drawn(1, 3, 1241), _drawn(2, 1, 1242), (*_drawn(3, 5, 1243)[:1], *gold([], [(0, 0)]))]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, S = pick.sizes(1, 1)
    weights = pick.distinct(T + 1, S + 1) + T * S + S + T  # no two are equal
    links = [(i, j) for i in range(S) for j in range(T)]
    sure = list(dict.fromkeys(pick.some(*links)))
    also = [link for link in dict.fromkeys(pick.some(*links)) if link not in sure]
    return weights / weights.sum(1, keepdim=True), *gold(sure, also)


# edits that are used several times
WORDS, BEST, LINKS = "weights[:-1, :-1]", "words.argmax(dim=1).tolist()", "(i, j) for j, i in enumerate(best)"
SURE, POSSIBLE, SIZE = "len(links & set(sure))", "len(links & set(possible))", "len(links) + len(sure)"
RATE = "1 - (in_sure + in_possible) / size"
FOUND = "Your links should be {links}. You return {got}; right is {expected}."
EOS = "Whose row and whose column are the last ones, and can `<eos>` translate a word?"

# fmt: off
MISTAKES = (
    Mistake("eos-kept", (WORDS, "weights"),
        "the row and the column of `<eos>` take part. A word that looks at `<eos>` most gets a link to a word that "
        "is not there, and `<eos>` claims a link of its own. " + FOUND, EOS),
    Mistake("eos-column-kept", (WORDS, "weights[:-1]"),
        "only the row of `<eos>` is left out. The second target word has its largest weight at `<eos>`, and is "
        "linked to it. " + FOUND, EOS),
    Mistake("eos-row-kept", (WORDS, "weights[:, :-1]"),
        "only the column of `<eos>` is left out. As a target word `<eos>` claims a link, too. " + FOUND, EOS),
    Mistake("eos-links-dropped", ((WORDS, "weights[:-1]"), (LINKS, LINKS + " if i < weights.shape[1] - 1")),
        "a word that looks at `<eos>` most gets no link. It should be linked to the *word* that it looks at most. "
        + FOUND,
        "Which comes first, cutting the column off or looking for the largest weight?"),
    Mistake("wrong-axis", ((BEST, "words.argmax(dim=0).tolist()"), (LINKS, "(i, j) for i, j in enumerate(best)")),
        "each *source* word is linked to a target word. Every target word chooses. " + FOUND,
        "Along which axis do the weights of one target word sum to 1?",
        also=((LINKS, "(i, j) for j, i in (words == words.max(dim=0).values).nonzero().tolist()"),)),
    Mistake("links-turned", (LINKS, "(j, i) for j, i in enumerate(best)"),
        "your links put the target word first, the true ones the source word. " + FOUND,
        "In the link (2, 1), which number counts source words?"),
    Mistake("every-large-weight", (LINKS, "(i, j) for j, row in enumerate(words.tolist()) for i, w in enumerate(row) "
        "if w >= max(row) / 2"),
        "a target word may claim several links. The task takes the largest weight of each row only. " + FOUND,
        "How many links should two target words claim?"),
    Mistake("sure-only", (RATE, "1 - 2 * in_sure / size"),
        "a link that is possible but not sure counts as wrong. " + FOUND,
        "In which of the two terms of the numerator may a possible link count?"),
    Mistake("possible-only", (RATE, "1 - 2 * in_possible / size"),
        "a possible link counts as much as a sure one. " + FOUND,
        "What does |A ∩ S| ask of a link, and what |A ∩ P|?"),
    Mistake("sure-once", (POSSIBLE, "len(links & (set(possible) - set(sure)))"),
        "sure links are taken out of the possible ones, and count once. They are in S *and* in P. " + FOUND,
        "Is a sure link possible?"),
    Mistake("possible-below", (SIZE, "len(links) + len(possible)"),
        "|A| + |P| is in the denominator. Then it costs to leave out a link that was merely possible. " + FOUND,
        "Of which set must every link be found?"),
    Mistake("all-three-below", (SIZE, "len(links) + len(sure) + len(possible)"),
        "|A| + |S| + |P| is in the denominator. " + FOUND, "Which rate should a perfect alignment get?"),
    Mistake("not-subtracted", (RATE, "(in_sure + in_possible) / size"),
        "the fraction is not subtracted from 1: you measure how right the links are. " + FOUND,
        "What should the *error* rate of a perfect alignment be?"),
    Mistake("links-of-tensors", (BEST, "words.argmax(dim=1)"),
        "the links hold tensors. A set compares them by identity, so (tensor(1), 0) is never found among pairs of "
        "whole numbers. " + FOUND, "What makes a whole number of a tensor with one number?"),
    Mistake("precision", (RATE, "1 - in_possible / len(links)"),
        "only wrong links count as errors, missing ones do not: 1 − |A ∩ P| / |A|. " + FOUND,
        "Where would a sure link show that was not claimed?"),
    Mistake("recall", (RATE, "1 - in_sure / max(len(sure), 1)"),
        "only missing links count as errors, wrong ones do not: 1 − |A ∩ S| / |S|. " + FOUND,
        "Where would a wrong link show?"),
    Mistake("percent", ("return 1", "return 100 - 100 * (in_sure + in_possible) / size\n    return 1"),
        "the result is multiplied by 100. The task asks for a number from 0 to 1. " + FOUND,
        "What is the largest number that the formula can give?"),
)
# fmt: on

EXERCISE = Exercise(
    name="alignment-error",
    title="How wrong is an alignment?",
    chapter=12,
    solution=my_aer,
    shapes={"weights": "T+1 S+1", "sure": "a list", "possible": "a list"},
    answer=Number("one number from 0 to 1"),
    example=example,
    probes=lambda: [one_possible(), *probes()],
    edges=edges,
    mistakes=MISTAKES,
    steps={"words": "the weights between words", "links": "the links", "in_sure": "|A ∩ S|", "in_possible": "|A ∩ P|"},
    space=space,
    hints=(
        "In the example, which source word does each of the two target words look at most?",
        "Cut `<eos>` off on both sides first. The largest weight of each row makes one link; collect them in a "
        "set, so that `&` gives the intersection with the true links.",
        "`argmax` along the source words gives one index per target word, and `enumerate` says which target word that "
        "is; the source word comes first in a link. The rate needs the sizes of four sets.",
    ),
    why="One kind of truth is enough for a score, and nothing fails: with the sure links alone the rate is 1 − F1, "
    "with the possible ones alone it forgives too much. And if a word looks at `<eos>` most, "
    "cutting that column off after the maximum instead of before drops the word from the count, in your favour.",
)
