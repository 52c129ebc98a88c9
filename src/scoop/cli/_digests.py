"""Output of a digest for `scoop digest` and `scoop digests`."""

import click

from scoop.cli import console, runtime
from scoop.config import Config


async def show(config: Config, digest_run_id: int, *, as_json: bool) -> None:
    """One run with all its candidates and its posts."""
    from scoop.store import digests, posts

    async with runtime.open_connection(config) as conn:
        run = await digests.get_run(conn, digest_run_id)
        entries = await digests.list_entries(conn, digest_run_id)
        sent = await posts.list_run_posts(conn, digest_run_id)
    if as_json:
        console.print_json({"run": run, "entries": entries, "posts": sent})
        return
    published = sum(entry.rank is not None for entry in entries)
    click.secho(
        f"{run.topic_slug} {run.run_date}, {run.mode}, attempt {run.attempt} (run {run.digest_run_id})", bold=True
    )
    click.echo(
        f"from {console.format_time(run.window_start_utc)} to {console.format_time(run.window_end_utc)}: "
        f"{len(entries)} candidates, {published} published"
    )
    console.print_table(
        ("rank", "score", "status", "title", "why"),
        [(e.rank, f"{e.score:.2f}", e.status, e.title, e.reason) for e in entries],
        empty="nothing new",
        cut="title",
    )
    if sent:
        console.print_table(
            ("post", "channel", "part", "state", "message", "problem"),
            [(p.post_id, p.channel, f"{p.part_no}/{p.parts}", p.state, p.message_id, p.error or "") for p in sent],
            empty="",
        )
