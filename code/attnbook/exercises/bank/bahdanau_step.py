"""Exercise bahdanau-step: the decoder's previous state asks, the encoder's states answer."""

import torch

from ..arguments import draw, exact
from ..case import near
from ..exercise import Exercise, Mistake
from ..several import Several
from ..verdict import found
from ..wording import number, values


def my_bahdanau_step(state, memory, lens, W_q, W_k, w_v):
    """Ask with the top layer's previous state; return the context and the weights.

    state: (L, B, D), memory: (B, S, Dk), lens: (B,) integers from 1 to S,
    W_q: (h, D), W_k: (h, Dk), w_v: (h,) → ((B, Dk), (B, S))
    """
    query = state[-1] @ W_q.T  # (B, h), of the top layer
    keys = memory @ W_k.T  # (B, S, h)
    scores = torch.tanh(query[:, None] + keys) @ w_v  # (B, S)
    position = torch.arange(memory.shape[1], device=memory.device)
    real = position < lens[:, None]  # (B, S)
    filled = scores.masked_fill(~real, -torch.inf)
    weights = filled.softmax(dim=-1)
    context = (weights[:, None] @ memory).squeeze(1)  # (B, Dk)
    return context, weights


def _maps() -> tuple:
    return exact([1], [0]), exact([0, 1], [1, 0]), exact(1, 1)


def example() -> tuple:
    """Query (1, 0); keys (0, 2) and (1, 0), and (3, 3) for the padding."""
    memory = exact([[2, 0], [0, 1], [3, 3]])
    return exact([[5]], [[1]]), memory, torch.tensor([2]), *_maps()


def other_w_v() -> tuple:
    return *example()[:5], exact(2, -1)


def loud(size: int = 500) -> tuple:
    """Scores in the hundreds: 863, 482, and 995 at the padding; and a sentence of zeros."""
    state, memory = exact([[5], [4]], [[1], [0]]), exact([[2, 0], [0, 1], [3, 3]])
    return state, torch.cat([memory, 0 * memory]), torch.tensor([2, 2]), *_maps()[:2], exact(size, size)


def low() -> tuple:
    return loud(-500)


def lowest() -> tuple:
    """All scores between −1000 and −900."""
    state, memory, lens, W_q, W_k, _ = loud()
    return state, exact([3, 3], [2.5, 3], [3, 3]).expand(2, 3, 2), lens, W_q, W_k, exact(-499, -500)


def loud_padding() -> tuple:
    """The words' scores are near −995, the padding's is 995; and a sentence of zeros."""
    state, memory, *rest = loud()
    first = exact([[-3, -3], [-3, -2], [15, 15]])
    return state - 10, torch.cat([first, 0 * first]), *rest


def two_sentences(*lens: int) -> tuple:
    state = exact([[5], [4]], [[1], [-1]])
    memory = exact([[2, 0], [0, 1]], [[0, 1], [2, 0]])
    return state, memory, torch.tensor(lens or (1, 2)), *_maps()


def _drawn(seeds: range, layers, batch, d, s, dk, h, lens) -> tuple:
    shapes = (layers, batch, d), (batch, s, dk), (h, d), (h, dk), (h,)
    drawn = [draw(*shape, seed=n) for shape, n in zip(shapes, seeds, strict=True)]
    return *drawn[:2], torch.tensor(lens), *drawn[2:]


# fmt: off
SIZES = (3, 2, 5, 7, 11, 13, (4, 6)), (2, 3, 7, 5, 4, 6, (2, 4, 3)), (4, 5, 2, 7, 3, 11, (1, 6, 3, 5, 2))
EDGES = (1, 2, 3, 5, 7, 4, (5, 3)), (2, 1, 3, 4, 5, 7, (1,)), (3, 2, 5, 1, 4, 6, (1, 1)), (2, 3, 4, 5, 6, 1, (2, 5, 4))
# fmt: on


def probes() -> list[tuple]:
    return [_drawn(range(1220 + s[2], 1270, 10), *s) for s in SIZES]


def edges() -> list[tuple]:
    return [
        *(_drawn(range(1270 + i, 1295, 5), *s) for i, s in enumerate(EDGES)),
        loud(),
        low(),
        lowest(),
        loud_padding(),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    L, B, D, S, Dk, h = pick.sizes(1, 1, 1, 1, 1, 1)
    asks, answers, lens = pick.numbers(L, B, D), pick.numbers(B, S, Dk), pick.lengths(B, S, least=1)
    maps = pick.numbers(h, D, most=1), pick.numbers(h, Dk, most=1), pick.numbers(h, most=1, loud=30)
    return asks, answers, lens, *maps


# edits that are used several times
TOP, SCORE, POSITION = ("state[-1]", "torch.tanh(query[:, None] + keys) @ w_v", "position = ")
REAL, FILL = "position < lens[:, None]", "scores.masked_fill(~real, -torch.inf)"
NO_FILL, SOFTMAX = (FILL, "scores"), "filled.softmax(dim=-1)"
RESCALED = "(lambda w: w / w.sum(-1, keepdim=True))(filled.softmax(dim=-1) * real)"
BY_ALL = "(lambda e: e / e.sum(-1, keepdim=True))((filled - scores.amax(-1, keepdim=True)).exp())"
CONTEXT, RESULT = "(weights[:, None] @ memory).squeeze(1)", "return context, weights"
LAYER = "Which of the layers is the top one?"
INSIDE = "In the formula, what is inside the brackets of tanh?"
LENGTHS = "Which shape must the lengths have to match scores of shape (B, S) along B?"
ROOT = "Is there a square root in the formula of this score?"

# fmt: off
MISTAKES = (
    Mistake("softmax-over-batch", (SOFTMAX, "filled.softmax(dim=0)"),
        "the softmax runs over the batch. Sentences then compete with each other; each row should sum to 1.",
        "In scores of shape (B, S), which axis counts the words of one sentence?", two_sentences,
        also=(((FILL, "scores.masked_fill(~real, -1e9)"), (SOFTMAX, "filled.softmax(dim=0)")),)),
    Mistake("exp-overflows", (SOFTMAX, "filled.exp() / filled.exp().sum(dim=-1, keepdim=True)"),
        "the exponentials are taken of the scores as they are. With moderate scores you are right; but exp(863) is ∞, "
        "and ∞/∞ is NaN.", "Which number may be subtracted from all scores of a sentence without changing its weights?",
        loud),
    Mistake("one-maximum", (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((filled - filled.max()).exp())"),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of a row are 0, and 0/0 is NaN; "
        "where all scores are moderate you are right.", "Whose maximum should be subtracted from the scores of a row?",
        loud,
        also=((SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((filled - scores.max()).exp())"),)),
    Mistake("filled-too-high", (FILL, "scores.masked_fill(~real, -100.0)"),
        "the scores of the padding get a number that others can fall below. The padding then takes all the weight.",
        "Which number lies below every score?", low, also=((FILL, "scores.masked_fill(~real, -1e3)"),)),
    Mistake("bottom-layer", (TOP, "state[0]"),
        "the bottom layer's state asks. The bottom layer sees the word that was read; the top layer knows what the "
        "decoder makes of it, and is what the next word is predicted from.",
        "With L layers, which index has the last?"),
    Mistake("layers-averaged", (TOP, "state.mean(0)"),
        "the mean of the layers' states asks", LAYER),
    Mistake("no-tanh", (SCORE, "(query[:, None] + keys) @ w_v"),
        "the tanh is missing. Each score is then the query's number plus the key's, and the softmax cancels the "
        "query's: every target word would attend to the same source words.",
        "What becomes of exp(a + b)/Σ exp(a + b′) if a is the same in all terms?"),
    Mistake("tanh-of-the-score", (SCORE, "torch.tanh((query[:, None] + keys) @ w_v)"),
        "tanh is taken of the score, after w_v. No score can then be larger than 1, and "
        "one word can get at most e² times the weight of another.", INSIDE),
    Mistake("sigmoid-for-tanh", (SCORE, "torch.sigmoid(query[:, None] + keys) @ w_v"),
        "a sigmoid, from 0 to 1, is used instead of tanh, which goes from −1 to 1",
        "What is tanh(0), and what is yours?"),
    Mistake("relu-for-tanh", (SCORE, "torch.relu(query[:, None] + keys) @ w_v"),
        "a ReLU is used instead of tanh. A ReLU has no upper limit, whereas tanh levels off at 1.",
        "What is tanh(2), and what is yours?"),
    Mistake("dot-product", (SCORE, "(query[:, None] * keys).sum(-1)"),
        "query and key are multiplied instead of added. A product gives Luong's attention, in which w_v has no effect.",
        "Which sign is between W_q s and W_k h in the formula?"),
    Mistake("w_v-forgotten", (SCORE, "torch.tanh(query[:, None] + keys).sum(-1)"),
        "the hidden units are summed without w_v", "How do h numbers become one score in the formula?", other_w_v),
    Mistake("keys-averaged", (CONTEXT, "(weights[:, None] @ keys).squeeze(1)"),
        "the projected keys are averaged instead of the encoder's states. Your weights are right; but the "
        "projections are for comparing, and the states themselves are to be averaged.",
        "Which of your tensors has the last axis Dk?"),
    Mistake("padding-attended", NO_FILL,
        "the lengths have no effect on the weights, and the padding gets some. The same sentence would be translated "
        "differently next to a longer one.", "Where does `lens` enter your code?"),
    Mistake("mask-after-softmax", (NO_FILL, (SOFTMAX, "filled.softmax(dim=-1) * real")),
        "the weights are masked after the softmax. The padding has already taken its part of the sum.",
        "What would a score have to be for exp(score) to be zero *before* the sum is taken?"),
    Mistake("rescaled-after-softmax", (NO_FILL, (SOFTMAX, RESCALED)),
        "the padding has its part in the softmax (or in the shift before it), and the weights are rescaled in the end. "
        "With moderate scores you are right; beside a far larger one the words' weights are rounded to 0, and 0/0 is "
        "NaN.", "What would a score have to be for the padding to take nothing in the first place?", loud_padding,
        also=((SOFTMAX, BY_ALL),)),
    Mistake("zero-fill", (FILL, "scores * real"),
        "the padding's scores are set to 0 before the softmax. But exp(0) is 1, and the padding keeps a weight.",
        "For which score is exp(score) zero?"),
    Mistake("inverted", (REAL, "position >= lens[:, None]"),
        "the mask is the wrong way round: the words get nothing and the padding everything",
        "Does True in your mask mean *may be attended to* or *is padding*?"),
    Mistake("one-too-many", (REAL, "position <= lens[:, None]"),
        "position `lens[b]` is kept, too (`<=`). Two words have the positions 0 and 1.",
        "Positions count from 0: is 2 < 2?"),
    Mistake("longest-length", (REAL, "(position < lens.max()).expand_as(scores)"),
        "the largest of the lengths is used for the whole batch", LENGTHS, two_sentences),
    Mistake("scaled", (POSITION, "scores = scores / len(w_v) ** 0.5\n    position = "),
        "the scores are divided by √h. Dot products grow with the number of features and need it; this formula has "
        "no such factor.", ROOT),
    Mistake("scores-for-weights", (RESULT, "return context, filled"),
        "the scores are returned instead of the weights. Your context is right; beside it you return the masked "
        "*scores*, with −∞ for the padding.", "Which of your tensors was multiplied with the memory?"),
    Mistake("maps-exchanged", ((TOP + " @ W_q.T", TOP + " @ W_k.T"), ("memory @ W_k.T", "memory @ W_q.T")),
        "W_q and W_k have changed places. W_q (h, D) belongs to the decoder's state, whose last axis is D; W_k (h, "
        "Dk) to the encoder's states.", "Which matrix has as many columns as the tensor has features?",
        line="@|matmul|einsum|linear"),
    Mistake("not-transposed", ("@ W_q.T", "@ W_q"),
        "W_q is applied without being transposed. W_q is (h, D), as a linear layer keeps its weight: (outputs, "
        "inputs). The state's last axis, D, must meet its *second* axis.", "What turns (h, D) into (D, h)?",
        line="@|matmul|einsum|linear"),
    Mistake("order-of-results", (RESULT, "return weights, context")),
    Mistake("one-thing-only", (RESULT, "return context")),
    Mistake("writes-into-argument", (RESULT, "memory[~real] = 0\n    return context, weights")),
    Mistake("gradient-cut", (TOP, "state[-1].detach()")),
)


def padding_heard(exercise, fn, cases):
    """Say how much of the attention the padding gets."""
    weights = cases[0].got[0, 2:]
    if weights[2] == 0 or not near(weights.sum(), torch.ones(())):
        return None
    return found("padding-heard", "attention to the padding",
        "In the small example your weights are {weights}: the padding gets {share} of the attention. It should get "
        "exactly 0.",
        "Which score makes exp(score) exactly 0, whatever the padding holds?",
        weights=values(weights), share=number(weights[2], 6))


SHAPES = {"state": "L B D", "memory": "B S Dk", "lens": "B", "W_q": "h D", "W_k": "h Dk", "w_v": "h"}
FLOATS = tuple(name for name in SHAPES if name != "lens")

EXERCISE = Exercise(
    name="bahdanau-step", title="One step of Bahdanau's attention", chapter=12, solution=my_bahdanau_step,
    shapes=SHAPES, returns="B Dk+S", answer=Several(("context", "weights"), ("B Dk", "B S"), dim=1, floats=FLOATS),
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    seen="The query should be {query}, the keys {keys}. Your context and weights, side by side, are {got}; right is "
        "{expected}. ",
    steps={name: f"the {name}" for name in ("query", "keys", "scores", "weights")},
    describers=(padding_heard,),
    space=space,
    hints=(
        "Write the shapes first: the query of each sentence is (B, h), the keys are (B, S, h). What must the query's "
        "shape be so that it is added to *every* key of its own sentence?",
        "tanh comes after the sum and before w_v, which turns h numbers into one score. What must the padding's score "
        "be before the softmax over the S source words?",
        "`query[:, None]` is (B, 1, h). For the context, multiply the weights, as (B, 1, S), by the memory, which is "
        "the encoder's states themselves; that gives one row per sentence.",
    ),
    why="With a single layer, top and bottom are the same, and `state[0]` is right. If the current state asks "
        "instead of the previous one, or if the projections are averaged instead of the states, nothing fails: that "
        "is another model, and it can be trained. Attention to the padding is worse than it looks, since a sentence "
        "is then translated differently next to a longer one.",
)
