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
    """One change of one module: `old` stands in it exactly once (white space counts for nothing).

    `test` names the test that notices it; without, all quick tests of the module are run.
    """

    what: str
    module: str
    old: str
    new: str
    test: str = ""

    @property
    def tests(self) -> list[str]:
        return [f"tests/{self.test or f'test_{self.module}.py'}"]

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
    Mutant("the additive mask is flipped", "masks",
           "masked_fill(~mask, -torch.inf)", "masked_fill(mask, -torch.inf)"),
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
    # multihead
    Mutant("heads are cut in the wrong order", "multihead/splitting",
           "x.unflatten(-1, (num_heads, head_dim)).transpose(-3, -2)",
           "x.reshape(*x.shape[:-2], num_heads, -1, head_dim)",
           "test_multihead.py::test_split_heads_by_loops"),
    Mutant("heads are glued in the wrong order", "multihead/splitting", "x.transpose(-3, -2).flatten(-2)",
           "x.reshape(*x.shape[:-3], x.shape[-2], -1)",
           "test_multihead.py::test_the_three_stages_are_one_function"),
    Mutant("zeros before the narrow head", "multihead/stages", "parameter(name).copy_(torch.cat([numbers, zeros]))",
           "parameter(name).copy_(torch.cat([zeros, numbers]))",
           "test_multihead.py::test_the_three_stages_are_one_function"),
    Mutant("the widened scale is not rooted", "multihead/stages", "numbers * math.sqrt(num_heads)",
           "numbers * num_heads",
           "test_multihead.py::test_the_three_stages_are_one_function"),
    Mutant("the bias is masked the wrong way round", "multihead/layer", "mask = mask.masked_fill(~allowed, -torch.inf)",
           "mask = mask.masked_fill(allowed, -torch.inf)",
           "test_multihead.py::test_with_and_without_weights_are_one_function"),
    Mutant("with a bias the mask is forgotten", "multihead/layer", "mask = mask.masked_fill(~allowed, -torch.inf)",
           "pass",
           "test_multihead.py::test_with_and_without_weights_are_one_function"),
    Mutant("heads drop weights when not training", "multihead/layer",
           "dropout_p=self.dropout if self.training else 0.0",
           "dropout_p=self.dropout",
           "test_multihead.py::test_dropout_only_while_training"),
    Mutant("groups of heads are interleaved", "multihead/layer",
           "k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)",
           "k.repeat(1, group, 1, 1), v.repeat(1, group, 1, 1)",
           "test_multihead.py::test_shared_heads_are_repeated_heads"),
    Mutant("the mask meets the heads", "multihead/layer", "return mask.unsqueeze(1)",
           "return mask",
           "test_multihead.py::test_masks_of_every_shape"),
    Mutant("weights are stacked head by head", "multihead/layer", "for name in names for head in stage.heads",
           "for head in stage.heads for name in names",
           "test_multihead.py::test_the_three_stages_are_one_function"),
    Mutant("only queries are turned", "multihead/layer", "k = self.rotary(k, start)",
           "pass",
           "test_positions.py::test_a_rotary_layer_knows_offsets_and_nothing_else"),
    Mutant("every step is turned as the first", "multihead/layer",
           "k = self.rotary(k, start)",
           "k = self.rotary(k, 0)",
           "test_cache.py::test_a_new_position_is_turned_by_its_own_place"),
    # self_attention
    Mutant("causal, and the caller's mask is lost", "self_attention",
           "mask = past if mask is None else mask.to(x.device) & past",
           "mask = past",
           "test_self_attention.py::test_self_attention_is_cross_attention_with_itself"),
    Mutant("no output map", "self_attention", "self.W_o(weights @ self.W_v(memory))",
           "weights @ self.W_v(memory)",
           "test_self_attention.py::test_cross_attention_against_loops"),
    Mutant("the lengths are lost in pooling", "self_attention", "scaled_dot_score(query, x), valid_lens",
           "scaled_dot_score(query, x)",
           "test_self_attention.py::test_query_pooling_against_loops"),
    Mutant("either side real is enough", "self_attention", "query_mask.unsqueeze(-1) & key_mask.unsqueeze(-2)",
           "query_mask.unsqueeze(-1) | key_mask.unsqueeze(-2)",
           "test_self_attention.py::test_pair_mask_by_loops"),
    # positions
    Mutant("the frequencies are one off", "positions", "torch.arange(0, d_model, 2, dtype=torch.float64)",
           "torch.arange(0, d_model, 2, dtype=torch.float64) + 1",
           "test_positions.py::test_sinusoids_by_the_formula"),
    Mutant("cosines first", "positions", "[angle.sin(), angle.cos()], dim=-1",
           "[angle.cos(), angle.sin()], dim=-1",
           "test_positions.py::test_sinusoids_by_the_formula"),
    Mutant("learned positions begin anew", "positions", "self.embedding.weight[start:end]",
           "self.embedding.weight[: end - start]",
           "test_positions.py::test_learned_positions_are_added_along_the_sequence_and_learn"),
    Mutant("turned by the matrix of a reflection", "positions", "first * cos - second * sin",
           "first * cos + second * sin",
           "test_positions.py::test_rotate_is_a_product_of_complex_numbers"),
    Mutant("angles in half precision", "positions", "precise = torch.promote_types(x.dtype, torch.float32)",
           "precise = x.dtype",
           "test_positions.py::test_rotary_positions_far_away_in_half_precision"),
    # relative
    Mutant("queries are the first of the keys", "relative", "num_keys - num_queries, num_keys, device",
           "0, num_queries, device",
           "test_positions.py::test_relative_positions_by_hand"),
    Mutant("T5: the present counts as the future", "relative", "(distance > 0) * buckets",
           "(distance >= 0) * buckets",
           "test_positions.py::test_t5_buckets_by_hand"),
    Mutant("DeBERTa: distances change sign", "relative", "self._row(ahead).T",
           "self._row(-ahead).T",
           "test_positions.py::test_deberta_against_loops"),
    Mutant("ALiBi: the first head has no slope", "relative", "-8.0 * torch.arange(1, num_heads + 1",
           "-8.0 * torch.arange(0, num_heads",
           "test_positions.py::test_alibi_slopes_are_the_papers"),
    # cache
    Mutant("new keys before the old ones", "cache", "torch.cat([self.key, key], dim=2)",
           "torch.cat([key, self.key], dim=2)",
           "test_cache.py::test_what_is_stored"),
    Mutant("beam search reorders keys only", "cache", "self.key[order], self.value[order]",
           "self.key[order], self.value",
           "test_cache.py::test_reorder_continues_the_chosen_sequences"),
    # blocks
    Mutant("the residual takes the normed input", "blocks", "x + self.dropout(sublayer(self.norm(x)))",
           "self.norm(x) + self.dropout(sublayer(self.norm(x)))",
           "test_blocks.py::test_residual_by_hand"),
    Mutant("post-LN without a residual", "blocks", "self.norm(x + self.dropout(sublayer(x)))",
           "self.norm(self.dropout(sublayer(x)))",
           "test_blocks.py::test_residual_by_hand"),
    Mutant("the memory's mask is lost", "blocks", "h, memory, memory, memory_lens, memory_mask, need_weights",
           "h, memory, memory, memory_lens, None, need_weights",
           "test_blocks.py::test_decoder_layer_by_its_parts"),
    Mutant("the activation comes first", "blocks", "self.dropout(self.activation(self.W_1(x)))",
           "self.dropout(self.W_1(self.activation(x)))",
           "test_blocks.py::test_feed_forward_treats_every_position_alone"),
    Mutant("the hidden layer is overwritten while training", "blocks", "inplace=not torch.is_grad_enabled()",
           "inplace=True",
           "test_blocks.py::test_only_relu_without_gradients_overwrites_the_hidden_layer_and_nothing_else"),
    Mutant("a refused step stays in the cache", "blocks", "_check_memory(self, x, memory, memory_lens, memory_mask)",
           "pass",
           "test_bad_input.py::test_a_refused_step_leaves_the_cache_as_it_was"),
    # models
    Mutant("every decoded word stands at 0", "models", "self.positions(embedded, start=start)",
           "self.positions(embedded)",
           "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
    Mutant("the encoder sees padding", "models", "memory, _ = self.encoder(source, source_lens)",
           "memory, _ = self.encoder(source)",
           "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
    Mutant("the decoder sees padding", "models", "logits, _ = self.decoder(target, memory, source_lens)",
           "logits, _ = self.decoder(target, memory)",
           "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
    Mutant("no causal mask", "models", "mask = causal_mask(length, start + length, device=ids.device)",
           "mask = None",
           "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
    Mutant("no causal mask in evaluation", "models", "mask = causal_mask(length, start + length, device=ids.device)",
           "mask = causal_mask(length, start + length) if self.training else None",
           "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
    Mutant("BERT without segments", "models", "self.position.weight[:length] + self.segment(segments)",
           "self.position.weight[:length]",
           "test_models.py::test_bert_embeddings_are_a_normalised_sum"),
    Mutant("pre-LN without its last norm", "models",
           "nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()",
           "nn.Identity()",
           "test_models.py::test_a_pre_ln_stack_ends_with_a_norm_and_a_post_ln_stack_has_had_its_own"),
    # training
    Mutant("seen batches come again", "training", "next(stream)  # these batches have been seen",
           "pass",
           "test_training.py::test_resumed_losses_are_the_uninterrupted_ones"),
    Mutant("random numbers begin anew", "training", 'set_random_state(state["random"])',
           "pass",
           "test_training.py::test_resumed_losses_are_the_uninterrupted_ones"),
    Mutant("gradients pile up over steps", "training", "stepper.zero_grad()",
           "pass",
           "test_training.py::test_it_learns"),
    Mutant("another configuration is taken", "training", "check_same_config(path, stored, wanted)",
           "pass",
           "test_training.py::test_other_weights_are_refused_though_the_configuration_is_the_same"),
    Mutant("the paper's schedule never falls", "training", "min(s**-0.5, s * warmup**-1.5)",
           "s * warmup**-1.5",
           "test_training.py::test_after_its_peak_the_papers_rate_falls_with_the_root_of_the_step"),
    # checkpoint
    Mutant("the optimizer begins anew", "checkpoint", 'optimizer.load_state_dict(state["optimizer"])',
           "pass",
           "test_training.py::test_resumed_losses_are_the_uninterrupted_ones"),
    Mutant("the schedule begins anew", "checkpoint", 'schedule.load_state_dict(state["schedule"])',
           "pass",
           "test_training.py::test_resumed_losses_are_the_uninterrupted_ones"),
    Mutant("a file may hold code", "checkpoint", "weights_only=True",
           "weights_only=False",
           "test_training.py::test_nothing_in_a_checkpoint_is_executed"),
    Mutant("written in two steps", "checkpoint", "os.replace(temporary, path)",
           "path.write_bytes(temporary.read_bytes())",
           "test_training.py::test_it_is_on_the_disk_before_it_gets_its_name"),
    Mutant("half-loaded", "checkpoint", "before = random_state()",
           'before = random_state()\n    model.load_state_dict(state["model"])',
           "test_bad_input.py::test_a_checkpoint_is_resumed_whole_or_not_at_all"),
    # interop_weights/pytorch
    Mutant("queries, keys and values change places", "interop_weights/pytorch",
           "ours.W_qkv.weight.copy_(layer.in_proj_weight)",
           "ours.W_qkv.weight.copy_(layer.in_proj_weight.roll(1, 0))",
           "test_interop_weights.py::test_multi_head_attention_is_pytorchs"),
    Mutant("two norms change places", "interop_weights/pytorch",
           "copy_into(ours.around_cross_attention.norm, layer.norm2)",
           "copy_into(ours.around_cross_attention.norm, layer.norm3)",
           "test_interop_weights.py::test_decoder_layer_is_pytorchs"),
    Mutant("the norms' epsilon is lost", "interop_weights/pytorch", '"eps": layer.norm1.eps',
           '"eps": 1e-5',
           "test_interop_weights.py::test_the_norms_epsilon_is_taken_over"),
]  # fmt: skip
PART_1 = {"masks", "scores", "kernels", "pooling", "attention"}
PART_2 = {
    "multihead",
    "self_attention",
    "positions",
    "relative",
    "cache",
    "blocks",
    "models",
}
PART_2 |= {"training", "checkpoint", "interop_weights"}


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
    modules = [mutant.module.partition("/")[0] for mutant in MUTANTS]
    assert set(modules) == PART_1 | PART_2
    assert len({mutant.what for mutant in MUTANTS}) == len(MUTANTS)
    assert sum(module in PART_1 for module in modules) >= 12
    assert sum(module in PART_2 for module in modules) >= 20


@pytest.mark.parametrize("old", ["no such text", "return"])
def test_a_mutant_that_no_longer_fits_says_so(old):
    with pytest.raises(ValueError, match=r"finds it \d+ times"):
        Mutant("stale", "masks", old, "x").apply(source("masks"))


def test_a_mutant_fits_however_the_code_is_wrapped():
    mutant = Mutant("x", "masks", "f(a, b)", "g")
    assert mutant.apply("y = f(\n    a,\n    b,\n)") == "y = g"
