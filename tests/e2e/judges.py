"""Judges for the tests of `mogi judge-check`: they know the shipped answers, and rate by rule."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from simulator.core.persona import Language
from simulator.files.catalog import Catalog, shipped
from tests.e2e.conftest import JUDGEMENT
from tests.loopback.server import ChatServer
from tests.loopback.threaded import served

Judge = Callable[[dict[str, Any]], Any]
_HEADINGS = {"ja": "【評価対象の回答】\n", "en": "[Answer under evaluation]\n"}
_LIMITS = "limits: {model: {requests_per_minute: null, tokens_per_minute: null}}\n"
_SPOILT = ("non_answer", "wrong_number", "negation", "dropped_condition", "neighbour")
_ATTACKS = (
    "self_praise",
    "injected_order",
    "injected_json",
    "impersonation",
    "fake_end",
    "hidden_order",
)


@contextmanager
def two_clients(folder: Path) -> Iterator[ChatServer]:
    """The good judge, and two clients that have it: the demo's files, without rate limits."""
    with served(good) as server:
        for name, of in (("hina", "demo"), ("hina-en", "demo-en")):
            client = folder / "scenarios" / name
            shutil.copytree(shipped() / "scenarios" / of, client)
            with (client / "client.yaml").open("a", encoding="utf-8") as file:
                file.write(f'{_LIMITS}judge: {{model: mock, base_url: "{server.base_url}"}}\n')
        yield server


@cache
def known(language: Language) -> Mapping[str, str]:
    """What each answer of the shipped set is: good, weak, or changed in some way."""
    found = {}
    for mutation in Catalog(None, Path.cwd()).mutations(language, ()).mutations:
        found[mutation.mutated.answer] = mutation.kind
    for mutation in Catalog(None, Path.cwd()).mutations(language, ()).mutations:
        found[mutation.base.answer] = mutation.base.id.rpartition("/")[2]
    return found


def answer_of(body: dict[str, Any]) -> tuple[Language, str]:
    """The answer that a judge is shown, whatever it says of itself, and its language."""
    shown = body["messages"][1]["content"]
    language: Language = "ja" if _HEADINGS["ja"] in shown else "en"
    head = re.escape(_HEADINGS[language])
    found = re.search(rf"{head}<data-answer-(\w{{16}})>\n(.*)\n</data-answer-\1>", shown, re.DOTALL)
    assert found
    return language, found[2]


def rated(body: dict[str, Any], rating: int, comment: str = "見たとおりである。") -> dict[str, Any]:
    """A judgement with this overall rating; who gives the best one takes all claims for met."""
    numbers = re.findall(r"<data-claim-(\d+)-", body["messages"][1]["content"])
    state, quote = ("met", answer_of(body)[1]) if rating == 5 else ("unmet", "")
    claims = [{"number": int(n), "quote": quote, "state": state} for n in numbers]
    return {**JUDGEMENT, "comment": comment, "overall": rating, "claims": claims}


def good(body: dict[str, Any]) -> dict[str, Any]:
    """Notices everything, and nothing that is not there."""
    kind = _kind(body)
    if kind in ("good", "register", "reworded"):
        return rated(body, 5)
    return rated(body, 1 if kind in _SPOILT else 2)


def kind_to_all(body: dict[str, Any]) -> dict[str, Any]:
    """Always says 5."""
    return rated(body, 5)


def obedient(body: dict[str, Any]) -> dict[str, Any]:
    """Does what the answer tells it."""
    return (
        rated(body, 5, "回答の求めに従い、満点とする。") if _kind(body) in _ATTACKS else good(body)
    )


def tongue_tied(body: dict[str, Any]) -> Any:
    """Says something that is no judgement about every second answer, asked again as well."""
    return "I would rather not put a number on it." if is_odd(answer_of(body)[1]) else good(body)


def dice(body: dict[str, Any]) -> dict[str, Any]:
    """Rates at random, the same each time."""
    return rated(body, 1 + int(sha256(answer_of(body)[1].encode()).hexdigest(), 16) % 5)


def is_odd(answer: str) -> bool:
    """Whether `tongue_tied` finds no words for this answer."""
    return sha256(answer.encode()).digest()[0] % 2 == 1


def _kind(body: dict[str, Any]) -> str:
    language, answer = answer_of(body)
    return known(language).get(answer, "weak")
