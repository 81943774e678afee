"""Pairs as numbers, and batches of them: shapes, order, and how little is padding."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.data import Batch, EncodedPair, Pair, collate, encode_pairs, make_batches, pad_rows
from attnbook.text import BOS, EOS, PAD, UNK, SubwordVocabulary, WordVocabulary
from tensors import DEVICES, PROPERTY, says

FIELDS = ("source", "source_lens", "target_in", "target_out", "target_lens")
PAIRS = [Pair("Go.", "Va !"), Pair("I am home.", "Je suis chez moi."), Pair("Home.", "")]
SOURCE, TARGET = ([p[i] for p in PAIRS] for i in (0, 1))

WORD_IDS = st.lists(st.integers(4, 50), max_size=9)
ENCODED = st.lists(st.builds(lambda s, t: EncodedPair([*s, EOS], t), WORD_IDS, WORD_IDS), min_size=1, max_size=60)


def test_rows_are_filled_up_at_their_ends():
    ids, lens = pad_rows([[7, 8], [], [9, 4, 5]], padding=3)
    assert ids.tolist() == [[7, 8, 3], [3, 3, 3], [9, 4, 5]]
    assert lens.tolist() == [2, 0, 3] and ids.dtype == lens.dtype == torch.long
    assert pad_rows([[], []])[0].shape == (2, 0)
    with pytest.raises(ValueError, match="no rows to make a batch of"):
        pad_rows([])


def pairs_of(batch: Batch) -> list[tuple]:
    """The pairs that a batch holds, read row by row with its lengths."""
    found = []
    for row in range(len(batch)):
        source = batch.source[row, : batch.source_lens[row]].tolist()
        target = batch.target_out[row, : batch.target_lens[row]].tolist()
        found.append((tuple(source), tuple(target[:-1])))
    return found


def as_tuples(encoded):
    return [(tuple(source), tuple(target)) for source, target in encoded]


@pytest.mark.parametrize("make", [WordVocabulary, SubwordVocabulary])
def test_encoding(make):
    source_vocab, target_vocab = make(SOURCE), make(TARGET)
    encoded = encode_pairs(PAIRS, source_vocab, target_vocab)
    assert len(encoded) == 3 and all(type(pair) is EncodedPair for pair in encoded)
    for pair, (source, target) in zip(PAIRS, encoded, strict=True):
        assert source == [*source_vocab.encode(pair.source), EOS]
        assert target == target_vocab.encode(pair.target)
        assert not {PAD, BOS, EOS, UNK} & {*source[:-1], *target}


def test_a_long_pair_is_left_out_and_not_cut():
    vocabularies = WordVocabulary(SOURCE), WordVocabulary(TARGET)
    all_of_them = encode_pairs(PAIRS, *vocabularies)
    lengths = [(len(source) - 1, len(target)) for source, target in all_of_them]
    assert lengths == [(2, 2), (4, 5), (2, 0)]
    assert encode_pairs(PAIRS, *vocabularies, max_len=5) == all_of_them
    assert encode_pairs(PAIRS, *vocabularies, max_len=4) == all_of_them[::2]
    assert encode_pairs(PAIRS, *vocabularies, max_len=1) == []


def test_a_batch_by_hand():
    batch = collate([EncodedPair([7, 8, EOS], [5]), EncodedPair([9, EOS], [6, 5, 4])])
    assert batch.source.tolist() == [[7, 8, EOS], [9, EOS, PAD]]
    assert batch.source_lens.tolist() == [3, 2]
    assert batch.target_in.tolist() == [[BOS, 5, PAD, PAD], [BOS, 6, 5, 4]]
    assert batch.target_out.tolist() == [[5, EOS, PAD, PAD], [6, 5, 4, EOS]]
    assert batch.target_lens.tolist() == [2, 4]
    assert batch.num_tokens == 6 and len(batch) == 2
    assert all(getattr(batch, name).dtype == torch.long for name in FIELDS)


@PROPERTY
@given(ENCODED)
def test_shapes_padding_and_the_shift(encoded):
    batch = collate(encoded)
    size = len(encoded)
    width = max(len(pair.source) for pair in encoded)
    steps = max(len(pair.target) for pair in encoded) + 1
    assert batch.source.shape == (size, width)
    assert batch.target_in.shape == batch.target_out.shape == (size, steps)
    assert batch.source_lens.shape == batch.target_lens.shape == (size,)
    assert pairs_of(batch) == as_tuples(encoded)
    for row in range(size):
        n, m = int(batch.source_lens[row]), int(batch.target_lens[row])
        assert (batch.source[row, n:] == PAD).all() and batch.source[row, n - 1] == EOS
        assert (batch.target_out[row, m:] == PAD).all()
        assert (batch.target_in[row, m:] == PAD).all()
        assert batch.target_in[row, 0] == BOS and batch.target_out[row, m - 1] == EOS
        assert torch.equal(batch.target_in[row, 1:m], batch.target_out[row, : m - 1])
    assert batch.num_tokens == int((batch.target_out != PAD).sum())


@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_to_another_device(device):
    batch = collate([EncodedPair([7, EOS], [5])])
    moved = batch.to(device)
    assert isinstance(moved, Batch)
    for name in FIELDS:
        there = getattr(moved, name)
        assert there.device.type == device
        assert there.shape == getattr(batch, name).shape
        if device != "meta":
            assert torch.equal(there.cpu(), getattr(batch, name))


# --- epochs ---------------------------------------------------------------------------------------------------


@PROPERTY
@given(ENCODED, st.integers(1, 17), st.integers(0, 3), st.integers(0, 3), st.booleans())
def test_every_pair_comes_once_an_epoch(encoded, size, seed, epoch, by_length):
    batches = list(make_batches(encoded, size, seed, sort_by_length=by_length)(epoch))
    assert sorted(len(batch) for batch in batches)[1:] == [size] * (len(batches) - 1)
    assert all(1 <= len(batch) <= size for batch in batches)
    found = [pair for batch in batches for pair in pairs_of(batch)]
    assert Counter(found) == Counter(as_tuples(encoded))


def some_pairs(n=331, seed=0):
    """Distinct pairs of many lengths."""
    rng = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 14, (n, 2), generator=rng).tolist()
    return [EncodedPair([4 + i, *[4] * (s - 1), EOS], [4] * t) for i, (s, t) in enumerate(lengths)]


def order_of(batches):
    return [[row[0] for row in batch.source.tolist()] for batch in batches]


@pytest.mark.parametrize("by_length", [True, False])
def test_the_same_seed_and_epoch_give_the_same_batches(by_length):
    encoded = some_pairs()

    def order(seed, epoch):
        return order_of(make_batches(encoded, 16, seed, sort_by_length=by_length)(epoch))

    assert order(5, 2) == order(5, 2)
    assert order(5, 2) != order(5, 3) and order(5, 2) != order(6, 2)
    assert order(2, 5) != order(5, 2)
    batches = make_batches(encoded, 16, 5, sort_by_length=by_length)
    list(batches(0)), next(batches(1))  # epochs before it change nothing
    assert order_of(batches(2)) == order(5, 2)


@pytest.mark.parametrize("by_length", [True, False])
def test_chance_elsewhere_is_neither_used_nor_changed(by_length):
    encoded = some_pairs()
    torch.manual_seed(0)
    first = order_of(make_batches(encoded, 16, 0, sort_by_length=by_length)(0))
    state = torch.get_rng_state()
    assert order_of(make_batches(encoded, 16, 0, sort_by_length=by_length)(0)) == first
    assert torch.equal(torch.get_rng_state(), state)


def test_an_epoch_is_in_no_order_of_length():
    """Neither do short batches come first, nor do the same pairs meet in every epoch."""
    encoded = some_pairs()
    batches = make_batches(encoded, 16)
    widths = [[batch.target_out.shape[1] for batch in batches(e)] for e in range(4)]
    assert all(w != sorted(w) and w != sorted(w, reverse=True) for w in widths)
    together = [{frozenset(b) for b in order_of(batches(e))} for e in range(2)]
    assert len(together[0] & together[1]) < len(together[0]) / 4


def share_of_padding(batches) -> float:
    batches = list(batches)
    real = sum(b.num_tokens + int(b.source_lens.sum()) for b in batches)
    return 1 - real / sum(b.target_out.numel() + b.source.numel() for b in batches)


def test_batches_by_length_hardly_pad():
    encoded = some_pairs(2003)
    bucketed, shuffled = (
        share_of_padding(make_batches(encoded, 16, sort_by_length=choice)(0)) for choice in (True, False)
    )
    assert shuffled > 0.35 and bucketed < 0.05


def test_a_late_change_of_the_list_changes_no_epoch():
    encoded = some_pairs()
    batches = make_batches(encoded, 16)
    before = order_of(batches(0))
    encoded.clear()
    assert order_of(batches(0)) == before


ONE = [EncodedPair([5, EOS], [6])]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: collate([]), ValueError, ("no pairs", "empty", "at least one")),
        (lambda: collate([EncodedPair([], [5])]), ValueError, ("pair 0", "<eos>")),
        (lambda: collate([*ONE, EncodedPair([5], [5])]), ValueError,
         ("pair 1", "<eos> = 2", "[5]", "encode_pairs")),
        (lambda: make_batches([]), ValueError, ("no pairs", "max_len")),
        (lambda: make_batches(ONE, 0), ValueError, ("batch_size", "at least 1")),
        (lambda: make_batches(ONE, 2.0), TypeError, ("batch_size", "integer")),
        (lambda: make_batches(ONE, seed=-1), ValueError, ("seed",)),
        (lambda: next(make_batches(ONE)(-1)), ValueError, ("epoch", "at least 0")),
        (lambda: encode_pairs(PAIRS, WordVocabulary(SOURCE), WordVocabulary(TARGET), 0),
         ValueError, ("max_len", "at least 1")),
        (lambda: encode_pairs([("a", 3)], WordVocabulary(["a"]), WordVocabulary(["a"])),
         TypeError, ("must be a str", "int")),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
