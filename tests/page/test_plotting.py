"""Pictures are read back: which number is drawn where, in which colour, under which label."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import same_color, to_hex, to_rgb, to_rgba

from attnbook.attention import nadaraya_watson
from attnbook.data import kernel_regression_data
from attnbook.page import plotting, style
from tensors import B, H, S, T, coin, randn, says

WEIGHTS = randn(B, H, T, S).softmax(-1)


@pytest.fixture(autouse=True)
def clean_slate():
    """No figure and no style leaves a test."""
    with matplotlib.rc_context():
        yield
    plt.close("all")


def maps(figure):
    """The axes that hold a heat map, in reading order; the colour bar's are the rest."""
    return [ax for ax in figure.axes if ax.images]


def bar(figure):
    [ax] = [ax for ax in figure.axes if not ax.images]
    return ax


def hatched(ax):
    """The cells (query, key) that are hatched."""
    return {(round(p.get_y() + 0.5), round(p.get_x() + 0.5)) for p in ax.patches if p.get_hatch()}


# --- colours and style -----------------------------------------------------------------------------------------------


def test_the_visual_language():
    expected = {"QUERY": "#0072B2", "KEY": "#D55E00", "VALUE": "#009E73", "OUTPUT": "#CC79A7", "MASKED": "#999999"}
    assert {name: getattr(plotting, name) for name in expected} == expected
    assert to_hex(plotting.WEIGHTS(0.0)) == "#ffffff"
    assert to_hex(plotting.WEIGHTS(1.0)) == "#4b3fa8"


def test_the_colour_map_darkens_steadily():
    """So it can be read in grey."""
    red, green, blue = np.array([to_rgb(plotting.WEIGHTS(x)) for x in np.linspace(0, 1, 50)]).T
    assert (np.diff(0.2126 * red + 0.7152 * green + 0.0722 * blue) < 0).all()


def test_use_book_style():
    with plt.rc_context():
        style.use_book_style()
        set_ = dict(plt.rcParams)
    assert [set_[f"{what}.facecolor"] for what in ("figure", "axes", "savefig")] == ["none"] * 3
    colours = [plotting.QUERY, plotting.KEY, plotting.VALUE, plotting.OUTPUT]
    assert set_["axes.prop_cycle"].by_key()["color"][:4] == colours
    type_ = ("font.size", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")
    assert min(set_[name] for name in type_) * 355 / (72 * 5.11) >= 10  # on a phone, a figure 5 inches wide


# --- heat maps -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("weights", "rows", "cols"), [(WEIGHTS[0, 0], 1, 1), (WEIGHTS[0], 1, H), (WEIGHTS, B, H)])
def test_queries_down_keys_across_one_map_each(weights, rows, cols):
    figure = plotting.show_heatmaps(weights)
    drawn = maps(figure)
    assert len(drawn) == rows * cols
    for index, ax in enumerate(drawn):
        [image] = ax.images
        expected = weights.reshape(-1, T, S)[index]
        np.testing.assert_allclose(image.get_array(), expected, atol=1e-6)
        assert image.origin == "upper" and image.cmap is plotting.WEIGHTS
        assert image.get_clim() == (0, 1)
        place = ax.get_subplotspec()
        assert (place.rowspan.start, place.colspan.start) == divmod(index, cols)
        assert ax.get_xlabel() == ("keys" if index >= (rows - 1) * cols else "")
        assert ax.get_ylabel() == ("queries" if index % cols == 0 else "")
    assert bar(figure).get_ylabel() == "weight"


def test_labels_titles_and_size():
    queries, keys = [f"q{i}" for i in range(T)], [f"key number {j}" for j in range(S)]
    titles = [f"head {h}" for h in range(H)]
    figure = plotting.show_heatmaps(
        WEIGHTS[0], queries, keys, titles=titles, figsize=(5, 2), xlabel="tokens", ylabel="steps"
    )
    figure.canvas.draw()
    first = maps(figure)[0]
    assert [t.get_text() for t in first.get_yticklabels()] == queries
    assert [t.get_text() for t in first.get_xticklabels()] == keys
    assert list(first.get_xticks()) == list(range(S)) and list(first.get_yticks()) == list(range(T))
    assert [ax.get_title() for ax in maps(figure)] == titles
    assert tuple(figure.get_size_inches()) == (5, 2)
    assert first.get_xlabel() == "tokens" and first.get_ylabel() == "steps"
    assert to_hex(first.xaxis.label.get_color()) == plotting.KEY.lower()
    assert to_hex(first.yaxis.label.get_color()) == plotting.QUERY.lower()


@pytest.mark.parametrize("mask_shape", [(T, S), (1, S), (H, T, S)])
def test_masked_cells_are_grey_and_hatched(mask_shape):
    mask = coin(*mask_shape)
    figure = plotting.show_heatmaps(WEIGHTS[0], mask=mask)
    for h, ax in enumerate(maps(figure)):
        blocked = ~mask.expand(H, T, S)[h]
        assert hatched(ax) == {tuple(cell) for cell in blocked.nonzero().tolist()}
        assert blocked.any()
        for patch in ax.patches:
            assert patch.get_width() == patch.get_height() == 1
            assert to_rgb(patch.get_edgecolor()[:3]) == pytest.approx(to_rgb(plotting.MASKED))


def test_without_a_mask_nothing_is_hatched():
    assert not hatched(maps(plotting.show_heatmaps(WEIGHTS[0, 0]))[0])


def test_the_scale_is_fixed_unless_asked_otherwise():
    faint = WEIGHTS[0, 0] / 10
    assert maps(plotting.show_heatmaps(faint))[0].images[0].get_clim() == (0, 1)
    assert maps(plotting.show_heatmaps(faint, vmax=0.5))[0].images[0].get_clim() == (0, 0.5)
    top = maps(plotting.show_heatmaps(faint, vmax=None))[0].images[0].get_clim()[1]
    assert top == pytest.approx(faint.max().item())
    assert maps(plotting.show_heatmaps(0 * faint, vmax=None))[0].images[0].get_clim() == (0, 1)


def test_annotations_stand_in_their_cells_and_stay_readable():
    weights = torch.tensor([[0.25, 0.75, 0.0], [1.0, 0.0, 0.0]])
    mask = torch.tensor([[True, True, False], [True, False, False]])
    [ax] = maps(plotting.show_heatmaps(weights, mask=mask, annotate=True))
    written = {t.get_position(): (t.get_text(), to_hex(t.get_color())) for t in ax.texts}
    assert written == {(0, 0): ("0.25", plotting.INK), (1, 0): ("0.75", "#000000"), (0, 1): ("1.00", "#ffffff")}


def test_words_on_every_shade_of_a_weight_can_be_read():
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 : 1."""

    def luminance(color):
        light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
        return sum(part * c for part, c in zip((0.2126, 0.7152, 0.0722), light, strict=True)) + 0.05

    for weight in torch.linspace(0, 1, 201).tolist():
        ground, ink = luminance(plotting.WEIGHTS(weight)[:3]), luminance(plotting.ink_on(weight))
        assert max(ground, ink) / min(ground, ink) >= 4.5, weight


def test_weights_that_need_gradient_half_precision_and_plain_lists():
    plotting.show_heatmaps(WEIGHTS[0, 0].clone().requires_grad_())
    plotting.show_heatmaps(WEIGHTS[0, 0].bfloat16())
    [ax] = maps(plotting.show_heatmaps([[0.25, 0.75]]))
    assert ax.images[0].get_array().tolist() == [[0.25, 0.75]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"weights": WEIGHTS[0, 0, 0]}, ValueError, ("weights must be (T, S)", f"got shape ({S},)")),
        ({"weights": WEIGHTS[None]}, ValueError, ("(rows, cols, T, S)", f"got shape (1, {B}, {H}, {T}, {S})", "pick")),
        ({"weights": WEIGHTS[:0]}, ValueError, ("not empty", f"got shape (0, {H}, {T}, {S})")),
        ({"row_labels": ["a"] * S}, ValueError, (f"row_labels has {S} labels for {T} positions",)),
        ({"col_labels": ["a"] * T}, ValueError, (f"col_labels has {T} labels for {S} positions",)),
        ({"titles": ["a"]}, ValueError, (f"titles has 1 entries for {B * H} maps",)),
        ({"mask": coin(T, S).int()}, TypeError, ("mask must be a bool tensor", "torch.int32", "from_binary")),
        ({"mask": coin(T, S).numpy()}, TypeError, ("mask must be a bool tensor", "ndarray")),
        ({"mask": coin(S, T)}, ValueError, (f"mask has shape ({S}, {T})", "does not broadcast")),
    ],
)
def test_heat_map_errors_leave_no_half_drawn_figure(arguments, error, message):
    with pytest.raises(error, match=says(*message)):
        plotting.show_heatmaps(**{"weights": WEIGHTS, **arguments})
    assert not plt.get_fignums()


# --- regression ------------------------------------------------------------------------------------------------------


def test_plot_regression_draws_points_truth_and_prediction():
    data = kernel_regression_data()
    prediction, _ = nadaraya_watson(data.x_query, data.x_train, data.y_train)
    _, ax = plt.subplots()
    assert plotting.plot_regression(data, prediction, ax=ax, label="Gaussian kernel") is ax
    lines = {line.get_label(): line for line in ax.lines}
    assert set(lines) == {"measured", "truth", "Gaussian kernel"}
    for label, x, y, colour in (
        ("measured", data.x_train, data.y_train, plotting.VALUE),
        ("truth", data.x_query, data.truth, plotting.INK),
        ("Gaussian kernel", data.x_query, prediction, plotting.OUTPUT),
    ):
        np.testing.assert_allclose(lines[label].get_xdata(), x)
        np.testing.assert_allclose(lines[label].get_ydata(), y)
        assert to_hex(lines[label].get_color()) == colour.lower()
    # told apart without colour too
    assert lines["truth"].get_linestyle() == "--"
    assert lines["Gaussian kernel"].get_linestyle() == "-"
    assert lines["measured"].get_linestyle() == "None" and lines["measured"].get_marker() == "o"
    names = {note.get_text(): note for note in ax.texts}
    assert set(names) == set(lines) and ax.get_legend() is None
    for label, note in names.items():  # beside what it names, and in its colour
        line = np.stack(lines[label].get_data(), axis=1)
        assert np.abs(line - note.xy).sum(axis=1).min() < 0.06, label
        assert same_color(note.get_color(), lines[label].get_color())
    assert ax.get_xlabel() and ax.get_ylabel()


def test_a_name_stands_where_it_is_told():
    _, ax = plt.subplots()
    plotting.name_it(ax, "a hill", (1, 2), (3, 4), plotting.KEY)
    [note] = ax.texts
    assert note.get_text() == "a hill" and note.xy == (3, 4)
    assert note.get_position() == (1, 2) and note.arrow_patch is not None


def test_plot_regression_without_prediction_or_axes():
    ax = plotting.plot_regression(kernel_regression_data(5))
    assert {line.get_label() for line in ax.lines} == {"measured", "truth"}
    assert len(plt.get_fignums()) == 1


def test_predictions_at_the_training_points_are_refused():
    data = kernel_regression_data()
    with pytest.raises(ValueError, match=says("50 predictions for 100 queries", "predict at data.x_query")):
        plotting.plot_regression(data, data.y_train)
    assert not plt.get_fignums()


def test_plot_weights_row():
    key, weights = torch.tensor([0.5, 1.0, 4.0]), torch.tensor([0.5, 0.25, 0.25])
    _, ax = plt.subplots()
    assert plotting.plot_weights_row(key, weights, 1.5, ax=ax) is ax
    [bars] = ax.collections
    assert [segment.tolist() for segment in bars.get_segments()] == [
        [[k, 0], [k, w]] for k, w in zip(key.tolist(), weights.tolist(), strict=True)
    ]
    colours = {to_rgba(line.get_color()): line for line in ax.lines}
    assert list(colours[to_rgba(plotting.QUERY)].get_xdata()) == [1.5, 1.5]
    assert list(colours[to_rgba(plotting.KEY)].get_xdata()) == key.tolist()
    assert "query 1.5" in {t.get_text() for t in ax.texts}
    keys = colours[to_rgba(plotting.KEY)]
    height = ax.transData.inverted().transform(keys.get_transform().transform(keys.get_xydata()))[:, 1]
    assert all(ax.get_ylim()[0] < height) and all(height < 0), "the keys' ticks belong below the bars"
    assert ax.get_xlabel() and ax.get_ylabel()
    assert plotting.plot_weights_row(key, weights, 1.5) is not ax


def test_a_row_of_weights_belongs_to_its_keys():
    with pytest.raises(ValueError, match=says("5 weights for 7 keys", "one row of the weights")):
        plotting.plot_weights_row(torch.ones(7), torch.ones(5), 0.0)
    assert not plt.get_fignums()
