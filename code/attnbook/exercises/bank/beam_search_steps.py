"""Exercise beam-search, computed: the solution, the same in named steps, and what is said of another sentence."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..legacy import Exercise
from ..recognise import Case, smallest_wrong
from ..verdict import Finding
from ..wording import inputs, number, values


def solution(next_log_probs, eos, width, max_len):
    """Keep the `width` best beginnings at every step; return the best finished sentence."""
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = [
            (prefix + (word,), total + gain)
            for prefix, total in beams
            for word, gain in enumerate(next_log_probs(prefix).tolist())
        ]
        grown.sort(key=lambda beam: beam[1], reverse=True)
        best = grown[: width - len(finished)]  # a finished sentence keeps its place
        finished += [beam for beam in best if beam[0][-1] == eos]
        beams = [beam for beam in best if beam[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=lambda beam: beam[1])[0])


def total_of(beam):
    return beam[1]


def best_first(grown):
    return sorted(grown, key=total_of, reverse=True)


def in_free_places(grown, width, finished):
    return best_first(grown)[: max(width - len(finished), 0)]


def ends(prefix, eos):
    return prefix[-1] == eos


def finished_first(finished, beams):
    return max(finished or beams, key=total_of)


def pipeline(
    next_log_probs,
    eos,
    width,
    max_len,
    look=lambda ask, prefix: ask(prefix),
    start=0.0,
    gain=lambda total, log_prob: total + log_prob,
    keep=in_free_places,
    done=ends,
    rounds=lambda max_len: max_len,
    choose=finished_first,
    finish=lambda prefix, eos: list(prefix),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    beams, finished = [((), start)], []
    for _ in range(rounds(max_len)):
        grown = []
        for prefix, total in beams:
            log_probs = look(next_log_probs, prefix).tolist()
            grown += [
                ((*prefix, word), gain(total, log_prob))
                for word, log_prob in enumerate(log_probs)
            ]
        best = keep(grown, width, finished)
        finished = finished + [beam for beam in best if done(beam[0], eos)]
        beams = [beam for beam in best if not done(beam[0], eos)]
        if not beams:
            break
    return finish(choose(finished, beams)[0], eos)


def steps(next_log_probs, eos, width, max_len) -> list[tuple[str, object]]:
    first = next_log_probs(())
    words = [
        solution(next_log_probs, eos, width, length)
        for length in range(1, min(max_len, 4) + 1)
    ]
    return [
        ("the probabilities of the first word", first.exp()),
        *(
            (f"the result for max_len {i}", torch.tensor(row))
            for i, row in enumerate(words, 1)
        ),
    ]


def likelihood(next_log_probs: Callable, words: list[int]) -> float:
    """The log-probability of a row of words.

    Args:
        next_log_probs: the language.
        words: the words.

    Returns:
        The sum of their log-probabilities; −∞ if a word does not exist.
    """
    total = 0.0
    for i, word in enumerate(words):
        log_probs = next_log_probs(tuple(words[:i]))
        if not 0 <= word < len(log_probs):
            return -float("inf")
        total += float(log_probs[word])
    return total


def _told(exercise: Exercise, case: Case) -> tuple[str, list[int], list[int]]:
    """The sentence that came beside the right one: as text, and both as lists."""
    mine, right = case.got.long().tolist(), case.expected.long().tolist()
    both = [
        values(x) if x.numel() > 1 else str(x.long().tolist())
        for x in (case.got, case.expected)
    ]
    given = inputs(exercise.parameters, case.arguments)
    return f"With {given} you return {both[0]}; right is {both[1]}.\n", mine, right


def no_sentence(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a result that can be no sentence: empty, too long, with words that do not exist or stand behind the end.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by lists.

    Returns:
        The finding, or None.
    """
    case = smallest_wrong(cases)
    language, eos, _, max_len = case.arguments
    seen, mine, _ = _told(exercise, case)
    if not mine:
        return Finding(
            "empty",
            "no word at all",
            f"{seen}Your list is empty.",
            "Which branch of your code returns before a single word was chosen?",
        )
    if any(not 0 <= word < len(language(())) for word in mine):
        return Finding(
            "no-such-word",
            "a word that does not exist",
            f"{seen}The vocabulary has {len(language(()))} words, numbered from 0.",
            "How does one get the beginning and the word back from a place in a flattened table?",
        )
    if eos in mine[:-1]:
        return Finding(
            "goes-on-after-the-end",
            "behind the end",
            f"{seen}The word {eos} ends a sentence, and yours goes on behind it.",
            "What should your code do with a continuation whose last word is `eos`?",
        )
    if len(mine) > max_len:
        return Finding(
            "too-long",
            "too long",
            f"{seen}max_len is {max_len}, `eos` included, and yours has {len(mine)} words.",
            "How many rounds does your loop make, and what is added after the last of them?",
        )
    return None


def what_was_found(
    exercise: Exercise, fn: Callable, cases: list[Case]
) -> Finding | None:
    """Describe another sentence by what can be seen of it: its end and its log-probability.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by lists that are sentences.

    Returns:
        The finding.
    """
    case = smallest_wrong(cases)
    language, eos, _, _ = case.arguments
    seen, mine, right = _told(exercise, case)
    scores = [likelihood(language, words) for words in (mine, right)]
    told = f"Yours has the log-probability {number(scores[0])}, the right one {number(scores[1])}."
    if right[-1] == eos and mine[-1] != eos:
        return Finding(
            "unfinished",
            "not finished",
            f"{seen}{told} Yours does not end in `eos`, which is {eos}; a finished sentence was there to be returned.",
            "When your loop is over, which list do you look at first?",
        )
    more = (
        " A wider search would find yours, too, but `width` places do not."
        if scores[0] > scores[1]
        else ""
    )
    return Finding(
        "another-sentence",
        "another sentence",
        f"{seen}{told}{more}",
        "Print the beginnings that are kept after every round, with their log-probabilities: which is the first that "
        "you did not expect?",
    )
