"""Files that review-graph writes: each as a whole or not at all, in folders marked as its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

MARK = ".review-graph"
"""Name of the file that marks a folder as made by review-graph, so that its tables are not taken for data."""

_MARK_TEXT = "Made by review-graph; `review-graph run` leaves this folder out.\n"


def own_folder(folder: Path) -> None:
    """Make a folder of our own, and mark it."""
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / MARK
    if not mark.exists():
        mark.write_text(_MARK_TEXT, encoding="utf-8")


def is_own(folder: Path) -> bool:
    """Whether review-graph made a folder."""
    return (folder / MARK).exists()


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write beside the place and move there, so that nobody ever reads half a file.

    Args:
        path: Where the file shall be; its folder is made when missing.
        write: Writes the content to the path it is given.

    Raises:
        OSError: The file cannot be written; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
