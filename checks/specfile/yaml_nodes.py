"""YAML 1.2 and JSON text as plain data that remembers its lines.

Only the core schema of YAML 1.2 is read, so that `NO`, `on`, `0012` and `2024-03-01` stay the text they
are; one step stricter than it, a number with leading zeros is a code and stays text too. JSON is read by
the same loader, so that its messages have lines as well.

Source: https://yaml.org/spec/1.2.2/#103-core-schema.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from checks.errors import SpecError
from checks.specfile.problems import Document, Path, Problem
from checks.vocabulary import JSON

MAX_VALUES = 200_000
"""Values a document may hold once its aliases are unfolded."""

MAX_DEPTH = 50
"""Levels of nesting a document may have."""

_CORE = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_NULL = re.compile(r"~|null|Null|NULL|")

_SCALARS: dict[str, tuple[re.Pattern[str], Callable[[str], JSON]]] = {
    "str": (re.compile(r"(?s:.*)"), lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16")),
    "null": (_NULL, lambda _: None),
    "bool": (_BOOL, lambda text: text.lower() == "true"),
    "int": (_INT, lambda text: int(text, 0)),
    "float": (_FLOAT, lambda text: float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))),
}
"""How the text of a scalar is read, by type. JSON writes a character such as 😀 as two surrogates, joined here."""


class _CoreLoader(yaml.SafeLoader):
    """PyYAML's safe loader with the implicit types of YAML 1.2 instead of 1.1; used to compose, not to construct."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own table


class _QuickCoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc] # may be absent
    """The same in C, ten times as quick, where PyYAML was built with it; for text that is known to be sound."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own table


for _tag, _pattern in (("null", _NULL), ("bool", _BOOL), ("int", _INT), ("float", _FLOAT)):
    for _loader in (_CoreLoader, _QuickCoreLoader):
        _loader.add_implicit_resolver(_CORE + _tag, re.compile(rf"(?:{_pattern.pattern})\Z"), None)


def parse(text: str, origin: str, *, known_sound: bool = False) -> tuple[Document, list[Problem]]:
    """Read one YAML or JSON document.

    Args:
        text: The text of the file.
        origin: Name of the file for messages.
        known_sound: The text is one of ours; what it would say of errors does not matter.

    Returns:
        The document, and what is wrong with it although it could be read: duplicate keys, foreign tags.

    Raises:
        SpecError: The text is not YAML, holds no or more than one document, or unfolds without end.
    """
    try:
        loader = (_QuickCoreLoader if known_sound else _CoreLoader)(_without_json_tabs(text))
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise SpecError(f"{origin}{_line_of(error)}: {_syntax(error)}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise SpecError(f"{origin}:{line}: not YAML: a control character (code {error.character})") from None
    except RecursionError:
        raise SpecError(f"{origin}: nested deeper than {MAX_DEPTH} levels") from None
    if node is None:
        raise SpecError(f"{origin}: the file is empty, expected a spec with fields")
    builder = _Builder(origin)
    data = builder.build(node, ())
    return Document(data=data, origin=origin, lines={(): 1} | builder.lines), builder.problems


def non_finite(data: JSON, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of numbers that are infinite or not a number."""
    if isinstance(data, float) and not math.isfinite(data):
        yield path
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from non_finite(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from non_finite(value, (*path, index))


class _Builder:
    """Turns nodes into plain data, counting what aliases unfold to."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []
        self._count = 0

    def build(self, node: Node, path: Path) -> JSON:
        self._count += 1
        if self._count > MAX_VALUES:
            raise SpecError(f"{self.origin}: holds more than {MAX_VALUES:,} values once its aliases are unfolded")
        if len(path) > MAX_DEPTH:
            raise SpecError(f"{self.origin}:{_line(node)}: nested deeper than {MAX_DEPTH} levels")
        self.lines.setdefault(path, _line(node))
        if isinstance(node, MappingNode) and node.tag == f"{_CORE}map":
            return self._mapping(node, path)
        if isinstance(node, SequenceNode) and node.tag == f"{_CORE}seq":
            return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
        if isinstance(node, ScalarNode):
            return self._scalar(node, path)
        self._refuse_tag(node, path)
        return None

    def _mapping(self, node: MappingNode, path: Path) -> dict[str, JSON]:
        built: dict[str, JSON] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, ScalarNode) else None
            if key is None:
                self.problems.append(Problem(path=path, text="a key is a list or a mapping, expected text"))
                continue
            place = (*path, key)
            if key in built:
                text = f"given twice, on lines {self.lines[place]} and {_line(key_node)}; expected once"
                self.problems.append(Problem(path=place, text=text, line=_line(key_node)))
                continue
            if key == "<<" and key_node.style is None:
                self.lines[place] = _line(key_node)
                text = "merge keys are not part of YAML 1.2; write the properties out"
                self.problems.append(Problem(path=place, text=text))
                continue
            self.lines[place] = _line(key_node)
            built[key] = self.build(value_node, place)
        return built

    def _scalar(self, node: ScalarNode, path: Path) -> JSON:
        kind, text = node.tag.removeprefix(_CORE), str(node.value)
        reader = _SCALARS.get(kind)
        if reader is None or not reader[0].fullmatch(text):
            self._refuse_tag(node, path)
            return None
        try:
            return reader[1](text)
        except ValueError:
            self.problems.append(
                Problem(path=path, text="found a value that cannot be read, expected text or a number")
            )
            return None

    def _refuse_tag(self, node: Node, path: Path) -> None:
        tag = node.tag.removeprefix(_CORE)
        text = f"found the tag {tag!r}, expected untagged text, numbers, lists and mappings"
        self.problems.append(Problem(path=path, text=text))


def _without_json_tabs(text: str) -> str:
    """Return JSON text with blanks for the tabs between its values, which YAML does not allow; other text as it is."""
    if "\t" not in text or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text.replace("\t", " ")


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


def _line_of(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f":{mark.line + 1}" if mark else ""


def _syntax(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "unreadable"
    if problem == "but found another document":
        return "a second document starts here, expected one document a file"
    if "'\\t'" in problem:
        return "a tab where only blanks may indent"
    context = f" {error.context}" if error.context else ""
    return f"not YAML:{context}{',' if context else ''} {problem}"
