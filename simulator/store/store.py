"""A store: begin and finish runs, save episodes, read them back; one run at a time per lock."""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, select
from sqlalchemy.dialects import sqlite

from simulator.core.errors import InputError, StoreError
from simulator.core.ports import CallId, CallRecord, Role
from simulator.core.run import Episode, Ledger, RunHeader
from simulator.store import codec, journal
from simulator.store.engine import explained, open_engine, path_of
from simulator.store.schema import VERSION, calls, episodes, migrate, runs, version_of
from simulator.store.writer import Writer

_PAGE = 500
_INSERT = sqlite.insert(episodes)
_SAVE = _INSERT.on_conflict_do_update(
    index_elements=["run", "ordinal"],
    set_={name: _INSERT.excluded[name] for name in ("episode", "stop", "data")},
)


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of `mogi runs`; `digest` holds the figures of a finished run."""

    id: str
    client: str
    started: str
    finished: str | None
    status: str
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
        self._engine = reader
        self._writer = writer

    @classmethod
    def create(cls, url: str) -> Self:
        """Open a store for writing; it is made, or brought up to date, where that is needed.

        Raises:
            InputError: the URL is not one of a store.
            StoreError: the file cannot be opened or written, or a newer mogi wrote it.
        """
        path = path_of(url)
        if not path.absolute().parent.is_dir():
            raise StoreError(f"the store {path} cannot be made: its folder does not exist")
        writer = Writer(open_engine(path, write=True), path)
        try:
            writer.transaction(migrate)
        except OSError as error:  # the file lock in a folder that cannot be written
            raise StoreError(
                f"the store {path} cannot be written ({error.strerror}); "
                "go to a folder that you may write in, or name a store with --store"
            ) from error
        return cls(path, open_engine(path, write=False), writer)

    @classmethod
    def read(cls, url: str) -> Self:
        """Open an existing store for reading only.

        Raises:
            InputError: there is none, or the URL is not one of a store.
            StoreError: it cannot be read, or a newer mogi wrote it.
        """
        path = path_of(url)
        if not path.is_file():
            raise InputError(
                f"there is no store at {path}; `mogi run demo` makes one, "
                "or name another with --store"
            )
        store = cls(path, open_engine(path, write=False), None)
        with store._reading() as connection:
            found = version_of(connection)
        if found != VERSION:
            raise StoreError(_other_version(path, found))
        return store

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
        """The header of a run; `run` is a whole id."""
        with self._reading() as connection:
            text = connection.execute(select(runs.c.header).where(runs.c.id == run)).scalar_one()
        return codec.header_from_json(text)

    def runs(self) -> list[RunRow]:
        """All runs, the newest first."""
        query = select(runs).order_by(runs.c.started.desc(), runs.c.id)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        return [
            RunRow(r.id, r.client, r.started, r.finished, r.status, json.loads(r.digest or "{}"))
            for r in rows
        ]

    def resolve(self, name: str) -> str:
        """The id behind an id, a unique prefix of one, or `latest`.

        Raises:
            InputError: no run, or more than one, is meant.
        """
        ids = [row.id for row in self.runs()]
        if not ids:
            raise InputError(f"the store {self._path} holds no runs yet; `mogi run demo` makes one")
        if name == "latest":
            return ids[0]
        found = [i for i in ids if i.startswith(name)] if name else []
        if name in found or len(found) == 1:
            return name if name in found else found[0]
        if found:
            raise InputError(f"{name!r} may be any of {', '.join(found[:5])}; write more of the id")
        raise InputError(f"no run {name!r} in {self._path}; `mogi runs` lists those that there are")

    @contextmanager
    def lock(self, run: str) -> Iterator[None]:
        """Hold a run; the kernel frees the lock when its holder dies, however it dies.

        Raises:
            StoreError: another process holds it; the message names that one.
        """
        holder = Path(f"{self._path}.{run}.holder")
        lock = FileLock(f"{self._path}.{run}.lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            who = holder.read_text("utf-8") if holder.is_file() else "another process"
            raise StoreError(
                f"run {run} is being worked on by {who}; wait for it to end, or stop it"
            ) from error
        try:
            holder.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()
            Path(lock.lock_file).unlink(missing_ok=True)

    # Calls and episodes

    def journal(self, run: str, *, resume: bool) -> journal.RunJournal:
        """The journal of a run; on a resume it knows what unfinished episodes paid for."""
        known: dict[CallId, CallRecord] = {}
        if resume:
            with self._reading() as connection:
                known = journal.unfinished_calls(connection, run)
        return journal.RunJournal(self._writing(), run, known)

    def judgements(self, run: str) -> dict[str, CallRecord]:
        """What the judge said in a run, by the hash of what it was shown."""
        with self._reading() as connection:
            return journal.judgements_by_digest(connection, run)

    def ledger(self, run: str) -> Ledger:
        """What a run paid so far."""
        with self._reading() as connection:
            return journal.ledger_of(connection, run)

    async def save_episode(self, run: str, ordinal: int, episode: Episode) -> None:
        """Commit an episode; `ordinal` is its cell's place in the plan, from 0."""
        row = {
            "run": run,
            "ordinal": ordinal,
            "episode": episode.cell.key,
            "stop": episode.stop.reason.value,
            "data": codec.episode_to_json(episode),
        }
        await self._writing().write(_SAVE, row)

    def complete(self, run: str) -> set[int]:
        """The places in the plan of the episodes that are complete."""
        query = select(episodes.c.ordinal).where(episodes.c.run == run)
        with self._reading() as connection:
            return set(connection.execute(query).scalars())

    def episodes(self, run: str) -> Iterator[Episode]:
        """The complete episodes in the plan's order, read page by page."""
        last = -1
        while True:
            query = (
                select(episodes.c.ordinal, episodes.c.data)
                .where(episodes.c.run == run, episodes.c.ordinal > last)
                .order_by(episodes.c.ordinal)
                .limit(_PAGE)
            )
            with self._reading() as connection:
                page = connection.execute(query).all()
            for row in page:
                yield codec.episode_from_json(row.data)
            if len(page) < _PAGE:
                return
            last = page[-1].ordinal

    def open_episodes(self, run: str) -> list[OpenEpisode]:
        """The conversations that broke off, with what was exchanged in them."""
        done = select(episodes.c.episode).where(episodes.c.run == run)
        query = (
            select(calls.c.episode, calls.c.response)
            .where(calls.c.run == run, calls.c.role == Role.TARGET, calls.c.part == "exchange")
            .where(calls.c.episode.not_in(done))
            .order_by(calls.c.episode, calls.c.turn)
        )
        found: dict[str, list[Mapping[str, Any]]] = {}
        with self._reading() as connection:
            for row in connection.execute(query):
                found.setdefault(row.episode, []).append(json.loads(row.response))
        return [OpenEpisode(key, tuple(exchanges)) for key, exchanges in found.items()]

    # Inside

    def _save_header(self, header: RunHeader, digest: Mapping[str, Any] | None) -> None:
        row = {
            "client": header.client,
            "started": header.started,
            "finished": header.finished,
            "status": header.status,
            "header": codec.header_to_json(header),
            "digest": codec.dumps(digest) if digest is not None else None,
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


def _other_version(path: Path, found: int) -> str:
    if found > VERSION:
        return (
            f"the store {path} was written by a newer mogi (schema {found}, this one knows "
            f"{VERSION}); update mogi, or name another store with --store"
        )
    return f"the store {path} is of an older mogi; the next `mogi run` brings it up to date"
