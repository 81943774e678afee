"""The widths that are compared: equal computation, one rule of tuning, and a stored file that belongs to both."""

import json

import pytest

from attnbook.studies import decoder_after
from tools.experiments import __main__ as runner
from tools.experiments import model_sizes

STORED = json.loads(runner.result_path("model_sizes").read_text("utf-8"))
ROWS = {(row["width"], row["budget"]): row for row in STORED["rows"]}


def test_width_64_is_todays_block_and_all_widths_have_the_same_form():
    assert model_sizes.sizes(64) == decoder_after()
    for width in model_sizes.WIDTHS:
        sizes = model_sizes.sizes(width)
        assert sizes["d_model"] == width == 16 * sizes["num_heads"]
        assert abs(sizes["d_ff"] / width - 8 / 3) < 0.03
        different = {name for name, size in sizes.items() if decoder_after()[name] != size}
        assert different <= {"d_model", "num_heads", "num_kv_heads", "d_ff"}


@pytest.mark.parametrize(("width", "budget"), ROWS)
def test_a_stored_row_is_what_the_settings_make_of_its_losses(width, budget, monkeypatch):
    def stored(width, budget, lr, seed, part):
        row = ROWS[width, budget]
        assert seed or part == "dev"  # the seed of the tuning never sees the test
        return row["tuning"][str(lr)] if part == "dev" else row["test"][seed - 1]

    monkeypatch.setattr(model_sizes, "measured", stored)
    row = model_sizes.run(width, budget, budgets=[90, 360, 1440], seeds=0 if budget == 1440 else 2)
    assert json.loads(json.dumps(row)) == ROWS[width, budget]
    assert row["operations"] == pytest.approx(6 * 156_160 * 4 * 128 * budget, rel=0.02)
