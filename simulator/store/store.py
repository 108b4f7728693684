"""A store: begin and finish runs, save episodes, read them back; one run at a time per lock."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from itertools import groupby
from typing import Any, Self, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, select

from simulator.core.errors import InputError, StoreError
from simulator.core.ports import CallRecord, Role
from simulator.core.run import CHECK_PREFIX, Episode, Ledger, RunHeader, locks_of
from simulator.core.verdict import ReviewPlan, Verdict
from simulator.store import codec, verdicts
from simulator.store.engine import FileLocation, Location, explained, path_of
from simulator.store.journal import (
    ALL_CALLS,
    OpenEpisode,
    RunJournal,
    ledger_of,
    record_of,
    sums_of_calls,
)
from simulator.store.schema import (
    IS_CHECK,
    IS_RERUN,
    LISTED,
    NEXT,
    VERSION,
    RunRow,
    calls,
    episodes,
    insert_into,
    migrate,
    renames,
    runs,
    upsert,
    version_of,
)
from simulator.store.writer import Writer

T = TypeVar("T")
PREVIOUS = "previous"
_LOOKED_BACK = 20  # runs, for one that has all cells
# The newest first; of those that began in the same second the one that was saved later.
_NEWEST: tuple[ColumnElement[Any], ...] = (
    runs.c.started.desc(),
    runs.c.place.desc(),
)


def location_of(url: str) -> Location:
    """The place behind a store's URL.

    Raises:
        InputError: it is not a URL of the forms that mogi knows, or their driver is not installed.
    """
    if url.lower().startswith(("postgresql:", "postgresql+", "postgres:")):
        from simulator.store.postgres import ServerLocation  # its driver is an extra

        return ServerLocation(url)
    return FileLocation(path_of(url))


class Store:
    """All that is remembered, in a file of SQLite's or a database of PostgreSQL's (`location`)."""

    def __init__(self, location: Location, writer: Writer | None) -> None:
        self.location = location
        self._engine: Engine = location.engine(write=False)
        self._writer = writer
        self._headers: dict[str, RunHeader] = {}  # of the runs that were begun here

    @classmethod
    def create(cls, url: str) -> Self:
        """Open a store for writing; it is made, or brought up to date, where that is needed.

        Raises:
            InputError: the URL is not one of a store.
            StoreError: it cannot be opened or written, or a newer mogi wrote it.
        """
        location = location_of(url)
        location.expect_room()
        store = cls(location, Writer(location))
        try:
            if location.exists():  # a database of another program is left as it is
                store._version()
            store._writing().transaction(lambda connection: migrate(connection, location))
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
        location = location_of(url)
        with cls(location, None) if location.exists() else nullcontext() as store:
            version = store._version() if store is not None else 0
        if not version and (location.file is None or not location.exists()):
            how = "`mogi run demo` creates one; to use another, set --store"
            raise InputError(f"there is no store at {location}; {how}")
        if not version:
            raise StoreError(f"the store {location} is empty; `mogi run demo` adds a run")
        if version < VERSION:
            cls.create(url).close()
        return cls(location, None)

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

    def begin(self, header: RunHeader, *, first: bool = False) -> bool:
        """Remember a run before its first call; `first`: only if no other process has begun it.

        Whether the run is remembered as this header tells of it.
        """
        self._save_header(header, None, keep=first)
        return self.header(header.id).secret == header.secret

    def amend(self, run: str, change: Callable[[RunHeader], RunHeader]) -> RunHeader:
        """Change what is known of a run, which others may change as well; as it is now."""
        changed: list[RunHeader] = []

        def work(connection: Connection) -> None:
            row = select(runs.c.header).where(runs.c.id == run).with_for_update()
            new = change(codec.header_from_json(connection.execute(row).scalar_one()))
            changed.append(new)
            values = {"status": new.status, "header": codec.header_to_json(new)}
            connection.execute(runs.update().where(runs.c.id == run).values(values))

        self.transaction(work)
        return changed[0]

    def finish(self, header: RunHeader, digest: Mapping[str, Any], figures: str = "") -> None:
        """Remember how a run ended, its figures for `mogi runs`, and all of them (view/kept)."""
        self._save_header(header, digest)
        self._writing().now(runs.update().where(runs.c.id == header.id).values(figures=figures))

    def header(self, run: str) -> RunHeader:
        """The header of a run; `run` is a whole id.

        Raises:
            InputError: there is no such run.
        """
        rows = self._rows(select(runs.c.header).where(runs.c.id == run))
        if not rows:
            raise InputError(self._no_such_run(run))
        header = codec.header_from_json(rows[0].header)
        return replace(header, status=self._now(run, header.status, header.locks))

    def runs(self) -> list[RunRow]:
        """All runs, the newest first; checks of judges are none of them."""
        plain = (runs.c.id, runs.c.client, runs.c.started, runs.c.finished, runs.c.status)
        query = select(*plain, runs.c.digest).where(~IS_CHECK).order_by(*_NEWEST)
        return [self._row(row) for row in self._rows(query)]

    def _row(self, row: Row[*tuple[Any, ...]]) -> RunRow:
        digest = json.loads(row.digest)
        shown = {name: digest.pop(name, 0) for name in LISTED}
        status = self._now(row.id, row.status, locks_of(row.id, shown.pop("shards")))
        return RunRow(row.id, row.client, row.started, row.finished, status, **shown, digest=digest)

    def resolve(self, name: str, *, check: bool = False) -> str:
        """The id behind an id, a unique prefix, `latest` or `previous`; of a run, or of a `check`.

        `previous` is the run before the latest, as `previous` has it. The beginning that all ids
        of checks share may be left out.

        Raises:
            InputError: no run, or more than one, is meant.
        """
        if name == PREVIOUS and not check:
            return self.resolve_previous(self.resolve("latest"))
        if not check and name.startswith(CHECK_PREFIX):
            shows = f"mogi judge-check --resume {name}"
            raise InputError(f"{name} is a judge check, not a run; to show it: `{shows}`")
        query = select(runs.c.id).where(IS_CHECK if check else ~IS_CHECK).order_by(*_NEWEST)
        ids: list[str] = [row.id for row in self._rows(query)]
        if not ids:
            what, how = ("checks", "judge-check demo") if check else ("runs", "run demo")
            raise InputError(
                f"the store {self.location} has no {what} yet; `mogi {how}` creates one"
            )
        if name == "latest":
            return ids[0]
        return self._meant(name.removeprefix(CHECK_PREFIX), ids, CHECK_PREFIX if check else "")

    def _meant(self, name: str, ids: Sequence[str], prefix: str) -> str:
        whole = f"{prefix}{name}"
        if whole in ids:
            return whole
        meant = [each for each in ids if whole and each.startswith(whole)]
        if not meant and prefix:
            raise InputError(f"no check {whole!r}; choose from: {', '.join(ids[:5])}")
        if not meant:
            raise InputError(self._no_such_run(name))
        if len(meant) > 1:
            listed = ", ".join(meant[:5])
            raise InputError(f"{whole!r} is ambiguous: {listed}; write more of the ID")
        return meant[0]

    def _no_such_run(self, name: str) -> str:
        return f"no run {name!r} in {self.location}; to list the runs: `mogi runs`"

    def previous(self, run: str) -> str | None:
        """The last finished run before this one, of its client and kind, that has all its cells.

        If none of the latest has them all, it is the one that shares the most cells: a run of a few
        scenarios is a poor baseline for a run of all. Files of answers without a client follow each
        other whatever their names are.
        """
        header = self.header(run)
        rows = self.runs()
        keys = self.keys(run)
        cells, scenarios = _cells(keys), _scenarios(keys)
        sharing: dict[str, int] = {}
        place = next((n for n, row in enumerate(rows) if row.id == run), len(rows))
        for row in rows[place + 1 :]:
            if (row.kind, row.status) != (header.kind, "finished"):
                continue
            same = row.client == header.client
            if not same and (not header.is_of_file or not self.header(row.id).is_of_file):
                continue
            others = self.keys(row.id)
            if not scenarios.isdisjoint(_scenarios(others)):
                sharing[row.id] = len(cells & _cells(others))
            if sharing.get(row.id) == len(cells) or len(sharing) >= _LOOKED_BACK:
                break
        return max(sharing, key=lambda name: sharing[name], default=None)

    def resolve_previous(self, run: str) -> str:
        """The id that `previous` finds.

        Raises:
            InputError: there is no such run.
        """
        before = self.previous(run)
        if before is None:
            header = self.header(run)
            raise InputError(
                f"there is no finished run of {header.client} before {run} that used the same "
                "command and shares scenarios; to list the runs: `mogi runs`"
            )
        return before

    def lock(self, *runs: str) -> AbstractContextManager[None]:
        """Hold runs, or parts of one (`RunHeader.locks`), until the holder lets go or dies.

        Raises:
            StoreError: another process holds one (RunHeld, naming that process), or this store was
                opened for reading only.
        """
        return self.location.lock(runs, self._writing().alone)

    # Calls and episodes

    def journal(self, run: str, *, resume: bool) -> RunJournal:
        """The journal of a run; on a resume it knows what unfinished episodes paid for."""
        query = select(calls).where(*_unfinished(run))
        records = self._each(query, record_of) if resume else ()
        return RunJournal(self._writing(), run, {record.call: record for record in records})

    def judgements(self, run: str) -> dict[tuple[str, str], CallRecord]:
        """What the judge said in a run, by the call's part (votes differ) and its input's hash."""
        query = select(calls).where(calls.c.run == run, calls.c.role == Role.JUDGE)
        records = self._each(query, record_of)
        return {(record.call.part, record.digest): record for record in records}

    def calls(self, run: str, only: Collection[str] | None = None) -> Iterator[CallRecord]:
        """All calls of a run, also replaced and reused ones, without what was answered.

        `only` those of these episodes, by key.
        """
        query = select(ALL_CALLS).where(ALL_CALLS.c.run == run)
        if only is not None:
            query = query.where(ALL_CALLS.c.episode.in_(only))
        return self._each(query, record_of)

    def ledger(self, run: str, counts: Callable[[str], bool] | None = None) -> Ledger:
        """What a run paid so far, for replaced calls too; reused ones cost it nothing.

        `counts`: of the calls, those whose conversation's name this says.
        """
        query = sums_of_calls(ALL_CALLS.c.role).where(ALL_CALLS.c.run == run)
        if counts is None:
            return ledger_of(self._rows(query))
        query = query.add_columns(ALL_CALLS.c.episode).group_by(ALL_CALLS.c.episode)
        return ledger_of([row for row in self._rows(query) if counts(row.episode)])

    def costs_of_takes(self, run: str) -> dict[str, list[float | None]]:
        """What each take cost in USD, of the conversations that were held again, by episode.

        None where a price is not known.
        """
        again = select(calls.c.episode).where(calls.c.run == run, calls.c.take > 0)
        query = sums_of_calls(ALL_CALLS.c.episode, ALL_CALLS.c.take)
        query = query.where(ALL_CALLS.c.run == run, ALL_CALLS.c.episode.in_(again))
        paid: dict[str, list[float | None]] = {}
        for row in self._rows(query):
            takes = paid.setdefault(row.episode, [0.0, 0.0])
            takes[row.take] = None if row.unpriced else row.cost
        return paid

    async def save_episode(self, run: str, ordinal: int, episode: Episode) -> None:
        """Commit an episode; `ordinal`: its cell's place in the plan, from 0, or `FIRST_RERUN`."""
        row = {
            "run": run,
            "ordinal": ordinal,
            "episode": episode.cell.key,
            "stop": episode.stop.reason.value,
            "answers": self._answers(run, episode),
            "data": codec.episode_to_json(episode),
        }
        await self._writing().write(upsert(self.location.dialect, episodes), row)

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
        query = select(episodes.c.data).where(episodes.c.run == run, ~IS_RERUN)
        query = query.order_by(episodes.c.ordinal)
        return self._each(query, lambda row: codec.episode_from_json(row.data))

    def keys(self, run: str, *, reruns: bool = False) -> list[str]:
        """The names of the complete episodes, in the plan's order; or of those played again."""
        of_plan = IS_RERUN if reruns else ~IS_RERUN
        query = select(episodes.c.episode).where(episodes.c.run == run, of_plan)
        query = query.order_by(episodes.c.ordinal)
        return [row.episode for row in self._rows(query)]

    def episode(self, run: str, key: str) -> Episode:
        """One complete episode by its whole name.

        Raises:
            StoreError: the run has none of that name.
        """
        query = select(episodes.c.data).where(episodes.c.run == run, episodes.c.episode == key)
        for episode in self._each(query, lambda row: codec.episode_from_json(row.data)):
            return episode
        raise StoreError(f"run {run} has no complete conversation {key}")

    def open_episodes(self, run: str) -> list[OpenEpisode]:
        """The conversations that broke off, with what was exchanged in the last take of each."""
        query = (
            select(calls.c.episode, calls.c.take, calls.c.response)
            .where(*_unfinished(run), calls.c.role == Role.TARGET, calls.c.part == "exchange")
            .order_by(calls.c.episode, calls.c.take, calls.c.turn)
        )
        takes = groupby(self._rows(query), lambda row: (row.episode, row.take))
        last = {
            episode: tuple(json.loads(row.response) for row in rows) for (episode, _), rows in takes
        }
        return [OpenEpisode(episode, exchanges) for episode, exchanges in last.items()]

    # Verdicts

    def plan_review(self, run: str, plan: ReviewPlan) -> None:
        """Keep which answers of a run people judge, in place of an earlier plan."""
        self.amend(run, lambda header: replace(header, review_plan=plan))

    def add_verdicts(self, run: str, new: Iterable[Verdict]) -> None:
        """Add what people said of turns of a run; what was added before is not added again."""
        self._writing().transaction(lambda connection: verdicts.add(connection, run, new))

    def verdicts(
        self, run: str, episode: str | None = None, *, claims: bool = False
    ) -> Iterator[Verdict]:
        """What was given on a run, or on one episode, in the order in which it was.

        On whole answers, or if `claims` on single claims.
        """
        with self.reading() as connection:
            yield from verdicts.of_run(connection, run, episode, claims=claims)

    def reviewed(
        self,
        run: str,
        only: Collection[str] | None = None,
        until: str = "",
        *,
        reruns: bool = False,
    ) -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
        """The complete episodes as `episodes` yields them, each with all verdicts that hold there.

        They are those that were given on it and on equal answers, in this run or an earlier one (or
        up to `until`), in the order in which they were given. `only` these episodes, by key, or
        those that were played again (`reruns`).
        """
        with self.reading() as connection:
            yield from verdicts.beside_episodes(connection, run, only, until, reruns=reruns)

    def on_claims(self, run: str) -> list[Verdict]:
        """What people say of single claims: on the run's answers, and on equal ones before."""
        with self.reading() as connection:
            return verdicts.on_claims(connection, run)

    def said(self, client: str) -> dict[str, list[Verdict]]:
        """The same of all runs of a client, by run, without the episodes; none where none is."""
        with self.reading() as connection:
            return verdicts.of_client(connection, client)

    def rename_reviewer(self, old: str, new: str, at: str) -> None:
        """Have a reviewer go by another name everywhere; what stands in the store stays."""
        self._writing().now(renames.insert().values(old=old, new=new, at=at))

    def renamed_reviewers(self) -> dict[str, str]:
        """By which names people go now that once had another."""
        with self.reading() as connection:
            return verdicts.renamed(connection)

    def answers(self, client: str) -> dict[tuple[str, str, int], str]:
        """The key of each answer of a client, by run, episode and turn: the same of equal ones."""
        with self.reading() as connection:
            return verdicts.answers_of(connection, client)

    def state(self, run: str) -> object:
        """What a report of a run is made of, in short: another one if that may have changed."""
        with self.reading() as connection:
            header = connection.execute(select(runs.c.header).where(runs.c.id == run)).scalar()
            newest = verdicts.newest(connection)
        listed = [(row.id, row.finished, row.status) for row in self.runs()]
        sizes = len(self.keys(run)), len(self.keys(run, reruns=True))
        return header, newest, sizes, listed

    def _version(self) -> int:
        with self.reading() as connection:
            return version_of(connection, self.location)

    def _save_header(
        self, header: RunHeader, digest: Mapping[str, Any] | None, *, keep: bool = False
    ) -> None:
        self._headers[header.id] = header
        shown = {name: getattr(header, name) for name in LISTED}
        row = {
            **{name: getattr(header, name) for name in ("client", "started", "finished", "status")},
            "header": codec.header_to_json(header),
            "digest": codec.dumps({**(digest or {}), **shown}),
        }
        insert = insert_into(self.location.dialect, runs).values(id=header.id, place=NEXT, **row)
        update = insert.on_conflict_do_update(index_elements=["id"], set_=row)
        self._writing().now(insert.on_conflict_do_nothing() if keep else update)

    def _now(self, run: str, kept: str, locks: Sequence[str]) -> str:
        """A run that nobody works on is not running, whatever was written when it began."""
        if kept != "running":
            return kept
        with explained(self.location):
            if self.location.locked(locks):
                return kept
        # Who let go since it was read has written how it ended before.
        rows = self._rows(select(runs.c.status).where(runs.c.id == run))
        return rows[0].status if rows and rows[0].status != kept else "broken_off"

    def transaction(self, work: Callable[[Connection], object]) -> None:
        """Change its tables, all at once or not at all."""
        self._writing().transaction(work)

    def _writing(self) -> Writer:
        if self._writer is None:
            raise StoreError(f"the store {self.location} was opened for reading only")
        return self._writer

    def _each(
        self, query: Select[*tuple[Any, ...]], read: Callable[[Row[*tuple[Any, ...]]], T]
    ) -> Iterator[T]:
        """What the rows of a query are read as, a few rows at a time."""
        with self.reading() as connection, connection.execute(query) as rows:
            yield from map(read, rows)

    def _rows(self, query: Select[*tuple[Any, ...]]) -> list[Row[*tuple[Any, ...]]]:
        return list(self._each(query, lambda row: row))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Look at its tables; all in the block see one state.

        Raises:
            StoreError: it cannot be read.
        """
        with explained(self.location), self._engine.connect() as connection:
            yield connection


def _unfinished(run: str) -> tuple[ColumnElement[bool], ...]:
    done = select(episodes.c.episode).where(episodes.c.run == run)
    return calls.c.run == run, calls.c.episode.not_in(done)


def _cells(keys: Iterable[str]) -> set[str]:
    """The cells, scenario with persona, of episodes, by their keys."""
    return {key.rsplit("/", 1)[0] for key in keys}


def _scenarios(keys: Iterable[str]) -> set[str]:
    """The scenarios of episodes, by their keys (`Cell.key`)."""
    return {key.rsplit("/", 2)[0] for key in keys}
