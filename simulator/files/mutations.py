"""mutations.yaml: answers to try a judge with, and the ways in which they are changed."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from simulator.core.errors import InputError, raise_all
from simulator.core.mutation import BY, KINDS, Base, Must, Mutation, MutationSet, Sample
from simulator.core.talk import Document
from simulator.files.knowledge import load_knowledge
from simulator.formats.fields import AnyText, Name, Share, Text, Texts, Written, YesNo, shorthand
from simulator.formats.sources import Complaints, Source, hint, shown
from simulator.formats.validation import validate
from simulator.formats.yaml.reading import Loc, Marked, read_yaml

_WAYS = ("answer", "append", "prepend", "hidden", "replace", "documents")
_TAGS = 0xE0000  # Unicode's tag characters: ASCII that models read and screens do not show
_Ascii = Annotated[Text, Field(pattern="^[ -~]+$", description="a text of ASCII characters")]


class DocumentEntry(Written):
    """A document of the knowledge base by its id, or one with a text of its own."""

    id: Name | None = None
    title: AnyText = ""
    text: Text | None = None


_Document = Annotated[
    DocumentEntry, shorthand("id"), Field(description="an id, or {id, title, text}")
]
_Documents = Annotated[
    tuple[_Document, ...], Field(strict=False, description="a list of ids, or of {id, title, text}")
]


class MutationEntry(Written):
    """One change of an answer, by one of its ways: `answer` is all of it.

    What is `hidden` is appended in characters that people do not see.
    """

    kind: Name = Field(description="the kind of change, such as wrong_number")
    must: Must | None = None
    by: Share | None = None
    of: Base | None = None
    answer: Text | None = None
    append: Text | None = None
    prepend: Text | None = None
    hidden: _Ascii | None = None
    replace: Annotated[dict[str, Text], Field(min_length=1)] | None = Field(
        None, description='{"what stands": "what then"}'
    )
    documents: _Documents | None = None


class CaseEntry(Written):
    """A question, what the bot retrieved, a good and a weak answer, and changes of these."""

    id: Name = Field(description="a name of its own")
    question: Text = Field(description="what the user asks")
    goal: AnyText = ""
    documents: _Documents | None = None
    elements: Texts = ()
    answerable: YesNo = True
    good: Text | None = None
    weak: Text | None = None
    mutations: tuple[MutationEntry, ...] = Field(
        strict=False, min_length=1, description="a list of changes, each with its kind"
    )


class SetEntry(Written):
    """A mutations.yaml as people write it."""

    knowledge: Text | None = Field(None, description="the path of a knowledge base")
    persona: Name | None = Field(None, description="the id of a persona")
    shipped: YesNo = True
    cases: tuple[CaseEntry, ...] = Field(
        strict=False, min_length=1, description="a list of at least one case"
    )


@dataclass(frozen=True, slots=True)
class ReadMutations:
    """One file; `with_shipped`: those that ship with mogi are to be run as well."""

    mutations: tuple[Mutation, ...]
    persona: str | None
    cases: Mapping[str, int]  # their lines, by id
    source: Source
    with_shipped: bool


def load_mutations(
    source: Source, documents: Collection[Document], cwd: Path | None = None
) -> ReadMutations:
    """The mutations of one file.

    Args:
        source: The file.
        documents: What its ids mean, unless it names a knowledge base of its own.
        cwd: What the names of files in complaints are relative to; None: the real one.

    Raises:
        InputError: every complaint about the file at once.
    """
    marked = read_yaml(source)
    entry = validate(SetEntry, marked)
    if entry.knowledge is not None:
        documents = _named_knowledge(entry.knowledge, marked, cwd)
    known = {d.id: d for d in documents if d.id is not None}
    reading = _Reading(marked, known)
    mutations = [m for n, case in enumerate(entry.cases) for m in reading.case(n, case)]
    raise_all(reading.complaints)
    return ReadMutations(tuple(mutations), entry.persona, reading.lines, source, entry.shipped)


def merged(own: ReadMutations | None, shipped: ReadMutations) -> MutationSet:
    """The client's own mutations, and then those that ship, unless its file leaves them out.

    Raises:
        InputError: a case of the client's has the id of one that ships.
    """
    if own is None or not own.with_shipped:
        only = own or shipped
        count = len(own.mutations) if own else 0
        return MutationSet(only.mutations, only.persona, (only.source.name,), count)
    raise_all(
        [
            own.source.complaint(
                line,
                f'the case "{name}" is also a built-in one; give it another name, or write '
                "shipped: false",
            )
            for name, line in own.cases.items()
            if name in shipped.cases
        ]
    )
    return MutationSet(
        (*own.mutations, *shipped.mutations),
        own.persona or shipped.persona,
        (own.source.name, shipped.source.name),
        len(own.mutations),
    )


def _named_knowledge(written: str, marked: Marked, cwd: Path | None) -> Collection[Document]:
    path = marked.source.path.parent / written
    if not path.exists():
        message = f"knowledge: no file or folder {shown(written)}; use a path relative to this file"
        raise InputError(marked.complaint(("knowledge",), message))
    return load_knowledge(path, cwd=cwd, within=marked.source.within).documents()


class _Reading:
    """One file being read; goes on after a complaint to find the others."""

    def __init__(self, marked: Marked, known: Mapping[str, Document]) -> None:
        self._marked = marked
        self._known = known
        self.complaints = Complaints()
        self.lines: dict[str, int] = {}

    def case(self, index: int, entry: CaseEntry) -> Iterator[Mutation]:
        """The mutations of one case; what is wrong with them is in `complaints`."""
        at: Loc = ("cases", index)
        if entry.id in self.lines:
            place_before = self._marked.source.where(self.lines[entry.id])
            message = f'the case "{entry.id}" is already {place_before}; rename one'
            self.complaints.append(self._marked.complaint((*at, "id"), message))
        self.lines.setdefault(entry.id, self._marked.line((*at, "id")))
        documents = self._documents((*at, "documents"), entry.documents)
        sample = entry.to(Sample, answer="", documents=documents, expected=entry.good or "")
        bases = {
            name: replace(sample, id=f"{entry.id}/{name}", answer=answer)
            for name, answer in (("good", entry.good), ("weak", entry.weak))
            if answer
        }
        counts: Counter[str] = Counter()
        for number, change in enumerate(entry.mutations):
            counts[change.kind] += 1
            count = counts[change.kind]
            name = f"{entry.id}/{change.kind}" + (f"/{count}" if count > 1 else "")
            place = (*at, "mutations", number)
            if found := self.complaints.attempt(self._mutation, place, name, change, bases):
                yield found

    def _mutation(
        self, at: Loc, name: str, change: MutationEntry, bases: Mapping[str, Sample]
    ) -> Mutation:
        kind = KINDS.get(change.kind)
        if kind is None and (change.must is None or change.kind in ("good", "weak")):
            raise self._error(
                (*at, "kind"),
                f"no kind {shown(change.kind)}; {hint(change.kind, tuple(KINDS))}, "
                "or say what the score must do (must: fall, not_rise or stay)",
            )
        must = change.must or (kind.must if kind else "stay")
        which = change.of or (kind.base if kind else "good")
        if which not in bases:
            changes = f"{change.kind} changes the {which} answer, but the case has none"
            raise self._error(at, f"{changes}; write {which}: in the case")
        mutated = self._changed(at, change, bases[which])
        usual = kind.by if kind and must == kind.must else BY[must]
        by = usual if change.by is None else change.by
        return Mutation(name, change.kind, must, by, bases[which], replace(mutated, id=name))

    def _changed(self, at: Loc, change: MutationEntry, base: Sample) -> Sample:
        ways = [way for way in _WAYS if getattr(change, way) is not None]
        if len(ways) != 1:
            changes = " and ".join(ways) or "no change"
            raise self._error(at, f"has {changes}; write one of {', '.join(_WAYS)}")
        if ways == ["documents"]:
            mutated = replace(base, documents=self._documents((*at, "documents"), change.documents))
        else:
            mutated = replace(base, answer=self._new_answer(at, change, base.answer))
        if mutated == base:
            raise self._error((*at, ways[0]), f"{ways[0]} changes nothing; write what is different")
        return mutated

    def _new_answer(self, at: Loc, change: MutationEntry, old: str) -> str:
        if change.answer is not None:
            return change.answer
        if change.append is not None:
            return f"{old}\n{change.append}"
        if change.prepend is not None:
            return f"{change.prepend}\n{old}"
        if change.hidden is not None:
            return old + "".join(chr(_TAGS + ord(character)) for character in change.hidden)
        parts = change.replace or {}
        raise_all(
            [
                self._marked.complaint(
                    (*at, "replace", part),
                    f"replace: {shown(part)} is {f'{count} times' if count else 'not'} in the "
                    "answer; write a part that it contains once",
                )
                for part in parts
                if (count := old.count(part)) != 1
            ]
        )
        for part, other in parts.items():
            old = old.replace(part, other)
        return old

    def _documents(
        self, at: Loc, entries: tuple[DocumentEntry, ...] | None
    ) -> tuple[Document, ...] | None:
        if entries is None:
            return None
        return tuple(self._document((*at, n), entry) for n, entry in enumerate(entries))

    def _document(self, at: Loc, entry: DocumentEntry) -> Document:
        if entry.text is not None:
            return Document(entry.text, entry.id, entry.title)
        document = self._known.get(entry.id) if entry.id else None
        if document is None:
            right = "write its text: {id, title, text}"
            if self._known:
                right = hint(entry.id or "", self._known)
            message = f"no document {shown(entry.id)} in the knowledge base; {right}"
            self.complaints.append(self._marked.complaint(at, message))
            return Document("")
        return document

    def _error(self, at: Loc, message: str) -> InputError:
        return InputError(self._marked.complaint(at, message))
