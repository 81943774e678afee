"""Exercise top-p: the mistakes that the checker knows by name."""

from __future__ import annotations

import torch

from ..legacy import Mistake, slip
from .top_p_steps import pipeline, reached_exactly, shuffled, solution


def _without_the_last(ranked, p):
    return ranked.cumsum(0) <= p


def _at_least_one(ranked, p):
    return _without_the_last(ranked, p) | (torch.arange(len(ranked)) == 0)


def _one_more(ranked, p):
    stays = ranked.cumsum(0) - ranked < p
    return torch.cat([torch.ones(1, dtype=torch.bool), stays[:-1]])


def _gathered(ranked, order, stays):
    return stays[order]


def _indexed_with_order(probs, p):
    ranked, order = probs.sort(descending=True)
    kept = ranked * (ranked.cumsum(0) - ranked < p)
    return (kept / kept.sum())[order]


def _softmax_first(probs, p):
    return solution(probs.softmax(0), p)


def _min_p(probs, p):
    kept = probs * (probs >= p * probs.max())
    return kept / kept.sum()


def _sorted_result(probs, p):
    ranked = probs.sort(descending=True).values
    kept = ranked * (ranked.cumsum(0) - ranked < p)
    return kept / kept.sum()


def _short_result(probs, p):
    kept = solution(probs, p)
    return kept[kept > 0]


WRONG = (
    Mistake(
        "crossing-word-dropped",
        slip(pipeline, keep=_without_the_last),
        "the word that reaches p",
        "{seen}In order the words have 0.5, 0.25, 0.15 and 0.1. 0.5 alone is less than 0.7; with the second word it is "
        "0.75, and that word stays. If the likeliest word has more than p by itself, yours keeps nothing, and 0/0 is "
        "NaN.",
        "a word is dropped if the sum *including* it exceeds p",
        "The sum up to which word decides: with the word in question, or before it?",
    ),
    Mistake(
        "crossing-word-dropped-but-one",
        slip(pipeline, keep=_at_least_one),
        "the word that reaches p",
        "{seen}In order the words have 0.5, 0.25, 0.15 and 0.1. 0.5 alone is less than 0.7; with the second word it is "
        "0.75, and that word stays. Keeping at least one word cures the empty case, but not this.",
        "a word is dropped if the sum *including* it exceeds p, except for the first",
        "Have the words that you keep the probability p together?",
    ),
    Mistake(
        "one-too-many",
        slip(pipeline, keep=_one_more),
        "one word too many",
        "{seen}0.5 + 0.25 = 0.75 is enough for p = 0.7. Yours keeps the third word, 0.15, as well.",
        "the word behind the one that reaches p is kept, too",
        "When two words have p together, why should a third one stay? Is a shift by one place done twice?",
    ),
    Mistake(
        "one-too-many-at-exactly-p",
        slip(pipeline, keep=lambda ranked, p: ranked.cumsum(0) - ranked <= p),
        "exactly p",
        "{seen}0.5 + 0.25 is exactly p = 0.75: with two words p is reached, and the third, 3/16, is one too many. "
        "For all other p you are right.",
        "a word stays also if those before it have exactly p (`<=`)",
        "If the words before have p already, is one more needed?",
        example=reached_exactly,
    ),
    Mistake(
        "not-rescaled",
        slip(pipeline, share=lambda kept, stays, p: kept),
        "the sum",
        "{seen}Yours sum to 0.75. What is left must be a distribution again before one can draw from it.",
        "the probabilities that are kept are not divided by their sum",
        "What do your numbers sum to, and what should they?",
    ),
    Mistake(
        "divided-by-p",
        slip(pipeline, share=lambda kept, stays, p: kept / p),
        "the sum",
        "{seen}You divide by p = 0.7; but the words that are kept have 0.75 together, and so your numbers sum to more "
        "than 1.",
        "what is kept is divided by p",
        "By which number must one divide so that the sum becomes 1?",
    ),
    Mistake(
        "in-sorted-order",
        _sorted_result,
        "whose probability is it?",
        "{seen}Your numbers are right but stand in descending order: the first word of the vocabulary has got the "
        "likeliest word's probability. Draw a 0 from them and the wrong word is written.",
        "the result is returned in sorted order",
        "`sort` returns two things. Which of them knows where each number came from?",
    ),
    Mistake(
        "mask-in-sorted-order",
        slip(pipeline, place=lambda ranked, order, stays: stays),
        "mask and words do not match",
        "{seen}The mask belongs to the sorted probabilities, True for the first two of them; you apply it to the "
        "unsorted ones, and keep whatever stands in the first two places.",
        "a mask that was made in sorted order is applied to `probs` as it is",
        "In which order does your mask stand, and in which the tensor that it is applied to?",
    ),
    Mistake(
        "gathered-not-scattered",
        slip(pipeline, place=_gathered),
        "there and back",
        "{seen}`order[i]` says where the i-th likeliest word *came from*. Indexing the mask with it goes the same way "
        "once more, instead of back.",
        "the mask is indexed with `order` where it should be scattered by it",
        "If the likeliest word came from place 3, at which place of the result should the first True stand?",
        example=shuffled,
    ),
    Mistake(
        "indexed-with-order",
        _indexed_with_order,
        "there and back",
        "{seen}You index the sorted result with `order`. But `order[i]` says where the i-th likeliest "
        "word *came from*, "
        "not where word i has gone.",
        "the sorted result is indexed with `order`, which goes the same way once more",
        "If the likeliest word came from place 3, at which place of the result should the largest number stand?",
        example=shuffled,
    ),
    Mistake(
        "least-likely-first",
        slip(pipeline, rank=lambda q: q.sort()),
        "the other end",
        "{seen}You begin with the least likely word, 0.1, and keep words until they have p. `sort` goes upwards unless "
        "it is told otherwise.",
        "the probabilities are sorted in ascending order",
        "Which word should be the first to be kept?",
    ),
    Mistake(
        "not-sorted",
        lambda probs, p: pipeline(probs, p, rank=lambda q: (q, torch.arange(len(q)))),
        "in the order of the vocabulary",
        "{seen}You add up the probabilities as they come: 0.1, 0.5, 0.15, … The first word stays because it is first, "
        "although it is the least likely.",
        "the probabilities are not sorted before they are added up",
        "In which order must the words stand so that the *fewest* are needed?",
    ),
    Mistake(
        "the-tail",
        slip(pipeline, keep=lambda ranked, p: ranked.cumsum(0) - ranked >= p),
        "the wrong side",
        "{seen}You keep the tail, 0.15 and 0.1, and cut off the likely words.",
        "the mask is the wrong way round",
        "Does True in your mask mean *stays* or *goes*?",
    ),
    Mistake(
        "p-as-a-threshold",
        lambda probs, p: probs * (probs >= p) / (probs * (probs >= p)).sum(),
        "p is no threshold for a word",
        "{seen}No word has the probability 0.7 by itself. p is what the words that are kept should have *together*.",
        "words with a probability below p are cut off, each by itself",
        "Which probabilities have to be added before they are compared with p?",
    ),
    Mistake(
        "one-minus-p-as-a-threshold",
        lambda probs, p: probs * (probs > 1 - p) / (probs * (probs > 1 - p)).sum(),
        "no threshold for a word",
        "{seen}You cut off every word with less than 1 − 0.7 = 0.3 by itself. p is what the words that are kept should "
        "have *together*.",
        "words with a probability below 1 − p are cut off, each by itself",
        "Which probabilities have to be added before they are compared with p?",
    ),
    Mistake(
        "min-p",
        _min_p,
        "another filter",
        "{seen}You keep every word that is at least p times as likely as the likeliest: 0.7·0.5 = 0.35. "
        "That is known as "
        "min-p, with much smaller p. Here p is what the words should have *together*.",
        "p is taken as a share of the largest probability",
        "Which probabilities have to be added before they are compared with p?",
    ),
    Mistake(
        "softmax-first",
        _softmax_first,
        "probabilities or logits?",
        "{seen}You apply a softmax to `probs` first. They are probabilities already, and a softmax of "
        "numbers between 0 "
        "and 1 is nearly even.",
        "`probs` are taken for logits",
        "What do the numbers in `probs` sum to?",
    ),
    Mistake(
        "mask-returned",
        slip(pipeline, share=lambda kept, stays, p: stays.to(kept)),
        "half-way",
        "{seen}You return which words stay, 1 or 0. How likely each of them is has been lost.",
        "the mask is returned instead of probabilities",
        "By what should the mask be multiplied?",
    ),
    Mistake(
        "softmax-of-probabilities",
        slip(
            pipeline,
            share=lambda kept, stays, p: kept.masked_fill(~stays, -torch.inf).softmax(
                0
            ),
        ),
        "one softmax too many",
        "{seen}Two words stay, with 0.5 and 0.25. The likelier should come out twice as likely as the other; a softmax "
        "takes these numbers for logits, and makes them nearly equal.",
        "the probabilities that are kept go through a softmax",
        "They are probabilities already. By what would you divide to make them sum to 1?",
    ),
    Mistake(
        "softmax-with-zeros",
        slip(pipeline, share=lambda kept, stays, p: kept.softmax(0)),
        "zeros that come back",
        "{seen}A softmax of a 0 is not 0: exp(0) = 1. The words that were cut off are back.",
        "the probabilities, zeros included, go through a softmax",
        "They are probabilities already. By what would you divide to make them sum to 1?",
    ),
    Mistake(
        "equal-shares",
        slip(pipeline, share=lambda kept, stays, p: stays.to(kept) / stays.sum()),
        "equal shares",
        "{seen}The right words stay, but each gets the same. 0.5 is twice as much as 0.25 and should remain so.",
        "every word that is kept gets the same probability",
        "Is it the mask that you rescale, or the probabilities?",
    ),
    Mistake(
        "the-likeliest-only",
        lambda probs, p: torch.zeros_like(probs).scatter(0, probs.argmax()[None], 1.0),
        "greedy",
        "{seen}Only the likeliest word is left, whatever p is.",
        "a single word is kept",
        "Has that word the probability p by itself?",
    ),
    Mistake(
        "logarithms",
        slip(pipeline, share=lambda kept, stays, p: (kept / kept.sum()).log()),
        "logarithms",
        "{seen}These are logarithms of the right probabilities, −∞ where nothing is left.",
        "a logarithm is taken at the end (or −∞ is filled in)",
        "Are probabilities asked for, or scores for a softmax?",
    ),
    Mistake("cut-short", lambda probs, p: solution(probs, p)[:1]),
    Mistake(
        "zeros-left-out",
        _short_result,
        "every word keeps its place",
        "{seen}You return the words that are kept and no others. Number 0 of your result is not number 0 of the "
        "vocabulary any more.",
        "the words that were cut off are missing from the result",
        "How long is the vocabulary, and how long is your result?",
    ),
    Mistake("writes-into-argument", lambda probs, p: probs.copy_(solution(probs, p))),
    Mistake("no-gradient", lambda probs, p: solution(probs.detach(), p)),
)
