"""What follows from bounds: cases that adding and subtracting alone does not find."""

from __future__ import annotations

import numpy as np
import pytest

from review_graph.core.disclosure import Audit, How, Known, hide
from tests.core.disclosure.universes import Universe

CASES: dict[str, tuple[list[int], list[list[int]], list[str]]] = {
    # sizes of the cells, groups of the answer, what is said of each
    "small": ([3, 20], [[0]], ["small"]),
    "complement of all": ([3, 20], [[1]], []),
    "total and parts": ([3, 12, 20, 9], [[0], [1], [2], [0, 1, 2]], ["small", "withheld", "told", "told"]),
    "both at their most": ([4, 4, 12, 9], [[0], [1], [2], [0, 1, 2]], ["small", "small", "withheld", "told"]),
    "both at their least": ([1, 1, 12, 9], [[0], [1], [2], [0, 1, 2]], ["small", "small", "withheld", "told"]),
    "in between": ([2, 3, 12, 9], [[0], [1], [2], [0, 1, 2]], ["small", "small", "told", "told"]),
    "four of one are small together": ([1, 1, 1, 1, 9], [[0], [1], [2], [3], [0, 1, 2, 3]], []),
    "the smallest may be no larger than the next": (
        [4, 8, 8, 9],
        [[0], [1], [2], [0, 1, 2]],
        ["small", "withheld", "withheld", "told"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_bounds_give_away_is_hidden(case: str) -> None:
    sizes, groups, said = CASES[case]
    assert [known.how.value for known in Universe(sizes, 5).ask(groups).known] == said


def test_one_record_each_is_found_out_by_counting_records() -> None:
    """Five terms that one subject each has, once: they have another one too, so subjects do not add up; records do."""
    term_of = np.array([0] * 40 + [1, 2, 3, 4, 5])
    owners = np.concatenate([np.arange(40) % 30, np.arange(5)])
    sets = [(np.isin(np.arange(30), owners[term_of == term]), term_of == term) for term in range(6)]
    everything = (np.ones(30, np.bool_), np.ones(45, np.bool_))
    audit = Audit.of(5, [30, owners], rows=1).split([everything]).learn([Known(how=How.ALL, below=5)])
    said = [known.how for known in hide(audit, [*sets[1:], sets[0], everything]).known]
    assert said == [How.SMALL] * 5 + [How.WITHHELD, How.TOLD]
