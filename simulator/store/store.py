"""A store: begin and finish runs, save episodes, read them back; one run at a time per lock."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Engine, func, literal_column, select
from sqlalchemy.dialects import sqlite

from simulator.core.errors import InputError, StoreError
from simulator.core.persona import Language
from simulator.core.ports import CallId, CallRecord
from simulator.core.run import Episode, Ledger, RunHeader
from simulator.core.verdict import ReviewPlan, Verdict
from simulator.store import codec, journal, verdicts
from simulator.store.engine import explained, held_run, open_engine, path_of, status_now, url_of
from simulator.store.schema import (
    IS_CHECK,
    VERSION,
    episodes,
    migrate,
    no_such_run,
    renames,
    resolved,
    runs,
    version_of,
)
from simulator.store.writer import Writer

PREVIOUS = "previous"
_INSERT = sqlite.insert(episodes)
_SAVE = _INSERT.on_conflict_do_update(
    index_elements=["run", "episode"],
    set_={name: _INSERT.excluded[name] for name in ("ordinal", "stop", "answers", "data")},
)
# The newest first; of those that began in the same second the one that was saved later.
_NEWEST: tuple[ColumnElement[Any], ...] = (
    runs.c.started.desc(),
    literal_column("runs.rowid").desc(),
)


# What `mogi runs` tells of a header, kept beside the figures so that no header has to be read.
_TOLD = ("kind", "timezone", "language")


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of `mogi runs`; `digest` holds the figures of a finished run.

    `timezone` and `language` are the client's; `kind` as a run's header has it.
    """

    id: str
    client: str
    started: str
    finished: str | None
    status: str
    kind: str
    timezone: str
    language: Language
    digest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OpenEpisode:
    """An unfinished conversation: what the target was asked and answered before it broke off."""

    episode: str
    exchanges: tuple[Mapping[str, Any], ...]  # as the target's journal keeps them


class Store:
    """All that is remembered, in one SQLite file."""

    def __init__(self, path: Path, reader: Engine, writer: Writer | None) -> None:
        self._path = path
        self._place = path.absolute()  # now: a bot may change the working directory
        self._engine = reader
        self._writer = writer
        self._headers: dict[str, RunHeader] = {}  # of the runs that were begun here

    @classmethod
    def create(cls, url: str) -> Self:
        """Open a store for writing; it is made, or brought up to date, where that is needed.

        Raises:
            InputError: the URL is not one of a store.
            StoreError: the file cannot be opened or written, or a newer mogi wrote it.
        """
        path = path_of(url)
        if path.is_dir():
            raise StoreError(f"the store {path} is a folder; name a file with --store")
        if not path.absolute().parent.is_dir():
            raise StoreError(f"the store {path} cannot be made: its folder does not exist")
        store = cls(
            path, open_engine(path, write=False), Writer(open_engine(path, write=True), path)
        )
        try:
            if path.exists():  # a database of another program is left as it is
                store._version()
            store._writing().transaction(lambda connection: migrate(connection, path))
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def read(cls, url: str) -> Self:
        """Open an existing store for reading only; an older one is brought up to date first.

        Raises:
            InputError: there is none, or the URL is not one of a store.
            StoreError: it cannot be read, or not be brought up to date; or a newer mogi wrote it.
        """
        path = path_of(url)
        if not path.is_file():
            how = "`mogi run demo` makes one, or name another with --store"
            raise InputError(f"there is no store at {path}; {how}")
        store = cls(path, open_engine(path, write=False), None)
        found = store._version()
        if not found:
            raise StoreError(f"the store {path} is empty; `mogi run demo` fills it")
        if found < VERSION:
            store.close()
            cls.create(url).close()
            return cls(path, open_engine(path, write=False), None)
        return store

    @property
    def url(self) -> str:
        """Where this store is, for `Store.read`; holds in other working directories, too."""
        return url_of(self._place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Commit what waits and let go of the file."""
        if self._writer is not None:
            self._writer.close()
        self._engine.dispose()

    # Runs

    def begin(self, header: RunHeader) -> None:
        """Remember a run before its first call."""
        self._save_header(header, None)

    def finish(self, header: RunHeader, digest: Mapping[str, Any]) -> None:
        """Remember how a run ended, and its figures for `mogi runs`."""
        self._save_header(header, digest)

    def header(self, run: str) -> RunHeader:
        """The header of a run; `run` is a whole id.

        Raises:
            InputError: there is no such run.
        """
        query = select(runs.c.header).where(runs.c.id == run)
        with self._reading() as connection:
            text = connection.execute(query).scalar_one_or_none()
            if text is None:
                raise InputError(no_such_run(run, self._path))
        header = codec.header_from_json(text)
        return replace(header, status=status_now(header.status, self._place, run))

    def runs(self) -> list[RunRow]:
        """All runs, the newest first; checks of judges are none of them."""
        # A store of before has them in the long headers alone.
        told = (
            func.coalesce(*(func.json_extract(c, f"$.{k}") for c in (runs.c.digest, runs.c.header)))
            for k in _TOLD
        )
        plain = (runs.c.id, runs.c.client, runs.c.started, runs.c.finished, runs.c.status)
        query = select(*plain, *told, runs.c.digest).where(~IS_CHECK).order_by(*_NEWEST)
        with self._reading() as connection:
            found = connection.execute(query).all()
        rows = (RunRow(*row[:8], _figures(row.digest)) for row in found)
        return [replace(r, status=status_now(r.status, self._place, r.id)) for r in rows]

    def resolve(self, name: str, *, check: bool = False) -> str:
        """The id behind an id, a unique prefix, `latest` or `previous`; of a run, or of a `check`.

        `previous` is the run before the latest, as `previous` has it.

        Raises:
            InputError: no run, or more than one, is meant.
        """
        if name == PREVIOUS and not check:
            return self.resolve_previous(self.resolve("latest"))
        with self._reading() as connection:
            return resolved(connection, name, _NEWEST, self._path, check=check)

    def previous(self, run: str) -> str | None:
        """The last finished run before this one, of its client and kind, that shares scenarios.

        Files of answers without a client follow each other whatever their names are.
        """
        header = self.header(run)
        rows = self.runs()
        scenarios = _scenarios(self.keys(run))
        place = next((n for n, row in enumerate(rows) if row.id == run), len(rows))
        for row in rows[place + 1 :]:
            if (row.kind, row.status) != (header.kind, "finished"):
                continue
            same = row.client == header.client
            if not same and (not header.is_of_file or not self.header(row.id).is_of_file):
                continue
            if not scenarios.isdisjoint(_scenarios(self.keys(row.id))):
                return row.id
        return None

    def resolve_previous(self, run: str) -> str:
        """The id that `previous` finds.

        Raises:
            InputError: there is no such run.
        """
        found = self.previous(run)
        if found is None:
            header = self.header(run)
            raise InputError(
                f"there is no finished run of {header.client} before {run} that came about in the "
                "same way and shares scenarios; `mogi runs` lists those that there are"
            )
        return found

    def lock(self, run: str) -> AbstractContextManager[None]:
        """Hold a run; the kernel frees the lock when its holder dies, however it dies.

        Raises:
            StoreError: another process holds it (the message names that one), or this store was
                opened for reading only.
        """
        return held_run(self._place, run, self._writing().alone)

    # Calls and episodes

    def journal(self, run: str, *, resume: bool) -> journal.RunJournal:
        """The journal of a run; on a resume it knows what unfinished episodes paid for."""
        known: dict[CallId, CallRecord] = {}
        if resume:
            with self._reading() as connection:
                known = journal.unfinished_calls(connection, run)
        return journal.RunJournal(self._writing(), run, known)

    def judgements(self, run: str) -> dict[tuple[str, str], CallRecord]:
        """What the judge said in a run, by the call's part and the hash of what it was shown."""
        with self._reading() as connection:
            return journal.judgements(connection, run)

    def calls(self, run: str) -> Iterator[CallRecord]:
        """All calls of a run, also replaced and reused ones, without what was answered."""
        with self._reading() as connection:
            yield from journal.calls_of(connection, run)

    def ledger(self, run: str) -> Ledger:
        """What a run paid so far."""
        with self._reading() as connection:
            return journal.ledger_of(connection, run)

    def costs_of_takes(self, run: str) -> dict[str, list[float | None]]:
        """What each take cost in USD, of the conversations that were held again, by episode."""
        with self._reading() as connection:
            return journal.costs_of_takes(connection, run)

    async def save_episode(self, run: str, ordinal: int, episode: Episode) -> None:
        """Commit an episode; `ordinal` is its cell's place in the plan, from 0."""
        row = {
            "run": run,
            "ordinal": ordinal,
            "episode": episode.cell.key,
            "stop": episode.stop.reason.value,
            "answers": self._answers(run, episode),
            "data": codec.episode_to_json(episode),
        }
        await self._writing().write(_SAVE, row)

    def _answers(self, run: str, episode: Episode) -> str:
        header = self._headers.get(run)
        if header is None:
            try:
                header = self._headers[run] = self.header(run)
            except InputError:  # it was never begun: nobody knows whose answers these are
                return "[]"
        return codec.answer_keys(header, episode)

    def episodes(self, run: str) -> Iterator[Episode]:
        """The complete episodes in the plan's order, one at a time, as they are now."""
        query = select(episodes.c.data).where(episodes.c.run == run).order_by(episodes.c.ordinal)
        with self._reading() as connection:
            for row in connection.execute(query):
                yield codec.episode_from_json(row.data)

    def keys(self, run: str) -> list[str]:
        """The names of the complete episodes, in the plan's order."""
        query = select(episodes.c.episode).where(episodes.c.run == run).order_by(episodes.c.ordinal)
        with self._reading() as connection:
            return list(connection.execute(query).scalars())

    def episode(self, run: str, key: str) -> Episode:
        """One complete episode by its whole name."""
        query = select(episodes.c.data).where(episodes.c.run == run, episodes.c.episode == key)
        with self._reading() as connection:
            return codec.episode_from_json(connection.execute(query).scalar_one())

    def open_episodes(self, run: str) -> list[OpenEpisode]:
        """The conversations that broke off, with what was exchanged in them."""
        with self._reading() as connection:
            found = journal.unfinished_exchanges(connection, run)
        return [OpenEpisode(key, exchanges) for key, exchanges in found.items()]

    # Verdicts

    def plan_review(self, run: str, plan: ReviewPlan) -> None:
        """Keep which answers of a run people judge, in place of an earlier plan."""
        self._writing().now(verdicts.planned(run, plan))

    def add_verdicts(self, run: str, given: Iterable[Verdict]) -> None:
        """Add what people said of turns of a run; what was added before is not added again."""
        self._writing().transaction(lambda connection: verdicts.add(connection, run, given))

    def verdicts(self, run: str, episode: str | None = None) -> Iterator[Verdict]:
        """What was given on a run, or on one episode, in the order in which it was."""
        with self._reading() as connection:
            yield from verdicts.of_run(connection, run, episode)

    def reviewed(
        self, run: str, only: Collection[str] | None = None
    ) -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
        """The complete episodes as `episodes` yields them, each with all verdicts that hold there.

        They are those that were given on it and those that were given on equal answers, in this
        run or an earlier one, in the order in which they were given. `only` these episodes, by key.
        """
        with self._reading() as connection:
            yield from verdicts.beside_episodes(connection, run, only)

    def said(self, client: str) -> dict[str, list[Verdict]]:
        """The same of all runs of a client, by run, without the episodes; none where none is."""
        with self._reading() as connection:
            return verdicts.of_client(connection, client)

    def rename_reviewer(self, old: str, new: str, at: str) -> None:
        """Have a reviewer go by another name everywhere; what stands in the store stays."""
        self._writing().now(renames.insert().values(old=old, new=new, at=at))

    def renamed_reviewers(self) -> dict[str, str]:
        """By which names people go now that once had another."""
        with self._reading() as connection:
            return verdicts.renamed(connection)

    def answers(self, client: str) -> dict[tuple[str, str, int], str]:
        """The key of each answer of a client, by run, episode and turn: the same of equal ones."""
        with self._reading() as connection:
            return verdicts.answers_of(connection, client)

    def _version(self) -> int:
        with self._reading() as connection:
            return version_of(connection, self._path)

    def _save_header(self, header: RunHeader, digest: Mapping[str, Any] | None) -> None:
        self._headers[header.id] = header
        told = {name: getattr(header, name) for name in _TOLD}
        row = {
            **{name: getattr(header, name) for name in ("client", "started", "finished", "status")},
            "header": codec.header_to_json(header),
            "digest": codec.dumps({**(digest or {}), **told}),
        }
        insert = sqlite.insert(runs).values(id=header.id, **row)
        upsert = insert.on_conflict_do_update(index_elements=["id"], set_=row)
        self._writing().now(upsert)

    def _writing(self) -> Writer:
        if self._writer is None:
            raise StoreError(f"the store {self._path} was opened for reading only")
        return self._writer

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with explained(self._path), self._engine.connect() as connection:
            yield connection


def _scenarios(keys: Iterable[str]) -> set[str]:
    """The scenarios of episodes, by their keys (`Cell.key`)."""
    return {key.rsplit("/", 2)[0] for key in keys}


def _figures(digest: str | None) -> dict[str, Any]:
    found = json.loads(digest or "{}")
    return {name: figure for name, figure in found.items() if name not in _TOLD}
