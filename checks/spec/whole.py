"""The whole of a spec: fields, keys, limits, rules, and how checks and triage run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator
from pydantic import Field as Property

from checks.spec.fields import FieldSpec
from checks.spec.limits import LimitsSpec
from checks.spec.model import Model, Names, Values
from checks.spec.rules import RuleSpec
from checks.vocabulary import Severity, digest

FieldsMatch = Literal["exact", "equal", "subset", "superset", "partial"]


def _only_entry(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    """The profile published with Table Schema 2.0 asked for `["subset"]` where the standard says `subset`."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


class CheckSettings(Model):
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


class PolicySpec(Model):
    """Triage policy: from this many open minor findings on, the review is major."""

    major_at: Annotated[int, Property(ge=1)] = 3


class Reference(Model):
    """The other end of a foreign key."""

    resource: str = ""
    fields: Names


class ForeignKey(Model):
    """Table Schema foreign key: values of `fields` exist in the referenced table."""

    fields: Names
    reference: Reference

    def to_plain(self) -> dict[str, Any]:
        """Return plain JSON data in Table Schema's own spelling."""
        return self.model_dump(mode="json", by_alias=True)


def _one_block_or_many(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    return [value] if isinstance(value, Mapping) else value


class Spec(Model):
    """What is expected of one table.

    Attributes:
        fields_match: How the table's columns relate to `fields` (Table Schema `fieldsMatch`). Columns are
            always matched by name; only a written-out `exact` also looks at their order. Without it,
            neither missing nor extra columns are right, as with `equal`.
        missing_values: Text that stands for a missing value, beside null, NaN and blank text.
        natural_key: Columns that tell one happening from another, whatever number the record was given: two
            records equal in all of them, missing values included, are one and the same. Columns that may be
            absent and are do not count.
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
    natural_key: Names = ()
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
    def references(self) -> tuple[str, ...]:
        """Names of the other tables that foreign keys refer to, sorted."""
        named = {key.reference.resource for key in self.foreign_keys}
        return tuple(sorted(named - {"", self.name or ""}))

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
