"""Pages of curators: lists, candidates of a day, interests, settings and digests."""

import re
from datetime import timedelta

import pytest

from curating import INTERESTS, NINE, SLUG, TODAY, a_curator, a_post_about
from scoop.core.interests import Interest, Interests
from scoop.newsstand.sites.models import MODEL
from scoop.store import curators, topics
from web.visitor import visiting

HERE = f"/curators/{SLUG}"
DAY = timedelta(days=1)
HOSTILE = "<script>alert(1)</script>"
BARS = re.compile(
    r"(\d+) /100 of 100 points Topic match (\d+)/30 Concreteness (\d+)/30 Practicality (\d+)/25 Depth (\d+)/15"
)


def at_nine(database, role="editor"):
    """A visitor at nine in Tokyo on the day of the curator's digest."""
    return visiting(database, role=role, clock=lambda: NINE, signed_in_at=NINE)


async def meet(desk, *items, at=NINE):
    """Let the curator evaluate items as of a moment."""
    await desk.evaluate(items)
    await desk.desk.rows(
        "UPDATE evaluations SET found_at = $1, evaluated_at = CASE WHEN evaluated_at IS NOT NULL THEN $1 END"
        " WHERE found_at > $1 RETURNING 1",
        at,
    )


async def stored(database):
    async with database.connection() as conn:
        return await curators.by_slug(conn, SLUG)


def rows_of(*interests, **changes):
    """The form of interests as a browser would send it; an interest is its topic, aliases, priority and description."""
    form = {"rows": str(len(interests)), "max_articles": "5", "min_articles": "3", "min_relevance_score": "70"}
    for place, interest in enumerate(interests):
        named = dict(zip(("topic", "aliases", "priority", "description"), interest, strict=False))
        form |= {f"{field}-{place}": value for field, value in named.items()}
    return {**form, "do": "save", **changes}


async def test_without_curators_the_list_says_what_one_does_and_how_to_add_it(database):
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get("/curators")).page
    assert "No curators yet" in page.text
    assert "/curators/new" in page.links()


async def test_a_reader_sees_curators_and_can_change_none(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"))
        async with at_nine(database, role="reader") as visitor:
            seen = [(await visitor.get(path)).page for path in ("/curators", HERE, f"{HERE}/interests")]
            refused = [
                (await visitor.get(f"{HERE}/settings")).status,
                (await visitor.get("/curators/new")).status,
                (await visitor.post(f"{HERE}/interests", rows_of(("Go",)))).status,
                (await visitor.post(f"{HERE}/labels/1", {"thumb": "up"})).status,
                (await visitor.post(f"{HERE}/remove")).status,
            ]
    assert not any("/new" in link or "/settings" in link for page in seen for link in page.links("/curators"))
    assert all(form["action"] in {"/sign-out", "/search"} for page in seen for form in page.attributes("form")[:-1])
    assert refused == [403] * 5


async def test_the_list_shows_the_next_post_and_the_articles_of_today_by_state(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"), a_post_about(2, "Go"), a_post_about(3, "Cheese"))
        async with at_nine(database, role="reader") as visitor:
            page = (await visitor.get("/curators")).page
    assert "Morning picks in 1 d Wed 18 Nov, 09:00 Asia/Tokyo 2 relevant 1 rejected 3 topics main" in page.text
    assert f"{HERE}?state=rejected" in page.links()


async def test_a_candidate_has_its_score_parts_topics_and_reason(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"), a_post_about(3, "Cheese"))
        async with at_nine(database) as visitor:
            page = (await visitor.get(HERE)).page
    assert "number 1 of the next post It mentions PostgreSQL." in page.text
    score, *parts = map(int, BARS.search(page.text).groups())
    assert score == sum(parts)
    assert "Cheese in practice, note3 about3 part3 of many matches no topic It mentions none" in page.text


async def test_candidates_are_filtered_by_state_and_reason(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(
            desk,
            a_post_about(1, "PostgreSQL"),
            a_post_about(2, "Cheese"),
            a_post_about(3, "Go") | {"body_text": "Subscribe."},
        )
        async with at_nine(database) as visitor:
            relevant = (await visitor.get(f"{HERE}?state=relevant")).page.text
            rejected = (await visitor.get(f"{HERE}?state=rejected")).page.text
            unread = (await visitor.get(f"{HERE}?state=rejected&reason=content_extraction_failed")).page.text
            waiting = (await visitor.get(f"{HERE}?state=waiting")).page.text
            unknown = (await visitor.get(f"{HERE}?state=lost")).status
    assert ("note1" in relevant, "note2" in relevant) == (True, False)
    assert "1 matches no topic" in rejected
    assert "1 no readable text" in rejected
    assert ("note2" in unread, "note3" in unread) == (False, True)
    assert "No such articles" in waiting
    assert unknown == 400


async def test_a_relevant_article_of_yesterday_is_a_candidate_of_today_and_a_rejected_one_is_not(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"), a_post_about(2, "Cheese"), at=NINE - DAY)
        async with at_nine(database) as visitor:
            today = (await visitor.get(HERE)).page
            yesterday = (await visitor.get(f"{HERE}?day={TODAY - DAY}")).page
    assert ("note1" in today.text, "note2" in today.text) == (True, False)
    assert ("note1" in yesterday.text, "note2" in yesterday.text) == (True, True)
    assert f"{HERE}?day={TODAY - DAY}" in today.links()
    assert "Candidates of Monday 16 November 2026" in yesterday.text


async def test_many_candidates_are_listed_by_score_on_several_pages(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, *(a_post_about(number, "PostgreSQL") for number in range(1, 36)))
        await desk.desk.rows("UPDATE evaluations SET relevance_score = 60 + evaluation_id % 40 RETURNING 1")
        async with at_nine(database) as visitor:
            first = (await visitor.get(HERE)).page
            (more,) = first.links(f"{HERE}?after=")
            second = (await visitor.get(more)).page
    shown = [page.links("/articles/art_") for page in (first, second)]
    assert [len(links) for links in shown] == [30, 5]
    assert not {*shown[0]} & {*shown[1]}


async def test_what_was_posted_is_linked_and_marked(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"))
        await desk.post()
        await desk.desk.rows("UPDATE evaluations SET notified_at = $1 RETURNING 1", NINE)
        async with at_nine(database) as visitor:
            page = (await visitor.get(HERE)).page
    assert "Posted 1" in page.text
    assert "posted Tue 17 Nov, 09:00 Asia/Tokyo" in page.text
    assert f"/digests/{SLUG}/{TODAY}" in page.links()


async def test_the_digest_page_of_a_curator_shows_relevance_topics_and_the_decision_on_each(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, *(a_post_about(number, "PostgreSQL", hours_ago=4 + number) for number in range(1, 6)))
        await desk.post()
        async with at_nine(database) as visitor:
            page = (await visitor.get(f"/digests/{SLUG}/{TODAY}")).page
    assert "leads today, about PostgreSQL. The other 2 articles are about PostgreSQL." in page.text
    assert "Must read PostgreSQL in practice, note1" in page.text
    assert re.search(r"\d+/100 PostgreSQL", page.text)
    assert "Selected 3" in page.text
    assert "Relevant, but not among the best 2" in page.text
    assert re.search(r"relevant, but not among the best 3 \d+/100 Topic match \d+/30", page.text)
    assert f"{HERE}?day={TODAY}" in page.links()


async def test_the_pages_of_an_article_and_an_event_have_the_verdict_of_the_curator(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"))
        async with at_nine(database, role="reader") as visitor:
            (article,) = (await visitor.get(HERE)).page.links("/articles/art_")
            page = (await visitor.get(article)).page
            (event,) = page.links("/events/")
            beside = (await visitor.get(event)).page
    assert re.search(r"Morning picks : \d+/100, relevant", page.text)
    assert re.search(r"Morning picks \d+/100, relevant", beside.text)
    assert HERE in page.links()
    assert HERE in beside.links()


async def test_interests_are_saved_from_rows_as_a_new_version_by_its_editor(database, tmp_path):
    async with a_curator(database, tmp_path):
        form = rows_of(
            ("大規模言語モデル", 'LLM、 大模型, "Washington, D.C."', "high", "Releases and prices."),
            ("", "", "low", ""),
            ("Go", "golang\nGo 1.30", "low"),
            max_articles="4",
        )
        async with at_nine(database) as visitor:
            answer = await visitor.post(f"{HERE}/interests", form)
            page = (await visitor.get(f"{HERE}/interests")).page
        saved = await stored(database)
    assert (answer.status, answer.headers["Location"]) == (303, f"{HERE}/interests")
    assert saved.interests.topics == (
        Interest(
            topic="大規模言語モデル",
            aliases=("LLM", "大模型", "Washington, D.C."),
            priority="high",
            description="Releases and prices.",
        ),
        Interest(topic="Go", aliases=("golang", "Go 1.30"), priority="low"),
    )
    assert (saved.interests.max_articles, saved.interests_version) == (4, 2)
    assert 'LLM, 大模型, "Washington, D.C."' in page.text
    assert "Version 2 in use 2 topics" in page.text
    assert "by editor" in page.text


async def test_a_wrong_row_is_marked_at_its_field_and_nothing_typed_is_lost(database, tmp_path):
    async with a_curator(database, tmp_path):
        form = rows_of(("Go", "x" * 101), ("", "golang"), ("go", ""), max_articles="many")
        async with at_nine(database) as visitor:
            answer = await visitor.post(f"{HERE}/interests", form)
        assert (await stored(database)).interests == INTERESTS
    assert answer.status == 400
    marked = [field["name"] for tag in ("input", "textarea") for field in answer.page.attributes(tag)]
    invalid = {
        field["name"]
        for tag in ("input", "textarea")
        for field in answer.page.attributes(tag)
        if field.get("aria-invalid")
    }
    assert {"topic-2", "aliases-0"} <= {*marked}
    assert invalid == {"aliases-0", "topic-1", "topic-2", "max_articles"}
    assert "x" * 101 in answer.text
    assert "'go' is also topic 1" in answer.page.text


async def test_pasted_text_with_an_error_names_line_and_field_and_stays(database, tmp_path):
    async with a_curator(database, tmp_path):
        text = 'min_relevance_score = 60\n[[topics]]\ntopic = "Go"\npriority = "urgent"\n'
        async with at_nine(database) as visitor:
            answer = await visitor.post(f"{HERE}/interests", {"as": "text", "text": text, "do": "save"})
            fixed = await visitor.post(
                f"{HERE}/interests", {"as": "text", "text": text.replace("urgent", "low"), "do": "save"}
            )
        saved = await stored(database)
    assert answer.status == 400
    assert "Line 4: topics[1].priority: 'urgent' must be one of high, medium, low" in answer.page.text
    assert "priority = &#34;urgent&#34;" in answer.text
    assert fixed.status == 303
    assert saved.interests.topics == (Interest(topic="Go", priority="low"),)


async def test_rows_become_text_and_text_becomes_rows_without_saving(database, tmp_path):
    async with a_curator(database, tmp_path):
        form = rows_of(("Go", "golang", "high", "The language."), do="text")
        async with at_nine(database) as visitor:
            as_text = await visitor.post(f"{HERE}/interests", form)
            text = '{"topics": [{"topic": "Chips", "aliases": ["GPU"]}], "max_articles": 2}'
            as_rows = await visitor.post(f"{HERE}/interests", {"as": "text", "text": text, "do": "rows"})
        assert (await stored(database)).interests == INTERESTS
    assert 'topic = "Go" aliases = ["golang"] priority = "high" description = "The language."' in as_text.page.text
    assert "GPU" in as_rows.page.text
    values = {field.get("name"): field.get("value") for field in as_rows.page.attributes("input")}
    assert (values["topic-0"], values["max_articles"]) == ("Chips", "2")


async def test_more_rows_keep_what_was_typed(database, tmp_path):
    async with a_curator(database, tmp_path), at_nine(database) as visitor:
        answer = await visitor.post(f"{HERE}/interests", rows_of(("Half a topic",), do="more", max_articles="99"))
    names = [field.get("name", "") for field in answer.page.attributes("input")]
    assert answer.status == 200
    assert len([name for name in names if name.startswith("topic-")]) == 9
    assert 'value="Half a topic"' in answer.text
    assert 'value="99"' in answer.text


async def test_versions_show_their_changes_and_can_be_restored(database, tmp_path):
    async with a_curator(database, tmp_path):
        async with at_nine(database) as visitor:
            await visitor.post(f"{HERE}/interests", rows_of(("Go", "golang", "high"), min_relevance_score="60"))
            page = (await visitor.get(f"{HERE}/interests")).page
            opened = (await visitor.get(f"{HERE}/interests?version=1")).page
            await visitor.post(f"{HERE}/interests/restore", {"version": "1"})
            missing = (await visitor.post(f"{HERE}/interests/restore", {"version": "77"})).status
        restored = await stored(database)
    assert "max articles: 3 5" in page.text
    assert "Go , priority: medium high Go , aliases: golang PostgreSQL topic removed" in page.text
    assert "As in version 1. Save to use it again." in opened.text
    assert (restored.interests, restored.interests_version, missing) == (INTERESTS, 3, 404)


async def test_versions_before_the_newest_thirty_are_listed_and_can_be_restored(database, tmp_path):
    async with a_curator(database, tmp_path):
        async with database.transaction() as conn:
            for number in range(2, 42):
                given = Interests(topics=(Interest(topic=f"Zig {number}"),))
                await curators.put_interests(conn, (await stored(database)).topic_id, given, origin="page")
        async with at_nine(database) as visitor:
            newest = (await visitor.get(f"{HERE}/interests")).page
            earlier = (await visitor.get(f"{HERE}/interests?before=12")).page
            opened = (await visitor.get(f"{HERE}/interests?version=1")).page
            await visitor.post(f"{HERE}/interests/restore", {"version": "1"})
        restored = await stored(database)
    assert ("Version 12 " in newest.text, "Version 11 " in newest.text) == (True, False)
    assert f"{HERE}/interests?before=12#versions" in newest.links()
    assert ("Version 11 " in earlier.text, "Version 1 " in earlier.text) == (True, True)
    assert "Earlier versions" not in earlier.text
    assert "As in version 1." in opened.text
    assert (restored.interests, restored.interests_version) == (INTERESTS, 42)


async def test_interests_from_a_file_are_read_only_and_show_their_problem(database, tmp_path):
    file = tmp_path / "interests.toml"
    file.write_text('topics = ["PostgreSQL"]\n')
    async with a_curator(database, tmp_path, interests_from=str(file)) as desk:
        await desk.look()
        file.write_text('topics = ["PostgreSQL"]\nmin_score = 700\n')
        await desk.look()
        async with at_nine(database) as visitor:
            page = await visitor.get(f"{HERE}/interests")
            listed = (await visitor.get("/curators")).page.text
            own = (await visitor.get(HERE)).page.text
            refused = await visitor.post(f"{HERE}/interests", rows_of(("Go",)))
    assert f"These interests are read from {file}" in page.page.text
    assert "Line 2: min_score: 700 must be" in page.page.text
    assert "Version 1, the last valid one, stays in use." in page.page.text
    assert "topic-0" not in page.text
    assert "problem Line 2: min_score" in listed
    assert "The last valid version stays in use." in own
    assert refused.status == 409


async def test_a_curator_is_added_with_its_interests_and_settings(database):
    form = rows_of(
        ("Chips", "GPU, accelerator", "high"),
        slug="chips",
        name="Chips of the day",
        cron="30 7 * * 1-5",
        timezone="Europe/Berlin",
        collections="world_news",
        sources="tribune",
        freshness_days="2",
        language="ja",
    )
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/curators/new", form)
        page = (await visitor.get("/curators/chips")).page
    async with database.connection() as conn:
        added, topic = await curators.by_slug(conn, "chips"), await topics.by_slug(conn, "chips")
    assert (answer.status, answer.headers["Location"]) == (303, "/curators/chips")
    assert (added.freshness_days, added.language, added.interests.topics[0].aliases) == (
        2,
        "ja",
        ("GPU", "accelerator"),
    )
    assert (topic.digest_cron, topic.timezone, topic.collections) == ("30 7 * * 1-5", "Europe/Berlin", ["world_news"])
    assert [rule.source for rule in topic.source_rules] == ["tribune"]
    assert "no channel It posts nowhere" in page.text
    assert "No articles yet today" in page.text


@pytest.mark.parametrize(
    ("change", "marked"),
    [
        ({"slug": "new"}, "slug"),
        ({"slug": "Énergie"}, "slug"),
        ({"cron": "whenever"}, "cron"),
        ({"language": "klingonese!"}, "language"),
        ({"interests_from": "interests.toml"}, "interests_from"),
        ({"topic-0": "x" * 51}, "topic-0"),
    ],
)
async def test_a_curator_that_cannot_be_added_is_marked_at_its_field(database, change, marked):
    async with visiting(database) as visitor:
        answer = await visitor.post(
            "/curators/new", rows_of(("Chips",), **{"slug": "chips", "name": "Typed", **change})
        )
    invalid = {field["name"] for field in answer.page.attributes("input") if field.get("aria-invalid")}
    assert (answer.status, invalid) == (400, {marked})
    assert 'value="Typed"' in answer.text


async def test_a_curator_needs_interests_or_a_place_to_read_them_from(database):
    async with visiting(database) as visitor:
        refused = await visitor.post("/curators/new", rows_of(slug="chips"))
        added = await visitor.post(
            "/curators/new", rows_of(slug="chips", interests_from="https://interests.example/me.toml")
        )
    assert refused.status == 400
    assert "give 1 to 50 topics" in refused.page.text
    assert added.status == 303


async def test_only_an_admin_lets_interests_be_read_from_a_file_of_the_server(database, tmp_path):
    async with a_curator(database, tmp_path):
        form = {"name": "Morning picks", "collections": "world_news", "interests_from": "/etc/passwd"}
        async with at_nine(database) as visitor:
            refused = await visitor.post(f"{HERE}/settings", form)
        assert (await stored(database)).interests_from is None
    assert refused.status == 403


async def test_a_slug_that_a_topic_has_is_refused_at_its_field(database, tmp_path):
    async with a_curator(database, tmp_path), visiting(database) as visitor:
        answer = await visitor.post("/curators/new", rows_of(("Chips",), slug=SLUG))
    assert answer.status == 400
    assert 'id="slug-wrong"' in answer.text


async def test_settings_are_changed_and_a_curator_is_disabled_and_enabled(database, tmp_path):
    async with a_curator(database, tmp_path):
        form = {"name": "Evening picks", "collections": "world_news", "cron": "0 18 * * *", "freshness_days": "5"}
        async with at_nine(database) as visitor:
            answer = await visitor.post(f"{HERE}/settings", form)
            await visitor.post(f"{HERE}/disable")
            assert not (await stored(database)).enabled
            assert "disabled It evaluates and posts nothing." in (await visitor.get(HERE)).page.text
            await visitor.post(f"{HERE}/enable")
        changed = await stored(database)
    assert (answer.status, answer.headers["Location"]) == (303, HERE)
    assert (changed.topic_name, changed.freshness_days, changed.enabled) == ("Evening picks", 5, True)
    assert changed.interests == INTERESTS


async def test_a_curator_that_has_posted_is_not_removed(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"))
        await desk.post()
        async with at_nine(database) as visitor:
            kept = await visitor.post(f"{HERE}/remove")
    assert kept.status == 409
    assert "has posted digests, which are kept: disable it instead" in kept.page.text


async def test_a_curator_that_has_posted_nothing_is_removed(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"))
        async with at_nine(database) as visitor:
            gone = await visitor.post(f"{HERE}/remove")
            assert (gone.status, gone.headers["Location"]) == (303, "/curators")
            assert (await visitor.get(HERE)).status == 404


async def test_a_topic_without_interests_is_no_curator(database):
    async with visiting(database) as visitor:
        assert (await visitor.get("/curators/ai_news")).status == 404
        assert (await visitor.get("/curators/ai_news/interests")).status == 404


async def test_hostile_text_is_shown_as_text(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL") | {"title": f"PostgreSQL {HOSTILE} note1"})
        async with at_nine(database) as visitor:
            await visitor.post(f"{HERE}/interests", rows_of((HOSTILE, HOSTILE, "low", HOSTILE)))
            pages = [await visitor.get(path) for path in (HERE, f"{HERE}/interests", "/curators")]
    assert not any(HOSTILE in page.text for page in pages)


async def test_a_trial_says_which_gained_articles_are_not_posted_all_the_same(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"), a_post_about(2, "Cheese"))
        await desk.post()
        await desk.gather([a_post_about(3, "Cheese")])
        form = rows_of(("Cheese", "Gouda"), ("practice",), min_relevance_score="60", do="try")
        async with at_nine(database) as visitor:
            answer = await visitor.post(f"{HERE}/interests", form)
            sent = {"interests": {"topics": [{"topic": "Cheese"}], "min_relevance_score": 60}}
            report = (await visitor.ask("POST", f"/api/v1/curators/{SLUG}/test", sent)).json
    text = answer.page.text
    gained = text.partition(" Gained ")[2].partition(" Lost ")[0]
    of_two, of_three = sorted(gained.split("Cheese in practice, ")[1:])
    assert f"not posted Evaluated by {MODEL}-2026-01-01 without this topic: stays rejected" in of_two
    assert "not posted" not in of_three
    assert "2 gained (1 not posted all the same)" in text
    assert report["kept_out_count"] == 1
    assert sorted(each["kept_out"] for each in report["gained"]) == [
        "",
        f"evaluated by {MODEL}-2026-01-01 without this topic: stays rejected",
    ]


async def test_a_trial_shows_gained_and_lost_articles_and_saves_nothing(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([a_post_about(1, "PostgreSQL"), a_post_about(2, "Keyboards"), a_post_about(3, "Cheese")])
        form = rows_of(("PostgreSQL", "", "high"), ("Cheese", "Gouda"), min_relevance_score="75", do="try")
        async with at_nine(database) as visitor:
            answer = await visitor.post(f"{HERE}/interests", form)
        assert (await stored(database)).interests_version == 1
    text = answer.page.text
    assert "2 of 3 articles would have been relevant: 1 gained , 1 lost against the interests in use" in text
    assert "PostgreSQL 1 Cheese 1 Gained 1 Cheese in practice, note3" in text
    lost = text.partition("Lost 1 ")[2].partition("All relevant 2")[0]
    assert re.match(r"Keyboards in practice, note2 .* (below the minimum score|matches no topic)", lost)
    assert re.search(r"was [6-9]\d", lost)
    assert 'value="Cheese"' in answer.text


async def test_interests_of_a_new_curator_are_tried_before_it_is_added(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([a_post_about(1, "PostgreSQL"), a_post_about(2, "Keyboards")])
        form = rows_of(
            ("Keyboards", "keycap"), slug="keys", collections="world_news", do="try", min_relevance_score="60"
        )
        async with at_nine(database) as visitor:
            answer = await visitor.post("/curators/new", form)
            elsewhere = await visitor.post("/curators/new", form | {"collections": "china_news"})
            assert (await visitor.get("/curators/keys")).status == 404
    assert "1 of 2 articles would have been relevant. Scored by the local scorer" in answer.page.text
    assert "All relevant 1 Keyboards in practice, note2" in answer.page.text
    assert "so that nothing can be tried" in elsewhere.page.text


async def test_thumbs_are_kept_shown_with_their_effect_and_taken_back(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"), a_post_about(2, "PostgreSQL"))
        async with at_nine(database) as visitor:
            forms = [form.get("action", "") for form in (await visitor.get(HERE)).page.attributes("form")]
            (first, second) = [action for action in forms if "/labels/" in action]
            answer = await visitor.post(first, {"thumb": "down"})
            await visitor.post(second, {"thumb": "down"})
            labelled = (await visitor.get(HERE)).page
            seen_by_reader = await visitor.get(HERE)
            await visitor.post(first, {"thumb": "none"})
            after = (await visitor.get(HERE)).page
            missing = (await visitor.post(first, {"thumb": "none"})).status
        async with database.connection() as conn:
            kept = await curators.list_labels(conn, (await stored(database)).topic_id)
    number = first.rpartition("/")[2]
    assert (answer.status, answer.headers["Location"]) == (303, f"{HERE}#article-{number}")
    (changed,) = {*re.findall(r"score (\d+) → (\d+) with 2 labels", labelled.text)}
    assert int(changed[0]) > int(changed[1])
    assert "2 labels tune the local scorer" in labelled.text
    assert f'id="article-{number}"' in seen_by_reader.text
    assert "1 label tunes" in after.text
    assert "with 2 labels" not in after.text
    assert (missing, [(each.is_wanted, each.labelled_by.split()[0]) for each in kept]) == (404, [(False, "editor")])


async def test_a_label_returns_to_the_filtered_list(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "Cheese"))
        async with at_nine(database) as visitor:
            page = (await visitor.get(f"{HERE}?day={TODAY}&state=rejected")).page
            (action,) = [form["action"] for form in page.attributes("form") if "/labels/" in form.get("action", "")]
            answer = await visitor.post(action, {"thumb": "up"})
    assert answer.headers["Location"].startswith(f"{HERE}?day={TODAY}&state=rejected#article-")


async def test_the_page_of_a_curators_topic_leads_to_the_curator(database, tmp_path):
    async with a_curator(database, tmp_path), at_nine(database, role="reader") as visitor:
        assert HERE in (await visitor.get(f"/topics/{SLUG}")).page.links()
