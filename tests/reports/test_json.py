"""The JSON report."""

import json
from pathlib import Path

import pytest

from simulator.console.output import as_json
from simulator.core.errors import InputError
from simulator.reports.json import Json
from simulator.view.run_json import run_json
from tests.reports.printed import mixed


def test_the_file_holds_what_run_json_says(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    Json().write(mixed("ja"), str(path))
    text = path.read_text("utf-8")
    assert as_json(run_json(mixed("ja"))) == json.loads(text)
    assert text.endswith("}\n")


@pytest.mark.parametrize("path", [None, ""])
def test_it_needs_a_path(path: str | None) -> None:
    with pytest.raises(InputError, match="NAME=PATH"):
        Json().write(mixed(), path)
