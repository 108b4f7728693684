"""Recorded conversations as dialogs, who the customer is in them, and scenarios made of them."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from simulator.core.clean import clean, cut, normal_form, visible
from simulator.core.errors import Complaint, raise_all
from simulator.core.persona import Language
from simulator.core.scenario import Element
from simulator.files.answers import Wrong, answers_of, elements_of, text_of
from simulator.files.column_names import column_names, column_of, plain_name
from simulator.files.scenarios.expected import one_or_all
from simulator.formats.own_files import Numbered, made_id
from simulator.formats.records import MESSAGES, NOTHING, RawRow
from simulator.formats.row_files import check_found, raise_first, read_rows, rows_of
from simulator.formats.sources import Source, shown
from simulator.formats.yaml.writing import Value, yaml_text
from simulator.text.acts import asks, is_courtesy, is_substantial, names_a_matter, without_opener
from simulator.text.personal import masked
from simulator.text.tokens import sentences
from simulator.words import Words

# What a log with an utterance a line has to tell: its kind, and more names to write it under.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "to which conversation a line belongs": ("conversation", "session_id", "会話ID"),
    "who speaks": ("speaker", "role", "話者"),
    "what is said": ("text", "message", "発言"),
}
_NUMBER = re.compile(r"[\s_#:.-]*\d*$")
_TAIL = 40  # characters of a name in which its number is looked for: that is not linear
_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")
_WISHES = (
    *("goal", "user_description", "outcome", "ground_truth", "elements", "criteria", "must_not"),
)
_LOOKED_AT = 50  # talks; the first ones tell the language


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said in one go, and the line of the log on which it begins."""

    speaker: str
    text: str
    line: int
    is_customer: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What a case of another tool, or a row, says beside the talk: who asks, and what is right."""

    goal: str = ""
    persona: str = ""
    answers: tuple[str, ...] = ()
    elements: tuple[Element, ...] = ()
    must_not: tuple[str, ...] = ()


NO_WISH = Wish()


@dataclass(frozen=True, slots=True)
class Dialog:
    """One talk, in order. `facts` are what the log itself lists of the customer's matter."""

    id: str
    line: int
    said: tuple[Utterance, ...]
    facts: tuple[str, ...] = ()
    wish: Wish = NO_WISH

    @property
    def customer_turns(self) -> tuple[str, ...]:
        """What the customer said; messages that nobody answered in between are one turn."""
        sides = groupby(self.said, key=lambda said: said.is_customer)
        return tuple("\n".join(s.text for s in together) for mine, together in sides if mine)


@dataclass(frozen=True, slots=True)
class Dialogs:
    """The talks of a log, and who is who in them: names with the number of their messages."""

    talks: tuple[Dialog, ...]
    customers: Mapping[str, int]
    others: Mapping[str, int]
    notes: tuple[str, ...] = ()


def read_dialogs(
    source: Source,
    users: Sequence[str] = (),
    facts: str = "",
    mapping: Mapping[str, str] = NOTHING,
) -> Dialogs:
    """The dialogs of a log: one dialog a record with its utterances, or one utterance a record.

    A record may also hold a question and its answer, or be of another tool (formats/records.py).
    Keys are found by their names. An utterance without text is left out, and so is what prompts
    and tools say.

    Args:
        source: a .jsonl, .json or .csv file.
        users: the speakers that are the customers, where their names do not say it.
        facts: where each dialog lists the customer's facts, such as `meta.conditions`; else they
            are looked for as conditions, facts or known.
        mapping: the JMESPath of each column, for JSON of a form that is not known.

    Raises:
        InputError: everything that is wrong in the file; it cannot be told who the customer is.
    """
    log = read_talks_or_rows(source, mapping)
    reading = _Reading(source, facts)
    talks = [talk for talk in reading.dialogs(log) if talk.said]
    raise_first(source, reading.complaints)
    if not talks:
        raise source.error(0, "it contains no messages; is it a log of conversations?")
    if facts and not any(talk.facts for talk in talks):
        first = log.rows[0].cells
        raise source.error(0, f"no conversation has {shown(facts)}; {_nearest_keys(first, facts)}")
    return replace(_cast(source, talks, users), notes=log.notes)


@dataclass(frozen=True, slots=True)
class Log:
    """A log as rows of questions and answers, or else of talks or utterances as they stand.

    `is_nested`: each row is a talk with its utterances.
    """

    rows: Sequence[RawRow]
    is_of_talks: bool
    is_nested: bool = False
    notes: tuple[str, ...] = ()


def read_talks_or_rows(source: Source, mapping: Mapping[str, str] = NOTHING) -> Log:
    """A log, its rows as the names of its columns tell them, or in the format of another tool.

    Raises:
        InputError: it cannot be read; a mapping finds no question, and nobody is said to speak.
    """
    raw = read_rows(source)
    known = rows_of(source, raw, mapping)
    nested = any(isinstance(_value_of(row.cells, "utterances"), list) for row in raw)
    is_usual = nested or column_of("dialogs", "speaker", keys_of(raw)) is not None
    if is_usual and (known.format in ("", MESSAGES) or "question" in known.missing):
        return Log(raw, is_of_talks=True, is_nested=nested)
    check_found(source, known, "question")
    if not known.rows:
        why = f"no {known.format} record in it has a question with its answer"
        raise source.error(0, "; ".join([why, *known.notes]))
    return Log(known.rows, is_of_talks=False, notes=known.notes)


def _value_in(row: RawRow, meaning: str) -> Any:
    """What a row of a question and its answer holds, under whichever of the names of that."""
    is_ours = meaning in column_names("answers")
    column = column_of("answers", meaning, row.cells) if is_ours else None
    return row.cells.get(column or meaning)


def _named(rows: Iterable[RawRow]) -> Iterator[tuple[str, RawRow]]:
    """The rows that ask something, each with its conversation, or a name for itself."""
    for number, row in enumerate(rows, 1):
        if column_of("answers", "question", row.cells) is not None:
            name = _value_of(row.cells, "conversation") or row.cells.get("conversation")
            yield str(name or f"talk-{number:03}"), row


def _utterances_of(named: Iterable[tuple[str, RawRow]]) -> Iterator[RawRow]:
    """A row for each question and each answer of rows that hold both."""
    for name, row in named:
        for speaker, meaning in (("user", "question"), ("assistant", "answer")):
            text = _value_in(row, meaning)
            if text not in (None, ""):
                cells = {"conversation": name, "speaker": speaker, "text": text}
                yield RawRow(row.line, row.line, cells)


def _wish_of(rows: Sequence[RawRow]) -> Wish:
    """What the rows of one talk say of its user, and of a right answer.

    Raises:
        Wrong: something of it isn't text.
    """
    values = {name: [_value_in(row, name) for row in rows] for name in _WISHES}
    right = (*values["outcome"], *values["ground_truth"])
    answers = list(dict.fromkeys(filter(None, map(answers_of, right))))
    listed = (*values["elements"], *values["criteria"])
    elements = [element for value in listed for element in elements_of(value)]
    if len(answers) > 1:  # one of each turn: all of them are to be said
        elements += answers
    return Wish(
        goal=next(filter(None, map(text_of, values["goal"])), ""),
        persona=next(filter(None, map(text_of, values["user_description"])), ""),
        answers=answers[0] if len(answers) == 1 else (),
        elements=tuple(dict.fromkeys(elements)),
        must_not=tuple(dict.fromkeys(t for v in values["must_not"] for t in answers_of(v))),
    )


def _check_columns(source: Source, records: Sequence[RawRow]) -> None:
    """What no record of the file has is told once, with the names that it may have.

    Raises:
        InputError: nothing says which conversation, who speaks, or what is said.
    """
    present = keys_of(records)
    kind = "column" if source.path.suffix.casefold() == ".csv" else "key"
    there_are = ", ".join(map(shown, present[:12]))
    wrong = [
        f"no {kind} says {what}; name it {', '.join(names)} ({there_are})"
        for what, names in SHOWN.items()
        if column_of("dialogs", names[0], present) is None
    ]
    raise_all([source.complaint(0, message) for message in wrong])


def keys_of(records: Iterable[RawRow]) -> list[str]:
    """The keys, or columns, of all records, each once."""
    return list(dict.fromkeys(key for record in records for key in record.cells))


def language_of(dialogs: Dialogs) -> Language:
    """The language of the talks: Japanese where kana make a tenth of all letters."""
    spoken = "".join(s.text for talk in dialogs.talks[:_LOOKED_AT] for s in talk.said)
    letters = sum(char.isalpha() for char in spoken)
    return "ja" if 10 * len(_KANA.findall(spoken)) > letters else "en"


@dataclass(slots=True)
class _Reading:
    """Reads the records of one file and gathers what is wrong with them."""

    source: Source
    facts: str
    complaints: list[Complaint] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)

    def dialogs(self, log: Log) -> Iterator[Dialog]:
        """The dialogs of a log, whatever its rows are."""
        if log.is_nested:
            yield from self.whole(log.rows)
            return
        named, rows = [*_named(log.rows)], log.rows
        if not log.is_of_talks:
            rows = [*_utterances_of(named)] or rows
        _check_columns(self.source, rows)
        of_talk: dict[str, list[RawRow]] = {}
        for name, row in () if log.is_of_talks else named:
            of_talk.setdefault(name, []).append(row)
        for talk in self.by_utterance(rows):
            yield replace(talk, wish=self._wish(of_talk.get(talk.id, [])))

    def _wish(self, rows: Sequence[RawRow]) -> Wish:
        try:
            return _wish_of(rows)
        except Wrong as error:
            self._complain(rows[0], str(error))
            return NO_WISH

    def whole(self, records: Sequence[RawRow]) -> Iterator[Dialog]:
        """Dialogs of which each is one record."""
        for number, record in enumerate(records, 1):
            utterances = _value_of(record.cells, "utterances")
            if not isinstance(utterances, list):
                self._complain(record, f"has no list of utterances; {_keys(record.cells)}")
                continue
            name = _id_of(record.cells) or f"talk-{number:03}"
            if name in self.lines:
                self._complain(
                    record, f"the ID {shown(name)} is already on line {self.lines[name]}"
                )
            self.lines.setdefault(name, record.line)
            yield Dialog(
                id=name,
                line=record.line,
                said=tuple(self._all_said(record, utterances)),
                facts=self._facts(record),
            )

    def by_utterance(self, records: Sequence[RawRow]) -> Iterator[Dialog]:
        """Dialogs whose utterances are one record each; they may be mixed up with each other."""
        talks: dict[str, list[Utterance]] = {}
        first: dict[str, RawRow] = {}
        for record in records:
            value = _value_of(record.cells, "conversation")
            name = clean(str(value)).strip() if isinstance(value, str | int) else ""
            if not name:
                self._complain(
                    record,
                    'doesn\'t say which conversation it belongs to; write it under "conversation" '
                    f"({_keys(record.cells)})",
                )
            first.setdefault(name, record)
            talks.setdefault(name, []).extend(self._said(record, record.cells, ""))
        for name, said in talks.items():
            record = first[name]
            yield Dialog(name, record.line, tuple(said), self._facts(record))

    def _all_said(self, record: RawRow, utterances: Sequence[Any]) -> Iterator[Utterance]:
        for number, utterance in enumerate(utterances, 1):
            if isinstance(utterance, dict):
                yield from self._said(record, utterance, f"utterance {number} ")
            else:
                self._complain(record, f"utterance {number} must be an object; write {{…}}")

    def _said(self, record: RawRow, data: Mapping[str, Any], where: str) -> Iterator[Utterance]:
        speaker, text = _value_of(data, "speaker"), _value_of(data, "text")
        if not isinstance(speaker, str) or not speaker.strip():
            self._complain(record, f"{where}doesn't say who speaks; {_keys(data)}")
            return
        if text is None and column_of("dialogs", "text", data) is None:
            # an empty cell of a csv is no key at all
            if self.source.path.suffix.casefold() != ".csv":
                self._complain(record, f"{where}has no text; {_keys(data)}")
            return
        content = text_in(text)
        if content is None:
            self._complain(record, f"{where}has {shown(text)}, but text is expected")
        elif content and not _is_silent(speaker):
            yield Utterance(clean(speaker).strip(), content, record.line)

    def _facts(self, record: RawRow) -> tuple[str, ...]:
        facts = _at(record.cells, self.facts) if self.facts else _listed_facts(record.cells)
        if facts is None:
            return ()
        items = facts if isinstance(facts, list) else [facts]
        texts = [text_in(item) for item in items]
        if None in texts:
            self._complain(record, f"{self.facts or 'its facts'} must be a list of texts")
        return tuple(dict.fromkeys(text for text in texts if text))

    def _complain(self, record: RawRow, message: str) -> None:
        self.complaints.append(self.source.complaint(record.line, message))


def text_in(value: Any) -> str | None:
    """Clean text of a record, parts of a message joined; None for what is no text."""
    if value is None:
        return ""
    if isinstance(value, list):  # [{"type": "text", "text": …}]
        parts = [p.get("text", "") if isinstance(p, dict) else p for p in value]
        return text_in("\n".join(parts)) if all(isinstance(p, str) for p in parts) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return clean(value).strip() if isinstance(value, str) else None


def _id_of(data: Mapping[str, Any]) -> str:
    """The id of a dialog: its own, or that of its meta data; "" where there is none."""
    for place in (data, _value_of(data, "meta")):
        name = _value_of(place, "id") if isinstance(place, dict) else None
        if isinstance(name, dict):
            name = _value_of(name, "id")
        if isinstance(name, str | int) and not isinstance(name, bool) and str(name).strip():
            return clean(str(name)).strip()
    return ""


def _listed_facts(data: Mapping[str, Any]) -> Any:
    for place in (data, _value_of(data, "meta")):
        facts = _value_of(place, "facts") if isinstance(place, dict) else None
        if isinstance(facts, list):
            return facts
    return None


def _at(data: Any, path: str) -> Any:
    for step in path.split("."):
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _nearest_keys(cells: Mapping[str, Any], path: str) -> str:
    """The keys on the way to `path`, as far as there is one."""
    steps = path.split(".")
    while steps and not isinstance(_at(cells, ".".join(steps)), dict):
        steps.pop()
    if not steps:
        return _keys(cells)
    return f"in {shown('.'.join(steps))} {_keys(_at(cells, '.'.join(steps)))}"


def _keys(data: Mapping[str, Any]) -> str:
    return f"keys: {', '.join(map(shown, list(data)[:12]))}"


def _cast(source: Source, talks: Sequence[Dialog], users: Sequence[str]) -> Dialogs:
    """The dialogs with their customers marked.

    Raises:
        InputError: it cannot be told, or nobody has the name that was given.
    """
    counts = Counter(said.speaker for talk in talks for said in talk.said)
    names = _customers(source, counts, users)
    marked = (
        replace(
            talk, said=tuple(replace(said, is_customer=said.speaker in names) for said in talk.said)
        )
        for talk in talks
    )
    return Dialogs(
        talks=tuple(marked),
        customers={name: n for name, n in counts.items() if name in names},
        others={name: n for name, n in counts.items() if name not in names},
    )


def _customers(source: Source, counts: Counter[str], users: Sequence[str]) -> set[str]:
    speakers = ", ".join(f"{shown(name)} ({n:,})" for name, n in counts.most_common(12))
    if users:
        missing = [name for name in users if name not in counts]
        if missing:
            raise source.error(0, f"no speaker {shown(missing[0])}; choose from: {speakers}")
        return set(users)
    roles = {name: _is_customer(name) for name in counts}
    customers = {name for name, role in roles.items() if role}
    if not customers and False in roles.values():  # whoever is not the operator is the customer
        customers = {name for name, role in roles.items() if role is None}
    if not customers:
        raise source.error(
            0, f"can't tell who the customer is; set the name with --user: {speakers}"
        )
    return customers


def _value_of(data: Mapping[str, Any], meaning: str) -> Any:
    """What stands under the first of the names of a meaning that is there; None where none is."""
    key = column_of("dialogs", meaning, data)
    return None if key is None else data[key]


def _is_silent(speaker: str) -> bool:
    """True if this is no party to the conversation: a prompt, a tool."""
    return plain_name(speaker) in column_names("speakers")["silent"]


def _is_customer(speaker: str) -> bool | None:
    """True if the name says that this is the customer (`customer_12`); None if it says nothing."""
    name = plain_name(speaker[:-_TAIL] + _NUMBER.sub("", speaker[-_TAIL:]))
    if name in column_names("speakers")["customer"]:
        return True
    return False if name in column_names("speakers")["other"] else None


TAG = "imported"
_LONGEST_ID = 90
_LONGEST_NAME = 40
_ENDS = tuple("。．.!！?？…")

_MASK = re.compile(
    r"〔[^〔〕]+〕|\[(?:name|(?:phone |card )?number|(?:e-mail )?address|secret|date of birth"
    r"|account)\]"
)
_CONTACT = re.compile("電話|携帯|番号|メール|アドレス|名前|氏名|カード|phone|number|mail|name")
# An open end, by which people say that they have a problem: 届かないんですが
_WAITS: dict[Language, re.Pattern[str]] = {
    "ja": re.compile("(?:が|けど|けれど|けども|て|で)[、。．.…]*$|たい"),
    "en": re.compile(r"\b(?:want|need|would like|can't|cannot|won't|doesn't|didn't|not)\b", re.I),
}


@dataclass(slots=True)
class Imported:
    """The scenarios that were made, as they are written, and what is to be told about them.

    `masked`: how much of each kind of personal data, as `text.personal` tells them; `silent`: talks
    in which the customer says nothing but courtesies. `personas` are the users whom cases of other
    tools describe, by their ids.
    """

    entries: list[dict[str, Value]] = field(default_factory=list)
    personas: dict[str, dict[str, Value]] = field(default_factory=dict)
    masked: Counter[str] = field(default_factory=Counter)
    silent: int = 0

    @property
    def turns(self) -> int:
        """How often customers speak in all of them together."""
        return sum(1 + len(_texts(entry, "turns")) for entry in self.entries)

    @property
    def longest(self) -> int:
        """How often the customer speaks in the longest of them."""
        return max((1 + len(_texts(entry, "turns")) for entry in self.entries), default=0)

    @property
    def goals(self) -> int:
        """How many have a goal."""
        return sum("goal" in entry for entry in self.entries)

    @property
    def expecting(self) -> int:
        """How many expect something of the answer."""
        return sum("expected" in entry for entry in self.entries)

    @property
    def facts(self) -> int:
        """How many facts are known in all of them together."""
        return sum(len(_texts(entry, "known")) for entry in self.entries)

    def text(self, file: str, language: Language) -> str:
        """The scenarios file; `file` names the log that it comes from."""
        words, expecting = Words(language, "import_dialogs"), self.expecting
        head = words("head", file=visible(file), n=len(self.entries))
        kept = words("expected" if expecting else "no_expected", file=visible(file), n=expecting)
        return f"{head}{kept}\n{yaml_text(self.entries)}"


def scenarios_of(
    talks: Iterable[Dialog], language: Language, *, keep_personal_data: bool = False
) -> Imported:
    """A scenario for each talk in which the customer wants something.

    The query is the customer's first turn, with the greeting before it; the turns are those that
    follow. Where more is asked later on, the goal is made of the sentences that ask or request
    and name something, in order; one that names the matter of the query comes first. The known
    facts are those that the log lists, else the other sentences that name something and do not
    stand in the query. Nothing is said twice, and nothing in other words than the customer's.
    """
    made = Imported()
    numbered = Numbered()

    def spoken(text: str) -> str:
        if keep_personal_data:
            return text
        text, counts = masked(text, language)
        made.masked.update(counts)
        return text

    for talk in talks:
        turns = _opened([spoken(turn) for turn in talk.customer_turns], language)
        if turns:
            facts = tuple(spoken(fact) for fact in talk.facts)
            name = numbered(_id(talk.id, language, keep=keep_personal_data))
            wish = talk.wish
            wish = replace(wish, goal=spoken(wish.goal), persona=spoken(wish.persona))
            persona = _persona(wish.persona, language) if wish.persona else {}
            made.personas |= {str(persona["id"]): persona} if persona else {}
            entry = _entry(name, turns, facts, language)
            made.entries.append({**entry, **_wished(wish, persona), "tags": [TAG]})
        else:
            made.silent += 1
    return made


def _entry(
    name: str, turns: Sequence[str], facts: Sequence[str], language: Language
) -> dict[str, Value]:
    query, *later = turns
    requests, statements = _sorted(turns, language)
    in_query = normal_form(query)
    entry: dict[str, Value] = {"id": name, "query": query}
    if any(normal_form(sentence) not in in_query for sentence in requests):
        if normal_form(requests[0]) not in in_query:  # 島根に行きたいと思っています
            requests = [*_matter(query, language), *requests]
        between = "" if language == "ja" else " "
        entry["goal"] = between.join(_closed(sentence, language) for sentence in requests)
    if known := facts or [fact for fact in statements if normal_form(fact) not in in_query]:
        entry["known"] = list(known)
    if later:
        entry["turns"] = later
    return entry


def _wished(wish: Wish, persona: Mapping[str, Value]) -> dict[str, Value]:
    """What of an entry its case says: the goal, who asks, and what is right."""
    expected: dict[str, Value] = {
        "answer": one_or_all(wish.answers) if wish.answers else "",
        "elements": [one_or_all(element) for element in wish.elements],
        "must_not": list(wish.must_not),
    }
    kept = {key: value for key, value in expected.items() if value}
    entry: dict[str, Value] = {"goal": wish.goal, "expected": kept}
    if persona:
        entry["personas"] = [persona["id"]]
    return {key: value for key, value in entry.items() if value}


def _persona(description: str, language: Language) -> dict[str, Value]:
    """A persona of whom only a description is known; its id is made of that."""
    words = Words(language, "import_dialogs")
    style: dict[str, Value] = {"length": 20, "politeness": "polite", "disclosure": "open"}
    return {
        "id": made_id(description),
        "name": cut(visible(description), _LONGEST_NAME),
        "description": description,
        "traits": [description],
        "style": {**style, "dissatisfaction": words("dissatisfaction")},
        "patience": 2,
    }


def _texts(entry: dict[str, Value], key: str) -> Sequence[Value]:
    texts = entry.get(key, [])
    return texts if isinstance(texts, list) else []


def _opened(turns: Sequence[str], language: Language) -> list[str]:
    """The turns, with greetings and introductions joined to the first that says something."""
    first = next((i for i, turn in enumerate(turns) if says_a_matter(turn, language)), None)
    if first is None:
        return []
    return ["\n".join(turns[: first + 1]), *turns[first + 1 :]]


def _sorted(turns: Iterable[str], language: Language) -> tuple[list[str], list[str]]:
    """The sentences that ask for something, and those that tell something, in order."""
    requests: list[str] = []
    statements: list[str] = []
    for turn in turns:
        for sentence in sentences(turn, language):
            bare = without_opener(sentence, language)
            if asks(bare, language):
                requests += [bare] if names_a_matter(bare, language) else []
            elif is_substantial(without_masks(bare), language):
                statements.append(bare)
    return list(_once(requests)), list(_once(statements))


def _matter(query: str, language: Language) -> list[str]:
    """The sentence of a query that names its matter: one that waits for an answer, or the first.

    Who it is that writes is no matter; where nothing names a thing, anything but a greeting has
    to do.
    """
    bare = [without_opener(s, language) for s in sentences(query, language)]
    candidates = [s for s in bare if not is_courtesy(s, language) and _says_more(s, language)]
    candidates = [s for s in candidates if names_a_matter(s, language)] or candidates
    named = [s for s in candidates if is_substantial(s, language)] or candidates
    return [s for s in named if _WAITS[language].search(s)][:1] or named[:1]


def says_a_matter(turn: str, language: Language) -> bool:
    """Whether a turn says more than hello and who is speaking (もしもし、〔名前〕ですけど)."""
    if is_courtesy(turn, language):
        return False
    rest = without_masks(turn)
    return rest == turn or is_substantial(rest, language)


def without_masks(text: str) -> str:
    """A text without what stands in it for personal data."""
    return _MASK.sub("", text)


def _says_more(sentence: str, language: Language) -> bool:
    """Whether a sentence says more than who somebody is, or how to be reached."""
    rest = without_masks(sentence)
    return rest == sentence or (is_substantial(rest, language) and not _CONTACT.search(rest))


def _once(spoken: Sequence[str]) -> Iterator[str]:
    """Each sentence that is not part of another one, or a repetition of an earlier one."""
    forms = [normal_form(sentence) for sentence in spoken]
    for at, form in enumerate(forms):
        others = [*forms[:at], *(f for f in forms[at + 1 :] if f != form)]
        if form and not any(form in other for other in others):
            yield spoken[at]


def _closed(sentence: str, language: Language) -> str:
    """The sentence with a mark at its end, so that the next one does not run into it."""
    if sentence.endswith(_ENDS):
        return sentence
    return sentence + ("。" if language == "ja" else ".")


def _id(name: str, language: Language, *, keep: bool) -> str:
    """A name for the scenario, the same in every import: an address is no name for a talk."""
    name = visible(name).replace("/", "-")
    if not name or (not keep and masked(name, language)[1]):
        name = f"talk-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return cut(name, _LONGEST_ID)
