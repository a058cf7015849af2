"""Rules over several columns, or over several records."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, model_validator
from pydantic import Field as Property

from checks.spec.model import Model, Names
from checks.vocabulary import Severity


class Tolerance(Model):
    """How far two numbers may differ and still be equal: the larger of both, `relative` to the right-hand side."""

    relative: Annotated[float, Property(ge=0)] = 0.0
    absolute: Annotated[float, Property(ge=0)] = 0.0


class RuleSpec(Model):
    """A rule over several columns. Exactly one of five forms.

    * `compare`: a condition that holds in each record;
    * `when` and `then`: where the first holds, the second must hold;
    * `at_most` with `per`: no group has more records than that;
    * `constant` with `per`: in each group these columns have one value;
    * `compare` with `by`, `of` and `per`: a condition on the parameters of a group, side by side: its names are
      values of `by` and stand for the group's value of `of`.

    A name such as `dm.RFSTDTC` in a condition is that column's value in the table that a foreign key refers to.

    Attributes:
        id: Short name; the finding's code is `ranges.rule.<id>`.
        title: What a reader is told the rule means.
        where: The records that count, in the forms with `per`.
        on_null: What to make of a record in which the condition cannot be told because a value is missing; in
            `constant`, whether a missing value is one of its own (`fail`) or is passed over.
        nulls_equal: Whether a missing value in `per` equals another. If not, a record with a missing part
            belongs to no group; side by side it always does.
        optional: Columns the table need not have. An absent one counts as missing in a condition and is left
            out of `per`; without this the rule cannot be judged.
        tolerance: Applied to each comparison of numbers in the rule.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Property(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
    title: str | None = None
    description: str | None = None
    source: str | None = None
    severity: Severity | None = None
    compare: str | None = None
    when: str | None = None
    then: str | None = None
    at_most: Annotated[int, Property(ge=0)] | None = None
    constant: Names = ()
    by: str | None = None
    of: str | None = None
    where: str | None = None
    per: Names = ()
    nulls_equal: bool = False
    on_null: Literal["pass", "fail"] = "pass"
    optional: Names = ()
    tolerance: Tolerance | None = None

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions as they are written."""
        return tuple(text for text in (self.compare, self.when, self.then, self.where) if text is not None)

    @property
    def side_by_side(self) -> bool:
        """Whether the names in the condition are parameters and not columns."""
        return self.by is not None

    @model_validator(mode="after")
    def _exactly_one_form(self) -> Self:
        forms = [
            self.compare is not None,
            self.when is not None or self.then is not None,
            self.at_most is not None,
            bool(self.constant),
        ]
        if sum(forms) != 1:
            raise ValueError("a rule has exactly one of: compare; when and then; at_most and per; constant and per")
        if (self.when is None) != (self.then is None):
            raise ValueError("when and then go together")
        if (self.by is None) != (self.of is None) or (self.by is not None and self.compare is None):
            raise ValueError("by and of go together, with compare: the names in it are then values of by")
        grouped = self.at_most is not None or bool(self.constant) or self.side_by_side
        if grouped and not self.per:
            raise ValueError("at_most, constant, and compare with by and of need per: the columns that make a group")
        if not grouped and (self.where is not None or self.per):
            raise ValueError("where and per go with at_most, with constant, or with compare, by and of")
        if self.nulls_equal and (not grouped or self.side_by_side):
            raise ValueError("nulls_equal goes with at_most or constant")
        return self
