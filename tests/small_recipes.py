"""Recipes that train in a second on `toy_corpus`."""

from attnbook.training import TrainConfig
from attnbook.translation import Recipe

SMALL = Recipe(
    "recurrent",
    {"embed_size": 16, "hidden_size": 24, "num_layers": 1, "dropout": 0.0},
    min_count=1,
    batch_size=16,
    training=TrainConfig(lr=1e-2, betas=(0.9, 0.999)),
)
SIZES = {"d_model": 16, "num_heads": 2, "d_ff": 32, "num_encoder_layers": 1}
SMALL_TRANSFORMER = Recipe(
    "transformer",
    SIZES | {"num_decoder_layers": 1, "dropout": 0.0, "norm_first": True},
    subwords=60,
    batch_size=16,
    training=TrainConfig(lr=1e-2, betas=(0.9, 0.98)),
)
