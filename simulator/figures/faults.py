"""What would mend the conversations that failed, the most first."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from simulator.core.clean import cut
from simulator.core.persona import Language
from simulator.core.result import FaultGroup, Finding, Result, Why
from simulator.core.run import Episode, Run
from simulator.core.talk import Document
from simulator.figures.worst import UNDETERMINED, alike, shown_turn, unsupported
from simulator.judging.blame import Fault
from simulator.text.normal import normal_form
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

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
    words: dict[tuple[str, str, bool, Remedy], Counter[str]] = {}
    asked: dict[str, str] = {}
    for episode in run.episodes():
        found = episode.finding
        if found is None or found.result is not Result.FAILED or not episode.turns:
            continue
        blame, entry, of_scenario, _ = alike(episode, found)
        key = (blame, entry, of_scenario, _remedy(blame, found, is_entry=entry in titles))
        failures.setdefault(key, []).append(_failure(episode, found))
        query = episode.scenario.query if episode.scenario else episode.turns[0].exchange.user
        words.setdefault(key, Counter()).update(
            list(dict.fromkeys(_on_topic(episode, run.header.language)))
        )
        asked.setdefault(entry, query)
    lists = [
        FaultList(
            remedy=key[3],
            blame=key[0],
            entry=key[1],
            of_scenario=key[2],
            title=titles.get(key[1]) or asked[key[1]],
            failures=tuple(found),
            words=_once(words[key]),
        )
        for key, found in failures.items()
    ]
    first = Fault.LOST_THREAD if run.summary.follow_ups.are_lost else None
    return sorted(lists, key=lambda f: (f.blame != first, -len(f.failures), f.blame, f.entry))


class Mending:
    """What would mend some groups of failures, and what their users said on the matter."""

    def __init__(self, run: Run, groups: Iterable[FaultGroup]) -> None:
        self._header = run.header
        self._said: dict[tuple[str, str, bool], tuple[Counter[Remedy], Counter[str]]] = {
            (group.blame, group.entry, group.of_scenario): (Counter(), Counter())
            for group in groups
        }

    def add(self, episode: Episode, finding: Finding) -> None:
        """Take in a conversation that failed."""
        blame, entry, of_scenario, _ = alike(episode, finding)
        if said := self._said.get((blame, entry, of_scenario)):
            said[0][_remedy(blame, finding, is_entry=entry in self._header.references)] += 1
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
    about = "; ".join(found.about) or unsupported(turn)
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


def faults_json(faults: Sequence[FaultList]) -> list[Mapping[str, Any]]:
    """The list as `mogi improve --json` prints it."""
    return [
        {
            "remedy": fault.remedy,
            "blame": fault.blame,
            "entry": None if fault.of_scenario else fault.entry,
            "scenarios": fault.scenarios,
            "title": fault.title,
            "conversations": [failure.key for failure in fault.failures],
            "words": fault.words[: 3 * _EXAMPLES],
            "examples": [
                {
                    "episode": failure.key,
                    "turn": failure.turn,
                    "user": cut(failure.asked, _TEXT),
                    "assistant": cut(failure.answered, _TEXT),
                    "about": cut(failure.about, _TEXT),
                }
                for failure in fault.failures[:_EXAMPLES]
            ],
        }
        for fault in faults
    ]
