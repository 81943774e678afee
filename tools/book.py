"""Build the book from its stored outputs into _build/html: what `make book` runs.

    python -m tools.book                            a warning is an error
    python -m tools.book --path-output DIR --all    further arguments are those of `jupyter-book build`

Jupyter Book does the work and the pages are the same, in about half of the time: several processes make them, and
what is asked again and again is worked out once.
"""

import errno
import functools
import gc
import os
import shutil
import sys
from pathlib import Path

from tools import ROOT

ROOM = 100_000_000  # bytes that a build may need, with what an older one has left
OPTIONS = ("-W", "-n", "--keep-going")
PACKAGE = "chapters/api/"
PIECE = 8  # pages


def leave_out_unused_imports() -> None:
    """jsonschema compiles 38 grammars of web addresses when it is imported, and the book's settings contain none."""
    sys.modules.setdefault("rfc3987_syntax", None)


def remember_answers() -> None:
    """Keep what citations, numbered references and the search index ask for each time anew."""
    import pybtex.plugin
    from snowballstemmer.porter_stemmer import PorterStemmer
    from sphinx.domains.std import StandardDomain
    from sphinx.search.en import SearchEnglish

    # searches all installed packages, for each citation
    pybtex.plugin.find_plugin = functools.cache(pybtex.plugin.find_plugin)
    SearchEnglish.stem = functools.cache(
        lambda self, word: PorterStemmer().stemWord(word.lower())
    )
    SearchEnglish.word_filter = functools.cache(SearchEnglish.word_filter)
    resolve = StandardDomain._resolve_numref_xref

    @functools.wraps(resolve)
    def with_doctrees_kept(self, env, *arguments):
        return resolve(self, KeptDoctrees(env), *arguments)

    StandardDomain._resolve_numref_xref = with_doctrees_kept


class KeptDoctrees:
    """Sphinx's environment, except that a page's tree is loaded from its file once; it is not to be changed.

    Args:
        env: the environment.
    """

    trees: dict = {}

    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)

    def get_doctree(self, docname: str):
        """The tree of a page, as it was read."""
        if docname not in self.trees:
            self.trees[docname] = self.env.get_doctree(docname)
        return self.trees[docname]


def pieces(names: list[str], *_) -> list[list[str]]:
    """Pages in portions for one process each, the package's first and together: only one of them imports PyTorch.

    Args:
        names: of pages.
    """
    package = [name for name in names if name.startswith(PACKAGE)]
    others = [name for name in names if not name.startswith(PACKAGE)]
    starts = range(0, len(others), PIECE)
    return [package] * bool(package) + [others[at : at + PIECE] for at in starts]


def share_the_work(jobs: int) -> None:
    """Let Sphinx read and write pages in several processes, for which Jupyter Book has no option.

    Extensions that do not say whether that is safe act before the first page is read and after the last (numbers of
    chapters, LaTeX); the pages come out the same.
    """
    import sphinx.builders
    from sphinx.application import Sphinx

    sphinx.builders.make_chunks = pieces
    begin = Sphinx.build

    @functools.wraps(begin)
    def build(self, *arguments, **options):
        for extension in self.extensions.values():
            if extension.parallel_read_safe is None:  # it does not say
                extension.parallel_read_safe = True
        self.parallel = jobs
        # Sphinx keeps one for itself, which waits for the others in the end
        self.connect("write-started", lambda *_: setattr(self, "parallel", jobs + 1))
        return begin(self, *arguments, **options)

    Sphinx.build = build


def build_whole_pages() -> list[Path]:
    """Refuse to begin where there is no room, and write every page again if the build before did not end.

    Sphinx takes a page for finished that is newer than its source, though its end may be missing.

    Returns:
        A list that gets the folders of the builds that have ended.
    """
    from sphinx.application import Sphinx

    begin, built = Sphinx.build, []

    @functools.wraps(begin)
    def build(self, force_all=False, *arguments, **options):
        html, whole = Path(self.outdir), Path(self.outdir).parent
        old = sum(path.stat().st_size for path in whole.rglob("*") if path.is_file())
        free = shutil.disk_usage(whole).free
        if free + old < ROOM:
            stop(
                f"a build may need {ROOM / 1e6:.0f} MB, and {whole} has room for {(free + old) / 1e6:.0f}. "
                "Nothing was built; what was there is as it was."
            )
        unfinished = html / ".unfinished"
        self.connect("write-started", lambda *_: unfinished.touch())
        begin(self, force_all or unfinished.exists(), *arguments, **options)
        if not self.statuscode:
            unfinished.unlink(missing_ok=True)
            built.append(html)

    Sphinx.build = build
    return built


def stop(message: str) -> None:
    """End with a sentence, and with the exit status of what the user can mend."""
    print(f"\ntools.book: {message}", file=sys.stderr)
    sys.exit(2)


def main(arguments: list[str]) -> None:
    """Build, and end the process with Jupyter Book's exit status."""
    gc.disable()  # a build frees little; looking for it takes a fifth of the time
    leave_out_unused_imports()
    from jupyter_book.cli.main import main as jupyter_book

    remember_answers()
    if hasattr(os, "fork"):
        share_the_work(max(2, os.cpu_count() or 1))
    built = build_whole_pages()
    try:
        jupyter_book(["build", *OPTIONS, *arguments, str(ROOT)])
    except SystemExit as done:
        if isinstance(done.code, KeyboardInterrupt):
            sys.exit(130)
        if done.code:
            raise
    except (OSError, RuntimeError) as error:
        # from Jupyter Book, which has told of the cause; that of another process arrives as text
        if os.strerror(errno.ENOSPC) not in str(error.__cause__ or error):
            raise
        stop(
            "the disk is full, and the book is not whole. Make room, and give the same command again."
        )
    for html in built:
        if (html / "index.html").is_file():
            address = (html / "index.html").resolve().as_uri()
            print(
                "\nThe book is built. Open it by double-clicking, or at this address:"
                f"\n\n    {address}\n"
            )
    # the system frees at once what Python takes two seconds to free
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
