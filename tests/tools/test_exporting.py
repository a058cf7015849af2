"""The one tool that writes: what it writes, and where it cannot."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from review_graph.tools.exporting import figures_csv
from review_graph.tools.toolbox import Toolbox
from tests.tools.matters import ADSL, call, found, matter_of, trouble

SHOWN = [{"dataset": "adsl", "subjects": 86, "by_arm": [{"arm": "=cmd|' /C calc'!A0", "mean": 75.2, "sd": None}]}]


def test_the_figures_that_were_shown_are_written(tmp_path: Path) -> None:
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    box = Toolbox(matter_of(ADSL, write=write))
    observation = box.call("export_summary", {"name": "figures 1.csv"}, SHOWN)
    assert observation.data == {"file": "exports/figures 1.csv", "results": 1}
    rows = list(csv.reader(io.StringIO((tmp_path / "exports" / "figures 1.csv").read_text(encoding="utf-8"))))
    assert rows == [
        ["result", "figure", "value"],
        ["1", "dataset", "adsl"],
        ["1", "subjects", "86"],
        ["1", "by_arm 1 arm", "'=cmd|' /C calc'!A0"],
        ["1", "by_arm 1 mean", "75.2"],
        ["1", "by_arm 1 sd", ""],
    ]
    assert box.call("export_summary", {"name": "figures 1.csv"}, SHOWN) == observation


def test_the_same_figures_are_the_same_bytes() -> None:
    assert figures_csv(SHOWN) == figures_csv(SHOWN)


@pytest.mark.parametrize(
    "name",
    [
        "figures",
        "figures.txt",
        "figures.csv.exe",
        "../figures.csv",
        "a/figures.csv",
        "a\\figures.csv",
        "/etc/figures.csv",
        "C:figures.csv",
        ".figures.csv",
        ".csv",
        "fig..ures.csv",
        "figures.csv\n",
        "figu\x00res.csv",
        "CON.csv",
        "lpt1.csv",
        "nul .csv",
        "figures.csv:stream",
        "\uff0e\uff0e/figures.csv",
        "x" * 61 + ".csv",
        "",
    ],
)
def test_a_name_is_a_files_own(name: str) -> None:
    written: list[str] = []
    box = Toolbox(matter_of(ADSL, write=lambda place, text: written.append(place) or text))  # type: ignore[func-returns-value]
    observation = box.call("export_summary", {"name": name}, SHOWN)
    assert observation.text.startswith("error: InvalidArguments: ")
    assert written == []


def test_it_needs_approval_and_is_the_only_one_that_does() -> None:
    box = Toolbox(matter_of(ADSL, can_query=True, write=lambda name, _: name))
    assert [name for name in box.names if box.needs_approval(name)] == ["export_summary"]
    assert not box.needs_approval("nothing")


def test_without_figures_nothing_is_written() -> None:
    told = trouble(matter_of(ADSL, write=lambda name, _: name), "export_summary", name="figures.csv")
    assert told == "error: NoRecords: nothing was found yet that could be written: call the tools for the figures first"


def test_without_a_folder_it_is_not_offered() -> None:
    told = trouble(matter_of(ADSL), "export_summary", name="figures.csv")
    assert told.startswith("error: UnknownTool: there is no tool 'export_summary'")


@pytest.mark.parametrize(
    ("expression", "value"),
    [("(12 + 3) / 150 * 100", 10), ("1 / 3", 1 / 3), ("0.1 + 0.2", 0.3), ("2 * (3 - 5)", -4)],
)
def test_a_calculation_is_exact_and_a_number(expression: str, value: float) -> None:
    assert found(matter_of(ADSL), "calculate", expression=expression) == {"value": value}


@pytest.mark.parametrize("expression", ["__import__('os')", "2 ** 9", "1 / 0", "AGE + 1", "(1", "", "9" * 201])
def test_anything_else_is_not_calculated(expression: str) -> None:
    assert trouble(matter_of(ADSL), "calculate", expression=expression).startswith("error: InvalidArguments: ")


def test_a_calculation_does_not_repeat_what_was_written() -> None:
    assert "4242" not in call(matter_of(ADSL), "calculate", expression="4242 - 4241").text
