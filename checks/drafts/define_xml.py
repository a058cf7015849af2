"""Define-XML 2.0 and 2.1 read as specs: what a sponsor says a dataset holds, held against the dataset.

Read are datasets, variables in their order, types, lengths of text, mandatory variables, codelists and keys. Not
read are conditions on records (where clauses, value-level metadata), external dictionaries, methods and comments;
the draft says so beside each variable that has some.

Source: CDISC Define-XML 2.0 and 2.1 specifications, sections 5.3 (ItemGroupDef, ItemDef, CodeList).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checks.drafts.define_types import ODM, codelist_values, own, type_of
from checks.drafts.draft import Draft
from checks.drafts.safe_xml import Element, parse_xml
from checks.errors import SpecError
from checks.plain import visible
from checks.spec import Spec
from checks.specfile.problems import Path as Place
from checks.specfile.problems import did_you_mean

_HREF = "http://www.w3.org/1999/xlink href"
_LANG = "http://www.w3.org/XML/1998/namespace lang"
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass(frozen=True, kw_only=True)
class _Document:
    """The parts of a Define-XML by their OID, and what is wrong with it."""

    shown: str
    items: dict[str, Element]
    codelists: dict[str, Element]
    problems: list[str] = field(default_factory=list)

    def wrong(self, element: Element, text: str) -> None:
        self.problems.append(f"{self.shown}:{element.line}: {text}")


def read_define(path: Path, *, dataset: str | None = None) -> list[Draft]:
    """Return a draft for each dataset that a Define-XML describes, in its order.

    Args:
        path: The define.xml.
        dataset: Name of the only dataset wanted, in any case.

    Raises:
        SpecError: It is not a Define-XML 2.x, lacks what it refers to, or has no such dataset.
    """
    root = parse_xml(path)
    metadata, version = _metadata(path, root)
    document = _Document(
        shown=str(path),
        items={item.attributes.get("OID", ""): item for item in metadata.all(f"{ODM} ItemDef")},
        codelists={item.attributes.get("OID", ""): item for item in metadata.all(f"{ODM} CodeList")},
    )
    groups = list(metadata.all(f"{ODM} ItemGroupDef"))
    names = [group.attributes.get("Name", "") for group in groups]
    if dataset is not None:
        groups = [group for group in groups if group.attributes.get("Name", "").casefold() == dataset.casefold()]
    if not groups:
        wanted = "no dataset" if dataset is None else f"no dataset {dataset!r}"
        listed = ", ".join(names) or "none"
        raise SpecError(f"{path}: {wanted}, there are: {listed}{did_you_mean(dataset or '', names)}")
    drafts = [_draft(document, group, f"Define-XML {version} {visible(path.name)}") for group in groups]
    for index, group in enumerate(groups):
        name = group.attributes.get("Name", "")
        if names.count(name) > 1 and index:
            document.wrong(group, f"the dataset {name!r} is described twice, expected once")
    if document.problems:
        raise SpecError("\n".join(document.problems))
    return drafts


def _metadata(path: Path, root: Element) -> tuple[Element, str]:
    """Return the first description of data in a document, and the version it is of, if it can be read."""
    found = (element for study in root.all(f"{ODM} Study") for element in study.all(f"{ODM} MetaDataVersion"))
    metadata = next(found, None)
    if root.name != f"{ODM} ODM" or metadata is None:
        name = root.name.rpartition(" ")[2]
        raise SpecError(f"{path}:{root.line}: found the root {name!r}, expected ODM with a study: a Define-XML 2.x")
    version = own(metadata, "DefineVersion")
    if version is None or not version.startswith("2."):
        said = f"version {version!r}" if version else "no def:DefineVersion of 2.x"
        raise SpecError(f"{path}:{metadata.line}: found {said}, expected Define-XML 2.0 or 2.1")
    return metadata, version


def _draft(document: _Document, group: Element, origin: str) -> Draft:
    name = group.attributes.get("Name", "")
    if not name or not _NAME.issuperset(name):
        document.wrong(group, f"ItemGroupDef: found the name {name!r}, expected letters, digits, '-' and '_'")
    fields: list[dict[str, Any]] = []
    notes: dict[Place, str] = {}
    keys: list[tuple[int, str, bool]] = []
    for reference, item in _items(document, group):
        empty = "Yes" in (own(reference, "HasNoData"), own(group, "HasNoData"))
        mandatory = reference.attributes.get("Mandatory") == "Yes" and not empty
        plain, said = _field(document, item, mandatory=mandatory)
        if said:
            notes["fields", len(fields), "name"] = "; ".join(said)
        fields.append(plain)
        position = reference.attributes.get("KeySequence")
        if position is not None:
            keys.append((_number(document, reference, "KeySequence"), plain["name"], mandatory))
    spec: dict[str, Any] = {"name": name, "fields": fields}
    if title := _description(group):
        spec["title"] = title
    href = _file(group)
    if href is not None and href.lower().endswith(".xpt"):
        spec["profile"] = "xpt-v5"
    key = [variable for _, variable, _ in sorted(keys)]
    if key and all(mandatory for _, _, mandatory in keys):
        spec["primaryKey"] = key
    elif key:
        spec["uniqueKeys"] = [key]
        notes["uniqueKeys",] = (
            "the key of the Define-XML; a part of it may be empty, so records without it are passed over"
        )
    header = [
        f"Read from {origin}: variables, types, lengths of text, mandatory, codelists, keys.",
        "Not read: conditions on records (where clauses, value level), methods, comments, external dictionaries.",
    ]
    return Draft(spec=_spec(document, group, spec), notes=notes, header=tuple(header), path=href)


def _items(document: _Document, group: Element) -> Iterator[tuple[Element, Element]]:
    """Yield the variables of a dataset in its order, each with the reference to it."""
    references = list(group.all(f"{ODM} ItemRef"))
    if any("OrderNumber" in reference.attributes for reference in references):
        references.sort(key=lambda reference: _number(document, reference, "OrderNumber"))
    for reference in references:
        oid = reference.attributes.get("ItemOID", "")
        item = document.items.get(oid)
        if item is None:
            document.wrong(reference, f"ItemRef: no ItemDef {oid!r}{did_you_mean(oid, document.items)}")
        else:
            yield reference, item


def _field(document: _Document, item: Element, *, mandatory: bool) -> tuple[dict[str, Any], list[str]]:
    """Return a variable as a field, and what is to be said of it."""
    plain: dict[str, Any] = {"name": item.attributes.get("Name", "")}
    if not plain["name"]:
        document.wrong(item, "ItemDef: has no Name")
    if label := _description(item):
        plain["label"] = label
    typed, said = type_of(item)
    plain |= typed
    plain["core"] = "required" if mandatory else "expected"
    constraints: dict[str, Any] = {}
    length = item.attributes.get("Length")
    if plain["type"] == "string" and "format" not in plain and length is not None:
        constraints["maxLength"] = _number(document, item, "Length")
    reference = item.first(f"{ODM} CodeListRef")
    if reference is not None:
        oid = reference.attributes.get("CodeListOID", "")
        codelist = document.codelists.get(oid)
        if codelist is None:
            document.wrong(reference, f"CodeListRef: no CodeList {oid!r}{did_you_mean(oid, document.codelists)}")
        else:
            values, why = codelist_values(codelist, plain["type"])
            said += [why] if why else []
            if values:
                constraints["enum"] = values
    if constraints:
        plain["constraints"] = constraints
    if any(child.name.endswith(" ValueListRef") for child in item.children):
        said.append("has value-level metadata, which is not read")
    return plain, said


def _spec(document: _Document, group: Element, plain: dict[str, Any]) -> Spec:
    """Return the spec, or an empty one when what the Define-XML says does not fit; both are said."""
    from checks.specfile import load_spec

    if document.problems:
        return Spec()
    try:
        return load_spec(plain)
    except SpecError as error:
        for line in str(error).splitlines():
            document.wrong(group, f"{plain['name']}: {line}")
        return Spec()


def _number(document: _Document, element: Element, attribute: str) -> int:
    text = element.attributes.get(attribute, "")
    if text.isascii() and text.isdecimal():
        return int(text[:9])
    document.wrong(element, f"{attribute}: found {text!r}, expected a whole number")
    return 0


def _description(element: Element) -> str | None:
    """The description in English, else the first; blanks and line breaks as one blank."""
    description = element.first(f"{ODM} Description")
    texts = list(description.all(f"{ODM} TranslatedText")) if description is not None else []
    english = [text for text in texts if text.attributes.get(_LANG, "en").startswith("en")]
    chosen = next(iter([*english, *texts]), None)
    return " ".join(chosen.text.split()) or None if chosen is not None else None


def _file(group: Element) -> str | None:
    leaf = next((child for child in group.children if child.name.endswith(" leaf")), None)
    return leaf.attributes.get(_HREF) if leaf is not None else None
