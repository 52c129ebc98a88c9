"""Exports over HTTP and by the command line: whole, in three formats, and harmless to open."""

import csv
import io
import json
from datetime import timedelta

import aiohttp
import pyarrow.parquet
import pytest

from builders import as_lines, group_into_events, scoop, told
from scoop.actions import exports
from scoop.store.reads.exports import ExportFilter
from web.visitor import NOW, a_report, visiting

FORMATS = ("ndjson", "csv", "parquet")
MANY = 5_000
MADE = """
    WITH made AS (
        INSERT INTO stories (story_id, coverage_id, collection, canonical_title, first_seen_at, last_seen_at, sources,
            publisher_families)
        SELECT id, id, 'many', 'Story ' || number, $2, $2::timestamptz + number * interval '1 second', '{a}',
            '{a.example}'
        FROM (SELECT number, nextval('stories_story_id_seq') AS id FROM generate_series(1, $1) AS number) AS numbered
        RETURNING *
    )
    INSERT INTO events (event_id, event_uuid, collection, lead_story_id, first_seen_at, last_seen_at, developed_at,
        sources, publisher_families)
    SELECT story_id, story_uuid, collection, story_id, first_seen_at, last_seen_at, now(), sources, publisher_families
    FROM made
"""


async def fetched(visitor, path: str) -> bytes:
    async with visitor.session.get(f"{visitor.address}{path}") as response:
        assert response.status == 200, await response.text()
        return await response.read()


def rows(body: bytes, form: str) -> list[dict]:
    """The rows as whoever gets them reads them."""
    if form == "ndjson":
        return [json.loads(line) for line in body.splitlines()]
    if form == "csv":
        return list(csv.DictReader(io.StringIO(body.decode(), newline="")))
    return pyarrow.parquet.read_table(io.BytesIO(body)).to_pylist()


async def several(database) -> None:
    bodies = ("The bridge stays shut until every cable is checked.", "Growers in the hills expect a late harvest.")
    first = a_report(1, title="Bridge closed", body_text=bodies[0], authors=["A. One", "B. Two"], hours_ago=30)
    second = a_report(
        2,
        title="=2+3, she said",
        body_text=bodies[1],
        source="herald",
        canonical_url="https://herald.example/2",
        metadata={"collection": "farms"},
        hours_ago=2,
    )
    await told(database, [first])
    await told(database, [second])


@pytest.mark.parametrize("form", FORMATS)
async def test_every_story_is_exported(database, form):
    await several(database)
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get(f"/export/stories.{form}", method="HEAD")
        first, second = rows(await fetched(visitor, f"/export/stories.{form}"), form)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="scoop-stories.{form}"'
    assert answer.headers["Content-Type"].partition(";")[0] == exports.MEDIA[form].partition(";")[0]
    assert (first["title"], first["collection"], second["url"]) == (
        "Bridge closed",
        "world_news",
        "https://herald.example/2",
    )
    if form == "ndjson":
        assert [member["match_type"] for member in first["members"]] == ["seed"]
    elif form == "csv":
        assert (first["sources"], first["item_count"], second["title"]) == ("tribune", "1", "'=2+3, she said")
    else:
        assert (first["sources"], first["item_count"], second["title"]) == (["tribune"], 1, "=2+3, she said")
        assert first["last_seen_at"] == NOW - timedelta(hours=30)
        assert first["article_ids"][0].startswith("art_")


@pytest.mark.parametrize("form", FORMATS)
async def test_every_event_is_exported_with_its_stories_and_documents(database, form):
    reports = [
        a_report(n, title=title, source=source, canonical_url=f"https://{source}.example/{n}", hours_ago=9 - n)
        for n, (title, source) in enumerate([("Fire", "tribune"), ("Blaze", "herald"), ("Museum opens", "post")])
    ]
    await told(database, reports)
    await group_into_events(database, ["Fire", "Blaze"])
    async with visiting(database) as visitor:
        fire, museum = rows(await fetched(visitor, f"/export/events.{form}"), form)
        stories = {row["title"]: row for row in rows(await fetched(visitor, f"/export/stories.{form}"), form)}
    assert (museum["title"], museum["status"], int(fire["story_count"])) == ("Museum opens", "active", 2)
    assert int(fire["publisher_family_count"]) == 2
    assert {stories[title]["coverage_id"] for title in ("Fire", "Blaze")} == {fire["event_uuid"]}
    listed = {name: fire[name].split("; ") if form == "csv" else fire[name] for name in ("story_uuids", "article_ids")}
    assert set(listed["story_uuids"]) == {stories[title]["story_uuid"] for title in ("Fire", "Blaze")}
    assert listed["story_uuids"][0] == fire["lead_story_uuid"]
    assert len(listed["article_ids"]) == int(fire["item_count"]) == 2


async def test_a_merged_event_is_exported_on_request_and_names_the_one_that_it_is_part_of(database):
    await several(database)
    await told(database, [a_report(3, title="Span shut", source="post", canonical_url="https://post.example/3")])
    await group_into_events(database, ["Bridge closed", "Span shut"])
    async with database.connection() as conn:
        found = await exports.read_page(conn, "events", ExportFilter(), 0)
        with_merged = await exports.read_page(conn, "events", ExportFilter(with_merged=True), 0)
    events = {line["event_uuid"]: line for line in map(json.loads, with_merged.lines)}
    (merged,) = events.keys() - {json.loads(line)["event_uuid"] for line in found.lines}
    assert (events[merged]["status"], events[merged]["story_uuids"]) == ("merged", [])
    assert "Bridge closed" in {events[events[merged]["merged_into"]]["title"], events[merged]["title"]}


@pytest.mark.parametrize("form", FORMATS)
async def test_every_document_is_exported_with_its_text_and_its_story(database, form):
    await several(database)
    async with visiting(database) as visitor:
        found = rows(await fetched(visitor, f"/export/documents.{form}"), form)
        stories = rows(await fetched(visitor, f"/export/stories.{form}"), form)
    assert [row["body_text"] for row in found] == [
        "The bridge stays shut until every cable is checked.",
        "Growers in the hills expect a late harvest.",
    ]
    assert found[0]["authors"] == ("A. One; B. Two" if form == "csv" else ["A. One", "B. Two"])
    assert [row["story_uuid"] for row in found] == [row["story_uuid"] for row in stories]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?collection=farms", 1),
        ("?collection=nowhere", 0),
        (f"?since={NOW - timedelta(hours=3):%Y-%m-%dT%H:%M:%SZ}", 1),
        (f"?until={NOW - timedelta(hours=3):%Y-%m-%dT%H:%M:%SZ}", 1),
        ("?since=2024-05-16", 1),
        ("?since=2024-05-01&until=2024-05-02", 0),
    ],
)
async def test_what_is_wanted_can_be_narrowed(database, query, count):
    await several(database)
    async with visiting(database) as visitor:
        for what in ("events", "stories", "documents"):
            for form in FORMATS:
                assert len(rows(await fetched(visitor, f"/export/{what}.{form}{query}"), form)) == count


@pytest.mark.parametrize("form", FORMATS)
async def test_many_stories_come_whole_and_in_order(database, form):
    async with database.connection() as conn:
        await conn.execute(MADE, MANY, NOW)
    async with visiting(database) as visitor:
        body = await fetched(visitor, f"/export/stories.{form}")
    assert [row["title"] for row in rows(body, form)] == [f"Story {number}" for number in range(1, MANY + 1)]
    if form == "parquet":
        assert pyarrow.parquet.ParquetFile(io.BytesIO(body)).num_row_groups == MANY / exports.PAGE


@pytest.mark.parametrize(
    "hostile", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "'quoted", 'a,"b\n;c']
)
async def test_no_cell_is_a_formula_and_each_can_be_read_back(hostile):
    async def page(after: int):
        line = dict.fromkeys(exports.COLUMNS["documents"]) | {"title": hostile, "authors": [hostile, "x"]}
        return exports.Lines(lines=[] if after else [json.dumps(line)], place=1)

    body = b"".join([chunk.content async for chunk in exports.encode(page, "documents", "csv")])
    (row,) = rows(body, "csv")
    assert row["title"][0] not in "=+-@\t\r"
    assert row["authors"][0] not in "=+-@\t\r"
    assert (row["title"].removeprefix("'")) == hostile


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/export/stories.xlsx", "path.format"),
        ("/export/stories.csv?since=yesterday", "query.since"),
        ("/export/stories.csv?since=0001-01-01T00:00:00%2B14:00", "query.since"),
        ("/export/stories.csv?until=9999-12-31T23:59:59-12:00", "query.until"),
        ("/export/stories.csv?colection=x", "query.colection"),
        ("/export/documents.csv?collection=%00", "query.collection"),
    ],
)
async def test_what_cannot_be_is_told_by_name(database, path, field):
    async with visiting(database) as visitor:
        answer = await visitor.get(path)
    assert (answer.status, [detail["field"] for detail in answer.json["error"]["details"]]) == (400, [field])


@pytest.mark.parametrize(
    "path", ["/export/events.csv", "/export/stories.csv", "/export/documents.parquet", "/export/sources.opml"]
)
async def test_nobody_takes_anything_away(database, path):
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get(path)).status == 401


async def test_the_sources_are_exported_without_their_tokens(database):
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO sources (slug, name, kind, collection, base_url)"
            " VALUES ('a', 'A & B', 'rss', 'news', 'https://a.example/feed?token=c4nary&tag=x')"
        )
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get("/export/sources.opml")
    assert answer.headers["Content-Type"] == "text/x-opml; charset=utf-8"
    assert 'text="A &amp; B"' in answer.text
    assert 'xmlUrl="https://a.example/feed"' in answer.text
    assert "c4nary" not in answer.text


async def test_an_export_that_loses_its_database_ends_broken_not_short(database, monkeypatch):
    async with database.connection() as conn:
        await conn.execute(MADE, 3 * exports.PAGE, NOW)
    read = exports.read_page

    async def page(conn, what, choice, after):
        if after:
            raise ConnectionResetError
        return await read(conn, what, choice, after)

    monkeypatch.setattr(exports, "read_page", page)
    async with visiting(database) as visitor:
        with pytest.raises(aiohttp.ClientPayloadError):
            await fetched(visitor, "/export/stories.ndjson")


def test_the_command_line_writes_what_the_server_gives(database_url, home, tmp_path):
    def desk(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, **options)

    items = [a_report(1), a_report(2, title="-1 degrees", body_text="Cold it is in the hills.", source="herald")]
    assert desk("ingest", "--items", "-", stdin=as_lines(items)).returncode == 0
    assert desk("run-once").returncode == 0
    lines = [json.loads(line) for line in desk("export", "stories").stdout.splitlines()]
    for form in FORMATS:
        file = tmp_path / f"stories.{form}"
        done = desk("export", "stories", "--format", form, "-o", str(file))
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert [row["story_uuid"] for row in rows(file.read_bytes(), form)] == [line["story_uuid"] for line in lines]
    assert len(desk("export", "events").stdout.splitlines()) == 2
    assert "'-1 degrees" in desk("export", "documents", "--format", "csv").stdout
    assert desk("export", "documents", "--since", "2024-05-16T11:00+00:00").stdout == ""
    assert sorted(file.name for file in tmp_path.iterdir()) == ["stories.csv", "stories.ndjson", "stories.parquet"]


def test_what_cannot_be_written_or_understood_is_told(database_url, home, tmp_path):
    def desk(*arguments):
        return scoop("export", *arguments, database_url=database_url, home=home)

    wrong = desk("stories", "--since", "yesterday")
    assert (wrong.returncode, "--since" in wrong.stderr) == (2, True)
    nowhere = desk("stories", "-o", str(tmp_path / "no" / "where.csv"))
    assert (nowhere.returncode, "cannot write" in nowhere.stderr) == (1, True)


async def test_a_choice_without_merged_stories_leaves_them_out(database):
    await several(database)
    async with database.connection() as conn:
        await conn.execute("UPDATE stories SET status = 'merged', merged_into = 1 WHERE story_id = 2")
        for with_merged, count in ((False, 1), (True, 2)):
            found = await exports.read_page(conn, "stories", ExportFilter(with_merged=with_merged), 0)
            assert len(found.lines) == count
