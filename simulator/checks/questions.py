"""Which real questions no scenario is near, by words alone, those that are alike together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from simulator.core.form import normal_form
from simulator.core.persona import Language
from simulator.core.scenario import Scenario
from simulator.core.talk import Document
from simulator.text.nearness import NearestTexts, WordVector, WordWeights
from simulator.view.coverage import NEAR

ALIKE = 0.7
"""The cosine from which two questions of a log are one line of the list."""


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """Questions that are alike: the one that was asked most, and how often they were asked.

    `different` is how many wordings there are; `nearest` the id of the scenario that is nearest to
    the question, None where none shares a word with it, and `nearness` its cosine (0 to NEAR).
    """

    question: str
    count: int
    different: int
    nearest: str | None
    nearness: float


@dataclass(frozen=True, slots=True)
class LogCoverage:
    """The questions of a log; all but `groups` are counts.

    `near` have a scenario; `empty` hold no content word (はい, thank you) and are neither near nor
    far. `groups` are the others, what was asked most first.
    """

    asked: int
    near: int
    empty: int
    groups: tuple[QuestionGroup, ...]

    @property
    def far(self) -> int:
        """How many have no scenario."""
        return sum(group.count for group in self.groups)


def log_coverage(
    questions: Sequence[str],
    scenarios: Iterable[Scenario],
    entries: Mapping[str, Document],
    language: Language,
) -> LogCoverage:
    """Which questions no scenario is near.

    A scenario is near a question whose cosine (`text.nearness`) with its query, its goal, one of
    its scripted turns, or the title of an entry that it expects is NEAR or more. Questions of one
    normal form are one; of the others each joins the first more frequent one that is ALIKE.
    """
    counts: Counter[str] = Counter()
    wordings: dict[str, str] = {}
    for question in questions:
        form = normal_form(question)
        counts[form] += 1
        wordings.setdefault(form, question)
    said = [(text, s.id) for s in scenarios for text in _texts(s, entries)]
    weights = WordWeights([*wordings.values(), *(text for text, _ in said)], language)
    known = NearestTexts([weights.vector(text) for text, _ in said])
    grouping = _Grouping()
    near = empty = 0
    for form, count in counts.most_common():
        vector = weights.vector(wordings[form])
        found = known.nearest(vector)
        if not vector:
            empty += count
        elif found and found[1] >= NEAR:
            near += count
        else:
            scenario = (said[found[0]][1], found[1]) if found else (None, 0.0)
            grouping.add(wordings[form], count, vector, scenario)
    return LogCoverage(len(questions), near, empty, grouping.groups())


def _texts(scenario: Scenario, entries: Mapping[str, Document]) -> list[str]:
    titles = [entries[name].title for name in scenario.expected.documents if name in entries]
    texts = (scenario.query, scenario.goal, *scenario.turns, *titles)
    return list(dict.fromkeys(text for text in texts if text))


class _Grouping:
    """Puts each question to the nearest of those before it that is ALIKE."""

    def __init__(self) -> None:
        self._leaders = NearestTexts()
        self._found: list[tuple[str, tuple[str | None, float]]] = []
        self._counts: list[int] = []
        self._different: list[int] = []

    def add(
        self, question: str, count: int, vector: WordVector, scenario: tuple[str | None, float]
    ) -> None:
        near = self._leaders.nearest(vector)
        if near and near[1] >= ALIKE:
            self._counts[near[0]] += count
            self._different[near[0]] += 1
            return
        self._leaders.add(vector)
        self._found.append((question, scenario))
        self._counts.append(count)
        self._different.append(1)

    def groups(self) -> tuple[QuestionGroup, ...]:
        found = zip(self._found, self._counts, self._different, strict=True)
        groups = [QuestionGroup(q, n, kinds, *scenario) for (q, scenario), n, kinds in found]
        return tuple(sorted(groups, key=lambda group: -group.count))
