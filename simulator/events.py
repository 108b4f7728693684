"""The events of a run, for who listens to one: `simulate(…, on_event=…)`, and exporters."""

from simulator.core.events import (
    VERSION,
    CallMade,
    ConversationEnded,
    ConversationStarted,
    Event,
    ExportContext,
    Exporter,
    RunEnded,
    RunPlanned,
    TurnPlayed,
    TurnScored,
)

__all__ = [
    "VERSION",
    "CallMade",
    "ConversationEnded",
    "ConversationStarted",
    "Event",
    "ExportContext",
    "Exporter",
    "RunEnded",
    "RunPlanned",
    "TurnPlayed",
    "TurnScored",
]
