"""A decoder-only language model: the book's with the weights of a Llama, and that Llama of transformers.

A pass reads a whole text, as before the first word is written, or, with gradients, as in training. Decoding writes one
token after another with a cache.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attnbook.interop import from_huggingface_decoder
from attnbook.transformer import LanguageModel
from tools.benchmarks.family import Bar, Case, Family, Layer, bars_against, quiet_transformers
from tools.benchmarks.measure import check_same_words, run

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

OURS, LLAMA = "LanguageModel", "transformers.LlamaForCausalLM"
PIECES, LAYERS, PROMPT = 1500, 2, 8
SAMPLE = 32  # tokens whose scores are compared


def two_models(case: Case, device: str) -> "tuple[LanguageModel, LlamaForCausalLM]":
    """Ours and Llama, with one set of weights; two query heads share a head of keys and values."""
    transformers = quiet_transformers()
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=PIECES,
        hidden_size=case.size,
        intermediate_size=8 * case.size // 3,
        num_hidden_layers=LAYERS,
        num_attention_heads=case.heads,
        num_key_value_heads=case.heads // 2,
        max_position_embeddings=PROMPT + max(case.length, SAMPLE),
        tie_word_embeddings=True,
    )
    theirs = transformers.LlamaForCausalLM(config)
    return from_huggingface_decoder(theirs).to(device), theirs.to(device)


def texts(case: Case, device: str) -> list[Tensor]:
    """Tokens (B, T), the same at every call."""
    make = torch.Generator().manual_seed(0)
    return [torch.randint(PIECES, (case.batch, case.length), generator=make).to(device)]


def reading_layers(case: Case, device: str) -> dict[str, Layer]:
    """The scores at every position."""
    ours, theirs = two_models(case, device)
    return {
        LLAMA: Layer(lambda tokens: theirs(tokens, use_cache=False).logits, theirs),
        OURS: Layer(lambda tokens: ours(tokens)[0], ours),
    }


def our_tokens(model: LanguageModel, prompt: Tensor, number: int) -> Tensor:
    """(B, number) tokens, the likeliest at every step."""
    cache, tokens, written = model.start_cache(), prompt, []
    for _ in range(number):
        tokens = model(tokens, cache=cache)[0][:, -1:].argmax(-1)
        written.append(tokens)
    return torch.cat(written, dim=1)


def their_tokens(model: "LlamaForCausalLM", prompt: Tensor, number: int) -> Tensor:
    """The same, in a loop like ours, without what `generate` does beside it."""
    from transformers import DynamicCache

    cache, tokens, written = DynamicCache(config=model.config), prompt, []
    for _ in range(number):
        tokens = model(tokens, past_key_values=cache, use_cache=True).logits[:, -1:].argmax(-1)
        written.append(tokens)
    return torch.cat(written, dim=1)


def writing_layers(case: Case, device: str) -> dict[str, Layer]:
    """As many tokens as the case is long, after a short beginning."""
    ours, theirs = two_models(case, device)
    return {
        LLAMA: Layer(lambda tokens: their_tokens(theirs, tokens[:, :PROMPT], case.length), theirs),
        OURS: Layer(lambda tokens: our_tokens(ours, tokens[:, :PROMPT], case.length), ours),
    }


@torch.no_grad()
def check_writing(case: Case, device: str) -> None:
    """Require equal scores for 32 random tokens, given one by one, and then the same tokens of both.

    Raises:
        AssertionError: they differ.
    """
    from transformers import DynamicCache

    ours, theirs = (model.eval() for model in two_models(case, device))
    cache, their_cache = ours.start_cache(), DynamicCache(config=theirs.config)
    make = torch.Generator().manual_seed(1)
    for token in torch.randint(PIECES, (SAMPLE, case.batch, 1), generator=make).to(device):
        logits = theirs(token, past_key_values=their_cache, use_cache=True).logits
        torch.testing.assert_close(ours(token, cache=cache)[0], logits, atol=1e-4, rtol=1e-4)
    check_same_words(*(run(layer, texts(case, device), "decode") for layer in writing_layers(case, device).values()))


READING = Family(
    "language-model",
    (Case(8, 128, 256, 4), Case(1, 1024, 256, 4)),
    reading_layers,
    texts,
    reference=LLAMA,
    bars=bars_against(OURS, LLAMA),
)
WRITING = Family(
    "language-model-cache",
    (Case(1, 256, 256, 4),),
    writing_layers,
    texts,
    reference=LLAMA,
    bars=(Bar("time", "decode", OURS, LLAMA, 1.0, 0.05),),
    kinds=("decode",),
    agree=check_writing,
    weighed=False,
    most_rounds=lambda case: 5,
)
