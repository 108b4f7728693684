"""What the tests of the document target share: a text, its bot, and lists of answers."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from simulator.core.persona import Language
from simulator.core.ports import Chat
from simulator.files.catalog import Catalog
from simulator.llm.scripted import ScriptedRequest
from simulator.targets._context import TargetContext
from simulator.targets.document import Document

ROOT = Path(__file__).parents[3]
TEXT = "The library opens at 9 and closes at 17. A card costs 300 yen. Lent books: five at most."
HOURS, CARD, LENT = "When does it open?", "What does a card cost?", "How many books?"


def document(
    folder: Path,
    chat: Chat | None,
    *,
    text: str | bytes = TEXT,
    questions: Sequence[str] = (),
    language: Language = "en",
    **settings: Any,
) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / "input.txt").write_bytes(data)
    catalog = Catalog(None, ROOT)
    context = TargetContext(
        folder,
        language,
        None,
        chat,
        lambda name: catalog.prompt(language, name),
        questions=tuple(questions),
    )
    return Document.open(Document.Settings(text="input.txt", **settings), context)


def listed(*answers: tuple[int, str, str]) -> str:
    items = [{"number": n, "question": q, "answer": a} for n, q, a in answers]
    return json.dumps({"answers": items})


def by_part(list_answer: str, alone: str = "alone") -> Callable[[ScriptedRequest], str]:
    return lambda request: list_answer if request.form else alone
