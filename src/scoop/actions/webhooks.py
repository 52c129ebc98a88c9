"""Webhooks: settings as operators write them, and test messages."""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, get_args

from scoop.channels import Errand, http, signing
from scoop.core.secrets import Secret
from scoop.errors import UsageError
from scoop.fetch.client import Client
from scoop.stages import deliver_webhooks
from scoop.store import webhooks as store
from scoop.store.webhooks import OutgoingDelivery, WebhookEvent, WebhookSettings

EVENTS: tuple[WebhookEvent, ...] = get_args(WebhookEvent)
MAX_URL = 2_000
MAX_COLLECTION = 128
TRIAL = "webhook.test"
_NAME = re.compile(r"[a-z0-9_]{1,64}")


def settings(given: Mapping[str, Any]) -> WebhookSettings:
    """The settings of a webhook; UsageError names the invalid one."""
    known = {each.name for each in fields(WebhookSettings)}
    values = {name: value for name, value in given.items() if value is not None and name in known}
    values["events"] = _events(values.get("events") or EVENTS)
    found = WebhookSettings(**values)
    _check(found)
    return found


def changed(now: WebhookSettings, given: Mapping[str, Any]) -> WebhookSettings:
    """The settings of a webhook with an operator's changes; only collection and topic may become None."""
    kept = {each.name: getattr(now, each.name) for each in fields(WebhookSettings)}
    changes = {name: value for name, value in given.items() if value is not None or name in {"collection", "topic"}}
    return settings({**kept, **changes, "name": now.name})


async def send_test(
    found: WebhookSettings, *, client: Client, secrets: Mapping[str, Secret], clock: Callable[[], datetime]
) -> int:
    """Send a test message to a webhook; return the HTTP status, or raise NotSent, Unknown or DeliveryRefused."""
    errand = Errand(client=client, secrets=secrets, clock=clock)
    payload = store.message(TRIAL, {"webhook": found.name}, now=clock())
    trial = OutgoingDelivery(
        webhook_delivery_id=0,
        key=store.new_key(),
        payload=payload,
        name=found.name,
        url=found.url,
        secret=found.secret,
        allow_private=found.allow_private,
        enabled=True,
        state="waiting",
    )
    return await deliver_webhooks.send(trial, errand)


def _events(given: Any) -> tuple[WebhookEvent, ...]:
    for event in given:
        if event not in EVENTS:
            raise UsageError(f"events: unknown event {event!r}; known events are {', '.join(EVENTS)}")
    return tuple(event for event in EVENTS if event in given)


def _check(found: WebhookSettings) -> None:
    if not _NAME.fullmatch(found.name):
        raise UsageError(f"name: {found.name[:100]!r} must be 1 to 64 of a-z, 0-9 and _")
    if len(found.url) > MAX_URL or not found.url.isprintable():
        raise UsageError(f"url: must be an address of at most {MAX_URL:,} characters")
    if found.collection is not None and not (found.collection.strip() and found.collection.isprintable()):
        raise UsageError("collection: must not be blank")
    try:
        signing.check_address(found.url)
        http.check_name("secret", found.secret)
    except ValueError as error:
        raise UsageError(str(error).removeprefix("option ")) from error
