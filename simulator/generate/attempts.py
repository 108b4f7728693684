"""One attempt at a unit: ask for questions, throw out, and have the rest checked by a majority."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from simulator.core.clean import clean, cut, visible
from simulator.core.concurrency import all_done
from simulator.core.errors import ModelError, ModelFault
from simulator.core.persona import Language
from simulator.core.ports import CallId, Chat, Completion, Message, Role
from simulator.files.prompts import Prompt
from simulator.generate.conversation import Conversation, TaskWriter
from simulator.generate.facts import Draft, Facts, supported_facts
from simulator.generate.forms import (
    Candidate,
    CheckCounts,
    CheckFinding,
    Lack,
    OfOne,
    QuestionCheck,
    QuestionFault,
    Rejected,
    check_form,
    draft_form,
    questions_in,
    without_marks,
)
from simulator.generate.units import Method, Questions, Unit
from simulator.llm.structured import Unreadable, ask, form_of, read_form, what_failed


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
        usable = [check for check in checks if isinstance(check, QuestionCheck)]
        trouble = next((check for check in checks if isinstance(check, str)), "")
        findings = [{f.number: f for f in reversed(check.questions)} for check in usable]
        return [
            _judged(candidate, [of[number] for of in findings if number in of], trouble)
            for number, candidate in enumerate(candidates, start=1)
        ]

    async def _once(
        self, call: CallId, method: Method, messages: Sequence[Message]
    ) -> QuestionCheck | str:
        try:
            return await ask(self.chat, call, messages, check_form(method), self.form)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            return str(error)


def _judged(
    candidate: Candidate, findings: Sequence[CheckFinding], trouble: str
) -> Candidate | Rejected:
    faulty = [finding for finding in findings if finding.faults()]
    checked = CheckCounts(len(findings), len(faulty))
    if findings and 2 * len(faulty) < len(findings):
        return replace(candidate, facts=_confirmed(candidate.facts, findings), checked=checked)
    if not findings:
        why = trouble or "the check skipped it"
        return Rejected(
            candidate.question, QuestionFault.UNCHECKED, why, candidate.attempt, checked
        )
    fault = _most_frequent(faulty)
    reason = next(f.reason for f in faulty if fault in f.faults())
    return Rejected(candidate.question, fault, reason, candidate.attempt, checked)


def _confirmed(facts: Facts, findings: Sequence[CheckFinding]) -> Facts:
    """The facts without those that at least half of the checks find wrong."""
    counts = Counter(n for f in findings if isinstance(f, OfOne) for n in set(f.wrong))
    return facts.without({n for n, count in counts.items() if 2 * count >= len(findings)})


def _most_frequent(findings: Sequence[CheckFinding]) -> QuestionFault:
    """The fault that most checks find; of equally many the one that `QuestionFault` names first."""
    counts = Counter(fault for finding in findings for fault in finding.faults())
    return max(QuestionFault, key=lambda fault: counts[fault])


_LONGEST = {"ja": 150, "en": 350}  # characters of a question: people send short ones
_TIMES = 3  # a persona's usual length, which is told in characters (ja) or words (en)
_UNIT = {"ja": 1, "en": 6}
_LONGEST_SAID = 8_000  # characters of an answer that are kept in the conversation


@dataclass(slots=True)
class Progress:
    """A unit under way.

    `open` are the numbers that no question has yet, `have` the questions that it had before.
    `candidates` are those of the latest attempt that nothing is known against, until they are
    compared with all other units' questions; `problems` what was wrong with the others.
    `attempt` counts over all starts of the command, `spent` are those of earlier ones: an attempt
    of this start is a call of its own, which no journal answers. `broken` says why it broke off
    and is to be done again; `hopeless`: asking again is no use.
    """

    unit: Unit
    open: list[int]
    have: tuple[str, ...] = ()
    conversation: Conversation = field(default_factory=Conversation)
    attempt: int = 0
    spent: int = 0
    accepted: dict[int, Candidate] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    problems: list[Rejected] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    broken: str = ""
    hopeless: bool = False
    last_answer: str = ""

    def is_over(self, retries: int) -> bool:
        """Whether nothing more is to come: all numbers taken, or all attempts made."""
        tried = self.attempt - self.spent
        return not self.broken and (not self.open or self.hopeless or tried > retries)

    def reject(self, rejected: Rejected) -> None:
        """Note what was wrong, for the next attempt and for the report."""
        self.problems.append(rejected)
        self.rejected.append(rejected)

    def accept(self, candidate: Candidate) -> None:
        """The question takes the lowest number that is open."""
        self.accepted[self.open.pop(0)] = candidate


@dataclass(frozen=True, slots=True)
class Attempts:
    """Makes attempts at units with one model, in one language."""

    chat: Chat
    writer: TaskWriter
    checker: Checker
    language: Language

    async def make(self, progress: Progress) -> None:
        """Ask once for as many questions as are open; what came of it is in `progress`.

        Raises:
            ModelError: UNAVAILABLE.
            RunStopped, StoreError: from the chat.
        """
        unit = progress.unit
        self._prepare(progress)
        call = CallId(unit.key, progress.attempt, Role.GENERATE, "ask")
        form_model = draft_form(unit.method)
        messages = tuple(progress.conversation.messages)
        form = replace(form_of(form_model, self.writer.prompts.form), most=len(progress.open))
        try:
            completion = await self.chat.complete(call, messages, form=form)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            progress.hopeless = True
            progress.reject(Rejected("", QuestionFault.REJECTED, str(error), progress.attempt))
            return
        progress.last_answer = cut(completion.text, _LONGEST_SAID)
        drafts = self._read(progress, completion, messages)
        if unit.question:  # it needs no check, and there is no other one to ask for
            progress.candidates += drafts
            progress.hopeless = bool(drafts)
        elif fresh := self._sifted(progress, drafts):
            await self._checked(progress, call, fresh)

    async def confirm(self, progress: Progress) -> None:
        """Ask whether the unit's entry answers its question; where it does not, the unit has none.

        Without a usable answer of the model, it is as the words have it.

        Raises:
            ModelError: UNAVAILABLE.
            RunStopped, StoreError: from the chat.
        """
        unit, question = progress.unit, progress.unit.question
        like_written, candidate = unit.to_check, Candidate(question)
        call = CallId(unit.key, progress.attempt + 1, Role.GENERATE, "confirm")
        request = self.writer.check(like_written, [candidate])
        messages = self.writer.opening(like_written, 1, ()).then(question, request)
        method = like_written.method
        (checked,) = await self.checker.check(call, method, messages, [candidate])
        fault = None if isinstance(checked, Candidate) else checked.fault
        by_words = unit.cluster is not None and unit.cluster.answered
        unread = QuestionFault.UNCHECKED if by_words else None
        if fault not in (None, QuestionFault.VIEWPOINT, unread):
            progress.unit = replace(unit, entries=())

    def _prepare(self, progress: Progress) -> None:
        """Say what is wanted, or what was wrong with what came last."""
        wanted = len(progress.open)
        progress.attempt += 1
        if progress.attempt == progress.spent + 1:
            progress.conversation = self.writer.opening(progress.unit, wanted, progress.have)
        else:
            request = self.writer.again(progress.problems, wanted)
            progress.conversation.hears(progress.last_answer, request)
        progress.candidates, progress.problems = [], []

    def _read(
        self, progress: Progress, completion: Completion, shown: Sequence[Message]
    ) -> list[Candidate]:
        """The questions of an answer, as many as are wanted; why there are none is noted."""
        wanted, attempt = len(progress.open), progress.attempt
        fault = completion.fault
        if fault not in (None, ModelFault.TRUNCATED):
            reason = what_failed(fault, completion.finish)
            kind = QuestionFault.UNREADABLE if fault is ModelFault.EMPTY else QuestionFault.REFUSED
            progress.reject(Rejected("", kind, reason, attempt))
            return []
        try:
            answer = read_form(completion.text, draft_form(progress.unit.method), shown)
        except Unreadable as error:
            questions = [] if fault else questions_in(completion.text, wanted, self.language)
            if not questions:
                reason = what_failed(fault) if fault else str(error)
                progress.reject(Rejected("", QuestionFault.UNREADABLE, reason, attempt))
            return [self._candidate(progress, question, Facts()) for question in questions[:wanted]]
        return [self._drafted(progress, draft) for draft in answer.questions[:wanted]]

    def _drafted(self, progress: Progress, draft: Draft | Lack) -> Candidate:
        facts = Facts()
        if isinstance(draft, Draft):
            facts = supported_facts(
                draft, progress.unit.entries, self.language, self.writer.examples
            )
        return self._candidate(progress, without_marks(visible(draft.question)), facts)

    def _candidate(self, progress: Progress, question: str, facts: Facts) -> Candidate:
        question = progress.unit.question or question
        return Candidate(" ".join(question.split()), facts, attempt=progress.attempt)

    def _sifted(self, progress: Progress, drafts: Sequence[Candidate]) -> list[Candidate]:
        """Those that need a check; what rules can tell of the others is noted."""
        unit, known = progress.unit, Questions(self.language)
        title = [unit.entries[0].title] if unit.method is Method.PARAPHRASE else []
        taken = [candidate.question for candidate in progress.accepted.values()]
        for question in (*title, *progress.have, *taken):
            known.add(question)
        fresh = []
        for draft in drafts:
            fault, detail = self._fault(draft.question, known, unit)
            if fault is None:
                fresh.append(draft)
                known.add(draft.question)
            elif draft.question:
                progress.reject(Rejected(draft.question, fault, detail, progress.attempt))
        if len(drafts) < len(progress.open) and not progress.problems:
            count = f"{len(drafts)} of {len(progress.open)} came"
            progress.problems.append(Rejected("", QuestionFault.TOO_FEW, count, progress.attempt))
        return fresh

    def _fault(
        self, question: str, known: Questions, unit: Unit
    ) -> tuple[QuestionFault | None, str]:
        usual = unit.persona.style.length * _UNIT[self.language] if unit.persona else 0
        if not is_written_in(question, self.language):
            return QuestionFault.LANGUAGE, ""
        if len(question) > max(_LONGEST[self.language], _TIMES * usual):
            return QuestionFault.TOO_LONG, ""
        other = known.like(question)
        return (QuestionFault.DUPLICATE, other) if other else (None, "")

    async def _checked(self, progress: Progress, call: CallId, fresh: Sequence[Candidate]) -> None:
        request = self.writer.check(progress.unit, fresh)
        messages = progress.conversation.then(progress.last_answer, request)
        for verdict in await self.checker.check(call, progress.unit.method, messages, fresh):
            if isinstance(verdict, Candidate):
                progress.candidates.append(verdict)
            else:
                progress.reject(verdict)


_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_JAPANESE = re.compile("[\u3041-\u3096\u30a1-\u30fe\u3400-\u4dbf\u4e00-\u9fff々〆ヶ]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LEAST = {"ja": 0.2, "en": 0.8}  # share of the letters
# Signs that Chinese writes all the time and Japanese never does.
_CHINESE = re.compile("[们吗么这哪您码请怎还为给让说账帐户费设邮页图员]")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_SENTENCE = 4  # Latin words; without hiragana between them they make an English sentence
_LONGEST_WITHOUT_KANA = 16  # 領収書再発行手続方法: headings have no kana, sentences do


def is_written_in(text: str, language: Language) -> bool:
    """Whether the letters of a text may be those of a sentence in this language.

    Japanese: a fifth of the letters is kana or kanji (Google Classroomと連携できますか), and what
    is longer than a heading holds kana, so that Chinese is told apart. English: four fifths are
    Latin. A text without any letter is written in every language.
    """
    letters = [c for c in unicodedata.normalize("NFKC", clean(text)) if c.isalpha() or c == "々"]
    if not letters:
        return True
    joined = "".join(letters)
    own = len((_JAPANESE if language == "ja" else _LATIN).findall(joined))
    if own < _LEAST[language] * len(letters):
        return False
    if language == "en" or _HIRAGANA.search(joined):
        return True
    if len(_LATIN_WORD.findall(text)) >= _SENTENCE:
        return False
    heading = own <= _LONGEST_WITHOUT_KANA and not _CHINESE.search(joined)
    return bool(_KANA.search(joined)) or heading
