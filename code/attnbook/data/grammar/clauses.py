"""Clauses of the bilingual grammar: subjects, verbs, negation, and relative clauses."""

import random
from dataclasses import replace

from attnbook.data.grammar.fit import kinds_that_fit, object_of, verbs_that_fit
from attnbook.data.grammar.french import DETERMINERS
from attnbook.data.grammar.lexicon import ADJECTIVES, VERBS, Verb
from attnbook.data.grammar.meanings import (
    Act,
    Agreement,
    Clause,
    Meaning,
    Quality,
    Relative,
    Said,
    State,
    Thought,
)
from attnbook.data.grammar.phrases import Phrases
from attnbook.data.grammar.rules import Tree

NOT_THE = set(DETERMINERS) - {"the"}  # au jardin, but not à un jardin
LINKS = ("but", "because", "when")
OFTEN = ("often", "always", "never")


class Sentence(Phrases):
    """Fills a shape with English words.

    Args:
        shape: a Tree of the symbol `sentence`.
        rng: the source of chance.

    Attributes:
        english: the tokens.
        meaning: what they say.
    """

    def __init__(self, shape: Tree, rng: random.Random):
        super().__init__(rng)
        self.mostly_past = rng.random() < 0.5
        clauses = self.chain(shape["chain"])
        self.meaning = Meaning(tuple(clauses), self.say("."))

    def chain(
        self, tree: Tree, link: Said | None = None
    ) -> list[tuple[Said | None, Clause | Thought]]:
        """One clause, or several with conjunctions between them.

        Args:
            tree: its shape.
            link: the conjunction before it.

        Returns:
            Clauses, each with the conjunction before it.
        """
        first = [(link, self.clause(tree.parts[0]))]
        if len(tree.rule) == 1:
            return first
        english = "and" if "and" in tree else self.rng.choice(LINKS)
        return first + self.chain(tree.parts[2], self.said(english))

    def clause(self, tree: Tree) -> Clause | Thought:
        """A subject and what it does.

        Args:
            tree: its shape.

        Returns:
            The clause.
        """
        if "think" in tree:
            verb = self.rng.choice(VERBS["think"])
            thinker = self.subject(tree["thinker"], verb.subjects)
            self.subject_before = thinker.who
            act = self.verbal((), verb, thinker.who, past=False)
            that = self.say("that")
            return Thought(thinker, act, that, self.clause(tree["clause"]))
        vp = tree["vp"]
        core = vp.parts[0]
        kinds = kinds_that_fit(tree.parts[0])
        if "pronoun" in tree.parts[0] and self.subject_before:
            kinds = self.subject_before.kind  # "it", if the verb can be found
        verbs = verbs_that_fit(core, kinds) or verbs_that_fit(core, "p")
        verb, past = self.pick(verbs), self.past(core)
        subject = self.subject(tree.parts[0], verb.subjects)
        self.subject_before = subject.who
        said = self.core(core, verb, subject.who, past)
        time = (
            self.rng.choice(("today", "yesterday" if past else "now"))
            if "time" in vp
            else None
        )
        return Clause(
            subject,
            said,
            self.said(time) if time else None,
            self.preposition(vp["place"]) if "place" in vp else None,
        )

    def relative(self, tree: Tree, head: Agreement) -> Relative:
        """A relative clause, whose subject or object is the noun before it.

        Args:
            tree: its shape.
            head: the noun that it belongs to.

        Returns:
            The clause.
        """
        if "who" in tree:
            at = self.say("who" if head.kind == "p" else "that")
            core = tree.parts[1]
            past = self.past(core)
            verb = self.pick(verbs_that_fit(core, head.kind))
            return Relative(at, self.core(core, verb, head, past))
        at = self.say("that")
        verbs = VERBS["look" if "for" in tree else "see"]
        verbs = tuple(v for v in verbs if head.kind in v.objects)
        if "want" in tree:
            verbs = tuple(v for v in verbs if v.english[0] != "like")
        verb = self.pick(verbs)
        subject = self.subject(tree["whose"], verb.subjects)
        prefix = tree.rule[2 : -2 if "for" in tree else -1]
        past = "want" not in prefix and self.tense()
        return Relative(at, self.verbal(prefix, verb, subject.who, past), subject)

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

    def core(self, tree: Tree, verb: Verb, who: Agreement, past: bool) -> State | Act:
        """The verb and what belongs to it.

        Args:
            tree: the shape.
            verb: one of `verbs_that_fit`.
            who: the subject.
            past: the tense.

        Returns:
            What is said of the subject.
        """
        if "be" not in tree:
            return self.verbal(tree.rule[:-1], verb, who, past, object_of(tree))
        forms = ("was", "were") if past else ("is", "are")
        english = forms[who.person in (1, 3, 4)]
        at = self.say("am" if who.person == 0 and not past else english)
        negation = often = very = None
        if "negation" in tree:
            # never today: hardly ever said
            negation = self.said(
                "not" if tree.symbol == "brief" else self.rng.choice(("not", "never"))
            )
        elif "often" in tree:
            often = self.said(self.rng.choice(("often", "always")))
        if "place" in tree:
            return State(at, past, negation, often, self.preposition(tree["place"]))
        if "very" in tree["state"]:
            very = self.said(self.rng.choice(("very", "too")))
        adjective = self.pick([a for a in ADJECTIVES if who.kind in a.kinds])
        quality = Quality(very, adjective, self.say(adjective.english))
        return State(at, past, negation, often, quality)

    def verbal(
        self,
        prefix: tuple[str, ...],
        verb: Verb,
        who: Agreement,
        past: bool,
        thing: Tree | None = None,
    ) -> Act:
        """A verb that is not *be*, with its auxiliaries, negation and object.

        Args:
            prefix: the English words before the verb: do, not, often, can, want, to.
            verb: the verb.
            who: its subject.
            past: the tense.
            thing: the shape of its object; None: none.

        Returns:
            What somebody does.
        """
        third = who.person == 2
        before: dict[str, Said] = {}
        for word in prefix:
            if word == "do":
                before[word] = self.said("did" if past else "does" if third else "do")
            elif word == "often":
                before[word] = self.said(self.rng.choice(OFTEN))
            elif word == "want":
                before[word] = self.said(
                    "wants" if third and "do" not in prefix else "want"
                )
            else:
                before[word] = self.said(word)
        bare = "do" in prefix or "can" in prefix or "want" in prefix
        form = 0 if bare else 2 if past else int(third)
        at = self.say(verb.english[form])
        particle = (self.say(verb.particle),) if verb.particle else ()
        act = Act(verb, at, past, before, particle)
        if thing is None:
            return act
        if "him" in thing:
            return replace(
                act, pronoun=self.said(self.rng.choice(("him", "her", "them")))
            )
        if thing.symbol == "object":
            thing = thing["full"]
        avoid = NOT_THE if verb.etre else ("every",) if act.negated else ()
        direct = act.negated and not verb.preposition
        return replace(act, thing=self.full(thing, verb.objects, avoid, negated=direct))
