from simulator.formats.sources import hint, shown


def test_a_few_names_are_all_told() -> None:
    assert "did you mean calm? choose from: angry, calm" == hint("clam", ["angry", "calm"])
    assert "choose from: angry" == hint("zzz", {"angry": 1})


def test_of_many_names_only_their_number_and_one_is_told() -> None:
    names = [f"faq-{n:03}" for n in range(100)]
    assert "did you mean faq-042? there are 100 to choose from" == hint("fag-042", names)
    assert "there are 100 to choose from, such as faq-000" == hint("zzz", names)


def test_among_thousands_of_names_the_nearest_with_the_same_start_is_found() -> None:
    names = [f"{letter}-{n:03}" for letter in "abcde" for n in range(999)]
    assert "did you mean c-442? there are 4995 to choose from" == hint("c-4422", names)
    assert "there are 4995 to choose from, such as a-000" == hint("z", names)


def test_values_are_shown_short_and_on_one_line() -> None:
    assert '"a b"' == shown("a\n\u200bb")
    assert '"' + "あ" * 39 + '…"' == shown("あ" * 50)
    values: list[object] = [None, True, 3, [1], {}, b"x"]
    assert ["null", "true", "3", "a list", "a mapping", "this"] == [
        shown(value) for value in values
    ]


def test_what_looks_like_a_key_is_not_shown() -> None:
    assert ['"…"', '"…"', '"…"'] == [
        shown(v) for v in ("sk-abc", "Bearer abcdefghij0123456789", "abcdefghij0123456789")
    ]


def test_a_sentence_does_not_look_like_a_key() -> None:
    assert '"Take 10 of these, please, and go"' == shown("Take 10 of these, please, and go")
