"""Whether a calculation stands on numbers that were found. What is computed of numbers from nowhere is from nowhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal

from review_graph.core.arithmetic import MAX_EXPRESSION, OPERATORS, tokens_of, worked_out
from review_graph.core.grounding import Number, supporting

WHOLE, PERCENT = Decimal(1), Decimal(100)
"""Numbers that a calculation may hold without a source, each once: `1 - a / b` and `a / b - 1`, and a factor of 100."""

_NEARLY = Decimal("1e-18")
"""How much two ways to the same value may differ by rounding."""


def calculation_fault(expression: str, sources: Iterable[str]) -> str | None:
    """Return what is wrong with the numbers of a calculation; None where each has its ground, or it is no expression.

    A number other than 1 and 100 must be found, and one found number there must be. 1 and 100 may stand once more than
    their role allows where they are found themselves, so that no number can be counted up from them.

    No part of it may come to the same whatever the found numbers are, as `86 / 86` and `254 - 254` do, and
    `(86 + 86) / 86`: that is a number that nobody found. A percentage that is 0 or 100 may, and founds
    no other calculation: see `is_idle_percentage`. What cannot be worked out with other numbers is refused too.

    Args:
        expression: The expression.
        sources: The question, and successful observations as canonical JSON.
    """
    try:
        tokens = tokens_of(expression) if len(expression) <= MAX_EXPRESSION else []
    except ValueError:
        return None
    if not tokens:
        return None
    known = tuple(sources)
    operands = [(place, token) for place, token in enumerate(tokens) if token not in OPERATORS]
    found = _found(tokens, known)
    others = [token for _, token in operands if Decimal(token) not in (WHOLE, PERCENT)]
    if loose := [token for token in dict.fromkeys(others) if token not in found]:
        return f"{', '.join(loose)} stands in no result and not in the question"
    for constant in (WHOLE, PERCENT):
        places = [place for place, token in operands if Decimal(token) == constant]
        in_role = next((place for place in places if _has_role(tokens, place, constant)), None)
        beyond = [place for place in places if place != in_role]
        if len(beyond) > any(tokens[place] in found for place in places):
            return (
                f"{constant} is no number that was found; it may stand once, "
                f"{'as in 1 - 86 / 254' if constant == WHOLE else 'as a factor or a divisor'}"
            )
    return _idle(tokens, found) if found else "it holds no number that stands in a result or in the question"


def is_idle_percentage(expression: str, sources: Iterable[str]) -> bool:
    """Whether a calculation is 0 or 100 percent whatever the found numbers are: no other may stand on its result.

    Args:
        expression: An expression that was worked out.
        sources: What its numbers came from, as for `calculation_fault`.
    """
    tokens = tokens_of(expression)
    whole = worked_out(tokens)[-1]
    if not _is_share(tokens, whole):
        return False
    try:
        return _is_same(whole, worked_out(_others(tokens, _found(tokens, tuple(sources))))[-1])
    except ValueError:
        return True


def _idle(tokens: Sequence[str], found: Collection[str]) -> str | None:
    """Say what a part comes to that stays the same when it is worked out with other numbers than those found."""
    try:
        parts = worked_out(tokens)
    except ValueError:
        return None
    try:
        again = worked_out(_others(tokens, found))
    except ValueError as trouble:
        return f"with other numbers it cannot be worked out ({trouble}), so whether it depends on them is not known"
    if _is_share(tokens, parts[-1]) and _is_same(parts[-1], again[-1]):
        return None
    pairs = zip(parts[:-1], again, strict=False)
    idle = next((part for part, other in pairs if _is_same(part, other)), None)
    if idle is None:
        return None
    value = f"{idle:.18f}".rstrip("0").rstrip(".")
    return f"a part of it is {value} whatever the numbers are; where two are equal, say that they are"


def _is_share(tokens: Sequence[str], whole: Decimal) -> bool:
    """Whether it is a percentage of none or of all."""
    is_percentage = PERCENT in [Decimal(token) for token in tokens if token not in OPERATORS]
    return is_percentage and any(_is_same(whole, share) for share in (Decimal(0), PERCENT))


def _others(tokens: Sequence[str], found: Collection[str]) -> list[str]:
    """The expression with other numbers in place of those that were found."""
    places = {value: place for place, value in enumerate(sorted({Decimal(token) for token in found}))}
    return [str(_other(Decimal(token), places)) if token in found else token for token in tokens]


def _found(tokens: Sequence[str], sources: Sequence[str]) -> set[str]:
    return {token for token in {*tokens} - OPERATORS if _is_found(token, sources)}


def _other(value: Decimal, places: Mapping[Decimal, int]) -> Decimal:
    """Another number for one that was found, by factors none of which is a simple multiple of another."""
    return (value + 1) * (Decimal(2).sqrt() + places[value])


def _is_same(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= _NEARLY * max(Decimal(1), abs(one))


def _is_found(token: str, sources: Sequence[str]) -> bool:
    number = Number(written=token, value=Decimal(token), decimals=len(token.partition(".")[2]))
    return any(supporting(number, source) for source in sources)


def _has_role(tokens: Sequence[str], place: int, constant: Decimal) -> bool:
    before, after = tokens[max(0, place - 1) : place], tokens[place + 1 : place + 2]
    if constant == PERCENT:
        return before in (["*"], ["/"]) or after in (["*"], ["/"])
    if after == ["-"] and before in ([], ["("]):
        return _is_ratio(_term(tokens[place + 2 :], opening="("))
    if before == ["-"] and after in ([], [")"], ["+"], ["-"]):
        return _is_ratio(_term(tokens[: place - 1][::-1], opening=")"))
    return False


def _term(tokens: Sequence[str], *, opening: str) -> list[str]:
    """The tokens up to the end of a term, read in either direction."""
    term: list[str] = []
    depth = 0
    for token in tokens:
        if token in ("(", ")"):
            depth += 1 if token == opening else -1
        if depth < 0 or (depth == 0 and token in ("+", "-")):
            break
        term.append(token)
    return term


def _is_ratio(term: Sequence[str]) -> bool:
    """Whether a term may be a part of a whole: taking 1 from a count would give a count that nobody found."""
    return "/" in term or (len(term) == 1 and "." in term[0])
