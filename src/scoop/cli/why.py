"""`scoop why`: why a document is in its story."""

from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.store.reads.decisions import CoverageCandidate, DedupEvent, Explanation

SIGNALS = {
    "manual": "the decision of a person",
    "exact_url": "the same canonical URL",
    "exact_source_id": "the same native id",
    "exact_content_hash": "the same title and text",
    "near_copy": "much of the same text",
    "lexical_simhash": "the same headline",
    "lexical_overlap": "nearly the same headline",
    "semantic": "the same meaning, title and text alike",
}
SHOWN_SIGNS = {
    "cosine": "cosine", "title_terms": "title", "body_terms": "text", "names": "names", "numbers": "numbers",
    "containment": "copied", "days_apart": "days", "same_publisher": "own",
}  # fmt: skip


@click.command()
@click.argument("document", type=console.REFERENCE)
@console.as_json
@click.pass_obj
def command(config: Config, document: str, as_json: bool) -> None:
    """Explain why a document is in its story.

    DOCUMENT is its number, its art_ id or its URL; a URL or art_ id may name several.

    \b
    Examples:
      scoop why 4711
      scoop why https://coastaltribune.example/2026/11/15/some-article
    """
    runtime.run(_show(config, document, as_json=as_json))


async def _show(config: Config, name: str, *, as_json: bool) -> None:
    from scoop.store.reads import decisions as decision_reads

    async with runtime.open_connection(config) as conn:
        explanations = await decision_reads.explain_documents(conn, name, url_hash(name))
    if as_json:
        console.print_json(explanations)
        return
    for explanation in explanations:
        _print(explanation)


def url_hash(name: str) -> bytes | None:
    from scoop.core import hashes, urls

    try:
        return hashes.sha256(urls.canonical_url(name))
    except ValueError:
        return None


def _print(explanation: "Explanation") -> None:
    document = explanation.document
    click.secho(document["title"], bold=True)
    click.echo(
        f"document {document['document_id']} ({document['article_id']}) "
        f"of {document['source']} in {document['collection']}"
    )
    if document["story_id"] is None:
        click.echo("  is in no story yet: it is queued for dedup (`scoop run-once` runs it)")
    else:
        click.echo(f"  is in story {document['story_id']}: {document['story_title']}")
    rows = [
        (event.created_at, event.decision, event.chosen_story_id, _reason(event), _other(event.details))
        for event in explanation.events
    ]
    console.print_table(("when", "decision", "story", "because it has", "with document"), rows, empty="no decision yet")
    if explanation.candidates:
        click.echo("documents that may report the same, the most probable first:")
        console.print_table(
            ("document", "story", "joined", "probability", *SHOWN_SIGNS.values(), "title"),
            [_candidate(document["story_id"], candidate) for candidate in explanation.candidates],
            empty="",
            cut="title",
        )


def _candidate(story_id: int, candidate: "CoverageCandidate") -> tuple[object, ...]:
    signs = (f"{candidate.signs[name]:.2f}" for name in SHOWN_SIGNS)
    joined = "yes" if candidate.story_id == story_id else "no"
    return (candidate.document_id, candidate.story_id, joined, f"{candidate.probability:.2f}", *signs, candidate.title)


def _reason(event: "DedupEvent") -> str:
    details = event.details or {}
    signal = details.get("signal")
    if event.decision == "gray_zone":
        return f"probably the same event as story {event.best_candidate_story_id}"
    if event.decision in {"manual_merge", "manual_split"}:
        undone = ", undone" if details.get("is_undone") else ""
        return f"{SIGNALS['manual']} (decision {details['decision_id']}{undone})"
    return SIGNALS.get(str(signal), "nothing in common with any story")


def _other(details: dict[str, object] | None) -> object:
    return (details or {}).get("matched_document_id")
