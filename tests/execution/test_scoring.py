"""The judge: outcomes for every metric, flags, and errors that stay data."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from simulator.core.claim import Reader, Reading, State, claims_of
from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped, StoreError
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence, Judgement, Metric, TalkMetric
from simulator.core.run import Turn
from simulator.core.soundness import OUT_OF_ROLE
from simulator.core.talk import Document
from simulator.execution import scoring
from simulator.execution.scoring import Readers, Scorer
from simulator.metrics.elements_lexical import ElementsLexical
from simulator.metrics.lexical import Lexical
from simulator.metrics.retrieval_hit import RetrievalHit
from simulator.metrics.rouge_l import RougeL
from simulator.view.worst import flag_reason
from tests.execution.scored import FAILURE, LEXICAL, OVERALL, evidence, expecting, header, rated
from tests.metrics.turns import context
from tests.waiting import PATIENCE_S

TALK = evidence(("Where is my parcel?", "On its way."))


@dataclass
class Fixed:
    """A metric that returns what it was given, or raises it."""

    found: Mapping[str, Outcome] | BaseException
    infos: Sequence[MetricInfo] = (OVERALL,)
    seen: list[Evidence] = field(default_factory=list)

    async def score(self, evidence: Evidence) -> Outcomes:
        self.seen.append(evidence)
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


@dataclass
class Reads:
    """A reader that says the same about every claim; it counts how often it is asked."""

    state: State
    reader: Reader = Reader.WORDS
    asked: int = 0

    async def read(self, evidence: Evidence) -> tuple[Reading, ...]:
        self.asked += 1
        return tuple(Reading(claim.id, self.state, self.reader) for claim in evidence.claims)


@dataclass
class Judges(Fixed):
    """A judge that also reads claims, or fails."""

    said: Judgement | Exception = field(default_factory=lambda: Judgement({}))

    async def judge(self, evidence: Evidence) -> Judgement:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


def judge(*metrics: Fixed, thresholds: Mapping[str, float] | None = None) -> Scorer:
    return Scorer(metrics, thresholds or {}, "overall")


async def test_a_turn_has_the_outcomes_of_all_metrics() -> None:
    lexical = Fixed({"lexical": Score(0.5, 0.5)}, (LEXICAL,))
    found = await judge(Fixed({"overall": rated(4)}), lexical).score(TALK)
    assert {"overall": rated(4), "lexical": Score(0.5, 0.5)} == found.outcomes
    assert (TALK.exchange, (), False, None) == (
        found.exchange,
        found.flags,
        found.flagged,
        found.blame,
    )


@pytest.mark.parametrize(
    ("value", "threshold", "flags"),
    [
        (0.6, 0.7, ("overall",)),
        (0.7, 0.7, ()),
        (3.5 / 5, 0.7, ()),
        (0.1 + 0.2, 0.3, ()),
        (0.3, 0.1 + 0.2, ()),
        (0.0, 0.0, ()),
    ],
)
async def test_a_value_under_its_threshold_flags(
    value: float, threshold: float, flags: tuple[str, ...]
) -> None:
    metric = Fixed({"overall": Score(value, value)})
    found = await judge(metric, thresholds={"overall": threshold}).score(TALK)
    assert (flags, bool(flags)) == (found.flags, found.flagged)


async def test_without_a_threshold_nothing_flags() -> None:
    found = await judge(Fixed({"overall": rated(1)}), thresholds={"other": 1.0}).score(TALK)
    assert not found.flagged


async def test_a_missing_score_flags_nothing() -> None:
    metric = Fixed({"overall": Unscored(Gap.JUDGE_REFUSED)})
    found = await judge(metric, thresholds={"overall": 0.7}).score(TALK)
    assert not found.flagged


async def test_a_failed_target_is_flagged_and_unscored_and_nobody_is_asked() -> None:
    metric = Fixed({"overall": rated(5)})
    found = await judge(metric, thresholds={"overall": 0.7}).score(evidence(("Hello?", FAILURE)))
    assert {"overall": Unscored(Gap.TARGET_FAILED)} == found.outcomes
    assert (True, (), None, []) == (found.flagged, found.flags, found.blame, metric.seen)


async def test_a_failed_target_is_no_gap_for_what_the_scenario_does_not_ask_for() -> None:
    elements = MetricInfo("elements_lexical", "Expected elements", needs=("elements",))
    both = Fixed({}, (OVERALL, elements))
    found = await judge(both).score(evidence(("Hello?", FAILURE)))
    reasons = {n: o.reason for n, o in found.outcomes.items() if isinstance(o, Unscored)}
    assert {
        "overall": Gap.TARGET_FAILED,
        "elements_lexical": Gap.NOT_APPLICABLE,
    } == reasons
    assert found.flagged


@pytest.mark.parametrize(
    "error",
    [
        ValueError("boom\x1b[31m"),
        ModelError(ModelFault.UNPARSABLE, "no JSON"),
        AttributeError("x"),
    ],
)
async def test_a_metric_that_crashes_leaves_a_gap_and_the_others_alone(error: Exception) -> None:
    lexical = Fixed({"lexical": Score(0.5, 0.5)}, (LEXICAL,))
    found = await judge(Fixed(error), lexical).score(TALK)
    gap = found.outcomes["overall"]
    assert isinstance(gap, Unscored)
    assert Gap.METRIC_ERROR is gap.reason
    assert gap.detail.startswith(type(error).__name__)
    assert "\x1b" not in gap.detail
    assert Score(0.5, 0.5) == found.outcomes["lexical"]


@pytest.mark.parametrize(
    "error",
    [
        RunStopped(HaltReason.BUDGET, "spent"),
        StoreError("disk full"),
        ModelError(ModelFault.UNAVAILABLE, "nothing answers"),
    ],
)
async def test_what_concerns_the_run_goes_on_up(error: Exception) -> None:
    with pytest.raises(type(error)):
        await judge(Fixed(error)).score(TALK)


async def test_the_other_metrics_end_before_an_error_goes_up() -> None:
    ended = asyncio.Event()

    class Slow(Fixed):
        async def score(self, evidence: Evidence) -> Outcomes:
            await asyncio.sleep(0.01)
            ended.set()
            return {"lexical": Score(1, 1)}

    with pytest.raises(StoreError):
        await judge(Fixed(StoreError("disk full")), Slow({}, (LEXICAL,))).score(TALK)
    assert ended.is_set()


async def test_metrics_run_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    class Meeting(Fixed):
        async def score(self, evidence: Evidence) -> Outcomes:
            async with asyncio.timeout(PATIENCE_S):
                await both.wait()
            return {info.name: Score(1, 1) for info in self.infos}

    found = await judge(Meeting({}), Meeting({}, (LEXICAL,))).score(TALK)
    assert {"overall": Score(1, 1), "lexical": Score(1, 1)} == found.outcomes


@pytest.mark.parametrize(
    "wrong", [float("nan"), float("inf"), -0.1, 1.1], ids=["nan", "inf", "low", "high"]
)
async def test_a_value_off_the_scale_is_a_gap(wrong: float) -> None:
    found = await judge(Fixed({"overall": Score(wrong, wrong)})).score(TALK)
    gap = found.outcomes["overall"]
    assert isinstance(gap, Unscored)
    assert Gap.METRIC_ERROR is gap.reason


async def test_a_name_that_the_metric_left_out_is_a_gap_and_others_are_ignored() -> None:
    found = await judge(Fixed({"unknown": rated(5)})).score(TALK)
    assert [Gap.METRIC_ERROR] == [
        o.reason for o in found.outcomes.values() if isinstance(o, Unscored)
    ]
    assert ["overall"] == list(found.outcomes)


async def test_a_flagged_turn_says_whose_fault_it_is_and_whether_the_user_is_sound() -> None:
    talk = evidence(
        ("Is there a student rate?", "Yes, 50 percent off."),
        ("How can I help you today?", "Yes, 50 percent off."),
        scenario=expecting(answerable=False),
    )
    low = Fixed({"overall": rated(1)})
    readers = Readers(words=Reads(State.VIOLATED))
    found = await Scorer([low], {"overall": 0.7}, "overall", readers=readers).score(talk)
    assert ("should_have_refused", "simulator") == found.blames
    assert ("assistant_voice",) == found.soundness


async def test_the_time_that_judging_took_is_told_in_milliseconds() -> None:
    ticks = iter([10.0, 10.25])
    one = Scorer([Fixed({"overall": rated(5)})], {}, "overall", clock=lambda: next(ticks))
    found = await one.score(TALK)
    assert 250.0 == pytest.approx(found.judge_ms)


async def test_a_goodbye_to_who_asks_nothing_more_is_marked_and_flagged_by_nothing() -> None:
    scorer = judge(Fixed({"overall": rated(1)}), thresholds={"overall": 0.7})
    asked, answer = "Where is my parcel?", "On its way."
    bye = await scorer.score(evidence((asked, answer), ("Great, thanks!", "You're welcome! Bye.")))
    assert (True, (), False) == (bye.closes, bye.flags, bye.flagged)
    for said in ((asked, answer), ("Thanks. And when does it come?", "You're welcome!")):
        found = await scorer.score(evidence((asked, answer), said))
        assert (False, ("overall",)) == (found.closes, found.flags)
    first = await scorer.score(evidence(("Hello.", "Hello!")))
    assert not first.closes


class Books:
    """A knowledge base without ids of its own: they were made of the titles."""

    ENTRIES = (
        Document("The fee is 500 yen.", "fees-1a2b3c", "What are the fees?"),
        Document("We open at nine.", "hours-4d5e6f", "When do you open?"),
    )

    def __len__(self) -> int:
        return len(self.ENTRIES)

    def documents(self) -> Sequence[Document]:
        return self.ENTRIES


FEES = expecting(elements=("500 yen",), documents=("fees-1a2b3c",), answerable=True)


async def hit_of(*came: Document, answer: str = "We open at nine.") -> tuple[Outcome, Turn]:
    talk = evidence(("What are the fees?", answer), documents=came, scenario=FEES)
    checks = (RetrievalHit.open(context()), ElementsLexical.open(context()))
    readers = Readers(knowledge=Books())
    scorer = Scorer(checks, {"elements_lexical": 0.5}, "elements_lexical", readers=readers)
    found = await scorer.score(talk)
    assert found.exchange == talk.exchange  # as the bot said it
    return found.outcomes["retrieval_hit"], found


@pytest.mark.parametrize(
    "came",
    [
        Document("THE FEE IS 500 YEN", "faq-01"),
        Document("", "faq-01", "What are the fees"),
        Document("What are the fees? The fee is 500 yen.", None),
        Document("", "What are the fees?"),
        Document("What are the fees?", "7"),
    ],
)
async def test_a_document_with_an_id_of_the_bots_is_the_entry_that_it_says(came: Document) -> None:
    hit, _ = await hit_of(came)
    assert isinstance(hit, Score)
    assert 1 == hit.value
    wrong, turn = await hit_of(Document("We open at nine.", "faq-02"))
    assert isinstance(wrong, Score)
    assert 0 == wrong.value
    assert "retrieval_miss" in turn.blames


async def test_where_no_document_is_known_retrieval_is_not_judged() -> None:
    hit, turn = await hit_of(Document("", "faq-01"))
    assert isinstance(hit, Unscored)
    assert Gap.NOT_APPLICABLE is hit.reason
    assert turn.flagged
    assert "retrieval_miss" not in turn.blames
    both, _ = await hit_of(Document("", "faq-01"), Document("We open at nine.", "x"))
    assert isinstance(both, Score)


async def test_an_entry_said_twice_in_the_knowledge_base_is_nobodys() -> None:
    class Twice(Books):
        ENTRIES = (Document("The same.", "a", "One"), Document("The same.", "b", "Two"))

    talk = evidence(("Hm?", "So."), documents=(Document("The same.", "c"),), scenario=FEES)
    readers = Readers(knowledge=Twice())
    scorer = Scorer([RetrievalHit.open(context())], {}, "overall", readers=readers)
    assert isinstance((await scorer.score(talk)).outcomes["retrieval_hit"], Unscored)


async def test_an_answer_that_hides_characters_is_flagged_and_says_so() -> None:
    talk = evidence(("Where is my parcel?", "On its way.\U000e0067\U000e0035"))
    found = await judge(Fixed({"overall": rated(5)}), thresholds={"overall": 0.7}).score(talk)
    assert ((), True) == (found.flags, found.flagged)
    assert "2 hidden characters" in flag_reason(header(language="en"), found)


EXPECTING = evidence(("How long?", "30 minutes."), scenario=expecting(elements=("30 minutes",)))


async def read(readers: Readers, *metrics: Fixed) -> Turn:
    return await Scorer(metrics, {}, "overall", readers=readers).score(EXPECTING)


async def test_readings_of_words_are_stored_with_the_turn_and_given_to_metrics() -> None:
    metric = Fixed({"overall": rated(5)})
    found = await read(Readers(words=Reads(State.MET)), metric)
    claims = claims_of(EXPECTING.scenario.expected)
    assert tuple(Reading(c.id, State.MET, Reader.WORDS) for c in claims) == found.readings
    assert found.readings == metric.seen[0].readings


async def test_a_judge_reads_beside_words_and_its_outcomes_count() -> None:
    claim = EXPECTING.claims[0].id
    by_model = Reading(claim, State.UNMET, Reader.MODEL)
    judging = Judges({}, said=Judgement({"overall": rated(2)}, (by_model,), "I am the desk."))
    model = Reads(State.MET, Reader.MODEL)
    found = await read(Readers(Reads(State.UNKNOWN), judging, model), judging)
    assert {"overall": rated(2)} == found.outcomes
    assert by_model in (found.readings or ())
    assert (OUT_OF_ROLE,) == found.soundness
    assert 0 == model.asked


async def test_a_judge_that_crashes_leaves_a_gap_and_the_readings_of_words() -> None:
    judging = Judges({}, said=ValueError("no"))
    found = await read(Readers(Reads(State.MET), judging), judging)
    gap = found.outcomes["overall"]
    assert isinstance(gap, Unscored)
    assert Gap.METRIC_ERROR is gap.reason
    assert {Reader.WORDS} == {reading.reader for reading in found.readings or ()}


@pytest.mark.parametrize(("state", "asked"), [(State.UNKNOWN, 1), (State.MET, 0)])
async def test_a_model_is_asked_only_about_what_words_leave_unknown(
    state: State, asked: int
) -> None:
    model = Reads(State.MET, Reader.MODEL)
    found = await read(Readers(Reads(state), model=model))
    assert asked == model.asked
    readers = {reading.reader for reading in found.readings or ()}
    assert ({Reader.WORDS, Reader.MODEL} if asked else {Reader.WORDS}) == readers


async def test_a_failed_target_has_nothing_to_read() -> None:
    talk = evidence(("How long?", FAILURE), scenario=EXPECTING.scenario)
    readers = Readers(Reads(State.MET))
    assert () == (await Scorer([], {}, "overall", readers=readers).score(talk)).readings


@dataclass
class Crashes:
    """A reader with a fault of ours."""

    async def read(self, evidence: Evidence) -> tuple[Reading, ...]:
        raise LookupError("no such word\x1b[31m")


async def test_words_that_crash_leave_claims_unknown_and_a_gap_that_says_where() -> None:
    talk = evidence(("Where is my parcel?", "On its way."), scenario=expecting(elements=["a"]))
    fixed = Fixed({"overall": rated(4)})
    scorer = Scorer([fixed], {}, "overall", readers=Readers(Crashes()))
    found = await scorer.score(talk)
    assert {State.UNKNOWN} == {reading.state for reading in found.readings or ()}
    assert rated(4) == found.outcomes["overall"]
    gap = found.outcomes["words_reader"]
    assert isinstance(gap, Unscored)
    assert Gap.METRIC_ERROR is gap.reason
    assert gap.detail.startswith("LookupError: no such word")
    assert "(test_scoring.py:" in gap.detail
    assert "\x1b" not in gap.detail


async def test_a_detector_that_crashes_lets_the_user_pass_and_leaves_a_gap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def crashes(evidence: Evidence) -> tuple[str, ...]:
        raise RecursionError

    monkeypatch.setattr(scoring, "soundness", crashes)
    found = await judge(Fixed({"overall": rated(4)})).score(TALK)
    assert ((), ["overall", "user_soundness"]) == (found.soundness, list(found.outcomes))


MARKED_UP = [
    "<p>Shipping <b>costs 5 dollars</b>&nbsp;and takes <i>3 days</i><sup>1</sup>.</p>",
    "**Shipping** costs *5 dollars* and takes 3 days [1][2].\n\n[1]: https://a.example/faq-9",
    "Shipping costs 5 dollars and takes 3 days【4:0†faq-7.md】.",
]  # fmt: skip


@pytest.mark.parametrize("answer", MARKED_UP)
async def test_markup_is_not_content(answer: str) -> None:
    """A right answer scores as the plain one; what came is what is kept."""
    plain = "Shipping costs 5 dollars and takes 3 days."
    expects = expecting(answer=plain, elements=(("5 dollars",), ("3 days",)))
    metrics: list[Metric | TalkMetric] = [
        ElementsLexical.open(context()),
        RougeL.open(context()),
        Lexical.open(context()),
    ]
    scorer = Scorer(metrics, {}, "lexical")
    marked = await scorer.score(evidence(("What is shipping?", answer), scenario=expects))
    bare = await scorer.score(evidence(("What is shipping?", plain), scenario=expects))
    assert answer == marked.exchange.assistant
    assert bare.outcomes == marked.outcomes
    assert [r.state for r in bare.readings or ()] == [r.state for r in marked.readings or ()]
