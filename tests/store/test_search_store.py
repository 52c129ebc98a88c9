"""Stories are found by the words of their documents, by their meaning, and by words that were mistyped."""

from datetime import UTC, datetime, timedelta

import pytest

from builders import FIRE, an_item, group_into_events, told
from scoop.actions import search
from scoop.core import search as core
from scoop.core.search import Query
from scoop.embedders import Model
from scoop.embedders.local import Local
from scoop.errors import FetchFailed
from scoop.model import TopicSettings
from scoop.stage_names import StageName
from scoop.store import search as store
from scoop.store import topics, work
from scoop.store.work import Subject

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)

TITLES = {
    "en": "Dockers are striking in nine harbours",
    "de": "Städte fordern höhere Gewerbesteuern",
    "fr": "Les élections présidentielles reportées",
    "es": "Los científicos descubrieron un planeta",
    "ja": "東京都庁で記者会見、新しい橋を公開",
    "zh": "深圳地铁停运七十四分钟后恢复",
    "ko": "서울에서 새로운 다리가 열렸다",
    "th": "กรุงเทพมหานครเปิดสะพานใหม่",
    "pl": "Nowy most w Gdańsku otwarty",
}


def an_article(number, title, /, **changes):
    """An item about nothing else than its title."""
    return an_item(number, title=title, body_text=f"{title}.", **changes)


async def found(database, text, *, now=NOW, vector=None, **narrowed):
    async with database.connection() as conn:
        return await search.search_stories(conn, Query(text=text, **narrowed), now=now, vector=vector)


async def titles(database, text, **narrowed):
    return [hit.story.title for hit in (await found(database, text, **narrowed)).items]


@pytest.fixture
async def languages(database):
    """A desk with a story in each of many languages."""
    await told(
        database,
        [an_article(number, title, language=code) for number, (code, title) in enumerate(TITLES.items(), start=1)],
    )
    return database


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("strike harbour", "en"),
        ("STRIKES", "en"),
        ('"nine harbours"', "en"),
        ("stadt", "de"),
        ("Gewerbesteuer", "de"),
        ("städte", "de"),
        ("election", "fr"),
        ("presidentielle", "fr"),
        ("cientifico", "es"),
        ("descubrir", "es"),
        ("東京", "ja"),
        ("記者会見", "ja"),
        ("都庁", "ja"),
        ("橋", "ja"),
        ("地铁", "zh"),
        ("深圳地铁", "zh"),
        ("深", "zh"),
        ("서울", "ko"),
        ("다리가", "ko"),
        ("กรุงเทพ", "th"),
        ("สะพาน", "th"),
        ("gdansku", "pl"),
        ("most", "pl"),
    ],
)
async def test_a_story_is_found_in_its_own_language_in_other_forms_and_without_accents(languages, typed, code):
    assert await titles(languages, typed) == [TITLES[code]]


async def test_signs_must_follow_one_another(languages):
    assert await titles(languages, "京東") == []


async def test_all_words_a_phrase_one_of_two_and_none_of_those(database):
    harbour, football, walkout = "Harbour strike goes on", "Football: a late strike", "Walkout at the mill"
    await told(database, [an_article(1, harbour), an_article(2, football), an_article(3, walkout)])
    assert set(await titles(database, "strike")) == {harbour, football}
    assert await titles(database, "strike harbour") == [harbour]
    assert await titles(database, '"late strike"') == [football]
    assert await titles(database, '"strike late"') == []
    assert await titles(database, "strike -football") == [harbour]
    assert set(await titles(database, "football OR walkout")) == {football, walkout}
    assert await titles(database, '"harbour strike" OR walkout -mill') == [harbour]


async def test_the_title_counts_more_than_the_text_and_the_new_more_than_the_old(database):
    await told(
        database,
        [
            an_item(
                1, title="Ferries wait", body_text="In the long night nobody knew when the bridge would open again."
            ),
            an_article(2, "The bridge opens"),
            an_article(3, "Bridge opens, long ago", published_at="2024-01-05T12:00:00Z"),
        ],
    )
    assert await titles(database, "bridge") == ["The bridge opens", "Bridge opens, long ago", "Ferries wait"]


async def test_a_search_is_narrowed_to_collection_source_language_and_time(database):
    await told(
        database,
        [
            an_article(1, "Bridge one", metadata={"collection": "ai_news"}),
            an_article(2, "Bridge two", source="gazette"),
            an_article(3, "Bridge drei", language="de-AT"),
            an_article(4, "Bridge four", published_at="2026-10-01T12:00:00Z"),
        ],
    )
    since, until = datetime(2026, 9, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)
    assert await titles(database, "bridge", collection="ai_news") == ["Bridge one"]
    assert await titles(database, "bridge", source="gazette") == ["Bridge two"]
    assert await titles(database, "bridge", language="de") == ["Bridge drei"]
    assert await titles(database, "bridge", since=since, until=until) == ["Bridge four"]
    assert len(await titles(database, "bridge", since=until)) == 3
    assert len(await titles(database, "bridge")) == 4


async def test_a_search_is_narrowed_to_a_topic(database):
    await told(database, [an_article(1, "Solar bridge"), an_article(2, "Iron bridge")])
    async with database.transaction() as conn:
        await topics.put(conn, TopicSettings(topic_slug="solar", topic_name="Solar"))
        await conn.execute(
            "INSERT INTO story_topic_state (story_id, topic_id, first_seen_in_topic_at)"
            " SELECT story_id, topic_id, now() FROM stories, topics"
            " WHERE canonical_title = 'Solar bridge' AND topic_slug = 'solar'"
        )
    assert await titles(database, "bridge", topic="solar") == ["Solar bridge"]


@pytest.mark.parametrize(
    ("narrowed", "said"),
    [
        ({"collection": "nope"}, "No story has the collection 'nope'; there are: world_news."),
        ({"source": "nope"}, "No story has the source 'nope'; there are: tribune."),
        ({"language": "xx"}, "No story has the language 'xx'; there are: en."),
        ({"collection": "a\x00b"}, "No story has the collection 'a\\x00b'; there are: world_news."),
        ({"topic": "nope"}, "There is no topic 'nope'."),
        ({"since": NOW, "until": NOW - timedelta(days=1)}, "The last day is before the first."),
    ],
)
async def test_where_nothing_can_be_a_hint_says_why(database, narrowed, said):
    await told(database, [an_item()])
    answer = await found(database, "bridge", **narrowed)
    assert (answer.items, answer.hints) == ([], [said])


@pytest.mark.parametrize(
    ("typed", "said"),
    [("", search.NO_WORDS), ("OR -", search.NO_SEARCHABLE_WORD), ("-bridge", search.NO_SEARCHABLE_WORD)],
)
async def test_without_a_word_nothing_is_searched(database, typed, said):
    await told(database, [an_item()])
    assert (await found(database, typed)).hints == [said]


@pytest.mark.parametrize(
    "typed",
    [
        "'; DROP TABLE stories; --",
        "a & b | !c:* <-> d",
        "\\' \\\\ ''",
        "x" * 5_000,
        "w " * 3_000,
        "\ud7ff\u0e34",
        "%_*",
    ],
)
async def test_whatever_is_typed_is_only_words(database, typed):
    await told(database, [an_item()])
    assert (await found(database, typed)).items == []


async def test_a_hundred_words_are_cut_and_said_to_be(database):
    await told(database, [an_article(1, "Bridge " * 60)])
    answer = await found(database, "bridge " * 70)
    assert answer.hints == [search.TOO_MANY_WORDS]
    assert len(answer.items) == 1


async def test_hits_are_marked_in_title_and_passage(database):
    body_text = f"{'Nothing. ' * 90}They strike for pay, they said."
    await told(database, [an_item(1, title="Striking dockers: <b>bold</b>", body_text=body_text)])
    hit = (await found(database, "strike")).items[0]
    assert [(piece.text, piece.is_hit) for piece in hit.title] == [("Striking", True), (" dockers: <b>bold</b>", False)]
    assert [piece.text for piece in hit.passage if piece.is_hit] == ["strike"]
    assert hit.passage[0].text == "… "


async def test_a_document_that_was_read_again_is_found_by_what_it_says_now(database):
    await told(database, [an_article(1, "Bridge opens")])
    await told(database, [an_article(1, "Tunnel opens")])
    assert await titles(database, "tunnel") == ["Tunnel opens"]
    assert await titles(database, "bridge") == []


async def test_a_story_is_found_once_by_its_best_document(database):
    url = "https://tribune.example/fire"
    await told(
        database,
        [
            an_item(1, source="one", title="Library burns", canonical_url=url, body_text="A library."),
            an_item(2, source="two", title="Library fire", canonical_url=url, body_text="The library, the library."),
        ],
    )
    answer = await found(database, "library")
    assert (len(answer.items), answer.total_estimate) == (1, 1)


def coverage(event, count):
    """Stories of one event, each with words of its own."""
    return [
        f"{event} {number} as seen by outlet {name * 4}" for number, name in enumerate("abcdefghijklmnopqrst"[:count])
    ]


async def report_events(database, *events):
    """Take in the stories of these events, each story from an outlet of its own."""
    all_titles = [title for titles in events for title in titles]
    await told(
        database,
        [
            an_item(number, title=title, body_text=f"{number * 7919} " * 9, source=f"outlet{number}")
            for number, title in enumerate(all_titles, start=1)
        ],
        without=["group"],
    )
    await group_into_events(database, *events)


async def test_an_event_of_twenty_stories_is_found_once(database):
    await report_events(database, coverage("Flood", 20))
    answer = await found(database, "flood")
    assert (len(answer.items), answer.total_estimate) == (1, 1)
    [hit] = answer.items
    assert (hit.event.story_count, hit.event.source_count, len(hit.event.outlets)) == (20, 20, 20)
    assert (hit.matching_story_count, len(hit.other_stories)) == (20, 19)
    assert len({hit.story.story_id, *(story.story_id for story in hit.other_stories)}) == 20


async def test_a_long_event_names_only_its_best_stories_and_counts_the_others(database, monkeypatch):
    monkeypatch.setattr(search, "MAX_OTHER_STORIES", 2)
    await report_events(database, coverage("Flood", 5))
    [hit] = (await found(database, "flood")).items
    assert (hit.matching_story_count, len(hit.other_stories)) == (5, 2)


async def test_an_event_gives_the_story_that_matches_best_even_if_another_leads_it(database):
    lead, other = "Library burns in Ostburg", "Arsonist sought"
    await report_events(database, [lead, other])
    [hit] = (await found(database, "arsonist")).items
    assert (hit.story.title, [span.text for span in hit.title if span.is_hit]) == (other, ["Arsonist"])
    assert (hit.event.story_count, hit.matching_story_count, hit.other_stories) == (2, 1, [])


async def test_no_event_is_on_two_pages(database):
    events = [coverage(f"Flood at {name * 5}", 3) for name in "abcde"]
    await report_events(database, *events)
    pages = [(await found(database, "flood", limit=2, offset=offset)).items for offset in (0, 2, 4, 6)]
    assert [len(page) for page in pages] == [2, 2, 1, 0]
    assert len({hit.event.event_id for page in pages for hit in page}) == 5


async def test_single_stories_are_paged_without_grouping(database):
    await report_events(database, coverage("Flood", 3), coverage("Flood elsewhere", 2))
    pages = [await found(database, "flood", by_story=True, limit=3, offset=offset) for offset in (0, 3)]
    assert [len(page.items) for page in pages] == [3, 2]
    assert {page.total_estimate for page in pages} == {5}
    assert len({hit.story.story_id for page in pages for hit in page.items}) == 5


async def test_fields_without_words_list_an_event_once(database):
    await report_events(database, coverage("Flood", 3), coverage("Strike", 2))
    answer = await found(database, "collection:world_news")
    assert (len(answer.items), answer.total_estimate) == (2, 2)


async def test_what_is_held_back_or_merged_is_not_found(database):
    await told(database, [an_article(1, "Bridge one"), an_article(2, "Bridge two")])
    async with database.connection() as conn:
        await conn.execute("UPDATE stories SET status = 'suppressed' WHERE canonical_title = 'Bridge one'")
    assert await titles(database, "bridge") == ["Bridge two"]


async def test_a_list_goes_on_at_an_offset(database):
    await told(
        database,
        [an_item(number, title=f"Bridge of {name} ways", body_text=name * 9) for number, name in enumerate("abcdefg")],
    )
    whole = await titles(database, "bridge")
    parts = [await titles(database, "bridge", limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [len(part) for part in parts] == [3, 3, 1, 0]
    assert [title for part in parts for title in part] == whole


# Slips


async def test_a_mistyped_word_finds_what_was_meant_and_says_so(database):
    await told(database, [an_article(1, "Cholera beaten in Kembe"), an_article(2, "Bridge closed")])
    answer = await found(database, "cholrea")
    assert [(hit.story.title, hit.found_by) for hit in answer.items] == [("Cholera beaten in Kembe", ["spelling"])]
    assert answer.corrections == {"cholrea": ["cholera"]}
    assert [piece.text for piece in answer.items[0].title if piece.is_hit] == ["Cholera"]


async def test_a_word_that_a_headline_has_is_not_corrected(database):
    await told(database, [an_article(1, "Bride arrives"), an_article(2, "Bridge closed")])
    answer = await found(database, "bride")
    assert ([hit.story.title for hit in answer.items], answer.corrections) == (["Bride arrives"], {})


async def test_a_quoted_word_is_not_corrected(database):
    await told(database, [an_article(1, "Cholera beaten in Kembe")])
    assert (await found(database, '"cholrea"')).items == []


# Fields


async def test_fields_of_the_text_narrow_a_search(database):
    await told(
        database,
        [
            an_article(1, "Bridge closed", source="tribune"),
            an_article(2, "Bridge opened", source="gazette"),
            an_article(3, "Brücke gesperrt", source="bote", language="de"),
        ],
    )
    assert await titles(database, "bridge source:gazette") == ["Bridge opened"]
    assert await titles(database, "brücke lang:de") == ["Brücke gesperrt"]
    assert await titles(database, "bridge after:2030-01-01") == []
    assert len(await titles(database, "bridge collection:world_news before:2030-01-01")) == 2


async def test_fields_without_words_list_the_latest_stories(database):
    await told(database, [an_article(1, "Bridge closed"), an_article(2, "Museum opened", source="gazette")])
    answer = await found(database, "source:gazette")
    assert [(hit.story.title, hit.found_by) for hit in answer.items] == [("Museum opened", [])]
    assert answer.total_estimate == 1


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("bridge source:tribun", "No story has the source 'tribun'; did you mean tribune?"),
        ("bridge after:soon", "after:soon is not a day; write it as after:2026-11-15."),
        ("bridge topic:nope", "There is no topic 'nope'."),
    ],
)
async def test_a_field_that_nothing_can_pass_is_named_and_finds_nothing(database, typed, said):
    await told(database, [an_item()])
    answer = await found(database, typed)
    assert (answer.items, answer.hints) == ([], [said])


# Meaning


async def test_a_story_is_found_by_what_it_means_in_another_language(database):
    await told(database, [an_item(1, **FIRE), an_article(2, "Parliament passes the budget for next year")])
    local = Local(Local.Options(), None)
    query = Query(text="Brand in der Bücherei")
    meant = await search.embed_query(local, query, within=timedelta(minutes=1))
    answer = await found(database, query.text, vector=meant)
    assert [(hit.story.title, hit.found_by) for hit in answer.items] == [(FIRE["title"], ["meaning"])]
    assert (await found(database, query.text)).items == []


async def test_words_and_meaning_together_and_what_is_excluded_stays_out(database):
    await told(database, [an_item(1, **FIRE), an_article(2, "Library of Ostburg opens at night", source="gazette")])
    local = Local(Local.Options(), None)
    meant = await search.embed_query(local, Query(text="library fire"), within=timedelta(minutes=1))
    first = (await found(database, "library fire", vector=meant)).items[0]
    assert (first.story.title, first.found_by) == (FIRE["title"], ["words", "meaning"])
    without = await found(database, "library fire -brigade", vector=meant)
    elsewhere = await found(database, "library fire", vector=meant, source="gazette")
    assert FIRE["title"] not in [hit.story.title for hit in (*without.items, *elsewhere.items)]


async def test_nonsense_means_nothing(database):
    await told(database, [an_item(1, **FIRE)])
    meant = await search.embed_query(
        Local(Local.Options(), None), Query(text="xyzzy blorp"), within=timedelta(minutes=1)
    )
    assert (await found(database, "xyzzy blorp", vector=meant)).items == []


class Away:
    name, endpoint, waits = "away", "https://nowhere.example", True
    model = Model(name="away", version="v1")

    async def embed(self, _texts):
        raise FetchFailed("nobody is there", health="unreachable")


async def test_an_embedder_that_is_away_leaves_the_words(database):
    await told(database, [an_item(1, **FIRE)])
    meant = await search.embed_query(Away(), Query(text="library"))
    answer = await found(database, "library", vector=meant)
    assert ([hit.found_by for hit in answer.items], answer.hints) == ([["words"]], [search.EMBEDDER_TIMEOUT])


async def test_an_exact_phrase_is_not_embedded():
    assert await search.embed_query(Away(), Query(text='"library fire"')) is None
    assert await search.embed_query(Away(), Query(text="OR")) is None


# What the database does


async def test_a_search_goes_by_its_index_and_leaves_the_connection_as_it_was(database):
    await told(database, [an_item(number) for number in range(1, 4)])
    stretch = core.time_ranges(Query(text="bridge"), now=NOW)[0]
    async with database.connection() as conn, conn.transaction():
        before = await conn.fetchval("SELECT current_setting('enable_seqscan') || current_setting('statement_timeout')")
        async with store.time_limit(conn):
            asked = ("'bridg'", ["c:world_news"], stretch.facets, stretch.start, None, None, 10)
            rows = await conn.fetch(f"EXPLAIN {store.SQL['newest']}", *asked)
        after = await conn.fetchval("SELECT current_setting('enable_seqscan') || current_setting('statement_timeout')")
    plan = "\n".join(row[0] for row in rows)
    assert "Bitmap Index Scan on idx_document_search" in plan
    assert "Index Cond: ((facets @> " in plan
    assert before == after


async def test_no_search_runs_away(database, monkeypatch):
    monkeypatch.setattr(store, "STATEMENT_TIMEOUT", timedelta(milliseconds=50))
    async with database.connection() as conn, conn.transaction():
        with pytest.raises(store.SearchTimeout, match="took too long"):
            async with store.time_limit(conn):
                await conn.execute("SELECT pg_sleep(20)")
        assert await conn.fetchval("SELECT 1") == 1


async def test_a_search_that_takes_too_long_says_so(database, monkeypatch):
    await told(database, [an_item()])

    async def slowly(conn, *_arguments, **_options):
        await conn.execute("SELECT pg_sleep(20)")

    monkeypatch.setattr(store, "STATEMENT_TIMEOUT", timedelta(milliseconds=50))
    monkeypatch.setattr(store, "rank_by_words", slowly)
    answer = await found(database, "bridge")
    assert answer.hints == ["The search took too long. Use rarer words or a shorter period."]


async def test_names_of_any_kind_are_kept_and_found(database):
    name = 'a "quoted", {braced}\\ name'
    await told(database, [an_article(1, "Bridge one", source=name), an_article(2, "Bridge two")])
    assert await titles(database, "bridge", source=name) == ["Bridge one"]


async def test_long_and_strange_words_do_not_stop_the_stage(database):
    await told(database, [an_item(1, title="Bridge", body_text=f"{'x' * 5_000} {'漢' * 9_000} {'word ' * 5_000}")])
    assert await titles(database, "bridge") == ["Bridge"]
    assert await titles(database, "x" * 300) == ["Bridge"]
    async with database.connection() as conn:
        assert [each.stage for each in await work.counts(conn)] == []


async def test_indexing_twice_changes_nothing(database):
    await told(database, [an_article(1, "Bridge one")])
    async with database.connection() as conn:
        before = await conn.fetch("SELECT * FROM document_search")
        await work.enqueue(conn, StageName.INDEX, [Subject(before[0]["document_id"])])
    await told(database, [])
    async with database.connection() as conn:
        assert await conn.fetch("SELECT * FROM document_search") == before
