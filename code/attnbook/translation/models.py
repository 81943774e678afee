"""Models that translate, behind one interface: score all words of a known target, or write one word after another.

logits = model(source, target, valid_lens)            training: the target is known
state = model.start(source, valid_lens)               translating: it is not
logits, weights, state = model.step(words, state)
"""

from copy import copy
from dataclasses import dataclass, replace

from torch import Tensor, nn

from attnbook.checks import check_batch, check_count, check_ids, readable
from attnbook.transformer import DecoderLayerCache, Transformer, TransformerConfig
from attnbook.translation.config import RecurrentConfig
from attnbook.translation.recurrent import (
    AttentionDecoder,
    GRUDecoder,
    GRUEncoder,
    RecurrentState,
)


class RecurrentTranslator(nn.Module):
    """GRU encoder and GRU decoder, with attention between them or without.

    Args:
        config: the sizes, and which attention.

    Attributes:
        writes_unknown: let decoding write <unk>, too.

    Source:
        Bahdanau et al. (2015); without attention, Cho et al. (2014).
    """

    writes_unknown = False

    def __init__(self, config: RecurrentConfig):
        super().__init__()
        self.config = config
        sizes = (config.embed_size, config.hidden_size, config.num_layers)
        self.encoder = GRUEncoder(
            config.source_vocab_size,
            *sizes,
            config.dropout,
            bidirectional=config.bidirectional,
        )
        memory_size = config.hidden_size * (2 if config.bidirectional else 1)
        if config.attention == "none":  # the one vector is the last state, of size D
            self.decoder: GRUDecoder | AttentionDecoder = GRUDecoder(
                config.target_vocab_size, *sizes, config.dropout
            )
        else:
            self.decoder = AttentionDecoder(
                config.target_vocab_size,
                *sizes,
                config.dropout,
                memory_size,
                config.attention,
            )

    def start(self, source: Tensor, valid_lens: Tensor) -> RecurrentState:
        """Read the source sentences.

        Args:
            source: (B, S) ids, each sentence ending in <eos>, then padding.
            valid_lens: (B,) integers, how many tokens are real.

        Returns:
            The decoder's state before the first word.

        Raises:
            TypeError, ValueError: ids or lengths that do not fit.
        """
        check_ids("source", source, self.config.source_vocab_size)
        states, last = self.encoder(source, valid_lens)
        return self.decoder.start(states, last, valid_lens)

    def extend(self, ids: Tensor, state: RecurrentState) -> Tensor:
        """Read several known words and score what follows each of them.

        Args:
            ids: (B, T) the words.
            state: moved on.

        Returns:
            logits (B, T, V).

        Raises:
            TypeError, ValueError: ids that do not fit, or of another number of sentences than the state's.
        """
        before = (state.hidden, ids)
        logits = self.decoder(ids, state)[0]
        state.before = before
        return logits

    def rewind(self, state: RecurrentState, words: int) -> None:
        """Take back the last words that `extend` read.

        Args:
            state: moved back.
            words: how many to take back.

        Raises:
            ValueError: more than the last `extend` read.
        """
        _check_rewind(words, 0 if state.before is None else state.before[1].shape[1])
        if words and state.before is not None:
            state.hidden, ids = state.before
            state.before = None
            if words < ids.shape[1]:
                self.decoder(ids[:, :-words], state)

    def step(
        self, ids: Tensor, state: RecurrentState, *, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None, RecurrentState]:
        """Read the previous word, score the next one.

        Args:
            ids: (B,) the previous word of each sentence, <bos> at first.
            state: from `start` or the last step; moved on.
            need_weights: return the attention weights too.

        Returns:
            logits (B, V); weights (B, S), or None; and the state.

        Raises:
            TypeError, ValueError: as `extend`.
        """
        logits, weights = self.decoder(ids[:, None], state)
        state.before = None  # what an earlier `extend` read ends here
        if not need_weights or weights is None:
            return logits[:, 0], None, state
        return logits[:, 0], weights[:, 0], state

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        valid_lens: Tensor,
        *,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor | None]:
        """Score every word of known targets (teacher forcing).

        Args:
            source: (B, S) ids.
            target: (B, T) ids, beginning with <bos>.
            valid_lens: (B,) integers.
            need_weights: return the attention weights too.

        Returns:
            logits (B, T, V); with `need_weights` a pair of them and weights (B, T, S), None without attention.

        Raises:
            TypeError, ValueError: ids or lengths that do not fit.
        """
        state = self.start(source, valid_lens)
        check_ids("target", target, self.config.target_vocab_size)
        check_batch(source=source, target=target)
        logits, weights = self.decoder(target, state)
        return (logits, weights) if need_weights else logits


@dataclass
class TransformerState:
    """The state of a Transformer's decoder.

    Attributes:
        memory_mask: bool (B, 1, 1, S), True = a word of the source, not padding; None if there is no padding.
        cache: each decoder layer's keys and values: of the words so far, and of the encoder's output.
    """

    memory_mask: Tensor | None
    cache: list[DecoderLayerCache]

    def copy(self) -> "TransformerState":
        """An independent copy, which continues from here."""
        return replace(self, cache=[copy(layer) for layer in self.cache])

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sentences by index, as beam search does.

        Args:
            order: (B',) integers, which sentence each new one continues.
        """
        if self.memory_mask is not None:
            self.memory_mask = self.memory_mask[order]
        for layer in self.cache:
            layer.reorder(order)


class TransformerTranslator(Transformer):
    """The Transformer of 2017, able to write word by word with a key–value cache.

    Args:
        config: the sizes.

    Attributes:
        writes_unknown: let decoding write <unk>, too.

    Source:
        Vaswani et al. (2017), figure 1.
    """

    config: TransformerConfig
    writes_unknown = False

    def start(
        self, source: Tensor, valid_lens: Tensor | None = None
    ) -> TransformerState:
        """Read the source sentences.

        Args:
            source: (B, S) ids, each sentence ending in <eos>, then padding.
            valid_lens: (B,) integers, how many tokens are real; all if not given.

        Returns:
            The decoder's state before the first word.
        """
        memory, mask = self.encode(source, valid_lens)
        if mask is not None and readable(mask) and mask.all():
            mask = None  # no padding: each step is faster without a mask
        return TransformerState(mask, self.decoder.start_cache(memory))

    def extend(self, ids: Tensor, state: TransformerState) -> Tensor:
        """Read several known words in one parallel pass and score what follows each of them.

        Args:
            ids: (B, T) the words.
            state: moved on.

        Returns:
            logits (B, T, V).
        """
        return self.decoder(ids, memory_mask=state.memory_mask, cache=state.cache)[0]

    def rewind(self, state: TransformerState, words: int) -> None:
        """Take back the last words that were read.

        Args:
            state: moved back.
            words: how many to take back.

        Raises:
            ValueError: more than have been read.
        """
        read = state.cache[0].length
        _check_rewind(words, read)
        for layer in state.cache:
            layer.shorten(read - words)

    def step(
        self, ids: Tensor, state: TransformerState, *, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None, TransformerState]:
        """Read the previous word, score the next one; earlier words' keys and values come from the cache.

        Args:
            ids: (B,) the previous word of each sentence, <bos> at first.
            state: from `start` or the last step; moved on.
            need_weights: return the last layer's attention to the source, averaged over its heads.

        Returns:
            logits (B, V); weights (B, S), or None; and the state.
        """
        logits, seen = self.decoder(
            ids[:, None],  # (B, 1), one position
            memory_mask=state.memory_mask,
            need_weights=need_weights,
            cache=state.cache,
        )
        weights = seen[-1][1][:, :, 0].mean(1) if need_weights else None  # (B, S)
        return logits[:, 0], weights, state

    def forward(  # type: ignore[override]  # with need_weights, a pair
        self,
        source: Tensor,
        target: Tensor,
        valid_lens: Tensor | None = None,
        *,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, list[Tensor]]:
        """Score every word of known targets in one parallel pass (teacher forcing).

        Args:
            source: (B, S) ids.
            target: (B, T) ids, beginning with <bos>.
            valid_lens: (B,) integers, how many source tokens are real.
            need_weights: return the attention to the source too.

        Returns:
            logits (B, T, V); with `need_weights` a pair of them and weights (B, H, T, S), one tensor per layer.
        """
        if not need_weights:
            return super().forward(source, target, valid_lens)
        memory, mask = self.encode(source, valid_lens)
        logits, weights = self.decoder(
            target, memory, need_weights=True, memory_mask=mask
        )
        return logits, [across for _, across in weights]


def _check_rewind(words: int, read: int) -> None:
    check_count("words", words, at_least=0)
    if words > read:
        raise ValueError(f"cannot take back {words} words, only {read} were read")
