"""What may fail, and who is to blame.

MogiError
├── InputError          the person who typed it: a file, an option, a key (exit 2, nothing ran)
├── RunStopped          nothing more can be done in this run: account, budget, interrupt (saved)
├── TargetError         the bot under test: a finding, not a crash of ours
├── UserError           the simulated user could not go on: never the bot's fault
├── ModelError          a model's answer could not be had or used (its `kind` says how)
└── StoreError          the disk, the lock or the schema of the store

A failure that concerns one turn or one episode is turned into data at the border of its room
(`Unscored`, `TargetFailure`, `Stop`). Only InputError, RunStopped and StoreError end a run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class MogiError(Exception):
    """The root of every error that mogi raises on purpose; its text is written for a person."""


@dataclass(frozen=True, slots=True, order=True)
class Complaint:
    """One thing that is wrong in what a person wrote.

    `line` counts from 1; 0 means that the complaint speaks of the whole file.
    `message` says what is wrong, and after a semicolon what would be right.
    """

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}" if where else self.message


class InputError(MogiError):
    """Wrong input: all complaints at once, one a line."""

    def __init__(self, *complaints: Complaint | str) -> None:
        self.complaints: tuple[Complaint, ...] = tuple(
            c if isinstance(c, Complaint) else Complaint("", 0, c) for c in complaints
        )
        super().__init__("\n".join(map(str, self.complaints)))


class HaltReason(StrEnum):
    """Why a whole run stopped before its end. Everything that was paid for is saved."""

    INTERRUPTED = "interrupted"
    BUDGET = "budget"
    ACCOUNT = "account"  # 401, 403, insufficient_quota, no such model
    UNREACHABLE = "unreachable"  # nothing answers, or a breaker opened
    STORE = "store"  # nothing can be saved any more
    INTERNAL = "internal"  # a fault in mogi itself


class RunStopped(MogiError):
    """Raised instead of starting one more call, once the run has been halted."""

    def __init__(self, reason: HaltReason, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class TargetFault(StrEnum):
    """How a bot under test failed."""

    RAISED = "raised"
    TIMEOUT = "timeout"
    EMPTY = "empty"  # None or no text
    INVALID = "invalid"  # something that is not an answer
    EXITED = "exited"  # it called sys.exit
    CRASHED = "crashed"  # it ended its process


class TargetError(MogiError):
    """The bot under test failed on one question; the talk ends here and the turn is flagged."""

    def __init__(self, fault: TargetFault, message: str) -> None:
        self.fault = fault
        super().__init__(message)


class UserError(MogiError):
    """The simulated user could not say anything usable, asked twice."""


class ModelFault(StrEnum):
    """Why there is no usable answer of a model. The first four are the model's own words."""

    REFUSED = "refused"
    FILTERED = "filtered"  # the provider's content filter
    TRUNCATED = "truncated"  # finish_reason length
    EMPTY = "empty"
    UNPARSABLE = "unparsable"  # not the form that was asked for, after one repair
    REJECTED = "rejected"  # a permanent 4xx about this request (context_length, invalid …)
    UNAVAILABLE = "unavailable"  # all attempts within the deadline failed

    @property
    def is_of_the_endpoint(self) -> bool:
        """Infrastructure: nobody's words, and nobody of the talk is to blame."""
        return self in {ModelFault.REJECTED, ModelFault.UNAVAILABLE}

    @property
    def excuses_the_user(self) -> bool:
        """Infrastructure as far as a simulated user goes: a filter stops what it would say."""
        return self.is_of_the_endpoint or self is ModelFault.FILTERED


class ModelError(MogiError):
    """One model call yielded nothing usable.

    `body` keeps the first 4 kB of what came back, for the person who looks into it. `of_prompt`:
    the prompt itself is the trouble, as one that is too long.
    """

    def __init__(
        self, fault: ModelFault, message: str, body: str = "", *, of_prompt: bool = False
    ) -> None:
        self.fault, self.of_prompt = fault, of_prompt
        self.body = body[:4096]
        super().__init__(message)

    @property
    def leaves_unfinished(self) -> bool:
        """True if a resume should try again what was to be read or judged."""
        return self.fault.is_of_the_endpoint and not self.of_prompt


class StoreError(MogiError):
    """The store cannot be opened, locked, read or written."""


class RunHeld(StoreError):
    """Another process works on the run."""


def raise_all(complaints: Sequence[Complaint]) -> None:
    """Raise one InputError with every complaint, sorted by place; nothing when there is none."""
    if complaints:
        raise InputError(*sorted(set(complaints)))
