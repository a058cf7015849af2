"""Plants faults in a table and keeps account of them: which rows, from what to what, and which checks must say so.

What must be found is written down by hand beside each fault; no check is run here.
"""  # noqa: INP001 - part of a program, not of a package

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Value = str | float | int | dt.datetime | None
Row = Mapping[str, Value]
New = Value | Callable[[Row], Value]
"""The planted value, or how to make it of the row it is planted in."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a check has to say of a fault.

    Attributes:
        code: Code of the check.
        severity: Severity of its finding.
        columns: Columns of its finding.
    """

    code: str
    severity: str
    columns: tuple[str, ...]


def major(code: str, *columns: str) -> Found:
    """Return a major finding."""
    return Found(code=code, severity="major", columns=columns)


def minor(code: str, *columns: str) -> Found:
    """Return a minor finding."""
    return Found(code=code, severity="minor", columns=columns)


class Planter:
    """A table that faults are planted in, each in rows of its own.

    Whole columns are changed before single values, so that an account of a column still holds at the end.

    Args:
        columns: Values by column, in file order; they are copied.
        seed: Decides which rows are chosen.
    """

    def __init__(self, columns: Mapping[str, Sequence[Value]], seed: int) -> None:
        self.columns = {name: list(values) for name, values in columns.items()}
        self.faults: list[dict[str, Any]] = []
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        # `random()` is the one method whose sequence Python promises to keep.
        self._free = sorted(range(self.rows), key=lambda _: chance.random())

    @property
    def rows(self) -> int:
        """Number of rows."""
        return max(len(values) for values in self.columns.values())

    def change(
        self, what: str, new: Mapping[str, New], *found: Found, where: Callable[[Row], bool] = lambda _: True
    ) -> None:
        """Change values in one row that has no fault yet and satisfies `where`."""
        row = self._take(where)
        self._account(what, self._set(row, new), [(item, [row]) for item in found])

    def twins(
        self,
        what: str,
        column: str,
        new: tuple[Callable[[str], str], Callable[[str], str]],
        *found: Found,
        first_only: Sequence[Found] = (),
        where: Callable[[Row], bool] = lambda _: True,
    ) -> None:
        """Make two rows share what one of them has in a column, each in its own spelling.

        Args:
            what: What is wrong.
            column: The column.
            new: How the first and the second row spell the value of the second.
            found: What is said of both rows.
            first_only: What is said of the first row alone.
            where: Which rows may be chosen.
        """
        first, second = self._take(where), self._take(where)
        text = str(self.columns[column][second])
        changes = self._set(first, {column: new[0](text)}) + self._set(second, {column: new[1](text)})
        both = sorted([first, second])
        self._account(what, changes, [(f, both) for f in found] + [(f, [first]) for f in first_only])

    def append_copy(self, what: str, *found: Found, where: Callable[[Row], bool] = lambda _: True) -> None:
        """Append a copy of a row to the table."""
        row = self._take(where)
        for values in self.columns.values():
            values.append(values[row])
        last = self.rows - 1
        change = {"row": last + 1, "column": "all", "from": "no such row", "to": f"a copy of row {row + 1}"}
        self._account(what, [change], [(item, [row, last]) for item in found])

    def convert(self, what: str, column: str, new: Callable[[Value], Value], *found: Found) -> None:
        """Change all present values of a column; each of them is found."""
        values = self.columns[column]
        present = [row for row, value in enumerate(values) if value is not None]
        before = values[present[0]] if present else None
        self.columns[column] = [None if value is None else new(value) for value in values]
        after = self.columns[column][present[0]] if present else None
        example = f" and so on, {len(present)} values" if present else "nothing but missing values"
        change = {"column": column, "from": f"{plain(before)}{example}" if present else example, "to": plain(after)}
        self._account(what, [change], [(item, present) for item in found])

    def drop(self, column: str, *found: Found) -> None:
        """Leave a column out."""
        del self.columns[column]
        self._account("column left out", [{"column": column, "from": "present", "to": "absent"}], self._whole(found))

    def rename(self, column: str, name: str, *found: Found) -> None:
        """Give a column another name, in its place."""
        self.columns = {name if old == column else old: values for old, values in self.columns.items()}
        self._account("column under another name", [{"column": column, "from": column, "to": name}], self._whole(found))

    def empty(self, column: str, *found: Found) -> None:
        """Take all values out of a column."""
        present = sum(value is not None for value in self.columns[column])
        self.columns[column] = [None] * self.rows
        change = {"column": column, "from": f"{present} values", "to": None}
        self._account("column without any value", [change], self._whole(found))

    def add(self, column: str) -> None:
        """Add a column without values; no fault by itself."""
        self.columns[column] = [None] * self.rows

    def shape(self, what: str, change: Mapping[str, str | None], *found: Found) -> None:
        """Account for a fault in the table's shape that the caller has made."""
        self._account(what, [dict(change)], self._whole(found))

    def _whole(self, found: Sequence[Found]) -> list[tuple[Found, list[int]]]:
        return [(item, []) for item in found]

    def _take(self, where: Callable[[Row], bool]) -> int:
        """Take the next free row that satisfies a condition."""
        row = next(row for row in self._free if where(self._row(row)))
        self._free.remove(row)
        return row

    def _row(self, row: int) -> Row:
        return {name: values[row] for name, values in self.columns.items()}

    def _set(self, row: int, new: Mapping[str, New]) -> list[dict[str, Any]]:
        changes = []
        before = self._row(row)
        for column, value in new.items():
            after = value(before) if callable(value) else value
            self.columns[column][row] = after
            if after == before[column]:
                continue
            changes.append({"row": row + 1, "column": column, "from": plain(before[column]), "to": plain(after)})
        return changes

    def _account(self, what: str, changes: list[dict[str, Any]], found: Sequence[tuple[Found, Sequence[int]]]) -> None:
        must = [
            {
                "code": item.code,
                "severity": item.severity,
                "columns": list(item.columns),
                "rows": sorted(row + 1 for row in rows),
            }
            for item, rows in found
        ]
        self.faults.append({"what": what, "changed": changes, "found_by": must})


def plain(value: Value) -> str | float | int | None:
    """Return a value as YAML writes it."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return "NaN" if isinstance(value, float) and math.isnan(value) else value
