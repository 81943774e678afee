"""Results, and the tables that grades and courses are kept in, for tests."""

import csv
import io
from pathlib import Path

from attnbook import grading
from attnbook.exercises import Verdict

WEEK = ["masked-softmax", "padding-and-causal"]
CANVAS = [
    ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week 2 (77)"],
    ["    Points Possible", "", "", "", "", "2"],
    ["Lovelace, Ada", "12345", "s1", "al815", "A", "1"],
    ["Łuczak, Zoë", "12346", "s2", "zoe@x.org", "A", ""],
    ["Smith, Jo", "12347", "s3", "js1", "A", ""],
    ["Smith, Jo", "12348", "s4", "js2", "A", ""],
    ["Turing, Alan", "12349", "s5", "at", "A", ""],
    ["Student, Test", "99", "", "x", "A", ""],
]
MOODLE = [
    ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"],
    ["Participant 48213", "Ada Lovelace", "ada@x.org", "Submitted", "", "10,00"],
    ["Participant 48214", "José Álvarez", "jo@x.org", "No submission", "", "10,00"],
]


def result(student, *solved, id="", wrong=(), problems=()):
    verdicts = {name: Verdict(name, "solved", None, "solved") for name in solved}
    verdicts |= {name: Verdict(name, "wrong", "x", "<i>about</i>", "says", "asks") for name in wrong}
    files = [Path(f"{student}.py")]
    return grading.Result(student, files, verdicts, list(problems), id)


def rows_of(path, **options):
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), **options))


def written_by(rows, delimiter=",", encoding="utf-8-sig"):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue().encode(encoding, "replace")  # as spreadsheets do
