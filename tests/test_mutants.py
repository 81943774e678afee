"""The tests notice: each of these small mistakes, put into the package, makes one of them fail."""

import dataclasses
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "code" / "attnbook"
# Enough to kill every mutant and quick: property tests, the compiler and wrong arguments are left to the ordinary run.
ARGUMENTS = [
    "-x",
    "-q",
    "--noconftest",
    "--assert=plain",
    "-p",
    "no:cacheprovider",
    "--rootdir",
    str(ROOT),
]
ARGUMENTS += ["-p", "_hypothesis_pytestplugin", "-m", "not hypothesis"]
ARGUMENTS += [
    "-k",
    "not compiles and not errors and not wrong and not device and not cannot_be_made",
]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one module: `old` stands in it exactly once (white space counts for nothing)."""

    what: str
    module: str
    old: str
    new: str

    @property
    def tests(self) -> list[str]:
        return [f"tests/test_{self.module}.py"]

    def apply(self, text: str) -> str:
        """The changed text; a pattern that is not there exactly once is an error, not a pass."""
        words = re.findall(r"\w+|[^\w\s]", self.old)
        # a formatter may break lines, and then adds a comma after the last argument
        pattern = r"\s*".join(re.escape(word) for word in words).replace(
            r"\s*\)", r"\s*,?\s*\)"
        )
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            raise ValueError(
                f"the mutant “{self.what}” looks for {self.old!r} in {self.module}.py and finds it {len(found)} times; "
                "the code has changed, so say anew what to change"
            )
        return text[: found[0].start()] + self.new + text[found[0].end() :]


MUTANTS = [
    # masks
    Mutant("one key too many", "masks", "positions < valid_lens", "positions <= valid_lens"),
    Mutant("one key too few", "masks", "positions < valid_lens", "positions + 1 < valid_lens"),
    Mutant("lengths along the wrong axis", "masks", "len(valid_lens), *between,", "*between, len(valid_lens),"),
    Mutant("no query sees itself", "masks", "diagonal=num_keys - num_queries", "diagonal=num_keys - num_queries - 1"),
    Mutant("queries are the first positions", "masks", "tril(diagonal=num_keys - num_queries)", "tril()"),
    Mutant("the future instead of the past", "masks", "allowed.tril(diagonal=", "allowed.triu(diagonal="),
    Mutant("lengths or mask", "masks", "real & mask", "real | mask"),
    Mutant("the mask is flipped", "masks", "masked_fill(~allowed, -torch.inf).", "masked_fill(allowed, -torch.inf)."),
    Mutant("softmax over the queries", "masks", "safe.softmax(dim=-1)", "safe.softmax(dim=-2)"),
    Mutant("masked after the softmax", "masks",
           "scores.masked_fill(~allowed, -torch.inf).masked_fill(nothing, 0.0)", "scores * allowed"),
    Mutant("a fully masked row is uniform", "masks", "softmax(dim=-1).masked_fill(nothing, 0.0)", "softmax(dim=-1)"),
    Mutant("a fully masked row is NaN", "masks", ".masked_fill(nothing, 0.0) return safe", "\n    return safe"),
    Mutant("the caller's scores are written into", "masks",
           "safe = scores.masked_fill(~allowed", "safe = scores.detach().masked_fill_(~allowed"),
    Mutant("blocked means allowed", "masks", "return ~mask", "return mask.clone()"),
    Mutant("the additive mask is flipped", "masks", "masked_fill(~mask, -torch.inf)", "masked_fill(mask, -torch.inf)"),
    # scores
    Mutant("no scale", "scores", "/ math.sqrt(query.shape[-1])", ""),
    Mutant("the scale is not rooted", "scores", "math.sqrt(query.shape[-1])", "query.shape[-1]"),
    Mutant("scaled by the number of queries", "scores", "math.sqrt(query.shape[-1])", "math.sqrt(query.shape[-2])"),
    Mutant("queries and keys change places", "scores",
           "query, key) return query @ key.transpose(-2, -1)", "query, key)\n    return key @ query.transpose(-2, -1)"),
    Mutant("forgotten square of the distance", "scores", "(difference**2).sum", "difference.abs().sum"),
    Mutant("forgotten square of the width", "scores", "2 * width**2", "2 * width"),
    Mutant("multiplied by the width", "scores", "/ (2 * width**2)", "* (2 * width**2)"),
    Mutant("far is high", "scores", "return -(difference**2)", "return (difference**2)"),
    Mutant("the weight is transposed", "scores",
           "query @ weight @ key", "query @ weight.reshape(weight.shape[::-1]).T @ key"),
    Mutant("no tanh", "scores", ").tanh()", ")"),
    Mutant("rows and columns swapped", "scores", "return hidden @ w_v", "return (hidden @ w_v).transpose(-2, -1)"),
    Mutant("the key's columns first", "scores",
           "W[:, :query_size], W[:, query_size:]", "W[:, key_size:], W[:, :key_size]"),
    # kernels
    Mutant("no half in the exponent", "kernels", "torch.exp(-0.5 * u**2)", "torch.exp(-(u**2))"),
    Mutant("the edge is outside", "kernels", "u.abs() <= 1", "u.abs() < 1"),
    Mutant("the triangle is a parabola", "kernels", "(1 - u.abs()).clamp_min(0)", "(1 - u**2).clamp_min(0)"),
    Mutant("negative weights", "kernels", "(1 - u**2).clamp_min(0)", "(1 - u**2)"),
    # pooling
    Mutant("divided by the number of queries", "pooling", "1 / len(value)", "1 / len(query)"),
    Mutant("multiplied by the kernel's width", "pooling",
           "_distances(query, key) / width", "_distances(query, key) * width"),
    Mutant("forgotten square in the Gaussian", "pooling", "-0.5 * scaled**2", "-0.5 * scaled"),
    Mutant("weights not normalised", "pooling", "similarity / total.masked_fill(total == 0, 1)", "similarity"),
    Mutant("0/0 where no key is near", "pooling", "total.masked_fill(total == 0, 1)", "total"),
    Mutant("the kernel ignores the mask", "pooling", "similarity.masked_fill(~mask, 0)", "similarity"),
    Mutant("forgotten square of w", "pooling",
           "-0.5 * (self.w * _distances(query, key)) ** 2", "-0.5 * self.w * _distances(query, key) ** 2"),
    Mutant("only the own point", "pooling", "~torch.eye", "torch.eye"),
    Mutant("the own point is left in", "pooling", "if leave_one_out else None", "if not leave_one_out else None"),
    Mutant("mean instead of sum", "pooling", "((prediction - y) ** 2).sum()", "((prediction - y) ** 2).mean()"),
    Mutant("gradients pile up", "pooling", "optimizer.zero_grad()", "pass"),
    # attention
    Mutant("no dropout on the weights", "attention", "dropout(weights) @ value", "weights @ value"),
    Mutant("dropout when not training", "attention", "self.dropout.p if self.training else 0.0", "self.dropout.p"),
    Mutant("the fused kernel is not masked", "attention", "attn_mask=allowed", "attn_mask=None"),
    Mutant("the mask is lost on the way", "attention",
           "masked_softmax(scores, valid_lens, mask)", "masked_softmax(scores, valid_lens)"),
    Mutant("the lengths are lost on the way", "attention",
           "combine_masks(shape, valid_lens, mask", "combine_masks(shape, None, mask"),
]  # fmt: skip


@functools.cache
def source(module: str) -> str:
    return (PACKAGE / f"{module}.py").read_text("utf-8")


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory) -> dict:
    """What pytest said of each mutant, and, under None, of the package as it is."""
    folder = tmp_path_factory.mktemp("mutants")
    shutil.copytree(
        PACKAGE, folder / "attnbook", ignore=shutil.ignore_patterns("__pycache__")
    )
    jobs = [
        {
            "file": "masks.py",
            "text": source("masks"),
            "tests": sorted({t for m in MUTANTS for t in m.tests}),
        }
    ]
    jobs += [
        {"file": f"{m.module}.py", "text": m.apply(source(m.module)), "tests": m.tests}
        for m in MUTANTS
    ]
    plan = {"package_root": str(folder), "arguments": ARGUMENTS, "jobs": jobs}
    (folder / "jobs.json").write_text(json.dumps(plan), "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "tests" / "mutation.py"),
            str(folder / "jobs.json"),
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "ATTNBOOK_DEVICE": "cpu",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip([None, *MUTANTS], answers, strict=True))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
class TestMutants:
    def test_the_package_as_it_is_passes(self, verdicts):
        assert verdicts[None]["status"] == 0, verdicts[None]["log"]

    @pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.module}: {m.what}")
    def test_the_mistake_is_noticed(self, mutant, verdicts):
        # 1: a test failed. Anything else (0: none did; 2: it could not even be imported) kills no mutant.
        assert verdicts[mutant]["status"] == 1, verdicts[mutant]["log"]


def test_there_are_mutants_of_every_kind():
    assert {"masks", "scores", "kernels", "pooling", "attention"} == {
        mutant.module for mutant in MUTANTS
    }
    assert len({mutant.what for mutant in MUTANTS}) == len(MUTANTS) >= 12


@pytest.mark.parametrize("old", ["no such text", "return"])
def test_a_mutant_that_no_longer_fits_says_so(old):
    with pytest.raises(ValueError, match=r"finds it \d+ times"):
        Mutant("stale", "masks", old, "x").apply(source("masks"))


def test_a_mutant_fits_however_the_code_is_wrapped():
    mutant = Mutant("x", "masks", "f(a, b)", "g")
    assert mutant.apply("y = f(\n    a,\n    b,\n)") == "y = g"
