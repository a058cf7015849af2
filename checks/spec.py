"""What is expected of a table: a Frictionless Table Schema (Data Package v2), with a few extensions.

The standard's own properties keep their names and their meaning. Ours are `severity`, `unit`, `core` and
`timezone` on a field; `rules`, `limits`, `checks`, `policy` and `profile` beside `fields`. Reading a spec
from a file, and saying which line of it is wrong, is the work of `specfile`.

Source: https://datapackage.org/standard/table-schema/ (version 2.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic import Field as Property
from pydantic.alias_generators import to_camel

from checks.vocabulary import Severity, digest

Scalar = bool | int | float | str
Core = Literal["required", "expected", "permissible", "conditional"]
FieldsMatch = Literal["exact", "equal", "subset", "superset", "partial"]
FieldType = Literal[
    "string", "number", "integer", "boolean", "date", "datetime", "time", "duration",
    "year", "yearmonth", "object", "array", "list", "geopoint", "geojson", "any",
]  # fmt: skip


def _one_or_many(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    return [value] if isinstance(value, str) else value


def _value_of_labelled(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    """Table Schema v2 lets a list of values hold `{value, label}` objects; only the value counts here."""
    if not isinstance(value, list):
        return value
    return [item["value"] if isinstance(item, Mapping) and "value" in item else item for item in value]


def _only_entry(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    """The profile published with Table Schema 2.0 asked for `["subset"]` where the standard says `subset`."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


Names = Annotated[tuple[str, ...], BeforeValidator(_one_or_many)]
"""One column name or a list of them, as Table Schema allows for keys."""

Values = Annotated[tuple[Scalar, ...], BeforeValidator(_value_of_labelled)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Bounds(_Model):
    """Limits of a value, in the column's unit. `minimum` and `maximum` are inclusive."""

    minimum: Scalar | None = None
    maximum: Scalar | None = None
    exclusive_minimum: Scalar | None = None
    exclusive_maximum: Scalar | None = None

    @property
    def any(self) -> bool:
        """Whether there is a limit at all."""
        return any(
            limit is not None for limit in (self.minimum, self.maximum, self.exclusive_minimum, self.exclusive_maximum)
        )


class Constraints(Bounds):
    """Table Schema `constraints` of one field."""

    required: bool = False
    unique: bool = False
    enum: Values | None = None
    pattern: str | None = None
    min_length: Annotated[int, Property(ge=0)] | None = None
    max_length: Annotated[int, Property(ge=0)] | None = None
    json_schema: Mapping[str, Any] | None = None


class FieldSpec(_Model):
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


class Tolerance(_Model):
    """How far two numbers may differ and still be equal: the larger of both, `relative` to the right-hand side."""

    relative: Annotated[float, Property(ge=0)] = 0.0
    absolute: Annotated[float, Property(ge=0)] = 0.0


class RuleSpec(_Model):
    """A rule over several columns. Exactly one of three forms.

    * `compare`: a condition that holds in each row;
    * `when` and `then`: where the first holds, the second must hold;
    * `at_most` with `per` (and `where`): no group has more rows than that.

    Attributes:
        id: Short name; the finding's code is `ranges.rule.<id>`.
        on_null: What to make of a row in which the condition cannot be told because a value is missing.
        title: What a reader is told the rule means.
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
    where: str | None = None
    per: Names = ()
    on_null: Literal["pass", "fail"] = "pass"
    tolerance: Tolerance | None = None

    @model_validator(mode="after")
    def _exactly_one_form(self) -> Self:
        forms = [
            self.compare is not None,
            self.when is not None or self.then is not None,
            self.at_most is not None,
        ]
        if sum(forms) != 1:
            raise ValueError("a rule has exactly one of: compare; when and then; at_most and per")
        if (self.when is None) != (self.then is None):
            raise ValueError("when and then go together")
        if self.at_most is not None and not self.per:
            raise ValueError("at_most needs per: the columns that make a group")
        if self.at_most is None and (self.where is not None or self.per):
            raise ValueError("where and per go with at_most")
        return self


class ParameterBounds(Bounds):
    """Limits for one parameter, in its unit."""

    unit: str | None = None
    severity: Severity | None = None
    source: str | None = None


class LimitsSpec(_Model):
    """Limits of one column that depend on the parameter named in another.

    Attributes:
        by: Column that names the parameter, for instance PARAMCD.
        of: Column that is limited, for instance AVAL.
        values: Limits by parameter.
        severity: Severity of findings; the check's default otherwise.
    """

    by: str
    of: str
    values: Annotated[Mapping[str, ParameterBounds], Property(min_length=1)]
    severity: Severity | None = None


class CheckSettings(_Model):
    """How one check runs on this table.

    Attributes:
        enabled: False leaves the check out; it is then not listed at all.
        severity: Severity of its findings, unless a field or rule says otherwise.
        except_columns: Columns the check does not look at.
        min_rows: Rows needed before the check says anything.
    """

    enabled: bool = True
    severity: Severity | None = None
    except_columns: Annotated[Names, Property(alias="except")] = ()
    min_rows: Annotated[int, Property(ge=0)] | None = None


class PolicySpec(_Model):
    """Triage policy: from this many open minor findings on, the review is major."""

    major_at: Annotated[int, Property(ge=1)] = 3


class Reference(_Model):
    """The other end of a foreign key."""

    resource: str = ""
    fields: Names


class ForeignKey(_Model):
    """Table Schema foreign key: values of `fields` exist in the referenced table."""

    fields: Names
    reference: Reference

    def to_plain(self) -> dict[str, Any]:
        """Return plain JSON data in Table Schema's own spelling."""
        return self.model_dump(mode="json", by_alias=True)


def _one_block_or_many(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    return [value] if isinstance(value, Mapping) else value


class Spec(_Model):
    """What is expected of one table.

    Attributes:
        fields_match: How the table's columns relate to `fields` (Table Schema `fieldsMatch`). Columns are
            always matched by name; only a written-out `exact` also looks at their order. Without it,
            neither missing nor extra columns are right, as with `equal`.
        missing_values: Text that stands for a missing value, beside null, NaN and blank text.
        profile: `xpt-v5` adds the limits of SAS transport files version 5.
    """

    name: str | None = None
    title: str | None = None
    description: str | None = None
    schema_: Annotated[str | None, Property(alias="$schema")] = None
    profile: Literal["xpt-v5"] | None = None
    fields: tuple[FieldSpec, ...] = ()
    fields_match: Annotated[FieldsMatch, BeforeValidator(_only_entry)] = "equal"
    missing_values: Values = ("",)
    primary_key: Names = ()
    unique_keys: tuple[Names, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    limits: Annotated[tuple[LimitsSpec, ...], BeforeValidator(_one_block_or_many)] = ()
    rules: tuple[RuleSpec, ...] = ()
    checks: Mapping[str, CheckSettings] = {}
    policy: PolicySpec = PolicySpec()

    @property
    def by_name(self) -> dict[str, FieldSpec]:
        """The fields by column name."""
        return {field.name: field for field in self.fields}

    @property
    def digest(self) -> str:
        """Sha256 over what the spec says; two files that say the same have the same digest."""
        return digest(self.to_plain())

    def to_plain(self) -> dict[str, Any]:
        """Return the spec as plain JSON data in Table Schema's own spelling; defaults are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Rebuild from `to_plain`; for text written by people use `specfile.load_spec`."""
        return cls.model_validate(plain)
