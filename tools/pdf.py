"""The whole book as one PDF, printed by a browser from the built pages: what `make pdf` runs.

    python -m tools.pdf                                     writes _build/paying-attention.pdf
    python -m tools.pdf --out FILE.pdf                      elsewhere
    python -m tools.pdf --out FILE.pdf index 'chapters/0*'  only these pages

The pages of _build/html are put one after another into one page without scripts, so that figures show their stored
pictures. It is printed twice: the first PDF tells on which page each heading stands, the second has these numbers in
its contents. Hints and solutions move to the end of the book.
"""

import argparse
import html
import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from pypdf import PdfReader

from attnbook.widgets.browser import chromium
from tools import ROOT

if TYPE_CHECKING:  # `chromium` says what to do where it is not installed
    from playwright.sync_api import Browser

BOOK = ROOT / "_build" / "html"
PRINTED = ROOT / "_build" / "paying-attention.pdf"
COLLECT = Path(__file__).with_suffix(".js")
STYLE = Path(__file__).with_suffix(".css")
HELP = "Replies, hints and solutions"
REMARK = (
    "Printed from the pages of the book. Code that is folded there (imports, drawing) is left out; replies to "
    "questions, hints and solutions stand at the end. The figures move in the pages."
)
Parts = list[tuple[str, list[dict]]]  # each a caption, and what was collected of its pages
OPEN_NUMBER = re.compile(r'(<b data-page="([^"]*)">)000')
RUNNING_HEAD = """
@page {name} {{ @top-left {{ content: "{title}"; }} }}
#{name} {{ page: {name}; }}"""


def parts_of(toc: dict) -> list[tuple[str, list[str]]]:
    """The parts of the book in their order: their captions, and their pages without ending."""
    parts = [(part["caption"], [c["file"] for c in part["chapters"]]) for part in toc["parts"]]
    return [("", [toc["root"]]), *parts]


def collect(browser: "Browser", book: Path, pages: list[str]) -> list[dict]:
    """What is printed of each page: its name, its title, its sections and its HTML, the ids made unique.

    Args:
        browser: a playwright browser.
        book: the folder of the built book.
        pages: pages without ending, as in the table of contents.
    """
    context = browser.new_context(java_script_enabled=False, offline=True)
    page, collected = context.new_page(), []
    names = {(book / f"{name}.html").as_uri(): anchor(name) for name in pages}
    for address, name in names.items():
        page.goto(address)
        collected.append({"name": name, **page.evaluate(COLLECT.read_text("utf-8"), names)})
    context.close()
    return collected


def anchor(name: str) -> str:
    """The id of a page within the one that is printed, a name also for its style."""
    return "page-" + re.sub(r"\W+", "-", name)


def contents(parts: Parts) -> str:
    """The table of contents in HTML, its page numbers still open."""

    def line(kind: str, target: str, title: str) -> str:
        return f'<a class="{kind}" href="#{target}"><span>{title}</span><i></i><b data-page="{target}">000</b></a>'

    lines = []
    for caption, pages in parts:
        lines += [f"<p>{html.escape(caption)}</p>"] if caption else []
        for page in pages:
            lines.append(line("chapter", page["name"], page["title"]))
            lines += [line("section", *section) for section in page["sections"]]
    lines += ["<p></p>", line("chapter", "page-help", HELP)]
    return f'<nav id="contents"><h1>Contents</h1>{"".join(lines)}</nav>'


def printed_page(parts: Parts) -> str:
    """All that is printed, as one page of HTML, its page numbers still open."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    name = html.escape(config["title"])
    all_pages = [page for _, pages in parts for page in pages]
    sheets = dict.fromkeys(sheet for page in all_pages for sheet in page["styles"])
    heads = [RUNNING_HEAD.format(name=page["name"], title=page["plain"].replace('"', "'")) for page in all_pages]
    body = [
        f'<section id="title"><h1>{name}</h1><p>{html.escape(config["author"])}, '
        f"{config['copyright']}</p><p>{REMARK}</p></section>",
        contents(parts),
    ]
    for caption, pages in parts:
        body += [f'<h1 class="part">{html.escape(caption)}</h1>'] if caption else []
        body += [f'<div id="{page["name"]}">{page["html"]}</div>' for page in pages]
    helps = "".join(page["help"] for page in all_pages)
    body.append(f'<div id="page-help"><h1>{HELP}</h1>{helps}</div>')
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{name}</title>"
        + "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
        + f"<style>{STYLE.read_text('utf-8')}{''.join(heads)}</style></head>"
        '<body><main class="bd-content"><article class="bd-article">'
        f"{''.join(body)}</article></main></body></html>"
    )


def page_numbers(pdf: Path) -> dict[str, int]:
    """The page on which each id stands to which a link of the PDF leads, counted from 1."""
    reader = PdfReader(pdf)
    places = {name: reader.get_destination_page_number(to) for name, to in reader.named_destinations.items()}
    return {name.removeprefix("/"): number + 1 for name, number in places.items() if number is not None}


def print_book(book: Path, out: Path, chosen: list[str]) -> None:
    """Write the PDF, in one step.

    Args:
        book: the folder of the built book.
        out: the PDF.
        chosen: patterns of pages, such as `chapters/0*`; none means all of them.
    """
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    parts = [
        (caption, [p for p in pages if any(fnmatch(p, c) for c in chosen or ["*"])]) for caption, pages in parts_of(toc)
    ]
    parts = [(caption, pages) for caption, pages in parts if pages]
    if not parts:
        raise ValueError(f"expected pages of _toc.yml, such as 'chapters/0*', but none matches {' '.join(chosen)}")
    names = [name for _, pages in parts for name in pages]
    missing = [name for name in names if not (book / f"{name}.html").is_file()]
    if missing:
        raise FileNotFoundError(
            f"expected the built book in {book}, but {missing[0]}.html is not there: build it first (make book)"
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    source, draft = out.with_suffix(".print.html"), out.with_suffix(".draft.pdf")
    try:
        with chromium() as browser:
            collected = iter(collect(browser, book, names))
            text = printed_page([(caption, [next(collected) for _ in pages]) for caption, pages in parts])
            source.write_text(text, "utf-8")
            print_once(browser, source, draft)
            numbers = page_numbers(draft)
            text = OPEN_NUMBER.sub(lambda at: f"{at[1]}{numbers[at[2]]}", text)
            source.write_text(text, "utf-8")
            print_once(browser, source, draft)
        draft.replace(out)
    finally:
        source.unlink(missing_ok=True)
        draft.unlink(missing_ok=True)


def print_once(browser: "Browser", source: Path, pdf: Path) -> None:
    """Print a page of HTML, with bookmarks and with tags for screen readers."""
    context = browser.new_context(java_script_enabled=False, offline=True)
    context.set_default_timeout(0)  # hundreds of pages
    page = context.new_page()
    page.goto(source.absolute().as_uri())
    page.pdf(path=pdf, prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    context.close()


def main(arguments: list[str] | None = None) -> int:
    """Print the book; a message and exit status 2 if that is not possible."""
    parser = argparse.ArgumentParser(prog="python -m tools.pdf", description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="pages, as in _toc.yml; * stands for anything")
    parser.add_argument("--out", type=Path, default=PRINTED, help="needed for some of the pages")
    parser.add_argument("--book", type=Path, default=BOOK, help="folder of the built book")
    given = parser.parse_args(arguments)
    if given.pages and given.out.resolve() == PRINTED.resolve():
        parser.error(f"{PRINTED.relative_to(ROOT)} is the whole book; say with --out where some of its pages go")
    if given.out.is_dir():
        parser.error(f"--out must name a file, but {given.out} is a folder")
    try:
        print_book(given.book.absolute(), given.out, given.pages)
    except (OSError, RuntimeError, ValueError) as error:
        parser.error(str(error))
    count = len(PdfReader(given.out).pages)
    print(f"{given.out}: {count} pages, {given.out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
