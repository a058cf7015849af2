"""What is expected of one column: a field of Table Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field as Property

from checks.spec.model import Bounds, Model, Scalar, Values
from checks.vocabulary import Severity

Core = Literal["required", "expected", "permissible", "conditional"]
FieldType = Literal[
    "string", "number", "integer", "boolean", "date", "datetime", "time", "duration",
    "year", "yearmonth", "object", "array", "list", "geopoint", "geojson", "any",
]  # fmt: skip


class Constraints(Bounds):
    """Table Schema `constraints` of one field."""

    required: bool = False
    unique: bool = False
    enum: Values | None = None
    pattern: str | None = None
    min_length: Annotated[int, Property(ge=0)] | None = None
    max_length: Annotated[int, Property(ge=0)] | None = None
    json_schema: Mapping[str, Any] | None = None


class FieldSpec(Model):
    """What is expected of one column.

    Attributes:
        name: Column name, compared exactly.
        type: Table Schema type; `any` (the standard's default) is not judged.
        format: Table Schema format, or `iso8601-partial`: ISO 8601 text in which parts may be missing
            from the right (`2014-03`) or be given as `-`, as SDTM's --DTC variables allow.
        severity: Severity of findings against this field's type, format and constraints; the check's default otherwise.
        unit: Unit of the limits, shown in findings.
        core: CDISC core. `required` must be present and filled, `expected` must be present and may be
            empty, `permissible` and `conditional` may be absent. Without it the column must be present.
        identifier: Whether values identify a subject or object, as USUBJID does: they are written in one case,
            and outer blanks in them are major.
        timezone: Zone in which limits without a zone are meant, when the column's values carry one.
    """

    name: Annotated[str, Property(min_length=1)]
    type: FieldType = "any"
    format: str = "default"
    title: str | None = None
    label: str | None = None
    description: str | None = None
    constraints: Constraints = Constraints()
    missing_values: Values | None = None
    true_values: tuple[str, ...] = ("true", "True", "TRUE", "1")
    false_values: tuple[str, ...] = ("false", "False", "FALSE", "0")
    categories: Values | None = None
    categories_ordered: bool = False
    decimal_char: str = "."
    group_char: str | None = None
    bare_number: bool = True
    delimiter: str | None = None
    item_type: str | None = None
    example: Any = None
    examples: Any = None
    rdf_type: str | None = None
    severity: Severity | None = None
    unit: str | None = None
    core: Core | None = None
    identifier: bool = False
    timezone: str | None = None

    @property
    def required(self) -> bool:
        """Whether values may not be missing."""
        return self.constraints.required or self.core == "required"

    @property
    def may_be_absent(self) -> bool:
        """Whether the table is right without this column."""
        return self.core in ("permissible", "conditional")

    @property
    def codelist(self) -> tuple[Scalar, ...] | None:
        """The allowed values: `constraints.enum`, else `categories`."""
        return self.constraints.enum if self.constraints.enum is not None else self.categories

    @property
    def is_date_like(self) -> bool:
        """Whether values are points in time, so that they compare at the precision both sides have."""
        return self.type in ("date", "datetime", "year", "yearmonth") or self.format == "iso8601-partial"
