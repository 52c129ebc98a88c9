"""Delivers events, digests and stories to webhooks; a delivery keeps one key over all its attempts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scoop import channels
from scoop.channels import DeliveryRefused, Errand, NotSent, Unknown, http, signing
from scoop.core.secrets import Secret
from scoop.errors import Retry
from scoop.fetch.client import Client
from scoop.stage_names import StageName
from scoop.stages.stage import Failure, Outcome, Stage
from scoop.store import webhooks
from scoop.store.db import Connection
from scoop.store.webhooks import DeliveryOutcome, OutgoingDelivery
from scoop.store.work import Subject

GONE = frozenset({410})
DEADLINE = timedelta(seconds=10)
ATTEMPTS = 12  # over two and a half days
CONCURRENT = 4
METRIC = "webhooks"  # the name under which requests are counted
DISABLED = "the webhook is disabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverWebhooks:
    """Sends deliveries through one client."""

    client: Client
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[OutgoingDelivery]:
        return [delivery for delivery in await webhooks.list_outgoing(conn, ids) if delivery.state == "waiting"]

    async def deliver(self, deliveries: list[OutgoingDelivery]) -> Outcome[list[DeliveryOutcome]]:
        errand = Errand(channel=METRIC, client=self.client, secrets=self.secrets, clock=self.clock)
        attempts = await asyncio.gather(*(_attempt(delivery, errand) for delivery in deliveries))
        return Outcome(
            output=[outcome for outcome, _ in attempts],
            failures={outcome.webhook_delivery_id: failure for outcome, failure in attempts if failure},
            messages=[f"webhook {outcome.name}: {outcome.error}" for outcome, _ in attempts if outcome.error],
        )

    async def save(self, conn: Connection, outcomes: list[DeliveryOutcome]) -> list[Subject]:
        await webhooks.settle(conn, outcomes)
        return []


async def _attempt(delivery: OutgoingDelivery, errand: Errand) -> tuple[DeliveryOutcome, Failure | None]:
    """The outcome of an attempt, and the failure for which it must be retried, if any."""
    sent = DeliveryOutcome(webhook_delivery_id=delivery.webhook_delivery_id, name=delivery.name, state="sent")
    if not delivery.enabled:
        return replace(sent, state="dropped", error=DISABLED, is_tried=False), None
    try:
        await send(delivery, errand)
    except (NotSent, Unknown) as failure:
        return replace(sent, state="waiting", error=str(failure)), failure
    except DeliveryRefused as refusal:
        if refusal.is_dead:
            return replace(sent, state="dropped", error=str(refusal), is_gone=True), None
        # A server that refuses may be repaired, so the delivery is retried to the end.
        return replace(sent, state="waiting", error=str(refusal)), Retry(str(refusal))
    return sent, None


async def send(delivery: OutgoingDelivery, errand: Errand) -> int:
    """Send a delivery once and give the status; NotSent, Unknown or DeliveryRefused if it was not accepted."""
    content = delivery.payload.encode()
    request = http.request(
        channels.HttpOptions(allow_private=delivery.allow_private),
        delivery.url,
        method="POST",
        content=content,
        headers=signing.headers(delivery.key, content, errand, secret=delivery.secret),
        deadline=DEADLINE,
    )
    response = await http.send(errand, request)
    if not http.is_success(response):
        reason = http.one_line(response.body.decode("utf-8", "replace"))
        raise http.failure(response, errand, reason=reason, dead=GONE)
    return response.status


def stage(
    client: Client, *, secrets: Mapping[str, Secret], clock: Callable[[], datetime]
) -> Stage[list[OutgoingDelivery], list[DeliveryOutcome]]:
    webhook_stage = DeliverWebhooks(client=client, secrets=secrets, clock=clock)
    return Stage(
        name=StageName.DELIVER_WEBHOOKS,
        load=webhook_stage.load,
        work=webhook_stage.deliver,
        save=webhook_stage.save,
        batch=CONCURRENT,
        max_attempts=ATTEMPTS,
        waits=True,
    )
