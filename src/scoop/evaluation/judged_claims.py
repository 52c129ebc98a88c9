"""Claims that the signs leave open, put to the writer of the task `support` as the stage `write` does."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from scoop import app
from scoop.config import Config
from scoop.core.briefs import BadReply, Order, support
from scoop.core.support import Support, verdicts
from scoop.errors import Reject, Retry
from scoop.evaluation import claims
from scoop.evaluation.claims import ClaimRow
from scoop.model import Citation
from scoop.stages import texts
from scoop.task_settings import NO_WRITER
from scoop.writers import Reply, Writer

ATTEMPTS = 3
LONGEST_WAIT = 60.0  # seconds, whatever the server asks for: the claim is rejected then


@dataclass(slots=True, kw_only=True)
class Accounts:
    """What the model was asked and what that cost; `left_out` has the ids of claims beyond `max_requests`."""

    max_requests: int
    model: str = ""
    requests: int = 0
    left_out: set[str | int] = field(default_factory=set)
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    currency: str = ""

    @property
    def is_full(self) -> bool:
        return self.requests >= self.max_requests

    def add(self, writer: Writer, reply: Reply) -> None:
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens
        self.cost += texts.price(writer.prices, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)

    def __str__(self) -> str:
        used = f"{self.requests:,} requests to {self.model}, {self.input_tokens:,} and {self.output_tokens:,} tokens"
        rest = f"; {len(self.left_out):,} claims were not asked about: --max-requests" if self.left_out else ""
        return f"{used} of prompts and replies, {self.cost:f} {self.currency}{rest}"


def predict(rows: Sequence[ClaimRow], config: Config | None, accounts: Accounts) -> list[dict[str, Any]]:
    """The judgements of rows: by the signs, and by the writer of the task `support` where these leave a claim open."""
    judged = [claims.judge_row(row) for row in rows]
    opened = [at for at, one in enumerate(judged) if one.is_open]
    if not opened or config is None or config.tasks[support.TASK].writer == NO_WRITER:
        return [claims.prediction(row, one) for row, one in zip(rows, judged, strict=True)]
    answers = asyncio.run(_ask_all([rows[at] for at in opened], config, accounts))
    confirmed = {at: _confirmed(rows[at], judged[at], answer) for at, answer in zip(opened, answers, strict=True)}
    return [
        claims.prediction(row, confirmed.get(at, judged[at]))
        | {"asked_model": at in confirmed and row.id not in accounts.left_out}
        for at, row in enumerate(rows)
    ]


def _confirmed(row: ClaimRow, judged: Support, passage: Citation | None) -> Support:
    """The judgement beside the passage that the model named; that of the signs if it named none."""
    return judged if passage is None else verdicts.confirm(claims.judge_row(row, cited=(passage,)))


async def _ask_all(rows: Sequence[ClaimRow], config: Config, accounts: Accounts) -> list[Citation | None]:
    """The passage of each claim that the model confirms, as many at once as the settings allow."""
    async with app.open_client(config) as client:
        task = app.open_tasks(config, client)[support.TASK]
        room = asyncio.Semaphore(task.parallel)
        accounts.model, accounts.currency = task.writer.model, task.writer.prices.currency

        async def ask(row: ClaimRow) -> Citation | None:
            async with room:
                return await _ask(row, task.writer, accounts)

        return await asyncio.gather(*map(ask, rows))


async def _ask(row: ClaimRow, writer: Writer, accounts: Accounts) -> Citation | None:
    order = Order(
        kind="summary",
        language=row.claim_lang or row.lang,
        documents=tuple(claims.sources_of(row)),
        max_prompt_tokens=writer.max_prompt_tokens,
    )
    question = support.prompt(order, [row.claim])
    for attempt in range(1, ATTEMPTS + 1):
        if accounts.is_full:
            accounts.left_out.add(row.id)
            return None
        accounts.requests += 1
        try:
            reply = await writer.write(order, question)
            accounts.add(writer, reply)
            return support.read(reply.text, order, [row.claim]).get(row.claim)
        except Retry as error:
            wait = error.after.total_seconds() if error.after else float(attempt)
            await asyncio.sleep(min(wait, LONGEST_WAIT) if attempt < ATTEMPTS else 0)
        except (BadReply, Reject):
            return None
    return None
