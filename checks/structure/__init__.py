"""The structure family: is this the table that was agreed, and can its records be told apart?"""

from checks.structure import keys, shape, types, values

__all__ = ["keys", "shape", "types", "values"]
