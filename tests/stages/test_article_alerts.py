"""Alerts about sites whose articles fail."""

from datetime import UTC, datetime

import pytest
from starlette.responses import Response

from curating import a_curator, a_post_about
from gathering import ARTICLE, open_desk, open_web
from scoop.stages.article_alerts import alert_failing_articles, alert_failing_evaluations
from scoop.store import alerts
from writing import a_desk

START = "http://gazette.example/"


@pytest.fixture
async def web():
    async with open_web() as opened:
        yield opened


def a_site(web, **changes):
    return web.source(START, slug="gazette", name="Gazette", kind="site", **changes)


def publish(web, working, broken):
    """A front page with links; those that are broken lead nowhere."""
    names = [f"works-{n}" for n in range(working)] + [f"broken-{n}" for n in range(broken)]
    links = "".join(f'<a href="/{name}">A headline about {name}</a>' for name in names)
    web.answers[START] = Response(f"<html><body>{links}</body></html>", media_type="text/html")
    for name in names[:working]:
        page = ARTICLE.replace("Bridge closed", f"Bridge {name} closed")
        web.answers[f"{START}{name}"] = Response(page, media_type="text/html")


async def open_alerts(database):
    async with database.connection() as conn:
        await alert_failing_articles(conn, now=datetime.now(UTC))
        return [(each.kind, each.message) for each in await alerts.latest(conn, with_resolved=False, limit=9)]


async def test_a_site_whose_pages_fail_raises_an_alert_that_ends_with_its_cause(database, web, tmp_path):
    publish(web, working=3, broken=2)
    async with open_desk(database, tmp_path) as desk:
        await desk.add(a_site(web))
        await desk.run()
        expected = "gazette: 2 of 5 articles of the last 24 hours failed (40%): 2 not fetched"
        assert await open_alerts(database) == [("articles_failing", expected)]
        assert await open_alerts(database) == [("articles_failing", expected)]
        await desk.rows("UPDATE pages SET problem = NULL")
        assert await open_alerts(database) == []


async def test_a_site_without_failures_raises_none(database, web, tmp_path):
    publish(web, working=3, broken=0)
    async with open_desk(database, tmp_path) as desk:
        await desk.add(a_site(web))
        await desk.run()
    assert await open_alerts(database) == []


async def test_summaries_that_fail_count_as_failed_articles(database, web, tmp_path):
    publish(web, working=3, broken=0)
    async with open_desk(database, tmp_path) as desk:
        await desk.add(a_site(web))
        await desk.run()
        ids = [row["document_id"] for row in await desk.rows("SELECT document_id FROM documents")]
    async with a_desk(database, tmp_path) as writing:
        writing.script.extend(["500"] * len(ids))
        await writing.ask(dict.fromkeys(ids, "en"))
        await writing.write()
    [(_, message)] = await open_alerts(database)
    assert message.endswith("3 of 3 articles of the last 24 hours failed (100%): 3 without a summary")


async def test_a_curator_whose_model_fails_raises_an_alert_until_the_articles_are_evaluated(database, tmp_path):
    async def found():
        async with database.connection() as conn:
            await alert_failing_evaluations(conn, now=datetime.now(UTC))
            return [
                (each.kind, each.subject, each.message)
                for each in await alerts.latest(conn, with_resolved=False, limit=9)
            ]

    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "Go")])
        assert await found() == []
        desk.desk.script.extend(["wrong-sum"] * 4)
        await desk.evaluate([a_post_about(2, "PostgreSQL"), a_post_about(3, "Go")])
        [(kind, subject, message)] = await found()
        assert (kind, subject) == ("evaluations_failing", "picks")
        assert message.startswith("picks: 2 articles could not be evaluated, and 1 of the last 24 hours were.")
        assert "the sum of its parts" in message
        await desk.desk.rows("UPDATE work SET due_at = now() WHERE stage = 'write'")
        await desk.desk.write()
        assert await found() == []
