from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.urls import canonical_url, host, tracked_url, with_fragment, without_parameters

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
WRAPPERS = (
    "https://www.google.com/url?sa=t&q={quoted}",
    "https://l.facebook.com/l.php?u={quoted}&h=x",
    "https://out.reddit.com/t3_abc?url={quoted}",
    "https://href.li/?{url}",
)
AWKWARD = st.sampled_from(
    ["/", "//", ".", "..", "%2e", "%", "%zz", "%7E", "%e3", "?", "&", "=", "#", "a", "Ä", "|", "[x]"]
)


@st.composite
def wild_urls(draw):
    name = draw(st.sampled_from(["Example.COM", "a.example.", "1..", "[::1]", "日本.jp", "www.google.de", "href.li"]))
    url = f"http{draw(st.sampled_from(['', 's', 'S']))}://{name}/{''.join(draw(st.lists(AWKWARD, max_size=12)))}"
    for wrapper in draw(st.lists(st.sampled_from(WRAPPERS), max_size=5)):
        url = wrapper.format(url=url, quoted=quote(url, safe=""))
    return url


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("HTTPS://Example.COM/A", "https://example.com/A"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com.:443/a", "https://example.com/a"),
        ("http://example.com:8080/a", "http://example.com:8080/a"),
        ("https://user:secret@example.com/a#part", "https://example.com/a"),
        ("https://example.com//a///b/", "https://example.com/a/b"),
        ("https://example.com/a/../b/./c", "https://example.com/b/c"),
        ("https://example.com/%7euser/%e3%81%82", "https://example.com/~user/%E3%81%82"),
        ("https://example.com/あ", "https://example.com/%E3%81%82"),
        ("https://example.com/100%", "https://example.com/100%25"),
        ("https://example.com/a|b?f[x]=1", "https://example.com/a%7Cb?f%5Bx%5D=1"),
        ("https://日本.jp/", "https://xn--wgv71a.jp/"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/a?b=2&a=2&&a=1", "https://example.com/a?a=1&a=2&b=2"),
        ("https://example.com/a?b=2&amp;utm_source=x&amp;amp;a=1", "https://example.com/a?a=1&b=2"),
        ("https://example.com/?page=2", "https://example.com/?page=2"),
        ("  https://example.com/a\n", "https://example.com/a"),
    ],
)
def test_every_spelling_of_a_page_becomes_one(written, canonical):
    assert canonical_url(written) == canonical


@pytest.mark.parametrize(
    "parameter",
    [
        *["utm_source=x", "UTM_Medium=x", "fbclid=1", "gclid=1", "mc_cid=1", "ref=hn", "cmp=x"],
        *["maca=en-rss-en-all-1573-rdf", "traffic_source=rss", "_r=0", "postshare=1"],
    ],
)
def test_tracking_parameters_are_dropped(parameter):
    assert canonical_url(f"https://example.com/a?id=7&{parameter}") == "https://example.com/a?id=7"


@pytest.mark.parametrize("parameter", ["reference=1", "p=12", "utm=1", "id=7", "story=gclid"])
def test_parameters_that_choose_the_page_stay(parameter):
    assert canonical_url(f"https://example.com/a?{parameter}") == f"https://example.com/a?{parameter}"


@pytest.mark.parametrize(
    "wrapped",
    [
        "https://www.google.com/url?q=https://example.com/a%3Fid%3D7%26utm_source%3Dx&sa=D",
        "https://google.co.jp/url?sa=t&url=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7",
        "https://www.google.com/amp/s/example.com/a?id=7",
        "https://example-com.cdn.ampproject.org/c/s/example.com/a?id=7&usqp=mq331AQ",
        "https://example-com.cdn.ampproject.org/v/s/example.com/a?id=7&amp_js_v=0.1",
        "https://l.facebook.com/l.php?u=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7%26fbclid%3Dx&h=AT0",
        "https://lm.facebook.com/l.php?u=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7",
        "https://out.reddit.com/t3_abc?url=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7&token=x",
        "https://t.umblr.com/redirect?z=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7&t=x",
        "https://www.youtube.com/redirect?event=v&q=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7",
        "https://slack-redir.net/link?url=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7",
        "https://steamcommunity.com/linkfilter/?u=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7",
        "https://href.li/?https://example.com/a?utm_source=x&id=7",
        "https://href.li/?https%3A%2F%2Fexample.com%2Fa%3Fid%3D7",
        "https://l.facebook.com/l.php?u=" + quote("https://www.google.com/url?q=https://example.com/a?id=7", safe=""),
    ],
)
def test_a_redirector_gives_way_to_its_target(wrapped):
    assert canonical_url(wrapped) == "https://example.com/a?id=7"


def test_an_amp_page_over_plain_http_keeps_its_scheme():
    assert canonical_url("https://x.cdn.ampproject.org/c/example.com/a") == "http://example.com/a"


@pytest.mark.parametrize(
    "url",
    [
        "https://www.google.com/url?q=not+a+url",
        "https://www.google.com/url?q=javascript%3Aalert(1)",
        "https://www.google.com/url?q=%FF%FE",
        "https://www.google.com/search?q=https%3A%2F%2Fexample.com%2F",
        "https://www.google.com/amp/s/nothing",
        "https://notgoogle.com/url?q=https%3A%2F%2Fexample.com%2F",
        "https://youtu.be/dQw4w9WgXcQ",
    ],
)
def test_what_carries_no_target_stays_where_it_is(url):
    assert host(canonical_url(url)) == host(url)


def test_a_redirector_nested_too_deep_is_left_alone():
    nested = f"https://www.google.com/{'amp/s/www.google.com/' * 4}amp/s/example.com/a"
    assert canonical_url(nested) == nested


@pytest.mark.parametrize(
    "target", ["", "news", "//example.com/a", "http://", "http://./", "http://a b/", "http://a:99999/", "http://a.1../"]
)
def test_what_is_no_url_is_refused(target):
    with pytest.raises(ValueError, match=r"is not a URL|has no host"):
        canonical_url(target)


@pytest.mark.parametrize(
    "url", ["ftp://example.com/a", "mailto:a@example.com", "javascript:alert(1)", "file:///etc/passwd"]
)
def test_other_schemes_are_refused(url):
    with pytest.raises(ValueError, match="not an http or https URL"):
        canonical_url(url)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.com/a", "example.com"),
        ("http://a.example:8080/", "a.example"),
        ("http://[::1]:8080/", "[::1]"),
    ],
)
def test_the_host_comes_without_its_port(url, name):
    assert host(canonical_url(url)) == name


@given(ANY_TEXT | ANY_TEXT.map("https://example.com/".__add__) | ANY_TEXT.map("http://".__add__))
def test_no_text_breaks_it(text):
    try:
        canonical = canonical_url(text)
    except ValueError:
        return
    assert canonical.isascii()
    assert canonical_url(canonical) == canonical


@given(wild_urls())
def test_a_canonical_url_is_its_own(url):
    try:
        canonical = canonical_url(url)
    except ValueError:
        return
    assert canonical_url(canonical) == canonical


@given(
    st.lists(st.text(alphabet="ab=%2", max_size=4)).flatmap(
        lambda pairs: st.tuples(st.just(pairs), st.permutations(pairs))
    )
)
def test_the_order_of_the_query_does_not_matter(orders):
    written, shuffled = orders
    assert canonical_url(f"https://a.example/?{'&'.join(written)}") == canonical_url(
        f"https://a.example/?{'&'.join(shuffled)}"
    )


def test_the_spelling_of_earlier_documents_keeps_parameters_that_became_known_later():
    url = "https://Example.com/a/?utm_source=x&maca=rss&id=7"
    assert canonical_url(url) == "https://example.com/a?id=7"
    assert tracked_url(url) == "https://example.com/a?id=7&maca=rss"


@pytest.mark.parametrize(
    ("url", "without"),
    [
        ("https://e.example/a/?x=1&rss=1&y=%20#top", "https://e.example/a/?x=1&y=%20#top"),
        ("https://e.example/a?rss=1", "https://e.example/a"),
        ("https://e.example/a?rss", "https://e.example/a"),
        ("https://e.example/a?x=rss", "https://e.example/a?x=rss"),
    ],
)
def test_parameters_are_removed_and_all_else_stays(url, without):
    assert without_parameters(url, {"rss"}) == without


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://e.example/a/?utm_source=x#Part 2", "https://e.example/a#Part%202"),
        ("https://e.example/a#", "https://e.example/a"),
        ("https://e.example/a", "https://e.example/a"),
    ],
)
def test_the_fragment_is_added_to_a_canonical_url(url, expected):
    assert with_fragment(canonical_url(url), url) == expected
