"""Exercise teacher-forcing: what goes into a decoder, and what should come out."""

from __future__ import annotations

import torch

from ..legacy import Exercise, Mistake, slip
from .teacher_forcing_pairs import as_pair, must_be_whole_ids, pair_kind, which_half


def solution(target_ids, bos, eos, pad):
    """The target twice: begun with <bos>, and one place further on, ended with <eos>."""
    lengths = (target_ids != pad).sum(1, keepdim=True)  # (B, 1): how many words
    edge = torch.full_like(target_ids[:, :1], pad)  # (B, 1)
    labels = torch.cat([target_ids, edge], dim=1)  # (B, T + 1): room for <eos>
    labels = labels.scatter(1, lengths, eos)  # right behind each last word
    inputs = torch.cat([torch.full_like(edge, bos), labels[:, :-1]], dim=1)
    return inputs, labels


def count_words(target_ids, pad):
    return (target_ids != pad).sum(1, keepdim=True)


def pipeline(
    target_ids,
    bos,
    eos,
    pad,
    *,
    count=count_words,
    place=lambda lengths, T: lengths,
    begin=lambda bos, eos, pad: bos,
    end=lambda bos, eos, pad: eos,
    words=lambda target_ids: target_ids,
    feed=lambda framed, pad: framed[:, :-1],
    ask=lambda framed, pad: framed[:, 1:],
    fill=lambda labels, unasked, eos, pad: labels,
    pair=lambda inputs, labels: (inputs, labels),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    T = target_ids.shape[1]
    at = place(count(target_ids, pad), T).clamp(0, T)
    edge = torch.full_like(target_ids[:, :1], pad)
    ended = torch.cat([words(target_ids), edge], dim=1).scatter(
        1, at, end(bos, eos, pad)
    )
    framed = torch.cat(
        [torch.full_like(edge, begin(bos, eos, pad)), ended], dim=1
    )  # (B, T + 2)
    inputs, labels = feed(framed, pad), ask(framed, pad)
    unasked = torch.arange(labels.shape[1]) > count_words(target_ids, pad)
    return pair(inputs, fill(labels, unasked, eos, pad))


def example() -> tuple:
    return torch.tensor([[5, 7], [6, 0]]), 1, 2, 0


def other_signs() -> tuple:
    return torch.tensor([[5, 7], [6, 9]]), 3, 4, 9


def one_sentence() -> tuple:
    return torch.tensor([[5, 7, 6]]), 1, 2, 0


def longer_second() -> tuple:
    return torch.tensor([[6, 0], [5, 7]]), 1, 2, 0


def _padded(rows: list[int], T: int, pad: int, seed: int) -> torch.Tensor:
    """Rows of so many words, ids 20 to 39, filled up to T."""
    words = torch.randint(
        20, 40, (len(rows), T), generator=torch.Generator().manual_seed(seed)
    )
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


def steps(target_ids, bos, eos, pad) -> list[tuple[str, object]]:
    inputs, labels = solution(target_ids, bos, eos, pad)
    return [
        ("the numbers of words", (target_ids != pad).sum(1)),
        ("the labels", labels),
        ("the inputs", inputs),
    ]


WRONG = (
    Mistake(
        "not-shifted",
        slip(pipeline, ask=lambda framed, pad: framed[:, :-1]),
        "nothing to predict",
        "{seen}(First the inputs, then the labels.) Your labels *are* the inputs: each position is asked for "
        "the word that it is just being told. The loss goes to zero, and nothing is learned.",
        "the labels are not shifted",
        "While the word 5 goes in, which word of the first sentence should come out?",
    ),
    Mistake(
        "inputs-not-shifted",
        slip(pipeline, feed=lambda framed, pad: framed[:, 1:]),
        "nothing to predict",
        "{seen}(First the inputs, then the labels.) Your labels are right, and the same goes in: each position "
        "is told the word that it is asked for. <bos> goes in nowhere.",
        "the inputs are not shifted",
        "Before the first word is written, what is there to be read?",
    ),
    Mistake(
        "shifted-the-other-way",
        slip(pipeline, pair=lambda inputs, labels: (labels, inputs)),
        "backwards in time",
        "{seen}(First the inputs, then the labels.) Yours have changed places: while 7 goes in, 5 is asked for, "
        "the word *before* it, which every position can see.",
        "inputs and labels are exchanged (or shifted the wrong way)",
        "Which of the two begins with <bos>: what the decoder reads, or what it writes?",
    ),
    Mistake(
        "eos-behind-the-padding",
        slip(pipeline, place=lambda lengths, T: torch.full_like(lengths, T)),
        "the end of a short sentence",
        "{seen}(First the inputs, then the labels.) The first sentence is right. The second has one word, and its "
        "<eos> comes only behind the padding: the model would learn to write <pad> after 6.",
        "<eos> is put at the end of the padded row",
        "At which place of its row does a sentence of one word end?",
    ),
    Mistake(
        "eos-behind-the-longest",
        slip(pipeline, place=lambda lengths, T: lengths.max().expand_as(lengths)),
        "the end of a short sentence",
        "{seen}(First the inputs, then the labels.) All your sentences end where the longest does, behind two words; "
        "the second one has one word only.",
        "the greatest of the lengths is used for every sentence",
        "Which shape must the lengths have, so that each row gets its own <eos>?",
        example=lambda: (torch.tensor([[5, 7, 0], [6, 0, 0]]), 1, 2, 0),
    ),
    Mistake(
        "eos-of-the-first",
        slip(pipeline, place=lambda lengths, T: lengths[:1].expand_as(lengths)),
        "the end of the others",
        "{seen}(First the inputs, then the labels.) The second sentence gets its <eos> where the first one ends, and "
        "loses a word to it, or stays open.",
        "the length of the first sentence is used for all",
        "Which shape must the lengths have, so that each row gets its own <eos>?",
        example=longer_second,
    ),
    Mistake(
        "eos-missing",
        slip(pipeline, end=lambda bos, eos, pad: pad),
        "no end",
        "{seen}(First the inputs, then the labels.) Nowhere is <eos>, 2, asked for. A model trained so never learns "
        "to stop.",
        "<eos> is left out of the labels",
        "When the last word has gone in, what should the decoder say?",
    ),
    Mistake(
        "last-word-overwritten",
        slip(pipeline, place=lambda lengths, T: lengths - 1),
        "the last word is lost",
        "{seen}(First the inputs, then the labels.) <eos> stands where the last word was: of 5 7 only 5 is left. "
        "Places are counted from 0, so the last of two words stands at place 1.",
        "<eos> replaces the last word instead of following it",
        "With n words at the places 0 to n − 1, which place is the first free one?",
    ),
    Mistake(
        "eos-one-late",
        slip(pipeline, place=lambda lengths, T: lengths + 1),
        "one too late",
        "{seen}(First the inputs, then the labels.) In the second sentence <pad> comes between the last word and "
        "<eos>, so the model would be asked to write it.",
        "<eos> stands one place too far to the right",
        "With n words at the places 0 to n − 1, which place is the first free one?",
    ),
    Mistake(
        "padding-becomes-eos",
        slip(
            pipeline,
            fill=lambda labels, unasked, eos, pad: labels.masked_fill(unasked, eos),
        ),
        "one end is enough",
        "{seen}(First the inputs, then the labels.) Your labels go on with <eos> where the padding is. The loss "
        "leaves out <pad> only, so a short sentence in a long batch would count its end many times.",
        "all padding among the labels is replaced by <eos>",
        "How many <eos> has a sentence, and what should stand behind it?",
    ),
    Mistake(
        "ignore-index",
        slip(
            pipeline,
            fill=lambda labels, unasked, eos, pad: labels.masked_fill(unasked, -100),
        ),
        "another way to leave out",
        "{seen}(First the inputs, then the labels.) −100 is what `F.cross_entropy` leaves out if it is told nothing. "
        "This chapter's loss is told `ignore_index=PAD`, and the task asks for pad there: −100 is no word.",
        "the padding among the labels is replaced by −100",
        "Which id stands behind the sentences in the task, and which loss reads it?",
    ),
    Mistake(
        "bos-missing",
        slip(pipeline, begin=lambda bos, eos, pad: pad),
        "no beginning",
        "{seen}(First the inputs, then the labels.) The inputs are moved by one, but in the place that is set free "
        "stands <pad>. What the decoder reads first is <bos>.",
        "the free place at the beginning is filled with padding",
        "What will the decoder be given when it writes its first word?",
    ),
    Mistake(
        "begins-with-eos",
        slip(pipeline, begin=lambda bos, eos, pad: eos),
        "the other sign",
        "{seen}(First the inputs, then the labels.) Your inputs begin with <eos>. Some models are trained so; asked "
        "for is <bos>.",
        "<eos> is used at the beginning, too",
        "Which of the two signs begins a sentence?",
    ),
    Mistake(
        "ends-with-bos",
        slip(pipeline, end=lambda bos, eos, pad: bos),
        "the other sign",
        "{seen}(First the inputs, then the labels.) Your labels end with <bos>, 1. The sign for the end is <eos>.",
        "<bos> is used at the end, too",
        "Which of the two signs ends a sentence?",
    ),
    Mistake(
        "signs-exchanged",
        slip(pipeline, begin=lambda bos, eos, pad: eos, end=lambda bos, eos, pad: bos),
        "both signs",
        "{seen}(First the inputs, then the labels.) Your sentences begin with <eos> and end with <bos>.",
        "`bos` and `eos` have changed places",
        "Which sign does the decoder read first?",
    ),
    Mistake(
        "two-ahead",
        slip(
            pipeline,
            ask=lambda framed, pad: torch.cat(
                [framed[:, 2:], torch.full_like(framed[:, :1], pad)], 1
            ),
        ),
        "one too far",
        "{seen}(First the inputs, then the labels.) Your labels are two places ahead: while <bos> goes in, the "
        "*second* word is asked for, and the first one never.",
        "the labels are shifted twice",
        "Which word of the first sentence should come out while <bos> goes in?",
    ),
    Mistake(
        "wrapped-around",
        slip(pipeline, ask=lambda framed, pad: framed[:, :-1].roll(-1, 1)),
        "round the corner",
        "{seen}(First the inputs, then the labels.) `roll` brings what falls out on the left back in on the right: "
        "the last label of each row is <bos>.",
        "the labels are rolled, so that <bos> comes back at the end",
        "What should stand at the end of the labels, and does a roll know it?",
    ),
    Mistake(
        "first-word-never-asked",
        slip(
            pipeline,
            feed=lambda framed, pad: framed[:, 1:-1],
            ask=lambda framed, pad: framed[:, 2:],
        ),
        "no beginning",
        "{seen}(First the inputs, then the labels.) Without <bos> your rows are one place short, and nobody asks for "
        "the first word: 5 goes in, but never comes out.",
        "<bos> is left out, and the first word is never asked for",
        "What goes in while the first word is to come out?",
    ),
    Mistake(
        "last-word-never-fed",
        slip(
            pipeline,
            end=lambda bos, eos, pad: pad,
            feed=lambda framed, pad: framed[:, :-2],
            ask=lambda framed, pad: framed[:, 1:-1],
        ),
        "no end",
        "{seen}(First the inputs, then the labels.) Your rows have as many places as words: the last word never goes "
        "in, and <eos> is never asked for. One more place is needed.",
        "the target itself is taken as the labels, without room for <eos>",
        "A sentence of two words: how many times must the decoder answer until it has said <eos>?",
    ),
    Mistake(
        "not-cut",
        slip(
            pipeline,
            feed=lambda framed, pad: framed,
            ask=lambda framed, pad: torch.cat(
                [framed[:, 1:], torch.full_like(framed[:, :1], pad)], 1
            ),
        ),
        "one place too many",
        "{seen}(First the inputs, then the labels.) Your inputs still have their last column, and the labels are "
        "filled up to match: one place at which nothing is asked of anybody.",
        "the last column of the inputs is not cut off",
        "When <eos> goes in, what is left to be asked?",
    ),
    Mistake(
        "backwards",
        slip(pipeline, words=lambda target_ids: target_ids.flip(1)),
        "from back to front",
        "{seen}(First the inputs, then the labels.) The words come in reverse, padding first.",
        "the target is turned round",
        "In the task, in which order are the words to be written?",
        example=lambda: (torch.tensor([[5, 7]]), 1, 2, 0),
    ),
    Mistake(
        "padding-is-zero",
        slip(
            pipeline,
            count=lambda target_ids, pad: (target_ids != 0).sum(1, keepdim=True),
        ),
        "a sign written into the code",
        "{seen}(First the inputs, then the labels.) Here the padding is 9, and your function takes it for words: it "
        "looks for 0.",
        "padding is taken to be 0, whatever `pad` is",
        "Where does your code compare with a number that it should take from its arguments?",
        example=other_signs,
    ),
    Mistake(
        "signs-written-in",
        slip(pipeline, begin=lambda bos, eos, pad: 1, end=lambda bos, eos, pad: 2),
        "signs written into the code",
        "{seen}(First the inputs, then the labels.) Here <bos> is 3 and <eos> is 4, and your function still writes 1 "
        "and 2.",
        "1 and 2 are written into the code",
        "Which arguments does your code not use?",
        example=other_signs,
    ),
    Mistake(
        "all-signs-written-in",
        slip(
            pipeline,
            count=lambda target_ids, pad: (target_ids != 0).sum(1, keepdim=True),
            begin=lambda bos, eos, pad: 1,
            end=lambda bos, eos, pad: 2,
        ),
        "signs written into the code",
        "{seen}(First the inputs, then the labels.) Here <bos> is 3, <eos> is 4 and the padding 9; your function "
        "still goes by 1, 2 and 0.",
        "all three signs are written into the code",
        "Which arguments does your code not use?",
        example=other_signs,
    ),
    Mistake(
        "labels-only",
        lambda target_ids, bos, eos, pad: solution(target_ids, bos, eos, pad)[1],
    ),
    Mistake(
        "inputs-only",
        lambda target_ids, bos, eos, pad: solution(target_ids, bos, eos, pad)[0],
    ),
    Mistake(
        "framed-only",
        lambda target_ids, bos, eos, pad: pipeline(
            target_ids, bos, eos, pad, pair=_framed
        ),
    ),
    Mistake(
        "different-widths",
        lambda target_ids, bos, eos, pad: (
            solution(target_ids, bos, eos, pad)[0],
            target_ids,
        ),
    ),
    Mistake(
        "not-whole",
        lambda target_ids, bos, eos, pad: tuple(
            x.float() for x in solution(target_ids, bos, eos, pad)
        ),
    ),
    Mistake(
        "narrower-ids",
        lambda target_ids, bos, eos, pad: tuple(
            x.int() for x in solution(target_ids, bos, eos, pad)
        ),
    ),
)


def _framed(inputs, labels):
    return torch.cat([inputs[:, :1], labels], dim=1)


TEACHER_FORCING = Exercise(
    name="teacher-forcing",
    title="The target, twice",
    chapter=10,
    function="my_shift",
    statement="""\
Prepare a batch of targets for teacher forcing. You get the words (B, T), rows shorter than T filled up with `pad`,
and without any other sign. Return two tensors (B, T + 1): what goes into the decoder, which begins with `bos`; and
the labels, what should come out, in which each sentence is followed by `eos` and then by `pad`. At each place the
label is the *next* word. With $5\\ 7$ and $6$, and the signs 1, 2 and 0, the inputs are $1\\ 5\\ 7$ and $1\\ 6\\ 2$,
the labels $5\\ 7\\ 2$ and $6\\ 2\\ 0$. Where the label is `pad` the loss asks nothing, so there either `eos` or `pad`
may go in.""",
    stub='''\
def my_shift(target_ids, bos, eos, pad):
    """Prepare targets for teacher forcing: what goes in, and what should come out.

    target_ids: (B, T) integers, words and then padding; bos, eos, pad: integers
    → inputs (B, T + 1) and labels (B, T + 1), integers
    """
    ...
''',
    hints=(
        "Write both rows of the example on paper, one below the other: inputs above, labels beneath. Each "
        "label is the input of the next column. What stands in the first column, and what under the last word?",
        "A full row needs one place more, so put a column of padding behind the words first. Then <eos> belongs at "
        "the place n of each row, n being its number of words; n differs from row to row. The inputs are the labels, "
        "moved one place to the right behind a column of <bos>.",
        "The lengths are `(target_ids != pad).sum(1)`. `x.scatter(1, index, value)` writes one value into each row, "
        "at the place that `index`, (B, 1), says; `torch.where` with an `arange` does it as well. `torch.cat(..., "
        "dim=1)` puts columns side by side, and `torch.full_like` makes them of the right kind.",
    ),
    solution=solution,
    why="If <eos> is put behind the last column, every full row is right, and a batch of sentences of one length gives "
    "the same numbers. In a padded batch the short sentences then learn to be followed by <pad>; as the loss leaves "
    "<pad> out, they learn nothing there at all, and the model writes on and on. Labels that are not shifted look even "
    "better: the loss falls to zero within a few steps, because the answer stands among the inputs.",
    shapes={
        "target_ids": "B T",
        "bos": "a number",
        "eos": "a number",
        "pad": "a number",
    },
    returns="pair B T+1",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    describers=(which_half,),
    demands=(must_be_whole_ids,),
    read=as_pair,
    kind=pair_kind,
)
