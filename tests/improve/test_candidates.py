"""What is tried for a fault, in which order, and in whose words."""

from pathlib import Path

import pytest

from simulator.files.client.folder import load_client
from simulator.improve.candidates import Candidates, Case
from simulator.improve.matter import Matter
from simulator.view.faults import Failure, FaultList, Remedy

_NAMES = ("+++", "---")
RULES = {
    "bullets": "# Rules\n\n- Be kind.\n- Never discuss accidents, injuries or refunds.\n",
    "numbers": "1. Be kind.\n2. Refunds are off limits: refer customers to the shop.\n",
    "prose": "Be kind. Do not talk about refunds with anybody.\n",
}


def client(tmp_path: Path, faq: str, rules: str = "") -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "faq.csv").write_text(f"id,title,content\n{faq}", "utf-8")
    (folder / "client.yaml").write_text(
        "language: en\ntarget: {kind: demo}\nknowledge: faq.csv\n", "utf-8"
    )
    (folder / "scenarios.yaml").write_text("- {id: a, query: How much is delivery?}\n", "utf-8")
    if rules:
        (folder / "guidelines.md").write_text(rules, "utf-8")
    return folder


def tried(folder: Path, matter: Matter, came: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Why and what, of each candidate that changes something."""
    failure = Failure("a/calm/1", "a", 1, f"Hi! {matter.asked}", matter.wrong[0], "", ())
    fault = FaultList(Remedy.LOOK, "undetermined", "a", True, "title", (failure,), ())
    candidates = Candidates(load_client(str(folder), cwd=folder.parent), {})
    case = candidates.likely(Case(fault, matter, came, "Sato"))
    proposals = candidates.candidates(case)
    both = [(proposal.why, proposal.diff(proposal.texts)) for proposal in proposals]
    return [(why, diff) for why, diff in both if diff]


def delivery(wrong: str = "Delivery costs £7.") -> Matter:
    return Matter("How much is delivery?", "Delivery costs £5.", (wrong,), "en")


def test_a_wrong_figure_is_put_right_first(tmp_path: Path) -> None:
    folder = client(tmp_path, "q1,Delivery,Delivery costs £7. It takes 2 days.\n")
    why, diff = tried(folder, delivery(), ("q1",))[0]
    assert why == "corrected"
    assert "+q1,Delivery,Delivery costs £5. It takes 2 days." in diff


def test_a_twin_goes_where_another_entry_is_right(tmp_path: Path) -> None:
    faq = "q1,Delivery,Delivery costs £7.\nq2,Delivery prices,Delivery costs £5.\n"
    why, diff = tried(client(tmp_path, faq), delivery(), ("q1", "q2"))[0]
    assert why == "deleted"
    assert "-q1,Delivery,Delivery costs £7." in diff
    assert "-q2" not in diff


def test_the_twin_gives_its_title_to_the_entry_that_is_right(tmp_path: Path) -> None:
    faq = "q1,Delivery,Delivery costs £7.\nq2,Post,Delivery costs £5.\n"
    changes = tried(client(tmp_path, faq), delivery(), ("q1", "q2"))
    merged = [diff for why, diff in changes if why == "deleted"][1]
    assert "+q2,Post – Delivery,Delivery costs £5." in merged
    assert "-q1,Delivery,Delivery costs £7." in merged


def test_a_figure_is_put_right_wherever_it_stands(tmp_path: Path) -> None:
    faq = "q1,Delivery,Delivery costs £7.\nq2,Delivery prices,Our delivery costs £7.\n"
    changes = tried(client(tmp_path, faq), delivery(), ("q1",))
    assert any(
        "+q1,Delivery,Delivery costs £5." in diff
        and "+q2,Delivery prices,Our delivery costs £5." in diff
        for _, diff in changes
    )


def test_an_entry_that_is_not_found_gets_the_question_without_filler(tmp_path: Path) -> None:
    faq = "q1,Post,Delivery costs £5.\nq2,Hours,We open at 9.\n"
    changes = tried(client(tmp_path, faq), delivery("We open at 9."), ("q2",))
    titles = [diff for why, diff in changes if why == "retitled"]
    assert "+q1,Post – How much is delivery,Delivery costs £5." in titles[0]
    assert not any("Hi!" in diff for _, diff in changes)


def test_what_no_entry_says_is_added(tmp_path: Path) -> None:
    changes = tried(client(tmp_path, "q2,Hours,We open at 9.\n"), delivery("We open at 9."))
    assert ("added", True) in [(why, "+q3,How much is delivery," in d) for why, d in changes]


@pytest.mark.parametrize("kind", RULES)
def test_a_guideline_gets_an_exception_in_its_own_line(tmp_path: Path, kind: str) -> None:
    folder = client(tmp_path, "q1,Refunds,Refunds take 5 days.\n", RULES[kind])
    wrong = "I am sorry, I cannot answer that here."
    matter = Matter("How long do refunds take?", "Refunds take 5 days.", (wrong,), "en")
    why, diff = tried(folder, matter, ("q1",))[0]
    assert why == "narrowed"
    minus, plus = (
        [line for line in diff.splitlines() if line.startswith(sign) and sign * 3 not in line]
        for sign in "-+"
    )
    assert len(minus) == len(plus) == 1


INLINE = """# always
guidelines:
  - Be kind.
  - "Decline questions about refunds or insurance"
max_turns: 1
"""


def test_guidelines_in_client_yaml_are_changed_there(tmp_path: Path) -> None:
    folder = client(tmp_path, "q1,Refunds,Refunds take 5 days.\n")
    with (folder / "client.yaml").open("a", encoding="utf-8") as file:
        file.write(INLINE)
    wrong = "I am sorry, I cannot answer that here."
    matter = Matter("How long do refunds take?", "Refunds take 5 days.", (wrong,), "en")
    why, diff = tried(folder, matter, ("q1",))[0]
    assert why == "narrowed"
    changed = [line for line in diff.splitlines() if line[0] in "+-" and line[:3] not in _NAMES]
    assert len(changed) == 2, diff
    assert '-  - "Decline questions about refunds or insurance"' == changed[0]
    assert "insurance" in changed[1]
    refused = Matter("What taxes do I pay?", "I cannot answer questions about taxes.", ("x",), "en")
    _, diff = tried(folder, refused)[0]
    assert [line for line in diff.splitlines() if line.startswith("+  -")], diff
    assert "# always" in diff


def test_the_narrowest_exception_is_tried_first(tmp_path: Path) -> None:
    faq = "q1,Papers for your licence,Insurance of £2 m is needed.\nq2,Boats,We have boats.\n"
    folder = client(tmp_path, faq, "- Decline questions about insurance\n")
    asked = "What insurance do I need for the licence of my boat?"
    refusal = ("I am sorry, I cannot answer that.",)
    matter = Matter(asked, "Insurance of £2 m is needed.", refusal, "en")
    lines = [
        next(line for line in diff.splitlines() if line.startswith("+-"))
        for why, diff in tried(folder, matter, ("q1",))
        if why == "narrowed"
    ]
    first = "+- Decline questions about insurance. However, you may answer questions about licence."
    assert first == lines[0]
    assert not any(" or boat" in line for line in lines)  # of which another entry speaks


def test_a_guideline_more_keeps_the_manner_of_the_file(tmp_path: Path) -> None:
    folder = client(tmp_path, "q1,Refunds,Refunds take 5 days.\n", RULES["numbers"])
    right = "I am sorry, I cannot answer questions about taxes. Please call 020 7946 0111."
    matter = Matter("What taxes do I pay?", right, ("Refunds take 5 days.",), "en")
    why, diff = tried(folder, matter)[0]
    assert why == "guideline"
    assert "+3. Do not answer questions about taxes. Say instead:" in diff


def test_a_bot_that_uses_the_right_entry_wrongly_needs_an_engineer(tmp_path: Path) -> None:
    folder = client(tmp_path, "q1,Delivery,Delivery costs £5.\n")
    assert not tried(folder, delivery("Delivery co"), ("q1",))
