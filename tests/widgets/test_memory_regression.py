"""The figure of memories as regressions: its mathematics against the package, and mouse and keyboard."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook.attention import recurrent_memory
from attnbook.widgets import MemoryRegressionFigure
from attnbook.widgets.memory_regression import PAIRS

OPTIONS = {"sharpness": 7.0, "beta": 0.6, "decay": 0.85}


def tensors(pairs):
    angle = torch.tensor([p[0] for p in pairs], dtype=torch.float64) * math.pi / 6
    value = torch.tensor([[p[1]] for p in pairs], dtype=torch.float64)
    return torch.stack([angle.cos(), angle.sin()], dim=-1), value


def read_by_the_package(pairs, sharpness, beta, decay):
    key, value = tensors(pairs)
    decays, betas = (torch.full((len(key),), x, dtype=torch.float64) for x in (decay, beta))  # fmt: skip
    linear = recurrent_memory(key, key, value, decay=decays)[1]
    delta = recurrent_memory(key, key, value, decay=decays, beta=betas)[1]
    best = torch.linalg.lstsq(key, value, driver="gelsd").solution.mT
    found = {"linear": linear, "delta": delta, "best": best}
    read = {name: (key @ S.mT)[:, 0] for name, S in found.items()}
    return read | {"softmax": ((sharpness * key @ key.mT).softmax(-1) @ value)[:, 0]}


def agree(back, pairs, options):
    value = tensors(pairs)[1][:, 0]
    for name, wanted in read_by_the_package(pairs, **options).items():
        assert back[name]["read"] == pytest.approx(wanted.tolist(), abs=1e-9)
        error = (wanted - value).square().mean().sqrt().item()
        assert back[name]["error"] == pytest.approx(error, abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_mathematics_is_the_packages(maths, count):
    agree(maths("readBack", PAIRS[:count], OPTIONS), PAIRS[:count], OPTIONS)


def test_any_pairs(maths):
    tenths = st.integers(-30, 30).map(lambda n: n / 10)

    @settings(max_examples=20, deadline=None, derandomize=True, database=None)
    @given(pairs=st.lists(st.tuples(tenths, tenths), min_size=1, max_size=6, unique_by=lambda p: p[0]))  # fmt: skip
    def check(pairs):
        agree(maths("readBack", pairs, OPTIONS), pairs, OPTIONS)

    check()


def test_two_values_for_one_key(maths):
    """The delta rule has the later one, softmax and least squares their mean, linear attention their sum."""
    twice = [[0.5, 1.0], [0.5, 2.0]]
    back = maths("readBack", twice, {"sharpness": 20, "beta": 1, "decay": 1})
    wanted = {"delta": 2, "softmax": 1.5, "best": 1.5, "linear": 3}
    for name, read in wanted.items():
        assert back[name]["read"] == pytest.approx([read, read], abs=1e-9)


def test_nothing_written_is_nothing_read(open_figure):
    page = open_figure(MemoryRegressionFigure(written=0))
    assert page.read("linear") == page.read("softmax") == 0
    assert "Nothing is written yet" in page.page.locator(".ab-said").inner_text()


def said(page):
    return page.page.locator(".ab-said").inner_text().replace("−", "-")


def test_two_values_for_one_key_by_a_button(open_figure):
    """The sentence has the three answers: about the mean, the later value, and more than the sum."""
    page = open_figure(MemoryRegressionFigure(written=3))
    page.click("Two values for one key")
    pairs = [*PAIRS[:4], [PAIRS[3][0], PAIRS[3][1] - 1]]
    assert page.state("pairs") == pairs and page.state("written") == 5
    read = read_by_the_package(pairs, 20.0, 1.0, 1.0)
    answers = {name: f"{read[name][4].item():.2f}" for name in read}
    assert answers["delta"] == "0.50"
    assert f"answers {answers['softmax']} (their mean is 1.00)" in said(page)
    assert f"rule 0.50, and linear attention {answers['linear']}:" in said(page)
    page.slide("sharpness", 0)
    assert "(the mean of all 5 values)" in said(page)
    for beta, says in (
        (0, "writes nothing."),
        (0.5, "goes 0.5 of the way to each value."),
        (1.5, "goes past each value, by 0.5 times what was missing."),
        (2, "goes past each value, by as much as was missing."),
    ):
        page.slide("beta", beta)
        assert f"the delta rule {says}" in said(page)
    page.press("decay", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert "Each write first scales both matrices by 0.85." in said(page)


def test_the_sentence_is_short(open_figure):
    """At most six lines on a phone, whatever is set, so that what stands below keeps its place."""
    page = open_figure(MemoryRegressionFigure(), width=390)
    card = page.page.locator(".ab-card")
    height = card.bounding_box()["height"]
    for written, beta, decay, sharpness in itertools.product((0, 1, 2, 5), (0, 0.5, 1, 1.5, 2), (1, 0.85), (20, 0)):
        page.set(written=written, beta=beta, decay=decay, sharpness=sharpness)
        assert len(said(page).split()) <= 60
        assert card.bounding_box()["height"] == pytest.approx(height, abs=1)


def test_the_sentence_names_the_pair_that_linear_attention_reads_worst(open_figure):
    page = open_figure(MemoryRegressionFigure())
    read = read_by_the_package(PAIRS, 20.0, 1.0, 1.0)["linear"]
    off = [abs(r.item() - value) for r, (_, value) in zip(read, PAIRS, strict=True)]
    worst = off.index(max(off))
    words = f"pair {worst + 1} as {read[worst]:.2f} instead of {PAIRS[worst][1]:.2f}"
    assert f"it reads {words}" in said(page)
    page.slide("written", 1)
    assert "reads everything exactly" in said(page)


def by_the_package(count, beta, decay):
    """The delta rule's answers to all keys after so many pairs."""
    keys, values = tensors(PAIRS)
    decays, betas = (torch.full((count,), x, dtype=torch.float64) for x in (decay, beta))  # fmt: skip
    S = recurrent_memory(keys[:count], keys[:count], values[:count], decay=decays, beta=betas)[1]  # fmt: skip
    return (keys @ S.mT)[:, 0].tolist()


def test_the_sentence_says_what_a_write_does_to_the_older_pairs(open_figure):
    page = open_figure(MemoryRegressionFigure())
    before, after = by_the_package(4, 1.0, 1.0), by_the_package(5, 1.0, 1.0)
    path = f"from {before[4]:.2f} to {after[4]:.2f}, exactly its value"
    assert f"Writing pair 5 moves the delta rule's answer for its key {path}" in said(page)  # fmt: skip
    moved = [abs(b - a) for b, a in zip(before[:4], after[:4], strict=True)]
    most = moved.index(max(moved))
    assert most == 3
    ratio = math.cos((PAIRS[4][0] - PAIRS[3][0]) * math.pi / 6)
    assert after[3] - before[3] == pytest.approx(ratio * (after[4] - before[4]))
    assert f"The answer for pair 4's key, 33° away, is dragged along cos 33° = {ratio:.2f} times as far" in said(page)
    assert f"as far, from {before[3]:.2f} to {after[3]:.2f}. " in said(page)


@pytest.mark.parametrize(
    ("beta", "end"),
    [(0.5, "0.5 of the way to its value, -0.80"), (1.5, "past its value, -0.80, by 0.5 times what was missing")],
)  # fmt: skip
def test_the_sentence_follows_the_step_size(open_figure, beta, end):
    page = open_figure(MemoryRegressionFigure())
    page.slide("beta", beta)
    before, after = (by_the_package(n, beta, 1.0)[4] for n in (4, 5))
    assert after == pytest.approx(before + beta * (-0.8 - before))
    assert f"from {before:.2f} to {after:.2f}, {end}" in said(page)
    old, new = (by_the_package(n, beta, 1.0)[3] for n in (4, 5))
    assert f"pair 4's key follows, from {old:.2f} to {new:.2f}." in said(page)
    page.slide("beta", 0)
    assert "writes nothing, and answers 0 to every key" in said(page)


def test_the_sentence_follows_the_decay(open_figure):
    page = open_figure(MemoryRegressionFigure())
    page.press("decay", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    before, after = by_the_package(4, 1.0, 0.85), by_the_package(5, 1.0, 0.85)
    assert f"from {before[4]:.2f}, faded to {0.85 * before[4]:.2f}, to -0.80" in said(page)  # fmt: skip
    moved = [abs(b - a) for b, a in zip(before[:4], after[:4], strict=True)]
    j = moved.index(max(moved))
    path = f"from {before[j]:.2f} to {after[j]:.2f}."
    assert f"pair {j + 1}'s key fades and is dragged along, {path}" in said(page)
    assert f"pair 1 is down to {0.85**4:.2f} of its strength" in said(page)
    page.slide("sharpness", 0)
    assert "softmax attention always answers the mean, 0.70." in said(page)


def test_arrows_lead_from_the_old_wave_to_the_new_one(open_figure):
    page = open_figure(MemoryRegressionFigure())
    arrows = page.page.locator(".ab-stage svg line[stroke-linecap='round']")
    assert arrows.count() == 5
    longest = arrows.last.evaluate("(e) => Math.abs(e.y2.baseVal.value - e.y1.baseVal.value)")
    before, after = by_the_package(4, 1.0, 1.0)[4], by_the_package(5, 1.0, 1.0)[4]
    assert longest > 10 and after < before
    page.slide("written", 0)
    assert arrows.count() == 0
    page.press("written", "ArrowRight")
    assert arrows.count() == 1


def test_every_arrow_has_its_head_in_sight(open_figure):
    """On top of the squares, and inside the plane even where the answers are not."""
    page = open_figure(MemoryRegressionFigure(), width=390)
    for beta in (1, 2):
        page.set(beta=beta)
        found = page.page.locator(".ab-stage svg").evaluate(
            """(svg) => [...svg.querySelectorAll("line[stroke-linecap='round']")].map((line) => {
                const head = line.nextSibling.getBBox();
                const axis = [...svg.querySelectorAll("text")].filter((t) => ["0", "−4"].includes(t.textContent));
                const [zero, high] = axis.map((t) => t.getBBox().y + 9).sort((a, b) => a - b);
                const after = svg.querySelector("[data-handle='pair-5']").compareDocumentPosition(line) & 4;
                return [head.height, head.y - (2 * zero - high), high - head.y - head.height, after];
            })"""
        )
        assert len(found) == 5
        for height, above, below, after in found:
            assert height > 7 and min(above, below) > -8 and after


def test_a_curve_that_leaves_the_plane_is_marked(open_figure):
    pairs = [[-2.2, 3], [-1.0, 1.6], [0.2, 3], [1.2, 1.5], [2.3, -0.8]]
    page = open_figure(MemoryRegressionFigure(pairs=pairs))
    keys, values = tensors(pairs)
    degrees = torch.arange(-90, 91, dtype=torch.float64).deg2rad()
    circle = torch.stack([degrees.cos(), degrees.sin()], dim=-1)
    highest = (circle @ (values.mT @ keys)[0]).max().item()
    mark = page.page.get_by_text(f"▲ linear up to {highest:.2f}")
    assert highest > 4 and mark.count() == 1
    page.set(pairs=PAIRS)
    assert page.page.get_by_text("▲").count() == page.page.get_by_text("▼").count() == 0


def test_linear_and_delta_differ_in_colour_and_the_squares_are_named(open_figure):
    page = open_figure(MemoryRegressionFigure(least_squares=True), width=390)
    legend = {
        text: page.page.locator("svg g", has_text=text).last.locator(f"text:text-is('{text}')")
        for text in ("pair", "linear", "delta rule", "least squares")
    }  # fmt: skip
    assert all(name.count() == 1 for name in legend.values())
    strokes = page.page.locator("svg path[stroke-dasharray='9 5'], svg path[stroke-width='2.8']")
    colours = strokes.evaluate_all("(paths) => paths.map((p) => getComputedStyle(p).stroke)")
    assert len(set(colours)) == 3
    top = page.page.locator("svg text:text-is('4')").first.bounding_box()["y"]
    last = legend["least squares"].bounding_box()
    assert last["y"] + last["height"] <= top + 2


def test_by_slider_and_checkbox(open_figure):
    page = open_figure(MemoryRegressionFigure())
    for count in (1, 3, 5):
        page.slide("written", count)
        read = read_by_the_package(PAIRS[:count], 20.0, 1.0, 1.0)
        value = tensors(PAIRS[:count])[1][:, 0]
        for name in ("softmax", "linear", "delta", "best"):
            error = (read[name] - value).square().mean().sqrt().item()
            assert page.read(name) == pytest.approx(error, abs=1e-9)
    page.slide("decay", 0.5)
    page.slide("beta", 0.5)
    assert page.state("decay") == 0.5 and page.state("beta") == 0.5
    assert "With β = 0.5, writing pair 5" in said(page)
    curves = page.page.locator("svg path[stroke-dasharray], svg path")
    before = curves.count()
    page.page.locator('input[data-control="least_squares"]').check()
    page.settle()
    assert curves.count() == before + 1


def test_by_mouse_and_by_keyboard(open_figure):
    page = open_figure(MemoryRegressionFigure())
    page.press("pair-2", "ArrowRight")
    assert page.state("pairs")[1] == pytest.approx([-0.9, 1.6])
    page.press("pair-2", "ArrowDown")
    assert page.state("pairs")[1] == pytest.approx([-0.9, 1.5])
    before = page.read("linear")
    page.drag("pair-3", dx=40, dy=-20)
    moved = page.state("pairs")[2]
    assert moved[0] > 0.2 and moved[1] > 0.4
    assert page.read("linear") != before
    page.page.locator('[data-control="reset"]').click()
    page.settle()
    assert page.state("pairs") == PAIRS


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    page = open_figure(MemoryRegressionFigure(), width=390, theme=theme)
    page.require_fit()


def test_a_phone_shows_controls_drawing_and_sentence_together(open_figure):
    page = open_figure(MemoryRegressionFigure(), width=390)
    card, controls, sentence = (
        page.page.locator(f".ab-{name}").first.bounding_box() for name in ("card", "controls", "said")
    )
    assert controls["height"] <= 170
    assert sentence["y"] + sentence["height"] - card["y"] <= 844
    assert page.page.get_by_role("button", name="Two values for one key").is_visible()


@pytest.mark.parametrize(
    ("error", "match", "bad"),
    [
        (ValueError, "2 to 8 points", {"pairs": [[0, 0]]}),
        (ValueError, r"one of them is \[0, 3.5\]", {"pairs": [[0, 3.5], [0, 0]]}),
        (ValueError, "step size.*got 3", {"beta": 3}),
        (ValueError, "from 0.5 to 1; got 0", {"decay": 0}),
        (TypeError, "has no gamma", {"gamma": 1}),
    ],
)
def test_bad_values(error, match, bad):
    with pytest.raises(error, match=match):
        MemoryRegressionFigure(**bad)
