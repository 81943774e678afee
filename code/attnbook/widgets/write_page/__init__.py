"""A figure: the language model that has read this book goes on where the reader's text ends, in the browser."""

from dataclasses import replace

from ..kit import ModelFigure, figure_data, line, listed, number_between, one_of, taking, whole_number, yes_or_no

DATA = figure_data("write_page")
TEXT = replace(line(4000), many="texts of at most 4000 characters on one line")
MOST = 1000  # the largest k
LONGEST = 200  # tokens that can be written
LAST = " ".join((DATA["text"] + "".join(DATA["pieces"])).split()[-12:])  # words: the stored picture is one line wide


class WritePageFigure(ModelFigure):
    """A small decoder-only language model, trained on this book's prose, which continues what the reader types.

    A beginning, how the model goes on and the distribution after that are stored, by `tools/experiments/book_model.py`.
    For all else the browser runs the model itself: the built page loads its weights from a file beside its scripts when
    the reader asks for it; in JupyterLab the kernel sends them.

    Args:
        text: what is continued, at most 4000 characters on one line; the model sees its last tokens.
        written: the tokens that have been written, by their numbers, at most 200.
        temperature: what the scores are divided by, 0.1 to 3.
        top_k: how many of the likeliest tokens stay, 1 to 1000; 0 for all.
        top_p: the probability that the tokens kept must reach together, 0.05 to 1; 1 keeps all.
        seed: of the dice, 0 to 9999. The n-th token written is chosen by the n-th die.
        layer: the layer whose attention to the earlier tokens is shown, from 1; 0 shows none.
        loaded: whether the model is read at once; otherwise when it is needed.

    Source:
        Radford et al. (2019) for the model's task; Touvron et al. (2023), arXiv:2302.13971, for its block; Fan et al.
        (2018) and Holtzman et al. (2020) for the filters.
    """

    module = "write_page"
    shows = f"after “… {LAST}” · temperature {DATA['temperature']} · top-p {DATA['top_p']}"
    alt = """A text that a language model has continued, and the likeliest tokens to go on with as bars: an outline for
        the model's probability, filled for the probability after temperature, top-k and top-p, and hatched grey where a
        token was cut off. Beside the bars, the running sum of the probabilities, a line that rises to one, and the
        threshold of top-p, where the cut is made. The last row gathers all other tokens of the vocabulary. In the live
        figure the model can be loaded; it then continues any text, and can show to which tokens it attends. At first
        two tokens are kept: “of” has 0.734 and a comma 0.266 after the filters."""

    text = taking(DATA["text"], TEXT, "what is continued")
    written = taking(
        DATA["written"], listed(whole_number(0, DATA["size"] - 1), 0, LONGEST), "the tokens that have been written"
    )
    temperature = number_between(DATA["temperature"], 0.1, 3, "the temperature")
    top_k = number_between(0, 0, MOST, "how many tokens stay, 0 for all", whole=True)
    top_p = number_between(DATA["top_p"], 0.05, 1, "the probability that the tokens kept must reach, 1 for all")
    seed = number_between(DATA["seed"], 0, 9999, "the seed of the dice", whole=True)
    layer = one_of(0, list(range(DATA["layers"] + 1)), "the layer whose attention is shown")
    loaded = yes_or_no(False, "whether the model is read at once")
