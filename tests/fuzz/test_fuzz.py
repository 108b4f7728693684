"""Each reader reads some hundred damaged examples, or says what is wrong with them."""

from pathlib import Path

import pytest

from tests.fuzz.__main__ import tried
from tests.fuzz.readers import READERS

EXAMPLES = 300  # about ten seconds of the slowest


@pytest.mark.parametrize("name", READERS)
def test_a_sound_example_is_read(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    for example in reader.examples:
        path = tmp_path / f"it{reader.suffix}"
        path.write_bytes(example)
        reader.read(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_damaged_examples_are_read_or_complained_of(name: str, tmp_path: Path) -> None:
    for seed in range(EXAMPLES):
        tried(name, seed, tmp_path)
