"""Reports for other programs and for paper: from reviews to bytes, one file a format. Same reviews, same bytes.

Text of the data is data here as everywhere: each format makes it visible or escapes it, and none acts on it.
"""

from review_graph.reports.formats import BINARY, NAMES, rendered

__all__ = ["BINARY", "NAMES", "rendered"]
