"""Reading a spec: from a YAML or JSON file or from a mapping, with every message naming the line that is wrong.

A Table Schema is read as it is. Of a Data Resource or a Data Package the schema of one resource is read,
inline or from a file beside it.

Source: https://datapackage.org/standard/data-package/ and https://datapackage.org/standard/data-resource/.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from checks.errors import SpecError
from checks.spec import Spec
from checks.specfile.problems import Document, Problem, describe, did_you_mean, real_path, value_at
from checks.specfile.problems import Path as Place
from checks.specfile.sense import validate
from checks.specfile.shape import Shaped, shape
from checks.specfile.yaml_nodes import MAX_DEPTH, parse
from checks.vocabulary import JSON

MAX_BYTES = 10_000_000
"""Size of a spec file; what is larger is a dataset given by mistake."""

_OURS = ("rules", "limits", "checks", "policy")
_CONTENT = ("fields", "primaryKey", "uniqueKeys", "foreignKeys", "missingValues", "fieldsMatch", "profile", *_OURS)


@dataclass(frozen=True, kw_only=True)
class LoadedSpec:
    """A spec, and what was passed over while reading it.

    Attributes:
        spec: The spec.
        ignored: One line for each custom property, which Table Schema allows and nothing here uses.
    """

    spec: Spec
    ignored: tuple[str, ...] = ()


def load_spec(
    source: str | Path | Mapping[str, JSON],
    *,
    resource: str | None = None,
    known_codes: Collection[str] | None = None,
) -> Spec:
    """Return the spec that a file or a mapping holds; `read_spec` without what was ignored.

    Args:
        source: Path of a YAML or JSON file, or what `yaml.safe_load` or `json.load` made of one.
        resource: Name of the resource to take from a Data Package that has several, in any case.
        known_codes: Codes of the checks there are, to hold `checks` against; None leaves them unjudged.

    Raises:
        SpecError: One line for each thing that is wrong, in the order of the file.
    """
    return read_spec(source, resource=resource, known_codes=known_codes).spec


def read_spec(
    source: str | Path | Mapping[str, JSON],
    *,
    resource: str | None = None,
    known_codes: Collection[str] | None = None,
) -> LoadedSpec:
    """Return the spec that a file or a mapping holds, and the properties that were ignored.

    Args:
        source: Path of a YAML or JSON file, or what `yaml.safe_load` or `json.load` made of one.
        resource: Name of the resource to take from a Data Package that has several, in any case.
        known_codes: Codes of the checks there are, to hold `checks` against; None leaves them unjudged.

    Raises:
        SpecError: One line for each thing that is wrong, in the order of the file.
    """
    if isinstance(source, Mapping):
        return _load(Document(data=_plain(source)), [], None, resource, known_codes)
    path = Path(source)
    document, problems = _parsed(path, str(source))
    return _load(document, problems, path.parent, resource, known_codes)


def _load(
    document: Document,
    problems: list[Problem],
    folder: Path | None,
    resource: str | None,
    known_codes: Collection[str] | None,
) -> LoadedSpec:
    root = _schema_place(document, resource)
    schema = value_at(root, document.data)
    if isinstance(schema, str):
        inner, inner_problems = _schema_file(document, root, schema, folder)
        if problems:
            raise SpecError("\n".join(document.messages(problems)))
        document, problems, root, schema = inner, inner_problems, (), inner.data
    if not isinstance(schema, dict):
        raise _error(document, root, f"found {describe(schema)}, expected a mapping with fields")
    if not problems and not any(real_path((key,), schema) for key in _CONTENT):
        hint = next((end for key in schema if (end := did_you_mean(key, _CONTENT))), "")
        raise _error(document, root, f"nothing here says what to expect of a table, expected fields{hint}")
    shaped, senseless = _judged(schema, known_codes)
    unread = {problem.path for problem in problems}
    problems += [found for problem in shaped.problems if (found := _below(root, problem)).path not in unread]
    problems += [_below(root, problem) for problem in senseless]
    if problems:
        raise SpecError("\n".join(document.messages(problems)))
    ignored = [Problem(path=(*root, *place), text="custom property, ignored") for place in shaped.custom]
    return LoadedSpec(spec=shaped.spec, ignored=tuple(document.messages(ignored)))


def _judged(schema: dict[str, JSON], known_codes: Collection[str] | None) -> tuple[Shaped, tuple[Problem, ...]]:
    """Return what a schema says, and what of it makes no sense; worked out once for all datasets of a batch."""
    codes = None if known_codes is None else frozenset(known_codes)
    try:
        return _judged_text(json.dumps(schema), codes)
    except TypeError:  # it holds what is no JSON, as a message will say
        return _judge(schema, codes)


def _judge(schema: dict[str, JSON], known_codes: frozenset[str] | None) -> tuple[Shaped, tuple[Problem, ...]]:
    shaped = shape(schema)
    senseless = [
        Problem(path=shaped.draft.place(problem.path), text=problem.text)
        for problem in validate(shaped.spec, known_codes)
    ]
    return shaped, tuple(senseless)


@lru_cache(maxsize=64)
def _judged_text(schema: str, known_codes: frozenset[str] | None) -> tuple[Shaped, tuple[Problem, ...]]:
    return _judge(json.loads(schema), known_codes)


def _schema_place(document: Document, resource: str | None) -> Place:
    """Find the Table Schema in what may be one, a Data Resource or a Data Package."""
    data = document.data
    place: Place = ()
    if not isinstance(data, dict):
        raise _error(document, (), f"found {describe(data)}, expected a mapping with fields")
    if isinstance(data.get("resources"), list) and "fields" not in data:
        place = ("resources", _chosen(document, data["resources"], resource))
    holder = value_at(place, data)
    if not isinstance(holder, dict) or "fields" in holder or not (place or "schema" in holder):
        return place
    if "schema" not in holder:
        raise _error(document, place, "schema is missing, expected a Table Schema")
    for key in _OURS:
        if key in holder:
            raise _error(document, (*place, key), f"{key} stands beside schema, expected it inside")
    return (*place, "schema")


def _chosen(document: Document, resources: list[JSON], name: str | None) -> int:
    """Choose a resource: the only one, else the one of that name."""
    if len(resources) == 1:
        return 0
    names = [str(item.get("name")) if isinstance(item, dict) else "" for item in resources]
    found = [index for index, other in enumerate(names) if name is not None and other.casefold() == name.casefold()]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(sorted(other for other in names if other)) or "none"
    asked = "several resources and none was asked for" if name is None else f"no single resource {name!r}"
    hint = did_you_mean(name, names) if name else ""
    raise _error(document, ("resources",), f"{asked}, expected one of: {listed}{hint}")


def _schema_file(document: Document, place: Place, name: str, folder: Path | None) -> tuple[Document, list[Problem]]:
    """Read the schema a resource names by path: a file in the same folder or below it."""
    if folder is None:
        raise _error(
            document, place, f"found {describe(name)}, expected the schema itself: there is no file to look beside"
        )
    if "://" in name:
        raise _error(document, place, f"found {describe(name)}, expected a file: addresses are not fetched")
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise _error(document, place, f"found {describe(name)}, expected a file in the folder of {document.origin}")
    return _parsed(path, str(path))


def _parsed(path: Path, name: str) -> tuple[Document, list[Problem]]:
    """Read a file; a batch reads the same one for each dataset, and what its text says is worked out once."""
    document, problems = _parsed_text(_read(path, name), name)
    return document, list(problems)


_parsed_text = lru_cache(maxsize=4)(parse)


def _read(path: Path, name: str) -> str:
    """Return the text of a spec file; every way that fails is one line."""
    shown = name if name.isprintable() else repr(name)
    if "://" in name:
        raise SpecError(f"{shown}: expected a file: addresses are not fetched")
    try:
        if path.is_dir():
            raise SpecError(f"{shown}: is a folder, expected a YAML or JSON file")
        if path.exists() and not path.is_file():
            raise SpecError(f"{shown}: is no plain file, expected a YAML or JSON file")
        if path.stat().st_size > MAX_BYTES:
            raise SpecError(f"{shown}: larger than {MAX_BYTES // 1_000_000} MB, expected a spec in YAML or JSON")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise SpecError(f"{shown}: no such file") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{shown}: not UTF-8 text (byte {error.start + 1}), expected YAML or JSON") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SpecError(f"{shown}: cannot be read: {reason}") from None


def _plain(value: object, depth: int = 0) -> JSON:
    """Return what a YAML or JSON library made as plain JSON data."""
    if depth > MAX_DEPTH:
        raise SpecError(f"spec: nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return {str(key): _plain(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, depth + 1) for part in value]
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value


def _below(root: Place, problem: Problem) -> Problem:
    return Problem(path=(*root, *problem.path), text=problem.text)


def _error(document: Document, place: Place, text: str) -> SpecError:
    return SpecError(document.message(Problem(path=place, text=text)))
