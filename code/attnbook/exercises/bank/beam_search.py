"""Exercise beam-search: finished sentences give their places away, and the search ends when no open prefix can win."""

import functools

import torch

from ..answers import WholeNumbers
from ..arguments import Described
from ..case import smallest_wrong
from ..exercise import Exercise, Mistake
from ..verdict import found
from ..wording import number


def my_beam_search(next_log_probs, eos, width, max_len, alpha):
    """Keep `width` open prefixes until none of them can win; return the best finished sentence.

    next_log_probs: function from a tuple of word numbers to log-probabilities (V,),
    eos: the number that ends a sentence, width: how many prefixes stay open,
    max_len: the most words, eos included, alpha: exponent of the penalty, 0 or more
    → list of word numbers
    """
    beams, finished = [((), 0.0)], [(float("-inf"), ())]
    most = ((5 + max_len) / 6) ** alpha  # no divisor is larger
    for length in range(1, max_len + 1):
        grown = []
        for prefix, total in beams:
            log_probs = next_log_probs(prefix).tolist()
            for word, gain in enumerate(log_probs):
                grown.append(((*prefix, word), total + gain))
        divisor = ((5 + length) / 6) ** alpha
        ended = [beam for beam in grown if beam[0][-1] == eos]
        finished += [(total / divisor, prefix) for prefix, total in ended]
        open_ones = [beam for beam in grown if beam[0][-1] != eos]
        ranked = sorted(open_ones, key=lambda beam: beam[1], reverse=True)
        beams = ranked[:width]
        ceiling = beams[0][1] / most  # no open prefix can score more
        if ceiling <= max(finished)[0]:
            break
    winner = max(finished)
    return list(winner[1])


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
    """Greedy search finds 1, 0; the best sentence is 2, 0."""
    table = "(0.1, 0.5, 0.4) for the first word, (0.3, 0.4, 0.3) after a 1 and (0.9, 0.05, 0.05) after a 2"
    after = [0.2, 0.4, 0.4], [0.3, 0.4, 0.3], [0.9, 0.05, 0.05]
    return _by_the_last_word([0.1, 0.5, 0.4], after, table), 0, 2, 3, 1.0


def endless() -> tuple:
    """So long a sentence wins that the product of its words' probabilities is 0."""
    return _at_random(13, 1490, spread=0.1, ends=-12.0), 0, 2, 331, 2.0


def _drawn() -> list[tuple]:
    """Languages in which the rules of the task and other rules find different sentences."""
    drawn = (  # vocabulary, seed, spread, ends, eos, width, max_len, alpha
        (6, 5235, 1.2, -0.5, 5, 3, 6, 3.0), (5, 2441, 1.2, 1.0, 3, 3, 6, 2.0), (5, 1521, 1.2, 0.0, 3, 2, 6, 3.0),
        (4, 2674, 1.2, 0.5, 3, 2, 7, 2.0), (5, 4460, 2.0, -0.5, 0, 3, 6, 2.0), (5, 3654, 2.0, -0.5, 4, 3, 7, 3.0),
        (5, 2184, 2.0, 0.0, 3, 2, 7, 3.0), (4, 4974, 2.0, 1.0, 0, 2, 7, 0.0), (6, 4554, 1.0, 0.5, 1, 2, 5, 2.0),
        # here no sentence ends among the likeliest: who counts only such ends has none to return
        (4, 3456, 1.2, -1.0, 2, 3, 6, 2.0), (5, 4510, 1.0, -1.0, 3, 2, 7, 2.0), (6, 4630, 1.5, -1.0, 3, 2, 7, 1.0),
    )
    return [(_at_random(*language, eos), eos, width, longest, a) for *language, eos, width, longest, a in drawn]


def probes() -> list[tuple]:
    return _drawn()[:9]


def probe(number: int):
    return lambda: _drawn()[number]


def edges() -> list[tuple]:
    return [
        (_at_random(5, 1451, eos=2), 2, 1, 4, 2.0), (_at_random(3, 1452, eos=1), 1, 5, 1, 1.0),
        (_at_random(5, 1453, ends=-9.0), 0, 2, 3, 0.0), endless(), *_drawn()[9:],
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    V, width, longest, alpha = pick.of(3, 4, 5), pick.of(1, 2, 3), pick.of(1, 2, 3, 5), pick.of(0.0, 1.0, 0.5, 2.0)
    eos = pick.of(*range(V))
    return _at_random(V, pick.of(*range(5000, 5020)), 1.5, pick.of(0.0, 1.0, -1.0), eos), eos, width, longest, alpha


def cut_before(next_log_probs, eos, width, max_len, alpha, places=lambda width, finished: width):
    """The best of all continuations, as many as there are places, and only then those that are finished set aside."""
    beams, finished = [((), 0.0)], []
    for length in range(1, max_len + 1):
        asked = [(*beam, next_log_probs(beam[0]).tolist()) for beam in beams]
        grown = [((*prefix, word), total + gain) for prefix, total, row in asked for word, gain in enumerate(row)]
        best = sorted(grown, key=lambda beam: beam[1], reverse=True)[:places(width, finished)]
        finished += [(total / ((5 + length) / 6) ** alpha, prefix) for prefix, total in best if prefix[-1] == eos]
        beams = [beam for beam in best if beam[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or [(total, prefix) for prefix, total in beams])[1])


def places_taken(next_log_probs, eos, width, max_len, alpha):
    """The rule of the page's loop."""
    return cut_before(next_log_probs, eos, width, max_len, alpha, lambda width, finished: width - len(finished))


# edits that are used several times
START, GAIN, ROUNDS = "((), 0.0)", "total + gain", "range(1, max_len + 1)"
ENDS, GOES_ON, BEST = "beam[0][-1] == eos", "beam[0][-1] != eos", "ranked[:width]"
SCORE, DIVISOR, MOST = "total / divisor", "((5 + length) / 6)", "((5 + max_len) / 6)"
BOUND, STOP = "beams[0][1] / most", "ceiling <= max(finished)[0]"
WINNER, RESULT = "winner = max(finished)", "list(winner[1])"
MAX_LEN = "How many words may the list have, `eos` included, and how many does one round add?"
CAN_WIN = "If the best open prefix went on to `max_len` words and lost nothing more, what would its score be?"

MISTAKES = (
    Mistake("greedy", (BEST, "ranked[:1]"),
        "only the best open prefix is kept, whatever `width` is. That is greedy search.",
        "How many prefixes are open after your first round?"),
    Mistake("places-taken", places_taken,
        "a finished sentence keeps its place, as in the page's loop. Here the next best prefix gets it.",
        "With a width of 2, how many prefixes are open in the round after the first sentence has ended?", probe(10)),
    Mistake("cut-before", cut_before,
        "the continuations are cut to `width` first, and the finished ones then taken out. What they leave empty "
        "should be filled, and a finished sentence counts whatever its rank is.",
        "In which order do you cut to `width` and set aside what is finished?", probe(10)),
    Mistake("finished-must-rank", ("in grown if beam[0][-1] == eos",
        "in sorted(grown, key=lambda beam: beam[1])[-width:] if beam[0][-1] == eos"),
        "a finished sentence counts only if it is among the `width` likeliest continuations. Some libraries do so; "
        "here each of them counts.",
        "Which rank must a continuation have in the task's second step?", probe(8)),
    Mistake("finished-among-twice-as-many", ("in grown if beam[0][-1] == eos",
        "in sorted(grown, key=lambda beam: beam[1])[-2 * width:] if beam[0][-1] == eos"),
        "only the 2 · `width` likeliest continuations are looked at. They always hold enough open prefixes, but the "
        "end of a sentence can lie behind them, and here each end counts.",
        "Which rank must a continuation have in the task's second step?", probe(0)),
    Mistake("best-words-of-each-prefix", ("in enumerate(log_probs)", "in sorted(enumerate(log_probs), "
        "key=lambda one: one[1])[-width:]"),
        "only the `width` likeliest words after each prefix are looked at. `eos` may be less likely than these, and "
        "its sentence counts all the same.",
        "After one prefix, which words does the task's first step continue it with?", probe(0)),
    Mistake("first-to-finish", (STOP, "len(finished) > 1"),
        "the search stops as soon as one sentence is finished. An open prefix may still win.", CAN_WIN),
    Mistake("enough-finished", (STOP, "len(finished) > width"),
        "the search stops when `width` sentences are finished. That is the rule of fairseq; here it goes on until no "
        "open prefix can win.", CAN_WIN, probe(1)),
    Mistake("bound-of-this-length", (BOUND, "beams[0][1] / divisor"),
        "an open prefix is taken to be beaten when its score *so far* is. As it grows, so does the divisor, and a "
        "negative number divided by more comes nearer to 0.", CAN_WIN, probe(1),
        also=((BOUND, "beams[0][1] / ((6 + length) / 6) ** alpha"),)),
    Mistake("bound-undivided", (BOUND, "beams[0][1]"),
        "the log-probability of the best open prefix is compared with a score. One is divided, the other is not.",
        CAN_WIN, probe(1)),
    Mistake("worst-open-prefix", (BOUND, "beams[-1][1] / most"),
        "the search stops when the *last* of the open prefixes cannot win. A better one may.",
        "Which of the open prefixes has the best chance?", probe(3)),
    Mistake("not-added-up", (GAIN, "gain"),
        "log-probabilities are not added up along a sentence. You rank by the *last* word alone.",
        "What must be passed on from round to round, besides the words?", probe(10)),
    Mistake("logarithms-multiplied", ((START, "((), 1.0)"), (GAIN, "total * gain")),
        "log-probabilities are multiplied. Probabilities are multiplied; their logarithms are added.",
        "The product of two negative numbers is positive: which prefixes does that put first?"),
    Mistake("product-of-probabilities", ((START, "((), 1.0)"), (GAIN, "total * torch.e**gain")),
        "probabilities are multiplied, and it is their product that is divided. The formula divides its logarithm. "
        "(And in a long sentence the product becomes too small to be stored.)",
        "Why does the task give you log-probabilities?", probe(1)),
    Mistake("not-penalised", (SCORE, "total"),
        "finished sentences are compared by their log-probability, and the penalty is left out",
        "Where is `alpha` used when two finished sentences are compared?", probe(1)),
    Mistake("penalty-multiplied", (SCORE, "total * divisor"),
        "the log-probability is multiplied by the penalty. That makes long sentences worse still.",
        "Is −2 · 3 more or less than −2 / 3?", probe(10)),
    Mistake("divided-by-length", ((DIVISOR, "length"), (MOST, "max_len")),
        "the divisor is a power of the length itself", "What is added to T in the task?", probe(10)),
    Mistake("end-not-counted", (DIVISOR, "((4 + length) / 6)"),
        "`eos` is not counted in the length. It is a word like any other.",
        "How many words has the sentence `[2, 0]`?", probe(10)),
    Mistake("width-for-each-beginning", (BEST,
        "[x for of in [{}] for x in ranked if of.setdefault(x[0][:-1], []).append(x) or len(of[x[0][:-1]]) <= width]"),
        "`width` continuations of each prefix are kept",
        "With a width of 3, how many prefixes are open after two rounds in yours?", probe(10)),
    Mistake("goes-on-after-the-end", (GOES_ON, "True"),
        "prefixes that end in `eos` are continued", "What is there to say after the end of a sentence?", probe(1)),
    Mistake("last-to-finish", (WINNER, "winner = finished[-1]"),
        "the last of the finished sentences is taken", "By what should the finished sentences be compared?", probe(10)),
    Mistake("unfinished-returned", (WINNER,
        "winner = max(finished + [(total / divisor, prefix) for prefix, total in beams])"),
        "open prefixes are compared with finished sentences",
        "May a sentence without an end be returned?", probe(10)),
    Mistake("worst-first", (", reverse=True", ""),
        "the continuations are sorted in ascending order, and you keep the *least* likely",
        "Which is larger, log 0.5 or log 0.1?", probe(10)),
    Mistake("last-word-only", ("next_log_probs(prefix)", "next_log_probs(prefix[-1:])"),
        "`next_log_probs` gets the last word instead of the whole prefix",
        "What does the decoder know of the first word if you pass only the last?", probe(1)),
    Mistake("end-is-zero", ((ENDS, "beam[0][-1] == 0"), (GOES_ON, "beam[0][-1] != 0")),
        "`eos` is not used, and the word 0 ends a sentence", "Where is `eos` used in your code?", probe(10)),
    Mistake("end-left-off", (RESULT, "[word for word in winner[1] if word != eos]"),
        "`eos` is taken off the result", "How does the task write the sentence that it finds?"),
    Mistake("one-word-too-many", (ROUNDS, "range(1, max_len + 2)"),
        "max_len + 1 rounds are made (or `eos` is not counted). It is a word like any other.", MAX_LEN, probe(1)),
    Mistake("one-word-too-few", (ROUNDS, "range(1, max_len)"), "max_len − 1 rounds are made", MAX_LEN, probe(3)),
)


def what_was_found(exercise, fn, cases):
    """Describe another sentence by its words, its end and its score."""
    case = smallest_wrong(cases)
    language, eos, _, max_len, alpha = case.arguments
    size = len(language(()))
    mine, right = (x.long().tolist() for x in (case.got, case.expected))

    def score(words):
        total = sum(float(language(tuple(words[:i]))[word]) for i, word in enumerate(words))
        return number(total / ((5 + len(words)) / 6) ** alpha)

    if eos in mine[:-1]:
        return found("goes-on-after-the-end", "after the end",
            "{seen}The word {eos} ends a sentence, and yours goes on after it.",
            "What should your code do with a continuation whose last word is `eos`?", seen=case.seen, eos=eos)
    if not mine:
        return found("nothing-found", "an empty list",
            "{seen}The right sentence has the score {best}, and yours found none that it would take.",
            "With which number does your search for the largest begin, and can a sentence have less?",
            seen=case.seen, best=score(right))
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
    if mine[-1] != eos:
        return found("unfinished", "not finished",
            "{seen}Yours does not end in `eos`, which is {eos}; there was a finished sentence to return.",
            "When your loop is over, which list do you look at?", seen=case.seen, eos=eos)
    return found("another-sentence", "another sentence",
        "{seen}Yours has the score {yours}, the right one {best}.",
        "Print the prefixes that are kept after every round, with their log-probabilities: which is the first that "
        "you did not expect?", seen=case.seen, yours=score(mine), best=score(right))


def ends_in_time(exercise, fn):
    """A search that asks about prefixes when none can win any more."""
    language, *others = example()
    longest = []
    for search in (exercise.solution, fn):
        asked = []
        watched = Described("", lambda prefix, asked=asked: asked.append(len(prefix)) or language(prefix))
        search(watched, *others)
        longest.append(max(asked))
    if longest[1] <= longest[0]:
        return None
    return found("goes-on-too-long", "a search that goes on when it is decided",
        "The sentences are right. In the example no open prefix can win after two rounds: the best of them has the "
        "log-probability log 0.2 = −1.61, at most −1.61 / (8/6) = −1.21, and `[2, 0]` has −0.88. Yours still asks what "
        "follows prefixes of {words} words.",
        "What do you compare after each round, to see whether to make another?", words=longest[1])


EXERCISE = Exercise(
    name="beam-search", title="A beam that fills its places again", chapter=14, solution=my_beam_search,
    shapes={"next_log_probs": "a function", "eos": "a number", "width": "a number", "max_len": "a number",
            "alpha": "a number"},
    returns="words", answer=WholeNumbers(), example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"ranked": "the open continuations of the last round", "finished": "the finished sentences"},
    describers=(what_was_found,), demands=(ends_in_time,),
    space=space,
    hints=(
        "Keep two lists: open prefixes with their log-probabilities, and finished sentences with their scores. One "
        "round makes V continuations of every open prefix. To which of the two lists does each belong, and which of "
        "the lists is cut to `width`?",
        "After a round of T words, divide the log-probability of what has just ended by ((5 + T)/6)^α. Sort the "
        "others, the largest log-probability first, and keep `width` of them. For the end, what is the best score that "
        "the first of these could still reach?",
        "A sum of log-probabilities never grows, and the divisor is largest at `max_len` words: so an open prefix with "
        "the log-probability s reaches at most s / ((5 + max_len)/6)^α. In the example, what is that after two rounds, "
        "and what is the score of `[2, 0]`?",
    ),
    why="On easy sentences, where every word is sure, all these rules find the same. Leaving a finished sentence in "
        "its place looks like order, but it narrows the search just where it succeeds. And to compare scores as they "
        "are now looks fair; but with a penalty a prefix can still rise, since what it is divided by grows with it.",
)
