"""From tokens back to what a person would write: in own sentences of seven languages, and in the bundled corpus."""

import json
import random

import pytest

from attnbook.data import bundled_pairs
from attnbook.text import (
    BPEDropout,
    SubwordVocabulary,
    WordVocabulary,
    Writing,
    capitals_to_keep,
    spell,
    tokenise,
    vocabulary_from_dict,
)
from spellings import ARABIC, CHINESE, ENGLISH, FRENCH, GERMAN, TEXTS
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


NOUNS = """Katze Hund Haus Baum Brot Stuhl Tisch Vogel Berg Fluss Brief Stein Schiff Kleid Apfel Garten Fenster Koffer
Teller Messer Zucker Wasser Kaffee Brücke Straße Wolke Lampe Tasche Mauer Insel"""
WITH_NOUNS = [f"Dort sehe ich {noun} und mehr." for noun in NOUNS.split()]


@pytest.mark.parametrize("made", [WordVocabulary, lambda *args, **how: SubwordVocabulary(*args, 200, **how)])
def test_capitals_that_no_table_restores_are_kept(made):
    """Nouns that occur once: with the table of the others, 27 of 30 sentences would lose a capital."""
    capitals = capitals_to_keep(WITH_NOUNS)
    assert capitals is not None and capitals["katze"] == "Katze" and "dort" not in capitals
    vocabulary = made([*WITH_NOUNS, "Katze und Hund sehe ich dort."], capitals=capitals)
    ids = vocabulary.encode("Katze und Hund sehe ich dort.")
    assert vocabulary.decode(ids) == "Katze und Hund sehe ich dort ."
    assert vocabulary.decode(vocabulary.encode("Dort sehe ich Hund.")) == "dort sehe ich Hund ."
    again = vocabulary_from_dict(json.loads(json.dumps(vocabulary.to_dict())))
    assert again == vocabulary and again.encode("Dort sehe ich Hund.") == vocabulary.encode("Dort sehe ich Hund.")
    writing = Writing(Writing.learned(WITH_NOUNS).kinds, {}, {})
    for text in WITH_NOUNS:
        assert writing.write(vocabulary.decode(vocabulary.encode(text)).split()) == text
    if made is not WordVocabulary:
        dropped = BPEDropout(vocabulary, 0.5).encode("Dort sehe ich Hund.", random.Random(0))
        assert vocabulary.decode(dropped) == "dort sehe ich Hund ."


@pytest.mark.parametrize("texts", [FRENCH * 9, CHINESE, ARABIC, [t.lower() for t in WITH_NOUNS]])
def test_where_a_table_restores_capitals_or_there_are_none_small_letters_are_enough(texts):
    assert capitals_to_keep(texts) is None
    vocabulary = WordVocabulary(texts, capitals=capitals_to_keep(texts))
    assert vocabulary == WordVocabulary(texts) and "capitals" not in vocabulary.to_dict()


@pytest.mark.parametrize("capitals", ["Katze", ["Katze"], {"katze": 1}])
def test_capitals_of_a_damaged_file_are_refused(capitals):
    with pytest.raises(ValueError, match="the capitals of a vocabulary must be a dict of words"):
        vocabulary_from_dict({**WordVocabulary(["a"]).to_dict(), "capitals": capitals})


@pytest.mark.parametrize(
    "wrong", [None, {}, {"kinds": [], "pairs": [["a", "b"]], "forms": {}}, {"kinds": [], "pairs": [], "forms": []}]
)
def test_what_is_no_writing_is_refused(wrong):
    with pytest.raises(ValueError, match=says("not what Writing.to_dict gives")):
        Writing.from_dict(wrong)
