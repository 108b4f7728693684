"""A client made of a few lines, loaded as `mogi run` loads it."""

from pathlib import Path

from simulator.files.client.folder import LoadedClient, load_client

LEAST = 'language: ja\ntarget: {kind: function, function: "bot:answer"}\npersonas: [angry, calm]\n'
SCENARIOS = (
    "- {id: shipping, query: 送料はいくらですか, tags: [money]}\n"
    "- {id: returns, query: 返品できますか, tags: [money, after]}\n"
)


def client(
    cwd: Path,
    lines: str = "",
    *,
    least: str = LEAST,
    scenarios: str = SCENARIOS,
    files: dict[str, str] | None = None,
) -> LoadedClient:
    """The client `acme` in `cwd`; `lines` come after the least that a client file needs."""
    folder = cwd / "scenarios" / "acme"
    written = {"client.yaml": least + lines, "scenarios.yaml": scenarios, **(files or {})}
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return load_client("acme", cwd=cwd)
