"""The language of nested names: what its sentences promise, and what a tagger can and cannot say about them."""

import itertools
from collections import Counter

from attnbook.pairs import f1_score
from attnbook.studies import (
    NAMES,
    NESTED_VOCABULARY,
    heights,
    innermost,
    nested_ids,
    nested_sentences,
    read_stacks,
    token_stacks,
)
from attnbook.studies.pair_reader import SIGNATURES, gold_tables, link

SOME = nested_sentences(300, seed=5)


def test_words_are_different_and_known():
    assert len(set(NESTED_VOCABULARY)) == len(NESTED_VOCABULARY)
    assert {w for one in SOME for w in one.words} <= set(NESTED_VOCABULARY[1:])
    assert len({one.words for one in SOME}) == len(SOME)
    assert nested_sentences(300, seed=5) == SOME
    assert nested_sentences(300, seed=6) != SOME


def test_spans_nest_or_lie_apart_and_no_two_have_the_same_tokens():
    for one in SOME:
        places = [(i, j) for _, i, j in one.spans]
        assert len(set(places)) == len(places)
        assert all(0 <= i <= j < len(one.words) - 1 for i, j in places)
        for (i, j), (a, b) in itertools.combinations(places, 2):
            nested = i <= a and b <= j or a <= i and j <= b
            assert nested or j < a or b < i


def test_a_name_alone_does_not_tell_its_type():
    kinds = {name: Counter() for name in NAMES}
    for one in SOME:
        for kind, i, j in one.spans:
            if i == j:
                kinds[one.words[i]][kind] += 1
    assert all(set(found) == {0, 2} and min(found.values()) > 20 for found in kinds.values())


def test_depth_is_kept_and_can_be_asked_for():
    assert {one.depth for one in SOME} == {1, 2, 3}
    deep = nested_sentences(40, seed=7, depth=4, exactly=True)
    assert {one.depth for one in deep} == {4}


def test_relations_join_entities_of_their_types():
    for one in SOME:
        for relation, subject, thing in one.relations:
            kinds = SIGNATURES[relation]
            assert (kinds[0], *subject) in one.spans and (kinds[1], *thing) in one.spans
            words = one.words[subject[0] : thing[1] + 1]
            inside = subject[1] >= thing[1]
            assert inside or ("works" in words if relation == 0 else "lives" in words)


def test_heights_count_the_levels_inside():
    museum = {(0, 0, 6): 2, (1, 3, 6): 1, (2, 6, 6): 0, (2, 9, 9): 0}
    assert heights(museum) == museum
    for one in SOME:
        found = heights(one.spans)
        assert found.keys() == one.spans and max(found.values()) == one.depth - 1
        assert {span for span, height in found.items() if not height} == innermost(one.spans)


def test_joint_labels_there_and_back():
    for one in SOME:
        labels = token_stacks(one.spans, len(one.words))
        assert read_stacks(labels) == one.spans
        assert max(map(len, labels)) == one.depth


def test_an_inside_without_a_begin_begins():
    labels = [("I-person",), ("I-person",), (), ("I-place",), ("I-group",)]
    assert read_stacks(labels) == {(0, 0, 1), (2, 3, 3), (1, 4, 4)}


def test_flat_labels_never_spell_overlapping_spans():
    """Exhaustively: all sequences of three single tags, and what they spell."""
    tags = [(), *((f"{letter}-{kind}",) for letter in "BI" for kind in ("person", "group"))]
    for labels in itertools.product(tags, repeat=3):
        spans = read_stacks(labels)
        used = [t for _, i, j in spans for t in range(i, j + 1)]
        assert len(used) == len(set(used))


def test_no_flat_set_of_spans_is_larger():
    for one in SOME[:60]:
        spans = sorted(one.spans)
        best = max(
            sum(mask)
            for mask in itertools.product((0, 1), repeat=len(spans))
            if flat([s for s, m in zip(spans, mask, strict=True) if m])
        )
        chosen = innermost(one.spans)
        assert flat(chosen) and chosen <= one.spans and len(chosen) == best


def flat(spans):
    used = [t for _, i, j in spans for t in range(i, j + 1)]
    return len(used) == len(set(used))


def test_gold_tables_link_to_the_gold_relations_and_last_tokens_alone_do_not():
    gold = [set(one.relations) for one in SOME]
    tables = [gold_tables(one) for one in SOME]
    assert [link(spans, lasts, firsts) for spans, firsts, lasts in tables] == gold
    alone = [link(spans, lasts) for spans, _, lasts in tables]
    assert all(a >= g for a, g in zip(alone, gold, strict=True))
    assert 0.5 < f1_score(alone, gold) < 0.8


def test_ids_are_padded_with_zero():
    ids, lengths = nested_ids(SOME[:7])
    assert ids.shape == (7, max(lengths))
    for row, one, length in zip(ids, SOME, lengths, strict=False):
        assert [NESTED_VOCABULARY[n] for n in row[:length]] == list(one.words)
        assert (row[length:] == 0).all()
