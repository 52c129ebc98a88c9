import time
from contextlib import asynccontextmanager

import pytest

from http_server.provider import CLIENT, providing
from scoop.store import users
from web.visitor import visiting


@asynccontextmanager
async def at_a_desk(database, provider, **settings):
    host = provider.address.removeprefix("http://")
    settings = {"oidc_issuer": provider.address, "oidc_client_id": CLIENT, "allow_private": host, **settings}
    async with visiting(database, role=None, **settings) as visitor:
        yield visitor


async def come_in(visitor, provider, path="/sign-in/oidc"):
    """Go to the provider and come back with what it says."""
    left = await visitor.get(path)
    assert left.status == 303
    return await visitor.get(provider.agree(left.headers["Location"]))


async def everybody(database):
    async with database.connection() as conn:
        return [(user.name, user.role) for user in await users.list_users(conn)]


async def test_whom_the_provider_vouches_for_comes_in(database):
    async with providing() as provider, at_a_desk(database, provider) as visitor:
        answer = await come_in(visitor, provider, "/sign-in/oidc?next=/stories/x")
        page = await visitor.get("/api/openapi.json")
        assert (answer.status, answer.headers["Location"]) == (303, "/stories/x")
        assert page.status == 200
        assert await everybody(database) == [("ada", "reader")]
        await come_in(visitor, provider)
        assert await everybody(database) == [("ada", "reader")]


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["desk-admins"], "admin"),
        (["desk-editors", "x"], "editor"),
        (["x"], "reader"),
        ("desk-admins", "admin"),
        (7, "reader"),
    ],
)
async def test_the_role_follows_the_groups(database, groups, role):
    settings = {"oidc_role_claim": "groups", "oidc_admin_group": "desk-admins", "oidc_editor_group": "desk-editors"}
    async with (
        providing(claims={"groups": groups}) as provider,
        at_a_desk(database, provider, **settings) as visitor,
    ):
        assert (await come_in(visitor, provider)).status == 303
    assert await everybody(database) == [("ada", role)]


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({"exp": int(time.time()) - 3600}, "is not valid"),
        ({"aud": "another"}, "is not valid"),
        ({"iss": "https://other.example"}, "is not valid"),
        ({"nonce": "another"}, "another sign-in"),
    ],
)
async def test_a_word_that_cannot_be_taken_lets_nobody_in(database, claims, told):
    async with providing(claims=claims) as provider, at_a_desk(database, provider) as visitor:
        answer = await come_in(visitor, provider)
        assert (answer.status, told in answer.text) == (400, True)
    assert await everybody(database) == []


async def test_an_unsigned_word_lets_nobody_in(database):
    async with providing(algorithm="none") as provider, at_a_desk(database, provider) as visitor:
        assert (await come_in(visitor, provider)).status == 400
    assert await everybody(database) == []


async def test_the_state_must_be_the_one_that_was_given(database):
    async with providing() as provider, at_a_desk(database, provider) as visitor:
        left = await visitor.get("/sign-in/oidc")
        back = provider.agree(left.headers["Location"])
        forged = await visitor.get(back.partition("&state=")[0] + "&state=forged")
    async with providing() as provider, at_a_desk(database, provider) as stranger:
        without = await stranger.get("/sign-in/oidc/callback?code=good&state=x")
    assert (forged.status, without.status) == (400, 400)
    assert await everybody(database) == []


async def test_a_provider_that_is_away_is_told(database):
    async with providing(is_down=True) as provider, at_a_desk(database, provider) as visitor:
        answer = await visitor.get("/sign-in/oidc")
    assert answer.status == 400
    assert "The provider" in answer.page.text


async def test_new_keys_of_the_provider_are_learned(database):
    async with providing() as provider, at_a_desk(database, provider) as visitor:
        provider.rotate()
        assert (await come_in(visitor, provider)).status == 303


async def test_an_account_that_rests_stays_out(database):
    async with providing() as provider, at_a_desk(database, provider) as visitor:
        await come_in(visitor, provider)
        async with database.transaction() as conn:
            [user] = await users.list_users(conn)
            await users.change(conn, user.user_id, enabled=False)
        answer = await come_in(visitor, provider)
    assert (answer.status, "disabled" in answer.text) == (400, True)


async def test_without_a_provider_there_is_no_such_way_in(database):
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get("/sign-in/oidc")).status == 404
