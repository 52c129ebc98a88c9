"""Curators: what they evaluate, post and remember."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from builders import FIRE, FIRE_AGAIN
from curating import INTERESTS, KINDS, NINE, SLUG, TODAY, a_curator, a_post_about
from scoop.actions import curators as actions
from scoop.core.budgets import Budget
from scoop.core.interests import Interest, Interests
from scoop.embedders import local as embedder
from scoop.errors import Conflict, Retry
from scoop.stages import curate, curated_digest, digest
from scoop.store import alerts, curators, evaluations, topics
from scoop.writers.local import MODEL

DAY = timedelta(days=1)


def states(met):
    return {word: (each.state, each.reason) for word, each in met.items()}


async def test_the_best_articles_are_posted_with_score_topics_and_reason(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go"), a_post_about(3, "Cheese")])
        entries = await desk.post()
        assert [entry.rank for entry in entries] == [1, 2]
        assert entries[0].relevance.topics == ("PostgreSQL",)
        assert entries[0].relevance.score == sum(entries[0].score_parts.values())
        (posted,) = desk.files().values()
        assert "about PostgreSQL. The other article is about Go." in " ".join(posted.split())
        assert f"**{entries[0].relevance.score}/100 · PostgreSQL**" in posted
        assert "Cheese" not in posted
        assert states(await desk.met()) == {
            "note1": ("notified", None),
            "note2": ("notified", None),
            "note3": ("rejected", "no_topic_match"),
        }


async def test_nothing_is_evaluated_twice(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Cheese")])
        await desk.evaluate([a_post_about(3, "Go")])
        await desk.evaluate()
        assert len(desk.desk.calls) == 3


async def test_the_next_day_never_repeats_and_may_post_what_was_left(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(number, "PostgreSQL", hours_ago=5 + number) for number in range(1, 6)])
        first = [entry.title for entry in await desk.post() if entry.rank]
        again = [entry.title for entry in await desk.post(TODAY + DAY) if entry.rank]
        assert (len(first), len(again), set(first) & set(again)) == (3, 2, set())
        assert len(desk.desk.calls) == 5
        assert [entry for entry in await desk.post(TODAY + 2 * DAY) if entry.rank] == []
        assert "nothing new today" in list(desk.files().values())[-1]


async def test_an_article_that_is_no_longer_fresh_is_not_posted(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL", hours_ago=60)])
        assert [entry.rank for entry in await desk.post(TODAY + 3 * DAY)] == []


async def test_the_same_article_under_another_address_counts_as_known(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        copied = a_post_about(1, "PostgreSQL", source="mirror") | {
            "source_item_id": "copy-1",
            "canonical_url": "https://mirror.example/copy",
        }
        await desk.post()
        await desk.evaluate([copied])
        assert len(desk.desk.calls) == 1
        assert [entry for entry in await desk.post(TODAY + DAY) if entry.rank] == []


@pytest.mark.parametrize("body", ["", "Subscribe to read this."])
async def test_an_article_without_a_text_is_rejected_and_costs_nothing(database, tmp_path, body):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL") | {"body_text": body}])
        found = (await desk.met())["note1"]
        assert (found.state, found.reason, found.relevance_score) == ("rejected", "content_extraction_failed", None)
        assert desk.desk.calls == []


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_copy_behind_a_wall_does_not_hide_the_readable_one(is_first, database, tmp_path):
    readable = a_post_about(1, "PostgreSQL", hours_ago=4, source="mirror") | {
        "source_item_id": "copy-1",
        "canonical_url": "https://mirror.example/copy",
    }
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([a_post_about(1, "PostgreSQL")])
        await desk.desk.rows("UPDATE documents SET content_problem = 'paywall' RETURNING 1")
        if is_first:
            await desk.evaluate()
            assert states(await desk.met()) == {"note1": ("rejected", "content_extraction_failed")}
        await desk.evaluate([readable])
        await desk.evaluate()
        (entry,) = [entry for entry in await desk.post() if entry.rank]
        assert (entry.url, len(desk.desk.calls)) == ("https://mirror.example/copy", 1)


async def test_new_copies_of_known_articles_do_not_hide_older_ones_that_are_new(database, tmp_path, monkeypatch):
    monkeypatch.setattr(curate, "MAX_LOOKED_UP", 3)
    known = [a_post_about(number, "PostgreSQL", hours_ago=3) for number in range(1, 6)]
    async with a_curator(database, tmp_path) as desk:
        for article in known:
            await desk.evaluate([article])
        # Each story is now represented by a copy of another outlet, which came earlier.
        copies = [
            a_post_about(number, "PostgreSQL", hours_ago=4, source="mirror")
            | {"source_item_id": f"copy-{number}", "canonical_url": f"https://mirror.example/{number}"}
            for number in range(1, 6)
        ]
        await desk.evaluate([*copies, a_post_about(6, "Go", hours_ago=60)])
        assert "note6" in await desk.met()
        assert len(desk.desk.calls) == 6


@pytest.mark.parametrize("fault", ["wrong-sum", "foreign-topic", "long-summary", "obedient", "bad-json"])
async def test_a_reply_that_breaks_the_rules_is_repaired_once(database, tmp_path, fault):
    async with a_curator(database, tmp_path) as desk:
        desk.desk.script.append(fault)
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        assert len(desk.desk.calls) == 2
        assert (await desk.met())["note1"].state == "relevant"
        assert "evil" not in str(await desk.met())


async def test_an_article_whose_replies_stay_wrong_waits_with_the_reason(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        desk.desk.script.extend(["wrong-sum"] * 2)
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        await desk.evaluate([a_post_about(2, "Go")])
        assert {word: each.state for word, each in (await desk.met()).items()} == {
            "note1": "waiting",
            "note2": "relevant",
        }
        (failed,) = await desk.desk.rows("SELECT error FROM work WHERE stage = 'write'")
        assert "the sum of its parts" in failed["error"]


async def test_an_article_by_a_machine_has_no_points(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        desk.desk.script.append("by-machine")
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        found = (await desk.met())["note1"]
        assert (found.state, found.reason, found.relevance_score, found.is_ai_generated) == (
            "rejected",
            "low_relevance",
            0,
            True,
        )


async def test_interests_are_read_from_a_file_at_every_run_and_the_last_valid_ones_stay(database, tmp_path):
    file = tmp_path / "interests.toml"
    file.write_text('[[topics]]\ntopic = "PostgreSQL"\npriority = "high"\n')
    async with a_curator(database, tmp_path, interests_from=str(file)) as desk:
        await desk.look()
        file.write_text('[[topics]]\ntopic = "PostgreSQL"\npriority = "urgent"\n')
        await desk.look()
        async with database.connection() as conn:
            curator = await curators.by_slug(conn, SLUG)
            (alert,) = await alerts.latest(conn, with_resolved=False, limit=9)
        assert curator.interests.topics == (Interest(topic="PostgreSQL", priority="high"),)
        assert curator.problem.startswith("line 3: topics[1].priority: 'urgent' must be one of high, medium, low")
        assert curator.problem in alert.message
        assert "the last valid version stays in use" in alert.message
        file.write_text('topics = ["Go"]\n')
        await desk.look()
        async with database.connection() as conn:
            curator = await curators.by_slug(conn, SLUG)
            assert (curator.problem, curator.interests_version) == (None, 2)
            assert await alerts.latest(conn, with_resolved=False, limit=9) == []
            assert [each.version for each in await curators.list_versions(conn, curator.topic_id)] == [2, 1]


FILE = """
name = "Databases at eight"
cron = "0 8 * * *"
timezone = "Europe/Berlin"
collections = ["ai_news"]
sources = ["tribune"]
freshness_days = 5
topics = ["Go"]
"""


async def test_settings_in_the_file_hold_at_every_run_and_are_changed_only_there(database, tmp_path):
    file = tmp_path / "interests.toml"
    file.write_text(FILE)
    async with a_curator(database, tmp_path, interests_from=str(file)) as desk:
        await desk.look()
        async with database.transaction() as conn:
            topic, curator = await topics.by_slug(conn, SLUG), await curators.by_slug(conn, SLUG)
            assert (topic.topic_name, topic.digest_cron, topic.timezone, topic.collections, curator.freshness_days) == (
                "Databases at eight",
                "0 8 * * *",
                "Europe/Berlin",
                ["ai_news"],
                5,
            )
            assert [rule.source for rule in topic.source_rules] == ["tribune"]
            with pytest.raises(Conflict, match=r"cron: picks reads this from .*interests.toml; change it there"):
                await actions.change(conn, SLUG, {"name": "Databases at eight", "cron": "0 7 * * *"})
            await actions.change(conn, SLUG, {"language": "ja"})
        file.write_text(FILE.replace("0 8 * * *", "0 25 * * *"))
        await desk.look()
        async with database.connection() as conn:
            assert (await curators.by_slug(conn, SLUG)).problem.startswith("line 3: cron: ")
            assert (await topics.by_slug(conn, SLUG)).digest_cron == "0 8 * * *"


async def test_interests_that_are_no_longer_read_from_a_file_have_no_problem(database, tmp_path):
    file = tmp_path / "interests.toml"
    file.write_text("topics = [")
    async with a_curator(database, tmp_path, interests_from=str(file)) as desk:
        await desk.look()
        async with database.transaction() as conn:
            assert len(await alerts.latest(conn, with_resolved=False, limit=9)) == 1
            curator = await actions.change(conn, SLUG, {"interests_from": None})
            assert curator.problem is None
            await actions.put_interests(conn, SLUG, INTERESTS, origin="api")
        await desk.look()
        async with database.connection() as conn:
            assert await alerts.latest(conn, with_resolved=False, limit=9) == []


async def test_a_file_that_is_missing_is_a_problem_that_names_it(database, tmp_path):
    async with a_curator(database, tmp_path, interests_from=str(tmp_path / "gone.toml")) as desk:
        await desk.look()
        async with database.connection() as conn:
            assert "gone.toml" in (await curators.by_slug(conn, SLUG)).problem


async def test_a_changed_minimum_needs_no_new_evaluation_of_what_is_known(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "Cheese")])
        async with database.transaction() as conn:
            curator = await curators.by_slug(conn, SLUG)
            await curators.put_interests(
                conn, curator.topic_id, Interests(topics=(Interest(topic="Cheese"),)), origin="page"
            )
        await desk.evaluate()
        assert len(desk.desk.calls) == 1


async def test_what_was_evaluated_is_judged_by_changed_interests_without_another_evaluation(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go"), a_post_about(3, "Cheese")])
        (score,) = {each.relevance_score for word, each in (await desk.met()).items() if word == "note2"}
        changed = [
            (replace(INTERESTS, topics=INTERESTS.topics[:1]), "relevant", "no_topic_match"),
            (replace(INTERESTS, min_relevance_score=100), "low_relevance", "low_relevance"),
            (replace(INTERESTS, min_relevance_score=score), "relevant", "relevant"),
        ]
        for wanted, one, two in changed:
            async with database.transaction() as conn:
                await actions.put_interests(conn, SLUG, wanted, origin="api")
            met = {word: each.reason or each.state for word, each in (await desk.met()).items()}
            assert met == {"note1": one, "note2": two, "note3": "no_topic_match"}
        await desk.evaluate()
        assert len(desk.desk.calls) == 3


async def test_changed_topics_let_the_local_scorer_score_its_fresh_articles_again(database, tmp_path):
    def interests(*topics):
        return replace(INTERESTS, topics=tuple(Interest(topic=topic) for topic in topics))

    async with a_curator(database, tmp_path) as desk:
        local = desk.desk.writer("local")

        async def judged():
            await desk.desk.write(local)
            return {word: each.state for word, each in (await desk.met()).items()}

        await desk.gather([a_post_about(number, topic) for number, topic in enumerate(("PostgreSQL", "Cheese"), 1)])
        await desk.desk.rows("UPDATE documents SET seen_at = now() RETURNING 1")
        await desk.look()
        assert await judged() == {"note1": "relevant", "note2": "rejected"}
        for topics_in_use, states_then in (
            (("Cheese",), {"note1": "rejected", "note2": "relevant"}),
            (("PostgreSQL", "Cheese"), {"note1": "relevant", "note2": "relevant"}),
        ):
            async with database.transaction() as conn:
                await actions.put_interests(conn, SLUG, interests(*topics_in_use), origin="api")
            assert await judged() == states_then
        await desk.desk.rows("UPDATE documents SET seen_at = now() - interval '4 days' RETURNING 1")
        async with database.transaction() as conn:
            await actions.put_interests(conn, SLUG, interests("Ferries"), origin="api")
        assert await judged() == {"note1": "rejected", "note2": "rejected"}
        assert desk.desk.calls == []


PUT_VECTOR = """
INSERT INTO document_embeddings
    (document_id, collection, seen_at, text_hash, model_name, model_version, embedding, service_endpoint)
SELECT document_id, collection, seen_at, content_hash, $1, $2, $3::real[]::vector, 'local' FROM documents
ON CONFLICT ON CONSTRAINT uq_document_embeddings_doc_model DO UPDATE SET embedding = excluded.embedding RETURNING 1
"""


async def test_the_local_scorer_uses_the_vectors_that_the_desk_has(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        local = desk.desk.writer("local")

        async def scored() -> int:
            async with database.transaction() as conn:
                for topic in ("Ferries", "relational databases"):
                    interests = replace(INTERESTS, topics=(Interest(topic=topic),))
                    await actions.put_interests(conn, SLUG, interests, origin="api")
            await desk.desk.write(local)
            return (await desk.met())["note1"].relevance_score

        await desk.gather([a_post_about(1, "PostgreSQL")])
        await desk.desk.rows("UPDATE documents SET seen_at = now() RETURNING 1")
        await desk.look()
        scores = []
        for text in ("Ferries cross the bay in winter", "Relational databases"):
            (vector,) = embedder.encode([text]).tolist()
            await desk.desk.rows(PUT_VECTOR, *MODEL.values(), vector)
            scores.append(await scored())
        assert scores[0] < scores[1]


async def test_an_article_whose_post_is_on_its_way_is_not_chosen_again(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(number, "PostgreSQL", hours_ago=5 + number) for number in range(1, 6)])
        await desk.make(publish=True)
        async with database.transaction() as conn:
            await actions.put_interests(conn, SLUG, replace(INTERESTS, min_relevance_score=100), origin="api")
            await actions.put_interests(conn, SLUG, INTERESTS, origin="api")
        again = [entry.title for entry in await desk.post(TODAY + DAY) if entry.rank]
        posted = [line for text in desk.files().values() for line in text.splitlines() if line.startswith("## ")]
        assert (len(again), len(posted), len(set(posted))) == (2, 5, 5)
        assert {each.state for each in (await desk.met()).values()} == {"notified"}


async def test_an_article_that_became_old_while_it_waited_is_dropped_unpaid(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([a_post_about(1, "PostgreSQL", hours_ago=70)])
        await desk.look()
        desk.now = NINE + timedelta(hours=3)
        await desk.evaluate([a_post_about(2, "Go")])
        assert states(await desk.met()) == {"note2": ("relevant", None)}
        assert len(desk.desk.calls) == 1


async def test_a_digest_does_not_wait_for_articles_that_have_to_wait_until_tomorrow(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        desk.desk.budget = Budget(requests_per_day=1, tokens_per_day=0, money_per_day=0, requests_per_minute=0)
        desk.desk.now = NINE - timedelta(hours=1)
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go")])
        assert sorted(each.state for each in (await desk.met()).values()) == ["relevant", "waiting"]
        async with database.connection() as conn:
            curator, now = await curators.by_slug(conn, SLUG), datetime.now(UTC)
            await curated_digest.wait_until_evaluated(conn, curator, due=now, now=now)
            await conn.execute("UPDATE work SET due_at = now() WHERE stage = 'write'")
            with pytest.raises(Retry, match="1 articles of picks wait"):
                await curated_digest.wait_until_evaluated(conn, curator, due=now, now=now)


async def test_the_message_in_discord_is_kept_though_another_channel_was_first(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        await desk.make(publish=True)
        await desk.send()
        async with database.transaction() as conn:
            post_id = await conn.fetchval(SECOND_CHANNEL)
            for message_id in ("not-a-snowflake", "1234567890123456789", "9999999999999999999"):
                await conn.execute("UPDATE posts SET message_id = $2 WHERE post_id = $1", post_id, message_id)
                await evaluations.mark_notified(conn, post_id, is_discord=True)
        assert (await desk.met())["note1"].discord_message_id == "1234567890123456789"


SECOND_CHANNEL = """
    INSERT INTO posts (digest_run_id, topic_id, run_date, channel, kind, options, part_no, parts, key, marker, payload,
        story_ids)
    SELECT digest_run_id, topic_id, run_date, 'team', 'discord_webhook', '{}', 1, 1, key || 'x', 'm', payload, story_ids
    FROM posts RETURNING post_id
"""


async def test_a_story_that_was_posted_before_it_was_merged_is_not_posted_again(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go")])
        async with database.transaction() as conn:
            await conn.execute(
                "UPDATE evaluations SET state = 'rejected', reason = 'low_relevance' WHERE article_title LIKE 'Go%'"
            )
        await desk.post()
        await desk.desk.rows(MERGE)
        await desk.desk.rows("DELETE FROM evaluations RETURNING 1")
        await desk.evaluate()
        assert await desk.met() == {}
        assert len(desk.desk.calls) == 2


async def test_a_story_that_is_merged_while_its_post_is_on_its_way_is_marked_as_notified(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Cheese")])
        await desk.make(publish=True)
        await desk.desk.rows(MERGE.replace("Go%", "Cheese%"))
        await desk.send()
        states = await desk.desk.rows("SELECT article_title, state FROM evaluations")
    assert {each["article_title"].split()[0]: each["state"] for each in states} == {
        "PostgreSQL": "notified",
        "Cheese": "rejected",
    }


MERGE = """
    WITH gone AS (SELECT story_id FROM stories WHERE canonical_title LIKE 'PostgreSQL%'),
        stays AS (SELECT story_id FROM stories WHERE canonical_title LIKE 'Go%'),
        moved AS (
            UPDATE story_members SET story_id = (SELECT story_id FROM stays)
            WHERE story_id = (SELECT story_id FROM gone))
    UPDATE stories SET status = 'merged', merged_into = (SELECT story_id FROM stays)
    WHERE story_id = (SELECT story_id FROM gone) RETURNING 1
"""


async def test_a_suppressed_article_is_not_posted(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go")])
        async with database.transaction() as conn:
            ((story_id,),) = await conn.fetch("SELECT story_id FROM stories WHERE canonical_title LIKE 'PostgreSQL%'")
            await topics.suppress(conn, await topics.by_slug(conn, SLUG), story_id, "an advertisement")
        assert [entry.title[:2] for entry in await desk.post() if entry.rank] == ["Go"]


async def test_a_corrected_post_no_longer_names_the_suppressed_article(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go")])
        run_id = await desk.make(publish=True)
        await desk.send()
        assert "PostgreSQL in practice" in next(iter(desk.files().values()))
        async with database.transaction() as conn:
            topic = await topics.by_slug(conn, SLUG)
            ((story_id,),) = await conn.fetch("SELECT story_id FROM stories WHERE canonical_title LIKE 'PostgreSQL%'")
            await topics.suppress(conn, topic, story_id, "withdrawn")
            assert await digest.correct(conn, topic, run_id, KINDS) == 1
        await desk.send()
        (posted,) = desk.files().values()
        assert "Go in practice" in posted
        assert "PostgreSQL" not in posted


async def test_a_japanese_curator_posts_in_japanese(database, tmp_path):
    async with a_curator(database, tmp_path, language="ja") as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go")])
        await desk.post()
        await desk.post(TODAY + DAY)
        first, empty = desk.files().values()
        assert "2026年11月17日（火） · 新着2本" in first
        assert "ほかにGoに関する記事が1本あります。" in first
        assert "必読" in first
        assert "2026年11月18日（水） · 本日の新着記事なし" in empty


async def test_one_event_is_posted_by_one_article(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([])
        fires = [
            a_post_about(1, "x") | FIRE | {"source": "tribune"},
            a_post_about(2, "x") | FIRE_AGAIN | {"source": "post", "canonical_url": "https://post.example/2"},
        ]
        async with database.transaction() as conn:
            curator = await curators.by_slug(conn, SLUG)
            fire = Interest(topic="fire")
            await curators.put_interests(
                conn,
                curator.topic_id,
                Interests(topics=(fire,), min_relevance_score=10),
                origin="page",
            )
        await desk.evaluate(fires)
        await desk.post()
        await desk.post(TODAY + DAY)
        met = await desk.desk.rows("SELECT state::text FROM evaluations")
        assert [each["state"] for each in met].count("notified") == 1


async def test_memory_is_forgotten_when_its_time_is_over_and_no_story_is_posted_again(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Cheese")])
        await desk.post()
        await desk.desk.rows("UPDATE evaluations SET evaluated_at = now() - interval '31 days' RETURNING 1")
        async with database.connection() as conn:
            await curate.forget(conn, now=desk.desk.now)
        assert set(states(await desk.met())) == {"note1"}
        await desk.desk.rows(
            "UPDATE evaluations SET notified_at = now() - interval '91 days' WHERE state = 'notified' RETURNING 1"
        )
        async with database.connection() as conn:
            await curate.forget(conn, now=desk.desk.now)
        assert await desk.met() == {}
        await desk.evaluate()
        assert states(await desk.met()) == {"note2": ("rejected", "no_topic_match")}
        assert [entry for entry in await desk.post(TODAY + DAY) if entry.rank] == []
