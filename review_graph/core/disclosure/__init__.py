"""x"""

from review_graph.core.disclosure.auditing import Audit, World
from review_graph.core.disclosure.hiding import Outcome, hide
from review_graph.core.disclosure.indicators import TooManyError
from review_graph.core.disclosure.knowing import How, Known
from review_graph.core.disclosure.packing import packed, unpacked
from review_graph.core.disclosure.partition import Flags, Partition, Whole
from review_graph.core.disclosure.versions import Hashes, Identities, Units, Versions, mixed

__all__ = [
    "Audit",
    "Flags",
    "Hashes",
    "How",
    "Identities",
    "Known",
    "Outcome",
    "Partition",
    "TooManyError",
    "Units",
    "Versions",
    "Whole",
    "World",
    "hide",
    "mixed",
    "packed",
    "unpacked",
]
