"""Annotations of a pull request on GitHub, for the scenarios that got worse.

They are GitHub's workflow commands: a line of the log that begins with `::`.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from simulator import config
from simulator.cli import exits
from simulator.core.clean import cut, visible
from simulator.core.comparison import Worsening
from simulator.core.errors import InputError
from simulator.core.run import RunHeader
from simulator.view.compare_view import CompareView, Worse
from simulator.words import Words

_MOST = 10  # GitHub shows that many of a step
_TEXT = 300  # characters


def annotate(view: CompareView) -> None:
    """Print an annotation for each scenario that got worse, if GitHub Actions runs this."""
    if config.setting("GITHUB_ACTIONS") != "true":
        return
    file, lines = "", dict[str, int]()
    with suppress(InputError):  # without a file an annotation belongs to the whole job
        file, lines = _lines_of(view.comparison.after)
    words = Words(view.words.language, "page")
    for each in view.worse[:_MOST]:
        more = words("more_cells", n=each.others) if each.others else ""
        exits.say(_command(each, file, lines, more))


def _command(worse: Worse, file: str, lines: Mapping[str, int], more: str) -> str:
    line = lines.get(worse.moved.cell.scenario)
    place = {"file": file, "line": str(line)} if file and line else {}
    properties = {**place, "title": f"{visible(worse.name)} — {worse.way}"}
    named = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    kind = "warning" if worse.moved.how is Worsening.PASSED_UNDECIDED else "error"
    texts = (worse.why, f"→ {worse.answer}" if worse.answer else "", more)
    message = "\n".join(cut(text, _TEXT) for text in texts if text)
    return f"::{kind} {named}::{_data(message)}"


def _data(text: str) -> str:
    """As GitHub's own toolkit escapes the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _lines_of(header: RunHeader) -> tuple[str, dict[str, int]]:
    """The file of a run's scenarios, relative to the repository, and the line of each by its id.

    Raises:
        InputError: the client's folder cannot be read any more.
    """
    from simulator.files.client.folder import scenario_lines

    path, lines = scenario_lines(Path(header.folder))
    root = config.setting("GITHUB_WORKSPACE") or os.curdir
    file = os.path.relpath(path, root).replace(os.sep, "/")
    return ("" if file.startswith("../") else file), lines
