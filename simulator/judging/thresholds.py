"""When a value is under a threshold, with a hair of tolerance for binary fractions."""

_HAIR = 1e-9


def under(value: float, threshold: float) -> bool:
    """Whether `value` does not reach `threshold`; 3.5/5 reaches 0.7, however they were made."""
    return value < threshold - _HAIR
