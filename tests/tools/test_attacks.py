"""Attacks on disclosure control: none of them learns a count of 1 to 4, or anything else about a few subjects."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from review_graph.adapters.in_memory import MemoryLedgers
from tests.tools.attacking import Attacker, disclosure

ADSL = pl.read_parquet(Path(__file__).parents[2] / "data" / "adsl.parquet")
SAFE = pl.col("SAFFL") == "Y"
BANDS = ((0, 17), (18, 39), (40, 64), (65, 74), (75, 84), (85, 120))
Clock = Callable[[], dt.datetime]


def invented(seed: int) -> pl.DataFrame:
    """Another study: 130 subjects with one to four visits."""
    dice = np.random.default_rng(seed)
    visits = dice.integers(1, 5, 130)
    once = pl.DataFrame(
        {
            "USUBJID": [f"S-{number:03}" for number in range(130)],
            "AGE": dice.integers(50, 90, 130),
            "SEX": dice.choice(["F", "M"], 130, p=[0.9, 0.1]),
            "TRT01A": dice.choice(["A", "B", "C"], 130, p=[0.5, 0.45, 0.05]),
            "SAFFL": dice.choice(["Y", "N"], 130, p=[0.97, 0.03]),
        }
    )
    return once.select(pl.all().repeat_by(pl.Series(visits)).explode()).with_columns(
        VISIT=pl.int_range(pl.len()).over("USUBJID"), AVAL=pl.Series(dice.normal(100, 15, visits.sum()))
    )


TABLES = {"adsl": ADSL, "invented": invented(20261130)}


@pytest.fixture(params=TABLES)
def data(request: pytest.FixtureRequest) -> pl.DataFrame:
    return TABLES[request.param]


@pytest.fixture
def attacker(data: pl.DataFrame, clock: Clock) -> Attacker:
    return Attacker(data, disclosure(data, MemoryLedgers(), clock).tell)


def few(data: pl.DataFrame, number: int) -> pl.Expr:
    """So many subjects, all their rows."""
    return pl.col("USUBJID").is_in(data["USUBJID"].unique().sort().head(number).implode())


def test_subtracting_two_ranges(attacker: Attacker) -> None:
    answers = [attacker.ask(f"from {age}", pl.col("AGE") >= age) for age in range(50, 90)]
    assert [] in answers
    assert sum(answer != [] for answer in answers) > 5
    assert attacker.found() == []


def test_total_minus_parts(attacker: Attacker, data: pl.DataFrame) -> None:
    """Within an answer, and over answers."""
    cells = [
        (pl.col("TRT01A") == arm) & (pl.col("SEX") == sex) & pl.col("AGE").is_between(*band)
        for arm in data["TRT01A"].unique().sort()
        for sex in "FM"
        for band in BANDS
    ]
    assert attacker.ask("cells and total", *cells, pl.lit(value=True) & pl.col("AGE").is_not_null())
    for arm in data["TRT01A"].unique().sort():
        attacker.ask(f"arm {arm}", pl.col("TRT01A") == arm)
        for sex in "FM":
            attacker.ask(f"arm {arm}, sex {sex}", (pl.col("TRT01A") == arm) & (pl.col("SEX") == sex))
    for band, sex in itertools.product(BANDS, "FM"):
        attacker.ask(f"band {band}, sex {sex}", pl.col("AGE").is_between(*band) & (pl.col("SEX") == sex))
    assert attacker.found() == []


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("order", [1, -1])
def test_mean_of_some_and_of_a_few_more(attacker: Attacker, data: pl.DataFrame, number: int, order: int) -> None:
    some = pl.col("AGE") < 80
    questions = [("all", some), ("but a few", some & ~few(data.filter(some), number))]
    first, second = [attacker.ask(*question) for question in questions[::order]]
    assert first
    assert second == []
    assert attacker.ask("but ten", some & ~few(data.filter(some), 10))


def test_mean_of_values_that_are_not_missing(clock: Clock) -> None:
    """One subject's value is missing: the group of a mean is one subject less than that of the count."""
    data = ADSL.with_columns(AGE=pl.when(pl.col("USUBJID") == ADSL["USUBJID"][0]).then(None).otherwise("AGE"))
    attacker = Attacker(data, disclosure(data, MemoryLedgers(), clock).tell)
    assert attacker.ask("count", pl.col("SEX") == "F")
    assert attacker.ask("mean", (pl.col("SEX") == "F") & pl.col("AGE").is_not_null()) == []


@pytest.mark.parametrize("changed", [False, True], ids=["the rest as it was", "every row changed"])
def test_mean_of_some_and_of_one_more_over_two_versions(data: pl.DataFrame, clock: Clock, *, changed: bool) -> None:
    ledgers = MemoryLedgers()
    before = data.filter(pl.col("USUBJID") != data["USUBJID"].max())
    after = data.with_columns(STUDYID=pl.lit("again")) if changed else data
    of_old = Attacker(before, disclosure(before, ledgers, clock, "old").tell)
    of_new = Attacker(after, disclosure(after, ledgers, clock, "new").tell)
    assert of_old.ask("all", pl.col("USUBJID").is_not_null())
    assert of_new.ask("all", pl.col("USUBJID").is_not_null()) == []
    without = pl.col("USUBJID") != data["USUBJID"].max()
    assert of_new.ask("those before", without) == of_old.ask("those before", without) != []


def test_one_more_record_in_another_version(clock: Clock) -> None:
    """The subjects are the same, and so is each value: the difference of two sums is one record."""
    ledgers, data = MemoryLedgers(), invented(7)
    for place in (5, len(data) - 1):
        before = pl.concat([data.head(place), data.tail(len(data) - place - 1)])
        of_old = Attacker(before, disclosure(before, ledgers, clock, f"without {place}").tell)
        of_new = Attacker(data, disclosure(data, ledgers, clock, "new").tell)
        name = f"values, {place}"
        assert of_old.ask(name, pl.col("AVAL").is_not_null())
        assert of_new.ask(name, pl.col("AVAL").is_not_null()) == []
        ledgers = MemoryLedgers()


def test_one_corrected_value_in_another_version(data: pl.DataFrame, clock: Clock) -> None:
    """The groups are the same: the difference of two means is the correction of one subject."""
    ledgers = MemoryLedgers()
    one = pl.col("USUBJID") == data["USUBJID"][0]
    after = data.with_columns(AGE=pl.when(one).then(pl.col("AGE") - 1).otherwise("AGE"))
    everybody = pl.col("USUBJID").is_not_null()
    assert Attacker(data, disclosure(data, ledgers, clock, "old").tell).ask("mean", everybody)
    assert Attacker(after, disclosure(after, ledgers, clock, "new").tell).ask("mean", everybody) == []


def test_repeated_questions(attacker: Attacker, data: pl.DataFrame) -> None:
    """The same in other words, and after others, gets the same answer; one that was refused stays refused."""
    some = pl.col("AGE") < 75
    questions = [("some", some), ("a few", few(data, 3)), ("some but a few", some & ~few(data.filter(some), 3))]
    first = [attacker.ask(*question) for question in questions]
    assert [len(answer) for answer in first] == [1, 1, 0]
    for age in range(55, 85, 3):
        attacker.ask(f"over {age}", pl.col("AGE") > age)
    assert [attacker.ask(*question) for question in questions] == first
    assert [attacker.ask(f"  {name} ", group) for name, group in questions] == first
    assert [attacker.ask(f"{name} again", group) for name, group in questions] == first
    assert attacker.found() == []


def test_two_callers(data: pl.DataFrame, clock: Clock) -> None:
    ledgers = MemoryLedgers()
    one, two = (Attacker(data, disclosure(data, ledgers, clock).tell) for _ in range(2))
    for age in range(50, 90):
        (one if age % 2 else two).ask(f"from {age}", pl.col("AGE") >= age)
    together = Attacker(data, one.tell, one.asked + two.asked, one.refused + two.refused)
    assert one.asked
    assert two.asked
    assert together.found() == []


def test_two_callers_at_the_same_time(data: pl.DataFrame, clock: Clock) -> None:
    ledgers = MemoryLedgers()
    callers = [Attacker(data, disclosure(data, ledgers, clock).tell) for _ in range(2)]
    some = pl.col("AGE") < 80
    groups = (some, some & ~few(data.filter(some), 2))
    with ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(partial(one.ask, str(n), group))
            for n, (one, group) in enumerate(zip(callers, groups, strict=True))
        ]
    assert sorted(len(one.result()) for one in asked) == [0, 1]


def test_bounds_of_small_groups(attacker: Attacker, data: pl.DataFrame) -> None:
    """Four of one subject each are `<5` each; if they were `<5` together, they would be one each."""
    ones = [pl.col("USUBJID") == name for name in data["USUBJID"].unique().sort().head(4)]
    assert [attacker.ask(str(place), one) for place, one in enumerate(ones)] == [["<5"]] * 4
    attacker.ask("together", pl.any_horizontal(ones))
    attacker.ask("all but these", ~pl.any_horizontal(ones))
    assert attacker.found() == []


def test_trackers(attacker: Attacker, data: pl.DataFrame) -> None:
    """A few are padded with others who are asked for alone: C and T, and C without T, for any T."""
    target = few(data, 2)
    for age in range(55, 85, 5):
        attacker.ask(f"pad {age}", (pl.col("AGE") < age) & ~target)
        attacker.ask(f"padded {age}", (pl.col("AGE") < age) | target)
        attacker.ask(f"rest {age}", (pl.col("AGE") >= age) & ~target)
        attacker.ask(f"padded rest {age}", (pl.col("AGE") >= age) | target)
    attacker.ask("not the target", ~target)
    assert attacker.asked
    assert attacker.found() == []


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_order_of_questions(order: tuple[int, ...], clock: Clock) -> None:
    """Four that give two subjects away together: whichever comes last is refused."""
    data = invented(3)
    target, men, young = few(data, 2), pl.col("SEX") == "M", pl.col("AGE") < 70
    groups = [men | target, young & ~men & ~target, men & ~target, young & ~men]
    attacker = Attacker(data, disclosure(data, MemoryLedgers(), clock).tell)
    answers = [attacker.ask(str(place), groups[place]) for place in order]
    assert [] in answers
    assert attacker.found() == []


@pytest.mark.parametrize("seed", range(3))
def test_questions_at_random(attacker: Attacker, data: pl.DataFrame, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - a test
    for number in range(25):
        low = dice.randint(50, 80)
        group = pl.col("AGE").is_between(low, low + dice.randint(3, 30))
        if dice.random() < 0.5:
            group &= pl.col("TRT01A") == dice.choice(data["TRT01A"].unique().sort().to_list())
        parts = [group & (pl.col("SEX") == sex) for sex in "FM"] if dice.random() < 0.5 else []
        attacker.ask(str(number), group, *parts)
    assert len(attacker.asked) > 5
    assert attacker.found() == []


def ordinary(data: pl.DataFrame) -> list[tuple[str, pl.Expr]]:
    """Counts on the safety population by arm, sex and band of age, and their margins."""
    arms = [pl.col("TRT01A") == arm for arm in data.filter(SAFE)["TRT01A"].unique().sort()]
    sexes = [pl.col("SEX") == sex for sex in "FM"]
    bands = [pl.col("AGE").is_between(*band) for band in BANDS]
    chosen = itertools.product(*([None, *some] for some in (arms, sexes, bands)))
    groups = [pl.all_horizontal(SAFE, *(one for one in some if one is not None)) for some in chosen]
    return [(str(place), group) for place, group in enumerate(groups)]


@pytest.mark.parametrize("seed", range(5))
def test_ordinary_questions_are_answered(seed: int, clock: Clock) -> None:
    """At least 18 of 20, drawn at random from the 84 that there are, in any order."""
    attacker = Attacker(ADSL, disclosure(ADSL, MemoryLedgers(), clock).tell)
    questions = random.Random(seed).sample(ordinary(ADSL), 20)  # noqa: S311 - a test
    answers = [attacker.ask(*question) for question in questions]
    assert sum(answer != [] for answer in answers) >= 18
    assert attacker.found() == []
