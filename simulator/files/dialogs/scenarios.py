"""Recorded talks as scenarios: the customer's words as a script, and its goal and facts."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simulator.core.clean import cut, normal_form, visible
from simulator.core.persona import Language
from simulator.files.dialogs.reading import Dialog, Wish
from simulator.files.scenarios.expected_answers import one_or_all
from simulator.formats.slugs import Numbered, made_id
from simulator.formats.yaml.writing import Value, yaml_text
from simulator.text.acts import asks, is_courtesy, is_substantial, names_a_matter, without_opener
from simulator.text.personal import masked
from simulator.text.tokens import sentences
from simulator.words import Words

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
