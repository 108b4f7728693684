"""`mogi improve --propose --model`: a model words what people wrote, or the rule's words stay."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.core.verdict import Verdict, Word
from simulator.store.store import Store
from tests.e2e.conftest import Mogi
from tests.loopback.replies import Body, Says
from tests.loopback.server import ChatServer
from tests.loopback.threaded import served

SECRET = "gate 77"  # only the answer key has it
FILES = {
    "en": {
        "faq.csv": "id,title,content\nq1,How much is delivery?,Delivery costs 5 euros.\n"
        "q2,When are you open?,We are open from 9 to 18 on weekdays.\n",
        "scenarios.yaml": "- {id: delivery, query: How much is delivery?, "
        "expected: {elements: [5 euros]}}\n"
        "- {id: parking, query: Where can I park my car?, "
        f"expected: {{elements: [{SECRET}], answer: Behind {SECRET}.}}}}\n"
        "- {id: bikes, query: Where can I leave my bike?, expected: {elements: [rack]}}\n",
    },
    "ja": {
        "faq.csv": "id,title,content\nq1,送料はいくらですか,送料は500円です。\n"
        "q2,営業時間を教えてください,平日の9時から18時まで営業しています。\n",
        "scenarios.yaml": "- {id: delivery, query: 送料はいくらですか, "
        "expected: {elements: [500円]}}\n"
        "- {id: parking, query: 車はどこに停められますか, "
        f"expected: {{elements: [{SECRET}], answer: '{SECRET}の裏です。'}}}}\n"
        "- {id: bikes, query: 自転車はどこに置けますか, expected: {elements: [駐輪場]}}\n",
    },
}
CORRECTED = {
    "en": {
        "parking": "You can park your car behind the shop; parking is free for two hours.",
        "bikes": "Leave your bike at the rack by the door.",
    },
    "ja": {
        "parking": "車は店の裏に停められます。2時間まで無料です。",
        "bikes": "自転車は入口の駐輪場に置けます。",
    },
}
WORDED = {
    "en": {
        "asked": "Where can I park?",
        "answer": "You can park behind the shop. Parking your car is free for two hours.",
    },
    "ja": {
        "asked": "車を停められますか",
        "answer": "車は、店の裏に停められます。2時間まで、無料です。",
    },
}


@pytest.fixture(params=["en", "ja"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def writer(language: str) -> Iterator[ChatServer]:
    """Words the entry on parking well, and that on bikes with a number of its own."""

    def answer(body: Body) -> Any:
        if "rack" in str(body["messages"]) or "駐輪場" in str(body["messages"]):
            said = {"en": "Leave your bike at rack 12.", "ja": "自転車は12番の駐輪場に置けます。"}
            return {**WORDED[language], "answer": said[language]}
        return WORDED[language]

    with served(answer) as server:
        yield server


@pytest.fixture
def run(mogi: Mogi, tmp_path: Path, writer: ChatServer, language: str) -> str:
    """A run in which two entries are missing that a person wrote."""
    folder = tmp_path / "scenarios" / "shop"
    folder.mkdir(parents=True)
    for file, text in FILES[language].items():
        (folder / file).write_text(text, "utf-8")
    (folder / "client.yaml").write_text(
        f"language: {language}\ntarget: {{kind: demo}}\nknowledge: faq.csv\nmax_turns: 2\n"
        f'user: {{model: mock, base_url: "{writer.base_url}"}}\n'
        "prices: {mock: {input: 1, output: 1}}\n",
        "utf-8",
    )
    name: str = mogi("run", "shop", "--offline", "--persona", "calm", "--json").json["run"]
    verdicts = [
        Verdict(
            f"{scenario}/calm/1", 1, Word.NG, "Mori", "sheet", "2026-11-01T00:00:00+00:00",
            corrected=text,
        )
        for scenario, text in CORRECTED[language].items()
    ]  # fmt: skip
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        store.add_verdicts(name, verdicts)
    return name


def diffs(folder: str) -> dict[str, str]:
    """What stands in a folder, by the scenario that it is about."""
    texts = [path.read_text("utf-8") for path in sorted(Path(folder).glob("*.diff"))]
    return {str(re.search(r"^conversations: (\w+)", text, re.MULTILINE)[1]): text for text in texts}  # type: ignore[index]


def test_a_model_words_what_people_wrote_and_what_it_invents_stays_out(
    mogi: Mogi, run: str, writer: ChatServer, language: str
) -> None:
    done = mogi("improve", "latest", "--propose", "--model", "other", "--json")
    assert 0 == done.status, done.err
    found = diffs("fixes")
    assert f"{WORDED[language]['asked']}," in found["parking"]
    assert "\nworded: model other\n" in found["parking"]
    assert CORRECTED[language]["bikes"] in found["bikes"]
    assert "worded:" not in found["bikes"]
    assert {"model other", None} == {each["worded"] for each in done.json["proposals"]}
    assert ({"generate": 3}, 3) == (done.json["calls"], writer.count)
    assert {"other"} == {asked.body["model"] for asked in writer.requests}
    assert SECRET not in json.dumps([asked.body for asked in writer.requests])


def test_the_same_again_pays_nothing(
    mogi: Mogi, run: str, writer: ChatServer, language: str
) -> None:
    shown = mogi("improve", "latest", "--propose", "--model", "other", "--log", "calls.jsonl")
    assert 3 == len(Path("calls.jsonl").read_text("utf-8").splitlines())
    count, first = writer.count, diffs("fixes")
    told = {"en": "a model wrote 1 of 2", "ja": "2 件のうち 1 件の文をモデルが整えました"}
    assert told[language] in shown.out
    assert 0 == mogi("improve", "latest", "--propose", "--model", "other", "-o", "more").status
    assert (count, first) == (writer.count, diffs("more"))
    assert [run] == [each["run"] for each in mogi("runs", "--json").json["runs"]]


def test_who_refuses_or_is_cut_off_leaves_the_rules_words(
    mogi: Mogi, run: str, writer: ChatServer
) -> None:
    assert 0 == mogi("improve", "latest", "--propose", "-o", "rules").status
    writer.script(Says("", refusal="No."), Says('{"asked": "Wh', finish="length"))
    assert 0 == mogi("improve", "latest", "--propose", "--model", "other").status
    assert diffs("rules") == diffs("fixes")


def test_a_spent_budget_writes_nothing_and_goes_on_later(
    mogi: Mogi, run: str, writer: ChatServer
) -> None:
    propose = ("improve", "latest", "--propose", "--model", "mock")
    done = mogi(*propose, "--budget", "0.000001")
    assert (3, 0) == (done.status, writer.count), done.err
    assert "budget" in done.err
    assert "without paying twice" in done.err
    assert not Path("fixes").exists()
    assert 0 == mogi(*propose, "--budget", "1").status


def test_nothing_is_paid_for_a_folder_that_is_taken(
    mogi: Mogi, run: str, writer: ChatServer
) -> None:
    mogi("improve", "latest", "--propose")
    done = mogi("improve", "latest", "--propose", "--model", "other")
    assert (2, 0) == (done.status, writer.count)
    assert "already contains 2 diffs" in done.err


def test_two_entries_that_are_taken_have_two_ids(mogi: Mogi, run: str) -> None:
    mogi("improve", "latest", "--propose")
    ids = re.findall(r"^\+(q\d),", "".join(diffs("fixes").values()), re.MULTILINE)
    assert ["q3", "q4"] == sorted(ids)


def test_a_model_is_for_proposals_only(mogi: Mogi, run: str) -> None:
    for said in (("--model", "m"), ("--budget", "1"), ("--prove", "x", "--model", "m")):
        done = mogi("improve", "latest", *said)
        assert (2, True) == (done.status, "--model and --budget" in done.err), done.err
