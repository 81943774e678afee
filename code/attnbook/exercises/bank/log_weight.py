"""Exercise log-weight: the logarithm of a weight, without the weight."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake
from ..verdict import found
from ..wording import number


def my_log_weight(scores, valid_lens, chosen):
    """Logarithm of the weight of key chosen[b], in a softmax over the first valid_lens[b] keys.

    scores: (B, S), valid_lens: (B,) from 1 to S, chosen: (B,) below valid_lens → (B,)
    """
    position = torch.arange(scores.shape[-1], device=scores.device)  # (S,)
    keep = position < valid_lens[:, None]  # (B, S)
    valid = scores.masked_fill(~keep, -torch.inf)  # (B, S)
    total = valid.logsumexp(dim=-1)  # (B,): the log of the sum of exponentials
    score = scores.gather(-1, chosen[:, None])[:, 0]  # (B,)
    return score - total


def _whole(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers)


def example() -> tuple:
    return exact([1, 2, 3, 4]), _whole(2), _whole(1)


def two_sentences() -> tuple:
    return exact([1, 2, 3], [3, 1, 2]), _whole(1, 2), _whole(0, 1)


def far_apart() -> tuple:
    return exact([0, 1000, 0], [0, 1, 5]), _whole(2, 3), _whole(0, 1)


def high_and_low() -> tuple:
    return exact([1000, 1000, 0], [1, 2, 3]), _whole(2, 3), _whole(0, 1)


def loud_padding() -> tuple:
    return exact([-100, -99, 700], [1, 2, 3]), _whole(2, 3), _whole(1, 0)


def low_scores() -> tuple:
    return exact([-1000, -1001, 0], [1, 2, 3]), _whole(2, 3), _whole(1, 0)


def probes() -> list[tuple]:
    return [
        (draw(2, 7, seed=301), _whole(3, 5), _whole(1, 4)),
        (draw(3, 11, seed=302), _whole(4, 9, 2), _whole(3, 0, 1)),
        (draw(5, 3, seed=303), _whole(2, 3, 1, 2, 3), _whole(0, 1, 0, 1, 2)),
    ]


def edges() -> list[tuple]:
    single = draw(2, 1, seed=304), _whole(1, 1), _whole(0, 0)
    return [far_apart(), high_and_low(), loud_padding(), low_scores(), single]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, S = pick.sizes(1, 1)
    lengths = pick.lengths(B, S, least=1)
    return pick.numbers(B, S, far=3000), lengths, pick.below(lengths)


def by_hand(top="valid.amax(dim=-1, keepdim=True)", end=".log()"):
    """The log-sum-exp as it is written without PyTorch's: `top` is subtracted before the exponentials."""
    return f"({top})[:, 0] + (valid - ({top})).exp().sum(dim=-1){end}"


def over_the_batch(scores, valid_lens, chosen):
    keep = torch.arange(scores.shape[-1]) < valid_lens[:, None]
    filled = scores.masked_fill(~keep, -torch.inf)
    return filled.log_softmax(0).gather(-1, chosen[:, None])[:, 0]


# edits that are used several times
KEEP, FILL = "position < valid_lens[:, None]", "scores.masked_fill(~keep, -torch.inf)"
TOTAL, SCORE = "valid.logsumexp(dim=-1)", "scores.gather(-1, chosen[:, None])[:, 0]"
OUT = "score - total"
PICK = "gather(-1, chosen[:, None])[:, 0]"
DENOMINATOR = "Over which keys does the sum in the softmax's denominator run?"
KEEP_LOG = "Write log(exp(e) / sum) as a difference. Which exponential need never be computed?"

# fmt: off
MISTAKES = (
    Mistake("softmax-over-batch", over_the_batch,
        "the softmax runs over the sentences of the batch. Each sentence has a softmax of its own, over its keys.",
        "In scores of shape (B, S), which axis counts the keys?", lambda: probes()[0]),
    Mistake("log-of-softmax", (OUT, f"valid.softmax(-1).{PICK}.log()"),
        "the logarithm is taken of the finished weight. A weight of exp(−1000) has been rounded to 0 by then, and log "
        "0 is −∞. With moderate scores you are right.", KEEP_LOG, far_apart),
    Mistake("not-shifted", (TOTAL, by_hand("0 * scores[:, :1]")),
        "the scores go into the exponential as they are. exp(1000) is infinite, and its logarithm does not come back. "
        "With moderate scores you are right.",
        "Which number may be subtracted from all scores of a row, and how does it come back after the logarithm?",
        high_and_low),
    Mistake("shifted-by-the-padding", (TOTAL, by_hand("scores.amax(dim=-1, keepdim=True)")),
        "the largest score is looked for among all keys, padding included. If the padding holds it, every valid "
        "exponential is 0.", "Which keys may the shift come from?", loud_padding),
    Mistake("one-maximum", (TOTAL, by_hand("valid.max().expand(len(valid), 1)")),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of a sentence are 0, and log 0 "
        "is −∞; where all scores are moderate you are right.",
        "Whose maximum should be subtracted from the scores of a sentence?", far_apart,
        also=((TOTAL, by_hand("scores.max().expand(len(valid), 1)")),)),
    Mistake("finite-fill", (FILL, "scores.masked_fill(~keep, -100)"),
        "the padding is filled with a number such as −100. Scores of −1000 are far below that.",
        "Which score is lower than every other?", low_scores, also=((FILL, "scores.masked_fill(~keep, -1e3)"),)),
    Mistake("shift-not-undone", (TOTAL, "(valid - valid.amax(dim=-1, keepdim=True)).exp().sum(dim=-1).log()"),
        "the maximum is subtracted inside the exponentials but not added back after the logarithm",
        "If all scores of a sum are lowered by c, by how much is the logarithm of the sum lowered?"),
    Mistake("ignores-lengths", (KEEP, "position >= 0 * valid_lens[:, None]"),
        "the valid lengths have no effect. The padding is in the sum.", DENOMINATOR),
    Mistake("zero-fill", (FILL, "scores * keep"),
        "the masked scores are set to 0. In the sum each of them counts as exp(0) = 1.",
        "For which score is exp(score) zero?"),
    Mistake("one-too-many", (KEEP, "position <= valid_lens[:, None]"),
        "the key at position `valid_len` is in the sum, too (`<=`)", "Positions count from 0: is 2 < 2?"),
    Mistake("weight-returned", (OUT, "(score - total).exp()"),
        "the weight itself is returned, not its logarithm", "Can the logarithm of a probability be positive?"),
    Mistake("loss-returned", (OUT, "total - score"),
        "the sign is flipped. That is the negative log-likelihood, which one would minimise.",
        "Is the logarithm of a number below 1 positive or negative?"),
    Mistake("score-not-subtracted", (OUT, "total"),
        "the log-sum-exp is returned. That number is right, but the chosen key has not come in.",
        "What is the logarithm of a/b?"),
    Mistake("sum-without-log", (TOTAL, by_hand(end="")),
        "the sum is subtracted instead of its logarithm", "What is the logarithm of a/b?"),
    Mistake("base-two", (TOTAL, by_hand(end=".log2()")),
        "the logarithm has base 2, the exponential base e", "Which function undoes exp?"),
    Mistake("first-key", (SCORE, "scores[:, 0]"),
        "the first key's score is used in every row, whichever is chosen",
        "How do you read one entry per row, each at a position of its own?"),
    Mistake("last-valid-key", (SCORE, "scores.gather(-1, valid_lens[:, None] - 1)[:, 0]"),
        "the last valid key is used instead of the chosen one", "Which of the three arguments says where to look?",
        lambda: (exact([1, 2, 3], [3, 1, 2]), _whole(2, 3), _whole(0, 1))),
    Mistake("counted-from-one", (SCORE, "scores.gather(-1, (chosen[:, None] - 1) % scores.shape[-1])[:, 0]"),
        "`chosen` is read as if positions began at 1", "Which score does key 0 have?"),
    Mistake("over-everything", (TOTAL, "valid.flatten().logsumexp(dim=0)"),
        "the sum runs over all sentences. Each row is a distribution of its own.", DENOMINATOR, two_sentences),
    Mistake("all-keys-returned", (OUT, "valid - total[:, None]"),
        "the logarithms of all weights are returned. One per sentence is asked for: that of the chosen key.",
        "Which operation picks, in every row, the entry at a position of its own?"),
    Mistake("no-gradient", (OUT, "(score - total).detach()")),
    Mistake("changes-dtype", (OUT, "(score - total).float()")),
)


def a_floor(exercise, fn, cases):
    """Recognise a floor under the weight, or a small number added to it, by the logarithm where the weight is 0."""
    apart = [case for case in cases if torch.equal(case.arguments[0], far_apart()[0])]
    if not apart:  # the edges have not been tried yet
        return None
    case, (floor, other) = apart[0], apart[0].got.tolist()
    if not -750 < floor < -9 or abs(other - float(case.expected[1])) > 1e-3:
        return None
    return found("floor-under-the-weight", "a floor under the weight",
        "{seen}The weight is rounded to 0, and {floor} is the logarithm of the small number that your "
        "code puts in its place or adds. The gradient is lost there, too.",
        "Write log(exp(e) / sum) as a difference. Which exponential need never be computed?",
        seen=case.seen, floor=number(floor))


EXERCISE = Exercise(
    name="log-weight", title="The logarithm of a weight", chapter=4, solution=my_log_weight,
    shapes={"scores": "B S", "valid_lens": "B", "chosen": "B"}, returns="B", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES,
    steps={"total": "the log of the sum", "score": "the chosen score"},
    differentiable=("scores",), detectors=(a_floor,),
    space=space,
    hints=(
        "For the scores (0, 1000) the weight of key 0 is exp(−1000), which a computer rounds to 0. What is its "
        "logarithm on paper?",
        "log(exp(e) / sum) is e − log(sum): the exponential of the chosen score is not needed at all. What remains is "
        "the logarithm of a sum over the valid keys, which must not overflow.",
        "PyTorch has a function for that logarithm, named in the section on the maximum. What should it see where the "
        "padding is? And `gather` reads one entry per row.",
    ),
    why="softmax, then log: it says what the task says, and on ordinary scores it is right. The "
        "weight is rounded to 0 only where the model is *very* wrong, and there the loss becomes infinite: exactly "
        "where its gradient is needed most.",
)
