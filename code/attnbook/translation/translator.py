"""Translators with their vocabularies: from text to text, measured, saved and loaded."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from attnbook.checks import check_count, check_positive
from attnbook.data import pad_rows, references
from attnbook.reproducible import device_of
from attnbook.text import (
    BOS,
    EOS,
    Vocabulary,
    Writing,
    normalise,
    small,
    vocabulary_from_dict,
)
from attnbook.training import (
    CheckpointError,
    evaluating,
    read_archive,
    save_checkpoint,
)
from attnbook.transformer import TransformerConfig
from attnbook.translation.config import RecurrentConfig
from attnbook.translation.decoding import LENGTH_PENALTY, beam_search, greedy
from attnbook.translation.metrics import chrf, named_bleu
from attnbook.translation.models import RecurrentTranslator, TransformerTranslator
from attnbook.weights import rebuilt, settings

MODELS = {
    "recurrent": (RecurrentConfig, RecurrentTranslator),
    "transformer": (TransformerConfig, TransformerTranslator),
}


def kind_of(model: nn.Module) -> str:
    """The name under which a model is stored, so that it can be built again.

    Args:
        model: a translator of `attnbook.translation.models`.

    Returns:
        A name of `MODELS`.

    Raises:
        TypeError: another model; a subclass could not be built again from its name.
    """
    for name, (_, made) in MODELS.items():
        if type(model) is made:
            return name
    classes = " or a ".join(made.__name__ for _, made in MODELS.values())
    raise TypeError(
        f"only a {classes} can be stored and built again, got {type(model).__name__}; "
        "store its state_dict() with save_checkpoint instead"
    )


def described(model: RecurrentTranslator | TransformerTranslator) -> dict:
    """What a file says of a model beside its weights, so that `stored_model` can build it again.

    Args:
        model: a translator of `attnbook.translation.models`.

    Returns:
        Plain data.

    Raises:
        TypeError: see `kind_of`.
    """
    return {
        "kind": kind_of(model),
        "config": asdict(model.config),
        "writes_unknown": model.writes_unknown,
    }


def stored_model(
    said: dict, weights: dict
) -> RecurrentTranslator | TransformerTranslator:
    """The model that a file describes, with the file's weights.

    Args:
        said: what `described` gave, as read. Earlier files have no `writes_unknown`: their models were measured with
            <unk> among their words, and so they go on.
        weights: tensors by name, as read.

    Returns:
        The model.

    Raises:
        LookupError, TypeError, ValueError, RuntimeError: whatever the file has wrong; the message names it.
    """
    sizes, made = MODELS[said["kind"]]
    chosen = sizes(**settings(sizes, said["config"], weights))
    model = rebuilt(lambda: made(chosen), weights)
    model.writes_unknown = bool(said.get("writes_unknown", True))
    return model


@dataclass(frozen=True)
class Languages:
    """What a translator translates between, as people and browsers call it.

    Attributes:
        names: of the language translated from and of that translated into: ("English", "Chinese"); or None.
        codes: the same in codes: ("en", "zh"); or None.
        script: "simplified" or "traditional", if the source is Chinese and was written in one of the two for training.
    """

    names: tuple[str, str] | None = None
    codes: tuple[str, str] | None = None
    script: str | None = None

    def __str__(self) -> str:
        return " → ".join(self.names or self.codes or ())

    @classmethod
    def from_dict(cls, d: dict) -> "Languages":
        """What `dataclasses.asdict` gave, as read.

        Args:
            d: it.

        Returns:
            An equal one.

        Raises:
            TypeError, ValueError: something else.
        """

        def two(name: str) -> tuple[str, str] | None:
            if d.get(name) is None:
                return None
            source, target = d[name]
            return str(source), str(target)

        return cls(two("names"), two("codes"), d.get("script"))


class Translator:
    """A model and the vocabularies of both languages: from text to text.

    Args:
        model: a translator of `attnbook.translation.models`.
        source_vocab, target_vocab: what its ids mean.
        writing: how the target language is written; without it translations stay as tokens.
        languages: what they are called.

    Raises:
        ValueError: a vocabulary of another size than the model's.
    """

    def __init__(
        self,
        model: RecurrentTranslator | TransformerTranslator,
        source_vocab: Vocabulary,
        target_vocab: Vocabulary,
        writing: Writing | None = None,
        languages: Languages = Languages(),
    ):
        sides = (("source", source_vocab), ("target", target_vocab))
        for side, vocab in sides:
            expected = getattr(model.config, f"{side}_vocab_size")
            if len(vocab) != expected:
                raise ValueError(
                    f"the {side} vocabulary has {len(vocab)} entries, the model's has {expected}; "
                    "pass the vocabularies that it was trained with"
                )
        self.model = model
        self.source_vocab, self.target_vocab = source_vocab, target_vocab
        self.writing, self.languages = writing, languages

    def encode(self, sentences: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Number and pad source sentences.

        Args:
            sentences: in the source language.

        Returns:
            ids (B, S), each ending in <eos>, and lengths (B,), on the model's device.
        """
        rows = [[*self.source_vocab.encode(sentence), EOS] for sentence in sentences]
        ids, lens = pad_rows(rows)
        device = device_of(self.model)
        return ids.to(device), lens.to(device)

    def translate(
        self,
        sentences: Sequence[str],
        beam: int = 1,
        length_penalty: float = LENGTH_PENALTY,
        max_len: int = 60,
        batch_size: int = 256,
    ) -> list[str]:
        """Translate sentences, the likeliest word at a time or by beam search.

        Args:
            sentences: in the source language.
            beam: the width; 1 takes the likeliest word at every step.
            length_penalty: see `beam_search`.
            max_len: the most tokens to write.
            batch_size: sentences at a time, without a beam.

        Returns:
            One translation a sentence, its tokens with a space between any two: in small letters, unless the target
            vocabulary keeps capitals. `written` makes a text of it.

        Raises:
            TypeError, ValueError: one text instead of a list of them, sizes that are not counts, or a negative penalty.
        """
        if isinstance(sentences, str):
            raise TypeError(
                f"sentences must be a list of texts, got one text; pass [{sentences!r}]"
            )
        check_count("beam", beam)
        check_count("batch_size", batch_size)
        check_positive("length_penalty", length_penalty, or_zero=True)
        sentences = [normalise(sentence) for sentence in sentences]
        known = {"": ""}  # nothing to translate, nothing to write
        waiting = sorted({*sentences} - {*known}, key=len)
        with evaluating(self.model):
            for begin in range(0, len(waiting), batch_size):
                batch = waiting[begin : begin + batch_size]
                ids = self._written(batch, beam, length_penalty, max_len)
                texts = map(self.target_vocab.decode, ids)
                known.update(zip(batch, texts, strict=True))
        return [known[sentence] for sentence in sentences]

    def _written(
        self, sentences: list[str], beam: int, length_penalty: float, max_len: int
    ) -> list[list[int]]:
        ids, lens = self.encode(sentences)
        if beam == 1:
            return [one.ids for one in greedy(self.model, ids, lens, max_len=max_len)]
        written = []
        for row, length in zip(ids.split(1), lens.split(1), strict=True):
            row = row[:, : int(length)]  # without padding
            best, *_ = beam_search(
                self.model,
                row,
                length,
                width=beam,
                length_penalty=length_penalty,
                max_len=max_len,
            )
            written.append(best.ids)
        return written

    def written(self, translation: str) -> str:
        """A translation as a person would write it, with capitals and without spaces between tokens that have none.

        Args:
            translation: from `translate`.

        Returns:
            "la maison est là !" becomes "La maison est là !"; as it was, if the translator has no `writing`.
        """
        if self.writing is None:
            return translation
        return self.writing.write(translation.split())

    def align(
        self, sentence: str, target: str | None = None, max_len: int = 60
    ) -> tuple[list[str], list[str], Tensor]:
        """Translate one sentence and say where the model looked for each word.

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
        with evaluating(self.model):
            if target is None:
                written = greedy(self.model, ids, lens, max_len=max_len)[0].ids
            else:
                written = self.target_vocab.encode(target) + [EOS]
            weights = self._weights(ids, lens, written)
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

        Raises:
            TypeError: a model that `load` could not build again, see `kind_of`.
        """
        about = described(self.model)
        weights = {k: v.detach().cpu() for k, v in self.model.state_dict().items()}
        state = {
            **about,
            "source_vocab": self.source_vocab.to_dict(),
            "target_vocab": self.target_vocab.to_dict(),
            "writing": None if self.writing is None else self.writing.to_dict(),
            "languages": asdict(self.languages),
            "weights": weights,
        }
        save_checkpoint(path, state)

    @classmethod
    def load(cls, path: str | Path) -> "Translator":
        """Read what `save` wrote; nothing in the file is executed::

            translator = Translator.load("runs/first/translator.pt")
            translator.translate(["They have a black dog."], beam=4)

        Args:
            path: where from; `attnbook train` (or `python -m attnbook.train`) writes `translator.pt` into its folder.

        Returns:
            The translator, in evaluation mode, on the CPU.

        Raises:
            FileNotFoundError: no such file.
            CheckpointError: the file is damaged, or is not a translator.
        """
        state = read_archive(path)
        try:
            source_vocab, target_vocab = (
                vocabulary_from_dict(state[side])
                for side in ("source_vocab", "target_vocab")
            )
            model = stored_model(state, state["weights"])
            stored = state.get("writing")  # files of earlier editions have none
            writing = None if stored is None else Writing.from_dict(stored)
            languages = Languages.from_dict(state.get("languages", {}))
            return cls(model.eval(), source_vocab, target_vocab, writing, languages)
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            RuntimeError,
        ) as error:
            raise CheckpointError(
                f"{path} does not hold a translator ({type(error).__name__}: {error}); train one with "
                "python -m attnbook.train"
            ) from error


def evaluate(translator: Translator, pairs: Sequence, beam: int = 1) -> dict:
    """Translate every distinct source sentence and compare with all its reference translations.

    Args:
        translator: trained.
        pairs: not from the training set, or the scores mean nothing.
        beam: see `Translator.translate`.

    Returns:
        `bleu` and `chrf`, from 0 to 100, on normalised text; `tokens`, the name of those that BLEU counts, see
        `named_bleu`; `sentences`, how many; and `translations`, as `Translator.translate` gives them.
    """
    references_of = references(pairs)
    sources = list(references_of)
    written = translator.translate(sources, beam=beam)
    scored = [small(text) for text in written]
    expected = [
        [normalise(text) for text in references_of[source]] for source in sources
    ]
    score, tokens = named_bleu(scored, expected)
    return {
        "bleu": score,
        "tokens": tokens,
        "chrf": chrf(scored, expected),
        "sentences": len(sources),
        "translations": dict(zip(sources, written, strict=True)),
    }
