"""Changes of a client's files as unified diffs: read, tried on a copy, put into the files."""

import glob
import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from simulator import plugins
from simulator.core.bounds import MAX_COPIED, MAX_DIFFS, MAX_FILES, MAX_LINES
from simulator.core.errors import InputError, raise_all
from simulator.core.plan import Client
from simulator.files.catalog import CLIENT_FILE
from simulator.files.client.folder import LoadedClient
from simulator.files.client.reach import reach_of, told
from simulator.formats.own_files import kept_lines, make_private
from simulator.formats.sources import Complaints, Source, as_stored, inside, replace_file, shown
from simulator.formats.yaml.reading import parse_yaml, read_yaml

CHANGEABLE = ("guidelines", "thresholds", "personas")
"""The keys of client.yaml whose values mogi writes."""
_PLAIN = (".md", ".txt")
_TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".md", ".txt")
_GUIDELINES = (
    "guideline*", "prompt*", "system*", "polic*", "rules*", "instruction*", "tone*",
    "方針*", "指針*", "応対*", "ルール*", "ガイドライン*", "対応*",
)  # fmt: skip
SUFFIXES = (".diff", ".patch")
_SAID = re.compile(r"^([a-z]+): (.+)", re.MULTILINE)
_NAMES = re.compile("--- .*\n[+]{3} ([^\t\n]*)")
# What a hunk does not say; a line of a hunk begins with none of these.
_NO_TEXT = re.compile(
    r"^(GIT binary patch|Binary files |old mode |rename from |copy from )", re.MULTILINE
)
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"
_AS_IT_IS = "create the diff from the current file"
_DEEP, _LONG = 40, 250  # parts of a path in a diff; bytes of one
_SMALLER = "put the files that the bot reads in a separate folder: mogi tests a copy of it"
# What a run writes beside the client's files, and nobody's bot reads.
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.db", "*.db-wal", "*.db-shm", "*.lock")


@dataclass(frozen=True, slots=True)
class Diff:
    """A change of a client's files, as a person reads it; paths are seen from the client's folder.

    `said` is what stands above it as `name: text`, a line each: why it is proposed, say.
    """

    name: str
    text: str
    said: Mapping[str, str] = field(default_factory=dict)

    def listed(self, name: str) -> tuple[str, ...]:
        """What is said under that name, as a list."""
        return tuple(filter(None, self.said.get(name, "").split(", ")))


class ChangedLine(NamedTuple):
    """A line that a diff removes or adds, without its end; `file` as the diff names it."""

    file: str
    text: str
    is_added: bool


def changed_lines(diff: Diff) -> Iterator[ChangedLine]:
    """Those of all its files, in its order."""
    for patch in _patches(diff.text):
        for change in patch.changes or ():
            if change.old is None or change.new is None:
                yield ChangedLine(patch.header.new_path, change.line, change.old is None)


def read_diffs(path: Path) -> list[Diff]:
    """The diff in a file, or all in a folder (.diff, .patch), by name.

    Raises:
        InputError: there is none, or one of them changes nothing.
    """
    files = [path]
    if path.is_dir():
        named = (file for file in path.iterdir() if file.suffix in SUFFIXES)
        files = sorted(islice(named, MAX_DIFFS + 1))
    if len(files) > MAX_DIFFS:
        raise Source.of(path).error(0, f"contains more than {MAX_DIFFS:,} diffs; verify fewer")
    if not files:
        raise Source.of(path).error(
            0, "contains no .diff; to write some: mogi improve RUN --propose -o DIR"
        )
    complaints = Complaints()
    diffs = [complaints.attempt(_read, Source.of(file)) for file in files]
    raise_all(complaints)
    return [diff for diff in diffs if diff is not None]


def _read(source: Source) -> Diff:
    text = source.text()
    if text.count("\n") >= MAX_LINES:
        raise source.error(0, f"has more than {MAX_LINES:,} lines; split it")
    if other := _NO_TEXT.search(text):
        line = text.count("\n", 0, other.start()) + 1
        problem = (
            f'is "{other[0].strip()}…"; a diff can only change lines of text, not binary files'
        )
        raise source.error(line, f"{problem}, modes or names; do that by hand")
    patches = list(_patches(text))
    if not any(patch.changes for patch in patches):
        problem = "changes nothing" if patches else "isn't a diff"
        right = "use a unified diff (--- file, +++ file, @@ …), as printed by diff -u or git diff"
        raise source.error(0, f"{problem}; {right}")
    head = re.split(r"^(?:diff |--- )", text, maxsplit=1, flags=re.MULTILINE)[0]
    remarks = {name: rest.strip() for name, rest in _SAID.findall(head)}
    return Diff(source.path.name, text, remarks)


def changed_files(diffs: Sequence[Diff], folder: Path) -> dict[str, tuple[Source, str]]:
    """What the files of a client are after these changes, by their paths below its folder.

    Each diff speaks of the files as they are now; lines that none of them names stay as they are.

    Raises:
        InputError: all that does not fit, with the line; or two that change the same place.
    """
    by_file: dict[str, list[tuple[Diff, Any]]] = {}
    complaints = Complaints()
    for diff in diffs:
        for patch in _patches(diff.text):
            name = complaints.attempt(_path_of, diff, patch, folder)
            if name is not None:
                by_file.setdefault(name, []).append((diff, patch))
    changed: dict[str, tuple[Source, str]] = {}
    for name, patches in by_file.items():
        source = Source.of(folder / name, within=inside(folder)[:1])
        text = complaints.attempt(_text_of, source)
        if text is not None:
            text = complaints.attempt(_applied, patches, source, text) or text
            changed[name] = (source, text)
    raise_all(complaints)
    return changed


def copy_with(diffs: Sequence[Diff], folder: Path, place: Path) -> Path:
    """A copy of a client's folder, below `place`, in which these changes are made.

    Raises:
        InputError: as `changed_files`; or a link leads out of the folder, or there is too much.
    """
    changes = changed_files(diffs, folder)
    copy, left = place / folder.name, MAX_COPIED
    copy.mkdir(parents=True)
    for source in _files(folder):
        target = copy / source.path.relative_to(folder.absolute())
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.opened() as file, target.open("wb") as out:
            while part := file.read(1 << 20):
                left -= len(part)
                if left < 0:
                    most = f"more than {MAX_COPIED // 10**6:,} MB"
                    raise Source.of(folder).error(0, f"contains {most}; {_SMALLER}")
                out.write(part)
    for name, (source, text) in changes.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(_bytes(source, text))
    return copy


def _files(folder: Path) -> Iterator[Source]:
    """The regular files of a client's folder that its bot may read, in order; links are followed.

    Raises:
        InputError: a link leads where nobody may, or there are too many.
    """
    places, seen, count = inside(folder), set[Path](), 0
    for here, folders, names in os.walk(folder.absolute(), followlinks=True):
        out = _LEFT_OUT(here, [*folders, *names])
        real = Source.of(Path(here), within=places).confined()
        folders[:] = [] if real in seen else sorted(set(folders) - out)
        paths = [] if real in seen else [Path(here, name) for name in sorted(set(names) - out)]
        seen.add(real)
        count += len(folders) + len(paths)
        if count > MAX_FILES:
            raise Source.of(folder).error(0, f"contains more than {MAX_FILES:,} files; {_SMALLER}")
        yield from (Source.of(path, within=places) for path in paths if path.is_file())


def reached_besides(diff: Diff, before: LoadedClient, after: LoadedClient) -> list[str]:
    """What a run of the client reaches after a change that it did not reach before it.

    Of files it is programs alone: others lie in the copy, where nothing else can be named.
    """
    known = set(reach_of(before))
    code = [name for name in changed_files([diff], Path(before.client.folder)) if _runs(name)]
    more = [each for each in reach_of(after) if each.kind != "file" and each not in known]
    return [*(f"the changed code {name}" for name in code), *(f"{e.kind} {told(e)}" for e in more)]


def _runs(name: str) -> bool:
    return name.endswith((".py", ".sh", ".js"))


def check_reads(loaded: LoadedClient) -> None:
    """Refuse to prove a diff with a bot that does not read the client's folder.

    Raises:
        InputError: naming the right way.
    """
    client, folder = loaded.client, Path(loaded.client.folder).resolve()
    if client.knowledge and not (folder / client.knowledge).resolve().is_relative_to(folder):
        raise InputError(
            f"{client.knowledge} is outside the folder of {client.name}, which mogi copies for "
            "the test; move it there and set its path in client.yaml (knowledge)"
        )
    kind = plugins.find("targets", client.target.kind)
    module = str(client.target.settings.get(getattr(kind, "OF_PYTHON", ""), "")).split(":")[0]
    path = Path(client.folder, *module.split("."))
    inside = not module or path.with_suffix(".py").is_file() or path.is_dir()
    if getattr(kind, "LOCAL", False) and inside:
        return
    why = f"its code ({module}) lies elsewhere" if module else f"it is of kind {client.target.kind}"
    raise InputError(
        f"the bot of {client.name} can't run from a copy of its folder: {why}; create a second "
        "client with the change, and compare both: --before CLIENT --after CLIENT"
    )


def by_hand(diff: Diff, loaded: LoadedClient) -> tuple[str, ...]:
    """The files that a diff changes and mogi does not write; `git apply` is for them.

    It writes texts that a bot is given: knowledge, scenarios, prompts and guidelines, and the
    values of `CHANGEABLE` in client.yaml.

    Raises:
        InputError: as `changed_files`.
    """
    texts, changes = _texts_of(loaded), changed_files([diff], Path(loaded.client.folder))
    return tuple(name for name, change in changes.items() if not _is_given(name, change, texts))


def _texts_of(loaded: LoadedClient) -> set[Path]:
    """The texts that a bot is given, and the folders of such."""
    folder = Path(loaded.client.folder)
    named = {loaded.scenarios_file, loaded.client.knowledge, *loaded.client.target.files}
    texts = {(folder / name).resolve() for name in named if name}
    return texts | {path.resolve() for path in guideline_files(loaded.client)}


def _is_given(name: str, change: tuple[Source, str], texts: set[Path]) -> bool:
    source, text = change
    if name == CLIENT_FILE:
        before, after = read_yaml(source).data, parse_yaml(text, source).data
        keys = {*before, *after} if isinstance(after, dict) else {""}
        return all(key in CHANGEABLE or before.get(key) == after.get(key) for key in keys)
    return _is_text(source.path, texts)


def _is_text(path: Path, texts: set[Path]) -> bool:
    real = path.resolve()
    return real.suffix.lower() in _TEXTS and not texts.isdisjoint({real, *real.parents})


def code_state(loaded: LoadedClient) -> bytes:
    """A hash of a client's folder and bot but for texts: the same in a copy with other texts."""
    client, texts = loaded.client, _texts_of(loaded)
    folder = Path(client.folder)
    states = [
        (name, digest)
        for name, digest in file_states(folder).items()
        if name != CLIENT_FILE and not _is_text(folder / name, texts)
    ]
    settings = sorted(client.target.settings.items(), key=str)
    return hashlib.sha256(repr((folder.name, sorted(states), settings)).encode()).digest()


def guideline_files(client: Client) -> list[Path]:
    """The texts in a client's folder that tell its bot what to do, those that it names first.

    Named are its prompt, what `target.watch` and `guidelines` name, and files called so.
    """
    folder, target = Path(client.folder), client.target
    prompt = target.settings.get("prompt")
    named = [prompt] if isinstance(prompt, str) else []
    named += [text for text in client.guidelines if text.endswith(_PLAIN) and "\n" not in text]
    patterns = [*map(glob.escape, named), *(target.watch or ()), *target.files, *_GUIDELINES]
    inside = [p for p in patterns if not Path(p).is_absolute() and ".." not in Path(p).parts]
    knowledge = (folder / (client.knowledge or "client.yaml")).resolve()
    files = (path for pattern in inside for path in sorted(folder.glob(pattern)))
    return list(
        dict.fromkeys(
            path
            for path in files
            if path.suffix in _PLAIN
            and path.is_file()
            and knowledge not in (path.resolve(), *path.resolve().parents)
        )
    )


def apply_line(diff: Diff, path: Path, folder: Path) -> str:
    """The command that makes these changes, once a person has read them."""
    written = _NAMES.search(diff.text)
    name = next(iter(changed_files([diff], folder)))
    above = written[1].count("/") - name.count("/") if written else 0
    where, file = (shlex.quote(str(each.absolute())) for each in (folder, path))
    return f"(cd {where} && git apply -p{above} {file})"


def fitting(diffs: Sequence[Diff], folder: Path) -> tuple[list[Diff], list[Diff]]:
    """Those that can be made together, the first ones first, and the others."""
    taken: list[Diff] = []
    left: list[Diff] = []
    for diff in diffs:
        try:
            changed_files([*taken, diff], folder)
        except InputError:
            left.append(diff)
        else:
            taken.append(diff)
    return taken, left


def write(diffs: Sequence[Diff], folder: Path) -> tuple[str, ...]:
    """Make these changes in the client's own files, and name those.

    Raises:
        InputError: as `changed_files`, or a file cannot be written.
    """
    changes = changed_files(diffs, folder)
    for source, text in changes.values():
        if source.path.exists():
            replace_file(source, _bytes(source, text))
        else:
            source.path.parent.mkdir(parents=True, exist_ok=True)
            make_private(source.path, anew=True)
            source.path.write_text(text, "utf-8", newline="")
    return tuple(changes)


def _bytes(source: Source, text: str) -> bytes:
    return as_stored(source, source.content() if source.path.exists() else b"", text)


def _text_of(source: Source) -> str:
    source.confined()  # a new file, too, though a folder on its way may be a link
    return source.table_text() if source.path.exists() else ""


def _patches(text: str) -> Iterator[Any]:
    import whatthepatch

    try:
        parts = _apart(_lines(text))
        patches = [patch for part in parts for patch in whatthepatch.parse_patch(part)]
    except ValueError as error:  # a line number of thousands of digits
        raise InputError(f"this isn't a diff: {error}") from error
    return (patch for patch in patches if patch.header is not None)


def _apart(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """The lines in parts, so that a file which no `diff` line leads in begins one of its own.

    Else its `---` would be taken for a line that the file before it loses.
    """
    start = old = new = 0
    has_hunk = False
    for at, line in enumerate(lines):
        if old > 0 or new > 0:
            old -= line[:1] in ("-", " ", "")
            new -= line[:1] in ("+", " ", "")
        elif hunk := _HUNK.match(line):
            old, new = (1 if count is None else int(count) for count in hunk.groups())
            has_hunk = True
        elif line.startswith("diff "):
            has_hunk = False
        elif has_hunk and _NAMES.match("\n".join(lines[at : at + 2])):
            yield lines[start:at]
            start, has_hunk = at, False
    yield lines[start:]


def _path_of(diff: Diff, patch: Any, folder: Path) -> str:
    """Where the file is; a diff of a whole repository names folders above the client's."""
    header = patch.header
    if header.new_path == _NOWHERE:
        raise InputError(f"{diff.name} removes {header.old_path}; remove a file by hand")
    is_new = header.old_path == _NOWHERE
    parts = [part for part in PurePosixPath(header.new_path).parts if part != "/"]
    is_path = len(parts) < _DEEP and all(p.isprintable() and len(p.encode()) < _LONG for p in parts)
    ways = ["/".join(parts[start:]) for start in range(len(parts))] if is_path else []
    existing = [way for way in ways if (folder / way).is_file()]
    if is_new and ways and not existing:
        below = f"/{folder.name}/"
        whole = "/".join(parts).removeprefix("b/")
        existing = [whole.split(below, 1)[1] if below in f"/{whole}" else whole]
    if not existing or ".." in parts:
        raise InputError(
            f"{diff.name} changes {shown(header.new_path)}, which isn't in {folder}; use paths "
            "relative to the client's folder"
        )
    real = (folder / existing[0]).resolve()  # a link must not lead to one, either
    place = real.relative_to(folder.resolve()) if real.is_relative_to(folder.resolve()) else real
    if any(part.startswith(".") for part in (*PurePosixPath(existing[0]).parts, *place.parts)):
        message = f"{diff.name} changes {shown(existing[0])}: a diff can't change a dotfile"
        raise InputError(f"{message}; remove it")
    return existing[0]


def _applied(patches: Sequence[tuple[Diff, Any]], source: Source, text: str) -> str:
    """The text after all of them; new lines end as the first one does."""
    lines = kept_lines(text)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    gone: set[int] = set()
    more: dict[int, list[str]] = {}
    for diff, patch in patches:
        removed, added = _edits(diff, patch, source, lines)
        if both := gone & removed:
            message = f"is changed by {diff.name} and another one on the same line; remove one"
            raise source.error(min(both) + 1, message)
        gone |= removed
        for at, new in added.items():
            more.setdefault(at, []).extend(f"{line}{end}" for line in new)
    result: list[str] = []
    for at in range(len(lines) + 1):
        if at in more and result and not result[-1].endswith("\n"):
            result[-1] += end  # the file's last line, until now
        result += more.get(at, ())
        if at < len(lines) and at not in gone:
            result.append(lines[at])
    whole = "".join(result)
    return whole if text.endswith("\n") or not text else whole.removesuffix(end)


def _edits(
    diff: Diff, patch: Any, source: Source, lines: Sequence[str]
) -> tuple[set[int], dict[int, list[str]]]:
    """The lines that one patch takes out, from 0, and those that it puts in before a line."""
    gone: set[int] = set()
    more: dict[int, list[str]] = {}
    shift = 0
    for change in patch.changes or ():
        at = (change.new - shift if change.old is None else change.old) - 1
        if not 0 <= at <= len(lines):
            raise source.error(0, f"has no line {at + 1}, which {diff.name} changes; {_AS_IT_IS}")
        line = change.line.removeprefix("\ufeff")  # which a spreadsheet wrote, and reading took off
        present = lines[at].rstrip("\r\n") if at < len(lines) else None
        if change.old is not None and present != line.rstrip("\r"):
            raise source.error(change.old, f"differs from what {diff.name} expects; {_AS_IT_IS}")
        if change.new is None:
            gone.add(change.old - 1)
            shift -= 1
        elif change.old is None:
            shift += 1
            if at - 1 in gone and at not in more and lines[at - 1].rstrip("\r\n") == line:
                gone.discard(at - 1)  # its end alone is another: the file ends there
            else:
                more.setdefault(at, []).append(line)
    return gone, more


def _lines(text: str) -> list[str]:
    """The lines without their ends; only line feeds end one, as in a diff."""
    return [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def folder_state(folder: Path) -> bytes:
    """A hash of all that a copy of a client's folder would hold."""
    return hashlib.sha256(repr(sorted(file_states(folder).items())).encode()).digest()


def file_states(folder: Path) -> dict[str, str]:
    """The hash of each file that a copy of a client's folder would hold, by its path there."""
    states = {}
    for source in _files(folder):
        with source.opened() as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        states[source.path.relative_to(folder.absolute()).as_posix()] = digest
    return states
