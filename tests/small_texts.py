"""A text that a tiny model learns in a second, and recipes for it."""

from attnbook.language import LanguageRecipe
from attnbook.training import TrainConfig

TEXT = "\n\n".join(f"one {n} two {n} three {n % 7} and then the {n % 3} again." for n in range(400))
TINY = LanguageRecipe(
    {"d_model": 24, "num_heads": 3, "d_ff": 40, "num_layers": 2, "max_positions": 17},
    subwords=280,
    batch_size=5,
    training=TrainConfig(lr=1e-2, schedule="warmup-cosine", warmup_fraction=0.1),
)
