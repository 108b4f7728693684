"""What `grounded` reaches on the cases and on planted additions must not get lost."""

import pytest

from simulator.core.persona import Language
from simulator.text.grounding import statements
from tests.text.grounding_figures import (
    BORNE_OUT_KIND,
    DEMOS,
    HALVES,
    LANGUAGES,
    OTHER_ENTRY,
    auc,
    cases,
    planted,
    shares,
)

REACHED = [
    ("ja", "built_on", 0.93, 0.7),
    ("ja", "unseen", 0.88, 0.5),
    ("en", "built_on", 0.94, 0.9),
    ("en", "unseen", 0.96, 0.6),
]


@pytest.mark.parametrize(("language", "half", "area", "paraphrased"), REACHED)
def test_what_is_borne_out_is_told_from_what_is_not(
    language: Language, half: str, area: float, paraphrased: float
) -> None:
    found = cases(language, half)
    assert auc(found) >= area
    right = shares(found)
    assert right[BORNE_OUT_KIND] >= paraphrased
    for kind in ("number", "unit", "added", OTHER_ENTRY):
        assert right[kind] >= 0.8


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_borne_out_or_of_another_entry_is_never_contradicted(language: Language) -> None:
    for half in HALVES:
        for case in cases(language, half):
            if case.kind in (BORNE_OUT_KIND, OTHER_ENTRY):
                found = statements(case.sentence, [case.document], "", language)
                assert not [s.sentence for s in found if s.contradicted]


@pytest.mark.parametrize("kind", ["number", "unit"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_another_number_or_unit_contradicts(language: Language, kind: str) -> None:
    told = [c for half in HALVES for c in cases(language, half) if c.kind == kind]
    found = [statements(c.sentence, [c.document], "", language) for c in told]
    assert sum(any(s.contradicted for s in some) for some in found) >= 0.8 * len(told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_planted_additions_are_flagged_and_right_replies_are_not(language: Language) -> None:
    flagged = planted(DEMOS[language], language)
    assert max(flagged.pop("right"), flagged.pop("right, cut")) < 0.05
    assert min(flagged.values()) >= 0.7
