"""What would fix a run, what is proposed and what was proved: on the screen, or as JSON."""

import shlex
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import next_steps, paragraph, spaced
from simulator.console.layout import fit, wrap
from simulator.console.palette import BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.result import Result
from simulator.core.run import Ledger, Run
from simulator.improve.cells import Paid
from simulator.improve.decision import Played, Proof, Proven, Veto
from simulator.improve.diffs import Diff
from simulator.view.faults import FaultList
from simulator.words import Words

_SHOWN = 12  # faults on the screen
_CELLS = 5  # cells that are named
_LINES = 2  # of one text
_STYLES = {Proven.ACCEPTED: GOOD, Proven.REJECTED: WARN, Proven.UNDECIDED: WARN}


def faults_view(run: Run, faults: Sequence[FaultList], width: int) -> Iterator[RenderableType]:
    """What would fix the most first; `width` in cells."""
    words = Words(run.header.language, "improve", "report", "result")
    results = run.summary.results
    failed = results[Result.FAILED]
    key = "head" if failed else "head.none"
    text = words(key, n=failed, of=run.summary.conversations, faults=len(faults))
    yield from paragraph(text, width, BOLD if failed else GOOD)
    if open_ := results[Result.UNDECIDED]:
        yield from paragraph(words("undecided", n=open_), width, DIM)
    for fault in faults[:_SHOWN]:
        yield from _fault(fault, words, width)
    if len(faults) > _SHOWN:
        yield from spaced(Text(words("more", n=len(faults) - _SHOWN), DIM))
    commands = (
        (f"mogi improve {run.header.id} --propose -o mends", words("next.propose")),
        (f"mogi review plan {run.header.id} --budget 40", words("next.correct")),
    )
    yield from next_steps(words("next"), commands if faults else (), width)


def _fault(fault: FaultList, words: Words, width: int) -> Iterator[Text]:
    count = words("n", n=len(fault.failures)).rjust(5)
    remedy = words(f"remedy.{fault.remedy}")
    name = "" if fault.of_scenario else f"  {visible(fault.entry)}"
    yield Text("")
    yield Text.assemble((f"{count}  ", BOLD), (remedy, BOLD), (name, DIM))
    yield Text(f"       {fit(visible(fault.title), width - 7)}")
    quoted = "".join(words("quoted", text=visible(text)) for text in fault.words[:3])
    for line in wrap(words("said", words=quoted), width - 7, _LINES):
        yield Text(f"       {line}", DIM)
    failure = fault.failures[0]
    if failure.about:
        yield Text(f"       {fit(visible(failure.about), width - 7)}", WARN)
    more = len(fault.failures) - 1
    where = visible(failure.key) + (f"  +{more}" if more else "")
    yield Text(f"       {where}", DIM)


def proposals_view(
    run: Run, proposals: Sequence[Diff], folder: str, left: int, ledger: Ledger | None, width: int
) -> Iterator[RenderableType]:
    """The proposals that were written, a line each; `ledger`: what a model's words cost."""
    words = Words(run.header.language, "improve")
    key = "proposed" if proposals else "proposed.none"
    yield from paragraph(words(key, n=len(proposals), folder=folder), width, BOLD)
    for diff in proposals:
        yield Text(f"  {fit(visible(diff.name), width - 2)}")
        yield Text(f"    {fit(visible(diff.said['reason']), width - 4)}", DIM)
    if ledger is not None:
        worded = sum("worded" in diff.said for diff in proposals)
        usd = words("cost", usd=f"${ledger.cost_usd:.4f}") if ledger.cost_usd else ""
        text = words("worded", n=worded, of=len(proposals), calls=ledger.model_calls, cost=usd)
        yield from paragraph(text, width, DIM)
    if left and proposals:
        yield from paragraph(words("left", n=left), width, DIM)
    prove = f"mogi improve {run.header.id} --prove {shlex.quote(folder)}"
    commands = (
        (f"{prove} --on FILE", words("next.prove")),
        (f"{prove} --on FILE --accept", words("next.accept")),
    )
    yield from next_steps(words("next"), commands if proposals else (), width)


def proofs_view(
    run: Run, proofs: Sequence[Proof], paid: Paid, personas: Sequence[str], width: int
) -> Iterator[RenderableType]:
    """What came of each proof, and what all of it took."""
    words = Words(run.header.language, "improve", "report")
    for proof in proofs:
        decision = proof.decision
        proven = words(f"proven.{decision.proven}")
        yield Text.assemble((proven, _STYLES[decision.proven]), (f"  {visible(proof.name)}", BOLD))
        for line in _lines(proof, words):
            for part in wrap(line, width - 2):
                yield Text(f"  {part}")
        yield Text("")
    share = f"{paid.share:.0%}" if paid.share is not None else "–"
    usd = "" if not paid.cost_usd else words("cost", usd=f"${paid.cost_usd:.2f}")
    text = words(
        "paid", personas=words.comma.join(personas), calls=paid.calls.total(), whole=paid.whole,
        share=share, cost=usd,
    )  # fmt: skip
    yield from paragraph(text, width, DIM)
    if any(proof.decision.more for proof in proofs):
        yield from paragraph(words("on", run=run.header.id), width, DIM)


def _lines(proof: Proof, words: Words) -> Iterator[str]:
    decision = proof.decision
    yield from (_veto(veto, proof, words) for veto in decision.vetoes)
    if decision.why is not None:
        yield words(f"why_proven.{decision.why}", more=decision.more or 0)
    gain = decision.gain
    p = "" if gain.adjusted is None else words("p", p=f"{gain.adjusted:.3f}")
    figures = {name: getattr(gain, name) for name in ("questions", "missed", "better", "worse")}
    yield words("gain", p=p, **figures)
    failing = proof.newly_failing
    cells = f": {_named(failing, words)}" if failing else ""
    yield words("moved", passing=len(proof.newly_passing), failing=len(failing), cells=cells)
    for key, count in (("after_only", proof.after_only), ("lost", proof.lost)):
        if count:
            yield words(key, n=count)
    if proof.escape_high is None:
        yield words("audit.none")
        return
    counts = {"escaped": proof.escaped, "audited": proof.audited, "others": proof.others}
    yield words("audit", high=f"{proof.escape_high:.0%}", **counts)


def _veto(veto: Veto, proof: Proof, words: Words) -> str:
    must = [cell for cell in proof.cells if cell.must_pass and cell.is_confirmed]
    harms = (
        words("harms", blame=words.name("blame", harm), before=before, after=after)
        for harm, (before, after) in proof.harms.items()
        if harm in proof.decision.harms
    )
    return words(
        f"veto.{veto}",
        cells=_named(must, words),
        harms=words.comma.join(harms),
        broken=sum(cell.is_confirmed for cell in proof.cells),
        mended=len(proof.newly_passing),
    )


def _named(cells: Sequence[Played], words: Words) -> str:
    named = [f"{visible(c.scenario)}/{visible(c.persona)}" for c in cells[:_CELLS]]
    return words.comma.join(named) + ("…" if len(cells) > _CELLS else "")


def message(run: Run, taken: Sequence[tuple[Proof, Diff]]) -> Iterator[str]:
    """The words of a commit with what was accepted, and its figures."""
    words = Words(run.header.language, "improve", "report")
    for proof, diff in taken:
        yield diff.said.get("reason") or proof.name
        yield ""
        yield from (f"- {line}" for line in _lines(proof, words))
        yield ""
    yield f"mogi improve {run.header.id}"
