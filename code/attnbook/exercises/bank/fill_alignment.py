"""Exercise fill-alignment: read off which source word each target word comes from."""

from __future__ import annotations

from ..legacy import Exercise
from .fill_alignment_mistakes import WRONG
from .fill_alignment_steps import edges, example, probes, solution, steps
from .word_numbers import as_whole_numbers, list_kind, must_be_a_list

FILL_ALIGNMENT = Exercise(
    name="fill-alignment",
    title="Which word comes from which?",
    chapter=12,
    function="my_alignment",
    statement="""\
Read a word alignment off attention weights. `weights` $(T, S)$ has a row for each target word and a column for
each source position; the first `source_len` columns are real words, the rest is padding (this model was trained
without a mask, and some of its attention went astray). For each target word return the index of the *real*
source word that it looks at most, counted from 0: a list of $T$ integers.""",
    stub='''\
def my_alignment(weights, source_len):
    """For each target word, the index of the real source word with the largest weight.

    weights: (T, S), source_len: from 1 to S → list of T integers
    """
    ...
''',
    hints=(
        "Each row belongs to one target word. Take the second row of the table that your function gets: which of its "
        "entries are real words, and which of them is the largest?",
        "Cut the padding off before you look for the largest: it is all columns from `source_len` on. Which slice of "
        "(T, S) is (T, source_len)?",
        "`argmax` along the axis of the source gives one index a row; `.tolist()` makes Python integers of them. Since "
        "the cut is at the end, the indices still count from the sentence's first word.",
    ),
    solution=solution,
    why="With a model that masks its padding the largest weight never lies there, and the cut changes nothing: all "
    "works, until the weights come from elsewhere. And a table with as many target words as source words hides a "
    "maximum along the wrong axis: it returns a list of the right length whose entries are all legal, an answer to "
    "another question, namely which target word looks most at each source word.",
    shapes={"weights": "T S", "source_len": "a number"},
    returns="T",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    read=as_whole_numbers,
    kind=list_kind,
    demands=(must_be_a_list,),
)
