"""Every spec that a file holds, each with all that is wrong with it: the one Table Schema, or each resource."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from checks.errors import SpecError
from checks.spec import Spec
from checks.specfile import MAX_BYTES, read_spec
from checks.specfile.yaml_nodes import parse


@dataclass(frozen=True, kw_only=True)
class Validated:
    """One spec that was looked at.

    Attributes:
        path: The file.
        resource: Name of the resource; None for a file with one spec.
        spec: The spec; None when something is wrong with it.
        problems: What is wrong, a line each, in the order of the file.
        ignored: Custom properties, a line each.
        note: Why there was nothing to look at.
    """

    path: Path
    resource: str | None = None
    spec: Spec | None = None
    problems: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    note: str | None = None


def validate_file(path: Path, known_codes: Collection[str]) -> list[Validated]:
    """Return what is to be said of each spec in a file; a wrong one does not hide the others.

    Args:
        path: A YAML or JSON file: a Table Schema, a Data Resource or a Data Package.
        known_codes: Codes of the checks there are.
    """
    resources = _resources(path)
    if resources is None:
        return [_validated(path, None, known_codes)]
    names = Counter(str(item.get("name", "")).casefold() for item in resources)
    found = []
    for index, item in enumerate(resources):
        name = str(item.get("name", ""))
        if "schema" not in item:
            found.append(Validated(path=path, resource=name, note="no schema, so nothing to look at"))
        elif not name or names[name.casefold()] > 1:
            what = f"the name {name!r} is given twice" if name else "name is missing"
            text = f"{path}: resources[{index}]: {what}, expected a name for each resource"
            found.append(Validated(path=path, resource=name or None, problems=(text,)))
        else:
            found.append(_validated(path, name, known_codes))
    return found


def _validated(path: Path, resource: str | None, known_codes: Collection[str]) -> Validated:
    try:
        loaded = read_spec(path, resource=resource, known_codes=known_codes)
    except SpecError as error:
        return Validated(path=path, resource=resource, problems=tuple(str(error).splitlines()))
    return Validated(path=path, resource=resource, spec=loaded.spec, ignored=loaded.ignored)


def _resources(path: Path) -> list[dict[str, object]] | None:
    """The resources of a Data Package with several; None for anything else, of which the reader says what is wrong."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        data = parse(path.read_bytes().decode("utf-8-sig"), str(path))[0].data
    except (OSError, ValueError, SpecError):
        return None
    listed = data.get("resources") if isinstance(data, dict) and "fields" not in data else None
    if not isinstance(listed, list) or len(listed) < 2 or not all(isinstance(item, dict) for item in listed):
        return None
    return listed
