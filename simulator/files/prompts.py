"""A prompt's file: named parts with placeholders, filled in one pass; fences around data."""

import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.errors import Complaint, raise_all
from simulator.formats.fields import Names, Written
from simulator.formats.sources import Source, hint, sha_of
from simulator.formats.validation import validate
from simulator.formats.yaml.reading import parse_yaml

_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_PART = re.compile(r"^<!-- part: ([a-z][a-z0-9_.]*) -->$\n?", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
# What was meant as one of the two above but is not quite.
_NEARLY_PART = re.compile(r"^.*<!--\s*part\b.*$", re.MULTILINE | re.IGNORECASE)
_NEARLY_PLACEHOLDER = re.compile(r"\{\{\s*\w[\w. -]*\}\}")


class FrontMatter(Written):
    """What stands between the two lines `---`."""

    placeholders: Names


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told. `sha` is the SHA-256 (hex) of the file's text.

    `texts` maps the names of the parts to their text, placeholders and all.
    """

    name: str
    sha: str
    texts: Mapping[str, str]

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts, in the file's order."""
        return tuple(self.texts)

    def needs(self, part: str) -> frozenset[str]:
        """The placeholders of a part.

        Raises:
            ValueError: there is no such part.
        """
        if part not in self.texts:
            raise ValueError(f'prompt {self.name}: no part "{part}"; {hint(part, self.parts)}')
        return _pieces(self.texts[part])[1]

    def render(self, part: str, /, **values: str) -> str:
        """A part with its placeholders filled in one pass: braces in values stay text.

        Raises:
            ValueError: no such part; a value is missing, or there is one too many.
        """
        needed = self.needs(part)
        if needed != values.keys():
            missing, surplus = needed - values.keys(), values.keys() - needed
            wrong = [f"no value for {name}" for name in sorted(missing)]
            wrong += [f"no place for {name}" for name in sorted(surplus)]
            raise ValueError(f"prompt {self.name}, part {part}: {', '.join(wrong)}")
        pieces = list(_pieces(self.texts[part])[0])
        pieces[1::2] = [values[name] for name in pieces[1::2]]
        return "".join(pieces)


@lru_cache(maxsize=512)  # a conversation fills some thirty parts, always the same ones
def _pieces(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Literal text and names of placeholders in turn; and all of these names."""
    pieces = tuple(_PLACEHOLDER.split(text))
    return pieces, frozenset(pieces[1::2])


def load_prompt(source: Source, like: Prompt | None = None) -> Prompt:
    """The prompt of one file: YAML front matter, then parts, each under `<!-- part: NAME -->`.

    `like` is the shipped prompt that this one stands in for: it has to have the same parts, and
    in each of them the same placeholders.

    Raises:
        InputError: declared and used placeholders differ, a part is missing or there twice, …
    """
    text = clean(source.text())
    front = _FRONT.match(text)
    if front is None:
        raise source.error(
            1, 'the front matter is missing; begin with "---", "placeholders: [...]", "---"'
        )
    marked = parse_yaml(front.group(1), source, first_line=2)
    declared = validate(FrontMatter, marked).placeholders
    file = _File(source, text, front.end())
    prompt = Prompt(source.path.stem, sha_of(text), file.texts)
    complaints = [*file.wrong(), *file.unlike(like)]
    line = marked.line(("placeholders",))
    used = {name for part in file.texts for name in prompt.needs(part)}
    for name in sorted(set(declared) - used):
        message = f"{{{{{name}}}}} is declared but not used; use it, or remove it from the list"
        complaints.append(source.complaint(line, message))
    for name in sorted(used - set(declared)):
        message = f"{{{{{name}}}}} is used but not declared; {hint(name, declared)}"
        complaints.append(file.complaint(text.find(f"{{{{{name}}}}}", front.end()), message))
    raise_all(complaints)
    return prompt


class _File:
    """The text of a prompt's file below its front matter, and what is wrong with it."""

    def __init__(self, source: Source, text: str, start: int) -> None:
        self._source = source
        self._text = text
        self._start = start
        self._marks = list(_PART.finditer(text, start))
        self.texts: dict[str, str] = {}
        ends = [m.start() for m in self._marks[1:]] + [len(text)]
        for mark, end in zip(self._marks, ends, strict=False):
            self.texts.setdefault(mark.group(1), text[mark.end() : end].strip("\n"))

    def complaint(self, at: int, message: str) -> Complaint:
        """A complaint about the line of the character at `at`."""
        return self._source.complaint(self._text.count("\n", 0, max(0, at)) + 1, message)

    def wrong(self) -> Iterator[Complaint]:
        """Parts and placeholders that are not written as they should be."""
        if not self._marks:
            yield self.complaint(self._start, 'no parts; write a line "<!-- part: NAME -->"')
            return
        if self._text[self._start : self._marks[0].start()].strip():
            yield self.complaint(
                self._start, 'text before the first part; write "<!-- part: NAME -->" above it'
            )
        names = [mark.group(1) for mark in self._marks]
        for index, name in enumerate(names):
            if name in names[:index]:
                message = f'the part "{name}" appears twice; rename one of them'
                yield self.complaint(self._marks[index].start(), message)
        yield from self._near_misses()

    def _near_misses(self) -> Iterator[Complaint]:
        for near in _NEARLY_PART.finditer(self._text, self._start):
            if not _PART.match(self._text, near.start()):
                yield self.complaint(
                    near.start(), 'no part begins here; write "<!-- part: NAME -->" and no more'
                )
        for near in _NEARLY_PLACEHOLDER.finditer(self._text, self._start):
            if not _PLACEHOLDER.fullmatch(near.group()):
                yield self.complaint(
                    near.start(),
                    f"{near.group()} isn't a placeholder; write {{{{name}}}}, without spaces, "
                    "in small letters, digits and _",
                )

    def unlike(self, like: Prompt | None) -> Iterator[Complaint]:
        """Where the prompt cannot stand in for the shipped one."""
        mine = Prompt("", "", self.texts)
        if like is None:
            return
        if missing := [part for part in like.parts if part not in self.texts]:
            names = ", ".join(missing)
            yield self.complaint(
                self._start, f"parts are missing: {names}; copy them from the built-in prompt"
            )
        for part in like.parts:
            if part in missing:
                continue
            needed, present = like.needs(part), mine.needs(part)
            at = next(m.start() for m in self._marks if m.group(1) == part)
            for name in sorted(needed - present):
                yield self.complaint(at, f'the part "{part}" leaves out {{{{{name}}}}}; use it')
            for name in sorted(present - needed):
                yield self.complaint(
                    at, f'nothing fills {{{{{name}}}}} in the part "{part}"; {hint(name, needed)}'
                )


def fence_of(secret: str, *place: object) -> str:
    """16 hex digits that no bot can guess and that a resumed run finds again.

    They are an HMAC (SHA-256) of the place, such as episode and turn, under the secret of the run:
    no text that came from outside can hold them.
    """
    message = "\n".join(map(str, place)).encode("utf-8", "replace")
    return hmac.digest(secret.encode(), message, "sha256").hex()[:16]


def fenced(name: str, text: str, fence: str) -> str:
    """A text between two lines that only mogi can have written; `name` says what it is."""
    return f"<data-{name}-{fence}>\n{text}\n</data-{name}-{fence}>"
