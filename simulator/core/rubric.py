"""What a judge is asked: a rubric and its aspects, each of which is a metric."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Aspect:
    """One question to the judge, answered by a whole number from `low` to `high`.

    `name` is the metric's name; `anchors` say in words what some or all of the ratings mean.
    """

    name: str
    title: str
    question: str
    low: int
    high: int
    anchors: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rubric:
    """Questions that are asked about the same evidence.

    `sees` names the parts of the evidence that the judge needs: any of persona, goal, documents,
    talk, question, answer, expected_answer, expected_elements. `sha` is the SHA-256 (hex) of the
    file's text: a threshold is only worth something for the very wording it was found with.
    """

    id: str
    title: str
    sees: tuple[str, ...]
    instruction: str
    aspects: tuple[Aspect, ...]
    sha: str
