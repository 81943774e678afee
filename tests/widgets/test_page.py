"""From module to page: the classic scripts, the host script, and the Sphinx extension in a real build."""

import base64
import contextlib
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attnbook import widgets
from attnbook.drawings.sheet import Picture
from attnbook.widgets import SaturationFigure, scripts
from attnbook.widgets.capture import capture, main
from attnbook.widgets.kit import WIDGETS, file_parts, module_source, script_parts, source, static_box
from attnbook.widgets.page import smaller, with_picture_files
from attnbook.widgets.scripts import (
    assets_are_current,
    classic_script,
    figures_in,
    kit_scripts,
    packed_script,
    page_scripts,
    script_names,
    unpacked_script,
    write_assets,
)
from tools.audit import served

NODE = Path(sys.executable).with_name("node")

# -- scripts --


def test_the_export_becomes_a_registration():
    script = classic_script("some", "const a = 1;\nexport default { render, math: { a } };\n")
    assert script.endswith('attnbook.register("some", modules["widgets/some/figure.js"]);\n})();\n')
    assert "export " not in script and '"use strict"' in script


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("const a = 1;", "some/figure.js must have one export default"),
        (
            "export const a = 1;\nexport default { a };",
            "some/figure.js has `export default { a };`, which the build does not understand",
        ),
        ("export default { a };\nexport default { b };", "some/figure.js must have one export default, and no other"),
        ('import { a } from "./a.js";\nexport default { a };', "some/figure.js imports ./a.js; there is no such file"),
        (
            'import { a, fmt } from "../kit/kit.js";\nexport default { a };',
            "some/figure.js imports a from ../kit/kit.js, which exports no such name",
        ),
        ('import { fmt as a } from "../kit/kit.js";\nexport default { a };', "imports as, a from ../kit/kit.js"),
        ('import kit from "../kit/kit.js";\nexport default { kit };', "names come in braces from a .js file"),
        (
            'import DATA from "../beam_tree/data.json";\nexport default { DATA };',
            'one name without braces from a .json file, with { type: "json" }',
        ),
        ('import * as kit from "../kit/kit.js";\nexport default { kit };', "which the build does not understand"),
    ],
)
def test_a_module_that_cannot_become_a_script_is_an_error(source, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        classic_script("some", source)


def test_imports_in_a_circle_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "PACKAGE", tmp_path)
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = () => b;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = () => a;\n')
    with pytest.raises(ValueError, match="imports in a circle: a.js → b.js → a.js; move"):
        script_parts(tmp_path / "a.js")


def test_names_that_are_not_exported_stay_in_their_file(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "PACKAGE", tmp_path)
    (tmp_path / "one.js").write_text("function same() { return 1; }\nexport const [one, two] = [same(), 2];\n")
    (tmp_path / "n.json").write_text('{"three": 3}\n')
    (tmp_path / "all.js").write_text(
        'import DATA from "./n.json" with { type: "json" };\nimport {\n  one,\n  two,\n} from "./one.js";\n'
        "function same() { return [one, two, DATA.three]; }\nexport default { same };\n"
    )
    parts = script_parts(tmp_path / "all.js")
    assert list(parts) == ["n.json", "one.js", "all.js"]
    script = "\n".join(["const modules = {};", *parts.values(), 'console.log(modules["all.js"].same())'])
    assert subprocess.run([NODE, "-e", script], capture_output=True, text=True).stdout == "[ 1, 2, 3 ]\n"


def test_scripts_are_written_for_every_figure(tmp_path):
    assert not assets_are_current(tmp_path / "a" / "b")
    files = write_assets(tmp_path / "a" / "b")
    assert assets_are_current(tmp_path / "a" / "b")
    assert {"host.js", "kit.js", "kit-words.js", "figures.css", "train_width.js", "softmax_saturation.js"} <= set(files)
    assert sorted(p.name for p in (tmp_path / "a" / "b").iterdir()) == files
    (tmp_path / "a" / "b" / "model-transformer.js").unlink()
    assert not assets_are_current(tmp_path / "a" / "b")
    assert write_assets(tmp_path / "a" / "b") == files  # a second build writes over the first
    os.utime(tmp_path / "a" / "b" / "figures.css", (1, 1))  # as if the package had been changed since
    assert not assets_are_current(tmp_path / "a" / "b")


def test_caches_among_the_sources_are_not_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(scripts, "PACKAGE", tmp_path)
    monkeypatch.setattr(scripts, "model_files", dict)
    for name in ("kit.js", "__pycache__/kit.pyc", ".ruff_cache/0/a"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    folder = tmp_path.parent / "static"
    folder.mkdir()
    (folder / "figures.css").touch()
    os.utime(folder / "figures.css", (2**31, 2**31))
    for cache in ("__pycache__/kit.pyc", ".ruff_cache/0/a"):
        os.utime(tmp_path / cache, (2**32, 2**32))
        assert assets_are_current(folder)
    os.utime(tmp_path / "kit.js", (2**32, 2**32))
    assert not assets_are_current(folder)


def test_a_page_loads_the_kit_once_and_before_its_figures():
    names = page_scripts(["beam_tree", "sampling_explorer", "train_width"])
    assert names[:2] == ["host", "kit"] and len(names) == len(set(names))
    assert names[2:] == [
        *("kit-text", "kit-languages", "kit-words", "kit-weights", "kit-layers", "kit-models", "kit-files"),
        *("kit-sampling", "kit-next_bars", "kit-next_says"),
        *("beam_tree", "sampling_explorer", "train_width"),
    ]
    for script in map(classic_script, script_names()):
        assert 'modules["widgets/kit/' in script
        assert not re.search(r'^modules\["widgets/kit/', script, re.MULTILINE)
    made = re.findall(r'^modules\["widgets/kit/(\w+)\.js', "".join(kit_scripts().values()), re.MULTILINE)
    assert sorted(made) == sorted({p.stem for p in source.KIT.glob("*.js")} - {"host"})


def test_no_address_outside_the_page_in_any_source():
    for name in script_names():
        addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", module_source(name)))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name


def test_figures_are_found_in_a_page():
    boxes = [static_box(name, {}, "words", "data:,") for name in ("b_two", "a_one", "b_two")]
    assert figures_in("<p>".join(boxes)) == ["b_two", "a_one"]
    assert figures_in("<p>no figure</p>") == []


# -- bytes in a script --

EVERY_PAIR = b"".join(pair.to_bytes(2, "little") for pair in range(1 << 16))
CONTENTS = {
    "nothing": b"",
    "one": b"\0",
    "random": random.Random(0).randbytes(200_001),  # gzip leaves it as it is
    "shifted": b"\0" + EVERY_PAIR,
    "every_pair": EVERY_PAIR,
}
READ = """async (names) => Promise.all(names.map(async (name) => {
  const hash = await crypto.subtle.digest("SHA-256", await globalThis[name]);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}))"""


def test_a_script_holds_any_bytes(tmp_path, browser):
    """As a file, and from a server and a page that call every script UTF-8; gzip adds its part to "random" only."""
    for name, content in CONTENTS.items():
        script = packed_script(name, content)
        assert unpacked_script(script) == content
        (tmp_path / f"{name}.js").write_bytes(script)
    assert (tmp_path / "random.js").stat().st_size < 1.02 * 200_001
    tags = "".join(f'<script charset="utf-8" src="{name}.js"></script>' for name in CONTENTS)
    (tmp_path / "a.html").write_text(f'<!doctype html><meta charset="utf-8">{tags}')
    expected = [hashlib.sha256(content).hexdigest() for content in CONTENTS.values()]
    with served(tmp_path) as base:
        for address in ((tmp_path / "a.html").as_uri(), f"{base}a.html"):
            page = browser.new_page()
            page.goto(address)
            assert page.evaluate(READ, list(CONTENTS)) == expected
            page.close()


def test_another_script_is_not_unpacked():
    with pytest.raises(ValueError, match="this script does not end in a text and its length"):
        unpacked_script(packed_script("a", b"content")[:-2])


# -- the host script --


def test_two_figures_on_a_page_live_apart(open_html):
    page = open_html(SaturationFigure(d=64).to_html() + SaturationFigure(d=4).to_html())
    assert page.page.locator(".attnbook-figure.ab-live").count() == 2
    page.page.locator("input[type=range]").first.fill("0")
    page.settle()
    values = page.page.evaluate("[...document.querySelectorAll('.attnbook-figure')].map((b) => b.abModel.get('d'))")
    assert values == [4, 4]
    ids = page.page.evaluate("[...document.querySelectorAll('[id]')].map((n) => n.id)")
    assert len(ids) == len(set(ids)) > 4


def test_without_javascript_the_picture_is_there(open_html):
    page = open_html(SaturationFigure().to_html(), javascript=False)
    image = page.page.locator(".attnbook-figure > img")
    assert image.is_visible() and image.bounding_box()["height"] > 200
    assert image.get_attribute("alt").startswith("Left, a histogram")


def test_with_a_broken_state_the_picture_stays(open_html):
    page = open_html(static_box("softmax_saturation", {}, "words", "data:,").replace("{}", "{"))
    assert not page.live and page.page.locator(".ab-card").count() == 0
    (problem,) = page.problems
    page.problems.clear()
    assert "The figure softmax_saturation stays a picture" in problem


def test_without_its_script_the_picture_stays(open_html):
    page = open_html(SaturationFigure().to_html(), scripts=["host"])
    assert not page.live
    assert page.page.locator(".attnbook-figure > img").is_visible()


def test_the_living_figure_hides_its_picture(open_figure):
    page = open_figure(SaturationFigure())
    assert page.live and not page.page.locator(".attnbook-figure > img").is_visible()


HOST = """
function render({ model, el }) {
  const heard = [];
  const note = (...args) => heard.push(args.length);
  model.on("change:a change:b", note);
  model.on("change", () => heard.push("any"));
  el.append("probe");
  globalThis.probe = { model, heard, note };
}
export default { render };
"""


def test_the_hosts_model_behaves_like_jupyterlabs(open_module):
    page = open_module(HOST, {"a": 1, "b": [1, 2]}).page
    heard = "probe.heard.splice(0)"
    assert page.evaluate(f"(probe.model.set('a', 2), {heard})") == [2, "any"]
    assert page.evaluate(f"(probe.model.set('b', [1, 2]), {heard})") == []  # equal is not a change
    assert page.evaluate(f"(probe.model.off('change:a', probe.note), probe.model.set('a', 3), {heard})") == ["any"]
    assert page.evaluate(f"(probe.model.off(), probe.model.set('b', []), probe.model.save_changes(), {heard})") == []
    assert page.evaluate("[probe.model.get('a'), probe.model.get('none')]") == [3, None]


# -- the book's build --


BUILDER = """
import contextlib, io, json, sys
from sphinx.cmd.build import build_main

for line in sys.stdin:
    with contextlib.redirect_stderr(io.StringIO()) as said:
        status = build_main(json.loads(line))
    print(json.dumps([status, said.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def small_book(build, tmp_path_factory):
    """A book of two pages, one of them with a figure, built with warnings as errors."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text(
        'extensions = ["myst_parser", "attnbook.widgets.page"]\nhtml_theme = "basic"\nhtml_favicon = "f.svg"\n'
    )
    (folder / "f.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    figure = '```{live-figure} softmax_saturation\n:state: {"d": 256, "scaled": true}\n```\n'
    (folder / "index.md").write_text(f"# With\n\n{figure}\n```{{toctree}}\nplain\n```\n")
    (folder / "plain.md").write_text("# Without\n\nNo figure.\n")
    status, said = build(folder)
    assert status == 0, said
    return folder


@pytest.fixture(scope="module")
def build():
    """A function: folder → the status and the words of `sphinx-build`; one process for all, which takes longest."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", BUILDER], stdin=pipe, stdout=pipe, text=True) as builder:

        def build(folder):
            arguments = ["-W", "-q", "-b", "html", str(folder), str(folder / "out")]
            print(json.dumps(arguments), file=builder.stdin, flush=True)
            return json.loads(builder.stdout.readline())

        yield build


def test_a_page_gets_the_scripts_of_its_figures_only(small_book):
    with_figure = (small_book / "out" / "index.html").read_text()
    scripts = re.findall(r'src="_static/attnbook/(\w+)\.js', with_figure)
    assert scripts == ["host", "kit", "softmax_saturation"]
    assert "_static/attnbook/figures.css" in with_figure
    assert "attnbook" not in (small_book / "out" / "plain.html").read_text()


def test_pages_are_written_anew_when_a_script_has_changed(build, small_book):
    page, config = small_book / "out" / "plain.html", small_book / "conf.py"
    written = page.read_text()
    page.write_text("old")
    assert build(small_book)[0] == 0
    assert page.read_text() == "old"
    changed = (
        'app.connect("config-inited", lambda app, config: setattr(config, "figures_scripts", "other"), priority=900)'
    )
    config.write_text(f"{config.read_text()}def setup(app):\n    {changed}\n")
    assert build(small_book)[0] == 0
    assert page.read_text() == written


def test_the_built_figure_is_alive_with_the_state_it_was_given(small_book, browser):
    context = browser.new_context(offline=True)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((small_book / "out" / "index.html").as_uri())
    page.wait_for_selector(".attnbook-figure.ab-live", timeout=5000)
    assert page.locator('output[data-value="d"]').inner_text() == "256"
    assert page.locator("input[type=checkbox]").is_checked()
    context.close()
    assert not problems


def test_the_built_picture_is_a_file_with_its_place_kept(small_book, browser):
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto((small_book / "out" / "index.html").as_uri())
    picture = page.locator(".attnbook-figure > img")
    size = "e => [e.complete, e.naturalWidth / e.naturalHeight, e.width / e.height]"
    complete, drawn, shown = picture.evaluate(size)
    kept = [int(picture.get_attribute(side)) for side in ("width", "height")]
    address = picture.get_attribute("src")
    context.close()
    assert complete and drawn == pytest.approx(shown, rel=0.01)
    assert drawn == pytest.approx(kept[0] / kept[1], rel=0.01)
    stored = WIDGETS / "softmax_saturation" / "fallback.svg"
    assert (small_book / "out" / address).read_bytes() == smaller(stored.read_bytes())


def test_a_picture_is_smaller_and_looks_the_same(browser):
    kinds = ' fill="none" stroke="#900" stroke-width="1"', ' fill="none" stroke="#090" stroke-opacity="0.5"'
    lines = [f'<path d="M{x},5 L{x + 20},75"{kind}/>' for kind in kinds for x in (10, 30, 50)]
    words = '<text x="70" y="40" text-anchor="start">a</text><text x="90" y="40" text-anchor="middle">b</text>'
    size = 'xmlns="http://www.w3.org/2000/svg" width="100" height="80"'
    picture = f"<svg {size}>{''.join(lines)}{words}</svg>".encode()
    small = smaller(picture)
    assert small.count(b"<path") == 4  # those that shine through each other are left alone
    assert b'd="M10,5 L30,75M30,5 L50,75M50,5 L70,75" fill="none" stroke="#900"/>' in small
    assert small.count(b"text-anchor") == 1 and smaller(small) == small
    page = browser.new_page(viewport={"width": 100, "height": 80})
    shown = []
    for svg in (picture, small):
        page.set_content(f'<body style="margin: 0">{svg.decode()}')
        shown.append(page.screenshot())
    page.close()
    assert shown[0] == shown[1]


def test_a_drawing_is_a_file_in_each_of_its_widths(tmp_path, browser):
    picture = Picture(lambda sheet: sheet.text(sheet.width / 2, 80, "ä & <b>"), "Words.")
    folder = tmp_path / "pictures"
    html = with_picture_files(picture._repr_html_(), folder, "pictures")
    assert sorted(path.read_text("utf-8") for path in folder.iterdir()) == sorted(
        smaller(s.svg().encode()).decode() for s in picture.sheets
    )
    assert "data:" not in html and "lazy" not in html
    (tmp_path / "a.html").write_text(f'<!doctype html><meta charset="utf-8">{html}', "utf-8")
    for width, sheet in zip((700, 400), picture.sheets, strict=True):
        page = browser.new_page(viewport={"width": width, "height": 300})
        page.goto((tmp_path / "a.html").as_uri())
        found = page.locator("img").evaluate("e => [e.naturalWidth, e.naturalHeight, e.width, e.height]")
        size = [int(ElementTree.fromstring(sheet.svg()).get(side)) for side in ("width", "height")]
        assert found == size * 2
        page.close()


def test_a_stored_frame_is_a_file_that_its_figure_names(tmp_path):
    frames = [{"picture": f"data:image/png;base64,{base64.b64encode(text).decode()}"} for text in (b"a", b"b", b"a")]
    named = json.loads(with_picture_files(json.dumps(frames), tmp_path / "pictures", "pictures"))
    assert [(tmp_path / frame["picture"]).read_bytes() for frame in named] == [b"a", b"b", b"a"]
    assert len([*(tmp_path / "pictures").iterdir()]) == 2


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("```{live-figure} nothing\n```", "no figure is called 'nothing'"),
        ('```{live-figure} softmax_saturation\n:state: {"d": 1}\n```', "a whole number from 4 to 768; got 1"),
        ("```{live-figure} softmax_saturation\n:state: {d}\n```", "live-figure: Expecting property name"),
    ],
)
def test_a_wrong_directive_stops_the_build(build, tmp_path, assets, directive, message):
    shutil.copytree(assets, tmp_path / "out" / "_static" / "attnbook")  # to write them takes longer than the build
    (tmp_path / "conf.py").write_text('extensions = ["myst_parser", "attnbook.widgets.page"]\nhtml_theme = "basic"\n')
    (tmp_path / "index.md").write_text(f"# Page\n\n{directive}\n")
    status, said = build(tmp_path)
    assert status != 0
    assert re.search(message, said)


# -- the stored pictures --


@pytest.mark.parametrize("module", widgets.FIGURES.values())
def test_the_stored_picture_is_that_of_the_present_code(browser, assets, module):
    """If this fails: python -m attnbook.widgets.capture, and look at what has changed."""
    figure = widgets.figure_class(module)
    for picture, state in figure.pictures.items():
        stored = (WIDGETS / module / f"{picture}.svg").read_text("utf-8")
        assert normal(capture(browser, figure(**state), assets.parent)) == normal(stored)


def test_the_scripts_are_written_once_for_all_pictures(tmp_path, monkeypatch):
    written, sites = [], set()
    module = "attnbook.widgets.capture"
    monkeypatch.setattr(f"{module}.write_assets", written.append)
    monkeypatch.setattr(f"{module}.chromium", contextlib.nullcontext)
    monkeypatch.setattr(f"{module}.capture", lambda browser, figure, site: sites.add(site) or "<svg/>")
    monkeypatch.setattr(f"{module}.WIDGETS", tmp_path)
    main(["translate_page", "mask_builder"])
    assert len(list(tmp_path.glob("*/*.svg"))) == 5
    assert written == [site / "_static" for site in sites]


def normal(svg):
    """The drawing without its last digit: browsers differ in it."""
    return re.sub(r"-?\d+\.\d+", lambda m: f"{float(m.group()):.0f}", svg)


def test_states_survive_the_way_into_the_page(open_html):
    state = {"text": "</script> é 中", "list": [1.5, None, True], "nested": {"a": [{}]}}
    page = open_html(static_box("unknown", state, "words", "data:,"), scripts=["host"])
    text = page.page.evaluate("document.querySelector('script[type=\"application/json\"]').textContent")
    assert json.loads(text) == state


def test_a_large_file_comes_in_parts_a_small_one_whole(monkeypatch):
    monkeypatch.setattr("attnbook.widgets.kit.models.PART", 6)
    assert file_parts("a", b"small!") == {"a": b"small!"}
    assert file_parts("a", b"not so small") == {"a": 2, "a.0": b"not so", "a.1": b" small"}
