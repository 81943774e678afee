"""Where things are computed: on the best device unless one is chosen, and never half on another."""

import contextlib

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnbook.studies import VOCABULARY, NextWordModel, PositionReader, StackedReader
from attnbook.training import TrainConfig, make_fabric, processes, train
from attnbook.translation import fit
from small_recipes import SMALL, SMALL_TRANSFORMER
from small_translators import KINDS, source_batch, target_batch, translator
from tensors import DEVICES, says
from toy_corpus import toy_pairs


class OnlyOn(TorchDispatchMode):
    """Every tensor that is made while a model runs must be on the model's device."""

    def __init__(self, device):
        super().__init__()
        self.device = torch.device(device)

    def __torch_dispatch__(self, fn, types, args=(), kwargs=None):
        made = fn(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if isinstance(tensor, torch.Tensor) and tensor.device != self.device:
                raise AssertionError(f"{fn} has made a tensor on {tensor.device}")
        return made


def test_the_mode_notices_a_tensor_on_the_wrong_device():
    with pytest.raises(AssertionError, match="on cpu"), OnlyOn("meta"):
        torch.ones(3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_translator_makes_everything_on_its_own_device(kind):
    model = translator(kind).to("meta")
    source, lens = (x.to("meta") for x in source_batch())
    told = target_batch().to("meta")
    model(source, told, lens)  # tables of positions are made once, in float64
    with OnlyOn("meta"), torch.no_grad():
        assert model(source, told, lens).is_meta
        state = model.start(source, lens)
        logits, _, state = model.step(told[:, 0], state)
    assert logits.is_meta


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda: NextWordModel(), len(VOCABULARY)),
        (lambda: StackedReader(2, True), 8),
        (lambda: PositionReader("sinusoidal", 8, 32), 8),
        (lambda: PositionReader("learned", 8, 32), 8),
        (lambda: PositionReader("rotary", 8, 32), 8),
        (lambda: PositionReader("ALiBi", 8, 32, causal=True), 8),
        (lambda: PositionReader("Shaw", 8, 32), 8),
        (lambda: PositionReader("T5", 8, 32), 8),
        (lambda: PositionReader("DeBERTa", 8, 32), 8),
    ],
)
def test_a_study_makes_everything_on_its_own_device(make, size):
    model, ids = make().to("meta"), torch.zeros(2, 16, dtype=torch.long).to("meta")
    with torch.no_grad():
        found = model(ids)
    logits = found[0] if isinstance(found, tuple) else found
    assert logits.is_meta and logits.shape == (2, 16, size)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_device_that_is_not_there_is_an_error_and_not_the_cpu(monkeypatch):
    monkeypatch.setenv("ATTNBOOK_DEVICE", "cuda")
    model = torch.nn.Linear(1, 1)
    calls = [
        lambda: fit(SMALL, toy_pairs(), steps=1),
        lambda: train(model, lambda *_: None, lambda _: [], TrainConfig(1)),
        lambda: make_fabric(),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="ATTNBOOK_DEVICE is 'cuda', which"):
            call()


@pytest.mark.parametrize("name", ["meta", "nonsense"])
def test_what_is_no_device_is_an_error(monkeypatch, name):
    monkeypatch.setenv("ATTNBOOK_DEVICE", name)
    with pytest.raises(ValueError, match=says(f"ATTNBOOK_DEVICE is {name!r}")):
        make_fabric()


@pytest.mark.parametrize("counts", [{"devices": 0}, {"nodes": 0}])
def test_processes_are_counted_from_one(counts):
    with pytest.raises(ValueError, match="must be at least 1, got 0"):
        make_fabric(**counts)


def test_one_device_by_its_number_is_not_several(monkeypatch):
    monkeypatch.setattr(processes, "best_device", lambda: torch.device("cuda:1"))
    with pytest.raises(ValueError, match=says("cuda:1, a single device", "set it to cuda")):
        make_fabric(devices=2)


class Elsewhere:
    """A batch that notes where it is sent."""

    def __init__(self):
        self.sent_to = []

    def to(self, device):
        self.sent_to.append(device)
        return self


def test_batches_are_sent_to_the_models_device():
    batch, model = Elsewhere(), torch.nn.Linear(1, 1)

    def loss(model, batch):
        assert isinstance(batch, Elsewhere) and batch.sent_to
        return model(torch.ones(1, 1)).sum()

    train(model, loss, lambda _: [batch], TrainConfig(2))
    assert batch.sent_to == [torch.device("cpu")] * 2


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("recipe", [SMALL, SMALL_TRANSFORMER], ids=["gru", "tf"])
def test_from_training_to_text_on_every_device(monkeypatch, device, recipe):
    """With a GPU this is the whole way on the GPU: train, choose, translate, search, align."""
    monkeypatch.setenv("ATTNBOOK_DEVICE", device)
    run = fit(recipe, toy_pairs(), toy_pairs()[:9], steps=12)
    translator = run.translator
    assert next(translator.model.parameters()).device.type == device
    sources = [pair.source for pair in toy_pairs()[:3]]
    assert len(translator.translate(sources)) == 3
    assert len(translator.translate(sources, beam=2)) == 3
    assert translator.align(sources[0])[2].device.type == "cpu"


class Travels(torch.nn.Linear):
    """A model that notes where it is sent."""

    def __init__(self):
        super().__init__(1, 1)
        self.sent_to = []

    def to(self, *args, **kwargs):
        self.sent_to.append(torch.device(args[0] if args else kwargs["device"]))
        return super().to(*args, **kwargs)


def never(model, batch):
    raise ArithmeticError


def once(model, batch):
    return model(batch).sum()


@pytest.mark.parametrize("loss", [once, never])
def test_a_model_comes_back_to_its_own_device(loss):
    """Cells that go on with CPU tensors find it where they left it, also after an error."""
    model = Travels()
    with contextlib.suppress(ArithmeticError):
        train(model, loss, lambda _: [torch.ones(1, 1)], TrainConfig(1))
    assert model.sent_to[-1] == torch.device("cpu")
    sent = len(model.sent_to)
    train(model, once, lambda _: [torch.ones(1, 1)], TrainConfig(1), fabric=make_fabric())
    assert len(model.sent_to) == sent + 1, "with a fabric it stays on the fabric's"
