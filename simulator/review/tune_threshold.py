"""The threshold that verdicts speak for, put into client.yaml."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from simulator.core.errors import InputError
from simulator.core.plan import Client
from simulator.files.catalog import CLIENT_FILE, shipped
from simulator.formats.sources import Source
from simulator.formats.yaml.splicing import splice_file
from simulator.formats.yaml.writing import Value
from simulator.review.tune import Tuning


def check_client_writable(client: Client) -> None:
    """Look whether the client is one that a person may change.

    Raises:
        InputError: it ships with mogi.
    """
    folder = Path(client.folder)
    if folder.is_relative_to(shipped().resolve()):
        raise InputError(
            f"--write: the client {client.name} ships with mogi and is not changed; copy it and "
            f"tune the copy: cp -r {folder} scenarios/{client.name}"
        )


def write_threshold(client: Client, tuning: Tuning) -> str:
    """Write the recommended threshold with what it was found with; the file as people see it.

    Raises:
        InputError: there is none to write or it is advised against, or the file cannot be changed.
    """
    check_client_writable(client)
    if tuning.best is None or not tuning.can_be_written:
        raise InputError(f"there is no threshold of {tuning.labelled.name} to write")
    instrument = tuning.labelled.instrument
    today = datetime.now(ZoneInfo(client.timezone)).date().isoformat()
    entry: dict[str, Value] = {"value": tuning.best.threshold}
    entry |= {"judge": instrument.judge} if instrument.judge else {}
    entry |= {"rubric": instrument.rubric} if instrument.rubric else {}
    entry |= {"verdicts": tuning.verdicts, "date": today}
    source = Source.of(Path(client.folder) / CLIENT_FILE)
    splice_file(source, {("thresholds", tuning.labelled.name): entry})
    return source.name
