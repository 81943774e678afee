"""The decoder that Dive into Deep Learning prints but leaves out of its package, put together from its parts."""

import torch
from torch import Tensor, nn

from attnbook.interop.loading import load_d2l


class PublishedDecoder(nn.Module):
    """Bahdanau's decoder as Zhang et al. (2023), §11.4.2, define it; like theirs, it keeps the weights of every step.

    Args:
        vocab_size, embed_size, hidden_size, num_layers: the sizes.
    """

    def __init__(
        self, vocab_size: int, embed_size: int, hidden_size: int, num_layers: int
    ):
        super().__init__()
        self.attention = load_d2l().AdditiveAttention(hidden_size, 0.0)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size + hidden_size, hidden_size, num_layers)
        self.head = nn.Linear(hidden_size, vocab_size)
        self.seen: list[Tensor] = []

    def forward(self, ids: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        """Write on after the words so far.

        Args:
            ids: (B, T), the words read.
            state: (memory (B, S, H), hidden (layers, B, H), lengths (B,)).

        Returns:
            logits (B, T, V), and the state after these words.
        """
        memory, hidden, lens = state
        outputs, self.seen = [], []
        for word in self.embedding(ids).unbind(1):
            query = hidden[-1][:, None]
            context = self.attention(query, memory, memory, lens)
            self.seen.append(self.attention.attention_weights)
            inputs = torch.cat([context, word[:, None]], dim=-1).transpose(0, 1)
            output, hidden = self.rnn(inputs, hidden)
            outputs.append(output)
        logits = self.head(torch.cat(outputs)).transpose(0, 1)
        return logits, (memory, hidden, lens)
