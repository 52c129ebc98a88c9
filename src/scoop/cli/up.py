"""`scoop up`: everything in one process tree."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import console, progress, runtime
from scoop.config import Config
from scoop.errors import ConfigError

if TYPE_CHECKING:
    from scoop.app import App
    from scoop.store.db import Database

IDLE_SECONDS = 0.5
DEMO_ROUNDS = 20  # of looking whether the digests of a date were sent


@click.command()
@click.option("--host", metavar="ADDRESS", help="The address of the web page (default: the setting `host`).")
@click.option("--port", type=click.IntRange(0, 65535), help="The port of the web page (default: the setting `port`).")
@click.option(
    "--processes", type=click.IntRange(1, 64), help="How many worker processes (default: the setting `processes`)."
)
@click.option("--once", is_flag=True, help="Do one full pass, print what it made, and exit; without the web page.")
@console.as_json
@click.pass_obj
def command(
    config: Config, host: str | None, port: int | None, processes: int | None, once: bool, as_json: bool
) -> None:
    """Run everything: workers, scheduler and the web page.

    Without sources of your own, the newsstand's fictional outlets are fetched, so that there is something to see.
    Ctrl-C stops everything; work in progress is finished. The first start sets up the database, which takes some
    seconds.

    \b
    Examples:
      scoop up
      scoop up --port 9000
      scoop up --host 192.0.2.7 --processes 4
      scoop up --once --json
    """
    chosen = replace(
        config,
        host=host or config.host,
        port=config.port if port is None else port,
        processes=processes or config.processes,
    )
    runtime.run_logged(chosen, _run_once(chosen, as_json=as_json) if once else _serve(chosen))


async def _serve(config: Config) -> None:
    from scoop import worker

    stop = runtime.stop_on_signal()
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(_open_app(config))
        newsstand = await stack.enter_async_context(_open_sources(config, app.database))
        with progress.step("loading the web page"):
            url = await stack.enter_async_context(_serve_page(config, app.database, newsstand, stop))
        await _print_addresses(app.database, url, newsstand)
        with progress.stages(progress.Summaries) as report:
            publishing = asyncio.create_task(_publish_demo_when_idle(app))
            await worker.run_supervised(config.processes, stop=stop, until_idle=False, report=report)
            publishing.cancel()
    click.echo("stopped; everything is kept")


async def _run_once(config: Config, *, as_json: bool) -> None:
    from scoop import worker

    stop = runtime.stop_on_signal()
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(_open_app(config))
        await stack.enter_async_context(_open_sources(config, app.database))
        with progress.stages(progress.Summaries) as report:
            await worker.run_supervised(config.processes, stop=stop, until_idle=True, report=report)
            async for _ in _publish_demo_digests(app):
                await worker.run_supervised(config.processes, stop=stop, until_idle=True, report=report)
        await _print_results(app.database, as_json=as_json)


@asynccontextmanager
async def _open_app(config: Config) -> "AsyncIterator[App]":
    async with AsyncExitStack() as stack:
        with progress.step(runtime.describe_opening(config)):
            from scoop.app import open_app

            app = await stack.enter_async_context(open_app(config))
        yield app


async def _print_addresses(database: "Database", url: str, newsstand: str | None) -> None:
    """Print the address of the page, the link for the first account if there is none, and the next steps."""
    from scoop.http import accounts

    click.secho(f"Scoop is up: {url}", bold=True)
    async with database.connection() as conn:
        code = await accounts.new_setup_code(conn, now=datetime.now(UTC))
    if code:
        click.echo(f"Create your account, once: {url}/welcome?code={code}")
    if newsstand:
        click.echo(f"The demo's digests are posted to its own Discord: {newsstand}/discord.com/channels")
    click.echo("In another terminal: scoop events, scoop digests, scoop work, scoop doctor. Ctrl-C stops it.")


async def _print_results(database: "Database", *, as_json: bool) -> None:
    from scoop.store.reads import stats as stats_reads
    from scoop.store.reads import stories as story_reads
    from scoop.store.reads.slices import ListSlice

    async with database.connection() as conn:
        stats = await stats_reads.get_stats(conn)
        stories = await story_reads.list_stories(conn, ListSlice(limit=10))
    if as_json:
        console.print_json(stats)
        return
    click.echo(
        f"{stats.arrivals:,} arrivals from {stats.sources:,} sources became {stats.documents:,} documents "
        f"in {stats.stories:,} stories"
    )
    console.print_table(
        ("docs", "independent", "collection", "latest stories"),
        [(s.item_count, s.publisher_family_count, s.collection, s.title) for s in stories],
        empty="no stories yet",
        cut="latest stories",
    )


async def _publish_demo_digests(app: "App") -> AsyncIterator[None]:
    """Queue the first digests of the demo, date by date: a digest does not repeat the previous one."""
    from scoop import demo
    from scoop.store import posts

    async with app.database.connection() as conn:
        dates = await demo.first_digests(conn, now=datetime.now(UTC))
    for orders in dates:
        async with app.database.connection() as conn:
            await demo.publish_digests(conn, orders, app.channels)
        for _ in range(DEMO_ROUNDS):
            yield
            async with app.database.connection() as conn:
                if not await posts.list_posts(conn, states=["waiting", "sending"], limit=1):
                    break
            await asyncio.sleep(IDLE_SECONDS)  # the newsstand's Discord has rate limits, as the real one


async def _publish_demo_when_idle(app: "App") -> None:
    """The same while workers run: each date once nothing else is due."""
    await _wait_until_idle(app)
    async for _ in _publish_demo_digests(app):
        await _wait_until_idle(app)


async def _wait_until_idle(app: "App") -> None:
    from scoop.store import work
    from scoop.store.reads import stats as stats_reads

    names = [stage.name for stage in app.stages]
    async with app.database.connection() as conn:
        # Other processes do the work: only the database knows when it is done.
        while not (await stats_reads.get_stats(conn)).stories or await work.is_busy(conn, names):  # noqa: ASYNC110
            await asyncio.sleep(IDLE_SECONDS)


@asynccontextmanager
async def _open_sources(config: Config, database: "Database") -> AsyncIterator[str | None]:
    """Add the newsstand's sources to a new desk, and serve the newsstand where it is used; gives its URL."""
    from scoop import demo
    from scoop.newsstand import installation

    async with AsyncExitStack() as stack:
        async with database.connection() as conn:
            if await installation.is_new_desk(conn):
                async with conn.transaction():
                    count = await installation.add(conn, config.newsstand_port)
                console.notice(f"No sources are configured: using the {count} fictional ones of the newsstand.")
                console.notice("Add real ones: scoop sources add URL --collection NAME; then: scoop demo remove")
            has_demo = await installation.move(conn, config.newsstand_port)
        if has_demo:
            yield await stack.enter_async_context(demo.serve_newsstand(config.newsstand_port, config.home))
        else:
            yield None


@asynccontextmanager
async def _serve_page(
    config: Config, database: "Database", newsstand: str | None, stop: asyncio.Event
) -> AsyncIterator[str]:
    from scoop.asgi import connection_limits, create_app, prepare
    from scoop.serve import serving

    app = create_app(config, database, newsstand=newsstand, clock=lambda: datetime.now(UTC))
    prepare()
    async with AsyncExitStack() as stack:
        try:
            url = await stack.enter_async_context(
                serving(app, host=config.host, port=config.port, limits=connection_limits(config), stop=stop)
            )
        except OSError as error:
            raise ConfigError(
                f"the page cannot use {config.host}:{config.port}: {(error.strerror or str(error)).lower()}; "
                "name a free port with --port or SCOOP_PORT, or an address of this machine with --host or SCOOP_HOST"
            ) from error
        yield url
