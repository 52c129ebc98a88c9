"""Claims that the signs leave open, put to the writer of the task `support` as the stage `write` does."""

import asyncio
from collections.abc import Sequence
from typing import Any

from scoop import app
from scoop.config import Config
from scoop.core.briefs import BadReply, Order, support
from scoop.core.support import Support, verdicts
from scoop.errors import Reject, Retry
from scoop.evaluation import claims
from scoop.evaluation.claims import ClaimRow
from scoop.model import Citation
from scoop.stages.texts import Task
from scoop.task_settings import NO_WRITER

ATTEMPTS = 3
LONGEST_WAIT = 60.0  # seconds, whatever the server asks for: the claim is rejected then


def predict(rows: Sequence[ClaimRow], config: Config | None) -> list[dict[str, Any]]:
    """The judgements of rows: by the signs, and by the writer of the task `support` where these leave a claim open."""
    judged = [claims.judge_row(row) for row in rows]
    opened = [at for at, one in enumerate(judged) if one.is_open]
    if not opened or config is None or config.tasks[support.TASK].writer == NO_WRITER:
        return [claims.prediction(row, one) for row, one in zip(rows, judged, strict=True)]
    answers = asyncio.run(_ask_all([rows[at] for at in opened], config))
    confirmed = {at: _confirmed(rows[at], judged[at], answer) for at, answer in zip(opened, answers, strict=True)}
    return [
        claims.prediction(row, confirmed.get(at, judged[at])) | {"asked_model": at in confirmed}
        for at, row in enumerate(rows)
    ]


def _confirmed(row: ClaimRow, judged: Support, passage: Citation | None) -> Support:
    """The judgement beside the passage that the model named; that of the signs if it named none."""
    return judged if passage is None else verdicts.confirm(claims.judge_row(row, cited=(passage,)))


async def _ask_all(rows: Sequence[ClaimRow], config: Config) -> list[Citation | None]:
    """The passage of each claim that the model confirms, as many at once as the settings allow."""
    async with app.open_client(config) as client:
        task = app.open_tasks(config, client)[support.TASK]
        room = asyncio.Semaphore(task.parallel)

        async def ask(row: ClaimRow) -> Citation | None:
            async with room:
                return await _ask(row, task)

        return await asyncio.gather(*map(ask, rows))


async def _ask(row: ClaimRow, task: Task) -> Citation | None:
    order = Order(
        kind="summary",
        language=row.claim_lang or row.lang,
        documents=tuple(claims.sources_of(row)),
        max_prompt_tokens=task.writer.max_prompt_tokens,
    )
    question = support.prompt(order, [row.claim])
    for attempt in range(1, ATTEMPTS + 1):
        try:
            reply = await task.writer.write(order, question)
            return support.read(reply.text, order, [row.claim]).get(row.claim)
        except Retry as error:
            wait = error.after.total_seconds() if error.after else float(attempt)
            await asyncio.sleep(min(wait, LONGEST_WAIT) if attempt < ATTEMPTS else 0)
        except (BadReply, Reject):
            return None
    return None
