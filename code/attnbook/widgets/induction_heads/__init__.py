"""A figure: an attention-only model with two layers at nine moments of its training, computed in the browser."""

from attnbook.studies import NUM_SYMBOLS

from ..kit import Figure, figure_data, listed, number_between, one_of, record, taking, whole_number

DATA = figure_data("induction_heads")
STEPS = [snapshot["step"] for snapshot in DATA["snapshots"]]
LENGTH = 24  # symbols in a row; <bos> stands in front of them
PLACE = whole_number(1, LENGTH)
EDIT = record(
    f"an edit [position, symbol], {PLACE.many}",
    f"edits [position, symbol], {PLACE.many}",
    PLACE,
    whole_number(1, NUM_SYMBOLS),
)


class InductionHeadsFigure(Figure):
    """A row that repeats, where two layers look from one of its symbols, and the guess of the next symbol.

    The weights were stored by `tools/experiments/induction_heads.py`; the browser computes the model. Weights of a
    layer are averages of its two heads, except in the maps.

    Args:
        step: how long the model has trained, one of `STEPS`.
        period: after how many symbols the row begins again, 5 to 12.
        seed: of the row, 0 to 9999.
        position: the chosen one; 0 is <bos>.
        edits: symbols changed by hand, [position, symbol], symbols from 1 (a) to 24 (x).

    Source:
        Olsson et al. (2022), arXiv:2209.11895; the model is `attnbook.studies.AttentionOnly`.
    """

    module = "induction_heads"
    alt = """A row of <bos> and 24 letters, in which the same eight letters come three times in the same order. The
        second “t”, at position 13, is chosen. Arcs below the row show where layer 2 looks from there: mostly at
        position 6, the “n” that followed the first “t”. Arcs above show layer 1, which looks from that “n” mostly at
        the “t” before it. The guess for the next symbol is “n”, with probability 0.99. Three curves along training stay
        below 0.2 up to step 200; then prefix matching and the share of repeated symbols guessed right climb to nearly
        1, and layer 1’s weight on the position before to about two thirds. Four heat maps: the heads of layer 1 follow
        the line just below the diagonal; those of layer 2 look at <bos> in the rows of the first eight letters, and
        then along lines parallel to the diagonal. Where the figure is alive, row, position and training step can be
        changed."""

    step = one_of(STEPS[-1], STEPS, "how many steps the model has trained")
    period = number_between(8, 5, 12, "after how many symbols the row repeats", True)
    seed = number_between(0, 0, 9999, "the row's number", True)
    position = number_between(13, 0, LENGTH, "the chosen position", True)
    edits = taking([], listed(EDIT, 0, LENGTH, once=1), "what was changed")
