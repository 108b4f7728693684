"""One conversation, turn by turn, for `mogi show RUN EPISODE`."""

from collections.abc import Collection, Iterator

from rich.text import Text

from simulator.console.blocks import BOLD, WARN
from simulator.console.layout import wrap
from simulator.core.clean import visible
from simulator.core.outcome import Gap, Outcome, Outcomes, Score, Unscored
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import StopReason, TargetFailure
from simulator.judging.failures import told
from simulator.reports._figures import local_time, rating
from simulator.reports._weak import INDENT, said
from simulator.words import Words


def episode_view(
    header: RunHeader, episode: Episode, width: int, expected: Expected | None = None
) -> Iterator[Text]:
    """The transcript with weak answers coloured, scores, comments, and the documents' ids.

    `width` is that of the screen, in cells. Nothing is left out, whatever its length. `expected`:
    what the scenario says, where that is known.
    """
    words = Words(header.language, "report")
    cell = episode.cell
    yield Text.assemble(
        (visible(cell.key), BOLD),
        f"  {visible(header.client)}  {words('run', id=header.id)}  {local_time(header)}",
    )
    if expected is not None:
        yield from _expected(expected, words, width - INDENT)
    for turn in episode.turns:
        yield Text("")
        yield Text(words("turn", n=turn.exchange.turn), BOLD)
        yield from _turn(header, turn, words, width)
    yield Text("")
    if episode.outcomes:
        flags = episode.turns[-1].flags if episode.turns else ()
        yield Text(words("whole_talk"), BOLD)
        yield from _scores(header, episode.outcomes, flags, words, width - INDENT)
    stop = words.name("stop", episode.stop.reason)
    # How the bot failed stands at its turn, in full.
    failed = episode.stop.reason is StopReason.TARGET_FAILED and episode.turns
    detail = "" if failed else visible(episode.stop.detail)
    yield from said(words("end"), wrap(f"{stop}: {detail}" if detail else stop, width - INDENT))


def _expected(expected: Expected, words: Words, room: int) -> Iterator[Text]:
    """What a right answer looks like, as far as the scenario says."""
    by_word = {None: "", True: words("expected.some"), False: words("expected.none")}
    given = {
        "answer": expected.answer or by_word[expected.answerable],
        "elements": "\n".join(expected.elements),
        "documents": ", ".join(expected.documents),
        "handover": words("expected.person") if expected.escalate else "",
    }
    if not any(given.values()):
        return
    yield Text("")
    yield Text(words("expected"), BOLD)
    for key, text in given.items():
        if text:
            yield from said(words(f"expected.{key}"), wrap(text, room))


def _turn(header: RunHeader, turn: Turn, words: Words, width: int) -> Iterator[Text]:
    exchange, room = turn.exchange, width - INDENT
    yield from said(words("user"), wrap(exchange.user, room))
    if turn.soundness:
        tags = " · ".join(words.name("tag", tag) for tag in turn.soundness)
        for line in said(words("odd_user"), wrap(tags, room)):
            yield Text.assemble(line, style=WARN)
    answer = exchange.assistant
    if isinstance(exchange.reply, TargetFailure):
        answer = f"{words('no_answer')} {told(exchange.reply, header.language)}"
    yield from said(words("bot"), wrap(answer, room), width=width, weak=turn.flagged)
    ids = ", ".join(d.id or d.title or visible(d.text)[:20] for d in exchange.documents)
    if ids:
        yield from said(words("documents"), wrap(ids, room))
    if turn.blame:
        yield from said(words("fault"), [words.name("fault", turn.blame)])
    if not isinstance(exchange.reply, TargetFailure):
        yield from _scores(header, turn.outcomes, turn.flags, words, room)


def _scores(
    header: RunHeader, outcomes: Outcomes, flags: Collection[str], words: Words, room: int
) -> Iterator[Text]:
    """All scores; then what several of them share as their comment, naming them if others exist."""
    label = words("scores")
    idle = [n for n, o in outcomes.items() if _does_not_apply(o)]
    shared = _shared_comments(outcomes)
    for name, outcome in outcomes.items():
        if name in idle:
            continue
        shown = visible(name) + (" !" if name in flags else "")
        lines = wrap(f"{shown} {_outcome(header, name, outcome, words, shared)}", room)
        for number, line in enumerate(said(label, lines)):
            if number == 0:
                line.stylize(BOLD, INDENT, INDENT + len(shown))
            yield line
        label = ""
    if idle:
        text = f"{words.name('gap', Gap.NOT_APPLICABLE)}: {', '.join(idle)}"
        yield from said(label, wrap(text, room))
    for comment, names in shared.items():
        whole = len(names) == len(outcomes) - len(idle)
        text = comment if whole else f"{', '.join(map(visible, names))}: {comment}"
        yield from said(words("comment"), wrap(text, room))


def _comment(outcome: Outcome) -> str:
    return outcome.comment if isinstance(outcome, Score) else ""


def _shared_comments(outcomes: Outcomes) -> dict[str, list[str]]:
    """Comments that several metrics have, since one judgement gave all of them, and to which."""
    found: dict[str, list[str]] = {}
    for name, outcome in outcomes.items():
        if comment := _comment(outcome):
            found.setdefault(comment, []).append(name)
    return {comment: names for comment, names in found.items() if len(names) > 1}


def _does_not_apply(outcome: Outcome) -> bool:
    return isinstance(outcome, Unscored) and outcome.reason is Gap.NOT_APPLICABLE


def _outcome(
    header: RunHeader, name: str, outcome: Outcome, words: Words, shared: Collection[str]
) -> str:
    """A score or why there is none, with the comment if it is this metric's own."""
    if isinstance(outcome, Unscored):
        gap = words.name("gap", outcome.reason)
        return f"– {gap}: {outcome.detail}" if outcome.detail else f"– {gap}"
    infos = {info.name: info for info in header.metrics}
    raw = rating(infos[name], outcome.raw) if name in infos else ""
    value = f"{outcome.value:.2f}" + (f" ({words('raw', raw=raw)})" if raw else "")
    own = outcome.comment and outcome.comment not in shared
    return f"{value}  {outcome.comment}" if own else value
