"""A client's folder, read whole: client.yaml, scenarios, knowledge, personas, rubrics, prompts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from simulator import config, plugins
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.health import Rubric
from simulator.core.persona import Language, Persona
from simulator.core.plan import Client, Gate, ModelSpec, Price, ReviewSpec
from simulator.core.scenario import Scenario
from simulator.core.talk import entry_names
from simulator.files.catalog import CLIENT_FILE, Catalog, find_client
from simulator.files.client.client_yaml import ClientFile, read_client_file
from simulator.files.client.keys import DEFAULT_THRESHOLDS, FileEntry
from simulator.files.client.metrics import Metrics, check_metrics, lacking_embedding
from simulator.files.client.reach import refuse
from simulator.files.knowledge import Passages, load_knowledge
from simulator.files.scenarios.expected import NAMES, read_entries, scenarios_file
from simulator.files.scenarios.loading import Known, load_scenarios
from simulator.formats.sources import Complaints, Source, hint, inside, shown
from simulator.formats.table_files import is_table, is_workbook
from simulator.formats.yaml.reading import Loc
from simulator.words import counted

_RANKING = "grounded"
"""The metric that orders what people read first; a threshold only flags."""


@dataclass(frozen=True, slots=True, repr=False)
class LoadedClient:
    """A client with all that its files hold.

    `personas` are those that the client names, or all of its language; `rubrics` those that its
    metrics need; `scenarios_file` is seen from its folder;
    `knowledge` is None where the client names none; `mapping` is where columns are in logs
    (`import:`). `notes`: what is not wrong in
    the files, but may not be what was meant.
    """

    client: Client
    scenarios: Mapping[str, Scenario]
    personas: Mapping[str, Persona]
    rubrics: tuple[Rubric, ...]
    catalog: Catalog
    knowledge: Passages | None = None
    notes: tuple[Complaint, ...] = ()
    scenarios_file: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        sizes = (counted(len(self.scenarios), "scenario"), counted(len(self.personas), "persona"))
        named = (self.client.name, *sizes, f"target {self.client.target.kind}")
        return f"<LoadedClient {' · '.join(named)}>"


def load_client(where: str, *, cwd: Path, scenarios: bool = True) -> LoadedClient:
    """Everything of a client, by the path of its folder or by its name.

    `scenarios` False: they are left out, right or wrong or not there yet.

    Where nothing is trusted (`config.is_untrusted`), nothing of the client's is imported or run.

    Raises:
        InputError: every complaint about every file, at once; or all that is refused.
    """
    if not config.is_untrusted():
        loaded = _load(where, cwd, scenarios=scenarios)
        refuse(loaded)
        return loaded
    with plugins.unimported():
        loaded = _load(where, cwd, scenarios=scenarios)
        refuse(loaded)
    return loaded


def _load(where: str, cwd: Path, *, scenarios: bool) -> LoadedClient:
    folder = find_client(where, cwd)
    complaints = Complaints()
    file = complaints.attempt(
        read_client_file, Source.of(folder / CLIENT_FILE, cwd, inside(folder, cwd))
    )
    if file is not None:
        return _Loading(folder, cwd, file).load(scenarios=scenarios)
    # Which file holds the scenarios is not known either, unless one has the usual name.
    if scenarios and any((folder / name).exists() for name in NAMES):
        complaints.attempt(load_scenarios, folder, cwd=cwd)
    raise InputError(*sorted(complaints))


def scenario_lines(folder: Path) -> tuple[Path, dict[str, int]]:
    """The file that holds a client's scenarios, and the line of each scenario by its id.

    Raises:
        InputError: client.yaml or that file cannot be read.
    """
    read = read_client_file(Source.of(folder / CLIENT_FILE, within=inside(folder)))
    named = read.entry.scenarios
    path = folder / named.file if named else scenarios_file(folder)
    source = Source.of(path, within=inside(folder))
    marked = read_entries(source, named.worksheet if named else None)
    ids = enumerate(marked.data if isinstance(marked.data, list) else ())
    return path, {
        str(entry["id"]): marked.line((index, "id"))
        for index, entry in ids
        if isinstance(entry, dict) and "id" in entry
    }


class _Loading:
    """One reading of a client's folder; goes on after a complaint to find the others."""

    def __init__(self, folder: Path, cwd: Path, file: ClientFile) -> None:
        self._folder = folder
        self._cwd = cwd
        self._file = file
        self._catalog = Catalog(folder, cwd)
        self._complaints = Complaints(file.complaints)
        self._notes: list[Complaint] = []

    def load(self, *, scenarios: bool) -> LoadedClient:
        """The client; raises every complaint at once."""
        entry = self._file.entry
        for name in self._file.target.spec.files:
            if not os.path.isfile(self._folder / name):
                self._complain(("target",), f"target: no file {shown(name)} in the client's folder")
                continue
            self._complaints.attempt(self._catalog.file(name).confined)
        personas = self._personas()
        metrics = self._metrics()
        self._note_ranking()
        path, worksheet = self._path("knowledge")
        knowledge = None
        if path is not None:
            knowledge = self._complaints.attempt(
                load_knowledge,
                path,
                worksheet=worksheet,
                cwd=self._cwd,
                within=self._catalog.within,
            )
        passages = knowledge.documents() if knowledge else ()
        # Where a name in the list is wrong, whoever a scenario names may be meant by it.
        is_known = personas is not None and None not in personas.values()
        asking = personas.keys() if personas and is_known else self._any_persona()
        known = Known(asking, entry_names(passages) if knowledge else None)
        loaded = self._scenarios(known) if scenarios else None
        if knowledge is not None or entry.knowledge is None:  # else its ids are not known
            self._complaints.attempt(self._catalog.own_mutations, passages)
        self._must_pass(loaded)
        raise_all(self._complaints)
        # What is None by now was complained of.
        return LoadedClient(
            client=_client(self._folder, self._file, tuple(personas or {}), metrics),
            scenarios=loaded or {},
            personas={name: p for name, p in (personas or {}).items() if p},
            rubrics=metrics.rubrics,
            catalog=self._catalog,
            knowledge=knowledge,
            notes=tuple(self._notes),
            scenarios_file=self._scenarios_file() if scenarios else "",
            mapping=self._file.entry.import_,
        )

    def _note_ranking(self) -> None:
        threshold = self._file.entry.thresholds.get(_RANKING)
        if threshold is not None:
            message = (
                f"thresholds.{_RANKING}: this metric only ranks turns; mogi flags turns "
                f"below {threshold.value:g}, but they don't fail"
            )
            self._notes.append(self._file.marked.complaint(("thresholds", _RANKING), message))

    def _must_pass(self, scenarios: Mapping[str, Scenario] | None) -> None:
        """What the gate names has to be there: a scenario, or a tag of one."""
        gate = self._file.entry.gate
        if scenarios is None or gate is None or "gate" in self._file.wrong:
            return
        known = {*scenarios, *(tag for scenario in scenarios.values() for tag in scenario.tags)}
        for index, name in enumerate(gate.must_pass):
            if name not in known:
                message = (
                    f"gate.must_pass: no tag or scenario {shown(name)}; {hint(name, sorted(known))}"
                )
                self._complain(("gate", "must_pass", index), message)

    def _scenarios(self, known: Known) -> dict[str, Scenario] | None:
        path, worksheet = self._path("scenarios")
        if "scenarios" in self._file.wrong or (self._file.entry.scenarios and path is None):
            return None
        return self._complaints.attempt(
            load_scenarios,
            self._folder,
            known,
            file=path,
            worksheet=worksheet,
            cwd=self._cwd,
            notes=self._notes,
        )

    def _scenarios_file(self) -> str:
        named = self._file.entry.scenarios
        return named.file if named else scenarios_file(self._folder, self._cwd).name

    def _personas(self) -> dict[str, Persona | None] | None:
        """The client's personas, None for one that cannot be read; None if they are not known."""
        wrong, language = self._file.wrong, self._file.entry.language
        if "personas" in wrong:
            return None
        known = self._catalog.persona_ids(language)
        if "language" in wrong:
            known = tuple(sorted(self._any_persona()))
        named = self._file.entry.personas or known
        for index, name in enumerate(named):
            if name not in known:
                self._complain(
                    ("personas", index), f"no persona {shown(name)}; {hint(name, known)}"
                )
        if "language" in wrong:  # in which one to read them is not known
            return dict.fromkeys(named)
        read = dict.fromkeys(n for n in (*named, *self._catalog.own_persona_ids()) if n in known)
        loaded = {n: self._complaints.attempt(self._catalog.persona, language, n) for n in read}
        return {name: loaded.get(name) for name in named}

    def _any_persona(self) -> frozenset[str]:
        """The personas that a scenario may name where the client's own are not known."""
        languages: tuple[Language, ...] = ("ja", "en")
        return frozenset(name for each in languages for name in self._catalog.persona_ids(each))

    def _metrics(self) -> Metrics:
        """What the client's metrics bring; its prompts are looked at as well."""
        entry = self._file.entry
        if "language" not in self._file.wrong:  # names of metrics are the same in all of them
            self._complaints.attempt(self._catalog.prompts, entry.language)
        rubrics = self._complaints.attempt(self._catalog.rubrics, entry.language)
        if rubrics is None:
            return Metrics((), (), frozenset())
        if any(":" in name for name in entry.metrics):
            plugins.look_in(self._folder, self._cwd)
        metrics, complaints = check_metrics(self._file, rubrics)
        self._complaints += [*complaints, *lacking_embedding(self._file)]
        return metrics

    def _path(self, key: Literal["scenarios", "knowledge"]) -> tuple[Path | None, str | None]:
        """A file that client.yaml names, and its worksheet; None if it names none, or wrongly."""
        written: FileEntry | None = getattr(self._file.entry, key)
        if written is None:
            return None, None
        path = self._folder / written.file
        if not os.path.exists(path):  # unlike pathlib's, false for impossible names
            near = self._near(written.file, key)
            self._complain((key,), f"{key}: no file or folder {shown(written.file)}; {near}")
            return None, None
        if written.worksheet is not None and not is_workbook(path):
            message = f"{shown(written.file)} has no worksheets; remove the key"
            self._complain((key, "worksheet"), f"{key}.worksheet: {message}")
            return None, None
        return path, written.worksheet

    def _near(self, written: str, key: str) -> str:
        """What may have been meant: the client's tables, but not those for the other key.

        For the knowledge base its folders, where there is no table.
        """
        is_knowledge = key == "knowledge"
        usual = NAMES if is_knowledge else ()
        paths = {p.relative_to(self._folder).as_posix(): p for p in self._folder.rglob("*")}
        tables = [
            name
            for name, p in paths.items()
            if is_table(p) and p.name[:2] != "~$" and p.name not in usual
        ]
        folders = [name for name, p in paths.items() if p.is_dir() and p.name[0] not in "._"]
        return hint(written, sorted(tables or (folders if is_knowledge else [])))

    def _complain(self, loc: Loc, message: str) -> None:
        self._complaints.append(self._file.marked.complaint(loc, message))


def _client(folder: Path, file: ClientFile, personas: tuple[str, ...], metrics: Metrics) -> Client:
    entry = file.entry
    left_out = tuple(metric for metric, threshold in entry.thresholds.items() if threshold is None)
    return entry.to(
        Client,
        name=folder.name,
        folder=str(folder),
        target=file.target.spec,
        knowledge=entry.knowledge.file if entry.knowledge else None,
        user=entry.user.spec(),
        judge=entry.judge.spec() if entry.judge else None,
        reader=entry.reader.to(ModelSpec) if entry.reader else None,
        embedding=entry.embedding.to(ModelSpec) if entry.embedding else None,
        personas=personas,
        metrics=metrics.named,
        thresholds={
            **{m: t for m, t in DEFAULT_THRESHOLDS.items() if m not in left_out},
            **{m: t.value for m, t in entry.thresholds.items() if t},
        },
        left_out=left_out,
        gate=entry.gate.to(Gate) if entry.gate else None,
        limits=entry.limits.limits(local=file.target.local, loopback=file.target.loopback),
        prices={model: p.to(Price) for model, p in entry.prices.items()},
        review=entry.review.to(ReviewSpec),
        sheets=entry.sheets.spec() if entry.sheets else None,
        tuned={m: tuned for m, t in entry.thresholds.items() if t and (tuned := t.tuned())},
    )
