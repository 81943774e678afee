"""What only the stand-in has to do: say what it lacks, print as PyTorch prints, share memory, start quickly."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
import twins

from attnbook.exercises import guard
from attnbook.standin import torch as page
from tools import ROOT, standin, standin_names
from tools.standin_names import NAMES

# --- what is missing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["torch.fft", "torch.nn.LSTM", "torch.zeros(2).numpy", "torch.nn.functional.conv1d"])
def test_what_pytorch_has_besides_is_said_to_be_missing_in_the_page(line):
    with pytest.raises(AttributeError, match="is not available in the page: here torch is a small stand-in"):
        eval(line, {"torch": page})


@pytest.mark.parametrize("line", ["torch.sofmax", "torch.nn.Lineer", "torch.zeros(2).summ", "torch.nn.functional.soft"])
def test_a_slip_of_the_pen_reads_as_in_pytorch_and_python_finds_the_nearest_name(line):
    with pytest.raises(AttributeError) as theirs:
        eval(line, {"torch": torch})
    with pytest.raises(AttributeError) as ours:
        eval(line, {"torch": page})
    assert str(ours.value) == str(theirs.value)
    assert ours.value.name == line.rpartition(".")[2] and hasattr(ours.value, "obj")


def test_the_list_of_missing_names_is_what_pytorch_has_and_the_stand_in_lacks():
    # in a fresh process, since importing more of PyTorch adds names to it
    program = "from tools.standin_names import missing_names; print(missing_names(), end='')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert NAMES.read_text("utf-8") == done.stdout, done.stderr


def test_who_asks_for_help_writes_no_list(tmp_path, monkeypatch):
    monkeypatch.setattr(standin_names, "NAMES", tmp_path / "names.txt")
    with pytest.raises(SystemExit):
        standin_names.main(["--help"])
    assert not standin_names.NAMES.exists()


# --- printing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", twins.tables()["printed"])
def test_things_are_written_as_pytorch_writes_them(line):
    theirs, ours = (repr(eval(line, {"torch": t, "inf": float("inf"), "nan": float("nan")})) for t in (torch, page))
    assert ours == theirs


# --- memory ---------------------------------------------------------------------------------------------------------


def test_a_view_shares_its_numbers_and_a_copy_does_not():
    x = page.arange(6.0).reshape(2, 3)
    x.T[0] = 7
    x[1].view(3)[1:].mul_(10)
    x.clone().zero_()
    x[[0]].zero_()
    assert x.tolist() == [[7.0, 1.0, 2.0], [7.0, 40.0, 50.0]]


def test_gradients_gather_in_leaves_until_they_are_forgotten():
    w = page.nn.Parameter(page.ones(2))
    for _ in range(2):
        (w * page.tensor([2.0, 3.0])).sum().backward()
    assert w.grad.tolist() == [4.0, 6.0]
    page.optim.SGD([w], lr=0.5).step()
    assert w.tolist() == [-1.0, -2.0]


def test_the_optimiser_steps_as_pytorchs():
    found = []
    for library in (torch, page):
        w = library.nn.Parameter(library.tensor([1.0, -2.0, 0.5], dtype=library.float64))
        optimiser = library.optim.SGD([w], lr=0.1)
        for _ in range(5):
            optimiser.zero_grad()
            ((w - 3) ** 2).sum().backward()
            optimiser.step()
        found.append(w.tolist())
    assert found[1] == pytest.approx(found[0], rel=1e-12)


def test_a_jacobian():
    found = []
    for library in (torch, page):
        x = library.tensor([1.0, 3.0])
        found.append(library.autograd.functional.jacobian(lambda x: x.outer(x), x).tolist())
    assert found[0] == found[1] and found[1][0] == [[2.0, 0.0], [3.0, 1.0]]


def test_a_function_with_its_own_way_back_can_be_defined_but_not_used():
    class Double(page.autograd.Function):
        pass

    with pytest.raises(AttributeError, match="autograd.Function is not available in the page"):
        Double.apply(page.ones(2))


@pytest.mark.parametrize("options", [{"precision": 3, "sci_mode": False}, {"precision": 2}, {"sci_mode": True}])
def test_print_options_are_pytorchs(options):
    written = []
    for library in (torch, page):
        library.set_printoptions(**options)
        tensors = [[1.0, 2.0], [0.12345, 20.5], [1e-7, 1.0], [0.0], [float("nan"), 3.0], [1e9]]
        written.append([repr(library.tensor(numbers)) for numbers in tensors])
        library.set_printoptions(precision=4)
    assert written[0] == written[1]


def test_gradients_survive_a_write_into_a_part_of_what_they_passed():
    found = []
    for library in (torch, page):
        x = library.arange(12.0).reshape(2, 3, 2).requires_grad_()
        y = x.clone()
        y[:, 1] = library.tensor([5.0, 7.0])
        (y.permute(1, 2, 0).reshape(-1) * library.arange(12.0)).sum().backward()
        found.append(x.grad.tolist())
    assert found[0] == found[1] and found[1][0][1] == [0.0, 0.0]


# --- in the page ----------------------------------------------------------------------------------------------------


def run_in_the_page(program: str) -> str:
    """Run a program for which `import torch` finds the stand-in."""
    path = f"import sys; sys.path[:0] = [{str(standin.STANDIN)!r}, {str(ROOT / 'code')!r}]\n"
    done = subprocess.run([sys.executable, "-c", path + program], capture_output=True, text=True, timeout=120)
    assert not done.returncode, done.stderr
    return done.stdout


def test_the_rooms_that_answers_may_import_work_with_it():
    rooms = "attention", "checks", "pairs", "reproducible", "transformer"
    program = "".join(f"import attnbook.{room}\n" for room in rooms) + "import torch; print(torch.__version__)"
    assert run_in_the_page(program).endswith("+page\n")


WORD_BY_WORD = """
import torch
from attnbook.transformer import Transformer, TransformerConfig

torch.manual_seed(0)
sizes = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_encoder_layers": 1, "num_decoder_layers": 2}
model = Transformer(TransformerConfig(source_vocab_size=7, target_vocab_size=7, **sizes)).eval()
source, lens = torch.tensor([[1, 2, 3, 4], [4, 3, 2, 1]]), torch.tensor([4, 2])
target = torch.tensor([[1, 3, 5, 2, 6], [1, 6, 6, 4, 2]])
with torch.no_grad():
    memory, _ = model.encode(source, lens)
    cache = model.decoder.start_cache(memory)
    steps = [model.decoder(target[:, t : t + 1], memory_lens=lens, cache=cache)[0] for t in range(5)]
    whole, _ = model.decoder(target, memory, memory_lens=lens)
torch.testing.assert_close(torch.cat(steps, dim=1), whole)
print("the same")
"""


def test_a_decoder_writes_word_by_word_with_a_cache():
    assert run_in_the_page(WORD_BY_WORD) == "the same\n"


def test_there_is_no_numpy_and_it_says_so():
    program = "import numpy as np\ntry:\n    np.arange(3)\nexcept AttributeError as error:\n    print(error)"
    assert "numpy.arange is not available in the page" in run_in_the_page(program)


# --- readers' answers: `python -m tools.standin` judges all of them -------------------------------------------------


def test_answers_are_judged_alike_with_pytorch_and_with_the_stand_in():
    levels = [standin.alike(*pair) for pair in standin.both("masked-softmax")]
    assert len(levels) > 30 and {"nothing", "status"}.isdisjoint(levels)
    assert levels.count("outside") <= 2 and levels.count("text") >= 0.9 * len(levels)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["masked-softmax", "nosuch"], "there is no exercise nosuch; there are .*masked-softmax"),
        (["--mutants", "-1"], "--mutants must be at least 0, got -1"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_sentence(words, said, capsys):
    with pytest.raises(SystemExit):
        standin.main(words)
    assert re.search(said, capsys.readouterr().err)


def test_answers_changed_at_random_are_judged_alike():
    levels = [standin.alike(*pair) for pair in standin.both("split-heads", mutants=9, seed=4)]
    assert len(levels) == 9 and "nothing" not in levels


def test_the_answers_change_at_random_but_by_their_seed():
    import random

    def answer(x, y):
        return (x + y).sum(dim=0)

    codes = {standin.changed(answer, random.Random(seed)).__code__.co_code for seed in range(60)}
    twice = [standin.changed(answer, random.Random(5)).__code__.co_consts for _ in range(2)]
    assert len(codes) > 3 and twice[0] == twice[1]


def test_an_answer_that_never_ends_is_stopped_by_the_checker_and_called_so(monkeypatch):
    def endless(scores, mask):
        while True:
            pass

    monkeypatch.setitem(sys.modules, "verdicts", SimpleNamespace(answers=lambda _: [SimpleNamespace(function=endless)]))
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    (verdict,) = standin.judged("masked-softmax", 0, 0)
    assert (verdict["status"], verdict["diagnosis"]) == ("wrong", "takes-too-long") and verdict["seconds"] < 10
    solved = dict.fromkeys(standin.FIELDS) | {"status": "solved"}
    assert standin.alike(verdict, solved) == standin.alike(solved, verdict) == "too long"
    assert standin.alike(verdict, verdict) == "text"


def test_how_far_two_verdicts_agree_is_said_whatever_the_clock_says():
    missing = {"status": "error", "diagnosis": "raises", "about": "", "asks": "", "note": "", "seconds": 1.0}
    missing["says"] = "ModuleNotFoundError: No module named 'numpy'"
    assert standin.alike(missing, missing | {"seconds": 2.0}) == "text"
    assert standin.alike(missing | {"says": "another"}, missing) == "outside"
    judged = missing | {"says": "of a shape"}
    for field, level in (("says", "diagnosis"), ("diagnosis", "status"), ("status", "nothing")):
        assert standin.alike(judged, judged | {field: "other", "seconds": 2.0}) == level


def test_the_stand_in_is_plain_python_and_small():
    files = list(standin.STANDIN.rglob("*.py"))
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    imports = set(re.findall(r"^(?:from|import) (\w+)", "\n".join(lines), re.MULTILINE))
    allowed = {"array", "builtins", "cmath", "collections", "contextlib", "functools", "itertools", "math", "operator"}
    assert imports <= allowed | {"os", "random", "struct", "sys", "warnings"}, imports
    assert len(files) > 10 and len(lines) <= 3000
