"""The page's words: what is stored as slugs, codes and moments, as people say it."""

import re
from datetime import datetime, timedelta
from typing import Literal, Protocol

from scoop.core import text
from scoop.core.display_names import collection_name as collection_name
from scoop.core.display_names import counted as counted
from scoop.core.display_names import outlet_name as outlet_name
from scoop.core.rendering.common import written_out as written_out  # used by the templates
from scoop.model import Decision, Story
from scoop.store.reads.days import StoryTally

NEW_FOR = timedelta(hours=3)
DEVELOPING_FOR = timedelta(hours=6)  # since the last document joined
DATED_AFTER = timedelta(days=7)  # an age in days says less than the date then
LEAD_CHARACTERS = 240
WORDS_A_MINUTE = 230  # of a grown-up who reads silently
SIGNS_A_MINUTE = 500  # of a text without spaces, which is counted by its signs
UNSPACED = frozenset({"ja", "km", "lo", "my", "th", "zh"})

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

DECISIONS = {
    "new_story": "opened a story",
    "auto_merge": "joined by rule",
    "gray_zone": "probably the same event",
    "manual_merge": "joined by hand",
    "manual_split": "taken out by hand",
}
SIGNALS = {
    "probability": "probability",
    "best_cosine": "meaning",
    "cosine": "meaning",
    "title_overlap": "headline",
    "title_words": "headline",
    "names": "names",
    "numbers": "numbers",
    "entity_date_consistency": "names and dates",
    "composite_score": "all in all",
}
"""What is measured between two documents, from 0 to 1, in the order it is shown."""


class Widespread(Protocol):
    """What is told by some sources, of which some are independent."""

    @property
    def source_count(self) -> int: ...
    @property
    def publisher_family_count(self) -> int: ...


class Gathered(Widespread, Protocol):
    """The same, gathered from some documents."""

    @property
    def item_count(self) -> int: ...


def newsroom(publisher_family: str) -> str:
    """A publisher family as shown; where there is no host it is a source, which anybody may have named."""
    return text.one_line(publisher_family)


def initials(name: str) -> str:
    """One or two letters that stand for an outlet where its icon would be."""
    words = [word for word in re.split(r"[\W_]+", name) if word]
    if len(words) > 1:
        return (words[0][0] + words[1][0]).upper()
    return words[0][:1].upper() + words[0][1:2] if words else "?"


def outlets(told: Widespread) -> str:
    """By how many sources something is told, and how many of these do not depend on each other."""
    # one source, such as a link blog, may point at several newsrooms
    independent = min(told.publisher_family_count, told.source_count)
    return f"{told.source_count:,} sources, {independent:,} independent" if told.source_count > 1 else "1 source"


def told_by(told: Gathered) -> str:
    """How widely a story is told."""
    documents = f", in {told.item_count:,} documents" if told.item_count > told.source_count else ""
    return f"{outlets(told)}{documents}"


def decided(decision: Decision, story_id: int) -> str:
    """What a person decided, as seen from the page of one of the two stories."""
    other = decision.other_title if decision.story_id == story_id else decision.title
    if decision.action == "merge":
        return f"“{other}” was made part of this story."
    if decision.action == "apart":
        return f"“{other}” and this story stay apart."
    moved = counted(len(decision.document_ids), "document", "documents")
    return f"{moved} left “{decision.title}” for a story of their own."


def reading_time(token_count: int, language: str) -> str:
    """How long one reads a text."""
    speed = SIGNS_A_MINUTE if language.partition("-")[0] in UNSPACED else WORDS_A_MINUTE
    return f"{max(1, round(token_count / speed))} min"


def tallied(tally: StoryTally) -> str:
    """How many stories there are, and of how many events where some probably tell of the same."""
    stories = counted(tally.stories, "story", "stories")
    if tally.stories == tally.groups:
        return stories
    return f"{stories}, probably {counted(tally.groups, 'event', 'events')}"


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


def until(moment: datetime, *, now: datetime) -> str:
    """How long it is until a moment; what is due comes now."""
    left = moment - now
    if left < timedelta(minutes=1):
        return "now"
    if left < timedelta(hours=1):
        return f"in {left // timedelta(minutes=1)} min"
    if left < timedelta(days=1):
        return f"in {left // timedelta(hours=1)} h"
    return f"in {left.days} d"


def sentence(told: str) -> str:
    """What was told in the middle of something else, as a sentence begins; an address stays as it is."""
    return told if told.startswith(("http://", "https://")) else told[:1].upper() + told[1:]
