"""A client called acme, made of the files that a test gives."""

from collections.abc import Mapping
from pathlib import Path

from simulator.files.client.folder import LoadedClient, load_client
from tests.formats.written import complaints, write

LEAST = "language: ja\ntarget: {kind: demo}\n"
SCENARIOS = "- {id: a, query: b}\n"


def acme(cwd: Path, files: Mapping[str, str | bytes]) -> LoadedClient:
    write(cwd / "scenarios" / "acme", {"scenarios.yaml": SCENARIOS, **files})
    return load_client("acme", cwd=cwd)


def acme_complaints(cwd: Path, files: Mapping[str, str | bytes]) -> list[str]:
    return [c.removeprefix("scenarios/acme/") for c in complaints(lambda: acme(cwd, files))]
