"""Labels around an article, in the languages of the outlets."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLabels:
    front_page: str
    latest: str
    feed: str
    about: str
    staff_room: str
    by: str
    updated: str
    read_at: str
    more: str
    comments: str
    no_comments: str
    points: str
    cookies: str
    kinds: Mapping[str, str]


def of(language: str) -> PageLabels:
    """The labels of a language; missing ones are in English."""
    return LABELS.get(language, LABELS["en"])


LABELS = {
    "en": PageLabels(
        front_page="Front page",
        latest="Latest",
        feed="Feed",
        about="About us",
        staff_room="Staff room",
        by="By",
        updated="Updated",
        read_at="Read it at",
        more="More from",
        comments="Comments",
        no_comments="Nobody has commented yet.",
        points="points",
        cookies="This site sets no cookies. This notice is here because every site has one.",
        kinds={"opinion": "Opinion", "press_release": "Press release", "question": "Question"},
    ),
    "de": PageLabels(
        front_page="Startseite",
        latest="Neueste Meldungen",
        feed="Feed",
        about="Über uns",
        staff_room="Redaktion (intern)",
        by="Von",
        updated="Aktualisiert",
        read_at="Weiterlesen bei",
        more="Mehr von",
        comments="Kommentare",
        no_comments="Noch hat niemand kommentiert.",
        points="Punkte",
        cookies="Diese Seite setzt keine Cookies. Der Hinweis steht hier, weil ihn jede Seite hat.",
        kinds={"opinion": "Meinung", "press_release": "Pressemitteilung", "question": "Frage"},
    ),
    "ja": PageLabels(
        front_page="トップページ",
        latest="最新記事",
        feed="フィード",
        about="このサイトについて",
        staff_room="編集部専用",
        by="文:",
        updated="更新",
        read_at="元の記事を読む:",
        more="関連記事:",
        comments="コメント",
        no_comments="コメントはまだありません。",
        points="点",
        cookies="このサイトはクッキーを使用しません。どのサイトにもある表示なので、ここにも置いています。",
        kinds={"opinion": "オピニオン", "press_release": "プレスリリース", "question": "質問"},
    ),
    "zh": PageLabels(
        front_page="首页",
        latest="最新消息",
        feed="订阅",
        about="关于我们",
        staff_room="编辑部内部",
        by="作者:",
        updated="更新于",
        read_at="阅读原文:",
        more="更多报道:",
        comments="评论",
        no_comments="还没有评论。",
        points="分",
        cookies="本网站不使用 Cookie。之所以有这条提示,是因为每个网站都有。",
        kinds={"opinion": "评论", "press_release": "新闻稿", "question": "提问"},
    ),
}
