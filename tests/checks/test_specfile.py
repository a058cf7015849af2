"""Reading specs: what is accepted, and what each wrong one is told."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from checks.errors import SpecError
from checks.spec import Spec
from checks.specfile import load_spec, read_spec

TABLE_SCHEMA_V2: dict[str, Any] = {
    "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
    "fieldsMatch": "partial",
    "missingValues": [{"value": "", "label": "omitted"}, {"value": "-99", "label": "refused"}],
    "primaryKey": ["id", "when"],
    "uniqueKeys": [["id"], ["id", "fruit"]],
    "foreignKeys": [
        {"fields": ["fruit"], "reference": {"resource": "fruits", "fields": ["name"]}},
        {"fields": "id", "reference": {"resource": "", "fields": "id"}},
    ],
    "fields": [
        {"name": "id", "type": "integer", "groupChar": ",", "bareNumber": False, "constraints": {"unique": True}},
        {"name": "price", "type": "number", "decimalChar": ",", "constraints": {"minimum": "1.5", "maximum": 9}},
        {
            "name": "fruit",
            "type": "string",
            "format": "default",
            "title": "Fruit",
            "description": "Which fruit",
            "example": "apple",
            "examples": ["apple", "pear"],
            "rdfType": "https://schema.org/Thing",
            "categories": [{"value": "apple", "label": "Apple"}, {"value": "pear"}],
            "categoriesOrdered": True,
            "missingValues": ["-"],
            "constraints": {
                "required": True,
                "enum": ["apple"],
                "pattern": "[a-z]+",
                "minLength": 1,
                "maxLength": 10,
                "jsonSchema": {"type": ["string", "null"], "default": None},
            },
        },
        {
            "name": "ripe",
            "type": "boolean",
            "trueValues": ["yes"],
            "falseValues": ["no"],
            "constraints": {"enum": [True]},
        },
        {"name": "when", "type": "datetime", "constraints": {"exclusiveMinimum": "2024-01-26T15:00:00.300-05:00"}},
        {"name": "day", "type": "date", "format": "%d/%m/%Y", "constraints": {"exclusiveMaximum": "2024-01-26"}},
        {"name": "at", "type": "time", "constraints": {"minimum": "08:00:00"}},
        {"name": "year", "type": "year", "constraints": {"minimum": "1999", "maximum": 2030}},
        {"name": "month", "type": "yearmonth", "constraints": {"minimum": "1999-01"}},
        {"name": "span", "type": "duration", "constraints": {"maximum": "P1Y2M3DT4H5M6.7S"}},
        {"name": "tags", "type": "list", "delimiter": ";", "itemType": "string"},
        {"name": "place", "type": "geopoint", "format": "array"},
        {"name": "shape", "type": "geojson", "format": "topojson"},
        {"name": "object", "type": "object"},
        {"name": "array", "type": "array"},
        {"name": "any", "type": "any"},
    ],
}


def write(folder: Path, text: str, name: str = "spec.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_every_standard_property_loads_and_nothing_is_ignored(tmp_path: Path, suffix: str) -> None:
    text = json.dumps(TABLE_SCHEMA_V2, indent="\t") if suffix == "json" else yaml.safe_dump(TABLE_SCHEMA_V2)
    from_file = read_spec(write(tmp_path, text, f"s.{suffix}"))
    assert from_file.ignored == ()
    assert from_file.spec == load_spec(TABLE_SCHEMA_V2)
    kept = {**TABLE_SCHEMA_V2, "missingValues": ["", "-99"]}
    for name in ("$schema", "fieldsMatch", "primaryKey", "uniqueKeys", "missingValues"):
        assert from_file.spec.to_plain()[name] == kept[name]
    fruit = from_file.spec.by_name["fruit"]
    assert fruit.categories == ("apple", "pear")
    assert from_file.spec.by_name["price"].constraints.minimum == 1.5


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("NO", "NO"),
        ("Y", "Y"),
        ("on", "on"),
        ("0012", "0012"),
        ("2024-03-01", "2024-03-01"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("NaN", "NaN"),
        ("5", 5),
        ("0x1F", 31),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("true", True),
        (r'"\ud83d\ude00"', "😀"),
    ],
)
def test_scalars_follow_yaml_1_2(tmp_path: Path, written: str, meant: object) -> None:
    spec = load_spec(write(tmp_path, f"fields: [{{name: A, constraints: {{enum: [{written}]}}}}]"))
    assert spec.fields[0].constraints.enum == (meant,)
    assert type(spec.fields[0].constraints.enum[0]) is type(meant)


def test_mapping_with_dates_as_yaml_makes_them() -> None:
    mapping = yaml.safe_load("fields: [{name: D, type: date, constraints: {minimum: 2024-03-01, maximum: today}}]")
    assert isinstance(mapping["fields"][0]["constraints"]["minimum"], dt.date)
    assert load_spec(mapping).fields[0].constraints.minimum == "2024-03-01"


def test_snake_and_camel_case_are_one() -> None:
    snake = {"fields": [{"name": "A", "constraints": {"min_length": 1}}], "unique_keys": [["A"]]}
    snake["rules"] = [{"id": "r", "at_most": 1, "per": "A", "on_null": "fail"}]
    camel = {"fields": [{"name": "A", "constraints": {"minLength": 1}}], "uniqueKeys": [["A"]]}
    camel["rules"] = [{"id": "r", "atMost": 1, "per": ["A"], "onNull": "fail"}]
    assert load_spec(snake) == load_spec(camel)
    assert load_spec(snake).digest == load_spec(camel).digest


def test_custom_properties_are_named_and_not_used(tmp_path: Path) -> None:
    text = "owner: me\nfields:\n  - name: A\n    x-unit: mm\n    title_de: Ah\n    origin: lab\n"
    loaded = read_spec(write(tmp_path, text))
    assert [line.replace(f"{tmp_path}/", "") for line in loaded.ignored] == [
        "spec.yaml:1: owner: custom property, ignored",
        "spec.yaml:4: fields[0].x-unit: custom property, ignored",
        "spec.yaml:5: fields[0].title_de: custom property, ignored",
        "spec.yaml:6: fields[0].origin: custom property, ignored",
    ]


def test_anchors_are_followed(tmp_path: Path) -> None:
    spec = load_spec(
        write(tmp_path, "fields:\n- {name: A, constraints: &c {required: true}}\n- {name: B, constraints: *c}")
    )
    assert all(field.required for field in spec.fields)


def test_keys_are_not_judged_where_no_fields_are_declared() -> None:
    assert load_spec({"primaryKey": "ID"}).primary_key == ("ID",)


def test_settings_of_a_rule_of_the_spec_are_known() -> None:
    spec = {"rules": [{"id": "r", "compare": "A = 1"}], "checks": {"ranges.rule.r": {"severity": "minor"}}}
    assert read_spec(spec, known_codes=set()).spec.checks


scalars = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
fields = st.fixed_dictionaries(
    {"name": st.text(min_size=1)},
    optional={
        "type": st.sampled_from(["any", "string", "date", "number"]),
        "label": st.text(),
        "severity": st.sampled_from(["none", "minor", "major"]),
        "core": st.sampled_from(["required", "expected"]),
        "missingValues": st.lists(scalars),
        "constraints": st.fixed_dictionaries(
            {},
            optional={
                "minimum": scalars,
                "exclusiveMaximum": scalars,
                "enum": st.lists(scalars),
                "required": st.booleans(),
            },
        ),
    },
)
plain_specs = st.fixed_dictionaries(
    {"fields": st.lists(fields, max_size=3)},
    optional={
        "fieldsMatch": st.sampled_from(["exact", "subset"]),
        "primaryKey": st.lists(st.text()),
        "missingValues": st.lists(scalars),
        "rules": st.lists(
            st.builds(lambda n: {"id": f"r{n}", "atMost": n, "per": ["A"]}, st.integers(0, 9)), max_size=2
        ),
        "checks": st.dictionaries(
            st.text(), st.fixed_dictionaries({}, optional={"except": st.lists(st.text())}), max_size=2
        ),
        "policy": st.builds(lambda n: {"majorAt": n}, st.integers(1, 9)),
    },
)


@given(plain_specs)
def test_to_plain_and_back_is_the_same_spec(plain: dict[str, Any]) -> None:
    spec = Spec.from_plain(plain)
    again = Spec.from_plain(json.loads(json.dumps(spec.to_plain())))
    assert again == spec
    assert again.digest == spec.digest


@given(plain_specs)
def test_plain_data_either_makes_sense_or_is_refused_as_a_spec_error(plain: dict[str, Any]) -> None:
    with contextlib.suppress(SpecError):
        spec = load_spec(plain)
        assert load_spec(spec.to_plain()) == spec


def test_a_file_is_read_as_it_stands_now(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    for name in ("A", "B"):  # of the same length
        path.write_text(f"fields: [{{name: {name}}}]", encoding="utf-8")
        assert [field.name for field in load_spec(path).fields] == [name]
