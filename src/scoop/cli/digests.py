"""`scoop digests`: published digests, and why each candidate is in or out."""

import click

from scoop.cli import _digests, console, runtime, usage
from scoop.config import Config


@click.group(cls=usage.CommandGroup, invoke_without_command=True)
@click.option("--topic", metavar="SLUG", help="Only this topic, as ai_news.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many at most.")
@console.as_json
@click.pass_context
def command(ctx: click.Context, topic: str | None, limit: int, as_json: bool) -> None:
    """The latest digests, live and shadow; `show` lists every candidate.

    \b
    Examples:
      scoop digests
      scoop digests --topic ai_news --json
      scoop digests show 12
      scoop digests read 12
    """
    if ctx.invoked_subcommand is None:
        runtime.run(_list(ctx.obj, topic, limit, as_json=as_json))


@command.command()
@click.argument("run", type=console.ID)
@console.as_json
@click.pass_obj
def show(config: Config, run: int, as_json: bool) -> None:
    """Every candidate of a digest with the reason why it is in or out, and its posts.

    \b
    Examples:
      scoop digests show 12
      scoop digests show 12 --json
    """
    runtime.run(_digests.show(config, run, as_json=as_json))


@command.command()
@click.argument("run", type=console.ID)
@click.option("--format", "form", type=click.Choice(["text", "markdown", "html"]), default="text", show_default=True)
@click.pass_obj
def read(config: Config, run: int, form: str) -> None:
    """A digest as its readers see it.

    \b
    Examples:
      scoop digests read 12
      scoop digests read 12 --format markdown > digest.md
    """
    click.echo(runtime.run(_read(config, run, form)))


async def _list(config: Config, topic: str | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import digests

    async with runtime.open_connection(config) as conn:
        found = await digests.list_runs(conn, topic_slug=topic, limit=limit)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("run", "topic", "date", "mode", "attempt", "candidates", "published", "posted"),
        [
            (
                r.digest_run_id,
                r.topic_slug,
                r.run_date,
                r.mode,
                r.attempt,
                r.candidate_count,
                r.entry_count,
                r.published_at,
            )
            for r in found
        ],
        empty="there are no digests yet; `scoop digest --topic SLUG` makes one, `scoop up` those that are due",
    )


async def _read(config: Config, run_id: int, form: str) -> str:
    from scoop.core.rendering import mail, markdown, plain
    from scoop.store import digests, topics

    async with runtime.open_connection(config) as conn:
        run = await digests.get_run(conn, run_id)
        topic = await topics.by_slug(conn, run.topic_slug)
        digest = digests.make_digest(
            topic,
            run.run_date,
            await digests.list_entries(conn, run_id),
            introduction=run.introduction,
            language=run.language,
        )
    render = {"text": plain.render, "markdown": markdown.render, "html": mail.html}[form]
    return render(digest)
