"""Rules over several columns, as the spec states them."""

from __future__ import annotations

from collections.abc import Iterator

from checks.examination import Rule
from checks.probes import Probe, RowCheck
from checks.ranges.ground import Ground, ground_of
from checks.ranges.groups import at_most, constant, side_by_side
from checks.registry import check
from checks.spec import RuleSpec
from checks.vocabulary import JSON, Severity


@check("ranges.rule", severity=Severity.MAJOR)
def rule(rule: Rule) -> Iterator[Probe]:
    """Records that break a rule of the spec; each rule has a code of its own, `ranges.rule.<id>`.

    Why it matters: values that are possible one by one can be impossible together.
    What to do: the rule's title says what must hold; compare the columns shown with the source record.
    """
    spec, ground = rule.spec, ground_of(rule)
    parameters = _parameters(spec)
    if spec.side_by_side:
        yield from side_by_side(ground, parameters)
    elif spec.at_most is not None:
        yield from at_most(ground, parameters)
    elif spec.constant:
        yield from constant(ground, parameters)
    else:
        yield _per_record(ground, parameters)


def _per_record(ground: Ground, parameters: dict[str, JSON]) -> RowCheck:
    """`compare` holds, or `then` holds where `when` does; what a missing value means is `on_null`."""
    spec = ground.rule.spec
    demanded = spec.compare if spec.compare is not None else spec.then or ""
    failing = ~ground.holds(demanded).fill_null(value=spec.on_null == "pass")
    if spec.when is not None:
        failing = ground.holds(spec.when).fill_null(value=False) & failing
    return RowCheck(
        columns=ground.rule.columns,
        failing=failing,
        says=ground.says(_statement(spec)),
        parameters=parameters,
        severity=spec.severity,
        unjudged=ground.unjudged,
        frame=None if ground.is_the_table else ground.frame,
    )


def _statement(spec: RuleSpec) -> str:
    return spec.compare if spec.compare is not None else f"{spec.when} ⇒ {spec.then}"


def _parameters(spec: RuleSpec) -> dict[str, JSON]:
    """What the rule demands, without the words around it: the finding's identity."""
    return spec.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"id", "title", "description", "source", "severity"}
    )
