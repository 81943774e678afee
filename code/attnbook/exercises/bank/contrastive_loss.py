"""Exercise contrastive-loss: texts that belong together, among the others of the batch."""

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_contrastive_loss(first, second, scale):
    """How badly each text of `first` finds its partner among all of `second`.

    first, second: (B, D), row i of one belongs to row i of the other; scale: a number → a number
    """
    one = first / first.norm(dim=-1, keepdim=True)
    two = second / second.norm(dim=-1, keepdim=True)
    cosine = one @ two.mT  # (B, B)
    logits = scale * cosine
    log_share = logits.log_softmax(dim=-1)  # each text of `first` chooses
    partner = log_share.diagonal()
    return -partner.mean()


# fmt: off
def example() -> tuple:
    return exact([3, 4], [1, 0]), exact([6, 8], [0, 2]), 3.0


def three() -> tuple:
    return draw(3, 2, seed=2010), draw(3, 2, seed=2011), 2.0


def steep() -> tuple:
    """A scale at which exponentials of the logits overflow."""
    return draw(5, 3, seed=2012), draw(5, 3, seed=2013), 1000.0


def large() -> tuple:
    return 50 * draw(3, 5, seed=2014), draw(3, 5, seed=2015) / 50, 5.0


def probes() -> list[tuple]:
    sizes = ((3, 5, 4.0), (7, 2, 0.5), (5, 11, 20.0))
    return [(draw(B, D, seed=2020 + B), draw(B, D, seed=2030 + B), s) for B, D, s in sizes]


def edges() -> list[tuple]:
    return [steep(), large(), three(), (draw(1, 3, seed=2040), draw(1, 3, seed=2041), 7.0)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, D = pick.sizes(1, 2)
    return pick.distinct(B, D) + 40, pick.distinct(B, D) - 40, pick.of(1.0, 20.0, 0.5, 1000.0)


# edits that are used several times
ONE, TWO = "first / first.norm(dim=-1, keepdim=True)", "second / second.norm(dim=-1, keepdim=True)"
LOGITS, SHARE = "scale * cosine", "logits.log_softmax(dim=-1)"
COSINE, PARTNER, MEAN = "one @ two.mT", "log_share.diagonal()", "-partner.mean()"
CHOOSE = "For a text of `first`, which numbers compete: a row of the table, or a column?"
LENGTH = "What would happen to your loss if all numbers of a text were doubled?"
RIGHT = "Which entries of the (B, B) table belong to pairs?"

MISTAKES = (
    Mistake("not-normalised", ((ONE, "first"), (TWO, "second")),
        "inner products are compared, not cosines. A long vector then seems close to everything.", LENGTH),
    Mistake("second-not-normalised", (TWO, "second"),
        "only `first` is scaled to length 1", LENGTH),
    Mistake("first-not-normalised", (ONE, "first"),
        "only `second` is scaled to length 1", LENGTH),
    Mistake("columns-normalised",
        ((ONE, "first / first.norm(dim=0, keepdim=True)"), (TWO, "second / second.norm(dim=0, keepdim=True)")),
        "each feature is scaled to length 1 over the batch. The length of a *text* is meant.",
        "Which axis of (B, D) is summed over in the length of one text?"),
    Mistake("one-length", (
        (ONE, "first / first.norm()"), (TWO, "second / second.norm()")),
        "all texts are divided by one length, that of the whole table", LENGTH),
    Mistake("squared-length", (
        (ONE, "first / (first * first).sum(-1, keepdim=True)"),
        (TWO, "second / (second * second).sum(-1, keepdim=True)")),
        "vectors are divided by their squared length", "What is the length of (3, 4)?"),
    Mistake("no-scale", (LOGITS, "cosine"),
        "`scale` is not used. Cosines lie between −1 and 1, so without it no choice can be clear.",
        "Which argument does your code not use?"),
    Mistake("divided-by-scale", (LOGITS, "cosine / scale"),
        "the cosines are divided by `scale`. Some papers write a temperature, which divides; a scale multiplies.",
        "Should a larger scale make the choice clearer, or less clear?"),
    Mistake("softmax-over-first", (SHARE, "logits.log_softmax(dim=0)"),
        "the texts of `first` compete for each text of `second`", CHOOSE),
    Mistake("both-directions", (MEAN, "-(partner.mean() + logits.log_softmax(dim=0).diagonal().mean()) / 2"),
        "both directions count, as in CLIP's loss. Here only `first` chooses.", CHOOSE,
        also=((MEAN, "-(partner.mean() + logits.log_softmax(dim=0).diagonal().mean())"),)),
    Mistake("softmax-twice", (SHARE, "logits.softmax(dim=-1).log_softmax(dim=-1)"),
        "softmax is applied twice. What comes out of the first lies between 0 and 1, and the second makes it nearly "
        "equal.", "What does the function that takes your logarithm do with its input first?"),
    Mistake("scale-twice", (LOGITS, "scale**2 * cosine"),
        "`scale` is used twice, once for each text of a pair. It should multiply the cosine.",
        "If both vectors are twice as long, how much larger is their inner product?"),
    Mistake("each-pair-by-itself", (MEAN, "logits.exp().log1p().mean() - logits.diagonal().sum() / len(first) ** 2"),
        "each entry of the table is judged by itself, yes or no (binary cross-entropy). Here each text of `first` "
        "chooses one of B.", "If a text's partner gets more, should the other texts of its row get less?"),
    Mistake("shares-for-logs", (SHARE, "logits.softmax(dim=-1)"),
        "the shares themselves are averaged, without a logarithm",
        "What is −log(1/8), and where is the logarithm in your code?"),
    Mistake("no-softmax", (SHARE, "logits"),
        "nothing competes: only the cosines of pairs enter. If all texts had one and the same vector, this would be "
        "as small as it can get.", "Where do the other texts of the batch enter your loss?",
        also=((MEAN, "(1 - cosine.diagonal()).mean()"),)),
    Mistake("softmax-over-everything", (SHARE, "logits.flatten().log_softmax(dim=0).view(logits.shape)"),
        "one softmax runs over the whole table", CHOOSE),
    Mistake("partner-left-out", (
        (SHARE, "logits - (logits.exp().sum(-1, keepdim=True) - logits.exp().diagonal()[:, None]).log()"),),
        "the partner itself is left out of the sum below. The share of a pair can then exceed 1.",
        "Among how many texts does each one choose?", three),
    Mistake("sum", (MEAN, "-partner.sum()"),
        "the losses are added up and not averaged", "Would a batch of twice the size give the same number?"),
    Mistake("mean-of-the-table", (PARTNER, "log_share"),
        "all entries of the table are averaged, those of strangers among them", RIGHT),
    Mistake("log-of-the-mean", (MEAN, "-partner.exp().mean().log()"),
        "the shares are averaged first, and the logarithm is taken of their mean. Then a hopeless pair hides behind "
        "the others.", "How many losses are there, and what is averaged?"),
    Mistake("other-diagonal", (PARTNER, "log_share.flip(1).diagonal()"),
        "the other diagonal is taken", RIGHT),
    Mistake("first-column", (PARTNER, "log_share[:, 0]"),
        "one and the same text of `second` counts as everyone's partner", RIGHT,
        also=((PARTNER, "log_share[:, 1]"),)),
    Mistake("log-likelihood", (MEAN, "partner.mean()"),
        "the minus is missing. Making this number smaller would push pairs apart.",
        "Should a better model have a smaller or a larger loss?"),
    Mistake("exp-overflows", (SHARE, "logits - logits.exp().sum(-1, keepdim=True).log()"),
        "the exponentials are taken of the logits as they are. exp(1000) is ∞; with a moderate scale you are right.",
        "What may be subtracted from a row of logits without changing its shares?", steep,
        also=((SHARE, "(logits.exp() / logits.exp().sum(-1, keepdim=True)).log()"),)),
    Mistake("distances", (COSINE, "-(one[:, None] - two).norm(dim=-1)"),
        "negative distances are compared in place of cosines",
        "Two unit vectors at a right angle: what is their cosine, and what is their distance?"),
    Mistake("returns-a-number", (MEAN, "-partner.mean().item()")),
)
EXERCISE = Exercise(
    name="contrastive-loss", title="Find your partner", chapter=20, solution=my_contrastive_loss,
    shapes={"first": "B D", "second": "B D", "scale": "a number"}, returns="", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES,
    steps={"cosine": "the cosines", "logits": "the logits", "partner": "the log-shares of the partners"},
    differentiable=("first", "second"),
    space=space,
    hints=(
        "How long are the four vectors of the example? Make them unit vectors and write down the table of their "
        "cosines, texts of `first` down, texts of `second` across.",
        "Each row is a choice among B texts: scale, softmax, and the right answer of row i is column i. It is the "
        "cross-entropy of chapter 11, with classes that are new in each batch.",
        "`x.norm(dim=-1, keepdim=True)` is the length of each row. `log_softmax` does not overflow where the scale is "
        "1000, and `diagonal()` takes the entries (i, i).",
    ),
    why="A loss of the pairs alone, one minus their cosine, looks sensible and falls to zero: by giving all texts the "
        "same vector. Only the strangers in the denominator keep the vectors apart, and that is why such models are "
        "trained with large batches.",
)
