"""What the book's own Sphinx extensions make of formulas and pages."""

import re
import struct
import subprocess
from collections import Counter
from xml.etree.ElementTree import fromstring

import pytest
from docutils import nodes
from sphinx.errors import ExtensionError

from tools import NODE
from tools.pages import formulas
from tools.pages.descriptions import LONGEST, description
from tools.pages.documents import mark_chinese
from tools.pages.finish import FIXES, check_theme, lighter
from tools.pages.formulas import END, KATEX, render, style, with_punctuation


def test_a_formula_is_drawn_and_spoken():
    html = render(r"\tfrac12 \mathbf W^Q")
    assert "<math" in html and 'class="katex-html"' in html
    assert "katex-display" not in html and "katex-display" in render("x", True)


@pytest.mark.parametrize("tex", [r"\frac{1", r"\nosuchcommand", "½"])
def test_what_katex_does_not_know_is_an_error(tex):
    with pytest.raises(ValueError, match="KaTeX parse error"):
        render(tex)
    assert render("x")  # and the next formula is drawn again


@pytest.mark.parametrize("stops", ["before", "at"])
def test_a_formula_is_not_to_blame_where_node_has_stopped(monkeypatch, stops):
    program = {"before": "", "at": "process.stdin.once('data', () => process.exit(3))"}[stops]
    pipe = subprocess.PIPE
    node = subprocess.Popen([NODE, "-e", program], stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
    if stops == "before":
        node.wait()
    monkeypatch.setattr(formulas, "_node", lambda _: node)
    with pytest.raises(ExtensionError, match="has stopped.*nothing wrong"):
        render("never drawn before")
    node.stdout.close()
    monkeypatch.undo()
    assert render("x")


PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}


def test_each_part_of_a_formula_has_the_parts_that_it_needs(built_book):
    found = Counter()
    for path in built_book.rglob("*.html"):
        for formula in re.findall(r"<math\b.*?</math>", path.read_text("utf-8"), re.DOTALL):
            for element in fromstring(formula.replace("&nbsp;", " ")).iter():
                name = element.tag.rpartition("}")[2]
                if name in PARTS:
                    assert len(element) == PARTS[name], f"{path.name}: {formula}"
                    found[name] += 1
    assert found["mfrac"] > 100 and found["msub"] > 1000


def test_a_comma_stays_with_its_formula():
    html = render("x")
    page = f"<p>{html}</span>{END}, and {html}</span>{END} (as {html}</span>{END})."
    page = page.replace('<span class="katex">', '<span class="math"><span class="katex">')
    done = with_punctuation(page)
    assert END not in done
    assert done.count("</span>, and") == 0 and ">,</span></span></span></span></span> and" in done
    assert "</span></span></span></span> (as" in done
    assert ").</span></span></span></span></p>" not in done
    assert '<span class="formula-end">).</span></span></span></span></span>' in done


def test_katex_fonts_are_there_in_one_format():
    text = style((KATEX / "katex.min.css").read_text("utf-8"))
    assert ".woff2" in text and ".ttf" not in text and '.woff"' not in text
    assert [*KATEX.glob("fonts/*.woff2")]


def page(*paragraphs):
    document = nodes.document(None, None)
    for children in paragraphs:
        document += nodes.paragraph("", "", *children)
    return document


@pytest.mark.parametrize("labels", ["Time Needs Exercises", "时间 需要 练习"])
def test_the_description_is_how_the_page_begins(labels):
    time = [
        part for label in labels.split() for part in (nodes.strong("", label), nodes.Text(" some chapters or so · "))
    ]
    first = [nodes.strong("", "word"), nodes.Text(" word" * 19), nodes.math("", "x^2"), nodes.Text("more")]
    assert description(page(time, first)) == " ".join(["word"] * 20)
    long = description(page([nodes.Text("longer " * 60)]))
    assert len(long) <= LONGEST and long.endswith("longer …")
    assert description(page([nodes.Text("short")])) == ""


def test_words_are_said_to_be_chinese_except_in_code():
    document = page([nodes.Text("是 and 中国、首-都 and 是-x"), nodes.literal("", "'是'")])
    said = document.astext()
    mark_chinese(document)
    marked = [node.astext() for node in document.findall(nodes.inline)]
    assert marked == ["是", "中国、首-都", "是"] and document.astext() == said
    assert all(n["classes"] == ["language-zh"] for n in document.findall(nodes.inline))


def test_a_page_sheds_what_it_does_not_use(tmp_path):
    head = (
        '\n<script defer src="../_static/scripts/fontawesome.js?digest=1"></script>'
        '\n  <script src="../_static/searchtools.js"></script>\n<script src="../searchindex.js"></script>'
        '<script src="../_static/doctools.js"></script>'
    )
    picture = '<img alt="a" src="../_images/x.png" /><img alt="b" src="data:,">'
    (tmp_path / "_images").mkdir()
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 617, 311)
    (tmp_path / "_images/x.png").write_bytes(header)
    assert lighter(head + picture, tmp_path) == (
        '<script defer src="../_static/doctools.js"></script>'
        '<img loading="lazy" width="617" height="311" alt="a" src="../_images/x.png" /><img alt="b" src="data:,">'
    )
    file = '<a href="../_sources/chapters/a.ipynb" target="_blank" class="b">'
    assert lighter(file, tmp_path) == '<a href="../_sources/chapters/a.ipynb" download="a.ipynb" class="b">'


def test_code_has_no_element_for_what_has_no_colour_of_its_own(tmp_path, built_book):
    code = '<span class="n">f</span><span class="o">*</span><span class="mi">1</span><span class="w"> </span>'
    assert lighter(code, tmp_path) == 'f*<span class="mi">1</span> '
    sheet = (built_book / "_static/pygments.css").read_text("utf-8")
    for theme in ("light", "dark"):
        rules = rf'data-theme="{theme}"\] \.highlight (?:\.[npw] )?\{{[^}}]*\bcolor: (#\w+)'
        assert len(set(re.findall(rules, sheet))) == 1 and len(re.findall(rules, sheet)) == 4


def test_what_sphinx_keeps_on_one_line_stays_on_it(tmp_path):
    words = '<span class="pre">nn.Linear</span> <span class="pre">d-model</span> <span class="pre">中</span>'
    assert lighter(words, tmp_path) == words.replace('<span class="pre">nn.Linear</span>', "nn.Linear")


def test_the_options_of_scripts_need_no_request(tmp_path):
    (tmp_path / "_static").mkdir()
    text = "const DOCUMENTATION_OPTIONS = {\n    A: 1,\n};"
    (tmp_path / "_static/documentation_options.js").write_text(text)
    script = '<script src="../_static/documentation_options.js?v=1"></script>'
    assert lighter(script, tmp_path) == "<script>const DOCUMENTATION_OPTIONS = { A: 1, };</script>"


def test_a_claim_can_be_broken_where_numbers_keep_their_columns(tmp_path):
    output = "<pre><span></span>1  2\n✓ first\n✓ second\n</pre><p>a ✓ b</p>"
    assert lighter(output, tmp_path) == (
        '<pre><span></span>1  2\n<span class="claim">✓ first</span>\n'
        '<span class="claim">✓ second</span>\n</pre><p>a ✓ b</p>'
    )
    one = "<pre><span></span>✓ only\n</pre>"
    assert '<span class="claim">✓ only</span>' in lighter(one, tmp_path)


def test_what_screen_readers_are_told_is_put_right(tmp_path):
    page = (
        '<summary aria-label="Toggle hidden content">Show</summary><th class="head"><p></p></th><th>a</th>'
        '<div role="list" class="citation-list"><div role="doc-biblioentry"></div></div>'
    )
    assert lighter(page, tmp_path) == (
        '<summary>Show</summary><td></td><th>a</th><div class="citation-list"><div></div></div>'
    )


@pytest.mark.parametrize(("theirs", "ours"), FIXES.items())
def test_what_the_theme_writes_is_changed_where_it_stands(theirs, ours, tmp_path, built_book):
    written = re.sub(r"\\(.)", r"\1", theirs.pattern)
    counts = Counter()
    assert lighter(f"<p {written}>", tmp_path, counts) == f"<p {ours}>" and counts[theirs.pattern] == 1
    text = "".join(path.read_text("utf-8") for path in built_book.rglob("*.html"))
    assert ours in text and (written in ours or written not in text)


def test_a_theme_that_writes_something_else_is_noticed(tmp_path):
    counts = Counter()
    lighter('<p data-theme="auto">', tmp_path, counts)
    lighter("", tmp_path, counts)
    with pytest.raises(ExtensionError, match=r"no page has this any more: .*citation\\-list") as told:
        check_theme(counts)
    assert r"data\-theme" not in str(told.value)
    check_theme(counts + Counter(counts.keys()))
