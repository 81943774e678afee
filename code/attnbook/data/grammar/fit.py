"""Which verbs fit a shape, and which kinds of thing: hats do not sleep, and one goes to houses, not to anna."""

from attnbook.data.grammar.lexicon import BE, VERBS, Verb, starts_with_vowel
from attnbook.data.grammar.rules import Tree

KINDS = "patl"  # person, animal, thing, place


def object_of(core: Tree) -> Tree | None:
    """The shape of a verb phrase's object.

    Args:
        core: a verb phrase.

    Returns:
        Its last noun phrase, or None.
    """
    act = core.parts[-1]
    return act.parts[-1] if "be" not in core and len(act.rule) > 1 else None


def verbs_that_fit(core: Tree, subjects: str) -> list[Verb]:
    """The verbs that can fill a verb phrase.

    Args:
        core: its shape.
        subjects: kinds, one of which has to be able to do it.

    Returns:
        A list of Verb.
    """
    if "be" in core:
        return [BE]
    verbs = [
        v for v in VERBS[core.parts[-1].rule[0]] if set(v.subjects) & set(subjects)
    ]
    if "can" in core or "want" in core:
        verbs = [v for v in verbs if v.english[0] != "like"]  # who can like?
    thing = object_of(core)
    if thing is None:
        return verbs
    if "him" in thing:  # l'aime would be a word of its own; the grammar does without
        verbs = [v for v in verbs if not starts_with_vowel(v.infinitive)]
    return [v for v in verbs if set(v.objects) & set(kinds_that_fit(thing))]


def kinds_that_fit(tree: Tree) -> str:
    """The kinds of thing that a noun phrase of this shape can be.

    Args:
        tree: a subject, a pair, an object, a full, or a single.

    Returns:
        Letters of `KINDS`.
    """
    if {"name", "him", "pronoun"} & set(tree.rule):
        return "p"
    if tree.rule in (("full",), ("pair",)):
        return kinds_that_fit(tree.parts[0])
    if tree.symbol == "pair":
        return "p" if any("name" in part for part in tree.parts if part) else KINDS
    clause = tree.parts[-1]
    if clause and "who" in clause:
        return "".join(k for k in KINDS if verbs_that_fit(clause.parts[1], k))
    return KINDS
