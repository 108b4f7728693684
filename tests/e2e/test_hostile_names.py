"""Names that take over a terminal: in folders, files, keys, ids, and in what a bot says."""

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi

OSC = "\x1b]52;c;ZXZpbA==\x07"
ESCAPED = "\\e]52;c;ZXZpbA==\\a"  # as YAML writes it
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
COMMANDS = (
    ("check", "{client}"),
    ("check", "{client}", "--json"),
    ("run", "{client}", "--dry-run"),
    ("run", "{client}"),
    ("run", "{client}", "--json"),
    ("--debug", "run", "{client}", "--persona", f"nobody{OSC}"),
    ("run", "{client}", "--log", f"no/such{OSC}/log"),
    ("run", "{client}", "--report", f"json=no/such{OSC}/r"),
    ("show", "latest"),
    ("show", "latest", "--all"),
    ("show", f"run{OSC}"),
    ("runs",),
    ("export", "latest"),
    ("coverage", "{client}"),
    ("metrics", f"m{OSC}"),
    ("personas", f"p{OSC}"),
    ("score", f"answers{OSC}.csv"),
    ("targets", "try", "{client}", f"hello{OSC}"),
    (f"command{OSC}",),
    ("run", "{client}", f"--option{OSC}"),
)


@pytest.mark.parametrize("named", ["prices", "nothing", "wrong key", "wrong value"])
def test_no_control_character_is_printed(mogi: Mogi, tmp_path: Path, named: str) -> None:
    folder = tmp_path / f"shop{OSC}"
    folder.mkdir()
    more = {
        "prices": f'prices: {{"m{ESCAPED}": {{input: 1, output: 1}}}}',
        "wrong key": f'"key{ESCAPED}": 1',
        "wrong value": f'prices: {{"m{ESCAPED}": {{input: "x{ESCAPED}"}}}}',
    }
    (folder / "client.yaml").write_text(
        f'language: en\nknowledge: "faq{ESCAPED}.csv"\ntarget: {{kind: function, '
        f'function: "bot:answer"}}\npersonas: [calm]\n{more.get(named, "")}\n',
        "utf-8",
    )
    (folder / f"faq{OSC}.csv").write_text(f"id,title,content\nf{OSC},Delivery{OSC},5 euros{OSC}\n")
    (folder / "scenarios.yaml").write_text(
        f'- {{id: delivery, query: "How much{ESCAPED} is delivery?", tags: ["t{ESCAPED}"],'
        f' expected: {{answer: "5 euros{ESCAPED}"}}}}\n'
    )
    (folder / "bot.py").write_text(
        f"def answer(question, history):\n    return {OSC!r} + 'It costs 7 euros.' + {OSC!r}\n"
    )
    for words in COMMANDS:
        done = mogi(*(word.format(client=str(folder)) for word in words))
        said = done.out + done.err
        assert None is CONTROL.search(said), (words, said)
        assert said
