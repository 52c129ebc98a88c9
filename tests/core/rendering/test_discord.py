import json
import re

import pytest
from hypothesis import given

from core.rendering.digests import (
    NAUGHTY,
    SLOWLY,
    a_digest,
    a_pick,
    a_telling,
    everyone_told,
    wild_digests,
    wild_texts,
)
from scoop.core.rendering import common, discord

ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
LINK = re.compile(r"\[([a-z0-9._:-]+)\]\((https?://[^()\[\]\s\\]+)\)")
ACTIVE = re.compile(r"[\\*_~`|<>\[\]#]|(?<!\d)@|://|:\w+:|^(?:[-+]|\d+\.) ", re.MULTILINE)


def mark(number):
    return f"k7f2q3mm4xyzabcdefgh{number:02}"


def messages(digest):
    return [json.loads(part.payload) for part in discord.parts(digest, mark)]


def embeds(digest):
    return [embed for message in messages(digest) for embed in message["embeds"]]


def length(text):
    return max(len(text), len(text.encode("utf-16-le")) // 2)


def acting(text):
    """What Discord would act on in a text, apart from our own links, bold words and small print."""
    kept = LINK.sub("", ESCAPE.sub("x", text))  # an escaped sign is shown: what follows it does not begin a line
    kept = re.sub(r"^(?:-# (?:Probably the same: )?|\*\*Developed:\*\* )", "", kept, flags=re.MULTILINE)
    return ACTIVE.findall(kept)


def fields(embed):
    """The texts of the fields of an embed, each with its limit."""
    return [pair for field in embed.get("fields", ()) for pair in ((field["name"], 256), (field["value"], 1024))]


def first(pair):
    return pair[0]


@SLOWLY
@given(wild_digests())
def test_every_message_is_within_the_limits(digest):
    for message in messages(digest):
        told = message["embeds"]
        assert set(message) == {"content", "embeds", "allowed_mentions"}
        assert 0 < length(message["content"]) <= 2000
        assert len(told) <= 10
        assert all(0 < length(embed["title"]) <= 256 for embed in told)
        assert all(0 < length(embed.get("description", "-")) <= 4096 for embed in told)
        assert all(len(embed.get("url", "")) <= 2048 for embed in told)
        assert all(0 < length(name) <= 256 for embed in told for name in embed.get("author", {"name": "-"}).values())
        assert all(0 < length(text) <= most for embed in told for text, most in fields(embed))
        counted = [
            (
                embed["title"],
                embed.get("description", ""),
                *embed.get("footer", {}).values(),
                *embed.get("author", {}).values(),
                *map(first, fields(embed)),
            )
            for embed in told
        ]
        assert sum(length(text) for texts in counted for text in texts) <= 6000


@SLOWLY
@given(wild_digests())
def test_every_story_is_in_exactly_one_part_and_in_order(digest):
    parts = discord.parts(digest, mark)
    assert [one for part in parts for one in part.story_ids] == [one.story_id for one in everyone_told(digest)]
    assert len(embeds(digest)) == len(digest.tellings)


@SLOWLY
@given(wild_digests())
def test_discord_acts_on_nothing_that_an_article_says(digest):
    allowed = {common.destination(link) for one in everyone_told(digest) if (link := common.link(one.url))}
    for message in messages(digest):
        assert message["allowed_mentions"] == {"parse": []}
        assert not re.search("@(everyone|here)", json.dumps(message, ensure_ascii=False), re.IGNORECASE)
        bold = re.compile(r"^\*\*([^*]*)\*\*", re.MULTILINE)  # ours: an escaped asterisk is none any more
        assert not acting(bold.sub(r"\1", ESCAPE.sub("x", message["content"])))
        for embed in message["embeds"]:
            description = embed.get("description", "")
            assert not any(acting(text) for text, _ in fields(embed))
            assert not acting(embed["title"])
            assert not acting(description)
            assert {target for _, target in LINK.findall(ESCAPE.sub("", description))} <= allowed


@SLOWLY
@given(wild_digests())
def test_no_two_embeds_of_a_message_have_the_same_url(digest):
    for message in messages(digest):
        urls = [embed["url"] for embed in message["embeds"] if "url" in embed]
        assert len(urls) == len(set(urls))


@given(wild_texts)
def test_an_escaped_text_reads_as_it_was_written(text):
    line = common.shown(text)
    assert ESCAPE.sub(r"\1", discord.escaped(line)).replace("＠", "@") == line.replace("＠", "@")


@pytest.mark.parametrize("title", [*NAUGHTY, "", "***", "🎉🎉", "\u200b \u202e", "\u3164", "@everyone"])
def test_any_title_is_visible_and_harmless(title):
    [embed] = embeds(a_digest(a_telling(title=title)))
    assert re.search(r"\S", ESCAPE.sub(r"\1", embed["title"]))
    assert not acting(embed["title"])


@pytest.mark.parametrize("beginning", NAUGHTY)
def test_no_beginning_of_a_summary_makes_a_heading_a_list_or_small_print(beginning):
    [embed] = embeds(a_digest(a_telling(summary=f"{beginning}rain")))
    assert not acting(embed["description"])


def test_the_first_part_says_what_is_told_and_the_last_embed_by_what_it_is_known():
    digest = a_digest(a_telling(1), a_telling(2, change="The court has ruled."))
    [message] = messages(digest)
    assert message["content"] == "**AI news** · Sunday 25 October 2026\n1 new, 1 developed"
    assert "footer" not in message["embeds"][0]
    assert message["embeds"][1]["footer"] == {"text": f"Berlin 2026-10-25 · 1/1 · {mark(1)}"}


def test_a_day_without_news_is_one_message_that_says_so():
    [part] = discord.parts(a_digest(timezone="America/New_York"), mark)
    message = json.loads(part.payload)
    assert part.story_ids == ()
    assert message["embeds"] == []
    assert message["content"].splitlines()[1:] == [
        "Nothing new today.",
        f"-# New York 2026-10-25 · 1/1 · {mark(1)}",
    ]


def test_the_articles_of_a_curator_have_relevance_topics_source_and_reason():
    digest = a_digest(a_pick(1, title="A migration"), a_pick(2, score=70, topics=("Go",)), introduction="2 articles.")
    (message,) = messages(digest)
    assert message["content"].splitlines()[1:] == ["2 articles."]
    assert [embed.get("author") for embed in message["embeds"]] == [{"name": "Must read"}, None]
    assert [[(field["name"], field["value"]) for field in embed["fields"]] for embed in message["embeds"]] == [
        [*scored, ("Source", "The Paper"), ("Reason", "It measures a migration.")]
        for scored in (
            [("Relevance", "85/100"), ("Topics", "Go and PostgreSQL")],
            [("Relevance", "70/100"), ("Topics", "Go")],
        )
    ]
    assert message["embeds"][0]["url"] == "https://paper.example/1"
    assert message["embeds"][0]["description"].startswith("Something happened.")


def test_ten_long_articles_of_a_curator_are_split_within_the_limit():
    long = {"title": "t" * 300, "summary": "s" * 400, "topics": ("x" * 50,) * 5, "reasoning": "r " * 300}
    found = messages(a_digest(*(a_pick(number, **long) for number in range(1, 11)), introduction="i" * 400))
    assert [len(message["embeds"]) for message in found] == [5, 5]


def test_a_long_reason_is_cut_and_pings_nobody():
    [embed] = embeds(a_digest(a_pick(1, reasoning="@everyone must [read](http://evil.example) this. " * 9)))
    reason = next(field["value"] for field in embed["fields"] if field["name"] == "Reason")
    assert reason.startswith("＠everyone must \\[read\\]")
    assert 100 < len(ESCAPE.sub("x", reason)) <= 200
    assert not acting(reason)


def test_a_long_digest_goes_on_in_parts_that_say_their_number():
    told = messages(a_digest(*map(a_telling, range(23))))
    assert [len(message["embeds"]) for message in told] == [10, 10, 3]
    assert [message["content"] for message in told[1:]] == ["**AI news** · part 2 of 3", "**AI news** · part 3 of 3"]
    assert [message["embeds"][-1]["footer"]["text"] for message in told] == [
        f"Berlin 2026-10-25 · {number}/3 · {mark(number)}" for number in (1, 2, 3)
    ]


def test_a_story_tells_its_host_and_publishers():
    [embed] = embeds(a_digest(a_telling(summary="It rained.", publishers=("A_B", "C", "D"))))
    assert embed["url"] == "https://paper.example/1"
    assert embed["description"] == (
        "It rained.\n-# paper.example · covered by 3 independent publishers: A\\_B, C and D"
    )


def test_a_developed_story_first_says_what_changed():
    [embed] = embeds(a_digest(a_telling(change="The court *has* ruled.")))
    assert embed["description"].startswith("**Developed:** The court \\*has\\* ruled.\nSomething happened.\n")


def test_twins_are_named_with_a_link_under_the_host():
    twins = tuple(a_telling(number, title="[Live] x", url=f"https://b.example/({number})") for number in range(2, 7))
    [embed] = embeds(a_digest(a_telling(1, twins=twins)))
    assert embed["description"].splitlines()[-4:] == [
        "-# Probably the same: \\[Live\\] x ([b.example](https://b.example/%282%29))",
        "-# Probably the same: \\[Live\\] x ([b.example](https://b.example/%283%29))",
        "-# Probably the same: \\[Live\\] x ([b.example](https://b.example/%284%29))",
        "-# and 2 more",
    ]


def test_a_url_that_was_used_before_moves_into_the_description():
    first, second = embeds(a_digest(a_telling(1), a_telling(2, url="https://paper.example/1")))
    assert first["url"] == "https://paper.example/1"
    assert "url" not in second
    assert "-# [paper.example](https://paper.example/1) · covered by" in second["description"]


def test_a_look_alike_host_shows_as_what_it_is():
    [embed] = embeds(a_digest(a_telling(url="https://аpple.example/")))
    assert "-# xn--pple-43d.example ·" in embed["description"]
