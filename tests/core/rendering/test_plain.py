from hypothesis import given
from rich.cells import cell_len

from core.rendering.digests import SLOWLY, a_digest, a_telling, everyone_told, wild_digests
from scoop.core.rendering import common, plain


@SLOWLY
@given(wild_digests())
def test_only_an_address_is_longer_than_a_line(digest):
    addresses = {link.href for one in everyone_told(digest) if (link := common.link(one.url))}
    long = [line for line in plain.render(digest).splitlines() if cell_len(line) > 78]
    assert {line.strip() for line in long} <= addresses


@SLOWLY
@given(wild_digests())
def test_wrapping_loses_no_sign(digest):
    read = "".join(plain.render(digest).split())
    for telling in digest.tellings:
        for said in (common.headline, common.summary, common.change, common.source, common.reason):
            assert "".join(said(telling).split()) in read
        assert "".join(common.verdict(telling, common.phrases_of(digest)).split()) in read


def test_a_digest_reads_well_as_it_is():
    twin = a_telling(2, title="Rain", url="https://b.example/2")
    digest = a_digest(
        a_telling(1, title="Rain in the south", summary="It rained. " * 10, change="It stopped.", twins=(twin,)),
        a_telling(3, title="雨" * 39 + "。", url=None, publishers=()),
    )
    assert plain.render(digest) == (
        "AI news\n"
        "Sunday 25 October 2026 · 1 new, 1 developed\n\n"
        "1.  Rain in the south\n"
        "    Developed: It stopped.\n"
        "    It rained. It rained. It rained. It rained. It rained. It rained. It\n"
        "    rained. It rained. It rained. It rained.\n"
        "    paper.example · covered by 2 independent publishers: The Paper and The\n    Post\n"
        "    https://paper.example/1\n"
        "    Probably the same: Rain\n"
        "    https://b.example/2\n\n"
        f"2.  {'雨' * 37}\n"
        "    雨雨。\n"
        "    Something happened.\n\n"
        "-- \n"
        "Berlin 2026-10-25\n"
    )


def test_no_line_begins_with_what_closes():
    lines = list(plain.wrapped("あ" * 38 + "い。" + "「う」" * 20))
    assert lines[0] == "あ" * 38
    assert not any(line[0] in "。」" for line in lines)


def test_a_day_without_news_says_so():
    assert "Sunday 25 October 2026 · nothing new today\n" in plain.render(a_digest())
