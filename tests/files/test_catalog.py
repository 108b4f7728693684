from pathlib import Path

import pytest

from simulator.files.catalog import Catalog, client_names, find_client, shipped
from tests.formats.written import PERSONA, RUBRIC, complaints, write

CLIENT = {"client.yaml": "language: ja\n"}


def test_the_shipped_files_are_there() -> None:
    assert all((shipped() / name).is_dir() for name in ("personas", "prompts", "scenarios"))


def test_personas_are_looked_up_in_the_clients_folder_then_here_then_among_the_shipped(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {
            "acme/personas/calm.yaml": PERSONA.format(id="calm").replace("Someone", "Client's"),
            "personas/en/calm.yaml": PERSONA.format(id="calm").replace("Someone", "Here's"),
            "personas/en/angry.yaml": PERSONA.format(id="angry").replace("Someone", "Here's"),
            "personas/ja/only-ja.yaml": PERSONA.format(id="only-ja"),
        },
    )
    catalog = Catalog(tmp_path / "acme", tmp_path)
    assert ("Client's", "Here's", "en") == (
        catalog.persona("en", "calm").name,
        catalog.persona("en", "angry").name,
        catalog.persona("en", "beginner").language,
    )
    assert "only-ja" not in catalog.persona_ids("en")
    assert ("calm",) == catalog.own_persona_ids()
    assert set(catalog.persona_ids("en")) == set(catalog.personas("en"))


def test_without_a_client_the_working_directory_and_the_shipped_ones_remain(tmp_path: Path) -> None:
    catalog = Catalog(None, tmp_path)
    assert {"angry", "calm", "beginner"} <= set(catalog.persona_ids("ja"))
    assert () == catalog.own_persona_ids()


def test_rubrics_are_looked_up_in_the_same_order(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "acme/rubrics/own.yaml": RUBRIC.format(id="own", aspect="first"),
            "prompts/ja/rubrics/own.yaml": RUBRIC.format(id="own", aspect="second"),
            "prompts/ja/rubrics/here.yaml": RUBRIC.format(id="here", aspect="third"),
        },
    )
    catalog = Catalog(tmp_path / "acme", tmp_path)
    assert "first" == catalog.rubric("ja", "own").aspects[0].name
    assert {"answer_quality", "here", "own"} <= set(catalog.rubrics("ja"))


def test_prompts_are_looked_up_in_the_same_order(tmp_path: Path) -> None:
    text = (shipped() / "prompts/ja/user.md").read_text("utf-8")
    write(
        tmp_path,
        {"acme/prompts/user.md": text + "client's", "prompts/ja/user.md": text + "here"},
    )
    mine, here = Catalog(tmp_path / "acme", tmp_path), Catalog(None, tmp_path)
    last = [*mine.prompt("ja", "user").texts][-1]
    assert mine.prompt("ja", "user").texts[last].endswith("client's")
    assert here.prompt("ja", "user").texts[last].endswith("here")
    assert {"user", "judge", "form", "demo_answer"} <= set(Catalog(None, tmp_path).prompts("ja"))


def test_what_is_not_there_is_hinted_at(tmp_path: Path) -> None:
    catalog = Catalog(None, tmp_path)
    [persona] = complaints(lambda: catalog.persona("ja", "clam"))
    [rubric] = complaints(lambda: catalog.rubric("ja", "answer_qualty"))
    [prompt] = complaints(lambda: catalog.prompt("ja", "jugde"))
    assert persona.startswith('no persona "clam"; did you mean calm?')
    assert rubric.startswith('no rubric "answer_qualty"; did you mean answer_quality?')
    assert prompt.startswith('no prompt "jugde"; did you mean judge?')


def test_all_wrong_files_are_complained_of_at_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "personas/ja/a.yaml": "- x",
            "personas/ja/b.yaml": PERSONA.format(id="c"),
            "acme/prompts/judge.md": "x",
            "acme/prompts/jugde.md": "x",
        },
    )
    catalog = Catalog(tmp_path / "acme", tmp_path)
    assert [
        'personas/ja/a.yaml:1: a list is not a mapping ("key: value"); write one key: value a line',
        'personas/ja/b.yaml:1: the id "c" is not the name of the file; write b',
    ] == complaints(lambda: catalog.personas("ja"))
    prompts = complaints(lambda: catalog.prompts("ja"))
    assert ["acme/prompts/judge.md:1", "acme/prompts/jugde.md"] == [
        c.split(": ")[0] for c in prompts
    ]
    assert 'nothing uses a prompt "jugde"; did you mean judge?' in prompts[1]


@pytest.mark.parametrize("where", ["clients/acme", "acme", "clients/../clients/acme/"])
def test_a_client_is_found_by_path_or_by_name(tmp_path: Path, where: str) -> None:
    write(tmp_path / "clients/acme", {"client.yaml": ""})
    write(tmp_path / "scenarios/acme", {"client.yaml": ""})
    expected = "scenarios" if where == "acme" else "clients"
    assert (tmp_path / expected / "acme").resolve() == find_client(where, tmp_path)


def test_a_shipped_client_is_found_by_name(tmp_path: Path) -> None:
    write(tmp_path, {"demo/readme.md": "a folder of the same name that is no client"})
    assert (shipped() / "scenarios/demo").resolve() == find_client("demo", tmp_path)


def test_a_path_goes_before_a_name(tmp_path: Path) -> None:
    write(tmp_path / "demo", {"client.yaml": ""})
    assert (tmp_path / "demo").resolve() == find_client("demo", tmp_path)


def test_the_clients_are_those_here_and_the_shipped_ones(tmp_path: Path) -> None:
    write(tmp_path / "scenarios/acme", {"client.yaml": ""})
    write(tmp_path / "scenarios/notes", {"readme.md": ""})
    names = client_names(tmp_path)
    assert {"acme", "demo", "demo-en"} <= set(names)
    assert "notes" not in names


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ("x/client.yaml", "x/client.yaml: this is a file; use the folder with client.yaml"),
        (
            "empty",
            (
                "empty: there's no client.yaml in this folder; mogi init NAME creates a "
                "folder that has one"
            ),
        ),
        ("yml", "yml: there's no client.yaml in this folder; rename client.yml"),
    ],
)
def test_what_is_no_client_is_explained(tmp_path: Path, where: str, complaint: str) -> None:
    write(tmp_path, {"x/client.yaml": "", "empty/readme.md": "", "yml/client.yml": ""})
    assert [complaint] == complaints(lambda: find_client(where, tmp_path))


@pytest.mark.parametrize("where", ["acmee", "no/such/acmee", "a" * 5_000, "a\0b", "../acmee"])
def test_a_client_that_is_nowhere_is_a_complaint(tmp_path: Path, where: str) -> None:
    write(tmp_path / "scenarios/acme", {"client.yaml": ""})
    [complaint] = complaints(lambda: find_client(where, tmp_path))
    assert complaint.startswith('no client "')
    assert "acme" in complaint
    assert complaint.endswith("(or give the path of a folder)")
