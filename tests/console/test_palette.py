"""The colours of the heat map."""

import math
from collections.abc import Sequence

import pytest
from rich.style import Style

from simulator.console.palette import WEAK, heat


def channels(style: Style) -> tuple[int, int, int]:
    assert style.bgcolor is not None
    return tuple(style.bgcolor.get_truecolor())  # type: ignore[return-value]


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.7, 1.0])
def test_the_ground_turns_at_the_threshold(threshold: float) -> None:
    values = [i / 100 for i in range(101)]
    for value in values:
        red, green, _ = channels(heat(value, threshold))
        assert (red > green + 20) == (value < threshold)


def test_the_lower_the_redder() -> None:
    greens = [channels(heat(value, 0.7))[1] for value in (0.0, 0.2, 0.4, 0.6)]
    assert sorted(greens) == greens
    assert len(set(greens)) == 4


def luminance(rgb: Sequence[int]) -> float:
    """As WCAG defines it, with 2.2 for its exponent."""
    weights = (0.2126, 0.7152, 0.0722)
    return sum(w * math.pow(c / 255, 2.2) for w, c in zip(weights, rgb, strict=True))


@pytest.mark.parametrize("style", [heat(v / 10, 0.7) for v in range(11)] + [WEAK])
def test_text_is_dark_enough_to_read(style: Style) -> None:
    assert style.color is not None
    ink = tuple(style.color.get_truecolor())
    contrast = (luminance(channels(style)) + 0.05) / (luminance(ink) + 0.05)
    assert contrast >= 7


def test_weak_answers_have_the_colour_of_the_sheets() -> None:
    assert (250, 219, 218) == channels(WEAK)
