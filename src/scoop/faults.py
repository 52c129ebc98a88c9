"""Named points where a test can make the process fail, to prove that nothing is lost there."""

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
    """Act when the point is passed for the `hit`-th time."""
    _armed.append(_Armed(point, hit, act))


def fault(point: str) -> None:
    """Does nothing, unless a test armed this point."""
    for armed in _armed:
        if armed.point == point:
            armed.seen += 1
            if armed.seen == armed.hit:
                armed.act()


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def kill_process() -> None:
    kill(os.getpid())
