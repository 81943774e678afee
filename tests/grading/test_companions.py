"""What lies beside a submission is at its hand; what lies beside it in the class's folder is not."""

import os

from handed_in import WRONG, book, written

from attnbook import grading
from attnbook.grading.companions import copied


def test_modules_and_data_beside_the_notebook_are_found(judged):
    lines = [
        "import helper",
        "from parts.more import *",
        "import torch",
        "shift = int(open('data/shift.txt').read()) + helper.one + two",
        "def my_causal_mask(num_queries, num_keys):",
        "    import late",
        "    return late.before(num_keys, shift) <= late.before(num_keys, shift)[num_keys - num_queries:, None]",
    ]
    late = "import torch\ndef before(n, shift):\n    return torch.arange(n) + shift"
    files = {
        "week/a.ipynb": book("\n".join(lines), written("{CHECK}")),
        "week/helper.py": "one = 1",
        "week/parts/more.py": "two = 2",
        "week/data/shift.txt": "3",
        "week/late.py": late,
    }
    beside = ["week/helper.py", "week/parts/more.py", "week/late.py"]
    verdicts, problems = judged(files, beside=beside)
    assert verdicts["causal-mask"], verdicts["causal-mask"]
    assert problems == []


def test_modules_of_one_folder_are_not_those_of_the_next(judged):
    cells = ["from helper import SHIFT", *map(written, ("{HELPER}", "{NEEDY}", "{CHECK}"))]
    files = {
        "a/one.ipynb": book(*cells),
        "a/helper.py": "SHIFT = None",
        "b/two.ipynb": book(*cells),
        "b/helper.py": "SHIFT = 1",
    }
    verdicts, _ = judged(files, beside=["a/helper.py", "b/helper.py"])
    assert verdicts["causal-mask"], verdicts["causal-mask"]


def test_what_a_file_sets_in_torch_is_as_before_for_the_next(judged):
    one = "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.arange = None"
    two = written("{RIGHT}\nassert torch.get_default_dtype() == torch.float32\n{CHECK}")
    verdicts, _ = judged({"a.py": f"{one}\n{WRONG}", "b.py": two})
    assert verdicts["causal-mask"], verdicts["causal-mask"]


def test_only_files_are_copied_and_no_more_than_fit(tmp_path, monkeypatch):
    monkeypatch.setattr("attnbook.grading.companions.MOST_FILES", 3)
    monkeypatch.setattr("attnbook.grading.companions.MOST_BYTES", 100)
    folder, working = tmp_path / "ada", tmp_path / "working"
    (folder / "sub").mkdir(parents=True)
    working.mkdir()
    (tmp_path / "bob.py").write_text("secret")
    os.symlink(tmp_path / "bob.py", folder / "b-link.py")
    os.symlink(tmp_path, folder / "b-folder")
    os.mkfifo(folder / "b-pipe")
    (folder / "a.txt").write_text("a")
    (folder / "c.txt").write_text("c" * 100)
    (folder / ".git").mkdir()
    (folder / ".git" / "d.txt").write_text("d")
    for name in ("e", "f", "g"):
        (folder / "sub" / f"{name}.txt").write_text("e")
    said = copied([folder], working)
    found = sorted(str(path.relative_to(working)) for path in working.rglob("*") if path.is_file())
    assert found == ["a.txt", "sub/e.txt", "sub/f.txt"]
    assert "answers, ada/c.txt, ada/sub/g.txt could not be copied" in said


def test_two_folders_of_one_student_keep_apart(tmp_path):
    cells = ["from helper import SHIFT", *map(written, ("{HELPER}", "{NEEDY}", "{CHECK}"))]
    for name, shift in (("a", None), ("b", 1)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helper.py").write_text(f"SHIFT = {shift}")
        (folder / "one.ipynb").write_text(book(*cells), "utf-8")
    ada, bob = grading.submissions(tmp_path)
    both = grading.Result("ada", ada.files + bob.files, folders=[tmp_path / "a", tmp_path / "b"])
    (one,) = grading.grade([both], ["causal-mask"])
    assert one.solved == 1 and one.problems == []


def test_nobody_sees_the_files_of_the_class(tmp_path):
    """A whole grading: a student's folder is at hand, a classmate's file and other data are not."""
    cells = ["from helper import SHIFT", *map(written, ("{HELPER}", "{NEEDY}", "{CHECK}"))]
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "one.ipynb").write_text(book(*cells), "utf-8")
    (tmp_path / "ada" / "helper.py").write_text("SHIFT = 1")
    os.symlink(tmp_path, tmp_path / "ada" / "link")
    (tmp_path / "helper.py").write_text("SHIFT = 1")
    (tmp_path / "bob.ipynb").write_text(book(*cells), "utf-8")
    found = grading.grade(grading.submissions(tmp_path), ["causal-mask"])
    results = {one.student: one for one in found}
    assert results["ada"].solved == 1
    (problem,) = results["ada"].problems
    assert problem == "ada/link is a link, which is not followed; hand in the file itself"
    (verdict,) = results["bob"].verdicts.values()
    assert "helper was not handed in" in verdict.note
    assert results["helper"].problems == [
        "helper.py holds no answer: neither a function that an exercise asks for nor a check"
    ]


def test_a_helper_that_canvas_put_beside_the_notebook_is_imported(tmp_path):
    """A whole grading: module and data have the names again that their author gave them, and nobody else sees them."""
    read = "SHIFT = helper.ONE * int(open('shift.txt').read())"
    cells = [f"import helper\n{read}", *map(written, ("{HELPER}", "{NEEDY}", "{CHECK}"))]
    for number, name in enumerate(("ada", "bela")):
        file = f"{name}_{number}_1{number}_06-self-attention.ipynb"
        (tmp_path / file).write_text(book(*cells), "utf-8")
    (tmp_path / "ada_0_20_helper-1.py").write_text("ONE = 1")
    (tmp_path / "ada_0_21_shift.txt").write_text("1")
    found = grading.grade(grading.submissions(tmp_path), ["causal-mask"])
    ada, bela = sorted(found, key=lambda one: one.student)
    assert ada.solved == 1 and not ada.problems, ada
    (verdict,) = bela.verdicts.values()
    assert "helper was not handed in" in verdict.note


def test_a_loose_file_that_is_too_large_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("attnbook.grading.companions.MOST_BYTES", 10)
    working = tmp_path / "working"
    working.mkdir()
    (tmp_path / "ada_1_2_data.csv").write_text("c" * 100)
    said = copied([], working, {"data.csv": tmp_path / "ada_1_2_data.csv"})
    assert "ada_1_2_data.csv could not be copied" in said
