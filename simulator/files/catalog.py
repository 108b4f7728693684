"""Where personas, prompts, rubrics and clients are found.

The client's own folder comes first, then the working directory, then what ships with mogi.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from simulator import plugins
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.health import Rubric
from simulator.core.mutation import MutationSet
from simulator.core.persona import Language, Persona
from simulator.core.talk import Document
from simulator.files.personas import load_persona
from simulator.files.prompts import Prompt, load_prompt
from simulator.files.rubrics import load_rubric
from simulator.formats.sources import Complaints, Source, hint, inside, shown

if TYPE_CHECKING:
    from simulator.files.mutations import ReadMutations

T = TypeVar("T")
CLIENT_FILE = "client.yaml"
MUTATIONS_FILE = "mutations.yaml"


def shipped() -> Path:
    """The folder that holds the shipped personas, prompts and scenarios."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "_shipped"
    return inside if inside.is_dir() else package.parent


def is_shipped(path: Path) -> bool:
    """Whether a file or folder is one of the shipped clients', which are not written."""
    return path.resolve().is_relative_to((shipped() / "scenarios").resolve())


class Catalog:
    """The personas, prompts and rubrics that a client can use; files are read when asked for.

    `folder` is the client's, or None where there is no client.
    """

    def __init__(self, folder: Path | None, cwd: Path) -> None:
        self._folder = folder
        self._cwd = cwd
        self.within = inside(folder, cwd)
        self._listed: dict[Path, dict[str, Source]] = {}  # by where they are elsewhere

    def file(self, name: str) -> Source:
        """A file that the client's own files name, seen from its folder; nothing is read."""
        return Source.of((self._folder or self._cwd) / name, self._cwd, self.within)

    def persona(self, language: Language, name: str) -> Persona:
        """The persona of that id.

        Raises:
            InputError: there is none, or its file is wrong.
        """
        return load_persona(_pick("persona", name, self._personas(language)), language)

    def personas(self, language: Language) -> dict[str, Persona]:
        """All personas of a language by id, sorted; the client's own speak its language.

        Raises:
            InputError: complaints about all of their files at once.
        """
        sources = self._personas(language)
        return _all(load_persona, {name: (source, language) for name, source in sources.items()})

    def persona_ids(self, language: Language) -> tuple[str, ...]:
        """The ids of all personas of a language, sorted; no file is read."""
        return tuple(self._personas(language))

    def own_persona_ids(self) -> tuple[str, ...]:
        """The ids of the personas in the client's own folder."""
        return tuple(self._own("personas", ".yaml"))

    def rubric(self, language: Language, name: str) -> Rubric:
        """The rubric of that id.

        Raises:
            InputError: there is none, or its file is wrong.
        """
        source = _pick("rubric", name, self._rubrics(language))
        return load_rubric(source, _taken([source]))

    def rubrics(self, language: Language) -> dict[str, Rubric]:
        """All rubrics in a language by id, sorted.

        Raises:
            InputError: complaints about all of their files at once.
        """
        sources = self._rubrics(language)
        taken = _taken(sources.values())
        return _all(load_rubric, {name: (source, taken) for name, source in sources.items()})

    def prompt(self, language: Language, name: str) -> Prompt:
        """The prompt of that name; one that stands in for a shipped one has to be like it.

        Raises:
            InputError: there is none, or its file is wrong.
        """
        chosen = _pick("prompt", name, self._prompts(language))
        original = Source.of(shipped() / "prompts" / language / f"{name}.md", self._cwd)
        if chosen == original or not original.path.is_file():
            return load_prompt(chosen)
        return load_prompt(chosen, load_prompt(original))

    def prompts(self, language: Language) -> dict[str, Prompt]:
        """All prompts that mogi uses, by name, sorted.

        Raises:
            InputError: complaints about all of their files at once, and about prompts in the
                client's folder that nothing uses.
        """
        used = _files([shipped() / "prompts" / language], ".md", self._cwd)
        mine = self._own("prompts", ".md")
        unused = [
            source.complaint(0, f'nothing uses a prompt "{name}"; {hint(name, used)}')
            for name, source in mine.items()
            if name not in used
        ]
        return _all(self.prompt, {name: (language, name) for name in used}, unused)

    def mutations(self, language: Language, documents: Collection[Document]) -> MutationSet:
        """The client's own mutations and those that ship, which the working directory may replace.

        `documents` are those of the client's knowledge base: the ids in its own file mean them.

        Raises:
            InputError: every complaint about one of their files.
        """
        from simulator.files.mutations import load_mutations, merged  # no run needs its models

        usual = Path("prompts") / language / MUTATIONS_FILE
        mine = Source.of(self._cwd / usual, self._cwd, self.within)
        chosen = mine if mine.path.is_file() else Source.of(shipped() / usual, self._cwd)
        own = self.own_mutations(documents)
        return merged(own, load_mutations(chosen, (), self._cwd))

    def own_mutations(self, documents: Collection[Document]) -> "ReadMutations | None":
        """Those in the client's own folder; None if it has none.

        Raises:
            InputError: every complaint about the file.
        """
        from simulator.files.mutations import load_mutations

        source = self.file(MUTATIONS_FILE) if self._folder else None
        if source is None or not source.path.exists():
            return None
        return load_mutations(source, documents, self._cwd)

    def own_files(self) -> list[tuple[str, Source]]:
        """What else the client's folder may hold, by what it is; no file is read."""
        if self._folder is None:
            return []
        kinds = {"personas": ".yaml", "prompts": ".md", "rubrics": ".yaml"}
        files = [(kind, f) for kind, end in kinds.items() for f in self._own(kind, end).values()]
        if os.path.exists(self._folder / MUTATIONS_FILE):
            files.append(("mutations", self.file(MUTATIONS_FILE)))
        return files

    def _personas(self, language: Language) -> Mapping[str, Source]:
        return self._files("personas", Path("personas") / language, ".yaml")

    def _rubrics(self, language: Language) -> Mapping[str, Source]:
        return self._files("rubrics", Path("prompts") / language / "rubrics", ".yaml")

    def _prompts(self, language: Language) -> Mapping[str, Source]:
        return self._files("prompts", Path("prompts") / language, ".md")

    def _own(self, name: str, ending: str) -> dict[str, Source]:
        if self._folder is None:
            return {}
        return _files([self._folder / name], ending, self._cwd, self.within)

    def _files(self, own: str, elsewhere: Path, ending: str) -> Mapping[str, Source]:
        if elsewhere not in self._listed:
            ours = _files([shipped() / elsewhere], ending, self._cwd)
            here = _files([self._cwd / elsewhere], ending, self._cwd, self.within)
            found = ours | here | self._own(own, ending)
            self._listed[elsewhere] = dict(sorted(found.items()))
        return self._listed[elsewhere]


def _pick(what: str, name: str, found: Mapping[str, Source]) -> Source:
    if name not in found:
        raise InputError(f'no {what} "{name}"; {hint(name, found)}')
    return found[name]


def _taken(rubrics: Collection[Source]) -> Mapping[str, str]:
    """Metrics by whose names nothing in a rubric can be called; shipped ones are known not to be.

    To look into the plugins costs a while, so it is done for rubrics of people's own only.
    """
    own = any(not rubric.path.is_relative_to(shipped()) for rubric in rubrics)
    return computed_metrics() if own else {}


def find_client(where: str, cwd: Path) -> Path:
    """The folder of a client: a path to one, or a name in ./scenarios or among the shipped ones.

    Raises:
        InputError: there is no such client, or it is a file, or it lacks its client.yaml.
    """
    path = cwd / where
    folders = [path]
    if Path(where).name == where and where not in ("", ".", ".."):
        folders += [cwd / "scenarios" / where, shipped() / "scenarios" / where]
    for folder in folders:
        if os.path.isfile(folder / CLIENT_FILE):  # unlike pathlib's, false for impossible names
            return folder.resolve()
    existing = next((folder for folder in folders if os.path.exists(folder)), None)
    if existing is None:
        known = client_names(cwd)
        raise InputError(
            f"no client {shown(where)}; {hint(where, known)} (or give the path of a folder)"
        )
    source = Source.of(existing, cwd)
    if existing.is_file():
        raise source.error(0, f"this is a file; use the folder with {CLIENT_FILE}")
    near = next((p.name for p in sorted(existing.glob("client.*")) if p.is_file()), None)
    right = f"rename {near}" if near else "mogi init NAME creates a folder that has one"
    raise source.error(0, f"there's no {CLIENT_FILE} in this folder; {right}")


def client_names(cwd: Path) -> tuple[str, ...]:
    """The clients that can be named: in ./scenarios, and those that ship; sorted."""
    places = (cwd / "scenarios", shipped() / "scenarios")
    return tuple(
        sorted({p.parent.name for place in places for p in place.glob(f"*/{CLIENT_FILE}")})
    )


def _files(
    places: list[Path], ending: str, cwd: Path, within: tuple[Path, ...] | None = None
) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for place in places:
        for path in place.glob(f"*{ending}"):
            found.setdefault(path.stem, Source.of(path, cwd, within))
    return dict(sorted(found.items()))


def _all(
    load: Callable[..., T], given: Mapping[str, tuple[Any, ...]], wrong: Sequence[Complaint] = ()
) -> dict[str, T]:
    """What is loaded with each of the given arguments, by name."""
    complaints = Complaints(wrong)
    loaded = {name: complaints.attempt(load, *args) for name, args in given.items()}
    raise_all(complaints)
    return {name: item for name, item in loaded.items() if item is not None}


def computed_metrics() -> dict[str, str]:
    """Each metric that a plugin yields, and each such plugin's name, with the plugin's name."""
    found: dict[str, str] = {}
    for plugin in plugins.names("metrics"):
        try:
            infos = getattr(plugins.find("metrics", plugin), "INFOS", ())
        except InputError:  # an optional package is missing; the name is taken nevertheless
            found[plugin] = plugin
        else:  # the judge's own plugin has none: they stand in the rubrics
            found |= dict.fromkeys((plugin, *(i.name for i in infos)) if infos else (), plugin)
    return found
