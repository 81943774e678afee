"""Makes the figure's data.json anew from the model: `python -m attnbook.widgets.real_sentence.stored`."""

import json
from typing import Any

import torch

from attnbook.interop import load_minilm

from ..kit import WIDGETS
from . import RealSentenceFigure


def stored_state() -> dict[str, Any]:
    """What the figure shows before its model is loaded: the weights in hundredths, as PyTorch computes them."""
    figure, minilm = RealSentenceFigure(), load_minilm()
    ids, _ = minilm.read([figure.sentence])
    with torch.no_grad():
        _, weights = minilm.model(ids, need_weights=True)
    one, two = minilm.vectors([figure.sentence, figure.other])
    return {
        "sentence": figure.sentence,
        "other": figure.other,
        "cosine": round(float(one @ two), 4),
        "pieces": minilm.pieces(figure.sentence),
        "weights": [(100 * layer[0]).round().int().flatten(1).tolist() for layer in weights],
    }


if __name__ == "__main__":
    text = json.dumps(stored_state(), ensure_ascii=False, separators=(",", ":"))
    (WIDGETS / RealSentenceFigure.module / "data.json").write_text(text + "\n", "utf-8")
