"""What the tools of the MCP server return: events, stories, articles, digests, sources."""

from collections.abc import Sequence
from datetime import date, datetime
from uuid import UUID

from pydantic import BaseModel

from scoop.core import display_names, text
from scoop.core.highlights import HighlightSpan
from scoop.mcp.summaries import McpSummary
from scoop.model import Story
from scoop.store.reads.event_summaries import EventSummary, SummaryStatus
from scoop.store.reads.stories import StoryMember

LEAD_CHARACTERS = 400


class McpEventHeadline(BaseModel, frozen=True):
    """An event in short; `outlets` is its number of sources, `independent` that of independent publishers.

    The lead story gives title, lead and url. `untrusted_summary` is null if there is no summary; `get_event` gives it
    with its sources. `developed_at` is when it last gave reason to look again.
    """

    event_uuid: UUID
    collection: str
    untrusted_title: str
    untrusted_lead: str
    untrusted_summary: str | None
    url: str | None
    language: str
    status: SummaryStatus
    outlet_names: list[str]
    outlets: int
    independent: int
    documents: int
    stories: int
    languages: list[str]
    first_seen_at: datetime
    last_seen_at: datetime
    developed_at: datetime


class McpEventHit(BaseModel, frozen=True):
    """An event that matches a search, by its best story; `found_by`: by words, meaning or similar spelling."""

    headline: McpEventHeadline
    found_by: list[str]
    untrusted_passage: str


class McpHeadline(BaseModel, frozen=True):
    """A story in short; `outlets` is its number of sources, `independent` that of independent publishers."""

    story_uuid: UUID
    event_uuid: UUID
    collection: str
    untrusted_title: str
    untrusted_lead: str
    url: str | None
    language: str
    outlets: int
    independent: int
    documents: int
    first_seen_at: datetime
    last_seen_at: datetime


class McpSearchHit(BaseModel, frozen=True):
    """A story that matches a search; `found_by` says whether by words, meaning or similar spelling."""

    headline: McpHeadline
    found_by: list[str]
    untrusted_passage: str


class McpArticle(BaseModel, frozen=True):
    """One document of a story; `match_type` says why it belongs to it."""

    document_id: int
    source: str
    source_name: str
    untrusted_title: str
    url: str | None
    language: str
    published_at: datetime | None
    match_type: str


class McpStory(BaseModel, frozen=True):
    """A story with its articles, the text of its main article, and stories of probably the same event."""

    headline: McpHeadline
    articles: list[McpArticle]
    untrusted_text: str
    is_text_cut: bool
    probably_the_same_event: list[McpHeadline]


class McpEventDigest(BaseModel, frozen=True):
    """A published digest that has a story of the event."""

    topic: str
    day: date


class McpEvent(BaseModel, frozen=True):
    """An event: its summary, its stories, the lead first, its articles, the text of its lead, and related events."""

    headline: McpEventHeadline
    summary: McpSummary | None
    stories: list[McpHeadline]
    articles: list[McpArticle]
    untrusted_text: str
    is_text_cut: bool
    related: list[McpEventHeadline]
    digests: list[McpEventDigest]


class McpDigestEntry(BaseModel, frozen=True):
    """An entry of a digest; `change` is what is new since an earlier digest had the story.

    An article of a curator has a `relevance_score` of 0 to 100, the interests that it matches, and the reasoning.
    """

    event_uuid: UUID
    story_uuid: UUID
    untrusted_title: str
    untrusted_summary: str
    url: str | None
    publishers: list[str]
    publisher_names: list[str]
    change: str
    relevance_score: int | None
    matching_topics: list[str]
    untrusted_reasoning: str


class McpDigest(BaseModel, frozen=True):
    """A digest; `introduction` is that of a curator, whose first entry is the one to read first."""

    topic: str
    day: date
    is_posted: bool
    introduction: str
    entries: list[McpDigestEntry]


class McpTopic(BaseModel, frozen=True):
    """A topic: the collections of its digests, and their schedule; a curator chooses by interests."""

    topic: str
    name: str
    is_curator: bool
    collections: list[str]
    digest_cron: str
    timezone: str
    enabled: bool


class McpSource(BaseModel, frozen=True):
    source: str
    name: str
    kind: str
    collection: str
    health: str
    note: str
    enabled: bool


class McpDecision(BaseModel, frozen=True):
    """A decision that put a document into a story or kept it out of another."""

    decision: str
    story_id: int | None
    best_other_story_id: int | None
    score: float | None
    at: datetime


class McpStats(BaseModel, frozen=True):
    sources: int
    arrivals: int
    documents: int
    stories: int
    stories_by_collection: dict[str, int]


def event_headline(event: EventSummary) -> McpEventHeadline:
    return McpEventHeadline(
        event_uuid=event.event_uuid,
        collection=event.collection,
        untrusted_title=text.one_line(event.title),
        untrusted_lead=text.truncated(text.one_line(event.lead), LEAD_CHARACTERS),
        untrusted_summary=text.one_line(event.summary) if event.summary else None,
        url=event.url,
        language=event.language,
        status=event.status,
        outlet_names=[
            display_names.outlet_name(outlet.source, outlet.source_name)
            for outlet in display_names.distinct_outlets(event.outlets)
        ],
        outlets=event.outlet_count,
        independent=event.publisher_family_count,
        documents=event.item_count,
        stories=event.story_count,
        languages=event.languages,
        first_seen_at=event.first_seen_at,
        last_seen_at=event.last_seen_at,
        developed_at=event.developed_at,
    )


def headline(story: Story) -> McpHeadline:
    return McpHeadline(
        story_uuid=story.story_uuid,
        event_uuid=story.event_uuid,
        collection=story.collection,
        untrusted_title=text.one_line(story.title),
        untrusted_lead=text.truncated(text.one_line(story.lead), LEAD_CHARACTERS),
        url=story.url,
        language=story.language,
        outlets=story.source_count,
        independent=story.publisher_family_count,
        documents=story.item_count,
        first_seen_at=story.first_seen_at,
        last_seen_at=story.last_seen_at,
    )


def passage(pieces: Sequence[HighlightSpan]) -> str:
    return text.one_line("".join(piece.text for piece in pieces))


def article(member: StoryMember) -> McpArticle:
    return McpArticle(
        document_id=member.document_id,
        source=member.source,
        source_name=display_names.outlet_name(member.source, member.source_name),
        untrusted_title=text.one_line(member.title),
        url=member.url,
        language=member.language,
        published_at=member.published_at,
        match_type=member.match_type,
    )
