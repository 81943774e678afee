"""Clauses of the bilingual grammar: subjects, verbs, negation, and relative clauses."""

import random

from attnbook.data.grammar.fit import kinds_that_fit, object_of, verbs_that_fit
from attnbook.data.grammar.french import (
    DETERMINERS,
    Agreement,
    Word,
    join,
    negate,
    translation,
)
from attnbook.data.grammar.lexicon import ADJECTIVES, BE, HAVE, VERBS, Verb
from attnbook.data.grammar.phrases import Phrases
from attnbook.data.grammar.rules import Tree

NOT_THE = set(DETERMINERS) - {"the"}  # au jardin, but not à un jardin

CLITICS = {"him": "le", "her": "la", "them": "les"}
LINKS = {"but": ("mais",), "because": ("parce", "que"), "when": ("quand",)}
OFTEN = {"often": "souvent", "always": "toujours", "never": "jamais"}
VERY = {"very": "très", "too": "trop"}
TIMES = {"today": "aujourd'hui", "now": "maintenant", "yesterday": "hier"}


class Sentence(Phrases):
    """Fills a shape with words of both languages.

    Args:
        shape: a Tree of the symbol `sentence`.
        rng: the source of chance.

    Attributes:
        english: the tokens.
        french: a list of `Word`.
    """

    def __init__(self, shape: Tree, rng: random.Random):
        super().__init__(rng)
        self.mostly_past = rng.random() < 0.5
        words = self.chain(shape["chain"])
        self.french = join(words + translation(["."], self.say(".")))

    def chain(self, tree: Tree) -> list[Word]:
        """One clause, or several with conjunctions between them.

        Args:
            tree: its shape.

        Returns:
            French words.
        """
        words = self.clause(tree.parts[0])
        if len(tree.rule) == 1:
            return words
        english = "and" if "and" in tree else self.rng.choice(tuple(LINKS))
        words += translation(LINKS.get(english, ("et",)), self.say(english))
        return words + self.chain(tree.parts[2])

    def clause(self, tree: Tree) -> list[Word]:
        """A subject and what it does.

        Args:
            tree: its shape.

        Returns:
            French words.
        """
        if "think" in tree:
            verb = self.rng.choice(VERBS["think"])
            words, self.subject_before = self.subject(tree["thinker"], verb.subjects)
            words += self.verbal((), verb, self.subject_before, past=False)
            words += translation(["que"], self.say("that"))
            return words + self.clause(tree["clause"])
        vp = tree["vp"]
        core = vp.parts[0]
        kinds = kinds_that_fit(tree.parts[0])
        if "pronoun" in tree.parts[0] and self.subject_before:
            kinds = self.subject_before.kind  # "it", if the verb can be found
        verbs = verbs_that_fit(core, kinds) or verbs_that_fit(core, "p")
        verb, past = self.pick(verbs), self.past(core)
        words, self.subject_before = self.subject(tree.parts[0], verb.subjects)
        words += self.core(core, verb, self.subject_before, past)
        if "time" in vp:
            english = self.rng.choice(("today", "yesterday" if past else "now"))
            words += translation([TIMES[english]], self.say(english))
        return words + (self.preposition(vp["place"]) if "place" in vp else [])

    def relative(self, tree: Tree, head: Agreement) -> list[Word]:
        """A relative clause: *qui* is its subject, *que* its object, with which a past participle agrees.

        Args:
            tree: its shape.
            head: the noun that it belongs to.

        Returns:
            French words.
        """
        if "who" in tree:
            at = self.say("who" if head.kind == "p" else "that")
            core = tree.parts[1]
            past = self.past(core)
            verb = self.pick(verbs_that_fit(core, head.kind))
            return translation(["qui"], at) + self.core(core, verb, head, past)
        words = translation(["que"], self.say("that"))
        verbs = VERBS["look" if "for" in tree else "see"]
        verbs = tuple(v for v in verbs if head.kind in v.objects)
        if "want" in tree:
            verbs = tuple(v for v in verbs if v.english[0] != "like")
        verb = self.pick(verbs)
        subject, who = self.subject(tree["whose"], verb.subjects)
        prefix = tree.rule[2 : -2 if "for" in tree else -1]
        past = "want" not in prefix and self.tense()
        return words + subject + self.verbal(prefix, verb, who, past, head=head)

    def tense(self) -> bool:
        """Mostly the tense of the whole sentence.

        Returns:
            Whether it is the past.
        """
        return self.mostly_past != (self.rng.random() < 0.15)

    def past(self, core: Tree) -> bool:
        """The tense of a verb phrase: what the grammar says in the present only, is in the present.

        Args:
            core: its shape.

        Returns:
            Whether it is the past.
        """
        thing = object_of(core)
        clitic = thing is not None and "him" in thing
        return not (clitic or "can" in core or "want" in core) and self.tense()

    def core(self, tree: Tree, verb: Verb, who: Agreement, past: bool) -> list[Word]:
        """The verb and what belongs to it.

        Args:
            tree: the shape.
            verb: one of `verbs_that_fit`.
            who: the subject.
            past: the tense.

        Returns:
            French words.
        """
        if "be" not in tree:
            return self.verbal(tree.rule[:-1], verb, who, past, object_of(tree))
        forms = ("was", "were") if past else ("is", "are")
        english = forms[who.person in (1, 3, 4)]
        english = "am" if who.person == 0 and not past else english
        french = (BE.imperfect if past else BE.present)[who.person]
        words = translation([french], self.say(english))
        if "negation" in tree:
            # never today: hardly ever said
            word = (
                "not" if tree.symbol == "brief" else self.rng.choice(("not", "never"))
            )
            words = negate(words, OFTEN.get(word, "pas"), self.say(word))
        elif "often" in tree:
            word = self.rng.choice(("often", "always"))
            words += translation([OFTEN[word]], self.say(word))
        if "place" in tree:
            return words + self.preposition(tree["place"])
        if "very" in tree["state"]:
            word = self.rng.choice(tuple(VERY))
            words += translation([VERY[word]], self.say(word))
        adjective = self.pick([a for a in ADJECTIVES if who.kind in a.kinds])
        form = adjective.agree(who.feminine, who.plural)
        return words + translation([form], self.say(adjective.english))

    def verbal(
        self,
        prefix: tuple[str, ...],
        verb: Verb,
        who: Agreement,
        past: bool,
        thing: Tree | None = None,
        head: Agreement | None = None,
    ) -> list[Word]:
        """A verb that is not *be*, with its auxiliaries, negation and object.

        Args:
            prefix: the English words before the verb: do, not, often, can, want, to.
            verb: the verb.
            who: its subject.
            past: the tense.
            thing: the shape of its object; None: none.
            head: the noun of a relative clause whose object it is.

        Returns:
            French words.
        """
        third = who.person == 2
        at, adverb = {}, ""
        for word in prefix:
            if word == "do":
                word_said = "did" if past else "does" if third else "do"
            elif word == "often":
                word_said = adverb = self.rng.choice(tuple(OFTEN))
            elif word == "want":
                word_said = "wants" if third and "do" not in prefix else "want"
            else:
                word_said = word
            at[word] = self.say(word_said)
        bare = "do" in prefix or "can" in prefix or "want" in prefix
        form = 0 if bare else 2 if past else int(third)
        v = self.say(verb.english[form])
        particle = (self.say(verb.particle),) if verb.particle else ()
        inside = () if verb.preposition else particle  # look for is one word: chercher
        negated = "not" in at or adverb == "never"

        pronoun: list[Word] = []
        rest: list[Word] = []
        if thing and "him" in thing:
            word = self.rng.choice(tuple(CLITICS))
            pronoun = translation([CLITICS[word]], self.say(word))
        elif thing:
            if thing.symbol == "object":
                thing = thing["full"]
            direct = negated and not verb.preposition
            avoid = NOT_THE if verb.etre else ("every",) if negated else ()
            rest, _ = self.full(thing, verb.objects, avoid, negated=direct)
        if verb.preposition:
            rest = translation([verb.preposition], *particle) + rest

        after: list[Word] = []
        if "can" in at or "want" in at:
            name = "can" if "can" in at else "want"
            present = VERBS[name][0].present[who.person]
            finite = translation([present], at[name])
            to = (at["to"],) if "to" in at else ()
            after = pronoun + translation([verb.infinitive], v, *inside, *to)
        elif past:
            auxiliary = (BE if verb.etre else HAVE).present[who.person]
            finite = translation([auxiliary], *([at["do"], v] if "do" in at else [v]))
            agreed = who if verb.etre else head
            participle = verb.participle
            if agreed:
                participle = verb.agree(agreed.feminine, agreed.plural)
            after = translation([participle], v, *inside)
        else:
            finite = pronoun + translation([verb.present[who.person]], v, *inside)
        if "not" in at:
            finite = negate(finite, "pas", at["not"], at.get("do"))
        elif adverb == "never":
            finite = negate(finite, "jamais", at["often"])
        elif adverb:
            finite += translation([OFTEN[adverb]], at["often"])
        return finite + after + rest
