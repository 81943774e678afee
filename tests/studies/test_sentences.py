"""The small language: its sentences are grammatical, say where their answers lie, and are split by a rule."""

import random
from collections import Counter

import pytest

from attnbook.studies import (
    CLASSES,
    MAX_WORDS,
    START,
    VOCABULARY,
    Sentence,
    agreement_sentence,
    noun_sentence,
    sentences,
    to_ids,
)

CLASS_OF = {word: name for name, words in CLASSES.items() for word in words}


def drawn(draw, count=400):
    rng = random.Random(0)
    return [draw(rng) for _ in range(count)]


def number_of(word):
    return CLASS_OF[word].split(", ")[1]


def test_every_word_has_one_class_and_one_id():
    assert len(set(VOCABULARY)) == len(VOCABULARY) == 1 + sum(map(len, CLASSES.values()))
    assert VOCABULARY[0] == START


@pytest.mark.parametrize("draw", [agreement_sentence, noun_sentence])
def test_sentences_are_framed_and_short_enough(draw):
    some = drawn(draw)
    for sentence in some:
        assert sentence.words[0] == START and sentence.words[-1] == "."
        assert set(sentence.words[1:]) <= set(CLASS_OF)
        assert sentence.source < sentence.answer < len(sentence.words) <= MAX_WORDS
    starts = Counter(sentence.words[1] in CLASSES["adverb"] for sentence in some)
    assert min(starts.values()) > 100


def test_the_verb_agrees_with_its_subject_and_not_always_with_the_nearest_noun():
    against = 0
    for sentence in drawn(agreement_sentence):
        subject, verb = sentence.words[sentence.source], sentence.words[sentence.answer]
        assert sentence.kind == "agreement"
        assert CLASS_OF[subject].startswith("noun") and CLASS_OF[verb].startswith("verb")
        assert number_of(subject) == number_of(verb)
        between = [w for w in sentence.words[sentence.source + 1 : sentence.answer] if CLASS_OF[w].startswith("noun")]
        against += bool(between) and number_of(between[-1]) != number_of(verb)
        assert sentence.far == bool(between)
    assert against > 100


def test_verbs_inside_a_clause_agree_with_their_own_subject():
    for sentence in drawn(agreement_sentence):
        words = sentence.words[sentence.source : sentence.answer]
        if len(words) > 1 and words[1] == "that":
            inner = next(w for w in words[2:] if CLASS_OF[w].startswith("verb"))
            owner = words[0] if words[2] == inner else words[3]
            assert number_of(inner) == number_of(owner)


def test_a_repeated_noun_follows_its_own_adjective():
    firsts = Counter()
    for sentence in drawn(noun_sentence):
        words, source, answer = sentence.words, sentence.source, sentence.answer
        assert sentence.kind == "noun"
        assert words[source - 2 : source + 1] == words[answer - 2 : answer + 1]
        assert CLASS_OF[words[source]].startswith("noun") and CLASS_OF[words[source - 1]] == "adjective"
        adjectives = [w for w in words[:answer] if CLASS_OF.get(w) == "adjective"]
        assert len(adjectives) == 3 and len(set(adjectives)) == 2
        assert number_of(words[answer + 1]) == number_of(words[answer])
        firsts[words.index(words[source - 1]) < 5] += 1
    assert min(firsts.values()) > 100


def test_the_split_is_by_a_rule_and_complete():
    seen, kept = sentences(200, 0), sentences(200, 0, held_out=True)
    assert all(sum(map(VOCABULARY.index, s.words)) % 5 for s in seen)
    assert not any(sum(map(VOCABULARY.index, s.words)) % 5 for s in kept)
    assert {s.kind for s in seen} == {s.kind for s in kept} == {"agreement", "noun"}
    assert sentences(5, 3) == sentences(5, 3) != sentences(5, 4)
    assert {s.kind for s in sentences(20, 0, draw=noun_sentence)} == {"noun"}


def test_ids_are_the_vocabularys():
    sentence = Sentence((START, "the", "dogs", "run", "."), 2, 3, "agreement")
    ids = to_ids([sentence])
    assert ids.shape == (1, MAX_WORDS)
    assert [VOCABULARY[i] for i in ids[0, :5]] == list(sentence.words) and ids[0, 5:].eq(-1).all()
    assert to_ids([sentence], padding=0)[0, 5:].eq(0).all()


@pytest.mark.parametrize(("count", "error"), [(0, ValueError), (2.5, TypeError)])
def test_a_count_is_asked_for(count, error):
    with pytest.raises(error, match="count"):
        sentences(count, 0)
