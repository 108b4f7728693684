"""The judge who likes everything: whatever forms there are, it fills them in."""

from tests.loopback.forms import filled_in


def test_words_ratings_and_truth_values_are_of_their_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "comment": {"type": "string"},
            "not_applicable": {"type": "boolean"},
            "rating": {"type": "integer", "enum": [1, 2, 3]},
            "share": {"type": "number"},
            "label": {"type": "string", "enum": ["yes", "no"]},
        },
    }
    expected = {
        "comment": "よい。",
        "not_applicable": False,
        "rating": 3,
        "share": 1.0,
        "label": "yes",
    }
    assert expected == filled_in(schema)


def test_a_list_goes_through_what_is_numbered_in_the_message() -> None:
    item = {"type": "object", "properties": {"number": {"type": "integer"}}}
    schema = {"type": "array", "items": item}
    shown = "[Elements]\n1. red\n2. blue 3. \n"
    assert [{"number": 1}, {"number": 2}] == filled_in(schema, shown)
    assert [{"number": 1}] == filled_in(schema, "nothing is numbered")
