"""Search without a database: parse a query, write tsqueries and tsvectors, choose time ranges, rank and group."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal
from zoneinfo import ZoneInfo

from scoop.core import suggestions, text

SearchMethod = Literal["words", "meaning", "spelling"]
Stemmer = Callable[[str], Collection[str]]
"""Gives the forms under which a word may be indexed: its stem in each language of the documents."""

MAX_CHARACTERS = 400  # of a query
MAX_WORDS = 32  # of a query; a Japanese phrase counts one word per character
MAX_LENGTH = 64  # characters of a word that count
MAX_BODY_WORDS = 12_000  # of a document that are indexed
MAX_POSITIONS = 64  # of a word in a document: enough for phrases, and ranking cost grows with their pairs
LEAD_WORDS = 60
GAP = 10  # positions between title and body, so that no phrase spans both
FUSION = 60  # the usual constant of reciprocal rank fusion; results hardly depend on it
WEIGHTS: Mapping[SearchMethod, float] = {"words": 1.0, "meaning": 0.7, "spelling": 0.5}
YEARS = range(1900, 3000)
UNIVERSAL = ZoneInfo("UTC")

# Stemmers of PostgreSQL 15; words of other languages are not stemmed.
STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

FIELDS = {
    "source": "source", "collection": "collection", "topic": "topic", "lang": "language", "language": "language",
    "after": "since", "before": "until",
}  # fmt: skip
"""The fields of a query text, each with the filter that it sets."""
SHOWN_FIELDS = "source, collection, topic, lang, after, before"

_CHUNK = re.compile(
    r'(?P<minus>-?)(?:(?P<field>[A-Za-z]+):(?!/)(?:"(?P<quoted_value>[^"]+)"?|(?P<value>[^\s"]+))'
    r'|"(?P<quoted>[^"]*)"?|(?P<bare>[^\s"]+))'
)
_ACCENT = re.compile("[\u0300-\u036f]")
_HANGUL = re.compile("[\uac00-\ud7a3]+")
_UNSPACED = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search and its filters; `until` is exclusive, and days in the text are days of `timezone`.

    Its results are events, or single stories with `by_story`.
    """

    text: str
    timezone: ZoneInfo = UNIVERSAL
    collection: str | None = None
    source: str | None = None
    topic: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    language: str | None = None
    by_story: bool = False
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must follow one another: one word, a quoted phrase, or a compound such as `covid-19`."""

    words: tuple[str, ...]
    is_quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """All terms of one alternative must match, and no excluded term; `plain` is the query without operators.

    `fields` are filters such as `source:bbc`, as (field, value); `hints` name the fields that do not exist.
    """

    alternatives: tuple[tuple[Term, ...], ...]
    excluded: tuple[Term, ...]
    fields: tuple[tuple[str, str], ...] = ()
    hints: tuple[str, ...] = ()
    plain: str
    is_cut: bool

    @property
    def is_empty(self) -> bool:
        return not self.alternatives

    @property
    def is_literal(self) -> bool:
        """Whether the query has a quoted phrase, so that only exact matches count."""
        return any(term.is_quoted for terms in self.alternatives for term in terms)

    @property
    def has_phrases(self) -> bool:
        return any(len(term.words) > 1 for terms in (*self.alternatives, self.excluded) for term in terms)

    @property
    def words(self) -> list[str]:
        """The words to find, each once."""
        return list(dict.fromkeys(word for terms in self.alternatives for term in terms for word in term.words))

    @property
    def excluded_words(self) -> list[str]:
        return list(dict.fromkeys(word for term in self.excluded for word in term.words))


def parse_query(typed: str) -> ParsedQuery:
    """Parse `"a phrase"`, `-without`, `this OR that`, fields such as `source:bbc`, and plain words."""
    line = text.one_line(typed)
    alternatives: list[list[Term]] = [[]]
    excluded: list[Term] = []
    fields: list[tuple[str, str]] = []
    hints: list[str] = []
    plain: list[str] = []
    count = 0
    for chunk in _CHUNK.finditer(text.truncated(line, MAX_CHARACTERS)):
        if chunk["bare"] == "OR" and not chunk["minus"]:
            alternatives.append([])
            continue
        name = (chunk["field"] or "").lower()
        if name in FIELDS and not chunk["minus"]:
            fields.append((name, chunk["value"] or chunk["quoted_value"]))
            continue
        if chunk["field"]:
            hints += _field_hints(chunk["field"], chunk[0])
        written = chunk["quoted"] if chunk["quoted"] is not None else chunk[0].removeprefix("-")
        words = tuple(tokenize(text.normalized(written)))
        if not words:
            continue
        count += len(words)
        if count > MAX_WORDS:
            break
        term = Term(words, is_quoted=chunk["quoted"] is not None)
        if chunk["minus"]:
            excluded.append(term)
        else:
            alternatives[-1].append(term)
            plain.append(written)
    return ParsedQuery(
        alternatives=tuple(tuple(dict.fromkeys(terms)) for terms in alternatives if terms),
        excluded=tuple(dict.fromkeys(excluded)),
        fields=tuple(dict.fromkeys(fields)),
        hints=tuple(dict.fromkeys(hints)),
        plain=" ".join(plain),
        is_cut=len(line) > MAX_CHARACTERS or count > MAX_WORDS,
    )


def _field_hints(name: str, written: str) -> list[str]:
    """Why a chunk such as `name:value` was searched as words; `Re:Zero`, with a capital, is not meant as a field."""
    if name.lower() in FIELDS:
        return [f"A field cannot be excluded: {written} was read as words."]
    if not name.islower():
        return []
    meant = suggestions.question(name, FIELDS)
    return [f"There is no field {name!r}{meant or f'; there are: {SHOWN_FIELDS}.'} It was searched as words."]


def narrow_query(query: Query, parsed: ParsedQuery) -> Query:
    """The query with the filters of its fields, which replace others of the same kind; ValueError for a wrong one."""
    filters: dict[str, Any] = {}
    for name, value in parsed.fields:
        if FIELDS[name] in filters:
            raise ValueError(f"The field {name!r} can be given only once.")
        filters[FIELDS[name]] = _midnight(name, value, query.timezone) if name in {"after", "before"} else value
    return replace(query, **filters)


def _midnight(name: str, written: str, timezone: ZoneInfo) -> datetime | None:
    try:
        return day_bounds(date.fromisoformat(written), None, timezone)[0]
    except ValueError as error:
        raise ValueError(f"{name}:{written} is not a day; write it as {name}:2026-11-15.") from error


def tokenize(normalized_text: str) -> list[str]:
    """The words that a text is indexed by; Korean words, which carry endings, as pairs of characters."""
    words = text.words(normalized_text)
    if normalized_text.isascii() or not _HANGUL.search(normalized_text):
        return [word[:MAX_LENGTH] for word in words]
    return [pair[:MAX_LENGTH] for word in words for pair in _pairs(word)]


def _pairs(word: str) -> list[str]:
    if len(word) <= 2 or not _HANGUL.fullmatch(word):
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)]


def strip_accents(word: str) -> str:
    """The word without accents: `creme` finds crème."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word)))


def is_unspaced(word: str) -> bool:
    """Whether it is one character of a script that is indexed in pairs, and so the start of many words."""
    return len(word) == 1 and _UNSPACED.match(word) is not None


def count_unspaced(written: str) -> int:
    return len(_UNSPACED.findall(written))


def begins_with_any(word: str, forms: Collection[str]) -> bool:
    return word[:1] in forms and is_unspaced(word[:1])


def primary_language(language: str) -> str:
    return language.partition("-")[0]


# Texts for PostgreSQL


def tsvector(title: Sequence[str], body: Sequence[str], stems: Mapping[str, str]) -> str:
    """A document as a tsvector: its words with their positions, weight A in the title, B in the lead."""
    positions: dict[str, list[str]] = {}
    after = len(title) + GAP
    lead, rest = body[:LEAD_WORDS], body[LEAD_WORDS:MAX_BODY_WORDS]
    for words, first, weight in ((title, 1, "A"), (lead, after, "B"), (rest, after + len(lead), "")):
        for word, position in zip(words, map(str, range(first, first + len(words))), strict=True):
            earlier = positions.get(word)
            if earlier is None:
                positions[word] = [position + weight]
            elif len(earlier) < MAX_POSITIONS:
                earlier.append(position + weight)
    return " ".join([f"'{stems[word]}':{','.join(listed)}" for word, listed in positions.items()])


def tsquery(query: ParsedQuery, stems: Stemmer) -> str:
    """The whole query as a tsquery."""
    excluded = [f"!{_phrase(term, stems, ' <-> ')}" for term in query.excluded]
    return " & ".join([_included(query, stems, " <-> "), *excluded])


def index_tsquery(query: ParsedQuery, stems: Stemmer) -> str:
    """The query without positions, which an index does not know, as a tsquery."""
    excluded = [f"!{_phrase(term, stems, '')}" for term in query.excluded if len(term.words) == 1]
    return " & ".join([_included(query, stems, " & "), *excluded])


def word_tsquery(word: str, stems: Stemmer) -> str:
    """One word as a tsquery."""
    return _word(word, stems, is_alone=True)


def excluded_tsquery(query: ParsedQuery, stems: Stemmer) -> str | None:
    """The excluded terms as a tsquery."""
    return " | ".join(_phrase(term, stems, " <-> ") for term in query.excluded) or None


def _included(query: ParsedQuery, stems: Stemmer, joint: str) -> str:
    alternatives = (" & ".join(_phrase(term, stems, joint) for term in terms) for terms in query.alternatives)
    return "(" + " | ".join(f"({terms})" for terms in alternatives) + ")"


def _phrase(term: Term, stems: Stemmer, joint: str) -> str:
    return "(" + joint.join(_word(word, stems, is_alone=len(term.words) == 1) for word in term.words) + ")"


def _word(word: str, stems: Stemmer, *, is_alone: bool) -> str:
    is_prefix = is_alone and is_unspaced(word)
    return "(" + " | ".join(f"'{stem}'{':*' if is_prefix else ''}" for stem in sorted(stems(word))) + ")"


# Time ranges


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """A part of the past, and the facets of its days or months; None where these would be too many."""

    start: datetime | None
    end: datetime | None
    facets: list[str] | None


AGES = (timedelta(days=1), timedelta(days=10), timedelta(days=100), timedelta(days=1_000))
MAX_DAYS, MAX_MONTHS = 40, 40  # more facets would cost more than they save
SKEW = timedelta(days=1)  # by which the clock of another server may be ahead


def date_facets(seen_at: datetime) -> list[str]:
    """The facets of a document's day and month."""
    day = seen_at.astimezone(UTC).date()
    return [f"d:{day.isoformat()}", f"m:{day.isoformat()[:7]}"]


def document_facets(collection: str, source: str, language: str) -> list[str]:
    return [f"c:{collection}", f"s:{source}", f"l:{primary_language(language)}"]


def query_facets(query: Query) -> list[str] | None:
    filters = (
        ("c", query.collection),
        ("s", query.source),
        ("l", query.language and primary_language(query.language.lower())),
    )
    return [f"{kind}:{name}" for kind, name in filters if name] or None


def time_ranges(query: Query, *, now: datetime) -> list[TimeRange]:
    """The time of a query in ranges from the newest to the oldest, each ten times as long as the one before.

    A search that reads them in order and stops when it has enough reads little more than enough.
    """
    end = query.until
    newest = min(end, now) if end else now
    starts = [newest - age for age in AGES if query.since is None or newest - age > query.since]
    ends = [end, *starts]
    return [
        TimeRange(start=start, end=stop, facets=_range_facets(start, stop or now + SKEW))
        for start, stop in zip([*starts, query.since], ends, strict=True)
    ]


def _range_facets(start: datetime | None, end: datetime) -> list[str] | None:
    if start is None:
        return None
    first, last = start.astimezone(UTC).date(), end.astimezone(UTC).date()
    if (last - first).days <= MAX_DAYS:
        return [f"d:{(first + timedelta(days=day)).isoformat()}" for day in range((last - first).days + 1)]
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return [f"m:{month // 12:04}-{month % 12 + 1:02}" for month in months] if len(months) <= MAX_MONTHS else None


def day_bounds(since: date | None, until: date | None, timezone: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    """The start of one local day and the end of another; ValueError for years out of range."""
    for day in (since, until):
        if day and day.year not in YEARS:
            raise ValueError(f"the year {day.year} is out of range: it must be from {YEARS[0]} to {YEARS[-1]}")
    start = datetime.combine(since, time(), timezone) if since else None
    end = datetime.combine(until + timedelta(days=1), time(), timezone) if until else None
    return start, end


# Ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningFloor:
    """The least cosine of a story that is found by its meaning, for one model.

    A query whose words are in documents needs `known`. One of unknown words may be nonsense, whose best cosine grows
    with the logarithm of the number of documents; it needs `growth` times that.
    """

    known: float
    growth: float


# Measured with 390 queries of random letters, syllables, names and characters: 99 of 100 stay below 0.206 among 188
# documents, 0.245 among 433, 0.373 among 12,311. Of 70 paraphrases of real headlines, 66 reach 0.22.
MEANING_FLOORS = {"use-multilingual": MeaningFloor(known=0.22, growth=0.045)}


def least_cosine(model_name: str, *, has_known_words: bool, documents: int) -> float:
    """The least cosine of a story that is found by its meaning among so many documents; 0 without a measurement."""
    floor = MEANING_FLOORS.get(model_name)
    if floor is None:
        return 0.0
    return floor.known if has_known_words else max(floor.known, floor.growth * math.log(max(documents, 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedStory:
    """A story with its best document, its score, and the methods that found it."""

    story_id: int
    document_id: int
    score: float
    found_by: list[SearchMethod] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedEvent:
    """An event that was found, with those of its stories that were found, the best first."""

    event_id: int
    stories: list[RankedStory]

    @property
    def found_by(self) -> list[SearchMethod]:
        """The methods that found any of its stories."""
        methods = {method for story in self.stories for method in story.found_by}
        return [method for method in WEIGHTS if method in methods]


def fuse_rankings(rankings: Mapping[SearchMethod, Sequence[tuple[int, int]]]) -> list[RankedStory]:
    """Fuse rankings of (story, best document) by reciprocal rank.

    The first method that found a story gives its document.
    """
    entries = [
        (story_id, document_id, method, WEIGHTS[method] / (FUSION + rank))
        for method, pairs in rankings.items()
        for rank, (story_id, document_id) in enumerate(pairs, start=1)
    ]
    by_story = groupby(sorted(entries, key=itemgetter(0)), key=itemgetter(0))  # stable: the methods keep their order
    stories = [_ranked(list(same)) for _, same in by_story]
    return sorted(stories, key=lambda story: (-story.score, -story.story_id))


def _ranked(entries: Sequence[tuple[int, int, SearchMethod, float]]) -> RankedStory:
    story_id, document_id = entries[0][:2]
    return RankedStory(
        story_id=story_id,
        document_id=document_id,
        score=round(sum(score for *_, score in entries), 6),
        found_by=[method for _, _, method, _ in entries],
    )


def group_by_event(stories: Sequence[RankedStory], event_id_by_story: Mapping[int, int]) -> list[RankedEvent]:
    """Each event once, in the place of its best story; a story without an event is left out."""
    by_event: dict[int, list[RankedStory]] = {}
    for story in stories:
        if story.story_id in event_id_by_story:
            by_event.setdefault(event_id_by_story[story.story_id], []).append(story)
    return [RankedEvent(event_id=event_id, stories=same) for event_id, same in by_event.items()]


def list_singly(stories: Sequence[RankedStory], event_id_by_story: Mapping[int, int]) -> list[RankedEvent]:
    """Each story as a result of its own, with its event; a story without an event is left out."""
    return [event for story in stories for event in group_by_event([story], event_id_by_story)]
