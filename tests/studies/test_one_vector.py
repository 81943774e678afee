"""The study of one vector: what passes through it, and that the same seed finds the same."""

import torch

from attnbook.studies import NarrowTranslator, fit_one_vector, one_vector_data
from attnbook.translation import RecurrentConfig


def narrow(size):
    torch.manual_seed(0)
    config = RecurrentConfig(11, 13, 5, 7, 1, 0.0, "none")
    return NarrowTranslator(config, size).eval()


def test_the_writer_sees_no_more_than_the_vector():
    """Of three numbers that are handed on, the writer's start has the rank three."""
    model = narrow(3)
    source = torch.randint(4, 11, (17, 6), generator=torch.Generator().manual_seed(1))
    state = model.start(source, torch.full((17,), 6))
    assert state.hidden.shape == (1, 17, 7)
    assert torch.equal(state.memory, state.hidden[-1])
    before = torch.atanh(state.memory) - model.widen.bias
    assert torch.linalg.matrix_rank(before.detach(), atol=1e-4) == 3


def test_no_tested_sentence_is_trained_on():
    pairs, tests = one_vector_data(0, number=500, tested=10)
    assert {length: len(some) for length, some in tests.items()} == {4: 10, 8: 10}
    trained = {pair.source for pair in pairs}
    held_out = {" ".join(a.source) for some in tests.values() for a in some}
    assert 400 < len(pairs) <= 500 and not trained & held_out
    assert {len(source.split()) for source in trained} == {4, 5, 6, 7, 8}


def test_the_same_seed_finds_the_same():
    def found(size):
        return fit_one_vector(size, seed=0, moments=(2, 4), number=200, tested=3)

    for size in (None, 4):
        first = found(size)
        assert [moment["steps"] for moment in first] == [2, 4]
        assert first == found(size)
        assert first[0]["bleu"].keys() == {4, 8}
