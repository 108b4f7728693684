"""Files as people write them, for the tests of this room."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import Marked, parse_yaml

SOURCE = Source(Path("x.yaml"), "x.yaml")

PERSONA = """\
id: {id}
name: Someone
description: A person who asks
traits: [patient]
style: {{length: 20, politeness: polite, disclosure: asked, dissatisfaction: sighs}}
patience: 2
"""
RUBRIC = """\
id: {id}
title: Manners
sees: [question, answer]
instruction: Look closely.
aspects:
  - name: {aspect}
    title: Polite
    question: Is it polite?
    scale: {{low: 1, high: 5}}
    anchors: {{1: rude, 5: polite}}
"""


def marked(text: str) -> Marked:
    return parse_yaml(text, SOURCE)


def complaints(load: Callable[[], Any]) -> list[str]:
    """What loading complains of, one text for each complaint; it has to complain."""
    with pytest.raises(InputError) as caught:
        load()
    return [str(c) for c in caught.value.complaints]


def unclear(load: Callable[[], Any]) -> list[str]:
    """Complaints that do not say what would be right; loading may do nothing but complain."""
    try:
        load()
    except InputError as error:
        return [c.message for c in error.complaints if "; " not in c.message]
    return []


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
