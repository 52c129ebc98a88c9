"""Measures what learners wait for: the page of seven days with 70 lessons, and a lesson that exists, over HTTP.

python bench/listening.py
"""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta

import aiohttp

from common import figure, fresh_database, run
from http_load import load
from scoop.core.hashes import sha256
from scoop.model import LessonSentence
from scoop.store import briefs, lessons
from scoop.store.db import Database
from scoop.store.lessons import NewLesson
from server_process import a_key, server

LESSONS, DAYS, TIMES = 70, 7, 40
SENTENCES = ("The old bridge in the town is closed since Monday.", "Workers repair its cables until May.") * 6
CHOOSE = """
INSERT INTO listening_articles (document_id, chosen_on)
SELECT document_id, seen_at::date FROM documents
"""


async def main() -> None:
    async with fresh_database() as (folder, database):
        home = folder / "home"
        items = folder / "items.ndjson"
        items.write_text("".join(json.dumps(item(number)) + "\n" for number in range(LESSONS)))
        await asyncio.to_thread(run, home, "ingest", "--items", str(items))
        await asyncio.to_thread(run, home, "normalize")
        article = await fill(database)
        key = await a_key(database)
        async with server(home) as (url, pid):
            await measure_page(url, key)
            paths = ("/healthz", f"/api/news/{article}/text?level=A2")
            empty, text = [await load(url, path, key, pid) for path in paths]
            figure("empty response", empty.rate, "requests/s", p99_ms=round(empty.p99_ms, 2))
            figure(
                "cached lesson",
                text.rate,
                "requests/s",
                share_of_empty=round(text.rate / empty.rate, 3),
                share_of_empty_by_cpu=round(empty.cpu_ms / text.cpu_ms, 3),
                aim_share=0.35,
                p99_ms=round(text.p99_ms, 2),
            )


def item(number: int) -> dict[str, object]:
    published = datetime.now(UTC) - timedelta(days=number % DAYS, minutes=number)
    return {
        "payload_version": "v1",
        "source": "tribune",
        "source_item_id": f"item-{number}",
        "title": f"Report {number} about the bridge",
        "canonical_url": f"https://tribune.example/{number}",
        "published_at": published.isoformat(),
        "body_text": f"Report {number}. {' '.join(SENTENCES)}",
        "language": "en",
        "source_metadata": {
            "collection": "world_news",
            "job_name": "bench",
            "job_run_id": "run-1",
            "scraped_at": published.isoformat(),
        },
    }


async def fill(database: Database) -> str:
    """Choose all articles for learners, each with a lesson; gives the id of one."""
    async with database.transaction() as conn:
        await conn.execute(CHOOSE)
        rows = await conn.fetch("SELECT document_id, article_id FROM documents ORDER BY document_id")
        documents = {row["document_id"]: "en" for row in rows}
        brief_ids = await briefs.ask(conn, "lesson", "document", documents, level="A2")
        await lessons.put(conn, [lesson(brief, document) for brief, document in zip(brief_ids, documents, strict=True)])
    assert len(rows) == LESSONS
    return str(rows[0]["article_id"])


def lesson(brief_id: int, document_id: int) -> NewLesson:
    text = " ".join(SENTENCES)
    return NewLesson(
        brief_id=brief_id,
        subject_kind="document",
        subject_id=document_id,
        level="A2",
        lesson_text=text,
        sentences=tuple(LessonSentence(text=each, citations=()) for each in SENTENCES),
        word_count=len(text.split()),
        measured_level="A2",
        score=1.0,
        findings=(),
        provider="bench",
        model="bench",
        prompt_id="lesson",
        prompt_version="v1.0",
        disclaimer_id="simplified",
        input_hash=sha256(text),
    )


async def measure_page(url: str, key: str) -> None:
    """The time until the first byte of the page, of one reader."""
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}", "Accept": "text/html"}) as session:
        waits = []
        for _ in range(TIMES):
            began = time.perf_counter()
            async with session.get(f"{url}/listen") as response:
                waits.append(time.perf_counter() - began)
                page = await response.text()
            assert page.count('class="lesson') >= LESSONS, page[:300]
    waits.sort()
    middle, worst = waits[len(waits) // 2] * 1000, waits[-1] * 1000
    figure("first byte of the page of lessons", middle, "ms", worst=round(worst, 1), aim=100)


if __name__ == "__main__":
    asyncio.run(main())
