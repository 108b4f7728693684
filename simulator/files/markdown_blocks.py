"""A Markdown text as the blocks that it consists of: headings, paragraphs, lists, tables, code."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Only what reads like YAML: a text may begin with a line of hyphens as well.
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?=[ \t]*(?:#|[\w.-]+[ \t]*:|---)).*?^---[ \t]*(?:\n|\Z)", re.S | re.M
)
_COMMENT = re.compile(r"^[ \t]*<!--(?:(?!-->).)*-->[ \t]*(?:\n|\Z)|<!--.*?-->", re.S | re.M)
# Markdown wants a plain space here; Japanese keyboards write a wide one.
_WIDE_HEADING = re.compile(r"^( {0,3}#{1,6})\u3000", re.MULTILINE)
_CODE = ("fence", "code_block")
_TABLE_HEAD = 2  # the names of the columns, and the line under them


@dataclass(frozen=True, slots=True)
class Block:
    """One block, as it stands in the file but for comments; a heading without its marks.

    `level` is 1 to 6 for a heading, else 0. `units` are the pieces at which a long block may be
    cut, and `head` is what stands above each piece of a table.
    """

    text: str
    level: int = 0
    units: tuple[str, ...] = ()
    head: str = ""


def markdown_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order, without front matter, comments, rules and blank lines."""
    text = _FRONT_MATTER.sub("", text, count=1)
    lines = text.split("\n")
    tokens = _parser().parse(_WIDE_HEADING.sub(r"\1 ", text))
    at = 0
    for number, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        start, end = token.map
        # Between blocks stand blank lines and link definitions.
        yield from _block(lines[at:start])
        at = end
        if token.type == "heading_open":
            if title := _plain(tokens[number + 1].content):
                yield Block(title, int(token.tag[1:]))
        elif token.type != "hr":
            yield from _block(lines[start:end], token, _codes(tokens, number))
    yield from _block(lines[at:])


def _codes(tokens: "Sequence[Token]", first: int) -> list[tuple[int, int]]:
    """Where code stands in the block that begins with that token, as lines from its first."""
    start, end = tokens[first].map or (0, 0)
    found = []
    for number in range(first, len(tokens)):  # no slice: a copy for each block would be quadratic
        place = tokens[number].map
        if place and place[0] >= end:
            break
        if place and tokens[number].type in _CODE:
            found.append((place[0] - start, place[1] - start))
    return found


def _block(
    lines: list[str], token: "Token | None" = None, codes: Sequence[tuple[int, int]] = ()
) -> Iterator[Block]:
    if codes:
        units = _units(lines, codes)
    else:
        units = tuple(_COMMENT.sub("", "\n".join(lines)).rstrip().split("\n"))
    units = tuple(unit.rstrip() for unit in units)
    text = "\n".join(units).strip("\n")
    if not text.strip():
        return
    if token is not None and token.type == "table_open":
        yield Block(text, 0, units[_TABLE_HEAD:], "\n".join(units[:_TABLE_HEAD]))
    else:
        yield Block(text, 0, units)


def _units(lines: list[str], codes: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The lines, with those of each piece of code in one."""
    units, at = [], 0
    for start, end in codes:
        units += lines[at:start]
        units.append("\n".join(lines[start:end]))
        at = end
    return (*units, *lines[at:])


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable(["inline", "text_join"])  # blocks are all that is looked at
    return parser


@functools.cache
def _inline() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _plain(heading: str) -> str:
    """A heading's words without emphasis, links and comments."""
    tokens = _inline().parseInline(heading)[0].children or []
    return " ".join("".join(t.content for t in tokens if t.type != "html_inline").split())
