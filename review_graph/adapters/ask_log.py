"""The account of investigations: a file of JSON lines that is only ever added to."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path

from checks.vocabulary import JSON
from review_graph.adapters.own_files import own_folder
from review_graph.errors import SetupError


class AskLogFile:
    """Implements `ports.AskLog`: one line a call, in ASCII, with sorted keys, on the disk when the call returns.

    Args:
        path: The file; it and its folder are made when missing, the file readable by its owner only.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()  # the working folder may change

    def write(self, line: Mapping[str, JSON]) -> None:
        """Add one line, for good.

        Raises:
            SetupError: It cannot be written.
        """
        # ASCII: no control character, no half of a letter and no turned direction of writing reaches who reads it.
        text = json.dumps(dict(line), sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"
        try:
            own_folder(self._path.parent)
            handle = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                _append(handle, text.encode("ascii"))
            finally:
                os.close(handle)
        except OSError as error:
            raise SetupError(
                f"cannot write the log of investigations {self._path}: {error.strerror or error}; no question is "
                "answered without an account of it: make the place writable, or name another output folder"
            ) from error


def _append(handle: int, line: bytes) -> None:
    fcntl.flock(handle, fcntl.LOCK_EX)  # until it is closed: nobody looks at a line of which only a part is there
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        line = b"\n" + line  # the line before was cut, by a full disk for instance; it shall not spoil this one
    if os.write(handle, line) != len(line):
        raise OSError("only a part of a line could be written, is the disk full?")
    os.fsync(handle)
