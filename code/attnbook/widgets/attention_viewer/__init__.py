"""A tool: the attention weights of any model, all heads and one in detail, in a notebook or in one offline file."""

from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from attnbook.files import write_atomically

from ..kit import Figure, checked, choice, line, listed, number, one_of, static_box, taking, whole_number
from ..scripts import offline_page
from .kinds import kinds_of, packed
from .packing import part_of
from .picture import as_image, draw_heads

STORED = 2_000_000  # characters: Jupyter drops an output of more than about 3 MB a second
ANY = whole_number(0, 2**16 - 1)


class AttentionViewer(Figure):
    """Shows attention weights: all heads in an overview, one head in detail, where a query looks, who looks at a key::

        AttentionViewer(out.attentions, tokens)                          # Hugging Face, see below
        AttentionViewer(out.cross_attentions, target, source)            # queries and keys of their own
        AttentionViewer({"encoder": (out.encoder_attentions, source),    # several kinds, a choice in the figure
                         "cross": (out.cross_attentions, target, source)})
        AttentionViewer(...).save("attention.html")                      # one file: no network, no kernel

    A model of Hugging Face gives its weights only if it is loaded with `attn_implementation="eager"` and called with
    `output_attentions=True`.

    Of `generate(…, output_attentions=True, return_dict_in_generate=True)` it takes the steps as they come. A query is
    the token that a step reads, so the tokens are all but the last, and those of its prompt::

        AttentionViewer(out.attentions, sequence[:-1])                   # a decoder
        AttentionViewer(out.cross_attentions, sequence[:-1], source)     # an encoder and a decoder
        AttentionViewer(out.cross_attentions, sequence[:-1], source, batch=out.beam_indices[0])  # after a beam search

    In a beam search sentences change their places in the batch from step to step: without `beam_indices` the rows of
    a map would be those of several sentences.

    A weight is kept as a float16: with three digits from 0.00006 on, in steps of 0.00000006 below, where few are left;
    it is printed with three decimals. Heads that would not fit into
    `megabytes` keep the largest weights of each row and column only, at most 64, and a map of 128 × 128 cells with the
    largest weight in each; the figure says how many, and shows what was not kept as such. Packing happens where the
    tensors are; on a processor it takes about half a second for each head of 4096 tokens.

    Rows that do not sum to 1 and NaN rows are no error: the figure counts them. Nothing is renormalised. Negative
    weights, as a difference of two maps has, are drawn in ochre.

    Args:
        attentions: a list or tuple of layers, each (B, H, T, S), (H, T, S) or (T, S); or one array (B, L, H, T, S),
            (L, H, T, S), (H, T, S) or (T, S). Tensors, NumPy arrays or nested lists. Weights (B, H, T, S) of
            `nn.MultiheadAttention` are a list of one layer: `[weights]`; it makes them if it is called with
            `average_attn_weights=False`. (Otherwise they are (B, T, S), and sequences would pass for heads.) Or a
            dict: name → the arguments of one such call, (attentions, tokens) or (attentions, tokens, key_tokens).
            Of a model that looks at a window only, such as Longformer, the columns are places in that window, and no
            keys: put them in their places of a (T, T) table first.
        tokens: T texts or ids of the queries; without, positions are numbered.
        key_tokens: S texts or ids of the keys, where they are not the queries.
        batch: which sequence of the batch. For the steps of generate(), also a list with its place in each step. Of
            several kinds, a dict: name → sequence.
        layers, heads: the numbers by which the model calls them; 1, 2, … if not given. Models of Hugging Face leave out
            layers that have no attention weights (such as those of Mamba or of linear attention), so the place in
            `attentions` is not the layer's number: of such a model, pass the numbers of those with weights. Of several
            kinds, a dict: name → numbers.
        megabytes: size of the figure's data, at most; 12 × 12 heads of 4096 tokens fit into 64.
        kind: the name in the dict to begin with.
        layer, head: the head to begin with, by these numbers; the first if not given.
        query, key: the positions to begin with, counted from 0; by default the middle query and the key it looks at.
        window: how many tokens the detailed view shows at a time, 8 to 64.
        shade: "weight" for cells from 0 to the largest weight shown; "root" for the square root of that; "one" from 0
            to 1, the same for all heads.

    Raises:
        TypeError, ValueError: arguments that do not fit; the message says what was expected and what came.
    """

    module = "attention_viewer"

    data = traitlets.Dict().tag(sync=True, made=True)
    kind = traitlets.Unicode().tag(sync=True, kind=line(200))
    layer = taking(1, ANY, "the layer's number")
    head = taking(1, ANY, "the head's number")
    query = taking(0, ANY, "the query's position")
    key = taking(0, ANY, "the key's position")
    window = taking(64, whole_number(8, 64), "how many tokens are shown at a time")
    shade = one_of("weight", ["weight", "root", "one"], "what makes a cell dark")

    def __init__(
        self,
        attentions: Any,
        tokens: Any = None,
        key_tokens: Any = None,
        *,
        batch: Any = 0,
        layers: Any = None,
        heads: Any = None,
        megabytes: float = 64,
        **state: Any,
    ):
        if "data" in state:
            raise TypeError("AttentionViewer makes its data; pass attentions and tokens")
        size = number(0, 1_000_000)
        megabytes = checked(self, "megabytes", megabytes, size, "the size of its data in millions of characters")
        given = kinds_of(attentions, tokens, key_tokens, batch=batch, layers=layers, heads=heads)
        kinds = packed(given, megabytes)
        self._kinds = {kind["name"]: kind for kind in kinds}
        state.setdefault("kind", next(iter(given)))
        names = choice(list(self._kinds))
        checked(self, "kind", state["kind"], names, "the kind of attention")
        first = self._kinds[state["kind"]]
        state.setdefault("layer", first["layers"][0])
        state.setdefault("head", first["head_numbers"][0])
        super().__init__(data={"kinds": kinds}, **state)
        if "query" not in state:
            self.query = self._sizes()[2] // 2
        if "key" not in state:
            row = np.ma.filled(self.weights([self.query]), 0)
            self.key = int(np.nan_to_num(np.abs(row)).argmax())

    def _sizes(self) -> list[int]:
        return [len(places) for places in self._places().values()]

    def _places(self) -> dict[str, Any]:
        """What layer, head, query and key may be."""
        kind = self._kinds[self.kind]
        return {
            "layer": kind["layers"],
            "head": kind["head_numbers"],
            "query": range(len(kind["queries"])),
            "key": range(len(kind["keys"] or kind["queries"])),
        }

    def _head(self) -> dict[str, Any]:
        """The chosen head, packed."""
        places = self._places()
        layer, head = (places[name].index(getattr(self, name)) for name in ("layer", "head"))
        return self._kinds[self.kind]["heads"][layer][head]

    @traitlets.validate("kind")
    def _check_kind(self, proposal: dict[str, Any]) -> Any:
        kinds = choice(list(self._kinds))
        return checked(self, "kind", proposal["value"], kinds, "the kind of attention")

    @traitlets.validate("layer", "head", "query", "key")
    def _check_place(self, proposal: dict[str, Any]) -> Any:
        name = proposal["trait"].name
        places = self._places()[name]
        if list(places) == list(range(places[0], places[-1] + 1)):
            limits = whole_number(places[0], places[-1])
        else:
            limits = choice(places)
        return checked(self, name, proposal["value"], limits, proposal["trait"].what)

    @traitlets.observe("kind")
    def _stay_inside(self, change: dict[str, Any]) -> None:
        for name, places in self._places().items():
            now = getattr(self, name)
            setattr(self, name, min(places, key=lambda place: abs(place - now)))

    def weights(self, queries: list[int] | None = None) -> np.ndarray:
        """Read back what the viewer has kept of the chosen head.

        Args:
            queries: list of positions; by default all.

        Returns:
            float32 array (len(queries), S), each number as a float16 holds it; a masked one if not all weights were
            kept, its mask True where one was not.

        Raises:
            TypeError, ValueError: something else than positions of queries.
        """
        kind, (_, _, T, S) = self._kinds[self.kind], self._sizes()
        whole = part_of(self._head(), (T, S), kind["kept"], range(T), range(S))
        if queries is None:
            return whole
        return whole[checked(self, "weights", queries, listed(whole_number(0, T - 1), 0, T), "of queries, by position")]

    def alt_text(self) -> str:
        """What the figure shows, in words."""
        layers, heads, T, S = self._sizes()
        kind = self._kinds[self.kind]
        tokens = [kind["queries"][self.query], (kind["keys"] or kind["queries"])[self.key]]
        return (
            f"Attention weights of {layers} × {heads} heads, layers down and heads across, as small heat maps of {T} "
            f"queries and {S} keys. Layer {self.layer}, head {self.head} is shown larger; the stronger a cell's "
            f"colour, the larger its weight; the row of query {self.query} “{tokens[0]}” and the column of key "
            f"{self.key} “{tokens[1]}” are framed. Where the figure is alive, two lists name the keys at which that "
            "query looks most and the queries that look most at that key."
        )

    def to_svg(self) -> str:
        """A picture of what is shown now: the overview and the chosen head around the chosen query and key."""
        where = {name: getattr(self, name) for name in ("layer", "head", "query", "key")}
        return draw_heads(self._kinds[self.kind], self.window, self.shade, **where)

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
        """Write the figure to a file, as it is now.

        Args:
            path: ending in .html for the living figure on a page of its own, which needs no network; in .svg for a
                picture.

        Raises:
            ValueError: another ending.
        """
        path = Path(path)
        if path.suffix == ".html":
            write_atomically(path, offline_page(self.to_html(most=None), "Attention weights"))
        elif path.suffix == ".svg":
            write_atomically(path, self.to_svg())
        else:
            raise ValueError(f"save() writes .html or .svg files, not {path.name!r}")

    def __repr__(self) -> str:
        layers, heads, T, S = self._sizes()
        kinds = "" if len(self._kinds) == 1 else f"{', '.join(self._kinds)}; {self.kind}: "
        return f"AttentionViewer({kinds}{layers} × {heads} heads, {T} queries, {S} keys)"
