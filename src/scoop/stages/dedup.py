"""Documents fold into stories, one collection at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop.core import dedup
from scoop.core.dedup import Group, Match, Reading
from scoop.stages.stage import Outcome, Stage
from scoop.store import stories
from scoop.store.db import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that the judge needs: the documents, who shares an identity with them, how old those stories are."""

    readings: Sequence[Reading]
    matches: Sequence[Match]
    first_seen_at: Mapping[int, datetime]


async def load(conn: Connection, ids: Sequence[int]) -> Case:
    readings = await stories.readings(conn, ids)
    matches = await stories.matches(conn, readings)
    known = {match.story_id for match in matches} | {
        reading.story_id for reading in readings if reading.story_id is not None
    }
    return Case(readings=readings, matches=matches, first_seen_at=await stories.first_seen_at(conn, known))


async def judge(case: Case) -> Outcome[Sequence[Group]]:
    return Outcome(output=dedup.judge(case.readings, case.matches, case.first_seen_at))


def stage(*, then: tuple[str, ...]) -> Stage[Case, Sequence[Group]]:
    return Stage(name="dedup", load=load, work=judge, save=stories.fold, then=then, batch=1000, one_per_lane=True)
