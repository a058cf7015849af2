"""The columns of the dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from review_graph.tools.conditions import MAX_VALUE
from review_graph.tools.counting import answer_of
from review_graph.tools.quoting import shown
from review_graph.tools.tool import Arguments, Result, Tool
from review_graph.tools.view import View

if TYPE_CHECKING:
    from checks.vocabulary import JSON
    from review_graph.tools.matter import Matter

MAX_COLUMNS = 100
"""Columns that one result lists."""


class ColumnsArguments(Arguments):
    """Which columns are listed."""

    containing: str = Field(default="", max_length=MAX_VALUE, description="Only columns with this in name or label.")


class ListColumns(Tool[ColumnsArguments]):
    """The columns that can be asked about."""

    name: ClassVar[str] = "list_columns"
    description: ClassVar[str] = "Columns of the dataset with what they hold and their labels, in the dataset's order."
    arguments: ClassVar[type[ColumnsArguments]] = ColumnsArguments
    reads_data: ClassVar[bool] = False

    def answer(self, arguments: ColumnsArguments, matter: Matter) -> Result:
        """List them."""
        view = View(matter)
        wanted = arguments.containing.strip().casefold()
        names = [name for name in view.names if wanted in f"{name}\n{view.label(name)}".casefold()]
        data: dict[str, JSON] = {
            "columns": [
                {"column": shown(name), "holds": view.kind(name)}
                | ({"label": shown(label)} if (label := view.label(name)) else {})
                for name in names[:MAX_COLUMNS]
            ],
            "columns_in_all": len(names),
        }
        if view.unreadable:
            data["unreadable"] = [shown(name) for name in view.unreadable[:MAX_COLUMNS]]
        return answer_of(matter, data, rows=0)
