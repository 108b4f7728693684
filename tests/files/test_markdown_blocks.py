import pytest

from simulator.files.passages import markdown_blocks


def _texts(text: str) -> list[str]:
    return [block.text for block in markdown_blocks(text)]


def _headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in markdown_blocks(text) if block.level]


def test_blocks_stand_as_in_the_file() -> None:
    blocks = [
        "One\ntwo.",
        "- a\n  - b\n\n  c\n- d",
        "> quoted\n> text",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```sh\n# no heading\n\nrun <!-- kept -->\n```",
        "    indented",
        "<div>\nhtml\n</div>",
        "[r]: http://x",
    ]
    assert blocks == _texts("\n\n".join(blocks))


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# Fees", (1, "Fees")),
        ("###### Fees ###", (6, "Fees")),
        ("#　送料", (1, "送料")),
        ("Fees\n====", (1, "Fees")),
        ("Fees\n---", (2, "Fees")),
        ("## **Fees** and [returns](x.md) `now` <br>", (2, "Fees and returns now")),
    ],
)
def test_headings_have_no_marks(text: str, heading: tuple[int, str]) -> None:
    assert [heading] == _headings(f"{text}\n\nx")


@pytest.mark.parametrize("text", ["#Fees", "    # Fees", "####### Fees", "# #", "```\n# Fees\n```"])
def test_what_is_no_heading_is_none(text: str) -> None:
    assert [] == _headings(text)


def test_front_matter_is_left_out() -> None:
    assert ["Text."] == _texts("---\ntitle: x\ntags: [a]\n---\nText.\n")
    assert ["Text."] == _texts("---\n---\nText.\n")


def test_rules_at_the_top_are_no_front_matter() -> None:
    assert ["大事なお知らせ", "Text."] == _texts("---\n大事なお知らせ\n\n---\nText.\n")
    assert ["key: x"] == _texts("---\nkey: x\n")


def test_comments_are_left_out() -> None:
    text = "a <!-- b --> c\n<!-- d\ne -->\nf\n\n<!--\n\n# g\n\n-->\n\nh\n"
    assert ["a  c", "f", "h"] == _texts(text)


def test_a_comment_that_never_ends_is_text() -> None:
    assert ["<!-- a\n\nb"] == _texts("<!-- a\n\nb\n")


def test_rules_are_left_out() -> None:
    assert ["a", "b"] == _texts("a\n\n---\n\nb\n\n***\n")
