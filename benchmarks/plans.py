"""How a store with a million turns is searched: `python -m benchmarks plans`.

Twenty runs of one client, filled by the database itself, in a file and in PostgreSQL (a server of
the tests' own). What is looked at are the statements that the store really issues: each is run
once more with EXPLAIN, and told with its scans and with how long it took.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, event, text

from simulator.core.plan import Cell
from simulator.core.run import Episode
from simulator.core.verdict import Verdict, Word
from simulator.store import codec
from simulator.store.store import Store
from tests.postgresql import running_server
from tests.store.samples import episode, header, record

TURNS, RUNS, A_TALK = 1_000_000, 20, 3
TALKS = TURNS // RUNS // A_TALK  # in a run
UNFINISHED = 50  # of the last run, whose calls are there
LAST = f"run{RUNS:02}"
KEY = "s17/calm/1"
_SAID = "The answer stands in the documents, and nothing goes beyond them. " * 5
_KEPT = codec.dumps({"question": "What?", "text": _SAID})


def main(rounds: int) -> None:
    """Fill both stores and print the plans; one round."""
    del rounds
    print(f"\nplans: {RUNS} runs of {TALKS:,} conversations, {TURNS:,} turns")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "mogi.db"
        _show(f"sqlite:///{file}")
        size = file.stat().st_size
        print(f"  {size / 2**20:,.0f} MB, {size / TURNS:,.0f} bytes/turn")
    with running_server() as url:
        _show(url)


def _show(url: str) -> None:
    began = time.perf_counter()
    with Store.create(url) as store:
        for number in range(1, RUNS + 1):
            head = header(f"run{number:02}", planned=TALKS, status="finished")
            store.finish(head, {"conversations": TALKS})
            store.transaction(lambda connection, run=head.id: _fill(connection, run))  # type: ignore[misc]
        said = [
            Verdict(f"s{n}/calm/1", 1, Word.OK, "kim", "page", "2026-11-22") for n in range(900)
        ]
        store.add_verdicts(LAST, said)
        if store.location.dialect == "postgresql":
            store.transaction(lambda connection: connection.exec_driver_sql("ANALYZE"))
        print(f"\n  {store.location.dialect}, filled in {time.perf_counter() - began:.0f} s")
        for name, work in _USES.items():
            with _heard(store) as statements:
                began = time.perf_counter()
                work(store)
                took = time.perf_counter() - began
            print(f"  {name:36}{1000 * took:9.1f} ms, {len(statements)} statements")
            for statement, values in dict(statements).items():
                for line in _plan(store, statement, values):
                    print(f"      {line[:120]}")


def _fill(connection: Connection, run: str) -> None:
    """A run's conversations and calls, made by the database itself."""
    is_server = connection.dialect.name == "postgresql"
    numbers = (
        f"SELECT g AS n FROM generate_series(1, {TALKS}) AS g"
        if is_server
        else f"WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < {TALKS})"
        " SELECT n FROM g"
    )
    talk = _talk()
    key = "'s' || n || '/calm/1'"
    answers = codec.answer_keys(header(run), talk)
    values = {"run": run, "answers": answers, "data": codec.episode_to_json(talk)}
    # Each conversation has other answers: verdicts hold for equal ones.
    own = f"REPLACE(:answers, '{json.loads(answers)[0][0]}', '{run}' || n)"
    connection.execute(
        text(
            "INSERT INTO episodes (run, episode, ordinal, stop, answers, data)"
            f" SELECT :run, {key}, n, 'max_turns', {own}, :data FROM ({numbers}) AS numbers"
            f" WHERE n > {UNFINISHED if run == LAST else 0}"
        ),
        values,
    )
    for role, part, turns in (
        ("target", "exchange", (1, 2, 3)),
        ("judge", "all", (1, 2, 3)),
        ("user", "", (2, 3)),
    ):
        for turn in turns:
            connection.execute(
                text(
                    "INSERT INTO calls (run, episode, take, turn, role, part, digest, model,"
                    " input_tokens, output_tokens, cached_tokens, cost_usd, latency_ms, attempts,"
                    f" reused, response) SELECT :run, {key}, 0, {turn}, '{role}', '{part}',"
                    " 'd41d8cd98f00b204e9800998ecf8427e', 'mock', 900, 80, 0, 0.001, 300.5, 1,"
                    f" false, :said FROM ({numbers}) AS numbers"
                ),
                {"run": run, "said": _KEPT},
            )
    connection.execute(
        text(
            "INSERT INTO replaced_calls (run, episode, take, turn, role, part, digest, model,"
            " input_tokens, output_tokens, cached_tokens, cost_usd, latency_ms, attempts, reused,"
            " response) SELECT run, episode, take, turn, role, part, digest, model, input_tokens,"
            " output_tokens, cached_tokens, cost_usd, latency_ms, attempts, reused, response"
            " FROM calls WHERE run = :run AND role = 'user' LIMIT 1000"
        ),
        {"run": run},
    )


def _talk() -> Episode:
    one = episode("s1", _SAID)
    turns = tuple(one.turns[0] for _ in range(A_TALK))
    return Episode(Cell("s1", "calm", 1), turns, one.stop, one.outcomes, one.scenario)


def _listed(found: Callable[[Store], Any]) -> Callable[[Store], object]:
    return lambda store: sum(1 for _ in found(store))


def _calls(store: Store) -> object:
    return list(store.calls(LAST, [KEY]))


def _record(store: Store) -> None:
    asyncio.run(store.journal(LAST, resume=False).record(record("s20/calm/1", 9)))


_USES: dict[str, Callable[[Store], object]] = {
    "the name of a run (latest)": lambda store: store.resolve("latest"),
    "a run's header": lambda store: store.header(LAST),
    "all runs (mogi runs)": lambda store: store.runs(),
    "what people said of a client": lambda store: store.said("demo"),
    "which conversations are complete": lambda store: store.keys(LAST),
    "one conversation": lambda store: store.episode(LAST, "s100/calm/1"),
    "its calls": _calls,
    "all conversations with verdicts": _listed(lambda store: store.reviewed(LAST)),
    "what was paid": lambda store: store.ledger(LAST),
    "what second takes cost": lambda store: store.costs_of_takes(LAST),
    "calls of what is unfinished (resume)": lambda store: store.journal(LAST, resume=True),
    "talks that broke off": lambda store: store.open_episodes(LAST),
    "judgements to reuse": lambda store: store.judgements("run01"),
    "a call is kept": _record,
}


@contextmanager
def _heard(store: Store) -> Iterator[list[tuple[str, Any]]]:
    """The statements that the block issues, with their values."""
    found: list[tuple[str, Any]] = []
    engines = [store._engine, store._writing()._engine]

    def hear(_: Any, __: Any, statement: str, values: Any, *___: Any) -> None:
        if statement.lstrip().split()[0] in ("SELECT", "INSERT", "UPDATE"):
            found.append((statement, values))

    for engine in engines:
        event.listen(engine, "before_cursor_execute", hear)
    try:
        yield found
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", hear)


def _plan(store: Store, statement: str, values: Any) -> list[str]:
    is_server = store.location.dialect == "postgresql"
    lines: list[str] = []

    def work(
        connection: Connection,
    ) -> None:  # a server's reader has cursors, which explain nothing
        how = "EXPLAIN" if is_server else "EXPLAIN QUERY PLAN"
        rows = connection.exec_driver_sql(f"{how} {statement}", values)
        lines.extend(str(row[-1]).strip() for row in rows)

    store.transaction(work)
    if not is_server:
        return lines
    return [line.lstrip("-> ") for line in lines if "Scan" in line or "Sort" in line]
