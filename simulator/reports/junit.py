"""A run as JUnit XML, which CI systems show as test results."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from tempfile import TemporaryFile
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

from simulator.core.clean import clean, cut, visible
from simulator.core.result import Result, Why
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.formats.own_files import text_file
from simulator.view.aggregate import GapTexts
from simulator.view.faults import alike
from simulator.view.worst import turn_reason, why_text
from simulator.words import Words, counted

_NOT_XML = re.compile("[\ufffe\uffff]")  # what XML cannot hold, beyond what `clean` takes out
_MESSAGE = 300  # characters


class Junit:
    """JUnit test results for CI, with one test case per conversation."""

    NEEDS_PATH = True

    def write(self, run: Run, path: str | None) -> None:
        """Write one test suite to `path`; each case has result, why and blame as properties.

        A conversation that failed is a failure, or an error where the target failed; what is
        unfinished is an error, too. One that is undecided or unchecked is skipped: it neither
        passed nor says anything against the bot, and a gate says how many of these are too many.

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
    finding = episode.finding
    if finding is None:
        return
    blame = alike(episode, finding).group.blame if finding.result is Result.FAILED else ""
    properties = ET.SubElement(case, "properties")
    for name, value in (("result", finding.result), ("why", finding.why), ("blame", blame)):
        if value:
            ET.SubElement(properties, "property", {"name": name, "value": value})
    if finding.result is Result.PASSED:
        return
    message = why_text(finding, header.language)
    if finding.turn is not None:
        message = f"{Words(header.language, 'report')('turn', n=finding.turn)}: {message}"
    if finding.result is not Result.FAILED:  # nothing is held against the bot, nor for it
        result = Words(header.language, "result").name("result", finding.result)
        _add(case, "skipped", f"{result}: {message}", _gap_text(header, episode))
        return
    turns = [t for t in episode.turns if t.flagged or t.exchange.turn == finding.turn]
    body = "\n\n".join(_turn_text(header, turn) for turn in turns)
    _add(case, "error" if finding.why is Why.TARGET_FAILED else "failure", message, body)


def _gap_text(header: RunHeader, episode: Episode) -> str:
    """Why scores are missing, in the words that were given most often; empty where none is."""
    texts = GapTexts()
    for outcomes in (*(turn.outcomes for turn in episode.turns), episode.outcomes):
        texts.add(outcomes.values())
    return Words(header.language, "report")("missing_why", said=texts.most) if texts.most else ""


def _turn_text(header: RunHeader, turn: Turn) -> str:
    exchange, words = turn.exchange, Words(header.language, "report")
    texts = {
        "user": exchange.user,
        "bot": exchange.assistant,
        "comment": turn_reason(header, turn, None),
        "fault": words.comma.join(words.name("fault", blame) for blame in turn.blames),
    }
    lines = [f"{words(label)}: {text}" for label, text in texts.items() if text]
    return "\n".join([words("turn", n=exchange.turn), *lines])


def _add(case: ET.Element, tag: str, message: str, body: str) -> None:
    child = ET.SubElement(case, tag, {"message": cut(_text(visible(message)), _MESSAGE)})
    child.text = _text(body) or None


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", clean(text))
