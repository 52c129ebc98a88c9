"""Items come in three forms, zipped or not, from a file or a pipe; what is damaged is told, the rest goes in."""

import asyncio
import fcntl
import gzip
import json
import os
import random
import subprocess
import sys
import termios
import time
import zlib
from itertools import count
from typing import NamedTuple

import pytest

from builders import an_item, as_lines, scoop
from conftest import administer, url_of
from scoop.store import arrivals, db
from scoop.store.db import ExternalServer

MAX_RSS_MB = 300
BOM = b"\xef\xbb\xbf"
batches = count(1)


@pytest.fixture(scope="module")
def url(postgres, template, worker_id):
    """One database for the whole file: each test brings items that no other has."""
    name = f"forms_{worker_id}"
    asyncio.run(administer(postgres, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"))
    yield url_of(postgres, name)
    asyncio.run(administer(postgres, f"DROP DATABASE {name} WITH (FORCE)"))


def some_items(size, **changes):
    first = next(batches) * 100_000
    return [an_item(first + position, **changes) for position in range(size)]


def as_json(value, **style):
    return json.dumps(value, **style).encode()


def crlf(raw):
    return raw.replace(b"\n", b"\r\n")


def ingest(raw, url):
    """Push bytes through a pipe; give the process and what it told on standard output."""
    done = scoop("ingest", "--items", "-", "--json", stdin=raw, database_url=url)
    assert "Traceback" not in done.stderr, done.stderr
    return done, json.loads(done.stdout)


class Refusal(NamedTuple):
    line: int
    path: str
    reason: str
    raw_item: bytes


def refusals(told, url):
    """The problems of what the run refused, in the order of the input."""

    async def read():
        database = await db.connect(ExternalServer(url), size=1)
        async with database.connection() as conn:
            found = await arrivals.list_refusals(conn, run_id=told["run_id"], limit=1000)
        await database.close()
        return found

    found = asyncio.run(read())
    return sorted(Refusal(each.line, raw_item=each.raw_item, **problem) for each in found for problem in each.problems)


def counts(told):
    return told["items"], told["new"], told["refused"]


def finished(process, rest):
    """Hand the rest of its input to a process and wait for it, but not for ever."""
    try:
        return process.communicate(rest, timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


ONE = {
    "an object on one line": as_json,
    "an object without a final newline": lambda item: as_json(item).rstrip(b"\n"),
    "a pretty object": lambda item: as_json(item, indent=2),
    "a pretty object with CRLF": lambda item: crlf(as_json(item, indent=2) + b"\n"),
    "a pretty object after blank lines": lambda item: b"\n  \n" + as_json(item, indent=2) + b"\n\n",
    "a pretty object whose braces stand alone": lambda item: as_json(item, indent=0).replace(b": {", b":\n{"),
}
MANY = {
    "a minified array": lambda items: as_json(items, separators=(",", ":")),
    "a pretty array": lambda items: as_json(items, indent=2) + b"\n",
    "a pretty array with CRLF": lambda items: crlf(as_json(items, indent=2)),
    "an array after blank lines": lambda items: b"\r\n\n" + as_json(items, indent=2),
    "an array with a BOM": lambda items: BOM + as_json(items),
    "an array with an item a line": lambda items: b"[\n" + b",\n".join(map(as_json, items)) + b"\n]\n",
    "lines": as_lines,
    "lines with CRLF": lambda items: crlf(as_lines(items)),
    "lines with a BOM": lambda items: BOM + as_lines(items),
    "lines among blank lines": lambda items: b"\n\r\n" + as_lines(items).replace(b"\n", b"\n \t\n\n"),
    "lines without a final newline": lambda items: as_lines(items).rstrip(b"\n"),
}


@pytest.fixture(scope="module")
def known_items(url):
    """Items that are in the ledger already: whatever form they come in, they are found there."""
    items = some_items(3)
    done, told = ingest(as_lines(items), url)
    assert (done.returncode, counts(told)) == (0, (3, 3, 0))
    return items


@pytest.mark.parametrize("form", [*ONE, *MANY])
def test_items_are_the_same_in_every_form_from_a_file_or_a_pipe_zipped_or_not(form, known_items, url, tmp_path):
    raw = ONE[form](known_items[0]) if form in ONE else MANY[form](known_items)
    place = [*ONE, *MANY].index(form)
    if place % 2:
        raw = gzip.compress(raw)
    file = tmp_path / "news"
    file.write_bytes(raw)
    if place % 4 < 2:
        done = scoop("ingest", "--items", str(file), "--json", database_url=url)
    else:
        done = scoop("ingest", "--items", "-", "--json", stdin=raw, database_url=url)
    assert (done.returncode, done.stderr) == (0, "")
    assert counts(json.loads(done.stdout)) == (1 if form in ONE else 3, 0, 0)


def test_zipped_files_that_were_put_together_are_read_to_the_last(url):
    first, second = some_items(2), some_items(2)
    done, told = ingest(gzip.compress(as_lines(first)) + gzip.compress(as_lines(second)), url)
    assert done.returncode == 0
    assert counts(told) == (4, 4, 0)


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n\r\n \t\n", BOM, gzip.compress(b"", mtime=0), b"[]", b"\n[\n\n]\n"],
    ids=["nothing", "blank lines", "a BOM", "zipped", "an array", "an array after a blank line"],
)
def test_an_input_without_items_is_done_at_once(raw, url):
    done, told = ingest(raw, url)
    assert (done.returncode, done.stderr) == (0, "")
    assert counts(told) == (0, 0, 0)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_with_the_remedy(encoding, url):
    done, told = ingest(as_lines(some_items(2)).decode().encode(encoding), url)
    assert done.returncode == 1
    assert counts(told) == (0, 0, 0)
    assert "save it as UTF-8" in done.stderr


# Arrays


def test_what_stands_before_a_broken_element_goes_in_and_after_mending_only_the_rest_does(url):
    good = some_items(4)
    lines = [as_json(item) for item in good]
    broken = b"[\n" + b",\n".join([*lines[:2], lines[2].replace(b'"title"', b"title"), lines[3]]) + b"\n]\n"

    done, told = ingest(broken, url)
    assert done.returncode == 1
    assert counts(told) == (3, 2, 1)
    [refusal] = refusals(told, url)
    assert refusal.line == 4
    assert "breaks off" in refusal.reason
    assert refusal.raw_item.startswith(b'{"payload_version"')

    done, told = ingest(as_json(good, indent=1), url)
    assert done.returncode == 0
    assert counts(told) == (4, 2, 0)


@pytest.mark.parametrize(
    ("cut", "line"),
    [(b"", 3), (b",", 3), (b",\n\n", 5), (b",\n{", 4), (b',\n{\n"title": "A', 5)],
    ids=["after an element", "after a comma", "after blank lines", "in an element", "in a string"],
)
def test_an_array_that_does_not_end_is_told_with_the_last_line(cut, line, url):
    items = some_items(2)
    done, told = ingest(b"[\n" + b",\n".join(map(as_json, items)) + cut, url)
    assert done.returncode == 1
    assert counts(told) == (3, 2, 1)
    assert [refusal.line for refusal in refusals(told, url)] == [line]


@pytest.mark.parametrize("following", ["text", "an array", "a line", "a bracket"])
def test_what_follows_an_array_is_not_lost_in_silence(following, url):
    inside, [outside] = some_items(2), some_items(1)
    rest = {"text": b"the end", "an array": as_json([outside]), "a line": as_json(outside), "a bracket": b"]"}
    done, told = ingest(as_json(inside) + b"\n" + rest[following] + b"\n", url)
    assert done.returncode == 1
    assert told["new"] >= 2
    assert told["refused"] == 1 or told["new"] == 3
    assert [refusal.line for refusal in refusals(told, url)] == [2]


def test_items_of_a_minified_array_are_counted_and_named_one_by_one(url):
    items = some_items(4)
    for position in (1, 3):
        items[position]["title"] = ""
    done, told = ingest(as_json(items), url)
    assert done.returncode == 1
    assert counts(told) == (4, 2, 2)
    assert [(refusal.line, refusal.path) for refusal in refusals(told, url)] == [
        (1, "$[1].title"),
        (1, "$[3].title"),
    ]


@pytest.mark.parametrize(
    "number", ["9" * 5000, "1e400", "NaN", "-Infinity", '"\t"', '"\\ud800"', '"\xff"'], ids=lambda written: written[:8]
)
def test_an_element_that_can_be_told_from_the_next_is_refused_alone(number, url):
    items = some_items(3)
    items[1]["source_metadata"]["odd"] = "@"
    raw = as_json(items, indent=1).replace(b'"@"', number.encode("latin-1"))
    done, told = ingest(raw, url)
    assert done.returncode == 1
    assert counts(told) == (3, 2, 1)
    [refusal] = refusals(told, url)
    assert refusal.line == raw[: raw.index(b"}\n }")].count(b"\n") + 3
    assert items[1]["source_item_id"].encode() in refusal.raw_item


def test_an_element_nested_100_000_deep_ends_the_array_and_is_kept(url):
    items = some_items(2)
    items[1]["source_metadata"]["deep"] = "@"
    raw = as_json(items).replace(b'"@"', b"[" * 100_000 + b"]" * 100_000)
    done, told = ingest(raw, url)
    assert done.returncode == 1
    assert counts(told) == (2, 1, 1)
    [refusal] = refusals(told, url)
    assert "nested" in refusal.reason
    assert items[1]["source_item_id"].encode() in refusal.raw_item


def test_nothing_but_brackets_is_refused(url):
    done, told = ingest(b"[" * 100_000, url)
    assert done.returncode == 1
    assert counts(told) == (1, 0, 1)


# Objects and lines


def test_a_pretty_object_that_is_broken_is_one_refusal_with_the_line_of_the_break(url):
    [item] = some_items(1)
    lines = as_json(item, indent=2).splitlines(keepends=True)
    done, told = ingest(b"".join([*lines[:6], b"  oops\n", *lines[6:]]), url)
    assert done.returncode == 1
    assert counts(told) == (1, 0, 1)
    [refusal] = refusals(told, url)
    assert (refusal.line, refusal.path) == (7, "$")
    assert refusal.raw_item.startswith(b'{\n  "payload_version"')


def test_a_pretty_object_that_is_cut_off_is_one_refusal(url):
    [item] = some_items(1)
    done, told = ingest(as_json(item, indent=2)[:-20], url)
    assert done.returncode == 1
    assert counts(told) == (1, 0, 1)
    assert len(refusals(told, url)) == 1


def test_a_broken_first_line_does_not_hide_the_lines_after_it(url):
    lines = as_lines(some_items(4)).splitlines(keepends=True)
    done, told = ingest(b"".join([b"\n", lines[0][:-30] + b"\n", b"\n", *lines[1:]]), url)
    assert done.returncode == 1
    assert counts(told) == (4, 3, 1)
    assert [refusal.line for refusal in refusals(told, url)] == [2]


def test_lines_that_are_no_objects_are_refused_one_by_one(url):
    lines = as_lines(some_items(2)).splitlines(keepends=True)
    done, told = ingest(b"".join([lines[0], b'7\nnull\n[1, 2]\n"text"\ntrue\n-1.5\n[]\n', lines[1]]), url)
    assert done.returncode == 1
    assert counts(told) == (9, 2, 7)
    found = refusals(told, url)
    assert [refusal.line for refusal in found] == [2, 3, 4, 5, 6, 7, 8]
    assert {refusal.path for refusal in found} == {"$"}
    assert [refusal.reason.partition("(is ")[2] for refusal in found] == [
        "integer)",
        "null)",
        "array)",
        "string)",
        "boolean)",
        "number)",
        "array)",
    ]


def test_of_a_key_given_twice_the_last_counts_in_every_form(url):
    [item] = some_items(1)
    raw = as_json(item)[:-1] + b', "title": "The second title"}'
    done, told = ingest(raw, url)
    assert done.returncode == 0
    assert counts(told) == (1, 1, 0)
    done, told = ingest(as_json([item | {"title": "The second title"}]), url)
    assert counts(told) == (1, 0, 0)


# Large


def a_large_line(item, size=20_000_000):
    item["source_metadata"]["large"] = "x" * size
    return as_json(item) + b"\n"


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_line_of_20_mb_is_refused_wherever_it_stands(position, url):
    items = some_items(3)
    lines = [as_json(item) + b"\n" for item in items]
    lines[position] = a_large_line(items[position])
    done, told = ingest(b"".join(lines), url)
    assert done.returncode == 1
    assert counts(told) == (3, 2, 1)
    [refusal] = refusals(told, url)
    assert refusal.line == position + 1
    assert "longer than 16 MiB" in refusal.reason
    assert items[position]["source_item_id"].encode() in refusal.raw_item


def test_an_element_of_20_mb_is_refused_with_its_size_as_the_reason(url):
    items = some_items(2)
    done, told = ingest(b"[" + as_json(items[0]) + b",\n" + a_large_line(items[1]) + b"]", url)
    assert done.returncode == 1
    assert counts(told) == (2, 1, 1)
    [refusal] = refusals(told, url)
    assert refusal.line == 2
    assert "16 MiB" in refusal.reason


# What the wrapper prints is not raised by the size of the process that runs the tests, as its own figure would be.
MEASURE = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)"
)


def test_200_mb_of_items_pass_through_a_pipe_in_little_memory(database_url):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    process = subprocess.Popen(
        [sys.executable, "-c", MEASURE, sys.executable, "-m", "scoop", "ingest", "--items", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/tmp",
        env=environ | {"SCOOP_DATABASE_URL": database_url},
    )
    body = "A long report. " * 6_700
    for number in range(2_000):
        process.stdin.write(as_json(an_item(number, body_text=f"{number} {body}")) + b"\n")
    output, errors = finished(process, None)
    assert process.returncode == 0, errors.decode()
    assert counts(json.loads(output)) == (2_000, 2_000, 0)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    assert int(errors) / unit < MAX_RSS_MB


# Zipped


def incompressible_items(size):
    chance = random.Random(1)
    return [item | {"body_text": chance.randbytes(2_000).hex()} for item in some_items(size)]


@pytest.mark.parametrize("form", ["lines", "a minified array", "a pretty array"])
def test_what_stands_before_the_end_of_a_truncated_gzip_goes_in(form, url):
    zipped = gzip.compress(MANY[form](incompressible_items(60)))
    done, told = ingest(zipped[: len(zipped) // 2], url)
    assert done.returncode == 1
    assert "gzip stream is damaged" in done.stderr
    assert 20 <= told["new"] <= 30
    assert told["problem"]


@pytest.mark.parametrize("damage", ["a checksum", "rubbish behind", "the header alone"])
def test_a_damaged_gzip_is_told_and_nothing_before_the_damage_is_lost(damage, url):
    zipped = gzip.compress(as_lines(some_items(3)))
    raw, new = {
        "a checksum": (zipped[:-8] + zlib.crc32(b"other").to_bytes(4, "little") + zipped[-4:], 3),
        "rubbish behind": (zipped + b"rubbish", 3),
        "the header alone": (zipped[:10], 0),
    }[damage]
    done, told = ingest(raw, url)
    assert done.returncode == 1
    assert "gzip stream is damaged" in done.stderr
    assert counts(told) == (new, new, 0)


def test_a_zipped_array_with_a_large_element_is_read_as_quickly_as_a_line(url):
    [item] = some_items(1)
    item["source_metadata"]["large"] = random.Random(1).randbytes(4_000_000).hex()
    zipped = gzip.compress(as_json([item]), 1)
    done = scoop("ingest", "--items", "-", "--json", stdin=zipped, database_url=url, timeout=20)
    assert counts(json.loads(done.stdout)) == (1, 1, 0)


def test_a_gzip_whose_first_byte_comes_alone_is_recognised(url):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "scoop", "ingest", "--items", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/tmp",
        env=environ | {"SCOOP_DATABASE_URL": url},
    )
    zipped = gzip.compress(as_lines(some_items(2)))
    os.write(process.stdin.fileno(), zipped[:1])
    while fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) != bytes(4):  # until the byte is read
        assert process.poll() is None
        time.sleep(0.01)
    output, errors = finished(process, zipped[1:])
    assert process.returncode == 0, errors
    assert counts(json.loads(output)) == (2, 2, 0)


def test_gzip_inside_gzip_is_told_as_such(url):
    done, told = ingest(gzip.compress(gzip.compress(as_lines(some_items(1)))), url)
    assert done.returncode == 1
    assert counts(told) == (0, 0, 0)
    assert "gunzip" in done.stderr
