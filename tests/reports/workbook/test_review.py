"""Review: the turns that people look at, what follows Config, and what people said."""

import re
from dataclasses import replace
from typing import Any

import pytest

from simulator.core.outcome import MetricInfo, Score
from simulator.core.persona import Language
from simulator.core.plan import ReviewSpec
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply, StopReason
from simulator.core.verdict import Audit, Verdict, Word
from simulator.reports._workbook.turns import review
from simulator.results.verdict import Fault
from simulator.words import Words
from simulator.worksheets.book import SheetCell, column_name
from simulator.worksheets.columns import COLUMNS, HASHED, PEOPLE, is_intact, row_hash
from tests.execution.scored import GAP, OVERALL, episode, failed, header, rated, run, turn
from tests.reports.printed import FINE, WEAK
from tests.reports.workbook.made import IDS, cells, column, judged_by_people, log, table

PLACES = {id_: column_name(place) for place, id_ in enumerate(IDS)}


def test_a_flagged_turn_is_a_row() -> None:
    (row,) = table(review(run(header(), episode(FINE, WEAK))))
    assert {
        "key": "3f9ab2c1|parcel/calm/1|2",
        "turns": 1,
        "sampled": "flagged",
        "persona": "calm",
        "scenario": "parcel",
        "turn": 2,
        "expected": "",
        "documents": "",
        "before": "User: Where is my parcel?\nBot: It is on its way.",
        "user": "How much?",
        "assistant": "It depends.",
        "metric": "Overall",
        "score": 0.4,
        "reason": "No amount is named.",
        "threshold": 0.7,
        "flag": "flag",
        "result": "failed: the last answer's score is below its threshold (Overall)",
        **dict.fromkeys(("verdict", "claims", "error_type", "corrected", "comment", "reviewer")),
        "hash": row_hash({name: row[name] for name in HASHED}),
    } == row


def test_the_result_is_that_of_the_conversation_and_its_reason_stands_where_it_shows() -> None:
    made = run(
        header(language="ja", audit=Audit(1.0)),
        episode(WEAK, WEAK),
        episode(FINE, scenario="refund"),
    )
    why = "不合格: 最後の回答の点数（Overall）がしきい値未満"
    assert ["合格: 最後の回答の点数がしきい値以上", "不合格", why] == column(review(made), "result")


def test_what_no_threshold_flags_stays_flagged() -> None:
    shows_why = replace(FINE, flags=("overall",), flagged=True)
    assert ["flag"] == column(review(run(header(), episode(shows_why))), "flag")


def test_the_audit_sample_is_marked_and_not_flagged() -> None:
    made = run(header(language="ja", audit=Audit(1.0)), episode(WEAK, FINE, turn(GAP)))
    sheet = review(made)
    assert ["抜き取り", "抜き取り", "要確認"] == column(sheet, "sampled")
    assert ["", "", "要確認"] == column(sheet, "flag")
    assert [1.0, None, 0.4] == column(sheet, "score")
    assert ["", "採点結果を読み取れない: no JSON", "No amount is named."] == column(sheet, "reason")


def test_nobody_is_shown_what_an_invalid_user_was_answered() -> None:
    broken = episode(WEAK, stop=StopReason.USER_INVALID)
    assert [] == list(review(run(header(audit=Audit(1.0)), broken)).rows())


def test_a_failed_target_has_no_score_and_stays_flagged_whatever_config_says() -> None:
    (row,) = review(run(header(), episode(failed()))).rows()
    shown = dict(zip(IDS, row, strict=True))
    assert ["", None, None, "flag"] == [
        shown[name] for name in ("metric", "score", "threshold", "flag")
    ]
    assert ["(no answer)", "timeout: no answer within 60 s"] == [
        shown[name] for name in ("assistant", "reason")
    ]


def test_threshold_and_flag_are_formulas_of_their_own_row() -> None:
    rows = list(review(run(header(), episode(WEAK, WEAK)), " 3f9ab2c1").rows())
    at = {name: IDS.index(name) for name in ("threshold", "flag")}
    assert SheetCell(0.7, "='Config 3f9ab2c1'!$B$2") == rows[1][at["threshold"]]
    score, limit = f"${PLACES['score']}3", f"${PLACES['threshold']}3"
    formula = f'=IF(ISNUMBER({score}),IF({score}<{limit}-0.000000001,"flag",""),"")'
    assert SheetCell("flag", formula) == rows[1][at["flag"]]


def test_the_metric_that_flags_is_named_the_runs_score_first() -> None:
    other = MetricInfo("gpt_groundedness", "Groundedness")
    head = header(metrics=(OVERALL, other), thresholds={"gpt_groundedness": 0.6, "overall": 0.7})
    both = turn(
        rated(2, "vague"),
        outcomes={"overall": rated(2, "vague"), "gpt_groundedness": Score(0.2, 1.0, "made up")},
        flags=("gpt_groundedness", "overall"),
    )
    one = replace(
        both,
        outcomes={"overall": rated(5), "gpt_groundedness": Score(1 / 3, 1.0, "made up")},
        flags=("gpt_groundedness",),
    )
    sheet = review(run(head, episode(both, one)))
    assert ["Overall", "Groundedness"] == column(sheet, "metric")
    assert [0.4, 0.333333] == column(sheet, "score")
    assert [0.7, 0.6] == column(sheet, "threshold")
    assert ["vague / Groundedness: made up", "Groundedness: made up"] == column(sheet, "reason")


def test_a_metric_of_the_whole_talk_flags_its_last_turn() -> None:
    goal = MetricInfo("turns_to_goal", "Turns to goal", scope="talk")
    head = header(metrics=(OVERALL, goal), thresholds={"turns_to_goal": 0.6})
    last = replace(FINE, flags=("turns_to_goal",), flagged=True)
    talk = replace(episode(FINE, last), outcomes={"turns_to_goal": Score(0.5, 0.5, "too late")})
    (row,) = table(review(run(head, talk)))
    assert ["Turns to the goal", 0.5, "Turns to the goal: too late", 0.6] == [
        row[name] for name in ("metric", "score", "reason", "threshold")
    ]


def test_without_a_threshold_nothing_is_flagged() -> None:
    made = run(header(thresholds={}, audit=Audit(1.0)), episode(FINE))
    (row,) = review(made).rows()
    assert SheetCell(None, "='Config'!$B$2") == row[IDS.index("threshold")]
    assert [""] == column(review(made), "flag")


def test_every_person_has_a_row_with_the_latest_that_was_said() -> None:
    said = [
        Verdict("parcel/calm/1", 1, Word.OK, "Sato", "a.xlsx", "2026-11-21T00:00:00Z"),
        Verdict("parcel/calm/1", 1, Word.NG, "", "a.xlsx", "2026-11-21T00:00:00Z"),
        Verdict(
            "parcel/calm/1", 1, Word.NG, "Sato", "b.xlsx", "2026-11-22T00:00:00Z",
            "retrieval_miss", "It is 500 yen.", "sure",
        ),
        Verdict("parcel/calm/1", 2, None, "Sato", comment="hm"),
    ]  # fmt: skip
    sheet = review(judged_by_people(header(), said, episode(WEAK, WEAK, WEAK)))
    assert 2 * ["3f9ab2c1|parcel/calm/1|1"] == column(sheet, "key")[:2]
    assert ["NG", "NG", None] == column(sheet, "verdict")  # turn 3 says what turn 2 does
    assert ["Not retrieved", None, None] == column(sheet, "error_type")
    assert ["It is 500 yen.", None, None] == column(sheet, "corrected")
    assert ["sure", None, "hm"] == column(sheet, "comment")
    assert ["Sato", None, "Sato"] == column(sheet, "reviewer")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_columns_are_in_the_clients_language_and_offer_what_is_understood(
    language: Language,
) -> None:
    columns = dict(zip(IDS, review(run(header(language=language))).columns, strict=True))
    assert [column.heads[language] for column in COLUMNS] == [c.head for c in columns.values()]
    unsure = {"ja": "分からない", "en": "unsure"}[language]
    assert ("OK", "NG", unsure) == columns["verdict"].choices
    named = [Words(language, "report").name("fault", fault) for fault in Fault]
    assert sorted(named) == sorted(columns["error_type"].choices)
    assert named[0] == columns["error_type"].choices[0]  # what harms the user
    assert (True, True) == (columns["before"].wrap, columns["before"].clip)
    assert {"key", "threshold", "hash"} == {id_ for id_, c in columns.items() if c.hidden}
    assert all(c.note for c in columns.values() if c.people)


def test_rules_colour_rows_by_the_columns_that_they_speak_of() -> None:
    low, failure, *_ = review(run(header())).rules
    score, limit = PLACES["score"], PLACES["threshold"]
    assert f"=AND(ISNUMBER(${score}2),${score}2<${limit}2-0.000000001)" == low.formula
    assert f'=${PLACES["flag"]}2<>""' == failure.formula
    assert {(1, None)} == {(rule.first_row, rule.last_row) for rule in (low, failure)}
    assert not re.search("verdict", low.formula)


def test_what_is_known_of_an_equal_answer_is_filled_in_and_says_where_it_comes_from() -> None:
    head, talk = header(), episode(WEAK)
    known = Verdict(talk.cell.key, 1, Word.NG, "Sato", at="2026-11-21T06:00:00+00:00", run="0a1b2c")
    (row,) = table(review(judged_by_people(head, [known], talk)))
    assert ("NG", "Sato") == (row["verdict"], row["reviewer"])
    assert "known from run 0a1b2c: Sato, 2026-11-21" in row["result"]
    (row,) = table(review(judged_by_people(head, [replace(known, run=head.id)], talk)))
    assert "from the same answer in this run: Sato, 2026-11-21" in row["result"]
    (row,) = table(review(judged_by_people(head, [replace(known, run="")], talk)))
    assert "Sato" not in (row["result"] or "")


def test_two_people_who_said_the_same_of_an_equal_answer_fill_in_one_row() -> None:
    talk = episode(WEAK)
    known = Verdict(talk.cell.key, 1, Word.NG, "Sato", run="0a1b2c")
    same, other = replace(known, reviewer="Tanaka"), replace(known, word=Word.OK, reviewer="Ito")
    here = replace(known, reviewer="Kato", run="")
    for said, names in (
        ([known, same], ["Tanaka"]),
        ([known, other], ["Sato", "Ito"]),
        ([known, here], ["Kato"]),
    ):
        assert names == column(review(judged_by_people(header(), said, talk)), "reviewer")


def test_what_it_takes_to_judge_is_on_the_first_screen() -> None:
    ends, at = {}, 0.0
    for id_, found in zip(IDS, review(run(header())).columns, strict=True):
        # Of the widest digit in LibreOffice's font of last resort; and padding.
        at += 0 if found.hidden else 9.3 * found.width + 7
        ends[id_] = at
    assert (True, True) == (ends["assistant"] <= 700, ends["reviewer"] <= 1_860)
    assert (1, IDS.index("assistant") + 1) == review(run(header())).frozen
    first = [id_ for id_ in IDS if ends[id_] <= ends["reviewer"]]
    assert ["user", "before", "assistant", "expected", "documents", *PEOPLE] == first[1:]


def test_what_is_right_and_what_it_rests_on_stand_beside_the_answer() -> None:
    expected = Expected(("500 yen.", "¥500."), (("500 yen", "¥500"), ("2 days",)), ("f1", "f2"))
    head = header(references={"f1": ("Price", "It is 500 yen."), "f2": ("Time", "2 days.")})
    found = (Document("It is\n500 yen." * 20, "f1", "Price"), Document("Returns.", "f9"))
    weak = replace(WEAK, exchange=Exchange(1, "How much?", Reply("It depends.", found)))
    talk = replace(episode(weak), scenario=Scenario("parcel", "How much?", expected=expected))
    (row,) = table(review(run(head, talk)))
    claims = "must say:\n1. 500 yen / ¥500\n2. 2 days"
    assert f"500 yen.\n(or)\n¥500.\n{claims}" == row["expected"]
    price, missed, other = row["documents"].splitlines()
    assert price.startswith("★ f1 Price: It is 500 yen.It is")
    assert price.endswith("500 yen.")  # the source is whole
    assert ("★ (not found by the bot) f2 Time: 2 days.", "- f9: Returns.") == (missed, other)


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        (Expected(answerable=False), "(there is no answer: the bot should say so)"),
        (Expected(escalate=True), "(the bot should hand over to a person)"),
        (Expected(must_not=("It is free.",)), "must not say:\n1. It is free."),
        (Expected(), ""),
    ],
)
def test_what_is_right_without_an_answer(expected: Expected, told: str) -> None:
    talk = replace(episode(WEAK), scenario=Scenario("parcel", "?", expected=expected))
    assert [told] == column(review(run(header(), talk)), "expected")


def test_personas_go_by_their_names() -> None:
    made = run(header(language="ja", personas={"calm": "落ち着いている人"}), episode(WEAK))
    assert ["落ち着いている人"] == column(review(made), "persona")


def test_who_judges_blind_sees_no_score_no_reason_and_no_colour_until_there_is_a_verdict() -> None:
    head = header(review=ReviewSpec(blind=True), audit=Audit(1.0))
    said = Verdict("parcel/calm/1", 2, Word.OK, "Sato", at="2026-11-21T06:00:00+00:00")
    made = judged_by_people(head, [said], episode(WEAK, FINE))
    hidden = ("sampled", "result", "metric", "score", "reason", "threshold", "flag")
    judged, unjudged = table(review(made))
    assert {None} == {unjudged[name] for name in hidden}
    assert ("audit", 1.0, "Overall") == tuple(judged[n] for n in ("sampled", "score", "metric"))
    keys: list[dict[Any, Any]] = [unjudged, judged]
    assert [True, True] == [is_intact(row, row["hash"]) for row in keys]
    assert not [cell for cell in cells(log(made)) if cell.fill or cell.note]
    checks = [column for column in log(made).columns if column.head.startswith("check")]
    assert all(column.hidden for column in checks)


def test_equal_answers_are_one_row_that_says_for_how_many_it_holds() -> None:
    talks = [episode(WEAK, persona=persona) for persona in ("angry", "calm", "beginner")]
    other = episode(WEAK, scenario="refund")
    sheet = review(run(header(), *talks, other))
    assert ["parcel/angry/1", "refund/calm/1"] == [
        key.split("|")[1] for key in column(sheet, "key")
    ]
    assert [3, 1] == column(sheet, "turns")
    on_the_last = Verdict("parcel/beginner/1", 1, Word.NG, "Sato", "a.xlsx")
    sheet = review(judged_by_people(header(), [on_the_last], *talks, other))
    assert ["angry", "beginner", "calm"] == [
        key.split("|")[1].split("/")[1] for key in column(sheet, "key")
    ]
