"""Asks models about the pairs of the review queue, before people see them."""

from datetime import datetime

from scoop.actions import review
from scoop.store import briefs, pair_answers
from scoop.store.db import Connection

MAX_AHEAD = 20  # pairs at the head of the queue, which puts recent stories of many publishers first


async def ask_ahead(conn: Connection, *, now: datetime) -> None:
    """Ask about the first pairs of the queue, each once."""
    async with conn.transaction():
        pairs = await review.gray_pairs(conn, limit=MAX_AHEAD, now=now)
        documents = [(pair.one.document_id, pair.other.document_id) for pair in pairs if pair.answer is None]
        unasked = await pair_answers.list_unasked(conn, await pair_answers.put_pairs(conn, documents))
        await briefs.ask(conn, "same_event", "pair", dict.fromkeys(unasked, ""))
