"""What is wrong with a spec and where: the words every part of spec reading shares."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic.alias_generators import to_camel, to_snake

from checks.vocabulary import JSON

Path = tuple[str | int, ...]
"""Where something stands in a spec: keys and 0-based positions from the top."""

TYPO = 0.6
"""Similarity (difflib) from which a name is offered as the one that was meant."""

_SHOWN_CHARACTERS = 60
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*")


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        path: Where it stands.
        text: What was found, what was expected, what to do.
        line: Its line, where that is not the line of the path.
    """

    path: Path
    text: str
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Document:
    """Plain data together with where it came from.

    Attributes:
        data: The plain JSON data.
        origin: File name for messages; None for data handed in by a caller.
        lines: Line of each key or list entry, 1-based, by path.
    """

    data: JSON
    origin: str | None = None
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, problem: Problem) -> int | None:
        """Line of a problem: its own, else that of the nearest place at or above it whose line is known."""
        path = problem.path
        known = (self.lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in self.lines)
        return problem.line if problem.line is not None else next(known, None)

    def message(self, problem: Problem) -> str:
        """`file:line: key.path: text`, as far as each is known."""
        where = self.origin
        if where is not None and (line := self.line(problem)) is not None:
            where = f"{where}:{line}"
        parts = (where or ("" if problem.path else "spec"), key_path(problem.path), problem.text)
        return ": ".join(part for part in parts if part)

    def messages(self, problems: Iterable[Problem]) -> list[str]:
        """Messages in line order; those of one line stay in the order they were found."""
        ordered = sorted(problems, key=lambda problem: self.line(problem) or 0)
        return list(dict.fromkeys(self.message(problem) for problem in ordered))


def key_path(path: Path) -> str:
    """Return a path as people write it: `fields[2].constraints.minimum`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step, ensure_ascii=False)}]"
    return text


def real_path(path: Path, data: JSON) -> Path:
    """Return the part of `path` that exists in `data`, in the spelling used there.

    A key may stand there in snake or camel case, and one block may stand where a list of blocks is meant.
    What pydantic adds to a path (the alternatives of a union) does not exist and is left out.
    """
    found: list[str | int] = []
    for step in path:
        if isinstance(step, int):
            if isinstance(data, list) and step < len(data):
                found.append(step)
                data = data[step]
            elif isinstance(data, list) or step:
                break
            continue
        spelled = next((key for key in (step, to_camel(step), to_snake(step)) if _holds(data, key)), None)
        if spelled is None:
            break
        found.append(spelled)
        data = data[spelled]
    return tuple(found)


def value_at(path: Path, data: JSON) -> JSON:
    """Return what stands at a path that exists."""
    for step in path:
        data = data[step]
    return data


def describe(value: JSON) -> str:
    """Return a found value for a message: what kind it is and, where it is short, the value."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int | float):
        return f"the number {value}"
    text = str(value)
    shown = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
    return f"the text {shown!r}"


def nearest(name: str, known: Iterable[str], cutoff: float = TYPO) -> str | None:
    """Return the known name that `name` is most like, whatever its case, or None."""
    folded = {other.casefold(): other for other in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str], cutoff: float = TYPO) -> str:
    """Return the end of a message that names the nearest known name, or nothing."""
    near = nearest(name, known, cutoff)
    return f"; did you mean {near!r}?" if near else ""


def _holds(data: JSON, key: str) -> bool:
    return isinstance(data, Mapping) and key in data
