"""Topics over the API: settings, rules, channels, dry runs, stories that are kept out."""

import pytest

from builders import told
from scoop.store import topics
from web.visitor import a_report, visiting

WEBHOOK = {"kind": "webhook", "options": {"url": "https://hooks.example/in", "secret": "desk"}}


async def added(visitor, **given):
    return await visitor.ask("POST", "/api/v1/topics", {"topic_slug": "energy"} | given)


async def test_a_topic_is_added_read_changed_and_removed(database):
    rules = {
        "source_rules": [{"source": "tribune"}, {"source": "spam", "rule_type": "exclude"}],
        "keyword_rules": [{"pattern": "solar", "weight": 3}, {"pattern": "wind (farm|park)", "is_regex": True}],
    }
    async with visiting(database, role="editor") as visitor:
        made = await added(visitor, collections=["world_news"], digest_cron="0 8 * * 1-5", **rules)
        read = await visitor.get("/api/v1/topics/energy")
        changed = await visitor.ask("PATCH", "/api/v1/topics/energy", {"topic_name": "Power", "keyword_rules": []})
        listed = await visitor.get("/api/v1/topics")
        removed = await visitor.ask("DELETE", "/api/v1/topics/energy")
        gone = await visitor.get("/api/v1/topics/energy")
    assert (made.status, made.headers["Location"], made.json) == (201, "/api/v1/topics/energy", read.json)
    assert (read.json["topic_name"], read.json["timezone"], read.json["enabled"]) == ("Energy", "UTC", True)
    assert read.json["next_digest_at"] == "2024-05-17T08:00:00Z"  # 08:00 in the timezone of the desk, on the Friday
    assert {(rule["source"], rule["rule_type"]) for rule in read.json["source_rules"]} == {
        ("tribune", "include"),
        ("spam", "exclude"),
    }
    assert [(rule["pattern"], rule["weight"]) for rule in read.json["keyword_rules"]] == [
        ("solar", 3),
        ("wind (farm|park)", 1),
    ]
    assert (changed.json["topic_name"], changed.json["keyword_rules"]) == ("Power", [])
    assert changed.json["source_rules"] == read.json["source_rules"]
    assert "energy" in [topic["topic_slug"] for topic in listed.json]
    assert (removed.status, gone.status) == (204, 404)


async def test_a_topic_that_is_there_is_a_conflict_and_stays(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor, topic_name="One")
        again = await added(visitor, topic_name="Two")
        found = await visitor.get("/api/v1/topics/energy")
    assert (again.status, found.json["topic_name"]) == (409, "One")


@pytest.mark.parametrize(
    ("given", "about"),
    [
        ({"topic_slug": "Not A Slug"}, "body.topic_slug"),
        ({"digest_cron": "often"}, "often"),
        ({"digest_cron": "* * * * *"}, "fires several times"),
        ({"timezone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"timezone": "Europe"}, "is not a timezone"),
        ({"max_entries": 0}, "body.max_entries"),
        ({"topic_name": "  "}, "name: must be 1 to 512 characters"),
        ({"collections": [""]}, "body.collections.0"),
        ({"collections": "world_news"}, "body.collections"),
        ({"discord_channel_id": "12"}, "body.discord_channel_id"),
        ({"keyword_rules": [{"pattern": "(", "is_regex": True}]}, "cannot be used"),
        ({"keyword_rules": [{"pattern": "a\0b"}]}, "must be words"),
        ({"keyword_rules": [{"pattern": "x" * 300}]}, "body.keyword_rules.0.pattern"),
        ({"keyword_rules": [{"pattern": "x", "weight": 1000}]}, "body.keyword_rules.0.weight"),
        ({"keyword_rules": [{"pattern": ".*", "is_regex": True}]}, "every story"),
        ({"source_rules": [{"source": "\0"}]}, "body.source_rules.0.source"),
        ({"legacy_command": ["rm", "-rf", "/"]}, "body.legacy_command"),
    ],
)
async def test_what_no_topic_can_be_is_refused_by_its_name(database, given, about):
    async with visiting(database, role="editor") as visitor:
        refused = await added(visitor, **given)
        missing = await visitor.get("/api/v1/topics/energy")
    assert (refused.status, refused.json["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert about in refused.json["error"]["message"]
    assert missing.status == 404


async def test_a_change_of_what_was_changed_meanwhile_is_refused(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        tag = (await visitor.get("/api/v1/topics/energy")).headers["ETag"]
        first = await visitor.ask("PATCH", "/api/v1/topics/energy", {"max_entries": 5}, **{"If-Match": tag})
        late = await visitor.ask("PATCH", "/api/v1/topics/energy", {"max_entries": 9}, **{"If-Match": tag})
        removed = await visitor.ask("DELETE", "/api/v1/topics/energy", **{"If-Match": tag})
        found = await visitor.get("/api/v1/topics/energy")
    assert (first.status, late.status, removed.status, found.json["max_entries"]) == (200, 412, 412, 5)


async def test_single_rules_are_added_changed_and_taken_away(database):
    rules = "/api/v1/topics/energy/rules"
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        await visitor.ask("POST", rules, {"keyword_rule": {"pattern": "solar"}})
        heavier = await visitor.ask("POST", rules, {"keyword_rule": {"pattern": "solar", "weight": 7}})
        both = await visitor.ask("POST", rules, {"source_rule": {"source": "tribune", "rule_type": "exclude"}})
        neither = await visitor.ask("POST", rules, {})
        gone = await visitor.ask("DELETE", f"{rules}?pattern=solar")
        unknown = await visitor.ask("DELETE", f"{rules}?pattern=solar")
        unnamed = await visitor.ask("DELETE", rules)
        found = await visitor.get("/api/v1/topics/energy")
    assert [rule["weight"] for rule in heavier.json["keyword_rules"]] == [7]
    assert both.json["source_rules"] == [{"source": "tribune", "rule_type": "exclude"}]
    assert (neither.status, gone.status, unknown.status, unnamed.status) == (400, 204, 404, 400)
    assert (found.json["keyword_rules"], found.json["source_rules"]) == ([], both.json["source_rules"])


async def test_a_dry_run_shows_what_rules_would_catch_before_they_are_kept(database):
    await told(
        database,
        [
            a_report(1, title="Solar power on every roof", body_text="The roofs of the town are full of panels now."),
            a_report(2, title="Chess club wins the cup", body_text="Four teenagers beat the champions of the league."),
        ],
    )
    unsaved = {"collections": ["world_news"], "keyword_rules": [{"pattern": "solar"}]}
    async with visiting(database, role="editor") as visitor:
        await added(visitor, collections=["nowhere"])
        as_kept = await visitor.ask("POST", "/api/v1/topics/energy/test?days=30")
        as_given = await visitor.ask("POST", "/api/v1/topics/energy/test?days=30", unsaved)
        bad = await visitor.ask(
            "POST", "/api/v1/topics/energy/test", {"keyword_rules": [{"pattern": "[", "is_regex": True}]}
        )
        too_far = await visitor.ask("POST", "/api/v1/topics/energy/test?days=4000")
        kept = await visitor.get("/api/v1/topics/energy")
    assert (as_kept.json["looked_at"], as_kept.json["stories"]) == (0, 0)
    assert (as_given.json["looked_at"], as_given.json["stories"]) == (2, 1)
    assert as_given.json["titles"] == ["Solar power on every roof"]
    assert {(rule["rule"], rule["stories"]) for rule in as_given.json["rules"]} == {
        ("collection:world_news", 1),
        ("keyword:solar", 1),
    }
    assert (bad.status, too_far.status) == (400, 400)
    assert (kept.json["collections"], kept.json["keyword_rules"]) == (["nowhere"], [])


async def test_channels_come_rest_and_go(database):
    channel = "/api/v1/topics/energy/channels/main"
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        put = await visitor.ask("PUT", channel, WEBHOOK)
        rests = await visitor.ask("POST", f"{channel}/disable")
        again = await visitor.ask("POST", f"{channel}/enable")
        bad = await visitor.ask("PUT", channel, {"kind": "webhook", "options": {"url": "ftp://x"}})
        unknown = await visitor.ask("PUT", channel, {"kind": "pigeon"})
        gone = await visitor.ask("DELETE", channel)
        missing = [
            await visitor.ask("DELETE", channel),
            await visitor.ask("POST", f"{channel}/enable"),
            await visitor.ask("PUT", "/api/v1/topics/nobody/channels/main", WEBHOOK),
        ]
    assert put.json["channels"] == [{"name": "main", **WEBHOOK, "enabled": True, "problem": None}]
    assert (rests.json["channels"][0]["enabled"], again.json["channels"][0]["enabled"]) == (False, True)
    assert (bad.status, unknown.status, gone.status) == (400, 400, 204)
    assert [answer.status for answer in missing] == [404, 404, 404]


async def test_readers_see_where_a_topic_goes_but_not_how(database):
    async with visiting(database, role="editor") as editor, visiting(database, role="reader") as reader:
        await added(editor)
        await editor.ask("PUT", "/api/v1/topics/energy/channels/main", WEBHOOK)
        one, many = await reader.get("/api/v1/topics/energy"), await reader.get("/api/v1/topics")
    assert (one.json["channels"][0]["kind"], one.json["channels"][0]["options"]) == ("webhook", {})
    assert "hooks.example" not in many.text


async def test_programs_are_never_named_over_http_and_files_only_by_admins(database):
    program = {"kind": "command", "options": {"command": ["/bin/sh", "-c", "id"]}}
    file = {"kind": "file", "options": {"folder": "/srv/digests"}}
    mail = {
        "kind": "email",
        "options": {
            "host": "mail.example",
            "sender": "desk@mail.example",
            "recipients": ["ida@mail.example"],
            "user": "desk",
            "password": "desk",
        },
    }
    inside = {"kind": "webhook", "options": {"url": "http://10.0.0.1/in", "allow_private": True}}
    channel = "/api/v1/topics/energy/channels/main"
    async with visiting(database, role="editor") as editor, visiting(database) as admin:
        await added(editor)
        by_editor = [(await editor.ask("PUT", channel, given)).status for given in (program, file, mail, inside)]
        by_admin = [(await admin.ask("PUT", channel, given)).status for given in (program, file, mail, inside)]
        untouched = await editor.ask("PUT", channel, inside | {"enabled": False})
    assert (by_editor, by_admin) == ([403, 403, 403, 403], [403, 200, 200, 200])
    assert untouched.json["channels"][0]["enabled"] is False


async def test_a_story_is_kept_out_of_a_topic_and_let_in_again(database):
    await told(database, [a_report(1)])
    async with visiting(database, role="editor") as visitor:
        async with database.connection() as conn:
            story = await conn.fetchrow("SELECT story_id, story_uuid FROM stories")
            topic = await topics.by_slug(conn, "world_news")
        kept = await visitor.ask(
            "POST", "/api/v1/topics/world_news/suppress", {"story": str(story["story_uuid"]), "reason": "an advert"}
        )
        async with database.connection() as conn:
            reason = await conn.fetchval(
                "SELECT suppression_reason FROM story_topic_state WHERE topic_id = $1 AND suppressed", topic.topic_id
            )
        let_in = await visitor.ask("POST", "/api/v1/topics/world_news/unsuppress", {"story": str(story["story_id"])})
        unknown = await visitor.ask("POST", "/api/v1/topics/world_news/suppress", {"story": "4711"})
    assert (kept.json["story_id"], kept.json["suppressed"], reason) == (story["story_id"], True, "an advert")
    assert (let_in.json["suppressed"], unknown.status) == (False, 404)


async def test_a_topic_rests_and_is_told_again(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        rests = await visitor.ask("POST", "/api/v1/topics/energy/disable")
        again = await visitor.ask("POST", "/api/v1/topics/energy/enable")
        missing = await visitor.ask("POST", "/api/v1/topics/nobody/enable")
    assert (rests.json["enabled"], rests.json["next_digest_at"]) == (False, None)
    assert (again.json["enabled"], missing.status) == (True, 404)
