"""The tests in JavaScript, `*.test.mjs` beside this file, run by Node; Python writes down its own numbers for them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

from attnbook.attention import masked_softmax
from attnbook.page import WEIGHTS
from attnbook.translation import length_penalty_factor
from attnbook.widgets.attention_viewer.picture import _columns
from attnbook.widgets.kit.samples import seeded_normals, seeded_uniforms

WIDE_AND_NARROW = ("", "chien", "été", "e\u0301", "我们试试看！", "私はスーパー", "유령", "أين", "कहाँ है", "a，b", "𠮷")
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
        "lengthFactors": [
            (length, alpha, length_penalty_factor(length, alpha)) for length in (1, 7, 30) for alpha in (0, 0.6, 1)
        ],
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
