"""This book's prose: what a chapter leaves, and the stored text of eighteen chapters."""

import hashlib
import re

import pytest

from attnbook.data.corpus import FOLDER
from attnbook.language import chapter_prose, read_text, split_book
from attnbook.language.corpora import DEV_CHAPTERS, TEST_CHAPTERS
from tools import prose as maker
from tools.prose import prose

CHAPTER = r"""---
kernelspec: {name: python3}
---

(ch-x)=
# A *title*

**Time** 3 minutes · **Needs** nothing

One line
and `code` of **it** {cite:p}`one2020,two2021`. See {ref}`chapter 2 <ch-pooling>`
and {ref}`ch-scores`; {cite:t}`yang2024gla` say {term}`beams <beam search>` and {term}`heads`, by {eq}`eq-a`.

```{code-cell} ipython3
x = 1
```

$$a = b$$ (eq-a)

With $\alpha_{ij} = \frac{1}{2}$ and $\mathbf x \le 2 \cdot 3$, as [here](https://example.org).

::::{admonition} Predict first
:class: predict
Which?

:::{dropdown} All
Why not?
:::
::::

```{exercise} Its name
:label: ex-x

Its statement.
```

* An item
* another
"""


def test_what_a_chapter_leaves():
    assert chapter_prose(CHAPTER).split("\n\n") == [
        "# A title",
        "One line and code of it. See chapter 2 and ch scores; Yang (2024) say beams and heads, by the equation.",
        "With α_ij = 1/2 and x ≤ 2 · 3, as here.",
        "Predict first",
        "Which?",
        "All Why not?",
        "Its name",
        "Its statement.",
        "An item",
        "another",
    ]


def test_the_maker_takes_eighteen_chapters_and_leaves_the_later_ones():
    titles = re.findall(r"^# (.*)$", made := prose(), re.MULTILINE)
    assert len(titles) == 18 and titles[0] == "Queries, keys and values"
    assert len(made.split()) > 80_000


def test_the_stored_text_is_replaced_only_if_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(maker, "STORED_PROSE", tmp_path / "this_book.txt")
    monkeypatch.setattr(maker, "prose", lambda: "two words\n")
    with pytest.raises(SystemExit):
        maker.main(["--help"])
    maker.main([])
    assert "2 words, SHA-256 " in capsys.readouterr().out and not maker.STORED_PROSE.exists()
    maker.main(["--store"])
    assert maker.STORED_PROSE.read_text("utf-8") == "two words\n"


def test_no_markup_is_left():
    text = read_text("this-book").replace("\n\n", "\n")
    assert not re.findall(r"[`\\$]|\{\w+\}|:{3}|^\s", text, re.MULTILINE)


def test_the_stored_text_is_the_one_that_is_described():
    data, said = (FOLDER / "this_book.txt").read_bytes(), (FOLDER / "SOURCES.md").read_text("utf-8")
    described = said.split("## this_book.txt")[1]
    assert hashlib.sha256(data).hexdigest() in described
    assert f"{len(data.decode().split()):,} words" in described
    assert f"{len(split_book().train.split()):,} of them" in described


def test_whole_chapters_are_held_out():
    split = split_book()
    titles = [re.findall(r"^# (.*)$", part, re.MULTILINE) for part in split]
    everything = re.findall(r"^# (.*)$", read_text("this-book"), re.MULTILINE)
    assert titles[1] == [everything[n - 1] for n in DEV_CHAPTERS]
    assert titles[2] == [everything[n - 1] for n in TEST_CHAPTERS]
    assert sorted(sum(titles, [])) == sorted(everything) and len(titles[0]) == 14
    assert sum(map(len, split)) == len(read_text("this-book"))
