"""The Summary worksheet: the figures of a run, each metric, and persona × scenario."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from simulator.core.clean import cut, spoken
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.verdict import Verdict, latest
from simulator.reports._weak import NO_THRESHOLD
from simulator.reports._workbook.config_worksheet import (
    BAD,
    FAIR,
    GOOD,
    HAIR,
    LOW,
    AnyCell,
    threshold,
)
from simulator.view.compare_view import CompareView
from simulator.view.first_screen import fault_about
from simulator.view.review_view import ReviewForm
from simulator.view.run_view import MetricRow, RunView, local_time, view_of
from simulator.view.summary import HeatCell, HeatMap, HeatRow
from simulator.view.worst import metric_names
from simulator.words import Words, nested
from simulator.worksheets.book import Column, Rule, SheetCell, SheetRow, Worksheet, column_name

SUMMARY = "Summary"
_METRIC_HEADS = (
    "metric", "mean", "low", "high", "rating", "scored", "gaps", "threshold", "flagged", "auc",
)  # fmt: skip
_NAME, _FIGURE, _WIDEST = 26, 10, 18  # characters of a column
_QUESTION = 80  # characters of one on whose answer people differ


class Disputes:
    """The answers on which people differ, each once, with what everybody says of them."""

    def __init__(self, header: RunHeader) -> None:
        self._header = header
        self._words, self._form = Words(header.language, "sheet"), ReviewForm.of(header)
        self._answers = set[tuple[str, ...]]()
        self._rows = list[SheetRow]()

    def add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        """Take in one conversation."""
        for turn in episode.turns if verdicts else ():
            number = turn.exchange.turn
            by_person = latest(v for v in verdicts if v.turn == number)
            here = [v for v in by_person.values() if v.word and not v.folded_from]
            answer = spoken(episode, number)
            if len({v.word for v in here}) > 1 and answer not in self._answers:
                self._answers.add(answer)
                self._rows.append([self._where(episode, turn)])
                self._rows += (
                    [v.reviewer or v.source, self._form.name_of(v.word), v.comment or None]
                    for v in here
                )

    def _where(self, episode: Episode, turn: Turn) -> str:
        cell, exchange = episode.cell, turn.exchange
        persona = self._header.personas.get(cell.persona, cell.persona)
        where = {"scenario": cell.scenario, "persona": persona, "turn": exchange.turn}
        text = cut(" ".join(exchange.user.split()), _QUESTION)
        return self._words("disputed.where", **where, text=text)

    def rows(self) -> list[SheetRow]:
        """The rows below their head; none where people agree."""
        head = _bold(self._words("disputed", n=len(self._answers)))
        return [[], [head], *self._rows] if self._rows else []


def summary(
    run: Run, disputes: Disputes, suffix: str = "", since: CompareView | None = None
) -> Worksheet:
    """The figures of a run on one page; its heat map takes its colours from Config's threshold.

    `since`: what became of it since the run before. Where people judge blind it names no failure.
    """
    names = metric_names(run.header)
    page = _Page(run, view_of(run, Words(run.header.language, "plain", "report"), names), suffix)
    page.headline()
    page.first(since)
    page.figures()
    page.rows += disputes.rows()
    page.metrics()
    if page.view.heat and not run.header.review.blind:
        page.heat(page.view.heat)
    return page.worksheet()


@dataclass(slots=True)
class _Page:
    """Rows from top to bottom, and the rules that colour them."""

    run: Run
    view: RunView
    suffix: str
    rows: list[SheetRow] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # what stands above figures, by column

    def worksheet(self) -> Worksheet:
        widths = [min(_WIDEST, max(_FIGURE, cell_len(name) + 2)) for name in self.names]
        widths += [_FIGURE] * (len(_METRIC_HEADS) - 1 - len(widths))
        columns = (Column("", _NAME), *(Column("", width) for width in widths))
        return Worksheet(
            SUMMARY + self.suffix,
            columns,
            lambda: self.rows,
            tuple(self.rules),
            header=False,
            frozen=(0, 1),
        )

    def headline(self) -> None:
        self.rows += [[line.plain] for line in self.view.head]
        self.rows[0] = [_bold(self.rows[0][0])]

    def first(self, since: CompareView | None) -> None:
        """What newly fails since the run before, and what to fix first."""
        header, words = self.run.header, Words(self.run.header.language, "page", "first", "report")
        if since is not None:
            lines = since.first[:1] if header.review.blind else since.first
            before = since.comparison.before
            head = words("since", id=before.id, time=local_time(before))
            self.rows += [[], [_bold(head)], *([line.plain] for line in lines)]
            if not header.review.blind:
                self.rows += [[worse.name, f"{worse.way}  {worse.why}"] for worse in since.worse]
        groups = self.view.fix_first
        if not groups or header.is_of_rows:
            return
        self.rows += [[], [_bold(self.view.fix_head)]]
        if header.review.blind:
            self.rows.append([self.own("fix_blind", run=header.id)])
            return
        for group in groups:
            n = words("fix.weight", n=group.weight)
            self.rows.append([n, fault_about(group, words)])
            self.rows.append([None, words("example", user=cut(group.question, _QUESTION))])
            if answer := nested(cut(group.answer, _QUESTION)):
                self.rows.append([None, words("bot_said", answer=answer)])

    def figures(self) -> None:
        """All lines of the report."""
        self.rows.append([])
        for line in (*self.view.lines, *self.view.ended):
            self.rows.append([_bold(line.label), line.text.plain.strip()])

    def metrics(self) -> None:
        metrics = self.view.metrics
        is_rated = any(row.figures.info.rated for row in metrics)
        needs = {"rating": is_rated, "auc": any(row.auc for row in metrics)}
        heads = [head for head in _METRIC_HEADS if needs.get(head, True)]  # none that is empty
        self.rows += [[], [_head(self._head(name), n) for n, name in enumerate(heads)]]
        first = len(self.rows)
        for row in metrics:
            cells = self._metric(row)
            self.rows.append([cells[head] for head in heads])
        if metrics:
            limit = column_name(heads.index("threshold"))
            low = f"=AND(ISNUMBER($B{first + 1}),$B{first + 1}<${limit}{first + 1}-{HAIR})"
            self.rules.append(Rule(low, LOW, first, len(self.rows) - 1, 1, 1))
        self.rows += [[note] for note in self.view.metric_notes]

    def heat(self, heat: HeatMap) -> None:
        header, words = self.run.header, self.words
        personas = [header.personas.get(name, name) for name in heat.personas]
        self.names += [*personas, words("all")]
        score = metric_names(header)[header.score_by]
        self.rows += [[], [_bold(words("heat", score=score))]]
        limit = threshold(header, header.score_by, self.suffix, blank=True)
        self.rows.append([self.own("threshold"), limit])
        at = f"$B${len(self.rows)}"
        self.rows.append([None, *(_head(name, 1) for name in (*personas, words("all")))])
        first = len(self.rows)
        self.rows += [self._heat_row(row) for row in heat.scenarios]
        self.rows.append(self._heat_row(heat.total, bold=True))
        self.rules += _heat_rules(at, first, len(self.rows) - 1, len(personas) + 1)
        self.rows.append([self.own("heat_legend")])

    @property
    def words(self) -> Words:
        return Words(self.run.header.language, "plain", "report")

    @property
    def own(self) -> Words:
        return Words(self.run.header.language, "sheet")

    def _head(self, name: str) -> str:
        return self.own.find(name) or self.words(name)

    def _metric(self, row: MetricRow) -> dict[str, AnyCell]:
        name, metric = row.name, row.figures
        note = "" if metric.threshold is None else self.own("flagged_note")
        return {
            "metric": metric_names(self.run.header).get(name, name),
            "mean": _figure(metric.value.mean),
            "low": _figure(metric.value.low),
            "high": _figure(metric.value.high),
            "rating": _figure(metric.raw_mean if metric.info.rated else None),
            "scored": metric.scored,
            "gaps": SheetCell(sum(metric.unscored.values()), note=metric.unscored_why),
            "threshold": threshold(self.run.header, name, self.suffix, blank=True),
            "flagged": None if metric.threshold is None else SheetCell(metric.flagged, note=note),
            "auc": _figure(row.auc.mean if row.auc else None),
        }

    def _heat_row(self, row: HeatRow, *, bold: bool = False) -> SheetRow:
        return [SheetCell(row.name, bold=bold), *map(self._heat_cell, row.cells)]

    def _heat_cell(self, of: HeatCell) -> AnyCell:
        cell, mark = of.figures, of.marks
        if not cell.conversations:
            return None
        results, note = cell.results, ""
        if cell.flagged or cell.gaps or results.failed or results.undecided:
            counts = {"flagged": cell.flagged, "gaps": cell.gaps, "failed": results.failed}
            counts |= {"undecided": results.undecided, "conversations": cell.conversations}
            note = self.own("heat_note", **{name: f"{n:,}" for name, n in counts.items()})
        if cell.mean is None:
            fill = LOW if results.failed else None
            return SheetCell(f"– {mark}".rstrip(), note=note, right=True, fill=fill)
        form = f'0.00" {mark}"' if mark else "0.00"  # a number still, for the colours to follow
        return SheetCell(cell.mean, note=note, bold=of.is_sum, form=form)


def _heat_rules(limit: str, first: int, last: int, columns: int) -> list[Rule]:
    """Four steps from red to green; of several that hold, the first counts."""
    cell = f"B{first + 1}"
    at = f"IF(ISNUMBER({limit}),{limit},{NO_THRESHOLD})"
    bounds = (
        (f"{cell}<{at}*0.6", BAD),
        (f"{cell}<{at}-{HAIR}", LOW),
        (f"{cell}<({at}+1)/2-{HAIR}", FAIR),
        (f"{cell}>=({at}+1)/2-{HAIR}", GOOD),
    )
    return [
        Rule(f"=AND(ISNUMBER({cell}),{holds})", fill, first, last, 1, columns)
        for holds, fill in bounds
    ]


def _head(text: str, column: int) -> SheetCell:
    return SheetCell(text, bold=True, right=column > 0)


def _bold(text: object) -> SheetCell:
    return SheetCell(str(text), bold=True)


def _figure(value: float | None) -> AnyCell:
    return None if value is None else SheetCell(round(value, 4), form="0.00")
