import re
from dataclasses import fields
from datetime import timedelta

import pytest

from scoop.config import Config
from scoop.http import accounts, auth, passwords
from scoop.plugin_settings import PluginSettings
from scoop.store import users
from web.visitor import NOW, Visitor, visiting

PASSWORD, ANOTHER = "correct horse battery", "a new long password"
SECRET = "hush-hush-hush"


async def a_person(database, name="grace", *, role="reader", password=PASSWORD):
    password_hash = await passwords.hash_password(password)
    async with database.transaction() as conn:
        return await users.add(conn, name=name, role=role, password_hash=password_hash)


async def enter(visitor: Visitor, name="grace", password=PASSWORD):
    """Sign in, and give the session; the browser forgets it."""
    visitor.session.cookie_jar.clear()
    answer = await visitor.post("/sign-in", {"name": name, "password": password})
    visitor.session.cookie_jar.clear()
    found = re.search(rf"{auth.COOKIE}=([^;]+)", answer.headers.get("Set-Cookie", ""))
    return {"Cookie": f"{auth.COOKIE}={found[1]}"} if found else None


async def people(database):
    async with database.connection() as conn:
        return {person.name: person for person in await users.list_users(conn)}


async def keys(database):
    async with database.connection() as conn:
        return await users.list_keys(conn)


def shown_once(page):
    return next((attrs["value"] for attrs in page.attributes("input") if attrs.get("id") == "secret"), None)


# The desk


async def test_an_admin_sees_every_setting_with_its_value(database):
    async with visiting(database, timezone="Asia/Tokyo", processes=7) as visitor:
        page = (await visitor.get("/settings")).page
    shown = {attrs["id"].removeprefix("setting-") for attrs in page.attributes("tr") if "id" in attrs}
    assert shown >= {setting.name for setting in fields(Config)} - {"plugins", "tasks"}
    sections = {name.partition(".")[0] for name in shown if "." in name}
    assert sections == {"sources", "channels", "embedders", "writers", "voices", "projections", "tasks"}
    assert "timezone SCOOP_TIMEZONE Asia/Tokyo configured" in page.text
    assert "processes SCOOP_PROCESSES 7 configured" in page.text
    assert "np_mode NP_MODE prod default" in page.text
    assert "PostgreSQL" in page.text


async def test_no_secret_is_ever_shown(database, tmp_path):
    settings = {
        "home": tmp_path,
        "oidc_client_secret": SECRET,
        "plugins": PluginSettings(
            tables={
                "sources": {"tavily": {"api_key": SECRET}, "reddit": {"user": SECRET}},
                "channels": {"discord_bot": {"bot_token": SECRET}},
                "embedders": {"openai": {"base_url": f"https://user:{SECRET}@models.test/v1?key={SECRET}"}},
            }
        ),
        "named_secrets": (("ai_webhook", SECRET),),
        "database_url": f"postgresql://scoop:{SECRET}/?@{SECRET}@db.test/news?password={SECRET}",
    }
    async with visiting(database, **settings) as visitor:
        answer = await visitor.get("/settings")
    assert answer.status == 200
    assert SECRET not in answer.text
    assert "sources.tavily.api_key SCOOP_SOURCES_TAVILY_API_KEY set configured" in answer.page.text
    assert "sources.reddit.client_id SCOOP_SOURCES_REDDIT_CLIENT_ID not set default" in answer.page.text
    assert "ai_webhook" in answer.page.text
    assert "db.test" in answer.page.text


@pytest.mark.parametrize("role", ["reader", "editor"])
async def test_others_see_nothing_of_the_desk_but_their_own(database, role):
    async with visiting(database, role=role) as visitor:
        page = (await visitor.get("/settings")).page
        assert (await visitor.get("/settings/people")).status == 403
    assert "Only admins see the configuration" in page.text
    assert "SCOOP_" not in page.text
    assert "/settings/people" not in page.links()


async def test_where_anybody_may_read_nobody_has_an_account_page(database):
    await a_person(database)
    async with visiting(database, role=None, public_reading=True) as visitor:
        page = (await visitor.get("/settings")).page
        account, own_keys = await visitor.get("/settings/account"), await visitor.get("/settings/keys")
        made = await visitor.post("/settings/keys", {"name": "x", "scopes": "read"})
    assert "Sign in to change settings" in page.text
    assert {account.headers["Location"], own_keys.headers["Location"]} == {
        "/sign-in?next=%2Fsettings%2Faccount",
        "/sign-in?next=%2Fsettings%2Fkeys",
    }
    assert made.status == 401
    assert await keys(database) == []


# The account


async def test_a_new_password_signs_the_other_browsers_out_and_not_this_one(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        here, there = await enter(visitor), await enter(visitor)
        form = {"current": PASSWORD, "password": ANOTHER, "again": ANOTHER}
        answer = await visitor.post("/settings/account/password", form, **here)
        assert (answer.status, answer.headers["Location"]) == (303, "/settings/account")
        assert (await visitor.get("/", **here)).status == 200
        assert (await visitor.get("/", **there)).status == 303
        assert await enter(visitor) is None
        assert await enter(visitor, password=ANOTHER) is not None


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"current": "wrong", "password": ANOTHER, "again": ANOTHER}, "current password is wrong"),
        ({"current": PASSWORD, "password": ANOTHER, "again": "other"}, "passwords differ"),
        ({"current": PASSWORD, "password": "short", "again": "short"}, "at least 10 characters"),
        ({}, "current password is wrong"),
    ],
)
async def test_a_password_that_cannot_be_changed_stays(database, form, told):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        here = await enter(visitor)
        answer = await visitor.post("/settings/account/password", form, **here)
        assert await enter(visitor) is not None
    assert answer.status == 400
    assert told in answer.page.text
    assert ANOTHER not in answer.text


async def test_the_password_one_has_cannot_be_guessed_from_an_open_browser(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        here = await enter(visitor)
        form = {"current": "wrong", "password": ANOTHER, "again": ANOTHER}
        for _ in range(5):
            await visitor.post("/settings/account/password", form, **here)
        answer = await visitor.post("/settings/account/password", form | {"current": PASSWORD}, **here)
    assert "wait a few minutes" in answer.page.text


async def test_one_can_sign_out_everywhere(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        here, there = await enter(visitor), await enter(visitor)
        answer = await visitor.post("/settings/account/sign-out", **here)
        assert (answer.status, answer.headers["Location"]) == (303, "/sign-in")
        assert [(await visitor.get("/", **browser)).status for browser in (here, there)] == [303, 303]


# Keys


async def test_a_key_is_shown_once_and_listed_without_itself(database):
    async with visiting(database, role="reader") as visitor:
        made = await visitor.post("/settings/keys", {"name": "feed reader", "scopes": "read", "lasts": "30"})
        key = shown_once(made.page)
        opened = await visitor.get("/api/openapi.json", Authorization=f"Bearer {key}")
        listed = await visitor.get("/settings/keys")
    assert (made.status, opened.status, made.headers["Cache-Control"]) == (201, 200, "no-store")
    assert made.text.count(key) == 1
    assert key not in listed.text
    assert f"feed reader …{key[-4:]} read" in listed.page.text
    assert (await keys(database))[0].expires_at == NOW + timedelta(days=30)


async def test_a_key_can_open_until_it_is_taken_back(database):
    async with visiting(database, role="reader") as visitor:
        made = await visitor.post("/settings/keys", {"name": "x", "scopes": "read", "lasts": "never"})
        key = {"Authorization": f"Bearer {shown_once(made.page)}"}
        (kept,) = await keys(database)
        assert kept.expires_at is None
        assert (await visitor.get("/api/openapi.json", **key)).status == 200
        answer = await visitor.post(f"/settings/keys/{kept.api_key_id}/remove")
        assert (answer.status, answer.headers["Location"]) == (303, "/settings/keys")
        assert (await visitor.get("/api/openapi.json", **key)).status == 401


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": "x", "scopes": "edit"}, "a key of a reader cannot have the scope edit"),
        ({"name": "x", "scopes": "all"}, "unknown scope 'all'"),
        ({"name": "x"}, "a key needs a scope"),
        ({"name": "", "scopes": "read"}, "a name must be"),
        ({"name": "x" * 101, "scopes": "read"}, "a name must be"),
        ({"name": "x", "scopes": "read", "lasts": "31"}, "until the key expires"),
    ],
)
async def test_a_key_that_cannot_be_made_is_told_with_what_was_typed(database, form, told):
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.post("/settings/keys", form)
    assert answer.status == 400
    assert told in answer.page.text.lower()
    assert form["name"] in [
        attrs.get("value") for attrs in answer.page.attributes("input") if attrs.get("id") == "name"
    ]
    assert await keys(database) == []


async def test_only_ones_own_keys_can_be_taken_back_unless_one_is_admin(database):
    user_id = await a_person(database)
    async with database.transaction() as conn:
        made = await accounts.new_key(conn, user_id, "reader", name="hers", scopes=["read"], now=NOW, lasts=None)
    async with visiting(database, role="editor") as visitor:
        assert (await visitor.post(f"/settings/keys/{made.api_key_id}/remove")).status == 404
        assert "hers" not in (await visitor.get("/settings/keys")).text
    async with visiting(database, role="admin") as visitor:
        assert "hers" in (await visitor.get("/settings/keys")).page.text
        assert (await visitor.post(f"/settings/keys/{made.api_key_id}/remove")).status == 303
        assert (await visitor.post(f"/settings/keys/{made.api_key_id}/remove")).status == 404
    assert await keys(database) == []


async def test_a_key_makes_no_keys_and_changes_no_password(database):
    user_id = await a_person(database, role="admin")
    async with database.transaction() as conn:
        made = await accounts.new_key(conn, user_id, "admin", name="narrow", scopes=["read"], now=NOW, lasts=None)
    key = {"Authorization": f"Bearer {made.key}"}
    async with visiting(database, role=None) as visitor:
        answers = [
            await visitor.post("/settings/keys", {"name": "wide", "scopes": "admin"}, **key),
            await visitor.post(f"/settings/keys/{made.api_key_id}/remove", **key),
            await visitor.post("/settings/account/sign-out", **key),
            await visitor.post("/settings/account/password", {"current": PASSWORD}, **key),
            await visitor.get("/settings/keys", **key),
        ]
    assert [answer.status for answer in answers] == [403] * 5
    assert [each.name for each in await keys(database)] == ["narrow"]


# People


async def test_somebody_is_added_with_a_password_that_is_made_up(database):
    async with visiting(database) as visitor:
        added = await visitor.post("/settings/people", {"name": "grace", "role": "editor"})
        password = shown_once(added.page)
        listed = await visitor.get("/settings/people")
        assert await enter(visitor, "grace", password) is not None
    assert (added.status, added.headers["Cache-Control"]) == (200, "no-store")
    assert password not in listed.text
    assert (await people(database))["grace"].role == "editor"


async def test_somebody_is_added_with_a_password_that_was_typed(database):
    async with visiting(database) as visitor:
        answer = await visitor.post("/settings/people", {"name": "grace", "password": PASSWORD})
        page = (await visitor.get(answer.headers["Location"])).page
        assert await enter(visitor) is not None
    assert "grace added as a reader." in page.text


@pytest.mark.parametrize(
    ("form", "status", "told"),
    [
        ({"name": "GRACE"}, 409, "the name 'GRACE' is taken"),
        ({"name": ""}, 400, "a name must be"),
        ({"name": "a\u202eb"}, 400, "a name must be"),
        ({"name": "ada", "role": "king"}, 400, "unknown role; choose one of"),
        ({"name": "ada", "password": "short"}, 400, "at least 10 characters"),
    ],
)
async def test_somebody_who_cannot_be_added_is_told(database, form, status, told):
    await a_person(database)
    async with visiting(database) as visitor:
        answer = await visitor.post("/settings/people", form)
    assert answer.status == status
    assert told.lower() in answer.page.text.lower()
    assert len(await people(database)) == 2


async def test_an_admin_changes_a_role_and_disables_and_enables_a_person(database):
    user_id = await a_person(database)
    place = f"/settings/people/{user_id}"
    async with visiting(database) as visitor:
        await visitor.post(f"{place}/role", {"role": "admin"})
        assert (await people(database))["grace"].role == "admin"
        await visitor.post(f"{place}/disable")
        assert not (await people(database))["grace"].enabled
        assert "disabled" in (await visitor.get("/settings/people")).page.text
        await visitor.post(f"{place}/enable")
        assert (await people(database))["grace"].enabled


async def test_an_admin_sets_a_password_typed_or_made_up(database):
    user_id = await a_person(database)
    async with visiting(database) as visitor:
        typed = await visitor.post(f"/settings/people/{user_id}/password", {"password": ANOTHER})
        made_up = await visitor.post(f"/settings/people/{user_id}/password")
        short = await visitor.post(f"/settings/people/{user_id}/password", {"password": "short"})
        assert await enter(visitor, "grace", shown_once(made_up.page)) is not None
    assert (typed.status, made_up.status, short.status) == (303, 200, 400)


async def test_who_is_removed_is_gone_with_all_keys(database):
    user_id = await a_person(database)
    async with database.transaction() as conn:
        await accounts.new_key(conn, user_id, "reader", name="x", scopes=["read"], now=NOW, lasts=None)
    async with visiting(database) as visitor:
        answer = await visitor.post(f"/settings/people/{user_id}/remove")
        page = (await visitor.get(answer.headers["Location"])).page
    assert "grace removed, with all keys." in page.text
    assert "grace" not in await people(database)
    assert await keys(database) == []


@pytest.mark.parametrize("change", ["role", "disable", "remove"])
async def test_the_only_admin_stays_one(database, change):
    async with visiting(database) as visitor:
        (admin,) = (await people(database)).values()
        answer = await visitor.post(f"/settings/people/{admin.user_id}/{change}", {"role": "reader"})
    assert answer.status == 409
    assert "is the only admin" in answer.page.text
    (still,) = (await people(database)).values()
    assert (still.role, still.enabled) == ("admin", True)


CHANGES = ["role", "disable", "enable", "password", "remove"]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_person_who_is_not_there_is_not_found(database, change):
    form = {"role": "reader", "password": PASSWORD}
    async with visiting(database) as visitor:
        answers = [await visitor.post(f"/settings/people/{n}/{change}", form) for n in ("99", "0", "x", "9" * 30)]
    assert [answer.status for answer in answers] == [404] * 4


@pytest.mark.parametrize("role", ["reader", "editor"])
async def test_only_admins_manage_people(database, role):
    user_id = await a_person(database)
    async with visiting(database, role=role) as visitor:
        answers = [await visitor.post(f"/settings/people/{user_id}/{change}", {"role": "admin"}) for change in CHANGES]
        answers.append(await visitor.post("/settings/people", {"name": "eve", "role": "admin"}))
    assert [answer.status for answer in answers] == [403] * 6
    assert (await people(database))["grace"].role == "reader"


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}"])
async def test_a_hostile_name_stays_text(database, hostile):
    await a_person(database, hostile, role="admin")
    async with visiting(database, role=None) as visitor:
        here = await enter(visitor, hostile)
        await visitor.post("/settings/keys", {"name": hostile, "scopes": "read"}, **here)
        paths = ("/settings", "/settings/account", "/settings/keys", "/settings/people")
        answers = [await visitor.get(path, **here) for path in paths]
    for answer in answers:
        assert answer.status == 200
        assert "img" not in {tag for tag, _ in answer.page.tags}
        assert all(attrs.get("src", "").startswith("/static/") for attrs in answer.page.attributes("script"))
        assert hostile in answer.page.text or answer is answers[0]
