"""Which objects an address means: one, those below a folder, or those that a pattern matches."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from review_graph.adapters.sources import content
from review_graph.adapters.sources.formats import FORMATS, READABLE, is_recognised, suffix_of
from review_graph.adapters.sources.remote import connect
from review_graph.adapters.sources.remote_trouble import refused, telling
from review_graph.core.addresses import protocol_of, shown_address
from review_graph.errors import ReviewGraphError

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAGIC = re.compile(r"[*\[]")
"""A pattern at an address has `*`, `**` or `[…]`; `?` begins a query."""

_MARKERS = frozenset({"_SUCCESS", "_metadata", "_common_metadata"})
"""What the writers of a dataset in parts leave beside them; see `parts`."""


@dataclass(kw_only=True)
class Listing:
    """What an address means.

    Attributes:
        tables: Addresses of the objects to read, as they are to be fetched.
        skipped: Objects that no reader exists for, or that are no tables, as they may be shown.
        missing: One line for what cannot be listed, gives no table, or is a dataset in many parts.
    """

    tables: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def list_tables(address: str) -> Listing:
    """Find the tables that an address means; what goes wrong is one line in `missing`.

    An object whose suffix has a reader is not looked for here: it is fetched later, or found missing then. A folder,
    whose address ends with `/`, gives the objects in it and below, of a web server only those that its page lists.

    Args:
        address: As given by a user, with whatever secrets it holds.
    """
    found, shown = Listing(), shown_address(address)
    try:
        with telling(shown):
            system, path = connect(address)
            place = address.partition("?")[0]
            if not _MAGIC.search(place) and not place.endswith("/") and not _is_folder(system, path):
                found.tables.append(address)
                return found
            _sort_out(system, _Base.of(place, path), _matching(system, place, path), found)
    except ReviewGraphError as error:
        found.missing.append(str(error))
        return found
    if not found.tables and not found.missing:
        is_pattern = _MAGIC.search(place)
        what, advice = (
            (f"matches no file {READABLE}", "check the pattern")
            if is_pattern
            else (f"is a folder without a file {READABLE}", "name another")
        )
        found.missing.append(str(refused(shown, what, advice)))
    return found


@dataclass(frozen=True, kw_only=True)
class _Base:
    """The part that all objects of an argument have in common, as an address and as the file system's own path."""

    address: str
    path: str

    @classmethod
    def of(cls, place: str, path: str) -> _Base:
        if not _MAGIC.search(place):
            return cls(address=f"{place.rstrip('/')}/", path=f"{path.rstrip('/')}/")
        return cls(address=_fixed(place), path=_fixed(path))

    def address_of(self, name: str) -> str:
        """What the address has before the path (an account, a name) stays."""
        return self.address + name.removeprefix(self.path)

    def inner(self, name: str) -> PurePosixPath:
        """The path below, together with the folder that the base itself is."""
        own = PurePosixPath(self.path.rstrip("/")).name
        return PurePosixPath(own, name.removeprefix(self.path))


def _fixed(text: str) -> str:
    """The folder in which a pattern begins to be one."""
    before = _MAGIC.split(text, maxsplit=1)[0]
    return before[: before.rindex("/") + 1]


def _is_folder(system: Any, path: str) -> bool:  # noqa: ANN401 - fsspec has no types
    """Whether an address without a suffix that has a reader is a folder; one with it is taken for an object."""
    return suffix_of(Path(path.partition("?")[0])) not in FORMATS and bool(system.isdir(path))


def _matching(system: Any, place: str, path: str) -> list[str]:  # noqa: ANN401 - fsspec has no types
    """The objects below a folder or matched by a pattern; what is below a folder that it matches too."""
    system.invalidate_cache()
    is_web = protocol_of(place) in ("http", "https")
    if not _MAGIC.search(place):
        names: Iterable[str] = system.ls(path, detail=False) if is_web else system.find(path)
        return sorted(name for name in names if not name.endswith("/"))
    found: set[str] = set()
    for name, told in system.glob(path, detail=True).items():
        if told.get("type") != "directory":
            found.add(name)
        elif not is_web:
            found.update(system.find(name))
    return sorted(found)


def _sort_out(system: Any, base: _Base, names: list[str], found: Listing) -> None:  # noqa: ANN401 - fsspec has no types
    """Put each object where it belongs; parts of one dataset are named once, by their folder."""
    inner = {name: base.inner(name) for name in names}
    marked = {path.parent for path in inner.values() if path.name in _MARKERS}
    in_parts: dict[PurePosixPath, None] = {}
    for name, path in inner.items():
        if any(step.startswith(".") for step in path.parts[1:]) or path.name in _MARKERS:
            continue
        if (whole := _in_parts(path, marked)) is not None:
            in_parts[whole] = None
        elif _is_table(system, name, path):
            found.tables.append(base.address_of(name))
        else:
            found.skipped.append(shown_address(base.address_of(name)))
    for folder in in_parts:
        shown = shown_address(base.address + "/".join(folder.parts[1:])).rstrip("/")
        what = "is one dataset in many Parquet parts, and those are not read from an address"
        found.missing.append(str(refused(shown, what, "copy the folder to a local drive and name it there")))


def _in_parts(path: PurePosixPath, marked: set[PurePosixPath]) -> PurePosixPath | None:
    """The folder of the dataset that a file is a part of, by the signs that `parts` knows."""
    if path.suffix.lower() != ".parquet":
        return None
    for folder in reversed(path.parents[:-1]):
        if folder.suffix.lower() == ".parquet" or folder in marked:
            return folder
        if "=" in folder.name:
            return folder.parent
    return None


def _is_table(system: Any, name: str, path: PurePosixPath) -> bool:  # noqa: ANN401 - fsspec has no types
    """By its suffix; where that is common, by how the object begins."""
    known = FORMATS.get(suffix_of(Path(path)))
    if known is None or not known.common:
        return is_recognised(Path(path))
    head: bytes = system.cat_file(name, start=0, end=content.HEAD_BYTES)
    return content.sniff(head) is content.DATASET_JSON
