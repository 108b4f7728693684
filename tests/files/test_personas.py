from pathlib import Path

import pytest

from simulator.core.persona import Behaviour, Disclosure, Language, Persona, Politeness, Style
from simulator.files.personas import load_persona
from simulator.files.shelf import shipped
from simulator.files.sources import Source
from tests.files.written import PERSONA, complaints, write


def _load(folder: Path, text: str) -> Persona:
    write(folder, {"me.yaml": text})
    return load_persona(Source.of(folder / "me.yaml", folder), "ja")


def test_a_persona_has_the_language_of_its_folder(tmp_path: Path) -> None:
    text = PERSONA.format(id="me") + (
        "behaviours: [{does: thanks, violation: shouts}]\n"
        "phrases: {ask: ['And {need}?'], give_up: [Bye.], satisfied: []}\n"
    )
    assert Persona(
        id="me",
        language="ja",
        name="Someone",
        description="A person who asks",
        traits=("patient",),
        style=Style(20, Politeness.POLITE, Disclosure.ASKED, "sighs"),
        patience=2,
        behaviours=(Behaviour("thanks", "shouts"),),
        phrases={"ask": ("And {need}?",), "give_up": ("Bye.",)},
    ) == _load(tmp_path, text)


def test_the_id_is_the_name_of_the_file(tmp_path: Path) -> None:
    assert ['me.yaml:1: the id "you" is not the name of the file; write me'] == complaints(
        lambda: _load(tmp_path, PERSONA.format(id="you"))
    )


def test_a_slot_that_nothing_fills_is_complained_of(tmp_path: Path) -> None:
    text = PERSONA.format(id="me") + "phrases:\n  ask: ['{need}', '{qeury}']\n  tell: ['{need}']\n"
    text += "  give_up:\n    - '{query}'\n"
    assert [
        "me.yaml:8: nothing fills {qeury} in ask; there are: need",
        "me.yaml:9: nothing fills {need} in tell; there are: fact",
        "me.yaml:11: nothing fills {query} in give_up; there are: none",
    ] == complaints(lambda: _load(tmp_path, text))


def test_every_complaint_comes_at_once(tmp_path: Path) -> None:
    text = PERSONA.format(id="me").replace("polite,", "polight,").replace("[patient]", "[]")
    text = text.replace("patience: 2", "patience: 0\nphrase: {}")
    keys = "id, name, description, traits, style, patience, behaviours, phrases"
    assert [
        "me.yaml:4: traits: a list is too short; write one sentence for each trait",
        (
            'me.yaml:5: style.politeness: no "polight"; did you mean polite? '
            "there are: plain, polite, formal"
        ),
        "me.yaml:6: patience: 0 is too small; write how many unhelpful answers it bears, 1 or more",
        f'me.yaml:7: no key "phrase"; did you mean phrases? there are: {keys}',
    ] == complaints(lambda: _load(tmp_path, text))


@pytest.mark.parametrize(
    "path",
    sorted((shipped() / "personas").glob("*/*.yaml")),
    ids=lambda p: f"{p.parent.name}-{p.stem}",
)
def test_every_shipped_persona_is_right(path: Path) -> None:
    language: Language = "ja" if path.parent.name == "ja" else "en"
    assert path.stem == load_persona(Source.of(path), language).id
