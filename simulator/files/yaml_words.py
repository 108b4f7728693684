"""What a YAML parser's error means to the person who wrote the file."""

import yaml

# (what the parser says, what is wrong and what would be right), in libyaml's and PyYAML's words.
_PLAIN = {
    "mapping values are not allowed": (
        'a ":" stands where none can be; put the text in quotes, or mend the indentation'
    ),
    "entries are not allowed": (
        'a "-" stands where no list can begin; begin the list on a line of its own'
    ),
    "could not find expected ':'": (
        'this line is neither a "key: value" nor part of a text; '
        'add the ":", or put the whole text in quotes'
    ),
    "cannot start any token": (
        "a text cannot begin with a tab, @, ` or %; put it in quotes, and indent with spaces"
    ),
    "unexpected end of stream": "a quote opens here and never closes; close it",
    "unknown escape character": "an unknown \\ in double quotes; write \\\\, or use single quotes",
    "character escape code": "an impossible \\u in double quotes; write the character itself",
    "expected ',' or ']'": 'a list opens with "[" here and is not closed; add "," or "]"',
    "expected ',' or '}'": 'a mapping opens with "{" here and is not closed; add "," or "}"',
    "node content": (
        "a value is missing, or a bracket is not closed; write it, or close the bracket"
    ),
    "while parsing a block collection": 'a list goes on without "-"; mend the indentation',
    "while parsing a block mapping": (
        "the indentation or the quotes do not fit; indent all keys alike, "
        "and put a text that holds quotes in quotes of the other kind"
    ),
}
# Where the parser noticed is the end of the file; people need the place where it opened.
_OPENED = ("unexpected end of stream", "expected ',' or", "could not find expected")


def in_plain_words(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    """The line (from 0) and a complaint for something that is not YAML."""
    said = f"{error.problem or ''} {error.context or ''}".strip()
    mark = error.problem_mark
    if any(words in said for words in _OPENED):
        mark = error.context_mark or mark
    plain = next((words for key, words in _PLAIN.items() if key in said), None)
    return (mark.line if mark else 0), plain or f"this is not YAML ({said}); mend it"
