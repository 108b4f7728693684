"""What `mogi review apply` shows: the diff on stdout, what is not taken on stderr."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import BOLD
from simulator.console.layout import wrap
from simulator.core.clean import visible
from simulator.screens.review import bulleted
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.review.apply import Applied, Left, Proposal

_WIDTH = 80  # of what goes to stderr


def applied_json(client: str, applied: "Applied", *, written: bool) -> dict[str, Any]:
    """What `mogi review apply --json` prints."""
    return {
        "client": client,
        "file": applied.edit.source.name if applied.edit else None,
        "written": written,
        "same": applied.same,
        "proposals": [
            {
                "scenario": p.scenario,
                "old": p.old,
                "new": p.new,
                "by": list(p.by),
                "lacks": list(p.lacks),
            }
            for p in applied.proposals
        ],
        "left": [_left_json(left) for left in applied.left],
        "diff": applied.diff,
    }


def _left_json(left: "Left") -> dict[str, Any]:
    found = left.correction
    return {
        "why": left.why.value,
        "scenario": found.scenario,
        "run": found.run,
        "episode": found.episode,
        "turn": found.turn,
        "by": found.who[0] or found.who[1],
        "text": found.text,
    }


def changes(applied: "Applied", words: Words, width: int) -> Iterator[RenderableType]:
    """Old and new, where a diff of the file would say nothing."""
    for proposal in applied.proposals:
        yield Text(visible(proposal.scenario), BOLD)
        for key, text in (("before", proposal.old or words("empty")), ("after", proposal.new)):
            first, *rest = wrap(text, width - 10)
            yield Text(f"  {words(key)}: {first}")
            for line in rest:
                yield Text(f"      {line}")


def remarks(client: str, applied: "Applied", words: Words, *, written: bool) -> Iterator[str]:
    """What is not in the diff: answers that are not taken and why, and how to go on."""
    edit, count = applied.edit, len(applied.proposals)
    if applied.left:
        yield words("left_out", n=len(applied.left))
        yield from bulleted([_left(left, words) for left in applied.left], _WIDTH)
    lacking = [_lacking(p, words) for p in applied.proposals if p.lacks]
    if lacking:
        yield words("lacks", n=len(lacking))
        yield from bulleted(lacking, _WIDTH)
    if applied.same:
        yield words("same", n=applied.same)
    if edit is None:
        yield words("no_corrections")
    elif written:
        yield words("wrote", n=count, file=edit.source.name)
    elif edit.after is None:
        yield words("propose_table", n=count, file=edit.source.name)
    elif applied.is_shipped:
        yield words("propose_shipped", n=count, file=edit.source.name)
    else:
        yield words("propose", n=count, client=client)


def _lacking(proposal: "Proposal", words: Words) -> str:
    return words("lacking", scenario=proposal.scenario, items=words("and").join(proposal.lacks))


def _left(left: "Left", words: Words) -> str:
    found = left.correction
    turn = words("turn", episode=found.episode, turn=found.turn)
    who = found.who[0] or found.who[1]
    return f"{turn} ({who}, {found.run}): {words(f'why.{left.why}')}: {found.text}"
