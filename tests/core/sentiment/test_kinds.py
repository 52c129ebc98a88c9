"""From a source to the model of sentiment: by its setting, its community, its host and its plugin."""

import pytest

from scoop.core.sentiment import heads, kinds
from scoop.core.sentiment.kinds import TextOrigin


@pytest.mark.parametrize(
    ("origin", "language", "head", "head_of_title"),
    [
        ({"source_kind": "rss", "url": "https://example.com/feed"}, "en", "news-en-target", "headline-en-target"),
        ({"source_kind": "site", "url": "https://example.de/"}, "de", "news-de-target", "pooled"),
        ({"source_kind": "hackernews", "url": "https://hacker-news.firebaseio.com/v0"}, "en", *["developer-en"] * 2),
        ({"source_kind": "reddit", "subreddits": "programming"}, "en", *["developer-en"] * 2),
        ({"source_kind": "reddit", "subreddits": "r/Python+golang"}, "en", *["developer-en"] * 2),
        ({"source_kind": "reddit", "subreddits": "rust+gardening"}, "en", *["social-en"] * 2),
        ({"source_kind": "reddit", "subreddits": "gardening"}, "en", *["social-en"] * 2),
        ({"source_kind": "rss", "url": "https://www.reddit.com/r/golang/.rss"}, "en", *["developer-en"] * 2),
        ({"source_kind": "rss", "url": "https://www.reddit.com/r/cats/.rss"}, "en", *["social-en"] * 2),
        ({"source_kind": "rss", "url": "https://stackoverflow.com/feeds"}, "en", *["developer-en"] * 2),
        ({"source_kind": "rss", "url": "https://notgithub.com/feed"}, "en", "news-en-target", "headline-en-target"),
        ({"source_kind": "rss", "url": "https://itunes.apple.com/kr/rss/customerreviews"}, "ko", *["review-ko"] * 2),
        ({"source_kind": "rss", "url": "https://www.trustpilot.com/feed"}, "en", *["graded-en"] * 2),
        ({"source_kind": "youtube", "url": "https://www.youtube.com/"}, "zh", *["social-zh-target"] * 2),
        ({"source_kind": "http", "platform": "hn"}, "en", *["developer-en"] * 2),
        ({"source_kind": "http"}, "en", "news-en-target", "headline-en-target"),
        ({"source_kind": "arxiv"}, "en", *["pooled-en-target"] * 2),
        ({"source_kind": "someone_elses"}, "en", *["pooled-en-target"] * 2),
        ({"source_kind": "someone_elses"}, "fr", *["pooled"] * 2),
        ({"source_kind": "rss", "setting": "review"}, "ko", *["review-ko"] * 2),
        ({"source_kind": "rss", "setting": "report"}, "ja", *["report-ja-target"] * 2),
        ({"source_kind": "reddit", "subreddits": "golang", "setting": "news"}, "en",
         "news-en-target", "headline-en-target"),
    ],
)  # fmt: skip
def test_a_source_finds_its_model(origin, language, head, head_of_title):
    kind = kinds.kind_of(TextOrigin(**origin))
    of_kinds = [heads.name_of(each, language, has_target=True) for each in (kind, kinds.kind_of_title(kind))]
    assert of_kinds == [head, head_of_title]
