"""What `mogi review status` shows: what is open, who differs, how far it is to a threshold."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import BOLD, DIM
from simulator.console.layout import fit
from simulator.core.clean import visible
from simulator.core.recorded import NOBODY
from simulator.core.run import RunHeader
from simulator.core.verdict import Word
from simulator.screens.review import bulleted
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.review.status import ReviewStatus, Share

_MOST = 15  # lines of a list on a screen; --json has all
_WIDEST = 40  # cells of a name


def status_json(header: RunHeader, found: "ReviewStatus") -> dict[str, Any]:
    """What `mogi review status --json` prints."""
    verdicts, ok, ng = found.missing
    return {
        "run": header.id,
        "client": header.client,
        "shown": found.shown,
        "open": found.open,
        "sampled": _shares(found.sampled),
        "personas": _shares(found.personas),
        "scenarios": _shares(found.scenarios),
        "comments_only": found.comments,
        "verdicts_elsewhere": found.others,
        "reviewers": {
            name: {word.value: words[word] for word in Word} for name, words in found.words.items()
        },
        "disagreements": [
            {
                "episode": split.episode,
                "turn": split.turn,
                "words": [{"who": who, "word": word.value} for who, word in split.words],
            }
            for split in found.splits
        ],
        "tune": {
            "ok": found.ok,
            "ng": found.ng,
            "ready": not any(found.missing),
            "missing": {"verdicts": verdicts, "ok": ok, "ng": ng},
        },
    }


def status_view(header: RunHeader, found: "ReviewStatus", width: int) -> Iterator[RenderableType]:
    """What is open, by persona and scenario; who said how much; where people differ."""
    words = Words(header.language, "review")
    title = words("status", run=header.id, client=visible(header.client))
    yield Text(title, BOLD)
    yield from _open(found, words, width)
    if found.words:
        yield Text("")
        yield _people(found, words)
    yield from _splits(found, words, width)
    yield Text("")
    yield from _tune(header, found, words)


def _shares(shares: "Mapping[Any, Share]") -> dict[str, dict[str, int]]:
    return {str(name): {"shown": s.shown, "open": s.open} for name, s in shares.items()}


def _open(found: "ReviewStatus", words: Words, width: int) -> Iterator[RenderableType]:
    if not found.shown:
        yield Text(words("none_shown"))
    else:
        some = "all_open" if found.open == found.shown else "open"
        key = some if found.open else "done"
        yield Text(words(key, open=f"{found.open:,}", shown=f"{found.shown:,}"))
    for key, count in (("comments", found.comments), ("others", found.others)):
        if count:
            yield Text(words(key, n=f"{count:,}"))
    if not found.open:
        return
    yield Text("")
    yield _of_shares("why", {words(k.value): s for k, s in found.sampled.items()}, words, width)
    personas = {name: s for name, s in found.personas.items() if name != NOBODY}
    for key, shares in (("persona", personas), ("scenario", found.scenarios)):
        if shares:
            yield Text("")
            yield _of_shares(key, shares, words, width)


def _of_shares(key: str, shares: "Mapping[str, Share]", words: Words, width: int) -> RenderableType:
    """Those with the most open turns first; what is done is only counted."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    table.add_column(words(key), min_width=10)
    table.add_column(words("left"), justify="right")
    table.add_column(words("turns"), justify="right")
    todo = sorted(((n, s) for n, s in shares.items() if s.open), key=lambda pair: -pair[1].open)
    for name, share in todo[:_MOST]:
        table.add_row(fit(name, min(_WIDEST, width - 24)), f"{share.open:,}", f"{share.shown:,}")
    if len(todo) > _MOST:
        table.add_row(Text(words("more_rows", n=f"{len(todo) - _MOST:,}"), DIM))
    if finished := len(shares) - len(todo):
        table.add_row(Text(words("finished", n=f"{finished:,}"), DIM))
    return table


def _people(found: "ReviewStatus", words: Words) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    table.add_column(words("reviewer"), overflow="fold", min_width=10)
    for word in Word:
        table.add_column(word.value, justify="right")
    for name, counts in sorted(found.words.items(), key=lambda pair: (not pair[0], pair[0])):
        table.add_row(visible(name) or words("nobody"), *(f"{counts[word]:,}" for word in Word))
    return table


def _splits(found: "ReviewStatus", words: Words, width: int) -> Iterator[RenderableType]:
    if not found.splits:
        return
    yield Text("")
    yield Text(words("splits", n=f"{len(found.splits):,}"), BOLD)
    lines = []
    for split in found.splits[:_MOST]:
        said = words("and").join(f"{who} {word.value}" for who, word in split.words)
        lines.append(f"{words('turn', episode=split.episode, turn=split.turn)}: {said}")
    yield from map(Text, bulleted(lines, width))
    if len(found.splits) > _MOST:
        yield Text(f"    {words('more_rows', n=f'{len(found.splits) - _MOST:,}')}", DIM)


def _tune(header: RunHeader, found: "ReviewStatus", words: Words) -> Iterator[Text]:
    client = visible(header.client)
    yield Text(words("tune", client=client, ok=f"{found.ok:,}", ng=f"{found.ng:,}"))
    keys = ("lack", "lack_ok", "lack_ng")
    lacking = [words(k, n=n) for k, n in zip(keys, found.missing, strict=True) if n]
    if lacking:
        yield Text(words("tune_not", lacking=words("and").join(lacking)))
    else:
        yield Text(words("tune_ready", client=client))
