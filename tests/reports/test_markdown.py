"""The comment under a pull request: what it says first, and that nobody's words are its markup."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from simulator.core.claim import Reader, Reading, State, claims_of
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.core.plan import Gate
from simulator.core.run import Run
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply
from simulator.reports.markdown import LONGEST, Markdown, fitting, plain
from tests.execution.scored import LEXICAL, episode, header, rated, run, turn
from tests.expecting import expecting
from tests.reports.printed import FINE, WEAK, mixed

HOSTILE = "| <b>x</b> [a](http://evil) `code` **b** @somebody #12 www.evil.example\n# head"


def written(made: Run, folder: Path) -> str:
    path = folder / "run.md"
    Markdown().write(made, str(path))
    return path.read_text("utf-8")


def test_it_needs_a_path() -> None:
    with pytest.raises(InputError, match="needs a file"):
        Markdown().write(mixed(), None)


@pytest.mark.parametrize(
    ("score", "sign"), [(0.9, "## ❌ Failed: "), (0.1, "## ✅ Passed: "), (None, "## ")]
)
def test_the_verdict_comes_first(score: float | None, sign: str, tmp_path: Path) -> None:
    gate = Gate(score) if score else None
    text = written(run(header(gate=gate), episode(FINE, WEAK)), tmp_path)
    assert text.startswith(sign)
    assert ("Passed" in text.partition("\n")[0]) == (sign == "## ✅ Passed: ")


def test_then_comes_what_to_mend(tmp_path: Path) -> None:
    weak = turn(rated(1, "Wrong."), blames=("unused",))
    talks = [episode(weak, scenario="refund", persona=name) for name in ("calm", "angry")]
    text = written(run(header(), *talks), tmp_path)
    assert "### Fix this first (2 of 2 failures)" in text
    assert "| **2** | Retrieved but not used | refund | Where is my parcel? |" in text


def test_it_says_what_settles_what_is_undecided(tmp_path: Path) -> None:
    scenario = Scenario("parcel", "q", expected=expecting(elements=["500 yen"]))
    unknown = Reading(claims_of(scenario.expected)[0].id, State.UNKNOWN, Reader.WORDS)
    talk = replace(episode(turn(readings=(unknown,))), scenario=scenario)
    text = written(run(header(metrics=(LEXICAL,), score_by="lexical"), talk), tmp_path)
    assert (
        "| Passed | 0 · pass rate 0.00–1.00: too many are undecided for a single number |" in text
    )
    assert re.search(
        r"\| Decided \| none of 1; 1 needs .+ mogi rejudge 3f9ab2c1 --judge-model", text
    )


@pytest.mark.parametrize("language", ["ja", "en"])
def test_github_draws_its_tables(language: Language, tmp_path: Path) -> None:
    html = MarkdownIt("gfm-like", {"linkify": False}).render(written(mixed(language), tmp_path))
    assert html.count("<table>") >= 3
    assert html.count("<details>") == html.count("</details>") == 3


def test_what_was_said_is_no_markup(tmp_path: Path) -> None:
    said = Exchange(1, HOSTILE, Reply(HOSTILE))
    made = run(
        header(), episode(turn(rated(1), exchange=said, blames=("unused",)), scenario=HOSTILE)
    )
    text = written(made, tmp_path)
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert "<b>" not in html
    assert "<a " not in html
    assert "@somebody" not in text
    assert "#12" not in text.replace("&#35;12", "")
    assert plain("a|b") == "a\\|b"


def test_it_is_never_longer_than_a_comment_may_be(tmp_path: Path) -> None:
    kept = "".join(fitting(iter(["a" * 50_000, "b" * 20_000, "c"]), "the rest is left out"))
    assert kept == "a" * 50_000 + "\nthe rest is left out\n"
    names = [f"{n} " + "x" * 900 for n in range(80)]
    talks = [episode(turn(rated(1)), scenario=name) for name in names]
    text = written(run(header(), *talks), tmp_path)
    assert len(text) <= LONGEST
    assert "x" * 200 not in text
