"""The figure of induction heads: the browser's model is the package's, and what is said holds wherever one looks."""

import math
import re

import numpy as np
import pytest
import torch

from attnbook.attention import prefix_matching
from attnbook.studies import NUM_SYMBOLS, stored_induction
from attnbook.widgets import InductionHeadsFigure
from attnbook.widgets.induction_heads import DATA, LENGTH, STEPS
from attnbook.widgets.kit.samples import seeded_uniforms

NAMES = DATA["vocabulary"]


@torch.no_grad()
def computed(step, ids):
    logits, weights = stored_induction(step)(torch.tensor([ids]), need_weights=True)
    return logits[0].softmax(-1), weights[0]


def row_of(seed, period, edits=()):
    order = np.argsort(seeded_uniforms(seed, NUM_SYMBOLS)) + 1
    ids = [0, *(int(order[t % period]) for t in range(LENGTH))]
    for at, symbol in edits:
        ids[at] = symbol
    return ids


def named(symbol):
    return f"“{NAMES[symbol]}”" if symbol else "<bos>"


@pytest.mark.parametrize(
    ("seed", "period", "edits"), [(0, 8, []), (3, 5, []), (17, 12, [[7, 3], [20, 24]]), (9999, 7, [[1, 1]])]
)
def test_rows(maths, seed, period, edits):
    ids = row_of(seed, period, edits)
    assert maths("rowOf", seed, period, edits) == ids
    if not edits:
        assert len(set(ids[1 : period + 1])) == period
        assert ids[1 + period :] == ids[1:-period]


@pytest.mark.parametrize("step", STEPS)
def test_the_model_is_the_packages(maths, step):
    for seed, period in ((5, 6), (8, 11)):
        ids = row_of(seed, period, [[9, 4]])
        probabilities, weights = computed(step, ids)
        run = maths("runModel", step, ids)
        found = torch.tensor(run["next"])
        torch.testing.assert_close(found, probabilities, atol=1e-4, rtol=0)
        for layer in range(2):
            for head in range(2):
                rows = run["weights"][layer][head]
                assert [len(row) for row in rows] == list(range(1, LENGTH + 2))
                full = torch.zeros(LENGTH + 1, LENGTH + 1)
                for i, row in enumerate(rows):
                    full[i, : i + 1] = torch.tensor(row)
                expected = weights[layer, head]
                torch.testing.assert_close(full, expected, atol=1e-4, rtol=0)


def test_the_scores_are_the_packages(open_figure):
    for step, period in ((750, 8), (300, 5), (0, 12)):
        page = open_figure(InductionHeadsFigure(step=step, period=period, seed=4))
        ids = row_of(4, period)
        _, weights = computed(step, ids)
        prefix = prefix_matching(weights, torch.tensor(ids))[1].mean()
        previous = weights[0].diagonal(-1, -2, -1).mean()
        assert page.read("prefix") == pytest.approx(prefix.item(), abs=1e-4)
        assert page.read("previous") == pytest.approx(previous.item(), abs=1e-4)


def test_a_row_without_repetition_has_no_score(open_figure):
    ids = row_of(0, 12)
    free = [s for s in range(1, NUM_SYMBOLS + 1) if s not in ids]
    edits = [[13 + i, symbol] for i, symbol in enumerate(free)]
    page = open_figure(InductionHeadsFigure(period=12, edits=edits))
    assert sorted(page.math("rowOf", 0, 12, edits)) == list(range(LENGTH + 1))
    assert page.text("prefix") == "–"


def test_the_sentence_holds_everywhere(open_figure):
    page = open_figure(InductionHeadsFigure())
    edits = [[10, 3], [11, 3], [16, 20]]
    for step, period in ((0, 5), (300, 8), (750, 11)):
        page.set(step=step, period=period, seed=2, edits=edits)
        ids = row_of(2, period, edits)
        probabilities, weights = computed(step, ids)
        layers = weights.mean(1)
        for t in range(LENGTH + 1):
            page.set(position=t)
            text = page.said
            chance, guess = (x.item() for x in probabilities[t].max(-1))
            assert page.read("chance") == pytest.approx(chance, abs=1e-4)
            ending = rf"the guess is {named(guess)}, with probability (\S+)\.$"
            assert float(re.search(ending, text)[1]) == pytest.approx(chance, abs=6e-3)
            after = [j for j in range(1, t + 1) if ids[j - 1] == ids[t]]
            if t == 0:
                assert text.startswith("<bos> can look at nothing but itself")
            elif not after:
                target = int(layers[1, t].argmax())
                looks = f"not come before. Layer 2 looks most at position {target}, "
                assert looks + named(ids[target]) in text
            else:
                start = f"{named(ids[t])} came before, "
                last = f"at position {after[-1] - 1}, followed by {named(ids[after[-1]])}. "
                assert text.startswith(start) and last in text
                often = {1: "", 2: "twice, last ", 3: "three times, last "}
                often = often.get(len(after), f"{len(after)} times, last ")
                assert text.startswith(f"{start}{often}at position ")
                one = float(re.search(r"layer 1 puts (\S+) of", text)[1])
                wanted = layers[0, after[-1], after[-1] - 1].item()
                assert one == pytest.approx(wanted, abs=6e-3)
                two = float(re.search(r"layer 2 puts (\S+) on", text)[1])
                assert two == pytest.approx(layers[1, t, after].sum().item(), abs=6e-3)


def test_training_makes_the_difference(open_figure):
    page = open_figure(InductionHeadsFigure(step=100))
    early = page.read("prefix"), page.read("chance")
    page.slide("step", len(STEPS) - 1)
    assert page.state("step") == 750
    assert early[0] < 0.3 and page.read("prefix") > 0.8
    assert early[1] < 0.5 and page.read("chance") > 0.9


def test_the_stored_scores_are_those_of_the_stored_curve():
    curve = {row[0]: row for row in DATA["curve"]}
    for snapshot in DATA["snapshots"]:
        row = curve[snapshot["step"]]
        assert snapshot["accuracy"] == pytest.approx(row[3], abs=5e-3)
        for name, scores in (("prefix", row[4]), ("previous", row[5])):
            assert np.allclose(snapshot[name], scores, atol=5e-3)


def symbols(page):
    return page.page.locator("[data-symbol]").all_text_contents()


def test_by_keyboard(open_figure):
    page = open_figure(InductionHeadsFigure())
    page.press("row", "ArrowRight", "ArrowRight", "ArrowLeft")
    assert page.state("position") == 14
    page.press("row", "b")
    assert page.state("edits") == [[14, 2]] and symbols(page)[14] == "b"
    page.press("row", "e", "y", "Home", "c")
    assert page.state("edits") == [[14, 5]] and page.state("position") == 0
    assert page.page.locator('[data-control="symbol"]').is_disabled()
    page.press("row", "End")
    assert page.state("position") == LENGTH
    page.press("period", "ArrowLeft")
    assert symbols(page) == [NAMES[i] for i in row_of(0, 7, [[14, 5]])]
    page.reset()
    assert symbols(page) == [NAMES[i] for i in row_of(0, 8)]
    assert page.state("position") == 13


def test_by_mouse(open_figure):
    page = open_figure(InductionHeadsFigure())
    cell = page.page.locator('[data-symbol="4"]').bounding_box()
    page.page.mouse.click(cell["x"] + cell["width"] / 2, cell["y"] + 5)
    page.settle()
    assert page.state("position") == 4
    page.page.locator('[data-control="symbol"]').select_option("q")
    page.settle()
    assert page.state("edits") == [[4, NAMES.index("q")]]
    box = page.handle("map-2-1").bounding_box()
    page.page.mouse.click(box["x"] + 5, box["y"] + box["height"] * 20.5 / (LENGTH + 1))
    page.settle()
    assert page.state("position") == 20
    page.click("New row")
    assert (page.state("seed"), page.state("edits")) == (1, [])
    assert symbols(page) == [NAMES[i] for i in row_of(1, 8)]


def test_arcs_are_the_weights(open_figure):
    page = open_figure(InductionHeadsFigure())
    _, weights = computed(750, row_of(0, 8))
    layers = weights.mean(1)
    target = int(layers[1, 13].argmax())
    for name, layer, start in (("first", 0, 13), ("hop", 0, target), ("second", 1, 13)):
        arcs = page.page.locator(f'[data-arc^="{name}-{start}-"]')
        found = {
            int(arc.get_attribute("data-arc").rpartition("-")[2]): float(arc.get_attribute("stroke-width"))
            for arc in arcs.all()
        }
        row = layers[layer, start, : start + 1]
        clear = {j for j, a in enumerate(row.tolist()) if abs(a - 0.02) > 1e-3}
        assert {j for j in found if j in clear} == {j for j in clear if row[j] > 0.02}
        for j, width in found.items():
            assert width == pytest.approx(0.6 + 5 * row[j].item(), abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    page = open_figure(InductionHeadsFigure(), width=390, theme=theme)
    page.require_fit()


def test_its_height_stays_while_one_moves_through_training_and_row(open_figure):
    page = open_figure(InductionHeadsFigure(), width=1000)
    height = "document.querySelector('.ab-stages').offsetHeight"
    before = page.page.evaluate(height)
    for i, step in enumerate(STEPS):
        page.set(step=step, position=(5 * i) % (LENGTH + 1))
        assert math.isclose(page.page.evaluate(height), before)


@pytest.mark.parametrize(
    ("error", "match", "bad"),
    [
        (ValueError, "steps the model has trained.*got 10", {"step": 10}),
        (ValueError, "whole number from 5 to 12; got 4", {"period": 4}),
        (ValueError, "from 0 to 24; got 25", {"position": 25}),
        (ValueError, r"one of them is \[0, 1\]", {"edits": [[0, 1]]}),
        (ValueError, r"one of them is \[1, 25\]", {"edits": [[1, 25]]}),
        (ValueError, "each once", {"edits": [[1, 2], [1, 3]]}),
        (TypeError, "has no row", {"row": "abc"}),
    ],
)
def test_bad_values(error, match, bad):
    with pytest.raises(error, match=match):
        InductionHeadsFigure(**bad)
