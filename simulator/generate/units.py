"""What is asked of a session: one unit for each entry and method, and which questions repeat."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from simulator.core.clean import normal_form
from simulator.core.errors import InputError
from simulator.core.persona import Language, Persona
from simulator.core.plan import Client, ModelSpec, seed_of
from simulator.core.run import Ledger
from simulator.core.talk import Document
from simulator.files.catalog import shipped
from simulator.files.client.folder import LoadedClient
from simulator.files.scenarios.expected import GENERATED_FILE
from simulator.formats.own_files import made_id, slug
from simulator.formats.sources import hint, shown
from simulator.generate.log import Cluster, QuestionLog
from simulator.text.bm25 import Bm25
from simulator.text.clauses import read
from simulator.text.phrases import phrases
from simulator.text.tokens import content_tokens

DEPTH = 50  # entries that a search returns
_NEIGHBOURS = 3  # of each entry, as partners in a pair
_TOO_ALIKE = 0.8  # share of the words of two entries that say the same: nobody needs both


@dataclass(frozen=True, slots=True)
class EntryPair:
    """Two entries that are near each other, in the FAQ's order; `score` says how near."""

    first: Document
    second: Document
    score: float


class Nearness:
    """An index over the entries of an FAQ (BM25 over title and content)."""

    def __init__(self, entries: Sequence[Document], language: Language) -> None:
        self._entries = tuple(entries)
        self._language = language
        self._index = Bm25(entries, language)
        self._places = {str(entry.id): at for at, entry in enumerate(entries)}

    def ranks(self, query: str) -> Callable[[str], int | None]:
        """The rank (from 1) at which a search for `query` finds the entry of an id.

        None: it is not among the first 50.
        """
        hits = self._index.search(content_tokens(query, self._language), DEPTH)
        places = {str(hit.document.id): rank for rank, hit in enumerate(hits, start=1)}
        return places.get

    def nearest(self, text: str, k: int) -> list[Document]:
        """The `k` entries nearest to a text, nearest first; fewer, where fewer share a word."""
        words = content_tokens(text, self._language)
        return [hit.document for hit in self._index.search(words, k)]

    def pairs(self, seed: int) -> list[EntryPair]:
        """For each entry the pair with its nearest neighbour, each pair once, nearest first.

        Nearness is how much of the one the other covers (`Bm25`'s relevance), both ways together;
        of equally near ones the seed chooses. Entries that say the same make no pair.
        """
        tokens = [frozenset(self._words(entry)) for entry in self._entries]
        best: dict[tuple[int, int], float] = {}
        covers = [dict(self._covered(at)) for at in range(len(self._entries))]
        for at, covered in enumerate(covers):
            scored = [
                (score + covers[other].get(at, 0.0), -seed_of(seed, at, other), other)
                for other, score in covered.items()
                if _overlap(tokens[at], tokens[other]) <= _TOO_ALIKE
            ]
            if scored:
                score, _, other = max(scored)
                best[min(at, other), max(at, other)] = score
        ordered = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        return [EntryPair(self._entries[a], self._entries[b], score) for (a, b), score in ordered]

    def _covered(self, at: int) -> Iterator[tuple[int, float]]:
        """The neighbours of an entry and how much of it each covers."""
        hits = self._index.search(self._words(self._entries[at]), _NEIGHBOURS + 1)
        for hit in hits:
            other = self._places[str(hit.document.id)]
            if other != at:
                yield other, hit.relevance

    def _words(self, entry: Document) -> list[str]:
        return content_tokens(f"{entry.title}\n{entry.text}", self._language)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


GENERATED_TAG = "generated"
GAP_TAG = "gap"  # of a question that no entry answers
_LONGEST_NAME = 36  # of an entry's id within a scenario's: two of them, a method and a number fit


class Method(StrEnum):
    """How questions come about; in this order they stand in the file."""

    TITLE = "title"  # the entry's title as it stands; no model
    PARAPHRASE = "paraphrase"  # the title in other words
    QUESTIONS = "questions"  # from the answer
    PERSONA = "persona"  # the matter of an entry as each persona would word it
    TWO_ENTRIES = "two-entries"  # it takes both of two entries
    UNANSWERABLE = "unanswerable"  # near an entry, and answered by none
    LOG = "log"  # what real customers asked

    @property
    def part(self) -> str:
        """Its name within the names of prompts' parts."""
        return self.value.replace("-", "_")

    @property
    def needs_a_model(self) -> bool:
        """Whether a model writes its questions."""
        return self not in (Method.TITLE, Method.LOG)


METHODS = tuple(Method)
UnitPlace = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Unit:
    """The questions of one method about one entry (or pair), in one voice, at most.

    `place` orders the units of an FAQ, whichever of them are asked for. `wanted` is how many
    questions there are to be; the scenarios' ids are `name` and a number from 1. `cluster` are the
    questions of a log that it is about; there are no entries where none answers them. `confirms`:
    a model is asked whether the entry does, and for the facts of the answer.
    """

    method: Method
    entries: tuple[Document, ...]
    place: UnitPlace
    wanted: int
    persona: Persona | None = None
    cluster: Cluster | None = None
    confirms: bool = False

    @property
    def asks_a_model(self) -> bool:
        """Whether a model writes or checks its questions."""
        return self.method.needs_a_model or self.confirms

    @property
    def to_check(self) -> "Unit":
        """The unit for a check: a customer's question is checked like one written from an entry."""
        if self.cluster is None:
            return self
        return replace(self, method=Method.QUESTIONS, cluster=None)

    @property
    def question(self) -> str:
        """The question that nobody has to write: a customer's own, or a title; else empty."""
        if self.cluster:
            return self.cluster.question
        return self.entries[0].title if self.method is Method.TITLE else ""

    @property
    def key(self) -> str:
        """Its name among all units, which no other id can take."""
        if self.cluster:
            return self.cluster.name
        ids = "+".join(str(entry.id) for entry in self.entries)
        return "/".join([ids, self.method, *([self.persona.id] if self.persona else [])])

    @property
    def name(self) -> str:
        """What the ids of its scenarios begin with."""
        if self.cluster:
            return self.cluster.name
        ids = "+".join(_short(str(entry.id)) for entry in self.entries)
        return "-".join([ids, self.method, *([self.persona.id] if self.persona else [])])

    @property
    def voice(self) -> str:
        """The id of the persona in whose words it asks; empty without one."""
        return self.persona.id if self.persona else ""

    @property
    def lacks(self) -> str:
        """Why nothing can be made of it without asking anybody; empty where it can."""
        if self.method in (Method.TITLE, Method.PARAPHRASE) and not self.entries[0].title:
            return "the entry has no title"
        return ""

    def id_of(self, number: int) -> str:
        """The id of its scenario of that number."""
        return f"{self.name}-{number}"

    def digest(self) -> str:
        """See `digest_of`."""
        entries = self.entries
        if self.cluster:  # whether that one answers is another question
            entries = (self.cluster.entry,) if self.cluster.entry else ()
        return digest_of(entries)


@dataclass(frozen=True, slots=True)
class UnitSelection:
    """Which units are wanted; `limit` is a number of entries (or pairs), drawn by `seed`.

    Of the clusters of a `log` that no scenario tests it takes the most frequent ones; `confirms`: a
    model is asked whether the entry of each answers it, and for the facts of the answer.
    """

    methods: tuple[Method, ...]
    per_entry: int = 1
    limit: int | None = None
    seed: int = 42
    personas: Mapping[str, Persona] = field(default_factory=dict)
    log: QuestionLog | None = None
    confirms: bool = False


def units_of(entries: Sequence[Document], near: Nearness, wish: UnitSelection) -> list[Unit]:
    """The units that are wanted, in the FAQ's order: all of an entry's stand together."""
    places = {entry.id: at for at, entry in enumerate(entries)}
    drawn = _drawn(entries, wish)
    units: list[Unit] = []
    for method in wish.methods:
        if method is Method.TWO_ENTRIES:
            units += _paired(near, places, wish)
            continue
        if method is Method.LOG:
            units += _logged(places, wish)
            continue
        for entry in drawn:
            units += _of_entry(method, entry, places[entry.id], wish)
    return sorted(units, key=lambda unit: unit.place)


def second_place(at: int) -> str:
    """How the second entry of a pair orders pairs of the same first one."""
    return f"{at:09}"


def digest_of(entries: Iterable[Document]) -> str:
    """The hash of entries' texts, to notice that they changed."""
    return hashed([[d.id, d.title, d.text] for d in entries])


def hashed(value: object) -> str:
    """16 hexadecimal digits of the hash of JSON values."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _drawn(entries: Sequence[Document], wish: UnitSelection) -> list[Document]:
    """`limit` of the entries, in their order; of a higher limit these are a part."""
    if wish.limit is None:
        return list(entries)
    lot = sorted(entries, key=lambda entry: seed_of(wish.seed, str(entry.id)))
    chosen = {entry.id for entry in lot[: wish.limit]}
    return [entry for entry in entries if entry.id in chosen]


def _of_entry(method: Method, entry: Document, at: int, wish: UnitSelection) -> Iterator[Unit]:
    place = METHODS.index(method)
    if method is Method.PERSONA:
        for persona in wish.personas.values():
            yield Unit(method, (entry,), (at, place, persona.id), wish.per_entry, persona)
        return
    wanted = 1 if method is Method.TITLE else wish.per_entry
    yield Unit(method, (entry,), (at, place, ""), wanted)


def _paired(
    near: Nearness, places: Mapping[str | None, int], wish: UnitSelection
) -> Iterator[Unit]:
    place = METHODS.index(Method.TWO_ENTRIES)
    for pair in near.pairs(wish.seed)[: wish.limit]:
        at = places[pair.first.id], place, second_place(places[pair.second.id])
        yield Unit(Method.TWO_ENTRIES, (pair.first, pair.second), at, wish.per_entry)


def _logged(places: Mapping[str | None, int], wish: UnitSelection) -> Iterator[Unit]:
    place = METHODS.index(Method.LOG)
    for cluster in wish.log.groups[: wish.limit] if wish.log else ():
        is_likely = cluster.answered or wish.confirms
        entries = (cluster.entry,) if cluster.entry and is_likely else ()
        at = places[entries[0].id] if entries else len(places), place, cluster.name
        confirms = wish.confirms and bool(entries)
        yield Unit(Method.LOG, entries, at, 1, cluster=cluster, confirms=confirms)


def _short(name: str) -> str:
    """An entry's id as part of another id: no slash, not too long, and still its own."""
    if "/" not in name and "\n" not in name and len(name) <= _LONGEST_NAME:
        return name
    words = slug(name, _LONGEST_NAME - 7).strip("-")
    return "-".join(filter(None, [words, made_id(name)[-6:]]))


AT_ONCE = 50  # units
TEMPERATURE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest(UnitSelection):
    """A session's orders: which units are wanted, and how they are made.

    `faq` is the FAQ's name as people see it, `log_name` that of the log. `before`:
    what was paid before the log was read, where that asked a model. `checks`: how often each
    question is checked; `retries`: how often faulty ones are asked for again. `model` None: none
    is at hand; `is_named`: it was named for this session, so that it is also asked about titles.
    """

    loaded: LoadedClient
    entries: tuple[Document, ...]
    faq: str
    output: Path
    store_url: str
    log_name: str = ""
    before: Ledger | None = None
    model: ModelSpec | None = None
    is_named: bool = False
    checks: int = 1
    retries: int = 2
    budget_usd: float | None = None
    at_once: int = AT_ONCE

    @property
    def session(self) -> str:
        """The name under which the store keeps the paid calls: one for each file and seed."""
        place = f"{self.output.resolve()}\n{self.seed}".encode("utf-8", "replace")
        return f"generate-{hashlib.sha256(place).hexdigest()[:8]}"

    @property
    def made_from(self) -> str:
        """The names of the FAQ and the log."""
        return ", ".join(filter(None, [self.faq, self.log_name]))

    @property
    def client(self) -> Client:
        """The client with this session's budget."""
        client = self.loaded.client
        if self.budget_usd is None:
            return client
        return replace(client, limits=replace(client.limits, budget_usd=self.budget_usd))

    def asks(self, unit: Unit) -> bool:
        """True if a model is asked about a unit."""
        asks = unit.asks_a_model or (unit.method is Method.TITLE and self.is_named)
        return self.model is not None and not unit.lacks and asks

    def made_with(self, prompts: Mapping[str, str]) -> str:
        """The hash of all that decides what comes of a unit, its entries apart."""
        model = self.model
        spec = [model.model, model.temperature, model.base_url] if model else None
        return hashed([spec, dict(prompts), self.checks, self.retries])


def model_of(client: Client, name: str | None) -> ModelSpec | None:
    """The model that writes: the one that is named, where the client's user model lives."""
    spec = client.user.chat
    if name is not None:
        spec = replace(spec, model=name) if spec else ModelSpec(name)
    if spec is not None and spec.temperature is None:
        spec = replace(spec, temperature=TEMPERATURE)
    return spec


def methods_of(
    names: Sequence[str], model: ModelSpec | None, *, has_log: bool = False
) -> tuple[Method, ...]:
    """The methods in their own order; by default `questions`, without a model `title`.

    With a log it is `log`, alone or beside those that are named.

    Raises:
        InputError: one needs a model, and none is named; `log` needs a log.
    """
    if has_log:
        names = (*names, Method.LOG)
    elif Method.LOG in names:
        raise InputError("--method log needs a log of questions; set it with --from-log FILE")
    if not names:
        return (Method.QUESTIONS if model else Method.TITLE,)
    chosen = tuple(method for method in Method if method.value in names)
    needy = [method.value for method in chosen if method.needs_a_model]
    if needy and model is None:
        raise InputError(
            f"--method {needy[0]} needs a model; use --model M, or set user.model in "
            "client.yaml (--method title needs none)"
        )
    return chosen


def personas_of(loaded: LoadedClient, names: Sequence[str]) -> Mapping[str, Persona]:
    """The client's personas, or those of them that are named.

    Raises:
        InputError: the client has no such persona; nobody would ask its questions in a run.
    """
    known = loaded.personas
    wrong = [
        f"--persona: the client has no persona {shown(n)}; {hint(n, known)} "
        "(`personas:` in client.yaml)"
        for n in names
        if n not in known
    ]
    if wrong:
        raise InputError(*wrong)
    return {name: known[name] for name in names} or known


def ships(client: Client) -> bool:
    """Whether it is a client that came with mogi, whose folder is not the person's own."""
    return Path(client.folder).is_relative_to(shipped().resolve() / "scenarios")


def default_output(client: Client, cwd: Path) -> Path:
    """In the client's folder; for a client that ships with mogi, in the working directory."""
    return (cwd if ships(client) else Path(client.folder)) / GENERATED_FILE


OVERLAP = 0.9  # Jaccard: of ten words one may be another
_FEWEST = 2  # words; one alone (退会) says too little to tell two questions apart
WordSet = frozenset[tuple[str, bool]]


class Questions:
    """The questions that there are, to be asked whether another one is new.

    `voice` is the persona in whose words a question is put: the same matter in another voice is
    another question, unless the words are the same.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._forms: dict[str, str] = {}
        self._questions: list[tuple[str, str, WordSet]] = []
        self._holding: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)

    def same(self, question: str) -> str | None:
        """The question with the same normal form (case, width, marks, white space); else None."""
        return self._forms.get(normal_form(question))

    def like(self, question: str, voice: str = "") -> str | None:
        """The question that asks the same as this one; None for a new one.

        The same is: an equal normal form; or words of which nine in ten are the same (content
        words and amounts, by clauses that deny or that do not, and question words).
        """
        return self.same(question) or self._by_words(question, voice)

    def add(self, question: str, voice: str = "") -> None:
        """From now on this question is known."""
        self._forms.setdefault(normal_form(question), question)
        words = _words(question, self.language)
        for word in words:
            self._holding[word].append(len(self._questions))
        self._questions.append((question, voice, words))

    def _by_words(self, question: str, voice: str) -> str | None:
        words = _words(question, self.language)
        if len(words) < _FEWEST:
            return None
        shared = Counter(at for word in words for at in self._holding.get(word, ()))
        for at, count in sorted(shared.items()):
            other, its_voice, others = self._questions[at]
            if its_voice == voice and count >= OVERLAP * (len(words) + len(others) - count):
                return other
        return None


def _words(question: str, language: Language) -> WordSet:
    words = {
        (word, False in clause.signs.values())
        for sentence in read(question, language)
        for clause in sentence.clauses
        for word in (*clause.keys, *(f"{amount}{kind}" for (kind, amount), _ in clause.amounts))
    }
    question_words = phrases("generate/lists").pattern(f"asked_{language}")
    marked = {(f"?{word}", False) for word in question_words.findall(question.casefold())}
    return frozenset(words | marked)
