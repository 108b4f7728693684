"""Clusters of 300 questions in two languages, measured: are they what people call the same?"""

from pathlib import Path

import pytest
import yaml

from simulator.core.persona import Language
from simulator.files.client.folder import load_client
from simulator.generate.log import clustered

ASKED: dict[str, dict[str, list[str]]] = yaml.safe_load(
    (Path(__file__).parent / "asked.yaml").read_text("utf-8")
)


@pytest.mark.parametrize(
    ("language", "client", "precision", "recall"),
    [("ja", "demo", 0.99, 0.62), ("en", "demo-en", 0.94, 0.70)],
)
def test_most_questions_of_a_cluster_ask_the_same(
    tmp_path: Path, language: Language, client: str, precision: float, recall: float
) -> None:
    """B-cubed (Bagga and Baldwin 1998): the means over all questions."""
    matters = dict(ASKED[language])
    nothing = matters.pop("nothing")
    matter_of = {question: name for name, some in matters.items() for question in some}
    knowledge = load_client(client, cwd=tmp_path).knowledge
    assert knowledge is not None
    log = clustered([*matter_of, *nothing], knowledge.documents(), language)
    assert len(nothing) == log.empty
    shares, parts = list[float](), list[float]()
    for cluster in log.clusters:
        for question in cluster.wordings:
            same = [other for other in cluster.wordings if matter_of[other] == matter_of[question]]
            shares.append(len(same) / len(cluster.wordings))
            parts.append(len(same) / len(matters[matter_of[question]]))
    assert sum(shares) / len(shares) >= precision
    assert sum(parts) / len(parts) >= recall
