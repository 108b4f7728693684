"""The page as a file: what stands in it, and that nothing in it can act."""

import base64
import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from simulator.core.claim import claims_of
from simulator.core.clean import spoken
from simulator.core.errors import InputError
from simulator.core.outcome import Score
from simulator.core.persona import Language
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Run, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import Document, Exchange, Reply
from simulator.core.verdict import PlannedAnswer, ReviewPlan, Sampled, Verdict
from simulator.reports import html
from simulator.reports.html import Html
from simulator.reports.html.data import Beside, write_json
from simulator.results.verdict import Fault
from simulator.words import table
from tests.execution.scored import GAP, episode, failed, header, rated, run, turn
from tests.expecting import expecting
from tests.reports.printed import FINE, WEAK, mixed
from tests.results.made import MET, MODEL, UNKNOWN, UNMET, VIOLATED, answer, readings
from tests.results.made import talk as talk_of
from tests.waiting import PATIENCE_S

_SCRIPT = Path(html.__file__).with_name("page.js")
_TSC = shutil.which("tsc")
HOSTILE = '</template></script><script>alert(1)</script><img src=x onerror="alert(2)">\u202e'


def written(made: Run, folder: Path) -> str:
    path = folder / "page.html"
    Html().write(made, str(path))
    return path.read_text("utf-8")


def data_of(text: str) -> dict[str, Any]:
    [packed] = re.findall(r'<template id="data">([^<]*)</template>', text)
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return found


def test_all_conversations_of_a_run_are_read_once(tmp_path: Path) -> None:
    made, readings = mixed(), 0

    def reviewed() -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
        nonlocal readings
        readings += 1
        yield from made.reviewed()

    Html().write(replace(made, reviewed=reviewed), f"{tmp_path}/page.html")
    assert 1 == readings


def test_long_texts_of_two_runs_are_cut_and_kept_beside_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Answer, question, comment and document have a hundred thousand characters each."""
    monkeypatch.setattr("simulator.reports.html.data._IN_MEMORY", 10_000)  # beyond it: a file
    text = "".join(map(str, range(25_000)))[:100_000]

    def told() -> Iterator[tuple[Episode, tuple[()]]]:
        for number in range(3):
            said = f"{number} {text}"
            exchange = Exchange(1, said, Reply(said, (Document(said, f"d{number}"),)))
            yield episode(replace(turn(rated(1, said)), exchange=exchange), scenario=said[:5]), ()

    made = replace(mixed(), reviewed=told)
    with TemporaryFile() as file:
        write_json(made, file, Beside({}, made))
        file.seek(0)
        data = json.loads(gzip.decompress(file.read()))
    shown = data["talks"][0]["turns"][0]
    assert {20_000} == {len(shown[name]) for name in ("user", "bot", "comment")}
    assert [20_000] * 3 == [len(document[2]) for document in data["documents"]]
    for number, talk in enumerate(data["talks"]):
        assert talk["before"]["turns"] == talk["turns"]
        assert [number] == talk["turns"][0]["documents"]


def test_it_needs_a_path() -> None:
    with pytest.raises(InputError, match="needs a file"):
        Html().write(mixed(), None)


def test_only_its_own_script_and_style_may_run_and_nothing_is_fetched(tmp_path: Path) -> None:
    text = written(mixed(), tmp_path)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert "connect-src 'none'" in policy
    for tag in ("script", "style"):
        [body] = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:,)""", text.partition("<script")[0])


def test_what_was_said_stands_in_it_as_text_only(tmp_path: Path) -> None:
    said = Exchange(1, HOSTILE, Reply(HOSTILE, (Document(HOSTILE, HOSTILE, HOSTILE),)))
    made = run(header(client=HOSTILE), episode(turn(rated(1, HOSTILE), exchange=said)))
    text = written(made, tmp_path)
    assert "<script>alert" not in text
    assert "<img" not in text
    assert text.count("</template>") == 1
    [talk] = data_of(text)["talks"]
    assert talk["turns"][0]["bot"] == HOSTILE


def test_each_conversation_is_there_with_its_result_and_why(tmp_path: Path) -> None:
    found = data_of(written(mixed(), tmp_path))
    assert [
        ("login/calm/1", "undecided", 2),
        ("login/angry/2", "passed", 2),
        ("refund/calm/1", "undecided", 2),
        ("解約したい（年払い）/angry/1", "failed", 1),
    ] == [(talk["key"], talk["result"], len(talk["turns"])) for talk in found["talks"]]
    last = found["talks"][-1]
    assert last["why"]
    assert last["turns"][0]["failure"]


def test_a_score_of_nothing_is_a_score(tmp_path: Path) -> None:
    talks = [episode(turn(outcome)) for outcome in (Score(0.0, 0.0), GAP)]
    worst, gap = (
        talk["turns"][0] for talk in data_of(written(run(header(), *talks), tmp_path))["talks"]
    )
    assert (worst["score"], "score" in gap) == (0.0, False)


def test_failures_alike_share_a_group(tmp_path: Path) -> None:
    weak = turn(rated(1, "Wrong."), blames=("unused",))
    talks = [episode(weak, scenario="a", persona=name) for name in ("calm", "angry")]
    found = data_of(written(run(header(), *talks, episode(FINE)), tmp_path))
    first, second, third = (tuple(talk["group"]) for talk in found["talks"])
    assert first == second != third
    assert first[0] == "unused"


def test_answers_that_a_verdict_holds_for_are_those_of_the_store(tmp_path: Path) -> None:
    def asked(*answers: str, scenario: str = "a", persona: str = "calm") -> Episode:
        said = [Exchange(n, "When?", Reply(text)) for n, text in enumerate(answers, 1)]
        turns = [turn(rated(1), exchange=each) for each in said]
        return episode(*turns, scenario=scenario, persona=persona)

    talks = [
        asked("On Monday.", "No!"),
        asked("on monday", "No."),
        asked("On Friday.", "No!", persona="angry"),
        asked("On Monday.", "!", scenario="b"),
        asked("On Monday.", "?", scenario="b", persona="angry"),
    ]
    told = data_of(written(run(header(), *talks), tmp_path))["talks"]
    for here, mine in product(*2 * (list(zip(talks, told, strict=True)),)):
        for m, n in product((1, 2), repeat=2):
            equal = here[1]["turns"][m - 1]["same"] == mine[1]["turns"][n - 1]["same"]
            assert equal == (spoken(here[0], m) == spoken(mine[0], n))


def test_the_lead_says_how_many_failed_by_each_cause(tmp_path: Path) -> None:
    weak = [turn(rated(1), blames=blames) for blames in (("unused",), ("unused", "style"))]
    made = run(header(), *(episode(each, scenario=f"s{n}") for n, each in enumerate(weak)))
    lead = written(made, tmp_path).partition("<template")[0]
    found = re.findall(r'href="#q=result%3Afailed%20blame%3A(\w+)">[^<]*<b>(\d+)</b>', lead)
    assert found == [("unused", "2"), ("style", "1")]


def test_the_lead_reads_it_without_a_script(tmp_path: Path) -> None:
    text = written(mixed(), tmp_path).partition("<template")[0]
    body = text.partition("</style>")[2]
    for part in ("acme", "Pass rate", "Fix this first (1 of 1 failure)", "login"):
        assert part in body


@pytest.mark.parametrize("language", ["ja", "en"])
def test_it_speaks_the_clients_language(language: Language, tmp_path: Path) -> None:
    made = run(header(language=language), episode(FINE, WEAK), episode(failed(), scenario="b"))
    text = written(made, tmp_path)
    words = table(language, "page")
    assert f'<html lang="{language}">' in text
    for key in ("lead", "talks", "review", "facts"):
        assert f">{words[key]}<" in text
    assert data_of(text)["words"]["save"] == words["save"]


def test_what_is_said_by_the_script_is_worded_in_both_languages() -> None:
    used = set(re.findall(r'\bw\("([\w.]+)"', _SCRIPT.read_text("utf-8")))
    assert len(used) > 50
    served = {key for key in used if key.startswith("x.")}  # of the section expectations
    own = table("ja", "expectations").keys()
    assert {key.removeprefix("x.") for key in served} <= own == table("en", "expectations").keys()
    assert table("ja", "page").keys() == table("en", "page").keys()
    of_the_form = {"question", "answer", "expected", "verdict", "error_type", "corrected"}
    of_the_form |= {"comment", "reviewer"}
    named = {key for key in used - served if not key.startswith("word.")}
    assert named <= {*table("en", "page"), *of_the_form}


@pytest.mark.slow
@pytest.mark.skipif(_TSC is None, reason="needs TypeScript (tsc)")
def test_the_types_in_the_script_are_right() -> None:
    how = "--noEmit --checkJs --allowJs --strict --noUnusedLocals --noUnusedParameters"
    of = "--noImplicitReturns --target es2022 --lib es2022,dom,dom.iterable --moduleDetection force"
    command = [str(_TSC), *how.split(), *of.split(), str(_SCRIPT)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.stdout, done.returncode) == ("", 0)


def test_every_wording_of_the_page_is_used() -> None:
    room = _SCRIPT.parent
    files = [path for path in room.iterdir() if path.is_file()]
    texts = "".join(p.read_text("utf-8") for p in [*files, room.with_name("markdown.py")])
    by_kind = ("gate.", "gate_chip.", "word.", "claim.", "state.", "reader.", "trouble.")
    unused = [
        key
        for key in table("en", "page")
        if not key.startswith(by_kind) and f'"{key}"' not in texts and f"'{key}'" not in texts
    ]
    assert not unused


def test_the_review_has_the_rows_of_the_plan_in_its_order(tmp_path: Path) -> None:
    talks = [episode(FINE, WEAK, scenario=name) for name in ("a", "b", "c")]
    flagged = data_of(written(run(header(), *talks), tmp_path))["queue"]
    assert [[talk.cell.key, 2, 1] for talk in talks] == flagged
    places = [(talks[n].cell.key, turn) for n, turn in ((2, 1), (0, 2))]
    plan = ReviewPlan(tuple(PlannedAnswer(Sampled.NEAR, 1.0, (place,)) for place in places))
    found = data_of(written(run(header(review_plan=plan), *talks), tmp_path))
    assert [[*place, 1] for place in places] == found["queue"]


def test_what_to_mend_stands_there_with_the_remedy_and_users_words(tmp_path: Path) -> None:
    said = Exchange(1, "Is parking <b>free</b>?", Reply("I don't know."))
    missed = turn(rated(1), exchange=said, blames=(Fault.RETRIEVAL_MISS,))
    talk = replace(episode(missed), finding=Finding(Result.FAILED, Why.NEVER_SAID, 1))
    text = written(run(header(language="en"), talk), tmp_path)
    [shown] = re.findall(r'<ol class="faults">(.*?)</ol>', text, re.DOTALL)
    assert "make the entry easier to find" in shown
    assert "users said: “Is parking &lt;b&gt;free&lt;/b&gt;?”" in shown


WANTED = expecting(elements=["900 yen", ("a year", "12 months")], must_not=["It is free"])


def told_of(wanted: Expected, *turns: Turn, language: Language = "en") -> dict[str, Any]:
    """What the page has of one conversation."""
    with TemporaryFile() as file:
        write_json(run(header(language=language), talk_of(wanted, *turns)), file, Beside({}))
        file.seek(0)
        [found] = json.loads(gzip.decompress(file.read()))["talks"]
    return dict(found)


@pytest.mark.parametrize(
    ("language", "claims"),
    [
        (
            "en",
            [
                ["900 yen", "met", "met (text matching)", 1],
                ["a year / 12 months", "unmet", "not said (a model)", 1],
                ["does not say: It is free", "violated", "not met (text matching)", 1],
                ["gives an answer", "met", "met (text matching)", 0],
            ],
        ),
        (
            "ja",
            [
                ["900 yen", "met", "満たす（語句）", 1],
                ["a year / 12 months", "unmet", "言っていない（モデル）", 1],
                ["「It is free」と言わない", "violated", "満たさない（語句）", 1],
                ["回答を断らない", "met", "満たす（語句）", 0],
            ],
        ),
    ],
)
def test_each_claim_stands_there_with_its_state_and_who_read_it(
    language: Language, claims: list[list[str | int]]
) -> None:
    said = readings(WANTED, MET, UNKNOWN, VIOLATED)
    year = replace(said[1], state=UNMET, reader=MODEL)
    shown = told_of(WANTED, answer(*said, year), language=language)["claims"]
    assert claims == [claim[:4] for claim in shown]
    assert [claim.id for claim in claims_of(WANTED)] == [claim[4] for claim in shown]


def test_a_run_without_readings_decides_no_claim() -> None:
    found = told_of(WANTED, answer(readings=None))
    assert {("unknown", "not decided")} == {(state, told) for _, state, told, *_ in found["claims"]}
    assert "quotes" not in found["turns"][0]


def test_what_readers_quote_stands_with_its_turn_but_not_an_answer_as_a_whole() -> None:
    met, unsaid, wrong, fine = readings(WANTED, MET, UNMET, VIOLATED)
    first = [replace(met, quote="900 yen"), unsaid, replace(wrong, quote="free of charge"), fine]
    whole = [replace(met, quote="900 yen."), unsaid, wrong, fine]
    said = Exchange(1, "How much?", Reply("900 yen, or free of charge."))
    brief = Exchange(1, "How much?", Reply("900 yen."))
    one, two = told_of(WANTED, answer(*first, exchange=said), answer(*whole, exchange=brief))[
        "turns"
    ]
    assert [["900 yen", "met"], ["free of charge", "violated"]] == one["quotes"]
    assert "quotes" not in two
