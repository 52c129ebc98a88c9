"""What a person seeks, as it is understood; the words that documents are found by; many ways of finding, one list."""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Literal
from zoneinfo import ZoneInfo

from scoop.core import text

SearchMethod = Literal["words", "meaning", "spelling"]
Stemmer = Callable[[str], Collection[str]]
"""The forms under which a word may be indexed: its stem in each language that the documents have."""

MAX_CHARACTERS = 400  # of what is typed
MAX_WORDS = 32  # of them; a long Japanese phrase has as many pairs of signs as signs
MAX_LENGTH = 64  # characters of a word that count
MAX_BODY_WORDS = 12_000  # of a document that can be found
MAX_PLACES = 64  # at which a document's word is known to stand: enough for phrases, and ranking weighs each pair
LEAD_WORDS = 60
GAP = 10  # between title and body, so that no phrase spans both
FUSION = 60  # what reciprocal rank fusion adds to each rank: the usual constant, from which on it hardly matters
WEIGHTS: Mapping[SearchMethod, float] = {"words": 1.0, "meaning": 0.7, "spelling": 0.5}
YEARS = range(1900, 3000)

# Stemmers that PostgreSQL has from 15 on; words of other languages are taken as they are.
STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

_CHUNK = re.compile(r'(?P<minus>-?)(?:"(?P<quoted>[^"]*)"?|(?P<bare>[^\s"]+))')
_ACCENT = re.compile("[\u0300-\u036f]")
_HANGUL = re.compile("[\uac00-\ud7a3]+")
_SIGN = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is sought, and among which stories; `until` itself is not among them."""

    text: str
    collection: str | None = None
    source: str | None = None
    topic: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    language: str | None = None
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must follow one another: one word, a quoted phrase, or what is typed as one, as `covid-19`."""

    words: tuple[str, ...]
    is_quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """One of the alternatives must hold with all its terms, and none of the excluded; `plain` is what one would say."""

    alternatives: tuple[tuple[Term, ...], ...]
    excluded: tuple[Term, ...]
    plain: str
    is_cut: bool

    @property
    def is_empty(self) -> bool:
        return not self.alternatives

    @property
    def is_literal(self) -> bool:
        """Whether exactly these words are wanted, and nothing that only means the same."""
        return any(term.is_quoted for terms in self.alternatives for term in terms)

    @property
    def has_phrases(self) -> bool:
        return any(len(term.words) > 1 for terms in (*self.alternatives, self.excluded) for term in terms)

    @property
    def words(self) -> list[str]:
        """The words sought, each once."""
        return list(dict.fromkeys(word for terms in self.alternatives for term in terms for word in term.words))

    @property
    def excluded_words(self) -> list[str]:
        return list(dict.fromkeys(word for term in self.excluded for word in term.words))


def parse_query(typed: str) -> ParsedQuery:
    """The query in what a person typed: `"a phrase"`, `-without`, `this OR that`, and all other words."""
    line = text.one_line(typed)
    alternatives: list[list[Term]] = [[]]
    excluded: list[Term] = []
    said: list[str] = []
    count = 0
    for chunk in _CHUNK.finditer(text.truncated(line, MAX_CHARACTERS)):
        if chunk["bare"] == "OR" and not chunk["minus"]:
            alternatives.append([])
            continue
        spoken = chunk["quoted"] if chunk["bare"] is None else chunk["bare"]
        words = tuple(tokenize(text.normalized(spoken)))
        if not words:
            continue
        count += len(words)
        if count > MAX_WORDS:
            break
        term = Term(words, is_quoted=chunk["bare"] is None)
        if chunk["minus"]:
            excluded.append(term)
        else:
            alternatives[-1].append(term)
            said.append(spoken)
    return ParsedQuery(
        alternatives=tuple(tuple(dict.fromkeys(terms)) for terms in alternatives if terms),
        excluded=tuple(dict.fromkeys(excluded)),
        plain=" ".join(said),
        is_cut=len(line) > MAX_CHARACTERS or count > MAX_WORDS,
    )


def tokenize(normalized_text: str) -> list[str]:
    """The words that a text is found by; Korean, whose words have endings of their own, by pairs of signs, too."""
    found = text.words(normalized_text)
    if normalized_text.isascii() or not _HANGUL.search(normalized_text):
        return [word[:MAX_LENGTH] for word in found]
    return [each[:MAX_LENGTH] for word in found for each in _pairs(word)]


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
    """Whether it is one sign of a script that is kept in pairs, and so the beginning of many words."""
    return len(word) == 1 and _SIGN.match(word) is not None


def count_unspaced(written: str) -> int:
    return len(_SIGN.findall(written))


def begins_with_any(word: str, forms: Collection[str]) -> bool:
    return word[:1] in forms and is_unspaced(word[:1])


def primary_language(language: str) -> str:
    return language.partition("-")[0]


# What PostgreSQL is given


def tsvector(title: Sequence[str], body: Sequence[str], stems: Mapping[str, str]) -> str:
    """The words of a document with their places, as a tsvector is written: A in the title, B in the lead."""
    places: dict[str, list[str]] = {}
    after = len(title) + GAP
    lead, rest = body[:LEAD_WORDS], body[LEAD_WORDS:MAX_BODY_WORDS]
    for words, first, weight in ((title, 1, "A"), (lead, after, "B"), (rest, after + len(lead), "")):
        for word, place in zip(words, map(str, range(first, first + len(words))), strict=True):
            known = places.get(word)
            if known is None:
                places[word] = [place + weight]
            elif len(known) < MAX_PLACES:
                known.append(place + weight)
    return " ".join([f"'{stems[word]}':{','.join(known)}" for word, known in places.items()])


def tsquery(sought: ParsedQuery, stems: Stemmer) -> str:
    """The query as a tsquery is written."""
    excluded = [f"!{_phrase(term, stems, ' <-> ')}" for term in sought.excluded]
    return " & ".join([_wanted(sought, stems, " <-> "), *excluded])


def index_tsquery(sought: ParsedQuery, stems: Stemmer) -> str:
    """The query as far as an index can tell, which does not know where in a document its words stand."""
    excluded = [f"!{_phrase(term, stems, '')}" for term in sought.excluded if len(term.words) == 1]
    return " & ".join([_wanted(sought, stems, " & "), *excluded])


def excluded_tsquery(sought: ParsedQuery, stems: Stemmer) -> str | None:
    """What must not stand in a document, as a tsquery is written."""
    return " | ".join(_phrase(term, stems, " <-> ") for term in sought.excluded) or None


def _wanted(sought: ParsedQuery, stems: Stemmer, joint: str) -> str:
    each = (" & ".join(_phrase(term, stems, joint) for term in terms) for terms in sought.alternatives)
    return "(" + " | ".join(f"({terms})" for terms in each) + ")"


def _phrase(term: Term, stems: Stemmer, joint: str) -> str:
    return "(" + joint.join(_word(word, stems, is_alone=len(term.words) == 1) for word in term.words) + ")"


def _word(word: str, stems: Stemmer, *, is_alone: bool) -> str:
    is_start = is_alone and is_unspaced(word)
    return "(" + " | ".join(f"'{stem}'{':*' if is_start else ''}" for stem in sorted(stems(word))) + ")"


# Where to look first


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """A part of the past, and the marks of its days, months or years that documents carry; none means all time."""

    start: datetime | None
    end: datetime | None
    marks: list[str] | None


AGES = (timedelta(days=1), timedelta(days=10), timedelta(days=100), timedelta(days=1_000))
MAX_DAYS, MAX_MONTHS = 40, 40  # beyond, the marks would be more than they spare
SKEW = timedelta(days=1)  # by which the clock of another machine may be ahead


def date_facets(seen_at: datetime) -> list[str]:
    """By which a document's time is found."""
    day = seen_at.astimezone(UTC).date()
    return [f"d:{day.isoformat()}", f"m:{day.isoformat()[:7]}"]


def document_facets(collection: str, source: str, language: str) -> list[str]:
    return [f"c:{collection}", f"s:{source}", f"l:{primary_language(language)}"]


def query_facets(query: Query) -> list[str] | None:
    asked = (
        ("c", query.collection),
        ("s", query.source),
        ("l", query.language and primary_language(query.language.lower())),
    )
    return [f"{kind}:{name}" for kind, name in asked if name] or None


def time_ranges(query: Query, *, now: datetime) -> list[TimeRange]:
    """The time that is asked for, in stretches from the newest to the oldest, each ten times as long as the one before.

    Whoever looks through them in order and stops when there is enough never looks at much more than enough.
    """
    end = query.until
    newest = min(end, now) if end else now
    starts = [newest - age for age in AGES if query.since is None or newest - age > query.since]
    ends = [end, *starts]
    return [
        TimeRange(start=start, end=stop, marks=_marks(start, stop or now + SKEW))
        for start, stop in zip([*starts, query.since], ends, strict=True)
    ]


def _marks(start: datetime | None, end: datetime) -> list[str] | None:
    if start is None:
        return None
    first, last = start.astimezone(UTC).date(), end.astimezone(UTC).date()
    if (last - first).days <= MAX_DAYS:
        return [f"d:{(first + timedelta(days=day)).isoformat()}" for day in range((last - first).days + 1)]
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return [f"m:{month // 12:04}-{month % 12 + 1:02}" for month in months] if len(months) <= MAX_MONTHS else None


def day_bounds(since: date | None, until: date | None, timezone: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    """Local days, both included, as moments; ValueError for days beyond the calendar."""
    for day in (since, until):
        if day and day.year not in YEARS:
            raise ValueError(f"the year {day.year} is not one of {YEARS[0]} to {YEARS[-1]}")
    start = datetime.combine(since, time(), timezone) if since else None
    end = datetime.combine(until + timedelta(days=1), time(), timezone) if until else None
    return start, end


# Several ways to one list


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedStory:
    """A story, the document that speaks for it, its score, and by which ways it was found."""

    story_id: int
    document_id: int
    score: float
    found_by: list[SearchMethod] = field(default_factory=list)


def fuse_rankings(found: Mapping[SearchMethod, Sequence[tuple[int, int]]]) -> list[RankedStory]:
    """One list of several, each of stories with their best document: who is near the top of many comes first.

    The first way that found a story gives the document.
    """
    entries = [
        (story_id, document_id, way, WEIGHTS[way] / (FUSION + rank))
        for way, pairs in found.items()
        for rank, (story_id, document_id) in enumerate(pairs, start=1)
    ]
    by_story = groupby(sorted(entries, key=itemgetter(0)), key=itemgetter(0))  # the ways stay in their order
    best = [_one(list(same)) for _, same in by_story]
    return sorted(best, key=lambda each: (-each.score, -each.story_id))


def _one(entries: Sequence[tuple[int, int, SearchMethod, float]]) -> RankedStory:
    story_id, document_id = entries[0][:2]
    return RankedStory(
        story_id=story_id,
        document_id=document_id,
        score=round(sum(score for *_, score in entries), 6),
        found_by=[way for _, _, way, _ in entries],
    )
