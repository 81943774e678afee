"""`make bench` compares only what is equal, and measures what it says. How fast anything is, is no test."""

import bench
import pytest
import torch


@pytest.mark.parametrize("family", ["dot", "additive"])
def test_all_layers_of_a_family_give_the_same_output(family):
    rows = bench.compare(
        family, length=5, device="cpu", threads=1, rounds=1, memory=False
    )
    assert [row["layer"] for row in rows] == list(bench.layers(family))
    assert all(row["forward"] > 0 and row["both"] > 0 for row in rows)
    assert len(bench.table(family, 5, rows).splitlines()) == 2 + len(rows)


def test_layers_that_differ_are_not_compared(monkeypatch):
    both = {
        "F.scaled_dot_product_attention": bench.fused,
        "twice": lambda q, k, v: 2 * bench.fused(q, k, v),
    }
    monkeypatch.setattr(bench, "layers", lambda *_: both)
    with pytest.raises(AssertionError, match="twice: "):
        bench.compare("dot", length=5, device="cpu", threads=1, rounds=1, memory=False)


@pytest.mark.skipif(
    not bench.PEAK_RESET.exists(),
    reason="this system keeps no account of a process's peak memory",
)
def test_the_peak_is_that_of_the_hidden_layer():
    """Additive attention holds (B, T, S, h) numbers for its hidden layer: the account must not be far from that."""
    length = 256
    hidden = bench.BATCH * length * length * bench.HIDDEN * 4
    peak = bench.peak_in_a_process(
        "additive", "AdditiveAttention", length, "cpu", threads=1
    )
    assert hidden < peak < 8 * hidden


def test_the_reference_reaches_the_fused_kernel():
    with torch.profiler.profile() as profiler:
        bench.fused(*bench.inputs(8))
    assert any("flash" in event.key for event in profiler.key_averages())
