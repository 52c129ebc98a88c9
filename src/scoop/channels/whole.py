"""The whole digest as one part of JSON, for programs."""

import msgspec

from scoop.channels import Mark
from scoop.core.rendering import markdown
from scoop.model import Digest, DigestPart, Telling


def part(digest: Digest, mark: Mark) -> DigestPart:
    """The digest as one part: topic, date, every story as a reader sees it, and all of it as Markdown.

    A curator's digest also has an introduction and the relevance of each article.
    """
    payload = {
        "topic_slug": digest.topic_slug,
        "topic_name": digest.topic_name,
        "run_date": digest.run_date,
        "timezone": digest.timezone,
        "introduction": digest.introduction,
        "part_no": 1,
        "parts": 1,
        "marker": mark(1),
        "stories": digest.tellings,
        "markdown": markdown.render(digest),
    }
    return DigestPart(payload=msgspec.json.encode(payload).decode(), story_ids=story_ids(digest.tellings))


def story_ids(tellings: tuple[Telling, ...]) -> tuple[int, ...]:
    """The ids of the stories of a digest, with their twins."""
    return tuple(story.story_id for telling in tellings for story in (telling, *telling.twins))
