"""The position explorer: its waves, turns and similarities are the package's; a shuffle shows only with positions."""

import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from attnbook.attention import masked_softmax, scaled_dot_score, sinusoidal_encoding
from attnbook.widgets import PositionExplorerFigure
from attnbook.widgets.kit.samples import seeded_normals

SIZES = [(16, 10000.0), (7, 10.0), (2, 10000.0), (32, 100.0), (31, 3.0), (5, 1e6)]


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def rows(d, base, count=48):
    return sinusoidal_encoding(count, d, base=base).double()


def embedding(words, d):
    """The figure's word vectors in Python: a hash of the letters seeds each."""
    seeds = []
    for word in words:
        seed = 7
        for letter in word:
            seed = (seed * 31 + ord(letter)) % 1000003
        seeds.append(seed)
    return 0.7 * torch.from_numpy(np.stack([seeded_normals(seed, d) for seed in seeds]))


def attention(x):
    return masked_softmax(scaled_dot_score(x[None], x[None]))[0] @ x


@pytest.fixture
def page(open_figure):
    return open_figure(PositionExplorerFigure())


# -- the browser against the package --


def test_the_encoding_is_the_packages(maths):
    for d, base in SIZES:
        expected = rows(d, base)
        # The package rounds to float32; 1e-6 is more than ten times its step at 1.
        assert_close(tensor(maths("encoding", 48, d, base)), expected, rtol=0, atol=1e-6)
        assert_close(tensor(maths("gramMatrix", expected.tolist())), expected @ expected.T, rtol=0, atol=1e-9)
        found = maths("offsetSpread", maths("gramMatrix", maths("encoding", 48, d, base)))
        gram = expected @ expected.T
        spread = max((gram.diagonal(k) - gram[0, k]).abs().max().item() for k in range(48))
        assert found == pytest.approx(spread, abs=1e-4)
        if d % 2 == 0:
            assert found < 1e-9  # depends on the offset only


def test_with_odd_features_the_similarity_depends_on_the_place(maths):
    assert maths("offsetSpread", maths("gramMatrix", maths("encoding", 48, 7, 10))) > 0.5


@pytest.mark.parametrize(("i", "k"), [(0, 1), (3, 5), (7, 16)])
def test_an_offset_is_a_rotation_of_every_pair(maths, i, k):
    expected = rows(16, 10000.0)
    angle = k * maths("frequencyOf", i, 16, 10000)
    assert angle == pytest.approx(k * 10000 ** (-2 * i / 16))
    for p in (0, 6, 31):
        turned = maths("rotatePair", expected[p, 2 * i : 2 * i + 2].tolist(), angle)
        assert turned == pytest.approx(expected[p + k, 2 * i : 2 * i + 2].tolist(), abs=1e-6)


@pytest.mark.parametrize("omega", [1.0, 10000 ** (-1 / 8), 10 ** (-1.5), 0.7])
@pytest.mark.parametrize("p", [0, 6, 31])
def test_where_a_hand_stands_closest_to_where_it_stood(maths, omega, p):
    off = {q: math.degrees(abs(((q - p) * omega + math.pi) % (2 * math.pi) - math.pi)) for q in range(48) if q != p}
    twin, away = maths("twinOf", omega, p)
    assert away == pytest.approx(min(off.values())) == pytest.approx(off[twin])


def test_one_threshold_for_what_a_hand_cannot_tell(page):
    """Three degrees, whether it is the next position that is so close or one after a full turn."""
    said = page.page.locator(".ab-said")
    for i in range(8):
        omega = 10000 ** (-i / 8)
        for p in range(0, 32, 3 if i < 2 else 31):
            page.set(frequency=i, position=p)
            off = min(
                math.degrees(abs(((q - p) * omega + math.pi) % (2 * math.pi) - math.pi)) for q in range(48) if q != p
            )
            text = said.inner_text()
            assert ("cannot tell" in text) == (off < 3), (i, p, off)
            assert ("almost the same" in text) <= (off < 3)
            if "the nearest" in text:
                assert f"{off:.1f}° off" in text


def test_a_hand_alone_is_a_bad_clock(page):
    """The chapter has these numbers."""
    said = page.page.locator(".ab-said")
    page.slide("frequency", 0)
    assert "the nearest is 31, 7.6° off" in said.inner_text()
    page.slide("frequency", 7)
    assert "one position further it has turned by 0.018°" in said.inner_text()
    page.set(view="similarity")
    row = rows(16, 10000.0) @ rows(16, 10000.0)[6]
    assert row[9] < row[11]
    assert f"at offset 3 it is only {row[9].item():.2f}" in said.inner_text()


def test_first_rise(maths):
    assert maths("firstRise", [8, 7, 5, 6, 1]) == 2
    assert maths("firstRise", [8, 7, 5]) is None


@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize("d", [16, 5])
def test_the_shuffle_is_the_packages_attention(maths, d, positions):
    words, order = ["time", "flies", "like", "an", "arrow"], [3, 0, 4, 1, 2]
    added = rows(d, 100.0, 5) if positions else 0
    x = embedding(words, d)
    first, second = attention(x + added), attention(x[order] + added)
    found = maths("shuffled", words, order, d, 100, positions)
    assert_close(tensor(found["first"]), first, rtol=0, atol=1e-6)
    assert_close(tensor(found["second"]), second, rtol=0, atol=1e-6)
    changes = (first[order] - second).abs().amax(-1)
    assert_close(tensor(found["changes"]), changes, rtol=0, atol=1e-6)
    assert found["largest"] == pytest.approx(changes.max().item(), abs=1e-6)
    assert (found["largest"] > 0.1) if positions else (found["largest"] < 1e-12)


# -- what is shown --


def test_the_pair_that_is_shown_is_the_packages(page):
    for p, k, i in ((6, 5, 1), (31, 16, 0), (0, 0, 7)):
        page.slide("position", p)
        page.slide("offset", k)
        page.slide("frequency", i)
        for name, q in (("here", p), ("there", p + k), ("turned", p + k)):
            sine, cosine = rows(16, 10000.0)[q, 2 * i : 2 * i + 2].tolist()
            assert page.text(name) == f"({sine:.2f}, {cosine:.2f})".replace("-0.00", "0.00").replace("-", "−")
        assert page.read("omega") == pytest.approx(10000 ** (-2 * i / 16))


def test_a_sine_alone_is_not_turned(page):
    page.slide("d_model", 7)
    page.slide("frequency", 3)
    assert page.text("turned") == "–"
    assert "D = 7 is odd" in page.page.locator(".ab-said").inner_text()


def test_the_similarity_that_is_shown(page):
    page.set(view="similarity")
    table = rows(16, 10000.0)
    assert page.read("similarity") == pytest.approx((table[6] @ table[11]).item(), abs=1e-5)
    page.press("offset", "ArrowRight", "ArrowRight")
    similarities = (table @ table[6])[6:]
    assert page.state("offset") == 7
    assert page.read("similarity") == pytest.approx(similarities[7].item(), abs=1e-5)
    rise = next(k for k in range(41) if similarities[k + 1] > similarities[k])
    assert page.text("rise") == f"k = {rise}" and rise < 16  # not monotone
    assert page.text("spread") == "0"
    page.slide("base", 3)
    assert page.state("base") == 10
    page.slide("d_model", 7)
    assert page.read("spread") > 0.5
    assert "odd" in page.page.locator(".ab-said").inner_text()


@pytest.mark.parametrize(
    ("state", "says", "not_says"),
    [
        ({"d_model": 32, "offset": 16}, "similarity of", "Try a larger offset"),
        ({"d_model": 31, "offset": 16}, "0.00004 apart", "Try a larger offset"),
        ({"d_model": 32, "offset": 0}, "Position 13 and itself have a similarity of 16.00", "closer"),
        ({"d_model": 31, "offset": 0}, "Position 13 and itself have a similarity of", "closer"),
        ({"d_model": 16, "offset": 1}, "Try a larger offset.", "itself"),
    ],
)  # fmt: skip
def test_the_similarity_is_told_at_the_ends_of_the_slider(page, state, says, not_says):
    page.set(view="similarity", position=13, base=10000, **state)
    said = page.page.locator(".ab-said").inner_text()
    assert says in said and not_says not in said and "e−" not in said


def test_the_turn_is_told_where_nothing_turns(page):
    said = page.page.locator(".ab-said")
    assert "Press “Play p”" in page.page.locator(".ab-hint").inner_text()
    page.set(position=25, offset=0)
    assert said.inner_text().startswith("With k = 0 hand")
    page.set(position=0, offset=5)
    assert "as it does from any p to p + 5" in said.inner_text()


def test_the_shuffle_that_is_shown(page):
    page.page.get_by_role("tab", name="Shuffle").click()
    page.settle()
    assert page.text("without") == "0.000" and page.read("with") > 0.1
    outputs = attention(embedding(["man", "bites", "dog"], 16) + rows(16, 10000.0, 3))
    shown = page.page.locator('[data-number="with-second-2-1"]').text_content()
    assert float(shown.replace("−", "-")) == pytest.approx(outputs[2, 1].item(), abs=0.0051)
    assert page.page.get_by_text("= as before").count() == 3
    largest = page.read("with")  # the sentence, the tile and the row of "dog" agree
    assert page.page.get_by_text(f"≠ by {largest:.2f}").count() == 1
    assert f"of “dog”: one number moves by {largest:.2f}." in page.page.locator(".ab-said").inner_text()
    page.click("Original order")
    assert page.state("order") == [0, 1, 2] and page.read("with") == 0
    buttons = page.page.locator(".ab-controls").get_by_role("button", name="Shuffle the words")
    seen = {(0, 1, 2)}
    for _ in range(4):
        before = page.state("order")
        buttons.click()
        page.settle()
        after = page.state("order")
        assert sorted(after) == [0, 1, 2] and after != before
        assert page.text("without") == "0.000"
        seen.add(tuple(after))
    assert len(seen) > 2


def test_the_same_word_twice_is_no_difference(open_figure):
    page = open_figure(PositionExplorerFigure(view="shuffle", words=["so", "very", "so"], order=[2, 1, 0]))
    assert page.read("with") < 1e-12
    assert page.page.get_by_text("≠").count() == 0
    assert "positions make no difference" in page.page.locator(".ab-said").inner_text()


# -- hands --


def test_the_handles_by_mouse_and_by_keys(page):
    page.press("position", "ArrowUp", "ArrowUp")
    assert page.state("position") == 8
    page.press("position", "End", "ArrowRight")
    assert page.state("position") == 31
    page.press("position", "Home")
    page.press("second", "ArrowRight")
    assert (page.state("position"), page.state("offset")) == (0, 6)
    page.drag("position", 0, 56)  # ten rows of 5.6 pixels
    assert page.state("position") == 10
    page.drag("second", 0, 400)
    assert page.state("offset") == 16
    page.drag("second", 0, -400)
    assert page.state("offset") == 0


def test_both_diamonds_of_the_similarities_can_be_moved(page):
    page.set(view="similarity")
    page.press("cell", "ArrowRight", "ArrowRight")
    assert page.state("offset") == 7
    page.drag("cell", 400, 0)
    assert page.state("offset") == 16
    page.drag("cell", -400, 0)
    assert page.state("offset") == 0
    page.press("offset", "ArrowRight")
    assert page.state("offset") == 1


@pytest.mark.parametrize("width", [390, 1000])
def test_the_similarities_lie_on_diagonals_of_45_degrees(open_figure, width):
    page = open_figure(PositionExplorerFigure(view="similarity"), width=width)
    box = page.page.locator('g[shape-rendering="crispEdges"] rect').last.bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)


def test_the_frequency_comes_back_with_the_features(page):
    page.slide("frequency", 5)
    for d, i in ((6, 2), (2, 0), (8, 3), (16, 5), (32, 5)):
        page.slide("d_model", d)
        assert page.state("frequency") == i
    page.slide("d_model", 4)
    page.slide("frequency", 0)  # a new wish
    page.slide("d_model", 16)
    assert page.state("frequency") == 0


def test_an_unfolded_panel_is_as_high_in_every_view(open_figure):
    page = open_figure(PositionExplorerFigure(), width=390)
    page.page.get_by_role("button", name="More settings").click()
    heights = set()
    for view in ("encoding", "similarity", "shuffle"):
        page.set(view=view)
        heights.add(round(page.page.locator(".ab-card").bounding_box()["height"]))
    assert len(heights) == 1


def test_the_circle_fills_its_stage(open_figure):
    page = open_figure(PositionExplorerFigure(), width=760)
    stage = page.page.locator(".ab-stage").first
    circle = stage.locator("svg circle").first.bounding_box()
    words = stage.get_by_text("up: feature 2").bounding_box()
    assert words["y"] - circle["y"] - circle["height"] < 35


def test_the_tabs_by_mouse_and_by_keys(page):
    tabs = page.page.get_by_role("tab")
    assert tabs.count() == 3
    page.press("view-encoding", "ArrowRight", "ArrowRight")
    assert page.state("view") == "shuffle"
    assert page.page.get_by_role("slider", name="Position p").count() == 0
    page.page.keyboard.press("ArrowRight")
    page.settle()
    assert page.state("view") == "encoding"
    assert [tab.get_attribute("aria-selected") for tab in tabs.all()] == ["true", "false", "false"]


def test_fewer_features_keep_the_frequency_inside_and_reset_restores(page):
    page.slide("frequency", 7)
    page.slide("d_model", 5)
    assert page.state("frequency") == 2
    assert page.page.locator('input[data-control="frequency"]').get_attribute("max") == "2"
    page.slide("base", 0)
    page.slide("position", 30)
    page.reset()
    assert {name: page.state(name) for name in PositionExplorerFigure().state()} == PositionExplorerFigure().state()


def test_a_click_on_a_feature_chooses_its_frequency(page):
    page.page.locator('[cursor="pointer"]').first.click(position={"x": 60, "y": 200})
    page.settle()
    assert page.state("frequency") == 2  # a pair is some 29 pixels wide


@pytest.mark.parametrize("d", [3, 32])
def test_it_fits_on_a_phone(open_figure, d):
    words = ["positive", "thinking", "can", "move", "mountain"]
    page = open_figure(PositionExplorerFigure(d_model=d, words=words, position=31, offset=16), width=390, theme="dark")
    for view in ("encoding", "similarity", "shuffle"):
        page.set(view=view)
        page.require_fit()


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"view": "gram"}, ValueError, "one of 'encoding', 'similarity', 'shuffle'; got 'gram'"),
        ({"position": 32}, ValueError, "the position p: a whole number from 0 to 31; got 32"),
        ({"offset": -1}, ValueError, "from 0 to 16; got -1"),
        ({"d_model": 1}, ValueError, "from 2 to 32; got 1"),
        ({"d_model": 7.5}, ValueError, "a whole number from 2 to 32"),
        ({"base": 0}, ValueError, "from 2 to 1000000; got 0"),
        ({"base": "10"}, TypeError, "a number from 2"),
        ({"frequency": 8}, ValueError, "with 16 features .* from 0 to 7; got 8"),
        ({"frequency": 4, "d_model": 7}, ValueError, "with 7 features .* from 0 to 3; got 4"),
        ({"words": "dog bites man"}, TypeError, "split the sentence first"),
        ({"words": ["dog"]}, ValueError, "a list of 2 to 5 words .*; got 1"),
        ({"words": ["dog", 3]}, TypeError, "one of them is 3"),
        ({"words": ["dog", "x" * 9]}, ValueError, "1 to 8 characters"),
        ({"order": [0, 1]}, ValueError, "indices.*: a list of 3 whole numbers from 0 to 2, each once"),
        ({"order": [0, 1, 1]}, ValueError, r"each once; got \[0, 1, 1\]"),
        ({"order": "210"}, TypeError, "a list of 3 whole numbers"),
        ({"colour": "red"}, TypeError, "has no colour"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        PositionExplorerFigure(**traits)


def test_defaults_follow_the_sizes_and_later_changes_are_checked():
    assert PositionExplorerFigure(words=["a", "b"]).order == [1, 0]
    assert PositionExplorerFigure(d_model=2).frequency == 0
    figure = PositionExplorerFigure(frequency=7)
    figure.d_model = 5
    assert figure.frequency == 2
    with pytest.raises(ValueError, match="with 5 features .* from 0 to 2; got 3"):
        figure.frequency = 3
    with pytest.raises(ValueError, match="make a new figure"):
        figure.words = ["one", "two"]
    with pytest.raises(ValueError, match="each once"):
        figure.order = [0, 0, 1]
    assert not math.isnan(figure.base)


def test_play_moves_the_position_until_it_is_paused_or_at_the_end(open_figure):
    page = open_figure(PositionExplorerFigure(position=29))
    reached = "(p) => document.querySelector('.attnbook-figure').abModel.get('position') === p"
    page.click("Play p")
    page.page.wait_for_function(reached, arg=31)
    page.page.get_by_role("button", name="Play p", exact=True).wait_for()  # the end
    page.click("Play p")
    assert page.state("position") == 0
    page.page.wait_for_function(reached, arg=2)
    page.click("Pause")
    page.page.wait_for_timeout(900)
    assert page.state("position") == 2


@pytest.mark.parametrize("width", [390, 1000])
def test_all_views_are_as_high(open_figure, width):
    page = open_figure(PositionExplorerFigure(), width=width)
    heights = set()
    for view in ("encoding", "similarity", "shuffle", "encoding"):
        page.set(view=view)
        heights.add(round(page.page.locator(".ab-card").bounding_box()["height"]))
    for frequency in (0, 3, 7):
        page.set(frequency=frequency)
        heights.add(round(page.page.locator(".ab-card").bounding_box()["height"]))
    assert len(heights) == 1


@pytest.mark.parametrize("view", ["encoding", "similarity", "shuffle"])
def test_a_phone_shows_controls_drawing_and_sentence_together(open_figure, view):
    page = open_figure(PositionExplorerFigure(view=view), width=390)
    box = {name: page.page.locator(f".ab-{name}").first.bounding_box() for name in ("card", "controls", "said")}
    assert box["controls"]["height"] <= 100
    end = box["said"]["y"] + box["said"]["height"]
    assert end - box["card"]["y"] <= 844


def test_the_tables_cells_touch(open_figure):
    page = open_figure(PositionExplorerFigure(view="similarity"), width=1000)
    ends = page.page.locator('g[shape-rendering="crispEdges"] path').evaluate_all(
        "(paths) => paths.flatMap((p) => p.getAttribute('d').match(/[MH][\\d.]+/g)).map((s) => s.slice(1))"
    )
    assert len(set(ends)) == 49  # 48 columns share their edges
