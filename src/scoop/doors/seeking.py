"""Search as the doors do it: by words and by meaning, which is asked for before the database is."""

from scoop import app, search
from scoop.core.search import Query
from scoop.doors.desk import Desk
from scoop.search import Found


async def found(desk: Desk, query: Query) -> Found:
    async with app.open_client(desk.config) as client:
        meaning = await search.meaning(app.open_embedder(desk.config, client), query)
    async with desk.reading() as conn:
        return await search.search(conn, query, now=desk.clock(), meaning=meaning)
