"""Makes documents from arrivals."""

from collections.abc import Mapping, Sequence

from scoop.core import documents as core
from scoop.errors import Reject
from scoop.model import Arrival, Document
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import arrivals, documents


async def normalize(batch: Mapping[int, Arrival]) -> Outcome[Sequence[Document]]:
    made: list[Document] = []
    failures: dict[int, Reject] = {}
    for arrival_id, arrival in batch.items():
        try:
            made.append(core.document(arrival))
        except Reject as rejected:
            failures[arrival_id] = rejected
    return Outcome(output=made, failures=failures)


def stage(*, then: tuple[StageName, ...]) -> Stage[Mapping[int, Arrival], Sequence[Document]]:
    return Stage(
        name=StageName.NORMALIZE, load=arrivals.by_ids, work=normalize, save=documents.put, then=then, batch=1000
    )
