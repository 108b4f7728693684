"""Plugins that stand in for the real ones, so that this room's tests need no other room."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest
from pydantic import BaseModel, Field

from simulator import plugins
from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo
from simulator.core.plan import Reached


class Local:
    LOCAL: ClassVar[bool] = True

    class Settings(BaseModel, extra="forbid"):
        top_k: int = Field(3, ge=1, description="documents for a turn")
        names: tuple[str, ...] = ()
        body: dict[str, str | None] = Field(default_factory=dict)
        reply_in: str = Field("text", alias="in")


class Remote:
    class Settings(BaseModel, extra="forbid"):
        url: str = Field(description="where the bot answers")
        words: str | None = None
        session: bool = False

    @classmethod
    def keeps_talk(cls, settings: Settings) -> bool:
        return settings.session

    @classmethod
    def reaches(cls, settings: Settings) -> Iterator[Reached]:
        yield Reached("host", settings.url)

    @classmethod
    def reads(cls, settings: Settings) -> tuple[str, ...]:
        return () if settings.words is None else (settings.words,)


class Pair:
    INFOS = (MetricInfo("precision", "Precision"), MetricInfo("recall", "Recall"))


class Lexical:
    INFOS = (MetricInfo("lexical", "Lexical"),)


@dataclass
class Rooms:
    """Rooms and their plugins; None stands for one whose optional package is missing."""

    plugins: dict[str, dict[str, type | None]]

    def names(self, room: str) -> tuple[str, ...]:
        return tuple(sorted(self.plugins[room]))

    def find(self, room: str, name: str) -> type:
        found = self.plugins[room].get(name)
        if found is None:
            raise InputError(f"{name} needs a package; pip install 'mogi[{name}]'")
        return found


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> Rooms:
    made = Rooms(
        {
            "targets": {"demo": Local, "remote": Remote},
            "users": {"agenda": object, "persona_llm": object},
            "metrics": {"pair": Pair, "lexical": Lexical, "rubrics": object, "cosine": None},
        }
    )
    monkeypatch.setattr(plugins, "names", made.names)
    monkeypatch.setattr(plugins, "find", made.find)
    return made
