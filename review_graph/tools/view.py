"""What a caller may know of a table: its columns but the hidden ones. For all who ask, the others do not exist."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import narwhals as nw
import polars as pl

from checks.errors import CannotJudge
from checks.examination import Examination
from checks.frame import Frame, collected
from checks.plain import name_text
from review_graph.tools.ordering import NUMBERS_OF, natural
from review_graph.tools.quoting import CUT, listed, shown
from review_graph.tools.tool import InvalidArguments, ToolTrouble, UnknownName
from review_graph.tools.units import SUBJECT_COLUMNS, subject_column
from review_graph.tools.waiting import within

if TYPE_CHECKING:
    from checks.column import Column
    from checks.conditions import Operand
    from review_graph.tools.matter import Matter


class TooSlow(ToolTrouble):
    """The question took longer than it may."""


class View:
    """The visible columns of the table of a matter, by any spelling of their names, and their values.

    What counts as missing is what counts as missing for the checks.

    Args:
        matter: What is asked about.
    """

    def __init__(self, matter: Matter) -> None:
        today = dt.date.fromisoformat(matter.review.today) if matter.review.today else dt.date.min
        self._examination = Examination(table=matter.table, spec=matter.spec, today=today)
        self._k = matter.disclosure.k
        hidden = {name.casefold() for name in matter.hidden}
        self.names = tuple(name for name in matter.table.schema if name.casefold() not in hidden)
        self.unreadable = tuple(
            name
            for name in (*matter.table.duplicate_columns, *matter.table.unusable_columns)
            if name.casefold() not in hidden
        )

    @property
    def today(self) -> dt.date:
        """The date of the review."""
        return self._examination.today

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self._examination.table.rows

    @cached_property
    def subject(self) -> str | None:
        """The column that tells subjects apart, whether it is visible or not; None where a row is a subject."""
        return subject_column(self._examination.table)

    def find(self, name: str) -> str | None:
        """Return the name of a column as the table writes it; None where there is none, or more than one."""
        wanted = name.strip()
        exact = next((known for known in (name, wanted) if known in self.names), None)
        if exact is not None:
            return exact
        alike = [known for known in self.names if wanted.casefold() in (known.casefold(), str(shown(known)).casefold())]
        return alike[0] if len(alike) == 1 else None

    def named(self, name: str) -> str:
        """Return the name of a column as the table writes it.

        Raises:
            UnknownName: There is no such column.
        """
        found = self.find(name)
        if found is None:
            raise UnknownName(f"there is no column {listed([name])}; the columns are {listed(self.names)}")
        return found

    def comparable(self, name: str) -> str:
        """Return the name of a column whose values may be compared with others, or grouped by.

        Raises:
            UnknownName: There is no such column.
            InvalidArguments: Its values are those of single subjects or records.
        """
        found = self.named(name)
        key = self._examination.spec.primary_key
        is_key = len(key) == 1 and key[0].casefold() == found.casefold()
        is_subject = found == self.subject or found.upper() in SUBJECT_COLUMNS
        if is_key or is_subject or self._column(found).field.identifier:
            raise InvalidArguments(
                f"{name_text(found)} tells single subjects or records apart: nothing is told by its values; "
                "ask for groups, by other columns"
            )
        return found

    def first_of_kind(self, kind: str, *names: str) -> str | None:
        """Return the first of some columns that is there and holds values of a kind."""
        return next((name for name in names if name in self.names and self.kind(name) == kind), None)

    def operand(self, name: str) -> Operand:
        """Return a visible column as something to compare: its kind, and its values, null where missing.

        Raises:
            InvalidArguments: Values of its type cannot be asked about.
        """
        try:
            return self._column(name).operand
        except CannotJudge as trouble:
            raise InvalidArguments(str(trouble)) from None

    def kind(self, name: str) -> str:
        """Return what a column holds: number, text, date, datetime, boolean or other."""
        try:
            kind = self._column(name).operand.kind
        except CannotJudge:
            return "other"
        return "date" if kind == "iso" else kind

    def label(self, name: str) -> str:
        """Return the label of a column; empty where it has none."""
        field = self._column(name).field
        return self._examination.table.labels.get(name) or field.label or field.title or ""

    def values(self, *names: str) -> pl.DataFrame:
        """Return columns in file order, null where missing; numbers in text are numbers."""
        return self.fetch({name: self.operand(name).expr for name in names})

    def fetch(self, wanted: Mapping[str, nw.Expr], seconds: float | None = None) -> pl.DataFrame:
        """Return calculated columns in file order.

        Args:
            wanted: Expressions by the name they get.
            seconds: How long it may take; a query cannot be stopped, so one that takes longer is left to itself.

        Raises:
            TooSlow: It took longer.
        """
        table = self._examination.table
        frame = table.frame.select(
            nw.col(table.row).alias("row"), **{f"c{n}": e for n, e in enumerate(wanted.values())}
        )
        if not frame.implementation.is_polars():
            frame = frame.sort("row")  # Polars keeps the order by itself
        try:
            found = _fetched(frame) if seconds is None else within(seconds, lambda: _fetched(frame))
        except TimeoutError:
            raise TooSlow(f"the question took longer than {seconds:g} seconds: ask for less at a time") from None
        return found.rename({f"c{number}": name for number, name in enumerate(wanted)}).drop("row")

    def first_of_each_subject(self, within: pl.Series) -> pl.Series:
        """Return of some rows the first of each subject; all of them where a row is a subject.

        Args:
            within: Which rows, in file order.
        """
        name = self.subject
        if name is None:
            return within
        subjects = collected(self._examination.table.frame.select(nw.col(name), row=self._examination.table.row))
        frame = subjects.to_polars().sort("row").with_columns(within.alias("within"))
        firsts = pl.struct(name, "within").is_first_distinct()
        return frame.select((firsts & pl.col("within")).alias("first"))["first"]

    def common_values(self, column: str, among: nw.Expr | None = None) -> list[object]:
        """Return the values of a column that enough subjects have for it to be named, in their order.

        Visits are in the order of their numbers, where enough subjects have a visit with one; those without are last.

        Args:
            column: A visible column.
            among: Which rows count; all where there is none.
        """
        values: list[object] = self._common([column], among)["c0"].to_list()
        if self.kind(column) != "text":
            return values
        number = self.find(NUMBERS_OF.get(column.upper(), ""))
        is_numbered = number is not None and self.kind(number) == "number"
        pairs = self._common([number, column], among).rows() if number is not None and is_numbered else []
        first = {value: place for place, value in reversed(pairs)}
        return sorted(values, key=lambda value: (first.get(value, math.inf), natural(str(value))))

    def _common(self, columns: Sequence[str], among: nw.Expr | None) -> pl.DataFrame:
        """The values of columns, none of them missing, that enough subjects have together to be named, sorted."""
        table = self._examination.table
        frame = table.frame if among is None else table.frame.filter(among)
        values = {f"c{place}": self.operand(column).expr for place, column in enumerate(columns)}
        if self.subject is None:
            frame = frame.select(**values)
        else:  # pairs that differ are counted sooner than the different subjects of each value
            frame = frame.select(**values, subject=nw.col(self.subject)).unique()
        found = collected(frame.group_by(*values).agg(nw.len().alias("size"))).to_polars()
        return found.filter(pl.col("size") >= self._k).select(*values).drop_nulls().sort(*values)

    def first_beside(self, column: str, other: str) -> dict[object, object]:
        """Return for each value of a column that may be named the first value of another, where that may be too."""
        table = self._examination.table
        known = set(self.common_values(other))
        pairs = table.frame.select(a=self.operand(column).expr, b=self.operand(other).expr).unique()
        found = collected(pairs).to_polars().filter(pl.col("b").is_not_null()).sort("a", "b").unique("a", keep="first")
        return {value: beside for value, beside in found.rows() if beside in known}

    def any_row(self, condition: nw.Expr) -> bool:
        """Whether a condition holds in some row."""
        return bool(collected(self._examination.table.frame.select(found=condition.any())).item())

    def matching(self, column: str, text: str) -> str:
        """Return the value of a text column that is meant: as it is written, else the only one but for case.

        A value that was shown cut is meant by what was shown. Text that is no value is returned as it is, so that the
        answer is that of no row.
        """
        wanted = text.strip()
        if wanted.endswith(CUT):
            cut = [str(value) for value in self.common_values(column) if shown(value) == wanted]
            return cut[0] if len(cut) == 1 else wanted
        value = self.operand(column).expr
        folded = value.str.strip_chars().str.to_lowercase() == wanted.lower()
        alike = collected(self._examination.table.frame.filter(folded).select(value=value).unique())["value"].to_list()
        exact = [found for found in (text, wanted) if found in alike]
        return exact[0] if exact else str(alike[0]) if len(alike) == 1 else wanted

    def _column(self, name: str) -> Column:
        return self._examination.column(name)


def _fetched(frame: Frame) -> pl.DataFrame:
    return collected(frame).to_polars()
