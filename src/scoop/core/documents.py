"""Makes a document from an arrival."""

from datetime import datetime

from scoop import errors
from scoop.core import (
    copies,
    dedup,
    hashes,
    items,
    language,
    native_ids,
    publishers,
    signals,
    teasers,
    text,
    titles,
    urls,
)
from scoop.core.signals import WordIds
from scoop.model import PAGE_PENDING, Arrival, ArticlePage, Document, Item

MAX_BODY_CHARACTERS = 50_000
LANGUAGE_SAMPLE_CHARACTERS = 500  # of the body, beside the title
ARTICLE_ID_DIGITS = 32


def document(arrival: Arrival) -> Document:
    """The document of a valid arrival; Reject if its title is blank."""
    item, problem = _with_page(_with_clean_link(arrival), arrival.page)
    title = text.one_line(item["title"])
    normalized_title = text.normalized(title)
    if not normalized_title:
        raise errors.Reject("the title is blank after normalization")
    body_text = text.truncated(text.readable(item.get("body_text", "")), MAX_BODY_CHARACTERS)
    normalized_text = text.normalized(body_text)
    text_words = hashes.digests(text.words(normalized_text))
    page_url = urls.canonical_url(item["canonical_url"]) if "canonical_url" in item else None
    fragment_url = urls.with_fragment(page_url, item["canonical_url"]) if page_url else None
    canonical_url, other_url = (fragment_url, page_url) if arrival.keeps_fragment else (page_url, fragment_url)
    host = urls.host(canonical_url) if canonical_url else None
    source_domain = _source_domain(item, host)
    published_at = items.parse_moment(item["published_at"]) if "published_at" in item else None
    has_body = len(text_words) >= dedup.MIN_CONTENT_TOKENS and not arrival.awaits_page
    return Document(
        raw_arrival_id=arrival.raw_arrival_id,
        collection=arrival.collection,
        source=arrival.source,
        source_item_id=arrival.source_item_id,
        article_id=article_id(canonical_url or f"{arrival.source}:{arrival.source_item_id}"),
        canonical_url=canonical_url,
        canonical_url_hash=hashes.sha256(canonical_url) if canonical_url else None,
        title=title,
        normalized_title=normalized_title,
        body_text=body_text,
        normalized_text=normalized_text,
        normalized_language=language.language(
            item.get("language"), f"{title}\n{body_text[:LANGUAGE_SAMPLE_CHARACTERS]}"
        ),
        published_at=published_at,
        fetched_at=arrival.fetched_at,
        seen_at=_seen_at(published_at, arrival.fetched_at),
        source_domain=source_domain,
        # The host first: an aggregator that links to a newsroom is not its publisher.
        publisher_family=publishers.publisher_family(host or source_domain, arrival.source),
        native_ids=native_ids.native_ids(
            canonical_url, arrival.source, arrival.source_item_id, item["source_metadata"]
        ),
        title_simhash=hashes.simhash(hashes.digests(text.words(normalized_title))),
        text_simhash=hashes.simhash(text_words),
        title_hash=hashes.title_hash(normalized_title),
        content_hash=hashes.content_hash(normalized_title, normalized_text),
        token_count=len(text_words),
        authors=_lines(item.get("authors", [])),
        tags=_lines(item.get("tags", [])),
        image_url=item.get("image_url"),
        content_problem=PAGE_PENDING if arrival.awaits_page else problem,
        headline=titles.headline(title),
        sketch=_sketch(signals.phrases(text_words)),
        tracked_url_hash=_tracked_url_hash(arrival, item.get("canonical_url"), page_url),
        fragment_url_hash=hashes.sha256(other_url) if other_url and other_url != canonical_url else None,
        body_hash=hashes.body_hash(normalized_text) if has_body else None,
    )


def _with_clean_link(arrival: Arrival) -> Item:
    """The item with the link that ingest cleaned of tracking; the payload has the link of the source."""
    link = arrival.source_item_url
    return arrival.raw_payload | {"canonical_url": link} if link else arrival.raw_payload


def _tracked_url_hash(arrival: Arrival, link: str | None, page_url: str | None) -> bytes | None:
    """The hash of the URL with its tracking parameters, if it had any: other documents may have that spelling."""
    if link is None:
        return None
    is_from_page = link != (arrival.source_item_url or arrival.raw_payload.get("canonical_url"))
    tracked_url = urls.tracked_url(link if is_from_page else arrival.raw_payload["canonical_url"])
    return hashes.sha256(tracked_url) if tracked_url != page_url else None


def _with_page(item: Item, page: ArticlePage | None) -> tuple[Item, str | None]:
    """The item completed with its article page, and the problem of that page.

    The item's own values win; the text is the longer one. The page's title wins if the item is incomplete without it.
    """
    if page is None:
        return item, None
    from_page = {
        "published_at": page.published_at.isoformat() if page.published_at else None,
        "language": page.language,
        "authors": list(page.authors),
        "image_url": page.image_url,
    }
    completed = {name: value for name, value in from_page.items() if value} | item
    if teasers.needs_page(item) and page.title:
        completed["title"] = page.title
    if len(page.text) > len(item.get("body_text", "")):
        completed["body_text"] = page.text
    if page.canonical_url and _is_own(page.canonical_url, item.get("canonical_url")):
        completed["canonical_url"] = page.canonical_url
    return completed, page.problem


def _is_own(canonical_url: str, url: str | None) -> bool:
    """Whether a canonical URL belongs to the page's own publisher; with another's a page could impersonate it."""
    if url is None or not urls.is_url(canonical_url):
        return False
    families = {publishers.publisher_family(urls.host(urls.canonical_url(each)), "") for each in (canonical_url, url)}
    return len(families) == 1


def article_id(identity: str) -> str:
    """The public id of an article, from its canonical URL or else `source:source_item_id`."""
    return f"art_{hashes.sha256(identity).hex()[:ARTICLE_ID_DIGITS]}"


def _sketch(phrases: WordIds) -> list[int]:
    """The phrases to index for the search for copies; none for a text too short to be one."""
    return signals.index_phrases(phrases) if len(phrases) >= copies.MIN_PHRASES else []


def _source_domain(item: Item, host: str | None) -> str | None:
    declared = text.one_line(item.get("source_domain", "")).lower()
    return declared or (host and host.removeprefix("www."))


def _seen_at(published_at: datetime | None, fetched_at: datetime) -> datetime:
    """When the article appeared; never after it was fetched, whatever its date says."""
    return min(published_at, fetched_at) if published_at else fetched_at


def _lines(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for value in values if (line := text.one_line(value))))
