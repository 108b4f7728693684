"""Japanese morphemes: shared, thread-safe, and unafraid of any text."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.clean import clean
from simulator.text.ja import sudachi
from simulator.text.ja.sudachi import CALL_BYTES, Morpheme, morphemes, versions


def surfaces(text: str) -> list[str]:
    return [m.surface for m in morphemes(text)]


def test_words_come_in_their_shortest_units_and_normal_form() -> None:
    assert [
        Morpheme("引越", "引っ越し", ("名詞", "普通名詞", "サ変可能", "*")),
        Morpheme("手続", "手続き", ("名詞", "普通名詞", "サ変可能", "*")),
    ] == morphemes("引越手続")


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_is_cut_without_loss(text: str) -> None:
    assert clean(text) == "".join(surfaces(text))


def test_lone_surrogates_and_nul_are_cleaned() -> None:
    assert ["\ufffd", "返品"] == surfaces("\ud800\x00返品")


@pytest.mark.parametrize(
    "text",
    [
        "返品できます。" * 5_000,
        "word " * 30_000,
        "a" * (60_000),
        "㍿" * 20_000,
        "🎉" * 20_000,
    ],
)
def test_text_beyond_what_sudachi_takes_is_cut_in_pieces(text: str) -> None:
    assert text == "".join(surfaces(text))


def test_text_that_grows_too_long_when_it_is_normalised_is_halved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sudachi, "CALL_BYTES", 49_149)
    text = "ﷺ" * 16_383  # each becomes 18 letters, and Sudachi bears 65,535 bytes of them
    assert text == "".join(surfaces(text))


def test_no_call_is_longer_than_it_should_be(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Counting:
        def __init__(self, mode: str) -> None: ...

        def tokenize(self, text: str) -> list[Any]:
            sizes.append(len(text.encode()))
            return []

    monkeypatch.setattr(sudachi, "_tokenizer", Counting)
    for text in ("返品できます。" * 5_000, "返" * 50_000, "返品。" + "🎉" * 9_000 + "返品。"):
        morphemes(text)
    assert CALL_BYTES * 0.7 < max(sizes) <= CALL_BYTES


def test_pieces_end_where_sentences_end() -> None:
    sentence = "セール品は返品できません。"
    once = surfaces(sentence)
    assert once * 3_000 == surfaces(sentence * 3_000)


def test_threads_do_not_disturb_each_other() -> None:
    texts = [f"注文番号{n}の商品を返品したい。" * 20 for n in range(40)]
    alone = [surfaces(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert alone == list(pool.map(surfaces, texts))


def test_the_dictionary_is_loaded_once_for_all_threads() -> None:
    morphemes("返品")
    first = sudachi._dictionary()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(morphemes, ["返品"] * 8))
        assert {id(first)} == {id(d) for d in pool.map(lambda _: sudachi._dictionary(), range(4))}


def test_an_error_that_halving_does_not_cure_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    from sudachipy.errors import SudachiError  # type: ignore[import-untyped]

    class Broken:
        def __init__(self, mode: str) -> None: ...

        def tokenize(self, text: str) -> Any:
            raise SudachiError(text)

    monkeypatch.setattr(sudachi, "_tokenizer", Broken)
    with pytest.raises(SudachiError):
        morphemes("誰もまだ切っていない文")


def test_the_versions_are_those_that_are_installed() -> None:
    assert {"sudachipy", "sudachidict"} == versions().keys()
    assert all(part.isdigit() for part in versions()["sudachipy"].split("."))
    assert versions()["sudachidict"] >= "20261015"
