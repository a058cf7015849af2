"""A conversation at a real terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.doors.test_cli_ask import call, served  # noqa: F401 - a fixture
from tests.model_server import Local, says
from tests.model_server import model_server as model_server  # noqa: PLC0414 - a fixture

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.slow]

PATIENCE_S = 60


class Terminal:
    """A command that believes it has a terminal."""

    def __init__(self, *arguments: str) -> None:
        self.read = ""
        self._child, self._end = pty.fork()
        if self._child == 0:
            os.execv(sys.executable, [sys.executable, "-m", "review_graph", *arguments])  # noqa: S606 - our own

    def until(self, text: str) -> str:
        """Read until something is there, and return all up to it since the last time."""
        until = time.monotonic() + PATIENCE_S
        while text not in self.read:
            assert time.monotonic() < until, self.read
            if select.select([self._end], [], [], 0.1)[0]:
                self.read += os.read(self._end, 65_536).decode()
        before, self.read = self.read.split(text, 1)
        seen = before + text
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def ended(self) -> int:
        _, status = os.waitpid(self._child, 0)
        os.close(self._end)
        return os.waitstatus_to_exitcode(status)


@pytest.mark.parametrize(("typed", "writes"), [("y\n", True), ("\n", False), ("no\n", False)])
def test_a_call_with_an_effect_is_asked_about(
    paused: dict[str, Any],
    served: Local,  # noqa: F811 - the fixture
    typed: str,
    *,
    writes: bool,
) -> None:
    served.will(
        says("", [call("calculate", expression="8 / 2")]),
        says("", [call("export_summary", name="x.csv")]),
        says("So be it."),
    )
    terminal = Terminal("ask", paused["id"])
    terminal.until("? ")
    terminal.type("Write 8 by 2 out.\n")
    terminal.until('allow export_summary(name="x.csv")? [y/N] ')
    assert not list(Path().rglob("x.csv"))
    terminal.type(typed)
    assert "So be it." in terminal.until("run ")
    terminal.until("? ")
    terminal.type("\x04")
    assert terminal.ended() == 0
    assert bool(list(Path().rglob("x.csv"))) is writes


def test_what_fails_its_check_does_not_stay_on_the_screen(
    paused: dict[str, Any],
    served: Local,  # noqa: F811 - the fixture
) -> None:
    served.will(says("There are 4711."), says("There are 4712."))
    terminal = Terminal("ask", paused["id"])
    terminal.until("? ")
    terminal.type("How many?\n")
    shown = terminal.until("run ")
    assert "No answer is shown" in shown
    assert "4712" not in shown[shown.index("No answer is shown") :]
    terminal.type("/quit\n")
    assert terminal.ended() == 0


@pytest.mark.parametrize("asks_for", [None, "approval"])
def test_ctrl_c_ends_it_at_once(
    paused: dict[str, Any],
    served: Local,  # noqa: F811 - the fixture
    asks_for: str | None,
) -> None:
    served.will(says("", [call("calculate", expression="8 / 2")]), says("", [call("export_summary", name="x.csv")]))
    terminal = Terminal("ask", paused["id"])
    terminal.until("? ")
    if asks_for:
        terminal.type("Write 8 by 2 out.\n")
        terminal.until("[y/N] ")
    terminal.type("\x03")
    terminal.until("interrupted; ask again")
    assert terminal.ended() == 130


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-"])
def test_closed_streams_are_no_bug(
    paused: dict[str, Any],
    served: Local,  # noqa: F811 - the fixture
    closed: str,
) -> None:
    served.will(says("I cannot tell."))
    for question in ("'How many?'", ""):
        command = f"{shlex.quote(sys.executable)} -m review_graph ask {paused['id']} {question} {closed}"
        ran = subprocess.run(command, shell=True, check=False, stderr=subprocess.PIPE, text=True)  # noqa: S602
        assert (ran.returncode, ran.stderr) == (0, "")
