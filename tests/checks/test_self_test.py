from collections import Counter

import pytest

from simulator.checks.self_test import seeded
from simulator.core.form import normal_form
from simulator.core.persona import Language
from simulator.generate.attempts import is_written_in


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_set_is_large_and_holds_both_faults(language: Language) -> None:
    counts = Counter(q.faults for _, asked in seeded(language).entries for q in asked)
    assert {(), ("viewpoint",), ("inconsistency",)} == set(counts)
    assert min(counts.values()) >= 15
    assert sum(counts.values()) >= 40


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_question_stands_there_twice_or_in_another_language(language: Language) -> None:
    texts = [q.text for _, asked in seeded(language).entries for q in asked]
    assert [] == [text for text in texts if not is_written_in(text, language)]
    assert len(texts) == len({normal_form(text) for text in texts})
