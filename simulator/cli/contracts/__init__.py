"""What commands print with `--json`, as types: their schemas are those of `mogi export --schema`.

A command's values come in, a frozen dataclass goes out that `console.output.print_json` prints. The
fields are the keys, their docstrings what the schema says of them.
"""

from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

_OWN = "simulator.cli.contracts"
CONTRACTS = {
    "turn": "simulator.view.run_json:TurnLine",
    "run": "simulator.view.run_json:RunFigures",
    "check": f"{_OWN}.reach:ClientSummary",
    "runs": "simulator.cli.runs:StoredRuns",
    "metrics": "simulator.cli.runs:Metrics",
    "targets": "simulator.cli.runs:Targets",
    "reports": "simulator.cli.runs:Reports",
    "conversations": "simulator.cli.screens.show:Conversations",
    "conversation": "simulator.cli.screens.show:Conversation",
    "calls": "simulator.cli.screens.show:Calls",
    "judge": "simulator.view.run_json:JudgeFigures",
    "compare": "simulator.cli.screens.compare:CompareFigures",
    "coverage": "simulator.cli.screens.coverage:CoverageFigures",
    "retrieval": "simulator.cli.retrieval:RetrievalFigures",
    "dry-run": f"{_OWN}.reach:DryRun",
    "models": "simulator.cli.screens.targets:Models",
    "targets-try": "simulator.cli.screens.targets:TargetTrial",
    "tune": "simulator.cli.screens.tune:TuneFigures",
    "agreement": "simulator.cli.screens.agreement:AgreementFigures",
    "review-plan": f"{_OWN}.review:PlanFigures",
    "review-status": f"{_OWN}.review:StatusFigures",
    "review-pull": f"{_OWN}.review:PullFigures",
    "review-apply": f"{_OWN}.review:ApplyFigures",
    "review-expectations": f"{_OWN}.review:ExpectationFigures",
    "review-promote": f"{_OWN}.review:PromoteFigures",
    "improve": f"{_OWN}.improve:ImproveFigures",
}
"""The types of what is printed, by the names that `mogi export --schema` takes.

`conversations`, `conversation`, `calls` and `judge` are of `mogi show`, `dry-run` is of `mogi run
--dry-run`, `models` of `mogi models try`; the others are of the commands of these names, such as
`review-plan` of `mogi review plan`.
"""


def schema_of(name: str) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what goes by one of the names in CONTRACTS."""
    from simulator.formats.json_contracts import json_schema

    module, _, kind = CONTRACTS[name].partition(":")
    types = vars(import_module(module))
    schema = json_schema(types[kind])
    # Of a type that has a base pydantic explains only the type's own keys.
    for title, node in {kind: schema, **schema.get("$defs", {})}.items():
        for base in filter(is_dataclass, getattr(types.get(title), "__mro__", ())[1:]):
            for key, of_base in json_schema(base)["properties"].items():
                node["properties"][key] = {**of_base, **node["properties"][key]}
    return schema
