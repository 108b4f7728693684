"""Metrics that need an embedding model, in a client file that names none."""

from simulator.core.errors import Complaint, InputError
from simulator.core.plan import Client
from simulator.files.client_file import ClientFile
from simulator.files.kinds import find_kind

LACKING = "needs an embedding model; write embedding: {model: …} in client.yaml"


def needs_embedding(metric: str) -> bool:
    """Whether an embedding model is called for this metric, by its name or its plugin's.

    What stands in a rubric, and what cannot be found, needs none.
    """
    try:
        infos = getattr(find_kind("metrics", metric), "INFOS", ())
    except InputError:
        return False
    return any("embedding" in info.needs for info in infos)


def lacking_embedding(file: ClientFile) -> list[Complaint]:
    """A complaint for each metric that needs an embedding model where the file names none."""
    if file.entry.embedding is not None or file.wrong & {"embedding", "metrics"}:
        return []
    return [
        file.marked.complaint(("metrics", index), f"{name} {LACKING}")
        for index, name in enumerate(file.entry.metrics)
        if needs_embedding(name)
    ]


def check_embedding(client: Client) -> None:
    """The same of metrics that were named on the command line.

    Raises:
        InputError: for each metric that lacks a model.
    """
    lacking = [m for m in client.metrics if needs_embedding(m)] if not client.embedding else []
    if lacking:
        raise InputError(*(f"--metric {name}: {name} {LACKING}" for name in lacking))
