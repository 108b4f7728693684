"""The JUnit report: what CI makes of a run."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from simulator.core.errors import InputError
from simulator.core.outcome import Gap, Unscored
from simulator.core.run import Run
from simulator.core.talk import Exchange, Reply, Stop, StopReason
from simulator.reports.junit import Junit
from tests.execution.scored import GAP, episode, failed, header, rated, run, turn
from tests.reports.printed import FINE, WEAK, mixed


def suite(made: Run, folder: Path) -> ET.Element:
    path = folder / "junit.xml"
    Junit().write(made, str(path))
    found = ET.parse(path).getroot().find("testsuite")
    assert found is not None
    return found


def only(made: Run, folder: Path) -> ET.Element:
    """The result of the only test case."""
    [case] = suite(made, folder)
    [_, result] = case  # its properties stand first
    return result


def test_there_is_a_case_for_each_conversation(tmp_path: Path) -> None:
    found = suite(mixed(), tmp_path)
    expected = {
        "name": "mogi acme",
        "timestamp": "2026-11-20T05:06:07",
        "time": "113.000",
        "tests": "5",
        "failures": "0",
        "errors": "2",
        "skipped": "2",
    }
    assert expected == found.attrib
    assert [
        ("acme", "login/calm/1"),
        ("acme", "login/angry/2"),
        ("acme", "refund/calm/1"),
        ("acme", "解約したい（年払い）/angry/1"),
        ("acme", "unfinished"),
    ] == [(case.get("classname"), case.get("name")) for case in found]
    assert [["skipped"], [], ["skipped"], ["error"], ["error"]] == [
        [result.tag for result in case if result.tag != "properties"] for case in found
    ]


def test_each_case_has_result_why_and_blame_as_properties(tmp_path: Path) -> None:
    lost = turn(rated(1, "Wrong."), blames=("unused",))
    talks = [episode(FINE, scenario="fine"), episode(lost, scenario="lost")]
    told = [
        {each.attrib["name"]: each.attrib["value"] for each in case.iter("property")}
        for case in suite(run(header(), *talks), tmp_path)
    ]
    assert told[0]["result"] == "passed"
    assert "blame" not in told[0]
    assert (told[1]["result"], told[1]["blame"], told[1]["why"]) == (
        "failed",
        "unused",
        "scored_low",
    )


def test_a_failure_gives_the_reason_and_what_was_said(tmp_path: Path) -> None:
    made = run(header(), episode(FINE, WEAK, turn(rated(1, "Wrong."), blames=("unused",))))
    result = only(made, tmp_path)
    assert (
        result.get("message") == "turn 3: the last answer's score is below its threshold (overall)"
    )
    assert result.text == (
        "turn 2\nuser: How much?\nbot: It depends.\ncomment: No amount is named.\n\n"
        "turn 3\nuser: Where is my parcel?\nbot: It is on its way.\ncomment: Wrong.\n"
        "cause: Retrieved but not used"
    )


def test_it_speaks_the_clients_language(tmp_path: Path) -> None:
    made = run(header(language="ja"), episode(turn(rated(1, "違います。"), blames=("unused",))))
    result = only(made, tmp_path)
    assert result.get("message") == "1 往復目: 最後の回答の点数（overall）がしきい値未満"
    assert (result.text or "").endswith("コメント: 違います。\n原因: 資料を使っていない")


def test_an_early_weak_answer_fails_no_case(tmp_path: Path) -> None:
    [case] = suite(run(header(), episode(WEAK, FINE)), tmp_path)
    assert ["properties"] == [child.tag for child in case]


def test_a_failed_target_is_an_error_even_after_weak_turns(tmp_path: Path) -> None:
    made = run(header(), episode(WEAK, failed(), stop=StopReason.TARGET_FAILED))
    result = only(made, tmp_path)
    assert ("error", "turn 2: bot error: timeout, no answer within 60 s") == (
        result.tag,
        result.get("message"),
    )


def test_the_time_is_that_of_user_and_bot_in_seconds(tmp_path: Path) -> None:
    slow = turn(rated(5), exchange=Exchange(1, "q", Reply("a", (), 1_250.0), user_ms=250.0))
    [case] = suite(run(header(), episode(slow)), tmp_path)
    assert case.get("time") == "1.500"


def test_an_unsound_user_is_not_held_against_the_bot(tmp_path: Path) -> None:
    result = only(run(header(), episode(WEAK, stop=StopReason.USER_INVALID)), tmp_path)
    assert (
        "skipped",
        "undecided: the simulated user was at fault: unusable user message",
    ) == (result.tag, result.get("message"))


def test_where_the_user_fell_silent_nothing_is_decided(tmp_path: Path) -> None:
    silent = Stop(StopReason.USER_FAILED, "nothing usable, asked twice")
    result = only(run(header(), replace(episode(WEAK), stop=silent)), tmp_path)
    said = "undecided: the simulated user was at fault: simulated user failed"
    assert ("skipped", said) == (result.tag, result.get("message"))


def test_what_could_not_be_scored_is_skipped_not_passed(tmp_path: Path) -> None:
    made = run(header(), episode(turn(GAP), turn(Unscored(Gap.BUDGET))))
    result = only(made, tmp_path)
    said = "undecided: turn 2: a rating is missing: overall, budget"
    assert ("skipped", said) == (result.tag, result.get("message"))
    assert "most frequent: no JSON" == result.text


@pytest.mark.parametrize("outcome", [rated(5), Unscored(Gap.NOT_APPLICABLE)])
def test_what_was_scored_or_does_not_apply_passes(tmp_path: Path, outcome: Unscored) -> None:
    [case] = suite(run(header(), episode(turn(outcome), turn(rated(5)))), tmp_path)
    assert ["properties"] == [child.tag for child in case]


def test_where_nothing_was_checked_nothing_passed(tmp_path: Path) -> None:
    result = only(run(header(), episode(turn(Unscored(Gap.NOT_APPLICABLE)))), tmp_path)
    assert result.tag == "skipped"
    assert (result.get("message") or "").startswith("unchecked: ")


def test_characters_that_xml_cannot_hold_are_taken_out(tmp_path: Path) -> None:
    text = "a\x00b\x1b[31m <b>&amp;\ufffe\ud800 \u202e]]>"
    weak = turn(rated(1, text), exchange=Exchange(1, text, Reply(text)))
    made = run(header(client=f"c{text}"), episode(weak, scenario=f"s{text}"))
    result = only(made, tmp_path)
    assert "ab[31m <b>&amp;\ufffd\ufffd \u202e]]>" in (result.text or "")


def test_it_needs_a_path() -> None:
    with pytest.raises(InputError, match="NAME=PATH"):
        Junit().write(mixed(), None)
