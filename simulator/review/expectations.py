"""Generated expectations, confirmed by people: the claims to judge, and what their words change.

A scenario is confirmed when somebody judged each of its claims. Once 20 claims drawn at random from
all generated ones are judged, with at most one struck or changed, the others may be confirmed in
bulk. What people say is kept in a file beside the scenarios, a JSON line each.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

from simulator.core.claim import Claim, ClaimKind, claims_of
from simulator.core.clean import normal_form
from simulator.core.persona import Language
from simulator.core.plan import seed_of
from simulator.core.scenario import Approval, Expected, Quote, Scenario
from simulator.core.talk import Document
from simulator.files.catalog import is_shipped
from simulator.files.client.folder import LoadedClient
from simulator.files.scenarios.expected import (
    APPROVED,
    GENERATED_FILE,
    Edit,
    one_or_all,
    with_expected,
)
from simulator.files.scenarios.loading import load_scenarios
from simulator.formats.fields import json_lines
from simulator.formats.sources import Source, inside
from simulator.formats.yaml.writing import Value
from simulator.review.corrected_answers import scenarios_source, write_edit
from simulator.statistics.paired import upper_bound
from simulator.view.results import seconds_to_decide

SAMPLE = 20
"""So many claims drawn at random are judged before the others may be confirmed in bulk."""
MOST_WRONG = 1
"""So many of them may be struck or changed."""
NEW = "+"
"""In place of a claim's id: a claim that a person adds."""
_HISTORY = ".review.jsonl"
WORDED = (ClaimKind.SAYS, ClaimKind.MUST_NOT)
"""Kinds of claims that have wordings."""


ClaimName = tuple[str, str]
"""A scenario's id, and that of its claim."""


class Decision(StrEnum):
    """What a person says about a claim."""

    OK = "ok"  # with `after`: and it may be said in these other words, too
    STRIKE = "strike"
    CHANGE = "change"
    ADD = "add"
    BULK = "bulk"  # about a scenario as a whole
    REMARK = "remark"  # a comment alone


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person says about a claim, as the history keeps it.

    Attributes:
        claim: its id; `NEW` for one that is added, empty for a scenario as a whole.
        before: its wordings as they were; empty for kinds without a wording.
        after: its wordings from now on.
        source: the worksheet, or the page.
        at: when it was taken, ISO 8601 in UTC.
    """

    scenario: str
    claim: str
    kind: ClaimKind | None
    decision: Decision
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    comment: str = ""
    reviewer: str = ""
    source: str = ""
    at: str = ""

    def same_as(self, other: "Judgement") -> bool:
        """True if it says the same of the same claim, by the same person; with no new wording."""
        is_ok = self.decision is Decision.OK
        is_known = set(self.after) <= set(other.after) if is_ok else self.after == other.after
        about = (self.scenario, self.claim, self.kind, self.decision, self.comment, self.reviewer)
        return is_known and about == (
            other.scenario, other.claim, other.kind, other.decision, other.comment, other.reviewer
        )  # fmt: skip

    @property
    def name(self) -> ClaimName:
        """Which claim it is about."""
        return self.scenario, self.claim

    @property
    def made(self) -> str:
        """The id of the claim that there is from now on; empty if there is none."""
        if self.decision in (Decision.STRIKE, Decision.BULK, Decision.REMARK) or self.kind is None:
            return ""
        return claim_id(self.kind, self.after) if self.after else self.claim


_JUDGEMENT = TypeAdapter(Judgement)


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim to judge, with all that a person needs for it; `claim` None: to add one.

    `entries` are the expected entries of the knowledge base; `drawn`: it is one of the sample;
    `judged`: what was said about it last.
    """

    scenario: Scenario
    entries: tuple[Document, ...]
    claim: Claim | None
    quotes: tuple[Quote, ...] = ()
    drawn: bool = False
    judged: Judgement | None = None

    def seconds(self, language: Language, *, is_alone: bool) -> float:
        """How long a person takes: to read the question, the claim and its source, and to decide.

        The source is the quote or, without one, the entries. Below another claim of its scenario
        (not `is_alone`) question and entries are read already.
        """
        texts = [*(self.claim.wordings if self.claim else ()), *(q.text for q in self.quotes)]
        if is_alone:
            texts.append(self.scenario.query)
            texts += [] if self.quotes else [entry.text for entry in self.entries]
        return seconds_to_decide(sum(map(len, texts)), language)


@dataclass(frozen=True, slots=True)
class Draw:
    """The sample: how many claims were drawn of how many, and what people say of them."""

    claims: int
    drawn: int
    judged: int
    wrong: int

    @property
    def upper(self) -> float | None:
        """The share of wrong claims is at most this, with 95 % confidence; None: none is judged."""
        return upper_bound(self.wrong, self.judged) if self.judged else None

    @property
    def opens_bulk(self) -> bool:
        """True if the other claims may be confirmed in bulk."""
        return self.judged == self.drawn > 0 and self.wrong <= MOST_WRONG


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A file of scenarios, and what people said about those in it, oldest first."""

    source: Source
    scenarios: Mapping[str, Scenario]
    history: tuple[Judgement, ...] = ()


@dataclass(frozen=True, slots=True)
class Expectations:
    """What a client's scenarios expect, of all its files."""

    client: str
    language: Language
    files: tuple[ScenarioFile, ...]
    documents: Mapping[str, Document]

    @property
    def scenarios(self) -> dict[str, Scenario]:
        """By their ids; where two files have one, that of the first."""
        return {name: s for file in reversed(self.files) for name, s in file.scenarios.items()}

    @property
    def history(self) -> list[Judgement]:
        """What people said, oldest first within a file."""
        return [judgement for file in self.files for judgement in file.history]

    def rows(self) -> list[ClaimRow]:
        """The claims of scenarios that nobody confirmed: the sample first, then by scenario."""
        sample, judged = self._sample(), _latest(self.history)
        drawn = dict[ClaimName, ClaimRow]()
        others = list[ClaimRow]()
        for scenario in self._waiting():
            wanted = scenario.expected
            known = (self.documents.get(name) for name in wanted.documents)
            entries = tuple(entry for entry in known if entry)
            for claim in claims_to_judge(wanted):
                name, quotes = (scenario.id, claim.id), _quotes_of(claim, wanted.quotes)
                row = ClaimRow(scenario, entries, claim, quotes, name in sample, judged.get(name))
                if row.drawn:
                    drawn[name] = row
                else:
                    others.append(row)
            others.append(ClaimRow(scenario, entries, None))
        return [*(drawn[name] for name in sample if name in drawn), *others]

    def to_judge(self) -> list[ClaimRow]:
        """The claims that nobody judged yet."""
        return [row for row in self.rows() if row.claim and not row.judged]

    def draw(self) -> Draw:
        """How far the sample is judged."""
        words, sample = defaultdict[ClaimName, set[Decision]](set), self._sample()
        for judgement in self.history:
            if judgement.decision is not Decision.REMARK:
                words[judgement.name].add(judgement.decision)
        seen = [words[name] for name in sample if name in words]
        wrong = sum(not some.isdisjoint((Decision.STRIKE, Decision.CHANGE)) for some in seen)
        return Draw(len(self._generated()), len(sample), len(seen), wrong)

    def counts(self) -> Counter[Approval]:
        """How many scenarios are confirmed, in bulk, or not."""
        return Counter(scenario.expected.approved for scenario in self.scenarios.values())

    def seconds(self, *, only_sample: bool = False) -> float:
        """How long a person takes for what is not judged yet."""
        total, last = 0.0, ""
        for row in self.to_judge():
            if only_sample and not row.drawn:
                continue
            is_alone = row.drawn or row.scenario.id != last
            total += row.seconds(self.language, is_alone=is_alone)
            last = "" if row.drawn else row.scenario.id
        return total

    def _waiting(self) -> Iterator[Scenario]:
        return (s for s in self.scenarios.values() if s.expected.approved is Approval.OPEN)

    def _sample(self) -> list[ClaimName]:
        """The claims drawn, in their order: those with the smallest numbers of their own.

        Whatever is generated later, they are a random sample of all that was generated so far.
        """

        def number(name: ClaimName) -> int:
            return seed_of(0, self.client, "expectations", *name)

        return sorted(self._generated(), key=number)[:SAMPLE]

    def _generated(self) -> set[ClaimName]:
        """The claims that were generated: as they were before people changed any."""
        scenarios, history = self.scenarios, self.history
        spoken_of = {judgement.scenario for judgement in history}
        present = {
            (name, claim.id)
            for name, scenario in scenarios.items()
            if scenario.expected.approved is not Approval.CONFIRMED or name in spoken_of
            for claim in claims_to_judge(scenario.expected)
        }
        by_people = {
            (j.scenario, j.made)
            for j in history
            if j.decision in (Decision.ADD, Decision.CHANGE) and j.made != j.claim
        }
        judged = {j.name for j in history if j.claim not in ("", NEW) and j.scenario in scenarios}
        return (present | judged) - by_people


def read_expectations(loaded: LoadedClient, cwd: Path) -> Expectations:
    """What a client's scenarios expect: those of its own file, and of the generated one.

    Raises:
        InputError: a file of scenarios, or of what people said about it, cannot be read.
    """
    folder = Path(loaded.client.folder)
    folder = cwd if is_shipped(folder) else folder  # where `mogi generate` writes
    own = scenarios_source(loaded, cwd)
    files = [ScenarioFile(own, loaded.scenarios, _history_of(own))]
    generated = folder / GENERATED_FILE
    if generated.exists() and generated.resolve() != own.path.resolve():
        source = Source.of(generated, cwd, inside(folder, cwd))
        more = load_scenarios(folder, file=generated, cwd=cwd)
        new = {name: scenario for name, scenario in more.items() if name not in loaded.scenarios}
        files.append(ScenarioFile(source, new, _history_of(source)))
    entries = loaded.knowledge.documents() if loaded.knowledge else ()
    documents = {str(entry.id): entry for entry in entries}
    return Expectations(loaded.client.name, loaded.client.language, tuple(files), documents)


class Trouble(StrEnum):
    """Why something that a person wrote is not taken."""

    GONE = "gone"  # the file says something else by now
    DIFFER = "differ"  # two rows say different things about one claim
    NO_SCENARIO = "no_scenario"
    NOTHING_LEFT = "nothing_left"  # a text without a letter


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something that is not taken; `now`: the claims of its kind that the file has."""

    why: Trouble
    judgement: Judgement
    now: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of judgements: the new state, the changes of files, and what is not taken.

    `same`: said before. `refused`: bulk approval is not open yet.
    """

    before: Expectations
    after: Expectations
    new: tuple[Judgement, ...]
    edits: tuple[Edit, ...]
    conflicts: tuple[Conflict, ...] = ()
    same: int = 0
    refused: bool = False

    @property
    def diff(self) -> str:
        """The changes of the files of scenarios."""
        return "".join(edit.diff for edit in self.edits)


@dataclass(slots=True)
class _Taking:
    """Judgements as they are taken, one after the other."""

    expected: dict[str, Expected]
    by_claim: defaultdict[ClaimName, list[Judgement]]
    latest: dict[ClaimName, Judgement]  # by the id that a claim has now
    new: list[Judgement] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    same: int = 0

    def add(self, judgement: Judgement) -> None:
        """Take one, count it as known, or keep it as a conflict."""
        wanted = self.expected.get(judgement.scenario)
        if wanted is None:
            self.conflicts.append(Conflict(Trouble.NO_SCENARIO, judgement))
        elif self._is_known(judgement):
            self.same += 1
        elif judgement.after and not normal_form(judgement.after[0]):
            self.conflicts.append(Conflict(Trouble.NOTHING_LEFT, judgement))
        else:
            self._take(judgement, wanted)

    def _is_known(self, judgement: Judgement) -> bool:
        name, who = judgement.name, judgement.reviewer
        mine = [j for j in self.by_claim[name] if j.reviewer == who]
        if judgement.claim == NEW or judgement.decision is Decision.REMARK:
            return any(map(judgement.same_as, mine))
        words = [j for j in mine if j.decision is not Decision.REMARK]
        if words and (judgement.same_as(words[-1]) or words[-1].decision is not Decision.CHANGE):
            return judgement.same_as(words[-1])
        last = self.latest.get(name)
        if last is None or last.reviewer != who:
            return False
        # Who wrote a claim confirms it.
        is_plain = judgement.decision is Decision.OK and not judgement.after
        return is_plain and judgement.comment in ("", last.comment)

    def _take(self, judgement: Judgement, wanted: Expected) -> None:
        present = {claim.id: claim for claim in claims_to_judge(wanted)}
        claim = present.get(judgement.claim)
        after, before = judgement.after, claim.wordings if claim else ()
        is_ok = judgement.decision is Decision.OK
        is_older = not is_ok and judgement.before not in ((), before)
        if judgement.claim not in ("", NEW) and (claim is None or is_older):
            now = (c.text for c in present.values() if c.kind is judgement.kind)
            self.conflicts.append(Conflict(Trouble.GONE, judgement, tuple(now)))
            return
        if is_ok and after:
            after = tuple(dict.fromkeys((*before, *after)))
        judgement = replace(judgement, before=before, after=after)
        self.new.append(judgement)
        self.by_claim[judgement.name].append(judgement)
        self.latest |= _latest([judgement])
        self.expected[judgement.scenario] = _changed(wanted, claim, judgement)

    def confirm(self) -> None:
        """Confirm the scenarios of which each claim is judged."""
        for name in {judgement.scenario for judgement in self.new}:
            wanted = self.expected[name]
            is_open = wanted.approved is not Approval.CONFIRMED
            if is_open and all((name, c.id) in self.latest for c in claims_to_judge(wanted)):
                self.expected[name] = replace(wanted, approved=Approval.CONFIRMED)

    def confirm_others(self, by: Judgement) -> None:
        """Confirm all others in bulk."""
        for name, wanted in self.expected.items():
            if wanted.approved is Approval.OPEN:
                self.expected[name] = replace(wanted, approved=Approval.BULK)
                self.new.append(replace(by, scenario=name))


def take(
    expectations: Expectations, judgements: Sequence[Judgement], *, bulk: Judgement | None = None
) -> Taken:
    """What judgements change; nothing is written yet.

    Args:
        expectations: as they are.
        judgements: in the order in which they were given.
        bulk: who confirms all others, if the sample allows it; its scenario is left empty.

    Raises:
        InputError: a file cannot be changed in these places alone.
    """
    at = datetime.now(UTC).isoformat(timespec="seconds")
    was = {name: scenario.expected for name, scenario in expectations.scenarios.items()}
    by_claim = defaultdict[ClaimName, list[Judgement]](list)
    for judgement in expectations.history:
        by_claim[judgement.name].append(judgement)
    taking = _Taking(dict(was), by_claim, _latest(expectations.history))
    versions = defaultdict[ClaimName, set[tuple[str, ...]]](set)
    for each in judgements:
        if each.claim != NEW and each.decision is not Decision.REMARK:
            versions[each.name].add((each.decision, *each.after))
    for each in judgements:
        if len(versions[each.name]) > 1:
            taking.conflicts.append(Conflict(Trouble.DIFFER, each))
        else:
            taking.add(replace(each, at=each.at or at))
    taking.confirm()
    after = _with(expectations, taking.expected, taking.new)
    is_allowed = after.draw().opens_bulk
    if bulk is not None and is_allowed:
        taking.confirm_others(replace(bulk, at=at))
        after = _with(expectations, taking.expected, taking.new)
    edits = tuple(
        with_expected(file.source, changes)
        for file in expectations.files
        if (changes := _changes(file, was, taking.expected))
    )
    new, conflicts = tuple(taking.new), tuple(taking.conflicts)
    refused = bulk is not None and not is_allowed and after.counts()[Approval.OPEN] > 0
    return Taken(expectations, after, new, edits, conflicts, taking.same, refused)


def write(taken: Taken) -> None:
    """Change the files of scenarios, and add to the history what people said.

    Raises:
        InputError: a file was changed meanwhile, comes with mogi, or cannot be written.
    """
    edits = {edit.source.path: edit for edit in taken.edits}
    for file in taken.before.files:
        write_edit(edits.get(file.source.path))
        if lines := [j for j in taken.new if j.scenario in file.scenarios]:
            _append(file.source, lines)


def in_bulk(reviewer: str, source: str = "") -> Judgement:
    """That somebody confirms in bulk what is left."""
    return Judgement("", "", None, Decision.BULK, reviewer=reviewer, source=source)


def claims_to_judge(wanted: Expected) -> tuple[Claim, ...]:
    """The claims that a person confirms; that it can be answered only where nothing else is."""
    claims = claims_of(wanted)
    others = tuple(claim for claim in claims if claim.kind is not ClaimKind.ANSWERS)
    return others or claims


def claim_id(kind: ClaimKind, wordings: tuple[str, ...]) -> str:
    """The id of a claim of this kind."""
    if kind is ClaimKind.MUST_NOT:
        return claims_of(Expected(must_not=wordings))[0].id
    return claims_of(Expected(elements=(wordings,)))[0].id


def _latest(history: Iterable[Judgement]) -> dict[ClaimName, Judgement]:
    """The last word on each claim that there is, by the id that it has now."""
    return {(j.scenario, j.made): j for j in history if j.made}


def _quotes_of(claim: Claim, quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """The quote that shares most with a claim; all of them where it has no wording."""
    if not claim.wordings or len(quotes) < 2:
        return tuple(quotes)
    pairs = _pairs(claim.text)
    return (max(quotes, key=lambda quote: len(pairs & _pairs(quote.text))),)


def _pairs(text: str) -> set[str]:
    form = normal_form(text)
    return {form[at : at + 2] for at in range(len(form) - 1)}


def _changed(wanted: Expected, claim: Claim | None, judgement: Judgement) -> Expected:
    """What is expected after a person's word."""
    after = judgement.after
    match judgement.decision:
        case Decision.ADD if judgement.kind is ClaimKind.MUST_NOT:
            return replace(wanted, must_not=tuple(dict.fromkeys((*wanted.must_not, *after))))
        case Decision.ADD:
            # An answer alone is a claim; beside elements it is none, so it becomes one of them.
            whole = (wanted.answers,) if any(c.is_whole for c in claims_of(wanted)) else ()
            elements = dict.fromkeys((*(wanted.elements or whole), after))
            answerable = True if wanted.answerable is False else wanted.answerable
            return replace(wanted, elements=tuple(elements), answerable=answerable)
        case Decision.STRIKE | Decision.CHANGE | Decision.OK if claim and (
            after or judgement.decision is Decision.STRIKE
        ):
            return _replaced(wanted, claim, after)
    return wanted


def _replaced(wanted: Expected, claim: Claim, after: tuple[str, ...]) -> Expected:
    """With other wordings of a claim, or without it."""
    match claim.kind:
        case ClaimKind.SAYS if claim.is_whole:
            return replace(wanted, answers=after)
        case ClaimKind.SAYS:
            kept = (
                after if tuple(filter(normal_form, element)) == claim.wordings else element
                for element in wanted.elements
            )
            return replace(wanted, elements=tuple(filter(None, kept)))
        case ClaimKind.MUST_NOT:
            texts = (after if (text,) == claim.wordings else (text,) for text in wanted.must_not)
            return replace(wanted, must_not=tuple(text for some in texts for text in some))
        case ClaimKind.HANDS_OVER:
            return replace(wanted, escalate=False)
        case ClaimKind.DECLINES:
            return replace(wanted, answerable=True)
    return replace(wanted, answerable=False)


def _with(
    expectations: Expectations, expected: Mapping[str, Expected], new: Sequence[Judgement]
) -> Expectations:
    """The state once this is written."""
    files = tuple(
        replace(
            file,
            scenarios={n: replace(s, expected=expected[n]) for n, s in file.scenarios.items()},
            history=(*file.history, *(j for j in new if j.scenario in file.scenarios)),
        )
        for file in expectations.files
    )
    return replace(expectations, files=files)


def _changes(
    file: ScenarioFile, was: Mapping[str, Expected], now: Mapping[str, Expected]
) -> dict[str, dict[str, Value]]:
    """The keys of `expected` that change in a file, by scenario."""
    pairs = {name: (_written(was[name]), _written(now[name])) for name in file.scenarios}
    return {
        name: {key: value for key, value in new.items() if value != old.get(key)}
        for name, (old, new) in pairs.items()
        if new != old
    }


def _written(wanted: Expected) -> dict[str, Value]:
    """The keys that people's words change, as a file has them."""
    values: dict[str, Value] = {
        "answer": one_or_all(wanted.answers) if wanted.answers else "",
        "elements": [one_or_all(element) for element in wanted.elements],
        "must_not": list(wanted.must_not),
        "escalate": wanted.escalate,
        "approved": APPROVED[wanted.approved],
    }
    return values if wanted.answerable is None else {**values, "answerable": wanted.answerable}


def history_source(source: Source) -> Source:
    """Where what people said about a file of scenarios is kept."""
    path = source.path.with_suffix(_HISTORY)
    name = f"{source.name.removesuffix(source.path.name)}{path.name}"
    return Source(path, name, within=source.within)


def _history_of(source: Source) -> tuple[Judgement, ...]:
    complaint = "isn't a line of `mogi review expectations`; remove or fix it"
    return tuple(json_lines(history_source(source), _JUDGEMENT, complaint))


def _append(source: Source, lines: Iterable[Judgement]) -> None:
    kept = history_source(source)
    text = b"".join(_JUDGEMENT.dump_json(line, exclude_defaults=True) + b"\n" for line in lines)
    try:
        with open(kept.confined(), "ab") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        reason = error.strerror or str(error)
        raise kept.error(0, f"can't be written ({reason}); check its permissions") from error
