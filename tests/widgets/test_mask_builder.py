"""The mask builder: its mathematics against the package and torch, moved by mouse and keyboard."""

import math

import pytest
import torch
from torch.testing import assert_close
from traitlets import TraitError

from attnbook.attention import conventions, masks
from attnbook.widgets import MaskBuilderFigure
from attnbook.widgets.mask_builder import drawn_scores

CONVERTERS = {
    "book": lambda mask: mask,
    "blocked": conventions.to_blocked,
    "binary": conventions.to_binary,
    "additive": conventions.to_additive,
}
NAMES = {"book": "mask", "blocked": "blocked", "binary": "attention_mask", "additive": "bias"}
WORDS = {
    "book": "True = may attend (this book, F.scaled_dot_product_attention)",
    "blocked": "True = blocked (nn.MultiheadAttention)",
    "binary": "1 and 0 (Hugging Face)",
    "additive": "0 and −∞, added to the scores",
}


def by_torch(policy, scores, mask):
    """The four policies in torch's own words, in float64."""
    if policy == "zeros":
        return masks.masked_softmax(scores, mask=mask)
    if policy == "multiply":
        return scores.softmax(-1) * mask
    return scores.masked_fill(~mask, {"minus_inf": -torch.inf, "minus_1e6": -1e6}[policy]).softmax(-1)


def table(values):
    return torch.tensor(values, dtype=torch.float64)


def cell_texts(page, name, n):
    """The numbers written in a table of the figure."""
    return [[page.page.locator(f'[data-cell="{name}-{i}-{j}"]').text_content() for j in range(n)] for i in range(n)]


def run(code):
    """The names that a piece of the figure's code defines, as a reader who pastes it gets them."""
    names = {}
    exec(code, names)
    return names


@pytest.fixture
def page(open_figure):
    return open_figure(MaskBuilderFigure())


@pytest.mark.parametrize("policy", ["zeros", "minus_inf", "minus_1e6", "multiply"])
def test_weights_equal_torch(maths, policy):
    generator = torch.Generator().manual_seed(3)
    for n in (2, 5, 7):
        scores = torch.randn(n, n, generator=generator, dtype=torch.float64) * 2
        mask = torch.rand(n, n, generator=generator) < 0.6
        mask[0] = False  # a row with nothing to attend to
        mask[1] = True
        weights = table(maths("weightsUnder", policy, scores.tolist(), mask.tolist()))
        assert_close(weights, by_torch(policy, scores, mask), rtol=0, atol=1e-12, equal_nan=True)


def test_a_fully_masked_row_in_four_ways(maths):
    scores, nothing = [1.0, 2.0, 3.0, 4.0], [False] * 4
    assert maths("rowWeights", "zeros", scores, nothing) == [0, 0, 0, 0]
    assert all(math.isnan(a) for a in maths("rowWeights", "minus_inf", scores, nothing))
    assert maths("rowWeights", "minus_1e6", scores, nothing) == [0.25] * 4
    assert maths("rowWeights", "multiply", scores, nothing) == [0, 0, 0, 0]


def test_multiplying_afterwards_does_not_sum_to_one(maths):
    kept = maths("rowWeights", "multiply", [1, 2, 3, 4], [True, True, False, False])
    assert kept == pytest.approx([0.0321, 0.0871, 0, 0], abs=1e-4)
    assert sum(kept) < 0.2


@pytest.mark.parametrize("n", [2, 5, 8])
@pytest.mark.parametrize("causal", [False, True])
def test_the_rules_equal_the_package(maths, n, causal):
    for length in range(n + 1):
        expected = masks.sequence_mask(torch.tensor(length), n).expand(n, n)
        if causal:
            expected = expected & masks.causal_mask(n)
        assert maths("buildMask", n, length, causal) == expected.tolist()
        rule = maths("maskRule", n, length, causal)
        scope = {"torch": torch, "sequence_mask": masks.sequence_mask, "causal_mask": masks.causal_mask}
        assert eval(rule, scope).tolist() == expected.tolist()


def test_hand_edits_win_and_switch_back(maths):
    edits = maths("toggleCell", 5, 3, False, [], 0, 4)
    assert edits == [[0, 4, True]]
    assert maths("buildMask", 5, 3, False, edits)[0] == [True, True, True, False, True]
    assert maths("toggleCell", 5, 3, False, edits, 0, 4) == []
    blocked = maths("blockRow", 5, 3, False, [[2, 4, True], [1, 0, False]], 2)
    mask = maths("buildMask", 5, 3, False, blocked)
    assert mask[2] == [False] * 5
    assert mask[1] == [False, True, True, False, False]


@pytest.mark.parametrize("convention", list(CONVERTERS))
def test_the_printed_code_runs_and_is_the_mask(page, convention):
    figure = MaskBuilderFigure()
    for causal, edits in ((False, []), (True, []), (True, [[0, 4, True], [4, 0, False], [4, 1, False], [4, 2, False]])):
        page.set(causal=causal, edits=edits, convention=convention)
        mask = torch.tensor(page.math("buildMask", 5, figure.valid_len, causal, edits))
        written = run(page.text("code"))[NAMES[convention]]
        assert_close(written, CONVERTERS[convention](mask), rtol=0, atol=0)


def test_the_code_names_rule_and_short_form_where_they_hold(page):
    assert "# by rule: sequence_mask(torch.tensor(3), 5).expand(5, 5)" in page.text("code")
    page.set(edits=[[0, 0, False]])
    assert "by rule" not in page.text("code")
    page.set(edits=[], convention="binary")
    short = page.text("code").split("# as (B, S): ")[1]
    assert eval(short, {"torch": torch}).tolist() == [[1, 1, 1, 0, 0]]
    page.tick("causal")
    assert "(B, S)" not in page.text("code")


def test_the_selector_of_conventions(page):
    for convention, words in WORDS.items():
        page.choose("convention", words)
        assert page.state("convention") == convention
        assert NAMES[convention] in run(page.text("code"))


def test_the_code_can_be_copied(page):
    page.spent = True
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("Copy")
    page.page.get_by_text("Copied", exact=True).wait_for()
    assert run(page.page.evaluate("navigator.clipboard.readText()"))["mask"].shape == (5, 5)


def test_what_is_drawn_is_what_the_package_computes(page):
    figure = MaskBuilderFigure()
    page.slide("valid_len", 4)
    page.tick("causal")
    mask = masks.sequence_mask(torch.tensor(4), 5) & masks.causal_mask(5)
    expected = masks.masked_softmax(table(figure.scores), mask=mask)
    shown = cell_texts(page, "weight", 5)
    for i in range(5):
        for j in range(5):
            assert float(shown[i][j]) == pytest.approx(expected[i, j].item(), abs=0.005 + 1e-9)
            assert (shown[i][j] == "0") == (not mask[i, j])


def sum_text(page, policy):
    """The sum of the chosen row, as it is written beside a policy's row."""
    return page.page.locator(f'[data-sum="sum-{policy}"]').text_content()


def test_the_rows_sums_under_the_four_policies(page):
    page.press("grid", "ArrowDown", "ArrowDown")
    scores, mask = (table(MaskBuilderFigure().scores)[2], torch.tensor([True, True, True, False, False]))
    for policy in ("zeros", "minus_inf", "minus_1e6", "multiply"):
        expected = by_torch(policy, scores[None], mask[None]).sum().item()
        assert float(sum_text(page, policy)) == pytest.approx(expected, abs=0.005)
    page.click("Mask row")
    assert sum_text(page, "zeros") == sum_text(page, "multiply") == "0"
    assert sum_text(page, "minus_inf") == "NaN"
    assert sum_text(page, "minus_1e6") == "1.00"
    assert [page.page.locator(f'[data-cell="minus_1e6-{j}"]').text_content() for j in range(5)] == ["0.20"] * 5
    page.choose("policy", "fill −∞")
    assert cell_texts(page, "weight", 5)[2] == ["NaN"] * 5
    assert cell_texts(page, "weight", 5)[1][3:] == ["0", "0"]


def test_a_click_switches_a_cell_in_either_table(page):
    page.drag("score-1-2", 0, 0)
    assert page.state("edits") == [[1, 2, False]]
    assert page.state("cell") == [1, 2]
    page.drag("weight-0-3", 0, 0)
    assert page.state("edits") == [[1, 2, False], [0, 3, True]]
    page.drag("weight-0-3", 0, 0)
    page.click("Undo edits")
    assert page.state("edits") == []


def test_a_drag_changes_the_score_and_not_the_mask(page):
    page.drag("score-1-2", 0, -40)
    assert page.state("scores")[1][2] == pytest.approx(0.0)  # −1.0 and ten tenths, one for 4 pixels
    assert page.state("edits") == []
    page.drag("score-1-2", 0, 60)
    assert page.state("scores")[1][2] == pytest.approx(-1.5)
    assert page.state("edits") == []
    assert page.read("score") == pytest.approx(-1.5)


def test_the_keyboard_chooses_switches_and_scores(page):
    page.press("grid", "ArrowDown", "ArrowRight", "ArrowRight")
    assert page.state("cell") == [1, 3]
    page.press("grid", "Space")
    assert page.state("edits") == [[1, 3, True]]
    page.press("grid", "Enter")
    assert page.state("edits") == []
    page.press("grid", "+", "+", "-", "PageUp")
    assert page.state("scores")[1][3] == pytest.approx(2.6)
    page.press("grid", "End", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp")
    assert page.state("cell") == [0, 4]
    chosen = page.handle("grid").get_attribute("aria-activedescendant")
    words = page.page.locator(f"#{chosen}").get_attribute("aria-label")
    assert words == "query Learn, key <pad>: score 5.0, masked, weight 0"


def test_the_chosen_cell_by_slider_and_button(page):
    page.slide("scores", -4.5)
    assert page.state("scores")[0][1] == pytest.approx(-4.5)
    page.press("scores", "ArrowRight")
    assert page.state("scores")[0][1] == pytest.approx(-4.4)
    page.click("Mask cell")
    assert page.state("edits") == [[0, 1, False]]
    assert cell_texts(page, "weight", 5)[0][1] == "0"
    page.click("Open cell")
    assert page.state("edits") == []


def test_new_scores_are_seeded(page):
    seen = [page.state("scores")]
    for _ in range(5):
        page.click("New scores")
        assert page.state("scores") == page.math("nextScores", seen[-1])
        assert page.state("scores") not in seen
        seen.append(page.state("scores"))
    for n in (3, 6):
        assert_close(table(page.math("drawScores", 0, n)), table(drawn_scores(n)), rtol=0, atol=1e-12)


def test_reset_restores_everything(page):
    first = {name: page.state(name) for name in MaskBuilderFigure().state()}
    page.drag("score-1-2", 0, 0)
    page.drag("score-0-0", 0, -30)
    page.slide("valid_len", 0)
    page.tick("causal")
    page.choose("policy", "multiply afterwards")
    page.choose("convention", WORDS["additive"])
    page.reset()
    assert {name: page.state(name) for name in first} == first


@pytest.mark.parametrize("n", [2, 5, 6])
def test_it_fits_on_a_phone(open_figure, n):
    tokens = ["attention", "is", "all", "need", "<pad>", "<pad>"][:n] if n != 5 else MaskBuilderFigure().tokens
    page = open_figure(MaskBuilderFigure(tokens=tokens, causal=True), width=390)
    page.require_fit()


def test_lengths_and_scores_follow_the_sentence():
    assert MaskBuilderFigure().valid_len == 3
    assert MaskBuilderFigure(tokens=["a", "b"]).valid_len == 2
    figure = MaskBuilderFigure(tokens=["a", "b", "c", "<pad>"], cell=[3, 0])
    assert figure.valid_len == 3
    assert figure.scores == drawn_scores(4)
    assert "a b c <pad>" in figure.alt_text()


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"tokens": "Learn to code"}, TypeError, "split the sentence first"),
        ({"tokens": ["one"]}, ValueError, "2 to 6 words"),
        ({"tokens": ["a", 3]}, TypeError, "one of them is 3"),
        ({"tokens": ["a", "x" * 11]}, ValueError, "1 to 10 characters"),
        ({"tokens": ["a", "b\nc"]}, ValueError, "line breaks"),
        ({"scores": 3}, TypeError, "list of 5 lists of 5 numbers"),
        ({"scores": [[1.0, 2.0]] * 5}, ValueError, r"lists of 5 numbers .*; one of them is \[1.0, 2.0\]"),
        ({"scores": [[1.0] * 4 + ["2"]] * 5}, TypeError, "one of them is '2'"),
        ({"scores": [[float("-inf")] * 5] * 5}, ValueError, "a masked cell belongs in the mask"),
        ({"scores": [[float("nan")] * 5] * 5}, ValueError, "from -9 to 9; one of them is nan"),
        ({"valid_len": 6}, ValueError, "whole number from 0 to 5; got 6"),
        ({"valid_len": 2.5}, ValueError, "whole number from 0 to 5; got 2.5"),
        ({"causal": 1}, TypeError, "True or False"),
        ({"edits": {}}, TypeError, "True = may attend"),
        ({"edits": [[0, 1, 1]]}, TypeError, r"one of them is \[0, 1, 1\]"),
        ({"edits": [[0, 5, True]]}, ValueError, r"from 0 to 4.*; one of them is \[0, 5"),
        ({"edits": [[0, 1, True], [0, 1, False]]}, ValueError, "each cell once"),
        ({"convention": "pytorch"}, ValueError, "one of 'book', 'blocked', 'binary', 'additive'"),
        ({"policy": "-inf"}, ValueError, "'minus_inf'"),
        ({"cell": 3}, TypeError, "query index, key index"),
        ({"cell": [0, 5]}, ValueError, r"from 0 to 4; got \[0, 5\]"),
        ({"colour": "red"}, TypeError, "has no colour"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        MaskBuilderFigure(**traits)


def test_traits_are_checked_when_set_later():
    figure = MaskBuilderFigure()
    with pytest.raises(ValueError, match="make a new figure"):
        figure.tokens = ["a", "b"]
    with pytest.raises((ValueError, TraitError), match="from 0 to 5"):
        figure.valid_len = 9
    figure.edits = [(0, 4, True)]
    assert figure.edits == [[0, 4, True]]
    assert figure.valid_len == 3


def test_a_tensor_of_scores_is_welcome():
    assert MaskBuilderFigure(scores=torch.zeros(5, 5)).scores == [[0.0] * 5] * 5


def test_the_tools_are_one_stop_and_the_arrow_keys_lead_through_them(open_figure):
    page = open_figure(MaskBuilderFigure())
    tools = page.page.get_by_role("toolbar").get_by_role("button")
    stops = lambda: [tool.get_attribute("tabindex") for tool in tools.all()]  # noqa: E731
    assert stops() == ["0", "-1", "-1", "-1"]
    tools.first.focus()
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    assert stops() == ["-1", "-1", "-1", "0"]
    before = page.state("scores")
    page.page.keyboard.press("Enter")
    page.settle()
    assert page.state("scores") != before
    page.page.keyboard.press("ArrowRight")  # and round again
    assert tools.first.evaluate("(node) => node === document.activeElement")


STOPS = """[...document.querySelectorAll(".ab-card :is(button, select, input, [tabindex])")]
  .filter((node) => node.tabIndex >= 0 && node.getClientRects().length).length"""


def test_every_stop_of_the_tab_key_has_a_use(open_figure):
    page = open_figure(MaskBuilderFigure())
    # reset, length, causal, policy, score, tools, table, convention, copy, code
    assert page.page.evaluate(STOPS) == 10


@pytest.mark.parametrize("width", [390, 1000])
def test_four_policies_stand_above_the_sentence_that_compares_them(open_figure, width):
    page = open_figure(MaskBuilderFigure(), width=width)
    said = page.page.locator(".ab-said")
    row = page.page.locator('[data-sum="sum-multiply"]')
    assert "multiplying afterwards keeps only 0.13" in said.inner_text()
    assert row.text_content() == "0.13"
    assert 0 < said.bounding_box()["y"] - row.bounding_box()["y"] < 120


HEIGHT = "document.querySelector('.ab-card').offsetHeight"


@pytest.mark.parametrize("width", [390, 1000])
def test_no_notation_or_policy_changes_the_height(open_figure, width):
    page = open_figure(MaskBuilderFigure(), width=width)
    tall = page.page.evaluate(HEIGHT)
    for convention in WORDS:
        for policy in ("zeros", "minus_inf", "minus_1e6", "multiply"):
            page.set(convention=convention, policy=policy)
            assert page.page.evaluate(HEIGHT) == tall


def test_the_sentence_agrees_with_the_numbers(page):
    """For every row, length and a few tables of scores; nine tenths or more are not called “only”."""
    for seed in range(3):
        scores = page.math("drawScores", seed, 5)
        scores[4] = [9.0, -9.0, 6.8, -9.0, 0.0]
        page.set(scores=scores)
        for length in range(6):
            mask = masks.sequence_mask(torch.tensor(length), 5).expand(5, 5)
            kept = by_torch("multiply", table(scores), mask).sum(-1)
            for i in range(5):
                page.set(valid_len=length, cell=[i, 0])
                said = page.page.locator(".ab-said").inner_text()
                if length == 0:
                    assert "0.20 for every masked key" in said
                elif length == 5:
                    assert "all four policies agree" in said
                else:
                    assert f"to {length} of 5 keys" in said
                    words = f"keeps {'only ' * bool(kept[i] <= 0.9)}{kept[i]:.2f}:"
                    small, hardly = "keeps almost nothing", "hardly differs"
                    expected = hardly if kept[i] >= 0.995 else words
                    assert (small if kept[i] < 0.005 else expected) in said


def test_a_finger_is_told_what_a_finger_can_do(page):
    """Dragging is for the mouse: a finger that moves scrolls the page."""
    hint = page.page.locator(".ab-hint")
    assert "drag" in hint.inner_text()
    touch = page.page.context.browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ).new_page()
    touch.goto(page.page.url)
    hint = touch.locator(".ab-hint")
    hint.wait_for()
    said = hint.inner_text()
    touch.context.close()
    assert said.startswith("Tap a cell") and "drag" not in said
    assert "Keyboard" not in said


def test_names_of_keys_do_not_touch(open_figure):
    page = open_figure(MaskBuilderFigure(), width=390)
    boxes = [
        text.bounding_box()
        for text in page.page.locator("svg >> nth=0").locator("text").all()
        if text.text_content() == "<pad>"
    ]
    first, second = [box for box in boxes if box["y"] == min(b["y"] for b in boxes)]
    assert second["x"] - first["x"] - first["width"] >= 4
