"""The generated file: read back with all that people changed, and new scenarios put in between.

What stands there is kept byte for byte: comments, order, and whatever was edited.
"""

import os
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.core.clean import normal_form, visible
from simulator.core.errors import MogiError
from simulator.core.persona import Language
from simulator.core.ports import Knowledge
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document
from simulator.files.scenarios.expected import GENERATED_FILE, scenario_entry
from simulator.files.scenarios.loading import load_scenarios
from simulator.formats.own_files import replacing
from simulator.formats.sources import Source, inside
from simulator.formats.yaml.reading import read_yaml
from simulator.formats.yaml.writing import yaml_text
from simulator.generate.facts import expectation
from simulator.generate.forms import Candidate
from simulator.generate.units import GAP_TAG, GENERATED_TAG, Method, Unit, hashed
from simulator.words import Words


def scenario_of(
    unit: Unit,
    number: int,
    candidate: Candidate,
    documents: Mapping[str, str],
    language: Language,
) -> Scenario:
    """The scenario of a unit's question; `documents` as for `expectation`.

    Where no entry answers, nothing is expected.
    """
    expected = Expected()
    if unit.entries:
        expected = expectation(unit, candidate.facts, documents, language)
    return Scenario(
        id=unit.id_of(number),
        query=candidate.question,
        goal=unit.entries[0].title if unit.method is Method.PERSONA else "",
        expected=expected,
        personas=(unit.voice,) if unit.voice else (),
        tags=(GENERATED_TAG, unit.method.value, *(() if unit.entries else (GAP_TAG,))),
    )


def scenario_hash(scenario: Scenario) -> str:
    """The hash of all that a scenario says, by which an edit is noticed."""
    return hashed(scenario.identity())


def document_ids(entries: Sequence[Document], knowledge: Knowledge | None) -> dict[str, str]:
    """The ids by which a bot's documents are known, for each entry that its knowledge holds.

    An entry is found there by its id, or else by its very text (in normal form). Without a
    knowledge base at hand, the ids are those of the entries.
    """
    if knowledge is None:
        return {str(entry.id): str(entry.id) for entry in entries}
    known = {str(d.id) for d in knowledge.documents()}
    texts = {normal_form(d.text): str(d.id) for d in reversed(knowledge.documents())}
    ids: dict[str, str] = {}
    for entry in entries:
        name = str(entry.id) if str(entry.id) in known else texts.get(normal_form(entry.text))
        if name is not None:
            ids[str(entry.id)] = name
    return ids


MADE_BY = "mogi generate"


@dataclass(frozen=True, slots=True)
class Existing:
    """A generated file as it was found; `lines` are the places (from 1) of its scenarios."""

    text: str = ""
    scenarios: Mapping[str, Scenario] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)


def read_existing(path: Path, *, has_report: bool) -> Existing:
    """What stands in the file; nothing, where there is none.

    Raises:
        InputError: it was not made by `mogi generate`, nor has the name of what that writes, in
            which people may begin with their own scenarios; or something is wrong with it.
    """
    if not path.exists():
        return Existing()
    source = Source.of(path, within=inside(path.parent))
    text = source.text()
    is_own = has_report or path.name == GENERATED_FILE or MADE_BY in text[:1_000]
    if not is_own:
        raise source.error(
            0, f"already exists and wasn't created by `{MADE_BY}`; use another file with -o"
        )
    if all(not row.strip() or row.lstrip().startswith("#") for row in text.split("\n")):
        return Existing(text)
    scenarios = load_scenarios(path.parent, file=path)
    marked = read_yaml(source)
    rows = text.split("\n")
    lines = {}
    for at, name in enumerate(scenarios):
        lines[name] = marked.mark.children[at].line
        if not rows[lines[name] - 1].startswith("- "):
            raise source.error(
                lines[name],
                'scenarios can\'t be inserted here; begin each one with "- id: …" at the '
                "beginning of a line, or use another file with -o",
            )
    return Existing(text, scenarios, lines)


def insert_scenarios(existing: Existing, new: Sequence[Scenario], order: Mapping[str, Any]) -> str:
    """The file's text with new scenarios, each behind those that come before it.

    `order` says of the ids of all that was ever generated where they belong; what people added
    is not in it, and stays where it is.
    """
    rows = existing.text.rstrip("\n").split("\n") if existing.text.strip() else []
    ends = _ends(existing, rows)
    known = sorted((order[name], name) for name in existing.lines if name in order)
    places = [place for place, _ in known]
    blocks: dict[int, list[str]] = {}
    for scenario in sorted(new, key=lambda s: order[s.id]):
        before = bisect_left(places, order[scenario.id])
        at = ends[known[before - 1][1]] if before else _start(existing, rows)
        blocks.setdefault(at, []).append(yaml_text([scenario_entry(scenario)]).rstrip("\n"))
    out: list[str] = []
    for at in range(len(rows) + 1):
        if at in blocks:
            out += _apart(out, blocks[at], rows[at : at + 1])
        out += rows[at : at + 1]
    return "\n".join(out) + "\n"


def file_head(language: Language, faq: str, report: str) -> str:
    """The comment with which a new file begins."""
    values = {"faq": visible(faq), "report": visible(report)}
    return Words(language, "generated")("head", made_by=MADE_BY, **values)


def write_whole(path: Path, text: str) -> None:
    """Write a file that appears under its name when it is whole.

    Raises:
        MogiError: it cannot be written; what was paid for is in the store.
    """
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        why = error.strerror or str(error)
        raise MogiError(
            f"{Source.of(path).name}: can't be written ({why}); paid calls are saved, so the "
            "same command continues without paying again"
        ) from error


def check_output(path: Path) -> None:
    """Before anything is paid for: can the file be written?

    Raises:
        InputError: its folder is not there, or nobody may write in it.
    """
    source = Source.of(path)
    if path.is_dir():
        raise source.error(0, "this is a folder; use a file with -o")
    if not path.parent.is_dir():
        raise source.error(0, "can't be written because its folder doesn't exist; create it first")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise source.error(0, "can't be written; use -o with a writable file")


def _apart(before: Sequence[str], blocks: Sequence[str], after: Sequence[str]) -> list[str]:
    """The blocks with a blank line on either side of each."""
    out: list[str] = []
    for block in blocks:
        if (out or before) and (out or before)[-1].strip():
            out.append("")
        out += block.split("\n")
    return [*out, ""] if after and after[0].strip() else out


def _ends(existing: Existing, rows: Sequence[str]) -> dict[str, int]:
    """The number of rows up to each scenario's end, the comment of the next one left out."""
    ends = {}
    beyond = len(rows)
    for start, name in sorted(((n, name) for name, n in existing.lines.items()), reverse=True):
        end = beyond
        while end > start and (not rows[end - 1].strip() or rows[end - 1].startswith("#")):
            end -= 1
        ends[name], beyond = end, start - 1
    return ends


def _start(existing: Existing, rows: Sequence[str]) -> int:
    """The rows above the first scenario and its own comment; all, where there is none."""
    if not existing.lines:
        return len(rows)
    first = at = min(existing.lines.values()) - 1
    while at > 0 and rows[at - 1].startswith("#"):
        at -= 1
    return first if at == 0 else at
