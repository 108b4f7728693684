"""Bots that fail in every way there is: theirs is the conversation, never the run."""

from pathlib import Path

from tests.e2e.conftest import Mogi

CLIENT = """\
language: en
target: {kind: function, function: "bot:answer"}
personas: [calm]
max_turns: 2
"""


def client(folder: Path, bot: str, scenarios: int = 6, more: str = "") -> Path:
    """The client `shop` with that bot; scenario N asks question N."""
    place = folder / "scenarios" / "shop"
    place.mkdir(parents=True)
    (place / "client.yaml").write_text(CLIENT + more, "utf-8")
    asked = (
        f'- {{id: s{n}, query: "question {n}?", expected: {{elements: [fine]}}}}\n'
        for n in range(scenarios)
    )
    (place / "scenarios.yaml").write_text("".join(asked), "utf-8")
    (place / "bot.py").write_text(bot, "utf-8")
    return place


def test_a_bot_that_only_fails_ends_the_run_and_its_mended_self_goes_on(
    mogi: Mogi, tmp_path: Path
) -> None:
    place = client(
        tmp_path, "def answer(question, history):\n    raise RuntimeError('no index')\n", 60
    )
    done = mogi("run", "shop", "--json", "--concurrency", "4")
    assert (3, "unreachable") == (done.status, done.json["status"])
    assert done.json["calls"]["target"] < 20
    assert (0, 60) == (done.json["conversations"], done.json["unfinished"])
    assert "the bot failed 10 times in a row, in 10 scenarios" in done.err
    assert "no index" in done.err
    (place / "bot.py").write_text("def answer(question, history):\n    return 'fine'\n", "utf-8")
    whole = mogi("run", "--resume", "latest", "--force", "--json")
    assert (0, 60, 0) == (whole.status, whole.json["passed"], whole.json["unfinished"])


def test_one_scenario_that_always_fails_ends_nothing(mogi: Mogi, tmp_path: Path) -> None:
    bot = (
        "def answer(question, history):\n"
        "    if '3' in question:\n"
        "        raise RuntimeError('not this one')\n"
        "    return 'fine'\n"
    )
    client(tmp_path, bot)
    done = mogi("run", "shop", "--json", "--repeat", "12", "--concurrency", "2")
    found = done.json
    assert (0, 72, 60, 12) == (
        done.status,
        found["conversations"],
        found["passed"],
        found["failed"],
    )
