"""Reading attention: what a head looks at, what the output loses without it, and where all layers together look."""

import torch
from torch import Tensor, nn

from attnbook.attention.heads import MultiHeadAttention
from attnbook.attention.splitting import check_linear
from attnbook.checks import (
    check_count,
    check_integers,
    check_kind,
    check_tensor,
    check_weight,
    has_values,
)


def prefix_matching(weights: Tensor, tokens: Tensor) -> Tensor:
    """How much a head looks at what came after earlier copies of the current token.

    Args:
        weights: (…, T, T), causal.
        tokens: (T,) integers, or (B, T) for weights (B, …, T, T).

    Returns:
        (…,), or without the axis B: the weight on all positions j ≤ t with tokens[j − 1] = tokens[t], averaged over
        the positions t that have such a j. NaN if there are none.

    Source:
        Olsson et al. (2022), arXiv:2209.11895, "prefix matching score".
    """
    check_integers("tokens", tokens)
    if tokens.dim() not in (1, 2):
        raise ValueError(
            f"tokens must be (T,) or (B, T), got shape {tuple(tokens.shape)}; pass those of one text or of several"
        )
    check_tensor("weights", weights, min_dims=tokens.dim() + 1)
    length = tokens.shape[-1]
    fits = tokens.dim() == 1 or weights.shape[0] == len(tokens)
    if weights.shape[-2:] != (length, length) or not fits:
        raise ValueError(
            f"weights {tuple(weights.shape)} are not those of tokens {tuple(tokens.shape)}: pass the weights of "
            "these tokens, (…, T, T) for (T,), (B, …, T, T) for (B, T)"
        )
    same = tokens[..., :, None] == tokens[..., None, :]  # (…, T, T): t, j
    match = torch.zeros_like(same)
    match[..., 1:] = same[..., :-1]
    match = match.tril()
    rows = match.any(-1).sum()  # those that have one
    if tokens.dim() == 1:
        return (weights * match).sum((-2, -1)) / rows
    heads = [1] * (weights.dim() - 3)  # to broadcast over
    on_matches = weights * match.view(tokens.shape[0], *heads, length, length)
    return on_matches.sum((0, -2, -1)) / rows


@torch.no_grad()
def ablate_head(
    layer: MultiHeadAttention, head: int, mean: Tensor | None = None
) -> None:
    """Silence one head of a layer, in place: what it finds is no longer passed on.

    Args:
        layer: the attention.
        head: 0, 1, ….
        mean: (Dh,), what the head gives from now on, whatever it reads, such as its mean; zeros if not given.

    Raises:
        TypeError: the layer's W_o is no plain linear map, such as one with an adapter.
        ValueError: the head is silent already.
    """
    advice = "pass the attention of a block, such as block.attention"
    check_kind("layer", layer, MultiHeadAttention, advice)
    check_linear("W_o", layer.W_o)
    check_count("head", head, at_least=0)
    if head >= layer.num_heads:
        raise ValueError(
            f"the layer has heads 0 to {layer.num_heads - 1}, there is no head {head}"
        )
    part = layer.W_o.weight.unflatten(1, (layer.num_heads, -1))[:, head]  # (D, Dh)
    if has_values(part) and not part.any():
        raise ValueError(
            f"head {head} is silent already, and what it would say instead cannot be changed; take a copy of the layer "
            "before silencing it"
        )
    if mean is not None:
        check_weight("mean", mean, part, {"Dh": layer.head_dim}, like_name="the layer")
        if layer.W_o.bias is None:
            learns = layer.W_o.weight.requires_grad
            layer.W_o.bias = nn.Parameter(part.new_zeros(len(part)), learns)
        layer.W_o.bias.add_(part @ mean)
    part.zero_()


def rollout(weights: Tensor) -> Tensor:
    """Attention through all layers, if half of each vector comes from its own position and half from where it looks.

    Args:
        weights: (…, L, T, T), the first layer first; several heads are averaged before.

    Returns:
        (…, T, T): how much of the last layer's position t goes back to input j; rows sum to 1.

    Source:
        Abnar & Zuidema (2020), arXiv:2005.00928, §3.
    """
    check_tensor("weights", weights, min_dims=3)
    if weights.shape[-2] != weights.shape[-1]:
        raise ValueError(
            f"weights must be (…, L, T, T), got {tuple(weights.shape)}; pass those of self-attention"
        )
    itself = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    mixed = weights + itself
    total = mixed.sum(-1, keepdim=True)  # 2, if each row of weights sums to 1
    mixed, product = mixed / total, itself
    for layer in mixed.unbind(-3):
        product = layer @ product
    return product
