from simulator.core.outcome import Gap, Score, Unscored
from simulator.view.aggregate import GapTexts


def test_the_most_frequent_text_is_kept() -> None:
    texts = GapTexts()
    assert "" == GapTexts().most
    once, twice = (Unscored(Gap.JUDGE_ERROR, said) for said in ("400: once", "400: twice"))
    idle = Unscored(Gap.NOT_APPLICABLE, "nothing was expected")
    texts.add([once, twice, idle, idle, idle, Score(1, 1), Unscored(Gap.BUDGET)])
    texts.add([twice])
    assert "400: twice" == texts.most


def test_texts_without_end_take_no_memory_without_end() -> None:
    texts = GapTexts()
    texts.add(Unscored(Gap.JUDGE_ERROR, f"request {n}") for n in range(10_000))
    texts.add([Unscored(Gap.JUDGE_ERROR, "request 0")])
    assert "request 0" == texts.most
    assert len(texts._counts) == 200
