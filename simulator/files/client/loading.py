"""A client's folder, read whole: client.yaml, scenarios, knowledge, personas, rubrics, prompts."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from simulator import plugins
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.persona import Language, Persona
from simulator.core.plan import Client
from simulator.core.rubric import Rubric
from simulator.core.scenario import Scenario
from simulator.files.catalog import CLIENT_FILE, Shelf, find_client
from simulator.files.client.file import ClientFile, read_client_file
from simulator.files.client.metrics import Metrics, check_metrics, lacking_embedding
from simulator.files.client.models import DEFAULT_THRESHOLDS, FileEntry
from simulator.files.knowledge import Passages, load_knowledge
from simulator.files.scenarios.entries import NAMES
from simulator.files.scenarios.loading import Known, load_scenarios
from simulator.formats.complaints import hint, shown
from simulator.formats.sources import Source
from simulator.formats.table_files import is_table, is_workbook
from simulator.formats.yaml.reading import Loc

T = TypeVar("T")
FileKey = Literal["scenarios", "knowledge"]


@dataclass(frozen=True, slots=True)
class LoadedClient:
    """A client with all that its files hold.

    `personas` are those that the client names, or all of its language; `rubrics` those that its
    metrics need; `knowledge` is None where the client names none. `notes`: what is not wrong in
    the files, but may not be what was meant.
    """

    client: Client
    scenarios: Mapping[str, Scenario]
    personas: Mapping[str, Persona]
    rubrics: tuple[Rubric, ...]
    shelf: Shelf
    knowledge: Passages | None = None
    notes: tuple[Complaint, ...] = ()


def load_client(where: str, *, cwd: Path, scenarios: bool = True) -> LoadedClient:
    """Everything of a client, by the path of its folder or by its name.

    `scenarios` False: they are left out, right or wrong or not there yet.

    Raises:
        InputError: every complaint about every file, at once.
    """
    folder = find_client(where, cwd)
    return _Loading(folder, cwd, scenarios=scenarios).load()


class _Loading:
    """One reading of a client's folder; goes on after a complaint to find the others."""

    def __init__(self, folder: Path, cwd: Path, *, scenarios: bool) -> None:
        self._folder = folder
        self._cwd = cwd
        self._with_scenarios = scenarios
        self._shelf = Shelf(folder, cwd)
        self._complaints: list[Complaint] = []
        self._notes: list[Complaint] = []

    def load(self) -> LoadedClient:
        """The client; raises every complaint at once."""
        source = Source.of(self._folder / CLIENT_FILE, self._cwd)
        file = self._try(lambda: read_client_file(source))
        if file is None:
            # Which file holds the scenarios is not known either, unless one has the usual name.
            usual = any((self._folder / name).exists() for name in NAMES)
            if self._with_scenarios and usual:
                self._try(lambda: load_scenarios(self._folder, cwd=self._cwd))
            raise InputError(*sorted(self._complaints))
        self._complaints += file.complaints
        self._target_files(file)
        personas = self._personas(file)
        metrics = self._metrics(file)
        knowledge = self._knowledge(file)
        documents = {str(d.id) for d in knowledge.documents()} if knowledge else None
        asking = self._any_persona() if personas is None else personas.keys()
        known = Known(asking, documents)
        scenarios = self._scenarios(file, known)
        if knowledge is not None or file.entry.knowledge is None:  # else its ids are not known
            passages = knowledge.documents() if knowledge else ()
            self._try(lambda: self._shelf.own_mutations(passages))
        raise_all(self._complaints)
        # What is None by now was complained of.
        return LoadedClient(
            client=_client(self._folder, file, tuple(personas or {}), metrics),
            scenarios=scenarios or {},
            personas={name: p for name, p in (personas or {}).items() if p},
            rubrics=metrics.rubrics,
            shelf=self._shelf,
            knowledge=knowledge,
            notes=tuple(self._notes),
        )

    def _target_files(self, file: ClientFile) -> None:
        for name in file.target.spec.files:
            if not (self._folder / name).is_file():
                self._complain(
                    file, ("target",), f"target: no file {shown(name)} in the client's folder"
                )

    def _try(self, load: Callable[[], T]) -> T | None:
        try:
            return load()
        except InputError as error:
            self._complaints += error.complaints
            return None

    def _scenarios(self, file: ClientFile, known: Known) -> dict[str, Scenario] | None:
        if "scenarios" in file.wrong or not self._with_scenarios:
            return None
        path = self._file(file, "scenarios")
        if file.entry.scenarios is not None and path is None:
            return None
        worksheet = file.entry.scenarios.worksheet if file.entry.scenarios else None
        return self._try(
            lambda: load_scenarios(
                self._folder,
                known,
                file=path,
                worksheet=worksheet,
                cwd=self._cwd,
                notes=self._notes,
            )
        )

    def _personas(self, file: ClientFile) -> dict[str, Persona | None] | None:
        """The client's personas, None for one that cannot be read; None if they are not known."""
        if "personas" in file.wrong:
            return None
        language = file.entry.language
        known = self._shelf.persona_ids(language)
        if "language" in file.wrong:
            known = tuple(sorted(self._any_persona()))
        named = file.entry.personas or known
        for index, name in enumerate(named):
            if name not in known:
                self._complain(
                    file, ("personas", index), f"no persona {shown(name)}; {hint(name, known)}"
                )
        if "language" in file.wrong:  # in which one to read them is not known
            return dict.fromkeys(named)
        read = dict.fromkeys(n for n in (*named, *self._shelf.own_persona_ids()) if n in known)
        found = {n: self._try(partial(self._shelf.persona, language, n)) for n in read}
        return {name: found.get(name) for name in named}

    def _any_persona(self) -> frozenset[str]:
        """The personas that a scenario may name where the client's own are not known."""
        languages: tuple[Language, ...] = ("ja", "en")
        return frozenset(name for each in languages for name in self._shelf.persona_ids(each))

    def _metrics(self, file: ClientFile) -> Metrics:
        """What the client's metrics bring; its prompts are looked at as well."""
        nothing = Metrics((), (), frozenset())
        if "language" not in file.wrong:  # the names of metrics are the same in all of them
            self._try(lambda: self._shelf.prompts(file.entry.language))
        rubrics = self._try(lambda: self._shelf.rubrics(file.entry.language))
        if rubrics is None:
            return nothing
        if any(":" in name for name in file.entry.metrics):
            plugins.look_in(self._folder, self._cwd)
        metrics, complaints = check_metrics(file, rubrics)
        self._complaints += [*complaints, *lacking_embedding(file)]
        return metrics

    def _knowledge(self, file: ClientFile) -> Passages | None:
        written, path = file.entry.knowledge, self._file(file, "knowledge")
        if written is None or path is None:
            return None
        return self._try(lambda: load_knowledge(path, worksheet=written.worksheet, cwd=self._cwd))

    def _file(self, file: ClientFile, key: FileKey) -> Path | None:
        """The path of a file that client.yaml names; None if it names none, or a wrong one."""
        written: FileEntry | None = getattr(file.entry, key)
        if written is None:
            return None
        path = self._folder / written.file
        if not os.path.exists(path):  # unlike pathlib's, false for impossible names
            message = f"no file or folder {shown(written.file)}; {self._near(written.file, key)}"
            self._complain(file, (key,), f"{key}: {message}")
            return None
        if written.worksheet is not None and not is_workbook(path):
            message = f"{shown(written.file)} has no worksheets; remove the key"
            self._complain(file, (key, "worksheet"), f"{key}.worksheet: {message}")
            return None
        return path

    def _near(self, written: str, key: FileKey) -> str:
        """What may have been meant: the client's tables, but not those for the other key."""
        there = (
            p.relative_to(self._folder)
            for p in self._folder.rglob("*")
            if is_table(p) and p.name[:2] != "~$"
        )
        usual = {name for name in NAMES if key == "knowledge"}
        return hint(written, sorted(p.as_posix() for p in there if p.name not in usual))

    def _complain(self, file: ClientFile, loc: Loc, message: str) -> None:
        self._complaints.append(file.marked.complaint(loc, message))


def _client(folder: Path, file: ClientFile, personas: tuple[str, ...], metrics: Metrics) -> Client:
    entry = file.entry
    target = file.target
    return Client(
        name=folder.name,
        folder=str(folder),
        language=entry.language,
        target=target.spec,
        timezone=entry.timezone,
        knowledge=entry.knowledge.file if entry.knowledge else None,
        user=entry.user.spec(),
        judge=entry.judge.spec() if entry.judge else None,
        embedding=entry.embedding.spec() if entry.embedding else None,
        guidelines=entry.guidelines,
        personas=personas,
        assign=entry.assign,
        repeat=entry.repeat,
        seed=entry.seed,
        max_turns=entry.max_turns,
        min_turns=entry.min_turns,
        metrics=metrics.named,
        score_by=entry.score_by,
        thresholds=DEFAULT_THRESHOLDS | {m: t.value for m, t in entry.thresholds.items()},
        gate=entry.gate.score if entry.gate else None,
        limits=entry.limits.limits(local=target.local),
        prices={model: p.price() for model, p in entry.prices.items()},
        sheets=entry.sheets.spec() if entry.sheets else None,
        tuned={m: tuned for m, t in entry.thresholds.items() if (tuned := t.tuned())},
    )
