"""From what a caller wants reviewed to a review: the dataset is found, its spec chosen, its id derived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checks.plain import visible
from checks.spec import Spec
from checks.specfile import LoadedSpec
from review_graph.advancing import problem_of
from review_graph.core.addresses import shown_address
from review_graph.core.identity import review_id
from review_graph.nodes import GRAPH_VERSION, identity_of, references_for, spec_for
from review_graph.ports import Entry, Located, Sources, Store
from review_graph.state import previous_values
from review_graph.vocabulary import Dataset, Review, Status

if TYPE_CHECKING:
    from review_graph.advancing import Advancing
    from review_graph.tables import Tables

GivenSpec = LoadedSpec | Spec | Mapping[str, Any] | str | Path | None


class Starting:
    """Makes reviews of datasets, or finds those that there are.

    Args:
        sources: Where datasets come from.
        tables: Opens them.
        store: What is known of reviews.
        advancing: Works on them.
    """

    def __init__(self, sources: Sources, tables: Tables, store: Store, advancing: Advancing) -> None:
        self._sources = sources
        self._tables = tables
        self._store = store
        self._advancing = advancing

    def demand_readable(self, uri: str) -> None:
        """Read as much of a dataset as shows that it is one.

        Raises:
            InputError: It cannot be read.
        """
        self._sources.open(self._sources.locate(uri))

    def begin(
        self, uri: str, spec: GivenSpec, name: str | None, others: Mapping[str, str], *, fresh: bool
    ) -> tuple[Entry, dict[str, Any]]:
        """Return a review of a dataset, and what its graph is to be asked if it has not begun.

        Args:
            uri: Where the dataset is.
            spec: What is expected; a built-in spec when not given.
            name: Name of the dataset; the file's name when not given.
            others: Where other datasets are to which the spec may refer, by name.
            fresh: Start another review even if there is one.

        Raises:
            InputError: The dataset cannot be found or read.
            TableError: It is no table that can be checked.
            SpecError: The spec is wrong.
        """
        located = self._sources.locate(uri)
        table, decoded = self._tables.open(located)
        named = Located(name=name or located.name, uri=located.uri, fingerprint=located.fingerprint)
        loaded = spec_for(spec, named.name, table, decoded)
        references, notes = references_for(loaded.spec, others, self._sources)
        entry = self._entry(named, loaded.spec, identity_of(references, notes), fresh=fresh)
        request = {
            "path": named.uri,
            "name": named.name,
            "spec": loaded.spec.to_plain(),
            "notes": list(loaded.ignored),
            "review_id": entry.id,
            "references": {resource: shown_address(other) for resource, other in others.items()},
            "previous": self._previous(entry),
        }
        return entry, {"review_request": request}

    def _entry(self, located: Located, spec: Spec, references: Sequence[str], *, fresh: bool) -> Entry:
        first_id = review_id(located.name, located.fingerprint, spec.digest, references=references)
        latest = self._store.latest(first_id)
        if latest is not None and not fresh and not self._is_out_of_date(latest):
            return latest
        attempt = 1 if latest is None else latest.attempt + 1
        return Entry(
            id=review_id(located.name, located.fingerprint, spec.digest, attempt, references),
            located=located,
            spec_digest=spec.digest,
            attempt=attempt,
            created_at=self._advancing.now().isoformat(),  # to the microsecond: it orders reviews of one dataset
            graph_version=GRAPH_VERSION,
        )

    def _is_out_of_date(self, latest: Entry) -> bool:
        """Whether a review ended under waivers that hold no longer, or without those that do."""
        return latest.status.is_final and self._advancing.look(latest.id).is_outdated

    def _previous(self, entry: Entry) -> dict[str, Any] | None:
        """What the review before of the same dataset found, of those that were judged."""
        latest = self._store.previous(entry)
        if latest is None:
            return None
        return previous_values(self._advancing.view(latest.id), same_spec=latest.spec_digest == entry.spec_digest)


def not_started(uri: str, name: str | None, error: BaseException) -> Review:
    """A dataset that never came to have a review: without content or spec there is no id."""
    shown = shown_address(uri)
    dataset = Dataset(name=visible(name or Path(shown).stem), uri=visible(shown), fingerprint="")
    return Review(id=None, dataset=dataset, status=Status.FAILED, problem=problem_of(error))
