"""Wrong usage: what was wrong, what is nearest to it and right, and a call that works."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

import click
from click.exceptions import NoArgsIsHelpError, NoSuchCommand

from simulator import plugins
from simulator.cli import exits
from simulator.core.errors import Complaint, InputError

_EXAMPLE = re.compile(r"^[ ]*(?:Examples?:[ ]*)?(mogi .*?)(?:[ ]{2,}.*)?$", re.MULTILINE)
_NO_CHOICE = re.compile("'([^']*)' is not one of")
_OPTION = re.compile(r"--[a-z][a-z-]*")


def examples(command: click.Command) -> tuple[str, ...]:
    """The calls in a command's epilog, one a line, without the comments beside them."""
    return tuple(_EXAMPLE.findall(command.epilog or ""))


def contexts(app: click.Group) -> Iterator[click.Context]:
    """A context of the app and of every command below it; this loads them all."""
    return _tree(_context(app, "mogi"))


def message_lines(error: BaseException, app: click.Group, args: Sequence[str]) -> list[str]:
    """What a person is told of a wrong call or of wrong input, line by line.

    Empty where the error is neither, or where the app's help is all that there is to say.
    """
    if isinstance(error, InputError):
        return _of_input(error, app, args)
    if not isinstance(error, click.UsageError):
        return []
    return [] if isinstance(error, NoArgsIsHelpError) else _of_call(error, app, args)


def _of_call(error: click.UsageError, app: click.Group, args: Sequence[str]) -> list[str]:
    context = _called(app, args)
    shown = None
    sentence = error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption):
        context, shown, right = _right_option(error.option_name, context, app)
        sentence = f"No such option '{error.option_name}'; {right}"
    elif isinstance(error, NoSuchCommand):
        shown, right = _right_command(error.command_name, context)
        sentence = f"no command {error.command_name!r}; {right}"
    elif isinstance(error, click.BadOptionUsage):
        shown = error.option_name
    elif isinstance(error, click.BadParameter) and isinstance(error.param, click.Option):
        shown = max(error.param.opts, key=len)
        sentence += _right_choice(error.param, sentence)
    pieces = context.command.collect_usage_pieces(context)
    return [
        f"{_called(app, args).command_path}: {sentence}",
        f"Usage:    {' '.join([context.command_path, *pieces])}",
        *_example(context, shown),
        f"More:     {context.command_path} --help",
    ]


def _of_input(error: InputError, app: click.Group, args: Sequence[str]) -> list[str]:
    lines = [str(complaint) for complaint in error.complaints]
    wrong = next((c.message for c in error.complaints if _quotes(c, args)), None)
    if wrong is None:
        return lines
    option = _OPTION.match(wrong)
    return [*lines, *_example(_called(app, args), option[0] if option else None)]


def _quotes(complaint: Complaint, args: Sequence[str]) -> bool:
    """Whether it speaks of what was typed, and not of a file, a key or a store."""
    message = complaint.message
    if complaint.file:
        return False
    quoted = (quote for arg in args for quote in (f"'{arg}'", f'"{arg}"'))
    return message.startswith("--") or any(quote in message for quote in quoted)


def _tree(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(group := context.command, click.Group):
        for name in group.list_commands(context):
            if command := group.get_command(context, name):
                yield from _tree(_context(command, name, context))


def _called(app: click.Group, args: Sequence[str]) -> click.Context:
    """The command that a call means, as far as it names one."""
    context = _context(app, "mogi")
    for arg in args:
        if not isinstance(context.command, click.Group):
            break
        command = context.command.get_command(context, arg)
        if command is not None:
            context = _context(command, arg, context)
        elif not arg.startswith("-"):
            break
    return context


def _context(
    command: click.Command, name: str, parent: click.Context | None = None
) -> click.Context:
    """A context as click itself makes it; a command keeps what its first one says of --help."""
    return click.Context(command, parent=parent, info_name=name, **command.context_settings)


def _right_option(
    name: str, context: click.Context, app: click.Group
) -> tuple[click.Context, str | None, str]:
    """The command and the option that may have been meant, and what to tell of them."""
    report = name.removeprefix("--")
    if "--report" in _options(context) and report in plugins.names("reports"):
        return context, "--report", f"write --report {report}=FILE"
    near = get_close_matches(name, _options(context), n=1)
    if near:
        return context, near[0], f"did you mean {near[0]}?"
    having = [other for other in contexts(app) if name in _options(other)]
    if having:
        paths = ", ".join(other.command_path for other in having)
        return having[0], name, f"it's an option of {paths}, so write it after that command"
    there_are = ", ".join(option for option in _options(context) if option.startswith("--"))
    return context, None, f"choose from: {there_are}"


def _options(context: click.Context) -> list[str]:
    params = context.command.get_params(context)
    return [opt for param in params if isinstance(param, click.Option) for opt in param.opts]


def _right_command(name: str, context: click.Context) -> tuple[str | None, str]:
    """The command that may have been meant, and what to tell of it."""
    from simulator.files.catalog import client_names

    group = context.command
    known = group.list_commands(context) if isinstance(group, click.Group) else []
    if context.parent is None and name in client_names(Path.cwd()):
        return "run", f"did you mean mogi run {name}? choose from: {', '.join(known)}"
    return next(iter(get_close_matches(name, known, n=1)), None), plugins.suggest(
        name, tuple(known)
    )


def _right_choice(param: click.Option, sentence: str) -> str:
    typed = _NO_CHOICE.search(sentence)
    if not isinstance(param.type, click.Choice) or not typed:
        return ""
    near = get_close_matches(typed[1], [str(choice) for choice in param.type.choices], n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _example(context: click.Context, shown: str | None) -> list[str]:
    """The example that shows this option or command, or else the first."""
    japanese = (exits.help_text(context.command_path) or "").rpartition(" 例:\n")[2]
    known = _EXAMPLE.findall(japanese.partition("\n\n")[0]) or examples(context.command)
    fitting = [example for example in known if shown in example.split()] or known
    return [f"Example:  {fitting[0]}"] if fitting else []
