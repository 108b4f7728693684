"""Markdown and plain text cut into passages: at headings, and at blank lines."""

import re

from simulator.core.talk import Document

_HEADING = re.compile(r"#{1,6}[ \t\u3000]+(.*?)[ \t]*#*")
_FENCE = re.compile(r"\s*(```|~~~)")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def passages(text: str, name: str) -> list[Document]:
    """The passages of one file; their ids are `name#1`, `name#2` and so on.

    A heading is the title of the passages below it and belongs to no passage; above the first
    one the title is the file's name without folder and ending. Blank lines inside a fenced block
    do not cut.
    """
    title = name.rpartition("/")[2].rpartition(".")[0]
    markdown = name.lower().endswith(".md")
    found: list[Document] = []
    block: list[str] = []

    def close() -> None:
        if block:
            found.append(Document("\n".join(block), f"{name}#{len(found) + 1}", title))
            block.clear()

    fenced = False
    for line in _FRONT_MATTER.sub("", text).split("\n") if markdown else text.split("\n"):
        heading = _HEADING.fullmatch(line) if markdown and not fenced else None
        if heading:
            close()
            title = heading.group(1).strip() or title
        elif line.strip() or fenced:
            block.append(line.rstrip())
            fenced ^= markdown and bool(_FENCE.match(line))
        else:
            close()
    close()
    return found
