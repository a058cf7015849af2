"""What a rule is held against: the records, with columns of other tables beside them where it names some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_

import narwhals as nw

from checks.column import Column
from checks.conditions import Operand, condition_expr, parse_condition
from checks.examination import Rule
from checks.frame import Frame
from checks.linking import linked
from checks.spec import RuleSpec

Unjudged = tuple[tuple[nw.Expr, str], ...]


@dataclass(frozen=True, kw_only=True)
class Ground:
    """The records a rule looks at.

    Attributes:
        rule: The rule.
        frame: All records of the table.
        joined: Columns of other tables, by the names of table and column.
        unjudged: Records for which another table has no one value, each with the reason.
    """

    rule: Rule
    frame: Frame
    joined: Mapping[tuple[str, str], Operand]
    unjudged: Unjudged

    @property
    def is_the_table(self) -> bool:
        """Whether nothing stands beside the table's own columns."""
        return not self.joined

    def operand(self, name: str, table: str | None = None) -> Operand:
        """Return a column; one that the table need not have and has not is missing in each record.

        Raises:
            CannotJudge: The column is absent, or of a type rules cannot use.
        """
        if table is not None:
            return self.joined[table, name]
        column = self.rule.of.column(name)
        return operand_if_there(column) if name in self.rule.spec.optional else column.operand

    def holds(self, condition: str, parameters: Mapping[str, Operand] | None = None) -> nw.Expr:
        """Return where a condition holds; null where it cannot be told.

        Args:
            condition: As the spec writes it.
            parameters: What its names stand for, where they are no columns.
        """

        def resolve(name: str, table: str | None) -> Operand:
            return self.operand(name, table) if parameters is None else parameters[name]

        parsed = parse_condition(condition)
        holds = condition_expr(parsed, resolve, today=self.rule.of.today, tolerance=self.rule.spec.tolerance)
        # Where only absent columns are named there is one answer; it is that of each record.
        return holds & ~nw.col(self.rule.of.table.row).is_null() if self.rule.spec.optional else holds

    def says(self, otherwise: str) -> str:
        """What is wrong where the rule is not met: its title, else how it is written, and what it tolerates."""
        tolerance = self.rule.spec.tolerance
        sizes = [] if tolerance is None else [
            *([f"{tolerance.relative:g} of the right-hand value"] if tolerance.relative else []),
            *([f"{tolerance.absolute:g}"] if tolerance.absolute else []),
        ]  # fmt: skip
        tolerated = f" (tolerance {' or '.join(sizes)})" if sizes else ""
        return f"rule not met: {self.rule.spec.title or otherwise}{tolerated}"

    def grouped(self, *, nulls_equal: bool) -> Frame:
        """Return the records that belong to a group and satisfy `where`.

        Raises:
            CannotJudge: A column is absent.
        """
        parts = [self.rule.of.column(name) for name in self.rule.per]
        if nulls_equal:  # a blank is as good as a null
            frame = self.frame.with_columns(**{part.name: part.known for part in parts})
        else:
            frame = self.frame.filter(reduce(and_, (part.present for part in parts)))
        if self.rule.spec.where is not None:
            frame = frame.filter(self.holds(self.rule.spec.where).fill_null(value=False))
        return frame


def operand_if_there(column: Column) -> Operand:
    """Return a column as an operand; one that the table has not is missing in each record.

    Raises:
        CannotJudge: The column is of a type rules cannot use.
    """
    if column.exists:
        return column.operand
    nothing = nw.when(nw.col(column.of.table.row).is_null()).then(nw.lit(value=True))
    return Operand(kind="missing", expr=nothing, name=column.name)


def ground_of(rule: Rule) -> Ground:
    """Return what a rule is held against.

    Raises:
        CannotJudge: Another table it needs is not at hand, or no key leads there.
    """
    frame, joined, unjudged = rule.of.table.frame, {}, []
    for table, names in _elsewhere(rule.spec).items():
        found = linked(frame, rule.of, table, names)
        frame = found.frame
        joined.update({(table, name): operand for name, operand in found.operands.items()})
        unjudged.append((found.ambiguous, found.reason))
    return Ground(rule=rule, frame=frame, joined=joined, unjudged=tuple(unjudged))


def _elsewhere(spec: RuleSpec) -> dict[str, list[str]]:
    tables: dict[str, list[str]] = {}
    for text in spec.conditions:
        for table, name in parse_condition(text).elsewhere:
            names = tables.setdefault(table, [])
            if name not in names:
                names.append(name)
    return tables
