"""Every chapter shows its idea as a drawing on its first screen, and the drawing that fits on a phone."""

import pytest

from tools import stored_notebooks

CHAPTERS = [path.stem for path in stored_notebooks() if path.stem[:2].isdigit()]
DESK, PHONE = {"width": 1400, "height": 1000}, {"width": 390, "height": 844}


@pytest.mark.browser
@pytest.mark.parametrize("name", CHAPTERS)
def test_the_idea_is_drawn_on_the_first_screen(browser, built_book, name):
    page = browser.new_page(viewport=DESK)
    page.goto((built_book / "chapters" / f"{name}.html").as_uri())
    box = page.locator(".attnbook-drawing img").first.bounding_box()
    page.close()
    assert box is not None and box["y"] + box["height"] <= DESK["height"]


@pytest.mark.browser
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_phone_shows_the_narrow_drawings_whole(browser, built_book, name):
    page = browser.new_page(viewport=PHONE)
    page.goto((built_book / "chapters" / f"{name}.html").as_uri())
    for picture in page.locator(".attnbook-drawing img").all():
        natural = picture.evaluate("(img) => img.naturalWidth")
        box = picture.bounding_box()
        assert natural == 340
        assert 0.95 * natural < box["width"] <= natural and box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    page.close()
