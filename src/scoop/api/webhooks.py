"""Webhooks in the API: programs that receive events and digests."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic.dataclasses import dataclass

from scoop.actions import webhooks
from scoop.actions.webhook_settings import SETTINGS
from scoop.api import document
from scoop.app import open_client
from scoop.errors import Reject, Retry
from scoop.http import pagination, responses, routes, setting_models
from scoop.http.deps import CurrentDesk, ReadConn, WriteConn
from scoop.http.errors import HttpProblem
from scoop.http.pagination import Listed
from scoop.http.routes import needs
from scoop.store import db
from scoop.store import webhooks as store
from scoop.store.webhooks import Delivery, Webhook

router = routes.for_programs("Webhooks")

WebhookName = Annotated[str, Path(max_length=64, pattern=r"^[a-z0-9_]+$")]


class NewWebhook(setting_models.new_model("NewWebhook", SETTINGS)):  # type: ignore[misc]  # made at run time
    """A new webhook; omitted fields have their default."""


class ChangedWebhook(setting_models.patch_model("ChangedWebhook", SETTINGS)):  # type: ignore[misc]
    """Fields to change; omitted fields keep their value. A null collection or topic matches all."""


class DeliveryPage(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=200)
    cursor: str | None = Field(None, max_length=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTest:
    """The HTTP status of a test message."""

    status: int


@router.get("/webhooks", response_model=list[Webhook])
@needs("admin")
async def list_webhooks(request: Request, conn: ReadConn) -> Response:
    """All webhooks by name; secrets are named, never shown."""
    return responses.json(request, await store.list_webhooks(conn))


@router.post(
    "/webhooks",
    response_model=Webhook,
    status_code=HTTPStatus.CREATED,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
@needs("admin")
async def add_webhook(request: Request, conn: WriteConn, new: NewWebhook) -> Response:
    """Add a webhook; it is notified of what happens from now on."""
    await store.add(conn, webhooks.settings(new.model_dump()))
    return responses.json(request, await store.by_name(conn, new.name), status=HTTPStatus.CREATED)


@router.get("/webhooks/{name}", response_model=Webhook)
@needs("admin")
async def get_webhook(request: Request, conn: ReadConn, name: WebhookName) -> Response:
    """One webhook."""
    return responses.json(request, await store.by_name(conn, name))


@router.patch(
    "/webhooks/{name}",
    response_model=Webhook,
    responses=document.problems(HTTPStatus.PRECONDITION_FAILED),
    openapi_extra=document.IF_MATCH,
)
@needs("admin")
async def change_webhook(request: Request, conn: WriteConn, name: WebhookName, changes: ChangedWebhook) -> Response:
    """Change a webhook; enabling one that answered 410 resumes its deliveries."""
    now = await store.by_name(conn, name)
    responses.check_unchanged(request, now)
    given: dict[str, Any] = changes.model_dump(exclude_unset=True)
    await store.put(conn, webhooks.changed(now, given))
    return responses.json(request, await store.by_name(conn, name))


@router.delete("/webhooks/{name}", status_code=HTTPStatus.NO_CONTENT)
@needs("admin")
async def remove_webhook(conn: WriteConn, name: WebhookName) -> Response:
    """Remove a webhook and its waiting deliveries."""
    await store.remove(conn, name)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/webhooks/{name}/test", response_model=WebhookTest, responses=document.problems(HTTPStatus.BAD_GATEWAY))
@needs("admin")
async def test_webhook(request: Request, desk: CurrentDesk, name: WebhookName) -> Response:
    """Send a webhook a message of the type webhook.test."""
    async with desk.reading() as conn:
        found = await store.by_name(conn, name)
    async with open_client(desk.config) as client:
        try:
            status = await webhooks.send_test(found, client=client, secrets=desk.config.secrets, clock=desk.clock)
        except (Retry, Reject) as failure:
            raise HttpProblem(HTTPStatus.BAD_GATEWAY, f"{name} refused it: {failure}") from failure
    return responses.json(request, WebhookTest(status=status))


@router.get("/webhooks/{name}/deliveries", response_model=Listed[Delivery])
@needs("admin")
async def list_deliveries(
    request: Request, conn: ReadConn, name: WebhookName, part: Annotated[DeliveryPage, Query()]
) -> Response:
    """Deliveries of a webhook, the latest first, including waiting and quarantined ones."""
    await store.by_name(conn, name)
    before = pagination.decode_cursor(part.cursor, int)
    found = await store.list_deliveries(
        conn, name=name, before=before[0] if before else db.LAST_ID, limit=part.limit + 1
    )
    return responses.json(request, pagination.paginate(found, part.limit, lambda each: (each.webhook_delivery_id,)))
