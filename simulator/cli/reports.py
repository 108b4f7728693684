"""`mogi reports`: how a run can be shown."""

import click

from simulator.console.layout import one_liners


@click.command(epilog="Example:  mogi reports")
def command() -> None:
    """List the reports there are, for --report NAME[=PATH]."""
    from simulator import plugins

    rows = []
    for name in plugins.names("reports"):
        report = plugins.find("reports", name)
        value = getattr(report, "TAKES", "PATH")
        use = f"{name}={value}" if report.NEEDS_PATH else f"{name}[={value}]"
        rows.append((use, (report.__doc__ or "").splitlines()[0]))
    one_liners(("report", "what it is"), rows)
