import re
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.run import CHECK_PREFIX
from simulator.store.store import Store
from tests.execution.scored import header

RUN, CHECK, OTHER = "1a2b3c4d", f"{CHECK_PREFIX}1a2b9999", f"{CHECK_PREFIX}5e6f0000"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    with Store.create(f"sqlite:///{tmp_path / 'x.db'}") as store:
        for number, name in enumerate((RUN, CHECK, OTHER)):
            store.begin(header(id=name, started=f"2026-11-20T05:06:0{number}+00:00"))
    return Store.read(f"sqlite:///{tmp_path / 'x.db'}")


def test_the_check_of_a_judge_is_no_run(store: Store) -> None:
    assert [RUN] == [row.id for row in store.runs()]
    assert RUN == store.resolve("latest") == store.resolve("1a2b")
    with pytest.raises(InputError, match=f"mogi judge-check --resume {CHECK}"):
        store.resolve(CHECK)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("latest", OTHER), (CHECK, CHECK), ("check-1a", CHECK), ("1a2b", CHECK), ("5e6f0000", OTHER)],
)
def test_a_check_may_be_named_without_what_all_of_them_begin_with(
    store: Store, name: str, expected: str
) -> None:
    assert expected == store.resolve(name, check=True)


@pytest.mark.parametrize(
    ("name", "said"),
    [("check-", "is ambiguous"), ("3c4d", f"choose from: {OTHER}, {CHECK}"), ("", "is ambiguous")],
)
def test_a_check_that_is_not_there_is_said(store: Store, name: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        store.resolve(name, check=True)


def test_a_store_without_checks_says_how_to_make_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.db'}"
    with Store.create(url) as store:
        store.begin(header())
    with pytest.raises(InputError, match="no checks yet; `mogi judge-check demo` creates one"):
        Store.read(url).resolve("latest", check=True)
