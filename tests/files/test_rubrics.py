from pathlib import Path

import pytest

from simulator.core.health import Aspect, Ratings, Rubric
from simulator.files.catalog import computed_metrics, shipped
from simulator.files.rubrics import load_rubric
from simulator.formats.sources import Source, sha_of
from tests.formats.written import RUBRIC, complaints, write

TEXT = RUBRIC.format(id="own", aspect="manners")


def _load(folder: Path, text: str) -> Rubric:
    write(folder, {"own.yaml": text})
    return load_rubric(Source.of(folder / "own.yaml", folder))


def test_a_rubric_is_read_with_the_hash_of_its_text(tmp_path: Path) -> None:
    aspect = Aspect("manners", "Polite", "Is it polite?", Ratings(1, 5), {1: "rude", 5: "polite"})
    assert Rubric(
        id="own",
        title="Manners",
        sees=("question", "answer"),
        instruction="Look closely.",
        aspects=(aspect,),
        sha=sha_of(TEXT),
    ) == _load(tmp_path, TEXT)


def test_anchors_are_not_needed(tmp_path: Path) -> None:
    text = TEXT.replace("    anchors: {1: rude, 5: polite}\n", "")
    assert {} == _load(tmp_path, text).aspects[0].anchors


def test_every_wrong_aspect_is_complained_of(tmp_path: Path) -> None:
    aspect = TEXT.partition("aspects:\n")[2]
    text = TEXT.replace("id: own", "id: owm").replace("5: polite", "6: polite")
    text += aspect.replace("{low: 1, high: 5}", "{low: 5, high: 5}").replace("1: rude, ", "")
    assert [
        'own.yaml:1: the id "owm" is not the name of the file; write own',
        "own.yaml:10: anchors: 6 is not on the scale; write ratings from 1 to 5",
        'own.yaml:11: the aspect "manners" is already on line 6; give it another name',
        "own.yaml:14: aspects.scale: 5 is not below 5; write low, then high",
    ] == complaints(lambda: _load(tmp_path, text))


def test_wrong_shapes_are_complained_of(tmp_path: Path) -> None:
    text = TEXT.replace("answer]", "anser]").replace("name: manners", "name: Good Manners")
    sees = "persona, goal, talk, documents, question, answer, expected_answer, expected_elements"
    assert [
        f'own.yaml:3: an entry of sees: no "anser"; did you mean answer? choose from: {sees}',
        (
            'own.yaml:6: aspects.name: "Good Manners" is not valid; '
            "write small letters, digits and _, a letter first"
        ),
    ] == complaints(lambda: _load(tmp_path, text))


def test_an_entry_that_was_left_empty_is_complained_of(tmp_path: Path) -> None:
    text = TEXT.replace("sees: [question, answer]", "sees:\n- question\n-")
    sees = "persona or goal or talk or documents or question or answer or expected_answer"
    assert [
        f"own.yaml:5: an entry of sees is empty; write {sees} or expected_elements"
    ] == complaints(lambda: _load(tmp_path, text))


def test_a_rubric_has_to_ask_something(tmp_path: Path) -> None:
    text = TEXT.partition("aspects:")[0] + "aspects: []\n"
    assert [
        "own.yaml:5: aspects: a list is too short; write a list of at least one aspect"
    ] == complaints(lambda: _load(tmp_path, text))


@pytest.mark.parametrize(
    "path",
    sorted((shipped() / "prompts").glob("*/rubrics/*.yaml")),
    ids=lambda p: f"{p.parts[-3]} {p.stem}",
)
def test_every_shipped_rubric_is_right_and_takes_no_name_of_a_computed_metric(path: Path) -> None:
    assert path.stem == load_rubric(Source.of(path), computed_metrics()).id


@pytest.mark.parametrize("name", ["relevance", "groundedness", "similarity", "fluency"])
def test_both_languages_ask_the_same_with_five_anchors_and_two_examples(name: str) -> None:
    folder = shipped() / "prompts"
    ja, en = (
        load_rubric(Source.of(folder / language / "rubrics" / f"gpt_{name}.yaml"))
        for language in ("ja", "en")
    )
    for rubric in (ja, en):
        [aspect] = rubric.aspects
        assert (f"gpt_{name}", Ratings(1, 5)) == (aspect.name, aspect.scale)
        assert {1, 2, 3, 4, 5} == aspect.anchors.keys()
        assert 2 == len(rubric.examples)
    assert (ja.sees, ja.needs, bool(ja.may_not_apply)) == (
        en.sees, en.needs, bool(en.may_not_apply),
    )  # fmt: skip
    assert [e.said for e in ja.examples] == [e.said for e in en.examples]
