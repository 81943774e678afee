"""One line that is no pair is left out, also of a file of two; a file of none is refused."""

import pytest

from attnbook.data import read_pairs


@pytest.mark.parametrize(
    ("text", "pairs", "why"),
    [
        ("Hi.\t你好。\tby me\nGo. 走。\tby me\n", [("Hi.", "你好。")], "with other columns, first line 2"),
        ("1\t2\r\nHi.\t你好。\r\nGo.\t走。\r\n", [("Hi.", "你好。"), ("Go.", "走。")], "a letter, first line 1"),
    ],
)
def test_one_line_may_always_be_left_out(tmp_path, text, pairs, why):
    (tmp_path / "few.txt").write_bytes(text.encode())
    said = []
    assert read_pairs(tmp_path / "few.txt", report=said.append) == pairs
    assert f"{len(pairs)} pair" in said[0] and "1 line left out (1 " in said[0] and why in said[0]


@pytest.mark.parametrize("text", ["1\t2\n", "Hi.\t你好。\nGo.\t2\nGo.\t3\n"])
def test_two_lines_of_few_or_all_lines_are_too_many(tmp_path, text):
    (tmp_path / "few.txt").write_bytes(text.encode())
    with pytest.raises(ValueError, match="lines are no pair"):
        read_pairs(tmp_path / "few.txt")
