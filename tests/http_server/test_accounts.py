"""Coming in: who is let in, who is slowed down, and what a stranger can never do."""

import asyncio
from datetime import timedelta
from http.cookies import SimpleCookie
from urllib.parse import quote, urljoin, urlsplit

import pytest

from scoop.http import accounts, auth, passwords
from scoop.store import users
from web.visitor import NOW, Visitor, signed_in, visiting

PASSWORD = "correct horse battery"
ELSEWHERE = [
    "//evil.test", "///evil.test", "/\\evil.test", "\\\\evil.test", "https://evil.test/", "https:evil.test", "http:///evil",
    "javascript:alert(1)", "data:text/html,x", "/\t/evil.test", "/\n/evil.test", "\t//evil.test", " //evil.test",
    "/\r\nLocation: https://evil.test", "evil.test", "@evil.test", "", "/\x00", "//[::1", "/\u2028/evil.test",
]  # fmt: skip


class Clock:
    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now

    def pass_(self, **span):
        self.now += timedelta(**span)


async def a_person(database, name="ada", *, role="editor", password=PASSWORD):
    password_hash = await passwords.hash_password(password)
    async with database.transaction() as conn:
        return await users.add(conn, name=name, role=role, password_hash=password_hash)


async def try_in(visitor: Visitor, name="ada", password="wrong", **headers):
    visitor.session.cookie_jar.clear()
    return await visitor.post("/sign-in", {"name": name, "password": password}, **headers)


def session_of(answer):
    cookie = SimpleCookie(answer.headers["Set-Cookie"])
    return cookie[auth.COOKIE]


def with_session(session):
    return {"Cookie": f"{auth.COOKIE}={session}"}


# Name and password


async def test_the_right_password_lets_in_whatever_the_case_of_the_name(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        answer = await try_in(visitor, "ADA", PASSWORD)
        front = await visitor.get("/", **with_session(session_of(answer).value))
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    assert (front.status, "ada" in front.page.text) == (200, True)


@pytest.mark.parametrize("name", ["ada", "nobody", "", "a\0da", "x" * 100_000, "ада"])
async def test_a_wrong_password_and_an_unknown_name_are_told_alike(database, name):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        answer = await visitor.post("/sign-in", {"name": name, "password": "wrong"})
    assert answer.status == 401
    assert "The name or the password is wrong." in answer.page.text
    assert "Set-Cookie" not in answer.headers


async def test_an_unknown_name_costs_as_much_as_a_wrong_password(database, monkeypatch):
    await a_person(database)
    computed = []
    fits = passwords._matches
    monkeypatch.setattr(passwords, "_matches", lambda *given: computed.append(given) or fits(*given))
    async with visiting(database, role=None) as visitor:
        await try_in(visitor, "ada")
        await try_in(visitor, "nobody")
    (_, known), (_, unknown) = computed
    assert known.split("$")[:4] == unknown.split("$")[:4]  # the same algorithm with the same parameters
    assert known != unknown


async def test_the_password_of_nobody_lets_nobody_in(database):
    await a_person(database)
    assert not await passwords.is_password("", None)
    async with visiting(database, role=None) as visitor:
        assert (await try_in(visitor, "nobody", "")).status == 401


async def test_who_rests_is_kept_out_with_the_right_password(database):
    user_id = await a_person(database)
    async with visiting(database, role=None) as visitor:
        session = session_of(await try_in(visitor, "ada", PASSWORD)).value
        async with database.transaction() as conn:
            await users.change(conn, user_id, role="admin")
            await a_second_admin(conn)
            await users.change(conn, user_id, enabled=False)
        assert (await try_in(visitor, "ada", PASSWORD)).status == 401
        assert (await visitor.get("/", **with_session(session))).headers["Location"] == "/sign-in"


async def a_second_admin(conn):
    await users.add(conn, name="grace", role="admin", password_hash="-")


@pytest.mark.parametrize(
    ("password", "told"),
    [("sh0rt", "at least 10 characters"), ("aaaaaaaaaaaa", "repeat one character"), ("x1" * 600, "at most 1,024")],
)
async def test_a_password_that_is_no_good_is_refused_with_the_reason(database, password, told):
    async with visiting(database, role=None) as visitor, database.transaction() as conn:
        code = await accounts.new_setup_code(conn, now=NOW)
        form = {"code": code, "name": "ada", "password": password, "again": password}
        answer = await visitor.post("/welcome", form)
        assert await users.is_empty(conn)
    assert answer.status == 400
    assert told in answer.page.text
    assert password not in answer.text


async def test_a_password_is_the_same_however_a_keyboard_composes_it(database):
    await a_person(database, password="mot de passe é\u0301té")
    async with visiting(database, role=None) as visitor:
        assert (await try_in(visitor, "ada", "mot de passe é\u0301te\u0301")).status == 303


# Guessing


async def test_five_wrong_passwords_make_a_name_wait_at_that_address(database):
    await a_person(database)
    clock = Clock()
    async with visiting(database, role=None, clock=clock) as visitor:
        statuses = [(await try_in(visitor)).status for _ in range(5)]
        clock.pass_(minutes=4)
        refused = await try_in(visitor, "ada", PASSWORD)
        other = await try_in(visitor, "grace")
        clock.pass_(minutes=11, seconds=1)
        later = await try_in(visitor, "ada", PASSWORD)
    assert statuses == [401] * 5
    assert (refused.status, refused.headers["Retry-After"]) == (429, str(11 * 60))
    assert "too many failed attempts" in refused.page.text.lower()
    assert other.status == 401
    assert later.status == 303


async def test_of_150_parallel_guesses_no_more_than_the_limit_are_tried(database, monkeypatch):
    await a_person(database)
    tried = []
    matches = passwords._matches
    monkeypatch.setattr(passwords, "_matches", lambda *given: tried.append(given) or matches(*given))
    async with visiting(database, role=None) as visitor:
        answers = await asyncio.gather(*(try_in(visitor, "ada", f"guess {number}") for number in range(150)))
        right = await try_in(visitor, "ada", PASSWORD)
    statuses = [answer.status for answer in answers]
    assert len(tried) == statuses.count(401) <= accounts.MAX_ATTEMPTS["pair"]
    assert set(statuses) <= {401, 429, 503}  # 503: more at once than a busy machine serves
    assert right.status == 429


async def test_parallel_guesses_of_many_names_do_not_queue_for_hashing_without_end(database, monkeypatch):
    monkeypatch.setattr(passwords, "MAX_HASHING", 4)
    monkeypatch.setitem(accounts.MAX_ATTEMPTS, "network", 1000)
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        answers = await asyncio.gather(*(try_in(visitor, f"name {number}") for number in range(40)))
        later = await try_in(visitor, "ada", PASSWORD)
    busy = [answer for answer in answers if answer.status == 503]
    assert {answer.status for answer in answers} == {401, 503}
    assert {answer.headers["Retry-After"] for answer in busy} == {"2"}
    assert later.status == 303


async def test_an_attempt_that_a_busy_server_did_not_try_does_not_count(database, monkeypatch):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        with monkeypatch.context() as busy:
            busy.setattr(passwords, "MAX_HASHING", 0)
            assert [(await try_in(visitor, "ada", PASSWORD)).status for _ in range(6)] == [503] * 6
        assert (await try_in(visitor, "ada", PASSWORD)).status == 303


async def test_who_came_in_has_all_tries_again(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        for _ in range(3):
            statuses = [(await try_in(visitor)).status for _ in range(4)]
            assert statuses == [401] * 4
            assert (await try_in(visitor, "ada", PASSWORD)).status == 303


async def test_an_address_that_tries_many_names_has_to_wait(database, monkeypatch):
    monkeypatch.setitem(accounts.MAX_ATTEMPTS, "network", 6)
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        statuses = [(await try_in(visitor, f"name {number}")).status for number in range(6)]
        assert statuses == [401] * 6
        assert (await try_in(visitor, "ada", PASSWORD)).status == 429


async def test_a_name_that_many_addresses_try_has_to_wait(database, monkeypatch):
    monkeypatch.setitem(accounts.MAX_ATTEMPTS, "name", 6)
    await a_person(database)
    async with visiting(database, role=None, trusted_proxies="127.0.0.0/8") as visitor:
        statuses = [(await try_in(visitor, **{"X-Forwarded-For": f"192.0.2.{n}"})).status for n in range(6)]
        assert statuses == [401] * 6
        assert (await try_in(visitor, "Ada", PASSWORD, **{"X-Forwarded-For": "192.0.2.99"})).status == 429


async def test_guesses_from_elsewhere_do_not_lock_the_owner_out_where_they_signed_in_before(database, monkeypatch):
    monkeypatch.setitem(accounts.MAX_ATTEMPTS, "name", 6)
    await a_person(database)
    home, other_home = {"X-Forwarded-For": "2001:db8:1:2::7"}, {"X-Forwarded-For": "2001:db8:1:2:aaaa::8"}
    async with visiting(database, role=None, trusted_proxies="127.0.0.0/8") as visitor:
        assert (await try_in(visitor, "ada", PASSWORD, **home)).status == 303
        guesses = [(await try_in(visitor, **{"X-Forwarded-For": f"192.0.2.{n}"})).status for n in range(8)]
        assert guesses == [401] * 6 + [429] * 2
        assert (await try_in(visitor, "ada", PASSWORD, **other_home)).status == 303
        assert (await try_in(visitor, "ada", PASSWORD, **{"X-Forwarded-For": "192.0.2.99"})).status == 429


async def test_a_known_network_still_has_only_five_guesses(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        assert (await try_in(visitor, "ada", PASSWORD)).status == 303
        assert [(await try_in(visitor)).status for _ in range(6)] == [401] * 5 + [429]


async def test_a_network_is_known_for_90_days(database, monkeypatch):
    monkeypatch.setitem(accounts.MAX_ATTEMPTS, "name", 0)  # only a known network may try
    await a_person(database)
    clock = Clock()
    async with visiting(database, role=None, clock=clock) as visitor:
        async with database.transaction() as conn:
            await users.put_network(conn, (await users.by_name(conn, "ada")).user_id, "127.0.0.1", now=NOW)
        clock.pass_(days=90)
        assert (await try_in(visitor)).status == 401
        clock.pass_(seconds=1)
        assert (await try_in(visitor)).status == 429


async def test_the_addresses_of_one_ipv6_network_guess_as_one(database):
    await a_person(database)
    async with visiting(database, role=None, trusted_proxies="127.0.0.0/8") as visitor:
        addresses = [f"2001:db8:1:2::{n}" for n in range(6)] + ["2001:db8:1:3::1"]
        statuses = [(await try_in(visitor, **{"X-Forwarded-For": address})).status for address in addresses]
    assert statuses == [401] * 5 + [429, 401]


async def test_a_name_alone_is_not_enough_to_lock_its_owner_out():
    assert accounts.MAX_ATTEMPTS["name"] > accounts.MAX_ATTEMPTS["pair"] * 5


async def test_addresses_that_an_untrusted_peer_makes_up_do_not_count(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        made_up = [{"X-Forwarded-For": f"192.0.2.{n}", "X-Real-IP": "192.0.2.1"} for n in range(6)]
        statuses = [(await try_in(visitor, **headers)).status for headers in made_up]
    assert statuses == [401] * 5 + [429]


async def test_behind_a_trusted_proxy_each_caller_counts_alone(database):
    await a_person(database)
    async with visiting(database, role=None, trusted_proxies="127.0.0.0/8, 10.0.0.0/8") as visitor:
        chains = [f"203.0.113.9, 192.0.2.{n}, 10.0.0.7" for n in range(7)]  # the first is what a caller made up
        statuses = [(await try_in(visitor, **{"X-Forwarded-For": chain})).status for chain in chains]
    assert statuses == [401] * 7


async def test_codes_cannot_be_guessed_without_end_either(database, monkeypatch):
    monkeypatch.setitem(accounts.MAX_ATTEMPTS, "network", 3)
    async with visiting(database, role=None) as visitor:
        async with database.transaction() as conn:
            code = await accounts.new_setup_code(conn, now=NOW)
        wrong = [(await visitor.post("/welcome", a_set_up("AAAA-AAAA-AAAA"))) for _ in range(3)]
        right = await visitor.post("/welcome", a_set_up(code))
    assert "The code is wrong or has expired" in wrong[-1].page.text
    assert right.status == 400
    assert "wait a few minutes" in right.page.text


# The first account


def a_set_up(code, name="ada", password=PASSWORD):
    return {"code": code, "name": name, "password": password, "again": password}


async def a_code(database, now=NOW):
    async with database.transaction() as conn:
        return await accounts.new_setup_code(conn, now=now)


async def test_the_first_account_is_an_admin_and_the_code_is_used_up(database):
    code = await a_code(database)
    async with visiting(database, role=None) as visitor:
        first = await visitor.post("/welcome", a_set_up(code.lower().replace("-", " ")))
        second = await visitor.post("/welcome", a_set_up(code, "grace"))
    async with database.connection() as conn:
        (person,) = await users.list_users(conn)
    assert (first.status, first.headers["Location"]) == (303, "/")
    assert (person.name, person.role) == ("ada", "admin")
    assert second.headers["Location"] == "/sign-in"
    assert await a_code(database) is None


async def test_two_who_set_up_at_once_make_one_account(database):
    codes = [await a_code(database), await a_code(database)]
    async with visiting(database, role=None) as visitor:
        answers = await asyncio.gather(
            *(
                visitor.post("/welcome", a_set_up(code, name))
                for code, name in zip(codes, ["ada", "grace"], strict=True)
            )
        )
    async with database.connection() as conn:
        assert len(await users.list_users(conn)) == 1
    assert sorted(answer.headers["Location"] for answer in answers) == ["/", "/sign-in"]


async def test_a_code_opens_for_a_day(database):
    code = await a_code(database)
    clock = Clock()
    clock.pass_(hours=24, seconds=1)
    async with visiting(database, role=None, clock=clock) as visitor:
        assert (await visitor.post("/welcome", a_set_up(code))).status == 400
    async with database.connection() as conn:
        assert await users.is_empty(conn)


async def test_passwords_that_differ_make_no_account(database):
    code = await a_code(database)
    async with visiting(database, role=None) as visitor:
        answer = await visitor.post("/welcome", a_set_up(code) | {"again": "another one altogether"})
        assert (answer.status, "passwords differ" in answer.page.text) == (400, True)
        assert (await visitor.post("/welcome", a_set_up(code))).status == 303  # the code still opens


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 65, "a\u202eb"])
async def test_a_name_that_cannot_be_shown_makes_no_account(database, name):
    code = await a_code(database)
    async with visiting(database, role=None) as visitor:
        answer = await visitor.post("/welcome", a_set_up(code, name))
    assert answer.status == 400
    assert "on one line" in answer.page.text


# Sessions and keys


async def test_a_session_ends_after_a_month(database):
    await a_person(database)
    clock = Clock()
    async with visiting(database, role=None, clock=clock) as visitor:
        session = with_session(session_of(await try_in(visitor, "ada", PASSWORD)).value)
        clock.pass_(days=30, seconds=1)
        assert (await visitor.get("/", **session)).headers["Location"] == "/sign-in"


async def test_who_signs_out_is_out_at_once(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        session = with_session(session_of(await try_in(visitor, "ada", PASSWORD)).value)
        visitor.session.cookie_jar.clear()
        assert (await visitor.get("/", **session)).status == 200
        await visitor.post("/sign-out", **session)
        assert (await visitor.get("/", **session)).headers["Location"] == "/sign-in"


async def test_another_role_takes_effect_at_the_next_request(database):
    user_id = await a_person(database, role="reader")
    async with visiting(database, role=None) as visitor:
        admin = with_session(await signed_in(database, "admin", now=NOW))
        session = with_session(session_of(await try_in(visitor, "ada", PASSWORD)).value)
        visitor.session.cookie_jar.clear()
        before = await visitor.post("/queue/retry", **session)
        await visitor.post(f"/settings/people/{user_id}/role", {"role": "editor"}, **admin)
        after = await visitor.post("/queue/retry", **session)
    assert (before.status, after.status) == (403, 303)


async def test_a_key_shrinks_with_the_role_of_its_owner(database):
    user_id = await a_person(database)
    async with database.transaction() as conn:
        made = await accounts.new_key(
            conn, user_id, "editor", name="k", scopes=["read", "edit"], now=NOW, lasts=timedelta(days=1)
        )
    key = {"Authorization": f"Bearer {made.key}"}
    async with visiting(database, role=None) as visitor:
        admin = with_session(await signed_in(database, "admin", now=NOW))
        assert (await visitor.post("/queue/retry", **key)).status == 303
        await visitor.post(f"/settings/people/{user_id}/role", {"role": "reader"}, **admin)
        assert (await visitor.post("/queue/retry", **key)).status == 403
        assert (await visitor.get("/queue", **key)).status == 200
        await visitor.post(f"/settings/people/{user_id}/disable", **admin)
        assert (await visitor.get("/api/openapi.json", **key)).status == 401


async def test_a_key_that_has_ended_opens_nothing(database):
    user_id = await a_person(database)
    async with database.transaction() as conn:
        made = await accounts.new_key(
            conn, user_id, "editor", name="k", scopes=["read"], now=NOW, lasts=timedelta(days=1)
        )
    clock = Clock()
    clock.pass_(days=1, seconds=1)
    async with visiting(database, role=None, clock=clock) as visitor:
        assert (await visitor.get("/api/openapi.json", Authorization=f"Bearer {made.key}")).status == 401


async def test_nothing_that_opens_a_door_is_kept_as_it_is(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        session = session_of(await try_in(visitor, "ada", PASSWORD)).value
    async with database.connection() as conn:
        kept = [
            await conn.fetchval(f"SELECT string_agg(t::text, ' ') FROM {table} AS t") for table in ("users", "sessions")
        ]
    assert all(kept)
    assert not any(secret in text for secret in (session, session.encode().hex(), PASSWORD) for text in kept)


# Where one is sent


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
async def test_nobody_is_sent_to_another_site(database, elsewhere):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        page = await visitor.get(f"/sign-in?next={quote(elsewhere)}")
        form = {"name": "ada", "password": PASSWORD, "next_page": elsewhere}
        answer = await visitor.post("/sign-in", form)
        again = await visitor.get(f"/sign-in?next={quote(elsewhere)}", **with_session(session_of(answer).value))
    (kept,) = [field["value"] for field in page.page.attributes("input") if field.get("name") == "next_page"]
    for location in (kept, answer.headers["Location"], again.headers["Location"]):
        assert urlsplit(urljoin("http://desk.test/sign-in", location)).netloc == "desk.test"
        assert location == "/"


async def test_one_is_sent_back_to_where_one_wanted_to_go(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        sent = await visitor.get("/runs?status=failed&source=a%20b")
        page = await visitor.get(sent.headers["Location"])
        (wanted,) = [field["value"] for field in page.page.attributes("input") if field.get("name") == "next_page"]
        answer = await visitor.post("/sign-in", {"name": "ada", "password": PASSWORD, "next_page": wanted})
    assert answer.headers["Location"] == "/runs?status=failed&source=a%20b"


# The cookie


async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        cookie = session_of(await try_in(visitor, "ada", PASSWORD))
    assert (cookie["httponly"], cookie["samesite"].lower(), cookie["path"]) == (True, "lax", "/")
    assert not cookie["domain"]
    assert not cookie["secure"]  # plain HTTP, on which the browser would not send it back


async def test_behind_a_proxy_that_speaks_tls_the_cookie_is_for_tls_only(database):
    await a_person(database)
    async with visiting(database, role=None, trusted_proxies="127.0.0.0/8") as visitor:
        origin = visitor.address.replace("http:", "https:")
        answer = await try_in(visitor, "ada", PASSWORD, Origin=origin, **{"X-Forwarded-Proto": "https"})
    assert session_of(answer)["secure"]


async def test_a_peer_that_is_no_proxy_cannot_say_that_it_speaks_tls(database):
    await a_person(database)
    async with visiting(database, role=None) as visitor:
        answer = await try_in(visitor, "ada", PASSWORD, **{"X-Forwarded-Proto": "https"})
        foreign = visitor.address.replace("http:", "https:")
        refused = await try_in(visitor, "ada", PASSWORD, Origin=foreign, **{"X-Forwarded-Proto": "https"})
    assert not session_of(answer)["secure"]
    assert refused.status == 403
