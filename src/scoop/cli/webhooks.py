"""`scoop webhooks`: programs that receive events and digests."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config
from scoop.errors import InputError, Reject, Retry, UsageError

if TYPE_CHECKING:
    from scoop.store.webhooks import Delivery, Webhook, WebhookSettings

named = click.argument("name")


@click.group(cls=usage.CommandGroup, aliases={"enable --off": "disable"})
def command() -> None:
    """Programs that receive events and digests.

    Messages are JSON by POST, signed with your secret as Standard Webhooks specifies: the headers webhook-id,
    webhook-timestamp and webhook-signature. A failed delivery is retried for two days under one id; a webhook that
    answers 410 is disabled.

    \b
    Examples:
      scoop webhooks add desk https://example.com/hook --secret desk      signed with SCOOP_SECRET_DESK
      scoop webhooks test desk
      scoop webhooks deliveries
    """


@command.command("list")
@console.as_json
@click.pass_obj
def list_webhooks(config: Config, as_json: bool) -> None:
    """List all webhooks: their events, and their problems."""
    runtime.run(_list(config, as_json=as_json))


async def _list(config: Config, *, as_json: bool) -> None:
    from scoop.store import webhooks

    async with runtime.open_connection(config) as conn:
        found = await webhooks.list_webhooks(conn)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("webhook", "state", "events", "of", "waiting", "address", "problem"),
        [
            (
                each.name,
                "enabled" if each.enabled else "disabled",
                " ".join(each.events),
                _of(each),
                each.waiting,
                each.url,
                each.problem,
            )
            for each in found
        ],
        empty="there are no webhooks; add one: scoop webhooks add NAME URL --secret NAME",
        cut="address",
    )


def _of(webhook: "Webhook") -> str:
    return " ".join(filter(None, [webhook.collection, webhook.topic])) or "all"


@command.command()
@named
@console.as_json
@click.pass_obj
def show(config: Config, name: str, as_json: bool) -> None:
    """Show one webhook.

    \b
    Example:
      scoop webhooks show desk
    """
    webhook = runtime.run(_get(config, name))
    if as_json:
        console.print_json(webhook)
        return
    rows = [
        ("address", webhook.url),
        ("state", "enabled" if webhook.enabled else "disabled"),
        ("events", " ".join(webhook.events)),
        ("of", _of(webhook)),
        ("secret", webhook.secret),
        ("private address", "allowed" if webhook.allow_private else "refused"),
        ("waiting", webhook.waiting),
        ("problem", webhook.problem),
    ]
    console.print_table(("what", "value"), rows, empty="")


async def _get(config: Config, name: str) -> "Webhook":
    from scoop.store import webhooks

    async with runtime.open_connection(config) as conn:
        return await webhooks.by_name(conn, name)


@command.command()
@named
@click.argument("url")
@click.option("--secret", required=True, help="Name of the signing secret: desk is SCOOP_SECRET_DESK.")
@click.option(
    "--event",
    "events",
    multiple=True,
    metavar="EVENT",
    help="event.new, event.developed and digest.told if none is given; also story.new, story.developed, alert.raised, "
    "alert.resolved; repeatable.",
)
@click.option("--collection", help="Only events and stories of this collection.")
@click.option("--topic", metavar="SLUG", help="Only events, stories and digests of this topic.")
@click.option("--allow-private", is_flag=True, help="Allow a private address.")
@console.as_json
@click.pass_obj
def add(config: Config, /, as_json: bool, **given: Any) -> None:
    """Add a webhook, or change the one with this name; NAME is of a-z, 0-9 and _.

    It receives what happens from now on: an event when it is new and when it developed, and every published digest.

    \b
    Examples:
      scoop webhooks add desk https://example.com/hook --secret desk
      scoop webhooks add energy https://example.com/energy --secret desk --topic energy --event digest.told
    """
    from scoop.actions import webhooks

    settings = webhooks.settings(given)
    runtime.run(_put(config, settings))
    if as_json:
        console.print_json(settings)
        return
    click.echo(f"{settings.name} receives {', '.join(settings.events)}; next: scoop webhooks test {settings.name}")
    if settings.secret not in config.secrets:
        click.echo(f"scoop: SCOOP_SECRET_{settings.secret.upper()} is not set: nothing is sent without it", err=True)


async def _put(config: Config, settings: "WebhookSettings") -> None:
    from scoop.store import webhooks

    async with runtime.open_connection(config) as conn:
        await webhooks.put(conn, settings)


@command.command()
@named
@click.option("--url", help="Its address.")
@click.option("--secret", help="The name of the secret that signs: desk is SCOOP_SECRET_DESK.")
@click.option("--event", "events", multiple=True, metavar="EVENT", help="The events it receives; repeatable.")
@click.option("--collection", help="Only events and stories of this collection; '' for all.")
@click.option("--topic", metavar="SLUG", help="Only events, stories and digests of this topic; '' for all.")
@click.option("--allow-private/--no-allow-private", default=None, help="Whether its host may have a private address.")
@console.as_json
@click.pass_obj
def change(config: Config, /, name: str, as_json: bool, **values: Any) -> None:
    """Change a webhook; options that are not given keep their value.

    \b
    Examples:
      scoop webhooks change desk --url https://example.com/other
      scoop webhooks change desk --event event.new --collection ai_news
    """
    given = {key: value or None for key, value in values.items() if value not in (None, ())}
    if values["allow_private"] is False:
        given["allow_private"] = False
    if not given:
        raise UsageError("say what to change; the options are listed by: scoop help webhooks change")
    changed = runtime.run(_change(config, name, given))
    if as_json:
        console.print_json(changed)
    else:
        click.echo(f"{name} changed")


async def _change(config: Config, name: str, given: dict[str, Any]) -> "WebhookSettings":
    from scoop.actions import webhooks
    from scoop.store import webhooks as store

    async with runtime.open_connection(config) as conn, conn.transaction():
        settings = webhooks.changed(await store.by_name(conn, name), given)
        await store.put(conn, settings)
    return settings


@command.command()
@named
@console.as_json
@click.pass_obj
def remove(config: Config, name: str, as_json: bool) -> None:
    """Remove a webhook and its waiting deliveries."""
    runtime.run(_remove(config, name))
    if as_json:
        console.print_json({"removed": name})
    else:
        click.echo(f"{name} removed")


async def _remove(config: Config, name: str) -> None:
    from scoop.store import webhooks

    async with runtime.open_connection(config) as conn:
        await webhooks.remove(conn, name)


@command.command()
@named
@console.as_json
@click.pass_obj
def enable(config: Config, name: str, as_json: bool) -> None:
    """Enable a webhook, also one that answered 410."""
    runtime.run(_set_enabled(config, name, enabled=True))
    if as_json:
        console.print_json({"name": name, "enabled": True})
    else:
        click.echo(f"{name} enabled")


@command.command()
@named
@console.as_json
@click.pass_obj
def disable(config: Config, name: str, as_json: bool) -> None:
    """Disable a webhook: it receives nothing until it is enabled."""
    runtime.run(_set_enabled(config, name, enabled=False))
    if as_json:
        console.print_json({"name": name, "enabled": False})
    else:
        click.echo(f"{name} disabled; it receives nothing until you enable it")


async def _set_enabled(config: Config, name: str, *, enabled: bool) -> None:
    from scoop.store import webhooks

    async with runtime.open_connection(config) as conn:
        await webhooks.set_enabled(conn, name, enabled=enabled)


@command.command()
@named
@console.as_json
@click.pass_obj
def test(config: Config, name: str, as_json: bool) -> None:
    """Send a webhook a message of the type webhook.test, and show its response."""
    status = runtime.run(_test(config, name))
    if as_json:
        console.print_json({"name": name, "status": status})
    else:
        click.echo(f"{name} accepted it (HTTP {status})")


async def _test(config: Config, name: str) -> int:
    from scoop.actions import webhooks
    from scoop.app import open_client
    from scoop.store import webhooks as store

    async with runtime.open_connection(config) as conn:
        found = await store.by_name(conn, name)
    async with open_client(config) as client:
        try:
            return await webhooks.send_test(
                found, client=client, secrets=config.secrets, clock=lambda: datetime.now(UTC)
            )
        except (Retry, Reject) as failure:
            raise InputError(f"{name} refused it: {failure}") from failure


@command.command()
@click.argument("name", required=False)
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def deliveries(config: Config, name: str | None, limit: int, as_json: bool) -> None:
    """Deliveries to all webhooks, or to the one with this NAME, including waiting ones.

    A delivery that failed too often is quarantined: `scoop work quarantine release --stage notify` tries it again.

    \b
    Examples:
      scoop webhooks deliveries
      scoop webhooks deliveries desk --json
    """
    runtime.run(_deliveries(config, name, limit, as_json=as_json))


async def _deliveries(config: Config, name: str | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import webhooks

    async with runtime.open_connection(config) as conn:
        if name is not None:
            await webhooks.by_name(conn, name)
        found = await webhooks.list_deliveries(conn, name=name, limit=limit)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("delivery", "webhook", "event", "stories", "state", "tries", "when", "next try", "problem"),
        [_row(each) for each in found],
        empty="no deliveries yet",
    )


def _row(each: "Delivery") -> tuple[object, ...]:
    about = (each.webhook_delivery_id, each.webhook, each.event, each.story_count, each.state, each.tries)
    return (*about, each.tried_at or each.created_at, each.next_try_at, each.error or "")
