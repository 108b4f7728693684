"""What reaches a terminal: words, mogi's own colours, and nothing else."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.text import Text

from simulator.console.output import Channel, moving_screen, print_json, screen, show, tell

ROOT = Path(__file__).parents[2]
# OSC 52 (a clipboard), a title, a move, C1 forms of both, a device's answer, a backspace.
HOSTILE = (
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]0;title\x1b\\",
    "\x1b[2J\x1b[H",
    "\x9d52;c;ZXZpbA==\x9c",
    "\x9b2J",
    "\x1bP+q\x1b\\",
    "a\x08\x08b\x7f\x00",
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_control_character_of_a_text_is_told(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(f"before{text}after")
    tell(f"before{text}after", err=True, bold=True)
    said = capsys.readouterr()
    assert None is CONTROL.search(said.out)
    assert None is CONTROL.search(said.err)
    assert "before" in said.out
    assert "after" in said.err


@pytest.mark.parametrize("text", HOSTILE)
def test_nor_shown_by_rich(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    show([Text(f"before{text}after")], screen())
    assert None is CONTROL.search(capsys.readouterr().out)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_terminal_gets_the_colours_of_a_screen_and_nothing_of_a_text(text: str) -> None:
    stream = io.StringIO()
    console = moving_screen(stream)
    console._force_terminal, console._color_system = True, None
    console.print(Text(f"before{text}after"))
    assert None is CONTROL.search(stream.getvalue())


@pytest.mark.parametrize("text", HOSTILE)
def test_json_keeps_every_character_escaped(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    print_json({"text": text, text: 1})
    said = capsys.readouterr().out
    assert None is CONTROL.search(said)
    assert {"text": text, text: 1} == json.loads(said)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_others_write_passes_without_its_sequences(text: str) -> None:
    stream = io.StringIO()
    print(f"before{text}after", file=Channel(stream))
    kept = re.sub(r"\x1b\[[0-9]*[ABCDGKm]", "", stream.getvalue())
    assert None is CONTROL.search(kept)


def test_what_is_parted_over_two_writes_does_not_pass_either() -> None:
    stream = io.StringIO()
    channel = Channel(stream)
    channel.writelines(["\x1b", "]52;c;ZXZpbA==\x07"])
    assert "]52;c;ZXZpbA==" == stream.getvalue()


def test_colours_and_the_moves_of_a_progress_display_pass() -> None:
    stream = io.StringIO()
    drawn = "\x1b[?25l\r\x1b[2K\x1b[1A\x1b[2K\x1b[1;38;5;9mten\x1b[0m\t%\r\n\x1b[?25h"
    Channel(stream).write(drawn)
    assert drawn == stream.getvalue()


# The console itself, and a worker that has a pipe in the place of a terminal.
_WRITE_ELSEWHERE = ("output.py", "worker.py")


def test_only_the_console_writes_to_the_terminal() -> None:
    """The sweep over all of the code: one module writes, all others hand it their texts."""
    writes = re.compile(
        r"click\.(secho|echo)\(|\bprint\(|sys\.(stdout|stderr)\.(write|buffer)|[( =]Console\("
        r"|print_exc|show_warning|StreamHandler|os\.write\("
    )
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted((ROOT / "simulator").rglob("*.py"))
        if path.name not in _WRITE_ELSEWHERE and "_templates" not in path.parts
        for line in path.read_text("utf-8").splitlines()
        if writes.search(line)
    ]
    assert [] == found


_BAD_BOT = """\
import logging, sys, threading, warnings
from simulator.cli import app, exits
from simulator.console.output import Channel

def run(args):
    print("print\\x1b]52;c;QQ==\\x07")
    warnings.warn("warning\\x1b]52;c;QQ==\\x07")
    logging.getLogger("bot").error("log\\x1b]52;c;QQ==\\x07")
    def fail():
        raise ValueError("thread\\x1b]52;c;QQ==\\x07")
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    raise ValueError("last\\x1b]52;c;QQ==\\x07")

app.run = run
app.main()
"""


def test_prints_warnings_logs_and_tracebacks_pass_without_sequences() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", _BAD_BOT], cwd=ROOT, capture_output=True, check=False
    )
    said = (done.stdout + done.stderr).decode("utf-8")
    for channel in ("print", "warning", "log", "thread", "last"):
        assert f"{channel}]52;c;QQ==" in said
    assert None is CONTROL.search(said)
