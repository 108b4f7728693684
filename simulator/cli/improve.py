"""`mogi improve`: what would mend a run, changes that do, and the proof that they do."""

import asyncio
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common, exits, running
from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, InputError
from simulator.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simulator.core.run import Run
    from simulator.core.traffic import Traffic
    from simulator.execution.request import RunRequest
    from simulator.files.client.folder import LoadedClient
    from simulator.improve.decision import Proof
    from simulator.improve.diffs import Diff
    from simulator.improve.proof import Change
    from simulator.improve.proposals import Proposal, Proposer
    from simulator.improve.wording import Wording
    from simulator.store.store import Store
    from simulator.view.faults import FaultList

_EXAMPLES = """\
\b
Examples:
  mogi improve latest                            what to mend first
  mogi improve latest --list mend.xlsx           the same for people
  mogi improve latest --propose -o new           changes, as diffs to read
  mogi improve latest --prove mends --on unseen.yaml
  mogi improve latest --prove my.diff --accept   then change the files
  mogi improve latest --after staging            another bot, by its folder
"""
_PROOFS = "mogi.proofs.db"


@click.command(epilog=_EXAMPLES)
@click.argument("run", metavar="RUN")
@common.flag("--propose", "Write changes that would mend it, each a diff.")
@common.text("-o", "DIR", "The folder for them.", "--output", default="mends", show_default=True)
@common.text("--model", "M", "A model words them; no sentence but from what people wrote.")
@common.budget("Spend at most so much on their words, earlier calls included.")
@common.text("--list", "FILE", "Write the list there as well (.md, .xlsx).", "list_file")
@common.text(
    "--prove", "DIFF", "Prove a change: a diff of the client's files, or a folder of them."
)
@common.texts("--on", "FILE", "Scenarios besides the client's: questions nobody saw.")
@common.text("--before", "CLIENT", "Prove another bot: the folder of the one before.")
@common.text("--after", "CLIENT", "Prove another bot: the folder of the one after.")
@common.text("--client", "CLIENT", "The run's client, where its folder is another one by now.")
@common.count("--personas", "How many ask, of those that RUN did not have.", default=3)
@common.flag("--accept", "Put what is accepted into the client's files.")
@common.store_option
@running.log_options
@common.json_option
@common.quiet_option
@common.client_options
def command(run: str, *, propose: bool, as_json: bool, **options: Any) -> int:
    """Say what would mend the conversations of RUN that failed, propose it, and prove it.

    A proof plays personas that RUN did not have, in their own words, before the change and after
    it: on every question that the change reaches, on all that must pass, and on some drawn at
    random. What counts are questions that no proposer saw (--on, or the client's others), paired,
    with Holm's adjustment; a change that does harm anywhere is rejected.

    Exit status of a proof: 0 if something is accepted, 1 if all is rejected, 3 if it is undecided.
    """
    from simulator.view.faults import faults_of

    quiet, (verbose, log) = options.pop("quiet"), running.log_of(options)
    said = {name: options.pop(name) for name in ("output", "model", "budget_usd")}
    wanted = _Wanted(**said, store=options["store"], log=(verbose, log))
    list_file, client = (options.pop(name) for name in ("list_file", "client"))
    asked = _Asked(**options)
    asked.check(propose=propose)
    if not propose and (wanted.model or wanted.budget_usd):
        raise click.UsageError("--model and --budget go with --propose: they are for its words")
    with common.open_store(asked.store) as opened:
        whole = common.load_run(opened, run)
        faults = faults_of(whole)
        if list_file is not None:
            _write_list(whole, faults, list_file)
        if not propose and not asked.is_proof:
            return _list(whole, faults, as_json=as_json)
        loaded = _client(whole, asked.before or client)
        if propose:
            proposer = _proposer(whole, loaded, opened)
    if propose:
        return _propose(whole, loaded, faults, proposer, wanted, as_json=as_json)
    wishes = running.Wishes(as_json, quiet, dry_run=False, reports=(), verbose=verbose, log=log)
    return _prove(whole, loaded, faults, asked, wishes)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be proved, and how."""

    prove: str | None
    on: tuple[str, ...]
    before: str | None
    after: str | None
    personas: int
    accept: bool
    store: str | None

    @property
    def is_proof(self) -> bool:
        return self.prove is not None or self.after is not None

    def check(self, *, propose: bool) -> None:
        """Refuse what contradicts itself.

        Raises:
            UsageError: it does.
        """
        if propose and self.is_proof:
            raise click.UsageError("read the proposals first: --propose, then --prove DIR")
        if self.prove is not None and self.after is not None:
            raise click.UsageError(
                "--prove takes a diff, --after another bot: leave one of them out"
            )
        if self.before is not None and self.after is None:
            raise click.UsageError("--before goes with --after CLIENT, the bot after the change")
        if self.accept and self.prove is None:
            raise click.UsageError("--accept goes with --prove DIFF: it changes the client's files")
        if self.on and not self.is_proof:
            raise click.UsageError("--on goes with --prove DIFF, or with --after CLIENT")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Where proposals go, and who words them."""

    output: str
    model: str | None
    budget_usd: float | None
    store: str | None
    log: tuple[bool, str | None]


def _client(run: "Run", named: str | None) -> "LoadedClient":
    """The client of a run, or the one that is named.

    Raises:
        InputError: it has none, or its files are wrong or gone.
    """
    header = run.header
    if header.is_of_rows:
        raise InputError(
            f"run {header.id} scored answers of a file, so there is no bot to change; "
            "play its questions: mogi run CLIENT"
        )
    try:
        return common.client(named or header.folder)
    except InputError as error:
        if named is not None:
            raise
        hint = f"run {header.id} was held for {header.client}; name its folder with --client"
        raise InputError(*error.complaints, hint) from error


def _write_list(run: "Run", faults: "Sequence[FaultList]", path: str) -> None:
    from simulator.improve.list_file import write_list

    write_list(run, faults, path)
    exits.say(f"wrote {path}")


def _list(run: "Run", faults: "Sequence[FaultList]", *, as_json: bool) -> int:
    from simulator.cli.screens.improve import faults_view, improve_json
    from simulator.console.output import print_json, show_view

    if as_json:
        print_json(improve_json(run, faults))
    else:
        show_view(lambda width: faults_view(run, faults, width))
    return 0


def _proposer(run: "Run", loaded: "LoadedClient", store: "Store") -> "Proposer":
    from simulator.improve.proposals import Proposer, written_by_people

    return Proposer(loaded, written_by_people(store, run))


def _propose(
    run: "Run",
    loaded: "LoadedClient",
    faults: "Sequence[FaultList]",
    proposer: "Proposer",
    wanted: _Wanted,
    *,
    as_json: bool,
) -> int:
    from simulator.cli.screens.improve import improve_json, proposals_view
    from simulator.console.output import print_json, show_view
    from simulator.improve.proposals import check_folder, write_proposals

    folder = Path(wanted.output)
    check_folder(folder)  # before anything is paid for
    proposals, halt = proposer.proposals(faults), Halt()
    wording = _worded(run, loaded, proposals, wanted, halt) if wanted.model and proposals else None
    if halt.reason is not None or halt.trouble:
        exits.say(f"mogi: {halt.message or halt.trouble}")
        exits.say("nothing was written; the same command goes on with it, and pays nothing twice")
        return exits.INTERRUPTED if halt.reason is HaltReason.INTERRUPTED else exits.INCOMPLETE
    texts = wording.texts if wording else ()
    diffs = proposer.diffs(run.header.id, proposals, texts, wanted.model or "")
    if diffs:
        write_proposals(diffs, folder)
    ledger = wording.ledger if wording else None
    if as_json:
        print_json(improve_json(run, faults, diffs, ledger=ledger))
    else:
        left = len(faults) - sum(len(proposal.faults) for proposal in proposals)
        show_view(lambda width: proposals_view(run, diffs, wanted.output, left, ledger, width))
    return 0


def _worded(
    run: "Run",
    loaded: "LoadedClient",
    proposals: "Sequence[Proposal]",
    wanted: _Wanted,
    halt: Halt,
) -> "Wording":
    """The proposals in a model's words, as far as it came."""
    from simulator.core.concurrency import interruptible
    from simulator.generate.units import model_of
    from simulator.improve.wording import word_all

    client, spec = loaded.client, model_of(loaded.client, wanted.model)
    if spec is None:
        raise InputError("no model is named; name one with --model M")
    if wanted.budget_usd is not None:
        limits = replace(client.limits, budget_usd=wanted.budget_usd)
        loaded = replace(loaded, client=replace(client, limits=limits))
    url, session = wanted.store or config.store_url(), f"improve-{run.header.id}"

    async def work(traffic: "Traffic") -> "Wording":
        async with interruptible(halt, exits.say):
            return await word_all(proposals, spec, loaded, (url, session), halt, traffic)

    verbose, log = wanted.log
    with running.listening(log, verbose=verbose) as (traffic, lines):
        lines.run = session
        return asyncio.run(work(traffic))


def _prove(
    run: "Run",
    loaded: "LoadedClient",
    faults: "Sequence[FaultList]",
    asked: _Asked,
    wishes: running.Wishes,
) -> int:
    from simulator.cli.screens.improve import improve_json, proofs_view
    from simulator.console.output import print_json, show_view
    from simulator.files.catalog import is_shipped
    from simulator.improve.cells import scenarios_of
    from simulator.improve.proof import Prover

    if asked.accept and is_shipped(Path(loaded.client.folder)):
        told = "comes with mogi and is not changed; make a client of your own: mogi init NAME"
        raise InputError(f"{loaded.client.name} {told}")
    more = scenarios_of(asked.on, loaded)
    with ExitStack() as stack:
        diffs, changes = _changes(run, loaded, faults, asked, stack)
        url = _proofs_url(asked.store)
        prover = Prover(run, loaded, more, url, _player(wishes), asked.personas)
        proofs = prover.prove(changes)
    if wishes.as_json:
        print_json(improve_json(run, faults, None, proofs, prover.paid))
    else:
        show_view(lambda width: proofs_view(run, proofs, prover.paid, prover.personas, width))
    if asked.accept:
        _accept(run, loaded, proofs, diffs, asked.store)
    return _status(proofs)


def _player(wishes: running.Wishes) -> "Callable[[RunRequest], Run]":
    """Plays a request, or goes on with it where it was left."""

    def play(request: "RunRequest") -> "Run":
        begun = request.shard.run(request.loaded.client.name) if request.shard else ""
        if running.is_begun(request.store_url, begun):
            request = replace(request, resume=begun)
        return running.carry_out(request, wishes)

    return play


def _changes(
    run: "Run",
    loaded: "LoadedClient",
    faults: "Sequence[FaultList]",
    asked: _Asked,
    stack: ExitStack,
) -> "tuple[list[Diff], list[Change]]":
    """The client after each change; of a diff in a copy of its folder, for as long as the stack."""
    from simulator.improve.diffs import check_reads, copy_with, reached_besides, read_diffs
    from simulator.improve.proof import Change

    failed = frozenset(name for fault in faults for name in fault.scenarios)
    if asked.after is not None:
        return [], [Change(asked.after, common.client(asked.after), failed)]
    diffs, folder = read_diffs(Path(asked.prove or "")), Path(loaded.client.folder)
    check_reads(loaded)
    changes = []
    for diff in diffs:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mogi-")))
        after = common.client(str(copy_with([diff], folder, place)))
        for more in reached_besides(diff, loaded, after):  # before anything of it is reached
            exits.say(f"{diff.name} reaches besides: {more}")
        behind = {key.rsplit("/", 2)[0] for key in diff.listed("conversations")}
        changes.append(Change(diff.name, after, frozenset(behind) or failed))
    return diffs, changes


def _proofs_url(store: str | None) -> str:
    """Where the plays of a proof are kept: beside the runs, which list none of them."""
    from simulator.store.store import location_of

    kept = location_of(store or config.store_url()).file
    return f"sqlite:///{(kept.parent if kept else Path.cwd()) / _PROOFS}"


def _accept(
    run: "Run",
    loaded: "LoadedClient",
    proofs: "Sequence[Proof]",
    diffs: "Sequence[Diff]",
    store: str | None,
) -> None:
    """Put what is accepted into the client's files, and keep what failed as scenarios."""
    from simulator.cli.screens.improve import message
    from simulator.improve.decision import Proven
    from simulator.improve.diffs import fitting, write

    both = zip(proofs, diffs, strict=True)
    taken = [(p, diff) for p, diff in both if p.decision.proven is Proven.ACCEPTED]
    if not taken:
        return
    words, folder = Words(run.header.language, "improve"), Path(loaded.client.folder)
    fit, left = fitting([diff for _, diff in taken], folder)
    exits.say(words("applied", files=", ".join(write(fit, folder))))
    if left:
        names = ", ".join(diff.name for diff in left)
        exits.say(words("left_over", names=names))
    taken = [(proof, diff) for proof, diff in taken if diff in fit]
    for key in dict.fromkeys(key for _, diff in taken for key in _one_each(diff)):
        exits.say(_promoted(run, loaded, key, store, words))
    exits.say(words("message"))
    for line in message(run, taken):
        exits.say(line)


def _one_each(diff: "Diff") -> "Iterator[str]":
    """A conversation of each scenario behind a diff."""
    seen = set()
    for key in diff.listed("conversations"):
        scenario = key.rsplit("/", 2)[0]
        if scenario not in seen:
            seen.add(scenario)
            yield key


def _promoted(
    run: "Run", loaded: "LoadedClient", key: str, store: str | None, words: "Words"
) -> str:
    from simulator.review.corrected_answers import promote, write_answers

    try:
        with common.open_store(store) as opened:
            fresh = common.client(loaded.client.folder)
            found = promote(opened, fresh, run.header, key, Path.cwd())
        write_answers(found)
    except InputError as error:
        return words("not_promoted", why=str(error))
    return words("promoted", scenario=found.scenario.id)


def _status(proofs: "Sequence[Proof]") -> int:
    from simulator.improve.decision import Proven

    found = {proof.decision.proven for proof in proofs}
    if Proven.ACCEPTED in found:
        return 0
    return 1 if found == {Proven.REJECTED} else exits.INCOMPLETE
