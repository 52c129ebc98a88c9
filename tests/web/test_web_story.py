import re
from datetime import timedelta
from uuid import uuid4

import pytest

from builders import BODY, FIRE, FIRE_AGAIN, run_all, told
from scoop.store import topics
from scoop.web import story as story_pages
from web.visitor import NOW, a_report, visiting

ADDRESS = "https://tribune.example/flood"


async def story_path(visitor):
    return (await visitor.get("/")).page.links("/stories/")[0]


async def two_tellings(database):
    """One event told by two outlets, in two stories that are probably the same."""
    await told(database, [a_report(1, source="one", canonical_url="https://one.example/fire", hours_ago=4, **FIRE)])
    await told(
        database, [a_report(2, source="two", canonical_url="https://two.example/fire", hours_ago=2, **FIRE_AGAIN)]
    )


async def decide(visitor, path, action, **form):
    """Send one of the forms of a story's page."""
    return await visitor.post(f"{path}/{action}", form)


def others(page):
    """The stories that a form of the page names."""
    return [attrs["value"] for attrs in page.attributes("input") if attrs.get("name") == "other"]


def moved(answer):
    assert answer.status == 303
    return answer.headers["Location"]


async def test_a_story_lists_its_documents_in_order_of_appearance(database):
    await told(
        database,
        [
            a_report(1, source="harbour_post", title="River rises", canonical_url=ADDRESS, hours_ago=2),
            a_report(2, source="akari", title="川が増水", canonical_url=ADDRESS, language="ja", hours_ago=5),
        ],
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    documents = page.text.partition("Documents in order of appearance")[2]
    assert documents.index("川が増水 Ak Akari 16 May, 07:00 Japanese") < documents.index(
        "River rises HP Harbour Post 16 May, 10:00 English"
    )
    assert [link for link in page.links("http") if link == ADDRESS] == [ADDRESS, ADDRESS]
    assert [headline.get("lang") for headline in page.attributes("h3")] == ["ja", None]


async def test_a_document_says_why_it_is_in_the_story(database):
    await told(database, [a_report(1, source="first", canonical_url=ADDRESS)])
    await told(database, [a_report(2, source="second", canonical_url=ADDRESS, title="The same", hours_ago=1)])
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "first document of the story why It is the first document of this story" in page.text
    assert (
        "same URL why Its URL, without tracking parameters, is the same as that of Bridge number 1 stays closed (First)"
        in page.text
    )
    assert "match 1.00" in page.text
    assert [meter["value"] for meter in page.attributes("meter")] == ["1.0"]
    assert page.links("#document-")[0].removeprefix("#") in [document.get("id") for document in page.attributes("li")]


async def test_a_document_without_an_address_is_no_link(database):
    await told(database, [a_report(1, canonical_url=None)])
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "Bridge number 1 stays closed" in page.text
    assert page.links("http") == []


async def test_a_source_goes_by_the_name_it_was_given(database):
    await told(database, [a_report(1, source="nw")])
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO sources (slug, name, kind, collection) VALUES ('nw', 'The Northern Wire', 'rss', 'x')"
        )
    async with visiting(database) as visitor:
        front = (await visitor.get("/")).page
        story = (await visitor.get(front.links("/stories/")[0])).page
    assert "TN The Northern Wire" in front.text
    assert "TN The Northern Wire" in story.text


async def test_a_merged_story_leads_to_the_one_that_stayed(database):
    one, other = a_report(1, canonical_url=ADDRESS, hours_ago=9), a_report(2, title="Another", hours_ago=5)
    await told(database, [one, other])
    async with visiting(database) as visitor:
        before = (await visitor.get("/")).page.links("/stories/")
        await told(database, [{**other, "source": "bridge", "canonical_url": ADDRESS}])
        after = (await visitor.get("/")).page.links("/stories/")
        (gone,) = set(before) - set(after)
        answer = await visitor.get(gone)
    assert len(before) == 2
    assert (answer.status, answer.headers["Location"]) == (302, after[0])


async def test_an_unknown_story_is_not_found(database):
    async with visiting(database) as visitor:
        answers = [await visitor.get(f"/stories/{name}") for name in (uuid4(), "1", "nonsense", "..%2F..%2Fetc")]
    assert {answer.status for answer in answers} == {404}


async def test_a_story_leads_to_others_that_probably_tell_of_the_same(database):
    await told(database, [a_report(1), a_report(2, title="Harbour fees rise", body_text="Ships pay more from May on.")])
    async with database.connection() as conn:
        await conn.execute("UPDATE stories SET coverage_id = (SELECT min(story_id) FROM stories)")
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "Probably the same event Bridge number 1 stays closed" in page.text
    assert len([link for link in page.links("/stories/") if "/read/" not in link]) == 1


async def test_documents_are_drawn_by_newsroom_and_named_in_words(database):
    await told(
        database,
        [
            a_report(
                1, source="a", title="River rises", canonical_url="https://one.example/", body_text=BODY, hours_ago=9
            ),
            a_report(
                2, source="b", title="River rises", canonical_url="https://two.example/", body_text=BODY, hours_ago=7
            ),
            a_report(
                3, source="c", title="River rises", canonical_url="http://two.example/z", body_text=BODY, hours_ago=5
            ),
        ],
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert [svg["aria-label"] for svg in page.attributes("svg")] == ["1 document", "2 documents"]
    ticks = [path for path in page.attributes("path") if "class" in path]
    assert [(tick["class"], tick["d"].partition(" ")[0]) for tick in ticks] == [
        ("lane-1", "M0.0"),
        ("lane-2", "M500.0"),
        ("lane-2", "M1000.0"),
    ]
    assert "one.example" in page.text
    assert "two.example" in page.text
    assert "16 May, 03:00 each tick is a document, each line a publisher 16 May, 07:00" in page.text


async def test_what_was_told_at_once_has_no_timeline(database):
    await told(
        database,
        [a_report(1, source="a", canonical_url=ADDRESS, hours_ago=5), a_report(2, source="b", canonical_url=ADDRESS)],
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert page.attributes("svg") == []


async def test_a_document_that_stayed_apart_says_what_came_near_and_how_near(database):
    await two_tellings(database)
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "Decisions probably the same event" in page.text
    assert re.search(r"probability 0\.\d\d meaning 0\.\d\d headline 0\.\d\d names and dates 1\.00", page.text)
    assert "Nearest documents of other stories" in page.text


async def test_two_stories_are_merged_in_place_and_parted_again(database):
    await two_tellings(database)
    async with visiting(database, role="editor") as visitor:
        path = await story_path(visitor)
        (other,) = others((await visitor.get(path)).page)
        here = moved(await decide(visitor, path, "merge", other=other))
        merged = (await visitor.get(here)).page
        (number,) = {attrs["value"] for attrs in merged.attributes("input") if attrs.get("name") == "decision_id"}
        back = moved(await decide(visitor, here.partition("?")[0], "undo", decision_id=number))
        await run_all(database)
        parted = (await visitor.get(back)).page
    assert FIRE["title"] in merged.text
    assert FIRE_AGAIN["title"] in merged.text
    assert f"“{FIRE_AGAIN['title']}” was merged into this story. Undo" in merged.text
    assert "merged manually" in merged.text
    assert others(merged) == []
    assert "Decision undone." in parted.text
    assert others(parted) == [*({other, path.rpartition("/")[2]} - {back.rpartition("/")[2]})]


async def test_two_stories_are_kept_apart_in_place(database):
    await two_tellings(database)
    async with visiting(database, role="editor") as visitor:
        path = await story_path(visitor)
        (other,) = others((await visitor.get(path)).page)
        before = (await visitor.get(moved(await decide(visitor, path, "apart", other=other)))).page
        await run_all(database)
        after = (await visitor.get(path)).page
        front = (await visitor.get("/")).page
    assert others(before) == others(after) == []
    assert "and this story stay separate. Undo" in before.text
    assert "Manual decisions" in after.text
    assert "Probably the same event 2 sources" not in front.text


@pytest.mark.parametrize("action", ["merge", "apart"])
async def test_what_cannot_be_decided_is_refused_with_the_reason(database, action):
    await told(database, [a_report(1), a_report(2, title="Chips", metadata={"collection": "ai_news"}, body_text="x")])
    async with visiting(database, role="editor") as visitor:
        one, other = (await visitor.get("/")).page.links("/stories/")
        itself = await decide(visitor, one, action, other=one.rpartition("/")[2])
        elsewhere = await decide(visitor, one, action, other=other.rpartition("/")[2])
        nowhere = await decide(visitor, one, action, other=str(uuid4()))
        garbage = await decide(visitor, one, action, other="x")
    assert [each.status for each in (itself, elsewhere, nowhere, garbage)] == [400, 400, 404, 400]
    assert "are the same story; name two" in itself.page.text
    assert "both stories must be in one collection" in elsewhere.page.text
    assert "Body.other" in garbage.page.text


async def test_a_decision_is_taken_back_once(database):
    await two_tellings(database)
    async with visiting(database, role="editor") as visitor:
        path = await story_path(visitor)
        (other,) = others((await visitor.get(path)).page)
        await decide(visitor, path, "apart", other=other)
        answers = [await decide(visitor, path, "undo", decision_id=number) for number in (1, 1, 99, 2**63)]
    assert [each.status for each in answers] == [303, 400, 404, 400]
    assert "was undone before" in answers[1].page.text


async def test_a_story_is_kept_out_of_a_digest_with_a_reason_and_let_in_again(database):
    await told(database, [a_report(1)])
    async with visiting(database, role="editor") as visitor:
        path = await story_path(visitor)
        answer = await decide(visitor, path, "suppress", topic="world_news", reason="  an <b>advert</b>  ")
        kept_out = (await visitor.get(moved(answer))).page
        async with database.connection() as conn:
            state = await conn.fetchrow("SELECT suppressed, suppression_reason FROM story_topic_state")
        let_in = (await visitor.get(moved(await decide(visitor, path, "unsuppress", topic="world_news")))).page
    assert tuple(state) == (True, "an <b>advert</b>")
    assert "suppressed an <b>advert</b> Stop suppressing" in kept_out.text
    assert "Suppressed in World News: an <b>advert</b>" in kept_out.text
    assert "not published yet" in let_in.text


@pytest.mark.parametrize("reason", ["", "   ", "\x00", "x" * 301])
async def test_a_story_is_not_kept_out_without_a_reason_one_can_read(database, reason):
    await told(database, [a_report(1)])
    async with visiting(database, role="editor") as visitor:
        path = await story_path(visitor)
        answer = await decide(visitor, path, "suppress", topic="world_news", reason=reason)
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
        path = await story_path(visitor)
        answers = [
            await decide(visitor, path, action, topic=topic, reason="x")
            for action in ("suppress", "unsuppress")
            for topic in ("nope", "a\x00", "ai_news")
        ]
    assert {each.status for each in answers} == {404}


@pytest.mark.parametrize("action", ["merge", "apart", "undo", "suppress", "unsuppress"])
async def test_only_editors_decide(database, action):
    await two_tellings(database)
    form = {"other": str(uuid4()), "decision_id": "1", "topic": "world_news", "reason": "x"}
    async with visiting(database, role="reader") as visitor:
        path = await story_path(visitor)
        page = (await visitor.get(path)).page
        forbidden = await visitor.post(f"{path}/{action}", form)
    async with visiting(database, role=None) as visitor:
        unknown = await visitor.post(f"{path}/{action}", form)
    assert (forbidden.status, unknown.status) == (403, 401)
    assert others(page) == []
    assert "Suppress in a topic" not in page.text


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
        path = await story_path(visitor)
        story = (await visitor.get(path)).page
        one, two = [link for link in story.links(path) if "/read/" in link]
        first, second = (await visitor.get(one)).page, (await visitor.get(two)).page
    assert "Ann & Co 16 May, 03:00 1 min original First paragraph. Second <i>one</i>, with a line" in first.text
    assert first.links("http") == [ADDRESS]
    assert {link["data-key"]: link["href"] for link in first.attributes("a") if "data-key" in link} == {
        "u": f"{path}#{one.rpartition('/')[2].join(['document-', ''])}",
        "o": ADDRESS,
        "n": two,
    }
    assert {link["data-key"]: link["href"] for link in second.attributes("a") if "data-key" in link}["p"] == one


async def test_a_document_without_a_text_says_so(database):
    await told(database, [a_report(1, body_text=None, canonical_url=ADDRESS)])
    async with visiting(database) as visitor:
        path = await story_path(visitor)
        story = (await visitor.get(path)).page
        page = (await visitor.get(f"{path}/read/1")).page
    assert [link for link in story.links(path) if "/read/" in link] == []
    assert "The source has a headline only, no text. Read the original" in page.text


@pytest.mark.parametrize("page", ["read", "versions"])
@pytest.mark.parametrize("document", ["2", "99", "0", "-1", "x", str(2**63), "1%00"])
async def test_a_document_of_another_story_is_not_found(database, page, document):
    await told(
        database, [a_report(1), a_report(2, title="Harbour fees rise", body_text="Ships pay more.", hours_ago=1)]
    )
    async with visiting(database) as visitor:
        front = (await visitor.get("/")).page
        (path,) = [link for link in front.links("/stories/") if (await visitor.get(f"{link}/read/1")).status == 200]
        answer = await visitor.get(f"{path}/{page}/{document}")
    assert answer.status == 404


async def test_an_old_address_of_a_text_leads_to_where_it_went(database):
    await two_tellings(database)
    async with visiting(database, role="editor") as visitor:
        path = await story_path(visitor)
        (other,) = others((await visitor.get(path)).page)
        before = {path, f"/stories/{other}"}
        stays = moved(await decide(visitor, path, "merge", other=other)).partition("?")[0]
        (gone,) = before - {stays}
        answers = [await visitor.get(f"{gone}/{page}/1") for page in ("read", "versions")]
    assert [answer.headers["Location"] for answer in answers] == [f"{stays}/read/1", f"{stays}/versions/1"]


async def test_what_changed_in_a_text_is_marked(database):
    old = "The bridge stays closed until Monday.\n\nNobody was hurt."
    new = "The bridge stays closed until Friday.\n\nNobody was hurt."
    await told(database, [a_report(1, title="Bridge shut", body_text=old)])
    await told(database, [a_report(1, title="Bridge shut", body_text=new, metadata={"job_run_id": "run-2"})])
    async with visiting(database) as visitor:
        path = await story_path(visitor)
        story = (await visitor.get(path)).page
        page = (await visitor.get(f"{path}/versions/1")).page
    assert f"{path}/versions/1" in story.links()
    assert "2 versions of the text" in story.text
    assert "The bridge stays closed until Monday. Friday. Nobody was hurt." in page.text
    assert (len(page.attributes("del")), len(page.attributes("ins"))) == (2, 2)  # one of each is the legend


async def test_a_text_that_did_not_change_has_no_versions(database):
    await told(database, [a_report(1)])
    await told(database, [a_report(1, metadata={"job_run_id": "run-2"})])
    async with visiting(database) as visitor:
        path = await story_path(visitor)
        story = (await visitor.get(path)).page
        page = (await visitor.get(f"{path}/versions/1")).page
    assert "versions of the text" not in story.text
    assert "This document has one version." in page.text


async def test_a_story_of_very_many_documents_is_shown_in_parts(database, monkeypatch):
    monkeypatch.setattr(story_pages, "SHOWN_DOCUMENTS", 2)
    await told(database, [a_report(n, source=f"s{n}", canonical_url=ADDRESS, hours_ago=9 - n) for n in range(5)])
    async with visiting(database) as visitor:
        path = await story_path(visitor)
        parts = [(await visitor.get(f"{path}?skip={skip}")).page for skip in (0, 2, 4)]
        beyond = [(await visitor.get(f"{path}?skip={skip}")).status for skip in ("-1", "1000", "x", str(2**70))]
    shown = [[link for link in part.links(path) if "/read/" in link] for part in parts]
    assert [len(each) for each in shown] == [2, 2, 1]
    assert len({link for each in shown for link in each}) == 5
    assert [link.get("href") for link in parts[1].attributes("a") if link.get("rel") in {"prev", "next"}] == [
        f"{path}?skip=0",
        f"{path}?skip=4",
    ]
    assert set(beyond) == {400}


async def test_a_story_is_one_click_from_its_json(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        path = await story_path(visitor)
        page = (await visitor.get(path)).page
    assert page.links("/api/v1/") == [f"/api/v1{path}"]


async def test_a_story_tells_which_digests_told_it(database):
    await told(database, [a_report(1)])
    async with database.connection() as conn:
        await conn.execute(
            "UPDATE story_topic_state SET publish_count = 1, first_seen_in_topic_at = $1, first_published_at = $1,"
            " last_published_at = $1",
            NOW - timedelta(hours=3),
        )
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "Topics World News published 16 May, 09:00" in page.text
