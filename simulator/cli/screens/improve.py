"""What would fix a run, what is proposed and what was proved: on the screen, or as JSON."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import INDENT, beside, next_steps, paragraph, spaced
from simulator.console.layout import fit, wrap
from simulator.console.palette import BOLD, DIM, GOOD, WARN
from simulator.core.clean import cut, visible
from simulator.core.result import Result
from simulator.core.run import Ledger, Run
from simulator.improve.decision import DecidingRule, Played, Proof, Proven, Veto
from simulator.improve.diagnosis import Suspect
from simulator.improve.diffs import Diff, changed_lines
from simulator.improve.interventions import FEWEST, Standing, Tested, Way
from simulator.improve.list_file import cause_of
from simulator.improve.plays import Paid
from simulator.improve.search import Fix, Lack, may_not_be_read
from simulator.improve.stored import StoredFix
from simulator.view.faults import FaultList
from simulator.words import Words, nested

_SHOWN = 12  # faults on the screen
_EXAMPLES = 3  # questions that are shown of a fix
_CELLS = 5  # cells that are named
_LINES = 2  # of one text
_CHANGED = 8  # lines of a diff
_ALIKE = 40  # characters before the first difference that are shown
_QUOTED = 300  # characters of an answer in the words of a commit
_STYLES = {Proven.ACCEPTED: GOOD, Proven.REJECTED: WARN, Proven.UNDECIDED: WARN}


def faults_view(
    run: Run, suspects: Sequence[Suspect], faults: Sequence[FaultList], width: int
) -> Iterator[RenderableType]:
    """Suspects, then what would fix the most first; `width` in cells."""
    words = Words(run.header.language, "improve", "report", "result")
    results = run.summary.results
    failed = results[Result.FAILED]
    key = "head.suspects" if suspects else "head" if failed else "head.none"
    counts = {"suspects": len(suspects), "faults": len(faults)}
    text = words(key, n=failed, of=run.summary.conversations, **counts)
    yield from paragraph(text, width, BOLD if failed else GOOD)
    if open_ := results[Result.UNDECIDED]:
        yield from paragraph(words("undecided", n=open_, run=run.header.id), width, DIM)
    for suspect in suspects:
        yield from _suspect(Tested(suspect, Way.NONE), run, words, width)
    for fault in faults[:_SHOWN]:
        yield from _fault(fault, words, width)
    if len(faults) > _SHOWN:
        yield from spaced(Text(words("more", n=len(faults) - _SHOWN), DIM))
    commands = [(f"mogi improve {run.header.id} --fix", words("next.fix"))]
    if faults:
        plan = f"mogi review plan {run.header.id} --budget 40"
        commands.append((plan, words("next.correct")))
    yield from next_steps(words("next"), commands if faults or suspects else (), width)


def _suspect(
    tested: Tested, run: Run, words: Words, width: int, *, is_after: bool = False
) -> Iterator[Text]:
    """A suspect, with what its test said if it `is_after` one."""
    suspect, what = tested.suspect, cause_of(tested.suspect, run, words)
    count = words("n", n=len(suspect.keys)).rjust(5)
    is_sure = tested.standing is Standing.CONFIRMED
    text = visible(words("suspect.confirmed" if is_sure else "suspect", what=what))
    yield Text("")
    for number, line in enumerate(wrap(text, width - 7)):
        yield Text.assemble(("       " if number else f"{count}  ", BOLD), (line, BOLD))
    if is_after:
        for line in wrap(_test(tested, words), width - 7):
            yield Text(f"       {line}")
    for line in wrap(words("quoted", text=nested(visible(suspect.answer))), width - 7, _LINES):
        yield Text(f"       {line}", WARN)
    for line in wrap(words(f"look.{suspect.cause}"), width - 7):
        yield Text(f"       {line}")
    yield Text(f"       {words('code' if suspect.is_code else 'texts')}", DIM)
    yield _where(suspect.keys[0], len(suspect.keys), words)


def _where(key: str, n: int, words: Words) -> Text:
    """The first of so many conversations, and how many more there are."""
    return Text(f"       {visible(key)}" + (words("also", n=n - 1) if n > 1 else ""), DIM)


def _test(tested: Tested, words: Words) -> str:
    if tested.way is Way.NONE:
        return words("tested.none")
    if tested.decided < FEWEST:
        return words("tested.few", decided=tested.decided)
    return words(f"tested.{tested.way}", agrees=tested.agrees, decided=tested.decided)


def fixes_view(
    run: Run, tests: Sequence[Tested], fixes: Sequence[Fix], width: int
) -> Iterator[RenderableType]:
    """What came of `--fix`: the causes, then each fault with answers before and after."""
    words = Words(run.header.language, "improve", "report")
    accepted = accepted_names(fixes)
    text = words("fix.some" if accepted else "fix.none", n=len(accepted))
    yield from paragraph(text, width, GOOD if accepted else WARN)
    for tested in tests:
        if tested.standing is Standing.DROPPED:
            counts = {"agrees": tested.agrees, "decided": tested.decided}
            what = cause_of(tested.suspect, run, words)
            yield from spaced(*paragraph(words("dropped", what=what, **counts), width, DIM))
        else:
            yield from _suspect(tested, run, words, width, is_after=True)
    for fix in fixes:
        yield Text("")
        yield from _fix(fix, words, width, has_change=True)
    if may_not_be_read(fixes):
        yield from spaced(*paragraph(words("may_not_be_read", run=run.header.id), width, WARN))
    accept = f"mogi improve {run.header.id} --accept"
    commands = [(accept, words("next.accept_stored", n=len(accepted)))] if accepted else []
    if any(fix.pairs and not fix.is_accepted for fix in fixes):
        pairs = f"mogi improve {run.header.id} --pairs pairs.xlsx"
        commands.append((pairs, words("next.pairs")))
    if any(fix.lack is Lack.ANSWER for fix in fixes):
        plan = f"mogi review plan {run.header.id} --budget 40"
        commands.append((plan, words("next.correct")))
    yield from next_steps(words("next"), commands, width)


def accepted_names(fixes: Sequence[Fix]) -> tuple[str, ...]:
    """The diffs that a proof accepts, each once."""
    proofs = (fix.proof for fix in fixes if fix.proof is not None)
    names = (proof.name for proof in proofs if proof.decision.proven is Proven.ACCEPTED)
    return tuple(dict.fromkeys(names))


def _fix(fix: Fix, words: Words, width: int, *, has_change: bool = False) -> Iterator[Text]:
    """A fault with its fix, without p-values; `has_change`: with the lines that it changes."""
    fault, proof, diff = fix.fault, fix.proof, fix.diff
    count = words("n", n=len(fault.failures)) if fault else ""
    if proof is None:
        what = f"{words(f'remedy.{fault.remedy}')}: {visible(fault.title)}" if fault else ""
        yield from (Text(line, BOLD) for line in wrap(f"{count}  {what}", width))
        lines = [words(f"lack.{fix.lack or Lack.CHANGE}")]
    else:
        proven = proof.decision.proven
        head_text = Text.assemble((words(f"proven.{proven}"), _STYLES[proven]), f"  {count}  ")
        yield head_text.append(fit(visible(proof.name), max(8, width - head_text.cell_len)), BOLD)
        short = _in_short(proof, words, has_pairs=bool(fix.pairs))
        lines = [visible(diff.said.get("reason", "")) if diff else "", *short]
    if not accepted_names([fix]):
        lines += _reasons(fix, words)
    if fix.pairs:
        lines.append(words("pairs", n=len(fix.pairs)))
    yield from (Text(f"  {part}") for line in lines if line for part in wrap(line, width - 2))
    if has_change and diff is not None:
        yield from _change(diff, words, width)
    for example in fix.examples[:_EXAMPLES]:
        yield Text("")
        texts = {"question": example.question, "before": example.before, "after": example.after}
        for label, text in texts.items():
            lines = wrap(visible(text) or "–", width - INDENT, _LINES)
            yield from beside(f"  {words(label)}", lines, INDENT)


def _change(diff: Diff, words: Words, width: int) -> Iterator[Text]:
    """The lines that a diff changes, each from where it begins to differ."""
    lines = list(changed_lines(diff))
    for number, line in enumerate(lines[:_CHANGED]):
        if not number or line.file != lines[number - 1].file:
            yield from spaced(Text(f"  {fit(visible(line.file), width - 2)}", DIM))
        others = [o.text for o in lines if o.file == line.file and o.is_added != line.is_added]
        alike = max((_alike(line.text, other) for other in others), default=0)
        text = f"…{line.text[alike - _ALIKE :]}" if alike > 2 * _ALIKE else line.text
        sign, style = ("+", GOOD) if line.is_added else ("-", WARN)
        for at, part in enumerate(wrap(visible(text), width - 4, _LINES)):
            yield Text(f"  {' ' if at else sign} {part}", style)
    if len(lines) > _CHANGED:
        yield Text(f"    {words('more_lines', n=len(lines) - _CHANGED)}", DIM)


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _reasons(fix: Fix, words: Words) -> Iterator[str]:
    """Why its candidates were not accepted, equal lines once."""
    shown = fix.proof.name if fix.proof else ""
    lines: Counter[str] = Counter()
    for tried in fix.tried:
        name = f"{visible(tried.candidate)}: " if tried.candidate else ""
        if name and shown and tried.candidate != shown:
            name = words("also_tried", name=name)
        lines[f"{name}{visible(tried.reason)}"] += bool(tried.reason)
    for line, number in (+lines).items():
        yield line if number == 1 else f"{words('n', n=number)} {line}"


def _in_short(proof: Proof, words: Words, *, has_pairs: bool = False) -> Iterator[str]:
    """What decided, and how many unseen questions are answered better and worse.

    With pairs it is a person who reads what stays undecided, no model.
    """
    decision, gain = proof.decision, proof.decision.gain
    yield from (_veto(veto, proof, words) for veto in decision.vetoes)
    if decision.why is not None and not (has_pairs and decision.why is DecidingRule.UNREAD):
        # Without a gain although questions are answered better: a failed one is not.
        is_still_wrong = decision.why is DecidingRule.NO_GAIN and gain.better
        why = "still_wrong" if is_still_wrong else decision.why
        yield words(f"why_proven.{why}", more=decision.more or 0)
    if gain.questions and not decision.vetoes:
        figures = {"better": gain.better, "worse": gain.worse, "questions": gain.questions}
        yield words("better" if gain.worse else "better.none_worse", **figures)


def _fault(fault: FaultList, words: Words, width: int) -> Iterator[Text]:
    count = words("n", n=len(fault.failures)).rjust(5)
    name = "" if fault.of_scenario else words("entry", entry=visible(fault.entry))
    yield Text("")
    yield Text.assemble((f"{count}  {words.name('fault', fault.blame)}", BOLD), (name, DIM))
    yield Text(f"       {fit(visible(fault.title), width - 7)}")
    remedy = words("to_fix", remedy=words(f"remedy.{fault.remedy}"))
    yield from (Text(f"       {line}") for line in wrap(remedy, width - 7))
    quoted = "".join(words("quoted", text=nested(visible(text))) for text in fault.words[:3])
    for line in wrap(words("said", words=quoted), width - 7, _LINES):
        yield Text(f"       {line}", DIM)
    failure = fault.failures[0]
    for line in wrap(visible(failure.why), width - 7, _LINES):
        yield Text(f"       {line}", WARN)
    yield _where(failure.key, len(fault.failures), words)


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
    commands = ((prove, words("next.prove")), (f"{prove} --accept", words("next.accept")))
    yield from next_steps(words("next"), commands if proposals else (), width)


def proofs_view(run: Run, fixes: Sequence[Fix], paid: Paid, width: int) -> Iterator[RenderableType]:
    """What came of each proof, and what all of it took."""
    words = Words(run.header.language, "improve", "report")
    for fix in fixes:
        yield from _fix(fix, words, width)
        yield Text("")
    usd = "" if not paid.cost_usd else words("cost", usd=f"${paid.cost_usd:.2f}")
    text = words("paid", calls=paid.calls.total(), whole=paid.whole, cost=usd)
    yield from paragraph(text, width, DIM)
    if any(fix.proof and fix.proof.decision.more and not fix.pairs for fix in fixes):
        yield from paragraph(words("on", run=run.header.id), width, DIM)


def _veto(veto: Veto, proof: Proof, words: Words) -> str:
    broken = proof.newly_failing
    must = [cell for cell in broken if cell.must_pass]
    return words(f"veto.{veto}", cells=_named(must or broken, words), broken=len(broken))


def _named(cells: Sequence[Played], words: Words) -> str:
    named = [words("quoted", text=visible(cell.scenario)) for cell in cells[:_CELLS]]
    return words.comma.join(named) + ("…" if len(cells) > _CELLS else "")


def message(run: Run, taken: Sequence[StoredFix]) -> Iterator[str]:
    """The words of a commit with what was accepted, and answers before and after."""
    words = Words(run.header.language, "improve", "report")
    for fix in taken:
        yield visible(fix.diff.said.get("reason") or fix.diff.name)
        yield ""
        yield from (f"- {line}" for line in _in_short(fix.proof, words))
        for example in fix.examples[:_EXAMPLES]:
            yield f"- {words('question')}: {_quoted(example.question)}"
            yield f"  {words('before')}: {_quoted(example.before)}"
            yield f"  {words('after')}: {_quoted(example.after)}"
        yield ""
    yield f"mogi improve {run.header.id}"


def _quoted(text: str) -> str:
    return cut(" ".join(visible(text).split()), _QUOTED)
