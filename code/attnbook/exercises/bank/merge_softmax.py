"""Exercise merge-softmax: two parts of the keys were averaged separately; make one average of them."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake
from ..several import Several


def my_merge(most_a, total_a, mean_a, most_b, total_b, mean_b):
    """Join what two workers found for the same queries, each among its own keys.

    most_a, most_b: (T, 1), the largest score; total_a, total_b: (T, 1), Σ exp(score − most);
    mean_a, mean_b: (T, Dv), the average of the values → (T, 1), (T, 1), (T, Dv) for all keys
    """
    most = torch.maximum(most_a, most_b)  # (T, 1)
    part_a = total_a * torch.exp(most_a - most)  # (T, 1): measured against the common maximum
    part_b = total_b * torch.exp(most_b - most)
    total = part_a + part_b
    mean = (part_a * mean_a + part_b * mean_b) / total  # (T, Dv)
    return most, total, mean


def _worker(scores, value) -> tuple:
    most = scores.amax(-1, keepdim=True)
    exps = (scores - most).exp()
    return most, exps.sum(-1, keepdim=True), exps / exps.sum(-1, keepdim=True) @ value


def example() -> tuple:
    return exact([1]), exact([1.5]), exact([6]), exact([3]), exact([1.25]), exact([10])


def _drawn(t, d, sizes, seed, scale=1.0) -> tuple:
    parts = [(scale * draw(t, n, seed=seed + n), draw(n, d, seed=seed + 20 + n)) for n in sizes]
    return *_worker(*parts[0]), *_worker(*parts[1])


def probes() -> list[tuple]:
    shapes = [(5, 3, (3, 2)), (2, 7, (2, 4)), (7, 2, (1, 3))]
    return [_drawn(*shape, seed=600 + 50 * i) for i, shape in enumerate(shapes)]


def loud() -> tuple:
    return _drawn(3, 5, (4, 2), 760, scale=600.0)


def edges() -> list[tuple]:
    return [loud(), _drawn(1, 2, (2, 3), 800), two_queries(), two_unlike_queries(), far_apart()]


def two_queries() -> tuple:
    """The second query finds its best key where the first one does not."""
    pairs = zip(example(), (*example()[3:], *example()[:3]), strict=True)
    return tuple(torch.cat(pair) for pair in pairs)


def far_apart() -> tuple:
    """The scores of the two workers lie 1000 apart, in one direction and in the other."""
    most = exact([500], [-500]), exact([-500], [500])
    return most[0], *two_queries()[1:3], most[1], *two_queries()[4:]


def two_unlike_queries() -> tuple:
    """The second query has seen larger scores than the first."""
    first = example()
    second = (first[0] + 4, *first[1:3], first[3] + 1, *first[4:])
    return tuple(torch.cat(pair) for pair in zip(first, second, strict=True))


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, of_a, of_b, Dv = pick.sizes(1, 1, 1, 1)
    parts = ((pick.numbers(T, keys, far=900), pick.numbers(keys, Dv)) for keys in (of_a, of_b))
    return tuple(found for scores, value in parts for found in _worker(scores, value))


# edits that are used several times
MOST, A, B = "torch.maximum(most_a, most_b)", "total_a * torch.exp(most_a - most)", "total_b * torch.exp(most_b - most)"
TOTAL, MEAN, RESULT = "part_a + part_b", "(part_a * mean_a + part_b * mean_b) / total", "return most, total, mean"
UNSCALED = (A, "total_a"), (B, "total_b")
COMMON = "exp(score − 1) times which number, the same for all scores, is exp(score − 3)?"

# fmt: off
MISTAKES = (
    Mistake("totals-added-as-they-are", (RESULT, "return most, total_a + total_b, mean"),
        "the two totals are added as they are. They are measured against different maxima.", COMMON),
    Mistake("means-without-totals", (MEAN,
            "(torch.exp(most_a - most) * mean_a + torch.exp(most_b - most) * mean_b) / total"),
        "in the average the parts are weighed without their totals. {seen}An average of many keys counts for more.",
        "Which number says how much a worker's keys count for altogether?"),
    Mistake("measured-against-the-first", ((A, "total_a"), (B, "total_b * torch.exp(most_b - most_a)")),
        "everything is measured against the first maximum. If the second is larger, its total comes out too large.",
        COMMON, two_queries),
    Mistake("maximum-as-a-sum", (MOST, "torch.logaddexp(most_a, most_b)"),
        "the common maximum is a logarithm of a sum of exponentials. The largest of all scores is asked for.",
        "Of the scores 1 and 3, which is the largest?"),
    Mistake("not-rescaled", UNSCALED,
        "the totals are added as they came. Each is measured against its own maximum, and they are not comparable.",
        COMMON, two_queries),
    Mistake("sign", ((A, "total_a * torch.exp(most - most_a)"), (B, "total_b * torch.exp(most - most_b)")),
        "the totals are multiplied by exp(most − own) instead of exp(own − most). The part with the smaller scores "
        "becomes the larger one.", "Should the part whose best score is lower count for more in the end, or for less?"),
    Mistake("only-one-rescaled", (A, "total_a"),
        "only the second total is brought to the common maximum. Either of the two may hold the smaller one.", COMMON,
        two_queries),
    Mistake("other-one-rescaled", (B, "total_b"),
        "only the first total is brought to the common maximum. Either of the two may hold the smaller one.", COMMON,
        two_queries),
    Mistake("minimum", (MOST, "torch.minimum(most_a, most_b)"),
        "the smaller of the two maxima is taken. The average comes out right, but the exponents are now positive, and "
        "with large scores exp overflows.", "Which of the two is the largest of all scores?"),
    Mistake("second-maximum", (MOST, "most_b"),
        "the second maximum is taken for both. Where the first is larger, a's exponents are positive, and with large "
        "scores exp overflows.", "Is the second of two numbers always the larger one?", two_queries),
    Mistake("one-for-all-queries", (MOST, "torch.maximum(most_a, most_b).amax().expand_as(most_a)"),
        "all queries share one maximum. The averages come out right, but the task wants each query's own.",
        "How many different maxima can T queries have?", two_unlike_queries),
    Mistake("maxima-added", (MOST, "most_a + most_b"),
        "the two maxima are added", "What is the largest of the numbers 1 and 3?"),
    Mistake("means-averaged", (MEAN, "(mean_a + mean_b) / 2"),
        "the two averages count the same. One of them may represent nearly all of the weight.",
        "Which of your intermediate numbers says how much weight each part has?"),
    Mistake("means-added", (MEAN, "mean_a + mean_b"),
        "the two averages are added. An average of numbers between 6 and 10 lies between 6 and 10.",
        "What do the weights of the two averages have to sum to?"),
    Mistake("not-divided", (MEAN, "part_a * mean_a + part_b * mean_b"),
        "the joint average is not divided by the total. What you have is a weighted sum.",
        "What do you divide a sum of weighted values by to get their average?"),
    Mistake("measured-from-zero",
        (("total_a * torch.exp(most_a - most)", "total_a * torch.exp(most_a)"),
         ("total_b * torch.exp(most_b - most)", "total_b * torch.exp(most_b)"),
         ("total = part_a + part_b", "total = (part_a + part_b) / torch.exp(most)"),
         ("mean_b) / total", "mean_b) / (part_a + part_b)")),
        "both totals are measured from 0 on the way, by exp(most). With moderate scores you are right; but exp(900) is "
        "∞, and ∞/∞ is NaN.", "From which number can both be measured so that no exponent is above 0?", loud,
        also=((("total_a * torch.exp(most_a - most)", "total_a * torch.exp(most_a)"),
               ("total_b * torch.exp(most_b - most)", "total_b * torch.exp(most_b)"),
               ("total = part_a + part_b", "total = (part_a + part_b) * torch.exp(-most)"),
               ("mean_b) / total", "mean_b) / (part_a + part_b)")),)),
    Mistake("old-totals-as-weights", (MEAN, "(total_a * mean_a + total_b * mean_b) / (total_a + total_b)"),
        "the averages are weighted with the totals as they came. The total that you return is right; use its parts.",
        COMMON),
    Mistake("maxima-as-weights", (MEAN, "torch.lerp(mean_a, mean_b, (most_b - most_a).sigmoid())"),
        "the averages are weighted with the exponentials of the maxima. A part with many keys then counts no more than "
        "one with a single key.", "What does a total say about its part that the maximum does not?"),
    Mistake("exchanged", (MEAN, "(part_b * mean_a + part_a * mean_b) / total"),
        "each average is weighted with the other part's total", "Which of the parts belongs to `mean_a`?"),
    Mistake("divided-before-adding", (MEAN, "mean_a / part_a + mean_b / part_b"),
        "the averages are divided by their parts of the total. They are averages already; to become sums again they "
        "must be multiplied.", "How do you get a sum back from an average?"),
    Mistake("totals-averaged", (TOTAL, "(part_a + part_b) / 2"),
        "the total is halved", "Of how many exponentials is it the sum, if each worker had two keys?"),
    Mistake("larger-total-only", (TOTAL, "torch.maximum(part_a, part_b)"),
        "the larger of the two totals is taken. A total is a sum over all keys.",
        "Which keys have no part in the total that you return?"),
    Mistake("logarithm-of-the-total", (RESULT, "return most, most + total.log(), mean"),
        "log Σ exp(score) is returned in place of the total. That is a sound way to keep both numbers in one, but the "
        "task keeps them apart.", "Which two of your numbers were joined?"),
    Mistake("logarithm-of-all", (RESULT, "return most + total.log(), torch.ones_like(total), mean"),
        "the logarithm of the whole sum is returned for the largest score. The average is right.",
        "What is the largest of the scores that you know of?"),
    Mistake("unsafe", ((MOST, "torch.zeros_like(most_a)"),),
        "the common maximum is 0. With large scores, exp overflows.", "Against what is each total measured?"),
    Mistake("order-of-results", (RESULT, "return mean, total, most")),
    Mistake("gradient-cut", ("* mean_a +", "* mean_a.detach() +")),
)

SHAPES = {"most_a": "T 1", "total_a": "T 1", "mean_a": "T Dv", "most_b": "T 1", "total_b": "T 1", "mean_b": "T Dv"}

EXERCISE = Exercise(
    name="merge-softmax", title="Two halves of a softmax", chapter=15, solution=my_merge, shapes=SHAPES,
    returns="T 1+1+Dv", answer=Several(("most", "total", "mean"), ("T 1", "T 1", "T Dv"), dim=1, floats=tuple(SHAPES)),
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    seen="Maximum, total and average, side by side, are {got} in yours; right is {expected}. ",
    steps={"part_a": "the first total against the common maximum", "part_b": "the second", "total": "the total"},
    space=space,
    hints=(
        "Worker a's largest score is 1, worker b's is 3. If a had known b's scores, what would it have subtracted from "
        "its own before taking exponentials?",
        "exp(score − 3) is exp(score − 1) times one number, the same for all of a's keys. So a's whole total can be "
        "corrected at once; its average needs no correction, only the right weight.",
        "`torch.maximum` compares position by position. After the correction, the parts' totals are the weights with "
        "which their averages are averaged.",
    ),
    why="Adding the totals as they came is right whenever both workers have seen the same maximum, and with small "
        "scores it is nearly right. Weighting the averages equally is right if both parts have the same total. A test "
        "with evenly spread keys notices neither.",
)
