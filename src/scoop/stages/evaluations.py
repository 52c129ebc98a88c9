"""Evaluations as a kind of text of the stage `write`: checked, judged by the interests, and stored."""

from collections.abc import Sequence

from scoop import metrics
from scoop.core import curation
from scoop.core.briefs import Order, evaluation
from scoop.core.curation import ArticleEvaluation
from scoop.core.support import Embed
from scoop.stages.texts import TextKind, Written
from scoop.store import evaluations
from scoop.store.db import Connection
from scoop.store.evaluations import SettledEvaluation


def text_kind() -> TextKind:
    """Evaluations of articles for curators."""

    async def save(conn: Connection, written: Sequence[Written]) -> None:
        settled = [_settled(each) for each in written]
        await evaluations.settle(conn, settled)
        for each in settled:
            metrics.EVALUATIONS.add(outcome=each.reason or each.state)

    return TextKind(
        prompt=lambda order, finding: evaluation.prompt(order, finding=finding),
        has_material=evaluation.has_text,
        read=_read,
        save=save,
        known_inputs=evaluations.list_known_inputs,
    )


def _read(reply: str, order: Order, embed: Embed | None) -> ArticleEvaluation:
    return evaluation.check(evaluation.parse(reply), order, embed=embed)


def _settled(written: Written) -> SettledEvaluation:
    evaluated: ArticleEvaluation = written.text
    assert written.order.interests is not None  # noqa: S101 - `has_material` was asked
    reason = curation.outcome(evaluated, written.order.interests)
    return SettledEvaluation(
        evaluation_id=written.brief.subject_id,
        state="rejected" if reason else "relevant",
        reason=reason,
        relevance_score=evaluated.score,
        score_parts=curation.parts_by_name(evaluated.parts),
        matching_topics=evaluated.matching_topics,
        summary=evaluated.summary,
        reasoning=evaluated.reasoning,
        is_ai_generated=evaluated.is_ai_generated,
        provider=written.writer.provider,
        model=written.model,
        prompt_id=written.prompt.prompt_id,
        prompt_version=written.prompt.prompt_version,
        input_hash=written.input_hash.hex(),
    )
