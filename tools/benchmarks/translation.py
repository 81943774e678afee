"""Translators: a training step and greedy decoding against d2l's, and decoding with a cache against without.

d2l 1.0.3 leaves the decoder of its chapter on Bahdanau attention out of the package. `PublishedDecoder` puts it
together again, as published: from d2l's encoder, d2l's attention and PyTorch's GRU.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.interop import PublishedDecoder, load_d2l
from attnbook.transformer import TransformerConfig
from attnbook.translation import RecurrentConfig, RecurrentTranslator, TransformerTranslator, masked_cross_entropy
from tools.benchmarks.family import Bar, Case, Family, Layer
from tools.benchmarks.measure import check_same_words, run

OURS, D2L = "RecurrentTranslator", "d2l, as published"
CACHED, UNCACHED = "with a cache", "without"
VOCABULARY = 200  # about what d2l's 600 training sentences leave, at least two of each
PIECES = 1500
LAYERS, PAD, BOS = 2, 0, 1
LEARNING_RATE, LARGEST_NORM = 5e-3, 1.0


class Published(nn.Module):
    """d2l's encoder and `PublishedDecoder`.

    Args:
        size: of embeddings and states.
    """

    def __init__(self, size: int):
        super().__init__()
        self.encoder = load_d2l().Seq2SeqEncoder(VOCABULARY, size, size, LAYERS)
        self.decoder = PublishedDecoder(VOCABULARY, size, size, LAYERS)

    def start(self, source: Tensor, lens: Tensor) -> tuple:
        """The decoder's state before its first word. d2l's encoder reads padding, so there must be none."""
        outputs, hidden = self.encoder(source)
        return outputs.transpose(0, 1), hidden, lens

    def forward(self, source: Tensor, target_in: Tensor, lens: Tensor) -> Tensor:
        """Logits (B, T, V)."""
        return self.decoder(target_in, self.start(source, lens))[0]


def parts(model: RecurrentTranslator | Published) -> list[nn.Module]:
    """All that has weights, in one order for both; within each part the two name their weights alike."""
    encoder, decoder = model.encoder, model.decoder
    if isinstance(model, Published):
        score, head, reader = decoder.attention, decoder.head, encoder.rnn.rnn
    else:
        score, head, reader = decoder.alignment, decoder.head, encoder.rnn
    return [encoder.embedding, reader, decoder.embedding, decoder.rnn, score, head]


def two_translators(case: Case, device: str) -> tuple[RecurrentTranslator, Published]:
    """Ours and d2l's, with one set of weights."""
    torch.manual_seed(0)
    config = RecurrentConfig(VOCABULARY, VOCABULARY, case.size, case.size, LAYERS, dropout=0.0)
    ours, theirs = RecurrentTranslator(config), Published(case.size)
    ids, lens = torch.ones(1, 1, dtype=torch.long), torch.ones(1, dtype=torch.long)
    theirs(ids, ids, lens)  # d2l's maps are made at a call
    for copy, original in zip(parts(theirs), parts(ours), strict=True):
        copy.load_state_dict(original.state_dict())
    return ours.to(device), theirs.to(device)


def sentences(case: Case, device: str, vocabulary: int = VOCABULARY) -> list[Tensor]:
    """A source, what is put into the decoder, what it should say, and the lengths; no sentence is padded."""
    make = torch.Generator().manual_seed(0)
    shape = (case.batch, case.length)
    source, target = (torch.randint(4, vocabulary, shape, generator=make) for _ in range(2))
    target_in = torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], dim=1)
    lens = torch.full((case.batch,), case.length)
    return [tensor.to(device) for tensor in (source, target_in, target, lens)]


# --- a training step ------------------------------------------------------------------------------------------


def published_loss(logits: Tensor, target: Tensor) -> Tensor:
    """The mean over real words, in d2l's order of work."""
    nll = F.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
    real = (target.flatten() != PAD).to(nll.dtype)
    return (nll * real).sum() / real.sum()


def our_clipping(model: nn.Module) -> None:
    """As `attnbook.training` does it."""
    nn.utils.clip_grad_norm_(model.parameters(), LARGEST_NORM)


@torch.no_grad()
def published_clipping(model: nn.Module) -> None:
    """The same, in d2l's order of work."""
    gradients = [weight.grad for weight in model.parameters()]
    norm = torch.sqrt(sum((gradient**2).sum() for gradient in gradients))
    if norm > LARGEST_NORM:
        for gradient in gradients:
            gradient.mul_(LARGEST_NORM / norm)


def training_step(
    model: nn.Module, loss_fn: Callable, clip: Callable, optimizer: torch.optim.Optimizer
) -> Callable[..., Tensor]:
    """Source, target and lengths in; the weights moved on by one step; the loss out."""

    def step(source: Tensor, target_in: Tensor, target: Tensor, lens: Tensor) -> Tensor:
        loss = loss_fn(model(source, target_in, lens), target)
        optimizer.zero_grad()
        loss.backward()
        clip(model)
        optimizer.step()
        return loss.detach()

    return step


def training_layers(case: Case, device: str) -> dict[str, Layer]:
    """A whole training step of either; both optimizers are Adam, ours the one of `attnbook.training`."""
    ours, theirs = two_translators(case, device)
    adam = torch.optim.Adam(theirs.parameters(), lr=LEARNING_RATE)
    ours_adam = torch.optim.AdamW(ours.parameters(), lr=LEARNING_RATE, weight_decay=0.0, fused=device == "cpu")
    return {
        D2L: Layer(training_step(theirs, published_loss, published_clipping, adam), theirs),
        OURS: Layer(training_step(ours, masked_cross_entropy, our_clipping, ours_adam), ours),
    }


def _differ(what: str, found: Tensor, expected: Tensor, most: float = 1e-5) -> None:
    torch.testing.assert_close(
        found, expected, atol=most, rtol=0, msg=lambda said: f"{what} differ by too much: {said}"
    )


def check_training(case: Case, device: str) -> None:
    """Require equal outputs, losses and gradients, to 1e-5, before a step is measured.

    Raises:
        AssertionError: they differ.
    """
    ours, theirs = two_translators(case, device)
    source, target_in, target, lens = sentences(case, device)
    found, expected = (model(source, target_in, lens) for model in (ours, theirs))
    _differ("outputs", found, expected)
    losses = masked_cross_entropy(found, target), published_loss(expected, target)
    _differ("losses", *losses)
    for loss in losses:
        loss.backward()
    for mine, other in zip(parts(ours), parts(theirs), strict=True):
        twins = dict(other.named_parameters())
        for name, weight in mine.named_parameters():
            expected = twins[name].grad
            # some gradients are themselves that small: they must agree to three digits, too
            most = min(1e-5, 1e-3 * float(expected.abs().max()))
            _differ(f"gradients of {name}", weight.grad, expected, most)


# --- greedy decoding ------------------------------------------------------------------------------------------


def our_words(model: nn.Module, source: Tensor, lens: Tensor, number: int) -> Tensor:
    """(B, number) words, the likeliest at every step; never stopped early."""
    state, words = model.start(source, lens), source.new_full((len(source),), BOS)
    written = []
    for _ in range(number):
        logits, _, state = model.step(words, state)
        words = logits.argmax(-1)
        written.append(words)
    return torch.stack(written, dim=1)


def published_words(model: Published, source: Tensor, lens: Tensor, number: int) -> Tensor:
    """The same, in the order of work of d2l's `predict_step`."""
    state, written = model.start(source, lens), [source.new_full((len(source), 1), BOS)]
    for _ in range(number):
        logits, state = model.decoder(written[-1], state)
        written.append(logits.argmax(2))
    return torch.cat(written[1:], dim=1)


def greedy_layers(case: Case, device: str) -> dict[str, Layer]:
    """As many words as the source has."""
    ours, theirs = two_translators(case, device)

    def write(words: Callable, model: nn.Module) -> Callable[..., Tensor]:
        return lambda source, _, __, lens: words(model, source, lens, case.length)

    return {D2L: Layer(write(published_words, theirs), theirs), OURS: Layer(write(our_words, ours), ours)}


@torch.no_grad()
def check_greedy(case: Case, device: str) -> None:
    """Require equal scores at every step, to 1e-5, for the same words, and then the same words.

    Raises:
        AssertionError: they differ.
    """
    ours, theirs = (model.eval() for model in two_translators(case, device))
    source, _, _, lens = sentences(case, device)
    words = published_words(theirs, source, lens, case.length)
    before = torch.cat([torch.full_like(words[:, :1], BOS), words[:, :-1]], dim=1)
    expected, state = theirs(source, before, lens), ours.start(source, lens)
    for t in range(case.length):
        logits, _, state = ours.step(before[:, t], state)
        _differ(f"scores of word {t}", logits, expected[:, t])
    check_same_words(our_words(ours, source, lens, case.length), words)


# --- with a cache and without ---------------------------------------------------------------------------------


def words_without_cache(model: TransformerTranslator, source: Tensor, lens: Tensor, number: int) -> Tensor:
    """(B, number) words: at every step the decoder reads all words so far again. The source is read once."""
    memory, _ = model.encoder(source, lens)
    words = source.new_full((len(source), 1), BOS)
    for _ in range(number):
        logits, _ = model.decoder(words, memory, memory_lens=lens)
        words = torch.cat([words, logits[:, -1:].argmax(-1)], dim=1)
    return words[:, 1:]


def random_transformer(case: Case) -> TransformerTranslator:
    """A model of the case's sizes, the same weights at every call."""
    torch.manual_seed(0)
    config = TransformerConfig(PIECES, PIECES, case.size, case.heads, 4 * case.size, LAYERS, LAYERS, 0.0)
    return TransformerTranslator(config)


def cache_layers(case: Case, device: str) -> dict[str, Layer]:
    """One model, decoding in two ways; as many words as the case is long."""
    model = random_transformer(case).to(device)

    def write(words: Callable) -> Callable[..., Tensor]:
        return lambda source, lens: words(model, source, lens, case.length)

    return {UNCACHED: Layer(write(words_without_cache), model), CACHED: Layer(write(our_words), model)}


def ten_words(case: Case, device: str) -> list[Tensor]:
    """Sources of ten tokens, and their lengths."""
    source, *_, lens = sentences(Case(case.batch, 10, case.size), device, PIECES)
    return [source, lens]


@torch.no_grad()
def check_cache(case: Case, device: str) -> None:
    """Require the same words, all of them.

    Raises:
        AssertionError: they differ.
    """
    check_same_words(*(run(layer, ten_words(case, device), "decode") for layer in cache_layers(case, device).values()))


TRAINING = Family(
    "translation-training",
    (Case(128, 9, 256), Case(128, 50, 256)),
    training_layers,
    sentences,
    reference=D2L,
    bars=(
        Bar("time", "step", OURS, D2L, 1 / 1.2, only=lambda case: case.length == 9),
        Bar("time", "step", OURS, D2L, 1 / 1.6, only=lambda case: case.length == 50),
    ),
    kinds=("step",),
    agree=check_training,
    weighed=False,
)
GREEDY = Family(
    "translation-greedy",
    (Case(128, 50, 256),),
    greedy_layers,
    sentences,
    reference=D2L,
    bars=(Bar("time", "decode", OURS, D2L, 1 / 1.6),),
    kinds=("decode",),
    agree=check_greedy,
    weighed=False,
)
CACHE = Family(
    "translation-cache",
    (Case(1, 256, 128, 4), Case(1, 1024, 128, 4)),
    cache_layers,
    ten_words,
    reference=UNCACHED,
    kinds=("decode",),
    agree=check_cache,
    weighed=False,
    most_rounds=lambda case: 3 if case.length < 1024 else 1,
)
