"""Whether a calculation stands on numbers that were found. What is computed of numbers from nowhere is from nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from review_graph.core.arithmetic import MAX_EXPRESSION, OPERATORS, tokens_of
from review_graph.core.grounding import Number, supporting

WHOLE, PERCENT = Decimal(1), Decimal(100)
"""Numbers that a calculation may hold without a source, each once: `1 - a / b` and `a / b - 1`, and a factor of 100."""


def calculation_fault(expression: str, sources: Iterable[str]) -> str | None:
    """Return what is wrong with the numbers of a calculation; None where each has its ground, or it is no expression.

    A number other than 1 and 100 must be found, and one found number there must be. 1 and 100 may stand once more than
    their role allows where they are found themselves, so that no number can be counted up from them.

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
    found = {token for token in {token for _, token in operands} if _is_found(token, known)}
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
    return None if others or found else "it holds no number that stands in a result or in the question"


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
