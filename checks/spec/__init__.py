"""What is expected of a table: a Frictionless Table Schema (Data Package v2), with a few extensions.

The standard's own properties keep their names and their meaning. Ours are `severity`, `unit`, `core` and
`timezone` on a field; `rules`, `limits`, `checks`, `policy` and `profile` beside `fields`. Reading a spec
from a file, and saying which line of it is wrong, is the work of `specfile`.

Source: https://datapackage.org/standard/table-schema/ (version 2.0).
"""

from checks.spec.fields import Constraints, FieldSpec
from checks.spec.limits import LimitsSpec, ParameterBounds, folded_unit
from checks.spec.model import Bounds, Scalar
from checks.spec.rules import RuleSpec, Tolerance
from checks.spec.whole import CheckSettings, ForeignKey, PolicySpec, Reference, Spec

__all__ = [
    "Bounds",
    "CheckSettings",
    "Constraints",
    "FieldSpec",
    "ForeignKey",
    "LimitsSpec",
    "ParameterBounds",
    "PolicySpec",
    "Reference",
    "RuleSpec",
    "Scalar",
    "Spec",
    "Tolerance",
    "folded_unit",
]
