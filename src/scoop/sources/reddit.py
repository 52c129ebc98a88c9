"""The reddit source: posts of a subreddit, and comments on them."""

import base64
import html
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, ClassVar, Literal, TypeVar
from urllib.parse import urlencode

import msgspec
from lxml import etree

from scoop import sources
from scoop.core import text
from scoop.core.secrets import Secret
from scoop.errors import FetchFailed
from scoop.fetch.client import Response
from scoop.model import Item
from scoop.sources import Harvest, Visit
from scoop.sources.http import item, link, moment, parse_feed, parse_json

SITE = "https://www.reddit.com"
API = "https://oauth.reddit.com"
RATE_WINDOW = timedelta(minutes=10)  # of Reddit's rate limit; the wait if a response does not name one
KEPT_IDS = 5_000  # ids of recent posts and comments; twice the most of one visit
TITLE_FROM_COMMENT = 120  # characters of a comment that serve as a title
GONE = frozenset({"[deleted]", "[removed]"})

RedditThing = TypeVar("RedditThing", "RedditPost", "RedditComment")
_SUBREDDIT = msgspec.Meta(
    pattern=r"^(?:/?r/)?\w{2,21}(?:\+\w{2,21}){0,49}/?$", description="a name such as python, or several: python+rust"
)
_POST_ID = msgspec.Meta(pattern=r"^t3_[a-z0-9]{1,16}$")
_COMMENT_ID = msgspec.Meta(pattern=r"^t1_[a-z0-9]{1,16}$")
_TOKEN = msgspec.Meta(pattern=r"^[\x21-\x7e]+$")
_SIGNATURE = re.compile(r"\s*submitted by\s+/?u/\S+.*\Z", re.DOTALL)
_OUTBOUND = re.compile(r'<a href="([^"]+)">\[link\]</a>')
_POST_IN_URL = re.compile(r"/comments/([a-z0-9]{1,16})/")
_ATOM = "{http://www.w3.org/2005/Atom}"


class Token(msgspec.Struct):
    access_token: Annotated[str, _TOKEN]


class RedditNode(msgspec.Struct):
    kind: str
    data: msgspec.Raw


class Children(msgspec.Struct):
    children: list[RedditNode] = []


class Listing(msgspec.Struct):
    data: Children


class RedditPost(msgspec.Struct):
    """A post of the API."""

    name: Annotated[str, _POST_ID]
    title: str
    permalink: str
    url: str | None = None
    selftext: str | None = None
    author: str | None = None
    subreddit: str | None = None
    link_flair_text: str | None = None
    created_utc: float | None = None
    score: int = 0
    num_comments: int = 0
    is_self: bool = False
    removed_by_category: str | None = None


class RedditComment(msgspec.Struct):
    """A comment of the API."""

    name: Annotated[str, _COMMENT_ID]
    body: str
    permalink: str
    author: str | None = None
    created_utc: float | None = None
    score: int = 0


@dataclass(slots=True)
class Haul:
    """The items and problems so far; `rest` is the wait that Reddit's rate limit asks for."""

    items: list[Item] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    rest: timedelta = timedelta()


class Reddit:
    """The posts of a subreddit and, if you want, comments on them, from the API or a feed.

    With `client_id` and `client_secret`, of an application of your own, from the API. With `user` and `feed_token`,
    from your own feed. With neither, from the public feed, which Reddit's robots.txt forbids to programs unless you set
    the option `robots` to ignore. Feeds have no scores. A post has the address of the page it links to; its score is
    stored as it was when the post was first fetched; by the API, the counts of hot topics follow it while it is listed.
    """

    name = "reddit"
    access = "editor"
    base_url = SITE
    hosts = (API,)
    targets: ClassVar = {r"(?:https?://(?:\w+\.)?reddit\.com/)?/?r/(?P<subreddit>\w{2,50})/?": "r/python"}

    class Options(sources.SourceOptions, frozen=True, kw_only=True):
        """The subreddit, its posts, and your access.

        `client_id`: the id of your own application at Reddit.
        `client_secret`: the secret of that application.
        `user`: your name at Reddit, for feeds with a token.
        `feed_token`: the token in the address of your own Reddit feeds (feed=...).
        `subreddit`: its name, or several: python+rust.
        `listing`: the order of the posts.
        `limit`: the number of posts.
        `min_score`: skip posts with fewer points, until they have them; needs the API.
        `comments`: from the API, the number of best comments on each post; from a feed, of newest comments in the
        subreddit. Each is an item of its own.
        """

        client_id: Secret | None = None
        client_secret: Secret | None = None
        user: Secret | None = None
        feed_token: Secret | None = None
        subreddit: Annotated[str, _SUBREDDIT] = ""
        listing: Literal["new", "hot", "top", "rising"] = "new"
        limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 25
        min_score: Annotated[int, msgspec.Meta(ge=0)] = 0
        comments: Annotated[int, msgspec.Meta(ge=0, le=20)] = 0

        def __post_init__(self) -> None:
            if not self.subreddit:
                raise ValueError("give the option subreddit: a name such as python")

        @property
        def path(self) -> str:
            return f"/r/{self.subreddit.strip('/').removeprefix('r/')}"

    def __init__(self, options: Options) -> None:
        self.options = options

    async def fetch(self, visit: Visit) -> Harvest:
        options = self.options
        has_application = options.client_id is not None and options.client_secret is not None
        haul = await (_by_api(visit, options) if has_application else _by_feed(visit, options))
        seen = dict.fromkeys(visit.checkpoint.get("seen", ()))
        fetched = [item["source_item_id"] for item in haul.items]
        return Harvest(
            items=[item for item in haul.items if item["source_item_id"] not in seen],
            listed_again=[item for item in haul.items if item["source_item_id"] in seen and has_application],
            checkpoint={"seen": list(dict.fromkeys([*fetched, *seen]))[:KEPT_IDS]},
            health="ok" if fetched else "empty",
            problems=haul.problems,
            fresh_for=haul.rest,
        )


async def _by_api(visit: Visit, options: Reddit.Options) -> Haul:
    headers = {"Authorization": f"bearer {await _token(visit, options)}"}
    haul = Haul()
    query = urlencode({"limit": options.limit, "raw_json": 1})
    response = await _get(visit, f"{API}{options.path}/{options.listing}?{query}", headers)
    haul.rest = _rest(response)
    posts = [
        post
        for post in _parse(parse_json(response, Listing), "t3", RedditPost, haul)
        if post.score >= options.min_score and not post.removed_by_category
    ]
    haul.items += [_post(post) for post in posts]
    if options.comments:
        await _add_comments(visit, options, [post for post in posts if post.num_comments], headers, haul)
    return haul


async def _add_comments(
    visit: Visit, options: Reddit.Options, posts: list[RedditPost], headers: dict[str, str], haul: Haul
) -> None:
    """Add the best comments on each post, one post after the other, until the rate limit is reached."""
    query = urlencode({"limit": options.comments, "sort": "top", "depth": 1, "raw_json": 1})
    for post in posts:
        if haul.rest:
            return
        try:
            response = await _get(visit, f"{API}{options.path}/comments/{post.name[3:]}?{query}", headers)
            listings = parse_json(response, list[Listing])
        except FetchFailed as failure:
            haul.problems.append(str(failure))
            haul.rest = failure.after or haul.rest
            continue
        haul.rest = _rest(response)
        comments = [comment for listing in listings for comment in _parse(listing, "t1", RedditComment, haul)]
        haul.items += [_comment(comment, post) for comment in comments[: options.comments] if comment.body not in GONE]


async def _token(visit: Visit, options: Reddit.Options) -> str:
    """An access token of the API, for a day; requested at every visit, so that it is stored nowhere."""
    url = f"{SITE}/api/v1/access_token"
    pair = ":".join(secret.for_url(url) for secret in (options.client_id, options.client_secret) if secret)
    headers = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    try:
        response = await visit.post(url, form={"grant_type": "client_credentials"}, headers=headers)
    except FetchFailed as failure:
        raise _explain(failure, "the options client_id and client_secret are not valid") from failure
    return parse_json(response, Token).access_token


async def _get(visit: Visit, url: str, headers: dict[str, str]) -> Response:
    try:
        return await visit.get(url, headers=headers, is_api=True)
    except FetchFailed as failure:
        raise _explain(failure, "the application has no access") from failure


def _explain(failure: FetchFailed, reason_of_401: str) -> FetchFailed:
    """The failure with its meaning at Reddit, and with a wait if it is a rate limit."""
    reasons = {
        401: reason_of_401,
        403: "it is private, or Reddit blocks this program",
        404: "there is no such subreddit",
        429: "too many requests",
    }
    if failure.status not in reasons:
        return failure
    after = failure.after or (RATE_WINDOW if failure.status == 429 else None)
    return FetchFailed(
        f"{failure}: {reasons[failure.status]}", health=failure.health, status=failure.status, after=after
    )


def _rest(response: Response) -> timedelta:
    """The wait until the next request, by the rate limit headers of a response."""
    try:
        left = float(response.headers.get("x-ratelimit-remaining", "1"))
        seconds = float(response.headers.get("x-ratelimit-reset", "0"))
        return timedelta() if left >= 1 else min(max(timedelta(seconds=seconds), timedelta()), RATE_WINDOW)
    except (ValueError, OverflowError):
        return timedelta()


def _parse(listing: Listing, kind: str, shape: type[RedditThing], haul: Haul) -> list[RedditThing]:
    """The posts or comments of a listing; one that cannot be parsed becomes a problem."""
    parsed: list[RedditThing] = []
    for thing in listing.data.children:
        if thing.kind != kind:
            continue
        try:
            parsed.append(msgspec.json.decode(thing.data, type=shape))
        except msgspec.DecodeError as error:
            haul.problems.append(f"a {shape.__name__.lower()} could not be parsed: {error}")
    return [thing for thing in parsed if text.normalized(_text(thing))]


def _text(thing: RedditPost | RedditComment) -> str:
    return thing.title if isinstance(thing, RedditPost) else thing.body


def _post(post: RedditPost) -> Item:
    page = link(post.permalink, SITE)
    outbound = None if post.is_self else link(post.url, SITE)
    return item(
        post.name,
        post.title,
        canonical_url=outbound or page,
        published_at=moment(post.created_utc),
        body_text=post.selftext or "",
        authors=[post.author],
        tags=[post.link_flair_text],
        metadata={
            "platform": "reddit",
            "subreddit": post.subreddit,
            "reddit_url": page,
            "score": post.score,
            "comments": post.num_comments,
            "full_text": None if outbound and outbound != page else "never",
        },
    )


def _comment(comment: RedditComment, post: RedditPost) -> Item:
    return item(
        comment.name,
        text.truncated(text.one_line(comment.body), TITLE_FROM_COMMENT),
        canonical_url=link(comment.permalink, SITE),
        published_at=moment(comment.created_utc),
        body_text=comment.body,
        authors=[comment.author],
        metadata={
            "platform": "reddit",
            "subreddit": post.subreddit,
            "parent": post.name,
            "score": comment.score,
            "full_text": "never",
        },
    )


async def _by_feed(visit: Visit, options: Reddit.Options) -> Haul:
    haul = Haul()
    response = await _get_feed(
        visit, options, f"{options.path}/{options.listing}/.rss?{urlencode({'limit': options.limit})}"
    )
    feed = await parse_feed(visit, response)
    posts = [entry for entry in feed.items if entry["source_item_id"].startswith("t3_")]
    outbound_by_id = _outbound(response.body)
    haul.items += [_entry(entry, outbound_by_id.get(entry["source_item_id"])) for entry in posts]
    haul.rest = _rest(response)
    if options.comments and not haul.rest:
        query = urlencode({"limit": options.comments})
        response = await _get_feed(visit, options, f"{options.path}/comments/.rss?{query}")
        feed = await parse_feed(visit, response)
        comments = [entry for entry in feed.items if entry["source_item_id"].startswith("t1_")]
        haul.items += [_comment_entry(entry) for entry in comments[: options.comments]]
        haul.rest = _rest(response)
    if options.min_score:
        haul.problems.append("a feed has no scores: min_score needs client_id and client_secret")
    return haul


async def _get_feed(visit: Visit, options: Reddit.Options, path: str) -> Response:
    url, token = f"{SITE}{path}", ""
    if options.user and options.feed_token:
        token = urlencode({"feed": options.feed_token.for_url(url), "user": options.user.for_url(url)})
    try:
        return await visit.get(url, secret_query=token, is_api=bool(token))
    except FetchFailed as failure:
        if failure.health != "robots":
            raise _explain(failure, "the options user and feed_token are not valid") from failure
        advice = "set client_id and client_secret, or user and feed_token, or the option robots to ignore"
        raise FetchFailed(f"{failure}; {advice}", health="robots", after=failure.after) from failure


def _outbound(body: bytes) -> dict[str, str]:
    """The addresses that posts link to, by id: a feed has them in the markup of a post."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    root = etree.fromstring(body, parser)
    if root is None:
        return {}
    addresses = {}
    for entry in root.iter(f"{_ATOM}entry"):
        outbound = _OUTBOUND.search(entry.findtext(f"{_ATOM}content") or "")
        if outbound:
            addresses[entry.findtext(f"{_ATOM}id") or ""] = html.unescape(outbound[1])
    return addresses


def _entry(entry: Item, outbound: str | None) -> Item:
    page = entry.get("canonical_url")
    linked = link(outbound)
    is_link = linked is not None and linked != page
    metadata = {"platform": "reddit", "reddit_url": page, "full_text": None if is_link else "never"}
    return _rewritten(entry, metadata) | ({"canonical_url": linked} if is_link else {})


def _comment_entry(entry: Item) -> Item:
    post = _POST_IN_URL.search(entry.get("canonical_url", ""))
    metadata = {"platform": "reddit", "parent": f"t3_{post[1]}" if post else None, "full_text": "never"}
    comment = _rewritten(entry, metadata)
    title = text.truncated(text.one_line(comment.get("body_text", "")), TITLE_FROM_COMMENT)
    return comment | ({"title": title} if text.normalized(title) else {})


def _rewritten(entry: Item, metadata: dict[str, str | None]) -> Item:
    """The entry without Reddit's signature under the text, and without u/ before names."""
    changed = {
        "body_text": _SIGNATURE.sub("", entry.get("body_text", "")),
        "authors": [author.removeprefix("/").removeprefix("u/") for author in entry.get("authors", ())],
        "source_metadata": {key: value for key, value in metadata.items() if value is not None},
    }
    return {key: value for key, value in (entry | changed).items() if value}
