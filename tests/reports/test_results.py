"""The lines above the score: how much passed, what decided the rest, and what is left out."""

import re
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.run import Episode, Ledger, Run, Turn
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply
from simulator.core.verdict import Verdict, Word
from simulator.reports.html.data import client_words
from simulator.reports.html.lead import Causes, lead_values
from simulator.view.aggregate import Aggregate
from simulator.view.run_view import applied, view_of
from simulator.words import Words
from tests.execution.scored import (
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
from tests.expecting import expecting
from tests.reports.printed import FINE, WEAK, Printed, wide
from tests.results.made import MODEL, UNKNOWN, UNMET, VIOLATED, answer, readings, talk


def first_line(made: Run, language: Language = "en") -> str:
    return view_of(made, Words(language, "report")).passing.plain


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
    assert "1 of 3 scenarios pass; 1 fails for every persona, 1 for some" == first_line(
        of("angry", "calm")
    )
    assert (
        "シナリオ 3 件のうち 1 件が合格、1 件はどのペルソナでも不合格、1 件は一部で不合格"
        == first_line(of("angry", "calm", language="ja"), "ja")
    )


def test_every_scenario_is_in_one_of_the_counts() -> None:
    open_ = [episode(turn(GAP), scenario="open"), episode(FINE, scenario="open", persona="angry")]
    silent = episode(turn(NOT_APPLICABLE), scenario="silent")
    mixed = [episode(FINE, persona="angry"), episode(WEAK, persona="calm")]
    made = run(header(), *open_, silent, *mixed)
    line = (
        "0 of 2 scenarios pass; 1 fails for some personas, 1 is undecided, 1 other has "
        "no expectations"
    )
    assert line == first_line(made)
    found = made.summary.results
    counts = (found.passing, found.failing, found.mixed, found.left_open)
    assert (0, 0, 1, 1) == counts
    assert sum(counts) == found.scenarios
    repeated = [episode(WEAK, repeat=1), episode(FINE, repeat=2)]
    said = "0 of 1 scenario passes; 1 fails some of the time"
    assert said == first_line(run(header(), *repeated))


ELEMENTS = expecting(elements=["500 yen"])
HAND_OVER, REFUSE = expecting(escalate=True), expecting(answerable=False)


def held(name: str, expected: Expected, *turns: Turn) -> Episode:
    """A conversation of a scenario of this name."""
    return replace(talk(expected, *turns), cell=Cell(name, "calm"))


def lines_of(made: Run, language: Language = "en") -> dict[str, list[str]]:
    """The lines of the results, by their label; those without one belong to the last."""
    found: dict[str, list[str]] = {}
    for line in view_of(made, Words(language, "report")).lines:
        found.setdefault(line.label or list(found)[-1], []).append(line.text.plain)
    return found


def test_reasons_add_up_to_their_result(printed: Printed) -> None:
    refused = [held(s, ELEMENTS, answer(*readings(ELEMENTS, UNMET, UNMET))) for s in "ab"]
    kept = held("c", HAND_OVER, answer(*readings(HAND_OVER, UNMET)))
    answered = held("d", REFUSE, answer(*readings(REFUSE, VIOLATED)))
    unsaid = held("e", ELEMENTS, answer(*readings(ELEMENTS, UNMET)))
    weak = [episode(WEAK, scenario=s) for s in "fgh"]
    found = printed(run(header(), *refused, kept, answered, unsaid, *weak, episode(failed())))
    line = found[found.index("\nFailed") + 1 : found.index("\nDecided")]
    numbers = [int(n) for n in re.findall(r"\d+", line)]
    assert "other" in line
    assert numbers[0] == sum(numbers[1:]) == 9
    first = Words("en", "result")(
        "reason.answered"
    )  # what does harm stands before what is frequent
    assert re.match(rf"Failed +9 +{first} 1 · ", line)


def test_what_passed_only_after_a_refusal_is_told() -> None:
    refused, said = answer(*readings(ELEMENTS, UNMET, UNMET)), answer(*readings(ELEMENTS))
    talks = [held("a", ELEMENTS, refused, said), held("b", ELEMENTS, said)]
    later = held("d", ELEMENTS, said, refused, said)  # what else it was asked
    made = run(header(), *talks, held("c", ELEMENTS, refused), later)
    assert "1 of these only after the bot declined" == lines_of(made)["Passed"][1]
    assert not any("refusal" in line for line in lines_of(made)["Failed"])


SETTLE = [
    "with a judge: mogi rejudge 3f9ab2c1 --judge-model M (6 calls, about 10,200 tokens)",
    (
        "with a small model: set `reader` in client.yaml, then run mogi rejudge 3f9ab2c1 "
        "(1 call, about 200 tokens)"
    ),
    "with reviewers: mogi view 3f9ab2c1",
]
SETTLE_JA = [
    "採点役で決める: mogi rejudge 3f9ab2c1 --judge-model M（呼び出し 6 回、約 10,200 トークン）",
    (
        "照合用の小さなモデルで決める: mogi rejudge 3f9ab2c1"
        "（client.yaml の reader: が必要。呼び出し 1 回、約 500 トークン）"
    ),
    "人が決める: mogi view 3f9ab2c1（レビュー）",
]
UNJUDGED: dict[str, Any] = {"metrics": (LEXICAL,), "score_by": "lexical"}


def decided() -> list[Episode]:
    """Words decide two conversations, a model one; of three others two have one answer each."""
    by_model = [*readings(ELEMENTS, UNKNOWN), *readings(ELEMENTS, reader=MODEL)]
    open_ = answer(*readings(ELEMENTS, UNKNOWN))
    at_odds = [*readings(ELEMENTS, VIOLATED), *readings(ELEMENTS, reader=MODEL)]
    found = [
        held("a", ELEMENTS, answer(*readings(ELEMENTS, VIOLATED))),
        held("b", ELEMENTS, answer(*readings(ELEMENTS))),
        held("c", ELEMENTS, answer(*by_model)),
        held("d", ELEMENTS, open_),
        replace(held("d", ELEMENTS, open_), cell=Cell("d", "angry")),
        held("e", ELEMENTS, answer(*at_odds)),
    ]
    return [replace(e, scenario=Scenario(e.cell.scenario, "q", expected=ELEMENTS)) for e in found]


def test_it_is_told_who_decided_and_what_settles_the_rest() -> None:
    assert [
        (
            "3 of 6 (a model 1 · text matching 2); "
            "3 need a model or a reviewer (2 distinct answers, about 1 minute)"
        ),
        *SETTLE,
    ] == lines_of(run(header(**UNJUDGED), *decided()))["Decided"]


def test_what_a_judge_left_open_is_for_people() -> None:
    found = lines_of(run(header(), *decided()))["Decided"]
    assert found[0].endswith("; 3 need a reviewer (2 distinct answers, about 1 minute)")
    assert SETTLE[-1:] == found[1:]


def test_so_it_is_in_japanese() -> None:
    assert [
        (
            "モデル 1 件 · 語句 2 件（6 件のうち 3 件）。"
            "残りの 3 件は、モデルか人の確認が必要です（同じ回答をまとめて 2 件、人なら約 1 分）"
        ),
        *SETTLE_JA,
    ] == lines_of(run(header(language="ja", **UNJUDGED), *decided()), "ja")["合否の根拠"]


def test_where_all_is_decided_nothing_is_left_to_settle() -> None:
    made = run(header(), held("b", ELEMENTS, answer(*readings(ELEMENTS))))
    assert ["1 of 1 by text matching"] == lines_of(made)["Decided"]


def test_a_run_from_before_readings_is_to_be_read_again_and_needs_no_model() -> None:
    made = run(header(), held("b", ELEMENTS, answer(readings=None)))
    assert [
        "none of 1",
        (
            "no stored claim checks: to check again: mogi rejudge 3f9ab2c1 "
            "(text matching needs no model)"
        ),
    ] == lines_of(made)["Decided"]


def test_what_no_reading_of_an_answer_settles_asks_nobody_to_read_one() -> None:
    unsound = held("b", ELEMENTS, answer(*readings(ELEMENTS, UNKNOWN), soundness=("echo",)))
    made = run(header(), unsound, episode(turn(GAP), scenario="c"))
    first, user, score = lines_of(made)["Decided"]
    assert "none of 2" == first
    assert user.startswith(
        "simulated user at fault: to decide: run them again with mogi run CLIENT"
    )
    assert "score missing: to decide: add the missing score (mogi rejudge 3f9ab2c1)" == score
    assert 0 == made.summary.unsettled.answers


def test_where_people_differ_the_answer_is_one_that_somebody_has_to_read() -> None:
    said = held("b", ELEMENTS, answer(*readings(ELEMENTS)))
    differ = [Verdict(said.cell.key, 1, word, reviewer=word) for word in (Word.OK, Word.NG)]
    aggregate = Aggregate(header())
    aggregate.add(said, differ)
    assert 1 == aggregate.summary(Ledger(), 0).unsettled.answers


def test_nobody_speaks_of_every_persona_where_there_is_one() -> None:
    assert "1 of 3 scenarios pass; 2 fail" == first_line(of("calm"))
    repeated = [episode(WEAK, repeat=n) for n in (1, 2)]
    assert "0 of 1 scenario passes; 1 fails every time" == first_line(run(header(), *repeated))


def test_where_nothing_can_fail_that_is_said() -> None:
    made = run(header(), episode(turn(NOT_APPLICABLE)))
    assert first_line(made).startswith("nothing to decide")
    assert first_line(made, "ja").startswith("結果を決めるものがありません")


def test_where_nothing_was_played_that_is_no_fault_of_the_scenarios() -> None:
    assert "no conversation finished" == first_line(run(header(), unfinished=3))


@pytest.mark.parametrize("width", [80, 120])
def test_what_decided_stands_in_thirteen_lines(printed: Printed, width: int) -> None:
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
    text = "\n".join(top[:13])
    assert "1 of 7 scenarios pass; 3 fail, 3 are undecided, 1 other has no expectations\n" in text
    assert re.search(r"Passed +1   pass rate 0\.14–0\.57: too many are\s+undecided for", text)
    assert re.search(r"Failed +3   last score below its threshold 2 · bot error 1\n", text)
    assert re.search(r"Undecided +3   score missing 3\n", text)
    assert re.search(r"Unchecked +1   no expectations 1\n", text)
    assert re.search(r"Decided +3 of 6 by a model\n", text)
    assert text.index("Unchecked") < text.index("Decided") < text.index("Score")


@pytest.mark.parametrize(
    ("passed", "line", "ja"),
    [
        (
            4,
            "4   pass rate 1.00   too few decided .* a 95% CI   0.80–1.00 if all .*",
            "未確定がすべて決まれば 0.80〜1.00",
        ),
        (
            3,
            "3   pass rate 0.75–1.00: too many are undecided for a single number",
            "合格率 0.75〜1.00（未確定が多いため、幅だけを示します）",
        ),
    ],
)
def test_where_more_than_a_fifth_is_undecided_the_pass_rate_is_its_bounds(
    passed: int, line: str, ja: str
) -> None:
    talks = [held(f"s{n}", ELEMENTS, answer(*readings(ELEMENTS))) for n in range(passed)]
    made = run(header(), *talks, held("open", ELEMENTS, answer(*readings(ELEMENTS, UNKNOWN))))
    assert re.fullmatch(line, lines_of(made)["Passed"][0])
    assert ja in lines_of(made, "ja")["合格"][0]
    tile = lead_values(made, client_words("en"), Causes(made))["tiles"][0]
    assert tile["value"] == ("100%" if passed == 4 else "75%–100%")


def test_the_pass_rate_has_its_interval_from_five_scenarios_on(printed: Printed) -> None:
    assert re.search(r"Passed .*pass rate 0\.\d\d   95% CI 0\.\d\d–[01]\.\d\d", printed(wide(2, 8)))


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
        r"reason +the last answer's score is below its threshold \(overall\)\n +comment +No amount",
        text,
    )
