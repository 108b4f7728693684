"""`mogi metrics`: what can be measured."""

from pathlib import Path

import click

from simulator.cli.tables import one_liners


@click.command(epilog="Example:  mogi metrics")
@click.option("--language", type=click.Choice(["ja", "en"]), default="en", show_default=True)
def command(language: str) -> None:
    """List the metrics there are, what each needs, and the rubric that asks for it."""
    from typing import cast

    from simulator import plugins
    from simulator.core.persona import Language
    from simulator.files.shelf import Shelf

    rows = [
        (info.name, ", ".join(info.needs) or "nothing", f"{info.title}. {info.description}")
        for name in plugins.names("metrics")
        if name != "rubrics"
        for info in plugins.find("metrics", name).INFOS
    ]
    for rubric in Shelf(None, Path.cwd()).rubrics(cast("Language", language)).values():
        for aspect in rubric.aspects:
            what = f"{aspect.title}: {aspect.question} ({rubric.id}, {aspect.low}-{aspect.high})"
            rows.append((aspect.name, "judge", what))
    one_liners(("metric", "needs", "what it says"), rows)
