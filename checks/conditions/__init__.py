"""The rule language: conditions over the columns of one row, from text to Narwhals expressions.

`grammar` reads text (with sqlglot) into `syntax`, `sense` refuses what can never make sense, `expressions`
puts `comparison` and `calculation` together into one expression. Text is parsed and never run.
"""

from checks.conditions.comparison import Operand
from checks.conditions.expressions import Condition, condition_expr, joined, parse_condition

__all__ = ["Condition", "Operand", "condition_expr", "joined", "parse_condition"]
