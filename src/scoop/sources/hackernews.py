"""The hackernews source: the stories of one of its lists, and comments on them."""

import asyncio
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

import msgspec

from scoop import sources
from scoop.core import text
from scoop.core.feed_reading import markup
from scoop.core.feed_reading.feed import MAX_BODY
from scoop.errors import FetchFailed
from scoop.model import Item
from scoop.sources import Harvest, Visit
from scoop.sources.http import item, link, moment, parse_json

PAGE_URL = "https://news.ycombinator.com/item?id="
CONCURRENT_REQUESTS = 4
KEPT_IDS = 12_000  # ids of recent stories and comments; more than the longest list has with 20 comments each
TITLE_FROM_COMMENT = 120  # characters of a comment that serve as a title


class HackerNewsStory(msgspec.Struct):
    """A story, a job, a poll or a comment of the API."""

    id: int
    title: str | None = None
    url: str | None = None
    text: str | None = None
    by: str | None = None
    time: int | None = None
    type: str | None = None
    score: int = 0
    descendants: int | None = None
    deleted: bool = False
    dead: bool = False
    kids: list[int] = []
    parent: int | None = None


class HackerNews:
    """The stories of a list of Hacker News and, if you want, comments on them, from its public API.

    A story has the address of the article it links to, or of its own page if it has no link. Score and number of
    comments are stored as they were when the story was first fetched; with comments, the counts of hot topics follow
    them while the story is listed.
    """

    name = "hackernews"
    access = "editor"
    base_url = "https://hacker-news.firebaseio.com/v0"
    targets: ClassVar = {
        r"(?:hackernews|hn)(?::(?P<list>top|best|new))?": "hackernews:best",
        r"https?://news\.ycombinator\.com(?:/.*)?": "https://news.ycombinator.com/",
    }

    class Options(sources.ServiceOptions, frozen=True, kw_only=True):
        """The list and its stories.

        `list`: the list.
        `limit`: the number of stories at the top of the list.
        `min_score`: skip stories with fewer points, until they have them.
        `comments`: the number of best comments on each story of the list. Each is an item of its own that names its
        story; deleted ones are left out.
        """

        list: Literal["top", "best", "new"] = "top"
        limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 30
        min_score: Annotated[int, msgspec.Meta(ge=0)] = 0
        comments: Annotated[int, msgspec.Meta(ge=0, le=20)] = 0

    def __init__(self, options: Options) -> None:
        self.options = options

    async def fetch(self, visit: Visit) -> Harvest:
        options = self.options
        base_url = visit.source.base_url.rstrip("/")
        response = await visit.get(f"{base_url}/{options.list}stories.json", is_api=True)
        listed = parse_json(response, list[int])[: options.limit]
        seen = dict.fromkeys(visit.checkpoint.get("seen", ()))
        # A story that was read before may have new comments and points.
        wanted = [number for number in listed if options.comments or number not in seen]
        stories, failures = await _stories(visit, base_url, wanted)
        if failures and not stories:
            raise failures[0]
        taken = [story for story in stories if _is_public(story) and story.score >= options.min_score]
        kids = [kid for story in taken for kid in story.kids[: options.comments] if kid not in seen]
        comments, more_failures = await _stories(visit, base_url, kids)
        failures += more_failures
        story_by_kid = {kid: story for story in taken for kid in story.kids}
        read = [comment for comment in comments if _is_comment(comment)]
        known = seen.keys() | {story.id for story in taken}
        still_listed = [*(number for number in listed if number in known), *(comment.id for comment in read)]
        return Harvest(
            items=[
                *(_item(story) for story in taken if story.id not in seen),
                *(_comment_item(comment, story_by_kid[comment.id]) for comment in read),
            ],
            listed_again=[_item(story) for story in taken if story.id in seen],
            checkpoint={"seen": list(dict.fromkeys([*still_listed, *seen]))[:KEPT_IDS]},
            health="ok" if listed else "empty",
            problems=[str(failure) for failure in failures],
        )


async def _stories(
    visit: Visit, base_url: str, numbers: Iterable[int]
) -> tuple[list[HackerNewsStory], list[FetchFailed]]:
    """The stories with these ids, and the failures; an id that the API does not know is in neither."""
    slots = asyncio.Semaphore(CONCURRENT_REQUESTS)

    async def story(number: int) -> HackerNewsStory | FetchFailed | None:
        async with slots:
            try:
                response = await visit.get(f"{base_url}/item/{number}.json", is_api=True)
                return parse_json(response, HackerNewsStory | None)  # type: ignore[arg-type]  # a union is a type, too
            except FetchFailed as failure:
                return failure

    results = await asyncio.gather(*(story(number) for number in numbers))
    stories = [result for result in results if isinstance(result, HackerNewsStory)]
    return stories, [result for result in results if isinstance(result, FetchFailed)]


def _is_public(story: HackerNewsStory) -> bool:
    return not (story.deleted or story.dead) and bool(text.normalized(story.title or ""))


def _is_comment(comment: HackerNewsStory) -> bool:
    is_shown = not (comment.deleted or comment.dead)
    return is_shown and comment.type == "comment" and bool(text.normalized(comment.text or ""))


def _comment_item(comment: HackerNewsStory, story: HackerNewsStory) -> Item:
    """A comment on a story; its title is its beginning."""
    body = markup.body(comment.text or "", MAX_BODY)
    return item(
        str(comment.id),
        text.truncated(text.one_line(body), TITLE_FROM_COMMENT),
        canonical_url=f"{PAGE_URL}{comment.id}",
        published_at=moment(comment.time),
        body_text=body,
        authors=[comment.by],
        metadata={
            "platform": "hn",
            "type": comment.type,
            "parent": str(comment.parent or story.id),
            "story": story.title,
            "hn_url": f"{PAGE_URL}{comment.id}",
            "full_text": "never",
        },
    )


def _item(story: HackerNewsStory) -> Item:
    page = f"{PAGE_URL}{story.id}"
    outbound = link(story.url)
    return item(
        str(story.id),
        story.title or "",
        canonical_url=outbound or page,
        published_at=moment(story.time),
        body_text=markup.body(story.text or "", MAX_BODY),
        authors=[story.by],
        metadata={
            "platform": "hn",
            "type": story.type,
            "score": story.score,
            "comments": story.descendants,
            "hn_url": page,
            "full_text": None if outbound else "never",
        },
    )
