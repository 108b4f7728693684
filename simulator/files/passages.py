"""Markdown and plain text cut into passages: a section each, long ones at their paragraphs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from simulator.core.talk import Document
from simulator.files.markdown_blocks import Block, markdown_blocks
from simulator.files.slugs import Numbered, made_id, slug
from simulator.text.sentences import sentences

LONGEST = 1200  # some 800 Japanese characters, or 200 English words: see `_size`
_WIDE = re.compile("[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")
_BLANK_LINES = re.compile(r"\n\s*\n")


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
    found = []
    sections = list(_sections(text, name))
    for section, id_ in zip(sections, _ids([s.path for s in sections], name), strict=True):
        pieces = _packed((p for block in section.blocks for p in _pieces(block)), "\n\n")
        for number, piece in enumerate(pieces, start=1):
            title = " > ".join(section.path) or stem
            found.append(Document(piece, id_ if number == 1 else f"{id_}~{number}", title))
    return found


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
