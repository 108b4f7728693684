"""The data files of a language: read late, whole, and alike in both languages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.text.clauses import AXES, EITHER
from simulator.text.phrases import Phrases, phrases

PACKAGE = Path(__file__).parents[2] / "simulator"
FILES = sorted(
    str(path.relative_to(PACKAGE).with_suffix(""))
    for folder in ("text", "users", "metrics")
    for path in (PACKAGE / folder).rglob("*.yaml")
)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Phrases:
    monkeypatch.setattr("simulator.text.phrases._PACKAGE", tmp_path)
    (tmp_path / "some.yaml").write_text(
        "greets: |\n  hello <who>\n  (?P<mark>!)+\nwho: |\n  you|all of <them>\nthem: |\n  us\n"
        "pairs: |\n  a:b c:d\n  e:f\nmeant: |\n  no (\\w+) => \\1 not\n",
        "utf-8",
    )
    return Phrases("some")


def test_a_line_is_one_way_of_saying_it_and_a_name_stands_for_its_entry(made: Phrases) -> None:
    greets = made.pattern("greets")
    assert [True, True, True, False] == [
        bool(greets.fullmatch(text)) for text in ("hello you", "hello all of us", "!!", "hello us")
    ]
    assert greets is made.pattern("greets")


def test_lines_that_are_sought_one_by_one_hold_what_they_do_together(made: Phrases) -> None:
    for text in ("well, hello all of us", "well!", "hello us", ""):
        assert bool(made.pattern("greets").search(text)) is made.holds("greets", text)


def test_lines_words_and_pairs(made: Phrases) -> None:
    assert ("hello <who>", "(?P<mark>!)+") == made.lines("greets")
    assert frozenset(("you|all", "of", "<them>")) == made.words("who")
    assert {"a": "b", "c": "d", "e": "f"} == made.pairs("pairs")


def test_what_is_rewritten_keeps_its_parts_whatever_its_case(made: Phrases) -> None:
    ((said, meant),) = made.rewrites("meant")
    assert "dogs not here" == said.sub(meant, "No dogs here")


def test_an_entry_that_is_not_there_is_an_error(made: Phrases) -> None:
    with pytest.raises(KeyError):
        made.pattern("nothing")


def test_every_name_in_a_shipped_pattern_stands_for_an_entry() -> None:
    for file in FILES:
        entries = phrases(file).entries
        texts = [entry for entry in entries.values() if isinstance(entry, str)]
        slots = {name for text in texts for name in re.findall(r"(?<!\?P)<(\w+)>", text)}
        assert slots <= entries.keys(), file


def test_every_shipped_entry_is_asked_for_by_the_code_or_by_another_entry() -> None:
    code = "".join(
        path.read_text("utf-8")
        for folder in ("text", "users", "metrics", "reading", "generate", "checks", "improve")
        for path in (PACKAGE / folder).rglob("*.py")
    )
    # asks_for_a_time, topic_plain and allowed_no are put together by the code
    stems = ("asks_for_", "topic_")
    poles = tuple(f"{axis}_{said}" for axis in (*AXES, EITHER) for said in ("no", "yes"))
    unused = []
    for file in (file for file in FILES if not file.endswith("/quantities")):
        entries = phrases(file).entries
        texts = "".join(map(str, entries.values()))
        unused += [
            f"{file}: {name}"
            for name in entries
            if f'"{name}"' not in code
            and f"<{name}>" not in texts
            and not name.startswith(stems)
            and name not in poles
        ]
    assert [] == unused


def test_a_user_without_phrases_has_the_same_acts_in_both_languages() -> None:
    ja, en = (phrases(f"users/agenda/{language}/phrases").entries for language in ("ja", "en"))
    assert ja.keys() == en.keys()


def test_importing_the_rooms_reads_no_data(tmp_path: Path) -> None:
    probe = (
        "import sys\n"
        "import simulator.users.agenda, simulator.users._guard, simulator.reading.words\n"
        "import simulator.checks.realism\n"
        "assert 'yaml' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", probe],
        cwd=tmp_path,
        env={"PYTHONPATH": str(PACKAGE.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
