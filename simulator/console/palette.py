"""The colours of reports. Nothing is said by colour alone."""

from rich.style import Style
from rich.text import Text

_INK = (32, 32, 32)
_PLAIN = "plain"  # what a style of ours is where a screen has 8 or 16 colours


def _with_plain(definition: str, plain: str) -> Style:
    return Style.parse(definition) + Style(meta={_PLAIN: plain})


WEAK = _with_plain("rgb(60,20,18) on rgb(250,219,218)", "bold red")
DIM = Style(dim=True)
BOLD = Style(bold=True)
WARN = Style.parse("bold yellow")
BAD = Style.parse("bold red")
GOOD = Style.parse("bold green")

# The four steps of the heat map in 8 colours, and where they part.
_FAR, _UNDER, _FAIR, _FINE = "bold white on red", "bold red", "black on yellow", "black on green"
_NEAR, _HALF = 0.6, 0.5

# From the worst value to the threshold, and from there to the best.
_LOW, _AT, _ABOVE, _HIGH = (240, 150, 147), (250, 219, 218), (252, 246, 214), (190, 226, 190)


def heat(value: float, threshold: float) -> Style:
    """Dark text on red under the threshold, on yellow to green from there on."""
    if value < threshold:
        share = value / threshold
        ground, plain = _between(_LOW, _AT, share), _FAR if share < _NEAR else _UNDER
    else:
        share = (value - threshold) / max(1e-9, 1 - threshold)
        ground, plain = _between(_ABOVE, _HIGH, share), _FAIR if share < _HALF else _FINE
    return _with_plain("rgb({},{},{}) on rgb({},{},{})".format(*_INK, *ground), plain)


def share(value: float) -> Style:
    """The colour of a share of what passed: red for none of it, green for all."""
    return heat(value, _HALF)


def in_few_colours(text: Text) -> Text:
    """The text with colours that stay apart where there are 8 or 16.

    Left to itself rich takes the nearest of them, and our pastels all become the same grey.
    """
    copy = text.copy()
    copy.spans = [span._replace(style=_plain(span.style)) for span in copy.spans]
    copy.style = _plain(copy.style)
    return copy


def _plain(style: Style | str) -> Style | str:
    if isinstance(style, Style) and _PLAIN in style.meta:
        return Style.parse(style.meta[_PLAIN])
    return style


def _between(
    first: tuple[int, int, int], last: tuple[int, int, int], share: float
) -> tuple[int, ...]:
    share = min(1.0, max(0.0, share))
    return tuple(round(a + (b - a) * share) for a, b in zip(first, last, strict=True))
