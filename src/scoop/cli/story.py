"""`scoop story`: one story with its documents."""

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.core.display_names import outlet_name


@click.command()
@click.argument("story", metavar="ID", type=console.REFERENCE)
@console.as_json
@click.pass_obj
def command(config: Config, story: str, as_json: bool) -> None:
    """Show one story with its documents.

    ID is the number that `scoop stories` shows, or the story's UUID. A merged story is shown as the one that it became
    part of.

    \b
    Examples:
      scoop story 12
      scoop story 0d0e7c5e-8f0b-4bd5-9f8e-3f6f2f0f6a10 --json
    """
    runtime.run(_show(config, story, as_json=as_json))


async def _show(config: Config, name: str, *, as_json: bool) -> None:
    from scoop.core import ids
    from scoop.store.reads import stories as story_reads

    async with runtime.open_connection(config) as conn:
        detail = await story_reads.get_story(conn, name)
    story = detail.story
    if ids.parse_number(name) != story.story_id and ids.parse_uuid(name) != story.story_uuid:
        click.echo(f"story {name} was merged into story {story.story_id}", err=True)
    if as_json:
        console.print_json(detail)
        return
    click.secho(story.title, bold=True)
    click.echo(f"{story.url or 'no URL'}")
    click.echo(
        f"story {story.story_id} ({story.story_uuid}) in {story.collection}, {story.status}: "
        f"{story.item_count} documents, {story.source_count} sources, {story.publisher_family_count} independent"
    )
    click.echo(f"for its whole event: scoop event {story.event_uuid}")
    console.print_table(
        ("document", "seen", "source", "lang", "match", "title"),
        [
            (m.document_id, m.seen_at, outlet_name(m.source, m.source_name), m.language, m.match_type, m.title)
            for m in detail.members
        ],
        empty="no documents",
        cut="title",
    )
