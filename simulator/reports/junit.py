"""A run as JUnit XML, which CI systems show as test results."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from tempfile import TemporaryFile
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

from simulator.console.output import text_file
from simulator.core.clean import clean, cut, visible
from simulator.core.outcome import Unscored
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.talk import Stop, StopReason, TargetFailure
from simulator.figures.aggregate import flag_reason, is_gap
from simulator.words import counted

_NOT_XML = re.compile("[\ufffe\uffff]")  # what XML cannot hold, beyond what `clean` takes out
_MESSAGE = 300  # characters


class Junit:
    """Test results for CI: a test case for each conversation, failed where a turn is flagged."""

    NEEDS_PATH = True

    def write(self, run: Run, path: str | None) -> None:
        """Write one test suite to `path`.

        A flagged turn is a failure, a failed target and what is unfinished are errors; where the
        simulated user broke down or nothing could be scored, the case is skipped.

        Raises:
            InputError: there is no path, or the file cannot be written.
        """
        # The counts stand in front, and a run does not fit into memory: so by way of a file.
        with text_file(path) as file, TemporaryFile("w+", encoding="utf-8") as cases:
            counts: Counter[str] = Counter()
            for case in _cases(run):
                counts["tests"] += 1
                counts.update(child.tag for child in case)
                cases.write(f"    {ET.tostring(case, encoding='unicode')}\n")
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
            file.write(f"  <testsuite {_attributes(run, counts)}>\n")
            cases.seek(0)
            shutil.copyfileobj(cases, file)
            file.write("  </testsuite>\n</testsuites>\n")


def _attributes(run: Run, counts: Counter[str]) -> str:
    attributes = {
        "name": f"mogi {_text(run.header.client)}",
        "timestamp": run.header.started[:19],
        "time": f"{run.header.wall_s:.3f}",
        "tests": str(counts["tests"]),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
    }
    return " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())


def _cases(run: Run) -> Iterator[ET.Element]:
    header = run.header
    for episode in run.episodes():
        spent = sum(t.exchange.user_ms + t.exchange.target_ms for t in episode.turns)
        case = _case(header, episode.cell.key, spent / 1000)
        _add_result(case, header, episode)
        yield case
    if run.summary.unfinished:
        case = _case(header, "unfinished", 0.0)
        _add(case, "error", f"{counted(run.summary.unfinished, 'conversation')} unfinished", "")
        yield case


def _case(header: RunHeader, name: str, seconds: float) -> ET.Element:
    attributes = {"classname": header.client, "name": name, "time": f"{seconds:.3f}"}
    return ET.Element("testcase", {key: _text(value) for key, value in attributes.items()})


def _add_result(case: ET.Element, header: RunHeader, episode: Episode) -> None:
    flagged = [turn for turn in episode.turns if turn.flagged]
    failed = any(isinstance(turn.exchange.reply, TargetFailure) for turn in flagged)
    stop = episode.stop
    if stop.reason is StopReason.USER_INVALID:  # what was measured there says nothing of the bot
        _add(case, "skipped", _stopped(stop), "")
    elif flagged:
        worst = flagged[-1] if failed else flagged[0]
        message = f"turn {worst.exchange.turn}: {flag_reason(header, worst)}"
        body = "\n\n".join(_turn_text(header, turn) for turn in flagged)
        _add(case, "error" if failed else "failure", message, body)
    elif stop.reason is StopReason.USER_FAILED:
        _add(case, "skipped", _stopped(stop), "")
    elif gaps := _only_gaps(header, episode):
        _add(case, "skipped", f"no score: {', '.join(gaps)}", "")


def _stopped(stop: Stop) -> str:
    return f"{stop.reason}: {stop.detail}" if stop.detail else stop.reason.value


def _only_gaps(header: RunHeader, episode: Episode) -> list[str]:
    """Why no turn has the run's score, if none has it and any should have."""
    outcomes = [turn.outcomes.get(header.score_by) for turn in episode.turns]
    gaps = [o.reason.value for o in outcomes if isinstance(o, Unscored) and is_gap(o)]
    scored = any(o is not None and not isinstance(o, Unscored) for o in outcomes)
    return [] if scored else sorted(set(gaps))


def _turn_text(header: RunHeader, turn: Turn) -> str:
    exchange = turn.exchange
    lines = [f"turn {exchange.turn}", f"user: {exchange.user}", f"bot: {exchange.assistant}"]
    lines.append(f"why: {flag_reason(header, turn)}")
    return "\n".join([*lines, f"fault: {turn.blame}"] if turn.blame else lines)


def _add(case: ET.Element, tag: str, message: str, body: str) -> None:
    child = ET.SubElement(case, tag, {"message": cut(_text(visible(message)), _MESSAGE)})
    child.text = _text(body) or None


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", clean(text))
