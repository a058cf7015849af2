"""Files into tables: one reader a format, a fingerprint, a columnar cache, and the search for files.

Nothing heavier than the standard library is imported until a file is read.
"""

from __future__ import annotations

from review_graph.adapters.sources.cache_folder import CacheEntry, clear, entries
from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.adapters.sources.files import decode, fingerprint
from review_graph.adapters.sources.folders import Found, find_tables
from review_graph.adapters.sources.formats import name_of

__all__ = [
    "CacheEntry",
    "ColumnarCache",
    "Found",
    "clear",
    "decode",
    "entries",
    "find_tables",
    "fingerprint",
    "name_of",
]
