"""The attention viewer: every form that weights come in, numbers against the tensors, and the file that it saves."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
import torch
from torch import nn

from attnbook.studies import START, VOCABULARY, stored_model
from attnbook.widgets import AttentionViewer
from attnbook.widgets.attention_patterns import SENTENCE
from attnbook.widgets.attention_viewer.given import visible
from attnbook.widgets.attention_viewer.packing import part_of

L, H, T, S = 2, 3, 5, 7


def weights(*shape, seed=0):
    """Random distributions over the last axis."""
    generator = torch.Generator().manual_seed(seed)
    return (2 * torch.randn(shape, generator=generator)).softmax(-1)


def words(count, first="w"):
    return [f"{first}{i}" for i in range(count)]


def kind_of(viewer, name=None):
    kinds = viewer.data["kinds"]
    return next(k for k in kinds if name in (None, k["name"]))


def kept_of(viewer, layer, head):
    viewer.layer, viewer.head = layer, head
    return viewer.weights()


# -- what it is given --


@pytest.mark.parametrize(
    ("give", "layers", "heads"),
    [
        (lambda w: w, L, H),
        (lambda w: w.numpy(), L, H),
        (lambda w: w.tolist(), L, H),
        (lambda w: list(w), L, H),
        (lambda w: tuple(layer[None] for layer in w), L, H),
        (lambda w: w[None], L, H),
        (lambda w: w[0], 1, H),
        (lambda w: [w[0][None]], 1, H),
        (lambda w: w[0, 0], 1, 1),
        (lambda w: w.double(), L, H),
        (lambda w: w.clone().requires_grad_(), L, H),
    ],
)
def test_the_forms_that_weights_come_in(give, layers, heads):
    w = weights(L, H, T, S)
    viewer = AttentionViewer(give(w), words(T), words(S, "k"))
    packed = kind_of(viewer)["heads"]
    assert (len(packed), len(packed[0])) == (layers, heads)
    for layer in range(layers):
        for head in range(heads):
            kept = kept_of(viewer, layer + 1, head + 1)
            torch.testing.assert_close(
                torch.from_numpy(kept), w[layer, head], atol=0, rtol=6e-4
            )


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision(dtype):
    w = weights(L, H, T, T).to(dtype)
    kept = kept_of(AttentionViewer(w), L, H)
    torch.testing.assert_close(
        torch.from_numpy(kept), w[-1, -1].float(), atol=1e-7, rtol=6e-4
    )


def test_batch_chooses_the_sequence():
    w = weights(3, L, H, T, T)
    for b in (0, 2, -1):
        kept = AttentionViewer(w, words(T), batch=b).weights()
        assert kept == pytest.approx(w[b, 0, 0].numpy(), rel=6e-4)
    listed = list(w.transpose(0, 1))
    kept = AttentionViewer(listed, words(T), batch=1).weights()
    assert kept == pytest.approx(w[1, 0, 0].numpy(), rel=6e-4)


def test_pytorchs_layer():
    layer = nn.MultiheadAttention(12, 3, batch_first=True)
    x, y = torch.randn(2, T, 12), torch.randn(2, S, 12)
    w = layer(x, y, y, average_attn_weights=False)[1]  # (B, H, T, S)
    viewer = AttentionViewer([w], words(T), words(S), batch=1, head=2)
    assert viewer.weights() == pytest.approx(w[1, 1].detach().numpy(), rel=6e-4)


def test_our_model():
    ids = torch.tensor([[1, 5, 7, 3, 2, 9]])
    w = stored_model()(ids, need_weights=True)[1]
    viewer = AttentionViewer(w, [VOCABULARY[i] for i in ids[0]], layer=2, head=3)
    assert viewer.weights() == pytest.approx(w[0, 1, 2].detach().numpy(), abs=3e-4)


SIZES = {
    "hidden_size": 24,
    "num_attention_heads": 3,
    "num_hidden_layers": 2,
    "intermediate_size": 32,
    "vocab_size": 31,
    "attn_implementation": "eager",
}


def test_a_hugging_face_encoder():
    transformers = pytest.importorskip("transformers")
    model = transformers.BertModel(transformers.BertConfig(**SIZES)).eval()
    ids = torch.arange(T)[None]
    w = model(ids, output_attentions=True).attentions
    viewer = AttentionViewer(w, ids[0], layer=2, head=3)
    assert viewer.weights() == pytest.approx(w[1][0, 2].detach().numpy(), rel=6e-4)
    assert kind_of(viewer)["queries"] == ["0", "1", "2", "3", "4"]


def test_a_hugging_face_decoder():
    transformers = pytest.importorskip("transformers")
    config = transformers.BertGenerationConfig(**SIZES, is_decoder=True)
    model = transformers.BertGenerationDecoder(config).eval()
    w = model(torch.arange(T)[None], output_attentions=True).attentions
    kept = AttentionViewer(w, words(T)).weights()
    assert kept == pytest.approx(w[0][0, 0].detach().numpy(), rel=6e-4)
    assert not np.triu(kept, 1).any()


def test_a_hugging_face_encoder_and_decoder():
    transformers = pytest.importorskip("transformers")
    sizes = {"d_model": 24, "vocab_size": 31, "attn_implementation": "eager"}
    for side in ("encoder", "decoder"):
        sizes |= {f"{side}_layers": 2, f"{side}_attention_heads": 3}
    model = transformers.BartModel(transformers.BartConfig(**sizes)).eval()
    out = model(
        input_ids=torch.arange(S)[None],
        decoder_input_ids=torch.arange(T)[None],
        output_attentions=True,
    )
    source, target = words(S, "s"), words(T, "t")
    viewer = AttentionViewer(
        {
            "encoder": (out.encoder_attentions, source),
            "decoder": (out.decoder_attentions, target),
            "cross": (out.cross_attentions, target, source),
        },
        layer=2,
    )
    given = [out.encoder_attentions, out.decoder_attentions, out.cross_attentions]
    for name, w in zip(("encoder", "decoder", "cross"), given, strict=True):
        viewer.kind = name
        viewer.head = 2
        assert viewer.weights() == pytest.approx(w[1][0, 1].detach().numpy(), rel=6e-4)
    assert "cross: 2 × 3 heads, 5 queries, 7 keys" in repr(viewer)


@pytest.mark.parametrize(
    ("error", "match", "arguments"),
    [
        (ValueError, "4 tokens, but the weights have 5 queries", (weights(H, T, T), words(4))),
        (ValueError, "6 key_tokens, but .* 7 keys", (weights(H, T, S), words(T), words(6))),
        (ValueError, "pass the tokens of the keys", (weights(H, T, S), words(T))),
        (TypeError, "must be a list of tokens, got one text", (weights(T, T), "words")),
        (ValueError, r"pass tokens\[0\]", (weights(T, T), [words(T)])),
        (TypeError, "one of them is 0.5", (weights(T, T), [0.5] * T)),
        (ValueError, "layer 2 is None.*eager", ([weights(H, T, T), None], words(T))),
        (ValueError, "are empty.*eager", ((), words(T))),
        (TypeError, "layer 1 is a tuple.*generate", ([(1, 2), weights(T, T)], words(T))),
        (ValueError, r"differ in shape: \(3, 5, 5\), \(3, 7, 7\)", ([weights(H, T, T), weights(H, S, S)],)),
        (ValueError, r"have shape \(5,\)", (weights(T),)),
        (TypeError, "equally long rows; got list", ([[1.0, 0.0], [1.0]],)),
        (ValueError, r"are \(3, 0, 7\)", (torch.zeros(H, 0, S),)),
        (ValueError, "look like scores", (torch.zeros(T, T).fill_diagonal_(-torch.inf),)),
        (TypeError, r"'self' must be a tuple \(attentions, tokens\).*only its attentions", ({"self": weights(T, T)},)),
        (TypeError, "tokens belong to each kind", ({"self": (weights(T, T),)}, words(T))),
        (ValueError, "at least one kind", ({},)),
    ],
)  # fmt: skip
def test_wrong_arguments(error, match, arguments):
    with pytest.raises(error, match=match):
        AttentionViewer(*arguments)


@pytest.mark.parametrize(
    ("error", "match", "state"),
    [
        (ValueError, "batch is 2, but attentions has 2 sequences", {"batch": 2}),
        (ValueError, "layer is the layer.*from 1 to 2; got 3", {"layer": 3}),
        (ValueError, "head is the head.*from 1 to 3; got 0", {"head": 0}),
        (ValueError, "query's position.*from 0 to 4; got 5", {"query": 5}),
        (ValueError, "from 8 to 64; got 5", {"window": 5}),
        (ValueError, "one of 'attention'; got 'cross'", {"kind": "cross"}),
        (ValueError, "need megabytes=1 or more", {"megabytes": 1e-5}),
        (TypeError, "makes its data", {"data": {}}),
        (TypeError, "has no colour", {"colour": "red"}),
    ],
)
def test_wrong_states(error, match, state):
    with pytest.raises(error, match=match):
        AttentionViewer(weights(2, L, H, T, T), words(T), **state)


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (" the", "␣the"),
        ("▁the", "▁the"),
        ("Ġthe", "Ġthe"),
        ("##s", "##s"),
        ("\n", "⏎"),
        ("", "(empty)"),
        ("\x00", "\\x00"),
        ("\u202e", "\\u202e"),
        ("مى\u200cخواهم", "مى\u200cخواهم"),
        ("注意力", "注意力"),
    ],
)
def test_tokens_are_made_visible_and_no_more(token, shown):
    assert visible(token) == shown


# -- in the browser: the numbers --


def row(page, viewer, axis, i, layer, head):
    found = page.math("largestOf", viewer.data["kinds"][0], layer, head, axis, i)
    return [(one["at"], one["weight"]) for one in found]


def sorted_row(line):
    return sorted(enumerate(line.tolist()), key=lambda one: (-one[1], one[0]))


def test_rows_and_columns_are_those_of_the_tensor(open_figure):
    w = weights(L, H, T, S).half()
    viewer = AttentionViewer(w, words(T), words(S, "k"))
    page = open_figure(viewer)
    for i in range(T):
        assert row(page, viewer, "rows", i, 2, 3) == sorted_row(w[1, 2, i])
    for j in range(S):
        assert row(page, viewer, "columns", j, 2, 3) == sorted_row(w[1, 2, :, j])
    part = page.math("partOf", viewer.data["kinds"][0], 2, 3, [1, 4], [2, 7])
    assert part == w[1, 2, 1:4, 2:7].flatten().tolist()


LONG, KEYS = 97, 83


@pytest.fixture(scope="module")
def long():
    """A viewer that has room for a few weights of each row and column only, and its tensor."""
    w = weights(1, 2, LONG, KEYS).half()
    w[0, 1, 11] = torch.nan
    viewer = AttentionViewer(w, words(LONG), words(KEYS, "k"), megabytes=0.06, head=2)
    assert 2 <= kind_of(viewer)["kept"] <= 20
    return viewer, w[0]


def test_of_a_long_head_the_largest_are_kept(open_figure, long):
    viewer, w = long
    kept = kind_of(viewer)["kept"]
    page = open_figure(viewer)
    lines = [("rows", i, w[1, i]) for i in (0, 50, LONG - 1)]
    lines += [("columns", j, w[1, :, j].nan_to_num(-1)) for j in (0, 41, KEYS - 1)]
    for axis, i, line in lines:
        found = row(page, viewer, axis, i, 1, 2)
        best = line.sort(descending=True).values[:kept].tolist()
        assert [weight for _, weight in found] == best
        assert len({at for at, _ in found}) == kept
        assert [line[at].item() for at, _ in found] == best
    assert row(page, viewer, "rows", 11, 1, 2) == []


def test_of_a_long_head_python_reads_the_same(long):
    viewer, w = long
    kept, known = kind_of(viewer)["kept"], w[1].float().nan_to_num(-1)
    read = torch.from_numpy(viewer.weights())
    assert read[11].isnan().all() and read.isnan().sum() == KEYS
    there = read >= 0
    assert torch.equal(read[there], known[there])
    last = [known.topk(kept, dim=axis).values.amin(axis, True) for axis in (0, 1)]
    known[11] = -2
    assert there[(known > last[0]) | (known > last[1])].all()
    assert not there[(known < last[0]) & (known < last[1])].any()


def test_a_part_of_a_head():
    w = weights(T, S)
    kind = kind_of(AttentionViewer(w))
    part = part_of(kind["heads"][0][0], (T, S), None, range(2, 4), range(3, 7))
    assert part == pytest.approx(w[2:4, 3:7].numpy(), rel=6e-4)


def test_a_window_of_a_long_head_never_shows_another_number(open_figure, long):
    viewer, w = long
    page = open_figure(viewer)
    cells = page.math("partOf", viewer.data["kinds"][0], 1, 2, [5, 53], [20, 60])
    shown = torch.tensor([float("nan") if c is None else c for c in cells]).view(48, 40)
    true = w[1, 5:53, 20:60].float()
    there = shown >= 0
    assert torch.equal(shown[there], true[there])
    assert 0.01 < there.float().mean() < 0.6
    assert shown[6].isnan().all() and not shown[7:].isnan().any()
    in_python = torch.from_numpy(viewer.weights())[5:53, 20:60]
    torch.testing.assert_close(in_python, shown, atol=0, rtol=0, equal_nan=True)


def test_sums_of_a_long_head(open_figure, long):
    viewer, w = long
    page, kind = open_figure(viewer), viewer.data["kinds"][0]
    whole = w.float()
    for i in (0, 60):
        total = page.math("sumOf", kind, 1, 2, "rows", i)
        assert total == pytest.approx(whole[1, i].sum().item(), rel=6e-4)
    for j in (0, 60):
        total = page.math("sumOf", kind, 1, 2, "columns", j)
        assert total == pytest.approx(whole[1, :, j].nansum().item(), rel=6e-4)


def test_the_map_of_a_head_holds_the_largest_weight_of_each_cell(open_figure):
    w = weights(128 * 3, 128 * 2)
    viewer = AttentionViewer(w)
    page, kind = open_figure(viewer), kind_of(viewer)
    assert kind["map"] == [128, 128] and kind["thumb"] == [64, 64]
    for name, side in (("map", 128), ("thumb", 64)):
        cells = torch.tensor(page.math("mapOf", kind["heads"][0][0][name]))
        wanted = w.view(side, 384 // side, side, 256 // side).amax((1, 3))
        torch.testing.assert_close(cells.view(side, side), wanted, atol=3e-3, rtol=0)


@pytest.mark.parametrize(
    ("weight", "text"),
    [(0, "< 0.001"), (0.6249, "0.625"), (1, "1.000"), (0.0996, "0.100"), (0.00339, "0.003")]
    + [(9.99e-4, "< 0.001"), (6e-8, "< 0.001"), (-2e-5, "> −0.001")]
    + [(-1, "not kept"), (-0.25, "−0.250"), (0.001, "0.001")],
)  # fmt: skip
def test_three_decimals(open_figure, weight, text):
    page = open_figure(AttentionViewer(weights(T, T)))
    assert page.math("threeDecimals", weight) == text


# -- in the browser: what is seen --


def listed(page, name):
    rows = page.page.locator(f'[data-value="{name}"] tbody tr')
    found = [
        rows.nth(i).locator("td, th").all_inner_texts() for i in range(rows.count())
    ]
    return [one for one in found if one[0].strip()]


def note(page):
    return page.page.locator('[data-value="note"]').inner_text()


def said(page):
    return page.page.locator(".ab-said").inner_text()


def test_it_begins_with_the_middle_query_and_the_key_it_looks_at(open_figure):
    w = weights(L, H, T, S)
    viewer = AttentionViewer(w, words(T), words(S, "k"), layer=2, head=3)
    best = int(w[1, 2, 2].argmax())
    assert (viewer.query, viewer.key) == (2, best)
    page = open_figure(viewer)
    assert page.read("weight") == pytest.approx(w[1, 2, 2].max().item(), rel=6e-4)
    assert page.read("spent") == pytest.approx(1, abs=2e-3)
    column = w[1, 2, :, best]
    assert page.read("received") == pytest.approx(column.mean().item(), rel=1e-3)
    assert [int(one[0]) for one in listed(page, "top-keys")] == [
        at for at, _ in sorted_row(w[1, 2, 2])
    ]
    queries = [f"w{at}" for at, _ in sorted_row(column)]
    assert [one[1] for one in listed(page, "top-queries")] == queries
    assert "Query 2 “w2” gives its largest weight" in said(page)
    assert f"from query {queries[0][1:]} “{queries[0]}”" in said(page)


def test_by_keyboard(open_figure):
    page = open_figure(AttentionViewer(weights(L, H, T, T), words(T), query=1, key=1))
    page.press("overview", "ArrowRight", "ArrowDown", "ArrowDown")
    assert (page.state("layer"), page.state("head")) == (2, 2)
    page.press("map", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp")
    assert (page.state("query"), page.state("key")) == (0, 3)
    page.press("key", "End")
    assert page.state("key") == T - 1
    page.choose("shade", "square root of the weight")
    assert page.state("shade") == "root"
    page.reset()
    states = [page.state(name) for name in ("layer", "head", "query", "key", "shade")]
    assert states == [1, 1, 1, 1, "weight"]


def click_at(page, handle, down, across):
    """Clicks into a field, at parts of its height and width."""
    page.handle(handle).scroll_into_view_if_needed()
    box = page.handle(handle).bounding_box()
    page.page.mouse.click(
        box["x"] + across * box["width"], box["y"] + down * box["height"]
    )
    page.settle()


def test_by_mouse(open_figure):
    page = open_figure(AttentionViewer(weights(L, H, T, S), words(T), words(S, "k")))
    click_at(page, "overview", 0.75, 0.5)
    assert (page.state("layer"), page.state("head")) == (2, 2)
    click_at(page, "map", 0.5 / T, 5.5 / S)
    assert (page.state("query"), page.state("key")) == (0, 5)
    lines = page.page.locator("svg").last
    lines.get_by_text("w3", exact=True).click()
    lines.get_by_text("k1", exact=True).click()
    page.settle()
    assert (page.state("query"), page.state("key")) == (3, 1)


def test_the_window_follows_query_and_key(open_figure):
    viewer = AttentionViewer(
        weights(200, 300), words(200), words(300, "k"), query=0, key=0, window=48
    )
    page = open_figure(viewer)
    click_at(page, "whole", 0.75, 0.5)
    assert (page.state("query"), page.state("key")) == (150, 150)
    assert page.page.get_by_text("w150", exact=True).count() >= 1
    page.press("whole", "ArrowRight")
    assert page.state("key") == 198
    page.slide("window", 16)
    page.press("map", "Shift+ArrowDown")
    assert page.state("query") == 158
    labels = page.page.locator("svg").last.locator("text").all_text_contents()
    assert "w144" in labels and "w159" in labels and "w160" not in labels
    assert page.math("pageOf", 158, 200, 16) == [144, 160]
    assert page.math("pageOf", 199, 200, 16) == [184, 200]


@pytest.mark.parametrize("count", [14, 64])
def test_the_card_keeps_its_height_whatever_the_window(open_figure, count):
    page = open_figure(AttentionViewer(weights(2, 4, count, count)), width=850)
    heights = []
    for window in (64, 32, 8):
        page.slide("window", window)
        heights.append(page.page.locator(".ab-card").bounding_box()["height"])
    assert heights == pytest.approx([heights[0]] * 3, abs=1)


def test_the_spread_of_a_row(open_figure, long):
    w = weights(T, S)
    w[2] = torch.tensor([0.3, 0.45, 0.05, 0.2, 0, 0, 0])
    w[3] = torch.eye(S)[6]
    viewer = AttentionViewer(w, query=2, key=0)
    page, kind = open_figure(viewer), viewer.data["kinds"][0]
    row = w[2][w[2] > 0]
    entropy = -(row * row.log()).sum().item()
    found = page.math("spreadOf", kind, 1, 1, 2)
    assert (found["most"], found["seen"]) == (3, 4)
    assert found["entropy"] == pytest.approx(entropy, rel=2e-3)
    assert "90 % of its weight lies on 3 keys." in said(page)
    assert page.text("entropy") == "1.19 of 1.95"  # even weights on all 7 keys
    page.set(query=3)
    assert "Its other weights are 0, or too small to be stored." in said(page)
    viewer, _ = long
    page = open_figure(viewer)
    kinds = viewer.data["kinds"][0]
    assert page.math("spreadOf", kinds, 1, 2, 11) is None
    assert page.text("entropy") == "–"


@pytest.fixture(scope="module")
def causal():
    """Weights (L, H, 11, 11) of the book's model, which looks back only."""
    text = [START, *SENTENCE[:10]]
    with torch.no_grad():
        ids = torch.tensor([[VOCABULARY.index(word) for word in text]])
        return stored_model()(ids, need_weights=True)[1][0], text


def test_masked_keys_are_said_to_be_masked(open_figure, causal):
    w, text = causal
    page = open_figure(AttentionViewer(w, text, layer=2, head=1))
    rows = listed(page, "top-keys")
    assert sorted(int(one[0]) for one in rows) == [0, 1, 2, 3, 4, 5]
    assert page.text("entropy").endswith(" of 1.79")  # even weights on 6 keys
    page.set(key=8)
    assert page.text("weight") == "masked"
    looking = [int(one[0]) for one in listed(page, "top-queries")]
    assert sorted(looking) == [8, 9, 10]
    page.set(query=0, key=0)
    assert "It sees no other key." in said(page)
    assert "masked" in page.page.locator("svg text").all_text_contents()
    page = open_figure(AttentionViewer(weights(L, H, T, T), words(T)))
    assert page.page.get_by_text("masked").count() == 0


@pytest.mark.parametrize("count", [64, 96, 200])
def test_a_causal_mask_is_seen_in_small_maps_too(open_figure, count):
    later = torch.ones(count, count, dtype=torch.bool).triu(1)
    w = torch.randn(2, count, count).masked_fill(later, -torch.inf).softmax(-1)
    for one, found in ((w, True), (weights(2, count, count), False)):
        viewer = AttentionViewer(one, megabytes=0.2)
        page, kind = open_figure(viewer), kind_of(viewer)
        assert page.math("isCausal", kind) is found
        page.set(query=3, key=count - 5)
        assert (page.text("weight") == "masked") is found


@pytest.mark.parametrize("head", [1, 2, 3, 4])
def test_the_key_that_gets_most_is_named(open_figure, causal, head):
    """Of a key counts the average of the queries that see it; the last key, which one query sees, does not compete."""
    w, text = causal
    page = open_figure(AttentionViewer(w, text, layer=2, head=head))
    means = torch.stack([w[1, head - 1, j:, j].mean() for j in range(len(text))])
    best = int(means[:-1].argmax())
    for key in range(len(text)):
        page.set(key=key)
        assert page.read("received") == pytest.approx(means[key].item(), abs=1e-3)
        named = f"its average, {means[key]:.3f}, is the highest of all keys" in said(
            page
        )
        assert named is (key == best)
    assert head != 3 or text[best] == "and"


def test_a_query_without_a_choice_is_not_the_one_that_looks_most(open_figure, causal):
    w, text = causal
    page = open_figure(AttentionViewer(w, text, layer=2, head=1, key=0))
    assert w[1, 0, 0, 0] == 1 and "from query 0" not in said(page)
    assert "(query 0 has no choice)" in said(page)
    page.set(key=10)
    assert "Only query 10 “old” sees key 10 “old”: " in said(page)


def test_what_is_outside_the_window_is_said_not_to_be_shown(open_figure, causal):
    w, text = causal
    state = {"layer": 2, "head": 3, "query": 10, "key": 3}
    page = open_figure(AttentionViewer(w, text, **state, window=8))
    assert "to key 8 “and” (not shown)." in said(page)
    page.slide("window", 11)
    assert "to key 8 “and”." in said(page)


@pytest.mark.parametrize(("count", "most"), [(8, None), (11, 11), (64, 64), (90, 64)])
def test_the_window_is_no_larger_than_the_text(open_figure, count, most):
    page = open_figure(AttentionViewer(weights(1, 2, count, count)))
    window = page.page.locator('input[data-control="window"]')
    assert window.count() == (most is not None)
    if most:
        assert int(window.get_attribute("max")) == most
        assert page.text("window") == str(most)


@pytest.mark.parametrize("width", [390, 850, 1000])
def test_the_card_keeps_its_height_whatever_is_chosen(open_figure, causal, width):
    page = open_figure(AttentionViewer(*causal, layer=2, head=1), width=width)
    heights = set()
    for window in (11, 8):
        page.slide("window", window) if width > 480 else page.set(window=window)
        for head, query, key in (
            (1, 0, 0),
            (1, 3, 10),
            (3, 8, 0),
            (3, 10, 3),
            (2, 3, 7),
        ):
            page.set(head=head, query=query, key=key)
            heights.add(page.page.locator(".ab-card").bounding_box()["height"])
    assert max(heights) - min(heights) <= 1


@pytest.mark.parametrize("width", [800, 1000])
def test_columns_side_by_side_are_about_as_high(open_figure, causal, width):
    page = open_figure(AttentionViewer(*causal, layer=2, head=1), width=width)
    ends = [
        max(one["y"] + one["height"] for one in boxes)
        for boxes in (
            [page.page.locator(name).bounding_box() for name in (".ab-all", ".ab-lists")],
            [page.page.locator(".ab-window").bounding_box()],
        )
    ]  # fmt: skip
    assert abs(ends[0] - ends[1]) < 60


def test_on_a_phone_map_and_sentence_follow_the_controls(open_figure, causal):
    page = open_figure(AttentionViewer(*causal, layer=2, head=1), width=390)
    card, panel, map, said = (
        page.page.locator(name).bounding_box()
        for name in (".ab-card", ".ab-controls", ".ab-window", ".ab-said")
    )
    assert panel["height"] <= 200
    heads = page.page.locator(".ab-all").bounding_box()
    assert panel["y"] < heads["y"] < map["y"] < said["y"] and heads["height"] < 110
    assert said["y"] + said["height"] - card["y"] <= 844


def test_there_is_no_empty_line_for_notes_that_no_head_has(open_figure):
    w = weights(1, 2, T, T)
    page = open_figure(AttentionViewer(w, words(T)))
    assert page.page.locator('[data-value="note"]').is_hidden()
    w[0, 1, 1] *= 0.5
    page = open_figure(AttentionViewer(w, words(T)))
    assert page.page.locator('[data-value="note"]').bounding_box()["height"] > 15


def test_a_short_head_is_shown_as_a_whole(open_figure):
    page = open_figure(AttentionViewer(weights(60, 60)))
    assert not page.handle("whole").is_visible()
    labels = page.page.locator("svg").last.locator("text").all_text_contents()
    assert labels.count("0") == labels.count("59") == 2
    page.slide("window", 16)
    assert page.handle("whole").is_visible()


def test_kinds_of_different_sizes(open_figure):
    viewer = AttentionViewer(
        {
            "decoder": (weights(L, H, S, S), words(S, "s")),
            "cross": (weights(1, 2, T, 3), words(T), words(3, "k")),
        },
        layer=2, head=3, query=6, key=6,
    )  # fmt: skip
    page = open_figure(viewer)
    page.choose("kind", "cross")
    assert said(page).startswith("Query 4 “w4” gives its largest weight")
    slider = page.page.locator('input[data-control="key"]')
    assert slider.get_attribute("max") == "2" and slider.input_value() == "2"
    viewer.kind = "cross"
    assert (viewer.layer, viewer.head, viewer.query, viewer.key) == (1, 2, 4, 2)


def test_what_is_unusual_is_said(open_figure):
    w = weights(1, 2, T, T)
    page = open_figure(AttentionViewer(w, words(T)))
    assert note(page).strip() == ""
    w[0, 1, 1] *= 0.5
    w[0, 1, 2] = 0
    w[0, 1, 4] = torch.nan
    page = open_figure(AttentionViewer(w, words(T), head=2, query=4))
    assert (
        "2 queries of this head have weights that do not sum to 1: 0.00 to 0.50"
        in note(page)
    )
    assert "One query has NaN weights (hatched)" in note(page)
    assert said(page).startswith("Query 4 “w4” has no weights: they are NaN.")
    assert page.text("spent") == "NaN" and listed(page, "top-keys") == []
    page.press("overview", "ArrowLeft")
    assert note(page).strip() == ""


def test_a_key_that_nobody_looks_at(open_figure):
    w = torch.eye(T)[None].roll(1, -1)
    w[0, 1] = w[0, 0]
    page = open_figure(AttentionViewer(w, words(T), query=0, key=2))
    assert said(page).endswith("Key 2 “w2” has weights of 0.000 only.")


def test_what_was_not_kept_is_said(open_figure, long):
    viewer, _ = long
    page = open_figure(viewer)
    kept = kind_of(viewer)["kept"]
    assert f"Stored are the {kept} largest weights of each query" in note(page)
    page.press("map", *["ArrowRight"] * 3)
    texts = {page.text("weight")}
    for _ in range(12):
        page.press("map", "ArrowRight")
        texts.add(page.text("weight"))
    assert "not kept" in texts


NASTY = [
    "</script><b>x</b>",
    '"&<img src=x onerror=alert(1)>',
    "ab" * 40,
    "العربية",
    "注意",
]


def test_tokens_are_text_and_nothing_else(open_figure):
    page = open_figure(AttentionViewer(weights(T, T), NASTY, query=0, key=2))
    assert page.live and page.page.locator(".ab-card b, .ab-card img").count() == 0
    labels = page.page.locator("svg").last.locator("text").all_text_contents()
    assert "العربية" in labels and "注意" in labels
    titles = page.page.locator("svg").last.locator("title").all_text_contents()
    assert NASTY[0] in titles and NASTY[2] in titles


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    viewer = AttentionViewer(weights(4, 12, 60, 60), ["a rather long token"] * 60)
    page = open_figure(viewer, width=390, theme=theme)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_the_title_of_the_map_is_short(open_figure):
    viewer = AttentionViewer(weights(2, 4, 14, 14))
    for width, axes in ((390, "queries ↓, keys →"), (850, "queries down, keys across")):
        texts = open_figure(viewer, width=width).page.locator("svg text")
        assert f"Layer 1, head 1: {axes}" in texts.all_text_contents()


def test_the_theme_may_change(open_figure):
    page = open_figure(AttentionViewer(weights(T, T)))
    images = (
        "[...document.querySelectorAll('image')].map((i) => i.getAttribute('href'))"
    )
    light = page.page.evaluate(images)
    page.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.settle()
    dark = page.page.evaluate(images)
    assert len(light) == len(dark) == 2
    assert all(one != other for one, other in zip(light, dark, strict=True))


# -- sizes --


def test_long_sequences_stay_small(open_figure):
    """What the page holds does not grow with the tokens: neither its elements nor, beyond its limit, its data."""
    w = weights(1, 1, 700, 700).half().expand(3, 4, 700, 700)
    viewer = AttentionViewer(w, words(700), megabytes=1.5)
    html = viewer.to_html(most=None)
    assert 1e6 < len(html) < 1.7e6
    page = open_figure(viewer)
    assert page.page.evaluate("document.querySelectorAll('*').length") < 1200
    small = open_figure(AttentionViewer(weights(3, 4, 60, 60), words(60)))
    assert small.page.evaluate("document.querySelectorAll('*').length") < 1200


def test_a_notebook_keeps_a_picture_if_the_data_are_too_large(open_figure):
    viewer = AttentionViewer(weights(L, H, 400, 400), words(400))
    html = viewer.to_html()
    assert len(html) < 500_000 and "viewer.save" in html
    page = open_figure(viewer)
    assert not page.live and page.page.locator("img").is_visible()


# -- files --


@pytest.fixture
def saved(browser, tmp_path):
    """A function: viewer → a browser page of the file that it saves, without network."""
    contexts, problems = [], []

    def open_one(viewer, **options):
        viewer.save(tmp_path / "attention.html")
        assert [p.name for p in tmp_path.iterdir()] == ["attention.html"]
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: problems.append(m.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "request",
            lambda r: r.url.startswith(("file:", "data:")) or problems.append(r.url),
        )
        page.goto((tmp_path / "attention.html").as_uri())
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not problems


def test_one_file_holds_everything(saved):
    page = saved(
        AttentionViewer(weights(L, H, T, T), NASTY, layer=2), color_scheme="dark"
    )
    page.wait_for_selector(".ab-live .ab-card")
    page.locator('[data-handle="map"]').focus()
    page.keyboard.press("ArrowDown")
    assert "Query 3" in page.locator(".ab-said").inner_text()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_without_scripts_the_file_shows_its_picture(saved):
    page = saved(AttentionViewer(weights(T, T), NASTY), java_script_enabled=False)
    image = page.locator("img")
    assert image.is_visible() and image.bounding_box()["height"] > 150


def test_the_picture_is_what_is_shown(tmp_path, long):
    viewer, _ = long
    for one in (viewer, AttentionViewer(weights(L, H, T, T), NASTY, query=3, key=4)):
        one.save(tmp_path / "attention.svg")
        root = ET.fromstring((tmp_path / "attention.svg").read_text("utf-8"))
        texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        kind = kind_of(one)
        assert kind["queries"][one.query] in texts
        assert (kind["keys"] or kind["queries"])[one.key] in texts
        assert f"Layer {one.layer}, head {one.head}: queries down, keys across" in texts
        assert len(list(root.iter("{http://www.w3.org/2000/svg}image"))) == 2


def test_other_endings_are_an_error(tmp_path):
    with pytest.raises(ValueError, match="writes .html or .svg files, not 'a.png'"):
        AttentionViewer(weights(T, T)).save(tmp_path / "a.png")
