"""The audit against brute force: among all tables that bear out the answers, no small group has one count only."""

from __future__ import annotations

import itertools
import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from review_graph.core.disclosure import Audit, How, hide
from tests.core.disclosure.universes import Universe

SIZES = st.lists(st.sampled_from([1, 1, 2, 4, 5]), min_size=2, max_size=5).filter(lambda sizes: sum(sizes) <= 14)


@st.composite
def sessions(draw: st.DrawFn) -> tuple[list[int], list[list[list[int]]]]:
    sizes = draw(SIZES)
    one = st.integers(0, len(sizes) - 1)  # bounds matter where small cells were asked for one by one
    group = st.one_of(one.map(lambda cell: [cell]), st.sets(one, min_size=2).map(sorted))
    return sizes, draw(st.lists(st.lists(group, min_size=1, max_size=4), min_size=1, max_size=5))


@settings(max_examples=150)
@given(sessions(), st.sampled_from([3, 4, 5]))
def test_no_table_but_the_true_one_is_ruled_out_for_a_small_group(
    session: tuple[list[int], list[list[list[int]]]], k: int
) -> None:
    sizes, questions = session
    universe = Universe(sizes, k)
    known_before = set(universe.determined(universe.open_))  # that of fewer than k subjects in all
    for groups in questions:
        outcome = universe.ask(groups)
        universe.take(groups, outcome.known, outcome.audit) if outcome.known else None
        assert set(universe.determined(universe.open_)) <= known_before


@settings(max_examples=50)
@given(sessions())
def test_marks_say_what_is_so(session: tuple[list[int], list[list[list[int]]]]) -> None:
    sizes, questions = session
    universe = Universe(sizes, 4)
    for groups in questions:
        outcome = universe.ask(groups)
        for group, known in zip(groups, outcome.known, strict=bool(outcome.known)):
            count = sum(sizes[cell] for cell in group)
            assert (known.how is How.SMALL) == (count < 4)
            assert known.most is None or count <= known.most
        universe.take(groups, outcome.known, outcome.audit) if outcome.known else None


def test_few_questions_are_refused_that_could_have_been_answered() -> None:
    """At most 5 of 100 refusals: of a withheld count too it is demanded that it can be another."""
    dice = random.Random(20261130)  # noqa: S311 - a test
    refused = needless = answered = 0
    for _ in range(60):
        universe = Universe([dice.choice([1, 1, 2, 3, 4]) for _ in range(dice.randint(3, 5))], dice.choice([3, 4, 5]))
        before = set(universe.determined(universe.open_))
        for _ in range(6):
            groups = [
                sorted({dice.randrange(len(universe.sizes)) for _ in range(3)}) for _ in range(dice.randint(1, 3))
            ]
            outcome = universe.ask(groups)
            if outcome.known:
                answered += 1
                universe.take(groups, outcome.known, outcome.audit)
                continue
            refused += 1
            told = universe.left(groups, universe.as_if_told(groups))
            needless += set(universe.determined(told)) <= before
    assert min(answered, refused) > 50
    assert needless <= refused * 0.05


ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=14)
CELLS = st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1, max_size=6)


@given(ROWS, CELLS)
def test_rows_of_a_few_subjects_never_come_out_of_sums(rows: list[tuple[int, int]], groups: list[set[int]]) -> None:
    """However many rows they are: whatever unions of cells were told, none of these is a combination of them."""
    owners = np.unique([owner for owner, _ in rows], return_inverse=True)[1]
    cell_of = np.array([cell for _, cell in rows])
    audit = Audit.of(3, [int(owners.max()) + 1, owners], rows=1)
    told = []
    for group in groups:
        members = np.isin(cell_of, sorted(group))
        outcome = hide(
            audit, [(np.isin(np.arange(owners.max() + 1), owners[members]), members)] if members.any() else []
        )
        audit = outcome.audit
        told += [members for known in outcome.known if known.how is How.TOLD]
    matrix = np.array(told, float).reshape(len(told), len(rows))
    for number in range(1, 6):
        for some in itertools.combinations(range(5), number):
            members = np.isin(cell_of, some)
            if 0 < len(set(owners[members])) < 3:
                assert np.linalg.matrix_rank(np.vstack([matrix, members])) > (
                    np.linalg.matrix_rank(matrix) if told else 0
                )
