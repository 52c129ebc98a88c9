"""Pages of sources: the list with the health of each, and one source with its items, runs and settings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Path, Response

from scoop import app
from scoop.actions import publishers as publisher_actions
from scoop.actions import sources as source_actions
from scoop.actions.source_settings import MAX_SLUG, SETTINGS
from scoop.core import health, redaction
from scoop.core.alerts import SOURCE_KINDS
from scoop.http import disclosure, pagination, permissions, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.disclosure import ShowsSecrets
from scoop.http.routes import needs
from scoop.model import Health, Source, SourceSettings
from scoop.store import alerts, publishers, runs, sources
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.store.reads import sources as source_reads
from scoop.store.reads.sources import SourceFilter, SourceRow, SourceTally
from scoop.web import forms, option_fields, pages, setting_fields, source_preview
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues, QueryFields
from scoop.web.setting_fields import SettingField

router = routes.for_pages()
SourceSlug = Annotated[str, Path(pattern=rf"^[a-z0-9_]{{1,{MAX_SLUG}}}$")]

PAGE_SOURCES = 50
DAY = timedelta(days=1)
DAYS_IN_TABLE, DAYS_OF_ONE = 14, 30
SHOWN_RUNS, SHOWN_ITEMS, SHOWN_ALERTS, SHOWN_PUBLISHERS = 15, 20, 50, 5
FAILING: tuple[Health, ...] = (
    "parse_error",
    "http_error",
    "timeout",
    "unreachable",
    "robots",
    "refused_address",
    "gone",
)
Build = Callable[[Mapping[str, Any]], SourceSettings]
"""Makes the settings of a source from a patch; UsageError names what is wrong."""
TARGET = "target"  # the setting that is the address
SHOWN_TARGET = "shown_target"  # the field with the address as the form showed it
SCHEDULES = ("15m", "30m", "1h", "3h", "6h", "1d", "0 7 * * *")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of sources in one word, with its colour; `healths` and `enabled` say which sources have it."""

    word: str
    colour: str
    healths: tuple[Health, ...]
    enabled: bool | None = True

    def holds(self, source: Source | SourceTally) -> bool:
        return source.health in self.healths and self.enabled in {None, source.enabled}


STATES = (
    State(word="failing", colour="bad", healths=tuple(state for state in FAILING if state != "gone")),
    State(word="gone", colour="bad", healths=("gone",), enabled=None),
    State(word="quiet", colour="watch", healths=("empty", "stale")),
    State(word="new", colour="rest", healths=("new",)),
    State(word="ok", colour="good", healths=("ok", "not_modified")),
    State(
        word="disabled",
        colour="rest",
        enabled=False,
        healths=tuple(state for state in health.SENTENCES if state != "gone"),
    ),
)
"""The states of sources, the most urgent first; a source has the first that holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvested:
    """The number of new items on each of some days, the oldest first; `span` is how long the source existed in them."""

    items: tuple[int, ...]
    span: timedelta

    @property
    def a_day(self) -> str:
        """The mean over the span, today included; over a day for a source that is younger."""
        mean = sum(self.items) / max(self.span / DAY, 1.0)
        return f"{mean:.0f}" if mean >= 10 or mean == int(mean) else f"{mean:.1f}"

    @property
    def bars(self) -> str:
        """A bar a day as an SVG path, in a box 3 wide for each day and 20 high."""
        most = max(*self.items, 1)
        heights = [max(1, round(18 * count / most)) if count else 0 for count in self.items]
        return "".join(f"M{3 * place + 1.5} 20v-{height}" for place, height in enumerate(heights) if height)

    @property
    def description(self) -> str:
        return f"new items a day, the last is today: {', '.join(map(str, self.items))}"


@router.get("/sources")
@needs("read")
async def sources_page(conn: ReadConn, context: PageContext, query: QueryFields) -> Response:
    tallies = await source_reads.count_sources(conn)
    await source_actions.check_filter(conn, collection=query["collection"] or None)
    after = pagination.decode_cursor(query.get("after"), int, str, str) or source_reads.START
    found = await source_reads.list_sources(
        conn, _filter(query), after=(after[0], after[1], after[2]), limit=PAGE_SOURCES + 1
    )
    shown = [disclosure.shown_source(context.visitor, row) for row in found[:PAGE_SOURCES]]
    active = await alerts.latest(conn, with_resolved=False, kinds=SOURCE_KINDS, limit=SHOWN_ALERTS)
    return pages.page(
        "sources.html",
        context,
        rows=shown,
        state_of=state_of,
        sentence=sentence,
        harvests=await harvests(conn, context, [row.slug for row in shown], days=DAYS_IN_TABLE),
        alerts=[replace(alert, message=redaction.redact_text(alert.message)) for alert in active],
        total=sum(tally.sources for tally in tallies),
        states=_count_states(tallies),
        collections=sorted({tally.collection for tally in tallies}),
        kinds=sorted({tally.kind for tally in tallies}),
        query=query,
        more=_more(query, shown[-1]) if len(found) > PAGE_SOURCES else None,
    )


def _filter(query: FormValues) -> SourceFilter:
    state = next((state for state in STATES if state.word == query["health"]), None)
    return SourceFilter(
        collection=query["collection"] or None,
        kind=query["kind"] or None,
        healths=state.healths if state else None,
        enabled=state.enabled if state else None,
        words=query["q"] or None,
    )


def _count_states(tallies: Iterable[SourceTally]) -> list[tuple[State, int]]:
    """The states that some source is in, with the number of sources."""
    by_word = dict.fromkeys((state.word for state in STATES), 0)
    for tally in tallies:
        by_word[state_of(tally).word] += tally.sources
    return [(state, by_word[state.word]) for state in STATES if by_word[state.word]]


def _more(query: Mapping[str, str], last: SourceRow) -> str:
    return f"/sources?{urlencode({**query, 'after': pagination.encode_cursor(*last.position)})}"


def state_of(source: Source | SourceTally) -> State:
    return next(state for state in STATES if state.holds(source))


def sentence(source: Source) -> str:
    """The result of the last fetch."""
    if not source.enabled and source.health != "gone":
        return "it is not fetched until you enable it"
    return source.health_note or health.SENTENCES[source.health]


async def harvests(conn: Connection, context: PageContext, slugs: Sequence[str], *, days: int) -> dict[str, Harvested]:
    """The new items of sources on each of the last days, including today."""
    dates = [context.today - timedelta(days=ago) for ago in reversed(range(days))]
    since, _ = context.window(dates[0])
    counts = await source_reads.count_items_a_day(conn, slugs, since=since, timezone=str(context.timezone))
    began_at = await source_reads.get_beginnings(conn, slugs, since=since)
    return {
        slug: Harvested(
            items=tuple(counts[slug].get(day, 0) for day in dates),
            span=context.now - max(since, began_at.get(slug, since)),
        )
        for slug in slugs
    }


@router.get("/sources/{slug}")
@needs("read")
async def source_page(conn: ReadConn, context: PageContext, slug: SourceSlug, secrets: ShowsSecrets) -> Response:
    """One source; `secrets=show` gives whole addresses, to admins."""
    row = await source_reads.get_source(conn, slug)
    values = show_values(row, context, secrets=secrets)
    return await _page(conn, context, row, values=values, secrets=secrets)


async def _page(
    conn: Connection,
    context: PageContext,
    row: SourceRow,
    *,
    values: FormValues,
    problems: FormValues | None = None,
    secrets: bool = False,
) -> Response:
    shown = disclosure.shown_source(context.visitor, row, secrets=secrets)
    latest = await runs.latest(conn, source=row.slug, limit=SHOWN_RUNS)
    return pages.page(
        "source.html",
        context,
        status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        row=shown,
        state=state_of(row),
        sentence=sentence(shown),
        advice=health.ADVICE.get(row.health, "") if row.enabled else "",
        has_hidden=shown.base_url != row.base_url,
        may_change=permissions.may_change_source(context.visitor, row),
        harvested=(await harvests(conn, context, [row.slug], days=DAYS_OF_ONE))[row.slug],
        runs=[replace(run, error_message=redaction.redact_text(run.error_message or "")) for run in latest],
        publishers=await publishers.list_of_source(conn, row.slug, limit=SHOWN_PUBLISHERS),
        items=await source_reads.list_latest_items(conn, row.slug, limit=SHOWN_ITEMS),
        is_due=bool(await sources.count_pending(conn, [row.source_id])),
        values=values,
        problems=problems or FormValues(),
        fields=list_setting_fields(row.kind),
        options=list_option_fields(row.kind, context),
        suggestions=suggestions(await collection_reads.list_names(conn)),
    )


def suggestions(collections: Sequence[str]) -> dict[str, Sequence[str]]:
    """Values that the fields of a source offer."""
    return {"collection": collections, "schedule": SCHEDULES}


def list_option_fields(kind: str, context: PageContext) -> list[option_fields.OptionField]:
    plugin = source_actions.kinds().get(kind)  # None where the package of the kind was uninstalled
    return option_fields.list_fields(plugin.Options, context.visitor) if plugin else []


def list_setting_fields(kind: str | None = None) -> list[SettingField]:
    """The fields of a source; its address is one where it is known and not that of a service."""
    plugin = source_actions.kinds().get(kind or "")
    has_address = kind is not None and (plugin is None or plugin.base_url is None)
    return [field for field in setting_fields.list_fields(SETTINGS) if has_address or field.key != TARGET]


def show_values(source: SourceSettings, context: PageContext, *, secrets: bool = False) -> FormValues:
    """The settings of a source as its form shows them."""
    address = source.base_url if secrets else redaction.redact_url(source.base_url)
    options = option_fields.show_values(list_option_fields(source.kind, context), source.options)
    return FormValues({**setting_fields.show(SETTINGS, source), TARGET: address, SHOWN_TARGET: address, **options})


def read_patch(form: FormValues) -> dict[str, Any]:
    """The patch that a form describes, without the address and the options of the kind."""
    return {name: value for name, value in setting_fields.read(SETTINGS, form).items() if name != TARGET}


@router.post("/sources/{slug}")
@needs("edit")
async def change_source(
    conn: WriteConn, by: CurrentVisitor, context: PageContext, slug: SourceSlug, form: FormFields
) -> Response:
    known = await sources.lock(conn, slug)
    patch = read_patch(form) | _read_address(form)
    options = option_fields.read_values(list_option_fields(known.kind, context), form, known.options)
    if problems := list_problems(patch, options, lambda values: source_actions.patch_settings(known, values)):
        return await _page(conn, context, await source_reads.get_source(conn, slug), values=form, problems=problems)
    patch["options"] = options
    permissions.check_source(by, source_actions.patch_settings(known, patch), known)
    await source_actions.change(conn, slug, patch)
    return pages.redirect_with_notice(f"/sources/{slug}", notice="Source changed.")


def _read_address(form: FormValues) -> dict[str, str]:
    """The address, unless it is as the form showed it: then the hidden parts of the old one stay."""
    return {TARGET: form[TARGET]} if form[TARGET] not in {"", form[SHOWN_TARGET]} else {}


def list_problems(patch: Mapping[str, Any], options: Mapping[str, Any], build: Build) -> FormValues:
    """The problems of the settings of a source, by the fields of its form."""
    if found := forms.find_problems(options, lambda values: build({"options": dict(values)})):
        return FormValues(
            {f"{option_fields.PREFIX}{name}" if name else forms.WHOLE: problem for name, problem in found.items()}
        )
    found = forms.find_problems(patch, lambda values: build({**values, "options": options}))
    return FormValues({name: problem.removeprefix(f"{name}: ") for name, problem in found.items()})


@router.post("/sources/{slug}/publisher")
@needs("edit")
async def rename_publisher(conn: WriteConn, slug: SourceSlug, form: FormFields) -> Response:
    """Change the name of a publisher of the source; a blank name is the default again."""
    renamed = await publisher_actions.rename(conn, form["family"], form["publisher_name"] or None)
    return pages.redirect_with_notice(f"/sources/{slug}", notice=f"The publisher is called {renamed.name} now.")


@router.post("/sources/{slug}/visit")
@needs("edit")
async def fetch_source(conn: WriteConn, desk: CurrentDesk, slug: SourceSlug) -> Response:
    source = await sources.by_slug(conn, slug)
    if await sources.find_not_gathered(conn, [source.source_id], gathers=app.modes(desk.config).write_raw_ledger):
        notice = "Nothing is fetched for its collection: NP_WRITE_RAW_LEDGER is false for its topics."
    else:
        await sources.enqueue_now(conn, [source.source_id], force=False)
        notice = "Fetch requested. It starts as soon as the server of the source allows it."
    return pages.redirect_with_notice(f"/sources/{slug}", notice=notice)


@router.post("/sources/{slug}/enable")
@needs("edit")
async def enable_source(conn: WriteConn, slug: SourceSlug) -> Response:
    await sources.set_enabled(conn, slug, enabled=True)
    return pages.redirect_with_notice(f"/sources/{slug}", notice="Source enabled.")


@router.post("/sources/{slug}/rest")  # what /disable was called before
@router.post("/sources/{slug}/disable")
@needs("edit")
async def disable_source(conn: WriteConn, slug: SourceSlug) -> Response:
    await sources.set_enabled(conn, slug, enabled=False)
    notice = "Source disabled. Its items stay; it is not fetched until you enable it."
    return pages.redirect_with_notice(f"/sources/{slug}", notice=notice)


@router.post("/sources/{slug}/remove")
@needs("edit")
async def remove_source(conn: WriteConn, slug: SourceSlug) -> Response:
    source = await sources.by_slug(conn, slug)
    await sources.remove(conn, slug)
    return pages.redirect_with_notice("/sources", notice=f"{source.name} removed. Its documents and stories stay.")


@router.get("/sources/{slug}/test")
@needs("edit")
async def test_source(desk: CurrentDesk, context: PageContext, slug: SourceSlug) -> Response:
    """The items that a fetch would bring now; nothing is stored."""
    async with desk.reading() as conn:
        row = await source_reads.get_source(conn, slug)
    return pages.page("source_test.html", context, row=row, look=await source_preview.look(desk, row))
