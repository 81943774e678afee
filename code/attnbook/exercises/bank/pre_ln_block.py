"""Exercise: put a pre-LN block together from its four parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ..legacy import Exercise, Mistake, draw, exact, slip
from ..observe import copies
from ..verdict import Finding


def solution(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))  # (B, T, D)
    return x + feed_forward(norm2(x))


@dataclass(frozen=True)
class Part:
    """A function from (B, T, D) to (B, T, D) that can say what it does.

    Args:
        described: what it does, in a few words.
        function: the function.
    """

    described: str
    function: Callable[[Tensor], Tensor]

    def __call__(self, h: Tensor) -> Tensor:
        return self.function(h)

    def __rmul__(self, factor: float) -> Part:
        """The same part, louder: how the checker asks whether a part matters."""
        return Part(
            f"{factor:g}·({self.described})", lambda h: factor * self.function(h)
        )


# --- the parts: simple enough for a pencil, and then less simple ----------------------------------------------------

MEAN_OF_POSITIONS = Part(
    "the mean of all positions", lambda h: h.mean(1, keepdim=True).expand_as(h)
)
CLIPPED = Part("max(0, h)", lambda h: h.clamp(min=0))
CENTRED = Part("h − its mean", lambda h: h - h.mean(-1, keepdim=True))
CENTRED_TWICE = Part("2·(h − its mean)", lambda h: 2 * (h - h.mean(-1, keepdim=True)))


def _look_around(h: Tensor) -> Tensor:
    return 1.3 * (h @ h.transpose(-2, -1) / h.shape[-1] ** 0.5).softmax(-1) @ h


def _layer_norm(gain: float, shift: float) -> Part:
    def norm(h: Tensor) -> Tensor:
        centred = h - h.mean(-1, keepdim=True)
        return (
            gain * centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
            + shift
        )

    return Part(f"a layer norm with gain {gain} and shift {shift}", norm)


ATTENTION = Part("a self-attention", _look_around)
NETWORK = Part(
    "a position-wise network", lambda h: 0.8 * (1.5 * h).tanh() + 0.1 * h.square()
)
NORMS = _layer_norm(1.4, 0.1), _layer_norm(0.6, -0.2)


def example() -> tuple:
    return exact([[1, 3], [0, 4]]), MEAN_OF_POSITIONS, CLIPPED, CENTRED, CENTRED_TWICE


def two_sentences() -> tuple:
    x = exact([[1, 3], [0, 4]], [[2, 2], [4, 0]])
    return x, MEAN_OF_POSITIONS, CLIPPED, CENTRED, CENTRED_TWICE


def probes() -> list[tuple]:
    shapes = ((2, 5, 7), (3, 2, 5), (5, 3, 2))
    return [
        (draw(*shape, seed=90 + i), ATTENTION, NETWORK, *NORMS)
        for i, shape in enumerate(shapes)
    ]


def edges() -> list[tuple]:
    return [(draw(1, 1, 3, seed=95), ATTENTION, NETWORK, *NORMS)]


def steps(x, attend, feed_forward, norm1, norm2) -> list[tuple[str, object]]:
    heard = attend(norm1(x))
    return [
        ("the first norm gives", norm1(x)),
        ("attention makes of it", heard),
        ("the first sum is", x + heard),
        ("the second norm gives", norm2(x + heard)),
        ("the network makes of it", feed_forward(norm2(x + heard))),
    ]


# --- the same in steps that can go wrong ----------------------------------------------------------------------------


def pipeline(
    x,
    attend,
    feed_forward,
    norm1,
    norm2,
    *,
    hear=lambda x, n1, n2: n1(x),
    add=lambda x, h, a, n1, n2: x + a,
    think=lambda x, a, y, n1, n2: n2(y),
    join=lambda x, y, h, f, n1, n2: y + f,
    finish=lambda x, z, n1, n2: z,
):
    h = hear(x, norm1, norm2)
    a = attend(h)
    y = add(x, h, a, norm1, norm2)
    h = think(x, a, y, norm1, norm2)
    z = join(x, y, h, feed_forward(h), norm1, norm2)
    return finish(x, z, norm1, norm2)


def network_first(x, attend, feed_forward, norm1, norm2):
    y = x + feed_forward(norm1(x))
    return y + attend(norm2(y))


def network_first_with_its_own_norm(x, attend, feed_forward, norm1, norm2):
    y = x + feed_forward(norm2(x))
    return y + attend(norm1(y))


def attention_twice(x, attend, feed_forward, norm1, norm2):
    y = x + attend(norm1(x))
    return y + attend(norm2(y))


def network_twice(x, attend, feed_forward, norm1, norm2):
    y = x + feed_forward(norm1(x))
    return y + feed_forward(norm2(y))


def one_branch(x, attend, feed_forward, norm1, norm2):
    return x + feed_forward(norm2(attend(norm1(x))))


def writes(x, attend, feed_forward, norm1, norm2):
    x += attend(norm1(x))
    x += feed_forward(norm2(x))
    return x


WRONG = (
    Mistake(
        "post-ln",
        slip(
            pipeline,
            hear=lambda x, n1, n2: x,
            add=lambda x, h, a, n1, n2: n1(x + a),
            think=lambda x, a, y, n1, n2: y,
            join=lambda x, y, h, f, n1, n2: n2(y + f),
        ),
        "after the sum",
        "{seen}Both norms stand behind the sums, as in the paper of 2017. That is a post-LN block: a "
        "good one, but here "
        "the first sum, (−0.5, 4.5) for the first word, should pass on as it is.",
        "each norm is applied to a sum instead of to what goes into a sublayer",
        "In a pre-LN block, what stands on the way from x to the output besides two sums?",
    ),
    Mistake(
        "no-norm",
        slip(pipeline, hear=lambda x, n1, n2: x, think=lambda x, a, y, n1, n2: y),
        "no norm at all",
        "{seen}Neither norm1 nor norm2 has a say: attention gets 1 and 3 where it should get −1 and 1.",
        "both sublayers get their input as it is",
        "Which two of the five arguments does your function never call?",
    ),
    Mistake(
        "norm-on-the-residual",
        slip(
            pipeline,
            add=lambda x, h, a, n1, n2: h + a,
            join=lambda x, y, h, f, n1, n2: h + f,
        ),
        "what is added back",
        "{seen}You add each sublayer's output to its *normalised* input. Behind the first norm x is "
        "gone: from (1, 3) "
        "only (−1, 1) is left, and nothing can bring the 2 in the middle back.",
        "x is overwritten by its norm before the sum, in both halves",
        "To which tensor should the output of attention be added: to what attention got, or to what the "
        "block got?",
    ),
    Mistake(
        "norm-on-the-first-residual",
        slip(pipeline, add=lambda x, h, a, n1, n2: h + a),
        "what is added back, first half",
        "{seen}In the first half you add attention's output to (−1, 1), the normalised input. The sum "
        "should begin with "
        "(1, 3). The second half is right.",
        "the first sum takes the output of norm1 instead of x",
        "Which name in your first sum still holds the block's own input?",
    ),
    Mistake(
        "norm-on-the-second-residual",
        slip(pipeline, join=lambda x, y, h, f, n1, n2: h + f),
        "what is added back, second half",
        "{seen}In the second half you add the network's output to (−5, 5), the output of norm2. The sum "
        "should begin with "
        "(−0.5, 4.5). The first half is right.",
        "the second sum takes the output of norm2 instead of the first sum",
        "Which tensor enters the second half, before anything is done to it?",
    ),
    Mistake(
        "no-first-residual",
        slip(pipeline, add=lambda x, h, a, n1, n2: a),
        "a sum is missing, first half",
        "{seen}Behind attention x is gone: you go on with (−1.5, 1.5), which is what attention *adds*.",
        "the first half returns attention's output alone",
        "What does a word still know of itself if attention's output takes its place?",
    ),
    Mistake(
        "no-second-residual",
        slip(pipeline, join=lambda x, y, h, f, n1, n2: f),
        "a sum is missing, second half",
        "{seen}You return what the network *adds*, (0, 5) for the first word, and the first sum, (−0.5, "
        "4.5), is lost.",
        "the second half returns the network's output alone",
        "Where does the gradient go that should flow past the network?",
    ),
    Mistake(
        "no-residual",
        slip(
            pipeline, add=lambda x, h, a, n1, n2: a, join=lambda x, y, h, f, n1, n2: f
        ),
        "both sums are missing",
        "{seen}Nothing is added to anything: the four parts stand one behind the other, and two words that "
        "differ, (1, 3) and (0, 4), come out alike.",
        "the sublayers are chained without a residual",
        "If attention and the network both returned zeros, what should the block return?",
    ),
    Mistake(
        "first-norm-twice",
        slip(pipeline, think=lambda x, a, y, n1, n2: n1(y)),
        "the same norm twice",
        "{seen}The network gets norm1's output, (−2.5, 2.5) for the first word; norm2, which doubles, "
        "would give (−5, 5).",
        "norm1 is used in both halves",
        "In a fresh model both norms do the same, and this would not show. What does a norm learn that two "
        "places in a block need differently?",
    ),
    Mistake(
        "second-norm-twice",
        slip(pipeline, hear=lambda x, n1, n2: n2(x)),
        "the same norm twice",
        "{seen}Attention gets norm2's output, (−2, 2) for the first word; norm1 gives (−1, 1).",
        "norm2 is used in both halves",
        "Which of the two norms does your function never call?",
    ),
    Mistake(
        "norms-swapped",
        slip(
            pipeline, hear=lambda x, n1, n2: n2(x), think=lambda x, a, y, n1, n2: n1(y)
        ),
        "norms in each other's place",
        "{seen}Attention gets norm2's output, (−2, 2) for the first word, and the network gets norm1's.",
        "norm1 and norm2 have changed places",
        "Which norm comes first on the way through the block?",
    ),
    Mistake(
        "network-without-norm",
        slip(pipeline, think=lambda x, a, y, n1, n2: y),
        "the second norm is missing",
        "{seen}The network gets the first sum as it is, (−0.5, 4.5), where norm2 would give (−5, 5).",
        "the network is fed with the sum itself, and norm2 is never called",
        "What keeps the network's input in its range when the stream has grown over many layers?",
    ),
    Mistake(
        "attention-without-norm",
        slip(pipeline, hear=lambda x, n1, n2: x),
        "the first norm is missing",
        "{seen}Attention gets x as it is, (1, 3) and (0, 4), where norm1 would give (−1, 1) and (−2, 2).",
        "attention is fed with x itself, and norm1 is never called",
        "What happens to attention's scores if the stream has grown to ten times its size?",
    ),
    Mistake(
        "parallel",
        slip(pipeline, think=lambda x, a, y, n1, n2: n2(x)),
        "side by side",
        "{seen}The network gets norm2 of the block's *input*, (−2, 2) for the first word, and has not "
        "heard attention. Some "
        "models do add both branches side by side; here the network comes after.",
        "both sublayers read x, and their outputs are added up in parallel",
        "What should the network know that x alone does not tell it?",
    ),
    Mistake(
        "parallel-with-one-norm",
        slip(pipeline, think=lambda x, a, y, n1, n2: n1(x)),
        "side by side, one norm",
        "{seen}Attention and the network both get norm1 of the block's *input*, (−1, 1) for the first "
        "word. The network has "
        "not heard attention, and norm2 is never called.",
        "one normalised input is handed to both sublayers",
        "What is there between the two sublayers that the second one should start from?",
    ),
    Mistake(
        "network-hears-attention-only",
        slip(pipeline, think=lambda x, a, y, n1, n2: n2(a)),
        "what the network gets",
        "{seen}The network gets norm2 of attention's output, (−3, 3), instead of norm2 of the first "
        "sum, (−5, 5).",
        "norm2 is applied to attention's output before the sum",
        "Which of your tensors holds the word *and* what it has heard?",
    ),
    Mistake(
        "skips-the-first-half",
        slip(pipeline, join=lambda x, y, h, f, n1, n2: x + f),
        "what is added back, second half",
        "{seen}The second sum begins with the block's input (1, 3) again; what attention added, (−1.5, 1.5), "
        "is thrown away.",
        "the second residual starts from the input of the block",
        "Two lines, two sums: does the second begin where the first one ended?",
    ),
    Mistake(
        "adds-x-again",
        slip(pipeline, join=lambda x, y, h, f, n1, n2: x + y + f),
        "x is counted twice",
        "{seen}Your output holds x twice: the first sum contains it already, and you add it once more.",
        "the block's input is added in both halves",
        "How often does x occur in the final sum if you write it out without brackets?",
    ),
    Mistake(
        "norm-behind-the-sublayer",
        slip(
            pipeline,
            hear=lambda x, n1, n2: x,
            add=lambda x, h, a, n1, n2: x + n1(a),
            think=lambda x, a, y, n1, n2: y,
            join=lambda x, y, h, f, n1, n2: y + n2(f),
        ),
        "before or behind",
        "{seen}You normalise what comes *out* of each sublayer; the network gets (−0.5, 4.5) as it is.",
        "each norm stands behind its sublayer, inside the branch",
        "What does the *pre* in pre-LN come before?",
    ),
    Mistake(
        "norm-at-the-end",
        slip(pipeline, finish=lambda x, z, n1, n2: n2(z)),
        "one norm too many",
        "{seen}A norm is applied to the finished block. In a pre-LN model there is one such norm, "
        "behind the *last* of all "
        "blocks, and it belongs to the model.",
        "norm2 is applied once more to the result",
        "How many norms has the block, and how many does your function apply?",
    ),
    Mistake(
        "mixed",
        slip(
            pipeline,
            think=lambda x, a, y, n1, n2: y,
            join=lambda x, y, h, f, n1, n2: n2(y + f),
        ),
        "half pre, half post",
        "{seen}The first half is pre-LN and right. The second is post-LN: the network gets (−0.5, 4.5) "
        "as it is, and "
        "norm2 comes after the sum.",
        "the second norm is applied after its sum",
        "Do both halves of your function have the same shape?",
    ),
    Mistake(
        "first-of-the-batch",
        slip(pipeline, add=lambda x, h, a, n1, n2: x + a[0]),
        "an index too many",
        "{seen}Every sentence gets what attention found for the *first* sentence of the batch. Here "
        "`attend` returns the "
        "output itself, with no weights beside it.",
        "`[0]` is taken of what attend returns, as if it were a pair",
        "What does `[0]` pick from a tensor of shape (B, T, D)?",
        example=two_sentences,
    ),
    Mistake(
        "network-first",
        network_first,
        "the order of the sublayers",
        "{seen}The network comes first and attention second. The first word's network gets (−1, 1) and "
        "has heard nobody.",
        "feed_forward and attend have changed places",
        "Which of the two collects, and which of them works on what was collected?",
    ),
    Mistake(
        "network-first-with-its-own-norm",
        network_first_with_its_own_norm,
        "the order of the halves",
        "{seen}The second half comes first: the network, behind norm2, works on x before anybody has attended.",
        "the two lines have changed places",
        "Which line should see the block's own input, and which one the first sum?",
    ),
    Mistake(
        "attention-twice",
        attention_twice,
        "a part is never used",
        "{seen}`attend` is called in both halves, `feed_forward` in none.",
        "the second half calls attend again",
        "Which of the five arguments is missing from your code?",
    ),
    Mistake(
        "network-twice",
        network_twice,
        "a part is never used",
        "{seen}`feed_forward` is called in both halves, `attend` in none: no word hears another, and so "
        "(1, 3) gets nothing "
        "from (0, 4).",
        "the first half calls feed_forward",
        "Which of the five arguments is missing from your code?",
    ),
    Mistake(
        "one-branch",
        one_branch,
        "one sum for two sublayers",
        "{seen}Attention and the network stand in one branch with one sum around both. Each of them "
        "needs a sum of its own: "
        "what attention found, (−1.5, 1.5), reaches the output only through the network.",
        "there is a single residual around the whole block",
        "How many roads past the network should there be for what attention found?",
    ),
    Mistake("writes-into-argument", writes),
)


def calls_too_often(exercise: Exercise, fn: Callable) -> Finding | None:
    """A part that is called more than once: right here, but not with dropout, and twice the work.

    Args:
        exercise: the exercise.
        fn: the reader's function, which gives the right numbers.

    Returns:
        The finding, or None.
    """
    counts = dict.fromkeys(exercise.parameters[1:], 0)

    def counted(name: str, part: Part) -> Part:
        def call(h: Tensor) -> Tensor:
            counts[name] += 1
            return part(h)

        return Part(part.described, call)

    x, *parts = copies(exercise.probes()[0])
    with torch.no_grad():
        fn(x, *(counted(name, part) for name, part in zip(counts, parts, strict=True)))
    for name, count in counts.items():
        if count > 1:
            return Finding(
                "calls-too-often",
                f"`{name}` is called {count} times",
                f"Your function calls `{name}` {count} times. That is {count} times the work, and with dropout inside "
                "the calls would not even agree.",
                "Which result could you keep in a name of its own?",
            )
    return None


PRE_LN_BLOCK = Exercise(
    name="pre-ln-block",
    title="A pre-LN block from its parts",
    chapter=9,
    function="my_pre_ln_block",
    statement="""\
Put a pre-LN encoder layer together: attention, then the network, each on a normalised input and with a residual. You
are given `x` of shape $(B, T, D)$ and four functions, each
from $(B, T, D)$ to $(B, T, D)$: `attend`, `feed_forward`, `norm1` (for attention) and `norm2` (for the network).
There is no dropout. The tensor `x` that you are given must stay as it is.

By hand, to check: with $\\mathbf x = ((1, 3), (0, 4))$, norms that subtract a word's mean (`norm2` also doubles), an
attention that gives every word the mean of all words, and $\\max(0, h)$ as the network, the first sum is
$((-0.5, 4.5), (-1.5, 5.5))$ and the result is $((-0.5, 9.5), (-1.5, 12.5))$.""",
    stub='''\
def my_pre_ln_block(x, attend, feed_forward, norm1, norm2):
    """Attention, then the network, each on a normalised input and inside a residual.

    x: (B, T, D); attend, feed_forward, norm1, norm2: functions (B, T, D) → (B, T, D)
    → (B, T, D)
    """
    ...
''',
    hints=(
        "Two halves of the same form, one for `attend` and one for `feed_forward`. In each a norm is "
        "the first thing that "
        "happens on the branch, and a sum the last.",
        "Nothing but sums stands on the main line. If both sublayers returned zeros, the block would "
        "return x itself: test "
        "your code with `attend = feed_forward = torch.zeros_like`.",
        "The first half is x plus attend of norm1 of x. Give its result a name; the second half does to "
        "that name what "
        "the first half did to x, with the other two functions. Write a new tensor (`y = x + …`): `x += "
        "…` would change "
        "your caller's.",
    ),
    solution=solution,
    why="A block with a norm in the wrong place runs, keeps the shape and usually trains: post-LN, "
    "parallel branches and "
    "norms behind the sublayer are all in use somewhere. And in a fresh model both norms do the same, "
    "so that even "
    "using one of them twice passes every test on untrained weights. Only numbers tell, and only with "
    "norms that differ.",
    shapes={
        "x": "B T D",
        "attend": "a function",
        "feed_forward": "a function",
        "norm1": "a function",
        "norm2": "a function",
    },
    returns="B T D",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    remarks=(calls_too_often,),
    differentiable=("x",),
)
