"""What `mogi review plan` shows: what people judge, what it tells; and what the lead decides."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import bullets, paragraph, spaced, table
from simulator.console.output import as_json
from simulator.console.palette import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.run import RunHeader
from simulator.statistics.ppi import ENOUGH_LABELS
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.review.plan import Bought, Outlook
    from simulator.review.status import ReviewStatus

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
        lines.append(words("plan_time", **{k: _span(s, words) for k, s in spans.items()}))
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
        bought = _bought(outlook.buys, words)
        lacking = () if outlook.buys.corrected else (words("buys.few", needed=ENOUGH_LABELS),)
        yield from paragraph(words("buys", what=words("and").join([*lacking, *bought])), width)
    more = _bought(outlook.buys_more, words, outlook.buys) if outlook.buys_more else []
    if more:
        what = words("and").join(more)
        yield from paragraph(words("buys_more", n=outlook.more, what=what), width)


def _bought(buys: "Bought", words: Words, before: "Bought | None" = None) -> list[str]:
    """What is known how well; only what is known better than `before`."""
    widths, known = as_json(buys), as_json(before) if before else {}
    return [
        words(f"buys.{name}", half=f"{width / 2:.2f}")
        for name, width in widths.items()
        if width is not None and (known.get(name) is None or width < known[name])
    ]


def _span(seconds: float, words: Words) -> str:
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
