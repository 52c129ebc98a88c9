"""Named points at which a test can make the process fail."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Armed:
    point: str
    hit: int
    act: Callable[[], None]
    seen: int = field(default=0)


_armed: list[_Armed] = []


def arm(point: str, hit: int, act: Callable[[], None]) -> None:
    """Call `act` when the point is passed for the `hit`-th time."""
    _armed.append(_Armed(point, hit, act))


def fault(point: str) -> None:
    """Pass a named point: nothing happens unless a test armed it."""
    for armed in _armed:
        if armed.point == point:
            armed.seen += 1
            if armed.seen == armed.hit:
                armed.act()


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def kill_process() -> None:
    kill(os.getpid())
