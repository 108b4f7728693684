"""What would mend the conversations that failed, the most first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from simulator.core.clean import cut
from simulator.core.form import normal_form
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import FaultGroup, Finding, Result, Why
from simulator.core.run import Episode, Run
from simulator.core.talk import Document
from simulator.results.cause import HARMFUL, Fault
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.view.worst import Group, quote_of

UNDETERMINED = "undetermined"
"""The blame of a conversation that failed and nobody is known to be at fault for."""
_HARM = frozenset(
    {Why.CONTRADICTS, Why.FORBIDDEN, Why.ANSWERED, Why.NEVER_REFUSED, Why.NEVER_HANDED_OVER}
)
_GROUPS = 50
_LONGEST = 2_000  # characters of a question
_EXAMPLES = 3  # utterances and conversations that are shown of a fault
_TEXT = 300  # characters of each text that is shown


class Remedy(StrEnum):
    """What would have to change."""

    ADD = "add"  # an entry that is missing
    FIND = "find"  # an entry that is there and was not found
    CORRECT = "correct"  # what entries or the bot say otherwise
    USE = "use"  # the bot's prompt: it leaves out what was found, or says what no entry says
    REFUSE = "refuse"  # a guideline: such questions are not answered
    HAND_OVER = "hand_over"  # a guideline: such questions go to a person
    ANSWER = "answer"  # a guideline: such questions are to be answered
    THREAD = "thread"  # the bot does not get, or use, what was said before
    GUIDELINE = "guideline"  # the bot's manner
    LOOK = "look"  # nobody is known to be at fault


_REMEDIES = {
    Fault.KNOWLEDGE_GAP: Remedy.ADD,
    Fault.LOST_THREAD: Remedy.THREAD,
    Fault.RETRIEVAL_MISS: Remedy.FIND,
    Fault.UNUSED: Remedy.USE,
    Fault.UNSUPPORTED: Remedy.USE,
    Fault.SHOULD_HAVE_REFUSED: Remedy.REFUSE,
    Fault.SHOULD_HAVE_ESCALATED: Remedy.HAND_OVER,
    Fault.WRONG_REFUSAL: Remedy.ANSWER,
    Fault.STYLE: Remedy.GUIDELINE,
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


def faults_of(run: Run) -> list[FaultList]:
    """The faults behind the conversations of a run that failed, those with the most first."""
    titles = {name: said[0] for name, said in run.header.references.items() if said}
    failures: dict[tuple[str, str, bool, Remedy], list[Failure]] = {}
    weights: defaultdict[tuple[str, str, bool, Remedy], _Weight] = defaultdict(_Weight)
    words: dict[tuple[str, str, bool, Remedy], Counter[str]] = {}
    asked: dict[str, str] = {}
    for episode in run.episodes():
        found, group = episode.finding, group_of(episode, episode.finding)
        if found is None or group is None:
            continue
        blame, entry, of_scenario = group
        key = (blame, entry, of_scenario, _remedy(blame, found, is_entry=entry in titles))
        weights[key].add(group, episode, found)
        failures.setdefault(key, []).append(_failure(episode, found))
        query = episode.scenario.query if episode.scenario else episode.turns[0].exchange.user
        words.setdefault(key, Counter()).update(
            list(dict.fromkeys(_on_topic(episode, run.header.language)))
        )
        asked.setdefault(entry, query)
    lost = run.summary.follow_ups.are_lost
    return [
        FaultList(
            remedy=key[3],
            blame=key[0],
            entry=key[1],
            of_scenario=key[2],
            title=titles.get(key[1]) or asked[key[1]],
            failures=tuple(found),
            words=_once(words[key]),
        )
        for key, found in sorted(
            failures.items(), key=lambda item: weights[item[0]].place(item[0][:3], lost=lost)
        )
    ]


def shown_turn(episode: Episode, finding: Finding | None) -> int:
    """Which turn shows why; the last where it is no single one; 0 without turns."""
    return (finding.turn if finding and finding.turn else 0) or len(episode.turns)


def alike(episode: Episode, finding: Finding | None) -> tuple[str, str, bool, str]:
    """What failures alike have in common, taken from the turn that shows why.

    Its blame, the expected entry or, where there is none (True), the scenario, and the answer
    without what differs in writing only. What lost the thread has no entry: one thing mends it all.
    """
    expected = episode.scenario.expected.documents if episode.scenario else ()
    entry = expected[0] if expected else episode.cell.scenario
    shown = shown_turn(episode, finding)
    if not shown:
        return UNDETERMINED, entry, not expected, ""
    turn = episode.turns[shown - 1]
    said = normal_form(turn.exchange.assistant)
    if turn.blame == Fault.LOST_THREAD:
        return turn.blame, "", True, said
    return turn.blame or UNDETERMINED, entry, not expected, said


def group_of(episode: Episode, finding: Finding | None) -> Group | None:
    """The group of failures that a conversation belongs to; None where it did not fail."""
    if finding is None or finding.result is not Result.FAILED or not episode.turns:
        return None
    return alike(episode, finding)[:3]


@dataclass(slots=True)
class _Weight:
    """What a group of failures weighs."""

    talks: int = 0
    harms: bool = False
    personas: set[str] = field(default_factory=set[str])

    def add(self, group: Group, episode: Episode, finding: Finding) -> None:
        self.talks += 1
        self.harms = self.harms or group[0] in HARMFUL or finding.why in _HARM
        self.personas.add(episode.cell.persona)

    def place(self, group: Group, *, lost: bool) -> tuple[object, ...]:
        """By this groups are sorted: lost follow-ups, if these are plainly lost, then the most.

        Of as many conversations what does harm comes first, then what most personas meet.
        """
        plainly = lost and group[0] == Fault.LOST_THREAD
        return not plainly, -self.talks, not self.harms, -len(self.personas), group


class FaultGroups:
    """Groups the conversations that failed by what would mend them: blame × expected entry."""

    def __init__(self) -> None:
        self._first: dict[Group, tuple[Cell, str]] = {}
        self._weights: defaultdict[Group, _Weight] = defaultdict(_Weight)

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one conversation with what came of it."""
        if (key := group_of(episode, finding)) is None:
            return
        asked = episode.scenario
        here = (episode.cell, asked.query if asked else episode.turns[0].exchange.user)
        self._first[key] = min(self._first.get(key, here), here)
        self._weights[key].add(key, episode, finding)

    def groups(self, *, lost: bool = False) -> tuple[FaultGroup, ...]:
        """Those with the most conversations first; where follow-ups are plainly `lost`, these."""
        ordered = sorted(self._weights, key=lambda key: self._weights[key].place(key, lost=lost))
        return tuple(
            FaultGroup(*key, self._weights[key].talks, cut(self._first[key][1], _LONGEST))
            for key in ordered[:_GROUPS]
        )


class Mending:
    """What would mend some groups of failures, and what their users said on the matter."""

    def __init__(self, run: Run, groups: Iterable[FaultGroup]) -> None:
        self._header = run.header
        self._said: dict[Group, tuple[Counter[Remedy], Counter[str]]] = {
            (group.blame, group.entry, group.of_scenario): (Counter(), Counter())
            for group in groups
        }

    def add(self, episode: Episode, finding: Finding) -> None:
        """Take in a conversation that failed."""
        group = group_of(episode, finding)
        if group and (said := self._said.get(group)):
            is_entry = group[1] in self._header.references
            said[0][_remedy(group[0], finding, is_entry=is_entry)] += 1
            said[1].update(list(dict.fromkeys(_on_topic(episode, self._header.language))))

    def of(self, group: FaultGroup) -> tuple[Remedy, tuple[str, ...]]:
        """What would mend most of a group, and the users' words, the most frequent first."""
        remedies, words = self._said[group.blame, group.entry, group.of_scenario]
        return next(iter(dict(remedies.most_common())), Remedy.LOOK), _once(words)


def _remedy(blame: str, found: Finding, *, is_entry: bool) -> Remedy:
    if blame == Fault.UNSUPPORTED and is_entry and found.why is Why.CONTRADICTS:
        return Remedy.CORRECT
    return _REMEDIES.get(Fault(blame), Remedy.LOOK) if blame != UNDETERMINED else Remedy.LOOK


def _failure(episode: Episode, found: Finding) -> Failure:
    shown = shown_turn(episode, found)
    turn = episode.turns[shown - 1]
    about = "; ".join(filter(None, (*found.about, quote_of(turn, found))))
    said = turn.exchange
    return Failure(
        episode.cell.key, episode.cell.scenario, shown, said.user, said.assistant, about,
        said.documents,
    )  # fmt: skip


def _on_topic(episode: Episode, language: Language) -> Iterator[str]:
    """What its user said of the matter: no sentence without a word of the question."""
    scenario = episode.scenario
    query = scenario.query if scenario else episode.turns[0].exchange.user
    topic = set(content_tokens(query, language))
    for turn in episode.turns:
        for sentence in sentences(turn.exchange.user, language):
            if not topic.isdisjoint(content_tokens(sentence, language)):
                yield sentence


def _once(words: Counter[str]) -> tuple[str, ...]:
    """Each utterance once, however it was written; the most frequent first."""
    forms: dict[str, str] = {}
    for text, _ in sorted(words.items(), key=lambda item: -item[1]):
        forms.setdefault(normal_form(text), text)
    return tuple(text for form, text in forms.items() if form)
