"""The page's view of pairs: what it shows, and what it keeps."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import ValidationError

from simulator.core.errors import InputError
from simulator.improve.pairs import Pair, Right, rights_of
from simulator.improve.pairs_page import PairsDoor
from simulator.improve.stored import keep_pairs, read_choices

RUN = "3f9ab2c1"
PAIR = Pair("How much?", "5 pounds", "7 pounds", "unclear")


def row(right: str | None) -> dict[str, object]:
    return {"key": PAIR.key, "pair": asdict(PAIR), "right": right}


def sent(key: str, right: str) -> bytes:
    return json.dumps({"choices": {key: right}}).encode()


def test_a_choice_is_kept_as_that_of_a_worksheet(tmp_path: Path) -> None:
    door = PairsDoor(RUN, "en", tmp_path)
    assert door.state()["rows"] == []
    keep_pairs(RUN, [PAIR], tmp_path)
    state = door.state()
    assert (state["rows"], state["chosen"]) == ([row(None)], "")
    assert door.take(sent(PAIR.key, "after"))["rows"] == [row("after")]
    assert rights_of(read_choices(RUN, tmp_path)) == {PAIR.key: Right.AFTER}


def test_what_is_no_choice_of_a_known_pair_is_refused(tmp_path: Path) -> None:
    keep_pairs(RUN, [PAIR], tmp_path)
    door = PairsDoor(RUN, "en", tmp_path)
    with pytest.raises(InputError, match="isn't in this run's"):
        door.take(sent("0badc1a1", "after"))
    for body in (sent(PAIR.key, "both"), b'{"choices": {}, "path": "/etc"}', b"["):
        with pytest.raises(ValidationError):
            door.take(body)
    assert read_choices(RUN, tmp_path) == ()
