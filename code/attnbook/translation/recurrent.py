"""Recurrent encoders and decoders: everything through one vector, or another look at the source at every step."""

from dataclasses import dataclass, field, replace
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnbook.attention import sequence_mask
from attnbook.checks import (
    check_batch,
    check_ids,
    check_lengths,
    check_own_weights,
    check_probability,
    check_switch,
    readable,
)
from attnbook.translation.alignment_scores import make_alignment


class GRUEncoder(nn.Module):
    """Read a sentence word by word; keep a state for every word, and the last one of every layer.

    Args:
        vocab_size: V.
        embed_size: E, of a word's vector.
        hidden_size: D, of a state.
        num_layers: L.
        dropout: between the layers, while training.
        bidirectional: read backwards too; states then have size 2 D, and the last ones are mapped back to D.

    Source:
        Cho et al. (2014), the GRU; Sutskever et al. (2014), several layers; Bahdanau et al. (2015), §3.2, both ways.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        hidden_size: int,
        num_layers: int = 1,
        dropout: float = 0.0,
        *,
        bidirectional: bool = False,
    ):
        super().__init__()
        check_probability("dropout", dropout)
        check_switch("bidirectional", bidirectional)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(
            embed_size,
            hidden_size,
            num_layers,
            batch_first=True,
            dropout=dropout if num_layers > 1 else 0.0,
            bidirectional=bidirectional,
        )
        self.bridge = nn.Linear(2 * hidden_size, hidden_size) if bidirectional else None

    def forward(self, ids: Tensor, valid_lens: Tensor) -> tuple[Tensor, Tensor]:
        """Read a batch; padding is not read.

        Args:
            ids: (B, S) token ids, padded at the end. On the meta device, which has no lengths to look at, all of them
                count as real.
            valid_lens: (B,) integers, at least 1. PyTorch packs sequences by lengths on the CPU, so that on a GPU this
                waits for them, once.

        Returns:
            states (B, S, D) (2 D both ways; 0 at padding), and each layer's last state, (L, B, D).

        Raises:
            TypeError, ValueError: lengths that do not fit.
        """
        lens = _lengths_on_cpu(valid_lens, ids)
        words = self.embedding(ids)  # (B, S, E)
        if ids.is_meta or int(lens.sum()) == ids.numel():  # no padding
            states, last = self.rnn(words)
        else:
            packed = pack_padded_sequence(
                words, lens, batch_first=True, enforce_sorted=False
            )
            states, last = self.rnn(packed)
            states, _ = pad_packed_sequence(
                states, batch_first=True, total_length=ids.shape[1]
            )
        if self.bridge is not None:
            both = last.unflatten(0, (-1, 2))  # (L, 2, B, D)
            last = torch.tanh(self.bridge(torch.cat([both[:, 0], both[:, 1]], dim=-1)))
        return states, last


def _lengths_on_cpu(valid_lens: Tensor, ids: Tensor) -> Tensor:
    """The checked lengths of sentences (B, S), on the CPU; those on the meta device stay there."""
    lens = valid_lens
    if isinstance(lens, Tensor) and not ids.is_meta:
        lens = lens.cpu()
    check_lengths(lens, ids.shape[1])
    _check_one_each(lens, len(ids))
    if readable(lens) and (lens < 1).any():
        raise ValueError("a source sentence is empty; each needs at least its <eos>")
    return lens


def _check_one_each(valid_lens: Tensor, num_sentences: int) -> None:
    if valid_lens.shape != (num_sentences,):
        raise ValueError(
            f"valid_lens must have shape ({num_sentences},), one length for each sentence; got "
            f"{tuple(valid_lens.shape)}"
        )


@dataclass
class RecurrentState:
    """A decoder's state: what it remembers, and what it can look at.

    Attributes:
        hidden: (L, B, D), each layer's last state.
        memory: (B, S, Dk), the encoder's states, or (B, Dk), the one vector of a decoder without attention.
        before: `hidden` before the words that were read last, and those words, to take some of them back.
    """

    hidden: Tensor
    memory: Tensor
    before: tuple[Tensor, Tensor] | None = field(default=None, kw_only=True)

    def copy(self) -> Self:
        """An independent copy, which continues from here."""
        return replace(self)

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sentences by index, as beam search does.

        Args:
            order: (B',) integers, which sentence each new one continues.
        """
        self.hidden, self.before = self.hidden[:, order], None
        self.memory = self.memory[order]


@dataclass
class AttentionState(RecurrentState):
    """The state of a recurrent decoder with attention.

    Attributes:
        hidden, memory, before: see `RecurrentState`.
        keys: (B, S, h), the memory as the score wants it.
        mask: (B, S) bool, True = may attend.
    """

    keys: Tensor
    mask: Tensor

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sentences by index, as beam search does.

        Args:
            order: (B',) integers, which sentence each new one continues.
        """
        super().reorder(order)
        self.keys, self.mask = self.keys[order], self.mask[order]


class GRUDecoder(nn.Module):
    """Write a sentence from one vector: the encoder's last state is an input of every step.

    Args:
        vocab_size: V.
        embed_size: E.
        hidden_size: D, also the size of the encoder's states of each direction.
        num_layers: L.
        dropout: between the layers, while training.
        memory_size: Dk, the size of that one vector; D if not given.

    Source:
        Cho et al. (2014), §2.2 (their c is the encoder's last state).
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        hidden_size: int,
        num_layers: int = 1,
        dropout: float = 0.0,
        memory_size: int | None = None,
    ):
        super().__init__()
        check_probability("dropout", dropout)
        memory_size = hidden_size if memory_size is None else memory_size
        self.vocab_size = vocab_size
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = _decoder_gru(
            memory_size + embed_size, hidden_size, num_layers, dropout
        )
        self.head = nn.Linear(hidden_size, vocab_size)

    def start(self, states: Tensor, last: Tensor, valid_lens: Tensor) -> RecurrentState:
        """Begin: all that is kept of the source is its last state.

        Args:
            states: (B, S, Dk), not looked at.
            last: (L, B, D) from the encoder.
            valid_lens: (B,) integers, not needed.

        Returns:
            The state before the first word.
        """
        return RecurrentState(last, memory=last[-1])

    def forward(self, ids: Tensor, state: RecurrentState) -> tuple[Tensor, None]:
        """Go on from a state through all given words.

        Args:
            ids: (B, T) the words that are put in.
            state: moved on in place.

        Returns:
            logits (B, T, V), and None: there are no attention weights.
        """
        check_ids("ids", ids, self.vocab_size)
        check_batch(ids=ids, memory=state.memory)
        words = self.embedding(ids)  # (B, T, E)
        context = state.memory[:, None].expand(-1, ids.shape[1], -1)
        inputs = torch.cat([context, words], dim=-1)
        output, state.hidden = self.rnn(inputs, state.hidden)
        return self.head(output), None


class AttentionDecoder(nn.Module):
    """Write a sentence while looking back at the source: a new context at every step.

    Args:
        vocab_size: V.
        embed_size: E.
        hidden_size: D.
        num_layers: L; the top layer's previous state is the query.
        dropout: on the attention weights and between the layers, while training.
        memory_size: Dk, of the encoder's states; D if not given.
        score: "additive", "scaled dot" or "multiplicative".

    Attributes:
        alignment: the attention layer with that score; here its keys are projected once for a sentence.
        rnn: its input is [context; word], in this order.

    Source:
        Bahdanau et al. (2015), §3.1, with the decoder of Zhang et al. (2023), §11.4: s_{t′−1} asks, the context goes
        into the GRU, and the GRU's output alone is scored.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        hidden_size: int,
        num_layers: int = 1,
        dropout: float = 0.0,
        memory_size: int | None = None,
        score: str = "additive",
    ):
        super().__init__()
        check_probability("dropout", dropout)
        memory_size = hidden_size if memory_size is None else memory_size
        self.vocab_size = vocab_size
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.alignment = make_alignment(score, hidden_size, memory_size, dropout)
        self.rnn = _decoder_gru(
            memory_size + embed_size, hidden_size, num_layers, dropout
        )
        self.head = nn.Linear(hidden_size, vocab_size)

    def start(self, states: Tensor, last: Tensor, valid_lens: Tensor) -> AttentionState:
        """Begin: project the keys, once for the whole sentence, and mark the padding.

        Args:
            states: (B, S, Dk) from the encoder.
            last: (L, B, D) from the encoder.
            valid_lens: (B,) integers.

        Returns:
            The state before the first word.

        Raises:
            TypeError: an alignment whose weights a hook makes before each call of it, since none is made here.
            TypeError, ValueError: lengths that do not fit.
        """
        check_own_weights("the alignment", self.alignment)
        check_lengths(valid_lens, states.shape[1])
        _check_one_each(valid_lens, len(states))
        mask = sequence_mask(valid_lens.to(states.device), states.shape[1])
        keys = self.alignment.project_key(states)
        return AttentionState(last, states, keys, mask)

    def attend(self, state: AttentionState) -> tuple[Tensor, Tensor]:
        """Look at the source from where the decoder stands.

        Args:
            state: its top layer's state is the query.

        Returns:
            context (B, Dk), and weights (B, S).
        """
        query = state.hidden[-1][:, None]  # (B, 1, D)
        scores = self.alignment.scores(query, state.keys)[:, 0]  # (B, S)
        weights = scores.where(state.mask, -torch.inf).softmax(-1)
        kept = self.alignment.dropout(weights)
        return (kept[:, None] @ state.memory)[:, 0], weights

    def step(self, word: Tensor, state: AttentionState) -> tuple[Tensor, Tensor]:
        """One step of Bahdanau's decoder: look at the source, then read one word.

        Args:
            word: (B, E) the previous word's vector.
            state: moved on in place.

        Returns:
            output (B, D), the new state of the top layer, and weights (B, S).
        """
        check_batch(word=word, memory=state.memory)
        context, weights = self.attend(state)  # (B, Dk), (B, S)
        inputs = torch.cat([context, word], dim=-1)  # (B, Dk + E)
        output, state.hidden = self.rnn(inputs[:, None], state.hidden)
        return output[:, 0], weights

    def forward(self, ids: Tensor, state: AttentionState) -> tuple[Tensor, Tensor]:
        """All steps, with the given words put in.

        Args:
            ids: (B, T) the words that are put in.
            state: moved on in place.

        Returns:
            logits (B, T, V), and weights (B, T, S).
        """
        check_ids("ids", ids, self.vocab_size)
        check_batch(ids=ids, memory=state.memory)
        words = self.embedding(ids).unbind(1)  # T times (B, E)
        steps = [self.step(word, state) for word in words]
        outputs, weights = zip(*steps, strict=True)
        logits = self.head(torch.stack(outputs, dim=1))  # (B, T, V)
        return logits, torch.stack(weights, dim=1)


def _decoder_gru(
    input_size: int, hidden_size: int, num_layers: int, dropout: float
) -> nn.GRU:
    between = dropout if num_layers > 1 else 0.0
    return nn.GRU(
        input_size, hidden_size, num_layers, batch_first=True, dropout=between
    )
