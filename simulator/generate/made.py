"""The scenario that is made of a question: what would be right, filled in so that it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from simulator.core.ports import Knowledge
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document
from simulator.formats.yaml.writing import Value
from simulator.generate.faults import Candidate
from simulator.generate.units import TAG, Method, Unit, hashed
from simulator.text.normal import normal_form


def scenario_of(
    unit: Unit, number: int, candidate: Candidate, documents: Mapping[str, str]
) -> Scenario:
    """The scenario of a unit's question.

    The expected answer is the FAQ's own, never a model's. `documents` maps the ids of entries to
    those of the client's knowledge base; entries that are not in it are left out.
    """
    ids = [str(entry.id) for entry in unit.entries]
    answerable = unit.method is not Method.UNANSWERABLE
    expected = Expected(answerable=False)
    if answerable:
        expected = Expected(
            answer="\n".join(entry.text for entry in unit.entries),
            elements=candidate.elements,
            documents=tuple(documents[name] for name in ids if name in documents),
            answerable=True,
        )
    return Scenario(
        id=unit.id_of(number),
        query=candidate.question,
        goal=unit.entries[0].title if unit.method is Method.PERSONA else "",
        expected=expected,
        personas=(unit.voice,) if unit.voice else (),
        tags=(TAG, unit.method.value),
    )


def written(scenario: Scenario) -> dict[str, Value]:
    """A scenario as it stands in a file: what is empty is left out."""
    expected: dict[str, Value] = {
        "answer": scenario.expected.answer,
        "elements": list(scenario.expected.elements),
        "documents": list(scenario.expected.documents),
    }
    kept: dict[str, Value] = {key: value for key, value in expected.items() if value}
    if scenario.expected.answerable is not None:
        kept["answerable"] = scenario.expected.answerable
    entry: dict[str, Value] = {
        "id": scenario.id,
        "query": scenario.query,
        "goal": scenario.goal,
        "expected": kept,
        "personas": list(scenario.personas),
        "tags": list(scenario.tags),
    }
    return {key: value for key, value in entry.items() if value}


def sha_of(scenario: Scenario) -> str:
    """The hash of all that a scenario says, by which an edit is noticed."""
    return hashed(asdict(scenario))


def document_ids(entries: Sequence[Document], knowledge: Knowledge | None) -> dict[str, str]:
    """The ids by which a bot's documents are known, for each entry that its knowledge holds.

    An entry is found there by its id, or else by its very text (in normal form). Without a
    knowledge base at hand, the ids are those of the entries.
    """
    if knowledge is None:
        return {str(entry.id): str(entry.id) for entry in entries}
    known = {str(d.id) for d in knowledge.documents()}
    texts = {normal_form(d.text): str(d.id) for d in reversed(knowledge.documents())}
    found: dict[str, str] = {}
    for entry in entries:
        name = str(entry.id) if str(entry.id) in known else texts.get(normal_form(entry.text))
        if name is not None:
            found[str(entry.id)] = name
    return found
