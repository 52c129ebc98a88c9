"""Where a reader can go: the places in the masthead, for whom, and the letter that leads there after g."""

from dataclasses import dataclass

from scoop.core.access import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    name: str
    href: str
    letter: str
    right: Right = "read"
    is_foremost: bool = False  # shown by itself where there is room; the others stand behind "More"

    def is_at(self, path: str) -> bool:
        """Whether a path is this place or a page of it; stories and days belong to the front page."""
        if self.href == "/":
            return path == "/" or path.startswith(("/days/", "/stories/"))
        return path == self.href or path.startswith(f"{self.href}/")


PLACES = (
    Place(name="News", href="/", letter="n", is_foremost=True),
    Place(name="Digests", href="/digests", letter="d", is_foremost=True),
    Place(name="Review", href="/review", letter="r", right="edit", is_foremost=True),
    Place(name="Sources", href="/sources", letter="s", is_foremost=True),
    Place(name="Topics", href="/topics", letter="t"),
    Place(name="Posts", href="/posts", letter="p"),
    Place(name="Runs", href="/runs", letter="u"),
    Place(name="Queue", href="/queue", letter="q"),
    Place(name="Stats", href="/stats", letter="a"),
    Place(name="Settings", href="/settings", letter="e"),
)
