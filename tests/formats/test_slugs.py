from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.own_files import Numbered, made_id, slug


def test_a_slug_is_made_of_the_words() -> None:
    assert "料金-と-送料-2026年" == slug("料金 と「送料」（2026年）")
    assert "how-do-i-log-in" == slug("How do I log-in?")
    assert "" == slug("？！…")


def test_a_slug_is_cut() -> None:
    assert "aaa-bbb" == slug("aaa bbb ccc", 8)


def test_an_id_shows_what_it_was_made_of() -> None:
    assert made_id("ログインできません。").startswith("ログインできません-")
    assert 6 == len(made_id("？"))


def test_an_id_does_not_depend_on_width_case_and_space() -> None:
    assert made_id(" Ｌｏｇｉｎ　できますか？") == made_id("login できますか?\n")


@given(st.sets(st.text(alphabet="abあ+#?", min_size=1, max_size=6), max_size=40))
def test_other_texts_have_other_ids(texts: set[str]) -> None:
    assert len(texts) == len({made_id(text) for text in texts})


@given(st.lists(st.sampled_from(["a", "a-2", "a-2-2", "b"]), max_size=12))
def test_numbered_names_are_unique_and_the_first_is_itself(names: list[str]) -> None:
    numbered = Numbered()
    found = [numbered(name) for name in names]
    assert len(found) == len(set(found))
    assert [] == [f for n, f in zip(names, found, strict=True) if not f.startswith(n)]
    assert names[:1] == found[:1]


def test_names_are_numbered_in_their_order() -> None:
    numbered = Numbered()
    assert ["a", "a-2", "a-3", "b"] == [numbered(name) for name in ("a", "a", "a", "b")]
