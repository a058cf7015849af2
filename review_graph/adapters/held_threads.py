"""Threads of reviews are written to by whoever holds the review, and by nobody who lost it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata

from review_graph.adapters.store.leases import demand_held


class HeldThreads(BaseCheckpointSaver[str]):
    """Stands before a checkpointer of LangGraph and refuses to write under a lease that is another one's by now.

    Raises:
        LeaseLost: What is written is of a review that another process took over.
    """

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        demand_held(config["configurable"]["thread_id"])
        return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a step wrote."""
        demand_held(config["configurable"]["thread_id"])
        super().put_writes(config, writes, task_id, task_path)
