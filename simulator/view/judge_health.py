"""Whether a run's own judgements look like a judge's: rates with intervals, and what they warn of.

Everything is found in stored outcomes, with no call more. Each rate has a bound. It is past it if
the rate is above the bound and the lower end of its 95 % interval above half of it, among `FEWEST`
places or more: one odd turn condemns nobody.

- `halo`: all three or more rated aspects of a rubric are equal. Not past anything by itself: an
  answer with nothing wrong has 5 in every aspect.
- `halo_midway` (bound .8): the same among turns whose aspects are not all best or all worst. Six
  equal threes say that one number was given six times; of a judge who looks, 4-4-4-4-4-4 now and
  then is no wonder, four turns of five are.
- `spread` (.9): turns with the metric's most common value. Where that is one end of the scale, the
  bot may be that good, or that bad, and it is a remark, no doubt.
- `parroting` (.1): the comment is the rubric's text, the reply's, or that of a turn on which the
  bot said something else. A comment is the judge's reason; with one in ten borrowed the ratings
  have none. Comments of a word or two do not count.
- `against_facts`: the judge reads a claim otherwise than words prove it, among the claims that
  words prove to be met (nearly verbatim) or violated (another amount, a plain denial). No bound of
  its own: `lenient` and `harsh` tell in which way.
- `lenient` (.01): of the claims that the judge calls met, words prove so many violated. `harsh`
  (.03): of those that it calls unmet or violated, words prove so many met. The bounds are the words
  reader's own errors: it calls 0 to 0.8 % of right answers violated, and 3 % of wrong ones met
  (`python -m benchmarks people`); so they hold for a truthful judge, however good or bad the bot
  is. Past them is what is significantly above (one-sided exact binomial test, p < .01). Equal
  answers count once. What words leave open speaks for no disagreement, so a bot that words
  everything freely puts no judge in doubt.
- `comment_against_score` (.1): a comment that plainly praises beside aspects that are low on
  average, or plainly faults beside aspects that are high. What weighs two sides is neither.
- `flips`, with several votes: they lie on both sides of the threshold, or differ at all where there
  is none. No bound: the middle of the votes counts, and what they differ by is what it is worth.

Where words prove `FEWEST` claims or more and the judge agrees with them, neither halo nor want of
spread puts it in doubt.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State, claims_of
from simulator.core.clean import normal_form
from simulator.core.health import JudgeHealth, JudgeWarning, Rate
from simulator.core.outcome import MetricInfo, Score
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import Reply, StopReason
from simulator.statistics.intervals import correlation, turn_rate, under
from simulator.statistics.paired import more_often
from simulator.text.acts import FEWEST as FEWEST_CHARACTERS
from simulator.text.acts import is_plainly, says_back
from simulator.words import Words

FEWEST = 6
BOUNDS: Mapping[str, float] = {
    "halo_midway": 0.8,
    "spread": 0.9,
    "parroting": 0.1,
    "lenient": 0.01,
    "harsh": 0.03,
    "comment_against_score": 0.1,
}
_RATES = ("halo", "halo_midway", "spread", "parroting", "against_facts", "lenient", "harsh")
_SHOWN = (*_RATES, "comment_against_score")
_BY_CHANCE = 0.01
_GOOD, _BAD = 0.65, 0.35  # of the mean of several: 4-4-3-4 and 2-2-3-2
_ASPECTS = 3  # fewer are equal by chance
_PROVABLE = frozenset({ClaimKind.SAYS, ClaimKind.MUST_NOT})
_OF_FACTS = ("lenient", "harsh")
_Scores = dict[str, Score]


class Ratings:
    """How the judge of a run rated a turn, in one word."""

    def __init__(self, header: RunHeader) -> None:
        judged = [i for i in header.metrics if "judge" in i.needs and i.scope == "turn"]
        self.infos = {info.name: info for info in judged}
        chosen = [i for i in judged if i.name == header.score_by]
        self.metric = next((i.name for i in (*chosen, *judged)), "")

    def scores(self, turn: Turn) -> _Scores:
        """The judge's scores of a turn."""
        judged = {n: o for n, o in turn.outcomes.items() if n in self.infos}
        return {name: o for name, o in judged.items() if isinstance(o, Score)}

    def place(self, name: str, value: float) -> float:
        """Where a value stands on its scale, 0-1."""
        info = self.infos[name]
        return (value - info.low) / (info.high - info.low)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A claim as the judge reads it beside what words say of it."""

    claim: Claim
    words: Reading
    model: Reading

    @property
    def name(self) -> str:
        """In which way the judge errs, if it does: `lenient` or `harsh`."""
        return "lenient" if self.model.state is State.MET else "harsh"

    @property
    def is_proven(self) -> bool:
        """True if words prove what it is; not to say what must not be said is no proof."""
        is_met = self.words.state is State.MET and self.claim.kind is not ClaimKind.MUST_NOT
        return is_met or self.words.state is State.VIOLATED

    @property
    def differs(self) -> bool:
        """True if words prove the contrary of what the judge reads."""
        is_met = self.model.state is State.MET
        return self.is_proven and is_met is (self.words.state is State.VIOLATED)


def disagreements(episode: Episode) -> dict[int, Disagreement]:
    """By turn, the first claim that the judge reads otherwise than words prove it."""
    odd = [(turn.exchange.turn, pair) for turn, pair in _pairs(episode) if pair.differs]
    return dict(reversed(odd))


def _pairs(episode: Episode) -> Iterator[tuple[Turn, Disagreement]]:
    """The claims that a model could read, with what words say, whether the two agree or not."""
    if episode.scenario is None or episode.stop.reason is StopReason.USER_INVALID:
        return
    claims = {c.id: c for c in claims_of(episode.scenario.expected) if c.kind in _PROVABLE}
    for turn in episode.turns:
        by = {(r.claim, r.reader): r for r in turn.readings or () if r.claim in claims}
        for (claim, reader), model in by.items():
            words = by.get((claim, Reader.WORDS))
            if reader is Reader.MODEL and words and model.state is not State.UNKNOWN:
                yield turn, Disagreement(claims[claim], words, model)


class _Counts:
    """Hits and places, by conversation."""

    def __init__(self) -> None:
        self._hits, self._places = array("l"), array("l")

    def add(self, hits: Sequence[bool]) -> None:
        if hits:
            self._hits.append(sum(hits))
            self._places.append(len(hits))

    def rate(self) -> Rate:
        return Rate(turn_rate(self._hits, self._places), sum(self._places))


class JudgeHealthTally:
    """Counts one run; of a conversation a few numbers are kept, of a comment its hash."""

    def __init__(self, header: RunHeader) -> None:
        self._ratings = Ratings(header)
        self._asked_forms: dict[tuple[str, ...], str] = {}
        self._header = header
        self._counts: defaultdict[str, _Counts] = defaultdict(_Counts)
        self._values = array("d")  # of the metric, one for each turn
        self._talk_of_value = array("l")
        # One for each comment: where it stands, its hash, the reply's hash, whether it is borrowed.
        self._comments: list[array[int]] = [array("l"), array("q"), array("q"), array("b")]
        self._sums: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0] * 6)
        self._talks = 0
        self._read: set[int] = set()  # answers to claims
        self._has_votes = int(header.snapshot.get("client.judge.votes") or 1) > 1

    def add(self, episode: Episode) -> Mapping[int, Disagreement]:
        """Count one conversation; by turn, where the judge differs from what words prove."""
        ratings = self._ratings
        if not ratings.metric or episode.stop.reason is StopReason.USER_INVALID:
            return {}
        self._talks += 1
        scored = [(turn, ratings.scores(turn)) for turn in episode.turns]
        rubrics = [(turn, of) for turn, scores in scored for of in _rubrics(scores)]
        self._halo([of for _, of in rubrics])
        for _, scores in scored:
            self._correlate(scores)
            if ratings.metric in scores:
                self._values.append(round(scores[ratings.metric].value, 2))
                self._talk_of_value.append(self._talks)
        for turn, of in rubrics:
            self._comment(turn, of)
        self._count("comment_against_score", [self._contrary(of) for _, of in rubrics])
        if self._has_votes:
            flips = [self._flips(n, s) for _, scores in scored for n, s in scores.items()]
            self._count("flips", flips)
        self._facts(episode)
        return disagreements(episode)

    def summary(self) -> JudgeHealth | None:
        """The rates so far; None where a run has no judge."""
        if not self._ratings.metric:
            return None
        rates = {name: self._counts[name].rate() for name in _SHOWN}
        rates["spread"], common = self._spread()
        rates["parroting"] = self._parroting()
        if self._has_votes:
            rates["flips"] = self._counts["flips"].rate()
        r = [each for s in self._sums.values() if (each := correlation(s)) is not None]
        mean = sum(r) / len(r) if r else None
        at_end = bool(common in (0.0, 1.0))
        return JudgeHealth(self._ratings.metric, rates, mean, _warnings(rates, at_end=at_end))

    def _count(self, name: str, hits: Sequence[bool]) -> None:
        self._counts[name].add(hits)

    def _halo(self, rubrics: Sequence[_Scores]) -> None:
        rated = [self._places(of) for of in rubrics]
        several = [places for places in rated if len(places) >= _ASPECTS]
        self._count("halo", [len(set(places)) == 1 for places in several])
        midway = [places for places in several if set(places) not in ({0.0}, {1.0})]
        self._count("halo_midway", [len(set(places)) == 1 for places in midway])

    def _places(self, of: _Scores) -> list[float]:
        """Of what is rated: yes or no to three questions is often yes to all of them."""
        infos = self._ratings.infos
        named = {name: score for name, score in of.items() if infos[name].rated}
        return [round(self._ratings.place(name, score.value), 4) for name, score in named.items()]

    def _correlate(self, scores: _Scores) -> None:
        for of in _rubrics(scores):
            rated = [n for n in of if self._ratings.infos[n].rated]
            for first, second in combinations(rated, 2):
                x, y = of[first].value, of[second].value
                sums = self._sums[first, second]
                for place, more in enumerate((1, x, y, x * x, y * y, x * y)):
                    sums[place] += more

    def _comment(self, turn: Turn, of: _Scores) -> None:
        comment = next(iter(of.values())).comment
        reply = turn.exchange.reply
        answer = reply.text if isinstance(reply, Reply) else ""
        known = f"{normal_form(answer)}\n{self._asked(tuple(of))}"
        form = normal_form(comment)
        language = self._header.language
        is_short = len(form) < FEWEST_CHARACTERS[language]
        borrowed = not is_short and says_back(comment, known, language)
        row = (self._talks, 0 if is_short else hash(form), hash(normal_form(answer)), borrowed)
        for column, value in zip(self._comments, row, strict=True):
            column.append(value)

    def _asked(self, names: tuple[str, ...]) -> str:
        """The normal forms of what a judge was asked about these metrics, a line each."""
        if names not in self._asked_forms:
            infos: list[MetricInfo] = [self._ratings.infos[name] for name in names]
            texts = dict.fromkeys(text for i in infos for text in (i.description, *i.asked))
            self._asked_forms[names] = "\n".join(map(normal_form, texts))
        return self._asked_forms[names]

    def _contrary(self, of: _Scores) -> bool:
        mean = fmean(self._ratings.place(name, score.value) for name, score in of.items())
        if _BAD < mean < _GOOD:
            return False
        comment = next(iter(of.values())).comment
        return is_plainly("praise" if mean <= _BAD else "fault", comment, self._header.language)

    def _flips(self, name: str, score: Score) -> bool:
        ends = [score.parts[end] for end in ("lowest", "highest") if end in score.parts]
        threshold = self._header.thresholds.get(name)
        if threshold is None:
            return len(set(ends)) > 1
        return len({under(end, threshold) for end in ends}) > 1

    def _facts(self, episode: Episode) -> None:
        """Of equal answers to a claim the first counts."""
        scenario, new = episode.cell.scenario, []
        for turn, pair in _pairs(episode):
            key = hash((scenario, pair.claim.id, normal_form(turn.exchange.assistant)))
            new += [pair] if key not in self._read else []
            self._read.add(key)
        self._count("against_facts", [pair.differs for pair in new if pair.is_proven])
        for name in _OF_FACTS:
            self._count(name, [pair.differs for pair in new if pair.name == name])

    def _spread(self) -> tuple[Rate, float | None]:
        """The share of the most common value, and its place on the scale."""
        if not self._values:
            return Rate(), None
        common = min(Counter(self._values).items(), key=lambda item: (-item[1], item[0]))[0]
        hits = [value == common for value in self._values]
        place = self._ratings.place(self._ratings.metric, common)
        return _by_talk(self._talk_of_value, hits), round(place, 4)

    def _parroting(self) -> Rate:
        talks, forms, replies, borrowed = self._comments
        first: dict[int, int] = {}
        repeated = set()
        for form, reply in zip(forms, replies, strict=True):
            if form and first.setdefault(form, reply) != reply:
                repeated.add(form)
        hits = [bool(b) or form in repeated for form, b in zip(forms, borrowed, strict=True)]
        return _by_talk(talks, hits)


def _by_talk(talks: Sequence[int], hits: Sequence[bool]) -> Rate:
    places, counts = Counter(talks), Counter(t for t, hit in zip(talks, hits, strict=True) if hit)
    return Rate(turn_rate([counts[t] for t in places], list(places.values())), len(talks))


def _rubrics(scores: _Scores) -> list[_Scores]:
    """The scores that share a comment: one rubric's, since one judgement gave all of them."""
    rubrics: dict[str, _Scores] = {}
    for name, score in scores.items():
        rubrics.setdefault(score.comment, {})[name] = score
    return list(rubrics.values())


def _warnings(rates: Mapping[str, Rate], *, at_end: bool) -> tuple[JudgeWarning, ...]:
    past = [name for name, bound in BOUNDS.items() if _is_past(name, rates[name], bound)]
    if rates["against_facts"].n >= FEWEST and not {*_OF_FACTS}.intersection(past):
        past = [name for name in past if name not in ("halo_midway", "spread")]
    warnings = []
    for name in past:
        rate = rates[name]
        doubt = name != "spread" or not at_end
        warnings.append(JudgeWarning(name, rate.value.mean or 0.0, rate.n, BOUNDS[name], doubt))
    return tuple(warnings)


def _is_past(name: str, rate: Rate, bound: float) -> bool:
    mean, low = rate.value.mean, rate.value.low
    if rate.n < FEWEST or mean is None or mean <= bound:
        return False
    if name in _OF_FACTS:
        return more_often(round(mean * rate.n), rate.n, bound) < _BY_CHANCE
    return (low or 0.0) > bound / 2


def warning_texts(health: JudgeHealth, words: Words) -> list[str]:
    """Each warning as people read it; `words` has the section judge."""
    return [
        words(
            f"warn.{w.name}" if w.doubt else f"remark.{w.name}",
            share=f"{w.rate:.0%}",
            n=w.n,
            metric=health.metric,
        )
        for w in health.warnings
    ]
