"""Exercise beam-search: the mistakes that the checker knows by name."""

from __future__ import annotations

import itertools
import math

import torch

from ..legacy import Mistake, slip
from .beam_search_languages import cut_off, endless, one_beam, probes
from .beam_search_steps import best_first, finished_first, pipeline, solution, total_of


def greedy(next_log_probs, eos, width, max_len):
    return solution(next_log_probs, eos, 1, max_len)


def _width_for_each(grown, width, finished):
    groups = itertools.groupby(grown, key=lambda beam: beam[0][:-1])
    return [beam for _, group in groups for beam in best_first(group)[:width]]


def _always_width(grown, width, finished):
    return best_first(grown)[:width]


def _everything(grown, width, finished):
    return grown if len(grown) < 30_000 else best_first(grown)[:30_000]


def _worst(grown, width, finished):
    return sorted(grown, key=total_of)[: max(width - len(finished), 0)]


def finished_forgotten(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        grown = [
            ((*prefix, word), total + gain)
            for prefix, total in beams
            for word, gain in enumerate(next_log_probs(prefix).tolist())
        ]
        left = [beam for beam in best_first(grown)[:width] if beam[0][-1] != eos]
        if not left:
            break
        beams = left
    return list(max(beams, key=total_of)[0])


def end_forbidden(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        grown = [
            ((*prefix, word), total + gain)
            for prefix, total in beams
            for word, gain in enumerate(next_log_probs(prefix).tolist())
            if word != eos
        ]
        beams = best_first(grown)[:width]
    return list(beams[0][0])


def end_ignored(next_log_probs, eos, width, max_len):
    return pipeline(next_log_probs, eos, width, max_len, done=lambda prefix, eos: False)


def cut_at_the_end(next_log_probs, eos, width, max_len):
    words = end_ignored(next_log_probs, eos, width, max_len)
    return words[: words.index(eos) + 1] if eos in words else words


def first_to_finish(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        grown = [
            ((*prefix, word), total + gain)
            for prefix, total in beams
            for word, gain in enumerate(next_log_probs(prefix).tolist())
        ]
        beams = best_first(grown)[:width]
        for prefix, _ in beams:
            if prefix[-1] == eos:
                return list(prefix)
    return list(beams[0][0])


def finished_compete(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        grown = []
        for prefix, total in beams:
            if prefix and prefix[-1] == eos:
                grown.append((prefix, total))
                continue
            log_probs = next_log_probs(prefix).tolist()
            grown += [
                ((*prefix, word), total + gain) for word, gain in enumerate(log_probs)
            ]
        beams = best_first(grown)[:width]
        if all(prefix[-1] == eos for prefix, _ in beams):
            break
    return list(
        finished_first([beam for beam in beams if beam[0][-1] == eos], beams)[0]
    )


def beams_not_followed(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = [
            (prefix, word, total + gain)
            for prefix, total in beams
            for word, gain in enumerate(next_log_probs(prefix).tolist())
        ]
        best = sorted(grown, key=lambda beam: beam[2], reverse=True)[
            : width - len(finished)
        ]
        best = [
            ((*beams[i % len(beams)][0], word), total)
            for i, (_, word, total) in enumerate(best)
        ]
        finished += [beam for beam in best if beam[0][-1] == eos]
        beams = [beam for beam in best if beam[0][-1] != eos]
        if not beams:
            break
    return list(finished_first(finished, beams)[0])


def _best_on_average(finished, beams):
    return max(finished or beams, key=lambda beam: beam[1] / len(beam[0]))


def _best_of_all(finished, beams):
    return max(finished + beams, key=total_of)


def _without_end(prefix, eos):
    return list(prefix[:-1]) if prefix and prefix[-1] == eos else list(prefix)


def _end_added(prefix, eos):
    return list(prefix) if prefix[-1] == eos else [*prefix, eos]


def _last_word_only(ask, prefix):
    return ask(prefix[-1:])


GIVEN = (
    "Three words, 0 is `eos`, width 2, max_len 3. The next word has the probabilities (0.1, 0.5, 0.4) at first, "
    "(0.3, 0.4, 0.3) after a 1, (0.9, 0.05, 0.05) after a 2. The sentence 2, 0 has 0.4·0.9 = 0.36, and "
    "nothing else has "
    "so much. You return {got}.\n"
)
CUT = (
    "Three words, 0 is `eos`, width 2, max_len 2. The next word has the probabilities (0.1, 0.6, 0.3) at first and "
    "after a 1, (0.9, 0.05, 0.05) after a 2. You return {got}; right is {expected}.\n"
)
SEEN = "{seen}"


def probe(number: int):
    """One of the random languages, for a mistake that does not show with three words."""
    return lambda: probes()[number]


WRONG = (
    Mistake(
        "greedy",
        greedy,
        "one beginning only",
        GIVEN
        + "That is greedy search: the likeliest first word is 1, with 0.5, and 2 with 0.4 is gone for good. With "
        "width 2 both stay for another round.",
        "only the best continuation is kept, whatever `width` is",
        "How many beginnings are open after your first round?",
    ),
    Mistake(
        "not-added-up",
        slip(pipeline, gain=lambda total, log_prob: log_prob),
        "the last word alone",
        SEEN
        + "You rank by the log-probability of the *last* word; what came before is forgotten. A sure word behind an "
        "unlikely one then looks as good as behind a likely one.",
        "log-probabilities are not added up along a sentence",
        "What must be handed on from round to round, besides the words?",
        example=probe(1),
    ),
    Mistake(
        "probabilities-added",
        slip(pipeline, gain=lambda total, log_prob: total + math.exp(log_prob)),
        "plus or times?",
        SEEN
        + "You add up *probabilities*. The probability of a sentence is the product of its words', and only "
        "logarithms turn that into a sum.",
        "probabilities are added instead of their logarithms",
        "If the first word has 0.5 and the second 0.4, how likely are both?",
        example=probe(3),
    ),
    Mistake(
        "product-of-probabilities",
        slip(
            pipeline, start=1.0, gain=lambda total, log_prob: total * math.exp(log_prob)
        ),
        "a product that vanishes",
        "For short sentences your answer is right. With 13 words that are about equally likely and max_len 331 the "
        "product of the probabilities becomes smaller than the smallest number that a computer can write, and is 0: "
        "all beginnings look alike, and the first in the list wins.",
        "probabilities are multiplied instead of their logarithms added",
        "Why does the task hand out log-probabilities?",
        example=endless,
    ),
    Mistake(
        "log-probabilities-multiplied",
        slip(pipeline, start=1.0, gain=lambda total, log_prob: total * log_prob),
        "plus or times?",
        GIVEN
        + "You multiply *log*-probabilities. Two negative numbers have a positive product, and the less likely "
        "both are the larger it is.",
        "log-probabilities are multiplied",
        "What is log(a · b)?",
    ),
    Mistake(
        "width-for-each-beginning",
        slip(pipeline, keep=_width_for_each),
        "width of each, or of all?",
        SEEN
        + "You keep `width` continuations of *every* beginning. After t rounds that are width to the power of t, "
        "and the search becomes as slow as trying everything.",
        "`width` continuations of each beginning are kept",
        "How many beginnings are open after two rounds in yours, with a width of 3?",
        example=probe(0),
    ),
    Mistake(
        "nothing-thrown-away",
        slip(pipeline, keep=_everything),
        "everything is kept",
        SEEN
        + "You keep every continuation. The sentence that you find is the likeliest of all; but with 10,000 words "
        "there are a hundred million beginnings after two of them.",
        "nothing is ever cut to `width`",
        "Where does `width` enter your code?",
        example=probe(0),
    ),
    Mistake(
        "finished-take-no-place",
        slip(pipeline, keep=_always_width),
        "how wide is the beam?",
        SEEN
        + "You keep `width` *open* beginnings in every round, however many sentences are finished. Some libraries "
        "do; here each finished sentence occupies one of the places, so that the search comes to an end.",
        "finished sentences take no place in the beam",
        "With a width of 3 and one finished sentence, how many open beginnings may stay?",
        example=probe(0),
    ),
    Mistake(
        "finished-compete",
        finished_compete,
        "for good",
        SEEN
        + "Your finished sentences stay in the ranking and can be pushed out of the beam by better beginnings. "
        "Some libraries do so; here a finished sentence is set aside and keeps its place for good.",
        "finished sentences are ranked again in every round",
        "Once a sentence is finished, can anything still happen to it in the task's rules?",
        example=probe(0),
    ),
    Mistake(
        "finished-forgotten",
        finished_forgotten,
        "what is finished is gone",
        GIVEN
        + "What ends in `eos` leaves your beam and is kept nowhere: 2, 0 was found and thrown away.",
        "finished sentences are dropped",
        "In which list does a sentence wait that ends in `eos`?",
    ),
    Mistake(
        "end-forbidden",
        end_forbidden,
        "no end",
        GIVEN
        + "`eos` is never a continuation in yours, and so nothing is ever finished.",
        "`eos` is left out of the continuations",
        "How can a sentence come to an end in yours?",
    ),
    Mistake(
        "goes-on-after-the-end",
        end_ignored,
        "behind the end",
        GIVEN
        + "`eos` is a word like any other in yours: the sentence goes on behind it.",
        "beginnings that end in `eos` are continued",
        "What is there to say behind the end of a sentence?",
    ),
    Mistake(
        "cut-at-the-end",
        cut_at_the_end,
        "behind the end",
        SEEN
        + "You search on behind `eos` and cut the result afterwards. What was said behind the end has still cost "
        "probability, and beams.",
        "beginnings that end in `eos` are continued, and cut in the end",
        "May words behind the end of a sentence change its place in the ranking?",
        example=probe(0),
    ),
    Mistake(
        "first-to-finish",
        first_to_finish,
        "stopped too early",
        SEEN
        + "You return the first sentence that ends. A longer one, still open, may be likelier.",
        "the search stops as soon as one sentence is finished",
        "What is to happen to the other open beginnings, when one has ended?",
        example=probe(1),
    ),
    Mistake(
        "last-to-finish",
        slip(pipeline, choose=lambda finished, beams: (finished or beams)[-1]),
        "the last one found",
        SEEN + "Of the finished sentences you return the one that was finished last.",
        "the last of the finished sentences is taken",
        "By what should the finished sentences be compared?",
        example=probe(0),
    ),
    Mistake(
        "unfinished-returned",
        slip(pipeline, choose=_best_of_all),
        "not finished",
        CUT
        + "1, 1 has 0.6·0.6 = 0.36 and is likelier than 2, 0 with 0.3·0.9 = 0.27; but it is "
        "not finished. The length ran out in the "
        "middle of it.",
        "open beginnings are compared with finished sentences",
        "If there are finished sentences, may an open beginning win?",
        example=cut_off,
    ),
    Mistake(
        "best-on-average",
        slip(pipeline, choose=_best_on_average),
        "a length penalty",
        SEEN
        + "You compare the finished sentences by their *mean* log-probability. That is a length penalty, and the "
        "task has none.",
        "the log-probability is divided by the length in the end",
        "Is there a division in the task?",
        example=probe(0),
    ),
    Mistake(
        "worst-first",
        slip(pipeline, keep=_worst),
        "the wrong end",
        GIVEN
        + "You keep the *least* likely continuations: `sorted` puts the smallest first.",
        "the continuations are sorted in ascending order",
        "Which of log 0.5 and log 0.1 is the greater?",
    ),
    Mistake(
        "beams-not-followed",
        beams_not_followed,
        "who continues whom?",
        SEEN
        + "The new words are appended to the wrong beginnings: the i-th best continuation need not belong to the "
        "i-th beginning. In a model the cached states must follow, too.",
        "continuation number i is appended to beginning number i",
        "For a continuation among the best, how does your code know which beginning it came from?",
        example=probe(1),
    ),
    Mistake(
        "last-word-only",
        slip(pipeline, look=_last_word_only),
        "a short memory",
        SEEN
        + "You ask with the last word only. The next word depends on *all* words before it, and `next_log_probs` "
        "wants them all.",
        "`next_log_probs` gets the last word instead of the whole beginning",
        "What does the decoder know of the first word, if you hand over the last?",
        example=probe(1),
    ),
    Mistake(
        "end-is-zero",
        lambda next_log_probs, eos, width, max_len: solution(
            next_log_probs, 0, width, max_len
        ),
        "which word ends a sentence?",
        SEEN + "You take the word 0 for the end of a sentence, whatever `eos` says.",
        "`eos` does not enter, and 0 ends a sentence",
        "Where does `eos` enter your code?",
        example=probe(1),
    ),
    Mistake(
        "end-left-off",
        slip(pipeline, finish=_without_end),
        "with its end",
        GIVEN
        + "The `eos` at the end is missing; the caller needs it, to tell a finished sentence from one that was "
        "cut off.",
        "`eos` is taken off the result",
        "How could the caller know whether your sentence is finished?",
    ),
    Mistake(
        "end-added",
        slip(pipeline, finish=_end_added),
        "an end that nobody wrote",
        "With width 1 and max_len 2 greedy search writes 1, 1 and is cut off. You return {got}; right is "
        "{expected}. An "
        "`eos` is appended to a sentence that was not finished.",
        "`eos` is appended if it is missing",
        "What does a missing `eos` tell the caller?",
        example=one_beam,
    ),
    Mistake(
        "one-word-too-many",
        slip(pipeline, rounds=lambda max_len: max_len + 1),
        "off by one",
        "With width 1 and max_len 2 greedy search writes 1, 1 and is cut off. You return {got}; right is "
        "{expected}. Your "
        "search goes on for a third word: `eos` counts as a word like any other.",
        "max_len + 1 rounds are made (or `eos` is not counted)",
        "How many words may the list have, `eos` included?",
        example=one_beam,
    ),
    Mistake(
        "one-word-too-few",
        slip(pipeline, rounds=lambda max_len: max_len - 1),
        "off by one",
        CUT + "Your search stops after one word.",
        "max_len − 1 rounds are made",
        "How many words may the list have, and how many does one round add?",
        example=cut_off,
    ),
    Mistake(
        "returns-a-tuple",
        lambda *arguments: (solution(*arguments), 0.0),
    ),
    Mistake("a-tuple", lambda *arguments: tuple(solution(*arguments))),
    Mistake("a-tensor", lambda *arguments: torch.tensor(solution(*arguments))),
)
