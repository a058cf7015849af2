"""What review-graph writes is never taken for data."""

from __future__ import annotations

from pathlib import Path

from review_graph.adapters.own_files import own_folder
from review_graph.adapters.sources.folders import find_tables


def test_a_folder_of_ours_is_left_out_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("A\n1\n", encoding="utf-8")
    own_folder(tmp_path / "checkpoints" / "cache")
    (tmp_path / "checkpoints" / "cache" / "copy.parquet").write_bytes(b"PAR1")
    found = find_tables([str(tmp_path)])
    assert [path.name for path in found.tables] == ["data.csv"]
    assert found.skipped == ()
