"""Write podcasts: RSS 2.0 with the tags of Apple and of the podcast namespace."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from uuid import UUID, uuid5

from lxml import etree

from scoop.core.audio import mp3, transcripts
from scoop.core.feed_writing import GENERATOR, SUMMARY_CHARACTERS, line

ATOM = "http://www.w3.org/2005/Atom"
ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"
PODCAST = "https://podcastindex.org/namespace/1.0"
GUIDS = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")  # that the podcast namespace derives guids of feeds from
LANGUAGE = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodcastItem:
    """An episode: the addresses of its sound, transcript and chapters, and the titles of its lessons."""

    id: str
    title: str
    page_url: str
    sound_url: str
    transcript_url: str
    chapters_url: str
    byte_count: int
    duration_ms: int
    published_at: datetime
    lessons: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Podcast:
    """A podcast; `self_url` is its own address without a key, `updated_at` None before the first episode."""

    title: str
    description: str
    page_url: str
    self_url: str
    cover_url: str
    updated_at: datetime | None
    items: Sequence[PodcastItem]


def write(podcast: Podcast) -> bytes:
    root = etree.Element("rss", version="2.0", nsmap={"atom": ATOM, "itunes": ITUNES, "podcast": PODCAST})
    channel = etree.SubElement(root, "channel")
    _add(channel, "title", podcast.title)
    _add(channel, "link", podcast.page_url)
    _add(channel, "description", podcast.description)
    _add(channel, "language", LANGUAGE)
    _add(channel, "generator", GENERATOR)
    if podcast.updated_at is not None:
        _add(channel, "lastBuildDate", _date(podcast.updated_at))
    etree.SubElement(channel, f"{{{ATOM}}}link", rel="self", type="application/rss+xml", href=podcast.self_url)
    _add_cover(channel, podcast)
    _add(channel, f"{{{ITUNES}}}author", GENERATOR)
    _add(channel, f"{{{ITUNES}}}type", "episodic")
    _add(channel, f"{{{ITUNES}}}explicit", "false")
    _add(channel, f"{{{ITUNES}}}block", "Yes")  # no directory lists it: these are the articles of one desk's readers
    category = etree.SubElement(channel, f"{{{ITUNES}}}category", text="Education")
    etree.SubElement(category, f"{{{ITUNES}}}category", text="Language Learning")
    _add(channel, f"{{{PODCAST}}}guid", str(uuid5(GUIDS, podcast.self_url.partition("://")[2].rstrip("/"))))
    _add(channel, f"{{{PODCAST}}}locked", "yes")
    _add(channel, f"{{{PODCAST}}}medium", "podcast")
    for item in podcast.items:
        _add_item(channel, item, podcast.cover_url)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8"))


def _add_cover(channel: etree._Element, podcast: Podcast) -> None:
    image = etree.SubElement(channel, "image")
    _add(image, "url", podcast.cover_url)
    _add(image, "title", podcast.title)
    _add(image, "link", podcast.page_url)
    etree.SubElement(channel, f"{{{ITUNES}}}image", href=podcast.cover_url)


def _add_item(channel: etree._Element, item: PodcastItem, cover_url: str) -> None:
    element = etree.SubElement(channel, "item")
    _add(element, "title", item.title)
    _add(element, "link", item.page_url)
    _add(element, "guid", item.id).set("isPermaLink", "false")
    _add(element, "pubDate", _date(item.published_at))
    _add(element, "description", _description(item.lessons))
    etree.SubElement(element, "enclosure", url=item.sound_url, length=str(item.byte_count), type=mp3.MEDIA_TYPE)
    _add(element, f"{{{ITUNES}}}title", item.title)
    _add(element, f"{{{ITUNES}}}duration", str(item.duration_ms // 1000))
    _add(element, f"{{{ITUNES}}}episodeType", "full")
    _add(element, f"{{{ITUNES}}}explicit", "false")
    etree.SubElement(element, f"{{{ITUNES}}}image", href=cover_url)
    etree.SubElement(
        element,
        f"{{{PODCAST}}}transcript",
        url=item.transcript_url,
        type=transcripts.VTT_TYPE,
        language=LANGUAGE,
    )
    etree.SubElement(element, f"{{{PODCAST}}}chapters", url=item.chapters_url, type=transcripts.CHAPTERS_TYPE)


def _description(lessons: Sequence[str]) -> str:
    """The titles as a list in HTML, which apps show as the notes of an episode."""
    return f"<ul>{''.join(f'<li>{escape(line(title, SUMMARY_CHARACTERS))}</li>' for title in lessons)}</ul>"


def _add(parent: etree._Element, name: str, content: str) -> etree._Element:
    element = etree.SubElement(parent, name)
    element.text = content
    return element


def _date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC), usegmt=True)
