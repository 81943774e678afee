"""Exercise bleu: how many of its n-grams would a reference grant?"""

from __future__ import annotations

from ..legacy import Exercise
from .bleu_mistakes import WRONG
from .bleu_steps import edges, example, probes, solution, steps
from .one_number import as_number, number_kind
from .plain_lists import leaves_lists_alone

BLEU = Exercise(
    name="bleu",
    title="BLEU of one sentence",
    chapter=11,
    function="my_bleu",
    statement="""\
Compute BLEU of a single sentence, between 0 and 1: the geometric mean of the n-gram precisions $p_1, \\dots,
p_N$ times the brevity penalty,

$$\\mathrm{BP} \\cdot \\Bigl(\\prod_{n=1}^{N} p_n\\Bigr)^{1/N}, \\qquad \\mathrm{BP} = \\begin{cases} 1 & c \\ge
r \\\\ e^{1 - r/c} & c < r, \\end{cases}$$

with $N$ = `max_n`, $c$ the length of the hypothesis and $r$ the length of the reference that is nearest in
length (of two equally near, the shorter). An n-gram of the hypothesis counts as often as it stands there, but
no more often than in the one reference that has it most often. Nothing is smoothed: if some $p_n$ is 0, or the
hypothesis is too short to have an n-gram, the result is 0.

The sentences are lists of tokens, already split: `my_bleu(["the", "cat"], [["the", "cat", "sat"]], 2)` is $e^{1
- 3/2} = 0.607$.""",
    stub='''\
def my_bleu(hypothesis, references, max_n):
    """BLEU of one sentence against one or more references, not smoothed.

    hypothesis: list of tokens, references: list of lists of tokens, max_n: the longest n-grams that count
    → a number from 0 to 1
    """
    ...
''',
    hints=(
        "Do one n first. A `collections.Counter` of tuples holds how often each n-gram stands in a "
        "sentence; a sentence "
        "of 7 tokens has 6 bigrams. What may each of them count at most?",
        "Counters can be compared entry by entry: `a | b` takes the larger count, `a & b` the smaller one. So the "
        "references are joined with the one, and the hypothesis is clipped with the other; p_n is what is left, "
        "divided by all n-grams of the hypothesis.",
        "If a `Counter` of the hypothesis is empty, return 0. Multiply the p_n, take the root with `** (1 / max_n)`, "
        "and multiply by the penalty. The nearest length: `min(lengths, key=lambda r: (abs(r - c), r))`.",
    ),
    solution=solution,
    why="Without clipping the number looks right for every sensible sentence; it takes a model that has learnt to "
    "write "
    "*the the the* to show what clipping is for, and early in training every model does. And a score that skips the "
    "orders with no match, or adds a little to each count, looks better than an honest 0: short "
    "sentences have no common "
    "4-gram, and the mean over sentences rises. That is another metric; it needs another name.",
    shapes={"hypothesis": "a list", "references": "a list", "max_n": "a number"},
    returns="",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    demands=(leaves_lists_alone,),
    read=as_number,
    kind=number_kind("one number from 0 to 1"),
)
