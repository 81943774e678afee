"""Writing on: drawn from the model's distribution, read once each, within what the model is made for."""

import pytest
import torch

from attnbook.language import continue_tokens
from attnbook.transformer import LanguageModel, LanguageModelConfig
from attnbook.translation import filter_logits
from tensors import B, S, fill, generator, says

V = 13
TOKENS = torch.randint(V, (B, S), generator=generator())


def model_of(**options):
    config = LanguageModelConfig(V, 12, 3, 17, 2, **{"max_positions": 31} | options)
    return fill(LanguageModel(config), 0.5).eval()


def likeliest(model, text, length, most):
    """What the model finds likeliest, again and again, everything read anew; the last half of it once it is full."""
    begins = max(0, text.shape[1] - most)
    for _ in range(length):
        if text.shape[1] - begins > most:
            begins = text.shape[1] - max(1, most // 2)
        logits = model(text[:, begins:])[0][:, -1]
        text = torch.cat([text, logits.argmax(-1, keepdim=True)], dim=1)
    return text[:, -length:]


@pytest.mark.parametrize("most", [31, 8, 7, 4, 1])
def test_the_likeliest_tokens_are_those_without_a_cache(most):
    model = model_of(max_positions=most)
    found = continue_tokens(model, TOKENS, length=20, top_k=1)
    assert found.tolist() == likeliest(model, TOKENS, 20, most).tolist()
    assert len(set(found.flatten().tolist())) > 2


def test_each_token_is_read_once(monkeypatch):
    model, read = model_of(), []
    forward = model.forward

    def counted(tokens, **options):
        read.append(tokens.shape[1])
        return forward(tokens, **options)

    monkeypatch.setattr(model, "forward", counted)
    continue_tokens(model, TOKENS, length=5)
    assert read == [S, 1, 1, 1, 1]


def test_tokens_are_drawn_as_often_as_the_filtered_distribution_says():
    model, many = model_of(), 4000
    options = {"temperature": 0.7, "top_k": 6, "top_p": 0.9}
    drawn = continue_tokens(model, TOKENS[:1].expand(many, -1), length=1, generator=generator(3), **options)
    expected = filter_logits(model(TOKENS[:1])[0][0, -1], **options).softmax(-1)
    often = torch.bincount(drawn.flatten(), minlength=V) / many
    assert (expected == 0).sum() >= V - 6 and (often[expected == 0] == 0).all()
    assert (often - expected).abs().max() < 4 * (0.25 / many) ** 0.5


def test_the_same_seed_writes_the_same():
    model = model_of()
    first, again, other = (continue_tokens(model, TOKENS, length=9, generator=generator(s)) for s in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)


def damaged():
    model = model_of()
    model.norm.weight.data[0] = torch.nan
    return model


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: continue_tokens(model_of(), TOKENS[:, :0]), ValueError, ("nothing to continue",)),
        (lambda: continue_tokens(model_of(), TOKENS + V), ValueError, ("tokens holds the id",)),
        (lambda: continue_tokens(model_of(), TOKENS, length=0), ValueError, ("length must be at least 1",)),
        (lambda: continue_tokens(model_of(), TOKENS, temperature=0), ValueError, ("temperature must be",)),
        (lambda: continue_tokens(model_of(), TOKENS, top_p=0.0), ValueError, ("top_p must be in (0, 1]",)),
        (lambda: continue_tokens(model_of().train(), TOKENS), ValueError, ("training mode", "model.eval()")),
        (lambda: continue_tokens(damaged(), TOKENS), ValueError, ("scores are NaN",)),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
