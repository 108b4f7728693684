import pytest

from simulator.core.talk import Document
from simulator.generate.units import Method, Nearness, Unit, UnitSelection, units_of
from tests.llm.shipped import catalog

FAQ = tuple(Document(f"Answer {n} about plans.", f"faq-{n}", f"Title {n}") for n in range(1, 9))
NEAR = Nearness(FAQ, "en")


def _units(*methods: Method, limit: int | None = None, seed: int = 42) -> list[Unit]:
    calm = catalog().persona("en", "calm")
    wish = UnitSelection(methods, per_entry=2, limit=limit, seed=seed, personas={"calm": calm})
    return units_of(FAQ, NEAR, wish)


def test_all_of_an_entry_stands_together_in_the_methods_order() -> None:
    names = [unit.name for unit in _units(Method.UNANSWERABLE, Method.TITLE, Method.PERSONA)]
    assert ["faq-1-title", "faq-1-persona-calm", "faq-1-unanswerable", "faq-2-title"] == names[:4]


def test_a_title_comes_once_and_the_others_as_often_as_is_wanted() -> None:
    wanted = {unit.method: unit.wanted for unit in _units(Method.TITLE, Method.QUESTIONS)}
    assert {Method.TITLE: 1, Method.QUESTIONS: 2} == wanted


def test_a_lower_limit_is_a_part_of_a_higher_one_and_the_seed_draws() -> None:
    three, five = ({u.name for u in _units(Method.TITLE, limit=n)} for n in (3, 5))
    assert (3, 5) == (len(three), len(five))
    assert three < five
    others = [{u.name for u in _units(Method.TITLE, limit=3, seed=s)} for s in range(5)]
    assert any(other != three for other in others)


@pytest.mark.parametrize("name", ["a/b.md#c", "x" * 80, "two\nlines"])
def test_an_entry_of_any_id_gives_a_name_that_scenarios_may_have(name: str) -> None:
    entry = Document("text", name, "title")
    other = Document("text", name.replace("/", "-") + "y", "title")
    units = [Unit(Method.TWO_ENTRIES, (e, e), (0, 0, ""), 1) for e in (entry, other)]
    ids = [unit.id_of(12) for unit in units]
    assert ids[0] != ids[1]
    assert all("/" not in i and "\n" not in i and len(i) <= 100 for i in ids)


def test_a_title_is_missed_by_those_who_need_it() -> None:
    bare = Document("text", "a")
    lacking = [m for m in Method if Unit(m, (bare,), (0, 0, ""), 1).lacks]
    assert [Method.TITLE, Method.PARAPHRASE] == lacking


def test_the_hash_of_a_unit_follows_its_texts() -> None:
    one, two = (Unit(Method.TITLE, (Document(t, "a", "t"),), (0, 0, ""), 1) for t in ("x", "y"))
    assert one.digest() != two.digest()
