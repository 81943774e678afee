"""Exercise beam-search: not the best word, but the best prefixes."""

import functools
import math  # noqa: F401  (some of the mistakes use it)

import torch

from ..answers import WholeNumbers
from ..arguments import Described
from ..case import smallest_wrong
from ..exercise import Exercise, Mistake
from ..verdict import found
from ..wording import number


def my_beam_search(next_log_probs, eos, width, max_len):
    """Keep the `width` best prefixes at every step; return the best finished sentence.

    next_log_probs: function from a tuple of word numbers to log-probabilities (V,),
    eos: the number that ends a sentence, width: places in the beam, max_len: the most words, eos included
    → list of word numbers
    """
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = []
        for prefix, total in beams:
            log_probs = next_log_probs(prefix).tolist()
            for word, gain in enumerate(log_probs):
                grown.append(((*prefix, word), total + gain))
        ranked = sorted(grown, key=lambda beam: beam[1], reverse=True)
        free = width - len(finished)  # a finished sentence keeps its place
        best = ranked[:free]
        finished += [beam for beam in best if beam[0][-1] == eos]
        beams = [beam for beam in best if beam[0][-1] != eos]
        if not beams:
            break
    candidates = finished or beams
    winner = max(candidates, key=lambda beam: beam[1])
    return list(winner[0])


def _language(words, logits, other, **facts):
    """A language: the log-probabilities of the next word, given a tuple (or a list) of words."""
    logits = functools.cache(logits)

    def next_log_probs(prefix):
        if not isinstance(prefix, tuple | list) or not all(isinstance(word, int) for word in prefix):
            raise TypeError(f"next_log_probs wants a tuple of word numbers, for instance (3, 1); got {prefix!r}")
        return logits(tuple(prefix)).log_softmax(0)

    return Described(words, next_log_probs, other, **facts)


def _by_the_last_word(first, after, described):
    """A language whose next word depends on the last one only, by tables of probabilities."""
    start, *rows = torch.tensor([first, *after], dtype=torch.float64).log()
    return _language(described, lambda prefix: rows[prefix[-1]] if prefix else start, lambda: _at_random(3, 3))


@functools.cache
def _at_random(vocabulary, seed, spread=1.2, ends=0.0, eos=0):
    """A language in which every prefix has a distribution of its own; `ends` is added to the logit of `eos`."""

    def logits(prefix):
        state = seed
        for word in prefix:
            state = (state * 1_000_003 + word + 1) % 2_147_483_647
        generator = torch.Generator().manual_seed(state)
        drawn = spread * torch.randn(vocabulary, generator=generator, dtype=torch.float64)
        drawn[eos] += ends
        return drawn

    other = functools.partial(_at_random, vocabulary, seed + 500, spread, ends, eos)
    return _language("a random language of {count} words", logits, other, count=vocabulary)


# fmt: off
def example() -> tuple:
    """Greedy search begins with 1 and never ends; the likeliest sentence is 2, 0."""
    table = "(0.1, 0.5, 0.4) for the first word, (0.3, 0.4, 0.3) after a 1 and (0.9, 0.05, 0.05) after a 2"
    after = [0.2, 0.4, 0.4], [0.3, 0.4, 0.3], [0.9, 0.05, 0.05]
    return _by_the_last_word([0.1, 0.5, 0.4], after, table), 0, 2, 3


def cut_off() -> tuple:
    """2, 0 is finished with 0.3 · 0.9 = 0.27; the open 1, 1 has 0.6 · 0.6 = 0.36."""
    table = "(0.1, 0.6, 0.3) for the first word and after a 1, (0.9, 0.05, 0.05) after a 2"
    after = [0.2, 0.4, 0.4], [0.1, 0.6, 0.3], [0.9, 0.05, 0.05]
    return _by_the_last_word([0.1, 0.6, 0.3], after, table), 0, 2, 2


def endless() -> tuple:
    """So many equally likely words that a product of their probabilities is 0 before the sentence is over."""
    return _at_random(13, 1490, spread=0.1, ends=-12.0), 0, 2, 331


def probes() -> list[tuple]:
    """Languages in which the rules of the task and other rules find different sentences."""
    drawn = (  # vocabulary, seed, spread, ends, eos, width, max_len
        (4, 4974, 2.0, 1.0, 0, 2, 7), (6, 3884, 1.2, 1.2, 4, 3, 5), (9, 2050, 1.2, -0.3, 1, 5, 3),
        (4, 2029, 1.2, -0.3, 3, 2, 6), (5, 4057, 1.5, 0.5, 2, 3, 5), (6, 4420, 2.0, 1.0, 0, 4, 3),
        (4, 2013, 1.2, 0.4, 0, 2, 7), (5, 3989, 1.5, 0.5, 2, 3, 5), (4, 3141, 1.2, 1.2, 3, 2, 6),
        (5, 3183, 1.5, 0.5, 2, 3, 5),
    )
    return [(_at_random(*language, eos), eos, width, longest) for *language, eos, width, longest in drawn]


def probe(number: int):
    return lambda: probes()[number]


def edges() -> list[tuple]:
    return [
        (_at_random(5, 1451, eos=2), 2, 1, 4), (_at_random(3, 1452, eos=1), 1, 5, 1),
        (_at_random(5, 1453, ends=-9.0), 0, 2, 3), endless(),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    V, width, longest = pick.of(3, 4, 5), pick.of(1, 2, 3), pick.of(1, 2, 3, 5)
    eos = pick.of(*range(V))
    return _at_random(V, pick.of(*range(5000, 5020)), 1.5, pick.of(0.0, 1.0, -1.0), eos), eos, width, longest


# edits that are used several times
START, GAIN, WORDS = "((), 0.0)", "total + gain", "for word, gain in enumerate(log_probs):"
FREE, BEST, ROUNDS = "width - len(finished)", "ranked[:free]", "range(max_len)"
ENDS, GOES_ON, SET_ASIDE = "beam[0][-1] == eos", "beam[0][-1] != eos", "finished += ["
CANDIDATES, WINNER, RESULT = "finished or beams", "max(candidates, key=lambda beam: beam[1])", "list(winner[0])"
NO_END = (ENDS, "False"), (GOES_ON, "True")
MAX_LEN = "How many words may the list have, `eos` included, and how many does one round add?"

MISTAKES = (
    Mistake("greedy", (FREE, "1 - len(finished)"),
        "only the best continuation is kept, whatever `width` is. That is greedy search.",
        "How many prefixes are open after your first round?"),
    Mistake("not-added-up", (GAIN, "gain"),
        "log-probabilities are not added up along a sentence. You rank by the *last* word alone.",
        "What must be passed on from round to round, besides the words?", probe(1)),
    Mistake("logarithms-multiplied", ((START, "((), 1.0)"), (GAIN, "total * gain")),
        "log-probabilities are multiplied. Probabilities are multiplied; their logarithms are added.",
        "The product of two negative numbers is positive: which prefixes does that put first?"),
    Mistake("product-of-probabilities", ((START, "((), 1.0)"), (GAIN, "total * math.exp(gain)")),
        "probabilities are multiplied instead of their logarithms added. For short sentences your answer is right. "
        "In a long one the product becomes too small to be stored, and is 0 for every prefix.",
        "Why does the task give you log-probabilities?", endless),
    Mistake("width-for-each-beginning",
        ((WORDS, "for gain, word in sorted(zip(log_probs, range(len(log_probs))))[-width:]:"), (BEST, "ranked")),
        "`width` continuations of each prefix are kept",
        "With a width of 3, how many prefixes are open after two rounds in yours?", probe(0)),
    Mistake("finished-take-no-place", (FREE, "width"),
        "finished sentences take no place in the beam. Some libraries do so; here each of them occupies one.",
        "With a width of 3 and one finished sentence, how many open prefixes may stay?", probe(0)),
    Mistake("finished-compete",
        (("grown = []", "grown = list(finished)"), (FREE, "width"), (SET_ASIDE, "finished = [")),
        "finished sentences are ranked again in every round. Some libraries do so; here they keep their places.",
        "Once a sentence is finished, can anything still happen to it in the task's rules?", probe(0)),
    Mistake("finished-forgotten", ((FREE, "width"), (SET_ASIDE, "gone = ["), (f"{GOES_ON}]", f"{GOES_ON}] or beams")),
        "finished sentences are dropped. 2, 0 was found and thrown away.",
        "In which list does a sentence wait that ends in `eos`?"),
    Mistake("goes-on-after-the-end", NO_END,
        "prefixes that end in `eos` are continued", "What is there to say after the end of a sentence?"),
    Mistake("cut-at-the-end",
        (*NO_END, (RESULT, "list(winner[0][:winner[0].index(eos) + 1] if eos in winner[0] else winner[0])")),
        "prefixes that end in `eos` are continued, and cut in the end",
        "May words after the end of a sentence change its rank?", probe(0)),
    Mistake("first-to-finish", ("if not beams:", "if finished or not beams:"),
        "the search stops as soon as one sentence is finished. A longer one, still open, may be likelier.",
        "What is to happen to the other open prefixes when one has ended?", probe(1)),
    Mistake("ends-with-the-best",
        (*NO_END, ("if not beams:", "if best[0][0][-1] == eos:")),
        "the search stops when the best of a round is finished, and only then",
        "What becomes of a finished continuation that is the second best?", probe(9)),
    Mistake("last-to-finish", (WINNER, "candidates[-1]"),
        "the last of the finished sentences is taken", "By what should the finished sentences be compared?", probe(0)),
    Mistake("unfinished-returned", (CANDIDATES, "finished + beams"),
        "open prefixes are compared with finished sentences. 1, 1 is likelier than 2, 0, but not finished.",
        "If there are finished sentences, may an open prefix win?", cut_off),
    Mistake("best-on-average", (WINNER, "max(candidates, key=lambda beam: beam[1] / len(beam[0]))"),
        "the log-probability is divided by the length in the end",
        "Is there a division in the task?", probe(0)),
    Mistake("worst-first", (", reverse=True", ""),
        "the continuations are sorted in ascending order, and you keep the *least* likely",
        "Which is larger, log 0.5 or log 0.1?"),
    Mistake("last-word-only", ("next_log_probs(prefix)", "next_log_probs(prefix[-1:])"),
        "`next_log_probs` gets the last word instead of the whole prefix",
        "What does the decoder know of the first word if you pass only the last?", probe(1)),
    Mistake("end-is-zero", ((ENDS, "beam[0][-1] == 0"), (GOES_ON, "beam[0][-1] != 0")),
        "`eos` is not used, and the word 0 ends a sentence", "Where is `eos` used in your code?", probe(1)),
    Mistake("end-left-off", (RESULT, "[word for word in winner[0] if word != eos]"),
        "`eos` is taken off the result", "How could the caller know whether your sentence is finished or was cut off?"),
    Mistake("one-word-too-many", (ROUNDS, "range(max_len + 1)"),
        "max_len + 1 rounds are made (or `eos` is not counted). It is a word like any other.", MAX_LEN,
        lambda: (*example()[:2], 1, 2)),
    Mistake("one-word-too-few", (ROUNDS, "range(max_len - 1)"), "max_len − 1 rounds are made", MAX_LEN, cut_off),
)


def what_was_found(exercise, fn, cases):
    """Describe another sentence by its words, its end and its log-probability."""
    case = smallest_wrong(cases)
    language, eos, _, max_len = case.arguments
    size = len(language(()))
    mine, right = (x.long().tolist() for x in (case.got, case.expected))
    if eos in mine[:-1]:
        return found("goes-on-after-the-end", "after the end",
            "{seen}The word {eos} ends a sentence, and yours goes on after it.",
            "What should your code do with a continuation whose last word is `eos`?", seen=case.seen, eos=eos)
    if not mine:
        best = number(sum(float(language(tuple(right[:i]))[word]) for i, word in enumerate(right)))
        return found("nothing-found", "an empty list",
            "{seen}The right sentence has the log-probability {best}, and yours found none that it would take.",
            "With which number does your search for the largest begin, and can a sentence have less?",
            seen=case.seen, best=best)
    if any(not 0 <= word < size for word in mine):
        return found("no-such-word", "a word that does not exist",
            "{seen}The vocabulary has {size} words, numbered from 0.",
            "How do you get the prefix and the word back from an index of a flattened table?",
            seen=case.seen, size=size)
    if len(mine) > max_len:
        return found("too-long", "too long",
            "{seen}max_len is {max_len}, `eos` included, and yours has {count} words.",
            "How many rounds does your loop make, and what is added after the last of them?",
            seen=case.seen, max_len=max_len, count=len(mine))
    if right[-1] == eos != mine[-1]:
        return found("unfinished", "not finished",
            "{seen}Yours does not end in `eos`, which is {eos}; there was a finished sentence to return.",
            "When your loop is over, which list do you look at first?", seen=case.seen, eos=eos)
    yours, best = (
        number(sum(float(language(tuple(words[:i]))[word]) for i, word in enumerate(words))) for words in (mine, right)
    )
    return found("another-sentence", "another sentence",
        "{seen}Yours has the log-probability {yours}, the right one {best}.",
        "Print the prefixes that are kept after every round, with their log-probabilities: which is the first that "
        "you did not expect?", seen=case.seen, yours=yours, best=best)


EXERCISE = Exercise(
    name="beam-search", title="Keep the best prefixes", chapter=14, solution=my_beam_search,
    shapes={"next_log_probs": "a function", "eos": "a number", "width": "a number", "max_len": "a number"},
    returns="words", answer=WholeNumbers(), example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"ranked": "the continuations of the last round", "finished": "the finished sentences"},
    describers=(what_was_found,),
    space=space,
    hints=(
        "Keep a list of pairs (prefix, log-probability). One round makes V new pairs of every open one. With two open "
        "prefixes and three words, how many are there before anything is thrown away?",
        "Sort *all* the new pairs by their log-probability, the largest first, and cut the list to the places that are "
        "free: `width` minus the number of finished sentences. Then divide it in two, by the last word.",
        "A new prefix is the old tuple and one more word; `sorted` takes a `key` and `reverse`. At the end take the "
        "`max` of the finished pairs. What if there are none, and what is left to do to make a list of word numbers?",
    ),
    why="On easy sentences, where every word is sure, greedy search finds the same, and so does every variant here. "
        "Throwing finished sentences away looks natural, since they need no further step; but then only sentences of "
        "the full length are left to be returned. And the product of probabilities is right, until a sentence is so "
        "long that it becomes 0 for every prefix.",
)
