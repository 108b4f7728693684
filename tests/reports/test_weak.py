"""The list of the worst turns: in which order, why, and what is told once."""

import re
from collections.abc import Sequence
from dataclasses import replace

from simulator.core.outcome import Score
from tests.judging.made import LEXICAL, OVERALL, episode, header, rated, run, turn
from tests.reports.printed import WEAK, Printed, mixed, wide


def blocks(text: str) -> Sequence[str]:
    return re.findall(r"^ ?\d+  (.+ · turn \d)", text, re.MULTILINE)


def test_the_worst_turns_come_first_with_their_reasons(printed: Printed) -> None:
    text = printed(mixed())
    assert [
        "解約したい（年払い） · angry · turn 1",
        "login · calm · turn 1",
        "login · angry · repeat 2 · turn 1",
    ] == blocks(text)
    assert "0.40 (rating 2)" in text
    assert re.search(r"! bot +It depends\.", text)
    assert re.search(r"why +No amount is named\.", text)
    assert re.search(r"fault +retrieval missed it", text)
    assert re.search(
        r"turn 1   bot failed\n.*\n +! bot +\(no answer\)\n +why +timeout: no ans", text
    )


def test_the_faults_of_all_flagged_turns_are_counted(printed: Printed) -> None:
    weak = [turn(rated(1), blames=("unused",)) for _ in range(12)]
    made = episode(turn(rated(1), blames=("retrieval_miss",)), *weak, turn(rated(1)))
    said = "Flagged turns by fault: retrieved but left out 12 · retrieval missed it 1\n"
    assert said in printed(run(header(), made))
    assert "要確認の往復の原因: 検索もれ 1\n" in printed(mixed("ja"))
    assert "by fault" not in printed(run(header(), episode(turn(rated(1)))))


def test_ten_of_the_weak_turns_are_shown(printed: Printed) -> None:
    text = printed(wide(5, 8))
    assert 10 == len(blocks(text))
    assert "Worst turns first (10 of 24)" in text


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
    assert "Worst turns first (4 of 4)" in text
    assert "more in this scenario" not in text
    ja = printed(replace(made, header=header(language="ja")))
    assert "同様の往復がほか 2 件（calm, calm2）\n" in ja
    assert "要確認の往復（4 件のうち低い順に 4 件）" in ja


def test_metrics_that_nothing_watches_are_named_where_nothing_is_flagged(printed: Printed) -> None:
    both = turn(rated(4), outcomes={"overall": rated(4), "lexical": Score(0.25, 0.25)})
    text = printed(run(header(metrics=(OVERALL, LEXICAL)), episode(both)))
    assert "No turn is flagged.\nWithout a threshold, so never flagged: lexical 0.25\n" in text
