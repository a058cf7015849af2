"""Ledger and memory of one process: for tests, and for an investigation of which nothing shall be kept."""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections import defaultdict

from checks.vocabulary import canonical
from review_graph.ports import Clock, Ledger
from review_graph.vocabulary import Disclosed, Turn


class MemoryLedgers:
    """Implements `ports.Ledgers`. What it holds is the text that a database would hold."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: dict[str, list[str]] = defaultdict(list)
        self._units: dict[tuple[str, str], bytes] = {}

    def disclosed(self, dataset: str) -> Ledger:
        """Everything that was disclosed of a dataset, oldest first."""
        with self._lock:
            records = tuple(self._records[dataset])
        entries = tuple(Disclosed.from_plain(json.loads(record)) for record in records)
        return Ledger(seen=len(entries), entries=entries)

    def disclose(self, dataset: str, seen: int, entry: Disclosed) -> bool:
        """Enter one more, unless others came since `seen`."""
        with self._lock:
            if len(self._records[dataset]) != seen:
                return False
            self._records[dataset].append(canonical(entry.to_plain()))
            return True

    def units(self, dataset: str, fingerprint: str) -> bytes | None:
        """The identities of the units of a version of a dataset."""
        with self._lock:
            return self._units.get((dataset, fingerprint))

    def keep_units(self, dataset: str, fingerprint: str, units: bytes) -> None:
        """Keep them; what is there stays."""
        with self._lock:
            self._units.setdefault((dataset, fingerprint), units)


class MemoryOfProcess:
    """Implements `ports.Memory`. What it holds is the text that a database would hold.

    Args:
        clock: Gives the present time.
        ttl: How long a conversation is remembered after its last turn.
    """

    def __init__(self, clock: Clock, ttl: dt.timedelta) -> None:
        self._clock = clock
        self._ttl = ttl
        self._lock = threading.Lock()
        self._records: dict[str, list[str]] = {}

    def turns(self, session: str) -> tuple[Turn, ...]:
        """The turns of a conversation that is not too old, oldest first."""
        with self._lock:
            turns = _read(self._records.get(session, []))
        return turns if self._lives(turns) else ()

    def add(self, session: str, turn: Turn) -> None:
        """Add a turn; conversations that are too old are deleted, that of the session itself among them."""
        with self._lock:
            self._records = {key: kept for key, kept in self._records.items() if self._lives(_read(kept))}
            self._records.setdefault(session, []).append(canonical(turn.to_plain()))

    def forget(self, session: str) -> None:
        """Forget a conversation."""
        with self._lock:
            self._records.pop(session, None)

    def _lives(self, turns: tuple[Turn, ...]) -> bool:
        oldest = self._clock() - self._ttl
        return any(dt.datetime.fromisoformat(turn.at) > oldest for turn in turns)


def _read(records: list[str]) -> tuple[Turn, ...]:
    return tuple(Turn.from_plain(json.loads(record)) for record in records)
