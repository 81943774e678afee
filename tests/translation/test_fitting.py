"""Training translators: the loss falls, the best weights stay, a killed training goes on, two processes agree."""

import dataclasses
import os
import signal
import subprocess
import sys
import time

import pytest
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from attnbook.data import encode_pairs, make_batches
from attnbook.text import WordVocabulary
from attnbook.training import CheckpointError, Progress, TrainConfig, save_checkpoint
from attnbook.training.schedules import warmup_cosine
from attnbook.translation import (
    EarlyStopping,
    development_loss,
    early_stopping,
    fit,
    fitting,
    masked_cross_entropy,
    prepare,
    rows_of,
    translation_loss,
)
from small_recipes import SMALL
from tensors import close, says
from toy_corpus import toy_pairs, uneven_pairs


def test_the_same_seed_gives_the_same_model_and_the_loss_falls():
    runs = [fit(SMALL, toy_pairs(), steps=60, seed=seed) for seed in (0, 0, 1)]
    assert runs[0].losses == runs[1].losses != runs[2].losses
    assert sum(runs[0].losses[-5:]) < sum(runs[0].losses[:5]) / 2
    assert len(runs[0].losses) == 60 and runs[0].seconds > 0
    assert not runs[0].translator.model.training


def test_epochs_are_counted_in_batches():
    assert len(fit(SMALL, toy_pairs(), epochs=2).losses) == 2 * 3  # 48 pairs, 16 a batch


def test_either_steps_or_epochs():
    for both in ({}, {"steps": 3, "epochs": 3}):
        with pytest.raises(ValueError, match="pass one of steps, epochs and seconds"):
            fit(SMALL, toy_pairs(), **both)
    for epochs, error in ((0, ValueError), (2.5, TypeError)):
        with pytest.raises(error, match="epochs must be"):
            fit(SMALL, toy_pairs(), epochs=epochs)


@pytest.mark.parametrize("length", [{"steps": 2}, {"epochs": 2}])
def test_pairs_that_are_all_too_long(length):
    few_words = dataclasses.replace(SMALL, max_len=1)
    with pytest.raises(ValueError, match=says("all 48 pairs have more than 1 tokens")):
        fit(few_words, toy_pairs(), **length)


def test_the_development_loss_is_a_mean_over_words():
    translator, encoded = prepare(SMALL, toy_pairs())
    model = translator.model
    model.train()
    batches = list(make_batches(encoded, 7)(0))
    found = development_loss(model, batches)
    assert model.training
    model.eval()
    whole = next(iter(make_batches(encoded, 48)(0)))
    logits = model(whole.source, whole.target_in, whole.source_lens)
    assert found == pytest.approx(float(masked_cross_entropy(logits, whole.target_out)), rel=1e-4)


def test_a_development_loss_needs_batches():
    with pytest.raises(ValueError, match="no batches to evaluate on"):
        development_loss(torch.nn.Linear(1, 1), [])


def at(step, resumed=False):
    return Progress(step, step if resumed else step - 1, step)


class MadeUp(EarlyStopping):
    """Early stopping on losses that are made up, so that its decisions can be followed."""

    def __init__(self, losses, **options):
        self.made_up = iter(losses)
        super().__init__(torch.nn.Linear(1, 1), [], **options)


@pytest.fixture
def made_up(monkeypatch):
    monkeypatch.setattr(early_stopping, "development_loss", lambda model, batches: next(batches))

    def evaluations(losses, **options):
        stopping = MadeUp(losses, **options)
        stopping.batches = stopping.made_up
        return stopping

    return evaluations


def test_it_stops_after_so_many_evaluations_without_progress_and_keeps_the_best(made_up):
    stopping, stopped = made_up([3.0, 2.0, 2.5, 2.1, 1.0], every=10, patience=2), []
    for step in range(1, 51):
        with torch.no_grad():
            stopping.model.bias.fill_(step)
        if stopping(at(step)):
            stopped.append(step)
            break
    assert stopped == [40]
    assert stopping.history == [(10, 3.0), (20, 2.0), (30, 2.5), (40, 2.1)]
    assert stopping.best == 2.0
    stopping.restore()
    assert stopping.model.bias.item() == 20


@pytest.mark.parametrize(
    ("steps", "evaluations", "expected"),
    [
        (10, 3, [4, 7, 10]),
        (7, 7, [1, 2, 3, 4, 5, 6, 7]),
        (19, 10, [2, 4, 6, 8, 10, 12, 14, 16, 18, 19]),
        (3, 10, [1, 2, 3]),
        (5, 1, [5]),
    ],
)
def test_the_last_evaluation_is_at_the_end(steps, evaluations, expected):
    run = fit(SMALL, toy_pairs(), toy_pairs()[:9], steps=steps, evaluations=evaluations)
    assert [step for step, _ in run.history] == expected


def test_a_finished_training_is_not_evaluated_again(tmp_path):
    given = {"steps": 5, "evaluations": 2, "folder": tmp_path}
    first, again = (fit(SMALL, toy_pairs(), toy_pairs()[:9], **given) for _ in "12")
    assert [step for step, _ in first.history] == [3, 5]
    assert again.history == first.history


def test_without_patience_it_never_stops(made_up):
    stopping = made_up([1.0, 2.0, 3.0, 4.0], every=1)
    assert not any(stopping(at(step)) for step in range(1, 5))
    assert stopping.best == 1.0


def test_what_it_saw_is_known_after_an_interruption_and_what_came_later_is_seen_again(made_up, tmp_path):
    options = {"every": 1, "path": tmp_path / "best.pt"}
    first = made_up([3.0, 2.0, 1.5], **options)
    for step in (1, 2, 3):
        first(at(step))
    second = made_up([1.5, 1.4], **options)  # the last checkpoint was after step 2
    assert second.history == first.history
    assert not second(at(2, resumed=True)) and len(second.history) == 2
    second(at(3))
    second(at(4))
    assert second.history == [(1, 3.0), (2, 2.0), (3, 1.5), (4, 1.4)]


def test_early_stopping_ends_a_training_for_good(tmp_path):
    pairs = toy_pairs()
    run = fit(SMALL, pairs[:40], pairs[40:], steps=400, evaluations=40, patience=3, folder=tmp_path)
    assert len(run.losses) < 400
    losses = [loss for _, loss in run.history]
    assert min(losses) == min(losses[:-3])
    vocabs = run.translator.source_vocab, run.translator.target_vocab
    unseen = list(make_batches(encode_pairs(pairs[40:], *vocabs), 256)(0))
    best = development_loss(run.translator.model, unseen)
    assert best == pytest.approx(min(losses), rel=1e-5)
    again = fit(SMALL, pairs[:40], pairs[40:], steps=400, evaluations=40, patience=3, folder=tmp_path)
    assert again.losses == run.losses and again.history == run.history


def test_the_best_weights_or_the_last():
    pairs = toy_pairs()
    best, last = (
        fit(SMALL, pairs[:30], pairs[30:], steps=240, evaluations=60, keep_best=keep) for keep in (True, False)
    )
    assert best.history == last.history
    vocabs = best.translator.source_vocab, best.translator.target_vocab
    unseen = list(make_batches(encode_pairs(pairs[30:], *vocabs), 256)(0))
    lowest = min(loss for _, loss in best.history)
    chosen = development_loss(best.translator.model, unseen)
    assert chosen == pytest.approx(lowest, rel=1e-4)
    final = development_loss(last.translator.model, unseen)
    assert final == pytest.approx(last.history[-1][1], rel=1e-4)
    assert final > 1.01 * lowest


def test_a_killed_training_goes_on_to_the_same_losses(tmp_path):
    """kill −9 in the middle, several times; in the end, nothing is different."""
    expected = fit(SMALL, toy_pairs(), toy_pairs()[:9], steps=120, evaluations=12)
    script = (
        "from small_recipes import SMALL; from toy_corpus import toy_pairs; from attnbook.translation import fit\n"
        f"fit(SMALL, toy_pairs(), toy_pairs()[:9], steps=120, evaluations=12, folder={str(tmp_path)!r})"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    checkpoint, killed = tmp_path / "training.pt", 0
    for _ in range(2):
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = subprocess.Popen([sys.executable, "-c", script], env=env)
        while process.poll() is None:
            if checkpoint.exists() and checkpoint.stat().st_mtime_ns > before:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.002)
        killed += process.wait() == -signal.SIGKILL
    assert killed >= 1
    run = fit(SMALL, toy_pairs(), toy_pairs()[:9], steps=120, evaluations=12, folder=tmp_path)
    assert run.losses == expected.losses
    assert run.history == expected.history
    weights = run.translator.model.state_dict()
    for name, weight in expected.translator.model.state_dict().items():
        assert torch.equal(weights[name], weight), name
    assert not list(tmp_path.glob(".*.part"))


def test_a_folder_of_another_recipe_is_refused(tmp_path):
    from dataclasses import replace

    fit(SMALL, toy_pairs(), steps=3, folder=tmp_path)
    before = (tmp_path / "training.pt").read_bytes()
    with pytest.raises(CheckpointError, match="lr"):
        fit(SMALL.with_training(lr=0.5), toy_pairs(), steps=3, folder=tmp_path)
    bigger = replace(SMALL, sizes=SMALL.sizes | {"hidden_size": 32})
    with pytest.raises(CheckpointError, match="hidden_size: 24 there, 32 here"):
        fit(bigger, toy_pairs(), steps=3, folder=tmp_path)
    assert (tmp_path / "training.pt").read_bytes() == before


def test_the_processes_rows_are_all_rows_once():
    _, encoded = prepare(SMALL, toy_pairs())
    batch = next(iter(make_batches(encoded, 16)(0)))
    shares = [rows_of(batch, rank, 3) for rank in range(3)]
    assert [len(share.source) for share in shares] == [6, 5, 5]
    for field in ("source", "source_lens", "target_in", "target_out", "target_lens"):
        rows = [row for share in shares for row in getattr(share, field).tolist()]
        assert sorted(rows) == sorted(getattr(batch, field).tolist())
    assert rows_of(batch, 0, 1) is batch
    with pytest.raises(ValueError, match=says("16 pairs", "17 processes")):
        rows_of(batch, 0, 17)


def test_the_loss_of_a_batch_is_the_masked_loss():
    translator, encoded = prepare(SMALL, toy_pairs())
    batch = next(iter(make_batches(encoded, 16)(0)))
    logits = translator.model(batch.source, batch.target_in, batch.source_lens)
    for smoothing in (0.0, 0.1):
        found = translation_loss(smoothing)(translator.model, batch)
        close(found, masked_cross_entropy(logits, batch.target_out, label_smoothing=smoothing), 1e-6)


TWO_PROCESSES = """
import json, sys
from lightning_fabric import Fabric
from small_recipes import SMALL
from toy_corpus import uneven_pairs
from attnbook.translation import fit

if __name__ == "__main__":
    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    pairs = uneven_pairs()
    run = fit(SMALL, pairs, pairs[:9], steps=12, fabric=fabric, folder=sys.argv[1])
    if fabric.is_global_zero:
        print("LOSSES", json.dumps(run.losses))
"""


def test_two_processes_give_the_losses_of_one_with_the_whole_batch(tmp_path):
    script = tmp_path / "two.py"
    script.write_text(TWO_PROCESSES)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(script), str(tmp_path / "run")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    import json

    line = next(line for line in done.stdout.splitlines() if line.startswith("LOSSES"))
    pairs = uneven_pairs()
    expected = fit(SMALL, pairs, pairs[:9], steps=12).losses
    assert json.loads(line.removeprefix("LOSSES")) == pytest.approx(expected, rel=1e-4)


# --- a time instead of a number of steps


class Clock:
    """A clock that a training step moves on: slowly at first, as on a busy machine, then ten times as fast."""

    def __init__(self, slow, fast, busy):
        self.now, self.slow, self.fast, self.busy = 0.0, slow, fast, busy

    def __call__(self):
        return self.now

    def tick(self):
        self.now += self.slow if self.now < self.busy else self.fast


@pytest.fixture
def clock(monkeypatch):
    clock = Clock(slow=5.0, fast=0.5, busy=50.0)
    real = fitting.translation_loss

    def slow_loss(*arguments):
        loss = real(*arguments)

        def timed(model, batch):
            clock.tick()
            return loss(model, batch)

        return timed

    monkeypatch.setattr(fitting, "translation_loss", slow_loss)
    return clock


CLOCKED = SMALL.with_training(schedule="warmup-cosine", warmup_fraction=0.1)


@pytest.fixture
def rates():
    """The learning rate of every step."""
    found = []
    hook = register_optimizer_step_pre_hook(lambda optimizer, *_: found.append(optimizer.param_groups[0]["lr"]))
    yield found
    hook.remove()


def test_the_schedule_follows_the_clock(clock, rates):
    """Ten slow steps in the first half, then a hundred: all of the time is used, and the rate ends at 0."""
    run = fit(CLOCKED, toy_pairs(), seconds=100.0, clock=clock)
    assert len(run.losses) == 10 + 100 and clock.now == 100.0
    assert rates[0] == 0.0 and rates[2] == pytest.approx(0.01)  # after 10 seconds
    assert rates[10] == pytest.approx(0.01 * warmup_cosine(0.5, 0.1))
    assert rates[-1] < 1e-6 and rates[2:] == sorted(rates[2:], reverse=True)


def test_a_resumed_training_keeps_the_time_that_it_has_spent(clock, rates, tmp_path):
    whole = fit(CLOCKED, toy_pairs(), toy_pairs()[:9], seconds=100.0, evaluations=5, clock=clock)
    clock.now, expected = 0.0, list(rates)
    rates.clear()
    real = clock.tick

    def interrupted():
        real()
        if clock.now >= 70.0:
            raise KeyboardInterrupt

    clock.tick = interrupted
    given = {"seconds": 100.0, "evaluations": 5, "folder": tmp_path, "clock": clock}
    with pytest.raises(KeyboardInterrupt):
        fit(CLOCKED, toy_pairs(), toy_pairs()[:9], **given)
    clock.tick, clock.now = real, 60.0  # saved after 60 of 100 seconds
    del rates[30:]  # ten slow steps and twenty fast ones
    run = fit(CLOCKED, toy_pairs(), toy_pairs()[:9], **given)
    assert run.losses == whole.losses and run.history == whole.history
    assert rates == expected and len(run.history) == 5
    with pytest.raises(CheckpointError, match="seconds: 100.0 there, 50.0 here"):
        fit(CLOCKED, toy_pairs(), seconds=50.0, folder=tmp_path)


def test_a_training_ends_with_its_time():
    began = time.perf_counter()
    run = fit(CLOCKED, toy_pairs(), seconds=0.5)
    assert len(run.losses) >= 1 and time.perf_counter() - began >= 0.5
    with pytest.raises(ValueError, match="seconds"):
        fit(SMALL, toy_pairs(), seconds=0)


# --- what a training costs, and leaves behind


def test_every_sentence_is_encoded_once(monkeypatch):
    seen, real = [], WordVocabulary.encode

    def encode(self, sentence):
        seen.append(sentence)
        return real(self, sentence)

    monkeypatch.setattr(WordVocabulary, "encode", encode)
    pairs = toy_pairs()
    fit(SMALL, pairs, steps=7)
    assert sorted(seen) == sorted(text for pair in pairs for text in pair)


def test_a_failing_evaluation_leaves_the_mode_as_it_was():
    translator, _ = prepare(SMALL, toy_pairs())
    model = translator.model.train()
    with pytest.raises(AttributeError):
        development_loss(model, ["no batch"])
    assert all(module.training for module in model.modules())


def test_the_papers_schedule_trains():
    noam = SMALL.with_training(schedule="noam", warmup=4, d_model=16)
    losses = fit(noam, toy_pairs(), steps=30).losses
    assert len(losses) == 30 and losses[-1] < losses[0]
    with pytest.raises(ValueError, match="needs d_model and warmup"):
        SMALL.with_training(schedule="noam")
    with pytest.raises(ValueError, match="got 'nonsense'"):
        TrainConfig(schedule="nonsense")


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"history": [(1, 2.0)]},
        {"history": 3, "weights": None},
        {"history": [(1, 2.0, 3.0)], "weights": None},
        {"history": [("x", 2.0)], "weights": None},
        {"history": [], "weights": {"a": "x"}},
        {"history": [], "weights": [1]},
    ],
)
def test_damaged_best_weights_are_refused(tmp_path, kept):
    save_checkpoint(tmp_path / "best.pt", kept)
    with pytest.raises(CheckpointError, match="best.pt is damaged; delete it"):
        EarlyStopping(torch.nn.Linear(2, 3), [], 1, path=tmp_path / "best.pt")


def test_the_best_weights_of_another_model_are_refused(tmp_path):
    kept = {"history": [(1, 2.0)], "weights": torch.nn.Linear(5, 3).state_dict()}
    save_checkpoint(tmp_path / "best.pt", kept)
    stopping = EarlyStopping(torch.nn.Linear(2, 3), [], 1, path=tmp_path / "best.pt")
    with pytest.raises(CheckpointError, match="best weights of another model"):
        stopping.restore()
