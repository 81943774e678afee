"""What `python -m tools.bench` measures, a module for each family of layers, and how.

A family says which layers compute the same function, at which sizes they are compared, and which bars they are held
to. To add one, write a module with a `Family` in it and name it in `FAMILIES`; nothing else has to change.

Time and memory are measured here and in `tools/experiments`. A benchmark compares layers that compute the same, those
of the package with others'. An experiment varies what is computed, for a chapter's question: `costs`, `scores` and
`efficient` read a clock, `race` trains until one has run out. How calls take turns, are timed and are weighed in a
process of their own stands in `measure.py` for both.
"""

from tools.benchmarks.causal import CAUSAL, WINDOWED
from tools.benchmarks.compiled import COMPILED_HEADS
from tools.benchmarks.decoding import DECODING
from tools.benchmarks.encoder import ENCODER_LAYER
from tools.benchmarks.family import Family
from tools.benchmarks.language import READING, WRITING
from tools.benchmarks.memory import MEMORY
from tools.benchmarks.multihead import MULTI_HEAD
from tools.benchmarks.scores import ADDITIVE, DOT
from tools.benchmarks.translation import CACHE, GREEDY, TRAINING

__all__ = ["FAMILIES", "GROUPS"]

TRANSLATION = (TRAINING, GREEDY, CACHE)
EFFICIENT = (DECODING, CAUSAL, WINDOWED, MEMORY)
LANGUAGE = (READING, WRITING)
FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (DOT, ADDITIVE, MULTI_HEAD, ENCODER_LAYER, *TRANSLATION, *EFFICIENT, COMPILED_HEADS, *LANGUAGE)
}
GROUPS = {
    name: [family.name for family in families]
    for name, families in (("translation", TRANSLATION), ("efficient", EFFICIENT), ("language", LANGUAGE))
}
