"""A figure: type a sentence and have it translated by a trained model, in the browser, with its alignment."""

import base64
import html
import inspect
from dataclasses import replace
from typing import Any, ClassVar

import traitlets

from attnbook.weights import PAGE_TARGETS, page_targets

from ..kit import MODELS, ModelFigure, as_proposed, choice, line, listed, number_between, one_of, static_box, taking

SENTENCE = replace(line(120), many="sentences of at most 120 characters on one line")
WORD = replace(line(120), one="a word of the translation", many="words of the translation")
TARGET = choice([*PAGE_TARGETS])
TRIES = [
    "I'm home.",
    "He's calm.",
    "They have a black dog.",
    "I like white flowers.",
    "She doesn't eat meat.",
    "The giraffe is sleeping.",
]


ONE_VECTOR = """“They have a black dog.”, in English above, and the model's French, “Ils ont un chien.”, below: the
    colour is lost. Between them is a dot, one vector of 184 numbers: lines run from every English word into it, and
    broken lines from it to every French word. Below, a table French by English is hatched throughout: no attention, no
    weights. Beside it, bars at the fifth word: the full stop with 49 per cent, noir with 5."""

TRANSFORMER = """“They have a black dog.”, in English above, and a Transformer's French, “Ils ont un chien noir.”,
    below. From every French word lines run to the English words that the last layer looked at, as the average of its
    heads, broader where the weight is larger: “chien” looks at “dog” with 1.0, and “noir”, across it, at “black”
    with 0.9. Below, the same weights as a heat map, and the likeliest words at the fifth place as bars: noir with 95
    per cent."""


class TranslatePageFigure(ModelFigure):
    """English to French, or to another language, in the page: the book's trained models, run by the reader's browser.

    The weights are neither in the notebook nor in the page. The built page loads them from a file beside its scripts
    when the figure comes near the window; in JupyterLab the kernel sends them when the figure asks.

    Args:
        sentence: in English, at most 120 characters.
        target: the language into which it translates, of `targets`.
        targets: the languages among which the reader chooses: those whose models come with the book. With French
            alone there is nothing to choose.
        model: "bahdanau" (GRU with additive attention), "transformer" or "seq2seq" (GRU without attention).
        written: how many words of the translation are shown, from 0; -1 shows all.
        at: the written word whose weights are shown, counted from 0; -1 for the last one.
        given: words that the translation has to begin with, instead of the likeliest ones.
        beam: how many prefixes the search keeps: 1 (greedy), 2 or 4; see `attnbook.translation.beam_search`.
        tries: sentences that are offered to try, at most 8.

    Source:
        Bahdanau et al. (2015); Vaswani et al. (2017), the last layer's attention to the source, averaged over heads;
        Wu et al. (2016), eq. 14, for the beam's length penalty.
    """

    module = "translate_page"
    alt = """“They have a black dog.”, in English above, and the model's French, “Ils ont un chien noir.”, below.
        From every French word lines run to the English words that the model looked at while writing it, broader where
        the weight is larger. The broadest lines of “chien” and “noir” cross, to “dog” and “black”. Below, the same
        weights as a heat map, French down and English across, and the likeliest words at one place as bars."""
    pictures: ClassVar = {"fallback": {}, "transformer": {"model": "transformer"}, "one_vector": {"model": "seq2seq"}}

    sentence = taking("They have a black dog.", SENTENCE, "what is translated")
    target = taking("fr", TARGET, "the language into which it translates")
    targets = taking(page_targets(), listed(TARGET, 1, len(PAGE_TARGETS), once=1), "the languages offered")
    model = one_of("bahdanau", MODELS, "which translator writes")
    written = number_between(-1, -1, 60, "how many words are shown, -1 for all", whole=True)
    at = number_between(4, -1, 60, "the word whose weights are shown, -1 for the last", whole=True)
    beam = one_of(1, [1, 2, 4], "how many prefixes the search keeps")
    given = taking([], listed(WORD, 0, 60), "how the translation begins")
    tries = taking(TRIES, listed(SENTENCE, 0, 8), "what is offered to try")

    @traitlets.validate("target", "targets")
    def _check_that_it_is_offered(self, proposal: dict[str, Any]) -> Any:
        target, targets = as_proposed(self, proposal, "target", "targets")
        if target not in targets:
            raise ValueError(f"TranslatePageFigure.target is one of its targets, {', '.join(targets)}; got {target!r}")
        return proposal["value"]

    def state(self) -> dict[str, Any]:
        """The figure's state; nothing is said of languages where there is nothing to choose."""
        state = super().state()
        return state if len(self.targets) > 1 else {k: v for k, v in state.items() if k not in ("target", "targets")}

    def _is_first(self) -> bool:
        """Whether it translates what the stored pictures show, into the language that they show."""
        cls = type(self)
        return (self.sentence, self.target) == (cls.sentence.default_value, cls.target.default_value)

    def to_html(self) -> str:
        """The static form of the figure: with the picture that is stored for its model, or with words."""
        if self._is_first():
            return super().to_html()
        alt = self.alt_text()
        return static_box(self.module, self.state(), alt, in_words(alt))

    def alt_text(self) -> str:
        """What the figure shows, for its model: one vector in place of the lines, where there is no attention."""
        if not self._is_first():
            return f"“{self.sentence}”, and its {PAGE_TARGETS[self.target]} translation. It needs JavaScript."
        said = {"seq2seq": ONE_VECTOR, "transformer": TRANSFORMER}
        return inspect.cleandoc(said.get(self.model, self.alt))

    def picture(self) -> str:
        """The name of the stored picture."""
        names = {"seq2seq": "one_vector", "transformer": "transformer"}
        return names.get(self.model, "fallback")


def in_words(text: str) -> str:
    """A picture of one line of words, as a data URI, where no picture is stored."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 40">'
        f'<text x="8" y="26" font-family="sans-serif" font-size="16" fill="#5b6472">{html.escape(text)}</text></svg>'
    )
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
