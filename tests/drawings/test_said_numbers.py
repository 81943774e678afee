"""A drawing computes its numbers, but its description has them typed: both say the same."""

import pytest
import torch
import torch.nn.functional as F

from attnbook import drawings

NUMBERS = {
    "one_key_or_a_blend": ("0.44", "0.36", "0.09", "0.11", "8.46 °C", "20 °C"),
    "a_longer_query_insists": ("0.25", "11.50 °C", "0.44", "8.46 °C", "0.73", "0.27", "5.62 °C"),
    "each_point_by_its_weight": ("2.7",),
    "three_widths": ("0.68", "0.32", "0.50"),
    "three_favourites": ("0.43", "0.64", "0.41"),
    "nearness_lifted": ("0.5", "−1.5"),
    "every_query_meets_every_key": ("15", "60"),
    "three_vectors_of_a_word": ("6", "0.87", "0.04"),
    "where_greedy_loses": ("0.6", "0.4", "0.35", "0.33", "0.32", "0.9", "0.21", "0.36"),
    "a_beam_keeps_two": ("0.6", "0.4", "0.21", "0.36", "0.198", "0.192", "0.04"),
    "a_search_reads_four": ("0.6", "0.4", "0.36", "0.21", "0.198", "0.192", "0.04"),
    "two_rounds_of_drafts": ("0.7", "0.6", "0.5", "0.4", "0.2", "0.8", "0.9", "100 %", "80 %", "33 %", "60 %"),
    "three_places_back": ("−3", "5", "17"),
    "one_distance_or_many": ("−3", "+21", "−15", "17", "23"),
    "rejected_words_fill_the_gaps": ("0.1", "0.2", "0.7", "0.5", "0.3", "0.4"),
    "a_table_never_stored": ("16,777,216",),
    "waiting_for_bytes": ("28", "32", "124", "16", "128", "242", "295"),
    "fast_and_slow_memory": ("136 MB", "35 MB", "1.6", "33.6", "0.5", "32 tiles"),
    "four_ways_to_share_keys": ("256", "64", "32", "64 + 8"),
    "three_ways_to_share_keys": ("256", "64", "32"),
    "a_list_or_a_matrix": ("7", "14", "3", "4"),
    "near_or_large": ("0.35", "0.57", "0.08", "0.04", "0.11", "0.84", "0.14", "0.29", "1.81", "3.65"),
    "one_triangle_in_three_ways": ("28", "13", "7", "3"),
    "interference_in_a_sum": ("10", "20", "50", "40", "60", "72", "0.6", "0.8"),
    "overlapping_keys": ("40", "60", "72", "26.8", "42.4", "50"),
    "two_stories_for_one_output": ("0.5",),
    "three_exponentials_shifted": ("−104", "88.7", "−100", "50"),
    "what_certainty_costs": ("0.997", "0.001", "0.003", "0.173", "0.521", "0.925", "0.025", "0.072", "0.092", "0.349"),
    "what_bleu_counts": ("5 of 7", "3 of 6", "2 of 5", "1 of 4"),
    "each_text_finds_its_partner": (
        *("1.0", "0.8", "0.6", "−0.6", "0.55", "0.37", "0.07", "0.36", "0.11", "0.53", "0.12", "0.03", "0.85"),
        *("0.59", "2.23", "0.16", "0.99"),
    ),
    "two_words_in_turn_or_at_once": ("½", "¼"),
    "why_filling_is_not_writing": ("½", "¼"),
    "an_empty_row_spoils_the_matrix": (".27", ".73", "NaN"),
    "a_nan_meets_the_mask": ("−∞", "NaN"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_described_is_drawn(name):
    picture = getattr(drawings, name)()
    for number in NUMBERS[name]:
        assert number in picture.alt, number
        for sheet in picture.sheets:
            assert number in sheet.svg(), number


def test_the_curve_is_where_its_description_says():
    from attnbook.attention import nadaraya_watson
    from attnbook.data import kernel_regression_data

    data = kernel_regression_data()
    curve, _ = nadaraya_watson(torch.linspace(0, 5, 251), data.x_train, data.y_train, width=0.25)
    said = drawings.each_point_by_its_weight().alt
    assert f"rises to {curve.max():.1f} near x = 2" in said
    assert f"falls to {curve[-1]:.1f} at the end" in said


def test_a_masked_word_sees_no_word_after_it():
    alt = drawings.who_asks_whom().alt
    wide, _ = drawings.who_asks_whom().sheets
    # lines: 25 of self-attention, 15 of the triangle, 15 of three French words
    assert wide.svg().count("<path") == 25 + 15 + 15
    assert "like sees time, flies and like" in alt


def test_the_loss_of_the_partners_is_the_exercises_and_begins_with_its_numbers():
    from attnbook.drawings import objectives
    from attnbook.exercises.bank import contrastive_loss

    loss = contrastive_loss.my_contrastive_loss(objectives.ASKING, objectives.ANSWERING, objectives.SCALE)
    assert f">mean: {loss:.2f}<" in objectives.each_text_finds_its_partner().sheets[0].svg()
    first, second, scale = contrastive_loss.example()
    for drawn, asked in ((objectives.ASKING, first), (objectives.ANSWERING, second)):
        torch.testing.assert_close(drawn[:2].double(), F.normalize(asked))
    asked = contrastive_loss.my_contrastive_loss(first, second, scale)
    assert f"{asked:.2f}" != f"{loss:.2f}"  # two batches, told apart by their numbers
