"""XML from a stranger as a tree of elements that know their line; nothing outside the text is ever looked at.

A document type is refused, and with it every entity, internal or external: "billion laughs" and XXE need one,
Define-XML has none. Size, depth and number of elements are bounded.

Source: https://docs.python.org/3/library/pyexpat.html; OWASP XML External Entity Prevention Cheat Sheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from checks.errors import SpecError

MAX_BYTES = 100_000_000
"""Size of a file; the define.xml of a large study has some ten million bytes."""

MAX_ELEMENTS = 2_000_000
MAX_DEPTH = 100


@dataclass(kw_only=True)
class Element:
    """One element.

    Attributes:
        name: `namespace name`, or the name alone where there is no namespace.
        attributes: Values by `namespace name` or name.
        line: Line it starts on, 1-based.
        text: The text directly inside it.
    """

    name: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> Iterator[Element]:
        """Yield the children of a name."""
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> Element | None:
        """Return the first child of a name."""
        return next(self.all(name), None)


def parse_xml(path: Path) -> Element:
    """Return the root element of an XML file.

    Raises:
        SpecError: It cannot be read, is not XML, has a document type, or is larger than anybody needs.
    """
    shown = str(path)
    try:
        if path.is_dir():
            raise SpecError(f"{shown}: is a folder, expected an XML file")
        if path.stat().st_size > MAX_BYTES:
            raise SpecError(f"{shown}: larger than {MAX_BYTES // 1_000_000} MB, expected a define.xml")
        data = path.read_bytes()
    except FileNotFoundError:
        raise SpecError(f"{shown}: no such file") from None
    except (OSError, ValueError) as error:
        raise SpecError(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    builder = _Builder(shown)
    try:
        builder.parser.Parse(data, True)  # noqa: FBT003 - expat's own signature
    except expat.ExpatError as error:
        raise SpecError(f"{shown}:{error.lineno}: not XML: {expat.ErrorString(error.code)}") from None
    except (LookupError, ValueError) as error:  # an encoding nobody knows, or of several bytes a letter
        raise SpecError(f"{shown}: not XML: {error}") from None
    if builder.root is None:
        raise SpecError(f"{shown}: not XML: no element found")
    return builder.root


class _Builder:
    """Collects elements while expat reads."""

    def __init__(self, shown: str) -> None:
        self.root: Element | None = None
        self._shown = shown
        self._open: list[Element] = []
        self._count = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = lambda _: self._open.pop()
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) >= MAX_DEPTH:
            raise SpecError(
                f"{self._shown}:{self.parser.CurrentLineNumber}: more than {MAX_ELEMENTS:,} elements, or nested "
                f"deeper than {MAX_DEPTH} levels; expected a define.xml"
            )
        element = Element(name=name, attributes=attributes, line=self.parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _text(self, text: str) -> None:
        self._open[-1].text += text

    def _refuse(self, *_: object) -> int:
        raise SpecError(
            f"{self._shown}:{self.parser.CurrentLineNumber}: found a document type (DOCTYPE), which Define-XML "
            "does not have and which can name other files; remove it"
        )
