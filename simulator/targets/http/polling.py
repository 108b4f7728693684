"""A bot that answers later: it names a job, and is asked until that is done."""

from dataclasses import dataclass
from typing import Any

from simulator.core.talk import Id
from simulator.targets._wire.client import Incoming
from simulator.targets._wire.jmespath import JmesPath, is_true
from simulator.targets._wire.reading import fail_on_error
from simulator.targets.http.carry import Place

_ACCEPTED = 202


@dataclass(frozen=True, slots=True)
class Job:
    """What a bot calls the answer that it is still working on; None: `why` it did not say."""

    id: Id | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Poll:
    """How it is told that an answer is there; `every_s`: seconds between two looks.

    `until` None: it is there when the status is not 202.
    """

    job: Place
    until: JmesPath | None
    every_s: float

    def is_done(self, incoming: Incoming, data: Any) -> bool:
        """Whether this holds the answer."""
        if self.until is None:
            return incoming.response.status != _ACCEPTED
        return is_true(self.until.search(data))

    def job_in(self, incoming: Incoming, data: Any) -> Job:
        """The job that is to be asked for.

        Raises:
            TargetError: (RAISED) the answer tells of an error.
        """
        fail_on_error(data)
        found, why = self.job.find(incoming, data)
        return Job(found, why)
