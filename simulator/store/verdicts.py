"""People's verdicts in the store: added, never changed, and read back beside the episodes.

The memory of verdicts is here: one holds wherever the answer that it was given on comes again, in
its own run and in later ones. What came of an earlier run stays as it was.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, func, select

from simulator.core.claim import ClaimKind, Reader, Reading, State, kind_of
from simulator.core.run import Episode
from simulator.core.verdict import Verdict, Word, settled
from simulator.store import codec
from simulator.store.schema import IS_RERUN, add_new, episodes, renames, runs, verdicts

_TOGETHER = 1000  # rows in one statement
_PLAIN = [field.name for field in fields(Verdict) if field.name not in ("word", "run")]


def add(connection: Connection, run: str, given: Iterable[Verdict]) -> None:
    """Add verdicts on turns of a run; they may be many, and are taken a few at a time.

    The same one twice is one: reading a file again, or a resume, adds nothing.
    """
    statement = add_new(connection.dialect.name, verdicts)
    rows = (_to_row(run, verdict) for verdict in given)
    while together := list(islice(rows, _TOGETHER)):
        connection.execute(statement, together)


def of_run(
    connection: Connection, run: str, episode: str | None = None, *, claims: bool = False
) -> Iterator[Verdict]:
    """What was given on a run, or on one episode of it, in the order in which it was.

    On whole answers, or if `claims` on single claims.
    """
    is_on_claim = verdicts.c.claim != ""
    query = select(verdicts).where(verdicts.c.run == run, is_on_claim if claims else ~is_on_claim)
    query = query.order_by(verdicts.c.n)
    if episode is not None:
        query = query.where(verdicts.c.episode == episode)
    names = renamed(connection)
    return (_from_row(row, names) for row in connection.execute(query))


def newest(connection: Connection) -> tuple[int, int]:
    """The numbers of the last verdict and of the last renaming; 0 where there is none."""
    last = (connection.execute(select(func.max(t.c.n))).scalar() for t in (verdicts, renames))
    return next(last) or 0, next(last) or 0


def renamed(connection: Connection) -> dict[str, str]:
    """By which names people go now; who was renamed twice goes by the last one."""
    names: dict[str, str] = {}
    for row in connection.execute(select(renames).order_by(renames.c.n)):
        names = {name: row.new if now == row.old else now for name, now in names.items()}
        names[row.old] = row.new
        names.pop(row.new, None)
    return names


class _NumberedVerdict(NamedTuple):
    """A verdict, which of all it is, and in which run it was given."""

    n: int
    run: str
    verdict: Verdict


class _Memory:
    """All verdicts on a client's runs, by where they were given and by the answers' keys.

    `run`: one of them, if only that is asked about; it may be unknown as the client's. `until`: up
    to which later run verdicts hold in it.
    """

    def __init__(self, connection: Connection, client: str, run: str = "", until: str = "") -> None:
        order = select(runs.c.id).order_by(runs.c.started, runs.c.place)
        ids = connection.execute(order.where(runs.c.client == client)).scalars()
        self._order = {name: place for place, name in enumerate(ids)}
        self._least = self._order.get(until, -1)
        self._here: dict[tuple[str, str], list[_NumberedVerdict]] = defaultdict(list)
        # Each once, though it stands on every turn that was folded with the one looked at.
        self._by_key: dict[str, dict[tuple[str, Verdict], _NumberedVerdict]] = defaultdict(dict)
        there = (episodes.c.run == verdicts.c.run) & (episodes.c.episode == verdicts.c.episode)
        query = (
            select(*verdicts.c, episodes.c.answers)
            .outerjoin(runs, runs.c.id == verdicts.c.run)
            .outerjoin(episodes, there)
            .where((runs.c.client == client) | (verdicts.c.run == run))
            .order_by(verdicts.c.n)
        )
        names = renamed(connection)
        for row in connection.execute(query):
            each = _NumberedVerdict(row.n, row.run, _from_row(row, names))
            self._here[row.run, row.episode].append(each)
            keys = json.loads(row.answers or "[]")
            for key in codec.precise_keys(keys[row.turn - 1]) if row.turn <= len(keys) else ():
                same = row.run, replace(each.verdict, episode="", turn=0)
                self._by_key[key].setdefault(same, each)

    def reached(self) -> list[str]:
        """The client's runs in which something may hold: none before the first that was judged."""
        judged = [self._order[run] for run, _ in self._here if run in self._order]
        first = min(judged, default=len(self._order))
        return [run for run, place in self._order.items() if place >= first]

    def of(self, run: str, episode: str, answers: str) -> tuple[Verdict, ...]:
        """What holds for one conversation, whose `answers` are as the store keeps them."""
        here = self._here.get((run, episode), [])
        holding, now = list(here), max(self._least, self._order.get(run, -1))
        for turn, keys in enumerate(json.loads(answers) if self._by_key else (), 1):
            alike = (each for key in keys for each in self._by_key.get(key, {}).values())
            known = (each for each in alike if self._order.get(each.run, now + 1) <= now)
            holding += _elsewhere(known, (run, episode, turn), here)
        return tuple(each.verdict for each in sorted(holding, key=lambda each: each.n))


def _elsewhere(
    known: Iterable[_NumberedVerdict], place: tuple[str, str, int], here: Sequence[_NumberedVerdict]
) -> Iterator[_NumberedVerdict]:
    """Those that were given elsewhere, as said of this turn; a rejudge once held copies.

    What somebody said of this very turn counts before what the same person said of an equal one.
    """
    _, episode, turn = place
    spoke = {
        (each.verdict.person, each.verdict.claim) for each in here if each.verdict.turn == turn
    }
    seen: set[Verdict] = set()
    for each in known:
        verdict = replace(each.verdict, episode=episode, turn=turn)
        if (verdict.person, verdict.claim) not in spoke and verdict not in seen:
            seen.add(verdict)
            yield each._replace(verdict=replace(verdict, run=each.run))


def beside_episodes(
    connection: Connection,
    run: str,
    only: Collection[str] | None = None,
    until: str = "",
    *,
    reruns: bool = False,
) -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
    """Each complete episode with the verdicts that hold there, in the plan's order; two queries.

    Those of the plan, or what was played again (`reruns`); or `only` these, whichever they are.
    """
    client = connection.execute(select(runs.c.client).where(runs.c.id == run)).scalar()
    memory = _Memory(connection, client or "", run, until)
    query = select(episodes.c.episode, episodes.c.answers, episodes.c.data)
    query = query.where(episodes.c.run == run).order_by(episodes.c.ordinal)
    of_plan = IS_RERUN if reruns else ~IS_RERUN
    query = query.where(of_plan if only is None else episodes.c.episode.in_(only))
    with connection.execute(query) as rows:
        for row in rows:
            holding = memory.of(run, row.episode, row.answers)
            episode = _read_by_people(codec.episode_from_json(row.data, row.answers), holding)
            yield episode, tuple(verdict for verdict in holding if not verdict.claim)


def on_claims(connection: Connection, run: str) -> list[Verdict]:
    """What people say of single claims of a run, in the order in which it was given."""
    if connection.execute(select(verdicts.c.n).where(verdicts.c.claim != "").limit(1)).first():
        client = connection.execute(select(runs.c.client).where(runs.c.id == run)).scalar()
        memory = _Memory(connection, client or "", run)
        query = select(episodes.c.episode, episodes.c.answers).where(episodes.c.run == run)
        rows = connection.execute(query.order_by(episodes.c.ordinal))
        every = (memory.of(run, row.episode, row.answers) for row in rows)
        return [verdict for holding in every for verdict in holding if verdict.claim]
    return []


def _read_by_people(episode: Episode, holding: Sequence[Verdict]) -> Episode:
    """The conversation with what people say of single claims among its readings."""
    by_claim: dict[tuple[int, str], list[Verdict]] = {}
    for verdict in holding:
        if verdict.claim:
            by_claim.setdefault((verdict.turn, verdict.claim), []).append(verdict)
    if not by_claim:
        return episode
    turns = list(episode.turns)
    for (number, claim), some in by_claim.items():
        turn, word = turns[number - 1], settled(some)
        if word is not None and any(reading.claim == claim for reading in turn.readings or ()):
            reading = Reading(claim, _state(claim, word), Reader.PERSON)
            turns[number - 1] = replace(turn, readings=(*(turn.readings or ()), reading))
    return replace(episode, turns=tuple(turns))


def _state(claim: str, word: Word) -> State:
    """What a person's word on a claim says of it; where people differ nobody can tell."""
    if word is Word.NG:
        is_forbidden = kind_of(claim) is ClaimKind.MUST_NOT
        return State.VIOLATED if is_forbidden else State.UNMET
    return State.MET if word is Word.OK else State.UNKNOWN


def answers_of(connection: Connection, client: str) -> dict[tuple[str, str, int], str]:
    """The first key of each answer of a client, by run, episode and turn."""
    return {
        (row.run, row.episode, turn): keys[0]
        for row in _answers(connection, client)
        for turn, keys in enumerate(json.loads(row.answers), 1)
        if keys
    }


def _answers(
    connection: Connection, client: str, only: Collection[str] | None = None
) -> Iterable[Row[str, str, str]]:
    query = select(episodes.c.run, episodes.c.episode, episodes.c.answers)
    query = query.join(runs, runs.c.id == episodes.c.run).where(runs.c.client == client)
    if only is not None:
        query = query.where(runs.c.id.in_(only))
    return connection.execute(query.order_by(episodes.c.run, episodes.c.ordinal))


def of_client(connection: Connection, client: str) -> dict[str, list[Verdict]]:
    """What holds in each run of a client, without the episodes."""
    memory = _Memory(connection, client)
    by_run: dict[str, list[Verdict]] = defaultdict(list)
    for row in _answers(connection, client, memory.reached()):
        if holding := memory.of(row.run, row.episode, row.answers):
            by_run[row.run] += (verdict for verdict in holding if not verdict.claim)
    return by_run


def _to_row(run: str, verdict: Verdict) -> dict[str, Any]:
    row = asdict(verdict)
    word = row.pop("word") or ""
    return {**row, "run": run, "verdict": word}


def _from_row(row: Row[*tuple[Any, ...]], names: Mapping[str, str]) -> Verdict:
    values = {name: getattr(row, name) for name in _PLAIN}
    values["reviewer"] = names.get(row.reviewer, row.reviewer)
    return Verdict(word=Word(row.verdict) if row.verdict else None, **values)
