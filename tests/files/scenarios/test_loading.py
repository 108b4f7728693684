import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.bounds import MAX_EXPECTED, MAX_UTTERANCE, MAX_WAYS
from simulator.core.errors import InputError
from simulator.core.scenario import Approval, Expected, Quote, Scenario
from simulator.core.talk import Document, entry_names
from simulator.files.scenarios.expected import NAMES
from simulator.files.scenarios.loading import Known, load_scenarios
from tests.expecting import expecting
from tests.formats.written import complaints, unclear, write
from tests.formats.xlsx.written import row, text, workbook, worksheet

WHOLE = Scenario(
    id="login",
    query="ログインできません",
    goal="ログインする",
    known=("昨日から", "007"),
    unknown=("登録日",),
    turns=("次は？",),
    expected=expecting(
        "再設定する", ("再設定", "24"), ("faq-1",), answerable=True, must_not=("48", "有料")
    ),
    personas=("angry",),
    tags=("account",),
)
YAML = """\
- id: login
  query: ログインできません
  goal: ログインする
  known: [昨日から, 007]
  unknown:
    - 登録日
  turns: [次は？]
  expected:
    answer: 再設定する
    elements: [再設定, 24]
    must_not: [48, 有料]
    documents: [faq-1]
    answerable: true
    escalate: false
  personas: [angry]
  tags: [account]
"""
NAMED = "scenarios.yaml, scenarios.csv, scenarios.xlsx, scenarios.json or test_cases.json"
HEADER = (
    "id,query,goal,known,unknown,turns,expected.answer,expected.elements,expected.documents,"
    "expected.must_not,"
    "expected.answerable,expected.escalate,personas,tags\n"
)
CSV = HEADER + (
    "login,ログインできません,ログインする,昨日から | 007,登録日,次は？,再設定する,"
    "再設定|24|,faq-1,48|有料,はい,no,angry,account\n"
)


XLSX = workbook(
    {
        "x": worksheet(
            *(row(n, *map(text, r)) for n, r in enumerate(csv.reader(CSV.splitlines()), 1))
        )
    }
)


def _load(folder: Path, known: Known | None = None) -> dict[str, Scenario]:
    return load_scenarios(folder, known, cwd=folder)


def _yaml(folder: Path, text: str, known: Known | None = None) -> dict[str, Scenario]:
    return _load(write(folder, {"scenarios.yaml": text}), known)


@pytest.mark.parametrize(
    "files",
    [
        {"scenarios.yaml": YAML},
        {"scenarios.csv": CSV},
        {"scenarios.csv": CSV.replace("\n", "\r\n").encode("cp932")},
        {"scenarios.csv": "\ufeff" + CSV},
        {"scenarios.csv": CSV.replace(",", "\t").encode("utf-16")},
        {"scenarios.xlsx": XLSX},
    ],
)
def test_every_key_can_be_written(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    assert {"login": WHOLE} == _load(write(tmp_path, files))


def test_an_id_and_a_query_are_enough(tmp_path: Path) -> None:
    assert {"a": Scenario("a", "b")} == _yaml(tmp_path, "- {id: a, query: b}")
    assert {"1": Scenario("1", "2")} == _yaml(tmp_path, "- id: 1\n  query: 2\n  expected:\n")


def test_the_order_is_that_of_the_file(tmp_path: Path) -> None:
    text = "".join(f"- {{id: s{n}, query: x}}\n" for n in (3, 1, 2))
    assert ["s3", "s1", "s2"] == list(_yaml(tmp_path, text))


def test_every_complaint_about_every_scenario_comes_at_once(tmp_path: Path) -> None:
    text = """\
- id: a
  query: ""
- id: b
  querry: x
- text
- id: c
  query: x
  expected: {answerable: yes, documents: [faq-2]}
- id: a
  query: x
  expected: {documents: [faq-2, faq-1]}
  personas: [clam]
"""
    keys = "id, query, goal, known, unknown, turns, expected, personas, tags"
    known = Known(personas={"calm"}, documents={"faq-1": "faq-1"})
    assert [
        "scenarios.yaml:2: query is empty; write some text",
        "scenarios.yaml:3: query is missing; write what the user asks first",
        f'scenarios.yaml:4: unknown key "querry"; did you mean query? choose from: {keys}',
        (
            'scenarios.yaml:5: an entry: "text" is not a mapping ("key: value"); '
            "write one key: value a line"
        ),
        'scenarios.yaml:8: expected.answerable: "yes" is not true or false; write true or false',
        (
            'scenarios.yaml:8: the knowledge has no document "faq-2"; '
            "did you mean faq-1? choose from: faq-1"
        ),
        'scenarios.yaml:9: the ID "a" is already on line 1; IDs must be unique',
        (
            'scenarios.yaml:11: the knowledge has no document "faq-2"; '
            "did you mean faq-1? choose from: faq-1"
        ),
        (
            'scenarios.yaml:12: the client has no persona "clam"; did you mean calm? '
            "choose from: calm"
        ),
    ] == complaints(lambda: _yaml(tmp_path, text, known))


def test_what_is_expected_at_more_length_than_is_read_is_told(tmp_path: Path) -> None:
    long, many = "x" * (MAX_EXPECTED + 1), [f"e{n}" for n in range(MAX_WAYS + 1)]
    text = f"""\
- {{id: a, query: x, expected: {{answer: {long}}}}}
- {{id: b, query: x, expected: {{elements: [[fine, {long}]]}}}}
- {{id: c, query: x, expected: {{elements: {many}}}}}
- {{id: d, query: x, expected: {{answer: {long[1:]}, elements: {many[1:]}}}}}
"""
    assert [
        (
            "scenarios.yaml:1: expected.answer: a text of 8,001 characters; the maximum is "
            "8,000; write what the answer must say as elements"
        ),
        (
            "scenarios.yaml:2: expected.elements: a text of 8,001 characters; the maximum is "
            "8,000; write what the answer must say, in a sentence or a few words"
        ),
        (
            "scenarios.yaml:3: expected.elements: 201 texts; the maximum is 200; split it into "
            "several scenarios"
        ),
    ] == complaints(lambda: _yaml(tmp_path, text))


def test_what_cannot_be_answered_has_no_elements_to_hold(tmp_path: Path) -> None:
    text = """\
- {id: a, query: x, expected: {answerable: false, elements: [5]}}
- {id: b, query: x, expected: {answerable: false, answer: I do not know.}}
- {id: c, query: x, expected: {answerable: true, elements: [5]}}
- {id: d, query: x, expected: {elements: [5]}}
"""
    assert [
        (
            "scenarios.yaml:1: expected.elements: the question can't be answered "
            "(expected.answerable), so no answer can contain these; remove one of the two "
            "(put what a refusal must say in the guidelines)"
        )
    ] == complaints(lambda: _yaml(tmp_path, text))


def _split(first: str, second: str) -> str:
    return f'"{first}" and "{second}" look like one number split at its comma; '


@pytest.mark.parametrize(
    ("written", "first", "second"),
    [
        ("known: [大阪, 合計4,000円くらい]", "合計4", "000円くらい"),
        ("unknown: [12,345]", "12", "345"),
        ("turns: [is it $1,480?]", "is it $1", "480?"),
        ("expected: {elements: [月額1,480円, 無料]}", "月額1", "480円"),
        ("known: [1,480,000円]", "1", "480"),
    ],
)
def test_a_number_that_yaml_splits_at_its_comma_is_complained_of(
    tmp_path: Path, written: str, first: str, second: str
) -> None:
    text = f"- id: a\n  query: b\n  {written}\n"
    wanted = f"scenarios.yaml:3: {_split(first, second)}put quotes around the text"
    assert [wanted] == complaints(lambda: _yaml(tmp_path, text))


def test_each_split_number_has_its_complaint_among_the_others(tmp_path: Path) -> None:
    text = "- id: a\n  known: [1,000,\n    x, y2,000z]\n"
    assert [
        "scenarios.yaml:1: query is missing; write what the user asks first",
        f"scenarios.yaml:2: {_split('1', '000')}put quotes around the text",
        f"scenarios.yaml:3: {_split('y2', '000z')}put quotes around the text",
    ] == complaints(lambda: _yaml(tmp_path, text))


@pytest.mark.parametrize(
    "written",
    [
        'known: ["合計4,000円"]',
        'known: ["4","000円"]',
        "known: [30, 100]",
        "known: [4,00円]",
        "known: [4,0000円]",
        "known: [2026,100円]",
        "known: [a,b4,x000]",
        "known:\n    - 4\n    - 000円",
        "known:\n    - 合計4,000円",
        "tags: [1,480]",
    ],
)
def test_what_is_no_split_number_is_taken_as_it_stands(tmp_path: Path, written: str) -> None:
    assert "a" in _yaml(tmp_path, f"- id: a\n  query: b\n  {written}\n")


def test_a_table_has_no_commas_to_split_at(tmp_path: Path) -> None:
    text = 'id,query,known\na,b,"合計4,000円|4|000円"\n'
    known = ("合計4,000円", "4", "000円")
    assert known == _load(write(tmp_path, {"scenarios.csv": text}))["a"].known


def test_names_are_not_checked_where_none_are_at_hand(tmp_path: Path) -> None:
    text = "- {id: a, query: b, personas: [x], expected: {documents: [y]}}"
    assert ("x",) == _yaml(tmp_path, text)["a"].personas
    assert ("x",) == _yaml(tmp_path, text, Known(documents={"y": "y"}))["a"].personas


def test_an_entry_of_a_folder_may_be_called_by_its_file(tmp_path: Path) -> None:
    ids = ["fees.md#fees", "gas/radon.txt", "rooms.md#hall", "rooms.md#lab"]
    known = Known(documents=entry_names(Document("", name) for name in ids))
    named = "fees, fees.md, fees.md#fees, gas/radon, gas/radon.txt"
    text = f"- {{id: a, query: b, expected: {{documents: [{named}]}}}}"
    expected = _yaml(tmp_path, text, known)["a"].expected
    assert (*["fees.md#fees"] * 3, *["gas/radon.txt"] * 2) == expected.documents
    several = "- {id: a, query: b, expected: {documents: [rooms.md]}}"
    assert ['no document "rooms.md"; did you mean rooms.md#lab'] == [
        text.partition("knowledge has ")[2].partition("?")[0]
        for text in complaints(lambda: _yaml(tmp_path, several, known))
    ]


def test_the_same_id_in_two_spellings_of_a_number_is_two_ids(tmp_path: Path) -> None:
    assert ["1", "01"] == list(_yaml(tmp_path, "- {id: 1, query: a}\n- {id: 01, query: a}"))
    assert ['scenarios.yaml:2: the ID "01" is already on line 1; IDs must be unique'] == (
        complaints(lambda: _yaml(tmp_path, "- {id: '01', query: a}\n- {id: 01, query: a}"))
    )


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({}, f"no {NAMED}; write one of them"),
        (
            {"scenarios.yml": YAML},
            (
                f"no {NAMED}; rename scenarios.yml, "
                'or name it in client.yaml ("scenarios: scenarios.yml")'
            ),
        ),
        ({"faq.csv": "質問,回答\n送料は,無料\n"}, f"no {NAMED}; write one of them"),
        (
            {"faq.csv": "質問,回答\n送料は,無料\n", "テスト.csv": CSV},
            f'no {NAMED}; rename テスト.csv, or name it in client.yaml ("scenarios: テスト.csv")',
        ),
        (
            {"scenarios.yaml": YAML, "scenarios.csv": CSV},
            (
                "both scenarios.yaml and scenarios.csv are there; "
                "keep one of them, or name it in client.yaml"
            ),
        ),
        (
            {"scenarios.yaml": YAML, "scenarios.csv": CSV, "test_cases.json": "[]"},
            (
                "scenarios.yaml and scenarios.csv and test_cases.json are there; "
                "keep one of them, or name it in client.yaml"
            ),
        ),
    ],
)
def test_there_has_to_be_one_file(
    tmp_path: Path, files: dict[str, str | bytes], complaint: str
) -> None:
    write(tmp_path, files)
    assert [f"{tmp_path.name}: {complaint}"] == complaints(
        lambda: load_scenarios(tmp_path, cwd=tmp_path.parent)
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "scenarios.yaml: empty file; write its contents"),
        ("[]", "scenarios.yaml: there are no scenarios; add at least one"),
        ("a: b", 'scenarios.yaml:1: this must be a list; begin each scenario with "- id: …"'),
    ],
)
def test_an_empty_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    assert [complaint] == complaints(lambda: _yaml(tmp_path, text))


def test_thousands_of_scenarios_are_checked_against_thousands_of_names(tmp_path: Path) -> None:
    text = HEADER + "".join(f"s{n},query{',' * 6},doc-{n}{',' * 4}\n" for n in range(3_000))
    known = Known(documents={name: name for name in (f"doc-{n}" for n in range(2_999))})
    write(tmp_path, {"scenarios.csv": text})
    assert [
        (
            'scenarios.csv:3001: the knowledge has no document "doc-2999"; '
            "did you mean doc-299? there are 2999 to choose from"
        )
    ] == complaints(lambda: _load(tmp_path, known))


def test_what_there_is_instead_of_many_names_is_told_once_by_an_example(tmp_path: Path) -> None:
    text = HEADER + "".join(f"s{n},query{',' * 6},q0{n}{',' * 4}\n" for n in range(3))
    known = Known(
        documents={name: name for name in (f"how-much-does-it-cost-{n}" for n in range(900))}
    )
    write(tmp_path, {"scenarios.csv": text})
    first, *others = complaints(lambda: _load(tmp_path, known))
    assert first.endswith('"q00"; there are 900 to choose from, such as how-much-does-it-cost-0')
    assert [
        f'scenarios.csv:{n + 2}: the knowledge has no document "q0{n}"' for n in (1, 2)
    ] == others


@given(content=st.binary(max_size=100))
@pytest.mark.parametrize("name", NAMES)
def test_any_bytes_are_read_or_complained_of(
    name: str, content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / name.replace(".", "-")
    write(folder, {name: content})
    assert [] == unclear(lambda: _load(folder))


def test_several_answers_are_right_and_an_element_may_have_alternatives(tmp_path: Path) -> None:
    (tmp_path / "scenarios.yaml").write_text(
        "- id: a\n  query: q\n  expected:\n    answer: [Six cents., $0.06 each.]\n"
        "    elements: [free, [6 cents, $0.06]]\n",
        "utf-8",
    )
    (found,) = load_scenarios(tmp_path).values()
    assert ("Six cents.", "$0.06 each.") == found.expected.answers
    assert "Six cents." == found.expected.answer
    assert (("free",), ("6 cents", "$0.06")) == found.expected.elements


@pytest.mark.parametrize(
    ("expected", "complaint"),
    [
        (
            "elements: [a, []]",
            "scenarios.yaml:3: an entry of expected.elements: a list is too short",
        ),
        ("elements: [a, [b, '']]", "scenarios.yaml:3: an entry of expected.elements is empty"),
        ("elements: [{a: 1}]", "scenarios.yaml:3: an entry of expected.elements"),
        ("answer: {a: 1}", "scenarios.yaml:3: expected.answer"),
        ("elements: [[4,000 yen, 5 yen]]", "look like one number split at its comma"),
    ],
)
def test_wrong_alternatives_are_told_with_their_line(
    tmp_path: Path, expected: str, complaint: str
) -> None:
    text = f"- id: a\n  query: q\n  expected: {{{expected}}}\n"
    (tmp_path / "scenarios.yaml").write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        load_scenarios(tmp_path, cwd=tmp_path)
    assert complaint in str(raised.value)


def test_the_hash_of_a_scenario_without_alternatives_is_what_it_was_before_there_were_any() -> None:
    found = Scenario("a", "q", expected=Expected(("x",), (("y",), ("z",)))).identity()
    assert {"answer": "x", "elements": ("y", "z")}.items() <= found["expected"].items()
    assert ["answer", "elements", "documents", "answerable", "escalate"] == [*found["expected"]]


def test_a_generated_expectation_says_who_confirmed_it_and_what_supports_it(tmp_path: Path) -> None:
    text = (
        "- {id: a, query: q, expected: {elements: [x], approved: false,"
        ' quotes: [{document: faq-1, text: "It is x."}]}}\n'
        "- {id: b, query: q, expected: {elements: [x], approved: bulk}}\n"
        "- {id: c, query: q, expected: {elements: [x], approved: true}}\n"
    )
    a, b, c = (scenario.expected for scenario in _yaml(tmp_path, text).values())
    assert (Approval.OPEN, Approval.BULK, Approval.CONFIRMED) == (
        a.approved,
        b.approved,
        c.approved,
    )
    assert (Quote("faq-1", "It is x."),) == a.quotes
    assert c.plain() == a.plain()


def test_a_table_says_the_same(tmp_path: Path) -> None:
    rows = "id,query,根拠,確認済み\na,q,faq-1: It is x.|f: y,いいえ\nb,q,,一括\n"
    a, b = (s.expected for s in _load(write(tmp_path, {"scenarios.csv": rows})).values())
    assert (Quote("faq-1", "It is x."), Quote("f", "y")) == a.quotes
    assert (Approval.OPEN, Approval.BULK) == (a.approved, b.approved)


def test_approved_is_one_of_three_words(tmp_path: Path) -> None:
    text = "- {id: a, query: q, expected: {elements: [x], approved: maybe}}\n"
    assert [
        'scenarios.yaml:1: expected.approved: no "maybe"; choose from: true, false, bulk'
    ] == complaints(lambda: _yaml(tmp_path, text))


def test_attack_a_query_without_end_is_told(tmp_path: Path) -> None:
    long = "x" * (MAX_UTTERANCE + 1)
    text = f"- {{id: a, query: {long}}}\n- {{id: b, query: q, goal: {long}, turns: [{long}]}}\n"
    right = "a text of 20,001 characters; the maximum is 20,000; write what a user says"
    assert [
        f"scenarios.yaml:1: query: {right}",
        f"scenarios.yaml:2: goal: {right}",
        f"scenarios.yaml:2: turns: {right}",
    ] == complaints(lambda: _yaml(tmp_path, text))


def test_an_id_that_is_no_name_is_told_beside_what_else_is_wrong(tmp_path: Path) -> None:
    known = Known(personas={"calm"})
    text = "- {id: {a: 1}, query: q, personas: [nobody]}\n"
    first, second = complaints(lambda: _yaml(tmp_path, text, known))
    assert first.startswith("scenarios.yaml:1: id: ")
    assert 'the client has no persona "nobody"' in second
