"""The catalogue of checks: a check is a function, its decorator gives it a code and a severity.

The annotation of the function's one argument says what it is asked about: each `Column`, each `Key`,
each `Rule`, or the `Examination` as a whole. Its docstring is its entry in the catalogue.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

from checks.column import Column
from checks.examination import Examination, Key, Rule
from checks.probes import Probe
from checks.vocabulary import Severity

Answer = Probe | Iterable[Probe] | None
F = TypeVar("F", bound=Callable[[Any], Answer])
Subject = type[Column] | type[Key] | type[Rule] | type[Examination]

FAMILIES = ("ranges", "structure")
"""The families there are: each is a node of the review graph, so that none is left out of a review."""

_CODE = re.compile(r"^[a-z]+\.[a-z0-9_]+$")
_registered: dict[str, Check] = {}


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check.

    Attributes:
        code: Family and name, for instance `ranges.outside_limits`.
        severity: Severity of its findings unless the spec says otherwise.
        subject: What the function is asked about.
        function: Returns or yields probes, or nothing where the check does not apply; may raise `CannotJudge`.
        of_field: Whether it looks for what a field declares, so that the field's own severity counts.
    """

    code: str
    severity: Severity
    subject: Subject
    function: Callable[[Any], Answer]
    of_field: bool

    @property
    def family(self) -> str:
        """First part of the code."""
        return self.code.partition(".")[0]

    @property
    def summary(self) -> str:
        """What it looks for: the docstring up to "Why it matters"."""
        return self._section(r"\A(.*?)(?=Why it matters:|\Z)")

    @property
    def why(self) -> str:
        """Why it matters."""
        return self._section(r"Why it matters:(.*?)(?=What to do:|\Z)")

    @property
    def what_to_do(self) -> str:
        """What a reviewer does about it."""
        return self._section(r"What to do:(.*)\Z")

    def _section(self, pattern: str) -> str:
        found = re.search(pattern, inspect.getdoc(self.function) or "", re.DOTALL)
        return " ".join(found.group(1).split()) if found else ""


def check(code: str, *, severity: Severity, of_field: bool = False) -> Callable[[F], F]:
    """Register a check function under a code.

    Args:
        code: Family and name, for instance `ranges.outside_limits`.
        severity: Severity of its findings unless the spec says otherwise.
        of_field: Whether it looks for what a field declares, so that the field's own severity counts.

    Raises:
        ValueError: The code is malformed or taken, or the function's argument is not annotated.
    """

    def register(function: F) -> F:
        if not _CODE.match(code):
            raise ValueError(f"{code!r} is not a check code: family.name in lower case")
        if code.partition(".")[0] not in FAMILIES:
            raise ValueError(f"{code!r} is of no known family: the families are {', '.join(FAMILIES)}")
        if code in _registered:
            raise ValueError(f"check code {code} is taken by {_registered[code].function.__qualname__}")
        hints = get_type_hints(function)
        subject = hints.get(next(iter(inspect.signature(function).parameters), ""))
        if subject not in (Column, Key, Rule, Examination):
            raise ValueError(f"{code}: annotate the argument with Column, Key, Rule or Examination")
        _registered[code] = Check(code=code, severity=severity, subject=subject, function=function, of_field=of_field)
        return function

    return register


def unregister(code: str) -> None:
    """Take a check out again: for tests and for callers who replace one."""
    del _registered[code]


def catalogue(family: str | None = None) -> tuple[Check, ...]:
    """Return the registered checks, of one family or all, sorted by code."""
    return tuple(entry for code, entry in sorted(_registered.items()) if family is None or entry.family == family)


def codes() -> frozenset[str]:
    """Return the codes of the registered checks."""
    return frozenset(_registered)


def families() -> tuple[str, ...]:
    """Return the names of the families, sorted."""
    return FAMILIES
