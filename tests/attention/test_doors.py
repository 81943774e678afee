"""Every public door of the room: each function and layer called as its signature says, with each argument it names.

A door is tried with what it requires, with each option on top of that, and with all options that go together: a call
gives the same again and leaves its arguments alone, and each option changes what comes back. Then the same calls are
mapped by `torch.vmap`, where no check can read a value; those with nothing besides and with all are made on the meta
device, which has none, and with fake tensors.
"""

import functools
import inspect
from copy import deepcopy

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.func import vmap

from attnbook import attention, transformer, translation
from attnbook.attention import (
    AdditiveAttention,
    CrossAttention,
    DebertaPositions,
    DotProductAttention,
    KeyValueCache,
    LatentAttention,
    LearnedPositions,
    LinearScaling,
    Llama3Scaling,
    MultiHeadAttention,
    MultiplicativeAttention,
    NWKernelRegression,
    QueryPooling,
    RotaryPositions,
    SelfAttention,
    SeparateHeads,
    ShawPositions,
    SinkAttention,
    SinusoidalPositions,
    T5Positions,
    WideHeads,
    causal_mask,
    parallel_memory,
)
from doors import plain
from tensors import HALF_TOLERANCE, B, D, H, S, T, close, coin, fill, randn

E = 2 * H * 2  # D of the layers with heads: an even size for each of them
QUERY, KEY, VALUE = randn(B, T, D), randn(B, S, D, seed=1), randn(B, S, 13, seed=2)
X, MEMORY = randn(B, T, E), randn(B, S, E, seed=1)
LENS, MASK, BIAS = torch.tensor([3, 6]), coin(T, S), randn(1, H, T, S)
OWN_LENS, OWN_MASK, OWN_BIAS = torch.tensor([3, 4]), coin(T, T), randn(1, H, T, T)
SPLIT = {"query": randn(B, H, T, 4), "key": randn(B, H, S, 4)}
POINTS = {"query": randn(T), "key": randn(S), "value": randn(S, seed=3)}
REGRESSION = {"model": NWKernelRegression().double(), "x": randn(T), "y": randn(T)}
GATES = {"decay": randn(B, T).sigmoid() + 0.1, "beta": randn(B, T).sigmoid()}
STATE = {"state": randn(B, D, D)}
SQUARE = {"query": QUERY, "key": randn(B, T, D, seed=4), "value": randn(B, T, D, seed=5)}  # fmt: skip
SOFT = {"valid_lens": LENS, "mask": MASK}
OWN = {"valid_lens": OWN_LENS, "mask": OWN_MASK}
TOKENS = torch.tensor([[1, 2, 1, 2, 1], [3, 3, 4, 4, 3]])
SHAPE = torch.Size([B, T, S])

# A door: what is called (a function by its name, a layer that has been made), what it requires, what it allows.
FUNCTIONS = [
    ("sequence_mask", {"valid_lens": LENS, "num_keys": S}, {}),
    ("causal_mask", {"num_queries": T}, {"num_keys": S, "device": "cpu"}),
    ("sliding_window_mask", {"num_queries": T, "window": 2}, {"num_keys": S, "device": "cpu"}),
    ("combine_masks", {"shape": SHAPE, "mask": MASK},
     {"valid_lens": LENS, "device": "cpu", "names": ("lens", "mask")}),
    ("masked_softmax", {"scores": randn(B, T, S)}, SOFT),
    ("to_blocked", {"mask": MASK}, {}),
    ("from_blocked", {"mask": MASK}, {}),
    ("to_additive", {"mask": MASK}, {"dtype": torch.float64}),
    ("from_additive", {"mask": torch.tensor([[0.0, -1e9]])}, {}),
    ("to_binary", {"mask": MASK}, {}),
    ("from_binary", {"mask": torch.tensor([[0.0, 1.0]])}, {}),
    ("gaussian_score", {"query": QUERY, "key": KEY}, {"width": 0.7}),
    ("dot_score", {"query": QUERY, "key": KEY}, {}),
    ("scaled_dot_score", {"query": QUERY, "key": KEY}, {}),
    ("multiplicative_score", {"query": QUERY, "key": KEY, "weight": randn(D, D)}, {}),
    ("additive_score", {"query": QUERY, "key": KEY, "W_q": randn(4, D), "W_k": randn(4, D), "w_v": randn(4)}, {}),
    ("concat_score", {"query": QUERY, "key": KEY, "W": randn(4, 2 * D), "w_v": randn(4)}, {}),
    *((kernel, {"u": randn(T, S)}, {}) for kernel in attention.KERNELS),
    ("attention_pooling", {"weights": randn(B, T, S).sigmoid(), "value": VALUE}, {}),
    ("average_pooling", {"query": randn(T), "value": randn(S, 4)}, {}),
    ("nadaraya_watson", POINTS, {"kernel": "triangular", "width": 2.0, "mask": MASK}),
    ("leave_one_out_mask", {"n": 5}, {"device": "cpu"}),
    ("regression_loss", REGRESSION, {"leave_one_out": False}),
    ("fit_width", REGRESSION, {"lr": 0.1, "epochs": 2, "leave_one_out": False}),
    ("pair_mask", {"query_mask": coin(B, T), "key_mask": coin(B, S)}, {}),
    ("sinusoidal_encoding", {"num_positions": T, "d_model": D}, {"base": 100.0, "start": 3, "dtype": torch.float64}),
    ("rotate", {"x": X, "position": torch.arange(T)}, {"base": 100.0}),
    ("rotary_frequencies", {"head_dim": 4}, {"base": 100.0}),
    ("relative_positions", {"num_queries": T, "num_keys": S}, {"device": "cpu"}),
    ("alibi_bias", SPLIT, {}),
    ("split_heads", {"x": X, "num_heads": H}, {}),
    ("merge_heads", {"x": randn(B, H, T, 4)}, {}),
    ("widen_heads", {"stage": SeparateHeads(E, H)}, {}),
    ("stack_heads", {"stage": SeparateHeads(E, H)}, {}),
    ("online_softmax", {"scores": randn(T, S), "value": randn(S, 4)}, {}),
    ("tiled_attention", {"query": QUERY, "key": randn(B, T, D, seed=4), "value": SQUARE["value"]},
     {"tile": 2, "causal": True}),
    ("tiled_attention", SQUARE | {"causal": True}, {"window": 2, "tile": 3}),
    ("tiles", {"num_queries": T, "num_keys": S, "tile": 2}, {"reach": 3}),
    ("elu_features", {"x": X}, {}),
    ("random_features", {"x": QUERY, "directions": randn(4, D)}, {}),
    ("parallel_memory", SQUARE, GATES | STATE),
    ("recurrent_memory", SQUARE, GATES | STATE),
    ("chunked_memory", SQUARE, GATES | STATE | {"chunk_size": 2}),
    ("normalised", SQUARE | {"form": parallel_memory, "query": SQUARE["query"].exp(), "key": SQUARE["key"].exp()},
     {"decay": GATES["decay"]}),
    ("prefix_matching", {"weights": randn(H, T, T).sigmoid().tril(), "tokens": TOKENS[0]}, {}),
    ("prefix_matching", {"weights": randn(B, H, T, T).sigmoid().tril(), "tokens": TOKENS}, {}),
    ("ablate_head", {"layer": MultiHeadAttention(E, H).double(), "head": 1}, {"mean": randn(4)}),
    ("rollout", {"weights": randn(3, T, T).sigmoid()}, {}),
]  # fmt: skip

TRIPLE = {"query": QUERY, "key": KEY, "value": VALUE}
HEADS = {"query": X, "key": MEMORY, "value": MEMORY + 1}
WEIGHTS = {"need_weights": True}
SCORED = SOFT | WEIGHTS
SINK = torch.nn.functional.pad  # puts a column in front, for the sink
ROTARY = {"rotary": RotaryPositions()}
OWN_HEADS = functools.partial(MultiHeadAttention, head_dim=6, qk_norm=True)


LAYERS = [
    (DotProductAttention(), TRIPLE, SCORED),
    (MultiplicativeAttention(D, D), TRIPLE, SCORED),
    (AdditiveAttention(D, D, 4), TRIPLE, SCORED),
    (CrossAttention(E, E, head_dim=5), {"x": X, "memory": MEMORY}, SCORED),
    (SelfAttention(E), {"x": X}, OWN | WEIGHTS),
    (SelfAttention(E, causal=True, head_dim=5), {"x": X}, OWN | WEIGHTS),
    (QueryPooling(E, num_queries=2), {"x": X}, {"valid_lens": OWN_LENS, "mask": coin(2, T)} | WEIGHTS),
    (SinusoidalPositions(E, base=100.0), {"x": X}, {"start": 3}),
    (LearnedPositions(9, E), {"x": X}, {"start": 3}),
    (RotaryPositions(base=100.0), {"x": X}, {"start": 3}),
    (ShawPositions(4, max_distance=3), SPLIT, {}),
    (T5Positions(H), SPLIT, {}),
    (T5Positions(H, num_buckets=8, max_distance=9, causal=True), SPLIT, {}),
    (DebertaPositions(E, H, 3), SPLIT, {}),
    (WideHeads(E, H, bias=True), HEADS, SCORED),
    (SeparateHeads(E, H, bias=True), HEADS, SCORED),
    (WideHeads(E, H, head_dim=5), HEADS, SCORED),
    (LatentAttention(E, H, 5), {"x": X}, {"cache": randn(B, 2, 5)}),
    *(
        (make(E, H, **options), HEADS, SCORED | {"bias": BIAS})
        for options in ({}, {"num_kv_heads": 1, "bias": False, "head_dim": 5})
        for make in (MultiHeadAttention, OWN_HEADS, lambda *a, **o: SinkAttention(*a, learned=True, **o))
    ),
    *(
        (make(E, H, **options), {"query": X}, OWN | WEIGHTS | {"bias": OWN_BIAS})
        for options in ({}, {"num_kv_heads": 1, "bias": False}, ROTARY)
        for make in (MultiHeadAttention, OWN_HEADS, lambda *a, **o: SinkAttention(*a, learned=False, **o))
    ),
    (SinkAttention(E, H, learned=True), HEADS,
     {"valid_lens": LENS, "mask": SINK(MASK, (1, 0), value=True), "bias": SINK(BIAS, (1, 0)), "need_weights": True}),
]  # fmt: skip
LAYERS = [(fill(layer).double().eval(), given, more) for layer, given, more in LAYERS]
LAYERS += [(NWKernelRegression(w=2.0).double(), POINTS, {"mask": MASK})]
DOORS = [(getattr(attention, name), given, more) for name, given, more in FUNCTIONS]
DOORS += [(scaling, {"frequencies": randn(D).exp()}, {}) for scaling in (LinearScaling(3.0), Llama3Scaling())]
DOORS += LAYERS


# what they are given is what they are to change
CHANGING = {"ablate_head", "fit_width"}
# where and how many at a time are computed, what errors call things: the same numbers, rounding aside
SILENT = {"device", "tile", "chunk_size", "names"}


def calls(door):
    """With nothing besides, with each option, with all."""
    thing, given, options = door
    each = [{name: value} for name, value in options.items()]
    for some in ({}, *each, options):
        yield thing, given | some


def name_of(door):
    thing = door[0]
    return getattr(thing, "__name__", type(thing).__name__)


def tensors(result):
    """The tensors of what came back."""
    if isinstance(result, torch.nn.Module):
        return list(result.parameters())
    parts = result if isinstance(result, list | tuple) else [result]
    return [part for part in parts if isinstance(part, torch.Tensor)]


each_door = pytest.mark.parametrize("door", DOORS, ids=name_of)


def test_every_public_name_has_a_door():
    others = {"KeyValueCache", "WidthStep", "KERNELS", "Bias"}
    assert {name_of(door) for door in DOORS} == set(attention.__all__) - others


def test_every_argument_is_tried():
    for thing in {name_of(door) for door in DOORS}:
        doors = [door for door in DOORS if name_of(door) == thing]
        call = doors[0][0]
        call = call.forward if isinstance(call, torch.nn.Module) else call
        tried = set().union(*(given | more for _, given, more in doors))
        kinds = inspect.signature(call).parameters.values()
        named = {p.name for p in kinds if p.kind is not p.VAR_KEYWORD}
        assert named - tried <= {"cache"}, thing  # caches: test_cache.py, and below


def test_options_have_names_and_one_order():
    """Tensors and their lengths stand where they do in other libraries; what may be left out besides is named."""
    order = ["mask", "memory_mask", "memory_lens", "bias", "need_weights", "cache"]
    rooms = attention, transformer, translation
    things = (thing for room in rooms for thing in vars(room).values())
    layers = {t for t in things if isinstance(t, type) and issubclass(t, torch.nn.Module)}  # fmt: skip
    assert len(layers) > 20
    for layer in layers - {NWKernelRegression}:
        kinds = inspect.signature(layer.forward).parameters
        options = [name for name in kinds if name in order]
        assert options == sorted(options, key=order.index), layer
        for name in options:
            assert kinds[name].kind is inspect.Parameter.KEYWORD_ONLY, (layer, name)


def test_a_functions_options_have_names():
    """All but masks with their sizes and devices, which stand as in a layer's call, and what chapters call by place."""
    functions = {name: getattr(attention, name) for name in attention.__all__}
    assert {
        f"{name}.{option}"
        for name, function in functions.items()
        if inspect.isfunction(function)
        for option, one in inspect.signature(function).parameters.items()
        if one.kind is one.POSITIONAL_OR_KEYWORD and one.default is not one.empty
        if option not in ("valid_lens", "mask", "num_keys", "device")
    } == {"to_additive.dtype", "tiles.reach", "regression_loss.leave_one_out", "ablate_head.mean"}


def test_a_layer_is_made_of_sizes_and_dropout_by_place_and_the_rest_by_name():
    things = [*vars(attention).values(), *vars(transformer).values()]
    layers = {t for t in things if isinstance(t, type) and issubclass(t, torch.nn.Module)}
    assert not {
        f"{layer.__name__}.{name}"
        for layer in layers - {NWKernelRegression, transformer.Block}  # which is made of parts
        for name, one in inspect.signature(layer.__init__).parameters.items()
        if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and name not in ("self", "dropout", "config")
        if one.annotation not in (int, int | None) or name == "num_kv_heads"
    }


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (attention.sliding_window_mask, (4, 9, 5)),
        (attention.nadaraya_watson, (*POINTS.values(), "triangular")),
        (attention.tiled_attention, (*SQUARE.values(), 2)),
        (LatentAttention(E, H, 5).double(), (X, randn(B, 2, 5))),
        (SinkAttention, (E, H, True)),
        # what stands there in other libraries is something else
        (transformer.EncoderLayer, (E, H, 7, 0.1, "relu", 1e-5)),
        (transformer.DecoderLayer, (E, H, 7, 0.1, "relu", 1e-5)),
        (transformer.Residual, (E, 0.1, 1e-5)),
        (transformer.DecoderLayer(E, H, 7), (X, MEMORY, LENS)),
        (SelfAttention, (E, H)),
        (SeparateHeads, (E, H, 0.1)),
        (WideHeads, (E, H, 0.1)),
        (MultiHeadAttention, (E, H, 1)),
        (SinusoidalPositions, (E, 0.1, 5000)),
    ],
)
def test_options_are_not_taken_by_their_place(call, given):
    with pytest.raises(TypeError, match="positional arguments? but"):
        call(*given)


def seen(thing, given):
    """What comes back, without NaN, as plain data; and what a layer that is given has become."""
    given = deepcopy(given)
    found = thing(**given)
    return plain(([*found] if inspect.isgenerator(found) else found, given.get("layer")))


@each_door
def test_a_call_can_be_repeated_and_leaves_its_arguments_alone(door):
    for thing, given in calls(door):
        assert seen(thing, given) == seen(thing, given)
        if name_of(door) not in CHANGING:
            before = plain(given)
            thing(**given)
            assert plain(given) == before


@each_door
def test_each_option_changes_what_comes_back(door):
    thing, given, options = door
    for name, value in options.items():
        if name not in SILENT:
            assert seen(thing, given | {name: value}) != seen(thing, given), name
            continue
        for without, found in zip(tensors(thing(**given)), tensors(thing(**given, **{name: value})), strict=True):
            close(found, without)


@pytest.mark.parametrize("door", LAYERS, ids=name_of)
def test_weights_come_on_request_and_change_nothing(door):
    layer, given, options = door
    if "need_weights" in options:
        (output, weights), (same, none) = layer(**given, need_weights=True), layer(**given)
        assert none is None and isinstance(weights, torch.Tensor)
        close(output, same)
        with pytest.raises(TypeError, match="need_weights must be True or False, got 'no'"):
            layer(**given, need_weights="no")


@each_door
def test_mapped_it_is_a_loop(door):
    for thing, given in calls(door):
        mapped = {n: x for n, x in given.items() if isinstance(x, torch.Tensor)}
        # two of everything, the second with other numbers: the same, turned round
        if not mapped or name_of(door) in ("ablate_head", "regression_loss"):
            continue
        if name_of(door) == "fit_width":
            continue
        rest = {name: x for name, x in given.items() if name not in mapped}
        twice = {name: torch.stack([x, x.flip(-1) if x.is_floating_point() else x]) for name, x in mapped.items()}

        def call(numbers, thing=thing, rest=rest):
            return tuple(tensors(thing(**numbers, **rest)))

        found = vmap(call)(twice)
        for place in (0, 1):
            one = call({name: x[place] for name, x in twice.items()})
            for a, b in zip(found, one, strict=True):
                close(a[place], b, 1e-9)


@pytest.mark.parametrize("door", LAYERS, ids=name_of)
def test_on_the_meta_device_it_has_the_shapes(door):
    for layer, given in calls(door):
        expected = [x.shape for x in tensors(layer(**given))]
        with torch.device("meta"):
            moved = {n: x.to("meta") if isinstance(x, torch.Tensor) else x for n, x in given.items()}
        twin = deepcopy(layer).to("meta")
        assert [x.shape for x in tensors(twin(**moved))] == expected


@pytest.mark.parametrize("door", LAYERS, ids=name_of)
def test_fake_tensors_leave_nothing_behind(door):
    """As a library asks for the shapes of a model's outputs, or of its memory, before it is run."""
    for layer, given in calls(door):
        layer = deepcopy(layer)
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            fake = {n: mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for n, x in given.items()}
            shapes = [x.shape for x in tensors(layer(**fake))]
        assert [x.shape for x in tensors(layer(**given))] == shapes


def in_single(thing):
    """A copy in float32, whose numbers gradients can be asked of."""
    if isinstance(thing, torch.nn.Module):
        return deepcopy(thing).float()
    if isinstance(thing, torch.Tensor) and thing.is_floating_point():
        return thing.detach().float().requires_grad_()
    return thing


@each_door
def test_under_autocast_it_is_what_it_is_without(door):
    """But for the rounding, its gradients too; and an average of values is what PyTorch's kernel would make of them."""
    for thing, given in calls(door):
        thing, given = in_single(thing), {name: in_single(x) for name, x in given.items()}
        learned = list(thing.parameters()) if isinstance(thing, torch.nn.Module) else []
        learned += [x for x in given.values() if isinstance(x, torch.Tensor) and x.requires_grad]
        if not learned or name_of(door) in CHANGING:
            continue
        expected = tensors(thing(**given))
        with torch.autocast("cpu", torch.bfloat16):
            found = tensors(thing(**given))
        if "value" in given and name_of(door) != "online_softmax":  # which has no product
            assert found[0].dtype == torch.bfloat16
        found, expected = ([x.double() for x in some if x.is_floating_point()] for some in (found, expected))
        if any(x.requires_grad for x in expected):
            pulls = [randn(1, *x.shape, seed=7)[0] for x in expected]
            for some in (found, expected):
                total = sum((x * pull).sum() for x, pull in zip(some, pulls, strict=True))
                some += torch.autograd.grad(total, learned, materialize_grads=True)
        for a, b in zip(found, expected, strict=True):
            close(a.double(), b.double(), 2 * HALF_TOLERANCE[torch.bfloat16] * max(0.1, b.abs().max().item()))


@pytest.mark.parametrize("make", [MultiHeadAttention, OWN_HEADS, SinkAttention])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("options", [{}, {"num_kv_heads": 1}, ROTARY])
def test_a_cache_with_everything_else(make, need_weights, options):
    """In pieces as at once, with a mask, lengths and a bias."""
    more = {"learned": True} if make is SinkAttention else {}
    layer = fill(make(E, H, **more, **options)).double()
    x, lens, bias = randn(B, S, E), torch.tensor([2, 6]), randn(1, H, S, S)
    at_once, _ = layer(x, valid_lens=lens, mask=causal_mask(S), bias=bias)
    cache, pieces = KeyValueCache(), []
    for start, end in ((0, 3), (3, 4), (4, S)):
        output, weights = layer(
            x[:, start:end],
            valid_lens=lens.clamp(max=end),
            mask=causal_mask(end - start, end),
            bias=bias[:, :, start:end, :end],
            need_weights=need_weights,
            cache=cache,
        )
        pieces.append(output)
        if need_weights:
            assert weights.shape == (B, H, end - start, end + len(more))
    close(torch.cat(pieces, dim=1), at_once)
