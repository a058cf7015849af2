"""A draft: a spec, and what a person should know about each guess in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from checks.drafts.write import to_yaml
from checks.spec import Spec
from checks.specfile.problems import Path


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A spec that nobody has confirmed yet.

    Attributes:
        spec: The spec.
        notes: Comments by place in the spec's plain data.
        header: Lines of comment above the spec: where it comes from, what was not read.
        path: File of the dataset, where the source names one.
    """

    spec: Spec
    notes: Mapping[Path, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    path: str | None = None

    def to_yaml(self) -> str:
        """Return the draft as YAML with its comments."""
        return to_yaml(self.spec.to_plain(), notes=self.notes, header=self.header)


def package(drafts: Sequence[Draft], name: str, header: Sequence[str]) -> tuple[dict[str, Any], dict[Path, str]]:
    """Return a Data Package with a resource for each draft, as plain data, and its comments by place.

    Source: https://datapackage.org/standard/data-package/.

    Args:
        drafts: The drafts; each becomes one resource with its schema inside.
        name: Name of the package.
        header: Not part of the package; the drafts' own header lines that are not in it stand above each resource.
    """
    resources: list[dict[str, Any]] = []
    notes: dict[Path, str] = {}
    for index, draft in enumerate(drafts):
        plain = draft.spec.to_plain()
        title = {"title": plain.pop("title")} if "title" in plain else {}
        place: Path = ("resources", index)
        resources.append({"name": plain.pop("name", ""), "path": draft.path, **title, "schema": plain})
        if draft.path is None:
            del resources[-1]["path"]
        own = [line for line in draft.header if line not in header]
        if own:
            notes[place] = " ".join(own)
        notes |= {(*place, "schema", *noted): text for noted, text in draft.notes.items()}
    return {"name": name, "resources": resources}, notes
