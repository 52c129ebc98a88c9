"""The page's words: what is stored as slugs, codes and moments, as people say it."""

import re
from datetime import datetime, timedelta
from typing import Literal

from scoop.core import text
from scoop.core.rendering.words import written_out as written_out  # said by the pages, too
from scoop.store.reading import Group, Story, Tally

NEW_FOR = timedelta(hours=3)
DEVELOPING_FOR = timedelta(hours=6)  # since the last document joined
DATED_AFTER = timedelta(days=7)  # an age in days says less than the date then
LEAD_CHARACTERS = 240
ABBREVIATIONS = frozenset({"ai", "eu", "uk", "un", "us", "usa"})

LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
MATCHES = {
    "seed": "opened this story in Scoop",
    "exact_url": "same address",
    "exact_source_id": "same id at its source",
    "exact_content_hash": "same title and text",
    "near_copy": "much of the same text",
    "lexical_simhash": "same headline",
    "lexical_overlap": "nearly the same headline",
    "semantic": "the same meaning",
    "manual": "placed by hand",
}
REASONS = {
    "seed": "Scoop read it first of all: nothing it knew until then was like it.",
    "exact_url": "Its address, freed of tracking, is the same as that of",
    "exact_source_id": "It carries the same id, such as a paper's or a video's, as",
    "exact_content_hash": "Its title and its text are the same, letter for letter, as those of",
    "near_copy": "It has much of its text, word for word, from",
    "lexical_simhash": "Its headline is the same, however it is typed, as that of",
    "lexical_overlap": "Its headline is nearly the same as that of",
    "semantic": "Its title and its text mean the same as those of",
    "manual": "Somebody placed it in this story by hand.",
}
_BREAK = re.compile(r"[\s_-]+")


def collection_name(collection: str) -> str:
    """A collection's slug as a heading: `ai_news` is AI news."""
    slug = text.one_line(collection)
    words = _BREAK.split(slug.strip("_-"))
    spoken = " ".join(word.upper() if word in ABBREVIATIONS else word for word in words) or slug
    return spoken[:1].upper() + spoken[1:]


def outlet_name(source: str, source_name: str | None) -> str:
    """The name that a source was given, else its slug as a name; a domain stays as it is."""
    if source_name:
        return text.one_line(source_name)
    slug = text.one_line(source)
    if "." in slug or slug != slug.lower():
        return slug
    return " ".join(word.capitalize() for word in _BREAK.split(slug.strip("_-"))) or slug


def newsroom(publisher_family: str) -> str:
    """A publisher family as shown; where there is no host it is a source, which anybody may have named."""
    return text.one_line(publisher_family)


def initials(name: str) -> str:
    """One or two letters that stand for an outlet where its icon would be."""
    words = [word for word in re.split(r"[\W_]+", name) if word]
    if len(words) > 1:
        return (words[0][0] + words[1][0]).upper()
    return words[0][:1].upper() + words[0][1:2] if words else "?"


def outlets(story: Story | Group) -> str:
    """By how many a story or a group of them is told, and how many of these do not depend on each other."""
    # one source, such as a link blog, may point at several newsrooms
    independent = min(story.publisher_family_count, story.source_count)
    return f"{story.source_count} outlets, {independent} independent" if story.source_count > 1 else "1 outlet"


def told_by(story: Story) -> str:
    """How widely a story is told."""
    documents = f", in {story.item_count} documents" if story.item_count > story.source_count else ""
    return f"told by {outlets(story)}{documents}"


def tallied(tally: Tally) -> str:
    """How many stories there are, and of how many events where some probably tell of the same."""
    stories = f"{tally.stories:,} {'story' if tally.stories == 1 else 'stories'}"
    if tally.stories == tally.groups:
        return stories
    return f"{stories}, probably {tally.groups:,} {'event' if tally.groups == 1 else 'events'}"


def lead(story: Story) -> str:
    """The beginning of the story's representative text, as one line."""
    first = text.one_line(story.lead.partition("\n\n")[0])
    cut = text.truncated(first, LEAD_CHARACTERS)
    return cut if cut == first else f"{cut} …"


def status(story: Story, *, now: datetime) -> Literal["new", "developing", "held back"] | None:
    if story.status == "suppressed":
        return "held back"
    if now - story.first_seen_at < NEW_FOR:
        return "new"
    return "developing" if story.item_count > 1 and now - story.last_seen_at < DEVELOPING_FOR else None


def language_name(language: str) -> str:
    if language == "und":
        return "language unknown"
    return LANGUAGES.get(language.partition("-")[0], language)


def age(moment: datetime, *, now: datetime) -> str:
    """How long ago a local moment was; the date where that says more."""
    passed = now - moment
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{passed // timedelta(minutes=1)} min ago"
    if passed < timedelta(days=1):
        return f"{passed // timedelta(hours=1)} h ago"
    if passed < DATED_AFTER:
        return f"{passed.days} d ago"
    return f"{moment.day} {moment:%b %Y}"
