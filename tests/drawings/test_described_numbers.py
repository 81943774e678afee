"""Drawings from chapter 7 on compute their numbers; their descriptions have typed the same ones."""

import pytest

from attnbook import drawings

FIELDS = {"vocab_size": 32000, "num_key_value_heads": 8, "rms_norm_eps": "1e-05", "intermediate_size": 14336}
NUMBERS = {  # as described, as drawn
    "three_heads_share_the_width": {"0.84": ".84", "0.91": ".91"},
    "where_positions_act": {n: n for n in ("0.84", "0.54", "0.01", "1.00")},
    "every_number_of_a_tiny_transformer": {n: n for n in ("0.06", "0.87", "0.02", "0.98")},
    "numbers_normalised_together": {n: n for n in ("2.24", "4.58", "0.65", "1.53")} | {"-1.34": "−1.34"},
    "a_tail_and_five_filters": {"0.21": ".21", "0.34": ".34", "0.84": ".84", "0.13": ".13", "40 words": ">40"},
    "two_looks_back": {f"0.{n}": f".{n}" for n in (26, 15, 52, 12, 67)},
    "where_each_word_looked": {f"0.{n}": f".{n}" for n in ("58", "87", "81", "05", "74", "62", "02")},
    "four_claimed_links": {"0.375": "(2 + 3) / (4 + 4) = 0.375"},
    "a_gate_between_old_and_new": {n: f"z = {n}" for n in ("0.78", "0.25", "0.47")},
    "a_discount_is_lent": {n: n for n in ("0.333", "0.567", "0.100")} | {"1.2": "taken off, 1.2 in all"},
    "where_the_fields_act": {f"{name} {n}": f"{name}: {n}" for name, n in FIELDS.items()},
    "a_mean_and_a_cosine": {"(2, 2)": "mean: (2, 2)", "0.71: the cosine": "cosine 0.71"},
}


@pytest.mark.parametrize("name", NUMBERS)
def test_described_numbers_are_drawn(name):
    picture = getattr(drawings, name)()
    for described, drawn in NUMBERS[name].items():
        assert described in picture.alt, described
        for sheet in picture.sheets:
            assert drawn in sheet.svg(), drawn


def test_the_two_looks_are_at_a_black_cat():
    wide, narrow = drawings.two_looks_back().sheets
    for sheet in (wide, narrow):
        words = [f">{word}<" for word in ("a", "black", "cat", "un", "chat")]
        assert [word for word in words if word not in sheet.svg()] == []


def test_each_row_says_how_far_its_largest_weight_is_from_a_true_link():
    import torch

    weights = torch.tensor([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.6, 0.3, 0.1]])
    links = {(0, 0), (1, 1), (2, 2)}
    picture = drawings.weights_and_true_links(["a", "big", "cat"], ["un", "gros", "chat"], weights, links)
    for sheet in picture.sheets:
        svg = sheet.svg()
        assert svg.count("<circle") == len(links) and svg.count("<rect") == weights.numel()
        assert [svg.count(f">{said}<") for said in ("hit", "next to it", "2 away")] == [1, 1, 1]
    assert "un hit, gros next to it, chat 2 away" in picture.alt
    assert ">.70<" in picture.sheets[0].svg()


def test_the_links_that_cross_are_those_of_the_grammar():
    """The grammar's own links for Paul saw the dog that Marc sold, its Chinese words put together from characters."""
    from attnbook.data.grammar.chinese_sentences import in_chinese
    from attnbook.data.grammar.french_sentences import in_french
    from attnbook.data.grammar.lexicon import NOUNS, VERBS
    from attnbook.data.grammar.meanings import Act, Agreement, Clause, Meaning, Name, NounPhrase, Relative, Said
    from attnbook.drawings import alignments

    see, _, sell = VERBS["see"]
    (dog,) = (noun for noun in NOUNS if noun.english[0] == "dog")
    person = Agreement(2, False, "p")
    relative = Relative(4, Act(sell, 6, True, {}), Name(Said("marc", 5), person))
    seen = NounPhrase(dog, False, 3, Said("the", 2), False, None, None, (), False, relative)
    clause = Clause(Name(Said("paul", 0), person), Act(see, 1, True, {}, thing=seen))
    meaning = Meaning(((None, clause),), 7)
    french = [(word.text, *word.links) for word in in_french(meaning)[:-1]]
    assert french == [(text.lower(), *places) for text, *places in alignments.FRENCH]
    chinese = [(word.text, *word.links) for word in in_chinese(meaning)[:-1]]
    assert chinese == [(character, *places) for text, *places in alignments.CHINESE for character in text]


def test_heads_are_drawn_beside_their_average():
    import torch

    heads = torch.tensor([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]])
    errors = [0.25, 0.5, 0.125]
    picture = drawings.heads_and_their_average(heads, ["a", "cat"], ["un", "chat"], {(0, 0), (1, 1)}, errors)
    for sheet in picture.sheets:
        svg = sheet.svg()
        # two heads and their average, each with 4 cells and 2 frames
        assert svg.count("<rect") == 3 * (4 + 2)
        assert svg.count(drawings.shade(0.5)) == 3 * 2 + 2
        assert ">average of all: error 0.12<" in svg and ">1.2: 0.50<" in svg
    assert "from 0.25 to 0.50" in picture.alt


def test_each_length_has_a_panel_of_runs():
    rows = [("Shaw", [[100, 99.8], [61.4, 60, 65], []])]
    picture = drawings.right_at_lengths(["24", "48, second half", "192"], [("told", [24, 20, 16], rows)])
    for sheet in picture.sheets:
        svg = sheet.svg()
        counted = ">48: second half<" if sheet.narrow else ">second half<"
        assert [word for word in (">60–65<", ">Shaw<", counted, ">–<") if word not in svg] == []
        assert ">99–100<" not in svg and ">100–100<" not in svg  # no range where it would not show
        assert svg.count('r="3.5"') == 5  # the seeds
        assert svg.count("<rect") == 3 + 1  # the most frequent symbol, and what the ground means
    assert f'cx="{365 + 1.04 * 61.4:.1f}" cy="70" r="3.5"' in picture.sheets[0].svg()
    assert picture.alt.endswith("symbol: 24, 20, 16): Shaw: 100, 60–65, no result.")


def test_runs_that_have_not_learned_are_hatched():
    lost = float("inf")
    cells, others = [[400, 350, 400], [1150, 1150, 450]], [[60, 60], [lost, lost]]
    groups = [("post-LN:", [("none", cells), ("60", others)])]
    picture = drawings.steps_until_learned([0.001, 0.01], groups, 1000)
    for sheet in picture.sheets:
        svg = sheet.svg()
        assert ">400<" in svg and "350–400" in svg and svg.count(">not yet<") == 1
        assert svg.count(">again<" if sheet.narrow else ">lost again<") == 1
    assert picture.alt.endswith("0.001, 0.01. post-LN: none, 400 (350–400), not yet; 60, 60, lost again.")


def test_a_sentence_falls_apart_as_drawn():
    """The pairs of the chapter's sentence in the shuffle of its page, and in the book's split."""
    import torch

    from attnbook.data import bundled_pairs, split_pairs
    from attnbook.drawings.words import BETTER

    pairs = bundled_pairs()
    order = torch.randperm(len(pairs), generator=torch.manual_seed(0)).tolist()
    shuffled = [pairs[i].target for i in order[: len(pairs) // 10] if pairs[i].source == "She's better."]
    kept = [pair.target for pair in split_pairs(pairs, seed=0).test if pair.source == "She's better."]
    assert shuffled == [BETTER[1]] and sorted(kept) == sorted(BETTER)
    for sheet in drawings.a_sentence_on_one_side().sheets:
        assert (sheet.svg().count(">test<"), sheet.svg().count(">training<")) == (4, 2)
