"""Log: one row for each conversation, however long, as it was on its day."""

import json
from dataclasses import replace

from simulator.core.claim import Reader, Reading, State, claims_of
from simulator.core.outcome import Score
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply, StopReason
from simulator.reports._workbook import book_of
from simulator.reports._workbook.config_worksheet import LOW as WEAK
from simulator.worksheets.book import SheetCell
from tests.execution.scored import GAP, NOT_APPLICABLE, episode, failed, header, rated, run, turn
from tests.expecting import expecting
from tests.reports.printed import FINE
from tests.reports.printed import WEAK as WEAK_TURN
from tests.reports.workbook.made import log, titled, values


def test_a_row_is_a_conversation_with_its_config_first() -> None:
    sheet = log(run(header(), episode(FINE, WEAK_TURN, repeat=2)))
    assert ["config", "user1", "assistant1", "check1", "user2", "assistant2", "check2"] == [
        column.head for column in sheet.columns
    ]
    (row,) = [values(row) for row in sheet.rows()]
    assert (
        '{"date":"2026-11-20T14:06:07+09:00","persona":"calm","scenario":"parcel","repeat":2,'
        '"run":"3f9ab2c1"}' == row[0]
    )
    assert ["Where is my parcel?", "It is on its way."] == row[1:3]
    assert ["How much?", "It depends."] == row[4:6]


def test_a_check_is_json_with_the_comment_before_the_numbers() -> None:
    told = turn(
        Score(0.4, 2.0, "No amount.\nNone at all.", {"precision": 0.5}),
        blames=("retrieval_miss",),
        soundness=("echo",),
    )
    sheet = log(run(header(), episode(told)))
    (row,) = [values(row) for row in sheet.rows()]
    assert (
        '{"overall":{"comment":"No amount.\\nNone at all.","value":0.4,"raw":2.0,'
        '"parts":{"precision":0.5}},"flags":["overall"],"blame":"retrieval_miss",'
        '"soundness":["echo"],"result":"undecided","why":"unsound"}' == row[3]
    )


def test_a_check_has_the_state_of_each_claim() -> None:
    expected = expecting(elements=["500 yen"], must_not=["It is free."])
    states = (State.MET, State.VIOLATED, State.MET)
    read = tuple(
        Reading(claim.id, state, Reader.WORDS)
        for claim, state in zip(claims_of(expected), states, strict=True)
    )
    scenario = Scenario("parcel", "q", expected=expected)
    held = replace(episode(turn(rated(5), readings=read)), scenario=scenario)
    (row,) = [values(row) for row in log(run(header(), held)).rows()]
    claims = json.loads(str(row[3]))["claims"]
    assert {
        "500 yen": "met (words)",
        "does not say: It is free.": "violated (words)",
        "gives an answer": "met (words)",
    } == claims


def test_a_missing_score_is_a_reason_and_never_a_number() -> None:
    sheet = log(run(header(), episode(turn(GAP), turn(NOT_APPLICABLE), FINE)))
    (row,) = [values(row) for row in sheet.rows()]
    found = [json.loads(row[3]), json.loads(row[6])]
    assert [
        {"overall": {"unscored": "judge_unparsable", "detail": "no JSON"}, "flags": []},
        {"overall": {"unscored": "not_applicable"}, "flags": []},
    ] == found


def test_what_concerns_the_whole_talk_stands_on_its_last_turn() -> None:
    talk = replace(episode(FINE, FINE), outcomes={"turns_to_goal": Score(0.5, 0.5)})
    (row,) = [values(row) for row in log(run(header(), talk)).rows()]
    assert ["turns_to_goal" in row[3], "turns_to_goal" in row[6]] == [False, True]


def test_a_flagged_answer_is_coloured_and_its_note_says_why() -> None:
    (row,) = log(run(header(), episode(FINE, WEAK_TURN))).rows()
    assert "It is on its way." == row[2]
    assert SheetCell("It depends.", fill=WEAK, note="No amount is named.") == row[5]


def test_a_conversation_that_failed_is_coloured_and_its_note_says_why() -> None:
    passed, lost = log(run(header(), episode(WEAK_TURN, FINE), episode(FINE, WEAK_TURN))).rows()
    assert isinstance(passed[0], str)
    assert isinstance(lost[0], SheetCell)
    assert "failed: the last answer's score is below its threshold (Overall)" == lost[0].note
    assert lost[0].fill
    assert ["result" not in values(lost)[3], json.loads(values(lost)[6])["result"]] == [
        True,
        "failed",
    ]


def test_a_failed_target_is_shown_as_such() -> None:
    (row,) = log(run(header(language="ja"), episode(failed()))).rows()
    assert SheetCell("（回答なし）", fill=WEAK, note="時間切れ: no answer within 60 s") == row[2]


def test_what_an_invalid_user_was_answered_is_not_coloured() -> None:
    (row,) = log(run(header(), episode(WEAK_TURN, stop=StopReason.USER_INVALID))).rows()
    assert "It depends." == row[2]


def test_the_columns_are_as_many_as_the_longest_talk_needs() -> None:
    long = episode(*[turn(rated(5), exchange=Exchange(1, f"q{n}", Reply("a"))) for n in range(20)])
    sheet = log(run(header(), episode(FINE), long))
    assert 61 == len(sheet.columns)
    assert ["user20", "assistant20", "check20"] == [c.head for c in sheet.columns[-3:]]
    assert [4, 61] == [len(row) for row in sheet.rows()]


def test_a_run_without_conversations_has_heads_and_no_rows() -> None:
    sheet = titled(book_of(run(header()), log_title="会話ログ"))["会話ログ"]
    assert ("会話ログ", 4, []) == (sheet.title, len(sheet.columns), list(sheet.rows()))


def test_a_row_of_a_file_has_no_persona() -> None:
    (row,) = log(run(header(), episode(FINE, persona="-"))).rows()
    assert "" == json.loads(str(row[0]))["persona"]
