"""`mogi tune`: thresholds from people's verdicts."""

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from simulator.cli import common, exits
from simulator.core.errors import InputError
from simulator.core.plan import Client
from simulator.files.catalog import CLIENT_FILE, shipped
from simulator.formats.sources import Source, inside
from simulator.formats.yaml.writing import Value, splice_file

if TYPE_CHECKING:
    from simulator.review.tune import Tuning
    from simulator.statistics.thresholds import Objective

_EXAMPLES = """\
\b
Examples:
  mogi tune demo-en                             tune the main score with F2
  mogi tune demo-en --metric elements_lexical
  mogi tune demo-en --objective miss-rate=0.1   at most 10% missed
  mogi tune demo-en --objective youden --json
"""
_F = re.compile(r"f(\d+(?:\.\d+)?)")
_MISS_RATE = re.compile(r"miss-rate=(0?\.\d+)")


def _objective(text: str) -> "Objective":
    from simulator.statistics.thresholds import Objective

    if text == "youden":
        return Objective("youden")
    if (number := _F.fullmatch(text)) and float(number[1]) > 0:
        return Objective("f", float(number[1]))
    if (number := _MISS_RATE.fullmatch(text)) and float(number[1]) > 0:
        return Objective("miss-rate", float(number[1]))
    raise ValueError(f"{text!r} isn't valid; use f2, youden or miss-rate=0.1")


@click.command(epilog=_EXAMPLES)
@click.argument("client", type=common.NAME)
@common.text("--metric", "M", "Metric to tune.  [default: the client's score_by]")
@click.option(
    "--objective",
    type=common.Parsed(_objective),
    metavar="O",
    default="f2",
    show_default=True,
    help="f2 weights misses more heavily than false alarms; youden weights both equally; "
    "miss-rate=A picks the lowest threshold that misses no more than this share of bad "
    "answers.",
)
@common.flag("--write", "Write the recommended threshold to client.yaml.")
@common.of_client_options
def command(
    client: str,
    metric: str | None,
    objective: "Objective",
    *,
    write: bool,
    store: str | None,
    as_json: bool,
) -> int:
    """Find the threshold that best fits reviewers' verdicts on CLIENT's runs.

    For each threshold, mogi shows how many answers it would flag, with precision and recall. You
    need at least 30 verdicts from 10 conversations, including at least 5 OK from 5 conversations
    and 5 NG from 5 conversations. The metric must separate good answers from bad ones. --write
    changes only `thresholds.M` in client.yaml. If mogi can't recommend a threshold, --write exits
    with 3.
    """
    from simulator.cli.screens.tune import tuning_json, tuning_view, why_not_written, written_view
    from simulator.review.tune import tune

    loaded = common.client(client)
    language = loaded.client.language
    if write:
        check_client_writable(loaded.client)
    with common.open_store(store) as opened:
        tuning = tune(opened, loaded, metric, objective)
    written = write_threshold(loaded.client, tuning) if write and tuning.can_be_written else None
    common.answer(
        lambda: tuning_json(tuning, written),
        lambda width: (
            written_view(tuning, language, written, width)
            if written
            else tuning_view(tuning, language, width)
        ),
        as_json=as_json,
    )
    if as_json and written:
        exits.say(f"wrote thresholds.{tuning.labelled.name} in {written}")
    if write and not written:
        exits.say(f"mogi: nothing written: {why_not_written(tuning)}")
        return exits.INCOMPLETE
    return 0


def check_client_writable(client: Client) -> None:
    """Look whether the client is one that a person may change.

    Raises:
        InputError: it ships with mogi.
    """
    folder = Path(client.folder)
    if folder.is_relative_to(shipped().resolve()):
        raise InputError(
            f"--write: the client {client.name} is built in, so mogi never changes it; copy it and "
            f"tune the copy: cp -r {folder} scenarios/{client.name}"
        )


def write_threshold(client: Client, tuning: "Tuning") -> str:
    """Write the recommended threshold with what it was found with; the file as people see it.

    Raises:
        InputError: there is none to write or it is advised against, or the file cannot be changed.
    """
    check_client_writable(client)
    if tuning.best is None or not tuning.can_be_written:
        raise InputError(f"there's no threshold for {tuning.labelled.name} to write")
    instrument = tuning.labelled.instrument
    today = datetime.now(ZoneInfo(client.timezone)).date().isoformat()
    entry: dict[str, Value] = {"value": tuning.best.threshold}
    entry |= {"judge": instrument.judge} if instrument.judge else {}
    entry |= {"rubric": instrument.rubric} if instrument.rubric else {}
    entry |= {"verdicts": tuning.verdicts, "date": today}
    source = Source.of(Path(client.folder) / CLIENT_FILE, within=inside(Path(client.folder)))
    splice_file(source, {("thresholds", tuning.labelled.name): entry})
    return source.name
