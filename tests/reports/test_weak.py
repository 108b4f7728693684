"""The list of the worst turns: in which order, why, and what is told once."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from simulator.results.verdict import ELEMENTS, REFUSAL

from simulator.core.outcome import Score
from simulator.core.result import Result
from simulator.core.run import Episode
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply
from tests.expecting import expecting
from tests.figures.judged import judged, judged_header, talks
from tests.judging.made import LEXICAL, OVERALL, episode, header, rated, run, turn
from tests.reports.printed import WEAK, Printed, mixed, wide


def blocks(text: str) -> Sequence[str]:
    weak = text.split("Undecided, the", maxsplit=1)[0]
    return re.findall(r"^ ?\d+  (.+ · turn \d)", weak, re.MULTILINE)


def test_the_worst_turns_come_first_with_their_reasons(printed: Printed) -> None:
    text = printed(mixed())
    assert [
        "解約したい（年払い） · angry · turn 1",
        "login · angry · repeat 2 · turn 1",
    ] == blocks(text)
    assert re.search(r"Undecided, the most .*\n\n 1  login · calm · turn 1 ", text)
    assert "0.40 (rating 2)" in text
    assert re.search(r"! bot +It depends\.", text)
    assert re.search(r"comment +No amount is named\.", text)
    assert re.search(r"blame +retrieval missed it", text)
    why = r"why +the bot failed: timeout, no ans"
    assert re.search(rf"turn 1   ✗ bot failed\n.*\n +! bot +\(no answer\)\n +{why}", text)


def test_the_faults_of_all_flagged_turns_are_counted(printed: Printed) -> None:
    weak = [turn(rated(1), blames=("unused",)) for _ in range(12)]
    made = episode(turn(rated(1), blames=("retrieval_miss",)), *weak, turn(rated(1)))
    said = "Flagged turns by blame: retrieved but left out 12 · retrieval missed it 1\n"
    assert said in printed(run(header(), made))
    assert "要確認の往復の原因: 検索もれ 1\n" in printed(mixed("ja"))
    assert "by blame" not in printed(run(header(), episode(turn(rated(1)))))


def test_ten_of_the_weak_turns_are_shown(printed: Printed) -> None:
    text = printed(wide(5, 8))
    assert 10 == len(blocks(text))
    assert "Worst turns first (10 of 24 in " in text
    named = text.split("14 more that failed: what was answered, and why\n")[1]
    assert 14 == len(re.findall(r"^    scenario-\d+ .+\n     .+$", named, re.MULTILINE))
    assert "more: mogi show 3f9ab2c1 --all" not in text


def test_no_scenarios_second_weak_turn_is_shown_before_the_first_of_another(
    printed: Printed,
) -> None:
    text = printed(wide(personas=4, scenarios=12))
    shown = [block.split(" · ")[0].split()[-1] for block in blocks(text)]
    assert 10 == len(set(shown))
    assert "more in this scenario" in text


def test_an_answer_that_several_personas_got_is_one_item(printed: Printed) -> None:
    same = [episode(turn(rated(1)), persona=p) for p in ("angry", "calm", "calm2")]
    made = run(header(), *same, episode(WEAK, persona="calm"))
    text = printed(made)
    assert ["parcel · angry · turn 1", "parcel · calm · turn 1"] == blocks(text)
    assert "and 2 more like it (calm, calm2)\n" in text
    assert "Worst turns first (4 of 4 in " in text
    assert "more in this scenario" not in text
    ja = printed(replace(made, header=header(language="ja")))
    assert "同様の往復がほか 2 件（calm, calm2）\n" in ja
    assert "要確認の往復（4 件のうち悪い順に 4 件、" in ja


def checked(outcome: Score, metric: str, scenario: str, said: str = "I do not know.") -> Episode:
    """A conversation that a check decides; what it expects can be answered."""
    made = turn(
        outcomes={metric: outcome},
        exchange=Exchange(1, "How much?", Reply(said)),
        flags=(metric,) if outcome.value < 0.5 else (),
        blames=("retrieval_miss",) if outcome.value < 0.5 else (),
    )
    asked = Scenario(scenario, "How much?", expected=expecting("900 yen.", ["900 yen", "a year"]))
    return replace(episode(made, scenario=scenario), scenario=asked)


REFUSED = Score(0.0, 0.0, "refused", {"refused": 1.0})


def test_one_refusal_in_several_scenarios_is_quoted_once(printed: Printed) -> None:
    talks = [checked(REFUSED, REFUSAL, name) for name in ("one", "two", "three")]
    other = checked(REFUSED, REFUSAL, "four", "Ask somebody else.")
    text = printed(run(header(), *talks, other))
    assert ["four · calm · turn 1", "one · calm · turn 1"] == blocks(text)
    assert 1 == text.count("I do not know.")
    assert "the same in 2 more scenarios: three, two\n" in text
    assert "Worst turns first (4 of 4 in " in text
    ja = printed(run(header(language="ja"), *talks))
    assert "同じ回答がほか 2 シナリオ: three, two\n" in ja


def test_the_blame_is_of_the_scenario_that_is_shown(printed: Printed) -> None:
    shown, other = (checked(REFUSED, REFUSAL, name) for name in ("one", "two"))
    flagged = replace(other.turns[0], blames=("unused",))
    text = printed(run(header(), shown, replace(other, turns=(flagged,))))
    assert "the same in 1 more scenario: two\n" in text
    assert re.search(r"blame +retrieval missed it\n", text)


def test_what_the_reason_says_is_not_said_again(printed: Printed) -> None:
    found = Score(0.0, 0.0, "missing: 900 yen", {"missing": 1.0}, ("900 yen",))
    text = printed(run(header(), checked(found, ELEMENTS, "one")))
    assert re.search(r"why +never said: 900 yen\n +blame", text)
    assert "comment" not in text


def test_a_sentence_that_the_reason_quotes_is_not_quoted_again(printed: Printed) -> None:
    said = "It takes 3 days."
    found = Score(0.0, 0.0, f"not in the documents: {said}", {"invented": 1.0}, (said,))
    all_said = Score(1.0, 1.0, "", {"said": 2.0})
    talk = checked(all_said, ELEMENTS, "one", said)
    outcomes = {**talk.turns[0].outcomes, "grounded": found}
    flagged = replace(talk.turns[0], outcomes=outcomes, flags=("grounded",), flagged=True)
    made = run(header(thresholds={"grounded": 0.6}), replace(talk, turns=(flagged,)))
    text = printed(made)
    assert re.search(r"why +stands in no document: It takes 3 days\.\n", text)
    assert "comment" not in text


UNCLEAR = Score(0.75, 0.75, "", {"said": 1.0, "unclear": 1.0}, ("a year",))


def test_undecided_conversations_are_listed_after_the_failed(printed: Printed) -> None:
    same = [checked(UNCLEAR, ELEMENTS, s, "900 yen.") for s in ("one", "two")]
    bad = checked(REFUSED, REFUSAL, "bad")
    text = printed(run(header(), *same, bad))
    assert ["bad · calm · turn 1"] == blocks(text)
    _, listed = text.split("Undecided, the most doubtful first (2 of 2 conversations in 1 entry)")
    assert re.search(r"1  one · calm · turn 1", listed)
    assert re.search(r"bot +900 yen\.\n", listed)
    assert re.search(r"expected +a year\n", listed)
    assert "the same in 1 more scenario: two" in listed
    assert "decided by a judge (--judge-model M)" in listed
    assert "mogi review pull 3f9ab2c1" in " ".join(listed.split())
    ja = printed(run(header(language="ja"), *same))
    assert "判定できなかった会話（疑わしい順。2 件のうち 2 件、1 項目）" in ja
    assert "レビュー表の OK か NG" in ja


def unsaid(scenario: str, said: str, *sentences: str) -> Episode:
    """An undecided conversation with sentences that no document bears out."""
    made = checked(UNCLEAR, ELEMENTS, scenario, said)
    found = Score(0.4, 0.4, "not borne out: …", {"weakest": 0.0}, sentences)
    outcomes = {**made.turns[0].outcomes, "grounded": found}
    flagged = replace(made.turns[0], outcomes=outcomes, flags=("grounded",), flagged=True)
    return replace(made, turns=(flagged,))


def test_an_undecided_answer_with_a_sentence_from_nowhere_comes_first_and_is_read_first(
    printed: Printed,
) -> None:
    lift = (
        "If you miss the last bus our staff will be glad to drive you to the station in their car."
    )
    fine = [checked(UNCLEAR, ELEMENTS, s, f"900 yen, {s}.") for s in ("aa", "ab")]
    made = run(header(), *fine, unsaid("zz", f"Well, 900 yen. {lift}", lift, "Well."))
    _, listed = printed(made, 80).split(
        "Undecided, the most doubtful first (3 of 3 conversations in 3 entries)"
    )
    assert re.search(r"1  zz · calm · turn 1", listed)
    assert re.search(r"no source +If you miss .+\n +.+ in their car\.\n", listed)
    assert "not borne out" not in listed
    told = " ".join(listed.split())
    assert "bears a sentence out, read that sentence first" in told
    assert 1 == told.count("one more wording of the element")
    alone = " ".join(printed(run(header(), unsaid("zz", lift, lift))).split())
    assert "one more wording of the element" not in alone


def test_undecided_answers_with_the_same_sentence_from_nowhere_are_one_item(
    printed: Printed,
) -> None:
    lift = "Our staff drive you home."
    same = [unsaid(s, f"{s}, 900 yen. {lift}", lift) for s in ("one", "two")]
    text = printed(run(header(), *same))
    assert 1 == len(re.findall(r"no source", text))
    assert "the same sentence in 1 more scenario: two" in text


def test_what_is_undecided_and_there_is_no_room_for_is_a_line_each(printed: Printed) -> None:
    many = [unsaid(f"s{n:02}", f"900 yen, {n}.", f"It is on floor {n}.") for n in range(18)]
    plain = checked(UNCLEAR, ELEMENTS, "plain", "900 yen, plainly.")
    text = printed(run(header(), *many, plain))
    assert "most doubtful first (15 of 19 conversations in 15" in text
    _, rest = text.split("4 more: what was answered, and what was expected or is wrong with it\n")
    assert re.match(r"    s15 +It is on floor 15\.\n +a year\n    s16 .+\n", rest)
    assert re.search(r"\n    plain +900 yen, plainly\.\n +a year\n", rest)
    assert "--undecided" not in rest


def test_what_is_undecided_and_not_listed_is_reached_by_a_command(printed: Printed) -> None:
    many = [checked(UNCLEAR, ELEMENTS, f"s{n:02}", f"900 yen, {n}.") for n in range(35)]
    text = printed(run(header(), *many))
    assert "most doubtful first (15 of 35 conversations in 15" in text
    assert "\n5 more: mogi show 3f9ab2c1 --undecided\n" in text
    assert "more: mogi show" not in printed(run(header(), *many[:9]))


def test_nothing_is_listed_as_weak_and_as_undecided(printed: Printed) -> None:
    flagged = [
        replace(one, turns=(replace(one.turns[0], flags=("grounded",), flagged=True),))
        for one in (checked(UNCLEAR, ELEMENTS, s, f"900 yen, {s}.") for s in "abcdefgh")
    ]
    text = printed(run(header(), *flagged, checked(REFUSED, REFUSAL, "bad")))
    titles = re.findall(r"^ ?\d+  (.+ · turn \d)", text, re.MULTILINE)
    assert sorted(set(titles)) == sorted(titles)
    assert ["bad · calm · turn 1"] == blocks(text)
    assert "most doubtful first (8 of 8 conversations in 8 entries)" in text


def test_where_the_judge_is_in_doubt_what_only_it_rated_is_undecided_and_listed() -> None:
    fours = talks(*[judged(4, comment=f"Well, {n}.") for n in range(8)])
    found = run(judged_header(thresholds={"overall": 0.9}), *fours).summary
    assert found.judge_health is not None
    assert found.judge_health.in_doubt
    assert 8 == found.results[Result.UNDECIDED] == sum(1 + t.alike for t in found.undecided)
    assert not any(weak.finding for weak in found.weak)


def test_metrics_that_nothing_watches_are_named_where_nothing_is_flagged(printed: Printed) -> None:
    both = turn(rated(4), outcomes={"overall": rated(4), "lexical": Score(0.25, 0.25)})
    text = printed(run(header(metrics=(OVERALL, LEXICAL)), episode(both)))
    assert "No turn is flagged.\nWithout a threshold, so never flagged: lexical 0.25\n" in text


def invented(scenario: str, sentence: str) -> Episode:
    """A right answer beside a number that no document has."""
    right = Score(1.0, 1.0, "", {"said": 1.0, "unclear": 0.0, "missing": 0.0})
    made = unsaid(scenario, f"900 yen. {sentence}", sentence)
    found = Score(0.4, 0.4, "", {"weakest": 0.0, "invented": 1.0}, (sentence,))
    outcomes = {**made.turns[0].outcomes, ELEMENTS: right, "grounded": found}
    return replace(made, turns=(replace(made.turns[0], outcomes=outcomes),))


@pytest.mark.parametrize("width", [80, 120])
def test_what_may_be_invented_stands_before_the_weak_turns(printed: Printed, width: int) -> None:
    made = [invented(f"s{n}", f"Our helper line is +1 555 010{n}.") for n in range(5)]
    watched = header(thresholds={"overall": 0.7, "grounded": 0.6})
    lines = printed(run(watched, *wide(15, 100).episodes(), *made), width).splitlines()
    at = {
        what: next(n for n, line in enumerate(lines) if line.startswith(what))
        for what in ("Mend these", "Read these 5 first", " ? 1  s0: Our helper", "✗ = failed")
    }
    assert sorted(at.values()) == list(at.values())
    assert at["✗ = failed"] < 40
    told = " ".join("\n".join(lines).split())
    assert "look first whether the bot made it up" in told
    assert "an entry of the knowledge base that holds it" not in told
