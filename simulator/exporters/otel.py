"""OpenTelemetry: a span for each conversation and turn, an event for each rating."""

from typing import Self

from simulator.core.events import Event, ExportContext


class Otel:
    """Sends spans to an OpenTelemetry endpoint."""

    @classmethod
    def open(cls, context: ExportContext) -> Self:
        """The exporter of one run."""
        return cls()

    def __call__(self, event: Event) -> None:
        """Take an event."""

    def close(self) -> None:
        """Send what is left."""
