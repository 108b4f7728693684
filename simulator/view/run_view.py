"""What every display shows of a run, as values: worded once, in the client's language.

Terminal, page, workbook and markdown put these in their own form and work out nothing themselves.
"""

import math
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Literal
from zoneinfo import ZoneInfo

from rich.text import Text

from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import cut, visible
from simulator.core.outcome import Gap, Interval, MetricInfo
from simulator.core.persona import Language
from simulator.core.plan import Cell, Gate, GateLine
from simulator.core.result import FaultGroup, Result, Why
from simulator.core.run import (
    NOBODY,
    Ledger,
    MetricSummary,
    ResultSummary,
    Run,
    RunHeader,
    RunSummary,
)
from simulator.core.scenario import Approval
from simulator.core.verdict import CorrectedScore
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.statistics.ppi import FEWEST_LABELS, needed_labels
from simulator.view.judge_health import warning_texts
from simulator.view.results import TO_BE_READ
from simulator.view.summary import HeatMap, gate, gate_lines, is_checked, notes, rag_sum, unapproved
from simulator.view.worst import TurnLists, decider, persona_names, screen_names
from simulator.words import Words

JUDGE_TOKENS = 1_700
"""Of a judge's call about one turn, on average: measured on the demo, three rubrics or so."""
READER_TOKENS: Mapping[Language, int] = {"en": 220, "ja": 500}
"""Of a call about one claim in an answer: its instruction, question, answer and claim, likewise."""
_LONGEST_BUG = 300  # characters
_FIXED_FIRST = 3  # groups of failing conversations that are named first
_HARM = frozenset({Why.CONTRADICTS, Why.FORBIDDEN, Why.ANSWERED, Why.UNSUPPORTED})
_OPEN = 0.2  # if a larger share is undecided, no pass rate is shown but its bounds
_NARROWS = ("scenarios", "personas", "tags", "limit")  # options that play a part of a client
_REASONS = 4  # others are added up, unless it is one
_NAMED, _CASES = 3, 5  # scenarios and conversations that are named
_DRAWN = 28  # expected turns of a sample that has the fewest it takes in 19 of 20 runs or so
_GAPS_SAID = 300  # characters of why scores are missing
RESULT_STYLES = {
    Result.PASSED: GOOD,
    Result.FAILED: BAD,
    Result.UNDECIDED: WARN,
    Result.UNCHECKED: DIM,
}
_ALWAYS = (Result.PASSED, Result.FAILED)
_SPACES = re.compile(r"\s{2,}")
GateResult = Literal["passed", "failed", "undecided"]
_GATE: Mapping[bool | None, GateResult] = {True: "passed", False: "failed", None: "undecided"}


def gate_result(summary: RunSummary, wanted: Gate | None) -> GateResult | None:
    """What came of a gate; None where none was asked for."""
    return _GATE[gate(summary, wanted)] if wanted else None


@dataclass(frozen=True, slots=True)
class Line:
    """A figure with its label; without one it goes on with the line before.

    `is_doubt`: it makes users or judge doubtful; `warns`: it belongs on the first screen.
    """

    label: str
    text: Text
    is_doubt: bool = False
    warns: bool = False

    @property
    def plain(self) -> str:
        """The text alone, with a dot in place of a terminal's gap."""
        return _SPACES.sub(" · ", self.text.plain.strip())


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric; `auc`: how it goes with people's verdicts, where there are any."""

    name: str
    figures: MetricSummary
    auc: Interval | None


@dataclass(frozen=True, slots=True)
class Verification:
    """What is left to do until a run is verified.

    Attributes:
        unfinished: conversations that did not come to an end.
        answers: different answers to judge.
        others: undecided conversations that need something else.
        expectations: scenarios whose expectations nobody has confirmed.
        unchecked: conversations of which nothing is expected.
        undecidable: nothing could be decided.
    """

    unfinished: int
    answers: int
    others: int
    expectations: int
    unchecked: int
    undecidable: bool

    @classmethod
    def of(cls, summary: RunSummary) -> "Verification":
        """By the figures of a run."""
        results, left = summary.results, summary.unsettled
        return cls(
            unfinished=summary.unfinished,
            answers=left.answers,
            others=results[Result.UNDECIDED] - (left.talks if left.answers else 0),
            expectations=left.expectations,
            unchecked=results[Result.UNCHECKED],
            undecidable=not (
                summary.unfinished or results[Result.UNCHECKED] or is_checked(summary)
            ),
        )

    @property
    def is_done(self) -> bool:
        """True if nothing is left."""
        return not any(asdict(self).values())

    def sentence(self, words: Words) -> str:
        """`Not done: 4 answers to judge, 15 expectations to confirm`."""
        if self.is_done:
            return words("verified.done")
        return words("verified.open", left=self.left(words))

    def left(self, words: Words) -> str:
        """`4 answers to judge, 15 expectations to confirm`."""
        left = (words(f"verified.{name}", n=n) for name, n in asdict(self).items() if n)
        return words.comma.join(left)


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as it is shown.

    Attributes:
        title: client, run and time.
        size: how many conversations and turns, or rows of which file.
        passing: how many scenarios pass, and where the others fail.
        verification: what is left to do until it is verified.
        verified: the same as a sentence.
        models: whose numbers these are.
        lines: the results, the score with all that limits it, and the gate.
        ended: how talks ended, what failed, what was paid.
        gate: what came of the gate; None where none was asked.
        pass_rate: the pass rate with its interval, in parts; empty where there is none.
        pass_rate_bounds: between what it is, where too much is undecided for one number.
        fix_first: the groups of failing conversations that are named first.
        fix_head: their heading: how many of the failing conversations these are.
        metrics: those to which anything applied.
        metric_notes: what is said below them.
        heat: persona × scenario; None where no cell has a score or a result.
        turns: the worst turns and the undecided conversations.
    """

    title: Text
    size: Text
    passing: Text
    verification: Verification
    verified: Text
    models: tuple[Text, ...]
    lines: tuple[Line, ...]
    ended: tuple[Line, ...]
    gate: GateResult | None
    pass_rate: tuple[str, ...]
    pass_rate_bounds: tuple[float, float] | None
    fix_first: tuple[FaultGroup, ...]
    fix_head: str
    metrics: tuple[MetricRow, ...]
    metric_notes: tuple[str, ...]
    heat: HeatMap | None
    turns: TurnLists

    @property
    def head(self) -> tuple[Text, ...]:
        """Which run it is, how large, and whose numbers these are."""
        return self.title, self.size, self.passing, self.verified, *self.models


def view_of(run: Run, words: Words, names: Mapping[str, str] | None = None) -> RunView:
    """What is shown of a run, from the figures that are kept with it.

    `words` has the section report; `names`: what metrics are called there.
    """
    header, summary = run.header, run.summary
    names = screen_names(header) if names is None else names
    lines, verdicts = _Lines(run, words, names), summary.verdicts
    separations = verdicts.metrics if verdicts else {}
    first = summary.fault_groups[:_FIXED_FIRST]
    verification = Verification.of(summary)
    return RunView(
        title=lines.title(),
        size=lines.size(),
        passing=lines.passing(),
        verification=verification,
        verified=Text(verification.sentence(words), GOOD if verification.is_done else WARN),
        models=tuple(lines.models()),
        lines=tuple(lines.figures()),
        ended=tuple(lines.ended()),
        gate=gate_result(summary, header.gate),
        pass_rate=tuple(lines.rate()),
        pass_rate_bounds=bounds(summary.results),
        fix_first=first,
        fix_head=lines.fix_head(first),
        metrics=tuple(
            MetricRow(name, metric, separations[name].auc if name in separations else None)
            for name, metric in applied(run).summary.metrics.items()
        ),
        metric_notes=tuple(lines.metric_notes()),
        heat=HeatMap.of(summary.cells, words("all"), persona_names(header)),
        turns=TurnLists.of(header, summary),
    )


def applied(run: Run) -> Run:
    """The run without the metrics to which nothing applied in all of it."""
    score_by, metrics = run.header.score_by, run.summary.metrics
    idle = {
        name
        for name, metric in metrics.items()
        if metric.not_applicable and not metric.scored and not metric.unscored and name != score_by
    }
    kept = {name: metric for name, metric in metrics.items() if name not in idle}
    infos = tuple(info for info in run.header.metrics if info.name not in idle)
    header = replace(run.header, metrics=infos)
    return replace(run, header=header, summary=replace(run.summary, metrics=kept))


def joined(lines: Iterable[Line]) -> list[Line]:
    """Each line without a label as a part of the one before, as plain text."""
    whole: list[Line] = []
    for line in lines:
        if line.label or not whole:
            whole.append(replace(line, text=Text(line.plain)))
        else:
            whole[-1].text.append(f" · {line.plain}")
    return whole


def bounds(results: ResultSummary) -> tuple[float, float] | None:
    """Between what the pass rate is, where too much is undecided for one number."""
    whole = results[Result.PASSED] + results[Result.FAILED] + results[Result.UNDECIDED]
    is_open = results[Result.UNDECIDED] > _OPEN * whole
    if results.worst is None or results.best is None or not is_open:
        return None
    return results.worst, results.best


def pass_rate_range(results: ResultSummary, words: Words) -> str:
    """Between what the pass rate is if all are decided; empty where its number needs no range."""
    if results.worst is None or results.best is None or bounds(results):
        return ""
    if not results[Result.UNDECIDED]:
        return ""
    return words("pass_rate.bounds", worst=f"{results.worst:.2f}", best=f"{results.best:.2f}")


def local_time(header: RunHeader) -> str:
    """When the run began, in the client's time zone."""
    began = datetime.fromisoformat(header.started).astimezone(ZoneInfo(header.timezone))
    return f"{began:%Y-%m-%d %H:%M} ({header.timezone})"


def where(cell: Cell, turn: int, words: Words) -> str:
    """`login-fails · angry · turn 2`, and which repeat if it is not the first."""
    parts = [visible(cell.scenario), visible(cell.persona)]
    parts += [words("repeat", n=cell.repeat)] if cell.repeat > 1 else []
    return " · ".join([*parts, words("turn", n=turn)])


def gate_text(line: GateLine, words: Words) -> str:
    """One thing that the gate asks for, and what came of it; `words`: the section report."""
    came = words("gate.doubted" if line.doubted else f"gate.{line.passed}".lower())
    if line.name == "must_pass":
        cases = words.comma.join(line.cases[:_CASES]) + ("…" if line.cases[_CASES:] else "")
        return words("gate_of.must_pass", came=f"{came}: {cases}" if cases else came)
    wanted = f"{line.wanted:g}" + (words("gate_of.sure") if line.sure else "")
    return words(f"gate_of.{line.name}", wanted=wanted, came=came)


def rewriting(run: Run) -> str:
    """The command that writes a file of answers again with its scores; empty for other runs."""
    if run.header.kind != "score" or run.summary.unfinished:
        return ""
    of = PurePath(run.header.of).suffix
    ending = of if of in (".csv", ".tsv", ".xlsx") else ".jsonl"
    return f"{run.header.resume} -o scored{ending}"


def row_name(cell: Cell) -> str:
    """The id of a row of a file, and its persona if it names one."""
    parts = [cell.scenario] if cell.persona == NOBODY else [cell.scenario, cell.persona]
    return " · ".join(map(visible, parts))


def rating(info: MetricInfo, raw: float | None) -> str:
    """A raw value as people read it: only ratings are worth it, the others equal their value."""
    return f"{raw:.2f}".rstrip("0").rstrip(".") if info.rated and raw is not None else ""


def ends_of(value: Interval, to: str) -> str:
    """`0.61–1.00`; empty where there is no interval."""
    if value.low is None or value.high is None:
        return ""
    return f"{value.low:.2f}{to}{value.high:.2f}"


def paid(ledger: Ledger, words: Words) -> Iterator[tuple[str, str]]:
    """What was called, and what it cost."""
    yield words("calls"), words.counts("role", ledger.calls)
    if ledger.input_tokens or ledger.output_tokens:
        kinds = {kind: getattr(ledger, f"{kind}_tokens") for kind in ("input", "cached", "output")}
        yield words("tokens"), words("tokens_text", **kinds)
    if ledger.cost_usd is None:
        yield words("cost"), words("no_price")
    elif ledger.cost_usd:
        yield words("cost"), f"${ledger.cost_usd:,.4f}"


def duration(seconds: float, language: Language) -> str:
    """`3.2 s`, `4 min 05 s`, `2 h 03 min`."""
    second, minute, hour = ("秒", "分", "時間") if language == "ja" else ("s", "min", "h")
    if seconds < 60:
        return f"{seconds:.1f} {second}"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} {minute} {rest:02} {second}"
    return f"{minutes // 60} {hour} {minutes % 60:02} {minute}"


class _Lines:
    """Words the figures of one run."""

    def __init__(self, run: Run, words: Words, names: Mapping[str, str]) -> None:
        self._run = run
        self._header, self._summary, self._results = run.header, run.summary, run.summary.results
        self._words = words
        self._reasons = Words(run.header.language, "result")
        self._names = names
        self._is_judged = any("judge" in info.needs for info in run.header.metrics)

    def title(self) -> Text:
        header = self._header
        run = self._words("run", id=header.id)
        client = visible(header.client), BOLD
        return Text.assemble(client, "  ", run, "  ", local_time(header))

    def size(self) -> Text:
        header, summary = self._header, self._summary
        key = f"{'rows' if header.is_of_rows else 'size'}{'_of' if summary.unfinished else ''}"
        file = PurePath(header.options["file"]).name if header.is_of_rows else ""
        n = summary.conversations
        text = self._words(
            key,
            conversations=n,
            rows=n,
            planned=header.planned,
            turns=summary.turns,
            file=visible(file),
            sha=str(header.snapshot.get("file.sha", ""))[:12],
        )
        return Text(text)

    def fix_head(self, first: Sequence[FaultGroup]) -> str:
        """`Fix these 3 first (12 of 30 failures)`; empty where nothing is to be fixed."""
        talks = sum(group.conversations for group in first)
        if not first:
            return ""
        key = "mend" if talks else "mend.later"
        return self._words(key, n=len(first), talks=talks, of=self._results[Result.FAILED])

    def passing(self) -> Text:
        """`20 of 31 scenarios pass; 3 fail in every persona, 6 in some, 2 are undecided`."""
        results, words, of_rows = self._results, self._words, self._header.is_of_rows
        if not results.scenarios:
            key = "pass.none" if self._summary.conversations else "pass.unplayed"
            return Text(words(key), WARN)
        key = "pass.rows" if of_rows else "pass"
        text = Text(words(key, passing=results.passing, n=results.scenarios), BOLD)
        where_ = self._everywhere()
        also = ".also" if results.failing else ""
        others = (
            (results.failing, f"pass.fail{where_}", BAD),
            (results.mixed, f"pass.mixed{where_}{also}", BAD),
            (results.left_open, "pass.open", WARN),
            (0 if of_rows else results.silent, "pass.silent", DIM),
        )
        between = words("pass.then")
        for n, phrase, style in others:
            if n:
                text.append(between).append(words(phrase, n=n), style)
                between = words.comma
        return text

    def _everywhere(self) -> str:
        """What a scenario that fails altogether fails in."""
        cells = self._summary.cells
        if len({persona for persona, _ in cells}) > 1:
            return ".personas"
        return ".repeats" if any(cell.conversations > 1 for cell in cells.values()) else ""

    def models(self) -> Iterator[Text]:
        header, words = self._header, self._words
        if header.kind == "rejudge":
            yield Text(words("again", id=header.of))
        snapshot = header.snapshot
        models = {role: snapshot.get(f"client.{role}.chat.model") for role in ("user", "judge")}
        models["reader"] = snapshot.get("client.reader.model")
        by = [words(f"model.{r}", model=visible(model)) for r, model in models.items() if model]
        if by:
            yield Text(" · ".join(by), DIM)
        if header.offline:
            yield Text(words("offline"), DIM)

    def figures(self) -> Iterator[Line]:
        yield from self._by_result()
        yield from self._decided()
        yield from self._bugs()
        yield from self._users()
        yield from self._judge()
        yield from self._unconfirmed()
        yield from self._follow_ups()
        yield from self._repeats()
        yield from self._score()
        yield from self._corrected()
        yield from self._limits()

    def ended(self) -> Iterator[Line]:
        header, summary, words = self._header, self._summary, self._words
        stops = "" if header.is_of_rows else words.counts("stop", summary.stops)
        lines = (
            (words("stops"), stops),  # a row is one turn and ends there
            (words("failures"), words.counts("failure", summary.failures)),
            *paid(summary.ledger, words),
            (words("time"), duration(header.wall_s, header.language)),
        )
        return (Line(label, Text(text)) for label, text in lines if text)

    def metric_notes(self) -> Iterator[str]:
        words = self._words
        if added := rag_sum(self._summary):
            fewest, most = min(added.scored.values()), max(added.scored.values())
            turns = f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"
            yield words("rag_sum", sum=f"{added.sum:.2f}", of=added.of, turns=turns)
        if self._summary.verdicts is not None:
            yield words("auc_text")

    def _interval(self, value: Interval) -> str:
        if value.low is None or value.high is None:
            return ""
        return self._words("interval", low=f"{value.low:.2f}", high=f"{value.high:.2f}")

    def _by_result(self) -> Iterator[Line]:
        """A line for each result: how many conversations have it, and why."""
        results, words = self._results, self._words
        widest = max(len(f"{n:,}") for n in results.counts.values())
        for result in Result:
            n = results[result]
            if not n and result not in _ALWAYS:
                continue
            text = Text(f"{n:>{widest},}", RESULT_STYLES[result] if n else BOLD)
            if result is Result.PASSED:
                parts = [*self.rate(), pass_rate_range(results, words)]
                text.append("".join(f"   {part}" for part in parts if part))
            else:
                text.append(f"   {self._whys(result)}".rstrip())
            yield Line(words(f"head.{result}"), text)
            if result is Result.PASSED and results.repaired:
                yield Line("", Text(words("repaired", n=results.repaired), WARN))

    def rate(self) -> list[str]:
        """The pass rate with its interval, or its bounds alone."""
        results, words = self._results, self._words
        if ends := bounds(results):
            worst, best = (f"{end:.2f}" for end in ends)
            return [words("pass_rate.open", worst=worst, best=best)]
        rate, parts = results.pass_rate, list[str]()
        if rate.mean is not None:
            parts.append(words("pass_rate", rate=f"{rate.mean:.2f}"))
            parts.append(self._interval(rate) or self._too_few("decided"))
        return parts

    def _too_few(self, of: Literal["decided", "scored"]) -> str:
        """Why there is no interval: too few scenarios, or too few that count."""
        kind = "rows" if self._header.is_of_rows else "talks"
        enough = self._results.scenarios >= FEWEST_CLUSTERS
        return self._words(f"few.{of}.{kind}" if enough else f"few.{kind}")

    def _whys(self, result: Result) -> str:
        """`contradicts what is right 1 · not all was said 6 · other reasons 3`.

        What was said and does harm first, then the most frequent: others hide nothing worse.
        """
        whys = self._results.whys
        of_result = sorted((w for w in whys if w.result is result), key=lambda w: w not in _HARM)
        named = of_result[: _REASONS if len(of_result) > _REASONS + 1 else None]
        others = sum(whys[why] for why in of_result[len(named) :])
        counts = {why.value: whys[why] for why in named}
        return self._reasons.counts("reason", counts | {"others": others})

    def _decided(self) -> Iterator[Line]:
        """Who decided how many; what is left to whom, and what settles that."""
        results, left, words = self._results, self._summary.unsettled, self._words
        by = {reader.value: n for reader, n in results.decided.items() if n}
        n, open_ = sum(by.values()), results[Result.UNDECIDED]
        if not n and not open_:
            return
        key = ("none", "one", "several")[min(len(by), 2)]
        readers = self._reasons.counts("reader", by)
        reader = self._reasons.name("reader", next(iter(by), ""))
        text = Text(words(f"decided.{key}", n=n, total=n + open_, by=readers, reader=reader))
        if left.talks:
            key = "needs.person" if self._is_judged else "needs.any"
            minutes = max(1, round(left.seconds / 60))
            needs = words(key, n=left.talks, answers=left.answers, minutes=minutes)
            text.append(words.semicolon).append(needs, WARN)
        yield Line(words("decided"), text)
        yield from (Line("", Text(way, DIM)) for way in self._ways())

    def _ways(self) -> Iterator[str]:
        """What would settle the undecided ones."""
        left, words, run = self._summary.unsettled, self._words, self._header.id
        if left.talks and not self._is_judged:
            tokens = round(self._summary.turns * JUDGE_TOKENS, -2)
            yield words("settle.judge", run=run, calls=self._summary.turns, tokens=tokens)
            if left.calls and not self._header.is_of_file:  # which has no client.yaml
                tokens = round(left.calls * READER_TOKENS[self._header.language], -2)
                yield words("settle.reader", run=run, calls=left.calls, tokens=tokens)
        if left.talks:
            yield words("settle.person", run=run)
        for why in self._results.whys:
            if why.result is Result.UNDECIDED and why not in TO_BE_READ:
                yield f"{self._reasons.name('reason', why)}: {decider(why, self._header)}"

    def _unconfirmed(self) -> Iterator[Line]:
        """How many rest on generated expectations that nobody has confirmed, or only in bulk."""
        words, counts = self._words, self._summary.approvals
        open_, bulk = counts.get(Approval.OPEN, 0), counts.get(Approval.BULK, 0)
        if not open_ and not bulk:
            return
        parts = {"expectations.open": open_, "expectations.bulk": bulk}
        total = sum(counts.values())
        text = words.semicolon.join(words(key, n=n, total=total) for key, n in parts.items() if n)
        yield Line(words("expectations"), Text(text, WARN if open_ else DIM))
        if open_:
            client = shlex.quote(visible(self._header.client))
            yield Line("", Text(words("expectations.settle", client=client), DIM))

    def _follow_ups(self) -> Iterator[Line]:
        """That questions which lean on the turn before plainly fare worse than first ones.

        And whose own question nobody got answered at first: what is asked later may hide that.
        """
        words, follow_ups = self._words, self._summary.follow_ups
        if follow_ups.are_lost:
            text = words("follow_ups_text", **asdict(follow_ups))
            yield Line(words("follow_ups"), Text(text, BAD), warns=True)
        if names := follow_ups.only_later:
            more = ["…"] if len(names) > _NAMED else []
            listed = words.comma.join([*map(visible, names[:_NAMED]), *more])
            text = words("only_later_text", n=len(names), names=listed)
            yield Line(words("only_later"), Text(text, WARN), warns=True)

    def _repeats(self) -> Iterator[Line]:
        """How often all repeats of a cell pass, and of how many cells that is known."""
        results, words = self._results, self._words
        if results.pass_power:
            k = max(results.pass_power)
            n, total = results.pass_power_cells, len(self._summary.cells)
            power = f"{results.pass_power[k]:.2f}"
            text = words("pass_power", k=k, power=power, n=n, total=total)
            yield Line(words("repeats"), Text(text))

    def _bugs(self) -> Iterator[Line]:
        """How often a check of ours crashed, and where it did first."""
        summary, words = self._summary, self._words
        if summary.bugs:
            first = cut(visible(summary.bug), _LONGEST_BUG)
            text = Text(words("bugs_text", n=summary.bugs, first=first), BAD)
            yield Line(words("bugs"), text, warns=True)

    def _users(self) -> Iterator[Line]:
        """What makes the score doubtful stands above it."""
        summary, users, words = self._summary, self._summary.simulator, self._words
        broken, tags = summary.failures.get("user"), words.counts("tag", summary.soundness)
        doubts = (
            words("unsound", tags=tags) if tags else "",
            words("users_failed", n=broken) if broken else "",
            self._taken_away() if users.rerun or users.excluded else "",
            words("unasked", n=users.unasked) if users.unasked else "",
        )
        label = words("simulator")
        for doubt in filter(None, doubts):
            yield Line(label, Text(doubt, WARN), is_doubt=True, warns=True)

    def _taken_away(self) -> str:
        """What users who were not sound took out of the result, and what that cost."""
        users, words = self._summary.simulator, self._words
        weak, strong = users.weak, users.strong
        tags = words.counts("tag", users.rerun_for)
        parts = [words("rerun", n=users.rerun, tags=tags)] if users.rerun else []
        parts.append(words("excluded", n=users.excluded, total=self._summary.conversations))
        if users.excluded and weak.conversations + strong.conversations:
            of = {"weak_of": weak.conversations, "strong_of": strong.conversations}
            parts.append(words("excluded_of", weak=weak.excluded, strong=strong.excluded, **of))
        if users.cost_usd:
            parts.append(words("thrown_away", cost=f"${users.cost_usd:,.4f}"))
        return words.semicolon.join(parts)

    def _judge(self) -> Iterator[Line]:
        """What makes the ratings doubtful, too, with the command that shows it."""
        health = self._summary.judge_health
        if health is None or not health.warnings:
            return
        own = Words(self._header.language, "judge")
        head = own("in_doubt" if health.in_doubt else "remark")
        text = f"{head} {own.comma.join(warning_texts(health, own))}"
        style = WARN if health.in_doubt else DIM
        yield Line(self._words("judge"), Text(text, style), is_doubt=True, warns=health.in_doubt)
        look = own("look", command=f"mogi show {self._header.id} --judge")
        yield Line("", Text(look, DIM), is_doubt=True)

    def _score(self) -> Iterator[Line]:
        score, words = self._summary.score, self._words
        if score is None or score.value.mean is None:
            yield Line(words("score"), Text(words("no_score"), BAD))
            return
        value, raw = score.value, rating(score.info, score.raw_mean)
        mean = score.value.mean
        name = visible(self._names.get(score.info.name, score.info.name))
        what = words.comma.join([name, *([words("raw", raw=raw)] if raw else [])])
        style = BOLD
        if score.threshold is not None:
            style = BAD if mean < score.threshold else GOOD
        text = Text.assemble((f"{mean:.2f}", style), words("score_is", score="", name=what), "   ")
        interval = self._interval(value)
        text.append(interval or self._too_few("scored"), None if interval else DIM)
        yield Line(words("score"), text)

    def _corrected(self) -> Iterator[Line]:
        """What people would say of all answers, where a random sample of them was shown to them."""
        corrected, words, score = self._summary.corrected, self._words, self._summary.score
        if corrected is None or score is None or score.value.mean is None:
            return
        value, label = corrected.value, words("corrected")
        interval = self._interval(value)
        if value.mean is None or not interval:
            lacks = words("corrected_few.and").join(self._lacks(corrected))
            yield Line(label, Text(words("corrected_few", lacks=lacks), DIM))
            return
        yield Line(label, Text.assemble((f"{value.mean:.2f}", BOLD), "   ", interval))
        by = words("corrected_text", n=corrected.n, audited=corrected.audited)
        yield Line("", Text(by, DIM))

    def _lacks(self, corrected: CorrectedScore) -> Iterator[str]:
        """Which verdicts a corrected score lacks, and how to come by them."""
        words, audit, flagged = self._words, self._header.audit, self._summary.flagged
        if self._header.review_plan:
            yield words("corrected_few.plan", run=self._header.id)
            return
        others, judged = self._summary.turns - flagged, corrected.n - corrected.audited
        needed_drawn = needed_labels(others, corrected.n)
        drawn_short, needed = corrected.audited < needed_drawn, needed_labels(flagged, corrected.n)
        if judged < needed:
            yield words("corrected_few.flagged", n=judged, total=flagged, needed=needed)
        elif not drawn_short:
            yield words("corrected_few.together", needed=FEWEST_CLUSTERS)
        if drawn_short:
            drawn = len(audit.answers.rows) if audit.answers else 0
            each = math.ceil(100 * _DRAWN / (drawn / (audit.share or 1) or others))
            is_rest = 100 * audit.share >= min(100, each) or drawn >= FEWEST_LABELS
            key = "rest" if is_rest else "larger"
            way = words(f"corrected_few.{key}", share=f"{min(1.0, each / 100):g}")
            sizes = {"n": corrected.audited, "total": others, "needed": needed_drawn}
            yield words("corrected_few.drawn", way=way, **sizes)

    def _limits(self) -> Iterator[Line]:
        header, summary, words = self._header, self._summary, self._words
        score, verdicts = summary.score, summary.verdicts
        if score and score.unscored and score.worst is not None and score.best is not None:
            ends = words("bounds_text", worst=f"{score.worst:.2f}", best=f"{score.best:.2f}")
            yield Line(words("bounds"), Text(ends))
            if Gap.TARGET_FAILED in score.unscored:
                yield Line("", Text(words("bounds_failed")))
        if score:
            yield Line(
                words("scored"),
                self._scored(score),
                warns=not score.unscored.keys() <= {Gap.UNREAD},
            )
        yield Line(words("flagged"), self._flagged())
        if verdicts:
            text = words("verdicts_text", ok=verdicts.ok, ng=verdicts.ng)
            text += words("verdicts_unsure", unsure=verdicts.unsure) if verdicts.unsure else ""
            yield Line(words("verdicts"), Text(text))
        for line in gate_lines(summary, header.gate):
            style = {True: GOOD, False: BAD, None: WARN}[line.passed]
            came = Text(gate_text(line, words), style)
            yield Line(words("gate"), came, warns=line.passed is not True)
        if header.gate and (share := unapproved(summary)):
            yield Line("", Text(words("gate_of.unapproved", share=f"{share:.0%}"), WARN))
        yield from self._coverage()
        for n, note in enumerate(notes(self._run)):
            yield Line("" if n else words("note"), Text(visible(note), DIM), warns=True)

    def _scored(self, score: MetricSummary) -> Text:
        """How many turns have a score, of those that could; and what became of the others."""
        words, total = self._words, score.scored + sum(score.unscored.values())
        key = "scored_rows" if self._header.is_of_rows else "scored_text"
        text = Text(words(key, scored=score.scored, total=total))
        if score.unscored:
            text.append("  " + words("missing", reasons=words.counts("gap", score.unscored)), WARN)
        if why := cut(visible(score.unscored_why), _GAPS_SAID):
            text.append("\n" + words("missing_why", said=why), WARN)
        if score.not_applicable:
            text.append("  " + words("idle", n=score.not_applicable), DIM)
        return text

    def _flagged(self) -> Text:
        header, summary, words = self._header, self._summary, self._words
        key = "flagged_rows" if header.is_of_rows else "flagged_text"
        flagged = words(key, n=summary.flagged, total=summary.turns)
        known = {info.name for info in header.metrics}
        limits = [
            words("threshold", name=visible(self._names.get(name, name)), value=f"{limit:g}")
            for name, limit in header.thresholds.items()
            if name in known
        ]
        shown = words.comma.join(limits) or words("no_threshold")
        return Text.assemble(flagged, ("  " + shown, DIM))

    def _is_partial(self) -> bool:
        """True if the run leaves out scenarios, so that what it never found says nothing."""
        narrowed = any(self._header.options.get(key) for key in _NARROWS)
        return narrowed or bool(self._summary.unfinished)

    def _coverage(self) -> Iterator[Line]:
        """What was never tested, where a knowledge base was at hand."""
        known, words = self._header.coverage, self._words
        if known is None:
            return
        entries, found = len(known.entries), self._summary.found
        counts = {
            "unexpected": (known.unexpected, entries),
            "never_found": (0 if self._is_partial() else known.never_found(found) or 0, entries),
            "silent": (known.silent, known.scenarios),
        }
        gaps = [words(f"coverage.{k}", n=n, total=total) for k, (n, total) in counts.items() if n]
        if gaps:
            command = f"mogi coverage {shlex.quote(visible(self._header.client))}"
            line = words("coverage_text", told=words.comma.join(gaps), command=command)
            yield Line(words("coverage"), Text(line))
