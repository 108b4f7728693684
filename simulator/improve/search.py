"""A search for what mends each fault: candidates in order of likelihood, tried until one holds."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from simulator.core.clean import cut, normal_form
from simulator.core.errors import InputError
from simulator.core.result import Result
from simulator.core.run import Run
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange
from simulator.files.client.folder import LoadedClient, load_client
from simulator.improve.candidates import Candidates, Case
from simulator.improve.carried import carried
from simulator.improve.decision import (
    DecidingRule,
    Decision,
    Proof,
    Proven,
    adjusted,
    gain_of,
)
from simulator.improve.diffs import Diff, by_hand, check_reads, copy_with, fitting
from simulator.improve.model import Model
from simulator.improve.pairs import Pair, Right
from simulator.improve.plays import Paid, Play, Plays
from simulator.improve.proof import BeforeAfter, Deriver, Proved, Trial, trial_of
from simulator.improve.proposals import Proposal, Written
from simulator.view.faults import Failure, FaultList
from simulator.words import Words

_TRIED = 14  # candidates of one fault
_CASES = 6  # faults that one change is proved on
_SHOWN = 60  # characters of an answer in a reason


class Outcome(StrEnum):
    """What came of trying one candidate."""

    NOT_FOUND = "not_found"  # the bot does not find the changed entry
    UNCHANGED = "unchanged"  # the answer is what it was
    STILL_WRONG = "still_wrong"  # the answer is another one, and wrong
    TOO_NARROW = "too_narrow"  # asked in another way, the answer is still wrong
    UNREAD = "unread"  # nobody can tell if the new answer is right
    CONTRARY = "contrary"  # an entry still says what a person denied
    HARMFUL = "harmful"  # another question is answered worse
    UNPROVED = "unproved"  # too few questions show it
    ACCEPTED = "accepted"


class Lack(StrEnum):
    """Why a fault has no change that could be proved."""

    ANSWER = "answer"  # nobody wrote what is right
    GUIDELINES = "guidelines"  # the bot has to be told what to do, and reads no such text
    FORM = "form"  # the knowledge base is a file that mogi does not write
    CHANGE = "change"  # no candidate made the answer right
    CODE = "code"  # no change of a text is known to mend it
    NONE = "none"  # the bot answers the very question right by now


_WITHOUT_EFFECT = {Outcome.NOT_FOUND, Outcome.UNCHANGED}
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
    """What the search has for one fault.

    `diff` None: no candidate, code, or another bot. `fault` None: nothing is known of any. `lack`:
    why there is no proof.
    """

    fault: FaultList | None
    diff: Diff | None = None
    proof: Proof | None = None
    tried: tuple[Tried, ...] = ()
    examples: tuple[BeforeAfter, ...] = ()
    pairs: tuple[Pair, ...] = ()
    lack: Lack | None = None

    @property
    def is_code(self) -> bool:
        """True if no change of a text is known to mend it."""
        return self.lack is Lack.CODE

    @property
    def is_accepted(self) -> bool:
        """True if its diff is proved."""
        return self.proof is not None and self.proof.decision.proven is Proven.ACCEPTED


def may_not_be_read(fixes: Sequence[Fix]) -> bool:
    """True if changes for two faults or more altered no answer: the bot may not read the files."""
    changed = [tried for fix in fixes for tried in fix.tried if tried.candidate]
    faults = sum(any(tried.candidate for tried in fix.tried) for fix in fixes)
    outcomes = {tried.outcome for tried in changed}
    return faults > 1 and Outcome.UNCHANGED in outcomes and outcomes <= _WITHOUT_EFFECT


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is to be mended, and with what.

    `written`: by scenario, what people wrote or approved. `more`: scenarios beside the client's.
    `model` words the candidates, as far as people's words bear it out; without, a model of the
    client's own does unless the run was offline. `store_url`: where plays are kept; they go on
    where they were left. `chosen`: what people chose, by the keys of pairs. `say`: tells people of
    the model, and how far the search is.
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
    trials = _Search(work, play, _model_of(work))
    fixes = trials.fixes()
    return Searched(fixes, trials.plays.paid)


@dataclass(frozen=True, slots=True)
class Change:
    """A client after a change; `scenarios` are those that it is for, empty where it names none."""

    name: str
    after: LoadedClient
    scenarios: frozenset[str] = frozenset()
    diff: Diff | None = None


def prove_changes(work: SearchRequest, changes: Sequence[Change], play: Play) -> Searched:
    """A proof of each change, by what people wrote of its faults, else by what is expected.

    A change is for the faults of its conversations; where it names none, for those whose answers
    it changes.

    Raises:
        InputError, MogiError, KeyboardInterrupt: as `search`.
    """
    trials = _Search(work, play)
    fixes = [trials.proved(change) for change in changes]
    proofs = iter(adjusted([fix.proof for fix in fixes if fix.proof]))
    fixes = [replace(fix, proof=fix.proof and next(proofs)) for fix in fixes]
    return Searched(tuple(fixes), trials.plays.paid)


def together(diffs: Sequence[Diff], folder: Path) -> tuple[list[Diff], list[Diff]]:
    """Those that can be made together and leave a client that loads, and the others."""
    fit, left = fitting(diffs, folder)
    taken: list[Diff] = []
    for diff in fit:
        with tempfile.TemporaryDirectory(prefix="mogi-") as place:
            copy = copy_with([*taken, diff], folder, Path(place))
            try:
                load_client(str(copy), cwd=Path.cwd(), scenarios=False)
            except InputError:
                left.append(diff)
            else:
                taken.append(diff)
    return taken, left


def _model_of(work: SearchRequest) -> Model | None:
    """The model that is named, else the client's own; none if the run was offline."""
    if work.model is None and work.run.header.options.get("offline"):
        return None
    kept = work.store_url, f"improve-{work.run.header.id}"
    return Model(work.loaded, work.model, kept, work.say)


class _Search:
    """The search for one client."""

    def __init__(self, work: SearchRequest, play: Play, model: Model | None = None) -> None:
        check_reads(work.loaded)
        self._work = work
        self._loaded = work.loaded
        self._candidates = Candidates(work.loaded, work.written)
        self.plays = Plays(work.run, work.store_url, play)
        self._model = model
        self._deriver = Deriver(work.loaded, work.more, self.plays, work.chosen, model)
        self._words = Words(work.loaded.client.language, "search")
        self._known: dict[tuple[str, str], Fix] = {}

    def fixes(self) -> tuple[Fix, ...]:
        """A fix for each fault, in their order; what a model may cost is said before, and after."""
        faults, model = self._work.faults, self._model
        if model is not None:
            model.announce(sum(self._candidates.case(f) is not None for f in faults), _TRIED)
        fixes: list[Fix] = []
        for number, fault in enumerate(faults, 1):
            fixes += self.fixes_of(number, fault)
        if model is not None:
            model.tell()
        return tuple(fixes)

    def fixes_of(self, number: int, fault: FaultList) -> Iterator[Fix]:
        """The first candidate that is proved, else the one that came nearest to it.

        What it makes right is told from what it leaves wrong; a change that makes nothing right is
        no fix.
        """
        case = self._candidates.case(fault)
        if case is None:
            expected = self._candidates.expected_case(fault)
            is_used = expected is not None and self._candidates.is_right_one_used(expected)
            if (
                expected
                and is_used
                and any(map(expected.matter.contradicts, expected.matter.wrong))
            ):
                yield self._code(expected, ())
            else:
                yield Fix(fault, lack=Lack.ANSWER)
            return
        key = (case.matter.right, case.matter.asked)
        if key not in self._known:
            of = len(self._work.faults)
            self._work.say(self._words("searching", n=number, of=of, title=case.matter.asked))
            self._known[key] = self._searched(number, case)
        fix = replace(self._known[key], fault=fault)
        if not (fix.is_accepted and fix.diff):
            yield fix
            return
        right = self._made_right(case, fix, fix.diff)
        left = tuple(f for f in fault.failures if f not in right)
        if not right:
            yield Fix(fault, lack=Lack.CHANGE)
            return
        yield replace(fix, diff=_for(fix.diff, right), fault=replace(fault, failures=right))
        if left:
            yield from self.fixes_of(number, replace(fault, failures=left))

    def _made_right(self, case: Case, fix: Fix, diff: Diff) -> tuple[Failure, ...]:
        """The failures of a fault that a proved change makes right, each by what is known of it."""
        cells = fix.proof.cells if fix.proof else ()
        passed = {cell.scenario for cell in cells if cell.results[1] is Result.PASSED}
        others = [f for f in case.fault.failures if f.asked not in passed]
        proved = tuple(f for f in case.fault.failures if f not in others)
        if not others:
            return proved
        with self._changed(diff) as trial:
            afters = self._deriver.answers(
                trial.after, dict.fromkeys(f.asked for f in others), "mended"
            )
            right = [f for f in others if self._is_made_right(case, f, trial, afters)]
        return tuple(f for f in case.fault.failures if f in proved or f in right)

    def _is_made_right(
        self, case: Case, failure: Failure, trial: Trial, afters: Mapping[str, Exchange]
    ) -> bool:
        fault = replace(case.fault, failures=(failure,))
        known = self._candidates.case(fault) or self._candidates.expected_case(fault)
        after = afters.get(failure.asked)
        if known is None or after is None:
            return False
        return self._deriver.is_right(self._deriver.judged(known, trial), after) is True

    def _searched(self, number: int, case: Case) -> Fix:
        case = self._with_guilty(self._as_it_is(case))
        if (known := self._without_change(case)) is not None:
            return known
        tried: list[Tried] = []
        proofs: list[Proof] = []
        best = Fix(case.fault, lack=self._lack(case))
        seen: set[str] = set()
        for proposal in self._candidates.candidates(case):
            diff = self._diff(number, case, proposal)
            if diff is None or diff.text.partition("\n\n")[2] in seen:
                continue
            seen.add(diff.text.partition("\n\n")[2])
            with self._changed(diff) as trial:
                fix = self.among(self._tried(case, diff, trial), proofs)
            tried += fix.tried
            proofs += [fix.proof] if fix.proof else []
            if fix.is_accepted:
                self._candidates.added += proposal.why == "added"
                return replace(fix, tried=tuple(tried))
            if _rank(fix) > _rank(best):
                best = fix
            if len(tried) >= (1 if case.denies and proofs else _TRIED):
                break
        return self._of_code(case, tried) or replace(best, tried=tuple(tried))

    def _of_code(self, case: Case, tried: Sequence[Tried]) -> Fix | None:
        """What an engineer has to fix: no text helps, or what stands around a question matters."""
        if self._is_code(case, tried):
            return self._code(case, tried)
        if bare := self._right_if_bare(case):
            reason = self._words("tried.bare", asked=cut(bare, _SHOWN))
            last = Tried("", Outcome.STILL_WRONG, reason)
            return Fix(case.fault, tried=(*tried, last), lack=Lack.CODE)
        return None

    def _lack(self, case: Case) -> Lack:
        """What a fault lacks for which no candidate is right."""
        if case.matter.is_refusal:
            return Lack.CHANGE if self._candidates.rules else Lack.GUIDELINES
        is_written = self._candidates.writes_knowledge or case.guilty is not None
        return Lack.CHANGE if is_written else Lack.FORM

    def _code(self, case: Case, tried: Sequence[Tried]) -> Fix:
        reason = self._words("tried.used", answer=cut(case.matter.wrong[-1], _SHOWN))
        last = Tried("", Outcome.STILL_WRONG, reason)
        return Fix(case.fault, tried=(*tried, last), lack=Lack.CODE)

    def _as_it_is(self, case: Case) -> Case:
        """The case with what the bot answers to the question itself, and which entries come."""
        exchange = self._deriver.now(case.matter.asked)
        if exchange is None:
            return case
        wrong = case.matter.wrong
        is_right = case.matter.is_right(exchange.assistant) is True
        if not is_right:
            wrong = tuple(dict.fromkeys((*wrong, exchange.assistant)))
        came = tuple(str(d.id) for d in exchange.documents if d.id) or case.came
        matter = replace(case.matter, wrong=wrong)
        return replace(case, matter=matter, came=came, is_right_alone=is_right)

    def _with_guilty(self, case: Case) -> Case:
        """The case with the guideline without which the bot does not refuse, if there is one."""
        if not case.matter.was_refused or case.matter.is_refusal:
            return case
        asked = case.matter.asked
        for source, line, proposal in self._candidates.without_guidelines(case):
            diff = self._diff(0, case, proposal)
            if diff is None:
                continue
            with self._changed(diff) as trial:
                answer = self._deriver.answers(trial.after, [asked], "without").get(asked)
                if answer is not None and not case.matter.refuses(answer.assistant):
                    case = replace(case, guilty=(source, line))
                    refused = self._deriver.also_refused(case, line, trial.after)
                    return replace(case, refused=refused)
        return case

    def _without_change(self, case: Case) -> Fix | None:
        """What is known without a change: the answer is right by now, or what was said is lost.

        The latter is so where what fails in a later turn is answered right in a talk of its own.
        """
        failures = case.fault.failures
        if case.is_right_alone and case.matter.asked in {f.asked for f in failures if f.turn == 1}:
            return Fix(case.fault, lack=Lack.NONE)
        if any(f.turn == 1 for f in failures):
            return None
        is_right = case.is_right_alone or self._is_right_at_once(case)
        return self._code(case, ()) if is_right else None

    def _is_right_at_once(self, case: Case) -> bool:
        """True if the bot answers right where all that a user said is one question."""
        whole = self._deriver.at_once(case.fault.failures[0])
        exchange = self._deriver.before([whole]).get(whole)
        return exchange is not None and case.matter.is_right(exchange.assistant) is True

    def _is_code(self, case: Case, tried: Sequence[Tried]) -> bool:
        """True if what is right was found and not said, and no text changes that.

        Also if it stands in an entry, and not even one with the question as its title changes the
        answer.
        """
        outcomes = {each.outcome for each in tried}
        is_told = case.matter.is_known and case.guilty is None
        if is_told and outcomes and outcomes <= {Outcome.UNCHANGED, Outcome.NOT_FOUND}:
            return True
        is_found = case.is_right_alone or self._candidates.is_right_one_first(case)
        return outcomes <= _NO_USE and is_found

    def _right_if_bare(self, case: Case) -> str:
        """The question without what stands around it, where this is answered right; else empty."""
        bare = self._candidates.question(case)
        if normal_form(bare) == normal_form(case.matter.asked) or case.guilty is not None:
            return ""
        exchange = self._deriver.before([bare]).get(bare)
        return bare if exchange is not None and self._deriver.is_right(case, exchange) else ""

    def _diff(self, number: int, case: Case, proposal: Proposal) -> Diff | None:
        proposal = replace(proposal, faults=(case.fault,))
        if not proposal.diff(proposal.texts):
            return None
        worded = self._model.words([proposal]) if self._model else ()
        name = self._model.name if self._model else ""
        [diff] = self._candidates.diffs(self._work.run.header.id, [proposal], worded, name)
        return carried(replace(diff, name=f"{number:02d}{diff.name[2:]}"), self._loaded)

    @contextmanager
    def _changed(self, diff: Diff) -> Iterator[Trial]:
        folder = Path(self._loaded.client.folder)
        with tempfile.TemporaryDirectory(prefix="mogi-") as place:
            copy = copy_with([diff], folder, Path(place))
            after = load_client(str(copy), cwd=Path.cwd(), scenarios=False)
            yield trial_of(diff.name, self._loaded, after)

    def proved(self, change: Change) -> Fix:
        """What the proof of one change says; None of the faults: nothing is known of any."""
        is_code = change.diff is not None and bool(by_hand(change.diff, self._loaded))
        trial = trial_of(change.name, self._loaded, change.after)
        trial = replace(trial, is_code=is_code)
        faults = [f for f in self._work.faults if not change.scenarios.isdisjoint(f.scenarios)]
        is_named = bool(faults)
        faults = faults or list(self._work.faults)
        known = [self._candidates.case(f) or self._candidates.expected_case(f) for f in faults]
        cases = [self._as_it_is(case) for case in known if case is not None]
        if not cases:
            nothing = Decision(Proven.REJECTED, DecidingRule.NOTHING_CHANGED, gain_of(()))
            return Fix(None, change.diff, Proof(change.name, nothing, ()))
        cases = [self._candidates.likely(self._deriver.judged(c, trial)) for c in cases]
        texts = [case.matter.asked for case in cases]
        befores = self._deriver.before(texts)
        afters = self._deriver.answers(trial.after, texts, f"screen-{trial.name}")
        screened = [self._screened(case, trial, befores, afters) for case in cases]
        meant = [case for case, why in zip(cases, screened, strict=True) if why is None]
        is_meant = bool(meant or is_named)
        fix = self._with_proof(meant[:_CASES] or cases[:1], change.diff, trial, is_meant=is_meant)
        why = next((tried for tried in screened if tried is not None), None)
        if why is None or fix.proof is None:
            return fix
        if meant and not (is_named and fix.is_accepted):
            return fix  # what it names has to be right after it
        decision = fix.proof.decision
        if not meant and (decision.vetoes or decision.gain.better):
            return fix
        proven, rule = _SCREENED[why.outcome]
        decision = replace(decision, proven=proven, why=rule)
        return replace(fix, proof=replace(fix.proof, decision=decision), tried=(why,))

    def _tried(self, case: Case, diff: Diff, trial: Trial) -> Fix:
        """Ask what failed first; what is answered right then is proved."""
        case = self._deriver.judged(case, trial)
        questions = self._deriver.asked(case)
        befores = self._deriver.before(questions)
        afters = self._deriver.answers(trial.after, questions, f"screen-{trial.name}")
        screened = self._screened(case, trial, befores, afters)
        if screened is not None:
            return Fix(case.fault, diff, tried=(screened,))
        return self._with_proof([case], diff, trial)

    def among(self, fix: Fix, earlier: Sequence[Proof]) -> Fix:
        """A fix as one of several candidates that were proved for a fault."""
        if fix.proof is None or not fix.is_accepted:
            return fix
        proof = adjusted([*earlier, fix.proof])[-1]
        if proof.decision.proven is Proven.ACCEPTED:
            return replace(fix, proof=proof)
        reason = self._words(f"tried.{Outcome.UNPROVED}", answer="")
        unproved = replace(fix.tried[0], outcome=Outcome.UNPROVED, reason=reason)
        return replace(fix, proof=proof, tried=(unproved,))

    def _with_proof(
        self, cases: Sequence[Case], diff: Diff | None, trial: Trial, *, is_meant: bool = True
    ) -> Fix:
        proved = self._deriver.prove(cases, trial, is_meant=is_meant)
        outcome = _outcome_of(proved)
        answer = next((p.after for p in proved.pairs), "")
        missed = next(iter((*proved.contrary, *proved.missed)), answer)
        worse = next((c.scenario for c in proved.proof.cells if c.newly_fails), missed)
        reason = self._words(f"tried.{outcome}", answer=cut(worse, _SHOWN))
        tried = Tried(trial.name, outcome, reason)
        return Fix(cases[0].fault, diff, proved.proof, (tried,), proved.examples, proved.pairs)

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
        is_right = self._deriver.is_right(case, after)
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
    if proved.contrary:
        return Outcome.CONTRARY
    if proved.missed:
        return Outcome.TOO_NARROW
    return Outcome.UNREAD if proved.pairs else Outcome.UNPROVED


def _for(diff: Diff, failures: Sequence[Failure]) -> Diff:
    """A diff that names the conversations that it makes right."""
    named = ", ".join(dict.fromkeys(f.key for f in failures))
    old, new = (f"conversations: {keys}\n" for keys in (diff.said["conversations"], named))
    said = {**diff.said, "conversations": named}
    return replace(diff, text=diff.text.replace(old, new, 1), said=said)


def _rank(fix: Fix) -> int:
    """How near a candidate came to its proof."""
    if fix.proof is None:
        return 0
    return {Proven.ACCEPTED: 3, Proven.UNDECIDED: 2, Proven.REJECTED: 1}[fix.proof.decision.proven]
