"""The user without a model goes by impression: right answers please it, empty words do not."""

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

import pytest

from simulator import Options, load, simulate
from simulator.files.client.folder import LoadedClient

Bot = Callable[[str, list[tuple[str, str]]], str]
ANSWERABLE = 78  # conversations of the demo in which an answer is expected
# The demo's own three, and those that are the hardest to please: they doubt, stray, and mistype.
PEOPLE = [("angry", "calm", "beginner"), ("suspicious", "rule-breaker", "typos")]
each_kind = pytest.mark.parametrize("people", PEOPLE, ids=lambda people: people[0])


async def solved(loaded: LoadedClient, bot: Bot, people: tuple[str, ...], folder: Path) -> int:
    """Conversations of the whole demo that ended with a content user."""
    options = Options(personas=people)
    run = await simulate(loaded, target=bot, options=options, store=f"sqlite:///{folder}/m.db")
    return run.summary.stops.get("done", 0)


@each_kind
@pytest.mark.parametrize("client", ["demo", "demo-en"])
async def test_most_users_are_content_with_the_expected_answers(
    client: str, people: tuple[str, ...], tmp_path: Path
) -> None:
    loaded = load(client)
    expected = {s.query: s.expected.answer or "?" for s in loaded.scenarios.values()}

    def answers(question: str, history: list[tuple[str, str]]) -> str:
        """That of the scenario whose query is nearest: some mistype their first message, too."""
        (query,) = get_close_matches(history[0][0] if history else question, expected, 1, cutoff=0)
        return expected[query]

    assert await solved(loaded, answers, people, tmp_path) >= 0.6 * ANSWERABLE


@each_kind
@pytest.mark.parametrize("client", ["demo", "demo-en"])
async def test_nobody_is_content_with_an_echo(
    client: str, people: tuple[str, ...], tmp_path: Path
) -> None:
    assert 0 == await solved(load(client), lambda question, history: question, people, tmp_path)


@each_kind
@pytest.mark.parametrize(
    ("client", "words"),
    [("demo", "お問い合わせありがとうございます。"), ("demo-en", "Thank you for contacting us.")],
)
async def test_nobody_is_content_with_courtesy(
    client: str, words: str, people: tuple[str, ...], tmp_path: Path
) -> None:
    assert 0 == await solved(load(client), lambda question, history: words, people, tmp_path)
