"""Episodes and headers come back from JSON text as they went in."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.errors import TargetFault
from simulator.core.outcome import Gap, MetricInfo, Score, Unscored
from simulator.core.plan import Cell, Gate
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import KnowledgeCoverage
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason, TargetFailure
from simulator.core.verdict import Audit
from simulator.store import codec
from tests.store.samples import HEADER

texts = st.text(max_size=20)
numbers = st.floats(allow_nan=False) | st.integers(-(10**6), 10**6)
names = st.lists(texts, max_size=3).map(tuple)
documents = st.builds(Document, texts, st.none() | texts, texts)
replies = st.builds(
    Reply,
    texts,
    st.lists(documents, max_size=3).map(tuple),
    numbers,
    st.booleans(),
    trace=texts,
    at=numbers,
) | st.builds(TargetFailure, st.sampled_from(TargetFault), texts, numbers, numbers)
parts = st.dictionaries(texts, numbers, max_size=2)
named = st.lists(texts, max_size=2).map(tuple)
outcomes = st.builds(Score, numbers, numbers, texts, parts, named) | st.builds(
    Unscored, st.sampled_from(Gap), texts
)
turns = st.builds(
    Turn,
    exchange=st.builds(Exchange, st.just(0), texts, replies, texts, numbers),
    outcomes=st.dictionaries(texts, outcomes, max_size=3),
    flags=names,
    flagged=st.booleans(),
    blames=st.lists(texts, max_size=3).map(tuple),
    soundness=names,
    judge_ms=numbers,
)
episodes = st.builds(
    Episode,
    cell=st.builds(Cell, texts, texts, st.integers(1, 99)),
    turns=st.lists(turns, max_size=4).map(
        lambda found: tuple(
            replace(t, exchange=replace(t.exchange, turn=n)) for n, t in enumerate(found, 1)
        )
    ),
    stop=st.builds(Stop, st.sampled_from(StopReason), texts, names),
    outcomes=st.dictionaries(texts, outcomes, max_size=3),
    rerun_for=names,
)
# What a path that is no text looks like to Python: bytes as lone surrogates.
weird = st.text(st.characters() | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF))
values = st.recursive(
    st.none() | st.booleans() | numbers | weird,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(weird, inner, max_size=3),
    max_leaves=5,
)
scopes = st.sampled_from(["turn", "talk"])
infos = st.builds(
    MetricInfo, texts, texts, numbers, numbers, names, st.booleans(), texts, scopes, names
)
gates = st.builds(Gate, numbers, st.none() | numbers, names, st.booleans())
headers = st.builds(
    RunHeader,
    id=texts,
    client=weird,
    folder=weird,
    language=st.sampled_from(["ja", "en"]),
    timezone=texts,
    started=texts,
    offline=st.booleans(),
    score_by=texts,
    planned=st.integers(0, 10**9),
    metrics=st.lists(infos, max_size=3).map(tuple),
    thresholds=st.dictionaries(texts, numbers, max_size=3),
    gate=st.none() | gates,
    version=texts,
    secret=texts,
    options=st.dictionaries(weird, values, max_size=3),
    snapshot=st.dictionaries(weird, values, max_size=3),
    finished=st.none() | texts,
    status=texts,
    notes=names,
    wall_s=numbers,
    audit=st.builds(Audit, st.floats(0, 1), st.integers(0, 2**40)),
    coverage=st.none() | st.builds(KnowledgeCoverage, names, *[st.integers(0, 10**6)] * 3),
)


@given(episodes)
def test_any_episode_comes_back(episode: Episode) -> None:
    back = codec.episode_from_json(codec.episode_to_json(episode))
    assert episode == back
    assert [list(t.outcomes) for t in episode.turns] == [list(t.outcomes) for t in back.turns]


@given(headers)
def test_any_header_comes_back(header: RunHeader) -> None:
    assert header == codec.header_from_json(codec.header_to_json(header))


@given(headers)
def test_a_header_is_text_that_every_store_can_keep(header: RunHeader) -> None:
    assert codec.header_to_json(header).isascii()


def test_what_comes_back_has_the_types_that_went_in() -> None:
    failure = TargetFailure(TargetFault.TIMEOUT, "60 s", 60000.0)
    turn = Turn(Exchange(1, "q", failure), {"m": Unscored(Gap.TARGET_FAILED)})
    episode = Episode(Cell("s", "p", 2), (turn,), Stop(StopReason.TARGET_FAILED, "late"))
    back = codec.episode_from_json(codec.episode_to_json(episode))
    assert StopReason.TARGET_FAILED is back.stop.reason
    assert failure == back.turns[0].exchange.reply
    assert Unscored(Gap.TARGET_FAILED) == back.turns[0].outcomes["m"]


def test_a_header_of_a_slightly_newer_mogi_is_read_without_what_is_new() -> None:
    data = json.loads(codec.header_to_json(HEADER))
    data["mood"] = "good"
    data["metrics"][0]["colour"] = "red"
    assert HEADER == codec.header_from_json(json.dumps(data))


def test_a_header_of_a_slightly_older_mogi_gets_the_defaults() -> None:
    data = json.loads(codec.header_to_json(HEADER))
    for name in ("notes", "wall_s", "finished", "audit", "coverage"):
        del data[name]
    assert HEADER == codec.header_from_json(json.dumps(data))


@pytest.mark.parametrize(("kept", "found"), [("unused", ("unused",)), (None, ())])
def test_an_episode_of_an_older_mogi_had_one_fault_a_turn_or_none(
    kept: str | None, found: tuple[str, ...]
) -> None:
    turn = Turn(Exchange(1, "q", Reply("a")), {}, flagged=True, blames=("style", "unused"))
    data = json.loads(
        codec.episode_to_json(Episode(Cell("s", "p"), (turn,), Stop(StopReason.DONE)))
    )
    del data["turns"][0]["blames"]
    data["turns"][0]["blame"] = kept
    assert found == codec.episode_from_json(json.dumps(data)).turns[0].blames


def test_an_episode_of_a_slightly_older_mogi_says_of_documents_what_it_shows() -> None:
    exchanges = (Exchange(1, "q", Reply("a")), Exchange(2, "q", Reply("a", (Document("d"),))))
    turns = tuple(Turn(exchange, {}) for exchange in exchanges)
    old = Episode(Cell("s", "p", 1), turns, Stop(StopReason.DONE))
    data = json.loads(codec.episode_to_json(old))
    for turn in data["turns"]:
        del turn["reply"]["reports"]
    back = codec.episode_from_json(json.dumps(data))
    assert old == back
    assert [False, True] == [t.exchange.reply.reports_documents for t in back.turns]  # type: ignore[union-attr]


def test_japanese_stays_readable_in_the_store() -> None:
    assert '{"a":"日本"}' == codec.dumps({"a": "日本"})
