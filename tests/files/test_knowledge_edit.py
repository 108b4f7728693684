"""A knowledge base's file that gets an entry more, or other words in one."""

from pathlib import Path

import pytest

from simulator.files.knowledge import load_knowledge
from simulator.files.knowledge_edit import KnowledgeText, difference
from simulator.formats.sources import Source

CSV = 'id,title,content\nfaq-009,Hours,"We open, mostly, at 9."\nfaq-010,Price,5 euros.\n'


def opened(folder: Path, text: str, name: str = "faq.csv") -> KnowledgeText:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    found = KnowledgeText.read(Source.of(path))
    assert found is not None
    return found


def entries(folder: Path, text: str, name: str = "faq.csv") -> list[tuple[str | None, str, str]]:
    (folder / name).write_text(text, "utf-8", newline="")
    return [(e.id, e.title, e.text) for e in load_knowledge(folder / name).documents()]


def test_an_entry_more_has_the_next_id(tmp_path: Path) -> None:
    after = opened(tmp_path, CSV).with_entry('Is it "free", today?', "No, it\ncosts.")
    assert ("faq-011", 'Is it "free", today?', "No, it\ncosts.") == entries(tmp_path, after)[-1]
    assert after.startswith(CSV)


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("質問,回答\nいつ開く？,九時\n", ("いくら？", "五百円")),
        ("タイトル\t内容\r\n時間\t九時\r\n", ("いくら？", "五百円")),
    ],
)
def test_without_ids_only_what_is_said_is_written(
    tmp_path: Path, text: str, there: tuple[str, str]
) -> None:
    name = "faq.tsv" if "\t" in text else "faq.csv"
    after = opened(tmp_path, text, name).with_entry(*there)
    assert there == entries(tmp_path, after, name)[-1][1:]
    assert after.endswith("\r\n") == ("\r\n" in text)


def test_words_of_one_entry_are_changed_and_nothing_else(tmp_path: Path) -> None:
    after = opened(tmp_path, CSV).with_content("faq-009", "at 9.", "at 10.")
    assert CSV.replace("at 9.", "at 10.") == after
    assert opened(tmp_path, CSV).with_content("faq-010", "at 9.", "at 10.") is None


def test_a_text_gets_a_section_more(tmp_path: Path) -> None:
    known = opened(tmp_path, "# Shop\n\n## Hours\n\nWe open at 9.\n", "faq.md")
    assert ("Shop > Price", "5 euros.") == entries(
        tmp_path, known.with_entry("Price", "5 euros."), "faq.md"
    )[-1][1:]
    assert "at 10." in (known.with_content("any", "at 9.", "at 10.") or "")


def test_a_workbook_is_left_to_people(tmp_path: Path) -> None:
    (tmp_path / "faq.xlsx").write_bytes(b"PK")
    assert KnowledgeText.read(Source.of(tmp_path / "faq.xlsx")) is None


def test_a_folder_is_changed_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Towels\n\nA towel is 2 pounds.\n", "utf-8")
    (tmp_path / "b.md").write_text("# Pool\n\n## Towels\n\nA towel is 2 pounds here.\n", "utf-8")
    (tmp_path / "notes.csv").write_text("id,title\n", "utf-8")
    folder = KnowledgeText.read(Source.of(tmp_path))
    assert folder is not None

    def shown(after: str | None) -> str:
        assert after is not None
        return difference("texts", folder.text, after)

    figure = shown(folder.with_content("b.md#towels", "2 pounds", "3 pounds"))
    assert "+++ texts/b.md\n" in figure
    assert "+A towel is 3 pounds here.\n" in figure
    assert "a.md" not in figure
    title = shown(folder.with_title("b.md#towels", "Pool > Towels", "Pool > Towels – swim"))
    assert "-## Towels\n+## Towels – swim\n" in title
    assert "-## Towels\n" in shown(folder.without_entry("b.md#towels", "Pool > Towels"))
    assert folder.without_entry("a.md#towels", "Towels") is None  # nothing would be left
    assert folder.with_content("c.md#towels", "2", "3") is None
    new = shown(folder.with_entry("Sauna, when?", "It is open from 9."))
    assert new.startswith("--- /dev/null\n+++ texts/sauna-when.md\n")
    assert "+# Sauna, when?\n+\n+It is open from 9.\n" in new


def test_a_heading_in_what_is_added_begins_no_entry_of_its_own(tmp_path: Path) -> None:
    known = opened(tmp_path, "## Hours\n\nWe open at 9.\n", "faq.md")
    after = known.with_entry("Price\nof tea?", "It depends:\n\n# of cups\n\n5 euros each.")
    found = entries(tmp_path, after, "faq.md")
    assert 2 == len(found)
    assert "Price of tea?" == found[-1][1]
    assert "# of cups" in found[-1][2]


def test_ids_that_count_nothing_are_made_of_titles_and_stay_apart(tmp_path: Path) -> None:
    first = opened(tmp_path, "id,title,content\nhours,Hours,At 9.\n").with_entry(
        "Price", "5 euros."
    )
    second = opened(tmp_path, first).with_entry("Price", "6 euros.")
    assert 3 == len({name for name, _, _ in entries(tmp_path, second)})
