"""Files of weights: what is written is what is read, here and in the browser, and by others."""

import base64
import hashlib
import re

import pytest
import torch
from safetensors.torch import load_file
from torch.testing import assert_close

from attnbook.weights import FOLDER, read_weights, to_float, to_half, to_int8, weights_file
from attnbook.widgets.kit import KIT

FILES = sorted(path.name for path in FOLDER.glob("*.safetensors"))
EDGES = [0.0, 1.0, -2.5, 6e-8, 3e-5, -6.1e-5, 0.1, 65504.0]  # of half precision
READ = """([source, base64]) => {
  const file = new Function(`${source}; return readWeights;`)()(base64);
  const textOf = (data) => {
    let text = "";
    const bytes = new Uint8Array(data.buffer);
    for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
    return btoa(text);
  };
  const weights = file.names.map((name) => [name, { ...file.weight(name), data: textOf(file.weight(name).data) }]);
  return { about: file.about, weights: Object.fromEntries(weights) };
}"""


def some():
    numbers = torch.Generator().manual_seed(0)
    matrix = torch.randn(5, 7, generator=numbers)
    matrix[2] = 0
    row = torch.randn(1, 11, generator=numbers)
    return {"a.weight": matrix, "a.bias": matrix[1], "w": row, "x": matrix.T}


def bits(weights):
    return {name: (w.shape, w.numpy().tobytes()) for name, w in weights.items()}


def in_the_browser(page, content):
    source = (KIT / "weights.js").read_text("utf-8").replace("export ", "")
    return page.evaluate(READ, [source, base64.b64encode(content).decode()])


@pytest.fixture(scope="module")
def blank(browser):
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("stored", [to_int8, to_half])
def test_what_is_written_is_what_is_read(tmp_path, stored):
    about = {"name": "ä\n</script>", "sizes": [1, 2.5, None]}
    path = tmp_path / "new.safetensors"
    path.write_bytes(weights_file(stored(some()), about))
    weights, said = read_weights(path)
    assert said == about and bits(weights) == bits(to_float(stored(some())))
    assert weights_file(stored(some()), about) == path.read_bytes()
    assert load_file(path).keys() >= weights.keys()


def test_eight_bits_are_fine_enough_and_are_found_again():
    stored = to_int8(some())
    assert {name: str(t.dtype)[6:] for name, t in stored.items()} == {
        "a.weight": "int8",
        "a.weight.scales": "float32",
        "a.bias": "float32",
        "w": "float32",
        "x": "int8",
        "x.scales": "float32",
    }
    weights = to_float(stored)
    assert bits(to_float(to_int8(weights))) == bits(weights)
    assert torch.equal(weights["a.bias"], some()["a.bias"])
    assert not weights["a.weight"][2].any()
    for name in ("a.weight", "x"):
        step = some()[name].abs().amax(1, keepdim=True) / 127
        assert ((weights[name] - some()[name]).abs() <= 0.5001 * step).all()


def test_blocks_of_a_row_have_steps_of_their_own():
    numbers = torch.Generator().manual_seed(1)
    given = torch.randn(5, 21, generator=numbers) * torch.tensor([1.0, 0.02, 30.0]).repeat_interleave(7)
    given[3, 7:14] = 0
    stored = to_int8({"w": given, "b": given[0]}, block=7)
    assert stored["w.scales"].shape == (5, 3) and stored["w.scales"].dtype == torch.float16
    weights = to_float(stored)
    top = given.view(5, 3, 7).abs().amax(-1, keepdim=True)
    off = (weights["w"] - given).view(5, 3, 7).abs()
    assert (off <= top / 127 * 0.57).all() and not weights["w"][3, 7:14].any()  # half a step, and the scale's rounding
    assert bits(to_float(to_int8(weights, block=7))) == bits(weights)
    assert torch.equal(weights["b"], given[0])
    with pytest.raises(ValueError, match="w has 21 columns, which blocks of 4 do not divide"):
        to_int8({"w": given}, block=4)


def test_the_browser_reads_blocks(blank):
    numbers = torch.Generator().manual_seed(2)
    given = torch.randn(5, 21, generator=numbers)
    content = weights_file(to_int8({"w": given}, block=7) | to_half({"h": given}), {"name": "é"})
    found = in_the_browser(blank, content)
    for name, weight in to_float(to_int8({"w": given}, block=7) | to_half({"h": given})).items():
        assert base64.b64decode(found["weights"][name]["data"]) == weight.numpy().tobytes(), name
    assert found["about"] == {"name": "é"}


def test_half_precision_is_rounded_once():
    weights = to_float(to_half(some()))
    assert_close(weights, some(), rtol=2**-11, atol=1e-7)
    assert bits(to_float(to_half(weights))) == bits(weights)


@pytest.mark.parametrize("value", [torch.nan, -torch.inf])
def test_weights_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError, match="b is not finite everywhere"):
        to_int8({"a": torch.zeros(2, 3), "b": torch.tensor([[1.0], [value]])})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e5])
def test_half_precision_holds_what_it_can(value):
    with pytest.raises(ValueError, match="b is not finite everywhere in half"):
        to_half({"a": torch.zeros(2), "b": torch.tensor([1.0, value])})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "SafetensorError"),
        (b'{"format": "attnbook page model 1"}', "an earlier version wrote JSON"),
        (weights_file({"a": torch.zeros(3)}, ["b"]), "about is"),
        (weights_file({"a": torch.zeros(3, 2).to(torch.int8)}, {}), "'a.scales'"),
        (weights_file({"a": torch.zeros(3, 2).char(), "a.scales": torch.ones(2)}, {}), "The size of tensor"),
    ],
    ids=["empty", "json", "about", "no-scales", "few-scales"],
)
def test_another_file_is_named(tmp_path, content, says):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=says) as caught:
        read_weights(path)
    assert "model.safetensors is no file of weights" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file .*gone"):
        read_weights(tmp_path / "gone")


# -- those of the book --


@pytest.mark.parametrize("name", FILES)
def test_where_a_file_comes_from_is_told(name):
    """A file made anew gets a new line: pages and chapters show what the old one did."""
    told = dict(
        re.findall(r"^\| (\S+) \|.*`([0-9a-f]{64})` \|$", (FOLDER / "SOURCES.md").read_text("utf-8"), re.MULTILINE)
    )
    assert list(told) and set(told) == set(FILES)
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == told[name]


@pytest.mark.parametrize("name", [n for n in FILES if not n.startswith("sentences")])
def test_the_browser_reads_the_same_bits(blank, name):
    weights, about = read_weights(FOLDER / name)
    found = in_the_browser(blank, (FOLDER / name).read_bytes())
    assert found["about"] == about and found["weights"].keys() == weights.keys()
    for key, weight in weights.items():
        read = found["weights"][key]
        assert [read["rows"], read["cols"]] == [1, *weight.shape][-2:], key
        assert base64.b64decode(read["data"]) == weight.numpy().tobytes(), key


def test_the_browser_reads_all_kinds_of_numbers(blank):
    whole = torch.tensor([0, 2**31, 2**32 - 1]).to(torch.uint32)
    stored = {"h": torch.tensor(EDGES).half(), "n": whole}
    found = in_the_browser(blank, weights_file(stored, {}))["weights"]
    for name, expected in (("h", stored["h"].float()), ("n", whole)):
        assert base64.b64decode(found[name]["data"]) == expected.numpy().tobytes()
