"""What drawings say in numbers is what the chapters compute."""

import ast
from pathlib import Path

import pytest
import torch

from attnbook.attention import KeyValueCache, MultiHeadAttention, causal_mask
from attnbook.drawings import four_ways_to_share_keys, prefixes

CHAPTERS = Path(__file__).parents[2] / "chapters" / "text"


def test_the_translator_of_three_words_is_the_chapters():
    text = (CHAPTERS / "14-decoding.md").read_text("utf-8")
    start = text.index("TABLE = {") + len("TABLE = ")
    table = ast.literal_eval(text[start : text.index("```", start)].strip())
    assert {word: table[word] for word in prefixes.FOLLOWS} == prefixes.FOLLOWS


@pytest.mark.parametrize("groups", [8, 2, 1])
def test_a_cache_keeps_as_many_numbers_as_drawn(groups):
    layer, cache = MultiHeadAttention(128, 8, num_kv_heads=groups).eval(), KeyValueCache()
    with torch.no_grad():
        layer(torch.randn(1, 5, 128), mask=causal_mask(5), cache=cache)
    kept = (cache.key.numel() + cache.value.numel()) // 5
    for sheet in four_ways_to_share_keys().sheets:
        assert f">{kept} numbers<" in sheet.svg()
