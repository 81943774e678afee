"""The solutions are the package's functions, or PyTorch's, on every argument that the checker asks."""

import pytest
import torch
import torch.nn.functional as F
from verdicts import every_argument, same

from attnbook import attention
from attnbook.attention import masks, pooling, scores
from attnbook.exercises.bank import SHELF
from attnbook.pairs import biaffine_score, nested_decode, pair_loss
from attnbook.training import noam_factor
from attnbook.transformer import Block, Residual, Transformer, TransformerConfig, count_parameters
from attnbook.translation import losses, metrics, sampling, word_alignment


def soft_lookup(query, keys, values):
    return pooling.attention_pooling(masks.masked_softmax(scores.dot_score(query[None], keys)), values)[0]


def leave_one_out(x, y, w):
    model = pooling.NWKernelRegression().double()
    model.w.data.fill_(float(w))
    return pooling.regression_loss(model, x, y).detach().reshape(())


def cross_attention(x, memory, W_q, W_k, W_v, lengths):
    layer = attention.CrossAttention(x.shape[-1]).double()
    with torch.no_grad():
        for linear, W in ((layer.W_q, W_q), (layer.W_k, W_k), (layer.W_v, W_v), (layer.W_o, torch.eye(len(W_q)))):
            linear.weight.copy_(W)
        return layer(x, memory, lengths)[0]


def bahdanau_step(state, memory, lens, W_q, W_k, w_v):
    weights = masks.masked_softmax(scores.additive_score(state[-1][:, None], memory, W_q, W_k, w_v), lens)
    return (weights @ memory)[:, 0], weights[:, 0]


def alignment_error(weights, sure, possible):
    links = word_alignment.hard_alignment(weights[:-1, :-1])
    return word_alignment.alignment_error_rate(links, set(sure), set(possible))


def linear_attention(query, key, value):
    table = ((F.elu(query) + 1) @ (F.elu(key) + 1).T).tril()
    return table / table.sum(-1, keepdim=True) @ value


def rotary(x, position):
    """The package rotates neighbours, the exercise the two halves."""
    pairs = x.unflatten(-1, (2, -1)).mT.flatten(-2)
    return attention.rotate(pairs, position).unflatten(-1, (-1, 2)).mT.flatten(-2)


def ablated(weights, value, W_o, b_o, head, mean):
    layer = attention.MultiHeadAttention(len(W_o), value.shape[1], head_dim=value.shape[-1]).double()
    with torch.no_grad():
        layer.W_o.weight.copy_(W_o), layer.W_o.bias.copy_(b_o)
        attention.ablate_head(layer, head, mean)
        return layer.W_o(attention.merge_heads(weights @ value))


def parameters(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    choices = {"num_encoder_layers": num_layers, "num_decoder_layers": num_layers, "norm_first": norm_first}
    sizes = {"d_model": d_model, "num_heads": 1, "d_ff": d_ff}
    return count_parameters(Transformer(TransformerConfig(vocab_size, vocab_size, **sizes, **choices, tie_output=tied)))


class Called(torch.nn.Module):
    """A function as a part of a layer."""

    def __init__(self, function, d_model):
        super().__init__()
        self.function, self.d_model = function, d_model

    def forward(self, x, **nothing):
        assert not any(option is not None and option is not False for option in nothing.values())
        return self.function(x)


def pre_ln_block(x, attend, feed_forward, *norms):
    size = x.shape[-1]
    around = [Residual(size, norm_first=True, norm=Called(norm, size)) for norm in norms]
    return Block(Called(lambda h: (attend(h), None), size), Called(feed_forward, size), *around)(x)[0]


def kernel_pooling(queries, keys, values, width):
    each = zip(queries, keys, values, strict=True)
    return torch.stack([pooling.nadaraya_watson(*one, kernel="epanechnikov", width=width)[0] for one in each])


SAME = {
    "ablate-head": ablated,
    "additive-concat": scores.concat_score,
    "alignment-error": alignment_error,
    "bahdanau-step": bahdanau_step,
    "biaffine-score": biaffine_score,
    "bleu": lambda h, refs, n: metrics.sentence_bleu(" ".join(h), [" ".join(one) for one in refs], n) / 100,
    "causal-mask": masks.causal_mask,
    "chunked-attention": lambda q, k, v, size, decay: attention.chunked_memory(
        q, k, v, decay=torch.full(k.shape[:1], decay, dtype=k.dtype), chunk_size=size
    )[0],
    "count-parameters": parameters,
    "cross-attention": cross_attention,
    "delta-rule": lambda key, value, beta: attention.recurrent_memory(key, key, value, beta=beta)[1],
    "gaussian-to-dot": lambda query, key: scores.gaussian_score(query, key).softmax(-1),
    "grouped-queries": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
    "kernel-pooling": kernel_pooling,
    "layer-norm": lambda x, gain, shift, eps: F.layer_norm(x, x.shape[-1:], gain, shift, eps),
    "leave-one-out": leave_one_out,
    "linear-attention": linear_attention,
    "lookup-gradient": lambda query, keys, values: torch.autograd.functional.jacobian(
        lambda q: soft_lookup(q, keys, values), query
    ),
    "masked-loss": lambda logits, target, pad: losses.masked_cross_entropy(logits, target, ignore=pad),
    "masked-softmax": masks.masked_softmax,
    "nadaraya-watson": lambda q, k, v, width: pooling.nadaraya_watson(q, k, v, width=width)[0],
    "nested-decode": nested_decode,
    "noam-rate": noam_factor,
    # the words come last
    "padding-and-causal": lambda lens, T: masks.sequence_mask(lens, T).flip(-1)[:, None] & masks.causal_mask(T),
    "pair-loss": pair_loss,
    "pre-ln-block": pre_ln_block,
    "prefix-matching": attention.prefix_matching,
    "rms-norm": lambda x, weight, eps: F.rms_norm(x, x.shape[-1:], 1 + weight, eps),
    "rollout": lambda weights: attention.rollout(weights.mean(1)),
    "rotary": rotary,
    "scaled-dot-scores": scores.scaled_dot_score,
    "soft-lookup": soft_lookup,
    "split-heads": attention.split_heads,
    "top-p": lambda probs, p: sampling.filter_logits(probs.log(), top_p=p).softmax(-1),
    "window-mask": lambda T, window, sinks: (
        masks.sliding_window_mask(T, window) | (masks.causal_mask(T) & (torch.arange(T) < sinks))
    ),
}
# tried beside this, in ways of their own
OTHERWISE = """
accept-draft beam-search key-value-cache label-smoothing leak-free-split leaks log-weight torch-weights unit-variance
"""
# not compared yet with anything beside the bank
ALONE = """
batch-axis-bug bits-per-byte cache-bytes contrastive-loss cover-words left-out measured-mask merge-softmax odd-size
repair-mask teacher-forcing
"""


def test_every_exercise_is_compared_or_named():
    assert sorted([*SAME, *OTHERWISE.split(), *ALONE.split()]) == sorted(exercise.name for exercise in SHELF)


@pytest.mark.parametrize("name", SAME)
def test_the_solution_is_the_packages(name):
    for arguments in every_argument(SHELF.get(name)):
        same(SHELF.get(name).solution(*arguments), SAME[name](*arguments))
