"""A file of answers: as talks of one turn each, and row for row with their scores beside them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import Any

from simulator.core.errors import InputError
from simulator.core.outcome import Outcome, Score, Unscored
from simulator.core.persona import Disclosure, Language, Persona, Politeness, Style
from simulator.core.plan import Cell, Client, TargetSpec
from simulator.core.run import NOBODY, Episode, RecordedTalk, Run
from simulator.core.talk import Document, Exchange, Reply
from simulator.core.verdict import Verdict
from simulator.execution.episodes import Recorded
from simulator.execution.plan import applying, with_metrics
from simulator.files.answers import AnswerRow, Answers, Meaning, meaning_of, text_of
from simulator.files.catalog import Catalog
from simulator.files.client.folder import LoadedClient
from simulator.files.client.keys import DEFAULT_THRESHOLDS, LimitsEntry
from simulator.formats.own_files import whole
from simulator.formats.records import RawRow
from simulator.formats.tables import same_name
from simulator.results.verdict import CHECKS
from simulator.view.worst import why_text
from simulator.words import Words
from simulator.worksheets.files import Write, csv_file, xlsx_file

_OF_VERDICTS: frozenset[Meaning] = frozenset(("id", "persona", "verdict", "reviewer"))
_TIMEZONES: Mapping[Language, str] = {"ja": "Asia/Tokyo", "en": "UTC"}


def answers_to_score(
    answers: Answers, loaded: LoadedClient, *, client: str | None = None, limit: int | None = None
) -> Recorded:
    """The answers of a file, all or the first `limit` of them.

    `client` is the client's folder or name as it was given, None where `loaded` stands in.
    """
    persona = _personas(loaded)
    entries = {str(d.id): d for d in (loaded.knowledge.documents() if loaded.knowledge else ())}
    joins = "retrieved" in answers.gives and any(
        document.id in entries and not document.text
        for answer in islice(answers.rows(), limit)
        for document in answer.exchange.documents
    )

    def talks() -> Iterator[RecordedTalk]:
        for answer in islice(answers.rows(), limit):
            who = persona(answer.persona)
            exchanges = (_joined(answer.exchange, entries) if joins else answer.exchange,)
            yield RecordedTalk(
                _cell(answer), answer.scenario, who, exchanges, scripted=True, logged=True
            )

    def verdicts(at: str) -> Iterator[Verdict]:
        if "verdict" not in answers.gives:
            return
        for answer in islice(answers.rows(_OF_VERDICTS), limit):
            if answer.word is not None:
                key, source = key_of(answer), answers.source.name
                yield Verdict(key, 1, answer.word, answer.reviewer, source, at)

    return Recorded(
        kind="score",
        of=answers.source.name,
        count=min(answers.count, limit or answers.count),
        talks=talks,
        verdicts=verdicts,
        gives=answers.gives | {"context"} if joins else answers.gives,
        options={
            "file": str(answers.source.path),
            "client": client,
            "language": answers.language,
            **({"map": dict(answers.mapping)} if answers.mapping else {}),
        },
        identity={"file.sha": answers.sha},
    )


def _joined(exchange: Exchange, entries: Mapping[str, Document]) -> Exchange:
    """The exchange in which documents that come by their ids alone have the text of their entry."""
    if not isinstance(exchange.reply, Reply):
        return exchange
    whole = tuple(d if d.text else entries.get(str(d.id), d) for d in exchange.documents)
    return replace(exchange, reply=replace(exchange.reply, documents=whole))


def without_client(answers: Answers, catalog: Catalog) -> LoadedClient:
    """What stands in for a client where a file is scored by itself.

    Raises:
        InputError: a rubric's file is wrong.
    """
    loaded = LoadedClient(
        client=Client(
            name=answers.source.path.name,
            folder=str(answers.source.path.parent),
            language=answers.language,
            target=TargetSpec("demo"),  # stands in: nobody asks it
            timezone=_TIMEZONES[answers.language],
            thresholds=DEFAULT_THRESHOLDS,
            limits=LimitsEntry().limits(local=True),
        ),
        scenarios={},
        personas={},
        rubrics=(),
        catalog=catalog,
    )
    return with_metrics(loaded, ("overall", *applying(answers.gives)))


def key_of(answer: AnswerRow) -> str:
    """The name of an answer's episode in its run."""
    return _cell(answer).key


def _cell(answer: AnswerRow) -> Cell:
    return Cell(answer.scenario.id, answer.persona or NOBODY)


def _personas(loaded: LoadedClient) -> Callable[[str], Persona]:
    """The client's own persona of a name, or somebody of whom nothing else is known."""
    language = loaded.client.language
    words = Words(language, "talks")

    @cache
    def named(name: str) -> Persona:
        return loaded.personas.get(name) or Persona(
            id=name or NOBODY,
            language=language,
            name=name or words("unknown.name"),
            description=words(
                "unknown.description"
            ),  # what a judge is shown who asks for the persona
            traits=(),
            style=Style(0, Politeness.POLITE, Disclosure.OPEN, ""),
            patience=1,
        )

    return named


_LINES = (".jsonl", ".ndjson")
_ENDINGS = (".csv", ".tsv", *_LINES, ".xlsx")
_OF_KEYS: frozenset[Meaning] = frozenset(("id", "persona"))
_LIMIT = "limit"  # why a row has no scores that --limit left out
_RESULT = ("result", "why")  # columns of each row, before those of the metrics
_OURS = "mogi"  # before the name of a metric that the file has a column of


@dataclass(frozen=True, slots=True)
class _Column:
    """One column: a metric, and which of its figures; `part` is empty for the value.

    Or the `result` of the row, or `why` it has that.

    `heading` is what it is called in this file.
    """

    metric: str
    heading: str
    part: str = ""

    @property
    def name(self) -> str:
        return f"{self.heading}.{self.part}" if self.part else self.heading

    @property
    def left_out(self) -> str | None:
        """What stands in a row that was not to be scored."""
        return _LIMIT if self.part == "unscored" else None

    def of(self, episode: Episode, language: Language) -> float | str | None:
        """The figure, or the reason why there is none."""
        finding = episode.finding
        if self.metric in _RESULT:
            if finding is None:
                return None
            return finding.result.value if self.metric == "result" else why_text(finding, language)
        outcome = _outcomes(episode).get(self.metric)
        if isinstance(outcome, Score):
            return {"": outcome.value, "raw": outcome.raw, **outcome.parts}.get(self.part)
        if isinstance(outcome, Unscored) and self.part == "unscored":
            return outcome.reason.value
        return None


def check_scored_path(path: str, answers: Answers) -> None:
    """Look before anything runs whether the scores can be written to `path`.

    Raises:
        InputError: the file is of no kind that is known, is the one that is read, or its folder
            does not exist.
    """
    where = Path(path)
    wrong = []
    if where.suffix.lower() not in _ENDINGS:
        wrong.append(f"-o {path}: mogi can't write this type of file; use a .csv, .jsonl or .xlsx")
    if where.is_dir():
        wrong.append(f"-o {path}: is a folder; use a file in it")
    elif not where.absolute().parent.is_dir():
        wrong.append(f"-o {path}: its folder doesn't exist; create it, or use another one")
    elif where.exists() and where.samefile(answers.source.path):
        wrong.append(f"-o {path}: is the input file; use another one")
    if wrong:
        raise InputError(*wrong)


def write_scored(run: Run, answers: Answers, path: str) -> str:
    """Write every row of the file, in its order, with its scores; how it was written, in words.

    The columns stay as they are; behind them come `result` and `why`, then those of each metric:
    its value, `.raw` where it differs anywhere, its parts such as `.precision` (of a computed
    check none), and `.unscored` with the reason why there is no score. What the file has a column
    of already stands behind `mogi.`. A csv or JSON file appears whole or not at all.

    Raises:
        InputError: it cannot be written, or the file of answers was changed.
    """
    metrics = run.header.options.get("metrics")
    unwanted = {*CHECKS} - {*metrics} if metrics else set()
    names = [*_RESULT, *(i.name for i in run.header.metrics if i.name not in unwanted)]
    columns = _columns(run, headings(names, [*filter(None, answers.written)]))
    with whole(path, "the scores") as part, _writer(part, Path(path), answers, columns) as write:
        for row, figures in _rows(run, answers, columns):
            write(row, figures)
    return _written_as(path, answers) + _renamed(columns)


_Figures = Sequence[float | str | None]
_WriteRow = Callable[[RawRow, _Figures], None]


def headings(metrics: Iterable[str], columns: Sequence[str]) -> Mapping[str, str]:
    """What each metric is called among the columns of a file: its name, where that is free.

    `elements` is not where the file holds its elements, in whatever language: both columns would
    be taken for them when the file is scored again.
    """
    starts = [*columns, *(column.partition(".")[0] for column in columns)]
    taken = {*map(same_name, starts), *map(meaning_of, columns)}
    names = {}
    for metric in metrics:
        is_free = same_name(metric) not in taken and (meaning_of(metric) or "") not in taken
        names[metric] = metric if is_free else _behind_ours(metric, columns)
    return names


def _behind_ours(metric: str, columns: Sequence[str]) -> str:
    """`mogi.elements`; `mogi2.elements` in a file that has such scores already."""
    taken = tuple(f"{same_name(column)}." for column in columns)
    names = (f"{_OURS}{n if n > 1 else ''}.{metric}" for n in count(1))
    return next(n for n in names if not any(t.startswith(f"{same_name(n)}.") for t in taken))


def _columns(run: Run, headings: Mapping[str, str]) -> list[_Column]:
    """What is known of each metric, and what its scores show: parts, and raw where it differs.

    Of the computed checks the value says it; their counts stand in the run.
    """
    infos = (info for info in run.header.metrics if info.name in headings)
    parts: dict[str, dict[str, None]] = {i.name: dict.fromkeys(i.parts) for i in infos}
    raw = set()
    for episode in run.episodes():
        for name, outcome in _outcomes(episode).items():
            if isinstance(outcome, Score) and name in parts:
                parts[name] |= dict.fromkeys(outcome.parts)
                if outcome.raw != outcome.value:
                    raw.add(name)
    columns = [_Column(name, headings[name]) for name in _RESULT]
    for name, some in parts.items():
        shown = () if name in CHECKS else some
        figures = ["", *(["raw"] if name in raw else []), *shown, "unscored"]
        columns += [_Column(name, headings[name], figure) for figure in figures]
    return columns


def _outcomes(episode: Episode) -> dict[str, Outcome]:
    return {**episode.turns[0].outcomes, **episode.outcomes} if episode.turns else {}


def _rows(
    run: Run, answers: Answers, columns: Sequence[_Column]
) -> Iterator[tuple[RawRow, _Figures]]:
    """Every row of the file with its figures."""
    episodes = run.episodes()
    for row, answer in answers.beside(_OF_KEYS):
        if answer is None:
            yield row, [None] * len(columns)
            continue
        episode = next(episodes, None)
        if episode is None:
            yield row, [column.left_out for column in columns]
        elif episode.cell.key != key_of(answer):
            raise answers.source.error(row.line, "isn't the row that was scored")
        else:
            yield row, [column.of(episode, run.header.language) for column in columns]
    if next(episodes, None) is not None:
        raise answers.source.error(0, "isn't the file that was scored: a row is missing")


def _writer(
    part: Path, path: Path, answers: Answers, columns: Sequence[_Column]
) -> AbstractContextManager[_WriteRow]:
    ending = path.suffix.lower()
    if ending in _LINES:
        return _json_lines(part, answers, columns)
    if ending == ".xlsx":
        return _table(xlsx_file(part), answers, columns)
    parted_by = "\t" if ending == ".tsv" else getattr(answers.raw, "parted_by", ",")
    return _table(csv_file(part, parted_by, marked=_is_marked(answers)), answers, columns)


def _is_marked(answers: Answers) -> bool:
    """Whether a csv file is for Excel, which takes it for cp932 without the mark."""
    raw = answers.raw
    return raw.kind == "xlsx" or raw.stored.marked or raw.stored.encoding == "cp932"


@contextmanager
def _table(
    opened: AbstractContextManager[Write], answers: Answers, columns: Sequence[_Column]
) -> Iterator[_WriteRow]:
    names = answers.written
    with opened as write:
        write([*names, *(column.name for column in columns)])

        def row(raw: RawRow, figures: _Figures) -> None:
            write([*_cells(raw, names), *figures])

        yield row


def _cells(raw: RawRow, names: Sequence[str]) -> list[str]:
    if isinstance(raw.whole, list):
        row = raw.whole[: len(names)]
        return [*row, *([""] * (len(names) - len(row)))]
    cells = raw.whole if isinstance(raw.whole, Mapping) else raw.cells
    return [_written(cells.get(name)) for name in names]


def _written(value: Any) -> str:
    """A value of JSON as the text of a cell; lists and objects stay JSON."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return text_of(value)


@contextmanager
def _json_lines(part: Path, answers: Answers, columns: Sequence[_Column]) -> Iterator[_WriteRow]:
    names = answers.raw.columns
    with part.open("w", encoding="utf-8", newline="\n") as file:

        def row(raw: RawRow, figures: _Figures) -> None:
            if not raw.cells:
                return
            scores = {c.name: f for c, f in zip(columns, figures, strict=True)}
            added = json.dumps(scores, ensure_ascii=False, allow_nan=False)
            if isinstance(raw.whole, str):  # as it stands, down to the spelling of numbers
                before = raw.whole[:-1].rstrip()
            elif isinstance(raw.whole, Mapping):
                before = json.dumps(raw.whole, ensure_ascii=False)[:-1]
            else:
                cells = dict(zip(names, _cells(raw, names), strict=True))
                cells.pop("", None)
                before = json.dumps(cells, ensure_ascii=False)[:-1]
            file.write(f"{before}, {added[1:]}\n")

        yield row


def _written_as(path: str, answers: Answers) -> str:
    """What was written, and in which encoding where that is another one than before."""
    sentence = f"wrote {path}"
    was = answers.raw.stored.encoding
    if was in ("cp932", "utf-16") and Path(path).suffix.lower() in (".csv", ".tsv"):
        sentence += (
            f" (UTF-8 with a byte order mark, which Excel reads; {answers.source.name} is {was})"
        )
    return sentence


def _renamed(columns: Sequence[_Column]) -> str:
    """Which scores do not stand under the name of their metric, and why."""
    apart = {c.metric: c.heading for c in columns if c.heading != c.metric}
    if not apart:
        return ""
    names, headings = ", ".join(apart), ", ".join(apart.values())
    return f"; the file has {names} already, so the scores are in {headings}"
