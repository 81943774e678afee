"""Rows of digits and their reversals, a whole Transformer that learns them, and the three bugs of its decoder."""

import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attnbook.attention import causal_mask
from attnbook.reproducible import seed_everything
from attnbook.training import TrainConfig, train
from attnbook.transformer import Transformer, TransformerConfig

PAD, BOS, EOS = 0, 1, 2
SIGNS = ["<pad>", "<bos>", "<eos>", *map(str, range(10))]
SMALL = TransformerConfig(
    source_vocab_size=13,
    target_vocab_size=13,
    d_model=64,
    num_heads=4,
    d_ff=128,
    num_encoder_layers=1,
    num_decoder_layers=2,
    dropout=0.0,
)


def pack_pairs(
    sources: list[list[int]], targets: list[list[int]]
) -> tuple[Tensor, Tensor, Tensor]:
    """Rows of digits as ids: digit d is d + 3, and each target stands between <bos> and <eos>.

    Args:
        sources, targets: B rows of digits each.

    Returns:
        source (B, S), its lengths (B,) and target (B, T + 2), padded at the right with 0.
    """
    padded = [torch.tensor(row) + 3 for row in sources]
    framed = [torch.tensor([BOS, *(d + 3 for d in row), EOS]) for row in targets]
    lens = torch.tensor([len(row) for row in sources])
    source = pad_sequence(padded, batch_first=True)
    return source, lens, pad_sequence(framed, batch_first=True)


def digit_rows(count: int, seed: int, held_out: bool = False) -> list[list[int]]:
    """Random rows of 4 to 9 digits, those for training or those for the test.

    Args:
        count: how many.
        seed: for the digits.
        held_out: rows whose digits add up to a multiple of 5; if not, all others.

    Returns:
        The rows.
    """
    rng = random.Random(seed)
    rows: list[list[int]] = []
    while len(rows) < count:
        row = rng.choices(range(10), k=rng.randint(4, 9))
        if (sum(row) % 5 == 0) == held_out:
            rows.append(row)
    return rows


def backwards(epoch: int) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Forty batches of 32 new rows and their reversals.

    Args:
        epoch: another one brings other rows.

    Returns:
        What `pack_pairs` makes of each batch.
    """
    rows = digit_rows(40 * 32, seed=epoch)
    batches = [rows[i : i + 32] for i in range(0, len(rows), 32)]
    return [pack_pairs(some, [row[::-1] for row in some]) for some in batches]


def run_decoder(
    model: Transformer,
    ids: Tensor,
    memory: Tensor | None,
    lens: Tensor,
    mask: Tensor | None,
    cache: list | None = None,
    start: int = 0,
) -> Tensor:
    """What a decoder computes, with the mask and the first position left to the caller, who may get them wrong.

    Args:
        model: without dropout on its embeddings, its head tied.
        ids: (B, T), what goes in.
        memory: (B, S, D), from the encoder; None with a cache, which holds it.
        lens: (B,) integers, how many positions of the memory are real.
        mask: see `attnbook.attention`; None: each position sees all.
        cache: from `Decoder.start_cache`.
        start: the position of the first of the ids.

    Returns:
        logits (B, T, V).
    """
    decoder = model.decoder
    x = decoder.embedding(ids) * model.config.d_model**0.5  # (B, T, D)
    x = decoder.positions(x, start=start)
    for i, layer in enumerate(decoder.layers):
        x, _ = layer(
            x, memory, mask=mask, memory_lens=lens, cache=cache[i] if cache else None
        )
    return decoder.norm(x) @ decoder.embedding.weight.T  # (B, T, V): the head


def word_loss(logits: Tensor, target: Tensor) -> Tensor:
    """The mean of −log p over the words that should come out.

    Args:
        logits: (B, T, V).
        target: (B, T + 1), beginning with <bos>.

    Returns:
        A number; padding does not count.
    """
    gold = target[:, 1:].flatten()
    return F.cross_entropy(logits.flatten(0, 1), gold, ignore_index=PAD)


def next_word_loss(model: Transformer, batch: tuple) -> Tensor:
    """Teacher forcing: all words of a batch at once.

    Args:
        model: the Transformer.
        batch: from `pack_pairs`.

    Returns:
        A number.
    """
    source, lens, target = batch
    return word_loss(model(source, target[:, :-1], lens), target)


def unmasked_loss(model: Transformer, batch: tuple) -> Tensor:
    """The same without the causal mask, a bug: each position sees the word that it is asked for.

    Args:
        model: the Transformer.
        batch: from `pack_pairs`.

    Returns:
        A number.
    """
    source, lens, target = batch
    memory, _ = model.encoder(source, lens)
    logits = run_decoder(model, target[:, :-1], memory, lens, mask=None)
    return word_loss(logits, target)


def fit_small(
    loss_fn: Callable,
    batches: Callable,
    config: TransformerConfig = SMALL,
    steps: int = 400,
    lr: float = 5e-3,
    seed: int = 0,
) -> tuple[Transformer, list[float]]:
    """Train a new small Transformer.

    Args:
        loss_fn: from (model, batch) to a loss.
        batches: from an epoch to its batches.
        config: the sizes.
        steps: updates.
        lr: the largest learning rate.
        seed: for the weights.

    Returns:
        The model, and the loss at each step.
    """
    seed_everything(seed)
    model = Transformer(config)
    plan = TrainConfig(steps, lr, schedule="warmup-cosine", warmup_fraction=0.1)
    return model, train(model, loss_fn, batches, plan)


@torch.no_grad()
def write(model: Transformer, source: Tensor, lens: Tensor, steps: int = 10) -> Tensor:
    """Take the most probable word, feed it back, and so on.

    Args:
        model: the Transformer; it is put into evaluation mode.
        source: (B, S) ids.
        lens: (B,) integers.
        steps: how many words.

    Returns:
        ids (B, steps).
    """
    memory, _ = model.eval().encoder(source, lens)
    cache = model.decoder.start_cache(memory)
    words = [torch.full((len(source), 1), BOS)]
    for _ in range(steps):
        logits, _ = model.decoder(words[-1], memory_lens=lens, cache=cache)
        words.append(logits.argmax(-1))  # (B, 1)
    return torch.cat(words[1:], dim=1)


@torch.no_grad()
def write_anew(
    model: Transformer, source: Tensor, lens: Tensor, causal: bool
) -> Tensor:
    """The same ten words, running the whole prefix again for each.

    Args:
        model, source, lens: see `write`.
        causal: with the mask; without it, earlier positions see later ones, a bug.

    Returns:
        ids (B, 10).
    """
    memory = model.eval().encoder(source, lens)[0]
    words = torch.full((len(source), 1), BOS)
    for t in range(1, 11):
        mask = causal_mask(t) if causal else None
        logits = run_decoder(model, words, memory, lens, mask)[:, -1:]
        words = torch.cat([words, logits.argmax(-1)], dim=1)
    return words[:, 1:]


def share_right(written: Tensor, target: Tensor) -> float:
    """The fraction of rows that are right in each word, <eos> included.

    Args:
        written: (B, steps) ids, steps ≥ T.
        target: (B, T + 1), beginning with <bos>.

    Returns:
        A number from 0 to 1; what is written after <eos> does not count.
    """
    gold = target[:, 1:]
    right = (written[:, : gold.shape[1]] == gold) | (gold == PAD)
    return right.all(1).float().mean().item()


def random_target(lens: Tensor) -> Tensor:
    """<bos>, random digits, <eos>.

    Args:
        lens: (B,) integers, how many digits.

    Returns:
        ids (B, max(lens) + 2).
    """
    rng = random.Random(0)
    rows = [rng.choices(range(10), k=n) for n in lens.tolist()]
    return pack_pairs(rows, rows)[2]


@torch.no_grad()
def tell_peeking(model: Transformer, batch: tuple) -> dict[str, float]:
    """What a model that was trained without a causal mask takes from its right-hand side.

    Args:
        model: trained with `unmasked_loss`.
        batch: from `pack_pairs`.

    Returns:
        The fraction of first words that are right with nothing to the right of <bos> (`alone`) and with random digits
        there (`company`), and the fraction of rows that end where random digits, two too few, end (`ends`).
    """
    source, lens, target = batch
    memory, _ = model.eval().encoder(source, lens)

    def says(ids: Tensor) -> Tensor:
        return run_decoder(model, ids, memory, lens, mask=None).argmax(-1)

    alone, company = says(target[:, :1])[:, 0], says(random_target(lens))[:, 0]
    too_few = (says(random_target(lens - 2)) == EOS).float().argmax(-1)
    told = {
        "alone": alone == target[:, 1],
        "company": company == target[:, 1],
        "ends": too_few == lens - 2,
    }
    return {name: right.float().mean().item() for name, right in told.items()}
