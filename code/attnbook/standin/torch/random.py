"""`torch.random`: the random stream."""

from ._missing import missing_from
from ._random import default_generator, fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state  # noqa: F401

__getattr__ = missing_from("torch.random", globals())
