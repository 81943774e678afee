"""Exercise top-p: the smallest set of words whose probabilities sum to at least p."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_top_p(probs, p):
    """The smallest set of words whose probabilities sum to p or more, rescaled to sum to 1; 0 elsewhere.

    probs: (V,), in any order, p: above 0, at most 1 → (V,)
    """
    ranked, order = probs.sort(descending=True)
    before = ranked.cumsum(dim=0) - ranked  # (V,), what the likelier words have already
    stays = before < p
    stays = torch.zeros_like(stays).scatter(0, order, stays)  # back in probs' order
    kept = probs * stays
    return kept / kept.sum()


def example() -> tuple:
    return exact(0.1, 0.5, 0.15, 0.25), 0.7


def reached_exactly() -> tuple:
    """Sixteenths, whose sums are exact: 8/16 + 4/16 = 0.75."""
    return exact(0.0625, 0.5, 0.1875, 0.25), 0.75


def never_reached() -> tuple:
    """Hundredths, whose sum is rounded to a little less than 1."""
    return exact(0.25, 0.45, 0.2, 0.1), 1.0


def shuffled() -> tuple:
    return exact(0.15, 0.25, 0.1, 0.5), 0.7


def probes() -> list[tuple]:
    sizes = (5, 0.6), (7, 0.8), (11, 0.35), (13, 0.93), (7, 0.1)
    return [((2 * draw(v, seed=1401 + i)).softmax(0), p) for i, (v, p) in enumerate(sizes)]


def edges() -> list[tuple]:
    whole = exact(0.0625, 0.5, 0.1875, 0.25), 1.0
    return [reached_exactly(), whole, never_reached(), (exact(1), 0.5), (exact(0, 0.75, 0.25), 0.9)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    parts = pick.of((64,), (24, 40), (9, 23, 32), (1, 14, 17, 32), (3, 5, 8, 16, 32), (0, 1, 2, 10, 11, 16, 24))
    order = pick.distinct(len(parts)).argsort()
    p = pick.of(32, *range(1, 65)) / 64  # often a sum that the likeliest words reach exactly
    return exact(*parts)[order] / 64, p


# an edit that is used several times
BEFORE = "before < p"
PLACE = "torch.zeros_like(stays).scatter(0, order, stays)"
SHARE = "kept / kept.sum()"
KEPT = "kept = probs * stays"

# fmt: off
MISTAKES = (
    Mistake("crossing-word-dropped", (BEFORE, "ranked.cumsum(0) <= p"),
        "a word is dropped if the sum *including* it exceeds p. If the likeliest has more than p, nothing is kept: "
        "0/0 is NaN.", "Which sum decides whether a word stays: with its own probability, or without?"),
    Mistake("crossing-word-dropped-but-one", (BEFORE, "(ranked.cumsum(0) <= p) | (before == 0)"),
        "a word is dropped if the sum *including* it exceeds p, except for the first. Keeping at least one word "
        "cures the empty case, but not this.", "Do the words that you keep have the probability p together?"),
    Mistake("one-too-many", (BEFORE, "(before < p).roll(1) | (before == 0)"),
        "the word after the one that reaches p is kept, too",
        "When two words have p together, why should a third one stay? Do you shift by one position twice?"),
    Mistake("one-too-many-at-exactly-p", (BEFORE, "before <= p"),
        "a word also stays if those before it have exactly p (`<=`). For every other p you are right.",
        "If the words before it have p already, is one more needed?", reached_exactly),
    Mistake("sum-never-reached", (BEFORE, "torch.arange(len(ranked)) <= (ranked.cumsum(0) >= p).int().argmax()"),
        "the word with which the sum reaches p is looked for, and with p = 1 none is found: rounding keeps the sum a "
        "little below 1. For other p you are right.",
        "Which words should stay if the sum never quite reaches p?", never_reached,
        also=((BEFORE, "torch.arange(len(ranked)) <= (ranked.cumsum(0) >= p).nonzero()[0]"),)),
    Mistake("share-of-the-vocabulary", (BEFORE, "torch.arange(len(ranked)) < max(1, round(p * len(ranked)))"),
        "p is taken for a share of the vocabulary, and so many words are kept. It is the words' *probabilities* that "
        "should sum to p.", "How many of 50,000 words would yours keep with p = 0.9, even if the model is sure of one?",
        also=((BEFORE, "torch.arange(len(ranked)) < max(1, int(p * len(ranked)))"),
              (BEFORE, "torch.arange(len(ranked)) < p * len(ranked)"))),
    Mistake("not-rescaled", (SHARE, "kept"),
        "the probabilities that are kept are not divided by their sum",
        "What do your numbers sum to, and what should they?"),
    Mistake("divided-by-p", (SHARE, "kept / p"),
        "what is kept is divided by p. The words that are kept have more than p together, so the sum exceeds 1.",
        "By which number must you divide to make the sum 1?"),
    Mistake("in-sorted-order", ((PLACE, "stays"), ("probs * stays", "ranked * stays")),
        "the result is returned in sorted order. The first word of the vocabulary has got the likeliest word's "
        "probability: sample a 0 from it and the wrong word is written.",
        "`sort` returns two things. Which of them knows where each number came from?"),
    Mistake("mask-in-sorted-order", (PLACE, "stays"),
        "a mask that was made in sorted order is applied to `probs` as it is",
        "In which order is your mask, and in which the tensor that it is applied to?"),
    Mistake("gathered-not-scattered", (PLACE, "stays[order]"),
        "the mask is indexed with `order` where it should be scattered by it. `order[i]` says where the i-th "
        "likeliest word *came from*; indexing goes the same way once more.",
        "If the likeliest word came from position 3, at which position should the first True be?", shuffled),
    Mistake("indexed-with-order", ((PLACE, "stays"), ("probs * stays", "ranked * stays"), (SHARE, f"({SHARE})[order]")),
        "the sorted result is indexed with `order`. `order[i]` says where the i-th likeliest *came from*, not where "
        "word i went.", "If the likeliest word came from position 3, at which position should the largest number be?",
        shuffled),
    Mistake("least-likely-first", ("descending=True", "descending=False"),
        "the probabilities are sorted in ascending order, and you begin with the least likely word",
        "Which word should be the first to be kept?"),
    Mistake("not-sorted", ("probs.sort(descending=True)", "probs, torch.arange(len(probs))"),
        "the probabilities are added up in the order of the vocabulary. The first word then stays because it is "
        "first, likely or not.", "In which order must the words be so that the *fewest* are needed?"),
    Mistake("the-tail", (BEFORE, "before >= p"),
        "the mask is the wrong way round: you keep the tail", "Does True in your mask mean *stays* or *goes*?"),
    Mistake("p-as-a-threshold", (KEPT, "kept = probs * (probs >= p)"),
        "words with a probability below p are dropped, each by itself. p is what the words that are kept should have "
        "*together*.", "Which probabilities must be added before they are compared with p?"),
    Mistake("one-minus-p-as-a-threshold", (KEPT, "kept = probs * (probs > 1 - p)"),
        "words with a probability below 1 − p are dropped, each by itself. p is what the words that are kept should "
        "have *together*.", "Which probabilities must be added before they are compared with p?"),
    Mistake("min-p", (KEPT, "kept = probs * (probs >= p * probs.max())"),
        "a word stays if it is at least p times as likely as the likeliest. That is min-p, another filter; here p is "
        "what the words should have *together*.", "Which probabilities must be added before they are compared with p?"),
    Mistake("softmax-first", ("ranked, order", "probs = probs.softmax(0)\n    ranked, order"),
        "`probs` are taken for logits and go through a softmax first. They are probabilities already.",
        "What do the numbers in `probs` sum to?"),
    Mistake("mask-returned", (SHARE, "stays.to(kept)"),
        "the mask is returned instead of probabilities", "By what should the mask be multiplied?"),
    Mistake("softmax-of-probabilities", (SHARE, "kept.masked_fill(~stays, -torch.inf).softmax(0)"),
        "the probabilities that are kept go through a softmax. It takes them for logits, and makes them nearly equal.",
        "They are probabilities already. By what would you divide to make them sum to 1?"),
    Mistake("softmax-with-zeros", (SHARE, "kept.softmax(0)"),
        "the probabilities, zeros included, go through a softmax. exp(0) is 1, not 0: the words that were dropped "
        "are back.", "They are probabilities already. By what would you divide to make them sum to 1?"),
    Mistake("equal-shares", (SHARE, "stays.to(kept) / stays.sum()"),
        "every word that is kept gets the same probability", "Is it the mask that you rescale, or the probabilities?"),
    Mistake("the-likeliest-only", (SHARE, "torch.zeros_like(probs).scatter(0, probs.argmax()[None], 1.0)"),
        "only the likeliest word is kept, whatever p is", "Does that word have the probability p by itself?"),
    Mistake("logarithms", (SHARE, f"({SHARE}).log()"),
        "a logarithm is taken at the end (or −∞ is filled in)",
        "Are probabilities asked for, or scores for a softmax?"),
    Mistake("zeros-left-out", (SHARE, "(kept / kept.sum())[kept > 0]"),
        "the words that were dropped are missing from the result. Number 0 of the result is then not number 0 of the "
        "vocabulary.", "How long is the vocabulary, and how long is your result?"),
    Mistake("cut-short", (SHARE, "(kept / kept.sum())[:1]")),
    Mistake("writes-into-argument", ("kept = probs * stays", "kept = probs.mul_(stays)")),
    Mistake("no-gradient", (SHARE, "(kept / kept.sum()).detach()")),
)

EXERCISE = Exercise(
    name="top-p", title="The nucleus", chapter=14, solution=my_top_p, shapes={"probs": "V", "p": "a number"},
    returns="V", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"ranked": "the probabilities in descending order", "before": "what the likelier words have before each",
        "kept": "what is kept"},
    differentiable=("probs",),
    space=space,
    hints=(
        "Sort in descending order first. A word stays as long as the likelier ones *before* it have less than p "
        "together. With 0.5, 0.25, 0.15, 0.1 and p = 0.7: how much comes before each of them?",
        "`ranked, order = probs.sort(descending=True)`; the running sum is `ranked.cumsum(0)`, and what comes before a "
        "word is that sum without the word itself. `order[i]` is the position in `probs` that the i-th likeliest word "
        "came from.",
        "Take the mask back to the vocabulary's order with `scatter`: its index is `order`, and what it writes is the "
        "mask. What is then left to do to `probs`?",
    ),
    why="Dropping the word with which the sum crosses p looks like the literal reading of “until p is reached”, "
        "and with p = 0.9 and a large vocabulary one word less goes unnoticed, until the model is sure: then the "
        "likeliest word has more than p by itself, nothing is left, and 0/0 is NaN. Forgetting to go back to the order "
        "of the vocabulary looks right because the numbers do: they are positive and sum to 1. Only the words are "
        "wrong.",
)
