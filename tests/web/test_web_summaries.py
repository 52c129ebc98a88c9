"""The summary on pages: with its sources, while it is written, when it failed, and in a reader's language."""

from urllib.parse import quote

import pytest
from lxml import etree

from builders import FIRE, FIRE_AGAIN, group_into_events, told
from greader.test_greader import syncing
from scoop.store.reads import summaries as reads
from scoop.task_settings import DEFAULTS, TaskSettings
from summarised import FIRE_SENTENCES, INVENTED, event_id_of, fail, queued, summarise
from web.visitor import Page, a_report, visiting

WITH_MODEL = {"tasks": DEFAULTS | {"summary": TaskSettings(writer="openai")}}
WITHOUT_WRITER = {"tasks": DEFAULTS | {"summary": TaskSettings(writer="none")}}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</p></section><h1>Owned</h1>",
    "{{ 7 * 7 }} ${7*7} [bank](https://evil.example) @everyone <@&1>",
    "\u202egnp.exe\u202c \u200bx",
]


async def a_fire(database):
    """An event of two stories; gives its number."""
    await told(
        database,
        [
            a_report(1, source="harbour_post", canonical_url="https://harbour.example/1", hours_ago=5, **FIRE),
            a_report(2, source="akari", canonical_url="https://akari.example/2", hours_ago=3, **FIRE_AGAIN),
        ],
    )
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
    return await event_id_of(database, FIRE["title"])


async def path_of(database, event_id):
    async with database.connection() as conn:
        return f"/events/{await conn.fetchval('SELECT event_uuid FROM events WHERE event_id = $1', event_id)}"


def cites(page):
    return [attrs for attrs in page.attributes("a") if attrs.get("class") == "cite"]


async def test_the_sentences_of_a_summary_lead_to_the_passages_that_they_rest_on(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES)
    async with visiting(database, role="reader") as visitor:
        path = await path_of(database, event_id)
        page = (await visitor.get(path)).page
        first = cites(page)[0]
        article = await visitor.get(first["href"].partition("#")[0])
    assert "Summary of 1 article" in page.text
    assert "extract" in page.text
    assert "These sentences are quoted from the articles." in page.text
    assert first["aria-label"] == "Source 1: Harbour Post"
    assert first["href"].endswith("#passage")
    assert f'<mark id="passage">{FIRE_SENTENCES[0]}</mark>' in article.text


@pytest.mark.parametrize("page", ["", "/summaries"])
async def test_editors_see_the_sentences_that_were_left_out_with_the_reasons(database, page):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES, left_out=(INVENTED,))
    path = await path_of(database, event_id)
    texts = {}
    for role in ("reader", "editor"):
        async with visiting(database, role=role) as visitor:
            texts[role] = (await visitor.get(path + page)).page.text
    assert "1 sentence left out" in texts["editor"]
    assert "About 17 cats were lost." in texts["editor"]
    assert "the number 17 is not in the source." in texts["editor"]
    assert "left out" not in texts["reader"]
    assert "17 cats" not in texts["reader"]


async def test_a_generated_summary_names_its_model_and_warns(database):
    event_id = await a_fire(database)
    await summarise(
        database,
        event_id,
        *FIRE_SENTENCES,
        provider="openai",
        model="gpt-x",
        disclaimer_id="generated",
        paragraphs=(0, 1),
    )
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get(await path_of(database, event_id))
    assert "model gpt-x" in answer.page.text
    assert "Written by a language model from the articles below; check the sources." in answer.page.text
    section = answer.text.partition('id="summary"')[2].partition('class="facts"')[0]
    assert section.count("<p>") == 2


@pytest.mark.parametrize(
    "mark", ["", "5", "-1-3", "3-1", "0-0", "9999999999-1", "1-999999999", "a-b", "<script>", "١-٢"]
)
async def test_a_hostile_mark_marks_nothing_or_stays_inside_the_text(database, mark):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES)
    async with visiting(database, role="reader") as visitor:
        href = cites((await visitor.get(await path_of(database, event_id))).page)[0]["href"].partition("?")[0]
        answer = await visitor.get(f"{href}?mark={quote(mark, safe='')}")
    assert answer.status == 200
    assert answer.text.count("<mark") == (1 if mark == "1-999999999" else 0)


async def test_a_reader_asks_for_a_summary_and_sees_that_it_is_written(database):
    event_id = await a_fire(database)
    async with visiting(database, role="reader") as visitor:
        path = await path_of(database, event_id)
        before = await visitor.get(path)
        asked = [await visitor.post(f"{path}/summary") for _ in range(3)]
        after = await visitor.get(asked[0].headers["Location"].partition("#")[0])
    assert ">Summarise</button>" in before.text
    assert [answer.status for answer in asked] == [303, 303, 303]
    assert "The summary is being written." in after.page.text
    assert "pending.js" in after.text
    assert ">Summarise</button>" not in after.text
    assert await queued(database) == [("", 1)]


async def test_an_anonymous_reader_sees_summaries_but_cannot_ask(database):
    event_id = await a_fire(database)
    async with visiting(database, role=None, public_reading=True) as visitor:
        path = await path_of(database, event_id)
        page = await visitor.get(path)
        asked = await visitor.post(f"{path}/summary")
        await summarise(database, event_id, *FIRE_SENTENCES)
        shown = await visitor.get(path)
    assert "Summarise" not in page.text
    assert asked.status == 401
    assert FIRE_SENTENCES[1] in shown.page.text
    assert "In another language" not in shown.text


async def test_without_a_writer_nothing_is_offered(database):
    event_id = await a_fire(database)
    async with visiting(database, role="reader", **WITHOUT_WRITER) as visitor:
        path = await path_of(database, event_id)
        page = await visitor.get(path)
        asked = await visitor.post(f"{path}/summary")
    assert "Summarise" not in page.text
    assert (asked.status, "No writer is set" in asked.text) == (409, True)


async def test_a_failed_summary_says_why_and_when_it_is_tried_again(database):
    event_id = await a_fire(database)
    await fail(database, event_id, "unsupported: “It rained.”: no passage says this.")
    path = await path_of(database, event_id)
    async with visiting(database, role="reader") as visitor:
        seen = await visitor.get(path)
        await visitor.post(f"{path}/summary")
    assert "Summary not generated: “It rained.”: no passage says this ; next try" in seen.page.text
    assert "Try now" not in seen.text
    assert await queued(database) == [("", 1)]
    async with visiting(database, role="editor") as visitor:
        offered = await visitor.get(path)
        await visitor.post(f"{path}/summary")
        tried = await visitor.get(path)
    assert "Try now" in offered.text
    assert "being written" in tried.page.text
    assert await queued(database) == [("", 2)]


async def test_a_reader_sees_the_summary_in_the_language_of_their_settings(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES)
    await summarise(
        database, event_id, "図書館が全焼した。", language="ja", asked_language="ja", is_shown_in_lists=False
    )
    async with visiting(database, role="reader", **WITH_MODEL) as visitor:
        path = await path_of(database, event_id)
        english = await visitor.get(path)
        saved = await visitor.post("/settings/account/language", {"language": "ja"})
        refused = await visitor.post("/settings/account/language", {"language": "xx"})
        japanese = await visitor.get(path)
        desk = await visitor.get(f"{path}?language=desk")
        hostile = await visitor.get(f"{path}?language=%3Cscript%3E")
        account = await visitor.get("/settings/account")
        me = await visitor.get("/api/v1/me")
    assert (saved.status, refused.status) == (303, 400)
    assert "図書館" not in english.text
    assert "図書館が全焼した。" in japanese.text
    assert 'lang="ja">' in japanese.text
    assert "図書館" not in desk.text
    assert "図書館" in hostile.text
    assert '<option value="ja" selected>Japanese</option>' in account.text
    assert me.json["language"] == "ja"


@pytest.mark.parametrize("path", ["/", "/search?q=overnight"])
async def test_lists_show_each_reader_the_summary_in_their_language(database, path):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES)
    german = "Die Bibliothek von Ostburg brannte in der Nacht ab."
    await summarise(database, event_id, german, language="de", asked_language="de", is_shown_in_lists=False)
    async with visiting(database, role="reader") as visitor:
        await visitor.post("/settings/account/language", {"language": "de"})
        german_page = (await visitor.get(path)).page.text
        await visitor.post("/settings/account/language", {"language": "ja"})
        of_the_desk = (await visitor.get(path)).page.text
        await visitor.post("/settings/account/language", {"language": "en"})
        english_page = (await visitor.get(path)).page.text
    assert german in german_page
    assert german not in english_page
    assert german not in of_the_desk


async def test_a_reader_has_a_summary_written_in_another_language_if_there_is_a_model(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES)
    async with visiting(database, role="reader", **WITH_MODEL) as visitor:
        path = await path_of(database, event_id)
        await visitor.post("/settings/account/language", {"language": "de"})
        offered = await visitor.get(path)
        asked = await visitor.post(f"{path}/summary", {"language": "de"})
        wrong = await visitor.post(f"{path}/summary", {"language": "no language"})
        page = await visitor.get(asked.headers["Location"].partition("#")[0])
    assert '<option value="de" selected>German</option>' in offered.text
    assert "The summary is being written in German." in page.page.text
    assert FIRE_SENTENCES[0] in page.page.text
    assert wrong.status == 400
    assert await queued(database) == [("de", 1)]


async def test_with_extracts_only_the_page_explains_what_to_configure(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES)
    async with visiting(database, role="reader") as visitor:
        path = await path_of(database, event_id)
        page = await visitor.get(path)
        asked = await visitor.post(f"{path}/summary", {"language": "de"})
    assert "docs/howto/writers.md" in page.text
    assert asked.status == 409


async def test_earlier_versions_of_a_summary_have_a_page(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, FIRE_SENTENCES[0])
    await summarise(database, event_id, FIRE_SENTENCES[1])
    async with visiting(database, role="reader") as visitor:
        path = await path_of(database, event_id)
        current = await visitor.get(path)
        versions = await visitor.get(f"{path}/summaries")
    assert FIRE_SENTENCES[0] not in current.text.partition('id="summary"')[2].partition("</section>")[0]
    assert f'<a href="{path}/summaries">2 versions</a>' in current.text
    assert "Version 2" in versions.page.text
    assert FIRE_SENTENCES[0] in versions.page.text


async def test_lists_show_the_summary_instead_of_the_lead(database):
    event_id = await a_fire(database)
    said = "A night fire took the library and its books; the archive stayed dry."
    await summarise(database, event_id, said)
    async with visiting(database, role="reader") as visitor:
        day = await visitor.get("/")
        by_meaning = await visitor.get("/search?q=building+blaze")
        by_words = await visitor.get("/search?q=brigade")
    assert said in day.page.text
    assert "The fire brigade was called" not in day.page.text
    assert said in by_meaning.page.text or "No results" in by_meaning.page.text
    assert "<mark>brigade</mark>" in by_words.text


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_in_a_summary_is_escaped_on_every_page(database, hostile):
    event_id = await a_fire(database)
    await summarise(database, event_id, f"{hostile} The public library.", model=hostile, disclaimer_id="generated")
    await fail(database, event_id, f"unsupported: {hostile}", language="de")
    async with visiting(database, role="reader", **WITH_MODEL) as visitor:
        path = await path_of(database, event_id)
        texts = [(await visitor.get(place)).text for place in (path, f"{path}?language=de", f"{path}/summaries", "/")]
    for text in texts:
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "<h1>Owned" not in text


async def test_the_passages_of_a_summary_are_read_by_one_query(database):
    event_id = await a_fire(database)
    await summarise(database, event_id, *FIRE_SENTENCES * 5)
    statements = []

    class Counting:
        """A connection that notes what it is asked."""

        async def fetch(self, statement, *values):
            statements.append(statement)
            return await conn.fetch(statement, *values)

    async with database.connection() as conn:
        report = await reads.get_report(Counting(), "event", event_id, languages=("",))
    assert len(report.sentences) == 10
    assert len(statements) == 3


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_in_a_summary_is_escaped_in_feeds_and_apps(database, hostile):
    event_id = await a_fire(database)
    await summarise(database, event_id, f"{hostile} The public library.")
    async with visiting(database, role="reader") as visitor:
        rss = etree.fromstring((await visitor.get("/feeds/all.rss")).text.encode())
        atom = etree.fromstring((await visitor.get("/feeds/all.atom")).text.encode())
        [entry] = (await visitor.get("/feeds/all.json")).json["items"]
    async with syncing(database) as app:
        [item] = await app.items(await app.ids())
    contents = [
        rss.findtext(".//item/description"),
        rss.findtext(".//item/{*}encoded"),
        atom.findtext(".//{*}entry/{*}content"),
        entry["content_html"],
        item["summary"]["content"],
    ]
    for content in contents:
        page = Page()
        page.feed(content)
        assert {tag for tag, _ in page.tags} <= {"p", "ul", "li", "a", "em", "hr"}
        assert "\u202e" not in content
        assert not any("evil" in link for link in page.links())
