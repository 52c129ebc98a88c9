"""`scoop curators label, unlabel, labels`: articles that readers want or not."""

from typing import TYPE_CHECKING

import click

from scoop.cli import _curators, _texts, console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.store.curators import ArticleLabel


@click.command()
@_curators.of_curator
@click.argument("article", type=console.REFERENCE)
@click.option("--up/--down", "is_wanted", default=True, help="Whether you want such articles.  [default: up]")
@console.as_json
@click.pass_obj
def label(config: Config, slug: str, article: str, is_wanted: bool, as_json: bool) -> None:
    """Label an article as wanted or not; labels tune the local scorer of the curator.

    ARTICLE is a number, an art_ id or a URL.

    \b
    Examples:
      scoop curators label picks https://example.com/a --up
      scoop curators label picks art_0123456789abcdef0123456789abcdef --down
    """
    kept = runtime.run(_label(config, slug, article, is_wanted=is_wanted))
    if as_json:
        console.print_json(kept)
        return
    click.echo(f"{'wanted' if is_wanted else 'not wanted'}: {_curators.title(kept.title)}")
    click.echo(
        f"it has {kept.untuned_score}/100 points without labels; to take it back: scoop curators unlabel {slug} ..."
    )


async def _label(config: Config, slug: str, article: str, *, is_wanted: bool) -> "ArticleLabel":
    from scoop.actions import curators

    async with runtime.open_connection(config) as conn, conn.transaction():
        document_id = (await _texts.find_document(conn, article)).subject_id
        return await curators.label(conn, slug, document_id, is_wanted=is_wanted)


@click.command()
@_curators.of_curator
@click.argument("article", type=console.REFERENCE)
@console.as_json
@click.pass_obj
def unlabel(config: Config, slug: str, article: str, as_json: bool) -> None:
    """Take back the label of an article.

    \b
    Examples:
      scoop curators unlabel picks https://example.com/a
    """
    document_id = runtime.run(_unlabel(config, slug, article))
    if as_json:
        console.print_json({"topic_slug": slug, "document_id": document_id, "is_wanted": None})
    else:
        click.echo("label removed")


async def _unlabel(config: Config, slug: str, article: str) -> int:
    from scoop.actions import curators

    async with runtime.open_connection(config) as conn:
        document_id = (await _texts.find_document(conn, article)).subject_id
        await curators.unlabel(conn, slug, document_id)
        return document_id


@click.command()
@_curators.of_curator
@console.as_json
@click.pass_obj
def labels(config: Config, slug: str, as_json: bool) -> None:
    """List the labels of a curator, the newest first."""
    found = runtime.run(_labels(config, slug))
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("article", "wanted", "points without labels", "since", "title"),
        [
            (each.article_id, "yes" if each.is_wanted else "no", each.untuned_score, each.labelled_at, each.title)
            for each in found
        ],
        empty=f"{slug} has no labels; add one: scoop curators label {slug} URL --up",
        cut="title",
        whole=["article"],
    )


async def _labels(config: Config, slug: str) -> "list[ArticleLabel]":
    from scoop.store import curators

    async with runtime.open_connection(config) as conn:
        return await curators.list_labels(conn, (await curators.by_slug(conn, slug)).topic_id)
