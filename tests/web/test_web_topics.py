import re

import pytest

from builders import an_item, told
from scoop.model import ChannelSettings
from scoop.store import topics as store
from web.operating import add_topic, make_digest, write
from web.visitor import NOW, a_report, visiting

HOSTILE = "<script>alert(1)</script>"


async def topic(database, slug="energy"):
    async with database.connection() as conn:
        return await store.by_slug(conn, slug)


async def channel(database, slug="energy", name="main"):
    async with database.connection() as conn:
        found = await store.list_channels(conn, (await store.by_slug(conn, slug)).topic_id)
    return next((each for each in found if each.name == name), None)


def form_of(*rules, **changes):
    """The form of a topic as a browser would send it; a rule is given by its words and what else is said of it."""
    form = {
        "name": "Energy",
        "timezone": "Europe/Berlin",
        "cron": "0 8 * * *",
        "collections": "world_news",
        "max_entries": "12",
        "max_per_family": "3",
        "sources": "",
        "exclude_sources": "",
        "do": "save",
        "rows": str(len(rules)),
    }
    for place, (pattern, more) in enumerate(rules):
        row = {
            "pattern": pattern,
            "rule_type": "include",
            "is_regex": "false",
            "weight": "1",
            "enabled": "true",
            **more,
        }
        form |= {f"{name}-{place}": value for name, value in row.items()}
    return form | changes


async def test_the_list_tells_when_each_is_told_and_where(database):
    await add_topic(database, cron="0 8 * * *", timezone="Asia/Tokyo", keywords=["solar"], exclude_sources=["tribune"])
    async with database.transaction() as conn:
        found = await store.by_slug(conn, "energy")
        options = {"folder": "/srv/digests"}
        await store.put_channel(conn, found.topic_id, ChannelSettings(name="main", kind="file", options=options))
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/topics")).page
    assert "Energy in 11 h Fri 17 May, 08:00 Asia/Tokyo world_news 2 main" in page.text
    assert "/topics/energy" in page.links()


async def test_a_resting_topic_has_no_next_digest(database):
    await add_topic(database)
    async with visiting(database, role="editor") as visitor:
        await visitor.post("/topics/energy/disable")
        assert not (await topic(database)).enabled
        assert "Energy disabled world_news" in (await visitor.get("/topics")).page.text
        await visitor.post("/topics/energy/enable")
    assert (await topic(database)).enabled


async def test_a_topic_is_added_with_its_rules(database):
    form = form_of(("solar power", {"weight": "3"}), ("horoscope", {"rule_type": "exclude"}), slug="energy", name="")
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/topics/add", form)
    assert (answer.status, answer.headers["Location"]) == (303, "/topics/energy")
    added = await topic(database)
    assert (added.topic_name, added.digest_cron, added.collections) == ("Energy", "0 8 * * *", ["world_news"])
    assert [(rule.pattern, rule.rule_type, rule.weight) for rule in added.keyword_rules] == [
        ("solar power", "include", 3),
        ("horoscope", "exclude", 1),
    ]


@pytest.mark.parametrize("slug", ["", "Énergie", "a b", "energy/solar", "add", "x" * 65])
async def test_a_topic_that_cannot_be_called_that_is_told_so_at_its_slug(database, slug):
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/add", form_of(slug=slug, name="Typed"))
    assert answer.status == 400
    assert 'id="slug-wrong"' in answer.text
    assert 'value="Typed"' in answer.text


async def test_a_slug_that_is_taken_is_told_at_its_field(database):
    await add_topic(database)
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/add", form_of(slug="energy", name="Another"))
    assert answer.status == 400
    assert "Topic &#39;energy&#39; already exists" in answer.text
    assert (await topic(database)).topic_name == "Energy"


async def test_a_change_keeps_the_lines_that_have_words_and_forgets_the_others(database):
    await add_topic(database, keywords=["solar", "wind"])
    form = form_of(
        ("solar", {"enabled": "false"}),
        ("", {}),
        ("wind (farm|park)s?", {"is_regex": "true"}),
        sources="tribune\nledger",
        exclude_sources=" gazette ",
        max_entries="20",
    )
    async with visiting(database, role="editor") as visitor:
        await visitor.post("/topics/energy", form)
    changed = await topic(database)
    assert changed.max_entries == 20
    assert [(rule.pattern, rule.is_regex, rule.enabled) for rule in changed.keyword_rules] == [
        ("solar", False, False),
        ("wind (farm|park)s?", True, True),
    ]
    assert [(rule.source, rule.rule_type) for rule in changed.source_rules] == [
        ("ledger", "include"),
        ("tribune", "include"),
        ("gazette", "exclude"),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cron", "0 9,10 * * *"),
        ("cron", "whenever"),
        ("timezone", "Mars/Olympus"),
        ("max_entries", "many"),
        ("max_per_family", "0"),
        ("discord_channel_id", "general"),
    ],
)
async def test_a_wrong_setting_is_told_at_its_field_and_nothing_typed_is_lost(database, field, value):
    await add_topic(database)
    form = form_of(("solar", {"weight": "7"}), name="Typed anew", **{field: value})
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/energy", form)
    assert answer.status == 400
    assert [each["name"] for each in answer.page.attributes("input") if "aria-invalid" in each] == [field]
    assert f'id="{field}-wrong"' in answer.text
    typed = {each.get("name"): each.get("value") for each in answer.page.attributes("input")}
    assert (typed["name"], typed[field], typed["pattern-0"], typed["weight-0"]) == ("Typed anew", value, "solar", "7")
    assert (await topic(database)).topic_name == "Energy"


@pytest.mark.parametrize(
    ("pattern", "more", "problem"),
    [
        ("wind (farm", {"is_regex": "true"}, "cannot be used"),
        (r"(?=look)", {"is_regex": "true"}, "lookarounds"),
        (".*", {"is_regex": "true"}, "fits even an empty text"),
        ("x" * 300, {}, "300 characters"),
        ("solar", {"weight": "1000"}, "1-100"),
        ("solar", {"weight": "heavy"}, "an integer"),
    ],
)
async def test_a_wrong_rule_is_told_at_its_line(database, pattern, more, problem):
    await add_topic(database)
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/energy", form_of(("fine", {}), (pattern, more)))
    assert answer.status == 400
    assert problem in re.search(r'id="rule-1-wrong">(.*?)</p>', answer.text)[1]
    assert "rule-0-wrong" not in answer.text
    assert (await topic(database)).keyword_rules == ()


async def test_rules_are_tried_as_typed_and_nothing_is_saved(database):
    await told(
        database,
        [
            a_report(1, title="Solar power grows", hours_ago=20),
            a_report(2, title="Bridge closed", hours_ago=20),
            a_report(3, title="Solar horoscope", hours_ago=20),
        ],
    )
    await add_topic(database)
    rules = [("solar", {}), ("horoscope", {"rule_type": "exclude"})]
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/topics/energy", form_of(*rules, do="try", days="3", sources="nobody"))
    assert answer.status == 200
    assert "nothing is saved yet" in answer.page.text
    assert "1 of 3 stories within its bounds would have belonged to it in 3 days" in answer.page.text
    assert "keyword:solar includes 1 Solar power grows" in answer.page.text
    assert "keyword:horoscope excludes 1 Solar horoscope" in answer.page.text
    assert "only pushed items can have their names: nobody" in answer.page.text
    assert (await topic(database)).keyword_rules == ()
    typed = {each.get("name"): each.get("value") for each in answer.page.attributes("input")}
    assert (typed["pattern-0"], typed["pattern-1"]) == ("solar", "horoscope")


async def test_rules_of_a_new_topic_are_tried_before_there_is_one(database):
    await told(database, [a_report(1, title="Solar power grows", hours_ago=20)])
    form = form_of(("solar", {}), slug="energy", do="try", collections="")
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.post("/topics/add", form)).page
        assert "1 of 1 stories within its bounds" in page.text
        assert (await visitor.get("/topics/energy")).status == 404


@pytest.mark.parametrize("rows", ["-1", "999999999999", "nonsense", "٣"])
async def test_a_count_of_lines_that_cannot_be_counts_none(database, rows):
    await add_topic(database, keywords=["solar"])
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/energy", {**form_of(("wind", {})), "rows": rows})
    assert answer.status == 303


async def test_a_topic_whose_digest_was_only_looked_at_is_removed_and_one_that_posted_is_not(database):
    await add_topic(database)
    await make_digest(database, topic="energy")
    await write(database, "part")
    async with visiting(database, role="editor") as visitor:
        assert (await visitor.post("/topics/energy/remove")).headers["Location"] == "/topics"
        assert (await visitor.get("/topics/energy")).status == 404
        answer = await visitor.post("/topics/ai_news/remove")
    assert answer.status == 409
    assert "disable it instead" in answer.page.text


async def test_a_new_topic_is_in_the_timezone_of_the_desk_unless_it_names_another(database):
    async with visiting(database, role="editor", timezone="Asia/Tokyo") as visitor:
        offered = (await visitor.get("/topics/add")).page
        await visitor.post("/topics/add", {"slug": "local"})
        await visitor.post("/topics/add", {"slug": "far", "timezone": "UTC"})
    async with database.connection() as conn:
        zones = [(await store.by_slug(conn, slug)).timezone for slug in ("local", "far")]
    assert "Asia/Tokyo" in {field.get("value") for field in offered.attributes("input")}
    assert zones == ["Asia/Tokyo", "UTC"]


async def test_a_story_is_kept_out_and_let_in_again(database):
    await told(database, [an_item(1, title="An advertisement")])
    async with database.connection() as conn:
        uuid = await conn.fetchval("SELECT story_uuid::text FROM stories")
    async with visiting(database, role="editor") as visitor:
        page = f"{visitor.address}/stories/{uuid}"
        await visitor.post("/topics/world_news/suppress", {"story": page, "reason": "sold space"})
        assert "An advertisement sold space" in (await visitor.get("/topics/world_news")).page.text
        await visitor.post("/topics/world_news/unsuppress", {"story": uuid})
        assert "An advertisement" not in (await visitor.get("/topics/world_news")).page.text


@pytest.mark.parametrize("story", ["4711", "nonsense", "", "00000000-0000-0000-0000-000000000000"])
async def test_a_story_that_is_not_there_is_told_at_its_field(database, story):
    await add_topic(database)
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/energy/suppress", {"story": story, "reason": "typed"})
    assert answer.status == 400
    assert 'id="story-wrong"' in answer.text
    assert 'value="typed"' in answer.text


async def test_a_channel_is_added_changed_rested_and_removed(database):
    await add_topic(database)
    form = {"kind": "webhook", "name": "main", "option-url": "https://hook.example/in?token=hunter2", "enabled": "true"}
    async with visiting(database, role="editor") as visitor:
        assert "webhook" in (await visitor.get("/topics/energy/new-channel")).page.text
        assert (await visitor.post("/topics/energy/channels", form)).headers["Location"] == "/topics/energy#channels"
        shown = await visitor.get("/topics/energy/channels/main")
        assert "hunter2" not in shown.text
        change = {"option-url": "https://hook.example/in?…", "option-secret": "desk", "enabled": "true"}
        await visitor.post("/topics/energy/channels/main", change)
        kept = await channel(database)
        assert kept.options == {"url": "https://hook.example/in?token=hunter2", "secret": "desk"}
        await visitor.post("/topics/energy/channels/main/disable")
        assert not (await channel(database)).enabled
        await visitor.post("/topics/energy/channels/main/enable")
        assert (await channel(database)).enabled
        await visitor.post("/topics/energy/channels/main/remove")
    assert await channel(database) is None


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"name": "Main!", "option-url": "https://hook.example/"}, "name"),
        ({"name": "taken", "option-url": "https://hook.example/"}, "name"),
        ({"name": "x" * 65, "option-url": "https://hook.example/"}, "name"),
    ],
)
async def test_a_wrong_channel_is_told_at_its_field(database, form, field):
    await add_topic(database)
    async with database.transaction() as conn:
        options = {"url": "https://hook.example/"}
        taken = ChannelSettings(name="taken", kind="webhook", options=options)
        await store.put_channel(conn, (await store.by_slug(conn, "energy")).topic_id, taken)
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/energy/channels", {"kind": "webhook", "enabled": "true", **form})
    assert answer.status == 400
    assert f'id="{field}-wrong"' in answer.text


async def test_a_channel_without_what_it_needs_says_what(database):
    await add_topic(database)
    async with visiting(database) as visitor:
        answer = await visitor.post("/topics/energy/channels", {"kind": "webhook", "name": "main"})
    assert answer.status == 400
    assert "Option url: must be an http or https address" in answer.page.text


@pytest.mark.parametrize(
    ("role", "kind", "options", "status"),
    [
        ("editor", "file", {"option-folder": "/srv"}, 404),
        ("admin", "file", {"option-folder": "/srv"}, 303),
        ("admin", "command", {"option-command": "/bin/sh"}, 404),
        ("editor", "webhook", {"option-url": "http://10.0.0.1/", "option-allow_private": "true"}, 303),
    ],
)
async def test_what_reaches_into_the_machine_is_not_for_everybody(database, role, kind, options, status):
    await add_topic(database)
    async with visiting(database, role=role) as visitor:
        answer = await visitor.post("/topics/energy/channels", {"kind": kind, "name": "main", **options})
    assert answer.status == status
    kept = await channel(database)
    assert kept is None if status == 404 else "allow_private" not in kept.options


@pytest.mark.parametrize(
    "path",
    [
        "/topics/nobody",
        "/topics/Nobody!",
        "/topics/%00",
        "/topics/energy/channels/nobody",
        "/topics/nobody/new-channel",
    ],
)
async def test_what_is_not_there_is_not_found(database, path):
    await add_topic(database)
    async with visiting(database) as visitor:
        assert (await visitor.get(path)).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/topics/add",
        "/topics/energy",
        "/topics/energy/disable",
        "/topics/energy/enable",
        "/topics/energy/remove",
        "/topics/energy/suppress",
        "/topics/energy/unsuppress",
        "/topics/energy/channels",
        "/topics/energy/channels/main",
        "/topics/energy/channels/main/remove",
    ],
)
async def test_readers_look_but_do_not_change(database, path):
    await add_topic(database, keywords=["solar"])
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/topics/energy")).page
        assert "solar words, weight 1" in page.text
        assert not [form for form in page.attributes("form") if form.get("action", "").startswith("/topics")]
        assert (await visitor.post(path, form_of())).status == 403
    async with visiting(database, role=None) as visitor:
        assert (await visitor.post(path, form_of())).status == 401
    assert [rule.pattern for rule in (await topic(database)).keyword_rules] == ["solar"]


async def test_hostile_names_and_titles_stay_text(database):
    await told(database, [an_item(1, title=HOSTILE, published_at=NOW.isoformat())])
    await add_topic(database, name=HOSTILE, keywords=[HOSTILE])
    async with visiting(database) as visitor:
        for answer in (
            await visitor.get("/topics"),
            await visitor.get("/topics/energy"),
            await visitor.post("/topics/energy", form_of((HOSTILE, {}), name=HOSTILE, do="try", days="30")),
        ):
            assert answer.status == 200
            assert "alert(1)" in answer.page.text
            assert all("src" in script for script in answer.page.attributes("script"))
