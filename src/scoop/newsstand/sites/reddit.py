"""Reddit: a subreddit for each collection, through the API and as feeds."""

import base64
import html
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand.context import SiteContext
from scoop.newsstand.limits import RequestLimit
from scoop.newsstand.world import Edition, EditionReply

SITE_HOST = "www.reddit.com"
API_HOST = "oauth.reddit.com"
SITE = f"https://{SITE_HOST}"
LISTINGS = ("new", "hot", "top", "rising")
TOKEN_PREFIX = "newsstand-"  # noqa: S105
UNKNOWN_CLIENT, WRONG_FEED_TOKEN = "unknown", "wrong"
HASTY_CLIENT = "hasty"  # has a low limit, so that tests can hit it
HASTY_REQUESTS, REQUESTS, WINDOW = 3, 100_000, timedelta(minutes=10)
POINTS_PER_HOUR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A comment under a post."""

    id: str
    reply: EditionReply


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsstandPost:
    id: str
    subreddit: str
    edition: Edition
    score: int
    remarks: tuple[Remark, ...]

    @property
    def permalink(self) -> str:
        return f"/r/{self.subreddit}/comments/{self.id}/{self.edition.article.id.replace('-', '_')}/"

    @property
    def is_self(self) -> bool:
        return self.edition.outlet.is_link_blog and not self.edition.links_to_url

    @property
    def author(self) -> str:
        return (self.edition.article.author or "newsbot").replace(" ", "_")

    @property
    def url(self) -> str:
        return SITE + self.permalink if self.is_self else self.edition.link


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {SITE_HOST: RedditSite(context=context).routes(), API_HOST: api(context).routes()}


def posts(context: SiteContext, subreddit: str, listing: str) -> list[NewsstandPost]:
    """The posts of a subreddit in the order of a listing; 404 for an unknown subreddit or listing."""
    editions = [edition for edition in context.editions() if edition.outlet.collection == subreddit]
    if not editions or listing not in LISTINGS:
        raise HTTPException(404)
    linked = {edition.link for edition in editions if edition.outlet.is_link_blog}
    shown = [edition for edition in editions if edition.outlet.is_link_blog or edition.url not in linked]
    listed = [_post(subreddit, edition, now=context.clock()) for edition in shown]
    return listed if listing == "new" else sorted(listed, key=lambda post: -post.score)


def _post(subreddit: str, edition: Edition, *, now: datetime) -> NewsstandPost:
    age_hours = (now - edition.published_at) / timedelta(hours=1)
    remarks = [
        Remark(id=_id(f"{edition.article.id}#{number}"), reply=reply) for number, reply in enumerate(edition.replies)
    ]
    return NewsstandPost(
        id=_id(edition.article.id),
        subreddit=subreddit,
        edition=edition,
        score=1 + sum(reply.score for reply in edition.replies) + int(min(age_hours, 24) * POINTS_PER_HOUR),
        remarks=tuple(sorted(remarks, key=lambda remark: -remark.reply.score)),
    )


def _id(name: str) -> str:
    return f"1{zlib.crc32(name.encode()):x}"


def _count(request: Request, default: int = 25) -> int:
    limit = request.query_params.get("limit", "")
    return min(int(limit), 100) if limit.isdecimal() else default


def api(context: SiteContext) -> "RedditApi":
    return RedditApi(
        context=context,
        limit=RequestLimit(requests=REQUESTS, per=WINDOW, clock=context.clock),
        hasty_limit=RequestLimit(requests=HASTY_REQUESTS, per=WINDOW, clock=context.clock),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RedditApi:
    """The API that an application uses with its token."""

    context: SiteContext
    limit: RequestLimit
    hasty_limit: RequestLimit

    def routes(self) -> list[BaseRoute]:
        return [Route("/r/{subreddit}/comments/{id}", self.comments), Route("/r/{subreddit}/{listing}", self.listing)]

    async def listing(self, request: Request) -> Response:
        listed = posts(self.context, request.path_params["subreddit"], request.path_params["listing"])
        return self._counted(request, _listing([_t3(post) for post in listed[: _count(request)]]))

    async def comments(self, request: Request) -> Response:
        listed = posts(self.context, request.path_params["subreddit"], "new")
        post = next((post for post in listed if post.id == request.path_params["id"]), None)
        if post is None:
            raise HTTPException(404)
        shown = [_t1(remark, post) for remark in post.remarks[: _count(request)]]
        hidden = [{"kind": "more", "data": {"count": len(post.remarks) - len(shown), "children": []}}]
        return self._counted(request, [_listing([_t3(post)]), _listing(shown + hidden)])

    def _counted(self, request: Request, answer: Any) -> Response:
        token = request.headers.get("authorization", "").partition(" ")[2]
        if not token.startswith(TOKEN_PREFIX):
            return JSONResponse({"message": "Unauthorized", "error": 401}, status_code=401)
        limit = self.hasty_limit if token == TOKEN_PREFIX + HASTY_CLIENT else self.limit
        left = limit.left_after(token)
        reset = str(limit.seconds_to_wait(token))
        headers = {"x-ratelimit-remaining": f"{max(left, 0)}.0", "x-ratelimit-reset": reset}
        if left < 0:
            body = {"message": "Too Many Requests", "error": 429}
            return JSONResponse(body, status_code=429, headers=headers | {"retry-after": reset})
        return JSONResponse(answer, headers=headers)


def _listing(children: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": "Listing", "data": {"after": None, "dist": len(children), "children": children}}


def _t3(post: NewsstandPost) -> dict[str, Any]:
    edition = post.edition
    data = {
        "id": post.id,
        "name": f"t3_{post.id}",
        "title": edition.title,
        "selftext": edition.body if post.is_self else "",
        "url": post.url,
        "permalink": post.permalink,
        "author": post.author,
        "subreddit": post.subreddit,
        "link_flair_text": edition.article.tags[0],
        "created_utc": edition.published_at.timestamp(),
        "score": post.score,
        "num_comments": len(post.remarks),
        "is_self": post.is_self,
        "over_18": False,
        "removed_by_category": None,
    }
    return {"kind": "t3", "data": data}


def _t1(remark: Remark, post: NewsstandPost) -> dict[str, Any]:
    data = {
        "id": remark.id,
        "name": f"t1_{remark.id}",
        "body": remark.reply.text,
        "author": remark.reply.author,
        "score": remark.reply.score,
        "created_utc": remark.reply.posted_at.timestamp(),
        "parent_id": f"t3_{post.id}",
        "permalink": f"{post.permalink}{remark.id}/",
    }
    return {"kind": "t1", "data": data}


@dataclass(frozen=True, slots=True, kw_only=True)
class RedditSite:
    """Tokens for applications, and public feeds."""

    context: SiteContext

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/v1/access_token", self.token, methods=["POST"]),
            Route("/robots.txt", self.robots),
            Route("/r/{subreddit}/comments/.rss", self.comments),
            Route("/r/{subreddit}/{listing}/.rss", self.posts),
            Route("/r/{subreddit}/.rss", self.posts),
        ]

    async def token(self, request: Request) -> Response:
        client, _, secret = _basic(request.headers.get("authorization", "")).partition(":")
        if not client or not secret or client == UNKNOWN_CLIENT:
            return JSONResponse({"message": "Unauthorized", "error": 401}, status_code=401)
        if await request.body() != b"grant_type=client_credentials":
            return JSONResponse({"error": "unsupported_grant_type"}, status_code=400)
        return JSONResponse(
            {"access_token": TOKEN_PREFIX + client, "token_type": "bearer", "expires_in": 86400, "scope": "*"}
        )

    async def robots(self, _request: Request) -> Response:
        return PlainTextResponse("User-agent: *\nDisallow: /\n")

    async def posts(self, request: Request) -> Response:
        listed = posts(self.context, request.path_params["subreddit"], request.path_params.get("listing", "hot"))
        return _feed(request, [_post_entry(post) for post in listed[: _count(request)]])

    async def comments(self, request: Request) -> Response:
        listed = posts(self.context, request.path_params["subreddit"], "new")
        remarks = [(remark, post) for post in listed for remark in post.remarks]
        remarks.sort(key=lambda pair: pair[0].reply.posted_at, reverse=True)
        return _feed(request, [_remark_entry(remark, post) for remark, post in remarks[: _count(request)]])


def _basic(authorization: str) -> str:
    """The name and password of a request, as name:password."""
    try:
        return base64.b64decode(authorization.removeprefix("Basic ")).decode()
    except ValueError:
        return ""


def _feed(request: Request, entries: list[ET.Element]) -> Response:
    if request.query_params.get("feed") == WRONG_FEED_TOKEN:
        raise HTTPException(403)
    feed = ET.Element("feed", {"xmlns": "http://www.w3.org/2005/Atom"})
    _add(feed, "id", request.url.path)
    _add(feed, "title", "newest submissions")
    _add(feed, "link", rel="self", href=str(request.url), type="application/atom+xml")
    feed.extend(entries)
    return Response(ET.tostring(feed, encoding="utf-8", xml_declaration=True), media_type="application/atom+xml")


def _post_entry(post: NewsstandPost) -> ET.Element:
    page = SITE + post.permalink
    text = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in post.edition.paragraphs)
    body = f'<!-- SC_OFF --><div class="md">{text}</div><!-- SC_ON -->' if post.is_self else ""
    signature = (
        f' &#32; submitted by &#32; <a href="{SITE}/user/{post.author}"> /u/{post.author} </a> <br/> '
        f'<span><a href="{html.escape(post.url)}">[link]</a></span> &#32; <span><a href="{page}">[comments]</a></span>'
    )
    return _entry(
        f"t3_{post.id}", post.edition.title, page, post.author, body + signature, at=post.edition.published_at
    )


def _remark_entry(remark: Remark, post: NewsstandPost) -> ET.Element:
    reply = remark.reply
    body = f'<!-- SC_OFF --><div class="md"><p>{html.escape(reply.text)}</p></div><!-- SC_ON -->'
    title = f"/u/{reply.author} on {post.edition.title}"
    page = f"{SITE}{post.permalink}{remark.id}/"
    return _entry(f"t1_{remark.id}", title, page, reply.author, body, at=reply.posted_at)


def _entry(name: str, title: str, page: str, author: str, content: str, *, at: datetime) -> ET.Element:
    entry = ET.Element("entry")
    _add(_add(entry, "author"), "name", f"/u/{author}")
    _add(entry, "content", content, type="html")
    _add(entry, "id", name)
    _add(entry, "link", href=page)
    _add(entry, "updated", at.isoformat())
    _add(entry, "published", at.isoformat())
    _add(entry, "title", title)
    return entry


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = text
    return element
