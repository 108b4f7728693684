"""Files that a client's folder names lie inside of it, or of the working directory."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator import config
from simulator.core.errors import InputError
from simulator.files.client.folder import load_client
from simulator.formats.sources import Source, inside
from simulator.targets._context import TargetContext
from simulator.targets.document import Document
from simulator.targets.function import Function

SECRET = "canary-of-another-folder-7d1e"
FAQ = f"id,title,content\nf1,Delivery,{SECRET}\n"
CLIENT = "language: en\ntarget: {kind: demo}\nmetrics: [refusal]\nscore_by: refusal\n"
OUT = "../../../elsewhere/faq.csv"
SCENARIOS = "- {id: a, query: How much is delivery?}\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A working directory with the client `shop`; a file of somebody else is beside it."""
    put(tmp_path / "elsewhere" / "faq.csv", FAQ)
    folder = tmp_path / "work" / "scenarios" / "shop"
    put(folder / "client.yaml", CLIENT)
    put(folder / "scenarios.yaml", SCENARIOS)
    return tmp_path / "work"


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def complaints(work: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_client("shop", cwd=work)
    return str(caught.value)


def _link(path: Path, to: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)


@pytest.mark.parametrize(
    "named", ["../../../elsewhere/faq.csv", "../../../elsewhere", "{absolute}"]
)
def test_knowledge_elsewhere_is_refused(work: Path, named: str) -> None:
    absolute = work.parent / "elsewhere" / "faq.csv"
    text = CLIENT + f"knowledge: {named.format(absolute=absolute)}\n"
    put(work / "scenarios/shop/client.yaml", text)
    said = complaints(work)
    assert f"leads to {work.parent / 'elsewhere'}" in said
    assert "--allow" in said
    assert SECRET not in said


@pytest.mark.parametrize("to", ["/proc/self/environ", "/etc/passwd"])
@pytest.mark.parametrize("named", ["faq.csv", "faq.txt", "faq.yaml", "faq.json", "faq.xlsx"])
def test_a_link_out_is_refused(
    work: Path, named: str, to: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", SECRET)
    put(work / "scenarios/shop/client.yaml", CLIENT + f"knowledge: {named}\n")
    _link(work / "scenarios/shop" / named, Path(to))
    said = complaints(work)
    assert "outside of the client's folder" in said
    assert SECRET not in said


def _of_knowledge(work: Path) -> Path:
    put(work / "scenarios/shop/client.yaml", CLIENT + "knowledge: texts\n")
    put(work / "scenarios/shop/texts/a.md", "# Delivery\n\n5 euros\n")
    return work / "scenarios/shop/texts/b.md"


PLACES: dict[str, Callable[[Path], Path]] = {
    "client.yaml": lambda work: work / "scenarios/shop/client.yaml",
    "scenarios": lambda work: work / "scenarios/shop/scenarios.yaml",
    "a text of a folder": _of_knowledge,
    "own persona": lambda work: work / "scenarios/shop/personas/mine.yaml",
    "own prompt": lambda work: work / "scenarios/shop/prompts/user.md",
    "own rubric": lambda work: work / "scenarios/shop/rubrics/mine.yaml",
    "own mutations": lambda work: work / "scenarios/shop/mutations.yaml",
    "persona here": lambda work: work / "personas/en/mine.yaml",
    "prompt here": lambda work: work / "prompts/en/user.md",
    "rubric here": lambda work: work / "prompts/en/rubrics/mine.yaml",
}


@pytest.mark.parametrize("place", PLACES)
def test_no_file_of_any_kind_is_read_through_a_link(work: Path, place: str) -> None:
    path = PLACES[place](work)
    path.unlink(missing_ok=True)
    _link(path, work.parent / "elsewhere/faq.csv")
    said = complaints(work)
    assert "outside of the client's folder" in said
    assert SECRET not in said


@pytest.mark.parametrize("place", PLACES)
def test_nor_from_a_pipe(work: Path, place: str) -> None:
    """Which would be waited for until the end of days."""
    path = PLACES[place](work)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    if place == "a text of a folder":  # what is no file is no text of it
        load_client("shop", cwd=work)
        return
    right = "no client.yaml" if place == "client.yaml" else "is a device, a pipe or a socket"
    assert right in complaints(work)


def test_a_device_is_refused_even_where_it_is_let_in(work: Path) -> None:
    put(work / "scenarios/shop/client.yaml", CLIENT + "knowledge: zero.txt\n")
    _link(work / "scenarios/shop/zero.txt", Path("/dev/zero"))
    with config.allowing(["/dev/zero"]):
        assert "is a device, a pipe or a socket" in complaints(work)


def test_a_link_inside_is_followed(work: Path) -> None:
    put(work / "shared/faq.csv", FAQ)
    put(work / "scenarios/shop/client.yaml", CLIENT + "knowledge: faq.csv\n")
    _link(work / "scenarios/shop/faq.csv", work / "shared/faq.csv")
    loaded = load_client("shop", cwd=work)
    assert loaded.knowledge is not None
    assert SECRET == loaded.knowledge.documents()[0].text


@pytest.mark.parametrize("what", ["elsewhere", "elsewhere/faq.csv"])
@pytest.mark.parametrize("how", ["option", "variable"])
def test_what_is_allowed_is_read(
    work: Path, what: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(work / "scenarios/shop/client.yaml", CLIENT + "knowledge: ../../../elsewhere/faq.csv\n")
    path = str(work.parent / what)
    if how == "variable":
        monkeypatch.setenv("MOGI_ALLOW", os.pathsep.join(["/nowhere", path]))
    with config.allowing([path] if how == "option" else []):
        loaded = load_client("shop", cwd=work)
    assert loaded.knowledge is not None


def test_the_root_is_no_working_directory() -> None:
    assert (Path("/srv/shop"),) == inside(Path("/srv/shop"), Path("/"))


def test_texts_of_bots_are_confined(work: Path) -> None:
    folder = work / "scenarios/shop"
    for target in (f"document, model: m, text: {OUT}", f"function, function: 'b:c', prompt: {OUT}"):
        put(folder / "client.yaml", CLIENT.replace("demo", target))
        assert "outside of the client's folder" in complaints(work)
    context = TargetContext(folder, "en", None, None, lambda _: pytest.fail("no prompt"))
    with pytest.raises(InputError, match="outside of the client's folder"):
        Document.open(Document.Settings(text=OUT), context)
    put(folder / "confined_bot.py", "def answer(query, history, prompt): ...\n")
    settings = Function.Settings(function="confined_bot:answer", prompt=OUT)
    with pytest.raises(InputError, match="outside of the client's folder"):
        Function.open(settings, context)


def test_mutations_name_no_knowledge_elsewhere(work: Path) -> None:
    change = "{kind: non_answer, answer: n}"
    case = f"{{id: c, question: q, good: g, weak: w, mutations: [{change}]}}"
    text = f"knowledge: {OUT}\ncases: [{case}]\n"
    put(work / "scenarios/shop/mutations.yaml", text)
    assert "outside of the client's folder" in complaints(work)


def test_what_is_exchanged_while_it_is_opened_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that is laid after the look and before the opening."""
    put(tmp_path / "elsewhere.txt", SECRET)
    folder = tmp_path / "shop"
    put(folder / "faq.txt", "5 euros")
    source = Source.of(folder / "faq.txt", within=inside(folder, folder))
    plain = os.open

    def late(path: str | Path, *args: int) -> int:
        (folder / "faq.txt").unlink()
        (folder / "faq.txt").symlink_to(tmp_path / "elsewhere.txt")
        return plain(path, *args)

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(InputError, match="changed while it was opened"):
        source.text()


def test_what_is_exchanged_after_the_opening_does_not_matter(tmp_path: Path) -> None:
    put(tmp_path / "faq.txt", "5 euros")
    with Source.of(tmp_path / "faq.txt", within=inside(tmp_path)).opened() as file:
        (tmp_path / "faq.txt").unlink()
        (tmp_path / "faq.txt").symlink_to("/etc/passwd")
        assert b"5 euros" == file.read()
