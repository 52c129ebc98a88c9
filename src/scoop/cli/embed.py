"""`scoop embed`: embed documents that lack an embedding; activate and list models."""

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
    """The options of the command."""

    model: str | None
    model_version: str | None
    batch_size: int
    activate: bool
    as_json: bool


@click.command()
@click.option("--model", help="Another model of the server than the setting says.")
@click.option("--model-version", help="Another version than the setting says.")
@click.option("--batch-size", type=click.IntRange(1, 256), default=32, show_default=True, help="Texts per call.")
@click.option("--activate", is_flag=True, help="Make the model the active one once all documents have embeddings.")
@click.option("--models", is_flag=True, help="List the models instead, with the number of documents each has embedded.")
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

    New documents are embedded as they arrive; this command is for older ones, and for another model. It may be stopped
    at any time: finished embeddings are kept, and the next call continues. Exit code 1: a document failed.

    \b
    Examples:
      scoop embed                                     with the embedder of the settings
      scoop embed --model bge-m3 --model-version 2    another model, besides the active one
      scoop embed --activate                          and make it the active one
      scoop embed --models
    """
    if models:
        runtime.run(_list(config, as_json=as_json))
        return
    wanted = {"model": model, "version": model_version}
    overrides = {name: value for name, value in wanted.items() if value} if config.embedder != "local" else {}
    chosen = replace(config, plugins=config.plugins.override("embedders", config.embedder, overrides))
    request = EmbedRequest(
        model=model, model_version=model_version, batch_size=batch_size, activate=activate, as_json=as_json
    )
    if not runtime.run_logged(chosen, _embed(chosen, request)):
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
        empty="There are no embeddings yet.",
    )


async def _embed(config: Config, request: EmbedRequest) -> bool:
    """Embed, activate if requested, and print the result; whether all documents were embedded."""
    from scoop.app import open_client, open_database, open_embedder
    from scoop.stages import embed

    stop = runtime.stop_on_signal()
    async with open_database(config) as database, open_client(config) as client:
        embedder = open_embedder(config, client)
        _check(embedder, request)
        with progress.items(StageName.EMBED) as advance:
            done = await embed.backfill(embedder, database, batch=request.batch_size, stop=stop, progress=advance)
        async with database.connection() as conn:
            if request.activate and done.is_complete:
                await embed.activate(conn, done.model_name, done.model_version)
            await _print_result(conn, done, as_json=request.as_json)
    return done.is_complete


def _check(embedder: "Embedder", request: EmbedRequest) -> None:
    """UsageError for another model with an embedder that has its own."""
    own = embedder.model
    if request.model not in {None, own.name} or request.model_version not in {None, own.version}:
        raise UsageError(
            f"the embedder {embedder.name} has only the model {own.name} {own.version}; "
            "for another set SCOOP_EMBEDDER to openai and SCOOP_EMBEDDERS_OPENAI_BASE_URL to its server"
        )


async def _print_result(conn: "Connection", done: "Backfilled", *, as_json: bool) -> None:
    from scoop.store import embeddings

    active = await embeddings.find_active(conn)
    result = {
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
        console.print_json(result)
        return
    click.echo(
        f"{result['embedded']:,} documents embedded with {done.model_name} {done.model_version}, "
        f"{result['failed']:,} failed, {result['missing']:,} still without"
    )
    click.echo(f"active model: {result['active'] or 'none yet'}")
