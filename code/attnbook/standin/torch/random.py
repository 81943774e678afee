"""`torch.random`: the random stream."""

from ._missing import missing_from
from ._random import default_generator, fork_rng  # noqa: F401

manual_seed = default_generator.manual_seed
__getattr__ = missing_from("torch.random", globals())
