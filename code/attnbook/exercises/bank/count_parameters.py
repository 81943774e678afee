"""Exercise count-parameters: how many numbers a configuration asks for."""

from ..answers import Number
from ..exercise import Exercise, Mistake


def my_count(vocab_size, d_model, d_ff, num_layers, norm_first, tied):
    """Count the parameters of this chapter's encoder–decoder.

    vocab_size: V of each language, d_model: D, d_ff: F, num_layers: N of each stack,
    norm_first and tied: True or False → int
    """
    norm = 2 * d_model
    attention = 4 * (d_model * d_model + d_model)  # four maps with biases
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model  # up and down
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    layers = num_layers * (encoder + decoder)
    tables = 2 * vocab_size * d_model  # one for each language
    ends = 2 * norm * norm_first  # pre-LN: a last norm on top of each stack
    head = (vocab_size * d_model + vocab_size) * (not tied)
    return layers + tables + ends + head


def example() -> tuple:
    return 10, 4, 6, 1, False, True


def untied() -> tuple:
    return 10, 4, 6, 1, False, False


def pre_ln() -> tuple:
    return 10, 4, 6, 1, True, True


def two_layers() -> tuple:
    return 10, 4, 6, 2, False, True


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    sizes = (pick.of(1, 2, 3, 10, 37) for _ in "VDF")
    return *sizes, pick.of(1, 2, 5), pick.of(False, True), pick.of(False, True)


# edits that are used several times
FOUR = "4 * (d_model * d_model + d_model)"
ENCODER, DECODER = "attention + network + 2 * norm", "2 * attention + network + 3 * norm"
NETWORK = "d_model * d_ff + d_ff + d_ff * d_model + d_model"
TABLES, ENDS, TOTAL = "2 * vocab_size * d_model", "2 * norm * norm_first", "layers + tables + ends + head"
HEAD = "(vocab_size * d_model + vocab_size) * (not tied)"
LAYERS = "num_layers * (encoder + decoder)"
ADDED = "A linear map from 4 features to 6 multiplies by 24 numbers. How many does it add?"
SUBLAYERS = "How many sublayers does each kind of layer have, and what is around each of them?"
THIRD = "Which sublayer does a decoder layer have that an encoder layer lacks?"
READ = "Through which table does a source word come in, and through which a target word?"
TIED = "If the head uses the embedding's table, what is left for it to learn? And if it does not?"
TOP = "What does a pre-LN stack leave un-normalised at its top, and in how many stacks?"

# fmt: off
MISTAKES = (
    Mistake("no-biases-in-attention", (FOUR, "4 * d_model * d_model"),
        "the biases of the attention's maps are left out", ADDED),
    Mistake("three-biases", (FOUR, "4 * d_model * d_model + 3 * d_model"),
        "only three of the four maps of an attention have a bias. W_O has one, too.", ADDED),
    Mistake("no-W_O", (FOUR, "3 * (d_model * d_model + d_model)"),
        "each attention has three maps, query, key and value. One follows after the heads.",
        "What happens to the heads' results once they are side by side?"),
    Mistake("no-biases-in-the-network", (NETWORK, "2 * d_model * d_ff"),
        "the two biases of the feed-forward network are left out", ADDED),
    Mistake("one-bias-size", (NETWORK, "2 * d_model * d_ff + 2 * d_model"),
        "both biases of the feed-forward network have D numbers. One of them is added to the F hidden units.", ADDED),
    Mistake("hidden-biases-twice", (NETWORK, "2 * d_model * d_ff + 2 * d_ff"),
        "both biases of the feed-forward network have F numbers. One of them is added to the D features of the result.",
        ADDED),
    Mistake("one-map-in-the-network", (NETWORK, "d_model * d_ff + d_ff"),
        "the feed-forward network goes up and never comes down. Its second map leads from F back to D.",
        "What shape has a position's vector before the network, and after it?"),
    Mistake("four-times-D", (NETWORK, "8 * d_model * d_model + 5 * d_model"),
        "F is taken to be 4 D. The chapter's short formulas hold for that usual width; here F is given.",
        "What is left of 2DF + F + D if F is not 4 D?"),
    Mistake("no-biases-at-all", ((FOUR, "4 * d_model * d_model"), (NETWORK, "2 * d_model * d_ff")),
        "no linear map has a bias", ADDED),
    Mistake("no-norms", (("2 * d_model\n", "0 * d_model\n"),),
        "the layer norms are left out. Each has a gain and a bias per feature.", SUBLAYERS),
    Mistake("norms-of-one-vector", (("2 * d_model\n", "d_model\n"),),
        "each layer norm learns D numbers. It multiplies by a gain *and* adds a bias.",
        "What are the two vectors that a layer norm learns?"),
    Mistake("one-norm-per-layer",
        ((ENCODER, "attention + network + norm"), (DECODER, "2 * attention + network + norm")),
        "each layer has a single norm", SUBLAYERS),
    Mistake("two-norms-in-the-decoder", (DECODER, "2 * attention + network + 2 * norm"),
        "the decoder layer has two norms. It has three sublayers, and a norm belongs to each.", SUBLAYERS),
    Mistake("decoder-is-an-encoder", (DECODER, ENCODER),
        "the decoder layers are counted as encoder layers", THIRD),
    Mistake("encoder-only", (LAYERS, "num_layers * encoder"), "the decoder's layers are left out",
        "How many stacks does an encoder–decoder have?"),
    Mistake("one-layer", (LAYERS, "encoder + decoder"), "each stack has one layer, whatever `num_layers` is",
        "Where does N enter your code?", two_layers),
    Mistake("layers-shared-out", (LAYERS, "num_layers // 2 * (encoder + decoder)"),
        "`num_layers` is divided between the two stacks. It is the depth of each.",
        "If each stack has one layer, how many layers are there?", two_layers),
    Mistake("one-table", (TABLES, "vocab_size * d_model"),
        "one embedding table serves both languages. Some models share it; the task has one for each.", READ),
    Mistake("no-tables", (TABLES, "0"), "the embedding tables are left out", READ),
    Mistake("head-always", (HEAD, "vocab_size * d_model + vocab_size"),
        "the head is counted although it is tied", TIED),
    Mistake("tied-head-with-bias", (HEAD, "vocab_size * d_model * (not tied) + vocab_size"),
        "a tied head keeps a bias. Here it is the table and nothing else.", TIED),
    Mistake("head-never", (HEAD, "0"), "a head that is not tied is left out, too", TIED, untied),
    Mistake("head-without-bias", (HEAD, "vocab_size * d_model * (not tied)"),
        "a head of its own has no bias. In this chapter it has one per word.", TIED, untied),
    Mistake("tied-the-wrong-way-round", (HEAD, "(vocab_size * d_model + vocab_size) * tied"),
        "`tied` is read the wrong way round", "When `tied` is true, is there a map that is the head's alone?"),
    Mistake("last-norms-forgotten", (ENDS, "0"), "the last norms of a pre-LN model are left out", TOP, pre_ln),
    Mistake("one-last-norm", (ENDS, "norm * norm_first"), "one of the two stacks has a last norm and the other has not",
        TOP, pre_ln),
    Mistake("last-norms-always", (ENDS, "2 * norm"),
        "last norms are counted in a post-LN model. There each layer ends with a norm already.", TOP),
    Mistake("last-norms-per-layer", (ENDS, "2 * norm * norm_first * num_layers"),
        "a pre-LN model has an additional norm in each layer. It has one on top of each stack.", TOP,
        lambda: (10, 4, 6, 2, True, True)),
    Mistake("learned-positions", (TOTAL, "layers + tables + ends + head + 2 * 512 * d_model"),
        "tables of 512 learned positions are counted. Sinusoids are computed.",
        "Which part of the model is not learned at all?"),
    Mistake("a-float", (TOTAL, "float(layers + tables + ends + head)")),
)

EXERCISE = Exercise(
    name="count-parameters", title="What does a configuration cost?", chapter=10, solution=my_count,
    shapes=dict.fromkeys(("vocab_size", "d_model", "d_ff", "num_layers", "norm_first", "tied"), "a number"),
    answer=Number("one whole number", whole=True), example=example,
    probes=lambda: [(13, 6, 11, 3, True, False), (37, 8, 5, 2, False, True), (101, 12, 48, 5, True, False)],
    edges=lambda: [(101, 12, 48, 5, True, True), (7, 10, 23, 4, False, False), untied(), pre_ln(), two_layers(),
                   (10, 4, 6, 2, True, True), (1, 2, 1, 1, True, False)],
    mistakes=MISTAKES,
    steps={"norm": "a norm", "attention": "an attention", "network": "a feed-forward network",
        "encoder": "an encoder layer", "decoder": "a decoder layer", "tables": "the tables", "ends": "the last norms",
        "head": "the head"},
    space=space,
    hints=(
        "Write down the parts of one encoder layer and of one decoder layer, and the shape of every matrix and vector "
        "in them. Which part does the decoder layer have twice?",
        "An attention is four maps from D to D with a bias each; a network is a map from D to F and one back; a norm "
        "is two vectors. In the example an attention has 80 numbers, a network 58, a norm 8.",
        "The example's 476 are 80 for the two tables, 154 for the encoder layer and 242 for the decoder layer. Which "
        "of the three does your function miss? Then set `norm_first` and `tied` the other way, one at a time: what "
        "is added or left out?",
    ),
    why="The matrices make up nearly everything. At the paper's sizes, a count without biases and norms is right to "
        "within a fifth of a percent, and a round figure such as 65 million does not show that they are missing. A "
        "weight file does: it holds each vector under a name, and one that is missing on either side is an error or, "
        "worse, a default.",
)
