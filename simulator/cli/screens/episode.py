"""The conversations of a run, a line for those alike and why; one of them, judged or unfinished."""

import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from simulator.console.blocks import INDENT, paragraph, passage, spaced, styled
from simulator.console.layout import fit, fit_unlike, pad, wrap
from simulator.console.output import show_view, tell
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.claim import State, claims_of
from simulator.core.clean import cut, visible
from simulator.core.errors import InputError
from simulator.core.outcome import Gap, Outcome, Outcomes, Score, Unscored
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import Verdict, latest
from simulator.plugins import suggest
from simulator.results.verdict import Fault, Standing, standings
from simulator.view.faults import alike, shown_turn
from simulator.view.results import as_it_counts, finding, in_doubt, settled_words
from simulator.view.run_view import local_time, rating
from simulator.view.stored_run import stored_run
from simulator.view.worst import (
    claim_text,
    decider,
    failure_text,
    quote_of,
    reason_text,
    screen_names,
    state_text,
    why_text,
)
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.store.journal import OpenEpisode
    from simulator.store.store import Store


_LISTED = 8


def show_episode(store: "Store", run: str, name: str) -> None:
    """Print the conversation of this name, or the one whose name begins so.

    Raises:
        InputError: none is meant, or more than one.
    """
    key, unfinished = named(store, run, name)
    if unfinished is not None:
        _show_unfinished(unfinished, store.header(run).resume)
        return
    header, episode, verdicts = reviewed(store, run, key)
    expected = episode.scenario.expected if episode.scenario else None
    show_view(lambda width: episode_view(header, episode, width, expected, verdicts))


def named(store: "Store", run: str, name: str) -> "tuple[str, OpenEpisode | None]":
    """The conversation that is meant, and what there is of it if it is unfinished."""
    unfinished = {episode.episode: episode for episode in store.open_episodes(run)}
    key = chosen(name, [*store.keys(run), *store.keys(run, reruns=True), *unfinished], run)
    return key, unfinished.get(key)


def reviewed(store: "Store", run: str, key: str) -> tuple[RunHeader, Episode, tuple[Verdict, ...]]:
    """A finished conversation with its result, and what people said of it."""
    header = store.header(run)
    ((episode, verdicts),) = store.reviewed(run, [key])
    judged = any("judge" in info.needs for info in header.metrics)
    doubted = judged and in_doubt(stored_run(store, header).summary)
    finding_ = finding(header, doubted=doubted)(episode, verdicts)
    return header, as_it_counts(replace(episode, finding=finding_), verdicts), verdicts


def show_open(store: "Store", header: RunHeader) -> None:
    """Print which conversations are under way, in the client's language; nothing without one."""
    talks_open = [episode for episode in store.open_episodes(header.id) if episode.exchanges]
    if not talks_open:
        return
    words = Words(header.language, "show")
    turns = sum(len(episode.exchanges) for episode in talks_open)
    tell("\n" + words("open", talks=len(talks_open), turns=turns))
    for episode in talks_open[:_LISTED]:
        tell(f"  mogi show {header.id} {visible(episode.episode)}")
    if len(talks_open) > _LISTED:
        tell("  " + words("more", more=len(talks_open) - _LISTED))


def chosen(name: str, keys: Sequence[str], run: str) -> str:
    """The conversation of this name, else the one whose name, or whose name's parts, begin so.

    Raises:
        InputError: none is meant, or more than one.
    """
    if name in keys:
        return name
    # `row-1` is the first row rather than one of row-10 to row-19.
    whole = [key for key in keys if key.startswith(f"{name}/")]
    matches = whole if len(whole) == 1 else [key for key in keys if key.startswith(name)]
    matches = matches or [key for key in keys if _is_meant(name, key)]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise InputError(f"run {run} has no conversation {name!r}; {suggest(name, _few(keys))}")
    raise InputError(f"{name!r} is ambiguous: {', '.join(_few(matches))}")


def _is_meant(name: str, key: str) -> bool:
    """Whether the beginnings of its parts name a conversation: cut/cal, or cu…in/calm as cut."""
    parts, wanted = key.rsplit("/", 2), name.split("/")
    return len(wanted) <= len(parts) and all(
        part.startswith(head) and part.endswith(tail)
        for part, (head, _, tail) in zip(parts, (a.partition("…") for a in wanted), strict=False)
    )


def _few(keys: Sequence[str]) -> tuple[str, ...]:
    more = len(keys) - _LISTED
    return tuple(keys) if more <= 0 else (*keys[:_LISTED], f"and {more} more")


def _show_unfinished(episode: "OpenEpisode", resume: str) -> None:
    tell(f"{visible(episode.episode)}  unfinished, so without scores; to resume: `{resume}`")
    for turn, exchange in enumerate(episode.exchanges, 1):
        failure = exchange.get("failure")
        answer = f"(no answer) {failure['fault']}: {failure['message']}" if failure else ""
        tell(f"\nturn {turn}\n  user  {visible(exchange['question'])}")
        tell(f"  bot   {visible(answer or str(exchange['reply']['text']))}")


def episode_view(
    header: RunHeader,
    episode: Episode,
    width: int,
    expected: Expected | None = None,
    verdicts: Sequence[Verdict] = (),
) -> Iterator[Text]:
    """The transcript with weak answers coloured, scores, comments, and the documents' ids.

    `width` is that of the screen, in cells. Nothing is left out, whatever its length. `expected`:
    what the scenario says, where that is known; `said`: what people said of its turns.
    """
    words = Words(header.language, "report")
    cell = episode.cell
    yield Text.assemble(
        (visible(cell.key), BOLD),
        f"  {visible(header.client)}  {words('run', id=header.id)}  {local_time(header)}",
    )
    finding_ = episode.finding
    why = why_text(finding_, header.language, screen_names(header)) if finding_ else ""
    if finding_ is not None:
        yield from spaced(_result(finding_, why, header.language))
        if finding_.result is Result.UNDECIDED:
            yield from paragraph(decider(finding_.why, header), width, DIM)
    expected = expected or Expected()
    read = standings(episode, settled_words(verdicts), header.fail_on)
    if not read:  # an older run: what is expected by now
        read = tuple(Standing(claim, State.UNKNOWN) for claim in claims_of(expected))
    yield from _expected(expected, read, header.language, width - INDENT)
    for turn in episode.turns:
        yield from spaced(Text(words("turn", n=turn.exchange.turn), BOLD))
        shown = _shown_by(finding_, turn)
        yield from _turn(header, turn, words, width, why if shown else "")
        yield from _people(verdicts, turn, words, width - INDENT)
    yield Text("")
    if episode.outcomes:
        flags = episode.turns[-1].flags if episode.turns else ()
        yield Text(words("whole_talk"), BOLD)
        yield from _scores(header, episode.outcomes, flags, words, width - INDENT)
    yield from _end(episode, words, width - INDENT)


def _end(episode: Episode, words: Words, room: int) -> Iterator[Text]:
    """How it ended, what was not asked by then, and why it was held again."""
    stop = words.name("stop", episode.stop.reason)
    # How the bot failed stands at its turn, in full.
    failed = episode.stop.reason is StopReason.TARGET_FAILED and episode.turns
    detail = "" if failed else visible(episode.stop.detail)
    text = f"{stop}: {detail}" if detail not in ("", stop) else stop
    yield from passage(words("end"), wrap(text, room))
    if left := words.comma.join(map(visible, episode.stop.unasked)):
        yield from styled(passage(words("never_asked"), wrap(left, room)), WARN)
    if episode.rerun_for:
        tags = " · ".join(words.name("tag", tag) for tag in episode.rerun_for)
        yield from styled(
            passage(words("odd_user"), wrap(words("held_again", tags=tags), room)), WARN
        )


def _shown_by(finding_: Finding | None, turn: Turn) -> bool:
    """Whether this turn shows why its conversation did not pass."""
    open_ = (Result.FAILED, Result.UNDECIDED)
    return finding_ is not None and finding_.turn == turn.exchange.turn and finding_.result in open_


def _expected(
    expected: Expected, read: Sequence[Standing], language: Language, room: int
) -> Iterator[Text]:
    """What a right answer looks like, and how each claim stands."""
    words = Words(language, "report", "result")
    shown = {wording for standing in read for wording in standing.claim.wordings}
    texts = {
        "answer": " / ".join(text for text in expected.answers if text not in shown),
        "claims": "\n".join(_standing(standing, words) for standing in read),
        "documents": words.comma.join(expected.documents),
    }
    if any(texts.values()):
        yield from spaced(Text(words("expected"), BOLD))
    for key, text in texts.items():
        yield from passage(words(f"expected.{key}"), wrap(text, room) if text else [])


def _standing(standing: Standing, words: Words) -> str:
    """`contradicted (words): 30 minutes; the bot said “In an hour.”`; no quote of what is met.

    Of several wordings the one that the quote was compared with is behind it.
    """
    reading, claim = standing.reading, standing.claim
    reader = reading.reader if reading else None
    state = state_text(claim.kind, standing.state, words, reader)
    text = f"{state}: {claim_text(claim, words)}"
    if standing.turn and standing.turn > 1:
        text += words("in_turn", n=standing.turn)
    if reading is None or standing.state is State.MET or not reading.quote:
        return text
    said = words("said", quote=" ".join(reading.quote.split()))
    against = reading.against not in ("", claim.text)
    return text + said + (words("said.against", text=reading.against) if against else "")


def _result(finding_: Finding, why: str, language: Language) -> Text:
    """`failed: not said: “30 minutes” (turn 3)`."""
    words = Words(language, "result", "report")
    styles = {Result.FAILED: BAD, Result.UNDECIDED: WARN, Result.PASSED: GOOD}
    text = Text.assemble(
        (words.name("result", finding_.result), styles.get(finding_.result, DIM)), f": {why}"
    )
    return text.append(words("see_turn", n=finding_.turn) if finding_.turn else "", DIM)


def _turn(header: RunHeader, turn: Turn, words: Words, width: int, why: str = "") -> Iterator[Text]:
    """One turn; `why`: how it shows why its conversation did not pass."""
    exchange, room = turn.exchange, width - INDENT
    yield from passage(words("user"), wrap(exchange.user, room))
    if turn.soundness:
        tags = " · ".join(words.name("tag", tag) for tag in turn.soundness)
        yield from styled(passage(words("odd_user"), wrap(tags, room)), WARN)
    answer = exchange.assistant
    if isinstance(exchange.reply, TargetFailure):
        answer = f"{words('no_answer')} {failure_text(exchange.reply, header.language)}"
    yield from passage(words("bot"), wrap(answer, room), width=width, weak=turn.flagged)
    ids = words.comma.join(d.id or d.title or visible(d.text)[:20] for d in exchange.documents)
    if ids:
        yield from passage(words("documents"), wrap(ids, room))
    if why:
        yield from styled(passage(words("why"), wrap(why, room)), BOLD)
    if turn.blame:
        yield from passage(words("fault"), [words.name("fault", turn.blame)])
    if not isinstance(exchange.reply, TargetFailure):
        yield from _scores(header, turn.outcomes, turn.flags, words, room)


def _people(verdicts: Sequence[Verdict], turn: Turn, words: Words, room: int) -> Iterator[Text]:
    """Who says what of one answer, also what was said of an equal one; and that they differ."""
    of_turn = (verdict for verdict in verdicts if verdict.turn == turn.exchange.turn)
    spoken = [verdict for verdict in latest(of_turn).values() if verdict.word is not None]
    lines = [
        words(
            "people.known" if verdict.run else "people.said",
            who=verdict.reviewer or verdict.source or words("people.nobody"),
            word=verdict.word,
            at=verdict.at[:10],
            run=verdict.run,
        )
        for verdict in spoken
    ]
    yield from passage(words("people"), wrap("\n".join(lines), room) if lines else [])
    if len({verdict.word for verdict in spoken}) > 1:
        yield from styled(passage("", wrap(words("people.differ"), room)), WARN)


def _scores(
    header: RunHeader, outcomes: Outcomes, flags: Collection[str], words: Words, room: int
) -> Iterator[Text]:
    """All scores; then what several of them share as their comment, naming them if others exist."""
    label = words("scores")
    gaps = {n: o.reason for n, o in outcomes.items() if isinstance(o, Unscored)}
    idle = [name for name, gap in gaps.items() if gap is Gap.NOT_APPLICABLE]
    shared = _shared_comments(outcomes)
    called = {name: _called(header, name) for name in outcomes}
    for name, outcome in outcomes.items():
        if name in idle:
            continue
        shown = visible(called[name]) + (" !" if name in flags else "")
        lines = wrap(f"{shown} {_outcome(header, name, outcome, words, shared)}", room)
        for number, line in enumerate(passage(label, lines)):
            if number == 0:
                line.stylize(BOLD, INDENT, INDENT + len(shown))
            yield line
        label = ""
    if idle:
        names_idle = words.comma.join(called[name] for name in idle)
        text = f"{words.name('gap', Gap.NOT_APPLICABLE)}: {names_idle}"
        yield from passage(label, wrap(text, room))
    for comment, names in shared.items():
        whole = len(names) == len(outcomes) - len(idle)
        text = (
            comment
            if whole
            else f"{words.comma.join(visible(called[n]) for n in names)}: {comment}"
        )
        yield from passage(words("comment"), wrap(text, room))


def _called(header: RunHeader, name: str) -> str:
    """A metric by its id or, in Japanese, by its title with the id, which is what people type."""
    title = screen_names(header).get(name)
    return f"{title} [{name}]" if title else name


def _shared_comments(outcomes: Outcomes) -> dict[str, list[str]]:
    """Comments that several metrics have, since one judgement gave all of them, and to which."""
    named: dict[str, list[str]] = {}
    for name, outcome in outcomes.items():
        if isinstance(outcome, Score) and outcome.comment:
            named.setdefault(outcome.comment, []).append(name)
    return {comment: names for comment, names in named.items() if len(names) > 1}


def _outcome(
    header: RunHeader, name: str, outcome: Outcome, words: Words, shared: Collection[str]
) -> str:
    """A score or why there is none, with the comment if it is this metric's own."""
    if isinstance(outcome, Unscored):
        gap = words.name("gap", outcome.reason)
        return f"– {gap}: {outcome.detail}" if outcome.detail else f"– {gap}"
    infos = {info.name: info for info in header.metrics}
    raw = rating(infos[name], outcome.raw) if name in infos else ""
    limit = header.thresholds.get(name, 0.0)
    digits = 3 if outcome.value < limit <= round(outcome.value, 2) else 2  # 0.599 is not 0.60
    value = f"{outcome.value:.{digits}f}" + (f" ({words('raw', raw=raw)})" if raw else "")
    own = outcome.comment and outcome.comment not in shared
    return f"{value}  {outcome.comment}" if own else value


_SHOWN = 40
_SAID = 200  # characters of what is to be read
_NAME = 0.3  # of the screen, at most, for a conversation's name
_GAP = "  "
_ORDER = (Result.FAILED, Result.UNDECIDED, Result.UNCHECKED, Result.PASSED)
_STYLES = {Result.FAILED: BAD, Result.UNDECIDED: WARN, Result.UNCHECKED: DIM, Result.PASSED: GOOD}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversations are listed: those that all of it is true of; empty means any.

    `words` stand somewhere in what was said, whatever their case; `blame`: of any turn.
    """

    failed: bool = False
    undecided: bool = False
    persona: str = ""
    scenario: str = ""
    tag: str = ""
    blame: str = ""
    words: str = ""

    def takes(self, episode: Episode) -> bool:
        """Whether a conversation is one of them."""
        cell, finding, scenario = episode.cell, episode.finding, episode.scenario
        wanted = {Result.FAILED: self.failed, Result.UNDECIDED: self.undecided}
        return (
            (
                not any(wanted.values())
                or (finding is not None and wanted.get(finding.result, False))
            )
            and self.persona in ("", cell.persona)
            and self.scenario in ("", cell.scenario)
            and (not self.tag or (scenario is not None and self.tag in scenario.tags))
            and (not self.blame or any(self.blame in turn.blames for turn in episode.turns))
            and (not self.words or self.words.casefold() in _transcript(episode).casefold())
        )


class Listed(NamedTuple):
    """A conversation; those of one `group` have blame, expected entry and answer in common.

    `excerpt`: what of it is to be read: the words that show why, or the answer's beginning.
    `shows`: the same of any conversation.
    """

    cell: Cell
    finding: Finding
    group: int
    excerpt: str = ""
    shows: str = ""


def _transcript(episode: Episode) -> str:
    exchanges = (turn.exchange for turn in episode.turns)
    return "\n".join(text for e in exchanges for text in (e.user, e.assistant))


def _texts(episode: Episode, wanted: Wanted) -> tuple[str, str]:
    """What of a conversation is to be read, and what shows why it has its result.

    To be read is an undecided one, and one that passed though a turn has the blame that was asked
    for.
    """
    finding = episode.finding
    if finding is None or not episode.turns:
        return "", ""
    turn = episode.turns[shown_turn(episode, finding) - 1]
    blamed = [turn for turn in episode.turns if wanted.blame and wanted.blame in turn.blames]
    is_read = finding.result is Result.UNDECIDED
    if finding.result is Result.PASSED and blamed:
        is_read, turn = True, blamed[0]
    shows = cut(quote_of(turn, finding) or turn.exchange.assistant, _SAID)
    return shows if is_read else "", shows


def show_talks(run: Run, wanted: Wanted, *, every: bool) -> None:
    """Print the conversations that are wanted: the first 40 lines, or each by itself.

    Those that failed for the same reason with the same answer are a line, with their number.

    Raises:
        InputError: as `talks`.
    """
    listed = talks(run, wanted)
    show_view(lambda width: _lines(run, listed, width, every=every))


def talks(run: Run, wanted: Wanted) -> list[Listed]:
    """The conversations that are wanted, failed ones first.

    Raises:
        InputError: the run has no such persona, scenario, tag or blame.
    """
    wanted = replace(wanted, blame=_fault(wanted.blame, run.header.language))
    listed: list[Listed] = []
    known: dict[str, set[str]] = {kind: set() for kind in ("persona", "scenario", "tag", "blame")}
    for episode in run.episodes():
        known["persona"].add(episode.cell.persona)
        known["scenario"].add(episode.cell.scenario)
        known["tag"].update(episode.scenario.tags if episode.scenario else ())
        known["blame"].update(blame for turn in episode.turns for blame in turn.blames)
        if episode.finding and wanted.takes(episode):
            group = hash(alike(episode, episode.finding))
            listed.append(Listed(episode.cell, episode.finding, group, *_texts(episode, wanted)))
    for kind, names in known.items():
        name = getattr(wanted, kind)
        if name and name not in names:
            message = f"run {run.header.id} has no {kind} {name!r}"
            raise InputError(f"{message}; {suggest(name, tuple(sorted(names)))}")
    listed.sort(key=_rank)  # stable: in the plan's order
    return listed


def _fault(blame: str, language: Language) -> str:
    """The id of a cause that reports call by its name: *Retrieved but not used*."""
    words = Words(language, "report")
    called = {words.name("fault", fault).casefold(): fault.value for fault in Fault}
    return called.get(blame.casefold(), blame)


def _grouped(listed: Sequence[Listed]) -> list[list[Listed]]:
    """Those alike together, by result; of these the most frequent first."""
    groups: dict[object, list[Listed]] = {}
    for talk in listed:
        groups.setdefault((talk.finding.result, talk.group), []).append(talk)
    return sorted(groups.values(), key=lambda group: (_rank(group[0]), -len(group)))


def _rank(talk: Listed) -> int:
    """Those that failed first."""
    return _ORDER.index(talk.finding.result)


def _lines(run: Run, listed: Sequence[Listed], width: int, *, every: bool) -> Iterator[Text]:
    words = Words(run.header.language, "show", "result", "report")
    groups = [[talk] for talk in listed] if every else _grouped(listed)
    shown = groups if every else groups[:_SHOWN]
    key = "listed" if len(groups) == len(listed) else "listed_alike"
    yield Text(words(key, n=len(listed), total=run.summary.conversations), BOLD)
    if not shown:
        return
    yield from _rows(run, shown, width, words)
    if left := len(listed) - sum(map(len, shown)):
        yield Text(words("listed_more", n=left), DIM)
    yield Text("")
    first = shlex.quote(visible(shown[0][0].cell.key))
    yield Text(f"  mogi show {run.header.id} {first}", DIM, no_wrap=True)


def _rows(run: Run, groups: Sequence[Sequence[Listed]], width: int, words: Words) -> Iterator[Text]:
    """A line for the first of each group; where ids are long, each whole on one of its own."""
    firsts = [group[0] for group in groups]
    ids = _names([talk.cell for talk in firsts])
    is_wide = max(map(cell_len, ids)) > width * _NAME
    columns = {
        "talk": [] if is_wide else ids,
        "alike": [f"{len(group):,}" if len(group) > 1 else "" for group in groups],
        "result": [words.name("result", talk.finding.result) for talk in firsts],
        "turn": [f"{talk.finding.turn or ''}" for talk in firsts],
    }
    columns = {name: texts for name, texts in columns.items() if any(texts) or name == "turn"}
    heads = {name: words(f"head.{name}") for name in columns}
    widths = {name: max(map(cell_len, (heads[name], *columns[name]))) for name in columns}
    room = max(1, width - sum(widths.values()) - len(widths) * len(_GAP))
    head = [pad(heads[name], widths[name]) for name in columns]
    yield Text(_GAP.join([*head, words("head.why")]), DIM)
    names = screen_names(run.header)
    for number, talk in enumerate(firsts):
        line = Text(f"{ids[number]}\n" if is_wide else "", no_wrap=True)
        for name, texts in columns.items():
            text = texts[number]
            is_number = name in ("alike", "turn")
            cell = f"{text:>{widths[name]}}" if is_number else pad(text, widths[name])
            line.append(cell, _STYLES[talk.finding.result] if name == "result" else "")
            line.append(_GAP)
        why = reason_text(talk.finding, run.header.language, names)
        yield line.append(fit_unlike(why, talk.shows, room))
        if talk.excerpt:
            answer = f"{words('bot')}: {talk.excerpt}"
            yield Text(f"    {fit(answer, width - 4)}", DIM)


def _names(cells: Sequence[Cell]) -> list[str]:
    """What `mogi show RUN` finds each by, without the repeat where there is only one."""
    repeats = any(cell.repeat > 1 for cell in cells)
    return [visible(cell.key if repeats else cell.key.rpartition("/")[0]) for cell in cells]
