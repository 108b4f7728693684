"""Entries of a YAML list, a table and a text get other titles, other words, or go."""

from pathlib import Path

import pytest

from simulator.files.knowledge import load_knowledge
from simulator.files.knowledge_edit import KnowledgeText
from simulator.formats.sources import Source

FILES = {
    "faq.yaml": (
        "# ours\n- id: q1\n  title: Post\n  content: Delivery costs £7.\n"
        "- id: q2\n  title: Hours\n  content: |\n    We open at 9.\n"
    ),
    "faq.csv": 'id,title,content\nq1,Post,Delivery costs £7.\nq2,Hours,"We open at 9."\n',
    "faq.md": "# Post\n\nDelivery costs £7.\n\n# Hours\n\nWe open at 9.\n",
}


@pytest.mark.parametrize("name", FILES)
def test_one_entry_changes_and_all_else_stays(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], "utf-8")
    knowledge = KnowledgeText.read(Source.of(path))
    assert knowledge is not None
    first, second = load_knowledge(path).documents()

    def after(text: str | None) -> list[tuple[str, str]]:
        assert text is not None
        path.write_text(text, "utf-8")
        return [(e.title, e.text.strip()) for e in load_knowledge(path).documents()]

    rest = (second.title, second.text.strip())
    other = knowledge.with_content(str(first.id), "£7", "£5")
    assert [("Post", first.text.replace("£7", "£5").strip()), rest] == after(other)
    named = after(knowledge.with_title(str(first.id), first.title, "Delivery: prices"))
    assert "Delivery: prices" == named[0][0]
    assert [rest] == after(knowledge.without_entry(str(first.id), first.title))
    more = after(knowledge.with_entry("Parking", "Parking is free: always."))
    assert "Parking" == more[2][0]
    assert more[2][1].endswith("Parking is free: always.")
