"""How many tokens a text makes, before a model has counted them."""

from collections.abc import Mapping

from simulator.core.persona import Language

# Tokens per character of running text: lowest, likely, highest of today's tokenisers.
TOKENS_PER_CHAR: Mapping[Language, tuple[float, float, float]] = {
    "ja": (0.6, 0.8, 1.3),
    "en": (0.2, 0.25, 0.4),
}
