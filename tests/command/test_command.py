"""The command: each subcommand calls what there is, and bad input ends with exit code 2 and a message."""

import io
import itertools
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import urllib.request
from pathlib import Path

import pytest

from attnbook.command import classes, main, repository
from attnbook.grading import WEEKS
from tools import ROOT


@pytest.fixture
def called(monkeypatch):
    """The programs that a subcommand starts, and with which variables; none is started."""
    calls = []

    class Program:
        def __init__(self, words, cwd, env):
            calls.append((words[1:], Path(cwd), env))
            self.waits = iter([KeyboardInterrupt, 7])  # the program decides what Ctrl-C means

        def wait(self):
            if (status := next(self.waits)) is KeyboardInterrupt:
                raise status
            return status

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda *_: None  # noqa: E731

    monkeypatch.setattr(repository.subprocess, "Popen", Program)
    return calls


@pytest.mark.parametrize(
    ("arguments", "program"),
    [
        (["book", "--all"], ["-m", "tools.book", "--all"]),
        (["chapter", "--words", "04"], ["-m", "tools.chapter", "--words", "04"]),
        (["chapter", "--help"], ["-m", "tools.chapter", "--help"]),
        (["test"], ["--no-loadscope-reorder", "chapters", "tests"]),
        (["test", "-k", "mask", "tests/attention"], ["-k", "mask", "tests/attention"]),
        (["lab", "--no-browser"], ["--no-browser"]),
    ],
)
def test_the_repositorys_tools_get_their_arguments(called, arguments, program):
    assert main(arguments) == 7  # the program's own exit status
    ((words, folder, env),) = called
    assert words[-len(program) :] == program
    assert folder == ROOT and env["PYTHONPATH"].startswith(str(ROOT / "code"))
    assert env["PYTHONUTF8"] == "1"


def test_tests_run_on_the_cpu_with_the_threads_that_are_asked_for(called):
    main(["test", "--threads", "2"])
    ((words, _, env),) = called
    assert (env["ATTNBOOK_DEVICE"], env["OMP_NUM_THREADS"]) == ("cpu", "2")
    assert "--nbval" in words and "--threads" not in words


@pytest.mark.parametrize("command", ["book", "test", "lab", "chapter", "serve"])
def test_outside_the_repository_a_command_says_so(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(repository, "__file__", str(tmp_path / "lib/site/attnbook/command/x.py"))
    assert main([command]) == 2
    assert f"attnbook {command}: this needs the book's repository" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["serve", "--port", "99999"], "port 99999 cannot be used"),
        (["grade", "nowhere"], "nowhere is not there"),
        (["grade", "{here}", "--out", "{here}/grades"], "lies among the submissions"),
        (["grade", "{here}", "--out", "{here}.txt"], "is a file"),
        (["grade", "{here}", "--out", "{here}.txt/grades"], "here.txt"),
        (["grade", "{here}", "--exercises", "soft"], "did you mean 'soft-lookup'"),
        (["grade", "--exercises", "4.1", "no/where"], "no/where is not there"),
        (["grade", "{here}", "--assignment", "W"], "belong to --roster"),
        (["grade", "{here}", "--roster", "no.csv"], "no.csv is not there; pass the"),
        (["translate", "nowhere", "Go."], "there is no file nowhere; pass what"),
        (["translate", "{here}", "Go."], "the training has not ended"),
        (["translate", "{here}/pairs.tsv", "Go."], "is damaged, or is no translator"),
        (["translate", "seq2seq", "Go.", "--length-penalty", "nan"], "finite number"),
        (["translate", "seq2seq", "Go.", "--length-penalty", "-1"], "of at least 0"),
        (["train", "--data", "nowhere", "--steps", "1", "--out", "{here}/run"], "nowhere is not there"),
        (["train", "--steps", "0", "--out", "{here}/run"], "attnbook train: steps must be at least 1"),
        (["train", "--steps", "1", "--beam", "0", "--out", "{here}/run"], "beam must be at least 1"),
        (["page-model", "nowhere.tsv", "--out", "{here}/new/a.html"], "nowhere.tsv is not there"),
        (["page-model", "{here}/pairs.tsv", "--out", "{here}/a.txt"], "ending in .html"),
        (["page-model", "{here}/pairs.html", "--out", "{here}/pairs.html"], "would replace the pairs"),
        (["page-model", "{here}/pairs.tsv", "--out", "{here}/a.html"], "too few"),
        (["page-model", "{here}/pairs.tsv", "--out", "{here}/a.html", "--codes", "de", "Dutch!"], "got 'Dutch!'"),
        (
            ["page-model", "{here}/pairs.tsv", "--out", "{here}/a.html", "--languages", " ", "Dutch"],
            "one of them is empty",
        ),
    ],
)
def test_bad_input_is_answered_with_2_and_makes_nothing(tmp_path, capsys, monkeypatch, arguments, says):
    monkeypatch.setattr(repository, "find_repository", lambda: tmp_path)
    (tmp_path / "_build" / "html").mkdir(parents=True)
    (tmp_path / "_build" / "html" / "index.html").write_text("the book")
    here = tmp_path / "here"
    here.mkdir()
    for name in ("pairs.tsv", "pairs.html"):
        (here / name).write_text("Geh!\tGo!\n", "utf-8")
    (tmp_path / "here.txt").write_text("")
    before = sorted(tmp_path.rglob("*"))
    assert main([word.replace("{here}", str(here)) for word in arguments]) == 2
    assert says in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_name_that_is_not_unicode_can_be_told(monkeypatch):
    told = io.TextIOWrapper(io.BytesIO(), "ascii", "backslashreplace")
    monkeypatch.setattr(sys, "stderr", told)
    assert main(["grade", "M\udcfcller"]) == 2
    told.flush()
    assert b"M\\udcfcller is not there" in told.buffer.getvalue()


def test_grades_that_cannot_be_written_are_put_elsewhere(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "essay.pdf").touch()
    (tmp_path / "out" / "grades.csv").mkdir(parents=True)  # as if a spreadsheet held it
    assert main(["grade", f"{tmp_path}/class", "--out", f"{tmp_path}/out"]) == 2
    said = capsys.readouterr()
    assert "the grades are here instead" in said.err
    assert "essay.pdf" in Path(said.out.splitlines()[0]).read_text("utf-8-sig")


def test_another_scale_than_the_courses_is_said_before_the_work(tmp_path, capsys):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "essay.pdf").touch()
    roster = tmp_path / "export.csv"
    roster.write_text("Student,ID,Week 3 (7)\nPoints Possible,,10\nAda,1,\n")
    words = ["grade", f"{tmp_path}/class", "--out", f"{tmp_path}/out", "--week", "3"]
    words += ["--roster", str(roster), "--assignment", "Week 3"]
    for points, said in (("1", True), ("5", False)):
        assert main([*words, "--points", points]) == 0
        first = capsys.readouterr().err.splitlines()[0]
        assert ("gives the assignment 10 points" in first) == said
        assert ("--points 5 both" in first) == said


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["bake"],
        ["serve", "--fast"],
        ["grade"],
        ["grade", "x", "--seconds", "0"],
        ["grade", "x", "--jobs", "two"],
        ["grade", "x", "--week", "three"],
        ["grade", "x", "--chapters", "4-6"],
        ["grade", "x", "--exercises", ","],
        ["grade", "--week", "3"],
        ["grade", "--exercises", "4.1"],
        ["grade", "x", "y"],
        ["grade", "x", "--points", "0,0"],
        ["translate", "x", "--beam", "0"],
        ["translate", "x", "--beam", "1000000"],
        ["write", "x", "a", "--seed", "99999999999999999999"],
        ["write", "x", "a", "--seed", "-1"],
        ["page-model", "x", "--out", "y.html", "--seed", "4294967296"],
        ["test", "--threads", "-1"],
    ],
)
def test_what_argparse_refuses_is_2_too(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2 and "usage: attnbook" in capsys.readouterr().err


GRADE = {
    "folder": ["submissions/"],
    "week": ["--week", "3", "4"],
    "exercises": ["--exercises", "4.1,4.3", "causal-mask"],
    "points": ["--points", "0,5"],
    "out": ["--out", "week-3"],
}
MORE = [
    ["--chapters", "4", "5"],
    ["--roster", "export.csv"],
    ["--assignment", "Week 3"],
    ["--new-column"],
    ["--seconds", "5"],
    ["--total", "50"],
    ["--memory", "1"],
    ["--jobs", "2"],
]


def grade_options(monkeypatch, *words):
    seen = []
    monkeypatch.setattr(classes, "grade", lambda options, _: seen.append(options) or 0)
    assert main(["grade", *words]) == 0, words
    return vars(seen[0]) | {"run": None}


@pytest.mark.parametrize("left_out", [None, "week", "exercises", "points"])
def test_grade_takes_its_options_in_every_order(tmp_path, monkeypatch, left_out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "submissions").mkdir()
    parts = [words for name, words in GRADE.items() if name != left_out]
    whole = [*parts, *MORE]
    orders = [*itertools.permutations(parts)]
    found = [grade_options(monkeypatch, *itertools.chain(*one)) for one in orders]
    assert all(options == found[0] for options in found)
    orders = [whole[n:] + whole[:n] for n in range(len(whole))]
    more = [grade_options(monkeypatch, *itertools.chain(*one)) for one in orders]
    assert all(options == more[0] for options in more)
    assert more[0]["chapters"] == [4, 5] and more[0]["new_column"]
    for options in (found[0], more[0]):
        assert options["folder"] == Path("submissions/")
        assert options["week"] == (None if left_out == "week" else [3, 4])
        wanted = None if left_out == "exercises" else ["4.1", "4.3", "causal-mask"]
        assert options["exercises"] == wanted
        assert options["points"] == (1 if left_out == "points" else 0.5)


@pytest.mark.parametrize(
    ("words", "week"),
    [
        ("--week 3 {folder}", [3]),
        ("--weeks 3, 4 {folder}", [3, 4]),
        ("--week 3,4 {folder}", [3, 4]),
        ("--week=3 {folder}", [3]),
        ("--week 3 -- {folder}", [3]),
        ("--week 3 missing/", [3]),
        ("--week 3 , 4 {folder}", [3, 4]),
    ],
)
def test_the_folder_behind_a_list_is_no_week(tmp_path, monkeypatch, words, week):
    options = grade_options(monkeypatch, *words.format(folder=tmp_path).split())
    assert options["week"] == week
    folder = "missing" if "missing" in words else tmp_path
    assert options["folder"] == Path(folder)


@pytest.mark.parametrize("text", ["3 4", "3, 4", " 3  4 ", "3\t4"])
def test_a_list_may_be_quoted(tmp_path, monkeypatch, text):
    options = grade_options(monkeypatch, str(tmp_path), "--week", text, "--chapters", text, "--exercises", text)
    assert options["week"] == options["chapters"] == [3, 4]
    assert options["exercises"] == ["3", "4"] and options["folder"] == tmp_path


def test_help_knows_the_plans_weeks(capsys):
    with pytest.raises(SystemExit):
        main(["grade", "--help"])
    assert f"these weeks, 1 to {max(WEEKS)}: 3,4" in " ".join(capsys.readouterr().out.split())


def test_a_sentence_is_not_said_to_be_required(capsys):
    with pytest.raises(SystemExit):
        main(["translate"])
    assert capsys.readouterr().err.endswith("are required: model\n")


def test_ctrl_c_is_130(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(repository, "find_repository", interrupted)
    assert main(["book"]) == 130
    assert "attnbook book: interrupted" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process at once")
def test_who_ends_the_command_ends_what_it_runs(tmp_path):
    mark = tmp_path / "mark"
    sleeper = f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(60)"
    program = (
        "import pathlib, sys; from attnbook.command import repository;"
        f"sys.exit(repository._python(pathlib.Path({str(tmp_path)!r}), '-c', {sleeper!r}))"
    )
    command = subprocess.Popen([sys.executable, "-c", program])
    while not mark.exists():
        assert command.poll() is None
        time.sleep(0.05)
    command.terminate()
    assert command.wait(20) == 128 + signal.SIGTERM


def test_the_script_and_the_module_are_the_same_command():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"attnbook": "attnbook.command:main"}
    done = subprocess.run([sys.executable, "-m", "attnbook", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "page-model" in done.stdout


def test_the_command_itself_loads_nothing_that_is_slow():
    program = "import sys, attnbook.command; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_grading_loads_on_a_system_without_unix_modules():
    program = "import sys; sys.modules.update(resource=None, fcntl=None, pwd=None); import attnbook.grading.worker"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_the_book_is_served_on_this_machine_only(tmp_path, monkeypatch, capsys):
    (tmp_path / "_build" / "html").mkdir(parents=True)
    (tmp_path / "_build" / "html" / "index.html").write_text("the book")
    (tmp_path / "_build" / "html" / "a.mjs").write_text("1")
    monkeypatch.setattr(repository, "find_repository", lambda: tmp_path)
    made, ready = [], threading.Event()
    serve = repository.ThreadingHTTPServer.serve_forever

    def forever(self):
        made.append(self)
        ready.set()
        serve(self)

    monkeypatch.setattr(repository.ThreadingHTTPServer, "serve_forever", forever)
    server = threading.Thread(target=main, args=(["serve", "--port", "0"],))
    server.start()
    assert ready.wait(10)
    host, port = made[0].server_address
    try:
        assert host == "127.0.0.1"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
            assert page.read() == b"the book"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/a.mjs") as script:
            assert script.headers["Content-Type"] == "text/javascript"
        assert main(["serve", "--port", str(port)]) == 2
        assert f"port {port} is taken" in capsys.readouterr().err
    finally:
        made[0].shutdown()
        server.join()


# --- translators --------------------------------------------------------------------------------------------------


def test_sentences_are_translated_from_the_command_line_and_from_a_pipe(monkeypatch, capsys):
    assert main(["translate", "transformer", "--beam", "4", "They", "have a black dog."]) == 0
    assert capsys.readouterr().out == "Ils ont un chien noir.\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO("I'm home.\n\nShe doesn't eat meat.\n"))
    assert main(["translate", "bahdanau", "--tokens"]) == 0
    assert capsys.readouterr().out.splitlines() == ["je suis chez moi .", "", "elle ne mange pas de viande ."]
    assert main(["translate", "transformer-zh", "She is reading in the garden."]) == 0
    assert capsys.readouterr().out == "她在花园里看书。\n"


def test_a_trained_translator_is_taken_from_its_folder_and_from_its_file(tmp_path, capsys):
    from attnbook.translation import load_page_model

    load_page_model("bahdanau").save(tmp_path / "translator.pt")
    for model in (tmp_path, tmp_path / "translator.pt"):
        assert main(["translate", str(model), "I'm home."]) == 0
        assert capsys.readouterr().out == "je suis chez moi .\n"
