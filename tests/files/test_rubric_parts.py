"""Scales, directions and worked examples of a rubric's file, and every way to get them wrong."""

from pathlib import Path
from typing import Any

import pytest

from simulator.core.health import YES_NO, Aspect, Example, Labels, Ratings, Rubric, Scale, Share
from simulator.files.rubrics import load_rubric
from simulator.formats.sources import Source
from tests.formats.written import complaints, write

ABOVE = """\
id: own
title: Manners
sees: [question, answer]
instruction: Look closely.
aspects:
  - name: manners
    title: Polite
    question: Is it polite?
"""
RIGHT = "{low: 1, high: 5}, share, yes/no or {labels: {solved: 1, partly: 0.5, open: 0}}"


def load(folder: Path, below: str, above: str = ABOVE) -> Rubric:
    """`below` begins on line 9, with the scale of the one aspect."""
    write(folder, {"own.yaml": above + below})
    return load_rubric(Source.of(folder / "own.yaml", folder), {"lexical": "lexical"})


def aspect(folder: Path, below: str) -> Aspect:
    return load(folder, below).aspects[0]


def wrong(folder: Path, below: str, above: str = ABOVE) -> list[str]:
    return [c.removeprefix("own.yaml:") for c in complaints(lambda: load(folder, below, above))]


@pytest.mark.parametrize(
    ("written", "scale"),
    [
        ("{low: 0, high: 10}", Ratings(0, 10)),
        ("share", Share()),
        ("yes/no", YES_NO),
        ("{labels: {ok: 1, so-so: 0.5, no: 0}}", Labels({"ok": 1, "so-so": 0.5, "no": 0})),
        ("{labels: {解決: 1, 未解決: 0}}", Labels({"解決": 1, "未解決": 0})),
    ],
)  # fmt: skip
def test_there_are_four_kinds_of_scales(tmp_path: Path, written: str, scale: Scale) -> None:
    assert scale == aspect(tmp_path, f"    scale: {written}\n").scale


@pytest.mark.parametrize(
    ("scale", "anchors", "read"),
    [
        ("{low: 0, high: 2}", "{0: bad, 2: good}", {0: "bad", 2: "good"}),
        ("share", "{0: none, 0.5: half, 1: all}", {0.0: "none", 0.5: "half", 1.0: "all"}),
        ("yes/no", "{yes: it is, no: it is not}", {"yes": "it is", "no": "it is not"}),
        ("{labels: {1st: 1, 2: 0.5}}", "{2: second}", {"2": "second"}),
    ],
)
def test_anchors_stand_for_answers_on_the_scale(
    tmp_path: Path, scale: str, anchors: str, read: dict[Any, str]
) -> None:
    found = aspect(tmp_path, f"    scale: {scale}\n    anchors: {anchors}\n")
    assert read == found.anchors
    assert list(map(type, read)) == list(map(type, found.anchors))


@pytest.mark.parametrize(
    ("below", "raw", "value"),
    [
        ("scale: {low: 1, high: 5}", 4, 0.8),
        ("scale: {low: 1, high: 5}\n    low_is_good: true", 1, 1.0),
        ("scale: {low: 1, high: 5}\n    low_is_good: true", 5, 0.2),
        ("scale: {low: 0, high: 10}\n    low_is_good: true", 10, 0.0),
        ("scale: share\n    low_is_good: true", 0.25, 0.75),
        ("scale: yes/no\n    low_is_good: true", "no", 1.0),
        ("scale: yes/no", "no", 0.0),
        ("scale: {labels: {solved: 1, partly: 0.3, open: 0}}", "partly", 0.3),
    ],
)
def test_low_may_be_good_and_raw_stays_as_it_was_said(
    tmp_path: Path, below: str, raw: Any, value: float
) -> None:
    found = aspect(tmp_path, f"    {below}\n")
    number = found.scale.raw(raw)
    assert value == pytest.approx(found.value(number))
    low, high = found.scale.ends
    assert low <= found.value(number) <= high


@pytest.mark.parametrize(
    ("below", "found"),
    [
        ("scale: stars", [f'9: aspects.scale: no scale "stars"; write {RIGHT}']),
        ("scale: 5", [f"9: aspects.scale: 5 isn't a scale; write {RIGHT}"]),
        ("scale:", [f"9: aspects.scale is empty; write {RIGHT}"]),
        ("anchors: {1: bad}", [f"6: aspects.scale is missing; write {RIGHT}"]),
        (
            "scale: {low: 1, hihg: 5}",
            [
                ('9: aspects.scale: unknown key "hihg"; did you mean high? choose from: low, high, '
                'labels')
            ],
        ),
        ("scale: {low: 1}", ["9: aspects.scale.high is missing; write the highest rating"]),
        (
            "scale: {low: -1, high: 1.5}",
            [
                "9: aspects.scale.high: 1.5 is not a whole number; write the highest rating",
                ("9: aspects.scale.low: -1 is too small; "
                "write the lowest rating, a whole number, 0 or more"),
            ],
        ),
        (
            "scale: {low: 0, high: 1000}",
            ["9: aspects.scale: 0 to 1000 has too many values; write share"],
        ),
        (
            "scale: {low: 1, high: 5, labels: {a: 1, b: 0}}",
            [f"9: aspects.scale: labels are a separate scale; write {RIGHT}"],
        ),
        (
            "scale: {labels: [solved, open]}",
            [
                ("9: aspects.scale.labels: there are no labels with values; "
                "write at least two, {solved: 1, open: 0}")
            ],
        ),
        (
            "scale:\n      labels:\n        solved:\n        open: 2\n        partly: half",
            [
                '11: the label "solved" has no value; write a number from 0 to 1',
                '12: the label "open" has the value 2; write a number from 0 to 1',
                '13: the label "partly" has the value "half"; write a number from 0 to 1',
            ],
        ),
        (
            "scale: {labels: {OK: 1, ok: 0}}",
            ['9: the label "ok" differs from another one only in case; rename one of them'],
        ),
        (
            "scale: {labels: {good: 0.5, bad: 0.5}}",
            ["9: aspects.scale.labels: all have the same value; give better ones a higher value"],
        ),
        (
            "scale: share\n    anchors: {2: a, half: b}",
            [
                "10: anchors: 2 is not on the scale; write a number from 0 to 1",
                "10: anchors: half is not on the scale; write a number from 0 to 1",
            ],
        ),
        (
            "scale: yes/no\n    anchors: {true: a}",
            ["10: anchors: true is not on the scale; write yes or no"],
        ),
        (
            "scale: {labels: {a: 1, b: 0}}\n    low_is_good: true",
            [
                ("10: low_is_good: labels have their own values; give the high value to "
                    "what's good")
            ],
        ),
        (
            "scale: share\n    right_if: unanswerable",
            ["10: right_if: the scale is different; write yes/no"],
        ),
        (
            "scale: yes/no\n    right_if: escalate\n    low_is_good: true",
            ["11: low_is_good: right_if decides that; remove it"],
        ),
        (
            "scale: yes/no\n    right_if: answerable",
            [
                ('10: aspects.right_if: no "answerable"; did you mean unanswerable? '
                "choose from: unanswerable, escalate")
            ],
        ),
    ],
)  # fmt: skip
def test_a_wrong_scale_is_explained(tmp_path: Path, below: str, found: list[str]) -> None:
    assert found == wrong(tmp_path, f"    {below}\n")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("comment", "is reserved for the judge's comments; rename it"),
        ("not_applicable", "is reserved for the judge's comments; rename it"),
        ("lexical", "is computed by the metric lexical; rename the aspect"),
    ],
)
def test_names_that_are_taken(tmp_path: Path, name: str, why: str) -> None:
    above = ABOVE.replace("manners", name)
    assert [f'6: "{name}" {why}'] == wrong(tmp_path, "    scale: share\n", above)


def test_a_rubric_is_not_called_like_a_computed_metric(tmp_path: Path) -> None:
    text = ABOVE.replace("id: own", "id: lexical") + "    scale: share\n"
    write(tmp_path, {"lexical.yaml": text})
    source = Source.of(tmp_path / "lexical.yaml", tmp_path)
    assert [
        'lexical.yaml:1: "lexical" is the name of a computed metric; rename the file and its id'
    ] == complaints(lambda: load_rubric(source, {"lexical": "lexical"}))


def test_what_is_seen_fits_the_scope(tmp_path: Path) -> None:
    above = ABOVE.replace("title: Manners", "title: Manners\nscope: talk\nneeds: [documents]")
    below = "    scale: yes/no\n    right_if: escalate\n"
    of_turn = "covers one turn, but scope is talk; write talk, which has all turns"
    assert [
        '4: needs: "documents" is missing in sees; add it',
        f'5: sees: "answer" {of_turn}',
        f'5: sees: "question" {of_turn}',
        "12: right_if is about one answer, but scope is talk; remove one of the two",
    ] == wrong(tmp_path, below, above)


EXAMPLES = """\
    scale: {low: 1, high: 5}
may_not_apply: The user only greets.
examples:
  - question: How?
    answer: So.
    comment: It is curt.
    rating: 2
  - question: Hello
    comment: A greeting.
    not_applicable: true
"""


def test_worked_examples_are_read(tmp_path: Path) -> None:
    found = load(tmp_path, EXAMPLES)
    assert "The user only greets." == found.may_not_apply
    assert (
        Example({"question": "How?", "answer": "So."}, "It is curt.", {"manners": 2}),
        Example({"question": "Hello"}, "A greeting.", {}),
    ) == found.examples
    same = load(tmp_path, EXAMPLES.replace("rating: 2", "ratings: {manners: 2}"))
    assert found.examples == same.examples


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("rating: 2", "rating: 6", [
            "15: ratings.manners: 6 is not on the scale; write a whole number from 1 to 5"]),
        ("rating: 2", "rating: 2.5", [
            "15: ratings.manners: 2.5 is not on the scale; write a whole number from 1 to 5"]),
        ("rating: 2", "rating: true", [
            "15: ratings.manners: true is not on the scale; write a whole number from 1 to 5"]),
        ("rating: 2", "ratings: {manner: 2}", [
            "12: an example lacks manners; write rating: …",
            '15: ratings: no aspect "manner"; did you mean manners? choose from: manners']),
        ("rating: 2", "ratings: {manners: }", [
            "15: ratings.manners: is empty; write a whole number from 1 to 5"]),
        ("    rating: 2\n", "", ["12: an example lacks manners; write rating: …"]),
        ("rating: 2", "rating: 2\n    ratings: {manners: 2}", [
            "15: rating: is only for rubrics with one aspect; write only ratings: {aspect: …}"]),
        ("answer: So.", "documents: So.", [
            ('13: an example has "documents", which isn\'t in the rubric\'s sees; '
            "choose from: question, answer")]),
        ("  - question: Hello\n    comment", "  - comment", [
            "16: an example is empty; write question and answer"]),
        ("    comment: A greeting.\n", "", [
            "16: examples.comment is missing; write what a good judge would say of it"]),
        ("may_not_apply: The user only greets.\n", "", [
            "17: the rubric always applies; add may_not_apply: and when it doesn't apply"]),
        ("not_applicable: true", "not_applicable: true\n    rating: 3", [
            "16: an example that doesn't apply can't have ratings; remove them"]),
        ("answer: So.", "anwser: So.", [
            ('13: examples: unknown key "anwser"; did you mean answer? choose from: persona, goal, '
            "documents, talk, question, answer, expected_answer, expected_elements, comment, "
            "rating, ratings, not_applicable")]),
    ],
)  # fmt: skip
def test_an_example_that_does_not_fit_is_explained(
    tmp_path: Path, old: str, new: str, found: list[str]
) -> None:
    assert old in EXAMPLES
    assert found == wrong(tmp_path, EXAMPLES.replace(old, new))


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    above = ABOVE.replace("id: own", "id: one").replace("title: Manners", "titel: Manners")
    below = EXAMPLES.replace("high: 5", "high: x").replace("comment: It", "coment: It")
    below = below.replace("question: Hello", "goal: Hello")
    assert [1, 1, 2, 9, 12, 14, 16] == [int(c.split(":")[0]) for c in wrong(tmp_path, below, above)]
