"""A search for what mends each fault: candidates in order of likelihood, tried until one holds."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from simulator.core.clean import cut, normal_form
from simulator.core.run import Run
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange
from simulator.files.client.folder import LoadedClient, load_client
from simulator.improve.candidates import Candidates, Case
from simulator.improve.carried import carried
from simulator.improve.cells import Paid
from simulator.improve.decision import DecidingRule, Decision, Proof, Proven, gain_of
from simulator.improve.derived import BeforeAfter, Deriver, Proved, Trial, trial_of
from simulator.improve.diffs import Diff, check_reads, copy_with
from simulator.improve.matter import Matter
from simulator.improve.model import Model
from simulator.improve.pairs import Pair, Right
from simulator.improve.proof import Play, Plays
from simulator.improve.proposals import Proposal, Written
from simulator.view.faults import FaultList
from simulator.words import Words

_TRIED = 14  # candidates of one fault
_SHOWN = 60  # characters of an answer in a reason


class Outcome(StrEnum):
    """What came of trying one candidate."""

    NOT_FOUND = "not_found"  # the bot does not find the changed entry
    UNCHANGED = "unchanged"  # the answer is what it was
    STILL_WRONG = "still_wrong"  # the answer is another one, and wrong
    UNREAD = "unread"  # nobody can tell if the new answer is right
    HARMFUL = "harmful"  # another question is answered worse
    UNPROVED = "unproved"  # too few questions show it
    ACCEPTED = "accepted"


_SCREENED = {
    Outcome.NOT_FOUND: (Proven.REJECTED, DecidingRule.NOTHING_CHANGED),
    Outcome.UNCHANGED: (Proven.REJECTED, DecidingRule.NOTHING_CHANGED),
    Outcome.STILL_WRONG: (Proven.REJECTED, DecidingRule.NO_GAIN),
    Outcome.UNREAD: (Proven.UNDECIDED, DecidingRule.UNREAD),
}
_NO_USE = frozenset({Outcome.NOT_FOUND, Outcome.UNCHANGED, Outcome.STILL_WRONG})


@dataclass(frozen=True, slots=True)
class Tried:
    """One candidate, by the name of its diff, and what came of it; `reason` is for people."""

    candidate: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """What the search has for one fault; `diff` None: no candidate, or it is the bot's code."""

    fault: FaultList
    diff: Diff | None = None
    proof: Proof | None = None
    tried: tuple[Tried, ...] = ()
    examples: tuple[BeforeAfter, ...] = ()
    pairs: tuple[Pair, ...] = ()
    is_code: bool = False

    @property
    def is_accepted(self) -> bool:
        """True if its diff is proved."""
        return self.proof is not None and self.proof.decision.proven is Proven.ACCEPTED


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is to be mended, and with what.

    `written`: by scenario, what people wrote or approved. `more`: scenarios beside the client's.
    `model` words the candidates, as far as people's words bear it out; without, a model of the
    client's own does unless the run was offline. `store_url`: where plays are kept; they go on
    where they were left. `chosen`: what people chose, by the keys of pairs. `say`: tells people of
    the model.
    """

    run: Run
    faults: Sequence[FaultList]
    loaded: LoadedClient
    written: Mapping[str, Written]
    more: Mapping[str, Scenario] = field(default_factory=dict)
    model: str | None = None
    store_url: str = ""
    chosen: Mapping[str, Right] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Searched:
    """A fix for each fault, in their order, and what was called for all of them."""

    fixes: tuple[Fix, ...] = ()
    paid: Paid = field(default_factory=Paid)


def search(work: SearchRequest, play: Play) -> Searched:
    """Try candidates for each fault, in order of likelihood, until one is proved.

    A fault needs what a person wrote of one of its scenarios; without, nothing is tried. Faults
    with the same corrected answer share a fix.

    Raises:
        InputError: the bot does not read the client's folder, or nothing can be played.
        MogiError: something kept a play from its end; what was played is kept.
        KeyboardInterrupt: likewise.
    """
    trials = _Search(work, play)
    fixes = tuple(trials.fix(number, fault) for number, fault in enumerate(work.faults, 1))
    trials.model.tell()
    return Searched(fixes, trials.plays.paid)


def prove_diffs(work: SearchRequest, diffs: Sequence[Diff], play: Play) -> Searched:
    """A proof of each diff that is for faults of which a person wrote; the others have none.

    A diff is for the faults of its conversations; where it names none, for the first whose answers
    it changes.

    Raises:
        InputError, MogiError, KeyboardInterrupt: as `search`.
    """
    trials = _Search(work, play)
    known = [fault for fault in work.faults if trials.case(fault)]
    fixes: list[Fix] = []
    for diff in diffs:
        named = {key.rsplit("/", 2)[0] for key in diff.listed("conversations")}
        meant = [f for f in known if not named or named.intersection(f.scenarios)]
        tries: list[Fix] = []
        for fault in meant:
            tries.append(trials.proved(fault, diff))
            if tries[-1].proof is not None:
                break
        fixes += map(_with_proof, tries[-1:])
    trials.model.tell()
    return Searched(tuple(fixes), trials.plays.paid)


def _with_proof(fix: Fix) -> Fix:
    """What the first question says is a proof as well: the change is of no use there."""
    if fix.proof is not None or fix.diff is None or not fix.tried:
        return fix
    proven, why = _SCREENED[fix.tried[-1].outcome]
    decision = Decision(proven, why, gain_of(()))
    return replace(fix, proof=Proof(fix.diff.name, decision, (), 0, 0, 0))


class _Search:
    """The search for one client."""

    def __init__(self, work: SearchRequest, play: Play) -> None:
        check_reads(work.loaded)
        self._work = work
        self._loaded = work.loaded
        self._candidates = Candidates(work.loaded, work.written)
        self.plays = Plays(work.run, work.store_url, play)
        kept = work.store_url, f"improve-{work.run.header.id}"
        is_offline = bool(work.run.header.options.get("offline")) and work.model is None
        self.model = Model(work.loaded, work.model, kept, work.say, is_offline=is_offline)
        self._deriver = Deriver(work.loaded, work.more, self.plays, work.chosen, self.model)
        self._words = Words(work.loaded.client.language, "search")
        self._known: dict[tuple[str, str], Fix] = {}
        cases = sum(self.case(fault) is not None for fault in work.faults)
        self.model.announce(cases, _TRIED)

    def case(self, fault: FaultList) -> Case | None:
        """What is known of a fault; None where no person wrote what is right."""
        scenario = next((name for name in fault.scenarios if name in self._work.written), "")
        written = self._work.written.get(scenario)
        if written is None:
            return None
        failures = [f for f in fault.failures if f.scenario == scenario and f.answered]
        wrong = tuple(dict.fromkeys(failure.answered for failure in failures))
        came = [str(d.id) for f in failures[:1] for d in f.documents if d.id]
        query = self._loaded.scenarios.get(scenario)
        is_first = query is not None and any(f.turn == 1 for f in failures)
        asked = query.query if query is not None and is_first else written.asked
        matter = Matter(asked, written.text, wrong, self._loaded.client.language)
        return Case(fault, matter, tuple(came), written.by)

    def fix(self, number: int, fault: FaultList) -> Fix:
        """The first candidate that is proved; else the one that came nearest to it."""
        case = self.case(fault)
        if case is None:
            return Fix(fault)
        key = (case.matter.right, case.matter.asked)
        if key not in self._known:
            self._known[key] = self._searched(number, case)
        return replace(self._known[key], fault=fault)

    def _searched(self, number: int, case: Case) -> Fix:
        case = self._as_it_is(case)
        tried: list[Tried] = []
        best = Fix(case.fault)
        seen: set[str] = set()
        for proposal in self._candidates.candidates(case):
            diff = self._diff(number, case, proposal)
            if diff is None or diff.text.partition("\n\n")[2] in seen:
                continue
            seen.add(diff.text.partition("\n\n")[2])
            with self._changed(diff) as trial:
                fix = self._tried(case, diff, trial)
            tried += fix.tried
            if fix.is_accepted:
                return replace(fix, tried=tuple(tried))
            if _rank(fix) > _rank(best):
                best = fix
            if len(tried) == _TRIED:
                break
        is_code = self._is_code(case, tried)
        if is_code:
            reason = self._words("tried.used", answer=cut(case.matter.wrong[-1], _SHOWN))
            tried.append(Tried("", Outcome.STILL_WRONG, reason))
        return (
            Fix(case.fault, tried=tuple(tried), is_code=True)
            if is_code
            else replace(best, tried=tuple(tried))
        )

    def _as_it_is(self, case: Case) -> Case:
        """The case with what the bot answers to the question itself, and which entries come."""
        exchange = self._deriver.before([case.matter.asked]).get(case.matter.asked)
        if exchange is None:
            return case
        wrong = case.matter.wrong
        if case.matter.is_right(exchange.assistant) is not True:
            wrong = tuple(dict.fromkeys((*wrong, exchange.assistant)))
        came = tuple(str(d.id) for d in exchange.documents if d.id) or case.came
        return replace(case, matter=replace(case.matter, wrong=wrong), came=came)

    def _is_code(self, case: Case, tried: Sequence[Tried]) -> bool:
        """True if what is right was found and not said, and no text changes that."""
        no_use = all(each.outcome in _NO_USE for each in tried)
        return no_use and self._candidates.is_right_one_used(case)

    def _diff(self, number: int, case: Case, proposal: Proposal) -> Diff | None:
        proposal = replace(proposal, faults=(case.fault,))
        if not proposal.diff(proposal.texts):
            return None
        worded, model = self.model.words([proposal]), self.model.name
        [diff] = self._candidates.diffs(self._work.run.header.id, [proposal], worded, model)
        return carried(replace(diff, name=f"{number:02d}{diff.name[2:]}"), self._loaded)

    @contextmanager
    def _changed(self, diff: Diff) -> Iterator[Trial]:
        folder = Path(self._loaded.client.folder)
        with tempfile.TemporaryDirectory(prefix="mogi-") as place:
            copy = copy_with([diff], folder, Path(place))
            after = load_client(str(copy), cwd=Path.cwd(), scenarios=False)
            yield trial_of(diff.name, self._loaded, after)

    def proved(self, fault: FaultList, diff: Diff) -> Fix:
        """What the proof of one diff says."""
        case = self.case(fault)
        if case is None:
            return Fix(fault, diff)
        with self._changed(diff) as trial:
            return self._tried(self._as_it_is(case), diff, trial)

    def _tried(self, case: Case, diff: Diff, trial: Trial) -> Fix:
        """Ask what failed first; what is answered right then is proved."""
        questions = self._deriver.asked(case)
        befores = self._deriver.before(questions)
        afters = self._deriver.answers(trial.after, questions, f"screen-{trial.name}")
        screened = self._screened(case, trial, befores, afters)
        if screened is not None:
            return Fix(case.fault, diff, tried=(screened,))
        proved = self._deriver.prove(case, trial)
        outcome = _outcome_of(proved)
        answer = next((p.after for p in proved.pairs), "")
        worse = next((c.scenario for c in proved.proof.cells if c.newly_fails), answer)
        reason = self._words(f"tried.{outcome}", answer=cut(worse, _SHOWN))
        tried = Tried(diff.name, outcome, reason)
        return Fix(case.fault, diff, proved.proof, (tried,), proved.examples, proved.pairs)

    def _screened(
        self,
        case: Case,
        trial: Trial,
        befores: Mapping[str, Exchange],
        afters: Mapping[str, Exchange],
    ) -> Tried | None:
        """Why a candidate is not worth a proof; None: the question is answered right, or unread."""
        question = case.matter.asked
        after = afters.get(question)
        if after is None:
            return Tried(trial.name, Outcome.UNREAD)
        is_right = case.matter.is_right(after.assistant)
        if is_right:
            return None
        before = befores.get(question)
        answer = cut(" ".join(after.assistant.split()), _SHOWN)
        is_same = before is not None and normal_form(before.assistant) == normal_form(
            after.assistant
        )
        outcome = Outcome.STILL_WRONG
        if is_same:
            outcome = Outcome.UNCHANGED
            named = {str(d.id) for d in after.documents if d.id}
            if trial.edited and named and named.isdisjoint(trial.edited):
                outcome = Outcome.NOT_FOUND
        elif is_right is None:
            return None
        return Tried(trial.name, outcome, self._words(f"tried.{outcome}", answer=answer))


def _outcome_of(proved: Proved) -> Outcome:
    decision = proved.proof.decision
    if decision.proven is Proven.ACCEPTED:
        return Outcome.ACCEPTED
    if decision.vetoes:
        return Outcome.HARMFUL
    return Outcome.UNREAD if proved.pairs else Outcome.UNPROVED


def _rank(fix: Fix) -> int:
    """How near a candidate came to its proof."""
    if fix.proof is None:
        return 0
    return {Proven.ACCEPTED: 3, Proven.UNDECIDED: 2, Proven.REJECTED: 1}[fix.proof.decision.proven]
