"""What the author of a wrong spec is told: where, what was found, what was expected, what was probably meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checks.errors import SpecError
from checks.specfile import read_spec


def write(folder: Path, text: str) -> Path:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def complaints(
    source: Path | dict[str, Any], folder: Path | None = None, known_codes: set[str] | None = None
) -> list[str]:
    with pytest.raises(SpecError) as caught:
        read_spec(source, known_codes=known_codes)
    return str(caught.value).replace(f"{folder}/", "").splitlines()


MANY_WRONG = """\
fields:
  - name: AGE
    type: integr
    constraints: {minimum: 150, maximum: 120, minimun: 0}
  - name: AGE
    type: string
    constraints:
      required: maybe
      pattern: (?=x)
      enum: [1, A, A]
  - type: date
  - name: DTC
    lable: x
    minimum: 1
primaryKey: [AGEE]
limits: {by: P, of: V, values: {X: {minimum: [1]}}}
rules:
  - {id: a b, compare: AGE > 1}
  - {id: r, when: AGE > 1}
  - {id: r, compare: 5}
checks:
  structure.emptytable: {enabled: perhaps}
policy: {majorAt: 0}
"""


def test_all_that_is_wrong_is_said_at_once_in_line_order(tmp_path: Path) -> None:
    types = (
        "string, number, integer, boolean, date, datetime, time, duration, year, yearmonth, object, array, list, "
        "geopoint, geojson, any"
    )
    one_of = (
        "expected one of enum, exclusiveMaximum, exclusiveMinimum, jsonSchema, maxLength, maximum, minLength, minimum, "
        "pattern, required, unique"
    )
    found = complaints(write(tmp_path, MANY_WRONG), tmp_path, known_codes={"structure.empty_table"})
    assert found == [
        f"spec.yaml:3: fields[0].type: found the text 'integr', expected one of {types}; did you mean 'integer'?",
        f"spec.yaml:4: fields[0].constraints.minimun: unknown property, {one_of}; did you mean 'minimum'?",
        "spec.yaml:4: fields[0].constraints.minimum: found 150, but maximum is 120; no value lies between them",
        "spec.yaml:5: fields[1].name: the field 'AGE' is already at fields[0], expected each name once",
        "spec.yaml:8: fields[1].constraints.required: found the text 'maybe', expected true or false",
        (
            "spec.yaml:9: fields[1].constraints.pattern: found '(?=x)', expected a regular expression that needs "
            "no backtracking: look-around, including look-ahead and look-behind, is not supported"
        ),
        (
            "spec.yaml:10: fields[1].constraints.enum[0]: found the number 1, expected text for type string; "
            "put it in quotes"
        ),
        "spec.yaml:10: fields[1].constraints.enum[2]: the text 'A' is listed twice, expected once",
        "spec.yaml:11: fields[2]: name is missing",
        "spec.yaml:13: fields[3].lable: unknown property; did you mean 'label'?",
        "spec.yaml:14: fields[3].minimum: unknown property of a field; it belongs under constraints",
        "spec.yaml:15: primaryKey[0]: 'AGEE' is not among the fields; did you mean 'AGE'?",
        "spec.yaml:16: limits.values.X.minimum: found a list, expected one value: text, a number, true or false",
        (
            "spec.yaml:18: rules[0].id: found the text 'a b', expected letters, digits, '-' and '_', "
            "starting with a letter or a digit"
        ),
        "spec.yaml:19: rules[1]: when and then go together",
        "spec.yaml:20: rules[2].compare: found the number 5, expected text; put it in quotes",
        "spec.yaml:22: checks[\"structure.emptytable\"].enabled: found the text 'perhaps', expected true or false",
        "spec.yaml:23: policy.majorAt: found the number 0, expected 1 or more",
    ]


FIELD_FAULTS = {
    "text-limit-of-a-number": (
        {"type": "number", "constraints": {"minimum": "low"}},
        "constraints.minimum: found the text 'low', expected a number for type number",
    ),
    "limit-of-text": (
        {"type": "string", "constraints": {"maximum": 5}},
        "constraints.maximum: found the number 5, but values of type string have no order and so no limits",
    ),
    "date-without-hyphens": (
        {"type": "date", "constraints": {"minimum": "20220311"}},
        "constraints.minimum: found the text '20220311', expected a date such as 2024-03-01 or 'today' for type date",
    ),
    "day-that-does-not-exist": (
        {"type": "date", "constraints": {"maximum": "2023-02-29"}},
        "constraints.maximum: found the text '2023-02-29', expected a date such as 2024-03-01 or 'today' for type date",
    ),
    "today-for-a-number": (
        {"type": "integer", "constraints": {"maximum": "today"}},
        "constraints.maximum: found the text 'today', expected a number for type integer",
    ),
    "partial-dates-crossed": (
        {"format": "iso8601-partial", "constraints": {"minimum": "2024-03", "maximum": "2023-12-31"}},
        "constraints.minimum: found 2024-03, but maximum is 2023-12-31; no value lies between them",
    ),
    "nothing-above-what-is-excluded": (
        {"constraints": {"exclusiveMinimum": 5, "maximum": 5}},
        "constraints.exclusiveMinimum: found 5, but maximum is 5; no value lies between them",
    ),
    "infinite-limit": (
        {"constraints": {"minimum": float("-inf")}},
        "constraints.minimum: found an infinite number or none at all, expected a finite number",
    ),
    "limit-forgotten": (
        {"constraints": {"minimum": None}},
        "constraints.minimum: found nothing, expected a value; leave the property out if there is none",
    ),
    "lengths-crossed": (
        {"constraints": {"minLength": 3, "maxLength": 2}},
        "constraints.minLength: found 3, but maxLength is 2; no text is that long",
    ),
    "negative-length": (
        {"constraints": {"minLength": -1}},
        "constraints.minLength: found the number -1, expected 0 or more",
    ),
    "empty-enum": (
        {"constraints": {"enum": []}},
        "constraints.enum: found an empty list, expected at least one allowed value",
    ),
    "fraction-in-integer-enum": (
        {"type": "integer", "constraints": {"enum": [1, 2.5]}},
        "constraints.enum[1]: found the number 2.5, expected a whole number for type integer",
    ),
    "broken-pattern": (
        {"constraints": {"pattern": "(a"}},
        (
            "constraints.pattern: found '(a', expected a regular expression: "
            "missing ), unterminated subpattern at position 0"
        ),
    ),
    "unknown-zone": (
        {"timezone": "Europe/Berlim"},
        "timezone: found 'Europe/Berlim', expected a time zone such as Europe/Berlin; did you mean 'Europe/Berlin'?",
    ),
    "zone-that-is-a-folder": (
        {"timezone": "../etc"},
        "timezone: found '../etc', expected a time zone such as Europe/Berlin",
    ),
    "severity": (
        {"severity": "majr"},
        "severity: found the text 'majr', expected one of none, minor, major; did you mean 'major'?",
    ),
    "both-spellings": (
        {"rdfType": "a", "rdf_type": "b"},
        "rdf_type: given twice, as rdfType and as rdf_type",
    ),
}


@pytest.mark.parametrize(("field", "message"), FIELD_FAULTS.values(), ids=FIELD_FAULTS.keys())
def test_fault_in_a_field(field: dict[str, Any], message: str) -> None:
    assert complaints({"fields": [{"name": "A", **field}]}) == [f"fields[0].{message}"]


NOTHING_LEFT = (
    "limits.values.X[1]: limits for the same records in this unit, in whatever case, stand before; "
    "expected a where in those"
)

SPEC_FAULTS = {
    "foreign-key-of-unequal-length": (
        {"foreignKeys": [{"fields": "A", "reference": {"resource": "x", "fields": ["a", "b"]}}]},
        "foreignKeys[0].reference: found 2 referenced fields, expected 1, one for each field",
    ),
    "unique-key": ({"uniqueKeys": [["A", "B"]]}, "uniqueKeys[0][1]: 'B' is not among the fields"),
    "rule-ids": (
        {"rules": [{"id": "r", "compare": "A = 1"}, {"id": "r", "compare": "A = 2"}]},
        "rules[1].id: the rule 'r' is already at rules[0], expected each id once",
    ),
    "constant-without-a-group": (
        {"rules": [{"id": "r", "constant": "A"}]},
        "rules[0]: at_most, constant, and compare with by and of need per: the columns that make a group",
    ),
    "group-without-a-form": (
        {"rules": [{"id": "r", "compare": "A = 1", "per": "A"}]},
        "rules[0]: where and per go with at_most, with constant, or with compare, by and of",
    ),
    "parameters-without-values": (
        {"rules": [{"id": "r", "compare": "X > Y", "by": "A", "per": "A"}]},
        "rules[0]: by and of go together, with compare: the names in it are then values of by",
    ),
    "equal-nulls-without-a-group": (
        {"rules": [{"id": "r", "compare": "A = 1", "nulls_equal": True}]},
        "rules[0]: nulls_equal goes with at_most or constant",
    ),
    "column-of-a-table-nobody-refers-to": (
        {
            "foreignKeys": [{"fields": "A", "reference": {"resource": "dm", "fields": "A"}}],
            "rules": [{"id": "r", "compare": "A = dn.B"}],
        },
        "rules[0].compare: found dn.B, but no foreign key refers to dn",
    ),
    "natural-key": ({"naturalKey": ["A", "B"]}, "naturalKey[1]: 'B' is not among the fields"),
    "limits-in-two-units": (
        {"limits": {"by": "A", "of": "A", "values": {"X": [{"minimum": 1, "unit": "a"}, {"minimum": 2, "unit": "b"}]}}},
        "limits.values.X: found limits in several units, expected unitColumn beside by and of, or one block",
    ),
    "a-unit-twice": (
        {
            "limits": {
                "by": "A",
                "of": "A",
                "unitColumn": "A",
                "values": {"X": [{"minimum": 1, "unit": "g"}, {"minimum": 2, "unit": "G"}]},
            }
        },
        NOTHING_LEFT,
    ),
    "limits-with-the-same-condition": (
        {
            "limits": {
                "by": "A",
                "of": "A",
                "values": {"X": [{"minimum": 1, "where": "A = '1'"}, {"minimum": 2, "where": "A = '1'"}]},
            }
        },
        NOTHING_LEFT,
    ),
    "limits-for-all-before-those-for-some": (
        {"limits": {"by": "A", "of": "A", "values": {"X": [{"minimum": 1}, {"minimum": 2, "where": "A = '1'"}]}}},
        NOTHING_LEFT,
    ),
    "limits-where-nothing-can-be-told": (
        {"limits": {"by": "A", "of": "A", "values": {"X": {"minimum": 1, "where": "A = ''"}}}},
        (
            "limits.values.X.where: condition \"A = ''\": found A = '', blank text, which is a missing value "
            "(IS NULL asks for it) at character 1; allowed: values of one kind"
        ),
    ),
    "slip-in-the-condition-of-limits": (
        {
            "fields": [{"name": "PARAM"}, {"name": "SPEC"}],
            "limits": {"by": "PARAM", "of": "PARAM", "values": {"X": {"minimum": 1, "where": "SPECC = 'a'"}}},
        },
        "limits.values.X.where: 'SPECC' is not among the fields; did you mean 'SPEC'?",
    ),
    "limits-by-a-column-of-another-table": (
        {
            "foreignKeys": [{"fields": "A", "reference": {"resource": "dm", "fields": "A"}}],
            "limits": {"by": "A", "of": "A", "values": {"X": {"minimum": 1, "where": "dm.SEX = 'F'"}}},
        },
        "limits.values.X.where: found dm.SEX, expected columns of the table itself",
    ),
    "a-way-to-write-a-unit-nothing-is-limited-in": (
        {
            "limits": {
                "by": "A",
                "of": "A",
                "unitColumn": "A",
                "unitNames": {"kg": ["kilo"]},
                "values": {"X": {"minimum": 1, "unit": "g"}},
            }
        },
        "limits.unitNames.kg: no limits are in 'kg', expected a unit of values",
    ),
    "a-way-to-write-two-units": (
        {
            "limits": {
                "by": "A",
                "of": "A",
                "unitColumn": "A",
                "unitNames": {"g": ["gram"], "mg": ["Gram"]},
                "values": {"X": [{"minimum": 1, "unit": "g"}, {"minimum": 1, "unit": "mg"}]},
            }
        },
        "limits.unitNames.mg[0]: 'Gram' already means 'g', expected one meaning",
    ),
    "a-way-to-write-a-unit-that-has-limits": (
        {
            "limits": {
                "by": "A",
                "of": "A",
                "unitColumn": "A",
                "unitNames": {"mmol": ["mM"]},
                "values": {"X": {"minimum": 1, "unit": "mmol"}, "Y": {"minimum": 1, "unit": "mM"}},
            }
        },
        "limits.unitNames.mmol[0]: 'mM' has limits of its own, expected a name without, or limits in 'mmol' alone",
    ),
    "limits-in-units-that-differ-in-blanks": (
        {
            "limits": {
                "by": "A",
                "of": "A",
                "unitColumn": "A",
                "values": {"X": [{"minimum": 1, "unit": "g/L"}, {"minimum": 2, "unit": "g/L "}]},
            }
        },
        NOTHING_LEFT,
    ),
    "limits-where-conditions-differ-in-blanks": (
        {
            "limits": {
                "by": "A",
                "of": "A",
                "values": {"X": [{"minimum": 1, "where": "S = 'X'"}, {"minimum": 2, "where": "S='X'"}]},
            }
        },
        NOTHING_LEFT,
    ),
    "slip-in-a-condition": (
        {"fields": [{"name": "LOW"}], "rules": [{"id": "r", "compare": "LWO > 1"}]},
        "rules[0].compare: 'LWO' is not among the fields; did you mean 'LOW'?",
    ),
    "slip-in-a-group": (
        {"fields": [{"name": "SUBJECT"}], "rules": [{"id": "r", "at_most": 1, "per": ["SUBJECTS"]}]},
        "rules[0].per: 'SUBJECTS' is not among the fields; did you mean 'SUBJECT'?",
    ),
    "slip-in-limits": (
        {
            "fields": [{"name": "PARAM"}, {"name": "VALUE"}],
            "limits": {"by": "PARAMS", "of": "VALUE", "values": {"X": {"minimum": 1}}},
        },
        "limits.by: 'PARAMS' is not among the fields; did you mean 'PARAM'?",
    ),
    "two-forms-of-a-rule": (
        {"rules": [{"id": "r", "compare": "A = 1", "at_most": 1, "per": "A"}]},
        "rules[0]: a rule has exactly one of: compare; when and then; at_most and per; constant and per",
    ),
    "parameter-without-limit": (
        {"limits": {"by": "P", "of": "A", "values": {"ALT": {"unit": "U/L"}}}},
        "limits.values.ALT: no limit is given, expected minimum, maximum or both",
    ),
    "check-setting": (
        {"checks": {"structure.empty_table": {"excpt": "A"}}},
        (
            'checks["structure.empty_table"].excpt: unknown property, expected one of enabled, except, minRows, '
            "severity; did you mean 'except'?"
        ),
    ),
    "misspelt-property": ({"feilds": []}, "feilds: unknown property; did you mean 'fields'?"),
}


@pytest.mark.parametrize(("part", "message"), SPEC_FAULTS.values(), ids=SPEC_FAULTS.keys())
def test_fault_beside_the_fields(part: dict[str, Any], message: str) -> None:
    assert complaints({"fields": [{"name": "A"}], **part}) == [message]


def test_condition_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "rules:\n  - id: r\n    when: A = 1\n    then: (B = 2\n")
    (message,) = complaints(path, tmp_path)
    assert message.startswith("spec.yaml:4: rules[0].then: ")
