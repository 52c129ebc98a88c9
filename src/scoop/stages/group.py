"""Groups stories that probably cover one event."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scoop.core import clusters, links
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import embeddings, review
from scoop.store import links as store
from scoop.store.db import Connection
from scoop.store.links import DocumentIdPair, LinkedStory
from scoop.store.stories import LOCK
from scoop.store.work import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedStories:
    """Stories linked directly or through others, the oldest first; their links, and pairs that people keep apart."""

    stories: Sequence[LinkedStory]
    probabilities: Mapping[DocumentIdPair, float]
    apart: Collection[DocumentIdPair]
    threshold: float


async def load(conn: Connection, ids: Sequence[int]) -> LinkedStories | None:
    model = await embeddings.find_active(conn)
    fit = links.load_model(model.model_name, model.model_version) if model else None
    if model is None or fit is None:
        return None
    threshold = links.calibrated(fit, model.calibration).coverage_at
    stories = await store.find_component(conn, model, ids, at_least=threshold)
    story_ids = [story.story_id for story in stories]
    return LinkedStories(
        stories=stories,
        probabilities=await store.get_link_strengths(conn, model, story_ids),
        apart=await review.list_kept_apart(conn, story_ids),
        threshold=threshold,
    )


async def group(linked: LinkedStories | None) -> Outcome[Mapping[int, int]]:
    """The coverage of each story, named by the id of its oldest story."""
    if linked is None:
        return Outcome(output={})
    age = {story.story_id: place for place, story in enumerate(linked.stories)}
    weights = {(age[one], age[other]): weight for (one, other), weight in linked.probabilities.items()}
    apart = [(age[one], age[other]) for one, other in linked.apart]
    groups = clusters.average_linkage(dict.fromkeys(age.values(), 1), weights, threshold=linked.threshold, apart=apart)
    ids = [story.story_id for story in linked.stories]
    return Outcome(output={ids[member]: ids[members[0]] for members in groups for member in members})


async def save(conn: Connection, coverage_by_story: Mapping[int, int]) -> list[Subject]:
    await store.set_coverage(conn, coverage_by_story)
    return []


def stage(*, then: tuple[StageName, ...]) -> Stage[LinkedStories | None, Mapping[int, int]]:
    return Stage(name=StageName.GROUP, load=load, work=group, save=save, then=then, batch=1000, lock=LOCK)
