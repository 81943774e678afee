"""The chapters' drawings: each idea as a picture that a page can show before anything has been explained.

A drawing is a function that draws on a `Sheet`, wide or narrow, and returns a `Picture` that shows the one that fits.
Its numbers are computed by the package, from what the chapter's text says.
"""

from attnbook.drawings.alignments import (
    four_claimed_links,
    heads_and_their_average,
    links_that_cross,
    weights_and_true_links,
    where_each_word_looked,
)
from attnbook.drawings.blocks import (
    a_decoder_layer_and_the_memory,
    a_norm_on_the_stream_or_beside_it,
    a_stream_for_each_word,
    numbers_normalised_together,
)
from attnbook.drawings.linear_attention import one_triangle_in_three_ways, what_three_tasks_ask
from attnbook.drawings.lookup import a_longer_query_insists, one_key_or_a_blend
from attnbook.drawings.masks import (
    a_nan_meets_the_mask,
    an_empty_row_spoils_the_matrix,
    three_exponentials_shifted,
    two_masks_at_once,
)
from attnbook.drawings.matrices import a_list_or_a_matrix, interference_in_a_sum, near_or_large, overlapping_keys
from attnbook.drawings.memory import (
    a_table_never_stored,
    fast_and_slow_memory,
    four_ways_to_share_keys,
    three_ways_to_share_keys,
    waiting_for_bytes,
)
from attnbook.drawings.multi_head import cut_and_swap_or_reshape, three_heads_share_the_width
from attnbook.drawings.next_tokens import (
    a_block_then_and_now,
    a_discount_is_lent,
    one_text_four_questions,
    what_is_left,
    where_the_fields_act,
)
from attnbook.drawings.objectives import (
    each_text_finds_its_partner,
    fill_the_gap_or_go_on,
    what_certainty_costs,
    why_filling_is_not_writing,
)
from attnbook.drawings.positions import (
    by_content_or_by_position,
    eight_hands,
    one_distance_or_many,
    outputs_move_with_their_words,
    three_places_back,
    two_hands_come_back,
    where_positions_act,
)
from attnbook.drawings.prefixes import a_beam_keeps_two, a_search_reads_four, where_greedy_loses
from attnbook.drawings.readings import (
    a_false_note,
    the_nearest_or_the_right_noun,
    two_heads_that_copy,
    two_stories_for_one_output,
)
from attnbook.drawings.recurrent import (
    a_gate_between_old_and_new,
    a_sentence_through_one_vector,
    the_teachers_word_or_its_own,
    two_looks_back,
)
from attnbook.drawings.regression import each_point_by_its_weight, from_one_width_to_a_matrix, three_widths, twenty_fits
from attnbook.drawings.runs import right_at_lengths, steps_until_learned
from attnbook.drawings.scores import every_query_meets_every_key, nearness_lifted, three_favourites
from attnbook.drawings.sentences import three_vectors_of_a_word, who_asks_whom
from attnbook.drawings.sheet import NARROW, WIDE, Picture, Sheet, drawing, shade, tint
from attnbook.drawings.spans import (
    first_push_of_two_losses,
    four_cells_that_contradict,
    room_for_nested_names,
    two_readings_of_a_table,
    who_works_for_the_museum,
)
from attnbook.drawings.stacks import from_a_text_to_its_vector, two_stacks_and_a_memory, where_the_parameters_are
from attnbook.drawings.transformers import (
    every_number_of_a_tiny_transformer,
    rows_at_once_or_in_turn,
    three_kinds_of_models,
    two_words_in_turn_or_at_once,
)
from attnbook.drawings.vectors import a_mean_and_a_cosine
from attnbook.drawings.words import a_sentence_on_one_side, budget_of_a_row, what_bleu_counts
from attnbook.drawings.writing import (
    a_tail_and_five_filters,
    four_steps_or_one,
    rejected_words_fill_the_gaps,
    two_guards_of_the_answer,
    two_rounds_of_drafts,
    what_a_cache_saves,
)

__all__ = [
    "a_beam_keeps_two", "a_block_then_and_now", "a_decoder_layer_and_the_memory", "a_discount_is_lent",
    "a_false_note", "a_gate_between_old_and_new", "a_list_or_a_matrix", "a_longer_query_insists",
    "a_mean_and_a_cosine", "a_nan_meets_the_mask", "a_norm_on_the_stream_or_beside_it",
    "a_search_reads_four",
    "a_sentence_on_one_side", "a_sentence_through_one_vector", "a_stream_for_each_word", "a_table_never_stored",
    "a_tail_and_five_filters", "an_empty_row_spoils_the_matrix", "budget_of_a_row",
    "by_content_or_by_position", "cut_and_swap_or_reshape",
    "drawing", "each_point_by_its_weight", "each_text_finds_its_partner", "eight_hands",
    "every_number_of_a_tiny_transformer", "every_query_meets_every_key",
    "fast_and_slow_memory", "fill_the_gap_or_go_on", "first_push_of_two_losses",
    "four_cells_that_contradict",
    "four_claimed_links", "four_steps_or_one", "four_ways_to_share_keys", "from_a_text_to_its_vector",
    "from_one_width_to_a_matrix",
    "heads_and_their_average", "interference_in_a_sum", "links_that_cross", "NARROW", "near_or_large",
    "nearness_lifted", "numbers_normalised_together", "one_distance_or_many", "one_key_or_a_blend",
    "one_text_four_questions", "one_triangle_in_three_ways", "outputs_move_with_their_words", "overlapping_keys",
    "Picture",
    "rejected_words_fill_the_gaps", "right_at_lengths", "room_for_nested_names",
    "rows_at_once_or_in_turn",
    "shade", "Sheet", "steps_until_learned", "the_nearest_or_the_right_noun",
    "the_teachers_word_or_its_own", "three_exponentials_shifted",
    "three_favourites", "three_heads_share_the_width", "three_kinds_of_models", "three_places_back",
    "three_vectors_of_a_word",
    "three_ways_to_share_keys", "three_widths", "tint", "twenty_fits", "two_guards_of_the_answer",
    "two_hands_come_back", "two_heads_that_copy", "two_looks_back", "two_masks_at_once", "two_readings_of_a_table",
    "two_rounds_of_drafts", "two_stacks_and_a_memory", "two_stories_for_one_output",
    "two_words_in_turn_or_at_once", "waiting_for_bytes", "weights_and_true_links", "what_a_cache_saves",
    "what_bleu_counts", "what_certainty_costs", "what_is_left", "what_three_tasks_ask", "where_each_word_looked",
    "where_greedy_loses", "where_positions_act", "where_the_fields_act",
    "where_the_parameters_are", "who_asks_whom",
    "who_works_for_the_museum", "why_filling_is_not_writing", "WIDE",
]  # fmt: skip
