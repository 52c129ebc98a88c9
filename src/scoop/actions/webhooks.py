"""Webhooks: settings as operators write them, and test messages."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from scoop.actions import settings as definition
from scoop.actions.webhook_settings import EVENTS, SETTINGS
from scoop.channels import Errand, http, signing
from scoop.core.secrets import Secret
from scoop.errors import UsageError
from scoop.fetch.client import Client
from scoop.stages import deliver_webhooks
from scoop.store import webhooks as store
from scoop.store.webhooks import OutgoingDelivery, WebhookEvent, WebhookSettings

TRIAL = "webhook.test"


def settings(given: Mapping[str, Any]) -> WebhookSettings:
    """The settings of a webhook; UsageError names the invalid one."""
    known = {field.name for field in fields(WebhookSettings)}
    values = {name: value for name, value in given.items() if value is not None and name in known}
    if missing := [setting.name for setting in SETTINGS if setting.is_required and setting.name not in values]:
        raise UsageError(f"{missing[0]}: must be set")
    values["events"] = _events(values.get("events") or store.DEFAULT_EVENTS)
    definition.check(SETTINGS, values | {"events": list(values["events"])})
    found = WebhookSettings(**values)
    _check_address(found)
    return found


def changed(now: WebhookSettings, given: Mapping[str, Any]) -> WebhookSettings:
    """The settings of a webhook with an operator's changes; only collection and topic may become None."""
    kept = {field.name: getattr(now, field.name) for field in fields(WebhookSettings)}
    changes = {name: value for name, value in given.items() if value is not None or name in {"collection", "topic"}}
    return settings({**kept, **changes, "name": now.name})


async def send_test(
    found: WebhookSettings, *, client: Client, secrets: Mapping[str, Secret], clock: Callable[[], datetime]
) -> int:
    """Send a test message to a webhook; return the HTTP status, or raise NotSent, Unknown or DeliveryRefused."""
    errand = Errand(channel=deliver_webhooks.METRIC, client=client, secrets=secrets, clock=clock)
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


def _check_address(found: WebhookSettings) -> None:
    try:
        signing.check_address(found.url)
        http.check_name("secret", found.secret)
    except ValueError as error:
        raise UsageError(str(error).removeprefix("option ")) from error
