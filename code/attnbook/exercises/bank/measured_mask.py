"""Exercise measured-mask: which words does a decoder really read?"""

import torch

from ..answers import Mask
from ..arguments import Described, draw
from ..exercise import Exercise, Mistake


def my_measured_mask(score, words):
    """Which words the scores at each position depend on.

    score: function from word numbers (T,) to scores (T, V), words: (T,) integers below V
    → bool (T, T), True where the word of the column moves the scores of the row
    """
    before = score(words)  # (T, V)
    columns = []
    for s in range(len(words)):
        changed = words.clone()
        changed[s] = (words[s] + 1) % before.shape[-1]  # any other word will do
        moved = (score(changed) - before).abs() > 1e-6  # (T, V)
        columns.append(moved.any(dim=-1))  # (T,)
    return torch.stack(columns, dim=-1)


def decoder(described: str, reads, vocabulary: int, seed: int, falling: bool = False) -> Described:
    """A decoder that reads the words as a table says: entry (t, s) is how strongly row t reads word s.

    What the words at even positions do to the scores sums to 0; those at odd positions leave the first and
    the last score alone. If falling, all scores sink as the number of the word grows.
    """
    reads = torch.as_tensor(reads, dtype=torch.float64)
    effect = draw(len(reads), vocabulary, vocabulary, seed=seed)  # (position, its word, V)
    effect[::2] -= effect[::2].mean(-1, keepdim=True)
    effect[1::2, :, [0, -1]] = 0
    if falling:
        effect = -torch.arange(1.0, 1 + vocabulary).double()[:, None].expand_as(effect).clone()

    def score(words):
        if not isinstance(words, torch.Tensor) or words.shape != (len(reads),):
            raise TypeError(f"score wants {len(reads)} word numbers, a tensor of shape ({len(reads)},)")
        if not ((words >= 0) & (words < vocabulary)).all():
            raise IndexError(f"score knows the words 0 to {vocabulary - 1}, got {words.tolist()}")
        position = torch.arange(len(reads), device=words.device)
        return reads.to(words.device) @ effect.to(words.device)[position, words.long()]

    return Described(described, score, lambda: decoder("another decoder", reads.flip(0, 1), vocabulary, seed + 1))


def causal(size: int) -> torch.Tensor:
    return torch.ones(size, size).tril()


def example() -> tuple:
    return decoder("a decoder with a causal mask and 5 words", causal(3), 5, 1351), torch.tensor([2, 0, 4])


def rounded() -> tuple:
    """It reads one word too many, but so weakly that it could be rounding."""
    return decoder("a decoder with a causal mask and rounding", causal(3) + 1e-9, 5, 1352), torch.tensor([2, 0, 4])


def faint() -> tuple:
    return decoder("a decoder that reads its past faintly", 0.01 * causal(3), 5, 1353), torch.tensor([2, 0, 4])


def sinking() -> tuple:
    return decoder("a decoder with a causal mask and sinking scores", causal(3), 5, 1, True), torch.tensor([2, 0, 1])


def probes() -> list[tuple]:
    window = torch.ones(7, 7).tril().triu(-2)
    some = torch.tensor([[1, 0, 0, 1, 0], [0, 1, 0, 0, 0], [1, 1, 0, 0, 1], [0, 0, 0, 1, 0], [1, 0, 0, 1, 1]])
    return [
        (decoder("a decoder that reads three words", window, 4, 1354), torch.tensor([3, 0, 1, 2, 0, 3, 1])),
        (decoder("a decoder that reads here and there", some, 11, 1355), torch.tensor([0, 10, 7, 2, 3])),
        (decoder("a decoder that sees the next word", torch.ones(6, 6).tril(1), 3, 1356),
         torch.tensor([2, 2, 0, 1, 0, 2])),
    ]  # fmt: skip


def edges() -> list[tuple]:
    alone = decoder("a decoder of one word", [[1.0]], 2, 1357), torch.tensor([1])
    return [alone, rounded(), faint(), sinking()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, V = pick.sizes(1, 3)
    reads = pick.mask(T, T).double() * pick.of(1, 0.01)
    return decoder("a decoder", reads, V, 2000 + T), pick.ids(T, among=range(V))


# edits that are used several times
OTHER, CLONE = "(words[s] + 1) % before.shape[-1]", "changed = words.clone()"
MOVED, STACK = "(score(changed) - before).abs() > 1e-6", "torch.stack(columns, dim=-1)"
ANY = "columns.append(moved.any(dim=-1))"
ONE = "Between the two calls that you compare, how many words may differ?"

# fmt: off
MISTAKES = (
    Mistake("mirrored", (OTHER, "before.shape[-1] - 1 - words[s]"),
        "word w is replaced by the word V − 1 − w. The one in the middle is replaced by itself, and nothing moves.",
        "With 5 words, what takes the place of word 2?"),
    Mistake("triangle-assumed", ("moved.any(dim=-1))", "moved.any(dim=-1) & (torch.arange(len(words)) >= s))"),
        "rows before the word are never looked at. That takes the mask to be causal, which is what is to be measured.",
        "What does your table show for a decoder that reads what is to come?", lambda: probes()[-1]),
    Mistake("rows-and-columns", (STACK, "torch.stack(columns, dim=0)"),
        "the table is transposed. Replacing word s tells you about a *column*: which rows it moves.",
        "With a causal mask, which rows does the first word move, and which does the last?"),
    Mistake("not-put-back", (("before = score(words)", "before = score(words)\n    kept = words.clone()"),
                             (CLONE, "changed = kept")),
        "a word that was replaced is not put back before the next one is tried, or is replaced together with it. From "
        "the second round on, several words differ.", ONE),
    Mistake("all-from-there-on", ("changed[s] = (words[s] + 1)", "changed[s:] = (words[s:] + 1)"),
        "each word is replaced together with all that follow it. A row then seems to read each word up to the last "
        "that it reads.", "Which single word has moved the row, if three of them differ?", lambda: probes()[0]),
    Mistake("same-word", (OTHER, "0"),
        "each word is replaced by word 0. Where word 0 already is, nothing changes, and nothing can move.",
        "Which replacement is different from the word that is there, whatever it is?"),
    Mistake("nothing-replaced", (OTHER, "words[s]"),
        "no word is really replaced. Both calls read the same words.",
        "What does `changed` hold when you call `score`? (Did a function return a copy that was not used?)"),
    Mistake("all-scores", ("any(dim=-1)", "all(dim=-1)"),
        "a row counts only if certain scores move: all of them, or the first. Some scores may stay as they are.",
        "How many scores of a row have to move to prove that it read the word?",
        also=((MOVED, "((score(changed) - before).abs() > 1e-6)[:, :1]"),)),
    Mistake("sums-compared", (MOVED, "(score(changed) - before).sum(-1, keepdim=True).abs() > 1e-6"),
        "each row is summed before it is compared. Here one score rises as another falls, and their sum stays.",
        "Which comparison notices a change in a single score?"),
    Mistake("signed", (".abs() > 1e-6", " > 1e-6"),
        "the sign of the difference is kept. A score that falls has moved, too.",
        "Is a negative number larger than the threshold?", sinking),
    Mistake("likeliest-compared", (ANY, "columns.append(score(changed).argmax(-1) != before.argmax(-1))"),
        "only the best-scored word of each row is compared. A score may move without changing which one is best.",
        "What is there to compare besides the argmax?"),
    Mistake("rounding-counts", ("1e-6", "0"),
        "every difference counts, however small. Sums in another order differ by some 1e-9 too.",
        "Which differences does the task tell you to ignore?", rounded),
    Mistake("too-coarse", ("1e-6", "0.1"),
        "the threshold is too high. A word that is read with a small weight moves the scores by a little.",
        "How large must a difference be, according to the task?", faint),
    Mistake("inverted", (ANY, "columns.append(~moved.any(dim=-1))"),
        "True and False are the wrong way round: your True marks the words that are *not* read",
        "What does `torch.allclose` say about a row that has moved?"),
    Mistake("any-position", (ANY, "columns.append(moved.any().expand(len(words)))"),
        "all positions are asked together. If any row moves, you say that all do.",
        "Over which axis of (T, V) may the answer be combined?"),
    Mistake("not-measured", (STACK, "torch.ones(len(words), len(words), dtype=torch.bool).tril()"),
        "a causal mask is returned, whatever the decoder does", "Where does your answer use `score`?",
        lambda: probes()[0]),
    Mistake("own-row-only", (ANY, "columns.append(moved.any(dim=-1) & (torch.arange(len(words)) == s))"),
        "only the row of the word that was replaced is looked at", "Which other rows can word s move?"),
    Mistake("writes-into-argument", (STACK, "(torch.stack(columns, dim=-1), words.zero_())[0]")),
    Mistake("extra-axis", (STACK, "torch.stack(columns, dim=-1)[None]")),
    Mistake("not-bool", (STACK, "torch.stack(columns, dim=-1).double()")),
)

EXERCISE = Exercise(
    name="measured-mask", title="Measure the mask", chapter=13, solution=my_measured_mask,
    shapes={"score": "a function", "words": "T"}, returns="T T", answer=Mask(), example=example,
    probes=probes, edges=edges, mistakes=MISTAKES, steps={"before": "the scores of the words as they are"},
    space=space,
    hints=(
        "Take three words and replace the first. Which rows of the scores can differ under a causal mask? Is the "
        "answer a row or a column of the table?",
        "For each position s: a copy of `words`, another word at s, the scores of the copy. Row t has read word s if "
        "any of its V scores has moved. How do you make sure that the new word is another one?",
        "One round gives (T,) booleans, column s of the table. `torch.stack` can put them side by side: which `dim`?",
    ),
    why="A test that replaces all the later words at once, as the chapter does, tells you that something leaks, but "
        "not what. It is tempting to compare only the likeliest words, since these are what gets written; but a leak "
        "is small before training, and a model learns to use it. And a word that is replaced by itself moves nothing: "
        "such a test passes for every model.",
)
