"""Exercise rms-norm: each position divided by its root mean square, stretched as Gemma stores it."""

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_rms_norm(x, weight, eps):
    """Divide each position by its root mean square, and multiply by 1 + weight.

    x: (B, T, D), weight: (D,), eps: a number above 0 → (B, T, D)
    """
    square = x.square().mean(dim=-1, keepdim=True)  # (B, T, 1)
    size = (square + eps).sqrt()
    normed = x / size
    return normed * (1 + weight)


def example() -> tuple:
    return exact([[1, 7, 5], [0, 4, 2]]), exact(0, 1, 0.5), 11.0


def two_sentences() -> tuple:
    return exact([[1, 3], [0, 4]], [[2, 8], [6, 2]]), exact(2, 0.5), 4.0


def probes() -> list[tuple]:
    sizes = (2, 5, 7, 0.3), (3, 2, 5, 0.7), (5, 3, 2, 0.5)
    return [(draw(b, t, d, seed=160 + t) + 0.4, draw(d, seed=170 + t), eps) for b, t, d, eps in sizes]


def edges() -> list[tuple]:
    nothing = exact([[0, 0, 0], [5, 5, 5]])  # only eps is left below the root
    return [
        (nothing, exact(1, -1, 2), 1e-5),
        (draw(2, 3, 1, seed=191), draw(1, seed=192), 0.5),
        (1000 * draw(1, 2, 5, seed=194), draw(5, seed=195), 1e-5),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, D = pick.sizes(1, 1, 1)
    return pick.numbers(B, T, D, loud=300), pick.numbers(D), pick.of(1.0, 0.25, 1e-5)


# edits that are used several times
SQUARE, SIZE, OUT = "x.square().mean(dim=-1, keepdim=True)", "(square + eps).sqrt()", "normed * (1 + weight)"
CENTRED = "(x - x.mean(dim=-1, keepdim=True))"
SPREAD = SQUARE, f"{CENTRED}.square().mean(dim=-1, keepdim=True)"
UNBIASED = SQUARE, "x.var(dim=-1, keepdim=True)"


def over(dims: str) -> tuple:
    """The same over other axes."""
    return SQUARE, f"x.square().mean(dim={dims}, keepdim=True)"


# fmt: off
MISTAKES = (
    Mistake("weight-alone", (OUT, "normed * weight"),
        "the features are multiplied by the weight itself, as Llama's are. Gemma's weights begin at 0, and then "
        "nothing would come through.",
        "With which weight should nothing be stretched here?"),
    Mistake("layer-norm", (SPREAD, ("x / size", f"{CENTRED} / size")),
        "the mean is subtracted first. That is a layer norm; this norm leaves the mean where it is.",
        "Which mean does the formula contain: that of the numbers, or that of their squares?",
        also=((UNBIASED, ("x / size", f"{CENTRED} / size")),
              (UNBIASED, ("x / size", f"{CENTRED} / size"), (SIZE, "square.sqrt() + eps")))),
    Mistake("mean-subtracted-above", ("x / size", f"{CENTRED} / size"),
        "the mean is subtracted above the fraction bar, and not below it. This norm leaves the mean where it is.",
        "What stands above the fraction bar of the formula?"),
    Mistake("variance", SPREAD,
        "x is divided by its standard deviation, whose squares are of differences from the mean",
        "What is squared in the formula?", also=(UNBIASED, (UNBIASED, (SIZE, "square.sqrt() + eps")))),
    Mistake("square-of-the-mean", (SQUARE, "x.mean(dim=-1, keepdim=True).square()"),
        "the mean is squared. The formula takes the mean of the squares: 1 and −1 have the mean 0, but the mean "
        "square 1.", "Which comes first, the square or the mean?"),
    Mistake("sum-of-squares", (SQUARE, "x.square().sum(dim=-1, keepdim=True)"),
        "the squares are added up but not divided by D. You divide by the length of the vector, which grows with D.",
        "Which size should the entries of a long vector have afterwards?"),
    Mistake("d-outside-the-root", (
        (SQUARE, "x.square().sum(dim=-1, keepdim=True)"), (SIZE, "(square + eps).sqrt() / x.shape[-1]")),
        "D stands outside the root: the root of the sum is divided by D. The mean is taken below the root.",
        "What is the root of (1 + 49 + 25) / 3, and what is the root of 75, divided by 3?",
        also=(((SQUARE, "x.square().sum(dim=-1, keepdim=True)"), (SIZE, "square.sqrt() / x.shape[-1] + eps")),)),
    Mistake("divides-by-d-minus-1", (SQUARE, "x.square().sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)"),
        "the sum of squares is divided by D − 1 instead of D",
        "How many squares does the mean run over?"),
    Mistake("mean-absolute", ((SQUARE, "x.abs().mean(dim=-1, keepdim=True)"), (SIZE, "square + eps")),
        "you divide by the mean absolute value instead of the root of the mean square",
        "What is done to the numbers before their mean is taken?"),
    Mistake("eps-outside-the-root", (SIZE, "square.sqrt() + eps"),
        "eps is added after the root instead of before it",
        "The formula has one root. What is under it?"),
    Mistake("eps-in-the-sum", (SIZE, "(square + eps / x.shape[-1]).sqrt()"),
        "eps is added to the sum of squares, and divided by D with it. It should be added to their mean.",
        "In the example, is 11 added to 75 or to 25?"),
    Mistake("eps-as-a-floor", (SIZE, "square.sqrt().clamp(min=eps)"),
        "eps is the least that is divided by. In the formula it is always added.",
        "With a mean square of 25 and an eps of 11, by what does the formula divide?",
        also=((SIZE, "square.clamp(min=eps).sqrt()"),)),
    Mistake("no-eps", (SIZE, "square.sqrt()"),
        "eps is not used. A position of zeros then gets 0/0.",
        "What do you divide by if all numbers of a position are 0?"),
    Mistake("no-root", (SIZE, "square + eps"),
        "you divide by the mean square instead of its root. The mean squares are {square}.",
        "If every number is twice as large, how much larger is the mean square, and what should happen to the result?"),
    Mistake("not-divided", (SIZE, "1"),
        "nothing is divided: small and large positions stay small and large",
        "What should the mean square of a position be before the weight?"),
    Mistake("multiplied", ("x / size", "x * size"),
        "you multiply by the root mean square. Large positions become larger still.",
        "What should happen to a position whose numbers are all ten times as large?"),
    Mistake("no-weight", (OUT, "normed"),
        "the weight is not used", "Which of the three arguments is missing?"),
    Mistake("weight-first", (SQUARE, "(x * (1 + weight)).square().mean(dim=-1, keepdim=True)"),
        "the features are multiplied by 1 + w first, and their mean square is taken then. A large weight then makes "
        "all the other features smaller.",
        "Which numbers does the formula square: with the weight, or without?"),
    Mistake("weight-added", (OUT, "normed + weight"),
        "the weight is added to the features instead of stretching them",
        "Where does 1 + w stand in the formula?"),
    Mistake("one-added-to-the-result", (OUT, "1 + normed * weight"),
        "the 1 is added to the result instead of the weight",
        "Where are the brackets in the formula?"),
    Mistake("one-minus-weight", (OUT, "normed * (1 - weight)"),
        "the features are multiplied by 1 − w", "Which sign does the formula have?"),
    Mistake("over-positions", over("1"),
        "the mean runs over the positions of a sentence instead of the features of a position. Each word then depends "
        "on the others, the later ones too.",
        "Which axis is D, and which axis does your mean run over?"),
    Mistake("over-the-batch", over("0"),
        "the mean runs over the batch. A sentence then depends on its companions.",
        "Should a sentence know who else is in the batch?", two_sentences),
    Mistake("over-positions-and-features", over("(1, 2)"),
        "the mean runs over a whole sentence. Its words share it, so that the first learns of the last: in a language "
        "model this leaks the answer.",
        "How many means does a sentence of T positions have?"),
    Mistake("over-everything", over("(0, 1, 2)"),
        "there is one mean square for the whole tensor",
        "How many are needed for B sentences of T positions?", two_sentences),
    Mistake("writes-into-argument", ("x / size", "x.div_(size)")),
    Mistake("wrong-gradient", ("x / size", "x / size.detach()")),
)

EXERCISE = Exercise(
    name="rms-norm", title="A norm without a mean", chapter=19, solution=my_rms_norm,
    shapes={"x": "B T D", "weight": "D", "eps": "a number"}, returns="B T D",
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"square": "the mean squares", "size": "what each position is divided by", "normed": "the normed features"},
    differentiable=("x", "weight"),
    space=space,
    hints=(
        "How many mean squares does a tensor of shape (B, T, D) have here, if each position has its own?",
        "Work with shapes: the mean squares are (B, T, 1), and (B, T, D) can be divided by their roots. The weight is "
        "the same for all positions.",
        "In the example (1, 7, 5) has the squares 1, 49 and 25. What is their mean, and which number do you divide by "
        "after adding 11 and taking the root?",
    ),
    why="`F.rms_norm(x, (D,), weight)` looks like the answer, and for a Llama it is. But its weight is the factor "
        "itself, and a Gemma's weights, loaded into it, are near 0 where 1 is meant: no error, no wrong shape, only a "
        "model that says nothing. Two models with one formula can still store it differently.",
)
