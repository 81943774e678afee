"""Small Transformers that translate grammar sentences: what smoothing their targets changes, and how their heads align.

Question: what does label smoothing change in a small translator, and do its heads align better together than alone?
Varies: the smoothed fraction, 0 or 0.1.
Equal: for each seed the training pairs, first weights, batches, dropout, steps and learning rate; the 300 fresh
    sentences of 4 to 12 words on which everything is measured.
Control: the unsmoothed loss of both; for the heads, the best head chosen on one half of the sentences and scored on
    the other, and a vote of the heads beside their average.
Seeds: 5 of model and data, all stored.
Turned round by: a difference whose sign changes with the seed; a single head or a vote that aligns as well.

About 40 seconds of processor time per model.
"""

import torch

from attnbook.data import BilingualGrammar, encode_pairs, make_batches
from attnbook.text import BOS, PAD
from attnbook.training import TrainConfig
from attnbook.translation import Recipe, alignment_error_rate, bleu, fit, hard_alignment, masked_cross_entropy

OPTIONS = {"seeds": 5, "steps": 500, "smoothing": [0.0, 0.1]}
SEED_BY_SEED = True
BINS = 10  # of the largest probability
MEASURED = (
    "on fresh sentences: BLEU; exactly right ones; loss, unsmoothed, in nats per word; mean of the "
    "largest probability of a next word, and how often that word is right; for ten equal ranges of that "
    "probability the number of words, its sum, and how many were right; alignment error rates of heads "
    "(layer.head), averages and vote; of the head that was best on the first half, on the second"
)


def recipe(smoothing: float) -> Recipe:
    """The chapter's small Transformer."""
    sizes = {
        "d_model": 64,
        "num_heads": 4,
        "d_ff": 256,
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "dropout": 0.05,
        "norm_first": True,
    }
    training = TrainConfig(lr=4e-3, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.98))
    return Recipe("transformer", sizes, min_count=1, batch_size=64, label_smoothing=smoothing, training=training)


def sentences(seed: int) -> tuple[list, list]:
    """Training pairs, and 300 different aligned sentences that are not among them."""
    trained = BilingualGrammar(seed).sample(6000, 4, 12)
    known = {aligned.source for aligned in trained}
    fresh = {a.source: a for a in BilingualGrammar(1000 + seed).sample(600, 4, 12) if a.source not in known}
    return [aligned.pair for aligned in trained], list(fresh.values())[:300]


def certainty(translator, fresh: list) -> dict:
    """The unsmoothed loss; how sure the model is of its likeliest next word, and how often that word is right."""
    pairs = [aligned.pair for aligned in fresh]
    encoded = encode_pairs(pairs, translator.source_vocab, translator.target_vocab)
    batch = next(iter(make_batches(encoded, len(encoded))(0)))
    with torch.no_grad():
        logits = translator.model(batch.source, batch.target_in, batch.source_lens)
    loss = masked_cross_entropy(logits, batch.target_out).item()
    real = batch.target_out != PAD
    largest, likeliest = logits.softmax(-1)[real].max(-1)
    right = (likeliest == batch.target_out[real]).double()
    bins = (largest * BINS).long().clamp(max=BINS - 1)
    of_bin = [bins == number for number in range(BINS)]
    return {
        "loss": round(loss, 4),
        "sure": round(largest.mean().item(), 4),
        "right": round(right.mean().item(), 4),
        "bins": [[int(b.sum()), round(largest[b].sum().item(), 2), int(right[b].sum())] for b in of_bin],
    }


def heads(translator, fresh: list) -> dict:
    """Alignment error rates of each cross-attention head, of averages and of a vote."""
    links: dict[str, list[set]] = {}
    for k, aligned in enumerate(fresh):
        ids, lens = translator.encode([" ".join(aligned.source)])
        words = ids.new_tensor([[BOS, *translator.target_vocab.encode(" ".join(aligned.target))]])
        with torch.no_grad():
            memory = translator.model.encoder(ids, lens)[0]
            _, decoder = translator.model.decoder(words, memory, memory_lens=lens, need_weights=True)
        table = torch.cat([across for _, across in decoder])[:, :, :-1, :-1]  # (layers, H, T, S), without <eos>
        maps = {f"{i + 1}.{j + 1}": table[i, j] for i in range(table.shape[0]) for j in range(table.shape[1])}
        maps |= {f"layer {i + 1}": table[i].mean(0) for i in range(table.shape[0])}
        maps["all"] = table.mean((0, 1))
        votes = torch.nn.functional.one_hot(table.argmax(-1), table.shape[-1]).double()
        maps["vote"] = votes.mean((0, 1)) + 1e-6 * table.mean((0, 1))  # ties by the average
        for name, weights in maps.items():
            links.setdefault(name, []).append({(k, *link) for link in hard_alignment(weights)})
    sure = [{(k, *link) for link in aligned.sure} for k, aligned in enumerate(fresh)]
    possible = [{(k, *link) for link in aligned.alignment} for k, aligned in enumerate(fresh)]

    def error(name: str, part: slice) -> float:
        return alignment_error_rate(*(set().union(*of_pair[part]) for of_pair in (links[name], sure, possible)))

    half = len(fresh) // 2
    single = [name for name in links if "." in name]
    chosen = min(single, key=lambda name: error(name, slice(half)))
    return {
        "errors": {name: round(error(name, slice(None)), 4) for name in links},
        "chosen": chosen,
        "second_half": {name: round(error(name, slice(half, None)), 4) for name in (chosen, "all", "vote")},
    }


def variants(options) -> list[dict]:
    """Every fraction."""
    return [{"smoothing": smoothing} for smoothing in options.smoothing]


def run(seed: int, steps: int, smoothing: float) -> dict:
    """Train one model and measure it."""
    trained, fresh = sentences(seed)
    translator = fit(recipe(smoothing), trained, steps=steps, seed=seed).translator
    expected = [[" ".join(aligned.target)] for aligned in fresh]
    written = translator.translate([" ".join(aligned.source) for aligned in fresh], max_len=30)
    exact = sum(text == reference for text, (reference,) in zip(written, expected, strict=True))
    scores = {"bleu": round(bleu(written, expected), 2), "exact": exact, "sentences": len(fresh)}
    return {"seed": seed, "smoothing": smoothing} | scores | certainty(translator, fresh) | heads(translator, fresh)
