"""The invented world of the newsstand: outlets, articles, and their state at a given moment."""

import csv
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

SHIPPED = Path(__file__).parent / "world"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # date of a page on which nothing has happened yet

Noun = TypeVar("Noun", "WorldOutlet", "WorldArticle")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldOutlet:
    key: str
    name: str
    host: str
    language: str
    collection: str
    category: str
    feed: Literal["rss", "atom", "json"]
    about: str

    @property
    def url(self) -> str:
        return f"http://{self.host}/"

    @property
    def is_link_blog(self) -> bool:
        return self.category == "link_blog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A later version of an article at the same URL."""

    hours_ago: float
    title: str | None = None
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldComment:
    author: str
    hours_ago: float
    score: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldArticle:
    """An article with all its versions; once loaded, a copy has the body it copies and every article a language."""

    id: str
    outlet: str
    hours_ago: float
    title: str
    author: str | None = None
    tags: tuple[str, ...]
    kind: Literal["news", "press_release", "link", "opinion", "question"]
    summary: str
    body: str = ""
    copy_of: str | None = None
    language: str = ""
    links_to: str | None = None
    update: tuple[Update, ...] = ()
    comment: tuple[WorldComment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    outlets: tuple[WorldOutlet, ...]
    articles: tuple[WorldArticle, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """The gold label of one article: its story, and the event of that story."""

    story: str
    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionReply:
    """A comment at the time it was posted."""

    author: str
    posted_at: datetime
    score: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """An article in its state at one moment."""

    article: WorldArticle
    outlet: WorldOutlet
    url: str
    links_to_url: str | None
    title: str
    body: str
    published_at: datetime
    updated_at: datetime
    replies: tuple[EditionReply, ...]

    @property
    def guid(self) -> str:
        """Identifies the article in feeds; stays when its URL moves with the date."""
        return f"{self.outlet.host}:{self.article.id}"

    @property
    def link(self) -> str:
        """The link of the article's feed entry: for a link post, its target."""
        return self.links_to_url or self.url

    @property
    def paragraphs(self) -> list[str]:
        return self.body.split("\n\n")

    @property
    def changed_at(self) -> datetime:
        return max([self.updated_at, *(reply.posted_at for reply in self.replies)])


def load(folder: Path) -> World:
    """Load the world from a folder's TOML files; a ValueError names the file and the article."""
    outlet_by_key = {outlet.key: outlet for outlet in _read(folder / "outlets.toml", "outlet", WorldOutlet)}
    article_by_id: dict[str, WorldArticle] = {}
    where_by_id: dict[str, str] = {}
    for path in sorted(set(folder.glob("*.toml")) - {folder / "outlets.toml"}):
        for article in _read(path, "article", WorldArticle):
            where = f"{path.name}: article {article.id!r}"
            if article.id in article_by_id:
                raise ValueError(f"{where} has the same id as {where_by_id[article.id]}")
            article_by_id[article.id] = article
            where_by_id[article.id] = where
    for article in article_by_id.values():
        if fault := _fault(article, article_by_id, outlet_by_key):
            raise ValueError(f"{where_by_id[article.id]} {fault}")
    articles = (_whole(article, article_by_id, outlet_by_key) for article in article_by_id.values())
    return World(outlets=tuple(outlet_by_key.values()), articles=tuple(articles))


def gold(folder: Path) -> dict[str, Gold]:
    """The gold labels of the world in a folder, by article id."""
    gold_by_id: dict[str, Gold] = {}
    for path in sorted(folder.glob("gold/*.tsv")):
        for row in csv.DictReader(path.read_text("utf-8").splitlines(), delimiter="\t"):
            if row["article_id"] in gold_by_id:
                raise ValueError(f"{path.name}: article {row['article_id']!r} has been answered already")
            gold_by_id[row["article_id"]] = Gold(story=row["story"], event=row["event"])
    return gold_by_id


def as_of(world: World, anchor: datetime, now: datetime) -> list[Edition]:
    """Editions published at `now`, newest first; `anchor` is the moment from which `hours_ago` counts back."""
    anchor = anchor.astimezone(UTC)
    outlet_by_key = {outlet.key: outlet for outlet in world.outlets}
    url_by_id = {article.id: _url(article, outlet_by_key[article.outlet], anchor) for article in world.articles}
    editions = [
        _edition(article, outlet_by_key[article.outlet], url_by_id, anchor=anchor, now=now)
        for article in world.articles
        if _time(article, anchor) <= now
    ]
    return sorted(editions, key=lambda edition: (edition.published_at, edition.article.id), reverse=True)


def last_change(editions: Iterable[Edition]) -> datetime:
    """When any of these editions last changed."""
    return max((edition.changed_at for edition in editions), default=EPOCH)


def _read(path: Path, name: str, noun: type[Noun]) -> list[Noun]:
    try:
        tables = tomllib.loads(path.read_text("utf-8"))[name]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise ValueError(f"{path.name} holds no [[{name}]]: {error}") from error
    return [
        _checked(table, noun, where=f"{path.name}: {name} {table.get('id', number)!r}")
        for number, table in enumerate(tables, start=1)
    ]


def _checked(table: dict[str, Any], noun: type[Noun], *, where: str) -> Noun:
    if unknown := sorted(table.keys() - {field.name for field in fields(noun)}):
        raise ValueError(f"{where} has the unknown key {unknown[0]!r}")
    try:
        return msgspec.convert(table, noun)
    except msgspec.ValidationError as error:
        raise ValueError(f"{where}: {error}") from error


def _fault(
    article: WorldArticle, article_by_id: Mapping[str, WorldArticle], outlet_by_key: Mapping[str, WorldOutlet]
) -> str | None:
    """The error in this article's relation to the rest of its world, if any."""
    later: list[Update | WorldComment] = [*article.update, *article.comment]
    if article.outlet not in outlet_by_key:
        return f"is of the unknown outlet {article.outlet!r}"
    for reference in (article.copy_of, article.links_to):
        if reference and reference not in article_by_id:
            return f"refers to the unknown article {reference!r}"
    if bool(article.body) == bool(article.copy_of):
        return "needs either a body or copy_of"
    if article.copy_of and article_by_id[article.copy_of].copy_of:
        return f"copies {article.copy_of!r}, which is a copy itself"
    if any(version.hours_ago > article.hours_ago for version in later):
        return "has an update or a comment older than itself"
    return None


def _whole(
    article: WorldArticle, article_by_id: Mapping[str, WorldArticle], outlet_by_key: Mapping[str, WorldOutlet]
) -> WorldArticle:
    original = article_by_id[article.copy_of] if article.copy_of else article
    return replace(
        article,
        body=original.body,
        language=article.language or outlet_by_key[article.outlet].language,
        update=tuple(sorted(article.update, key=lambda update: -update.hours_ago)),
        comment=tuple(sorted(article.comment, key=lambda comment: -comment.hours_ago)),
    )


def _time(dated: WorldArticle | Update | WorldComment, anchor: datetime) -> datetime:
    return anchor - timedelta(hours=dated.hours_ago)


def _url(article: WorldArticle, outlet: WorldOutlet, anchor: datetime) -> str:
    return f"{outlet.url}{_time(article, anchor):%Y/%m/%d}/{article.id}"


def _edition(
    article: WorldArticle, outlet: WorldOutlet, url_by_id: Mapping[str, str], *, anchor: datetime, now: datetime
) -> Edition:
    updates = [update for update in article.update if _time(update, anchor) <= now]
    replies = [comment for comment in article.comment if _time(comment, anchor) <= now]
    latest = updates[-1] if updates else article
    return Edition(
        article=article,
        outlet=outlet,
        url=url_by_id[article.id],
        links_to_url=url_by_id[article.links_to] if article.links_to else None,
        title=[article.title, *(update.title for update in updates if update.title)][-1],
        body=latest.body.strip(),
        published_at=_time(article, anchor),
        updated_at=_time(latest, anchor),
        replies=tuple(_reply(comment, anchor) for comment in replies),
    )


def _reply(comment: WorldComment, anchor: datetime) -> EditionReply:
    return EditionReply(author=comment.author, posted_at=_time(comment, anchor), score=comment.score, text=comment.text)
