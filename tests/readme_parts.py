"""The README's blocks and how to run them; `python -m tests.readme_parts` renews its outputs."""

import contextlib
import io
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from simulator.cli.app import run as run_command

README = Path(__file__).parents[1] / "README.md"
COLUMNS = "80"
_MARK = re.compile(r"<!-- (file|output|run): (.+) -->")
# What is another each time, and a stand-in of about its width.
_VARIES = {
    r"\b[0-9a-f]{8}\b": "0123abcd",
    r"\d{4}-\d\d-\d\d \d\d:\d\d": "2026-01-01 00:00",
    r"\d+\.\d s\b": "0.0 s",
}


@dataclass(frozen=True)
class Part:
    """A fenced block. `mark` is what the comment before it says: (kind, argument)."""

    language: str
    body: str
    mark: tuple[str, str] = ("", "")

    @property
    def sets_up(self) -> bool:
        """Whether it is one of the two lines that make an environment."""
        return "python3 -m venv" in self.body


def parts(text: str) -> Iterator[Part]:
    """The fenced blocks of a Markdown text, in order."""
    mark, language, body = ("", ""), None, list[str]()
    for line in text.splitlines():
        if language is None and line.startswith("```"):
            language, body = line[3:], []
        elif language is not None and line == "```":
            yield Part(language, "".join(f"{b}\n" for b in body), mark)
            mark, language = ("", ""), None
        elif language is not None:
            body.append(line)
        elif found := _MARK.fullmatch(line):
            mark = (found[1], found[2])


def filled(text: str, printed: Mapping[str, str]) -> str:
    """The text with what each `output:` command printed, where that differs in substance."""
    for part in parts(text):
        kind, command = part.mark
        if kind == "output" and _steady(part.body) != _steady(printed[command]):
            head = f"<!-- output: {command} -->\n```{part.language}\n"
            text = text.replace(f"{head}{part.body}", f"{head}{printed[command]}")
    return text


def commands(body: str) -> Iterator[list[str]]:
    """Every command of a block, in words; `a && b` are two."""
    for line in body.splitlines():
        words = shlex.split(line, comments=True)
        yield from (list(w) for new, w in groupby(words, "&&".__eq__) if not new)


def mogi(words: list[str]) -> tuple[int, str]:
    """Run `mogi …`, `mogi … > FILE` or `mogi … | head -N` here: status, and what is printed."""
    printed = io.StringIO()
    plain = [w for w in words if w not in ("|", ">")]
    cut = words.index("|") if "|" in words else words.index(">") if ">" in words else len(words)
    with contextlib.redirect_stdout(printed):
        status = run_command(plain[1:cut])
    text = printed.getvalue()
    if ">" in words:
        Path(words[-1]).write_text(text, "utf-8")
        return status, ""
    if "|" in words:
        text = "".join(text.splitlines(keepends=True)[: -int(words[-1])])
    return status, text


def _steady(text: str) -> str:
    for pattern, stand_in in _VARIES.items():
        text = re.sub(pattern, stand_in, text)
    return text


def main() -> None:
    """Write what the `output:` commands print now into the README."""
    import os

    os.environ["COLUMNS"] = COLUMNS
    text = README.read_text("utf-8")
    asked = [part.mark[1] for part in parts(text) if part.mark[0] == "output"]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        printed = {command: mogi(shlex.split(command))[1] for command in asked}
    README.write_text(filled(text, printed), "utf-8")


if __name__ == "__main__":
    main()
