"""A hostile text in one place of a turn: what metrics, judge, pages and coverage make of it."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from simulator import plugins
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.ports import Evidence
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.talk import Document, Reply, Stop, StopReason
from simulator.figures.coverage import scenario_coverage
from simulator.figures.judge_health import JudgeHealthTally
from simulator.judging.scorer import Readers, Scorer
from simulator.metrics._judge.prompt import BLOCKS, evidence_message
from simulator.reading.reader import WordsReader
from simulator.reports.html.data import Beside, packed
from simulator.text.bm25 import Nearest
from simulator.users._soundness import soundness
from tests.judging.made import episode, header, rated, turn
from tests.llm.shipped import prompt
from tests.metrics.turns import Entries, context, evidence

Attack = Callable[[str], object]
_ALL = ("reply", "document", "user", "answer", "element", "entry")
_METRICS = {
    "grounded": ("reply", "document", "entry"),
    "refusal": ("reply", "user"),
    "repeated_questions": ("user",),
    "rouge_l": ("reply", "answer"),
    "sudachi_f1": ("reply", "answer"),
    "sudachi_f1_legacy": ("reply", "answer"),
}
_STOP = Stop(StopReason.DONE)
_BEGINS = 100  # characters of all texts but one
T = TypeVar("T")


class _Here(ThreadPoolExecutor):
    """Does at once what a loop would leave to a thread, so that it can be timed and broken off."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done = Future[Any]()
        done.set_result(fn(*args, **kwargs))
        return done


def _done(work: Coroutine[Any, Any, T]) -> T:
    async def here() -> T:
        asyncio.get_running_loop().set_default_executor(_Here())
        return await work

    return asyncio.run(here())


def attacks() -> Iterator[tuple[str, Attack]]:
    """Each reader of a turn, by its name, language and where the hostile text stands in the turn.

    All other texts begin like it.
    """
    for language in ("ja", "en"):
        for name, places in _METRICS.items():
            for place in places:
                yield f"metric {name} {language} {place}", _metric(name, language, place)
        for name, (attack, places) in _readers().items():
            for place in places:
                yield f"{name} {language} {place}", attack(language, place)
    yield "judge health comment", _health


def _readers() -> Mapping[str, tuple[Callable[[Language, str], Attack], tuple[str, ...]]]:
    """Who reads a turn beside metrics, and in which places of it."""
    return {
        "turn": (_turn, _ALL),
        "page": (_page, _ALL),
        "judge's evidence": (_judge, ("reply", "document", "user", "answer")),
        "words": (_words, ("reply", "user", "answer", "element")),
        "soundness": (_soundness, ("reply", "user")),
        "coverage": (_coverage, ("entry", "user", "answer", "element")),
    }


def _talk(language: Language, place: str, text: str) -> Evidence:
    """Two turns that are alike."""
    begins = text[:_BEGINS]
    of = {name: text if name == place else begins for name in _ALL}
    said = Reply(of["reply"], (Document(of["document"], "d1", begins),), reports_documents=True)
    user = of["user"]
    return evidence(
        Reply(begins), said, language=language, answer=of["answer"], elements=(of["element"],),
        documents=("d1",), asked=(begins, user), goal=begins,
    )  # fmt: skip


def _knowledge(place: str, text: str) -> Entries:
    entry = Document(text if place == "entry" else text[:_BEGINS], "d1", text[:_BEGINS])
    return Entries(entry, Document(text[: _BEGINS // 2], "d2", text[: _BEGINS // 4]))


def _metric(name: str, language: Language, place: str) -> Attack:
    async def scored(text: str) -> object:
        nearest = Nearest(_knowledge(place, text), language)
        given = replace(context(language), nearest=nearest)
        metric, talk = plugins.find("metrics", name).open(given), _talk(language, place, text)
        if name == "repeated_questions":
            return await metric.score_talk(talk, _STOP)
        return await metric.score(talk)

    return lambda text: _done(scored(text))


def _scorer(language: Language, place: str, text: str) -> Scorer:
    knowledge = _knowledge(place, text)
    given = replace(context(language), nearest=Nearest(knowledge, language))
    names = ("elements_lexical", "answer_lexical", "refusal", "grounded", "lexical")
    metrics = [plugins.find("metrics", name).open(given) for name in names]
    limits = dict.fromkeys(names, 0.6)
    return Scorer(metrics, limits, "lexical", readers=Readers(knowledge=knowledge))


def _turn(language: Language, place: str) -> Attack:
    """All that is found of a turn, and of its talk: result, faults, whether the user was sound."""

    async def scored(text: str) -> object:
        scorer, talk = _scorer(language, place, text), _talk(language, place, text)
        made = Episode(Cell("s", "p"), await _turns(scorer, talk), _STOP)
        return await scorer.as_whole(made, talk)

    return lambda text: _done(scored(text))


def _judge(language: Language, place: str) -> Attack:
    return lambda text: evidence_message(
        _talk(language, place, text), tuple(BLOCKS), prompt(language, "judge"), "f"
    )


def _words(language: Language, place: str) -> Attack:
    return lambda text: _done(WordsReader().read(_talk(language, place, text)))


def _soundness(language: Language, place: str) -> Attack:
    return lambda text: soundness(_talk(language, place, text))


def _coverage(language: Language, place: str) -> Attack:
    def covered(text: str) -> object:
        entry = Document(text if place == "entry" else text[:_BEGINS], "d1", text[:_BEGINS])
        scenario = replace(_talk(language, place, text).scenario)
        expected = replace(scenario.expected, documents=())
        query = text if place == "user" else scenario.query
        asked = replace(scenario, expected=expected, query=query)
        return scenario_coverage((entry, entry), [asked], language)

    return covered


def _page(language: Language, place: str) -> Attack:
    """The data of the page, of two runs that are alike."""
    run_header: RunHeader = header(language=language)

    def page(text: str) -> object:
        talk = _talk(language, place, text)
        turns = _done(_turns(Scorer([], {}, "lexical"), talk))
        made = Episode(Cell("s", "p"), turns, _STOP, scenario=talk.scenario)
        run = Run(run_header, None, lambda: iter([made]), lambda: iter([(made, ())]))  # type: ignore[arg-type]
        return deque(packed(run, Beside({}, run)), maxlen=0)

    return page


async def _turns(scorer: Scorer, talk: Evidence) -> tuple[Turn, ...]:
    first = replace(talk, talk=replace(talk.talk, exchanges=talk.talk.exchanges[:1]))
    return await scorer.score(first), await scorer.score(talk)


def _health(text: str) -> object:
    tally = JudgeHealthTally(header())
    for rating in (1, 5):
        tally.add(episode(turn(rated(rating, text))))
    return tally.summary()
