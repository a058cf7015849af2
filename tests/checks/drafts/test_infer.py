"""A draft inferred from a dataset: what is guessed, what is not, and that the dataset is right under it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from checks import TableError, adopt, codes, read_spec, review_table
from checks.drafts import Draft, infer
from checks.drafts.keys import is_identifier
from checks.drafts.rounding import plain_number, with_room
from review_graph.adapters.sources.files import decode

DATA = Path(__file__).parents[3] / "data"
SHIPPED = ["adsl.parquet", "pilot/ds.parquet", "dm.xpt", "ae.xpt", "sites.csv", "ts.csv", "faults/dm_minor.csv"]


def draft(**columns: Sequence[Any]) -> Draft:
    return infer(adopt(pl.DataFrame(columns, strict=False)), name="t", origin="t.csv", fingerprint="ab")


def field(values: Sequence[Any], name: str = "X") -> dict[str, Any]:
    (plain,) = draft(**{name: values}).spec.to_plain()["fields"]
    return {key: value for key, value in plain.items() if key != "name"}


@pytest.mark.parametrize("name", SHIPPED)
def test_dataset_is_clean_under_its_draft_and_the_draft_is_the_same_again(name: str, tmp_path: Path) -> None:
    decoded = decode(DATA / name)
    table = adopt(decoded.frame, labels=decoded.labels)
    first, again = (infer(table, name="t", origin=name).to_yaml() for _ in range(2))
    assert first == again
    path = tmp_path / "draft.yaml"
    path.write_text(first, encoding="utf-8")
    loaded = read_spec(path, known_codes=codes())
    assert loaded.ignored == ()
    assert yaml.safe_load(first) == loaded.spec.to_plain()
    assert [finding.message for finding in review_table(table, loaded.spec).findings] == []


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "30"], "integer"),
        (["1", "2.5", None], "number"),
        (["1.5e-3", ".5", "+2"], "number"),
        (["0012", "0034"], "string"),
        (["1E5", "2E7"], "string"),
        (["12345678901234567", "2"], "string"),
        ([1.0, 2.0, None], "integer"),
        ([1.0, 2.5], "number"),
        ([Decimal("1.00"), Decimal("2.00")], "integer"),
        ([1.0, float("inf")], "number"),
        ([1, 2], "integer"),
        ([True, False], "boolean"),
        (["true", "FALSE"], "boolean"),
        (["Y", "N"], "string"),
        (["2024-02-29", " 2024-03-01"], "date"),
        (["2023-02-29", "2024-03-01"], "string"),
        (["2024-02-29T10:00:00", "2024-03-01T00:00:00Z"], "datetime"),
        (["10:00:00", "11:30:59"], "time"),
        (["P1D", "PT2H"], "duration"),
        ([dt.date(2024, 1, 1)], "date"),
        ([dt.datetime(2024, 1, 1)], "date"),  # noqa: DTZ001 - tables hold such
        ([dt.datetime(2024, 1, 1, 9)], "datetime"),  # noqa: DTZ001 - the same
        ([dt.time(9)], "time"),
        ([None, None], None),
        (["", "  "], None),
    ],
    ids=repr,
)
def test_type_by_value(values: Sequence[Any], kind: str | None) -> None:
    assert field(values).get("type") == kind


@pytest.mark.parametrize(
    ("name", "values", "is_partial"),
    [
        ("X", ["2014-03", "2014-03-07", "2015-01-01"], True),
        ("X", ["0101", "0102", "0601"], False),
        ("AESTDTC", ["2014", "2015"], True),
        ("AESTDTC", ["2014-03-07", "2015-01-01"], True),
        ("AESTDTC", ["07MAR2014"], False),
    ],
    ids=["mixed", "sites-like-years", "dtc-years", "dtc-days", "dtc-not-iso"],
)
def test_partial_dates(name: str, values: Sequence[str], is_partial: bool) -> None:
    assert (field(values, name).get("format") == "iso8601-partial") is is_partial


def test_words_for_missing_are_told_from_values_only_where_the_rest_is_no_text() -> None:
    assert field(["1", "NA", "3"])["missingValues"] == ["", "NA"]
    assert "constraints" not in field(["1", "NA", "3"])
    assert field(["2024-01-01", ".", "NK"])["missingValues"] == ["", ".", "NK"]
    assert "missingValues" not in field(["DE", "NA", "FR"])
    assert field(["NA", "NA"])["type"] == "string"


def test_required_only_where_no_value_is_missing() -> None:
    assert field([1, 2])["constraints"]["required"] is True
    assert "constraints" not in field([1, None])
    assert field([None, None]) == {"core": "expected"}


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"AGE": [1, 2, 3], "USUBJID": ["a", "b", "c"]}, ("USUBJID",)),
        ({"x_id": ["a", "a", "b"], "visit": [1, 2, 1], "seen": ["p", "q", "r"]}, ("seen",)),
        ({"USUBJID": ["a", "a", "b"], "LBSEQ": [1.0, 2.0, 1.0], "LBORRES": ["1", "2", "3"]}, ("USUBJID", "LBSEQ")),
        ({"USUBJID": ["a", "A", "b"], "n": [1, 1, 1]}, ()),
        ({"USUBJID": ["a", "b", None]}, ()),
        ({"w": [1.5, 2.5, 3.5]}, ()),
        ({"a": ["x", "x"], "b": [1, 1]}, ()),
    ],
    ids=["identifier", "single-first", "with-seq", "case-folded", "missing", "measured", "duplicates"],
)
def test_candidate_key(columns: dict[str, Sequence[Any]], key: tuple[str, ...]) -> None:
    found = draft(**columns)
    assert found.spec.primary_key == key
    assert any("No primaryKey" in line for line in found.header) is not bool(key)


@pytest.mark.parametrize(
    ("name", "yes"),
    [
        *((name, True) for name in ("USUBJID", "SITEID", "AESEQ", "id", "patient_id", "subjectId", "site-no", "Code")),
        *((name, False) for name in ("AGE", "PAID", "liquid", "VALID", "SEX", "nodes", "PARAMCD")),
    ],
)
def test_identifiers_are_known_by_name(name: str, yes: bool) -> None:
    assert is_identifier(name) is yes


@pytest.mark.parametrize(
    ("name", "values", "listed"),
    [
        ("SEX", ["F", "M", "F", "M"] * 3, ["F", "M"]),
        ("SEX", ["F", "M", "F"], None),
        ("SITEID", ["A", "B"] * 10, None),
        ("comment", ["seen", "not seen"] * 10, None),
        ("AETERM", ["HEADACHE", "NAUSEA"] * 10, None),
        ("note_code", ["x"] * 3 + [None] * 20, None),
        ("status", ["ok"] * 30 + ["a", "b", "c"], None),
        ("status", ["x" * 90, "y"] * 10, None),
        ("grp", [str(n) + "x" for n in range(60)] * 10, None),
    ],
    ids=["coded", "few-rows", "identifier", "comment", "term", "few-values", "many-singles", "sentences", "too-many"],
)
def test_codelist(name: str, values: Sequence[str | None], listed: list[str] | None) -> None:
    assert field(values, name).get("constraints", {}).get("enum") == listed


@pytest.mark.parametrize(
    ("least", "most", "whole", "limits"),
    [
        ("18", "89", True, (10, 100)),
        ("0", "1", True, (0, 1)),
        ("50", "50", True, (45, 55)),
        ("0", "0", False, (0, 0.1)),
        ("-37", "-2", True, (-42, 0)),
        ("2.07085", "2.4451", False, (2.02, 2.5)),
        ("0.1", "0.3", False, (0.08, 0.32)),
        ("1e-9", "2e-9", False, (9e-10, 2.1e-9)),
        ("1", "1e16", True, None),
        ("-inf", "1", False, None),
    ],
)
def test_limits_have_room(least: str, most: str, whole: bool, limits: tuple[float, float] | None) -> None:
    found = with_room(Decimal(least), Decimal(most), whole=whole)
    assert (None if found is None else tuple(map(plain_number, found))) == limits


def test_limits_of_columns_show_what_was_observed_and_dates_only_their_years() -> None:
    text = draft(AGE=[18, 30, 45, 60, 89], BIRTHDT=[dt.date(1931 + n, 5, 17) for n in range(5)]).to_yaml()
    assert "minimum: 10 # draft: observed 18 to 89" in text
    assert 'minimum: "1930-01-01" # draft: observed 1931 to 1935' in text
    assert "05-17" not in text


def test_few_values_leave_nothing_of_themselves() -> None:
    text = draft(A=[17, None, 23, 71], B=["rare", None, None, "rare"]).to_yaml()
    assert not [value for value in ("17", "23", "71", "rare") if value in text]


def test_limits_by_parameter_take_the_place_of_those_of_the_column() -> None:
    found = draft(
        PARAMCD=["SYSBP"] * 5 + ["PULSE"] * 5 + ["RARE"],
        AVAL=[100, 110, 120, 130, 140, 60, 65, 70, 75, 80, 7777],
        AVALU=["mmHg"] * 5 + ["bpm", "1/min", "bpm", "bpm", "bpm", None],
    )
    plain = found.spec.to_plain()
    assert plain["limits"] == [
        {
            "by": "PARAMCD",
            "of": "AVAL",
            "values": {
                "PULSE": {"minimum": 58, "maximum": 82},
                "SYSBP": {"minimum": 96, "maximum": 144, "unit": "mmHg"},
            },
        }
    ]
    assert "minimum" not in plain["fields"][1].get("constraints", {})
    text = found.to_yaml()
    assert "# draft: observed 100 to 140" in text
    assert "7777" not in text
    assert "1 more of PARAMCD" in text


def test_testcd_and_text_results_have_limits_by_parameter_too() -> None:
    found = draft(LBTESTCD=["ALT"] * 5, LBSTRESN=["10", "20", "30.5", "40", "NA"], LBSTRESU=["U/L"] * 5)
    assert found.spec.limits == ()
    found = draft(LBTESTCD=["ALT"] * 6, LBSTRESN=["10", "20", "30.5", "40", "NA", "7"], LBSTRESU=["U/L"] * 6)
    assert found.spec.limits[0].values["ALT"][0].unit == "U/L"


def test_what_no_spec_makes_right_is_excepted_or_said() -> None:
    found = draft(NAME=["a ", "b", "b", "a "], N=[1.0, 2.0, 2.0, 1.0])
    assert found.spec.checks["structure.padded_text"].except_columns == ("NAME",)
    assert any("structure.duplicate_rows" in line for line in found.header)


def test_header_says_what_it_is_from_and_every_guess_is_marked() -> None:
    found = draft(AGE=[18, 30, 45, 60, 89])
    assert "t.csv" in found.header[0]
    assert "sha256 ab, 5 rows, 1 column" in found.header[1]
    assert all(note.startswith("draft: ") for note in found.notes.values())


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (adopt(pl.DataFrame({"A": []})), "no rows"),
        (adopt(pl.DataFrame()), "no rows"),
        (adopt(pl.DataFrame({"A": [1]}), duplicate_columns=["B"]), "rename them"),
    ],
    ids=["no-rows", "no-columns", "duplicate-names"],
)
def test_nothing_is_learned_from_nothing(table: Any, said: str) -> None:
    with pytest.raises(TableError, match=said):
        infer(table, name="t")


def test_any_table_will_do(on_backend: Any) -> None:
    data = {"ID": ["a", "b", "c", "d", "e"], "N": ["1", "2", "NA", "4", "5"], "D": ["2024-01-01"] * 5}
    spec = infer(adopt(on_backend(data)), name="t").spec
    assert [item.type for item in spec.fields] == ["string", "integer", "date"]
    assert spec.primary_key == ("ID",)
