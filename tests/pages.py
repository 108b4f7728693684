"""The pages for readers and their blocks: what stands in them, and what is shown."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SKILL = ROOT / "simulator" / "cli" / "_templates" / "skill"
PAGES = (
    *sorted(ROOT.glob("README*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(SKILL.rglob("*.md")),
)
COLUMNS = "80"
_MARK = re.compile(r"<!-- (file|output|run|status|elsewhere): (.+) -->")
_ID = r"\b[0-9a-f]{8}\b"  # of a run
# What is another each time, and a stand-in of about its width.
_VARIES = {
    r"\d{4}-\d\d-\d\d \d\d:\d\d": "2026-01-01 00:00",
    r"\d+\.\d s\b": "0.0 s",
    r"[\d,]+ ms\b": "0 ms",
}


def is_japanese(page: Path) -> bool:
    """True if a page is for readers of Japanese."""
    return page.name == "README.ja.md" or "docs/ja" in page.as_posix()


@dataclass(frozen=True)
class Part:
    """A fenced block. `mark` is what the comment before it says: (kind, argument).

    `file: PATH` is to be written there, `run: python` executed; `output: COMMAND` is what that
    command prints, below the command itself where the block is a `console`. `status: N` is what
    the last command of a block ends with; `elsewhere: WHY` says why a block cannot be executed
    here.
    """

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


def filled(text: str, printed: Sequence[str]) -> str:
    """The text with what its `output:` commands printed, in order, where any of it differs.

    Then all of it is new: a run has the same id in each of a page's outputs.
    """
    after = 0
    shown = [part for part in parts(text) if part.mark[0] == "output"]
    if _steady("".join(part.body for part in shown)) == _steady("".join(printed)):
        return text
    for part, output in zip(shown, printed, strict=True):
        head = f"<!-- output: {part.mark[1]} -->\n```{part.language}\n"
        after = text.index(f"{head}{part.body}", after) + len(head)
        text = f"{text[:after]}{output}{text[after + len(part.body) :]}"
    return text


def commands(body: str) -> Iterator[list[str]]:
    """Every command of a block, in words; `a && b` are two."""
    for line in body.splitlines():
        words = shlex.split(line, comments=True)
        yield from (list(w) for new, w in groupby(words, "&&".__eq__) if not new)


def _steady(text: str) -> str:
    """Without what is another each time; runs are numbered, so that each keeps its own id."""
    for number, run in enumerate(dict.fromkeys(re.findall(_ID, text)), 10_000_000):
        text = text.replace(run, str(number))
    for pattern, stand_in in _VARIES.items():
        text = re.sub(pattern, stand_in, text)
    return text
