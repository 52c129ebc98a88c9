"""`scoop why`: how a document came to its story."""

from typing import TYPE_CHECKING

import click

from scoop.cli import edge
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.store.reading import Explanation

SIGNALS = {
    "exact_url": "the same canonical URL",
    "exact_source_id": "the same native id",
    "exact_content_hash": "the same title and text",
}


@click.command()
@click.argument("document")
@edge.as_json
@click.pass_obj
def command(config: Config, document: str, as_json: bool) -> None:
    """Explain how a document came to its story.

    DOCUMENT is its number, its art_ id or its URL; a URL or art_ id may name several.

    \b
    Examples:
      scoop why 4711
      scoop why https://coastaltribune.example/2026/11/15/some-article
    """
    edge.run(_show(config, document, as_json=as_json))


async def _show(config: Config, name: str, *, as_json: bool) -> None:
    from scoop.store import reading

    async with edge.reading(config) as conn:
        found = await reading.explanations(conn, name, _url_hash(name))
    if as_json:
        edge.print_json(found)
        return
    for explanation in found:
        _tell(explanation)


def _url_hash(name: str) -> bytes | None:
    from scoop.core import hashes, urls

    try:
        return hashes.sha256(urls.canonical_url(name))
    except ValueError:
        return None


def _tell(explanation: "Explanation") -> None:
    document = explanation.document
    click.secho(document["title"], bold=True)
    click.echo(
        f"document {document['document_id']} ({document['article_id']}) "
        f"of {document['source']} in {document['collection']}"
    )
    if document["story_id"] is None:
        click.echo("  is in no story yet: it waits for dedup (`scoop run-once`)")
    else:
        click.echo(f"  is in story {document['story_id']}: {document['story_title']}")
    rows = [
        (event.created_at, event.decision, event.chosen_story_id, _reason(event.exact_signal), _other(event.details))
        for event in explanation.events
    ]
    edge.print_table(("when", "decision", "story", "because it has", "with document"), rows, empty="no decision yet")


def _reason(signal: str | None) -> str:
    return SIGNALS.get(signal or "", "nothing in common with any story")


def _other(details: dict[str, object] | None) -> object:
    return (details or {}).get("matched_document_id")
