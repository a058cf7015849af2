"""What tests of several floors share: small tables, a service on a database of its own, other processes."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from review_graph import DecisionRequest, ReviewService, Settings, build
from tests.servers import postgres as postgres  # noqa: PLC0414 - a fixture for all floors
from tests.servers import postgres_server as postgres_server  # noqa: PLC0414 - the same

# A busy machine is no fault of a law. The gate repeats itself; new examples are sought where somebody is at hand.
_PATIENT = hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.register_profile("search", _PATIENT)
hypothesis_settings.register_profile("gate", _PATIENT, derandomize=True)
hypothesis_settings.load_profile("gate" if os.environ.get("CI") else "search")

NOW = dt.datetime(2026, 3, 4, 5, 6, 7, tzinfo=dt.UTC)

LIMITS = {"minimum": 0, "maximum": 10}

SPEC: Mapping[str, Any] = {
    "name": "subjects",
    "fieldsMatch": "subset",
    "primaryKey": ["ID"],
    "fields": [
        {"name": "ID", "type": "string"},
        *({"name": name, "type": "integer", "core": "permissible", "constraints": LIMITS} for name in "ABCD"),
    ],
}
"""One key, and four numbers between 0 and 10: a repeated key is major, a number outside is minor."""

TABLES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "clean": {"ID": ["S-1", "S-2", "S-3"], "A": [1, 2, 3]},
    "minor": {"ID": ["S-1", "S-2", "S-3"], "A": [1, 2, 33]},
    "three-minor": {"ID": ["S-1", "S-2", "S-3"], "A": [1, 2, 33], "B": [1, -2, 3], "C": [11, 2, 3]},
    "major": {"ID": ["S-1", "S-2", "S-2"], "A": [1, 2, 33]},
}


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("REVIEW_GRAPH_"):
            monkeypatch.delenv(name)


@pytest.fixture
def spec() -> dict[str, Any]:
    """A repeated ID is major; A, B, C or D outside 0 to 10 is minor."""
    return dict(SPEC)


@pytest.fixture
def clock() -> Callable[[], dt.datetime]:
    """It is always the same time."""
    return lambda: NOW


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    """Writes one of the small tables, or given columns, into a Parquet file."""

    def write(kind: str, name: str | None = None, **columns: Sequence[Any]) -> Path:
        path = tmp_path / f"{name or kind}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pl.DataFrame({**TABLES.get(kind, {}), **columns}).write_parquet(path)
        return path

    return write


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A database of the test's own."""
    return Settings(db=str(tmp_path / "kept" / "reviews.sqlite"))


@pytest.fixture
def service(settings: Settings, clock: Callable[[], dt.datetime]) -> ReviewService:
    """The real service on the test's own database."""
    return build(settings, clock=clock)


@pytest.fixture
def ask() -> Callable[..., DecisionRequest]:
    """Makes a request that is in order but for what the test says."""

    def make(action: str = "confirm", **fields: Any) -> DecisionRequest:
        if action == "override":
            fields.setdefault("severity", "minor")
        if action in ("dismiss", "waive"):
            fields.setdefault("reason_code", "expected")
        return DecisionRequest(**{"action": action, "by": "Ada", "reason": "looked at it"} | fields)

    return make


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Run:
    """Runs Python in another process, in the test's own folder."""

    def run(*arguments: str, timeout_s: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "160", **environment},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return run
