"""`scoop up`: everything in one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
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
DEMO_TURNS = 20  # in which the digests of a date should have left


@click.command()
@click.option("--once", is_flag=True, help="Do one full pass, print what it made, and exit.")
@click.option(
    "--processes", type=click.IntRange(1, 64), help="How many processes work (default: the setting `processes`)."
)
@console.as_json
@click.pass_obj
def command(config: Config, once: bool, processes: int | None, as_json: bool) -> None:
    """Run everything: workers, scheduler and the web page.

    Without sources of your own, the newsstand's fictional outlets are gathered, so that there is something to see.
    Ctrl-C stops it all cleanly.

    \b
    Examples:
      scoop up
      SCOOP_PORT=9000 scoop up
      scoop up --once --json
    """
    task = (
        _once(config, processes or config.processes, as_json=as_json)
        if once
        else _serve(config, processes or config.processes)
    )
    runtime.run_logged(config, task)


async def _serve(config: Config, processes: int) -> None:
    from scoop import worker
    from scoop.app import open_app

    stop = runtime.stop_on_signal()
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(config))
        newsstand = await stack.enter_async_context(_sources(config, app.database))
        url = await stack.enter_async_context(_page(config, app.database, newsstand))
        click.secho(f"Scoop is up: {url}", bold=True)
        await _tell_setup_code(app.database, url)
        click.echo("Ctrl-C stops it. In another terminal: scoop stories, scoop digests, scoop posts list, scoop work")
        if newsstand:
            click.echo(f"Its digests are posted to a Discord of its own: {newsstand}/discord.com/channels")
        with progress.stages() as report:
            telling = asyncio.create_task(_tell_demo(app))
            await worker.run_supervised(processes, stop=stop, until_idle=False, report=report)
            telling.cancel()
    click.echo("stopped; everything is kept")


async def _once(config: Config, processes: int, *, as_json: bool) -> None:
    from scoop import worker
    from scoop.app import open_app
    from scoop.store.reads import stats as stats_reads
    from scoop.store.reads import stories as story_reads

    stop = runtime.stop_on_signal()
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(config))
        await stack.enter_async_context(_sources(config, app.database))
        with progress.stages() as report:
            await worker.run_supervised(processes, stop=stop, until_idle=True, report=report)
            async for _ in _demo_digests(app):
                await worker.run_supervised(processes, stop=stop, until_idle=True, report=report)
        async with app.database.connection() as conn:
            stats = await stats_reads.get_stats(conn)
            stories = await story_reads.latest_stories(conn, limit=10)
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


async def _demo_digests(app: "App") -> AsyncIterator[None]:
    """Put the digests of the demo's first days on their way, one date after the other: the later knows the earlier."""
    from scoop import demo
    from scoop.store import posts

    async with app.database.connection() as conn:
        days = await demo.untold_dates(conn, now=datetime.now(UTC))
    for day in days:
        async with app.database.connection() as conn:
            await demo.tell(conn, day, app.channels)
        for _ in range(DEMO_TURNS):
            yield
            async with app.database.connection() as conn:
                if not await posts.list_posts(conn, states=["waiting", "sending"], limit=1):
                    break
            await asyncio.sleep(IDLE_SECONDS)  # the newsstand's Discord has its limits, as the real one


async def _tell_demo(app: "App") -> None:
    """The same beside workers that go on: each date once there is nothing else to do."""
    await _idle(app)
    async for _ in _demo_digests(app):
        await _idle(app)


async def _idle(app: "App") -> None:
    from scoop.store import work
    from scoop.store.reads import stats as stats_reads

    names = [stage.name for stage in app.stages]
    async with app.database.connection() as conn:
        # What makes it idle are other processes: only the database knows.
        while not (await stats_reads.get_stats(conn)).stories or await work.is_busy(conn, names):  # noqa: ASYNC110
            await asyncio.sleep(IDLE_SECONDS)


@asynccontextmanager
async def _sources(config: Config, database: "Database") -> AsyncIterator[str | None]:
    """Have something to gather: the newsstand where nobody has added a source; gives its URL when it serves."""
    from scoop import demo

    async with AsyncExitStack() as stack:
        async with database.connection() as conn:
            if await demo.is_wanted(conn):
                count = await demo.add_sources(conn, config.newsstand_port)
                await demo.add_channels(conn, config.newsstand_port)
                click.echo(f"No sources are configured: the newsstand's {count} fictional ones are gathered.", err=True)
                click.echo("Add real ones: scoop sources add URL --collection NAME; then: scoop demo remove", err=True)
            has_demo = await demo.point_sources(conn, config.newsstand_port)
        if has_demo:
            yield await stack.enter_async_context(demo.newsstand(config.newsstand_port, config.home))
        else:
            yield None


async def _tell_setup_code(database: "Database", url: str) -> None:
    """Say how the first account is made, while there is none."""
    from scoop.http import accounts

    async with database.connection() as conn:
        code = await accounts.new_setup_code(conn, now=datetime.now(UTC))
    if code:
        click.echo(f"Make your account, once: {url}/welcome?code={code}")


@asynccontextmanager
async def _page(config: Config, database: "Database", newsstand: str | None) -> AsyncIterator[str]:
    from scoop.asgi import create_app, prepare
    from scoop.serve import serving

    app = create_app(config, database, newsstand=newsstand, clock=lambda: datetime.now(UTC))
    prepare()
    async with AsyncExitStack() as stack:
        try:
            url = await stack.enter_async_context(serving(app, host=config.host, port=config.port))
        except OSError as error:
            raise ConfigError(
                f"the page cannot use {config.host}:{config.port}: {(error.strerror or str(error)).lower()}; "
                "set SCOOP_PORT to a free port, or SCOOP_HOST to an address of this machine"
            ) from error
        yield url
