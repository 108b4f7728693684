from dataclasses import replace

from simulator.core.persona import Disclosure, Persona, Politeness, Style
from simulator.core.plan import Cell, Client, Plan, TargetSpec, seed_of
from simulator.core.scenario import Scenario

STYLE = Style(20, Politeness.PLAIN, Disclosure.OPEN, "")
PERSONAS = {name: Persona(name, "en", "", "", (), STYLE, 2) for name in ("angry", "calm", "new")}
SCENARIOS = {
    "a": Scenario("a", "A?"),
    "b": Scenario("b", "B?", personas=("calm", "new")),
    "c": Scenario("c", "C?", personas=("somebody else",)),
}
CLIENT = Client("acme", "/acme", "en", TargetSpec("demo"))


def plan(**changes: object) -> Plan:
    limit = changes.pop("limit", None)
    client = replace(CLIENT, **changes)  # type: ignore[arg-type]
    return Plan(client, SCENARIOS, PERSONAS, offline=True, limit=limit)  # type: ignore[arg-type]


def keys(made: Plan) -> list[str]:
    return [cell.key for cell in made.cells()]


def test_each_scenario_is_played_by_every_persona_that_it_takes() -> None:
    assert ["a/angry/1", "a/calm/1", "a/new/1", "b/calm/1", "b/new/1"] == keys(plan())


def test_repeats_come_last_so_that_more_of_them_move_nothing() -> None:
    assert keys(plan()) == keys(plan(repeat=3))[:5]
    assert "b/new/3" == keys(plan(repeat=3))[-1]


def test_a_limit_takes_the_first() -> None:
    assert keys(plan(repeat=2))[:7] == keys(plan(repeat=2, limit=7))
    assert keys(plan()) == keys(plan(limit=100))
    assert 5 == plan(limit=100).conversations()


def test_round_robin_takes_the_personas_in_turn() -> None:
    assert ["a/angry/1", "b/new/1"] == keys(plan(assign="round_robin"))


def test_a_random_persona_depends_on_the_seed_and_the_scenario_alone() -> None:
    drawn = keys(plan(assign="random", repeat=2))
    assert [key[:-1] for key in drawn[:2]] == [key[:-1] for key in drawn[2:]]
    alone = replace(plan(assign="random"), scenarios={"b": SCENARIOS["b"]})
    assert drawn[1] == keys(alone)[0]
    others = {keys(plan(assign="random", seed=seed))[0] for seed in range(20)}
    assert {"a/angry/1", "a/calm/1", "a/new/1"} == others


def test_a_seed_is_positive_fits_63_bits_and_tells_names_apart() -> None:
    seeds = {seed_of(s, *names) for s in (1, 2) for names in (("a", "b"), ("ab",), ("b", "a"))}
    assert 6 == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert 4_479_239_130_348_921_876 == seed_of(42, Cell("a", "calm").key)
