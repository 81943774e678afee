"""Predictions and quizzes as a reader answers them: from a file, without network, by pointer and by keyboard."""

import re

import pytest
from test_pages import WIDE

from kept import comes_back
from tools.barriers import DESK, PHONE, barriers

CHAPTER = "chapters/04-masked-softmax.html"
SEVERAL = "chapters/09-transformer-blocks.html"
# Notes what a live region says when its content changes, as a screen reader would.
LISTEN = """
() => {
  window.heard = [];
  for (const region of document.querySelectorAll("[role=status]"))
    new MutationObserver(() => window.heard.push(region.textContent))
      .observe(region, { childList: true, subtree: true, characterData: true });
}
"""
CHECKED = "boxes => boxes.map(box => box.checked)"
# The theme stores its own things; only ours is forbidden.
FORBID = """
for (const name of ["getItem", "setItem"]) {
  const original = Storage.prototype[name];
  Storage.prototype[name] = function (key, ...rest) {
    if (key === "attnbook-choices") throw new DOMException("no", "SecurityError");
    return original.call(this, key, ...rest);
  };
}
"""


@pytest.fixture
def reader(browser, built_book):
    """A function that opens a chapter and gives the page, on which nothing may go wrong; options are the context's."""
    contexts, errors = [], []

    def open_chapter(before="", chapter=CHAPTER, **options):
        context = browser.new_context(**{"viewport": DESK, "offline": True} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda m: m.type == "error" and errors.append(m.text))
        if before:
            page.add_init_script(before)
        page.goto((built_book / chapter).as_uri())
        if options.get("java_script_enabled", True):
            page.evaluate(LISTEN)
        return page

    yield open_chapter
    for context in contexts:
        context.close()
    assert errors == []


def first_question(page):
    """The first quiz question, which has three choices; the last of them is right."""
    question = page.get_by_role("group", name="Question 1", exact=True)
    assert question.get_by_role("radio").count() == 3
    return question


def checked(question):
    return question.get_by_role("radio").evaluate_all(CHECKED)


def test_a_pointer_answers_and_each_reply_is_announced(reader):
    page = reader()
    question = first_question(page)
    question.locator("label", has_text="0.6 and 0.4").click()
    reply = question.get_by_role("status")
    assert re.match(r"✗ Not this one\s*This deals out", reply.inner_text())
    assert "✗ not this one" in question.locator("label").nth(1).inner_text()
    question.locator("label", has_text="0.625 and 0.375").click()
    assert re.match(r"✓ Correct\s*Yes\.", reply.inner_text())
    # the first attempt keeps its mark, and is what counts
    assert "✗ not this one" in question.locator("label").nth(1).inner_text()
    assert checked(question) == [False, False, True]
    heard = page.evaluate("window.heard")
    assert any("Not this one" in said for said in heard)
    assert any("Correct" in said for said in heard)
    assert heard[-1] == "0 of 1 right at the first try, 3 to go"


def test_the_keyboard_alone_answers(reader):
    page = reader()
    question = first_question(page)
    reply = question.get_by_role("status")
    page.get_by_role("group", name="Predict first").last.get_by_role("radio").first.focus()
    while not question.get_by_role("radio").first.evaluate("e => e === document.activeElement"):
        page.keyboard.press("Tab")
    assert question.get_by_text("Enter or Space answers").is_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert checked(question) == [False, False, True]
    assert reply.inner_text() == "", "an arrow key has answered"
    page.keyboard.press("Enter")
    assert reply.inner_text().startswith("✓ Correct")
    page.keyboard.press("ArrowUp")
    assert reply.inner_text().startswith("✓ Correct"), "an arrow key has answered"
    page.keyboard.press("Space")
    assert reply.inner_text().startswith("✗ Not this one")
    page.keyboard.press("Tab")
    second = page.get_by_role("group", name="Question 2")
    page.keyboard.press("Space")
    assert second.get_by_role("status").inner_text().startswith("✓ Correct")
    assert page.get_by_text("2 of 2 right at the first try, 2 to go").is_visible()


def test_answers_and_score_survive_a_reload_and_can_be_forgotten(reader):
    page = reader()
    question = first_question(page)
    question.get_by_role("radio").nth(0).check()
    question.get_by_role("radio").nth(2).check()
    for number, right in ((2, 0), (3, 1), (4, 3)):
        group = page.get_by_role("group", name=f"Question {number}")
        group.get_by_role("radio").nth(right).check()
    prediction = page.get_by_role("group", name="Predict first").first
    prediction.get_by_role("radio").nth(1).check()

    page.reload()
    assert comes_back(page, lambda: prediction.get_by_role("status").inner_text().startswith("✓ Correct"))
    assert checked(question) == [False, False, True]
    assert question.get_by_role("status").inner_text().startswith("✓ Correct")
    assert "✗" in question.locator("label").nth(0).inner_text()
    assert page.get_by_text("3 of 4 right at the first try", exact=True).is_visible()

    page.get_by_role("button", name="Start again").click()
    page.reload()
    assert comes_back(page, lambda: not page.get_by_text("right at the first try").is_visible())
    assert checked(question) == [False] * 3
    assert question.get_by_role("status").inner_text() == ""
    assert prediction.get_by_role("status").inner_text().startswith("✓ Correct")


@pytest.mark.parametrize(
    "before",
    [FORBID, "localStorage.setItem('attnbook-choices', 'not JSON')", "localStorage.setItem('attnbook-choices', '5')"],
    ids=["forbidden", "not JSON", "a number"],
)
def test_storage_that_fails_keeps_no_one_from_answering(reader, before):
    page = reader(before)
    question = first_question(page)
    question.get_by_role("radio").nth(2).check()
    assert question.get_by_role("status").inner_text().startswith("✓ Correct")
    assert page.get_by_text("1 of 1 right at the first try, 3 to go").is_visible()


def test_where_several_choices_are_right_none_is_called_wrong(reader):
    """What to conclude from a short run, in chapter 9."""
    question = reader(chapter=SEVERAL).get_by_role("group", name="Predict first").last
    said = []
    for choice in question.get_by_role("radio").all():
        choice.check()
        said.append(question.get_by_role("status").inner_text())
    assert len(set(said)) == 3 and min(map(len, said)) > 20
    assert "".join(said).count("✓") == 2
    assert "✗" not in question.inner_text()


def test_without_scripts_the_folded_choices_are_there(reader):
    page = reader(java_script_enabled=False)
    assert page.locator("fieldset").count() == 0
    box = page.locator(".admonition.quiz").first
    assert box.locator("details").count() == 3
    reply = box.locator(".sd-card-body").nth(1)
    assert not reply.is_visible()
    box.locator("summary").nth(1).click()
    assert reply.is_visible() and reply.inner_text().startswith("This deals out")


def test_in_print_the_folded_choices_are_there(reader):
    page = reader()
    question = first_question(page)
    question.get_by_role("radio").nth(2).check()
    assert not question.locator("summary").first.is_visible()
    page.emulate_media(media="print")
    assert question.locator("summary").count() == 3
    assert question.locator("summary").first.is_visible()
    assert not question.locator("input").first.is_visible()
    assert not page.locator(".choice-reply, .choice-score").first.is_visible()


def test_an_answered_question_keeps_nobody_out(reader):
    """axe's rules for the whole page, light and dark, with right and wrong replies open; and a phone is wide enough."""
    page = reader()
    for question in page.locator("fieldset").all():
        for choice in question.get_by_role("radio").all():
            choice.check()
    ids = page.locator("main [id]:not(#exercise-content)").evaluate_all("all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))
    page.set_viewport_size(PHONE)
    width = page.evaluate(WIDE)
    assert width["page"] <= width["limit"], width
    assert barriers(page) == ([], [])
