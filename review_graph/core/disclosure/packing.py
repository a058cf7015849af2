"""Sets of units as text: bits, compressed."""

from __future__ import annotations

import base64
import zlib

import numpy as np

from review_graph.core.disclosure.partition import Flags


def packed(flags: Flags) -> str:
    """Return a set as text."""
    return base64.b64encode(zlib.compress(np.packbits(flags).tobytes(), 1)).decode("ascii")


def unpacked(text: str, units: int) -> Flags:
    """Return the set of a text among so many units."""
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    return np.unpackbits(bits, count=units).astype(np.bool_)
