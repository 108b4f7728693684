"""What `--fix` proved, kept in a file beside the store until it is accepted."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from simulator.core.errors import InputError
from simulator.formats.own_files import whole
from simulator.formats.sources import Source
from simulator.improve.decision import Proof, Proven
from simulator.improve.derived import BeforeAfter, Pair
from simulator.improve.diffs import Diff, file_states
from simulator.improve.search import Fix

_FOLDER = ".mogi.proofs"  # a name with a dot: no copy of a client's folder takes it along


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

    `written`: the diffs that are in the client's files already, by name.
    """

    run: str
    files: Mapping[str, str]
    fixes: tuple[StoredFix, ...]
    written: tuple[str, ...] = ()

    def changed(self, folder: Path) -> tuple[str, ...]:
        """The files of a client's folder that are not what was proved any more."""
        now = file_states(folder)
        names = sorted(now.keys() | self.files.keys())
        return tuple(name for name in names if now.get(name) != self.files.get(name))


_FORM = TypeAdapter(StoredProof)


def stored_proof(run: str, files: Mapping[str, str], fixes: Sequence[Fix]) -> StoredProof:
    """What is kept of a search: each diff once."""
    kept = {
        fix.diff.name: StoredFix(fix.diff, fix.proof, fix.examples, fix.pairs)
        for fix in fixes
        if fix.diff is not None and fix.proof is not None
    }
    return StoredProof(run, files, tuple(kept.values()))


def place_of(run: str, beside: Path) -> Path:
    """The file of a run's proofs, in the folder of the store."""
    return beside / _FOLDER / f"{hashlib.sha256(run.encode()).hexdigest()[:8]}.json"


def keep(proof: StoredProof, beside: Path) -> Path:
    """Write the proofs of a run whole or not at all, in the place of earlier ones.

    Raises:
        InputError: the file cannot be written.
    """
    path = place_of(proof.run, beside)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Source.of(path.parent).error(0, f"cannot be made ({error.strerror})") from error
    with whole(str(path), "the proofs") as part:
        part.write_bytes(_FORM.dump_json(proof, indent=1))
    return path


def read(run: str, beside: Path) -> StoredProof:
    """The proofs of a run.

    Raises:
        InputError: there are none, or the file is damaged.
    """
    path = place_of(run, beside)
    command = f"mogi improve {run} --fix"
    if not path.is_file():
        message = f"no proof of run {run} is stored, so there is nothing to accept"
        raise InputError(f"{message}; prove fixes first: {command}")
    try:
        return _FORM.validate_json(Source.of(path).content())
    except ValidationError as error:
        raise Source.of(path).error(0, f"is damaged; prove the fixes again: {command}") from error


def as_written(proof: StoredProof, names: Sequence[str], folder: Path) -> StoredProof:
    """The same with these diffs in the client's files, as those are now."""
    written = tuple(dict.fromkeys((*proof.written, *names)))
    return replace(proof, files=file_states(folder), written=written)
