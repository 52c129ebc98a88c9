"""What is read of a feed."""

import json
import time
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import feed_reading, items
from scoop.core.feed_reading.feed import MAX_ITEMS, ParsedFeed

SAVED = sorted(path for path in (Path(__file__).parent / "feeds").iterdir() if ".expected." not in path.name)
NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
PIECES = st.sampled_from(
    [
        b"<rss version='2.0'><channel>",
        b"<feed xmlns='http://www.w3.org/2005/Atom'>",
        b"<rdf:RDF>",
        b"<item>",
        b"</item>",
        b"<entry>",
        b"</entry>",
        b"<title>",
        b"</title>",
        b"<link>http://e.example/[|%",
        b"</link>",
        b"<link href='//x'/>",
        b"<guid>",
        b"<pubDate>Mon, 99 Foo 20",
        b"<description>",
        b"<![CDATA[",
        b"]]>",
        b"<!--",
        b"&amp;",
        b"&",
        b"&#0;",
        b"&nope;",
        b"<",
        b">",
        b"'",
        b'"',
        b"=",
        b"\x00",
        b"\xff\xfe",
        b"\xe9",
        b"\xed\xa0\x80",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
        b"<?xml version='1.0' encoding='utf-16'?>",
        b'{"items":[',
        b'{"id":1e400',
        b'"\\ud800"',
        b"]}",
        b"</channel></rss>",
        b"</feed>",
        b"<html>",
        b"<link rel=alternate type=text/html>",
    ]
)


def rss(entries: str = "", *, head: str = "", declaration: str = "") -> bytes:
    return (
        f'{declaration}<rss version="2.0"><channel><title>News</title><link>https://e.example/blog/</link>{head}'
        f"{entries}</channel></rss>"
    ).encode()


def atom(entries: str) -> bytes:
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>{entries}</feed>'.encode()


def only_item(document: bytes, **more):
    (item,) = feed_reading.parse(document, **more).items
    return item


def refusals(feed: ParsedFeed) -> list[items.ItemProblem]:
    """What the ledger would refuse of the feed's items."""
    whole = [
        items.complete_item(item, source="s" * 128, collection="c" * 128, category="news", now=NOW)
        for item in feed.items
    ]
    return [problem for item in whole for problem in items.list_problems(item)]


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.name)
def test_a_saved_feed_reads_as_expected(path):
    feed = feed_reading.parse(path.read_bytes(), url="https://feeds.example/feed")
    found = asdict(feed) | {"ttl": feed.ttl and feed.ttl.total_seconds()}
    wanted = json.loads(path.with_name(f"{path.name}.expected.json").read_text())
    assert {key: value for key, value in found.items() if value} == wanted
    assert refusals(feed) == []


# What is no feed, and what is an empty one


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (b"", "this is empty"),
        (b"just words", "neither RSS, Atom nor JSON Feed, but not XML"),
        (b"<opml version='2.0'><body/></opml>", "but <opml>"),
        (b'{"hello": 1}', "not a JSON Feed"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": [', "is invalid"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "an HTML page"),
        (b"<!doctype html><title>404</title><p>Gone", "an HTML page"),
        (b"<!doctype html><!-- <rss> --><body>404", "an HTML page"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "not XML"),
    ],
)
def test_what_is_no_feed_is_told_with_a_reason(document, reason):
    feed = feed_reading.parse(document)
    assert (feed.format, feed.items) == ("", [])
    assert reason in feed.problems[0]


def test_a_feed_without_items_is_a_feed_without_problems():
    feed = feed_reading.parse(rss())
    assert (feed.format, feed.title, feed.items, feed.problems) == ("rss 2.0", "News", [], [])


@pytest.mark.parametrize(
    "doctype", ["<!DOCTYPE html>", "<!doctype HTML>\n", '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN">']
)
def test_a_feed_behind_a_document_type_of_html_is_a_feed_and_not_a_page(doctype):
    documents = [rss("<item><title>one</title></item>"), atom("<entry><title>one</title></entry>")]
    for document in documents:
        for declaration in (b"", b"<?xml version='1.0'?>"):
            feed = feed_reading.parse_fast(declaration + doctype.encode() + document)
            assert [item["title"] for item in feed.items] == ["one"]


def test_a_feed_in_a_namespace_of_its_own_is_read():
    document = b"<rss xmlns='urn:mine' xmlns:x='urn:other'><channel><title>News</title><item><x:title>other</x:title>"
    document += b"<title>one</title><link>https://e.example/1</link></item></channel></rss>"
    feed = feed_reading.parse_fast(document)
    assert (feed.title, feed.items[0]["title"]) == ("News", "one")
    assert feed.items[0]["canonical_url"] == "https://e.example/1"


def test_an_atom_entry_without_an_author_has_the_author_of_its_source():
    entry = "<entry><title>one</title><source><author><name>Ada</name></author></source></entry>"
    assert only_item(atom(f"<author><name>Desk</name></author>{entry}"))["authors"] == ["Ada"]


def test_xml_base_of_the_feed_and_of_the_entry_both_count():
    entry = "<entry xml:base='b/'><link href='c'/><title>one</title></entry>"
    document = atom(entry).replace(b"<feed ", b"<feed xml:base='https://e.example/a/' ")
    assert only_item(document, url="https://feeds.example/f")["canonical_url"] == "https://e.example/a/b/c"


def test_a_page_names_its_feeds_in_absolute_addresses():
    page = b"""<html><head><base href="https://e.example/sub/"><LINK REL='Alternate' TYPE="application/rss+xml"
    href="a&amp;b"><link rel="alternate" hreflang="de" href="/de">
    <link type=application/atom+xml rel=alternate href=/atom></head></html>"""
    feed = feed_reading.parse(page, url="https://e.example/")
    assert feed.alternates == ["https://e.example/sub/a&b", "https://e.example/atom"]
    assert "names 2" in feed.problems[0]


# Addresses


def test_a_relative_link_starts_at_the_site_and_not_at_the_feed():
    item = only_item(rss("<item><title>a</title><link>../x y?a[]=1</link></item>"), url="https://feeds.example/f")
    assert item["canonical_url"] == "https://e.example/x%20y?a%5B%5D=1"


@pytest.mark.parametrize("link", ["javascript:alert(1)", "ftp://e.example/a", "http://", "http://a b/", "x" * 5000])
def test_a_link_that_leads_nowhere_costs_only_the_link(link):
    item = only_item(atom(f"<entry><title>a</title><link href='{link}'/></entry>"))
    assert item == {"source_item_id": "a", "title": "a"}


def test_a_guid_is_the_link_unless_it_says_that_it_is_none():
    guids = ["<guid>https://e.example/1</guid>", "<guid isPermaLink='false'>https://e.example/2</guid>"]
    first, second = feed_reading.parse(rss("".join(f"<item><title>a</title>{guid}</item>" for guid in guids))).items
    assert first["canonical_url"] == "https://e.example/1"
    assert "canonical_url" not in second


def test_items_that_share_a_link_stay_apart():
    entries = "".join(f"<item><title>{name}</title><link>https://e.example/</link></item>" for name in "abc")
    assert len({item["source_item_id"] for item in feed_reading.parse(rss(entries)).items}) == 3


# Text


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("a &lt;b&gt;bold&lt;/b&gt; word", "a bold word"),
        ("AT&amp;amp;T &amp;#8217;s", "AT&T ’s"),
        ("&amp;lt;i&amp;gt;twice&amp;lt;/i&amp;gt;", "twice"),
        ("Vec&lt;T&gt; and 1 &lt; 2", "Vec<T> and 1 < 2"),
        ("<![CDATA[  two\n lines ]]>", "two lines"),
        ("&lt;![CDATA[wrapped]]&gt;", "wrapped"),
        ("x&lt;script&gt;alert(1)&lt;/script&gt;", "xalert(1)"),
        ("right \u202eto left\u200b", "right to left"),
        ("<b xmlns='http://www.w3.org/1999/xhtml'>not</b> escaped", "not escaped"),
    ],
)
def test_a_title_is_one_line_of_plain_text(written, title):
    assert only_item(rss(f"<item><title>{written}</title></item>"))["title"] == title


@pytest.mark.parametrize(
    ("markup", "body"),
    [
        ("<p>One\n line.</p><p>Two.</p>", "One line.\n\nTwo."),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>x</li><li>y</li></ul>", "x\ny"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1 2"),
        ("a<script>if (1 < 2) x('</p>')</script><style>p > a {}</style>b<!-- > -->c", "abc"),
        ('<a title="x > y" href=\'z\'>link</a> <img alt="', "link"),
        ("1 < 2 &amp;&amp; 3 > 2", "1 < 2 && 3 > 2"),
        ("&lt;p&gt;escaped&lt;/p&gt;&lt;p&gt;twice&lt;/p&gt;", "escaped\n\ntwice"),
        ("plain\n\n\n\ntext\x0b here", "plain\n\ntext\n here"),
    ],
)
def test_a_body_keeps_its_paragraphs_and_loses_its_markup(markup, body):
    document = json.dumps({"version": "https://jsonfeed.org/version/1", "items": [{"content_html": markup}]})
    assert only_item(document.encode())["body_text"] == body


def test_a_teaser_that_only_begins_the_article_is_no_summary():
    entry = "<entry><id>1</id><summary>Long</summary><content>Longer still</content></entry>"
    assert only_item(atom(entry)) == {"source_item_id": "1", "title": "Longer still", "body_text": "Longer still"}


def test_what_is_too_long_is_cut_and_loses_no_item():
    parts = [f"<category>{number}{'c' * 200}</category><author>{number}{'a' * 300}</author>" for number in range(200)]
    entry = f"<item><guid>{'é' * 600}</guid><title>{'word ' * 900}</title>{''.join(parts)}</item>"
    feed = feed_reading.parse(rss(f"{entry}<item><title>b</title><description>{'x' * 600_000}</description></item>"))
    assert [len(feed.items[0][key]) for key in ("tags", "authors")] == [128, 64]
    assert feed.items[0]["source_item_id"].startswith("sha256:")
    assert len(feed.items[1]["body_text"]) == 500_000
    assert refusals(feed) == []


# Encodings


@pytest.mark.parametrize(
    ("encoding", "declared", "content_type"),
    [
        ("utf-8", "utf-8", ""),
        ("utf-8-sig", "iso-8859-1", ""),
        ("utf-16", "utf-16", ""),
        ("utf-16-be", "", ""),
        ("iso-8859-1", "iso-8859-1", ""),
        ("cp1252", "utf-8", ""),
        ("cp1252", "", "text/xml; charset=windows-1252"),
        ("iso-8859-15", "nonsense", "text/xml; charset=iso-8859-15"),
        ("utf-8", "us-ascii", "text/xml; charset=iso-8859-1"),
    ],
)
def test_letters_survive_wrong_declarations(encoding, declared, content_type):
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    document = rss("<item><title>Café über</title></item>", declaration=declaration).decode().encode(encoding)
    assert only_item(document, content_type=content_type)["title"] == "Café über"


@pytest.mark.parametrize(
    ("encoding", "declared", "title"),
    [
        ("gb18030", "gb2312", "朱镕基说新桥"),
        ("cp932", "shift_jis", "①橋が再開"),
        ("euc_jp", "euc-jp", "橋が再開した"),
        ("koi8_r", "koi8-r", "Мост закрыт"),
        ("cp949", "euc-kr", "다리 똠"),
        ("big5", "big5", "大橋關閉"),
        ("iso2022_jp", "iso-2022-jp", "橋が再開"),
    ],
)
def test_feeds_in_older_encodings_are_read(encoding, declared, title):
    document = rss(f"<item><title>{title}</title></item>", declaration=f'<?xml version="1.0" encoding="{declared}"?>')
    assert only_item(document.decode().encode(encoding))["title"] == title


def test_text_that_was_encoded_twice_is_decoded_twice():
    document = rss("<item><title>L’été à Ürzig</title></item>")
    assert only_item(document.decode("cp1252", "ignore").encode())["title"] == "L’été à Ürzig"


def test_a_few_wrong_bytes_do_not_spoil_the_others():
    document = rss("<item><title>Größe müde fünf ?</title></item>").replace(b"?", b"\xe9\x80")
    assert only_item(document)["title"] == "Größe müde fünf é€"


# Broken feeds


@pytest.mark.parametrize(
    "document",
    [
        b"\r\n \xef\xbb\xbf" + rss("<item><title>a</title></item>"),
        b"<br /><b>Notice</b>: x\n<?xml version='1.0'?>" + rss("<item><title>a</title></item>"),
        rss("<item><title>a</title></item>") + b"<script>1</script>",
        rss("<item><title>a</title><media:x y='1'/></item>"),
        rss("<item><title>\x01a\x1f</title></item>"),
        rss("<item><title>a</title><description>x & y &nbsp; &zip; < z</description></item>"),
        rss("<item><title>a</title><description>x <br> <p> y</description></item>"),
        rss("<item><title>a</title><link>http://e.example/?a&b</link><description>x</item>"),
        rss("<item><title>a</title></item>")[:-16],
        rss("<item><title>a</title></item>").upper().replace(b">A<", b">a<"),
        rss("<image><height></height></b></image><item><title>a</title></item>"),
        b"<!DOCTYPE rss SYSTEM 'http://e.example/x.dtd'>" + rss("<item><title>a</title></item>"),
    ],
)
def test_what_is_wrong_around_an_item_does_not_lose_it(document):
    feed = feed_reading.parse(document)
    assert [item["title"] for item in feed.items] == ["a"]
    assert feed.format.startswith("rss")


@pytest.mark.parametrize(
    "document",
    [
        rss("<item><title>a</title><description><![CDATA[<?xml version='1.0'?><!DOCTYPE x>]]></description></item>"),
        b'{"items": [{"title": "a", "content_text": "<?xml version=\'1.0\'?><item>"}]}',
    ],
)
def test_an_article_about_xml_is_no_beginning_of_a_feed(document):
    assert only_item(document)["title"] == "a"


def test_a_feed_that_breaks_off_gives_what_came_before_and_says_so():
    feed = feed_reading.parse(rss("<item><title>a</title></item><item><title>b</title></item><item><ti")[:-20])
    assert [item["title"] for item in feed.items] == ["a", "b"]
    assert feed.problems


def test_the_fast_reader_leaves_broken_feeds_to_the_lenient_one():
    broken = rss("<item><title>a & b</title></item>")
    assert feed_reading.parse_fast(broken) is None
    assert (
        feed_reading.parse_lenient(broken).items
        == feed_reading.parse(broken).items
        == [{"source_item_id": "a & b", "title": "a & b"}]
    )


# Hostile feeds


def test_entities_are_never_expanded_and_files_never_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden words")
    declared = f"<!DOCTYPE rss [<!ENTITY a 'boom'><!ENTITY b '&a;&a;'><!ENTITY f SYSTEM 'file://{secret}'>]>"
    feed = feed_reading.parse(
        rss("<item><title>x &b; &f;</title><link>https://e.example/&b;</link></item>", declaration=declared)
    )
    told = json.dumps(feed.items)
    assert "boom" not in told
    assert "hidden" not in told
    assert feed.items


def test_only_the_first_items_of_an_endless_feed_are_read():
    feed = feed_reading.parse(rss("<item/>" * (MAX_ITEMS + 5)))
    assert len(feed.items) == MAX_ITEMS
    assert "more than 2,000 items" in feed.problems[0]


@pytest.mark.parametrize("filling", ["<a/>" * 200_000, "x" * (5 << 20), "<![CDATA[x]]>" * 300_000])
def test_an_item_beyond_all_measure_is_cut_and_told(filling):
    feed = feed_reading.parse(
        rss(f"<item><title>before</title></item><item><title>huge</title><x>{filling}</x></item>")
    )
    assert [item["title"] for item in feed.items] == ["before", "huge"]
    assert "far larger" in feed.problems[0]


def a_json_feed(**values) -> bytes:
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", **values}).encode()


@pytest.mark.parametrize(
    "document",
    [
        a_json_feed(authors=[{"name": "&a"}] * 50_000, items=[{"id": "1"}] * MAX_ITEMS),
        a_json_feed(language="e" * 3_000_000, items=[{"id": "1"}] * MAX_ITEMS),
        a_json_feed(items=[{"id": "1", "tags": ["a<b>"] * 150_000, "authors": [{"name": "&"}] * 50_000}]),
        rss("<item><link>a</link><enclosure url='b'/></item>" * MAX_ITEMS, head=f"<x>{'y' * 1_000}</x>").replace(
            b"<channel>", b"<channel xml:base='" + b"z" * 3_000_000 + b"'>"
        ),
        rss(f"<item><title>{'&lt;' * 8_000}</title></item>" * 100),
    ],
    ids=["authors", "language", "tags", "xml:base", "title"],
)
def test_a_value_that_all_entries_inherit_is_computed_once_however_long_it_is(document):
    """Every one of these took from 4 seconds to some minutes when it was computed for each entry."""
    started = time.process_time()
    assert feed_reading.parse_fast(document).items
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "document",
    [
        b"<rss><channel><item>" + b"<a>" * 100_000,
        b"<rss><channel>" + b"<item><title>a" * 50_000,
        b"<rss>" + b"<" * 1_000_000,
        b"<rss>" + b"<!--" * 250_000,
        b"<rss><channel><item><description>" + b"&" * 1_000_000,
        rss(f"<item><description>{'&lt;a &quot;' * 100_000}</description></item>"),
        rss(f"<item><title>{'&lt;script ' * 100_000}</title></item>"),
        b'{"version":"https://jsonfeed.org/version/1","items":' + b"[" * 1_000_000,
        b'{"version":"https://jsonfeed.org/version/1","items":[' + b"{}," * 400_000 + b"{}]}",
        b"<html>" + b"<link " * 200_000,
        b"<html><link " + b"a" * 500_000 + b">",
        b"<rss>" + b"<!DOCTYPE [" * 100_000,
        b"<rss>" + b"<!ENTITY " * 100_000,
        rss(f"<item><description>&lt;pre&gt;\n{' ' * 1_000_000}</description></item>"),
        rss("<item>" + "<author>a@a@a@a@a@a@</author><pubDate>1 2 3</pubDate>" * 5_000 + "</item>"),
        rss(f"<item/>{'<x/>' * 40_000}" * 5),
    ],
)
def test_bombs_end_in_a_feed(document):
    assert len(feed_reading.parse(document).items) <= MAX_ITEMS


@given(
    st.one_of(st.binary(), st.lists(PIECES).map(b"".join)), st.sampled_from(["", "a/b; charset=utf-16", "charset=zip"])
)
def test_any_bytes_give_a_feed_whose_items_the_ledger_takes(document, content_type):
    feed = feed_reading.parse(document, content_type=content_type, url="https://e.example/feed")
    assert refusals(feed) == []
    assert feed.format or feed.problems


@given(title=ANY_TEXT, body=ANY_TEXT, link=ANY_TEXT, guid=ANY_TEXT, date=ANY_TEXT, name=ANY_TEXT)
def test_any_text_in_any_field_makes_an_item_that_the_ledger_takes(title, body, link, guid, date, name):
    entry = {
        "id": guid,
        "title": title,
        "content_html": body,
        "url": f"https://e.example/{link}",
        "external_url": link,
        "date_published": date,
        "authors": [{"name": name}],
        "tags": [name],
        "language": name,
        "image": link,
        "attachments": [{"url": f"http://e.example?{link}", "mime_type": name}],
    }
    document = {"version": "https://jsonfeed.org/version/1.1", "items": [entry]}
    feed = feed_reading.parse(json.dumps(document).encode(), url="https://e.example/feed.json")
    assert len(feed.items) == 1 or feed.problems  # JSON of lone surrogates is none
    assert refusals(feed) == []


@pytest.mark.parametrize(
    ("head", "ttl"),
    [
        ("<ttl>60</ttl>", timedelta(hours=1)),
        ("<ttl>soon</ttl>", None),
        ("<ttl>99999999999</ttl>", timedelta(days=365)),
        ("<sy:updatePeriod>weekly</sy:updatePeriod>", timedelta(weeks=1)),
        ("<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>", timedelta(days=1)),
    ],
)
def test_a_feed_says_how_long_to_leave_it_alone(head, ttl):
    assert feed_reading.parse(rss(head=head)).ttl == ttl
