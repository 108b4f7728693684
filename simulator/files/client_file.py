"""client.yaml alone: read, and checked as far as one file can be."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from simulator.core.errors import Complaint, InputError
from simulator.files.border import complaints_of
from simulator.files.client_models import ClientEntry
from simulator.files.client_target import STAND_IN_TARGET, ReadTarget, read_target
from simulator.files.sources import Source
from simulator.files.yaml_marks import Marked, read_yaml

# Stands in for what is wrong, so that the rest of the client can be looked at nevertheless.
_STAND_IN: dict[str, Any] = {"language": "ja", "target": {}}


@dataclass(frozen=True, slots=True)
class ClientFile:
    """client.yaml as it was read; `wrong` are the keys whose values in `entry` stand in."""

    marked: Marked
    entry: ClientEntry
    target: ReadTarget
    wrong: frozenset[str]
    complaints: tuple[Complaint, ...]


def read_client_file(source: Source) -> ClientFile:
    """A client.yaml with all that is wrong with it.

    Raises:
        InputError: it is no YAML, or not a mapping.
    """
    marked = read_yaml(source)
    complaints: list[Complaint] = []
    wrong: frozenset[str] = frozenset()
    try:
        entry = ClientEntry.model_validate(marked.data)
    except ValidationError as error:
        complaints += complaints_of(error, ClientEntry, marked)
        if not isinstance(marked.data, dict):
            raise InputError(*complaints) from None
        wrong = frozenset(str(item["loc"][0]) for item in error.errors(include_url=False))
        right = {k: v for k, v in marked.data.items() if k not in wrong}
        entry = ClientEntry.model_validate({**_STAND_IN, **right})
    target = STAND_IN_TARGET if "target" in wrong else read_target(marked)
    complaints += target.complaints
    if not wrong & {"min_turns", "max_turns"} and entry.min_turns > entry.max_turns:
        complaints.append(
            marked.complaint(
                ("min_turns",),
                f"min_turns: {entry.min_turns} is more than max_turns ({entry.max_turns}); "
                f"write {entry.max_turns} or less",
            )
        )
    return ClientFile(marked, entry, target, wrong, tuple(complaints))
