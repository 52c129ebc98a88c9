"""Stories find the topics that they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoop.core import topics
from scoop.core.topics import Assignment, StoryText
from scoop.model import Topic
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import topics as store
from scoop.store import webhooks
from scoop.store.db import Connection
from scoop.store.work import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicBatch:
    """The stories that were asked for, what those that live say, and the topics that are told."""

    story_ids: Sequence[int]
    stories: Sequence[StoryText]
    topics: Sequence[Topic]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """For each story the topics that it belongs to, of those that were looked at."""

    story_ids: Sequence[int]
    topic_ids: Sequence[int]
    assignments_by_story: Mapping[int, Sequence[Assignment]]


async def load(conn: Connection, ids: Sequence[int]) -> TopicBatch:
    await store.ensure_default_topics(conn, await store.collections_of(conn, ids))
    told = [topic for topic in await store.list_topics(conn) if topic.enabled]
    stories = await store.stories_of(conn, ids, with_text=topics.needs_text(told))
    return TopicBatch(story_ids=ids, stories=stories, topics=told)


async def assign(case: TopicBatch) -> Outcome[Assigned]:
    """What was merged or suppressed says nothing any more, and so belongs nowhere."""
    found = {story.story_id: topics.assign(story, case.topics) for story in case.stories}
    topic_ids = [topic.topic_id for topic in case.topics]
    return Outcome(output=Assigned(story_ids=case.story_ids, topic_ids=topic_ids, assignments_by_story=found))


async def save(conn: Connection, found: Assigned) -> list[Subject]:
    """Keep where the stories belong; give what programs are to be told of them."""
    await store.assign(conn, found.story_ids, found.topic_ids, found.assignments_by_story)
    return await webhooks.tell_of_stories(conn, found.story_ids)


def stage(*, then: tuple[StageName, ...] = ()) -> Stage[TopicBatch, Assigned]:
    """The stage; `then` are given the deliveries that tell programs of the stories."""
    return Stage(name=StageName.ASSIGN_TOPICS, load=load, work=assign, save=save, then=then)
