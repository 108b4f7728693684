"""The second step: a model checks its questions, once or several times, and a majority counts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import CallId, Chat, Message
from simulator.core.waiting import all_done
from simulator.files.prompts import Prompt
from simulator.generate.faults import Candidate, Checked, Fault, Rejected
from simulator.generate.forms import Check, Finding, check_form
from simulator.generate.units import Method
from simulator.llm.structured import ask


@dataclass(frozen=True, slots=True)
class Checker:
    """Asks `times` over in the same conversation; each check is a call of its own.

    A question is faulty if at least half of the usable checks find any fault with it. Where no
    check is usable, nothing is known of it, and it is not taken.
    """

    chat: Chat
    form: Prompt
    times: int = 1

    async def check(
        self,
        call: CallId,
        method: Method,
        messages: Sequence[Message],
        candidates: Sequence[Candidate],
    ) -> list[Candidate | Rejected]:
        """Each question as it is after the checks, in order; `messages` end with the request.

        Raises:
            ModelError: UNAVAILABLE; it can be checked later.
            RunStopped, StoreError: from the chat.
        """
        parts = [f"check{number}" for number in range(1, self.times + 1)]
        checks = await all_done(
            [self._once(replace(call, part=part), method, messages) for part in parts]
        )
        usable = [check for check in checks if isinstance(check, Check)]
        trouble = next((check for check in checks if isinstance(check, str)), "")
        return [
            _judged(candidate, [f for c in usable if (f := _finding(c, number))], trouble)
            for number, candidate in enumerate(candidates, start=1)
        ]

    async def _once(self, call: CallId, method: Method, messages: Sequence[Message]) -> Check | str:
        try:
            return await ask(self.chat, call, messages, check_form(method), self.form)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            return str(error)


def _finding(check: Check, number: int) -> Finding | None:
    return next((finding for finding in check.questions if finding.number == number), None)


def _judged(
    candidate: Candidate, findings: Sequence[Finding], trouble: str
) -> Candidate | Rejected:
    faulty = [finding for finding in findings if finding.faults()]
    checked = Checked(len(findings), len(faulty))
    if findings and 2 * len(faulty) < len(findings):
        return replace(candidate, checked=checked)
    if not findings:
        why = trouble or "the check left it out"
        return Rejected(candidate.question, Fault.UNCHECKED, why, candidate.attempt, checked)
    found = _agreed(faulty, len(findings))
    reason = next(f.reason for f in faulty if found[0] in f.faults())
    checked = replace(checked, faults=found)
    return Rejected(candidate.question, found[0], reason, candidate.attempt, checked)


def _agreed(findings: Sequence[Finding], of: int) -> tuple[Fault, ...]:
    """What at least half of the checks find, or else the most frequent; most checks first.

    Of equally many the one that `Fault` names first.
    """
    counts = Counter(fault for finding in findings for fault in finding.faults())
    found = sorted(counts, key=lambda fault: (-counts[fault], list(Fault).index(fault)))
    return tuple(fault for fault in found if 2 * counts[fault] >= of) or tuple(found[:1])
