"""Recurrent encoders and decoders: everything through one vector, or a fresh look at the source at every step."""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnbook.attention import sequence_mask
from attnbook.checks import check_lengths, check_probability
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
        bidirectional: bool = False,
    ):
        super().__init__()
        check_probability("dropout", dropout)
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

    def forward(self, ids: Tensor, lens: Tensor) -> tuple[Tensor, Tensor]:
        """Read a batch; padding is not read.

        Args:
            ids: (B, S) token ids, padded at the end.
            lens: (B,) integers, at least 1.

        Returns:
            states (B, S, D) (2 D both ways; 0 at padding), and each layer's last state, (L, B, D).

        Raises:
            TypeError, ValueError: lengths that do not fit.
        """
        check_lengths(lens, ids.shape[1])
        if len(lens) and not ids.is_meta and int(lens.min()) < 1:
            raise ValueError(
                "a source sentence is empty; each needs at least its <eos>"
            )
        words = self.embedding(ids)
        if int(lens.sum()) == ids.numel():  # no padding: nothing to leave out
            states, last = self.rnn(words)
        else:
            packed = pack_padded_sequence(
                words, lens.cpu(), batch_first=True, enforce_sorted=False
            )
            states, last = self.rnn(packed)
            states, _ = pad_packed_sequence(
                states, batch_first=True, total_length=ids.shape[1]
            )
        if self.bridge is not None:
            both = last.unflatten(0, (-1, 2))  # (L, 2, B, D)
            last = torch.tanh(self.bridge(torch.cat([both[:, 0], both[:, 1]], dim=-1)))
        return states, last


@dataclass
class RecurrentState:
    """Where a decoder stands: what it remembers, and what it can look at.

    Attributes:
        hidden: (L, B, D), each layer's last state.
        memory: (B, S, Dk), the encoder's states, or (B, Dk), the one vector of a decoder without attention.
        keys: (B, S, h), the memory as the score wants it; None without attention.
        blocked: (B, S), 0 at words and −inf at padding, added to the scores; None without attention.
        before: `hidden` before the words that were read last, and those words, to take some of them back.
    """

    hidden: Tensor
    memory: Tensor
    keys: Tensor | None = None
    blocked: Tensor | None = None
    before: tuple[Tensor, Tensor] | None = None

    def copy(self) -> "RecurrentState":
        """A state of its own, which goes on from here."""
        return replace(self)

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sentences by index, as beam search does.

        Args:
            order: (B',) integers, which sentence each new one continues.
        """
        self.hidden, self.before = self.hidden[:, order], None
        for name in ("memory", "keys", "blocked"):
            if getattr(self, name) is not None:
                setattr(self, name, getattr(self, name)[order])


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
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(
            memory_size + embed_size,
            hidden_size,
            num_layers,
            batch_first=True,
            dropout=dropout if num_layers > 1 else 0.0,
        )
        self.head = nn.Linear(hidden_size, vocab_size)

    def start(self, states: Tensor, last: Tensor, lens: Tensor) -> RecurrentState:
        """Begin: all that is kept of the source is its last state.

        Args:
            states: (B, S, Dk), not looked at.
            last: (L, B, D) from the encoder.
            lens: (B,) integers, not needed.

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
        score: "additive", "dot" or "general".

    Attributes:
        alignment: the score, see `attnbook.translation.alignment_scores`.
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
        self.memory_size, self.dropout = memory_size, dropout
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.alignment = make_alignment(score, hidden_size, memory_size)
        self.rnn = nn.GRU(
            memory_size + embed_size,
            hidden_size,
            num_layers,
            batch_first=True,
            dropout=dropout if num_layers > 1 else 0.0,
        )
        self.head = nn.Linear(hidden_size, vocab_size)

    def start(self, states: Tensor, last: Tensor, lens: Tensor) -> RecurrentState:
        """Begin: project the keys, once for the whole sentence, and mark the padding.

        Args:
            states: (B, S, Dk) from the encoder.
            last: (L, B, D) from the encoder.
            lens: (B,) integers.

        Returns:
            The state before the first word.
        """
        real = sequence_mask(lens.to(states.device), states.shape[1])
        blocked = states.new_zeros(real.shape).masked_fill(~real, -torch.inf)
        return RecurrentState(last, states, self.alignment.keys(states), blocked)

    def attend(self, state: RecurrentState) -> tuple[Tensor, Tensor]:
        """Look at the source from where the decoder stands.

        Args:
            state: its top layer's state is the query.

        Returns:
            context (B, Dk), and weights (B, S).
        """
        query = F.linear(state.hidden[-1], self.alignment.query_map())
        scores = self.alignment.scores(query, state.keys) + state.blocked
        weights = scores.softmax(-1)  # (B, S)
        kept = F.dropout(weights, self.dropout, self.training)
        return (kept[:, None] @ state.memory)[:, 0], weights

    def step(self, ids: Tensor, state: RecurrentState) -> tuple[Tensor, Tensor]:
        """One step of Bahdanau's decoder: look, then read one word, then score the next.

        Args:
            ids: (B,) the previous word.
            state: moved on in place.

        Returns:
            logits (B, V), and weights (B, S).
        """
        context, weights = self.attend(state)
        inputs = torch.cat([context, self.embedding(ids)], dim=-1)
        output, state.hidden = self.rnn(inputs[:, None], state.hidden)
        return self.head(output[:, 0]), weights

    def forward(self, ids: Tensor, state: RecurrentState) -> tuple[Tensor, Tensor]:
        """All steps, with the given words put in: the same numbers as `step` again and again, sooner.

        What does not wait for the state is done for all steps at once: the words' part of the first layer's gates, and
        the scores of the vocabulary. What waits for the same state shares one product.

        Args:
            ids: (B, T) the words that are put in.
            state: moved on in place.

        Returns:
            logits (B, T, V), and weights (B, T, S).
        """
        rnn, top = self.rnn, self.rnn.num_layers - 1
        from_memory, from_word = rnn.weight_ih_l0.split(
            [self.memory_size, rnn.input_size - self.memory_size], dim=1
        )
        words = F.linear(self.embedding(ids), from_word, rnn.bias_ih_l0)  # (B, T, 3D)
        # the top state is asked twice: for the query, and for the top layer's own gates
        query_map = self.alignment.query_map()
        recurrent = getattr(rnn, f"weight_hh_l{top}")
        asked = torch.cat([query_map, recurrent])  # (h + 3D, D)
        no_bias = asked.new_zeros(len(query_map))
        asked_bias = torch.cat([no_bias, getattr(rnn, f"bias_hh_l{top}")])

        hidden, outputs, seen = list(state.hidden), [], []
        for word in words.unbind(1):
            both = F.linear(hidden[top], asked, asked_bias)
            query, own = both.split([len(query_map), len(recurrent)], dim=-1)
            scores = self.alignment.scores(query, state.keys) + state.blocked
            weights = scores.softmax(-1)
            kept = F.dropout(weights, self.dropout, self.training)
            context = (kept[:, None] @ state.memory)[:, 0]  # (B, Dk)
            gates = torch.addmm(word, context, from_memory.T)  # (B, 3D)
            for layer in range(top + 1):
                if layer:
                    x = F.dropout(hidden[layer - 1], rnn.dropout, self.training)
                    weight = getattr(rnn, f"weight_ih_l{layer}")
                    gates = F.linear(x, weight, getattr(rnn, f"bias_ih_l{layer}"))
                if layer < top:
                    weight = getattr(rnn, f"weight_hh_l{layer}")
                    bias = getattr(rnn, f"bias_hh_l{layer}")
                    mine = F.linear(hidden[layer], weight, bias)
                else:
                    mine = own
                hidden[layer] = gru_state(gates, mine, hidden[layer])
            outputs.append(hidden[top])
            seen.append(weights)
        state.hidden = torch.stack(hidden)
        return self.head(torch.stack(outputs, dim=1)), torch.stack(seen, dim=1)


def gru_state(gates: Tensor, own: Tensor, hidden: Tensor) -> Tensor:
    """A GRU's next state from its two products, as PyTorch's `nn.GRU` defines it.

    Args:
        gates: (B, 3D), the input's part: reset, update, new.
        own: (B, 3D), the previous state's part.
        hidden: (B, D), the previous state.

    Returns:
        (B, D).

    Source:
        Cho et al. (2014), §2.3, in the form of PyTorch's documentation of `nn.GRU`.
    """
    size = hidden.shape[-1]
    parts = [2 * size, size]  # the gates, which are open or closed, and the proposal
    (open_in, new_in), (open_own, new_own) = (
        x.split(parts, dim=-1) for x in (gates, own)
    )
    reset, update = torch.sigmoid(open_in + open_own).chunk(2, -1)
    new = torch.tanh(torch.addcmul(new_in, reset, new_own))
    return torch.lerp(new, hidden, update)
