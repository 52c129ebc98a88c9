import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.native_ids import native_ids
from scoop.core.urls import canonical_url

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("url", "native_id"),
    [
        ("https://arxiv.org/abs/2401.01234", "arxiv:2401.01234"),
        ("http://export.arxiv.org/abs/2401.01234v3", "arxiv:2401.01234"),
        ("https://arxiv.org/pdf/2401.01234v2.pdf", "arxiv:2401.01234"),
        ("https://arxiv.org/html/2401.01234v1#S2", "arxiv:2401.01234"),
        ("https://arxiv.org/abs/hep-th/9901001v2", "arxiv:hep-th/9901001"),
        ("https://arxiv.org/abs/math.GT/0309136", "arxiv:math/0309136"),
        ("https://doi.org/10.48550/arXiv.2401.01234", "arxiv:2401.01234"),
        ("https://www.reddit.com/r/LocalLLaMA/comments/1abc23/some_title/", "reddit:1abc23"),
        ("https://old.reddit.com/r/x/comments/1ABC23", "reddit:1abc23"),
        ("https://www.reddit.com/comments/1abc23?sort=new", "reddit:1abc23"),
        ("https://redd.it/1abc23", "reddit:1abc23"),
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=10s", "youtube:dQw4w9WgXcQ"),
        ("https://m.youtube.com/watch?list=PL1&v=dQw4w9WgXcQ", "youtube:dQw4w9WgXcQ"),
        ("https://youtu.be/dQw4w9WgXcQ?si=x", "youtube:dQw4w9WgXcQ"),
        ("https://www.youtube.com/shorts/dQw4w9WgXcQ", "youtube:dQw4w9WgXcQ"),
        ("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ", "youtube:dQw4w9WgXcQ"),
        ("https://www.youtube.com/live/dQw4w9WgXcQ?feature=share", "youtube:dQw4w9WgXcQ"),
        ("https://news.ycombinator.com/item?id=38905019", "hn:38905019"),
    ],
)
def test_an_address_on_a_platform_names_the_item(url, native_id):
    assert native_ids(url, "any_feed", "1", {}) == (native_id,)
    assert native_ids(canonical_url(url), "any_feed", "1", {}) == (native_id,)
    assert native_ids(None, "any_feed", url, {}) == (native_id,)


@pytest.mark.parametrize(
    "url",
    [
        None,
        "https://arxiv.org/list/cs.AI/recent",
        "https://arxiv.org/abs/2413.01234",
        "https://notarxiv.org/abs/2401.01234",
        "https://example.com/?u=https://arxiv.org/abs/2401.01234",
        "https://www.reddit.com/r/LocalLLaMA/",
        "https://www.reddit.com/r/x/comments/1abc23/some_title/kdef456/",
        "https://www.reddit.com/r/x/comments/1abc23/comment/kdef456/",
        "https://i.redd.it/1abc23.jpg",
        "https://www.youtube.com/@channel",
        "https://www.youtube.com/watch?v=short",
        "https://news.ycombinator.com/user?id=pg",
    ],
)
def test_other_addresses_name_nothing(url):
    assert native_ids(url, "any_feed", "1", {}) == ()


@pytest.mark.parametrize(
    ("source", "source_item_id", "native_id"),
    [
        ("arxiv_cs_ai", "2401.01234v2", "arxiv:2401.01234"),
        ("arxiv", "oai:arXiv.org:2401.01234v1", "arxiv:2401.01234"),
        ("arXiv", "arXiv:hep-th/9901001", "arxiv:hep-th/9901001"),
        ("arxiv", "10.48550/arXiv.2401.01234", "arxiv:2401.01234"),
        ("reddit-localllama", "t3_1ABC23", "reddit:1abc23"),
        ("youtube_openai", "yt:video:dQw4w9WgXcQ", "youtube:dQw4w9WgXcQ"),
        ("youtube", "dQw4w9WgXcQ", "youtube:dQw4w9WgXcQ"),
        ("hackernews", "38905019", "hn:38905019"),
        ("hacker_news_top", "38905019", "hn:38905019"),
        ("hn", "38905019", "hn:38905019"),
    ],
)
def test_a_platforms_own_ids_count_under_its_name(source, source_item_id, native_id):
    assert native_ids(None, source, source_item_id, {}) == (native_id,)


@pytest.mark.parametrize("key", ["platform", "kind", "source_kind"])
def test_the_metadata_can_name_the_platform(key):
    assert native_ids(None, "ai", "38905019", {key: "hackernews"}) == ("hn:38905019",)


@pytest.mark.parametrize(
    ("source", "source_item_id"),
    [
        ("example", "38905019"),
        ("john", "38905019"),
        ("blog", "t3_1abc23"),
        ("reddit", "t1_kdef456"),
        ("daily", "2401.01234"),
    ],
)
def test_an_id_that_only_looks_native_does_not_count(source, source_item_id):
    assert native_ids(None, source, source_item_id, {}) == ()


def test_a_discussion_of_a_paper_has_both_ids():
    assert native_ids("https://arxiv.org/abs/2401.01234", "hn", "7", {}) == ("arxiv:2401.01234", "hn:7")


@given(
    st.none() | ANY_TEXT,
    ANY_TEXT,
    ANY_TEXT,
    st.dictionaries(st.sampled_from(["platform", "kind"]), st.integers() | ANY_TEXT),
)
def test_no_item_breaks_it(url, source, source_item_id, metadata):
    found = native_ids(url, source, source_item_id, metadata)
    assert list(found) == sorted(set(found))
