"""What layer 1 of an induction model leaves for layer 2, exchanged one note at a time."""

from collections.abc import Iterator
from typing import cast

import torch
from torch import Tensor

from attnbook.attention import (
    MultiHeadAttention,
    RotaryPositions,
    causal_mask,
    merge_heads,
    scaled_dot_score,
    split_heads,
)
from attnbook.studies.induction import NUM_SYMBOLS, AttentionOnly, repeated_rows

CHANGES = (
    "untouched",
    "erased",
    "erased, other planted",
    "erased and planted",
    "planted",
    "other planted",
)


def notes_of(model: AttentionOnly, ids: Tensor) -> Tensor:
    """What stands at each position after layer 1.

    Args:
        model: with two layers and no sink.
        ids: (B, T) symbols.

    Returns:
        (B, T, D).
    """
    x = model.embedding(ids)
    return x + model.layers[0](x, mask=causal_mask(ids.shape[1]))[0]


def answer_with(model: AttentionOnly, ids: Tensor, notes: Tensor) -> Tensor:
    """The answers of a model whose layer 2 makes its keys, and nothing else, from these notes.

    Args:
        model: see `notes_of`.
        ids: (B, T) symbols, of which queries and values are made.
        notes: (B, T, D).

    Returns:
        (B, T) symbols, the likeliest after each position.
    """
    layer = cast(MultiHeadAttention, model.layers[1])
    rotary = cast(RotaryPositions, layer.rotary)
    x = notes_of(model, ids)
    query, _, value = layer.W_qkv(x).chunk(3, dim=-1)
    key = layer.W_qkv(notes).chunk(3, dim=-1)[1]
    query, key, value = (
        split_heads(part, layer.num_heads) for part in (query, key, value)
    )
    scores = scaled_dot_score(rotary(query), rotary(key))
    weights = scores.masked_fill(~causal_mask(ids.shape[1]), -torch.inf).softmax(-1)
    y = x + layer.W_o(merge_heads(weights @ value))
    return model.unembedding(y).argmax(-1)


def note_after(
    model: AttentionOnly, ids: Tensor, place: Tensor, symbol: Tensor
) -> Tensor:
    """What layer 1 would leave at a place if another symbol stood before it.

    Args:
        model: see `notes_of`.
        ids: (B, T) symbols.
        place: (B,) positions, from 1.
        symbol: (B,) what is put one position earlier.

    Returns:
        (B, D).
    """
    changed = ids.scatter(1, place[:, None] - 1, symbol[:, None])
    return notes_of(model, changed)[torch.arange(len(ids)), place]


def draw_cases(
    rows: int, period: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rows of one period, where each is asked, and where a false note goes.

    Args:
        rows: B.
        period: P, at most 15.
        generator: where all of it comes from.

    Returns:
        ids (B, T); the position (B,) of the query, in the second round; the position (B,) in the first round at which
        a false note is planted, neither the right one nor that of the query's own copy; and two symbols (B, 2) that
        are nowhere in the row.
    """
    ids = repeated_rows(rows, generator, (period, period))[0][:, :-1]
    copy = torch.randint(1, period, (rows,), generator=generator)  # x_copy = x_query
    place = torch.arange(ids.shape[1]).expand_as(ids)
    free = (place >= 2) & (place <= period)
    free &= (place != copy[:, None]) & (place != copy[:, None] + 1)
    planted = free.double().multinomial(1, generator=generator)[:, 0]
    unused = torch.ones(rows, NUM_SYMBOLS + 1).scatter(1, ids, 0)
    unused[:, 0] = 0
    return ids, copy + period, planted, unused.multinomial(2, generator=generator)


@torch.no_grad()
def false_notes(
    model: AttentionOnly, period: int, seed: int = 7, rows: int = 200
) -> dict[str, tuple[Tensor, Tensor]]:
    """Exchange notes, and see what the model answers.

    Args:
        model: see `notes_of`.
        period: of all rows.
        seed: for the rows, the queries and the places of false notes.
        rows: B.

    Returns:
        For each of `CHANGES`, whether the answer is right, and whether it is the symbol at the planted place; (B,)
        each.
    """
    drawn = draw_cases(rows, period, torch.Generator().manual_seed(seed))
    ids, asks, planted, (strange, other) = *drawn[:3], drawn[3].T
    each, right = torch.arange(rows), asks - period + 1
    own = notes_of(model, ids)
    erased, false, unrelated = (
        (right, note_after(model, ids, right, strange)),
        (planted, note_after(model, ids, planted, ids[each, asks])),
        (planted, note_after(model, ids, planted, other)),
    )

    def changed(*exchanges: tuple[Tensor, Tensor]) -> Tensor:
        notes = own.clone()
        for place, note in exchanges:
            notes[each, place] = note
        return answer_with(model, ids, notes)[each, asks]

    def answers() -> Iterator[Tensor]:
        yield changed()
        yield changed(erased)
        yield changed(erased, unrelated)
        yield changed(erased, false)
        yield changed(false)
        yield changed(unrelated)

    return {
        name: (said == ids[each, right], said == ids[each, planted])
        for name, said in zip(CHANGES, answers(), strict=True)
    }
