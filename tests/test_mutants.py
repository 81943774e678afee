"""The tests notice: each of these small mistakes, put into the package, makes one of them fail."""

import compileall
import dataclasses
import functools
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from tools import ROOT

PACKAGE = ROOT / "code" / "attnbook"
# Enough to kill every mutant and quick: property tests, the compiler and wrong arguments are left to the ordinary run.
ARGUMENTS = ["-x", "-q", "--noconftest", "--assert=plain", "--tb=native", "--rootdir", str(ROOT)]
# what pytest brings and no mutant needs: each of its processes would start and end it
NEEDLESS = "cacheprovider debugging unittest pastebin junitxml doctest setuponly setupplan stepwise faulthandler"
NEEDLESS += " unraisableexception threadexception legacypath"
ARGUMENTS += [f"-pno:{plugin}" for plugin in NEEDLESS.split()]
ARGUMENTS += ["-k", "not compiles and not errors and not wrong and not device and not cannot_be_made"]


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
        name = self.module.rpartition("/")[2]
        file, colons, test = (self.test or f"test_{name}.py").partition("::")
        (path,) = (ROOT / "tests").rglob(file)
        return [f"{path.relative_to(ROOT)}{colons}{test}"]

    def apply(self, text: str) -> str:
        """The changed text; a pattern that is not there exactly once is an error, not a pass."""
        words = re.findall(r"\w+|[^\w\s]", self.old)
        # a formatter may break lines, and then adds a comma after the last argument
        pattern = r"\s*".join(re.escape(word) for word in words).replace(r"\s*\)", r"\s*,?\s*\)")
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            raise ValueError(
                f"the mutant “{self.what}” looks for {self.old!r} in {self.module}.py and finds it {len(found)} times; "
                "the code has changed, so say anew what to change"
            )
        return text[: found[0].start()] + self.new + text[found[0].end() :]


# Module → what is wrong there, what stands there, what is put instead, and (where one test is quicker) who notices.
# fmt: off
TABLE = {
    "attention/masks": [
        ("one key too many", "positions < valid_lens", "positions <= valid_lens"),
        ("one key too few", "positions < valid_lens", "positions + 1 < valid_lens"),
        ("lengths along the wrong axis", "valid_lens.shape[0], *between,", "*between, valid_lens.shape[0],"),
        ("the window is that of the first queries", "causal.shape[1] - num_queries + 1 - window", "1 - window",
         "test_tiled.py::test_a_window_looks_back_from_the_last_keys"),
        ("no query sees itself", "diagonal=num_keys - num_queries", "diagonal=num_keys - num_queries - 1"),
        ("queries are the first positions", "tril(diagonal=num_keys - num_queries)", "tril()"),
        ("the future instead of the past", "allowed.tril(diagonal=", "allowed.triu(diagonal="),
        ("lengths or mask", "else a & b", "else a | b"),
        ("the mask is flipped", "masked_fill(~allowed, -torch.inf).", "masked_fill(allowed, -torch.inf)."),
        ("softmax over the queries", "safe.softmax(dim=-1)", "safe.softmax(dim=-2)"),
        ("masked after the softmax", "scores.masked_fill(~allowed, -torch.inf).masked_fill(nothing, 0.0)",
         "scores * allowed"),
        ("a fully masked row is uniform", "softmax(dim=-1).masked_fill(nothing, 0.0)", "softmax(dim=-1)"),
        ("a fully masked row is NaN", ".masked_fill(nothing, 0.0) return safe", "\n    return safe"),
        ("the caller's scores are written into", "safe = scores.masked_fill(~allowed",
         "safe = scores.detach().masked_fill_(~allowed"),
        ("three axes meet the heads", "mask.reshape(aligned_shape(mask.shape, shape))", "torch.atleast_2d(mask)",
         "test_heads.py::test_three_axes_are_sequences_also_where_there_are_as_many_heads"),
    ],
    "attention/conventions": [
        ("blocked means allowed", "check_mask(mask) return ~mask", "return mask.clone()", "test_masks.py"),
        ("the additive mask is flipped", "masked_fill(~mask, -torch.inf)", "masked_fill(mask, -torch.inf)",
         "test_masks.py"),
    ],
    "attention/scores": [
        ("no scale", "query @ key.mT / math.sqrt(query.shape[-1])", "query @ key.mT"),
        ("float16 does not hold the product", "query / math.sqrt(size) @ key.mT", "query @ key.mT / math.sqrt(size)"),
        ("autocast is not seen", "product_dtype(query)", "query.dtype"),
        ("the scale is not rooted", "math.sqrt(query.shape[-1])", "query.shape[-1]"),
        ("float16: the scale is not rooted", "math.sqrt(size)", "size"),
        ("scaled by the number of queries", "math.sqrt(query.shape[-1])", "math.sqrt(query.shape[-2])"),
        ("queries and keys change places", "query, key) return query @ key.transpose(-2, -1)",
         "query, key)\n    return key @ query.transpose(-2, -1)"),
        ("forgotten square of the distance", "(difference**2).sum", "difference.abs().sum"),
        ("forgotten square of the width", "2 * width**2", "2 * width"),
        ("multiplied by the width", "/ (2 * width**2)", "* (2 * width**2)"),
        ("far is high", "return -(difference**2)", "return (difference**2)"),
        ("the weight is transposed", "query @ weight @ key", "query @ weight.reshape(weight.shape[::-1]).T @ key"),
        ("no tanh", ").tanh()", ")"),
        ("rows and columns swapped", "return hidden @ w_v", "return (hidden @ w_v).transpose(-2, -1)"),
        ("the key's columns first", "W[:, :query_size], W[:, query_size:]", "W[:, key_size:], W[:, :key_size]"),
    ],
    "attention/kernels": [
        ("no half in the exponent", "torch.exp(-0.5 * u**2)", "torch.exp(-(u**2))"),
        ("the edge is outside", "u.abs() <= 1", "u.abs() < 1"),
        ("the triangle is a parabola", "(1 - u.abs()).clamp_min(0)", "(1 - u**2).clamp_min(0)"),
        ("negative weights", "(1 - u**2).clamp_min(0)", "(1 - u**2)"),
    ],
    "pairs/scorers": [
        ("the ends are the starts", "as_start.unsqueeze(-1) + as_end.unsqueeze(-2)",
         "as_start.unsqueeze(-2) + as_end.unsqueeze(-1)", "test_pair_scorers.py"),
        ("types and features are mixed up", "unflatten(-1, self.sizes).transpose(1, 2)",
         "unflatten(-1, self.sizes[::-1]).mT.transpose(1, 2)", "test_pair_scorers.py"),
        ("starts and ends change places", "query, key = heads.chunk(2, dim=-1)", "key, query = heads.chunk(2, dim=-1)",
         "test_pair_scorers.py"),
        ("no tanh between the sum and the score", "(query + key).tanh()", "(query + key)", "test_pair_scorers.py"),
        ("no bias", "of_key + bias[:, None, None]", "of_key", "test_pair_scorers.py"),
    ],
    "standin/torch/_elementwise": [
        ("half of a tie for both", "where(a == b, g / 2,", "where(a == b, g,",
         "test_standin_functions.py::test_every_line_once"),
        ("the wrong sine", "lambda g, x, y: g * x.cos()", "lambda g, x, y: -g * x.cos()",
         "test_standin_functions.py::test_every_line_once"),
        ("the first operand wins", "x if here else y for", "y if here else x for",
         "test_standin_functions.py::test_every_line_once"),
    ],
    "standin/torch/_numbers": [
        ("rows by columns", "for n in reversed(shape):", "for n in shape:",
         "test_standin_functions.py::test_every_line_once"),
        ("a gap is in a row", "n == 1 or stride == step for", "n == 1 or stride >= step for",
         "test_standin_functions.py::test_every_line_once"),
    ],
    "standin/torch/_tensor": [
        ("what was written is not forgotten", "lambda g: (g._without(at),", "lambda g: (g,",
         "test_standin_functions.py::test_every_line_once"),
        ("gradients replace each other", "gathered[node] + g if node in gathered", "g if node in gathered",
         "test_standin_functions.py::test_every_line_once"),
    ],
    "pairs/losses": [
        ("no threshold for right pairs", "torch.cat([threshold, (-scores)", "torch.cat([threshold - 99, (-scores)",
         "test_pair_losses.py"),
        ("right pairs sink", "(-scores).masked_fill(~right", "scores.masked_fill(~right", "test_pair_losses.py"),
        ("the mask is forgotten", "(~target & counts).flatten(-2)", "(~target).flatten(-2)", "test_pair_losses.py"),
    ],
    "widgets/attention_viewer/given": [
        ("always the first sequence", "return tensor[batch]", "return tensor[0]",
         "test_attention_viewer.py::test_batch_chooses_the_sequence"),
        ("one layer of four axes", "list(whole) if whole.ndim == 4", "[whole[0]] if whole.ndim == 4",
         "test_attention_viewer.py::test_the_forms_that_weights_come_in"),
        ("a joiner is escaped", "letter.isprintable() or letter in JOINERS", "letter.isprintable()",
         "test_attention_viewer.py::test_tokens_are_made_visible_and_no_more"),
    ],
    "widgets/attention_viewer/packing": [
        ("the smallest are kept", "by.topk(kept, dim=1)", "by.topk(kept, dim=1, largest=False)",
         "test_attention_viewer.py::test_of_a_long_head_python_reads_the_same"),
        ("columns are rows", '("columns", sizes.T, known.T)', '("columns", sizes, known)',
         "test_attention_viewer.py::test_of_a_long_head_python_reads_the_same"),
        ("NaN rows are just not kept", 'np.isnan(unpack(head["row_sums"], "<f2", T))', "[]",
         "test_attention_viewer.py::test_of_a_long_head_python_reads_the_same"),
        ("the window begins at the top", "whole[rows.start : rows.stop,", "whole[: len(rows),",
         "test_attention_viewer.py::test_a_part_of_a_head"),
    ],
    "pairs/decoding": [
        ("ends before starts", "(real & forwards)", "(real & forwards.T)", "test_pair_decoding.py"),
        ("nested spans cross", "a < i <= b < j or", "a <= i <= b < j or", "test_pair_decoding.py"),
        ("the worst first", "-scores[span].item()", "scores[span].item()", "test_pair_decoding.py"),
        ("the threshold is above itself", "chosen = scores > threshold", "chosen = scores >= threshold",
         "test_pair_decoding.py"),
        ("hits count once", "2 * hits / size", "hits / size", "test_pair_decoding.py"),
    ],
    "studies/digits": [
        ("patches column by column", "flatten(3).flatten(1, 2)", "flatten(3).transpose(1, 2).flatten(1, 2)",
         "test_digits.py::test_patches_lie_row_by_row"),
    ],
    "attention/pooling": [
        ("divided by the number of queries", "1 / len(value)", "1 / len(query)"),
        ("multiplied by the kernel's width", "_distances(query, key) / width", "_distances(query, key) * width"),
        ("forgotten square in the Gaussian", "-0.5 * scaled**2", "-0.5 * scaled"),
        ("weights not normalised", "similarity / total.masked_fill(total == 0, 1)", "similarity"),
        ("0/0 where no key is near", "total.masked_fill(total == 0, 1)", "total"),
        ("the kernel ignores the mask", "similarity.masked_fill(~mask, 0)", "similarity"),
        ("forgotten square of w", "-0.5 * (self.w * _distances(query, key)) ** 2",
         "-0.5 * self.w * _distances(query, key) ** 2"),
        ("only the own point", "~torch.eye", "torch.eye"),
        ("the own point is left in", "if leave_one_out else None", "if not leave_one_out else None"),
        ("mean instead of sum", "((prediction - y) ** 2).sum()", "((prediction - y) ** 2).mean()"),
        ("gradients pile up", "optimizer.zero_grad()", "pass"),
    ],
    "attention/layers": [
        ("no dropout on the weights", "F.dropout(weights, p) @ value, weights", "weights @ value, weights"),
        ("dropout when not training", "dropout.p if dropout.training else 0.0", "dropout.p"),
        ("heads drop weights when not training", "dropout.p if dropout.training else 0.0", "dropout.p",
         "test_heads.py::test_dropout_only_while_training"),
        ("the mask is lost on the way", "unchecked_masked_softmax(scores, mask)",
         "unchecked_masked_softmax(scores, None)"),
        ("the lengths are lost on the way", "combine_masks(shape, valid_lens, mask",
         "combine_masks(shape, None, mask"),
        ("groups of heads are interleaved", "x.repeat_interleave(group, dim=1)", "x.repeat(1, group, 1, 1)",
         "test_heads.py::test_shared_heads_are_repeated_heads"),
    ],
    "attention/fused": [
        ("the fused kernel is not masked", "attn_mask=None if causal else mask", "attn_mask=None",
         "test_layers.py"),
        ("every large square mask is a triangle", "return torch.equal(packed,", "return True or torch.equal(packed,",
         "test_layers.py::test_a_large_triangle_is_recognised_and_nothing_else_is"),
        ("a short row of NaN comes out as zeros", "if mask is None and short:", "if False:",
         "test_heads.py::test_nan_is_seen_in_the_output_with_weights_and_without"),
        ("the bias is masked the wrong way round", "bias.masked_fill(~mask, -torch.inf)",
         "bias.masked_fill(mask, -torch.inf)", "test_heads.py::test_with_and_without_weights_are_one_function"),
        ("with a bias the mask is forgotten", "bias if mask is None else bias.masked_fill(~mask, -torch.inf)", "bias",
         "test_heads.py::test_with_and_without_weights_are_one_function"),
    ],
    "attention/tiled": [
        ("the past is not corrected", "summed[..., rows, :] * old + more", "summed[..., rows, :] + more",
         "test_tiled.py::test_tiles_give_the_numbers_and_gradients_of_the_table"),
        ("a window one position too long", "(ago >= reach)", "(ago > reach)",
         "test_tiled.py::test_tiles_give_the_numbers_and_gradients_of_the_table"),
        ("the gradient of a weight is that of its score", "(slopes - mean[..., rows, :]) * weights",
         "slopes * weights", "test_tiled.py::test_tiles_give_the_numbers_and_gradients_of_the_table"),
        ("autocast rounds the second pass", "with without_autocast(grad):", "if True:",
         "test_tiled.py::test_autocast_rounds_the_output_and_nothing_else"),
        ("the sum's own slope is lost", "keepdim=True) - grad_log", "keepdim=True)",
         "test_tiled.py::test_second_derivatives_are_those_of_the_table"),
    ],
    "attention/precision": [
        ("autocast is where it is not", "torch.get_autocast_dtype(x.device.type)", "torch.float32",
         "test_tiled.py::test_autocast_rounds_the_output_and_nothing_else"),
        ("autocast rounds double precision", "_is_cast(x) and x.dtype != torch.float64", "_is_cast(x)",
         "test_tiled.py::test_autocast_leaves_double_precision_alone"),
    ],
    "attention/latent": [
        ("keys from the values' map", "for w in (self.W_uk, self.W_uv)", "for w in (self.W_uv, self.W_uk)",
         "test_tiled.py::test_latent_attention_by_loops"),
    ],
    "attention/splitting": [
        ("heads are cut in the wrong order", "x.unflatten(-1, (num_heads, head_dim)).transpose(-3, -2)",
         "x.reshape(*x.shape[:-2], num_heads, -1, head_dim)", "test_heads.py::test_splitting_and_merging_by_loops"),
        ("heads are glued in the wrong order", "x.transpose(-3, -2).flatten(-2)",
         "x.reshape(*x.shape[:-3], x.shape[-2], -1)", "test_heads.py::test_splitting_and_merging_by_loops"),
    ],
    "attention/separate_heads": [
        ("zeros before the narrow head", "parameter(name).copy_(torch.cat([numbers, zeros]))",
         "parameter(name).copy_(torch.cat([zeros, numbers]))",
         "test_heads.py::test_the_three_stages_are_one_function"),
        ("the widened scale is not rooted", "numbers * math.sqrt(num_heads)", "numbers * num_heads",
         "test_heads.py::test_the_three_stages_are_one_function"),
    ],
    "attention/heads": [
        ("the memory's keys are the query's", "_, k, v = self.project_all(key)", "pass",
         "test_heads.py::test_masks_of_every_shape"),
        ("weights are stacked head by head", "for name in names for head in stage.heads",
         "for head in stage.heads for name in names", "test_heads.py::test_the_three_stages_are_one_function"),
        ("keys beside a cache are passed over", "key is not query or value is not key:", "False:",
         "test_cache.py::test_another_memory_is_never_taken_for_the_one_that_is_stored"),
        ("only queries are rotated", "self.rotary(q, start), self.rotary(k, start)", "self.rotary(q, start), k",
         "test_positions.py::test_a_rotary_layer_knows_offsets_and_nothing_else"),
        ("a memory's keys meet rotated queries", "or (cache is not None and not cache.grows)", "",
         "test_cache.py::test_rotary_positions_and_another_sequence_do_not_go_together"),
        ("a bias of the sequences meets the heads", "bias.reshape(aligned_shape(bias.shape, shape))", "bias",
         "test_heads.py::test_three_axes_are_sequences_also_where_there_are_as_many_heads"),
        ("a bias that does not fit stays in the cache", "k, v = (x.to(q.dtype) for x in stored)",
         "if cache is not None:\n            cache.key, cache.value = stored\n"
         "        k, v = (x.to(q.dtype) for x in stored)",
         "test_cache.py::test_a_bias_that_fails_leaves_the_cache_as_it_was"),
        ("heads are D / H wide, whatever was asked", "head_size(d_model, num_heads) if head_dim is None else head_dim",
         "head_size(d_model, num_heads)",
         "test_cache.py::test_another_layers_cache_is_refused_and_stays_as_it_was"),
        ("every step is rotated as the first", "self.rotary(k, start)", "self.rotary(k, 0)",
         "test_cache.py::test_a_new_position_is_turned_by_its_own_place"),
        ("keys are not normalised", "self.norm_q(q), self.norm_k(k),", "self.norm_q(q), k,",
         "test_heads.py::test_heads_of_any_size_and_normalised_queries_and_keys_against_loops"),
    ],
    "attention/rotary_scaling": [
        ("Llama 3: slow frequencies stay", "share_kept + (1 - share_kept) / self.factor",
         "(1 - share_kept) + share_kept / self.factor",
         "test_positions.py::test_frequencies_that_are_scaled_for_longer_texts"),
        ("turns are radians", "frequencies / (2 * math.pi)", "frequencies",
         "test_positions.py::test_frequencies_that_are_scaled_for_longer_texts"),
    ],
    "attention/self_attention": [
        ("causal, and the caller's mask is lost", "mask = past if mask is None else mask.to(x.device) & past",
         "mask = past", "test_self_attention.py::test_self_attention_is_cross_attention_with_itself"),
        ("no output map", "self.W_o(weights @ self.W_v(memory))", "weights @ self.W_v(memory)",
         "test_self_attention.py::test_cross_attention_against_loops"),
        ("the lengths are lost in pooling", "scaled_dot_score(query, x), valid_lens",
         "scaled_dot_score(query, x), None", "test_self_attention.py::test_query_pooling_against_loops"),
        ("either side real is enough", "query_mask.unsqueeze(-1) & key_mask.unsqueeze(-2)",
         "query_mask.unsqueeze(-1) | key_mask.unsqueeze(-2)", "test_self_attention.py::test_pair_mask_by_loops"),
    ],
    "attention/positions": [
        ("the frequencies are one off", "torch.arange(0, d_model, 2, dtype=torch.float64)",
         "torch.arange(0, d_model, 2, dtype=torch.float64) + 1", "test_positions.py::test_sinusoids_by_the_formula"),
        ("cosines first", "[angle.sin(), angle.cos()], dim=-1", "[angle.cos(), angle.sin()], dim=-1",
         "test_positions.py::test_sinusoids_by_the_formula"),
        ("learned positions begin anew", "torch.arange(start, end, device=x.device)", "torch.arange(end - start)",
         "test_positions.py::test_learned_positions_are_added_along_the_sequence_and_learn"),
        ("the table is of the first dtype", "len(stored) < end or self.made_for != asked_for",
         "len(stored) < end",
         "test_positions.py::test_rotary_positions_are_looked_up_in_a_table"),
        ("the table is of the first base", "(like.dtype, like.device, *settings)", "(like.dtype, like.device)",
         "test_positions.py::test_a_base_or_a_scaling_that_is_replaced_counts_from_the_next_call_on"),
        ("a table that learns is kept", "None if stored.requires_grad else stored", "stored",
         "test_positions.py::test_what_learns_is_followed_and_can_be_differentiated_again"),
    ],
    "attention/rotary": [
        ("turned by the matrix of a reflection", "as_complex(pairs) * phases", "as_complex(pairs) * phases.conj()",
         "test_positions.py::test_rotate_is_a_product_of_complex_numbers"),
        ("the table of other heads' size", "self._tables.setdefault(size,", "self._tables.setdefault(0,",
         "test_positions.py::test_rotary_positions_are_looked_up_in_a_table"),
        ("angles in half precision", "dtype = sum_dtype(like)", "dtype = like.dtype",
         "test_positions.py::test_rotary_positions_far_away_in_half_precision"),
    ],
    "attention/linear": [
        ("the delta rule forgets to look", "v - (state @ k[..., None])[..., 0]", "v",
         "test_linear.py::test_the_delta_rule_stores_what_was_written_last"),
        ("the memory fades after the reading", "to_end * key", "key",
         "test_linear.py::test_a_decay_of_a_half_halves"),
        ("a chunk forgets the ones before", "scores @ value + decay_so_far * (query @ state.mT)",
         "scores @ value",
         "test_linear.py::test_a_memory_goes_on_where_it_stopped"),
        ("corrections see their own pair", "overlap.tril(-1)", "overlap.tril()",
         "test_linear.py::test_the_example_of_the_chapter"),
    ],
    "attention/head_measures": [
        ("the copy itself is matched", "match[..., 1:] = same[..., :-1]", "match[..., 1:] = same[..., 1:]",
         "test_head_measures.py::test_prefix_matching_by_hand"),
        ("the mean is over all positions", "match.any(-1).sum()", "match.any(-1).numel()",
         "test_head_measures.py::test_prefix_matching_by_loops"),
        ("the mean does not pass through W_o", "layer.W_o.bias.add_(part @ mean)", "pass",
         "test_head_measures.py::test_a_silenced_head_says_its_mean"),
        ("the inputs look through the last layer first", "layer @ product", "product @ layer",
         "test_head_measures.py::test_rollout_of_two_layers_by_hand"),
        ("each layer counts a whole and a residual", "mixed / total", "mixed / 2",
         "test_head_measures.py::test_rollout_is_a_walk_from_the_last_layer_down"),
    ],
    "attention/sinks": [
        ("the sink's column is the last", "[like(*table.shape[:-1], 1), table]", "[table, like(*table.shape[:-1], 1)]",
         "test_head_measures.py::test_a_sink_with_masks_lengths_and_a_bias"),
        ("the sink's value is its key", "v = F.pad(v, (0, 0, 1, 0))", "v = torch.cat([k[:, :, :1], v], dim=2)",
         "test_head_measures.py::test_a_learned_sink_takes_the_weight_that_its_key_asks_for"),
        ("the sink is the last key", "k = F.pad(k, (0, 0, 1, 0))", "k = F.pad(k, (0, 0, 0, 1))",
         "test_head_measures.py::test_a_sink_of_zeros_is_the_softmax_off_by_one"),
        ("the sink counts as one of the keys", "valid_lens.long() + 1", "valid_lens",
         "test_head_measures.py::test_a_sink_with_masks_lengths_and_a_bias"),
        ("a table of a model has no column for the sink", '[-1:] == (shape[-1] + 1,)', "is not None",
         "test_head_measures.py::test_a_sink_in_the_place_of_a_models_attention"),
    ],
    "attention/relative": [
        ("queries are the first of the keys", "num_keys - num_queries, num_keys, device", "0, num_queries, device",
         "test_positions.py::test_relative_positions_by_hand"),
        ("T5: the present counts as the future", "(distance > 0) * buckets", "(distance >= 0) * buckets",
         "test_positions.py::test_t5_buckets_by_hand"),
        ("DeBERTa: distances change sign", "self._row(ahead).T", "self._row(-ahead).T",
         "test_positions.py::test_deberta_against_loops"),
        ("ALiBi: the first head has no slope", "-8.0 * torch.arange(1, num_heads + 1",
         "-8.0 * torch.arange(0, num_heads", "test_positions.py::test_alibi_slopes_are_the_papers"),
    ],
    "attention/cache": [
        ("what others hold is written over", "self.last is not stored", "self.last is None",
         "test_cache.py::test_what_was_handed_out_is_never_written_over"),
        ("new keys before the old ones", "torch.cat([self.key, key], dim=2)", "torch.cat([key, self.key], dim=2)",
         "test_cache.py::test_what_is_stored"),
        ("what is stored is rounded", "self.buffer = buffer = new.new_empty(shape, dtype=dtype)",
         "self.buffer = buffer = new.new_empty(shape)", "test_cache.py::test_keys_are_not_rounded_by_autocast"),
        ("a buffer of another dtype is written into", "or buffer.dtype != dtype", "",
         "test_cache.py::test_keys_are_not_rounded_by_autocast"),
        ("beam search reorders keys only", "self.key[order], self.value[order]", "self.key[order], self.value",
         "test_cache.py::test_reorder_continues_the_chosen_sequences"),
    ],
    "transformer/stepping": [
        ("a refused mask stays in the cache", "part.key, part.value = key, value", "pass",
         "test_bad_input.py::test_a_refused_mask_leaves_the_cache_of_a_layer_empty"),
        ("an interrupted step stays in the cache", "except BaseException:", "except Exception:",
         "test_failing_steps.py::test_a_step_that_fails_can_be_repeated"),
    ],
    "transformer/blocks": [
        ("the sublayer takes the stream as it is", "return self.norm(x) if self.norm_first else x", "return x",
         "test_blocks.py::test_residual_by_hand"),
        ("no residual", "x = x + h", "x = h", "test_blocks.py::test_residual_by_hand"),
        ("the sum of pre-LN is normalised", "return x if self.norm_first else self.norm(x)", "return self.norm(x)",
         "test_blocks.py::test_residual_by_hand"),
        ("the memory's mask is lost", "memory_lens, memory_mask, x.device", "memory_lens, None, x.device",
         "test_blocks.py::test_decoder_layer_by_its_parts"),
        ("a memory beside a cache that holds one is passed over",
         "num_keys = _memory_length(x, memory, cache) own",
         "num_keys = memory.shape[1] if cache is None else cache.across.length\n"
         "        memory = memory if cache is None else None\n        own",
         "test_bad_input.py::test_a_refused_step_leaves_the_cache_as_it_was"),
        ("a norm that was handed in is passed over", "nn.LayerNorm(d_model) if norm is None else cast(nn.Module, norm)",
         "nn.LayerNorm(d_model)", "test_blocks.py::test_a_residual_takes_a_norm"),
    ],
    "transformer/feed_forward": [
        ("the activation comes first", "self.activation(self.W_1(x))", "self.W_1(self.activation(x))",
         "test_blocks.py::test_feed_forward_treats_every_position_alone"),
        ("the gate is not bent", "self.activation(self.W_g(x)) * self.W_1(x)", "self.W_g(x) * self.W_1(x)",
         "test_blocks.py::test_a_gate_multiplies_each_hidden_unit"),
        ("the hidden layer is overwritten", '"relu": F.relu', '"relu": F.relu_',
         "test_blocks.py::test_what_a_hook_has_kept_of_the_hidden_layer_is_not_overwritten"),
    ],
    "interop/decoders": [
        ("halves stay halves", "halves.transpose(1, 2).flatten(0, 2)", "halves.flatten(0, 2)",
         "test_interop_decoders.py::test_outputs_are_theirs"),
        ("Gemma's norm is its weight", '1.0 if decoder.config.model_type == "gemma"', '0.0 if decoder',
         "test_interop_decoders.py::test_outputs_are_theirs"),
        ("the window's layers are the others", 'if kind == "full_attention"', 'if kind == "sliding_attention"',
         "test_interop_decoders.py::test_outputs_are_theirs"),
        ("padding learns", "ours.embedding.padding_idx = decoder.model.embed_tokens.padding_idx", "pass",
         "test_interop_decoders.py::test_gradients_are_theirs"),
    ],
    "transformer/language_model": [
        ("every written token is at position 0", "self.positions(x, start)", "self.positions(x)",
         "test_language_model.py::test_one_pass_is_one_pass_a_token_however_they_are_cut"),
        ("all layers have the window", "causal if number in config.global_layers else windowed", "windowed",
         "test_language_model.py::test_by_its_parts"),
        ("padding in front is seen", "causal, windowed = both_masks(causal, allowed), both_masks(windowed, allowed)",
         "pass",
         "test_language_model.py::test_padding_in_front_is_hidden_by_a_mask_also_from_a_cache"),
        ("the sum of the blocks is scored", "self.head(self.norm(x))", "self.head(x)",
         "test_language_model.py::test_by_its_parts"),
    ],
    "language/ngrams": [
        ("what follows the end is counted", "_counts(seen[:-1], asked[:-1]", "_counts(seen, asked[:-1]",
         "test_language_models.py::test_an_ngrams_loss_by_loops"),
        ("a run that was never seen is the next one", "* (kinds[where] == runs[1])", "",
         "test_language_models.py::test_an_ngrams_loss_by_loops"),
    ],
    "language/text_model": [
        ("the text of training is predicted from itself", "tokens[:, 1:].flatten()", "tokens[:, :-1].flatten()",
         "test_language_models.py::test_the_loss_of_the_next_token"),
        ("the last token of a piece is not predicted", "start : start + length + 1]", "start : start + length]",
         "test_language_models.py::test_a_held_out_text_is_read_in_pieces_and_every_token_is_predicted_once"),
        ("dropout while measuring", "with evaluating(model):", "if True:",
         "test_language_models.py::test_a_held_out_text_is_read_in_pieces_and_every_token_is_predicted_once"),
    ],
    "language/fitting": [
        ("all epochs are the first", "manual_seed(seed * 1_000_003 + epoch)", "manual_seed(seed)",
         "test_language_models.py::test_pieces_are_parts_of_the_text_and_the_same_for_the_same_epoch"),
        ("the last weights are kept", "stopping.restore()", "pass",
         "test_language_models.py::test_the_weights_of_the_lowest_loss_are_kept"),
    ],
    "language/writing": [
        ("what is full begins with everything", "text[:, -max(1, most // 2) :]", "text[:, -most:]",
         "test_language_writing.py::test_the_likeliest_tokens_are_those_without_a_cache"),
        ("the first position's score", "[:, -1]  # (B, V)", "[:, 0]",
         "test_language_writing.py::test_the_likeliest_tokens_are_those_without_a_cache"),
    ],
    "transformer/stack": [
        ("a table of integers is lengths", "valid_lens.dim() != 1", "valid_lens.dim() > 2",
         "test_bad_input.py::test_another_librarys_second_argument_is_not_taken_for_lengths"),
    ],
    "transformer/bert": [
        ("BERT without segments", "self.position(places) + self.segment(segments.long())",
         "self.position(places)", "test_models.py::test_bert_embeddings_are_a_normalised_sum"),
    ],
    "transformer/models": [
        ("every decoded word is at position 0", "self.positions(embedded, start)",
         "self.positions(embedded)",
         "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
        ("the encoder sees padding", "self.encoder(source, mask=mask)",
         "self.encoder(source)", "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
        ("the decoder sees padding", "self.decoder(target, memory, memory_mask=mask)",
         "self.decoder(target, memory)", "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
        ("no causal mask", "mask = causal_mask(length, start + length, device=target.device)", "mask = None",
         "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
        ("no causal mask in evaluation", "mask = causal_mask(length, start + length, device=target.device)",
         "mask = causal_mask(length, start + length) if self.training else None",
         "test_models.py::test_one_parallel_pass_is_one_pass_a_word"),
        ("pre-LN without its last norm", "nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()",
         "nn.Identity()", "test_models.py::test_a_pre_ln_stack_ends_with_a_norm_and_a_post_ln_stack_has_had_its_own"),
    ],
    "training/loop": [
        ("gradients pile up over steps", "optimizer.zero_grad()", "pass", "test_loop.py::test_it_learns"),
        ("what a repeated evaluation draws counts", "set_random_state(drawn)", "pass",
         "test_checkpoints.py::test_an_evaluation_that_draws_changes_no_losses_of_a_resumed_training"),
        ("the end is not told", "Progress(len(losses), before, now, last=now >= run.length)",
         "Progress(len(losses), before, now)", "test_loop.py::test_the_progress_says_where_it_ends"),
    ],
    "training/run": [
        ("seen batches come again", "next(stream)  # these batches have been seen", "pass",
         "test_checkpoints.py::test_resumed_losses_are_the_uninterrupted_ones"),
        ("random numbers begin anew", "set_random_state(state[\"random\"][self.fabric.global_rank])", "pass",
         "test_checkpoints.py::test_resumed_losses_are_the_uninterrupted_ones"),
        ("another configuration is taken", "check_same_config(path, stored, own)", "pass",
         "test_checkpoints.py::test_other_weights_are_refused_though_the_configuration_is_the_same"),
        ("the time of the first part is forgotten", "self.began = self.clock() - state[\"elapsed\"]", "pass",
         "test_fitting.py::test_a_resumed_training_keeps_the_time_that_it_has_spent"),
    ],
    "translation/losses": [
        ("a NaN at padding comes back", "logits.where(real[..., None], 0.0)", "logits",
         "test_losses.py::test_padding_may_hold_anything"),
        ("padding is counted", "real.sum().clamp(min=1)", "real.numel()", "test_losses.py::test_by_hand"),
    ],
    "translation/early_stopping": [
        ("the last steps are not evaluated", "progress.passed(self.every) or progress.last",
         "progress.passed(self.every)", "test_fitting.py::test_the_last_evaluation_is_at_the_end"),
    ],
    "training/schedules": [
        ("the paper's schedule never falls", "min(s**-0.5, s * warmup**-1.5)", "s * warmup**-1.5",
         "test_schedules.py::test_after_its_peak_the_papers_rate_falls_with_the_root_of_the_step"),
        ("by the clock there is no warm-up", "return done / warmup", "return 1.0",
         "test_schedules.py::test_by_the_clock_the_schedule_has_the_same_shape"),
    ],
    "training/checkpoint": [
        ("the optimizer begins anew", "optimizer.load_state_dict(state[\"optimizer\"])", "pass",
         "test_checkpoints.py::test_resumed_losses_are_the_uninterrupted_ones"),
        ("the schedule begins anew", "schedule.load_state_dict(state[\"schedule\"])", "pass",
         "test_checkpoints.py::test_resumed_losses_are_the_uninterrupted_ones"),
        ("a file may hold code", 'map_location="cpu", weights_only=True', 'map_location="cpu", weights_only=False',
         "test_checkpoints.py::test_nothing_in_a_checkpoint_is_executed"),
        ("half-loaded", "before = random_state()",
         "before = random_state()\n    model.load_state_dict(state[\"model\"])",
         "test_bad_input.py::test_a_checkpoint_is_resumed_whole_or_not_at_all"),
    ],
    "interop/pytorch": [
        ("queries, keys and values change places", "ours.W_qkv.weight.copy_(layer.in_proj_weight)",
         "ours.W_qkv.weight.copy_(layer.in_proj_weight.roll(1, 0))",
         "test_interop_weights.py::test_multi_head_attention_is_pytorchs"),
        ("two norms change places", "copy_into(ours.around_cross_attention.norm, layer.norm2)",
         "copy_into(ours.around_cross_attention.norm, layer.norm3)",
         "test_interop_weights.py::test_decoder_layer_is_pytorchs"),
    ],
    "interop/copying": [
        ("the norms' epsilon is lost", "target.eps = source.eps", "pass",
         "test_interop_weights.py::test_the_norms_epsilon_is_taken_over"),
    ],
    "checks/integers": [
        ("the last entry of a vocabulary is beyond it", "one_outside(ids, vocab_size - 1)",
         "one_outside(ids, vocab_size - 2)",
         "test_checks.py::test_right_arguments_pass"),
    ],
    "checks/masking": [
        ("all keys are one too many", "one_outside(valid_lens, num_keys)",
         "one_outside(valid_lens, num_keys - 1)",
         "test_checks.py::test_right_arguments_pass"),
    ],
    "checks/numbers": [
        ("annotations that are texts are passed over", "get_type_hints(type(config)).items()",
         "type(config).__annotations__.items()",
         "test_checks.py::test_fields_of_a_configuration_whose_annotations_are_texts"),
    ],
    "checks/tensors": [
        ("autocast is not asked", "a.dtype != b.dtype and not torch.is_autocast_enabled(a.device.type)",
         "a.dtype != b.dtype", "test_checks.py::test_autocast_converts_dtypes_so_they_may_differ"),
    ],
    "checks/values": [
        ("what has no numbers is read", 'tensor.device.type == "cpu" and has_values(tensor)', "True",
         "test_checks.py::test_values_that_cannot_be_read_are_not_read"),
    ],
    "text/vocabulary": [
        ("rare words are known", "counts[t] >= min_count", "counts[t] >= 1",
         "test_vocabulary.py::test_rare_words_and_words_beyond_the_size_are_unknown"),
        ("the special tokens need no room", "max_size -= len(SPECIALS)", "pass",
         "test_vocabulary.py::test_rare_words_and_words_beyond_the_size_are_unknown"),
        ("the rarest word comes first", "(-counts[t], t)", "(counts[t], t)",
         "test_vocabulary.py::test_the_most_frequent_word_comes_first_and_the_alphabet_decides_ties"),
        ("the end does not end a sentence", "for index in places[:end] if", "for index in places if",
         "test_vocabulary.py::test_decoding_stops_at_the_end_and_leaves_out_padding"),
    ],
    "text/subwords": [
        ("“<eos>” in a text is an end", "tokenizer.encode_special_tokens = True", "pass",
         "test_vocabulary.py::test_a_special_token_in_a_text_is_only_text"),
    ],
    "data/batches": [
        ("the decoder is told what it should write", "[[BOS, *pair.target] for", "[[*pair.target, EOS] for",
         "test_batches.py::test_a_batch_by_hand"),
        ("one side of a pair may be too long", "max(len(source_ids), len(target_ids)) <= max_len",
         "min(len(source_ids), len(target_ids)) <= max_len",
         "test_batches.py::test_a_long_pair_is_left_out_and_not_cut"),
        ("every epoch is the first", "default_rng((seed, epoch))", "default_rng((seed, 0))",
         "test_batches.py::test_the_same_seed_and_epoch_give_the_same_batches"),
        ("short batches come first", "rng.permutation(range(0, len(order), batch_size))",
         "range(0, len(order), batch_size)", "test_batches.py::test_an_epoch_is_in_no_order_of_length"),
    ],
    "data/splits": [
        ("two spellings are two sentences", "groups.setdefault(normalise(pair[0]), [])",
         "groups.setdefault(pair[0], [])", "test_splits.py::test_all_translations_of_a_sentence_stay_together"),
    ],
    "weights/format": [
        ("the largest weight is 128 steps", "amax(-1) / 127", "amax(-1) / 128",
         "test_weights.py::test_eight_bits_are_fine_enough_and_are_found_again"),
        ("a single row is rounded", "weight.dim() != 2 or len(weight) == 1", "weight.dim() != 2",
         "test_weights.py::test_eight_bits_are_fine_enough_and_are_found_again"),
        ("negative weights are lost", "clamp(-127, 127)", "clamp(0, 127)",
         "test_weights.py::test_eight_bits_are_fine_enough_and_are_found_again"),
        ("blocks have the scale of their row", "weight.view(rows, -1, block or columns)",
         "weight.view(rows, -1, columns)", "test_weights.py::test_blocks_of_a_row_have_steps_of_their_own"),
        ("scales are read in another order", "scales.reshape(-1, count, 1)", "scales.mT.reshape(-1, count, 1)",
         "test_weights.py::test_blocks_of_a_row_have_steps_of_their_own"),
    ],
    "exercises/case": [
        ("a result may be broadcast", "unusual(got) or got.shape != expected.shape", "unusual(got)",
         "test_exercise_cases.py"),
        ("nearly right is right", "rtol, atol = TOLERANCE.get(got.dtype, (1e-5, 1e-7))", "rtol, atol = 0.1, 0.1",
         "test_exercise_cases.py"),
    ],
    "exercises/recognise": [
        ("what is right tells of a mistake", "told or 2 * same > raised", "True", "test_exercise_cases.py"),
        ("the first probe is enough", "not alike(case.got, result) or", "not told and not alike(case.got, result) or",
         "test_exercise_cases.py"),
    ],
    "exercises/guard": [
        ("what the reader changed stays", "for name in changed:", "for name in []:", "test_exercise_cases.py"),
        ("the reader's dtype stays", "torch.set_default_dtype(dtype)", "pass", "test_exercise_cases.py"),
    ],
    "exercises/devices": [
        ("whatever is called index… takes indices from the CPU",
         'func.overloadpacket.__name__.rstrip("_") not in INDEXING',
         'not func.overloadpacket.__name__.startswith(tuple(INDEXING))',
         "test_exercise_checker.py::test_work_that_an_accelerator_refuses_is_refused"),
    ],
}
# room → the least number of mutants that it has
LEAST = {
    "attention": 100, "transformer": 20, "pairs": 10, "training": 10, "language": 8, "checks": 5, "data": 5,
    "interop": 5, "standin": 5, "text": 5, "weights": 5, "widgets": 5, "translation": 3, "studies": 1,
    "exercises": 5,  # of the engine; tests/exercises/answers are mutants of every solution
    "classroom": 0, "command": 0, "confined": 0, "grading": 0,  # processes and pages, which this runner has none of
    "drawings": 0, "page": 0, "workbench": 0,  # pictures, and what needs a browser
}
# fmt: on
MUTANTS = [Mutant(what, module, *change) for module, rows in TABLE.items() for what, *change in rows]


@functools.cache
def source(module: str) -> str:
    return (PACKAGE / f"{module}.py").read_text("utf-8")


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory) -> dict:
    """What pytest said of each mutant, and, under None, of the package as it is."""
    folder = tmp_path_factory.mktemp("mutants")
    shutil.copytree(PACKAGE, folder / "attnbook", ignore=shutil.ignore_patterns("__pycache__"))
    # by its text's hash, since a changed file may be as long as it was, within the same second
    hashed = py_compile.PycInvalidationMode.CHECKED_HASH
    assert compileall.compile_dir(folder / "attnbook", quiet=1, invalidation_mode=hashed)
    jobs = [
        {
            "file": "attention/masks.py",
            "text": source("attention/masks"),
            "tests": sorted({t for m in MUTANTS for t in m.tests}),
        }
    ]
    jobs += [{"file": f"{m.module}.py", "text": m.apply(source(m.module)), "tests": m.tests} for m in MUTANTS]
    plan = {"package_root": str(folder), "arguments": ARGUMENTS, "jobs": jobs}
    (folder / "jobs.json").write_text(json.dumps(plan), "utf-8")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "mutation.py"), str(folder / "jobs.json")],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "ATTNBOOK_DEVICE": "cpu", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
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


def test_there_are_mutants_of_every_room():
    counts = Counter(mutant.module.partition("/")[0] for mutant in MUTANTS)
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == LEAST.keys() >= counts.keys()
    assert {room: counts[room] for room, least in LEAST.items() if counts[room] < least} == {}
    assert len({mutant.what for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("old", ["no such text", "return"])
def test_a_mutant_that_no_longer_fits_says_so(old):
    with pytest.raises(ValueError, match=r"finds it \d+ times"):
        Mutant("stale", "attention/masks", old, "x").apply(source("attention/masks"))


def test_a_mutant_fits_however_the_code_is_wrapped():
    mutant = Mutant("x", "attention/masks", "f(a, b)", "g")
    assert mutant.apply("y = f(\n    a,\n    b,\n)") == "y = g"
