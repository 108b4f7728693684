"""The loop: a simulated user and a bot talk until one of them ends it."""

from collections.abc import AsyncIterator

from simulator.core.ports import Answerer, Speaker
from simulator.core.talk import Exchange, Stop, StopReason, Talk


async def converse(
    user: Speaker, target: Answerer, episode: str, max_turns: int, take: int = 0
) -> AsyncIterator[Exchange | Stop]:
    """Yield each exchange as soon as the target has answered, and the typed stop at the end.

    At most `max_turns` exchanges; a message that comes with a stop is delivered first.
    """
    talk = Talk(episode, take=take)
    while len(talk) < max_turns:
        utterance = await user.speak(talk)
        if utterance.text:
            talk = talk.with_exchange(utterance, await target.answer(utterance.text, talk))
            yield talk.last
        stop = talk.failure or utterance.stop
        if stop or not utterance.text:
            yield stop or Stop(StopReason.USER_FAILED, "the user said nothing")
            return
    yield Stop(StopReason.MAX_TURNS)
