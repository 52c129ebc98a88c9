"""The navigation: links in the masthead, the right each needs, and the key that opens it after g."""

from dataclasses import dataclass

from scoop.core.access import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    name: str
    href: str
    letter: str
    right: Right = "read"
    is_foremost: bool = False  # shown in the masthead of wide screens; the others are in the menu "More"

    def is_at(self, path: str) -> bool:
        """Whether a path belongs to this item; stories and days belong to the front page."""
        if self.href == "/":
            return path == "/" or path.startswith(("/days/", "/events/", "/stories/"))
        return path == self.href or path.startswith(f"{self.href}/")


ITEMS = (
    NavItem(name="News", href="/", letter="n", is_foremost=True),
    NavItem(name="Articles", href="/articles", letter="i", is_foremost=True),
    NavItem(name="Digests", href="/digests", letter="d", is_foremost=True),
    NavItem(name="Listen", href="/listen", letter="l", is_foremost=True),
    NavItem(name="Curators", href="/curators", letter="c", is_foremost=True),
    NavItem(name="Review", href="/review", letter="r", right="edit", is_foremost=True),
    NavItem(name="Sources", href="/sources", letter="s", is_foremost=True),
    NavItem(name="Topics", href="/topics", letter="t"),
    NavItem(name="Posts", href="/posts", letter="p"),
    NavItem(name="Runs", href="/runs", letter="u"),
    NavItem(name="Queue", href="/queue", letter="q"),
    NavItem(name="Sentiment", href="/sentiment", letter="o"),
    NavItem(name="Stats", href="/stats", letter="a"),
    NavItem(name="Spending", href="/spend", letter="m", right="edit"),
    NavItem(name="Text level", href="/levels", letter="v"),
    NavItem(name="Settings", href="/settings", letter="e"),
)
