"""Which documents hold a claim, and which entries a bot's documents are."""

from dataclasses import replace

import pytest

from simulator.core.claim import Source
from simulator.core.ports import Evidence
from simulator.core.talk import Document, Reply
from simulator.reading.sources import Identified, Sources
from tests.metrics.turns import Entries, evidence

POSTAGE = Document("Standard postage costs $5 and takes three working days.", "post", "Postage")
RETURNS = Document("Unused goods may be returned within 30 days.", "returns", "Returns")
GIFTS = Document("Gift wrapping costs $2 for each parcel.", "gifts", "Gift wrapping")
BASE = Entries(POSTAGE, RETURNS, GIFTS)


def turn(
    *documents: Document,
    elements: tuple[str, ...] = (),
    answer: str = "",
    expected: str = "",
    reports: bool = True,
) -> Evidence:
    return evidence(
        Reply("Certainly.", documents, reports_documents=reports),
        language="en",
        asked=("How much is postage?",),
        elements=elements,
        answer=answer,
        documents=[expected] if expected else [],
    )


def sources(knowledge: Entries | None, asked: Evidence) -> list[Source | None]:
    """The source of each claim that words something."""
    found = Sources(knowledge).of(asked, asked.claims)
    return [found.get(claim.id) for claim in asked.claims if claim.wordings]


def test_a_claim_is_in_what_came_in_another_entry_or_in_none() -> None:
    elements = ("standard postage costs $5", "takes three working days", "express costs $9")
    held = [Source.RETRIEVED, Source.RETRIEVED, Source.NOWHERE]
    assert held == sources(BASE, turn(POSTAGE, elements=elements))
    missed = [Source.NOT_RETRIEVED, Source.NOT_RETRIEVED, Source.NOWHERE]
    assert missed == sources(BASE, turn(RETURNS, elements=elements))
    assert missed == sources(BASE, turn(elements=elements))


@pytest.mark.parametrize("expected", ["post", ""])
def test_an_entry_that_came_with_another_text_is_no_miss(expected: str) -> None:
    elements = ("standard postage costs $5", "takes three working days")
    old = replace(POSTAGE, text="Standard postage costs $4 and takes three working days.")
    cut = replace(POSTAGE, text=f"{POSTAGE.text[:25]}, or more.")
    differs, held = Source.COPY_DIFFERS, Source.RETRIEVED
    assert [differs, held] == sources(BASE, turn(old, elements=elements, expected=expected))
    assert [held, differs] == sources(BASE, turn(cut, elements=elements, expected=expected))


def test_a_right_copy_is_no_other_text() -> None:
    bare = replace(GIFTS, title="")
    wraps = ("gift wrapping costs $2",)
    assert [Source.RETRIEVED] == sources(BASE, turn(bare, elements=wraps, expected="gifts"))
    passage = replace(POSTAGE, text="takes three working days.")  # the wrong one was found
    asked = turn(passage, elements=("standard postage costs $5",), expected="post")
    assert [Source.NOT_RETRIEVED] == sources(BASE, asked)
    first = replace(POSTAGE, text="Standard postage costs $5")  # of several passages, or cut off
    asked = turn(first, elements=("takes three working days",), expected="post")
    assert [Source.NOT_RETRIEVED] == sources(BASE, asked)


def test_of_a_bot_that_does_not_say_what_it_retrieved_only_gaps_are_known() -> None:
    elements = ("standard postage costs $5", "express costs $9")
    assert [None, Source.NOWHERE] == sources(BASE, turn(elements=elements, reports=False))
    mute = Document("", "unknown-7")
    assert [None, Source.NOWHERE] == sources(BASE, turn(mute, elements=elements))


def test_another_amount_is_another_content() -> None:
    assert [Source.NOWHERE] == sources(BASE, turn(POSTAGE, elements=("standard postage costs $6",)))


def test_without_a_knowledge_base_only_what_came_is_known() -> None:
    elements = ("postage costs $5", "express costs $9")
    assert [Source.RETRIEVED, None] == sources(None, turn(POSTAGE, elements=elements))


def test_most_words_of_a_whole_answer_are_enough() -> None:
    answer = "You pay $5 for standard postage, which takes three working days to reach you."
    assert [Source.RETRIEVED] == sources(BASE, turn(POSTAGE, answer=answer))


def test_where_documents_are_expected_only_these_should_have_come() -> None:
    elements = ("postage costs $5",)
    assert [Source.NOT_RETRIEVED] == sources(BASE, turn(elements=elements, expected="post"))
    assert [None] == sources(BASE, turn(elements=elements, expected="gifts"))


def test_a_document_that_came_without_its_text_says_what_its_entry_says() -> None:
    bare = replace(POSTAGE, text="", title="")
    assert [Source.RETRIEVED] == sources(BASE, turn(bare, elements=("postage costs $5",)))


@pytest.mark.parametrize(
    ("quote", "expected", "is_so"),
    [
        ("Gift wrapping costs $2 for each parcel", "post", True),
        ("Gift wrapping costs $2 for each parcel", "gifts", False),
        ("Standard postage costs $5 and takes three working days.", "post", False),
        ("Standard postage costs $4.", "post", False),
        ("Gift wrapping costs $2 for each parcel", "", False),
    ],
)
def test_a_sentence_of_a_document_that_is_not_expected_is_from_another(
    quote: str, expected: str, *, is_so: bool
) -> None:
    asked = turn(GIFTS, POSTAGE, expected=expected)
    assert is_so is Sources(BASE).from_another(asked, [quote])


def test_what_words_nothing_has_no_source() -> None:
    asked = evidence("No.", language="en", answerable=False)
    assert {} == Sources(BASE).of(asked, asked.claims)


@pytest.mark.parametrize(
    ("came", "named"),
    [
        (replace(POSTAGE, id="42"), "post"),
        (Document("Standard postage costs $5 and takes three working days", "42"), "post"),
        (Document("", "42", "Postage"), "post"),
        (Document("", "Postage"), "post"),
        (Document("Something else.", "42"), None),
        (POSTAGE, "post"),
    ],
)
def test_documents_get_the_ids_of_the_entries_that_they_are(
    came: Document, named: str | None
) -> None:
    (found,) = Identified(BASE).evidence(turn(came)).exchange.documents
    assert named == found.id
    assert came == Identified(None).evidence(turn(came)).exchange.documents[0]


@pytest.mark.parametrize("name", ["fees.md", "fees", "/srv/bot/knowledge/fees.md"])
def test_a_document_with_the_name_of_a_file_is_its_only_passage(name: str) -> None:
    entries = Entries(Document("It is $5.", "fees.md#what-it-costs", "What it costs"), POSTAGE)
    (found,) = Identified(entries).evidence(turn(Document("", name))).exchange.documents
    assert "fees.md#what-it-costs" == found.id
    (stored,) = Identified(entries).named(turn(Document("", name)).exchange).documents
    assert "fees.md#what-it-costs" == stored.id
    other = turn(Document("It is $5.", "42")).exchange
    assert other == Identified(entries).named(other)
