"""The list of the worst turns: in which order, why, and what is told once."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from simulator.core.claim import Reading
from simulator.core.outcome import Score
from simulator.core.plan import Cell
from simulator.core.result import Result
from simulator.core.run import Episode
from simulator.core.talk import Exchange, Reply
from tests.execution.scored import LEXICAL, OVERALL, episode, header, rated, run, turn
from tests.expecting import expecting
from tests.reports.printed import WEAK, Printed, mixed, wide
from tests.results.made import MET, MODEL, UNKNOWN, UNMET, VIOLATED, answer, readings, talk
from tests.view.judged import judged, judged_header, talks


def blocks(text: str) -> Sequence[str]:
    weak = text.split("\nUndecided (", maxsplit=1)[0]
    return re.findall(r"^ ?\d+  (.+ · turn \d)", weak, re.MULTILINE)


def test_the_worst_turns_come_first_with_their_reasons(printed: Printed) -> None:
    text = printed(mixed())
    assert [
        "解約したい（年払い） · angry · turn 1",
        "login · angry · repeat 2 · turn 1",
    ] == blocks(text)
    assert re.search(r"Undecided \(2 of 2 .*\n\n 1  login · calm · turn 1 ", text)
    assert "0.40 (rating 2)" in text
    assert re.search(r"! bot +It depends\.", text)
    assert re.search(r"comment +No amount is named\.", text)
    assert re.search(r"cause +Not retrieved", text)
    why = r"reason +bot error: timeout, no ans"
    assert re.search(rf"turn 1   ✗ bot error\n.*\n +! bot +\(no answer\)\n +{why}", text)


def test_the_faults_of_all_flagged_turns_are_counted(printed: Printed) -> None:
    weak = [turn(rated(1), blames=("unused",)) for _ in range(12)]
    made = episode(turn(rated(1), blames=("retrieval_miss",)), *weak, turn(rated(1)))
    said = "Flagged turns by cause: Retrieved but not used 12 · Not retrieved 1\n"
    assert said in printed(run(header(), made))
    assert "要確認の往復の原因: 検索漏れ 1 件\n" in printed(mixed("ja"))
    assert "by blame" not in printed(run(header(), episode(turn(rated(1)))))


def test_ten_of_the_weak_turns_are_shown(printed: Printed) -> None:
    text = printed(wide(5, 8))
    assert 10 == len(blocks(text))
    assert "Flagged turns, worst first (10 of 24, in " in text
    named = text.split("the other 14 failures: answers and reasons\n")[1]
    assert 14 == len(re.findall(r"^    scenario-\d+ .+\n     .+$", named, re.MULTILINE))
    assert "more: mogi show 3f9ab2c1 --all" not in text


def test_no_scenarios_second_weak_turn_is_shown_before_the_first_of_another(
    printed: Printed,
) -> None:
    text = printed(wide(personas=4, scenarios=12))
    shown = [block.split(" · ")[0].split()[-1] for block in blocks(text)]
    assert 10 == len(set(shown))
    assert "in this scenario" in text


def test_an_answer_that_several_personas_got_is_one_item(printed: Printed) -> None:
    same = [episode(turn(rated(1)), persona=p) for p in ("angry", "calm", "calm2")]
    made = run(header(), *same, episode(WEAK, persona="calm"))
    text = printed(made)
    assert ["parcel · angry · turn 1", "parcel · calm · turn 1"] == blocks(text)
    assert "and 2 more like it (calm, calm2)\n" in text
    assert "Flagged turns, worst first (4 of 4, in " in text
    assert "in this scenario" not in text
    ja = printed(replace(made, header=header(language="ja")))
    assert "同様の往復 ほか 2 件（calm、calm2）\n" in ja
    assert "要確認の往復: 4 件中 4 件（悪い順。" in ja


WANTED = expecting("900 yen.", ["900 yen", "a year"])


def checked(scenario: str, *said: Reading, text: str = "I do not know.", **changes: Any) -> Episode:
    """A conversation of one answer that was read so; what it expects can be answered."""
    failed = any(reading.state in (UNMET, VIOLATED) for reading in said)
    exchange = Exchange(1, "How much?", Reply(text))
    blames = ("retrieval_miss",) if failed else ()
    made = answer(*said, exchange=exchange, blames=blames, flagged=failed, **changes)
    return replace(talk(WANTED, made), cell=Cell(scenario, "calm"))


REFUSED = readings(WANTED, UNMET, UNMET, UNMET)
HALF = readings(WANTED, MET, UNMET)
UNCLEAR = readings(WANTED, MET, UNKNOWN)


def test_one_refusal_in_several_scenarios_is_quoted_once(printed: Printed) -> None:
    talks = [checked(name, *REFUSED) for name in ("one", "two", "three")]
    other = checked("four", *REFUSED, text="Ask somebody else.")
    text = printed(run(header(), *talks, other))
    assert ["four · calm · turn 1", "one · calm · turn 1"] == blocks(text)
    assert 1 == text.count("I do not know.")
    assert "the same in 2 more scenarios: three, two\n" in text
    assert "Flagged turns, worst first (4 of 4, in " in text
    ja = printed(run(header(language="ja"), *talks))
    assert "同じ回答がほかの 2 シナリオにもあります: three、two\n" in ja


def test_the_blame_is_of_the_scenario_that_is_shown(printed: Printed) -> None:
    shown, other = (checked(name, *REFUSED) for name in ("one", "two"))
    flagged = replace(other.turns[0], blames=("unused",))
    text = printed(run(header(), shown, replace(other, turns=(flagged,))))
    assert "the same in 1 more scenario: two\n" in text
    assert re.search(r"cause +Not retrieved\n", text)


def test_what_the_reason_says_is_not_said_again(printed: Printed) -> None:
    comment = Score(0.5, 0.5, "not said: a year", {}, ("a year",))
    flagged: dict[str, Any] = {
        "outcomes": {"elements_lexical": comment},
        "flags": ("elements_lexical",),
    }
    text = printed(run(header(), checked("one", *HALF, **flagged)))
    assert re.search(r"reason +not said: “a year”\n +cause", text)
    assert "comment" not in text


def test_the_words_of_the_answer_that_decide_are_quoted(printed: Printed) -> None:
    wrong = [replace(r, quote="800 yen") for r in readings(WANTED, VIOLATED)]
    made = checked("one", *wrong, text="For members it is 800 yen.")
    text = printed(run(header(), made))
    missed = (
        "the expected document wasn't retrieved, so the answer doesn't say “900 yen” quote 800 yen"
    )
    assert f"reason {missed}" in " ".join(text.split())
    ja = printed(run(header(language="ja"), made))
    missed = "正解の資料が検索されず、「900 yen」と答えていない 該当箇所 800 yen"
    assert f"理由 {missed}" in " ".join(ja.split())


def test_an_answer_that_is_quoted_as_a_whole_is_not_said_twice(printed: Printed) -> None:
    wrong = [replace(r, quote="800 yen.") for r in readings(WANTED, VIOLATED)]
    text = printed(run(header(), checked("one", *wrong, text="800 yen.")))
    assert 1 == text.count("800 yen.")
    assert "quote" not in text


def test_undecided_conversations_are_listed_after_the_failed(printed: Printed) -> None:
    same = [checked(s, *UNCLEAR, text="900 yen.") for s in ("one", "two")]
    bad = checked("bad", *REFUSED)
    text = printed(run(header(), *same, bad))
    assert ["bad · calm · turn 1"] == blocks(text)
    _, listed = text.split("\nUndecided (2 of 2 conversations, in 1 group)")
    assert re.search(r"1  one · calm · turn 1", listed)
    assert re.search(r"bot +900 yen\.\n", listed)
    assert re.search(r"expected +a year\n", listed)
    assert "the same in 1 more scenario: two" in listed
    assert "to decide" not in listed  # what settles them is said above
    ja = printed(run(header(language="ja"), *same))
    assert "未確定の会話: 2 件中 2 件（1 項目にまとめています）" in ja
    assert "人が決める: mogi view 3f9ab2c1" in ja


def test_where_model_and_words_disagree_both_are_told_with_the_words(printed: Printed) -> None:
    by_words = [replace(r, quote="800") for r in readings(WANTED, VIOLATED)]
    odd = checked("odd", *by_words, *readings(WANTED, reader=MODEL), text="800 or 900 yen.")
    open_ = replace(odd, turns=(replace(odd.turns[0], flagged=False, blames=()),))
    unjudged = header(metrics=(LEXICAL,), score_by="lexical", thresholds={})
    _, listed = printed(run(unjudged, open_)).split("\nUndecided (1 of 1 conversation, in 1 group)")
    assert re.search(
        r"reason +model and text matching disagree about “900 yen”\n +quote +800", listed
    )
    text = printed(run(header(), open_))  # a judge's comes first of all
    assert re.search(r"judge +the judge says “met”, but text matching finds a contra", text)
    assert "\nUndecided (" not in text


def test_what_is_undecided_and_there_is_no_room_for_is_a_line_each(printed: Printed) -> None:
    many = [checked(f"s{n:02}", *UNCLEAR, text=f"900 yen, {n}.") for n in range(19)]
    text = printed(run(header(), *many))
    assert "Undecided (15 of 19 conversations, in 15 groups)" in text
    _, rest = text.split("4 more: answers and expectations\n")
    assert re.match(r"    s15 +900 yen, 15\.\n +a year\n    s16 .+\n", rest)
    assert "--undecided" not in rest


def test_what_is_undecided_and_not_listed_is_reached_by_a_command(printed: Printed) -> None:
    many = [checked(f"s{n:02}", *UNCLEAR, text=f"900 yen, {n}.") for n in range(35)]
    text = printed(run(header(), *many))
    assert "Undecided (15 of 35 conversations, in 15 groups)" in text
    assert "\n5 more: mogi show 3f9ab2c1 --undecided\n" in text
    assert "more: mogi show" not in printed(run(header(), *many[:9]))


def test_nothing_is_listed_as_weak_and_as_undecided(printed: Printed) -> None:
    flagged = [checked(s, *UNCLEAR, text=f"900 yen, {s}.", flags=("grounded",)) for s in "abcdefgh"]
    weak = [replace(e, turns=(replace(e.turns[0], flagged=True),)) for e in flagged]
    text = printed(run(header(), *weak, checked("bad", *REFUSED)))
    titles = re.findall(r"^ ?\d+  (.+ · turn \d)", text, re.MULTILINE)
    assert sorted(set(titles)) == sorted(titles)
    assert ["bad · calm · turn 1"] == blocks(text)
    assert "Undecided (8 of 8 conversations, in 8 groups)" in text


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
    assert (
        "No flagged turns.\nNever flagged, because they have no threshold: lexical 0.25\n" in text
    )
