"""Markdown and plain text cut into passages: a section each, long ones at their paragraphs."""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.core.talk import Document
from simulator.formats.own_files import Numbered, made_id, slug
from simulator.text.tokens import sentences

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 1200  # some 800 Japanese characters, or 200 English words: see `_size`
_WIDE = re.compile("[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")
_BLANK_LINES = re.compile(r"\n\s*\n")

# Only what reads like YAML: a text may begin with a line of hyphens as well.
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?=[ \t]*(?:#|[\w.-]+[ \t]*:|---)).*?^---[ \t]*(?:\n|\Z)", re.S | re.M
)
# One that never closes is text to the end: so nothing is looked for twice.
_COMMENT = re.compile(
    r"^[ \t]*+<!--(?:(?!-->).)*+-->[ \t]*+(?:\n|\Z)|<!--.*?-->|(?P<open><!--.*+)", re.S | re.M
)
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


@dataclass(slots=True)
class _Section:
    """The headings that lead to a section, from the outermost, and its text as blocks."""

    path: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list)


def passages(text: str, name: str) -> list[Document]:
    """The passages of one file; `name` is its path, as ids are to show it.

    Markdown (.md) is cut at its headings. The headings that lead to a passage are its title
    (`料金 > 送料`) and no part of its text; above the first one the title is the file's name
    without folder and ending. A section longer than some 800 Japanese characters or 200 English
    words is cut at its paragraphs, a paragraph at its lines and sentences, a table at its rows
    under the same head; code is never cut. Any other file is one section of paragraphs.

    The id is `name#` and the heading's words, so it stays when other sections are edited; where
    a file has a heading twice, the words of the headings above it stand before it, and only
    what is the same even then is counted (`-2`). The further pieces of a section end in ~2, ~3
    and so on. What stands above the first heading has the file's name as its id.
    """
    stem = name.rpartition("/")[2].rpartition(".")[0]
    documents = []
    sections = list(_sections(text, name))
    for section, id_ in zip(sections, _ids([s.path for s in sections], name), strict=True):
        pieces = _packed((p for block in section.blocks for p in _pieces(block)), "\n\n")
        for number, piece in enumerate(pieces, start=1):
            title = " > ".join(section.path) or stem
            documents.append(Document(piece, id_ if number == 1 else f"{id_}~{number}", title))
    return documents


def _sections(text: str, name: str) -> Iterator[_Section]:
    if not name.lower().endswith(".md"):
        paragraphs = (p.strip("\n") for p in _BLANK_LINES.split(text) if p.strip())
        yield _Section((), [Block(p, 0, tuple(p.split("\n"))) for p in paragraphs])
        return
    section = _Section(())
    above: list[tuple[int, str]] = []
    for block in markdown_blocks(text):
        if not block.level:
            section.blocks.append(block)
        else:
            yield section
            above = [(level, title) for level, title in above if level < block.level]
            above.append((block.level, block.text))
            section = _Section(tuple(title for _, title in above))
    yield section


def _ids(paths: Sequence[tuple[str, ...]], name: str) -> Iterator[str]:
    slugs = [tuple(slug(title) or made_id(title) for title in path) for path in paths]
    last = Counter(path[-1] for path in slugs if path)
    numbered = Numbered()
    for path in slugs:
        words = "" if not path else path[-1] if last[path[-1]] == 1 else "-".join(path)
        yield numbered(f"{name}#{words}" if words else name)


def _size(text: str) -> float:
    """Characters, wide ones counted one and a half times: a word of English has some six."""
    return len(text) + len(_WIDE.findall(text)) / 2


def _pieces(block: Block) -> Iterable[str]:
    if _size(block.text) <= LONGEST:
        return (block.text,)
    if block.head:
        rows = _packed(block.units, "\n", LONGEST - _size(block.head))
        return (f"{block.head}\n{piece}" for piece in rows)
    units = (piece for unit in block.units for piece in _shorter(unit))
    return (piece for piece in _packed(units, "\n") if piece.strip())


def _shorter(unit: str) -> Iterable[str]:
    """A line as pieces that are short enough; code, of several lines, stays whole."""
    if "\n" in unit or _size(unit) <= LONGEST:
        return (unit,)
    japanese = _WIDE.search(unit) is not None
    longest = LONGEST * 2 // 3
    cut = (
        sentence[at : at + longest]
        for sentence in sentences(unit, "ja" if japanese else "en")
        for at in range(0, len(sentence), longest)
    )
    return _packed(cut, "" if japanese else " ")


def _packed(pieces: Iterable[str], glue: str, longest: float = LONGEST) -> Iterator[str]:
    """Neighbours joined as long as they stay short enough."""
    held: list[str] = []
    size = 0.0
    for piece in pieces:
        more = _size(piece) + len(glue)
        if held and size + more > longest:
            yield glue.join(held)
            held, size = [], 0.0
        held.append(piece)
        size += more
    if held:
        yield glue.join(held)


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
        shown = _COMMENT.sub(lambda found: found["open"] or "", "\n".join(lines))
        units = tuple(shown.rstrip().split("\n"))
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
