"""Pairs of the review queue as a kind of text of the stage `write`: answers are stored, and decide if they may."""

from collections.abc import Sequence

from scoop.core.briefs import Order, same_event
from scoop.core.briefs.same_event import PairJudgement
from scoop.core.support import Embed
from scoop.errors import UsageError
from scoop.stages.texts import TextKind, Written
from scoop.store import pair_answers, review
from scoop.store.db import Connection
from scoop.store.model_calls import ClosedCall
from scoop.store.pair_answers import NewAnswer


def text_kind(*, decides: bool) -> TextKind:
    """Answers about pairs; if they decide, an answer that is sure becomes a decision that people can undo."""

    async def save(conn: Connection, written: Sequence[Written]) -> None:
        stories = await pair_answers.list_stories(conn, [each.brief.subject_id for each in written]) if decides else {}
        answers = [_new_answer(each, await _decide(conn, each, stories.get(each.brief.subject_id))) for each in written]
        await pair_answers.append(conn, answers)

    return TextKind(
        prompt=lambda order, finding: same_event.prompt(order, finding=finding),
        has_material=same_event.has_text,
        read=_read,
        save=save,
        known_inputs=pair_answers.list_known_inputs,
    )


def _read(reply: str, order: Order, _embed: Embed | None) -> PairJudgement:
    return same_event.check(same_event.parse(reply), order)


async def _decide(conn: Connection, written: Written, stories: tuple[int, int] | None) -> int | None:
    """Carry out an answer that is sure; None if it is not, or if the stories or other decisions are against it."""
    judgement: PairJudgement = written.text
    if stories is None or judgement.verdict == "unsure" or await pair_answers.was_undone(conn, *stories):
        return None
    decide = review.put_together if judgement.verdict == "same" else review.keep_apart
    prompt = written.prompt
    by = f"{written.model} ({prompt.prompt_id} {prompt.prompt_version})"
    one, other = map(str, stories)
    try:
        decision = await decide(conn, one, other, note=judgement.reason, by=by)
    except UsageError:  # they were merged, or a person decided, while the model was asked
        return None
    return decision.decision_id


def _new_answer(written: Written, decision_id: int | None) -> NewAnswer:
    judgement: PairJudgement = written.text
    call = written.call or ClosedCall(call_id=0, outcome="accepted")
    return NewAnswer(
        pair_id=written.brief.subject_id,
        brief_id=written.brief.brief_id,
        verdict=judgement.verdict,
        reason=judgement.reason,
        differences=judgement.differences,
        provider=written.writer.provider,
        model=written.model,
        prompt_id=written.prompt.prompt_id,
        prompt_version=written.prompt.prompt_version,
        input_hash=written.input_hash,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cost=call.cost,
        currency=call.currency,
        prompt_key=call.prompt_key,
        response_key=call.response_key,
        decision_id=decision_id,
    )
