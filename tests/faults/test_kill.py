"""Kill a worker, the database, or both, at every named point: the next run ends in the same state as one without."""

import asyncio
import shutil
import signal
import subprocess
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from builders import BODY, FIRE, an_item, as_lines, scoop
from conftest import make_home
from scoop.newsstand import installation, world
from scoop.newsstand import server as newsstand_server
from scoop.newsstand.sites import models
from scoop.serve import serving
from scoop.store import briefs, db
from scoop.store.db import ExternalServer
from scoop.store.embedded import EmbeddedServer

PUSH_POINTS = ["push.saved", "push.committed"]
STAGE_POINTS = [
    *(
        f"{stage}.{moment}"
        for stage in ("normalize", "dedup")
        for moment in ("claimed", "worked", "saved", "committed")
    ),
    *(f"{stage}.saved" for stage in ("embed", "link", "group", "index", "assign-topics")),
]
VISIT_POINTS = [
    f"{stage}.{moment}" for stage in ("ingest", "pages") for moment in ("claimed", "worked", "saved", "committed")
]
# Two outlets with teasers, one whose copies they have, a service and a site without a feed.
VISITED = ["meridian_wire", "coastal_tribune", "harbour_post", "newsstand_youtube", "newsstand_fennmoor_gazette"]
WRITE_POINTS = [f"write.{moment}" for moment in ("claimed", "worked", "saved", "committed")]

LEDGER = "SELECT source, source_item_id, encode(payload_hash, 'hex') FROM raw_arrivals ORDER BY 1, 2, 3"
DOCUMENTS = """
    SELECT source, source_item_id, collection, article_id, title, body_text, normalized_language, published_at,
        publisher_family, encode(content_hash, 'hex'), title_simhash, text_simhash
    FROM documents ORDER BY 1, 2, 3
"""
STORIES = """
    SELECT canonical_title, canonical_url, status, first_seen_at, last_seen_at, item_count, sources, publisher_families,
        (SELECT array_agg(source || ' ' || source_item_id ORDER BY source, source_item_id)
         FROM story_members JOIN documents USING (document_id)
         WHERE story_members.story_id = stories.story_id) AS members
    FROM stories WHERE status <> 'merged' ORDER BY members
"""
EVENTS = """
    SELECT array_agg(canonical_title ORDER BY canonical_title) AS titles
    FROM stories WHERE status <> 'merged' GROUP BY coverage_id ORDER BY 1
"""
SEARCH = """
    SELECT source, source_item_id, facets, tokens::text
    FROM document_search JOIN documents USING (document_id) ORDER BY 1, 2
"""
WORK = "SELECT stage, subject, state::text, error FROM work ORDER BY 1, 2"


async def state(database_url: str) -> dict[str, list[tuple]]:
    """All that a user could see, without ids and times of processing."""
    database = await db.connect(ExternalServer(database_url), size=1)
    try:
        async with database.connection() as conn:
            queries = {
                "ledger": LEDGER,
                "documents": DOCUMENTS,
                "stories": STORIES,
                "events": EVENTS,
                "search": SEARCH,
                "work": WORK,
            }
            return {name: [tuple(row) for row in await conn.fetch(query)] for name, query in queries.items()}
    finally:
        await database.close()


def a_tangle(folder: Path) -> Path:
    """Items in three collections with copies and shared URLs, so that stories form, grow and merge."""
    items = [
        an_item(
            number,
            source=f"source{number % 7}",
            canonical_url=f"https://tribune.example/{number % 13}",
            title="Same headline",
            body_text=f"{BODY} Telling {number % 17}.",
            metadata={"collection": f"news_{number // 40}"},
        )
        for number in range(120)
    ]
    path = folder / "items.ndjson"
    path.write_bytes(as_lines(items))
    return path


@pytest.fixture
def items(tmp_path):
    return a_tangle(tmp_path)


def take_in(items: Path, **settings) -> int:
    return scoop("ingest", "--items", str(items), **settings).returncode


def run_once(**settings) -> int:
    return scoop("run-once", **settings).returncode


@pytest.fixture(scope="session")
def expected(clones, tmp_path_factory):
    """The state that a run without any fault leads to."""
    url = clones.take()
    assert take_in(a_tangle(tmp_path_factory.mktemp("unharmed")), database_url=url) == 0
    assert run_once(database_url=url) == 0
    return asyncio.run(state(url))


@pytest.mark.parametrize("point", PUSH_POINTS + STAGE_POINTS)
async def test_a_killed_worker_costs_nothing(point, items, database_url, expected):
    act = take_in if point in PUSH_POINTS else lambda _items, **settings: run_once(**settings)
    if point in STAGE_POINTS:
        take_in(items, database_url=database_url)
    assert act(items, database_url=database_url, fault=f"{point}:kill:1") == -signal.SIGKILL
    act(items, database_url=database_url, fault=f"{point}:kill:2")
    assert take_in(items, database_url=database_url) == 0
    assert run_once(database_url=database_url) == 0
    assert await state(database_url) == expected


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory):
    """A home whose items have arrived, with its server stopped: copying it is quicker than making one per test."""
    home = Path(make_home())
    assert take_in(a_tangle(tmp_path_factory.mktemp("filled")), home=home) == 0
    EmbeddedServer(home).stop()
    yield home
    shutil.rmtree(home)


@pytest.mark.parametrize("action", ["kill-db", "kill-both"])
@pytest.mark.parametrize("point", PUSH_POINTS + STAGE_POINTS)
async def test_a_killed_database_costs_nothing(point, action, items, home, filled_home, expected):
    if point in STAGE_POINTS:
        subprocess.run(["cp", "-a", f"{filled_home}/.", home], check=True)
    act = (
        take_in(items, home=home, fault=f"{point}:{action}:1")
        if point in PUSH_POINTS
        else run_once(home=home, fault=f"{point}:{action}:1")
    )
    assert act == (-signal.SIGKILL if action == "kill-both" else act)
    assert take_in(items, home=home) == 0
    assert run_once(home=home) == 0
    server = EmbeddedServer(home)
    found = await state(server.attach())
    server.detach()
    assert found == expected


@asynccontextmanager
async def sources_to_visit(database_url: str):
    """Some sources of the newsstand on a desk, with feeds, services and teasers whose pages must be fetched."""
    anchor = datetime(2026, 11, 15, 12, tzinfo=UTC)
    app = newsstand_server.create_app(world.load(world.SHIPPED), anchor, lambda: anchor)
    async with serving(app) as base_url:
        database = await db.connect(ExternalServer(database_url), size=1)
        async with database.connection() as conn:
            await installation.add(conn, int(base_url.rpartition(":")[2]))
            await conn.execute("UPDATE sources SET enabled = slug = ANY($1)", VISITED)
        await database.close()
        yield


@pytest.fixture(scope="session")
def expected_of_visits(clones):
    """The state that visits without any fault lead to."""
    url = clones.take()

    async def visit():
        async with sources_to_visit(url):
            assert await asyncio.to_thread(run_once, database_url=url) == 0
        return await state(url)

    yield asyncio.run(visit())
    clones.drop(url)


@pytest.mark.parametrize("point", VISIT_POINTS)
async def test_a_worker_killed_while_it_visits_sources_costs_nothing(point, database_url, expected_of_visits):
    async with sources_to_visit(database_url):
        done = await asyncio.to_thread(run_once, database_url=database_url, fault=f"{point}:kill:1")
        assert done == -signal.SIGKILL
        assert await asyncio.to_thread(run_once, database_url=database_url) == 0
    # Sources answer in any order, also to two unharmed runs, and groups depend on the order a little.
    assert await state(database_url) | {"events": []} == expected_of_visits | {"events": []}


WRITTEN = """
    SELECT (SELECT count(*) FROM translations WHERE is_current) AS current,
        (SELECT count(*) FROM translations) AS versions,
        (SELECT count(*) FROM model_calls) AS calls, (SELECT count(*) FROM model_calls WHERE outcome = 'open') AS open
"""


@pytest.mark.parametrize("point", WRITE_POINTS)
async def test_a_worker_killed_while_it_writes_costs_at_most_one_request(point, database, database_url, home):
    anchor = datetime(2026, 11, 15, 12, tzinfo=UTC)
    app = newsstand_server.create_app(world.load(world.SHIPPED), anchor, lambda: anchor)
    async with serving(app) as base_url:
        settings = {
            "database_url": database_url,
            "home": home,
            "tasks_summary_writer": "none",  # nothing is asked for ahead: the requests can be counted
            "tasks_translation_writer": "openai",
            "writers_openai_base_url": f"{base_url}/{models.HOST}/v1",
            "writers_openai_model": models.MODEL,
        }

        async def call(*arguments, **options) -> int:
            return (await asyncio.to_thread(scoop, *arguments, **settings | options)).returncode

        article = as_lines([an_item(1, **FIRE)])
        assert await call("ingest", "--items", "-", stdin=article) == 0
        assert await call("run-once") == 0
        async with database.transaction() as conn:
            document_id = await conn.fetchval("SELECT document_id FROM documents")
            await briefs.ask(conn, "translation", "document", {document_id: "de"})
        assert await call("run-once", fault=f"{point}:kill:1") == -signal.SIGKILL
        assert await call("run-once") == 0
        assert await call("run-once") == 0
        sent = len(app.state.models.calls)
    async with database.connection() as conn:
        written = await conn.fetchrow(WRITTEN)
    lost = 1 if point in {"write.worked", "write.saved"} else 0
    assert sent == 1 + lost
    assert tuple(written) == (1, 1, 1 + lost, lost)


async def test_what_kills_its_worker_every_time_is_quarantined_and_the_rest_goes_on(items, tmp_path, database_url):
    few = tmp_path / "few.ndjson"
    few.write_bytes(b"".join(items.read_bytes().splitlines(keepends=True)[:8]))  # each costs two processes
    take_in(few, database_url=database_url)
    while run_once(database_url=database_url, fault="normalize.worked:kill:1") == -signal.SIGKILL:
        pass
    found = await state(database_url)
    assert {row[2] for row in found["work"]} == {"quarantined"}


UNEXPLAINED = """
    SELECT 'document ' || document_id FROM documents
    WHERE NOT EXISTS (SELECT FROM dedup_events WHERE dedup_events.document_id = documents.document_id)
    UNION ALL
    SELECT 'story ' || story_id FROM stories
    WHERE status = 'merged' AND NOT EXISTS (
        SELECT FROM dedup_events WHERE details -> 'absorbed_story_ids' @> to_jsonb(stories.story_id))
"""


async def test_the_audit_trail_after_kills_is_another_one_and_explains_every_story(items, database_url):
    take_in(items, database_url=database_url)
    for _ in range(2):
        assert run_once(database_url=database_url, fault="dedup.worked:kill:1") == -signal.SIGKILL
    assert run_once(database_url=database_url) == 0
    database = await db.connect(ExternalServer(database_url), size=1)
    try:
        async with database.connection() as conn:
            assert await conn.fetch(UNEXPLAINED) == []
            assert await conn.fetchval("SELECT count(*) FROM stories WHERE status = 'merged'") > 0
    finally:
        await database.close()
