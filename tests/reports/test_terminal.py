"""The terminal report: what it says, that it fits, and that nothing in it can do harm."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from simulator.core.errors import InputError
from simulator.core.outcome import Gap, Score, Unscored
from simulator.core.persona import Language
from simulator.core.plan import Gate
from simulator.core.run import Episode, Ledger
from simulator.core.scenario import Approval, Expected, Scenario
from simulator.core.talk import Exchange, Reply
from simulator.reports.terminal import Terminal
from tests.execution.scored import GAP, LEXICAL, OVERALL, episode, failed, header, rated, run, turn
from tests.reports.printed import COLOURED, FINE, WEAK, Printed, mixed, wide


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_fits_the_screen(printed: Printed, width: int) -> None:
    for made in (mixed("ja"), mixed("en"), wide(20, 40), run(header())):
        lines = printed(made, width).splitlines()
        commands = [line for line in lines if "  # " in line]  # a command is never broken
        too_wide = [x for x in lines if cell_len(x) > width and x not in commands]
        assert [] == too_wide


def test_a_very_wide_screen_is_not_filled(printed: Printed) -> None:
    assert max(map(cell_len, printed(mixed(), 300).splitlines())) <= 120


def test_the_score_stands_with_all_that_limits_it(printed: Printed) -> None:
    text = printed(mixed(gate=Gate(0.5)))
    assert "4 of 6 conversations, 7 turns" in text
    assert re.search(r"Score +0\.77 \(overall, rating 3\.83\) +too few scenarios", text)
    assert re.search(r"Range +0\.53–0\.62, depending on the missing scores\n", text)
    assert re.search("\n +turns with a bot error count as the lowest score here\n", text)
    assert "5 of 7 turns  (no score: judge response unreadable 1 · bot error 1)" in text
    assert re.search(r"Flagged +3 of 7 turns  overall below 0\.7", text)
    assert re.search(r"Gate +score of 0\.5 or more: passed", text)


def test_an_interval_is_shown_where_there_is_one(printed: Printed) -> None:
    assert re.search(r"Score .* 95% CI 0\.\d\d–0\.\d\d", printed(wide(2, 8)))


@pytest.mark.parametrize(("under", "verdict"), [(0.5, "passed"), (0.9, "failed"), (0.6, "undec")])
def test_the_gate_has_three_outcomes(printed: Printed, under: float, verdict: str) -> None:
    assert f"{under:g} or more: {verdict}" in printed(mixed(gate=Gate(under)))


def test_who_confirmed_what_conversations_rest_on(printed: Printed) -> None:
    def talk(name: str, approved: Approval) -> Episode:
        expected = Expected(elements=(("soon",),), approved=approved)
        made = episode(FINE, scenario=name)
        return replace(made, scenario=Scenario(name, "When?", expected=expected))

    talks = [talk("a", Approval.OPEN), talk("b", Approval.BULK), talk("c", Approval.CONFIRMED)]
    whole = run(header(gate=Gate(0.5)), *talks, talk("d", Approval.OPEN))
    text = " ".join(printed(whole).split())
    of = "2 of 4 conversations depend on unconfirmed expectations"
    assert f"Expectations {of}; 1 of 4 depends on expectations confirmed in bulk" in text
    assert "reviewers: mogi review expectations acme" in text
    assert "50% of it depends on unconfirmed expectations" in text
    assert "Expectations" not in printed(run(header(), talks[2]))


def test_without_gaps_there_are_no_bounds(printed: Printed) -> None:
    text = printed(run(header(), episode(FINE)))
    assert "Range" not in text
    assert "missing" not in text
    assert "Gate" not in text
    assert "No flagged turns." in text


@pytest.mark.parametrize("language", ["ja", "en"])
def test_only_failed_turns_are_said_to_count_as_the_lowest(
    printed: Printed, language: Language
) -> None:
    text = printed(run(header(language=language), episode(FINE, turn(GAP))))
    assert re.search("Range|スコアの幅", text)
    assert not re.search("count as the lowest|最低点とします", text)
    assert "最低点とします" in printed(mixed("ja"))


def test_what_makes_the_score_doubtful_stands_above_it(printed: Printed) -> None:
    text = printed(mixed())
    assert 0 < text.index("repeats the bot 1") < text.index("Score")


def test_a_model_that_reads_claims_is_named(printed: Printed) -> None:
    read = header(metrics=(LEXICAL,), score_by="lexical", snapshot={"client.reader.model": "m1"})
    made = run(read, episode(turn(Score(0.25, 0.25), metric="lexical")))
    text = printed(made)
    assert "claims checked by m1\n" in text
    assert "mogi didn't call a model." in printed(replace(made, header=replace(read, offline=True)))


def test_nothing_scored_is_said_not_shown_as_a_number(printed: Printed) -> None:
    head = header(metrics=(OVERALL, LEXICAL))
    text = printed(run(head, episode(turn(Unscored(Gap.NOT_APPLICABLE)))))
    assert re.search(r"Score +no scores", text)
    assert not re.search(r"No flagged turns|worst first|Metric|–|\n\n\n", text)


def test_failures_are_shown_where_nothing_was_scored(printed: Printed) -> None:
    text = printed(run(header(), episode(failed(), scenario="login")))
    assert re.search(r"^login +– ✗$", text, re.MULTILINE)
    assert "Flagged turns, worst first (1 of 1, in " in text


def test_headings_follow_the_clients_language(printed: Printed) -> None:
    text = printed(mixed("ja"))
    assert "スコア" in text
    assert "シナリオとペルソナごとのOverallと結果（低い順）" in text
    assert "Score" not in text


def test_the_heat_map_reads_without_colour(printed: Printed) -> None:
    lines = printed(mixed()).splitlines()
    start = next(i for i, line in enumerate(lines) if "by scenario and persona" in line)
    table = [line.split() for line in lines[start + 1 : start + 6]]
    assert [
        ["angry", "calm", "all"],
        ["解約したい（年払い）", "–", "✗", "–", "–", "✗1"],
        ["refund", "–", "1.00", "?", "1.00", "?1"],
        ["login", "0.70", "0.60", "?", "0.65", "?1"],
        ["all", "0.70", "✗1", "0.80", "?2", "0.77", "✗1", "?2"],
    ] == table


def test_large_heat_maps_show_the_worst_and_say_what_is_left_out(printed: Printed) -> None:
    text = printed(wide(20, 40), 80)
    assert 15 == len(re.findall(r"^scenario-\d+ +\d", text, re.MULTILINE))
    assert "and 25 more scenarios: mogi show 3f9ab2c1 --map\n" in text
    hidden = re.search(r"and (\d+) more personas", text)
    assert hidden
    heads = re.findall(r"persona-\d+", text.split("worst first")[1].split("scenario-")[0])
    assert 20 == int(hidden.group(1)) + len(heads)


def test_scenarios_that_pass_wholly_are_one_line(printed: Printed) -> None:
    fine = [episode(FINE, scenario=f"fine-{n}") for n in range(4)]
    text = printed(run(header(), episode(WEAK, scenario="weak"), *fine))
    assert "and 4 scenarios that pass in every conversation" in text
    assert "fine-0" not in text.split("worst first")[1].split("Flagged turns")[0]
    assert "fine-0" in printed(run(header(), episode(WEAK, scenario="weak"), *fine[:3]))


def test_what_to_mend_first_stands_before_the_map(printed: Printed) -> None:
    weak = turn(rated(1), blames=("unused",))
    talks = [episode(weak, scenario="refund", persona=name) for name in ("calm", "angry")]
    talks += [episode(failed(), scenario="login")]
    text = printed(run(header(), *talks))
    mend = text.index("Fix these 2 first (3 of 3 failures)")
    assert mend < text.index("by scenario and persona")
    assert [" 2×  Retrieved but not used (refund) user: Where is my parcel?"] == re.findall(
        r"^ 2×  Retr.*$", text, re.MULTILINE
    )


def test_what_to_mend_is_named_by_what_the_scenario_asks(printed: Printed) -> None:
    talk = episode(FINE, turn(rated(1), exchange=Exchange(2, "Useless.", Reply("No."))))
    asked = replace(talk, scenario=Scenario("refund", "Can I have my money back?"))
    lines = printed(run(header(), asked)).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("Fix this first"))
    assert lines[at + 1].endswith("Unknown cause user: Can I have my money back?")


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("client", ["s", "説明の長いシナリオ"])
def test_fifteen_hundred_conversations_begin_with_one_screen(
    printed: Printed, width: int, client: str
) -> None:
    models = {"client.user.chat.model": "small" * 40, "client.judge.chat.model": "large" * 40}
    long = header(client=client * 10, snapshot=models)
    lines = printed(replace(wide(15, 100), header=long), width).splitlines()
    at = {
        what: next(n for n, line in enumerate(lines) if line.startswith(what))
        for what in ("Fix this", "✗ = failed", "Flagged turns, worst first")
    }
    assert at["Fix this"] < at["✗ = failed"] < 40
    assert len(re.findall(r"^scenario-\d+ +\d", "\n".join(lines[:40]), re.MULTILINE)) >= 5


def test_the_models_are_named(printed: Printed) -> None:
    models = {"client.user.chat.model": "small", "client.judge.chat.model": "large"}
    text = printed(run(header(snapshot=models), episode(FINE)))
    assert "users played by small · judged by large" in text


def test_metrics_are_listed_where_there_are_several(printed: Printed) -> None:
    assert "Metric" not in printed(mixed())
    both = turn(rated(4), outcomes={"overall": rated(4), "lexical": Score(0.5, 0.5)})
    text = printed(run(header(metrics=(OVERALL, LEXICAL)), episode(both)))
    assert re.search(r"Metric +Mean +95% CI +Rating +Scored +Threshold +Flagged", text)
    assert re.search(r"^overall +0\.80 +4 +1/1 +0\.7 +0$", text, re.MULTILINE)
    assert re.search(r"^lexical +0\.50 +1/1$", text, re.MULTILINE)


def test_how_it_ended_and_what_it_cost(printed: Printed) -> None:
    text = printed(mixed())
    assert re.search(r"Ended +no more questions 1 · turn limit 3", text)
    assert re.search(r"Failures +bot 1 · judging 1 · unfinished 2", text)
    assert re.search(r"Calls +judge 7 · bot 7", text)
    assert re.search(r"Tokens +12,345 in \(1,000 cached\), 678 out", text)
    assert re.search(r"Cost +\$0\.2500", text)
    assert re.search(r"Time +1 min 53 s", text)


def test_an_unknown_price_is_said(printed: Printed) -> None:
    made = run(header(), episode(FINE), ledger=Ledger({"judge": 1}, 1, 1, 0, None))
    assert re.search(r"Cost +unknown: a model has no price", printed(made))


def test_how_to_go_on(printed: Printed) -> None:
    text = printed(mixed())
    assert "mogi run --resume 3f9ab2c1 " in text
    assert "mogi show 3f9ab2c1 '解約したい（年払い）/angry/1' " in text
    assert "mogi export 3f9ab2c1 " in text
    finished = printed(run(header(), episode(FINE)))
    assert "--resume" not in finished
    assert "mogi show" not in finished


@pytest.mark.parametrize("environment", [{}, COLOURED])
def test_commands_are_never_broken(printed: Printed, environment: dict[str, str]) -> None:
    text = printed(mixed(), 40, environment)
    assert re.search(
        r"# a conversation, turn by turn\S*\n\S*  "
        r"mogi show 3f9ab2c1 '解約したい（年払い）/angry/1'",
        text,
    )


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_commands_do_stays_on_the_screen(printed: Printed, language: Language) -> None:
    for width in (80, 100):
        lines = printed(mixed(language), width).splitlines()
        assert [] == [line for line in lines if cell_len(line) > width]
    assert re.search(r"mogi export 3f9ab2c1 +# ", printed(mixed(language), 100))


def test_what_does_not_apply_is_counted_beside_the_gaps(printed: Printed) -> None:
    idle = turn(Unscored(Gap.NOT_APPLICABLE))
    assert "1 of 1 turn  not applicable 2" in printed(run(header(), episode(FINE, idle, idle)))
    ja = printed(run(header(language="ja"), episode(FINE, idle, turn(GAP))))
    missing = "2 往復のうち 1 往復 点数なし: 採点結果を読み取れない 1 件"
    assert missing in " ".join(ja.split())
    assert "対象外: 1 件" in ja


@pytest.mark.parametrize("term", ["xterm", "linux"])
def test_worst_and_best_look_different_in_few_colours(printed: Printed, term: str) -> None:
    one = [episode(turn(rated(1)), scenario="s1"), episode(turn(rated(5)), scenario="s5")]
    several = [episode(turn(rated(5)), scenario=f"s{n}", repeat=r) for n in (2, 4) for r in (2, 3)]
    mixed_ = [
        *(episode(turn(rated(1)), scenario="s2", repeat=n) for n in (1, 4, 5)),
        episode(turn(rated(1)), scenario="s4", repeat=1),
    ]
    made = run(header(), *one, *several, *mixed_)
    text = printed(made, environment={"FORCE_COLOR": "1", "TERM": term})
    cells = re.findall(r"^s\d[^\x1b]*(\x1b\[[\d;]+m) \d", text, re.MULTILINE)
    assert ["\x1b[1;37;41m", "\x1b[1;31m", "\x1b[30;43m", "\x1b[30;42m"] == cells
    assert "48;2" not in text
    assert re.search(r"\x1b\[1;31mIt is on its way\.", text)


def test_notes_of_the_run_are_passed_on(printed: Printed) -> None:
    assert "the gate speaks of overall" in printed(mixed(notes=("the gate speaks of overall",)))


PASTEL = "48;2;250;219;218"


def test_weak_answers_have_the_pastel_colour_and_dark_text(printed: Printed) -> None:
    text = printed(mixed(), environment=COLOURED)
    assert re.search(rf"\x1b\[38;2;60;20;18;{PASTEL}mIt depends\.", text)


def test_without_colour_nothing_but_text_is_printed(printed: Printed) -> None:
    colours = re.compile(r"\x1b\[[\d;]*(?:[34]8;|3\d|4\d)")
    assert colours.search(printed(mixed(), environment=COLOURED))
    assert not colours.search(printed(mixed(), environment={**COLOURED, "NO_COLOR": "1"}))
    assert "\x1b" not in printed(mixed())  # standard output is no terminal here


def hostile() -> Episode:
    text = "[bold red]x[/] \x1b[2J\x1b]0;title\x07 \u202eabc :smile: [link=http://x]y[/link]"
    weak = turn(rated(1, text), exchange=Exchange(1, text, Reply(text)))
    return episode(weak, scenario="s [red]\x1b[0m", persona="p[/]")


def test_no_text_of_a_model_can_do_harm(printed: Printed) -> None:
    text = printed(run(header(client="c\x1b[31m"), hostile()))
    assert "[bold red]x[/] [2J]0;title ⟨U+202E⟩abc :smile: [link=http://x]y[/link]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_file_holds_the_same_report_as_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    Terminal().write(mixed("ja"), str(path))
    text = path.read_text("utf-8")
    assert "スコア" in text
    assert "\x1b" not in text
    assert not re.search(r"[ \t]$", text, re.MULTILINE)


def test_a_file_that_cannot_be_written_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't write the report"):
        Terminal().write(mixed(), str(tmp_path / "missing" / "report.txt"))
