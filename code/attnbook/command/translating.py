"""The subcommands about trained models: train, translate, write, and a page of one's own."""

import argparse
import hashlib
import sys
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from attnbook.command.languages import check_languages

if TYPE_CHECKING:  # it takes seconds to load
    from attnbook.data import Pair, Split
    from attnbook.translation import Translator
    from attnbook.translation.page_training import PageSetting

KINDS = ("bahdanau", "seq2seq", "transformer")
OFFERED = 200
USELESS = 1  # BLEU
RAREST = 50  # a word that occurs less often may be left out, if the vocabularies are too large otherwise


def train(options: argparse.Namespace, rest: list[str]) -> int:
    """Hand on to `attnbook.command.train`."""
    from attnbook.command.train import main

    return main(rest, "attnbook train")


def write(options: argparse.Namespace, rest: list[str]) -> int:
    """Hand on to `attnbook.command.language_models`."""
    from attnbook.command.language_models import write as run

    return run(options, rest)


def translate(options: argparse.Namespace, rest: list[str]) -> int:
    """Translate sentences with a trained translator."""
    from attnbook.text import small
    from attnbook.translation import LENGTH_PENALTY

    translator = _translator(options.model)
    penalty = options.length_penalty
    how = {
        "beam": options.beam,
        "length_penalty": LENGTH_PENALTY if penalty is None else penalty,
        "max_len": options.max_len,
    }
    if languages := str(translator.languages):
        print(languages, file=sys.stderr, flush=True)
    for line in [" ".join(options.sentence)] if options.sentence else sys.stdin:
        (found,) = translator.translate(_as_trained(line, translator), **how)
        print(small(found) if options.tokens else translator.written(found), flush=True)
    return 0


def _as_trained(line: str, translator: "Translator") -> list[str]:
    """A sentence, in the script of Chinese that the translator has read."""
    from attnbook.data import in_script

    script = translator.languages.script
    return in_script([line], script) if script else [line]


def _translator(name: str) -> "Translator":
    from attnbook.data import bundled_pairs
    from attnbook.language import kind_of_file
    from attnbook.text import Writing
    from attnbook.training import CheckpointError, read_archive
    from attnbook.translation import Translator, load_page_model
    from attnbook.weights import PAGE_MODELS, page_file, page_targets

    path = Path(name)
    if path.is_dir():
        path /= "translator.pt"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not there: the training has not ended, or {name} is another folder")
    if not path.is_file():
        stored = {page_file(kind, target).stem: (kind, target) for target in page_targets() for kind in PAGE_MODELS}
        if name in stored:
            translator = load_page_model(*stored[name])
            if translator.writing is None:  # the French files are older than it
                translator.writing = Writing.learned(pair.target for pair in bundled_pairs())
            return translator
        raise FileNotFoundError(
            f"there is no file {name}; pass what attnbook train or Translator.save has written, or {', '.join(stored)}"
        )
    try:
        return Translator.load(path)
    except CheckpointError as error:
        if isinstance(error.__cause__, KeyError) and (kind := kind_of_file(read_archive(path))) != "translator":
            advice = (
                "attnbook write writes with it" if kind == "language model" else "attnbook train writes translator.pt"
            )
            raise ValueError(f"{path} holds a {kind}, not a translator; {advice}") from error
        raise ValueError(
            f"{path} is damaged, or is no translator ({error.__cause__}); train one with attnbook train"
        ) from error


def page_model(options: argparse.Namespace, rest: list[str]) -> int:
    """Train a small translator on sentence pairs and write a page that translates with it."""
    out = options.out
    if out.suffix.lower() != ".html" or out.is_dir():
        given = "nothing" if out == Path() else f"the folder {out}" if out.is_dir() else out
        raise ValueError(f"--out takes the name of a page, ending in .html; got {given}")
    check_languages(options.languages, options.codes)
    if out.exists() and options.pairs.exists() and out.samefile(options.pairs):
        raise ValueError(f"--out would replace the pairs in {out}; name another page")
    from attnbook.command.first_look import what_is_unknown
    from attnbook.data import Pair, read_pairs, split_pairs
    from attnbook.files import make_folder, write_atomically
    from attnbook.translation import PAGE_SETTINGS, evaluate, page_model_file, page_sentences, train_page_model
    from attnbook.widgets.translate_page.own import own_page

    pairs = read_pairs(options.pairs, report=lambda said: print(said, file=sys.stderr, flush=True))
    languages, codes = options.languages, options.codes
    if options.reverse:
        pairs = [Pair(pair.target, pair.source) for pair in pairs]
        languages, codes = languages[::-1], codes[::-1]
    split = split_pairs(pairs, (0.9, 0.0, 0.1), options.seed)
    source = hashlib.sha256(options.pairs.read_bytes()).hexdigest()
    setting = _that_fits(replace(PAGE_SETTINGS[options.model], epochs=options.epochs), split, options, source)
    advice = "more pairs would help, and so would attnbook train with --subwords 1500, which makes no page"
    for said in what_is_unknown(setting.recipe, split.train, split.test, advice):
        print(said, file=sys.stderr, flush=True)
    make_folder(out.parent)
    # of this data and these settings: another command begins anew
    mark = hashlib.sha256(repr((source, options.reverse, setting, options.seed)).encode()).hexdigest()[:8]
    checkpoint = out.with_name(f"{out.stem}-{mark}.training.pt")
    said = "going on from" if checkpoint.is_file() else "interrupted, it goes on from"
    print(f"training on {len(split.train)} pairs; {said} {checkpoint.name}", file=sys.stderr, flush=True)
    translator = train_page_model(setting, split, options.seed, checkpoint, progress=sys.stderr.isatty())
    found = evaluate(translator, split.test)
    files = {
        options.model: page_model_file(translator, options.model, _measured(setting, options, source, found)),
        "sentences": page_sentences(split),
    }
    page = own_page(options.model, files, languages, codes, _tries(split), _held_out(split))
    write_atomically(out, page)
    checkpoint.unlink(missing_ok=True)
    print(f"BLEU {found['bleu']:.1f} on {found['sentences']} sentences that it was not trained on")
    if found["bleu"] < USELESS:
        print("it has learned hardly anything: more pairs, or more of --epochs, would help")
    print(f"{out} ({len(page.encode()) / 1e6:.1f} MB): open it by double-clicking")
    return 0


def _measured(setting: "PageSetting", options: argparse.Namespace, source: str, found: dict) -> dict:
    return {
        "command": "attnbook page-model",
        "versions": {"torch": version("torch")},
        "seed": options.seed,
        "split_seed": options.seed,
        "corpus_sha256": source,
        "training": asdict(setting),
        "test": {key: found[key] for key in ("bleu", "tokens", "chrf", "sentences")},
    }


def _that_fits(setting: "PageSetting", split: "Split", options: argparse.Namespace, source: str) -> "PageSetting":
    """The setting with as many words as a page model has room for: the rarest are left out first."""
    from attnbook.translation import page_model_file, untrained

    nothing = {"bleu": 0.0, "tokens": "", "chrf": 0.0, "sentences": 0}
    for min_count in range(setting.recipe.min_count, RAREST + 1):
        recipe = replace(setting.recipe, min_count=min_count)
        try:
            page_model_file(untrained(recipe, split.train), options.model, _measured(setting, options, source, nothing))
        except ValueError as error:
            last = error
            continue
        if min_count > setting.recipe.min_count:
            print(
                f"words that occur less than {min_count} times are left out: a page has room for 2 MB", file=sys.stderr
            )
        return replace(setting, recipe=recipe)
    raise ValueError(f"{options.pairs} has too many different words for a page ({last}); pass fewer pairs")


def _held_out(split: "Split") -> list[str]:
    """Sentences on which it was not trained."""
    return _some(split.test, 120, OFFERED)


def _tries(split: "Split") -> list[str]:
    """A few sentences to begin with: short ones, held out and learned."""
    return [*_some(split.test, 60, 4), *_some(split.train, 60, 2)]


def _some(pairs: "list[Pair]", longest: int, number: int) -> list[str]:
    """Sources of at most so many characters, from everywhere in a part; on one line, and with plain spaces."""
    sources = dict.fromkeys(" ".join(pair.source.split()) for pair in pairs)
    short = [one for one in sources if len(one) <= longest] or [next(iter(sources))[:120]]
    return short[:: max(1, len(short) // number)][:number]
