"""Who may work on a review now: a lease in its row, kept alive by a heartbeat, free again when its holder dies."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from sqlalchemy import Connection, bindparam, or_, select

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


# Statements that are executed for each review are made once: making one takes longer than executing it.
_OF_REVIEW = REVIEWS.c.id == bindparam("held_id")
_BY_HOLDER = REVIEWS.c.holder == bindparam("held_by")
_HELD = select(REVIEWS.c.id).where(_OF_REVIEW, _BY_HOLDER).with_for_update()
_IN_THE_WAY = select(REVIEWS.c.holder, REVIEWS.c.lease_until_ms).where(
    _OF_REVIEW, REVIEWS.c.lease_until_ms > bindparam("now_ms")
)
_TAKE = REVIEWS.update().values(holder=bindparam("mine"), lease_until_ms=bindparam("until_ms")).where(_OF_REVIEW)
_TAKE_FREE = _TAKE.where(or_(REVIEWS.c.holder.is_(None), REVIEWS.c.lease_until_ms <= bindparam("now_ms")))
_TAKE_FROM = _TAKE.where(_BY_HOLDER)
_PROLONG = REVIEWS.update().values(lease_until_ms=bindparam("until_ms")).where(_OF_REVIEW, _BY_HOLDER)
_CAP = _PROLONG.where(REVIEWS.c.lease_until_ms == bindparam("seen_ms"))
_RELEASE = REVIEWS.update().values(holder=None, lease_until_ms=None).where(_OF_REVIEW, _BY_HOLDER)


_WORKING_UNDER: ContextVar[SqlLease | None] = ContextVar("lease that this thread of control works under", default=None)
"""Who writes checkpoints asks for it: a thread is written to by whoever holds its review."""


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
        before = _WORKING_UNDER.set(lease)
        stop = threading.Event()
        heart = threading.Thread(target=self._beat, args=(lease, stop), name=f"lease of {review_id}", daemon=True)
        heart.start()
        try:
            yield lease
        finally:
            _WORKING_UNDER.reset(before)
            stop.set()
            heart.join()
            with suppress(SetupError):  # it runs out by itself, and what was done is done
                self._release(lease)

    def renewed(self, review_id: str, holder: str) -> bool:
        """Prolong a lease; False when it is another one's by now."""
        with self._database.touching() as connection:
            prolonged = {"held_id": review_id, "held_by": holder, "until_ms": self._until_ms()}
            return connection.execute(_PROLONG, prolonged).rowcount == 1

    def clocks(self) -> tuple[float, float]:
        """Seconds by the clock of leases, and by one that nobody sets, though it may stand still in a sleep."""
        return self._now_ms() / 1000, time.monotonic()

    def safe_until(self) -> tuple[float, ...]:
        """Until when, by either clock, nobody else can have a lease that is prolonged now."""
        return tuple(now + self._lease_s / 2 for now in self.clocks())

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
            row = connection.execute(_IN_THE_WAY, {"held_id": review_id, "now_ms": self._now_ms()}).first()
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
            same = {"held_id": review_id, "held_by": holder, "seen_ms": until_ms}
            connection.execute(_CAP, {**same, "until_ms": latest_ms})

    def _take(self, review_id: str, mine: str, dead: str | None) -> bool:
        """Become the holder in place of none or of a dead one; False when another one was quicker."""
        taken = {"mine": mine, "until_ms": self._until_ms(), "held_id": review_id}
        with self._database.touching() as connection:
            if dead is None:
                return connection.execute(_TAKE_FREE, {**taken, "now_ms": self._now_ms()}).rowcount == 1
            return connection.execute(_TAKE_FROM, {**taken, "held_by": dead}).rowcount == 1

    def _release(self, lease: SqlLease) -> None:
        with self._database.touching() as connection:
            connection.execute(_RELEASE, {"held_id": lease.review_id, "held_by": lease.holder})

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
        self._safe_until = leases.safe_until()

    def demand(self) -> None:
        """Demand that it still holds, and prolong it.

        Raises:
            LeaseLost: Another one took the review over.
        """
        safe_until = self._leases.safe_until()
        if not self._leases.renewed(self.review_id, self.holder):
            raise _lost(self.review_id)
        self._safe_until = safe_until

    def demand_unless_safe(self) -> None:
        """Demand that it still holds where so much time went by that another one may have taken it.

        Raises:
            LeaseLost: Another one took the review over.
        """
        if any(now >= until for now, until in zip(self._leases.clocks(), self._safe_until, strict=True)):
            self.demand()


def demand_in(connection: Connection, review_id: str, holder: str) -> None:
    """Demand inside a transaction that a lease holds, and keep others from taking it before the end.

    Raises:
        LeaseLost: Another one took the review over.
    """
    if connection.execute(_HELD, {"held_id": review_id, "held_by": holder}).first() is None:
        raise _lost(review_id)


def _lost(review_id: str) -> LeaseLost:
    return LeaseLost(
        f"review {review_id} was taken over by another process, because this one did not answer for too long: "
        "nothing more was written; look at the review again"
    )


def demand_held(thread_id: str) -> None:
    """Demand that the lease under which a review's thread is about to be written to still holds, if there is one.

    Raises:
        LeaseLost: Another one took the review over.
    """
    lease = _WORKING_UNDER.get()
    if lease is not None and lease.review_id == thread_id:
        lease.demand_unless_safe()
