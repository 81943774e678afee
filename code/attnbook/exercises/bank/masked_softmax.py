"""Exercise masked-softmax: no attention for the padding."""

import torch

from ..arguments import draw, exact
from ..case import make_case, near
from ..exercise import Exercise, Mistake
from ..language import say
from ..recognise import tell
from ..verdict import found
from ..weights import odd_weights
from ..wording import values


def my_masked_softmax(scores, valid_lens):
    """Softmax over the first valid_lens[b] keys of sentence b; zero for the others.

    scores: (B, T, S), valid_lens: (B,) integers from 0 to S → (B, T, S)
    """
    position = torch.arange(scores.shape[-1], device=scores.device)  # (S,)
    lengths = valid_lens[:, None, None]  # (B, 1, 1)
    keep = position < lengths  # (B, 1, S)
    filled = scores.masked_fill(~keep, -torch.inf)  # (B, T, S)
    weights = filled.softmax(dim=-1)  # NaN where nothing is kept
    return weights.masked_fill(~keep, 0.0)  # … and zeros there


def example() -> tuple:
    return exact([[1, 2, 3, 4]]), torch.tensor([2])


def two_sentences() -> tuple:
    return exact([[1, 2, 3], [3, 1, 2]], [[2, 2, 1], [1, 3, 3]]), torch.tensor([1, 2])


def no_words() -> tuple:
    return exact([[1, 2, 3, 4]]), torch.tensor([0])


def loud() -> tuple:
    return exact([[1000, 999, 3]], [[1, 2, 3]]), torch.tensor([2, 3])


def loud_padding() -> tuple:
    return exact([[5, 6, 900]], [[1, 2, 3]]), torch.tensor([2, 3])


def low() -> tuple:
    return exact([[-3000, -3001, 0]], [[1, 2, 3]]), torch.tensor([2, 3])


def lowest() -> tuple:
    return exact([[-20000, -20001, 0]], [[1, 2, 3]]), torch.tensor([2, 3])


def probes() -> list[tuple]:
    return [
        (draw(2, 5, 7, seed=101), torch.tensor([3, 5])),
        (draw(3, 2, 11, seed=102), torch.tensor([4, 9, 2])),
        (draw(1, 3, 5, seed=103), torch.tensor([2])),
        (draw(5, 3, 7, seed=104), torch.tensor([4, 2, 5, 2, 3])),
    ]


def edges() -> list[tuple]:
    small = (draw(3, 2, 5, seed=105), torch.tensor([1, 5, 0])), (draw(2, 3, 1, seed=106), torch.tensor([0, 1]))
    return [*small, loud(), loud_padding(), low(), lowest()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, S = pick.sizes(1, 1, 1)
    return pick.numbers(B, T, S, far=3000), pick.lengths(B, S)


# edits that are used several times
KEEP, LENGTHS = "keep = position < lengths", "lengths = valid_lens[:, None, None]"
FILL = "scores.masked_fill(~keep, -torch.inf)"
NO_FILL = (FILL, "scores")
SOFTMAX, AFTER = "filled.softmax(dim=-1)", "weights.masked_fill(~keep, 0.0)"
LEAVE = (AFTER, "weights")
SHAPE = "Which shape must the lengths have to match scores of shape (B, T, S) along B?"
KEYS = "Each query spends a budget of 1 on the keys. Which axis of (B, T, S) counts the keys?"
SHIFT = "Which number may be subtracted from all scores of a row without changing its weights?"
BY_ALL = "(lambda e: e / e.sum(-1, keepdim=True))((filled - scores.amax(-1, keepdim=True)).exp())"
TWICE = "Where may nothing be attended to? Could you use the same mask once more, after the softmax?"

# fmt: off
MISTAKES = (
    Mistake("mask-after-softmax", NO_FILL,
        "the mask is applied after the softmax. The masked positions are zero, but they have already taken their "
        "part of the sum: your weights do not sum to 1.",
        "What would a score have to be for exp(score) to be zero *before* the sum is taken?"),
    Mistake("filled-after-softmax", (NO_FILL, (AFTER, "weights.masked_fill(~keep, -1e6)")),
        "the masked positions are filled after the softmax. The padding gets a number that is not a weight.",
        "In which tensor does a large negative number turn into a weight of zero?"),
    Mistake("zero-fill", ((FILL, "scores * keep"), LEAVE),
        "the masked scores are set to 0 before the softmax. exp(0) is 1, not 0.",
        "For which score is exp(score) zero?"),
    Mistake("zero-fill-and-mask", (FILL, "scores * keep"),
        "the masked scores are set to 0, and the weights are masked once more. In the sum each counts as exp(0) = 1.",
        "For which score is exp(score) zero, so that it adds nothing to the sum?"),
    Mistake("inverted", (KEEP, "keep = position >= lengths"),
        "the mask is the wrong way round: the words get nothing and the padding everything",
        "In your mask, does True mean *may be attended to* or *is to be hidden*, and which does the next line expect?"),
    Mistake("one-too-many", (KEEP, "keep = position <= lengths"),
        "the key at position `valid_len` is kept too (`<=`)", "Positions count from 0: is 2 < 2?"),
    Mistake("one-too-few", (KEEP, "keep = position < lengths - 1"),
        "the last word of each sentence is masked, too", "Which positions does a sentence of length 2 have?"),
    Mistake("renormalised", (NO_FILL,
        (AFTER, "(lambda w: w / w.sum(-1, keepdim=True).clamp(min=1e-9))(weights.masked_fill(~keep, 0.0))")),
        "the padding has its part in the softmax (or in the shift before it), and the weights are rescaled in the end. "
        "With moderate scores you are right; but beside a far larger one the words' weights are rounded to 0.",
        "What would a score have to be for the padding to take nothing in the first place?", loud_padding),
    Mistake("query-axis",
        (KEEP, "keep = (torch.arange(scores.shape[1]) < valid_lens[:, None])[..., None].expand_as(scores)"),
        "the mask runs along the queries instead of the keys. Whole *rows* are masked, and the others see the padding.",
        "In scores of shape (B, T, S), which axis counts the words that are attended *to*?", two_sentences),
    Mistake("ignores-lengths", (KEEP, "keep = position >= 0"),
        "the valid lengths have no effect: this is a plain softmax",
        "Did a method return a masked copy that was not assigned (`scores.masked_fill(...)` alone on a line)?"),
    Mistake("first-length-only", (LENGTHS, "lengths = valid_lens[0]"),
        "`valid_lens[0]` is used for the whole batch", SHAPE, two_sentences),
    Mistake("lengths-in-turn", (LENGTHS, "lengths = valid_lens.repeat(scores.shape[1]).reshape(len(scores), -1, 1)"),
        "the lengths are repeated in turn, n_1, n_2, n_1, n_2, while the rows of a flattened batch are sentence by "
        "sentence", "Which order do `repeat` and `repeat_interleave` give?", two_sentences),
    Mistake("shortest-length", (LENGTHS, "lengths = valid_lens.min()"),
        "the smallest of the lengths is used for the whole batch", SHAPE,
        lambda: (two_sentences()[0], torch.tensor([2, 1]))),
    Mistake("softmax-over-queries", (SOFTMAX, "filled.softmax(dim=1)"),
        "the softmax runs over the queries (dim=1). Your *columns* sum to 1: the queries compete for each key.", KEYS,
        two_sentences),
    Mistake("softmax-over-batch", (SOFTMAX, "filled.softmax(dim=0)"),
        "the softmax runs over the batch (dim=0), over sentences that have nothing to do with each other", KEYS,
        two_sentences),
    Mistake("no-softmax", (SOFTMAX, "filled"),
        "the softmax is missing: you return scores", "Which function turns scores into positive weights?"),
    Mistake("over-everything", (SOFTMAX, "filled.flatten().softmax(0).reshape(scores.shape)"),
        "the exponentials are divided by the sum of all of them",
        "Which axis should the sum run over, and what does keepdim=True do?", two_sentences),
    Mistake("over-the-sentence", (SOFTMAX, "filled.flatten(1).softmax(-1).reshape(scores.shape)"),
        "the softmax runs over queries and keys of a sentence together",
        "How many sums are equal to 1 in weights of shape (B, T, S)?", two_sentences),
    Mistake("nan-row", LEAVE,
        "the row with nothing to attend to is left to the softmax, and 0/0 is NaN. For all other lengths you are "
        "right.", TWICE, no_words),
    Mistake("uniform-row", ((FILL, "scores.masked_fill(~keep, -1e6)"), LEAVE),
        "the masked scores get a large negative number, and nothing happens after the softmax. A softmax of equal "
        "scores is uniform. For all other lengths you are right.", TWICE, no_words),
    Mistake("one-maximum", (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((filled - filled.max()).exp())"),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of a row are 0, and 0/0 is NaN; "
        "where all scores are moderate you are right.", "Whose maximum should be subtracted from the scores of a row?",
        loud,
        also=((SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((filled - scores.max()).exp())"),
              (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True).clamp(min=1e-9))((filled - scores.max()).exp())"),
              (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True).clamp(min=1e-9))((filled - filled.max()).exp())"))),
    Mistake("exp-overflows", (SOFTMAX, "filled.exp() / filled.exp().sum(-1, keepdim=True)"),
        "the exponentials are taken of the scores as they are. With moderate scores you are right; but exp(1000) is "
        "∞, and ∞/∞ is NaN.", SHIFT, loud),
    Mistake("exp-overflows-guarded", (SOFTMAX, "filled.exp() / filled.exp().sum(-1, keepdim=True).clamp(min=1e-30)"),
        "the exponentials are taken of the scores as they are, and a sum of 0 is replaced by something small. "
        "exp(1000) is ∞, and ∞/∞ is NaN; and exp(−3000) is 0, so that such scores get no weight at all.", SHIFT, loud),
    Mistake("shifted-by-the-padding", (SOFTMAX, BY_ALL),
        "the largest score is looked for among all keys, padding included. If the padding holds it, every valid "
        "exponential may be 0, and 0/0 is NaN.", "Which keys may the shift come from?", loud_padding),
    Mistake("filled-too-high", (FILL, "scores.masked_fill(~keep, -100.0)"),
        "the masked scores get a number that others can fall below. The padding then takes the whole budget, and "
        "nothing is left when it is set to 0.", "Which number lies below every score?", lowest,
        also=((FILL, "scores.masked_fill(~keep, -1e3)"), (FILL, "scores.masked_fill(~keep, -1e4)"))),
    Mistake("filled-too-high-alone", ((FILL, "scores.masked_fill(~keep, -100.0)"), LEAVE),
        "the masked scores get a number that others can fall below, and nothing happens after the softmax. A sentence "
        "without words gets uniform weights, and where scores are lower still, the padding gets everything.",
        "Which number lies below every score?", lowest,
        also=(((FILL, "scores.masked_fill(~keep, -1e3)"), LEAVE), ((FILL, "scores.masked_fill(~keep, -1e4)"), LEAVE))),
    Mistake("nan-gradient",
        ((FILL, "scores + (0 * scores).masked_fill(~keep, -torch.inf)"), (AFTER, "weights.nan_to_num()"))),
)


def _kept(arguments: tuple) -> torch.Tensor:
    scores, lengths = arguments
    return (torch.arange(scores.shape[-1]) < lengths[:, None, None]).expand_as(scores)


def right_where_kept(exercise, fn, cases):
    """Recognise mistakes whose masked positions may hold anything, by the positions that are kept."""
    formulas = {
        "filled-after-softmax": lambda e, kept: e.softmax(-1),
        "softmax-over-queries": lambda e, kept: e.softmax(1),
        "softmax-over-batch": lambda e, kept: e.masked_fill(~kept, -torch.inf).softmax(0),
        "no-softmax": lambda e, kept: e,
    }
    named = {mistake.name: mistake for mistake in exercise.mistakes if mistake.says}
    kept = [_kept(case.arguments) for case in cases]
    for name, formula in formulas.items():
        if all(near(case.got[k], formula(case.arguments[0], k)[k]) for case, k in zip(cases, kept, strict=True)):
            return tell(exercise, named[name], fn, cases)
    beyond = any(case.expected.shape[1] > int(case.arguments[1].min()) for case in cases)
    return tell(exercise, named["query-axis"], fn, cases) if beyond and all(map(_whole_rows, cases)) else None


def _whole_rows(case) -> bool:
    """Whether the rows up to the length are a plain softmax, and each further row is constant or NaN."""
    scores, lengths = case.arguments
    rows = torch.arange(scores.shape[1]) < lengths[:, None]  # (B, T)
    rest = case.got[~rows]
    flat = rest.isnan().all() | ((rest - rest[:, :1]).abs() < 1e-7).all()
    return bool(flat) and near(case.got[rows], scores.softmax(-1)[rows])


def first_row(exercise, fn, cases):
    """Describe the weights that the example's two words get."""
    where = say("For the two words with the scores (1, 2)")
    return odd_weights(cases[0].got[0, 0, :2], cases[0].expected[0, 0, :2], where)


def leaks_a_little(exercise, fn):
    """Demand that masked keys get exactly zero, however little leaks."""
    cases = [make_case(exercise, fn, arguments) for arguments in (exercise.example(), *exercise.probes())]
    if not any(case.got[~_kept(case.arguments)].any() for case in cases):
        return None
    return found("not-exactly-zero", "almost zero", "With {given} the masked keys get {got}: almost nothing.",
        "Which operation makes a number exactly 0, whatever it was before?",
        given=cases[0].given, got=values(cases[0].got[0, 0, 2:], 12))


EXERCISE = Exercise(
    name="masked-softmax", title="Softmax over the words that are there", chapter=4, solution=my_masked_softmax,
    shapes={"scores": "B T S", "valid_lens": "B"}, returns="B T S", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, steps={"keep": "which keys may be attended to", "filled": "the scores with the others filled"},
    detectors=(right_where_kept,), describers=(first_row,), demands=(leaks_a_little,),
    differentiable=("scores",),
    space=space,
    hints=(
        "For the scores (1, 2, 3, 4) and length 2: over which keys does the sum in the denominator run, and what would "
        "a masked score have to be to add nothing to it?",
        "Number the keys 0, 1, 2, … and compare with the lengths to get a mask. Its shape should be (B, 1, S), so that "
        "all queries of a sentence share it. A masked key must vanish *before* the sum is taken.",
        "`masked_fill` makes a new tensor (with `_` it writes into your caller's), and exp(−∞) = 0. If the length is 0 "
        "the row is −∞ throughout, and 0/0 is NaN: which mask do you already have to mend it, after the softmax?",
    ),
    why="Multiplying by the mask *after* the softmax puts the zeros in the right places, and a heat map of it "
        "looks right. Only the row sums tell: the padding has already used up part of the budget. Setting the masked "
        "*scores* to zero looks right for another reason: zero feels like nothing. But exp(0) = 1.",
)
