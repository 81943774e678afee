"""From tokens back to what a person would write: in own sentences of seven languages, and in the bundled corpus."""

import json
import random

import pytest

from attnbook.data import bundled_pairs
from attnbook.text import Writing, spell, tokenise
from spellings import CHINESE, ENGLISH, FRENCH, GERMAN, TEXTS
from tensors import says


def plain(text):
    """Without the typography that no source has."""
    return text.replace("\u202f", " ").replace("’", "'")


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_what_was_learned_from_is_written_again(texts):
    writing = Writing.learned(texts)
    assert [plain(writing.write(tokenise(text))) for text in texts] == texts
    again = Writing.from_dict(json.loads(json.dumps(writing.to_dict())))
    assert vars(again) == vars(writing)


@pytest.mark.parametrize(
    ("texts", "tokens", "written"),
    [
        (FRENCH, "l'homme aime marie !", "L’homme aime Marie\u202f!"),
        (FRENCH, "« va » : non", "«\u202fVa\u202f»\u202f: non"),
        (GERMAN, "die katze liegt im haus .", "Die Katze liegt im Haus."),
        (CHINESE, "你 们 试 试 吧 ！", "你们试试吧！"),
        (CHINESE, "我 有 4 本 dvd 。", "我有4本 DVD。"),
        (ENGLISH, "tom is here . is it ?", "Tom is here. Is it?"),
        (ENGLISH, "i'm old , and i know .", "I’m old, and I know."),
        (ENGLISH, "", ""),
        (ENGLISH, "<unk> is <unk> .", "<unk> is <unk>."),
    ],
)
def test_new_tokens_are_written_alike(texts, tokens, written):
    if tokens.startswith("i'm"):
        texts = [*texts, "He knows I'm old."]
    assert Writing.learned(texts).write(tokens.split()) == written


@pytest.mark.parametrize("side", ["source", "target"])
def test_held_out_sentences_of_the_book_are_restored(side):
    texts = sorted({spell(getattr(pair, side)) for pair in bundled_pairs()})
    random.Random(0).shuffle(texts)
    held_out, rest = texts[:500], texts[500:]
    writing = Writing.learned(rest)
    restored = sum(plain(writing.write(tokenise(text))) == text for text in held_out)
    assert restored >= 0.985 * len(held_out)
    # the control: with a space before each token, and no capitals, next to none is
    assert sum(" ".join(tokenise(text)) == text for text in held_out) < 0.1 * len(held_out)


@pytest.mark.parametrize(
    "wrong", [None, {}, {"kinds": [], "pairs": [["a", "b"]], "forms": {}}, {"kinds": [], "pairs": [], "forms": []}]
)
def test_what_is_no_writing_is_refused(wrong):
    with pytest.raises(ValueError, match=says("not what Writing.to_dict gives")):
        Writing.from_dict(wrong)
