"""Where specs come from: files that cannot be read, text that is no spec, resources and packages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checks.errors import SpecError
from checks.specfile import load_spec

FIELDS = {"fields": [{"name": "A"}]}


def complaint(folder: Path, source: str | Path | dict[str, Any], resource: str | None = None) -> str:
    with pytest.raises(SpecError) as caught:
        load_spec(source, resource=resource)
    return str(caught.value).replace(f"{folder}/", "")


UNREADABLE = {
    "empty": (b"", "s.yaml: the file is empty, expected a spec with fields"),
    "only-a-comment": (b"# nothing\n", "s.yaml: the file is empty, expected a spec with fields"),
    "not-utf-8": (b"name: caf\xe9\n", "s.yaml: not UTF-8 text (byte 10), expected YAML or JSON"),
    "control-character": (b"a: 1\nb: \x01\n", "s.yaml:2: not YAML: a control character (code 1)"),
    "list": (b"- a\n", "s.yaml:1: found a list, expected a mapping with fields"),
    "text": (b"just text\n", "s.yaml:1: found the text 'just text', expected a mapping with fields"),
    "two-documents": (
        b"fields: []\n---\nfields: []\n",
        "s.yaml:2: a second document starts here, expected one document a file",
    ),
    "broken": (
        b"fields: [{name: A]\n",
        "s.yaml:1: not YAML: while parsing a flow mapping, expected ',' or '}', but got ']'",
    ),
    "tab": (b"fields:\n\t- name: A\n", "s.yaml:2: a tab where only blanks may indent"),
    "python-tag": (
        b"fields:\n  - name: !!python/name:os.system\n",
        (
            "s.yaml:2: fields[0].name: found the tag 'python/name:os.system', "
            "expected untagged text, numbers, lists and mappings"
        ),
    ),
    "duplicate-key": (
        b"fields:\n  - name: A\n    type: string\n    name: B\n",
        "s.yaml:4: fields[0].name: given twice, on lines 2 and 4; expected once",
    ),
    "merge-key": (
        b"fields:\n  - &a {name: A}\n  - name: B\n    <<: *a\n",
        's.yaml:4: fields[1]["<<"]: merge keys are not part of YAML 1.2; write the properties out',
    ),
    "unknown-alias": (b"fields: *x\n", "s.yaml:1: not YAML: found undefined alias 'x'"),
    "alias-to-itself": (b"fields: &a [*a]\n", "s.yaml:1: nested deeper than 50 levels"),
    "deep": (b"[" * 5000, "s.yaml: nested deeper than 50 levels"),
    "something-else": (
        b"columns: [a]\nrows: []\n",
        "s.yaml:1: nothing here says what to expect of a table, expected fields",
    ),
}


@pytest.mark.parametrize(("content", "message"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_file_that_is_no_spec(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(content)
    assert complaint(tmp_path, path) == message


def test_alias_bomb_is_bounded(tmp_path: Path) -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9)]
    path = tmp_path / "s.yaml"
    path.write_text("\n".join(["l0: &l0 [x]", *levels]), encoding="utf-8")
    assert complaint(tmp_path, path) == "s.yaml: holds more than 200,000 values once its aliases are unfolded"


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    assert complaint(tmp_path, tmp_path / "none.yaml") == "none.yaml: no such file"
    (tmp_path / "folder").mkdir()
    assert complaint(tmp_path, str(tmp_path / "folder")) == "folder: is a folder, expected a YAML or JSON file"
    assert complaint(tmp_path, "https://example.org/s.json") == (
        "https://example.org/s.json: expected a file: addresses are not fetched"
    )
    assert complaint(tmp_path, "a\x00b").startswith(r"'a\x00b': cannot be read: ")


def test_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(FIELDS), encoding="utf-8-sig")
    assert load_spec(path).by_name.keys() == {"A"}


def test_mapping_is_named_spec_where_there_is_no_path() -> None:
    assert complaint(Path(), {}) == "spec: nothing here says what to expect of a table, expected fields"


def package(*names: str) -> dict[str, Any]:
    return {
        "name": "study",
        "resources": [{"name": n, "path": f"{n}.csv", "schema": {"fields": [{"name": n}]}} for n in names],
    }


def test_data_resource_gives_its_schema() -> None:
    assert load_spec(
        {"name": "dm", "path": "dm.csv", "profile": "tabular-data-resource", "schema": FIELDS}
    ).by_name.keys() == {"A"}


@pytest.mark.parametrize(
    ("names", "asked", "chosen"),
    [(("dm",), None, "dm"), (("dm",), "other", "dm"), (("dm", "ae"), "AE", "ae")],
    ids=["only-one", "only-one-whatever-its-name", "by-name-in-any-case"],
)
def test_data_package_gives_the_schema_of_one_resource(names: tuple[str, ...], asked: str | None, chosen: str) -> None:
    assert load_spec(package(*names), resource=asked).by_name.keys() == {chosen}


PACKAGE_FAULTS = {
    "none-asked-for": (
        package("dm", "ae"),
        None,
        "resources: several resources and none was asked for, expected one of: ae, dm",
    ),
    "unknown": (
        package("adsl", "adae"),
        "adls",
        "resources: no single resource 'adls', expected one of: adae, adsl; did you mean 'adsl'?",
    ),
    "no-schema": ({"resources": [{"name": "dm"}]}, None, "resources[0]: schema is missing, expected a Table Schema"),
    "fault-inside": (
        {"resources": [{"name": "dm", "schema": {"fields": [{"nam": "A"}]}}]},
        None,
        "resources[0].schema.fields[0].nam: unknown property; did you mean 'name'?",
    ),
    "rules-outside": (
        {"schema": FIELDS, "rules": []},
        None,
        "rules: rules stands beside schema, expected it inside",
    ),
    "path-without-file": (
        {"schema": "dm.json"},
        None,
        "schema: found the text 'dm.json', expected the schema itself: there is no file to look beside",
    ),
}


@pytest.mark.parametrize(("source", "asked", "message"), PACKAGE_FAULTS.values(), ids=PACKAGE_FAULTS.keys())
def test_fault_in_a_resource_or_package(source: dict[str, Any], asked: str | None, message: str) -> None:
    assert complaint(Path(), source, resource=asked).splitlines()[0] == message


def test_schema_in_a_file_beside_the_package(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    schema = tmp_path / "schemas" / "dm.json"
    outer = tmp_path / "datapackage.json"
    outer.write_text(json.dumps({"resources": [{"name": "dm", "schema": "schemas/dm.json"}]}), encoding="utf-8")
    assert complaint(tmp_path, outer) == "schemas/dm.json: no such file"
    schema.write_text('{\n"fields": [\n{"name": "A", "type": "txt"}\n]}', encoding="utf-8")
    assert complaint(tmp_path, outer).startswith("schemas/dm.json:3: fields[0].type: found the text 'txt'")
    schema.write_text(json.dumps(FIELDS), encoding="utf-8")
    assert load_spec(outer).by_name.keys() == {"A"}


@pytest.mark.parametrize("schema", ["../outside.json", "/etc/hostname", "link.json"])
def test_schema_outside_the_folder_is_refused(tmp_path: Path, schema: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "outside.json").write_text(json.dumps(FIELDS), encoding="utf-8")
    (inner / "link.json").symlink_to(tmp_path / "outside.json")
    path = inner / "r.json"
    path.write_text(json.dumps({"schema": schema}), encoding="utf-8")
    assert (
        complaint(inner, path)
        == f"r.json:1: schema: found the text '{schema}', expected a file in the folder of r.json"
    )


def test_schema_at_an_address_is_not_fetched(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("name: dm\nschema: https://example.org/dm.json\n", encoding="utf-8")
    assert complaint(tmp_path, path) == (
        "r.yaml:2: schema: found the text 'https://example.org/dm.json', expected a file: addresses are not fetched"
    )
