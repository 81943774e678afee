"""Exercise parameter-budget: what do heads cost?"""

import functools
import re

import torch

from ..answers import Number
from ..exercise import Exercise, Mistake
from ..observe import error_text, observe, own_line
from ..verdict import Finding
from ..wording import inputs, number


def my_equal_heads(d_model, num_heads):
    """Count the parameters of multi-head attention without biases, W_O included.

    d_model: D, num_heads: H → int; a ValueError if H does not divide D
    """
    if d_model % num_heads:
        raise ValueError(f"{num_heads} heads cannot share {d_model} features")
    head_dim = d_model // num_heads
    projection = d_model * head_dim  # W_q of one head: D → D/H
    heads = num_heads * 3 * projection  # W_q, W_k and W_v of all heads
    output = num_heads * head_dim * d_model  # W_O: the merged heads → D
    return heads + output


def example() -> tuple:
    return 10, 5


# edits that are used several times
SIZE, PROJECTION = "d_model // num_heads", "d_model * head_dim  #"
HEADS, OUTPUT, TOTAL = "num_heads * 3 * projection", "num_heads * head_dim * d_model", "heads + output"  # fmt: skip
WIDE = (SIZE, "d_model")
ONE_HEAD, SMALL_OUTPUT = (HEADS, "3 * projection"), (OUTPUT, "head_dim * d_model")
REFUSE = 'raise ValueError(f"{num_heads} heads cannot share {d_model} features")'
ADDED = "Is there anything in the layer that is added rather than multiplied?"
WIDTH = "From how many features to how many does the W_q of *one* head lead?"
HOW_MANY = "How many heads are there, and how many features does each of them read?"
LETTERS = "Which matrices does the layer have, and how many are they?"

# fmt: off
MISTAKES = (
    Mistake("W_O-forgotten", (TOTAL, "heads"),
        "one of the four (D, D) matrices is left out, usually W_O. Without W_O the heads are never mixed.",
        "Could what one head has found then ever meet what another has found?"),
    Mistake("full-width-heads", WIDE,
        "every head is counted at full width D. Each of your heads is as wide as the model, D features instead of "
        "D/H, and W_O has to take in H times as many.", WIDTH),
    Mistake("full-width-heads-small-output", (WIDE, (OUTPUT, "d_model * d_model")),
        "every head's W_q, W_k and W_v are counted at full width D. A head has D/H features.", WIDTH),
    Mistake("full-width-heads-without-W_O", (WIDE, (TOTAL, "heads")),
        "every head is counted at full width D, and W_O is left out",
        "From how many features to how many does the W_q of *one* head lead, and what comes after the heads?"),
    Mistake("biases-added", (TOTAL, "heads + output + 4 * d_model"),
        "four biases are counted as well. `nn.MultiheadAttention` has them by default; the layer here has none.",
        ADDED),
    Mistake("input-biases-added", (TOTAL, "heads + output + 3 * d_model"),
        "three biases are counted as well, those of W_q, W_k and W_v", ADDED),
    Mistake("output-bias-added", (TOTAL, "heads + output + d_model"),
        "one bias is counted as well, probably that of W_O", ADDED),
    Mistake("biases-without-W_O", (TOTAL, "heads + 3 * d_model"),
        "biases are counted, and W_O is not. It should be the other way round.",
        "Which four maps does the layer have, and is anything added in them?"),
    Mistake("one-head-only", (ONE_HEAD, (TOTAL, "heads")),
        "one head is counted (or heads from D/H to D/H), without W_O. There are H heads, each of them reads all D "
        "features, and W_O comes after them.",
        "How many heads are there, how many features does each of them read, and what follows them?"),
    Mistake("one-head-and-W_O", ONE_HEAD,
        "the heads' maps are counted once instead of H times (or from D/H to D/H). W_O is right.", HOW_MANY),
    Mistake("one-head-with-its-output", (ONE_HEAD, SMALL_OUTPUT),
        "all four maps are counted for one head (or from D/H to D/H)", HOW_MANY),
    Mistake("shared-projections", (HEADS, "num_heads * projection"),
        "two of the four (D, D) matrices are left out (is one matrix shared by query, key and value?)", LETTERS),
    Mistake("one-matrix", ((HEADS, "num_heads * projection"), (TOTAL, "heads")),
        "one (D, D) matrix is counted. There are four: W_q, W_k and W_v, one for each role, and W_O.", LETTERS),
    Mistake("an-output-for-every-head", (OUTPUT, "num_heads * d_model * d_model"),
        "W_O is counted once for every head. The heads are right; but there is one W_O, for the merged heads.",
        "How many numbers come out of all heads together, and how many does W_O therefore take in?"),
    Mistake("output-of-one-head", SMALL_OUTPUT,
        "W_O is counted from D/H to D. The heads are right; but W_O takes in all of them, not one.",
        "How many numbers come out of all heads together?"),
    Mistake("grouped", (HEADS, "(num_heads + 2) * projection"),
        "W_k and W_v are counted for one head only. If one head's W_k and W_v serve all heads, that is multi-query "
        "attention, a cheaper layer.", "Do the heads share their keys and values here?"),
    Mistake("with-feed-forward", (TOTAL, "heads + output + 8 * d_model * d_model"),
        "the feed-forward network of the block is counted as well. It goes from D to 4·D and back, 8·D² numbers.",
        "Which parts of a block belong to its attention?"),
    Mistake("with-layer-norm", (TOTAL, "heads + output + 2 * d_model"),
        "two vectors of D numbers are counted as well (a layer norm, or two biases?)",
        "Is there anything in the layer besides matrices?"),
    Mistake("head-size", (TOTAL, "head_dim"),
        "the width of a head is returned. That is where the count begins.",
        "How many numbers are there in a matrix that makes 2 features out of 10?"),
    Mistake("rows-plus-columns", ((PROJECTION, "d_model + head_dim  #"), (OUTPUT, "num_heads * head_dim + d_model")),
        "the two sizes of each matrix are added instead of multiplied",
        "How many numbers does a table of 10 rows and 2 columns hold?"),
    Mistake("vectors-for-matrices", ((PROJECTION, "head_dim  #"), (OUTPUT, "d_model")),
        "a vector is counted for every matrix. A map from D features to D has a number for each pair of them.",
        "How many numbers does a table of 10 rows and 10 columns hold?"),
    Mistake("a-float", (SIZE, "d_model / num_heads")),
    Mistake("a-tensor", (TOTAL, "torch.tensor(heads + output)")),
    Mistake("not-refused", ("if d_model % num_heads:", "if False:")),
    Mistake("refused-in-silence", (REFUSE, "return None")),
    Mistake("returns-a-tuple", (TOTAL, "heads, output")),
)


class Count(Number):
    """One whole number; for a layer there are words of its own."""

    def amiss(self, exercise, fn, case):
        result = case.call.result
        if not isinstance(result, torch.nn.Module):
            return super().amiss(exercise, fn, case)
        given = inputs(exercise.parameters, case.arguments)
        return Finding("returns-a-layer", "a layer, not its size",
            f"With {given} your function returns a layer of the class `{type(result).__name__}`; wanted is how many "
            "numbers its parameters hold.",
            "Over what would you sum `numel()`?")


def must_refuse(exercise, fn):
    """Demand a ValueError where the heads cannot share the features."""
    for d_model, num_heads in [(8, 3), (3, 8)]:
        call, asked = observe(fn, (d_model, num_heads)), f"`my_equal_heads({d_model}, {num_heads})`"
        if isinstance(call.error, ValueError | AssertionError):
            continue
        place = own_line(call.error, fn) if call.error is not None else None
        if place and re.search(r"(^|:\s*)raise\b", place[2]):
            return Finding("refused-otherwise", "another error",
                           f"For {asked} your function refuses, as it should, but with {error_text(call.error)}. Code "
                           "that catches the error of an argument that does not fit waits for a `ValueError`.",
                           "Which name follows `raise` in your code?")
        if call.error is not None:
            return Finding("refused-by-accident", "another error",
                           f"For {asked} your function raises {error_text(call.error)}. That is an accident on the "
                           "way, and tells the caller nothing about heads; asked for is a `ValueError`.",
                           "Where could your function look at its arguments before it begins to count?")
        if isinstance(call.result, int | float) and not isinstance(call.result, bool):
            return Finding("not-refused", "a layer that does not exist",
                           f"The counts are right. But for {asked} your function returns {number(call.result)}, "
                           f"although {d_model}/{num_heads} = {number(d_model / num_heads)} is not a whole number of "
                           "features for a head: there is no such layer.",
                           "How do you find out whether one whole number divides another, and how does a function "
                           "refuse?")
        kind = "None" if call.result is None else f"a {type(call.result).__name__}"
        return Finding("refused-in-silence", "no error",
                       f"For {asked} there is no layer to count, and your function returns {kind} without a word. The "
                       "caller will notice much later, or never; asked for is a `ValueError`.",
                       "Which statement stops a function and tells the caller why?")
    return None


def off_by_a_part(exercise, fn, cases, largest=3):
    """Work out by how much a count is off, as a formula in D and H."""
    powers = {
        "D²": (2, 0), "H·D²": (2, 1), "D²/H": (2, -1), "D²/H²": (2, -2), "D": (1, 0), "H·D": (1, 1),
        "D/H": (1, -1), "D³": (3, 0), "H": (0, 1), "1": (0, 0),
    }
    for name, (d, h) in powers.items():
        factors = [float(case.got - case.expected) / (D**d * H**h) for case in cases for D, H in [case.arguments]]
        if max(factors) - min(factors) > 1e-6 or not 1e-6 < abs(factors[0]) <= largest:
            continue
        size, many = number(abs(factors[0])), "many" if factors[0] > 0 else "few"
        amount = size if name == "1" else name if size == "1" else f"{size}·{name}"
        return Finding("off-by-a-part", f"too {many}",
            f"With d_model 10 and num_heads 5 you count {number(float(cases[0].got))}; right is "
            f"{number(float(cases[0].expected))}.\nFor all sizes that were tried you count {amount} too {many}.",
            f"Which matrix (or vector) has {amount} numbers, and does it belong to the layer?")
    return None


EXERCISE = Exercise(
    name="parameter-budget", title="What does it cost?", chapter=7, solution=my_equal_heads,
    shapes={"d_model": "a number", "num_heads": "a number"}, answer=Count("one whole number", whole=True),
    example=example, probes=lambda: [(12, 3), (35, 5), (77, 11), (512, 8), (15, 3)],
    edges=lambda: [(7, 1), (5, 5), (1, 1)], mistakes=MISTAKES,
    steps={"head_dim": "the features of one head", "projection": "W_q of one head",
        "heads": "W_q, W_k and W_v of all heads", "output": "W_O"},
    detectors=(off_by_a_part,), describers=(functools.partial(off_by_a_part, largest=1e6),), demands=(must_refuse,),
    hints=(
        "Count one head first. Its W_q makes D/H features out of D: how many numbers does such a matrix have? Then the "
        "same for W_k and W_v.",
        "H times three matrices of D · D/H numbers: H cancels. What remains is the matrix that comes after the merge, "
        "W_O, which takes in all heads, H · D/H = D features, and gives D.",
        "Divide with `//` (an integer, unlike `/`) for the width of a head. Count three matrices per head, and one "
        "more (D, D) matrix for W_O. `d_model % num_heads` is 0 if H divides D; what should happen if it is not?",
    ),
    why="A count that leaves W_O out is right for the heads, and for a single head it even seems right to leave it "
        "out: W_V and W_O are then two maps in a row. But if you compare one head without W_O to eight heads with it, "
        "the eight have a third more parameters, and what looks like a gain from heads may be a gain from parameters. "
        "A head at full width looks right because every class in a first version is written so; it costs H times as "
        "much.",
)
