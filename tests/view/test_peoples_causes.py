"""Causes that people name win over those that were worked out, in every list."""

from dataclasses import replace
from pathlib import Path

from simulator.core.claim import Reader, Reading, State, claims_of
from simulator.core.run import Run
from simulator.core.scenario import Expected, Scenario
from simulator.core.verdict import Verdict, Word
from simulator.store.store import Store
from simulator.view.faults import Remedy, faults_of
from simulator.view.results import with_causes
from simulator.view.run_view import view_of
from simulator.view.stored_run import stored_run
from simulator.words import Words
from tests.compare.stored import keep, talk
from tests.execution.scored import rated
from tests.reports.test_html import data_of, written

STYLE = "tone or wording"
OWN = "the price list is out of date"


def judged(folder: Path, *causes: str, blamed: tuple[str, ...] = ()) -> Run:
    """A run in which everything scores well; people call a conversation NG for each cause."""
    with Store.create(f"sqlite:///{folder / 'mogi.db'}") as store:
        made = [talk(f"s{n}", rated(5), assistant=f"no {n}") for n in range(len(causes) + 2)]
        kept = [replace(e, turns=(replace(e.turns[0], blames=blamed),)) for e in made]
        header = keep(store, "aaaa1111", kept)
        given = [
            Verdict(f"s{n}/calm/1", 1, Word.NG, "kei", error_type=cause)
            for n, cause in enumerate(causes)
        ]
        store.add_verdicts("aaaa1111", given)
        return stored_run(store, header)


def causes_of(run: Run) -> list[tuple[str, str, int]]:
    groups = run.summary.fault_groups
    assert groups[:3] == view_of(run, Words("en", "report")).fix_first
    return [(group.blame, group.entry, group.conversations) for group in groups]


def test_causes_of_answers_that_nothing_else_found_weak_are_fixed_first(tmp_path: Path) -> None:
    run = judged(tmp_path, "Not retrieved", STYLE, STYLE, OWN, "")
    assert [
        ("retrieval_miss", "s0", 1),
        ("style", "s1", 1),
        ("style", "s2", 1),
        (OWN, "s3", 1),
        ("undetermined", "", 1),
    ] == causes_of(run)
    assert {"retrieval_miss": 1, "style": 2, OWN: 1} == dict(run.summary.blames)


def test_what_nobody_can_tell_is_one_line_with_its_count_and_the_last(tmp_path: Path) -> None:
    run = judged(tmp_path, "", "", "cannot be told", STYLE)
    assert [("style", "s3", 1), ("undetermined", "", 3)] == causes_of(run)
    assert ["style", *["undetermined"] * 3] == [fault.blame for fault in faults_of(run)]


def test_people_win_over_what_was_worked_out_unless_they_cannot_tell(tmp_path: Path) -> None:
    run = judged(tmp_path, STYLE, "cannot be told", "", blamed=("unsupported", "unused"))
    assert [("unsupported", 2), ("style", 1)] == [
        (blame, sum(n for b, _, n in causes_of(run) if b == blame))
        for blame in ("unsupported", "style")
    ]
    blames = [episode.turns[0].blames for episode in run.episodes()]
    assert [("style",), ("unsupported", "unused"), ("unsupported", "unused")] == blames[:3]
    # what mogi itself blames is kept beside people's words, for the table of both
    assert run.summary.verdicts is not None
    assert run.summary.verdicts.faults is not None
    assert ("style", "unsupported") in run.summary.verdicts.faults.counts


def test_who_agrees_with_what_words_read_changes_neither_cause_nor_remedy(tmp_path: Path) -> None:
    says = Expected(answers=("A towel costs 250 yen.",), documents=("p05",))
    (claim, *_) = claims_of(says)
    contradicted = Reading(claim.id, State.VIOLATED, Reader.WORDS, "350", "250")
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        made = [talk(name, rated(1), assistant="350") for name in ("s1", "s2")]
        kept = [
            replace(
                e,
                turns=(replace(e.turns[0], readings=(contradicted,), blames=("unused",)),),
                scenario=Scenario(e.cell.scenario, "How much is a towel?", expected=says),
            )
            for e in made
        ]
        references = {"p05": ("Towels", "A towel costs 350 yen.")}
        header = keep(store, "aaaa1111", kept, references=references)
        store.add_verdicts("aaaa1111", [Verdict("s1/calm/1", 1, Word.NG, "kei")])
        (fault,) = faults_of(stored_run(store, header))
    assert (Remedy.CORRECT, 2) == (fault.remedy, len(fault.failures))


def test_every_list_says_what_people_say(tmp_path: Path) -> None:
    run = judged(tmp_path, STYLE, OWN)
    assert [("style", Remedy.GUIDELINE), (OWN, Remedy.PEOPLE)] == [
        (fault.blame, fault.remedy) for fault in faults_of(run)
    ]
    page = data_of(written(run, tmp_path))
    assert [["style", "s0"], [OWN, "s1"]] == [talk["group"][:2] for talk in page["talks"][:2]]
    assert [["style"], [OWN]] == [talk["turns"][0]["blames"] for talk in page["talks"][:2]]


def test_a_cause_named_by_most_people_comes_first_and_one_taken_back_is_gone(
    tmp_path: Path,
) -> None:
    said = {"kei": STYLE, "jun": OWN, "rin": OWN}
    given = [Verdict("s0/calm/1", 1, Word.NG, who, error_type=text) for who, text in said.items()]
    made = talk("s0", rated(5))
    assert (OWN, "style") == with_causes(made, given).turns[0].blames
    back = Verdict("s0/calm/1", 1, Word.OK, "kei")
    assert (OWN,) == with_causes(made, [*given, back]).turns[0].blames
