"""Corrected answers as expected ones, failing talks as scenarios: a diff to look at first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, count, groupby
from pathlib import Path

from simulator.core.claim import ClaimKind, State, claims_of
from simulator.core.clean import normal_form, visible
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.core.run import Episode, RunHeader
from simulator.core.scenario import Approval, Element, Scenario, element_name
from simulator.core.verdict import Verdict, latest
from simulator.files.catalog import CLIENT_FILE, is_shipped
from simulator.files.client.client_yaml import read_client_file
from simulator.files.client.folder import LoadedClient
from simulator.files.scenarios.expected import (
    Edit,
    find_scenarios,
    one_or_all,
    with_expected,
    with_scenario,
)
from simulator.formats.sources import Source
from simulator.reading.words import read_words, says
from simulator.store.store import Store

_KEYS = {
    ClaimKind.DECLINES: "answerable: false",
    ClaimKind.ANSWERS: "answerable: true",
    ClaimKind.HANDS_OVER: "escalate: true",
}
REGRESSION = "regression"
"""The tag of a scenario that was a failing conversation."""


class Rejection(StrEnum):
    """Why a corrected answer is not taken."""

    LATER_TURN = "later_turn"  # it answers what was asked later, not the scenario's question
    DIFFER = "differ"  # people correct it differently
    ASKED = "asked"  # the scenario asks something else by now
    NO_SCENARIO = "no_scenario"  # the client has no such scenario any more


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected answer that somebody wrote; `question` is what the bot had been asked."""

    scenario: str
    run: str
    episode: str
    turn: int
    who: tuple[str, str]
    at: str
    text: str
    question: str
    styled: bool = False  # the first question was worded by the persona


@dataclass(frozen=True, slots=True)
class Proposal:
    """An expected answer to be put in the file; `lacks`: expected elements that are not in it.

    It takes the place of the one that was there; beside several it is one more, and these are
    `kept`. `denies`: what the scenario expects besides that it contradicts.
    """

    scenario: str
    question: str
    old: str
    new: str
    by: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    denies: str = ""

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that are right from now on."""
        return (*self.kept, self.new)


@dataclass(frozen=True, slots=True)
class Left:
    """A corrected answer that is not taken, and why."""

    why: Rejection
    correction: Correction


@dataclass(frozen=True, slots=True)
class Applied:
    """What is proposed for a client; `same` counts scenarios that expect it already."""

    proposals: tuple[Proposal, ...]
    left: tuple[Left, ...]
    same: int
    edit: Edit | None = None

    @property
    def diff(self) -> str:
        """The change of the file."""
        return self.edit.diff if self.edit else ""


def propose(store: Store, loaded: LoadedClient, cwd: Path) -> Applied:
    """The corrected answers of a client's runs as a change of its file of scenarios.

    Of each person the latest counts. Where these differ, none is taken.

    Raises:
        InputError: the file cannot be read, or cannot be changed in these places alone.
    """
    language = loaded.client.language
    applied = choose_corrections(corrections(store, loaded.client.name), loaded.scenarios, language)
    if not applied.proposals:
        return applied
    answers = {each.scenario: {"answer": one_or_all(each.answers)} for each in applied.proposals}
    return replace(applied, edit=with_expected(scenarios_source(loaded, cwd), answers))


def scenarios_source(loaded: LoadedClient, cwd: Path) -> Source:
    """The file of a client's scenarios."""
    written = read_client_file(loaded.catalog.file(CLIENT_FILE)).entry.scenarios
    return find_scenarios(Path(loaded.client.folder), written.file if written else None, cwd)


@dataclass(frozen=True, slots=True)
class Promoted:
    """A conversation as a scenario of its own; `old`: what its own scenario expects.

    `by`: who wrote its answer; `edit` None: the file has this scenario already.
    """

    scenario: Scenario
    old: tuple[str, ...]
    by: tuple[str, ...]
    edit: Edit | None

    @property
    def diff(self) -> str:
        """The change of the file."""
        return self.edit.diff if self.edit else ""


def promote(
    store: Store,
    loaded: LoadedClient,
    header: RunHeader,
    key: str,
    cwd: Path,
    documents: Sequence[str] = (),
) -> Promoted:
    """A conversation of a run as a scenario tagged `regression`, for the file of scenarios.

    It has the query, what the user knew, and the corrected answer, which takes the place of the
    expected ones; expected elements that are not in it are left out. Where the answer was corrected
    on a later turn, what the user asked there is the goal. It expects `documents`, if there are
    any.

    Raises:
        InputError: there is no such conversation, nothing says what is right, people correct it
            differently, or the file cannot be changed.
    """
    reviewed = next(iter(store.reviewed(header.id, only={key})), None)
    if reviewed is None or header.client != loaded.client.name:
        where = f"run {header.id} of {visible(header.client)}"
        raise InputError(
            f"{where} has no conversation {visible(key)} of {loaded.client.name}; "
            f"mogi show {header.id} --failed lists them"
        )
    episode, verdicts = reviewed
    turn, texts = _corrected(episode, verdicts)
    if len(set(texts.values())) > 1:
        each = "; ".join(f"{who[0] or who[1]}: {text}" for who, text in texts.items())
        raise InputError(f"corrections of {key} turn {turn} differ ({each}); agree on one")
    base = episode.scenario or loaded.scenarios.get(episode.cell.scenario)
    base = base or Scenario(episode.cell.scenario, episode.turns[0].exchange.user)
    was, language = base.expected, loaded.client.language
    if not texts and not was.answers and not was.elements:
        raise InputError(
            f"{key} has no corrected answer, and its scenario has no expected one; write one in "
            f"the worksheet and import it: mogi review pull {header.id} --from FILE"
        )
    expected = was
    if texts:
        new = next(iter(texts.values()))
        lacks = _lacking(was.elements, new, language)
        expected = replace(
            was, answers=(new,), elements=tuple(e for e in was.elements if e not in lacks)
        )
    if documents:
        expected = replace(expected, documents=tuple(documents))
    goal = base.goal if turn == 1 else episode.turns[turn - 1].exchange.user
    name = f"{base.id}-{REGRESSION}"
    names = chain([name], (f"{name}-{n}" for n in count(2)))
    scenario = replace(
        base,
        id=next(name for name in names if name not in loaded.scenarios),
        goal=goal,
        expected=expected,
        personas=(episode.cell.persona,) if episode.cell.persona in loaded.personas else (),
        tags=tuple(dict.fromkeys((*base.tags, REGRESSION))),
    )
    by = tuple(dict.fromkeys(who[0] or who[1] for who in texts))
    # One that asks and expects the same tests it already, for this persona or all of them.
    same = (
        replace(other, id=scenario.id, personas=scenario.personas, tags=scenario.tags)
        for other in loaded.scenarios.values()
        if set(other.personas or loaded.personas) >= set(scenario.personas or loaded.personas)
    )
    edit = None if scenario in same else with_scenario(scenarios_source(loaded, cwd), scenario)
    return Promoted(scenario, was.answers, by, edit)


def _corrected(
    episode: Episode, verdicts: Sequence[Verdict]
) -> tuple[int, dict[tuple[str, str], str]]:
    """The first turn on which somebody corrected the answer, and how; the first turn of all."""
    for turn in range(1, len(episode.turns) + 1):
        by_person = latest(verdict for verdict in verdicts if verdict.turn == turn)
        texts = {who: verdict.corrected for who, verdict in by_person.items() if verdict.corrected}
        if texts:
            return turn, texts
    return 1, {}


def write_edit(edit: Edit | None) -> None:
    """Make a change of a file of scenarios.

    Raises:
        InputError: the file is one of mogi's own, or of a kind that is not written, was changed
            meanwhile, or cannot be written.
    """
    if edit is None:
        return
    if edit.after is None:
        raise edit.source.error(0, "isn't a .yaml or .csv file; edit it by hand")
    if is_shipped(edit.source.path):
        message = "is built in, so mogi never changes it; create your own client: mogi init NAME"
        raise edit.source.error(0, message)
    edit.write()


def corrections(store: Store, client: str) -> Iterator[Correction]:
    """What people wrote as corrected answers on a client's conversations, each once.

    Answers of files are left out: their rows are no scenarios.
    """
    seen: set[tuple[object, ...]] = set()
    for row in store.runs():
        if row.client != client:
            continue
        header = store.header(row.id)
        if header.is_of_rows:
            continue
        for correction in _of_run(store, header):
            name = (correction.episode, correction.turn, correction.who, correction.at)
            if (*name, correction.text) not in seen:  # a rejudge holds those of its run
                seen.add((*name, correction.text))
                yield correction


def _of_run(store: Store, header: RunHeader) -> Iterator[Correction]:
    looked_at = (verdict for verdict in store.verdicts(header.id) if not verdict.folded_from)
    verdicts = sorted(looked_at, key=_place)  # stable: in order within a turn
    styled = header.snapshot.get("client.user.open") == "styled"
    complete = set(store.keys(header.id)) if verdicts else set()
    for (key, turn), on_turn in groupby(verdicts, key=_place):
        texts = {who: v for who, v in latest(on_turn).items() if v.corrected}
        if not texts or key not in complete:
            continue
        episode = store.episode(header.id, key)
        if turn > len(episode.turns):
            continue
        query = episode.scenario.query if turn == 1 and episode.scenario else ""  # styled or not
        question = query or episode.turns[turn - 1].exchange.user
        for who, verdict in texts.items():
            yield Correction(
                episode.cell.scenario, header.id, key, turn, who, verdict.at, verdict.corrected,
                question, styled,
            )  # fmt: skip


def _place(verdict: Verdict) -> tuple[str, int]:
    return verdict.episode, verdict.turn


def choose_corrections(
    corrections: Iterator[Correction], scenarios: Mapping[str, Scenario], language: Language
) -> Applied:
    """Which corrected answers are taken; all others are listed with the reason."""
    fitting: dict[str, list[Correction]] = {}
    left: list[Left] = []
    for correction in corrections:
        scenario = scenarios.get(correction.scenario)
        why = _why_not(correction, scenario)
        if scenario and why is Rejection.LATER_TURN and _is_expected(correction.text, scenario):
            continue
        if why is None:
            fitting.setdefault(correction.scenario, []).append(correction)
        else:
            left.append(Left(why, correction))
    proposals = []
    same = 0
    for name, scenario in scenarios.items():
        newest = _newest(fitting.get(name, []))
        texts = {correction.text for correction in newest}
        old = scenario.expected.answers
        if len(texts) > 1:
            left += [Left(Rejection.DIFFER, correction) for correction in newest]
        elif texts and all(_is_expected(text, scenario) for text in texts):
            same += 1
        elif texts:
            by = dict.fromkeys(c.who[0] or c.who[1] for c in newest)
            new = texts.pop()
            lacks = map(element_name, _lacking(scenario.expected.elements, new, language))
            kept = old if len(old) > 1 else ()
            was = element_name(old)
            rest = replace(scenario, expected=replace(scenario.expected, answers=kept))
            denies = denied_expectation(new, rest, language)
            proposals.append(
                Proposal(name, scenario.query, was, new, tuple(by), tuple(lacks), kept, denies)
            )
    left.sort(key=lambda item: (list(Rejection).index(item.why), item.correction.episode))
    return Applied(tuple(proposals), tuple(left), same)


def _why_not(correction: Correction, scenario: Scenario | None) -> Rejection | None:
    if scenario is None:
        return Rejection.NO_SCENARIO
    if correction.turn > 1:
        return Rejection.LATER_TURN
    is_same_question = visible(correction.question) == visible(scenario.query)
    return None if is_same_question or correction.styled else Rejection.ASKED


def denied_expectation(text: str, scenario: Scenario, language: Language) -> str:
    """What a person expects in a scenario that an answer contradicts; empty where it does not.

    What was generated and nobody has confirmed yields to the answer.
    """
    claims = claims_of(scenario.expected)
    if scenario.expected.approved is Approval.OPEN or not claims:
        return ""
    for claim, reading in zip(
        claims, read_words(claims, scenario.query, text, language), strict=True
    ):
        is_unmet = reading.state is State.UNMET and claim.kind is not ClaimKind.SAYS
        if reading.state is State.VIOLATED or is_unmet:
            return reading.against or _KEYS.get(claim.kind, "")
    return ""


def _is_expected(text: str, scenario: Scenario) -> bool:
    """Whether a scenario expects this answer already, but for width and spaces."""
    return normal_form(text) in map(normal_form, scenario.expected.answers)


def _lacking(elements: Sequence[Element], text: str, language: Language) -> list[Element]:
    """The elements that an answer does not say, as far as words can prove it."""
    return [
        element
        for element in elements
        if not any(says(text, wording, language) is State.MET for wording in element)
    ]


def _newest(corrections: Sequence[Correction]) -> list[Correction]:
    """The latest of each person; several, where one wrote different texts at once."""
    last: dict[tuple[str, str], str] = {}
    for correction in corrections:
        last[correction.who] = max(last.get(correction.who, ""), correction.at)
    newest = [correction for correction in corrections if correction.at == last[correction.who]]
    return list({(c.who, c.text): c for c in newest}.values())
