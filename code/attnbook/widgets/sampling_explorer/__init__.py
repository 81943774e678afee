"""A figure: temperature, top-k and top-p on real next-word distributions of one of the page's translators."""

from ..kit import Figure, figure_data, number_between

EXAMPLES = [
    (row["sentence"], " ".join(row["prefix"]))
    for row in figure_data("sampling_explorer")["examples"]
]
MOST = 1000  # the largest k


class SamplingExplorerFigure(Figure):
    """What is left of a distribution of next words after temperature, top-k and top-p, in this order.

    The complete distributions were stored by `tools/experiments/next_words.py`; the browser filters them.

    Args:
        example: the place in `EXAMPLES`, held-out sentences with the prefixes of their translations.
        temperature: what the log-probabilities are divided by, 0.1 to 3.
        top_k: how many of the likeliest words stay, 1 to 1000; 0 for all.
        top_p: the probability that the words kept must reach together, 0.05 to 1; 1 keeps all words.
        draws: how many words have been drawn, 0 to 2000.
        seed: of the random draws, 0 to 9999.

    Raises:
        TypeError, ValueError: a value of the wrong kind or outside its limits; the message names what would fit.

    Source:
        Fan et al. (2018), arXiv:1805.04833, top-k; Holtzman et al. (2020), arXiv:1904.09751, top-p.
    """

    module = "sampling_explorer"
    alt = """The likeliest next words of a translation as bars: an outline for the model's probability, filled for the
        probability after temperature, top-k and top-p, and hatched grey where a word was cut off. Beside the bars, the
        running sum of the probabilities, a line that rises to one, and the threshold of top-p, where the cut is made.
        The last row gathers all other words of the vocabulary."""

    example = number_between(
        0, 0, len(EXAMPLES) - 1, "which distribution is shown", whole=True
    )
    temperature = number_between(1.0, 0.1, 3, "the temperature")
    top_k = number_between(0, 0, MOST, "how many words stay, 0 for all", whole=True)
    top_p = number_between(
        0.8, 0.05, 1, "the probability that the words kept must reach, 1 for all words"
    )
    draws = number_between(0, 0, 2000, "how many words were drawn", whole=True)
    seed = number_between(0, 0, 9999, "the seed of the random draws", whole=True)
