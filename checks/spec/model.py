"""What all parts of a spec are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

Scalar = bool | int | float | str


def _one_or_many(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    return [value] if isinstance(value, str) else value


def _value_of_labelled(value: Any) -> Any:  # noqa: ANN401 - pydantic validates what comes out
    """Table Schema v2 lets a list of values hold `{value, label}` objects; only the value counts here."""
    if not isinstance(value, list):
        return value
    return [item["value"] if isinstance(item, Mapping) and "value" in item else item for item in value]


Names = Annotated[tuple[str, ...], BeforeValidator(_one_or_many)]
"""One column name or a list of them, as Table Schema allows for keys."""

Values = Annotated[tuple[Scalar, ...], BeforeValidator(_value_of_labelled)]


class Model(BaseModel):
    """Frozen, in Table Schema's camel case, and without properties nobody knows."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Bounds(Model):
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
