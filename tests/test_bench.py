"""`make bench` compares only what is equal, and measures what it says. How fast anything is, is no test."""

import json
import re
import shlex
import threading
import time
from dataclasses import replace

import pytest
import torch

from tools import bench
from tools.benchmarks import FAMILIES, GROUPS, causal, decoding, translation
from tools.benchmarks.family import Bar, Case, Family, Layer, padded_sequences
from tools.benchmarks.measure import (
    PEAK_RESET,
    check_agreement,
    in_turns,
    joined,
    memory,
    milliseconds,
    peaks_in_a_process,
    run,
    times,
)
from tools.benchmarks.report import BENCH_RESULT, bar_line, merged, store, summary, sweep_table, table
from tools.benchmarks.scores import BATCH, HIDDEN, fused, three_inputs
from tools.benchmarks.verdicts import judge, ratio, slope, time_ratio, verdict

needs_account = pytest.mark.skipif(
    not PEAK_RESET.exists(), reason="this system keeps no account of a process's peak memory"
)


def small(family: Family, padding: bool = False) -> Case:
    case = family.cases[0]
    size = case.size if family.name in ("dot", "additive") else 8 * 3  # a multiple of the heads
    return replace(case, batch=3, length=5, size=size, padding=padding)


# --- what is compared -----------------------------------------------------------------------------------------


PADDED = ("multi-head", "encoder-layer")


@pytest.mark.parametrize(("name", "padding"), [(n, False) for n in FAMILIES] + [(n, True) for n in PADDED])
def test_all_layers_of_a_family_give_the_same_output(name, padding):
    if name.startswith("compiled") and torch.backends.cpu.get_cpu_capability() == "DEFAULT":
        pytest.skip("PyTorch's compiler needs a processor with vector instructions, or the leave to use them")
    family = FAMILIES[name]
    case = small(family, padding)
    result = joined(times(family, case, rounds=2), None)
    assert [row["layer"] for row in result["layers"]] == list(family.layers(case, "cpu"))
    for row in result["layers"]:
        assert list(row["seconds"]) == list(family.kinds) and row["peak"] is None
        assert all(len(taken) == family.rounds(case, 2) for taken in row["seconds"].values())
    assert len(table(family, result).splitlines()) == 2 + len(result["layers"])


@pytest.mark.parametrize("name", PADDED)
def test_padding_reaches_every_layer(name):
    """Without it a layer would give the output of the case without padding, and agree with nobody."""
    family = FAMILIES[name]
    case = small(family, padding=True)
    x, lens, blocked = family.inputs(case, "cpu")
    assert len(set(lens.tolist())) > 1 and lens.max() <= case.length
    assert blocked.sum(dim=1).tolist() == (case.length - lens).tolist()
    for layer in family.layers(case, "cpu").values():
        padded = run(layer, [x, lens, blocked], "forward")
        whole = run(layer, [x, None, None], "forward")
        assert (padded - whole).abs().max() > 1e-4


def test_layers_that_differ_are_not_compared():
    layers = {"F.scaled_dot_product_attention": Layer(fused), "twice": Layer(lambda q, k, v: 2 * fused(q, k, v))}
    inputs = three_inputs(Case(2, 5, 7), "cpu")
    with pytest.raises(AssertionError, match="twice, inference: "):
        check_agreement(FAMILIES["dot"], layers, inputs)


def test_a_pass_is_of_the_kind_that_it_says():
    x = torch.ones(1, 2, 3, requires_grad=True)
    module, seen = torch.nn.Linear(3, 3), []
    layer = Layer(lambda x: seen.append((module.training, torch.is_grad_enabled())) or module(x), module)
    for kind in ("inference", "forward", "both"):
        output = run(layer, [x], kind)
        assert output.requires_grad == (kind != "inference")
        assert (x.grad is not None) == (kind == "both")
    assert seen == [(False, False), (True, True), (True, True)]


def test_the_reference_reaches_the_fused_kernel():
    with torch.profiler.profile() as profiler:
        fused(*three_inputs(Case(2, 8, 64), "cpu"))
    assert any("flash" in event.key for event in profiler.key_averages())


# --- longer texts ---------------------------------------------------------------------------------------------


def test_the_window_is_one_and_the_whole_past_is_not():
    """Short cases would agree without a window: here it ends before the text begins."""
    family = FAMILIES["window"]
    case = replace(family.cases[0], length=causal.WINDOW + 3, size=8)
    inputs = family.inputs(case, "cpu")
    masked, tiled = (layer.call(*inputs) for layer in family.layers(case, "cpu").values())
    torch.testing.assert_close(tiled, masked)
    whole = causal.causal_layers(case, "cpu")[causal.TILES].call(*inputs)
    assert (whole - masked)[:, :, -1].abs().max() > 1e-4


def test_the_gated_delta_rule_has_gates_and_keys_of_length_1():
    family = FAMILIES["memory"]
    _, key, _, forget, step = family.inputs(small(family), "cpu")
    torch.testing.assert_close(key.norm(dim=-1), torch.ones_like(forget))
    for gate in (forget, step):
        assert 0 < gate.min() < gate.max() < 1


def test_marian_with_other_weights_is_not_compared(monkeypatch):
    family = FAMILIES["cached-decoding"]
    case = small(family)
    family.agree(case, "cpu")
    copy = decoding.copy_to_marian

    def spoilt(ours, theirs):
        copy(ours, theirs)
        with torch.no_grad():
            theirs.model.decoder.layers[1].encoder_attn.v_proj.bias[0] += 0.01

    monkeypatch.setattr(decoding, "copy_to_marian", spoilt)
    with pytest.raises(AssertionError, match="not close"):
        family.agree(case, "cpu")


# --- translators ----------------------------------------------------------------------------------------------

TINY = Case(3, 5, 24)


def test_the_two_translators_hold_the_same_weights_and_nothing_else():
    ours, theirs = translation.two_translators(TINY, "cpu")
    mine, other = (dict(enumerate(translation.parts(model))) for model in (ours, theirs))
    for number, part in mine.items():
        weights, twins = part.state_dict(), other[number].state_dict()
        assert {*weights} == {*twins}  # d2l makes the score's maps in another order
        assert all(torch.equal(weights[name], twins[name]) for name in twins)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())
    for model, parts in ((ours, mine), (theirs, other)):  # no weight is left out of the comparison
        assert sum(p.numel() for m in parts.values() for p in m.parameters()) == sum(
            p.numel() for p in model.parameters()
        )


def too_large(logits, target):
    return 1.01 * translation.masked_cross_entropy(logits, target)


def another_gradient(logits, target):
    return translation.masked_cross_entropy(logits, target) + (logits - logits.detach()).sum()


@pytest.mark.parametrize(
    ("loss", "message"), [(too_large, "losses differ by"), (another_gradient, "gradients of .* differ by")]
)
def test_a_training_step_that_computes_something_else_is_not_compared(loss, message, monkeypatch):
    translation.check_training(TINY, "cpu")
    monkeypatch.setattr(translation, "published_loss", loss)
    with pytest.raises(AssertionError, match=message):
        translation.check_training(TINY, "cpu")


def test_other_weights_are_noticed_in_training_and_in_decoding(monkeypatch):
    both = translation.two_translators

    def changed(case, device):
        ours, theirs = both(case, device)
        with torch.no_grad():
            theirs.decoder.attention.w_v.weight.mul_(3)
        return ours, theirs

    monkeypatch.setattr(translation, "two_translators", changed)
    with pytest.raises(AssertionError, match="outputs differ by"):
        translation.check_training(TINY, "cpu")
    with pytest.raises(AssertionError, match="scores of word .* differ by"):
        translation.check_greedy(TINY, "cpu")


def test_gradients_that_are_too_small_for_the_bound_are_compared_all_the_same(monkeypatch):
    """Those of the score's weights lie near 1e-6: to 1e-5, any two of them agree."""
    make = translation.two_translators

    def doctored(case, device):
        ours, theirs = make(case, device)
        theirs.decoder.attention.W_q.weight.register_hook(lambda gradient: 1.1 * gradient)
        return ours, theirs

    monkeypatch.setattr(translation, "two_translators", doctored)
    with pytest.raises(AssertionError, match="gradients of .* differ by"):
        translation.check_training(TINY, "cpu")


def test_both_clip_alike_and_do_clip():
    models = translation.two_translators(TINY, "cpu")
    source, target_in, target, lens = translation.sentences(TINY, "cpu")
    for model, clip in zip(models, (translation.our_clipping, translation.published_clipping), strict=True):
        (1e3 * translation.masked_cross_entropy(model(source, target_in, lens), target)).backward()
        clip(model)
        norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        assert float(norm) == pytest.approx(translation.LARGEST_NORM, rel=1e-4)


def test_a_training_step_moves_all_weights_and_learns():
    family = FAMILIES["translation-training"]
    for layer in family.layers(TINY, "cpu").values():
        before = [p.detach().clone() for p in layer.module.parameters()]
        inputs = family.inputs(TINY, "cpu")
        losses = [float(run(layer, inputs, "step")) for _ in range(12)]
        assert losses[-1] < 0.9 * losses[0] and layer.module.training
        moved = [not torch.equal(a, b) for a, b in zip(before, layer.module.parameters(), strict=True)]
        assert all(moved)


def test_decoding_writes_every_word_and_the_cache_changes_none():
    for name in ("translation-greedy", "translation-cache"):
        family = FAMILIES[name]
        case = replace(TINY, heads=4)
        inputs = family.inputs(case, "cpu")
        written = [run(layer, inputs, "decode") for layer in family.layers(case, "cpu").values()]
        assert torch.equal(*written) and written[0].shape == (case.batch, case.length)


def test_words_that_differ_are_not_compared(monkeypatch):
    monkeypatch.setattr(translation, "words_without_cache", lambda model, source, lens, n: torch.ones(len(source), n))
    with pytest.raises(AssertionError, match="the words differ"):
        translation.check_cache(replace(TINY, heads=4), "cpu")


def test_candidates_take_turns_in_an_order_that_is_reversed_every_round():
    asked: list[int] = []

    def number(candidate):
        asked.append(candidate)
        return len(asked)

    assert in_turns({"a": 5, "b": 7}, number, rounds=2) == {"a": [4, 5], "b": [3, 6]}
    assert asked == [5, 7, 7, 5, 5, 7]
    assert in_turns({"a": 5}, number, rounds=1, warm_up=False) == {"a": [7]}


def test_the_processor_time_of_a_call_is_that_of_all_its_threads():
    def work():
        began = time.thread_time()
        while time.thread_time() - began < 0.01:
            pass

    def two_threads():
        other = threading.Thread(target=work)
        other.start()
        work()
        other.join()

    assert 18 < milliseconds(two_threads) < 40
    assert 18 < milliseconds(two_threads, calls=2) < 40


# --- memory ---------------------------------------------------------------------------------------------------


@needs_account
def test_the_peak_is_that_of_the_hidden_layer():
    """Additive attention holds (B, T, S, h) numbers for its hidden layer: the account must not be far from that."""
    length = 256
    hidden = BATCH * length * length * HIDDEN * 4
    case = replace(FAMILIES["additive"].cases[0], length=length)
    (peak,) = peaks_in_a_process(FAMILIES["additive"], [case], "AdditiveAttention")
    assert hidden < peak["both"] < 8 * hidden


@needs_account
def test_the_weights_that_d2l_keeps_are_counted():
    """Forward holds at least two (B, H, T, S) tables, scores and weights; ours holds none."""
    family = FAMILIES["multi-head"]
    case = replace(family.cases[0], batch=1, length=512)
    one_table = 8 * 512 * 512 * 4
    two = dict.fromkeys(["d2l.MultiHeadAttention", "MultiHeadAttention"])  # by their names a process makes them
    (found,) = memory(replace(family, layers=lambda case, device: two), [case])
    peaks = {row["layer"]: row["peak"]["forward"] for row in found["layers"]}
    assert peaks["d2l.MultiHeadAttention"] > 2 * one_table
    assert peaks["MultiHeadAttention"] < one_table


def test_a_failed_process_is_an_error_that_says_why():
    if not PEAK_RESET.exists():
        pytest.skip("no process is started where no account is kept")
    with pytest.raises(RuntimeError, match=r"(?s)'no such layer'.* could not .*KeyError"):
        peaks_in_a_process(FAMILIES["dot"], FAMILIES["dot"].cases[:1], "no such layer")


# --- verdicts -------------------------------------------------------------------------------------------------

HOLDING, MISSING = [2.0, 2.0, 2.0], [4.4, 2.2, 2.2]


def result_of(ours, theirs, peaks=(1, 1), length=3) -> dict:
    """A made-up result of two layers."""
    rows = [
        {"layer": name, "seconds": {"both": seconds}, "peak": peak if peak is None else {"both": peak}}
        for name, seconds, peak in (("ours", ours, peaks[0]), ("theirs", theirs, peaks[1]))
    ]
    case = {"batch": 1, "length": length, "size": 2, "heads": 1, "padding": False}
    return {"family": "made up", "case": case, "layers": rows}


def family_with(*bars: Bar) -> Family:
    return Family("made up", (), lambda *_: {}, padded_sequences, "theirs", bars, kinds=("both",))


def test_a_ratio_is_taken_within_the_rounds():
    # a busy machine made the third round ten times slower for both
    assert time_ratio([1.0, 2.0, 30.0], [2.0, 4.0, 60.0]) == 0.5
    assert time_ratio(MISSING, HOLDING) == pytest.approx(1.1)


@pytest.mark.parametrize(
    ("value", "limit", "noise", "expected"),
    [
        (0.99, 1.0, 0.0, "holds"),
        (1.0, 1.0, 0.0, "holds"),
        (1.0001, 1.0, 0.0, "misses"),
        (1.05, 1.0, 0.05, "holds"),
        (1.051, 1.0, 0.05, "misses"),
        (0.51, 0.5, 0.0, "misses"),
        (None, 1.0, 0.05, "not measured"),
    ],
)
def test_a_verdict_allows_for_noise_and_no_more(value, limit, noise, expected):
    assert verdict(value, limit, noise) == expected


def test_a_row_that_misses_is_shown_as_missing():
    family = family_with(Bar("time", "both", "ours", "theirs", 1.0, 0.05), Bar("peak", "both", "ours", "theirs", 1.0))
    bars = judge(family, [result_of(MISSING, HOLDING, (3, 4)), result_of(HOLDING, HOLDING, (5, 4))], [])
    assert [bar["verdict"] for bar in bars] == ["misses", "holds", "holds", "misses"]
    assert [bar["value"] for bar in bars] == [1.1, 1.0, 0.75, 1.25]
    text = summary(bars)
    assert text.startswith("2 of 4 bars hold") and text.count("misses") == 2
    first = r"  misses +1\.10  at most 1\.00 \+ 5% +time of ours / theirs, both \[batch 1, "
    assert re.match(first, text.splitlines()[1])


def test_memory_that_was_not_measured_neither_holds_nor_misses():
    bar = Bar("peak", "both", "ours", "theirs", 1.0)
    (judged,) = judge(family_with(bar), [result_of(HOLDING, HOLDING, (None, None))], [])
    assert judged["verdict"] == "not measured" and "0 of 1 bars hold" in summary([judged])
    assert ratio(bar, result_of(HOLDING, HOLDING, (3, None))) is None


def test_a_bar_may_be_for_some_cases_only():
    bar = Bar("time", "both", "ours", "theirs", 0.5, only=lambda case: case.length == 4)
    results = [result_of(HOLDING, HOLDING, length=n) for n in (3, 4)]
    assert [judged["case"]["length"] for judged in judge(family_with(bar), results, [])] == [4]


def test_the_slope_is_the_power_of_the_length():
    lengths = [512, 1024, 2048, 4096]
    assert slope(lengths, [3 * n**2 for n in lengths]) == pytest.approx(2)
    assert slope(lengths, [7 * n for n in lengths]) == pytest.approx(1)


@pytest.mark.parametrize(("power", "expected"), [(1, "holds"), (2, "misses")])
def test_memory_that_grows_too_fast_misses(power, expected):
    swept = [result_of(HOLDING, HOLDING, (n**power, n**2), length=n) for n in (64, 128, 256)]
    (judged,) = judge(family_with(Bar("slope", "both", "ours", None, 1.1)), [], swept)
    assert (judged["verdict"], judged["value"]) == (expected, power)
    assert f"{power:.2f}" in bar_line(judged) and "power of the length" in bar_line(judged)


def test_the_tables_show_ratios_and_mebibytes():
    family = family_with()
    text = table(family, result_of([0.004] * 3, [0.002] * 3, (3 * 2**20, 2**20)))
    ours = next(line for line in text.splitlines() if line.strip().startswith("ours"))
    assert re.search(r" 4\.00 ms +2\.00 × +3\.0 MiB$", ours)
    assert "peak, both" in text and "peak" not in table(family, result_of(HOLDING, HOLDING, (None, None)))
    grown = [result_of(HOLDING, HOLDING, (n * 2**20, n * 2**20), length=n) for n in (3, 6)]
    assert re.search(r"ours +3\.0 MiB +6\.0 MiB", sweep_table(family, grown))


# --- the command and its file ---------------------------------------------------------------------------------


def test_a_run_prints_its_verdicts_and_writes_its_file(tmp_path, capsys):
    path = tmp_path / "some.json"
    bench.main(["--families", "multi-head", "--lengths", "128", "--rounds", "1", "--no-memory", "--json", str(path)])
    said = capsys.readouterr().out
    assert len(re.findall(r"^  (?:holds|misses) +\d\.\d\d  at most", said, re.MULTILINE)) >= 6
    stored = json.loads(path.read_text("utf-8"))
    assert (
        stored["command"]
        == "python -m tools.bench --families multi-head --lengths 128 --rounds 1 --no-memory --json some.json"
    )
    assert str(tmp_path) not in path.read_text("utf-8")
    assert len(stored["results"]) == 2 and stored["sweep"] == []
    assert {bar["verdict"] for bar in stored["bars"] if bar["measure"] != "time"} == {"not measured"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--store", "--lengths", "128"], "--store keeps whole families"),
        (["--store", "--no-memory"], "--store keeps whole families"),
        (["--store", "--families", "dot", "--lengths", "128"], "--store keeps whole families"),
        (["--json", "no/such/folder/x.json"], "there is no folder for no/such/folder/x.json"),
        (["--json", "."], "--json must name a file, but . is a folder"),
        (["--only-beside", "--quality-seconds", "60", "nan"], "--quality-seconds must be positive and finite, got nan"),
        (["--only-beside", "--quality-seconds", "inf"], "--quality-seconds must be positive and finite, got inf"),
        (["--rounds", "0"], "--rounds must be at least 1, got 0"),
        (
            ["--families", "dot", "--lengths", "7"],
            "--lengths takes some of [128, 512, 2048] for these families, got [7]",
        ),
        (["--families", "dot", "--lengths", "512", "9999"], "for these families, got [9999]"),
        (["--families", "none"], "invalid choice: 'none'"),
        (["--only-quality", "--data", __file__, "--json", "x.json"], "--json is about the families"),
        (["--only-beside", "--rounds", "3"], "--rounds is about the families"),
        (["--only-beside", "--quality-threads", "4096"], "--quality-threads is not for --only-beside"),
        (["--data", __file__, "--families", "dot"], "--data is about the translator"),
        (["--data", __file__, "--json", "x.json"], "--data is about the translator"),
        (["--quality-seeds", "2"], "--quality-seeds is about the translator"),
    ],
)
def test_what_cannot_be_run_is_refused_before_it_begins(arguments, message, capsys):
    with pytest.raises(SystemExit):
        bench.main(arguments)
    assert message in capsys.readouterr().err


def test_a_file_without_pairs_is_refused_before_anything_is_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "measure_families", lambda *_: pytest.fail("the families were measured"))
    (file := tmp_path / "fra.txt").write_text("no tab\n", "utf-8")
    with pytest.raises(SystemExit, match="error: .*fra.txt has no line with a tab"):
        bench.main(["--data", str(file)])


def test_a_list_of_numbers_takes_one_line_and_nothing_else_changes(tmp_path):
    found = {"seconds": [0.5, 1e-06, 2], "words": ["a", "b"], "none": [], "cases": [{"peak": None}]}
    store(tmp_path / "x.json", found)
    text = (tmp_path / "x.json").read_text("utf-8")
    assert json.loads(text) == found and '"seconds": [0.5, 1e-06, 2]' in text


def test_a_family_measured_later_leaves_what_is_stored_of_the_others():
    def part(family, value):
        return {"family": family, "value": value}

    how = {"command": "first", "versions": {}, "machine": {}, "rounds": 11}
    before = {**how, "kinds": {}, "results": [part("a", 1), part("b", 1)], "sweep": [part("a", 1)], "bars": []}
    again = {**how, "command": "second", "kinds": {"x": ""}, "results": [part("b", 2), part("c", 2)], "sweep": []}
    found = merged(before, {**again, "bars": [part("c", 2)]}, ["b", "c"])
    assert found["command"] == "first" and found["kinds"] == {"x": ""}
    assert found["results"] == [part("a", 1), part("b", 2), part("c", 2)] and found["sweep"] == [part("a", 1)]
    assert found["bars"] == [part("c", 2)]
    assert {name: made["command"] for name, made in found["later"].items()} == {"b": "second", "c": "second"}
    third = merged(found, {**again, "command": "third", "results": [part("c", 3)], "bars": []}, ["c"])
    assert {name: made["command"] for name, made in third["later"].items()} == {"b": "second", "c": "third"}
    assert before["results"] == [part("a", 1), part("b", 1)] and "later" not in before


@pytest.mark.parametrize("given", [["--json", "a/b c.json"], ["--json=a/b c.json"]])
def test_the_command_that_is_stored_can_be_run_again_and_names_no_folder(given):
    words = shlex.split(bench.typed_command(["--rounds", "3", *given, "--lengths", "128", "512"]))
    assert words[:3] == ["python", "-m", "tools.bench"]
    again = bench.parse(words[3:])
    assert (again.rounds, again.lengths) == (3, [128, 512])
    assert str(again.json) == "b c.json"


def test_a_group_is_its_families():
    options = bench.parse(["--families", "translation", "dot", "translation-cache", "--json", "x.json"])
    assert options.families == [*GROUPS["translation"], "dot"]


@pytest.fixture(scope="module")
def stored():
    return json.loads(BENCH_RESULT.read_text("utf-8"))


def test_the_stored_file_is_whole_and_says_how_each_family_was_measured(stored):
    for run_of in (stored, *stored.get("later", {}).values()):
        assert run_of["command"].startswith("python -m tools.bench") and run_of["rounds"] >= 5
        # the first runs had nothing of transformers in them
        assert set(run_of["versions"]) - {"transformers"} == {"python", "torch", "d2l"}
        assert set(run_of["machine"]) == {"device", "architecture", "cores", "threads", "clock"}
    wanted = [(name, case) for name, family in FAMILIES.items() for case in family.cases]
    assert [(result["family"], Case(**result["case"])) for result in stored["results"]] == wanted
    assert [Case(**result["case"]) for result in stored["sweep"]] == list(FAMILIES["multi-head"].sweep)
    for result in [*stored["results"], *stored["sweep"]]:
        family, case = FAMILIES[result["family"]], Case(**result["case"])
        rounds = family.rounds(case, stored.get("later", {}).get(family.name, stored)["rounds"])
        for row in result["layers"]:
            if "seconds" in row:
                assert set(row["seconds"]) == set(family.kinds)
                assert all(len(taken) == rounds and min(taken) > 0 for taken in row["seconds"].values())
            if not family.weighed:
                assert row["peak"] is None
                continue
            assert set(row["peak"]) == set(family.kinds)
            # the least of them, 32 KiB tensors, disappear in what the system counts late
            assert min(row["peak"].values()) >= 0 and (case.length < 512 or min(row["peak"].values()) > 0)


def test_the_stored_verdicts_are_those_of_the_stored_numbers(stored):
    for name, family in FAMILIES.items():
        mine = {key: [part for part in stored[key] if part["family"] == name] for key in ("results", "sweep", "bars")}
        assert judge(family, mine["results"], mine["sweep"]) == mine["bars"]


def test_nothing_of_a_machine_is_stored(stored):
    text = json.dumps(stored)
    assert not re.search(r"/(home|Users|tmp|work|usr)\b|\.local\b|\\\\", text)
