"""mogi itself over the fake server, with its store on: `mogi_loop URL N mogi`."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.process import Meter
from benchmarks.words import ANSWER, QUERY
from simulator import Options, load, simulate

_CLIENT = """\
language: ja
target: {{kind: demo}}
knowledge: faq.csv
user: {{model: mock, base_url: "{url}"}}
judge: {{model: mock, base_url: "{url}"}}
personas: [angry, calm, beginner]
limits: {{model: {{concurrency: 200, requests_per_minute: null, tokens_per_minute: null}}}}
"""


async def answer(question: str, history: list[tuple[str, str]]) -> str:
    """The mock target."""
    await asyncio.sleep(0.2)
    return ANSWER


def client_folder(folder: Path, url: str) -> Path:
    """A client of one scenario whose models are the fake server."""
    (folder / "client.yaml").write_text(_CLIENT.format(url=url), "utf-8")
    (folder / "faq.csv").write_text(f"id,title,content\nfaq-1,{QUERY},{ANSWER}\n", "utf-8")
    (folder / "scenarios.yaml").write_text(f"- {{id: login, query: {QUERY}}}\n", "utf-8")
    return folder


async def run(url: str, count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loaded = load(client_folder(folder, url))
        store = f"sqlite:///{folder}/mogi.db"
        warm = Options(personas=("calm",))
        await simulate(loaded, target=answer, options=warm, store=store)
        options = Options(personas=("calm",), repeat=count)
        meter = Meter()
        done = await simulate(loaded, target=answer, options=options, store=store)
        figures = meter.figures(count)
    assert done.summary.turns == 3 * count, done.summary
    assert done.summary.ledger.calls == {"user": 2 * count, "judge": 3 * count, "target": 3 * count}
    return figures


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(sys.argv[1], int(sys.argv[2])))))
