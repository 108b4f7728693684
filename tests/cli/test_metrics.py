"""`mogi metrics`: every metric with what it needs and costs; one of them whole."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from simulator import plugins
from simulator.cli.app import run
from simulator.words import Words
from tests.formats.written import RUBRIC, write

OWN_METRIC = '''"""A metric of this test's own."""
from simulator.core.outcome import MetricInfo


class Short:
    """1 if the reply is short, else 0."""

    INFOS = (MetricInfo("short", "Short", description="Whether the reply is short."),)

    @classmethod
    def open(cls, context):
        return cls()

    async def score(self, evidence):
        return {}
'''


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert 0 == run(["metrics", *args])
    return capsys.readouterr().out


def row(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.lstrip("* ").startswith(f"{name} "))


def test_all_are_listed_with_what_they_need_and_cost(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys)
    computed = {
        info.name
        for name in plugins.names("metrics")
        for info in plugins.find("metrics", name).INFOS
    }
    assert computed <= {line.split()[0] for line in text.splitlines()}
    assert ["turn", "nothing", "documents"] == row(text, "retrieval_hit").split()[1:4]
    assert ["turn", "judge", "elements"] == row(text, "elements").split()[1:4]
    assert ["turn", "judge", "context"] == row(text, "gpt_relevance").split()[1:4]
    assert ["conversation", "judge", "-"] == row(text, "satisfaction").split()[1:4]
    assert "Does the content address" in text
    assert "内容が" in shown(capsys, "--language", "ja")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_metric_can_be_shown_whole_on_a_screen(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in shown(capsys, "--language", language).splitlines()[1:]:
        name = line.split()[0]
        text = shown(capsys, name, "--language", language)
        assert any(line.startswith(f"{name}  ") for line in text.splitlines())
        wide = [line for line in text.splitlines() if cell_len(line) > 80]
        assert [] == [line for line in wide if "://" not in line]


def test_of_a_computed_metric_its_formula_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "elements")
    assert "    value = (sum of the n scores + score of" in text
    assert "parts      coverage, excess" in text
    assert "code       simulator.metrics.elements:Elements" in text


def test_of_a_judged_one_all_that_the_judge_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "gpt_groundedness")
    for words in (
        "Do the documents support",
        "value      rating / 5",
        "5 Every claim is in",
        "n/a if     The answer makes no factual claim.",
        "sees       documents, answer",
        "example 2",
        "→          not applicable",
    ):
        assert words in text
    assert "value      yes is correct (1) if the scenario has no answer" in shown(
        capsys, "refusal_judged"
    )


def test_labels_are_in_the_language_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "gpt_fluency", "--language", "ja")
    for words in (
        "対象       往復ごと",
        "値         採点役の点数 / 5",
        "見る内容   question, answer",
        "例 1\n",
    ):
        assert words in text
    for label in ("about", "costs", "rubric", "sees", "example"):
        assert not any(line.startswith(f"{label} ") for line in text.splitlines())
    assert "必要       正解の要素" in shown(capsys, "elements", "--language", "ja")


def test_a_rubrics_file_is_named_as_shortly_as_it_can_be_found(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = " ".join(shown(capsys, "gpt_fluency").split())
    assert "gpt_fluency: prompts/en/rubrics/gpt_fluency.yaml, built in (sha" in text
    write(here, {"prompts/en/rubrics/own.yaml": RUBRIC.format(id="own", aspect="manners")})
    assert "own: prompts/en/rubrics/own.yaml (sha" in " ".join(shown(capsys, "own").split())


def test_a_rubric_can_be_named_as_well_as_one_of_its_aspects(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole, one = shown(capsys, "answer_quality"), shown(capsys, "overall")
    assert "coherence  Coherence" in whole
    assert "coherence  Coherence" not in one
    assert "with it    understanding, relevance, completeness, correctness, coherence" in one


def test_a_client_brings_its_own_and_what_it_measures_is_marked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        here,
        {
            "own.py": OWN_METRIC,
            "scenarios/acme/client.yaml": "language: ja\ntarget: {kind: demo}\n"
            "metrics: [manners, own:Short]\nscore_by: manners\n",
            "scenarios/acme/scenarios.yaml": "- {id: a, query: q}\n",
            "scenarios/acme/rubrics/own.yaml": RUBRIC.format(id="own", aspect="manners"),
        },
    )
    text = shown(capsys, "--client", "acme")
    assert row(text, "manners").startswith("* manners")
    assert row(text, "short").startswith("* short")
    assert row(text, "overall").startswith("  overall")
    assert "scenarios/acme/rubrics/own.yaml" in shown(capsys, "manners", "--client", "acme")
    assert "1 if the reply is short" in shown(capsys, "short", "--client", "acme")
    assert 2 == run(["metrics", "manners"])


def test_a_wrong_name_is_told_with_those_that_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 2 == run(["metrics", "gpt_relevanse"])
    assert 'no metric "gpt_relevanse"; did you mean gpt_relevance? choose from: ' in (
        capsys.readouterr().err
    )
    assert 2 == run(["metrics", "--client", "nobody"])


def test_english_wordings_are_those_of_the_metrics() -> None:
    words = Words("en", "metric")
    for name in plugins.names("metrics"):
        for info in plugins.find("metrics", name).INFOS:
            said = words(f"title.{info.name}"), words(f"description.{info.name}")
            assert said == (info.title, info.description), info.name


def test_a_japanese_list_is_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["metrics", "--language", "ja"])
    heads, *rows = capsys.readouterr().out.splitlines()
    assert ["指標", "対象", "費用", "必要なもの", "分かること"] == heads.split()
    assert any("資料にある語の割合。回答の主な語の" in row for row in rows)
    assert 0 == run(["metrics", "grounded", "--language", "ja"])
    assert "grounded  資料にある語の割合" in capsys.readouterr().out
