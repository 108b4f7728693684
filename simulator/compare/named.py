"""Which two runs are meant, and whether they can be compared at all."""

from simulator.core.errors import InputError
from simulator.core.run import RunHeader
from simulator.store.store import Store

PREVIOUS = "previous"


def headers(store: Store, before: str, after: str) -> tuple[RunHeader, RunHeader]:
    """The headers of the two runs; names as `Store.resolve` takes them, or `previous` for A.

    `previous` is the newest run before B that came about in the same way, for the same client.

    Raises:
        InputError: a run is not there, both are the same, or the two cannot be compared.
    """
    if after == PREVIOUS:
        raise InputError("`previous` is the run before B; write `mogi compare previous latest`")
    second = store.header(store.resolve(after))
    first = _before(store, second) if before == PREVIOUS else store.header(store.resolve(before))
    if first.id == second.id:
        raise InputError(
            f"both are run {first.id}; name two runs (`mogi runs` lists them), such as "
            f"`mogi compare {PREVIOUS} {after}`"
        )
    if first.is_of_rows != second.is_of_rows:
        talks, rows = (second, first) if first.is_of_rows else (first, second)
        raise InputError(
            f"run {rows.id} is of the answers in {rows.options['file']}, run {talks.id} of "
            "conversations; compare two of the same kind"
        )
    return first, second


def score_of(before: RunHeader, after: RunHeader) -> str:
    """The metric that decides: the score of both, or else of B, or of A, if the other has it too.

    Raises:
        InputError: neither has the other's.
    """
    both = {i.name for i in before.metrics} & {i.name for i in after.metrics}
    found = [name for name in (after.score_by, before.score_by) if name in both]
    if not found:
        raise InputError(
            f"run {before.id} is scored by {before.score_by}, run {after.id} by {after.score_by}, "
            "and neither has the other's; judge one of them again in the other's way: "
            f"mogi rejudge {before.id} --metric {after.score_by}"
        )
    return found[0]


def check_common(paired: int, first: list[str], second: list[str]) -> None:
    """Refuse to compare two runs that hold conversations, but none of the same name.

    Args:
        paired: How many there are in both.
        first: The keys of those of A alone.
        second: The keys of those of B alone.

    Raises:
        InputError: with a conversation of each.
    """
    if not paired and first and second:
        raise InputError(
            "the two runs have no conversation in common (scenario/persona/repeat): "
            f"one has {first[0]}, the other {second[0]}"
        )


def are_of_files(before: RunHeader, after: RunHeader) -> bool:
    """Whether both are of files without a client, which have only the files' names for one."""
    return all(h.is_of_rows and h.options.get("client") is None for h in (before, after))


def _before(store: Store, after: RunHeader) -> RunHeader:
    rows = store.runs()
    place = next(n for n, row in enumerate(rows) if row.id == after.id)
    for row in rows[place + 1 :]:
        header = store.header(row.id)
        same = header.client == after.client or are_of_files(header, after)
        if same and header.kind == after.kind:
            return header
    raise InputError(
        f"there is no run of {after.client} before {after.id} that came about in the same way; "
        "`mogi runs` lists those that there are"
    )
