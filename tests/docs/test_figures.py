"""The README shows the figures that docs/performance.md has, of the same run; the benchmark writes both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.big_table import pages, tables
from tests.benchmarks.big_table.line_up import LINE_UP

WHOLE = pages.ROOT / "docs" / "performance.md"


def test_the_short_table_is_that_of_the_whole_one() -> None:
    rows = pages.rows_in(pages.part_of(WHOLE))
    assert {len(row) for row in rows} == {len(tables.HEAD)}
    assert pages.part_of(pages.ROOT / "README.md") == pages.short(rows)


def test_who_is_shown_takes_part() -> None:
    assert set(pages.SHOWN) <= {contestant.name for contestant in LINE_UP}


def test_table_is_written_between_the_marks_and_nowhere_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{pages.START}\nold\n{pages.END}\nafter\n", encoding="utf-8")
    for table in ("new", "newer"):
        pages.write(page, table)
        assert page.read_text(encoding="utf-8") == f"before\n{pages.START}\n\n{table}\n\n{pages.END}\nafter\n"
    assert pages.part_of(page) == "newer"


def test_page_without_a_place_for_it_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="has no place for the table"):
        pages.write(page, "new")
    assert page.read_text(encoding="utf-8") == "before\n"
