"""How the datasets of CDISC's standards are recognised: by their names and their columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

REFERRED_TO = frozenset({"adsl", "dm"})
"""The datasets to which the built-in specs refer, so that nobody has to read them all to know."""

_TYPICAL = 2


@dataclass(frozen=True, kw_only=True)
class Standard:
    """How a table of a standard is recognised.

    Attributes:
        spec: Name of its built-in spec.
        name: Last word of such a table's name; `*` stands for any characters.
        typical: Columns of which a table with that name has at least two.
        proof: Columns that together show the standard whatever the table's name.
        foreign: Columns (`?` and `*` stand for any characters) that such a table never has.
        human: Columns of which such a table of a trial with people has one; empty where there is no such sign.
    """

    spec: str
    name: str
    typical: frozenset[str]
    proof: frozenset[str]
    foreign: frozenset[str]
    human: frozenset[str] = frozenset()

    def fits(self, words: Sequence[str], columns: Collection[str]) -> bool:
        """Whether a table is of this standard, by the words of its name and its columns."""
        named = bool(words) and fnmatchcase(words[-1], self.name)
        is_shown = self.proof.issubset(columns) or (named and len(self.typical.intersection(columns)) >= _TYPICAL)
        if not is_shown or (self.human and self.human.isdisjoint(columns)):
            return False
        return not any(fnmatchcase(column, pattern) for column in columns for pattern in self.foreign)


def _columns(names: str) -> frozenset[str]:
    return frozenset(names.split())


ANALYSIS = _columns("PARAMCD AVAL AVALC ASEQ ADT ASTDT TRTP TRTA TRT01P TRT01A TRTEMFL")
"""What only an analysis dataset has; it may carry any variable of the SDTM domain it was made of."""

_OTHER_CLASSES = _columns("QNAM RDOMAIN IDVAR")
"""Supplemental qualifiers and related records are no domain of their own."""

_RECORDS = _columns("PARAMCD AVAL ADT ASTDT QNAM ?SEQ ??SEQ SRCSEQ")
_ANIMALS = _columns("SETCD SPECIES STRAIN SBSTRAIN POOLID FOCID ??USCHFL ??EXCLFL ??NOMDY ??NOMLBL")
"""What only the datasets of SEND have: they hold animals, ages in weeks among other things."""


def _domain(code: str, typical: str, proof: str, human: str = "") -> Standard:
    """An SDTM domain of a trial with people; names in `typical` and `proof` are without the domain's two letters."""
    prefixed = [frozenset(f"{code.upper()}{name}" for name in names.split()) for names in (typical, proof)]
    return Standard(
        spec=code,
        name=code,
        typical=prefixed[0],
        proof=prefixed[1] | {"USUBJID", f"{code.upper()}SEQ"},
        foreign=ANALYSIS | _OTHER_CLASSES | _ANIMALS,
        human=_columns(human),
    )


STANDARDS = (
    Standard(
        spec="adsl",
        name="adsl",
        typical=_columns("USUBJID SUBJID SITEID AGE AGEU SEX RACE ETHNIC ARM TRT01P TRT01A TRTSDT TRTEDT SAFFL ITTFL"),
        proof=_columns("USUBJID AGE SEX TRT01P TRTSDT"),
        foreign=_RECORDS,
    ),
    Standard(
        spec="adlb",
        name="adlb*",  # sponsors split it: ADLBC for chemistry, ADLBH for hematology
        typical=_columns("USUBJID PARAMCD PARAM AVAL BASE CHG ABLFL ANRIND ANRLO ANRHI ADT AVISIT LBSEQ LBTESTCD"),
        proof=_columns("USUBJID PARAMCD PARAM AVAL ANRLO ANRHI LBSEQ"),
        foreign=_columns("QNAM CNSR VSTESTCD EGTESTCD"),
    ),
    Standard(
        spec="advs",
        name="advs",
        typical=_columns("USUBJID PARAMCD PARAM AVAL BASE CHG ABLFL ADT AVISIT ATPT VSSEQ VSTESTCD"),
        proof=_columns("USUBJID PARAMCD PARAM AVAL VSSEQ"),
        foreign=_columns("QNAM CNSR LBTESTCD EGTESTCD"),
    ),
    Standard(
        spec="adae",
        name="adae",
        typical=_columns("USUBJID AESEQ AETERM AEDECOD ASTDT AENDT TRTEMFL AESER AREL"),
        proof=_columns("USUBJID AESEQ AEDECOD ASTDT TRTEMFL"),
        foreign=_columns("QNAM PARAMCD"),
    ),
    Standard(
        spec="dm",
        name="dm",
        typical=_columns(
            "USUBJID SUBJID RFSTDTC RFENDTC DTHFL SITEID AGE AGEU SEX RACE ETHNIC ARMCD ARM ACTARM COUNTRY"
        ),
        proof=_columns("DOMAIN USUBJID SUBJID SITEID RFSTDTC RFENDTC SEX ARMCD ARM COUNTRY"),
        foreign=_RECORDS | _ANIMALS,
    ),
    _domain("ae", "SEQ TERM DECOD BODSYS SEV SER OUT REL STDTC ENDTC", "TERM DECOD"),
    _domain("cm", "SEQ TRT DECOD CLAS DOSE STDTC ENDTC INDC", "TRT STDTC"),
    _domain("ds", "SEQ TERM DECOD CAT STDTC", "TERM DECOD CAT"),
    _domain("ex", "SEQ TRT DOSE DOSU DOSFRM DOSFRQ ROUTE STDTC ENDTC", "TRT DOSE STDTC ENDTC"),
    _domain(
        "lb", "SEQ TESTCD TEST ORRES STRESC STRESN STRESU DTC", "TESTCD TEST ORRES", "VISITNUM VISIT EPOCH LBNRIND"
    ),
    _domain("mh", "SEQ TERM DECOD BODSYS CAT STDTC", "TERM"),
    _domain(
        "vs", "SEQ TESTCD TEST ORRES STRESC STRESN STRESU DTC", "TESTCD TEST ORRES", "VISITNUM VISIT EPOCH VSLOBXFL"
    ),
)
