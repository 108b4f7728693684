"""What people said beside what metrics said: each answer once, with the turns it stands for."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.plan import Cell
from simulator.core.talk import Stop, StopReason
from simulator.core.verdict import Audit, Word
from simulator.execution.snapshot import Instrument
from simulator.files.catalog import shipped
from simulator.review.verdict_labels import Exclusion, Label, choose_runs, labels_of
from simulator.store.store import Store
from simulator.view.stored_run import audited
from tests.execution.clients import client
from tests.review.labelled import JUDGED, LEXICAL, OVERALL, kept, run_of, said, talk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as opened:
        yield opened


def places(labels: list[Label]) -> list[tuple[str, str, int, str]]:
    return [(x.run, x.scenario, x.turn, x.word.value) for x in labels]


async def test_a_label_is_a_turn_with_what_people_and_the_metric_said(store: Store) -> None:
    other = said("a", 2, "OK", reviewer="佐藤", at="2026-11-21T07:00:00+00:00")
    given = [said("a", 1, "NG"), said("a", 2, "OK"), other]
    run = await kept(store, run_of("run1"), [talk("a", [0.2, 0.8]), talk("b", [0.9])], given)
    first, second = labels_of(store, [run])
    assert Word.NG is first.word
    assert ("run1", "a/calm/1", "a", "calm") == (
        first.run,
        first.episode,
        first.scenario,
        first.persona,
    )
    assert {("田中", ""): Word.OK, ("佐藤", ""): Word.OK} == second.words
    assert 0.8 == second.outcomes["lexical"].value  # type: ignore[union-attr]


async def test_people_who_differ_are_unsure_and_the_last_word_counts(store: Store) -> None:
    later = {"at": "2026-11-22T06:00:00+00:00"}
    given = [
        said("a", 1, "NG"),
        said("a", 1, "OK", reviewer="佐藤"),
        said("b", 1, "OK", **later),
        said("b", 1, "NG"),  # read afterwards, and said before
        said("c", 1, None, comment="?"),
    ]
    talks = [talk(name, [0.2]) for name in "abc"]
    run = await kept(store, run_of("run1"), talks, given)
    assert [("run1", "a", 1, "unsure"), ("run1", "b", 1, "OK")] == places(
        list(labels_of(store, [run]))
    )


async def test_an_audited_turn_stands_for_those_that_were_not_drawn(store: Store) -> None:
    audit = Audit(0.3, 42)
    talks = [talk(f"s{n}", [0.2, 0.8]) for n in range(20)]
    drawn = [t for t in talks if audit.draws(t.cell.key, 2)]
    undrawn = next(t for t in talks if t not in drawn)
    assert 3 <= len(drawn) < 20
    given = [said(t.cell.scenario, 1, "NG") for t in talks[:5]]
    given += [said(t.cell.scenario, 2, "OK") for t in drawn[:2]]
    given.append(said(undrawn.cell.scenario, 2, "NG"))
    run = await kept(store, run_of("run1", audit=audit), talks, given)
    labels = list(labels_of(store, [run]))
    weights = {(x.turn == 1, x.word): x.weight for x in labels}
    assert {
        (True, Word.NG): 20 / 5,  # of 20 flagged ones five have a word
        (False, Word.OK): pytest.approx(len(drawn) / 2 / 0.3),
        (False, Word.NG): None,  # nobody drew it
    } == weights
    assert {True} == {x.represents for x in labels}


@pytest.mark.parametrize(
    ("audit", "words", "represents"),
    [
        (Audit(0.0, 42), ["NG", None], False),
        (Audit(1.0, 42), ["NG", None], False),  # shown, and nobody said a word
        (Audit(1.0, 42), [None, "OK"], False),
        (Audit(1.0, 42), ["NG", "OK"], True),
    ],
)
async def test_flagged_turns_alone_do_not_speak_for_the_others(
    store: Store, audit: Audit, words: list[str | None], represents: bool
) -> None:
    given = [said("a", n, word) for n, word in enumerate(words, 1)]
    run = await kept(store, run_of("run1", audit=audit), [talk("a", [0.2, 0.8])], given)
    assert {represents} == {x.represents for x in labels_of(store, [run])}


async def test_where_every_turn_is_flagged_no_audit_is_needed(store: Store) -> None:
    run = run_of("run1", audit=Audit(0.0, 42))
    await kept(store, run, [talk("a", [0.2])], [said("a", 1, "NG")])
    assert [True] == [x.represents for x in labels_of(store, [run])]


async def test_a_run_whose_sample_is_open_leaves_the_others_to_speak_for_all(store: Store) -> None:
    talks = [talk("a", [0.2]), talk("b", [0.8])]
    given = [said("a", 1, "NG"), said("b", 1, "OK")]
    first = await kept(store, run_of("run1"), talks, given)
    second = await kept(store, run_of("run2"), [*talks, talk("c", [0.8])])
    second = audited(store, second)  # c is drawn, and nobody judged it yet
    store.finish(second, {})
    store.add_verdicts("run2", [said("a", 1, "NG", reviewer="佐藤")])
    labels = list(labels_of(store, [first, second]))
    assert [("run1", True), ("run1", True)] == [(x.run, x.represents) for x in labels]


async def test_what_an_invalid_user_was_answered_says_nothing(store: Store) -> None:
    broken = replace(talk("a", [0.2]), stop=Stop(StopReason.USER_INVALID))
    run = await kept(store, run_of("run1"), [broken], [said("a", 1, "NG")])
    assert [] == list(labels_of(store, [run]))


async def test_verdicts_hold_for_what_judged_the_talks_again_and_count_once(store: Store) -> None:
    first = await kept(store, run_of("run1"), [talk("a", [0.2])], [said("a", 1, "NG")])
    again = run_of("run2", kind="rejudge", of="run1", audit=Audit(0.0, 42))
    # A rejudge holds copies of what had been said by then.
    await kept(store, again, [talk("a", [0.7])], [said("a", 1, "NG")])
    store.add_verdicts("run1", [said("a", 1, "OK", at="2026-11-25T06:00:00+00:00")])
    (label,) = labels_of(store, [first, again])
    assert ("run2", Word.OK, 1.0) == (label.run, label.word, label.weight)
    (label,) = labels_of(store, [first])
    assert ("run1", Word.OK) == (label.run, label.word)


def rows_of(run: str, sha: str, **changes: Any) -> Any:
    return run_of(
        run,
        kind="score",
        of="answers.csv",
        options={"file": "/w/answers.csv"},
        snapshot={"file.sha": sha},
        audit=Audit(0.0, 42),
        **changes,
    )


async def test_rows_of_a_file_stand_for_all_its_rows(store: Store) -> None:
    talks = [talk(f"row-{n}", [n / 10]) for n in range(10)]
    given = [said(f"row-{n}", 1, "OK", source="answers.csv") for n in range(5)]
    given.append(said("row-9", 1, "NG", source="review.xlsx"))  # from a sheet of flagged ones
    run = await kept(store, rows_of("run1", "f1"), talks, given)
    labels = list(labels_of(store, [run]))
    assert [2.0] * 5 + [None] == [x.weight for x in labels]
    assert {True} == {x.represents for x in labels}


async def test_a_file_that_was_scored_again_counts_once(store: Store) -> None:
    talks = [talk(f"row-{n}", [0.5]) for n in range(3)]
    given = [said(f"row-{n}", 1, "OK", source="answers.csv") for n in range(3)]
    same = [rows_of("run1", "f1"), rows_of("run2", "f1")]
    longer = rows_of("run3", "f2")
    for run in same:
        await kept(store, run, talks[:2], given[:2])
    await kept(store, longer, talks, given)
    labels = list(labels_of(store, [*same, longer]))
    assert [("run3", f"row-{n}", 1, "OK") for n in range(3)] == places(labels)


# Which runs


def judged(run: str, judge: str = "gpt-4.1", rubric: str = "", **changes: Any) -> Any:
    snapshot = {"client.judge.chat.model": judge, "rubrics.answer_quality": rubric}
    return run_of(run, metrics=(OVERALL, LEXICAL), score_by="overall", snapshot=snapshot, **changes)


def acme(cwd: Path, lines: str = "") -> Any:
    found = client(cwd, lines)
    sha = found.catalog.rubric("ja", "answer_quality").sha
    return found, sha


async def test_scores_of_another_judge_or_rubric_are_left_out(store: Store, tmp_path: Path) -> None:
    loaded, sha = acme(tmp_path)
    for run in (
        judged("run1", "gpt-4o", sha),
        judged("run2", rubric="0ld"),
        judged("run3", rubric=sha),
    ):
        named = replace(run, client=loaded.client.name)
        await kept(store, named, [talk("a", [0.2], metric="overall")], [said("a", 1, "NG")])
    found = choose_runs(store, loaded)
    assert ("overall", Instrument("gpt-4.1", sha[:12])) == (found.name, found.instrument)
    assert ["run3"] == [run.id for run in found.used]
    assert [("run2", Exclusion.RUBRIC), ("run1", Exclusion.JUDGE)] == [
        (x.run, x.why) for x in found.left_out
    ]
    assert "gpt-4o" == found.left_out[1].instrument.judge


async def test_the_judge_that_the_files_name_now_is_the_one(store: Store, tmp_path: Path) -> None:
    loaded, sha = acme(tmp_path, 'judge: {model: gpt-4o, base_url: "http://a/v1"}\n')
    for run in (judged("run1", "gpt-4o", sha), judged("run2", rubric=sha)):
        named = replace(run, client=loaded.client.name)
        await kept(store, named, [talk("a", [0.2], metric="overall")], [said("a", 1, "NG")])
    assert ["run1"] == [run.id for run in choose_runs(store, loaded).used]


async def test_another_client_of_the_same_name_is_not_this_one(
    store: Store, tmp_path: Path
) -> None:
    loaded, _ = acme(tmp_path)
    other = tmp_path / "other" / "acme"
    other.mkdir(parents=True)
    folders = {
        "run1": other,
        "run2": tmp_path / "moved" / "acme",  # it is gone
        "run3": shipped() / "demo",  # copied, as one is told to
        "run4": Path(loaded.client.folder),
    }
    for run, folder in folders.items():
        head = run_of(run, client=loaded.client.name, folder=str(folder))
        await kept(store, head, [talk(run, [0.2])], [said(run, 1, "NG")])
    found = choose_runs(store, loaded, "lexical")
    assert ["run4", "run3", "run2"] == [run.id for run in found.used]
    assert [("run1", Exclusion.CLIENT, str(other))] == [
        (x.run, x.why, x.folder) for x in found.left_out
    ]
    assert ["run2", "run3", "run4"] == sorted(x.run for x in labels_of(store, found.used))


async def test_computed_metrics_have_no_judge_to_differ_by(store: Store, tmp_path: Path) -> None:
    loaded, sha = acme(tmp_path)
    for run in (judged("run1", "gpt-4o", sha), judged("run2", rubric="0ld")):
        named = replace(run, client=loaded.client.name)
        await kept(store, named, [talk("a", [0.2])], [said("a", 1, "NG")])
    found = choose_runs(store, loaded, "lexical")
    assert (["run2", "run1"], ()) == ([run.id for run in found.used], found.left_out)


async def test_a_rejudge_with_the_right_judge_takes_the_place_of_its_run(
    store: Store, tmp_path: Path
) -> None:
    loaded, sha = acme(tmp_path)
    name = loaded.client.name
    first = judged("run1", "gpt-4o", sha, client=name)
    await kept(store, first, [talk("a", [0.2], metric="overall")], [said("a", 1, "NG")])
    again = judged("run2", rubric=sha, client=name, kind="rejudge", of="run1")
    await kept(store, again, [talk("a", [0.9], metric="overall")])
    found = choose_runs(store, loaded)
    assert (["run2"], ()) == ([run.id for run in found.used], found.left_out)
    assert [("run2", "a", 1, "NG")] == places(list(labels_of(store, found.used)))


async def test_the_metric_is_what_the_reviewed_runs_were_scored_by(
    store: Store, tmp_path: Path
) -> None:
    loaded, _ = acme(tmp_path)
    assert "overall" == choose_runs(store, loaded).name
    run = run_of("run1", client=loaded.client.name, metrics=(LEXICAL,), snapshot=JUDGED)
    await kept(store, run, [talk("a", [0.2])], [said("a", 1, "NG")])
    assert "lexical" == choose_runs(store, loaded).name
    missing = choose_runs(store, loaded, "overall")
    assert (None, [("run1", Exclusion.METRIC)]) == (
        missing.metric,
        [(x.run, x.why) for x in missing.left_out],
    )


async def test_runs_without_a_word_and_of_other_clients_are_no_matter(
    store: Store, tmp_path: Path
) -> None:
    loaded, _ = acme(tmp_path)
    await kept(store, run_of("run1", client=loaded.client.name), [talk("a", [0.2])])
    await kept(store, run_of("run2", client="other"), [talk("a", [0.2])], [said("a", 1, "NG")])
    found = choose_runs(store, loaded)
    assert ((), ()) == (found.used, found.left_out)


async def test_equal_answers_are_one_label_that_stands_for_all_their_turns(store: Store) -> None:
    alike = [talk("a", [0.2], cell=Cell("a", persona, 1)) for persona in ("calm", "angry")]
    first = await kept(store, run_of("run1"), alike, [said("a", 1, "NG")])
    (label,) = labels_of(store, [first])
    assert ("run1", Word.NG, 2.0) == (label.run, label.word, label.weight)
    second = await kept(store, run_of("run2"), alike, [said("a", 1, "NG")])  # judged again
    (label,) = labels_of(store, [first, second])
    assert ("run2", Word.NG, 2.0) == (label.run, label.word, label.weight)


async def test_what_is_known_is_a_label_of_a_later_run(store: Store) -> None:
    await kept(store, run_of("run1"), [talk("a", [0.2])], [said("a", 1, "NG")])
    second = await kept(store, run_of("run2"), [talk("a", [0.9])])
    assert [("run2", "a", 1, "NG")] == places(list(labels_of(store, [second])))
