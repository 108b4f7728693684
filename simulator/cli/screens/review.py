"""What `mogi review` shows: plans, verdicts read and written, what is open, corrections; as JSON.

And how far the expectations of a client are confirmed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.cli.contracts.review import pulled_counts, verdict_now
from simulator.console.blocks import bullets, figure, paragraph, spaced, table
from simulator.console.layout import fit, wrap
from simulator.console.output import as_json
from simulator.console.palette import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.run import NOBODY, RunHeader
from simulator.core.scenario import Approval, element_name
from simulator.core.verdict import CorrectedScore, Word
from simulator.files.catalog import is_shipped
from simulator.review.expectation_sheet import conflict_text, refusal_text
from simulator.review.expectations import MOST_WRONG
from simulator.review.pull import oddity_texts
from simulator.statistics.ppi import ENOUGH_LABELS
from simulator.view.worst import persona_names
from simulator.words import Words
from simulator.worksheets.columns import COLUMNS
from simulator.worksheets.reading import Odd
from simulator.worksheets.reviewers import rename_command

if TYPE_CHECKING:
    from simulator.cli.contracts.review import PulledCounts
    from simulator.review.corrected_answers import Applied, Left, Promoted
    from simulator.review.expectation_sheet import Remark
    from simulator.review.expectations import Expectations, Taken
    from simulator.review.plan import Bought, Outlook
    from simulator.review.pull import Pulled, Revision
    from simulator.review.status import Coverage, ReviewStatus
    from simulator.worksheets.google.writing import WriteReport


MOST_OPEN = 15
"""Lines of a list of what is open; --json has all."""


def plan_view(
    header: RunHeader, outlook: "Outlook", status: "ReviewStatus", width: int, since: str = ""
) -> Iterator[RenderableType]:
    """How many answers of which kind, how long that takes, and what it is going to tell.

    `since`: the run that has none of them, where that is what they were chosen for.
    """
    words, rows = Words(header.language, "review"), outlook.plan.rows
    yield Text(words("plan", run=header.id, client=visible(header.client)), BOLD)
    key = "plan_new" if since else "plan_rows"
    texts = words(key, n=len(rows), new=outlook.new, since=since) if rows else words("plan_none")
    lines = [texts]
    counts = {"plan_known": outlook.known, "plan_judged": len(rows) - outlook.open}
    lines += [words(key, n=n) for key, n in counts.items() if n]
    if outlook.open:
        spans = {"plan": outlook.seconds, "all": outlook.turns_s}
        lines.append(words("plan_time", **{k: span(s, words) for k, s in spans.items()}))
    for line in lines:
        yield from paragraph(line, width)
    if rows:
        columns = table([words("why"), words("rows")])
        for why, n in Counter(row.why for row in rows).most_common():
            columns.add_row(words(why), f"{n:,}")
        yield from spaced(columns)
        yield Text("")
        yield from expectations(outlook, words, width)
    yield from splits("lead", status, words, width)
    if outlook.open:
        yield from spaced(Text(words("plan_next", run=header.id), DIM))


def expectations(outlook: "Outlook", words: Words, width: int) -> Iterator[Text]:
    """What the rows of a plan tell once they are judged, and what some more would."""
    if outlook.open:
        if not outlook.buys.corrected:
            yield from paragraph(words("buys.few", needed=ENOUGH_LABELS), width)
        if bought := _bought(outlook.buys, words):
            yield from paragraph(words("buys", what=words("and").join(bought)), width)
    if outlook.buys_more and (more := _bought(outlook.buys_more, words, outlook.buys)):
        text = words("buys_more", n=outlook.more, what=words("and").join(more))
        yield from paragraph(text, width)


def _bought(buys: "Bought", words: Words, before: "Bought | None" = None) -> list[str]:
    """What is known how well; only what is known better than `before`."""
    widths, known = as_json(buys), as_json(before) if before else {}
    return [
        words(f"buys.{name}", half=f"{width / 2:.2f}")
        for name, width in widths.items()
        if width is not None and (known.get(name) is None or width < known[name])
    ]


def span(seconds: float, words: Words) -> str:
    """A time in minutes, from an hour on with hours; `words` has the section review."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return words("hours", h=hours, m=minutes) if hours else words("minutes", n=minutes)


def splits(key: str, status: "ReviewStatus", words: Words, width: int) -> Iterator[RenderableType]:
    """The answers on which people differ, and who says what."""
    if not status.splits:
        return
    yield from spaced(Text(words(key, n=len(status.splits)), BOLD))
    lines = []
    for split in status.splits.values():
        verdicts = words("and").join(f"{who} {word.value}" for who, word in split.words)
        alike = words("alike", n=split.alike) if split.alike else ""
        turn = words("turn", episode=split.episode, turn=split.turn)
        lines.append(f"{turn}{alike}: {verdicts}")
    yield from listed(lines, MOST_OPEN, "more_rows", words, width)


def listed(texts: Sequence[str], most: int, more: str, words: Words, width: int) -> Iterator[Text]:
    """The first of them, and how many `more` (a key) there are."""
    yield from map(Text, bullets(texts[:most], width))
    if len(texts) > most:
        yield Text(f"    {words(more, n=len(texts) - most)}", DIM)


_MOST_ODD = 20  # changes, and oddities of one kind, on a screen; --json has all
_WIDEST_TEXT, _WIDEST_NAME = 30, 40  # cells
_STDERR = 80  # cells of what goes there
_KINDS = ("new", "changed", "unchanged")


def pulled_view(
    header: RunHeader,
    source: str,
    pulled: "Pulled",
    width: int,
    status: "ReviewStatus | None" = None,
) -> Iterator[RenderableType]:
    """What was read, what changed, what is odd, a sentence each; with `status` what is left."""
    words = Words(header.language, "review")
    yield Text(_headline(header, source, pulled, words), BOLD)
    if counts := pulled_counts(pulled):
        yield _reviewers(counts, words)
    if pulled.results:
        yield from spaced(*paragraph(_results(pulled, header, words), width))
    if pulled.changes:
        yield from spaced(Text(words("changes", n=len(pulled.changes)), BOLD))
        changes = [_change(header, change, words) for change in pulled.changes]
        yield from listed(changes, _MOST_ODD, "more_rows", words, width)
    if pulled.oddities:
        yield from spaced(Text(words("odd", n=len(pulled.oddities)), BOLD))
    # One kind after the other, as they begin in the table.
    for kind in dict.fromkeys(odd.kind for odd in pulled.oddities):
        of_kind = [odd for odd in pulled.oddities if odd.kind is kind]
        yield from listed(oddity_texts(of_kind, header.language), _MOST_ODD, "more", words, width)
    if status is not None and status.shown:
        key = "open_now" if status.open else "done"
        yield from spaced(Text(words(key, open=status.open, shown=status.shown, run=header.id)))


def _headline(header: RunHeader, source: str, pulled: "Pulled", words: Words) -> str:
    """How many verdicts were taken, or what came instead."""
    taken, remarks, place = pulled.words, pulled.remarks, {"source": visible(source)}
    text = words(pulled.heading, run=header.id, n=taken or remarks, rows=pulled.rows, **place)
    odd = {"emptied": pulled.count(Odd.TAKEN_BACK), "cleared": pulled.count(Odd.CLEARED)}
    beside = {"and_remarks": remarks if taken else 0, **odd}
    return words("then").join([text, *(words(name, n=n) for name, n in beside.items() if n)])


def _results(pulled: "Pulled", header: RunHeader, words: Words) -> str:
    """How many conversations end otherwise by what people said."""
    name = partial(Words(header.language, "result").name, "result")
    counts = pulled.results.most_common()
    changes = [words("result_change", n=n, before=name(a), after=name(b)) for (a, b), n in counts]
    return words("results", n=pulled.results.total(), what=words("then").join(changes))


def _reviewers(counts: "Mapping[str, PulledCounts]", words: Words) -> Table:
    columns = table([words("reviewer"), *map(words, _KINDS)])
    columns.columns[0].overflow = "fold"
    rows = {name: [getattr(count, kind) for kind in _KINDS] for name, count in counts.items()}
    for name, row in rows.items():
        columns.add_row(Text(visible(name) or words("nobody")), *(f"{n:,}" for n in row))
    if len(rows) > 1:
        sums = map(sum, zip(*rows.values(), strict=True))
        columns.add_row(Text(words("all"), BOLD), *(Text(f"{n:,}", BOLD) for n in sums))
    return columns


def _change(header: RunHeader, change: "Revision", words: Words) -> str:
    """What somebody said before and says now, as far as it differs."""
    before, after = (as_json(verdict_now(v)) for v in (change.before, change.after))
    parts = [
        f"{column.heads[header.language]}: "
        f"{_short(before[column.id], words)} → {_short(after[column.id], words)}"
        for column in COLUMNS
        if before.get(column.id) != after.get(column.id)
    ]
    turn = words("turn", episode=change.after.episode, turn=change.after.turn)
    who = visible(change.after.reviewer) or words("nobody")
    return words("change", turn=turn, who=who, what=words("then").join(parts))


def _short(text: str | None, words: Words) -> str:
    return fit(" ".join(text.split()), _WIDEST_TEXT) if text else words("empty")


def pushed_view(header: RunHeader, written: "WriteReport") -> Iterator[RenderableType]:
    """What was added to which worksheet."""
    words = Words(header.language, "review")
    yield Text(words("pushed", run=header.id), BOLD)
    for title, count in written.rows.items():
        yield Text(words("pushed_rows", title=visible(title), n=count))
    yield Text(written.url, no_wrap=True)


def pushed_json(header: RunHeader, written: "WriteReport") -> dict[str, Any]:
    """What `mogi review push --json` prints."""
    return {"run": header.id, **as_json(written, "url", "rows")}


def status_view(
    header: RunHeader,
    status: "ReviewStatus",
    width: int,
    outlook: "Outlook | None" = None,
    corrected: CorrectedScore | None = None,
) -> Iterator[RenderableType]:
    """What is open, by persona and scenario; who said how much; where people differ.

    Where the run has a plan also what it tells so far, and what it and some more would.
    """
    words, client = Words(header.language, "review", "tune"), visible(header.client)
    yield Text(words("status", run=header.id, client=client), BOLD)
    yield from _open(status, header, width)
    if status.words:
        yield Text("")
        planned = [words("progress")] if header.review_plan else []
        columns = table([words("reviewer"), *Word, *planned])
        columns.columns[0].overflow, columns.columns[0].min_width = "fold", 10
        for name, counts in sorted(status.words.items(), key=lambda pair: (not pair[0], pair[0])):
            numbers = [f"{counts[word]:,}" for word in Word]
            done = words("progress_of", n=status.progress[name], rows=status.shown)
            columns.add_row(visible(name) or words("nobody"), *numbers, *(done for _ in planned))
        yield columns
    for first, other in status.near:
        command = rename_command(first, other)
        yield Text(
            words("near", one=visible(first), other=visible(other), command=visible(command))
        )
    yield from splits("splits", status, words, width)
    if outlook is not None:
        yield Text("")
        if corrected is not None and corrected.value.low is not None:
            ends = {k: figure(v) for k, v in as_json(corrected.value).items()}
            yield from paragraph(words("corrected_now", **ends), width)
        yield from expectations(outlook, words, width)
    yield from spaced(Text(words("tune", client=client, ok=status.ok, ng=status.ng)))
    if any(status.missing):
        more, ok, ng = status.missing
        kinds = [words(f"few_{kind}", n=n) for kind, n in (("ok", ok), ("ng", ng)) if n]
        at_least = words("few_kinds", kinds=words("and").join(kinds)) if kinds else ""
        yield from paragraph(
            words("tune_not", lacking=words("lack", n=max(more, ok + ng)) + at_least), width
        )
    else:
        yield Text(words("tune_ready", client=client))


def _open(status: "ReviewStatus", header: RunHeader, width: int) -> Iterator[RenderableType]:
    words = Words(header.language, "review")
    key = "none_shown" if not status.shown else "open" if status.open else "done"
    yield from paragraph(words(key, open=status.open, shown=status.shown), width)
    counts = {"known": status.known, "comments": status.comments, "others": status.others}
    for key, count in counts.items():
        if count:
            yield Text(words(key, n=count))
    if not status.open:
        return
    yield from spaced(
        _shares("why", {words(k.value): s for k, s in status.sampled.items()}, words, width)
    )
    called = persona_names(header)
    personas = {called.get(n, n): share for n, share in status.personas.items() if n != NOBODY}
    for key, shares in (("persona", personas), ("scenario", status.scenarios)):
        if shares:
            yield from spaced(_shares(key, shares, words, width))


def _shares(key: str, shares: "Mapping[str, Coverage]", words: Words, width: int) -> Table:
    """Those with the most open turns first; what is done is only counted."""
    columns = table([words(key), words("left"), words("turns")])
    columns.columns[0].min_width = 10
    todo = sorted(((n, s) for n, s in shares.items() if s.open), key=lambda pair: -pair[1].open)
    for name, share in todo[:MOST_OPEN]:
        shown = fit(name, min(_WIDEST_NAME, width - 24))
        columns.add_row(shown, f"{share.open:,}", f"{share.shown:,}")
    if len(todo) > MOST_OPEN:
        columns.add_row(Text(words("more_rows", n=len(todo) - MOST_OPEN), DIM))
    if finished := len(shares) - len(todo):
        columns.add_row(Text(words("finished", n=finished), DIM))
    return columns


def changes(applied: "Applied", words: Words, width: int) -> Iterator[RenderableType]:
    """Old and new expected answers, where a diff of the file would say nothing."""
    for proposal in applied.proposals:
        yield Text(visible(proposal.scenario), BOLD)
        for key, text in (("before", proposal.old or words("empty")), ("after", proposal.new)):
            first, *rest = wrap(text, width - 10)
            yield Text(f"  {words(key)}: {first}")
            for line in rest:
                yield Text(f"      {line}")


def remarks(client: str, applied: "Applied", words: Words, *, written: bool) -> Iterator[str]:
    """What is not in the diff: answers that are not taken and why, and how to go on."""
    edit, count = applied.edit, len(applied.proposals)
    if applied.left:
        yield words("left_out", n=len(applied.left))
        yield from bullets((_left(each, words) for each in applied.left), _STDERR)
    lacking = [
        words("lacking", scenario=proposal.scenario, items=words("and").join(proposal.lacks))
        for proposal in applied.proposals
        if proposal.lacks
    ]
    if lacking:
        yield words("lacks", n=len(lacking))
        yield from bullets(lacking, _STDERR)
    for proposal in (each for each in applied.proposals if each.denies):
        yield words(
            "denies", scenario=proposal.scenario, text=proposal.new, expected=proposal.denies
        )
    if applied.same:
        yield words("same", n=applied.same)
    if edit is None:
        yield words("no_corrections")
        return
    shipped = "propose_shipped" if is_shipped(edit.source.path) else "propose"
    if edit.after is not None:
        for proposal in applied.proposals:
            yield from _beside(proposal.scenario, proposal.old, proposal.new, words)
    key = "wrote" if written else "propose_table" if edit.after is None else shipped
    yield words(key, n=count, file=edit.source.name, client=client)
    yield words("verdicts_end", n=count)


def _beside(scenario: str, old: str, new: str, words: Words) -> Iterator[str]:
    """The expected answer that is there, and below it the new one."""
    yield visible(scenario)
    for key, text in (("before", old or words("empty")), ("after", new)):
        yield f"  {words(key)}: {' '.join(text.split())}"


def promoted_remarks(
    client: str, promoted: "Promoted", words: Words, *, written: bool
) -> Iterator[str]:
    """The old expected answer beside the new one, and how to go on."""
    edit, scenario = promoted.edit, promoted.scenario
    yield from _beside(scenario.id, element_name(promoted.old), scenario.expected.answer, words)
    if edit is None:
        yield words("promote_same")
        return
    shipped = "propose_shipped" if is_shipped(edit.source.path) else "promote"
    key = "promote_wrote" if written else "propose_table" if edit.after is None else shipped
    yield words(key, n=1, file=edit.source.name, client=client, id=visible(scenario.id))


def _left(left: "Left", words: Words) -> str:
    correction, why = left.correction, words(f"why.{left.why}")
    turn = words("turn", episode=correction.episode, turn=correction.turn)
    who = correction.who[0] or correction.who[1]
    return f"{turn} ({who}, {correction.run}): {why}: {correction.text}"


_WIDTH = 80  # cells


def worksheet_lines(state: "Expectations", file: str | None, to: str) -> Iterator[str]:
    """What is in the worksheet, how long it takes, and what comes next; None: there is none."""
    words, rows = Words(state.language, "expectations"), state.to_judge()
    if file is None:
        yield words("nothing", client=visible(state.client))
        return
    review = Words(state.language, "review")
    scenarios = len({row.scenario.id for row in rows})
    minutes = span(state.seconds(), review)
    yield words("wrote", n=len(rows), scenarios=scenarios, minutes=minutes, file=file)
    draw = state.draw()
    if left := draw.drawn - draw.judged:
        minutes = span(state.seconds(only_sample=True), review)
        yield words("sample_time", n=left, minutes=minutes, most=MOST_WRONG)
    yield from sample_lines(state)
    yield words("next_read", client=visible(state.client), file=to)


def sample_lines(state: "Expectations") -> Iterator[str]:
    """How far the sample is judged, what it tells, and whether it opens bulk approval."""
    words, draw, counts = Words(state.language, "expectations"), state.draw(), state.counts()
    if draw.upper is not None:
        yield words("sample", judged=draw.judged, drawn=draw.drawn, wrong=draw.wrong)
        yield words("upper", upper=f"{draw.upper:.0%}")
    if draw.opens_bulk and counts[Approval.OPEN]:
        yield words("bulk_open", n=counts[Approval.OPEN])


def taken_lines(
    taken: "Taken", source: str | None, remarks: Sequence["Remark"], *, is_bulk: bool, written: bool
) -> Iterator[str]:
    """What is new, what is not taken and why, and how far the expectations are confirmed."""
    state = taken.after
    words = Words(state.language, "expectations")
    counts = Counter(judgement.decision.value for judgement in taken.new)
    parts = [words.counts("decision", counts), words("same", n=taken.same) if taken.same else ""]
    shown = words.semicolon.join(filter(None, parts)) or "0"
    if source is not None:
        yield words("taken", n=counts.total(), source=source, counts=shown)
    if taken.conflicts:
        yield words("conflicts", n=len(taken.conflicts))
        yield from bullets(
            (conflict_text(each, state.language) for each in taken.conflicts), _WIDTH
        )
    if remarks:
        yield words("remarks", n=len(remarks))
        yield from bullets((words("row", row=r.row, text=r.text) for r in remarks), _WIDTH)
    if refusal := refusal_text(taken):
        yield refusal
    elif is_bulk and not taken.before.counts()[Approval.OPEN]:
        yield words("bulk_none")
    yield words("state", **{approval.value: state.counts()[approval] for approval in Approval})
    yield from sample_lines(state)
    if written:
        yield from (words("written", file=edit.source.name) for edit in taken.edits)
    elif taken.new:
        yield words("next_write")
