"""One archive in two places: a folder, and a bucket of a real S3 server on the loopback address."""

import asyncio
import gzip
import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import UUID

import boto3
import obstore
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto.server import ThreadedMotoServer

from scoop.archive import objects, retention
from scoop.archive.objects import Archive, ArchiveDamaged
from scoop.archive.retention import Tidied
from scoop.core import ids
from scoop.errors import ConfigError, NotFound, Retry

CREDENTIALS = {"access_key_id": "a-key", "secret_access_key": "a-secret"}
NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)
PAGE = "<p>The bridge stays closed. 橋は閉鎖されたまま。</p>".encode() * 50
PAGE_URL = "https://tribune.example/brücke?q=%E6%A9%8B&x=橋 \\ 1"
PAGE_KEY = objects.raw_html_key("tribune", NOW.date(), "art_1")
buckets = count()


@dataclass(frozen=True)
class Server:
    endpoint: str

    def ask(self, method: str, path: str, body: bytes = b"") -> None:
        request = urllib.request.Request(self.endpoint + path, body, {"Content-Type": "text/plain"}, method=method)
        with urllib.request.urlopen(request):
            pass

    def url(self, bucket: str) -> str:
        return f"s3://{bucket}/scoop/archive?endpoint={self.endpoint}&region=eu-central-1"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield Server(f"http://{host}:{port}")
    running.stop()


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    if request.param == "folder":
        return Archive.open(str(tmp_path / "archive"), credentials={})
    server: Server = request.getfixturevalue("server")
    name = f"bucket-{next(buckets)}"
    server.ask("PUT", f"/{name}")
    return Archive.open(server.url(name), credentials=CREDENTIALS)


async def keys(place: Archive, prefix: str) -> list[str]:
    return sorted([key async for key in place.keys(prefix)])


async def put_page(place: Archive, key: str = PAGE_KEY, data: bytes = PAGE) -> objects.Stored:
    return await place.put(key, data, source_url=PAGE_URL, content_type="text/html; charset=utf-8")


def run_uuid(run_id: int, started_at: datetime) -> UUID:
    return ids.timed_uuid(started_at, run_id.to_bytes(ids.RANDOM_BYTES))


async def put_log(place: Archive, run_id: int, started_at: datetime, text: str | None = None) -> str:
    key = objects.log_key(run_uuid(run_id, started_at))
    data = (text or f'{{"run":{run_id},"event":"started"}}\n{{"run":{run_id},"event":"done"}}\n').encode()
    await place.put(key, data, source_url=None, content_type="application/x-ndjson")
    return key


async def exported(place: Archive, month: str) -> list[dict[str, str]]:
    found = await place.get(retention.export_key(month))
    return [json.loads(line) for line in found.data.splitlines()]


async def test_objects_in_a_bucket_have_the_tag_of_their_project(server: Server) -> None:
    name = f"bucket-{next(buckets)}"
    server.ask("PUT", f"/{name}")
    await put_page(Archive.open(server.url(name), credentials=CREDENTIALS, project="summanow"))
    client = boto3.client(
        "s3",
        endpoint_url=server.endpoint,
        region_name="eu-central-1",
        aws_access_key_id=CREDENTIALS["access_key_id"],
        aws_secret_access_key=CREDENTIALS["secret_access_key"],
    )
    found = client.get_object_tagging(Bucket=name, Key=f"scoop/archive/{PAGE_KEY}")
    assert found["TagSet"] == [{"Key": "project", "Value": "summanow"}]
    metadata = client.head_object(Bucket=name, Key=f"scoop/archive/{PAGE_KEY}")["Metadata"]
    assert metadata.keys() == {"sha256", "source-url"}


class TestEveryPlace:
    async def test_what_was_put_comes_back_with_its_source_and_checksum(self, place: Archive) -> None:
        stored = await put_page(place)
        found = await place.get(PAGE_KEY)
        assert (found.data, found.source_url, found.content_type) == (PAGE, PAGE_URL, "text/html;charset=utf-8")
        assert stored == objects.Stored(key=PAGE_KEY, size=len(PAGE), sha256=found.sha256)
        assert abs(found.stored_at - datetime.now(UTC)) < timedelta(minutes=5)

    async def test_an_object_without_a_source_url_has_none(self, place: Archive) -> None:
        key = objects.log_key(run_uuid(1, NOW))
        await place.put(key, b"{}", source_url=None, content_type="application/json")
        assert (await place.get(key)).source_url is None

    async def test_pages_are_kept_compressed_and_logs_as_they_are(self, place: Archive) -> None:
        prompt = objects.log_key(run_uuid(1, NOW))
        await put_page(place)
        await place.put(prompt, b'{"prompt":"x"}', source_url=None, content_type="application/json")
        assert gzip.decompress(await raw(place, PAGE_KEY)) == PAGE
        assert await raw(place, prompt) == b'{"prompt":"x"}'

    async def test_putting_the_same_again_changes_nothing(self, place: Archive) -> None:
        first = await put_page(place)
        body = await raw(place, PAGE_KEY)
        assert await put_page(place) == first
        assert await raw(place, PAGE_KEY) == body
        assert await keys(place, "raw-html") == [PAGE_KEY]

    async def test_a_later_version_takes_the_place_of_the_earlier(self, place: Archive) -> None:
        await put_page(place, data=b"first")
        await put_page(place, data=b"second")
        assert (await place.get(PAGE_KEY)).data == b"second"

    async def test_an_empty_object_and_one_of_many_megabytes_come_back(self, place: Archive) -> None:
        for data in (b"", b"\n" * 9, bytes(range(256)) * (48 << 10)):
            await put_page(place, data=data)
            assert (await place.get(PAGE_KEY)).data == data

    @pytest.mark.parametrize("url", ["https://x.example/ 😀", " https://x.example/a  b\r\nX-Evil: 1", "\ud800\0", ""])
    async def test_a_strange_source_url_survives(self, place: Archive, url: str) -> None:
        await place.put(PAGE_KEY, PAGE, source_url=url, content_type="text/html;\r\n charset=\x00ü")
        assert (await place.get(PAGE_KEY)).source_url == url

    async def test_the_beginning_of_an_endless_source_url_survives(self, place: Archive) -> None:
        url = "https://x.example/" + "橋 \\" * 5000
        await place.put(PAGE_KEY, PAGE, source_url=url, content_type="text/html")
        kept = (await place.get(PAGE_KEY)).source_url
        assert kept is not None
        assert url.startswith(kept)
        assert len(kept) > 200

    @pytest.mark.parametrize(
        "body", [b"", b"not what was stored", gzip.compress(b"another page", mtime=0), b"\x1f\x8b\x08"]
    )
    async def test_a_damaged_object_is_not_given_out(self, place: Archive, body: bytes) -> None:
        await put_page(place)
        await damage(place, PAGE_KEY, body)
        with pytest.raises(ArchiveDamaged, match=re.escape(PAGE_KEY)):
            await place.get(PAGE_KEY)

    async def test_a_flipped_byte_is_found_in_what_is_not_compressed(self, place: Archive) -> None:
        key = objects.log_key(run_uuid(2, NOW))
        await place.put(key, b'{"answer":1}', source_url=None, content_type="application/json")
        await damage(place, key, b'{"answer":2}')
        with pytest.raises(ArchiveDamaged):
            await place.get(key)

    async def test_what_is_not_there_is_not_found(self, place: Archive) -> None:
        with pytest.raises(NotFound, match="art_1"):
            await place.get(PAGE_KEY)
        assert await keys(place, "raw-html") == []

    async def test_what_is_deleted_is_gone_and_may_be_deleted_again(self, place: Archive) -> None:
        other = objects.raw_html_key("tribune", NOW.date(), "art_2")
        await put_page(place)
        await put_page(place, key=other)
        for _ in range(2):
            await place.delete([PAGE_KEY, objects.log_key(run_uuid(7, NOW))])
        assert await keys(place, "raw-html") == [other]
        assert (await place.get(other)).data == PAGE

    async def test_writers_at_the_same_time_leave_one_whole_version(self, place: Archive) -> None:
        versions = [f"version {number}".encode() * 5000 for number in range(8)]
        await asyncio.gather(*(put_page(place, data=data) for data in versions))
        assert (await place.get(PAGE_KEY)).data in versions

    async def test_pages_are_expired_by_the_day_in_their_key(self, place: Archive) -> None:
        days = [NOW.date() - timedelta(days=age) for age in (0, 29, 30, 31, 400)]
        for day in days:
            await put_page(place, key=objects.raw_html_key("20200101", day, "art_1"))
        assert await place.expire("raw-html", older_than=NOW - timedelta(days=30)) == 2
        assert await keys(place, "raw-html") == sorted(objects.raw_html_key("20200101", d, "art_1") for d in days[:3])
        assert await place.expire("raw-html", older_than=NOW - timedelta(days=30)) == 0

    async def test_more_pages_than_fit_a_batch_are_expired(
        self, place: Archive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(objects, "DELETE_BATCH", 7)
        old = [objects.raw_html_key("tribune", date(2026, 1, 1), f"art_{number}") for number in range(25)]
        await asyncio.gather(*(put_page(place, key=key) for key in old))
        assert await place.expire("raw-html/tribune", older_than=NOW) == 25
        assert await keys(place, "raw-html") == []

    async def test_tidying_keeps_exports_and_young_logs(self, place: Archive) -> None:
        long_ago = NOW - timedelta(days=1000)
        kept = [retention.export_key("202401")]
        await place.put(kept[0], b"{}", source_url=None, content_type="application/json")
        kept.append(await put_log(place, 3, NOW - timedelta(days=89)))
        await put_page(place, key=objects.raw_html_key("tribune", long_ago.date(), "art_1"))
        assert await retention.tidy(place, now=NOW) == Tidied(pages_expired=1, logs_exported=0, damaged=())
        assert [(await place.get(key)).data for key in kept]

    async def test_old_logs_are_gathered_by_month_before_they_go(self, place: Archive) -> None:
        june = [datetime(2026, 6, day, 23, 59, tzinfo=UTC) for day in (1, 30)]
        logs = [await put_log(place, run_id, moment) for run_id, moment in enumerate(june)]
        await put_log(place, 9, datetime(2026, 7, 1, tzinfo=UTC))
        assert (await retention.tidy(place, now=NOW)).logs_exported == 3
        assert await keys(place, "logs") == [retention.export_key("202606"), retention.export_key("202607")]
        assert [log["key"] for log in await exported(place, "202606")] == logs
        assert (await exported(place, "202607"))[0]["text"].splitlines()[1] == '{"run":9,"event":"done"}'

    async def test_later_logs_join_the_export_of_their_month(self, place: Archive) -> None:
        first = await put_log(place, 1, datetime(2026, 6, 1, tzinfo=UTC))
        second = await put_log(place, 2, datetime(2026, 6, 2, tzinfo=UTC))
        for day in (1, 2, 2):
            await retention.tidy(place, now=datetime(2026, 6, day, 12, tzinfo=UTC) + timedelta(days=91))
        assert [log["key"] for log in await exported(place, "202606")] == [first, second]
        assert await keys(place, "logs") == [retention.export_key("202606")]

    async def test_an_export_that_was_cut_off_before_the_deletion_doubles_nothing(self, place: Archive) -> None:
        moment = datetime(2026, 6, 1, tzinfo=UTC)
        logs = [await put_log(place, run_id, moment) for run_id in range(5)]
        await retention.tidy(place, now=NOW)
        before = await exported(place, "202606")
        for run_id in (1, 3):  # as if the first tidying had died half way through deleting
            await put_log(place, run_id, moment)
        assert (await retention.tidy(place, now=NOW)).logs_exported == 2
        assert await exported(place, "202606") == before
        assert [log["key"] for log in before] == logs

    async def test_a_damaged_log_is_told_and_left_and_stops_nothing(self, place: Archive) -> None:
        moment = datetime(2026, 6, 1, tzinfo=UTC)
        bad, good = await put_log(place, 1, moment), await put_log(place, 2, moment)
        await damage(place, bad, b"{}")
        assert await retention.tidy(place, now=NOW) == Tidied(pages_expired=0, logs_exported=1, damaged=(bad,))
        assert await keys(place, "logs") == sorted([bad, retention.export_key("202606")])
        assert [log["key"] for log in await exported(place, "202606")] == [good]

    async def test_a_damaged_export_keeps_the_logs_of_its_month(self, place: Archive) -> None:
        await put_log(place, 1, datetime(2026, 6, 1, tzinfo=UTC))
        await retention.tidy(place, now=NOW)
        export = retention.export_key("202606")
        await damage(place, export, b"broken")
        late = await put_log(place, 2, datetime(2026, 6, 2, tzinfo=UTC))
        await put_log(place, 3, datetime(2026, 7, 1, tzinfo=UTC))
        assert await retention.tidy(place, now=NOW) == Tidied(pages_expired=0, logs_exported=1, damaged=(export,))
        assert late in await keys(place, "logs")

    @pytest.mark.parametrize(
        "key", ["", "/etc/passwd", "../x", "raw-html/../x", "a//b", "a/", ".labels/x", "a\0b", "ü"]
    )
    async def test_a_key_that_leads_elsewhere_is_refused(self, place: Archive, key: str) -> None:
        for asked in (put_page(place, key=key), place.get(key), place.delete([key]), keys(place, key)):
            with pytest.raises(ValueError, match="is not a key"):
                await asked


async def raw(place: Archive, key: str) -> bytes:
    return bytes(await (await obstore.get_async(place.store, key)).bytes_async())


async def damage(place: Archive, key: str, body: bytes) -> None:
    """Change an object behind the archive's back, and keep what is known of it."""
    attributes = (await obstore.get_async(place.store, key)).attributes
    await obstore.put_async(place.store, key, body, attributes=attributes or None)


# Keys


def test_keys_are_as_the_archive_promises() -> None:
    assert objects.raw_html_key("tribune", date(2026, 11, 16), "art_1") == "raw-html/tribune/20261116/art_1.html.gz"
    run = run_uuid(4711, NOW)
    assert objects.log_key(run) == f"logs/{run}.ndjson"


@pytest.mark.parametrize(
    ("key", "day"),
    [
        (objects.log_key(run_uuid(1, NOW)), "20261116"),
        ("logs/20261116T123000.000000Z-4711.ndjson", "20261116"),  # of a desk from before run ids had a time
        (objects.log_key(UUID("c27232fa-9e7c-4b94-9efb-087a5fb75fc2")), ""),
        ("logs/export/202611.ndjson.gz", ""),
        ("logs/------------------------------------.ndjson", ""),
    ],
)
def test_a_key_of_a_run_log_has_the_day_of_its_run(key: str, day: str) -> None:
    assert objects.day(key) == day


@given(
    st.one_of(
        st.text(), st.sampled_from(["..", ".", "/", "a/../b", "\0", "", "a" * 9999, "~", "C:\\x", "Ａ", "\ud800"])
    )
)
def test_no_part_of_a_key_leads_elsewhere(text: str) -> None:
    parts = objects.raw_html_key(text, NOW.date(), text).split("/")
    assert len(parts) == 4
    for part in parts:
        assert re.fullmatch(r"[a-z0-9_-][a-z0-9_.-]{0,120}", part)


@given(st.text(max_size=100), st.text(max_size=100))
def test_different_articles_have_different_keys_even_where_case_is_ignored(one: str, other: str) -> None:
    first, second = (objects.raw_html_key("s", NOW.date(), text).lower() for text in (one, other))
    assert (first == second) == (one == other)


# What is wrong is told with what to do


@pytest.mark.parametrize(
    "path", ["/proc/nowhere", "/dev/null", "/dev/null/x", "a\0b", "ftp://me:secret@host", "file://host/x"]
)
def test_a_place_that_is_no_folder_is_told(path: str) -> None:
    with pytest.raises(ConfigError, match="archive_url") as told:
        Archive.open(path, credentials={})
    assert "secret" not in str(told.value)


async def test_a_folder_is_named_by_path_or_url(tmp_path: Path) -> None:
    await put_page(Archive.open(str(tmp_path / "a folder"), credentials={}))
    found = Archive.open(f"file://{tmp_path}/a%20folder", credentials={})
    assert await keys(found, "raw-html") == [PAGE_KEY]


async def test_a_folder_that_lost_everything_leaves_nothing_behind(tmp_path: Path) -> None:
    place = Archive.open(str(tmp_path), credentials={})
    await put_page(place, data=b"first")
    await put_page(place, data=b"second")
    await place.delete([PAGE_KEY])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


async def test_a_folder_that_fails_is_tried_again_later(tmp_path: Path) -> None:
    place = Archive.open(str(tmp_path), credentials={})
    (tmp_path / "raw-html").write_text("a file stands where a folder must be")
    with pytest.raises(Retry, match="Not a directory"):
        await put_page(place)


@pytest.mark.parametrize(
    "url", ["s3://", "s3:///x", "s3://key:secret@bucket/x", "s3://bucket?endpint=x", "s3://bucket/../x", "s3://[x"]
)
def test_a_bucket_that_cannot_be_is_told_without_its_secret(url: str) -> None:
    with pytest.raises(ConfigError, match="archive_url") as told:
        Archive.open(url, credentials=CREDENTIALS)
    assert "secret@" not in str(told.value)


@pytest.mark.parametrize("endpoint", ["host:9000", "ftp://host", "http://", "http://[x", "http://key:secret@host"])
def test_an_endpoint_that_is_no_address_is_told(endpoint: str) -> None:
    with pytest.raises(ConfigError, match="endpoint in archive_url"):
        Archive.open(f"s3://bucket?endpoint={endpoint}", credentials=CREDENTIALS)


def test_a_bucket_without_credentials_is_told() -> None:
    with pytest.raises(ConfigError, match="archive_secret_access_key"):
        Archive.open("s3://bucket", credentials={"access_key_id": "a-key"})


async def test_a_missing_bucket_is_told_whatever_is_asked(server: Server) -> None:
    place = Archive.open(server.url("no-such-bucket"), credentials=CREDENTIALS)
    for asked in (put_page(place), place.get(PAGE_KEY), keys(place, "logs"), place.delete([PAGE_KEY])):
        with pytest.raises(ConfigError, match=r"bucket no-such-bucket at http.* does not exist"):
            await asked


async def test_a_server_that_does_not_answer_is_asked_again_later() -> None:
    place = Archive.open("s3://bucket?endpoint=http://127.0.0.1:1", credentials=CREDENTIALS)
    with pytest.raises(Retry, match=r"127\.0\.0\.1:1 failed \(no response\)"):
        await put_page(place)


async def test_wrong_credentials_are_told_and_not_shown(server: Server) -> None:
    server.ask("PUT", "/guarded")
    server.ask("POST", "/moto-api/reset-auth", b"0")
    try:
        place = Archive.open(server.url("guarded"), credentials=CREDENTIALS)
        with pytest.raises(ConfigError, match="check archive_access_key_id") as told:
            await put_page(place)
    finally:
        server.ask("POST", "/moto-api/reset-auth", b"inf")
    assert "a-secret" not in str(told.value)


async def test_nothing_is_taken_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.ask("PUT", "/own")
    elsewhere = "http://127.0.0.1:1"
    for name in ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, elsewhere)
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a stranger's")
    place = Archive.open(server.url("own"), credentials=CREDENTIALS)
    await put_page(place)
    assert (await place.get(PAGE_KEY)).data == PAGE
