"""Writing in the page: the browser's model, its dice and its windows are the package's; odd texts get a sentence."""

import functools
import json
import re

import pytest
import torch
from torch.testing import assert_close

from attnbook.language import continue_tokens, load_book_model, split_book
from attnbook.widgets import WritePageFigure
from attnbook.widgets.kit import WIDGETS, module_source
from attnbook.widgets.scripts import write_assets
from attnbook.widgets.write_page import DATA
from tools.experiments import book_model

LONG = " ".join(split_book().test.split()[:400])  # more than 500 tokens
TEXTS = ["Attention", DATA["text"], "Why is the softmax 😀 ﷺ\0 not \n\n# the", LONG[:300]]

model = functools.cache(load_book_model)


@pytest.fixture
def page(open_figure):
    return open_figure(WritePageFigure(), width=1000)


def busy(page):
    page.page.wait_for_function("() => !document.querySelector('.ab-card[aria-busy=\"true\"]')", timeout=30_000)
    page.settle()


def load(page):
    page.page.get_by_role("button", name="Load the model").click()
    busy(page)


def ask(page, text):
    page.page.get_by_label("Your text").fill(text)
    page.page.keyboard.press("Enter")
    busy(page)


def prose(page):
    return page.page.locator('[data-value="text"]').text_content()


# -- the numbers: stored, the package's and the browser's --


def test_the_numbers_in_words_stand_in_the_stored_picture():
    said = re.findall(r"0\.\d{3}", WritePageFigure().alt_text())
    drawn = (WIDGETS / "write_page" / "fallback.svg").read_text("utf-8")
    assert len(said) == 2 and all(f">{number}<" in drawn for number in said)


def test_what_is_stored_is_what_the_package_writes():
    again = book_model.example(model(), **book_model.EXAMPLE)
    stored = {name: DATA[name] for name in again}
    assert (again.pop("written"), again.pop("bytes")) == (stored.pop("written"), stored.pop("bytes"))
    costs = [torch.tensor(one.pop("costs")).cumsum(0) * DATA["unit"] for one in (again, stored)]
    assert_close(*costs, rtol=0, atol=6e-3)
    names = [set(one.pop("names")) for one in (again, stored)]
    assert len(names[0] ^ names[1]) <= 2  # the last ones may change places
    assert again == stored
    assert (WIDGETS / "write_page" / "data.json").stat().st_size < 20_000


def test_the_browser_writes_what_is_stored(page):
    load(page)
    filters = [DATA["temperature"], 0, DATA["top_p"]]
    assert page.math("written", DATA["text"], len(DATA["written"]), DATA["seed"], filters) == DATA["written"]


def test_all_tokens_have_the_packages_log_probabilities(page):
    load(page)
    for text in TEXTS:
        found = page.math("after", text)
        ids = model().vocabulary.encode(text)
        assert found["ids"] == ids
        with torch.no_grad():
            logs = model().model(torch.tensor([ids[-128:]]))[0][0, -1].log_softmax(-1)
        assert_close(torch.tensor(found["logProbs"]), logs[torch.tensor(found["order"])], rtol=0, atol=2e-4)


def test_the_likeliest_tokens_are_the_packages_beyond_what_it_sees_at_once(page):
    load(page)
    for text, length in (("The", 140), (LONG, 70)):
        ids = torch.tensor([model().vocabulary.encode(text)])
        expected = continue_tokens(model().model, ids, length=length, top_k=1)[0].tolist()
        assert page.math("written", text, length, 0, [1, 1, 1]) == expected


# -- what a reader does --


def test_nothing_is_loaded_before_it_is_asked_for(page):
    files = "Object.keys(globalThis.attnbookFiles || {}).length"
    assert page.page.evaluate(files) == 0
    assert prose(page) == DATA["text"] + "".join(DATA["pieces"])
    page.slide("temperature", 14)  # the filters move what is stored
    assert page.state("temperature") == 1.5 and "flatter" in page.said
    assert page.page.evaluate(files) == 0
    button = page.page.get_by_role("button", name="Load the model")
    assert button.inner_text() == f"Load the model ({DATA['bytes'] / 1e6:.1f} MB)"
    before = page.page.locator(".ab-stage svg").inner_html()
    load(page)
    assert page.page.evaluate(files) > 0 and not button.is_visible()
    after = page.page.locator(".ab-stage svg").inner_html()
    assert before.count("data-row") == after.count("data-row")
    assert page.page.locator('[data-row="w0"] text').first.text_content() in before


def test_it_writes_on_goes_back_and_casts_other_dice(page):
    load(page)
    ask(page, "What does a head look at?")
    assert page.state("written") == [] and prose(page) == "What does a head look at?"
    page.click("One token")
    first = page.state("written")
    assert len(first) == 1 and "was drawn" in page.said
    page.click("Write 20 tokens")
    written = page.state("written")
    assert len(written) == 21 and written[:1] == first
    expected = model().vocabulary.decode(model().vocabulary.encode("What does a head look at?") + written)
    assert prose(page) == expected
    page.click("Back")
    assert page.state("written") == written[:-1]
    page.click("One token")
    assert page.state("written") == written  # the same die
    page.click("New seed (now 0)")
    page.click("Write 20 tokens")
    assert page.state("seed") == 1 and page.state("written") != written[:20]
    page.reset()
    assert prose(page) == DATA["text"] + "".join(DATA["pieces"])


def test_what_is_new_is_in_sight(page):
    load(page)
    ask(page, LONG[:2000])
    page.page.get_by_role("button", name="Write 20 tokens").click()
    busy(page)
    below = "e => [e.scrollHeight - e.clientHeight, e.scrollHeight - e.clientHeight - e.scrollTop]"
    more, left = page.page.locator('[data-value="text"]').evaluate(below)
    assert more > 100 and left < 2
    page.page.locator('[data-value="text"]').evaluate("e => (e.scrollTop = 0)")
    page.page.get_by_role("slider", name="Temperature").press("ArrowRight")  # who looks at the beginning stays there
    busy(page)
    assert page.page.locator('[data-value="text"]').evaluate("e => e.scrollTop") == 0


def test_who_types_again_after_an_empty_text_can_write_at_once(page):
    load(page)
    ask(page, "")
    many = page.page.get_by_role("button", name="Write 20 tokens")
    assert many.is_disabled()
    page.page.get_by_label("Your text").press_sequentially("The query")
    busy(page)
    assert many.is_enabled()
    many.click()
    busy(page)
    assert prose(page).startswith("The query") and len(prose(page)) > len("The query") + 10


def test_by_keyboard_alone(page):
    page.page.get_by_label("Your text").focus()
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")  # the button
    busy(page)
    page.page.get_by_role("button", name="One token").focus()
    page.page.keyboard.press("Space")
    page.settle()
    assert len(page.state("written")) == len(DATA["written"]) + 1


def test_it_stops_where_there_is_no_more_room(open_figure):
    page = open_figure(WritePageFigure(written=DATA["written"][:1] * 190, loaded=True))
    busy(page)
    page.click("Write 20 tokens")
    assert len(page.state("written")) == 200 and "as many as there is room for" in page.said
    assert page.page.get_by_role("button", name="One token").is_disabled()


def test_attention_is_shown_over_the_tokens(page):
    load(page)
    page.choose("layer", "layer 2")
    ids = model().vocabulary.encode(DATA["text"]) + DATA["written"]
    with torch.no_grad():
        _, weights = model().model(torch.tensor([ids]), need_weights=True)
    shown = page.page.locator("[data-weight]").evaluate_all("(all) => all.map((one) => +one.dataset.weight)")
    assert_close(torch.tensor(shown), weights[1][0, :, -1].mean(0), rtol=0, atol=1e-5)
    assert "Layer 2, averaged over its heads, looks most at" in page.said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "There is nothing to continue: type at least one character."),
        (LONG, "tokens, and the model sees the last 128 of them."),
        ("A 😀 cat", "The model has never read “😀”: it sees bytes"),
        ("यह क्या है?", "The model has never read “य”, “ह”, “क”, U+094D, U+092F"),
        ("a\0b", "The model has never read U+0000: it sees bytes"),
        ("   ", "top-p needs"),
    ],
)
def test_odd_texts_are_answered_in_words(open_figure, text, says):
    page = open_figure(WritePageFigure(text=text, written=[]))
    busy(page)
    assert says in page.said or text == "यह क्या है?" and "never read “य”, “ह”" in page.said
    write = page.page.get_by_role("button", name="Write 20 tokens")
    assert write.is_enabled() == bool(text)
    if text:
        write.click()
        page.settle()
        assert len(page.state("written")) == 20
        assert prose(page).startswith(text)
    page.require_fit() if text else None


def test_a_link_leads_to_what_was_written(open_figure, page):
    load(page)
    page.click("Write 20 tokens")
    url = page.page.get_by_role("link", name="Link to this state")
    url.focus()
    other = open_figure(WritePageFigure(), width=1000)
    other.page.goto(other.page.url + "#" + url.get_attribute("href").split("#")[1])
    other.page.reload()
    busy(other)
    assert prose(other) == prose(page) and other.said == page.said


def test_without_its_file_the_figure_says_so(open_html, tmp_path):
    from attnbook.widgets.scripts import standalone_page

    write_assets(tmp_path / "_static")
    for path in (tmp_path / "_static").glob("model-language-model*.js"):
        path.unlink()
    (tmp_path / "page.html").write_text(standalone_page(WritePageFigure().to_html()), "utf-8")
    page = open_html("")
    page.page.goto((tmp_path / "page.html").as_uri())
    load(page)
    assert "The model could not be loaded: the file model-language-model.js" in page.said
    assert prose(page) == DATA["text"] + "".join(DATA["pieces"])  # what is stored stays
    problems = [p for p in page.problems if "ERR_FILE_NOT_FOUND" in p]
    assert problems and len(problems) == len(page.problems)
    page.problems.clear()


KERNEL = """async ([source, files, state]) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const heard = [];
  const model = {
    get: (name) => state[name], set: (name, value) => { state[name] = value; }, save_changes() {},
    on: (name, listener) => heard.push([name, listener]),
    off: (name, listener) => heard.splice(heard.findIndex((pair) => pair[1] === listener), 1),
    send: ({ wanted }) => setTimeout(() => heard.slice().forEach(([name, listener]) =>
      name === "msg:custom" && listener({ file: wanted, text: files[wanted] }))),
  };
  const el = document.createElement("div");
  document.body.append(el);
  widget.render({ model, el });
}"""


def test_in_jupyterlab_the_kernel_sends_the_weights(open_html):
    sent = []
    figure = WritePageFigure(text="A key", written=[])
    figure.send = lambda message, *_: sent.append(message)
    for name in ("language-model", "language-model.0", "language-model.1"):
        figure._handle_custom_msg({"wanted": name}, [])
    page = open_html("", scripts=[])
    files = {message["file"]: message["text"] for message in sent}
    page.page.evaluate(KERNEL, [module_source("write_page"), files, json.loads(json.dumps(figure.state()))])
    page.page.wait_for_selector('.ab-card[aria-busy="false"]')
    assert prose(page) == "A key" and "top-p needs" in page.said


@pytest.mark.parametrize("width", [390, 1000])
def test_it_fits_and_the_drawing_stays_where_it_is(open_figure, width):
    page = open_figure(WritePageFigure(), width=width, theme="dark" if width < 480 else "light")
    page.require_fit()
    load(page)
    top = page.page.locator(".ab-stages").bounding_box()["y"]
    for values in ({"temperature": 3}, {"top_k": 100}, {"top_p": 1.0}):
        page.set(**values)
        assert page.page.locator(".ab-stages").bounding_box()["y"] == pytest.approx(top, abs=1)
    page.click("Write 20 tokens")
    page.require_fit()


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"text": "a\nb"}, ValueError, "on one line"),
        ({"text": "a" * 4001}, ValueError, "at most 4000 characters"),
        ({"written": [DATA["size"]]}, ValueError, f"from 0 to {DATA['size'] - 1}"),
        ({"written": [0] * 201}, ValueError, "at most 200"),
        ({"temperature": 0}, ValueError, "from 0.1 to 3; got 0"),
        ({"top_p": 0}, ValueError, "from 0.05 to 1; got 0"),
        ({"seed": -1}, ValueError, "the seed of the dice"),
        ({"layer": 9}, ValueError, "the layer whose attention is shown"),
        ({"loaded": 1}, TypeError, "True or False"),
        ({"beam": 3}, TypeError, "has no beam"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        WritePageFigure(**traits)
