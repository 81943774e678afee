"""How the editor of an exercise looks."""

import pytest
from test_classroom import Reader

from tools.barriers import PHONE


@pytest.fixture(scope="module")
def reader(browser, built_book):
    """One who has written a line that is wider than the phone."""
    context = browser.new_context(offline=True, viewport=PHONE)
    reader = Reader(context, built_book)
    reader.write(f"x = '{'M' * 200}'")
    yield reader
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_code_that_is_scrolled_does_not_show_through_the_line_numbers(reader, theme):
    page = reader.page
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    scroller, numbers = (reader.cell.locator(".cm-scroller"), reader.cell.locator(".cm-gutters"))
    seen = []
    for left in (0, 200, 400):
        scroller.evaluate("(element, left) => { element.scrollLeft = left; }", left)
        page.mouse.move(0, 0)
        box = numbers.bounding_box()
        seen.append(page.screenshot(clip=box, caret="hide", animations="disabled"))
    assert scroller.evaluate("element => element.scrollLeft") == 400
    assert seen[0] == seen[1] == seen[2]
