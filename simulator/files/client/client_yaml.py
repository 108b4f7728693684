"""client.yaml alone: read, and checked as far as one file can be."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from simulator.config import is_here
from simulator.core.bounds import MAX_SETTINGS
from simulator.core.errors import Complaint, InputError
from simulator.core.plan import TargetSpec
from simulator.files.client.keys import ClientEntry, TargetEntry, find_kind
from simulator.formats.fields import without_empty
from simulator.formats.sources import Source
from simulator.formats.validation import complaints_of
from simulator.formats.yaml.reading import Marked, read_whole_yaml
from simulator.formats.yaml.scalars import EMPTY

_AT = ("target",)


@dataclass(frozen=True, slots=True)
class ReadTarget:
    """A target's spec, whether it runs in this process or answers on loopback, what is wrong.

    With complaints, `spec` is only good for looking further.
    """

    spec: TargetSpec
    local: bool
    complaints: tuple[Complaint, ...]
    loopback: bool = False


STAND_IN_TARGET = ReadTarget(TargetSpec("demo"), local=True, complaints=())

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
    marked = read_whole_yaml(source)
    if any(count > MAX_SETTINGS for count, _ in enumerate(_values(marked.data))):
        raise source.error(0, f"contains more than {MAX_SETTINGS:,} values; write fewer")
    complaints = list(marked.complaints)
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


def _values(data: Any) -> Iterator[Any]:
    """All values in the data; what is in it twice comes twice."""
    waiting = [data]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict | list):
            waiting += part.values() if isinstance(part, dict) else part


def read_target(marked: Marked) -> ReadTarget:
    """The target of a client file whose `target` is a mapping."""
    data: Mapping[str, Any] = marked.data["target"]
    common = {k: v for k, v in data.items() if k in TargetEntry.model_fields}
    complaints: list[Complaint] = []
    try:
        entry = TargetEntry.model_validate(common)
    except ValidationError as error:
        complaints += complaints_of(error, TargetEntry, marked, _AT)
        kind = common.get("kind")
        if not isinstance(kind, str) or not kind.strip():
            return replace(STAND_IN_TARGET, complaints=tuple(complaints))
        entry = TargetEntry(kind=kind)
    try:
        found: Any = find_kind("targets", entry.kind)
    except InputError as error:
        complaints.append(marked.complaint((*_AT, "kind"), f"target.kind: {error}"))
        return replace(STAND_IN_TARGET, complaints=tuple(complaints))
    own = {k: v for k, v in data.items() if k not in common}
    settings, wrong = _settings(found.Settings, own, marked)
    whole = None if wrong else found.Settings(**settings)
    spec = TargetSpec(
        entry.kind,
        settings,
        files=found.reads(whole) if whole and hasattr(found, "reads") else (),
        stateful=entry.stateful
        or bool(whole and hasattr(found, "keeps_talk") and found.keeps_talk(whole)),
        timeout_s=entry.timeout_s,
        version=entry.version,
        watch=entry.watch,
    )
    reached = found.reaches(whole) if whole and hasattr(found, "reaches") else ()
    hosts = [each.name for each in reached if each.kind == "host"]
    here = bool(hosts) and all(map(is_here, hosts))
    return ReadTarget(spec, getattr(found, "LOCAL", False), (*complaints, *wrong), here)


def _settings(
    model: type[BaseModel], own: dict[str, Any], marked: Marked
) -> tuple[dict[str, Any], list[Complaint]]:
    # By way of JSON, since strict there still means that a list may become a tuple.
    text = json.dumps({k: _plain(v) for k, v in without_empty(own, model).items()})
    try:
        settings = model.model_validate_json(text, strict=True)
    except ValidationError as error:
        return {}, complaints_of(error, model, marked, _AT, also=tuple(TargetEntry.model_fields))
    return settings.model_dump(mode="json", exclude_unset=True, by_alias=True), []


def _plain(value: Any) -> Any:
    """The value with `null` for whatever was left empty inside it."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return None if value is EMPTY else value
