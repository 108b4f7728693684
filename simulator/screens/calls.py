"""Calls on the screen: a line for each as it ends, and a table of what a run's calls were."""

from datetime import datetime

from simulator.core.clean import visible
from simulator.core.traffic import CallEnd
from simulator.words import counted


def call_line(call: CallEnd) -> str:
    """`12:03:04 judge gpt-4.1 login/angry/1 turn 2: ok, 812 ms, 1,203 + 88 tokens`."""
    made = call.call
    who = visible(call.model or call.endpoint)
    pieces = [call.status, f"{call.latency_ms:,.0f} ms"]
    if call.attempts != 1:
        pieces.append(counted(call.attempts, "attempt"))
    if call.waited_ms >= 1:
        pieces.append(f"waited {call.waited_ms:,.0f} ms")
    if call.usage.input or call.usage.output:
        pieces.append(f"{call.usage.input:,} + {call.usage.output:,} tokens")
    if call.why:
        pieces.append(visible(call.why))
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    where = f"{visible(made.episode)} turn {made.turn}"
    return f"{now} {made.role.value} {who} {where}: {', '.join(pieces)}"
