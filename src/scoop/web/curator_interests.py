"""The editor of a curator's interests: tried on the last week before they are saved, with their versions."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import pairwise
from typing import Annotated

from fastapi import Form, Query, Response

from scoop.actions import curators as actions
from scoop.actions.curators import InterestTrial
from scoop.core import interest_changes
from scoop.core.interest_changes import InterestChange
from scoop.errors import Conflict
from scoop.http import deps, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.model import Topic
from scoop.store import curators as store
from scoop.store import topics
from scoop.store.curators import Curator, InterestVersion
from scoop.store.db import Connection
from scoop.web import explain, interest_fields, pages
from scoop.web.context import Context, PageContext
from scoop.web.curators import CuratorSlug
from scoop.web.forms import FormFields, FormValues
from scoop.web.interest_fields import TypedInterests

router = routes.for_pages()

SHOWN_VERSIONS = 30

Version = Annotated[int, Query(ge=1, le=2**31 - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """A version of interests, and what it changed; `changes` is None for the first version."""

    version: InterestVersion
    changes: list[InterestChange] | None


@router.get("/curators/{slug}/interests")
@needs("read")
async def interests_page(
    conn: ReadConn,
    context: PageContext,
    slug: CuratorSlug,
    version: Version | None = None,
    before: Version | None = None,
) -> Response:
    """The interests in use, or an earlier version of them, to be changed; the versions are those `before` one."""
    curator = await store.by_slug(conn, slug)
    shown = curator.interests if version is None else (await store.get_version(conn, curator, version)).interests
    typed = TypedInterests(values=interest_fields.show(shown), interests=shown, problems=FormValues())
    return await _page(conn, context, curator, typed, from_version=version, before=before)


@router.post("/curators/{slug}/interests")
@needs("edit")
async def change_interests(
    desk: CurrentDesk, by: CurrentVisitor, context: PageContext, slug: CuratorSlug, form: FormFields
) -> Response:
    """Try or save the form, or show it in another way; invalid fields are marked, and no input is lost."""
    async with desk.reading() as conn:
        curator, topic = await store.by_slug(conn, slug), await topics.by_slug(conn, slug)
        if curator.interests_from is not None:
            raise Conflict(f"the interests of {curator.topic_name} are read from {curator.interests_from}")
        typed = interest_fields.edit(form)
        if typed.problems or typed.interests is None or form["do"] not in {"save", "try"}:
            return await _page(conn, context, curator, typed)
    if form["do"] == "try":
        trial = await deps.try_interests(desk, topic, typed.interests, used=curator.interests)
        async with desk.reading() as conn:
            return await _page(conn, context, curator, typed, trial=trial)
    async with desk.writing() as conn:
        saved = await actions.put_interests(conn, slug, typed.interests, origin="page", by=by.name)
    return pages.redirect_with_notice(f"/curators/{slug}/interests", notice=_saved(curator, saved))


def _saved(before: Curator, after: Curator) -> str:
    if before.interests_version == after.interests_version:
        return "Nothing changed."
    return (
        f"Version {after.interests_version} saved. Articles are evaluated with it from now on;"
        " those that were evaluated keep their score and are judged by it again."
    )


@router.post("/curators/{slug}/interests/restore")
@needs("edit")
async def restore_interests(
    conn: WriteConn, by: CurrentVisitor, slug: CuratorSlug, version: Annotated[int, Form(ge=1, le=2**31 - 1)]
) -> Response:
    """Use an earlier version again; it becomes the newest."""
    before = await store.by_slug(conn, slug)
    saved = await actions.restore_interests(conn, slug, version, origin="page", by=by.name)
    notice = (
        f"Version {version} restored as version {saved.interests_version}."
        if saved.interests_version != before.interests_version
        else f"Version {version} is the same as the one in use."
    )
    return pages.redirect_with_notice(f"/curators/{slug}/interests#versions", notice=notice)


async def _page(
    conn: Connection,
    context: Context,
    curator: Curator,
    typed: TypedInterests,
    *,
    trial: InterestTrial | None = None,
    from_version: int | None = None,
    before: int | None = None,
) -> Response:
    listed = await store.list_versions(conn, curator.topic_id, before=before, limit=SHOWN_VERSIONS + 1)
    topic: Topic = await topics.by_slug(conn, curator.topic_slug)
    return pages.page(
        "curator_interests.html",
        context,
        status=HTTPStatus.BAD_REQUEST if typed.problems else HTTPStatus.OK,
        curator=curator,
        topic=topic,
        typed=typed,
        rows=interest_fields.shown_rows(typed.values),
        trial=trial,
        score_bars=explain.score_bars,
        from_version=from_version,
        versions=_changes(listed)[:SHOWN_VERSIONS],
        has_earlier=len(listed) > SHOWN_VERSIONS,
    )


def _changes(versions: Sequence[InterestVersion]) -> list[VersionLine]:
    """Versions, the newest first, each with what it changed in the one before."""
    changes = [interest_changes.list_changes(older.interests, newer.interests) for newer, older in pairwise(versions)]
    return [
        VersionLine(version=version, changes=changes[place] if place < len(changes) else None)
        for place, version in enumerate(versions)
    ]
