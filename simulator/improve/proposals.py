"""Changes of a client's files that would mend a fault, by rules, each a diff that a person reads.

The words are users' of the run, or a person's who corrected or approved an answer. What a scenario
expects is in none of them; where no person wrote anything, its first document says which entry it
is that was not found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from simulator.core.clean import cut
from simulator.core.run import Run
from simulator.core.talk import Document
from simulator.core.verdict import Word, latest, latest_words
from simulator.figures.faults import FaultList, Remedy
from simulator.files.client.folder import LoadedClient
from simulator.files.knowledge_edit import KnowledgeText
from simulator.formats.sources import Source
from simulator.improve.diffs import Diff, unified
from simulator.review.corrected_answers import corrections
from simulator.store.store import Store
from simulator.text.bm25 import Bm25
from simulator.text.expectations import State, answer_state, contradicts_element
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.words import Words

_ASKED = 3  # of users' utterances that are put into an entry
_LENGTH = 120  # characters of each
_LEAST = 2  # content words of an utterance that says what it is about
_NEAR = 5  # entries in which a sentence may say the contrary
_GUIDELINES = ("guideline*", "prompt*", "system*")
_LINES = {Remedy.REFUSE: "refuse", Remedy.HAND_OVER: "hand_over", Remedy.ANSWER: "answer"}


@dataclass(frozen=True, slots=True)
class Written:
    """What a person wrote of a scenario's answer, or called right: `text`, and what was asked."""

    text: str
    asked: str
    by: str


def written_by_people(store: Store, run: Run) -> dict[str, Written]:
    """By scenario: the newest corrected answer of the client's runs, else one that was called OK.

    Where people differ in this run, the newest one counts; proving it is what decides.
    """
    found: dict[str, Written] = {}
    for episode, verdicts in run.reviewed():
        for turn in episode.turns:
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


@dataclass(frozen=True, slots=True)
class _Change:
    """A file as it would be, and why: a key of the words, with what it names."""

    path: str
    before: str
    after: str
    why: str
    about: Mapping[str, str]


class Proposer:
    """Makes the proposals for one client; its files are only read."""

    def __init__(self, loaded: LoadedClient, written: Mapping[str, Written]) -> None:
        self._folder = Path(loaded.client.folder)
        self._language = loaded.client.language
        self._written = written
        self._words = Words(self._language, "improve")
        self._entries = tuple(loaded.knowledge.documents()) if loaded.knowledge else ()
        self._index = Bm25(self._entries, self._language)
        named = loaded.client.knowledge
        self._knowledge = KnowledgeText.read(self._source(named)) if named else None
        self._knowledge_name = named or ""
        self._guidelines = self._guideline_file(loaded)

    def proposals(self, run: str, faults: Sequence[FaultList]) -> list[Diff]:
        """A diff for each fault that rules can mend, in their order; equal ones once."""
        found: dict[str, Diff] = {}
        for fault in faults:
            for change in self._changes(fault):
                text = unified(change.path, change.before, change.after)
                if text and text not in found:
                    found[text] = self._diff(len(found) + 1, run, fault, change, text)
        return list(found.values())

    def _diff(self, number: int, run: str, fault: FaultList, change: _Change, text: str) -> Diff:
        said = {
            "reason": self._words(f"why.{change.why}", **change.about),
            "blame": f"{fault.blame} ({len(fault.failures)})",
            "run": run,
            "conversations": ", ".join(failure.key for failure in fault.failures),
        }
        head = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in said.items())
        name = f"{number:02d}-{change.why.replace('_', '-')}-{_slug(fault.entry)}.diff"
        return Diff(name, f"{head}\n{text}", said)

    def _changes(self, fault: FaultList) -> Iterator[_Change]:
        if fault.remedy in _LINES:
            if self._guidelines is not None:
                yield self._line(fault, self._guidelines)
                return
            if fault.remedy is not Remedy.ANSWER:
                return
        said = next(filter(None, map(self._written.get, fault.scenarios)), None)
        if said is not None and self._knowledge is not None:
            yield from self._from_person(fault, said, self._knowledge)
        elif fault.remedy in (Remedy.FIND, Remedy.ANSWER):
            entry = next((e for e in self._entries if str(e.id) == fault.entry), None)
            if entry is not None and self._knowledge is not None:
                yield from self._words_added(fault, entry, self._knowledge)

    def _from_person(
        self, fault: FaultList, said: Written, knowledge: KnowledgeText
    ) -> Iterator[_Change]:
        """An entry that says the contrary is corrected, one that says it is found; or a new one."""
        near = [hit.document for hit in self._index.search(self._tokens(said.text), _NEAR)]
        near += [e for e in self._entries if str(e.id) == fault.entry and e not in near]
        contrary = list(self._contrary(said, near, knowledge))
        if contrary:
            yield contrary[0]
            return
        for entry in near:
            whole = f"{entry.title}\n{entry.text}"
            if answer_state([said.text], [whole], self._language).state is State.SAID:
                yield from self._words_added(fault, entry, knowledge)
                return
        after = knowledge.with_entry(said.asked, said.text)
        yield self._change(knowledge, after, "added", asked=said.asked, by=said.by)

    def _contrary(
        self, said: Written, near: Sequence[Document], knowledge: KnowledgeText
    ) -> Iterator[_Change]:
        right = sentences(said.text, self._language)
        for entry in near:
            for sentence in sentences(entry.text, self._language):
                better = next(
                    (
                        each
                        for each in right
                        if contradicts_element(
                            sentence, (each,), self._language, asked=said.asked, right=right
                        )
                    ),
                    None,
                )
                after = better and knowledge.with_content(str(entry.id), sentence, better)
                if after:
                    title = entry.title or str(entry.id)
                    yield self._change(knowledge, after, "corrected", title=title, by=said.by)

    def _words_added(
        self, fault: FaultList, entry: Document, knowledge: KnowledgeText
    ) -> Iterator[_Change]:
        """Users' words that the entry lacks, at its end."""
        there = set(self._tokens(f"{entry.title}\n{entry.text}"))
        asked = [
            cut(" ".join(text.split()), _LENGTH)
            for text in fault.words
            if len(words := set(self._tokens(text))) >= _LEAST and words - there
        ][:_ASKED]
        if not asked:
            return
        told = self._words("asked", words="".join(self._words("quoted", text=t) for t in asked))
        after = knowledge.with_content(str(entry.id), entry.text, f"{entry.text} {told}")
        if after:
            title = entry.title or str(entry.id)
            yield self._change(knowledge, after, "words", title=title)

    def _line(self, fault: FaultList, source: Source) -> _Change:
        """A line more in the guidelines that the bot reads."""
        before = source.text()
        said = next(filter(None, map(self._written.get, fault.scenarios)), None)
        failure = fault.failures[0]
        key = f"line.{_LINES[fault.remedy]}{'' if said else '.plain'}"
        asked = cut(" ".join(failure.asked.split()), _LENGTH)
        line = self._words(
            key, asked=asked, answer=" ".join(said.text.split()) if said else "", title=fault.title
        )
        end = "\r\n" if "\r\n" in before else "\n"
        after = before + ("" if before.endswith("\n") or not before else end) + line + end
        name = source.path.relative_to(self._folder).as_posix()
        return _Change(name, before, after, "guideline", {"asked": asked})

    def _change(self, knowledge: KnowledgeText, after: str, why: str, **about: str) -> _Change:
        return _Change(self._knowledge_name, knowledge.text, after, why, about)

    def _guideline_file(self, loaded: LoadedClient) -> Source | None:
        """The text that tells the bot what to do: its prompt, or a file in the folder called so."""
        prompt = loaded.client.target.settings.get("prompt")
        if isinstance(prompt, str):
            return self._source(prompt)
        files = (
            path
            for pattern in _GUIDELINES
            for path in sorted(self._folder.glob(pattern))
            if path.suffix in (".md", ".txt") and path.is_file()
        )
        found = next(files, None)
        return self._source(found.name) if found else None

    def _source(self, name: str) -> Source:
        return Source.of(self._folder / name, within=(self._folder,))

    def _tokens(self, text: str) -> list[str]:
        return content_tokens(text, self._language)


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in text)[:40]


def write_proposals(proposals: Sequence[Diff], folder: Path) -> list[Path]:
    """A file for each, in a folder that is made.

    Raises:
        InputError: the folder holds other diffs, or cannot be written.
    """
    place = Source.of(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = [path.name for path in folder.glob("*.diff")]
        if there:
            raise place.error(0, f"holds {len(there)} diffs already; name another folder with -o")
        for diff in proposals:
            (folder / diff.name).write_text(diff.text, "utf-8", newline="")
    except OSError as error:
        reason = error.strerror or str(error)
        raise place.error(
            0, f"cannot be written ({reason}); name another folder with -o"
        ) from error
    return [folder / diff.name for diff in proposals]
