"""Ask a model that was just trained: a sentence in, its translation and where the model looked."""

import ipywidgets
import torch
from matplotlib.figure import Figure

from attnbook.page import WEIGHTS, drawable, set_families
from attnbook.translation import Translator

from .frames import Frame, Workbench, as_address


def draw_alignment(source: list[str], target: list[str], weights: torch.Tensor) -> str:
    """Draw where a translator looked.

    Args:
        source, target: the words of both sentences.
        weights: (T, S).

    Returns:
        The picture's address.
    """
    families, (source, target) = drawable(source, target)
    figure = Figure(figsize=(4.6, 3.4), layout="constrained", facecolor="none")
    ax = figure.subplots()
    ax.imshow(weights.numpy(), cmap=WEIGHTS, vmin=0, vmax=1)
    ax.set_xticks(range(len(source)), source, rotation=60)
    ax.set_yticks(range(len(target)), target)
    ax.set(xlabel="key: source word", ylabel="query: next target word")
    set_families(figure, families)
    return as_address(figure)


class Ask(Workbench):
    """Translates the reader's sentence by models of the notebook, as they are at that moment.

    Args:
        translators: name → a translator with attention.
        sentences: whose translations are stored.

    Attributes:
        model, sentence: which is asked, and what.
    """

    def __init__(self, translators: dict[str, Translator], sentences: list[str]):
        self.translators = translators
        self.model = ipywidgets.Dropdown(options=list(translators), description="model")
        self.sentence = ipywidgets.Text(sentences[0], description="sentence", continuous_update=False)
        self.answer = ipywidgets.HTML()
        for control in (self.model, self.sentence):
            control.observe(lambda _: self.ask(), "value")
        frames = [self._frame(name, one) for name in translators for one in sentences]
        self.answer.value = frames[0].to_html()
        box = ipywidgets.VBox([self.model, self.sentence, self.answer])
        hint = "Here are a few sentences to choose from. In JupyterLab you can type your own."
        super().__init__("Ask the models trained above", hint, frames, box)

    def ask(self) -> None:
        """Translate the sentence with the chosen model."""
        frame = self._frame(self.model.value, self.sentence.value)
        self.answer.value = frame.to_html()

    def _frame(self, name: str, sentence: str) -> Frame:
        if not sentence.strip():
            return Frame(name, ["Type a sentence."])
        translator = self.translators[name]
        source, target, weights = translator.align(sentence)
        says = [f"{sentence} → {' '.join(target[:-1])}"]
        if "<unk>" in source:
            says.append("The model reads <unk> for a word that it has never met.")
        alt = f"Heat map of the weights, the model's words down, those of “{sentence}” across."
        return Frame(f"{name}: {sentence}", says, draw_alignment(source, target, weights), alt)
