"""`mogi generate` with a model on loopback: what comes of good ones, and what stays as it was."""

import csv
from pathlib import Path
from typing import Any

import pytest

from simulator.core.scenario import Approval, Quote
from simulator.files.scenarios.loading import load_scenarios
from tests.e2e.conftest import Mogi
from tests.e2e.shop import FAQ, FILE, queries, report, shop
from tests.generate import writers
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer


@pytest.fixture
def folder(tmp_path: Path, model: ChatServer) -> Path:
    model.answer = writers.good
    return shop(tmp_path, model)


def test_questions_are_written_checked_and_kept_with_all_that_a_run_needs(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    done = mogi("generate", "shop", "--per-entry", "2")
    assert (0, 6) == (done.status, model.count)  # a question and a check for each entry
    assert (
        "shop: faq.csv の資料 3 件から、新しいシナリオを 6 件作りました。全部で 6 件です\n"
        "呼び出し 6 回 · " in done.out
    )
    assert "mogi run shop --tag generated" in done.err
    assert f"client.yaml に次の行を書いてください:  scenarios: {FILE}（今の" in done.err
    first = load_scenarios(folder, file=folder / FILE)["faq-1-questions-1"]
    assert "送料はいくらですか（質問の10件目）について知りたい" == first.query
    assert "送料は500円です。5000円以上の注文は無料です。" == first.expected.answer
    sentences = ("送料は500円です。", "5000円以上の注文は無料です。")
    assert tuple((text,) for text in sentences) == first.expected.elements
    assert tuple(Quote("faq-1", text) for text in sentences) == first.expected.quotes
    assert Approval.OPEN is first.expected.approved
    assert (("faq-1",), True) == (first.expected.documents, first.expected.answerable)
    assert ("generated", "questions") == first.tags


def test_no_more_questions_may_be_written_than_are_asked_for(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    mogi("generate", "shop", "--per-entry", "2")
    forms = [str(r.body["response_format"]) for r in model.requests if not writers.is_check(r.body)]
    assert [True] * 3 == ["'maxItems': 2" in form for form in forms]
    assert not any("max_tokens" in asked.body for asked in model.requests)
    text = (folder / "client.yaml").read_text("utf-8").replace("mock,", "mock, max_tokens: 500,")
    (folder / "client.yaml").write_text(text, "utf-8")
    mogi("generate", "shop", "--per-entry", "2", "-o", "other.yaml")
    assert 200 + 2 * 900 == model.requests[-1].body["max_tokens"]  # a user's 500 were too few


def test_what_is_written_beyond_them_is_left_out(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    more = [f"送料の{n}件目について" for n in range(5)]
    model.answer = lambda body: (
        writers.good(body) if writers.is_check(body) else writers.drafts(more)
    )
    mogi("generate", "shop", "--limit", "1")
    assert more[:1] == queries(folder)


def test_an_endpoint_that_bears_no_length_of_lists_keeps_its_schema(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    said = "Invalid schema for response_format 'Drafts': 'maxItems' is not permitted."

    def answer(body: dict[str, Any]) -> Any:
        return Status(400, said) if "maxItems" in str(body) else writers.good(body)

    model.answer = answer
    done = mogi("generate", "shop", "--json")
    assert (0, 3, 1 + 6) == (done.status, done.json["new"], model.count)
    assert {"json_schema"} == {asked.body["response_format"]["type"] for asked in model.requests}


def test_the_result_runs_at_once(mogi: Mogi, folder: Path) -> None:
    mogi("generate", "shop", "--method", "title", "--method", "unanswerable", "--method", "persona")
    named = (folder / "client.yaml").read_text("utf-8") + f"scenarios: {FILE}\n"
    (folder / "client.yaml").write_text(named, "utf-8")
    again = mogi("generate", "shop", "--method", "title").err
    assert "client.yaml には、すでに書いてあります\n" in again
    assert "scenarios: " not in again
    assert 0 == mogi("check", "shop").status
    found = mogi("run", "shop", "--offline", "--json").json
    # 3 titles and 3 unanswerable questions by both personas, 6 each in one persona's words
    assert (0, 18) == (found["unfinished"], found["conversations"])
    assert found["metrics"]["answer_lexical"]["scored"] > 0
    assert found["metrics"]["retrieval_hit"]["mean"] == 1
    refusal = found["metrics"]["refusal"]  # a refusal beside a statement is left to a model
    assert refusal["scored"] + refusal["unscored"]["unread"] == found["turns"]


def test_a_second_run_has_nothing_to_do_and_pays_nothing(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    mogi("generate", "shop")
    text, calls = (folder / FILE).read_text("utf-8"), model.count
    again = mogi("generate", "shop", "--json").json
    assert (0, 3, 0) == (again["new"], again["scenarios"], again["calls"])
    assert (text, calls) == ((folder / FILE).read_text("utf-8"), model.count)


def test_what_people_changed_added_and_took_out_stays_so(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    mogi("generate", "shop")
    path = folder / FILE
    text = path.read_text("utf-8")
    head, one, _, three = text.split("\n- id: ")
    edited = one.replace("（質問の10件目）について知りたい", "って、いくら？ # so")
    mine = "# mine\n- id: mine\n  query: 自分で書いた質問\n"
    path.write_text(f"{head}\n- id: {edited}\n- id: {three}\n{mine}", "utf-8")
    more = FAQ + "faq-4,領収書はもらえますか,領収書はPDFで出します。\n"
    (folder / "faq.csv").write_text(more, "utf-8")
    model.count = 0
    found = mogi("generate", "shop", "--json").json
    assert (1, 1, 1, 2) == (found["new"], found["edited"], found["deleted"], model.count)
    scenarios = load_scenarios(folder, file=path)
    assert ["faq-1-questions-1", "faq-3-questions-1", "faq-4-questions-1", "mine"] == list(
        scenarios
    )
    kept = path.read_text("utf-8")
    assert edited in kept
    assert mine in kept
    assert ["edited", "deleted", "kept", "kept"] == [line["status"] for line in report(folder)]


def test_more_for_each_entry_asks_only_for_what_is_missing(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    mogi("generate", "shop")
    before = queries(folder)
    model.answer = lambda body: (
        writers.verdicts(body)
        if writers.is_check(body)
        else writers.drafts([f"{writers.titles(body)[0]}の二つめ"])
    )
    found = mogi("generate", "shop", "--per-entry", "2", "--json").json
    assert (3, 6) == (found["new"], found["scenarios"])
    asked = next(r for r in reversed(model.requests) if not writers.is_check(r.body))
    assert f"- {before[2]}" in asked.said
    assert set(before) < set(queries(folder))
    ids = list(load_scenarios(folder, file=folder / FILE))
    assert ["faq-1-questions-1", "faq-1-questions-2", "faq-2-questions-1"] == ids[:3]


def test_a_changed_entry_is_told_and_its_questions_are_kept(mogi: Mogi, folder: Path) -> None:
    mogi("generate", "shop")
    (folder / "faq.csv").write_text(FAQ.replace("500円", "600円"), "utf-8")
    again = mogi("generate", "shop")
    assert "from entries that have changed since then: 1 scenario" in again.err
    assert "500円" in (folder / FILE).read_text("utf-8")


def test_every_method_makes_its_scenarios(mogi: Mogi, folder: Path) -> None:
    methods = ("title", "paraphrase", "questions", "persona", "two-entries", "unanswerable")
    options = [word for method in methods for word in ("--method", method)]
    found = mogi("generate", "shop", *options, "--retries", "0", "--json").json
    assert set(methods) == set(found["methods"])
    scenarios = load_scenarios(folder, file=folder / FILE)
    pair = next(s for name, s in scenarios.items() if "two-entries" in name)
    assert ("faq-1", "faq-2") == pair.expected.documents
    assert 2 == pair.expected.answer.count("\n") + 1
    persona = next(s for name, s in scenarios.items() if "persona" in name)
    assert (("angry",), "送料はいくらですか") == (persona.personas, persona.goal)


def test_a_title_is_asked_about_once_and_has_its_facts(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    typed = ("generate", "shop", "--method", "title", "--model", "mock")
    assert 3 == mogi(*typed, "--dry-run", "--json").json["calls"]["lowest"]
    done = mogi(*typed, "--json").json
    assert (3, 3, 3) == (done["new"], done["calls"], model.count)
    first = load_scenarios(folder, file=folder / FILE)["faq-1-title-1"]
    assert ("送料はいくらですか", "送料は500円です。5000円以上の注文は無料です。") == (
        first.query,
        first.expected.answer,
    )
    assert ("5000円以上の注文は無料です。",) in first.expected.elements
    mogi("generate", "shop", "--method", "title", "-o", "free.yaml")  # the client's own model
    assert 3 == model.count


def test_a_fact_that_its_entry_does_not_support_is_in_the_report_with_the_reason(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    wrong = "送料は300円です。"
    model.answer = lambda body: writers.drafts(["?"], "送料は500円です。", wrong)
    typed = ("generate", "shop", "--method", "title", "--model", "mock")
    assert "除いた要素: 引用が資料にない 5 件\n" in mogi(*typed).out
    assert [{"text": wrong, "fault": "no_quote"}] == report(folder)[0]["dropped_facts"]
    again = mogi(*typed, "--json").json["methods"]["title"]
    assert {"no_quote": 5} == again["dropped_facts"]


def test_what_nothing_answers_is_expected_to_be_refused(mogi: Mogi, folder: Path) -> None:
    mogi("generate", "shop", "--method", "unanswerable")
    for scenario in load_scenarios(folder, file=folder / FILE).values():
        assert (False, (), "") == (
            scenario.expected.answerable,
            scenario.expected.documents,
            scenario.expected.answer,
        )


def test_the_evaluation_set_of_a_search_is_written(mogi: Mogi, folder: Path) -> None:
    options = ("--method", "title", "--method", "two-entries", "--method", "unanswerable")
    done = mogi("generate", "shop", *options, "--export-retrieval", "search")
    assert 0 == done.status, done.err
    place = folder.parents[1] / "search"
    rows = list(csv.reader((place / "queries.csv").read_text("utf-8").splitlines()))
    assert [["query", "id"], ["送料はいくらですか", "faq-1"]] == rows[:2]
    pairs = [row for row in rows if "と" in row[0]]
    assert {"faq-1", "faq-2"} <= {row[1] for row in pairs}
    entries = list(csv.DictReader((place / "faq.csv").read_text("utf-8").splitlines()))
    assert FAQ.splitlines()[1].split(",") == list(entries[0].values())
    assert f"{len(rows) - 1} 行" in done.out


def test_a_dry_run_calls_and_writes_nothing(
    mogi: Mogi, folder: Path, model: ChatServer, tmp_path: Path
) -> None:
    options = ("--per-entry", "2", "--checks", "3", "--dry-run")
    found: dict[str, Any] = mogi("generate", "shop", *options, "--json").json
    assert (3, 6) == (found["units"], found["questions"])
    assert {"lowest": 3, "highest": 63} == {k: found["calls"][k] for k in ("lowest", "highest")}
    assert "?" in mogi("generate", "shop", *options).out  # nobody knows the price
    assert (0, False) == (model.count, (folder / FILE).exists())
    assert not (tmp_path / "mogi.db").exists()
    mogi("generate", "shop", "--per-entry", "2", "--checks", "3")
    assert found["calls"]["lowest"] <= model.count <= found["calls"]["highest"]


def test_the_checks_are_repeated(mogi: Mogi, folder: Path, model: ChatServer) -> None:
    mogi("generate", "shop", "--checks", "3")
    assert 3 + 3 * 3 == model.count
    assert [3, 3, 3] == [line["checks"] for line in report(folder)]


def test_an_faq_of_another_kind_is_read_and_its_documents_found_by_their_text(
    mogi: Mogi, folder: Path, tmp_path: Path
) -> None:
    rows = [row.split(",") for row in FAQ.splitlines()[1:]]
    lines = [
        "質問,回答",
        *(f"{title},{content}" for _, title, content in rows),
        "新しい話,新しい答え。",
    ]
    (tmp_path / "faq_sjis.csv").write_bytes("\n".join(lines).encode("cp932"))
    done = mogi("generate", "shop", "--faq", "faq_sjis.csv", "--method", "title")
    assert "not in the client's knowledge: 1 entry" in done.err
    scenarios = list(load_scenarios(folder, file=folder / FILE).values())
    assert [("faq-1",), ("faq-2",), ("faq-3",), ()] == [s.expected.documents for s in scenarios]
    named = (folder / "client.yaml").read_text("utf-8") + f"scenarios: {FILE}\n"
    (folder / "client.yaml").write_text(named, "utf-8")
    assert 0 == mogi("check", "shop").status


def test_a_limit_draws_entries_and_a_higher_one_goes_on(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    first = mogi("generate", "shop", "--limit", "1", "--json").json
    assert (1, 2) == (first["new"], model.count)
    more = mogi("generate", "shop", "--limit", "2")
    assert (
        "shop: faq.csv の資料 3 件のうち 2 件から、新しいシナリオを 1 件作りました。全部で 2 件です"
        in more.out
    )
    assert 4 == model.count


def test_the_words_of_the_table_are_told_where_they_stand(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    assert "不採用率:" not in mogi("generate", "shop", "--limit", "1").out
    model.answer = lambda body: "?" if writers.is_check(body) else writers.written(body)
    done = mogi("generate", "shop", "--retries", "0", "--method", "paraphrase")
    assert "不採用率: 作った質問のうち、不採用にした割合" in done.out
    assert "確認できない: モデルによる確認の結果を読み取れなかったもの" in done.out
    assert "不足: 何度試しても作れなかった質問" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_a_client_that_does_not_name_the_file_yet_is_told_how(mogi: Mogi, folder: Path) -> None:
    mogi("generate", "shop", "--method", "title")
    checked = mogi("check", "shop")
    assert 2 == checked.status
    assert f'name it in client.yaml ("scenarios: {FILE}")' in checked.err


def test_what_looks_like_a_formula_is_guarded_in_the_evaluation_set(
    mogi: Mogi, folder: Path
) -> None:
    (folder / "faq.csv").write_text(
        "id,title,content\na,=1+1は何ですか,「=1+1」は2です。\n", "utf-8"
    )
    mogi("generate", "shop", "--method", "title", "--export-retrieval", "search")
    rows = (folder.parents[1] / "search" / "queries.csv").read_text("utf-8").splitlines()
    assert ["query,id", "'=1+1は何ですか,a"] == rows
