"""A run's results: how many conversations passed, where, how sure that is, what is left open.

What a model or a person could decide of the rest, and how much work that is, comes last.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, starmap

from simulator.core.claim import ClaimKind, Reader, State, claims_of, counting, kind_of
from simulator.core.clean import cut, spoken, visible
from simulator.core.persona import Language
from simulator.core.result import Finding, Result, Why
from simulator.core.run import (
    CellResults,
    Episode,
    ResultSummary,
    Run,
    RunHeader,
    RunSummary,
    Turn,
    Unsettled,
)
from simulator.core.scenario import Approval, Expected
from simulator.core.talk import StopReason
from simulator.core.verdict import Verdict, Word, latest, settled
from simulator.results.verdict import Fault, Rules, finding_of
from simulator.statistics.intervals import clustered
from simulator.statistics.paired import Repeats, pass_power, pass_power_mean
from simulator.worksheets.columns import fault_of

_RESULTS, _WHYS = tuple(Result), tuple(Why)
_LONGEST = 100  # characters of a cause in people's own words
TO_BE_READ = frozenset({Why.DIFFER, Why.UNCLEAR, Why.AT_ODDS, Why.JUDGE_IN_DOUBT})
"""Why conversations are undecided until somebody reads their answers."""


def finding(header: RunHeader, *, doubted: bool) -> Callable[[Episode, Sequence[Verdict]], Finding]:
    """What finds the result of a conversation of this run, with people's verdicts on its turns.

    `doubted`: the health of its judge is in doubt.
    """
    rules = Rules.of(header.metrics, header.thresholds, header.fail_on)

    def find(episode: Episode, verdicts: Sequence[Verdict]) -> Finding:
        return finding_of(episode, rules, settled_words(verdicts), doubted=doubted)

    return find


def in_doubt(summary: RunSummary) -> bool:
    """Whether the health of a run's judge is in doubt."""
    return summary.judge_health is not None and summary.judge_health.in_doubt


def settled_words(verdicts: Sequence[Verdict]) -> dict[int, Word]:
    """What people say of each turn of a conversation that anybody spoke of."""
    if not verdicts:
        return {}
    by_turn = sorted(verdicts, key=lambda verdict: verdict.turn)  # stable: in order within a turn
    words = {turn: settled(some) for turn, some in groupby(by_turn, key=lambda v: v.turn)}
    return {turn: word for turn, word in words.items() if word is not None}


def is_flagged(episode: Episode, turn: Turn, finding: Finding | None, word: Word | None) -> bool:
    """Whether a turn counts as flagged, as all figures and reports have it.

    An answer that people call OK does not, nor what an invalid user was answered; what shows why
    its conversation failed does, by today's finding.
    """
    if word is Word.OK or episode.stop.reason is StopReason.USER_INVALID:
        return False
    return turn.flagged or shows_weakness(finding, turn)


def shows_weakness(finding: Finding | None, turn: Turn, *, odd: bool = False) -> bool:
    """Whether a turn shows why its conversation failed; if `odd`, also why it is undecided."""
    if finding is None or finding.turn != turn.exchange.turn:
        return False
    return finding.result is Result.FAILED or (odd and finding.result is Result.UNDECIDED)


def with_causes(episode: Episode, verdicts: Sequence[Verdict]) -> Episode:
    """The conversation blamed as people have it, where they named a cause; else as it was.

    What most people named comes first, in their own words where the vocabulary has none. Who
    cannot tell, or calls the answer OK, names none.
    """
    if not any(verdict.error_type for verdict in verdicts):
        return episode
    turns = []
    for turn in episode.turns:
        by_person = latest(v for v in verdicts if v.turn == turn.exchange.turn).values()
        causes = (fault_of(_one_line(v.error_type)) for v in by_person if v.word is not Word.OK)
        known = Counter(cause for cause in causes if cause not in ("", Fault.UNDETERMINED))
        blames = tuple(cause for cause, _ in known.most_common())
        turns.append(replace(turn, blames=blames) if blames else turn)
    return replace(episode, turns=tuple(turns))


def _one_line(text: str) -> str:
    return cut(" ".join(visible(text).split()), _LONGEST)


def as_it_counts(episode: Episode, verdicts: Sequence[Verdict]) -> Episode:
    """The conversation with its turns flagged as `is_flagged` has it; an OK takes blame, too."""
    words = settled_words(verdicts)
    turns = []
    for turn in with_causes(episode, verdicts).turns:
        word = words.get(turn.exchange.turn)
        cleared = replace(turn, flags=(), blames=()) if word is Word.OK else turn
        flagged = is_flagged(episode, turn, episode.finding, word)
        turns.append(cleared if flagged == turn.flagged else replace(cleared, flagged=flagged))
    return replace(episode, turns=tuple(turns))


def as_they_count(run: Run) -> Iterator[tuple[Episode, dict[int, Word]]]:
    """The conversations of a run as `as_it_counts` has them, with what people say of each turn."""
    for episode, verdicts in run.reviewed():
        yield as_it_counts(episode, verdicts), settled_words(verdicts)


def as_it_ended(run: Run) -> Run:
    """The run as it was before people judged it: with the verdicts of earlier runs alone."""
    find = finding(run.header, doubted=in_doubt(run.summary))

    def reviewed() -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
        for episode, verdicts in run.reviewed():
            known = tuple(v for v in verdicts if v.run not in ("", run.header.id))
            yield replace(episode, finding=find(episode, known)), known

    return replace(run, episodes=lambda: starmap(as_it_counts, reviewed()), reviewed=reviewed)


class ResultTally:
    """Counts the results of one run; of a conversation a few small numbers are kept."""

    def __init__(self, header: RunHeader) -> None:
        self._results, self._whys = array("b"), array("b")
        self._places = array("l"), array("l")  # scenario, persona
        self._scenarios: dict[str, int] = {}
        self._personas: dict[str, int] = {}
        self._must_pass = frozenset(header.gate.must_pass) if header.gate else frozenset()
        self.repeats = 1  # the most that a cell has
        self._idle = bool(self._must_pass) and not header.is_of_rows  # none of them was played yet
        self._must: dict[int, str] = {}  # the places of those that must pass, with their keys
        self._repaired = 0
        self._decided: Counter[Reader] = Counter()

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one complete conversation with what is found of it."""
        cell, place = episode.cell, len(self._results)
        self.repeats = max(self.repeats, cell.repeat)
        tags = episode.scenario.tags if episode.scenario else ()
        if not self._must_pass.isdisjoint((cell.scenario, *tags)):
            self._must[place] = cell.key
        self._repaired += finding.result is Result.PASSED and is_repaired(episode)
        for places, known, name in zip(
            self._places,
            (self._scenarios, self._personas),
            (cell.scenario, cell.persona),
            strict=True,
        ):
            places.append(known.setdefault(name, len(known)))
        self._results.append(_RESULTS.index(finding.result))
        self._whys.append(_WHYS.index(finding.why))
        if finding.decided_by is not None:
            self._decided[finding.decided_by] += 1

    def summary(self) -> ResultSummary:
        """The figures of all conversations so far."""
        results = [_RESULTS[code] for code in self._results]
        counts = Counter(results)
        decided = {Result.PASSED: 1.0, Result.FAILED: 0.0}
        kept = [at for at, result in enumerate(results) if result in decided]
        rate = clustered(
            [decided[results[at]] for at in kept], [self._places[0][at] for at in kept]
        )
        passed, open_ = counts[Result.PASSED], counts[Result.UNDECIDED]
        whole = passed + counts[Result.FAILED] + open_
        whys = Counter(_WHYS[code] for code in self._whys)
        by_scenario = self._by_scenario(results)
        cells = [_repeats(cell) for cell in self.cells().values()]
        means = {k: pass_power_mean(cells, k) for k in range(2, self.repeats + 1)}
        powers = {k: power for k, power in means.items() if power is not None}
        most = max(powers, default=0)
        return ResultSummary(
            counts={result.value: counts[result] for result in _RESULTS},
            pass_rate=rate,
            worst=passed / whole if whole else None,
            best=(passed + open_) / whole if whole else None,
            whys=dict(whys.most_common()),
            scenarios=sum(any(r is not Result.UNCHECKED for r in some) for some in by_scenario),
            passing=sum(map(_passes, by_scenario)),
            failing=sum(set(some) == {Result.FAILED} for some in by_scenario),
            mixed=sum(Result.FAILED in some and len(set(some)) > 1 for some in by_scenario),
            left_open=sum(
                Result.UNDECIDED in some and Result.FAILED not in some for some in by_scenario
            ),
            silent=sum(set(some) == {Result.UNCHECKED} for some in by_scenario),
            repaired=self._repaired,
            decided={reader: self._decided[reader] for reader in Reader},
            must_failed=self._must_be(results, Result.FAILED),
            must_open=self._must_be(results, Result.UNDECIDED, Result.UNCHECKED),
            must_idle=self._idle and not self._must,
            pass_power=powers,
            pass_power_cells=sum(pass_power(c, most) is not None for c in cells) if most else 0,
        )

    def cells(self) -> dict[tuple[str, str], CellResults]:
        """By (persona, scenario) how many of its repeats passed, failed and are undecided."""
        by_place: defaultdict[tuple[int, int], Counter[Result]] = defaultdict(Counter)
        for code, scenario, persona in zip(self._results, *self._places, strict=True):
            by_place[persona, scenario][_RESULTS[code]] += 1
        scenarios, personas = list(self._scenarios), list(self._personas)
        return {
            (personas[p], scenarios[s]): CellResults(
                *(counts[r] for r in (Result.PASSED, Result.FAILED, Result.UNDECIDED))
            )
            for (p, s), counts in by_place.items()
        }

    def pass_power(self, cell: CellResults) -> float | None:
        """pass^k of a cell, for as many repeats as there are; None without repeats."""
        return pass_power(_repeats(cell), self.repeats) if self.repeats > 1 else None

    def _must_be(self, results: Sequence[Result], *those: Result) -> tuple[str, ...]:
        return tuple(key for place, key in self._must.items() if results[place] in those)

    def _by_scenario(self, results: Sequence[Result]) -> list[list[Result]]:
        by_scenario: defaultdict[int, list[Result]] = defaultdict(list)
        for scenario, result in zip(self._places[0], results, strict=True):
            by_scenario[scenario].append(result)
        return list(by_scenario.values())


def is_repaired(episode: Episode) -> bool:
    """True if the first answer refused what can be answered."""
    if episode.scenario is None or not episode.turns:
        return False
    readings = counting(episode.turns[0].readings or ())
    claims = claims_of(episode.scenario.expected)
    return any(
        claim.kind is ClaimKind.ANSWERS and readings[claim.id].state is State.UNMET
        for claim in claims
        if claim.id in readings
    )


def _repeats(cell: CellResults) -> Repeats:
    return Repeats(cell.passed, cell.passed + cell.failed, cell.undecided)


def _passes(results: Sequence[Result]) -> bool:
    return Result.PASSED in results and not {Result.FAILED, Result.UNDECIDED}.intersection(results)


_ASKED = frozenset({ClaimKind.SAYS, ClaimKind.MUST_NOT})  # what a model named as reader is asked
# Reading speed in characters a second (Trauzettel-Klosinski & Dietz 2012, Investigative
# Ophthalmology & Visual Science 53:5452-5461: 987 and 357 a minute).
_READ: Mapping[Language, float] = {"en": 987 / 60, "ja": 357 / 60}
DECIDE_S = 10.0
"""To make up one's mind and choose, beside reading: an assumption."""
_EARLIER = 1_500  # characters of the turns before, as a worksheet shows them


def seconds_to_judge(episode: Episode, turn: Turn, language: Language) -> float:
    """How long a person takes for one answer: characters to read / speed + the time to decide."""
    exchange, expected = (
        turn.exchange,
        episode.scenario.expected.answers if episode.scenario else (),
    )
    before = [e.exchange for e in episode.turns if e.exchange.turn < exchange.turn]
    earlier = sum(len(each.user) + len(each.assistant) for each in before)
    shown = len(exchange.user) + len(exchange.assistant) + sum(map(len, expected))
    return seconds_to_decide(shown + min(earlier, _EARLIER), language)


def seconds_to_decide(characters: int, language: Language) -> float:
    """How long a person takes to read so much and to decide."""
    return characters / _READ[language] + DECIDE_S


class UnsettledTally:
    """Counts one run; of an answer a hash is kept."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._answers: set[int] = set()
        self._pairs: set[int] = set()  # claims in answers that only words have read
        self._unconfirmed: set[str] = set()  # scenarios
        self._talks = 0
        self._seconds = 0.0

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one conversation."""
        self._pairs.update(pair for turn in episode.turns for pair in _left_by_words(turn))
        if episode.scenario and is_unconfirmed(episode.scenario.expected):
            self._unconfirmed.add(episode.scenario.id)
        if finding.why not in TO_BE_READ:
            return
        self._talks += 1
        unknown = [turn for turn in episode.turns if _is_unknown(turn)]
        for turn in unknown or episode.turns[(finding.turn or 0) - 1 :][:1]:
            answer = hash(spoken(episode, turn.exchange.turn))
            if answer not in self._answers:
                self._answers.add(answer)
                self._seconds += seconds_to_judge(episode, turn, self._language)

    def summary(self) -> Unsettled:
        """The figures so far."""
        sizes = len(self._pairs), len(self._unconfirmed)
        return Unsettled(self._talks, len(self._answers), self._seconds, *sizes)


def is_unconfirmed(expected: Expected) -> bool:
    """True if it says what is right, and nobody has confirmed that."""
    return expected.approved is Approval.OPEN and bool(claims_of(expected))


def _is_unknown(turn: Turn) -> bool:
    readings = counting(turn.readings or ()).values()
    return any(reading.state is State.UNKNOWN for reading in readings)


def _left_by_words(turn: Turn) -> Iterator[int]:
    """What a model would be asked: a claim in an answer to a question."""
    readings, exchange = turn.readings or (), turn.exchange
    known = {reading.claim for reading in readings if reading.reader is not Reader.WORDS}
    for reading in readings:
        is_open = reading.state is State.UNKNOWN and reading.claim not in known
        if is_open and kind_of(reading.claim) in _ASKED:
            yield hash((reading.claim, exchange.user, exchange.assistant))
