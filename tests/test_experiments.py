"""Every experiment has a design and runs; every stored result is what the runner would write."""

import inspect
import itertools
import json
import os
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from attnbook.translation import page_model_header
from attnbook.weights import FOLDER, PAGE_MODELS, read_weights
from tools import ROOT, bench
from tools.experiments import __main__ as runner
from tools.experiments import exact_search, model_sizes, one_vector, paragraphs, scores, spans, stored, tatoeba_512
from tools.experiments.stored import DESIGN, code_hash, made_by, row_by_row, sources

NAMES = runner.names()


def stored_commands() -> list[str]:
    """All commands in the results that the book and its package hold."""
    found = set()
    for folder in ("chapters/results", "code/attnbook"):
        for path in (ROOT / folder).rglob("*.json"):
            text = path.read_text("utf-8")
            found |= set(re.findall(r'"command": ?"(python -?[^"]*)"', text))
    told = [read_weights(path)[1] for path in FOLDER.glob("*.safetensors")]
    return sorted(found | {about["command"] for about in told if "command" in about})


COMMANDS = stored_commands()


def of_experiment(command: str) -> tuple[str, SimpleNamespace]:
    """The experiment of a stored command, and its options."""
    python, flag, module, name, *words = shlex.split(command)
    assert (python, flag, module) == ("python", "-m", "tools.experiments")
    assert name in NAMES
    return name, runner.parse_words(name, words)[0]


def test_every_result_has_a_command():
    assert len(COMMANDS) >= 30


@pytest.mark.parametrize("command", COMMANDS)
def test_a_stored_command_can_be_run_and_stores_itself(command, monkeypatch):
    if "tools.bench" in command:
        monkeypatch.setattr(Path, "is_file", lambda path: True)
        arguments = shlex.split(command)[3:]
        assert bench.parse(arguments) and bench.typed_command(arguments) == command
    else:
        assert made_by(*of_experiment(command))["command"] == command


# --- designs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_has_a_design_or_says_why_not(name):
    said = runner.experiment(name).__doc__
    lines = re.findall(r"^([A-Z][\w ]*): +\S", said, re.MULTILINE)
    fields = tuple(line for line in lines if line in (*DESIGN, "No design"))
    assert fields in (DESIGN, ("No design",))


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_can_be_run_without_arguments(name):
    options, general = runner.parse_words(name, [])
    module = runner.experiment(name)
    assert vars(options) == module.OPTIONS
    assert (general.threads, general.resume, general.anew) == (1, False, False)
    assert general.out == ROOT / getattr(module, "RESULT", f"chapters/results/{name}.json")


def test_the_list_has_a_line_for_each(capsys):
    runner.main(["--list"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert all(len(line.split()) > 4 for line in lines)


# --- what is stored --------------------------------------------------------------------------------------------------


def by_seed(rows: list[dict], *names: str) -> list[dict]:
    """Rows whose entries in `names` have a number for each seed, as a row for each seed."""
    return [
        row | {name: row[name][seed] for name in names} | {"seed": seed}
        for row in rows
        for seed in range(len(row[names[0]]))
    ]


def tagged(stored: dict, key: str, *names: str) -> list[dict]:
    """The rows of several entries, each with the entry's name under a key."""
    return [{key: name} | row for name in names for row in stored[name]]


def in_tables(stored: dict) -> list[dict]:
    """The runs of `efficient`: a row each."""
    return [{"what": what, "row": row} for what in ("memory", "windows") for row in stored[what]]


def of_size(stored: dict) -> list[dict]:
    """The runs of `scores`: the rows of each size."""
    rows = itertools.groupby(stored["rows"], key=lambda row: (row["d"], row["h"]))
    return [{"d": d, "h": h, "rows": list(some)} for (d, h), some in rows]


# an experiment → its runs, from its result; where nothing is said, they are the `rows`
RUNS = {
    "beam_trees": lambda s: s["sentences"],
    "blocks": lambda s: tagged(s, "rows", "gradients", "training", "longer"),
    "costs": lambda s: s["times"],
    "distributions": lambda s: s["examples"],
    "efficient": in_tables,
    "exact_search": lambda s: [
        {k: v for k, v in s.items() if k not in ("command", "versions", "measured")}
    ],
    "head_pruning": lambda s: s["runs"],
    "heads": lambda s: by_seed(s["runs"], "accuracy"),
    "induction_heads": lambda s: [{"curve": s["curve"], "snapshots": s["snapshots"]}],
    "poolings": lambda s: by_seed(s["runs"], "as trained", "longer"),
    "retrained": lambda s: [
        {"what": what} | row | row["choice"] for what in ("heads", "induction") for row in s[what]
    ],
    "scores": of_size,
    "span_tables": lambda s: [
        {
            "name": name,
            "f1": f1,
            "tables": [row[name] for row in s["sentences"]],
        }
        for name, f1 in s["f1"].items()
    ],
}  # fmt: skip
# what only the runs themselves can tell, since the result keeps less than they have found
LOSSY = {
    "alignment_reader": "what is seen at each moment is stored sentence by sentence",
    "book_model": "the model is the result, and one distribution of it",
    "block_grid": "quartiles are stored, not the seeds",
    "drafts": "medians and ranges are stored, not the repeats",
    "page_models": "the models are the result",
    "next_words": "the weights of one model are stored",
}
ELSEWHERE = {"next_words": "the measures of one model are stored under this name"}
# the translators choose what they are asked about, and number words anew; that takes a minute
CHOSEN = ("beam_trees", "distributions")


@pytest.mark.parametrize("count", [1000, 4000])
def test_learning_rates_are_chosen_by_sentences_that_are_not_trained_or_tested_on(count):
    drawn = spans.draw(count)
    words = {one.words for name in ("train", "test") for one in drawn[name]}
    assert words and not words & {one.words for one in spans.development(count)}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LOSSY])
def test_a_stored_result_is_what_the_runner_makes_of_its_runs(name):
    module = runner.experiment(name)
    stored = json.loads(runner.result_path(name).read_text("utf-8"))
    options = of_experiment(stored["command"])[1]
    runs = RUNS.get(name, lambda result: result["rows"])(stored)
    if name not in CHOSEN:
        settings = json.loads(json.dumps(runner.settings_of(module, options)))
        assert len(runs) == len(settings)
        for found, setting in zip(runs, settings, strict=True):
            both = found.keys() & setting.keys() - {"steps", "rounds", "sentences"}
            assert all((found[k] or "") == (setting[k] or "") for k in both), (found, setting)
    again = json.loads(json.dumps(runner.summary_of(module, runs, options)))
    ours = set(stored) - {"command", "versions"}
    assert set(again) - {"versions"} == ours
    # a machine is that of the run; words are numbered anew
    for key in ours - {"machine"} - ({"words"} if name in CHOSEN else set()):
        expected = stored[key]
        if name == "retrained":
            again[key] = [{k: row[k] for k in ("choice", "curve", "says")} for row in again[key]]
        assert again[key] == expected, key


@pytest.mark.parametrize("name", [name for name in NAMES if runner.result_path(name).suffix == ".json"])
def test_what_was_measured_is_said_once_by_the_module(name):
    stored = json.loads(runner.result_path(name).read_text("utf-8"))
    if "measured" in stored and name not in ELSEWHERE:
        assert stored["measured"] == runner.experiment(name).MEASURED


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_stored_under_the_name_of_its_experiment(name):
    place = runner.result_path(name)
    stored = (
        [page_model_header(model) for model in PAGE_MODELS]
        if place == FOLDER
        else [json.loads(place.read_text("utf-8"))]
    )
    assert {of_experiment(one["command"])[0] for one in stored} == {name}


def test_no_result_is_without_its_experiment():
    """All but those of the benchmarks, which are no experiments."""
    known = {runner.result_path(name) for name in NAMES}
    results = set((ROOT / "chapters" / "results").glob("*.json"))
    assert {path.stem for path in results - known} == {"beside", "bench", "quality"}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("page_models", "next_words")])
def test_a_stored_result_is_laid_out_as_the_runner_writes_it(name):
    """A result that is made again differs in what has changed, and not in how it is laid out."""
    text = runner.result_path(name).read_text("utf-8")
    assert text == row_by_row(json.loads(text))


# --- the runner ------------------------------------------------------------------------------------------------------


@pytest.fixture
def coins(monkeypatch):
    """An experiment that costs nothing; it has written down what was run, and can be made to break."""
    ran = []

    def run(seed, side):
        if len(ran) == module.breaks_at:
            raise RuntimeError("the power is gone")
        ran.append((seed, side))
        return {"seed": seed, "found": {1: (side,)}}

    module = SimpleNamespace(
        __doc__="Coins.",
        OPTIONS={"seeds": 2, "sides": ["a"], "weight": 1.5, "fair": False, "name": None},
        settings=lambda o: [{"seed": s, "side": x} for s in range(o.seeds) for x in o.sides],
        run=run,
        summary=lambda results, options: {"n": options.seeds, "rows": results},
        MAY_DIFFER=("fair",),
        ran=ran,
        breaks_at=None,
    )
    monkeypatch.setattr(runner, "experiment", lambda name: module)
    monkeypatch.setattr(runner, "names", lambda: ["coins"])
    monkeypatch.setattr(runner, "code_hash", lambda name: "a")
    monkeypatch.setattr(torch, "set_num_threads", lambda number: None)
    return module


def test_a_run_stores_command_versions_and_rows(coins, tmp_path):
    out = tmp_path / "new" / "coins.json"
    runner.main(["coins", "--seeds", "1", "--sides", "a", "b", "--fair", "--out", str(out)])
    stored = json.loads(out.read_text("utf-8"))
    assert stored.pop("versions").keys() == {"python", "torch"}
    assert stored == {
        "command": "python -m tools.experiments coins --seeds 1 --sides a b --weight 1.5 --fair",
        "n": 1,
        "rows": [{"seed": 0, "found": {"1": [side]}} for side in "ab"],
    }
    assert list(out.parent.iterdir()) == [out]


def test_an_experiment_that_says_no_more_runs_every_seed_and_keeps_every_row(coins, tmp_path):
    del coins.settings, coins.summary
    coins.OPTIONS = {"side": "a", "seeds": 2}
    coins.MEASURED = "how it fell"
    out = tmp_path / "coins.json"
    runner.main(["coins", "--side", "b", "--threads", "2", "--out", str(out)])
    stored = json.loads(out.read_text("utf-8"))
    assert coins.ran == [(0, "b"), (1, "b")]
    assert stored["measured"] == "how it fell" and [row["seed"] for row in stored["rows"]] == [0, 1]


@pytest.mark.parametrize(("seed_by_seed", "ran"), [(False, "0a 1a 0b 1b"), (True, "0a 0b 1a 1b")])
def test_variants_are_paired_with_seeds_in_the_order_that_is_declared(coins, seed_by_seed, ran):
    del coins.settings
    coins.variants, coins.SEED_BY_SEED = lambda options: [{"side": side} for side in options.sides], seed_by_seed
    settings = runner.settings_of(coins, SimpleNamespace(seeds=2, sides=["a", "b"], side="c", threads=2))
    assert " ".join(f"{one['seed']}{one['side']}" for one in settings) == ran
    assert settings[0] == {"sides": ["a", "b"], "side": "a", "seed": 0}


def test_an_interrupted_run_leaves_the_result_alone_and_goes_on_where_it_stopped(coins, tmp_path):
    out = tmp_path / "coins.json"
    out.write_text("the last one")
    coins.breaks_at = 2
    with pytest.raises(RuntimeError):
        runner.main(["coins", "--seeds", "3", "--out", str(out)])
    assert out.read_text() == "the last one"
    coins.breaks_at = None
    runner.main(["coins", "--seeds", "3", "--out", str(out), "--resume"])
    assert coins.ran == [(0, "a"), (1, "a"), (2, "a")]
    whole = tmp_path / "whole.json"
    runner.main(["coins", "--seeds", "3", "--out", str(whole)])
    assert out.read_bytes() == whole.read_bytes() and len(coins.ran) == 6


def interrupted(coins, folder):
    """Where the result of an experiment will stand that was interrupted after its first run."""
    coins.breaks_at = 1
    with pytest.raises(RuntimeError):
        runner.main(["coins", "--out", str(folder / "coins.json")])
    coins.breaks_at = None
    return folder / "coins.json"


def test_only_what_the_same_command_has_begun_is_gone_on_with(coins, tmp_path):
    out = interrupted(coins, tmp_path)
    with pytest.raises(SystemExit, match="was begun with the command .*--anew begins again"):
        runner.main(["coins", "--seeds", "5", "--out", str(out), "--resume"])
    with pytest.raises(SystemExit, match="holds the runs of an interrupted experiment; add --resume or --anew"):
        runner.main(["coins", "--out", str(out)])
    assert coins.ran == [(0, "a")]
    runner.main(["coins", "--out", str(out), "--anew"])
    assert coins.ran == [(0, "a"), (0, "a"), (1, "a")]


def test_runs_of_older_code_are_not_gone_on_with(coins, tmp_path, monkeypatch):
    out = interrupted(coins, tmp_path)
    monkeypatch.setattr(runner, "code_hash", lambda name: "b")
    with pytest.raises(SystemExit, match="was begun with the code a, this is b; --anew begins again"):
        runner.main(["coins", "--out", str(out), "--resume"])
    part = out.with_name("coins.json.part")  # one from before code was looked at
    part.write_text(json.dumps({k: v for k, v in json.loads(part.read_text()).items() if k != "code"}))
    with pytest.raises(SystemExit, match="was begun with the code None"):
        runner.main(["coins", "--out", str(out), "--resume"])
    assert coins.ran == [(0, "a")]


def test_the_code_of_an_experiment_is_its_own_and_that_of_what_it_imports():
    studies, experiments = "attnbook.studies.", "tools.experiments."
    assert sources("induction_heads").keys() == {
        f"{experiments}induction_heads", f"{experiments}induction", f"{experiments}stored", f"{studies}induction"
    }  # fmt: skip
    assert "milliseconds" in sources("scores")["tools.benchmarks.measure"]
    assert sources("pair_losses").keys() >= {f"{experiments}spans", f"{studies}nested"}
    assert len({code_hash(name) for name in NAMES}) == len(NAMES)


ALIKE = [
    ('"""Two sides."""', '"""The same in other words."""'),
    ("# how often", "# another comment"),
    ("x =  2", "x = 2"),
    ("len(results)", "sum(map(len, results))"),
    ('"how it fell"', '"how a coin fell"'),
]
OTHER = [("x =  2", "x = 3"), ("SIDES = 2", "SIDES = 6"), ("return x * sides()", "return sides()"), ("{}", "{3: 1}")]


@pytest.mark.parametrize(("old", "new", "alike"), [(*e, True) for e in ALIKE] + [(*e, False) for e in OTHER])
def test_the_code_of_an_experiment_is_what_decides_its_numbers(old, new, alike, tmp_path, monkeypatch):
    source = '''"""Ours."""
MEASURED = "how it fell"
SIDES = 2  # how often
SEEN = {}
SEEN[1] = SIDES

def sides():
    """Two sides."""
    return SEEN

def run(seed):
    x =  2
    return x * sides()

def summary(results, options):
    return len(results)
'''
    path, hashes = tmp_path / "coins.py", []
    monkeypatch.setattr(stored, "find_spec", lambda name: SimpleNamespace(origin=path))
    assert source.count(old) == 1
    for text in (source, source.replace(old, new)):
        path.write_text(text, "utf-8")
        hashes.append(code_hash("coins"))
        stored._defined.cache_clear()
    assert (hashes[0] == hashes[1]) == alike


def test_runs_of_another_plan_are_not_gone_on_with(coins, tmp_path):
    out = interrupted(coins, tmp_path)
    coins.settings = lambda options: [{"seed": seed, "side": "b"} for seed in range(options.seeds)]
    with pytest.raises(SystemExit, match=r"the 1 run\(s\) in coins.json.part were made with other settings"):
        runner.main(["coins", "--out", str(out), "--resume"])
    assert coins.ran == [(0, "a")]


def test_more_threads_are_part_of_the_command(coins):
    options, general = runner.parse_words("coins", ["--threads", "2"])
    assert general.threads == 2
    assert made_by("coins", options)["command"].endswith("--threads 2")


@pytest.mark.parametrize("option", ["--seeds", "--threads"])
def test_what_asks_for_nothing_is_refused(coins, tmp_path, capsys, option):
    with pytest.raises(SystemExit):
        runner.main(["coins", option, "0", "--out", str(tmp_path / "coins.json")])
    assert f"{option} must be at least 1, got 0" in capsys.readouterr().err
    assert not coins.ran and not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("one_vector --steps 250 -5", "--steps must be at least 1, got -5"),
        ("exact_search --widths 0 1 4", "--widths must be at least 1, got 0"),
        ("reader_rates --rates 0.1 -1", "--rates must be above 0, got -1.0"),
        ("reader_rates --rates nan", "--rates must be above 0, got nan"),
        ("small_translators --smoothing -0.1", "--smoothing must be at least 0, got -0.1"),
    ],
)
def test_every_number_of_a_list_is_looked_at(command, said, capsys):
    name, *words = command.split()
    with pytest.raises(SystemExit):
        runner.parse_words(name, [*words, "--out", "elsewhere.json"])
    assert said in capsys.readouterr().err


def test_other_numbers_than_the_books_do_not_replace_its_result(coins, capsys):
    same = os.path.relpath(runner.result_path("coins"))
    for words in (["--seeds", "1"], ["--weight", "2", "--out", same], ["--sides", "b"], ["--name", "penny"]):
        with pytest.raises(SystemExit):
            runner.main(["coins", *words])
        assert "say with --out where another result goes" in capsys.readouterr().err
    assert not coins.ran
    assert runner.parse_words("coins", ["--seeds", "2", "--fair"])[0].fair
    assert runner.parse_words("coins", ["--seeds", "1", "--out", "elsewhere.json"])[0].seeds == 1


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("gap_words --reads counts", "the book's gap_words.json has --reads counts neighbours encoder; say with --out"),
        ("beam_trees --targets fr", "the book's data.json has --targets fr zh; say with --out"),
        ("beam_trees --model bahdanau", "the book's data.json has --model transformer; say with --out"),
    ],
)
def test_a_part_of_an_experiment_does_not_replace_the_books_result(command, said, capsys):
    name, *words = command.split()
    with pytest.raises(SystemExit):
        runner.parse_words(name, words)
    assert said in capsys.readouterr().err
    assert runner.parse_words(name, [*words, "--out", "elsewhere.json"])[1].out == Path("elsewhere.json")


def test_other_lines_of_tatoeba_do_not_replace_the_books_result(monkeypatch, tmp_path):
    ours = json.loads(runner.result_path("tatoeba_512").read_text("utf-8"))
    assert {row["sha256"] for row in ours["rows"]} == {tatoeba_512.BOOKS_SHA256}
    monkeypatch.setattr(tatoeba_512, "run", None)
    (other := tmp_path / "fra.txt").write_text("".join(f"Go {n}.\tVa {n} !\n" for n in range(700)), "utf-8")
    with pytest.raises(SystemExit, match=r"error: the book's result is of the 640 lines .* say with --out"):
        runner.main(["tatoeba_512", "--data", str(other)])
    with pytest.raises(TypeError, match="not callable"):  # elsewhere it would be run
        runner.main(["tatoeba_512", "--data", str(other), "--out", str(tmp_path / "x.json")])


def test_the_longest_training_decides_wherever_it_is_named():
    options = SimpleNamespace(seeds=1, steps=[1000, 250], with_attention=500)
    rows = runner.settings_of(one_vector, options)
    assert [row["steps"] for row in rows] == [[250], [250, 1000], [250, 1000], [250, 1000]]


def test_options_that_leave_nothing_to_run_are_refused(coins, tmp_path):
    coins.settings = lambda options: []
    with pytest.raises(SystemExit, match="these options of coins leave nothing to run"):
        runner.main(["coins", "--out", str(tmp_path / "coins.json")])
    assert not any(tmp_path.iterdir())


def test_an_experiment_that_does_not_say_what_is_stored_is_refused_before_it_runs(coins, tmp_path):
    del coins.summary
    with pytest.raises(SystemExit, match="coins has neither `summary` nor MEASURED"):
        runner.main(["coins", "--out", str(tmp_path / "coins.json")])
    assert not coins.ran


@pytest.mark.parametrize(
    "command",
    ["gap_words --reads counts encodr", "page_models --only encodr", "page_models --target xx", "beam_trees --model a"],
)
def test_a_value_that_is_none_of_few_is_refused(command, capsys):
    name, *words = command.split()
    with pytest.raises(SystemExit):
        runner.parse_words(name, words)
    assert f"invalid choice: {words[-1]!r}" in capsys.readouterr().err


def test_a_result_that_goes_elsewhere_does_not_send_weights_to_the_books_own_place(coins, tmp_path, capsys):
    coins.OPTIONS["weights"] = None
    with pytest.raises(SystemExit):
        runner.main(["coins", "--out", str(tmp_path / "coins.json")])
    assert "coins stores weights, too: --weights and --out go elsewhere together" in capsys.readouterr().err
    with pytest.raises(SystemExit):  # nor those from elsewhere into the book's own result
        runner.main(["coins", "--weights", "a"])
    assert "or neither is given" in capsys.readouterr().err
    assert not coins.ran
    same = os.path.relpath(runner.result_path("coins"))
    assert runner.parse_words("coins", ["--out", same])[1].out == Path(same)
    coins.settings = lambda options: [{"seed": 0, "side": options.weights}]
    runner.main(["coins", "--out", str(tmp_path / "coins.json"), "--weights", "a"])
    assert coins.ran == [(0, "a")]


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_that_stores_a_file_itself_can_be_told_where(name):
    source = inspect.getsource(runner.experiment(name))
    assert runner.experiment(name).OPTIONS.get("weights", ...) is (None if "write_atomically(" in source else ...)


def test_a_folder_is_no_file_for_a_result(coins, tmp_path, capsys):
    with pytest.raises(SystemExit):
        runner.main(["coins", "--out", str(tmp_path)])
    assert f"--out must name a file, but {tmp_path} is a folder" in capsys.readouterr().err
    assert not coins.ran


def test_a_name_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit):
        runner.main(["coin"])
    assert "invalid choice: 'coin'" in capsys.readouterr().err


def test_the_command_writes_all_options_out_as_they_are_typed():
    options = SimpleNamespace(batch_size=3, seconds=[20, 60], dev=True, fresh=False, only=None)
    made = made_by("race", options)
    assert made["command"] == ("python -m tools.experiments race --batch-size 3 --seconds 20 60 --dev")
    # PyTorch for CUDA calls itself "2.13.0+cu130"; its package is 2.13.0
    assert torch.__version__.startswith(made["versions"]["torch"])


def test_no_path_of_this_machine_is_stored():
    options = SimpleNamespace(data="/tmp/texts/fra.txt", rates=[0.005, 1e-05], weights="/tmp/w/x")
    expected = "python -m tools.experiments tatoeba_512 --data fra.txt --rates 0.005 1e-05"
    assert made_by("tatoeba_512", options)["command"] == expected


def test_without_seeds_among_its_options_an_experiment_is_run_once():
    assert stored.every_seed([{}], SimpleNamespace(steps=3)) == [{"seed": 0, "steps": 3}]


def test_a_result_row_by_row_is_the_same_result():
    result = {"command": "é", "rows": [{"a": [1, 2]}, {"a": []}], "seeds": [2], "none": []}
    text = row_by_row(result)
    assert json.loads(text) == result
    assert '\n{"a":[1,2]},\n{"a":[]}\n' in text and '"command": "é",\n' in text


# --- single experiments ----------------------------------------------------------------------------------------------


def test_searches_differ_where_they_have_found_other_sentences():
    greedy, likeliest = exact_search.Search("1"), exact_search.Search("exact")
    for ours, theirs in (([5, 2], [5, 2]), ([5, 6, 2], [2]), ([2], [7, 2])):
        greedy.add(ours, -2.0)
        likeliest.add(theirs, -1.0)
    assert greedy.apart(likeliest.sentences) == likeliest.apart(greedy.sentences) == [1, 2]
    assert greedy.apart(greedy.sentences) == [] and greedy.log_probs == [-2.0] * 3


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("exact_search --widths 1 2", "error: widths must hold 1 and 4, .* got \\[1, 2\\]"),
        ("exact_search --widths 4 2", "error: widths must hold 1 and 4, .* got \\[4, 2\\]"),
        ("tatoeba_512 --data nowhere/fra.txt", "error: nowhere/fra.txt is not there; pass a file of pairs"),
    ],
)
def test_what_an_experiment_cannot_do_is_said_before_it_begins(command, message, monkeypatch, tmp_path):
    for module in (exact_search, tatoeba_512):
        monkeypatch.setattr(module, "run", None)
    with pytest.raises(SystemExit, match=message):
        runner.main([*command.split(), "--out", str(tmp_path / "x.json")])
    assert not any(tmp_path.iterdir())


def test_an_amount_of_computation_below_one_step_is_one_step(monkeypatch):
    monkeypatch.setattr(model_sizes, "parameters", {64: 100, 128: 300}.get)
    assert [model_sizes.steps_of(128, budget) for budget in (1, 9)] == [1, 3]


def test_more_draws_than_a_chapter_has_paragraphs_begin_with_the_first_again(monkeypatch):
    texts = [f"{chapter}.{number}" for chapter in (1, 2) for number in range(2)]
    monkeypatch.setattr(paragraphs, "read", lambda: ({1: [0, 1], 2: [2, 3]}, texts, None))
    monkeypatch.setattr(paragraphs, "chosen", lambda name: 1.0)
    first, second, third = (paragraphs.run(seed, [])["paragraphs"] for seed in range(3))
    assert first == third and {text for rows in (first, second) for _, text in rows} == {*texts}


def test_peak_memory_counts_what_is_alive_at_one_time():
    x = torch.zeros(256)  # 1024 bytes, given
    assert scores.peak(lambda: x.view(2, 128)) == 0
    assert scores.peak(lambda: x + 1 + 1) == 2048  # a sum beside the next one
    assert scores.peak(lambda: [x + 1 for _ in range(3)]) == 3072


def test_the_stored_counts_of_the_scores_are_those_of_the_formula():
    stored = json.loads(runner.result_path("scores").read_text("utf-8"))
    for row in stored["rows"]:
        d, h = row["d"], row["h"]
        assert row["multiply_adds"] == scores.multiply_adds(stored["n"], d, h)[row["score"]]
        again = scores.scorers(64, d, h)[row["score"]]
        with torch.no_grad():
            assert scores.peak(again) == row["peak"]["64"]
