"""A figure: the reader's own sentence through a real pretrained encoder, in the browser, with all its heads."""

from ..kit import ModelFigure, line, number_between, taking, yes_or_no

SENTENCE = line(300)


class RealSentenceFigure(ModelFigure):
    """all-MiniLM-L6-v2 in the page: the pieces of a typed sentence, the heat maps of all 72 heads, one of them large.

    Its weights, 16 MB in eight bits, are neither in the notebook nor in the page. They are loaded at the press of a
    button, from files beside the page's scripts or, in JupyterLab, from the kernel; before that the figure shows its
    first sentence, whose weights are stored as PyTorch computes them.

    Args:
        sentence: what the model reads, at most 300 characters; the figure draws up to 48 pieces.
        other: a second sentence, of which only the cosine with the first is shown.
        layer: from 1 to 6.
        head: from 1 to 12.
        query: the position of the piece that looks, from 0, which is [CLS].
        loaded: whether to load the model at once; otherwise a button does.

    Source:
        Wang et al. (2020), MiniLM; sentence-transformers/all-MiniLM-L6-v2; Devlin et al. (2019), §3, for the layers.
    """

    module = "real_sentence"
    alt = """“The dog slept because it was tired.” in the ten pieces that a pretrained encoder reads, and its attention.
        On one side small heat maps of all 72 heads, six layers down and twelve heads across: many have a dark column
        at [CLS], others a dark line beside the diagonal. Head 12 of layer 6 is drawn large,
        with the pieces on both axes: “it” gives 0.68 of its weight to “dog”; in each other row, too, “dog” has the
        largest weight. In the live figure the model reads any sentence."""

    sentence = taking("The dog slept because it was tired.", SENTENCE, "what the model reads")
    other = taking("The animal rested.", SENTENCE, "what the sentence is compared with")
    layer = number_between(6, 1, 6, "the number of a layer", whole=True)
    head = number_between(12, 1, 12, "the number of a head", whole=True)
    query = number_between(5, 0, 47, "the position of the piece that looks", whole=True)
    loaded = yes_or_no(False, "whether the model is loaded")
