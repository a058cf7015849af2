"""The tools that apply to a matter, by name: what a model may call, and what it is told of each call."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic import ValidationError

from checks.frame import CRASH
from checks.plain import quote
from checks.vocabulary import JSON, canonical, digest
from review_graph.tools.calculating import Calculate
from review_graph.tools.columns import ListColumns
from review_graph.tools.exporting import ExportSummary
from review_graph.tools.findings import FindingDetail, ListFindings
from review_graph.tools.generic import CountRows, SummariseColumn, ValueCounts
from review_graph.tools.matter import Matter
from review_graph.tools.parameters import ListParameters, ParameterSummary
from review_graph.tools.quoting import one_line
from review_graph.tools.sql.gateway import AskSql
from review_graph.tools.subjects import CountSubjects, DemographicsSummary
from review_graph.tools.tool import Arguments, InvalidArguments, Result, Tool, ToolTrouble
from review_graph.vocabulary import Citation

_log = logging.getLogger(__name__)

TOOLS: tuple[Tool[Any], ...] = (
    ListFindings(),
    FindingDetail(),
    ListColumns(),
    ListParameters(),
    CountSubjects(),
    DemographicsSummary(),
    ParameterSummary(),
    CountRows(),
    SummariseColumn(),
    ValueCounts(),
    Calculate(),
    ExportSummary(),
    AskSql(),
)
"""All there are."""

_MAX_FAULTS = 3
"""Faults of arguments that one error tells."""


class UnknownTool(ToolTrouble):
    """There is no such tool."""


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What a model is told of one call.

    Attributes:
        text: The result as canonical JSON, or `error: Type: message`.
        ok: Whether it is a result.
        rows: Rows of the dataset that were looked at.
        digest: Sha256 of the whole text.
        names: What an answer may cite because of it.
        data: The result; None for an error.
        figures: What was found, as canonical JSON: the result without what repeats the call. Empty for an error.
    """

    text: str
    ok: bool
    rows: int = 0
    digest: str = ""
    names: frozenset[Citation] = field(default_factory=frozenset)
    data: Mapping[str, JSON] | None = None
    figures: str = ""


class Toolbox:
    """The tools that apply to one matter.

    Args:
        matter: What is asked about.
        tools: Tools to choose from.
    """

    def __init__(self, matter: Matter, tools: Sequence[Tool[Any]] = TOOLS) -> None:
        self._matter = matter
        self._tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name) if tool.applies_to(matter)}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tools, sorted."""
        return tuple(self._tools)

    def schemas(self) -> tuple[Mapping[str, JSON], ...]:
        """Return the tools as JSON Schemas of functions, sorted by name."""
        return tuple(_schema(tool) for tool in self._tools.values())

    def needs_approval(self, name: str) -> bool:
        """Whether somebody has to allow each call of a tool; no for one that there is not, because it does nothing."""
        return name in self._tools and self._tools[name].needs_approval

    def reads_data(self, name: str) -> bool:
        """Whether the numbers of a tool come from the dataset and can be computed again."""
        return name in self._tools and self._tools[name].reads_data

    def call(self, name: str, arguments: Mapping[str, JSON], shown: Sequence[Mapping[str, JSON]] = ()) -> Observation:
        """Call a tool. Whatever goes wrong is an observation.

        Args:
            name: Name of the tool.
            arguments: Its arguments as JSON data.
            shown: Data of the earlier results of this run, for a tool that writes them.
        """
        try:
            tool = self._tool(name)
            result = tool.answer(_valid(tool, arguments), replace(self._matter, shown=tuple(shown)))
            return _told(result)
        except ToolTrouble as trouble:
            return _error(type(trouble).__name__, str(trouble))
        except CRASH as error:
            # The text of an error of a library may hold values of the dataset, so it is for the log alone.
            _log.info("the tool %s failed", name, exc_info=error)
            return _error(type(error).__name__, "the tool failed; try other arguments or another tool")

    def _tool(self, name: str) -> Tool[Any]:
        if name not in self._tools:
            raise UnknownTool(f"there is no tool {quote(name)}; the tools are {', '.join(self._tools)}")
        return self._tools[name]


def failed(text: str) -> Observation:
    """Return what a model is told of a call that gave no result: `error: Type: message`."""
    return Observation(text=text, ok=False, digest=hashlib.sha256(text.encode()).hexdigest())


def _valid(tool: Tool[Any], arguments: Mapping[str, JSON]) -> Arguments:
    """Hold arguments against what the tool takes, as JSON: a list is a list, and "7" is no number."""
    try:
        return tool.arguments.model_validate_json(canonical(arguments))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(f"{_place(fault['loc'])}{fault['msg']}" for fault in faults[:_MAX_FAULTS])
        more = f"; and {len(faults) - _MAX_FAULTS} more" if len(faults) > _MAX_FAULTS else ""
        taken = ", ".join(tool.arguments.model_fields)
        raise InvalidArguments(f"{told}{more}; {tool.name} takes {taken}") from None
    except (TypeError, ValueError):
        raise InvalidArguments("the arguments are no JSON object") from None


def _place(path: Sequence[int | str]) -> str:
    """Where a fault is. The name of an argument is a model's own text."""
    return "".join(f"{part if isinstance(part, int) else quote(part)}: " for part in path)


def _told(result: Result) -> Observation:
    return Observation(
        text=canonical(result.data),
        ok=True,
        rows=result.rows,
        digest=digest(result.data),
        names=result.names,
        data=result.data,
        figures=canonical({key: value for key, value in result.data.items() if key not in result.echo}),
    )


def _error(kind: str, message: str) -> Observation:
    return failed(f"error: {kind}: {one_line(message)}")


@cache
def _schema(tool: Tool[Any]) -> Mapping[str, JSON]:
    schema = tool.arguments.model_json_schema()
    parameters = _inlined({key: value for key, value in schema.items() if key != "$defs"}, schema.get("$defs", {}))
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _inlined(schema: JSON, definitions: Mapping[str, JSON]) -> JSON:
    """A schema without references, which not every server follows, and without titles, which say nothing."""
    if isinstance(schema, list):
        return [_inlined(part, definitions) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {
        key: {name: _inlined(part, definitions) for name, part in value.items()}
        if key == "properties"
        else _inlined(value, definitions)
        for key, value in schema.items()
        if key != "title" and not (key == "description" and "properties" in schema)
    }
