"""All that must not change between a run and its resume, under dotted names."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from simulator import config, plugins
from simulator.core.errors import InputError
from simulator.core.plan import Plan
from simulator.core.ports import Knowledge
from simulator.core.version import __version__
from simulator.files.client import LoadedClient
from simulator.text import sudachi

# What a run may be resumed with differently: where it stops, not what it measures.
_FREE = ("name", "folder", "timezone", "gate", "limits", "prices", "knowledge", "personas")


def snapshot(plan: Plan, loaded: LoadedClient) -> dict[str, Any]:
    """The identity of a run of this plan, as JSON values; texts and files by their hashes."""
    folder = Path(plan.client.folder)
    client = asdict(plan.client)
    for key in _FREE:
        client.pop(key)
    parts: dict[str, Any] = {
        "mogi": __version__,
        "offline": plan.offline,
        "limit": plan.limit,
        "client": client,
        "target_model": asdict(plan.target_model) if plan.target_model else None,
        "conversations": _digest(sorted(cell.key for cell in plan.cells())),
        "scenarios": {s.id: _digest(asdict(s)) for s in plan.scenarios.values()},
        "personas": {p.id: _digest(asdict(p)) for p in plan.personas.values()},
        "prompts": _prompts(plan, loaded),
        "rubrics": {r.id: r.sha for r in loaded.rubrics} if plan.client.judge else {},
        "knowledge": _knowledge(loaded.knowledge),
        "target_files": {f: _sha((folder / f).read_bytes()) for f in plan.client.target.files},
    }
    if plan.client.language == "ja":
        parts["sudachi"] = sudachi.versions()
    if _asks_the_environment(plan):
        parts["OPENAI_BASE_URL"] = config.openai_base_url()
    return _flat(parts)


def _prompts(plan: Plan, loaded: LoadedClient) -> dict[str, str]:
    """The prompts that this run uses."""
    client = plan.client
    used = {
        "user": client.user.chat is not None,
        "judge": client.judge is not None,
        "form": client.user.chat is not None or client.judge is not None,
    }
    of_target = getattr(plugins.find("targets", client.target.kind), "PROMPTS", ())
    names = [*(name for name, is_used in used.items() if is_used), *of_target]
    return {name: loaded.shelf.prompt(client.language, name).sha for name in names}


def _knowledge(knowledge: Knowledge | None) -> str | None:
    if knowledge is None:
        return None
    return _digest([[d.id, d.title, d.text] for d in knowledge.documents()])


def _asks_the_environment(plan: Plan) -> bool:
    judge = plan.client.judge
    specs = (plan.client.user.chat, judge.chat if judge else None, plan.target_model)
    return any(spec is not None and spec.base_url is None for spec in specs)


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
    return _sha(text.encode("utf-8", "surrogatepass"))


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


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
