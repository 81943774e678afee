"""Exercise accept-draft: one round of speculative decoding."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_accept_draft(drafted, p, q, luck):
    """The distribution from which the word after the accepted ones is drawn.

    drafted: (K,) word numbers, p: (K + 1, V), q: (K, V), luck: (K,) from 0 to 1 → (V,)
    """
    for t in range(len(drafted)):
        word = drafted[t]
        chance = p[t, word] / q[t, word]
        if luck[t] >= chance:  # rejected
            rest = p[t] - q[t]
            kept = rest.clamp(min=0)
            return kept / kept.sum()
    return p[-1]  # all stay


def example() -> tuple:
    p, q = exact([0.5, 0.3, 0.2], [0.25, 0.25, 0.5]), exact([0.1, 0.2, 0.7])
    return torch.tensor([2]), p, q, exact(0.6)


def all_stay() -> tuple:
    return torch.tensor([2]), *example()[1:3], exact(0.2)


def likelier() -> tuple:
    """The drafted word is likelier for the model that checks, so it stays, whatever the luck."""
    return torch.tensor([0]), *example()[1:3], exact(0.9)


def twice() -> tuple:
    """The first word stays, the second does not, and the third would."""
    p = exact([0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.6, 0.25, 0.15], [0.1, 0.1, 0.8])
    q = exact([0.4, 0.35, 0.25], [0.65, 0.2, 0.15], [0.5, 0.3, 0.2])
    return torch.tensor([0, 0, 0]), p, q, exact(0.5, 0.5, 0.5)


def staying_again() -> tuple:
    """The first word does not stay, the second would."""
    p = exact([0.5, 0.3, 0.2], [0.5, 0.2, 0.3], [0.1, 0.1, 0.8])
    return torch.tensor([2, 0]), p, exact([0.1, 0.2, 0.7], [0.3, 0.3, 0.4]), exact(0.6, 0.5)


def both_likely() -> tuple:
    """Each word stays, though the product of the two chances is below the second one's luck."""
    return (
        torch.tensor([0, 0]),
        exact([0.4, 0.6], [0.4, 0.6], [0.3, 0.7]),
        exact([0.5, 0.5], [0.5, 0.5]),
        exact(0.5, 0.7),
    )


def by_counting(drafted, p, q, luck):
    t = int(sum(luck[i] < p[i, word] / q[i, word] for i, word in enumerate(drafted)))
    rest = (p[t] - q[t]).clamp(min=0) if t < len(drafted) else p[t]
    return rest / rest.sum()


def just_as_lucky() -> tuple:
    """The luck is exactly p/q: it is not smaller."""
    return torch.tensor([1]), exact([0.75, 0.25], [0.5, 0.5]), exact([0.5, 0.5]), exact(0.5)


def _round(k: int, v: int, seed: int, luck: list[float]) -> tuple:
    p, q = draw(k + 1, v, seed=seed).softmax(-1), (2 * draw(k, v, seed=seed + 50)).softmax(-1)
    return q.argmax(-1), p, q, exact(*luck)


def probes() -> list[tuple]:
    return [
        _round(2, 7, 1441, [0.01, 0.99]),
        _round(4, 5, 1442, [0.02, 0.03, 0.95, 0.01]),
        _round(3, 11, 1443, [0.97, 0.5, 0.5]),
        _round(5, 3, 1444, [0.01, 0.02, 0.01, 0.02, 0.03]),
    ]


def edges() -> list[tuple]:
    return [all_stay(), likelier(), twice(), just_as_lucky(), staying_again(), both_likely()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    K, V = pick.sizes(1, 2)
    luck = pick.ids(K, among=range(8)) / 8.0 + 0.0137  # never equal to a chance
    return pick.ids(K, among=range(V)), pick.weights(K + 1, V), pick.weights(K, V, least=1), luck.double()


# edits that are used several times
CHANCE, LUCK = "chance = p[t, word] / q[t, word]", "luck[t] >= chance"
REST, CLAMP, SHARE = "rest = p[t] - q[t]", "rest.clamp(min=0)", "return kept / kept.sum()"
END = "return p[-1]"
WANTED = "Which words had the draft been given too little of, and by how much?"

# fmt: off
MISTAKES = (
    Mistake("accepted-ones-counted", by_counting,
        "the accepted words are counted, and the round ends behind so many. A word that stays after the first "
        "rejection is counted, too; but the round has ended there.",
        "In the draft, where is the first word that does not stay?",
        staying_again),
    Mistake("stays-at-equality", (LUCK, "luck[t] > chance"),
        "a word stays if its luck *equals* p/q. The task wants it smaller; for other numbers you are right.",
        "A word with p = 0 and a luck of 0: should it stay?", just_as_lucky),
    Mistake("from-p", (SHARE, "return p[t]"),
        "after a rejection the word is drawn from p itself. The words that the draft likes too well would then be "
        "written too often: sometimes drafted, sometimes drawn.", WANTED),
    Mistake("from-q", (SHARE, "return q[t]"),
        "after a rejection the word is drawn from the draft's distribution again", WANTED),
    Mistake("not-divided", (SHARE, "return kept"),
        "the rest is not divided by its sum, so it is not a distribution", "What do your numbers sum to?"),
    Mistake("not-cut", (CLAMP, "rest"),
        "negative differences are not set to 0. p and q both sum to 1, so their differences sum to 0.",
        "Can a probability be negative?"),
    Mistake("cut-too-late", ((CLAMP, "rest"), (SHARE, "return (kept / kept.sum()).clamp(min=0)")),
        "negative differences are set to 0 after the division. Both p and q sum to 1, so the differences sum to 0 but "
        "for rounding, and you divide by that.", "What should the divisor be a sum of?"),
    Mistake("absolute", (CLAMP, "rest.abs()"),
        "the sign of the differences is dropped. A word that the draft gave too much would get even more.", WANTED),
    Mistake("softmax-of-rest", (SHARE, "return kept.softmax(0)"),
        "the rest goes through a softmax. exp(0) is 1, so words with nothing left get something.",
        "By what do you divide positive numbers to make them sum to 1?"),
    Mistake("differences-exchanged", (REST, "rest = q[t] - p[t]"),
        "p and q have changed places in the difference. You keep what the draft gave too *much*.", WANTED),
    Mistake("ratio-inverted", (CHANCE, "chance = q[t, word] / p[t, word]"),
        "the ratio is upside down. A word that the checking model likes better than the draft does would be rejected.",
        "Which words should always stay: those with p above q, or below?", likelier),
    Mistake("p-without-the-word", (REST, "rest = p[t] * (torch.arange(p.shape[1]) != word)"),
        "after a rejection p_t is used without the rejected word, divided by what is left. The other words are then "
        "drawn too often, since the draft has proposed them as well.", WANTED),
    Mistake("p-alone", (CHANCE, "chance = p[t, word]"),
        "a word stays with probability p instead of p/q. It was already drawn with probability q; together that is "
        "p·q.", "If p and q agree, how often should a drafted word stay?", likelier),
    Mistake("chances-multiplied", (CHANCE,
            "chance = (p[range(t + 1), drafted[: t + 1]] / q[range(t + 1), drafted[: t + 1]]).prod()"),
        "the ratios of the words so far are multiplied. Each word is tested by its own ratio alone.",
        "The first word has stayed. Does its ratio still matter for the second?", both_likely),
    Mistake("luck-turned-round", (LUCK, "luck[t] < 1 - chance"),
        "a word is rejected if its luck is *below* 1 − p/q. That is as likely, but the task says which luck lets a "
        "word stay.", "A luck near 0 and a ratio of one half: does the word stay?", all_stay),
    Mistake("the-other-way", (LUCK, "luck[t] < chance"),
        "a word is rejected where it should stay, and the other way round",
        "A chance near 1 and a luck of one half: does the word stay?"),
    Mistake("first-word-only", (LUCK, "t == 0 and luck[t] >= chance"),
        "only the first word is checked", "Which words may be rejected?", twice),
    Mistake("last-rejection", ("range(len(drafted))", "reversed(range(len(drafted)))"),
        "the *last* word that does not stay counts. The first one ends the round; what was drafted after it is lost.",
        "When a word has been rejected, may those behind it still be used?", lambda: probes()[2]),
    Mistake("likeliest-only", (LUCK, "word != p[t].argmax()"),
        "a word stays if and only if p likes it best. That fits greedy decoding; here luck decides.",
        "If its luck is below p/q, does a word stay although another is likelier?", all_stay),
    Mistake("row-after-in-the-rest", (REST, "rest = p[t + 1] - q[t]"),
        "the differences are taken between q and the *next* row of p. That row was computed with the rejected word as "
        "its past.", "Which row of `p` and which row of `q` belong to the same prefix?"),
    Mistake("row-after-everywhere",
        ((CHANCE, "chance = p[t + 1, word] / q[t, word]"), (REST, "rest = p[t + 1] - q[t]")),
        "word t is compared with row t + 1 of p. That row is for the word *after* it.",
        "Which row of `p` and which row of `q` belong to the same prefix?"),
    Mistake("common-part", ((REST, "rest = torch.minimum(p[t], q[t])"),),
        "after a rejection the word is drawn from what p and q have in common. That part has been written already, by "
        "the words that stay.", WANTED),
    Mistake("row-after", (SHARE, "return p[t + 1]"),
        "after a rejection the next row of p is used. That row was computed with the rejected word as its past.",
        "Which prefix does row t of `p` belong to?"),
    Mistake("bonus-from-the-last-draft", (END, "return q[-1]"),
        "if all stay, the word after them is drawn from the draft. p has one row more, for exactly this word.",
        "How many rows has `p`, and how many has `q`?", all_stay),
    Mistake("bonus-one-too-early", (END, "return p[len(drafted) - 1]"),
        "if all stay, the row of the last drafted word is used once more. p has one row more, for the word after it.",
        "How many rows has `p`?", all_stay),
    Mistake("bonus-from-the-rest", (END, "return (p[-2] - q[-1]).clamp(min=0) / (p[-2] - q[-1]).clamp(min=0).sum()"),
        "the differences are used although all words stay", "What is the last row of `p` for?", all_stay),
    Mistake("writes-into-argument", (REST, "rest = p[t].sub_(q[t])")),
    Mistake("extra-axis", (SHARE, "return (kept / kept.sum())[None]")),
)

EXERCISE = Exercise(
    name="accept-draft", title="Accept or replace", chapter=14, solution=my_accept_draft,
    shapes={"drafted": "K", "p": "K+1 V", "q": "K V", "luck": "K"}, returns="V", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, differentiable=("p",),
    steps={"chance": "the probability that the word stays", "kept": "what the draft gave too little"},
    space=space,
    hints=(
        "Go through the drafted words one by one. Word t has the probabilities `p[t, drafted[t]]` and "
        "`q[t, drafted[t]]`. When does it stay for certain?",
        "At the first word that does not stay the round is over, and its row of p and q says what is still missing: "
        "the words to which the draft gave less than it should have. What is left for the others?",
        "`clamp` cuts off what is below zero; after that the numbers need a division. And if the loop ends without a "
        "rejection, which row of `p` has not been used yet?",
    ),
    why="Drawing from p after a rejection sounds right, since p is what is wanted. But a rejection is no accident: it "
        "happens to words that the draft likes too well, and these have had their chance. Only the differences make "
        "up for it. The mistake stays hidden as long as p and q agree, and every sentence it writes looks fine.",
)
