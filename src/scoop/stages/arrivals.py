"""Makes a new arrival of a valid item."""

from datetime import datetime

import msgspec

from scoop.core import hashes, items
from scoop.model import Item
from scoop.store.arrivals import NewArrival


def arrival(
    item: Item,
    *,
    raw: bytes,
    now: datetime,
    link: str | None = None,
    response_headers: dict[str, str] | None = None,
    page_url: str | None = None,
    needs_page: bool = False,
    keeps_fragment: bool = False,
) -> NewArrival:
    """The ledger row of a valid item, whose JSON is `raw`.

    `link` replaces the link of the item, `page_url` is the page with its full text. With `needs_page` the item is
    incomplete without it; `keeps_fragment` says that the fragment of the link belongs to the address.
    """
    metadata, published_at = item["source_metadata"], item.get("published_at")
    return NewArrival(
        collection=metadata["collection"],
        source=item["source"],
        source_item_id=item["source_item_id"],
        source_item_url=link or item.get("canonical_url"),
        source_published_at=items.parse_moment(published_at) if published_at else None,
        fetched_at=min(items.parse_moment(metadata["scraped_at"]), now),
        raw_payload=msgspec.Raw(raw),
        payload_hash=hashes.payload_hash(item),
        response_headers=response_headers,
        page_url=page_url,
        keeps_fragment=keeps_fragment,
        needs_page=needs_page,
    )
