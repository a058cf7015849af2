"""What is written is read back as the same by readers of YAML 1.1 and 1.2."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from checks.drafts import to_json, to_yaml
from checks.drafts.write import scalar
from checks.specfile.yaml_nodes import parse

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


def read_12(text: str) -> Any:
    document, problems = parse(text, "written.yaml")
    assert problems == []
    return document.data


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("NO", '"NO"'),
        ("on", '"on"'),
        ("y", '"y"'),
        ("NA", "NA"),
        ("012", '"012"'),
        ("1e3", '"1e3"'),
        ("12:30:00", '"12:30:00"'),
        ("2024-03-01", '"2024-03-01"'),
        ("null", '"null"'),
        ("~", '"~"'),
        ("", '""'),
        (" padded ", '" padded "'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("<<", '"<<"'),
        ("it's", '"it\'s"'),
        ('say "no"\\', '"say \\"no\\"\\\\"'),
        ("line\nbreak\ttab", '"line\\nbreak\\ttab"'),
        ("\x00\x85\u2028\ufeff\U000e0001", '"\\x00\\x85\\u2028\\ufeff\\U000e0001"'),
        ("Größe", '"Größe"'),
        ("NOT HISPANIC OR LATINO", "NOT HISPANIC OR LATINO"),
        (1e-05, "1.0e-05"),
        (1e22, "1.0e+22"),
        (0.1, "0.1"),
        (-3, "-3"),
        (True, "true"),
        (None, "null"),
    ],
    ids=repr,
)
def test_scalar_survives_both_versions_of_yaml(value: Any, written: str) -> None:
    assert scalar(value) == written
    line = f"key: {written}\n"
    assert yaml.safe_load(line) == read_12(line) == {"key": value}


@pytest.mark.parametrize("empty", [[], {}], ids=["list", "mapping"])
def test_nothing_behind_a_long_key_stays_nothing(empty: Any) -> None:
    data = {"k" * 200: empty, "list": [{"k" * 200: empty}]}
    text = to_yaml(data)
    assert yaml.safe_load(text) == read_12(text) == data


@given(st.dictionaries(TEXT, VALUES, min_size=1, max_size=5))
def test_plain_data_survives_both_versions_of_yaml(data: dict[str, Any]) -> None:
    text = to_yaml(data)
    assert yaml.safe_load(text) == data
    assert read_12(text) == data
    assert to_yaml(data) == text


def test_comments_stand_beside_what_they_are_about_and_never_break_a_line() -> None:
    data = {
        "fields": [{"constraints": {"minimum": 1, "enum": ["A", "B"]}, "name": "X"}, {"name": "Z"}],
        "primaryKey": ["X"],
        "name": "t",
    }
    notes = {
        ("fields", 0, "constraints", "enum"): "draft: every value",
        ("fields", 1): "above the field",
        ("primaryKey",): "two\nlines",
    }
    assert to_yaml(data, notes=notes, header=["head"]) == (
        "# head\n"
        "name: t\n"
        "primaryKey: [X] # two\\nlines\n"
        "fields:\n"
        "  - name: X\n"
        "    constraints:\n"
        "      minimum: 1\n"
        "      enum: [A, B] # draft: every value\n"
        "  # above the field\n"
        "  - name: Z\n"
    )


def test_names_an_author_chose_keep_their_order() -> None:
    text = to_yaml({"limits": [{"by": "P", "of": "V", "values": {"B": {"minimum": 1}, "A": {"minimum": 2}}}]})
    assert text.index("B:") < text.index("A:")


def test_json_is_plain() -> None:
    assert to_json({"a": ["ß"]}) == '{\n  "a": [\n    "ß"\n  ]\n}\n'
