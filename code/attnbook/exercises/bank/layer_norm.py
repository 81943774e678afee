"""Exercise layer-norm: one position's features to mean 0 and variance 1, then stretched and shifted."""

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_layer_norm(x, gain, shift, eps):
    """Normalise each position over its features, then stretch and shift each feature.

    x: (B, T, D), gain: (D,), shift: (D,), eps: a number above 0 → (B, T, D)
    """
    mean = x.mean(dim=-1, keepdim=True)  # (B, T, 1)
    centred = x - mean  # (B, T, D)
    variance = centred.square().mean(dim=-1, keepdim=True)  # (B, T, 1)
    size = (variance + eps).sqrt()
    normed = centred / size
    return gain * normed + shift


def example() -> tuple:
    return exact([[1, 3, 5, 7], [0, 8, 8, 8]]), exact(3, 6, 3, 3), exact(0, 0, 0, 1), 4.0


def two_sentences() -> tuple:
    return exact([[1, 3], [0, 4]], [[2, 8], [6, 2]]), exact(2, 3), exact(0, 1), 4.0


def probes() -> list[tuple]:
    sizes = (2, 5, 7, 0.3), (3, 2, 5, 0.7), (5, 3, 2, 0.5)
    return [
        (draw(b, t, d, seed=60 + t) + 0.4, draw(d, seed=70 + t) + 1.2, draw(d, seed=80 + t), eps)
        for b, t, d, eps in sizes
    ]


def edges() -> list[tuple]:
    flat = exact([[2, 2, 2], [5, 5, 5]])  # no variance: only eps is left below the root
    return [
        (flat, exact(1, 2, 3), exact(1, 0, 2), 1e-5),
        (draw(2, 3, 1, seed=91), draw(1, seed=92), draw(1, seed=93), 1e-5),
        (1000 * draw(1, 2, 5, seed=94), draw(5, seed=95), draw(5, seed=96), 1e-5),
        (1000 + exact([[1, 3, -2, 0], [0, 5, 1, -4]]) / 8, exact(3, 6, 3, 3), exact(0, 0, 0, 1), 0.01),  # far from 0
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, D = pick.sizes(1, 1, 1)
    return pick.numbers(B, T, D, loud=300), pick.numbers(D), pick.numbers(D), pick.of(1.0, 0.25, 1e-5)


# edits that are used several times
MEAN, SQUARES = "x.mean(dim=-1, keepdim=True)", "centred.square().mean(dim=-1, keepdim=True)"
SIZE, OUT = "(variance + eps).sqrt()", "gain * normed + shift"


def over(dims: str) -> tuple:
    """The same over other axes."""
    return (MEAN, f"x.mean(dim={dims}, keepdim=True)"), (SQUARES, f"centred.square().mean(dim={dims}, keepdim=True)")


# fmt: off
MISTAKES = (
    Mistake("divides-by-d-minus-1", (SQUARES, "centred.square().sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)"),
        "the sum of squares is divided by D − 1 instead of D. That is what `var` and `std` do unless told otherwise: "
        "the estimate for a sample. A layer norm wants the mean of these D squares.",
        "Which argument of `var` turns the correction off?"),
    Mistake("float32", (SQUARES, "x.square().mean(dim=-1, keepdim=True) - mean.square()")),
    Mistake("eps-outside-the-root", (SIZE, "variance.sqrt() + eps"),
        "eps is added after the root instead of before it",
        "The formula has one root. What is under it?"),
    Mistake("no-eps", (SIZE, "variance.sqrt()"),
        "eps is not used. A position whose features are all equal then gets 0/0.",
        "What is the variance of (2, 2, 2), and what do you divide by?"),
    Mistake("no-root", (SIZE, "variance + eps"),
        "you divide by the variance instead of its root. The variance is {variance}.",
        "If every feature is twice as large, how much larger is the variance, and what should happen to the result?"),
    Mistake("not-divided", (SIZE, "1"),
        "the mean is subtracted but nothing is divided: small and large positions stay small and large",
        "What should the variance of a position be before gain and shift?"),
    Mistake("rms-norm", (MEAN, "0"),
        "the mean is not subtracted. That is RMSNorm, which many recent models use; here the mean goes first.",
        "What is the mean of (1, 3, 5, 7), and of your result before gain and shift?"),
    Mistake("mean-kept-in-the-quotient", ("centred / size", "x / size"),
        "the variance is that of the centred features, but x itself is divided by its root",
        "Which of your tensors has mean 0?"),
    Mistake("mean-absolute-difference",
        ((SQUARES, "centred.abs().mean(dim=-1, keepdim=True)"), (SIZE, "variance + eps")),
        "you divide by the mean absolute difference instead of the standard deviation",
        "What is done to the differences before their mean is taken?"),
    Mistake("sum-of-squares", (SQUARES, "centred.square().sum(dim=-1, keepdim=True)"),
        "the squares are added up but not divided by D",
        "Would your result keep its size if D were twice as large?"),
    Mistake("over-positions", over("1"),
        "you average over the positions of a sentence instead of over the features of a position. Each word then "
        "depends on the others, the later ones too.",
        "Which axis is D, and which axis does your mean run over?"),
    Mistake("over-the-batch", over("0"),
        "you average over the batch. A sentence then depends on its companions.",
        "Should a sentence know who else is in the batch?", two_sentences),
    Mistake("batch-norm", over("(0, 1)"),
        "each feature is normalised over all positions of all sentences. That is batch norm.",
        "For which axis does every position have numbers of its own?", two_sentences),
    Mistake("over-positions-and-features", over("(1, 2)"),
        "mean and variance are taken over a whole sentence. The words of a sentence share them, so that the first word "
        "learns of the last: in a decoder this leaks the future.",
        "How many means does a sentence of T positions have?"),
    Mistake("over-everything", over("(0, 1, 2)"),
        "there is one mean and one variance for the whole tensor",
        "How many means are needed for B sentences of T positions?", two_sentences),
    Mistake("no-gain", (OUT, "normed + shift"), "the gain is not used", "Which of the four arguments is missing?"),
    Mistake("no-shift", (OUT, "gain * normed"), "the shift is not used", "Which of the four arguments is missing?"),
    Mistake("shift-before-gain", (OUT, "gain * (normed + shift)"),
        "the shift is added before the gain multiplies, so it is stretched as well",
        "Where are the brackets in the formula?"),
    Mistake("one-plus-gain", (OUT, "(1 + gain) * normed + shift"),
        "the features are multiplied by 1 + gain. Some models store the gain that way; here it is the factor itself.",
        "With which gain should nothing be stretched?"),
    Mistake("writes-into-argument", ("x - mean", "x.sub_(mean)")),
    Mistake("wrong-gradient", ("centred / size", "centred / size.detach()")),
)

EXERCISE = Exercise(
    name="layer-norm", title="A layer norm by hand", chapter=9, solution=my_layer_norm,
    shapes={"x": "B T D", "gain": "D", "shift": "D", "eps": "a number"}, returns="B T D",
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"mean": "the mean of each position", "centred": "the differences from it", "variance": "the variances",
        "size": "what they are divided by", "normed": "the normalised features"},
    differentiable=("x", "gain", "shift"),
    space=space,
    hints=(
        "How many means does a tensor of shape (B, T, D) have here, if each position has its own?",
        "Work with shapes: mean and variance are (B, T, 1), so you can subtract one from (B, T, D) and divide by the "
        "root of the other. The gain and the shift are the same for all positions.",
        "`mean` takes `dim` and `keepdim`. If you use `var` instead of your own squares, look at its argument "
        "`correction`. Where does eps go, before or after the root?",
    ),
    why="`x.std(-1)` looks like the denominator, and with D = 768 it nearly is: it divides by D − 1, which makes it "
        "too large by less than a tenth of a percent, and training hides that. With D = 4 it is too large by 15 %. "
        "Averaging over one axis too many is worse: it also runs and trains, and lets every word see the whole "
        "sentence.",
)
