"""Whose fault a weak turn is: in Japanese, where the bot failed, and of huge answers."""

import pytest

from simulator.core.scenario import Scenario
from simulator.core.talk import Document
from simulator.judging.blame import Fault
from tests.expecting import expecting as as_expected
from tests.judging.made import FAILURE, evidence, expecting
from tests.judging.test_blame import ANSWERABLE, DESK, OTHER, Books, blamed, fault


def test_handing_over_in_japanese() -> None:
    scenario = expecting("乗っ取られました", escalate=True)
    talk = [("乗っ取られました", "パスワードを変更してください。")]
    handed = [("乗っ取られました", "担当者におつなぎします。")]
    assert Fault.SHOULD_HAVE_ESCALATED is fault(
        evidence(*talk, language="ja", scenario=scenario), None
    )
    assert fault(evidence(*handed, language="ja", scenario=scenario), None) is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("専門のスタッフに引き継ぎます。", None),
        ("不正利用相談窓口（0120-000-000）へお電話ください。", None),
        ("申し訳ございません。担当者におつなぎすることはできません。", Fault.SHOULD_HAVE_ESCALATED),
        ("お電話での対応は行っておりません。", Fault.SHOULD_HAVE_ESCALATED),
    ],
)
def test_saying_that_nobody_can_be_reached_hands_nothing_over(
    answer: str, expected: Fault | None
) -> None:
    scenario = expecting("乗っ取られました", escalate=True)
    turn = evidence(("乗っ取られました", answer), language="ja", scenario=scenario)
    assert expected is fault(turn, None)


def test_japanese_elements_and_documents() -> None:
    faq = Document("コードを30分以内に入力すると変更が完了します。", "faq-003", "変更")
    scenario = Scenario("s", "変更したい", expected=as_expected(elements=("30分以内",)))
    talk = evidence(
        ("変更したい", "設定から変更できます。"),
        language="ja",
        documents=(faq,),
        scenario=scenario,
    )
    assert Fault.UNUSED is fault(talk, Books(faq))


def test_a_failed_target_is_nobody_elses_fault() -> None:
    assert fault(evidence(("Hello?", FAILURE), scenario=ANSWERABLE), None) is None


def test_a_scenario_that_expects_nothing_cannot_tell() -> None:
    assert blamed("I do not know.", Scenario("s", "q"), OTHER) is None


def test_a_huge_answer_is_read_in_reasonable_time() -> None:
    scenario = expecting(elements=("within 30 days",))
    assert Fault.UNUSED is blamed("word " * 200_000, scenario, DESK)
