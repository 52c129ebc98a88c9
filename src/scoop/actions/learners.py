"""What learners do: change their level, go through a lesson, collect words and review them."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from scoop.core import dictionary, streaks, word_reviews
from scoop.core.word_reviews import Answer
from scoop.errors import NotFound, UsageError
from scoop.model import Level
from scoop.store import learner_words, learners, lessons
from scoop.store.db import Connection
from scoop.store.learner_words import LearnerWord, NewWord
from scoop.store.learners import Learner, LessonPlace

CSV_COLUMNS = ("word", "definition", "example", "level", "word class", "as met", "due")
ANKI_HEADER = ("#separator:Comma", "#html:false", f"#columns:{','.join(CSV_COLUMNS)}")
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerStats:
    """How much a person has listened: lessons heard to the end, today and ever, and days in a row."""

    heard: int
    heard_today: int
    streak: int
    words: int
    words_due: int


async def change_settings(
    conn: Connection, user_id: int, *, level: Level | None = None, timezone: str | None = None
) -> Learner:
    """Change the level or the timezone of a person; the level counts at once."""
    if timezone is not None and timezone not in available_timezones():
        raise UsageError(f"{timezone!r} is not a timezone; write it as Asia/Tokyo")
    return await learners.put(conn, user_id, level=level, timezone=timezone)


async def record_progress(
    conn: Connection, user_id: int, lesson_id: int, *, sentence: int, position_ms: int, is_heard: bool, at: datetime
) -> LessonPlace:
    """Store where a person stopped in a lesson; one that is heard to the end for the first time counts for the day."""
    lesson = await lessons.by_id(conn, lesson_id)
    if sentence >= len(lesson.sentences):
        raise UsageError(f"the lesson has {len(lesson.sentences)} sentences, counted from 0")
    is_first = await learners.put_progress(
        conn,
        user_id,
        lesson_id,
        sentence=sentence,
        position_ms=position_ms,
        is_heard=is_heard,
        at=at,
    )
    if is_first:
        learner = await learners.get_learner(conn, user_id)
        await learners.count_day(conn, user_id, at.astimezone(ZoneInfo(learner.timezone)).date())
    place = await learners.find_progress(conn, user_id, lesson_id)
    assert place is not None  # noqa: S101 - it was just stored
    return place


async def get_stats(conn: Connection, user_id: int, *, now: datetime) -> LearnerStats:
    learner = await learners.get_learner(conn, user_id)
    today = now.astimezone(ZoneInfo(learner.timezone)).date()
    days = await learners.list_days(conn, user_id)
    due, words = await learner_words.count_due(conn, user_id, now)
    return LearnerStats(
        heard=await learners.count_heard(conn, user_id),
        heard_today=next((day.heard for day in days if day.day == today), 0),
        streak=streaks.streak((day.day for day in days), today),
        words=words,
        words_due=due,
    )


async def add_word(
    conn: Connection,
    user_id: int,
    word: str,
    *,
    word_class: str = "",
    definition: str = "",
    example: str = "",
    lesson_id: int | None = None,
    now: datetime,
) -> LearnerWord:
    """Add a word to a person's list, with what the dictionary says of it; in another form it is the same word."""
    entries = dictionary.look_up(word)
    if not entries[0].word:
        raise UsageError("the word has no letters")
    if lesson_id is not None:
        await _check_lesson(conn, lesson_id)
    entry = next((entry for entry in entries if entry.word_class == word_class), entries[0])
    new = NewWord(
        word=entry.word,
        lemma=entry.lemma,
        word_class=entry.word_class,
        level=entry.level,
        definition=definition or entry.definition,
        example=example,
        lesson_id=lesson_id,
    )
    return await learner_words.put(conn, user_id, new, word_reviews.new_card(now))


async def _check_lesson(conn: Connection, lesson_id: int) -> None:
    try:
        await lessons.by_id(conn, lesson_id)
    except NotFound as missing:
        raise UsageError(f"lesson_id: {missing}; leave it out, or give the id of a lesson") from missing


async def review_word(conn: Connection, user_id: int, word_id: int, answer: Answer, *, now: datetime) -> LearnerWord:
    """Store how well a person knew a word; the better, the later it is due again."""
    word = await learner_words.by_id(conn, user_id, word_id)
    card = word_reviews.reviewed(word.card, answer, now)
    await learner_words.review(conn, word_id, card, answer=answer, now=now)
    return await learner_words.by_id(conn, user_id, word_id)


def as_csv(words: Iterable[LearnerWord]) -> str:
    """A word list as CSV with the header lines that Anki reads: the word in front, its meaning and example behind."""
    out = io.StringIO()
    out.writelines(f"{line}\n" for line in ANKI_HEADER)
    writer = csv.writer(out, lineterminator="\n")
    for word in words:
        row = (word.lemma, word.definition, word.example, word.level, word.word_class, word.word, word.due_at.date())
        writer.writerow([_as_text(str(cell)) for cell in row])
    return out.getvalue()


def _as_text(cell: str) -> str:
    """The cell, so that no spreadsheet takes it for a formula."""
    return f"'{cell}" if cell.startswith(FORMULA_SIGNS) else cell
