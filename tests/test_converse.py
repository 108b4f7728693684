"""The loop: who speaks when, and with what it ends."""

from simulator.converse import converse
from simulator.core.errors import TargetFault
from simulator.core.talk import Exchange, Reply, Stop, StopReason, Talk, TargetFailure, Utterance

DONE = Stop(StopReason.DONE, "enough")


class Speaker:
    """Says what it is given, one after the other, and notes how much was said before."""

    def __init__(self, *said: Utterance) -> None:
        self._said = list(said)
        self.heard: list[int] = []

    async def speak(self, talk: Talk) -> Utterance:
        self.heard.append(len(talk))
        return self._said.pop(0)

    def unasked(self, talk: Talk) -> tuple[str, ...]:
        return ()


class Bot:
    def __init__(self, fails_at: int = 0) -> None:
        self.asked: list[tuple[str, int]] = []
        self._fails_at = fails_at

    async def answer(self, question: str, talk: Talk) -> Reply | TargetFailure:
        self.asked.append((question, len(talk)))
        if len(self.asked) == self._fails_at:
            return TargetFailure(TargetFault.TIMEOUT, "no answer")
        return Reply(f"to {question}")

    async def leave(self, episode: str) -> None: ...

    async def close(self) -> None: ...


async def held(
    speaker: Speaker, bot: Bot | None = None, max_turns: int = 3
) -> tuple[list[str], Stop]:
    """What was said by both, and the one stop, which comes last."""
    events = [e async for e in converse(speaker, bot or Bot(), "s/p/1", max_turns)]
    stop = events.pop()
    exchanges = [e for e in events if isinstance(e, Exchange)]
    assert isinstance(stop, Stop)
    assert len(events) == len(exchanges)
    assert list(range(1, len(events) + 1)) == [e.turn for e in exchanges]
    return [f"{e.user} / {e.assistant}" for e in exchanges], stop


async def test_it_goes_on_until_the_turns_are_used_up() -> None:
    speaker, bot = Speaker(*(Utterance(t) for t in "abc")), Bot()
    said, stop = await held(speaker, bot)
    assert (["a / to a", "b / to b", "c / to c"], StopReason.MAX_TURNS) == (said, stop.reason)
    assert [0, 1, 2] == speaker.heard  # nobody is asked for a turn that cannot come
    assert [("a", 0), ("b", 1), ("c", 2)] == bot.asked


async def test_a_message_that_comes_with_a_stop_is_delivered_first() -> None:
    said, stop = await held(Speaker(Utterance("a"), Utterance("thanks", DONE)))
    assert (["a / to a", "thanks / to thanks"], DONE) == (said, stop)


async def test_a_stop_without_a_message_ends_the_talk_as_it_is() -> None:
    said, stop = await held(Speaker(Utterance("a"), Utterance(stop=DONE)))
    assert (["a / to a"], DONE) == (said, stop)


async def test_a_stop_in_the_last_turn_says_why() -> None:
    said, stop = await held(Speaker(Utterance("a", DONE)), max_turns=1)
    assert (1, DONE) == (len(said), stop)


async def test_a_failed_target_ends_the_talk_whatever_the_user_wanted() -> None:
    for last in (Utterance("b"), Utterance("b", DONE)):
        said, stop = await held(Speaker(Utterance("a"), last), Bot(fails_at=2))
        assert (["a / to a", "b / "], StopReason.TARGET_FAILED) == (said, stop.reason)
        assert "timeout: no answer" == stop.detail


async def test_saying_nothing_is_the_users_failure() -> None:
    bot = Bot()
    said, stop = await held(Speaker(Utterance("a"), Utterance()), bot)
    assert (["a / to a"], StopReason.USER_FAILED, 1) == (said, stop.reason, len(bot.asked))
