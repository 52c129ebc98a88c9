"""The page for teachers: the level of a pasted text, its hard words and its long sentences."""

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import Response

from scoop.core.levels import check, measure, reading
from scoop.core.levels.measure import LevelMeasurement
from scoop.core.levels.rules import LEVELS, RULES, Level
from scoop.http import routes
from scoop.http.routes import needs
from scoop.web import pages
from scoop.web.context import PageContext
from scoop.web.forms import FormFields

router = routes.for_pages()

MOST_CHARACTERS = measure.MAX_CHARACTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPart:
    """A part of the text: a hard word has its level, plain text has none."""

    text: str
    level: Level | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeveledSentence:
    """A sentence with its hard words; `is_long` if it is longer than the wanted level allows."""

    parts: tuple[MarkedPart, ...]
    level: Level
    words: int
    is_long: bool


@router.get("/levels")
@needs("read")
async def text_level_page(context: PageContext) -> Response:
    return pages.page("text_levels.html", context, text="", wanted="", measured=None, LEVELS=LEVELS)


@router.post("/levels")
@needs("read")
async def measure_text(context: PageContext, fields: FormFields) -> Response:
    text, wanted = fields["text"], fields["level"] if fields["level"] in LEVELS else ""
    measured = measure.measure(text)
    limit = wanted or _below(measured.level)
    return pages.page(
        "text_levels.html",
        context,
        text=text,
        wanted=wanted,
        measured=measured,
        limit=limit,
        sentences=list(marked(text, measured, limit)),
        broken=check.check(text[:MOST_CHARACTERS], wanted) if wanted else (),
        LEVELS=LEVELS,
    )


def _below(level: Level | None) -> Level:
    """The level below: the words above it are those that give a text its level."""
    return LEVELS[max(LEVELS.index(level) - 1, 0)] if level else LEVELS[-1]


def marked(text: str, measured: LevelMeasurement, level: Level) -> Iterator[LeveledSentence]:
    """The sentences; words above the level are marked, and sentences that are too long for it."""
    longest = RULES[level].longest_sentence
    words = measure.hard_words(reading.read(text[:MOST_CHARACTERS]), above=level) if measured.sentences else []
    for sentence in measured.sentences:
        inside = [word for word in words if sentence.start <= word.start < sentence.end]
        parts, at = [], sentence.start
        for word in inside:
            parts += [MarkedPart(text=text[at : word.start]), MarkedPart(text=word.text, level=word.level)]
            at = word.end
        yield LeveledSentence(
            parts=(*parts, MarkedPart(text=text[at : sentence.end])),
            level=sentence.level,
            words=sentence.words,
            is_long=longest is not None and sentence.words > longest,
        )
