"""The span table: the stored scores say what the sentences are, and the browser counts as the package does."""

import pytest
import torch

from attnbook.pairs import f1_score, pairs_above
from attnbook.studies import TYPES as KINDS
from attnbook.widgets import SpanTableFigure
from attnbook.widgets.span_table import DATA, LONGEST, SENTENCES, TYPES


@pytest.fixture
def page(open_figure):
    return open_figure(SpanTableFigure())


def table(row, reader):
    """A sentence's stored scores as (C, T, T), −∞ below the diagonal."""
    n = len(row["words"])
    scores = torch.full((len(TYPES), n, n), -torch.inf)
    for c, layer in enumerate(row[reader]):
        for i, line in enumerate(layer):
            scores[c, i, i:] = torch.tensor(line)
    return scores


def test_the_stored_tables_fit_their_sentences():
    assert tuple(TYPES) == KINDS and len(SENTENCES) == len(set(SENTENCES)) >= 5
    for row in DATA["sentences"]:
        n = len(row["words"])
        assert n <= LONGEST and all(0 <= i <= j < n for _, i, j in row["gold"])
        for reader in ("rotary", "plain"):
            assert [[len(line) for line in layer] for layer in row[reader]] == [list(range(n, 0, -1))] * len(TYPES)


def test_some_spans_are_missed_and_a_lower_threshold_finds_them():
    missed = 0
    for row in DATA["sentences"]:
        gold = {tuple(span) for span in row["gold"]}
        high, low = (pairs_above(table(row, "rotary")[None], threshold=t)[0] for t in (0, -20))
        missed += len(gold - high)
        assert gold - high <= low
    assert missed > 0


def counts(page):
    return {name: page.read(name) for name in ("found", "missed", "wrong", "f1")}


@pytest.mark.parametrize("reader", ["rotary", "plain"])
@pytest.mark.parametrize("threshold", [-8, 0, 5])
def test_the_browser_counts_as_the_package(page, reader, threshold):
    for row, text in zip(DATA["sentences"], SENTENCES, strict=True):
        page.set(sentence=text, threshold=threshold, rotary=reader == "rotary")
        gold = {tuple(span) for span in row["gold"]}
        said = pairs_above(table(row, reader)[None], threshold=threshold)[0]
        right = {"found": len(gold & said), "missed": len(gold - said)}
        right |= {"wrong": len(said - gold), "f1": f1_score([said], [gold])}
        assert counts(page) == pytest.approx(right)


def test_arrow_keys_choose_a_cell_and_mark_the_sentence(page):
    page.set(cell=[3, 5])
    page.press("table", "ArrowRight")
    assert page.state("cell") == [3, 6]
    marked = page.page.locator("mark").all_text_contents()
    assert marked == SENTENCES[0].split()[3:7]
    score = DATA["sentences"][0]["rotary"][0][3][3]
    shown = page.page.locator('[data-value="cell"]').text_content()
    assert f"scores {score:.1f}:".replace("-", "−") in shown


def test_a_cell_below_the_diagonal_is_no_span(page):
    page.set(cell=[5, 2])
    assert page.page.locator("mark").count() == 0
    shown = page.page.locator('[data-value="cell"]').text_content()
    assert "before it starts" in shown


def test_pointing_at_a_cell_shows_its_span(page):
    cell = page.page.locator('[data-cell="3-6"]')
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.page.wait_for_function("document.querySelectorAll('mark').length === 4")
    assert page.state("cell") == [0, 6]  # pointing chooses nothing


def test_the_threshold_by_slider_mouse_and_key(open_figure):
    page = open_figure(SpanTableFigure(threshold=15))
    page.drag("threshold", -100, 0)
    dragged = page.state("threshold")
    assert 5 < dragged < 12 and dragged % 0.5 == 0
    page.page.locator('g[data-handle="threshold"]').focus()
    page.page.keyboard.press("ArrowRight")
    page.settle()
    assert page.state("threshold") == dragged + 0.5
    page.slide("threshold", -15)
    assert page.state("threshold") == -15 and page.read("wrong") > 0


def said(page):
    return page.page.locator(".ab-said").text_content().replace("−", "-")


def test_the_sentence_asks_before_it_answers(page):
    """It says which thresholds are right once the reader has met a wrong one, or all spans where none is right."""
    assert "all 4 spans are found, and no wrong one" in said(page)
    assert "How far can you move it" in said(page) and "finds" not in said(page)
    page.press("threshold", "End")  # all are missed
    assert "Any threshold from" in said(page)
    page.slide("threshold", 0)
    assert "Any threshold from" in said(page)  # once found out, it stays
    page.choose("sentence", SENTENCES[-1])
    assert "Lower it until all 5 are found" in said(page)
    assert "No threshold" not in said(page)
    page.drag("threshold", -1000, 0)
    assert "all 5 spans are found" in said(page)
    assert "No threshold would be right" in said(page)
    page.reset()
    assert "How far can you move it" in said(page)


def test_the_sentence_says_which_thresholds_are_right(page):
    for row, text in zip(DATA["sentences"], SENTENCES, strict=True):
        gold = {tuple(span) for span in row["gold"]}
        scores = table(row, "rotary")
        right = [scores[c, i, j].item() for c, i, j in gold]
        for c, i, j in gold:
            scores[c, i, j] = -torch.inf
        high, over = scores.max().item(), int((scores >= min(right)).sum())
        page.set(sentence=text, threshold=-20)
        if over:
            assert f"{over} wrong spans score no less" in said(page)
            assert f"scores {min(right):.1f}" in said(page)
        else:
            assert f"from {high:.1f} to just below {min(right):.1f}" in said(page)


def test_a_chosen_sentence_comes_with_its_lowest_right_span(page):
    row = DATA["sentences"][-1]
    page.choose("sentence", SENTENCES[-1])
    scores = table(row, "rotary")
    kind, i, j = min(row["gold"], key=lambda span: scores[tuple(span)])
    assert scores[kind, i, j] < -10
    assert (page.state("type"), page.state("cell")) == (TYPES[kind], [i, j])


def test_a_dot_leads_to_its_cell(page):
    page.page.locator("svg text").get_by_text("✓", exact=True).nth(1).click(force=True)
    page.settle()
    assert (page.state("type"), page.state("cell")) == ("group", [3, 6])


@pytest.mark.parametrize("wrong", [{"cell": [0, LONGEST]}, {"type": "dog"}, {"threshold": 40}, {"sentence": "no"}])
def test_wrong_values_errors(wrong):
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        SpanTableFigure(**wrong)
