"""What the middle needs from outside, as Protocols; `adapters/` provides it, `bootstrap.py` wires it."""

from review_graph.ports.asking import AskLog, ChatModel, Ledger, Ledgers, Memory, Narrator
from review_graph.ports.datasets import Artifacts, Decoded, Located, Sources
from review_graph.ports.reviewing import Clock, Dossier, Entry, Lease, ReviewFilter, Store

__all__ = [
    "Artifacts",
    "AskLog",
    "ChatModel",
    "Clock",
    "Decoded",
    "Dossier",
    "Entry",
    "Lease",
    "Ledger",
    "Ledgers",
    "Located",
    "Memory",
    "Narrator",
    "ReviewFilter",
    "Sources",
    "Store",
]
