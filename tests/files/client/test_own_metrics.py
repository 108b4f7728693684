"""A metric of somebody's own: what it lacks is told with its place, before anything is called."""

import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from simulator import plugins
from simulator.core.errors import InputError
from simulator.files.client.metrics import metric_class, opened
from tests.formats.written import complaints

HEAD = "from simulator.core.outcome import MetricInfo, Score\n\n\n"
WHOLE = """
class Short:
    INFOS = (MetricInfo("short", "Short"),)

    def __init__(self):
        self.infos = self.INFOS

    @classmethod
    def open(cls, context):
        return cls()

    async def score(self, evidence):
        return {"short": Score(1.0, 1.0)}
"""


def _name(folder: Path, text: str) -> str:
    (folder / "own_metric.py").write_text(HEAD + text, "utf-8")
    plugins.look_in(folder)
    return "own_metric:Short"


def test_a_whole_one_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kind = metric_class(_name(tmp_path, WHOLE))
    assert ["short"] == [info.name for info in opened(kind, None).infos]


@pytest.fixture(params=["imported", "looked at"])
def how(request: pytest.FixtureRequest) -> Iterator[str]:
    """What is wrong is told alike, whether the file is imported or its text is looked at."""
    with plugins.unimported() if request.param == "looked at" else nullcontext():
        yield request.param


@pytest.mark.usefixtures("how")
@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        (
            '    INFOS = (MetricInfo("short", "Short"),)\n',
            "",
            ['Short has no INFOS; write INFOS = (MetricInfo("short", "Short"),) into it'],
        ),
        (
            '(MetricInfo("short", "Short"),)',
            "()",
            ['INFOS of Short is empty; write INFOS = (MetricInfo("short", "Short"),) into it'],
        ),
        (
            '(MetricInfo("short", "Short"),)',
            'MetricInfo("short", "Short")',
            [
                (
                    "INFOS of Short isn't a tuple of MetricInfo; "
                    'write INFOS = (MetricInfo("short", "Short"),) into it'
                )
            ],
        ),
        (
            'MetricInfo("short", "Short"),',
            'MetricInfo("short", "A"), MetricInfo("short", "B", scope="day"), MetricInfo("", "C")',
            [
                'INFOS of Short: "" isn\'t a name; use text, such as "short"',
                'INFOS of Short: scope: "day" isn\'t valid; write turn or talk',
                'INFOS of Short: the name "short" appears twice; write it once',
            ],
        ),
        (
            "async def score(",
            "async def scores(",
            ["Short has no score; write async def score(self, evidence)"],
        ),
        (
            "async def score(",
            "def score(",
            ["score of Short isn't async; write async def score(self, evidence)"],
        ),
        (
            "score(self, evidence)",
            "score(self)",
            ["score of Short doesn't take self, evidence; write async def score(self, evidence)"],
        ),
        (
            '"Short"),',
            '"Short", scope="talk"),',
            ["Short has no score_talk; write async def score_talk(self, evidence, stop)"],
        ),
        (
            "def open(cls, context)",
            "def opened(cls, context)",
            ["Short has no open; write @classmethod def open(cls, context)"],
        ),
        (
            "def open(cls, context)",
            "def open(cls)",
            ["open of Short doesn't take context; write @classmethod def open(cls, context)"],
        ),
    ],
)
def test_all_that_it_lacks_is_told_with_the_line_of_the_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, wrong: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = _name(tmp_path, WHOLE.replace(old, new))
    assert [f"own_metric.py:5: {one}" for one in wrong] == complaints(lambda: metric_class(name))


@pytest.mark.usefixtures("how")
def test_everything_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = _name(tmp_path, "class Short:\n    def score(self, evidence):\n        return 1\n")
    told = complaints(lambda: metric_class(name))
    assert [
        "own_metric.py:4: Short has no INFOS; ",
        "own_metric.py:4: Short has no open; ",
        "own_metric.py:4: score of Short isn't async; ",
    ] == [one.partition("write")[0] for one in told]


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("(self):\n", "(self, words):\n", "Short can't be opened (TypeError: "),
        ("self.infos = self.INFOS", "1 / 0", "Short can't be opened (ZeroDivisionError: "),
        ("self.infos = self.INFOS", "pass", "what Short.open returns has no infos; "),
        ("return cls()", "return None", "what Short.open returns has no infos; "),
    ],
)
def test_one_that_cannot_be_opened_is_wrong_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    kind = metric_class(_name(tmp_path, WHOLE.replace(old, new)))
    (told,) = complaints(lambda: opened(kind, None))
    assert told.startswith(f"own_metric.py:5: {wrong}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = (\n", "can't import 'own_metric': SyntaxError: "),
        ("import sys\nsys.exit(3)\n", "can't import 'own_metric': SystemExit: 3"),
        ("class Shorter:\n    pass\n", "'own_metric' has no 'Short'; did you mean Shorter?"),
    ],
)
def test_a_file_that_cannot_be_used_is_wrong_input(tmp_path: Path, text: str, told: str) -> None:
    name = _name(tmp_path, text)
    with pytest.raises(InputError, match=told.replace("?", r"\?")):
        metric_class(name)


RUNS = "from pathlib import Path\nPath('ran').touch()\n"


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        "class Base: ...\n" + WHOLE.replace("class Short", "class Short(Base)"),
        "from elsewhere_own import Short\n",
        "from elsewhere_own import *\n",
        "def __getattr__(name): ...\n",
        "Short = type('Short', (), {})\n",
        (
            "if True:\n    class Short:\n        INFOS = [MetricInfo(n, n) for n in 'ab']\n"
            "        open = classmethod(lambda cls, context: cls())\n"
            "        async def score(self, evidence, *, more={}): ...\n"
        ),
        WHOLE.replace("    async def score", "    @traced\n    async def score"),
    ],
)
def test_looked_at_it_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = sys.path[:]
    with plugins.unimported():
        kind = metric_class(_name(tmp_path, RUNS + text))
        assert opened(kind, None).infos
    assert not Path("ran").exists()
    assert (path, False) == (sys.path, "own_metric" in sys.modules)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = (\n", "own_metric.py:6: SyntaxError: "),
        ("class Shorter:\n    pass\n", "'own_metric' has no 'Short'; did you mean Shorter?"),
        ("def Short(): ...\n", "'own_metric:Short' isn't a class"),
        ("class Short:\n    INFOS = 1 + (lambda: 1)()\n", "Short has no open"),
        (f"x = {'(' * 5000}\n", "own_metric"),
        ("\0", "own_metric"),
    ],
)
def test_what_cannot_be_used_is_told_by_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with plugins.unimported(), pytest.raises(InputError, match=re.escape(told)):
        metric_class(_name(tmp_path, RUNS + text))
    assert not Path("ran").exists()


def test_a_package_around_it_is_not_run_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "around").mkdir()
    (tmp_path / "around" / "__init__.py").write_text(RUNS, "utf-8")
    (tmp_path / "around" / "own.py").write_text(RUNS + HEAD + WHOLE, "utf-8")
    with plugins.unimported():
        plugins.look_in(tmp_path)
        assert "Short" == plugins.find("metrics", "around.own:Short").__name__
        with pytest.raises(InputError, match=r"can't import 'around\.none'"):
            plugins.find("metrics", "around.none:Short")
    assert not Path("ran").exists()
