"""Rules over several columns, as the spec states them."""

from __future__ import annotations

from functools import reduce
from operator import and_

import narwhals as nw

from checks.conditions import Condition, condition_expr, parse_condition
from checks.examination import Examination, Rule
from checks.plain import count_of, names_text
from checks.probes import Failure, Probe, Query, RowCheck
from checks.registry import check
from checks.spec import RuleSpec
from checks.vocabulary import JSON, Severity

_COUNT = "count of group"


@check("ranges.rule", severity=Severity.MAJOR)
def rule(rule: Rule) -> Probe:
    """Records that break a rule of the spec; each rule has a code of its own, `ranges.rule.<id>`.

    Why it matters: values that are possible one by one can be impossible together.
    What to do: the rule's title says what must hold; compare the columns shown with the source record.
    """
    return _at_most(rule) if rule.spec.at_most is not None else _per_row(rule)


def _per_row(rule: Rule) -> RowCheck:
    """`compare` holds, or `then` holds where `when` does; what a missing value means is `on_null`."""
    spec, conditions = rule.spec, _conditions(rule.spec)
    exprs = [_expr(rule.of, condition, spec) for condition in conditions]
    holds = exprs[-1].fill_null(value=spec.on_null == "pass")
    failing = ~holds if len(exprs) == 1 else exprs[0].fill_null(value=False) & ~holds
    columns = tuple(dict.fromkeys(name for condition in conditions for name in condition.columns))
    return RowCheck(
        columns=columns,
        failing=failing,
        says=f"rule not met: {spec.title or _statement(spec)}",
        parameters=_parameters(spec),
        severity=spec.severity,
    )


def _at_most(rule: Rule) -> Query:
    """No group of `per` has more than `at_most` rows that satisfy `where`."""
    spec, limit = rule.spec, rule.spec.at_most or 0
    parts = [rule.of.column(name) for name in spec.per]
    # A missing value is never equal to another, so it makes no group.
    frame = rule.of.table.frame.filter(reduce(and_, (part.present for part in parts)))
    condition = parse_condition(spec.where) if spec.where is not None else None
    if condition is not None:
        frame = frame.filter(_expr(rule.of, condition, spec).fill_null(value=False))
    columns = tuple(dict.fromkeys([*spec.per, *(condition.columns if condition else ())]))

    def run(rows: int) -> Failure | None:
        large = frame.group_by(list(spec.per)).agg(nw.len().alias(_COUNT)).filter(nw.col(_COUNT) > limit)
        totals = large.select(nw.len().alias("groups"), nw.col(_COUNT).cast(nw.Int64).sum().alias("rows"))
        groups, failed = totals.collect(backend="polars").row(0)
        if not groups:
            return None
        per = names_text(spec.per)
        message = (
            f"{count_of(int(groups), 'group')} of {per}, {int(failed):,} of {count_of(rows, 'row')}: "
            f"rule not met: {spec.title or _at_most_text(spec)}"
        )
        offending = frame.filter(nw.len().over(*spec.per) > limit)
        return Failure(message=message, failed=int(failed), groups=int(groups), offending=offending)

    return Query(columns=columns, parameters=_parameters(spec), severity=spec.severity, run=run)


def _conditions(spec: RuleSpec) -> list[Condition]:
    texts = (spec.compare,) if spec.compare is not None else (spec.when, spec.then)
    return [parse_condition(text) for text in texts if text is not None]


def _expr(examination: Examination, condition: Condition, spec: RuleSpec) -> nw.Expr:
    return condition_expr(
        condition,
        lambda name: examination.column(name).operand,
        today=examination.today,
        tolerance=spec.tolerance,
    )


def _statement(spec: RuleSpec) -> str:
    return spec.compare if spec.compare is not None else f"{spec.when} ⇒ {spec.then}"


def _parameters(spec: RuleSpec) -> dict[str, JSON]:
    """What the rule demands, without the words around it: the finding's identity."""
    return spec.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"id", "title", "description", "source", "severity"}
    )


def _at_most_text(spec: RuleSpec) -> str:
    return f"at most {spec.at_most}" + (f" where {spec.where}" if spec.where else "")
