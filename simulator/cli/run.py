"""`mogi run`: the main job."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common, exits, running

if TYPE_CHECKING:
    from simulator.compare.fail_on import FailOn
    from simulator.execution.request import Cluster, RunRequest, Shard

_EXAMPLES = """\
\b
Examples:
  mogi run demo-en                                   no key needed
  mogi run demo-en --limit 6                         only six conversations
  mogi run demo-en --persona angry --tag vague       only some conversations
  mogi run demo-en --assign random --seed 7          one persona per scenario
  mogi run demo-en --report junit=mogi.xml           also write a report
  mogi run demo-en --fail-under 0.5 --json           in CI: exit 1 below 0.5
  mogi run demo-en --fail-on worse --rerun-newly-failing 10
  mogi run demo-en --audit 0.1 --report xlsx=a.xlsx  workbook for reviewers
  mogi run demo-en --model gpt-6-luna --dry-run      estimate the cost
  mogi run --resume latest                           resume an interrupted run
  mogi run demo-en --shard 1/3 --run-key 17          first of three machines
"""
_HOW = (
    "How to assign personas: `all` (every persona with every scenario), or `random` or "
    "`round_robin` (one persona per scenario)."
)
_FAIL_ON = "Compare with the previous run and exit with 1 on"
_RERUN = "With --fail-on: rerun each conversation that got worse, up to N times, to rule out noise."
_ENGINE = "Where to run: in this process (local) or on Ray workers (ray).  [default: local]"
_PART = re.compile(r"(\d{1,4})/(\d{1,4})")
_SHARDS = 1000
_AUDIT = "Also have reviewers judge this share of the distinct answers that aren't flagged."


@click.command(epilog=_EXAMPLES)
@click.argument("client", required=False)
@common.texts("--persona", "ID", "Run only this persona.", "personas")
@common.texts("--scenario", "ID", "Run only this scenario.", "scenarios")
@common.texts("--tag", "T", "Run only scenarios with this tag.", "tags")
@common.count("--limit", "Run at most N conversations.")
@common.count("--repeat", "Run each conversation N times.")
@common.count("--max-turns", "Maximum turns per conversation.")
@click.option(
    "--assign", type=click.Choice(["all", "random", "round_robin"]), metavar="HOW", help=_HOW
)
@click.option("--seed", type=int, metavar="N", help="Random seed.")
@common.flag("--offline", "Don't call any model, even if client.yaml sets one.")
@common.model_option()
@common.judge_model_option
@running.limit_options
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", help=_ENGINE)
@common.text("--address", "A", "Ray cluster address, or auto.  [default: this machine]")
@common.count("--workers", "Ray worker processes.  [default: one per core]")
@common.text("--shard", "I/N", "Run only shard I of N.")
@common.text("--run-key", "KEY", "Key that all shards of one run share.")
@common.fail_on(_FAIL_ON)
@common.count("--rerun-newly-failing", _RERUN)
@click.option("--audit", type=common.Number(0, 1), metavar="SHARE", help=_AUDIT)
@running.export_option
@common.text(
    "--manifest",
    "FILE",
    "Refuse to run if the client accesses anything that isn't in this manifest.",
)
@running.ending_options(
    "Resume an unfinished run (an ID, or latest).",
    "Resume even if config, prompts or models changed.",
)
def command(client: str | None, **options: Any) -> int:
    """Run simulated users against CLIENT's bot, score every answer, and show the failures.

    CLIENT is a folder path, or the name of a client in ./scenarios or of a built-in client
    (`demo`, `demo-en`). mogi doesn't call a model unless you set one.

    Values of --fail-on: worse (results that got worse), newly-failing (passed before, failed now),
    regression (the score fell significantly), must-pass (a must-pass scenario newly fails). With
    =N, at least N conversations.
    """
    from simulator.cli.screens.estimates import written_by
    from simulator.files.client.reach import check_manifest, lines_of, reach_of

    fail_on = options.pop("fail_on")
    manifest = options.pop("manifest")
    wishes = replace(running.wishes_of(options), fail_on=fail_on)
    request = replace(_request(client, options), writes=wishes.files)
    if request.cluster and (wishes.log or wishes.verbose):
        raise click.UsageError("--log and -v cover only calls of this process; see `mogi show`")
    if manifest is not None:
        writes = written_by(request.store_url, request.writes)
        check_manifest(Path(manifest), lines_of(reach_of(request.loaded, writes=writes)))
        wishes = replace(wishes, is_confirmed=True)
    if fail_on is not None:
        fail_on.check(request.loaded.client.gate)
    request = _with_reruns(request, fail_on)
    return running.run_as_wished(request, wishes)


def _with_reruns(request: "RunRequest", fail_on: "FailOn | None") -> "RunRequest":
    """The request that plays again what got worse, where that was asked for now or at its begin.

    Raises:
        click.UsageError: nothing asks for a comparison of conversations, or it is played in parts.
    """
    most = request.options.rerun_newly_failing
    if most is None and request.resume is None:
        return request
    from simulator.compare.comparison import OPTION, Reruns, since_previous

    if most and (fail_on is None or fail_on.what == "regression"):
        raise click.UsageError(
            "--rerun-newly-failing requires --fail-on worse, newly-failing or must-pass"
        )
    if most and (request.shard or request.cluster):
        raise click.UsageError("--rerun-newly-failing doesn't work with --shard or --engine ray")
    if most is None and request.resume is not None:
        most = common.header_named(request.store_url, request.resume).options.get(OPTION)
    return replace(request, reruns=Reruns(most, since_previous, exits.say)) if most else request


def _request(client: str | None, options: dict[str, Any]) -> "RunRequest":
    from simulator.execution.plan import Options
    from simulator.execution.request import RunRequest

    url = options.pop("store") or config.store_url()
    resume, force = running.resume_of(options)
    shard = _shard(options.pop("shard"), options.pop("run_key"), resume)
    cluster = _cluster(options, shard)
    if resume:
        header = common.header_of(url, resume, "run")
        resume, client = header.id, client or header.folder
    if client is None:
        raise click.UsageError("which client? e.g. `mogi run demo`, or `mogi run --resume latest`")
    wanted, loaded = Options(**options), common.client(client)
    if shard and running.is_begun(url, begun := shard.run(loaded.client.name)):
        resume = begun
    return RunRequest(loaded, wanted, url, resume=resume, force=force, shard=shard, cluster=cluster)


def _shard(part: str | None, key: str | None, resume: str | None) -> "Shard | None":
    """The part of a run that is asked for; a key alone names the whole of one."""
    from simulator.execution.request import Shard

    if not part and not key:
        return None
    if not key:
        raise click.UsageError("--shard requires --run-key KEY, the same for all shards of a run")
    if resume:
        raise click.UsageError("a shard resumes by itself; remove --resume")
    numbers = _PART.fullmatch(part or "1/1")
    number, of = map(int, numbers.groups()) if numbers else (0, 0)
    if not 1 <= number <= of <= _SHARDS:
        raise click.UsageError(f"--shard {part}: write I/N, such as 1/3, N at most {_SHARDS}")
    return Shard(number, of, key)


def _cluster(options: dict[str, Any], shard: "Shard | None") -> "Cluster | None":
    """Whose workers play the run; taken out of `options`."""
    from simulator.execution.request import Cluster

    engine, address, workers = (options.pop(name) for name in ("engine", "address", "workers"))
    if engine == "local":
        if address or workers:
            raise click.UsageError("--address and --workers require --engine ray")
        return None
    if shard:
        raise click.UsageError(
            "--engine ray splits the run by itself; remove --shard and --run-key"
        )
    if address and address.startswith("ray://"):
        raise click.UsageError("--address: run mogi on a node of the cluster, and use auto")
    return Cluster(address, workers)
