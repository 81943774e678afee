"""The parts of a comparison: a case, a layer, a bar, and the family that holds them together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

import torch
from torch import Tensor, nn

PASS_KINDS = {
    "inference": "eval mode, no gradients",
    "forward": "training mode, the graph for the backward pass recorded",
    "both": "the same, and the backward pass",
    "step": "forward, loss, backward, clipping, Adam: a whole training step",
    "decode": "eval mode, no gradients, one word after another",
}
PASSES = ("inference", "forward", "both")  # through a layer
TRAINING = ("forward", "both", "step")  # with gradients, in training mode


@dataclass(frozen=True)
class Case:
    """One problem size.

    Args:
        batch: B.
        length: T, queries and keys.
        size: D.
        heads: H.
        padding: whether the sequences of the batch have different lengths.
    """

    batch: int
    length: int
    size: int
    heads: int = 1
    padding: bool = False

    def __str__(self) -> str:
        heads = f", {self.heads} heads" if self.heads > 1 else ""
        padding = ", padding" if self.padding else ""
        return f"batch {self.batch}, length {self.length}, size {self.size}{heads}{padding}"


@dataclass(frozen=True)
class Layer:
    """One way to compute the function that a family is about.

    Args:
        call: from the case's inputs to the output.
        module: what has a training mode and parameters; a function has none.
    """

    call: Callable[..., Tensor]
    module: nn.Module = field(default_factory=nn.Module)


@dataclass(frozen=True)
class Bar:
    """What is promised: a quantity of ours, divided by theirs, at most a limit.

    Args:
        measure: "time", "peak" (bytes), or "slope" (by which power of the length the peak grows; then without theirs).
        kind: one of `PASS_KINDS`.
        ours: name of a layer.
        theirs: name of the layer that it is compared with.
        limit: the ratio, or the power, that is promised.
        noise: how much more still counts as equal.
        only: cases to which the bar applies; all if not given.
    """

    measure: str
    kind: str
    ours: str
    theirs: str | None
    limit: float
    noise: float = 0.0
    only: Callable[[Case], bool] = lambda case: True


@dataclass(frozen=True)
class Family:
    """Layers that compute the same function with the same weights.

    Args:
        name: for the command line and the stored file.
        cases: sizes at which time and memory are measured.
        sweep: sizes at which memory alone is measured, to see how it grows with the length.
        layers: from (case, device) to name → `Layer`; the same weights at every call.
        inputs: from (case, device) to what the layers' `call` takes; the same numbers at every call.
        reference: name of the layer to which the ratios in the table are taken.
        bars: what is promised.
        kinds: which of `PASS_KINDS` are measured.
        agree: from (case, device): raises unless the layers may be compared, and runs each of them once; if not given,
            their outputs are compared.
        weighed: whether memory is measured, too.
        most_rounds: for cases that take long: how many rounds are enough.
    """

    name: str
    cases: tuple[Case, ...]
    layers: Callable[[Case, str], dict[str, Layer]]
    inputs: Callable[[Case, str], list]
    reference: str
    bars: tuple[Bar, ...] = ()
    sweep: tuple[Case, ...] = ()
    kinds: tuple[str, ...] = PASSES
    agree: Callable[[Case, str], None] | None = None
    weighed: bool = True
    most_rounds: Callable[[Case], int] | None = None

    def rounds(self, case: Case, wanted: int) -> int:
        """How many rounds a case is measured."""
        return wanted if self.most_rounds is None else min(wanted, self.most_rounds(case))


def quiet_transformers() -> ModuleType:
    """Hugging Face's library, without its warnings (of its own speed, for one)."""
    import transformers  # here: seconds that a process need not wait that measures without it

    transformers.logging.set_verbosity_error()
    return transformers


def random_sequences(case: Case, device: str, count: int = 1) -> list[Tensor]:
    """Tensors (B, T, D) that want gradients, the same numbers at every call."""
    make = torch.Generator().manual_seed(0)
    shape = (case.batch, case.length, case.size)
    return [torch.randn(shape, generator=make).to(device).requires_grad_() for _ in range(count)]


def padded_sequences(case: Case, device: str) -> list[Tensor | None]:
    """One batch x (B, T, D), and how each library is told what is padding: the lengths (B,), and a mask of it (B, T).

    The lengths lie between half of T and T; both are None in a case without padding.
    """
    (x,) = random_sequences(case, device)
    if not case.padding:
        return [x, None, None]
    cut = case.length * torch.arange(1, case.batch + 1) // (2 * case.batch)
    lens = (case.length - cut).clamp(min=1).to(device)
    return [x, lens, torch.arange(case.length, device=device) >= lens[:, None]]


def bars_against(ours: str, theirs: str) -> tuple[Bar, ...]:
    """As fast, within 5 % of noise, and no more memory, in all kinds.

    The system counts memory in pages, some of them late: two runs of one layer differ by up to 1 %.
    """
    times = tuple(Bar("time", kind, ours, theirs, 1.0, 0.05) for kind in PASSES)
    return times + tuple(Bar("peak", kind, ours, theirs, 1.0, 0.01) for kind in PASSES)
