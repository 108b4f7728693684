"""The list of a run's conversations: which are taken, in which order, and that it fits."""

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from simulator.cli.screens.episode import Wanted, show_talks
from simulator.core.errors import InputError
from simulator.core.outcome import Score
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Run, Turn
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply
from tests.execution.scored import GAP, episode, header, rated, run, turn
from tests.expecting import expecting
from tests.reports.printed import FINE, WEAK
from tests.results.made import MODEL, UNKNOWN, VIOLATED, answer, readings, talk

LOST = turn(
    rated(1, "Wrong."), exchange=Exchange(1, "How much?", Reply("Nothing.")), blames=("unused",)
)


def tagged(talk: Episode, tag: str) -> Episode:
    return replace(talk, scenario=Scenario(talk.cell.scenario, "q", tags=(tag,)))


def passed(*turns: Turn) -> Run:
    talk = run(header(), episode(*turns, scenario="fine"))
    found = [replace(e, finding=Finding(Result.PASSED, Why.SAID, 1)) for e in talk.episodes()]
    return replace(talk, episodes=lambda: iter(found))


def mixed() -> Run:
    return run(
        header(),
        episode(FINE, scenario="fine"),
        tagged(episode(FINE, LOST, scenario="bill"), "money"),
        episode(turn(GAP), scenario="gap", persona="angry"),
        episode(WEAK, scenario="fine", persona="angry"),
    )


def listed(
    capsys: pytest.CaptureFixture[str], made: Run, wanted: Wanted, *, every: bool = False
) -> str:
    show_talks(made, wanted, every=every)
    return capsys.readouterr().out


def names(text: str) -> list[str]:
    return re.findall(r"^(\S+/\S+) ", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(), ["bill/calm", "fine/angry", "gap/angry", "fine/calm"]),
        (Wanted(failed=True), ["bill/calm", "fine/angry"]),
        (Wanted(undecided=True), ["gap/angry"]),
        (Wanted(failed=True, undecided=True), ["bill/calm", "fine/angry", "gap/angry"]),
        (Wanted(persona="angry"), ["fine/angry", "gap/angry"]),
        (Wanted(scenario="fine"), ["fine/angry", "fine/calm"]),
        (Wanted(scenario="fine", failed=True), ["fine/angry"]),
        (Wanted(tag="money"), ["bill/calm"]),
        (Wanted(blame="unused"), ["bill/calm"]),
        (Wanted(blame="Retrieved but not used"), ["bill/calm"]),
        (Wanted(words="NOTHING"), ["bill/calm"]),
        (Wanted(words="no such words"), []),
    ],
)
def test_those_are_listed_of_which_all_is_true_failed_ones_first(
    capsys: pytest.CaptureFixture[str], wanted: Wanted, found: list[str]
) -> None:
    text = listed(capsys, mixed(), wanted)
    assert found == names(text)
    assert text.startswith(f"{len(found)} of 4 conversations\n")


def test_of_one_that_passed_the_sentence_is_read_for_which_it_has_the_blame(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bare = Score(0.5, 0.5, "", {"borne_out": 0.5}, ("We also sell maps.",))
    said = Exchange(1, "How much?", Reply("It is free. We also sell maps."))
    beside = turn(bare, exchange=said, flags=("grounded",), blames=("unsupported",))
    beside = replace(beside, outcomes={**beside.outcomes, "grounded": bare})
    text = listed(capsys, passed(beside), Wanted(blame="unsupported"))
    assert "We also sell maps." in text


def test_a_line_has_the_result_the_turn_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    text = listed(capsys, mixed(), Wanted())
    assert re.search(r"^bill/calm +failed +2  last score below its threshold: overa", text, re.M)
    assert re.search(r"^gap/angry +undecided +1  score missing: overall, judg", text, re.M)
    assert text.endswith("  mogi show 3f9ab2c1 bill/calm/1\n")


def test_of_an_undecided_one_it_is_told_what_is_to_be_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wanted = expecting(elements=("500 yen",))
    said = Exchange(1, "How much?", Reply("It is 5 euros. Our staff drive you home."))
    by_words = [replace(r, quote="It is 5 euros.") for r in readings(wanted, VIOLATED)]
    at_odds = answer(*by_words, *readings(wanted, reader=MODEL), exchange=said)
    unclear = answer(*readings(wanted, UNKNOWN), exchange=said)
    talks = [
        replace(talk(wanted, told), cell=Cell(name, "calm"))
        for name, told in (("a", unclear), ("b", at_odds))
    ]
    lines = listed(capsys, run(header(), *talks), Wanted(undecided=True)).splitlines()
    assert [2, 4] == [at for at, line in enumerate(lines) if re.match("[ab]/calm ", line)]
    assert "couldn't verify: 500 yen" in lines[2]
    assert "    bot: It is 5 euros. Our staff drive you home." == lines[3]
    assert "model and text matching disagree: 500 yen" in lines[4]
    assert "    bot: It is 5 euros." == lines[5]  # what words quote of it


def test_long_lists_say_how_to_see_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    made = run(header(language="ja"), *(episode(WEAK, scenario=f"s{n}") for n in range(50)))
    text = listed(capsys, made, Wanted(failed=True))
    assert (40, True) == (len(names(text)), "ほか 10 件（--all ですべて表示）" in text)
    assert 50 == len(names(listed(capsys, made, Wanted(failed=True), every=True)))


def test_those_answered_alike_are_a_line_with_their_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = turn(rated(1, "Wrong."), exchange=Exchange(1, "How?", Reply("Call us.")))
    talks = [episode(other, scenario="bill", persona="chatty")]
    talks += [episode(LOST, scenario="bill", persona=f"p{n}") for n in range(1_200)]
    talks += [episode(LOST, scenario="fee")]  # another thing is expected there
    made = run(header(), *talks)
    text = listed(capsys, made, Wanted(failed=True))
    assert text.startswith("1,202 of 1,202 conversations; identical answers share a line")
    assert ["bill/p0", "bill/chatty", "fee/calm"] == names(text)
    assert re.search(r"^bill/p0 +1,200  failed +1  ", text, re.M)
    assert 1_202 == len(names(listed(capsys, made, Wanted(failed=True), every=True)))


@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_it_fits_and_keeps_ids_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    long = episode(WEAK, scenario="解約したい（年払い）" * 5, persona="angry", repeat=2)
    text = listed(capsys, run(header(language="ja"), long), Wanted())
    name, command = f"{long.cell.scenario}/angry/2", text.splitlines()[-1]
    lines = [x for x in text.splitlines() if x not in (name, command)]
    assert [] == [x for x in lines if cell_len(x) > int(width)]
    assert len(lines) == len(text.splitlines()) - 2
    assert command == f"  mogi show 3f9ab2c1 '{name}'"


def test_what_the_run_does_not_have_is_complained_about() -> None:
    with pytest.raises(InputError, match=r"no persona 'angy'; did you mean"):
        show_talks(mixed(), Wanted(persona="angy"), every=False)
    with pytest.raises(InputError, match="no tag 'x'"):
        show_talks(mixed(), Wanted(tag="x"), every=False)
