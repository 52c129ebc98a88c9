"""Reading apps: the calls that they make, in the order they make them."""

from contextlib import asynccontextmanager
from urllib.parse import quote

import pytest

from builders import told
from scoop.http import accounts, passwords
from scoop.store import users
from web.visitor import NOW, a_report, visiting

API = "/reader/api/0"
READING_LIST = "user/-/state/com.google/reading-list"
READ = "user/-/state/com.google/read"
STARRED = "user/-/state/com.google/starred"


class App:
    """An app that syncs as NetNewsWire and Reeder do."""

    def __init__(self, visitor, key):
        self.visitor = visitor
        self.headers = {"Authorization": f"GoogleLogin auth={key}"}

    async def get(self, call, **query):
        asked = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items())
        return await self.visitor.get(f"{API}/{call}?output=json&{asked}", **self.headers)

    async def post(self, call, *pairs):
        return await self.visitor.post(f"{API}/{call}", list(pairs), **self.headers)

    async def ids(self, stream=READING_LIST, **query):
        answer = await self.get("stream/items/ids", s=stream, **query)
        assert answer.status == 200, answer.text
        return [ref["id"] for ref in answer.json["itemRefs"]]

    async def unread(self):
        return await self.ids(xt=READ, n=1000)

    async def items(self, ids):
        answer = await self.post("stream/items/contents", *[("i", item) for item in ids], ("output", "json"))
        assert answer.status == 200, answer.text
        return answer.json["items"]


@asynccontextmanager
async def syncing(database, *names):
    """An app for each person, all at one desk."""
    async with database.transaction() as conn:
        keys = []
        for name in names or ("ada",):
            user_id = await users.add(conn, name=name, role="reader", password_hash="-")
            made = await accounts.new_key(conn, user_id, "reader", name="app", scopes=["read"], now=NOW, lasts=None)
            keys.append(made.key)
    async with visiting(database, role=None) as visitor:
        apps = [App(visitor, key) for key in keys]
        yield apps[0] if len(apps) == 1 else apps


async def three_stories(database):
    await told(
        database,
        [
            a_report(1, title="River rises", metadata={"collection": "world_news"}),
            a_report(2, title="A museum opens", metadata={"collection": "world_news"}),
            a_report(3, title="A model is released", metadata={"collection": "ai_news"}),
        ],
    )


async def test_a_key_is_the_password_and_opens_the_account(database):
    async with syncing(database) as app:
        key = app.headers["Authorization"].partition("auth=")[2]
        answer = await app.visitor.post("/accounts/ClientLogin", {"Email": "ada", "Passwd": key})
        wrong = await app.visitor.post("/accounts/ClientLogin", {"Email": "ada", "Passwd": "guess"})
        me = await app.get("user-info")
    assert (answer.status, f"Auth={key}" in answer.text.splitlines()) == (200, True)
    assert (wrong.status, wrong.text) == (401, "Error=BadAuthentication\n")
    assert me.json["userName"] == "ada"


async def test_the_password_of_the_account_gives_an_app_a_key_of_its_own(database):
    password_hash = await passwords.hash_password("a long enough password")
    async with database.transaction() as conn:
        await users.add(conn, name="ada", role="admin", password_hash=password_hash)
    async with visiting(database, role=None) as visitor:
        login = {"Email": "ada", "Passwd": "a long enough password"}
        answer = await visitor.post("/accounts/ClientLogin", login)
        wrong = await visitor.post("/accounts/ClientLogin", login | {"Passwd": "another password"})
        key = answer.text.partition("Auth=")[2].strip()
        info = await App(visitor, key).get("user-info")
    async with database.connection() as conn:
        kept = await conn.fetch("SELECT name, scopes::text[] AS scopes FROM api_keys")
    assert (answer.status, wrong.status, info.json["userName"]) == (200, 401, "ada")
    assert "a long enough password" not in answer.text
    assert [(row["name"], row["scopes"]) for row in kept] == [("reading app", ["read"])]


async def test_who_guesses_keys_is_slowed_down(database):
    async with visiting(database, role=None) as visitor:
        answers = [await visitor.post("/accounts/ClientLogin", {"Passwd": f"guess {n}"}) for n in range(31)]
    assert {answer.status for answer in answers[:30]} == {401}
    assert answers[30].status == 429


async def test_a_whole_sync_brings_every_story_once(database):
    await three_stories(database)
    async with syncing(database) as app:
        token = (await app.get("token")).text
        tags = (await app.get("tag/list")).json["tags"]
        feeds = (await app.get("subscription/list")).json["subscriptions"]
        unread = await app.unread()
        starred = await app.ids(STARRED)
        items = await app.items(unread)
    assert len(token) == 57
    assert {tag["id"] for tag in tags} == {STARRED, "user/-/label/Collections", "user/-/label/Topics"}
    assert {"feed/collection/world_news", "feed/collection/ai_news"} <= {feed["id"] for feed in feeds}
    assert all(feed["categories"] for feed in feeds)
    assert (len(unread), starred) == (3, [])
    assert {item["title"] for item in items} == {"River rises", "A museum opens", "A model is released"}
    assert {item["origin"]["streamId"] for item in items} == {"feed/collection/world_news", "feed/collection/ai_news"}
    assert all(item["canonical"][0]["href"].startswith("http") for item in items)


async def test_read_and_starred_are_remembered_and_can_be_taken_back(database):
    await three_stories(database)
    async with syncing(database) as app:
        first, second, _ = await app.unread()
        token = (await app.get("token")).text
        long_id = f"tag:google.com,2005:reader/item/{int(first):016x}"
        assert (await app.post("edit-tag", ("i", long_id), ("a", READ), ("T", token))).text == "OK"
        assert (await app.post("edit-tag", ("i", second), ("a", STARRED), ("T", token))).text == "OK"
        assert set(await app.unread()) == {second, *(await app.ids(xt=READ))}
        assert first not in await app.unread()
        assert await app.ids(STARRED) == [second]
        [item] = await app.items([first])
        assert READ in item["categories"]
        await app.post("edit-tag", ("i", first), ("r", READ), ("T", token))
        await app.post("edit-tag", ("i", second), ("r", STARRED), ("T", token))
        assert (len(await app.unread()), await app.ids(STARRED)) == (3, [])


async def test_all_can_be_read_at_once_and_one_kept_for_later(database):
    await three_stories(database)
    async with syncing(database) as app:
        first, *_ = await app.unread()
        await app.post("mark-all-as-read", ("s", "feed/collection/world_news"))
        assert len(await app.unread()) == 1
        await app.post("mark-all-as-read", ("s", READING_LIST))
        assert await app.unread() == []
        await app.post("edit-tag", ("i", first), ("a", "user/-/state/com.google/kept-unread"))
        assert await app.unread() == [first]
        counts = (await app.get("unread-count")).json["unreadcounts"]
        assert {count["id"]: count["count"] for count in counts}[READING_LIST] == 1
        await app.post("mark-all-as-read", ("s", READING_LIST))
        assert await app.unread() == []


async def test_a_list_goes_on_where_it_stopped_in_both_orders(database):
    await told(database, [a_report(number, title=f"Story {number}") for number in range(1, 8)])
    async with syncing(database) as app:
        for order in ("n", "o"):
            whole, part, seen = await app.ids(n=100, r=order), {}, []
            while True:
                answer = (await app.get("stream/contents/" + READING_LIST, n=3, r=order, **part)).json
                seen += [str(int(item["id"].rpartition("/")[2], 16)) for item in answer["items"]]
                if "continuation" not in answer:
                    break
                part = {"c": answer["continuation"]}
            assert (len(seen), seen) == (7, whole)


async def test_nobody_sees_what_another_has_read(database):
    await three_stories(database)
    async with syncing(database, "ada", "ben") as (ada, ben):
        await ada.post("mark-all-as-read", ("s", READING_LIST))
        first, *_ = await ben.unread()
        await ada.post("edit-tag", ("i", first), ("a", STARRED))
        assert (len(await ada.unread()), len(await ben.unread())) == (0, 3)
        assert (await ada.ids(STARRED), await ben.ids(STARRED)) == ([first], [])


async def test_a_token_of_somebody_else_changes_nothing(database):
    await three_stories(database)
    async with syncing(database, "ada", "ben") as (ada, ben):
        token = (await ben.get("token")).text
        answer = await ada.post("mark-all-as-read", ("s", READING_LIST), ("T", token))
        assert (answer.status, answer.headers["X-Reader-Google-Bad-Token"]) == (401, "true")
        assert len(await ada.unread()) == 3


async def test_words_of_strangers_stay_text(database):
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    await told(
        database,
        [a_report(1, title=hostile, body_text=hostile, canonical_url="https://real.org/?q=%22%3E%3Cscript%3E")],
    )
    async with syncing(database) as app:
        [item] = await app.items(await app.unread())
    content = item["summary"]["content"]
    assert "<script" not in content
    assert "<img" not in content
    assert "&lt;script&gt;" in content
    assert 'rel="noopener noreferrer"' in content


@pytest.mark.parametrize(
    ("call", "field"),
    [
        ("stream/items/ids?s=feed/http://other.example/feed", "s"),
        ("stream/items/ids?n=many", "n"),
        ("stream/items/contents?i=nonsense", "i"),
        ("stream/items/contents?i=99999999999999999999", "i"),
        ("stream/contents/user/-/state/com.google/broadcast", "s"),
        ("stream/items/ids?ot=yesterday", "ot"),
    ],
)
async def test_what_cannot_be_is_named(database, call, field):
    async with syncing(database) as app:
        answer = await app.visitor.get(f"{API}/{call}", **app.headers)
    assert answer.status == 400
    assert answer.json["error"]["details"][0]["field"] == field


async def test_nothing_is_read_without_a_key(database):
    async with visiting(database, role=None) as visitor:
        answers = [
            await visitor.get(f"{API}/{call}")
            for call in ("token", "subscription/list", "stream/items/ids", "unread-count", "user-info")
        ]
    assert {answer.status for answer in answers} == {401}
