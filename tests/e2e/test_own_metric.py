"""A client's own Python metric: found under its metric's name, and told what is wrong with it."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi

METRIC = """\
from simulator.core.outcome import MetricInfo, Score


class HasContact:
    INFOS = (MetricInfo("has_contact", "Contact", description="A phone number."),)

    def __init__(self):
        self.infos = self.INFOS

    @classmethod
    def open(cls, context):
        return cls()

    async def score(self, evidence):
        return {"has_contact": Score(float("0120" in evidence.exchange.assistant), 1.0)}
"""
CLIENT = """\
language: ja
target: {kind: demo}
knowledge: faq.csv
personas: [calm]
metrics: ["has_contact:HasContact", lexical]
score_by: lexical
thresholds: {has_contact: 0.5}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "scenarios" / "shop"
    made.mkdir(parents=True)
    (made / "client.yaml").write_text(CLIENT, "utf-8")
    (made / "faq.csv").write_text(
        "id,title,content\nf,電話番号は何番ですか,電話は0120-1です。\n", "utf-8"
    )
    (made / "scenarios.yaml").write_text(
        "- {id: a, query: 電話番号は何番ですか, expected: {elements: [0120-1]}}\n", "utf-8"
    )
    (made / "has_contact.py").write_text(METRIC, "utf-8")
    return made


def test_it_is_found_under_its_metrics_name_wherever_the_client_is_given(
    mogi: Mogi, folder: Path, tmp_path: Path
) -> None:
    ran = mogi("run", "shop", "--json").json
    assert 1 == ran["metrics"]["has_contact"]["mean"]
    again = mogi("rejudge", "latest", "--client", "shop", "--metric", "has_contact", "--json")
    assert (0, 1) == (again.status, again.json["metrics"]["has_contact"]["mean"]), again.err
    (tmp_path / "a.csv").write_text("質問,回答\n電話番号は何番ですか,0120-1です。\n", "utf-8")
    scored = mogi("score", "a.csv", "--client", "shop", "--metric", "has_contact", "--json")
    assert ("has_contact", 1) == (scored.json["score_by"], scored.json["score"])
    alone = CLIENT.replace('["has_contact:HasContact", lexical]', "[lexical]")
    (folder / "client.yaml").write_text(alone.replace("thresholds", "# "), "utf-8")
    named = mogi("rejudge", "latest", "--metric", "has_contact:HasContact", "--json")
    assert 1 == named.json["metrics"]["has_contact"]["mean"]


def test_check_tells_what_it_lacks(mogi: Mogi, folder: Path) -> None:
    path = folder / "has_contact.py"
    path.write_text("class HasContact:\n    async def score(self, evidence): return 1\n", "utf-8")
    done = mogi("check", "shop")
    assert 2 == done.status
    where = "scenarios/shop/has_contact.py:1: HasContact"
    assert f'{where} has no INFOS; write INFOS = (MetricInfo("has_contact", "' in done.err
    assert f"{where} has no open; write @classmethod def open(cls, context)" in done.err
    assert "thresholds" not in done.err  # what its names are cannot be known


def test_one_that_cannot_be_opened_is_wrong_input(mogi: Mogi, folder: Path) -> None:
    """By the run, before it calls anything; `mogi check` runs no code to find out."""
    (folder / "has_contact.py").write_text(METRIC.replace("(self):", "(self, words):"), "utf-8")
    assert 0 == mogi("check", "shop").status
    done = mogi("run", "shop")
    assert 2 == done.status
    assert "has_contact.py:4: HasContact can't be opened (TypeError: " in done.err


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        ('{"has_contact": Score(3.0, 3.0)}', "value 3.0 (raw 3.0) isn't between 0 and 1"),
        ("{}", "the metric returned nothing for has_contact"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_an_example_says_why_it_could_not_score(
    mogi: Mogi, folder: Path, returned: str, why: str
) -> None:
    start = METRIC.index('{"has_contact": Score')
    (folder / "has_contact.py").write_text(f"{METRIC[:start]}{returned}\n", "utf-8")
    for typed in (("run", "shop"), ("run", "shop", "--json")):
        assert f"mogi: has_contact could not score a/calm/1, turn 1: {why}" in mogi(*typed).err
