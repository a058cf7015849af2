"""Which file of a run is the dataset another one refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from review_graph.adapters.sources.companions import companions

WANTED = {"dm", "adsl"}

CASES = {
    "by-its-name": (["a/ae.xpt", "a/dm.xpt"], {"a/ae.xpt": {"dm": "a/dm.xpt"}}),
    "by-its-last-word": (["a/sdtm_ae.xpt", "a/SDTM_DM.xpt"], {"a/sdtm_ae.xpt": {"dm": "a/SDTM_DM.xpt"}}),
    "not-in-another-folder": (["a/ae.xpt", "b/dm.xpt"], {}),
    "each-folder-has-its-own": (
        ["a/ae.xpt", "a/dm.xpt", "b/ae.xpt", "b/dm.xpt"],
        {"a/ae.xpt": {"dm": "a/dm.xpt"}, "b/ae.xpt": {"dm": "b/dm.xpt"}},
    ),
    "the-same-format-first": (
        ["a/ae.json", "a/dm.json", "a/dm.xpt", "a/vs.xpt"],
        {"a/ae.json": {"dm": "a/dm.json"}, "a/vs.xpt": {"dm": "a/dm.xpt"}, "a/dm.json": {"dm": "a/dm.xpt"},
         "a/dm.xpt": {"dm": "a/dm.json"}},
    ),
    "then-just-that-name": (["a/ae.xpt", "a/old_dm.xpt", "a/dm.xpt"], {
        "a/ae.xpt": {"dm": "a/dm.xpt"}, "a/old_dm.xpt": {"dm": "a/dm.xpt"}, "a/dm.xpt": {"dm": "a/old_dm.xpt"},
    }),
    "nobody-wants-it": (["a/ae.xpt", "a/sites.csv"], {}),
    "several-names": (["a/adae.xpt", "a/adsl.xpt", "a/dm.xpt"], {
        "a/adae.xpt": {"adsl": "a/adsl.xpt", "dm": "a/dm.xpt"},
        "a/adsl.xpt": {"dm": "a/dm.xpt"},
        "a/dm.xpt": {"adsl": "a/adsl.xpt"},
    }),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_companions_stand_in_the_same_folder(files: list[str], expected: dict[str, dict[str, str]]) -> None:
    found = companions([Path(file) for file in files], WANTED)
    assert {str(path): {name: str(of) for name, of in others.items()} for path, others in found.of.items()} == expected
    assert found.unclear == ()


def test_where_several_may_be_meant_none_is_and_that_is_said_once() -> None:
    found = companions([Path("a/ae.xpt"), Path("a/vs.xpt"), Path("a/one_dm.xpt"), Path("a/two_dm.xpt")], WANTED)
    assert Path("a/ae.xpt") not in found.of
    assert found.unclear == ("dm may be any of one_dm.xpt, two_dm.xpt: --with dm=PATH says which",)
