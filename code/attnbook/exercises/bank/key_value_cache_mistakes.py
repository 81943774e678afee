"""Exercise key-value-cache: the mistakes that the checker knows by name."""

from __future__ import annotations

import math

import torch

from ..legacy import Mistake, slip
from .key_value_cache_parts import (
    behind,
    pipeline,
    places,
    solution,
    two_new,
    two_sentences,
)


def _from_zero(t, T):
    return torch.arange(T)


def _one_further(t, T):
    return torch.arange(t, t + T) + 1


def _one_behind(t, T):
    return torch.arange(T) + max(t - 1, 0)


def _all_at_the_first(t, T):
    return torch.full((T,), t)


def _not_turned(rotate, x, places):
    return x


def _turned(rotate, x, places):
    return rotate(x, places)


def _turned_again(keys, rotate):
    return rotate(keys, torch.arange(keys.shape[2]))


def _cached_turned_again(q, k, v, past_keys, past_values, rotate):
    keys = torch.cat([past_keys, k], dim=2)
    keys = rotate(keys, torch.arange(keys.shape[2]))
    t, T = past_keys.shape[2], k.shape[2]
    values = behind(past_values, v)
    scores = rotate(q, places(t, T)) @ keys.mT / math.sqrt(q.shape[-1])
    sees = torch.arange(t + T) <= places(t, T)[:, None]
    return scores.masked_fill(~sees, -torch.inf).softmax(-1) @ values, keys, values


def _in_front(past, new):
    return torch.cat([new, past], dim=2)


def _first_of_the_batch(past, new):
    return behind(past[:1].expand_as(past), new)


def _heads_axis(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], k.shape[2]
    return q, torch.cat([past_keys, rotate(k, places(t, T))], dim=1), v


def _square_mask(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], k.shape[2]
    keys, values = behind(past_keys, rotate(k, places(t, T))), behind(past_values, v)
    scores = rotate(q, places(t, T)) @ keys.mT / math.sqrt(q.shape[-1])
    weights = scores.masked_fill(torch.ones(T, T).tril() == 0, -torch.inf).softmax(-1)
    return weights @ values, keys, values


def _only_the_new(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], k.shape[2]
    output, *_ = solution(q, k, v, past_keys[:, :, :0], past_values[:, :, :0], rotate)
    return output, behind(past_keys, rotate(k, places(t, T))), behind(past_values, v)


def _written_into(q, k, v, past_keys, past_values, rotate):
    q /= math.sqrt(q.shape[-1])
    return pipeline(q, k, v, past_keys, past_values, rotate, scale=lambda e, q, keys: e)


GIVEN = (
    "Two words are cached, so the new one stands at position 2; `rotate` makes a quarter turn for each position. Its "
    "query (2, 0) should become (−2, 0), its key (1, 0) should become (−1, 0); the cached keys (1, 0) "
    "and (0, 2) stay as "
    "they are. "
)
TWO = "One word is cached, and two are new, at positions 1 and 2; `rotate` makes a quarter turn for each position. "

WRONG = (
    Mistake(
        "position-zero",
        slip(pipeline, where_q=_from_zero, where_k=_from_zero),
        "where the new words stand",
        GIVEN
        + "In yours both stay as they are: the new word believes to stand at position 0, at every call. Its "
        "distance to itself is right, and to all others wrong.",
        "the positions of the new words are counted from 0 at every call",
        "How many words stand before the first new one, and which tensor knows?",
    ),
    Mistake(
        "query-at-zero",
        slip(pipeline, where_q=_from_zero),
        "where the query stands",
        GIVEN
        + "Your keys are right. But the query stays (2, 0), as if it stood at position 0.",
        "the queries' positions are counted from 0",
        "Do a new word's query and key stand at the same place?",
    ),
    Mistake(
        "key-at-zero",
        slip(pipeline, where_k=_from_zero),
        "where the key stands",
        GIVEN
        + "Your query is right. But the new key stays (1, 0), as if it stood at position 0, and so it goes into the "
        "cache.",
        "the new keys' positions are counted from 0",
        "Do a new word's query and key stand at the same place?",
    ),
    Mistake(
        "one-place-too-far",
        slip(pipeline, where_q=_one_further, where_k=_one_further),
        "off by one",
        GIVEN
        + "Yours are turned by three quarters: the new word stands at position 3. Positions count from 0: behind "
        "two words comes number 2.",
        "the new words stand one place too far",
        "If the cache is empty, at which position should the first word stand?",
    ),
    Mistake(
        "one-place-behind",
        slip(pipeline, where_q=_one_behind, where_k=_one_behind),
        "off by one",
        GIVEN
        + "Yours are turned by one quarter: the new word stands at position 1, where the last cached word stands "
        "already.",
        "the new words stand one place too far to the front",
        "Which positions do two cached words have?",
    ),
    Mistake(
        "all-at-one-place",
        slip(pipeline, where_q=_all_at_the_first, where_k=_all_at_the_first),
        "several new words",
        TWO + "In yours both stand at position 1. For a single new word you are right.",
        "all new words get the position of the first",
        "At which positions do T new words stand behind t others?",
        example=two_new,
    ),
    Mistake(
        "cached-keys-turned-again",
        _cached_turned_again,
        "turned twice",
        GIVEN
        + "You turn the *whole* cache: the key (0, 2), which has been turned to position 1 already, becomes "
        "(−2, 0). With every call it is turned once more.",
        "the cached keys are turned again together with the new one",
        "Which of the keys have been turned before they came into the cache?",
    ),
    Mistake(
        "turned-again-when-asked",
        slip(pipeline, attended=_turned_again),
        "turned twice",
        GIVEN
        + "Your cache is right. But for the scores all keys are turned, those in the cache a second time: (0, 2), "
        "which has been turned to position 1 already, becomes (−2, 0).",
        "keys that have been turned are turned again before they are compared",
        "Which of the keys are not turned yet when they are compared with the query?",
    ),
    Mistake(
        "not-turned",
        slip(pipeline, turn_q=_not_turned, turn_k=_not_turned),
        "no positions",
        GIVEN + "You turn neither: the new word has no position.",
        "`rotate` is not called",
        "How does the new word know how far away the cached ones are?",
    ),
    Mistake(
        "query-not-turned",
        slip(pipeline, turn_q=_not_turned),
        "half of it",
        TWO
        + "Your keys are right. But the queries (2, 0) and (1, 1), which should become (0, 2) and (−1, −1), are not "
        "turned. A score depends on the distance only if *both* are.",
        "the queries are not turned",
        "What should the score of a word with itself depend on, apart from its query and key?",
        example=two_new,
    ),
    Mistake(
        "key-not-turned",
        slip(pipeline, turn_k=_not_turned),
        "half of it",
        TWO
        + "Your queries are right. But the keys (1, 0) and (0, 2), which should become (0, 1) and (0, −2), are not "
        "turned, neither for the scores nor for the cache.",
        "the new keys are not turned",
        "What does the statement say about the keys that are in the cache?",
        example=two_new,
    ),
    Mistake(
        "values-turned",
        slip(pipeline, turn_v=_turned),
        "who is turned?",
        GIVEN
        + "You turn the value as well: (2, 2) becomes (−2, −2). Positions are for comparing; what is handed on stays "
        "as it is.",
        "the new values are turned, too",
        "Which of query, key and value enter a score?",
    ),
    Mistake(
        "raw-keys-kept",
        slip(
            pipeline,
            give=lambda o, keys, values, rest: (o, behind(rest[2], rest[0]), values),
        ),
        "what goes into the cache",
        GIVEN
        + "Your output is right. But the cache that you return holds the new key as it came, (1, 0); the next call "
        "takes it for turned.",
        "the new keys are returned without having been turned",
        "In which form does the next call expect the keys?",
    ),
    Mistake(
        "cache-not-longer",
        slip(pipeline, give=lambda o, keys, values, rest: (o, rest[2], rest[3])),
        "what goes into the cache",
        GIVEN
        + "Your output is right. But you return the old cache, with two words: the next call will not know that "
        "there was a third.",
        "the cache comes back without the new words",
        "How many keys should come back, if t went in and T were new?",
    ),
    Mistake(
        "values-not-kept",
        slip(pipeline, give=lambda o, keys, values, rest: (o, keys, rest[1])),
        "what goes into the cache",
        GIVEN
        + "Output and keys are right. But as values you return the new one alone: three keys, one value.",
        "the cache of values does not grow",
        "To each key belongs a value. How many of each should come back?",
    ),
    Mistake(
        "only-the-new-returned",
        slip(
            pipeline,
            give=lambda o, keys, values, rest: (
                o,
                keys[:, :, rest[2].shape[2] :],
                rest[1],
            ),
        ),
        "what goes into the cache",
        GIVEN
        + "Your output is right. But you return the new key and value alone; the words before them are lost to the "
        "next call.",
        "only the new keys and values come back",
        "How many keys should come back, if t went in and T were new?",
    ),
    Mistake(
        "new-in-front",
        slip(pipeline, join_keys=_in_front, join_values=_in_front),
        "in front or behind?",
        GIVEN
        + "You put the new word in *front* of the cached ones. For the output of a single word the order does not "
        "matter, but the mask and the next call count on it.",
        "the new keys and values are put in front of the cached ones",
        "Which of two tensors comes first in `torch.cat`?",
    ),
    Mistake(
        "keys-behind-values-in-front",
        slip(pipeline, join_values=_in_front),
        "key and value belong together",
        GIVEN
        + "Your keys stand behind the cached ones and your values in front of them: key number i no longer belongs "
        "to value number i.",
        "keys and values are appended at different ends",
        "Which value belongs to the key of the newest word, and where does it stand?",
    ),
    Mistake(
        "ignores-the-cache",
        _only_the_new,
        "the others are there, too",
        GIVEN
        + "The cache that you return is right, but the new word attends to itself alone: its output is its own "
        "value, (2, 2).",
        "the new words attend to each other only",
        "How many columns should the scores of one new word have?",
    ),
    Mistake(
        "without-itself",
        slip(
            pipeline,
            sees=lambda t, T: torch.arange(t + T) < torch.arange(t, t + T)[:, None],
        ),
        "off by one",
        GIVEN
        + "The new word does not attend to itself. (In the first call, with an empty cache, nothing would be left, "
        "and the softmax of nothing is NaN.)",
        "each word attends only to those *before* itself",
        "May word 2 see the column 2?",
    ),
    Mistake(
        "no-mask",
        slip(pipeline, sees=lambda t, T: torch.ones(T, t + T, dtype=torch.bool)),
        "looking ahead",
        TWO
        + "In yours the first of them attends to the second, which comes after it. For a single new word no mask is "
        "needed, and you are right.",
        "new words attend to later ones",
        "Which of the new words may see which, when several come at once?",
        example=two_new,
    ),
    Mistake(
        "mask-from-the-first-column",
        slip(
            pipeline, sees=lambda t, T: torch.arange(t + T) <= torch.arange(T)[:, None]
        ),
        "a mask without the cache",
        TWO
        + "In yours the first new word sees column 0 only, the second columns 0 and 1: the mask's triangle begins at "
        "the first column, as if nothing were cached. It should begin behind the t cached words.",
        "the causal mask does not count the cached words",
        "Which columns may the first new word see, if t others stand before it? What does `diagonal` do in `tril`?",
        example=two_new,
    ),
    Mistake(
        "mask-of-the-new-words",
        _square_mask,
        "a mask without the cache",
        "With {given} {line} raises {error}. The scores are (T, t + T), and a mask of (T, T) knows "
        "nothing of the t cached "
        "words.",
        "the causal mask is square",
        "How many columns have the scores, and how many your mask?",
        example=two_new,
        line=r"mask|where|fill|tril|triu|\+",
    ),
    Mistake(
        "joined-along-the-heads",
        _heads_axis,
        "the axis",
        "With {given} {line} raises {error}. `dim=1` is the axis of the heads. The words stand along axis 2, and only "
        "there may two tensors that are joined differ.",
        "the cache is appended along another axis than that of the words",
        "In (B, H, T, Dh), which number has the axis of the words?",
        line=r"cat|concat",
    ),
    Mistake(
        "not-scaled",
        slip(pipeline, scale=lambda e, q, keys: e),
        "the scale",
        GIVEN + "Your cache is right. But the scores are not divided by √2 = 1.414.",
        "the scores are not divided by √Dh",
        "What does the statement divide the scores by?",
    ),
    Mistake(
        "scaled-by-the-length",
        slip(pipeline, scale=lambda e, q, keys: e / math.sqrt(keys.shape[2])),
        "the scale",
        GIVEN
        + "Your cache is right. But you divide the scores by √3 = 1.732, the number of keys; it is the number of "
        "features, 2, that matters.",
        "the scores are divided by the root of the number of keys",
        "What does the statement divide the scores by, and does that change from call to call?",
    ),
    Mistake(
        "divided-by-the-features",
        slip(pipeline, scale=lambda e, q, keys: e / q.shape[-1]),
        "the scale",
        GIVEN
        + "Your cache is right. But you divide the scores by 2, the number of features, and not by its root.",
        "the scores are divided by Dh instead of √Dh",
        "What stands under the scores in the statement?",
    ),
    Mistake(
        "softmax-over-queries",
        slip(pipeline, normalise=lambda e: e.softmax(-2)),
        "the axis",
        GIVEN
        + "The cache is right. Your softmax runs over the new words: with a single one every weight is 1, and the "
        "output is the sum of all values, (3, 3).",
        "the softmax runs over the queries (dim=2)",
        "Each query spends a budget of 1 on the keys. Which axis of (B, H, T, t + T) counts the keys?",
    ),
    Mistake(
        "first-of-the-batch",
        slip(pipeline, join_keys=_first_of_the_batch, join_values=_first_of_the_batch),
        "whose cache?",
        "With two sentences in the batch, the first cached key of the second one is (−1, 1). In yours it is (1, 0), "
        "that of the first sentence.",
        "every sentence gets the first one's cache",
        "Which index or `expand` picks one sentence of the batch?",
        example=two_sentences,
    ),
    Mistake(
        "order-of-results",
        lambda *arguments: tuple(solution(*arguments)[i] for i in (1, 0, 2)),
    ),
    Mistake(
        "values-before-keys",
        slip(pipeline, give=lambda o, keys, values, rest: (o, values, keys)),
        "the order of the results",
        GIVEN
        + "Your output is right. Keys and values come back in the wrong order, and since they have the same shape "
        "nobody will complain: the next call compares queries with values.",
        "values are returned before keys",
        "In which order does the task name the results?",
    ),
    Mistake("one-thing-only", lambda *arguments: solution(*arguments)[0]),
    Mistake("writes-into-argument", _written_into),
    Mistake(
        "gradient-cut",
        lambda q, k, v, past_keys, past_values, rotate: solution(
            q, k, v, past_keys.detach(), past_values, rotate
        ),
    ),
)
