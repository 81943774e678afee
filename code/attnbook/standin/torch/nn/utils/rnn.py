"""`torch.nn.utils.rnn`: sequences of different lengths in one tensor."""

from ..._missing import missing_from
from ..._views import stack
from .. import functional as F


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """One tensor of several sequences, the shorter ones filled up."""
    longest = max(len(x) for x in sequences)
    padded = []
    for x in sequences:
        missing = longest - len(x)
        sides = (0, missing) if padding_side == "right" else (missing, 0)
        padded.append(F.pad(x, (0, 0) * (x.dim() - 1) + sides, value=padding_value))
    return stack(padded, 0 if batch_first else 1)


__getattr__ = missing_from("torch.nn.utils.rnn", globals())
