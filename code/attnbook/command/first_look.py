"""What `attnbook train` says of the data in its first seconds, and which trainings it refuses."""

from collections.abc import Callable, Sequence

from attnbook.command.languages import check_scripts
from attnbook.data import (
    BilingualGrammar,
    Pair,
    Split,
    bundled_pairs,
    in_both_scripts,
    in_script,
    is_chinese,
    own_scripts,
    read_pairs,
    split_pairs,
)
from attnbook.text import UNK, capitals_to_keep, normalise
from attnbook.translation import Languages, Recipe

BOOKS_OWN = {
    "bundled": Languages(("English", "French"), ("en", "fr")),
    "bundled-chinese": Languages(("English", "Chinese"), ("en", "zh")),
    "grammar": Languages(),
    "grammar-chinese": Languages(),
}
GRAMMAR_PAIRS = 20_000
FEWEST = 100  # pairs; a translator of fewer learns them by heart at best
# parts of the development tokens that are unknown: above the first it is said, above the second training is refused
MANY, HOPELESS = 0.1, 0.5
MIXED = 0.05  # the part of Chinese sentences in a second script from which it is said


def read_data(name: str, seed: int = 0, report: Callable[[str], object] | None = None, reverse: bool = False) -> Split:
    """Pairs to train on, to choose by, and to test on; no source sentence is in two of them.

    Args:
        name: one of `BOOKS_OWN`, or a file of sentence pairs.
        seed: of the split, and of the grammar.
        report: see `read_pairs`.
        reverse: the other direction: the second column is the source.

    Returns:
        Eight tenths of the data to train on, one tenth for development and one for the test.

    Raises:
        FileNotFoundError, ValueError: a file that is not there or cannot be read.
    """
    return split_pairs(_pairs(name, seed, report, reverse), seed=seed)


def _pairs(name: str, seed: int, report: Callable[[str], object] | None, reverse: bool) -> list[Pair]:
    kind, _, target = name.partition("-") if name in BOOKS_OWN else ("", "", "")
    if kind == "bundled":
        pairs = bundled_pairs(target or "french")
    elif kind == "grammar":
        sampled = BilingualGrammar(seed, target or "french").sample(GRAMMAR_PAIRS, 4, 20)
        pairs = [aligned.pair for aligned in sampled]
    else:
        pairs = read_pairs(name, report=report)
    return [Pair(pair.target, pair.source) for pair in pairs] if reverse else pairs


def first_look(
    recipe: Recipe,
    name: str,
    seed: int,
    reverse: bool,
    script: str | None,
    codes: Sequence[str] | None,
    report: Callable[[str], object],
) -> tuple[Split, str | None]:
    """Read the data, say what is odd about it, and refuse a training that cannot work.

    Args:
        recipe: how its vocabularies are made.
        name, seed, reverse, report: see `read_data`.
        script: write Chinese in this one, see `in_script`.
        codes: of the two languages, or None.

    Returns:
        The split, and the script of the source sentences if they are Chinese and were written in one.

    Raises:
        FileNotFoundError, ModuleNotFoundError, ValueError: as `read_data`, and what the training would fail by.
    """
    pairs = _pairs(name, seed, report, reverse)
    if len(pairs) < FEWEST:
        raise ValueError(f"{name} has {len(pairs)} pairs, and from fewer than {FEWEST} nothing can be learned")
    sides = [list(side) for side in zip(*pairs, strict=True)]
    check_scripts(codes, [own_scripts(side) for side in sides])
    chinese = [is_chinese(side) for side in sides]
    if script:
        pairs = _in_one_script(name, sides, chinese, script, report)
    for side, is_so in zip(sides, chinese, strict=True):
        if is_so and not script:
            _say_if_mixed(side, report)
    split = split_pairs(pairs, seed=seed)
    known = {normalise(pair.target) for pair in split.train}
    shared = sum(normalise(pair.target) in known for pair in split.test) / len(split.test)
    if shared:
        report(f"{shared:.1%} of the test translations are also translations in training, of other sentences")
    advice = "more pairs, --subwords 1500 or a smaller --min-count would help"
    for said in what_is_unknown(recipe, split.train, split.dev, advice):
        report(said)
    return split, script if chinese[0] else None


def _in_one_script(
    name: str, sides: list[list[str]], chinese: list[bool], script: str, report: Callable[[str], object]
) -> list[Pair]:
    if not any(chinese):
        raise ValueError(f"--script is for Chinese, and neither side of {name} is Chinese")
    written = [in_script(side, script) if is_so else side for side, is_so in zip(sides, chinese, strict=True)]
    changed = sum(a != b for old, new in zip(sides, written, strict=True) for a, b in zip(old, new, strict=True))
    pairs = [Pair(*two) for two in zip(*written, strict=True)]
    distinct = list(dict.fromkeys(pairs))
    said = f"{changed:,} sentences were turned into {script} characters"
    report(said + (f", by which {n:,} pairs became others' repeats" if (n := len(pairs) - len(distinct)) else ""))
    return distinct


def _say_if_mixed(sentences: list[str], report: Callable[[str], object]) -> None:
    simplified, traditional = in_both_scripts(sentences)
    if min(simplified, traditional) > MIXED * len(sentences):
        report(
            f"the Chinese sentences mix two scripts: {simplified:,} are in simplified characters, {traditional:,} in "
            "traditional ones; --script simplified makes them one, which is easier to learn"
        )


def what_is_unknown(recipe: Recipe, train: Sequence[Pair], unseen: Sequence[Pair], advice: str) -> list[str]:
    """Sentences about a side of which the vocabulary knows too little; a training that cannot work is refused.

    Args:
        recipe: what makes the vocabularies.
        train, unseen: the pairs that they are made of, and others.
        advice: what would help.

    Returns:
        A sentence for each such side.

    Raises:
        ValueError: of a side, more than `HOPELESS` is unknown.
    """
    said = []
    for side in Pair._fields:
        known, new = ([getattr(pair, side) for pair in part] for part in (train, unseen))
        vocabulary = recipe.vocabulary(known, capitals_to_keep(known) if side == "target" else None)
        ids = [number for text in new for number in vocabulary.encode(text)]
        part = ids.count(UNK) / max(len(ids), 1)
        about = (
            f"{part:.0%} of the {side} tokens in new sentences are unknown to a vocabulary of {len(vocabulary)} entries"
        )
        if part > HOPELESS:
            raise ValueError(f"{about}, and with so many nothing can be learned; {advice}")
        if part > MANY:
            said.append(f"{about}; {advice}")
    return said
