"""The pages of articles: the list of the last 48 hours, and one article with its summary."""

import pytest

from builders import FIRE, told
from scoop.model import SourceSettings
from scoop.store import sources
from summarised import FIRE_SENTENCES, document_ids, summarise
from web.test_web_safety import HOSTILE
from web.visitor import a_report, visiting
from writing import a_desk

JAPANESE = {
    "title": "港の橋が再び開通",
    "body_text": "港の古い橋が月曜日の朝に再び開通した。市によると、修理には九か月かかり、費用は二億円だった。"
    "橋は一日に一万二千人が利用する。市長は式典で、住民の忍耐に感謝すると述べた。"
    "来年には歩道も広げられる予定で、工事は春に始まる。",
    "language": "ja",
}


async def write_summaries(database, folder, *faults, language=""):
    """Ask for the summaries of all documents, and let the newsstand's model write them."""
    async with a_desk(database, folder) as desk:
        desk.script.extend(faults)
        ids = [row["document_id"] for row in await desk.rows("SELECT document_id FROM documents ORDER BY 1")]
        await desk.ask(dict.fromkeys(ids, language))
        await desk.write()


async def article_id(database):
    async with database.connection() as conn:
        return await conn.fetchval("SELECT article_id FROM documents ORDER BY document_id LIMIT 1")


async def add_source(database, slug, **settings):
    given = {"name": slug.title(), "kind": "site", "collection": "world_news", "base_url": f"https://{slug}.example/"}
    async with database.connection() as conn:
        await sources.put(conn, SourceSettings(slug=slug, **(given | settings)))


async def test_an_article_has_its_publisher_and_time_headline_and_the_beginning_of_its_summary(database, tmp_path):
    await told(database, [a_report(1, **FIRE)])
    await write_summaries(database, tmp_path)
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/articles")).page
    publisher, time, headline = (page.text.index(text) for text in ("tribune.example", "5 h ago", FIRE["title"]))
    assert publisher < time < headline < page.text.index("The public library of Ostburg burned down")
    assert page.links("/articles/") == [f"/articles/{await article_id(database)}?source=tribune"]


async def test_articles_show_each_reader_the_summary_in_their_language(database):
    await told(database, [a_report(1, **FIRE)])
    [document_id] = await document_ids(database)
    german = "Die Bibliothek von Ostburg brannte in der Nacht ab."
    for language, sentence in (("de", german), ("", FIRE_SENTENCES[1])):
        await summarise(
            database, document_id, sentence, language=language or "en", asked_language=language, subject_kind="document"
        )
    path = f"/articles/{await article_id(database)}"
    async with visiting(database, role="reader") as visitor:
        english = [(await visitor.get(each)).page.text for each in ("/articles", path)]
        await visitor.post("/settings/account/language", {"language": "de"})
        in_german = [(await visitor.get(each)).page.text for each in ("/articles", path)]
    assert [german in text for text in english] == [False, False]
    assert [german in text for text in in_german] == [True, True]


async def test_only_articles_of_the_last_48_hours_are_listed(database):
    await told(database, [a_report(1, hours_ago=47), a_report(2, hours_ago=49)])
    async with visiting(database) as visitor:
        page = (await visitor.get("/articles")).page
    assert "Bridge number 1" in page.text
    assert "Bridge number 2" not in page.text


async def test_articles_of_one_category_or_one_source_are_chosen_in_the_address(database):
    await add_source(database, "tribune", category="press_release")
    await add_source(database, "akari", category="news")
    await told(database, [a_report(1), a_report(2, source="akari", canonical_url="https://akari.example/2")])
    async with visiting(database) as visitor:
        press = (await visitor.get("/articles?category=press_release")).page
        news = (await visitor.get("/articles?category=news")).page
        of_source = (await visitor.get("/articles?source=akari")).page
        neither = (await visitor.get("/articles?source=akari&category=press_release")).page
        wrong = await visitor.get("/articles?category=sports")
    assert ("Bridge number 1" in press.text, "Bridge number 2" in press.text) == (True, False)
    assert ("Bridge number 1" in news.text, "Bridge number 2" in news.text) == (False, True)
    assert ("Bridge number 1" in of_source.text, "Bridge number 2" in of_source.text) == (False, True)
    assert "No matching articles" in neither.text
    assert wrong.status == 400


async def test_an_article_that_several_sources_have_is_listed_once_and_under_each_of_them(database):
    shared = {"canonical_url": "https://tribune.example/flood", "title": "River rises"}
    await told(database, [a_report(1, source="tribune", **shared), a_report(2, source="linkpile", **shared)])
    async with visiting(database) as visitor:
        listed = (await visitor.get("/articles")).page
        named = (await visitor.get("/articles?source=linkpile")).page
    assert listed.text.count("River rises") == 1
    assert named.text.count("River rises") == 1


async def test_the_articles_are_one_click_away_as_json_of_the_same_time_and_source(database):
    await told(database, [a_report(1, title="River rises"), a_report(2, source="akari", title="Bridge opens")])
    async with visiting(database) as visitor:
        page = (await visitor.get("/articles?source=akari")).page
        [link] = page.links("/api/articles")
        answer = await visitor.get(link)
    assert [article["title"] for article in answer.json["articles"]] == ["Bridge opens"]
    assert "since=" in link


async def test_a_desk_without_articles_says_what_would_be_there(database):
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/articles")).page
    assert "No articles in the last 48 hours" in page.text
    assert "/sources" in page.links()


async def test_a_long_list_goes_on_on_the_next_page(database):
    await told(database, [a_report(number, hours_ago=number / 10) for number in range(1, 36)])
    async with visiting(database) as visitor:
        first = (await visitor.get("/articles")).page
        [older] = [href for href in first.links("/articles?") if "before=" in href]
        second = (await visitor.get(older)).page
    assert len(first.links("/articles/")) == 30
    assert len(second.links("/articles/")) == 5
    assert not {*first.links("/articles/")} & {*second.links("/articles/")}
    assert "/articles" in second.links()


async def test_a_summary_that_failed_is_labelled_with_its_reason_and_the_next_try(database, tmp_path):
    await told(database, [a_report(1, **FIRE)])
    await write_summaries(database, tmp_path, "500")
    async with visiting(database, role="reader") as visitor:
        listed = (await visitor.get("/articles")).page
        page = (await visitor.get(f"/articles/{await article_id(database)}")).page
    assert "Summary not generated" in listed.text
    assert "Not generated" in page.text
    assert "answered 500" in page.text
    assert "The next try is" in page.text
    assert not [form for form in page.attributes("form") if form.get("action", "").startswith("/articles")]


async def test_a_failed_summary_is_retried_by_a_button(database, tmp_path):
    await told(database, [a_report(1, **FIRE)])
    await write_summaries(database, tmp_path, "500")
    path = f"/articles/{await article_id(database)}"
    async with visiting(database, role="editor") as visitor:
        before = (await visitor.get(path)).page
        answer = await visitor.post(f"{path}/summary", {"source": "tribune"})
        async with a_desk(database, tmp_path) as desk:
            await desk.write()
        after = (await visitor.get(answer.headers["Location"])).page
    assert "Retry now" in before.text
    assert answer.status == 303
    assert "The public library of Ostburg burned down" in after.text


async def test_an_article_that_nobody_asked_about_can_be_summarised_by_a_button(database):
    await told(database, [a_report(1, **FIRE)])
    path = f"/articles/{await article_id(database)}"
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get(path)).page
        answer = await visitor.post(f"{path}/summary")
        pending = (await visitor.get(answer.headers["Location"])).page
        listed = (await visitor.get("/articles")).page
    assert "Write a summary" in page.text
    assert "waits for its writer" in pending.text
    assert "Summary pending" in listed.text


async def test_an_article_without_a_text_has_no_button_and_says_why(database):
    await told(database, [a_report(1, title=FIRE["title"], body_text="Fire.")])
    path = f"/articles/{await article_id(database)}"
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get(path)).page
        answer = await visitor.post(f"{path}/summary")
    assert "too short to summarise" in page.text
    assert not [form for form in page.attributes("form") if form.get("action", "").startswith("/articles")]
    assert answer.status == 409


async def test_an_article_shows_its_summary_disclaimer_model_text_and_links(database, tmp_path):
    await told(database, [a_report(1, **FIRE)])
    await write_summaries(database, tmp_path)
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(f"/articles/{await article_id(database)}")).page
    assert "Written by a language model from the articles below; check the sources." in page.text
    assert "openai" in page.text
    assert "the city archive in the cellar stayed dry" in page.text
    assert "https://tribune.example/1" in page.links()
    assert page.links("/events/")
    assert [href for href in page.links("/stories/") if "/versions/" in href]


async def test_the_sentences_of_a_summary_lead_to_their_passages_in_the_text_below(database, tmp_path):
    await told(database, [a_report(1, **FIRE)])
    await write_summaries(database, tmp_path)
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(f"/articles/{await article_id(database)}")).page
        cites = [attrs for attrs in page.attributes("a") if attrs.get("class") == "cite"]
        marked = await visitor.get(cites[0]["href"].partition("#")[0])
    assert [attrs["aria-label"] for attrs in cites] == ["Passage 1 of the article", "Passage 2 of the article"]
    assert cites[0]["href"].endswith("#passage")
    assert '<mark id="passage">The public library of Ostburg burned down in the night to Monday.</mark>' in marked.text


async def test_the_disclaimer_is_in_the_language_of_the_summary(database, tmp_path):
    await told(database, [a_report(1, **JAPANESE)])
    await write_summaries(database, tmp_path)
    async with visiting(database) as visitor:
        answer = await visitor.get(f"/articles/{await article_id(database)}")
    assert "言語モデルが下記の記事から作成した要約です。" in answer.page.text
    [hint] = [attrs for attrs in answer.page.attributes("p") if attrs.get("class") == "hint"]
    assert hint["lang"] == "ja"


async def test_a_long_text_is_cut_at_ten_thousand_characters(database):
    await told(database, [a_report(1, body_text="word " * 4000)])
    async with visiting(database) as visitor:
        page = (await visitor.get(f"/articles/{await article_id(database)}")).page
    assert "cut at 10,000 characters" in page.text
    assert page.text.count("word") <= 2001


async def test_the_article_of_a_named_source_is_shown(database):
    shared = "https://tribune.example/flood"
    await told(
        database,
        [
            a_report(1, source="harbour_post", canonical_url=shared, title="River rises", hours_ago=9),
            a_report(2, source="tribune", canonical_url=shared, title="The same", hours_ago=2),
        ],
    )
    path = f"/articles/{await article_id(database)}"
    async with visiting(database) as visitor:
        first, named = await visitor.get(path), await visitor.get(f"{path}?source=tribune")
        missing = await visitor.get(f"{path}?source=akari")
    assert "River rises" in first.page.text
    assert "The same" in named.page.text
    assert missing.status == 404


@pytest.mark.parametrize(
    "path", ["/articles?source=a%00b", "/articles?before=x", "/articles/art_1", f"/articles/art_{'0' * 32}"]
)
async def test_an_address_that_leads_nowhere_is_an_error_page(database, path):
    async with visiting(database) as visitor:
        assert (await visitor.get(path)).status in {400, 404}


async def test_nobody_reads_articles_and_readers_ask_for_nothing(database):
    path = f"/articles/art_{'0' * 32}"
    async with visiting(database, role="reader") as visitor:
        assert (await visitor.post(f"{path}/summary")).status == 403
        visitor.session.cookie_jar.clear()
        assert (await visitor.get("/articles")).status in {303, 401}
        assert (await visitor.get(path)).status in {303, 401}


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_stays_text_on_the_pages_of_articles(database, hostile):
    plain = hostile.replace("\x00", "")
    await told(database, [a_report(1, title=plain, body_text=f"{FIRE['body_text']} {plain}", authors=[plain[:200]])])
    async with visiting(database) as visitor:
        answers = [await visitor.get("/articles"), await visitor.get(f"/articles/{await article_id(database)}")]
    for answer in answers:
        scripts = [attrs["src"].partition("?")[0] for attrs in answer.page.attributes("script")]
        assert all(script.startswith("/static/") for script in scripts)
        assert not {"img", "svg"} & {tag for tag, _ in answer.page.tags}


async def test_a_summary_in_the_queue_is_named_by_its_article_and_retried(database, tmp_path):
    await told(database, [a_report(1, **FIRE)])
    await write_summaries(database, tmp_path, "500")
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get("/queue?stage=write")).page
        failed = (await visitor.get("/api/v1/queue/failed")).json["items"]
        answer = await visitor.post("/queue/retry", {"stage": "write", "subject": str(failed[0]["subject"])})
        after = (await visitor.get(answer.headers["Location"])).page
    assert FIRE["title"] in page.text
    assert page.links("/articles/art_") == [f"/articles/{await article_id(database)}"]
    assert ("summary" in page.text, "Retry now" in page.text) == (True, True)
    assert [(each["stage"], each["failure_type"]) for each in failed] == [("write", "summary")]
    assert "1 work item made due now." in after.text
