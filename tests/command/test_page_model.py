"""From a file of sentence pairs to a page that translates: in one file, in the browser, after an interruption."""

import base64
import re

import pytest

from attnbook.command import main, translating
from attnbook.data import Pair, Split
from attnbook.translation import page_model_file, page_models
from attnbook.weights import read_weights
from toy_corpus import toy_pairs

TRAINED = ["--epochs", "12", "--languages", "Dutch", "Latin", "--codes", "nl", "la"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    lines = [f"{pair.source}\t{pair.target}\n".replace(" .", ".") for pair in toy_pairs()] * 4
    (folder / "pairs.tsv").write_text("".join(lines), "utf-8")
    return folder


@pytest.fixture(scope="module")
def page(folder):
    """A page, whose making was interrupted when the training had ended."""
    out = folder / "page.html"
    out.write_text("old", "utf-8")
    command = ["page-model", str(folder / "pairs.tsv"), "--out", str(out), *TRAINED]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnbook.translation.evaluate", interrupted)
        assert main(command) == 130
    assert out.read_text("utf-8") == "old"
    (checkpoint,) = folder.glob("page-*.training.pt")
    with pytest.MonkeyPatch.context() as patch:  # everything has been learned already
        patch.setattr("torch.Tensor.backward", interrupted)
        assert main(command) == 0
    assert {path.name for path in folder.iterdir()} == {"pairs.tsv", "page.html"}
    return out


def interrupted(*_, **__):
    raise KeyboardInterrupt


def test_the_page_translates_in_the_browser_with_no_other_file(page, browser, tmp_path):
    alone = tmp_path / "alone.html"
    alone.write_bytes(page.read_bytes())
    context = browser.new_context(offline=True, reduced_motion="reduce", viewport={"width": 390, "height": 800})
    opened = context.new_page()
    problems, requests = [], []
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(alone.as_uri())
    opened.wait_for_selector('.ab-card[aria-busy="false"]')
    assert opened.title() == "Dutch to Latin" in opened.locator(".ab-head").inner_text()
    opened.get_by_label("Dutch sentence").fill("two red car.")
    opened.keyboard.press("Enter")
    output = opened.locator('output[data-value="translation"]')
    assert output.inner_text() == "Deux auto rouge."
    assert output.get_attribute("lang") == "la"
    text = opened.locator(".attnbook-figure").inner_text()
    assert "Latin: queries" in opened.content() and "The 11 Dutch words it knows" in text
    assert "English" not in text and "French" not in text and "the book" not in text
    status = opened.locator(".ab-tp-status")
    assert "The model was trained on this sentence" in status.inner_text()
    opened.get_by_label("Dutch sentence").fill("car two two.")
    opened.keyboard.press("Enter")
    assert "is not among the pairs" in status.inner_text()
    opened.get_by_role("button", name="Another held-out sentence").click()
    told = "The model was not trained on this sentence. In the pairs:"
    assert told in status.inner_text()
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not problems and [url for url in requests if not url.startswith("data:")] == [alone.as_uri()]
    context.close()


def test_the_page_says_how_good_its_model_is_on_sentences_it_has_not_seen(page, tmp_path):
    (stored,) = re.findall(r'\["bahdanau"\] = "(.*?)";\n', page.read_text("utf-8"))
    (tmp_path / "stored").write_bytes(base64.b64decode(stored))
    _, header = read_weights(tmp_path / "stored")
    assert header["test"]["sentences"] == 5 and header["test"]["bleu"] > 50
    assert header["training"]["epochs"] == 12


@pytest.fixture
def watched(monkeypatch, folder):
    """Makes a page without training, and gives what `own_page` was asked for and what was trained on."""
    asked = {}

    def run(*options, pairs="pairs.tsv"):
        from attnbook.translation import page_training
        from attnbook.widgets.translate_page import own

        def untrained(setting, split, _, checkpoint, **__):
            asked.update(split=split, checkpoint=checkpoint)
            return page_training.quantised(page_training.prepare(setting.recipe, split.train)[0])

        def page(_, __, languages, codes, tries, held_out):
            asked.update(languages=languages, codes=codes, tries=tries, held_out=held_out)
            return "page"

        monkeypatch.setattr("attnbook.translation.train_page_model", untrained)
        monkeypatch.setattr(own, "own_page", page)
        asked["code"] = main(["page-model", str(folder / pairs), "--out", str(folder / "w.html"), *options])
        (folder / "w.html").unlink(missing_ok=True)
        return asked

    return run


def test_reverse_turns_the_columns_and_their_names(watched):
    names = ("--languages", "Dutch", "Latin", "--codes", "nl", "la")
    there = dict(watched(*names))
    back = watched(*names, "--reverse")
    assert (there["languages"], there["codes"]) == (["Dutch", "Latin"], ["nl", "la"])
    assert (back["languages"], back["codes"]) == (["Latin", "Dutch"], ["la", "nl"])
    pairs = {(pair.source, pair.target) for pair in there["split"].train + there["split"].test}
    turned = {(pair.target, pair.source) for pair in back["split"].train + back["split"].test}
    assert pairs == turned and len(pairs) == 48
    assert there["checkpoint"] != back["checkpoint"], "one must not go on from the other"
    assert set(back["held_out"]) == {pair.source for pair in back["split"].test}


def test_a_page_that_will_know_little_says_so(watched, folder, capsys):
    lines = [f"the word{i} is here.\tle mot{i} est ici.\n" for i in range(60)]
    (folder / "rare.tsv").write_text("".join(lines), "utf-8")
    assert watched(pairs="rare.tsv")["code"] == 0
    told = capsys.readouterr()
    assert "20% of the source tokens in new sentences are unknown" in told.err and "more pairs would help" in told.err
    assert "it has learned hardly anything" in told.out
    lines = [f"word{i} here{i}.\tmot{i} ici{i}.\n" for i in range(60)]
    (folder / "rare.tsv").write_text("".join(lines), "utf-8")
    assert watched(pairs="rare.tsv")["code"] == 2
    assert "67% of the source tokens" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", ""), "--out takes the name of a page, ending in .html; got nothing"),
        (("--out", ".html"), "ending in .html; got .html"),
        (("--codes", "english", "zh"), "two codes of languages such as de or pt-BR, got 'english'"),
        (("--codes", "en", ""), "got ''"),
        (("--codes", "en", "中文"), "got '中文'"),
        (("--languages", "English", " "), "one of them is empty"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_read(options, said, tmp_path, capsys):
    assert main(["page-model", str(tmp_path / "none.tsv"), "--out", str(tmp_path / "a.html"), *options]) == 2
    assert said in capsys.readouterr().err


def test_sentences_with_other_spaces_and_marks_are_offered_to_try():
    pairs = [Pair("Bonjour\u202f!", "Hello!"), Pair("\u200fDeux.", "Two.")]
    split = Split(pairs, [], pairs)
    assert translating._tries(split)[:2] == ["Bonjour !", "\u200fDeux."]


def test_nothing_in_the_pairs_ends_the_script(tmp_path):
    from attnbook.widgets.scripts import offline_page

    page = offline_page("", "t", {"sentences": b"</script><b>"})
    assert "</script><b>" not in page and "PC9zY3JpcHQ+PGI+" in page


def test_where_words_are_too_many_the_rarest_are_left_out(folder, monkeypatch, capsys):
    monkeypatch.setattr(translating, "RAREST", 4)
    told = []

    def sized(translator, *rest):
        told.append(len(translator.source_vocab))
        if len(told) < 3:
            raise ValueError("3000000 bytes")
        return page_model_file(translator, *rest)

    monkeypatch.setattr("attnbook.translation.page_model_file", sized)
    monkeypatch.setattr("attnbook.translation.train_page_model", interrupted)
    command = ["page-model", str(folder / "pairs.tsv"), "--out", str(folder / "b.html")]
    assert main(command) == 130
    assert "words that occur less than 4 times are left out" in capsys.readouterr().err
    told.clear()
    monkeypatch.setattr(translating, "RAREST", 3)
    assert main(command) == 2
    assert "too many different words for a page (3000000 bytes)" in capsys.readouterr().err
    assert page_models.LARGEST == 1_500_000
