"""Who may work on a review now: a lease in its row, kept alive by a heartbeat, free again when its holder dies."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from review_graph.adapters.store import reviews
from review_graph.adapters.store.engines import Database
from review_graph.adapters.store.processes import is_gone, new_holder
from review_graph.adapters.store.schema import REVIEWS
from review_graph.errors import LeaseLost, SetupError
from review_graph.ports import Clock

LEASE_S = 60.0
"""How long a lease holds without a heartbeat; a holder beats at a third of it.

Machines that share a database must agree on the time to within a part of this.
"""

WAIT_S = 30.0
"""How long to wait for another one that works on the same review; an ending takes milliseconds."""

_FIRST_PAUSE_S = 0.02
_LONGEST_PAUSE_S = 0.5


class Leases:
    """Claims on the reviews of a database.

    Args:
        database: Where the reviews are.
        clock: Gives the present time.
        lease_s: How long a lease holds without a heartbeat.
        wait_s: How long a claim waits for another holder.
    """

    def __init__(self, database: Database, clock: Clock, *, lease_s: float = LEASE_S, wait_s: float = WAIT_S) -> None:
        self._database = database
        self._clock = clock
        self._lease_s = lease_s
        self._wait_s = wait_s

    @contextmanager
    def claim(self, review_id: str, holder: str | None = None) -> Iterator[SqlLease | None]:
        """Hold a review while working on it; give None when another one held it for too long.

        Args:
            review_id: The review.
            holder: What to call the holder; this process when not given. Others on this machine then see when it
                died, and need not wait until its lease has run out.

        Raises:
            ReviewNotFound: No review has that id.
        """
        mine = new_holder(holder)
        if not self._taken(review_id, mine):
            yield None
            return
        lease = SqlLease(self, review_id, mine)
        stop = threading.Event()
        heart = threading.Thread(target=self._beat, args=(lease, stop), name=f"lease of {review_id}", daemon=True)
        heart.start()
        try:
            yield lease
        finally:
            stop.set()
            heart.join()
            with suppress(SetupError):  # it runs out by itself, and what was done is done
                self._release(lease)

    def renewed(self, review_id: str, holder: str) -> bool:
        """Prolong a lease; False when it is another one's by now."""
        with self._database.touching() as connection:
            values = {"lease_until_ms": self._until_ms()}
            return connection.execute(REVIEWS.update().where(_held(review_id, holder)).values(**values)).rowcount == 1

    def _taken(self, review_id: str, mine: str) -> bool:
        if self._take(review_id, mine, None):  # as a rule nobody is in the way
            return True
        deadline_s = time.monotonic() + self._wait_s
        pause_s = _FIRST_PAUSE_S
        while True:
            holder = self._in_the_way(review_id)
            if (holder is None or is_gone(holder)) and self._take(review_id, mine, holder):
                return True
            if time.monotonic() >= deadline_s:
                return False
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    def _in_the_way(self, review_id: str) -> str | None:
        """The holder of a lease that has not run out."""
        with self._database.reading() as connection:
            reviews.known(connection, review_id)
            held = select(REVIEWS.c.holder, REVIEWS.c.lease_until_ms).where(
                REVIEWS.c.id == review_id, REVIEWS.c.lease_until_ms > self._now_ms()
            )
            row = connection.execute(held).first()
        if row is None:
            return None
        self._cap(review_id, *row)
        return str(row.holder)

    def _cap(self, review_id: str, holder: str, until_ms: int) -> None:
        """Let a lease that holds for longer than any can, by a clock that was ahead, run out in time."""
        latest_ms = self._until_ms()
        if until_ms <= latest_ms:
            return
        with self._database.touching() as connection:
            same = and_(_held(review_id, holder), REVIEWS.c.lease_until_ms == until_ms)
            connection.execute(REVIEWS.update().where(same).values(lease_until_ms=latest_ms))

    def _take(self, review_id: str, mine: str, dead: str | None) -> bool:
        """Become the holder in place of none or of a dead one; False when another one was quicker."""
        free = or_(REVIEWS.c.holder.is_(None), REVIEWS.c.lease_until_ms <= self._now_ms())
        if dead is not None:
            free = REVIEWS.c.holder == dead
        values = {"holder": mine, "lease_until_ms": self._until_ms()}
        with self._database.touching() as connection:
            change = REVIEWS.update().where(REVIEWS.c.id == review_id, free).values(**values)
            return connection.execute(change).rowcount == 1

    def _release(self, lease: SqlLease) -> None:
        with self._database.touching() as connection:
            free = {"holder": None, "lease_until_ms": None}
            connection.execute(REVIEWS.update().where(_held(lease.review_id, lease.holder)).values(**free))

    def _beat(self, lease: SqlLease, stop: threading.Event) -> None:
        while not stop.wait(self._lease_s / 3):
            with suppress(SetupError):  # the next beat may get through; whoever writes learns what is wrong
                if not self.renewed(lease.review_id, lease.holder):
                    return

    def _now_ms(self) -> int:
        return round(self._clock().astimezone(dt.UTC).timestamp() * 1000)

    def _until_ms(self) -> int:
        return self._now_ms() + round(self._lease_s * 1000)


class SqlLease:
    """A held lease; implements `ports.Lease`."""

    def __init__(self, leases: Leases, review_id: str, holder: str) -> None:
        self._leases = leases
        self.review_id = review_id
        self.holder = holder

    def demand(self) -> None:
        """Demand that it still holds, and prolong it.

        Raises:
            LeaseLost: Another one took the review over.
        """
        if not self._leases.renewed(self.review_id, self.holder):
            raise _lost(self.review_id)


def demand_in(connection: Connection, review_id: str, holder: str) -> None:
    """Demand inside a transaction that a lease holds, and keep others from taking it before the end.

    Raises:
        LeaseLost: Another one took the review over.
    """
    held = select(REVIEWS.c.id).where(_held(review_id, holder)).with_for_update()
    if connection.execute(held).first() is None:
        raise _lost(review_id)


def _lost(review_id: str) -> LeaseLost:
    return LeaseLost(
        f"review {review_id} was taken over by another process, because this one did not answer for too long: "
        "nothing more was written; look at the review again"
    )


def _held(review_id: str, holder: str) -> ColumnElement[bool]:
    return and_(REVIEWS.c.id == review_id, REVIEWS.c.holder == holder)
