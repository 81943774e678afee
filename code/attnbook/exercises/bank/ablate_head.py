"""Exercise ablate-head: what a layer gives when one of its heads says the same every time."""

import torch

from ..arguments import draw, exact
from ..case import make_case
from ..exercise import Exercise, Mistake
from ..recognise import does_as, tell


def my_ablated(weights, value, W_o, b_o, head, mean):
    """The output of multi-head attention with `mean` in place of one head's output.

    weights: (B, H, T, S), value: (B, H, S, Dh), W_o: (D, H·Dh), b_o: (D,), head: 0, 1, …,
    mean: (Dh,) → (B, T, D)
    """
    outputs = weights @ value  # (B, H, T, Dh)
    others = torch.arange(value.shape[1], device=value.device) != head
    replaced = torch.where(others[:, None, None], outputs, mean)  # (B, H, T, Dh)
    joined = replaced.transpose(1, 2).flatten(2)  # (B, T, H·Dh)
    return joined @ W_o.T + b_o


# fmt: off
def example() -> tuple:
    return (exact([[[0.5, 0.5]], [[1, 0]]]), exact([[[2], [4]], [[5], [7]]]), exact([1, 10]), exact(100), 1, exact(6))


def two_by_two() -> tuple:
    return _drawn(2, 2, 3, 4, 2, 5, 0, 1910)


def square() -> tuple:
    return _drawn(2, 2, 3, 4, 3, 6, 1, 1920)


def _drawn(b: int, h: int, t: int, s: int, dh: int, d: int, head: int, seed: int) -> tuple:
    weights = draw(b, h, t, s, seed=seed).softmax(-1)
    return (weights, draw(b, h, s, dh, seed=seed + 1), draw(d, h * dh, seed=seed + 2), draw(d, seed=seed + 3), head,
            draw(dh, seed=seed + 4))


def probes() -> list[tuple]:
    return [_drawn(2, 3, 5, 7, 4, 11, 1, 1930), _drawn(3, 4, 2, 5, 7, 13, 0, 1940), _drawn(5, 2, 7, 3, 4, 9, 1, 1950)]


def edges() -> list[tuple]:
    return [two_by_two(), square(), _drawn(2, 2, 3, 2, 5, 4, 0, 1960), _drawn(1, 3, 1, 1, 2, 5, 2, 1970)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, H, T, S, Dh, D = pick.sizes(1, 1, 1, 1, 1, 1)
    mapped = pick.numbers(D, H * Dh), pick.numbers(D)
    return pick.weights(B, H, T, S), pick.numbers(B, H, S, Dh), *mapped, pick.of(*range(H)), pick.numbers(Dh)


def half_the_weight() -> tuple:
    """The example with half of every weight, as dropout may leave it."""
    weights, *others = example()
    return weights / 2, *others


# edits that are used several times
PICK, PUT, JOIN = "!= head", "torch.where(others[:, None, None], outputs, mean)", "replaced.transpose(1, 2).flatten(2)"
COUNT, RESULT = "torch.arange(value.shape[1], device=value.device)", "joined @ W_o.T + b_o"
INSTEAD = "What does the position of the silenced head in the joined vector hold?"
AXIS = "Which axis of (B, H, T, Dh) counts the heads?"
ORDER = "In (B, T, H·Dh), do the features of one head lie side by side?"

MISTAKES = (
    Mistake("values-replaced", (("outputs = weights @ value",
            "outputs = weights @ torch.where((torch.arange(value.shape[1]) != head)[:, None, None], value, mean)"),
            (PUT, "outputs")),
        "the head's *values* are replaced, and then weighed. Where its weights do not sum to 1, `mean` does not come "
        "out.", "What is an average of equal numbers whose weights sum to a half?", half_the_weight),
    Mistake("zeroed", (PUT, "torch.where(others[:, None, None], outputs, 0 * mean)"),
        "the head gives zeros, and the mean is not used", INSTEAD),
    Mistake("nothing-silenced", (PUT, "outputs + 0 * mean"),
        "nothing is silenced: this is the whole layer's output", INSTEAD),
    Mistake("mean-added", (PUT, "torch.where(others[:, None, None], outputs, outputs + mean)"),
        "the mean is added to what the head gives. It should take its place.", INSTEAD),
    Mistake("others-silenced", (PICK, "== head"),
        "all heads but one are silenced", "Which heads go on as before?"),
    Mistake("counted-from-one", (PICK, "!= head - 1"),
        "the head before the one asked for is silenced", "From what number are the heads counted?", two_by_two),
    Mistake("index-minus-one", (PICK, "!= (head - 1) % value.shape[1]"),
        "the head before the one asked for is silenced (and for head 0 the last, whose index is −1)",
        "From what number are the heads counted?"),
    Mistake("all-replaced", (PUT, "0 * outputs + mean"),
        "all heads give the mean", "Which heads go on as before?"),
    Mistake("its-own-mean",
        (PUT, "torch.where(others[:, None, None], outputs, outputs.mean(2, keepdim=True) + 0 * mean)"),
        "the head's mean over these positions is used. The mean is given: it was measured on other data.",
        "What is the last argument for?", two_by_two),
    Mistake("position-silenced",
        ((COUNT, "torch.arange(weights.shape[2], device=value.device)"), (PUT, PUT.replace(", None, None", ", None"))),
        "a position is silenced in all heads", AXIS, two_by_two),
    Mistake("feature-silenced",
        ((COUNT, "torch.arange(value.shape[3], device=value.device)"), (PUT, PUT.replace("[:, None, None]", ""))),
        "a feature is silenced in all heads", AXIS, two_by_two),
    Mistake("sentence-silenced",
        ((COUNT, "torch.arange(len(value), device=value.device)"), (PUT, PUT.replace("[:, ", "[:, None, "))),
        "all heads are silenced in one sentence of the batch",
        "Which axis of (B, H, T, Dh) counts the sentences, and which the heads?", two_by_two),
    Mistake("reshaped-without-transposing", (JOIN, "replaced.reshape(len(value), weights.shape[2], -1)"),
        "heads and positions get mixed: the heads are joined without being moved next to their features",
        "Which axes must be neighbours before they can be joined?", two_by_two),
    Mistake("features-first", (JOIN, "replaced.permute(0, 2, 3, 1).flatten(2)"),
        "the joined vector has the heads innermost. W_o expects the features of one head side by side.", ORDER,
        two_by_two),
    Mistake("heads-reversed", (JOIN, "replaced.flip(1).transpose(1, 2).flatten(2)"),
        "the heads are joined in reverse order", ORDER),
    Mistake("no-bias", (RESULT, "joined @ W_o.T + 0 * b_o"), "b_o is missing", "What does W_o's map add at its end?"),
    Mistake("bias-too-small", (RESULT, "joined @ W_o.T + b_o * (value.shape[1] - 1) / value.shape[1]"),
        "a head's part of b_o is taken away as well. The bias belongs to no head.",
        "Does b_o depend on what the heads give?"),
    Mistake("not-transposed", (RESULT, "joined @ W_o + b_o"),
        "W_o is applied without being transposed. Its rows are the outputs, as in `nn.Linear`.",
        "Which axis of W_o, (D, H·Dh), should meet the joined heads?", square, line="@|matmul|einsum"),
    Mistake("no-projection", (RESULT, "joined + b_o[0] + 0 * W_o.sum()"),
        "W_o is not applied", "What maps the joined heads to D numbers?"),
    Mistake("rescaled", (RESULT, "joined @ W_o.T * value.shape[1] / (value.shape[1] - 1) + b_o"),
        "the result is scaled up, as dropout does it. An ablation leaves the other heads as they are.",
        "Which heads go on as before?", two_by_two),
    Mistake("changes-dtype", (RESULT, "(joined @ W_o.T + b_o).float()")),
)

def values_replaced(exercise, fn):
    """Ask with weights that do not sum to 1, once everything else is right."""
    mistake = next(m for m in exercise.mistakes if m.name == "values-replaced")
    case = make_case(exercise, fn, half_the_weight())
    same = not case.call.touched() and does_as(exercise.mistaken(mistake), [case])
    return tell(exercise, mistake, fn, [case]) if same else None


EXERCISE = Exercise(
    name="ablate-head", title="Without one head", chapter=18, solution=my_ablated,
    shapes={"weights": "B H T S", "value": "B H S Dh", "W_o": "D HDh", "b_o": "D", "head": "a number", "mean": "Dh"},
    returns="B T D", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"outputs": "what the heads give", "replaced": "the same with the mean in one head's place",
           "joined": "the heads joined"},
    differentiable=("weights", "value", "W_o", "b_o", "mean"),
    space=space, demands=(values_replaced,),
    hints=(
        "Multi-head attention in three steps: what each head gives, all of them joined, one linear map. Between which "
        "two does the mean come in?",
        "Each head gives weights times values, (B, H, T, Dh). Replace one slice along H by the mean, without writing "
        "into a tensor that gradients need: `torch.where`, or a list of heads that you stack.",
        "To join, let the heads stand beside their features: swap H and T, and flatten the last two axes. In the "
        "example this gives (3, 6) for head 1 with a mean of 6, and W_o and b_o make 163 of it.",
    ),
    why="Setting the head's columns of W_o to zero is the quickest ablation, and right if the head's mean is zero. If "
        "it is not, the layers above have learned to expect it, and what you measure is in part the effect of an "
        "input that they have never seen.",
)
