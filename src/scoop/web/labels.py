"""Labels of the pages: stored slugs, codes, counts and times in words."""

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
DATED_AFTER = timedelta(days=7)  # after this, the date says more than an age in days
LEAD_CHARACTERS = 240
WORDS_A_MINUTE = 230  # an adult's silent reading speed
CHARACTERS_A_MINUTE = 500  # of a language without spaces, whose tokens are characters
UNSPACED = frozenset({"ja", "km", "lo", "my", "th", "zh"})

LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
MATCHES = {
    "seed": "first document of the story",
    "exact_url": "same URL",
    "exact_source_id": "same native id",
    "exact_content_hash": "same title and text",
    "near_copy": "copied text",
    "lexical_simhash": "same headline",
    "lexical_overlap": "nearly the same headline",
    "semantic": "same meaning",
    "manual": "merged manually",
}
REASONS = {
    "seed": "It is the first document of this story: no stored document was like it.",
    "exact_url": "Its URL, without tracking parameters, is the same as that of",
    "exact_source_id": "It has the same native id, such as a paper's or a video's, as",
    "exact_content_hash": "Its title and text are identical to those of",
    "near_copy": "Much of its text is copied word for word from",
    "lexical_simhash": "Its headline is the same, apart from case and punctuation, as that of",
    "lexical_overlap": "Its headline is nearly the same as that of",
    "semantic": "Its title and text have the same meaning as those of",
    "manual": "A person merged it into this story.",
}

DECISIONS = {
    "new_story": "started a story",
    "auto_merge": "merged automatically",
    "gray_zone": "probably the same event",
    "manual_merge": "merged manually",
    "manual_split": "split off manually",
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
    "composite_score": "total score",
}
"""Measures of similarity between two documents, from 0 to 1, in the order shown."""


class Covered(Protocol):
    """A story or group with its numbers of sources and of independent publishers."""

    @property
    def source_count(self) -> int: ...
    @property
    def publisher_family_count(self) -> int: ...


class CoveredByDocuments(Covered, Protocol):
    """The same with its number of documents."""

    @property
    def item_count(self) -> int: ...


def publisher_name(publisher_family: str) -> str:
    """A publisher family on one line; without a host it is a source's name, which may hold any text."""
    return text.one_line(publisher_family)


def initials(name: str) -> str:
    """One or two letters in place of an outlet's icon."""
    words = [word for word in re.split(r"[\W_]+", name) if word]
    if len(words) > 1:
        return (words[0][0] + words[1][0]).upper()
    return words[0][:1].upper() + words[0][1:2] if words else "?"


def source_counts(story: Covered) -> str:
    """The number of sources, and how many of them are independent of each other."""
    # one source, such as a link blog, may link to several publishers
    independent = min(story.publisher_family_count, story.source_count)
    return f"{story.source_count:,} sources, {independent:,} independent" if story.source_count > 1 else "1 source"


def coverage_counts(story: CoveredByDocuments) -> str:
    """The numbers of sources and, if there are more, of documents."""
    documents = f", in {story.item_count:,} documents" if story.item_count > story.source_count else ""
    return f"{source_counts(story)}{documents}"


def describe_decision(decision: Decision, story_id: int) -> str:
    """A person's decision, as seen from the page of one of the two stories."""
    other = decision.other_title if decision.story_id == story_id else decision.title
    if decision.action == "merge":
        return f"“{other}” was merged into this story."
    if decision.action == "apart":
        return f"“{other}” and this story stay separate."
    moved = counted(len(decision.document_ids), "document")
    return f"{moved} split off from “{decision.title}” into a separate story."


def reading_time(token_count: int, language: str) -> str:
    """The time to read a text."""
    speed = CHARACTERS_A_MINUTE if language.partition("-")[0] in UNSPACED else WORDS_A_MINUTE
    return f"{max(1, round(token_count / speed))} min"


def story_count(tally: StoryTally) -> str:
    """The number of stories, and of events if some are probably about the same one."""
    stories = counted(tally.stories, "story", "stories")
    if tally.stories == tally.groups:
        return stories
    return f"{stories}, probably {counted(tally.groups, 'event')}"


def lead(story: Story) -> str:
    """The beginning of the story's text on one line."""
    first = text.one_line(story.lead.partition("\n\n")[0])
    cut = text.truncated(first, LEAD_CHARACTERS)
    return cut if cut == first else f"{cut} …"


def status(story: Story, *, now: datetime) -> Literal["new", "developing", "suppressed"] | None:
    if story.status == "suppressed":
        return "suppressed"
    if now - story.first_seen_at < NEW_FOR:
        return "new"
    return "developing" if story.item_count > 1 and now - story.last_seen_at < DEVELOPING_FOR else None


def language_name(language: str) -> str:
    if language == "und":
        return "language unknown"
    base, _, variant = language.partition("-")
    name = LANGUAGES.get(base, base)
    return f"{name} ({variant})" if variant else name  # or a pair of en and en-AU is "English and English"


def age(moment: datetime, *, now: datetime) -> str:
    """How long ago a local time was; the date if that says more."""
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
    """How long it is until a time; "now" if it has passed."""
    left = moment - now
    if left < timedelta(minutes=1):
        return "now"
    if left < timedelta(hours=1):
        return f"in {left // timedelta(minutes=1)} min"
    if left < timedelta(days=1):
        return f"in {left // timedelta(hours=1)} h"
    return f"in {left.days} d"


def capitalise(message: str) -> str:
    """Capitalise a message fragment, unless it is a URL."""
    return message if message.startswith(("http://", "https://")) else message[:1].upper() + message[1:]
