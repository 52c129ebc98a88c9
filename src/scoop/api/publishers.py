"""Publishers over the API: list them and change their names."""

from http import HTTPStatus
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import Field

from scoop.actions import publishers as publisher_actions
from scoop.api import document
from scoop.http import pagination, responses, routes
from scoop.http.deps import ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.store import publishers
from scoop.store.publishers import Publisher

router = routes.for_programs("Publishers")


class PublisherQuery(PageParams):
    like: Annotated[ShortText | None, Field(description="Only those with these words in their name or family.")] = None


class PublisherChanges(RequestModel):
    """The name of a publisher; null is the default again."""

    name: ShortText | None


@router.get("/publishers", response_model=Listed[Publisher])
@needs("read")
async def list_publishers(request: Request, conn: ReadConn, query: Annotated[PublisherQuery, Query()]) -> Response:
    """Publisher families by name."""
    after = pagination.decode_cursor(query.cursor, str, str) or publishers.START
    found = await publishers.list_publishers(conn, words=query.like, after=after, limit=query.limit + 1)
    return responses.json(
        request, pagination.paginate(found, query.limit, lambda publisher: (publisher.name, publisher.family))
    )


@router.get("/publishers/{family}", response_model=Publisher, responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("read")
async def get_publisher(request: Request, conn: ReadConn, family: ShortText) -> Response:
    """One publisher family."""
    return responses.json(request, await publishers.by_family(conn, family))


@router.patch("/publishers/{family}", response_model=Publisher, responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("edit")
async def change_publisher(request: Request, conn: WriteConn, family: ShortText, body: PublisherChanges) -> Response:
    """Change the name of a publisher. No source changes it from then on."""
    return responses.json(request, await publisher_actions.rename(conn, family, body.name))
