"""Exercise key-value-cache: go on where the last call stopped, at the right position."""

import math

import torch

from ..arguments import Described, draw, exact
from ..exercise import Exercise, Mistake
from ..several import Several


def my_cached_attention(q, k, v, past_keys, past_values, rotate):
    """Attend from T new words to the t cached ones and to each other, and return the longer cache.

    q, k, v: (B, H, T, Dh), past_keys (rotated already), past_values: (B, H, t, Dh),
    rotate: function (x, positions) → x rotated → ((B, H, T, Dh), (B, H, t+T, Dh), (B, H, t+T, Dh))
    """
    t, T = past_keys.shape[2], k.shape[2]
    new = torch.arange(t, t + T, device=k.device)  # (T,), the new words' positions
    queries = rotate(q, new)
    rotated = rotate(k, new)
    keys = torch.cat([past_keys, rotated], dim=2)  # (B, H, t + T, Dh)
    values = torch.cat([past_values, v], dim=2)
    root = q.shape[-1] ** 0.5
    scores = queries @ keys.transpose(2, 3) / root  # (B, H, T, t + T)
    column = torch.arange(t + T, device=k.device)
    sees = column <= new[:, None]  # (T, t + T)
    masked = scores.masked_fill(~sees, -torch.inf)
    weights = masked.softmax(dim=-1)
    output = weights @ values
    return output, keys, values


def _turning(described: str, base: float, factor: float = 1.0) -> Described:
    """Turn pair i of the features by factor · position · (π/2 if base is 0, else base to the power −i/pairs)."""

    def rotate(x, positions):
        rows = x.shape[-2]
        if not isinstance(positions, torch.Tensor) or positions.shape != (rows,):
            came = f"of shape {tuple(positions.shape)}" if isinstance(positions, torch.Tensor) else repr(positions)
            raise ValueError(f"rotate(x, positions) wants a tensor of shape ({rows},); positions is {came}")
        pair = torch.arange(x.shape[-1] // 2, dtype=x.dtype, device=x.device)
        speed = base ** (-pair / len(pair)) if base else 0 * pair + math.pi / 2
        angle = factor * positions.to(x)[:, None] * speed
        # a quarter turn's cosine and sine are made exact
        cos, sin = (c.where(c.abs() > 1e-9, 0.0) for c in (angle.cos(), angle.sin()))
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)

    return Described(described, rotate, lambda: _turning(f"1.3·({described})", base, 1.3 * factor))


QUARTERS = _turning("a quarter turn for each position", 0.0)
ROTARY = _turning("rotary positions", 100.0)


# fmt: off
def example() -> tuple:
    """One new word at position 2; two quarter turns take (1, 0) to (−1, 0)."""
    return (exact([[[2, 0]]]), exact([[[1, 0]]]), exact([[[2, 2]]]),
            exact([[[1, 0], [0, 2]]]), exact([[[1, 0], [0, 1]]]), QUARTERS)


def two_new() -> tuple:
    """Two new words at positions 1 and 2."""
    return (exact([[[2, 0], [1, 1]]]), exact([[[1, 0], [0, 2]]]), exact([[[2, 2], [0, 4]]]),
            exact([[[1, 0]]]), exact([[[1, 0]]]), QUARTERS)


def low() -> tuple:
    """The first new word has the scores −1414 and −1414; the second new word is hidden from it."""
    return exact([[[-2000, 0], [1, 1]]]), *two_new()[1:3], exact([[[0, 1]]]), exact([[[1, 0]]]), QUARTERS


def low_second() -> tuple:
    """All scores of the second new word lie below −2000, those of the first around 0."""
    return exact([[[1, 1], [0, 3000]]]), exact([[[1, 0], [0, -2]]]), *low()[2:]
# fmt: on


def loud_and_quiet() -> tuple:
    """The scores of the first sentence lie in the thousands, those of the second do not."""
    *tensors, turn = two_new()
    q, *others = (torch.cat([x, x]) for x in tensors)
    return q * exact([[[3000]]], [[[1]]]), *others, turn


def two_sentences() -> tuple:
    """The example, and behind it a sentence with another past."""
    *tensors, turn = example()
    return *(torch.cat([x, -2 * x + 1]) for x in tensors), turn


def _call(batch: int, heads: int, new: int, cached: int, size: int, seed: int) -> tuple:
    rows = new, new, new, cached, cached
    return *(draw(batch, heads, n, size, seed=seed + i) for i, n in enumerate(rows)), ROTARY  # fmt: skip


def probes() -> list[tuple]:
    sizes = (2, 3, 1, 5, 4), (3, 2, 5, 7, 4), (5, 1, 3, 2, 6), (1, 3, 2, 7, 8)
    return [_call(*size, 1461 + 6 * i) for i, size in enumerate(sizes)]


def edges() -> list[tuple]:
    sizes = (2, 3, 5, 0, 4), (1, 1, 1, 0, 2), (2, 3, 1, 1, 6)
    loud = 1000 * two_new()[0], *two_new()[1:]
    return [*(_call(*size, 1485 + 6 * i) for i, size in enumerate(sizes)), loud, loud_and_quiet(), low(), low_second()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, H, T = pick.sizes(1, 1, 1)
    t, D = pick.of(0, 1, 2, 5), pick.of(4, 6)
    news = pick.numbers(B, H, T, D, loud=300), pick.numbers(B, H, T, D), pick.numbers(B, H, T, D)
    return *news, pick.numbers(B, H, t, D), pick.numbers(B, H, t, D), pick.of(QUARTERS, ROTARY)


# edits that are used several times
Q, K, ROOT, SEES = ("rotate(q, new)", "rotate(k, new)", "q.shape[-1] ** 0.5", "column <= new[:, None]")
KEYS, VALUES = ("torch.cat([past_keys, rotated], dim=2)", "torch.cat([past_values, v], dim=2)")
RETURN, SOFTMAX = "return output, keys, values", "masked.softmax(dim=-1)"


def _places(places: str) -> tuple:
    """Edits that rotate queries and keys to other positions."""
    return (Q, f"rotate(q, {places})"), (K, f"rotate(k, {places})")


GIVEN = "Two words are cached, so the new one is at position 2. "
TWO = "One word is cached, so the new ones are at positions 1 and 2. "

# fmt: off
MISTAKES = (
    Mistake("position-zero", _places("new - t"),
        f"the positions of the new words are counted from 0 at every call. {GIVEN}Only its own distance is right.",
        "How many words come before the first new one, and which tensor knows?"),
    Mistake("query-at-zero", (Q, "rotate(q, new - t)"),
        f"the queries' positions are counted from 0. {GIVEN}The query should become {{queries}}.",
        "Should a new word's query and key have different positions?"),
    Mistake("one-place-too-far", _places("new + 1"),
        f"the new words are one position too far. {GIVEN}Positions count from 0: after two words comes number 2.",
        "If the cache is empty, at which position should the first word be?"),
    Mistake("one-place-behind", _places("new - t + max(t - 1, 0)"),
        f"the new words are one position too early. {GIVEN}Yours is at 1, like the last cached word.",
        "Which positions do two cached words have?"),
    Mistake("one-position-for-all", _places("torch.full_like(new, t)"),
        f"all new words are rotated to the same position. {TWO}For a single new word you are right.",
        "How many positions do T new words have?", two_new),
    Mistake("cached-keys-rotated-again", (KEYS, "rotate(torch.cat([past_keys, k], dim=2), torch.arange(t + T))"),
        "the cached keys are rotated again together with the new one, and so with every further call",
        "Which of the keys were rotated before they came into the cache?"),
    Mistake("not-rotated", ((Q, "q"), (K, "k")), f"`rotate` is not called. {GIVEN}In yours it has no position.",
        "How does the new word know how far away the cached ones are?"),
    Mistake("query-not-rotated", (Q, "q"),
        f"the queries are not rotated. {TWO}The queries should become {{queries}}.",
        "What should the score of a word with itself depend on, apart from its query and key?", two_new),
    Mistake("values-rotated", (VALUES, "torch.cat([past_values, rotate(v, new)], dim=2)"),
        "the new values are rotated, too", "Which of query, key and value enter a score?"),
    Mistake("raw-keys-kept", (RETURN, "return output, torch.cat([past_keys, k], dim=2), values"),
        "the new keys are returned without having been rotated. Your output is right.",
        "In which form does the next call expect the keys?"),
    Mistake("only-the-new-returned", (RETURN, "return output, rotated, v"),
        "only the new keys and values come back. Your output is right.",
        "If t keys go in and T are new, how many should come back?"),
    Mistake("new-in-front",
        ((KEYS, "torch.cat([rotated, past_keys], dim=2)"), (VALUES, "torch.cat([v, past_values], dim=2)")),
        "the new keys and values are put in front of the cached ones. The mask and the next call rely on the order.",
        "Which of two tensors comes first in `torch.cat`?"),
    Mistake("ignores-the-cache", (SEES, "(column <= new[:, None]) & (column >= t)"),
        "the new words attend to each other only. The cache that you return is right.",
        "How many columns should the scores of one new word have?"),
    Mistake("without-itself", (SEES, "column < new[:, None]"),
        "each word attends only to those *before* itself", "May word 2 see column 2?"),
    Mistake("no-mask", (SEES, "column <= new[:, None] + T"),
        f"new words attend to later ones. {TWO}For a single new word you are right.",
        "Which of the new words may see which, when several come at once?", two_new),
    Mistake("one-ahead", (SEES, "column <= new[:, None] + 1"),
        f"each new word sees the one after it, too. {TWO}For a single new word you are right.",
        "With t cached words, in which column does the first new word stand, counted from 0?", two_new),
    Mistake("mask-from-the-first-column", (SEES, "column <= new[:, None] - t"),
        f"the causal mask does not count the cached words. {TWO}Yours begins at the first column.",
        "Which columns may the first new word see, if t words come before it? What does `diagonal` do in `tril`?",
        two_new, also=((SEES, "(column <= new[:, None] - t) | torch.tensor(T == 1)"),)),
    Mistake("mask-of-the-new-words", ("masked_fill(~sees,", "masked_fill(torch.ones(T, T).tril() == 0,"),
        "the causal mask is square. A mask of (T, T) knows nothing of the t cached words.",
        "How many columns do the scores have, and how many does your mask have?", two_new,
        line="mask|where|fill|tril|triu|\\+"),
    Mistake("joined-along-the-heads", (KEYS, "torch.cat([past_keys, rotated], dim=1)"),
        "the cache is appended along another axis than that of the words. `dim=1` is the axis of the heads.",
        "In (B, H, T, Dh), which number does the axis of the words have?", line="cat|concat"),
    Mistake("not-scaled", (ROOT, "1"),
        "the scores are not divided by √Dh. The root is {root}.", "What does the task divide the scores by?"),
    Mistake("divided-by-the-keys", (ROOT, "keys.shape[2] ** 0.5"),
        "the scores are divided by the root of the number of keys. Then they shrink as the text grows; Dh is the "
        "number of features.", "What does the task divide the scores by?"),
    Mistake("divided-by-the-features", (ROOT, "q.shape[-1]"),
        "the scores are divided by Dh instead of √Dh", "What is below the fraction bar of a scaled dot product?"),
    Mistake("softmax-over-queries", (SOFTMAX, "masked.softmax(dim=-2)"),
        "the softmax runs over the queries (dim=2). With a single new word every weight is 1.",
        "Each query spends a budget of 1 on the keys. Which axis of (B, H, T, t + T) counts the keys?"),
    Mistake("exp-overflows", (SOFTMAX, "masked.exp() / masked.exp().sum(-1, keepdim=True)"),
        "the exponentials are taken of the scores as they are. exp(1000) is ∞, and ∞/∞ is NaN; with moderate scores "
        "you are right.", "Which number may be subtracted from all scores of a row without changing its weights?",
        loud_and_quiet),
    Mistake("one-maximum", (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((masked - masked.max()).exp())"),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of a row are 0, and 0/0 is NaN; "
        "where all scores are moderate you are right.", "Whose maximum should be subtracted from the scores of a row?",
        loud_and_quiet,
        also=((SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((masked - masked.amax((2, 3), keepdim=True)).exp())"),
              (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((masked - scores.max()).exp())"))),
    Mistake("rescaled-after-softmax", (SOFTMAX,
            "(lambda w: w / w.sum(-1, keepdim=True))(scores.softmax(dim=-1) * sees)"),
        "later words have their part in the softmax (or in the shift before it), and the weights are rescaled in the "
        "end. With moderate scores you are right; beside a far larger one the others are rounded to 0, and 0/0 is NaN.",
        "What would a score have to be for a later word to take nothing in the first place?", low,
        also=((SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((masked - scores.amax(-1, keepdim=True)).exp())"),)),
    Mistake("filled-too-high", ("~sees, -torch.inf", "~sees, -100.0"),
        "the scores of later words get a number that others can fall below. With moderate scores you are right; where "
        "all others are lower, a later word gets the weight.", "Which number lies below every score?", low,
        also=(("~sees, -torch.inf", "~sees, -1e3"),)),
    Mistake("first-of-the-batch",
        ((KEYS, "torch.cat([past_keys[:1].expand_as(past_keys), rotated], dim=2)"),
        (VALUES, "torch.cat([past_values[:1].expand_as(past_values), v], dim=2)")),
        "every sentence gets the first one's cache", "Which index or `expand` picks one sentence of the batch?",
        two_sentences),
)

EXERCISE = Exercise(
    name="key-value-cache", title="Continue from the cache", chapter=14, solution=my_cached_attention,
    shapes={"q": "B H T Dh", "k": "B H T Dh", "v": "B H T Dh"}
        | {"past_keys": "B H t Dh", "past_values": "B H t Dh", "rotate": "a function"},
    returns="B H T+2(t+T) Dh",
    answer=Several(("output", "keys", "values"), ("B H T Dh", "B H t+T Dh", "B H t+T Dh"), dim=2,
        floats=("q", "k", "v", "past_keys", "past_values")),
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"new": "the positions of the new words", "queries": "the rotated queries", "keys": "all keys",
        "scores": "the scores", "weights": "the weights"},
    space=space,
    hints=(
        "Which positions do the new words have? If the cache holds t of them, the first new one is number t, counted "
        "from 0. Which of the five tensors have to be rotated, and which have been already?",
        "`torch.cat` along the axis of the positions makes the longer cache: rotated keys after rotated keys, values "
        "after values. The scores are then (B, H, T, t + T), and new word i may see the columns up to t + i.",
        "`torch.arange(t, t + T, device=k.device)` serves twice: as the positions for `rotate`, and in the mask, where "
        "it is compared with the numbers of all t + T columns. Which shape must it have for that comparison?",
    ),
    why="A new word that believes it is at position 0 still sees all the others, the shapes fit, and the text goes "
        "on; it only becomes stranger with every word, since the distances are wrong. Turning the cached keys once "
        "more at every step goes unnoticed as long as the cache holds no key beyond position 0. The only sure test is "
        "the one that the chapter makes: the same text once with the cache and once without it.",
)
