"""Which words belong together, asked of the heads of an encoder, as Clark et al. (2019) did."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnbook.data import SYNTAX, ParsedSentence
from attnbook.transformer import BertConfig, BertEncoder


@dataclass(frozen=True)
class Question:
    """One word of a sentence, and the words of which one belongs to it.

    Attributes:
        sentence: its number.
        at: the word that asks.
        answers: which words are right.
    """

    sentence: int
    at: int
    answers: frozenset[int]


def syntax_questions(
    sentences: Sequence[ParsedSentence],
) -> dict[tuple[str, bool], list[Question]]:
    """What can be asked about sentences.

    Args:
        sentences: any.

    Returns:
        For each kind of link and direction the questions: with True the dependent asks for its head, with False the
        head for a dependent, of which there may be several.
    """
    asked: dict = {(kind, up): {} for kind in SYNTAX for up in (True, False)}
    for number, sentence in enumerate(sentences):
        for kind, dependent, head in sentence.links:
            for up, at, answer in ((True, dependent, head), (False, head, dependent)):
                asked[kind, up].setdefault((number, at), set()).add(answer)
    return {
        which: [Question(n, at, frozenset(right)) for (n, at), right in found.items()]
        for which, found in asked.items()
    }


@torch.no_grad()
def most_attended(model: BertEncoder, ids: Tensor) -> Tensor:
    """The other word that gets the largest weight from each word, in each head.

    Args:
        model: in eval mode.
        ids: (B, W + 2), sentences of one length, between [CLS] and [SEP]; these two do not count.

    Returns:
        (B, L · H, W) integers.
    """
    _, weights = model(ids, need_weights=True)
    among = torch.cat(weights or [], 1)[..., 1:-1, 1:-1]  # (B, L · H, W, W)
    itself = torch.eye(among.shape[-1], dtype=torch.bool, device=ids.device)
    return among.masked_fill(itself, -1.0).argmax(-1)


def by_offset(question: Question, offset: int) -> bool:
    """Whether the word at a fixed distance is right.

    Args:
        question: with the word that is asked and the words that are right.
        offset: how many words further on the answer stands; negative: further back.

    Returns:
        True if one of the right words stands there.
    """
    return question.at + offset in question.answers


def by_nearest(question: Question, kinds: str, kind: str, side: int) -> bool:
    """Whether the nearest word of a kind, on one side, is right.

    Args:
        question: what is asked.
        kinds: of the words of its sentence.
        kind: one of them.
        side: −1 for before, 1 for behind.

    Returns:
        False also if there is no such word.
    """
    place = question.at + side
    while 0 <= place < len(kinds) and kinds[place] != kind:
        place += side
    return place in question.answers


def sign_test(more: int, fewer: int) -> float:
    """How likely at least so many gains are if gains and losses are equally likely.

    Args:
        more: gains.
        fewer: losses.

    Returns:
        The probability, one-sided; 1 if there are neither.
    """
    tosses = more + fewer
    return sum(math.comb(tosses, k) for k in range(more, tosses + 1)) / 2**tosses


def holm(chances: Iterable[float], level: float = 0.05) -> list[bool]:
    """Which of many tests remain, if the chance that any of them errs is to stay below a level.

    Args:
        chances: the p-value of each.
        level: of all together.

    Returns:
        Whether each remains, in their order.

    Source:
        Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    chances = list(chances)
    kept = [False] * len(chances)
    order = sorted(range(len(chances)), key=chances.__getitem__)
    for left, place in zip(range(len(order), 0, -1), order, strict=True):
        if chances[place] > level / left:
            break
        kept[place] = True
    return kept


def untrained_bert(config: BertConfig, seed: int) -> BertEncoder:
    """A BERT that has learned nothing, drawn as BERT was before its training.

    Args:
        config: its sizes.
        seed: of the draw.

    Returns:
        The model in eval mode.

    Source:
        Devlin et al.'s code: weights of standard deviation 0.02, biases of 0.
    """
    generator = torch.Generator().manual_seed(seed)
    model = BertEncoder(config).eval()
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, nn.Linear | nn.Embedding):
                part.weight.normal_(0, 0.02, generator=generator)
            if isinstance(part, nn.Linear):
                part.bias.zero_()
    return model
