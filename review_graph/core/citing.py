"""What an answer names: findings, parameters and datasets. It may name only what a tool returned."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from review_graph.core.look_alikes import LOOK_ALIKES
from review_graph.vocabulary import Citation

FINDING_ID = r"[A-Za-z_]{1,40}(?:\.[A-Za-z0-9_-]{1,100}){1,3}-[0-9A-Fa-f]{8}"
"""How the id of a finding is made: the code of its check, that of a rule among them, and eight digits of a digest."""

_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_BRACKETED = re.compile(r"\[\s*(finding|parameter|dataset)\s*:\s*([^\]\n]{1,200}?)\s*\]", re.IGNORECASE)
FAMILIES = ("ranges", "structure")
"""With what the code of a check begins."""

_CODE = re.compile(
    rf"(?<![\w.-])(?i:{'|'.join(FAMILIES)})\.(?:[a-z][a-z0-9_]*|[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:\.\w[\w-]*)?(?!\w|-\w)"
)
_FINDING_ID = re.compile(rf"(?<!\w){FINDING_ID}(?!\w)")
_INTRODUCED = re.compile(
    rf"\b(?i:(parameter|dataset))s?\s+(?:[{_QUOTES}]([^{_QUOTES}\n]{{1,200}})[{_QUOTES}]|([A-Z][A-Z0-9_]+)(?!\w))"
)

SHORT_NAME = 2
"""A name of so many letters says too little by itself: `an AE`, `DM` for diabetes."""


def named_in(text: str, known: Iterable[Citation]) -> frozenset[Citation]:
    """Return what a text names, each under the name by which it is known.

    Named is what stands in brackets (`[finding:…]`, `[parameter:…]`, `[dataset:…]`), what has the form of a finding's
    id, the code of a check (which names all its findings), and what follows `parameter` or `dataset` in capitals or
    quotes, whether it exists or not. A known name counts where it stands by itself too: as it is written, or in
    capitals. In other letters (`weight` for `WEIGHT`) it is a word, unless `parameter` or `dataset` stands beside it;
    so is one of two letters. Look-alike letters of other alphabets are taken for what they look like.
    """
    plain, there = _plain(text), frozenset(known)
    return _by_name(plain, there).union(*(_of_check(code, there) for code in _codes(plain)))


def uncited(text: str, returned: Iterable[Citation], known: Iterable[Citation]) -> tuple[Citation, ...]:
    """Return what a text names and no tool returned, by kind and name; `known` is all that there is to be named.

    The code of a check may be named when one finding of it was returned.
    """
    plain, told = _plain(text), frozenset(returned)
    there = told.union(known)
    codes = _codes(plain) - {_code_of(item) for item in told}
    return sorted_citations((_by_name(plain, there) - told).union(*(_of_check(code, there) for code in codes)))


def cited(text: str, returned: Iterable[Citation]) -> tuple[Citation, ...]:
    """Return what a text names and a tool returned, by kind and name."""
    told = frozenset(returned)
    return sorted_citations(named_in(text, told) & told)


def sorted_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Return citations by kind and name."""
    return tuple(sorted(citations, key=lambda item: (item.kind, item.name)))


def _by_name(plain: str, known: Iterable[Citation]) -> frozenset[Citation]:
    names = {(item.kind, _plain(item.name).casefold()): item for item in known}
    found, folded = set(_explicit(plain)), plain.casefold()
    found |= {key for key, item in names.items() if key[1] in folded and _stands_in(item, plain)}
    return frozenset(names.get((kind, name.casefold()), Citation(kind=kind, name=name)) for kind, name in found)


def _codes(plain: str) -> set[str]:
    """The codes of checks that stand by themselves, without the digits of a finding."""
    found = {match[0] for match in _CODE.finditer(plain)}
    return {code.casefold() for code in found if not _FINDING_ID.fullmatch(code)}


def _of_check(code: str, known: Iterable[Citation]) -> frozenset[Citation]:
    """The findings of a check; where there are none, one that does not exist."""
    there = frozenset(item for item in known if _code_of(item) == code)
    return there or frozenset({Citation(kind="finding", name=code)})


def _code_of(item: Citation) -> str:
    return item.name.rpartition("-")[0].casefold() if item.kind == "finding" else ""


def _plain(text: str) -> str:
    seen = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    return seen.translate(LOOK_ALIKES)


def _explicit(plain: str) -> Iterator[tuple[str, str]]:
    for match in _BRACKETED.finditer(plain):
        if match[1].lower() != "finding" or not _codes(match[2]):
            yield match[1].lower(), match[2]
    for match in _FINDING_ID.finditer(plain):
        yield "finding", match[0].lower()
    for match in _INTRODUCED.finditer(plain):
        yield match[1].lower(), (match[2] or match[3]).strip()


def _stands_in(item: Citation, plain: str) -> bool:
    if item.kind == "finding":
        return False  # their ids are found by their form
    name = _plain(item.name)
    token = rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)"
    beside = rf"\b{item.kind}s?\s+[{_QUOTES}]?{token}|{token}[{_QUOTES}]?\s+{item.kind}\b"
    if re.search(beside, plain, re.IGNORECASE):
        return True
    if len(name) <= SHORT_NAME:
        return False
    if not name.replace(" ", "").isalpha():
        return re.search(token, plain, re.IGNORECASE) is not None
    as_written = [name.upper()] + ([] if name.islower() else [name])
    return any(re.search(token.replace(re.escape(name), re.escape(form)), plain) for form in as_written)
