"""watched: the files that make a bot the one it is, and how many of them at most."""

from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.plan import Client
from simulator.execution.watched import target_files
from tests.execution.clients import client

MOST = 5


def watching(cwd: Path, files: int, watch: str) -> Client:
    """A client whose bot may read so many files of a folder."""
    least = f"language: ja\ntarget: {{kind: command, command: [cat], watch: [{watch}]}}\n"
    notes = {f"notes/a{n}.txt": str(n) for n in range(files)}
    (cwd / "scenarios" / "acme" / "notes").mkdir(parents=True)
    return client(cwd, least=least + "personas: [calm]\n", files=notes).client


@pytest.mark.parametrize("watch", ["notes", "notes/*.txt"])
def test_as_many_files_as_may_be_are_told_apart_by_their_names(tmp_path: Path, watch: str) -> None:
    found = target_files(watching(tmp_path, MOST, watch), (), MOST)
    assert [f"notes/a{n}.txt" for n in range(MOST)] == sorted(found)
    assert MOST == len(set(found.values()))


@pytest.mark.parametrize("watch", ["notes", "notes/*.txt", "notes, notes/*.txt"])
def test_more_files_than_that_are_refused_with_what_to_do(tmp_path: Path, watch: str) -> None:
    shop = watching(tmp_path, MOST + 1, watch)
    with pytest.raises(InputError, match="contains more than 5 files that its bot may read; list"):
        target_files(shop, (), MOST)
