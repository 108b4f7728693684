"""The fake server in a process of its own: `python -m tests.loopback --latency 0.2`."""

import argparse
import asyncio
import contextlib
import sys

from tests.loopback.server import ChatServer


async def serve(latency_s: float) -> None:
    """Print the base URL, then answer until killed."""
    async with ChatServer(latency_s=latency_s) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args().latency))
