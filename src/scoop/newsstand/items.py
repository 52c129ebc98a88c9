"""The world's articles as canonical v1 items, for ingest without a fetch."""

from datetime import datetime
from typing import Any

from scoop.core import display_names
from scoop.model import Item
from scoop.newsstand.world import Edition, World, as_of

JOB_NAME = "newsstand"


def items(world: World, anchor: datetime, now: datetime, job_run_id: str) -> list[Item]:
    """Items of every outlet at `now`, newest first."""
    editions = as_of(world, anchor=anchor, now=now)
    return [_item(edition, scraped_at=now, job_run_id=job_run_id) for edition in editions]


def demo_items(world: World, anchor: datetime, now: datetime, job_run_id: str) -> list[Item]:
    """The same items in the collections of the demo."""
    found = items(world, anchor, now, job_run_id)
    return [{**item, "source_metadata": _in_demo(item["source_metadata"])} for item in found]


def _in_demo(metadata: dict[str, Any]) -> dict[str, Any]:
    return {**metadata, "collection": display_names.demo_collection(metadata["collection"])}


def _item(edition: Edition, *, scraped_at: datetime, job_run_id: str) -> Item:
    article, outlet = edition.article, edition.outlet
    metadata = {
        "collection": outlet.collection,
        "job_name": JOB_NAME,
        "job_run_id": job_run_id,
        "scraped_at": scraped_at.isoformat(),
        "category": outlet.category,
        "kind": article.kind,
    }
    if edition.links_to_url:
        metadata["links_to_url"] = edition.links_to_url
    return {
        "payload_version": "v1",
        "source": outlet.key,
        "source_item_id": article.id,
        "title": edition.title,
        "canonical_url": edition.link,
        "published_at": edition.published_at.isoformat(),
        "body_text": edition.body,
        "language": article.language,
        "source_domain": outlet.host,
        "authors": [article.author] if article.author else [],
        "tags": list(article.tags),
        "source_metadata": metadata,
    }
