"""What would mend the conversations that failed, the most first."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from simulator.core.claim import ClaimKind, State, counting, kind_of
from simulator.core.clean import cut, normal_form, visible
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import FaultGroup, Finding, Result, Why
from simulator.core.run import Episode, Run, content_of
from simulator.core.talk import Document, TargetFailure
from simulator.results.verdict import HARMFUL, Fault
from simulator.text.tokens import content_tokens, sentences
from simulator.view.results import is_repaired
from simulator.view.worst import Group, quote_of, why_text
from simulator.words import Words

UNDETERMINED = "undetermined"
"""The blame of a conversation that failed and nobody is known to be at fault for."""
BOT_ERROR = "bot_error"
"""The blame of a conversation in which the bot failed instead of answering."""
_HARM = frozenset(
    {Why.CONTRADICTS, Why.FORBIDDEN, Why.ANSWERED, Why.NEVER_REFUSED, Why.NEVER_HANDED_OVER}
)
_HARMFUL = HARMFUL | {BOT_ERROR}
_GROUPS = 50
_LONGEST = 2_000  # characters of a question
_EXAMPLES = 3  # utterances and conversations that are shown of a fault
_TEXT = 300  # characters of each text that is shown
_LONGEST_ERROR = 100  # characters of a bot's message
_VARYING = re.compile(r"[0-9a-f-]{8,}|\d{5,}", re.IGNORECASE)  # ids and times


class Remedy(StrEnum):
    """What would have to change."""

    ADD = "add"  # an entry that is missing
    FIND = "find"  # an entry that is there and was not found
    UPDATE = "update"  # the bot's copy of an entry, which is old
    CORRECT = "correct"  # what entries or the bot say otherwise
    USE = "use"  # the bot's prompt: it leaves out what was found, or says what no entry says
    REFUSE = "refuse"  # a guideline: such questions are not answered
    HAND_OVER = "hand_over"  # a guideline: such questions go to a person
    ANSWER = "answer"  # a guideline: such questions are to be answered
    THREAD = "thread"  # the bot does not get, or use, what was said before
    GUIDELINE = "guideline"  # the bot's manner
    PEOPLE = "people"  # what people call the cause in words of their own
    MEND = "mend"  # the bot's code or server: it failed
    LOOK = "look"  # nobody is known to be at fault


_REMEDIES: Mapping[str, Remedy] = {
    Fault.KNOWLEDGE_GAP: Remedy.ADD,
    Fault.LOST_THREAD: Remedy.THREAD,
    Fault.RETRIEVAL_MISS: Remedy.FIND,
    Fault.COPY_DIFFERS: Remedy.UPDATE,
    Fault.UNUSED: Remedy.USE,
    Fault.UNSUPPORTED: Remedy.USE,
    Fault.SHOULD_HAVE_REFUSED: Remedy.REFUSE,
    Fault.SHOULD_HAVE_ESCALATED: Remedy.HAND_OVER,
    Fault.WRONG_REFUSAL: Remedy.ANSWER,
    Fault.STYLE: Remedy.GUIDELINE,
    Fault.SIMULATOR: Remedy.LOOK,
    Fault.UNDETERMINED: Remedy.LOOK,
    BOT_ERROR: Remedy.MEND,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A conversation that failed, by the turn (from 1) that shows why."""

    key: str
    scenario: str
    turn: int
    asked: str
    answered: str
    about: str
    documents: tuple[Document, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class FaultList:
    """Conversations that one change would mend, all that failed for one fault about one entry.

    `entry` is the id of the document that is expected first; where none is, that of the scenario
    (`of_scenario`). `title` is the entry's, or what the scenario asks. `words` are sentences on the
    matter that users said in these conversations, the most frequent first, each once.
    """

    remedy: Remedy
    blame: str
    entry: str
    of_scenario: bool
    title: str
    failures: tuple[Failure, ...]
    words: tuple[str, ...]

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios of its conversations, each once, sorted."""
        return tuple(sorted({failure.scenario for failure in self.failures}))


def faults_of(run: Run, *, apart: Collection[str] = ()) -> list[FaultList]:
    """The faults behind the conversations of a run that failed, those with the most first.

    `apart`: conversations that are left out, by their keys.
    """
    apart = frozenset(apart)
    titles = {name: texts[0] for name, texts in run.header.references.items() if texts}
    language = run.header.language
    faults: dict[tuple[Group, Remedy], _Fault] = {}
    for episode in run.episodes():
        finding, group = episode.finding, group_of(episode, episode.finding)
        if finding is None or group is None or episode.cell.key in apart:
            continue
        remedy = _remedy(group, episode, is_entry=group.entry in titles)
        fault = faults.setdefault((group, remedy), _Fault(_query(episode)))
        fault.weight.add(group, episode, finding)
        fault.failures.append(_failure(episode, finding, language))
        fault.words.update(_on_topic(episode, language))
    lost = run.summary.follow_ups.are_lost
    ordered = sorted(faults.items(), key=lambda item: item[1].weight.place(item[0][0], lost=lost))
    return [
        FaultList(
            remedy=remedy,
            blame=group.blame,
            entry=group.entry,
            of_scenario=group.of_scenario,
            title=titles.get(group.entry) or fault.query,
            failures=tuple(fault.failures),
            words=_once(fault.words),
        )
        for (group, remedy), fault in ordered
    ]


def shown_turn(episode: Episode, finding: Finding | None) -> int:
    """Which turn shows why; the last where it is no single one; 0 without turns."""
    return (finding.turn if finding and finding.turn else 0) or len(episode.turns)


class Alike(NamedTuple):
    """What failures alike have in common: the group, and the content of the answer."""

    group: Group
    answer: str


def alike(episode: Episode, finding: Finding | None) -> Alike:
    """What a conversation has in common with others, taken from the turn that shows why.

    Its blame, and the expected entry or, without one, the scenario. What lost the thread, and what
    a bot's error ended, has no entry: one thing fixes it all, of errors what fails with the same
    message, which is their entry.
    """
    shown = shown_turn(episode, finding)
    if not shown:
        return Alike(_about_entry(UNDETERMINED, episode), "")
    turn = episode.turns[shown - 1]
    answer = content_of(episode, shown)
    reply = turn.exchange.reply
    if isinstance(reply, TargetFailure) and not turn.blame:
        message = cut(_VARYING.sub("#", visible(reply.message)), _LONGEST_ERROR)
        return Alike(Group(BOT_ERROR, message or reply.fault, of_scenario=True), "")
    if turn.blame == Fault.LOST_THREAD:
        return Alike(Group(turn.blame, "", of_scenario=True), answer)
    return Alike(_about_entry(turn.blame or UNDETERMINED, episode), answer)


def _about_entry(blame: str, episode: Episode) -> Group:
    """By the entry that is expected first; where none is, by the scenario."""
    expected = episode.scenario.expected.documents if episode.scenario else ()
    return Group(blame, expected[0] if expected else episode.cell.scenario, not expected)


def group_of(episode: Episode, finding: Finding | None) -> Group | None:
    """The group of failures that a conversation belongs to; None where it did not fail."""
    if finding is None or finding.result is not Result.FAILED or not episode.turns:
        return None
    return alike(episode, finding).group


def _later_group(episode: Episode, finding: Finding) -> Group | None:
    """The group of a conversation that passed, but first refused for want of the document."""
    if finding.result is not Result.PASSED or not is_repaired(episode):
        return None
    if Fault.RETRIEVAL_MISS not in episode.turns[0].blames:
        return None
    return _about_entry(Fault.RETRIEVAL_MISS, episode)


@dataclass(slots=True)
class _Weight:
    """What a group of failures weighs; `later`: conversations that passed when asked again."""

    talks: int = 0
    later: int = 0
    harms: bool = False
    personas: set[str] = field(default_factory=set[str])

    def add(self, group: Group, episode: Episode, finding: Finding) -> None:
        self.talks += 1
        self.harms = self.harms or group.blame in _HARMFUL or finding.why in _HARM
        self.personas.add(episode.cell.persona)

    def place(self, group: Group, *, lost: bool) -> tuple[object, ...]:
        """By this groups are sorted: lost follow-ups, if these are plainly lost, then the most.

        Of as many conversations what does harm comes first, then what most personas meet. Last is
        what nobody is known to be at fault for.
        """
        plainly, unknown = lost and group[0] == Fault.LOST_THREAD, group[0] == UNDETERMINED
        most = (-self.talks, -self.later)
        return unknown, not plainly, *most, not self.harms, -len(self.personas), group


@dataclass(slots=True)
class _Fault:
    """What is gathered of one fault; `query` is what the first of its scenarios asks."""

    query: str
    weight: _Weight = field(default_factory=_Weight)
    failures: list[Failure] = field(default_factory=list)
    words: Counter[str] = field(default_factory=Counter)


class FaultGroups:
    """Groups the conversations that failed by what would fix them: blame × expected entry."""

    def __init__(self) -> None:
        self._first: dict[Group, tuple[bool, Cell, str, str]] = {}
        self._weights: defaultdict[Group, _Weight] = defaultdict(_Weight)

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one conversation with what came of it."""
        group, later = group_of(episode, finding), _later_group(episode, finding)
        of = group or later
        if of is None:
            return
        turn = episode.turns[0 if later else shown_turn(episode, finding) - 1]
        reply = turn.exchange.reply
        failed = reply.message if isinstance(reply, TargetFailure) else ""
        shows = quote_of(turn, finding) or turn.exchange.assistant or failed
        here = (later is not None, episode.cell, _query(episode), cut(shows, _TEXT))
        self._first[of] = min(self._first.get(of, here), here)
        if later:
            self._weights[of].later += 1
        else:
            self._weights[of].add(of, episode, finding)

    def groups(self, *, lost: bool = False) -> tuple[FaultGroup, ...]:
        """Those with the most conversations first; where follow-ups are plainly `lost`, these.

        All that nobody is known to be at fault for is one group, the last.
        """
        ordered = sorted(
            self._weights, key=lambda group: self._weights[group].place(group, lost=lost)
        )
        unknown = [group for group in ordered if group.blame == UNDETERMINED]
        groups = [
            FaultGroup(*group, weight.talks, cut(question, _LONGEST), answer, weight.later)
            for group in ordered[: len(ordered) - len(unknown)][:_GROUPS]
            for weight, (*_, question, answer) in [(self._weights[group], self._first[group])]
        ]
        if unknown:
            talks = sum(self._weights[group].talks for group in unknown)
            *_, question, answer = min(self._first[group] for group in unknown)
            groups.append(
                FaultGroup(
                    UNDETERMINED,
                    "",
                    of_scenario=True,
                    conversations=talks,
                    question=cut(question, _LONGEST),
                    answer=answer,
                )
            )
        return tuple(groups)


class Mending:
    """What would fix some groups of failures, and what their users said on the matter."""

    def __init__(self, run: Run, groups: Iterable[FaultGroup]) -> None:
        self._header = run.header
        self._remedies = {Group.of(group): Counter[Remedy]() for group in groups}
        self._words = {group: Counter[str]() for group in self._remedies}

    def add(self, episode: Episode, finding: Finding) -> None:
        """Take in a conversation that failed."""
        group = group_of(episode, finding)
        if group in self._remedies:
            is_entry = group.entry in self._header.references
            self._remedies[group][_remedy(group, episode, is_entry=is_entry)] += 1
            self._words[group].update(_on_topic(episode, self._header.language))

    def of(self, fault: FaultGroup) -> tuple[Remedy, tuple[str, ...]]:
        """What would fix most of a group, and the users' words, the most frequent first."""
        group = Group.of(fault)
        remedies = self._remedies[group].most_common(1)
        remedy = remedies[0][0] if remedies else _REMEDIES.get(fault.blame, Remedy.LOOK)
        return remedy, _once(self._words[group])


def _remedy(group: Group, episode: Episode, *, is_entry: bool) -> Remedy:
    """What would fix it, as the readings show it; who else calls the answer wrong is no matter."""
    if group.blame in (Fault.UNSUPPORTED, Fault.UNUSED) and is_entry:
        turn = episode.turns[shown_turn(episode, episode.finding) - 1]
        readings = counting(turn.readings or ()).values()
        if any(r.state is State.VIOLATED and kind_of(r.claim) is ClaimKind.SAYS for r in readings):
            return Remedy.CORRECT
    return _REMEDIES.get(group.blame, Remedy.PEOPLE)


def _failure(episode: Episode, finding: Finding, language: Language) -> Failure:
    shown = shown_turn(episode, finding)
    turn = episode.turns[shown - 1]
    why, quote = why_text(finding, language), quote_of(turn, finding)
    about = "; ".join(filter(None, (*finding.about, quote)))
    why = f"{why}: {Words(language, 'first')('quote', text=quote)}" if quote else why
    exchange, cell = turn.exchange, episode.cell
    texts = exchange.user, exchange.assistant, about
    return Failure(cell.key, cell.scenario, shown, *texts, exchange.documents, why)


def _query(episode: Episode) -> str:
    """What the conversation is about: its scenario's question, or the first that was asked."""
    return episode.scenario.query if episode.scenario else episode.turns[0].exchange.user


def _on_topic(episode: Episode, language: Language) -> list[str]:
    """What its user said of the matter, each once: no sentence without a word of the question."""
    topic = set(content_tokens(_query(episode), language))
    texts = (s for turn in episode.turns for s in sentences(turn.exchange.user, language))
    on_topic = (t for t in texts if not topic.isdisjoint(content_tokens(t, language)))
    return list(dict.fromkeys(on_topic))


def _once(words: Counter[str]) -> tuple[str, ...]:
    """Each utterance once, however it was written; the most frequent first."""
    forms: dict[str, str] = {}
    for text, _ in sorted(words.items(), key=lambda item: -item[1]):
        forms.setdefault(normal_form(text), text)
    return tuple(text for form, text in forms.items() if form)
