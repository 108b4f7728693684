from pathlib import Path
from typing import Any

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import InputError
from simulator.core.plan import Cell
from simulator.core.talk import Reply, Talk
from simulator.execution.cast import Cast, Surroundings, judge_rubrics, make_cast, metric_infos
from simulator.execution.plan import LEXICAL, Options, make_plan
from simulator.files.catalog import Catalog
from simulator.files.client.folder import LoadedClient
from simulator.llm.accounts import Accounts
from simulator.targets._guard import TargetGuard
from tests.execution.clients import LEAST, client
from tests.targets.fakes import MemoryJournal

DEMO = "language: ja\ntarget: {kind: demo, timeout_s: 5}\nknowledge: faq.csv\npersonas: [calm]\n"
FAQ = {"faq.csv": "id,title,content\n1,送料,送料は500円です。\n"}
MODELS = 'user: {model: u, base_url: "http://127.0.0.1:9/v1"}\n'


class Bot:
    async def answer(self, question: str, talk: Talk) -> Reply:
        return Reply(f"to {question}")


def cast(loaded: LoadedClient, *, target: Any = None, **said: Any) -> Cast:
    plan = make_plan(loaded, Options(**said))
    accounts = Accounts(client=plan.client, journal=MemoryJournal(), halt=Halt())
    return make_cast(plan, Surroundings(loaded, accounts, "secret", target))


async def test_a_bot_that_is_given_stands_in_for_the_clients_own(tmp_path: Path) -> None:
    made = cast(client(tmp_path), target=Bot())
    said = await made.target.answer("送料は", Talk("e"))
    assert "to 送料は" == getattr(said, "text", said)


def test_a_bot_that_cannot_be_opened_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no module 'bot'"):
        cast(client(tmp_path))


def test_a_model_without_a_key_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no key for the model m"):
        cast(client(tmp_path), target=Bot(), model="m")


@pytest.mark.parametrize(("lines", "timeout_s"), [("", 5.0), (MODELS, None)])
def test_a_bot_that_a_model_words_keeps_the_models_deadline(
    tmp_path: Path, lines: str, timeout_s: float | None
) -> None:
    made = cast(client(tmp_path, lines, least=DEMO, files=FAQ))
    assert isinstance(made.target, TargetGuard)
    assert timeout_s == made.target.timeout_s


async def test_each_repeat_has_a_user_of_its_own_seed(tmp_path: Path) -> None:
    made = cast(client(tmp_path, "user: {kind: agenda, open: styled}\n"), target=Bot())
    opened = {
        (await made.speaker(Cell("shipping", "calm", n), ()).speak(Talk("e"))).text
        for n in range(1, 20)
    }
    again = (await made.speaker(Cell("shipping", "calm", 1), ()).speak(Talk("e"))).text
    assert len(opened) > 1
    assert again in opened


@pytest.mark.parametrize("language", ["ja", "en"])
async def test_only_those_with_slips_open_in_their_style_unless_the_client_says_how(
    tmp_path: Path, language: str
) -> None:
    least = f'language: {language}\ntarget: {{kind: function, function: "bot:answer"}}\n'
    query = "送料はいくらですか"

    async def styled(user: str) -> set[str]:
        names = Catalog(None, tmp_path).persona_ids("ja" if language == "ja" else "en")
        loaded = client(tmp_path, f"personas: [{', '.join(names)}]\n{user}", least=least)
        made = cast(loaded, target=Bot())
        cells = [Cell("shipping", name) for name in names]
        said = {cell.persona: await made.speaker(cell, ()).speak(Talk("e")) for cell in cells}
        return {name for name, first in said.items() if first.text != query}

    assert {"typos", "voice"} == await styled("")
    assert set() == await styled("user: {open: exact}\n")
    assert 10 < len(await styled("user: {open: styled}\n"))


async def test_a_user_of_rules_draws_anew_where_the_talk_is_held_again(tmp_path: Path) -> None:
    made = cast(client(tmp_path, "user: {kind: agenda, open: styled}\n"), target=Bot())
    said = {
        faults: {
            (await made.speaker(Cell("shipping", "calm", n), faults).speak(Talk("e"))).text
            for n in range(1, 4)
        }
        for faults in ((), ("echo",))
    }
    assert said[()] != said["echo",]


def test_the_metrics_are_known_before_anything_is_opened(tmp_path: Path) -> None:
    loaded = client(tmp_path, "metrics: [overall, retrieval_hit]\n" + MODELS)
    names = [info.name for info in metric_infos(make_plan(loaded, Options()), loaded)]
    checks = ["retrieval_hit", "elements_lexical", "answer_lexical", "refusal", "grounded"]
    assert [*checks, "understanding"] == names[:6]
    assert "overall" == names[-1]
    offline = metric_infos(make_plan(loaded, Options(offline=True)), loaded)
    assert list(LEXICAL) == [i.name for i in offline]


def test_without_a_judge_nothing_is_judged(tmp_path: Path) -> None:
    loaded = client(tmp_path, least=LEAST)
    assert () == judge_rubrics(make_plan(loaded, Options()), loaded).sections
    asked = judge_rubrics(make_plan(loaded, Options(model="m")), loaded).sections
    assert ["answer_quality", "claims"] == [section.id for section in asked]
