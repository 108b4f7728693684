"""Which real questions no scenario is near, by words alone, those that are alike together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from simulator.core.form import normal_form
from simulator.core.persona import Language
from simulator.core.scenario import Scenario
from simulator.core.talk import Document
from simulator.text.nearness import NearestTexts, WordWeights
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
    known = [(text, s.id) for s in scenarios for text in _texts(s, entries)]
    weights = WordWeights([*wordings.values(), *(text for text, _ in known)], language)
    nearest = NearestTexts([weights.vector(text) for text, _ in known])
    leaders, groups = NearestTexts(), list[QuestionGroup]()
    near = empty = 0
    for form, count in counts.most_common():
        vector = weights.vector(wordings[form])
        place, nearness = nearest.nearest(vector) or (None, 0.0)
        leader = leaders.nearest(vector)
        if not vector:
            empty += count
        elif nearness >= NEAR:
            near += count
        elif leader and leader[1] >= ALIKE:
            group = groups[leader[0]]
            groups[leader[0]] = replace(
                group, count=group.count + count, different=group.different + 1
            )
        else:
            leaders.add(vector)
            scenario = None if place is None else known[place][1]
            groups.append(QuestionGroup(wordings[form], count, 1, scenario, nearness))
    most_asked = sorted(groups, key=lambda group: -group.count)
    return LogCoverage(len(questions), near, empty, tuple(most_asked))


def _texts(scenario: Scenario, entries: Mapping[str, Document]) -> list[str]:
    titles = [entries[name].title for name in scenario.expected.documents if name in entries]
    texts = (scenario.query, scenario.goal, *scenario.turns, *titles)
    return list(dict.fromkeys(text for text in texts if text))
