"""A Define-XML read as specs: what is taken, what is said not to be, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from checks import SpecError, read_spec, review_table
from checks.drafts import package, read_define, safe_xml, to_yaml

ITEMS = """
<ItemGroupDef OID="IG.DM" Name="DM" Purpose="Tabulation" def:ArchiveLocationID="LF.DM">
  <Description><TranslatedText xml:lang="de">Demografie</TranslatedText>
    <TranslatedText xml:lang="en">Demo
      graphics</TranslatedText></Description>
  <ItemRef ItemOID="IT.SEX" Mandatory="No" OrderNumber="3"/>
  <ItemRef ItemOID="IT.USUBJID" Mandatory="Yes" OrderNumber="2" KeySequence="2"/>
  <ItemRef ItemOID="IT.STUDYID" Mandatory="Yes" OrderNumber="1" KeySequence="1"/>
  <ItemRef ItemOID="IT.AGE" Mandatory="No" OrderNumber="10"/>
  <ItemRef ItemOID="IT.BRTHDTC" Mandatory="No" OrderNumber="11"/>
  <ItemRef ItemOID="IT.TRTSDT" Mandatory="No" OrderNumber="12"/>
  <ItemRef ItemOID="IT.RACEN" Mandatory="No" OrderNumber="13"/>
  <ItemRef ItemOID="IT.TERM" Mandatory="Yes" OrderNumber="14" def:HasNoData="Yes"/>
  <def:leaf ID="LF.DM" xlink:href="dm.xpt"><def:title>dm.xpt</def:title></def:leaf>
</ItemGroupDef>
<ItemGroupDef OID="IG.VS" Name="VS">
  <ItemRef ItemOID="IT.USUBJID" Mandatory="Yes" KeySequence="1"/>
  <ItemRef ItemOID="IT.AGE" Mandatory="No" KeySequence="2"/>
</ItemGroupDef>
<ItemDef OID="IT.STUDYID" Name="STUDYID" DataType="text" Length="8"/>
<ItemDef OID="IT.USUBJID" Name="USUBJID" DataType="text" Length="20">
  <Description><TranslatedText xml:lang="en">Unique Subject</TranslatedText></Description></ItemDef>
<ItemDef OID="IT.SEX" Name="SEX" DataType="text" Length="1"><CodeListRef CodeListOID="CL.SEX"/></ItemDef>
<ItemDef OID="IT.AGE" Name="AGE" DataType="float" Length="8" SignificantDigits="1">
  <def:ValueListRef ValueListOID="VL"/></ItemDef>
<ItemDef OID="IT.BRTHDTC" Name="BRTHDTC" DataType="partialDate"/>
<ItemDef OID="IT.TRTSDT" Name="TRTSDT" DataType="integer" Length="8" def:DisplayFormat="DATE9."/>
<ItemDef OID="IT.RACEN" Name="RACEN" DataType="integer" Length="8"><CodeListRef CodeListOID="CL.N"/></ItemDef>
<ItemDef OID="IT.TERM" Name="TERM" DataType="text"><CodeListRef CodeListOID="CL.DICT"/></ItemDef>
<CodeList OID="CL.SEX" Name="Sex" DataType="text">
  <CodeListItem CodedValue="F"><Decode><TranslatedText>Female</TranslatedText></Decode></CodeListItem>
  <EnumeratedItem CodedValue="M"/>
  <EnumeratedItem CodedValue="NO" def:ExtendedValue="Yes"/><EnumeratedItem CodedValue="M"/>
</CodeList>
<CodeList OID="CL.N" Name="Race" DataType="integer">
  <EnumeratedItem CodedValue="1"/><EnumeratedItem CodedValue="2"/></CodeList>
<CodeList OID="CL.DICT" Name="AE dictionary" DataType="text">
  <ExternalCodeList Dictionary="MedDRA" Version="26.0"/></CodeList>
"""


def define(tmp_path: Path, body: str = ITEMS, *, space: str = "2.1", version: str | None = None, top: str = "") -> Path:
    path = tmp_path / "define.xml"
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n{top}<ODM xmlns="http://www.cdisc.org/ns/odm/v1.3" '
        f'xmlns:def="http://www.cdisc.org/ns/def/v{space}" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<Study OID="S"><MetaDataVersion OID="M" Name="M" def:DefineVersion="{version or space}.0">'
        f"{body}</MetaDataVersion></Study></ODM>",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("space", ["2.0", "2.1"])
def test_dataset_is_read(tmp_path: Path, space: str) -> None:
    dm, vs = read_define(define(tmp_path, space=space))
    plain = dm.spec.to_plain()
    assert {key: value for key, value in plain.items() if key != "fields"} == {
        "name": "DM",
        "title": "Demo graphics",
        "profile": "xpt-v5",
        "primaryKey": ["STUDYID", "USUBJID"],
    }
    assert plain["fields"] == [
        {"name": "STUDYID", "type": "string", "core": "required", "constraints": {"maxLength": 8}},
        {
            "name": "USUBJID",
            "type": "string",
            "label": "Unique Subject",
            "core": "required",
            "constraints": {"maxLength": 20},
        },
        {
            "name": "SEX",
            "type": "string",
            "core": "expected",
            "constraints": {"maxLength": 1, "enum": ["F", "M", "NO"]},
        },
        {"name": "AGE", "type": "number", "core": "expected"},
        {"name": "BRTHDTC", "type": "string", "format": "iso8601-partial", "core": "expected"},
        {"name": "TRTSDT", "type": "date", "core": "expected"},
        {"name": "RACEN", "type": "integer", "core": "expected", "constraints": {"enum": [1, 2]}},
        {"name": "TERM", "type": "string", "core": "expected"},
    ]
    assert vs.spec.primary_key == ()
    assert vs.spec.unique_keys == (("USUBJID", "AGE"),)
    assert vs.spec.profile is None


@pytest.mark.parametrize(
    "said",
    [
        "SignificantDigits 1",
        "value-level metadata, which is not read",
        "MedDRA 26.0, which is not read",
        "where clauses",
    ],
)
def test_what_is_not_read_is_said(tmp_path: Path, said: str) -> None:
    assert said in read_define(define(tmp_path))[0].to_yaml()


def test_data_is_held_against_it(tmp_path: Path) -> None:
    (draft,) = read_define(define(tmp_path), dataset="dm")
    right: dict[str, list[Any]] = {
        "STUDYID": ["S", "S"],
        "USUBJID": ["1", "2"],
        "SEX": ["F", "M"],
        "AGE": [30.0, None],
        "BRTHDTC": ["1990", "1991-02"],
        "TRTSDT": [None, None],
        "RACEN": [1.0, 2.0],
        "TERM": ["", ""],
    }
    frame = pl.DataFrame(right, schema_overrides={"TRTSDT": pl.Date})
    assert review_table(frame, draft.spec).findings == ()
    wrong = frame.with_columns(SEX=pl.lit("X"), STUDYID=pl.lit("MUCH TOO LONG"), USUBJID=pl.lit("1"))
    assert {finding.code for finding in review_table(wrong, draft.spec).findings} == {
        "ranges.not_in_codelist",
        "structure.duplicate_key",
        "structure.length_outside_limits",
    }


def test_all_datasets_make_a_package(tmp_path: Path) -> None:
    drafts = read_define(define(tmp_path))
    plain, notes = package(drafts, "define", drafts[0].header)
    path = tmp_path / "all.yaml"
    path.write_text(to_yaml(plain, notes=notes, header=drafts[0].header), encoding="utf-8")
    for draft in drafts:
        assert read_spec(path, resource=draft.spec.name).spec.fields == draft.spec.fields
    assert plain["resources"][0]["path"] == "dm.xpt"


REF = '<ItemGroupDef OID="I" Name="{}">{}</ItemGroupDef>'
ITEM = '<ItemDef OID="IT.A" Name="A" DataType="{}" {}>{}</ItemDef>'


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            REF.format("DM", '<ItemRef ItemOID="IT.B"/>') + ITEM.format("text", "", ""),
            "no ItemDef 'IT.B'; did you mean 'IT.A'",
        ),
        (
            REF.format("DM", '<ItemRef ItemOID="IT.A"/>') + ITEM.format("text", "", '<CodeListRef CodeListOID="CL"/>'),
            "no CodeList 'CL'",
        ),
        (
            REF.format("DM", '<ItemRef ItemOID="IT.A"/>') + ITEM.format("text", 'Length="many"', ""),
            "Length: found 'many'",
        ),
        (REF.format("DM", '<ItemRef ItemOID="IT.A"/>' * 2) + ITEM.format("text", "", ""), "already at fields[0]"),
        (REF.format("../x", ""), "found the name '../x'"),
        (REF.format("DM", "") * 2, "described twice"),
        ("", "no dataset, there are: none"),
    ],
    ids=["item", "codelist", "number", "repeated-variable", "path-as-name", "repeated-dataset", "empty"],
)
def test_wrong_define_is_named_by_line(tmp_path: Path, body: str, said: str) -> None:
    path = define(tmp_path, body)
    with pytest.raises(SpecError) as caught:
        read_define(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_unknown_dataset_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no dataset 'DMM', there are: DM, VS; did you mean 'DM'"):
        read_define(define(tmp_path), dataset="DMM")


LAUGHS = '<!DOCTYPE ODM [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
EXTERNAL = '<!DOCTYPE ODM [<!ENTITY x SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    "top",
    [LAUGHS, EXTERNAL, '<!DOCTYPE ODM SYSTEM "http://example.org/a.dtd">', "<!DOCTYPE ODM>"],
    ids=["billion-laughs", "external-entity", "external-dtd", "bare"],
)
def test_document_type_is_refused(tmp_path: Path, top: str) -> None:
    with pytest.raises(SpecError, match=r"define\.xml:2: found a document type"):
        read_define(define(tmp_path, top=top))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not XML"),
        (b"a,b\n1,2\n", ":1: not XML"),
        (b"<ODM><a></ODM>", ":1: not XML: mismatched tag"),
        (b"<ODM>&x;</ODM>", "not XML: undefined entity"),
        (b"<html/>", "found the root 'html'"),
        (b'<?xml version="1.0" encoding="nonsense"?><ODM/>', "not XML"),
        (b'<?xml version="1.0" encoding="shift_jis"?><ODM/>', "not XML"),
        ("<ODM/>".encode("utf-16"), "found the root 'ODM'"),
    ],
    ids=["empty", "csv", "torn", "entity", "other-xml", "encoding", "wide-encoding", "utf-16"],
)
def test_what_is_no_define_gets_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "define.xml"
    path.write_bytes(content)
    with pytest.raises(SpecError) as caught:
        read_define(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_define_of_version_1_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"expected Define-XML 2\.0 or 2\.1"):
        read_define(define(tmp_path, version="1.0"))


@pytest.mark.parametrize("path", ["missing.xml", "."])
def test_no_file_gets_one_line(tmp_path: Path, path: str) -> None:
    with pytest.raises(SpecError):
        read_define(tmp_path / path)


@pytest.mark.parametrize(("limit", "value"), [("MAX_BYTES", 100), ("MAX_ELEMENTS", 10), ("MAX_DEPTH", 3)])
def test_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    monkeypatch.setattr(safe_xml, limit, value)
    with pytest.raises(SpecError, match=r"larger than|more than"):
        read_define(define(tmp_path))
