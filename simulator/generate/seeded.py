"""The seeded set of the self-test: questions about the demos' FAQs that are good or at fault."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from simulator.core.persona import Language
from simulator.core.talk import Document
from simulator.files.catalog import shipped
from simulator.files.client.loading import LoadedClient, load_client
from simulator.formats.fields import Name, Text, Written
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import read_yaml

FILE = "self-test.yaml"
_DEMO: dict[Language, str] = {"ja": "demo", "en": "demo-en"}


class SeededQuestion(Written):
    """A question, and the faults that it was written with."""

    text: Text
    faults: Annotated[
        tuple[Literal["viewpoint", "inconsistency"], ...],
        Field(strict=False, description="a list of viewpoint and inconsistency"),
    ]


class SeededEntry(Written):
    """The questions about one entry of the demo's FAQ."""

    entry: Name
    questions: Annotated[tuple[SeededQuestion, ...], Field(strict=False, min_length=1)]


@dataclass(frozen=True, slots=True)
class Seeded:
    """The set of one language: the demo, and its questions by entry."""

    loaded: LoadedClient
    entries: tuple[tuple[Document, tuple[SeededQuestion, ...]], ...]

    @property
    def documents(self) -> Sequence[Document]:
        """The demo's whole FAQ."""
        knowledge = self.loaded.knowledge
        return knowledge.documents() if knowledge else ()


def seeded(language: Language) -> Seeded:
    """The set that ships with mogi.

    Raises:
        InputError: its files are wrong.
    """
    folder = shipped() / "scenarios" / _DEMO[language]
    loaded = load_client(str(folder), cwd=Path.cwd(), scenarios=False)
    source = Source.of(folder / FILE)
    found = TypeAdapter(list[SeededEntry]).validate_python(read_yaml(source).data)
    known = {d.id: d for d in loaded.knowledge.documents()} if loaded.knowledge else {}
    return Seeded(loaded, tuple((known[item.entry], item.questions) for item in found))
