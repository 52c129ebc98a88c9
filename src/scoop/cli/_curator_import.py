"""`scoop curators import`: what another curator posted and rejected."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.core.display_names import counted

if TYPE_CHECKING:
    from scoop.actions.curator_import import MemoryImport

SHOWN = 20  # problems; --json has all


@click.command("import")
@click.argument("slug", metavar="NAME")
@click.option(
    "--from", "place", required=True, metavar="PLACE", help="firestore://PROJECT, a JSON or NDJSON file, or -."
)
@click.option("--curator", metavar="OTHER", help="The name of the curator there, if it is not NAME.")
@console.as_json
@click.pass_obj
def command(config: Config, slug: str, place: str, curator: str | None, as_json: bool) -> None:
    """Import what another curator posted and rejected, so that nothing of it is paid for or posted again.

    PLACE is firestore://PROJECT/DATABASE, with the account of the settings of the projection firestore; or a file with
    documents of `notified_articles` and `rejected_articles`; or - for standard input. Importing again changes nothing.

    \b
    Examples:
      scoop curators import picks --from firestore://my-project
      scoop curators import picks --from 'firestore://my-project/(default)?collection_prefix=test_'
      scoop curators import picks --from memory.ndjson
    """
    done = runtime.run(_import(config, slug, place, curator))
    if as_json:
        console.print_json(done)
    else:
        _print(done, slug)


async def _import(config: Config, slug: str, place: str, curator: str | None) -> "MemoryImport":
    from scoop.actions import curator_import

    documents = await curator_import.read_place(place, config.plugins)
    async with runtime.open_connection(config) as conn, conn.transaction():
        return await curator_import.import_memory(conn, slug, documents, curator=curator, now=datetime.now(UTC))


def _print(done: "MemoryImport", slug: str) -> None:
    rest = {
        "known already": done.known,
        "expired": done.expired,
        "of other curators": done.others,
        "unreadable": len(done.problems),
    }
    left_out = ", ".join(f"{count:,} {word}" for word, count in rest.items() if count)
    click.echo(
        f"{slug}: {done.notified:,} posted and {done.rejected:,} rejected articles imported, "
        f"of {counted(done.documents, 'document')}{f'; {left_out}' if left_out else ''}"
    )
    if done.unresolved:
        click.echo(f"{counted(done.unresolved, 'id')} without a URL: recognised when the article is gathered")
    for problem in done.problems[:SHOWN]:
        click.echo(f"not read: {problem}")
    if len(done.problems) > SHOWN:
        click.echo(f"and {len(done.problems) - SHOWN:,} more; --json lists all")
