"""The comparisons of the cross-check appendix can fail: spoilt weights, other masks and missing copies are noticed."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import (
    DotProductAttention,
    MultiHeadAttention,
    SeparateHeads,
    masked_softmax,
    stack_heads,
    to_additive,
    to_blocked,
)
from attnbook.interop import (
    BARS,
    CrossChecks,
    Table,
    from_torch_attention,
    greatest_difference,
    match_parameters,
    name_table,
    randomise,
    to_torch_attention,
)
from attnbook.interop.comparison import cases
from tensors import says

DOUBLE = [torch.float64]


def theirs_and_ours():
    theirs = randomise(nn.MultiheadAttention(24, 3, batch_first=True)).double()
    return theirs, from_torch_attention(theirs)


def compared(ours, theirs, case, **options):
    checks = CrossChecks()
    checks.compare(
        case,
        ours,
        theirs,
        case.sequences(24, 24),
        lambda x, m: ours(x, m, **case.book, need_weights=True),
        lambda x, m: theirs(x, m, m, **case.torch, average_attn_weights=False),
        **options,
    )
    return checks


# --- cases -----------------------------------------------------------------------------------------------------------


def test_the_bars_are_the_books():
    assert {torch.float32: 1e-5, torch.float64: 1e-10} == BARS


def test_every_mask_in_every_precision():
    found = [(case.dtype, case.causal, case.valid_lens is not None) for case in cases()]
    assert len(found) == len(set(found)) == 8
    assert not any(case.causal for case in cases(causal=False))
    assert {case.dtype for case in cases(dtypes=DOUBLE)} == {torch.float64}


@pytest.mark.parametrize("case", list(cases(5, 7, dtypes=DOUBLE)))
def test_all_languages_say_the_same(case):
    """Whatever the words, the same weights come out of the same scores."""
    (scores,) = case.sequences(7)
    expected = masked_softmax(scores, mask=case.allowed)
    assert torch.equal(masked_softmax(scores, **case.book), expected)
    blocked = torch.zeros(2, 5, 7, dtype=torch.bool)
    if case.valid_lens is not None:
        blocked |= case.torch["key_padding_mask"][:, None]
        assert case.huggingface.sum(-1).tolist() == case.valid_lens.tolist() == [3, 6]
    if case.causal:
        blocked |= case.torch["attn_mask"]
    assert torch.equal(to_blocked(case.allowed), blocked)
    lens = torch.full((2,), 7) if case.d2l is None else case.d2l
    assert torch.equal(masked_softmax(scores, lens), expected)
    assert case.allowed.any(-1).all()  # no empty row, which libraries differ in
    hidden = 7 * 10 - int(case.allowed.sum())
    assert (hidden > 0) == (case.causal or case.valid_lens is not None)


def test_inputs_are_moderate_and_never_the_same():
    query, key, value = next(cases(5, 7)).sequences(3, 11, 13)
    assert [x.shape for x in (query, key, value)] == [(2, 5, 3), (2, 7, 11), (2, 7, 13)]
    assert query.dtype == torch.float32 and 0.4 < key.std() < 1
    assert len({x.flatten()[0].item() for x in (query, key, value)}) == 3


def test_randomise_leaves_nothing_at_its_start():
    layer = nn.TransformerEncoderLayer(24, 3, 40)
    assert randomise(layer) is layer and not layer.training
    for name, parameter in layer.named_parameters():
        assert parameter.flatten().unique().numel() == parameter.numel()
        near = 1 if "norm" in name and name.endswith("weight") else 0
        assert abs(parameter.mean().item() - near) < 0.2
    again = randomise(nn.TransformerEncoderLayer(24, 3, 40))
    assert torch.equal(again.linear1.weight, layer.linear1.weight)
    other = randomise(nn.TransformerEncoderLayer(24, 3, 40), seed=1)
    assert not torch.equal(other.linear1.weight, layer.linear1.weight)


# --- names -----------------------------------------------------------------------------------------------------------


def test_parts_of_a_greater_matrix_are_found_on_either_side():
    narrow = randomise(SeparateHeads(24, 3, bias=True))
    whole = stack_heads(narrow)
    parts = {m.ours: (m.theirs, m.rows) for m in match_parameters(narrow, whole)}
    assert parts["heads.1.W_k.weight"] == ("W_qkv.weight", "[32:40]")
    assert parts["heads.2.W_v.bias"] == ("W_qkv.bias", "[64:72]")
    assert parts["W_o.weight"] == ("W_o.weight", "")
    matches = [m for m in match_parameters(whole, narrow) if m.ours == "W_qkv.weight"]
    order = [f"heads.{h}.W_{x}.weight" for x in "qkv" for h in range(3)]
    assert [m.theirs for m in matches] == order
    assert [m.our_part.start for m in matches] == list(range(0, 24 * 72, 24 * 8))


def test_rows_that_stand_apart_in_a_larger_matrix_are_found():
    """As DeepSeek keeps them: a head's key map, its value map, the next head's."""
    theirs = randomise(nn.Linear(5, 12, bias=False))
    keys, values = nn.Linear(5, 6, bias=False), nn.Linear(5, 6, bias=False)
    by_head = theirs.weight.detach().unflatten(0, (2, 2, 3))
    keys.load_state_dict({"weight": by_head[:, 0].flatten(0, 1)})
    values.load_state_dict({"weight": by_head[:, 1].flatten(0, 1)})
    found = {ours: match_parameters(ours, theirs) for ours in (keys, values)}
    assert [m.rows for m in found[keys]] == ["[0:3]", "[6:9]"]
    assert [m.rows for m in found[values]] == ["[3:6]", "[9:12]"]
    for ours, matches in found.items():
        for match in matches:
            mine = ours.weight.flatten()[match.our_part]
            assert mine.equal(theirs.weight.flatten()[match.their_part])
        assert sum(m.our_part.stop - m.our_part.start for m in matches) == 30
    with torch.no_grad():
        keys.weight[4, 2] += 1e-6
    with pytest.raises(ValueError, match="weight of Linear holds numbers that Linear"):
        match_parameters(keys, theirs)


def test_weights_that_were_not_copied_are_refused():
    theirs, ours = theirs_and_ours()
    with torch.no_grad():
        ours.W_o.bias[5] += 1e-9
    with pytest.raises(ValueError, match=says("W_o.bias of MultiHeadAttention", "does not hold", "copy")):
        match_parameters(ours, theirs)
    with pytest.raises(ValueError, match="W_qkv.weight of MultiHeadAttention"):
        match_parameters(MultiHeadAttention(24, 3), theirs)


def test_what_only_they_have_is_left_out():
    linear = randomise(nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 7)))
    assert [m.theirs for m in match_parameters(linear[0], linear)] == ["0.weight", "0.bias"]


def test_the_table_of_names():
    theirs, ours = theirs_and_ours()
    narrow = randomise(SeparateHeads(24, 3, bias=True)).double()
    stacked = stack_heads(narrow)
    table = name_table(torch=(ours, theirs), separate=(stacked, narrow))
    assert table.head == ["this book", "torch", "separate"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["`W_o.bias`"] == ["`out_proj.bias`", "`W_o.bias`"]
    assert rows["`W_qkv.weight`"][1].startswith("`heads.0.W_q.weight`, `heads.1.W_q")
    assert name_table(a=(ours, theirs), b=(theirs, theirs)).rows[-1][1] == "–"


def test_a_table_as_html_and_as_text():
    table = Table(["a", "b < c"], [["`x.y_z`, `aB`", "0.25"]])
    html = table._repr_html_()
    assert "<tr><th>a</th><th>b &lt; c</th></tr>" in html
    code = '<code style="white-space: normal">'
    names = f"{code}x.<wbr>y_<wbr>z</code>, {code}a<wbr>B</code>"
    assert f"<tr><td>{names}</td><td>0.25</td></tr>" in html
    assert html.startswith("<div class=") and html.endswith("</table></div>")
    assert repr(table) == "a · b < c\n`x.y_z`, `aB` · 0.25"


# --- differences -----------------------------------------------------------------------------------------------------


def test_differences_are_absolute_below_1_and_relative_above():
    small, large = torch.tensor([0.5, 0.25]), torch.tensor([200.0, 1.0])
    assert greatest_difference(small + 0.1, small) == pytest.approx(0.1)
    assert greatest_difference(large - 1, large) == pytest.approx(1 / 200)
    pair = greatest_difference([small, large - 1], [small, large])
    assert pair == pytest.approx(1 / 200)  # each tensor by its own size


def test_nan_never_agrees():
    ours, theirs = torch.tensor([1.0, torch.nan]), torch.ones(2)
    for mine, other in ((ours, theirs), (theirs, ours), (ours, ours)):
        gap = greatest_difference([theirs, mine, theirs], [theirs, other, theirs])
        assert not gap <= 1e9


def test_what_cannot_be_compared():
    with pytest.raises(ValueError, match=says("shapes [(2,)] and [(3,)]")):
        greatest_difference(torch.ones(2), torch.ones(3))
    with pytest.raises(ValueError, match="cannot be compared"):
        greatest_difference([torch.ones(2)], [torch.ones(2)] * 2)
    with pytest.raises(ValueError, match="nothing to compare"):
        greatest_difference(torch.zeros(2), torch.zeros(2))


# --- the record ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", list(cases(5, 7, dtypes=DOUBLE)))
def test_equal_layers_are_within_the_bar(case):
    theirs, ours = theirs_and_ours()
    checks = compared(ours, theirs, case)
    text, ok = checks.verdict()
    assert ok
    assert text == (
        "MultiHeadAttention = nn.MultiheadAttention: outputs, weights and gradients within 10⁻¹⁰ in float64"
    )


@pytest.mark.parametrize("name", ["W_qkv.weight", "W_qkv.bias", "W_o.weight", "W_o.bias"])
def test_any_spoilt_parameter_is_noticed(name):
    theirs, ours = theirs_and_ours()
    with torch.no_grad():
        ours.get_parameter(name).flatten()[-1] += 1e-6
    case = next(cases(5, 7, dtypes=DOUBLE))
    checks = compared(ours, theirs, case, parameters=False)
    assert not checks.verdict()[1]
    assert "✗" in repr(checks.table())


def test_another_mask_is_noticed():
    theirs, ours = theirs_and_ours()
    none, padding, causal, both = cases(5, 7, dtypes=DOUBLE)
    for said, heard in ((none, padding), (padding, causal), (causal, both)):
        checks = CrossChecks()
        checks.compare(
            said,
            ours,
            theirs,
            said.sequences(24, 24),
            lambda x, m, said=said: (ours(x, m, **said.book)[0], None),
            lambda x, m, heard=heard: (theirs(x, m, m, **heard.torch)[0], None),
        )
        assert not checks.verdict()[1]


def test_a_wrong_gradient_is_noticed_though_the_output_is_right():
    case = next(cases(5, 7, dtypes=DOUBLE))
    checks, layer = CrossChecks(), DotProductAttention()
    checks.compare(
        case,
        layer,
        F.scaled_dot_product_attention,
        case.sequences(11, 11, 13),
        lambda q, k, v: layer(q, k.detach() + 0 * k, v),
        lambda q, k, v: (F.scaled_dot_product_attention(q, k, v), None),
        peer="F.scaled_dot_product_attention",
    )
    worst = checks.worst(checks.last, torch.float64)
    assert worst["outputs"] < 1e-10 < worst["gradients"]
    assert not checks.verdict()[1]


def test_only_parameters_with_a_wrong_gradient_are_noticed_too():
    theirs, ours = theirs_and_ours()
    ours.W_o.bias.register_hook(lambda gradient: 2 * gradient)
    case = next(cases(5, 7, dtypes=DOUBLE))
    assert not compared(ours, theirs, case).verdict()[1]
    assert compared(ours, theirs, case, parameters=False).verdict()[1]


def test_one_bad_case_among_many_is_enough():
    checks = CrossChecks()
    for case in cases(5, 7):
        slip = 1e-4 * (case.causal and case.valid_lens is not None)
        checks.compare(
            case,
            masked_softmax,
            F.softmax,
            case.sequences(7),
            lambda e, case=case, slip=slip: (masked_softmax(e, **case.book) + slip, None),
            lambda e, case=case: (F.softmax(e + to_additive(case.allowed, case.dtype), -1), None),
        )
    assert not checks.verdict()[1]
    assert all(not checks.holds(checks.last, dtype) for dtype in BARS)
    head, (row,) = checks.table().head, checks.table().rows
    assert head[-2:] == ["≤ 10⁻⁵ in float32", "≤ 10⁻¹⁰ in float64"]
    assert row == ["`masked_softmax`", "`F.softmax`", "outputs, gradients", "4", "✗", "✗"]
    shown = checks.differences()
    assert [row[2:5] for row in shown.rows] == [["float32", "1.0e-04", "–"], ["float64", "1.0e-04", "–"]]


def test_a_precision_that_was_not_compared_holds_nothing():
    theirs, ours = theirs_and_ours()
    checks = compared(ours, theirs, next(cases(5, 7, dtypes=DOUBLE)))
    assert not checks.holds(checks.last, torch.float32)
    assert checks.table().rows[0][-2:] == ["–", "✓"]
    with pytest.raises(RuntimeError, match="nothing has been compared"):
        CrossChecks().verdict()


def test_the_way_back_is_the_same_layer():
    theirs, ours = theirs_and_ours()
    case = next(cases(5, 7, dtypes=DOUBLE))
    assert compared(ours, to_torch_attention(ours), case).verdict()[1]
