"""All that must not change between a run and its resume, under dotted names."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from simulator.core.errors import InputError
from simulator.core.plan import Plan
from simulator.core.ports import Knowledge
from simulator.core.rubric import Rubric

# What a run may be resumed with differently: where it stops, not what it measures.
_FREE = ("name", "folder", "timezone", "gate", "limits", "prices", "knowledge", "personas")


def snapshot(
    plan: Plan,
    *,
    version: str,
    prompts: Mapping[str, str],
    rubrics: tuple[Rubric, ...],
    knowledge: Knowledge | None,
) -> dict[str, Any]:
    """The run's identity as JSON values; `prompts` maps names to hashes of the files."""
    client = asdict(plan.client)
    for key in _FREE:
        client.pop(key)
    parts: dict[str, Any] = {
        "mogi": version,
        "offline": plan.offline,
        "limit": plan.limit,
        "client": client,
        "demo_model": asdict(plan.demo_model) if plan.demo_model else None,
        "scenarios": {s.id: _digest(asdict(s)) for s in plan.scenarios.values()},
        "personas": {p.id: _digest(asdict(p)) for p in plan.personas.values()},
        "prompts": dict(prompts),
        "rubrics": {r.id: r.sha for r in rubrics},
        "knowledge": _digest([[d.id, d.title, d.text] for d in knowledge.documents()])
        if knowledge
        else None,
    }
    return _flat(parts)


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """One line for each thing that differs, such as `client.judge.chat.model: "a" -> "b"`."""
    lines = []
    for key in sorted({*before, *now}):
        old, new = before.get(key, "(not there)"), now.get(key, "(not there)")
        if old != new:
            lines.append(f"{key}: {_shown(old)} -> {_shown(new)}")
    return lines


def check_same(run: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to go on with a run whose config, prompts or models changed.

    Raises:
        InputError: naming each difference, and --force.
    """
    changed = differences(before, now)
    if changed:
        raise InputError(
            f"run {run} cannot go on: {len(changed)} thing(s) changed since it began "
            "(start a new run, or go on with --force)",
            *(f"  {line}" for line in changed),
        )


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if value != "(not there)" else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, Mapping) and inner:
            found.update(_flat(inner, f"{name}."))
        else:
            found[name] = list(inner) if isinstance(inner, tuple) else inner
    return found
