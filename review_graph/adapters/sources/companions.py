"""Which of the files in hand is the dataset that another one refers to: `dm` beside `ae`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checks.builtin import last_word
from checks.plain import visible
from review_graph.adapters.sources.formats import name_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Companions:
    """The datasets that stand beside those under review.

    Attributes:
        of: By file under review: where each dataset is to which it may refer, by name.
        unclear: One line for each folder and name for which several files may be meant.
    """

    of: dict[Path, dict[str, Path]]
    unclear: tuple[str, ...]


def companions(tables: Sequence[Path], wanted: Collection[str]) -> Companions:
    """Find for each file the datasets it may refer to: files of the same run in the same folder.

    A file is a dataset's by its whole name or the last word of it (`sdtm_dm.xpt` is `dm`). Where there are
    several, the one of the same format as the file under review is meant, then the one with just that name; if
    that does not decide, none is taken.

    Args:
        tables: The files of a run.
        wanted: Names of the datasets that specs refer to.
    """
    by_folder: dict[Path, dict[str, list[Path]]] = {}
    for path in tables:
        name = name_of(path).casefold()
        for target in {name, last_word(name)}.intersection(wanted):
            by_folder.setdefault(path.parent, {}).setdefault(target, []).append(path)
    found: dict[Path, dict[str, Path]] = {}
    unclear: dict[str, None] = {}
    for path in tables:
        for name, candidates in by_folder.get(path.parent, {}).items():
            chosen = _one_of([file for file in candidates if file != path], path, name)
            if len(chosen) == 1:
                found.setdefault(path, {})[name] = chosen[0]
            elif chosen:
                listed = ", ".join(visible(file.name) for file in chosen)
                unclear[f"{name} may be any of {listed}: --with {name}=PATH says which"] = None
    return Companions(of=found, unclear=tuple(unclear))


def _one_of(candidates: list[Path], beside: Path, name: str) -> list[Path]:
    """Narrow down what may be meant, as long as something is left."""
    same_format = [file for file in candidates if file.suffixes == beside.suffixes] or candidates
    return [file for file in same_format if name_of(file).casefold() == name] or same_format
