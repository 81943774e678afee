"""A figure: beam search as a growing tree, over the log-probabilities of one of the page's translators."""

from dataclasses import replace
from typing import Any

import traitlets

from ..kit import Figure, as_proposed, figure_data, line, listed, number_between, one_of, taking

DATA = figure_data("beam_tree")
#: by the language into which is translated: the held-out sentences that can be searched
SENTENCES = {
    model["target"]: [row["text"] for row in DATA["sentences"] if row["target"] == model["target"]]
    for model in DATA["models"]
}
LONGEST = DATA["longest"]
WORD = replace(line(40), one="a word of the translation", many="words of the translation")


class BeamTreeFigure(Figure):
    """Beam search, step by step: which prefixes of a translation are kept, which dropped, which finished.

    The browser searches by itself, in the log-probabilities that `tools/experiments/beam_trees.py` stored.

    Args:
        target: the language into which is translated, "fr" or "zh"; a Chinese character counts as a word.
        sentence: one of the held-out English sentences in `SENTENCES[target]`; if none is given, the first.
        width: how many prefixes are kept, 1 to 5; 1 is greedy decoding.
        length_penalty: α, 0 to 2; the score of T words is log p / ((5 + T) / 6)^α.
        max_len: the most words that are written, <eos> included, 1 to 12.
        step: how many steps of the search are shown; -1 for all.
        at: the words of the prefix whose numbers are shown; not given: of the best.

    Source:
        Wu et al. (2016), arXiv:1609.08144, eq. 14, for the length penalty.
    """

    module = "beam_tree"
    shows = f"{SENTENCES['fr'][0]} · width 3, α = 0.6, all steps · the page's Transformer"
    alt = """Beam search as a tree that grows step by step from the beginning of the sentence. At every step each
        prefix that was kept is continued; the likeliest continuations are kept and drawn strong. Of the others, which
        are dropped, as many as there is room for are drawn faint, with their log-probability, and go no further.
        Prefixes that have written the end of the sentence stand in a double box, keep their place in the beam, and
        are ranked by their score at the end. Dots mark the way that greedy decoding takes."""

    target = one_of("fr", [*SENTENCES], "the language into which is translated")
    sentence = one_of(
        SENTENCES["fr"][0], [text for texts in SENTENCES.values() for text in texts], "the English sentence"
    )
    width = number_between(3, 1, 5, "the width of the beam", whole=True)
    length_penalty = number_between(0.6, 0, 2, "α of the length penalty")
    max_len = number_between(LONGEST, 1, LONGEST, "the most words that are written", whole=True)
    step = number_between(-1, -1, LONGEST, "how many steps are shown, -1 for all", whole=True)
    at = taking([], listed(WORD, 0, LONGEST), "the prefix whose numbers are shown")

    @traitlets.default("sentence")
    def _first_of_this_language(self) -> str:
        return SENTENCES[self.target][0]

    @traitlets.validate("target", "sentence")
    def _check_that_it_is_of_this_language(self, proposal: dict[str, Any]) -> Any:
        target, sentence = as_proposed(self, proposal, "target", "sentence")
        if sentence not in SENTENCES[target]:
            raise ValueError(
                f"BeamTreeFigure.sentence, with target {target!r}: one of {', '.join(map(repr, SENTENCES[target]))}; "
                f"got {sentence!r}"
            )
        return proposal["value"]
