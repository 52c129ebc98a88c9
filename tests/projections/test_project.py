"""Changes, moves, deletions, crashes and rebuilds of a projection; the table is that of the vendor's protocol."""

import asyncio
from datetime import UTC, datetime

import pytest

from builders import an_item
from projections.tables import ProjectedDesk, a_projection
from projections.test_access_patterns import add_source, fail_page, publish
from scoop.errors import ConfigError, Retry
from scoop.stages import project
from scoop.stages.stage import Worker, run_batch
from scoop.store import projections as store
from scoop.store import sources, work
from web.visitor import visiting


async def articles(desk):
    return [item for (_, sort), item in sorted(desk.items().items()) if sort.startswith("ARTICLE#")]


async def test_a_corrected_date_or_title_leaves_one_item(desk):
    await publish(desk, an_item(1), an_item(2))
    await desk.sync()
    await publish(desk, an_item(1, published_at="2026-11-10T08:00:00Z", title="The bridge opens"))
    await desk.sync()
    found = await articles(desk)
    assert [(item["title"], item["publishedAt"]) for item in found] == [
        ("The bridge opens", "2026-11-10T08:00:00.000000Z"),
        ("Bridge number 2 stays closed", "2026-11-14T12:00:00.000000Z"),
    ]


async def test_a_corrected_address_leaves_one_item(desk):
    await publish(desk, an_item(1))
    await desk.sync()
    await publish(desk, an_item(1, canonical_url="https://tribune.example/moved"))
    await desk.sync()
    assert [item["url"] for item in await articles(desk)] == ["https://tribune.example/moved"]


async def test_two_items_of_a_site_with_one_address_are_one_article(desk):
    same = "https://tribune.example/same"
    await publish(
        desk,
        an_item(1, canonical_url=same, published_at="2026-11-12T12:00:00Z"),
        an_item(2, canonical_url=same, published_at="2026-11-13T12:00:00Z"),
    )
    await desk.sync()
    assert [item["title"] for item in await articles(desk)] == ["Bridge number 1 stays closed"]
    await publish(desk, an_item(1, canonical_url="https://tribune.example/own", published_at="2026-11-12T12:00:00Z"))
    await desk.sync()
    assert {item["url"]: item["title"] for item in await articles(desk)} == {
        same: "Bridge number 2 stays closed",
        "https://tribune.example/own": "Bridge number 1 stays closed",
    }


async def test_an_unchanged_item_is_not_written_again(desk):
    await publish(desk, an_item(1))
    await desk.sync()
    written = await desk.value("SELECT items_written FROM projection_feeds WHERE subject_kind = 'article'")
    await desk.execute("UPDATE documents SET updated_at = now()")
    await desk.sync()
    assert await desk.value("SELECT items_written FROM projection_feeds WHERE subject_kind = 'article'") == written


async def test_a_removed_source_leaves_no_site_and_keeps_its_articles(desk):
    await publish(desk, an_item(1))
    await add_source(desk, "tribune")
    await desk.sync()
    async with desk.database.connection() as conn:
        await sources.remove(conn, "tribune")
    await desk.sync()
    assert desk.query("SITE#tribune", "METADATA") == []
    assert len(await articles(desk)) == 1


async def test_hidden_articles_leave_the_table_and_come_back(desk):
    await publish(desk, an_item(1), an_item(2, source="akari", canonical_url="https://akari.example/2"))
    await desk.sync()
    before = await articles(desk)
    await desk.execute("INSERT INTO hidden_sources (source, collection) VALUES ('akari', 'world_news')")
    await desk.sync()
    assert [item["siteId"] for item in await articles(desk)] == ["tribune"]
    await desk.execute("DELETE FROM hidden_sources")
    await desk.sync()
    assert await articles(desk) == before


async def test_expired_runs_leave_the_table(desk):
    await publish(desk, an_item(1))
    await desk.sync()
    assert [key for key in desk.items() if key[1].startswith("CRAWL#")] != []
    await desk.execute("UPDATE projected_items SET expires_at = now() - interval '1 minute' WHERE expires_at > now()")
    await desk.execute("UPDATE ingest_runs SET started_at = now() - interval '91 days', finished_at = now()")
    await desk.execute("UPDATE projection_feeds SET swept_at = 'epoch'")
    await desk.sync()
    assert [key for key in desk.items() if key[1].startswith("CRAWL#")] == []


async def test_a_change_that_commits_late_is_not_missed(desk):
    await publish(desk, an_item(1), an_item(2))
    await desk.sync()
    async with desk.database.connection() as slow:
        late = slow.transaction()
        await late.start()
        await slow.execute("UPDATE documents SET title = 'Corrected late' WHERE source_item_id = 'item-1'")
        await desk.execute("UPDATE documents SET title = 'Corrected soon' WHERE source_item_id = 'item-2'")
        await asyncio.sleep(1.2)
        async with desk.database.connection() as conn:
            await project.schedule(conn, [desk.projection])
            member = Worker(await work.register_worker(conn), conn)
            while await run_batch(desk.stage(), member):
                pass
        await late.commit()
    await desk.sync()
    assert {item["title"] for item in await articles(desk)} == {"Corrected late", "Corrected soon"}


async def test_small_pages_lead_to_the_same_table(desk, database):
    await publish(desk, *(an_item(number) for number in range(7)))
    await desk.sync(page=2)
    other = ProjectedDesk(database, desk.endpoint, a_projection(desk.endpoint))
    await desk.execute("TRUNCATE projection_feeds, projected_items")
    await other.sync()
    assert len(desk.items()) > 7
    assert desk.items() == other.items()


async def test_another_table_gets_everything(desk, database):
    await publish(desk, an_item(1))
    await desk.sync()
    other = ProjectedDesk(database, desk.endpoint, a_projection(desk.endpoint))
    await other.sync()
    assert other.items() == desk.items()


async def test_a_write_that_was_cut_off_leaves_no_twin(desk):
    """The process dies after the item was written to its new key, and the date changes again before the next try."""
    await publish(desk, an_item(1))
    await desk.sync()
    await publish(desk, an_item(1, published_at="2026-11-10T08:00:00Z"))
    await asyncio.sleep(1.1)
    async with desk.database.connection() as conn:
        feed_id = await conn.fetchval("SELECT feed_id FROM projection_feeds WHERE subject_kind = 'article'")
        projecting = project.Projecting({desk.projection.name: desk.projection})
        await projecting.work(await projecting.load(conn, [feed_id]))
    await publish(desk, an_item(1, published_at="2026-11-11T08:00:00Z"))
    await desk.sync()
    assert [item["publishedAt"] for item in await articles(desk)] == ["2026-11-11T08:00:00.000000Z"]


async def test_a_rebuild_restores_lost_items_and_deletes_unknown_ones(desk):
    await publish(desk, *(an_item(number) for number in range(3)))
    await fail_page(desk, 1, minutes=5)
    await desk.sync()
    before = desk.items()
    lost = next(key for key in before if key[1].startswith("ARTICLE#2026"))
    desk.table.delete_item(Key=dict(zip(("PK", "SK"), lost, strict=True)))
    desk.table.put_item(Item={"PK": "SITE#nobody", "SK": "METADATA"})
    desk.table.put_item(Item={"PK": "OTHER#program", "SK": "x"})
    async with desk.database.connection() as conn:
        await store.reset(conn, desk.projection.name)
    await desk.sync()
    async with desk.database.connection() as conn:
        assert await project.delete_unknown(conn, desk.projection) == 1
    foreign = {("OTHER#program", "x")}
    assert {key: item for key, item in desk.items().items() if key not in foreign} == before
    assert desk.items().keys() - before.keys() == foreign


async def test_a_worker_that_began_before_a_rebuild_does_not_move_the_cursor(desk):
    await publish(desk, an_item(1))
    await asyncio.sleep(1.1)
    async with desk.database.connection() as conn:
        await project.schedule(conn, [desk.projection])
        feed_id = await conn.fetchval("SELECT feed_id FROM projection_feeds WHERE subject_kind = 'article'")
        projecting = project.Projecting({desk.projection.name: desk.projection})
        batches = (await projecting.work(await projecting.load(conn, [feed_id]))).output
        await store.reset(conn, desk.projection.name)
        with pytest.raises(Exception, match="is being rebuilt"):
            async with conn.transaction():
                await project.save(conn, batches)
        assert await conn.fetchval("SELECT cursor_id FROM projection_feeds WHERE feed_id = $1", feed_id) == 0


async def test_an_article_that_the_store_cannot_hold_is_counted_and_blocks_no_other(desk):
    await publish(desk, an_item(1), an_item(2))
    await desk.execute(
        "UPDATE documents SET tags = array_fill(repeat('x', 1000), ARRAY[500]) WHERE source_item_id = 'item-1'"
    )
    await desk.sync()
    assert [item["title"] for item in await articles(desk)] == ["Bridge number 2 stays closed"]
    async with desk.database.connection() as conn:
        assert [state.problems for state in await store.list_states(conn) if state.subject_kind == "article"] == [1]
    await desk.execute("UPDATE documents SET tags = '{}'")
    await desk.sync()
    assert len(await articles(desk)) == 2
    assert await desk.value("SELECT count(*) FROM projected_items WHERE problem IS NOT NULL") == 0


async def test_a_missing_table_is_reported_with_what_to_do(desk, dynamodb_server):
    projection = a_projection(dynamodb_server, create_table=False)
    with pytest.raises(ConfigError, match="SCOOP_PROJECTIONS_DYNAMODB_CREATE_TABLE"):
        await projection.prepare()


async def test_a_table_without_the_indexes_is_refused(desk, dynamodb_server):
    projection = a_projection(dynamodb_server)
    desk.table.meta.client.create_table(
        TableName=projection.target.split()[1],
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    )
    with pytest.raises(ConfigError, match="lacks GSI1, GSI2, GSI3, GSI4, GSI5, GSI6"):
        await projection.prepare()


async def test_a_server_that_is_down_delays_its_feeds_and_nothing_is_lost(desk):
    await publish(desk, an_item(1))
    await asyncio.sleep(1.1)
    down = ProjectedDesk(desk.database, desk.endpoint, a_projection("http://127.0.0.1:9"))
    async with desk.database.connection() as conn:
        await project.schedule(conn, [down.projection])
        member = Worker(await work.register_worker(conn), conn)
        while await run_batch(down.stage(), member):
            pass
        states = await store.list_states(conn)
        assert all("does not answer" in state.error for state in states)
        assert all(state.next_attempt_at > datetime.now(UTC) and state.lag is None for state in states)
        await work.retry_now(conn, stage="project")
    await desk.sync()
    assert len(await articles(desk)) == 1


async def test_a_created_table_has_its_ttl_and_its_tag(desk):
    await desk.sync()
    client = desk.table.meta.client
    assert client.describe_time_to_live(TableName=desk.table.name)["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": "ttl",
    }
    assert client.list_tags_of_resource(ResourceArn=desk.table.table_arn)["Tags"] == [
        {"Key": "project", "Value": "summanow"}
    ]
    await desk.projection.prepare()


@pytest.mark.parametrize("missing", ["access_key_id", "secret_access_key"])
def test_a_projection_without_keys_says_which_to_set(missing):
    with pytest.raises(ConfigError, match=f"SCOOP_PROJECTIONS_DYNAMODB_{missing.upper()}"):
        a_projection("http://127.0.0.1:9", **{missing: None})


@pytest.mark.parametrize(
    ("option", "value"), [("table", "no table"), ("region", "x.example/"), ("base_url", "nowhere")]
)
def test_a_wrong_option_is_named(option, value):
    with pytest.raises(ConfigError, match=option):
        a_projection("http://127.0.0.1:9", **{option: value})


async def test_a_wrong_key_is_an_error_of_the_settings():
    table = a_projection("http://127.0.0.1:9")._table
    assert isinstance(table._failure("UnrecognizedClientException", ""), ConfigError)
    throttled = table._failure("ProvisionedThroughputExceededException", "")
    assert isinstance(throttled, Retry)
    assert throttled.after


async def test_the_queue_page_and_the_api_show_the_feeds(desk):
    await publish(desk, an_item(1))
    await desk.sync()
    await desk.execute(
        "INSERT INTO work (stage, subject, error) SELECT 'project', max(feed_id), 'no table' FROM projection_feeds"
    )
    async with visiting(desk.database, role="reader") as visitor:
        page = (await visitor.get("/queue")).page.text
        feeds = (await visitor.get("/api/v1/queue/projections")).json
    assert "Projections" in page
    assert "dynamodb, " in page
    assert "no table" in page
    assert {feed["subject_kind"]: feed["items"] for feed in feeds}["article"] == 1
    assert [feed["error"] for feed in feeds if feed["error"]] == ["no table"]
