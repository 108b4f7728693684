"""What can be told of a turn without a judge, by elements, documents, refusals, right answers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ParamSpec, TypeVar

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.scenario import Element, Expected, element_name
from simulator.statistics.ranking import hit_at
from simulator.text.asking import leaves_unasked
from simulator.text.content import content
from simulator.text.expectations import (
    State,
    answer_state,
    contradicts_answer,
    contradicts_element,
    element_state,
)
from simulator.text.handover import Handover, handover, only_hands_over, sends_to_a_person
from simulator.text.nearness import is_turned_round, least_held, may_be_reworded, share_held, unsaid
from simulator.text.normal import folded, normal_form
from simulator.text.passages import contacts
from simulator.text.phrases import phrases
from simulator.text.quantities import conflicting
from simulator.text.question_back import only_asks_back, only_closes
from simulator.text.refusals import advises, is_refusal, states_nothing
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.words import Words

DEPTHS = (1, 3, 5)
"""How far down a list is looked, where that is asked for."""
UNNAMED = "the target has named no document so far"
P = ParamSpec("P")
T = TypeVar("T")
NOTHING_EXPECTED = Unscored(Gap.NOT_APPLICABLE, "no expected answer")
ASKS_BACK = Unscored(Gap.NOT_APPLICABLE, "the reply only asks back")
_CLOSES = Unscored(Gap.NOT_APPLICABLE, "nothing was asked, and the reply states nothing")
UNCLEAR = 0.5
"""The part `met` of an expected answer that may have been given in other words."""
_MET = {State.SAID: 1.0, State.UNCLEAR: UNCLEAR, State.MISSING: 0.0}
_ANSWERED = {State.UNCLEAR: "in_part", State.MISSING: "not_answered"}
_NAMED = 8  # words
_QUOTED = {"ja": 40, "en": 80}  # characters of a sentence that is quoted whole


def ranking(evidence: Evidence) -> tuple[str | None, ...] | Unscored:
    """The ids of the documents that came with this turn's reply, the best first.

    A target that reports its documents and found none has missed them. Documents without an id
    cannot be told apart: they are a miss only for a target that has named one before.
    """
    if not evidence.scenario.expected.documents:
        return Unscored(Gap.NOT_APPLICABLE, "no expected documents")
    if not evidence.talk.reports_documents:
        return Unscored(Gap.NOT_APPLICABLE, "the target has reported no documents so far")
    documents = evidence.exchange.documents
    if documents and not evidence.talk.names_documents:
        return Unscored(Gap.NOT_APPLICABLE, UNNAMED)
    return tuple(document.id for document in documents)


def wanted_elements(expected: Expected) -> list[Element]:
    """The expected elements that say something, each without alternatives that do not."""
    found = (tuple(filter(normal_form, element)) for element in expected.elements)
    return [element for element in found if element]


def elements(evidence: Evidence, apart: Collection[str] = ()) -> Outcome:
    """How many of the expected elements the replies so far hold; see text/expectations.py.

    `apart`: replies on another matter; what is plainly said in them counts, and nothing else.
    """
    scenario = evidence.scenario
    wanted, truths = wanted_elements(scenario.expected), wanted_answers(scenario.expected)
    if not wanted:
        return Unscored(Gap.NOT_APPLICABLE, "no expected elements")
    if asks_back_only(evidence):
        return ASKS_BACK
    language, stated = evidence.language, _stated(evidence)
    of_state: dict[State, list[Element]] = {state: [] for state in State}
    told = "\n".join(exchange.user for exchange in evidence.talk.exchanges)
    known, told_in = [*truths, *_documents(evidence)], [*truths, *_told(evidence)]
    for element in wanted:
        replies = _replies(evidence) if _is_of_a_desk(element, evidence) else stated
        state = element_state(element, replies, language, told=told)
        if state is State.SAID and is_turned_round(element, replies, known, language):
            state = State.UNCLEAR
        if state is State.MISSING and may_be_reworded(element, replies, told_in, language):
            state = State.UNCLEAR
        if state is State.UNCLEAR and apart:
            rest = [reply for reply in replies if reply not in apart]
            state = element_state(element, rest, language, told=told)
        of_state[state].append(element)
    said, asked = evidence.exchange.assistant, _asked(evidence)
    right = [*truths, *(way for e in wanted for way in e)]
    is_open = leaves_unasked(scenario.goal, f"{scenario.query}\n{told}", language)
    against = [
        e
        for e in wanted
        if not (_is_bare(e, language) and (is_open or e in of_state[State.SAID]))
        and contradicts_element(said, e, language, asked=asked, right=right)
    ]
    sides = [_both_sides(said, e, language, asked, right) or element_name(e) for e in against]
    share = (len(of_state[State.SAID]) + len(of_state[State.UNCLEAR]) / 2) / len(wanted)
    missing, unclear = of_state[State.MISSING], of_state[State.UNCLEAR]
    listed = {"missing": missing, "unclear": unclear, "contradicted": against}
    comments = [_listing(language, key, [*map(element_name, some)]) for key, some in listed.items()]
    return Score(
        share,
        share,
        join_comments(evidence, *comments),
        _counts(evidence, of_state) | {"contradicted": float(len(against))},
        tuple(sides) or tuple(element_name(e) for e in wanted if e not in of_state[State.SAID]),
    )


def _only_pointed_to(element: Element, evidence: Evidence) -> bool:
    """Whether an element is a contact that only replies which answer nothing name.

    Where a contact is asked for, or expected, it is the answer.
    """
    expected, language = evidence.scenario.expected, evidence.language
    asks = phrases(f"text/{language}/handover").pattern("asks_for_it")
    if _hands_over_itself(expected, language) or asks.search(folded(_asked(evidence))):
        return False
    named = frozenset[str]().union(*map(contacts, element))
    holding = [reply for reply in _replies(evidence) if named & contacts(reply)]
    asked = {*content_tokens(_asked(evidence), language)}
    return all(map(contacts, element)) and all(
        is_refusal(reply, language)
        or (states_nothing(reply, language) and asked.isdisjoint(content_tokens(reply, language)))
        for reply in holding
    )


def _hands_over_itself(expected: Expected, language: Language) -> bool:
    """Whether a hand-over or a refusal is due, or what is expected is worded as one."""
    wanted = (*wanted_answers(expected), *(way for e in wanted_elements(expected) for way in e))
    does = (is_refusal(way, language) or sends_to_a_person(way, language) for way in wanted)
    return expected.refusal_due or any(does)


def _counts(evidence: Evidence, of_state: Mapping[State, Sequence[Element]]) -> dict[str, float]:
    """The parts of the elements' score but one: see `ElementsLexical`."""
    counts = {state.value: float(len(some)) for state, some in of_state.items()}
    replies, language = _replies(evidence), evidence.language
    held = [max(share_held(w, replies, language) for w in e) for e in of_state[State.UNCLEAR]]
    pointed = sum(_only_pointed_to(element, evidence) for element in of_state[State.SAID])
    least = {"least": min(held)} if held else {}
    return counts | least | ({"pointed": float(pointed)} if pointed else {})


def _is_bare(element: Element, language: Language) -> bool:
    """Whether an element is an amount and says not of what: another one may be of anything else."""
    return not any(content(way, language).words for way in element)


def answer(evidence: Evidence, apart: Collection[str] = ()) -> Outcome:
    """How much of the best expected answer the replies so far hold; see text/expectations.py.

    `apart`: as in `elements`.
    """
    expected = evidence.scenario.expected
    truths = wanted_answers(expected)
    if not truths:
        return NOTHING_EXPECTED
    if expected.answerable is False:  # it words a refusal, which may be worded in any way
        return Unscored(Gap.NOT_APPLICABLE, "the scenario cannot be answered")
    if asks_back_only(evidence):
        return ASKS_BACK
    language, said = evidence.language, evidence.exchange.assistant
    found = answer_state(truths, _replies(evidence), language)
    if found.state is State.UNCLEAR and apart:
        rest = [reply for reply in _replies(evidence) if reply not in apart]
        found = answer_state(truths, rest, language)
    first, asked = evidence.exchange.turn == 1, _asked(evidence)
    against = contradicts_answer(said, truths, language, asked=asked, first=first)
    words = Words(language, "comment")
    comment = words(_ANSWERED[found.state]) if found.state in _ANSWERED else ""
    comment = join_comments(evidence, comment, words("against_answer") if against else "")
    parts = {"met": _MET[found.state], "contradicted": float(against)}
    ways = [part for truth in truths for part in sentences(truth, language)] if against else []
    sides = _both_sides(said, ways, language, asked, truths)
    lacks = [*found.lacks]
    if found.state is State.UNCLEAR:
        best = next((t for t in truths if {*lacks} <= {*sentences(t, language)}), truths[0])
        replies = _replies(evidence)
        gone = unsaid(lacks, best, evidence.scenario.query, replies, language)
        least, lacks = least_held(lacks, best, replies, language)
        parts["least"] = min(least, found.share)
        parts |= {"unsaid": float(len(gone))} if gone else {}
        lacks.sort(key=lambda sentence: sentence not in gone)
    return Score(found.share, found.share, comment, parts, (sides,) if sides else tuple(lacks))


def _both_sides(
    said: str, ways: Sequence[str], language: Language, asked: str, right: Sequence[str]
) -> str:
    """What was expected beside the sentence that says otherwise; "" where no single one does."""
    words = Words(language, "comment")

    def against(part: str, way: str) -> bool:
        return contradicts_element(part, (way,), language, asked=asked, right=right)

    for way in ways:
        own = content(way, language).amounts
        for sentence in sentences(said, language):
            if against(sentence, way):
                parts = _clauses(sentence, language)
                telling = [p for p in parts if against(p, way)] or [
                    p for p in parts if conflicting(content(p, language).amounts, own)
                ]
                return words("both_sides", expected=way, said=telling[0] if telling else sentence)
    return ""


def _clauses(sentence: str, language: Language) -> list[str]:
    """The clauses of a sentence that is too long to be quoted, each with marks of the omission."""
    if len(sentence) <= _QUOTED[language]:
        return []
    between = phrases(f"text/{language}/grounding").pattern("between_clauses")
    return [f"… {part.strip()} …" for part in between.split(sentence) if part.strip()]


def wanted_answers(expected: Expected) -> list[str]:
    """The expected answers that are not empty."""
    return [answer for answer in expected.answers if answer.strip()]


def asks_back_only(evidence: Evidence) -> bool:
    """Whether the reply only asks back, which is no answer yet."""
    return only_asks_back(evidence.exchange.assistant, evidence.language)


def _documents(evidence: Evidence) -> Iterator[str]:
    return (f"{d.title}\n{d.text}" for e in evidence.talk.exchanges for d in e.documents)


def _told(evidence: Evidence) -> Iterator[str]:
    """What the documents say, without their titles, which only ask."""
    return (document.text for e in evidence.talk.exchanges for document in e.documents)


def _replies(evidence: Evidence) -> list[str]:
    return [exchange.assistant for exchange in evidence.talk.exchanges]


def _stated(evidence: Evidence) -> list[str]:
    """The replies, those that refuse without their sentences that only refuse or name a desk.

    The hours of a desk are not those that were asked for. Where there is no answer to give, or a
    person is asked for, such sentences are what is expected.
    """
    expected, language = evidence.scenario.expected, evidence.language
    if expected.refusal_due:
        return _replies(evidence)
    return [
        "\n".join(s for s in sentences(reply, language) if not only_hands_over(s, language))
        if is_refusal(reply, language)
        else reply
        for reply in _replies(evidence)
    ]


def _is_of_a_desk(element: Element, evidence: Evidence) -> bool:
    """Whether an element refuses or names a desk itself, or the question asks for a desk."""
    language = evidence.language
    asks = phrases(f"text/{language}/handover").pattern("asks_for_it")
    return bool(asks.search(folded(_asked(evidence)))) or any(
        contacts(way) or is_refusal(way, language) or sends_to_a_person(way, language)
        for way in element
    )


def _asked(evidence: Evidence) -> str:
    return "\n".join(dict.fromkeys((evidence.scenario.query, evidence.exchange.user)))


def retrieval(evidence: Evidence) -> Outcome:
    """Whether one of the expected documents came with this turn's reply; by id.

    Parts: `hit_at_k`, whether one of them was among the first k.
    """
    found = ranking(evidence)
    if isinstance(found, Unscored):
        return found
    if asks_back_only(evidence):
        return ASKS_BACK
    expected = evidence.scenario.expected.documents
    absent = [name for name in expected if name not in found]
    hit = float(len(absent) < len(expected))
    parts = {f"hit_at_{k}": hit_at(k, found, expected) for k in DEPTHS}
    return Score(hit, hit, _listing(evidence.language, "not_retrieved", absent), parts)


def refusal(evidence: Evidence) -> Outcome:
    """Whether the reply refuses if, and only if, there is no answer to give, or hands over.

    Where the scenario asks for a person (`escalate`), that is what has to have happened by now;
    where there is no answer either, nothing else may be said. An empty reply does none of this.

    Parts, 0 or 1: `refused` and `handed_over`, what this reply does; `answered`, it answered what
    has no answer.
    """
    expected, said = evidence.scenario.expected, evidence.exchange.assistant
    if not expected.decides_refusal:
        return Unscored(Gap.NOT_APPLICABLE, "the scenario does not say whether it can be answered")
    if asks_back_only(evidence):
        return ASKS_BACK
    if only_closes(evidence.talk.exchanges, evidence.language):
        return _CLOSES
    wrong = _wrong(evidence) if normal_form(said) else "empty"
    parts = {
        "refused": float(_refuses(evidence)),
        "handed_over": float(sends_to_a_person(said, evidence.language)),
        "answered": float(wrong == "answered"),
    }
    comment = Words(evidence.language, "comment")(wrong) if wrong else ""
    return Score(float(not wrong), float(not wrong), comment, parts)


def _wrong(evidence: Evidence) -> str:
    """What is wrong with a reply that says something: a key of the wording, or nothing."""
    expected, said = evidence.scenario.expected, evidence.exchange.assistant
    language, answerable = evidence.language, expected.can_be_answered
    if expected.escalate:
        if answerable is False and (
            advises(said, language) or not _only_hands_over(said, language)
        ):
            return "answered"
        replies = [exchange.assistant for exchange in evidence.talk.exchanges]
        return "" if any(sends_to_a_person(reply, language) for reply in replies) else "kept"
    refused = _refuses(evidence)
    if answerable is False and refused and advises(said, language):
        return "answered"  # "I can't advise on that, but buy index funds"
    if refused is not answerable or (refused and _is_to_refuse(evidence)):
        return ""
    return "refused" if refused else "answered"


def _is_to_refuse(evidence: Evidence) -> bool:
    """Whether what is expected refuses, or names a desk, and this reply holds it.

    *We give no advice on that, please ask your doctor* is an answer, if the scenario's own. Where
    a whole answer is given, the reply has to speak of the matter: any refusal names some desk.
    """
    expected, language = evidence.scenario.expected, evidence.language
    if expected.answerable is not None:  # that it can be answered was said outright
        return False
    if not _hands_over_itself(expected, language):
        return False
    said = [evidence.exchange.assistant]
    if wanted := wanted_elements(expected):
        return all(element_state(e, said, language) is not State.MISSING for e in wanted)
    asked, held = (set(content_tokens(text, language)) for text in (_asked(evidence), said[0]))
    return any(
        asked & held & {*content_tokens(truth, language)}
        and answer_state([truth], said, language).state is not State.MISSING
        for truth in wanted_answers(expected)
    )


def _refuses(evidence: Evidence) -> bool:
    # What is refused may be an aside: nobody is marked down for declining that and answering.
    matter = evidence.strayed_from if evidence.scenario.expected.can_be_answered else ""
    return is_refusal(evidence.exchange.assistant, evidence.language, matter=matter)


def _only_hands_over(said: str, language: Language) -> bool:
    if is_refusal(said, language) or states_nothing(said, language):
        return True
    return handover(said, language) is Handover.PASSED_ON or only_hands_over(said, language)


def _listing(language: Language, key: str, items: list[str]) -> str:
    words = Words(language, "comment")
    return words(key, items=words.comma.join(items)) if items else ""


def differing_words(evidence: Evidence, lacks: Sequence[str], adds: Sequence[str]) -> str:
    """Words of the expected answer that the reply has not, and the other way round; not all."""
    words, comments = Words(evidence.language, "comment"), []
    for key, items in (("lacks", lacks), ("adds", adds)):
        named = [*items[:_NAMED]]
        if len(items) > _NAMED:
            named.append(words("more", n=len(items) - _NAMED))
        if named:
            comments.append(words(key, items=words.comma.join(named)))
    return join_comments(evidence, *comments)


def join_comments(evidence: Evidence, *comments: str) -> str:
    """Comments as one, without those that are empty; with a mark where a reply is read in part."""
    words, size = Words(evidence.language, "comment"), len(evidence.exchange.assistant)
    mark = words("read_to", n=MAX_EXPECTED) if size > MAX_EXPECTED else ""
    return words("beside").join(filter(None, (*comments, mark)))
