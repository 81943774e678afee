"""Exercise cover-words: what BERT reads while it learns, and what it is asked for."""

import torch

from ..exercise import Exercise, Mistake
from ..several import Several


def my_cover(ids, special, draw, other, mask):
    """Prepare a batch for the masked objective: what goes in, and what is asked for.

    ids, other: (B, T) integers; special: (B, T) bool; draw: (B, T) from 0 to 1; mask: an integer
    → inputs (B, T) and labels (B, T), integers
    """
    chosen = (draw < 0.15) & ~special  # (B, T): these are asked for
    covered = chosen & (draw < 0.12)
    swapped = chosen & (draw > 0.12) & (draw < 0.135)
    hidden = ids.masked_fill(covered, mask)
    inputs = torch.where(swapped, other, hidden)
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


DRAWS = (0.5, 0.05, 0.13, 0.14, 0.0, 0.11, 0.119, 0.121, 0.134, 0.136, 0.149, 0.151, 0.16, 0.3, 0.79, 0.81, 0.95)


def example() -> tuple:
    ids = torch.tensor([[1, 7, 8, 9, 6, 2]])
    special = torch.tensor([[True, False, False, False, False, True]])
    draw = torch.tensor([[0.05, 0.05, 0.13, 0.14, 0.5, 0.81]], dtype=torch.float64)
    return ids, special, draw, torch.tensor([[5, 5, 4, 5, 4, 5]]), 3


def special_at_a_swap() -> tuple:
    """The last token is special, and its draw lies where others are swapped."""
    ids, special, draw, other, mask = example()
    return ids, special, torch.cat([draw[:, :5], draw[:, 2:3]], dim=1), other, mask


def with_zeros() -> tuple:
    """A word has the id 0, and is not chosen."""
    ids, special, draw, other, mask = example()
    return torch.tensor([[1, 7, 8, 9, 0, 2]]), special, draw, other, mask


def zeros_asked_for() -> tuple:
    """Words with the id 0 are chosen, to be covered and to stay, and one is swapped in."""
    _, special, draw, _, mask = example()
    return torch.tensor([[1, 0, 8, 0, 6, 2]]), special, draw, torch.tensor([[5, 5, 0, 5, 4, 5]]), mask


def _drawn(B: int, T: int, mask: int, seed: int) -> tuple:
    drawn = torch.Generator().manual_seed(seed)
    ids, other = torch.randint(10, 60, (2, B, T), generator=drawn).unbind()
    special = torch.rand(B, T, generator=drawn) < 0.3
    place = torch.randint(len(DRAWS), (B, T), generator=drawn)
    return ids, special, torch.tensor(DRAWS, dtype=torch.float64)[place], other, mask


def probes() -> list[tuple]:
    return [_drawn(5, 11, 4, 2001), _drawn(7, 13, 103, 2002), _drawn(11, 7, 9, 2003)]


def edges() -> list[tuple]:
    ids, special, draw, other, mask = _drawn(3, 5, 4, 2004)
    return [
        (ids, special | True, draw, other, mask),
        (ids, special & False, draw, other, mask),
        with_zeros(),
        zeros_asked_for(),
        special_at_a_swap(),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T = pick.sizes(1, 1)
    mask = pick.of(3, 0, 103)
    ids, other = pick.ids(B, T, among=range(20)), pick.ids(B, T, among=range(20))
    place = pick.ids(B, T, among=range(len(DRAWS)))
    return ids, pick.mask(B, T), torch.tensor(DRAWS, dtype=torch.float64)[place], other, mask


# edits that are used several times
CHOSEN, COVERED = "(draw < 0.15) & ~special", "chosen & (draw < 0.12)"
SWAPPED, INPUTS = "chosen & (draw > 0.12) & (draw < 0.135)", "torch.where(swapped, other, hidden)"
LABELS, RESULT = "ids.masked_fill(~chosen, -100)", "return inputs, labels"
KEPT = "In the example the draw of the fourth token is 0.14. What goes in there, and what is asked for?"
SPECIAL = "What could a model learn from having to guess [CLS], which stands at the beginning of every text?"
ASKED = "Of the six tokens of the example, at which does the loss count?"

# fmt: off
MISTAKES = (
    Mistake("everything-asked", (LABELS, "ids"),
        "every position has a label. Where the word itself goes in, there is nothing to guess.", ASKED),
    Mistake("only-covered-asked", (LABELS, "ids.masked_fill(~covered, -100)"),
        "only covered tokens have a label. Those that are swapped or left are asked for, too; otherwise the model "
        "would know that a word it sees is never in question.", KEPT),
    Mistake("only-changed-asked", (LABELS, "ids.masked_fill(~(covered | swapped), -100)"),
        "chosen tokens that stay as they are have no label. They are asked for like the others.", KEPT),
    Mistake("asked-where-it-differs", (LABELS, "ids.masked_fill(inputs == ids, -100)"),
        "a label stands only where what goes in differs from the text. A chosen token may stay, or be swapped for one "
        "that is the same, and is asked for none the less.", KEPT),
    Mistake("swapped-not-asked", (LABELS, "ids.masked_fill(~chosen | swapped, -100)"),
        "swapped tokens have no label. They are asked for like the others.",
        "In the example the draw of the third token is 0.13. What goes in there, and what is asked for?"),
    Mistake("special-asked", (LABELS, "ids.masked_fill(draw > 0.15, -100)"),
        "special tokens have labels, though they are never chosen", SPECIAL,
        also=((LABELS, "ids.masked_fill(~chosen & ~special, -100)"),)),
    Mistake("chosen-above", (CHOSEN, "(draw > 0.15) & ~special"),
        "the tokens with a draw *above* 0.15 are chosen",
        "How many of 100 draws from 0 to 1 lie below 0.15?"),
    Mistake("special-chosen", (CHOSEN, "draw < 0.15"),
        "special tokens can be chosen as well", SPECIAL),
    Mistake("only-special", (CHOSEN, "(draw < 0.15) & special"),
        "only special tokens are chosen", "For which tokens is `special` True: those to be chosen, or the others?"),
    Mistake("special-covered", (COVERED, "draw < 0.12"),
        "special tokens are covered, though they are not asked for", SPECIAL),
    Mistake("kept-covered", ((COVERED, "chosen"),),
        "all chosen tokens are covered that are not swapped. A tenth of them should go in as they are.", KEPT,
        also=((COVERED, "chosen & ((draw < 0.12) | (draw > 0.135))"),)),
    Mistake("always-covered", ((COVERED, "chosen"), (INPUTS, "hidden")),
        "all chosen tokens are covered. Later, in use, no text contains [MASK]; so BERT leaves some words uncovered.",
        "Into what are the words with draws 0.05, 0.13 and 0.14 turned?"),
    Mistake("covered-then-swapped", (SWAPPED, "chosen & (draw < 0.135)"),
        "covered tokens are swapped afterwards, so that [MASK] is gone again. The two parts do not overlap.",
        "In which of your tables are the tokens with draws below 0.12?"),
    Mistake("shares-of-all", (
        (COVERED, "~special & (draw < 0.8)"), (SWAPPED, "~special & (draw > 0.8) & (draw < 0.9)")),
        "four fifths of *all* tokens are covered. The task covers four fifths of the chosen ones.",
        "What should go in where the draw is 0.5?"),
    Mistake("kept-swapped", (SWAPPED, "chosen & (draw > 0.12)"),
        "all chosen tokens that are not covered are swapped. Half of these should go in as they are.", KEPT),
    Mistake("never-swapped", (INPUTS, "hidden"),
        "no token is swapped for another one", "Which argument does your code not use?"),
    Mistake("covered-and-swapped-exchanged",
        ((COVERED, "chosen & (draw > 0.12) & (draw < 0.135)"), (SWAPPED, "chosen & (draw < 0.12)")),
        "most chosen tokens are swapped, and few are covered. It is the other way round.",
        "What happens to four fifths of the chosen tokens?"),
    Mistake("swapped-and-kept-exchanged", (SWAPPED, "chosen & (draw > 0.135)"),
        "tokens with draws from 0.135 on are swapped, and those below go in as they are. It is the other way round.",
        KEPT),
    Mistake("unchosen-swapped", (SWAPPED, "(draw > 0.12) & (draw < 0.135)"),
        "special tokens are swapped, though they are not asked for", SPECIAL, special_at_a_swap),
    Mistake("labels-of-the-inputs", (LABELS, "inputs.masked_fill(~chosen, -100)"),
        "the labels are taken from what goes in. The model is then asked for [MASK] where it reads [MASK].",
        "What should come out where 7 was covered?"),
    Mistake("labels-inverted", (LABELS, "ids.masked_fill(chosen, -100)"),
        "the labels stand at the tokens that are not chosen", ASKED),
    Mistake("zero-for-unasked", (LABELS, "ids.masked_fill(~chosen, 0)"),
        "the label is 0 where nothing is asked. That is an id like any other; the loss leaves out −100.",
        "How will the loss know where nothing is asked?"),
    Mistake("zero-not-asked", (LABELS, "(ids * chosen).masked_fill(ids * chosen == 0, -100)"),
        "a 0 is taken for \"nothing is asked\". It may be a token like any other; elsewhere you are right.",
        "What does your code do with a chosen token whose id is 0?", zeros_asked_for),
    Mistake("minus-one-for-unasked", (LABELS, "ids.masked_fill(~chosen, -1)"),
        "the label is −1 where nothing is asked. The loss leaves out −100 and no other number.",
        "How will the loss know where nothing is asked?"),
    Mistake("mask-for-unasked", (LABELS, "ids.masked_fill(~chosen, mask)"),
        "the label is `mask` where nothing is asked. That is an id like any other; the loss leaves out −100.",
        "How will the loss know where nothing is asked?"),
    Mistake("next-word", (LABELS, "ids.roll(-1, 1).masked_fill(~chosen, -100)"),
        "the labels are shifted by one, as in a language model. A gap asks for the word that was there.",
        "Which word was covered, and which one follows it?"),
    Mistake("exchanged", (RESULT, "return labels, inputs"),
        "inputs and labels are exchanged", "In which of the two does [MASK] stand?"),
    Mistake("nothing-hidden", (RESULT, "return ids, labels"),
        "the text goes in as it is. Then every answer can be copied.", "What does the model read in place of 7?"),
    Mistake("unchosen-covered", (COVERED, "~chosen"),
        "the tokens that are not chosen are covered", "How many of 100 words should the model not see?"),
    Mistake("others-labels", (LABELS, "torch.where(swapped, other, ids).masked_fill(~chosen, -100)"),
        "where a token is swapped, its replacement is asked for. The model is to find the word that was there.",
        "The word 8 is replaced by 4. Which of the two is right?"),
)

EXERCISE = Exercise(
    name="cover-words", title="Cover, swap or leave", chapter=20, solution=my_cover,
    shapes={"ids": "B T", "special": "B T", "draw": "B T", "other": "B T", "mask": "a number"}, returns="2B T",
    answer=Several(("inputs", "labels"), ("B T", "B T"), dim=0), example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, seen="{seen}(First all inputs, then all labels.) ",
    steps={"chosen": "the chosen tokens", "covered": "the covered ones", "swapped": "the swapped ones"},
    space=space,
    hints=(
        "Take the example's tokens one by one, with their draws beside them. Which are chosen? Into what does each "
        "turn, and which label does it get?",
        "Make three bool tables from the draws: chosen, covered, swapped. The second and third are parts of the first, "
        "and special tokens are in none. A chosen token that is in neither goes in unchanged, and still has a label.",
        "`ids.masked_fill(table, number)` writes a number where a table is True, and `torch.where(table, a, b)` takes "
        "from one of two tensors. The labels come from `ids`, whatever went in.",
    ),
    why="Covering every chosen token is simpler, and the loss falls as well. But then the model has only ever "
        "filled gaps marked [MASK], and no text that it reads later has one. Since it is also asked for some words "
        "that it sees, right ones and wrong ones, it has to form an opinion about every word.",
)
