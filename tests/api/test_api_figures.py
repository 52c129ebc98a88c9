import pytest

from builders import an_item, told
from scoop.http import accounts, deps
from scoop.store import users
from scoop.store.reads import stats as stats_reads
from web.visitor import NOW, a_report, disconnect, visiting


async def a_key(database, *, role, scopes):
    async with database.transaction() as conn:
        user_id = await users.add(conn, name=f"{role} of programs", role=role, password_hash="-")
        made = await accounts.new_key(conn, user_id, role, name="test", scopes=scopes, now=NOW, lasts=None)
    return made.key


async def test_anybody_learns_that_the_desk_works_and_nothing_else(database):
    async with visiting(database, role=None) as visitor:
        answer = await visitor.get("/api/v1/health")
    assert (answer.status, answer.json) == (200, {"status": "ok"})


async def test_a_desk_without_its_database_says_so_and_nothing_else(database, monkeypatch):
    monkeypatch.setattr(deps, "CONNECTION_TIMEOUT", 0.3)
    async with visiting(database, role=None) as visitor:
        await disconnect(database)
        answer = await visitor.get("/api/v1/health")
    assert (answer.status, answer.json["error"]["code"]) == (503, "UNAVAILABLE")
    assert "postgres" not in answer.text.lower()
    assert answer.headers["Retry-After"] == "5"


async def test_a_schema_of_another_version_is_not_ready(database):
    async with database.connection() as conn:
        await conn.execute("DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)")
    async with visiting(database, role=None) as visitor:
        answer = await visitor.get("/api/v1/health")
    assert (answer.status, answer.json["error"]["code"]) == (503, "UNAVAILABLE")


async def test_figures_are_those_of_the_command_line(database):
    await told(database, [an_item(1), an_item(2, source="akari", canonical_url="https://tribune.example/1")])
    async with database.connection() as conn:
        stats = await stats_reads.get_stats(conn)
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get("/api/v1/stats")
    assert answer.status == 200
    assert (answer.json["arrivals"], answer.json["documents"], answer.json["stories"]) == (2, 2, 1)
    assert answer.json["match_types"] == stats.match_types
    assert answer.json.keys() >= {"sources", "runs", "refused", "merged_stories", "members", "events", "work"}


async def test_collections_have_their_figures(database):
    await told(database, [a_report(1), a_report(2), a_report(3, metadata={"collection": "ai_news"})])
    async with visiting(database) as visitor:
        answer = (await visitor.get("/api/v1/collections")).json
    assert answer["items"] == [
        {"collection": "ai_news", "arrivals": 1, "documents": 1, "stories": 1},
        {"collection": "world_news", "arrivals": 2, "documents": 2, "stories": 2},
    ]
    assert answer["next_cursor"] is None


async def test_i_am_who_i_am(database):
    async with visiting(database, role="editor") as visitor:
        me = (await visitor.get("/api/user/me")).json
    assert me["id"] == me["userId"]
    assert me["name"].startswith("editor ")
    assert (me["type"], me["role"], me["via"]) == ("user", "editor", "session")
    assert me["rights"] == ["edit", "metrics", "push", "read"]
    assert me["createdAt"].endswith("Z")


async def test_a_key_says_what_it_may(database):
    key = await a_key(database, role="admin", scopes=["read", "push"])
    async with visiting(database, role=None) as visitor:
        me = (await visitor.get("/api/user/me", Authorization=f"Bearer {key}")).json
    assert (me["role"], me["via"], me["rights"]) == ("admin", "key", ["push", "read"])


@pytest.mark.parametrize("is_public", [True, False])
async def test_nobody_is_nobody(database, is_public):
    async with visiting(database, role=None, public_reading=is_public) as visitor:
        answer = await visitor.get("/api/user/me")
    assert (answer.status, answer.json["error"]["code"]) == (401, "UNAUTHENTICATED")


@pytest.mark.parametrize("path", ["/api/v1/stats", "/api/v1/collections"])
async def test_nobody_reads_figures(database, path):
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get(path)).status == 401
