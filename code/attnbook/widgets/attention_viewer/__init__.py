"""A tool: the attention weights of any model, all heads and one in detail, in a notebook or in one offline file."""

from pathlib import Path
from typing import Any

import numpy as np
import traitlets
from torch import Tensor

from attnbook.files import write_atomically

from ..kit import Figure, checked, choice, one_of, static_box, taking, whole_number
from ..page import offline_page
from .given import labels_of, layers_of
from .packing import pack_head, part_of, plan
from .picture import as_image, draw_heads

STORED = (
    2_000_000  # characters: Jupyter drops an output of more than about 3 MB a second
)
ANY = whole_number(0, 2**16 - 1)
# layers (H, T, S), and the names of queries and keys; None: the keys are the queries
Given = tuple[list[Tensor], list[str], list[str] | None]


class AttentionViewer(Figure):
    """Shows attention weights: all heads in an overview, one head in detail, where a query looks, who looks at a key::

        AttentionViewer(out.attentions, tokens)                          # Hugging Face, see below
        AttentionViewer(out.cross_attentions, target, source)            # queries and keys of their own
        AttentionViewer({"encoder": (out.encoder_attentions, source),    # several kinds, a choice in the figure
                         "cross": (out.cross_attentions, target, source)})
        AttentionViewer(...).save("attention.html")                      # one file: no network, no kernel

    A model of Hugging Face gives its weights only if it is loaded with `attn_implementation="eager"` and called with
    `output_attentions=True`.

    A weight is kept with three digits (float16) and printed with three decimals. Heads that would not fit into
    `megabytes` keep the largest weights of each row and column only, at most 64, and a map of 128 × 128 cells with the
    largest weight in each; the figure says how many, and shows what was not kept as such. Packing happens where the
    tensors are; on a processor it takes about half a second for each head of 4096 tokens.

    Rows that do not sum to 1 and NaN rows are no error: the figure counts them. Nothing is renormalised.

    Args:
        attentions: a list or tuple of layers, each (B, H, T, S), (H, T, S) or (T, S); or one array (B, L, H, T, S),
            (L, H, T, S), (H, T, S) or (T, S). Tensors, NumPy arrays or nested lists. Weights (B, H, T, S) of
            `nn.MultiheadAttention` are a list of one layer: `[weights]`; it makes them if it is called with
            `average_attn_weights=False`. (Otherwise they are (B, T, S), and sequences would pass for heads.) Or a
            dict: name → the arguments of one such call, (attentions, tokens) or (attentions, tokens, key_tokens).
        tokens: T texts or ids of the queries; without, positions are numbered.
        key_tokens: S texts or ids of the keys, where they are not the queries.
        batch: which sequence of the batch.
        megabytes: size of the figure's data, at most; 12 × 12 heads of 4096 tokens fit into 64.
        kind: the name in the dict to begin with.
        layer, head: the head to begin with, counted from 1.
        query, key: the positions to begin with, counted from 0; by default the middle query and the key it looks at.
        window: how many tokens the detailed view shows at a time, 8 to 64.
        shade: "weight", or "root" for cells as dark as the square root of their weight.

    Raises:
        TypeError, ValueError: arguments that do not fit; the message says what was expected and what came.
    """

    module = "attention_viewer"

    data = traitlets.Dict().tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    layer = taking(1, ANY, "the layer, counted from 1")
    head = taking(1, ANY, "the head, counted from 1")
    query = taking(0, ANY, "the query's position")
    key = taking(0, ANY, "the key's position")
    window = taking(64, whole_number(8, 64), "how many tokens are shown at a time")
    shade = one_of("weight", ["weight", "root"], "what makes a cell dark")

    def __init__(
        self,
        attentions: Any,
        tokens: Any = None,
        key_tokens: Any = None,
        *,
        batch: int = 0,
        megabytes: float = 64,
        **state: Any,
    ):
        if "data" in state:
            raise TypeError(
                "AttentionViewer makes its data; pass attentions and tokens"
            )
        if isinstance(attentions, dict):
            if tokens is not None or key_tokens is not None:
                raise TypeError(
                    "with a dict, tokens belong to each kind: {name: (attentions, tokens, key_tokens)}"
                )
            several = attentions
        else:
            several = {"attention": (attentions, tokens, key_tokens)}
        given = {name: _given(name, one, batch) for name, one in several.items()}
        if not given:
            raise ValueError("AttentionViewer needs at least one kind of attention")
        count = sum(len(layers) * len(layers[0]) for layers, *_ in given.values())
        kinds = [_pack(name, one, count, megabytes) for name, one in given.items()]
        self._kinds = {kind["name"]: kind for kind in kinds}
        state.setdefault("kind", next(iter(given)))
        super().__init__(data={"kinds": kinds}, **state)
        if "query" not in state:
            self.query = self._sizes()[2] // 2
        if "key" not in state:
            self.key = int(self.weights([self.query]).argmax())

    def _sizes(self) -> tuple[int, int, int, int]:
        kind = self._kinds[self.kind]
        keys = kind["keys"] or kind["queries"]
        return (
            len(kind["heads"]),
            len(kind["heads"][0]),
            len(kind["queries"]),
            len(keys),
        )

    @traitlets.validate("kind")
    def _check_kind(self, proposal: dict[str, Any]) -> Any:
        kinds = choice(list(self._kinds))
        return checked(self, "kind", proposal["value"], kinds, "the kind of attention")

    @traitlets.validate("layer", "head", "query", "key")
    def _check_place(self, proposal: dict[str, Any]) -> Any:
        name = proposal["trait"].name
        place = ["layer", "head", "query", "key"].index(name)
        first = 1 if place < 2 else 0
        limits = whole_number(first, self._sizes()[place] - 1 + first)
        return checked(self, name, proposal["value"], limits, proposal["trait"].what)

    @traitlets.observe("kind")
    def _stay_inside(self, change: dict[str, Any]) -> None:
        for name, first, size in zip(
            ("layer", "head", "query", "key"), (1, 1, 0, 0), self._sizes(), strict=True
        ):
            setattr(self, name, min(getattr(self, name), size - 1 + first))

    def weights(self, queries: list[int] | None = None) -> np.ndarray:
        """Reads back what the viewer has kept of the chosen head.

        Args:
            queries: list of positions; by default all.

        Returns:
            float32 array (len(queries), S), each number to three digits, −1 where a weight was not kept.
        """
        kind, (_, _, T, S) = self._kinds[self.kind], self._sizes()
        packed = kind["heads"][self.layer - 1][self.head - 1]
        whole = part_of(packed, (T, S), kind["kept"], range(T), range(S))
        return whole if queries is None else whole[queries]

    def alt_text(self) -> str:
        """What the figure shows, in words."""
        layers, heads, T, S = self._sizes()
        kind = self._kinds[self.kind]
        tokens = [
            kind["queries"][self.query],
            (kind["keys"] or kind["queries"])[self.key],
        ]
        return (
            f"Attention weights of {layers} × {heads} heads, layers down and heads across, as small heat maps of {T} "
            f"queries and {S} keys. Layer {self.layer}, head {self.head} is shown larger, the darker a cell the larger "
            f"its weight; the row of query {self.query} “{tokens[0]}” and the column of key {self.key} “{tokens[1]}” "
            "are framed. Where the figure is alive, two lists name the keys at which that query looks most and the "
            "queries that look most at that key."
        )

    def to_svg(self) -> str:
        """A picture of what is shown now: the overview and the chosen head around the chosen query and key."""
        where = {
            name: getattr(self, name) for name in ("layer", "head", "query", "key")
        }
        return draw_heads(
            self._kinds[self.kind], self.window, self.shade == "root", **where
        )

    def to_html(self, most: int | None = STORED) -> str:
        """The static form of the figure: a picture only, if it would be longer than `most` characters."""
        state, picture = self.state(), as_image(self.to_svg())
        box = static_box(self.module, state, self.alt_text(), picture)
        if most is None or len(box) <= most:
            return box
        return (
            f"{static_box('', {}, self.alt_text(), picture)}\n<p>A picture only: the data ({len(box) / 1e6:.0f} MB) "
            'are too large to be stored here; <code>viewer.save("attention.html")</code> writes them to a file.</p>'
        )

    def save(self, path: str | Path) -> None:
        """Writes the figure to a file, as it is now.

        Args:
            path: ending in .html for the living figure on a page of its own, which needs no network; in .svg for a
                picture.

        Raises:
            ValueError: another ending.
        """
        path = Path(path)
        if path.suffix == ".html":
            write_atomically(
                path, offline_page(self.to_html(most=None), "Attention weights")
            )
        elif path.suffix == ".svg":
            write_atomically(path, self.to_svg())
        else:
            raise ValueError(f"save() writes .html or .svg files, not {path.name!r}")

    def __repr__(self) -> str:
        layers, heads, T, S = self._sizes()
        kinds = (
            "" if len(self._kinds) == 1 else f"{', '.join(self._kinds)}; {self.kind}: "
        )
        return (
            f"AttentionViewer({kinds}{layers} × {heads} heads, {T} queries, {S} keys)"
        )


def _given(name: str, one: Any, batch: int) -> Given:
    if not isinstance(one, tuple) or not 1 <= len(one) <= 3:
        raise TypeError(
            f"the kind {name!r} must be a tuple (attentions, tokens) or (attentions, tokens, key_tokens); of a model's "
            "output, pass only its attentions"
        )
    attentions, tokens, key_tokens = (*one, None, None)[:3]
    layers = layers_of(attentions, batch)
    T, S = layers[0].shape[1:]
    queries = labels_of(tokens, T, "tokens")
    if key_tokens is None and T == S:
        return layers, queries, None
    if key_tokens is None and tokens is not None:
        raise ValueError(
            f"the weights have {T} queries and {S} keys: pass the tokens of the keys, too, as key_tokens"
        )
    return layers, queries, labels_of(key_tokens, S, "key_tokens")


def _pack(name: str, given: Given, count: int, megabytes: float) -> dict[str, Any]:
    layers, queries, keys = given
    how = plan(layers[0].shape[1:], count, megabytes)
    heads = [[pack_head(head, **how) for head in layer] for layer in layers]
    return {"name": name, "queries": queries, "keys": keys, "heads": heads, **how}
