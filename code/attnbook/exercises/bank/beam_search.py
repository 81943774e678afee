"""Exercise beam-search: not the best word, but the best beginnings."""

from __future__ import annotations

from ..legacy import Exercise
from .beam_search_languages import edges, example, probes
from .beam_search_mistakes import WRONG
from .beam_search_steps import no_sentence, solution, steps, what_was_found
from .word_numbers import as_whole_numbers, list_kind, must_be_a_list

BEAM_SEARCH = Exercise(
    name="beam-search",
    title="Keep the best beginnings",
    chapter=14,
    function="my_beam_search",
    statement="""\
Write beam search. `next_log_probs(prefix)` takes a tuple of word numbers, `()` at first, and returns the
log-probabilities $(V,)$ of the next word. Begin with the empty beginning, whose log-probability is 0, and
repeat:

1. Continue every open beginning with every word, and add up the log-probabilities.
2. Keep the best `width` of *all* these continuations together, or fewer: each finished sentence occupies one of
the `width` places for good.
3. A continuation that ends in `eos` is finished: set it aside. The others are the open beginnings of the next
round.

Stop when nothing is open, or after `max_len` words (`eos` counts as one). Return the finished sentence with the
greatest log-probability, as a list of word numbers with its `eos`; only if none was finished, the best of the
open beginnings. There is no length penalty.""",
    stub='''\
def my_beam_search(next_log_probs, eos, width, max_len):
    """Keep the `width` best beginnings at every step; return the best finished sentence.

    next_log_probs: function from a tuple of word numbers to log-probabilities (V,),
    eos: the number that ends a sentence, width: places in the beam, max_len: the most words, eos included
    → list of word numbers
    """
    ...
''',
    hints=(
        "Keep a list of pairs (beginning, log-probability). One round makes of every open pair V new ones. With two "
        "open beginnings and three words, how many are there before anything is thrown away?",
        "Sort *all* the new pairs by their log-probability, the greatest first, and cut the list to the "
        "places that are "
        "free: `width` minus the number of finished sentences. Then part it in two, by the last word.",
        "A pair is `(prefix + (word,), total + gain)`. `sorted(pairs, key=lambda pair: pair[1], reverse=True)` has the "
        "best in front. At the end take the `max` of the finished ones, or of the open ones if there are "
        "none, and make "
        "a `list` of its beginning.",
    ),
    solution=solution,
    why="On easy sentences greedy search finds the same, and so does every variant here: the first word is sure, and "
    "so are the others. It shows where two beginnings compete. Throwing finished sentences away looks natural, since "
    "they need no further step; but then only sentences of the greatest length are left to be returned, and the "
    "translation ends in repetitions. And the product of probabilities is right, until a sentence is so long that it "
    "becomes 0 for every beginning.",
    shapes={
        "next_log_probs": "a function",
        "eos": "a number",
        "width": "a number",
        "max_len": "a number",
    },
    returns="words",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(no_sentence,),
    describers=(what_was_found,),
    read=as_whole_numbers,
    kind=list_kind,
    demands=(must_be_a_list,),
)
