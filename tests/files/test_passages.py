from hypothesis import given
from hypothesis import strategies as st

from simulator.files.passages import passages


def _cut(text: str, name: str = "docs/guide.md") -> list[tuple[str, str]]:
    return [(d.title, d.text) for d in passages(text, name)]


def test_text_is_cut_at_headings_and_blank_lines() -> None:
    text = "Intro.\n\n# Fees\nShipping.\nFree.\n## Returns ##\nThree.\n \nFour.\n"
    assert [
        ("guide", "Intro."),
        ("Fees", "Shipping.\nFree."),
        ("Returns", "Three."),
        ("Returns", "Four."),
    ] == _cut(text)


def test_ids_are_counted_through_the_file() -> None:
    assert ["docs/guide.md#1", "docs/guide.md#2"] == [
        d.id for d in passages("# A\nx\n# B\n\ny", "docs/guide.md")
    ]


def test_blank_lines_and_headings_inside_a_fence_do_not_cut() -> None:
    assert [("guide", "```sh\n# no heading\n\nrun\n```")] == _cut(
        "```sh\n# no heading\n\nrun\n```\n"
    )


def test_front_matter_is_no_passage() -> None:
    assert [("guide", "Text.")] == _cut("---\ntitle: x\n---\nText.\n")


def test_plain_text_has_no_headings() -> None:
    assert [("notes", "# one"), ("notes", "two")] == _cut("# one\n\ntwo", "notes.txt")


def test_a_heading_may_be_set_off_by_a_wide_space() -> None:
    assert [("送料", "無料です。")] == _cut("#　送料\n無料です。")


def test_an_empty_heading_keeps_the_title() -> None:
    assert [("guide", "Text.")] == _cut("# #\nText.")


@given(st.text(alphabet="# a\n`~-\u3000", max_size=80))
def test_no_text_is_lost_or_empty(text: str) -> None:
    found = passages(text, "a.txt")
    assert "".join(text.split()) == "".join("".join(d.text.split()) for d in found)
    assert all(d.text.strip() for d in found)
