"""The small model of the attention viewer: causal, measured as described, stored without loss of what is claimed."""

import json

import pytest
import torch
from torch.testing import assert_close

from attnbook.attention import causal_mask, sinusoidal_encoding
from attnbook.studies import (
    JOBS,
    START,
    STORED,
    VOCABULARY,
    NextWordModel,
    Sentence,
    agreement_sentence,
    answer_accuracy,
    fit_sentences,
    measure_heads,
    noun_sentence,
    sentence_loss,
    sentences,
    stored_model,
    to_ids,
    without_head,
)
from attnbook.studies.next_words import STORED_MODEL
from attnbook.weights import read_weights, weights_file

DATA = json.loads(STORED.read_text("utf-8"))
WEIGHTS, ABOUT = read_weights(STORED_MODEL)
REPEATED = (START, "the", "old", "dog", "sees", "the", "shy", "cats", "and", "the", "old", "dog", "runs", ".")


@pytest.fixture(scope="module")
def model():
    return stored_model()


@pytest.fixture(scope="module")
def fresh():
    torch.manual_seed(0)
    return NextWordModel(d_model=12, num_heads=3, d_ff=7, num_layers=2).eval()


@pytest.fixture(scope="module")
def held_out():
    return [
        *(s for s in sentences(200, 77, True, agreement_sentence) if s.far),
        *sentences(200, 78, True, noun_sentence),
    ]


def test_the_model_is_its_parts(fresh):
    ids = torch.tensor([[0, 5, 9, 3, 20], [0, 7, 7, 1, 2]])
    x = fresh.words.weight[ids] * 12**0.5 + sinusoidal_encoding(5, 12)
    seen = []
    for layer in fresh.layers:
        x, weights = layer(x, mask=causal_mask(5), need_weights=True)
        seen.append(weights)
    logits, weights = fresh(ids, need_weights=True)
    assert_close(logits, fresh.norm(x) @ fresh.words.weight.T)
    assert_close(weights, torch.stack(seen, dim=1))
    assert weights.shape == (2, 2, 3, 5, 5) and fresh(ids)[1] is None


def test_no_place_sees_a_later_one(fresh):
    ids = torch.randint(len(VOCABULARY), (1, 9), generator=torch.Generator().manual_seed(0))
    other = ids.clone()
    other[0, 6:] = (other[0, 6:] + 1) % len(VOCABULARY)
    assert_close(fresh(ids)[0][:, :6], fresh(other)[0][:, :6])
    assert not torch.allclose(fresh(ids)[0][:, 6:], fresh(other)[0][:, 6:])


def test_a_silenced_head_still_looks_but_says_nothing(fresh):
    ids = torch.tensor([[0, 5, 9, 3, 20]])
    before = {name: weight.clone() for name, weight in fresh.state_dict().items()}
    quiet = without_head(fresh, 1, 2)
    assert_close(quiet(ids, True)[1][:, 0], fresh(ids, True)[1][:, 0])  # the patterns of its own layer stay
    x = torch.randn(1, 5, 12, generator=torch.Generator().manual_seed(1))
    attention = quiet.layers[0].attention
    with torch.no_grad():
        expected = attention(x)[0]
        attention.W_qkv.weight[24 + 4 : 24 + 8] += 1  # the values of head 2
        assert_close(attention(x)[0], expected)
        attention.W_qkv.weight[24 + 8 : 24 + 12] += 1  # those of head 3
        assert not torch.allclose(attention(x)[0], expected)
    assert all(torch.equal(weight, before[name]) for name, weight in fresh.state_dict().items())


@pytest.mark.parametrize("place", [(0, 1), (3, 1), (1, 0), (1, 4)])
def test_a_head_that_is_not_there_is_named(fresh, place):
    with pytest.raises(ValueError, match="layers 1 to 2 and heads 1 to 3"):
        without_head(fresh, *place)


def test_the_loss_counts_the_answer_twice(fresh):
    some = sentences(3, 0)
    ids, answer = to_ids(some), torch.tensor([s.answer for s in some])
    words, told = [], []
    for row, sentence in zip(ids, some, strict=True):
        n = len(sentence.words)
        chances = fresh(row[None, :n])[0][0].log_softmax(-1)
        words += [-chances[t - 1, row[t]] for t in range(1, n)]
        told.append(-chances[sentence.answer - 1, row[sentence.answer]])
    expected = torch.stack(words).mean() + torch.stack(told).mean()
    assert_close(sentence_loss(fresh, (ids, answer)), expected, rtol=1e-5, atol=1e-5)


def test_heads_are_measured_where_they_are_said_to_be(fresh):
    far = Sentence((START, "the", "dogs", "near", "the", "cat", "run", "."), 2, 6, "agreement")
    again = Sentence(REPEATED, 3, 11, "noun")
    close = Sentence((START, "the", "dogs", "run", "."), 2, 3, "agreement")
    found = measure_heads(fresh, [far, again, close])
    a, b, c = (fresh(to_ids([s], padding=0), True)[1][0].detach() for s in (far, again, close))
    assert found.shape == (2, 3, 6)
    at = dict(zip(JOBS, found.unbind(-1), strict=True))
    assert_close(at["subject"], a[..., 5, 2])
    assert_close(at["noun"], b[..., 10, 3])
    assert_close(at["adjective"], b[..., 3, 2])
    rows = [(seen, t) for seen, s in ((a, far), (b, again), (c, close)) for t in range(2, len(s.words))]
    assert_close(at["before"], torch.stack([seen[..., t, t - 1] for seen, t in rows]).mean(0))
    assert_close(at["itself"], torch.stack([seen[..., t, t] for seen, t in rows]).mean(0))
    assert_close(at["start"], torch.stack([seen[..., t, 0] for seen, t in rows]).mean(0))


@pytest.mark.parametrize(("draw", "missing"), [(noun_sentence, "subject"), (agreement_sentence, "adjective, noun")])
def test_both_kinds_are_needed(fresh, draw, missing):
    with pytest.raises(ValueError, match=f"nothing to measure {missing} on"):
        measure_heads(fresh, sentences(20, 0, draw=draw))


def test_right_and_wrong_are_told_apart():
    class Always(torch.nn.Module):
        """Says one word with certainty, whatever it is asked."""

        def __init__(self, word):
            super().__init__()
            self.word = word

        def forward(self, ids):
            logits = torch.zeros(*ids.shape, len(VOCABULARY))
            logits[..., VOCABULARY.index(self.word)] = 9.0
            return logits, None

    many = Sentence((START, "the", "dogs", "run", "."), 2, 3, "agreement")
    one = Sentence((START, "the", "dog", "runs", "."), 2, 3, "agreement")
    noun = Sentence(REPEATED, 3, 11, "noun")
    assert answer_accuracy(Always("sing"), [many, one, noun]) == pytest.approx(1 / 3)  # another verb of its number
    assert answer_accuracy(Always("sings"), [one]) == 1 and answer_accuracy(Always("sings"), [many]) == 0
    assert answer_accuracy(Always("dog"), [noun]) == 1 and answer_accuracy(Always("dogs"), [noun]) == 0


def test_training_is_seeded_and_lowers_the_loss():
    sizes = {"d_model": 12, "num_heads": 2, "d_ff": 16, "num_layers": 1}
    (first, losses), (second, again) = (fit_sentences(3, steps=30, **sizes) for _ in range(2))
    assert losses == again and len(losses) == 30
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert sum(losses[-5:]) < 0.9 * sum(losses[:5])
    assert not first.training


# --- the model that is stored -------------------------------------------------------------------------------------


def test_the_stored_file_says_where_it_comes_from_and_is_small():
    assert STORED.stat().st_size < 5_000 and STORED_MODEL.stat().st_size < 80_000
    assert all(ABOUT[key] == DATA[key] for key in ("command", "versions", "seed"))
    assert DATA["command"].startswith("python -m tools.experiments next_words --seeds")
    assert DATA["versions"].keys() == {"python", "torch"}
    assert [run["seed"] for run in DATA["runs"]] == list(range(len(DATA["runs"])))
    assert len(DATA["runs"]) >= 3 and DATA["seed"] in range(len(DATA["runs"]))


def test_the_stored_model_is_right_about_sentences_that_no_training_saw(model, held_out):
    assert answer_accuracy(model, held_out) > 0.99


def test_what_is_stored_of_the_heads_is_what_they_do_on_other_sentences(model, held_out):
    stored = torch.tensor([[[head[job] for job in JOBS] for head in layer] for layer in DATA["measured"]["heads"]])
    assert_close(measure_heads(model, held_out), stored, rtol=0, atol=0.05)


def test_what_is_stored_of_switching_heads_off_is_so(model, held_out):
    for kind in ("agreement", "noun"):
        some = [s for s in held_out if s.kind == kind]
        for layer, heads in enumerate(DATA["measured"]["heads"], 1):
            for head, facts in enumerate(heads, 1):
                found = answer_accuracy(without_head(model, layer, head), some)
                assert found == pytest.approx(facts["without"][kind], abs=0.1), (kind, layer, head)


def test_the_examples_are_held_out_and_all_told_rightly(model):
    examples = [Sentence((START, *e["words"]), e["source"], e["answer"], e["kind"]) for e in DATA["examples"]]
    assert all(sentence.held_out for sentence in examples)
    assert answer_accuracy(model, examples) == 1
    assert {e["kind"] for e in DATA["examples"]} == {"agreement", "noun"}


@pytest.mark.parametrize(
    ("left_out", "change", "says"),
    [
        ("", {"vocabulary": VOCABULARY[:-1]}, "a vocabulary other than that of attnbook.studies"),
        ("", {"config": {**ABOUT["config"], "d_ff": 65}}, "weights that do not fit the sizes it states"),
        ("norm.bias", {}, "norm.bias"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path, left_out, change, says):
    path = tmp_path / "model.safetensors"
    weights = {name: w for name, w in WEIGHTS.items() if name != left_out}
    path.write_bytes(weights_file(weights, ABOUT | change))
    with pytest.raises(ValueError, match=says):
        stored_model(path)


def test_the_experiment_writes_such_a_file(tmp_path, monkeypatch):
    from tools.experiments.__main__ import main

    path, weights = tmp_path / "new" / "model.json", tmp_path / "new" / "model"
    sizes = ["--seeds", "2", "--steps", "2", "--count", "9"]
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)
    main(["next_words", *sizes, "--out", str(path), "--weights", str(weights)])
    found = json.loads(path.read_text("utf-8"))
    assert found.keys() == DATA.keys() and [run["seed"] for run in found["runs"]] == [0, 1]
    assert found["examples"] == DATA["examples"]
    assert stored_model(weights).sizes == ABOUT["config"]
    assert read_weights(weights)[1].keys() == ABOUT.keys()
