"""What `--fix` proved, kept in a file beside the store until it is accepted."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from simulator.core.errors import InputError
from simulator.formats.own_files import whole
from simulator.formats.sources import Source
from simulator.improve.decision import Proof, Proven
from simulator.improve.diffs import Diff, file_states
from simulator.improve.pairs import Choice, Pair
from simulator.improve.proof import BeforeAfter
from simulator.improve.search import Fix
from simulator.store.engine import FileLock

_FOLDER = ".mogi.proofs"  # a name with a dot: no copy of a client's folder takes it along
_CHOSEN = ".pairs.json"


@dataclass(frozen=True, slots=True)
class StoredFix:
    """A diff with its proof, and the answers that people look at."""

    diff: Diff
    proof: Proof
    examples: tuple[BeforeAfter, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @property
    def is_accepted(self) -> bool:
        """True if the proof accepts it."""
        return self.proof.decision.proven is Proven.ACCEPTED


@dataclass(frozen=True, slots=True)
class StoredProof:
    """The proofs of one run; `files`: the hashes of the client's files that were proved.

    `written`: the diffs that are in the client's files already, by name. `others`: pairs of diffs
    that a person named (`--prove`).
    """

    run: str
    files: Mapping[str, str]
    fixes: tuple[StoredFix, ...]
    written: tuple[str, ...] = ()
    others: tuple[Pair, ...] = ()

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The answers that a person has to decide, each once."""
        every = [*self.others, *(pair for fix in self.fixes for pair in fix.pairs)]
        return tuple({pair.key: pair for pair in every}.values())

    def changed(self, folder: Path) -> tuple[str, ...]:
        """The files of a client's folder that are not what was proved any more."""
        now = file_states(folder)
        names = sorted(now.keys() | self.files.keys())
        return tuple(name for name in names if now.get(name) != self.files.get(name))


_FORM = TypeAdapter(StoredProof)
_CHOICES = TypeAdapter(tuple[Choice, ...])


def stored_proof(run: str, files: Mapping[str, str], fixes: Sequence[Fix]) -> StoredProof:
    """What is kept of a search: each diff once."""
    kept = {
        fix.diff.name: StoredFix(fix.diff, fix.proof, fix.examples, fix.pairs)
        for fix in fixes
        if fix.diff is not None and fix.proof is not None
    }
    return StoredProof(run, files, tuple(kept.values()))


def place_of(run: str, beside: Path, ending: str = ".json") -> Path:
    """The file of a run's proofs, in the folder of the store."""
    return beside / _FOLDER / f"{hashlib.sha256(run.encode()).hexdigest()[:8]}{ending}"


def keep(proof: StoredProof, beside: Path) -> Path:
    """Write the proofs of a run whole or not at all, in the place of earlier ones.

    Raises:
        InputError: the file cannot be written.
    """
    path = place_of(proof.run, beside)
    _write(path, "the proofs", _FORM.dump_json(proof, indent=1))
    return path


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Source.of(folder).error(0, f"can't be created ({error.strerror})") from error


def _write(path: Path, what: str, content: bytes) -> None:
    _make(path.parent)
    with whole(str(path), what) as part:
        part.write_bytes(content)


def read(run: str, beside: Path) -> StoredProof:
    """The proofs of a run.

    Raises:
        InputError: there are none, or the file is damaged.
    """
    path = place_of(run, beside)
    command = f"mogi improve {run} --fix"
    if not path.is_file():
        raise InputError(f"run {run} has no verified fixes; verify them first: {command}")
    try:
        return _FORM.validate_json(Source.of(path).content())
    except ValidationError as error:
        raise Source.of(path).error(0, f"is damaged; verify the fixes again: {command}") from error


def keep_choices(run: str, choices: Sequence[Choice], beside: Path) -> None:
    """Add what people chose of the pairs of a run; a later choice takes an earlier one's place.

    Raises:
        InputError: what was chosen before is damaged, or the file cannot be written.
    """
    path = place_of(run, beside, _CHOSEN)
    _make(path.parent)
    with closing(FileLock(path.with_suffix(".lock"))) as lock, lock:
        kept = {each.pair.key: each for each in (*read_choices(run, beside), *choices)}
        _write(path, "the choices", _CHOICES.dump_json(tuple(kept.values()), indent=1))


def read_choices(run: str, beside: Path) -> tuple[Choice, ...]:
    """What people chose of the pairs of a run.

    Raises:
        InputError: the file is damaged.
    """
    path = place_of(run, beside, _CHOSEN)
    if not path.is_file():
        return ()
    try:
        return _CHOICES.validate_json(Source.of(path).content())
    except ValidationError as error:
        message = "is damaged; move it, and import the worksheet again with --pairs-read"
        raise Source.of(path).error(0, message) from error


def keep_pairs(run: str, pairs: Sequence[Pair], beside: Path) -> None:
    """Keep the pairs of a proof that `--accept` does not take, beside what `--fix` proved.

    Raises:
        InputError: the stored proof is damaged, or cannot be written.
    """
    there = place_of(run, beside).is_file()
    stored = read(run, beside) if there else StoredProof(run, {}, ())
    keep(replace(stored, others=tuple(pairs)), beside)


def as_written(proof: StoredProof, names: Sequence[str], folder: Path) -> StoredProof:
    """The same with these diffs in the client's files, as those are now."""
    written = tuple(dict.fromkeys((*proof.written, *names)))
    return replace(proof, files=file_states(folder), written=written)
