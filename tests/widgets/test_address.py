"""The link to a figure's state: it holds all that was moved, leads back to what was seen, and is harmless if broken."""

import json
import re
import time
from urllib.parse import quote

import pytest
import torch
from driving import LOOK, QUIET, every_control
from traitlets import TraitError

from attnbook import widgets
from attnbook.widgets import AttentionViewer, QueryKeyValueFigure, StoredFrames

DOT = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"


def viewer():
    weights = torch.randn(1, 2, 3, 7, 7, generator=torch.Generator().manual_seed(0))
    return AttentionViewer(list(weights.softmax(-1).transpose(0, 1)))


def frames():
    return StoredFrames(
        title="Two",
        hint="",
        frames=[{"name": name, "says": [name], "picture": DOT, "alt": name} for name in ("one", "two")],
    )


FIGURES = {name: getattr(widgets, name) for name in widgets.FIGURES} | {
    "AttentionViewer": viewer,
    "StoredFrames": frames,
}
STATES = {  # what was reported as forgotten, in the figure's own traits
    "QueryKeyValueFigure": {"query": [0.25, -1.5]},
    "MemoryRegressionFigure": {"beta": 0.5},
    "TranslatePageFigure": {"sentence": "Attention is all you need.", "at": -1},
    "MaskBuilderFigure": {"edits": [[0, 1, False], [2, 2, False]]},
}
HOSTILE = [
    "sharpness=9999",
    "query=[1,2,3]",
    'query=["<img src=x onerror=alert(1)>",0]',
    "query=<script>alert(1)</script>",
    "named=false",  # no reader can change it
    "__proto__=1",
    "constructor=1",
    "%E0%A4%A",
    "key=[[0,0]]",  # it has three
    "query",
    "query=null",
    "nobody=1",
    ".open=null",
]


@pytest.fixture
def visit(open_figure):
    """A function: figure, what its address says → the page, opened anew with that address."""

    def at(figure, address, **options):
        page = open_figure(figure, address=address, **options)
        rest(page)
        return page

    return at


def go(page, url):
    """Opens an address as from a mail: not from a page that shows the figure already."""
    page.page.goto("about:blank")
    page.page.goto(url)
    rest(page)


def rest(page):
    """Waits until what a link brought is drawn."""
    page.page.evaluate(QUIET)
    page.page.wait_for_timeout(60)
    page.settle()


def look(page):
    page.page.mouse.move(0, 0)
    return page.page.evaluate(f"async () => {{ document.activeElement.blur(); await ({QUIET})(); return ({LOOK})(); }}")


def both(page, second, seen):
    """What is seen on two pages, once it is the same, or after five seconds: another model's answer may come late."""
    end = time.monotonic() + 5
    while (again := look(second)) != seen and time.monotonic() < end:
        seen = look(page)
    return seen, again


# as a reader does who puts a link into the address of an open page
GO_ON = """async (hash) => {
  const to = Object.assign(new URL(location), { hash }).href;
  if (to === location.href) return;
  await new Promise((come) => { addEventListener("hashchange", come, { once: true }); location.href = to; });
}"""


def link_of(page):
    link = page.page.get_by_role("link", name="Link to this state")
    link.focus()
    return link.evaluate("(link) => link.href")


def word(page):
    return page.page.locator(".ab-link-said").inner_text()


@pytest.mark.parametrize("name", FIGURES)
def test_whatever_is_moved_comes_back_by_the_link(open_figure, name):
    page, second = (open_figure(FIGURES[name](), width=1000, still=True) for _ in range(2))
    rest(page)
    rest(second)
    moved, lost = set(), []
    for what in every_control(page):
        seen = look(page)  # first: it takes the mouse away from what it points at
        hash_of = "#" + link_of(page).split("#")[1]
        second.page.evaluate(GO_ON, hash_of)
        seen, again = both(page, second, seen)
        if again != seen or word(second):
            lines = seen.split("\n"), again.split("\n")
            differs = [pair for pair in zip(*lines, strict=False) if pair[0] != pair[1]]
            lost.append((what, hash_of, differs[:2], len(again) - len(seen)))
        moved |= set(re.findall(r"(?:--|&)([^=&]+)=", hash_of))
    assert moved and not lost
    go(second, link_of(page))
    seen, again = both(page, second, look(page))
    assert again == seen
    second.page.reload()
    go(second, second.page.url)
    seen, again = both(page, second, look(page))
    assert again == seen


# Buttons that bring something else at every press: the button, the trait that it moves, what has to be there before.
ANEW = {
    "MaskBuilderFigure": ("New scores", "scores", {}),
    "InductionHeadsFigure": ("New row", "seed", {}),
    "PositionExplorerFigure": ("Shuffle the words", "order", {"view": "shuffle"}),
    "SaturationFigure": ("New sample", "seed", {}),
    "SamplingExplorerFigure": ("New seed", "seed", {"draws": 100}),
    "WritePageFigure": ("New seed", "seed", {"loaded": True}),
    "TranslatePageFigure": ("Another held-out sentence", "sentence", {}),
}


@pytest.mark.parametrize("name", ANEW)
def test_after_a_link_a_press_brings_something_else(visit, name):
    """It depends on what the link restores, and not on how often something was pressed before."""
    (button, trait, given), figure = ANEW[name], FIGURES[name]

    def press(page):
        page.page.evaluate(QUIET)
        if not page.page.get_by_role("button", name=button).is_enabled():
            page.click("Draw 100")
        page.page.get_by_role("button", name=button).click()
        page.page.evaluate(QUIET)
        return page.state(trait)

    page = visit(figure(**given), "")
    first, once = page.state(trait), press(page)
    hash_of = link_of(page).split("#")[1]
    again = visit(figure(**given), f"#{hash_of}")
    assert again.state(trait) == once != first
    assert press(again) != once


@pytest.mark.parametrize("name", STATES)
def test_dragged_typed_and_masked(visit, name):
    figure, state = FIGURES[name], STATES[name]
    parts = "&".join(f"{trait}={quote(repr(v))}" for trait, v in state.items())
    parts = parts.replace("False", "false").replace(quote("'"), quote('"'))
    page = visit(figure(), f"#fig-{figure.module}--{parts}")
    assert {trait: page.state(trait) for trait in state} == state
    assert word(page) == ""


def test_a_click_says_that_it_has_copied(open_figure):
    page = open_figure(QueryKeyValueFigure())
    page.spent = True
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.press("query", "ArrowRight")
    region = page.page.locator(".ab-link-said")
    assert region.get_attribute("role") == "status" and word(page) == ""
    page.page.get_by_role("link", name="Link to this state").click()
    page.page.wait_for_function("document.querySelector('.ab-link-said').textContent !== ''")
    assert word(page) == "Copied: a link to what you see"
    assert page.page.evaluate("navigator.clipboard.readText()") == page.page.url
    assert "query=" in page.page.url
    page.press("query", "ArrowRight")
    assert word(page) == ""  # the link is no longer to what is seen


def test_where_the_clipboard_is_refused_the_link_is_shown_and_selected(open_figure):
    page = open_figure(QueryKeyValueFigure())
    page.page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('no') } }")
    page.press("query", "ArrowRight")
    page.page.get_by_role("link", name="Link to this state").click()
    field = page.page.get_by_role("textbox", name="Link to this state")
    field.wait_for()
    assert page.page.evaluate("getSelection().toString()") or field.evaluate(
        "(field) => field.selectionEnd - field.selectionStart === field.value.length"
    )
    assert field.input_value() == page.page.url
    assert "to copy" in word(page)


@pytest.mark.parametrize("broken", HOSTILE)
def test_a_broken_link_leaves_the_start_and_says_so(visit, broken):
    figure = QueryKeyValueFigure()
    page = visit(figure, f"#fig-query_key_value--sharpness=0.5&{broken}")
    assert {name: page.state(name) for name in figure.state()} == figure.state()
    assert "does not fit" in word(page) and page.live
    assert page.page.locator(".ab-card").count() == 1
    assert page.page.locator(".attnbook-figure img[onerror]").count() == 0


@pytest.mark.parametrize(
    ("name", "trait", "twice"),
    [
        ("MaskBuilderFigure", "edits", "[[0,1,true],[0,1,false]]"),
        ("InductionHeadsFigure", "edits", "[[3,1],[3,2]]"),
        ("AttentionPatternsFigure", "off", "[[1,1],[1,1]]"),
        ("PositionExplorerFigure", "order", "[0,1,1,2,3]"),
    ],
)
def test_what_may_be_there_only_once_fits_only_once(visit, name, trait, twice):
    figure = FIGURES[name]()
    page = visit(figure, f"#fig-{figure.module}--{trait}={twice}")
    assert page.state(trait) == getattr(figure, trait)
    assert "does not fit" in word(page)


def test_what_fits_each_trait_but_not_the_figure_leaves_the_start_too(visit):
    figure = FIGURES["MaskBuilderFigure"]()
    page = visit(figure, "#fig-mask_builder--scores=[[1,2],[3,4]]")
    assert page.state("scores") == figure.scores
    assert "does not fit" in word(page)


def test_a_text_is_as_long_as_python_counts_it(visit):
    """Some characters take two places in JavaScript's strings; 70 of them fit a trait of at most 120."""
    figure, sentence = FIGURES["TranslatePageFigure"](), "\N{GIRAFFE FACE}" * 70
    page = visit(figure, f'#fig-{figure.module}--sentence="{quote(sentence)}"')
    assert page.state("sentence") == sentence
    assert word(page) == ""
    page = visit(figure, f'#fig-{figure.module}--sentence="{quote(sentence * 2)}"')
    assert page.state("sentence") == figure.sentence
    assert "does not fit" in word(page)


def test_another_figures_address_changes_nothing(visit):
    page = visit(QueryKeyValueFigure(), "#fig-mask_builder--sharpness=0.5")
    assert page.state("sharpness") == QueryKeyValueFigure().sharpness
    assert word(page) == ""


def test_the_second_of_two_like_figures_has_a_link_of_its_own(open_html):
    page = open_html(2 * QueryKeyValueFigure().to_html())
    link = page.page.get_by_role("link", name="Link to this state").nth(1)
    page.page.locator('select[data-control="score"]').nth(1).select_option(index=1)
    link.focus()
    go(page, link.evaluate("(link) => link.href"))
    assert "#fig-query_key_value-2--" in page.page.url
    chosen = page.page.locator('select[data-control="score"]')
    assert [chosen.nth(i).evaluate("(s) => s.selectedIndex") for i in (0, 1)] == [0, 1]


def test_scripts_that_come_without_limits_take_no_link(open_module):
    source = """
    import { figure } from "../kit/card.js";
    function render({ model, el }) {
      const fig = figure({ model, el, title: "A probe" });
      fig.slider("n", { label: "n", min: 0, max: 9 });
      return fig.start(() => ({}));
    }
    export default { render, math: {} };
    """
    page = open_module(source, {"n": 3})
    name = page.page.evaluate("Object.keys(attnbook.widgets)[0]")
    go(page, f"{page.page.url}#fig-{name}--n=5")
    assert page.state("n") == 3 and page.live
    assert "does not fit" in word(page)


def edges_of(limits):
    """Values at the edges of what a trait takes, the smallest first."""
    if "among" in limits:
        return limits["among"]
    if "text" in limits:
        return ["x" * limits.get("least", 0), "x" * limits["text"]]
    if "each" in limits:
        low, high = ([edges_of(one)[at] for one in limits["each"]] for at in (0, -1))
        return [low, *([*low[:at], high[at], *low[at + 1 :]] for at in range(len(low))), high]
    if "list" in limits:
        sizes = {max(limits["from"], 1), limits["from"], limits["to"]}
        return [[item] * size for size in sorted(sizes) for item in edges_of(limits["list"]) if size < 50]
    return [limits.get("from", -1.5), limits.get("to", 1.5)]


def damaged(value):
    """A value with a part less, or more, anywhere in it: what a cut link holds."""
    if isinstance(value, list) and value:
        yield value[:-1]
        yield [*value, value[-1]]
        yield from ([*value[:at], hurt, *value[at + 1 :]] for at in (0, len(value) - 1) for hurt in damaged(value[at]))


def refused(name, trait, value):
    figure = FIGURES[name]()
    try:
        setattr(figure, trait, value)
    except (TypeError, ValueError, TraitError):
        return True
    return False


# what is drawn is the nearest that there is: a reader leaves such states behind, too, so that they are in links
CUT = {
    "BeamTreeFigure": {"sentence", "target"},
    "PositionExplorerFigure": {"frequency"},
    "ShapeTracerFigure": {"cell"},
    "AttentionPatternsFigure": {"query"},
    "AttentionViewer": {"layer", "head", "query", "key"},
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_page_takes_from_a_link_what_python_takes(open_figure, name):
    """Every trait that moves, also where its limits depend on another's: no table is ragged, no index leads out."""
    figure = FIGURES[name]()
    page = open_figure(figure, still=True)
    held = page.page.evaluate("[...document.querySelector('.ab-card').abFirst.keys()].sort()")
    assert held and set(held) <= set(type(figure).limits())
    wrong = []
    for trait in held:
        first, hurt = getattr(figure, trait), set()
        for value in [*edges_of(type(figure).limits()[trait]), *damaged(first)]:
            page.page.evaluate(GO_ON, f"#fig-{figure.module}--{trait}={quote(json.dumps(value))}")
            if bool(word(page)) != refused(name, trait, value):
                hurt.add((trait, str(value)[:60], word(page)))
        if trait in CUT.get(name, ()):
            assert hurt and not any(said for *_, said in hurt)
        else:
            wrong += hurt
    assert not wrong and page.live
