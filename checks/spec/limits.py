"""Limits that depend on the parameter, and on its unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer
from pydantic import Field as Property

from checks.spec.model import Bounds, Model, Names
from checks.vocabulary import Severity


class ParameterBounds(Bounds):
    """Limits for one parameter, in one unit.

    Attributes:
        where: The records they are for, as a condition on other columns; of several limits in a unit the first whose
            condition holds are those of the record. A column that the table has not counts as missing.
    """

    unit: str | None = None
    where: str | None = None
    source: str | None = None


def _one_or_many(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    return [value] if isinstance(value, Mapping) else value


def _one_alone(value: tuple[ParameterBounds, ...]) -> Any:  # noqa: ANN401 - plain data
    plain = [bounds.model_dump(mode="json", by_alias=True, exclude_defaults=True) for bounds in value]
    return plain[0] if len(plain) == 1 else plain


UnitBounds = Annotated[
    tuple[ParameterBounds, ...],
    BeforeValidator(_one_or_many),
    Property(min_length=1),
    PlainSerializer(_one_alone),
]
"""Limits of one parameter: one block, or one for each unit and `where`."""


class LimitsSpec(Model):
    """Limits of one column that depend on the parameter named in another.

    Attributes:
        by: Column that names the parameter, for instance PARAMCD.
        of: Column that is limited, for instance AVAL.
        unit_column: Column that gives the unit of the value; a text that ends in brackets, as ADaM's PARAM
            does, gives the one in them. A value is then held against the limits in its own unit only, in
            whatever case that is written; limits without a unit hold whatever stands there. Without this
            column the values are taken to be in the unit of the limits.
        unit_names: Other ways in which units are written, by the one that `values` use.
        values: Limits by parameter.
        severity: Severity of findings; the check's default otherwise.
    """

    by: str
    of: str
    unit_column: str | None = None
    unit_names: Mapping[str, Names] = {}
    values: Annotated[Mapping[str, UnitBounds], Property(min_length=1)]
    severity: Severity | None = None


def folded_unit(unit: str) -> str:
    """Return a unit as it is compared: outer blanks and case make no other one."""
    return unit.strip().casefold()
