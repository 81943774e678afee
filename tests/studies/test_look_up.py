"""Jars on a shelf: the answers, what free heads compute, and heads that are taken out and put back."""

import pytest
import torch

from attnbook.attention import MultiHeadAttention
from attnbook.studies import FreeHeads, LookUp, look_up_run, prune, retrain_look_up, right_without_heads, shelves
from attnbook.transformer import count_parameters


def test_the_answers_are_in_the_ordered_jars():
    labels, contents, order, answers = shelves(50, 3, torch.Generator().manual_seed(0))
    for row in range(50):
        jars = dict(zip(labels[row].tolist(), contents[row].tolist(), strict=True))
        assert len(jars) == 12
        assert [jars[jar] for jar in order[row].tolist()] == answers[row].tolist()


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_free_heads_are_multi_head_attention(kv_heads):
    ours = FreeHeads(4, 8, kv_heads=kv_heads)
    layer = MultiHeadAttention(32, 4, num_kv_heads=kv_heads, bias=False)
    with torch.no_grad():
        layer.W_qkv.weight.copy_(torch.cat([ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]))
        layer.W_o.weight.copy_(ours.W_o.weight)
    x = torch.randn(2, 5, 32)
    output, weights = layer(x, need_weights=True)
    torch.testing.assert_close(ours(x, x), (output, weights))


@pytest.mark.parametrize(("heads", "width"), [(1, 32), (4, 8), (32, 1)])
def test_equal_heads_times_width_means_equal_parameters(heads, width):
    assert count_parameters(FreeHeads(heads, width)) == 4 * 32 * 32


def test_heads_are_put_back():
    torch.manual_seed(0)
    model = LookUp(FreeHeads(3, 4), wanted=2, hidden=7)
    before = model.attention.W_o.weight.clone()
    found = prune(model)
    assert len(found) == 3
    assert torch.equal(model.attention.W_o.weight, before)
    assert found[0] == pytest.approx(right_without_heads(model, []).mean().item())
    nothing = right_without_heads(model, [0, 1, 2])
    with torch.no_grad():
        model.attention.W_o.weight.zero_()
    assert torch.equal(right_without_heads(model, []), nothing)


@pytest.mark.parametrize("head", [-1, 3])
def test_a_head_that_is_not_there_is_refused(head):
    model = LookUp(FreeHeads(3, 4), wanted=2)
    with pytest.raises(ValueError, match="the heads are 0 to 2, got"):
        right_without_heads(model, [0, head])


def test_one_jar_is_learned_and_said():
    assert look_up_run(1, 32, wanted=1, steps=150, seed=0)[0] > 0.9


def test_what_a_training_says(monkeypatch):
    run = lambda *sizes, **more: (0.754, LookUp(FreeHeads(2, 16), 2))  # noqa: E731
    monkeypatch.setattr("attnbook.studies.look_up.look_up_run", run)
    assert retrain_look_up(2, 16, 2, 0) == ("75% of the answers are right, with 4,096 parameters in the layer")
