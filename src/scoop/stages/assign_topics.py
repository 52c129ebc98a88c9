"""Assigns stories to topics; a collection that no topic names gets a topic of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from scoop.core import topics
from scoop.core.topics import Assignment, DefaultTopic, StoryText
from scoop.model import Topic
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import topics as store
from scoop.store import webhooks, work
from scoop.store.db import Connection
from scoop.store.work import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicBatch:
    """Requested story ids, the active ones with their text, their collections, and all topics."""

    story_ids: Sequence[int]
    stories: Sequence[StoryText]
    collections: Sequence[str]
    topics: Sequence[Topic]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedTopics:
    """The topics of each story, among `topic_ids`; or topics that must exist before stories can be assigned.

    `curator_ids` are those of the topics that choose by interests.
    """

    story_ids: Sequence[int]
    topic_ids: Sequence[int]
    assignments_by_story: Mapping[int, Sequence[Assignment]]
    missing_topics: Sequence[DefaultTopic]
    curator_ids: Sequence[int] = ()


async def load(conn: Connection, ids: Sequence[int]) -> TopicBatch:
    every_topic = await store.list_topics(conn)
    return TopicBatch(
        story_ids=ids,
        stories=await store.load_stories(conn, ids, with_text=topics.needs_text(_enabled(every_topic))),
        collections=await store.list_collections(conn, ids),
        topics=every_topic,
    )


async def assign(batch: TopicBatch) -> Outcome[AssignedTopics]:
    """Assign active stories by the rules of enabled topics; merged and suppressed stories lose their topics."""
    enabled = _enabled(batch.topics)
    index = topics.TopicIndex(enabled)
    missing = topics.default_topics(batch.collections, batch.topics)
    assigned = AssignedTopics(
        story_ids=batch.story_ids,
        topic_ids=[topic.topic_id for topic in enabled],
        assignments_by_story={}
        if missing
        else {story.story_id: topics.assign(story, index) for story in batch.stories},
        missing_topics=missing,
        curator_ids=[topic.topic_id for topic in enabled if topic.is_curator],
    )
    return Outcome(output=assigned)


def _enabled(every_topic: Sequence[Topic]) -> list[Topic]:
    return [topic for topic in every_topic if topic.enabled]


async def save(
    conn: Connection, assigned: AssignedTopics, *, again: Sequence[StageName], timezone: str
) -> list[Subject]:
    """Write the assignments and give the webhook deliveries about them.

    Missing topics are added first, in the timezone of the desk, and the stories come again: only then is it known
    which rules apply to them, as somebody else may have added a topic for the collection in the meantime.
    """
    if assigned.missing_topics:
        await store.add_default_topics(conn, assigned.missing_topics, timezone=timezone)
        for following in again:
            await work.enqueue(conn, following, [Subject(story_id) for story_id in assigned.story_ids])
        return []
    await store.assign(conn, assigned.story_ids, assigned.topic_ids, assigned.assignments_by_story)
    await work.enqueue(conn, StageName.CURATE, _curators_with_stories(assigned))
    about_stories = await webhooks.enqueue_stories(conn, assigned.story_ids)
    return [*about_stories, *await webhooks.enqueue_events(conn, assigned.story_ids)]


def _curators_with_stories(assigned: AssignedTopics) -> list[Subject]:
    """The curators that have something new to look at."""
    given = {assignment.topic_id for each in assigned.assignments_by_story.values() for assignment in each}
    return [Subject(topic_id) for topic_id in assigned.curator_ids if topic_id in given]


def stage(
    *,
    then: tuple[StageName, ...] = (),
    again: tuple[StageName, ...] = (StageName.ASSIGN_TOPICS,),
    timezone: str = "UTC",
) -> Stage[TopicBatch, AssignedTopics]:
    """The stage; `then` get webhook deliveries, `again` gets the stories that a new topic waits for."""
    return Stage(
        name=StageName.ASSIGN_TOPICS,
        load=load,
        work=assign,
        save=partial(save, again=again, timezone=timezone),
        then=then,
        also=again,
    )
