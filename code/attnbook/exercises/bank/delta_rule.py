"""Exercise delta-rule: a memory that writes the difference between what it should say and what it says."""

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_delta_rule(key, value, beta):
    """The memory after the delta rule has written all pairs into an empty one.

    key: (T, D), value: (T, Dv), beta: (T,) → (Dv, D)
    """
    states = [value.new_zeros(value.shape[1], key.shape[1])]  # (Dv, D), empty
    for t in range(len(key)):
        k, v, step = key[t], value[t], beta[t]
        known = states[-1] @ k  # (Dv,): what the memory says now
        missing = v - known
        update = step * missing
        states.append(states[-1] + update[:, None] * k)
    return states[-1]


def example() -> tuple:
    return exact([1, 0], [0, 1], [0.6, 0.8]), exact([10], [20], [50]), exact(1, 0.5, 0.25)


def unequal_lengths() -> tuple:
    return exact([2, 0], [0, 1], [1, 1]), exact([10], [20], [50]), exact(0.25, 0.5, 0.25)


def probes() -> list[tuple]:
    shapes = (5, 3, 2), (7, 2, 5), (3, 11, 7)
    return [
        (draw(t, d, seed=971 + t), 1 + draw(t, v, seed=981 + t), draw(t, seed=991 + t).sigmoid()) for t, d, v in shapes
    ]


def edges() -> list[tuple]:
    more = [
        (draw(t, d, seed=1001 + t), 1 + draw(t, v, seed=1011 + t), draw(t, seed=1021 + t).sigmoid())
        for t, d, v in [(1, 3, 2), (5, 1, 3), (2, 3, 1)]
    ]
    return [*more, unequal_lengths()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, D, Dv = pick.sizes(1, 1, 1)
    return pick.numbers(T, D, most=1), pick.numbers(T, Dv), pick.numbers(T, most=1).abs()


# edits that are used several times
KNOWN, MISSING, UPDATE = "states[-1] @ k", "v - known", "step * missing"
WRITE, RESULT = "states[-1] + update[:, None] * k", "return states[-1]"
PAIRS = "range(len(key))"
LOOK = "Before 50 is written, what does the memory say about the key (0.6, 0.8)?"
STEP = "With a step of 0.5, how far does the answer for that key move?"

# fmt: off
MISTAKES = (
    Mistake("linear", (MISSING, "v"),
        "values are written without looking at what is there. That is linear attention; the delta rule writes the "
        "*difference* between the value and what the memory says about its key.", LOOK),
    Mistake("known-added", (MISSING, "v + known"),
        "what the memory says is added to the value instead of subtracted", LOOK),
    Mistake("wrong-way", (MISSING, "known - v"),
        "the difference has the wrong sign. Each step then moves the answer away from the value.",
        "If the memory says 14 and should say 50, must the answer go up or down?"),
    Mistake("no-step-size", (UPDATE, "missing"),
        "beta does not enter: every step is a full one", STEP),
    Mistake("step-of-value-only", ((MISSING, "step * v - known"), (UPDATE, "missing")),
        "beta multiplies the value, but not what is subtracted. With a small step the memory then forgets what it knew "
        "about the key.", "If the memory is right already, what should a step change?"),
    Mistake("step-of-known-only", ((MISSING, "v - step * known"), (UPDATE, "missing")),
        "beta multiplies what is subtracted, but not the value. The value is always written in full.", STEP),
    Mistake("step-twice", (UPDATE, "step**2 * missing"), "beta is multiplied in twice", STEP),
    Mistake("factor-of-two", (UPDATE, "2 * step * missing"),
        "there is a factor of 2 too much. It comes from differentiating the square; the loss has ½ in front.", STEP),
    Mistake("first-step-size", (UPDATE, "beta[0] * missing"),
        "all steps have the size of the first. beta has an entry for each position.",
        "Which step size belongs to the third pair?"),
    Mistake("whole-memory-fades", ((MISSING, "v"), (WRITE, "(1 - step) * states[-1] + update[:, None] * k")),
        "the whole memory is multiplied by 1 − β. That is a decay, and all keys suffer; the delta rule corrects "
        "the answer for one key.", "Does writing tea's price change the price of cake, whose key is perpendicular?"),
    Mistake("nothing-kept", (WRITE, "update[:, None] * k"),
        "the old memory is not carried over: only the last update is returned.",
        "After the second pair, what does the memory say about the first?"),
    Mistake("two-back", (KNOWN, "states[max(len(states) - 2, 0)] @ k"),
        "each pair is compared with the memory before the *last* write, one step too old.", LOOK),
    Mistake("normalised-key", (WRITE, "states[-1] + update[:, None] * (k / k.norm())"),
        "the key is divided by its length when the pair is written. The gradient has the key as it is.",
        "What is the gradient of ½(v − S k)² with respect to S?", example=unequal_lengths),
    Mistake("exact-projection", (WRITE, "states[-1] + update[:, None] * k / (k @ k)"),
        "the step is divided by the squared length of the key. That makes a full step exact for any key (Kaczmarz's "
        "rule), but it is not the gradient step asked for.",
        "What is the gradient of ½(v − S k)² with respect to S?", example=unequal_lengths),
    Mistake("unit-keys", ((KNOWN, "states[-1] @ (k / k.norm())"),
        (WRITE, "states[-1] + update[:, None] * (k / k.norm())")),
        "the keys are normalised first. DeltaNet does that before its memory; here they come as they are.",
        "Is the key (2, 0) of length 1?", example=unequal_lengths),
    Mistake("backwards", (PAIRS, "reversed(range(len(key)))"),
        "the pairs are written from last to first", "Which pair's answer should be the freshest?"),
    Mistake("last-pair-left-out", (RESULT, "return states[-2]"),
        "the last pair is not written", "How many memories are there, with the empty one, after 3 pairs?"),
    Mistake("first-pair-only", (RESULT, "return states[1]"),
        "the memory is returned after the first pair. (A `return` inside the loop does that.)",
        "How often should the loop run?"),
    Mistake("averaged", (RESULT, "return states[-1] / len(key)"),
        "the memory is divided by the number of pairs", "If tea was written with a full step, what does it cost?"),
    Mistake("transposed", (RESULT, "return states[-1].T")),
    Mistake("no-gradient", (RESULT, "return states[-1].detach()")),
)

EXERCISE = Exercise(
    name="delta-rule", title="Write what is missing", chapter=16, solution=my_delta_rule,
    shapes={"key": "T D", "value": "T Dv", "beta": "T"}, returns="Dv D", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES,
    steps={"known": "what the memory says about the last key", "missing": "what is missing",
           "update": "the last update"},
    differentiable=("key", "value", "beta"),
    space=space,
    hints=(
        "After tea with a full step and cake with half a step the memory is (10, 10). What does it say about "
        "afternoon tea, (0.6, 0.8)?",
        "Look up, subtract, write: what the memory says about the key; the difference from the value; β times that "
        "difference, times the key, added to the memory.",
        "`state @ k` reads, with `state` (Dv, D). What is added is the outer product of two vectors: a column of Dv "
        "numbers times a row of D.",
    ),
    why="With perpendicular keys of length 1 the memory has nothing to say about a new key, so that the delta rule and "
        "linear attention agree, and a test with one-hot keys passes for both. And with a step size of 1 throughout, "
        "several mistakes cannot be seen. The keys and steps of a test must be awkward.",
)
