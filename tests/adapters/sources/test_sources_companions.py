"""Which file of a run is the dataset another one refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from review_graph.adapters.sources.companions import companions

WANTED = {"dm", "adsl"}

CASES: dict[str, tuple[list[str], dict[str, dict[str, str]]]] = {
    "by-its-name": (["a/ae.xpt", "a/dm.xpt"], {"a/ae.xpt": {"dm": "a/dm.xpt"}}),
    "by-its-last-word": (["a/sdtm_ae.xpt", "a/SDTM_DM.xpt"], {"a/sdtm_ae.xpt": {"dm": "a/SDTM_DM.xpt"}}),
    "not-in-another-folder": (["a/ae.xpt", "b/dm.xpt"], {}),
    "each-folder-has-its-own": (
        ["a/ae.xpt", "a/dm.xpt", "b/ae.xpt", "b/dm.xpt"],
        {"a/ae.xpt": {"dm": "a/dm.xpt"}, "b/ae.xpt": {"dm": "b/dm.xpt"}},
    ),
    "the-same-format-first": (
        ["a/ae.json", "a/dm.json", "a/dm.xpt", "a/vs.xpt"],
        {"a/ae.json": {"dm": "a/dm.json"}, "a/vs.xpt": {"dm": "a/dm.xpt"}},
    ),
    "then-just-that-name": (["a/ae.xpt", "a/old_dm.xpt", "a/dm.xpt"], {"a/ae.xpt": {"dm": "a/dm.xpt"}}),
    "nobody-wants-it": (["a/ae.xpt", "a/sites.csv"], {}),
    "several-names": (
        ["a/adae.xpt", "a/adsl.xpt", "a/dm.xpt"],
        {
            "a/adae.xpt": {"adsl": "a/adsl.xpt", "dm": "a/dm.xpt"},
            "a/adsl.xpt": {"dm": "a/dm.xpt"},
            "a/dm.xpt": {"adsl": "a/adsl.xpt"},
        },
    ),
    "at-an-address": (
        ["https://h/a/ae.xpt?token=1", "https://h/a/dm.xpt?token=2", "https://h/b/vs.xpt", "a/vs.xpt"],
        {"https://h/a/ae.xpt?token=1": {"dm": "https://h/a/dm.xpt?token=2"}},
    ),
}


def places(texts: list[str]) -> list[Path | str]:
    return [text if "://" in text else Path(text) for text in texts]


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_companions_stand_in_the_same_folder(files: list[str], expected: dict[str, dict[str, str]]) -> None:
    found = companions(places(files), WANTED)
    assert {str(path): {name: str(of) for name, of in others.items()} for path, others in found.of.items()} == expected
    assert found.unclear == ()


def test_where_any_may_be_referred_to_all_are_at_hand() -> None:
    found = companions(places(["dose.csv", "people.csv"]), None)
    assert found.of == {
        Path("dose.csv"): {"people": Path("people.csv")},
        Path("people.csv"): {"dose": Path("dose.csv")},
    }


def test_where_several_may_be_meant_none_is_and_that_is_said() -> None:
    found = companions(places(["a/ae.xpt", "a/one_dm.xpt", "a/two_dm.xpt"]), WANTED)
    assert found.of == {}
    assert found.unclear == ("ae.xpt: dm may be any of one_dm.xpt, two_dm.xpt: --with dm=PATH says which",)
