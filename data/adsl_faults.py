"""The faults of ADSL: at least one for each check that its built-in spec makes possible, and changes that are none."""  # noqa: INP001 - part of a program, not of a package

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, cast

from planting import Planter, Row, major, minor

if TYPE_CHECKING:
    import polars as pl

SAS_DAY_ZERO = dt.datetime(1960, 1, 1)  # noqa: DTZ001 - a day without a zone, as in the data
TEXT_COLUMNS = ("DTHDTF", "EOSDT", "TRTDURD", "TRTEDTF", "TRTSDTF")
EMPTY_IN_SOURCE = ("DTHA30FL", "RFICDTC")
SAFETY = major("ranges.rule.treated-is-safety", "SAFFL", "TRTSDT")
DEATH = major("ranges.rule.death-flag-has-date", "DTHFL", "DTHDT")
UNIT = major("ranges.rule.age-has-unit", "AGE", "AGEU")
ADULT = minor("ranges.rule.age-adult", "AGEU", "AGE")


def treated(row: Row) -> bool:
    """Whether a subject of ADSL was treated for more than a day, with imputed times, and lives."""
    start, end = cast("tuple[dt.datetime | None, dt.datetime | None]", (row["TRTSDT"], row["TRTEDT"]))
    whole = start is not None and end is not None and (end - start).days > 1
    return whole and row["TRTSTMF"] == "H" and row["TRTETMF"] == "H" and row["DTHFL"] is None


def screened(row: Row) -> bool:
    """Whether a subject of ADSL was never treated."""
    return row["TRTSDT"] is None and row["TRTEDT"] is None and row["DTHFL"] is None


def died(row: Row) -> bool:
    """Whether a subject of ADSL died."""
    return row["DTHFL"] == "Y" and row["DTHDT"] is not None


def plant_adsl(source: pl.DataFrame, seed: int) -> Planter:
    """Plant at least one fault for each check that the built-in spec of ADSL makes possible."""
    adsl = Planter(source.to_dict(as_series=False), seed)
    adsl.append_copy("record delivered twice", major("structure.duplicate_key", "USUBJID"), where=treated)
    _plant_columns(adsl)
    _plant_identifiers(adsl)
    _plant_text(adsl)
    _plant_dates(adsl)
    _plant_ages(adsl)
    _plant_codes(adsl)
    _plant_contradictions(adsl)
    return adsl


def _plant_columns(adsl: Planter) -> None:
    adsl.drop("SITEID", major("structure.missing_column", "SITEID"))
    adsl.rename("ARM", "Arm", major("structure.missing_column", "ARM"))
    adsl.empty("LSTALVDT", minor("structure.all_null_column", *EMPTY_IN_SOURCE, "LSTALVDT"))
    adsl.convert(
        "dates as SAS day numbers",
        "RANDDT",
        lambda day: float((cast("dt.datetime", day) - SAS_DAY_ZERO).days),
        major("structure.wrong_type", "RANDDT"),
    )
    adsl.convert("harmless: numbers as text", "TRTDURD", lambda days: str(int(cast("float", days))))
    adsl.convert("harmless: dates as ISO 8601 text", "EOSDT", lambda day: f"{cast('dt.datetime', day):%Y-%m-%d}")
    for column in ("DTHDTF", "TRTSDTF", "TRTEDTF"):
        adsl.add(column)  # empty so far, which the spec allows


def _plant_identifiers(adsl: Planter) -> None:
    near, missing = major("structure.near_duplicate_key", "USUBJID"), major("structure.missing_values", "USUBJID")
    null_in_key = major("structure.null_in_key", "USUBJID")
    adsl.twins("two subjects under one identifier", "USUBJID", (str, str), major("structure.duplicate_key", "USUBJID"))
    small = major("structure.mixed_case", "USUBJID")
    adsl.twins(
        "identifiers differ in case", "USUBJID", (lambda i: f"s-{i}", lambda i: f"S-{i}"), near, first_only=[small]
    )
    blank_at_end = major("structure.padded_text", "USUBJID")  # an identifier: not the minor that padding is elsewhere
    adsl.twins("identifier with a blank", "USUBJID", (lambda i: f"{i} ", str), near, first_only=[blank_at_end])
    adsl.change("identifier missing", {"USUBJID": None}, missing, null_in_key)
    adsl.change("identifier blank", {"USUBJID": "   "}, missing, null_in_key)
    adsl.change("required value missing", {"SUBJID": None}, major("structure.missing_values", "SUBJID"))
    adsl.change("required value blank", {"SUBJID": "  "}, major("structure.missing_values", "SUBJID"))
    adsl.change("required value empty", {"STUDYID": ""}, major("structure.missing_values", "STUDYID"))
    adsl.change("required value missing", {"SEX": None}, major("structure.missing_values", "SEX"))
    flag = major("structure.missing_values", "SAFFL")
    adsl.change("flag missing, treated", {"SAFFL": None}, flag, SAFETY, where=treated)
    adsl.change("flag missing, not treated", {"SAFFL": None}, flag, where=screened)


def _plant_text(adsl: Planter) -> None:
    adsl.change("nothing but blanks", {"EOSSTT": "  "}, minor("structure.blank_text", "EOSSTT"))
    adsl.change("blank after", {"TRT01A": "Placebo "}, minor("structure.padded_text", "TRT01A"))
    adsl.change("non-breaking blank before", {"ACTARM": "\u00a0Placebo"}, minor("structure.padded_text", "ACTARM"))
    adsl.change("tab before", {"SUBJID": lambda row: f"\t{row['SUBJID']}"}, minor("structure.padded_text", "SUBJID"))
    for column, value, where in (("SAFFL", "N ", screened), ("TRTSTMF", "H ", treated)):
        not_listed = major("ranges.not_in_codelist", column)
        adsl.change(
            "listed value with a blank",
            {column: value},
            minor("structure.padded_text", column),
            not_listed,
            where=where,
        )
    for country in ("US", "usa"):
        adsl.change("not three capitals", {"COUNTRY": country}, minor("structure.pattern_mismatch", "COUNTRY"))
    arm = {"ARMCD": "Xanomeline_High_Dose_81mg"}
    adsl.change("25 characters where 20 are allowed", arm, minor("structure.length_outside_limits", "ARMCD"))


def _plant_dates(adsl: Planter) -> None:
    for column, value in (
        ("RFSTDTC", "20220311"),
        ("RFENDTC", "2014-02-30"),
        ("RFPENDTC", "2014-07-02 11:45"),
        ("DMDTC", "11MAR2014"),
        ("BRTHDTC", "1950-13"),
        ("RFXSTDTC", "2014-3-5"),
        ("RFXENDTC", "2014-06-31T10:00"),
    ):
        adsl.change("not an ISO 8601 date", {column: value}, major("structure.not_iso8601", column))
    for column, value in (
        ("BRTHDTC", "1950"),
        ("DMDTC", "2013-12"),
        ("RFENDTC", "2013---15"),
        ("RFSTDTC", "2012-02-29"),
        ("RFPENDTC", "2014-07-02T11:45:30"),
    ):
        adsl.change("harmless: a legal or partial date", {column: value})
    for day in ("2014-02-30", "30JUN2014"):
        adsl.change("text that is no date", {"EOSDT": day}, major("structure.wrong_type", "EOSDT"))
    half_past_eight = {"TRTSDT": lambda row: cast("dt.datetime", row["TRTSDT"]) + dt.timedelta(hours=8, minutes=30)}
    adsl.change("a date with a time", half_past_eight, major("structure.wrong_type", "TRTSDT"), where=treated)
    adsl.change("text in a number", {"TRTDURD": "26 days"}, major("structure.wrong_type", "TRTDURD"))
    adsl.change("below the limit, as text", {"TRTDURD": "0"}, minor("ranges.outside_limits", "TRTDURD"))


def _plant_ages(adsl: Planter) -> None:
    limits, above_zero = minor("ranges.outside_limits", "AGE"), major("ranges.rule.age-above-zero", "AGE")
    adsl.change("below zero", {"AGE": -1.0}, limits, above_zero)
    adsl.change("zero", {"AGE": 0.0}, above_zero)
    adsl.change("above 120", {"AGE": 121.0}, limits)
    adsl.change("a digit too many", {"AGE": 630.0}, limits)
    for age in (17.0, 90.0, 120.0):
        adsl.change("not 18 to 89", {"AGE": age}, ADULT)
    for age in (18.0, 89.0):
        adsl.change("harmless: on the limit", {"AGE": age})
    adsl.change("unit without an age", {"AGE": None}, UNIT)
    adsl.change("unit with NaN for an age", {"AGE": float("nan")}, UNIT)
    adsl.change("age without a unit", {"AGEU": None}, UNIT)
    adsl.change("harmless: neither age nor unit", {"AGE": None, "AGEU": None})


def _plant_codes(adsl: Planter) -> None:
    lower = {"SEX": lambda row: str(row["SEX"]).lower()}
    adsl.change("lower case", lower, major("ranges.not_in_codelist", "SEX"))
    for column, value in (
        ("SEX", "X"),
        ("AGEU", "years"),
        ("RACE", "CAUCASIAN"),
        ("ETHNIC", "Not Hispanic or Latino"),
        ("TRTETMF", "X"),
        ("TRTSDTF", "X"),
    ):
        adsl.change("not in the codelist", {column: value}, major("ranges.not_in_codelist", column), where=treated)
    for column, value in (("EOSSTT", "LOST TO FOLLOW-UP"), ("DTHFL", "N")):
        adsl.change("not in the codelist", {column: value}, minor("ranges.not_in_codelist", column), where=treated)
    adsl.change("not Y or N", {"SAFFL": "Yes"}, major("ranges.not_in_codelist", "SAFFL"), SAFETY, where=treated)


def _plant_contradictions(adsl: Planter) -> None:
    order = major("ranges.rule.treatment-start-before-end", "TRTSDT", "TRTEDT")
    swapped = {"TRTSDT": lambda row: row["TRTEDT"], "TRTEDT": lambda row: row["TRTSDT"]}
    adsl.change("start after end", swapped, order, where=treated)
    adsl.change("harmless: start is end", {"TRTEDT": lambda row: row["TRTSDT"]}, where=treated)
    adsl.change("safety without treatment", {"SAFFL": "Y"}, SAFETY, where=screened)
    adsl.change("treatment without safety", {"SAFFL": "N"}, SAFETY, where=treated)
    adsl.change("start of treatment missing", {"TRTSDT": None}, SAFETY, where=treated)
    adsl.change("death without a date", {"DTHFL": "Y"}, DEATH, where=treated)
    adsl.change("date of death without the flag", {"DTHFL": None}, DEATH, where=died)
    adsl.change("date of death, flag missing", {"DTHDT": lambda row: row["TRTEDT"]}, DEATH, where=treated)
    for rule, flag, code, date, where in (
        ("imputed-dthdt", "DTHDTF", "D", "DTHDT", treated),
        ("imputed-trtsdt", "TRTSDTF", "D", "TRTSDT", screened),
        ("imputed-trtedt", "TRTEDTF", "M", "TRTEDT", screened),
        ("imputed-trtsdtm", "TRTSTMF", "H", "TRTSDTM", treated),
        ("imputed-trtedtm", "TRTETMF", "H", "TRTEDTM", treated),
    ):
        adsl.change(
            "imputed, but no date", {flag: code, date: None}, major(f"ranges.rule.{rule}", flag, date), where=where
        )
    adsl.change("harmless: imputed", {"DTHDTF": "D"}, where=died)
    adsl.change("harmless: imputed", {"TRTSDTF": "D", "TRTEDTF": "M"}, where=treated)
