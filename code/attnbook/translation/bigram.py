"""The smallest draft: a table of which word followed which."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from attnbook.checks import check_count, check_ids, check_positive
from attnbook.text import BOS
from attnbook.transformer import TransformerConfig


class BigramDraft(nn.Module):
    """A translator that ignores its source and its past but for the last word: p(next | last), counted.

    A word that was never seen after another one still gets a little, in proportion to how often it occurs at all; a
    draft needs this, for a word that it never proposes can only come from the large model.

    Args:
        targets: sentences in numbers, each ending in <eos>, without <bos>.
        config: of the model that it drafts for; only `target_vocab_size`, V, is used.
        prior: how many sightings the words' overall frequencies are worth.

    Attributes:
        log_probs: (V, V), a row for each last word.

    Raises:
        TypeError, ValueError: no sentences, ids beyond the vocabulary, or a prior that is not positive.
    """

    log_probs: Tensor

    def __init__(
        self,
        targets: Iterable[list[int]],
        config: TransformerConfig,
        prior: float = 2.0,
    ):
        super().__init__()
        check_positive("prior", prior)
        vocab_size = config.target_vocab_size
        pairs = [
            (last, word)
            for ids in targets
            for last, word in zip([BOS, *ids], ids, strict=False)
        ]
        check_count("the number of words", len(pairs))
        numbers = torch.tensor(pairs)
        check_ids("targets", numbers, vocab_size)
        counts = torch.zeros(vocab_size, vocab_size)
        last, word = numbers.T
        counts.index_put_((last, word), torch.ones(len(pairs)), accumulate=True)
        anywhere = counts.sum(0) / counts.sum()  # (V,)
        smoothed = counts + prior * anywhere
        self.config = config
        self.register_buffer(
            "log_probs", (smoothed / smoothed.sum(1, keepdim=True)).log()
        )

    def start(self, source: Tensor, valid_lens: Tensor) -> "NoState":
        """There is nothing to read."""
        return NoState()

    def extend(self, ids: Tensor, state: "NoState") -> Tensor:
        """Score what follows each word.

        Args:
            ids: (B, T) the words.
            state: from `start`.

        Returns:
            log-probabilities (B, T, V).

        Raises:
            TypeError, ValueError: ids that do not fit.
        """
        check_ids("ids", ids, self.config.target_vocab_size)
        return self.log_probs[ids]


class NoState:
    """The state of a translator that remembers nothing."""

    def copy(self) -> "NoState":
        """Itself: there is nothing to copy."""
        return self
