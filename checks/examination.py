"""A table held against its spec: what check functions are asked about.

`Examination` is the whole; `Column`, `Key` and `Rule` are its parts. They raise `CannotJudge` for what is not
in the table.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast

from checks.column import Column
from checks.errors import CannotJudge
from checks.plain import name_text, names_text
from checks.spec import CheckSettings, FieldSpec, LimitsSpec, RuleSpec, Spec
from checks.table import Table

Origin = Literal["primaryKey", "uniqueKeys", "unique"]


@dataclass(frozen=True, kw_only=True)
class Key:
    """Columns whose values together may occur only once.

    Attributes:
        columns: Names of the columns.
        origin: Where the spec says so: `primaryKey`, `uniqueKeys` or `unique`.
    """

    columns: tuple[str, ...]
    origin: Origin
    of: Examination

    @property
    def parts(self) -> tuple[Column, ...]:
        """The columns of the key.

        Raises:
            CannotJudge: One of them is absent.
        """
        parts = tuple(self.of.column(name) for name in self.columns)
        absent = [part.name for part in parts if not part.exists]
        if absent:
            raise CannotJudge(f"{'column' if len(absent) == 1 else 'columns'} {names_text(absent)} not in the table")
        return parts


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule of the spec."""

    spec: RuleSpec
    of: Examination

    @property
    def per(self) -> tuple[str, ...]:
        """The columns that make a group, without those the table need not have and has not."""
        return tuple(name for name in self.spec.per if not self._is_left_out(name))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it looks at, those of other tables after the table's name and a point."""
        from checks.conditions import parse_condition  # a spec without rules needs no grammar

        named = [*self.spec.per, *self.spec.constant]
        if self.spec.by is not None and self.spec.of is not None:
            named += [self.spec.by, self.spec.of]
        elsewhere: list[str] = []
        for text in self.spec.conditions if not self.spec.side_by_side else filter(None, (self.spec.where,)):
            condition = parse_condition(text)
            named += condition.columns
            elsewhere += [f"{table}.{name}" for table, name in condition.elsewhere]
        return tuple(dict.fromkeys([*(name for name in named if not self._is_left_out(name)), *elsewhere]))

    def _is_left_out(self, name: str) -> bool:
        return name in self.spec.optional and not self.of.column(name).exists


@dataclass(frozen=True, kw_only=True)
class Examination:
    """One table held against one spec.

    Attributes:
        table: The table.
        spec: What is expected of it.
        today: The date that `today` means; handed in, so that a review can be repeated.
        references: The other tables that foreign keys refer to, as far as they are at hand, by name.
    """

    table: Table
    spec: Spec
    today: dt.date
    references: Mapping[str, Examination] = field(default_factory=dict)

    @cached_property
    def _fields(self) -> Mapping[str, FieldSpec]:
        return self.spec.by_name

    @cached_property
    def _columns(self) -> dict[str, Column]:
        return {}

    def column(self, name: str) -> Column:
        """Return a column by name, whether it is declared, present, both or neither."""
        if name not in self._columns:
            declared = name in self._fields
            spec = self._fields[name] if declared else FieldSpec(name=name)
            self._columns[name] = Column(field=spec, declared=declared, dtype=self.table.schema.get(name), of=self)
        return self._columns[name]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns of the spec, then those only the table has, then those only `limits` name."""
        names = dict.fromkeys([*self._fields, *self.table.schema, *(block.of for block in self.spec.limits)])
        return tuple(self.column(name) for name in names)

    @property
    def present_columns(self) -> tuple[Column, ...]:
        """The columns of the table whose names are unambiguous, in file order."""
        return tuple(self.column(name) for name in self.table.schema)

    @property
    def keys(self) -> tuple[Key, ...]:
        """Primary key, unique keys and unique fields, each set of columns once."""
        primary = [self.spec.primary_key] if self.spec.primary_key else []
        unique = [(field.name,) for field in self.spec.fields if field.constraints.unique]
        keys: dict[tuple[str, ...], Key] = {}
        for origin, listed in (("primaryKey", primary), ("uniqueKeys", self.spec.unique_keys), ("unique", unique)):
            for columns in listed:
                keys.setdefault(columns, Key(columns=columns, origin=cast("Origin", origin), of=self))
        return tuple(keys.values())

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of the spec."""
        return tuple(Rule(spec=rule, of=self) for rule in self.spec.rules)

    def table_of(self, resource: str) -> Examination:
        """Return the table that a foreign key refers to; no name, or its own, is the table itself.

        Raises:
            CannotJudge: It is not at hand.
        """
        if resource in ("", self.spec.name):
            return self
        if resource not in self.references:
            raise CannotJudge(f"the table {name_text(resource)} it refers to was not given")
        return self.references[resource]

    @property
    def record_key(self) -> tuple[str, ...]:
        """Columns that identify a record in the evidence: the key, else USUBJID and the --SEQ variable."""
        declared = tuple(name for name in self.spec.primary_key if name in self.table.schema)
        usual = (name for name in self.table.schema if name == "USUBJID" or (name.endswith("SEQ") and len(name) <= 5))
        return declared or tuple(usual)

    def limits_of(self, column: str) -> tuple[LimitsSpec, ...]:
        """Limits by parameter that concern a column."""
        return tuple(block for block in self.spec.limits if block.of == column)

    def settings(self, *codes: str) -> CheckSettings:
        """How the spec wants a check to run: what it says of the first of these codes that it names."""
        named = (self.spec.checks[code] for code in codes if code in self.spec.checks)
        return next(named, CheckSettings())
