"""Runs many batches of a stage at once and settles each when it ends, so that a slow lane holds up no other."""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from scoop.stages import stage as stage_loop
from scoop.stages.stage import Stage, Worker
from scoop.store import work


@dataclass(slots=True, kw_only=True)
class ParallelRun:
    """The running batches of a stage with their lanes; `last_turn` is when each lane got its last batch.

    `suspect` is a batch of work during which a worker died: one runs at a time, so that what kills its worker is found.
    """

    stage: Stage[Any, Any]
    worker: Worker
    running: dict[asyncio.Task[int], str] = field(default_factory=dict)
    last_turn: dict[str, int] = field(default_factory=dict)
    turn: int = 0
    suspect: asyncio.Task[int] | None = None

    async def start_due(self) -> None:
        """Start batches of the lanes that have due work, as far as the limits of the stage allow."""
        if len(self.running) >= self.stage.parallel:
            return
        async with self.worker.turn:
            lanes = await work.lanes(self.worker.conn, self.stage.name)
            crashed = await work.crashed_lanes(self.worker.conn, self.stage.name)
        if crashed and self.suspect not in self.running:
            self.suspect = self._start(crashed[0])
        self._start_in_turn([lane for lane in lanes if lane not in crashed])

    def _start_in_turn(self, due: list[str]) -> None:
        chosen = choose_lanes(
            due,
            running=Counter(self.running.values()),
            last_turn=self.last_turn,
            limit=self.stage.parallel,
            limit_per_lane=self.stage.parallel_per_lane,
        )
        self.turn += 1
        self.last_turn = {lane: self.last_turn.get(lane, 0) for lane in due} | dict.fromkeys(chosen, self.turn)
        for lane in chosen:
            self._start(lane)

    def _start(self, lane: str) -> asyncio.Task[int]:
        task = asyncio.create_task(stage_loop.run_lane(self.stage, self.worker, lane=lane))
        self.running[task] = lane
        return task

    async def settle_ended(self, *, within: timedelta) -> int:
        """Wait until a batch ends; give the number of settled subjects, or raise what a batch raised."""
        ended, _ = await asyncio.wait(self.running, timeout=within.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            del self.running[task]
        return sum(await asyncio.gather(*ended))

    async def cancel(self) -> None:
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)


def choose_lanes(
    due: Collection[str],
    *,
    running: Mapping[str, int],
    last_turn: Mapping[str, int],
    limit: int,
    limit_per_lane: int,
) -> list[str]:
    """The lanes that get a batch now, one of them twice if it may have two; those that waited longest come first."""
    places = [
        (nth, last_turn.get(lane, 0), lane) for lane in due for nth in range(running.get(lane, 0), limit_per_lane)
    ]
    return [lane for _, _, lane in sorted(places)[: limit - sum(running.values())]]
