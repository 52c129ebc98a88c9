"""Checks that every post is delivered exactly once under random faults of Discord and crashes of workers.

python bench/posting.py                      1,000 random schedules
python bench/posting.py --schedules 10000    the promised number; takes minutes
python bench/posting.py --seed 7             repeat the schedules of a violation
"""

import argparse
import asyncio
import logging
import random
import sys
import time
from collections import Counter
from pathlib import Path

import structlog

from common import figure, fresh_database
from scoop.store import db
from scoop.store.db import Database, ExternalServer

sys.path.append(str(Path(__file__).parents[1]))
from tests import posting

BATCH = 1_000
LOOPS = 40


async def run(schedules: int, seed: int) -> bool:
    """Run random schedules and print the figures; True if no post was lost, duplicated or wrong."""
    counts: Counter[str] = Counter()
    violations: list[str] = []
    began = time.perf_counter()
    async with fresh_database() as (_, small):
        database = await db.connect(ExternalServer(small.server.attach()), size=LOOPS + 4)
        try:
            for first in range(0, schedules, BATCH):
                violations += await run_some(database, first, min(BATCH, schedules - first), seed, counts)
        finally:
            await database.close()
    seconds = time.perf_counter() - began
    for name, value in sorted(counts.items()):
        figure(f"posting.{name}", value, "posts" if name.startswith("posts") else "times")
    figure("posting.schedules", schedules, "schedules", seed=seed)
    figure("posting.seconds", seconds, "s", a_minute=round(schedules / seconds * 60))
    for violation in violations:
        print(f"{violation}; to repeat: python bench/posting.py --schedules {schedules} --seed {seed}", file=sys.stderr)
    return not violations


async def run_some(database: Database, first: int, count: int, seed: int, counts: Counter[str]) -> tuple[str, ...]:
    """Run schedules that share a Discord and its conditions; return the violations."""
    conditions = posting.CONDITIONS[first // BATCH % len(posting.CONDITIONS)]
    chance = random.Random(f"{seed} {first}")
    async with posting.open_desk(database, conditions) as desk:
        deliveries = await desk.put([posting.schedule(chance) for _ in range(count)])
        await desk.run(lines=LOOPS)
        verdict = await posting.verdict(desk, deliveries)
    counts.update({f"posts {state}": count for state, count in verdict.states.items()})
    counts.update({"posts": sum(verdict.states.values())})
    counts.update({f"worker {trouble}": count for trouble, count in desk.met.items()})
    counts.update({f"message {mode.name}": count for mode, count in desk.modes_met(deliveries).items()})
    counts.update({"quarantined and released": desk.released})
    counts.update({"posts lost": len(verdict.lost), "posts double": len(verdict.double)})
    counts.update({"posts wrong": len(verdict.wrong)})
    return verdict.violations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    logging.getLogger("uvicorn.error").disabled = True  # it logs every response that the fake Discord withholds
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    sys.exit(0 if asyncio.run(run(options.schedules, options.seed)) else 1)


if __name__ == "__main__":
    main()
