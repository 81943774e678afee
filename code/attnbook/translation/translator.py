"""Translators with their vocabularies: build one from a recipe, translate text, measure, save and load."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from attnbook.checks import check_count
from attnbook.data import EncodedPair, encode_pairs, references
from attnbook.reproducible import seed_everything
from attnbook.text import (
    BOS,
    EOS,
    PAD,
    SubwordVocabulary,
    Vocabulary,
    WordVocabulary,
    normalise,
    vocabulary_from_dict,
)
from attnbook.training import CheckpointError, read_archive, save_checkpoint
from attnbook.transformer import RecurrentConfig, TransformerConfig
from attnbook.translation.decoding import beam_search, greedy
from attnbook.translation.metrics import bleu, chrf
from attnbook.translation.models import RecurrentTranslator, TransformerTranslator

MODELS = {
    "recurrent": (RecurrentConfig, RecurrentTranslator),
    "transformer": (TransformerConfig, TransformerTranslator),
}


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what a translator becomes, but the data and how long it is trained.

    Attributes:
        model: "recurrent" or "transformer".
        sizes: of the model, by the names of its config.
        subwords: how many pieces of words a vocabulary has; 0 for whole words.
        bpe_dropout: how often a merge of pieces is left out in training, see `attnbook.text.bpe_dropout`.
        min_count: how often a whole word must occur to get a number.
        max_len: longer pairs are left out of the training, in tokens.
        batch_size: pairs a batch.
        label_smoothing: see `masked_cross_entropy`.
        lr, clip, schedule, weight_decay, betas: see `attnbook.training.TrainConfig`.
        warmup_share: the share of the steps that warm up, for "warmup-cosine".

    Raises:
        ValueError: an unknown model, or `bpe_dropout` without `subwords`.
        TypeError: a size that the model does not have.
    """

    model: str
    sizes: dict = field(default_factory=dict)
    subwords: int = 0
    bpe_dropout: float = 0.0
    min_count: int = 2
    max_len: int = 50
    batch_size: int = 128
    label_smoothing: float = 0.0
    lr: float = 5e-3
    clip: float | None = 1.0
    schedule: str = "constant"
    weight_decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    warmup_share: float = 0.1

    def __post_init__(self):
        if self.model not in MODELS:
            raise ValueError(
                f"model must be one of {', '.join(MODELS)}, got {self.model!r}"
            )
        MODELS[self.model][0](
            source_vocab_size=4, target_vocab_size=4, **self.sizes
        )  # a size that there is not is an error now, not after the data is read
        if self.bpe_dropout and not self.subwords:
            raise ValueError("bpe_dropout cuts pieces of words: set subwords, too")

    def build(self, source_vocab_size: int, target_vocab_size: int) -> nn.Module:
        """A model of these sizes, with random weights.

        Args:
            source_vocab_size, target_vocab_size: V of either language.

        Returns:
            A translator of `attnbook.translation.models`.
        """
        config, model = MODELS[self.model]
        return model(config(source_vocab_size, target_vocab_size, **self.sizes))

    def vocabulary(self, sentences: Sequence[str]) -> Vocabulary:
        """A vocabulary of one language.

        Args:
            sentences: of the training set only.

        Returns:
            Of words or of pieces, as the recipe says.
        """
        if self.subwords:
            return SubwordVocabulary(sentences, self.subwords)
        return WordVocabulary(sentences, self.min_count)


_PUBLISHED = Recipe("recurrent")
_GENTLE = replace(
    _PUBLISHED,
    lr=3e-3,
    schedule="warmup-cosine",
    label_smoothing=0.1,
    sizes={"embed_size": 128, "hidden_size": 256, "num_layers": 1, "dropout": 0.3},
)

_TRANSFORMER = Recipe(
    "transformer",
    sizes={
        "d_model": 128,
        "num_heads": 4,
        "d_ff": 512,
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "dropout": 0.1,
        "norm_first": True,
    },
    subwords=1500,
    batch_size=64,
    label_smoothing=0.1,
    lr=2e-3,
    schedule="warmup-cosine",
    weight_decay=0.01,
    betas=(0.9, 0.98),
)
# for a few thousand pairs: fewer pieces, each of them seen more often; Sennrich and Zhang (2019), arXiv:1905.11901
_FEW_PAIRS = replace(_TRANSFORMER, subwords=1000)

RECIPES = {
    # batch, sizes, dropout, learning rate and clipping as in Zhang et al. (2023), §11.4
    "bahdanau-published": _PUBLISHED,
    "bahdanau": replace(_GENTLE, sizes=_GENTLE.sizes | {"bidirectional": True}),
    "seq2seq": replace(_GENTLE, sizes=_GENTLE.sizes | {"attention": "none"}),
    "transformer": _TRANSFORMER,
    "transformer-few-pairs": _FEW_PAIRS,
    "transformer-few-pairs-long": replace(
        _FEW_PAIRS,
        bpe_dropout=0.1,
        batch_size=128,
        lr=3e-3,
        sizes=_TRANSFORMER.sizes | {"dropout": 0.2},
    ),
}


class Translator:
    """A model and the vocabularies of both languages: from text to text.

    Args:
        model: a translator of `attnbook.translation.models`.
        source_vocab, target_vocab: what its ids mean.

    Raises:
        ValueError: a vocabulary of another size than the model's.
    """

    def __init__(
        self, model: nn.Module, source_vocab: Vocabulary, target_vocab: Vocabulary
    ):
        sides = (("source", source_vocab), ("target", target_vocab))
        for side, vocab in sides:
            expected = getattr(model.config, f"{side}_vocab_size")
            if len(vocab) != expected:
                raise ValueError(
                    f"the {side} vocabulary has {len(vocab)} entries, the model's has {expected}; "
                    "pass the vocabularies that it was trained with"
                )
        self.model, self.source_vocab, self.target_vocab = (
            model,
            source_vocab,
            target_vocab,
        )

    def encode(self, sentences: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Number and pad source sentences.

        Args:
            sentences: in the source language.

        Returns:
            ids (B, S), each ending in <eos>, and lengths (B,), on the model's device.
        """
        rows = [self.source_vocab.encode(sentence) + [EOS] for sentence in sentences]
        width = max(map(len, rows))
        device = next(self.model.parameters()).device
        ids = torch.tensor([row + [PAD] * (width - len(row)) for row in rows])
        return ids.to(device), torch.tensor([len(row) for row in rows], device=device)

    def translate(
        self,
        sentences: Sequence[str],
        beam: int = 1,
        length_penalty: float = 1.0,
        max_len: int = 60,
        batch_size: int = 256,
    ) -> list[str]:
        """Translate sentences, the likeliest word at a time or by beam search.

        Args:
            sentences: in the source language.
            beam: the width; 1 takes the likeliest word at every step.
            length_penalty: see `attnbook.translation.decoding.beam_search`.
            max_len: the most tokens to write.
            batch_size: sentences at a time, without a beam.

        Returns:
            One translation a sentence, normalised (lower case, spaces before punctuation).

        Raises:
            TypeError: one text instead of a list of them.
        """
        if isinstance(sentences, str):
            raise TypeError(
                f"sentences must be a list of texts, got one text; pass [{sentences!r}]"
            )
        check_count("beam", beam)
        sentences = [normalise(sentence) for sentence in sentences]
        known = {"": ""}  # nothing to translate, nothing to write
        waiting = sorted({*sentences} - {*known}, key=len)
        was_training = self.model.training
        self.model.eval()
        for begin in range(0, len(waiting), batch_size):
            some = waiting[begin : begin + batch_size]
            ids, lens = self.encode(some)
            if beam == 1:
                decoded = greedy(self.model, ids, lens, max_len)
            else:
                decoded = [
                    beam_search(
                        self.model,
                        ids[i : i + 1, : lens[i]],
                        lens[i : i + 1],
                        beam,
                        length_penalty,
                        max_len,
                    )[0]
                    for i in range(len(some))
                ]
            texts = (self.target_vocab.decode(one.ids) for one in decoded)
            known.update(zip(some, texts, strict=True))
        self.model.train(was_training)
        return [known[sentence] for sentence in sentences]

    def align(
        self, sentence: str, target: str | None = None, max_len: int = 60
    ) -> tuple[list[str], list[str], Tensor]:
        """Translate one sentence and say where the model looked.

        Args:
            sentence: in the source language.
            target: a translation to be scored instead of the model's own.
            max_len: the most tokens to write.

        Returns:
            source tokens and target tokens, both with <eos>, and weights (T, S): of the recurrent model's attention,
            or of the Transformer's last layer, averaged over its heads.

        Raises:
            ValueError: a model without attention.
        """
        ids, lens = self.encode([sentence])
        was_training = self.model.training
        self.model.eval()
        if target is None:
            written = greedy(self.model, ids, lens, max_len)[0].ids
        else:
            written = self.target_vocab.encode(target) + [EOS]
        weights = self._weights(ids, lens, written)
        self.model.train(was_training)
        source = self.source_vocab.tokens(ids[0].tolist())
        return source, self.target_vocab.tokens(written), weights

    @torch.no_grad()
    def _weights(self, ids: Tensor, lens: Tensor, written: list[int]) -> Tensor:
        target_in = ids.new_tensor([[BOS, *written[:-1]]])
        _, weights = self.model(ids, target_in, lens, need_weights=True)
        if weights is None:
            raise ValueError("this model has no attention; there is nothing to align")
        if isinstance(weights, list):
            weights = weights[-1].mean(1)  # the last layer, averaged over its heads
        return weights[0].cpu()

    def save(self, path: str | Path) -> None:
        """Write sizes, vocabularies and weights to one file, whole or not at all.

        Args:
            path: where to.
        """
        kind = next(
            name for name, (_, model) in MODELS.items() if type(self.model) is model
        )
        weights = {k: v.detach().cpu() for k, v in self.model.state_dict().items()}
        state = {
            "kind": kind,
            "config": asdict(self.model.config),
            "source_vocab": self.source_vocab.to_dict(),
            "target_vocab": self.target_vocab.to_dict(),
            "weights": weights,
        }
        save_checkpoint(path, state)

    @classmethod
    def load(cls, path: str | Path) -> "Translator":
        """Read what `save` wrote. Nothing in the file is executed.

        Args:
            path: where from.

        Returns:
            The translator, in evaluation mode, on the CPU.

        Raises:
            FileNotFoundError: no such file.
            CheckpointError: the file is damaged, or is not a translator.
        """
        state = read_archive(path)
        try:
            config, model = MODELS[state["kind"]]
            built = model(config(**state["config"]))
            built.load_state_dict(state["weights"])
            vocabs = (
                vocabulary_from_dict(state[side])
                for side in ("source_vocab", "target_vocab")
            )
            return cls(built.eval(), *vocabs)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(
                f"{path} does not hold a translator ({type(error).__name__}: {error}); train one with "
                "python -m attnbook.train"
            ) from error


def prepare(
    recipe: Recipe, pairs: Sequence, seed: int = 0
) -> tuple[Translator, list[EncodedPair]]:
    """Vocabularies from the training pairs, an untrained translator, and the pairs in numbers.

    Args:
        recipe: how.
        pairs: the training set.
        seed: of the model's random weights.

    Returns:
        The translator and the encoded pairs.

    Raises:
        ValueError: no pairs.
    """
    pairs = list(pairs)
    source_vocab = recipe.vocabulary([pair.source for pair in pairs])
    target_vocab = recipe.vocabulary([pair.target for pair in pairs])
    seed_everything(seed)
    model = recipe.build(len(source_vocab), len(target_vocab))
    encoded = encode_pairs(pairs, source_vocab, target_vocab, recipe.max_len)
    return Translator(model, source_vocab, target_vocab), encoded


def evaluate(translator: Translator, pairs: Sequence, beam: int = 1) -> dict:
    """Translate every distinct source sentence and compare with all its reference translations.

    Args:
        translator: trained.
        pairs: none of which it was trained on, or the numbers mean nothing.
        beam: see `Translator.translate`.

    Returns:
        `bleu` and `chrf`, from 0 to 100, on normalised text; `sentences`, how many; and `translations`.
    """
    wanted = references(pairs)
    sources = list(wanted)
    written = translator.translate(sources, beam=beam)
    expected = [[normalise(text) for text in wanted[source]] for source in sources]
    return {
        "bleu": bleu(written, expected),
        "chrf": chrf(written, expected),
        "sentences": len(sources),
        "translations": dict(zip(sources, written, strict=True)),
    }
