"""The whole digest as JSON, for programs."""

import msgspec

from scoop.channels import Mark
from scoop.core.rendering import markdown
from scoop.model import Digest, DigestPart, Telling


def part(digest: Digest, mark: Mark) -> DigestPart:
    """The digest in one piece: what it is of, every story with all that a reader sees, and all of it as Markdown."""
    payload = {
        "topic_slug": digest.topic_slug,
        "topic_name": digest.topic_name,
        "run_date": digest.run_date,
        "timezone": digest.timezone,
        "part_no": 1,
        "parts": 1,
        "marker": mark(1),
        "stories": digest.tellings,
        "markdown": markdown.render(digest),
    }
    return DigestPart(payload=msgspec.json.encode(payload).decode(), story_ids=story_ids(digest.tellings))


def story_ids(tellings: tuple[Telling, ...]) -> tuple[int, ...]:
    """The stories that are told, with those that stand beside them."""
    return tuple(each.story_id for telling in tellings for each in (telling, *telling.twins))
