"""Unsure mentions as a kind of text of the stage `write`: a model's judgement replaces the score."""

from collections.abc import Sequence

from scoop.core.briefs import Order, sentiment
from scoop.core.briefs.sentiment import SentimentJudgement
from scoop.core.mention_scores import LABEL_NUMBERS
from scoop.core.support import Embed
from scoop.stages.texts import TextKind, Written
from scoop.store import mentions
from scoop.store.db import Connection
from scoop.store.mentions import MentionJudgement


def text_kind() -> TextKind:
    return TextKind(
        prompt=lambda order, finding: sentiment.prompt(order, finding=finding),
        has_material=sentiment.has_text,
        read=_read,
        save=_save,
        known_inputs=no_known_inputs,
        kept=mentions.list_judged,
    )


def _read(reply: str, order: Order, _embed: Embed | None) -> SentimentJudgement:
    return sentiment.check(sentiment.parse(reply), order)


async def no_known_inputs(_conn: Connection, _brief_ids: Sequence[int]) -> set[bytes]:
    """None: what a model has answered is kept."""
    return set()


async def _save(conn: Connection, written: Sequence[Written]) -> None:
    await mentions.judge(conn, [_judgement(each) for each in written])


def _judgement(written: Written) -> MentionJudgement:
    judged: SentimentJudgement = written.text
    return MentionJudgement(
        mention_id=written.brief.subject_id,
        compound=judged.compound,
        confidence=judged.confidence,
        label=LABEL_NUMBERS[judged.label],
        version=version_of(written),
    )


def version_of(written: Written) -> str:
    """The model and the prompt of a text."""
    return f"{written.model} ({written.prompt.prompt_id} {written.prompt.prompt_version})"
