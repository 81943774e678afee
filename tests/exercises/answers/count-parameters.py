"""Answers to count-parameters, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)


# === right
def by_the_chapters_terms(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    V, D, F, N = vocab_size, d_model, d_ff, num_layers
    encoder = 4 * (D**2 + D) + 2 * D * F + F + D + 4 * D
    decoder = 8 * (D**2 + D) + 2 * D * F + F + D + 6 * D
    total = 2 * V * D + N * (encoder + decoder)
    if norm_first:
        total += 4 * D
    if not tied:
        total += V * D + V
    return total


# === right
def by_asking_the_model(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    from attnbook.transformer import Transformer, TransformerConfig, count_parameters

    return count_parameters(
        Transformer(
            TransformerConfig(
                vocab_size, vocab_size, d_model, 1, d_ff, num_layers, num_layers,
                norm_first=norm_first, tie_output=tied,
            )
        )
    )  # fmt: skip


# === right
def by_linear_maps(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    def linear(i, o):
        return i * o + o

    attn = 4 * linear(d_model, d_model)
    ffn = linear(d_model, d_ff) + linear(d_ff, d_model)
    ln = 2 * d_model
    n = 0
    for _ in range(num_layers):
        n += attn + ln + ffn + ln
        n += attn + ln + attn + ln + ffn + ln
    n += vocab_size * d_model * 2
    n += 2 * ln if norm_first else 0
    n += 0 if tied else linear(d_model, vocab_size)
    return n


# === right
def collected(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    per_layer = 12 * d_model**2 + 4 * d_model * d_ff + 24 * d_model + 2 * d_ff
    return (
        num_layers * per_layer
        + (3 - tied) * vocab_size * d_model
        + (0 if tied else vocab_size)
        + (4 * d_model if norm_first else 0)
    )


# === right
def by_pytorchs_layers(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    from torch import nn

    def size(m):
        return sum(p.numel() for p in m.parameters())

    enc = size(nn.TransformerEncoderLayer(d_model, 1, d_ff))
    dec = size(nn.TransformerDecoderLayer(d_model, 1, d_ff))
    total = num_layers * (enc + dec) + 2 * vocab_size * d_model
    if norm_first:
        total += 2 * size(nn.LayerNorm(d_model))
    if not tied:
        total += size(nn.Linear(d_model, vocab_size))
    return total


# === right
def with_a_dictionary(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    parts = {
        "embeddings": 2 * vocab_size * D,
        "attention": 3 * num_layers * 4 * D * (D + 1),
        "ffn": 2 * num_layers * (D * d_ff * 2 + D + d_ff),
        "norms": 5 * num_layers * 2 * D + int(norm_first) * 4 * D,
        "head": int(not tied) * (D + 1) * vocab_size,
    }
    return sum(parts.values())


# === wrong no-biases-in-attention
def bare_attention(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    ffn = 2 * D * d_ff + d_ff + D
    enc, dec = 4 * D * D + ffn + 4 * D, 8 * D * D + ffn + 6 * D
    n = 2 * vocab_size * D + num_layers * (enc + dec)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong no-W_O
def three_maps(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn = 3 * (D * D + D)
    ffn = 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (attn + ffn + 4 * D + 2 * attn + ffn + 6 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong three-biases
def qkv_biases(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn = 3 * (D * D + D) + D * D
    ffn = 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong no-biases-in-the-network
def bare_network(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong no-biases-at-all
def matrices_and_norms(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    n = 2 * vocab_size * D + num_layers * (12 * D * D + 4 * D * d_ff + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong one-bias-size
def both_biases_are_D(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * (D * d_ff + D)
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong hidden-biases-twice
def both_biases_are_F(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * (D * d_ff + d_ff)
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong one-map-in-the-network
def network_goes_up_only(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), D * d_ff + d_ff
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong four-times-D
def the_short_formula(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    layers = 12 * D**2 + 13 * D + 16 * D**2 + 19 * D
    n = 2 * vocab_size * D + num_layers * layers
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong no-norms
def norms_do_not_count(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn)
    return n if tied else n + vocab_size * D + vocab_size


# === wrong norms-of-one-vector
def gains_only(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 5 * D)
    n += 2 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong one-norm-per-layer
def a_norm_for_a_layer(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (attn + ffn + 2 * D + 2 * attn + ffn + 2 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong two-norms-in-the-decoder
def two_norms_everywhere(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 8 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong decoder-is-an-encoder
def twice_the_encoder(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    layer = 4 * (D * D + D) + 2 * D * d_ff + d_ff + D + 4 * D
    n = 2 * vocab_size * D + 2 * num_layers * layer
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong encoder-only
def bert_in_mind(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    layer = 4 * (D * D + D) + 2 * D * d_ff + d_ff + D + 4 * D
    n = 2 * vocab_size * D + num_layers * layer
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong one-layer
def depth_forgotten(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + 3 * attn + 2 * ffn + 10 * D
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong one-table
def one_vocabulary(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong head-always
def tied_ignored(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 3 * vocab_size * D + vocab_size + num_layers * (3 * attn + 2 * ffn + 10 * D)
    return n + 4 * D if norm_first else n


# === wrong tied-head-with-bias
def the_bias_stays(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + vocab_size + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D


# === wrong head-without-bias
def the_head_is_a_table(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = (2 if tied else 3) * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    return n + 4 * D if norm_first else n


# === wrong tied-the-wrong-way-round
def head_if_tied(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    if tied:
        n += vocab_size * D + vocab_size
    return n


# === wrong last-norms-forgotten
def where_the_norm_is_does_not_matter(vocab_size, d_model, d_ff, num_layers, norm_first, tied):  # fmt: skip
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    return n if tied else n + vocab_size * D + vocab_size


# === wrong one-last-norm
def one_norm_at_the_end(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 2 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong last-norms-per-layer
def a_further_norm_in_each_layer(vocab_size, d_model, d_ff, num_layers, norm_first, tied):  # fmt: skip
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    extra = 4 * D if norm_first else 0
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 10 * D + extra)
    return n if tied else n + vocab_size * D + vocab_size


# === wrong a-float
def divided(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * vocab_size * D + num_layers * (3 * attn + 2 * ffn + 20 * D / 2)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong learned-positions
def with_positions(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    D = d_model
    attn, ffn = 4 * (D * D + D), 2 * D * d_ff + d_ff + D
    n = 2 * (vocab_size + 512) * D + num_layers * (3 * attn + 2 * ffn + 10 * D)
    n += 4 * D if norm_first else 0
    return n if tied else n + vocab_size * D + vocab_size


# === wrong one-table
def fresh_one_table(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    a, f, n = (4 * d_model * (d_model + 1), 2 * d_model * d_ff + d_ff + d_model, 2 * d_model)
    body = num_layers * (3 * a + 2 * f + 5 * n) + norm_first * 2 * n
    return vocab_size * d_model + body + (0 if tied else vocab_size * (d_model + 1))


# === wrong head-without-bias
def fresh_no_head_bias(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    a, f, n = (4 * d_model * (d_model + 1), 2 * d_model * d_ff + d_ff + d_model, 2 * d_model)
    body = num_layers * (3 * a + 2 * f + 5 * n) + norm_first * 2 * n
    return 2 * vocab_size * d_model + body + (0 if tied else vocab_size * d_model)


# === right
def fresh_sum(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    lin = lambda i, o: i * o + o
    a, f, n = (4 * lin(d_model, d_model), lin(d_model, d_ff) + lin(d_ff, d_model), 2 * d_model)
    total = 2 * vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)
    if norm_first:
        total += 2 * n
    return total if tied else total + lin(d_model, vocab_size)
