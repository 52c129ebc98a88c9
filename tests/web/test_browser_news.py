"""What a person does on the pages of news, in a real browser, and what must never happen to them there."""

import re

import pytest
from playwright.async_api import expect

from builders import FIRE, FIRE_AGAIN, group_into_events, run_all, told
from scoop.config import Config
from scoop.http import accounts
from scoop.http.deps import Desk
from summarised import FIRE_SENTENCES, event_id_of, summarise
from web.browser import DESK, PHONE, browsing
from web.visitor import NOW, TODAY, a_report

PASSWORD = "correct horse battery"
ADDRESS = "https://tribune.example/flood"
PAYLOADS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "</title></textarea></style></script><svg/onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a><iframe srcdoc='<script>alert(1)</script>'>",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} `",
    "<base href=//evil.test/><meta http-equiv=refresh content='0;url=//evil.test'>",
]


async def some_news(database):
    """An event in two stories, a story of two sources, one in Japanese, one with a very long headline."""
    await told(
        database,
        [
            a_report(1, source="one", canonical_url="https://one.example/fire", hours_ago=4, **FIRE),
            a_report(2, source="two", canonical_url="https://two.example/fire", hours_ago=2, **FIRE_AGAIN),
            a_report(3, source="harbour_post", title="River rises", canonical_url=ADDRESS, hours_ago=8),
            a_report(4, source="coastal_tribune", title="River rises", canonical_url=ADDRESS, hours_ago=1),
            a_report(
                5,
                title="米バサルティン、第2四半期売上高38%増 AI半導体の供給不足続く",
                language="ja",
                body_text="半導体大手の米バサルティンが発表した第2四半期決算は、売上高が前年同期比38%増だった。",
                canonical_url="https://akari.example/x",
                metadata={"collection": "ai_news"},
            ),
            a_report(
                6,
                title="Donaudampfschifffahrtsgesellschaftskapitän " * 7,
                language="de",
                hours_ago=3,
                canonical_url="https://lang.example/x",
                metadata={"collection": "ai_news"},
            ),
        ],
    )


async def focused(tab):
    return await tab.page.evaluate("document.activeElement.textContent.trim()")


async def test_the_first_person_comes_in_with_the_code_of_the_terminal(database):
    async with database.transaction() as conn:
        code = await accounts.new_setup_code(conn, now=NOW)
    async with browsing(database, role=None) as tab:
        await tab.open("/")
        await expect(tab.page.get_by_role("heading", level=1)).to_have_text("Welcome to your news desk")
        await tab.page.get_by_label("Code from the terminal").fill(code.lower())
        await tab.page.get_by_label("Your name").fill("Ada")
        await tab.page.get_by_label("Password", exact=True).fill(PASSWORD)
        await tab.page.get_by_label("Password again").fill(PASSWORD)
        await tab.page.get_by_role("button", name="Create account").click()
        await expect(tab.page.get_by_role("status")).to_have_text("Welcome, Ada. You are the admin of this desk.")
        await tab.page.reload()
        await expect(tab.page.get_by_role("status")).to_have_count(0)
        await tab.page.get_by_role("button", name="Sign out").click()
        await expect(tab.page.get_by_role("heading", level=1)).to_have_text("Sign in")


async def test_a_person_signs_in_where_they_wanted_to_go_and_out_again(database):
    await told(database, [a_report(1)])
    async with database.transaction() as conn:
        code = await accounts.new_setup_code(conn, now=NOW)
    desk = Desk(config=Config(), database=database, clock=lambda: NOW)
    await accounts.set_up(desk, code, "Ada", PASSWORD, address="")
    async with browsing(database, role=None) as tab:
        await tab.open(TODAY)
        await tab.page.get_by_label("Name").fill("ada")
        await tab.page.get_by_label("Password").fill("not that one")
        await tab.page.get_by_role("button", name="Sign in").click()
        await expect(tab.page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
        await tab.page.get_by_label("Password").fill(PASSWORD)
        await tab.page.get_by_role("button", name="Sign in").click()
        await expect(tab.page.get_by_role("link", name="Bridge number 1 stays closed")).to_be_visible()
        assert tab.path == TODAY
        tab.complaints.clear()  # of the answer to the wrong password, which is no page of 200
        await tab.page.get_by_role("button", name="Sign out").click()
        await tab.open(TODAY)
        assert tab.path.startswith("/sign-in")


async def test_a_reader_goes_from_the_day_to_an_event_to_a_text_and_back_up(database):
    await some_news(database)
    async with browsing(database, role="reader") as tab:
        await tab.open("/")
        await tab.follow(tab.page.locator(".stories").get_by_role("link", name="River rises"))
        await expect(tab.page.get_by_role("heading", level=1)).to_have_text("River rises")
        await tab.follow(tab.page.locator(".publishers").get_by_role("link", name=re.compile("read here")).first)
        await expect(tab.page.locator(".text")).to_contain_text("The council said on Tuesday")
        await tab.press("n")
        await expect(tab.page.get_by_role("link", name="earlier document")).to_be_visible()
        await tab.press("u")
        await expect(tab.page.get_by_role("heading", name="Coverage, in order of appearance")).to_be_visible()
        await tab.press("u")
        await tab.page.wait_for_url(re.compile(r"/days/2024-05-16\?collection=world_news"))


async def test_why_is_folded_until_somebody_asks(database):
    await some_news(database)
    async with browsing(database) as tab:
        await tab.open("/")
        await tab.follow(tab.page.locator(".stories").get_by_role("link", name="River rises"))
        reason = tab.page.get_by_text("Its URL, without tracking")
        await tab.press("e")
        await expect(tab.page.get_by_role("button", name="Suppress this event")).to_be_visible()
        await expect(reason).to_be_hidden()
        await tab.page.locator("summary", has_text="same URL").click()
        await expect(reason).to_be_visible()
        await tab.page.locator("summary", has_text="same URL").click()
        await expect(reason).to_be_hidden()


async def test_stories_of_an_event_unfold_and_the_keys_pass_over_what_is_folded(database):
    titles = [f"Telling number {n}" for n in range(1, 7)]
    await told(
        database,
        [
            a_report(n, source=f"p{n}", title=title, canonical_url=f"https://p{n}.example/", hours_ago=n)
            for n, title in enumerate(titles, start=1)
        ],
    )
    await group_into_events(database, titles)
    async with browsing(database) as tab:
        await tab.open("/")
        stops = await tab.page.locator("[data-stop]").all_text_contents()
        for _ in range(9):
            await tab.press("j")
        assert sorted(stops) == titles
        assert await focused(tab) == stops[3]
        await expect(tab.page.get_by_role("link", name=stops[5])).to_be_hidden()
        await tab.page.locator("summary", has_text="2 more").click()
        await expect(tab.page.get_by_role("link", name=stops[5])).to_be_visible()


async def test_hands_stay_on_the_keyboard(database):
    await some_news(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/")
        stops = await tab.page.locator("[data-stop]").all_text_contents()
        await tab.press("j")
        assert await focused(tab) == stops[0]
        await tab.press("j")
        assert await focused(tab) == stops[1]
        await tab.press("k")
        assert await focused(tab) == stops[0]
        link = await tab.page.evaluate("document.activeElement.pathname")
        await tab.press("o")
        await tab.page.wait_for_url(f"{tab.visitor.address}{link}")
        await tab.press("g")
        await tab.press("n")
        await tab.page.wait_for_url(f"{tab.visitor.address}/")
        await tab.press("/")
        await tab.page.keyboard.type("jg?")
        assert await tab.page.locator(".seek input").input_value() == "jg?"


async def test_the_keys_are_listed_when_asked_for(database):
    async with browsing(database, role="editor") as tab:
        await tab.open("/")
        await tab.press("?")
        dialog = tab.page.get_by_role("dialog", name="Keyboard shortcuts")
        await expect(dialog).to_be_visible()
        await expect(dialog).to_contain_text("previous and next day")
        await expect(dialog).to_contain_text("Review")
        await tab.press("Escape")
        await expect(dialog).to_be_hidden()
        await tab.page.get_by_role("button", name="Shortcuts").click()
        await expect(dialog).to_be_visible()


async def test_menus_close_when_one_turns_away(database):
    await some_news(database)
    async with browsing(database) as tab:
        await tab.open("/")
        calendar = tab.page.get_by_text("May 2024", exact=True)
        await tab.page.locator("summary", has_text="Calendar").click()
        await expect(calendar).to_be_visible()
        await tab.page.locator("summary", has_text="More").click()
        await expect(calendar).to_be_hidden()
        await expect(tab.page.get_by_role("link", name="Settings")).to_be_visible()
        await tab.press("Escape")
        await expect(tab.page.get_by_role("link", name="Settings")).to_be_hidden()


async def test_another_day_is_two_clicks_away(database):
    await told(
        database, [a_report(1), a_report(2, title="Harbour fees rise", body_text="Ships pay.", hours_ago=24 * 9)]
    )
    async with browsing(database) as tab:
        await tab.open("/")
        await tab.page.locator("summary", has_text="Calendar").click()
        await tab.follow(tab.page.get_by_role("link", name="7 1 event"))
        await expect(tab.page.get_by_role("link", name="Harbour fees rise")).to_be_visible()
        assert tab.path == "/days/2024-05-07"


async def test_moments_are_told_in_the_readers_own_time(database):
    await told(database, [a_report(1, hours_ago=2)])
    async with browsing(database, timezone="Europe/Berlin") as tab:  # in a browser that is in Tokyo
        await tab.open("/")
        moment = tab.page.locator(".story time")
        await expect(moment).to_have_attribute("title", "Thursday 16 May 2024, 19:00 (Asia/Tokyo)")
        await expect(moment).to_have_text("2 h ago")


async def test_an_editor_parts_two_stories_and_takes_it_back(database):
    await told(database, [a_report(1, source="one", canonical_url="https://one.example/", hours_ago=4, **FIRE)])
    await told(database, [a_report(2, source="two", canonical_url="https://two.example/", hours_ago=2, **FIRE_AGAIN)])
    async with browsing(database, role="editor") as tab:
        await tab.open("/")
        await tab.follow(tab.page.locator("h3").get_by_role("link").first)
        await select_stories(tab)
        await tab.press("n")
        await expect(tab.page.get_by_role("status")).to_contain_text("stay separate.")
        await tab.page.get_by_role("status").get_by_role("button", name="Undo").click()
        await expect(tab.page.get_by_role("status")).to_contain_text("Decision undone.")
        await run_all(database)
        await tab.page.reload()
        await select_stories(tab)
        await tab.press("m")
        await expect(tab.page.get_by_role("status")).to_contain_text(f"was merged into “{FIRE['title']}”.")


async def select_stories(tab):
    """Open the editing part of an event's page and select all its stories."""
    await tab.page.locator("summary", has_text="Edit this event").click()
    for box in await tab.page.locator("input[name=stories][type=checkbox]").all():
        await box.check()
    await tab.page.locator("main").focus()  # keys typed into a checkbox are not shortcuts


async def test_the_pages_work_without_scripts(database):
    await some_news(database)
    async with browsing(database) as tab:
        await tab.page.route("**/*.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
        await tab.open("/")
        await tab.page.locator("summary", has_text="Calendar").click()
        await tab.follow(tab.page.get_by_role("link", name="April 2024"))
        await expect(tab.page.get_by_text("April 2024", exact=True)).to_be_visible()
        await tab.follow(tab.page.locator(".stories").get_by_role("link", name="River rises"))
        await tab.page.locator("summary", has_text="Edit this event").click()
        await tab.page.locator("summary", has_text="same URL").click()
        await expect(tab.page.get_by_text("Its URL, without tracking")).to_be_visible()


async def hostile_news(database):
    """Strangers' text in every field, in stories with a changed text, a source's name and a group of coverage."""
    await told(
        database,
        [
            a_report(
                n,
                title=f"{payload} {n}",
                source=payload,
                body_text=f"{payload}\n\n{payload} {n}",
                authors=[payload],
                tags=[payload],
                canonical_url="https://real.example/?q=%22%3E%3Cscript%3E",
                hours_ago=1 + n,
                metadata={"collection": payload},
            )
            for n, payload in enumerate(PAYLOADS)
        ],
    )
    await told(
        database,
        [
            a_report(
                n,
                title=f"{payload} changed",
                source=payload,
                body_text=f"changed {payload}",
                hours_ago=1 + n,
                metadata={"collection": payload, "job_run_id": payload},
            )
            for n, payload in enumerate(PAYLOADS)
        ]
        + [
            a_report(
                100 + n,
                title=f"Another {payload}",
                source=f"source_{n}",
                body_text=payload,
                canonical_url=None,
                hours_ago=1,
                metadata={"collection": payload},
            )
            for n, payload in enumerate(PAYLOADS)
        ],
    )
    async with database.connection() as conn:
        await conn.execute(
            "UPDATE stories SET coverage_id = (SELECT min(story_id) FROM stories AS oldest"
            " WHERE oldest.collection = stories.collection)"
        )
        await conn.executemany(
            "INSERT INTO sources (slug, name, kind, collection) VALUES ($1, $2, 'rss', 'x')",
            [(f"source_{n}", payload) for n, payload in enumerate(PAYLOADS)],
        )
        await conn.execute("INSERT INTO source_names (source, name) SELECT slug, name FROM sources")
        await conn.execute("UPDATE publishers SET name = $1", PAYLOADS[0])
        return [
            tuple(row)
            for row in await conn.fetch(
                "SELECT story_uuid, document_id FROM story_members JOIN stories"
                " USING (story_id) WHERE status = 'active'"
            )
        ]


async def test_nothing_that_strangers_write_runs(database):
    members = await hostile_news(database)
    async with browsing(database, role="editor") as tab:
        for path in [
            "/",
            TODAY,
            *(
                f"/stories/{uuid}{rest}"
                for uuid, number in members
                for rest in ("", f"/read/{number}", f"/versions/{number}")
            ),
        ]:
            await tab.open(path)
            await tab.page.evaluate(
                "document.querySelectorAll('*').forEach((each) => { each.open = true;"
                " each.dispatchEvent(new MouseEvent('mouseover')); })"
            )
            assert await tab.page.locator("main h1").count() == 1, path
            assert await tab.page.locator("iframe, img, base, meta[http-equiv]").count() == 0, path
    assert len(members) == 2 * len(PAYLOADS)


async def test_a_page_that_broke_its_policy_would_be_noticed(database):
    async with browsing(database) as tab:
        await tab.open("/")
        await tab.page.evaluate("document.createElement('img').src = '//evil.test/x'")
        await tab.page.evaluate("document.body.setAttribute('style', 'color: red')")
        await tab.page.evaluate("setTimeout(() => { throw new Error('broken') })")
        await tab.page.wait_for_function("true")
        assert [each for each in tab.complaints if "img-src" in each]
        assert [each for each in tab.complaints if "style-src" in each]
        assert [each for each in tab.complaints if "broken" in each]
        tab.complaints.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
async def test_the_pages_of_news_keep_nobody_out_and_fit(database, width, scheme):
    await some_news(database)
    await told(database, [a_report(3, source="harbour_post", title="River rises again", canonical_url=ADDRESS)])
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
    async with browsing(database, width=width, scheme=scheme, role="editor", newsstand="http://127.0.0.1:1") as tab:
        await tab.open("/")
        river, fire = [
            await tab.page.locator(".stories").get_by_role("link", name=name).first.get_attribute("href")
            for name in ("River rises", FIRE_AGAIN["title"])
        ]
        story = river.replace("/events/", "/stories/")  # an event has the id of its first story
        document = await document_of(database, "harbour_post")
        pages = [
            "/",
            f"{TODAY}?month=2024-05",
            f"{TODAY}?collection=ai_news",
            f"{TODAY}/all",
            "/days/2024-05-01",
            river,
            fire,
            f"{story}/read/{document}",
            f"{story}/versions/{document}",
        ]
        for path in pages:
            await tab.open(path)
            assert await tab.page.locator("h1").count() == 1, path
            if "month" not in path:  # the calendar would hide the page
                await tab.page.evaluate(
                    "document.querySelectorAll('article details').forEach((each) => { each.open = true; })"
                )
            assert await tab.axe() == [], path
            assert not await tab.is_too_wide(), path


async def document_of(database, source):
    async with database.connection() as conn:
        return await conn.fetchval("SELECT document_id FROM documents WHERE source = $1", source)


async def test_a_thumb_hits_what_it_aims_at_on_a_phone(database):
    await some_news(database)
    async with browsing(database, width=PHONE) as tab:
        await tab.open("/")
        await tab.page.locator("summary", has_text="Menu").click()
        await tab.page.locator(".menu a:visible").first.wait_for()
        small = await tab.page.evaluate(
            "[...document.querySelectorAll('.masthead input, .masthead summary, .menu a, .days > a, .tabs a')]"
            ".filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.5)"
            ".map((each) => `${each.textContent.trim()} ${each.getBoundingClientRect().height}`)"
        )
    assert small == []


async def test_many_collections_leave_no_column_empty_and_keep_their_order(database):
    reports = [
        a_report(
            10 * place + n,
            source=f"p{place}_{n}",
            title=f"Bridge {n} of town {place} opens to trains",
            canonical_url=f"https://p{place}-{n}.example/",
            metadata={"collection": f"town_{place}"},
        )
        for place, events in enumerate((9, 6, 1, 5, 2))
        for n in range(events)
    ]
    await told(database, reports)
    await group_into_events(database)
    async with browsing(database, collection_order="town_0,town_1,town_3,town_4,town_2") as tab:
        await tab.open("/")
        boxes = await tab.page.evaluate(
            "[...document.querySelectorAll('.sections > section')].map((section) => ({"
            " name: section.querySelector('h2').textContent, width: section.getBoundingClientRect().width,"
            " top: section.getBoundingClientRect().top, columns: new Set([...section.querySelectorAll('.story')]"
            ".map((story) => story.getBoundingClientRect().left)).size }))"
        )
        whole = await tab.page.evaluate("document.querySelector('.sections').getBoundingClientRect().width")
    assert [box["name"] for box in boxes] == ["Town 0", "Town 1", "Town 3", "Town 4", "Town 2"]
    assert [box["columns"] for box in boxes[:3]] == [3, 3, 3]
    assert all(box["width"] == whole for box in boxes[:3])
    assert boxes[3]["top"] == boxes[4]["top"]


async def test_the_marks_of_a_visit_have_words_and_keep_nobody_out(database):
    await some_news(database)
    async with browsing(database, role="editor") as tab:
        async with database.connection() as conn:
            await conn.execute("UPDATE users SET visited_at = '2024-05-15 18:00+00'")
        await tab.open("/")
        await expect(tab.page.locator(".changes")).to_contain_text("since yesterday 18:00")
        await expect(tab.page.locator(".mark").first).to_contain_text("New since your last visit")
        assert await tab.axe() == []


async def test_a_click_on_a_citation_opens_the_article_at_the_marked_passage(database):
    await some_news(database)
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
    event_id = await event_id_of(database, FIRE["title"])
    await summarise(database, event_id, *FIRE_SENTENCES)
    for width in (DESK, PHONE):
        async with browsing(database, role="reader", width=width) as tab:
            await tab.open("/")
            await tab.follow(tab.page.locator(".stories").get_by_role("link", name=FIRE["title"]))
            citation = tab.page.get_by_role("link", name="Source 1: One").first
            await citation.focus()
            await expect(tab.page.locator(".cite .name").first).to_be_visible()
            assert await tab.axe() == []
            assert not await tab.is_too_wide()
            await tab.follow(citation)
            await expect(tab.page.locator("mark#passage")).to_have_text(FIRE_SENTENCES[0])
            await expect(tab.page.locator("mark#passage")).to_be_in_viewport()
            assert await tab.axe() == []


async def test_a_summary_that_was_asked_for_appears_without_a_reload(database):
    await some_news(database)
    event_id = await event_id_of(database, "River rises")
    async with browsing(database, role="reader") as tab:
        await tab.open("/")
        await tab.follow(tab.page.locator(".stories").get_by_role("link", name="River rises"))
        await tab.follow(tab.page.get_by_role("button", name="Summarise"))
        await expect(tab.page.get_by_role("status")).to_contain_text("being written")
        await summarise(database, event_id, "The council said on Tuesday that the old bridge will stay closed.")
        await expect(tab.page.locator("#summary")).to_contain_text("The council said on Tuesday")
        await expect(tab.page.locator("#summary")).to_contain_text("extract")
