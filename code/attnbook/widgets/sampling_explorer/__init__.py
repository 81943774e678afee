"""A figure: a translation continued by drawing words, with temperature, top-k and top-p on every distribution."""

from ..kit import ModelFigure, figure_data, listed, number_between, one_of, taking, word

DATA = figure_data("sampling_explorer")
#: by the language into which is translated: held-out sentences, and how their translations begin
EXAMPLES = {
    model["target"]: [(row["sentence"], row["prefix"]) for row in DATA["examples"] if row["target"] == model["target"]]
    for model in DATA["models"]
}
MOST = 1000  # the largest k
LONGEST = 40  # words that can be drawn


class SamplingExplorerFigure(ModelFigure):
    """What is left of a distribution of next words after temperature, top-k and top-p, in this order.

    The first distribution of each example is stored, by `tools/experiments/distributions.py`. When the reader draws a
    word, the browser loads the model itself, which gives the distribution after every word that has been drawn.

    Args:
        target: the language into which is translated, "fr" or "zh"; a Chinese character counts as a word.
        example: the place in `EXAMPLES[target]`, held-out sentences with the prefixes of their translations.
        temperature: what the log-probabilities are divided by, 0.1 to 3.
        top_k: how many of the likeliest words stay, 1 to 1000; 0 for all.
        top_p: the probability that the words kept must reach together, 0.05 to 1; 1 keeps all words.
        written: the words drawn so far, at most 40: the translation goes on after them. `<eos>` ends it.
        cast: how many dice were cast for them, 0 to 2000.
        draws: how many words have been drawn for this one place, to count them, 0 to 2000.
        seed: of the random draws, 0 to 9999.

    Source:
        Fan et al. (2018), arXiv:1805.04833, top-k; Holtzman et al. (2020), arXiv:1904.09751, top-p.
    """

    module = "sampling_explorer"
    shows = "{} · after {} … · top-p 0.8 · the page's Transformer".format(
        EXAMPLES["fr"][0][0], " ".join(EXAMPLES["fr"][0][1])
    )
    alt = """A translation that has begun, and the likeliest words to go on with as bars: an outline for the model's
        probability, filled for the probability after temperature, top-k and top-p, and hatched grey where a word was
        cut off. Beside the bars, the running sum of the probabilities, a line that rises to one, and the threshold of
        top-p, where the cut is made. The last row gathers all other words of the vocabulary. In the live figure a word
        can be drawn from what is left; the bars then show the words that may follow it."""

    target = one_of("fr", [*EXAMPLES], "the language into which is translated")
    example = number_between(0, 0, len(EXAMPLES["fr"]) - 1, "which distribution is shown", whole=True)
    temperature = number_between(1.0, 0.1, 3, "the temperature")
    top_k = number_between(0, 0, MOST, "how many words stay, 0 for all", whole=True)
    top_p = number_between(0.8, 0.05, 1, "the probability that the words kept must reach, 1 for all words")
    written = taking([], listed(word(30), 0, LONGEST), "the words that were drawn so far")
    cast = number_between(0, 0, 2000, "how many dice were cast", whole=True)
    draws = number_between(0, 0, 2000, "how many words were drawn", whole=True)
    seed = number_between(0, 0, 9999, "the seed of the random draws", whole=True)
