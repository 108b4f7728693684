"""Japanese screens call personas and metrics by their names; English ones by what people type."""

from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.core.run import CellSummary, RunHeader
from simulator.view.summary import HeatMap
from simulator.view.worst import persona_names, score_name
from tests.execution.scored import header

NAMES = {"angry": "怒っている人"}


def of(language: Language) -> RunHeader:
    infos = (MetricInfo("lexical", "Lexical score"),)
    return header(language=language, score_by="lexical", metrics=infos, personas=NAMES)


def test_a_metric_of_mogi_has_a_japanese_name() -> None:
    assert ("lexical", "語句の点数") == (score_name(of("en")), score_name(of("ja")))


def test_the_map_names_personas_in_japanese_only() -> None:
    cells = {("angry", "s"): CellSummary(0.5, 1, 0, 0)}
    maps = [HeatMap.of(cells, "", persona_names(of(language))) for language in ("en", "ja")]
    assert [("angry",), ("怒っている人",)] == [each.heads for each in maps if each]
