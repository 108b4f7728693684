"""The lines above the score: how much passed, what decided the rest, and what is left out."""

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from simulator.core.claim import Reader, Reading, State, claims_of
from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.core.run import Episode, Run
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply
from simulator.reports._results import applied, passing, results
from simulator.words import Words
from tests.expecting import expecting
from tests.judging.made import (
    GAP,
    LEXICAL,
    NOT_APPLICABLE,
    OVERALL,
    episode,
    failed,
    header,
    rated,
    run,
    turn,
)
from tests.reports.printed import FINE, WEAK, Printed, wide


def first_line(made: Run, language: Language = "en") -> str:
    return passing(made, Words(language, "report")).plain


def of(*personas: str, language: Language = "en") -> Run:
    """Of three scenarios one passes, one fails for the first persona, one fails for all."""
    talks = [
        talk
        for persona in personas
        for talk in (
            episode(FINE, scenario="fine", persona=persona),
            episode(WEAK, scenario="bad", persona=persona),
            episode(WEAK if persona == personas[0] else FINE, scenario="some", persona=persona),
        )
    ]
    return run(header(language=language), *talks)


def test_scenarios_that_pass_and_those_that_fail_for_everybody_are_counted() -> None:
    assert "1 of 3 scenarios pass; 1 fails in every persona, 1 in some" == first_line(
        of("angry", "calm")
    )
    assert "3 シナリオ中 1 が合格、1 はどのペルソナでも不合格、1 は一部で不合格" == first_line(
        of("angry", "calm", language="ja"), "ja"
    )


def test_every_scenario_is_in_one_of_the_counts() -> None:
    open_ = [episode(turn(GAP), scenario="open"), episode(FINE, scenario="open", persona="angry")]
    silent = episode(turn(NOT_APPLICABLE), scenario="silent")
    mixed = [episode(FINE, persona="angry"), episode(WEAK, persona="calm")]
    made = run(header(), *open_, silent, *mixed)
    line = "0 of 2 scenarios pass; 1 fails in some personas, 1 is undecided, 1 more expects nothing"
    assert line == first_line(made)
    found = made.summary.results
    counts = (found.passing, found.failing, found.mixed, found.left_open)
    assert (0, 0, 1, 1) == counts
    assert sum(counts) == found.scenarios
    repeated = [episode(WEAK, repeat=1), episode(FINE, repeat=2)]
    said = "0 of 1 scenario passes; 1 fails some of the time"
    assert said == first_line(run(header(), *repeated))


def test_reasons_add_up_to_their_result(printed: Printed) -> None:
    refused = [talk(expecting("500 yen."), State.UNMET, State.UNMET, scenario=s) for s in "ab"]
    kept = talk(expecting(escalate=True), State.UNMET, scenario="c")
    answered = talk(expecting(answerable=False), State.VIOLATED, scenario="d")
    unsaid = talk(expecting(elements=["500 yen"]), State.UNMET, scenario="e")
    weak = [episode(WEAK, scenario=s) for s in "fgh"]
    found = printed(run(header(), *refused, kept, answered, unsaid, *weak, episode(failed())))
    line = found[found.index("\nFailed") + 1 : found.index("\nDecided")]
    numbers = [int(n) for n in re.findall(r"\d+", line)]
    assert "other" in line
    assert numbers[0] == sum(numbers[1:]) == 9
    # What does harm comes before what is frequent.
    first = Words("en", "result")("reason.answered")
    assert re.match(rf"Failed +9 +{first} 1 · ", line)


def talk(expected: Expected, *states: State, scenario: str = "parcel") -> Episode:
    """A conversation of one turn with these readings of its claims; the others are met."""
    claims = claims_of(expected)
    filled = (*states, *[State.MET] * (len(claims) - len(states)))
    read = zip(claims, filled, strict=True)
    made = turn(readings=tuple(Reading(c.id, state, Reader.WORDS) for c, state in read))
    return replace(
        episode(made, scenario=scenario), scenario=Scenario(scenario, "q", expected=expected)
    )


def test_what_passed_only_after_a_refusal_is_told() -> None:
    expected = expecting(elements=["500 yen"])
    refused, answered = (
        talk(expected, *states).turns[0]
        for states in ((State.UNMET, State.UNMET), (State.MET, State.MET))
    )
    asked = Scenario("s", "q", expected=expected)
    turns = {"a": (refused, answered), "b": (answered,), "c": (refused,), "d": (answered, refused)}
    talks = [replace(episode(*of, scenario=name), scenario=asked) for name, of in turns.items()]
    lines = [text.plain for _, text in results(run(header(), *talks), Words("en", "report"))]
    assert "1 of these only after a refusal" == lines[1]
    assert not any("only after a refusal" in line for line in lines[2:])


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "2 of 3 by words; 1 needs a model or a person (1 distinct answer, about 1 minute)"),
        ("ja", "3 会話のうち 2 会話が確定（語句による）。残る 1 会話は、モデルか人の確認が必要"),
    ],
)
def test_who_decided_is_told_and_what_settles_the_rest(language: Language, told: str) -> None:
    expected = expecting(elements=["500 yen"])
    states = (State.MET, State.VIOLATED, State.UNKNOWN)
    talks = [talk(expected, state, scenario=f"s{n}") for n, state in enumerate(states)]
    head = header(language=language, metrics=(LEXICAL,), score_by="lexical")
    lines = [text.plain for _, text in results(run(head, *talks), Words(language, "report"))]
    assert any(line.startswith(told) for line in lines)
    ways = "\n".join(lines[-3:])
    assert re.search(r"mogi rejudge 3f9ab2c1 --judge-model M.+3.+5,100", ways)
    assert re.search(r"reader:.+1.+\d\d\d", ways)
    assert "mogi view 3f9ab2c1" in ways


def test_what_a_judge_left_open_is_for_people() -> None:
    made = run(header(), talk(expecting(elements=["500 yen"]), State.UNKNOWN))
    lines = [text.plain for _, text in results(made, Words("en", "report"))]
    assert lines[-2].startswith("none of 1; 1 needs a person (1 distinct answer")
    assert "people: mogi view 3f9ab2c1" == lines[-1]


def test_where_no_readings_are_stored_the_words_make_them_first() -> None:
    scenario = Scenario("s", "q", expected=expecting(elements=["500 yen"]))
    made = run(header(), replace(episode(turn(readings=None)), scenario=scenario))
    lines = [text.plain for _, text in results(made, Words("en", "report"))]
    assert "none of 1" == lines[-2]
    assert lines[-1].endswith("mogi rejudge 3f9ab2c1 makes them, without a model")


@pytest.mark.parametrize(("open_", "told"), [(1, "pass rate 0.80"), (2, "between 0.57 and 0.86")])
def test_where_much_is_undecided_there_are_bounds_and_no_pass_rate(open_: int, told: str) -> None:
    expected = expecting(elements=["500 yen"])
    states = [*[State.MET] * 4, State.VIOLATED, *[State.UNKNOWN] * open_]
    talks = [talk(expected, state, scenario=f"s{n}") for n, state in enumerate(states)]
    lines = [text.plain for _, text in results(run(header(), *talks), Words("en", "report"))]
    assert told in lines[0]
    assert ("pass rate 0.80" in lines[0]) is (open_ == 1)


def test_nobody_speaks_of_every_persona_where_there_is_one() -> None:
    assert "1 of 3 scenarios pass; 2 fail" == first_line(of("calm"))
    repeated = [episode(WEAK, repeat=n) for n in (1, 2)]
    assert "0 of 1 scenario passes; 1 fails every time" == first_line(run(header(), *repeated))


def test_where_nothing_can_fail_that_is_said() -> None:
    made = run(header(), episode(turn(NOT_APPLICABLE)))
    assert first_line(made).startswith("nothing decides what passes")
    assert first_line(made, "ja").startswith("合否を決めるものがありません")


@pytest.mark.parametrize("width", [80, 120])
def test_what_decided_stands_in_ten_lines(printed: Printed, width: int) -> None:
    made = run(
        header(),
        episode(FINE, scenario="a"),
        *(episode(WEAK, scenario=s) for s in "bc"),
        episode(failed(), scenario="d"),
        *(episode(turn(GAP), scenario=s) for s in "efg"),
        episode(turn(NOT_APPLICABLE), scenario="h"),
    )
    top = printed(made, width).split("worst first")[0].splitlines()
    assert max(map(cell_len, top)) <= width
    text = "\n".join(top[:10])
    assert "1 of 7 scenarios pass; 3 fail, 3 are undecided, 1 more expects nothing\n" in text
    assert re.search(r"Passed +1   pass rate between 0\.14 and 0\.57, as the undecided\s", text)
    assert re.search(r"Failed +3   last answer rated too low 2 · bot failed 1\n", text)
    assert re.search(r"Undecided +3   score missing 3\n", text)
    assert re.search(r"Unchecked +1   the scenario expects nothing 1\n", text)
    assert "\nDecided    4 of 7 (a model 3 · words 1)" in "\n".join(top)


def test_the_pass_rate_has_its_interval_from_five_scenarios_on(printed: Printed) -> None:
    assert re.search(r"Passed .*pass rate 0\.\d\d   95 % 0\.\d\d–[01]\.\d\d", printed(wide(2, 8)))


def test_what_applied_to_nothing_in_the_run_is_left_out(printed: Printed) -> None:
    idle, other = MetricInfo("idle", "Idle"), MetricInfo("other", "Other")
    outcomes = {"overall": rated(5), "idle": NOT_APPLICABLE, "other": GAP, "lexical": rated(4)}
    made = run(
        header(metrics=(OVERALL, LEXICAL, idle, other)), episode(turn(rated(5), outcomes=outcomes))
    )
    assert ["overall", "lexical", "other"] == list(applied(made).summary.metrics)
    assert ["overall", "lexical", "other"] == [i.name for i in applied(made).header.metrics]
    assert "idle" not in printed(made)


def test_repeats_are_counted_in_the_table_and_sums_say_how_many(printed: Printed) -> None:
    talks = [episode(t, repeat=n) for n, t in enumerate((WEAK, WEAK, FINE), 1)]
    text = printed(run(header(), *talks, episode(turn(GAP), scenario="gap")))
    assert re.search(r"^parcel +0\.60 ✗2/3$", text, re.MULTILINE)
    assert re.search(r"^gap +– \?$", text, re.MULTILINE)
    assert re.search(r"^all +0\.60 ✗2 \?1$", text, re.MULTILINE)


def test_scenarios_that_fail_come_first_whatever_their_score(printed: Printed) -> None:
    barely = turn(rated(3.4), exchange=Exchange(1, "q", Reply("Almost.")))
    low = [episode(WEAK, FINE, scenario="early"), episode(barely, scenario="fails")]
    text = printed(run(header(), *low, episode(turn(GAP), FINE, FINE, scenario="fine")))
    assert ["fails", "early", "fine"] == re.findall(r"^(fails|early|fine) ", text, re.MULTILINE)


def test_the_turn_that_shows_why_comes_before_lower_ones(printed: Printed) -> None:
    worse = turn(rated(1, "Rude."), exchange=Exchange(1, "q", Reply("No.")))
    early, bad = episode(worse, FINE, scenario="early"), episode(FINE, WEAK, scenario="bad")
    text = printed(run(header(), early, bad))
    assert text.index("bad · calm · turn 2") < text.index("early · calm · turn 1")
    assert re.search(
        r"why +the last answer is under its threshold: overall\n +comment +No amount is named", text
    )
