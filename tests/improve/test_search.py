"""Faults of the small set are mended from one corrected answer, and shams are refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from benchmarks.improve.blind import (
    Planted,
    Row,
    faults_in,
    main,
    play,
    prove_diffs,
    repair,
    request_of,
    try_sham,
)
from simulator.api import load
from simulator.formats.own_files import unified
from simulator.improve.decision import Proven, Veto
from simulator.improve.diffs import guideline_files, read_diffs
from simulator.improve.pairs import Right
from simulator.improve.search import Lack, Outcome, SearchRequest, _Search, search, together
from tests.improve.small_set import write

FEW = ("calm", "hurried", "typos")
KINDS = (
    "wrong-figure",
    "missing-entry",
    "contradicting-twin",
    "title-not-found",
    "fact-in-wrong-entry",
    "over-broad-guideline",
    "missing-guideline",
    "code-fault",
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("small"))


def planted(small: Path, language: str, kind: str) -> Planted:
    (found,) = (f for f in faults_in(small, kind) if f.business.name == language)
    return found


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_is_mended_from_one_corrected_answer(small: Path, language: str, kind: str) -> None:
    row = Row()
    end = repair(planted(small, language, kind), FEW, row, verbose=False)
    assert end.startswith("code" if kind == "code-fault" else "repaired"), end
    assert row.newly_wrong <= 1


@pytest.mark.slow
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("kind", ["01-wrong-figure", "04-contra", "05-title", "07-over", "09-code"])
def test_a_bot_that_shortens_and_reorders_is_mended(
    tmp_path_factory: pytest.TempPathFactory, language: str, kind: str
) -> None:
    folder = write(tmp_path_factory.mktemp("other"), (language,), "other_set")
    row = Row()
    end = repair(planted(folder, language, kind), FEW, row, verbose=False)
    assert end.startswith("code" if "code" in kind else "repaired"), end
    assert not row.newly_wrong


@pytest.mark.slow
def test_no_sham_and_no_mixture_is_accepted(small: Path, tmp_path: Path) -> None:
    diffs = sorted([*small.glob("*/shams/*.diff"), *small.glob("*/mixtures/*.diff")])
    ends = {}
    for path in diffs:
        place = tmp_path / path.stem / path.parent.parent.name
        place.mkdir(parents=True)
        name = path.read_text("utf-8").splitlines()[0].partition(":")[2].strip()
        fault = next(f for f in faults_in(small, name) if f.business == path.parent.parent)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(place)
            ends[path.name] = try_sham(path, fault, FEW, verbose=False)
    assert {"refused"} == set(ends.values()), ends


def test_a_wrong_figure_is_mended_and_what_was_tried_is_told(small: Path) -> None:
    """And a change that may be chance among several is not called accepted."""
    fault = planted(small, "en", "wrong-figure")
    work = request_of(fault, fault.client(Path.cwd()), FEW)
    searched = search(work, play)
    (fix,) = searched.fixes
    assert fix.is_accepted
    assert fix.diff is not None
    assert '+b01,Basic service,"A basic service costs £45' in fix.diff.text.replace("'", '"')
    assert [Outcome.ACCEPTED] == [tried.outcome for tried in fix.tried]
    first = fix.examples[0]
    assert ("How much is a basic service?", True) == (first.question, first.better)
    assert "£55" in first.before
    assert "£45" in first.after
    assert not fix.pairs
    assert searched.paid.whole
    assert search(work, play).fixes[0].proof == fix.proof  # what was played is taken up
    assert fix.proof is not None
    gain = replace(fix.proof.decision.gain, p=0.03)
    proof = replace(fix.proof, decision=replace(fix.proof.decision, gain=gain))
    several = _Search(work, play).among(replace(fix, proof=proof), [proof])
    (tried,) = several.tried
    assert (Outcome.UNPROVED, False) == (tried.outcome, several.is_accepted)
    assert "too few questions support it" == tried.reason


def test_what_a_person_chose_of_a_pair_decides_and_is_not_asked_again(small: Path) -> None:
    fault = planted(small, "en", "wrong-figure")
    folder = fault.client(Path.cwd())
    work = request_of(fault, folder, FEW)
    old = (folder / "faq.csv").read_text("utf-8")
    more = "gears and tyres. Shampoo, wax and polish are applied by our gardener Oliver."
    new = old.replace("£55", "£45").replace("gears and tyres.", more)
    path = folder / "more.diff"
    path.write_text(unified("faq.csv", old, new), "utf-8")
    diffs = read_diffs(path)
    path.unlink()
    (open_fix,) = prove_diffs(work, diffs).fixes
    assert open_fix.pairs
    assert not open_fix.is_accepted
    for right, proven in ((Right.AFTER, Proven.ACCEPTED), (Right.BEFORE, Proven.REJECTED)):
        chosen = {pair.key: right for pair in open_fix.pairs}
        (fix,) = prove_diffs(replace(work, chosen=chosen), diffs).fixes
        assert fix.proof is not None
        assert (proven, ()) == (fix.proof.decision.proven, fix.pairs)


def test_a_diff_that_makes_another_answer_wrong_is_rejected(small: Path) -> None:
    fault = planted(small, "en", "wrong-figure")
    folder = fault.client(Path.cwd())
    work = request_of(fault, folder, FEW[:1])
    old = (folder / "faq.csv").read_text("utf-8")
    path = folder / "sham.diff"
    path.write_text(unified("faq.csv", old, old.replace("£110", "£100")), "utf-8")
    diffs = read_diffs(path)
    path.unlink()
    (fix,) = prove_diffs(work, diffs).fixes
    assert fix.proof is not None
    decision = fix.proof.decision
    assert (Proven.REJECTED, (Veto.BREAKS,)) == (decision.proven, decision.vetoes)


def test_without_a_persons_word_nothing_is_tried(small: Path) -> None:
    fault = planted(small, "en", "missing-entry")
    work = request_of(fault, fault.client(Path.cwd()), FEW[:1])
    bare = SearchRequest(work.run, work.faults, work.loaded, {}, store_url=work.store_url)
    searched = search(bare, play)
    assert all(fix.diff is None and not fix.tried for fix in searched.fixes)
    assert 0 == searched.paid.calls.total()


def test_a_bot_that_reads_no_guidelines_needs_an_engineer_who_adds_them(small: Path) -> None:
    fault = planted(small, "en", "missing-guideline")
    folder = fault.client(Path.cwd())
    work = request_of(fault, folder, FEW[:1])
    for path in guideline_files(work.loaded.client):
        path.unlink()
    (fix,) = search(replace(work, loaded=load(folder)), play).fixes
    assert (Lack.GUIDELINES, None) == (fix.lack, fix.diff)


def test_a_fix_names_only_what_it_makes_right(small: Path) -> None:
    fault = planted(small, "en", "wrong-figure")
    work = request_of(fault, fault.client(Path.cwd()), FEW[:1])
    (known,) = work.faults
    other = replace(known.failures[0], key="other/calm/1", scenario="other", asked="Do you paint?")
    both = replace(known, failures=(*known.failures, other))
    mended, left = search(replace(work, faults=[both]), play).fixes
    assert mended.fault is not None
    assert mended.diff is not None
    assert known.failures == mended.fault.failures
    assert tuple(f.key for f in known.failures) == mended.diff.listed("conversations")
    assert (Lack.ANSWER, (other,)) == (left.lack, left.fault and left.fault.failures)


def test_an_amount_that_nobody_called_wrong_is_not_taken_out(small: Path) -> None:
    fault = planted(small, "en", "wrong-figure")
    folder = fault.client(Path.cwd())
    path = folder / "faq.csv"
    twice = path.read_text("utf-8").replace("costs £55 and", "costs £55, or £60 on Saturdays, and")
    path.write_text(twice, "utf-8")
    work = request_of(fault, folder, FEW)
    both = twice.replace("£55", "£45").replace("£60", "£45")
    (folder / "both.diff").write_text(unified("faq.csv", twice, both), "utf-8")
    diffs = read_diffs(folder / "both.diff")
    (folder / "both.diff").unlink()
    (fix,) = prove_diffs(work, diffs).fixes
    assert not fix.is_accepted
    assert any("amounts" in pair.why for pair in fix.pairs), fix.pairs


def test_an_expected_answer_that_refuses_is_to_be_kept(small: Path) -> None:
    fault = planted(small, "en", "over-broad-guideline")
    folder = fault.client(Path.cwd())
    path = folder / "scenarios.yaml"
    scenarios = json.loads(path.read_text("utf-8"))
    (injury,) = (each for each in scenarios if each["id"] == "s-injury")
    injury["expected"] = {"answer": "I am sorry, that is something I cannot help with."}
    path.write_text(json.dumps(scenarios), "utf-8")
    work = request_of(fault, folder, FEW[:1])
    old = (folder / "guidelines.md").read_text("utf-8")
    without = old.replace(
        "* Never discuss accidents, injuries, liability or cancel requests.\n", ""
    )
    path = folder / "all.diff"
    path.write_text(unified("guidelines.md", old, without), "utf-8")
    diffs = read_diffs(path)
    path.unlink()
    (fix,) = prove_diffs(work, diffs).fixes
    assert fix.proof is not None
    broken = [cell.scenario for cell in fix.proof.newly_failing]
    assert [text for text in broken if "Who pays for injuries" in text], broken


def test_an_entry_more_is_no_fix_while_another_one_says_otherwise(small: Path) -> None:
    fault = planted(small, "en", "wrong-figure")
    folder = fault.client(Path.cwd())
    work = request_of(fault, folder, FEW[:1])
    path = folder / "more.diff"
    old = (folder / "faq.csv").read_text("utf-8")
    title = work.faults[0].failures[0].asked
    new = f'{old}b99,{title},"A basic service costs £45, whatever the bicycle."\n'
    path.write_text(unified("faq.csv", old, new), "utf-8")
    diffs = read_diffs(path)
    path.unlink()
    (fix,) = prove_diffs(work, diffs).fixes
    assert not fix.is_accepted


@pytest.mark.parametrize(
    "expected",
    [{"documents": ["b77"]}, {"answer": "A wheel service costs £55.", "documents": ["b77"]}],
)
def test_another_entry_with_the_same_figure_that_must_pass_stays_as_it_is(
    small: Path, expected: dict[str, object]
) -> None:
    fault = planted(small, "en", "wrong-figure")
    folder = fault.client(Path.cwd())
    with (folder / "faq.csv").open("a", encoding="utf-8") as faq:
        faq.write('b77,Wheel service,"A wheel service costs £55."\n')
    wheel = {"id": "s-wheel", "query": "How much is a wheel service?", "expected": expected}
    path = folder / "scenarios.yaml"
    scenarios = [*yaml.safe_load(path.read_text("utf-8")), wheel]
    path.write_text(yaml.safe_dump(scenarios, allow_unicode=True), "utf-8")
    path = folder / "client.yaml"
    client = {**yaml.safe_load(path.read_text("utf-8")), "gate": {"must_pass": ["s-wheel"]}}
    path.write_text(yaml.safe_dump(client, allow_unicode=True), "utf-8")
    work = request_of(fault, folder, FEW[:1])
    (fix,) = search(work, play).fixes
    assert fix.is_accepted
    assert fix.diff is not None
    assert "-b77" not in fix.diff.text
    old = (folder / "faq.csv").read_text("utf-8")
    path = folder / "both.diff"
    path.write_text(unified("faq.csv", old, old.replace("£55", "£45")), "utf-8")
    diffs = read_diffs(path)
    path.unlink()
    (both,) = prove_diffs(work, diffs).fixes
    assert both.proof is not None
    if "answer" in expected:
        assert (Veto.MUST_PASS,) == both.proof.decision.vetoes


def test_a_second_change_that_makes_nothing_right_is_no_fix(small: Path) -> None:
    fault = planted(small, "en", "wrong-figure")
    work = request_of(fault, fault.client(Path.cwd()), FEW[:1])
    (known,) = work.faults
    first = known.failures[0]
    other = replace(first, key=f"{first.scenario}/rude/1", asked="Do you paint frames?")
    both = replace(known, failures=(*known.failures, other))
    mended, left = search(replace(work, faults=[both]), play).fixes
    assert mended.is_accepted
    assert (False, Lack.CHANGE, None) == (left.is_accepted, left.lack, left.diff)
    assert left.fault is not None
    assert (other,) == left.fault.failures


def test_entries_that_are_added_for_two_faults_have_ids_of_their_own(small: Path) -> None:
    fault = planted(small, "en", "missing-entry")
    folder = fault.client(Path.cwd())
    work = request_of(fault, folder, FEW)
    (known,) = work.faults
    first = known.failures[0]
    asked, right = "Where can I park my car?", "You can park your car behind the station."
    failure = replace(
        first, key="s-rack/calm/1", scenario="s-rack", asked=asked, answered="Sorry, I do not know."
    )
    rack = replace(known, entry="s-rack", title=asked, failures=(failure,))
    (written,) = work.written.values()
    more = {**work.written, "s-rack": replace(written, asked=asked, text=right)}
    fixes = search(replace(work, faults=[known, rack], written=more), play).fixes
    assert [True, True] == [fix.is_accepted for fix in fixes]
    diffs = [fix.diff for fix in fixes if fix.diff]
    assert (diffs, []) == together(diffs, folder)


def test_no_faults_are_nothing_to_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(tmp_path)])
    assert "newly wrong: 0 of 0" in capsys.readouterr().out
