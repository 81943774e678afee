"""The bilingual grammar in Chinese: what hangs on a noun, and where something happens, stands before noun and verb."""

from collections.abc import Iterable
from dataclasses import replace

from attnbook.data.grammar.chinese import (
    CHINESE_ADJECTIVES,
    CHINESE_NAMES,
    CHINESE_NOUNS,
    CHINESE_VERBS,
    COUNTED,
    LINKS,
    NUMBERS,
    OFTEN,
    OLD_THING,
    OWNERS,
    PLACES,
    PRONOUNS,
    TIMES,
    ChineseAdjective,
)
from attnbook.data.grammar.last_places import settled
from attnbook.data.grammar.lexicon import Adjective, Noun
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
    Quality,
    Relative,
    Said,
    Single,
    State,
    Subject,
    Thought,
    Word,
    translation,
)


def in_chinese(meaning: Meaning) -> list[Word]:
    """A sentence.

    Args:
        meaning: what it says.

    Returns:
        Characters. Every clause after *when* has moved before the one that it follows in English.
    """
    parts: list[tuple[list[Word], list[Word]]] = []  # the conjunction, and what follows
    for link, clause in meaning.clauses:
        if link and link.word == "when":
            joint, before = parts.pop()
            parts.append(
                (
                    joint,
                    _with_de(_clause(clause, main=False), link.at)
                    + translation("时候，", link.at)
                    + before,
                )
            )
        else:
            joint = translation(LINKS[link.word], link.at) if link else []
            parts.append((joint, _clause(clause, main=True)))
    words = [word for part in parts for some in part for word in some]
    return words + translation("。", meaning.stop)


def _clause(clause: Clause | Thought, main: bool) -> list[Word]:
    """A clause; if it is not a main one, the past needs no 了."""
    words, every = _subject(clause.subject), _every(clause.subject)
    if isinstance(clause, Thought):
        verb = CHINESE_VERBS[clause.act.verb.english[0]][0]
        words += every + translation(verb, clause.act.at, clause.at)
        return words + _clause(clause.clause, main)
    clause = settled(clause)
    place = _place(clause.place) if clause.place else []
    words += translation(TIMES[clause.time.word], clause.time.at) if clause.time else []
    if isinstance(clause.core, State):  # in the garden everybody is tired
        return words + place + every + _state(clause.core, clause.subject.who, main)
    return words + every + _act(clause.core, main, place)


def _subject(subject: Subject) -> list[Word]:
    if isinstance(subject, Pair):
        return (
            _single(subject.first)
            + translation("和", subject.at)
            + _single(subject.second)
        )
    if not isinstance(subject, Pronoun):
        return _single(subject)
    text = PRONOUNS[subject.said.word]
    if subject.said.word == "they" and subject.who.kind != "p":
        text = "它们"
    elif subject.said.word == "they" and subject.who.feminine:
        text = "她们"
    return translation(text, subject.said.at)


def _every(subject: Subject) -> list[Word]:
    """都, which a verb needs after *every* and *all*."""
    if isinstance(subject, Pair):
        return _every(subject.second) or _every(subject.first)
    if not isinstance(subject, NounPhrase):
        return []
    if subject.all is not None:
        return translation("都", subject.all)
    return (
        translation("都", subject.article.at) if subject.article.word == "every" else []
    )


def _single(phrase: Single, before_de: bool = False) -> list[Word]:
    if isinstance(phrase, Name):
        return translation(CHINESE_NAMES[phrase.said.word], phrase.said.at)
    return _noun_phrase(phrase, before_de)


def _noun_phrase(phrase: NounPhrase, before_de: bool) -> list[Word]:
    """Owner, number and measure word, what hangs on the noun, adjectives, noun.

    What is not done by the noun itself stands before number and measure word: 马克卖的两匹马, but 两匹睡觉的马. Before
    another 的 the owner has none: 我们学校里的树.
    """
    article, attached = phrase.article, _as_place(phrase.attached)
    owner = OWNERS.get(article.word, CHINESE_NAMES.get(article.word, ""))
    by_itself = attached is None or (
        attached.word == "with"
        if isinstance(attached, Preposition)
        else attached.subject is None
    )
    modifier = _attached(attached, phrase.noun.kind, bool(owner)) if attached else []
    counted = _counted(phrase)
    adjectives = _adjectives(phrase)
    silent = not counted and not owner  # the: no word, but its noun
    noun = translation(
        CHINESE_NOUNS[phrase.noun.english[0]].text, phrase.at, *[article.at] * silent
    )
    if not owner:
        first = counted + modifier if by_itself else modifier + counted
        return first + adjectives + noun
    if attached:  # 我那只睡觉的猫
        that = translation("那", phrase.at)
        return (
            translation(owner, article.at)
            + that
            + (counted or _measure(phrase))
            + modifier
            + adjectives
            + noun
        )
    close = (
        CHINESE_NOUNS[phrase.noun.english[0]].kin
        or before_de
        and phrase.noun.kind in "pl"
    )
    close = close and not phrase.owned and not adjectives and not counted
    de = "" if close or any(word.text == "的" for word in adjectives) else "的"
    return translation(owner + de, article.at) + counted + adjectives + noun


def _measure(phrase: NounPhrase, *at: int) -> list[Word]:
    """The measure word, or 些 for several; it depends on the noun."""
    return translation(
        "些"
        if phrase.plural and not at
        else CHINESE_NOUNS[phrase.noun.english[0]].measure,
        phrase.at,
        *at,
    )


def _counted(phrase: NounPhrase) -> list[Word]:
    """What stands before the measure word, and the measure word."""
    (form, at), number = phrase.article, phrase.number
    if phrase.all is not None:
        return translation("所有" if phrase.attached else "所有的", phrase.all, at)
    if number:
        first = {"the": "那", "these": "这"}.get(form, "")
        return (
            translation(first, at)
            + translation(NUMBERS[number.word], number.at)
            + _measure(phrase, number.at)
        )
    if form in ("a", "some") and phrase.negated:
        return []
    if form in ("some", "these"):
        return translation({"some": "一些", "these": "这些"}[form], at)
    return (
        translation(COUNTED[form], at) + _measure(phrase, at) if form in COUNTED else []
    )


def _adjectives(phrase: NounPhrase) -> list[Word]:
    """Those with 的 first. Near another 的 some need none; nor do colours before animals: 玛丽的红帽子, 黑猫."""
    all_ = [
        (_adjective(adjective, phrase.noun), at) for adjective, at in phrase.adjectives
    ]
    long = [(a, at) for a, at in all_ if len(a.before) > 1]
    bare = [(a, at) for a, at in all_ if len(a.before) == 1]
    colours_short = (
        phrase.owned or phrase.article.word in OWNERS or phrase.noun.kind == "a"
    )
    words: list[Word] = []
    for number, (adjective, at) in enumerate(long):
        if adjective.short and (
            phrase.attached or number or adjective.named and colours_short
        ):
            text = adjective.before if bare else adjective.short
        else:
            two = number + 1 < len(long) and not long[number + 1][0].short
            text = adjective.before + ("" if two else "的")  # 漂亮有名的
        words += translation(text, at)
    return words + [
        word for adjective, at in bare for word in translation(adjective.before, at)
    ]


def _adjective(adjective: Adjective, noun: Noun | None) -> ChineseAdjective:
    wears_out = noun and not CHINESE_NOUNS[noun.english[0]].ages
    return (
        OLD_THING
        if adjective.english == "old" and wears_out
        else CHINESE_ADJECTIVES[adjective.english]
    )


def _attached(attached: Preposition | Relative, head: str, owned: bool) -> list[Word]:
    """What hangs on a noun of this kind, with 的 at its end."""
    if isinstance(attached, Relative):
        return _relative(attached)
    at, word, thing = attached.at, attached.word, attached.thing
    if word in PLACES:
        place = _place(attached, before_de=True)
        return (place if owned else place[1:]) + translation(
            "的", *at
        )  # 房子附近的猫, without 在
    if word == "of":
        return _single(thing, before_de=True) + translation("的", *at)
    if isinstance(thing, Name) or thing.noun.kind == "p" or head == "a":
        return translation("和", *at) + _single(thing) + translation("在一起的", *at)
    had = CHINESE_NOUNS[thing.noun.english[0]].had
    return translation(had, *at) + _single(thing) + translation("的", *at)


def _place(place: Preposition, *be: int, before_de: bool = False) -> list[Word]:
    """在 …; `be` is the place of *is*, if that is all there is to say."""
    where = translation(PLACES[place.word], *place.at)
    return translation("在", *be, *place.at) + _single(place.thing, before_de) + where


def _relative(relative: Relative) -> list[Word]:
    subject = relative.subject
    words = _subject(subject) + _every(subject) if subject else []
    core = relative.core
    words += (
        _act(core, main=False)
        if isinstance(core, Act)
        else _state(core, None, main=False)
    )
    return _with_de(words, relative.at)


def _with_de(words: list[Word], at: int) -> list[Word]:
    """What hangs on a noun, with 的 at its end; 红色的 has one."""
    if words[-1].text != "的":
        return words + translation("的", at)
    return [*words[:-1], words[-1]._replace(links=(at, *words[-1].links), sure=at)]


def _as_place(attached: Preposition | Relative | None) -> Preposition | Relative | None:
    """*That is behind the house* is said as *behind the house*."""
    if not isinstance(attached, Relative) or isinstance(attached.core, Act):
        return attached
    core = attached.core
    if core.negation or core.often or isinstance(core.what, Quality):
        return attached
    return replace(core.what, at=(*core.what.at, core.at, attached.at))


def _state(state: State, who: Agreement | None, main: bool) -> list[Word]:
    """很 tired, 是 red 的, 在 the garden; a relative clause has its subject behind it."""
    words: list[Word] = []
    negation, often, what = state.negation, state.often, state.what
    if negation:
        words = translation("从来不" if negation.word == "never" else "不", negation.at)
    elif often:
        words = translation(OFTEN[often.word], often.at)
    if isinstance(what, Preposition):
        return words + _place(what, state.at)
    adjective = _adjective(what.adjective, who.noun if who else None)
    if what.very:
        return words + _very(
            what.very, adjective, what.at, state.at, bool(negation), main and not often
        )
    if adjective.named:
        # 总是 ends in it, a relative clause does without it
        silent = often and often.word == "always" or not main and not words
        is_ = [] if silent else translation("是", state.at)
        named = adjective.before if len(adjective.before) > 1 else adjective.alone
        return words + is_ + translation(named + "的", what.at, state.at)
    if negation:
        return words + translation(adjective.alone, what.at, state.at)
    return words + translation("很", state.at) + translation(adjective.alone, what.at)


def _very(
    very: Said,
    adjective: ChineseAdjective,
    at: int,
    be: int,
    negated: bool,
    final: bool,
) -> list[Word]:
    """非常 tired, 太 tired 了; 不是很 tired, 不太 tired."""
    quality = translation(adjective.alone, at, be)
    if very.word == "too":
        too = translation("太", very.at)
        return (
            too
            + quality
            + (translation("了", very.at) if final and not negated else [])
        )
    if negated:
        return translation("是", be) + translation("很", very.at) + quality
    return translation("非常", very.at) + quality


def _act(act: Act, main: bool, place: Iterable[Word] = ()) -> list[Word]:
    """Adverb or negation, can or want, place, verb, object; the past has 了, if it is not denied."""
    before, base = act.before, act.verb.english[0]
    stem, rest = CHINESE_VERBS[base]
    verb = translation(stem, act.at, *act.particle * (base != "talk"))
    words: list[Word] = []
    if "not" in before:
        at = [before[word].at for word in ("not", "do") if word in before]
        words = translation("没" if act.past and base != "like" else "不", *at)
    elif "often" in before:
        never = "从来没" if act.past else "从来不"
        words = translation(
            never if act.never else OFTEN[before["often"].word], before["often"].at
        )
    can = translation("能", before["can"].at) if "can" in before else []
    if base == "see" and act.negated and not act.past and "want" not in before:
        no = words.pop()  # 看不到 and not 不看到: the eye cannot
        verb.insert(
            1,
            no._replace(links=(*no.links, *[at for word in can for at in word.links])),
        )
    else:
        words += can
    if "want" in before:
        words += translation("想", before["want"].at, before["to"].at)
    words += place
    thing = _single(act.thing) if act.thing else []
    if act.pronoun:
        thing = translation(PRONOUNS[act.pronoun.word], act.pronoun.at)
    if base == "talk":  # 跟 paul 说话
        words += translation("跟", *act.particle) + thing
        thing = []
    after = translation(rest, act.at)
    if act.past and act.never:
        return words + verb + translation("过", act.at) + after + thing
    done = main and act.past and not act.negated and "often" not in before
    le = translation("了", act.at) if done and base != "like" else []
    return words + verb + (le + thing if thing else after + le)
