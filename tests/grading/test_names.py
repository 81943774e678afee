"""Whose work it is: names from Canvas and Moodle, second downloads, other encodings; and what is not read at all."""

import os
import socket
import sys
import unicodedata

import pytest

from attnbook import grading
from attnbook.exercises import get

RIGHT = f"import torch\n\n{get('causal-mask').source()}"


def hand_in(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RIGHT, "utf-8")
    return {(one.student, one.id): one for one in grading.submissions(folder)}


def files(one):
    return sorted(path.name for path in one.files)


def test_canvas_names_one_student_several_files(tmp_path):
    names = (
        "lovelaceada_12345_678910_04-masked-softmax.py",
        "lovelaceada_LATE_12345_678911_05.py",
        "lovelaceada_12346_678912_04.py",
    )
    found = hand_in(tmp_path, *names)
    assert found.keys() == {("lovelaceada", "12345"), ("lovelaceada", "12346")}
    assert files(found["lovelaceada", "12345"]) == sorted(names[:2])
    for one in found.values():  # the same name, and two people
        assert "though there is also lovelaceada (1234" in one.notes[-1]
    assert found["lovelaceada", "12345"].notes[:2] == [
        "05.py was handed in late, as Canvas says",
        "files with the number 12345 are one student's, as Canvas names them",
    ]


def test_a_name_with_numbers_is_not_always_canvass(tmp_path):
    names = ("hw_2026_1115_ada.py", "hw_2026_1115_bela.py")
    found = hand_in(tmp_path, *names)
    assert found.keys() == {("hw_2026_1115_ada", ""), ("hw_2026_1115_bela", "")}


def test_what_a_student_calls_a_file_makes_nobody_else_of_them(tmp_path):
    name = "lovelaceada_12345_678910_Bela_22222_assignsubmission_file_04.py"
    (one,) = hand_in(tmp_path, name)
    assert one == ("lovelaceada", "12345")


def test_moodle_names_files_or_folders(tmp_path):
    found = hand_in(
        tmp_path,
        "Ada Lovelace_48213_assignsubmission_file_/04.py",
        "Zoë Łuczak_48214_assignsubmission_file_my_answers_2.py",
        "Zoë Łuczak_48214_assignsubmission_onlinetext_x.py",
    )
    assert found.keys() == {("Ada Lovelace", "48213"), ("Zoë Łuczak", "48214")}
    assert len(found["Zoë Łuczak", "48214"].files) == 2
    assert not any(one.problems or one.notes for one in found.values())


def test_a_second_download_is_the_same_students_and_said(tmp_path):
    found = hand_in(tmp_path, "ada.py", "ada (1).py", "bela (2).py")
    assert found.keys() == {("ada", ""), ("bela", "")}
    assert files(found["ada", ""]) == ["ada (1).py", "ada.py"]
    assert "another copy of ada's work; the best" in found["ada", ""].notes[0]
    assert "another copy of bela's work" in found["bela", ""].notes[0]


COPIES = ("{}(1)", "{}-Copy1", "Copy of {}", "{} copy", "{} copy 2", "{} - Copy", "{} - Copy (2)", "Copy of {} (1)")


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_is_the_same_students_and_said(tmp_path, copy):
    name = copy.format("ada") + ".py"
    (one,) = hand_in(tmp_path, "ada.py", name).values()
    assert one.student == "ada" and files(one) == sorted([name, "ada.py"])
    assert one.notes == [f"{name} is taken for another copy of ada's work; the best answer counts"]


def test_names_that_only_resemble_a_copys_are_left(tmp_path):
    names = ("ada-1", "copy", "Copy of ", "adacopy", "ada-copy", "ada (2026)", "(1)")
    found = hand_in(tmp_path, *(f"{name}.py" for name in names))
    assert found.keys() == {(name, "") for name in names}


@pytest.mark.parametrize(
    "name, said",
    [
        ("04-masked-softmax", "a chapter's name"),
        ("04-masked-softmax-answers", "a chapter's name"),
        ("answers", "the name that the page gives"),
    ],
)
def test_the_books_names_are_nobodys(tmp_path, name, said):
    names = [f"{one.format(name)}.py" for one in ("{}", "{} (1)", *COPIES)]
    found = hand_in(tmp_path, *names)
    assert len(found) == len(names)  # perhaps several students', saved from several letters
    for one in found.values():
        assert one.notes == [f"{files(one)[0]} bears {said} instead of a student's"]


def test_one_name_in_two_encodings_is_one_student_and_said(tmp_path):
    names = [f"{unicodedata.normalize(form, 'Zoë')}.py" for form in ("NFC", "NFD")]
    (one,) = hand_in(tmp_path, names[0], f"{names[1][:-3]}/04.py").values()
    assert one.student == unicodedata.normalize("NFC", "Zoë") and len(one.files) == 2
    assert "not NFC" in one.notes[0]


def test_names_that_differ_in_case_are_told_apart(tmp_path):
    found = hand_in(tmp_path, "Ada.py", "ada/04.py", "carl.py")
    assert found.keys() == {("Ada", ""), ("ada", ""), ("carl", "")}
    assert "there is also ada" in found["Ada", ""].notes[0]
    assert "there is also Ada" in found["ada", ""].notes[0]
    assert not found["carl", ""].notes


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX's")
def test_nothing_but_files_is_read_followed_or_waited_for(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "answer.py").write_text(RIGHT)
    folder = tmp_path / "submissions"
    hand_in(folder, "ada/04.py")
    (folder / "ada/link.py").symlink_to(elsewhere / "answer.py")
    (folder / "ada/folder").symlink_to(elsewhere)
    (folder / "bela").symlink_to(elsewhere)
    (folder / "carl.py").symlink_to("nowhere")
    os.mkfifo(folder / "dora.ipynb")
    (folder / "emil").mkdir()
    os.mkfifo(folder / "emil/04.ipynb")
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind(str(folder / "emil/s.py"))
    found = {one.student: one for one in grading.submissions(folder)}
    assert files(found["ada"]) == ["04.py"] and len(found["ada"].problems) == 2
    for one in (found["ada"], found["bela"], found["carl"]):
        assert all("is a link, which is not followed" in p for p in one.problems)
    assert found["dora"].problems == ["dora.ipynb is a pipe; hand in the file itself"]
    assert sorted(p.partition(";")[0] for p in found["emil"].problems) == [
        "emil/04.ipynb is a pipe",
        "emil/s.py is a socket",
    ]
    assert not any(found[name].files for name in ("bela", "carl", "dora", "emil"))


def test_a_folder_that_cannot_be_read_is_said(tmp_path, monkeypatch):
    hand_in(tmp_path, "ada/04.py", "bela.py")

    def refused(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("os.scandir", refused)
    ada, bela = grading.submissions(tmp_path)
    assert ada.problems == ["ada cannot be read (Permission denied)"]
    assert bela.files and not bela.problems


def test_a_folder_of_very_many_files_is_left_in_time(tmp_path, monkeypatch):
    module = sys.modules["attnbook.grading.submissions"]
    monkeypatch.setattr(module, "MOST_ENTRIES", 50)
    (tmp_path / "ada").mkdir()
    for number in range(60):
        (tmp_path / "ada" / f"{number:02}.txt").touch()
    (one,) = grading.submissions(tmp_path)
    assert "more than 50 files" in one.problems[0]


def test_a_packed_folder_says_what_to_do(tmp_path):
    (tmp_path / "ada.zip").write_bytes(b"PK")
    (tmp_path / "ada.py").write_text(RIGHT)
    (one,) = grading.submissions(tmp_path)
    advice = (
        "is packed and was not looked into; hand in the files themselves, or unpack it where it lies, into a folder"
    )
    assert one.notes == [f"ada.zip {advice} ada"] and not one.problems
    assert one.handed_in() == "ada.py, ada.zip"
    (tmp_path / "ada.py").unlink()
    (tmp_path / "bela").mkdir()
    (tmp_path / "bela" / "all my work.tar.gz").write_bytes(b"")
    ada, bela = grading.submissions(tmp_path)
    assert ada.problems == [f"ada.zip {advice} ada"]
    assert bela.problems == [f"bela/all my work.tar.gz {advice} all my work"]
    hand_in(tmp_path, "ada/04.py")  # unpacked, and the .zip is still there
    ada, _ = grading.submissions(tmp_path)
    assert ada.student == "ada" and files(ada) == ["04.py"]
    assert not ada.problems and not ada.notes
    canvas = "turingalan_12349_678999_week3"
    (tmp_path / f"{canvas}.zip").write_bytes(b"PK")
    found = hand_in(tmp_path, f"{canvas}/04.py")
    assert files(found["turingalan", "12349"]) == ["04.py"]


def test_what_canvas_and_moodle_put_loose_has_its_own_name(tmp_path):
    canvas = "lovelaceada_12345_"
    names = [f"{canvas}{rest}" for rest in ("1_04.ipynb", "2_helper.py", "3_data.csv", "4_plan-1.csv")]
    names += ["Zoë_48213_assignsubmission_file_04.py", "Zoë_48213_assignsubmission_file_b.py"]
    found = hand_in(tmp_path, *names)
    ada, zoe = found["lovelaceada", "12345"], found["Zoë", "48213"]
    assert {name: path.name for name, path in ada.beside.items()} == {
        "04.ipynb": names[0],
        "helper.py": names[1],
        "data.csv": names[2],
        "plan.csv": names[3],  # its own name or Canvas's -1: both are there
        "plan-1.csv": names[3],
    }
    assert [*zoe.beside] == ["04.py", "b.py"]
    assert not ada.problems and not zoe.problems and not zoe.notes


def test_handed_in_again_is_said_and_the_newest_is_imported(tmp_path):
    canvas = "lovelaceada_12345_"
    names = [f"{canvas}{rest}" for rest in ("9_04.py", "11_04-1.py", "8_helper-1.py", "10_helper.py")]
    names += [f"{canvas}{rest}" for rest in ("12_d.csv", "13_d-1.csv")]
    (ada,) = hand_in(tmp_path, *names).values()
    assert ada.beside["helper.py"].name == names[3]
    assert ada.beside["04.py"].name == names[1]
    assert ada.beside["d.csv"].name == names[4]  # perhaps two files of data
    assert ada.notes[:2] == [
        f"handed in more than once: {files}; the best answer counts, and the newest is imported"
        for files in ("helper-1.py, helper.py", "04.py, 04-1.py")
    ]


def test_only_canvas_makes_a_number_an_attempt(tmp_path):
    for folder, file, said in (
        ("a", "2_04-1.py", True),
        ("b", "2_hw-1.py", False),
        ("c", "2_04-masked-softmax-1.py", True),
        ("d", "2_answers-1.py", True),
    ):
        found = hand_in(tmp_path / folder, f"ada_7_{file}", "bela_8_1_04.py")
        assert any("handed in again" in n for n in found["ada", "7"].notes) == said
        assert not found["bela", "8"].notes
