"""A figure: where a trained translator looks for every word it writes, from untrained to done."""

from ..kit import Figure, figure_data, number_between, one_of, yes_or_no

DATA = figure_data("alignment_reader")
SENTENCES = [row["text"] for row in DATA["sentences"]]
MOMENTS = len(DATA["epochs"])
LONGEST = max(
    len(words)
    for row in DATA["sentences"]
    for words in [row["reference"], *row["without"], *(moment["own"] for moment in row["with"])]
)


class AlignmentReaderFigure(Figure):
    """The attention weights of a small translator at eight moments of its training, to be read word by word.

    The numbers were stored by `tools/experiments/alignment_reader.py`; the browser draws them.

    Args:
        sentence: one of the English sentences in `SENTENCES`.
        moment: the place in `DATA["epochs"]`, 0 (untrained) to 7 (done).
        attention: the translator with attention, or the one without.
        target: "own" for what the translator writes by itself, "reference" for a given translation.
        written: how many target words are there, 0 to all; -1 for all.
        at: the target word whose weights are shown, counted from 0; -1 for the last one that is there.

    Source:
        Bahdanau et al. (2015): our weights of target word i on source word j are their α_ij.
    """

    module = "alignment_reader"
    alt = """An English sentence above, its French translation below. Ribbons lead from the chosen French word to the
        English words, the broader the larger the attention weight; the weights are printed above the English words.
        Below, all weights as a heat map, French words down and English words across, and the BLEU of the translators
        with and without attention against the epochs of their training."""

    sentence = one_of(SENTENCES[0], SENTENCES, "the English sentence")
    moment = number_between(MOMENTS - 1, 0, MOMENTS - 1, "the moment of training", whole=True)
    attention = yes_or_no(True, "whether the translator has attention")
    target = one_of("own", ["own", "reference"], "the translation that is read")
    written = number_between(-1, -1, LONGEST, "how many words are there, -1 for all", whole=True)
    at = number_between(2, -1, LONGEST - 1, "the word whose weights are shown, -1 for the last", whole=True)
