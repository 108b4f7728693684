"""Trying a suspected cause: the same questions are asked once more with one thing changed."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from simulator.core.plan import UserSpec
from simulator.core.result import Result
from simulator.core.run import Episode, Run
from simulator.core.scenario import Scenario
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest, Shard
from simulator.files.client.folder import LoadedClient
from simulator.improve.diagnosis import Cause, Suspect, shows
from simulator.improve.diffs import folder_state
from simulator.improve.plays import Play, check_complete

_QUESTIONS = 8  # that are asked again for one suspect
FEWEST = 3
"""Answers that have to tell something, or nothing is known."""
_CONFIRMS, _DROPS = 0.75, 0.25  # shares that confirm a suspicion, and that drop it
_FACTOR = 4  # how much longer a limit gets
_LIMITS: Mapping[Cause, str] = {Cause.CUT: "max_tokens", Cause.DEPTH: "top_k"}
_MENDED_BY_PLAIN = frozenset({Cause.PERSONA, Cause.FOLLOW_UPS, Cause.HISTORY})
_NOT_POSSIBLE = frozenset({Cause.RANK, Cause.DOCUMENT, Cause.GUIDELINE})
_CALM = "calm"
_KEPT = ("offline", "model", "judge_model", "concurrency", "budget_usd")  # options of the run


class Way(StrEnum):
    """What is changed when a question is asked again."""

    PLAIN = "plain"  # in the scenario's own words, in a new conversation
    LIMIT = "limit"  # and with a longer limit
    NONE = "none"  # nothing that mogi could change


class Standing(StrEnum):
    """What is known of a suspicion."""

    SUSPECTED = "suspected"
    CONFIRMED = "confirmed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Tested:
    """A suspect after its test: `agrees` of `decided` answers are as the suspicion says."""

    suspect: Suspect
    way: Way
    standing: Standing = Standing.SUSPECTED
    agrees: int = 0
    decided: int = 0

    @property
    def explains(self) -> bool:
        """True if its conversations need no fix of their own; what has no test may be wrong."""
        is_untested = self.standing is Standing.SUSPECTED and self.way is Way.NONE
        return self.standing is not Standing.DROPPED and not is_untested


def way_of(suspect: Suspect, loaded: LoadedClient) -> Way:
    """How a suspicion can be tested with this bot."""
    if suspect.cause in _NOT_POSSIBLE:
        return Way.NONE
    if _limit(suspect, loaded):
        return Way.LIMIT
    return Way.NONE if suspect.cause is Cause.DEPTH else Way.PLAIN


def _limit(suspect: Suspect, loaded: LoadedClient) -> Mapping[str, int]:
    """The target's setting that is the limit, several times as high; empty without one."""
    name = _LIMITS.get(suspect.cause, "")
    value = loaded.client.target.settings.get(name)
    return {name: value * _FACTOR} if isinstance(value, int) else {}


def questions_of(suspect: Suspect, loaded: LoadedClient) -> list[str]:
    """The scenarios whose questions are asked again; none where nothing can be tested."""
    if way_of(suspect, loaded) is Way.NONE:
        return []
    return [name for name in suspect.scenarios if name in loaded.scenarios][:_QUESTIONS]


def tried(run: Run, loaded: LoadedClient, suspect: Suspect, store_url: str, play: Play) -> Tested:
    """Ask the questions of a suspect again, and say whether the answers bear it out.

    A bot that cannot be reached is no evidence either way.

    Raises:
        MogiError: the play did not come to its end; what was played is kept.
        KeyboardInterrupt: likewise.
    """
    way, names = way_of(suspect, loaded), questions_of(suspect, loaded)
    if not names:
        return Tested(suspect, Way.NONE)
    asking = _asking(run, loaded, suspect, names)
    played = _played(run, asking, suspect, store_url, play)
    evidence = [_agrees(suspect, way, episode) for episode in played.episodes()]
    known = [agrees for agrees in evidence if agrees is not None]
    share = sum(known) / len(known) if known else 0.0
    standing = Standing.SUSPECTED
    if len(known) >= FEWEST and share >= _CONFIRMS:
        standing = Standing.CONFIRMED
    elif len(known) >= FEWEST and share <= _DROPS:
        standing = Standing.DROPPED
    return Tested(suspect, way, standing, sum(known), len(known))


def _agrees(suspect: Suspect, way: Way, episode: Episode) -> bool | None:
    """Whether an answer is as the suspicion says; None: it does not tell."""
    if suspect.cause is Cause.CUT:
        is_cut = shows(suspect, episode)
        return is_cut if way is Way.PLAIN or is_cut is None else not is_cut
    if way is Way.LIMIT or suspect.cause in _MENDED_BY_PLAIN:
        result = episode.finding.result if episode.finding else None
        is_known = shows(suspect, episode) is not None
        outcomes = {Result.PASSED: True, Result.FAILED: False}
        return outcomes.get(result) if result and is_known else None
    return shows(suspect, episode)


def _asking(run: Run, loaded: LoadedClient, suspect: Suspect, names: Sequence[str]) -> LoadedClient:
    """The client with these questions alone, each asked once and as it is written."""
    client = loaded.client
    follow_ups = _follow_ups(run.episodes(), suspect)
    scenarios = {name: _plain(loaded.scenarios[name], follow_ups.get(name, "")) for name in names}
    known = loaded.catalog.persona_ids(client.language)
    persona = _CALM if _CALM in known else sorted(known)[0]
    settings = {**client.target.settings, **_limit(suspect, loaded)}
    client = replace(
        client,
        target=replace(client.target, settings=settings),
        user=UserSpec(kind="scripted", open="exact"),
        assign="all",
        max_turns=1,
        min_turns=1,
        repeat=1,
        gate=None,
    )
    people = {persona: loaded.catalog.persona(client.language, persona)}
    return replace(loaded, client=client, scenarios=scenarios, personas=people)


def _plain(scenario: Scenario, follow_up: str) -> Scenario:
    query = f"{scenario.query} {follow_up}".strip()
    return replace(scenario, query=query, turns=(), personas=())


def _follow_ups(episodes: Iterable[Episode], suspect: Suspect) -> dict[str, str]:
    """By scenario, the written follow-up that failed: with the query it is a whole question."""
    keys, texts = frozenset(suspect.keys), dict[str, str]()
    for episode in episodes:
        turn = episode.finding.turn if episode.finding else None
        if episode.cell.key not in keys or turn is None or episode.scenario is None:
            continue
        said = episode.turns[turn - 1].exchange.user
        if said in episode.scenario.turns:
            texts.setdefault(episode.cell.scenario, said)
    return texts


def _played(run: Run, asking: LoadedClient, suspect: Suspect, store_url: str, play: Play) -> Run:
    header, client = run.header, asking.client
    settings = {key: value for key, value in header.options.items() if key in _KEPT}
    options = replace(Options().resuming(settings), personas=tuple(asking.personas))
    digest = hashlib.sha256(f"{header.id}\0{suspect.cause}\0{suspect.levels}".encode())
    for scenario in asking.scenarios.values():
        digest.update(repr(sorted(scenario.identity().items(), key=str)).encode())
    digest.update(repr(sorted(client.target.settings.items(), key=str)).encode())
    digest.update(folder_state(Path(client.folder)))
    shard = Shard(1, 1, digest.hexdigest())
    played = play(RunRequest(asking, options, store_url, shard=shard))
    check_complete(played, "the test of a suspect", store_url)
    return played
