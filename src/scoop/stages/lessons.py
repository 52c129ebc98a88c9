"""Lessons: which are asked for ahead, and how the stage `write` makes and stores them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoop.core.briefs import Order, lesson
from scoop.core.briefs.lesson import LANGUAGE, CheckedLesson
from scoop.core.levels.rules import LEVELS, Level
from scoop.core.listening import JAPAN
from scoop.core.support import Embed
from scoop.model import LessonsAhead
from scoop.stage_names import StageName
from scoop.stages.texts import TextKind, Written
from scoop.stages.write import MAX_FAILURES
from scoop.store import briefs, learners, lessons, listening, work
from scoop.store.briefs import Settled
from scoop.store.db import Connection
from scoop.store.lessons import NewLesson
from scoop.store.model_calls import ClosedCall
from scoop.store.work import Subject

DISCLAIMERS = {"local": "simplified"}  # by provider; everything else is generated
NO_CALL = ClosedCall(call_id=0, outcome="accepted")  # of a writer that costs nothing


AHEAD_FOR = timedelta(days=1)  # lessons of articles that were chosen earlier are made when somebody asks
MOST_AT_ONCE = 120  # two days of ten articles at six levels


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPolicy:
    """How many articles a day are chosen for learners, of which topics (empty: all), and what is made of them ahead."""

    per_day: int = 10
    topics: tuple[str, ...] = ()
    ahead: LessonsAhead = "all"


NO_LESSONS = LessonPolicy(per_day=0, ahead="none")


async def ask_ahead(conn: Connection, policy: LessonPolicy, *, now: datetime) -> None:
    """Ask for the lessons of the articles that were chosen today and yesterday."""
    if policy.ahead == "none" or not policy.per_day:
        return
    async with conn.transaction():
        levels = LEVELS if policy.ahead == "all" else await _levels_of_readers(conn)
        await ask_levels(conn, levels, now=now)


async def ask_levels(conn: Connection, levels: Sequence[Level], *, now: datetime) -> None:
    """Ask for the lessons of these levels of the articles that were chosen today and yesterday, in a transaction."""
    since = (now - AHEAD_FOR).astimezone(JAPAN).date()
    documents_by_level = defaultdict[Level, list[int]](list)
    for document_id, level in await listening.list_unasked(conn, levels, since=since, limit=MOST_AT_ONCE):
        documents_by_level[level].append(document_id)
    for level, documents in documents_by_level.items():
        await briefs.ask(conn, "lesson", "document", dict.fromkeys(documents, LANGUAGE), level=level)


async def _levels_of_readers(conn: Connection) -> Sequence[Level]:
    return sorted({learners.DEFAULT_LEVEL, *await listening.list_levels_of_learners(conn)})


def text_kind() -> TextKind:
    """Lessons as a kind of text of the stage `write`."""
    return TextKind(
        prompt=lambda order, finding: lesson.prompt(order, finding=finding),
        has_material=lambda order: lesson.has_text(order.documents),
        read=_read,
        save=_save,
        known_inputs=_no_inputs,
        kept=lessons.list_known,
    )


async def _no_inputs(_conn: Connection, _brief_ids: Sequence[int]) -> set[bytes]:
    """A lesson is kept for ever, whatever its inputs become: `kept` decides."""
    return set()


def _read(reply: str, order: Order, _embed: Embed | None) -> CheckedLesson:
    return lesson.check(lesson.parse(reply, order), order)


async def _save(conn: Connection, written: Sequence[Written]) -> list[Settled]:
    """Store the lessons that are as hard as their level wants, compared with the others of their subject."""
    if not written:
        return []
    made = [(each, _new_lesson(each)) for each in written]
    subjects = {new.subject for _, new in made}
    await lessons.lock(conn, subjects)
    scores = await lessons.list_scores(conn, subjects)
    stored, refused = [], []
    for each, new in sorted(made, key=lambda pair: LEVELS.index(pair[1].level)):
        if problem := inversion(new.level, new.score, scores[new.subject]):
            refused.append(await _refuse(conn, each, problem))
        else:
            scores[new.subject][new.level] = new.score
            stored.append(new)
    await lessons.put(conn, stored)
    return refused


def inversion(level: Level, score: float, scores: Mapping[Level, float]) -> str:
    """Why a lesson would be harder than one of a higher level, or easier than one of a lower; empty if it is not."""
    at = LEVELS.index(level)
    for other, known in scores.items():
        if LEVELS.index(other) < at and score < known:
            return f"The text is easier than the text of level {other}: write it harder."
        if LEVELS.index(other) > at and score > known:
            return f"The text is harder than the text of level {other}: write it easier."
    return ""


async def _refuse(conn: Connection, written: Written, problem: str) -> Settled:
    """The outcome of a text that is not stored: a model is asked again, unless the text failed too often."""
    brief = written.brief
    repairs = written.writer.provider != "local" and brief.failures + 1 < MAX_FAILURES
    if repairs:
        await work.enqueue(conn, StageName.WRITE, [Subject(brief.brief_id)])
    return Settled(
        brief_id=brief.brief_id,
        problem=f"inverted: {problem}",
        finding=problem if repairs else "",
        is_unusable=True,
    )


def _new_lesson(written: Written) -> NewLesson:
    checked: CheckedLesson = written.text
    brief, call, provider = written.brief, written.call or NO_CALL, written.writer.provider
    return NewLesson(
        brief_id=brief.brief_id,
        subject_kind="event" if brief.subject_kind == "event" else "document",
        subject_id=brief.subject_id,
        level=lesson.level_of(written.order),
        lesson_text=checked.lesson_text,
        sentences=checked.sentences,
        word_count=checked.word_count,
        measured_level=checked.measured_level,
        score=checked.score,
        findings=checked.broken_rules,
        provider=provider,
        model=written.model,
        prompt_id=written.prompt.prompt_id,
        prompt_version=written.prompt.prompt_version,
        disclaimer_id=DISCLAIMERS.get(provider, "generated"),
        input_hash=written.input_hash,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cost=call.cost,
        currency=call.currency,
        prompt_key=call.prompt_key,
        response_key=call.response_key,
    )
