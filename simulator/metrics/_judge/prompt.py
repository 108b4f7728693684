"""What a judge is told before it sees any turn, and how it is shown one: in blocks, fenced."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from simulator.core.health import SEEN, Aspect, Example, Labels, Ratings, Rubric, Said, Scope
from simulator.core.ports import Evidence
from simulator.core.scenario import element_name
from simulator.core.talk import Document, Exchange
from simulator.files import prompts
from simulator.files.prompts import fenced
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt
    from simulator.metrics._context import Section


# Characters.
LONGEST_TALK = 12_000
LONGEST_DOCUMENTS = 12_000  # of all documents together
LONGEST_TEXT = 8_000  # of any other block
MOST_DOCUMENTS = 50
Block = Callable[[Evidence, "Prompt", str], str]


def fence_of(secret: str, evidence: Evidence) -> str:
    """The fence of one turn: see `simulator.files.prompts.fence_of`."""
    return prompts.fence_of(secret, evidence.talk.episode, evidence.exchange.turn)


def evidence_message(
    evidence: Evidence,
    sees: Collection[str],
    prompt: Prompt,
    fence: str,
    scope: Scope = "turn",
    more: Sequence[str] = (),
) -> str:
    """The user message of judge.md, with the blocks of `sees` in it, and then `more` blocks.

    Where no reply of the talk came with documents, the target does not tell what it retrieved,
    and their block is left out: an empty one would mean that it found nothing. With the scope
    `talk`, the talk is shown to its end.
    """
    blocks = [
        prompt.render(
            _part(name, scope), text=block(evidence, prompt, fence) or prompt.render("none")
        )
        for name, block in (BLOCKS | (_OF_TALKS if scope == "talk" else {})).items()
        if name in sees and (name != "documents" or evidence.talk.reports_documents)
    ]
    return framed("\n\n".join((*blocks, *filter(None, more))), prompt, scope)


def framed(blocks: str, prompt: Prompt, scope: Scope = "turn") -> str:
    """Blocks, and what is said again after them."""
    return prompt.render("evidence" if scope == "turn" else "evidence.talk", blocks=blocks)


def label(name: str, prompt: Prompt, scope: Scope = "turn") -> str:
    """What stands above a block, by which a judge is told which one is meant."""
    return prompt.render(_part(name, scope), text="").strip()


def _part(name: str, scope: Scope) -> str:
    return "block.whole_talk" if (name, scope) == ("talk", "talk") else f"block.{name}"


def shortened(text: str, limit: int, prompt: Prompt) -> str:
    """The text, or its two ends of `limit` characters together around a visible mark."""
    if len(text) <= limit:
        return text
    head = limit // 2
    mark = prompt.render("cut", omitted=str(len(text) - limit))
    return f"{text[:head]}\n{mark}\n{text[len(text) - limit + head :]}"


def _persona(evidence: Evidence) -> str:
    persona = evidence.persona
    lines = [f"{persona.name}: {persona.description}", *(f"- {t}" for t in persona.traits)]
    return "\n".join(lines)


def _goal(evidence: Evidence) -> str:
    """What the user wants; with what it meant to ask, where the persona's style garbles that."""
    scenario, first = evidence.scenario, evidence.talk.exchanges[0].user
    meant = [scenario.query] if scenario.goal and first != scenario.query else []
    return "\n".join([*meant, scenario.goal or scenario.query])


def _spoken(exchanges: Sequence[Exchange], prompt: Prompt, fence: str) -> str:
    """Every utterance in a fence of its own: none can go on with turns that never were."""
    texts = [text for exchange in exchanges for text in (exchange.user, exchange.assistant)]
    each = _share([len(text) for text in texts], LONGEST_TALK)
    lines = []
    for exchange in exchanges:
        turn = str(exchange.turn)
        for who, text in (("user", exchange.user), ("assistant", exchange.assistant)):
            words = fenced(f"{who}-{turn}", shortened(text, each, prompt), fence)
            shown = words if text else prompt.render("none")
            lines.append(prompt.render(f"speaker.{who}", turn=turn, text=shown))
    return "\n".join(lines)


def _documents(evidence: Evidence, prompt: Prompt, fence: str) -> str:
    documents = evidence.exchange.documents
    kept = documents[:MOST_DOCUMENTS]
    each = _share([len(d.text) for d in kept], LONGEST_DOCUMENTS)
    texts = [
        fenced(f"document-{n}", _document(n, d, each, prompt), fence)
        for n, d in enumerate(kept, start=1)
    ]
    omitted = sum(len(d.text) for d in documents[MOST_DOCUMENTS:])
    if omitted:
        texts.append(prompt.render("cut", omitted=str(omitted)))
    return "\n".join(texts)


def _document(number: int, document: Document, limit: int, prompt: Prompt) -> str:
    label = shortened(document.id or str(number), 200, prompt)
    head = f"[{label}] {shortened(document.title, 200, prompt)}".rstrip()
    return f"{head}\n{shortened(document.text, limit, prompt)}"


def _share(lengths: Sequence[int], limit: int) -> int:
    """The length to which texts are cut so that together they keep to `limit`.

    Short texts leave what they do not need to the long ones.
    """
    left = limit
    for waiting, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * waiting > left:
            return left // waiting
        left -= length
    return limit


def _expected_elements(evidence: Evidence, prompt: Prompt, fence: str) -> str:
    """Numbered, and each cut for itself: a judge has to be able to speak of every one."""
    elements = [element_name(element) for element in evidence.scenario.expected.elements]
    each = _share([len(e) for e in elements], LONGEST_TEXT)
    lines = [f"{n}. {shortened(e, each, prompt)}" for n, e in enumerate(elements, start=1)]
    return fenced("expected_elements", "\n".join(lines), fence) if lines else ""


def _expected_answer(evidence: Evidence) -> str:
    """The right answer, or all of them: any one will do."""
    between = Words(evidence.language, "comment")("or")
    return f"\n{between}\n".join(evidence.scenario.expected.answers)


def _text(name: str, read: Callable[[Evidence], str]) -> tuple[str, Block]:
    def block(evidence: Evidence, prompt: Prompt, fence: str) -> str:
        text = shortened(read(evidence), LONGEST_TEXT, prompt)
        return fenced(name, text, fence) if text else ""

    return name, block


BLOCKS: dict[str, Block] = dict(
    [
        _text("persona", _persona),
        _text("goal", _goal),
        ("talk", lambda e, prompt, fence: _spoken(e.talk.exchanges[:-1], prompt, fence)),
        ("documents", _documents),
        _text("question", lambda e: e.exchange.user),
        _text("answer", lambda e: e.exchange.assistant),
        _text("expected_answer", _expected_answer),
        ("expected_elements", _expected_elements),
    ]
)
"""What a rubric may see, in the order in which it is shown; each text in a fence of its own."""

_OF_TALKS: dict[str, Block] = {
    "talk": lambda e, prompt, fence: _spoken(e.talk.exchanges, prompt, fence)
}


def judge_instructions(
    sections: Sequence[Section], guidelines: Sequence[str], prompt: Prompt, scope: Scope = "turn"
) -> str:
    """The system message of judge.md; it holds nothing that changes from turn to turn.

    Several sections share one look at the evidence, so each is told which blocks are its own. To
    ask nicely is weaker than not to show: a rubric that must not know the right answer at all is
    judged apart (`calls: apart`), at the price of a call of its own.
    """
    listed = "\n".join(f"- {guideline}" for guideline in guidelines)
    parts = [section.instructions() for section in sections]
    if len({frozenset(section.sees) for section in sections}) > 1:
        parts = [f"{t}\n\n{_uses(s, prompt, scope)}" for t, s in zip(parts, sections, strict=True)]
    return prompt.render(
        "system" if scope == "turn" else "system.talk",
        rubrics="\n\n".join(parts),
        guidelines=listed or prompt.render("none"),
    )


def rubric_text(rubric: Rubric, prompt: Prompt) -> str:
    """A rubric with all that belongs to it."""
    parts = [
        prompt.render(
            "rubric",
            id=rubric.id,
            title=rubric.title,
            instruction=rubric.instruction,
            aspects="\n\n".join(_aspect(aspect, prompt) for aspect in rubric.aspects),
        )
    ]
    if rubric.may_not_apply:
        parts.append(prompt.render("rubric.may_not_apply", when=rubric.may_not_apply))
    for number, example in enumerate(rubric.examples, start=1):
        parts.append(_example(number, example, rubric.scope, prompt))
    return "\n\n".join(parts)


def _uses(section: Section, prompt: Prompt, scope: Scope) -> str:
    labels = [label(name, prompt, scope) for name in SEEN if name in section.sees]
    return prompt.render("rubric.uses", id=section.id, blocks=" ".join(labels))


def _aspect(aspect: Aspect, prompt: Prompt) -> str:
    return prompt.render(
        "aspect",
        name=aspect.name,
        title=aspect.title,
        question=aspect.question,
        anchors="\n".join(_anchors(aspect)),
    )


def _anchors(aspect: Aspect) -> list[str]:
    """The scale in words; its ends or its labels too, where no anchor tells them."""
    scale, anchors = aspect.scale, aspect.anchors
    if isinstance(scale, Labels):
        return [_anchor(word, anchors.get(word, "")) for word in scale.values]
    low, high = (scale.low, scale.high) if isinstance(scale, Ratings) else (0, 1)
    lines = [_anchor(answer, text) for answer, text in sorted(anchors.items())]
    return lines if {low, high} <= anchors.keys() else [f"{low}–{high}", *lines]


def _anchor(answer: Said, text: str) -> str:
    return f"{_word(answer)}: {text}" if text else _word(answer)


def _word(answer: Said) -> str:
    return f"{answer:g}" if isinstance(answer, float) else str(answer)


def _example(number: int, example: Example, scope: Scope, prompt: Prompt) -> str:
    blocks = [
        f"{label(name, prompt, scope)}\n{example.evidence[name]}"
        for name in SEEN
        if name in example.evidence
    ]
    answers = [f"{name}: {_word(answer)}" for name, answer in example.said.items()]
    return prompt.render(
        "rubric.example",
        number=str(number),
        blocks="\n".join(blocks),
        comment=example.comment,
        ratings=", ".join(answers or ["not_applicable: true"]),
    )
