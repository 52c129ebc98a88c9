"""Lessons in Cosmos DB, read as other programs read them: with the vendor's client."""

from datetime import date, timedelta

import pytest

from projections import learners
from projections.learners import LEVELS, ListeningDesk
from scoop.core.secrets import Secret
from scoop.errors import ConfigError, Retry

TODAY = date(2026, 11, 15)
HOME = (
    "SELECT c.id, c.title, c.source, c.url, c.publishedAt, c.fetchedAt FROM c "
    "WHERE c.type = 'article' AND c.dayKey = @day"
)


def home(desk: ListeningDesk) -> list[dict]:
    """The articles of the last seven days: a query for each partition, merged by date.

    The day is in the query too, because the emulator looks into every partition.
    """
    found = []
    for days in range(7):
        day = (TODAY - timedelta(days=days)).isoformat()
        found += desk.container("articles").query_items(
            HOME, parameters=[{"name": "@day", "value": day}], partition_key=day
        )
    return sorted(found, key=lambda article: article["publishedAt"] or article["fetchedAt"], reverse=True)


# The query patterns of the contract


async def test_the_home_list_has_the_articles_of_seven_days_the_newest_first(listening):
    await listening.add_articles("2026-11-15T03:00:00Z", "2026-11-09T03:00:00Z", "2026-11-08T03:00:00Z")
    await listening.sync()
    assert [article["title"] for article in home(listening)] == ["Bridge 0 opens", "Bridge 1 opens"]


async def test_an_article_is_in_the_partition_of_its_day_in_japan(listening):
    [article_id] = await listening.add_articles("2026-11-14T16:30:00Z")
    await listening.sync()
    article = listening.container("articles").read_item(article_id, partition_key="2026-11-15")
    assert (article["type"], article["publishedAt"]) == ("article", "2026-11-14T16:30:00.000Z")


async def test_a_generated_text_is_read_by_its_article_and_level(listening):
    [article_id] = await listening.add_articles("2026-11-15T03:00:00Z")
    for level in LEVELS:
        await listening.add_lesson(article_id, level, f"A text at {level}.")
    await listening.sync()
    text = listening.container("generated_texts").read_item(f"{article_id}:B1", partition_key=article_id)
    assert (text["generatedText"], text["promptVersion"], text["level"]) == ("A text at B1.", "v1.0", "B1")
    assert text["textId"] == f"{article_id}#B1"
    assert len(list(listening.container("generated_texts").read_all_items())) == len(LEVELS)


async def test_the_settings_of_a_user_follow_a_change_of_level(listening):
    user = await listening.add_learner("ann", "A2")
    await listening.sync()
    assert listening.container("users").read_item(user, partition_key=user)["level"] == "A2"
    await listening.execute("UPDATE learners SET level = 'B2', updated_at = now()")
    await listening.sync()
    assert listening.container("users").read_item(user, partition_key=user)["level"] == "B2"


async def test_the_state_of_the_update_is_one_document(listening):
    await listening.end_update(saved=9)
    await listening.sync()
    await listening.end_update(saved=10)
    await listening.sync()
    [state] = listening.container("system").read_all_items()
    assert (state["id"], state["type"], state["jobName"]) == ("news_update_state", "job_state", "news_update")
    assert (state["saved"], state["skippedDuplicates"], state["lastRunDateJst"]) == (10, 2, "2026-11-15")


# What changes


async def test_a_corrected_date_moves_an_article_and_leaves_no_twin(listening):
    [article_id] = await listening.add_articles("2026-11-15T03:00:00Z")
    await listening.sync()
    await listening.execute("UPDATE documents SET published_at = '2026-11-12T03:00:00Z', updated_at = now()")
    await listening.sync()
    assert [key for key in listening.documents() if key.startswith("articles/")] == [
        f"articles/2026-11-12/{article_id}"
    ]


async def test_a_learner_who_leaves_is_deleted(listening):
    await listening.add_learner("ann", "A2")
    await listening.sync()
    assert len(listening.documents()) == 1
    await listening.execute("DELETE FROM learners")
    await listening.sync()
    assert listening.documents() == {}


async def test_a_rebuild_gives_the_same_and_removes_what_does_not_belong(listening):
    [article_id] = await listening.add_articles("2026-11-15T03:00:00Z")
    await listening.add_lesson(article_id, "A1", "A short text.")
    await listening.add_learner("ann", "A2")
    await listening.end_update()
    await listening.sync()
    before = listening.documents()
    assert len(before) == 5  # with the metadata of the sentiment cache
    other = ListeningDesk(listening.database, listening.endpoint, learners.a_projection(listening.endpoint))
    await other.sync()
    assert other.documents() == before


# Settings


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"base_url": ""}, "SCOOP_PROJECTIONS_COSMOS_BASE_URL"),
        ({"base_url": "documents.azure.com"}, "SCOOP_PROJECTIONS_COSMOS_BASE_URL"),
        ({"key": None}, "SCOOP_PROJECTIONS_COSMOS_KEY"),
        ({"database": "a/b"}, "database"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(options, named):
    with pytest.raises(ConfigError, match=named):
        learners.a_projection("http://127.0.0.1:1", **options)


async def test_containers_are_created_only_if_the_settings_say_so(cosmos_server):
    with pytest.raises(ConfigError, match="SCOOP_PROJECTIONS_COSMOS_CREATE_CONTAINERS"):
        await learners.a_projection(cosmos_server, create_containers=False).prepare()


async def test_a_server_that_is_down_is_tried_again():
    with pytest.raises(Retry, match="no answer"):
        await learners.a_projection("http://127.0.0.1:9", key=Secret(learners.KEY)).prepare()
