"""Names of reviewers that may be one person's, and the command that makes them one."""

import pytest

from simulator.worksheets.reviewers import near_names, rename_command


@pytest.mark.parametrize(
    ("names", "near"),
    [
        (["佐藤", "佐籐", "鈴木"], [("佐籐", "佐藤")]),
        (["Sato Hanako", "SatoHanako"], [("Sato Hanako", "SatoHanako")]),
        (["ＳＡＴＯ", "sato"], [("sato", "ＳＡＴＯ")]),
        (["Sato", "Saito", "Kato"], [("Kato", "Sato"), ("Saito", "Sato")]),
        (["森", "林", ""], []),
        (["佐藤花子", "花子佐藤"], []),
        (["さとう", "佐藤さん"], [("さとう", "佐藤さん")]),
        (["佐藤", "佐藤さん"], [("佐藤", "佐藤さん")]),
        (["さとう", "佐藤"], [("さとう", "佐藤")]),
        (["サトウ　ハナコ", "佐藤 花子"], [("サトウ　ハナコ", "佐藤 花子")]),
        (["森さん", "森"], [("森", "森さん")]),
        (["もり", "森様"], [("もり", "森様")]),
        (["Mr. Sato", "Sato"], [("Mr. Sato", "Sato")]),
        (["たなか", "佐藤"], []),
        (["伊東浩二", "伊藤孝司"], []),  # read alike, and written as two people write themselves
    ],
)
def test_names_are_near_by_width_case_spaces_address_reading_or_one_letter(
    names: list[str], near: list[tuple[str, str]]
) -> None:
    assert near == near_names(names)


@pytest.mark.parametrize(
    ("first", "other", "command"),
    [
        ("佐藤さん", "佐藤", "佐藤さん 佐藤"),
        ("佐藤", "佐藤さん", "佐藤さん 佐藤"),
        ("佐藤", "さとう", "さとう 佐藤"),
        ("佐籐", "佐藤", "佐籐 佐藤"),
        ("Sato H", "sato", "'Sato H' sato"),
    ],
)
def test_the_command_leads_to_the_plainer_name(first: str, other: str, command: str) -> None:
    assert f"mogi review rename {command}" == rename_command(first, other)
