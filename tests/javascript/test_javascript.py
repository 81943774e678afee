"""The tests in JavaScript, `*.test.mjs` beside this file, run by Node; Python writes down its own numbers for them."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import RotaryPositions, masked_softmax
from attnbook.language import TextModel, book_model_file, continue_tokens, read_text, rounded
from attnbook.page import WEIGHTS
from attnbook.text import ByteVocabulary
from attnbook.transformer import GatedFeedForward, LanguageModel, LanguageModelConfig
from attnbook.translation import length_penalty_factor
from attnbook.weights import to_float, to_int8, weights_file
from attnbook.widgets.attention_viewer.picture import _columns
from attnbook.widgets.kit.samples import seeded_normals, seeded_uniforms

WIDE_AND_NARROW = ("", "chien", "été", "e\u0301", "我们试试看！", "私はスーパー", "유령", "أين", "कहाँ है", "a，b", "𠮷")
TEXTS = (  # beside paragraphs of English
    *(
        "",
        " ",
        "a",
        "  a  b ",
        "\n\n\tx\r\n",
        "it's we'll I'VE 'd",
        "x² 12½ ٣٤",
        "né e\u0301",
        "😀 👩🏽‍🚀",
        "我们试试看！",
    ),
    *(
        "\0 NUL",
        "\ufeffBOM",
        "a\u00a0b\u2003c\u0085d",
        "\x1c\x1f ",
        "कहाँ है",
        "أين؟",
        "α_ij = exp(e_ij) / Σ",
        "�",
        "_a_ __",
    ),
)
HERE = Path(__file__).parent
NODE = Path(sys.executable).with_name("node")


def numbers():
    """What the tests in JavaScript compare with: computed by NumPy, PyTorch and the package."""
    generator = torch.Generator().manual_seed(0)
    rows = []
    for number in range(33):
        scale = (1, 30, 500)[number % 3]
        scores = torch.randn(number % 11 + 1, generator=generator, dtype=torch.float64)
        rows.append(scores.clamp(-3, 3) * scale)
    masks = [torch.rand(len(row), generator=generator) < 0.5 for row in rows]
    masked = [masked_softmax(row[None], mask=mask[None])[0] for row, mask in zip(rows, masks, strict=True)]
    xs = [0.5, -2.0, 7.25, 3.0]
    return {
        "sums": {
            "xs": xs,
            "sum": np.sum(xs),
            "mean": np.mean(xs),
            "variance": np.var(xs),
            "dot": np.dot(xs, xs[::-1]),
            "linspace": np.linspace(-1, 2, 7).tolist(),
        },
        "softmax": [(row.tolist(), row.softmax(-1).tolist()) for row in rows],
        "maskedSoftmax": [
            (row.tolist(), mask.tolist(), weights.tolist())
            for row, mask, weights in zip(rows, masks, masked, strict=True)
        ],
        "random": [
            (seed, seeded_uniforms(seed, 1001).tolist(), seeded_normals(seed, 1001).tolist()) for seed in (0, 1, 999)
        ],
        "colours": [(weight, [255 * part for part in WEIGHTS(float(weight))[:3]]) for weight in (0, 0.2, 0.5, 0.8, 1)],
        "columns": [(text, _columns(text)) for text in WIDE_AND_NARROW],
        "languageModel": language_model(),
        "layers": layers(),
        "lengthFactors": [
            (length, alpha, length_penalty_factor(length, alpha)) for length in (1, 7, 30) for alpha in (0, 0.6, 1)
        ],
    }


def language_model():
    """A small model of random weights, rounded as a page's is: what it makes of texts."""
    topics = read_text()
    vocabulary = ByteVocabulary(topics[:20_000], 331)
    config = LanguageModelConfig(
        len(vocabulary),
        d_model=22,
        num_heads=6,
        num_kv_heads=3,
        head_dim=10,
        d_ff=13,
        num_layers=2,
        max_positions=11,
        eps=1e-3,
        rotary_base=100.0,
    )
    torch.manual_seed(0)
    model = LanguageModel(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn_like(weight) / 3)
    measured = dict.fromkeys(("command", "versions", "seed", "corpus_sha256", "training", "test"))
    content = book_model_file(TextModel(model, vocabulary), measured)
    model = rounded(TextModel(model, vocabulary)).model
    ids = vocabulary.encode(topics[5000:5100])[:11]
    steps = []
    with torch.no_grad():
        for length in (1, 2, 7, 11):
            logits, weights = model(torch.tensor([ids[:length]]), need_weights=True)
            rows = [layer[0, :, -1].mean(0).tolist() for layer in weights]  # over heads
            steps.append({"ids": ids[:length], "logProbs": logits[0, -1].log_softmax(-1).tolist(), "weights": rows})
        written = continue_tokens(model, torch.tensor([ids[:5]]), length=23, top_k=1)[0].tolist()
    paragraphs = topics[30_000:34_000].split("\n\n")
    encoded = [(text, vocabulary.encode(text)) for text in (*TEXTS, *paragraphs)]
    return {
        "file": base64.b64encode(content).decode(),
        "pieces": vocabulary.to_dict(),
        "texts": [(text, these, vocabulary.decode(these[1:])) for text, these in encoded],
        "parts": parts(),
        "steps": steps,
        "begun": 5,
        "greedy": ids[:5] + written,
    }


@torch.no_grad()
def layers():
    """What PyTorch's layers make of rows of numbers; one of the matrices is stored in eight bits."""
    torch.manual_seed(2)
    (T, S, D, H, Dh), heads = (5, 7, 11, 3, 4), (3, 4)
    x, gain, shift, bias = torch.randn(T, D), torch.randn(D), torch.randn(D), torch.randn(6)
    weights = {f"W{rows}": torch.randn(rows, D) for rows in range(1, 7)}
    query, key, value = torch.randn(T, H * Dh), torch.randn(S, H * Dh), torch.randn(S, H * Dh)
    split = [rows.unflatten(-1, heads).transpose(0, 1) for rows in (query, key, value)]
    looked = {}
    for causal in (False, True):
        mask = torch.ones(T, S).tril() > 0 if causal else None
        weight = masked_softmax(split[0] @ split[1].mT / Dh**0.5, mask=mask)
        context = (weight @ split[2]).transpose(0, 1)
        looked[str(causal).lower()] = [context.flatten().tolist(), weight.tolist()]
    large, narrow = torch.randn(6, 12), torch.randn(T, 12)
    stored = to_int8({"large": large}, 4)
    content = weights_file(stored, {})
    return {
        "x": x.flatten().tolist(),
        "gain": gain.tolist(),
        "shift": shift.tolist(),
        "norm": F.layer_norm(x, (D,), gain, shift, 0.01).flatten().tolist(),
        "bias": bias.tolist(),
        "affine": [[w.tolist(), F.linear(x, w, bias[: len(w)]).flatten().tolist()] for w in weights.values()],
        "attention": [[rows.flatten().tolist() for rows in (query, key, value)], H * Dh, H, looked],
        "eightBits": [
            base64.b64encode(content).decode(),
            narrow.flatten().tolist(),
            to_float(stored)["large"].tolist(),
        ],
    }


@torch.no_grad()
def parts():
    """What the layers make of one vector, by PyTorch."""
    torch.manual_seed(1)
    x = torch.randn(10)
    norm = nn.RMSNorm(10, eps=0.1)
    norm.weight.copy_(torch.randn(10))
    network = GatedFeedForward(10, 7)
    weights = {"first": network.W_1, "gate": network.W_g, "last": network.W_2}
    return {
        "x": x.tolist(),
        "weight": norm.weight.tolist(),
        "eps": 0.1,
        "norm": norm(x).tolist(),
        "place": 5,
        "base": 100,
        "turned": RotaryPositions(base=100)(x[None], 5)[0].tolist(),
        **{name: one.weight.tolist() for name, one in weights.items()},
        "out": network(x[None, None])[0, 0].tolist(),
        "logs": F.log_softmax(x, -1).tolist(),
    }


def test_the_tests_in_javascript_pass(tmp_path):
    files = sorted(HERE.glob("*.test.mjs"))
    assert files
    (tmp_path / "numbers.json").write_text(json.dumps(numbers()), "utf-8")
    done = subprocess.run(
        [NODE, "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test", *files],
        env={**os.environ, "PYTHON_NUMBERS": str(tmp_path / "numbers.json")},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
