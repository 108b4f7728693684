"""What is shown of a text: all of a short one, of a long one what bears on the answer."""

from simulator.targets.document import WHOLE, Excerpts

FILLER = "The garden is open all year and dogs have to be kept on a lead. "


def long_text(*parts: str) -> str:
    return "\n\n".join(part for one in parts for part in (one, FILLER * 100))


def test_a_short_text_is_one_document_named_after_its_file() -> None:
    (document,) = Excerpts("texts/input.txt", "Short.", "en").about("q", "a")
    assert ("texts/input.txt", "Short.") == (document.id, document.text)


def test_of_a_long_text_the_passages_with_the_words_are_shown_in_its_order() -> None:
    text = long_text("Membership ends in March.", "x", "Membership costs 300 yen.")
    found = Excerpts("input.txt", text, "en").about("What does membership cost?", "300 yen")
    assert 2 == len(found)
    assert "Membership ends in March." in found[0].text
    assert "Membership costs 300 yen." in found[1].text
    first, second = (str(d.id) for d in found)
    assert "input.txt" == first
    assert second.startswith("input.txt~")


def test_the_answers_own_words_find_passages_too() -> None:
    text = long_text("Membership costs 300 yen.", "x", "The chairman is called Barnaby.")
    (document,) = Excerpts("input.txt", text, "en").about("Who is the boss?", "Barnaby does.")
    assert "The chairman is called Barnaby." in document.text


def test_no_more_than_a_judge_is_shown_comes_along() -> None:
    text = long_text(*["Membership is for members."] * 9)
    found = Excerpts("input.txt", text, "en").about("The garden and dogs on a lead?", "All year")
    assert WHOLE - 2000 < sum(len(d.text) for d in found) <= WHOLE


def test_where_no_word_is_there_the_two_ends_are_shown() -> None:
    text = f"BEGIN {FILLER * 300} END"
    (document,) = Excerpts("input.txt", text, "en").about("weather", "unknown")
    assert "input.txt" == document.id
    assert (True, True) == (document.text.startswith("BEGIN"), document.text.endswith("END"))
    assert len(document.text) <= WHOLE


def test_a_text_without_a_blank_line_is_cut_between_sentences() -> None:
    text = "図書館は九時に開きます。" * 2000 + "会費は三百円です。"
    found = Excerpts("input.txt", text, "ja").about("会費はいくらですか", "三百円です")
    assert "会費は三百円です。" in found[-1].text
    assert len(found) == 1 or sum(len(d.text) for d in found) <= WHOLE


def test_one_endless_word_is_cut_all_the_same() -> None:
    text = "a" * 30_000
    assert Excerpts("input.txt", text, "en").about(text, "")
