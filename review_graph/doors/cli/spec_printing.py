"""What `review-graph spec` prints and writes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path

from checks import SpecError, codes, read_spec
from checks.builtin import builtin, builtin_names
from checks.drafts import Draft, package, to_json, to_yaml
from checks.drafts.validate import Validated
from checks.plain import count_of, visible
from checks.specfile.problems import did_you_mean
from checks.vocabulary import JSON
from review_graph.adapters.own_files import write_whole
from review_graph.doors.cli.exits import complain
from review_graph.errors import SetupError


def print_builtins(*, as_json: bool) -> None:
    """Print the names of the built-in specs, each with its title."""
    titles = {name: builtin(name).title or "" for name in builtin_names()}
    if as_json:
        sys.stdout.write(to_json([{"name": name, "title": title} for name, title in titles.items()]))
        return
    width = max(map(len, titles))
    sys.stdout.writelines(f"{name:{width}}  {title}".rstrip() + "\n" for name, title in titles.items())


def print_spec(source: str, dataset: str | None, *, as_json: bool) -> None:
    """Print a built-in spec with its comments, or a file's spec as it is understood.

    Raises:
        SpecError: There is neither a built-in spec of that name nor such a file, or the file's spec is wrong.
    """
    path = Path(source)
    if source.casefold() in builtin_names() and not path.is_file():
        written = files("checks").joinpath("specs", f"{source.casefold()}.yaml").read_text(encoding="utf-8")
        sys.stdout.write(to_json(builtin(source).to_plain()) if as_json else written)
        return
    if path.name == source and not path.suffix and not path.exists():
        names = builtin_names()
        there = f"there are: {', '.join(names)}{did_you_mean(source, names)}"
        raise SpecError(f"{visible(source)}: no such file, and no built-in spec of that name; {there}")
    loaded = read_spec(path, resource=dataset, known_codes=codes())
    for line in loaded.ignored:
        complain(line)
    plain = loaded.spec.to_plain()
    sys.stdout.write(to_json(plain) if as_json else to_yaml(plain))


def print_validated(found: Sequence[Validated], *, as_json: bool) -> None:
    """Print what is to be said of each spec: what is wrong first, then what was passed over, then one line on it."""
    if as_json:
        sys.stdout.write(to_json([_plain(item) for item in found]))
        return
    for item in found:
        lines = [*item.problems, *item.ignored, f"{_named(item)}: {_outcome(item)}"]
        sys.stdout.writelines(f"{visible(line)}\n" for line in lines)


def text_of_drafts(drafts: Sequence[Draft], name: str, *, as_json: bool) -> str:
    """Return the text of one draft as a spec, of several as a Data Package of that name."""
    if len(drafts) == 1:
        return to_json(drafts[0].spec.to_plain()) if as_json else drafts[0].to_yaml()
    header = drafts[0].header
    plain, notes = package(drafts, name, header)
    return to_json(plain) if as_json else to_yaml(plain, notes=notes, header=header)


def write_text(texts: Mapping[Path, str], *, force: bool) -> None:
    """Write files, all of them or, when one of them is there already, none; say which on stderr.

    Raises:
        SetupError: A file is there already and `force` is not given, or it cannot be written.
    """
    there = [path for path in texts if path.exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise SetupError(f"{there[0]}{more} exists already; --force writes over it, another --output leaves it alone")
    for path, text in texts.items():
        try:
            write_whole(path, partial(Path.write_text, data=text, encoding="utf-8"))
        except OSError as error:
            raise SetupError(f"{path} cannot be written: {error.strerror or error}") from error
        complain(f"wrote {path}")


def _plain(item: Validated) -> dict[str, JSON]:
    return {
        "path": str(item.path),
        "resource": item.resource,
        "valid": not item.problems,
        "problems": list(item.problems),
        "ignored": list(item.ignored),
        "note": item.note,
    }


def _named(item: Validated) -> str:
    return f"{item.path} ({item.resource})" if item.resource else str(item.path)


def _outcome(item: Validated) -> str:
    if item.problems:
        return count_of(len(item.problems), "problem")
    if item.note is not None or item.spec is None:
        return item.note or "nothing to look at"
    passed_over = f", {count_of(len(item.ignored), 'property')} ignored" if item.ignored else ""
    return f"valid, {count_of(len(item.spec.fields), 'field')}{passed_over}".replace("propertys", "properties")
