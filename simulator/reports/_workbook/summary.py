"""The Summary worksheet: the figures of a run, each metric, and persona × scenario."""

import re
from dataclasses import dataclass, field

from rich.cells import cell_len

from simulator.core.run import CellSummary, MetricSummary, Run
from simulator.reports._figures import figures, how_it_went, what_ran
from simulator.reports._results import HeatRow, has_heat, heat_rows, marks
from simulator.reports._weak import NO_THRESHOLD
from simulator.reports._workbook.config_worksheet import (
    BAD,
    FAIR,
    GOOD,
    HAIR,
    LOW,
    AnyCell,
    metric_names,
    threshold,
)
from simulator.view.summary import rag_sum
from simulator.words import Words
from simulator.worksheets.book import Column, Rule, SheetCell, SheetRow, Worksheet, column_name

SUMMARY = "Summary"
_METRIC_HEADS = (
    "metric", "mean", "low", "high", "rating", "scored", "gaps", "threshold", "flagged", "auc",
)  # fmt: skip
_NAME, _FIGURE, _WIDEST = 26, 10, 18  # characters of a column


def summary(run: Run, suffix: str = "") -> Worksheet:
    """The figures of a run on one page; its heat map takes its colours from Config's threshold."""
    page = _Page(run, suffix)
    page.headline()
    page.metrics()
    if has_heat(run) and not run.header.review.blind:
        page.heat()
    return page.worksheet()


@dataclass(slots=True)
class _Page:
    """Rows from top to bottom, and the rules that colour them."""

    run: Run
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
        words = self.words
        self.rows += [[line.plain] for line in what_ran(self.run, words)]
        self.rows[0] = [_bold(self.rows[0][0])]
        self.rows.append([])
        lines = [(label, text.plain.strip()) for label, text in figures(self.run, words)]
        for label, text in [*lines, *how_it_went(self.run, words)]:
            is_named = label in (words("score"), words("flagged"))
            self.rows.append([_bold(label), self._called(text) if is_named else text])

    def _called(self, text: str) -> str:
        """The text with the metrics as people call them; Japanese has no spaces around these."""
        called = metric_names(self.run.header)
        is_ja = self.run.header.language == "ja"
        before, behind = ("(?:(?<=[ぁ-ん]) )?", "(?: (?=[ぁ-ん]))?") if is_ja else ("", "")
        ids = "|".join(map(re.escape, called)) or "$."
        return re.sub(rf"{before}\b({ids})\b{behind}", lambda found: called[found[1]], text)

    def metrics(self) -> None:
        by_name = self.run.summary.metrics
        is_rated = any(metric.info.rated for metric in by_name.values())
        needs = {"rating": is_rated, "auc": self.run.summary.verdicts is not None}
        heads = [head for head in _METRIC_HEADS if needs.get(head, True)]  # none that is empty
        self.rows += [[], [_head(self._head(name), n) for n, name in enumerate(heads)]]
        first = len(self.rows)
        for name, metric in by_name.items():
            cells = self._metric(name, metric)
            self.rows.append([cells[head] for head in heads])
        if by_name:
            limit = column_name(heads.index("threshold"))
            low = f"=AND(ISNUMBER($B{first + 1}),$B{first + 1}<${limit}{first + 1}-{HAIR})"
            self.rules.append(Rule(low, LOW, first, len(self.rows) - 1, 1, 1))
        if added := rag_sum(self.run.summary):
            turns = f"{min(added.scored.values()):,}–{max(added.scored.values()):,}"
            text = self.words("rag_sum", sum=f"{added.sum:.2f}", of=added.of, turns=turns)
            self.rows.append([text])
        if self.run.summary.verdicts is not None:
            self.rows.append([self.words("auc_text")])

    def heat(self) -> None:
        header, words = self.run.header, self.words
        ids, scenarios, total = heat_rows(self.run, words)
        personas = [header.personas.get(name, name) for name in ids]
        self.names += [*personas, words("all")]
        self.rows += [[], [_bold(self._called(words("heat", score=header.score_by)))]]
        limit = threshold(header, header.score_by, self.suffix, blank=True)
        self.rows.append([self.own("threshold"), limit])
        at = f"$B${len(self.rows)}"
        self.rows.append([None, *(_head(name, 1) for name in (*personas, words("all")))])
        first = len(self.rows)
        self.rows += [self._heat_row(row) for row in scenarios]
        self.rows.append(self._heat_row(total, bold=True))
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

    def _metric(self, name: str, metric: MetricSummary) -> dict[str, AnyCell]:
        verdicts = self.run.summary.verdicts
        separation = verdicts.metrics.get(name) if verdicts else None
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
            "auc": _figure(separation.auc.mean if separation else None),
        }

    def _heat_row(self, row: HeatRow, *, bold: bool = False) -> SheetRow:
        sums = [bold or n == len(row.cells) for n, _ in enumerate(row.cells, 1)]
        cells = [self._heat_cell(c, is_sum=s) for c, s in zip(row.cells, sums, strict=True)]
        return [SheetCell(row.name, bold=bold), *cells]

    def _heat_cell(self, cell: CellSummary, *, is_sum: bool) -> AnyCell:
        if not cell.conversations:
            return None
        found, note = cell.results, ""
        if cell.flagged or cell.gaps or found.failed or found.undecided:
            counts = {"flagged": cell.flagged, "gaps": cell.gaps, "failed": found.failed}
            counts |= {"undecided": found.undecided, "conversations": cell.conversations}
            note = self.own("heat_note", **{name: f"{n:,}" for name, n in counts.items()})
        mark = marks(cell, is_sum=is_sum)
        if cell.mean is None:
            fill = LOW if found.failed else None
            return SheetCell(f"– {mark}".rstrip(), note=note, right=True, fill=fill)
        form = f'0.00" {mark}"' if mark else "0.00"  # a number still, for the colours to follow
        return SheetCell(cell.mean, note=note, bold=is_sum, form=form)


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
    return None if value is None else SheetCell(value, form="0.00")
