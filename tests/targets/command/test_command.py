"""A bot that is a program, in processes of its own: told, heard, and ended whatever it does."""

import ast
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import TargetError, TargetFault
from simulator.core.ports import Target
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.targets.command import Command, Per, Program, _next
from tests.targets.command.programs import ASKED, LOOP, Opened
from tests.targets.contract import LONG, PLAIN, Bot, Contract
from tests.targets.fakes import guarded, talk_of

# A bot of the contract: it notes in a file what it was asked and when it was done.
ACTS = r"""
while IFS= read -r line; do
  act=${line#*\"question\": \"}; act=${act%%\"*}
  echo "+$act" >> "$1/log"
  case $act in
    hang) sleep 30 ;;
    slow) sleep 0.1 ;;
    raise) printf 'ValueError: out of \000order\n' >&2; exit 1 ;;
  esac
  echo "-$act" >> "$1/log"
  cat "$1/$act.json"
done
"""


class _Noted(Bot):
    """What the bots in other processes have noted."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.log = folder / "log"

    @property
    def asked(self) -> list[str]:
        return [line[1:] for line in self._lines() if line.startswith("+")]

    @asked.setter
    def asked(self, value: list[str]) -> None: ...

    @property
    def most_at_once(self) -> int:
        at_once = [0]
        for line in self._lines():
            at_once.append(at_once[-1] + (1 if line.startswith("+") else -1))
        return max(at_once)

    @most_at_once.setter
    def most_at_once(self, value: int) -> None: ...

    def _lines(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []


class _Shell(Contract):
    per: Per

    @pytest.fixture
    def bot(self, tmp_path: Path) -> Bot:
        answers = {"plain": PLAIN, "slow": PLAIN, "long": LONG, "empty": " \u200b\n"}
        answers["surrogate"] = "a\ud800b\x00c\r\nd"
        for act, answer in answers.items():
            (tmp_path / f"{act}.json").write_text(json.dumps(answer) + "\n", "utf-8")
        return _Noted(tmp_path)

    @pytest.fixture
    async def target(self, bot: Bot, tmp_path: Path) -> AsyncIterator[Target]:
        target = Command(
            ("/bin/sh", "-c", ACTS, "bot", str(tmp_path)),
            tmp_path,
            Command.Settings(command="sh", per=self.per),
        )
        yield target
        await target.close()

    async def test_an_exception_is_a_failure_with_its_type_and_text(self, target: Target) -> None:
        said = await guarded(target).answer("raise", Talk("e"))
        assert isinstance(said, TargetFailure)
        assert (TargetFault.RAISED, "exit status 1: ValueError: out of order") == (
            said.fault,
            said.message,
        )


class TestPerTalk(_Shell):
    per = "talk"


class TestPerTurn(_Shell):
    per = "turn"


def _told(reply: Reply) -> tuple[int, dict[str, Any], str]:
    told: tuple[int, dict[str, Any], str] = ast.literal_eval(reply.text)
    return told


async def test_the_program_is_told_all_and_may_keep_the_talk(
    program: Opened, tmp_path: Path
) -> None:
    target = program(f"{LOOP}    print(json.dumps([n, asked, os.getcwd()].__repr__()))")
    n, first, folder = _told(await target.answer("円?", Talk("a")))
    asked = {"question": "円?", "history": [], "episode": first["episode"], "turn": 1}
    assert (0, asked, str(tmp_path)) == (n, first, folder)
    n, second, _ = _told(await target.answer("q", talk_of(("円?", "x"), episode="a")))
    asked = {**asked, "question": "q", "history": [["円?", "x"]], "turn": 2}
    assert (1, asked) == (n, second)
    assert 0 == _told(await target.answer("q", Talk("b")))[0]


@pytest.mark.parametrize("per", ["talk", "turn"])
async def test_a_talk_has_one_name_and_when_it_is_held_again_another(
    program: Opened, per: str
) -> None:
    target = program(f"{LOOP}    print(json.dumps(asked['episode']))", per=per)
    first = await target.answer("q", Talk("fees/calm/1"))
    assert first.text.startswith("fees-calm-1-")
    assert first == await target.answer("q", talk_of(("q", "a"), episode="fees/calm/1"))
    await target.leave("fees/calm/1")
    assert first != await target.answer("q", Talk("fees/calm/1"))


async def test_a_process_for_each_turn_begins_anew(program: Opened) -> None:
    target = program(f"{LOOP}    print(json.dumps(repr(n)))", per="turn")
    said = [await target.answer("q", Talk("a")) for _ in range(2)]
    assert [Reply("0"), Reply("0")] == said


async def test_documents_come_in_the_shapes_of_all_bots(program: Opened) -> None:
    answer = {"answer": "a", "documents": [{"id": "d1", "text": "t", "title": "T"}, "loose"]}
    target = program(f"{LOOP}    print({json.dumps(json.dumps(answer))})")
    documents = (Document("t", "d1", "T"), Document("loose"))
    assert Reply("a", documents) == await target.answer("q", Talk("a"))


async def test_a_history_of_messages_is_given_where_it_is_asked_for(program: Opened) -> None:
    target = program(f"{LOOP}    print(json.dumps(repr(asked['history'])))", history="messages")
    reply = await target.answer("q", talk_of(("a", "b")))
    told = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert repr(told) == reply.text


@pytest.mark.parametrize("per", ["talk", "turn"])
@pytest.mark.parametrize(
    ("text", "fault", "message"),
    [
        (
            "sys.stderr.write('one\\ntwo\\n'); sys.exit(3)",
            TargetFault.RAISED,
            "exit status 3: one\ntwo",
        ),
        ("os.kill(os.getpid(), 9)", TargetFault.RAISED, "killed by signal 9"),
        ("print('Ready!')", TargetFault.INVALID, "it wrote a line that isn't JSON: Ready!; write"),
        (f"{LOOP}    print('{{')", TargetFault.INVALID, "it wrote a line that isn't JSON: {; "),
        (f"{LOOP}    print(5)", TargetFault.INVALID, "it returned int (5) as its answer"),
        (f"{LOOP}    print('null')", TargetFault.EMPTY, "it answered with None"),
        (
            f"{LOOP}    os.write(1, '円\\n'.encode('cp932'))",
            TargetFault.INVALID,
            "it wrote a line that isn't UTF-8",
        ),
        ("raise ValueError('x')", TargetFault.RAISED, "exit status 1: Traceback (most recent"),
    ],
)
async def test_what_is_no_answer_is_said_with_what_it_wrote(
    program: Opened, per: str, text: str, fault: TargetFault, message: str
) -> None:
    with pytest.raises(TargetError) as caught:
        await program(text if LOOP in text else ASKED + text, per=per).answer("q", Talk("a"))
    assert fault == caught.value.fault
    assert message == str(caught.value)[: len(message)]


@pytest.mark.parametrize(
    ("per", "text", "fault", "message"),
    [
        ("turn", "pass", TargetFault.EMPTY, "it wrote nothing (exit status 0)"),
        ("turn", "print('1\\n2')", TargetFault.INVALID, "it wrote 2 lines, the second: 2; expec"),
        ("turn", "print('\"a\"'); sys.exit(2)", TargetFault.RAISED, "exit status 2"),
        (
            "talk",
            "pass",
            TargetFault.EXITED,
            "it ended instead of answering (exit status 0); a program that answers once is `per:",
        ),
        pytest.param(
            "talk",
            "os.close(1); time.sleep(30)",
            TargetFault.EXITED,
            "it closed its standard output instead of answering",
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_a_program_that_ends_or_says_too_much_is_told_what_is_right(
    program: Opened, per: str, text: str, fault: TargetFault, message: str
) -> None:
    with pytest.raises(TargetError) as caught:
        await program(text if LOOP in text else ASKED + text, per=per).answer("q", Talk("a"))
    assert fault == caught.value.fault
    assert message == str(caught.value)[: len(message)]


async def test_a_program_that_ended_before_it_was_asked_did_not_answer_earlier(
    tmp_path: Path,
) -> None:
    program = await Program.start([sys.executable, "-c", "pass"], tmp_path)
    await program.ended()
    with pytest.raises(
        TargetError, match=r"^it ended before it was asked \(exit status 0\); a pro"
    ):
        await _next(program, b"{}", has_answered=False)
    await program.stop()


async def test_a_program_that_was_quicker_than_its_question_has_answered(tmp_path: Path) -> None:
    program = await Program.start([sys.executable, "-c", "print('\"a\"')"], tmp_path)
    await program.ended()
    assert b'"a"' == await _next(program, b"{}", has_answered=False)
    await program.stop()


async def test_one_value_over_several_lines_is_one_answer_of_a_turn(program: Opened) -> None:
    target = program("print(json.dumps({'answer': 'a'}, indent=2))", per="turn")
    assert Reply("a") == await target.answer("q", Talk("a"))


async def test_an_answer_without_an_end_of_line_counts_when_the_program_ends(
    program: Opened,
) -> None:
    target = program(f"{ASKED}sys.stdout.write('\"a\"')")
    assert Reply("a") == await target.answer("q", Talk("a"))


async def test_blank_lines_say_nothing(program: Opened) -> None:
    target = program(f"{LOOP}    print('\\n\\n\"a\"\\n')")
    assert Reply("a") == await target.answer("q", Talk("a"))
    assert Reply("a") == await target.answer("q", talk_of(("q", "a"), episode="a"))


async def test_a_second_line_is_found_when_the_next_question_is_asked(program: Opened) -> None:
    target = program(f'{LOOP}    os.write(1, b\'"a"\\n"b"\\n\')')
    assert Reply("a") == await target.answer("q", Talk("a"))
    with pytest.raises(TargetError, match='an unexpected line: "b"; expected one'):
        await target.answer("q", talk_of(("q", "a"), episode="a"))


async def test_one_that_ended_after_its_answer_is_told_so(program: Opened) -> None:
    target = program(f"{ASKED}print('\"a\"')")
    assert Reply("a") == await target.answer("q", Talk("a"))
    # Whether its end or the question comes first, is the system's to say.
    with pytest.raises(TargetError, match=r"it ended (after|instead of) .*`per: turn`"):
        await target.answer("q", talk_of(("q", "a"), episode="a"))


async def test_a_program_that_hardly_reads_may_answer_a_long_question(program: Opened) -> None:
    target = program("os.read(0, 1); print('\"a\"'); time.sleep(600)")
    assert Reply("a") == await target.answer("q" * 1_000_000, Talk("a"))


async def test_much_on_standard_error_blocks_nothing_and_its_end_is_quoted(
    program: Opened,
) -> None:
    target = program(f"{ASKED}sys.stderr.write('x' * 1_000_000 + '\\n' + 'last\\n'); sys.exit(1)")
    with pytest.raises(TargetError) as caught:
        await target.answer("q", Talk("a"))
    assert str(caught.value).endswith("x\nlast")
    assert len(str(caught.value)) < 700


async def test_a_script_without_an_interpreter_is_told_what_it_lacks(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_bytes(b"\x00nothing to run")
    script.chmod(0o755)
    target = Command((str(script),), tmp_path, Command.Settings(command="./bot"))
    with pytest.raises(TargetError, match=r"can't be started: .*#!/bin/sh"):
        await target.answer("q", Talk("a"))


def test_the_mode_says_whether_the_bot_keeps_the_talk() -> None:
    kinds: list[Per] = ["talk", "turn"]
    settings = [Command.Settings(command="bot", per=per) for per in kinds]
    assert [True, False] == [Command.keeps_talk(one) for one in settings]
