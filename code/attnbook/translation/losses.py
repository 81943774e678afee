"""The loss of a translator: the negative log-likelihood of the right words, padding not counted."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.checks import check_probability, check_tensor, readable


def masked_cross_entropy(
    logits: Tensor, target: Tensor, *, label_smoothing: float = 0.0, ignore: int = 0
) -> Tensor:
    """Mean negative log-likelihood of the real words: −log p(word), in nats per word.

    With label smoothing ε the target is not the word alone: a fraction ε of it is spread evenly over the vocabulary.

    Args:
        logits: (B, T, V); those at padding may be anything, also infinite or NaN.
        target: (B, T) integers below V.
        label_smoothing: ε, at least 0 and below 1.
        ignore: the id of padding, which is left out of the sum and of the count.

    Returns:
        A scalar; 0 with gradient 0 if all is padding.

    Raises:
        TypeError, ValueError: shapes or dtypes that do not fit, ids beyond V, or an ε outside [0, 1).

    Source:
        Szegedy et al. (2016), arXiv:1512.00567, §7, for smoothing; Vaswani et al. (2017), §5.4, take ε = 0.1.
    """
    check_tensor("logits", logits, dims=3)
    check_probability("label_smoothing", label_smoothing)
    if target.shape != logits.shape[:2]:
        raise ValueError(
            f"target has shape {tuple(target.shape)}, logits have {tuple(logits.shape)}; target must be (B, T)"
        )
    if target.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"target must be integers (torch.long), got {target.dtype}")
    real = target != ignore
    if readable(target) and ((target < 0) | (target >= logits.shape[-1]))[real].any():
        raise ValueError(
            f"target must hold ids from 0 to {logits.shape[-1] - 1}, or {ignore} for padding, got some from "
            f"{int(target[real].min())} to {int(target[real].max())}; was it made with another vocabulary?"
        )
    # a NaN at padding would come back in the sum, and in the gradient, as 0 · NaN
    log_probs = F.log_softmax(logits.where(real[..., None], 0.0), dim=-1)
    words = target.where(real, 0).long()
    nll = -log_probs.gather(-1, words[..., None])[..., 0]  # (B, T)
    if label_smoothing:
        even = -log_probs.mean(-1)  # that of a word drawn evenly
        nll = (1 - label_smoothing) * nll + label_smoothing * even
    return (nll * real).sum() / real.sum().clamp(min=1)
