import json
import math
from datetime import UTC, datetime
from uuid import UUID

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.items import ItemProblem, item_uuid, list_problems, parse_moment, schema_text

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
A_DATE_TIME = "is not a date-time as in 2026-11-15T09:00:00Z"


def some_metadata(**changes):
    return {
        "collection": "ai_news",
        "job_name": "rss",
        "job_run_id": "run-1",
        "scraped_at": "2026-11-15T09:00:00Z",
        **changes,
    }


def an_item(**changes):
    return {
        "payload_version": "v1",
        "source": "example_feed",
        "source_item_id": "42",
        "title": "A headline",
        "source_metadata": some_metadata(),
        **changes,
    }


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_the_schema_is_a_valid_draft_2020_12_schema():
    schema = json.loads(schema_text())
    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    "item",
    [
        an_item(),
        an_item(
            canonical_url="HTTPS://example.com/a",
            image_url="http://example.com/i.png",
            published_at="2026-11-15t09:00:00.123456789+09:00",
            body_text="",
            language="zh-Hant",
            source_domain="example.com",
            authors=["A. Writer"] * 64,
            tags=["ai"] * 128,
        ),
        an_item(title="x" * 2048, source="x" * 128, source_item_id="x" * 512, body_text="x" * 500_000),
        an_item(source_metadata=some_metadata(views=2**70, deep=nested(61), other={"a key": None})),
        an_item(source_metadata=some_metadata(item_uuid=str(item_uuid("example_feed", "42")))),
        an_item(published_at="2016-12-31T23:59:60Z"),
    ],
)
def test_a_good_item_has_no_problems(item):
    assert list_problems(item) == []


@pytest.mark.parametrize(
    ("changes", "path", "reason"),
    [
        ({"payload_version": "v2"}, "$.payload_version", 'must be "v1"'),
        ({"title": "x" * 2049}, "$.title", "must be at most 2048 characters (has 2049)"),
        ({"title": ""}, "$.title", "must not be empty"),
        ({"title": " \t"}, "$.title", "must not be blank"),
        ({"title": "\u200b\u200b"}, "$.title", "must not be blank"),
        ({"title": 7}, "$.title", "must be of type string (is integer)"),
        ({"source": ""}, "$.source", "must not be empty"),
        ({"source_item_id": "x" * 513}, "$.source_item_id", "must be at most 512 characters (has 513)"),
        ({"published_at": "yesterday"}, "$.published_at", A_DATE_TIME),
        ({"published_at": "2026-02-30T00:00:00Z"}, "$.published_at", A_DATE_TIME),
        ({"published_at": "2026-11-15T09:00:00"}, "$.published_at", A_DATE_TIME),
        ({"published_at": "0000-01-01T00:00:00Z"}, "$.published_at", A_DATE_TIME),
        ({"published_at": "0001-01-01T00:00:00+10:00"}, "$.published_at", A_DATE_TIME),
        ({"published_at": None}, "$.published_at", "must be of type string (is null)"),
        ({"canonical_url": "ftp://example.com/a"}, "$.canonical_url", "must begin with http:// or https://"),
        (
            {"canonical_url": "https://example.com/a b"},
            "$.canonical_url",
            "is not a URI as in https://example.com/article; percent-encode what is not ASCII",
        ),
        (
            {"image_url": "http://"},
            "$.image_url",
            "is not a valid URL, as in https://example.com/article",
        ),
        (
            {"canonical_url": f"https://a.example/{'x' * 4096}"},
            "$.canonical_url",
            "must be at most 4096 characters (has 4114)",
        ),
        ({"body_text": "x" * 500_001}, "$.body_text", "must be at most 500000 characters (has 500001)"),
        ({"language": "e"}, "$.language", "must be at least 2 characters (has 1)"),
        ({"authors": ["x"] * 65}, "$.authors", "must be at most 64 entries (has 65)"),
        ({"tags": ["ai", ""]}, "$.tags[1]", "must not be empty"),
        ({"body_text": "a\0b"}, "$.body_text", "contains a NUL character"),
        ({"tags": ["ai", "\ud800"]}, "$.tags[1]", "contains a lone surrogate, which is not Unicode text"),
        ({"authors": ("A",)}, "$.authors", "is not a JSON value (is tuple)"),
    ],
)
def test_a_bad_field_is_named_with_what_is_allowed(changes, path, reason):
    assert list_problems(an_item(**changes)) == [ItemProblem(path, reason)]


@pytest.mark.parametrize(
    ("changes", "path", "reason"),
    [
        ({"scraped_at": "2026-13-01T00:00:00Z"}, ".scraped_at", A_DATE_TIME),
        ({"scraped_at": "9999-12-31T23:59:59-05:00"}, ".scraped_at", A_DATE_TIME),
        ({"collection": "x" * 129}, ".collection", "must be at most 128 characters (has 129)"),
        ({"item_uuid": "42"}, ".item_uuid", "is not a UUID as in 6ba7b811-9dad-11d1-80b4-00c04fd430c8"),
        ({"score": math.nan}, ".score", "must be a number that JSON can hold (is nan)"),
        ({"score": -math.inf}, ".score", "must be a number that JSON can hold (is -inf)"),
        ({"score": 10**1001}, ".score", "must have at most 1,000 digits"),
        ({"a key": "\0"}, '["a key"]', "contains a NUL character"),
        ({"a\0": 1}, '["a\\u0000"]', "has a key that contains a NUL character"),
        ({7: 1}, "", "has a key that is not a string (is int)"),
        ({"deep": nested(63)}, f".deep{'[0]' * 62}", "must not be nested deeper than 64 levels"),
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, ".at", "is not a JSON value (is datetime)"),
    ],
)
def test_bad_metadata_is_named_with_its_path(changes, path, reason):
    item = an_item(source_metadata={**some_metadata(), **changes})
    assert list_problems(item) == [ItemProblem(f"$.source_metadata{path}", reason)]


@pytest.mark.parametrize("key", ["payload_version", "source", "source_item_id", "title", "source_metadata"])
def test_a_missing_field_is_named(key):
    item = an_item()
    del item[key]
    assert list_problems(item) == [ItemProblem(f"$.{key}", "is required")]


@pytest.mark.parametrize("key", ["collection", "job_name", "job_run_id", "scraped_at"])
def test_a_missing_piece_of_metadata_is_named(key):
    metadata = some_metadata()
    del metadata[key]
    assert list_problems(an_item(source_metadata=metadata)) == [ItemProblem(f"$.source_metadata.{key}", "is required")]


def test_an_unknown_key_is_told_what_is_known():
    [problem] = list_problems(an_item(headline="x"))
    assert problem.path == "$.headline"
    assert problem.reason.startswith("unknown key; allowed are payload_version, source, source_item_id, title")


def test_all_wrong_fields_are_told_at_once():
    found = list_problems(an_item(title="", language="e", tags=[1], odd=True))
    assert {problem.path for problem in found} == {"$.title", "$.language", "$.tags[0]", "$.odd"}


@pytest.mark.parametrize(
    ("item", "name"), [(None, "null"), ([], "array"), ("text", "string"), (1.5, "number"), (True, "boolean")]
)
def test_what_is_no_object_is_no_item(item, name):
    assert list_problems(item) == [ItemProblem("$", f"must be of type object (is {name})")]


def test_an_abyss_is_refused_without_falling_into_it():
    [problem] = list_problems(an_item(source_metadata=some_metadata(deep=nested(100_000))))
    assert problem.reason == "must not be nested deeper than 64 levels"


def test_a_flood_of_problems_is_cut():
    assert len(list_problems(an_item(tags=["\0"] * 5_000))) == 100


def test_an_item_keeps_its_uuid():
    assert item_uuid("example_feed", "42") == UUID("8a240330-6f46-5d41-80e3-07b397cffe21")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-11-15T09:00:00Z", datetime(2026, 11, 15, 9, tzinfo=UTC)),
        ("2026-11-15t09:00:00z", datetime(2026, 11, 15, 9, tzinfo=UTC)),
        ("2026-11-15T09:00:00.5+09:00", datetime(2026, 11, 15, 0, 0, 0, 500_000, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_date_time_is_a_moment_in_utc(written, meant):
    assert parse_moment(written) == meant
    assert parse_moment(written).tzinfo is UTC


@given(ANY_VALUE)
def test_no_value_breaks_the_check(value):
    assert list_problems(value)


@given(st.dictionaries(ANY_TEXT, ANY_VALUE, max_size=4))
def test_metadata_that_passes_can_be_written_as_json(metadata):
    item = an_item(source_metadata={**metadata, **some_metadata()})
    if not list_problems(item):
        assert json.loads(json.dumps(item, allow_nan=False)) == item


@given(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("title", "canonical_url", "published_at", "tags", "language"), ANY_VALUE)
    )
)
def test_every_problem_has_a_printable_path_and_a_reason(changes):
    for problem in list_problems(an_item(**changes)):
        assert problem.path.startswith("$")
        assert problem.path.encode()
        assert problem.reason
