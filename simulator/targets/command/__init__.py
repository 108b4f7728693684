"""A bot that is a program in any language: a JSON line per turn in, a JSON line out."""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, field_validator

from simulator import config
from simulator.core.bounds import json_data
from simulator.core.clean import clean, cut
from simulator.core.concurrency import beside
from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.plan import Reached
from simulator.core.talk import Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._shapes import HistoryShape, as_reply, history_of, invalid, raised, talk_name
from simulator.targets.command.program import Program, arguments_of, command_words

Per = Literal["talk", "turn"]

_PATIENCE_S = 2.0  # for a program to leave by itself, once its input has ended
_SHOWN_LINES, _SHOWN_CHARACTERS = 5, 600


class Command:
    """A program in any language: it reads a JSON line per turn and writes one.

    It gets `{"question": …, "history": [[user, assistant], …], "episode": …, "turn": 1}` on its
    standard input (ASCII; everything else is escaped), and answers with one line of JSON in
    UTF-8 on its standard output: a text, or `{"answer": …, "documents": …}`. Documents are texts
    or `{"id", "text", "title"}`. Everything else belongs on standard error, whose last lines are
    quoted when it fails. It has to write its line out at once (flush).

    `episode` is a name for this talk, ASCII letters, digits and hyphens, which no other talk has
    had, of this run or another: programs may keep what was said under it.

    `per: talk`, the default, starts one process for each talk and ends it by ending its input: the
    program may keep the talk itself, and pays for its start once. There are as many of them as
    episodes at once (`--concurrency`). `per: turn` starts one for every question, whose input
    ends after it: for a program that answers once and exits.

    The command runs in the client's folder, with mogi's own environment and without a shell; for
    pipes and variables write `command: [sh, -c, "…"]`. A program that hangs or is done with is
    killed with all that it started.
    """

    LOCAL: ClassVar[bool] = True

    class Settings(BaseModel, extra="forbid"):
        """The keys of `target:` in a client file, for `kind: command`."""

        command: str | list[str | int | float] = Field(
            description='"node bot.js", or a list of arguments'
        )
        per: Per = Field("talk", description="a process for each talk, or for each turn")
        history: HistoryShape = Field("pairs", description="how the talk so far is given")

        @field_validator("command")
        @classmethod
        def _can_be_split(cls, command: Any) -> Any:
            command_words(command)
            return command

    def __init__(self, arguments: Sequence[str], folder: Path, settings: Settings) -> None:
        """Make a target of a program and its arguments, to be run in a folder."""
        self._arguments = arguments
        self._folder = folder
        self._settings = settings
        self._held: dict[str, Program] = {}
        self._names: dict[str, str] = {}
        self._running: set[Program] = set()

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """Find the program; nothing is started yet.

        Raises:
            InputError: there is no such program, it cannot be run, or the command needs a shell.
        """
        if config.is_untrusted():
            raise InputError("--untrusted refuses the program of target.command")
        return cls(arguments_of(settings.command, context.folder), context.folder, settings)

    @classmethod
    def keeps_talk(cls, settings: Settings) -> bool:
        """Whether the program may keep the talk itself."""
        return settings.per == "talk"

    @classmethod
    def reaches(cls, settings: Settings) -> Iterator[Reached]:
        """The program that is started."""
        yield Reached("program", shlex.join(command_words(settings.command)), "target.command")

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Tell the program the question and read its line.

        Raises:
            TargetError: it could not be started, ended instead of answering, or its line is not
                an answer.
        """
        held = self._held.pop(talk.episode, None)
        program = held or await self._started()
        try:
            if self._settings.per == "turn":
                lines = await _whole(program, self._request(question, talk))
                return await beside(sum(map(len, lines)), _read_whole, lines)
            line = await _next(program, self._request(question, talk), held=held is not None)
            reply = await beside(len(line), _read, line)
            self._held[talk.episode] = program
        finally:
            if talk.episode not in self._held:
                await self._stop(program)
        return reply

    async def leave(self, episode: str) -> None:
        """End the program of a talk: it has 2 s to leave by itself."""
        self._names.pop(episode, None)
        program = self._held.pop(episode, None)
        if program is not None:
            await self._stop(program, _PATIENCE_S)

    async def close(self) -> None:
        """Kill whatever still runs."""
        self._held.clear()
        for program in tuple(self._running):
            program.kill()
        for program in tuple(self._running):
            await self._stop(program)

    async def _started(self) -> Program:
        try:
            program = await Program.start(self._arguments, self._folder)
        except OSError as error:
            raise raised(
                f"{self._arguments[0]} cannot be started: {error.strerror}; a script names its "
                "interpreter in its first line, such as #!/bin/sh"
            ) from error
        self._running.add(program)
        return program

    async def _stop(self, program: Program, patience_s: float = 0.0) -> None:
        await program.stop(patience_s)
        self._running.discard(program)

    def _request(self, question: str, talk: Talk) -> bytes:
        request = {
            "question": question,
            "history": history_of(talk, self._settings.history),
            "episode": self._names.setdefault(talk.episode, talk_name(talk.episode)),
            "turn": talk.next_turn,
        }
        return json.dumps(request).encode("ascii")


async def _next(program: Program, request: bytes, *, held: bool) -> bytes:
    """The line that a program answers with, which goes on after it; `held`: it answered before.

    One that has just been started may have said its line, and be gone, before it is told anything.
    """
    unheard = program.unheard()
    if program.status is not None and (held or unheard is None):
        raise await _ended(program, "after an earlier answer" if held else "before it was asked")
    if held and unheard is not None:
        what = f"a line that nobody asked for: {_shown(unheard)}"
        raise _invalid(f"{what}; right is one per question")
    program.tell(request)
    line = await program.line()
    if line is None:
        raise await _ended(program, "instead of answering")
    return line


async def _whole(program: Program, request: bytes) -> list[bytes]:
    """All that a program writes until it ends: its lines."""
    program.tell(request, last=True)
    lines: list[bytes] = []
    while (line := await program.line()) is not None:
        lines.append(line)
    status = await program.ended()
    if status:
        raise raised(_how(status, program))
    if not lines:
        raise TargetError(TargetFault.EMPTY, f"it wrote nothing ({_how(status, program)})")
    return lines


async def _ended(program: Program, when: str) -> TargetError:
    status = await program.ended(_PATIENCE_S)
    if status is None:
        return TargetError(TargetFault.EXITED, f"it closed its standard output {when}")
    if status:
        return raised(_how(status, program))
    once = "a program that answers once is `per: turn`"
    return TargetError(TargetFault.EXITED, f"it ended {when} ({_how(status, program)}); {once}")


def _how(status: int | None, program: Program) -> str:
    """How a program ended, and its last words."""
    killed = status is not None and status < 0
    text = f"killed by signal {abs(status or 0)}" if killed else f"exit status {status}"
    last = "\n".join(clean(program.stderr).strip().splitlines()[-_SHOWN_LINES:])
    if len(last) > _SHOWN_CHARACTERS:
        last = "…" + last[-_SHOWN_CHARACTERS:]
    return f"{text}: {last}" if last else text


def _read_whole(lines: Sequence[bytes]) -> Reply:
    """The reply in one line, or in one value over several."""
    if len(lines) > 1 and all(map(_is_json, lines)):
        raise _invalid(f"{len(lines)} lines, the second: {_shown(lines[1])}; right is one")
    return _read(b"\n".join(lines))


def _read(line: bytes) -> Reply:
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid(f"a line that is not UTF-8: {_shown(line)}") from error
    try:
        value: Any = json_data(text)
    except (ValueError, RecursionError) as error:
        raise _invalid(
            f"a line that is not JSON: {_shown(line)}; right is a text in quotation marks, or "
            '{"answer": …, "documents": …}, and everything else on standard error'
        ) from error
    return as_reply(value)


def _is_json(line: bytes) -> bool:
    try:
        json_data(line)
    except (ValueError, RecursionError):
        return False
    return True


def _shown(line: bytes) -> str:
    return cut(clean(line.decode("utf-8", "replace")).strip(), 120)


def _invalid(what: str) -> TargetError:
    return invalid(f"it wrote {what}")
