"""`scoop embed`: embeddings for documents that lack them, and which model decides."""

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from scoop.cli import console, progress, runtime
from scoop.config import Config
from scoop.errors import UsageError
from scoop.stage_names import StageName

if TYPE_CHECKING:
    from scoop.embedders import Embedder
    from scoop.stages.embed import Backfilled
    from scoop.store.db import Connection

SHOWN_FAILURES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedRequest:
    """What the command line asks for."""

    model: str | None
    model_version: str | None
    batch_size: int
    activate: bool
    as_json: bool


@click.command()
@click.option("--model", help="Another model of the server than the setting says.")
@click.option("--model-version", help="Another version than the setting says.")
@click.option("--batch-size", type=click.IntRange(1, 256), default=32, show_default=True, help="Texts in one call.")
@click.option("--activate", is_flag=True, help="Let the model decide about stories once all documents have embeddings.")
@click.option("--models", is_flag=True, help="List the models instead, with how much each has embedded.")
@console.as_json
@click.pass_obj
def command(
    config: Config,
    model: str | None,
    model_version: str | None,
    batch_size: int,
    activate: bool,
    models: bool,
    as_json: bool,
) -> None:
    """Embed documents that lack an embedding; change or list the models.

    New documents are embedded as they come; this is for those from before, and for another model. It may be stopped at
    any time: what is embedded is kept, and the next call goes on. Ends with 1 when a document could not be embedded.

    \b
    Examples:
      scoop embed                                     with the embedder of the settings
      scoop embed --model bge-m3 --model-version 2    another model, beside the one that decides
      scoop embed --activate                          and let it decide about stories from now on
      scoop embed --models
    """
    if models:
        runtime.run(_list(config, as_json=as_json))
        return
    wanted = {"model": model, "version": model_version}
    overrides = {name: value for name, value in wanted.items() if value} if config.embedder != "local" else {}
    chosen = replace(config, plugins=config.plugins.override("embedders", config.embedder, overrides))
    asked = EmbedRequest(
        model=model, model_version=model_version, batch_size=batch_size, activate=activate, as_json=as_json
    )
    if not runtime.run_logged(chosen, _embed(chosen, asked)):
        sys.exit(1)


async def _list(config: Config, *, as_json: bool) -> None:
    from scoop.store import embeddings

    async with runtime.open_connection(config) as conn:
        found = await embeddings.list_models(conn)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("model", "version", "dimensions", "documents", "active"),
        [(m.model_name, m.model_version, m.dimensions, m.documents, "yes" if m.is_active else "") for m in found],
        empty="nothing has been embedded yet",
    )


async def _embed(config: Config, asked: EmbedRequest) -> bool:
    """Embed what lacks it and tell of it; whether all was done that was asked."""
    from scoop.app import open_client, open_database, open_embedder
    from scoop.stages import embed

    stop = runtime.stop_on_signal()
    async with open_database(config) as database, open_client(config) as client:
        embedder = open_embedder(config, client)
        _check(embedder, asked)
        with progress.items(StageName.EMBED) as advance:
            done = await embed.backfill(embedder, database, batch=asked.batch_size, stop=stop, progress=advance)
        async with database.connection() as conn:
            if asked.activate and done.is_complete:
                await embed.activate(conn, done.model_name, done.model_version)
            await _tell(conn, done, as_json=asked.as_json)
    return done.is_complete


def _check(embedder: "Embedder", asked: EmbedRequest) -> None:
    """An embedder that brings its own model cannot be given another."""
    own = embedder.model
    if asked.model not in {None, own.name} or asked.model_version not in {None, own.version}:
        raise UsageError(
            f"the embedder {embedder.name} has only the model {own.name} {own.version}; "
            "for another set SCOOP_EMBEDDER to openai and SCOOP_EMBEDDERS_OPENAI_BASE_URL to its server"
        )


async def _tell(conn: "Connection", done: "Backfilled", *, as_json: bool) -> None:
    from scoop.store import embeddings

    active = await embeddings.find_active(conn)
    told = {
        "model_name": done.model_name,
        "model_version": done.model_version,
        "embedded": done.embedded,
        "failed": len(done.failures),
        "missing": await embeddings.count_missing(conn, done.model_name, done.model_version),
        "active": f"{active.model_name} {active.model_version}" if active else None,
    }
    for document_id, error in list(done.failures.items())[:SHOWN_FAILURES]:
        click.echo(f"document {document_id}: {error}", err=True)
    if as_json:
        console.print_json(told)
        return
    click.echo(
        f"{told['embedded']:,} documents embedded with {done.model_name} {done.model_version}, "
        f"{told['failed']:,} failed, {told['missing']:,} still without"
    )
    click.echo(f"about stories decides: {told['active'] or 'no model yet'}")
