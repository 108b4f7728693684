"""The colours of reports. Nothing is said by colour alone."""

from rich.style import Style

_INK = (32, 32, 32)
WEAK = Style.parse("rgb(60,20,18) on rgb(250,219,218)")
DIM = Style(dim=True)
BOLD = Style(bold=True)
WARN = Style.parse("bold yellow")
BAD = Style.parse("bold red")
GOOD = Style.parse("bold green")

# From the worst value to the threshold, and from there to the best.
_LOW, _AT, _ABOVE, _HIGH = (240, 150, 147), (250, 219, 218), (252, 246, 214), (190, 226, 190)


def heat(value: float, threshold: float) -> Style:
    """Dark text on red under the threshold, on yellow to green from there on."""
    if value < threshold:
        ground = _between(_LOW, _AT, value / threshold)
    else:
        ground = _between(_ABOVE, _HIGH, (value - threshold) / max(1e-9, 1 - threshold))
    return Style.parse("rgb({},{},{}) on rgb({},{},{})".format(*_INK, *ground))


def _between(
    first: tuple[int, int, int], last: tuple[int, int, int], share: float
) -> tuple[int, ...]:
    share = min(1.0, max(0.0, share))
    return tuple(round(a + (b - a) * share) for a, b in zip(first, last, strict=True))
