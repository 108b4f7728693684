from pathlib import Path

import pytest

from simulator.core.persona import (
    Behaviour,
    Disclosure,
    Language,
    Persona,
    Politeness,
    Slips,
    Style,
)
from simulator.files.catalog import shipped
from simulator.files.personas import load_persona
from simulator.formats.sources import Source
from tests.formats.written import PERSONA, complaints, write


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
        "me.yaml:8: nothing fills {qeury} in ask; choose from: need, keywords",
        "me.yaml:9: nothing fills {need} in tell; choose from: fact",
        "me.yaml:11: nothing fills {query} in give_up; there are none",
    ] == complaints(lambda: _load(tmp_path, text))


def test_a_wording_without_its_slot_or_with_two_is_complained_of(tmp_path: Path) -> None:
    text = PERSONA.format(id="me") + "phrases:\n  tell: ['{fact}.', 'Well.', '{fact} {fact}']\n"
    assert [
        'me.yaml:8: tell needs {fact}, but "Well." has none; add it',
        "me.yaml:8: {fact} is 2 times in one wording; write it once",
    ] == complaints(lambda: _load(tmp_path, text))


def test_slips_asides_and_doubts_are_read(tmp_path: Path) -> None:
    plain = _load(tmp_path, PERSONA.format(id="me"))
    assert (Slips.NONE, 0.0, 0) == (plain.style.slips, plain.style.asides, plain.doubts)
    text = PERSONA.format(id="me").replace("polite,", "polite, slips: speech, asides: 0.5,")
    text += "doubts: 2\nphrases:\n  aside: [Nice day.]\n  doubt: [Sure?]\n"
    found = _load(tmp_path, text)
    assert (Slips.SPEECH, 0.5, 2) == (found.style.slips, found.style.asides, found.doubts)
    assert {"aside": ("Nice day.",), "doubt": ("Sure?",)} == found.phrases


def test_who_strays_or_doubts_needs_words_for_it(tmp_path: Path) -> None:
    text = PERSONA.format(id="me").replace("polite,", "polite, asides: 0.5,") + "doubts: 1\n"
    assert [
        (
            "me.yaml:5: style.asides is 0.5, but phrases has no aside; "
            "add what it says off topic, or set asides: 0"
        ),
        (
            "me.yaml:7: doubts is 1, but phrases has no doubt; "
            "write how it questions an answer, or doubts: 0"
        ),
    ] == complaints(lambda: _load(tmp_path, text))


def test_wrong_slips_asides_and_doubts_are_complained_of(tmp_path: Path) -> None:
    text = PERSONA.format(id="me").replace("polite,", "polite, slips: tying, asides: 1.5,")
    assert [
        (
            "me.yaml:5: style.asides: 1.5 is too large; "
            "write the share of turns with something beside the matter, 0 to 1"
        ),
        (
            'me.yaml:5: style.slips: no "tying"; did you mean typing? choose from: none, typing, '
            "speech"
        ),
        (
            "me.yaml:7: doubts: -1 is too small; write "
            "how many settling answers it questions before one is taken, 0 or more"
        ),
    ] == complaints(lambda: _load(tmp_path, text + "doubts: -1\n"))


def test_every_complaint_comes_at_once(tmp_path: Path) -> None:
    text = PERSONA.format(id="me").replace("polite,", "polight,").replace("[patient]", "[]")
    text = text.replace("patience: 2", "patience: 0\nphrase: {}")
    keys = "id, name, description, traits, style, patience, doubts, behaviours, phrases"
    assert [
        "me.yaml:4: traits: a list is too short; write one sentence for each trait",
        (
            'me.yaml:5: style.politeness: no "polight"; did you mean polite? '
            "choose from: plain, polite, formal"
        ),
        "me.yaml:6: patience: 0 is too small; write how many unhelpful answers it bears, 1 or more",
        f'me.yaml:7: unknown key "phrase"; did you mean phrases? choose from: {keys}',
    ] == complaints(lambda: _load(tmp_path, text))


@pytest.mark.parametrize(
    "path",
    sorted((shipped() / "personas").glob("*/*.yaml")),
    ids=lambda p: f"{p.parent.name}-{p.stem}",
)
def test_every_shipped_persona_is_right(path: Path) -> None:
    language: Language = "ja" if path.parent.name == "ja" else "en"
    assert path.stem == load_persona(Source.of(path), language).id
