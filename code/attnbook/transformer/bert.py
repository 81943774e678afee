"""BERT: three embeddings, and an encoder that looks both ways."""

import torch
from torch import Tensor, nn

from attnbook.checks import check_config, check_integers
from attnbook.checks.integers import one_outside
from attnbook.transformer.blocks import EncoderLayer
from attnbook.transformer.configs import BERT_BASE, BertConfig
from attnbook.transformer.stack import check_tokens, one_mask, run_layers


class BertEmbeddings(nn.Module):
    """Word, position and segment vectors, added, normalised, dropped out.

    Args:
        config: the sizes.

    Source:
        Devlin et al. (2019), figure 2.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        check_config(config, BertConfig)
        self.config = config
        self.word = nn.Embedding(config.vocab_size, config.d_model)
        self.position = nn.Embedding(config.max_positions, config.d_model)
        self.segment = nn.Embedding(config.num_segments, config.d_model)
        self.norm = nn.LayerNorm(config.d_model, eps=config.eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """Embed a batch.

        Args:
            ids: (B, T) token ids.
            segments: (B, T), 0 … num_segments − 1; all 0 if not given.

        Returns:
            (B, T, D).
        """
        check_tokens("ids", ids, self.config.vocab_size)
        length = ids.shape[1]
        limit = self.config.max_positions
        if length > limit:
            raise ValueError(
                f"the sequence has {length} tokens, but only {limit} positions are learned; cut it"
            )
        segments = torch.zeros_like(ids) if segments is None else segments
        check_integers("segments", segments)
        num_segments = self.config.num_segments
        outside = one_outside(segments, num_segments - 1)
        if outside is not None:
            raise ValueError(
                f"segments holds {outside}, num_segments is {num_segments}; count segments from 0"
            )
        if segments.shape != ids.shape:
            raise ValueError(
                f"segments has shape {tuple(segments.shape)}, ids has {tuple(ids.shape)}; pass one segment per token"
            )
        places = torch.arange(length, device=ids.device)
        x = self.word(ids) + self.position(places) + self.segment(segments.long())
        return self.dropout(self.norm(x))


class BertEncoder(nn.Module):
    """BERT: embeddings and a stack of post-LN encoder layers; looks both ways.

    Without the pooler, which only sentence pairs need. While training, hidden units of the feed-forward networks are
    dropped too, which BERT does not do.

    Args:
        config: the sizes.

    Source:
        Devlin et al. (2019), §3.
    """

    def __init__(self, config: BertConfig = BERT_BASE):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.layers = nn.ModuleList(
            EncoderLayer(
                config.d_model,
                config.num_heads,
                config.d_ff,
                dropout=config.dropout,
                activation=config.activation,
                eps=config.eps,
            )
            for _ in range(config.num_layers)
        )

    def forward(
        self,
        ids: Tensor,
        valid_lens: Tensor | None = None,
        segments: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor] | None]:
        """Encode a batch of token ids.

        Args:
            ids: (B, T) token ids.
            valid_lens: (B,) integers, how many tokens are real.
            segments: (B, T) segment ids.
            mask: see `attnbook.attention`.
            need_weights: return each layer's weights too.

        Returns:
            hidden states (B, T, D), and a list of weights (B, H, T, T), one per layer, or None.
        """
        x = self.embeddings(ids, segments)
        mask = one_mask(self.config.num_heads, ids, valid_lens, mask)
        return run_layers(self.layers, x, mask=mask, need_weights=need_weights)
