"""Recipes: everything that decides what a translator becomes, but the data and how long it is trained."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from attnbook.checks import check_choice, check_count, check_probability
from attnbook.data import EncodedPair, encode_pairs
from attnbook.reproducible import seed_everything
from attnbook.text import (
    SubwordVocabulary,
    Vocabulary,
    WordVocabulary,
    Writing,
    capitals_to_keep,
)
from attnbook.training import TrainConfig
from attnbook.translation.models import RecurrentTranslator, TransformerTranslator
from attnbook.translation.translator import MODELS, Translator

# as Zhang et al. (2023), §11.4, train; the betas are Adam's own
PUBLISHED_TRAINING = TrainConfig(lr=5e-3, clip=1.0, betas=(0.9, 0.999))


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what a translator becomes, but the data and how long it is trained.

    Attributes:
        model: "recurrent" or "transformer".
        sizes: of the model, by the names of its config.
        subwords: how many subwords a vocabulary has; 0 for whole words.
        bpe_dropout: the probability of leaving out a merge in training, see `attnbook.text.bpe_dropout`.
        min_count: how often a whole word must occur to get a number.
        writes_unknown: let decoding write <unk>, which says where a model lacks a word, and costs BLEU.
        max_len: longer pairs are left out of the training, in tokens.
        batch_size: pairs in a batch.
        label_smoothing: see `masked_cross_entropy`.
        training: how it is trained; the length and the seed are left to `fit`.

    Raises:
        ValueError: an unknown model, a number out of range, `bpe_dropout` without `subwords`, or a training with a
            length.
        TypeError: a size that the model does not have, or a training that is not a `TrainConfig`.
    """

    model: str
    sizes: dict = field(default_factory=dict)
    subwords: int = 0
    bpe_dropout: float = 0.0
    min_count: int = 2
    writes_unknown: bool = False
    max_len: int = 50
    batch_size: int = 128
    label_smoothing: float = 0.0
    training: TrainConfig = PUBLISHED_TRAINING

    def __post_init__(self) -> None:
        check_choice("model", self.model, MODELS)
        MODELS[self.model][0](
            source_vocab_size=4, target_vocab_size=4, **self.sizes
        )  # an unknown size is an error now, not after the data has been read
        check_count("subwords", self.subwords, at_least=0)
        for name in ("min_count", "max_len", "batch_size"):
            check_count(name, getattr(self, name))
        for name in ("bpe_dropout", "label_smoothing"):
            check_probability(name, getattr(self, name))
        if self.bpe_dropout and not self.subwords:
            raise ValueError(
                "bpe_dropout skips merges of a subword vocabulary: set subwords, too"
            )
        if not isinstance(self.training, TrainConfig):
            raise TypeError(
                f"training must be a TrainConfig, got {type(self.training).__name__}"
            )
        if self.training.steps is not None or self.training.seconds is not None:
            raise ValueError(
                "a recipe does not say how long to train: pass steps, epochs or seconds to fit"
            )

    def with_training(self, **changes: Any) -> "Recipe":
        """The same recipe, trained otherwise.

        Args:
            changes: attributes of `TrainConfig`.

        Returns:
            A new recipe.
        """
        return replace(self, training=replace(self.training, **changes))

    def build(
        self, source_vocab_size: int, target_vocab_size: int
    ) -> RecurrentTranslator | TransformerTranslator:
        """A model of these sizes, with random weights.

        Args:
            source_vocab_size, target_vocab_size: V of either language.

        Returns:
            A translator of `attnbook.translation.models`.
        """
        config, model = MODELS[self.model]
        built = model(config(source_vocab_size, target_vocab_size, **self.sizes))
        built.writes_unknown = self.writes_unknown
        return built

    def vocabulary(
        self, sentences: Sequence[str], capitals: dict[str, str] | None = None
    ) -> Vocabulary:
        """A vocabulary of one language.

        Args:
            sentences: of the training set only.
            capitals: see `capitals_to_keep`.

        Returns:
            Of words or of subwords, as the recipe says.
        """
        if self.subwords:
            return SubwordVocabulary(sentences, self.subwords, capitals)
        return WordVocabulary(sentences, self.min_count, capitals=capitals)


# batch, sizes, dropout, learning rate and clipping as in Zhang et al. (2023), §11.4; recipes of whole words
# write <unk>, for the scores of chapters and figures were measured so
_PUBLISHED = Recipe("recurrent", writes_unknown=True)
_GENTLE = Recipe(
    "recurrent",
    writes_unknown=True,
    sizes={"embed_size": 128, "hidden_size": 256, "num_layers": 1, "dropout": 0.3},
    label_smoothing=0.1,
    training=TrainConfig(
        lr=3e-3, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.999)
    ),
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
    training=TrainConfig(
        lr=2e-3,
        schedule="warmup-cosine",
        warmup_fraction=0.1,
        weight_decay=0.01,
        betas=(0.9, 0.98),
    ),
)
# for a few thousand pairs: fewer subwords, each of them seen more often; Sennrich and Zhang (2019), arXiv:1905.11901
_FEW_PAIRS = replace(_TRANSFORMER, subwords=1000)

#: The recipes by name; the command line offers the same.
RECIPES = {
    "bahdanau-published": _PUBLISHED,
    "bahdanau": replace(_GENTLE, sizes=_GENTLE.sizes | {"bidirectional": True}),
    "seq2seq": replace(_GENTLE, sizes=_GENTLE.sizes | {"attention": "none"}),
    "transformer": _TRANSFORMER,
    "transformer-few-pairs": _FEW_PAIRS,
    "transformer-few-pairs-long": replace(
        _FEW_PAIRS,
        bpe_dropout=0.1,
        batch_size=128,
        sizes=_TRANSFORMER.sizes | {"dropout": 0.2},
    ).with_training(lr=3e-3),
}


def untrained(recipe: Recipe, pairs: Sequence, seed: int = 0) -> Translator:
    """A translator with random weights, and with vocabularies from the training pairs.

    Args:
        recipe: how.
        pairs: the training set.
        seed: of the weights.

    Returns:
        The translator, on the CPU: random numbers differ between devices.

    Raises:
        ValueError: no pairs.
    """
    source_vocab = recipe.vocabulary([pair.source for pair in pairs])
    targets = [pair.target for pair in pairs]
    writing, capitals = Writing.learned(targets), capitals_to_keep(targets)
    if capitals is not None:
        writing.forms = {}  # the tokens have them already
    target_vocab = recipe.vocabulary(targets, capitals)
    seed_everything(seed)
    model = recipe.build(len(source_vocab), len(target_vocab))
    return Translator(model, source_vocab, target_vocab, writing)


def prepare(
    recipe: Recipe, pairs: Sequence, seed: int = 0
) -> tuple[Translator, list[EncodedPair]]:
    """An untrained translator, and the pairs in numbers.

    Args:
        recipe, pairs, seed: see `untrained`.

    Returns:
        The translator, and the encoded pairs without those that are longer than `recipe.max_len`.
    """
    pairs = list(pairs)
    translator = untrained(recipe, pairs, seed)
    vocabs = (translator.source_vocab, translator.target_vocab)
    return translator, encode_pairs(pairs, *vocabs, recipe.max_len)
