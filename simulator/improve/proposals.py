"""Changes of a client's files that would mend a fault, by rules, each a diff that a person reads.

The words are users' of the run, or a person's who corrected or approved an answer. What a scenario
expects is in none; where no person wrote anything, its first document says which entry was missed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from simulator.core.result import Result
from simulator.core.run import Run
from simulator.core.talk import Document
from simulator.core.verdict import Word, latest, latest_words
from simulator.files.knowledge_edit import difference
from simulator.formats.own_files import make_private
from simulator.formats.sources import Source
from simulator.improve.diffs import Diff
from simulator.review.corrected_answers import corrections
from simulator.store.store import Store
from simulator.view.faults import FaultList


@dataclass(frozen=True, slots=True)
class Written:
    """What a person wrote of a scenario's answer, or called right: `text`, and what was asked."""

    text: str
    asked: str
    by: str


def written_by_people(store: Store, run: Run) -> dict[str, Written]:
    """By scenario: the newest corrected answer of the client's runs, else one that was called OK.

    The latter is of a conversation that passed: beside a failure it answers another question.
    Where people differ in this run, the newest one counts; proving it is what decides.
    """
    found: dict[str, Written] = {}
    for episode, verdicts in run.reviewed():
        has_passed = episode.finding is not None and episode.finding.result is Result.PASSED
        for turn in episode.turns if has_passed else ():
            here = [verdict for verdict in verdicts if verdict.turn == turn.exchange.turn]
            words = latest_words(here)
            if words and set(words.values()) == {Word.OK} and not turn.asks_back:
                name, source = next(iter(latest(here)), ("", ""))
                said = Written(turn.exchange.assistant, turn.exchange.user, name or source)
                found.setdefault(episode.cell.scenario, said)
    for correction in sorted(corrections(store, run.header.client), key=lambda each: each.at):
        by = correction.who[0] or correction.who[1]
        found[correction.scenario] = Written(correction.text, correction.question, by)
    return found


Texts = Mapping[str, str]
"""What a proposal says, by name: `asked`, how users ask; `answer`, what they are to be told."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of one file that would mend `faults`, as rules word it.

    `why` is a key of the words, with what it names (`about`). `write` makes the whole file with
    other `texts`, None where they do not fit in. Others may only say what `people` wrote or
    approved, of `old` where that is put right; how they ask is up to what users `said`. `near` are
    entries whose style is to be kept.
    """

    path: str
    before: str
    why: str
    about: Mapping[str, str]
    texts: Texts
    write: Callable[[Texts], str | None]
    said: tuple[str, ...]
    people: tuple[str, ...]
    old: str = ""
    near: tuple[Document, ...] = ()
    faults: tuple[FaultList, ...] = ()

    def diff(self, texts: Texts) -> str:
        """What it changes; empty where these texts do not fit in."""
        after = self.write(texts)
        return difference(self.path, self.before, after) if after else ""


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds diffs already: whose they are could not be told any more.

    Raises:
        InputError: it does.
    """
    if there := [path.name for path in folder.glob("*.diff")]:
        message = f"already contains {len(there)} diffs; use another folder with -o"
        raise Source.of(folder).error(0, message)


def write_proposals(proposals: Sequence[Diff], folder: Path) -> list[Path]:
    """A file for each, in a folder that is made.

    Raises:
        InputError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for diff in proposals:
            make_private(folder / diff.name, anew=True)
            (folder / diff.name).write_text(diff.text, "utf-8", newline="")
    except OSError as error:
        message = f"can't be written ({error.strerror or error}); use another folder with -o"
        raise Source.of(folder).error(0, message) from error
    return [folder / diff.name for diff in proposals]
