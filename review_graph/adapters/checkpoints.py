"""LangGraph checkpoints in SQLite, with a serialiser that builds nothing but plain data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from review_graph.adapters.sqlite import connect

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


def strict_serialiser() -> JsonPlusSerializer:
    """Return a serialiser that does not rebuild objects: a crafted row stays data (CVE-2026-28277)."""
    return JsonPlusSerializer(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=None)


def sqlite_checkpointer(path: Path) -> BaseCheckpointSaver[str]:
    """Return a checkpointer on a SQLite file; its folder and tables are made when missing."""
    saver = SqliteSaver(connect(path), serde=strict_serialiser())
    saver.setup()
    return saver
