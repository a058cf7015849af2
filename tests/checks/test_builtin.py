"""The built-in specs, and which of them a table gets."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from checks import codes
from checks.builtin import GENERIC, builtin, builtin_names, choose_builtin
from checks.errors import SpecError
from checks.spec import Spec
from checks.specfile import LoadedSpec, read_spec
from checks.standards import REFERRED_TO, STANDARDS

ADSL = [
    "STUDYID",
    "USUBJID",
    "SUBJID",
    "SITEID",
    "AGE",
    "AGEU",
    "SEX",
    "RACE",
    "ARM",
    "TRT01P",
    "TRTSDT",
    "TRTEDT",
    "SAFFL",
]
DM = [
    "STUDYID",
    "DOMAIN",
    "USUBJID",
    "SUBJID",
    "RFSTDTC",
    "RFENDTC",
    "SITEID",
    "AGE",
    "AGEU",
    "SEX",
    "ARMCD",
    "ARM",
    "COUNTRY",
]
LB = ["USUBJID", "LBSEQ", "LBTESTCD", "LBTEST", "LBORRES", "LBORRESU", "LBSTRESN", "VISITNUM", "LBDTC"]
SEND_DM = [
    "STUDYID",
    "DOMAIN",
    "USUBJID",
    "SUBJID",
    "RFSTDTC",
    "RFENDTC",
    "AGETXT",
    "AGEU",
    "SEX",
    "ARMCD",
    "ARM",
    "SETCD",
]

CHOICES = {
    "name": ("adsl", ADSL, "adsl"),
    "name-in-capitals": ("ADSL", ADSL, "adsl"),
    "last-word": ("adam_adsl", ADSL, "adsl"),
    "after-a-hyphen": ("study1-dm", DM, "dm"),
    "with-a-version": ("adsl_v2_2024-03-01", ADSL, "adsl"),
    "key-missing-is-still-found-out": ("adsl", [name for name in ADSL if name != "USUBJID"], "adsl"),
    "few-columns-under-the-name": ("dm", ["USUBJID", "AGE"], "dm"),
    "columns-alone-adsl": ("export", ADSL, "adsl"),
    "columns-alone-dm": ("export", DM, "dm"),
    "name-alone": ("adsl", ["id", "value"], GENERIC),
    "word-inside-another": ("madsl", ["USUBJID", "AGE"], GENERIC),
    "animals": ("dm", SEND_DM, GENERIC),
    "supplement": ("supp-dm", ["STUDYID", "RDOMAIN", "USUBJID", "IDVAR", "QNAM", "QVAL", "SITEID"], GENERIC),
    "analysis-records-carry-adsl": ("adtte", [*ADSL, "PARAMCD", "AVAL", "ASEQ"], GENERIC),
    "analysis-of-lab-carries-adsl": ("adlb", [*ADSL, "PARAMCD", "AVAL", "ASEQ"], "adlb"),
    "events-carry-adsl": ("adae", [*ADSL, "AESEQ", "AETERM"], "adae"),
    "analysis-carries-its-domain": ("adlb", ["USUBJID", "PARAMCD", "AVAL", *LB], "adlb"),
    "lab-of-a-trial": ("lb", LB, "lb"),
    "lab-by-its-columns": ("export", LB, "lb"),
    "lab-of-animals": ("lb", [name for name in LB if name != "VISITNUM"], GENERIC),
    "split-analysis-of-lab": ("adlbc", ["USUBJID", "PARAMCD", "AVAL"], "adlb"),
    "events": ("export", ["USUBJID", "AESEQ", "AETERM", "AEDECOD"], "ae"),
    "disposition-of-animals": ("ds", ["USUBJID", "DSSEQ", "DSTERM", "DSDECOD", "DSSTDTC", "DSUSCHFL"], GENERIC),
    "supplement-of-events": ("suppae", ["USUBJID", "IDVAR", "QNAM", "RDOMAIN"], GENERIC),
    "unknown": ("table", ["a", "b"], GENERIC),
    "no-name": ("", ["a"], GENERIC),
}


@pytest.mark.parametrize(("name", "columns", "chosen"), CHOICES.values(), ids=CHOICES.keys())
def test_choice_by_name_and_columns(name: str, columns: list[str], chosen: str) -> None:
    assert choose_builtin(name, columns).name == chosen


@pytest.mark.parametrize("name", builtin_names())
def test_each_spec_is_read_once_and_survives_plain_data(name: str) -> None:
    spec = builtin(name)
    assert spec.name == name
    assert builtin(name) is spec
    assert Spec.from_plain(spec.to_plain()) == spec
    assert spec.missing_values == ("",), "NA may be Namibia"


def test_names_are_those_of_the_standards_and_the_generic_one() -> None:
    names = "adae adlb adsl advs ae cm dm ds ex generic lb mh vs"
    assert " ".join(builtin_names()) == names
    assert builtin("DM") == builtin("dm")
    with pytest.raises(SpecError) as caught:
        builtin("adls")
    listed = names.replace(" ", ", ")
    assert str(caught.value) == f"no built-in spec 'adls', expected one of {listed}; did you mean 'advs'?"


def test_datasets_referred_to_are_those_that_specs_refer_to() -> None:
    assert {name for spec in builtin_names() for name in builtin(spec).references} == REFERRED_TO


@pytest.mark.parametrize("standard", STANDARDS, ids=lambda standard: standard.spec)
def test_columns_that_show_a_standard_are_declared_in_its_spec(standard: object) -> None:
    assert isinstance(standard, type(STANDARDS[0]))
    declared = builtin(standard.spec).by_name.keys()
    assert standard.typical <= declared
    assert standard.proof <= declared


@pytest.mark.parametrize("name", ["adsl", "dm"])
def test_standards_of_subjects_demand_one_row_a_subject(name: str) -> None:
    assert builtin(name).primary_key == ("USUBJID",)


@pytest.mark.parametrize("name", sorted({standard.spec for standard in STANDARDS}))
def test_standards_say_where_rules_and_limits_come_from(name: str) -> None:
    spec = builtin(name)
    assert spec.fields_match == "subset"
    assert all(field.label and len(field.label) <= 40 for field in spec.fields)
    assert all(rule.title and rule.source and rule.severity for rule in spec.rules)
    for block in spec.limits:
        bounds = [limits for by_unit in block.values.values() for limits in by_unit]
        assert all(limits.source for limits in bounds)


def test_generic_spec_speaks_only_of_columns_that_exist() -> None:
    spec = choose_builtin("visits", ["USUBJID", "AGE", "AESTDTC", "other", "AGE"])
    assert [field.name for field in spec.fields] == ["AESTDTC", "AGE", "USUBJID"]
    assert spec.by_name["AESTDTC"].format == "iso8601-partial"
    assert (spec.by_name["AGE"].constraints.minimum, spec.by_name["AGE"].constraints.maximum) == (0, 120)
    assert spec.by_name["USUBJID"].required
    assert (spec.fields_match, spec.unique_keys, spec.limits) == ("subset", (), ())


def test_generic_spec_does_not_depend_on_the_order_of_columns() -> None:
    one, other = choose_builtin("t", ["USUBJID", "AGE"]), choose_builtin("t", {"AGE", "USUBJID"})
    assert one.digest == other.digest


def test_age_is_limited_in_its_own_unit_where_there_is_one() -> None:
    spec = choose_builtin("animals", ["USUBJID", "AGE", "AGEU"])
    assert not spec.by_name["AGE"].constraints.any
    assert spec.limits[0].values["WEEKS"][0].maximum == 6262


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        (["DOMAIN", "USUBJID", "AESEQ"], (("DOMAIN", "USUBJID", "AESEQ"),)),
        (["USUBJID", "AESEQ"], ()),
        (["DOMAIN", "USUBJID", "SEQ", "LNKSEQ"], ()),
        (["DOMAIN", "USUBJID", "LBSEQ", "PARAMCD"], ()),
    ],
    ids=["domain", "no-domain", "no-domain-prefix", "analysis-records-repeat-it"],
)
def test_sequence_number_is_unique_within_a_subject_of_a_domain(
    columns: list[str], keys: tuple[tuple[str, ...], ...]
) -> None:
    assert choose_builtin("ae", columns).unique_keys == keys


def test_variables_that_may_be_absent_and_are_go_with_their_rules() -> None:
    assert "TRTSDTF" not in choose_builtin("adsl", ADSL).by_name
    assert "TRTSDT" in choose_builtin("adsl", ["USUBJID", "AGE"]).by_name
    with_flag = {rule.id for rule in choose_builtin("adsl", [*ADSL, "TRTSDTF"]).rules}
    without = {rule.id for rule in choose_builtin("adsl", ADSL).rules}
    assert with_flag - without == {"imputed-trtsdt"}
    assert "treatment-start-before-end" in {rule.id for rule in choose_builtin("adsl", ["USUBJID", "AGE"]).rules}


@pytest.mark.parametrize("name", builtin_names())
def test_shipped_spec_reads_the_same_as_anybodys(name: str) -> None:
    path = Path(str(files("checks").joinpath("specs", f"{name}.yaml")))
    assert read_spec(path, known_codes=codes()) == LoadedSpec(spec=builtin(name))
