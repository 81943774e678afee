"""Tiny translators for the tests: every size another prime, random weights strong enough that words differ."""

import torch

from attnbook.text import BOS, EOS, PAD
from attnbook.transformer import TransformerConfig
from attnbook.translation import RecurrentConfig, RecurrentTranslator, TransformerTranslator

SOURCE_SIZE, TARGET_SIZE = 11, 7
# what a page model's file has to say of itself
MEASURED = {
    "command": "python nothing.py",
    "versions": {"torch": "0"},
    "seed": 3,
    "split_seed": 5,
    "corpus_sha256": "ab" * 32,
    "training": {"epochs": 0},
    "test": {"bleu": 1.0, "chrf": 2.0, "sentences": 3},
}
KINDS = ("additive", "scaled dot", "multiplicative", "none", "both ways", "transformer")


def translator(kind, seed=0, target_size=TARGET_SIZE, layers=2):
    """A translator of this kind in evaluation mode, float64."""
    torch.manual_seed(seed)
    if kind == "transformer":
        config = TransformerConfig(SOURCE_SIZE, target_size, 10, 2, 13, layers, layers, dropout=0.0)
        model = TransformerTranslator(config)
    else:
        attention = "additive" if kind == "both ways" else kind
        config = RecurrentConfig(SOURCE_SIZE, target_size, 5, 13, layers, 0.0, attention, kind == "both ways")
        model = RecurrentTranslator(config)
        with torch.no_grad():  # PyTorch's start is so small that every word is nearly as likely
            for weight in model.parameters():
                weight.mul_(2.5)
    return model.double().eval()


def source_batch():
    """Three sources of unequal lengths, each ending in <eos>."""
    rows = [[4, 5, 6, 9, EOS], [7, EOS], [8, 10, 4, EOS]]
    lens = torch.tensor([len(row) for row in rows])
    padded = [row + [PAD] * (5 - len(row)) for row in rows]
    return torch.tensor(padded), lens


def target_batch(length=6):
    """What is put into the decoder: <bos>, then words."""
    generator = torch.Generator().manual_seed(3)
    ids = torch.randint(3, TARGET_SIZE, (3, length), generator=generator)
    ids[:, 0] = BOS
    return ids
