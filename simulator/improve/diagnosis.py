"""Which failures of a run may have one cause, such as a limit, a style or a guideline.

Each detector looks at the failures that those before it left. A cause shows in at least three
scenarios and five conversations. Where a group is compared with the rest, Fisher's exact test
(one-sided, with Holm's adjustment over the groups) says whether it fails more often.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from statistics import median
from typing import NamedTuple

from simulator.core.clean import normal_form
from simulator.core.errors import TargetFault
from simulator.core.persona import Language
from simulator.core.result import Result, Why
from simulator.core.run import Episode, Run
from simulator.core.talk import Reply, TargetFailure
from simulator.results.verdict import Fault
from simulator.statistics.paired import holm, seldom
from simulator.text.acts import is_refusal, only_asks_back
from simulator.view.faults import alike, shown_turn

_ALPHA = 0.01
_CONVERSATIONS, _SCENARIOS = 5, 3  # in which a cause shows, at least
_SPREAD = 3  # characters: answers that are cut at one length differ by so many
_SHARE = 0.5  # of a persona's conversations, or of a suspect's answers
_MOST = 0.8  # of what is left to explain
_FEW = 2  # documents of every answer: so few may leave out the right one
_READ = 4_000  # characters of an answer
_TAIL = 15  # characters at an answer's end that are looked for in documents
_END = re.compile(r"[。！？!?.．」』）)】〉》”\"'*_`)\]]\s*$|\d\s*$")
_ELLIPSIS = re.compile(r"(?:\.{2,}|…|・{2,})\s*$")


class Cause(StrEnum):
    """What conversations that failed may have in common."""

    CUT = "cut"  # answers stop in the middle
    EMPTY = "empty"  # no text comes
    RAISED = "raised"  # the bot's code breaks off
    SAME = "same"  # one answer to different questions
    PERSONA = "persona"  # how somebody writes
    HISTORY = "history"  # from the third turn on
    FOLLOW_UPS = "follow_ups"  # what leans on the turn before
    RANK = "rank"  # the right document comes, but not first
    DEPTH = "depth"  # too few documents come
    DOCUMENT = "document"  # one document comes for everything
    GUIDELINE = "guideline"  # one refusal of what is known
    UNUSED = "unused"  # the right document comes, and is not used


_OF_TEXTS = frozenset({Cause.DOCUMENT, Cause.GUIDELINE})


@dataclass(frozen=True, slots=True)
class Suspect:
    """A possible cause of several failures.

    `levels`: the personas, the length, the turn or the document that it shows in. `keys` and
    `scenarios`: its conversations. One of them is quoted (`question`, `answer`).
    """

    cause: Cause
    levels: tuple[str, ...]
    keys: tuple[str, ...]
    scenarios: tuple[str, ...]
    question: str
    answer: str

    @property
    def is_code(self) -> bool:
        """True if an engineer has to look: no change of a text is known to mend it."""
        return self.cause not in _OF_TEXTS


@dataclass(frozen=True, slots=True)
class _Row:
    """A conversation, by the turn that shows its result.

    `failed` None: undecided. `rank`: of the expected document, 0 where it did not come, None where
    that is not known. `follow_ups`: of each question that leans on the turn before, its turn and
    whether it was lost. `stops_early`: the answer is the beginning of a document that goes on.
    """

    key: str
    scenario: str
    persona: str
    failed: bool | None
    question: str
    answer: str
    fault: TargetFault | None
    blame: str
    first: str
    is_expected_first: bool
    documents: int
    rank: int | None
    stops_early: bool
    follow_ups: tuple[tuple[int, bool], ...]

    @property
    def form(self) -> str:
        return normal_form(self.answer)

    @property
    def is_open_ended(self) -> bool:
        """True if the answer does not end as a sentence does."""
        text = self.answer.strip()
        return bool(text) and (bool(_ELLIPSIS.search(text)) or not _END.search(text))


@dataclass(frozen=True, slots=True)
class _Found:
    """What a detector found."""

    cause: Cause
    rows: Sequence[_Row]
    levels: tuple[str, ...] = ()


def diagnose(run: Run) -> tuple[Suspect, ...]:
    """The suspects of a run, those with the most conversations first."""
    rows = [row for episode in run.episodes() if (row := _row(episode)) is not None]
    language, suspects = run.header.language, []
    for detect in _detectors(language, are_lost=run.summary.follow_ups.are_lost):
        found = detect(rows)
        if found is not None and _is_spread(found.rows):
            suspects.append(_suspect(found))
            taken = {row.key for row in found.rows}
            rows = [row for row in rows if row.key not in taken]
    return tuple(sorted(suspects, key=lambda suspect: -len(suspect.keys)))


def shows(suspect: Suspect, episode: Episode) -> bool | None:
    """Whether a conversation shows what is suspected; None: it tells nothing of the bot."""
    row = _row(episode)
    if row is None:
        return None
    if suspect.cause is Cause.CUT:
        return None if row.fault else row.is_open_ended or row.stops_early
    if suspect.cause in (Cause.EMPTY, Cause.RAISED):
        return row.fault is not None and row.fault.value == suspect.cause.value
    if suspect.cause is Cause.SAME:
        return row.form == normal_form(suspect.answer)
    return row.failed


def _suspect(found: _Found) -> Suspect:
    answers = Counter(row.answer for row in found.rows)
    shown = max(found.rows, key=lambda row: (answers[row.answer], len(row.answer), row.key))
    return Suspect(
        found.cause,
        found.levels,
        tuple(row.key for row in found.rows),
        tuple(sorted(_names(found.rows))),
        shown.question,
        shown.answer,
    )


def _detectors(
    language: Language, *, are_lost: bool
) -> Iterator[Callable[[Sequence[_Row]], _Found | None]]:
    yield lambda rows: _broken(rows, TargetFault.EMPTY, Cause.EMPTY)
    yield lambda rows: _broken(rows, TargetFault.RAISED, Cause.RAISED)
    yield _cut
    yield _personas
    yield _history
    if are_lost:
        yield _follow_ups
    yield _document
    yield lambda rows: _same(rows, language)
    yield lambda rows: _guideline(rows, language)
    yield lambda rows: _rank(rows, language)
    yield _depth
    yield _unused


def _row(episode: Episode) -> _Row | None:
    """None: it says nothing of the bot's answers, or was not checked."""
    finding, shown = episode.finding, shown_turn(episode, episode.finding)
    if finding is None or not shown or finding.why is Why.UNSOUND:
        return None
    if finding.result is Result.UNCHECKED:
        return None
    exchange = episode.turns[shown - 1].exchange
    reply = exchange.reply
    fault = reply.fault if isinstance(reply, TargetFailure) else None
    if fault not in (None, TargetFault.EMPTY, TargetFault.RAISED):
        return None  # a timeout, say: nothing is known of what would have been answered
    expected = frozenset(episode.scenario.expected.documents if episode.scenario else ())
    failed = {Result.FAILED: True, Result.PASSED: False}.get(finding.result)
    names = [str(document.id) for document in exchange.documents if document.id is not None]
    answer = reply.text if isinstance(reply, Reply) else reply.message
    answer = answer[:_READ]
    first = names[0] if names else ""
    return _Row(
        key=episode.cell.key,
        scenario=episode.cell.scenario,
        persona=episode.cell.persona,
        failed=failed,
        question=exchange.user,
        answer=answer,
        fault=fault,
        blame=alike(episode, finding).group.blame,
        first=first,
        is_expected_first=first in expected,
        documents=len(exchange.documents),
        rank=_rank_of(episode, expected),
        stops_early=_stops_early(answer, [document.text for document in exchange.documents]),
        follow_ups=tuple(
            (turn.exchange.turn, Fault.LOST_THREAD in turn.blames)
            for turn in episode.turns
            if turn.follows_up or Fault.LOST_THREAD in turn.blames
        ),
    )


def _rank_of(episode: Episode, expected: Collection[str]) -> int | None:
    """The best rank of an expected document in any turn."""
    lists = [
        [str(document.id) for document in turn.exchange.documents]
        for turn in episode.turns
        if isinstance(turn.exchange.reply, Reply) and turn.exchange.reply.reports_documents
    ]
    if not expected or not any(lists):
        return None
    ranks = [rank for names in lists for rank, name in enumerate(names, 1) if name in expected]
    return min(ranks, default=0)


def _stops_early(answer: str, documents: Iterable[str]) -> bool:
    """True if the answer ends where a document, which it begins, goes on."""
    tail = _ELLIPSIS.sub("", answer.strip())[-_TAIL:]
    if len(tail) < _TAIL:
        return False
    places = ((text, text.find(tail)) for text in documents)
    return any(at >= 0 and text[at + len(tail) :].strip() for text, at in places)


def _is_spread(rows: Collection[_Row]) -> bool:
    return len(rows) >= _CONVERSATIONS and len(_names(rows)) >= _SCENARIOS


def _failures(rows: Iterable[_Row]) -> list[_Row]:
    return [row for row in rows if row.failed]


def _fail_more(group: Collection[bool], rest: Collection[bool]) -> float:
    """How likely so many failures of a group are, if the rest fails as often."""
    if not group or not rest:
        return 1.0
    return seldom(sum(group), len(group), sum(rest), len(rest))


def _broken(rows: Sequence[_Row], fault: TargetFault, cause: Cause) -> _Found | None:
    failing = [row for row in _failures(rows) if row.fault is fault]
    return _Found(cause, failing) if failing else None


def _cut(rows: Sequence[_Row]) -> _Found | None:
    """Answers that end in the middle: at the greatest length there is, or wherever they fail."""
    answered = {row.form: row for row in rows if row.answer and row.fault is None}
    longest = max((len(row.answer.rstrip()) for row in answered.values()), default=0)
    # what is cut is often undecided: words that are not there cannot be read
    failing = [row for row in rows if row.failed is not False and row.fault is None]

    def is_at_limit(row: _Row) -> bool:
        length = len(row.answer.rstrip())
        return (row.is_open_ended or row.stops_early) and abs(length - longest) <= _SPREAD

    at_limit = [row for row in failing if is_at_limit(row)]
    others = [row for row in answered.values() if not is_at_limit(row)]
    is_one_length = len({row.form for row in at_limit}) >= _CONVERSATIONS and not any(
        row.is_open_ended and len(row.answer) > _TAIL for row in others if row.failed is False
    )
    if is_one_length and _is_spread(at_limit):
        return _Found(Cause.CUT, at_limit, (str(longest),))
    for is_cut in (_is_open_ended, _is_stopped):
        short = [row for row in failing if is_cut(row)]
        whole = [len(row.answer) for row in answered.values() if not is_cut(row)]
        every = answered.values()
        inside = [row.failed is not False for row in every if is_cut(row)]
        outside = [row.failed is not False for row in every if not is_cut(row)]
        is_most = len(short) >= _SHARE * len(failing)
        is_long = not whole or median(len(row.answer) for row in short or rows) >= _TAIL
        is_often = is_most and is_long and len(inside) >= _CONVERSATIONS
        if is_often and _fail_more(inside, outside) <= _ALPHA:
            return _Found(Cause.CUT, short)
    return None


def _is_open_ended(row: _Row) -> bool:
    return row.is_open_ended


def _is_stopped(row: _Row) -> bool:
    return row.stops_early


def _personas(rows: Sequence[_Row]) -> _Found | None:
    """Personas that fail where most others pass, and whoever gets the same answer there."""
    decided = [row for row in rows if row.failed is not None]
    left, taken = decided, dict[str, list[_Row]]()
    while (worst := _worst_persona(left)) is not None:
        taken[worst.persona] = worst.failing
        left = [row for row in left if row.persona != worst.persona]
    failing = [row for group in taken.values() for row in group]
    if not failing:
        return None
    form, count = Counter(row.form for row in failing).most_common(1)[0]
    if count >= _SHARE * len(failing):
        known = {row.key for row in failing}
        passed = {row.scenario for row in decided if not row.failed}
        alike_rows = (row for row in _failures(left) if row.form == form)
        failing += [row for row in alike_rows if row.scenario in passed and row.key not in known]
    return _Found(Cause.PERSONA, failing, tuple(sorted(taken)))


class _Worst(NamedTuple):
    """The persona that fails most clearly more often than others, and where it does."""

    persona: str
    failing: list[_Row]


def _worst_persona(rows: Sequence[_Row]) -> _Worst | None:
    """Compared in scenarios that most others pass; None: none is significant."""
    by_scenario: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        by_scenario[row.scenario].append(row)
    found: list[_Worst] = []
    ps: list[float] = []
    for persona in sorted({row.persona for row in rows}):
        own, rest = [], list[bool]()
        for group in by_scenario.values():
            others = [row.failed is True for row in group if row.persona != persona]
            if others and sum(others) <= _SHARE * len(others):
                own += [row for row in group if row.persona == persona]
                rest += others
        failing = _failures(own)
        is_often = len(failing) >= _SHARE / 2 * len(own) and _is_spread(failing)
        found.append(_Worst(persona, failing))
        ps.append(_fail_more([row.failed is True for row in own], rest) if is_often else 1.0)
    best = min(zip(holm(ps), range(len(ps)), strict=True), default=(1.0, 0))
    return found[best[1]] if best[0] <= _ALPHA else None


def _history(rows: Sequence[_Row]) -> _Found | None:
    """Questions that lean on the turn before are lost from some turn on."""
    follow_ups = [each for row in rows for each in row.follow_ups]
    for start in sorted({turn for turn, _ in follow_ups} - {1, 2}):
        late = [lost for turn, lost in follow_ups if turn >= start]
        early = [lost for turn, lost in follow_ups if turn < start]
        if sum(late) > len(late) * _SHARE and _fail_more(late, early) <= _ALPHA:
            found = [row for row in _failures(rows) if row.blame == Fault.LOST_THREAD]
            return _Found(Cause.HISTORY, found, (str(start),))
    return None


def _follow_ups(rows: Sequence[_Row]) -> _Found | None:
    return _Found(
        Cause.FOLLOW_UPS, [row for row in _failures(rows) if row.blame == Fault.LOST_THREAD]
    )


def _document(rows: Sequence[_Row]) -> _Found | None:
    """A document that comes first where others are expected, and there the bot fails."""
    wrongly = [row for row in _failures(rows) if row.first and not row.is_expected_first]
    names = sorted({row.first for row in wrongly})
    ps = []
    for name in names:
        of_name, others = _by_scenario(rows, partial(_is_of, name))
        ps.append(_fail_more(of_name, others))
    for name, p in sorted(zip(names, holm(ps), strict=True), key=lambda pair: pair[1]):
        found = [row for row in wrongly if row.first == name]
        if p <= _ALPHA and _is_spread(found):
            return _Found(Cause.DOCUMENT, found, (name,))
    return None


def _is_of(name: str, row: _Row) -> bool:
    return row.first == name and not row.is_expected_first


def _by_scenario(
    rows: Iterable[_Row], belongs: Callable[[_Row], bool]
) -> tuple[list[bool], list[bool]]:
    """Whether most conversations failed, by scenario: of those that belong, and of the others."""
    counts: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    for row in rows:
        if row.failed is not None:
            counts[row.scenario, belongs(row)].append(row.failed)
    inside, outside = list[bool](), list[bool]()
    for (_, is_in), failed in counts.items():
        (inside if is_in else outside).append(sum(failed) > _SHARE * len(failed))
    return inside, outside


def _one_answer(rows: Iterable[_Row]) -> list[_Row]:
    """Those with the answer that most scenarios got."""
    by_form: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        by_form[row.form].append(row)
    return max(by_form.values(), key=lambda group: len(_names(group)), default=[])


def _same(rows: Sequence[_Row], language: Language) -> _Found | None:
    stated = (
        row
        for row in _failures(rows)
        if row.answer
        and not is_refusal(row.answer, language)
        and not only_asks_back(row.answer, language)
    )
    same = _one_answer(stated)
    documents = {row.first for row in same}
    is_found = len(documents) == 1 and "" not in documents  # it is the search that is wrong
    return None if is_found else _Found(Cause.SAME, same)


def _guideline(rows: Sequence[_Row], language: Language) -> _Found | None:
    refused = (
        row
        for row in _failures(rows)
        if row.blame == Fault.WRONG_REFUSAL and is_refusal(row.answer, language)
    )
    return _Found(Cause.GUIDELINE, _one_answer(refused))


def _rank(rows: Sequence[_Row], language: Language) -> _Found | None:
    """What fails wherever the expected document is not the first.

    A refusal is no sign of it: it does not come of the first document.
    """
    ranked = [row for row in rows if row.rank and not is_refusal(row.answer, language)]
    later, first = _by_scenario(ranked, lambda row: (row.rank or 0) > 1)
    is_few = sum(later) < _CONVERSATIONS or sum(later) < _MOST * len(later)
    if is_few or _fail_more(later, first) > _ALPHA:
        return None
    return _Found(Cause.RANK, [row for row in _failures(ranked) if (row.rank or 0) > 1])


def _depth(rows: Sequence[_Row]) -> _Found | None:
    """Expected documents do not come, and no answer ever has more than one or two."""
    counts = {row.documents for row in rows if row.documents}
    missed = [row for row in _failures(rows) if row.rank == 0 and row.blame == Fault.RETRIEVAL_MISS]
    if not counts or max(counts) > _FEW or len(_names(missed)) <= _SCENARIOS:
        return None
    return _Found(Cause.DEPTH, missed, (str(max(counts)),))


def _unused(rows: Sequence[_Row]) -> _Found | None:
    """Most of what is left fails although a document that says it came, and was expected first."""
    failing = _failures(rows)
    unused = [row for row in failing if row.blame == Fault.UNUSED and row.rank == 1]
    by_scenario, _ = _by_scenario([row for row in rows if row.scenario in _names(unused)], bool)
    is_most = sum(by_scenario) > _SCENARIOS and len(unused) >= _MOST * len(failing)
    return _Found(Cause.UNUSED, unused) if is_most else None


def _names(rows: Iterable[_Row]) -> set[str]:
    return {row.scenario for row in rows}
