"""The shipped prompts, personas and rubrics, as the tests of several rooms need them."""

from pathlib import Path

from simulator.core.persona import Language
from simulator.files.catalog import Catalog
from simulator.files.prompts import Prompt

ROOT = Path(__file__).parents[2]


def catalog() -> Catalog:
    return Catalog(None, ROOT)


def prompt(language: Language, name: str) -> Prompt:
    return catalog().prompt(language, name)
