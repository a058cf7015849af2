"""`run` with addresses of objects elsewhere, beside files: what cannot be fetched stops no other, secrets stay in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from review_graph.doors.cli.app import app

fsspec = pytest.importorskip("fsspec", reason="needs the extra [remote]")

Cli = Callable[..., Any]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """Runs commands beside a file and a store with a folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", "kept/reviews.sqlite")
    Path("here.csv").write_text("ID,A\nS-1,1\n")
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pipe_file("memory://study/dm.csv", b"ID,A\nS-1,1\n")
    store.pipe_file("memory://study/ae.csv", b"ID,B\nS-1,1\n")
    store.pipe_file("memory://study/read.me", b"-")
    yield lambda *arguments: CliRunner().invoke(app, list(arguments))
    store.store.clear()


def endings(ran: Any) -> dict[str, str]:
    return {review["dataset"]["uri"]: review["status"] for review in json.loads(ran.stdout)["reviews"]}


def test_a_folder_elsewhere_beside_a_file(cli: Cli, tmp_path: Path) -> None:
    ran = cli("run", "memory://study/", "here.csv", "--format", "json")
    assert ran.exit_code == 0, ran.stderr
    assert endings(ran) == dict.fromkeys(
        [str(tmp_path / "here.csv"), "memory://study/ae.csv", "memory://study/dm.csv"], "summarised"
    )
    assert json.loads(ran.stdout)["skipped"] == ["memory://study/read.me"]
    assert "skipped 1 file without a table: read.me" in ran.stderr
    assert "memory://study/dm.csv" in cli("run", "memory://study/dm.csv").stdout


def test_what_cannot_be_fetched_stops_no_other_and_shows_no_secret(cli: Cli, tmp_path: Path) -> None:
    secret = "t0ken"  # noqa: S105 - of no server
    addresses = ["memory://study/gone.csv", f"nothing://x.csv?{secret}", f"memory://study/no.csv?{secret}"]
    ran = cli("run", *addresses, f"s3://ada:{secret}@bucket/*", "memory://study/dm.csv", "--format", "json")
    assert ran.exit_code == 2
    assert endings(ran) == {
        "memory://study/gone.csv": "failed",
        "memory://study/no.csv?…": "failed",
        "memory://study/dm.csv": "summarised",
    }
    for line in (
        "memory://study/gone.csv does not exist; check the address and its spelling",
        "memory://study/no.csv?… does not exist; check the address and its spelling",
        "nothing://x.csv?… is of no kind that can be read",
        "s3://…@bucket/* was given with a key in front of it",
    ):
        assert f"review-graph: {line}" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert secret not in ran.stdout + ran.stderr
    kept = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert not [path for path in kept if secret.encode() in path.read_bytes()]
