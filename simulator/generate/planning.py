"""What is there already, what is missing, what a session would cost, and its rounds."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol

from pydantic import TypeAdapter

from simulator.core.concurrency import Halt, work_off
from simulator.core.errors import InputError, ModelError
from simulator.core.events import Event
from simulator.core.plan import Price
from simulator.formats.fields import json_lines
from simulator.formats.sources import Source
from simulator.generate.attempts import Attempts, Progress
from simulator.generate.conversation import Prompts, TaskWriter
from simulator.generate.facts import DroppedFact
from simulator.generate.forms import (
    UNUSABLE,
    Candidate,
    QuestionFault,
    Rejected,
    check_form,
    draft_form,
)
from simulator.generate.scenario_file import (
    Existing,
    check_output,
    document_ids,
    read_existing,
    scenario_hash,
)
from simulator.generate.units import (
    AT_ONCE,
    METHODS,
    Method,
    Nearness,
    Questions,
    SessionRequest,
    Unit,
    UnitPlace,
    digest_of,
    second_place,
    units_of,
)
from simulator.llm.prices import NOTHING, TOKENS_PER_CHAR, Bounds, ModelUse, money
from simulator.llm.structured import form_of
from simulator.words import counted

Status = Literal["kept", "edited", "deleted", "dropped", "unfilled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLine:
    """One question of a unit, or (unfilled) the numbers for which none was found.

    `kept`, `edited` and `deleted` say where the scenario `id` stands: as it was written, changed
    by hand, or taken out by hand. `dropped`: what `fault` and `detail` say. `ranks`: where a
    search finds the entries by this question (None: not among the first 50). `scenario`, `entry`
    and `made` are hashes: of the scenario as written, of the entries' texts, of what it was made
    with. `asked`: how often a log has the question. `dropped_facts`: what the model wrote about
    its answer and the entries do not support.
    """

    status: Status
    unit: str
    method: str
    entries: tuple[str, ...]
    persona: str = ""
    number: int = 0
    id: str = ""
    query: str = ""
    fault: str = ""
    detail: str = ""
    attempt: int = 0
    checks: int = 0
    found_faulty: int = 0
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    model: str = ""
    scenario: str = ""
    entry: str = ""
    made: str = ""
    asked: int = 0
    dropped_facts: tuple[DroppedFact, ...] = ()

    @property
    def has_number(self) -> bool:
        """Whether a scenario came of it: it stands in the file, or somebody took it out."""
        return self.status in ("kept", "edited", "deleted")


_LINE = TypeAdapter(ReportLine)


def report_path(output: Path) -> Path:
    """The report that belongs to a generated file."""
    return output.with_name(f"{output.stem}.report.jsonl")


def read_report(path: Path) -> list[ReportLine]:
    """The lines of a report; none where there is no file.

    Raises:
        InputError: it cannot be read, or a line is none of a report.
    """
    complaint = (
        "this isn't a line of a `mogi generate` report; remove the line "
        "(mogi may then generate its question again)"
    )
    return json_lines(Source.of(path), _LINE, complaint)


def tried_entries(output: Path, method: Method) -> frozenset[str]:
    """The ids of the entries of which a generated file's report tells by a method.

    None where there is no report, or none that can be read.
    """
    with suppress(InputError):
        lines = read_report(report_path(output))
        return frozenset(name for line in lines if line.method == method for name in line.entries)
    return frozenset()


def report_text(lines: Iterable[ReportLine]) -> str:
    """The lines as JSON; what is empty is left out."""
    data = (_LINE.dump_python(line, exclude_defaults=True) for line in lines)
    return "".join(f"{json.dumps(entries, ensure_ascii=False)}\n" for entries in data)


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """A session before its first call.

    `units` are all that are wanted, `open` those of them that have something to do, in order;
    `asks_a_model`: any of that is to be paid for. `lines` is the report as it stands, looked at
    with the file; `documents` maps entries to the client's documents.
    """

    request: SessionRequest
    prompts: Prompts
    near: Nearness
    existing: Existing
    lines: tuple[ReportLine, ...]
    documents: Mapping[str, str]
    units: tuple[Progress, ...] = ()
    open: tuple[Progress, ...] = ()
    asks_a_model: bool = False

    def known_questions(self) -> Questions:
        """The questions that stand in the file, and those that people took out of it."""
        questions = Questions(self.request.client.language)
        for scenario in self.existing.scenarios.values():
            questions.add(
                scenario.query, scenario.personas[0] if len(scenario.personas) == 1 else ""
            )
        for line in self.lines:
            if line.status == "deleted":
                questions.add(line.query, line.persona)
        return questions

    def made_of(self, unit: Unit) -> str:
        """The hash of all that decides what comes of a unit."""
        with_ = self.request.made_with(self.prompts.digest())
        return f"{with_}-{unit.digest()}-{unit.wanted}"

    def notes(self) -> list[str]:
        """What a person should know of the file and the FAQ."""
        return list(filter(None, [*_changes(self), _unknown_documents(self)]))


def plan(request: SessionRequest) -> SessionPlan:
    """Look at the file, its report and the FAQ. Writes nothing.

    Raises:
        InputError: something is wrong with one of them, or the file cannot be written.
    """
    check_output(request.output)
    path = report_path(request.output)
    existing = read_existing(request.output, has_report=path.exists())
    lines = read_report(path)
    if not request.output.exists():
        lines = _of_nothing_made(lines)
    lines = [_seen(line, existing) for line in lines]
    client = request.client
    near = Nearness(request.entries, client.language)
    request = _with_log(request, lines, existing)
    units = units_of(request.entries, near, request)
    lines += _unlisted(units, lines, existing)
    made = SessionPlan(
        request=request,
        prompts=Prompts.of(lambda name: request.loaded.catalog.prompt(client.language, name)),
        near=near,
        existing=existing,
        lines=tuple(lines),
        documents=document_ids(request.entries, request.loaded.knowledge),
    )
    of_unit: defaultdict[str, list[ReportLine]] = defaultdict(list)
    for line in lines:
        of_unit[line.unit].append(line)
    begun = tuple(_begun(made, unit, of_unit[unit.key]) for unit in units)
    todo = tuple(progress for progress in begun if progress.open)
    paid = any(request.asks(progress.unit) for progress in todo)
    return replace(made, units=begun, open=todo, asks_a_model=paid)


def place_of(line: ReportLine, places: Mapping[str, int]) -> tuple[UnitPlace, int] | None:
    """Where a line's scenario belongs; None where its entry is no longer in the FAQ."""
    if any(entry not in places for entry in line.entries) or line.method not in METHODS:
        return None
    first, *others = [places[entry] for entry in line.entries] or [len(places)]
    third = second_place(others[0]) if others else line.persona
    if line.method == Method.LOG:
        third = line.unit
    return (first, METHODS.index(Method(line.method)), third), line.number


def _with_log(
    request: SessionRequest, lines: Iterable[ReportLine], existing: Existing
) -> SessionRequest:
    """The request with the log's clusters under their earlier names, and what is tested of them.

    What was made of a cluster before does not test it: it goes on as it began.
    """
    log, loaded = request.log, request.loaded
    if log is None:
        return request
    made = {name.rpartition("-")[0] for name in existing.scenarios}
    names = frozenset([*(line.unit for line in lines), *made])
    log = replace(log, clusters=tuple(cluster.as_one_of(names) for cluster in log.clusters))
    own = {f"{cluster.name}-1" for cluster in log.clusters}
    scenarios = {**loaded.scenarios, **existing.scenarios}
    passages = loaded.knowledge.documents() if loaded.knowledge else ()
    others = [scenario for name, scenario in scenarios.items() if name not in own]
    known = {str(passage.id): passage for passage in passages}
    return replace(request, log=log.against(others, known, request.client.language))


def _of_nothing_made(lines: Sequence[ReportLine]) -> list[ReportLine]:
    """What a report without its file is still good for: it tells which attempts failed.

    All else in it is about something that is gone, and is made anew.
    """
    failed = {line.unit for line in lines if is_to_be_tried_again(line)}
    return [line for line in lines if line.unit in failed and not line.has_number]


def _seen(line: ReportLine, existing: Existing) -> ReportLine:
    """A line with what became of its scenario since it was written."""
    if not line.has_number:
        return line
    scenario = existing.scenarios.get(line.id)
    if scenario is None:
        return replace(line, status="deleted")
    same = scenario_hash(scenario) == line.scenario
    return replace(line, status="kept" if same else "edited", query=scenario.query)


def _unlisted(
    units: Iterable[Unit], lines: Iterable[ReportLine], existing: Existing
) -> Iterable[ReportLine]:
    """Lines for scenarios that stand in the file and in no report, as if they had just come."""
    listed = {line.id for line in lines if line.has_number}
    for unit in units:
        for number in range(1, unit.wanted + 1):
            scenario = existing.scenarios.get(unit.id_of(number))
            if scenario is not None and scenario.id not in listed:
                yield replace(
                    report_line(unit, "kept"),
                    number=number,
                    id=scenario.id,
                    query=scenario.query,
                    scenario=scenario_hash(scenario),
                    entry=unit.digest(),
                )


def report_line(unit: Unit, status: Status) -> ReportLine:
    """A line about a unit, with nothing else in it yet."""
    return ReportLine(
        status=status,
        unit=unit.key,
        method=unit.method.value,
        entries=tuple(str(entry.id) for entry in unit.entries),
        persona=unit.voice,
    )


def is_to_be_tried_again(line: ReportLine) -> bool:
    """Whether numbers are open for want of a usable answer: another start asks for them again."""
    return line.status == "unfilled" and line.fault in UNUSABLE


def _begun(plan: SessionPlan, unit: Unit, lines: Sequence[ReportLine]) -> Progress:
    taken = {line.number for line in lines if line.has_number}
    failed = [line for line in lines if is_to_be_tried_again(line)]
    tried = {n.made for n in lines if n.status == "unfilled" and n not in failed}
    open_ = [number for number in range(1, unit.wanted + 1) if number not in taken]
    if plan.made_of(unit) in tried:  # the same again would come to the same
        open_ = []
    have = tuple(line.query for line in lines if line.has_number)
    spent = max((line.attempt for line in failed), default=0)
    return Progress(unit, open_, have, attempt=spent, spent=spent)


def _changes(plan: SessionPlan) -> Iterable[str]:
    known = {str(entry.id): entry for entry in plan.request.entries}
    alive = [line for line in plan.lines if line.status in ("kept", "edited")]
    gone = [line.id for line in alive if not known.keys() >= set(line.entries)]
    made = [line for line in alive if line.entries and line.entry and line.id not in gone]
    stale = [n.id for n in made if n.entry != digest_of(known[name] for name in n.entries)]
    if stale:
        yield (
            f"from entries that have changed since then: {counted(len(stale), 'scenario')}, "
            f"{_few(stale)}; check them (to regenerate one, delete it and its line in the "
            "report)"
        )
    if gone:
        yield f"of entries that are no longer there: {counted(len(gone), 'scenario')}, {_few(gone)}"


def _unknown_documents(plan: SessionPlan) -> str:
    strange = [str(e.id) for e in plan.request.entries if str(e.id) not in plan.documents]
    if not strange:
        return ""
    return (
        f"not in the client's knowledge: {counted(len(strange), 'entry', 'entries')} "
        f"({_few(strange)}); their scenarios don't have expected documents"
    )


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


_FAULTY = 0.2  # of the questions; each fault costs another attempt at its unit
_ASKED = Bounds(60, 200, 600)  # tokens of one question with its facts
_FACTS = 400  # characters of the facts of one question
_VERDICT = Bounds(25, 60, 200)  # tokens of one verdict with its reason
_QUESTION = {"ja": "パスワードを忘れて入れません", "en": "forgot my password, cannot log in"}


@dataclass(frozen=True, slots=True)
class SessionEstimate:
    """What a session would do. `cost_usd` None: no price is known."""

    units: int
    questions: int
    calls: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    cost_usd: Bounds | None

    def as_json(self) -> dict[str, object]:
        """The estimate as JSON values."""
        return asdict(self)


def estimate_session(plan: SessionPlan, price: Price | None) -> SessionEstimate:
    """What a session of this plan would do. Calls nothing.

    What a killed session has paid already is not taken off.
    """
    asking = [p for p in plan.open if plan.request.asks(p.unit)]
    work = sum((_work(plan, progress) for progress in asking), ModelUse())
    read = work.reads * TOKENS_PER_CHAR[plan.request.client.language]
    return SessionEstimate(
        units=len(plan.open),
        questions=sum(len(p.open) for p in plan.open),
        calls=work.calls.rounded(),
        input_tokens=read.rounded(),
        output_tokens=work.writes.rounded(),
        cost_usd=money(price, read, work.writes) if asking else NOTHING,
    )


def _work(plan: SessionPlan, progress: Progress) -> ModelUse:
    """The calls about one unit, the characters that they read and the tokens that they write."""
    unit, checks, most = progress.unit, plan.request.checks, plan.request.retries + 1
    asks, checked = _characters(plan, progress)
    wanted, confirming = len(progress.open), ModelUse()
    if unit.confirms:
        once = Bounds(1, 1, 2) * checks
        confirming = ModelUse(once, once * checked, _VERDICT * once)
    if unit.question:
        checks = 0
    likely = min(most, 1 + _FAULTY * wanted * (most > 1))
    attempts = Bounds(0 if unit.confirms else 1, likely, most)
    reads = Bounds(asks, asks + checks * checked, (asks + 2 * checks * checked) * most)
    writes = _ASKED * Bounds(1, wanted, wanted) + _VERDICT * checks * Bounds(0, wanted, 2 * wanted)
    calls = attempts * Bounds(1, 1 + checks, 1 + 2 * checks)
    return confirming + ModelUse(calls, attempts * reads, attempts * writes)


def _characters(plan: SessionPlan, progress: Progress) -> tuple[float, float]:
    """The characters that a first attempt at a unit reads, and those of one check of it."""
    unit, form = progress.unit, plan.prompts.form
    writer = TaskWriter(plan.prompts, plan.near, plan.request.session)
    opening = writer.opening(unit, len(progress.open), progress.have)
    question = _QUESTION[plan.request.client.language]
    check = writer.check(unit.to_check, [Candidate(question)] * len(progress.open))
    asks = sum(len(m.content) for m in opening.messages)
    schema = len(form_of(draft_form(unit.method), form).instructions)
    verdicts = len(form_of(check_form(unit.to_check.method), form).instructions)
    answer = (len(question) + _FACTS) * len(progress.open)
    return asks + schema, asks + answer + len(check) + verdicts


_IN_FLIGHT = "stopped in the middle of an attempt"


class Watcher(Protocol):
    """Whoever watches a session: a subscriber that also hears how far a round is."""

    def __call__(self, event: Event) -> None:
        """See core.events."""

    def went(self, round_: int, done: int, of: int) -> None:
        """Called from the event loop; must be quick. `round_` counts from 1."""
        ...


@dataclass(frozen=True, slots=True)
class Rounds:
    """How the units are worked off.

    `attempts` None: no model is at hand, and only titles and logs give questions. `known` are the
    questions that are there already. `asks` says which units the model is asked about; `retries`:
    how often it is asked again for faulty questions.
    """

    attempts: Attempts | None
    known: Questions
    halt: Halt
    watcher: Watcher
    asks: Callable[[Unit], bool] = lambda _: True
    retries: int = 2
    at_once: int = AT_ONCE

    async def play(self, units: Sequence[Progress]) -> None:
        """Work until every unit has its questions, nobody may try again, or the halt is thrown.

        A unit that infrastructure, or the halt, keeps from ending its attempt is `broken`. A fault
        in mogi itself is raised when the others have ended.
        """
        for round_ in range(1, self.retries + 2):
            left = [p for p in units if p.open and not p.broken and not p.hopeless]
            if not left:
                return
            try:
                await self._attempted(left, round_)
            finally:
                self._compared(left)
            if self.halt.reason is not None:
                return

    async def _attempted(self, left: Sequence[Progress], round_: int) -> None:
        through = 0

        async def attempt(progress: Progress) -> None:
            nonlocal through
            progress.broken = _IN_FLIGHT
            try:
                await self._attempt(progress)
            except ModelError as error:  # UNAVAILABLE: it is tried again when the command is
                progress.broken = str(error)
                raise
            progress.broken = ""
            through += 1
            self.watcher.went(round_, through, len(left))

        await work_off(left, attempt, self.halt, min(self.at_once, len(left)))

    async def _attempt(self, progress: Progress) -> None:
        if progress.unit.lacks:
            progress.hopeless = True
            progress.reject(Rejected("", QuestionFault.NO_TITLE, progress.unit.lacks))
        elif self.attempts is None or not self.asks(progress.unit):
            self._taken(progress)
        elif progress.unit.confirms:
            await self._confirmed(progress, self.attempts)
        else:
            await self.attempts.make(progress)

    async def _confirmed(self, progress: Progress, attempts: Attempts) -> None:
        """A customer's question with the facts of its entry, if a model has the entry answer it.

        Without a usable answer in any attempt, the question is taken without facts.
        """
        if progress.attempt == progress.spent:
            await attempts.confirm(progress)
        if progress.unit.entries:
            await attempts.make(progress)
        is_last = progress.attempt - progress.spent > self.retries
        is_last = is_last or progress.hopeless or not progress.unit.entries
        if is_last and not progress.candidates:
            self._taken(progress)

    def _taken(self, progress: Progress) -> None:
        progress.hopeless = True  # there is no other title, no other question
        progress.attempt = max(1, progress.attempt)
        progress.candidates = [Candidate(" ".join(progress.unit.question.split()))]

    def _compared(self, left: Sequence[Progress]) -> None:
        """Take what no other unit has, in the units' order; the others may try again."""
        for progress in left:
            if progress.broken:
                continue
            for candidate in progress.candidates:
                other = self._like(candidate, progress.unit)
                if other is None:
                    self.known.add(candidate.question, progress.unit.voice)
                    progress.accept(candidate)
                    continue
                question, attempt = candidate.question, candidate.attempt
                fault = QuestionFault.DUPLICATE
                progress.reject(Rejected(question, fault, other, attempt, candidate.checked))
            progress.candidates = []

    def _like(self, candidate: Candidate, unit: Unit) -> str | None:
        if unit.method is Method.TITLE:  # the FAQ itself tells its entries apart, if it can
            return self.known.same(candidate.question)
        return self.known.like(candidate.question, unit.voice)
