"""The conditions that a WHERE joins, and what each of them is. Imports sqlglot, as `reading` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAKING: Final = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between, exp.Like)


def joined(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions that AND joins, without the brackets around them; left to right, however many they are."""
    waiting = [tree]
    while waiting:
        part = waiting.pop().unnest()
        if isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        else:
            yield part


def is_presence(tree: exp.Expr) -> bool:
    """Tell whether a condition only asks if there is a value."""
    tree = tree.this.unnest() if isinstance(tree, exp.Not) else tree
    return isinstance(tree, exp.Is) and isinstance(tree.this, exp.Column) and isinstance(tree.expression, exp.Null)


def takes(tree: exp.Expr) -> bool:
    """Tell whether a condition plainly says which values are taken."""
    return isinstance(tree, _TAKING) and isinstance(tree.this, exp.Column) and not tree.args.get("negate")
