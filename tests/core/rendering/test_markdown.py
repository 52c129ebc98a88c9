from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from core.rendering.digests import NAUGHTY, SLOWLY, a_digest, a_pick, a_telling, everyone_told, wild_digests
from scoop.core.rendering import common, markdown

READER = MarkdownIt("commonmark")


def blocks(digest):
    return READER.parse(markdown.render(digest))


def spans(tokens):
    """What stands inside of the blocks: texts, links, emphasis."""
    return [child for token in tokens for child in token.children or ()]


def read(tokens, kind):
    """What a reader sees in every heading or paragraph."""
    texts = [after.children for token, after in pairwise(tokens) if token.type == f"{kind}_open"]
    return ["".join(child.content for child in children) for children in texts]


@SLOWLY
@given(wild_digests())
def test_nothing_that_an_article_says_becomes_markup(digest):
    tokens = blocks(digest)
    kinds = Counter(token.type for token in (*tokens, *spans(tokens)))
    assert read(tokens, "heading") == [common.topic_name(digest), *map(common.headline, digest.tellings)]
    assert kinds["hr"] == 1
    assert kinds["em_open"] == 1 + sum(bool(common.source(telling)) for telling in digest.tellings)
    changes = sum(bool(common.change(telling)) for telling in digest.tellings)
    picks = sum(telling.relevance is not None for telling in digest.tellings)
    assert kinds["strong_open"] == changes + picks + (1 if picks else 0)  # the must-read
    assert kinds["bullet_list_open"] == sum(bool(telling.twins) for telling in digest.tellings)
    foreign = {"html_block", "html_inline", "code_block", "code_inline", "fence", "blockquote_open", "image"}
    assert kinds.keys().isdisjoint(foreign | {"ordered_list_open", "hardbreak"})


@pytest.mark.parametrize("beginning", NAUGHTY)
def test_a_text_reads_as_it_was_written_whatever_it_begins_with(beginning):
    telling = a_telling(title=f"{beginning}rain", summary=f"{beginning}snow")
    tokens = blocks(a_digest(telling))
    assert read(tokens, "heading")[1] == common.headline(telling)
    assert read(tokens, "paragraph")[1] == common.summary(telling)


@pytest.mark.parametrize("beginning", NAUGHTY)
def test_a_reason_reads_as_it_was_written_whatever_it_begins_with(beginning):
    pick = a_pick(reasoning=f"{beginning}hail")
    assert f"Reason: {common.reason(pick)}" in read(blocks(a_digest(pick)), "paragraph")


@SLOWLY
@given(wild_digests())
def test_every_link_is_that_of_a_story(digest):
    addresses = {common.destination(link) for one in everyone_told(digest) if (link := common.link(one.url))}
    found = {token.attrGet("href") for token in spans(blocks(digest)) if token.type == "link_open"}
    assert found <= set(map(READER.normalizeLink, addresses))


def test_a_digest_reads_well_as_it_is():
    twin = a_telling(2, title="Rain [live]", url="https://b.example/(2)?a=1&copy;=2")
    digest = a_digest(a_telling(1, title="It rains * still", change="It stopped.", twins=(twin,)))
    assert markdown.render(digest) == (
        "# AI news\n\n"
        "Sunday 25 October 2026 · 1 developed\n\n"
        "## [It rains \\* still](https://paper.example/1)\n\n"
        "**Developed:** It stopped.\n\n"
        "Something happened.\n\n"
        "*paper.example · covered by 2 independent publishers: The Paper and The Post*\n\n"
        "- Probably the same: [Rain \\[live\\]](https://b.example/%282%29?a=1&amp;copy;=2) (b.example)\n\n"
        "---\n\n"
        "*Berlin 2026-10-25*\n"
    )


def test_a_day_without_news_says_so():
    assert "Sunday 25 October 2026 · nothing new today\n" in markdown.render(a_digest())
