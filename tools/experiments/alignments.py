"""Additive, scaled dot and multiplicative scores in the same translator: is one better, and what does each cost?

Question: at equal size and training, does the score make a difference to translation and alignment, or only to cost?
Varies: the score.
Equal: grammar sentences of 4 to 14 words, batches, steps, the learning rate; a GRU encoder that reads one way (a dot
    product needs states of one size); parameters within 1 %: the products, whose scores have fewer weights or none, get
    wider states.
Control: none; the rates that were tried are options.
Seeds: 3 of model and data, all stored.
Turned round by: an order of the scores that changes from seed to seed, or with the learning rate.

About 40 seconds of processor time per model.
"""

import statistics
import time
from collections.abc import Iterator

import torch
from torch.autograd.graph import saved_tensors_hooks

from attnbook.data import BilingualGrammar, make_batches
from attnbook.training import TrainConfig
from attnbook.transformer import count_parameters
from attnbook.translation import Recipe, alignment_error_rate, bleu, fit, hard_alignment, prepare, translation_loss

OPTIONS = {"seeds": 3, "steps": 900, "rates": [0.004]}
KINDS = ("additive", "scaled dot", "multiplicative")
TIMED_STEPS = 40


def recipe(kind: str, rate: float):
    """The recipe of a score, its states as wide as makes the models equally large."""

    def with_states(kind: str, size: int):
        return Recipe(
            "recurrent",
            {"embed_size": 64, "hidden_size": size, "num_layers": 1, "dropout": 0.1, "attention": kind},
            min_count=1,
            batch_size=64,
            training=TrainConfig(lr=rate, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.999)),
        )

    def parameters(made) -> int:
        return count_parameters(made.build(230, 330))

    wanted = parameters(with_states("additive", 128))
    return min((with_states(kind, size) for size in range(128, 145)), key=lambda made: abs(parameters(made) - wanted))


def sentences(seed: int) -> tuple[list, list]:
    """Training pairs, and new aligned sentences."""
    trained = BilingualGrammar(seed).sample(8000, 4, 14)
    known = {aligned.source for aligned in trained}
    fresh = [aligned for aligned in BilingualGrammar(1000 + seed).sample(300, 4, 14) if aligned.source not in known]
    return [aligned.pair for aligned in trained], fresh


def costs(seed: int, rate: float) -> list[dict]:
    """Processor milliseconds and kept bytes of a training step, the three models taking turns on the same batches."""
    pairs, _ = sentences(seed)
    loss_fn, took = translation_loss(), {kind: [] for kind in KINDS}
    made = {kind: prepare(recipe(kind, rate), pairs, seed) for kind in KINDS}
    models = {kind: translator.model.train() for kind, (translator, _) in made.items()}
    steppers = {k: torch.optim.Adam(m.parameters(), lr=rate) for k, m in models.items()}
    batches = list(make_batches(made["additive"][1], 64, seed)(0))
    for batch in batches[: TIMED_STEPS + 5]:
        for kind, model in models.items():
            began = time.process_time()
            steppers[kind].zero_grad()
            loss_fn(model, batch).backward()
            steppers[kind].step()
            took[kind].append(1000 * (time.process_time() - began))

    def kept(model, batch) -> int:
        """Bytes that the forward pass keeps for the backward pass."""
        storages = {}

        def note(tensor):
            storage = tensor.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
            return tensor

        with saved_tensors_hooks(note, lambda tensor: tensor):
            loss_fn(model, batch)
        weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
        return sum(storages[at] for at in storages.keys() - weights)

    longest = max(batches, key=lambda batch: batch.source.numel())
    return [
        {
            "kind": kind,
            "seed": seed,
            "cpu_ms_per_step": round(statistics.median(took[kind][5:]), 2),
            "kept_mib": round(kept(models[kind], longest) / 2**20, 2),
            "kept_of": [*longest.source.shape, longest.target_out.shape[1]],
        }
        for kind in KINDS
    ]


def settings(options) -> Iterator[dict]:
    """The costs (no kind), then every model with every rate and seed."""
    for seed in range(options.seeds):
        yield {"seed": seed, "rate": options.rates[0]}
    for rate in options.rates:
        for seed in range(options.seeds):
            for kind in KINDS:
                yield {"seed": seed, "rate": rate, "kind": kind, "steps": options.steps}


def run(seed: int, rate: float, kind: str = "", steps: int = 0) -> dict:
    """Train one model and measure it; without a kind, what a step of each costs."""
    if not kind:
        return {"costs": costs(seed, rate)}
    pairs, fresh = sentences(seed)
    translator = fit(recipe(kind, rate), pairs, steps=steps, seed=seed).translator
    written = translator.translate([" ".join(a.source) for a in fresh], max_len=60)
    predicted, sure, possible = set(), set(), set()
    for k, aligned in enumerate(fresh):
        texts = " ".join(aligned.source), " ".join(aligned.target)
        weights = translator.align(*texts)[2][:-1, :-1]
        predicted |= {(k, *link) for link in hard_alignment(weights)}
        sure |= {(k, *link) for link in aligned.sure}
        possible |= {(k, *link) for link in aligned.alignment}
    return {
        "kind": kind,
        "seed": seed,
        "rate": rate,
        "parameters": count_parameters(translator.model),
        "bleu": round(bleu(written, [[" ".join(a.target)] for a in fresh]), 2),
        "aer": round(alignment_error_rate(predicted, sure, possible), 4),
    }


def summary(results: list[dict], options) -> dict:
    """Rows and costs."""
    return {
        "measured": "BLEU and alignment error rate on new sentences of 4 to 14 words; median processor milliseconds "
        f"of {TIMED_STEPS} training steps in which the models take turns; MiB that the forward pass keeps for the "
        "backward pass on the longest batch (kept_of: sentences, source and target tokens), parameters not counted",
        "rows": [found for found in results if "costs" not in found],
        "costs": [row for found in results for row in found.get("costs", [])],
    }
