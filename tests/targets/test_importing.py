"""`package.module:name` as people write it, with everything that can be wrong in it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.targets._importing import check_takes, files_of, load_function


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def _write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize("name", ["imported_bot:answer", "imported_bot:BOT.answer"])
def test_a_function_in_the_clients_folder_is_found(tmp_path: Path, name: str) -> None:
    text = "class Bot:\n    def answer(self, q, h): ...\nBOT = Bot()\ndef answer(q, h): ...\n"
    _write(tmp_path, "imported_bot.py", text)
    assert "answer" == load_function(name, (tmp_path,)).__name__


def test_the_bot_may_import_its_own_modules_later(tmp_path: Path) -> None:
    _write(tmp_path, "late_bot.py", "def answer(q, h):\n    import late_helper\n    return 1\n")
    _write(tmp_path, "late_helper.py", "")
    assert 1 == load_function("late_bot:answer", (tmp_path,))("q", [])


def test_the_path_does_not_grow(tmp_path: Path) -> None:
    _write(tmp_path, "once_bot.py", "def answer(q, h): ...")
    for _ in range(3):
        load_function("once_bot:answer", (tmp_path, tmp_path))
    assert (1, str(tmp_path)) == (sys.path.count(str(tmp_path)), sys.path[0])


@pytest.mark.parametrize("file", ["same_bot.py", "same_package/same_bot.py"])
def test_two_clients_may_have_a_module_of_the_same_name(tmp_path: Path, file: str) -> None:
    first = _write(tmp_path / "a", file, "def answer(q, h): return 'first'")
    second = _write(tmp_path / "b", file, "def answer(q, h): return 'second'")
    name = f"{file.removesuffix('.py').replace('/', '.')}:answer"
    functions = [load_function(name, (folder,)) for folder in (first, second, second, first)]
    assert ["first", "second", "second", "first"] == [f("q", []) for f in functions]
    assert functions[1] is functions[2]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("wrong_bot", r"'wrong_bot' isn't the name of a function; use \"module:name\""),
        (":answer", "isn't the name of a function"),
        ("wrong_bot:", "isn't the name of a function"),
        ("wrong_bto:answer", r"no module 'wrong_bto' in .*; did you mean wrong_bot\? choose from:"),
        ("wrong_bot.rag:answer", r"no module 'wrong_bot.rag' in [^;]*$"),
        ("wrong_bot:anwser", r"'wrong_bot' has no 'anwser'; did you mean answer\? choose from:"),
        ("wrong_bot:answer.deeper", "'wrong_bot' has no 'deeper'; there are none"),
        ("wrong_bot:Bot", "'wrong_bot:Bot' is a class; use a function"),
        ("wrong_bot:NUMBER", "'wrong_bot:NUMBER' is of type int; use a function"),
        ("wrong_bot:NUMBER.nothing", "has no 'nothing'; there are none"),
    ],
)
def test_a_name_that_leads_nowhere_is_explained(tmp_path: Path, name: str, complaint: str) -> None:
    _write(tmp_path, "wrong_bot.py", "class Bot: ...\nNUMBER = 5\ndef answer(q, h): ...\n")
    with pytest.raises(InputError, match=complaint):
        load_function(name, (tmp_path,))


def test_a_module_in_another_folder_is_pointed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"another folder: PYTHONPATH=FOLDER mogi"):
        load_function("pointed_bot:answer", (tmp_path,))
    (tmp_path / "bots").mkdir()
    _write(tmp_path / "bots", "pointed_bot.py", "def answer(q, h): ...\n")
    with pytest.raises(
        InputError, match=r"bots/pointed_bot.py is there: PYTHONPATH=bots mogi \.\.\.$"
    ):
        load_function("pointed_bot:answer", (tmp_path,))


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("import os\nimport langchian\n", 2, "ModuleNotFoundError: No module named 'langchian'"),
        ("def answer(q, h)\n    ...\n", 1, "SyntaxError: expected ':'"),
        ("import os\n\nX = {}['key']\n", 3, "KeyError: 'key'"),
        ("import sys\nsys.exit('no key')\n", 2, "SystemExit: no key"),
        ("import json\njson.loads('{')\n", 2, "json.decoder.JSONDecodeError: Expecting"),
    ],
)
def test_an_error_inside_the_module_is_shown_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: int, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"broken_bot_{line}_{len(text)}"
    _write(tmp_path, f"{name}.py", text)
    with pytest.raises(InputError) as caught:
        load_function(f"{name}:answer", (tmp_path,))
    expected = f"{name}.py:{line}: importing the bot failed: {complaint}"
    assert str(caught.value).startswith(expected)


def test_an_error_in_a_package_elsewhere_is_shown_there(tmp_path: Path) -> None:
    elsewhere = _write(tmp_path / "site", "installed_bot.py", "1 / 0\n")
    sys.path.append(str(elsewhere))
    with pytest.raises(InputError) as caught:
        load_function("installed_bot:answer", (tmp_path / "client",))
    assert f"{elsewhere / 'installed_bot.py'}:1: importing" in str(caught.value)


def test_a_file_that_is_no_source_is_still_a_sentence(tmp_path: Path) -> None:
    _write(tmp_path, "nul_bot.py", "\x00")
    with pytest.raises(InputError, match=r"importing the bot failed: SyntaxError: .*null byte"):
        load_function("nul_bot:answer", (tmp_path,))


def test_an_interrupt_while_importing_stays_one(tmp_path: Path) -> None:
    _write(tmp_path, "interrupted_bot.py", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load_function("interrupted_bot:answer", (tmp_path,))


def test_a_callable_that_tells_nothing_of_its_arguments_is_taken_at_its_word() -> None:
    check_takes(type, ("question", "history"))
    check_takes(dict.get, ("question", "history"))


def test_the_files_of_a_bot_are_its_own_and_none_of_mogi(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text("import rules\nfrom simulator.core import talk")
    (tmp_path / "rules.py").write_text("import simulator")
    (tmp_path / "simulator").mkdir()
    (tmp_path / "simulator" / "__init__.py").touch()
    assert {"own/__init__.py", "rules.py"} == set(files_of("own:answer", (tmp_path,)))


def test_a_module_that_does_not_compile_or_is_huge_is_one_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import broken\nimport huge\nimport rules")
    (tmp_path / "broken.py").write_text("def (:")
    (tmp_path / "huge.py").write_text("#" * 3_000_000 + "\nimport hidden")
    (tmp_path / "hidden.py").touch()
    (tmp_path / "rules.py").touch()
    expected = {"bot.py", "broken.py", "huge.py", "rules.py"}
    assert expected == set(files_of("bot:answer", (tmp_path,)))


def test_a_folder_without_an_init_file_is_a_package_too(tmp_path: Path) -> None:
    for name in ("bots/my.py", "pk/sub.py", "data/faq.csv"):
        _write(tmp_path, name, "import pk.sub\nfrom data import x" if "my" in name else "")
    assert {"bots/my.py", "pk/sub.py"} == set(files_of("bots.my:answer", (tmp_path,)))
