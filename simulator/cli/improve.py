"""`mogi improve`: what to fix in a run, proposed fixes, and their proof."""

import shlex
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from simulator import config
from simulator.cli import common, exits, running
from simulator.console.output import print_json
from simulator.core.errors import InputError
from simulator.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from simulator.core.run import Ledger, Run
    from simulator.core.scenario import Scenario
    from simulator.execution.request import RunRequest
    from simulator.files.client.folder import LoadedClient
    from simulator.improve.candidates import Candidates
    from simulator.improve.diagnosis import Suspect
    from simulator.improve.diffs import Diff
    from simulator.improve.interventions import Tested
    from simulator.improve.proposals import Proposal, Texts, Written
    from simulator.improve.search import Change, Fix, SearchRequest
    from simulator.improve.stored import StoredFix
    from simulator.view.faults import FaultList

_EXAMPLES = """\
\b
Examples:
  mogi improve latest                       what to fix first
  mogi improve latest --fix                 find fixes and verify them
  mogi improve latest --pairs pairs.xlsx    answers for a reviewer to decide
  mogi improve latest --pairs-read pairs.xlsx
  mogi improve latest --accept              apply accepted fixes to the files
  mogi improve latest --list fix.xlsx       save the list, to share it
  mogi improve latest --propose -o new      write proposals as diffs
  mogi improve latest --prove my.diff --on unseen.yaml
  mogi improve latest --after staging       compare with another bot
"""
_PROOFS = "mogi.proofs.db"
_NAMED = 5  # files that are named


@click.command(epilog=_EXAMPLES)
@click.argument("run", metavar="RUN")
@common.flag("--fix", "Find causes, propose fixes and verify them. To apply them, use --accept.")
@common.text(
    "--pairs",
    "FILE",
    "Save the answer pairs that need a reviewer's decision (.xlsx, .csv).",
)
@common.text("--pairs-read", "FILE", "Import the completed file. Then run --fix again.")
@common.flag("--propose", "Write proposed fixes as diffs.")
@common.text("-o", "DIR", "Folder for the diffs.", "--output", default="fixes", show_default=True)
@common.text("--model", "M", "Let a model write the fixes, ask questions and read answers.")
@common.budget("Maximum cost of --model calls, including earlier ones.")
@common.text("--list", "FILE", "Also write the list to a file (.md, .xlsx).", "list_file")
@common.text("--prove", "DIFF", "Verify a diff of the client's files, or a folder of diffs.")
@common.texts("--on", "FILE", "Extra scenarios with unseen questions.")
@common.text("--before", "CLIENT", "Client folder of the old bot, to compare two bots.")
@common.text("--after", "CLIENT", "Client folder of the new bot, to compare two bots.")
@common.text("--client", "CLIENT", "The run's client folder, if you moved it.")
@common.flag("--accept", "Apply accepted fixes to the client's files (but not to code).")
@common.store_option
@running.log_options
@common.json_option
@common.quiet_option
@common.client_options
def command(run: str, **options: Any) -> int:
    """List what to fix in RUN, propose fixes, and verify them.

    Run it twice: --fix finds and verifies fixes and shows the answers before and after. --accept
    then applies the fixes that passed verification to the client's files.

    To verify a fix, mogi asks unseen questions (not used to find the fix) before and after the
    change: the failed questions in other styles, related questions, the questions in --on FILE, and
    questions about other topics. mogi compares the answers with the reviewer's corrected answer or
    the scenario's expectations. It uses a sign test, with a Holm correction across all changes
    tried for one failure, or across all diffs of one --prove run. It rejects any change that makes
    another answer worse.

    Exit status of --fix, --prove and --after: 0 if a fix is accepted or there's nothing to fix;
    1 if all fixes are rejected or the bot's code needs a change; 3 if a fix is undecided or needs
    a corrected answer from a reviewer.
    """
    from simulator.cli.contracts.improve import Outcomes, improve_json
    from simulator.cli.screens.improve import faults_view
    from simulator.improve.candidates import Candidates
    from simulator.improve.diagnosis import diagnose
    from simulator.improve.list_file import write_list
    from simulator.improve.proposals import written_by_people

    typed = _Typed(*running.log_of(options), **options)
    typed.check()
    with common.open_store(typed.store) as opened:
        whole = common.load_run(opened, run)
        suspects = diagnose(whole)
        faults = _single(whole, suspects)
        if typed.list_file is not None:
            write_list(whole, suspects, faults, typed.list_file)
            exits.say(f"wrote {typed.list_file}")
        if typed.pairs is not None:
            return _write_pairs(whole, typed.pairs, _beside(typed.store))
        if typed.pairs_read is not None:
            return _read_pairs(whole, typed.pairs_read, _beside(typed.store))
        if typed.only_lists:
            common.answer(
                lambda: improve_json(whole, faults, Outcomes(suspects)),
                lambda width: faults_view(whole, suspects, faults, width),
                as_json=typed.as_json,
            )
            return 0
        loaded = _client(whole, typed.before or typed.client)
        work = _Work(whole, suspects, faults, loaded, typed)
        written = {} if typed.only_lists else written_by_people(opened, whole)
    if typed.fix:
        try:
            return _fix(work, written)
        except KeyboardInterrupt:
            exits.say(f"to resume:  mogi improve {whole.header.id} --fix (and its other options)")
            raise
    if typed.propose:
        return _propose(work, Candidates(work.loaded, written))
    return _prove(work, written) if typed.is_proof else _accept_stored(work, written)


def _single(run: "Run", suspects: "Iterable[Suspect]") -> "list[FaultList]":
    """The faults behind the conversations that no suspect explains."""
    from simulator.view.faults import faults_of

    return faults_of(run, apart={key for suspect in suspects for key in suspect.keys})


@dataclass(frozen=True, slots=True)
class _Typed:
    """What was typed."""

    verbose: bool
    log: str | None
    fix: bool
    pairs: str | None
    pairs_read: str | None
    propose: bool
    output: str
    model: str | None
    budget_usd: float | None
    list_file: str | None
    prove: str | None
    on: tuple[str, ...]
    before: str | None
    after: str | None
    client: str | None
    accept: bool
    store: str | None
    as_json: bool
    quiet: bool

    @property
    def is_proof(self) -> bool:
        return self.prove is not None or self.after is not None

    @property
    def only_lists(self) -> bool:
        return not (self.fix or self.propose or self.is_proof or self.accept)

    @property
    def are_pairs(self) -> bool:
        return self.pairs is not None or self.pairs_read is not None

    def check(self) -> None:
        """Refuse what contradicts itself.

        Raises:
            UsageError: it does.
        """
        is_diff, is_bot = self.prove is not None, self.after is not None
        wrong = {
            "read the proposals first: --propose, then --prove DIR": self.propose and self.is_proof,
            "--prove takes a diff, --after another bot: use only one of them": is_diff and is_bot,
            "use --pairs or --pairs-read alone: one writes a file, the other imports it": (
                self.are_pairs
                and (not self.only_lists or None not in (self.pairs, self.pairs_read))
            ),
            "--before requires --after CLIENT, the bot after the change": self.before is not None
            and not is_bot,
            "read the answers first: --fix, then --accept": self.fix and self.accept,
            "--fix proposes and verifies: remove --propose, --prove and --after": self.fix
            and (self.propose or self.is_proof),
            "--accept applies what --fix or --prove DIFF accepted: it changes the client's files": (
                self.accept and (self.propose or self.after is not None)
            ),
            "--on requires --fix, --prove DIFF, or --after CLIENT": self.on
            and not (self.is_proof or self.fix),
            "--model and --budget require --fix or --propose": not (self.propose or self.fix)
            and (self.model or self.budget_usd),
        }
        for message, is_so in wrong.items():
            if is_so:
                raise click.UsageError(message)


class _Work(NamedTuple):
    """A run, what would fix it, and the client to change."""

    run: "Run"
    suspects: "Sequence[Suspect]"
    faults: "Sequence[FaultList]"
    loaded: "LoadedClient"
    typed: _Typed


def _write_pairs(run: "Run", file: str, beside: Path) -> int:
    """Write the pairs of the stored proof that a person has to decide."""
    from simulator.improve.pairs import rights_of, write_pairs
    from simulator.improve.stored import read, read_choices

    words = Words(run.header.language, "improve")
    pairs = read(run.header.id, beside).pairs
    if not pairs:
        exits.say(words("pairs.none"))
        return 0
    rights = rights_of(read_choices(run.header.id, beside))
    count = write_pairs(pairs, rights, run.header.language, Path(file))
    exits.say(words("pairs.written", n=count, file=file))
    exits.say(f"  mogi improve {run.header.id} --pairs-read {shlex.quote(file)}")
    return 0


def _read_pairs(run: "Run", file: str, beside: Path) -> int:
    """Keep what a person chose in a worksheet."""
    from simulator.improve.pairs import read_pairs
    from simulator.improve.stored import keep_choices, read, read_choices

    earlier = (choice.pair for choice in read_choices(run.header.id, beside))
    known = (*earlier, *read(run.header.id, beside).pairs)
    choices = read_pairs(Path(file), known, run.header.language)
    keep_choices(run.header.id, choices, beside)
    words = Words(run.header.language, "improve")
    exits.say(words("pairs.read" if choices else "pairs.read.none", n=len(choices)))
    if choices:
        exits.say(f"  mogi improve {run.header.id} --fix")
    return 0


def _client(run: "Run", named: str | None) -> "LoadedClient":
    """The client of a run, or the one that is named.

    Raises:
        InputError: it has none, or its files are wrong or gone.
    """
    header = run.header
    if header.is_of_rows:
        raise InputError(
            f"run {header.id} scored answers from a file, so there's no bot to change; "
            "ask the bot its questions: mogi run CLIENT"
        )
    return common.client_of(header, named)


def _propose(work: _Work, proposer: "Candidates") -> int:
    from simulator.cli.contracts.improve import Outcomes, improve_json
    from simulator.cli.screens.improve import proposals_view
    from simulator.improve.interventions import Way, way_of
    from simulator.improve.proposals import check_folder, write_proposals

    run, suspects, _, loaded, typed = work
    folder = Path(typed.output)
    check_folder(folder)  # before anything is paid for
    faults = _single(run, [each for each in suspects if way_of(each, loaded) is not Way.NONE])
    proposals = proposer.proposals(faults)
    texts, ledger = _worded(work, proposals) if typed.model and proposals else ((), None)
    diffs = proposer.diffs(run.header.id, proposals, texts, typed.model or "")
    if diffs:
        write_proposals(diffs, folder)
    left = len(faults) - sum(len(proposal.faults) for proposal in proposals)
    common.answer(
        lambda: improve_json(run, faults, Outcomes(suspects, diffs, spent=ledger)),
        lambda width: proposals_view(run, diffs, typed.output, left, ledger, width),
        as_json=typed.as_json,
    )
    return 0


def _worded(
    work: _Work, proposals: "Sequence[Proposal]"
) -> "tuple[Sequence[Texts | None], Ledger]":
    """The proposals in a model's words, and what was paid for all of them."""
    from simulator.improve.model import Model

    typed, url = work.typed, work.typed.store or config.store_url()
    kept = url, f"improve-{work.run.header.id}"
    loaded = _within_budget(work.loaded, typed)
    with running.listening(typed.log, verbose=typed.verbose) as traffic:
        model = Model(loaded, typed.model, kept, exits.say, traffic)
        model.is_needed = True
        return model.words(proposals), model.ledger


def _within_budget(loaded: "LoadedClient", typed: _Typed) -> "LoadedClient":
    if typed.budget_usd is None:
        return loaded
    limits = replace(loaded.client.limits, budget_usd=typed.budget_usd)
    return replace(loaded, client=replace(loaded.client, limits=limits))


def _fix(work: _Work, written: "Mapping[str, Written]") -> int:
    """Test the suspects, search fixes for what is left, keep their proofs, and show all of it."""
    from simulator.cli.contracts.improve import Outcomes, improve_json
    from simulator.cli.screens.improve import accepted_names, fixes_view
    from simulator.improve.decision import Proven
    from simulator.improve.diffs import check_reads
    from simulator.improve.interventions import Standing
    from simulator.improve.search import Lack

    run, typed = work.run, work.typed
    tests = _tested(work)
    suspects = [test.suspect for test in tests if test.explains]
    faults = _single(run, suspects)
    trouble: InputError | None = None
    try:
        check_reads(work.loaded)
    except InputError as error:  # what the tests of suspects say is shown all the same
        trouble = error
    fixes = _searched(work, faults, written) if faults and trouble is None else ()
    common.answer(
        lambda: improve_json(run, faults, Outcomes(tests, fixes=fixes)),
        lambda width: fixes_view(run, tests, fixes, width),
        as_json=typed.as_json,
    )
    if faults and trouble is not None:
        raise trouble
    if accepted_names(fixes) or not (faults or suspects):
        return 0
    proven = {
        fix.proof.decision.proven if fix.proof is not None else Proven.REJECTED
        for fix in fixes
        if fix.proof is not None or fix.is_code
    }
    is_open = any(fix.lack is Lack.ANSWER for fix in fixes) or any(
        test.standing is Standing.SUSPECTED for test in tests
    )
    return exits.INCOMPLETE if is_open or Proven.UNDECIDED in proven else 1


def _searched(
    work: _Work, faults: "Sequence[FaultList]", written: "Mapping[str, Written]"
) -> "Sequence[Fix]":
    """A fix for each fault; the proofs are kept for --accept."""
    from simulator.improve.carried import carried
    from simulator.improve.diffs import file_states
    from simulator.improve.plays import scenarios_of
    from simulator.improve.search import search
    from simulator.improve.stored import keep, stored_proof

    run, typed = work.run, work.typed
    loaded = _within_budget(work.loaded, typed)
    more, files = scenarios_of(typed.on, loaded), file_states(Path(loaded.client.folder))
    request = replace(_request(work, written, more), faults=faults, loaded=loaded)
    fixes = [
        replace(fix, diff=fix.diff and carried(fix.diff, loaded))
        for fix in search(request, _player(typed)).fixes
    ]
    keep(stored_proof(run.header.id, files, fixes), _beside(typed.store))
    return fixes


def _request(
    work: _Work, written: "Mapping[str, Written]", more: "Mapping[str, Scenario]"
) -> "SearchRequest":
    """What a search takes, with what people chose of its pairs."""
    from simulator.improve.pairs import rights_of
    from simulator.improve.search import SearchRequest
    from simulator.improve.stored import read_choices

    run, typed = work.run, work.typed
    rights = rights_of(read_choices(run.header.id, _beside(typed.store)))
    url, model = _proofs_url(typed.store), typed.model
    return SearchRequest(
        run, work.faults, work.loaded, written, more, model, url, rights, exits.say
    )


def _tested(work: _Work) -> "list[Tested]":
    """Each suspect after its test; what is asked for it is said before."""
    from simulator.improve.interventions import questions_of, tried

    run, loaded = work.run, _within_budget(work.loaded, work.typed)
    url, play = _proofs_url(work.typed.store), _player(work.typed)
    questions = [questions_of(suspect, loaded) for suspect in work.suspects]
    if any(questions):
        words = Words(run.header.language, "improve")
        calls = sum(map(len, questions))
        exits.say(words("testing", suspects=sum(map(bool, questions)), n=calls))
    return [tried(run, loaded, suspect, url, play) for suspect in work.suspects]


def _accept_stored(work: _Work, written: "Mapping[str, Written]") -> int:
    """Put what the stored proofs of `--fix` accepted into the client's texts."""
    from simulator.improve.stored import as_written, keep, read

    run, folder = work.run.header.id, Path(work.loaded.client.folder)
    _check_own(work.loaded)
    beside = _beside(work.typed.store)
    stored = read(run, beside)
    words = Words(work.run.header.language, "improve")
    accepted = [fix for fix in stored.fixes if fix.is_accepted]
    left = [fix for fix in accepted if fix.diff.name not in stored.written]
    if not left:
        exits.say(words("accepted.before" if accepted else "accepted.none", run=run))
        _print_accepted(work, _Accepted())
        return 0 if accepted else 1
    if changed := stored.changed(folder):
        names = ", ".join(changed[:_NAMED]) + (", …" if len(changed) > _NAMED else "")
        raise InputError(
            f"{names}: changed after mogi verified them, so nothing was written; "
            f"verify again: mogi improve {run} --fix"
        )
    done = _accept(work, left, beside, written)
    keep(as_written(stored, done.names, folder), beside)
    _print_accepted(work, done)
    return 0


class _Accepted(NamedTuple):
    """The diffs that were put in, by name, and the files that changed."""

    names: "tuple[str, ...]" = ()
    files: "tuple[str, ...]" = ()


def _print_accepted(work: _Work, done: _Accepted) -> None:
    """What was accepted, as JSON where that is wanted; a person was told already."""
    from simulator.cli.contracts.improve import Outcomes, improve_json

    if work.typed.as_json:
        outcomes = Outcomes(work.suspects, accepted=done.names, changed=done.files)
        print_json(improve_json(work.run, work.faults, outcomes))


def _check_own(loaded: "LoadedClient") -> None:
    """Refuse to change a client that comes with mogi.

    Raises:
        InputError: it does.
    """
    from simulator.files.catalog import is_shipped

    if is_shipped(Path(loaded.client.folder)):
        hint = "is built in, so mogi never changes it; create your own client: mogi init NAME"
        raise InputError(f"{loaded.client.name} {hint}")


def _prove(work: _Work, written: "Mapping[str, Written]") -> int:
    from simulator.cli.contracts.improve import Outcomes, improve_json
    from simulator.cli.screens.improve import proofs_view
    from simulator.improve.decision import Proven
    from simulator.improve.plays import scenarios_of
    from simulator.improve.search import prove_changes
    from simulator.improve.stored import StoredFix, keep_pairs

    run, suspects, faults, loaded, typed = work
    if typed.accept:
        _check_own(loaded)
    more = scenarios_of(typed.on, loaded)
    with ExitStack() as stack:
        changes = _changes(work, stack)
        searched = prove_changes(_request(work, written, more), changes, _player(typed))
    fixes = searched.fixes
    if pairs := [pair for fix in fixes for pair in fix.pairs if not fix.is_accepted]:
        keep_pairs(run.header.id, pairs, _beside(typed.store))
    done = None
    if typed.accept:
        proved = [StoredFix(f.diff, f.proof, f.examples) for f in fixes if f.diff and f.proof]
        done = _accept(work, proved, Path(typed.prove or ""), written)
    proofs = [fix.proof for fix in fixes if fix.proof]
    outcomes = Outcomes(
        suspects,
        proofs=proofs,
        fixes=fixes,
        spent=searched.paid,
        accepted=done.names if done else None,
        changed=done.files if done else None,
    )
    common.answer(
        lambda: improve_json(run, faults, outcomes),
        lambda width: proofs_view(run, fixes, searched.paid, width),
        as_json=typed.as_json,
    )
    proven = {proof.decision.proven for proof in proofs}
    if Proven.ACCEPTED in proven:
        return 0
    return 1 if proven == {Proven.REJECTED} else exits.INCOMPLETE


def _player(typed: _Typed) -> "Callable[[RunRequest], Run]":
    """Plays a request, or goes on with it where it was left; without a terminal, in silence.

    What a client reaches is confirmed once, as long as that and its code stay the same.
    """
    from simulator.files.client.reach import unconfirmed
    from simulator.improve.diffs import code_state

    is_quiet = typed.quiet or not (typed.verbose or sys.stderr.isatty())
    wishes = running.Wishes(typed.as_json, is_quiet, verbose=typed.verbose, log=typed.log)
    reached: set[tuple[bytes, tuple[str, ...]]] = set()

    def play(request: "RunRequest") -> "Run":
        begun = request.shard.run(request.loaded.client.name) if request.shard else ""
        if running.is_begun(request.store_url, begun):
            request = replace(request, resume=begun)
        lines = unconfirmed(request.loaded)
        state = (code_state(request.loaded) if lines else b"", lines)
        run = running.carry_out(request, replace(wishes, is_confirmed=state in reached))
        reached.add(state)
        return run

    return play


def _changes(work: _Work, stack: ExitStack) -> "list[Change]":
    """The client after each change; of a diff in a copy of its folder, for as long as the stack."""
    from simulator.files.catalog import CLIENT_FILE
    from simulator.improve.carried import carried
    from simulator.improve.diffs import (
        by_hand,
        check_reads,
        copy_with,
        reached_besides,
        read_diffs,
    )
    from simulator.improve.search import Change

    loaded, typed = work.loaded, work.typed
    if typed.after is not None:
        after = common.client(typed.after)
        common.confirm_reach(after)
        return [Change(typed.after, after)]
    common.confirm_reach(loaded)
    diffs, folder = read_diffs(Path(typed.prove or "")), Path(loaded.client.folder)
    check_reads(loaded)
    changes = []
    for diff in diffs:
        code = [name for name in by_hand(diff, loaded) if name != CLIENT_FILE]
        if code and config.is_untrusted():
            raise InputError(f"--untrusted blocks {diff.name}, which changes {', '.join(code)}")
    diffs = [carried(diff, loaded) for diff in diffs]
    for diff in diffs:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mogi-")))
        after = common.client(str(copy_with([diff], folder, place)))
        for more in reached_besides(diff, loaded, after):  # before anything of it is reached
            exits.say(f"{diff.name} also accesses: {more}")
        behind = {key.rsplit("/", 2)[0] for key in diff.listed("conversations")}
        changes.append(Change(diff.name, after, frozenset(behind), diff))
    return changes


def _beside(store: str | None) -> Path:
    """The folder of the store, or the present one where that is no file."""
    from simulator.store.store import location_of

    kept = location_of(store or config.store_url()).file
    return kept.parent if kept else Path.cwd()


def _proofs_url(store: str | None) -> str:
    """Where the plays of a proof are kept: beside the runs, which list none of them."""
    return f"sqlite:///{_beside(store) / _PROOFS}"


def _accept(
    work: _Work, proved: "Sequence[StoredFix]", place: Path, written: "Mapping[str, Written]"
) -> _Accepted:
    """Put what is accepted into the client's texts, and keep what failed as scenarios.

    What mogi does not write is left to a person, with the command that does; `place`: the diff, or
    the folder in which that is.
    """
    from simulator.cli.screens.improve import message
    from simulator.improve.diffs import apply_line, by_hand, write
    from simulator.improve.search import together

    run, loaded = work.run, work.loaded
    words, folder = Words(run.header.language, "improve"), Path(loaded.client.folder)
    taken = []
    for fix in proved:
        diff = fix.diff
        if not fix.is_accepted:
            continue
        if code := by_hand(diff, loaded):
            path = place / diff.name if place.is_dir() else place
            exits.say(words("by_hand", name=diff.name, files=", ".join(code)))
            exits.say(f"  {apply_line(diff, path, folder)}")
        else:
            taken.append(fix)
    if not taken:
        return _Accepted()
    fit, left = together([fix.diff for fix in taken], folder)
    files = tuple(write(fit, folder))
    exits.say(words("applied", files=", ".join(files)))
    if left:
        names = ", ".join(diff.name for diff in left)
        exits.say(words("left_over", names=names))
    taken = [fix for fix in taken if fix.diff in fit]
    _keep_scenarios(work, [fix.diff for fix in taken], words, written)
    exits.say(words("message"))
    for line in message(run, taken):
        exits.say(line)
    return _Accepted(tuple(diff.name for diff in fit), files)


def _one_each(diff: "Diff") -> "Iterable[str]":
    """A conversation of each scenario behind a diff."""
    firsts: dict[str, str] = {}
    for key in diff.listed("conversations"):
        firsts.setdefault(key.rsplit("/", 2)[0], key)
    return firsts.values()


def _keep_scenarios(
    work: _Work, diffs: "Sequence[Diff]", words: "Words", written: "Mapping[str, Written]"
) -> None:
    """Keep what failed as scenarios, and say which ones expect another answer than what is right.

    Of these a fix that was proved by a person's answer would be undecided in the next run.
    """
    for key in dict.fromkeys(key for diff in diffs for key in _one_each(diff)):
        exits.say(_promoted(work, key, words, written.get(key.rsplit("/", 2)[0])))
    if others := _expecting_others(work, diffs):
        command = f"mogi review apply {shlex.quote(work.loaded.client.name)} --write"
        exits.say(words("still_expected", scenarios=words.comma.join(others), command=command))


def _expecting_others(work: _Work, diffs: "Sequence[Diff]") -> list[str]:
    """The scenarios behind these diffs that expect another answer than the corrected one."""
    from simulator.review.corrected_answers import propose

    behind = {key.rsplit("/", 2)[0] for diff in diffs for key in diff.listed("conversations")}
    with common.open_store(work.typed.store) as opened:
        fresh = common.client(work.loaded.client.folder)
        proposals = propose(opened, fresh, Path.cwd()).proposals
    expected = {each.scenario: fresh.scenarios[each.scenario].expected for each in proposals}
    return [name for name, of in expected.items() if name in behind and not of.elements]


def _promoted(work: _Work, key: str, words: "Words", written: "Written | None") -> str:
    """Keep a conversation as a scenario, which expects the entries that say it now."""
    from simulator.improve.matter import saying
    from simulator.review.corrected_answers import promote, write_edit

    try:
        with common.open_store(work.typed.store) as opened:
            fresh = common.client(work.loaded.client.folder)
            entries = saying(written.asked, written.text, fresh) if written else ()
            promoted = promote(opened, fresh, work.run.header, key, Path.cwd(), entries)
        if promoted.edit is None:
            return words("promoted.same", scenario=key.rsplit("/", 2)[0])
        write_edit(promoted.edit)
    except InputError as error:
        return words("not_promoted", why=str(error))
    return words("promoted", scenario=promoted.scenario.id)
