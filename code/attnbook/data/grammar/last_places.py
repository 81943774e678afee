"""What a place at the end of a clause belongs to, in a language that must decide.

English leaves it open: *paul sold the cat near the house*. So does French. Here it is the place of the noun right
before it, if there is one (房子附近的猫, the cat near the house), else of the verb.
"""

from dataclasses import replace

from attnbook.data.grammar.meanings import (
    Act,
    Clause,
    NounPhrase,
    Preposition,
    Quality,
    Single,
    State,
)


def settled(clause: Clause) -> Clause:
    """Give a place at the end to the noun right before it.

    Args:
        clause: as it was made.

    Returns:
        The same clause; its `place` is left only where no noun stands before it.
    """
    core = _ending_in(clause.core, clause.place) if clause.place else None
    return replace(clause, core=core, place=None) if core else clause


def _ending_in(core: State | Act, place: Preposition) -> State | Act | None:
    """What is said, with the place hung on its last word; None if that is no noun."""
    if isinstance(core, Act):
        thing = _with_place(core.thing, place)
        return replace(core, thing=thing) if thing else None
    if isinstance(core.what, Quality):
        return None
    thing = _with_place(core.what.thing, place)
    return replace(core, what=replace(core.what, thing=thing)) if thing else None


def _with_place(phrase: Single | None, place: Preposition) -> NounPhrase | None:
    if not isinstance(phrase, NounPhrase):
        return None
    attached = phrase.attached
    if attached is None:
        return replace(phrase, attached=place)
    if isinstance(attached, Preposition):
        thing = _with_place(attached.thing, place)
        return (
            replace(phrase, attached=replace(attached, thing=thing)) if thing else None
        )
    core = None if attached.subject else _ending_in(attached.core, place)
    return replace(phrase, attached=replace(attached, core=core)) if core else None
