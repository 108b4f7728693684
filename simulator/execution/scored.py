"""Answers of a file as talks of one turn each, to be scored."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice

from simulator.build.metrics import applying, with_metrics
from simulator.core.persona import Disclosure, Language, Persona, Politeness, Style
from simulator.core.plan import Cell, Client, TargetSpec
from simulator.core.recorded import NOBODY, RecordedTalk
from simulator.core.verdict import Verdict
from simulator.execution.recorded import Recorded
from simulator.files.answers.columns import Meaning
from simulator.files.answers.reading import Answer, Answers
from simulator.files.catalog import Shelf
from simulator.files.client.loading import LoadedClient
from simulator.files.client.models import DEFAULT_THRESHOLDS, LimitsEntry

_OF_VERDICTS: frozenset[Meaning] = frozenset(("id", "persona", "verdict", "reviewer"))
_TIMEZONES: Mapping[Language, str] = {"ja": "Asia/Tokyo", "en": "UTC"}
# What a judge is shown who asks for the persona.
_UNKNOWN: Mapping[Language, tuple[str, str]] = {
    "ja": ("利用者", "どのような人かは分かりません。"),
    "en": ("User", "Nothing is known about this person."),
}


def scoring(
    answers: Answers, loaded: LoadedClient, *, client: str | None = None, limit: int | None = None
) -> Recorded:
    """The answers of a file, all or the first `limit` of them.

    `client` is the client's folder or name as it was given, None where `loaded` stands in.
    """
    persona = _personas(loaded)

    def talks() -> Iterator[RecordedTalk]:
        for answer in islice(answers.rows(), limit):
            who = persona(answer.persona)
            said = (answer.exchange,)
            yield RecordedTalk(_cell(answer), answer.scenario, who, said, scripted=True)

    def verdicts(at: str) -> Iterator[Verdict]:
        if "verdict" not in answers.gives:
            return
        for answer in islice(answers.rows(_OF_VERDICTS), limit):
            if answer.word is not None:
                key, source = key_of(answer), answers.source.name
                yield Verdict(key, 1, answer.word, answer.reviewer, source, at)

    return Recorded(
        kind="score",
        of=answers.source.name,
        count=min(answers.count, limit or answers.count),
        talks=talks,
        verdicts=verdicts,
        gives=answers.gives,
        said={
            "file": str(answers.source.path),
            "client": client,
            "language": answers.language,
        },
        identity={"file.sha": answers.sha},
    )


def without_client(answers: Answers, shelf: Shelf) -> LoadedClient:
    """What stands in for a client where a file is scored by itself.

    Raises:
        InputError: a rubric's file is wrong.
    """
    loaded = LoadedClient(
        client=Client(
            name=answers.source.path.name,
            folder=str(answers.source.path.parent),
            language=answers.language,
            target=TargetSpec("demo"),  # stands in: nobody asks it
            timezone=_TIMEZONES[answers.language],
            thresholds=DEFAULT_THRESHOLDS,
            limits=LimitsEntry().limits(local=True),
        ),
        scenarios={},
        personas={},
        rubrics=(),
        shelf=shelf,
    )
    return with_metrics(loaded, ("overall", *applying(answers.gives)))


def key_of(answer: Answer) -> str:
    """The name of an answer's episode in its run."""
    return _cell(answer).key


def _cell(answer: Answer) -> Cell:
    return Cell(answer.scenario.id, answer.persona or NOBODY)


def _personas(loaded: LoadedClient) -> Callable[[str], Persona]:
    """The client's own persona of a name, or somebody of whom nothing else is known."""
    language = loaded.client.language
    name, description = _UNKNOWN[language]

    @cache
    def named(given: str) -> Persona:
        return loaded.personas.get(given) or Persona(
            id=given or NOBODY,
            language=language,
            name=given or name,
            description=description,
            traits=(),
            style=Style(0, Politeness.POLITE, Disclosure.OPEN, ""),
            patience=1,
        )

    return named
