"""A figure: the table of span scores of a trained GlobalPointer, and which spans a threshold finds in it."""

from ..kit import Figure, figure_data, listed, number_between, one_of, record, taking, whole_number, yes_or_no

DATA = figure_data("span_table")
SENTENCES = [" ".join(row["words"]) for row in DATA["sentences"]]
TYPES = DATA["types"]
LONGEST = max(len(row["words"]) for row in DATA["sentences"])
INDEX = whole_number(0, LONGEST - 1)
CELL = record(f"a cell [start, end], {INDEX.many}", f"cells [start, end], {INDEX.many}", INDEX, INDEX)
QUESTIONS = listed(whole_number(0, 2 * len(SENTENCES) - 1), 0, 2 * len(SENTENCES))


class SpanTableFigure(Figure):
    """Scores of all spans of a sentence for one type, a threshold to be moved, and what is found and missed.

    The scores were stored by `tools/experiments/span_tables.py`; the browser reads them.

    Args:
        sentence: one of `SENTENCES`.
        type: "person", "group" or "place", whose table is shown.
        threshold: a span is predicted if its score is above it, −20 to 20.
        rotary: the reader that was trained with rotary positions in its score, or the one without.
        cell: the chosen cell, [start, end]; cells beyond the sentence stand for its last token.
    """

    module = "span_table"

    sentence = one_of(SENTENCES[0], SENTENCES, "the sentence")
    type = one_of(TYPES[0], TYPES, "the type whose table is shown")
    threshold = number_between(0, -20, 20, "what a score must exceed")
    rotary = yes_or_no(True, "whether the score has rotary positions")
    cell = taking([0, 6], CELL, "the chosen cell")
    _answered = taking([], QUESTIONS, "the sentences, and readers, that are understood")

    def alt_text(self) -> str:
        """What the figure shows, in words."""
        return (
            f"Span scores of the sentence “{self.sentence}”. Above, a row of dots for each of three types, from −20 to "
            "20: what lies to the right of a movable threshold is found. A tick marks a span that is found and right, "
            "a ring one that is missed, an exclamation mark one that is wrong. Below, the table for the type "
            f"{self.type}: starts down, ends across, the higher a score the darker its cell, cells below the diagonal "
            "hatched. A list names the spans that are marked."
        )
