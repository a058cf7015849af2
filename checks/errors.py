"""What can go wrong in the checks library, and whose it is to mend.

::

    ChecksError
    ├── SpecError      the spec's author: the spec does not say what it should
    └── TableError     the caller: what was handed in is not a table that can be checked

`CannotJudge` is no error: a check raises it to say *inconclusive, because …*.
"""

from __future__ import annotations


class ChecksError(Exception):
    """Any error of this library that a caller may want to catch."""


class SpecError(ChecksError):
    """The spec is wrong. The message names where, what was found and what was expected."""


class TableError(ChecksError):
    """What was handed in is not a table that can be checked."""


class CannotJudge(Exception):  # noqa: N818 - an outcome, not an error
    """A check cannot tell whether the data is right; the text says what is missing."""
