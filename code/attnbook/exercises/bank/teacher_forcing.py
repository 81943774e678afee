"""Exercise teacher-forcing: what goes into a decoder, and what should come out."""

import torch

from ..exercise import Exercise, Mistake
from ..several import Several


def my_shift(target_ids, bos, eos, pad):
    """Prepare targets for teacher forcing: what goes in, and what should come out.

    target_ids: (B, T) integers, words and then padding; bos, eos, pad: integers
    → inputs (B, T + 1) and labels (B, T + 1), integers
    """
    lengths = (target_ids != pad).sum(1, keepdim=True)  # (B, 1)
    edge = torch.full_like(target_ids[:, :1], pad)  # (B, 1)
    words = torch.cat([target_ids, edge], dim=1)  # (B, T + 1), with room for <eos>
    labels = words.scatter(1, lengths, eos)  # right after each last word
    begin = torch.full_like(edge, bos)  # (B, 1)
    inputs = torch.cat([begin, labels[:, :-1]], dim=1)
    return inputs, labels


def example() -> tuple:
    return torch.tensor([[5, 7], [6, 0]]), 1, 2, 0


def other_signs() -> tuple:
    return torch.tensor([[5, 7], [6, 9]]), 3, 4, 9


def _padded(rows: list[int], T: int, pad: int, seed: int) -> torch.Tensor:
    """Rows of so many words, ids 20 to 39, filled up to T."""
    drawn = torch.Generator().manual_seed(seed)
    words = torch.randint(20, 40, (len(rows), T), generator=drawn)
    return words.masked_fill(torch.arange(T) >= torch.tensor(rows)[:, None], pad)


def probes() -> list[tuple]:
    return [
        (_padded([3, 5, 2], 5, 0, seed=1), 1, 2, 0),
        (_padded([7, 1, 4, 6, 2], 7, 13, seed=2), 11, 12, 13),
        (_padded([2, 5], 7, 17, seed=3), 5, 3, 17),  # no row is full
    ]


def edges() -> list[tuple]:
    return [
        (_padded([1], 1, 0, seed=4), 1, 2, 0),
        (_padded([0, 3], 3, 0, seed=5), 1, 2, 0),
        (_padded([2, 1], 5, 9, seed=6), 7, 8, 9),
    ]


def settle(arguments: tuple, parts: list[torch.Tensor]) -> list[torch.Tensor]:
    """Where nothing is asked, <eos> and <pad> are the same input."""
    ids, _, eos, pad = arguments
    fed, labels = parts
    if fed.shape == (len(ids), ids.shape[1] + 1):
        place, lengths = torch.arange(fed.shape[1]), (ids != pad).sum(1, keepdim=True)
        free = (place > lengths) & ((fed == eos) | (fed == pad))
        usual = torch.where(place == lengths + 1, eos, pad)
        fed = torch.where(free, usual, fed.long()).to(fed)
    return [fed, labels]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T = pick.sizes(1, 1)
    bos, eos, pad = pick.of((1, 2, 0), (31, 32, 30), (30, 1, 2), (2, 0, 31))  # the words lie between
    return pick.rows(B, T, range(10, 20), pad), bos, eos, pad


# edits that are used several times
COUNT, PLACE, END, BEGIN = "target_ids != pad", "1, lengths", ", eos)", "edge, bos"
RESULT = "return inputs, labels"
UNASKED = "torch.arange(labels.shape[1]) > lengths"
FREE = "If the n words are at the positions 0 to n − 1, which position is the first free one?"

# fmt: off
MISTAKES = (
    Mistake("eos-twice", ("target_ids[:, :1], pad)", "target_ids[:, :1], eos)"),
        "every row of labels ends with `eos`, besides the one behind its last word. After that one comes padding.",
        "How many `eos` does a sentence have, and what fills the rest?"),
    Mistake("inputs-one-ahead", ("labels[:, :-1]], dim=1)", "labels[:, 1:]], dim=1)"),
        "the inputs run one word ahead. The first word is missing, and position 1 is fed with its own label.",
        "With the inputs 1 7 2, can the decoder ever see the word 5?"),
    Mistake("bos-for-the-first-word", ("torch.cat([begin, labels[:, :-1]], dim=1)",
            "torch.cat([begin, words[:, 1:]], dim=1)"),
        "`bos` takes the first word's place instead of coming before it. Each input is then its own label.",
        "If the decoder reads word 2, which word should it be asked for?"),
    Mistake("first-padding-looked-for",
        (COUNT + ").sum(1, keepdim=True)", "target_ids == pad).int().argmax(1, keepdim=True)"),
        "the first padding is looked for with `argmax`, which says 0 where there is none. A full row then gets its "
        "`eos` in the place of its first word.", "What does `argmax` return if no entry is 1?",
        also=(((COUNT + ").sum(1, keepdim=True)", "target_ids == pad).int().argmax(1, keepdim=True)"),
               ("labels[:, :-1]], dim=1)", "words[:, :-1]], dim=1)")),)),
    Mistake("not-shifted", (RESULT, "return inputs, inputs"),
        "the labels are not shifted. At each position the model is asked for the word that it is being given.",
        "While the word 5 goes in, which word of the first sentence should come out?"),
    Mistake("inputs-not-shifted", (RESULT, "return labels, labels"),
        "the inputs are not shifted. Your labels are right, but they are your inputs as well; <bos> never goes in.",
        "Before the first word is written, what is there for the decoder to read?"),
    Mistake("shifted-the-other-way", (RESULT, "return labels, inputs"),
        "inputs and labels are exchanged (or shifted the wrong way). While 7 goes in, 5 is asked for.",
        "Which of the two begins with <bos>: what the decoder reads, or what it writes?"),
    Mistake("bos-among-the-labels", (RESULT, f"return labels, inputs.masked_fill({UNASKED}, pad)"),
        "what goes in has <eos>, and the labels have <bos>. It is the other way round.",
        "Which of the two begins with <bos>: what the decoder reads, or what it writes?"),
    Mistake("eos-behind-the-padding", (PLACE, "1, torch.full_like(lengths, target_ids.shape[1])"),
        "<eos> is put at the end of the padded row. The model would learn to write <pad> after 6.",
        "At which position of its row does a sentence of one word end?"),
    Mistake("eos-missing", (END, ", pad)"),
        "<eos> is left out of the labels. A model that is never asked for <eos> never learns to stop.",
        "When the last word has gone in, what should the decoder say?"),
    Mistake("last-word-overwritten", (PLACE, "1, (lengths - 1).clamp(min=0)"),
        "<eos> replaces the last word instead of following it", FREE),
    Mistake("eos-one-late", (PLACE, "1, (lengths + 1).clamp(max=target_ids.shape[1])"),
        "<eos> is one position too far to the right", FREE),
    Mistake("padding-becomes-eos", (RESULT, f"return inputs, labels.masked_fill({UNASKED}, eos)"),
        "all padding among the labels is replaced by <eos>. The loss leaves out only <pad>.",
        "How many <eos> does a sentence have, and what should follow it?"),
    Mistake("ignore-index", (RESULT, f"return inputs, labels.masked_fill({UNASKED}, -100)"),
        "the padding among the labels is replaced by −100. −100 is what `F.cross_entropy` leaves out by default; "
        "here the loss is told `ignore_index=PAD`, and the task asks for `pad`.",
        "Which id follows the sentences in the task, and which loss reads it?"),
    Mistake("bos-missing", (BEGIN, "edge, pad"),
        "the free position at the beginning is filled with padding",
        "What will the decoder be given when it writes its first word?"),
    Mistake("begins-with-eos", (BEGIN, "edge, eos"),
        "<eos> is used at the beginning, too. Some models are trained that way; the task asks for <bos>.",
        "Which of the two signs begins a sentence?"),
    Mistake("ends-with-bos", (END, ", bos)"),
        "<bos> is used at the end, too. The sign for the end is <eos>.", "Which of the two signs ends a sentence?"),
    Mistake("wrapped-around", (RESULT, "return inputs, inputs.roll(-1, 1)"),
        "the labels are rolled, so that <bos> comes back at the end",
        "What should be at the end of the labels, and can a roll know it?"),
    Mistake("first-word-never-asked", (RESULT, "return labels[:, :-1], labels[:, 1:]"),
        "<bos> is left out, and the first word is never asked for",
        "What goes in while the first word should come out?"),
    Mistake("last-word-never-fed", ((END, ", pad)"), (RESULT, "return inputs[:, :-1], labels[:, :-1]")),
        "the target itself is taken as the labels, without room for <eos>",
        "A sentence of two words: how many times must the decoder answer until it has said <eos>?"),
    Mistake("padding-is-zero", (COUNT, "target_ids != 0"),
        "padding is taken to be 0, whatever `pad` is. Here 9 is the padding, and your function takes it for a word.",
        "Where does your code compare with a number that it should take from its arguments?", other_signs),
    Mistake("signs-written-in", ((BEGIN, "edge, 1"), (END, ", 2)")),
        "1 and 2 are written into the code, whatever `bos` and `eos` are", "Which arguments does your code not use?",
        other_signs),
)


EXERCISE = Exercise(
    name="teacher-forcing", title="The target, twice", chapter=10, solution=my_shift,
    shapes={"target_ids": "B T", "bos": "a number", "eos": "a number", "pad": "a number"}, returns="2B T+1",
    answer=Several(("inputs", "labels"), ("B T+1", "B T+1"), dim=0, settle=settle), example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, seen="{seen}(First all inputs, then all labels.) ",
    steps={"lengths": "the numbers of words", "labels": "the labels", "inputs": "the inputs"},
    space=space, views=True,
    hints=(
        "Write both rows of the example on paper, the inputs above, the labels below. Each label is the input of the "
        "next column. What is in the first column, and what is below the last word?",
        "A full row needs one more position, so first append a column of padding to the words. Then <eos> belongs at "
        "position n of each row, where n is its number of words, which differs from row to row. The inputs are the "
        "labels, moved one position to the right, after a column of <bos>.",
        "`x.scatter(1, index, value)` writes one value into each row, at the position that `index`, (B, 1), says; "
        "`torch.where` with an `arange` does it as well. `torch.cat(..., dim=1)` puts columns side by side, and "
        "`torch.full_like` makes them with the right dtype. Which index says where each sentence ends?",
    ),
    why="If <eos> is put after the last column, every full row is right, and a batch of sentences of one length "
        "gives the same numbers. In a padded batch the short sentences are then asked for <pad> after their last word; "
        "since the loss leaves <pad> out, they learn nothing there at all, and the model writes on and on. Labels that "
        "are not shifted look even better: the loss falls to zero within a few steps, because the answer is among the "
        "inputs.",
)
