"""The talks of a stored run: to be judged again, and what they were judged by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.core.errors import InputError
from simulator.core.persona import Language, Persona
from simulator.core.plan import Cell
from simulator.core.run import Episode, RecordedTalk, RunHeader
from simulator.core.scenario import Scenario
from simulator.execution import snapshot
from simulator.execution.episodes import Recorded
from simulator.execution.plan import is_scripted, personas_of
from simulator.execution.snapshot import note
from simulator.files.client.folder import LoadedClient
from simulator.store.store import Store
from simulator.words import counted

_NAMED = 5  # names in a note
# What a run was held with, and what of it its judgements do not say.
_OF_TALKING = ("client.target.", "client.user.", "target_files", "target_model")


@dataclass(frozen=True, slots=True)
class _Material:
    """What the stored talks of a run are judged by now."""

    scenarios: Mapping[str, Scenario]
    personas: Mapping[str, Persona]

    def has(self, cell: Cell) -> bool:
        return cell.scenario in self.scenarios and cell.persona in self.personas


def run_to_rejudge(
    store_url: str,
    run: str,
    loaded: LoadedClient,
    *,
    client: str | None = None,
    limit: int | None = None,
) -> Recorded:
    """The complete talks of a run, all or the first `limit` of them.

    What is expected and who asked is read from the client as it stands now; where that is not
    what it was, a note says so. Talks of scenarios or personas that are gone are left out.

    Args:
        store_url: the store that holds the run.
        run: the run's whole id.
        loaded: its client.
        client: how a person named that, None where the run's own folder was taken.
        limit: at most so many talks.

    Raises:
        InputError: there is no such run, or none of its talks can be judged any more.
    """
    with Store.read(store_url) as store:
        header, keys = store.header(run), store.keys(run)
        cells = [_cell(key) for key in keys]
    material = _material(loaded, cells)
    kept = [key for key, cell in zip(keys, cells, strict=True) if material.has(cell)][:limit]
    if not kept:
        raise InputError(
            f"run {run}: none of its {counted(len(keys), 'conversation')} can be judged; the "
            f"scenarios and personas of {loaded.client.name} have changed"
        )
    parts = snapshot.material(material.scenarios, material.personas)
    scripted = is_scripted(str(header.snapshot.get("client.user.kind") or ""))
    now = {f"{kind}.{name}": sha for kind, shas in parts.items() for name, sha in shas.items()}

    def talks() -> Iterator[RecordedTalk]:
        with Store.read(store_url) as reader:
            for key in kept:  # one by one: a reader that stays would keep the log from shrinking
                yield _talk(reader.episode(run, key), material, scripted=scripted)

    return Recorded(
        kind="rejudge",
        of=run,
        count=len(kept),
        talks=talks,
        gives=None,
        options={"of": run, "client": client},
        identity=_identity(header, now),
        notes=(
            *_left_out(header, cells, material, loaded.client.language),
            *_changed(header, now, loaded),
        ),
    )


def answers_to_rejudge(header: RunHeader, scored: Recorded) -> Recorded:
    """The answers that a run scored, to be judged again; `scored` reads them from their file.

    Raises:
        InputError: the file is not what it was.
    """
    run = header.id
    was, now = header.snapshot.get("file.sha"), scored.identity.get("file.sha")
    if was != now:
        raise InputError(
            f"{scored.of} changed after run {run} scored it; score it again with `mogi score`"
        )

    return replace(
        scored,
        kind="rejudge",
        of=run,
        options={**scored.options, "of": run},
        identity={**scored.identity, "of": run},
        verdicts=lambda at: iter(()),  # they are remembered (store/verdicts.py)
    )


def _cell(key: str) -> Cell:
    scenario, persona, repeat = key.rsplit("/", 2)
    return Cell(scenario, persona, int(repeat))


def _material(loaded: LoadedClient, cells: list[Cell]) -> _Material:
    known = {*loaded.catalog.persona_ids(loaded.client.language), *loaded.personas}
    personas = personas_of(loaded, sorted(known.intersection(cell.persona for cell in cells)))
    played = {cell.scenario for cell in cells}
    scenarios = {name: s for name, s in loaded.scenarios.items() if name in played}
    return _Material(scenarios, personas)


def _talk(episode: Episode, material: _Material, *, scripted: bool) -> RecordedTalk:
    cell = episode.cell
    return RecordedTalk(
        cell=cell,
        scenario=material.scenarios[cell.scenario],
        persona=material.personas[cell.persona],
        exchanges=tuple(turn.exchange for turn in episode.turns),
        stop=episode.stop,
        soundness=tuple(turn.soundness for turn in episode.turns),
        scripted=scripted,
        rerun_for=episode.rerun_for,
    )


def _identity(header: RunHeader, now: Mapping[str, str]) -> dict[str, Any]:
    """The run, with what its talks were held with, and what they are judged by."""
    of_talking = {k: v for k, v in header.snapshot.items() if k.startswith(_OF_TALKING)}
    return {"of": header.id, **of_talking, **now}


def _left_out(
    header: RunHeader, cells: Sequence[Cell], material: _Material, language: Language
) -> Iterator[str]:
    """What of the run is not judged again, but for a limit that somebody asked for."""
    gone = [cell for cell in cells if not material.has(cell)]
    if gone:
        names = {c.scenario for c in gone if c.scenario not in material.scenarios}
        names |= {c.persona for c in gone if c.persona not in material.personas}
        n = note(language, "conversations", n=len(gone))
        few = _few(sorted(names), language)
        yield note(language, "left_out", run=header.id, conversations=n, names=few)
    if len(cells) < header.planned:
        n = note(language, "conversations", n=header.planned)
        yield note(language, "unfinished", run=header.id, done=len(cells), conversations=n)


def _changed(header: RunHeader, now: Mapping[str, str], loaded: LoadedClient) -> Iterator[str]:
    """What is not as it was when the talks were held, and is judged as it stands now."""
    was, language = header.snapshot, loaded.client.language
    for kind in ("scenarios", "personas"):
        names = [
            key.removeprefix(f"{kind}.")
            for key, sha in now.items()
            if key.startswith(f"{kind}.") and was.get(key, sha) != sha
        ]
        if names:
            few = _few(names, language)
            yield note(language, f"changed.{kind}", run=header.id, names=few)
    if was.get("client.guidelines", []) != list(loaded.client.guidelines):
        yield note(language, "guidelines", run=header.id)


def _few(names: Sequence[str], language: Language) -> str:
    few = ", ".join(names[:_NAMED])
    more = len(names) - _NAMED
    return note(language, "more", names=few, n=more) if more > 0 else few
