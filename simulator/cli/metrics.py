"""`mogi metrics`: what can be measured, with what it needs and costs; `NAME`: one of them whole."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common
from simulator.console.layout import one_liners
from simulator.console.output import print_json

if TYPE_CHECKING:
    from simulator.core.persona import Language
    from simulator.files.client.folder import LoadedClient

_EXAMPLES = """\
\b
Examples:
  mogi metrics
  mogi metrics --language ja
  mogi metrics --client demo-en    * = used by this client
  mogi metrics elements
  mogi metrics gpt_relevance --language ja
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME, required=False)
@common.text("--client", "NAME", "Include this client's own rubrics and metrics.")
@common.language("Language of the rubrics.  [default: the client's, or the locale's]")
@common.json_option
@common.client_options
def command(
    name: str | None, client: str | None, language: "Language | None", *, as_json: bool
) -> None:
    """List the available metrics, with their inputs, cost and meaning.

    With NAME, show the details of a metric or rubric. For computed metrics, these are the formula
    and its source. For judged metrics, they're the prompt, scale, anchors and examples.

    Judged metrics share one call per turn (`calls: together`) or use one call per rubric
    (`calls: apart`). To estimate the cost, run `mogi run CLIENT --dry-run`.
    """
    from simulator.cli.runs import Metrics
    from simulator.cli.screens.metrics import metric_heads, metric_rows, metrics_json, show_metric
    from simulator.files.catalog import Catalog

    loaded = common.client(client) if client else None
    chosen = language or (loaded.client.language if loaded else config.locale())
    catalog = loaded.catalog if loaded else Catalog(None, Path.cwd())
    rubrics = catalog.rubrics(chosen)
    plugins = dict(_plugins(loaded))
    if as_json:
        print_json(Metrics(chosen, metrics_json(plugins, rubrics, _measured(loaded), name)))
        return
    if name is not None:
        show_metric(name, plugins, rubrics, chosen)
        return
    rows = metric_rows(plugins, rubrics, _measured(loaded), chosen)
    one_liners(metric_heads(chosen), rows)


def _plugins(loaded: "LoadedClient | None") -> Iterator[tuple[str, type[Any]]]:
    """The plugins that yield metrics, by name, the client's own last."""
    from simulator import plugins

    own = [m for m in loaded.client.metrics if ":" in m] if loaded else []
    for name in (*plugins.names("metrics"), *own):
        kind = plugins.find("metrics", name)
        if kind.INFOS:  # the judge's plugin has none of its own
            yield name, kind


def _measured(loaded: "LoadedClient | None") -> set[str]:
    """The metrics that a client's file brings."""
    from simulator.execution.plan import plugin_of

    if loaded is None:
        return set()
    kinds = [kind for name in loaded.client.metrics if (kind := plugin_of(name))]
    aspects = {a.name for rubric in loaded.rubrics for a in rubric.aspects}
    return aspects.union(info.name for kind in kinds for info in kind.INFOS)
