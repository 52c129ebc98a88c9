"""The digest of a curator in every kind of channel."""

import json
import re
from dataclasses import replace

import pytest

from core.rendering.digests import a_digest, a_pick
from scoop import channels, plugins
from scoop.core import delivery

OPTIONS = {
    "discord_bot": {"channel_id": "1281000000000000004"},
    "discord_webhook": {"url": "team"},
    "email": {"recipients": ["ann@example.org"], "sender": "desk@example.org", "host": "mail.example.org"},
    "webhook": {"url": "https://hooks.example/in", "secret": "desk"},
    "command": {"command": ["post"]},
    "file": {"folder": "/srv/picks"},
}
KINDS = plugins.makers(channels)
PICKS = a_digest(
    a_pick(1, title="A migration in numbers"),
    a_pick(2, score=70, topics=("Zig",), reasoning="@everyone should see its benchmark."),
    introduction="2 articles: Go, PostgreSQL, Zig.",
)


def written(kind, digest):
    parts = KINDS[kind](OPTIONS[kind]).parts(digest, lambda number: delivery.marker(f"key {number}"))
    return [
        json.dumps(json.loads(part.payload), ensure_ascii=False) if part.payload[0] == "{" else part.payload
        for part in parts
    ]


def test_every_kind_is_here():
    assert set(OPTIONS) == set(KINDS)


@pytest.mark.parametrize("kind", OPTIONS)
def test_every_kind_shows_introduction_must_read_score_topics_source_and_reason(kind):
    (post,) = written(kind, PICKS)
    for words in ("2 articles: Go, PostgreSQL, Zig.", "85/100", "70/100", "Go and PostgreSQL", "Zig"):
        assert words in post
    assert "Must read" in post
    assert "The Paper" in post
    assert "It measures a migration." in post
    assert "should see its benchmark." in post
    assert "https://paper.example/2" in post


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize(
    ("language", "phrases"),
    [
        ("de", ("Sonntag, 25. Oktober 2026", "Zuerst lesen", "Go und PostgreSQL", "Begründung")),
        ("ja", ("2026年10月25日（日）", "必読", "Go、PostgreSQL", "選定理由")),
        ("zh", ("2026年10月25日 星期日", "必读", "Go和PostgreSQL", "入选理由")),
    ],
)
def test_every_kind_has_the_phrases_of_the_curators_language(kind, language, phrases):
    (post,) = written(kind, replace(PICKS, language=language))
    for phrase in phrases:
        assert phrase in post
    assert not re.search("Sunday|Must read|Reason|Relevance| and ", post)


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize(
    ("language", "phrase"), [("de", "nichts Neues"), ("ja", "本日の新着記事"), ("zh", "今天没有新文章")]
)
def test_a_day_without_articles_says_so_in_the_curators_language(kind, language, phrase):
    (post,) = written(kind, a_digest(language=language))
    assert phrase in post
    assert "nothing new" not in post.lower()


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_day_without_articles_says_so(kind):
    (post,) = written(kind, a_digest())
    assert "nothing new" in post.lower()
    assert "Must read" not in post
