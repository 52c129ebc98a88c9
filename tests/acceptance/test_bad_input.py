"""Whatever is handed in: one clear message, no traceback; the bad is kept apart, the good goes in."""

import asyncio
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from builders import an_item, as_lines, scoop
from conftest import administer, url_of

MAX_RSS_MB = 300
A_DATE_TIME = "is not a date-time as in 2026-11-15T09:00:00Z"


def a_line(**changes):
    return as_lines([an_item(1, **changes)])


def a_text(old, new):
    """The line of a good item in which some bytes are others."""
    line = a_line()
    assert old in line
    return line.replace(old, new)


def a_number(written):
    return a_line(metadata={"odd": "@"}).replace(b'"@"', written)


# What is on the line, the path it is refused with, and what the reason says.
BAD = {
    "no JSON": (b"oops\n", "$", "is not JSON"),
    "half an object": (a_line()[:60] + b"\n", "$", "is not JSON"),
    "two objects": (b"{} {}\n", "$", "is not JSON"),
    "single quotes": (b"{'title': 1}\n", "$", "is not JSON"),
    "a trailing comma": (a_line()[:-2] + b",}\n", "$", "is not JSON"),
    "a comment": (b"// the news\n", "$", "is not JSON"),
    "bytes that are no UTF-8": (a_text(b"Bridge", b"Br\xefcke"), "$", "is not JSON"),
    "a NUL byte": (a_text(b"Bridge", b"Br\0dge"), "$", "is not JSON"),
    "a tab in a string": (a_text(b"Bridge", b"Br\tdge"), "$", "is not JSON"),
    "an escaped NUL": (a_text(b"Bridge", rb"Br\u0000dge"), "$.title", "contains a NUL character"),
    "a NUL in a key": (a_line(metadata={"a\0b": 1}), '$.source_metadata["a\\u0000b"]', "contains a NUL character"),
    "a lone surrogate": (a_text(b"Bridge", rb"\ud83dBridge"), "$.title", "contains a lone surrogate"),
    "a lone surrogate in a key": (
        a_line(metadata={"@": 1}).replace(b"@", rb"\udc00"),
        '$.source_metadata["\\udc00"]',
        "contains a lone surrogate",
    ),
    "no object": (b"[]\n", "$", "must be of type object (is array)"),
    "an empty object": (b"{}\n", "$.title", "is required"),
    "no title": (a_line(title=None), "$.title", "is required"),
    "no collection": (a_text(b'"collection": "world_news", ', b""), "$.source_metadata.collection", "is required"),
    "an unknown key": (as_lines([an_item(1) | {"headline": "x"}]), "$.headline", "unknown key"),
    "another version": (a_line(payload_version="v2"), "$.payload_version", 'must be "v1"'),
    "a number as title": (a_line(title=7), "$.title", "must be of type string (is integer)"),
    "null as title": (
        a_text(b'"Bridge number 1 stays closed"', b"null"),
        "$.title",
        "must be of type string (is null)",
    ),
    "a list as metadata": (as_lines([an_item(1) | {"source_metadata": []}]), "$.source_metadata", "(is array)"),
    "text as tags": (a_line(tags="ai, news"), "$.tags", "must be of type array (is string)"),
    "a number among the tags": (a_line(tags=["ai", 7]), "$.tags[1]", "must be of type string (is integer)"),
    "an empty title": (a_line(title=""), "$.title", "must not be empty"),
    "a blank title": (a_line(title=" \t "), "$.title", "must not be blank"),
    "a title of invisible characters": (a_line(title="\u200b\u00a0\u3000"), "$.title", "must not be blank"),
    "a long title": (a_line(title="x" * 2049), "$.title", "at most 2048 characters (has 2049)"),
    "a long source": (a_line(source="x" * 129), "$.source", "at most 128 characters"),
    "a long id": (a_line(source_item_id="x" * 513), "$.source_item_id", "at most 512 characters"),
    "a long body": (a_line(body_text="x" * 500_001), "$.body_text", "at most 500000 characters"),
    "a long collection": (a_line(metadata={"collection": "x" * 129}), "$.source_metadata.collection", "at most 128"),
    "many tags": (a_line(tags=["x"] * 129), "$.tags", "at most 128 entries"),
    "no date": (a_line(published_at="yesterday"), "$.published_at", A_DATE_TIME),
    "the 30th of February": (a_line(published_at="2026-02-30T00:00:00Z"), "$.published_at", A_DATE_TIME),
    "hour 24": (a_line(published_at="2026-11-15T24:00:00Z"), "$.published_at", A_DATE_TIME),
    "no timezone": (a_line(published_at="2026-11-15T09:00:00"), "$.published_at", A_DATE_TIME),
    "the year 0": (a_line(published_at="0000-01-01T00:00:00Z"), "$.published_at", A_DATE_TIME),
    "a time before the year 1 in UTC": (
        a_line(metadata={"scraped_at": "0001-01-01T00:00:00+10:00"}),
        "$.source_metadata.scraped_at",
        "date-time",
    ),
    "a time after the year 9999 in UTC": (
        a_line(metadata={"scraped_at": "9999-12-31T23:59:59-05:00"}),
        "$.source_metadata.scraped_at",
        "date-time",
    ),
    "an ftp URL": (a_line(canonical_url="ftp://a.example/x"), "$.canonical_url", "must begin with http"),
    "a script as URL": (a_line(image_url="javascript:alert(1)"), "$.image_url", "must begin with http"),
    "a URL without a host": (a_line(canonical_url="https://"), "$.canonical_url", "is not a valid URL"),
    "a URL with a port too high": (
        a_line(canonical_url="https://a.example:99999/"),
        "$.canonical_url",
        "is not a valid URL",
    ),
    "a URL with a blank": (a_line(canonical_url="https://a.example/a b"), "$.canonical_url", "percent-encode"),
    "a long URL": (a_line(canonical_url=f"https://a.example/{'x' * 4096}"), "$.canonical_url", "at most 4096"),
    "an integer of 5,000 digits": (a_number(b"9" * 5000), "$", "out of range"),
    "1e400": (a_number(b"1e400"), "$.source_metadata.odd", "a number that JSON can hold"),
    "1e-400000, which the database cannot hold": (a_number(b"1e-400000"), "$", "the database cannot store it"),
    "NaN": (a_number(b"NaN"), "$.source_metadata.odd", "a number that JSON can hold"),
    "70 levels": (a_number(b"[" * 70 + b"]" * 70), f"$.source_metadata.odd{'[0]' * 62}", "deeper than 64 levels"),
    "100,000 brackets": (a_number(b"[" * 100_000 + b"]" * 100_000), "$", "nested"),
    "100,000 open braces": (b'{"a":' * 100_000 + b"\n", "$", "nested"),
}
GOOD = as_lines([an_item(2), an_item(3)]).splitlines(keepends=True)


@pytest.fixture(scope="module")
def make_url(postgres, template, worker_id):
    """Databases for the length of this file."""
    names = []

    def make():
        names.append(f"bad_{worker_id}_{len(names)}")
        asyncio.run(administer(postgres, f"CREATE DATABASE {names[-1]} TEMPLATE {template} STRATEGY file_copy"))
        return url_of(postgres, names[-1])

    yield make
    for name in names:
        asyncio.run(administer(postgres, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(scope="module")
def url(make_url):
    """For tests that change nothing, or bring items that no other test has."""
    return make_url()


def refusals(url, *arguments):
    done = scoop("refused", "--limit", "100000", "--json", *arguments, database_url=url)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[::-1]


class Twice:
    """A file with every bad line between two good ones, taken in twice."""

    def __init__(self, url, file):
        file.write_bytes(GOOD[0] + b"".join(raw for raw, _, _ in BAD.values()) + GOOD[1])
        self.url = url
        self.first = scoop("ingest", "--items", str(file), "--json", database_url=url)
        self.refused = refusals(url)
        self.second = scoop("ingest", "--items", str(file), "--json", database_url=url)
        self.refused_then = refusals(url)
        self.by_line = {refusal["line"]: refusal for refusal in self.refused}


@pytest.fixture(scope="module")
def twice(make_url, tmp_path_factory):
    return Twice(make_url(), tmp_path_factory.mktemp("bad") / "bad.ndjson")


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_item_is_kept_with_its_line_path_and_reason(kind, twice):
    raw, path, reason = BAD[kind]
    refusal = twice.by_line[2 + list(BAD).index(kind)]
    assert any(problem["path"] == path and reason in problem["reason"] for problem in refusal["problems"]), refusal
    assert (refusal["path"], refusal["reason"]) == tuple(refusal["problems"][0].values())
    assert raw.decode("utf-8", "replace").startswith(refusal["item"][:500])


def test_the_good_items_of_a_bad_file_go_in(twice):
    assert twice.first.returncode == 1
    assert "Traceback" not in twice.first.stderr
    told = json.loads(twice.first.stdout)
    assert (told["items"], told["new"], told["refused"]) == (len(BAD) + 2, 2, len(BAD))
    assert set(twice.by_line) == set(range(2, 2 + len(BAD)))


def test_a_bad_file_taken_in_again_adds_nothing(twice):
    assert twice.second.returncode == 1
    told = json.loads(twice.second.stdout)
    assert (told["items"], told["new"], told["refused"]) == (len(BAD) + 2, 0, len(BAD))
    assert len(twice.refused_then) == len(twice.refused)


def test_the_list_that_the_second_ingest_points_to_is_not_empty(twice):
    _, _, command = twice.second.stderr.partition("problems: scoop ")
    done = scoop(*command.split(), "--limit", "100000", "--json", database_url=twice.url)
    assert {refusal["line"] for refusal in json.loads(done.stdout)} == set(twice.by_line)


# Items that a check let through and the database did not


def ingested(url, *items):
    done = scoop("ingest", "--items", "-", "--json", stdin=as_lines(items), database_url=url)
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"source": "  "}, "$.source"),
        ({"source_item_id": " "}, "$.source_item_id"),
        ({"metadata": {"collection": " "}}, "$.source_metadata.collection"),
    ],
)
def test_a_name_of_blanks_is_refused_and_does_not_take_its_neighbours_along(changes, path, database_url):
    told = ingested(database_url, an_item(1), an_item(2, **changes), an_item(3))
    assert (told["items"], told["new"], told["refused"]) == (3, 2, 1)
    assert [(refusal["line"], refusal["path"]) for refusal in refusals(database_url)] == [(2, path)]


def test_a_problem_at_the_end_of_a_long_path_is_kept_as_any_other(database_url):
    chance = random.Random(1)
    value = "\0"
    for _ in range(55):
        value = {chance.randbytes(50).hex(): value}
    told = ingested(database_url, an_item(1), an_item(2, metadata={"deep": value}))
    assert (told["new"], told["refused"]) == (1, 1)
    [refusal] = refusals(database_url)
    assert refusal["reason"] == "contains a NUL character"


def test_an_item_with_the_longest_names_in_the_widest_characters_becomes_a_story_or_is_refused(database_url):
    chance = random.Random(1)

    def wide(length):
        return "".join(chr(chance.randrange(0x20000, 0x2A000)) for _ in range(length))

    longest = an_item(1, source=wide(128), source_item_id=wide(512), metadata={"collection": wide(128)})
    told = ingested(database_url, longest, an_item(2))
    done = scoop("run-once", "--json", database_url=database_url)
    assert done.returncode == 0, done.stderr
    stats = json.loads(scoop("stats", "--json", database_url=database_url).stdout)
    assert stats["stories"] == told["new"]
    assert stats["work"] == []


def test_items_from_the_first_and_last_moments_there_are_break_nothing(database_url):
    first, last = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"
    told = ingested(
        database_url,
        an_item(1),
        an_item(2, published_at=first),
        an_item(3, published_at=last),
        an_item(4, metadata={"scraped_at": first}),
        an_item(5, metadata={"scraped_at": last}),
    )
    assert scoop("run-once", database_url=database_url).returncode == 0
    stats = json.loads(scoop("stats", "--json", database_url=database_url).stdout)
    assert (stats["stories"], stats["work"]) == (told["new"], [])
    done = scoop("stories", database_url=database_url)
    assert done.returncode == 0, done.stderr
    assert "Bridge number 1" in done.stdout


# Many problems


def test_an_item_with_thousands_of_problems_is_one_refused_item_with_the_first_hundred(database_url):
    told = ingested(database_url, an_item(1, tags=[""] * 5_000), an_item(2) | {f"key_{n}": 1 for n in range(5_000)})
    assert (told["items"], told["new"], told["refused"]) == (2, 0, 2)
    found = refusals(database_url)
    assert [refusal["line"] for refusal in found] == [1, 2]
    assert [len({problem["path"] for problem in refusal["problems"]}) for refusal in found] == [100, 100]


# The wrapper's figure is not raised by the size of the process that runs the tests, as our own would be.
MEASURE = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)"
)


def test_large_items_with_many_problems_are_kept_in_little_memory(database_url):
    large = as_lines(an_item(n, tags=[""] * 128, metadata={"large": f"{n}{'x' * 900_000}"}) for n in range(4))
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, sys.executable, "-m", "scoop", "ingest", "--items", "-", "--json"],
        input=large,
        capture_output=True,
        cwd="/tmp",
        env=environ | {"SCOOP_DATABASE_URL": database_url},
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["refused"] == 4
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    assert int(done.stderr.split()[-1]) / unit < MAX_RSS_MB
    found = refusals(database_url)
    assert [len(refusal["problems"]) for refusal in found] == [100] * 4
    assert all(refusal["item"].startswith('{"payload_version"') for refusal in found)


# Files that cannot be read


def assert_told(done, code, *words):
    """One message with these words on standard error, and nothing on standard output."""
    assert "Traceback" not in done.stderr, done.stderr
    assert (done.returncode, done.stdout) == (code, "")
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("/tmp", ["is a folder", "give a file"]),
        ("/tmp/there/is/no/such/file.ndjson", ["no such file"]),
        (f"{__file__}/below.ndjson", ["not a directory"]),
        (f"/tmp/{'x' * 300}", ["file name too long"]),
        ("", ["no such file"]),
    ],
)
def test_a_file_that_cannot_be_opened_is_told_with_the_reason(file, words, url):
    assert_told(scoop("ingest", "--items", file, database_url=url), 1, "scoop: ", *words)


def test_a_file_that_cannot_be_read_is_told_with_the_reason(url):
    done = scoop("ingest", "--items", "/proc/self/mem", database_url=url)  # opens, but cannot be read at its start
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 1
    assert "input/output error" in done.stderr.lower()


def test_a_file_whose_name_is_no_utf_8_is_taken_in_or_told(url, tmp_path):
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.ndjson"))
    file.write_bytes(b"oops\n")
    done = scoop("ingest", "--items", str(file), database_url=url)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in {1, 2}
    assert done.stderr.count("scoop") >= 1


def test_a_file_at_the_end_of_a_long_path_is_taken_in(url, tmp_path):
    chance = random.Random(1)
    folder = tmp_path
    for _ in range(14):
        folder /= chance.randbytes(100).hex()
    folder.mkdir(parents=True)
    file = folder / "bad.ndjson"
    file.write_bytes(b"oops\n")
    done = scoop("ingest", "--items", str(file), "--json", database_url=url)
    assert "Traceback" not in done.stderr, done.stderr
    assert json.loads(done.stdout)["refused"] == 1


# Wrong arguments

NO_UTF_8 = os.fsdecode(b"\xff")
HUGE = "9" * 30


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], ["there is no command 'frobnicate'", "scoop help"]),
        (["ingest"], ["--items FILE or --source NAME"]),
        (["ingest", "--items"], ["--items"]),
        (["ingest", "--items", "x", "--source", "y"], ["--items FILE or --source NAME"]),
        (["story"], ["scoop story needs"]),
        (["why"], ["scoop why needs"]),
        (["sources", "add"], ["scoop sources add needs TARGET"]),
        (["sources", "add", "ftp://x", "--collection", "a"], ["not an http or https URL"]),
        (["sources", "add", "not-a-url", "--collection", "a"], ["is not a URL"]),
        (["sources", "add", "not-a-url"], ["--collection"]),
        (["sources", "add", "https://a.example/feed", "--collection", ""], ["collection"]),
        (["sources", "add", "https://a.example/feed", "--collection", " "], ["collection"]),
        (["sources", "add", "https://a.example/feed", "--collection", "x" * 129], ["collection", "128"]),
        (["sources", "add", "https://a.example/feed", "--collection", "a", "--name", " "], ["name"]),
        (
            ["sources", "add", "https://a.example/feed", "--collection", "a", "--slug", "A b"],
            ["slug", "a-z, 0-9 and _"],
        ),
        (["sources", "add", "https://a.example/feed", "--collection", "a", "--every", "often"], ["30m, 1h or 2d"]),
        (["sources", "add", "https://a.example/feed", "--collection", "a", "--connect-to", "here"], ["ADDRESS:PORT"]),
        (["stories", "--since", "yesterday"], ["--since"]),
        (["stories", "--limit", "0"], ["--limit"]),
        (["refused", "--run", HUGE], ["--run"]),
        (["work", "retry", HUGE], [HUGE]),
        (["work", "quarantine", "release", "all"], ["all"]),
        (["run-once", "--processes", "0"], ["--processes"]),
    ],
    ids=lambda value: " ".join(value)[:60],
)
def test_wrong_usage_is_told_with_what_is_right(arguments, words, url):
    assert_told(scoop(*arguments, database_url=url), 2, *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["story", "999999"], ["there is no story '999999'", "scoop stories"]),
        (["story", "nonsense"], ["there is no story 'nonsense'", "scoop stories"]),
        (["story", HUGE], ["there is no story", "scoop stories"]),
        (["story", "0d0e7c5e-8f0b-4bd5-9f8e-3f6f2f0f6a10"], ["there is no story", "scoop stories"]),
        (["why", "nothing"], ["there is no document 'nothing'", "number"]),
        (["why", "https://nobody.example/a"], ["there is no document", "URL"]),
        (["sources", "remove", "nobody"], ["there is no source 'nobody'", "scoop sources list"]),
        (["ingest", "--source", "nobody"], ["there is no source 'nobody'", "scoop sources list"]),
    ],
    ids=lambda value: " ".join(value)[:60],
)
def test_what_is_not_there_is_told_with_where_to_look(arguments, words, url):
    assert_told(scoop(*arguments, database_url=url), 1, *words)


@pytest.mark.parametrize(
    "arguments",
    [
        ["why", NO_UTF_8],
        ["story", NO_UTF_8],
        ["stories", "--collection", NO_UTF_8],
        ["runs", "--source", NO_UTF_8],
        ["sources", "remove", NO_UTF_8],
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_argument_that_is_no_utf_8_is_told(arguments, url):
    done = scoop(*arguments, database_url=url)
    assert_told(done, done.returncode)
    assert done.returncode in {1, 2}
    assert done.stderr.strip()


def test_the_first_day_there_is_can_be_asked_for_in_any_timezone(url):
    done = scoop("stories", "--since", "0001-01-01", "--json", database_url=url, timezone="Asia/Tokyo")
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in {0, 2}


# Streams and folders that are not as usual


def in_shell(script, url):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    return subprocess.run(
        ["sh", "-c", f'scoop() {{ {sys.executable} -m scoop "$@"; }}; {script}'],
        capture_output=True,
        text=True,
        cwd="/tmp",
        env=environ | {"SCOOP_DATABASE_URL": url},
        timeout=60,
    )


@pytest.mark.parametrize("command", ["scoop schema item", "scoop stats", "scoop stats --json"])
def test_output_that_cannot_be_written_is_told(command, url):
    done = in_shell(f"{command} > /dev/full", url)
    assert "Traceback" not in done.stderr, done.stderr
    assert "no space left" in done.stderr.lower()
    assert done.returncode == 1


def test_nobody_is_troubled_when_the_reader_has_enough(url):
    done = in_shell("scoop schema item | true", url)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("streams", ["<&-", "</dev/null >&-", "</dev/null 2>&-"])
def test_a_closed_stream_is_as_good_as_an_empty_one(streams, url):
    done = in_shell(f"scoop ingest --items - {streams}", url)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_that_was_removed_is_no_hindrance(url, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    done = in_shell(f"cd {gone} && rmdir {gone} && scoop stats --json", url)
    assert (done.returncode, done.stderr) == (0, "")
