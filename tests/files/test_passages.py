import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.talk import Document
from simulator.files.passages import LONGEST, passages

SENTENCE = "送料は全国一律500円です。"


def _cut(text: str, name: str = "docs/guide.md") -> list[tuple[str, str]]:
    return [(d.title, d.text) for d in passages(text, name)]


def _ids(text: str, name: str = "guide.md") -> list[str | None]:
    return [d.id for d in passages(text, name)]


def _bare(text: str) -> str:
    return "".join(text.replace("*", "").split())


def test_a_passage_is_a_section_and_its_title_the_headings_above_it() -> None:
    text = "Intro.\n\n# Fees\nShipping.\nFree.\n## Returns ##\nThree.\n \nFour.\n# End\nBye.\n"
    assert [
        ("guide", "Intro."),
        ("Fees", "Shipping.\nFree."),
        ("Fees > Returns", "Three.\n\nFour."),
        ("End", "Bye."),
    ] == _cut(text)


def test_ids_are_made_of_the_headings() -> None:
    text = "Intro.\n# 料金 **と** 送料\nx\n## How much?\ny\n## ？\nz\n"
    first, second, third, odd = _ids(text, "docs/guide.md")
    assert ("docs/guide.md", "docs/guide.md#料金-と-送料", "docs/guide.md#how-much") == (
        first,
        second,
        third,
    )
    assert 6 == len((odd or "").removeprefix("docs/guide.md#"))


def test_a_heading_that_stands_there_twice_is_told_apart_by_those_above_it() -> None:
    text = "# A\n## Summary\nx\n# B\n## Summary\ny\n# C\nz\n"
    assert ["guide.md#a-summary", "guide.md#b-summary", "guide.md#c"] == _ids(text)


def test_what_is_the_same_even_then_is_counted() -> None:
    assert ["guide.md#a", "guide.md#a-2"] == _ids("# A\nx\n# A\ny\n")


def test_a_long_section_is_cut_at_its_paragraphs() -> None:
    paragraph = SENTENCE * 40
    found = passages(f"# 料金\n\n{paragraph}\n\n{paragraph}\n\n短い。\n\n# 次\n\nx", "guide.md")
    assert [
        Document(paragraph, "guide.md#料金", "料金"),
        Document(f"{paragraph}\n\n短い。", "guide.md#料金~2", "料金"),
        Document("x", "guide.md#次", "次"),
    ] == found


def test_a_long_paragraph_is_cut_at_its_sentences() -> None:
    found = _cut(SENTENCE * 200)
    assert [] == [text for _, text in found if not text.endswith("。")]
    assert {SENTENCE} == {s + "。" for _, text in found for s in text.split("。") if s}
    assert 200 * len(SENTENCE) == sum(len(text) for _, text in found)
    assert [] == [text for _, text in found[:-1] if not 700 < len(text) < 900]


def test_english_sentences_keep_the_space_between_them() -> None:
    found = _cut("Shipping costs 5 pounds to any place. " * 100)
    assert [] == [text for _, text in found if "place.S" in text or len(text) > LONGEST]
    assert len(found) > 1


def test_text_without_any_sentence_is_cut_nevertheless() -> None:
    found = _cut("あ" * 5_000)
    assert (5_000, 800) == (sum(len(t) for _, t in found), max(len(t) for _, t in found))


def test_a_long_list_is_cut_at_its_lines() -> None:
    text = "\n".join(f"- {n}: {SENTENCE}" for n in range(100))
    found = [line for _, piece in _cut(text) for line in piece.split("\n")]
    assert text.split("\n") == found
    assert len(_cut(text)) > 1


def test_code_is_never_cut() -> None:
    code = "```sh\n" + f"# {SENTENCE}\n\nrun\n" * 100 + "```"
    assert [("guide", "Do this:"), ("guide", code), ("guide", "Done.")] == _cut(
        f"Do this:\n\n{code}\n\nDone.\n"
    )
    listed = "- a\n" + "\n".join(f"  {line}".rstrip() for line in code.split("\n")) + "\n- b"
    inside = [text for _, text in _cut(listed) if "```" in text]
    assert [2] == [text.count("```") for text in inside]


def test_a_long_table_keeps_its_head_above_every_piece() -> None:
    head = "| 地域 | 送料 |\n|---|---|"
    rows = [f"| {n} | {SENTENCE} |" for n in range(100)]
    found = [text for _, text in _cut("\n".join((head, *rows)))]
    assert [] == [text for text in found if not text.startswith(f"{head}\n| ")]
    assert rows == [row for text in found for row in text.removeprefix(f"{head}\n").split("\n")]


def test_plain_text_has_no_headings() -> None:
    assert [("notes", "# one\n\ntwo")] == _cut("# one\n \ntwo", "docs/notes.txt")
    assert ["notes.txt", "notes.txt~2"] == _ids(f"{SENTENCE * 50}\n\n{SENTENCE * 50}", "notes.txt")


def test_headings_alone_are_no_passages() -> None:
    assert [] == passages("# A\n## B\n", "guide.md")


# Neither headings nor comments; a line of asterisks is a rule, which is left out.
TEXT = st.text(alphabet="ab あ。.`~*>|:+1[]()<!\n", max_size=120)


@given(TEXT)
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_no_letter_is_lost_and_no_passage_empty(name: str, text: str) -> None:
    found = passages(text, name)
    assert _bare(text) == _bare("".join(d.text for d in found))
    assert [] == [d for d in found if not d.text.strip()]


SECTIONS = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.sampled_from(["料金", "Fees", "概要", "a b", "a-b", "？"]),
        st.text(alphabet="abあ。\n", min_size=1, max_size=40).filter(str.strip),
    ),
    min_size=1,
    max_size=8,
)


def _written(sections: list[tuple[int, str, str]]) -> str:
    return "\n\n".join(f"{'#' * level} {title}\n\n{body}" for level, title, body in sections)


@given(SECTIONS)
def test_ids_are_unique(sections: list[tuple[int, str, str]]) -> None:
    ids = _ids(_written(sections))
    assert len(sections) == len(ids) == len(set(ids))


@given(SECTIONS, st.integers(0, 7), st.text(alphabet="cd。\n", max_size=20))
def test_an_edit_leaves_all_other_sections_as_they_were(
    sections: list[tuple[int, str, str]], at: int, more: str
) -> None:
    at %= len(sections)
    level, title, body = sections[at]
    edited = [*sections[:at], (level, title, f"{body}\n\nx {more}"), *sections[at + 1 :]]
    before, after = (passages(_written(s), "guide.md") for s in (sections, edited))
    assert [d.id for d in before] == [d.id for d in after]
    assert before[:at] + before[at + 1 :] == after[:at] + after[at + 1 :]
