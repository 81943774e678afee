"""The tile stepper: the browser's numbers are Python's, Python's are the package's, and the controls work."""

import re

import numpy as np
import pytest
import torch

from attnbook.attention import causal_mask, sliding_window_mask, tiles
from attnbook.widgets import TileStepperFigure
from attnbook.widgets.tile_stepper import SEES, TILES, WORDS, after, sample, visible, worth_it

# -- Python against the package --


def test_what_is_seen_are_the_packages_masks():
    assert visible(SEES[0]).all()
    np.testing.assert_array_equal(visible(SEES[1]), causal_mask(WORDS))
    np.testing.assert_array_equal(visible(SEES[2]), sliding_window_mask(WORDS, 4))


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize(("sees", "reach"), [*zip(SEES, (None, WORDS, 4), strict=True)])
def test_the_tiles_are_the_packages(tile, sees, reach):
    found = [(r.start, c.start) for r, c in tiles(WORDS, WORDS, tile, reach)]
    assert worth_it(sees, tile) == found


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("sees", SEES)
def test_the_last_tile_leaves_the_exact_attention(tile, sees):
    scores, values = map(torch.from_numpy, sample(3))
    most, total, summed = after(3, sees, tile, 64)
    seen = torch.from_numpy(visible(sees))
    exact = scores.masked_fill(~seen, -torch.inf).softmax(-1) @ values
    np.testing.assert_allclose(summed / total, exact, rtol=1e-12)
    np.testing.assert_allclose(most, scores.masked_fill(~seen, -torch.inf).amax(-1))


def test_without_the_corrections_nine_averages_are_off_by_up_to_072():
    """The chapter says so."""
    averages = []
    for corrected in (True, False):
        _, total, summed = after(17, SEES[0], 4, 16, corrected)
        averages.append(summed / total)
    off = abs(averages[0] - averages[1])
    assert (off > 1e-9).sum() == 9 and round(off.max(), 2) == 0.72


def test_half_way_it_is_attention_to_the_keys_so_far():
    scores, values = map(torch.from_numpy, sample(0))
    _, total, summed = after(0, SEES[0], 4, 6)  # queries 4 to 7 have met keys 0 to 7
    so_far = scores[4:8, :8].softmax(-1) @ values[:8]
    np.testing.assert_allclose((summed / np.maximum(total, 1e-300))[4:8], so_far)
    assert (total[8:] == 0).all()


# -- the browser against Python --


@pytest.mark.parametrize(
    ("seed", "sees", "tile", "step", "corrected"),
    [
        (0, SEES[0], 4, 6, True),
        (17, SEES[1], 2, 20, True),
        (999, SEES[2], 8, 3, True),
        (5, SEES[2], 4, 4, False),
        (17, SEES[0], 4, 16, False),
    ],
)
def test_the_browser_computes_pythons_numbers(maths, seed, sees, tile, step, corrected):
    data = maths("sample", seed)
    scores, values = sample(seed)
    np.testing.assert_allclose(data["scores"], scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(data["values"], values, rtol=1e-9)
    assert maths("worthIt", sees, tile) == [list(t) for t in worth_it(sees, tile)]
    most, total, summed = after(seed, sees, tile, step, corrected)
    kept = maths("after", data, sees, tile, step, corrected)
    met = total > 0
    for name, expected in (("most", most), ("total", total), ("summed", summed)):
        found = [row[name] for row, seen in zip(kept, met, strict=True) if seen]
        np.testing.assert_allclose(found, expected[met], rtol=1e-9)


# -- the controls --


def test_moved_by_keyboard_and_by_button(open_figure):
    page = open_figure(TileStepperFigure())
    assert page.text("step") == "6 of 16" and page.read("held") == 16 + 48
    page.press("step", "ArrowRight")
    assert page.text("step") == "7 of 16"
    page.click("Forward ▶")
    assert page.state("step") == 8
    page.press("step", "End")
    assert page.text("step") == "16 of 16"
    assert "every dot is on its stroke" in page.said
    assert page.page.get_by_role("button", name="Forward").is_disabled()


def test_the_sentence_says_what_the_tile_has_changed(open_figure):
    page = open_figure(TileStepperFigure())
    scores = sample(17)[0][4]  # query 5 has met keys 1 to 4, and now 5 to 8
    before, most = scores[:4].max(), scores[:8].max()
    factor = np.exp(before - most)
    assert factor < 0.5
    words = f"finds a score of {most:.2f}; its largest so far was {before:.2f}"
    assert f"Query 5 {words}" in page.said and f"= {factor:.2f} before" in page.said
    page.page.get_by_label("correct the sums").uncheck()
    page.settle()
    assert "ought to be multiplied" in page.said
    page.press("step", "End")
    assert "9 of 16 dots miss their strokes, by up to 0.72" in page.said


def test_the_last_tile_stays_beside_a_row_of_the_whole_softmax(open_figure):
    page = open_figure(TileStepperFigure())
    page.press("step", "End")
    assert page.read("held") == 16 + 48  # the last tile is still there
    scores, values = sample(17)
    row = int(re.search(r"row (\d+) shows its softmax", page.said)[1]) - 1
    exact = np.exp(scores[row]) @ values / np.exp(scores[row]).sum()
    assert row < 12  # not one of the last tile's rows
    words = f"an average of {exact:.2f}, and so did the tiles".replace("-", "−")
    assert words in page.said
    shaded = page.page.locator('svg rect[style*="--ab-w"]:not([style*="--ab-weight"])')
    assert shaded.count() == 16 + 16  # the last tile, and the row
    page.page.get_by_label("correct the sums").uncheck()
    page.settle()
    _, total, summed = after(17, SEES[0], 4, 16, False)
    whole = np.exp(scores) @ values / np.exp(scores).sum(1)
    worst = abs(summed / total - whole).argmax()
    right, found = (f"{x[worst]:.2f}".replace("-", "−") for x in (whole, summed / total))
    assert f"row {worst + 1} shows its softmax" in page.said
    assert f"average of {right}; the tiles gave {found}" in page.said
    for number in (right, found):  # beside the stroke and the dot
        drawn = page.page.locator("svg text").get_by_text(number, exact=True)
        assert drawn.count() == 1
    page.click("◀ Back")
    assert "to compare" not in page.said.lower()
    assert shaded.count() == 16


def test_one_tile_for_all_is_the_table_again(open_figure):
    page = open_figure(TileStepperFigure(tile=16))
    assert "304 numbers at a time, more than its 256" in page.said


def test_a_window_leaves_tiles_out(open_figure):
    page = open_figure(TileStepperFigure(step=0))
    assert page.read("skipped") == 0 and "Nothing has been read" in page.said
    page.choose("sees", SEES[2])
    assert page.read("skipped") == 9 and page.text("step") == "0 of 7"
    page.choose("tile", "2 × 2")
    assert page.text("step") == "0 of 21"


def test_it_plays_to_the_end_and_stops(open_figure):
    page = open_figure(TileStepperFigure(step=2, tile=8))
    page.click("Play")
    page.page.wait_for_function("() => document.querySelector('.ab-card').textContent.includes('4 of 4')")
    page.page.get_by_role("button", name="Play").wait_for()
    page.reset()
    assert page.state("step") == 2


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"tile": 3}, ValueError),
        ({"sees": "the past"}, ValueError),
        ({"step": 65}, ValueError),
        ({"seed": "a"}, TypeError),
    ],
)
def test_other_values_are_refused(options, error):
    with pytest.raises(error):
        TileStepperFigure(**options)
