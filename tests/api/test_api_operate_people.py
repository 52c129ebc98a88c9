"""People and keys over the API."""

import pytest

from scoop.http import accounts, passwords
from scoop.store import users
from web.visitor import NOW, visiting

PASSWORD, OTHER = "a long password", "another long password"


async def added(visitor, name="Ida", **given):
    return await visitor.ask("POST", "/api/v1/users", {"name": name, "password": PASSWORD} | given)


async def with_password(database, visitor, password):
    """Give the visitor's own account a password."""
    async with database.transaction() as conn:
        (user,) = await users.list_users(conn)
        await conn.execute(
            "UPDATE users SET password_hash = $2 WHERE user_id = $1",
            user.user_id,
            await passwords.hash_password(password),
        )
    return user


async def test_an_admin_adds_changes_and_removes_people_and_no_hash_is_shown(database):
    async with visiting(database) as visitor:
        made = await added(visitor, role="editor")
        changed = await visitor.ask("PATCH", made.headers["Location"], {"role": "reader", "enabled": False})
        listed = await visitor.get("/api/v1/users")
        removed = await visitor.ask("DELETE", made.headers["Location"])
        gone = await visitor.get(made.headers["Location"])
    assert (made.status, made.json["name"], made.json["role"], made.json["has_password"]) == (
        201,
        "Ida",
        "editor",
        True,
    )
    assert (changed.json["role"], changed.json["enabled"]) == ("reader", False)
    assert len(listed.json) == 2
    assert not {"password", "password_hash"} & set(listed.json[0])
    assert "argon2" not in listed.text
    assert (removed.status, gone.status) == (204, 404)


@pytest.mark.parametrize(
    ("given", "status", "about"),
    [
        ({"password": "short"}, 400, "at least"),
        ({"password": "a" * 2000}, 400, "body.password"),
        ({"name": ""}, 400, "body.name"),
        ({"name": "a\nb"}, 400, "on one line"),
        ({"name": "a\0b"}, 400, "body.name"),
        ({"name": "x" * 65}, 400, "body.name"),
        ({"role": "emperor"}, 400, "body.role"),
        ({"oidc_subject": "me"}, 400, "body.oidc_subject"),
    ],
)
async def test_who_cannot_be_is_refused_by_the_field(database, given, status, about):
    async with visiting(database) as visitor:
        refused = await added(visitor, **given)
        listed = await visitor.get("/api/v1/users")
    assert (refused.status, about in refused.json["error"]["message"], len(listed.json)) == (status, True, 1)


async def test_names_are_taken_once_in_any_case(database):
    async with visiting(database) as visitor:
        await added(visitor, "Ida")
        assert (await added(visitor, "IDA")).status == 409


async def test_the_only_admin_stays_one(database):
    async with visiting(database) as visitor:
        (me,) = (await visitor.get("/api/v1/users")).json
        path = f"/api/v1/users/{me['user_id']}"
        answers = [
            await visitor.ask("PATCH", path, {"role": "editor"}),
            await visitor.ask("PATCH", path, {"enabled": False}),
            await visitor.ask("DELETE", path),
        ]
        await added(visitor, role="admin")
        then = await visitor.ask("PATCH", path, {"role": "editor"})
        now = await visitor.get("/api/v1/users")
    assert [answer.status for answer in answers] == [409, 409, 409]
    assert (then.status, now.status) == (200, 403)  # at once


async def test_a_person_who_is_let_rest_is_out_at_once(database):
    async with visiting(database) as admin, visiting(database, role="reader") as reader:
        assert (await reader.get("/api/v1/sources")).status == 200
        person = next(user for user in (await admin.get("/api/v1/users")).json if user["role"] == "reader")
        await admin.ask("PATCH", f"/api/v1/users/{person['user_id']}", {"enabled": False})
        async with database.connection() as conn:
            assert await conn.fetchval("SELECT count(*) FROM sessions WHERE user_id = $1", person["user_id"]) == 0


async def test_a_key_is_shown_once_and_opens_what_it_is_for_until_it_is_taken_back(database):
    async with visiting(database, role="editor") as visitor, visiting(database, role=None) as program:
        made = await visitor.ask("POST", "/api/v1/keys", {"name": "Phone", "scopes": ["read"], "days": 30})
        as_key = {"Authorization": f"Bearer {made.json['key']}"}
        reads = await program.get("/api/v1/sources", **as_key)
        writes = await program.ask("POST", "/api/v1/queue/retry", **as_key)
        listed = await visitor.get("/api/v1/keys")
        removed = await visitor.ask("DELETE", f"/api/v1/keys/{made.json['api_key_id']}")
        twice = await visitor.ask("DELETE", f"/api/v1/keys/{made.json['api_key_id']}")
    async with visiting(database, role=None) as program:
        after = await program.get("/api/v1/sources", **as_key)
    assert (made.status, reads.status, writes.status) == (201, 200, 403)
    assert [key["name"] for key in listed.json] == ["Phone"]
    assert made.json["key"] not in listed.text
    assert (removed.status, twice.status, after.status) == (204, 404, 401)


@pytest.mark.parametrize(
    "given",
    [
        {"scopes": ["admin"]},
        {"scopes": []},
        {"scopes": ["fly"]},
        {"name": ""},
        {"name": "a\nb"},
        {"days": 0},
        {"days": 10**9},
        {"user_id": 1},
    ],
)
async def test_a_key_is_no_wider_than_its_owner(database, given):
    async with visiting(database, role="editor") as visitor:
        refused = await visitor.ask("POST", "/api/v1/keys", {"name": "Phone", "scopes": ["read"]} | given)
        listed = await visitor.get("/api/v1/keys")
    assert (refused.status, listed.json) == (400, [])


async def test_nobody_sees_or_takes_the_keys_of_others_but_an_admin(database):
    wanted = {"name": "Phone", "scopes": ["read"]}
    async with visiting(database, role="editor") as one, visiting(database, role="editor") as other:
        made = await one.ask("POST", "/api/v1/keys", wanted)
        path = f"/api/v1/keys/{made.json['api_key_id']}"
        seen, taken = await other.get("/api/v1/keys"), await other.ask("DELETE", path)
        async with visiting(database) as admin:
            all_keys, removed = await admin.get("/api/v1/keys"), await admin.ask("DELETE", path)
    assert (seen.json, taken.status) == ([], 404)
    assert ([key["name"] for key in all_keys.json], removed.status) == (["Phone"], 204)


async def test_a_key_that_may_only_read_neither_makes_nor_takes_keys_nor_changes_passwords(database):
    async with visiting(database) as visitor, visiting(database, role=None) as program:
        made = await visitor.ask("POST", "/api/v1/keys", {"name": "Reads", "scopes": ["read"]})
        as_key = {"Authorization": f"Bearer {made.json['key']}"}
        answers = [
            await program.ask("POST", "/api/v1/keys", {"name": "Wider", "scopes": ["admin"]}, **as_key),
            await program.ask("DELETE", f"/api/v1/keys/{made.json['api_key_id']}", **as_key),
            await program.ask(
                "POST", "/api/v1/users/me/password", {"password": PASSWORD, "new_password": OTHER}, **as_key
            ),
        ]
        left = await visitor.get("/api/v1/keys")
    assert [answer.status for answer in answers] == [403, 403, 403]
    assert [key["name"] for key in left.json] == ["Reads"]


async def test_who_only_reads_in_public_has_no_keys(database):
    async with visiting(database) as admin:
        made = await admin.ask("POST", "/api/v1/keys", {"name": "Phone", "scopes": ["read"]})
    async with visiting(database, role=None, public_reading=True) as nobody:
        path = f"/api/v1/keys/{made.json['api_key_id']}"
        answers = [
            await nobody.get("/api/v1/keys"),
            await nobody.ask("POST", "/api/v1/keys", {"name": "x", "scopes": ["read"]}),
            await nobody.ask("DELETE", path),
        ]
        sources = await nobody.get("/api/v1/sources")
    async with visiting(database) as admin:
        left = await admin.get("/api/v1/keys")
    assert [answer.status for answer in answers] == [401, 401, 401]
    assert (sources.status, len(left.json)) == (200, 1)


async def test_a_password_is_changed_by_who_knows_it_and_other_browsers_are_signed_out(database):
    async with visiting(database, role="reader") as visitor:
        user = await with_password(database, visitor, PASSWORD)
        wrong = await visitor.ask(
            "POST", "/api/v1/users/me/password", {"password": "not it at all", "new_password": OTHER}
        )
        weak = await visitor.ask("POST", "/api/v1/users/me/password", {"password": PASSWORD, "new_password": "short"})
        async with database.transaction() as conn:
            await accounts.open_session(conn, user.user_id, now=NOW)
        changed = await visitor.ask("POST", "/api/v1/users/me/password", {"password": PASSWORD, "new_password": OTHER})
        still_in = await visitor.get("/api/v1/sources")
        async with database.connection() as conn:
            sessions = await conn.fetchval("SELECT count(*) FROM sessions WHERE user_id = $1", user.user_id)
            known = await users.find_credentials(conn, user.name, network="", networks_since=NOW)
    assert (wrong.status, weak.status, changed.status, still_in.status, sessions) == (400, 400, 204, 200, 1)
    assert await passwords.is_password(OTHER, known.password_hash)


async def test_passwords_cannot_be_guessed_here_for_ever(database):
    async with visiting(database, role="reader") as visitor:
        await with_password(database, visitor, PASSWORD)
        guess = {"password": "not it at all", "new_password": OTHER}
        answers = [await visitor.ask("POST", "/api/v1/users/me/password", guess) for _ in range(6)]
    assert [answer.status for answer in answers] == [400, 400, 400, 400, 400, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0


@pytest.mark.parametrize("role", ["reader", "editor"])
async def test_people_are_for_admins(database, role):
    async with visiting(database, role=role) as visitor:
        answers = [await visitor.get("/api/v1/users"), await added(visitor), await visitor.get("/api/v1/users/1")]
    assert [answer.status for answer in answers] == [403, 403, 403]
