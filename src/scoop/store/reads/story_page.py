"""A story with all that its page shows: its documents with their evidence, related stories, decisions, topics."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoop.model import Decision, Story
from scoop.store.db import Connection
from scoop.store.reads import decisions, documents, stories
from scoop.store.reads.decisions import DocumentDecision, RejectedCandidate
from scoop.store.reads.documents import TextFacts
from scoop.store.reads.stories import RelatedStory, StoryMember, StoryTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPage:
    """`members` are all documents, `shown` those of this page; the mappings are by document."""

    story: Story
    members: list[StoryMember]
    shown: list[StoryMember]
    skip: int
    related: list[RelatedStory]
    decisions: list[Decision]
    topics: list[StoryTopic]
    facts: Mapping[int, TextFacts]
    decisions_by_document: Mapping[int, list[DocumentDecision]]
    rejected_by_document: Mapping[int, list[RejectedCandidate]]


async def get_story_page(conn: Connection, name: str, *, skip: int = 0, limit: int) -> StoryPage:
    """The surviving story of a number or public id, with the evidence of `limit` of its documents."""
    detail = await stories.get_story(conn, name)
    story_id = detail.story.story_id
    shown = detail.members[skip : skip + limit]
    ids = [member.document_id for member in shown]
    return StoryPage(
        story=detail.story,
        members=detail.members,
        shown=shown,
        skip=skip,
        related=await stories.list_related(conn, story_id),
        decisions=await stories.list_decisions(conn, story_id),
        topics=await stories.list_topics(conn, story_id),
        facts=await documents.get_text_facts(conn, ids),
        decisions_by_document=await decisions.list_decisions(conn, ids),
        rejected_by_document=await decisions.list_rejected(conn, ids),
    )
