"""Labels of the pages: stored slugs, codes, counts and times in words."""

import re
from collections.abc import Collection, Container, Sequence
from datetime import datetime, timedelta
from typing import Literal, Protocol

from scoop.core import events, front_page, redaction, text
from scoop.core.curation import EvaluationState, RejectReason
from scoop.core.display_names import collection_name as collection_name
from scoop.core.display_names import counted as counted
from scoop.core.display_names import distinct_outlets as distinct_outlets
from scoop.core.display_names import initials as initials
from scoop.core.display_names import outlet_name as outlet_name
from scoop.core.front_page import ChangeSince, EventTally
from scoop.core.language import UNDETERMINED
from scoop.core.rendering.common import written_out as written_out  # used by the templates
from scoop.model import PAGE_PENDING, Decision, Event, Outlet, Story
from scoop.store.reads.evaluations import CuratorVerdict
from scoop.store.reads.event_summaries import EventSummary
from scoop.store.reads.events import ChangeCounts

NEW_FOR = timedelta(hours=3)
DEVELOPING_FOR = timedelta(hours=6)  # since the last document joined
DATED_AFTER = timedelta(days=7)  # after this, the date says more than an age in days
LEAD_CHARACTERS = 240
REASON_CHARACTERS = 300
MAX_LANGUAGE_NAMES = 3
SHORT_PARAGRAPH = 40  # characters: at the beginning of a text, a shorter one is a heading or a label
WORDS_A_MINUTE = 230  # an adult's silent reading speed
CHARACTERS_A_MINUTE = 500  # of a language without spaces, whose tokens are characters
UNSPACED = frozenset({"ja", "km", "lo", "my", "th", "zh"})
_PROBLEM_CODE = re.compile(r"^[a-z_]+: ")
_WANTED_LANGUAGE = re.compile(r"; write it in (?=\w)")
_ADVICE = re.compile(r"[;:] (?:write|use|copy) [^.;]*")  # to the model

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

PAGE_PROBLEMS = {
    "bot_check": "the site asks for a browser",
    "consent": "the site asks for consent first",
    "empty": "there is no article on it",
    "error_page": "the site answers with an error",
    "gone": "it is gone",
    "http_error": "the site answers with an error",
    "login": "it needs an account",
    "not_html": "it is not a web page",
    "parse_error": "it is not a web page",
    "paywall": "it is behind a paywall",
    "refused_address": "its address is private",
    "robots": "the site does not allow programs to read it",
    "script_only": "only a script shows its text",
    "short": "there is little text on it",
    "timeout": "the site does not answer in time",
    "too_complex": "it is too large",
    "unreachable": "the site cannot be reached",
}
"""Why the page of an article gave no text."""
DECISIONS = {
    "new_story": "started a story",
    "auto_merge": "merged automatically",
    "gray_zone": "probably the same event",
    "manual_merge": "merged manually",
    "manual_split": "split off manually",
}
EVALUATION_STATES: dict[EvaluationState, str] = {
    "relevant": "relevant",
    "notified": "posted",
    "rejected": "rejected",
    "waiting": "waiting",
}
"""The states of a curator's articles, in the order shown."""
REJECT_REASONS: dict[RejectReason, str] = {
    "low_relevance": "below the minimum score",
    "no_topic_match": "matches no topic",
    "content_extraction_failed": "no readable text",
}
STATE_COLOURS: dict[EvaluationState, str] = {
    "relevant": "maybe",
    "notified": "good",
    "rejected": "rest",
    "waiting": "watch",
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


class CoveredByOutlets(Protocol):
    """An event with its numbers of outlets and of independent publishers."""

    @property
    def outlet_count(self) -> int: ...
    @property
    def publisher_family_count(self) -> int: ...


class CoveredByDocuments(Covered, Protocol):
    """The same with its number of documents."""

    @property
    def item_count(self) -> int: ...


def source_counts(story: Covered) -> str:
    """The number of sources, and how many of them are independent of each other."""
    # one source, such as a link blog, may link to several publishers
    independent = min(story.publisher_family_count, story.source_count)
    return f"{story.source_count:,} sources, {independent:,} independent" if story.source_count > 1 else "1 source"


def coverage_counts(story: CoveredByDocuments) -> str:
    """The numbers of sources and, if there are more, of documents."""
    documents = f", in {story.item_count:,} documents" if story.item_count > story.source_count else ""
    return f"{source_counts(story)}{documents}"


def outlet_counts(event: CoveredByOutlets) -> str:
    """The number of outlets, and how many of them are independent of each other; empty for one."""
    independent = min(event.publisher_family_count, event.outlet_count)
    return f"{event.outlet_count:,} outlets, {independent:,} independent" if event.outlet_count > 1 else ""


def page_problem(problem: str) -> str:
    """Why the text of a document is not that of its article's page, as a sentence."""
    if problem == PAGE_PENDING:
        return "The page of the article has not been read yet."
    return f"The page of the article could not be read: {PAGE_PROBLEMS.get(problem, problem.replace('_', ' '))}."


def languages(codes: Sequence[str]) -> str:
    """The known languages of an event: up to three by name; empty for one."""
    codes = [code for code in codes if code != UNDETERMINED]
    if len(codes) < 2:
        return ""
    if len(codes) > MAX_LANGUAGE_NAMES:
        return f"{len(codes)} languages"
    names = [language_name(code) for code in codes]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def describe_decision(decision: Decision, story_ids: Container[int]) -> str:
    """A person's decision, as seen from the page of an event with these stories."""
    title, other = f"“{decision.title}”", f"“{decision.other_title}”"
    moved = counted(len(decision.document_ids), "document")
    if decision.action == "move":
        if decision.story_id in story_ids:
            return f"{title} was moved to this event."
        return f"{title} was moved to the event of {other}." if decision.other_title else f"{title} was moved out."
    return {
        "merge": f"{other} was merged into {title}.",
        "together": f"{title} and {other} are one event.",
        "apart": f"{title} and {other} stay separate.",
        "split": f"{moved} split off from {title} into a separate story.",
        "lead": f"{title} was chosen as the lead.",
        "suppress": "This event was suppressed.",
    }[decision.action]


def reading_time(token_count: int, language: str) -> str:
    """The time to read a text."""
    speed = CHARACTERS_A_MINUTE if is_unspaced(language) else WORDS_A_MINUTE
    return f"{max(1, round(token_count / speed))} min"


def event_counts(tally: EventTally) -> str:
    """The number of events of a collection, and how many of them several publishers report."""
    events = counted(tally.events, "event")
    return f"{events}, {tally.wide_events:,} by several publishers" if tally.wide_events else events


def story_outlets(story: Story, outlets: Sequence[Outlet]) -> str:
    """The publisher's own outlet of a story of an event, else the first one, and the number of the others."""
    ours = [outlet for outlet in outlets if outlet.source in story.sources]
    names = [outlet_name(outlet.source, outlet.source_name) for outlet in ours]
    publishers = [name for name, outlet in zip(names, ours, strict=True) if name == outlet.publisher_name]
    first = next(iter(publishers + names), outlet_name(story.sources[0], None))
    more = len(_names(story.sources, outlets)) - 1
    return f"{first} and {more:,} more" if more else first


def other_story_counts(story: Story, others: Sequence[Story], outlets: Sequence[Outlet], count: int) -> str:
    """How many more outlets the other stories of an event have; if none, how many stories there are."""
    sources = {source for other in others for source in other.sources}
    more = _names(sources, outlets) - _names(story.sources, outlets)
    return counted(len(more), "more outlet") if more else counted(count, "more story", "more stories")


def _names(sources: Collection[str], outlets: Sequence[Outlet]) -> set[tuple[str, str]]:
    """The publishers and names under which sources are shown."""
    listed = [outlet for outlet in outlets if outlet.source in sources]
    shown = {(outlet.publisher_family, outlet_name(outlet.source, outlet.source_name)) for outlet in listed}
    return shown | {("", source) for source in {*sources} - {outlet.source for outlet in listed}}


def lead(story: Story | Event | EventSummary) -> str:
    """The beginning of the summary, else of the article's text after headings; empty if it only repeats the title."""
    if summary := _summary(story):
        return beginning(summary)
    paragraphs = [line for part in re.split(r"\n\s*\n", story.lead) if (line := text.one_line(part))]
    first = next((number for number, line in enumerate(paragraphs) if len(line) >= SHORT_PARAGRAPH), 0)
    whole = " ".join(paragraphs[first:])
    return "" if text.normalized(whole) == text.normalized(story.title) else beginning(whole)


def lead_language(story: Story | Event | EventSummary) -> str:
    """The language of what `lead` gives."""
    own = None if isinstance(story, Story) else story.summary_language
    return own or story.language


def _summary(story: Story | Event | EventSummary) -> str | None:
    return None if isinstance(story, Story) else story.summary


def beginning(body: str, language: str | None = None) -> str:
    """The first words of a text, on one line; characters of a language without spaces are twice as wide."""
    whole = text.one_line(body)
    cut = text.truncated(whole, LEAD_CHARACTERS // 2 if is_unspaced(language) else LEAD_CHARACTERS)
    return cut if cut == whole else f"{cut} …"


def is_unspaced(language: str | None) -> bool:
    """Whether a language is written without spaces between sentences."""
    return (language or "").partition("-")[0] in UNSPACED


def failure_reason(problem: str | None) -> str:
    """Why a text was not generated: without secrets, the code of the problem, advice to the model, and a full stop."""
    plain = _PROBLEM_CODE.sub("", redaction.redact_text(text.one_line(problem or "the reason is unknown")))
    said = _ADVICE.sub("", _WANTED_LANGUAGE.sub(", not in ", plain))
    return text.truncated(said, REASON_CHARACTERS).rstrip(".")


def verdict(decided: CuratorVerdict) -> str:
    """What a curator decided on an article, as `85/100, posted`."""
    points = "" if decided.relevance_score is None else f"{decided.relevance_score}/100, "
    outcome = REJECT_REASONS[decided.reason] if decided.reason else EVALUATION_STATES[decided.state]
    return f"{points}{outcome}"


def event_status(event: Event, *, now: datetime) -> Literal["new", "developing", "quiet", "suppressed"]:
    if event.status == "suppressed":
        return "suppressed"
    return events.status(
        first_seen_at=event.first_seen_at,
        last_seen_at=event.last_seen_at,
        created_at=event.created_at,
        developed_at=event.developed_at,
        now=now,
    )


def change_since(event: Event, since: datetime | None) -> ChangeSince | None:
    """Whether an event is new or has developed since a reader's last visit."""
    return front_page.change_since(created_at=event.created_at, developed_at=event.developed_at, since=since)


def change_counts(changes: ChangeCounts) -> str:
    """The numbers of events that are new and that developed, as the beginning of a sentence."""
    if not changes.is_complete:
        return f"More than {changes.new + changes.developed - 1:,} new or developed"
    if not changes.new and not changes.developed:
        return "Nothing new"
    counts = {"new": changes.new, "developed": changes.developed}
    return ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)


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
