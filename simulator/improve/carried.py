"""A diff that deletes or renames an entry takes along the scenarios that expect it."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from simulator.core.persona import Language
from simulator.core.scenario import Expected
from simulator.core.talk import Document
from simulator.files.client.folder import LoadedClient, load_client
from simulator.files.scenarios.expected import with_expected
from simulator.formats.own_files import unified
from simulator.formats.sources import Source, inside
from simulator.formats.yaml.writing import Value
from simulator.improve.diffs import Diff, changed_files, copy_with
from simulator.text.tokens import content_tokens

_TWIN = 0.5  # share of a deleted entry's content words that another entry has, too
Moves = Mapping[str, str | None]
"""By the id of an entry that is gone: the one that says the same, or None."""


def carried(diff: Diff, loaded: LoadedClient) -> Diff:
    """The diff with the change of the scenarios that expect entries which it takes away.

    They expect the entry under its new id, or the twin that remains. Where there is neither, they
    expect no entry any more, and still an answer: a deletion does not hide a question. A diff that
    changes the scenarios itself, and a file that no program writes, stay as they are.

    Raises:
        InputError: as `copy_with`; or the client's files after the diff are wrong.
    """
    folder, name = Path(loaded.client.folder), loaded.scenarios_file
    if loaded.knowledge is None or not name or name in changed_files([diff], folder):
        return diff
    with tempfile.TemporaryDirectory(prefix="mogi-") as place:
        copy = copy_with([diff], folder, Path(place))
        after = load_client(str(copy), cwd=Path(place), scenarios=False).knowledge
        entries = tuple(after.documents()) if after else ()
    moves = moves_of(loaded.knowledge.documents(), entries, loaded.client.language)
    changes = {
        scenario.id: _moved(scenario.expected, moves)
        for scenario in loaded.scenarios.values()
        if not moves.keys().isdisjoint(scenario.expected.documents)
    }
    if not changes:
        return diff
    edit = with_expected(Source.of(folder / name, within=inside(folder)), changes)
    if edit.after is None:
        return diff
    text = diff.text if diff.text.endswith("\n") else f"{diff.text}\n"
    return replace(diff, text=text + unified(name, edit.before, edit.after))


def moves_of(before: Sequence[Document], after: Sequence[Document], language: Language) -> Moves:
    """The entries that are gone, each with the one that says the same, or most of it."""
    remaining = {str(entry.id): entry for entry in after}
    gone = [entry for entry in before if str(entry.id) not in remaining]
    words = {name: _words(entry, language) for name, entry in remaining.items()} if gone else {}
    moves: dict[str, str | None] = {}
    for entry in gone:
        own = _words(entry, language)
        shares = {name: len(own & other) / len(own) for name, other in words.items() if own}
        best = max(shares, key=lambda name: shares[name], default=None)
        moves[str(entry.id)] = best if best is not None and shares[best] >= _TWIN else None
    return moves


def _words(entry: Document, language: Language) -> set[str]:
    return set(content_tokens(f"{entry.title}\n{entry.text}", language))


def _moved(expected: Expected, moves: Moves) -> dict[str, Value]:
    """The keys of `expected` that change."""
    names = (moves.get(name, name) for name in expected.documents)
    documents = list(dict.fromkeys(name for name in names if name is not None))
    change: dict[str, Value] = {"documents": [*documents]}
    if expected.quotes:
        quotes = ((moves.get(q.document, q.document), q.text) for q in expected.quotes)
        change["quotes"] = [
            {"document": name, "text": text} for name, text in quotes if name is not None
        ]
    if not documents and expected.answerable is None:
        change["answerable"] = True
    return change
