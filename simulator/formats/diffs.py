"""Unified diffs of text files."""

import difflib
import io


def unified(path: str, before: str, after: str) -> str:
    """A unified diff of one file, as `patch -p0` and `git apply -p0` take it."""
    lines = difflib.unified_diff(kept_lines(before), kept_lines(after), path, path)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def kept_lines(text: str) -> list[str]:
    """The lines with their ends; only line feeds end a line, as in a diff."""
    return list(io.StringIO(text, newline="\n"))
