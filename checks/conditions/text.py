"""The text of a condition, read by sqlglot as one condition and nothing else.

Importing sqlglot takes a while, so this module is imported only where there is a condition to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from checks.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_CHARACTERS: Final = 10_000
MAX_NESTING: Final = 16
"""Open parentheses and prefix operators; sqlglot uses about 17 of Python's 1,000 frames for each."""
MAX_DEPTH: Final = 60
"""Levels of the tree; a chain of AND or of OR is one level, one of + is as many as it has terms."""

_SHOWN_CHARACTERS: Final = 60
_ALLOWED: Final = (
    "columns (a word of SQL or an odd name in double quotes), literals, TODAY(), = <> < <= > >=, AND OR NOT, "
    "IS NULL, IN, BETWEEN, LIKE, + - * /, "
    "ABS ROUND UPPER LOWER LENGTH TRIM COALESCE STUDYDAY"
)

_REFUSED: Final[Mapping[type[exp.Expr], str]] = {
    exp.Query: "a subquery",
    exp.Exists: "a subquery",
    exp.Window: "a window function",
    exp.Case: "CASE (write one rule per case, with when and then)",
    exp.Cast: "a cast (the spec says which type a column has)",
    exp.Placeholder: "a parameter",
    exp.Parameter: "a parameter",
    exp.Escape: "ESCAPE",
    exp.CurrentDate: "CURRENT_DATE (write TODAY())",
    exp.Star: "'*'",
}


class ConditionText:
    """A text, what sqlglot makes of it, and the errors that point into it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def refusal(self, found: str, at: int | None = None, *, allowed: str = _ALLOWED) -> SpecError:
        """Make the error that says what was found, where (counted from 0), and what is allowed; one line."""
        short = len(self._text) <= _SHOWN_CHARACTERS
        shown = self._text if short else self._text[: _SHOWN_CHARACTERS - 1] + "…"
        where = "" if at is None else f" at character {at + 1}"
        return SpecError(" ".join(f"condition {shown!r}: found {found}{where}; allowed: {allowed}".splitlines()))

    def tree(self) -> exp.Expr:
        """Return sqlglot's tree, of bounded depth.

        Raises:
            SpecError: The text is not exactly one condition, or too long or too deep.
        """
        tokens = self._tokens()
        try:
            trees = Parser(error_level=ErrorLevel.IMMEDIATE).parse_into(exp.Condition, tokens, self._text)
        except ParseError as error:
            raise self._syntax_error(error, tokens) from None
        if len(trees) != 1 or trees[0] is None:
            raise self.refusal("no condition")
        if _depth(trees[0]) > MAX_DEPTH:
            raise self.refusal("a condition nested too deep", allowed=f"at most {MAX_DEPTH} levels")
        return trees[0]

    def place(self, tree: exp.Expr) -> int | None:
        """Return where a part begins, if sqlglot has noted it."""
        starts = [part.meta["start"] for part in tree.walk() if "start" in part.meta]
        return min(starts, default=None)

    def name(self, function: exp.Expr) -> str:
        """Return the name of a function as it is written; sqlglot's own name may be that of a synonym."""
        meta = function.meta
        return self._text[meta["start"] : meta["end"] + 1] if "end" in meta else function.key.upper()

    def unknown(self, tree: exp.Expr) -> SpecError:
        """Make the error for a part that rules do not have."""
        at = self.place(tree)
        for kind, found in _REFUSED.items():
            if isinstance(tree, kind) or isinstance(tree.args.get("query"), kind):
                return self.refusal(found, at)
        if isinstance(tree, exp.Func):
            return self.refusal(f"the function {self.name(tree)}", at)
        return self.refusal(f"{type(tree).__name__.upper()} in a form that rules do not have", at)

    def _tokens(self) -> list[Token]:
        if len(self._text) > MAX_CHARACTERS:
            raise self.refusal(f"{len(self._text):,} characters", allowed=f"at most {MAX_CHARACTERS:,}")
        try:
            tokens = Tokenizer().tokenize(self._text)
        except SqlglotError:
            raise self.refusal("a quotation mark or comment that is not closed") from None
        if not tokens:
            raise self.refusal("no condition")
        nesting = prefixes = 0
        for token in tokens:
            if token.comments:
                raise self.refusal("a comment")
            if token.token_type == TokenType.SEMICOLON:
                raise self.refusal("';'", token.start, allowed="one condition, without ';'")
            nesting += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
            prefixes = prefixes + 1 if token.token_type in (TokenType.NOT, TokenType.DASH) else 0
            if nesting + prefixes > MAX_NESTING:
                raise self.refusal("too much nesting", token.start, allowed=f"at most {MAX_NESTING} levels")
        return tokens

    def _syntax_error(self, error: ParseError, tokens: Sequence[Token]) -> SpecError:
        """Find the token at which sqlglot stopped: it names the line and the column where a token ends."""
        fault = error.errors[0] if error.errors else {}
        place = (fault.get("line"), fault.get("col"))
        token = next((token for token in tokens if (token.line, token.col) == place), None)
        if token is None:
            return self.refusal("something that is not a condition")
        written = repr(self._text[token.start : token.end + 1])
        incomplete = token is tokens[-1] and not fault["description"].startswith("Invalid expression")
        return self.refusal(f"the end after {written}" if incomplete else written, token.start)


def chain(tree: exp.Expr) -> list[exp.Expr]:
    """Return the parts joined by one kind of AND or OR, from left to right."""
    parts, first = [], tree
    while type(first) is type(tree):
        parts.append(first.expression)
        first = first.this
    return [first, *reversed(parts)]


def _depth(tree: exp.Expr) -> int:
    """Count the levels without recursion."""
    deepest, waiting = 0, [(tree, 1)]
    while waiting:
        part, depth = waiting.pop()
        deepest = max(deepest, depth)
        inner = chain(part) if isinstance(part, exp.And | exp.Or) else part.iter_expressions()
        waiting.extend((below, depth + 1) for below in inner)
    return deepest
