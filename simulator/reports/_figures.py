"""The figures of a run in words: what ran, the score and its limits, each metric, what it cost."""

import math
import re
import shlex
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import PurePath
from zoneinfo import ZoneInfo

from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import command_lines, figure, labelled, spaced, table
from simulator.console.layout import fit
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import cut, visible
from simulator.core.outcome import Gap, Interval, MetricInfo, Score
from simulator.core.run import Ledger, MetricSummary, Run, RunHeader
from simulator.core.verdict import CorrectedScore
from simulator.reports._results import applied, follow_ups, passing, results, too_few
from simulator.statistics.intervals import FEWEST_CLUSTERS, Total
from simulator.statistics.ppi import FEWEST_LABELS, is_short
from simulator.view.coverage import notes
from simulator.view.judge_health import warning_texts
from simulator.view.summary import Asked, asked, rag_sum
from simulator.words import Words

_HEADS = ("metric", "mean", "ci", "rating", "scored", "limit", "flagged", "auc")
_WIDEST_METRIC, _CASES = 24, 5  # cells of a name; conversations that are named
_DRAWN = 28  # expected turns of a sample that has the fewest it takes in 19 of 20 runs or so
_Line = tuple[str, Text]
_GAP = re.compile(r"\s{2,}")


def headline(run: Run, words: Words) -> Iterator[RenderableType]:
    """The block above the tables."""
    yield from what_ran(run, words)
    yield from spaced(labelled(figures(run, words)))


def what_ran(run: Run, words: Words) -> Iterator[Text]:
    """Which run it is, how large, and whose numbers these are."""
    header = run.header
    yield Text.assemble(
        (visible(header.client), BOLD), "  ", words("run", id=header.id), "  ", local_time(header)
    )
    yield Text(_size(run, words))
    yield passing(run, words)
    if header.kind == "rejudge":
        yield Text(words("again", id=header.of))
    named = {role: header.snapshot.get(f"client.{role}.chat.model") for role in ("user", "judge")}
    named["reader"] = header.snapshot.get("client.reader.model")
    models = [words(f"model.{r}", model=visible(model)) for r, model in named.items() if model]
    if models:
        yield Text(" · ".join(models), DIM)
    if not named["reader"] and not any("judge" in info.needs for info in header.metrics):
        yield Text(words("lexical") + (f" {words('offline')}" if header.offline else ""), WARN)


def figures(run: Run, words: Words) -> list[_Line]:
    """The results, the score with all that limits it, and the gate; a label and a text each."""
    return [
        *results(run, words),
        *follow_ups(run, words),
        *_repeats(run, words),
        *_users(run, words),
        *_judge(run, words),
        *_score(run, words),
        *_limits(run, words),
    ]


def joined(lines: Iterable[_Line]) -> list[tuple[str, str]]:
    """A line without a label goes on with the one before; dots in place of a terminal's gaps."""
    found: list[tuple[str, str]] = []
    for label, text in lines:
        said = _GAP.sub(" · ", text.plain.strip())
        if label or not found:
            found.append((label, said))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]} · {said}")
    return found


def _size(run: Run, words: Words) -> str:
    header, summary = run.header, run.summary
    key = f"{'rows' if header.is_of_rows else 'size'}{'_of' if summary.unfinished else ''}"
    file = PurePath(header.options["file"]).name if header.is_of_rows else ""
    sha = str(header.snapshot.get("file.sha", ""))[:12]
    n, of_file = summary.conversations, {"file": visible(file), "sha": sha}
    return words(
        key, conversations=n, rows=n, planned=header.planned, turns=summary.turns, **of_file
    )


def local_time(header: RunHeader) -> str:
    """When the run began, in the client's time zone."""
    began = datetime.fromisoformat(header.started).astimezone(ZoneInfo(header.timezone))
    return f"{began:%Y-%m-%d %H:%M} ({header.timezone})"


def rating(info: MetricInfo, raw: float | None) -> str:
    """A raw value as people read it: only ratings are worth it, the others equal their value."""
    return f"{raw:.2f}".rstrip("0").rstrip(".") if info.rated and raw is not None else ""


def _repeats(run: Run, words: Words) -> Iterator[_Line]:
    """How often all repeats of a cell pass, and of how many cells that is known."""
    results = run.summary.results
    if results.pass_power:
        k = max(results.pass_power)
        power, n = f"{results.pass_power[k]:.2f}", results.pass_power_cells
        told = words("pass_power", k=k, power=power, n=n, total=len(run.summary.cells))
        yield words("repeats"), Text(told)


def _users(run: Run, words: Words) -> Iterator[_Line]:
    """What makes the score doubtful stands above it."""
    summary, users = run.summary, run.summary.simulator
    broken, tags = summary.failures.get("user"), words.counts("tag", summary.soundness)
    told = (
        words("unsound", tags=tags) if tags else "",
        words("users_failed", n=broken) if broken else "",
        _taken_away(run, words) if users.rerun or users.excluded else "",
        words("unasked", n=users.unasked) if users.unasked else "",
    )
    yield from ((words("simulator"), Text(line, WARN)) for line in told if line)


def _taken_away(run: Run, words: Words) -> str:
    """What users who were not sound took out of the result, and what that cost."""
    found = run.summary.simulator
    tags = words.counts("tag", found.rerun_for)
    parts = [words("rerun", n=found.rerun, tags=tags)] if found.rerun else []
    parts.append(words("excluded", n=found.excluded, total=run.summary.conversations))
    if found.excluded and found.weak.conversations + found.strong.conversations:
        of = {"weak_of": found.weak.conversations, "strong_of": found.strong.conversations}
        parts.append(
            words("excluded_of", weak=found.weak.excluded, strong=found.strong.excluded, **of)
        )
    if found.cost_usd:
        parts.append(words("thrown_away", cost=f"${found.cost_usd:,.4f}"))
    return words.semicolon.join(parts)


def _judge(run: Run, words: Words) -> Iterator[_Line]:
    """What makes the ratings doubtful, too, with the command that shows it."""
    health = run.summary.judge_health
    if health is None or not health.warnings:
        return
    own = Words(run.header.language, "judge")
    head = own("in_doubt" if health.in_doubt else "remark")
    text = f"{head} {own.comma.join(warning_texts(health, own))}"
    yield words("judge"), Text(text, WARN if health.in_doubt else DIM)
    yield "", Text(own("look", command=f"mogi show {run.header.id} --judge"), DIM)


def _score(run: Run, words: Words) -> Iterator[_Line]:
    score = run.summary.score
    if score is None or score.value.mean is None:
        yield words("score"), Text(words("no_score"), BAD)
        return
    value, raw = score.value, rating(score.info, score.raw_mean)
    what = ", ".join([visible(score.info.name), *([words("raw", raw=raw)] if raw else [])])
    style = BOLD
    if score.threshold is not None:
        style = BAD if score.value.mean < score.threshold else GOOD
    text = Text.assemble((f"{value.mean:.2f}", style), f" ({what})   ")
    if value.low is not None and value.high is not None:
        text.append(words("interval", low=f"{value.low:.2f}", high=f"{value.high:.2f}"))
    else:
        text.append(too_few(run, words, "scored"), DIM)
    yield words("score"), text
    yield from _corrected(run, words)


def _corrected(run: Run, words: Words) -> Iterator[_Line]:
    """What people would say of all answers, where a random sample of them was shown to people."""
    corrected = run.summary.corrected
    if corrected is None:
        return
    value = corrected.value
    if value.mean is None or value.low is None or value.high is None:
        planned = run.header.review_plan and words("corrected_few.plan", run=run.header.id)
        lacks = planned or words("corrected_few.and").join(_lacks(run, corrected, words))
        yield words("corrected"), Text(words("corrected_few", lacks=lacks), DIM)
        return
    ends = words("interval", low=f"{value.low:.2f}", high=f"{value.high:.2f}")
    yield words("corrected"), Text.assemble((f"{value.mean:.2f}", BOLD), "   ", ends)
    yield "", Text(words("corrected_text", n=corrected.n, audited=corrected.audited), DIM)


def _lacks(run: Run, corrected: CorrectedScore, words: Words) -> Iterator[str]:
    """Which verdicts a corrected score lacks, and how to come by them."""
    flagged, judged = run.summary.flagged, corrected.n - corrected.audited
    others, audit = run.summary.turns - flagged, run.header.audit
    drawn_short = is_short(corrected.audited, others)
    if is_short(judged, flagged):
        needed = min(FEWEST_LABELS, flagged)
        yield words("corrected_few.flagged", n=judged, total=flagged, needed=needed)
    elif not drawn_short:
        yield words("corrected_few.together", needed=FEWEST_CLUSTERS)
    if drawn_short:
        drawn = len(audit.answers.rows) if audit.answers else 0
        each = math.ceil(100 * _DRAWN / (drawn / (audit.share or 1) or others))
        key = "rest" if 100 * audit.share >= min(100, each) or drawn >= FEWEST_LABELS else "larger"
        way = words(f"corrected_few.{key}", share=f"{min(1.0, each / 100):g}")
        sizes = {"n": corrected.audited, "total": others, "needed": min(FEWEST_LABELS, others)}
        yield words("corrected_few.drawn", way=way, **sizes)


def _limits(run: Run, words: Words) -> Iterator[_Line]:
    header, summary, score = run.header, run.summary, run.summary.score
    if score and score.unscored and score.worst is not None and score.best is not None:
        ends = {"worst": f"{score.worst:.2f}", "best": f"{score.best:.2f}"}
        yield words("bounds"), Text(words("bounds_text", **ends))
        if Gap.TARGET_FAILED in score.unscored:  # so the mean of what was scored may lie outside
            yield "", Text(words("bounds_failed"))
    if score:
        yield words("scored"), _scored(score, words, of_rows=header.is_of_rows)
    yield words("flagged"), _flagged(run, words)
    if found := summary.verdicts:
        verdicts = words("verdicts_text", ok=found.ok, ng=found.ng)
        verdicts += words("verdicts_unsure", unsure=found.unsure) if found.unsure else ""
        yield words("verdicts"), Text(verdicts)
    for n, asked_for in enumerate(asked(summary, header.gate)):
        yield "" if n else words("gate"), _asked(asked_for, words)
    yield from _coverage(run, words)
    for note in notes(run):
        yield "", Text(visible(note), DIM)


def _asked(line: Asked, words: Words) -> Text:
    """One thing that the gate asks for, and what came of it."""
    style = {True: GOOD, False: BAD, None: WARN}[line.passed]
    came = words(f"gate.{line.passed}".lower())
    if line.name == "must_pass":
        cases = words.comma.join(line.cases[:_CASES]) + ("…" if line.cases[_CASES:] else "")
        came = f"{came}: {cases}" if cases else came
        return Text(words("gate_of.must_pass", came=came), style)
    wanted = f"{line.wanted:g}" + (words("gate_of.sure") if line.sure else "")
    return Text(words(f"gate_of.{line.name}", wanted=wanted, came=came), style)


def _coverage(run: Run, words: Words) -> Iterator[_Line]:
    """What was never tested, where a knowledge base was at hand; nothing, where that is nothing."""
    known = run.header.coverage
    if known is None:
        return
    entries = len(known.entries)
    counts = {
        "unexpected": (known.unexpected, entries),
        "never_found": (known.never_found(run.summary.found) or 0, entries),
        "silent": (known.silent, known.scenarios),
    }
    told = [words(f"coverage.{what}", n=n, total=all_) for what, (n, all_) in counts.items() if n]
    if told:
        command = f"mogi coverage {shlex.quote(visible(run.header.client))}"
        line = words("coverage_text", told=words.comma.join(told), command=command)
        yield words("coverage"), Text(line)


def _scored(score: MetricSummary, words: Words, *, of_rows: bool) -> Text:
    """How many turns have a score, of those that could have one; and what became of the others."""
    total = score.scored + sum(score.unscored.values())
    key = "scored_rows" if of_rows else "scored_text"
    text = Text(words(key, scored=score.scored, total=total))
    if score.unscored:
        text.append("  " + words("missing", reasons=words.counts("gap", score.unscored)), WARN)
    if why := cut(visible(score.unscored_why), 300):
        text.append("\n" + words("missing_why", said=why), WARN)
    if score.not_applicable:
        text.append("  " + words("idle", n=score.not_applicable), DIM)
    return text


def _flagged(run: Run, words: Words) -> Text:
    header, summary = run.header, run.summary
    key = "flagged_rows" if header.is_of_rows else "flagged_text"
    flagged = words(key, n=summary.flagged, total=summary.turns)
    known = {info.name for info in header.metrics}
    limits = [
        words("threshold", name=visible(name), value=f"{limit:g}")
        for name, limit in header.thresholds.items()
        if name in known
    ]
    return Text.assemble(flagged, ("  " + (", ".join(limits) or words("no_threshold")), DIM))


def metrics_table(run: Run, words: Words) -> Iterator[RenderableType]:
    """A line for each metric, where there is more to tell than the one score and its interval.

    Where people gave verdicts, it says how well each metric goes with them.
    """
    run = applied(run)
    metrics = run.summary.metrics.values()
    verdicts = run.summary.verdicts
    if not any(m.scored for m in metrics) or (len(metrics) < 2 and verdicts is None):
        return
    left_out = set() if any(m.info.rated for m in metrics) else {"rating"}
    left_out |= {"auc"} if verdicts is None else set()
    left_out |= set() if any(m.threshold is not None for m in metrics) else {"limit", "flagged"}
    heads = [head for head in _HEADS if head not in left_out]
    columns = table([words(head) for head in heads])
    for name, metric in run.summary.metrics.items():
        separation = verdicts.metrics.get(name) if verdicts else None
        cells = _cells(name, metric, separation.auc if separation else None)
        columns.add_row(*(Text(cells[head]) for head in heads))
    yield from spaced(columns)
    if added := rag_sum(run.summary):
        fewest, most = min(added.scored.values()), max(added.scored.values())
        turns = f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"
        yield Text(words("rag_sum", sum=f"{added.sum:.2f}", of=added.of, turns=turns))
    if verdicts is not None:
        yield Text(words("auc_text"), DIM)


def _cells(name: str, metric: MetricSummary, auc: Interval | None) -> dict[str, str]:
    total = metric.scored + sum(metric.unscored.values())
    ends = _ends(auc) if auc else ""
    return {
        "metric": fit(name, _WIDEST_METRIC),
        "mean": figure(metric.value.mean),
        "ci": _ends(metric.value),
        "rating": rating(metric.info, metric.raw_mean),
        "scored": f"{metric.scored:,}/{total:,}" if total else "–",
        "limit": "" if metric.threshold is None else f"{metric.threshold:g}",
        "flagged": "" if metric.threshold is None else f"{metric.flagged:,}",
        "auc": figure(auc.mean if auc else None) + (f" ({ends})" if ends else ""),
    }


def _ends(value: Interval) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{value.low:.2f}–{value.high:.2f}"


def ending(run: Run, words: Words, width: int) -> Iterator[RenderableType]:
    """How talks ended, what failed, what it cost, and what can be done next."""
    yield from spaced(labelled([(label, Text(text)) for label, text in how_it_went(run, words)]))
    yield from spaced(Text(words("next"), BOLD))
    yield from command_lines(_commands(run, words), width)


def how_it_went(run: Run, words: Words) -> list[tuple[str, str]]:
    """How talks ended, what failed, what it cost; a label and a text each."""
    header, summary = run.header, run.summary
    of_rows = header.is_of_rows  # each of them is one turn and ends there
    lines = [] if of_rows else [(words("stops"), words.counts("stop", summary.stops))]
    if any(summary.failures.values()):
        lines.append((words("failures"), words.counts("failure", summary.failures)))
    lines += paid(summary.ledger, words)
    lines.append((words("time"), duration(header.wall_s)))
    return [(label, text) for label, text in lines if text]


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


def duration(seconds: float) -> str:
    """`3.2 s`, `4 min 05 s`, `2 h 03 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def _commands(run: Run, words: Words) -> list[tuple[str, str]]:
    header, summary = run.header, run.summary
    commands = []
    if summary.unfinished:
        commands.append((header.resume, words("resume", n=summary.unfinished)))
    if summary.weak:
        worst = shlex.quote(visible(summary.weak[0].cell.key))
        commands.append((f"mogi show {header.id} {worst}", words("show")))
    commands.append((f"mogi export {header.id}", words("export")))
    if header.kind == "score" and not summary.unfinished:
        ending = PurePath(header.of).suffix
        commands.append((f"{header.resume} -o scored{ending}", words("scored_file")))
    return commands


def parts_of_scores(run: Run, words: Words) -> Iterator[Text]:
    """A line for each metric whose scores have parts: their means over the rows that have them."""
    if not run.header.is_of_rows:
        return
    for metric, parts in _totals(run).items():
        means = ", ".join(f"{name} {total.mean or 0:.2f}" for name, total in parts.items())
        counts = sorted({total.count for total in parts.values()})
        n = "–".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1])))
        yield Text(words("score_parts", metric=metric, parts=means, n=n), DIM)


def _totals(run: Run) -> dict[str, dict[str, Total]]:
    totals: dict[str, dict[str, Total]] = {info.name: {} for info in run.header.metrics}
    for episode in run.episodes():
        for turn in episode.turns:
            for metric, outcome in turn.outcomes.items():
                if isinstance(outcome, Score) and metric in totals:
                    for name, value in outcome.parts.items():
                        totals[metric].setdefault(name, Total()).add(value)
    return {metric: parts for metric, parts in totals.items() if parts}
