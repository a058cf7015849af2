"""Writing a spec as YAML that every reader understands alike, with comments beside what they are about.

Text is written bare only where no reader could take it for anything else; everything else is in double quotes:
`NO`, `on` and `12:30` are text to YAML 1.2 and something else to 1.1, `1e3` the other way round.

Source: https://yaml.org/spec/1.2.2/ (5.7 escapes, 10.3 core schema) and https://yaml.org/type/ (YAML 1.1 types).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from checks.specfile.problems import Path
from checks.vocabulary import JSON

Notes = Mapping[Path, str]
"""Comments by the place they stand beside."""

WIDTH = 110
"""Characters up to which a list or a small mapping is kept on one line."""

_ORDER = (
    *(
        "$schema",
        "id",
        "by",
        "of",
        "name",
        "path",
        "title",
        "label",
        "description",
        "profile",
        "type",
        "format",
        "unit",
    ),
    *("core", "identifier", "severity", "constraints", "fieldsMatch", "missingValues", "primaryKey", "uniqueKeys"),
    *("foreignKeys", "schema", "fields", "limits", "rules", "checks", "policy", "resources"),
    *("required", "unique", "pattern", "minLength", "maxLength", "minimum", "maximum", "enum"),
)
"""Properties in the order people read them; what is not here keeps its own order, behind them."""

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_./()%*-]*(?: [A-Za-z0-9_./()%*-]+)*")
_RESERVED = frozenset("y n yes no on off true false null none nan inf".split())  # noqa: SIM905 - reads as the list it is
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BYTE, _BASIC_PLANE = 0xFF, 0xFFFF


def to_yaml(data: Mapping[str, JSON], *, notes: Notes | None = None, header: Sequence[str] = ()) -> str:
    """Return plain data as YAML text; the same data gives the same text.

    Args:
        data: Plain JSON data, such as `Spec.to_plain()`.
        notes: Comments by place; each stands at the end of the line its place begins on.
        header: Lines of comment above all.
    """
    lines = [_comment(line) for line in header]
    lines += _Writer(notes or {}).mapping(data, (), sort=True)
    return "\n".join(lines) + "\n"


def to_json(data: JSON) -> str:
    """Return plain data as indented JSON text; JSON has no comments."""
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def scalar(value: JSON) -> str:
    """Return one value so that YAML 1.1 and 1.2 read the same; text bare where that is safe, else in double quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    text = str(value)
    if _BARE.fullmatch(text) and text.casefold() not in _RESERVED:
        return text
    return '"' + "".join(_character(letter) for letter in text) + '"'


def _float(value: float) -> str:
    """YAML 1.1 knows an exponent only behind a decimal point and with a sign."""
    digits, marker, exponent = repr(value).partition("e")
    if not marker:
        return digits
    sign = "" if exponent.startswith(("-", "+")) else "+"
    return f"{digits if '.' in digits else f'{digits}.0'}e{sign}{exponent}"


def _character(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable() and letter != "\ufeff":
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code <= _BYTE else f"\\u{code:04x}" if code <= _BASIC_PLANE else f"\\U{code:08x}"


class _Writer:
    """Turns plain data into lines, each with the comment that belongs to it."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._above_notes = {place[:length] for place in notes for length in range(len(place))}

    def mapping(self, block: Mapping[str, JSON], place: Path, *, sort: bool) -> Iterator[str]:
        """Lines of a mapping; `sort` tells properties, which have an order, from names that an author chose."""
        for key in sorted(block, key=_rank) if sort else block:
            yield from self._entry(f"{scalar(key)}:", block[key], (*place, key))

    def _entry(self, start: str, value: JSON, place: Path) -> Iterator[str]:
        note = f" {_comment(self._notes[place])}" if place in self._notes else ""
        short = self._flow(value, place)
        # Nothing in brackets cannot be written in a block: however long the key, it stays on its line.
        on_one_line = not isinstance(value, dict | list) or not value
        if short is not None and (on_one_line or len(start) + len(short) < WIDTH):
            yield f"{start} {short}{note}"
            return
        yield f"{start}{note}"
        if isinstance(value, dict):
            for line in self.mapping(value, place, sort=not _names_are_chosen(place)):
                yield f"  {line}"
        else:
            yield from self._items(value, place)

    def _items(self, values: list[JSON], place: Path) -> Iterator[str]:
        for index, value in enumerate(values):
            here = (*place, index)
            if not isinstance(value, dict) or not value:
                yield from (f"  {line}" for line in self._entry("-", value, here))
                continue
            if here in self._notes:
                yield f"  {_comment(self._notes[here])}"
            for number, line in enumerate(self.mapping(value, here, sort=True)):
                yield f"  {'  ' if number else '- '}{line}"

    def _flow(self, value: JSON, place: Path) -> str | None:
        """A value on one line, or None when it holds too much for that or something with a comment of its own."""
        if not isinstance(value, dict | list):
            return scalar(value)
        if not value:
            return "{}" if isinstance(value, dict) else "[]"
        if place in self._above_notes:
            return None
        if isinstance(value, list):
            simple = not any(isinstance(item, dict | list) for item in value)
            return f"[{', '.join(scalar(item) for item in value)}]" if simple else None
        if any(isinstance(item, dict | list) for item in value.values()):
            return None
        keys = value if _names_are_chosen(place) else sorted(value, key=_rank)
        return "{ " + ", ".join(f"{scalar(key)}: {scalar(value[key])}" for key in keys) + " }"


def _names_are_chosen(place: Path) -> bool:
    """Whether the keys here are parameters or codes of checks, not properties."""
    return bool(place) and place[-1] in ("values", "checks", "jsonSchema")


def _rank(key: str) -> int:
    return _ORDER.index(key) if key in _ORDER else len(_ORDER)


def _comment(text: str) -> str:
    """A comment on one line: what could break the line is written as an escape."""
    return f"# {''.join(c if c.isprintable() else _character(c) for c in text)}".rstrip()
