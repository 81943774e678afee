"""The study of one vector: what it is tested on, and that the same seed finds the same."""

from attnbook.studies import fit_one_vector, one_vector_data


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
    assert found(4)[1]["loss"] != found(8)[1]["loss"]
