"""Which of the files in hand is the dataset that another one refers to: `dm` beside `ae`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checks.builtin import last_word
from checks.plain import visible
from review_graph.adapters.sources.formats import name_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Place = Path | str
"""A file, or the address of an object."""


@dataclass(frozen=True, kw_only=True)
class Companions:
    """The datasets that stand beside those under review.

    Attributes:
        of: By dataset under review: where each dataset is to which it may refer, by name.
        unclear: One line for each dataset and name for which several files may be meant.
    """

    of: dict[Place, dict[str, Place]]
    unclear: tuple[str, ...]


def companions(places: Sequence[Place], wanted: Collection[str] | None) -> Companions:
    """Find for each dataset those it may refer to: datasets of the same run in the same folder.

    A file is a dataset's by its whole name or the last word of it (`sdtm_dm.xpt` is `dm`). Where there are
    several, the one of the same format as the file under review is meant, then the one with just that name; if
    that does not decide, none is taken.

    Args:
        places: The datasets of a run.
        wanted: Names of the datasets that specs refer to; None when they may refer to any.
    """
    by_folder: dict[str, dict[str, list[Place]]] = {}
    for place in places:
        for name in _names(place, wanted):
            by_folder.setdefault(_folder(place), {}).setdefault(name, []).append(place)
    found: dict[Place, dict[str, Place]] = {}
    unclear = []
    for place in places:
        own = _names(place, wanted)
        for name, candidates in by_folder.get(_folder(place), {}).items():
            if name in own:
                continue  # a DM refers to no other DM
            chosen = _one_of(candidates, place, name)
            if len(chosen) == 1:
                found.setdefault(place, {})[name] = chosen[0]
            else:
                listed = ", ".join(visible(_file(other).name) for other in chosen)
                unclear.append(
                    f"{visible(_file(place).name)}: {name} may be any of {listed}: --with {name}=PATH says which"
                )
    return Companions(of=found, unclear=tuple(unclear))


def _one_of(candidates: list[Place], beside: Place, name: str) -> list[Place]:
    """Narrow down what may be meant, as long as something is left."""
    same_format = [place for place in candidates if _file(place).suffixes == _file(beside).suffixes] or candidates
    return [place for place in same_format if name_of(_file(place)).casefold() == name] or same_format


def _names(place: Place, wanted: Collection[str] | None) -> set[str]:
    whole = name_of(_file(place)).casefold()
    names = {whole, last_word(whole)} - {""}
    return names if wanted is None else names.intersection(wanted)


def _file(place: Place) -> Path:
    """The file's name as a path: of an address what stands last, without what is asked of it."""
    return place if isinstance(place, Path) else Path(place.partition("?")[0].rpartition("/")[2])


def _folder(place: Place) -> str:
    return str(place.parent) if isinstance(place, Path) else place.partition("?")[0].rpartition("/")[0]
