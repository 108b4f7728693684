"""What `--dry-run` says before a run, beside what the run then used: calls, and USD.

Each client is estimated and played twice in a new store: at first what is likely is assumed, then
it is what the first run used, for other conversations (the other half of them, by persona). Users
and judge are stand-ins on loopback whose tokens are counted as tokenisers do: users who leave after
one, two or three turns, and users who say the same thing again and again, which is not sound, so
that each of their talks is held again.
"""

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

from benchmarks.server import JUDGEMENT
from simulator.cli.app import run as run_command
from simulator.files.catalog import shipped
from tests.loopback.replies import Says
from tests.loopback.threaded import served

_LINES = """
user: {model: u, base_url: "%(url)s"}
judge: {model: j, base_url: "%(url)s"}
prices: {u: {input: 0.1, output: 0.5, cached: 0.01}, j: {input: 1, output: 5, cached: 0.05}}
"""
_SMALL = """language: ja
target: {kind: function, function: "bot:answer"}
personas: [calm, angry, business, beginner, elderly, hurried]
max_turns: 4
"""
_BOT = "def answer(question, history):\n    return '送料は全国一律で500円です。' * 3\n"
_ANSWER = "お問い合わせありがとうございます。送料は全国一律で500円です。" * 4  # of the demo's bot
_HALVES = (("calm", "hurried", "business"), ("angry", "beginner", "elderly"))
_SAID = {
    "ja": tuple(
        f"{about}もう少し詳しく教えていただけますか。"
        for about in (
            "送料について、",
            "返品のときは、",
            "支払い方法なのですが、",
            "まだ分からなくて、",
        )
    ),
    "en": tuple(
        f"{about} could you tell me a little more?"
        for about in (
            "About shipping,",
            "And for returns,",
            "What about paying,",
            "I am not sure yet,",
        )
    ),
}


def _tokens(text: str) -> int:
    """About as many as today's tokenisers make of it."""
    plain = sum(char < "\u0100" for char in text)
    return round(plain / 4 + 0.75 * (len(text) - plain))


def _leaves(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a user says who leaves after one, two or three turns, as its prompt has it."""
    turns = sum(message["role"] == "assistant" for message in body["messages"])
    last = 1 + sha256(body["messages"][0]["content"].encode()).digest()[0] % 3
    if turns >= last:
        return {"thought": "これで分かった", "message": "", "stop": "done", "reason": "解決した"}
    lines = _SAID["en" if " the " in body["messages"][0]["content"] else "ja"]
    said = lines[turns % len(lines)]
    return {"thought": "まだ聞きたい", "message": said, "stop": "none", "reason": ""}


def _repeats(body: Mapping[str, Any]) -> dict[str, Any]:
    del body
    said = "送料について、もう少し詳しく教えていただけますか。"
    return {"thought": "まだ聞きたい", "message": said, "stop": "none", "reason": ""}


def _model(user: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[[dict[str, Any]], Says]:
    def answer(body: dict[str, Any]) -> Says:
        form = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        told = JUDGEMENT if "overall" in form.get("properties", {}) else user(body)
        text = json.dumps(told, ensure_ascii=False) if form else _ANSWER
        asked = sum(_tokens(message["content"]) for message in body["messages"])
        asked += _tokens(json.dumps(form, ensure_ascii=False))
        usage = {"prompt_tokens": asked, "completion_tokens": _tokens(text)}
        return Says(text, usage=usage)

    return answer


def _mogi(*args: str) -> dict[str, Any]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run_command((*args, "--json"))
    if not out.getvalue():
        raise SystemExit(f"mogi {' '.join(args)}: {status}\n{err.getvalue()}")
    return json.loads(out.getvalue())  # type: ignore[no-any-return]


@contextmanager
def _folder(client: str, lines: str) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as place, chdir(place):
        folder = Path("scenarios/client")
        if client != "small":
            shutil.copytree(shipped() / "scenarios" / client, folder)
            text = (folder / "client.yaml").read_text("utf-8")
        else:
            folder.mkdir(parents=True)
            questions = ("送料はいくらですか", "返品できますか", "支払い方法は何がありますか")
            rows = (f"- {{id: s{n}, query: {q}}}\n" for n, q in enumerate(questions))
            (folder / "scenarios.yaml").write_text("".join(rows), "utf-8")
            (folder / "bot.py").write_text(_BOT, "utf-8")
            text = _SMALL
        (folder / "client.yaml").write_text(text + lines, "utf-8")
        yield


def _asked(run: str) -> int:
    """How often the bot was asked, talks that were held again with it."""
    with sqlite3.connect("mogi.db") as store:
        query = "SELECT count(*) FROM calls WHERE run = ? AND role = 'target' AND model = ''"
        (count,) = store.execute(query, (run,)).fetchone()
    return int(count)


def _compared(name: str, when: str, *options: str) -> None:
    guess = _mogi("run", "client", "--dry-run", *options)
    used = _mogi("run", "client", *options)
    pairs = [("bot", guess["target_calls"], _asked(used["run"]))]
    pairs += [(r["role"], r["calls"], used["calls"][r["role"]]) for r in guess["roles"]]
    if used["cost_usd"]:
        pairs.append(("USD", guess["cost_usd"], used["cost_usd"]))
    for what, bounds, real in pairs:
        low, likely, high = (bounds[key] for key in ("lowest", "likely", "highest"))
        form = ".4f" if what == "USD" else ",.0f"
        said = "  ".join(f"{n:>{10}{form}}" for n in (low, likely, high, real))
        held = "yes" if low <= real <= high else "NO"
        print(f"{name:28}{when:7}{what:7}{said}{likely / real - 1:>+9.0%}  {held}")


def main(rounds: int) -> None:
    """Print the table; it is the same in each round."""
    del rounds
    print("\ndry_run: what is said beforehand, and what is then used")
    heads = "".join(f"{head:>12}" for head in ("lowest", "likely", "highest", "used"))
    print(f"{'':42}{heads[2:]}{'likely':>9}  in range")
    first, second = ([f"--persona={p}" for p in half] for half in _HALVES)
    for client in ("demo", "demo-en"):
        with _folder(client, ""):
            _compared(f"{client}, by rules", "first", *first)
            _compared(f"{client}, by rules", "second", *second)
    for how, user in (("leave", _leaves), ("repeat", _repeats)):
        with served(_model(user)) as server:
            os.environ["OPENAI_API_KEY"] = "none"
            lines = _LINES % {"url": server.base_url}
            for client in ("demo", "demo-en", "small"):
                with _folder(client, lines):
                    _compared(f"{client}, users {how}", "first", *first)
                    _compared(f"{client}, users {how}", "second", *second)
