"""The exercises on masks and heads: their solutions are the package's, and what is no float tensor is judged well."""

import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from verdicts import every_argument, same

from attnbook import attention as multihead
from attnbook.exercises.answers import Mask
from attnbook.exercises.arguments import draw
from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge
from attnbook.exercises.devices import on_another_device

NAMES = [
    "causal-mask", "padding-and-causal", "cross-attention", "leaks",
    "split-heads", "torch-weights", "grouped-queries",
]  # fmt: skip
CAUSAL, DECODER, CROSS, LEAKS, SPLIT, LAYER, GROUPED = EXERCISES = [SHELF.get(name) for name in NAMES]
MASKS = [CAUSAL, DECODER]
t = torch.tensor


# --- the solutions are the package's functions ----------------------------------------------------------------


def test_the_chapters_are_theirs():
    assert [exercise.chapter for exercise in EXERCISES] == [6, 4, 6, 6, 7, 7, 7]


def test_a_leak_is_where_the_gradient_says():
    seen, silent = set(), 0
    for attend, x, mask in every_argument(LEAKS):
        jacobian = torch.autograd.functional.jacobian(attend, x)
        depends = (jacobian != 0).any(dim=3).any(dim=1)
        found = LEAKS.solution(attend, x, mask)
        told = (depends & ~mask).any(dim=1)
        assert not (told & ~found).any()
        if not torch.equal(found, told):  # a leak in steps, or out of hearing here, has no slope
            assert not told.any()
            silent += 1
        seen.add(bool(found.any()))
    assert seen == {True, False} and silent == 4


def test_the_layer_does_what_the_books_does_gradients_included():
    for W_q, W_k, W_v, W_o, num_heads in every_argument(LAYER):
        theirs = LAYER.solution(W_q, W_k, W_v, W_o, num_heads)
        ours = multihead.MultiHeadAttention(len(W_q), num_heads, bias=False).double()
        with torch.no_grad():
            ours.W_qkv.weight.copy_(torch.cat([W_q, W_k, W_v]))
            ours.W_o.weight.copy_(W_o)
        query, key = (draw(2, n, len(W_q), seed=n) for n in (5, 3))
        outputs = theirs(query, key, key)[0], ours(query, key, key)[0]
        same(*outputs)
        for output in outputs:
            output.pow(2).sum().backward()
        same(theirs.in_proj_weight.grad, ours.W_qkv.weight.grad)
        same(theirs.out_proj.weight.grad, ours.W_o.weight.grad)


# --- the numbers in their texts -------------------------------------------------------------------------------


def test_the_statements_tell_the_truth():
    assert CAUSAL.solution(2, 5).sum(1).tolist() == [4, 5]
    assert DECODER.solution(t([2]), 3)[0].int().tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
    x = t([[[11.0, 12, 13, 14], [21, 22, 23, 24]]])
    assert SPLIT.solution(x, 2)[0].tolist() == [[[11, 12], [21, 22]], [[13, 14], [23, 24]]]
    outputs = GROUPED.solution(*GROUPED.example()).flatten()
    same(outputs.round(decimals=3), t([15, 17.311, 40, 47.616], dtype=torch.float64))
    assert LEAKS.solution(*LEAKS.example()).tolist() == [True, True, False]


def test_the_vectors_that_cross_attention_speaks_of():
    x, memory, W_q, W_k, W_v, _ = CROSS.example()
    first, padding = memory[0, 0], memory[0, 2]
    assert (x[0, 0] @ W_q.T).tolist() == [2, 0]
    assert (x[0, 0] @ W_q).tolist() == [2, 1] == W_q[0].tolist()
    assert (memory[0, :2] @ W_k.T).tolist() == [[0, -1], [1, 1]]
    assert (first @ W_k).tolist() == [0, 1]
    assert (memory[0, :2] @ W_v.T).tolist() == [[2, 1], [0, 3]]
    assert (first @ W_v).tolist() == [2, 0]
    assert (padding @ W_v.T).tolist() == [6, 12]
    assert ((x[0] @ W_q.T) @ (memory[0] @ W_k.T).T).tolist() == [[0, 2, 6]]


def test_the_vectors_that_the_layer_speaks_of():
    W_q, W_k, W_v, W_o, _ = LAYER.example()
    one = t([1.0, 0], dtype=torch.float64)
    assert (W_q @ one).tolist() == [1, 1]
    assert (W_k @ one).tolist() == [0, 2]
    assert (W_v @ one).tolist() == [1, 3]
    assert W_q[0].tolist() == [1, 2]
    assert (W_o[0].tolist(), W_o.T[0].tolist()) == ([1, 1], [1, 0])
    # by hand: two heads of one feature each, the weights are softmax(0, 1) and softmax(2, 0)
    heads = (t([[0.0, 1]]).softmax(-1)[0] @ t([1.0, 0]), t([[2.0, 0]]).softmax(-1)[0] @ t([3.0, 2]))
    expected = W_o @ torch.stack(heads).double()
    torch.testing.assert_close(
        LAYER.answer.read(LAYER.example(), LAYER.solution(*LAYER.example()))[0, 0], expected, rtol=0, atol=1e-6
    )


def test_what_is_said_of_masks_that_are_not_bool_is_true():
    scores, mask = torch.zeros(1, 2, 2), t([[1, 0], [1, 1]])
    for dtype in (torch.int64, torch.int32, torch.uint8):
        with pytest.raises(RuntimeError, match="bool"):
            scores.masked_fill(mask.to(dtype), 0)
        with pytest.raises(RuntimeError):
            F.scaled_dot_product_attention(scores, scores, scores, attn_mask=mask.to(dtype))
        verdict = judge(CAUSAL, lambda q, k, dtype=dtype: CAUSAL.solution(q, k).to(dtype))
        assert "254" in verdict.says if dtype == torch.uint8 else "−2" in verdict.says
    values = torch.eye(2)[None]
    weights = F.scaled_dot_product_attention(scores, scores, values, attn_mask=mask.float())
    torch.testing.assert_close(weights[0, 0], t([1.0, 0]).softmax(0))


# --- masks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", MASKS, ids=lambda e: e.name)
@pytest.mark.parametrize(
    ("diagnosis", "change", "says"),
    [
        ("returns-numpy", lambda mask: mask.numpy(), "a NumPy"),
        ("returns-a-list", lambda mask: mask.tolist(), "a Python list of length"),
        ("returns-a-list", lambda mask: list(mask), "a Python list"),
        ("returns-a-tuple", lambda mask: (mask, None), "Number 1 of them is the right answer"),
        ("returns-a-bool", lambda mask: bool(mask.any()), "returns True"),
        ("returns-none", lambda mask: None, "returns nothing"),
        ("prints", print, "prints `tensor("),
        ("returns-another-kind", lambda mask: mask.to_sparse(), "sparse"),
        ("not-bool", lambda mask: mask.half(), "float16"),
        ("additive-finite", lambda mask: (~mask) * -3.5e4, "−35000"),
        ("not-repeatable", lambda mask: mask ^ (torch.rand(mask.shape) > 0.5), "Two calls"),
        ("factor", lambda mask: 2 * mask.int(), "2"),
        ("missing-axis", lambda mask: mask.squeeze(), "an axis of size 1 was dropped"),
        ("cut-short", lambda mask: mask[..., :-1], "stop after"),
    ],
)  # fmt: skip
def test_every_kind_of_mask_is_understood(exercise, diagnosis, change, says):
    verdict = judge(exercise, lambda *arguments: change(exercise.solution(*arguments)))
    assert verdict.diagnosis == diagnosis, verdict
    assert says in verdict.says
    assert "gradient" not in repr(verdict)


def test_a_squeezed_mask_fails_at_the_edge():
    verdict = judge(CAUSAL, lambda q, k: CAUSAL.solution(q, k).squeeze())
    assert verdict.diagnosis == "missing-axis"
    assert "With num_queries 1, num_keys 7" in verdict.says


def test_a_mask_has_no_gradient_to_be_asked_for():
    verdict = judge(DECODER, torch.no_grad()(DECODER.solution))
    assert verdict
    assert "gradient" not in verdict.says
    assert "they stay as they were" in verdict.says
    assert "stay" not in judge(CAUSAL, CAUSAL.solution).says


def test_the_decoders_mask_follows_its_lengths_to_another_device():
    for lengths, T in every_argument(DECODER):
        assert on_another_device(DECODER.solution, (lengths, T)).device.type != "cpu"


def test_masks_are_read_as_zeros_and_ones():
    assert Mask().read((), t([True, False])).tolist() == [1.0, 0.0]
    assert Mask().read((), t([1, 0])).dtype == torch.float64


# --- layers ---------------------------------------------------------------------------------------------------


def layer(change=lambda made, *weights: made, **options):
    """An answer that makes the right layer with other options, and then changes it."""

    def answer(W_q, W_k, W_v, W_o, num_heads):
        settings = {"bias": False, "batch_first": True, "dtype": W_q.dtype, **options}
        made = nn.MultiheadAttention(len(W_q), num_heads, **settings)
        with torch.no_grad():
            made.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
            made.out_proj.weight.copy_(W_o)
        result = change(made, W_q, W_k, W_v, W_o)
        return made if result is None or isinstance(result, torch.Tensor) else result

    return answer


def refilled(made, *blocks):
    made.in_proj_weight.data.copy_(torch.cat(blocks))


def output_replaced(made, weight):
    made.out_proj.weight = nn.Parameter(weight)


@pytest.mark.parametrize(
    ("diagnosis", "answer", "says"),
    [
        ("returns-none", lambda *a: [None][0], "wanted: a layer"),
        ("prints", lambda *a: print("done"), "prints `done`"),
        ("returns-another-kind", lambda *a: nn.MultiheadAttention, "the type `type`"),
        ("returns-another-kind", layer(lambda made, *W: made.state_dict()), "the type `OrderedDict`"),
        ("returns-another-kind", layer(lambda made, *W: nn.Sequential(made)), "the type `Sequential`"),
        ("returns-another-kind", layer(lambda made, *W: (made, 1)), "the type `tuple`"),
        ("returns-another-kind", lambda *a: multihead.MultiHeadAttention(2, 2), "the type `MultiHeadAttention`"),
        ("returns-another-kind", lambda *a: multihead.MultiHeadAttention, "the type `type`"),
        ("returns-another-kind", lambda *a: len, "builtin_function_or_method"),
        ("biases", layer(bias=True), "8 numbers more"),
        ("positions-first", layer(batch_first=False), "(T, B, D)"),
        ("dropout", layer(dropout=0.25), "0.25"),
        ("shape-of-a-weight", layer(lambda made, q, k, v, o: output_replaced(made, o[:1])), "(1, 2)"),
        ("other-weights", layer(lambda made, *W: made.in_proj_weight.data.mul_(0.5)), "W_q = ((1, 2), (1, 0))"),
        ("other-weights", layer(lambda made, q, k, v, o: refilled(made, q.flip(0), k, v)), "W_q = "),
        ("other-weights", layer(lambda made, *W: made.out_proj.weight.data.zero_()), "W_o = ((1, 1), (0, 1))"),
        ("other-weights", layer(lambda made, *W: made.in_proj_weight.data[0].mul_(-1)), "W_q = ((1, 2), (1, 0))"),
        ("other-weights", layer(lambda made, q, k, v, o: refilled(made, v, k, q)), "W_q = "),
        ("some-not-copied", layer(lambda made, *W: made.in_proj_weight.data[len(W[0]) :].normal_()), "W_v"),
        ("W_k-not-copied", layer(lambda made, *W: made.in_proj_weight.data.chunk(3)[1].normal_()), "W_k = "),
    ],
)  # fmt: skip
def test_every_kind_of_layer_is_understood(diagnosis, answer, says):
    verdict = judge(LAYER, answer)
    assert verdict.diagnosis == diagnosis, verdict
    assert says in verdict.says
    assert "?" in verdict.asks


def test_random_weights_make_no_random_message():
    answers = [LAYER.mistaken(m) for m in LAYER.mistakes if m.name.endswith("copied")]
    assert len(answers) == 3
    for answer in answers:
        shown = set()
        for seed in range(3):
            torch.manual_seed(seed)
            shown.add(repr(judge(LAYER, answer)))
        assert len(shown) == 1


def test_the_random_numbers_of_the_notebook_stay_where_they_are():
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    judge(LAYER, LAYER.solution)
    judge(LAYER, lambda *a: torch.rand(3))
    assert torch.equal(torch.rand(4), expected)


def test_both_precisions_are_asked_for():
    assert judge(LAYER, layer(dtype=torch.float64)).diagnosis == "changes-dtype"
    assert "float32, your layer" not in judge(LAYER, layer()).says
    verdict = judge(LAYER, layer(dtype=torch.float32))
    assert verdict.diagnosis == "changes-dtype"


def test_a_wrong_number_of_heads_is_told_where_it_can_be_told_from_the_size_of_one():
    def heads(count):
        return lambda *W: layer()(*W[:4], count(W[4], len(W[0])))

    verdict = judge(LAYER, heads(lambda h, d: d // h))
    assert "num_heads = 1." in verdict.says
    verdict = judge(LAYER, heads(lambda h, d: 1))
    assert "num_heads = 1." in verdict.says


def test_a_layer_is_asked_with_queries_that_are_not_its_keys():
    asked = []

    class Spy(nn.MultiheadAttention):
        def forward(self, *arguments, **options):
            asked.append(arguments)
            return super().forward(*arguments, **options)

    for arguments in (LAYER.example(), *LAYER.probes()):
        spy = Spy(len(arguments[0]), arguments[4], bias=False, batch_first=True, dtype=torch.float64)
        LAYER.answer.read(arguments, spy)
    assert len(asked) == 1 + len(LAYER.probes())
    for query, key, value in asked:
        assert query.shape[1] != key.shape[1]
        assert key is value or not torch.equal(key, value)


# --- heads and cross-attention --------------------------------------------------------------------------------


def test_axes_that_are_merely_in_another_order_are_told_as_that():
    verdict = judge(GROUPED, lambda *qkv: GROUPED.solution(*qkv).transpose(1, 2))
    assert verdict.diagnosis == "transposed"
    assert "(B, T, H, Dh)" in verdict.says


def test_a_view_under_no_grad_has_no_gradient():
    assert judge(SPLIT, torch.no_grad()(SPLIT.solution)).diagnosis == "no-gradient"


@pytest.mark.parametrize("fill", [-torch.inf, -1e9, -1e4])
def test_a_softmax_over_queries_is_known_whatever_the_fill(fill):
    def over_queries(x, memory, W_q, W_k, W_v, lengths):
        e = (x @ W_q.T) @ (memory @ W_k.T).mT / x.shape[-1] ** 0.5
        e = e.masked_fill(torch.arange(memory.shape[1]) >= lengths[:, None, None], fill)
        return e.softmax(1) @ (memory @ W_v.T)

    assert judge(CROSS, over_queries).diagnosis == "softmax-over-queries"


@pytest.mark.parametrize("fill", [-1.0, -5.0, -12.0])
def test_a_leak_to_the_padding_is_measured(fill):
    def leaks(x, memory, W_q, W_k, W_v, lengths):
        e = (x @ W_q.T) @ (memory @ W_k.T).mT / x.shape[-1] ** 0.5
        e = e.masked_fill(torch.arange(memory.shape[1]) >= lengths[:, None, None], fill)
        return e.softmax(-1) @ (memory @ W_v.T)

    verdict = judge(CROSS, leaks)
    assert verdict.diagnosis == "padding-answers", verdict
    share = float(re.search(r"The padding gets ([\d.e−]+\d)", verdict.says)[1].replace("−", "-"))
    assert 0 < share < 0.5


def test_square_weights_do_not_hide_a_transpose():
    """Why the check uses more than identities and symmetric matrices."""
    for *_, W_q, W_k, W_v, _ in every_argument(CROSS)[:4]:
        assert all(not torch.allclose(W, W.T) for W in (W_q, W_k, W_v))
    for *weights, _ in every_argument(LAYER)[:5]:
        assert all(not torch.allclose(W, W.T) for W in weights)
