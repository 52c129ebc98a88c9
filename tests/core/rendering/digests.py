"""Digests to render: tame ones by hand, wild ones by chance."""

from dataclasses import replace
from datetime import date
from itertools import count

from hypothesis import settings
from hypothesis import strategies as st

from scoop.model import Digest, Relevance, Telling

NAUGHTY = (
    "@everyone",
    "@here",
    "<@1>",
    "<@&2>",
    "<#3>",
    "<:a:4>",
    "<a:b:5>",
    "<t:1:R>",
    "</x:1>",
    "<id:home>",
    ":smile:",
    "[a](http://evil.example)",
    "[",
    "]",
    "](",
    "(",
    ")",
    "||",
    "```",
    "`",
    "*",
    "**",
    "_",
    "__",
    "~~",
    "# ",
    "-# ",
    "> ",
    ">>> ",
    "- ",
    "+ ",
    "1. ",
    "1) ",
    "===",
    "---",
    "https://evil.example/",
    "www.evil.example",
    "discord.gg/x",
    "a@evil.example",
    "\\",
    "\\\\",
    "\u202e",
    "\u2066",
    "\u200f",
    "\u200b",
    "\u200c",
    "\u200d",
    "\ufeff",
    "\u3164",
    "\x00",
    "\x1b[1m",
    "\ud800",
    "👩\u200d🚀",
    "🇩🇪",
    "❤\ufe0f",
    "日本語",
    "「",
    "」",
    "。",
    "می\u200cخواهم",
    "e\u0301",
    "\u0301",
    "\n",
    "\r\n",
    "\u2028",
    "\t",
    " ",
    "<script>",
    "<!--",
    "-->",
    "&copy;",
    "&",
    '" onclick="',
    "'",
    "{{ 7*7 }}",
    "{% x %}",
    "word",
    "A sentence. ",
)
ADDRESSES = (
    None,
    "",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://a.example/",
    "//a.example/",
    "not a url",
    "https://",
    "https://a.example/x",
    "http://b.example/a_b_(c)",
    "https://a.example/ ) [x](http://evil.example",
    "https://a.example/?q=\\)&copy;'\"<>|`*~",
    "https://a.example/\n)\u202e",
    "https://аpple.example/",
    "https://[::1]/",
    "https://bank.example@evil.example/",
    "https://a*b.example/",
    "https://a.example/\ud800",
    f"https://{'a' * 300}.example/",
    f"https://a.example/{'(' * 700}",
    f"https://a.example/{'x' * 2000}",
    f"https://a.example/{'x' * 4000}",
)

LANGUAGES = ("", "en", "de", "ja", "zh-Hans", "fr")
SLOWLY = settings(max_examples=60, deadline=None)

wild_text = st.lists(st.sampled_from(NAUGHTY) | st.text(max_size=9), max_size=12).map("".join)
wild_texts = st.builds(lambda text, times: text * times, wild_text, st.sampled_from([1, 1, 3, 20]))


def a_telling(story_id=1, **given):
    tame = Telling(
        story_id=story_id,
        story_uuid=f"uuid-{story_id}",
        title=f"Story {story_id}",
        url=f"https://paper.example/{story_id}",
        summary="Something happened.",
        publishers=("The Paper", "The Post"),
    )
    return replace(tame, **given)


def a_digest(*tellings, **given):
    tame = Digest(
        topic_slug="ai_news",
        topic_name="AI news",
        run_date=date(2026, 10, 25),
        timezone="Europe/Berlin",
        tellings=tellings,
    )
    return replace(tame, **given)


def a_pick(story_id=1, *, score=85, topics=("Go", "PostgreSQL"), reasoning="It measures a migration.", **given):
    """An article of a curator."""
    relevance = Relevance(score=score, topics=topics, reasoning=reasoning)
    return a_telling(story_id, relevance=relevance, publishers=("The Paper",), **given)


@st.composite
def wild_digests(draw):
    """Digests of topics and of curators."""
    texts = draw(st.lists(wild_texts, min_size=1, max_size=6))
    dice = draw(st.randoms(use_true_random=True))
    is_curated = draw(st.booleans())
    numbers = count(1)

    def relevance():
        topics = tuple(dice.choices(texts, k=dice.randrange(1, 8)))
        return Relevance(score=dice.randrange(101), topics=topics, reasoning=dice.choice(texts)) if is_curated else None

    def telling(*twins):
        return a_telling(
            next(numbers),
            title=dice.choice(texts),
            url=dice.choice(ADDRESSES),
            summary=dice.choice(texts),
            publishers=tuple(dice.choices(texts, k=dice.randrange(8))),
            change=dice.choice(["", *texts]),
            twins=twins,
            relevance=relevance(),
        )

    tellings = [telling(*(telling() for _ in range(dice.randrange(6)))) for _ in range(draw(st.integers(0, 14)))]
    introduction = dice.choice(texts) if is_curated else ""
    language = dice.choice(LANGUAGES) if is_curated else ""
    return a_digest(*tellings, topic_name=dice.choice(texts), introduction=introduction, language=language)


def everyone_told(digest):
    """The stories of a digest, each before its twins."""
    return [one for telling in digest.tellings for one in (telling, *telling.twins)]
