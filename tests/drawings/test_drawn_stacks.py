"""The drawings of the whole model say the sizes and shares that they are given."""

from itertools import pairwise

import pytest

from attnbook import drawings
from attnbook.transformer import PAPER_BASE


def test_the_models_sizes_are_written_into_the_picture():
    wide, narrow = drawings.two_stacks_and_a_memory().sheets
    assert PAPER_BASE.num_encoder_layers == PAPER_BASE.num_decoder_layers
    for sheet in (wide, narrow):
        svg = sheet.svg()
        assert svg.count(f">{PAPER_BASE.num_encoder_layers} ×<") == 2
        assert f"memory  (B, S, {PAPER_BASE.d_model})" in svg
    assert f"linear head, {PAPER_BASE.d_model} → V" in wide.svg()


def test_the_decoder_has_one_attention_more_and_each_sublayer_its_norm():
    wide, narrow = drawings.two_stacks_and_a_memory().sheets
    for text, count in (
        ("self-attention", 1),
        ("masked self-attention", 1),
        ("cross-attention", 1),
        ("feed-forward", 2),
        ("add, layer norm", 5),
        ("embedding + position", 2),
    ):
        assert wide.svg().count(f">{text}<") == count, text
    for sheet in (wide, narrow):
        assert all(f">{word}<" in sheet.svg() for word in ("queries", "keys", "values"))


def test_the_pretrained_encoder_is_drawn_with_its_sizes():
    from attnbook.drawings import stacks
    from attnbook.interop import load_minilm

    minilm = load_minilm()
    model, picture = minilm.model, drawings.from_a_text_to_its_vector()
    assert model.config == stacks.MINILM
    assert list(stacks.PIECES) == minilm.pieces("Time flies.")
    for part in (model.embeddings, model.layers):
        million = f"{sum(values.numel() for values in part.parameters()) / 1e6:.2f} million parameters"
        assert million in picture.alt
        assert all(f">{million}<" in sheet.svg() for sheet in picture.sheets)
    assert len(minilm.vectors(["Time flies."])[0]) == 384 and "vector of 384 numbers" in picture.alt


def test_the_drawn_answers_of_two_heads_are_the_models():
    from attnbook.drawings import readings
    from attnbook.interop import load_minilm

    minilm = load_minilm()
    for words, layer, head, at, of_head in (
        (readings.OLD_DOG, 3, 9, 0, readings.OF_HEAD),  # from *the*
        (readings.SCHOOL, 6, 3, 5, readings.OF_VERB),  # from *slept*
    ):
        ids, _ = minilm.read([" ".join(words)])
        row = minilm.model(ids, need_weights=True)[1][layer - 1][0, head - 1, 1 + at]
        assert [f"{weight:.2f}" for weight in row] == [f"{weight:.2f}" for weight in of_head]
        picture = drawings.the_nearest_or_the_right_noun()
        said = zip(("CLS", *words, "SEP"), of_head, strict=True)
        assert all(f"{weight:.2f} to {word}" in picture.alt for word, weight in said)
        assert all(f">{weight:.2f}<" in sheet.svg() for sheet in picture.sheets for weight in of_head[1:-1])


def test_pieces_of_a_bar_are_as_long_as_their_shares():
    counts = {"embeddings": 20, "attention": 60, "feed-forward": 119, "norms": 1}
    picture = drawings.where_the_parameters_are({"one": counts})
    for sheet in picture.sheets:
        svg = sheet.svg()
        bars = [part.split('"') for part in svg.split("<rect")[1:]]
        lengths = [float(bar[bar.index(" width=") + 1]) for bar in bars]
        whole = sheet.width - 8
        shares = [100 * length / whole for length in lengths]
        assert shares == pytest.approx([10, 30, 59.5, 0.5], abs=0.05)
        starts = [float(bar[bar.index(" x=") + 1]) for bar in bars]
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        assert [b - a for a, b in pairwise(starts)] == pytest.approx(lengths[:-1], abs=0.2)
        assert ends[-1] == pytest.approx(sheet.width - 4, abs=0.2)
        assert [f">{n} %<" in svg for n in (10, 30, 60)] == [True] * 3
    assert "one, 0.0 million: 10 % embeddings, 30 % attention, 60 % feed" in picture.alt


def test_unknown_kinds_and_empty_models_are_refused():
    with pytest.raises(ValueError, match="tiny has parameters of kind heads; use emb"):
        drawings.where_the_parameters_are({"tiny": {"heads": 3}})
    with pytest.raises(ValueError, match="tiny has no parameters"):
        drawings.where_the_parameters_are({"tiny": {"attention": 0}})
