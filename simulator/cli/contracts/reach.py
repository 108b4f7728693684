"""What a run would do, cost and reach, as `--dry-run --json` and `mogi check --json` print it."""

from collections.abc import Sequence

from simulator.core.plan import Reached
from simulator.execution.estimate import RoleEstimate, RunEstimate
from simulator.formats.json_contracts import Count, contract, filled
from simulator.llm.prices import Bounds


@contract
class ReachedThing:
    """Something outside of mogi."""

    name: str
    """Which."""
    goes: str
    """Purpose or destination; may be empty."""


@contract
class ReachedHost:
    """A host."""

    name: str
    """Its scheme, name and port."""
    goes: str
    """What for."""
    method: str
    """The method of the requests; empty: any."""
    path: str
    """What the path of each begins with; may be empty."""


@contract
class ReachedVariable:
    """A variable of the environment."""

    name: str
    """Which."""
    goes: str
    """Purpose or destination; may be empty."""
    implied: bool
    """True if it is not configured, but read because of something that is."""


@contract
class Reach:
    """What a run would access."""

    hosts: tuple[ReachedHost, ...]
    """Hosts that a run would contact."""
    variables: tuple[ReachedVariable, ...]
    """Environment variables that it would read."""
    files: tuple[ReachedThing, ...]
    """Files that it would read."""
    written: tuple[ReachedThing, ...]
    """Files that it would write."""
    ports: tuple[ReachedThing, ...]
    """Local addresses where it would listen."""
    programs: tuple[ReachedThing, ...]
    """Programs that it would start."""
    code: tuple[ReachedThing, ...]
    """Python that it would load."""

    @classmethod
    def of(cls, reach: Sequence[Reached]) -> "Reach":
        """The same by kind."""

        def things(kind: str) -> tuple[ReachedThing, ...]:
            return tuple(ReachedThing(r.name, r.goes) for r in reach if r.kind == kind)

        named = [each for each in reach if each.kind == "variable"]
        return cls(
            hosts=tuple(
                ReachedHost(r.name, r.goes, r.method, r.path) for r in reach if r.kind == "host"
            ),
            variables=tuple(ReachedVariable(r.name, r.goes, r.implied) for r in named),
            files=things("file"),
            written=things("written"),
            ports=things("port"),
            programs=things("program"),
            code=things("code"),
        )


@contract
class DryRun:
    """What `mogi run CLIENT --dry-run --json` prints; also `score` and `rejudge`."""

    conversations: Count
    """Conversations that would be run."""
    target_calls: Bounds
    """Calls to the bot."""
    roles: tuple[RoleEstimate, ...]
    """Models that would be called."""
    by_run: str | None
    """The run that the likely values are based on; null if they are assumed."""
    cost_usd: Bounds | None
    """The total; null if a price is missing."""
    reach: Reach
    """What it would access."""


@contract
class ClientSummary:
    """What `mogi check CLIENT --json` prints."""

    client: str
    """Its name."""
    target: str
    """The kind of its bot."""
    scenarios: Count
    """How many it has."""
    personas: Count
    """How many play."""
    conversations: Count
    """How many a run would have."""
    notes: tuple[str, ...]
    """What is worth a look, and no fault."""
    reach: Reach
    """What a run would access."""


def dry_run_json(estimate: RunEstimate, reach: Sequence[Reached]) -> DryRun:
    """What a run would do, cost and reach."""
    return filled(DryRun, estimate, reach=Reach.of(reach))
