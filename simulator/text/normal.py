"""The normal form of a text, as `core.form` makes it."""

from simulator.core.form import folded, normal_form

__all__ = ["folded", "normal_form"]
