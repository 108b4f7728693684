"""`mogi personas`: the list, and one persona with the way it talks."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from simulator.core.persona import Language
from simulator.files.catalog import Catalog
from tests.e2e.conftest import Mogi
from tests.users.people import ROOT, shipped

LANGUAGES: tuple[Language, ...] = ("ja", "en")


def unwrapped(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("language", "name"), [(la, n) for la in LANGUAGES for n in Catalog(None, ROOT).persona_ids(la)]
)
def test_a_persona_is_shown_in_its_language_and_within_the_screen(
    mogi: Mogi, monkeypatch: pytest.MonkeyPatch, language: Language, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = mogi("personas", name, "--language", language)
    assert (0, "") == (done.status, done.err)
    assert max(cell_len(line) for line in done.out.splitlines()) <= 80
    persona = shipped(name, language)
    shown = unwrapped(done.out)
    for text in (
        persona.name,
        persona.description,
        *persona.traits,
        persona.style.dissatisfaction,
        *(text for b in persona.behaviours for text in (b.does, b.violation)),
        "分かりかねます" if language == "ja" else "I don't know that",
    ):
        assert unwrapped(text) in shown
    assert any(unwrapped(word) in shown for word in persona.phrases["give_up"])


def test_without_a_language_it_says_that_there_is_another(mogi: Mogi) -> None:
    out = mogi("personas", "angry").out
    assert "怒っている人  angry · ja" in out
    assert "mogi personas angry --language en" in out
    assert "--language" not in mogi("personas", "angry", "--language", "en").out


def test_a_name_that_is_not_known_is_told_the_nearest(mogi: Mogi) -> None:
    done = mogi("personas", "agry")
    assert 2 == done.status
    assert 'no persona "agry"; did you mean angry? choose from: angry, beginner' in done.err
    assert "" == done.out
    done = mogi("personas", "tired", "--language", "en")
    assert (2, True) == (done.status, 'no persona "tired" in en; choose from:' in done.err)


def test_a_persona_of_ones_own_is_shown_and_its_faults_are_complained_of(
    mogi: Mogi, tmp_path: Path
) -> None:
    folder = tmp_path / "personas" / "en"
    folder.mkdir(parents=True)
    text = (
        "id: terse\nname: Terse\ndescription: Says little\ntraits: [terse]\npatience: 1\n"
        "style: {length: 4, politeness: plain, disclosure: asked, dissatisfaction: sighs}\n"
    )
    (folder / "terse.yaml").write_text(text)
    done = mogi("personas", "terse")
    assert (0, True) == (done.status, "Terse  terse · en" in done.out)
    (folder / "terse.yaml").write_text(text + "doubts: 1\n")
    done = mogi("personas", "terse")
    assert 2 == done.status
    assert "personas/en/terse.yaml:7: doubts is 1, but phrases has no doubt" in done.err


def test_a_clients_own_persona_is_found_beside_those_it_can_name(
    mogi: Mogi, tmp_path: Path
) -> None:
    folder = tmp_path / "scenarios" / "shop"
    mogi("init", "shop", "--language", "en")
    (folder / "personas").mkdir()
    (folder / "personas" / "terse.yaml").write_text(
        "id: terse\nname: Terse\ndescription: Says little\ntraits: [terse]\npatience: 1\n"
        "style: {length: 4, politeness: plain, disclosure: asked, dissatisfaction: sighs}\n"
    )
    done = mogi("personas", "terse", "--client", "shop")
    assert (0, True) == (done.status, "Terse  terse · en" in done.out)
    listed = mogi("personas", "--client", "shop").out
    assert "terse " in listed
    assert " ja " not in listed
    assert 2 == mogi("personas", "terse").status
    other = mogi("personas", "--client", "shop", "--language", "ja")
    assert 2 == other.status
    assert "--language ja: the language of the client shop is en" in other.err
    assert 2 == mogi("personas", "--client", "shop", "--measure", "log.jsonl").status


def test_the_list_has_a_line_for_each(mogi: Mogi) -> None:
    out = mogi("personas", "--language", "en").out
    assert len(Catalog(None, ROOT).persona_ids("en")) + 1 == len(out.splitlines())
    assert "怒" not in out


def test_what_belongs_to_measuring_does_not_go_with_a_name(mogi: Mogi) -> None:
    done = mogi("personas", "angry", "--measure", "log.jsonl")
    assert 2 == done.status
    assert "--measure" in done.err
