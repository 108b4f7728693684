"""What a client's files make a run reach: the manifest, told first, and refused where asked."""

import ast
import inspect
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from simulator import config, plugins
from simulator.core.clean import clean
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.plan import Client, ModelSpec, Plan, Reached
from simulator.files.catalog import CLIENT_FILE, is_shipped
from simulator.formats.own_files import own_text, replacing, whole
from simulator.formats.sources import Source, shown

if TYPE_CHECKING:
    from simulator.files.client.folder import LoadedClient


_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_CREDENTIALS = ("MOGI_GOOGLE_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS")
# What a function is called with, with and without a `prompt`.
_CALLED_WITH = {False: ("question", "history"), True: ("query", "history", "prompt")}


_MOST_BYTES = 2_000_000  # bytes of a module that is looked at
KINDS = ("host", "variable", "file", "written", "port", "program", "code")
_OPENAI_PATH, _AZURE_PATH = "/v1", "/openai"


def reach_of(
    loaded: "LoadedClient",
    plan: Plan | None = None,
    *,
    talks: bool = True,
    reports: Iterable[str] = (),
    exports: Iterable[str] = (),
    writes: Iterable[tuple[str, str]] = (),
) -> tuple[Reached, ...]:
    """Hosts, variables, files, programs and code; each once, in this order of kinds.

    Nothing is imported, resolved or asked; of the environment, only which of the variables are set
    that a model is sent without being named, and the addresses that it holds.

    Args:
        loaded: the client.
        plan: what a run of it does; None: all that its files name.
        talks: whether the run holds talks; else it judges some that were held.
        reports: those that are written of it.
        exports: the exporters that get its events.
        writes: the files that mogi writes, and what each is.
    """
    client = plan.client if plan else loaded.client
    own = plan.target_model if plan else _target_model(client)
    reached = [*_of_talks(client, own)] if talks else []
    reached += [*_of_judging(client), *_of_reports(reports), *_files(client, loaded)]
    for name in exports:
        reached += getattr(plugins.exporter(name), "reaches", tuple)()
    reached += [Reached("written", name, what) for name, what in writes]
    reached += list(_proxies(reached))
    return tuple(sorted(dict.fromkeys(reached), key=lambda each: KINDS.index(each.kind)))


def _target_model(client: Client) -> ModelSpec | None:
    """The model that a bot of ours asks, as far as its files say."""
    kind = plugins.find("targets", client.target.kind)
    try:
        settings = kind.Settings(**client.target.settings)
        model: ModelSpec | None = kind.model(settings, client.user.chat)
    except (AttributeError, InputError):  # it asks none, or --model is going to name it
        return None
    return model


def _of_talks(client: Client, target_model: ModelSpec | None) -> Iterator[Reached]:
    spec = client.target
    kind = plugins.find("targets", spec.kind)
    if ":" in spec.kind:
        yield Reached("code", spec.kind, "target.kind")
    elif hasattr(kind, "reaches"):
        yield from kind.reaches(kind.Settings(**spec.settings))
    yield from _of_model(target_model, "target")
    yield from _of_model(client.user.chat, "user")
    if client.user.kind and ":" in client.user.kind:
        yield Reached("code", client.user.kind, "user.kind")


def _of_judging(client: Client) -> Iterator[Reached]:
    yield from _of_model(client.judge.chat if client.judge else None, "judge")
    yield from _of_model(client.reader, "reader")
    yield from _of_model(client.embedding, "embedding")
    yield from (Reached("code", name, "metrics") for name in client.metrics if ":" in name)
    if client.sheets is not None:
        yield from _google("sheets")


def _google(key: str) -> Iterator[Reached]:
    url = config.sheets_api()
    place = config.origin(url)
    yield Reached("host", place, key, path=urlsplit(url).path)
    for name in _CREDENTIALS:
        yield Reached("variable", name, f"{key} → {place}", implied=True)


def _of_reports(reports: Iterable[str]) -> Iterator[Reached]:
    for name in reports:
        if ":" in name:
            yield Reached("code", name, "--report")
        elif name == "sheets":
            yield from _google("--report sheets")


def _proxies(found: Iterable[Reached]) -> Iterator[Reached]:
    """What stands between this machine and a host, and is told all that the host is."""
    for each in found:
        if each.kind == "host" and (proxy := config.proxy_of(each.name)):
            yield Reached("host", proxy, f"proxy → {each.name}")


def _of_model(spec: ModelSpec | None, key: str) -> Iterator[Reached]:
    if spec is None:
        return
    place = config.model_place(spec.base_url)
    yield Reached("host", place, key, method="POST", path=_model_path(spec.base_url, place))
    if spec.api_key_env is not None:
        goes = f"{key}.api_key_env, header Authorization → {place}"
        yield Reached("variable", spec.api_key_env, goes)
    for name in config.implied_variables(spec.base_url):
        if spec.api_key_env is None or not name.endswith("_API_KEY"):
            yield Reached("variable", name, f"{key} → {place}", implied=True)
    for header, text in spec.headers.items():
        for name in _VARIABLE.findall(text):
            yield Reached("variable", name, f"{key}.headers.{header} → {place}")


def _model_path(base_url: str | None, place: str) -> str:
    """What the path of each call of a model begins with."""
    url = base_url or config.openai_base_url()
    if url is not None:
        return unquote(urlsplit(url).path).rstrip("/") or "/"
    return _OPENAI_PATH if place == config.OPENAI else _AZURE_PATH


def _files(client: Client, loaded: "LoadedClient") -> Iterator[Reached]:
    catalog = loaded.catalog
    if not client.folder:  # nobody's: what `mogi score` makes up
        return
    named = [(CLIENT_FILE, ""), *((name, "target") for name in client.target.files)]
    named += [(loaded.scenarios_file, "scenarios")] if loaded.scenarios_file else []
    named += [(client.knowledge, "knowledge")] if client.knowledge else []
    files = [(key, catalog.file(name)) for name, key in named]
    folder = os.path.realpath(client.folder)
    for key, source in (*files, *catalog.own_files()):
        real = os.path.realpath(source.path)
        leads = "" if Path(real).is_relative_to(folder) else f" → {clean(real)}"
        yield Reached("file", source.name, f"{key}{leads}".strip())


def check_code(client: Client) -> None:
    """Look at the client's own code by its text: is it there, and does it take what it is given?

    Metrics, and kinds of users and bots, are looked at when they are read. What text does not tell
    is not complained of.

    Raises:
        InputError: everything that is wrong.
    """
    wrong: list[Complaint | str] = []
    for each in _of_talks(client, None):
        if each.kind == "code" and each.goes not in ("user.kind", "target.kind"):
            wrong += _wrong_with(each, client)
    if wrong:
        raise InputError(*wrong)


def _wrong_with(code: Reached, client: Client) -> Sequence[Complaint | str]:
    places = (Path(client.folder), Path.cwd())
    if not all(code.name.partition(":")):
        return [f'{code.goes}: {shown(code.name)} isn\'t the name of any code; use "module:name"']
    try:
        node, place = plugins.look_up(code.name, places)
    except InputError as error:
        right = _right(code.name.partition(":")[0], error)
        return [c if c.file else f"{code.goes}: {c.message}{right}" for c in error.complaints]
    if place.file is not None and (missing := list(_not_there(place.file, places))):
        return missing
    is_function = code.goes == "target.function"
    message = None
    if is_function and node is not None:
        message = _of_function(node, _CALLED_WITH["prompt" in client.target.settings])
    if message is None or place.file is None:
        return []
    at = Source.of(place.file)
    return [at.complaint(place.line, f"{code.goes}: {shown(code.name)} {message}")]


def _right(module: str, error: InputError) -> str:
    """What to do where a module is not there."""
    if not isinstance(error.__cause__, ModuleNotFoundError):
        return ""
    file = f"{module.replace('.', '/')}.py"
    return f"; write {file} into the client's folder or where mogi is started, or install it"


def _not_there(file: Path, places: Sequence[Path]) -> Iterator[Complaint]:
    """The modules that a file imports at once and that are nowhere, told by its text.

    A file that changes where modules are looked for, or that may do without one (`try`), is not
    complained of.
    """
    text = file.read_bytes()[:_MOST_BYTES]
    if b"sys.path" in text or not any(file.is_relative_to(place) for place in places):
        return
    for node in ast.parse(text).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names = [node.module]
        for top in (name.partition(".")[0] for name in names):
            try:
                plugins.source_of(top, places)
            except ModuleNotFoundError:
                problem = f"can't be imported: there is no module {top!r}; install it, or write "
                yield Source.of(file).complaint(node.lineno, f"{problem}{top}.py next to this file")


def _of_function(node: Any, given: tuple[str, ...]) -> str | None:
    made = plugins.stand_in_of(node)
    if inspect.isclass(made):
        return "is a class; use a function"
    try:
        inspect.signature(made).bind(*given)
    except TypeError as error:
        called = ", ".join(given)
        return f"is called as ({called}): {error}; define it as def {node.name}({called})"
    return None


def refuse(loaded: "LoadedClient") -> None:
    """Refuse what is reached that nobody let in.

    Where nothing is trusted that is all but files and named hosts on loopback; else it is hosts,
    if some are named.

    Raises:
        InputError: each thing that is refused, at once.
    """
    where, who = loaded.catalog.file(CLIENT_FILE).name, config.refuser()
    raise_all(
        [
            Complaint(where, 0, f"{who} blocks the {each.kind} {told(each)}{_way_in(each)}")
            for each in reach_of(loaded)
            if not _is_let_in(each)
        ]
    )


def _is_let_in(each: Reached) -> bool:
    if each.kind == "host":
        return config.may_reach(each.name)
    return not config.is_untrusted() or each.kind == "file" or each.implied


def _way_in(each: Reached) -> str:
    return config.way_in(each.name) if each.kind == "host" else ""


def told(each: Reached) -> str:
    """Its name, and what it is for."""
    return f"{each.name} ({each.goes})" if each.goes else each.name


def address(each: Reached) -> str:
    """Its name; of a host with the method and the beginning of the path of its requests."""
    return f"{each.method} {each.name}{each.path}".strip()


_LARGEST = 1_000_000  # bytes of what was confirmed
_WRITTEN = "written "
_HEAD = "# What a run accesses: from `mogi check --manifest`, checked by `mogi run --manifest`."


def lines_of(reach: Iterable[Reached]) -> tuple[str, ...]:
    """The lines, in the order of `reach_of`."""
    of_files = (r for r in reach if not (r.implied or r.goes.startswith("proxy → ")))
    return tuple(map(line_of, of_files))


def line_of(each: Reached) -> str:
    """A line of the manifest: `host POST https://bot.example/chat (target.url)`."""
    goes = f" ({each.goes})" if each.goes else ""
    confined = ", not confined" if each.kind in ("program", "code") else ""
    return f"{each.kind} {address(each)}{goes}{confined}"


def unconfirmed(loaded: "LoadedClient") -> tuple[str, ...]:
    """The lines of its manifest that a person has to confirm and nobody did.

    A client that ships needs nobody, nor do files in a client's own folder. Where nothing is
    trusted, and of hosts where some are named, an option has confirmed what is left.
    """
    folder = loaded.client.folder  # none: nobody's files
    if config.is_untrusted() or not folder or is_shipped(Path(folder)):
        return ()
    hosts_are_named = bool(config.allowed_hosts())
    asks = [
        each
        for each in reach_of(loaded)
        if (each.kind != "file" or " → " in each.goes)
        and not (each.kind == "host" and hosts_are_named)
    ]
    known = _confirmed(loaded)
    return tuple(line for line in lines_of(asks) if line not in known)


def was_confirmed(loaded: "LoadedClient") -> bool:
    """True if a person confirmed an earlier manifest of this client."""
    return bool(_confirmed(loaded))


def confirm(loaded: "LoadedClient") -> None:
    """Keep that a person confirmed the manifest; without a folder of its own it is asked again."""
    file = _file_of(loaded)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(file) as part:
            part.write_text("".join(f"{line}\n" for line in lines_of(reach_of(loaded))), "utf-8")
        file.chmod(0o600)


def _confirmed(loaded: "LoadedClient") -> frozenset[str]:
    return frozenset(own_text(_file_of(loaded), _LARGEST).splitlines())


def _file_of(loaded: "LoadedClient") -> Path:
    folder = os.path.realpath(loaded.client.folder)
    return config.state_folder() / "manifests" / sha256(folder.encode()).hexdigest()[:32]


def write_manifest(path: Path, lines: Iterable[str]) -> None:
    """Write it, for its owner to read.

    Raises:
        InputError: it cannot be written.
    """
    with whole(str(path), "the manifest") as part:
        part.write_text("".join(f"{line}\n" for line in (_HEAD, *lines)), "utf-8")


def check_manifest(path: Path, lines: Iterable[str]) -> None:
    """Compare what a run reaches with a manifest.

    Raises:
        InputError: every difference, or that the file is missing.
    """
    source = Source.of(path)
    known = [line for line in source.text().splitlines() if line and not line.startswith("#")]
    present = list(lines)
    more = [line for line in present if line not in known]
    # What a run may write it need not.
    less = [line for line in known if line not in present and not line.startswith(_WRITTEN)]
    differences = [f"the run also accesses: {line}" for line in more]
    differences += [f"the run does not reach: {line}" for line in less]
    if not differences:
        return
    renew = f"read it, remove the file, and write it again: mogi check CLIENT --manifest {path}"
    if not less and all(line.startswith(_WRITTEN) for line in more):
        renew = f"if that is right, add to {path}: {'; '.join(more)}"
    raise InputError(*(source.complaint(0, each) for each in differences), renew)
