"""What an English need is about: its first noun phrase, fit to stand in a sentence."""

import pytest

from simulator.users.agenda.en.matter import mention, noun_phrase


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I want to know whether there is a time limit.", "a time limit"),
        ("I want to change the e-mail address on my account", "the e-mail address"),
        ("I want to know when the new card will be used.", "the new card"),
        ("I want my ten-year-old daughter to be able to use it.", "my ten-year-old daughter"),
        ("I want this charge stopped.", "this charge"),
        ("I want my account back.", "my account"),
        ("I want the extra money back.", "the extra money"),
        ("I want to know what the Family plan costs.", "the Family plan"),
        ("I want to get rid of Your app", "your app"),
        ("Somebody changed my password without asking", "my password"),
    ],
)
def test_it_is_the_noun_with_its_article_and_no_verb(text: str, expected: str) -> None:
    assert expected == noun_phrase(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My photos show the wrong date", "the wrong date"),
        ("Can my company get a plan for 20 employees?", "a plan"),
        ("It is broken. My phone rings", ""),
    ],
)
def test_a_subject_is_passed_over(text: str, expected: str) -> None:
    assert expected == noun_phrase(text)


@pytest.mark.parametrize(
    "text",
    [
        "I want to know why I was billed twice.",
        "I want to know by when I have to do it.",
        "I am sick of this.",
        "I want it to be the same",
        "a",
        "",
    ],
)
def test_without_an_article_there_is_none(text: str) -> None:
    assert "" == noun_phrase(text)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("whether there is a time limit", "whether there is a time limit"),
        ("by when I have to do it", "when I have to do it"),
        ("the rules for a new password", "the rules for a new password"),
        ("cancel my paid plan", "how to cancel my paid plan"),
        ("withdraw", "how to withdraw"),
    ],
)
def test_a_clause_is_mentioned_as_it_stands_and_an_act_by_how_to_do_it(
    wanted: str, expected: str
) -> None:
    assert expected == mention(wanted)
