"""Whatever happens to a file on its way, it is a table or an InputError of one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from review_graph.adapters.sources import decode
from review_graph.adapters.sources.formats import FORMATS, is_recognised
from review_graph.errors import InputError

FRAME = pl.DataFrame({"ID": ["01-701", "01-702", 'é"\n', ""] * 5, "AGE": [64.0, None, 0.5, 7.0] * 5})
DATA = Path(__file__).parents[3] / "data"
SHIPPED = sorted(path for path in DATA.rglob("*") if is_recognised(path) and path.stat().st_size < 200_000)
"""Real files; the two that are larger are of a kind that is here anyway."""

WRITTEN = ["5.xpt", "8.xpt", *(f"x{suffix}" for suffix in FORMATS if suffix not in (".sas7bdat", ".xpt"))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, write_all: Callable[..., dict[str, Path]]) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    write_all(folder, FRAME)
    for version in (5, 8):
        columns = pd.DataFrame(FRAME.to_dict(as_series=False))
        formats = {"AGE": "DATE9."}
        pyreadstat.write_xport(columns, folder / f"{version}.xpt", file_format_version=version, variable_format=formats)
    return {path.name: path.read_bytes() for path in [*folder.iterdir(), *SHIPPED]}


@pytest.mark.parametrize("name", [*WRITTEN, *(path.name for path in SHIPPED)])
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_damage_is_a_table_or_an_input_error(
    whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    content = bytearray(whole[name])
    ends = st.one_of(
        st.integers(0, len(content) - 1), st.integers(0, 999), st.integers(len(content) - 999, len(content))
    )
    for _ in range(data.draw(st.integers(0, 4), label="bytes changed")):
        position = min(max(data.draw(ends, label="at"), 0), len(content) - 1)
        content[position] = data.draw(st.integers(0, 255), label="into")
    size = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))), label="cut to")
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(content[:size])
    assert outcome(path).startswith(("a table", f"{path} "))


def outcome(path: Path) -> str:
    """Whatever else is raised fails the test."""
    try:
        columns = decode(path).frame.collect_schema().names()
    except InputError as refused:
        return str(refused) if str(refused).isprintable() else "more than one line"
    return "a table" if columns else "no columns"


@pytest.mark.parametrize("name", WRITTEN)
def test_without_damage_it_is_the_table(whole: dict[str, bytes], tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(whole[name])
    frame = decode(tmp_path / name).frame.collect()
    assert frame["ID"].to_list() == FRAME["ID"].to_list()
    assert frame.columns == FRAME.columns
