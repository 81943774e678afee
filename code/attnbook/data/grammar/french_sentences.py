"""The bilingual grammar in French: what an English sentence means, in words that agree."""

from attnbook.data.grammar.french import determiner, join, negate
from attnbook.data.grammar.lexicon import BE, HAVE, VERBS, starts_with_vowel
from attnbook.data.grammar.meanings import (
    Act,
    Agreement,
    Clause,
    Meaning,
    Name,
    NounPhrase,
    Pair,
    Preposition,
    Pronoun,
    Relative,
    Single,
    State,
    Subject,
    Thought,
    Word,
    translation,
)

CLITICS = {"him": "le", "her": "la", "them": "les"}
LINKS = {
    "and": ("et",),
    "but": ("mais",),
    "because": ("parce", "que"),
    "when": ("quand",),
}
OFTEN = {"often": "souvent", "always": "toujours", "never": "jamais"}
VERY = {"very": "très", "too": "trop"}
TIMES = {"today": "aujourd'hui", "now": "maintenant", "yesterday": "hier"}
NUMBERS = {"two": "deux", "three": "trois"}
PREPOSITIONS = {
    "near": ("près", "de"),
    "behind": ("derrière",),
    "front": ("devant",),
    "in": ("dans",),
    "with": ("avec",),
    "of": ("de",),
}


def in_french(meaning: Meaning) -> list[Word]:
    """A sentence.

    Args:
        meaning: what it says.

    Returns:
        French words.
    """
    words = []
    for link, clause in meaning.clauses:
        words += translation(LINKS[link.word], link.at) if link else []
        words += _clause(clause)
    return join(words + translation(".", meaning.stop))


def _clause(clause: Clause | Thought) -> list[Word]:
    who = clause.subject.who
    if isinstance(clause, Thought):
        words = _subject(clause.subject) + _act(clause.act, who, None)
        return words + translation(["que"], clause.at) + _clause(clause.clause)
    words = _subject(clause.subject) + _core(clause.core, who)
    words += (
        translation([TIMES[clause.time.word]], clause.time.at) if clause.time else []
    )
    return words + (_preposition(clause.place) if clause.place else [])


def _subject(subject: Subject) -> list[Word]:
    if isinstance(subject, Pair):
        words = _full(subject.first) + translation(["et"], subject.at)
        return words + _full(subject.second)
    if not isinstance(subject, Pronoun):
        return _full(subject)
    who = subject.who
    french = ("je", "tu", "il", "nous", "ils")[who.person]
    if who.feminine and who.person in (2, 4):
        french = {"il": "elle", "ils": "elles"}[french]
    return translation([french], subject.said.at)


def _full(phrase: Single) -> list[Word]:
    if isinstance(phrase, Name):
        return translation([phrase.said.word], phrase.said.at)
    words = _noun_phrase(phrase)
    if isinstance(phrase.attached, Relative):
        return words + _relative(phrase.attached, phrase.who)
    return words + (_preposition(phrase.attached) if phrase.attached else [])


def _preposition(preposition: Preposition) -> list[Word]:
    if preposition.word == "next":
        next_, to = preposition.at
        words = translation(["à", "côté"], next_, to) + translation(["de"], to, next_)
    else:
        words = translation(PREPOSITIONS[preposition.word], *preposition.at)
    return words + _full(preposition.thing)


def _noun_phrase(phrase: NounPhrase) -> list[Word]:
    """Determiner, adjectives and noun, which all agree."""
    noun, plural, article = phrase.noun, phrase.plural, phrase.article
    first: list[Word] = []
    if phrase.all is not None:
        first = translation(["toutes" if noun.feminine else "tous"], phrase.all)
    before: list[Word] = []
    after: list[Word] = []
    if phrase.number:
        before += translation([NUMBERS[phrase.number.word]], phrase.number.at)
    text = noun.french[plural]
    for adjective, at in phrase.adjectives:
        vowel = adjective.before and starts_with_vowel(text)
        place = before if adjective.before else after
        place += translation([adjective.agree(noun.feminine, plural, vowel)], at)
    core = before + translation([text], phrase.at) + after
    form = "the" if phrase.owned else article.word
    text = determiner(form, noun.feminine, plural, starts_with_vowel(core[0].text))
    if form in ("a", "some") and phrase.negated or text == "des" and before:
        text = "de"  # pas de chien; de grandes maisons
    words = first + translation([text], article.at) + core
    return words + (
        translation(["de", article.word], article.at) if phrase.owned else []
    )


def _relative(relative: Relative, head: Agreement) -> list[Word]:
    """*Qui* is the clause's subject, *que* its object, with which a past participle agrees."""
    if relative.subject is None:
        return translation(["qui"], relative.at) + _core(relative.core, head)
    words = translation(["que"], relative.at) + _subject(relative.subject)
    return words + _core(relative.core, relative.subject.who, head)


def _core(
    core: State | Act, who: Agreement, head: Agreement | None = None
) -> list[Word]:
    """A verb phrase; `head` is the noun of a relative clause whose object it is."""
    return _act(core, who, head) if isinstance(core, Act) else _state(core, who)


def _state(state: State, who: Agreement) -> list[Word]:
    form = (BE.imperfect if state.past else BE.present)[who.person]
    words = translation([form], state.at)
    if state.negation:
        words = negate(words, OFTEN.get(state.negation.word, "pas"), state.negation.at)
    if state.often:
        words += translation([OFTEN[state.often.word]], state.often.at)
    what = state.what
    if isinstance(what, Preposition):
        return words + _preposition(what)
    words += translation([VERY[what.very.word]], what.very.at) if what.very else []
    return words + translation(
        [what.adjective.agree(who.feminine, who.plural)], what.at
    )


def _act(act: Act, who: Agreement, head: Agreement | None) -> list[Word]:
    """A verb that is not *be*."""
    verb, before = act.verb, act.before
    inside = () if verb.preposition else act.particle  # look for is one word: chercher
    pronoun = (
        translation([CLITICS[act.pronoun.word]], act.pronoun.at) if act.pronoun else []
    )
    rest = _full(act.thing) if act.thing else []
    if verb.preposition:
        rest = translation([verb.preposition], *act.particle) + rest

    after: list[Word] = []
    if "can" in before or "want" in before:
        name = "can" if "can" in before else "want"
        finite = translation([VERBS[name][0].present[who.person]], before[name].at)
        to = (before["to"].at,) if "to" in before else ()
        after = pronoun + translation([verb.infinitive], act.at, *inside, *to)
    elif act.past:
        auxiliary = (BE if verb.etre else HAVE).present[who.person]
        do = (before["do"].at,) if "do" in before else ()
        finite = translation([auxiliary], *do, act.at)
        agreed = who if verb.etre else head
        participle = (
            verb.agree(agreed.feminine, agreed.plural) if agreed else verb.participle
        )
        after = translation([participle], act.at, *inside)
    else:
        finite = pronoun + translation([verb.present[who.person]], act.at, *inside)
    if "not" in before:
        do_at = before["do"].at if "do" in before else None
        finite = negate(finite, "pas", before["not"].at, do_at)
    elif "often" in before:
        word, at = before["often"]
        finite = (
            negate(finite, "jamais", at)
            if act.never
            else finite + translation([OFTEN[word]], at)
        )
    return finite + after + rest
