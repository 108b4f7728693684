"""Changes of a client's files that would mend a fault, by rules, each a diff that a person reads.

The words are users' of the run, or a person's who corrected or approved an answer. What a scenario
expects is in none; where no person wrote anything, its first document says which entry was missed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from simulator.core.claim import Claim, ClaimKind, State
from simulator.core.clean import cut
from simulator.core.result import Result
from simulator.core.run import Run
from simulator.core.talk import Document
from simulator.core.verdict import Word, latest, latest_words
from simulator.files.client.folder import LoadedClient
from simulator.files.knowledge_edit import KnowledgeText
from simulator.formats.diffs import unified
from simulator.formats.own_files import make_private
from simulator.formats.sources import Source
from simulator.improve.diffs import Diff, guideline_files
from simulator.reading.words import read_words
from simulator.review.corrected_answers import corrections
from simulator.store.store import Store
from simulator.text.bm25 import Bm25
from simulator.text.tokens import content_tokens
from simulator.view.faults import FaultList, Remedy
from simulator.words import Words

_ASKED = 3  # of users' utterances that are put into an entry
_LENGTH = 120  # characters of each
_LEAST = 2  # content words of an utterance that says what it is about
_NEAR = 5  # entries in which a sentence may say the contrary
_STYLES = 2  # entries whose style a new one keeps
_LINES = {Remedy.REFUSE: "refuse", Remedy.HAND_OVER: "hand_over", Remedy.ANSWER: "answer"}


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
        return unified(self.path, self.before, after) if after else ""


class Proposer:
    """Makes the proposals for one client; its files are only read."""

    def __init__(self, loaded: LoadedClient, written: Mapping[str, Written]) -> None:
        self._folder = Path(loaded.client.folder)
        self._language = loaded.client.language
        self._written = written
        self._words = Words(self._language, "improve")
        self._entries = tuple(loaded.knowledge.documents()) if loaded.knowledge else ()
        self._index = Bm25(self._entries, self._language)
        named = self._inside(loaded.client.knowledge)
        self._knowledge = KnowledgeText.read(named) if named else None
        self._knowledge_name = named.path.relative_to(self._folder).as_posix() if named else ""
        self._guidelines = self._guideline_file(loaded)
        self._added = 0

    def diffs(
        self, run: str, proposals: Sequence[Proposal], worded: Sequence[Texts | None] = (),
        model: str = "",
    ) -> list[Diff]:  # fmt: skip
        """Each as a file to read; `worded` are a model's texts where there are any."""
        both = zip_longest(proposals, worded)
        return [
            self._diff(number, run, proposal, texts, model if texts else "")
            for number, (proposal, texts) in enumerate(both, 1)
        ]

    def _diff(
        self, number: int, run: str, proposal: Proposal, texts: Texts | None, model: str
    ) -> Diff:
        fault, faults = proposal.faults[0], proposal.faults
        keys = [failure.key for each in faults for failure in each.failures]
        remarks = {
            "reason": self._words(f"why.{proposal.why}", **proposal.about),
            "blame": ", ".join(f"{each.blame} ({len(each.failures)})" for each in faults),
            "run": run,
            "conversations": ", ".join(dict.fromkeys(keys)),
        }
        if model:
            remarks["worded"] = f"model {model}"
        head = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in remarks.items())
        name = f"{number:02d}-{proposal.why.replace('_', '-')}-{_slug(fault.entry)}.diff"
        return Diff(name, f"{head}\n{proposal.diff(texts or proposal.texts)}", remarks)

    def _denies(self, entry: Document, text: str, right: str) -> bool:
        """Whether words prove a text, as an answer to an entry's title, wrong by what is right."""
        claim = Claim("", ClaimKind.SAYS, (right,))
        [reading] = read_words([claim], entry.title, text, self._language)
        return reading.state is State.VIOLATED

    def _words_added(
        self, fault: FaultList, entry: Document, knowledge: KnowledgeText
    ) -> Iterator[Proposal]:
        """Users' words that the entry lacks, at its end."""
        entry_words = set(self._tokens(f"{entry.title}\n{entry.text}"))
        questions = [
            cut(" ".join(text.split()), _LENGTH)
            for text in fault.words
            if len(words := set(self._tokens(text))) >= _LEAST and words - entry_words
        ][:_ASKED]
        if questions:
            yield Proposal(
                self._knowledge_name,
                knowledge.text,
                "words",
                {"title": entry.title or str(entry.id)},
                {"asked": "".join(self._words("quoted", text=text) for text in questions)},
                lambda texts: knowledge.with_content(
                    str(entry.id),
                    entry.text,
                    f"{entry.text} {self._words('asked', words=texts['asked'])}",
                ),
                said=tuple(questions),
                people=(f"{entry.title}\n{entry.text}",),
                near=(entry,),
            )

    def _guideline_file(self, loaded: LoadedClient) -> Source | None:
        """The text that tells the bot what to do: its prompt, or a file in the folder called so."""
        prompt = loaded.client.target.settings.get("prompt")
        if isinstance(prompt, str):
            return self._inside(prompt)
        files = guideline_files(loaded.client)
        return self._inside(files[0].relative_to(self._folder).as_posix()) if files else None

    def _inside(self, name: str | None) -> Source | None:
        """A file of the client's folder; what lies elsewhere may be others' as well: people's."""
        folder = self._folder.resolve()
        path = (folder / (name or "")).resolve()
        if not name or not path.is_relative_to(folder):
            return None
        return Source.of(self._folder / path.relative_to(folder), within=(self._folder,))

    def _tokens(self, text: str) -> list[str]:
        return content_tokens(text, self._language)


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in text)[:40]


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds diffs already: whose they are could not be told any more.

    Raises:
        InputError: it does.
    """
    if there := [path.name for path in folder.glob("*.diff")]:
        message = f"holds {len(there)} diffs already; name another folder with -o"
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
        message = f"cannot be written ({error.strerror or error}); name another folder with -o"
        raise Source.of(folder).error(0, message) from error
    return [folder / diff.name for diff in proposals]
