"""What is judged where talks are there already: a plan without users and without a bot."""

from collections.abc import Set
from dataclasses import replace

from simulator.build.metrics import applying, needs_no_answer, with_metrics
from simulator.build.options import Options
from simulator.build.plan import LEXICAL, is_judged, judge_of, plugin_of, user_model, with_embedding
from simulator.core.errors import InputError
from simulator.core.plan import Plan, UserSpec
from simulator.files.client.loading import LoadedClient


def make_judging_plan(
    loaded: LoadedClient, options: Options, gives: Set[str] | None
) -> tuple[LoadedClient, Plan]:
    """The client with the metrics that are to be scored, and the plan to do so.

    The plan holds no scenarios: they come with the talks.

    Args:
        loaded: the client, with the metrics of `options` if there are any.
        options: what was asked for.
        gives: what there is to score by, as `files.answers.columns` names it; None: scenarios of
            a client, which may hold anything.

    Raises:
        InputError: metrics need a judge or answers that are not there, or nothing applies.
    """
    speaks = user_model(loaded.client, options)
    asked = [metric for metric in loaded.client.metrics if is_judged(metric)]
    if options.judge_model and not asked:
        raise InputError(
            "--judge-model: none of the metrics needs a judge; leave it out, or name one that "
            "does, such as --metric overall"
        )
    judge = judge_of(loaded.client, options, speaks) if asked and not options.offline else None
    if asked and judge is None:
        if options.metrics:
            names = ", ".join(asked)
            raise InputError(f"{names}: only a judge can score that; name one with --judge-model M")
        loaded = _computed(loaded, gives)
    client, dropped = with_embedding(loaded.client, offline=options.offline)
    if dropped and options.metrics:
        raise InputError("--offline calls no model, and a metric that was named needs one")
    loaded = replace(loaded, client=client)
    if dropped:  # perhaps the very one that was the score
        loaded = _computed(loaded, gives)
    if gives is not None and "answer" not in gives:
        _check_without_answers(loaded)
    client = replace(loaded.client, judge=judge, user=UserSpec("agenda"))
    if options.budget_usd is not None:
        client = replace(client, limits=replace(client.limits, budget_usd=options.budget_usd))
    plan = Plan(client, {}, {}, offline=not (judge or client.embedding), limit=options.limit)
    return replace(loaded, client=client), plan


def _computed(loaded: LoadedClient, gives: Set[str] | None) -> LoadedClient:
    """The client with what can be scored without a judge."""
    kept = [metric for metric in loaded.client.metrics if not is_judged(metric)]
    names = dict.fromkeys([*(LEXICAL if gives is None else applying(gives)), *kept])
    if not names:
        raise InputError(
            "nothing can be scored: no column says what would be right. Add one named "
            "ground_truth (正解), elements (要素), documents (文書) or answerable (回答可能), "
            "or let a judge score (--judge-model M)"
        )
    return with_metrics(loaded, tuple(names))


def _check_without_answers(loaded: LoadedClient) -> None:
    plugins = [(name, plugin_of(name)) for name in loaded.client.metrics]
    wrong = [
        f"{name}: the file holds no answers that it could score; name a column answer or 回答"
        for name, plugin in plugins
        if plugin is None or not any(map(needs_no_answer, plugin.INFOS))
    ]
    if wrong:
        raise InputError(*wrong)
