"""The rules find what they are for: a chapter without fault passes, and each fault is named."""

import copy

import jupytext
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import rules
from tools.edited import fingerprint
from tools.notebooks import code_cells

PICTURE = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}
ALT = {"mystnb": {"image": {"alt": "A heat map of five weights; the first is the largest."}}}


def code(source, *outputs, **metadata):
    return new_code_cell(source, outputs=list(outputs), metadata=metadata)


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def question(number, right):
    """A quiz question with three choices, of which one is right."""
    choices = [
        f":::{{dropdown}} Choice {n}\n" + (":class-container: right\nYes." if n == right else "No.") + "\n:::"
        for n in (1, 2, 3)
    ]
    head = f"::::{{admonition}} Question {number}\n:class: quiz\nWhich?\n"
    return "\n".join([head, *choices, "::::"])


@pytest.fixture
def chapter():
    """A small chapter in which everything is right."""
    notebook = new_notebook(
        cells=[
            new_markdown_cell(
                "(ch-example)=\n# An example\n\n**Time** 1 minutes · **Needs** nothing · **Exercises** 1\n\n"
                "What is this? At the end you will be able to say."
            ),
            new_markdown_cell("## One\n\n```python\n## not a section\n```"),
            code("x = 1\nprint(x)", printed("1\n")),
            new_markdown_cell(
                "## Two\n\n::::{admonition} Predict first\n:class: predict\nOne or two?\n"
                "\n:::{dropdown} One\n:class-container: right\nYes.\n:::\n:::{dropdown} Two\nNo.\n:::\n::::"
            ),
            code("draw(x)", new_output("display_data", data=PICTURE), **ALT),
            code('claim("x is one", x == 1)', printed("✓ x is one\n")),
            new_markdown_cell("## What we found"),
            code("what_we_found()"),
            new_markdown_cell(
                "## Check yourself\n\n" + "\n\n".join(question(n, right) for n, right in enumerate((2, 2, 1), 1))
            ),
            new_markdown_cell("## Exercises\n\n```{exercise} Look it up\n:label: ex-soft-lookup\nDo it.\n```"),
            code('def my_soft_lookup(q, k, v):\n    ...\n\ncheck("soft-lookup", my_soft_lookup)'),
            code('hints("soft-lookup")'),
            new_markdown_cell("### To think about\n\n**1.** Why?\n\n:::{dropdown} Answer\nSo.\n:::"),
            new_markdown_cell("## Further reading\n\n{cite:t}`nadaraya1964`"),
        ]
    )
    for number, cell in enumerate(code_cells(notebook), 1):
        cell.execution_count = number
    return notebook


NAMES = {"masked_softmax": "attention/masks.py", "DotProductAttention": "attention/layers.py"}


def all_problems(notebook, twin=None):
    return [
        *rules.wrong_execution_counts(notebook),
        *rules.twin_differences(notebook, twin or notebook),
        *rules.twin_header(twin or notebook),
        *rules.long_cells(notebook),
        *rules.redefinitions(notebook, NAMES),
        *rules.missing_alt_texts(notebook),
        *rules.wrong_order(notebook),
        *rules.unproven_claims(notebook),
        *rules.unwanted_tags(notebook),
        *rules.wrong_exercises(notebook, {"soft-lookup", "bilinear"}),
        *rules.wrong_time(notebook),
        *rules.unanswered(notebook),
        *rules.wrong_quiz(notebook),
    ]


def test_a_chapter_without_fault_passes(chapter):
    assert all_problems(chapter) == []


@pytest.mark.parametrize(
    "picture",
    [
        ":::{figure} a.png\n:alt: Five bars, the first of them the longest.\nCaption\n:::",
        "~~~{image} a.png\n:alt: Five bars, the first of them the longest.\n~~~",
        '<img src="a.png" alt="Five bars, the first of them the longest.">',
        "<img alt='Five bars, the first of them the longest.' src='a.png'>",
    ],
)
def test_a_picture_that_says_what_it_shows_passes(chapter, picture):
    chapter.cells[1].source += f"\n\n{picture}"
    assert rules.missing_alt_texts(chapter) == []


@pytest.mark.parametrize(("last", "problems"), [("{cite:t}`nadaraya1964`", 0), ("Books.", 1)])
def test_a_heading_is_found_however_many_spaces_stand_before_its_words(chapter, last, problems):
    chapter.cells[13].source = f"##  Further reading\n\n{last}"
    found = rules.wrong_order(chapter)
    assert len(found) == problems and all("cites nothing" in problem for problem in found)


def forget(cell, **changes):
    for key, value in changes.items():
        cell[key] = value


def edit(cell, old, new):
    """Replace the first occurrence, which there must be."""
    assert old in cell.source
    cell.source = cell.source.replace(old, new, 1)


FAULTS = {
    "never executed": (lambda c: forget(c[2], execution_count=None), "execution counts"),
    "executed out of order": (lambda c: forget(c[2], execution_count=9), "execution counts"),
    "a cell of 25 lines": (lambda c: forget(c[2], source="x = 1\n" * 24 + "x"), "has 25 lines"),
    "a package function defined again": (
        lambda c: forget(c[2], source="def masked_softmax(scores):\n    return scores"),
        "defines masked_softmax, which attnbook/attention/masks.py",
    ),
    "a package class defined again, nested": (
        lambda c: forget(c[2], source="%matplotlib inline\nif x:\n    class DotProductAttention: ..."),
        "defines DotProductAttention",
    ),
    "a package function as a lambda": (lambda c: forget(c[2], source="masked_softmax = lambda s: s"), "defines masked"),
    "a picture without alt text": (lambda c: forget(c[4], metadata={}), "draws a picture"),
    "a picture with an empty alt text": (
        lambda c: forget(c[4], metadata={"mystnb": {"image": {"alt": "plot"}}}),
        "draws a picture",
    ),
    "an image in HTML without alt text": (
        lambda c: c[2].outputs.append(new_output("display_data", data={"text/html": '<img src="x.png">'})),
        "<img> without alt",
    ),
    "an image in the text without alt text": (lambda c: forget(c[3], source="## Two\n![](a.svg)"), "without alt text"),
    "a figure directive without alt text": (
        lambda c: forget(c[3], source="## Two\n```{figure} a.svg\n:name: fig-a\nCaption\n```"),
        "without alt text",
    ),
    "a figure directive of colons": (
        lambda c: forget(c[3], source="## Two\n:::{figure} a.png\n:::"),
        "cell 4 shows a picture without alt text",
    ),
    "an image directive of tildes": (
        lambda c: forget(c[3], source="## Two\n~~~{image} a.png\n:width: 80%\n~~~"),
        "without alt text",
    ),
    "an image of HTML in the text": (lambda c: forget(c[3], source='Two: <img src="a.png">'), "cell 4 shows a picture"),
    "no label": (lambda c: forget(c[0], source="# An example\n\nWhat? You will see."), "must begin with a label"),
    "no question": (lambda c: forget(c[0], source="(ch-a)=\n# A\n\nYou will see."), "asks no question"),
    "no promise": (lambda c: forget(c[0], source="(ch-a)=\n# A\n\nWhat is this?"), "be able to do"),
    "no findings": (lambda c: forget(c[6], source="## More"), "the last sections must be"),
    "findings in the wrong place": (lambda c: c.insert(3, c.pop(7)), "in the section What we found"),
    "sections in the wrong order": (lambda c: c.insert(6, c.pop(13)), "the last sections must be"),
    "a section after the last": (lambda c: c.append(new_markdown_cell("## One more")), "the last sections must be"),
    "no citation": (lambda c: forget(c[13], source="## Further reading\n\nBooks."), "cites nothing"),
    "a claim after the findings": (
        lambda c: c.insert(8, code('claim("late", True)', printed("✓ late\n"))),
        "missing from its list",
    ),
    "a claim without its tick": (lambda c: forget(c[5], outputs=[]), "claims 1 things and shows 0 ✓"),
    "two claims and one tick": (
        lambda c: forget(c[5], source='claim("a", True)\nclaim("b", True)'),
        "claims 2 things and shows 1 ✓",
    ),
    "a cell that nbval skips": (lambda c: forget(c[2], metadata={"tags": ["nbval-skip"]}), "would not be tested"),
    "a comment that steers nbval": (lambda c: forget(c[2], source="# NBVAL_IGNORE_OUTPUT\nx = 1"), "by a comment"),
    "an exercise that is not registered": (
        lambda c: forget(c[9], source=c[9].source.replace("soft-lookup", "hard-lookup")),
        "ex-hard-lookup is not registered",
    ),
    "an exercise without its check": (lambda c: forget(c[10], source="..."), "check() is called for []"),
    "an exercise without its hints": (lambda c: forget(c[11], source="..."), "hints() is called for []"),
    "a check of another exercise": (
        lambda c: forget(c[10], source='check("bilinear", print)'),
        "check() is called for ['bilinear']",
    ),
    "no time at the head": (
        lambda c: forget(c[0], source=c[0].source.replace("**Time** 1", "Time 1")),
        "below its title there must be a line `**Time** 1 minutes",
    ),
    "another time than it takes": (
        lambda c: forget(c[0], source=c[0].source.replace("** 1 min", "** 9 min")),
        "its head says 9 minutes; it takes 1",
    ),
    "another number of exercises": (
        lambda c: forget(c[0], source=c[0].source.replace("ises** 1", "ises** 2")),
        "its head says 2 exercises; there are 1",
    ),
    "too long": (lambda c: forget(c[3], source=c[3].source + " word" * 9200), "at most 45"),
    "a prediction without choices": (
        lambda c: forget(c[3], source=c[3].source.replace("{dropdown} Two", "{note}")),
        "a prediction needs two or more choices",
    ),
    "a question without an answer": (
        lambda c: forget(c[12], source=c[12].source.replace("{dropdown}", "{note}")),
        "each question to think about",
    ),
    "no exercise": (lambda c: forget(c[9], source="## Exercises"), "there is no exercise"),
    "no quiz": (lambda c: c.pop(8), "the last sections must be"),
    "a quiz of two questions": (
        lambda c: edit(c[8], "{admonition} Question 3\n:class: quiz", "{note}"),
        "has 2 questions",
    ),
    "a question that is not a box of four colons": (
        lambda c: edit(c[8], "::::{admonition} Question 3", ":::{admonition} Q"),
        "has 2 questions",
    ),
    "a question with two choices": (lambda c: edit(c[8], "{dropdown} Choice 3", "{note}"), "question 1 has 2 choices"),
    "a question without a right choice": (
        lambda c: edit(c[8], ":class-container: right\n", ""),
        "question 1 needs one right choice",
    ),
    "a question with two right choices": (
        lambda c: edit(c[8], "\nNo.", "\n:class-container: right\nYes."),
        "question 1 needs one right choice",
    ),
    "a choice without a reply": (lambda c: edit(c[8], "\nNo.", ""), "question 1 has no reply to 'Choice 1'"),
    "the right choice always at the same place": (
        lambda c: forget(c[8], source="## Check yourself\n\n" + "\n\n".join(question(n, 2) for n in (1, 2, 3))),
        "the same place in every question",
    ),
    "a right prediction that is not marked": (
        lambda c: edit(c[3], ":class-container: right\n", ""),
        "the choice 'One' needs a line",
    ),
    "a prediction without a reply": (lambda c: edit(c[3], "\nNo.", ""), "a prediction needs two or more choices"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named(chapter, fault):
    change, expected = FAULTS[fault]
    change(chapter.cells)
    assert any(expected in problem for problem in all_problems(chapter)), all_problems(chapter)


def stored(root, name, notebook):
    """A notebook and its twin, stored under a name."""
    (root / "chapters" / "text").mkdir(parents=True)
    notebook.metadata["attnbook"] = {"sources": fingerprint(notebook)}
    nbformat.write(notebook, root / "chapters" / f"{name}.ipynb")
    jupytext.write(notebook, root / "chapters" / "text" / f"{name}.md", fmt="md:myst")


def test_an_appendix_needs_a_label_and_claims_but_no_exercises(chapter, tmp_path):
    appendix = new_notebook(cells=copy.deepcopy(chapter.cells[:6]))
    appendix.cells[0].source = "(app-example)=\n# An example\n\nNumbers."
    stored(tmp_path / "right", "example", appendix)
    assert rules.problems_of("example", tmp_path / "right") == []

    stored(tmp_path / "chapter", "01-example", appendix)
    assert rules.problems_of("01-example", tmp_path / "chapter")

    faulty = copy.deepcopy(appendix)
    faulty.cells[0].source = "# An example"
    faulty.cells[2].execution_count = None
    faulty.cells[5].outputs = []
    stored(tmp_path / "wrong", "example", faulty)
    problems = "\n".join(rules.problems_of("example", tmp_path / "wrong"))
    for expected in ("label `(app-…)=`", "execution counts", "shows 0 ✓"):
        assert expected in problems


def test_a_twin_that_differs_is_named(chapter):
    twin = copy.deepcopy(chapter)
    twin.cells[2].source += " "
    assert "cell 3 differs" in rules.twin_differences(chapter, twin)[0]
    twin.cells.pop()
    assert "has 14 cells, its text twin 13" in rules.twin_differences(chapter, twin)[-1]
    assert rules.twin_header(new_notebook(metadata={"jupytext": {"formats": "md:myst"}}))


def test_names_of_the_package_are_read_from_its_source():
    names = rules.package_names()
    assert rules.package_names() is names  # for every chapter, and it takes a second
    assert names["masked_softmax"] == "attention/masks.py" and names["DotProductAttention"] == "attention/layers.py"
    assert not any(name.startswith("_") for name in names)
