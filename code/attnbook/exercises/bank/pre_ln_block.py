"""Exercise pre-ln-block: put a pre-LN block together from its four parts."""

from ..arguments import Described, draw, exact
from ..exercise import Exercise, Mistake


def my_pre_ln_block(x, attend, feed_forward, norm1, norm2):
    """Attention, then the network, each on a normalised input and inside a residual.

    x: (B, T, D); attend, feed_forward, norm1, norm2: functions (B, T, D) → (B, T, D)
    → (B, T, D)
    """
    h = norm1(x)  # (B, T, D), and so is everything below
    heard = attend(h)
    y = x + heard
    u = norm2(y)
    thought = feed_forward(u)
    return y + thought


def _norm(gain: float, shift: float) -> Described:
    def norm(h):
        centred = h - h.mean(-1, keepdim=True)
        return gain * centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() + shift

    return Described("a layer norm with gain {gain} and shift {shift}", norm, gain=gain, shift=shift)


# fmt: off
PENCIL = (  # simple enough for a pencil
    Described("the mean of all positions", lambda h: h.mean(1, keepdim=True).expand_as(h)),
    Described("max(0, h)", lambda h: h.clamp(min=0)),
    Described("h − its mean", lambda h: h - h.mean(-1, keepdim=True)),
    Described("2·(h − its mean)", lambda h: 2 * (h - h.mean(-1, keepdim=True))),
)
PARTS = (
    Described("a self-attention", lambda h: 1.3 * (h @ h.mT / h.shape[-1] ** 0.5).softmax(-1) @ h),
    Described("a position-wise network", lambda h: 0.8 * (1.5 * h).tanh() + 0.1 * h.square()),
    _norm(1.4, 0.1), _norm(0.6, -0.2),
)
# fmt: on


def example() -> tuple:
    return exact([[1, 3], [0, 4]]), *PENCIL


def two_sentences() -> tuple:
    return exact([[1, 3], [0, 4]], [[2, 2], [4, 0]]), *PENCIL


def probes() -> list[tuple]:
    sizes = (2, 5, 7), (3, 2, 5), (5, 3, 2)
    return [(draw(*size, seed=90 + i), *PARTS) for i, size in enumerate(sizes)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    return pick.numbers(*pick.sizes(1, 1, 1)), *pick.of(PENCIL, PARTS)


# edits that are used several times
H, HEARD, Y, U, THOUGHT = "norm1(x)", "attend(h)", "x + heard", "norm2(y)", "feed_forward(u)"  # fmt: skip
OUT = "y + thought"

# fmt: off
MISTAKES = (
    Mistake("post-ln", ((H, "x"), (Y, "norm1(x + heard)"), (U, "y"), (OUT, "norm2(y + thought)")),
        "each norm is applied to a sum instead of to what goes into a sublayer. That is a post-LN block, as in the "
        "paper of 2017: a good one, but here the first sum should pass on as it is.",
        "In a pre-LN block, what is there on the way from x to the output besides two sums?"),
    Mistake("no-norm", ((H, "x"), (U, "y")),
        "both sublayers get their input as it is: neither norm is used",
        "Which two of the five arguments does your function never call?"),
    Mistake("norm-on-the-residual", ((Y, "h + heard"), (OUT, "u + thought")),
        "x is overwritten by its norm before the sum, in both halves. After the first norm x is gone, and nothing "
        "can bring back the mean that was subtracted.",
        "To which tensor should the output of attention be added: to what attention got, or to what the block got?"),
    Mistake("norm-on-the-first-residual", (Y, "h + heard"),
        "the first sum takes the output of norm1 instead of x. The second half is right.",
        "Which name in your first sum still holds the block's own input?"),
    Mistake("norm-on-the-second-residual", (OUT, "u + thought"),
        "the second sum takes the output of norm2 instead of the first sum. The first half is right.",
        "Which tensor enters the second half, before anything is done to it?"),
    Mistake("no-first-residual", (Y, "heard"),
        "the first half returns attention's output alone: after attention x is gone",
        "What does a word still know of itself if attention's output takes its place?"),
    Mistake("no-second-residual", (OUT, "thought"),
        "the second half returns the network's output alone, and the first sum is lost. It was {y}.",
        "Where does the gradient go that should flow past the network?"),
    Mistake("no-residual", ((Y, "heard"), (OUT, "thought")),
        "the sublayers are chained without a residual. Two words that differ come out alike.",
        "If attention and the network both returned zeros, what should the block return?"),
    Mistake("first-norm-twice", (U, "norm1(y)"),
        "norm1 is used in both halves",
        "In a fresh model both norms do the same, and this would not show. What does a norm learn that the two "
        "places need differently?"),
    Mistake("norms-swapped", ((H, "norm2(x)"), (U, "norm1(y)")),
        "norm1 and norm2 have changed places", "Which norm comes first on the way through the block?"),
    Mistake("network-without-norm", (U, "y"),
        "the network gets the sum itself and norm2 is never called. What it gets is {y}.",
        "What keeps the network's input in its range when the stream has grown over many layers?"),
    Mistake("attention-without-norm", (H, "x"),
        "attention gets x itself and norm1 is never called. It would give {h}.",
        "What happens to attention's scores if the stream has grown to ten times its size?"),
    Mistake("parallel", (U, "norm2(x)"),
        "both sublayers read x, and their outputs are added up in parallel. Some models do that; here the network "
        "comes after attention.", "What should the network know that x alone does not tell it?"),
    Mistake("parallel-with-one-norm", (U, "h"),
        "one normalised input goes to both sublayers. The network has not heard attention, and norm2 is never called.",
        "What is there between the two sublayers that the second one should start from?"),
    Mistake("skips-the-first-half", (OUT, "x + thought"),
        "the second residual starts from the input of the block. What attention added, {heard}, is thrown away.",
        "Two lines, two sums: does the second begin where the first one ended?"),
    Mistake("norm-behind-the-sublayer", ((H, "x"), (Y, "x + norm1(heard)"), (U, "y"), (OUT, "y + norm2(thought)")),
        "each norm is behind its sublayer, inside the branch: you normalise what comes *out* of it",
        "What does the *pre* in pre-LN come before?"),
    Mistake("norm-at-the-end", (OUT, "norm2(y + thought)"),
        "norm2 is applied once more to the result. A pre-LN model has one such norm after the *last* block, and it "
        "belongs to the model.", "How many norms does the block have, and how many does your function apply?"),
    Mistake("mixed", ((U, "y"), (OUT, "norm2(y + thought)")),
        "the second norm is applied after its sum. The first half is pre-LN and right; the second is post-LN.",
        "Do both halves of your function have the same form?"),
    Mistake("first-of-the-batch", (Y, "x + heard[0]"),
        "`[0]` is taken of what attend returns, as if it were a pair. Every sentence gets what attention found for "
        "the *first* one; `attend` returns the output itself, with no weights beside it.",
        "What does `[0]` pick from a tensor of shape (B, T, D)?", two_sentences),
    Mistake("network-first", ((HEARD, "feed_forward(h)"), (THOUGHT, "attend(u)")),
        "the network comes first and attention second. The network has then heard no other word.",
        "Which of the two gathers, and which of them works on what was gathered?"),
    Mistake("one-branch", ((Y, "heard"), (OUT, "x + thought")),
        "there is a single residual around the whole block. Each sublayer needs a sum of its own: what attention "
        "found, {heard}, reaches the output only through the network.",
        "How many ways past the network should there be for what attention found?"),
    Mistake("writes-into-argument", (Y, "x.add_(heard)")),
)

EXERCISE = Exercise(
    name="pre-ln-block", title="A pre-LN block from its parts", chapter=9, solution=my_pre_ln_block,
    shapes={"x": "B T D"} | dict.fromkeys(("attend", "feed_forward", "norm1", "norm2"), "a function"), returns="B T D",
    example=example, probes=probes, edges=lambda: [(draw(1, 1, 3, seed=95), *PARTS)], mistakes=MISTAKES,
    steps={"h": "the first norm gives", "heard": "attention makes of it", "y": "the first sum is",
        "u": "the second norm gives", "thought": "the network makes of it"},
    differentiable=("x",),
    space=space,
    hints=(
        "Two halves of the same form, one for `attend` and one for `feed_forward`. In each, a norm is the first thing "
        "that happens on the branch, and a sum the last.",
        "There is nothing but sums on the way from x to the result. If both sublayers returned zeros, the block would "
        "return x itself: test your code with `attend = feed_forward = torch.zeros_like`.",
        "Write the first half as one line and give its result a name of its own (`x += …` would change your caller's "
        "x). What does the second half do to that name, and with which two functions?",
    ),
    why="A block with a norm in the wrong place runs, keeps the shape and usually trains: post-LN, parallel "
        "branches and norms behind the sublayer are all in use somewhere. And in a fresh model both norms do the same, "
        "so that even using one of them twice passes every test on untrained weights. Only numbers tell, and only with "
        "norms that differ.",
)
