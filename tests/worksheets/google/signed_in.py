"""The spreadsheet server where mogi looks for Google, with a key file that it finds."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.sheets_server.accounts import service_account
from tests.sheets_server.server import GoogleServer, served


def signed_in(
    server: GoogleServer,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[GoogleServer], dict[str, Any]] = service_account,
) -> Path:
    """Let mogi find this server and a key file for it; the file's path."""
    path = folder / "key.json"
    path.write_text(json.dumps(make(server)), "utf-8")
    monkeypatch.setenv("MOGI_SHEETS_URL", server.url)
    monkeypatch.setenv("MOGI_GOOGLE_CREDENTIALS", str(path))
    return path


PAGES_KEY = "1AbCdEfGhIjKlMnOpQrStUvWxYz"
"""The spreadsheet that help and docs name."""


@contextmanager
def google_here(key_file: str = "mogi-key.json") -> Iterator[GoogleServer]:
    """Google as help and docs speak of it, with a key file in the working directory."""
    with served() as server:
        server.add(PAGES_KEY, "Bot review")
        Path(key_file).write_text(json.dumps(service_account(server)), "utf-8")
        here = {"MOGI_SHEETS_URL": server.url, "MOGI_GOOGLE_CREDENTIALS": key_file}
        with patch.dict(os.environ, here):
            yield server
