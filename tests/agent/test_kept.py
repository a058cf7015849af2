"""What is found out about a dataset is kept for the questions that follow, and for not too many datasets."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from checks.table import Table
from review_graph import asking, build
from review_graph.core.disclosure import Units
from review_graph.tools.disclosing import Group
from review_graph.tools.tool import NotAnswered
from review_graph.tools.units import units_of
from review_graph.vocabulary import AnswerStatus
from tests.agent.things import Desk, calls

At = Callable[..., Desk]
COUNT = calls(("count_subjects", {"arm": "Placebo"}))
ANSWER = "86 subjects are on placebo."


@pytest.fixture
def found_out(monkeypatch: pytest.MonkeyPatch) -> list[Table]:
    """The tables whose subjects were found out, each time."""
    tables = list[Table]()

    def found_out(table: Table) -> Units:
        tables.append(table)
        return units_of(table)

    monkeypatch.setattr("review_graph.tools.disclosing.units_of", found_out)
    return tables


def test_whose_the_rows_are_is_found_out_once_a_dataset(desk: At, found_out: list[Table]) -> None:
    at = desk(COUNT, ANSWER, COUNT, ANSWER)
    answers = [at.ask("How many are on placebo?", session="s") for _ in range(2)]
    assert [answer.status for answer in answers] == [AnswerStatus.ANSWERED] * 2
    assert len(found_out) == 1
    another = at.service.start(at.data, fresh=True)
    assert another.id != at.id
    assert at.service.asking.matter(another.id or "").disclosure is at.service.asking.matter(at.id).disclosure
    assert len(found_out) == 1


def test_what_others_were_told_meanwhile_counts_all_the_same(desk: At) -> None:
    at = desk()
    own = at.service.asking.matter(at.id)
    rows = np.arange(own.table.rows)
    own.disclosure.tell({"ask": "the first half"}, [Group(label=(), rows=rows < len(rows) // 2)])
    with build(at.settings, clock=at.hands, model=at.model) as other:
        everybody = [Group(label=(), rows=rows >= 0)]
        assert other.asking.matter(at.id).disclosure.tell({"ask": "everybody"}, everybody)[0].shows
    kept = at.service.asking.matter(at.id).disclosure
    assert kept is own.disclosure
    with pytest.raises(NotAnswered):
        kept.tell({"ask": "all but three"}, [Group(label=(), rows=rows >= 3)])


def test_of_few_datasets_only(desk: At, found_out: list[Table], tmp_path: Path) -> None:
    at = desk()
    reviews = [at.review]
    for number in range(asking.KEPT):
        path = tmp_path / f"adsl{number}.parquet"
        shutil.copy(at.data, path)
        reviews.append(at.service.start(path))
    for review in reviews:
        at.service.asking.matter(review.id or "")
    assert len(found_out) == asking.KEPT + 1
    at.service.asking.matter(reviews[-1].id or "")
    assert len(found_out) == asking.KEPT + 1
    at.service.asking.matter(at.id)
    assert len(found_out) == asking.KEPT + 2
