"""CPU of one turn without a model: read, scored and stored, its answer and documents distinct."""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from simulator import load

_ANSWER, _DOCUMENT, _DOCUMENTS = 600, 500, 3  # characters, characters, documents a turn
_FEW, _MANY = 100, 600
_CLAIMS = (1, 4)
_SHORT = 20  # characters: a heading, no sentence
_END = re.compile(r"(?<=[.。])\s*")
_AMOUNT = re.compile(r"[0-9]+")
_WORD = re.compile("[a-z]{4,}|[ァ-ヶー]{3,}|[一-龠]{2,}")
_PROMISED_MS, _PROMISED_MORE_MS = 10, 2


def main(rounds: int) -> None:
    """Print CPU ms a turn at the margin, with one claim and with more."""
    del rounds
    print("\nturns: mogi score, answers of 600 characters beside three documents of 500, no model")
    for client in ("demo-en", "demo"):
        costs = [_marginal(client, claims) for claims in _CLAIMS]
        more = (costs[1] - costs[0]) / (_CLAIMS[1] - _CLAIMS[0])
        print(
            f"  {client:8} {costs[0]:6.1f} CPU ms with one claim (promised <= {_PROMISED_MS}),"
            f" {more:5.1f} for each more (promised <= {_PROMISED_MORE_MS})"
        )


def _marginal(client: str, claims: int) -> float:
    """CPU ms of each row beyond the first hundred."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = (_cpu_s(Path(folder), client, claims, rows) for rows in (_FEW, _MANY))
    return 1000 * (many - few) / (_MANY - _FEW)


def _cpu_s(folder: Path, client: str, claims: int, rows: int) -> float:
    file = folder / f"{rows}.jsonl"
    made = _rows(client, claims, rows)
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in made), "utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [
        str(Path(sys.executable).with_name("mogi")),
        "score",
        str(file),
        "--client",
        client,
        "--quiet",
        "--offline",
    ]
    env = os.environ | {"MOGI_STORE": f"sqlite:///{folder}/{rows}.db"}
    subprocess.run(command, env=env, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _rows(client: str, claims: int, rows: int) -> list[dict[str, Any]]:
    """Answers, documents and claims like the demo's own sentences; no two texts are the same."""
    drawn = _drawn(client)

    def text(characters: int) -> str:
        written = ""
        while len(written) < characters:
            written += f"{next(drawn)} "
        return written[:characters]

    return [
        {
            "question": next(drawn),
            "answer": text(_ANSWER),
            "context": [text(_DOCUMENT) for _ in range(_DOCUMENTS)],
            "elements": [next(drawn) for _ in range(claims)],
        }
        for _ in range(rows)
    ]


def texts(client: str, count: int) -> list[str]:
    """So many sentences like the demo's own."""
    return list(islice(_drawn(client), count))


def _drawn(client: str) -> Iterator[str]:
    """Sentences of the demo, each with another amount or word in it."""
    chance = random.Random(7)
    sentences = _sentences(client)
    words = [word for sentence in sentences for word in _WORD.findall(sentence)]
    while True:
        text = chance.choice(sentences)
        text = _AMOUNT.sub(lambda found: str(chance.randrange(10 ** len(found[0]))), text)
        place = chance.choice([*_WORD.finditer(text)])
        yield f"{text[: place.start()]}{chance.choice(words)}{text[place.end() :]}"


def _sentences(client: str) -> list[str]:
    knowledge = load(client).knowledge
    assert knowledge is not None
    texts = (text for entry in knowledge.entries for text in _END.split(entry.text))
    return [text for text in texts if len(text) > _SHORT and _WORD.search(text)]
