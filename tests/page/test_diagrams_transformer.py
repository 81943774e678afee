"""The diagrams of the whole model say the sizes and shares that they are given."""

from dataclasses import replace

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgba

from attnbook.page import draw_parameters, draw_transformer
from attnbook.page.diagrams_transformer import KINDS
from attnbook.transformer import PAPER_BASE


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_the_models_sizes_are_written_into_the_picture(ax):
    config = replace(PAPER_BASE, num_encoder_layers=3, num_decoder_layers=5, d_model=88)
    draw_transformer(config, ax)
    assert {"3 ×", "5 ×", "memory  (B, S, 88)", "linear head, 88 → V"} <= set(words(ax))


def test_the_decoder_has_one_attention_more_and_each_sublayer_its_norm(ax):
    draw_transformer(PAPER_BASE, ax)
    shown = words(ax)
    for text, count in (
        ("self-attention", 1),
        ("masked self-attention", 1),
        ("cross-attention", 1),
        ("feed-forward", 2),
        ("add, layer norm", 5),
        ("embedding + position", 2),
    ):
        assert shown.count(text) == count, text
    assert {"queries", "keys", "values"} <= set(shown)


def test_pieces_of_a_bar_are_as_long_as_their_shares(ax):
    counts = {"embeddings": 20, "attention": 60, "feed-forward": 119, "norms": 1}
    draw_parameters({"one": counts, "two": {"embeddings": 3, "attention": 1}}, ax)
    lengths = [bar.get_width() for bar in ax.patches]
    assert lengths == pytest.approx([10, 30, 59.5, 0.5, 75, 25, 0, 0])
    starts = [bar.get_x() for bar in ax.patches]
    assert starts == pytest.approx([0, 10, 40, 99.5, 0, 75, 100, 100])
    assert words(ax) == ["10 %", "30 %", "60 %", "75 %", "25 %"]  # 0.5 is too thin


def test_kinds_differ_in_more_than_colour():
    hatchings = [hatch for kind, (_, hatch) in KINDS.items() if kind != "norms"]
    assert len(set(hatchings)) == len(hatchings)


def test_unknown_kinds_and_empty_models_are_refused(ax):
    with pytest.raises(ValueError, match="tiny has parameters of kind heads; use emb"):
        draw_parameters({"tiny": {"heads": 3}}, ax)
    with pytest.raises(ValueError, match="tiny has no parameters"):
        draw_parameters({"tiny": {"attention": 0}}, ax)
    assert not ax.patches  # nothing half-drawn


def test_nothing_is_filled_with_white_since_the_dark_page_would_turn_it_black(ax):
    draw_transformer(PAPER_BASE, ax)
    draw_parameters({"one": {"attention": 1, "norms": 1}}, ax)
    assert to_rgba("white") not in [patch.get_facecolor() for patch in ax.patches]
