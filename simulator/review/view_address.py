"""Where a run is served, kept for the next time: a page that is open finds its server again.

The file with the tokens is its owner's alone, beside the store or, for a database, in the user's
folder of states. One that others may read, or that somebody else made, is not believed.
"""

import hmac
import json
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from simulator import config
from simulator.formats.own_files import make_private, own_text
from simulator.store.store import location_of

HOST = "127.0.0.1"
_PORT = 6644
_TOKEN_BYTES = 24  # of a token
_MOST = 100  # runs whose addresses are kept
_LARGEST = 100_000  # bytes
_TOKEN = re.compile(r"[\w-]{32,64}", re.ASCII)
_ANY = ("utf-8", "surrogateescape")  # a header may hold any byte


def foreign(port: int, headers: Mapping[str, str]) -> str:
    """Why a request to this port is nobody's of this machine: another name, or another page."""
    ours = {f"{name}:{port}" for name in (HOST, "localhost")}
    origin = headers.get("Origin")
    if headers.get("Host") not in ours:
        return "another host"
    is_other = origin is not None and origin.removeprefix("http://") not in ours
    return "another origin" if is_other else ""


@dataclass(frozen=True, slots=True)
class Address:
    """The token of a run, the port at which it was served last, and the file that keeps both."""

    file: Path
    run: str
    token: str
    port: int = _PORT

    @classmethod
    def of(cls, store: str, run: str) -> "Address":
        """That of the last time, or a new one."""
        file = _file_of(store)
        kept = _kept(file).get(run)
        return (
            cls(file, run, *kept) if kept else cls(file, run, secrets.token_urlsafe(_TOKEN_BYTES))
        )

    def anew(self) -> "Address":
        """The same with another token."""
        return replace(self, token=secrets.token_urlsafe(_TOKEN_BYTES))

    def is_sent(self, headers: Mapping[str, str]) -> bool:
        """True if a request brings the token."""
        token = headers.get("Authorization", "").removeprefix("Bearer ").encode(*_ANY)
        return hmac.compare_digest(token, self.token.encode())

    def keep(self, port: int) -> None:
        """Keep it with this port, where that can be written."""
        others = {run: at for run, at in _kept(self.file).items() if run != self.run}
        newest = dict([*others.items(), (self.run, (self.token, port))][-_MOST:])
        part = self.file.with_name(f"{self.file.name}.part")
        with suppress(OSError):
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(part, anew=True)
            part.write_text(json.dumps(newest), "utf-8")
            part.replace(self.file)


def _file_of(store: str) -> Path:
    location = location_of(store)
    if location.file is not None:
        return location.file.with_name(f"{location.file.name}.view")
    name = sha256(str(location).encode()).hexdigest()[:16]
    return config.state_folder() / f"{name}.view"


def _kept(file: Path) -> dict[str, tuple[str, int]]:
    """By run its token and port, of a file that is ours alone."""
    try:
        entries = json.loads(own_text(file, _LARGEST))
        return {run: (token, port) for run, (token, port) in entries.items() if _is(token, port)}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _is(token: object, port: object) -> bool:
    is_token = isinstance(token, str) and _TOKEN.fullmatch(token) is not None
    return is_token and type(port) is int and 0 < port <= 65_535
