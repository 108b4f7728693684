from typing import Any

import pytest

from simulator.core.plan import TargetSpec
from simulator.files.client.client_yaml import read_target
from tests.files.client.rooms import Rooms, rooms
from tests.formats.written import marked

__all__ = ["rooms"]
pytestmark = pytest.mark.usefixtures("rooms")


def _complaints(target: str) -> list[str]:
    return [str(c) for c in read_target(marked(f"target: {target}")).complaints]


def test_the_keys_of_the_kind_are_its_settings() -> None:
    found = read_target(marked("target: {kind: demo, top_k: 5, body: {a: }, timeout_s: 3}"))
    assert () == found.complaints
    assert TargetSpec("demo", {"top_k": 5, "body": {"a": None}}, timeout_s=3.0) == found.spec
    assert found.local


def test_a_kind_that_does_not_say_where_it_lives_is_remote() -> None:
    assert not read_target(marked("target: {kind: remote, url: x}")).local


@pytest.mark.parametrize(
    ("keys", "stateful"),
    [("", False), (", session: true", True), (", session: false, stateful: true", True)],
)
def test_a_kind_says_whether_the_bot_keeps_the_talk(keys: str, stateful: bool) -> None:
    found = read_target(marked(f"target: {{kind: remote, url: x{keys}}}"))
    assert stateful is found.spec.stateful


def test_settings_open_the_kind_again(rooms: Rooms) -> None:
    spec = read_target(marked("target: {kind: demo, names: [a, b], in: html}")).spec
    settings: Any = rooms.find("targets", "demo")
    assert ("a", "b") == settings.Settings(**spec.settings).names


def test_keys_that_were_left_empty_are_not_settings() -> None:
    assert {} == read_target(marked("target: {kind: demo, top_k: }")).spec.settings


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("{}", "target.kind is missing; write the kind of bot, such as demo or function"),
        ("{kind: 3}", 'target.kind: no target "3"; choose from: demo, remote'),
        (
            "{kind: [a]}",
            ("target.kind: a list is not text; write the kind of bot, such as demo or function"),
        ),
        (
            "{kind: dmeo, top_k: x}",
            ('target.kind: no target "dmeo"; did you mean demo? choose from: demo, remote'),
        ),
        (
            "{kind: demo, top_k: true}",
            (
                "target.top_k: true is not a whole number; "
                "write a whole number (documents for a turn)"
            ),
        ),
        (
            "{kind: demo, top_k: '3'}",
            (
                'target.top_k: "3" is not a whole number; '
                "write a whole number (documents for a turn), without quotes"
            ),
        ),
        (
            "{kind: demo, names: a}",
            (
                'target.names: "a" is not a list; '
                "write it in brackets, [a, b], or with - before each entry"
            ),
        ),
        (
            "{kind: demo, topk: 3}",
            (
                'target: unknown key "topk"; did you mean top_k? choose from: top_k, '
                "names, body, in, kind, stateful, timeout_s, version, watch"
            ),
        ),
        (
            "{kind: demo, body: {a: [b]}}",
            ("target.body.a: a list is not text; write text, in quotes if it begins with [ or {"),
        ),
        (
            "{kind: demo, stateful: 1}",
            ("target.stateful: 1 is not true or false; write true or false"),
        ),
        (
            "{kind: demo, timeout_s: 0}",
            ("target.timeout_s: 0 is too small; write a number of seconds above 0"),
        ),
        ("{kind: remote}", "target.url is missing; write it (where the bot answers)"),
    ],
)
def test_what_is_wrong_with_a_target_is_explained(target: str, complaint: str) -> None:
    assert [f"x.yaml:1: {complaint}"] == _complaints(target)


def test_complaints_of_common_and_own_keys_come_together() -> None:
    assert 2 == len(_complaints("{kind: demo, timeout_s: 0, top_k: 0}"))
