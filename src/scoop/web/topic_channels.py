"""Channel pages of a topic: kind, options, enable, disable, remove."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path, Response

from scoop import channels as kinds
from scoop import plugins
from scoop.actions import topics
from scoop.errors import NotFound
from scoop.http import permissions, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.model import ChannelSettings, Topic
from scoop.store import topics as store
from scoop.store.db import Connection
from scoop.web import forms, option_fields, pages
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues, QueryFields
from scoop.web.topics import TopicSlug

router = routes.for_pages()
MAX_NAME = 64
ChannelName = Annotated[str, Path(pattern=r"^[a-z0-9_]{1,200}$")]
CHANNEL = "any"  # placeholder name while only the options are checked


@router.get("/topics/{slug}/new-channel")
@needs("edit")
async def new_channel_page(conn: ReadConn, context: PageContext, slug: TopicSlug, asked: QueryFields) -> Response:
    """Choose a kind first, then its options."""
    topic = await store.by_slug(conn, slug)
    if asked["kind"] not in offered(context):
        return pages.page(
            "topic_channel_kinds.html",
            context,
            topic=topic,
            kinds=offered(context),
            about=_about,
            withheld=_withheld(context),
        )
    is_first = not any(channel.name == "main" for channel in topic.channels)
    values = FormValues(name="main" if is_first else "", enabled="true")
    return _page(context, topic, asked["kind"], values)


def offered(context: PageContext) -> list[str]:
    """The kinds of channels that this visitor may add."""
    found = plugins.discover(kinds).items()
    return sorted(name for name, plugin in found if permissions.may_set_up(context.visitor, plugin.access))


def _withheld(context: PageContext) -> list[str]:
    """The kinds of channels that somebody may not add here, and who may."""
    found = plugins.discover(kinds).items()
    by_access = {
        "for admins": [name for name, plugin in found if plugin.access == "admin" and not context.may("admin")],
        "on the command line only (scoop topics channel add)": [
            name for name, plugin in found if plugin.access == "cli"
        ],
    }
    return [f"{', '.join(sorted(names))}: {who}" for who, names in by_access.items() if names]


def _about(kind: str) -> str:
    """The first sentence of a kind's documentation."""
    return (getattr(plugins.discover(kinds).get(kind), "__doc__", None) or kind).partition("\n\n")[0]


@router.get("/topics/{slug}/channels/{name}")
@needs("edit")
async def channel_page(conn: ReadConn, context: PageContext, slug: TopicSlug, name: ChannelName) -> Response:
    topic = await store.by_slug(conn, slug)
    channel = await _channel(conn, topic, name)
    fields = _fields(channel.kind, context)
    values = {
        "name": name,
        "enabled": str(channel.enabled).lower(),
        **option_fields.show_values(fields, channel.options),
    }
    return _page(context, topic, channel.kind, FormValues(values), channel=channel)


@router.post("/topics/{slug}/channels")
@needs("edit")
async def put_channel(
    conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor, context: PageContext, slug: TopicSlug, form: FormFields
) -> Response:
    """Add a channel; its name must be free."""
    topic = await store.lock(conn, slug)
    if form["kind"] not in offered(context):
        raise NotFound(f"no channel of the kind {form['kind']!r} can be added here: ask an admin")
    problems = _wrong_name(form["name"], topic)
    return await _put(conn, desk, by, context, topic, form, problems)


@router.post("/topics/{slug}/channels/{name}")
@needs("edit")
async def change_channel(
    conn: WriteConn,
    desk: CurrentDesk,
    by: CurrentVisitor,
    context: PageContext,
    slug: TopicSlug,
    name: ChannelName,
    form: FormFields,
) -> Response:
    topic = await store.lock(conn, slug)
    known = await _channel(conn, topic, name)
    values = FormValues({**form, "name": name, "kind": known.kind})
    return await _put(conn, desk, by, context, topic, values, FormValues(), known=known)


async def _put(
    conn: Connection,
    desk: Desk,
    by: CurrentVisitor,
    context: PageContext,
    topic: Topic,
    form: FormValues,
    problems: FormValues,
    *,
    known: store.TopicChannel | None = None,
) -> Response:
    kind, before = form["kind"], known.options if known else {}
    options = option_fields.read_values(_fields(kind, context), form, before)

    def build(values: Mapping[str, Any]) -> ChannelSettings:
        own = {name: value for name, value in (before | dict(values)).items() if value is not None}
        return topics.channel({"name": CHANNEL, "kind": kind, "options": own}, desk.config.plugins)

    found = forms.find_problems(options, build)
    problems |= {f"{option_fields.PREFIX}{name}" if name else forms.WHOLE: problem for name, problem in found.items()}
    if problems:
        return _page(context, topic, kind, form, channel=known, problems=problems)
    wanted = replace(build(options), name=form["name"], enabled=form["enabled"] == "true")
    permissions.check_channel(by, wanted, next((each for each in topic.channels if each.name == wanted.name), None))
    await store.put_channel(conn, topic.topic_id, wanted)
    notice = f"Digests of {topic.topic_name} go to {wanted.name}." if wanted.enabled else f"{wanted.name} is disabled."
    return pages.redirect_with_notice(f"/topics/{topic.topic_slug}#channels", notice=notice)


def _wrong_name(name: str, topic: Topic) -> FormValues:
    if any(channel.name == name for channel in topic.channels):
        return FormValues(name=f"{topic.topic_name} already has a channel {name}")
    if len(name) > MAX_NAME:
        return FormValues(name=f"a name may have {MAX_NAME} characters at most")
    found = forms.find_problems(
        {"name": name},
        lambda values: topics.channel({"name": CHANNEL, "kind": "file", "options": {"folder": "/"}, **values}),
    )
    return FormValues(name=found["name"]) if found else FormValues()


async def _channel(conn: Connection, topic: Topic, name: str) -> store.TopicChannel:
    found = next((each for each in await store.list_channels(conn, topic.topic_id) if each.name == name), None)
    if found is None:
        raise NotFound(f"{topic.topic_name} has no channel {name!r}")
    return found


def _fields(kind: str, context: PageContext) -> list[option_fields.OptionField]:
    found = plugins.discover(kinds).get(kind)  # its package may be uninstalled
    return option_fields.list_fields(found.Options, context.visitor) if found else []


def _page(
    context: PageContext,
    topic: Topic,
    kind: str,
    values: FormValues,
    *,
    channel: store.TopicChannel | None = None,
    problems: FormValues | None = None,
) -> Response:
    return pages.page(
        "topic_channel.html",
        context,
        status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        topic=topic,
        kind=kind,
        about=_about(kind),
        values=values,
        channel=channel,
        fields=_fields(kind, context),
        problems=problems or FormValues(),
        may_change=kind in offered(context),
    )


@router.post("/topics/{slug}/channels/{name}/enable")
@needs("edit")
async def enable_channel(conn: WriteConn, slug: TopicSlug, name: ChannelName) -> Response:
    await store.set_channel_enabled(conn, await store.by_slug(conn, slug), name, enabled=True)
    return pages.redirect_with_notice(f"/topics/{slug}#channels", notice=f"Channel {name} enabled.")


@router.post("/topics/{slug}/channels/{name}/disable")
@router.post("/topics/{slug}/channels/{name}/rest")  # the address of earlier versions
@needs("edit")
async def disable_channel(conn: WriteConn, slug: TopicSlug, name: ChannelName) -> Response:
    await store.set_channel_enabled(conn, await store.by_slug(conn, slug), name, enabled=False)
    return pages.redirect_with_notice(f"/topics/{slug}#channels", notice=f"Channel {name} disabled. Posts to it stop.")


@router.post("/topics/{slug}/channels/{name}/remove")
@needs("edit")
async def remove_channel(conn: WriteConn, slug: TopicSlug, name: ChannelName) -> Response:
    await store.remove_channel(conn, await store.by_slug(conn, slug), name)
    return pages.redirect_with_notice(
        f"/topics/{slug}#channels", notice=f"Channel {name} removed. Posted messages stay."
    )
