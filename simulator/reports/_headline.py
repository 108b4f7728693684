"""The first lines of a report: what ran, the score with all that limits it, the gate."""

import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath
from zoneinfo import ZoneInfo

from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.outcome import Gap, MetricInfo
from simulator.core.run import CorrectedScore, MetricSummary, Run, RunHeader
from simulator.figures.gate import gate
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.statistics.ppi import FEWEST_LABELS, is_short
from simulator.words import Words

_DRAWN = 28  # expected turns of a sample that has the fewest it takes in 19 of 20 runs or so

_Line = tuple[str, Text]


def headline(run: Run, words: Words) -> Iterator[RenderableType]:
    """The block above the tables."""
    yield from what_ran(run, words)
    yield Text("")
    yield labelled(figures(run, words))


def what_ran(run: Run, words: Words) -> Iterator[Text]:
    """Which run it is, how large, and whose numbers these are."""
    header = run.header
    yield Text.assemble(
        (visible(header.client), BOLD), "  ", words("run", id=header.id), "  ", local_time(header)
    )
    yield Text(_size(run, words))
    if header.kind == "rejudge":
        yield Text(words("again", id=header.of))
    if models := _models(header, words):
        yield Text(models, DIM)
    if not _is_judged(header):
        lexical = words("lexical")
        yield Text(f"{lexical} {words('offline')}" if header.offline else lexical, WARN)


def figures(run: Run, words: Words) -> list[_Line]:
    """The score with all that limits it, and the gate; a label and a text each."""
    return [*_users(run, words), *_score(run, words), *_limits(run, words)]


def _size(run: Run, words: Words) -> str:
    header, summary = run.header, run.summary
    if header.is_of_rows:
        return words(
            "rows_of" if summary.unfinished else "rows",
            rows=f"{summary.conversations:,}",
            planned=f"{header.planned:,}",
            file=visible(PurePath(header.options["file"]).name),
            sha=str(header.snapshot.get("file.sha", ""))[:12],
        )
    return words(
        "size_of" if summary.unfinished else "size",
        conversations=f"{summary.conversations:,}",
        planned=f"{header.planned:,}",
        turns=f"{summary.turns:,}",
    )


def _models(header: RunHeader, words: Words) -> str:
    """Who spoke and who judged, where models did."""
    named = {role: header.snapshot.get(f"client.{role}.chat.model") for role in ("user", "judge")}
    return " · ".join(
        words(f"model.{role}", model=visible(model)) for role, model in named.items() if model
    )


def labelled(lines: list[_Line]) -> Table:
    """A bold label and its text on each line; long texts wrap beside their label."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style=BOLD, no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in lines:
        grid.add_row(Text(label), text)
    return grid


def local_time(header: RunHeader) -> str:
    """When the run began, in the client's time zone."""
    zone = ZoneInfo(header.timezone)
    began = datetime.fromisoformat(header.started).astimezone(zone)
    return f"{began:%Y-%m-%d %H:%M} ({header.timezone})"


def rating(info: MetricInfo, raw: float | None) -> str:
    """A raw value as people read it: only ratings are worth it, the others equal their value."""
    return f"{raw:.2f}".rstrip("0").rstrip(".") if info.rated and raw is not None else ""


def _is_judged(header: RunHeader) -> bool:
    return any("judge" in info.needs for info in header.metrics)


def _users(run: Run, words: Words) -> Iterator[_Line]:
    """What makes the score doubtful stands above it."""
    summary = run.summary
    if summary.soundness:
        tags = words.counts("tag", summary.soundness)
        yield words("simulator"), Text(words("unsound", tags=tags), WARN)
    if broken := summary.failures.get("user"):
        yield words("simulator"), Text(words("users_failed", n=broken), WARN)


def _score(run: Run, words: Words) -> Iterator[_Line]:
    score = run.summary.score
    if score is None or score.value.mean is None:
        yield words("score"), Text(words("no_score"), BAD)
        return
    value, raw = score.value, rating(score.info, score.raw_mean)
    what = ", ".join([visible(score.info.name), *([words("raw", raw=raw)] if raw else [])])
    text = Text.assemble((f"{value.mean:.2f}", _colour(score)), f" ({what})   ")
    if value.low is not None and value.high is not None:
        text.append(words("interval", low=f"{value.low:.2f}", high=f"{value.high:.2f}"))
    else:
        text.append(words("few"), DIM)
    yield words("score"), text
    yield from _corrected(run, words)


def _corrected(run: Run, words: Words) -> Iterator[_Line]:
    """What people would say of all answers, where a random sample of them was shown to people."""
    found = run.summary.corrected
    if found is None:
        return
    value, said = found.value, {"n": f"{found.n:,}", "audited": f"{found.audited:,}"}
    if value.mean is None or value.low is None or value.high is None:
        lacks = words("corrected_few.and").join(_lacks(run, found, words))
        yield words("corrected"), Text(words("corrected_few", lacks=lacks), DIM)
        return
    text = Text.assemble((f"{value.mean:.2f}", BOLD), "   ")
    text.append(words("interval", low=f"{value.low:.2f}", high=f"{value.high:.2f}"))
    yield words("corrected"), text
    yield "", Text(words("corrected_text", **said), DIM)


def _lacks(run: Run, found: CorrectedScore, words: Words) -> Iterator[str]:
    """Which verdicts a corrected score lacks, and how to come by them."""
    flagged, said = run.summary.flagged, found.n - found.audited
    others = run.summary.turns - flagged
    drawn_short = is_short(found.audited, others)
    if is_short(said, flagged):
        needed = min(FEWEST_LABELS, flagged)
        yield words("corrected_few.flagged", n=f"{said:,}", total=f"{flagged:,}", needed=needed)
    elif not drawn_short:
        yield words("corrected_few.together", needed=FEWEST_CLUSTERS)
    if drawn_short:
        share = min(1.0, math.ceil(100 * _DRAWN / others) / 100)
        is_enough = run.header.audit.share >= share
        way = words(f"corrected_few.{'rest' if is_enough else 'larger'}", share=f"{share:g}")
        counts = {"n": f"{found.audited:,}", "total": f"{others:,}"}
        needed = min(FEWEST_LABELS, others)
        yield words("corrected_few.drawn", needed=needed, way=way, **counts)


def _colour(score: MetricSummary) -> Style:
    if score.threshold is None or score.value.mean is None:
        return BOLD
    return BAD if score.value.mean < score.threshold else GOOD


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
        said = words("verdicts_text", ok=f"{found.ok:,}", ng=f"{found.ng:,}")
        said += words("verdicts_unsure", unsure=f"{found.unsure:,}") if found.unsure else ""
        yield words("verdicts"), Text(said)
    if header.gate is not None:
        passed = gate(summary, header.gate)
        style = {True: GOOD, False: BAD, None: WARN}[passed]
        key = f"gate.{passed}".lower()
        yield words("gate"), Text(words(key, under=f"{header.gate:g}"), style)
    for note in header.notes:
        yield "", Text(visible(note), DIM)


def _scored(score: MetricSummary, words: Words, *, of_rows: bool) -> Text:
    """How many turns have a score, of those that could have one; and what became of the others."""
    total = score.scored + sum(score.unscored.values())
    key = "scored_rows" if of_rows else "scored_text"
    text = Text(words(key, scored=f"{score.scored:,}", total=f"{total:,}"))
    if score.unscored:
        text.append("  " + words("missing", reasons=words.counts("gap", score.unscored)), WARN)
    if score.not_applicable:
        text.append("  " + words("idle", n=f"{score.not_applicable:,}"), DIM)
    return text


def _flagged(run: Run, words: Words) -> Text:
    header, summary = run.header, run.summary
    key = "flagged_rows" if header.is_of_rows else "flagged_text"
    flagged = words(key, n=f"{summary.flagged:,}", total=f"{summary.turns:,}")
    named = [words("threshold", name=visible(n), value=f"{t:g}") for n, t in _named(header)]
    limits = ", ".join(named) or words("no_threshold")
    return Text.assemble(flagged, ("  " + limits, DIM))


def _named(header: RunHeader) -> list[tuple[str, float]]:
    known = {info.name for info in header.metrics}
    return [(name, value) for name, value in header.thresholds.items() if name in known]
