"""Files into tables: one reader a format, a fingerprint, a columnar cache, and the search for files.

Nothing heavier than the standard library is imported until a file is read.
"""

from __future__ import annotations

from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.adapters.sources.files import decode, fingerprint
from review_graph.adapters.sources.folders import Found, find_tables

__all__ = ["ColumnarCache", "Found", "decode", "find_tables", "fingerprint"]
