"""SAS datasets (SAS7BDAT), as SAS keeps them on disk.

As in transport files, text stays text, numbers are 64-bit floats with null where missing, and variables with
a date, datetime or time format become that. The special missing values `.A` to `.Z` and `._` say why a number
is missing: to the checks they are missing, and a note counts them.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

from review_graph.adapters.sources.refusal import one_line, refusal
from review_graph.adapters.sources.sas_columns import CP1252, typed
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from pathlib import Path

    from review_graph.errors import InputError

_WRONG_ENCODING = "Unable to convert string"
"""Start of what ReadStat says when text is not in the encoding that the file declares."""


def read(path: Path) -> Decoded:
    """Read a SAS dataset.

    Raises:
        InputError: It is truncated or damaged, has no variables, or its text is neither in the encoding it
            declares nor in Windows-1252.
    """
    import polars as pl

    values, metadata, notes = _decode(path)
    names = list(metadata.column_names)
    if not names:
        raise refusal(path, "has no variables", "expected a table with at least one")
    if not all(names):
        raise _damaged(path, "a variable has no name")
    if special := _take_special_missings(values, metadata):
        notes += (f"Special missing values, taken as missing: {special}.",)
    table = typed(values, metadata, names)
    return Decoded(
        frame=pl.DataFrame(table.columns).lazy(),
        labels=table.labels,
        notes=notes + table.notes,
        name=metadata.table_name or "",
    )


def _decode(path: Path) -> tuple[dict[str, list[Any]], Any, tuple[str, ...]]:
    """Return the values by column, the metadata and notes; first in the encoding that the file declares."""
    import pyreadstat

    try:
        try:
            return *_read_sas7bdat(path, None), ()
        except UnicodeDecodeError:  # the file says UTF-8, which nobody converts
            pass
        except pyreadstat.ReadstatError as error:
            if not str(error).startswith(_WRONG_ENCODING):
                raise
        values, metadata = _read_sas7bdat(path, CP1252)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        raise _damaged(path, one_line(error)) from error
    except UnicodeDecodeError as error:
        raise _damaged(path, "a name, a label or a text cannot be decoded") from error
    except TypeError as error:  # the library takes None for the text of a variable that cannot be found
        raise _damaged(path, "a variable has no name or no format") from error
    note = "The text in the file is not in the encoding that it declares; it was read as Windows-1252 (cp1252)."
    return values, metadata, (note,)


def _read_sas7bdat(path: Path, encoding: str | None) -> tuple[dict[str, list[Any]], Any]:
    import pyreadstat

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="column .* is duplicated", category=UserWarning)
        values, metadata = pyreadstat.read_sas7bdat(
            path, output_format="dict", disable_datetime_conversion=True, user_missing=True, encoding=encoding
        )
    return values, metadata


def _take_special_missings(values: dict[str, list[Any]], metadata: Any) -> str:  # noqa: ANN401 - pyreadstat has no types
    """Put None in the place of the letters, and say how many there were, by column and letter."""
    said: list[str] = []
    for name in metadata.column_names:
        if name not in metadata.missing_user_values or metadata.readstat_variable_types[name] == "string":
            continue
        letters = Counter(value for value in values[name] if isinstance(value, str))
        values[name] = [None if isinstance(value, str) else value for value in values[name]]
        if letters:
            said.append(f"{name} " + ", ".join(f".{letter} ({count})" for letter, count in sorted(letters.items())))
    return "; ".join(said)


def _damaged(path: Path, reason: str) -> InputError:
    return refusal(path, f"is a truncated or damaged SAS dataset ({reason})", "ask its sender for a sound file")
