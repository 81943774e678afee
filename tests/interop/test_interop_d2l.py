"""The same numbers as d2l, in outputs, weights and gradients, from the same weights; and the bridge that imports it."""

import importlib
import sys
import types

import pytest
import torch

from attnbook.attention import AdditiveAttention, DotProductAttention, masked_softmax
from attnbook.interop import load_d2l
from attnbook.interop import loading as interop
from tensors import DEVICES, DK, DV, HIDDEN, LENGTHS, QUERY_LENGTHS, TOLERANCE, B, D, S, T, close, inputs, randn, says

# d2l allows lengths below 1, but means something else by them: see the last test
LENS = pytest.mark.parametrize("lengths", [None, LENGTHS, QUERY_LENGTHS], ids=["none", "one a sequence", "one a query"])
DTYPES = pytest.mark.parametrize("dtype", [torch.float64, torch.float32])


def tensor(lengths):
    return None if lengths is None else torch.tensor(lengths)


def compare_gradients(ours, theirs, our_inputs, their_inputs, tolerance):
    upstream = randn(*ours.shape, seed=9, dtype=ours.dtype)
    gradients = (
        torch.autograd.grad((output * upstream).sum(), tensors, retain_graph=True)
        for output, tensors in ((ours, our_inputs), (theirs, their_inputs))
    )
    for got, expected in zip(*gradients, strict=True):
        assert expected.abs().max() > 1e-3
        close(got, expected, tolerance)


@LENS
@DTYPES
def test_masked_softmax(d2l, lengths, dtype):
    ours, theirs = (randn(B, T, S, dtype=dtype, grad=True) for _ in range(2))
    weights = masked_softmax(ours, tensor(lengths))
    expected = d2l.masked_softmax(theirs.clone(), tensor(lengths))  # a clone: it writes into its argument
    close(weights, expected, TOLERANCE[dtype])
    compare_gradients(weights, expected, [ours], [theirs], TOLERANCE[dtype])


def test_their_masked_softmax_writes_into_its_argument_and_ours_does_not(d2l):
    scores = randn(B, T, S)
    before = scores.clone()
    masked_softmax(scores, torch.tensor(LENGTHS))
    assert torch.equal(scores, before)
    d2l.masked_softmax(scores, torch.tensor(LENGTHS))
    assert not torch.equal(scores, before)


@LENS
@DTYPES
def test_dot_product_attention(d2l, lengths, dtype):
    ours, theirs = (inputs(dtype=dtype, grad=True) for _ in range(2))
    layer = d2l.DotProductAttention(dropout=0.5).eval()
    expected = layer(*theirs, tensor(lengths))
    for need_weights in (True, False):
        output, weights = DotProductAttention(dropout=0.5).eval()(*ours, tensor(lengths), need_weights=need_weights)
        close(output, expected, TOLERANCE[dtype])
        compare_gradients(output, expected, ours, theirs, TOLERANCE[dtype])
    output, weights = DotProductAttention()(*ours, tensor(lengths), need_weights=True)
    close(weights, layer.attention_weights, TOLERANCE[dtype])


@LENS
@DTYPES
def test_additive_attention_with_copied_weights(d2l, lengths, dtype):
    ours, theirs = (inputs(key_size=DK, dtype=dtype, grad=True) for _ in range(2))
    reference = d2l.AdditiveAttention(HIDDEN, dropout=0.5).eval().to(dtype)
    reference(*theirs, tensor(lengths))  # its layers are lazy: they have no weights before the first call
    with torch.no_grad():
        for seed, parameter in enumerate(reference.parameters(), start=21):
            parameter.copy_(0.5 * randn(*parameter.shape, seed=seed))
    layer = AdditiveAttention(D, DK, HIDDEN, dropout=0.5).eval().to(dtype)
    layer.load_state_dict(reference.state_dict())  # the names are the same

    output, weights = layer(*ours, tensor(lengths), need_weights=True)
    expected = reference(*theirs, tensor(lengths))
    assert output.shape == (B, T, DV)
    close(output, expected, TOLERANCE[dtype])
    close(weights, reference.attention_weights, TOLERANCE[dtype])
    our_weights, their_weights = (dict(layer.named_parameters()), dict(reference.named_parameters()))
    compare_gradients(
        output,
        expected,
        [*ours, *our_weights.values()],
        [*theirs, *(their_weights[name] for name in our_weights)],
        10 * TOLERANCE[dtype],  # sums over B · T · S
    )


@pytest.mark.parametrize("device", DEVICES)
def test_nothing_to_attend_to_is_where_we_differ(d2l, device):
    """d2l fills with −10⁶, so a row without any key spreads over the padding; ours is zero."""
    scores, lengths = randn(B, T, S, device=device), torch.tensor([0, S], device=device)
    theirs = d2l.masked_softmax(scores.clone(), lengths)
    ours = masked_softmax(scores, lengths)
    close(theirs[0], torch.full_like(theirs[0], 1 / S))
    assert (ours[0] == 0).all()
    close(ours[1], theirs[1])


# --- the bridge ------------------------------------------------------------------------------------------------------


def test_load_d2l_leaves_no_empty_torchvision_behind(d2l):
    assert load_d2l() is d2l
    assert d2l.__name__ == "d2l.torch"
    left = sys.modules.get("torchvision")
    assert left is None or left.__spec__ is not None


def test_a_real_torchvision_is_used(monkeypatch):
    real = types.ModuleType("torchvision")
    monkeypatch.setitem(sys.modules, "torchvision", real)
    load_d2l()
    assert sys.modules["torchvision"] is real


@pytest.mark.parametrize("failure", [ImportError("absent"), RuntimeError("operator torchvision::nms does not exist")])
def test_the_stand_in_is_there_during_the_import_only(monkeypatch, failure):
    """Also for a torchvision that was built for another torch, which fails with anything but an ImportError."""
    seen = []

    def importing(name):
        if name == "torchvision":
            raise failure
        seen.extend(module in sys.modules for module in ("torchvision", "torchvision.transforms"))
        seen.append(sys.modules["torchvision"].transforms is sys.modules["torchvision.transforms"])
        return types.ModuleType(name)

    monkeypatch.delitem(sys.modules, "torchvision", raising=False)
    monkeypatch.delitem(sys.modules, "torchvision.transforms", raising=False)
    monkeypatch.setattr(interop, "importlib", types.SimpleNamespace(import_module=importing))
    assert load_d2l().__name__ == "d2l.torch"
    assert seen == [True, True, True]
    assert "torchvision" not in sys.modules and "torchvision.transforms" not in sys.modules


def test_without_d2l_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "d2l", None)
    monkeypatch.delitem(sys.modules, "d2l.torch", raising=False)
    with pytest.raises(ImportError, match=says("d2l could not be imported", "pip install --no-deps d2l==1.0.3")):
        load_d2l()
    left = sys.modules.get("torchvision")  # tidied up after a failure too
    assert left is None or left.__spec__ is not None


def test_the_package_itself_never_needs_d2l():
    bridge = vars(importlib.import_module("attnbook.interop")).get("d2l")
    assert bridge is None or bridge.__name__ == "attnbook.interop.d2l"
