import asyncio

import aiohttp
import pytest

from web.visitor import visiting

OPML = b"""<opml version="2.0"><body><outline type="rss" text="Tribune" xmlUrl="https://tribune.example/feed"/></body></opml>"""
FORM = b"target=https%3A%2F%2Ftribune.example%2Ffeed&kind=rss&collection=news&schedule=1h"
READER = b"i=1&a=user/-/state/com.google/read"
UPLOADS = [
    ("/api/v1/sources/import", "text/x-opml", OPML),
    ("/queue/retry", "application/x-www-form-urlencoded", b"stage=normalize&subject=1"),
    ("/sources/add", "application/x-www-form-urlencoded", FORM),
    ("/reader/api/0/edit-tag", "application/x-www-form-urlencoded", READER),
]
MORE_THAN_THE_POOL = 8


@pytest.mark.parametrize(("path", "media", "body"), UPLOADS)
async def test_slow_uploads_hold_no_database_connections(database, path, media, body):
    is_read = asyncio.Event()

    async def slowly():
        yield body[:20]
        await is_read.wait()
        yield body[20:]

    async def upload(visitor):
        headers = {"Content-Type": media, "Origin": visitor.address}
        url = f"{visitor.address}{path}"
        async with visitor.session.post(url, data=slowly(), headers=headers, allow_redirects=False) as response:
            return response.status

    async with visiting(database) as visitor:
        uploads = [asyncio.create_task(upload(visitor)) for _ in range(MORE_THAN_THE_POOL)]
        await asyncio.sleep(0.5)
        answer = await visitor.get("/api/v1/sources")
        is_read.set()
        statuses = await asyncio.gather(*uploads)
    assert answer.status == 200
    assert max(statuses) < 500


async def test_an_upload_whose_client_leaves_is_no_failure_of_the_server(database, capfd):
    async def half():
        yield OPML[:20]
        raise ConnectionError("gone")

    async with visiting(database) as visitor:
        headers = {"Content-Type": "text/x-opml", "Origin": visitor.address}
        with pytest.raises(aiohttp.ClientError):
            await visitor.session.post(f"{visitor.address}/api/v1/sources/import", data=half(), headers=headers)
        assert (await visitor.get("/api/v1/sources")).json["items"] == []
    assert "Traceback" not in capfd.readouterr().out
