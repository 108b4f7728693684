"""The architecture, as far as import-linter does not check it."""

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest
import yaml

from simulator import plugins
from simulator.cli.app import COMMANDS
from tests.pages import PAGES

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    p for folder in ("simulator", "tests", "benchmarks") for p in (ROOT / folder).rglob("*.py")
)
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
PLUGINS = [
    (room, name)
    for room in ("targets", "users", "metrics", "reports", "exporters")
    for name in plugins.names(room)
]


def test_no_room_has_more_code_than_its_budget() -> None:
    """Raising a number of tests/budget.yaml is a decision that the commit explains."""
    budget: dict[str, int] = yaml.safe_load((ROOT / "tests" / "budget.yaml").read_text("utf-8"))
    lines: Counter[str] = Counter()
    for path in (ROOT / "simulator").rglob("*.py"):
        lines[path.relative_to(ROOT / "simulator").parts[0]] += code_lines(path)
    assert {} == {room: n for room, n in lines.items() if n > budget.get(room, 0)}
    assert {} == {room: n for room, n in budget.items() if room not in lines}


def test_docstrings_comments_and_blanks_are_no_code(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    field = ("X = [", "    1,", "]", '"""Doc of X."""')
    code = ("# why", *field, "", "def f():", '    """Doc."""', "    return X")
    file.write_text("\n".join(('"""Doc.', "", 'More."""', *code)))
    assert 5 == code_lines(file)


def code_lines(path: Path) -> int:
    """Lines of code: blanks, comments and docstrings left out."""
    text = path.read_text("utf-8")
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):  # a docstring, also that of a field
                documented.update(range(node.lineno, (node.end_lineno or 0) + 1))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {
        line
        for token in tokens
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - documented)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions count; those for types alone do not."""
    graph = grimp.build_graph("simulator", exclude_type_checking_imports=True, cache_dir=None)
    imports = {m: graph.find_modules_directly_imported_by(m) for m in graph.modules}
    assert [] == _circle(imports)


def _circle(imports: Mapping[str, Iterable[str]]) -> list[str]:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def test_every_module_says_in_its_first_line_what_it_holds() -> None:
    silent = [
        str(p.relative_to(ROOT))
        for p in SOURCES
        if p.stat().st_size
        and not p.read_text("utf-8").startswith(('"""', 'r"""', "#!"))
        and "simulator" in p.parts
    ]
    assert [] == silent


def test_only_config_reads_the_environment() -> None:
    readers = [
        str(p.relative_to(ROOT))
        for p in (ROOT / "simulator").rglob("*.py")
        if any(word in p.read_text("utf-8") for word in ("os.environ", "os.getenv", "getenv("))
    ]
    assert ["simulator/config.py"] == readers


def test_importing_the_package_does_nothing(tmp_path: Path) -> None:
    probe = (
        "import sys, threading, os\n"
        "before = set(os.listdir('.'))\n"
        "import simulator, simulator.cli.app\n"
        "assert threading.active_count() == 1, threading.enumerate()\n"
        "assert set(os.listdir('.')) == before\n"
        "heavy = {'openai', 'sqlalchemy', 'pydantic', 'numpy', 'sudachipy', 'rich',"
        " 'aiohttp', 'yaml', 'asyncio'}\n"
        "loaded = heavy & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", probe],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert [] == list(tmp_path.iterdir())


def test_every_plugin_is_found_by_its_file_name_and_documented() -> None:
    for room, name in PLUGINS:
        plugin = plugins.find(room, name)
        assert f"simulator.{room}.{name}" == plugin.__module__
        assert inspect.getdoc(plugin), name


@pytest.mark.parametrize("room", ["targets", "users", "metrics", "reports", "exporters"])
def test_every_plugin_stands_in_the_contract_of_independence(room: str) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    listed = {m for c in contracts if c["type"] == "independence" for m in c["modules"]}
    assert {f"simulator.{room}.{name}" for name in plugins.names(room)} <= listed


def test_every_command_stands_in_the_docs() -> None:
    docs = "".join(page.read_text("utf-8") for page in PAGES)
    assert [] == [name for name in COMMANDS if f"mogi {name}" not in docs]


def test_the_drawing_of_the_house_names_every_room() -> None:
    drawn = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("```text\n")[1].split("```")[0]
    rooms = {p.parent.name for p in (ROOT / "simulator").glob("*/__init__.py")}
    assert set() == rooms - set(re.findall(r"[a-z_]+", drawn))


def test_every_place_that_the_house_names_is_there() -> None:
    places = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("| where is | |\n")[1]
    named = re.findall(r"`([a-z_/*]+(?:\.\w+)?/?)`", places.split("\n\n")[0])
    assert len(named) > 5
    homes = (ROOT, ROOT / "simulator")
    assert [] == [p for p in named if not any([*home.glob(p)] for home in homes)]
