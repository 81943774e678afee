"""The Python side that all figures share: states, messages, and the HTML that a built page keeps."""

import functools
import json
import re

import pytest
import torch
import traitlets

from attnbook import widgets
from attnbook.widgets import AttentionViewer, BlockExplorerFigure, SaturationFigure, ScoreFunctionsFigure, figure_class
from attnbook.widgets.kit import (
    WIDGETS,
    Figure,
    figure_parts,
    module_source,
    number_between,
    one_of,
    static_box,
    yes_or_no,
)
from attnbook.widgets.scripts import script_names


class Probe(Figure):
    """A figure without JavaScript, to look at the base class alone."""

    _esm = "export default { render() {} };"
    alt = 'An "angle" <b>& more'
    size = number_between(2.5, 0, 10, "how large")
    count = number_between(3, 1, 9, "how many", whole=True)
    kind = one_of("a", ["a", "b"], "the kind")
    on = yes_or_no(False, "whether it is on")
    words = traitlets.List(["x"]).tag(sync=True)


def box_state(html):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL).group(1))


def test_the_state_is_the_figures_own_traits_in_order():
    assert Probe(size=4).state() == {"size": 4.0, "count": 3, "kind": "a", "on": False, "words": ["x"]}


def test_text_and_html_are_the_same_every_time():
    bundles = [Probe(count=5)._repr_mimebundle_()[0] for _ in range(2)]
    for kind in ("text/plain", "text/html"):
        assert bundles[0][kind] == bundles[1][kind]
    assert bundles[0]["text/plain"] == "Probe(size=2.5, count=5, kind='a', on=False, words=['x'])"
    assert "application/vnd.jupyter.widget-view+json" in bundles[0]
    assert "0x" not in bundles[0]["text/html"]


def test_no_state_can_break_out_of_its_script_element():
    nasty = ["</script><script>alert(1)</script>", "<!--", "é 中 \u2028"]
    html = Probe(words=nasty).to_html()
    assert html.count("</script>") == 1 and "<!--" not in html
    assert box_state(html)["words"] == nasty


def test_words_are_escaped_in_attributes():
    html = Probe().to_html()
    assert 'aria-label="An &quot;angle&quot; &lt;b&gt;&amp; more"' in html
    assert 'alt="An &quot;angle&quot; &lt;b&gt;&amp; more"' in html


@pytest.mark.parametrize(
    ("error", "values", "message"),
    [
        (ValueError, {"size": 11}, r"Probe.size is how large: a number from 0 to 10; got 11"),
        (ValueError, {"size": float("nan")}, r"from 0 to 10; got nan"),
        (TypeError, {"size": "4"}, r"a number from 0 to 10; got '4'"),
        (TypeError, {"size": True}, r"got True"),
        (ValueError, {"count": 2.5}, r"Probe.count is how many: a whole number from 1 to 9; got 2.5"),
        (ValueError, {"kind": "c"}, r"Probe.kind is the kind: one of 'a', 'b'; got 'c'"),
        (TypeError, {"on": 1}, r"Probe.on is whether it is on: True or False; got 1"),
        (TypeError, {"colour": 1}, r"Probe has no colour; it takes size, count, kind, on, words"),
    ],
)
def test_bad_values_are_named(error, values, message):
    with pytest.raises(error, match=message):
        Probe(**values)


@pytest.mark.parametrize(
    ("figure", "takes"),
    [
        (
            functools.partial(AttentionViewer, torch.full((2, 3), 0.5)),
            "attentions, tokens, key_tokens, batch, layers, heads, megabytes, kind, layer, head, query, key, window, "
            "shade",
        ),
        (ScoreFunctionsFigure, "seed, score, query, key, on_circle, radius, weight, W_q, W_k, w_v"),
        (BlockExplorerFigure, "norm, residual, depth, measure, layer, compare"),
        (SaturationFigure, "d, scaled, seed"),
    ],
)
def test_what_a_figure_takes_is_named_with_its_arguments_and_without_what_it_makes(figure, takes):
    with pytest.raises(TypeError, match=f"has no windw; it takes {takes}$"):
        figure(windw=3)


def test_a_bad_value_leaves_the_old_one():
    figure = Probe(size=4)
    with pytest.raises(ValueError, match="got 99"):
        figure.size = 99
    assert figure.size == 4


def test_whole_numbers_become_ints():
    count = Probe(count=4.0).count
    assert count == 4 and type(count) is int


def test_every_figure_is_found_by_its_name_and_its_module():
    assert figure_class("softmax_saturation") is SaturationFigure
    assert set(widgets.__all__) <= set(dir(widgets))
    with pytest.raises(ValueError, match="no figure is called 'nothing'; there are query_key_value"):
        figure_class("nothing")
    with pytest.raises(AttributeError, match="attnbook.widgets has no 'NoFigure'"):
        _ = widgets.NoFigure
    with pytest.raises(ValueError, match="has no widgets/nothing/figure.js"):
        module_source("nothing")


@pytest.mark.parametrize("module", widgets.FIGURES.values())
def test_every_figure_has_a_picture_and_words(module):
    html = figure_class(module)().to_html()
    assert f'data-widget="{figure_class(module).module}"' in html
    alt = re.search(r'<img alt="([^"]*)"', html).group(1)
    assert len(alt) > 60
    picture = re.search(r'src="data:image/(svg\+xml|png);base64,([A-Za-z0-9+/=]+)"', html).group(2)
    assert len(picture) > 2000  # a real drawing, not the empty picture that stands in for a missing one


@pytest.mark.parametrize("module", widgets.FIGURES.values())
def test_a_figure_takes_the_state_that_it_gives(module):
    state = figure_class(module)().state()
    assert figure_class(module)(**state).state() == state


def test_the_box_is_the_contract_with_the_host_script():
    assert static_box("some", {"b": 1, "a": "<"}, "words", "data:,") == (
        '<div class="attnbook-figure" data-widget="some" role="group" aria-label="words">\n'
        '<script type="application/json">{"a":"\\u003c","b":1}</script>\n'
        '<img alt="words" src="data:,">\n'
        "</div>"
    )


@pytest.mark.parametrize("module", script_names())
def test_every_file_of_a_figure_is_used(module):
    used = figure_parts(module)
    for path in (WIDGETS / module).glob("*.js"):
        assert f"widgets/{module}/{path.name}" in used


def test_no_line_of_javascript_is_longer_than_120_columns():
    files = sorted(WIDGETS.rglob("*.js"))
    assert len(files) > len(widgets.FIGURES)
    long = [
        f"{path.relative_to(WIDGETS)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if len(line) > 120
    ]
    assert not long, f"{long}; npx prettier --print-width 120 --object-wrap collapse breaks most of them"
