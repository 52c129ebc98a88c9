"""Sources as pages: how each is and what it brings, and one of them with all that can be changed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Path, Response

from scoop import app
from scoop.actions import sources as source_actions
from scoop.core import health, redaction
from scoop.http import disclosure, pagination, permissions, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.disclosure import ShowsSecrets
from scoop.http.routes import needs
from scoop.model import Health, Source, SourceSettings
from scoop.store import alerts, runs, sources
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.store.reads import sources as source_reads
from scoop.store.reads.sources import SourceFilter, SourceRow, SourceTally
from scoop.web import forms, option_fields, pages, source_preview
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues, QueryFields

router = routes.for_pages()
SourceSlug = Annotated[str, Path(pattern=rf"^[a-z0-9_]{{1,{source_actions.MAX_SLUG}}}$")]

PAGE_SOURCES = 60
DAYS_IN_TABLE, DAYS_OF_ONE = 14, 30
SHOWN_RUNS, SHOWN_ITEMS, SHOWN_ALERTS = 15, 20, 50
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
"""Makes a source of what a form tells of it; UsageError for what no source can have."""
SCHEDULES = ("15m", "30m", "1h", "3h", "6h", "1d", "0 7 * * *")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How sources are, in one word and its colour; `healths` and `enabled` say which are."""

    word: str
    colour: str
    healths: tuple[Health, ...]
    enabled: bool | None = True

    def holds(self, source: Source | SourceTally) -> bool:
        return source.health in self.healths and self.enabled in {None, source.enabled}


STATES = (
    State(word="failing", colour="bad", healths=tuple(each for each in FAILING if each != "gone")),
    State(word="gone", colour="bad", healths=("gone",), enabled=None),
    State(word="quiet", colour="watch", healths=("empty", "stale")),
    State(word="well", colour="good", healths=("ok", "not_modified")),
    State(word="new", colour="rest", healths=("new",)),
    State(
        word="resting",
        colour="rest",
        enabled=False,
        healths=tuple(each for each in health.SENTENCES if each != "gone"),
    ),
)
"""What a source can be; the first that holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvested:
    """The new items of each of some days, the oldest first."""

    items: tuple[int, ...]

    @property
    def a_day(self) -> str:
        """The mean of the days that are over, as people say it."""
        over = self.items[:-1]
        mean = sum(over) / len(over)
        return f"{mean:.0f}" if mean >= 10 or mean == int(mean) else f"{mean:.1f}"

    @property
    def bars(self) -> str:
        """A bar a day as an SVG path, in a box 3 wide for each day and 20 high."""
        most = max(*self.items, 1)
        heights = [max(1, round(18 * count / most)) if count else 0 for count in self.items]
        return "".join(f"M{3 * place + 1.5} 20v-{height}" for place, height in enumerate(heights) if height)

    @property
    def told(self) -> str:
        return f"new items a day, the last is today: {', '.join(map(str, self.items))}"


@router.get("/sources")
@needs("read")
async def sources_page(conn: ReadConn, context: PageContext, asked: QueryFields) -> Response:
    tallies = await source_reads.count_sources(conn)
    after = pagination.decode_cursor(asked.get("after"), str, str) or source_reads.START
    found = await source_reads.list_sources(conn, _wanted(asked), after=(after[0], after[1]), limit=PAGE_SOURCES + 1)
    shown = [disclosure.shown_source(context.visitor, row) for row in found[:PAGE_SOURCES]]
    lasting = await alerts.latest(conn, with_resolved=False, limit=SHOWN_ALERTS)
    return pages.page(
        "sources.html",
        context,
        rows=shown,
        state_of=state_of,
        sentence=sentence,
        harvests=await harvests(conn, context, [row.slug for row in shown], days=DAYS_IN_TABLE),
        alerts=[replace(alert, message=redaction.redact_text(alert.message)) for alert in lasting],
        total=sum(tally.sources for tally in tallies),
        states=_counted(tallies),
        collections=sorted({tally.collection for tally in tallies}),
        kinds=sorted({tally.kind for tally in tallies}),
        asked=asked,
        more=_more(asked, shown[-1]) if len(found) > PAGE_SOURCES else None,
    )


def _wanted(asked: FormValues) -> SourceFilter:
    state = next((state for state in STATES if state.word == asked["health"]), None)
    return SourceFilter(
        collection=asked["collection"] or None,
        kind=asked["kind"] or None,
        healths=state.healths if state else None,
        enabled=state.enabled if state else None,
        sought=asked["q"] or None,
    )


def _counted(tallies: Iterable[SourceTally]) -> list[tuple[State, int]]:
    """The states that sources are in, and how many are."""
    by_word = dict.fromkeys((state.word for state in STATES), 0)
    for tally in tallies:
        by_word[state_of(tally).word] += tally.sources
    return [(state, by_word[state.word]) for state in STATES if by_word[state.word]]


def _more(asked: Mapping[str, str], last: SourceRow) -> str:
    return f"/sources?{urlencode({**asked, 'after': pagination.encode_cursor(*last.place)})}"


def state_of(source: Source | SourceTally) -> State:
    return next(state for state in STATES if state.holds(source))


def sentence(source: Source) -> str:
    """What the last visit found."""
    if not source.enabled and source.health != "gone":
        return "it is not visited until somebody enables it"
    return source.health_note or health.SENTENCES[source.health]


async def harvests(conn: Connection, context: PageContext, slugs: Sequence[str], *, days: int) -> dict[str, Harvested]:
    """What sources brought on each of the last days, today among them."""
    each = [context.today - timedelta(days=ago) for ago in reversed(range(days))]
    since, _ = context.window(each[0])
    found = await source_reads.count_items_a_day(conn, slugs, since=since, timezone=str(context.timezone))
    return {slug: _harvested(found[slug], each) for slug in slugs}


def _harvested(items_by_day: Mapping[date, int], days: Iterable[date]) -> Harvested:
    return Harvested(items=tuple(items_by_day.get(day, 0) for day in days))


@router.get("/sources/{slug}")
@needs("read")
async def source_page(conn: ReadConn, context: PageContext, slug: SourceSlug, secrets: ShowsSecrets) -> Response:
    """One source; `secrets=show` gives whole addresses, to admins."""
    row = await source_reads.get_source(conn, slug)
    values = values_of(row, context, secrets=secrets)
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
    status = HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK
    shown = disclosure.shown_source(context.visitor, row, secrets=secrets)
    latest = await runs.latest(conn, source=row.slug, limit=SHOWN_RUNS)
    return pages.page(
        "source.html",
        context,
        status=status,
        row=shown,
        state=state_of(row),
        sentence=sentence(shown),
        has_hidden=shown.base_url != row.base_url,
        may_change=permissions.may_change_source(context.visitor, row),
        harvested=(await harvests(conn, context, [row.slug], days=DAYS_OF_ONE))[row.slug],
        runs=[replace(run, error_message=redaction.redact_text(run.error_message or "")) for run in latest],
        items=await source_reads.list_latest_items(conn, row.slug, limit=SHOWN_ITEMS),
        is_due=bool(await sources.unsettled(conn, [row.source_id])),
        values=values,
        problems=problems or FormValues(),
        fields=fields_of(row.kind, context),
        collections=await collection_reads.list_names(conn),
        schedules=SCHEDULES,
    )


def fields_of(kind: str, context: PageContext) -> list[option_fields.OptionField]:
    found = source_actions.kinds().get(kind)  # whose package may be gone
    return option_fields.list_fields(found.Options, context.visitor) if found else []


def values_of(source: SourceSettings, context: PageContext, *, secrets: bool = False) -> FormValues:
    """The settings of a source as its form shows them."""
    settings = {
        "name": source.name,
        "collection": source.collection,
        "category": source.category,
        "schedule": source.schedule,
        "timezone": source.timezone,
        "base_url": source.base_url if secrets else redaction.redact_url(source.base_url),
        "request_interval_ms": str(source.request_interval_ms),
        "crawl_windows": "\n".join(f"{each['start']}-{each['end']}" for each in source.crawl_windows),
        "allowed_paths": "\n".join(source.allowed_paths),
    }
    return FormValues({**settings, **option_fields.show_values(fields_of(source.kind, context), source.options)})


def settings_told(form: FormValues) -> dict[str, Any]:
    """What a form says of a source, but for its address and the options of its kind."""
    interval = form["request_interval_ms"]
    told = {name: form[name] for name in ("name", "collection", "schedule", "timezone")}
    return {
        **told,
        "category": form["category"] or "news",
        "request_interval_ms": int(interval) if interval.isascii() and interval.isdecimal() else interval,
        "crawl_windows": [_window(line) for line in forms.split_lines(form["crawl_windows"])],
        "allowed_paths": forms.split_lines(form["allowed_paths"]),
    }


def _window(line: str) -> dict[str, str]:
    start, _, end = line.partition("-")
    return {"start": start.strip(), "end": end.strip()}


@router.post("/sources/{slug}")
@needs("edit")
async def change_source(
    conn: WriteConn, by: CurrentVisitor, context: PageContext, slug: SourceSlug, form: FormFields
) -> Response:
    known = await sources.locked(conn, slug)
    given = settings_told(form) | _address_told(form, known)
    fields = fields_of(known.kind, context)
    options = option_fields.read_values(fields, form, known.options)
    if problems := wrong_settings(given, options, lambda told: source_actions.patch_settings(known, told)):
        return await _page(conn, context, await source_reads.get_source(conn, slug), values=form, problems=problems)
    given["options"] = options
    permissions.check_source(by, source_actions.patch_settings(known, given), known)
    changed = await source_actions.change(conn, slug, given)
    return pages.redirect_with_notice(f"/sources/{slug}", notice=f"{changed.name} is changed.")


def _address_told(form: FormValues, known: Source) -> dict[str, str]:
    """A new address, where the form has another than it showed: what it left out is kept with the old one."""
    address = form["base_url"]
    return {} if address == redaction.redact_url(known.base_url) else {"base_url": address}


def wrong_settings(given: Mapping[str, Any], options: Mapping[str, Any], build: Build) -> FormValues:
    """What is wrong with the settings of a source, by the fields of its form."""
    if found := forms.find_problems(options, lambda told: build({"options": dict(told)})):
        return FormValues(
            {f"{option_fields.PREFIX}{name}" if name else forms.WHOLE: told for name, told in found.items()}
        )
    return forms.find_problems(given, lambda told: build({**told, "options": options}))


@router.post("/sources/{slug}/visit")
@needs("edit")
async def visit_source(conn: WriteConn, desk: CurrentDesk, slug: SourceSlug) -> Response:
    source = await sources.by_slug(conn, slug)
    if await sources.resting(conn, [source.source_id], gathers=app.modes(desk.config).write_raw_ledger):
        told = "Nothing is gathered for its collection: NP_WRITE_RAW_LEDGER is false for its topics."
    else:
        await sources.visit_now(conn, [source.source_id], force=False)
        told = f"{source.name} is visited now, or as soon as its server allows it."
    return pages.redirect_with_notice(f"/sources/{slug}", notice=told)


@router.post("/sources/{slug}/enable")
@needs("edit")
async def enable_source(conn: WriteConn, slug: SourceSlug) -> Response:
    await sources.set_enabled(conn, slug, enabled=True)
    return pages.redirect_with_notice(f"/sources/{slug}", notice="It is visited again.")


@router.post("/sources/{slug}/rest")
@needs("edit")
async def disable_source(conn: WriteConn, slug: SourceSlug) -> Response:
    await sources.set_enabled(conn, slug, enabled=False)
    return pages.redirect_with_notice(f"/sources/{slug}", notice="It rests until somebody enables it.")


@router.post("/sources/{slug}/remove")
@needs("edit")
async def remove_source(conn: WriteConn, slug: SourceSlug) -> Response:
    source = await sources.by_slug(conn, slug)
    await sources.remove(conn, slug)
    return pages.redirect_with_notice(
        "/sources", notice=f"{source.name} is no longer visited; its documents and stories stay."
    )


@router.get("/sources/{slug}/test")
@needs("edit")
async def test_source(desk: CurrentDesk, context: PageContext, slug: SourceSlug) -> Response:
    """What a visit would bring now; nothing is kept."""
    async with desk.reading() as conn:
        row = await source_reads.get_source(conn, slug)
    return pages.page("source_test.html", context, row=row, look=await source_preview.look(desk, row))
