"""The nodes: thin steps from state to state. What they know, they ask of `core/`, `checks` and the ports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from checks import Examination, Finding, Outcome, Severity, Spec, TableError, TableReview, Verdict, run_family
from checks.builtin import GENERIC, choose_builtin
from checks.plain import quote, visible
from checks.registry import codes
from checks.spec import FieldSpec
from checks.specfile import LoadedSpec, read_spec
from checks.table import Table
from checks.vocabulary import JSON
from review_graph.core.deciding import is_confirmed
from review_graph.core.identity import review_id
from review_graph.core.narrating import narrated
from review_graph.core.reporting import query_list, report
from review_graph.core.routing import route
from review_graph.errors import DecisionNotAllowed, GraphVersionError, InputError, ReviewGraphError, SetupError
from review_graph.ports import Artifacts, Clock, Decoded, Located, Narrator, Sources
from review_graph.state import (
    ReviewState,
    decisions_of,
    finding_values,
    review_of,
    spec_of,
    triage_of,
    triage_values,
    verdict_values,
)
from review_graph.tables import Tables
from review_graph.vocabulary import Anchor, Dataset, Referenced, Review, Route, Status

GRAPH_VERSION = 2
"""Raised when nodes, edges or channels change; a review paused under another version is not resumed."""

Update = dict[str, Any]


class Nodes:
    """The steps of a review, with the ports they use.

    Args:
        sources: Where datasets come from.
        artifacts: Where files of a review go.
        clock: Gives the present time.
        anchor: Gives the end of the audit trail, which a report prints; there is none without a trail.
        waivers: Gives the waivers of a dataset, as channel values; there are none without a store.
        narrator: Writes of the findings of a review that is summarised; nobody does unless it is wanted.
        tables: Opens datasets from the same sources, where others open them too.
    """

    def __init__(
        self,
        *,
        sources: Sources,
        artifacts: Artifacts,
        clock: Clock,
        anchor: Callable[[], Anchor | None] = lambda: None,
        waivers: Callable[[str], Update] = lambda _: {"waivers": {}},
        narrator: Narrator = lambda _: None,
        tables: Tables | None = None,
    ) -> None:
        self._sources = sources
        self._tables = tables or Tables(sources)
        self._artifacts = artifacts
        self._clock = clock
        self._anchor = anchor
        self._waivers = waivers
        self._narrator = narrator

    def intake(self, state: ReviewState, config: RunnableConfig) -> Update:
        """Find the dataset, choose its spec, and write down what is under review."""
        _demand_checkpointer(config)
        if "review_id" in state:
            raise SetupError(f"this thread holds the review {state['review_id']} already: one thread for each review")
        request = _request(state["review_request"])
        located = self._sources.locate(request["path"])
        name = request.get("name") or located.name
        table, decoded = self._tables.open(located)
        loaded = spec_for(request.get("spec"), name, table, decoded)
        spec = loaded.spec
        references, reference_notes = references_for(spec, request.get("references") or {}, self._sources)
        identity = request.get("review_id") or review_id(
            name, located.fingerprint, spec.digest, references=identity_of(references, reference_notes)
        )
        dataset = Dataset(
            name=name,
            uri=located.uri,
            fingerprint=located.fingerprint,
            rows=table.rows,
            columns=len(table.columns),
            notes=(*decoded.notes, *request.get("notes", ()), *loaded.ignored, *reference_notes),
            references=references,
        )
        return {
            "graph_version": GRAPH_VERSION,
            "review_id": identity,
            "dataset": dataset.to_plain(),
            "spec": spec.to_plain(),
            "folder": self._artifacts.folder(identity),
            "today": request.get("today") or self._clock().date().isoformat(),
            **self._waivers(name),
            "previous": request.get("previous"),
        }

    def structure(self, state: ReviewState) -> Update:
        """Run the structure checks."""
        return self._family("structure", state)

    def ranges(self, state: ReviewState) -> Update:
        """Run the range checks."""
        return self._family("ranges", state)

    def triage(self, state: ReviewState) -> Update:
        """Turn findings and decisions into a severity."""
        return triage_values(triage_of(state))

    def summarise(self, state: ReviewState) -> Update:
        """Write the report of a review that needs no human, or no longer."""
        demand_version(state)
        if triage_of(state).needs_human:
            raise DecisionNotAllowed("a review that is major is not summarised: a reviewer decides first")
        review = review_of(state, Status.SUMMARISED, anchor=self._anchor())
        return self._finish(state, narrated(review, self._narrator))

    def escalate(self, state: ReviewState) -> Update:
        """Write the query list and the report of a review that a named person confirmed."""
        demand_version(state)
        if not is_confirmed(decisions_of(state)):
            raise DecisionNotAllowed("this review waits for a reviewer: record a decision before resuming it")
        return self._finish(state, review_of(state, Status.ESCALATED, anchor=self._anchor()))

    def _family(self, family: str, state: ReviewState) -> Update:
        """Run one family; if it cannot run at all, that is a major finding and its siblings go on."""
        demand_version(state)
        try:
            folder = state["folder"]
            sink = self._artifacts.evidence_sink(folder) if folder is not None else None
            result = run_family(family, self._examination(state), sink)
        except (GraphBubbleUp, ReviewGraphError, TableError):
            raise
        except Exception as crash:  # noqa: BLE001 - fail closed: whatever kept the family from running
            result = _not_run(family, state, crash)
        return {"findings": finding_values(result.findings), "verdicts": verdict_values(family, result.verdicts)}

    def _examination(self, state: ReviewState) -> Examination:
        dataset, today = Dataset.from_plain(state["dataset"]), dt.date.fromisoformat(state["today"])
        references = {}
        for other in dataset.references:
            table, decoded = self._table(other)
            spec = spec_for(None, other.name, table, decoded).spec
            references[other.name] = Examination(table=table, spec=spec, today=today)
        table, _ = self._table(dataset)
        return Examination(table=table, spec=spec_of(state), today=today, references=references)

    def _table(self, of: Dataset | Referenced) -> tuple[Table, Decoded]:
        return self._tables.open(Located(name=of.name, uri=of.uri, fingerprint=of.fingerprint))

    def _finish(self, state: ReviewState, review: Review) -> Update:
        folder, text = state["folder"], report(review)
        if folder is not None:
            if review.status is Status.ESCALATED:
                queries = self._artifacts.write(folder, "queries.csv", query_list(review))
                review = replace(review, queries=queries)
            review = replace(review, report=self._artifacts.write(folder, "report.md", text))
        return {"review": review.to_plain() | {"text": text}}


def choose_road(state: ReviewState) -> Route:
    """Route after triage, by code."""
    return route(triage_of(state))


def spec_for(
    given: LoadedSpec | Spec | Mapping[str, JSON] | str | Path | None, name: str, table: Table, decoded: Decoded
) -> LoadedSpec:
    """Return the spec a caller gave (read, as plain data or as the path of a file), else the built-in one that fits.

    A built-in one is chosen by the dataset's name, else by the name the file itself gives the table. Where it
    knows no key, the one that the file declares must be unique where all its parts are given.

    Raises:
        SpecError: The spec is wrong.
    """
    if given is None:
        spec = choose_builtin(name, table.columns)
        if spec.name == GENERIC and decoded.name:
            spec = choose_builtin(decoded.name, table.columns)
        return LoadedSpec(spec=_with_key(spec, decoded.key, table))
    if isinstance(given, LoadedSpec):
        return given
    return LoadedSpec(spec=given) if isinstance(given, Spec) else read_spec(given, resource=name, known_codes=codes())


_UNUSABLE = "cannot be used"


def identity_of(references: Sequence[Referenced], notes: Sequence[str]) -> tuple[str, ...]:
    """Return what tells the references of a review from those of another: contents, and why one cannot be used."""
    contents = (f"{reference.name} {reference.fingerprint}" for reference in references)
    return (*contents, *(note for note in notes if _UNUSABLE in note))


def references_for(
    spec: Spec, given: Mapping[str, str], sources: Sources
) -> tuple[tuple[Referenced, ...], tuple[str, ...]]:
    """Return the datasets at hand to which a spec refers, and a note on each of its references.

    Args:
        spec: The spec.
        given: Where datasets are that it may refer to, by their names in whatever case.
        sources: Where datasets come from.
    """
    places = {name.casefold(): uri for name, uri in given.items()}
    found, notes = [], []
    for name in spec.references:
        uri = places.get(name.casefold())
        if uri is None:
            advice = f"--with {name}=PATH, or a run over the folder that holds both"
            notes.append(f"{name} was not given, so what refers to it was not judged ({advice})")
            continue
        try:
            located = sources.locate(uri)
            sources.open(located)
        except (InputError, TableError) as error:
            notes.append(f"{name} {_UNUSABLE}, so what refers to it was not judged: {error}")
            continue
        found.append(Referenced(name=name, uri=located.uri, fingerprint=located.fingerprint))
        notes.append(f"held against {name}: {visible(located.uri)}")
    return tuple(found), tuple(notes)


def _with_key(spec: Spec, key: tuple[str, ...], table: Table) -> Spec:
    if spec.primary_key or not key or not set(key) <= set(table.schema):
        return spec
    named = tuple(FieldSpec(name=name, core="permissible") for name in key if name not in spec.by_name)
    return spec.model_copy(update={"fields": spec.fields + named, "unique_keys": (*spec.unique_keys, key)})


def _request(request: object) -> dict[str, Any]:
    """What to review: the path alone, or plain data with `path` and what else is known."""
    known = {"path", "name", "spec", "notes", "today", "review_id", "references", "previous"}
    if isinstance(request, str):
        return {"path": request}
    if not isinstance(request, Mapping) or not isinstance(request.get("path"), str):
        raise InputError("review_request needs a path: {'path': 'adsl.parquet'}")
    if unknown := sorted(set(request) - known):
        raise InputError(f"review_request has unknown keys {', '.join(map(quote, unknown))}; it knows {sorted(known)}")
    references = request.get("references") or {}
    if not isinstance(references, Mapping) or not all(
        isinstance(part, str) for of in references.items() for part in of
    ):
        raise InputError("references of a review_request are names and paths: {'dm': 'study/dm.xpt'}")
    return dict(request)


def _demand_checkpointer(config: RunnableConfig) -> None:
    """Refuse to start where nothing can pause: LangGraph would end a major review without a word."""
    if config["configurable"].get("__pregel_checkpointer", "unknown") is None:
        raise SetupError(
            "the review graph stops in front of a human and needs a checkpointer: "
            "compile it, or the graph it is a node of, with one"
        )


def demand_version(values: Mapping[str, Any]) -> None:
    """Refuse to go on with a review that another version of the graph started.

    Raises:
        GraphVersionError: It did; the message says what to do.
    """
    found = values.get("graph_version")
    if found != GRAPH_VERSION:
        raise GraphVersionError(
            f"the review was started under version {found} of the graph and this is version {GRAPH_VERSION}: "
            "`review-graph migrate` takes it over; or run the dataset again with --fresh"
        )


def _not_run(family: str, state: ReviewState, crash: Exception) -> TableReview:
    code = f"{family}.not_run"
    reason = f"{type(crash).__name__}: {quote(str(crash).partition(chr(10))[0])}"
    finding = Finding(
        code=code,
        severity=Severity.MAJOR,
        columns=(),
        message=f"the {family} checks could not run: {reason}",
        failed=0,
        rows=state["dataset"]["rows"] or 0,
        outcome=Outcome.ERRORED,
    )
    verdict = Verdict(code=code, outcome=Outcome.ERRORED, columns=(), reason=reason)
    return TableReview(rows=finding.rows, findings=(finding,), verdicts=(verdict,))
