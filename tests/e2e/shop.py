"""A client with an FAQ of three entries and a model on loopback, for `mogi generate`."""

import json
from pathlib import Path
from typing import Any

from tests.loopback.server import ChatServer

FAQ = """\
id,title,content
faq-1,送料はいくらですか,送料は500円です。5000円以上の注文は無料です。
faq-2,返品できますか,商品が届いてから30日以内なら返品できます。送料は返金しません。
faq-3,営業時間を教えてください,電話は平日の9:00から18:00まで受け付けています。
"""
CLIENT = """\
language: ja
target: {{kind: demo}}
knowledge: faq.csv
user: {{model: mock, base_url: "{url}"}}
personas: [calm, angry]
limits: {{model: {{requests_per_minute: null, tokens_per_minute: null}}}}
"""
FILE = "scenarios.generated.yaml"


def shop(tmp_path: Path, model: ChatServer) -> Path:
    """The client `shop`, without scenarios; its model is the server."""
    folder = tmp_path / "scenarios" / "shop"
    folder.mkdir(parents=True)
    (folder / "client.yaml").write_text(CLIENT.format(url=model.base_url), "utf-8")
    (folder / "faq.csv").write_text(FAQ, "utf-8")
    return folder


def report(folder: Path) -> list[dict[str, Any]]:
    """The lines of the report beside the generated file."""
    text = (folder / "scenarios.generated.report.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def faults(folder: Path) -> list[str]:
    """Why questions were dropped, in the report's order."""
    return [line["fault"] for line in report(folder) if line["status"] == "dropped"]


def queries(folder: Path) -> list[str]:
    """The questions that were kept, in the report's order."""
    return [line["query"] for line in report(folder) if line["status"] == "kept"]
