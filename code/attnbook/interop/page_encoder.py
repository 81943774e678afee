"""all-MiniLM-L6-v2 as the file that the book's pages load: eight bits, and a vocabulary cut to what fits."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from safetensors.torch import load_file

from attnbook.interop.pretrained import minilm_folder
from attnbook.weights import to_int8, weights_file

#: How many pieces of the vocabulary the page keeps, and how many positions.
PAGE_PIECES, PAGE_POSITIONS = 9_000, 128
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Few of this matrix's inputs are large, for few tokens, and later layers turn on them: its steps are the finest.
FINEST = "layer.0.output.dense.weight"


def page_vocabulary(folder: Path) -> tuple[list[str], list[str]]:
    """The pieces that the page keeps, and those that it leaves out.

    Kept are the letters and marks of ASCII, without which few words could be cut at all; what this book is written in
    (`book_pieces.txt`); and the first pieces of the vocabulary, which stands roughly in the order of their frequency.
    Single characters of other scripts come last.

    Args:
        folder: see `minilm_folder`.

    Returns:
        `PAGE_PIECES` pieces, and the others, without the model's unused ones; both in the vocabulary's order.
    """
    lines = (folder / "vocab.txt").read_text("utf-8").splitlines()
    vocabulary = [piece for piece in lines if not piece.startswith("[unused")]
    ours = (files(__package__) / "book_pieces.txt").read_text("utf-8").split()
    needed = {*SPECIALS, *ours}

    def rank(place: int) -> tuple[int, int]:
        piece = vocabulary[place]
        text = piece.removeprefix("##")
        if piece in needed or len(text) == 1 and text.isascii():
            return 0, place
        return 2 if len(text) == 1 else 1, place

    order = sorted(range(len(vocabulary)), key=rank)
    kept, others = sorted(order[:PAGE_PIECES]), sorted(order[PAGE_PIECES:])
    return [vocabulary[i] for i in kept], [vocabulary[i] for i in others]


@cache
def page_encoder_file() -> bytes:
    """The content of the file, made from the installed package; `widgets/real_sentence` reads it.

    Returns:
        As of `attnbook.weights.weights_file`. Matrices have a scale for every 32 weights, embeddings for every 16, one
        matrix of the first layer for every 4. A position's embedding has that of the first segment added.

    Raises:
        ModuleNotFoundError, ValueError: see `minilm_folder`.
    """
    folder = minilm_folder()
    pieces, others = page_vocabulary(folder)
    lines = (folder / "vocab.txt").read_text("utf-8").splitlines()
    rows = {piece: row for row, piece in enumerate(lines)}
    published = load_file(folder / "model.safetensors")
    start = "embeddings."
    positions = published[start + "position_embeddings.weight"][:PAGE_POSITIONS]
    embeddings = {
        "words": published[start + "word_embeddings.weight"][[rows[p] for p in pieces]],
        "positions": positions + published[start + "token_type_embeddings.weight"][0],
    }
    layers = {
        name.removeprefix("encoder."): weight
        for name, weight in published.items()
        if name.startswith(("encoder.", start + "LayerNorm"))
    }
    finest = {FINEST: layers.pop(FINEST)}
    about = {
        "format": "attnbook page encoder 1",
        "name": "all-MiniLM-L6-v2",
        "heads": 12,
        "layers": 6,
        "eps": 1e-12,
        "pieces": pieces,
        "others": others,
    }
    stored = to_int8(embeddings, 16) | to_int8(layers, 32) | to_int8(finest, 4)
    return weights_file(stored, about)
