import re
from datetime import timedelta
from time import perf_counter
from uuid import uuid4

import pytest

from builders import BODY, FIRE, FIRE_AGAIN, group_into_events, run_all, told
from pages import ingest_teasers
from scoop.core.events import Regrouping
from scoop.store import events, topics
from scoop.store.reads import event_page as event_page_reads
from scoop.web import event as event_pages
from web.visitor import NOW, a_report, visiting

ADDRESS = "https://tribune.example/flood"


async def event_path(database, title=None):
    """The address of the latest event, or of the one with a story of this title."""
    async with database.connection() as conn:
        uuid = await conn.fetchval(
            "SELECT event_uuid FROM events JOIN stories ON coverage_id = event_id"
            " WHERE events.status <> 'merged' AND stories.status <> 'merged'"
            " AND ($1::text IS NULL OR canonical_title = $1)"
            " ORDER BY events.last_seen_at DESC, event_id DESC LIMIT 1",
            title,
        )
    return f"/events/{uuid}"


async def story_paths(database):
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT story_id, story_uuid FROM stories ORDER BY story_id")
    return {row["story_id"]: f"/stories/{row['story_uuid']}" for row in rows}


async def two_tellings(database):
    """One event told by two outlets, in two stories that are probably the same."""
    await told(database, [a_report(1, source="one", canonical_url="https://one.example/fire", hours_ago=4, **FIRE)])
    await told(
        database, [a_report(2, source="two", canonical_url="https://two.example/fire", hours_ago=2, **FIRE_AGAIN)]
    )


async def decide(visitor, path, action, **form):
    """Send one of the forms of an event's page."""
    return await visitor.post(f"{path}/{action}", form)


def values(page, name):
    """What the fields of this name in the forms of a page hold."""
    return [attrs["value"] for attrs in page.attributes("input") if attrs.get("name") == name]


def first_heading(answer, tag):
    """The text of the first heading of this level."""
    content = re.search(rf"<{tag}\b[^>]*>(.*?)</{tag}>", answer.text, re.DOTALL)[1]
    return " ".join(re.sub(r"<[^>]+>", "", content).split())


def documents_on(page):
    """The ids of the documents that a page lists, each as an article or as another outlet of one."""
    return [item["id"] for tag in ("li", "bdi") for item in page.attributes(tag) if "document-" in item.get("id", "")]


def texts(page):
    """The addresses of the documents' texts on a page."""
    return [link for link in page.links("/stories/") if "/read/" in link]


def moved(answer):
    assert answer.status == 303
    return answer.headers["Location"]


async def test_what_was_told_at_once_has_no_timeline(database):
    await told(
        database,
        [a_report(1, source="a", canonical_url=ADDRESS, hours_ago=5), a_report(2, source="b", canonical_url=ADDRESS)],
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(await event_path(database))).page
    assert page.attributes("svg") == []


async def test_a_story_is_kept_out_of_a_digest_with_a_reason_and_let_in_again(database):
    await told(database, [a_report(1)])
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database)
        answer = await decide(visitor, path, "suppress-in-topic", topic="world_news", reason="  an <b>advert</b>  ")
        kept_out = (await visitor.get(moved(answer))).page
        async with database.connection() as conn:
            state = await conn.fetchrow("SELECT suppressed, suppression_reason FROM story_topic_state")
        let_in = (await visitor.get(moved(await decide(visitor, path, "unsuppress-in-topic", topic="world_news")))).page
    assert tuple(state) == (True, "an <b>advert</b>")
    assert "suppressed an <b>advert</b> Stop suppressing" in kept_out.text
    assert "Suppressed in World News: an <b>advert</b>" in kept_out.text
    assert "not published yet" in let_in.text


@pytest.mark.parametrize("reason", ["", "   ", "\x00", "x" * 301])
async def test_a_story_is_not_kept_out_without_a_reason_one_can_read(database, reason):
    await told(database, [a_report(1)])
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database)
        answer = await decide(visitor, path, "suppress-in-topic", topic="world_news", reason=reason)
        async with database.connection() as conn:
            assert not await conn.fetchval("SELECT bool_or(suppressed) FROM story_topic_state")
    assert answer.status == 400
    assert "Give a reason of 1 to 300 characters" in answer.page.text
    typed = [attrs["value"] for attrs in answer.page.attributes("input") if attrs.get("name") == "reason"]
    assert typed == [reason.strip(" \x00")]


async def test_an_unknown_topic_is_not_found(database):
    await told(database, [a_report(1)])
    async with database.transaction() as conn:
        await topics.set_enabled(conn, "ai_news", enabled=False)
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database)
        answers = [
            await decide(visitor, path, action, topic=topic, reason="x")
            for action in ("suppress-in-topic", "unsuppress-in-topic")
            for topic in ("nope", "a\x00", "ai_news")
        ]
    assert {each.status for each in answers} == {404}


async def test_a_document_is_read_in_peace(database):
    body = "First paragraph.\n\nSecond <i>one</i>,\nwith a line of its own."
    await told(
        database,
        [
            a_report(1, source="a", canonical_url=ADDRESS, body_text=body, authors=["Ann & Co"], hours_ago=9),
            a_report(2, source="b", canonical_url=ADDRESS, hours_ago=5),
        ],
    )
    async with visiting(database) as visitor:
        path = await event_path(database)
        story = (await visitor.get(path)).page
        one, two = sorted(set(texts(story)), key=lambda link: int(link.rpartition("/")[2]))
        first, second = (await visitor.get(one)).page, (await visitor.get(two)).page
    assert (
        "Ann & Co 16 May, 03:00 1 min original listen to this First paragraph. Second <i>one</i>, with a line"
        in first.text
    )
    assert first.links("http") == [ADDRESS]
    assert {link["data-key"]: link["href"] for link in first.attributes("a") if "data-key" in link} == {
        "u": f"{path}?story=1#document-{one.rpartition('/')[2]}",
        "o": ADDRESS,
        "n": two,
    }
    assert {link["data-key"]: link["href"] for link in second.attributes("a") if "data-key" in link}["p"] == one


async def test_what_changed_in_a_text_is_marked(database):
    old = "The bridge stays closed until Monday.\n\nNobody was hurt."
    new = "The bridge stays closed until Friday.\n\nNobody was hurt."
    await told(database, [a_report(1, title="Bridge shut", body_text=old)])
    await told(database, [a_report(1, title="Bridge shut", body_text=new, metadata={"job_run_id": "run-2"})])
    async with visiting(database) as visitor:
        path = await event_path(database)
        story = (await visitor.get(path)).page
        versions = f"{(await story_paths(database))[1]}/versions/1"
        page = (await visitor.get(versions)).page
    assert versions in story.links()
    assert "2 versions" in story.text
    assert "The bridge stays closed until Monday. Friday. Nobody was hurt." in page.text
    assert (len(page.attributes("del")), len(page.attributes("ins"))) == (2, 2)  # one of each is the legend


async def test_a_text_that_did_not_change_has_no_versions(database):
    await told(database, [a_report(1)])
    await told(database, [a_report(1, metadata={"job_run_id": "run-2"})])
    async with visiting(database) as visitor:
        path = await event_path(database)
        story = (await visitor.get(path)).page
        page = (await visitor.get(f"{(await story_paths(database))[1]}/versions/1")).page
    assert "versions" not in story.text
    assert "This document has one version." in page.text


async def test_an_event_lists_its_documents_by_publisher_in_order_of_appearance(database):
    await told(
        database,
        [
            a_report(1, source="harbour_post", title="River rises", canonical_url=ADDRESS, hours_ago=2),
            a_report(2, source="akari", title="川が増水", canonical_url=ADDRESS, language="ja", hours_ago=5),
        ],
    )
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(await event_path(database))).page
    coverage = page.text.partition("Coverage, in order of appearance")[2]
    assert coverage.index("川が増水") < coverage.index("River rises")
    assert "2 outlets, 1 independent" in page.text
    assert [headline.get("lang") for headline in page.attributes("h3")] == ["ja", None]


async def test_the_first_to_report_is_marked_and_what_each_publisher_adds_is_shown(database):
    await told(
        database,
        [
            a_report(1, source="one", canonical_url="https://one.example/fire", hours_ago=4, **FIRE),
            a_report(
                2,
                source="two",
                canonical_url="https://two.example/fire",
                hours_ago=2,
                title=FIRE_AGAIN["title"],
                body_text=f"{FIRE_AGAIN['body_text']} In all 41 firefighters came, said the mayor, Ella Brandt.",
            ),
        ],
    )
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(await event_path(database))).page
    coverage = page.text.partition("Coverage, in order of appearance")[2]
    assert coverage.startswith(" OE one.example first to report Library of Ostburg")
    assert "only here: 41 firefighters Ella Brandt" in coverage.partition("two.example")[2]
    assert coverage.count("first to report") == 1


async def test_an_event_of_one_document_has_its_text_and_no_empty_parts(database):
    await told(database, [a_report(1, canonical_url=ADDRESS)])
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(await event_path(database))).page
    assert "The council said on Tuesday" in page.text
    assert [heading["id"] for heading in page.attributes("h2")] == ["topics", "keys-title"]
    for empty in ("outlets", "only here", "Edit this event"):
        assert empty not in page.text
    assert page.attributes("svg") == []
    assert page.links("http") == [ADDRESS]


async def test_an_editor_sees_why_a_document_is_in_its_story_and_a_reader_does_not(database):
    await told(database, [a_report(1, source="first", canonical_url=ADDRESS)])
    await told(database, [a_report(2, source="second", canonical_url=ADDRESS, title="The same", hours_ago=1)])
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get(await event_path(database))).page
    async with visiting(database, role="reader") as visitor:
        reader = (await visitor.get(await event_path(database))).page
    assert "first document of the story why It is the first document of this story" in page.text
    assert (
        "same URL why Its URL, without tracking parameters, is the same as that of Bridge number 1 stays closed (First)"
        in page.text
    )
    assert [meter["value"] for meter in page.attributes("meter")] == ["1.0"]
    assert page.links("#document-")[0].removeprefix("#") in [document.get("id") for document in page.attributes("li")]
    assert "Its URL, without tracking" not in reader.text
    actions = [form["action"] for form in reader.attributes("form") if form.get("method") == "post"]
    assert [action for action in actions if action != "/sign-out" and not action.endswith("/summary")] == []


async def test_a_document_that_stayed_apart_says_what_came_near_and_how_near(database):
    await two_tellings(database)
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get(await event_path(database, FIRE_AGAIN["title"]))).page
    assert "Decisions probably the same event" in page.text
    assert re.search(r"probability 0\.\d\d meaning 0\.\d\d headline 0\.\d\d names and dates 1\.00", page.text)
    assert "Nearest documents of other stories" in page.text


async def test_a_document_without_an_address_is_no_link(database):
    await told(database, [a_report(1, canonical_url=None)])
    async with visiting(database) as visitor:
        page = (await visitor.get(await event_path(database))).page
    assert "Bridge number 1 stays closed" in page.text
    assert page.links("http") == []


async def test_a_source_goes_by_the_name_it_was_given(database):
    await told(database, [a_report(1, source="nw")])
    async with database.connection() as conn:
        await conn.execute("INSERT INTO source_names (source, name) VALUES ('nw', 'The Northern Wire')")
    async with visiting(database) as visitor:
        page = (await visitor.get(await event_path(database))).page
    assert "tribune.example The Northern Wire" in page.text


async def test_an_article_is_listed_once_under_its_publisher_with_the_other_outlets_that_brought_it(database):
    address = "https://herald.example/flood"
    await told(
        database,
        [
            a_report(1, source="link_pile", canonical_url=address, title="River rises", hours_ago=5),
            a_report(2, source="herald", canonical_url=address, title="River rises in Ostburg", hours_ago=5),
        ],
    )
    async with database.connection() as conn:
        await conn.execute("UPDATE publishers SET name = 'Herald' WHERE family = 'herald.example'")
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(await event_path(database))).page
    coverage = page.text.partition("Coverage, in order of appearance")[2]
    assert coverage.startswith(
        " He Herald 2 documents River rises in Ostburg 16 May, 07:00 read here, 1 min also through Link Pile"
    )
    assert len(documents_on(page)) == 2


async def test_documents_are_drawn_by_publisher_and_named_in_words(database):
    reports = [("a", "https://one.example/", 9), ("b", "https://two.example/", 7), ("c", "http://two.example/z", 5)]
    await told(
        database,
        [
            a_report(n, source=source, title="River rises", canonical_url=url, body_text=BODY, hours_ago=hours)
            for n, (source, url, hours) in enumerate(reports)
        ],
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(await event_path(database))).page
    assert "Coverage from 16 May, 03:00 to 16 May, 07:00: one.example 1 document, two.example 2 documents" in page.text
    assert [(path["class"], path["d"]) for path in page.attributes("path")] == [
        ("lane-1", "M0 0v10"),
        ("lane-2", "M500 10v10M1000 10v10"),
    ]


async def test_an_address_of_a_story_leads_to_its_event_with_the_story_marked(database):
    await two_tellings(database)
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
    path = await event_path(database)
    async with visiting(database, role="reader") as visitor:
        answers = {number: await visitor.get(story) for number, story in (await story_paths(database)).items()}
        page = (await visitor.get(f"{path}?story=2")).page
    assert {answer.status for answer in answers.values()} == {302}
    assert {number: answer.headers["Location"] for number, answer in answers.items()} == {
        number: f"{path}?story={number}#story-{number}" for number in answers
    }
    assert [item["id"] for item in page.attributes("li") if item.get("class") == "marked"] == ["document-2"]


async def test_a_reader_sees_the_report_in_their_own_language_where_there_is_one(database):
    german = "Bücherei von Ostburg in der Nacht abgebrannt"
    reports = [
        a_report(1, canonical_url="https://one.example/fire", **FIRE),
        a_report(2, canonical_url="https://two.example/fire", source="two", hours_ago=4, **FIRE_AGAIN),
        a_report(3, title=german, canonical_url="https://drei.example/b", source="drei", language="de", hours_ago=3),
    ]
    await told(database, reports)
    await group_into_events(database, [report["title"] for report in reports])
    path = await event_path(database)
    async with visiting(database, role="editor") as visitor:
        pages = {"/": "h3", path: "h1", "/search?q=ostburg": "h3"}
        before = [first_heading(await visitor.get(page), tag) for page, tag in pages.items()]
        await visitor.post("/settings/account/language", {"language": "de"})
        after = [first_heading(await visitor.get(page), tag) for page, tag in pages.items()]
        editing = (await visitor.get(path)).page.text
        listed = (await visitor.get("/api/v1/events")).json["items"]
    assert before == [FIRE["title"]] * 3
    assert after == [german] * 3
    assert f"{FIRE['title']} story 1 1 source lead by rule" in editing
    assert [event["title"] for event in listed] == [FIRE["title"]]


async def test_a_merged_event_leads_to_the_one_that_stayed(database):
    await two_tellings(database)
    await group_into_events(database)
    async with visiting(database, role="editor") as visitor:
        one, other = await event_path(database, FIRE["title"]), await event_path(database, FIRE_AGAIN["title"])
        here = moved(await decide(visitor, other, "merge", stories=["1", "2"]))
        answer = await visitor.get(other)
        stories = await story_paths(database)
        gone = [await visitor.get(f"{stories[2]}/{page}/1") for page in ("read", "versions")]
    assert here.partition("?")[0] == one
    assert (answer.status, answer.headers["Location"]) == (302, one)
    assert [each.headers["Location"] for each in gone] == [f"{stories[1]}/read/1", f"{stories[1]}/versions/1"]


async def test_an_unknown_event_or_story_is_not_found(database):
    async with visiting(database) as visitor:
        answers = [
            await visitor.get(f"/{kind}/{name}")
            for kind in ("stories", "events")
            for name in (uuid4(), "1", "nonsense", "..%2F..%2Fetc")
        ]
    assert {answer.status for answer in answers} == {404}


async def test_related_events_are_merged_in_place_and_parted_again(database):
    await two_tellings(database)
    await group_into_events(database)
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database, FIRE["title"])
        before = (await visitor.get(path)).page
        here = moved(await decide(visitor, path, "merge", stories=["1", "2"]))
        merged = (await visitor.get(here)).page
        (number,) = set(values(merged, "decision_id"))
        back = moved(await decide(visitor, here.partition("?")[0], "undo", decision_id=number))
        parted = (await visitor.get(back)).page
    assert "Related" in before.text
    assert FIRE_AGAIN["title"] in before.text
    assert f"“{FIRE_AGAIN['title']}” was merged into “{FIRE['title']}”. Undo" in merged.text
    assert "merged manually" in merged.text
    assert "Decision undone." in parted.text


async def test_stories_are_kept_apart_in_place(database):
    await two_tellings(database)
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database)
        page = (await visitor.get(moved(await decide(visitor, path, "apart", stories=["1", "2"])))).page
        await run_all(database)
    assert "stay separate. Undo" in page.text
    assert await event_path(database, FIRE["title"]) != await event_path(database, FIRE_AGAIN["title"])


async def three_reports(database):
    """An event of two stories, and another event."""
    await two_tellings(database)
    await told(database, [a_report(3, title="Harbour fees rise", body_text="Ships pay more from May on.", hours_ago=1)])
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])


@pytest.mark.parametrize("typed", ["number", "address", "chosen"])
async def test_a_story_is_moved_by_the_number_or_address_of_an_event_or_by_picking_one(database, typed):
    await three_reports(database)
    target = await event_path(database, "Harbour fees rise")
    form = {
        "number": {"address": "3"},
        "address": {"address": f" https://desk.example{target}?story=3#story-3 "},
        "chosen": {"to": target.rpartition("/")[2]},
    }[typed]
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database, FIRE["title"])
        page = (await visitor.get(moved(await decide(visitor, path, "move", stories=["2"], **form)))).page
    assert await event_path(database, FIRE_AGAIN["title"]) == target
    assert f"“{FIRE_AGAIN['title']}” was moved to the event of “Harbour fees rise”. Undo" in page.text


async def test_a_story_gets_an_event_of_its_own(database):
    await three_reports(database)
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database, FIRE["title"])
        await decide(visitor, path, "move", stories=["2"], to="own")
    assert await event_path(database, FIRE_AGAIN["title"]) not in {
        path,
        await event_path(database, "Harbour fees rise"),
    }


async def test_the_lead_is_chosen_and_left_to_the_rule_again(database):
    await three_reports(database)
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database, FIRE["title"])
        before = (await visitor.get(path)).page
        other = 2 if before.text.index(FIRE["title"]) < before.text.index(FIRE_AGAIN["title"]) else 1
        chosen = (await visitor.get(moved(await decide(visitor, path, "lead", story=other)))).page
        by_rule = (await visitor.get(moved(await decide(visitor, path, "lead-by-rule")))).page
    assert "lead by rule" in before.text
    assert "was chosen as the lead. Undo" in chosen.text
    assert "chosen lead" in chosen.text
    assert "The rule chooses the lead again." in by_rule.text
    assert "chosen lead" not in by_rule.text


async def test_a_suppressed_event_that_joins_another_is_not_on_its_page(database):
    await two_tellings(database)
    await group_into_events(database)
    hidden = await event_path(database, FIRE_AGAIN["title"])
    async with visiting(database, role="editor") as visitor:
        await decide(visitor, hidden, "suppress")
    async with database.transaction() as conn:
        one, other = [row["story_id"] for row in await conn.fetch("SELECT story_id FROM stories ORDER BY story_id")]
        await events.regroup(conn, Regrouping(event_by_story={one: one, other: one}, merged={other: one}), {})
    path = await event_path(database, FIRE["title"])
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(path)).page
        detail = (await visitor.get(f"/api/v1{path}")).json
    assert FIRE_AGAIN["title"] not in page.text
    assert [document["source"] for document in detail["documents"]] == ["one"]


async def test_an_event_is_suppressed_and_shown_again(database):
    await three_reports(database)
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database, FIRE["title"])
        hidden = (await visitor.get(moved(await decide(visitor, path, "suppress")))).page
        front = (await visitor.get("/")).page
        shown = (await visitor.get(moved(await decide(visitor, path, "show")))).page
    assert "This event was suppressed. Undo" in hidden.text
    assert "Show this event again" in hidden.text
    assert FIRE["title"] not in front.text
    assert "Readers see this event again." in shown.text


@pytest.mark.parametrize("action", ["split", "split-each"])
async def test_documents_are_split_off(database, action):
    await told(database, [a_report(n, source=f"s{n}", canonical_url=ADDRESS, hours_ago=9 - n) for n in range(1, 4)])
    async with visiting(database, role="editor") as visitor:
        path = await event_path(database)
        await decide(visitor, path, action, documents=["2", "3"])
    async with database.connection() as conn:
        sizes = [row["item_count"] for row in await conn.fetch("SELECT item_count FROM stories ORDER BY 1 DESC")]
    assert sizes == ([2, 1] if action == "split" else [1, 1, 1])


@pytest.mark.parametrize(
    ("action", "form", "reason"),
    [
        ("merge", {"stories": ["1"]}, "Select two stories"),
        ("apart", {"stories": ["1", "1"]}, "are the same story"),
        ("merge", {"stories": ["1", "4"]}, "both stories must be in one collection"),
        ("move", {"address": "3"}, "Select the stories to move"),
        ("move", {"stories": ["1"], "address": "nowhere"}, "Choose an event, or give its address or number"),
        ("split", {}, "Select the documents to split off"),
        ("lead-by-rule", {}, "Nobody chose the lead"),
        ("show", {}, "is not suppressed"),
        ("undo", {"decision_id": "99"}, "no decision 99"),
    ],
)
async def test_what_cannot_be_decided_is_refused_with_the_reason(database, action, form, reason):
    await three_reports(database)
    await told(database, [a_report(4, title="Chips", metadata={"collection": "ai_news"}, body_text="x")])
    async with visiting(database, role="editor") as visitor:
        answer = await decide(visitor, await event_path(database, FIRE["title"]), action, **form)
    assert answer.status == (404 if action == "undo" else 400)
    assert reason in answer.page.text


@pytest.mark.parametrize(
    "action",
    ["merge", "apart", "split", "split-each", "move", "lead", "lead-by-rule", "suppress", "show", "undo",
     "suppress-in-topic", "unsuppress-in-topic"],
)  # fmt: skip
async def test_only_editors_decide(database, action):
    await told(database, [a_report(1)])
    form = {"stories": "1", "story": "1", "documents": "1", "decision_id": "1", "topic": "world_news", "reason": "x"}
    path = await event_path(database)
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(path)).page
        forbidden = await visitor.post(f"{path}/{action}", form)
    async with visiting(database, role=None) as visitor:
        unknown = await visitor.post(f"{path}/{action}", form)
    assert (forbidden.status, unknown.status) == (403, 401)
    assert values(page, "stories") == []
    assert "Suppress" not in page.text


async def test_a_teaser_says_that_the_page_of_its_article_is_still_to_be_read(database):
    await ingest_teasers(database, [a_report(1, body_text="The bridge is closed.", canonical_url=ADDRESS)])
    await run_all(database, without=["pages"])
    async with visiting(database) as visitor:
        (path,) = (await story_paths(database)).values()
        pages = [await visitor.get(f"{path}/read/1"), await visitor.get(await event_path(database))]
    for answer in pages:
        assert "The bridge is closed. The page of the article has not been read yet." in answer.page.text


async def test_a_document_without_a_text_says_so(database):
    await told(database, [a_report(1, body_text=None, canonical_url=ADDRESS)])
    async with visiting(database) as visitor:
        event = (await visitor.get(await event_path(database))).page
        page = (await visitor.get(f"{(await story_paths(database))[1]}/read/1")).page
    assert texts(event) == []
    assert "The source has a headline only, no text. Read the original" in event.text
    assert "The source has a headline only, no text. Read the original" in page.text


@pytest.mark.parametrize("page", ["read", "versions"])
@pytest.mark.parametrize("document", ["2", "99", "0", "-1", "x", str(2**63), "1%00"])
async def test_a_document_of_another_story_is_not_found(database, page, document):
    await told(
        database, [a_report(1), a_report(2, title="Harbour fees rise", body_text="Ships pay more.", hours_ago=1)]
    )
    async with visiting(database) as visitor:
        answer = await visitor.get(f"{(await story_paths(database))[1]}/{page}/{document}")
    assert answer.status == 404


async def test_a_large_event_is_shown_in_parts(database, monkeypatch):
    monkeypatch.setattr(event_pages, "SHOWN_DOCUMENTS", 2)
    await told(database, [a_report(n, source=f"s{n}", canonical_url=ADDRESS, hours_ago=9 - n) for n in range(5)])
    async with visiting(database, role="reader") as visitor:
        path = await event_path(database)
        parts = [(await visitor.get(f"{path}?skip={skip}")).page for skip in (0, 2, 4)]
        beyond = [(await visitor.get(f"{path}?skip={skip}")).status for skip in ("-1", "20000", "x", str(2**70))]
    shown = [documents_on(part) for part in parts]
    assert [len(each) for each in shown] == [2, 2, 1]
    assert len({document for each in shown for document in each}) == 5
    assert [link.get("href") for link in parts[1].attributes("a") if link.get("rel") in {"prev", "next"}] == [
        f"{path}?skip=0#coverage",
        f"{path}?skip=4#coverage",
    ]
    assert set(beyond) == {400}


async def test_an_event_of_5000_documents_is_one_page_of_100_with_all_on_its_timeline(database):
    await told(database, [a_report(1, canonical_url=ADDRESS)])
    async with database.connection() as conn:
        await conn.execute(FIVE_THOUSAND)
    async with visiting(database, role="reader") as visitor:
        path = await event_path(database)
        answer = await visitor.get(path)
        started = perf_counter()
        async with database.connection() as conn:
            await event_page_reads.get_event_page(
                conn, path.rpartition("/")[2], limit=100, has_evidence=False, languages_of=lambda _: ("",)
            )
        seconds = perf_counter() - started
    assert len(documents_on(answer.page)) == 100
    assert "4,900 more →" in answer.page.text
    assert len(answer.text) < 250_000
    assert seconds < 5  # 0.05 on an idle machine: the bound only catches a query per document


FIVE_THOUSAND = """
WITH arrived AS (
    INSERT INTO raw_arrivals OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(raw_arrivals, jsonb_build_object(
        'raw_arrival_id', 1000 + n, 'source', 'outlet' || n % 700, 'source_item_id', 'copy-' || n))).*
    FROM raw_arrivals CROSS JOIN generate_series(1, 4999) AS n
), copied AS (
    INSERT INTO documents OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(documents, jsonb_build_object(
        'document_id', 1000 + n, 'raw_arrival_id', 1000 + n,
        'article_id', 'art_' || lpad(to_hex(n), 32, '0'), 'source', 'outlet' || n % 700,
        'source_item_id', 'copy-' || n, 'publisher_family', 'paper' || n % 500 || '.example',
        'seen_at', seen_at + n * interval '1 minute'))).*
    FROM documents CROSS JOIN generate_series(1, 4999) AS n RETURNING document_id
)
INSERT INTO story_members (story_id, document_id, match_type, matched_at)
SELECT 1, document_id, 'exact_url', now() FROM copied
"""


async def test_an_event_is_one_click_from_its_json(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        path = await event_path(database)
        page = (await visitor.get(path)).page
    assert page.links("/api/v1/") == [f"/api/v1{path}"]
    assert {"rel": "alternate", "type": "application/json", "href": f"/api/v1{path}"} in page.attributes("link")


async def test_an_event_names_the_digests_that_published_it(database):
    await told(database, [a_report(1)])
    async with database.connection() as conn:
        await conn.execute(
            "UPDATE story_topic_state SET publish_count = 1, first_seen_in_topic_at = $1, first_published_at = $1,"
            " last_published_at = $1",
            NOW - timedelta(hours=3),
        )
        await conn.execute(
            "WITH run AS (INSERT INTO digest_runs"
            " (topic_id, run_date, mode, window_start_utc, window_end_utc, published_at)"
            " SELECT topic_id, '2024-05-16', 'live', $1, $2, $2 FROM story_topic_state RETURNING digest_run_id)"
            " INSERT INTO digest_entries (digest_run_id, story_id, status, rank)"
            " SELECT digest_run_id, 1, 'new', 1 FROM run",
            NOW - timedelta(hours=24),
            NOW,
        )
    async with visiting(database) as visitor:
        page = (await visitor.get(await event_path(database))).page
    assert "Digests World News , 16 May 2024" in page.text
    assert page.links("/digests/world_news/") == ["/digests/world_news/2024-05-16"]
    assert "Topics World News published 16 May, 09:00" in page.text
